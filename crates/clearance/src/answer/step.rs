use crate::math::bracket::Bracket;
use std::cmp::Ordering;

use glam::DVec3;

use crate::shape::Feature;

/// Two features near each other. See [`self_proximity`](crate::self_proximity) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The features, as [`DeformingMesh`](crate::DeformingMesh) counts them: that of the first mesh and that of the second. Of one mesh
    /// a vertex stands before a face, and of two edges the lower first.
    pub features: [Feature; 2],
    /// Proved: they are no nearer than this.
    /// Proved: they are no farther apart than this.
    pub distance_b: Bracket,
    /// The nearest point of each, in the world, rounded; the same point where they touch.
    pub points: [DVec3; 2],
}

/// Two features that touch in the course of a step.
///
/// Times are fractions of the step. See [`self_collisions`](crate::self_collisions) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepImpact {
    /// The features, as [`DeformingMesh`] counts them: that of the first mesh and that of the second. Of one mesh a vertex stands
    /// before a face, and of two edges the lower first.
    pub features: [Feature; 2],
    /// Proved: the two do not touch before this time.
    /// Proved: the two touch at this time at the latest. The same number as `lower` or the next.
    pub time_b: Bracket,
    /// Where they touch, in the world, rounded.
    pub point: DVec3,
    /// Unit, across the face or across both edges at that time, rounded; the way the first feature moves relative to the second. If
    /// they move in one plane either way is possible. `None` for a face without area and for parallel edges.
    pub normal: Option<DVec3>,
    /// Where the point is, rounded. For a vertex and a face the weights of the face's second and third corner; for edges
    /// the fractions of the way from the lower end to the higher, on the first edge and on the second.
    pub coordinates: [f64; 2],
}

impl StepImpact {
    /// Earlier impacts first, by the time at which they are proved; of equal ones by their features.
    pub(crate) fn order(&self, other: &StepImpact) -> Ordering {
        let times = self.time_b.upper.total_cmp(&other.time_b.upper).then(self.time_b.lower.total_cmp(&other.time_b.lower));
        times.then_with(|| self.features.cmp(&other.features))
    }
}

/// Which impacts of a step are wanted.
///
/// ```
/// use clearance::{StepOptions, Wanted};
/// assert_eq!(StepOptions::default().wanted, Wanted::All);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Wanted {
    /// The first alone. Of several at the same time, to the last digit, that with the lowest features.
    First,
    /// All: of every two features that touch, the first time they do.
    #[default]
    All,
    /// The first, and all that come no later than so much after it. What is one contact is named once, by its first impact:
    /// impacts of one vertex with faces that share a point, and of one edge with edges that share a point.
    NearFirst(f64),
}
