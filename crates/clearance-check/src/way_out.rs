//! An upper bound on how far one part has to be moved to be clear of another.
//!
//! For any unit direction `n`, moving B by `max n·a - min n·b` along it puts all of B in front of all of A: the
//! shortest separating translation is no longer than that. The directions tried are the axes and the normals of the
//! triangles where the parts meet. The bound can be checked by moving the part; it is nearly exact for two plates
//! pressed together, while for a bolt in a hole it only says how far the bolt has to be pulled out.

use clearance::answer::Crossing;
use clearance::glam::DVec3;
use clearance::{Mesh, Pose};

use crate::normals::Normals;

/// The maximum number of points projected for a pair, which bounds the number of directions.
const MOST_POINTS: usize = 4_000_000;

/// The maximum number of triangle normals tried.
const MOST_DIRECTIONS: usize = 16;

/// A translation of B that separates it from A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WayOut {
    /// Proved: no longer translation is needed.
    pub length: f64,
    /// Unit vector.
    pub direction: DVec3,
}

/// The shortest separating translation along the directions tried.
pub(crate) fn way_out((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose), crossings: &[Crossing]) -> WayOut {
    let (of_a, of_b) = (world(a, pose_a), world(b, pose_b));
    let budget = MOST_POINTS / (of_a.len() + of_b.len()).max(1);
    let mut best = WayOut { length: f64::INFINITY, direction: DVec3::X };
    let triangles = directions((a, pose_a), (b, pose_b), crossings).into_iter().take(budget);
    for direction in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().chain(triangles) {
        let (low_a, high_a) = extent(&of_a, direction);
        let (low_b, high_b) = extent(&of_b, direction);
        // Along the direction, and against it.
        for (length, direction) in [(high_a - low_b, direction), (high_b - low_a, -direction)] {
            // The direction is unit up to two roundings, and the difference is rounded.
            let length = length + 8.0 * f64::EPSILON * length.abs();
            if length < best.length {
                best = WayOut { length, direction };
            }
        }
    }
    best
}

/// Points in world coordinates, and the error bound of the product of each with a unit direction: each coordinate
/// of `R p + t` is a sum of three products and `t`, off by at most four roundings of their magnitudes, and the entries
/// of `R` are at most one.
fn world(mesh: &Mesh, pose: &Pose) -> Vec<(DVec3, f64)> {
    let translation = pose.translation().abs().element_sum();
    let placed = |point: DVec3| {
        let off = 2.0 * f64::EPSILON * (3.0 * point.abs().element_sum() + translation);
        (pose.transform_point(point), off)
    };
    mesh.points().map(placed).collect()
}

/// The smallest and largest product of the points with a direction, rounded outward: the product adds three terms, each
/// rounded.
fn extent(points: &[(DVec3, f64)], direction: DVec3) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (point, off)| {
        let along = point.dot(direction);
        let off = off + 2.0 * f64::EPSILON * point.abs().element_sum();
        (low.min(along - off), high.max(along + off))
    })
}

/// The normals of triangles that meet, in world coordinates, sampled over all crossings, without duplicates.
fn directions((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose), crossings: &[Crossing]) -> Vec<DVec3> {
    let (normals_a, normals_b) = (Normals::new(a, pose_a), Normals::new(b, pose_b));
    let mut found: Vec<DVec3> = Vec::new();
    let step = crossings.len().div_ceil(MOST_DIRECTIONS).max(1);
    for crossing in crossings.iter().step_by(step) {
        let (of_a, of_b) = (normals_a.of(crossing.triangle_a), normals_b.of(crossing.triangle_b));
        for direction in of_a.try_normalize().into_iter().chain(of_b.try_normalize()) {
            if found.iter().all(|other| other.dot(direction).abs() < 1.0 - 1e-9) {
                found.push(direction);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use clearance::glam::DVec3;
    use clearance::{Pose, Relation, Shape, contacts, relation};

    use super::way_out;
    use crate::test_parts::cuboid;

    #[test]
    fn moving_by_the_way_out_separates() {
        let (a, b) = (cuboid(DVec3::ONE), cuboid(DVec3::new(0.5, 2.0, 1.0)));
        for (k, depth) in [(0u8, 0.25), (1, 1e-3), (2, 1e-9)] {
            // Rotated, so that the way out is not along an axis.
            let turned =
                Pose::from_axis_angle(DVec3::new(1.0, 2.0, f64::from(k)), 0.7, DVec3::new(5.0, -3.0, 2.0)).unwrap();
            let along = turned.rotation() * DVec3::X;
            let there = |by: f64| {
                let at = turned.translation() + along * (1.5 - depth) + by * along;
                Pose::from_axis_angle(DVec3::new(1.0, 2.0, f64::from(k)), 0.7, at).unwrap()
            };
            let (shape_a, shape_b) = (Shape::Mesh(a.clone()), Shape::Mesh(b.clone()));
            let crossings = contacts(&shape_a, &turned, &shape_b, &there(0.0)).crossings;
            let found = way_out((&a, &turned), (&b, &there(0.0)), &crossings);
            assert!((found.length - depth).abs() < 1e-12, "{found:?}");
            assert!((found.direction - along).length() < 1e-12);
            assert_eq!(relation(&shape_a, &turned, &shape_b, &there(0.0)), Relation::Overlapping);
            assert_ne!(relation(&shape_a, &turned, &shape_b, &there(found.length)), Relation::Overlapping);
        }
    }
}
