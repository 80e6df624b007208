use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::elementary::ElementaryCounts;
use crate::answer::self_intersections::SelfCulling;
use crate::math::bracket::Bracket;
use crate::shape::Feature;

/// Two features close to each other. See [`self_proximity`](crate::query::self_proximity) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NearPair {
    /// The features, as [`DeformingMesh`](crate::DeformingMesh) counts them: one of the first mesh, one of the second.
    /// Within a single mesh, a vertex comes before a face, and of two edges the lower comes first.
    pub features: [Feature; 2],
    /// The distance between the two, in world units; never negative. The value is the upper end.
    pub distance: Bracket,
    /// The closest point of each, in world coordinates, rounded; the same point if they touch.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub points: [DVec3; 2],
}

/// Two features that touch during a step.
///
/// Times are fractions of the step. See [`self_collisions`](crate::self_collisions) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepImpact {
    /// The features, as [`DeformingMesh`](crate::DeformingMesh) counts them: one of the first mesh, one of the second.
    /// Within a single mesh, a vertex comes before a face, and of two edges the lower comes first.
    pub features: [Feature; 2],
    /// When the two first touch, as a fraction of the step. The ends are equal or adjacent floats; the value is the
    /// lower one.
    pub time: Bracket,
    /// Where they touch, in world coordinates, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Unit vector perpendicular to the face, or to both edges, at that time, in world coordinates, rounded. It points
    /// in the direction in which the first feature moves relative to the second; if that motion is in the plane, either
    /// sign is possible. `None` for a degenerate face and for parallel edges.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Position of the point on the features, rounded. For a vertex and a face, the barycentric weights of the face's
    /// second and third corner; for two edges, the fractions along the first and the second edge, from the end of lower
    /// index to that of higher index.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub coordinates: [f64; 2],
}

impl StepImpact {
    /// Order by the time at which the impact is proved, ties by features.
    pub(crate) fn order(&self, other: &StepImpact) -> Ordering {
        let times = self.time.upper.total_cmp(&other.time.upper).then(self.time.lower.total_cmp(&other.time.lower));
        times.then_with(|| self.features.cmp(&other.features))
    }
}

/// Which impacts of a step to report.
///
/// ```
/// use clearance::query::{StepOptions, ImpactSelection};
/// assert_eq!(StepOptions::default().wanted, ImpactSelection::All);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ImpactSelection {
    /// Only the first. Among several at exactly the same time, the one with the lowest features.
    First,
    /// All: for each pair of features that touch, their first contact.
    #[default]
    All,
    /// The first, and all that follow within this time, a fraction of the step. Impacts that form one contact are
    /// reported once, by the first of them: those of one vertex with faces that share a point, and of one edge with
    /// edges that share a point.
    NearFirst(#[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))] f64),
}

/// What to report for a step.
///
/// ```
/// use clearance::DeformingMesh;
/// use clearance::query::{StepOptions, ImpactSelection, self_collisions_with};
/// let sheet = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let options = StepOptions { wanted: ImpactSelection::First, intersections: false, ..StepOptions::default() };
/// assert!(self_collisions_with(&sheet, &options).impacts.is_empty());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct StepOptions {
    /// Which impacts to report.
    pub wanted: ImpactSelection,
    /// Whether to report triangles that intersect at the start.
    pub intersections: bool,
    /// How parts of one mesh that may meet are found. Parts of two meshes are found by boxes.
    pub culling: SelfCulling,
}

impl Default for StepOptions {
    fn default() -> StepOptions {
        StepOptions { wanted: ImpactSelection::All, intersections: true, culling: SelfCulling::Boxes }
    }
}

/// The collisions of a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepCollisions {
    /// The requested impacts, ordered by time, ties by features.
    pub impacts: Vec<StepImpact>,
    /// Pairs of triangles that have a point in common at the start, in ascending order: one of each mesh; for a single
    /// mesh, two that share no vertex, lower first. Triangles that already interpenetrate need not touch during the
    /// step, so these are listed separately from impacts. A vertex that touches a face at the start, or an edge an
    /// edge, is also an impact at time 0.
    pub intersecting: Vec<[u32; 2]>,
    /// Work done. Pairs tested in both time windows of a search for the first impact count twice.
    pub counts: StepCounts,
}

/// Work done by a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct StepCounts {
    /// Pairs of features whose boxes overlap and that share no vertex.
    pub candidates: u64,
    /// How these were decided. Excludes pairs tested by a search for the first impact: how many of those are pruned for
    /// coming later depends on thread timing.
    pub elementary: ElementaryCounts,
    /// Pairs of regions compared where culling is by curvature, a region with itself included; else 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub visited: u64,
}

impl StepCounts {
    pub(crate) fn add(&mut self, other: &StepCounts) {
        self.candidates += other.candidates;
        self.elementary.add(&other.elementary);
        self.visited += other.visited;
    }
}

/// What counts as close. See [`proximity_with`](crate::query::proximity_with).
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
    /// Report features no farther apart than this, in world units; 0: only those that touch.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub distance: f64,
}
