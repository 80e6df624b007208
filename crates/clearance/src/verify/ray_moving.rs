//! Proves where and when a moving point meets a moving body anew: seen from the body, it is a ray.

use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::motion::Motion;
use crate::shape::Shape;
use crate::verify::rays::verify_ray;
use crate::verify::refusal::Refusal;

/// Proves anew that a moving point crosses the boundary of a moving body where and when an answer says: as
/// [`verify_ray`](crate::verify_ray), which does not check either that it is the first crossing.
///
/// # Errors
/// The first claim that does not hold; [`Refusal::Verdict`] for a point at rest relative to the body.
///
/// ```
/// use clearance::{Bracket, Motion, Pose, Ray, Shape, glam::DVec3, ray_cast_moving, verify_ray_moving};
/// let can = Shape::cylinder(1.0, 0.5)?;
/// let rolling = Motion::translation(Pose::IDENTITY, DVec3::new(-1.0, 0.3, 0.0))?;
/// let ray = Ray::new(DVec3::new(-3.0, 0.1, 0.2), DVec3::new(5.0, 0.1, 0.0))?;
/// let mut hit = ray_cast_moving(&can, &rolling, &ray).unwrap();
/// assert_eq!(verify_ray_moving(&hit, &can, &rolling, &ray), Ok(()));
/// hit.t = Bracket { lower: hit.t.lower + 1e-9, value: hit.t.value + 1e-9, upper: hit.t.upper + 1e-9 };
/// assert!(verify_ray_moving(&hit, &can, &rolling, &ray).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify_ray_moving(hit: &RayHit, shape: &Shape, motion: &Motion, ray: &Ray) -> Result<(), Refusal> {
    let seen = ray.seen_by(motion.displacement()).ok_or(Refusal::Verdict)?;
    verify_ray(hit, shape, &motion.start(), &seen, &RayOptions::segment())
}
