//! How far the surface of one part reaches inside the other: the number that findings are told by.

use clearance::answer::{DepthDirection, LocalDepthEnd};
use clearance::query::{LocalDepthOptions, local_depth_with};
use clearance::{QueryError, Workspace};

use crate::limits::LOCAL_DEPTH_WORK;
use crate::measure::Placed;
use crate::report::{LocalDepth, Search};

/// The local depth of two parts; `None` where neither bounds a solid, and nothing is inside of either.
pub(crate) fn local_depth(a: Placed<'_>, b: Placed<'_>, workspace: &mut Workspace) -> Option<LocalDepth> {
    let options = LocalDepthOptions { work: LOCAL_DEPTH_WORK, ..LocalDepthOptions::default() };
    let found = match local_depth_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, workspace, |_, _| true) {
        Ok(found) => found,
        Err(QueryError::TwoSurfaces) => return None,
        Err(error) => return Some(unknown(a, b, error.to_string())),
    };
    let point = found.deepest.map(|deepest| match deepest.direction {
        DepthDirection::AInB => a.1.transform_point(deepest.witness.a.point),
        DepthDirection::BInA => b.1.transform_point(deepest.witness.b.point),
    });
    let (search, why) = match found.ended {
        LocalDepthEnd::Interrupted => (Search::Interrupted, Some("the work for one pair was done".to_owned())),
        LocalDepthEnd::Undecided => {
            let faces: u32 = found.undecided_faces.iter().sum();
            let why = format!("a part runs through itself, and {faces} of its triangles may lie inside it");
            (Search::Interrupted, Some(why))
        }
        _ => (Search::Complete, None),
    };
    let clearance::Bracket { lower, value, upper } = found.depth;
    Some(LocalDepth { value, lower, upper, point: point.map(|point| point.to_array()), search, why })
}

/// Nothing is known but that no point of a part lies deeper than the other part is large.
fn unknown(a: Placed<'_>, b: Placed<'_>, why: String) -> LocalDepth {
    let size = |placed: Placed<'_>| placed.0.shape.bounds().posed(placed.1).size().length();
    let upper = size(a).max(size(b));
    LocalDepth { value: 0.0, lower: 0.0, upper, point: None, search: Search::None, why: Some(why) }
}
