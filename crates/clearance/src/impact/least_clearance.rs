//! Least clearance of two moving bodies.
//!
//! Branch and bound over time: the gap at the midpoint of a span, less the greatest approach in half the span, bounds
//! the gap throughout. Spans wait in a heap and the one with the least bound is halved; the search ends when that bound
//! and the least gap found are as close as requested.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::answer::distance::DistanceOptions;
use crate::answer::least_clearance::{LeastClearance, LeastClearanceOptions};
use crate::answer::witness::Witness;
use crate::convex::pair::cache::PairCache;
use crate::error::QueryError;
use crate::impact::rigid_pair::{At, bounding_sphere, in_other_order, is_convex, read};
use crate::math::bracket::Bracket;
use crate::math::cancel::checkpoint;
use crate::math::tolerances::ROUND_UP;
use crate::motion::RigidMotion;
use crate::motion::relative::{Relative, Spot};
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// A span of time with a lower bound of the gap in it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    lower: f64,
    from: f64,
    to: f64,
}

impl Eq for Span {}

impl Ord for Span {
    /// The least bound is the greatest, then the earliest.
    fn cmp(&self, other: &Span) -> Ordering {
        other.lower.total_cmp(&self.lower).then_with(|| other.from.total_cmp(&self.from))
    }
}

impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Span) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The least gap: see [`least_clearance`](crate::least_clearance).
///
/// # Errors
/// [`QueryError::Unbounded`] if both bodies are unbounded.
pub(crate) fn least_gap(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    options: &LeastClearanceOptions,
    workspace: &mut Workspace,
) -> Result<LeastClearance, QueryError> {
    let reaches = [a.reach(), b.reach()];
    if !(reaches[0].is_finite() || reaches[1].is_finite()) {
        return Err(QueryError::Unbounded);
    }
    if in_other_order((a, motion_a), (b, motion_b)) {
        let swapped = least_gap(b, motion_b, a, motion_a, options, workspace)?;
        return Ok(LeastClearance { witness: swapped.witness.swapped(), ..swapped });
    }
    let mut search = ClearanceSearch {
        bodies: (a, b),
        relative: Relative { a: motion_a, b: motion_b },
        reaches,
        ball: bounding_sphere(b),
        directed: is_convex(a) && is_convex(b),
        options,
        heap: BinaryHeap::new(),
        cache: PairCache::default(),
        workspace,
    };
    Ok(search.run())
}

struct ClearanceSearch<'q> {
    bodies: (&'q Shape, &'q Shape),
    relative: Relative<'q>,
    reaches: [f64; 2],
    ball: (DVec3, f64),
    directed: bool,
    options: &'q LeastClearanceOptions,
    heap: BinaryHeap<Span>,
    cache: PairCache,
    workspace: &'q mut Workspace,
}

impl ClearanceSearch<'_> {
    fn run(&mut self) -> LeastClearance {
        let mut readings = 0;
        let mut best = self.look(0.0, 1.0, &mut readings);
        // A measured span that is not nearer than the least gap so far.
        while let Some(span) = self.heap.pop() {
            checkpoint();
            let narrow = self.options.tolerance.max(self.options.relative_tolerance * best.gap.upper);
            if best.gap.upper - span.lower <= narrow
                || readings >= self.options.most_readings
                || span.to - span.from < 1e-15
            {
                return LeastClearance {
                    gap: Bracket { lower: span.lower.clamp(0.0, best.gap.upper), ..best.gap },
                    readings,
                    ..best
                };
            }
            let middle = 0.5 * (span.from + span.to);
            for (from, to) in [(span.from, middle), (middle, span.to)] {
                let seen = self.look(from, to, &mut readings);
                best = if seen.gap.upper < best.gap.upper { seen } else { best };
            }
        }
        LeastClearance { gap: Bracket { lower: best.gap.upper, ..best.gap }, readings, ..best }
    }

    /// Measures a span at its midpoint and queues it.
    fn look(&mut self, from: f64, to: f64, readings: &mut u32) -> LeastClearance {
        *readings += 1;
        let t = 0.5 * (from + to);
        let at = At::new(&self.relative, t, self.reaches);
        let options =
            DistanceOptions { relative_tolerance: 0.1 * self.options.relative_tolerance, ..Default::default() };
        let (reading, gap) = read(self.bodies, &at, &options, 0.0, &mut self.cache, self.workspace);
        let field = self.relative.field(from, to);
        let (middle, radius) = self.ball;
        let spot = Spot { place: at.turned(middle), reach: middle.length() * ROUND_UP + radius, radius };
        // Towards both ends of the span: the gap across a plane may close after the midpoint or open before it.
        let speed = match reading.normal.filter(|_| self.directed) {
            Some(normal) => {
                let normal = (at.a.pose.inverse_rotation() * normal).normalize();
                field.closing(normal, &spot).max(field.closing(-normal, &spot)).max(0.0)
            }
            None => field.speed(&spot),
        };
        let way = speed * 0.5 * field.length() * ROUND_UP;
        self.heap.push(Span { lower: gap - way, from, to });
        let upper = (reading.gap.upper + at.noise) * ROUND_UP;
        let gap = Bracket { lower: 0.0, value: upper, upper };
        LeastClearance {
            time: t,
            gap,
            witness: Witness::of_points(reading.witness.a.point, reading.witness.b.point),
            readings: 0,
        }
    }
}
