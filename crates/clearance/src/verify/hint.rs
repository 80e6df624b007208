//! The guesses that a check may request from a search. None is trusted: each is proved first, like any other claim.

use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::penetration::Penetration;
use crate::answer::solid_depth::DepthProof;
use crate::math::pose::Pose;
use crate::shape::Shape;

/// A body and its pose.
pub type Placed<'s> = (&'s Shape, &'s Pose);

/// A source of guesses. A wrong guess can make a check refuse a true answer; it cannot make it accept a false one.
pub trait Hints {
    /// The distance of two bodies; `relative_tolerance` as in
    /// [`DistanceOptions`](crate::answer::distance::DistanceOptions).
    fn distance(&mut self, a: Placed<'_>, b: Placed<'_>, relative_tolerance: f64) -> Distance;

    /// The penetration depth of two convex bodies.
    fn penetration(&mut self, a: Placed<'_>, b: Placed<'_>) -> Option<Penetration>;

    /// A point deep in two solids, given in the local frame of each. It should be `near` a world point.
    fn overlap(&mut self, a: Placed<'_>, b: Placed<'_>, near: DVec3) -> Option<[DVec3; 2]>;

    /// Evidence that no translation shorter than `least` separates two solids.
    fn depth_proof(&mut self, a: Placed<'_>, b: Placed<'_>, least: f64) -> Option<DepthProof>;
}
