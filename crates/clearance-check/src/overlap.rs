//! How deep two parts overlap, which way out, and how much they have in common.
//!
//! Without a search the depth is bounded from above by the shortest of a few ways out ([`way_out`]) and from below by a ball in both. Of
//! surfaces, and of meshes that run through themselves, no more is known. Solids are searched ([`solid_depth`]), for as long as the work
//! allows or until it is known what somebody wanted to know.

use clearance::Workspace;
use clearance::answer::Crossing;
use clearance::glam::DVec3;
use clearance::query::SolidDepthOptions;
use clearance::query::solid_depth_with;
use clearance::{Pose, QueryError, Shape, overlap_volume};

use crate::measure::Placed;
use crate::model::Body;
use crate::report::{Bracket, Depth, Method, Search, Volume};
use crate::way_out::way_out;

/// How deep two parts overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Overlap {
    pub depth: Depth,
    /// Unit: of the way out.
    pub direction: DVec3,
    /// The signed gap.
    pub gap: Bracket,
}

/// A way out that is shorter than that of a search by less than this part of it is not better: it leads to where faces lie on each other, and
/// that of the search leaves a gap.
const AS_SHORT: f64 = 1e-9;

impl Overlap {
    /// What is known without a search of two parts that meet; their gap is proved to be at most `gap_upper`.
    pub fn bounds(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing], gap_upper: f64) -> Overlap {
        let way = way_out((&a.0.mesh, a.1), (&b.0.mesh, b.1), crossings);
        let upper = way.length.max(0.0);
        let lower = (-gap_upper).clamp(0.0, upper);
        let way_out = along(way.direction, upper);
        Overlap {
            depth: Depth { value: upper, lower, upper, way_out, search: Search::None, why: None },
            direction: way.direction,
            gap: Bracket { value: -upper, lower: -upper, upper: gap_upper, method: Method::Overlap },
        }
    }

    /// Searches solids for the depth. Ends when so much work is done, when the bracket is tight, or when `enough` says so of its ends. Returns
    /// the work it took.
    pub fn search(&mut self, a: Placed<'_>, b: Placed<'_>, work: u64, enough: impl Fn(f64, f64) -> bool) -> u64 {
        if let Some(why) = flaw_of_pair(a.0, b.0) {
            self.depth.why = Some(why);
            return 0;
        }
        let options = SolidDepthOptions { work, ..SolidDepthOptions::default() };
        let known = (self.depth.lower, self.depth.upper);
        let more = |lower: f64, upper: f64| !enough(lower.max(known.0), upper.min(known.1));
        match solid_depth_with(&a.0.shape, a.1, &b.0.shape, b.1, &options, &mut Workspace::default(), more) {
            Err(error) => {
                self.depth.why = Some(error.to_string());
                0
            }
            Ok(found) => {
                let depth = &mut self.depth;
                let answer = found.penetration;
                depth.search = if found.interrupted { Search::Interrupted } else { Search::Complete };
                if answer.depth.upper <= depth.upper * (1.0 + AS_SHORT) {
                    (depth.value, depth.upper) = (answer.depth.value, answer.depth.upper);
                    depth.way_out = along(answer.normal, answer.depth.upper);
                    self.direction = answer.normal;
                }
                depth.lower = answer.depth.lower.max(depth.lower).min(depth.upper);
                let upper = if depth.lower > 0.0 { -depth.lower } else { self.gap.upper };
                self.gap = Bracket { value: -depth.value, lower: -depth.upper, upper, method: Method::Depth };
                found.work
            }
        }
    }
}

/// So far along a direction, without negative zeros, which nobody wants to read.
pub(crate) fn along(direction: DVec3, length: f64) -> [f64; 3] {
    (direction * length + DVec3::ZERO).to_array()
}

/// How much two bodies have in common, if both bound solids; see [`Body::flaw`].
///
/// ```
/// use clearance::{Mesh, Pose};
/// use clearance_check::{Body, common_volume};
/// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let corner = Body::from(Mesh::new(&points, &faces)?.solid()?);
/// let volume = common_volume((&corner, &Pose::IDENTITY), (&corner, &Pose::IDENTITY)).unwrap();
/// assert!(volume.lower <= 1.0 / 6.0 && 1.0 / 6.0 <= volume.upper);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn common_volume(a: Placed<'_>, b: Placed<'_>) -> Option<Volume> {
    if flaw_of_pair(a.0, b.0).is_some() {
        return None;
    }
    let volume = overlap_volume(&a.0.shape, a.1, &b.0.shape, b.1).ok()?;
    Some(Volume {
        value: volume.volume.value,
        lower: volume.volume.lower,
        upper: volume.volume.upper,
        centroid: volume.centroid.map(|point| point.to_array()),
    })
}

/// Which of two bodies bounds no solid, and why.
pub(crate) fn flaw_of_pair(a: &Body, b: &Body) -> Option<String> {
    [("the first", a), ("the second", b)]
        .into_iter()
        .find_map(|(which, body)| Some(format!("{which} is no solid: {}", body.flaw()?)))
}

impl Body {
    /// Why it bounds no solid, in the words of the engine. `None` for one that has a depth and a volume where it
    /// overlaps another. See [`Model::load`](crate::Model::load) for an example.
    pub fn flaw(&self) -> Option<String> {
        if let Some(open) = &self.open {
            return Some(open.to_string());
        }
        if !self.mesh.is_solid() {
            return Some("it was said to be a surface".into());
        }
        crosses_itself(&self.shape).map(|error| error.to_string())
    }
}

/// The error for a solid whose triangles run through each other. The engine looks for them once for each mesh, whatever its depth in
/// another is asked for; here in a copy out of reach.
fn crosses_itself(solid: &Shape) -> Option<QueryError> {
    let away = DVec3::X * (4.0 * solid.bounds().size().max_element());
    let away = Pose::from_translation(away).ok()?;
    let options = SolidDepthOptions { work: 0, ..SolidDepthOptions::default() };
    solid_depth_with(solid, &Pose::IDENTITY, solid, &away, &options, &mut Workspace::default(), |_, _| false).err()
}
