//! The first contact of two moving features by bisection of time, with interval bounds of the coplanarity cubic.
//!
//! Redon, "Continuous Collision Detection for Rigid and Articulated Bodies" (SIGGRAPH course notes), section 4: bound
//! the function over an interval of time; if the bounds exclude zero there is no root; otherwise bisect, the earlier
//! half first, down to a threshold, where a proximity test of the features decides. Interval arithmetic makes the
//! bounds of the *cubic* true, but the proximity test has a tolerance, so nothing is proved about the features.
//!
//! Departs from the paper: where the cubic is nearly zero throughout an interval, bisection excludes nothing, and a
//! query would take half a minute. There, and after [`BISECTION_INTERVALS`] intervals, time advances instead by the gap
//! of the features over the speed of their corners.

use crate::math::tolerances::{BISECTION_INTERVALS, BISECTION_NEAR, BISECTION_THRESHOLD, BISECTION_ZERO};
use glam::DVec3;

use super::forms::VECTORS;
use crate::answer::elementary::{ElementaryKind, ElementaryPair};
use crate::convex::segments::nearest_along;
use crate::geom::closest::closest_on_triangle;
use crate::math::interval::Interval;

/// The interval of time in which the first contact was found.
pub(crate) fn first_contact(pair: &ElementaryPair, until: f64) -> Option<(f64, f64)> {
    let search = IntervalSearch::new(pair);
    let mut open = vec![(0.0, until)];
    let mut looked = 0;
    while let Some((low, high)) = open.pop() {
        looked += 1;
        let bounds = search.volume(low, high);
        if !bounds.contains(0.0) {
            continue;
        }
        if bounds.magnitude() <= search.nearly_zero || looked > BISECTION_INTERVALS {
            let end = if looked > BISECTION_INTERVALS { until } else { high };
            if let Some(time) = search.advance(low, end) {
                return Some((time, time));
            }
            if looked > BISECTION_INTERVALS {
                return None;
            }
            continue;
        }
        let middle = 0.5 * (low + high);
        if high - low <= BISECTION_THRESHOLD {
            if search.gap(middle) <= search.near {
                return Some((low, high));
            }
            continue;
        }
        open.push((middle, high));
        open.push((low, middle));
    }
    None
}

struct IntervalSearch<'a> {
    pair: &'a ElementaryPair,
    near: f64,
    nearly_zero: f64,
    /// An upper bound on the closing speed of two corners.
    speed: f64,
}

impl IntervalSearch<'_> {
    fn new(pair: &ElementaryPair) -> IntervalSearch<'_> {
        let sizes = VECTORS[pair.kind as usize].map(|[from, to]| {
            let [start, end] = [&pair.start, &pair.end].map(|points| (points[to] - points[from]).length());
            start.max(end)
        });
        let way: [DVec3; 4] = std::array::from_fn(|k| pair.end[k] - pair.start[k]);
        let between = |i: usize, j: usize| (way[i] - way[j]).length();
        let speed = match pair.kind {
            ElementaryKind::VertexFace => between(0, 1).max(between(0, 2)).max(between(0, 3)),
            ElementaryKind::EdgeEdge => between(0, 2).max(between(0, 3)).max(between(1, 2)).max(between(1, 3)),
        };
        let near = BISECTION_NEAR * (sizes[0] + sizes[1] + sizes[2] + speed);
        IntervalSearch { pair, near, nearly_zero: BISECTION_ZERO * sizes[0] * sizes[1] * sizes[2], speed }
    }

    /// Bounds of the cubic over an interval of time.
    fn volume(&self, low: f64, high: f64) -> Interval {
        let (time, one) = (Interval::new(low, high), Interval::ONE);
        let [u, v, w] = VECTORS[self.pair.kind as usize].map(|[from, to]| -> [Interval; 3] {
            std::array::from_fn(|k| {
                let at = |points: &[DVec3; 4]| Interval::point(points[to][k]) - Interval::point(points[from][k]);
                let (start, end) = (at(&self.pair.start), at(&self.pair.end));
                // Monotone in time, so the values at the ends bound it.
                let value = |time: f64| start * (one - Interval::point(time)) + end * Interval::point(time);
                value(time.lo()).hull(value(time.hi()))
            })
        });
        let minor = |i: usize, j: usize| u[i] * v[j] - u[j] * v[i];
        minor(1, 2) * w[0] + minor(2, 0) * w[1] + minor(0, 1) * w[2]
    }

    /// The gap of the features at a time, rounded.
    fn gap(&self, time: f64) -> f64 {
        let [a, b, c, d] = std::array::from_fn(|k| self.pair.start[k] * (1.0 - time) + self.pair.end[k] * time);
        match self.pair.kind {
            ElementaryKind::VertexFace => closest_on_triangle(a, b, c, d).distance,
            ElementaryKind::EdgeEdge => {
                let (s, t) = nearest_along(b - a, d - c, c - a);
                (a + (b - a) * s).distance(c + (d - c) * t)
            }
        }
    }

    /// The first time from `low` to `high` at which the features are near each other.
    fn advance(&self, low: f64, high: f64) -> Option<f64> {
        let mut time = low;
        for _ in 0..BISECTION_INTERVALS {
            let gap = self.gap(time);
            if gap <= self.near {
                return Some(time);
            }
            time += gap / self.speed;
            if time.is_nan() || time > high {
                return (time > high && self.gap(high) <= self.near).then_some(high);
            }
        }
        None
    }
}
