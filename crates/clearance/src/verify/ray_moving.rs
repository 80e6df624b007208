//! Verifies where and when a moving point hits a moving body: relative to the body, it is a ray.

use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::motion::Motion;
use crate::shape::Shape;
use crate::verify::rays::verify_ray;
use crate::verify::refusal::Refusal;

/// Verifies that a moving point crosses the boundary of a moving body where and when an answer says. Like
/// [`RayHit::verify`](crate::answer::RayHit::verify), it does not check that this is the first crossing.
pub(crate) fn verify_ray_moving(
    hit: &RayHit,
    shape: &Shape,
    motion: &Motion,
    ray: &Ray,
    options: &RayOptions,
) -> Result<(), Refusal> {
    let seen = ray.seen_by(motion.displacement()).ok_or(Refusal::Verdict)?;
    verify_ray(hit, shape, &motion.start(), &seen, &options.within_step())
}
