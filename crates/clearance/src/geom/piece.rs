//! What a branch and bound over pieces of triangles needs: how far the corners of a piece are from a triangle, whether it
//! is clear of one, and how it is cut along a plane.

use glam::DVec3;

use crate::geom::closest::closest_on_triangle;
use crate::geom::ray_frame::unit_scale;
use crate::math::tolerances::{ROUND_UP, SMALLEST_DIRECTION, UNIT_ROUNDOFF};

/// How far a point between two corners may be off the line between them, in `u` of the farther corner's distance from the
/// origin: a quotient, a product, a sum and a difference, in three coordinates.
pub(crate) const CUT_ROUNDING: f64 = 8.0;

/// Heights below this part of the largest count as none.
const LEVEL: f64 = 1e-13;

/// The parts of a triangle on either side of a plane; none if it does not cut it. Together they cover the triangle but for
/// [`CUT_ROUNDING`].
pub(crate) fn cut(corners: [DVec3; 3], heights: [f64; 3]) -> impl Iterator<Item = [DVec3; 3]> {
    let largest = heights.iter().fold(0.0, |largest: f64, height| largest.max(height.abs()));
    let side = |k: usize| {
        let height = heights[k % 3];
        if height.abs() <= LEVEL * largest {
            0
        } else if height > 0.0 {
            1
        } else {
            -1
        }
    };
    let between = |i: usize, j: usize| {
        let (i, j) = (i % 3, j % 3);
        let share = heights[i] / (heights[i] - heights[j]);
        corners[i] + (corners[j] - corners[i]) * share
    };
    let at = |k: usize| corners[k % 3];
    let mut parts = [[DVec3::ZERO; 3]; 3];
    let mut count = 0;
    if let Some(k) = (0..3).find(|&k| side(k) == 0 && side(k + 1) * side(k + 2) < 0) {
        let middle = between(k + 1, k + 2);
        (parts[0], parts[1]) = ([at(k), at(k + 1), middle], [at(k), middle, at(k + 2)]);
        count = 2;
    } else if let Some(k) = (0..3).find(|&k| side(k) * side(k + 1) < 0 && side(k) * side(k + 2) < 0) {
        let (p, q) = (between(k, k + 1), between(k, k + 2));
        parts[0] = [at(k), p, q];
        // The rest is a quadrangle, cut along its shorter diagonal.
        if p.distance_squared(at(k + 2)) <= q.distance_squared(at(k + 1)) {
            (parts[1], parts[2]) = ([p, at(k + 1), at(k + 2)], [p, at(k + 2), q]);
        } else {
            (parts[1], parts[2]) = ([p, at(k + 1), q], [q, at(k + 1), at(k + 2)]);
        }
        count = 3;
    }
    parts.into_iter().take(count)
}

/// The halves of a triangle, cut at the middle of its longest side.
pub(crate) fn halves(corners: [DVec3; 3]) -> [[DVec3; 3]; 2] {
    let length = |k: usize| corners[k].distance_squared(corners[(k + 1) % 3]);
    let longest = (1..3).fold(0, |longest, k| if length(k) > length(longest) { k } else { longest });
    let (p, q, r) = (corners[longest], corners[(longest + 1) % 3], corners[(longest + 2) % 3]);
    let middle = (p + q) * 0.5;
    [[p, middle, r], [middle, q, r]]
}

/// Bounds on the distance of a point from a triangle: what is computed is off by less
/// than `16u` of the distance of the farthest corner.
pub(crate) fn distance_from(point: DVec3, [a, b, c]: [DVec3; 3]) -> (f64, f64) {
    let reach = [a, b, c].iter().map(|&p| (p - point).length_squared()).fold(0.0, f64::max).sqrt();
    let distance = closest_on_triangle(point, a, b, c).distance;
    let slack = 16.0 * UNIT_ROUNDOFF * reach * ROUND_UP;
    ((distance * (1.0 - 4.0 * UNIT_ROUNDOFF) - slack).max(0.0), distance * (1.0 + 4.0 * UNIT_ROUNDOFF) + slack)
}

/// The largest distance of points from a triangle, at most. The distance from a convex set is a convex function, so no
/// point of the hull of the points is farther.
pub(crate) fn farthest_of(points: &[DVec3], corners: [DVec3; 3]) -> f64 {
    points.iter().map(|&point| distance_from(point, corners).1).fold(0.0, f64::max)
}

/// Whether two triangles are proved to be farther apart than a margin, by a plane between them: across either, or along
/// sides of both. False says nothing.
pub(crate) fn are_apart(p: &[DVec3; 3], q: &[DVec3; 3], margin: f64) -> bool {
    let origin = p[0];
    let (p, q) = (p.map(|x| x - origin), q.map(|x| x - origin));
    let largest = p.iter().chain(&q).map(|x| x.abs().max_element()).fold(0.0, f64::max);
    // At a scale of about 1, so that no product underflows.
    let scale = if largest > 0.0 { unit_scale(largest) } else { return false };
    let (p, q) = (p.map(|x| x * scale), q.map(|x| x * scale));
    // Differences and products are rounded: less than 8u of the size, for each of two.
    let margin = (margin + 32.0 * UNIT_ROUNDOFF * largest) * scale * ROUND_UP;
    let apart = |axis: DVec3| {
        let along = |t: &[DVec3; 3]| {
            let heights = t.map(|x| axis.dot(x));
            (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]))
        };
        let ((low_p, high_p), (low_q, high_q)) = (along(&p), along(&q));
        let gap = (low_q - high_p).max(low_p - high_q);
        let length = axis.length();
        length > SMALLEST_DIRECTION && gap > margin * length * ROUND_UP
    };
    let sides = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (sides_p, sides_q) = (sides(&p), sides(&q));
    let (across_p, across_q) = (sides_p[0].cross(sides_p[1]), sides_q[0].cross(sides_q[1]));
    apart(across_p)
        || apart(across_q)
        || sides_p.iter().any(|&side| apart(side.cross(across_p)))
        || sides_q.iter().any(|&side| apart(side.cross(across_q)))
        || sides_p.iter().any(|&one| sides_q.iter().any(|&other| apart(one.cross(other))))
}
