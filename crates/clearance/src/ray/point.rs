//! Where a point is to a body: nearest point, signed distance, inside or outside.

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{Ray, RayOptions, Which};
use crate::convex::pair::distance::distance_once;
use crate::error::check_components;
use crate::geom::closest::{closest_on_segment, closest_on_triangle};
use crate::geom::closest_convex::{Reach, closest_by_support};
use crate::geom::hull::convex_hull;
use crate::geom::point::{self, Nearest};
use crate::geom::ray_frame::{Chain, unit, unit_scale};
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::ray::hits::{crossings, feature_of};
use crate::ray::{height_field, point_mesh};
use crate::shape::Feature;
use crate::shape::{Compound, Custom, Hull, Shape};

/// The point of a solid body that is nearest a point. See [`ClosestPoint`] for an example.
///
/// Of a mesh that was not made solid it is the nearest point of its surface, also where [`contains`] is true.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is infinite,
/// with a bracket from 0 to infinity.
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3) -> ClosestPoint {
    if let Shape::Mesh(mesh) = shape
        && check_components("point", point).is_ok()
    {
        return point_mesh::closest_point(mesh, pose, point);
    }
    let found = signed(shape, pose, point);
    let found = match found {
        Some(found) => found,
        None => {
            return ClosestPoint {
                distance: f64::INFINITY,
                lower: 0.0,
                upper: f64::INFINITY,
                point_in_body: DVec3::ZERO,
                feature: Feature::Interior,
                part: 0,
            };
        }
    };
    // The way out of a union may lead through the boundary of a part that does not hold the point.
    let is_known = found.upper <= 0.0 && !matches!(shape, Shape::Compound(_));
    let held = if is_known { Some(found.part) } else { holder(shape, pose, point) };
    if found.upper <= 0.0 || held.is_some() {
        let point_in_body = pose.inverse_transform_point(point);
        return ClosestPoint {
            distance: 0.0,
            lower: 0.0,
            upper: 0.0,
            point_in_body,
            feature: Feature::Interior,
            part: held.unwrap_or(found.part),
        };
    }
    ClosestPoint {
        distance: found.value.max(0.0),
        lower: found.lower.max(0.0),
        upper: found.upper.max(0.0),
        point_in_body: found.point_in_body,
        feature: found.feature,
        part: found.part,
    }
}

/// How far a point is from the boundary of a body, negative inside. See [`SignedDistance`] for an example.
///
/// The boundary of a mesh is its surface. Of a solid the sign is right, decided exactly. A mesh that was not made solid has
/// the sign of its generalized winding number, negative where that is above a half: so holes, cracks and some faces that are
/// wound the wrong way do not turn it round. The distance is proved either way, that sign is not.
///
/// The boundary of the ground below a height field is its surface and the sides below the edge of its footprint, which are
/// the faces after its triangles: at `x = 0`, at the greatest x, at `y = 0`, at the greatest y.
///
/// Brackets are some 1e-15 of body and distance wide, apart from two kinds of body: for a custom body, what its slack
/// and a capped search leave; inside a compound, where parts overlap, the deepest part proves one side and the nearest
/// way out that was found the other, and they may be far apart.
///
/// A point with a coordinate that is not finite, or above 1e60 in magnitude, belongs to no body: its distance is infinite,
/// with a bracket from 0 to infinity.
pub fn signed_distance(shape: &Shape, pose: &Pose, point: DVec3) -> SignedDistance {
    signed(shape, pose, point).unwrap_or(SignedDistance {
        value: f64::INFINITY,
        lower: 0.0,
        upper: f64::INFINITY,
        point_in_body: DVec3::ZERO,
        normal: DVec3::X,
        feature: Feature::Interior,
        part: 0,
    })
}

/// True when a point belongs to a body, boundary included.
///
/// Exact for the real-number body, whatever its pose, for all kinds of body but three: a rounded body that is neither a ball
/// nor a capsule, and a custom one, hold a point unless it is proved to be outside; a mesh that is not a solid holds a point
/// of its box about which its generalized winding number is above a half, summed in floating point. A solid mesh holds the
/// points of its surface and those about which it winds at least once.
///
/// ```
/// use clearance::{Pose, Shape, contains, glam::DVec3};
/// let can = Shape::cylinder(1.0, 0.625)?;
/// // On the rim: 0.375² + 0.5² is 0.625².
/// assert!(contains(&can, &Pose::IDENTITY, DVec3::new(0.375, 0.5, 1.0)));
/// assert!(!contains(&can, &Pose::IDENTITY, DVec3::new(0.375, 0.5f64.next_up(), 1.0)));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn contains(shape: &Shape, pose: &Pose, point: DVec3) -> bool {
    check_components("point", point).is_ok() && holder(shape, pose, point).is_some()
}

/// The first part of a body that holds a point; a body that is no compound is part 0.
fn holder(shape: &Shape, pose: &Pose, point: DVec3) -> Option<u32> {
    match shape {
        Shape::Compound(compound) => {
            let holds_it = |(own, part): &(Pose, Shape)| holds(part, &Chain { outer: Some(pose), inner: own }, point);
            compound.parts().iter().position(holds_it).map(|index| index as u32)
        }
        _ => holds(shape, &Chain { outer: None, inner: pose }, point).then_some(0),
    }
}

fn signed(shape: &Shape, pose: &Pose, point: DVec3) -> Option<SignedDistance> {
    if check_components("point", point).is_err() {
        return None;
    }
    Some(match shape {
        Shape::Compound(compound) => of_compound(compound, pose, point),
        Shape::Mesh(mesh) => point_mesh::signed_distance(mesh, pose, point),
        _ => of_convex(shape, &Chain { outer: None, inner: pose }, point),
    })
}

/// Inside, on the boundary, or outside; for the kinds of body that a polynomial decides.
fn by_polynomial<N: Ring>(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> Option<bool> {
    let not_positive = |x: N| x.sign().map(|sign| sign.is_le());
    let square = |x: &N| x.times(x);
    let within = |v: &Vector<N>, r: f64| not_positive(ring::dot(v, v).minus(&square(&N::of(r))));
    match shape {
        Shape::Sphere(sphere) => within(&chain.offset(p), sphere.radius()),
        Shape::Capsule(capsule) => in_capsule::<N>(&chain.offset(p), chain, capsule.half_length(), capsule.radius()),
        _ => {
            let (v, w) = chain.to_body_exactly(&chain.offset::<N>(p));
            let length = |x: f64| N::of(x).times(&w);
            let across = square(&v[0]).plus(&square(&v[1]));
            match shape {
                Shape::Cylinder(c) => {
                    let round = not_positive(across.minus(&square(&length(c.radius()))))?;
                    Some(round && not_positive(square(&v[2]).minus(&square(&length(c.half_length()))))?)
                }
                Shape::Cone(c) => {
                    let h = length(c.half_length());
                    let below = h.minus(&v[2]);
                    if !not_positive(N::of(0.0).minus(&below))? || !not_positive(N::of(0.0).minus(&h.plus(&v[2])))? {
                        return Some(false);
                    }
                    // 2h ρ <= r (h - z), the lengths on the left and right of the same scale.
                    let left = square(&N::of(2.0 * c.half_length())).times(&across);
                    not_positive(left.minus(&square(&N::of(c.radius()).times(&below))))
                }
                Shape::Ellipsoid(e) => {
                    let s = e.semi_axes().to_array().map(|a| square(&N::of(a)));
                    let terms: [N; 3] =
                        std::array::from_fn(|k| square(&v[k]).times(&s[(k + 1) % 3]).times(&s[(k + 2) % 3]));
                    let all = s[0].times(&s[1]).times(&s[2]).times(&square(&w));
                    not_positive(terms[0].plus(&terms[1]).plus(&terms[2]).minus(&all))
                }
                Shape::HalfSpace(plane) => {
                    not_positive(ring::dot(&ring::vector(plane.normal()), &v).minus(&length(plane.offset())))
                }
                _ => None,
            }
        }
    }
}

/// Within `radius` of the segment along the body's z axis, `p` relative to its middle along the world's axes.
fn in_capsule<N: Ring>(p: &Vector<N>, chain: &Chain<'_>, half_length: f64, radius: f64) -> Option<bool> {
    let axis: Vector<N> = chain.turned(DVec3::new(0.0, 0.0, half_length));
    let squared = ring::dot(&axis, &axis);
    let along = ring::dot(p, &axis);
    let r = N::of(radius);
    let r = r.times(&r);
    let end = if along.minus(&squared).sign()?.is_ge() {
        Some(ring::subtract(p, &axis))
    } else if along.plus(&squared).sign()?.is_le() {
        Some(ring::add(p, &axis))
    } else {
        None
    };
    let excess = match end {
        Some(off) => ring::dot(&off, &off).minus(&r),
        // |p|² - (p · e)² / |e|², times |e|².
        None => ring::dot(p, p).minus(&r).times(&squared).minus(&along.times(&along)),
    };
    excess.sign().map(|sign| sign.is_le())
}

/// The ball or capsule that a rounded ball or capsule is.
pub(crate) fn simplified(shape: &Shape) -> Option<Shape> {
    let Shape::Rounded(rounded) = shape else { return None };
    match rounded.core() {
        Shape::Sphere(s) => Shape::sphere(s.radius() + rounded.radius()).ok(),
        Shape::Capsule(c) => Shape::capsule(c.half_length(), c.radius() + rounded.radius()).ok(),
        _ => None,
    }
}

/// True when a body that is not a compound holds a point.
fn holds(shape: &Shape, chain: &Chain<'_>, point: DVec3) -> bool {
    match shape {
        Shape::Sphere(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HalfSpace(_) => by_polynomial::<Enclosed>(shape, chain, point)
            .or_else(|| by_polynomial::<Dyadic>(shape, chain, point))
            .unwrap_or(false),
        Shape::Cuboid(_) | Shape::Hull(_) | Shape::Segment(_) | Shape::Triangle(_) | Shape::Tetrahedron(_) => {
            on_line(shape, chain, point)
        }
        Shape::Rounded(_) => match simplified(shape) {
            Some(simple) => holds(&simple, chain, point),
            None => of_convex(shape, chain, point).lower <= 0.0,
        },
        Shape::Custom(custom) => reach_of_custom(custom, chain, point).0.lower <= 0.0,
        Shape::HeightField(field) => height_field::holds(field, chain, point),
        Shape::Mesh(mesh) => point_mesh::holds(mesh, chain.inner, point),
        Shape::Compound(_) => false,
    }
}

/// A polytope holds a point if a line through the point is in it there: exact, by the same walk as a ray.
fn on_line(shape: &Shape, chain: &Chain<'_>, point: DVec3) -> bool {
    let Ok(ray) = Ray::new(point, DVec3::new(1.0, 0.5, 0.25)) else { return false };
    let found = crossings(shape, chain, &ray);
    let has = |from: f64, to: f64, entering: bool| {
        let options = RayOptions { from, to, hit: Which::Any };
        found.iter(&options).any(|hit| hit.entering == entering)
    };
    if found.is_single() {
        return has(0.0, 0.0, true);
    }
    has(f64::NEG_INFINITY, 0.0, true) && has(0.0, f64::INFINITY, false)
}

fn answer(signed: Enclosed, point_in_body: DVec3, normal: DVec3, feature: Feature) -> SignedDistance {
    let (lower, upper) = signed.bounds();
    let value = signed.to_f64();
    let value = if value.is_finite() { value } else { lower.max(0.0).min(upper) };
    // Beyond the range of floats nothing is known, nor is a point.
    let point_in_body = if point_in_body.is_finite() { point_in_body } else { DVec3::ZERO };
    SignedDistance { value, lower: lower.min(value), upper: upper.max(value), point_in_body, normal, feature, part: 0 }
}

/// The signed distance of a point from a body that is not a compound.
pub(crate) fn of_convex(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let rounded = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    match shape {
        Shape::Sphere(sphere) => about_foot(chain, &chain.offset(p), &[Enclosed::ZERO; 3], DVec3::Z, sphere.radius()),
        Shape::Capsule(capsule) => {
            let p: Vector<Enclosed> = chain.offset(p);
            let axis: Vector<Enclosed> = chain.turned(DVec3::new(0.0, 0.0, capsule.half_length()));
            let share = ring::dot(&p, &axis) / ring::dot(&axis, &axis);
            let share = share.max(-Enclosed::ONE).min(Enclosed::ONE);
            about_foot(chain, &p, &ring::scale(&axis, &share), rounded(&axis), capsule.radius())
        }
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) => {
            let v = chain.to_body(chain.offset(p));
            let near = match shape {
                Shape::Cylinder(c) => point::cylinder(&v, c.half_length(), c.radius()),
                Shape::Cone(c) => point::cone(&v, c.half_length(), c.radius(), holds(shape, chain, p)),
                Shape::Ellipsoid(e) => point::ellipsoid(&v, e.semi_axes(), holds(shape, chain, p)),
                _ => point::cylinder(&v, 0.0, 0.0),
            };
            in_world(chain, &near)
        }
        Shape::HalfSpace(plane) => {
            let v = chain.to_body(chain.offset(p));
            let (signed, m) = to_plane(chain, &ring::vector(plane.normal()), &v, Enclosed::of(plane.offset()));
            let world = unit(rounded(&m));
            let point = rounded(&v) - chain.rounded_to_body(world * signed.to_f64());
            answer(signed, point, world, Feature::Face(0))
        }
        Shape::Rounded(rounded) => match simplified(shape) {
            Some(simple) => of_convex(&simple, chain, p),
            None => {
                let core = of_convex(rounded.core(), chain, p);
                let found = grown(core, chain, rounded.radius());
                // A search knows the direction better than the point; of the two, the body is right behind the query.
                if matches!(rounded.core(), Shape::Custom(_)) && core.lower > 0.0 {
                    let query = DVec3::from_array(chain.to_body(chain.offset(p)).map(Enclosed::to_f64));
                    let point_in_body = query - chain.rounded_to_body(found.normal * found.value);
                    return SignedDistance { point_in_body, ..found };
                }
                found
            }
        },
        Shape::Custom(custom) => of_custom(custom, chain, p),
        Shape::HeightField(field) => height_field::signed_distance(field, chain, p),
        _ => of_polytope(shape, chain, p),
    }
}

/// A ball about a point of a segment: `p`, the foot and the segment's axis along the world's axes about the body's origin.
fn about_foot(
    chain: &Chain<'_>,
    p: &Vector<Enclosed>,
    foot: &Vector<Enclosed>,
    axis: DVec3,
    radius: f64,
) -> SignedDistance {
    let off = ring::subtract(p, foot);
    let distance = ring::dot(&off, &off).sqrt();
    let to_vec = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    // On the axis, and next to it where the way out of it is not known to all digits, every direction across it is as
    // good.
    let (way, open) = (to_vec(&off), off.iter().map(|x| x.error()).sum::<f64>());
    let has_way = way != DVec3::ZERO && open <= UNIT_ROUNDOFF * way.abs().max_element();
    let normal = if has_way { unit(way) } else { unit(axis).any_orthonormal_vector() };
    let point = chain.rounded_to_body(to_vec(foot) + normal * radius);
    answer(distance - Enclosed::of(radius), point, normal, Feature::Face(0))
}

/// From the body's frame to the world: lengths differ by at most the stretch.
fn in_world(chain: &Chain<'_>, near: &Nearest) -> SignedDistance {
    let signed = near.signed.widened(near.signed.magnitude() * chain.stretch());
    answer(signed, near.point, chain.normal_to_world(near.normal), feature_of(near.spot))
}

/// What lies `radius` outside of a core. The radius is a length in the world.
fn grown(core: SignedDistance, chain: &Chain<'_>, radius: f64) -> SignedDistance {
    let signed = Enclosed::between(core.lower, core.upper) - Enclosed::of(radius);
    let point = core.point_in_body + chain.rounded_to_body(core.normal * radius);
    SignedDistance {
        value: (core.value - radius).max(signed.lower()).min(signed.upper()),
        ..answer(signed, point, core.normal, core.feature)
    }
}

/// The signed world distance from a point to the plane `n · x = c` of the body's frame, and the plane's normal in the world.
fn to_plane(
    chain: &Chain<'_>,
    n: &Vector<Enclosed>,
    v: &Vector<Enclosed>,
    c: Enclosed,
) -> (Enclosed, Vector<Enclosed>) {
    let m = chain.plane_normal(n);
    ((ring::dot(n, v) - c) / ring::dot(&m, &m).sqrt(), m)
}

fn of_polytope(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
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
    // What rounding the query moved it by.
    let moved: f64 = offset.iter().zip(query.to_array()).map(|(&x, q)| (x - Enclosed::of(q)).magnitude()).sum();
    let (Ok(turned), Ok(single)) = (Pose::new(chain.inner.rotation(), DVec3::ZERO), Shape::segment(query, query))
    else {
        return answer(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    let found = distance_once(shape, &turned, &single, &Pose::IDENTITY);
    let stretch = outer.map_or(0.0, |outer| outer.stretch());
    let lower = if inside { 0.0 } else { ((found.lower - moved) * (1.0 - stretch) / ROUND_UP).max(0.0) };
    let upper = if inside { 0.0 } else { (found.upper + moved) * (1.0 + stretch) * ROUND_UP };
    let normal = found.normal.map(|n| outer.map_or(n, |outer| outer.normal_to_world(n)));
    let (normal, feature) = match normal {
        Some(normal) if !inside && found.feature_a != Feature::Interior => (normal, found.feature_a),
        // On the boundary, as far as rounding tells.
        _ => {
            let features = Features::of(shape);
            let nearest = if solid { Some(inside_polytope(shape, chain, p)) } else { None };
            let across = || features.as_ref().map_or(DVec3::X, |f| chain.normal_to_world(across_flat(&f.corners)));
            let face = nearest.map_or(Feature::Interior, |nearest| nearest.feature);
            let feature = features.as_ref().map_or(face, |features| features.at(found.point_in_a));
            (nearest.map_or_else(across, |nearest| nearest.normal), feature)
        }
    };
    SignedDistance {
        value: if inside { 0.0 } else { found.value.max(lower).min(upper) },
        lower,
        upper,
        point_in_body: found.point_in_a,
        normal,
        feature,
        part: 0,
    }
}

/// The features of a polytope by its corners.
struct Features {
    corners: Vec<DVec3>,
    /// Of the corners, as the caller knows them.
    numbers: Vec<u32>,
    edges: Vec<[u32; 2]>,
    faces: Vec<Vec<u32>>,
}

impl Features {
    /// `None` for a box, whose nearest plane tells.
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

    /// The feature that holds a point of the boundary: of those as near, the smallest.
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

/// A unit vector across points that lie in a plane or on a line.
fn across_flat(points: &[DVec3]) -> DVec3 {
    let first = points.first().copied().unwrap_or(DVec3::ZERO);
    let longest = |of: &dyn Fn(DVec3) -> DVec3| {
        points
            .iter()
            .map(|&p| of(p))
            .max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))
            .unwrap_or(DVec3::ZERO)
    };
    let span = longest(&|p| p - first);
    let along = unit(span);
    let across = longest(&|p| along.cross(p - first));
    let thin = across.length() <= 16.0 * UNIT_ROUNDOFF * span.length();
    if thin { along.any_orthonormal_vector() } else { unit(across) }
}

/// The least depth below the planes of the faces.
fn inside_polytope(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let v = chain.to_body(chain.offset(p));
    let here = DVec3::from_array(v.map(Enclosed::to_f64));
    let mut best: Option<(Enclosed, DVec3, u32)> = None;
    // `beside` tells how far from a face the nearest point of its plane is.
    let mut consider = |signed: Enclosed, m: &Vector<Enclosed>, face: u32, beside: &dyn Fn(u32, DVec3) -> f64| {
        let normal = DVec3::from_array(m.map(Enclosed::to_f64));
        best = Some(match best {
            None => (signed, normal, face),
            Some((nearest, own, first)) => {
                let (depth, least) = (-signed.to_f64(), -nearest.to_f64());
                // Of planes as near but for rounding, as those of nearly coplanar faces, the one whose face is there.
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
        return answer(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    // The point is of the closed body: what rounding leaves above zero is none.
    let signed = signed.min(Enclosed::ZERO);
    let world = unit(normal);
    let point = here - chain.rounded_to_body(world * signed.to_f64());
    answer(signed, point, world, Feature::Face(face))
}

/// How far a point is from a face of a hull, both relative to the hull's origin.
fn beside_face(hull: &Hull, face: u32, x: DVec3) -> f64 {
    let corner = |k: usize| hull.vertices[hull.mesh.faces.get(face as usize)[k] as usize];
    let fan = 1..hull.mesh.faces.get(face as usize).len() - 1;
    fan.map(|k| closest_on_triangle(x, corner(0), corner(k), corner(k + 1)).distance).fold(f64::INFINITY, f64::min)
}

fn from_center(v: &Vector<Enclosed>, center: DVec3) -> Vector<Enclosed> {
    std::array::from_fn(|k| v[k] - Enclosed::of(center[k]))
}

/// Across three points, about as long as one: edges and their product are scaled by powers of two, so that products of
/// tiny ones do not vanish.
fn plane_normal(a: DVec3, b: DVec3, c: DVec3) -> Vector<Enclosed> {
    let scaled = |v: Vector<Enclosed>| -> Vector<Enclosed> {
        let power = power_for(DVec3::from_array(v.map(Enclosed::to_f64)));
        v.map(|x| x.times_power(power))
    };
    let edge = |to: DVec3| scaled(std::array::from_fn(|k| Enclosed::difference(to[k], a[k])));
    scaled(ring::cross(&edge(b), &edge(c)))
}

/// A power of two that brings a vector to a length of about one.
fn power_for(v: DVec3) -> f64 {
    let size = v.abs().max_element();
    if size > 0.0 { unit_scale(size) } else { 1.0 }
}

/// The faces of a hull whose planes may be nearest a point inside, by plain arithmetic with a bound.
///
/// With edges `p`, `q` the depth is `n · (a - x) / |n|`, `n = p x q`. `n` is off by at most `6u |p| |q|` (differences and cross
/// product), the depth by that over `|n|` times `|a - x|`, and by `8u |a - x|` for the rest; a stretch of the frame by 1e-6
/// moves each depth by that much of itself. All doubled.
fn near_faces(hull: &Hull, x: DVec3) -> impl Iterator<Item = usize> + '_ {
    let depth = move |face: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| hull.vertices[hull.mesh.faces.get(face)[k] as usize]);
        // Of unit size, so that squares of their product are in range; where it is none, nothing is known.
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

/// The distance to a custom body in its own frame, the query there, and what rounding the query moved it by.
fn reach_of_custom(custom: &Custom, chain: &Chain<'_>, p: DVec3) -> (Reach, DVec3, f64) {
    let v = chain.to_body(chain.offset(p));
    let query = DVec3::from_array(v.map(Enclosed::to_f64));
    let moved: f64 = v.iter().zip(query.to_array()).map(|(&x, q)| (x - Enclosed::of(q)).magnitude()).sum();
    let towards = query - custom.bounds().center();
    let start = custom.support(if towards == DVec3::ZERO { DVec3::X } else { towards });
    let found = closest_by_support(query, start, custom.slack(), |direction| custom.support(direction));
    let stretch = chain.stretch();
    let lower = ((found.lower - moved) * (1.0 - stretch) / ROUND_UP).max(0.0);
    let upper = (found.upper + moved) * (1.0 + stretch) * ROUND_UP;
    (Reach { lower, upper, ..found }, query, moved)
}

fn of_custom(custom: &Custom, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let (reach, query, moved) = reach_of_custom(custom, chain, p);
    if reach.lower > 0.0 {
        let value = (0.5 * (reach.lower + reach.upper)).max(reach.lower).min(reach.upper);
        return SignedDistance {
            value,
            lower: reach.lower,
            upper: reach.upper,
            point_in_body: reach.point,
            normal: chain.normal_to_world(reach.normal),
            feature: Feature::Face(0),
            part: 0,
        };
    }
    inside_custom(custom, chain, query, moved, reach)
}

/// Hulls built about a point inside a custom body before the bracket of the depth is taken as it is.
const CUSTOM_STEPS: usize = 24;

/// A point that is in a custom body or so near it that this is open. The hull of farthest points is in the body: the least
/// depth below its faces is a lower bound of the depth. The plane across the nearest face, moved out to the body's
/// farthest point, is an upper bound; that point joins the hull.
fn inside_custom(custom: &Custom, chain: &Chain<'_>, query: DVec3, moved: f64, reach: Reach) -> SignedDistance {
    let mut points: Vec<DVec3> = Vec::new();
    for k in 0..26 {
        // The directions of a cube's faces, edges and corners.
        let k = if k < 13 { k } else { k + 1 };
        let direction = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
        points.push(custom.support(direction));
    }
    let bounds = custom.bounds();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element().max(query.abs().max_element());
    // How far out the farthest point is: a difference (`u`), a dot product (`3u`) and a direction of unit length within `4u`, of
    // vectors no longer than twice √3 times the largest coordinate: 28u.
    let rounding = 28.0 * largest * UNIT_ROUNDOFF;
    let (mut deepest, mut outer, mut normal) = (0.0f64, f64::INFINITY, DVec3::X);
    // How far out the body reaches along a unit direction.
    let out = |direction: DVec3, farthest: DVec3| (farthest - query).dot(direction) + custom.slack() + rounding + moved;
    for _ in 0..CUSTOM_STEPS {
        let Ok(mesh) = convex_hull(&points) else { break };
        let vertex = |i: u32| points[mesh.vertices[i as usize] as usize];
        if mesh.dimension < 3 {
            // As flat as can be told: out of it across.
            let across = across_flat(&mesh.vertices.iter().map(|&v| points[v as usize]).collect::<Vec<_>>());
            for direction in [across, -across] {
                let reached = out(direction, custom.support(direction));
                if reached < outer {
                    (outer, normal) = (reached, direction);
                }
            }
            break;
        }
        let mut nearest = (f64::INFINITY, f64::INFINITY, DVec3::X);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(vertex);
            let n = plane_normal(a, b, c);
            let length = ring::dot(&n, &n).sqrt();
            let depth = ring::dot(&n, &std::array::from_fn(|k| Enclosed::difference(a[k], query[k]))) / length;
            let (low, _) = depth.bounds();
            if low < nearest.0 {
                nearest = (low, depth.to_f64(), unit(DVec3::from_array(n.map(Enclosed::to_f64))));
            }
        }
        deepest = deepest.max(nearest.0 - moved);
        let direction = nearest.2;
        let farthest = custom.support(direction);
        let reached = out(direction, farthest);
        if reached < outer {
            (outer, normal) = (reached, direction);
        }
        if outer - deepest <= custom.slack() + 4.0 * rounding || points.contains(&farthest) {
            break;
        }
        points.push(farthest);
    }
    let stretch = chain.stretch();
    // A point that is not proved to be outside counts as one of the body.
    let outer = outer.max(0.0);
    // Outside by at most `reach.upper`, where that is open; else inside by what the hulls prove.
    let upper = if deepest > 0.0 { -deepest * (1.0 - stretch) / ROUND_UP } else { reach.upper };
    let lower = if outer.is_finite() { (-outer * (1.0 + stretch) * ROUND_UP).min(upper) } else { f64::MIN };
    let value = (-outer).max(lower).min(upper);
    SignedDistance {
        value,
        lower,
        upper,
        point_in_body: query + normal * -value,
        normal: chain.normal_to_world(normal),
        feature: Feature::Face(0),
        part: 0,
    }
}

/// Outside: the nearest part. Inside: at least as deep as in the deepest part; the way out of the union through the nearest
/// boundary point of some part that is in no other part.
fn of_compound(compound: &Compound, pose: &Pose, p: DVec3) -> SignedDistance {
    let chain = |own| Chain { outer: Some(pose), inner: own };
    let of_part = |index: usize| {
        let (own, part) = &compound.parts()[index];
        let found = of_convex(part, &chain(own), p);
        SignedDistance { point_in_body: own.transform_point(found.point_in_body), part: index as u32, ..found }
    };
    let query = pose.inverse_transform_point(p);
    let size = compound.bounds().size().length() + (query - compound.bounds().center()).length();
    let mut best: Option<SignedDistance> = None;
    for (index, bounds) in compound.boxes().iter().enumerate() {
        // Farther than its box no part can be; 1e-5 covers rounding and a stretched frame.
        let outside = (query - query.clamp(bounds.min, bounds.max)).length();
        if best.is_some_and(|best| outside > (best.upper.max(0.0) + 1e-5 * size) * 1.00001) {
            continue;
        }
        let found = of_part(index);
        best = Some(match best {
            None => found,
            Some(best) => {
                let (lower, upper) = (best.lower.min(found.lower), best.upper.min(found.upper));
                SignedDistance { lower, upper, ..if found.value < best.value { found } else { best } }
            }
        });
    }
    let Some(best) = best else {
        return answer(Enclosed::about(0.0, f64::INFINITY), DVec3::ZERO, DVec3::X, Feature::Interior);
    };
    if best.lower > 0.0 || compound.parts().len() == 1 {
        return best;
    }
    way_out(compound, pose, p, best)
}

/// A point in the union or so near that this is open. `best` is the deepest part's answer: its `upper` holds for the union.
/// The lower bound needs a point outside: the first place on the way out, along each part's normal and along the axes, where
/// the line has left every part.
fn way_out(compound: &Compound, pose: &Pose, p: DVec3, best: SignedDistance) -> SignedDistance {
    // The shortest way found and where it ends, and the length of the deepest part's own.
    let mut shortest = (f64::INFINITY, best);
    let mut own_way = f64::INFINITY;
    let axes = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    let normals = compound.parts().iter().enumerate().filter_map(|(index, (own, part))| {
        let chain = Chain { outer: Some(pose), inner: own };
        let near = holds(part, &chain, p);
        near.then(|| (of_convex(part, &chain, p).normal, index))
    });
    let directions = normals.map(|(normal, _)| normal).chain(axes);
    for direction in directions {
        let Ok(ray) = Ray::new(p, direction) else { continue };
        let mut reached = 0.0f64;
        let mut last = None;
        // Each round leaves at least one part for good: a line meets a convex part in one interval.
        for _ in 0..=compound.parts().len() {
            let mut farther = None;
            for (index, (own, part)) in compound.parts().iter().enumerate() {
                let chain = Chain { outer: Some(pose), inner: own };
                let found = crossings(part, &chain, &ray);
                let options = RayOptions::line();
                let entry = found.iter(&options).find(|hit| hit.entering);
                let exit = found.iter(&options).find(|hit| !hit.entering);
                if let (Some(entry), Some(exit)) = (entry, exit)
                    && entry.lower <= reached
                    && exit.upper > reached
                {
                    farther = Some((exit, index));
                    reached = exit.upper;
                }
            }
            match farther {
                Some(found) => last = Some(found),
                None => break,
            }
        }
        let length = reached * direction.length() * ROUND_UP;
        if last.is_some_and(|(_, index)| index as u32 == best.part) && direction == best.normal {
            own_way = length;
        }
        if length < shortest.0
            && let Some((exit, index)) = last
        {
            let own = &compound.parts()[index].0;
            let chain = Chain { outer: Some(pose), inner: own };
            let beyond = chain.rounded_to_body(direction * (reached - exit.t));
            let found = SignedDistance {
                value: 0.0,
                lower: 0.0,
                upper: 0.0,
                // A wide bracket was left at its end.
                point_in_body: own.transform_point(exit.point_in_body + beyond),
                normal: exit.normal,
                feature: exit.feature,
                part: index as u32,
            };
            shortest = (length, found);
        }
    }
    let (length, found) = shortest;
    if !length.is_finite() {
        // Flat parts only: the point is on them.
        return SignedDistance { lower: best.lower.min(best.upper), ..best };
    }
    let lower = (-length).min(best.upper);
    // The deepest part's own way out, if that is free: as long as the part says, as far as both are known.
    let known = best.upper - best.lower;
    if own_way <= -best.value * (1.0 + 1e-12) || -own_way >= best.lower - 2.0 * known {
        return SignedDistance { lower: lower.min(best.lower), value: best.value.max(lower), ..best };
    }
    SignedDistance { value: -length, lower, upper: best.upper, ..found }
}
