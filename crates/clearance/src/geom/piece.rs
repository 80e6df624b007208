//! Primitives for branch and bound over pieces of triangles: cutting a piece along a plane, the distances of its
//! corners from another triangle, and whether it is clear of that triangle.

use glam::DVec3;

use crate::geom::closest::closest_on_triangle;
use crate::geom::ray_frame::unit_scale;
use crate::math::tolerances::{ROUND_UP, SMALLEST_DIRECTION, UNIT_ROUNDOFF};

/// How far a point between two corners may be off the line between them, in `u` times the farther corner's distance
/// from the origin: a quotient, a product, a sum and a difference, in three coordinates.
pub(crate) const POLYGON_CUT_ERROR: f64 = 8.0;

/// Heights below this fraction of the largest count as zero.
const LEVEL: f64 = 1e-9;

/// The most corners of a piece.
pub(crate) const MOST_CORNERS: usize = 8;

/// A convex part of a triangle, by its corners in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon {
    corners: [DVec3; MOST_CORNERS],
    count: u8,
}

impl Polygon {
    pub fn of_triangle([a, b, c]: [DVec3; 3]) -> Polygon {
        let mut corners = [DVec3::ZERO; MOST_CORNERS];
        (corners[0], corners[1], corners[2]) = (a, b, c);
        Polygon { corners, count: 3 }
    }

    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..usize::from(self.count)]
    }

    /// The polygon with each corner mapped.
    pub fn map(&self, place: impl Fn(DVec3) -> DVec3) -> Polygon {
        let mut placed = *self;
        placed.corners[..usize::from(self.count)].iter_mut().for_each(|corner| *corner = place(*corner));
        placed
    }

    /// About the centroid; a point of the polygon up to `2 POLYGON_CUT_ERROR`.
    pub fn middle(&self) -> DVec3 {
        self.corners().iter().sum::<DVec3>() / f64::from(self.count)
    }

    /// The largest distance of a corner from a point, rounded up.
    pub fn radius(&self, middle: DVec3) -> f64 {
        self.corners().iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max) * ROUND_UP
    }

    /// The corner with the largest value of `number`.
    pub fn largest(&self, number: impl Fn(DVec3) -> f64) -> usize {
        let numbers = self.corners().iter().map(|&corner| number(corner));
        numbers.enumerate().fold((0, f64::NEG_INFINITY), |best, found| if found.1 > best.1 { found } else { best }).0
    }

    fn push(&mut self, corner: DVec3) {
        if let Some(place) = self.corners.get_mut(usize::from(self.count)) {
            *place = corner;
            self.count += 1;
        }
    }

    /// The parts below and above a plane, given by the heights of points above it; `None` if it does not cut. Together
    /// they cover the polygon up to [`POLYGON_CUT_ERROR`]. A polygon that already has the maximum number of corners is
    /// halved elsewhere.
    pub fn cut(&self, height: impl Fn(DVec3) -> f64) -> Option<[Polygon; 2]> {
        let count = usize::from(self.count);
        let mut heights = [0.0; MOST_CORNERS];
        heights.iter_mut().zip(self.corners()).for_each(|(place, &corner)| *place = height(corner));
        let largest = heights.iter().fold(0.0, |largest: f64, height| largest.max(height.abs()));
        heights.iter_mut().filter(|height| height.abs() <= LEVEL * largest).for_each(|height| *height = 0.0);
        let heights = &heights[..count];
        if !(heights.iter().any(|&height| height > 0.0) && heights.iter().any(|&height| height < 0.0)) {
            return None;
        }
        let empty = Polygon { corners: [DVec3::ZERO; MOST_CORNERS], count: 0 };
        let [mut below, mut above] = [empty; 2];
        if count == MOST_CORNERS {
            (0..=count / 2).for_each(|k| below.push(self.corners[k]));
            (count / 2..=count).for_each(|k| above.push(self.corners[k % count]));
            return Some([below, above]);
        }
        for k in 0..count {
            let next = (k + 1) % count;
            if heights[k] <= 0.0 {
                below.push(self.corners[k]);
            }
            if heights[k] >= 0.0 {
                above.push(self.corners[k]);
            }
            if heights[k] * heights[next] < 0.0 {
                let share = heights[k] / (heights[k] - heights[next]);
                let between = self.corners[k] + (self.corners[next] - self.corners[k]) * share;
                below.push(between);
                above.push(between);
            }
        }
        Some([below, above])
    }

    /// Two halves, cut perpendicular to the line between the two farthest corners; `None` if all corners coincide.
    pub fn halves(&self) -> Option<[Polygon; 2]> {
        let corners = self.corners();
        let mut best = (0.0, DVec3::ZERO, DVec3::ZERO);
        for (k, &p) in corners.iter().enumerate() {
            for &q in &corners[..k] {
                let squared = p.distance_squared(q);
                if squared > best.0 {
                    best = (squared, p, q);
                }
            }
        }
        let (_, p, q) = best;
        let (middle, way) = ((p + q) * 0.5, (p - q).try_normalize()?);
        self.cut(|corner| way.dot(corner - middle))
    }

    /// The part that, once placed, lies above or below a triangle, between the planes through its edges, and up to
    /// three remaining parts.
    pub fn carved(
        &self,
        place: impl Fn(DVec3) -> DVec3,
        face: [DVec3; 3],
        normal: DVec3,
    ) -> (Option<Polygon>, [Option<Polygon>; 3]) {
        let mut left = Some(*self);
        let mut others = [None; 3];
        for k in 0..3 {
            let outward = (face[(k + 1) % 3] - face[k]).cross(normal).normalize_or_zero();
            let height = |corner: DVec3| outward.dot(place(corner) - face[k]);
            let Some(whole) = left else { break };
            if let Some([below, above]) = whole.cut(height) {
                (left, others[k]) = (Some(below), Some(above));
            } else if height(whole.middle()) > 0.0 {
                (left, others[k]) = (None, Some(whole));
            }
        }
        (left, others)
    }
}

/// Bounds on the distance of a point from a triangle: the computed value is off by less than `16u` of the distance of
/// the farthest corner.
pub(crate) fn distance_from(point: DVec3, [a, b, c]: [DVec3; 3]) -> (f64, f64) {
    let reach = [a, b, c].iter().map(|&p| (p - point).length_squared()).fold(0.0, f64::max).sqrt();
    let distance = closest_on_triangle(point, a, b, c).distance;
    let slack = 16.0 * UNIT_ROUNDOFF * reach * ROUND_UP;
    ((distance * (1.0 - 4.0 * UNIT_ROUNDOFF) - slack).max(0.0), distance * (1.0 + 4.0 * UNIT_ROUNDOFF) + slack)
}

/// Upper bound on the largest distance of points from a triangle. The distance from a convex set is a convex function,
/// so no point of the hull of the points is farther.
pub(crate) fn farthest_of(points: &[DVec3], corners: [DVec3; 3]) -> f64 {
    points.iter().map(|&point| distance_from(point, corners).1).fold(0.0, f64::max)
}

/// Whether a convex polygon of at most [`MOST_CORNERS`] and a triangle are proved to be farther apart than a margin, by
/// a separating plane: parallel to either, or to sides of both. False proves nothing.
pub(crate) fn are_apart(p: &[DVec3], q: &[DVec3; 3], margin: f64) -> bool {
    let origin = p[0];
    let size = |points: &[DVec3]| points.iter().map(|&x| (x - origin).abs().max_element()).fold(0.0, f64::max);
    let largest = size(p).max(size(q));
    // At a scale of about 1, so that no product underflows.
    let scale = if largest > 0.0 { unit_scale(largest) } else { return false };
    let mut scaled = [DVec3::ZERO; MOST_CORNERS];
    scaled.iter_mut().zip(p).for_each(|(place, &x)| *place = (x - origin) * scale);
    let p = &scaled[..p.len().min(MOST_CORNERS)];
    let q = q.map(|x| (x - origin) * scale);
    // Differences and products are rounded: less than 8u of the size, for each of two.
    let margin = (margin + 32.0 * UNIT_ROUNDOFF * largest) * scale * ROUND_UP;
    let apart = |axis: DVec3| {
        let along = |points: &[DVec3]| {
            let heights = points.iter().map(|&x| axis.dot(x));
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let ((low_p, high_p), (low_q, high_q)) = (along(p), along(&q));
        let gap = (low_q - high_p).max(low_p - high_q);
        let length = axis.length();
        length > SMALLEST_DIRECTION && gap > margin * length * ROUND_UP
    };
    let side = |points: &[DVec3], k: usize| points[(k + 1) % points.len()] - points[k];
    let across = |points: &[DVec3]| {
        let all = (1..points.len() - 1).map(|k| (points[k] - points[0]).cross(points[k + 1] - points[0]));
        all.fold(DVec3::ZERO, |sum, one| sum + one)
    };
    let (across_p, across_q) = (across(p), across(&q));
    let sides_q = [0, 1, 2].map(|k| side(&q, k));
    apart(across_p)
        || apart(across_q)
        || sides_q.iter().any(|&side| apart(side.cross(across_q)))
        || (0..p.len()).any(|k| apart(side(p, k).cross(across_p)))
        || (0..p.len()).any(|k| sides_q.iter().any(|&other| apart(side(p, k).cross(other))))
}
