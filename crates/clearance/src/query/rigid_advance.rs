//! Conservative advancement of turning bodies on the distance of the whole.
//!
//! Mirtich (1996): the gap at a time, divided by how fast it can close, is a time for which the bodies stay apart. For two convex
//! bodies that is the speed across the plane between them, as the plane keeps all of one body from all of the other; else the speed of
//! any point in any direction. It comes near the contact linearly, and stops where a step is worth less than the time resolution or
//! the gap less than rounding; the rest is left to the search among parts, which begins there.

use glam::DVec3;

use super::distance::DistanceOptions;
use super::rigid_impact::{is_convex, read};
use super::rigid_search::{At, Limits};
use super::workspace::{PairCache, Workspace};
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::motion::relative::{Relative, Spot, advanced};
use crate::shape::Shape;

/// How many readings are made before the time reached is taken as it is.
const STEPS: u32 = 10_000;

/// The middle of a body and the radius of the ball about it, in its own frame.
pub(super) fn ball_about(shape: &Shape) -> (DVec3, f64) {
    let bounds = shape.bounds();
    (bounds.center(), 0.5 * bounds.size().length() * ROUND_UP)
}

/// The time until which the bodies are proved to be apart, and the readings it took; `None` if that is the whole step.
pub(super) fn advance(
    a: &Shape,
    b: &Shape,
    relative: &Relative<'_>,
    reaches: [f64; 2],
    limits: &Limits,
    workspace: &mut Workspace,
) -> Option<(f64, u32)> {
    let directed = is_convex(a) && is_convex(b);
    let (middle, radius) = ball_about(b);
    let mut cache = PairCache::default();
    // A gap within a tenth is as good as one to the last digit.
    let options = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
    let mut t = 0.0;
    for step in 1..=STEPS {
        let at = At::new(relative, t, reaches);
        let (reading, gap) = read((a, b), &at, &options, limits.margin, &mut cache, workspace);
        let Some(normal) = reading.normal.filter(|_| gap > limits.tolerance) else { return Some((t, step)) };
        let normal = (at.a.pose.inverse_rotation() * normal).normalize();
        let spot = Spot { place: at.turned(middle), reach: middle.length() * ROUND_UP + radius, radius };
        let reached = advanced(t, |to| {
            let field = relative.field(t, to);
            let speed = if directed { field.closing(normal, &spot).max(0.0) } else { field.speed(&spot) };
            gap / speed * (1.0 - 8.0 * UNIT_ROUNDOFF)
        });
        if reached >= 1.0 {
            return None;
        }
        // The search among parts is quicker than many small steps.
        if reached - t < limits.resolution.max(1e-6) {
            return Some((reached, step));
        }
        t = reached;
    }
    Some((t, STEPS))
}
