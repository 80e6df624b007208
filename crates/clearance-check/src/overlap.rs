//! The depth, way out and common volume of two overlapping parts.
//!
//! Without a search the depth is bounded from above by the shortest of a few separating translations ([`way_out`]) and
//! from below by a sphere inside both. For surfaces and self-intersecting meshes no more is known. Solids are searched
//! ([`solid_depth_with`]) until the work is spent or the rule is decided.

use clearance::Workspace;
use clearance::answer::Crossing;
use clearance::glam::DVec3;
use clearance::query::SolidDepthOptions;
use clearance::query::solid_depth_with;
use clearance::{Pose, QueryError, Shape, overlap_volume};

use crate::measure::Placed;
use crate::model::Body;
use crate::report::{Bracket, Method, SearchOutcome, Volume, WayOut};
use crate::way_out::way_out;

/// How deep two parts overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Overlap {
    pub way_out: WayOut,
    /// Unit direction of the way out.
    pub direction: DVec3,
    /// The signed gap.
    pub gap: Bracket,
}

/// A bound shorter than the search result by less than this fraction is not preferred: it leaves the faces in contact,
/// while the search result leaves a gap.
const AS_SHORT: f64 = 1e-9;

/// Why repaired solids have no way out.
const REPAIRED_TOUCH: &str = "the repaired solids do not overlap, only the triangles as given do";

impl Overlap {
    /// The bounds known without a search for two parts that meet; their gap is proved to be at most `gap_upper`.
    pub fn bounds(a: Placed<'_>, b: Placed<'_>, crossings: &[Crossing], gap_upper: f64) -> Overlap {
        let way = way_out((&a.0.mesh, a.1), (&b.0.mesh, b.1), crossings);
        let upper = way.length.max(0.0);
        let lower = (-gap_upper).clamp(0.0, upper);
        let translation = along(way.direction, upper);
        let of_repaired = a.0.is_repaired() || b.0.is_repaired();
        Overlap {
            way_out: WayOut {
                value: upper,
                lower,
                upper,
                translation,
                search: SearchOutcome::None,
                why: None,
                of_repaired,
            },
            direction: way.direction,
            gap: Bracket { value: -upper, lower: -upper, upper: gap_upper, method: Method::Overlap },
        }
    }

    /// Searches the depth of solids. Stops when `work` is spent, when the bracket is tight, or when `enough` accepts
    /// its ends. Returns the work spent.
    pub fn search(&mut self, a: Placed<'_>, b: Placed<'_>, work: u64, enough: impl Fn(f64, f64) -> bool) -> u64 {
        if let Some(why) = flaw_of_pair(a.0, b.0) {
            self.way_out.why = Some(why);
            return 0;
        }
        let options = SolidDepthOptions { work, ..SolidDepthOptions::default() };
        let known = (self.way_out.lower, self.way_out.upper);
        let more = |lower: f64, upper: f64| !enough(lower.max(known.0), upper.min(known.1));
        let (solid_a, solid_b) = (a.0.solid_shape(), b.0.solid_shape());
        match solid_depth_with(solid_a, a.1, solid_b, b.1, &options, &mut Workspace::default(), more) {
            Err(error) => {
                self.way_out.why = Some(error.to_string());
                0
            }
            // Keep the bounds of the triangles as given, which do meet.
            Ok(found) if found.penetration.depth.upper <= 0.0 && self.way_out.of_repaired => {
                self.way_out.why = Some(REPAIRED_TOUCH.into());
                found.work
            }
            Ok(found) => {
                let known = &mut self.way_out;
                let answer = found.penetration;
                known.search = if found.interrupted { SearchOutcome::Interrupted } else { SearchOutcome::Complete };
                if answer.depth.upper <= known.upper * (1.0 + AS_SHORT) {
                    (known.value, known.upper) = (answer.depth.value, answer.depth.upper);
                    known.translation = along(answer.normal, answer.depth.upper);
                    self.direction = answer.normal;
                }
                known.lower = answer.depth.lower.max(known.lower).min(known.upper);
                let upper = if known.lower > 0.0 { -known.lower } else { self.gap.upper };
                self.gap = Bracket { value: -known.value, lower: -known.upper, upper, method: Method::Depth };
                found.work
            }
        }
    }
}

/// A vector of the given length along a direction, without negative zeros.
pub(crate) fn along(direction: DVec3, length: f64) -> [f64; 3] {
    (direction * length + DVec3::ZERO).to_array()
}

/// The common volume of two bodies, if both are solids; see [`Body::flaw`].
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
    let volume = overlap_volume(a.0.solid_shape(), a.1, b.0.solid_shape(), b.1).ok()?;
    Some(Volume {
        value: volume.volume.value,
        lower: volume.volume.lower,
        upper: volume.volume.upper,
        centroid: volume.centroid.map(|point| point.to_array()),
        of_repaired: a.0.is_repaired() || b.0.is_repaired(),
    })
}

/// The approximate work of computing a common volume, in the units of the other searches: a few microseconds per
/// triangle.
pub(crate) fn volume_work(a: Placed<'_>, b: Placed<'_>) -> u64 {
    VOLUME_WORK + (a.0.mesh.triangle_count() + b.0.mesh.triangle_count()) as u64
}

/// The fixed work for a volume, whatever the size of the meshes.
const VOLUME_WORK: u64 = 500;

/// Which of two bodies is not a solid, and why.
pub(crate) fn flaw_of_pair(a: &Body, b: &Body) -> Option<String> {
    [("the first", a), ("the second", b)]
        .into_iter()
        .find_map(|(which, body)| Some(format!("{which} is not a solid: {}", body.flaw()?)))
}

impl Body {
    /// Why it is not a valid solid, in the engine's words; `None` if it has a depth and a volume in overlaps. See
    /// [`Model::load`](crate::Model::load) for an example.
    pub fn flaw(&self) -> Option<String> {
        if !self.is_solid() {
            let left = self.repair.as_ref().and_then(|outcome| outcome.left.words());
            let open = left.map(|left| format!("repair left {left}"));
            let open = open.or_else(|| self.open.as_ref().map(ToString::to_string));
            return open.or_else(|| Some("it was declared a surface".into()));
        }
        crosses_itself(self.solid_shape()).map(|error| error.to_string())
    }
}

/// The error for a self-intersecting solid. The engine tests each mesh once, whatever it is paired with; here with a
/// copy that is far away.
fn crosses_itself(solid: &Shape) -> Option<QueryError> {
    let away = DVec3::X * (4.0 * solid.bounds().size().max_element());
    let away = Pose::from_translation(away).ok()?;
    let options = SolidDepthOptions { work: 0, ..SolidDepthOptions::default() };
    solid_depth_with(solid, &Pose::IDENTITY, solid, &away, &options, &mut Workspace::default(), |_, _| false).err()
}
