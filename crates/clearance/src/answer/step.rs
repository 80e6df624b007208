use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::elementary::ElementaryCounts;
use crate::math::bracket::Bracket;
use crate::shape::Feature;

/// Two features near each other. See [`self_proximity`](crate::query::self_proximity) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NearPair {
    /// The features, as [`DeformingMesh`](crate::DeformingMesh) counts them: that of the first mesh and that of the
    /// second. Of one mesh a vertex stands before a face, and of two edges the lower first.
    pub features: [Feature; 2],
    /// How far apart the two are, in world units; never negative. The value is the upper end.
    pub distance: Bracket,
    /// The nearest point of each, in the world, rounded; the same point where they touch.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub points: [DVec3; 2],
}

/// Two features that touch in the course of a step.
///
/// Times are fractions of the step. See [`self_collisions`](crate::self_collisions) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepImpact {
    /// The features, as [`DeformingMesh`](crate::DeformingMesh) counts them: that of the first mesh and that of the
    /// second. Of one mesh a vertex stands before a face, and of two edges the lower first.
    pub features: [Feature; 2],
    /// When the two touch first. The ends are the same number or neighbouring ones; the value is the lower one.
    pub time: Bracket,
    /// Where they touch, in the world, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Unit, across the face or across both edges at that time, rounded; the way the first feature moves relative to
    /// the second. If they move in one plane either way is possible. `None` for a face without area and for parallel
    /// edges.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Where the point is, rounded. For a vertex and a face the weights of the face's second and third corner; for
    /// edges the fractions of the way from the lower end to the higher, on the first edge and on the second.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub coordinates: [f64; 2],
}

impl StepImpact {
    /// Earlier impacts first, by the time at which they are proved; of equal ones by their features.
    pub(crate) fn order(&self, other: &StepImpact) -> Ordering {
        let times = self.time.upper.total_cmp(&other.time.upper).then(self.time.lower.total_cmp(&other.time.lower));
        times.then_with(|| self.features.cmp(&other.features))
    }
}

/// Which impacts of a step are wanted.
///
/// ```
/// use clearance::query::{StepOptions, ImpactSelection};
/// assert_eq!(StepOptions::default().wanted, ImpactSelection::All);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ImpactSelection {
    /// The first alone. Of several at the same time, to the last digit, that with the lowest features.
    First,
    /// All: of every two features that touch, the first time they do.
    #[default]
    All,
    /// The first, and all that come no later than so much after it. What is one contact is named once, by its first
    /// impact: impacts of one vertex with faces that share a point, and of one edge with edges that share a point.
    NearFirst(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
}

/// What to look for in a step.
///
/// ```
/// use clearance::DeformingMesh;
/// use clearance::query::{StepOptions, ImpactSelection, self_collisions_with};
/// let sheet = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let options = StepOptions { wanted: ImpactSelection::First, intersections: false };
/// assert!(self_collisions_with(&sheet, &options).impacts.is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct StepOptions {
    /// Which impacts.
    pub wanted: ImpactSelection,
    /// Whether to look for triangles that meet at the start.
    pub intersections: bool,
}

impl Default for StepOptions {
    fn default() -> StepOptions {
        StepOptions { wanted: ImpactSelection::All, intersections: true }
    }
}

/// What touches in a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepCollisions {
    /// The impacts that were wanted, in the order of their times; those of equal times by their features.
    pub impacts: Vec<StepImpact>,
    /// Pairs of triangles that have a point in common at the start, in ascending order: of two meshes one of each; of
    /// one mesh two that share no vertex, the lower first. What has passed through before the step need not touch in
    /// it, so these are told apart from impacts. A vertex that touches a face at the start, or an edge an edge, is an
    /// impact at time 0 as well.
    pub intersecting: Vec<[u32; 2]>,
    /// How much work it was. The pairs of windows that were looked at twice count twice.
    pub counts: StepCounts,
}

/// How much work a question took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepCounts {
    /// Pairs of features whose boxes meet and that share no vertex.
    pub candidates: u64,
    /// How these were decided. Pairs that a search for the first impact looks at are not in it: how many of them are
    /// left out for coming later depends on which thread finds an impact when.
    pub elementary: ElementaryCounts,
}

impl StepCounts {
    pub(crate) fn add(&mut self, other: &StepCounts) {
        self.candidates += other.candidates;
        self.elementary.add(&other.elementary);
    }
}

/// What counts as near. See [`proximity_with`](crate::query::proximity_with).
///
/// ```
/// use clearance::query::{ProximityOptions, proximity_with};
/// use clearance::DeformingMesh;
/// let floor = DeformingMesh::new(&[[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
/// let leaf = DeformingMesh::new(&[[1.0, 1.0, 0.5], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
/// assert_eq!(proximity_with(&leaf, &floor, &ProximityOptions { distance: 0.5 }).len(), 1);
/// assert_eq!(proximity_with(&leaf, &floor, &ProximityOptions::default()), []);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ProximityOptions {
    /// Features no farther apart than this are near, in world units; 0: those that touch.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub distance: f64,
}
