//! What a check asks of a search. Nothing that it is told is believed: it is proved first, as any other claim.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::penetration::Penetration;
use crate::answer::solid_depth::DepthProof;
use crate::math::pose::Pose;
use crate::shape::Shape;

/// A body in its place.
pub type Placed<'s> = (&'s Shape, &'s Pose);

/// Whoever can guess. A wrong guess can make a check refuse a true answer; it cannot make one accept a false answer.
pub trait Hints {
    /// How far apart two bodies are; `relative_tolerance` as in
    /// [`DistanceOptions`](crate::answer::distance::DistanceOptions).
    fn distance(&mut self, a: Placed<'_>, b: Placed<'_>, relative_tolerance: f64) -> Distance;

    /// How deep two convex bodies overlap.
    fn penetration(&mut self, a: Placed<'_>, b: Placed<'_>) -> Option<Penetration>;

    /// A place deep in two solids, as a point of each in its own frame. One may be `near` a point of the world.
    fn overlap(&mut self, a: Placed<'_>, b: Placed<'_>, near: DVec3) -> Option<[DVec3; 2]>;

    /// What may prove that no translation shorter than `least` separates two solids.
    fn depth_proof(&mut self, a: Placed<'_>, b: Placed<'_>, least: f64) -> Option<DepthProof>;
}
