//! How far one part has to be moved to be clear of another, at most.
//!
//! For any unit direction `n`, moving B by `max n·a - min n·b` along it puts all of B in front of all of A: the shortest translation
//! that separates them is no longer than that. The directions tried are those of the axes and of the triangles where the parts meet. So
//! a depth has an upper bound that anyone can check by moving the part; that of two plates pressed together is as good as exact, that of
//! a bolt in a hole only says how far the bolt has to be drawn.

use clearance::answer::Crossing;
use clearance::glam::DVec3;
use clearance::{Mesh, Pose};

use crate::normals::Normals;

/// So many points are projected for one pair at most, which bounds the number of directions.
const MOST_POINTS: usize = 4_000_000;

/// So many directions of triangles are tried at most.
const MOST_DIRECTIONS: usize = 16;

/// A translation of B that separates it from A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WayOut {
    /// Proved: no longer a translation is needed.
    pub length: f64,
    /// Unit.
    pub direction: DVec3,
}

/// The shortest way out along the directions tried.
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
            // The direction is of unit length but for two roundings, and the difference is rounded.
            let length = length + 8.0 * f64::EPSILON * length.abs();
            if length < best.length {
                best = WayOut { length, direction };
            }
        }
    }
    best
}

/// Points in the world, and by how much the product of each with a unit direction may be off for it: a coordinate of `R p + t` is a sum
/// of three products and `t`, off by four roundings of their sizes at most, and the entries of `R` are no larger than one.
fn world(mesh: &Mesh, pose: &Pose) -> Vec<(DVec3, f64)> {
    let translation = pose.translation().abs().element_sum();
    let placed = |point: DVec3| {
        let off = 2.0 * f64::EPSILON * (3.0 * point.abs().element_sum() + translation);
        (pose.transform_point(point), off)
    };
    mesh.points().map(placed).collect()
}

/// The least and the greatest product of points with a direction, rounded outward: the product adds three terms, each rounded.
fn extent(points: &[(DVec3, f64)], direction: DVec3) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (point, off)| {
        let along = point.dot(direction);
        let off = off + 2.0 * f64::EPSILON * point.abs().element_sum();
        (low.min(along - off), high.max(along + off))
    })
}

/// The normals of triangles that meet, in the world, spread over all crossings, each direction once.
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
            // Turned, so that the way out is along none of the axes.
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
