//! Conservative advancement of rotating bodies by the distance of the whole bodies.
//!
//! Mirtich (1996): the gap at a time, divided by the greatest closing speed, is a time for which the bodies stay
//! separated. Bodies made of parts have no separating plane, so that is the greatest speed of any point in any
//! direction. Convergence is linear; it stops where steps become small or the gap is below rounding. A window of time
//! from there is left to the search among parts, which only considers parts that can touch in it.

use crate::answer::distance::DistanceOptions;
use crate::convex::pair::cache::PairCache;
use crate::impact::rigid_pair::{At, bounding_sphere, read};
use crate::impact::rigid_search::Limits;
use crate::math::tolerances::{RIGID_HAND_OVER, RIGID_READINGS, ROUND_UP, UNIT_ROUNDOFF};
use crate::motion::relative::{Relative, Spot, advanced};
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// Advances from a time until which the bodies are proved separated to a later one; also returns the number of
/// readings. `None` if that is the whole step.
pub(crate) fn advance(
    (a, b): (&Shape, &Shape),
    relative: &Relative<'_>,
    reaches: [f64; 2],
    limits: &Limits,
    from: f64,
    workspace: &mut Workspace,
) -> Option<(f64, u32)> {
    let (middle, radius) = bounding_sphere(b);
    let mut cache = PairCache::default();
    // A gap within a tenth is as good as an exact one.
    let options = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
    let mut t = from;
    for step in 1..=RIGID_READINGS {
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
        if reached - t < limits.resolution.max(RIGID_HAND_OVER) {
            return Some((reached, step));
        }
        t = reached;
    }
    Some((t, RIGID_READINGS))
}
