//! Distance from a point to a polytope.
//!
//! Inside, the least depth below the planes of the faces, in double-double. Outside, the distance between the polytope
//! and the point as a segment of zero length, widened by how far rounding moved the point.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::witness::WitnessPoint;
use crate::convex::pair::distance::distance_once;
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::ray_frame::{Chain, unit};
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::ring;
use crate::math::ring::{Ring, Vector};
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::ray::containment::holds;
use crate::ray::planes::{across_flat, plane_normal, power_for, to_plane};
use crate::shape::{Feature, Hull, Shape};

/// The signed distance of a point from a polytope.
pub(crate) fn signed_distance(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let inside = holds(shape, chain, p);
    let solid = match shape {
        Shape::Cuboid(_) => true,
        Shape::Hull(hull) => hull.dimension() == 3,
        Shape::Tetrahedron(tetrahedron) => {
            let [a, b, c, d] = tetrahedron.points();
            !orient3d(a, b, c, d).is_zero()
        }
        _ => false,
    };
    if inside && solid {
        return inside_polytope(shape, chain, p);
    }
    // In the frame of the outer pose, or in the world, relative to the body's origin.
    let outer = chain.outer.map(|pose| Chain { outer: None, inner: pose });
    let offset: Vector<Enclosed> = match outer {
        None => chain.offset(p),
        Some(outer) => from_center(&outer.to_body(outer.offset(p)), chain.inner.translation()),
    };
    let query = DVec3::from_array(offset.map(Enclosed::to_f64));
    // How far rounding moved the query.
    let moved: f64 = offset.iter().zip(query.to_array()).map(|(&x, q)| (x - Enclosed::of(q)).magnitude()).sum();
    let (Ok(turned), Ok(single)) = (Pose::new(chain.inner.rotation(), DVec3::ZERO), Shape::segment(query, query))
    else {
        return SignedDistance::enclosed(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    let found = distance_once(shape, &turned, &single, &Pose::IDENTITY);
    let stretch = outer.map_or(0.0, |outer| outer.stretch());
    let lower = if inside { 0.0 } else { ((found.gap.lower - moved) * (1.0 - stretch) / ROUND_UP).max(0.0) };
    let upper = if inside { 0.0 } else { (found.gap.upper + moved) * (1.0 + stretch) * ROUND_UP };
    let normal = found.normal.map(|n| outer.map_or(n, |outer| outer.normal_to_world(n)));
    let (normal, feature) = match normal {
        Some(normal) if !inside && found.witness.a.feature != Feature::Interior => (normal, found.witness.a.feature),
        // On the boundary, up to rounding.
        _ => {
            let features = Features::of(shape);
            let nearest = if solid { Some(inside_polytope(shape, chain, p)) } else { None };
            let across = || features.as_ref().map_or(DVec3::X, |f| chain.normal_to_world(across_flat(&f.corners)));
            let face = nearest.map_or(Feature::Interior, |nearest| nearest.witness.feature);
            let feature = features.as_ref().map_or(face, |features| features.at(found.witness.a.point));
            (nearest.map_or_else(across, |nearest| nearest.normal), feature)
        }
    };
    SignedDistance {
        distance: Bracket { value: if inside { 0.0 } else { found.gap.value.max(lower).min(upper) }, lower, upper },
        witness: WitnessPoint { point: found.witness.a.point, feature, part: 0 },
        normal,
    }
}

/// The features of a polytope by its corners.
struct Features {
    corners: Vec<DVec3>,
    /// The caller's indices of the corners.
    numbers: Vec<u32>,
    edges: Vec<[u32; 2]>,
    faces: Vec<Vec<u32>>,
}

impl Features {
    /// `None` for a box, where the nearest plane gives the feature.
    fn of(shape: &Shape) -> Option<Features> {
        let (corners, numbers, edges, faces) = match shape {
            Shape::Segment(segment) => (segment.points().to_vec(), vec![0, 1], vec![[0, 1]], vec![]),
            Shape::Triangle(triangle) => {
                (triangle.points().to_vec(), vec![0, 1, 2], vec![[0, 1], [1, 2], [2, 0]], vec![vec![0, 1, 2]])
            }
            Shape::Tetrahedron(tetrahedron) => {
                let edges = vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
                let faces = vec![vec![1, 2, 3], vec![0, 2, 3], vec![0, 1, 3], vec![0, 1, 2]];
                (tetrahedron.points().to_vec(), vec![0, 1, 2, 3], edges, faces)
            }
            Shape::Hull(hull) => {
                let numbers = (0..hull.vertex_count()).map(|v| hull.input_index(v)).collect();
                let faces = hull.faces().map(<[u32]>::to_vec).collect();
                (hull.vertices().collect(), numbers, hull.edges().to_vec(), faces)
            }
            _ => return None,
        };
        Some(Features { corners, numbers, edges, faces })
    }

    /// The feature that contains a boundary point: the smallest of those equally near.
    fn at(&self, x: DVec3) -> Feature {
        let corner = |v: u32| self.corners[v as usize];
        let mut nearest = (f64::INFINITY, Feature::Interior);
        let mut consider = |distance: f64, feature: Feature| {
            if distance < nearest.0 {
                nearest = (distance, feature);
            }
        };
        for (&point, &number) in self.corners.iter().zip(&self.numbers) {
            consider(point.distance(x), Feature::Vertex(number));
        }
        for (&[a, b], number) in self.edges.iter().zip(0..) {
            consider(closest_on_segment(x, corner(a), corner(b)).distance, Feature::Edge(number));
        }
        for (face, number) in self.faces.iter().zip(0..) {
            for k in 1..face.len() - 1 {
                let [a, b, c] = [0, k, k + 1].map(|k| corner(face[k]));
                consider(closest_on_triangle(x, a, b, c).distance, Feature::Face(number));
            }
        }
        nearest.1
    }
}

/// The least depth below the planes of the faces.
fn inside_polytope(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let v = chain.to_body(chain.offset(p));
    let here = DVec3::from_array(v.map(Enclosed::to_f64));
    let mut best: Option<(Enclosed, DVec3, u32)> = None;
    // `beside` gives the distance from a face to the nearest point of its plane.
    let mut consider = |signed: Enclosed, m: &Vector<Enclosed>, face: u32, beside: &dyn Fn(u32, DVec3) -> f64| {
        let normal = DVec3::from_array(m.map(Enclosed::to_f64));
        best = Some(match best {
            None => (signed, normal, face),
            Some((nearest, own, first)) => {
                let (depth, least) = (-signed.to_f64(), -nearest.to_f64());
                // Of planes equally near up to rounding, such as those of nearly coplanar faces, the one whose face is
                // there.
                let nearer = if (depth - least).abs() <= 1e-14 * (depth.abs() + least.abs()) {
                    let foot = |normal: DVec3, depth: f64| here + chain.rounded_to_body(unit(normal) * depth);
                    beside(face, foot(normal, depth)) < beside(first, foot(own, least))
                } else {
                    depth < least
                };
                (nearest.max(signed), if nearer { normal } else { own }, if nearer { face } else { first })
            }
        });
    };
    match shape {
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents();
            for face in 0..6u32 {
                let axis = face as usize / 2;
                let mut n = [Enclosed::ZERO; 3];
                n[axis] = if face % 2 == 1 { Enclosed::ONE } else { -Enclosed::ONE };
                let (signed, m) = to_plane(chain, &n, &v, Enclosed::of(half[axis]));
                consider(signed, &m, face, &|_, _| 0.0);
            }
        }
        Shape::Tetrahedron(tetrahedron) => {
            let corners = tetrahedron.corners();
            let local = from_center(&v, corners.origin);
            for face in 0..4usize {
                let [a, b, c] = [1, 2, 3].map(|k| corners.points[(face + k) % 4]);
                // Counter-clockwise from outside: the fourth point is behind.
                let swapped = orient3d(a, b, c, corners.points[face]).is_positive();
                let n = if swapped { plane_normal(a, c, b) } else { plane_normal(a, b, c) };
                let (signed, m) = to_plane(chain, &n, &local, ring::dot(&n, &ring::vector(a)));
                let beside = |face: u32, x: DVec3| {
                    let [a, b, c] = [1, 2, 3].map(|k| corners.points[(face as usize + k) % 4]);
                    closest_on_triangle(x - corners.origin, a, b, c).distance
                };
                consider(signed, &m, face as u32, &beside);
            }
        }
        Shape::Hull(hull) => {
            let hull = hull.hull();
            let local = from_center(&v, hull.origin);
            for face in near_faces(hull, DVec3::from_array(local.map(Enclosed::to_f64))) {
                let [a, b, c] = [0, 1, 2].map(|k| hull.vertices[hull.mesh.faces.get(face)[k] as usize]);
                let n = plane_normal(a, b, c);
                let (signed, m) = to_plane(chain, &n, &local, ring::dot(&n, &ring::vector(a)));
                consider(signed, &m, face as u32, &|face, x| beside_face(hull, face, x - hull.origin));
            }
        }
        _ => {}
    }
    let Some((signed, normal, face)) = best else {
        return SignedDistance::enclosed(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    // The point belongs to the closed body: a positive value is rounding.
    let signed = signed.min(Enclosed::ZERO);
    let world = unit(normal);
    let point = here - chain.rounded_to_body(world * signed.to_f64());
    SignedDistance::enclosed(signed, point, world, Feature::Face(face))
}

/// The distance from a point to a face of a hull, both relative to the hull's origin.
fn beside_face(hull: &Hull, face: u32, x: DVec3) -> f64 {
    let corner = |k: usize| hull.vertices[hull.mesh.faces.get(face as usize)[k] as usize];
    let fan = 1..hull.mesh.faces.get(face as usize).len() - 1;
    fan.map(|k| closest_on_triangle(x, corner(0), corner(k), corner(k + 1)).distance).fold(f64::INFINITY, f64::min)
}

fn from_center(v: &Vector<Enclosed>, center: DVec3) -> Vector<Enclosed> {
    std::array::from_fn(|k| v[k] - Enclosed::of(center[k]))
}

/// The faces of a hull whose planes may be nearest to a point inside, in floating point with an error bound.
///
/// With edges `p`, `q` the depth is `n · (a - x) / |n|`, `n = p x q`. `n` is off by at most `6u |p| |q|` (differences
/// and cross product), the depth by that over `|n|` times `|a - x|`, and by `8u |a - x|` for the rest; a stretch of the
/// frame by 1e-6 changes each depth by that fraction. All doubled.
fn near_faces(hull: &Hull, x: DVec3) -> impl Iterator<Item = usize> + '_ {
    let depth = move |face: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| hull.vertices[hull.mesh.faces.get(face)[k] as usize]);
        // Scaled to unit size, so that squares of their product are in range; where it vanishes, nothing is known.
        let [p, q] = [b - a, c - a].map(|edge| edge * power_for(edge));
        let to = a - x;
        let n = p.cross(q);
        let (length, reach) = (n.length(), to.length());
        let depth = n.dot(to) / length;
        let error = 2.0 * reach * UNIT_ROUNDOFF * (6.0 * p.length() * q.length() / length + 8.0) + 4e-6 * depth.abs();
        if depth.is_finite() && error.is_finite() { (depth - error, depth + error) } else { (0.0, f64::INFINITY) }
    };
    let count = hull.mesh.faces.len();
    let most = (0..count).map(|face| depth(face).1).fold(f64::INFINITY, f64::min);
    (0..count).filter(move |&face| depth(face).0 <= most)
}
