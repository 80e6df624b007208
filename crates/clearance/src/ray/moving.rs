//! Where a moving point meets a moving body: a ray against a body that is displaced meanwhile.
//!
//! Eberle, "Primitive tests", on rays against moving primitives: what counts is the motion of one relative to the other. The
//! body rests, and the point moves by the difference of both displacements, so this is an ordinary ray cast. Departs from
//! the text in that the difference is not rounded: it is kept as a sum of two vectors, which double-double and integers
//! hold exactly (`geom/ray_frame.rs`). So nothing is added to the brackets of `ray_cast`, and hit or miss is decided as
//! exactly as there.

use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::motion::Motion;
use crate::ray::cast::ray_cast_with;
use crate::shape::Shape;

/// Where a point that moves along a ray first crosses the boundary of a body that moves as well, in one step of time: the
/// point is at `origin + t direction`, `t` from 0 to 1, both included, while the body goes from the start of its motion to
/// the end.
///
/// `t` of the answer is the time, with its bracket; the point is given in the body's own frame, and the normal, which
/// translation does not turn, in the world. What counts as a hit and how exactly it is decided is as for
/// [`ray_cast_with`], for every kind of body: a point that starts inside hits where it leaves, with `entering` false. A
/// point at rest relative to the body crosses nothing.
///
/// ```
/// use clearance::{Motion, Pose, Ray, Shape, glam::DVec3, ray_cast_moving};
/// let ball = Shape::sphere(1.0)?;
/// // A bullet flies at 8 per step after a ball that flies off at 2.
/// let fleeing = Motion::translation(Pose::from_translation(DVec3::new(4.0, 0.0, 0.0))?, DVec3::new(2.0, 0.0, 0.0))?;
/// let bullet = Ray::new(DVec3::ZERO, DVec3::new(8.0, 0.0, 0.0))?;
/// let hit = ray_cast_moving(&ball, &fleeing, &bullet).unwrap();
/// assert_eq!((hit.t, hit.normal, hit.point_in_body), (0.5, -DVec3::X, -DVec3::X));
/// // Too slow to catch up in this step.
/// let slow = Ray::new(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0))?;
/// assert!(ray_cast_moving(&ball, &fleeing, &slow).is_none());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast_moving(shape: &Shape, motion: &Motion, ray: &Ray) -> Option<RayHit> {
    let seen = ray.seen_by(motion.displacement())?;
    ray_cast_with(shape, &motion.start(), &seen, &RayOptions::segment())
}
