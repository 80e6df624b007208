//! The point of a simple core nearest to a given point, by formula: a point, a rod, a box, up to four points.
//!
//! Boxes and rods by clamping, which is exact but for the last subtraction: what is clamped shows as a coordinate, what is not
//! drops out as an exact zero, so the direction of a face or side is right however small the gap. Segments, triangles and
//! tetrahedra by the Voronoi regions of [`simplex`](super::simplex). A formula only proposes; whoever uses it proves the
//! distance from below by the plane across the direction ([`height`]) and from above by the point.

use glam::DVec3;

use super::core::AnyCore;
use super::simplex::{Nearest, Simplex};

/// The point of a core nearest to another, in the core's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    /// A convex combination of at most four vertices, off by what `tolerances::CONTACT_POINT` says of such.
    pub point: DVec3,
    /// Unit, towards the other point; zero or not a number where there is no way from one to the other.
    pub direction: DVec3,
    /// The distance of the two points, rounded.
    pub length: f64,
    /// The vertices whose feature holds the point: of a box two opposite corners of it.
    pub vertices: [u32; 4],
    /// How many of them there are.
    pub count: usize,
}

/// The foot of `point` on a core, if there is a formula.
#[inline(always)]
pub(crate) fn nearest(core: &AnyCore<'_>, point: DVec3) -> Option<Foot> {
    match core {
        AnyCore::Point => Some(foot(point, DVec3::ZERO, [0; 4], 1)),
        AnyCore::Rod(half) => {
            let z = point.z.max(-half).min(*half);
            Some(foot(point, DVec3::new(0.0, 0.0, z), [0, 1, 0, 0], 2))
        }
        AnyCore::Box(half) => Some(on_box(*half, point)),
        AnyCore::Points(points) if points.len() <= 4 => Some(on_points(points, point)),
        _ => None,
    }
}

#[inline(always)]
fn foot(point: DVec3, at: DVec3, vertices: [u32; 4], count: usize) -> Foot {
    let between = point - at;
    let length = between.length();
    Foot { point: at, direction: between * (1.0 / length), length, vertices, count }
}

#[inline(always)]
fn on_box(half: DVec3, point: DVec3) -> Foot {
    let at = point.clamp(-half, half);
    // Bits of the coordinates at their upper ends, and of those in between.
    let bits = |x: bool, y: bool, z: bool| u32::from(x) | u32::from(y) << 1 | u32::from(z) << 2;
    let high = bits(point.x >= half.x, point.y >= half.y, point.z >= half.z);
    let low = bits(point.x <= -half.x, point.y <= -half.y, point.z <= -half.z);
    foot(point, at, [high, 7 & !low, 0, 0], 2)
}

#[inline(always)]
fn on_points(points: &[DVec3], point: DVec3) -> Foot {
    let mut simplex = Simplex::default();
    for (index, vertex) in points.iter().enumerate() {
        simplex.push(index as u32, 0, *vertex - point);
    }
    let between = match simplex.reduce() {
        Nearest::At(nearest) => -nearest,
        Nearest::Inside => DVec3::ZERO,
    };
    let at = (0..simplex.count).map(|k| points[simplex.a[k] as usize] * simplex.weight[k]).sum();
    let direction = between * (1.0 / between.length());
    Foot { point: at, direction, length: point.distance(at), vertices: simplex.a, count: simplex.count }
}

/// How far a core with a formula reaches along a direction, from its local origin.
#[inline(always)]
pub(crate) fn height(core: &AnyCore<'_>, direction: DVec3) -> f64 {
    match core {
        AnyCore::Rod(half) => half * direction.z.abs(),
        AnyCore::Box(half) => half.dot(direction.abs()),
        AnyCore::Points(points) => points.iter().map(|p| direction.dot(*p)).fold(f64::NEG_INFINITY, f64::max),
        _ => 0.0,
    }
}
