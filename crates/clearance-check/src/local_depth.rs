//! How far the surface of one part reaches inside the other: the number that findings are told by.

use clearance::answer::{DepthDirection, LocalDepthEnd};
use clearance::query::{LocalDepthOptions, local_depth_with};
use clearance::{QueryError, Workspace, overlap_volume};

use crate::limits::LOCAL_DEPTH_WORK;
use crate::measure::Placed;
use crate::report::{LocalDepth, Search};

/// The local depth of two parts, and whether they are a fit within what is allowed. `None` where neither bounds a solid, and nothing is
/// inside of either.
pub(crate) fn local_depth(
    a: Placed<'_>,
    b: Placed<'_>,
    allowed: Option<f64>,
    workspace: &mut Workspace,
) -> (Option<LocalDepth>, bool) {
    let ask = |options: LocalDepthOptions, workspace: &mut Workspace| {
        local_depth_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, workspace, |_, _| true)
    };
    let options = LocalDepthOptions { work: LOCAL_DEPTH_WORK, ..LocalDepthOptions::default() };
    // What is allowed is decided first, however near to it the depth is.
    let decided = allowed.map(|allowed| {
        let limit = Some(allowed);
        let options = LocalDepthOptions { relative_tolerance: 0.0, at_least: limit, at_most: limit, ..options };
        (ask(options, workspace), allowed)
    });
    if let Some((Ok(found), allowed)) = &decided
        && found.depth.upper <= *allowed
        && is_thin(a, b, *allowed)
    {
        return (Some(told(a, b, found)), true);
    }
    match ask(options, workspace) {
        Ok(found) => (Some(told(a, b, &found)), false),
        Err(QueryError::TwoSurfaces) => (None, false),
        Err(error) => (Some(unknown(a, b, error.to_string())), false),
    }
}

/// Whether what two solids have in common is proved to be as thin as allowed: a part that fills another one's pocket reaches in nowhere, and
/// has much in common with it all the same. Of a surface in a solid there is nothing to ask.
fn is_thin(a: Placed<'_>, b: Placed<'_>, allowed: f64) -> bool {
    if !a.0.mesh.is_solid() || !b.0.mesh.is_solid() {
        return true;
    }
    let common = overlap_volume(&a.0.shape, a.1, &b.0.shape, b.1);
    common.is_ok_and(|common| common.volume.upper <= allowed * 0.5 * common.area.lower)
}

/// What was found, as a report has it.
fn told(a: Placed<'_>, b: Placed<'_>, found: &clearance::answer::LocalDepth) -> LocalDepth {
    let point = found.deepest.map(|deepest| match deepest.direction {
        DepthDirection::AInB => a.1.transform_point(deepest.witness.a.point),
        DepthDirection::BInA => b.1.transform_point(deepest.witness.b.point),
    });
    let (search, why) = match found.ended {
        LocalDepthEnd::Interrupted => (Search::Interrupted, Some("work limit of one pair reached".to_owned())),
        LocalDepthEnd::Undecided => {
            let faces: u32 = found.undecided_faces.iter().sum();
            let why = format!("a part runs through itself, and {faces} of its triangles may lie inside it");
            (Search::Interrupted, Some(why))
        }
        _ => (Search::Complete, None),
    };
    let clearance::Bracket { lower, value, upper } = found.depth;
    LocalDepth { value, lower, upper, point: point.map(|point| point.to_array()), search, why }
}

/// Nothing is known but that no point of a part lies deeper than the other part is large.
fn unknown(a: Placed<'_>, b: Placed<'_>, why: String) -> LocalDepth {
    let size = |placed: Placed<'_>| placed.0.shape.bounds().posed(placed.1).size().length();
    let upper = size(a).max(size(b));
    LocalDepth { value: 0.0, lower: 0.0, upper, point: None, search: Search::None, why: Some(why) }
}
