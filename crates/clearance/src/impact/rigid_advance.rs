//! Conservative advancement of turning bodies on the distance of the whole.
//!
//! Mirtich (1996): the gap at a time, divided by how fast it can close, is a time for which the bodies stay apart.
//! Bodies in parts have no plane between them, so that is the speed of any point in any direction. It comes near the
//! contact linearly, and stops where steps become small or the gap is less than rounding; a window of time from there
//! is left to the search among parts, which looks only at what can touch in it.

use crate::answer::distance::DistanceOptions;
use crate::convex::pair::cache::PairCache;
use crate::impact::rigid_pair::{At, ball_about, read};
use crate::impact::rigid_search::Limits;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::motion::relative::{Relative, Spot, advanced};
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// The search among parts is quicker than steps smaller than this. It goes on for [`WINDOW`].
const HAND_OVER: f64 = 1e-3;

/// How long the search among parts goes on before distances are asked for again.
pub(crate) const WINDOW: f64 = 8.0 * HAND_OVER;

/// How many readings are made before the time reached is taken as it is.
const STEPS: u32 = 10_000;

/// From a time until which the bodies are proved to be apart to a later one, and the readings it took; `None` if that
/// is the whole step.
pub(crate) fn advance(
    (a, b): (&Shape, &Shape),
    relative: &Relative<'_>,
    reaches: [f64; 2],
    limits: &Limits,
    from: f64,
    workspace: &mut Workspace,
) -> Option<(f64, u32)> {
    let (middle, radius) = ball_about(b);
    let mut cache = PairCache::default();
    // A gap within a tenth is as good as one to the last digit.
    let options = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
    let mut t = from;
    for step in 1..=STEPS {
        let at = At::new(relative, t, reaches);
        let (_, gap) = read((a, b), &at, &options, limits.margin, &mut cache, workspace);
        if gap <= limits.tolerance {
            return Some((t, step));
        }
        let spot = Spot { place: at.turned(middle), reach: middle.length() * ROUND_UP + radius, radius };
        let reached = advanced(t, 1.0, |to| {
            let field = relative.field(t, to);
            gap / field.speed(&spot) * (1.0 - 8.0 * UNIT_ROUNDOFF)
        });
        if reached >= 1.0 {
            return None;
        }
        if reached - t < limits.resolution.max(HAND_OVER) {
            return Some((reached, step));
        }
        t = reached;
    }
    Some((t, STEPS))
}
