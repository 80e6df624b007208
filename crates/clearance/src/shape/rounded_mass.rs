//! Volume, centre of mass and inertia of all points within a radius of a convex body.
//!
//! Every point outside the core is `p + s u`: a boundary point, a unit normal of the core there, a height up to the
//! radius. Steiner's formula groups them by the feature that contains `p`, and the integrals of 1, x and x xᵀ are sums
//! of closed forms:
//! - over a **face**, prisms along its normal;
//! - along an **edge**, wedges of a cylinder between the normals of its two faces: `∫ u` and `∫ u uᵀ` over an arc;
//! - at a **vertex**, the cone over a spherical polygon whose sides are those arcs. Its area is `2π` minus the face
//!   angles at the vertex. The components of `u` are eigenfunctions of the sphere's Laplacian (for -2), and so are
//!   those of `u uᵀ - I/3` (for -6); by the divergence theorem `∫ u` and `∫ u uᵀ` are sums over the polygon's sides,
//!   whose outward normals are the directions of the edges. The polygon itself is never assembled.
//!
//! A flat polygon counts its face twice and has arcs of half a turn. Solids of revolution are integrated along their
//! profile of lines and arcs, and ellipsoids over a sphere, by Gaussian quadrature.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DMat3, DVec3};

use super::cone::Cone;
use super::custom::Custom;
use super::cylinder::Cylinder;
use super::hull::ConvexHull;
use super::mass::{MassProperties, from_moments, outer};

/// Gauss nodes along a piece of a profile: integrands are polynomials of degree 5 in the height, or in sine and cosine
/// of at most half a turn, for which 24 nodes are exact up to rounding.
const PROFILE_NODES: usize = 24;

/// Gauss nodes in each of two angles over an eighth of an ellipsoid.
const ELLIPSOID_NODES: usize = 96;

/// Number of directions in which the support function of a custom body is sampled.
const CUSTOM_DIRECTIONS: u32 = 1000;

/// All points within `radius` of a cylinder.
pub(super) fn of_cylinder(cylinder: &Cylinder, radius: f64) -> MassProperties {
    let (h, across) = (cylinder.half_length(), cylinder.radius());
    of_revolution(&[
        ProfilePiece::arc(across, -h, radius, -FRAC_PI_2, 0.0),
        ProfilePiece::Line { from: (across + radius, -h), to: (across + radius, h) },
        ProfilePiece::arc(across, h, radius, 0.0, FRAC_PI_2),
    ])
}

/// All points within `radius` of a cone.
pub(super) fn of_cone(cone: &Cone, radius: f64) -> MassProperties {
    let (h, across) = (cone.half_length(), cone.radius());
    // Elevation angle of the side's normal.
    let slope = across.atan2(2.0 * h);
    let (sine, cosine) = slope.sin_cos();
    of_revolution(&[
        ProfilePiece::arc(across, -h, radius, -FRAC_PI_2, slope),
        ProfilePiece::Line {
            from: (across + radius * cosine, -h + radius * sine),
            to: (radius * cosine, h + radius * sine),
        },
        ProfilePiece::arc(0.0, h, radius, slope, FRAC_PI_2),
    ])
}

/// The hull of support points in directions spread evenly over the sphere; `None` as in [`of_points`].
pub(super) fn of_custom(custom: &Custom, radius: f64) -> Option<MassProperties> {
    let golden = PI * (3.0 - 5f64.sqrt());
    let directions = (0..CUSTOM_DIRECTIONS).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(CUSTOM_DIRECTIONS);
        let (sine, cosine) = (golden * f64::from(k)).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(cosine * across, sine * across, z)
    });
    of_points(directions.map(|direction| custom.support(direction)), radius)
}

/// The integrals of 1, x and x xᵀ, relative to a point of the body.
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    /// The moments of the empty set.
    const NONE: Moments = Moments { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds the prism of height `r` over a triangle, along its unit normal.
    fn face(&mut self, [a, b, c]: [DVec3; 3], normal: DVec3, r: f64) {
        let area = 0.5 * (b - a).cross(c - a).length();
        let sum = a + b + c;
        let p1 = sum * (area / 3.0);
        let p2 = (outer(a) + outer(b) + outer(c) + outer(sum)) * (area / 12.0);
        self.volume += area * r;
        self.first += p1 * r + normal * (area * r * r / 2.0);
        self.second += p2 * r + mixed(p1, normal) * (r * r / 2.0) + outer(normal) * (area * r * r * r / 3.0);
    }

    /// Adds the wedge of radius `r` along an edge, over the given arc of normals.
    fn edge(&mut self, a: DVec3, b: DVec3, arc: &Arc, r: f64) {
        let length = (b - a).length();
        let p1 = (a + b) * (length / 2.0);
        let p2 = (outer(a) + outer(b) + mixed(a, b) * 0.5) * (length / 3.0);
        let (s1, s2, s3) = (r * r / 2.0, r * r * r / 3.0, r * r * r * r / 4.0);
        self.volume += arc.angle * length * s1;
        self.first += p1 * (arc.angle * s1) + arc.first * (length * s2);
        self.second += p2 * (arc.angle * s1) + mixed(p1, arc.first) * s2 + arc.second * (length * s3);
    }

    /// Adds the cone of radius `r` at a vertex over part of the unit sphere, given its area and the integrals of `u`
    /// and `u uᵀ`.
    fn vertex(&mut self, v: DVec3, area: f64, first: DVec3, second: DMat3, r: f64) {
        let (s2, s3, s4) = (r.powi(3) / 3.0, r.powi(4) / 4.0, r.powi(5) / 5.0);
        self.volume += area * s2;
        self.first += v * (area * s2) + first * s3;
        self.second += outer(v) * (area * s2) + mixed(v, first) * s3 + second * s4;
    }
}

/// `a bᵀ + b aᵀ`.
fn mixed(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x + b * a.x, a * b.y + b * a.y, a * b.z + b * a.z)
}

/// The arc of normals along an edge: its angle and the integrals of `u` and `u uᵀ` over it.
struct Arc {
    angle: f64,
    first: DVec3,
    second: DMat3,
}

impl Arc {
    /// From the normal of the face left of an edge to that of the face right of it; `along` is the unit direction of
    /// the edge.
    fn between(left: DVec3, right: DVec3, along: DVec3) -> Arc {
        let across = along.cross(left);
        let angle = right.dot(across).atan2(right.dot(left));
        // Half a turn may come out as minus half a turn, and coplanar faces as slightly negative.
        let angle = if angle < -FRAC_PI_2 { PI } else { angle.max(0.0) };
        let (sine, cosine) = angle.sin_cos();
        let half = (0.5 * angle).sin();
        Arc {
            angle,
            first: left * sine + across * (2.0 * half * half),
            second: outer(left) * (0.5 * (angle + sine * cosine))
                + outer(across) * (0.5 * (angle - sine * cosine))
                + mixed(left, across) * (0.5 * sine * sine),
        }
    }
}

/// Area of a vertex's spherical polygon and the integrals over it, accumulated from incident arcs and faces.
#[derive(Clone, Copy)]
struct Corner {
    area: f64,
    first: DVec3,
    second: DMat3,
}

/// All points within `radius` of the hull of points; `None` if the hull is invalid.
pub(super) fn of_points(points: impl Iterator<Item = DVec3>, radius: f64) -> Option<MassProperties> {
    let points: Vec<[f64; 3]> = points.map(|p| p.to_array()).collect();
    ConvexHull::flat(&points).ok().map(|hull| of_hull(&hull, radius))
}

/// All points within `radius` of a polytope, a polygon, a segment or a point.
pub(super) fn of_hull(hull: &ConvexHull, radius: f64) -> MassProperties {
    let vertices: Vec<DVec3> = hull.vertices().collect();
    let Some(&reference) = vertices.first() else { return hull.mass_properties() };
    let local: Vec<DVec3> = vertices.iter().map(|&v| v - reference).collect();
    match hull.dimension() {
        3 => {
            let core = hull.mass_properties();
            let triangles = hull.triangles();
            let normals: Vec<DVec3> = triangles.iter().map(|t| normal_of(t.map(|i| local[i as usize]))).collect();
            let mut left_of = BTreeMap::new();
            for (index, &[a, b, c]) in triangles.iter().enumerate() {
                left_of.extend([((a, b), index), ((b, c), index), ((c, a), index)]);
            }
            // Each edge once: from the triangle in which it runs from the lower to the higher vertex.
            let edges = left_of.iter().filter(|((a, b), _)| a < b).filter_map(|(&(a, b), &left)| {
                let right = *left_of.get(&(b, a))?;
                Some((a as usize, b as usize, normals[left], normals[right]))
            });
            let faces = triangles.iter().zip(&normals).map(|(t, &n)| (t.map(|i| i as usize), n));
            let moments = around(&local, faces, edges, radius);
            // The core's moments about the reference point.
            let offset = core.center - reference;
            let trace = 0.5 * (core.inertia.x_axis.x + core.inertia.y_axis.y + core.inertia.z_axis.z);
            let covariance = DMat3::from_diagonal(DVec3::splat(trace)) - core.inertia;
            from_moments(
                reference,
                core.volume + moments.volume,
                offset * core.volume + moments.first,
                covariance + outer(offset) * core.volume + moments.second,
            )
        }
        2 => {
            let Some(polygon) = hull.faces().next() else { return hull.mass_properties() };
            let polygon: Vec<usize> = polygon.iter().map(|&v| v as usize).collect();
            // Summed over a fan, so that a nearly straight corner cannot spoil the direction.
            let sum: DVec3 = (1..polygon.len() - 1)
                .map(|k| (local[polygon[k]] - local[polygon[0]]).cross(local[polygon[k + 1]] - local[polygon[0]]))
                .sum();
            let normal = sum.normalize_or(DVec3::Z);
            let fan = (1..polygon.len() - 1).map(|k| [polygon[0], polygon[k], polygon[k + 1]]);
            let faces = fan.flat_map(|t| [(t, normal), (t, -normal)]);
            let count = polygon.len();
            let edges = (0..count).map(|k| (polygon[k], polygon[(k + 1) % count], normal, -normal));
            let moments = around(&local, faces, edges, radius);
            from_moments(reference, moments.volume, moments.first, moments.second)
        }
        _ => of_segment(reference, *vertices.last().unwrap_or(&reference), radius),
    }
}

fn normal_of([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or(DVec3::ZERO)
}

/// Moments of the points outside a polytope within `r` of it. Each edge has its first face on its left, seen from
/// outside.
fn around(
    points: &[DVec3],
    faces: impl Iterator<Item = ([usize; 3], DVec3)>,
    edges: impl Iterator<Item = (usize, usize, DVec3, DVec3)>,
    r: f64,
) -> Moments {
    let mut moments = Moments::NONE;
    let mut corners = vec![Corner { area: 2.0 * PI, first: DVec3::ZERO, second: DMat3::ZERO }; points.len()];
    for (triangle, normal) in faces {
        moments.face(triangle.map(|i| points[i]), normal, r);
        for k in 0..3 {
            let [p, q, s] = [0, 1, 2].map(|j| points[triangle[(k + j) % 3]]);
            let (to_q, to_s) = (q - p, s - p);
            corners[triangle[k]].area -= to_q.cross(to_s).length().atan2(to_q.dot(to_s));
        }
    }
    for (a, b, left, right) in edges {
        let along = (points[b] - points[a]).normalize_or(DVec3::ZERO);
        let arc = Arc::between(left, right, along);
        moments.edge(points[a], points[b], &arc, r);
        // The normals at `a` point away from `b`, so the outward normal of their polygon points towards `b`.
        for (vertex, outward) in [(a, along), (b, -along)] {
            corners[vertex].first -= outward * (0.5 * arc.angle);
            corners[vertex].second -= mixed(outward, arc.first) * (1.0 / 6.0);
        }
    }
    for (&point, corner) in points.iter().zip(&corners) {
        let second = corner.second + DMat3::from_diagonal(DVec3::splat(corner.area / 3.0));
        moments.vertex(point, corner.area, corner.first, second, r);
    }
    moments
}

/// A capsule from `a` to `b`, or a sphere if they coincide.
pub(super) fn of_segment(a: DVec3, b: DVec3, r: f64) -> MassProperties {
    let middle = 0.5 * (b - a);
    let length = middle.length();
    let mut moments = Moments::NONE;
    let along = middle.normalize_or(DVec3::Z);
    let half_sphere = DMat3::from_diagonal(DVec3::splat(2.0 * PI / 3.0));
    let arc = Arc { angle: 2.0 * PI, first: DVec3::ZERO, second: (DMat3::IDENTITY - outer(along)) * PI };
    if length > 0.0 {
        moments.edge(-middle, middle, &arc, r);
    }
    for (end, outward) in [(-middle, -along), (middle, along)] {
        moments.vertex(end, 2.0 * PI, outward * PI, half_sphere, r);
    }
    from_moments(a + middle, moments.volume, moments.first, moments.second)
}

/// A piece of a profile, from bottom to top, as (distance from the axis, height).
enum ProfilePiece {
    Line { from: (f64, f64), to: (f64, f64) },
    Arc { center: (f64, f64), radius: f64, from: f64, to: f64 },
}

impl ProfilePiece {
    fn arc(across: f64, height: f64, radius: f64, from: f64, to: f64) -> ProfilePiece {
        ProfilePiece::Arc { center: (across, height), radius, from, to }
    }

    /// Distance from the axis, height, and derivative of the height, at the fraction `s` of the piece.
    fn at(&self, s: f64) -> (f64, f64, f64) {
        match *self {
            ProfilePiece::Line { from, to } => {
                (from.0 + (to.0 - from.0) * s, from.1 + (to.1 - from.1) * s, to.1 - from.1)
            }
            ProfilePiece::Arc { center, radius, from, to } => {
                let (sine, cosine) = (from + (to - from) * s).sin_cos();
                (center.0 + radius * cosine, center.1 + radius * sine, radius * cosine * (to - from))
            }
        }
    }
}

fn of_revolution(pieces: &[ProfilePiece]) -> MassProperties {
    let rule = gauss::<PROFILE_NODES>();
    let (mut volume, mut first, mut along, mut across) = (0.0, 0.0, 0.0, 0.0);
    for piece in pieces {
        for &(s, weight) in &rule {
            let (rho, z, step) = piece.at(s);
            let disc = PI * rho * rho * step * weight;
            volume += disc;
            first += disc * z;
            along += disc * z * z;
            across += disc * rho * rho / 4.0;
        }
    }
    from_moments(
        DVec3::ZERO,
        volume,
        DVec3::new(0.0, 0.0, first),
        DMat3::from_diagonal(DVec3::new(across, across, along)),
    )
}

/// The ellipsoid itself, and outside it, at height `s` above the surface, the element `(1 + 2H s + K s²) ds dS` with
/// mean curvature `H` and Gaussian curvature `K`. By symmetry one octant suffices.
///
/// The curvature of a thin ellipsoid is concentrated at its rim or ends, which sample points `D w`, `|w| = 1`, on the
/// surface barely resolve. Sampling the normals `u` does: `K dS = du` and `2H dS = (ρ₁ + ρ₂) du`, the radii of
/// curvature following from the second derivatives of the support function `|D u|`. But the side of a rod covers hardly
/// any normals. So the first term is integrated over the surface, the last over the normals, and the second over the
/// normals for discs and over the surface otherwise; always about the axis that differs most from the others.
pub(super) fn of_ellipsoid(axes: DVec3, r: f64) -> MassProperties {
    let mut order = [0, 1, 2];
    order.sort_by(|&j, &k| axes[j].total_cmp(&axes[k]));
    let [least, middle, most] = order;
    let is_disc = axes[middle] / axes[most] >= axes[least] / axes[middle];
    let order = if is_disc { [most, middle, least] } else { order };
    // In units of about the largest length. Axes below 1e-60 of that are clamped.
    let size = axes.max_element().max(r);
    let (axes, r) = (DVec3::from_array(order.map(|k| (axes[k] / size).max(1e-60))), r / size);
    let product = axes.x * axes.y * axes.z;
    let volume = 4.0 / 3.0 * PI * product;
    let (mut outside, mut second) = (0.0, axes * axes * (volume / 5.0));
    // Adds the terms of ∫ sᵏ f(y + s n) ds over the height, for the volume and the squared coordinates.
    let mut add = |k: i32, weight: f64, y: DVec3, n: DVec3| {
        let height = |power: i32| r.powi(k + power + 1) / f64::from(k + power + 1);
        outside += weight * height(0);
        second += (y * y * height(0) + y * n * (2.0 * height(1)) + n * n * height(2)) * weight;
    };
    let squares = axes * axes;
    let others = DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    let rule = gauss::<ELLIPSOID_NODES>();
    for &(tilt, of_tilt) in &rule {
        let (across, z) = (tilt * FRAC_PI_2).sin_cos();
        for &(turn, of_turn) in &rule {
            let (sine, cosine) = (turn * FRAC_PI_2).sin_cos();
            let unit = DVec3::new(across * cosine, across * sine, z);
            let share = of_tilt * of_turn * FRAC_PI_2 * FRAC_PI_2 * across * 8.0;
            let inverse = unit / axes;
            let q = inverse.length();
            let (surface, outward) = (unit * axes, inverse / q);
            add(0, product * q * share, surface, outward);
            let support = (squares * unit).dot(unit).sqrt();
            let there = squares * unit / support;
            if is_disc {
                let radii = (unit * unit * squares).dot(others) / (support * support * support);
                add(1, radii * share, there, unit);
            } else {
                // trace D² - |D w|², without cancellation.
                let bent = (unit * unit).dot(others);
                add(1, bent / (product * q * q) * share, surface, outward);
            }
            add(2, share, there, unit);
        }
    }
    let mut moments = DVec3::ZERO;
    for (k, axis) in order.into_iter().enumerate() {
        moments[axis] = second[k] * size.powi(5);
    }
    from_moments(DVec3::ZERO, (volume + outside) * size.powi(3), DVec3::ZERO, DMat3::from_diagonal(moments))
}

/// Gauss-Legendre nodes and weights on the unit interval: roots of the Legendre polynomial, by Newton's method.
fn gauss<const N: usize>() -> [(f64, f64); N] {
    std::array::from_fn(|k| {
        let count = N as f64;
        let mut x = (PI * (k as f64 + 0.75) / (count + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut previous, mut value) = (1.0, x);
            for degree in 2..=N {
                let degree = degree as f64;
                (previous, value) = (value, ((2.0 * degree - 1.0) * x * value - (degree - 1.0) * previous) / degree);
            }
            slope = count * (x * value - previous) / (x * x - 1.0);
            x -= value / slope;
        }
        (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DMat3, DVec3};

    use crate::shape::{MassProperties, Shape};

    fn rounded(core: Shape, radius: f64) -> MassProperties {
        Shape::rounded(core, radius).unwrap().mass_properties()
    }

    fn assert_same(a: &MassProperties, b: &MassProperties, tolerance: f64) {
        let size = (b.inertia.x_axis.length() / b.volume).sqrt();
        assert!((a.volume - b.volume).abs() <= tolerance * b.volume, "{a:?} {b:?}");
        assert!((a.center - b.center).length() <= tolerance * size, "{a:?} {b:?}");
        for k in 0..3 {
            let off = (a.inertia.col(k) - b.inertia.col(k)).length();
            assert!(off <= tolerance * b.inertia.x_axis.length().max(b.inertia.z_axis.length()), "{a:?} {b:?}");
        }
    }

    #[test]
    fn spheres_and_capsules_match_their_own_formulas() {
        assert_same(&rounded(Shape::sphere(1.0).unwrap(), 0.5), &Shape::sphere(1.5).unwrap().mass_properties(), 1e-15);
        let capsule = Shape::capsule(2.0, 0.75).unwrap().mass_properties();
        let axis = DVec3::new(0.0, 0.0, 2.0);
        assert_same(&rounded(Shape::segment(-axis, axis).unwrap(), 0.75), &capsule, 1e-14);
        assert_same(&rounded(Shape::capsule(2.0, 0.5).unwrap(), 0.25), &capsule, 1e-15);
        // A triangle and a tetrahedron that degenerate to segments.
        assert_same(&rounded(Shape::triangle(-axis, axis, 0.1 * axis).unwrap(), 0.75), &capsule, 1e-14);
        let flat = Shape::tetrahedron([-axis, 0.3 * axis, axis, DVec3::ZERO]).unwrap();
        assert_same(&rounded(flat, 0.75), &capsule, 1e-14);
        let ball = Shape::sphere(0.75).unwrap().mass_properties();
        assert_same(&rounded(Shape::segment(DVec3::ZERO, DVec3::ZERO).unwrap(), 0.75), &ball, 1e-14);
        assert_same(&rounded(Shape::ellipsoid(DVec3::splat(0.5)).unwrap(), 0.25), &ball, 1e-13);
    }

    #[test]
    fn a_rounded_box_is_the_sum_of_its_pieces() {
        let (h, r) = (DVec3::new(0.5, 1.0, 2.0), 0.3);
        let found = rounded(Shape::cuboid(h).unwrap(), r);
        let surface = 8.0 * (h.x * h.y + h.y * h.z + h.z * h.x);
        let volume =
            8.0 * h.x * h.y * h.z + surface * r + PI * r * r * 2.0 * (h.x + h.y + h.z) + 4.0 / 3.0 * PI * r * r * r;
        assert!((found.volume - volume).abs() < 1e-14 * volume, "{found:?} {volume}");
        // ∫ x² in closed form: blocks, quarter cylinders and octants of a sphere, shifted.
        let second = |a: f64, b: f64, c: f64| {
            let quarter = PI * r * r / 4.0;
            let slab = |inner: f64| ((inner + r).powi(3) - inner.powi(3)) / 3.0;
            let shifted = |measure: f64, first: f64, own: f64| measure * a * a + 2.0 * a * first + own;
            let eighth = shifted(PI * r.powi(3) / 6.0, PI * r.powi(4) / 16.0, PI * r.powi(5) / 30.0);
            let beside = shifted(quarter, r.powi(3) / 3.0, PI * r.powi(4) / 16.0);
            8.0 * (a.powi(3) / 3.0 * (b * c + r * b + r * c + quarter) + slab(a) * b * c + beside * (b + c) + eighth)
        };
        let [x, y, z] = [second(h.x, h.y, h.z), second(h.y, h.z, h.x), second(h.z, h.x, h.y)];
        let expected = MassProperties {
            volume,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::new(y + z, z + x, x + y)),
        };
        assert_same(&found, &expected, 1e-13);
        // The hull of the corners, translated.
        let offset = DVec3::new(30.0, -7.0, 4.0);
        let corners: Vec<[f64; 3]> = (0..8).map(|i| (super::super::cuboid::corner(h, i) + offset).to_array()).collect();
        let moved = MassProperties { center: offset, ..expected };
        assert_same(&rounded(Shape::hull(&corners).unwrap(), r), &moved, 1e-12);
    }

    #[test]
    fn a_rounded_cylinder_has_the_volume_of_its_pieces() {
        let (h, across, r) = (0.8, 0.5, 0.35);
        let found = rounded(Shape::cylinder(h, across).unwrap(), r).volume;
        let rims = 2.0 * PI * across * across * r + PI * PI * across * r * r + 4.0 / 3.0 * PI * r * r * r;
        let expected = 2.0 * h * PI * (across + r) * (across + r) + rims;
        assert!((found - expected).abs() < 1e-14 * expected, "{found} {expected}");
    }

    #[test]
    fn ellipsoid_quadrature_does_not_depend_on_its_axis() {
        for (axes, tolerance) in [(DVec3::new(0.4, 0.6, 0.9), 1e-14), (DVec3::new(0.1, 0.4, 1.0), 1e-12)] {
            let found = rounded(Shape::ellipsoid(axes).unwrap(), 0.2);
            let turned = rounded(Shape::ellipsoid(DVec3::new(axes.z, axes.x, axes.y)).unwrap(), 0.2);
            let [x, y, z] = [0, 1, 2].map(|k| turned.inertia.col(k)[k]);
            let back = MassProperties { inertia: DMat3::from_diagonal(DVec3::new(y, z, x)), ..turned };
            assert_same(&found, &back, tolerance);
        }
    }

    #[test]
    fn thin_ellipsoids_approach_discs_and_rods() {
        let disc = rounded(Shape::cylinder(1e-12, 1.0).unwrap(), 0.5);
        let rod = Shape::capsule(1.0, 0.5).unwrap().mass_properties();
        let rod_along_x = MassProperties {
            inertia: DMat3::from_diagonal(DVec3::new(rod.inertia.z_axis.z, rod.inertia.x_axis.x, rod.inertia.x_axis.x)),
            ..rod
        };
        for thin in [1e-9, 1e-60] {
            assert_same(&rounded(Shape::ellipsoid(DVec3::new(1.0, 1.0, thin)).unwrap(), 0.5), &disc, 1e-8);
            assert_same(&rounded(Shape::ellipsoid(DVec3::new(1.0, thin, thin)).unwrap(), 0.5), &rod_along_x, 1e-6);
            assert_same(&rounded(Shape::ellipsoid(DVec3::new(thin, thin, 1.0)).unwrap(), 0.5), &rod, 1e-6);
            let point = rounded(Shape::ellipsoid(DVec3::splat(thin)).unwrap(), 0.5);
            assert_same(&point, &Shape::sphere(0.5).unwrap().mass_properties(), 1e-8);
        }
    }

    #[test]
    fn a_small_radius_has_a_small_effect() {
        let cores = [
            Shape::cylinder(0.8, 0.5).unwrap(),
            Shape::cone(0.7, 0.6).unwrap(),
            Shape::ellipsoid(DVec3::new(0.4, 0.6, 0.9)).unwrap(),
            Shape::cuboid(DVec3::new(0.4, 0.6, 0.9)).unwrap(),
            Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        ];
        for core in cores {
            let own = core.mass_properties();
            let mut last = f64::INFINITY;
            for radius in [1e-3, 1e-6, 1e-9, 1e-12] {
                let found = rounded(core.clone(), radius);
                assert_same(&found, &own, 100.0 * radius + 1e-13);
                let off = found.volume - own.volume;
                assert!(off > 0.0 && off < last);
                last = off;
            }
        }
    }
}
