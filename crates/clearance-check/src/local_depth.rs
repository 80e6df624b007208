//! How far the surface of one part reaches into the other: the number findings are ranked by.
//!
//! For repaired parts it is computed on the repaired solids, and the bracket is widened by the repair distances of both
//! parts: [`crate::repair`] has the argument.

use clearance::answer::{DepthDirection, LocalDepthEnd};
use clearance::query::{LocalDepthOptions, local_depth_with};
use clearance::{QueryError, Workspace, overlap_volume};

use crate::estimate::{Estimate, estimate};
use crate::measure::{Placed, repair_distance};
use crate::overlap::volume_work;
use crate::report::{LocalDepth, SearchOutcome};

/// Why two surfaces have no local depth.
const TWO_SURFACES: &str = "both parts are open surfaces, which have no interior";

/// Why there is only an estimate.
const NOT_CLOSED: &str = "neither part is closed: inside is judged by the generalised winding number";

/// The search tolerance as a fraction of the repair distance, which accounts for the rest of the bracket.
const PART_OF_REPAIR: f64 = 0.1;

/// The local depth of two parts, known to be at most `most`, searched with `work`; whether they are a fit within
/// `allowed`; and the work spent. Two surfaces have no local depth.
pub(crate) fn local_depth(
    a: Placed<'_>,
    b: Placed<'_>,
    allowed: Option<f64>,
    most: f64,
    work: u64,
    workspace: &mut Workspace,
) -> (LocalDepth, bool, u64) {
    let moved = repair_distance(a, b);
    let ask = |options: LocalDepthOptions, workspace: &mut Workspace| {
        local_depth_with(a.0.solid_shape(), a.1, b.0.solid_shape(), b.1, &options, workspace, |_, _| true)
    };
    let tolerance = PART_OF_REPAIR * moved;
    let options = LocalDepthOptions { tolerance, work, ..LocalDepthOptions::default() };
    // The allowance is decided first, however close the depth is to it, unless the repair distance rules that out.
    let decided = allowed.filter(|allowed| *allowed >= moved).map(|allowed| {
        let (at_least, at_most) = (Some(allowed + moved), Some(allowed - moved));
        (ask(LocalDepthOptions { relative_tolerance: 0.0, at_least, at_most, ..options }, workspace), allowed)
    });
    let mut took = 0;
    if let Some((Ok(found), allowed)) = &decided {
        took += found.work;
        let depth = told(a, b, found, most);
        if depth.upper.is_some_and(|upper| upper <= *allowed) {
            let (is_thin, more) = is_thin(a, b, *allowed);
            took += more;
            if is_thin {
                return (depth, true, took);
            }
        }
    }
    let options = LocalDepthOptions { work: work.saturating_sub(took), ..options };
    match ask(options, workspace) {
        Ok(found) => (told(a, b, &found, most), false, took + found.work),
        Err(QueryError::TwoSurfaces) => {
            let (found, more) = estimate(a, b, work.saturating_sub(took));
            (found.map_or_else(|| LocalDepth::none(TWO_SURFACES.into()), estimated), false, took + more)
        }
        Err(error) => (unknown(a, b, error.to_string(), most), false, took),
    }
}

/// A number without a proof.
fn estimated((value, point): Estimate) -> LocalDepth {
    let point = Some(point.to_array());
    LocalDepth { value: Some(value), point, search: SearchOutcome::Estimate, ..LocalDepth::none(NOT_CLOSED.into()) }
}

/// Whether the common region of two solids is proved to be as thin as allowed, and the work spent: a part that fills
/// another's pocket reaches in nowhere, yet has a large volume in common with it. Always true for a surface in a solid.
fn is_thin(a: Placed<'_>, b: Placed<'_>, allowed: f64) -> (bool, u64) {
    if !a.0.is_solid() || !b.0.is_solid() {
        return (true, 0);
    }
    let common = overlap_volume(a.0.solid_shape(), a.1, b.0.solid_shape(), b.1);
    (common.is_ok_and(|common| common.volume.upper <= allowed * 0.5 * common.area.lower), volume_work(a, b))
}

/// The search result as a report entry; the depth of the solids is known to be at most `most`.
fn told(a: Placed<'_>, b: Placed<'_>, found: &clearance::answer::LocalDepth, most: f64) -> LocalDepth {
    let point = found.deepest.map(|deepest| match deepest.direction {
        DepthDirection::AInB => a.1.transform_point(deepest.witness.a.point),
        DepthDirection::BInA => b.1.transform_point(deepest.witness.b.point),
    });
    let (search, why) = match found.ended {
        LocalDepthEnd::Interrupted => (SearchOutcome::Interrupted, Some("work limit per pair reached".to_owned())),
        LocalDepthEnd::Undecided => {
            let faces: u32 = found.undecided_faces.iter().sum();
            let why = format!("a part intersects itself, and {faces} of its triangles may lie inside it");
            (SearchOutcome::Interrupted, Some(why))
        }
        _ => (SearchOutcome::Complete, None),
    };
    let clearance::Bracket { lower, value, upper } = found.depth;
    let numbers = [value, lower, upper.min(most).max(value)];
    widened(a, b, LocalDepth { point: point.map(|point| point.to_array()), ..of_numbers(numbers, search, why) })
}

/// Nothing is known except that no point of a part lies deeper than the size of the other part.
fn unknown(a: Placed<'_>, b: Placed<'_>, why: String, most: f64) -> LocalDepth {
    let size = |placed: Placed<'_>| placed.0.shape.bounds().posed(placed.1).size().length();
    widened(a, b, of_numbers([0.0, 0.0, size(a).max(size(b)).min(most)], SearchOutcome::None, Some(why)))
}

/// From value, lower and upper end.
fn of_numbers(numbers: [f64; 3], search: SearchOutcome, why: Option<String>) -> LocalDepth {
    let [value, lower, upper] = numbers.map(Some);
    LocalDepth { value, lower, upper, point: None, search, why, widened_by: 0.0 }
}

/// The local depth of the triangles as given, from that of the repaired solids. Each sum is rounded outward.
fn widened(a: Placed<'_>, b: Placed<'_>, depth: LocalDepth) -> LocalDepth {
    let by = repair_distance(a, b);
    if by == 0.0 {
        return depth;
    }
    let by = by.next_up();
    LocalDepth {
        lower: depth.lower.map(|lower| (lower - by).next_down().max(0.0)),
        upper: depth.upper.map(|upper| (upper + by).next_up()),
        widened_by: by,
        ..depth
    }
}
