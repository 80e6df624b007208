//! Ray casts against a body, at rest or in translation.

use crate::answer::ray::{NoHit, Ray, RayHit, RayOptions};
use crate::math::pose::Pose;
use crate::motion::Motion;
use crate::ray::{cast, moving};
use crate::shape::Shape;

/// The first crossing of a ray with the boundary of a body. See [`ray_cast_with`] for the rules.
///
/// Every kind of body is supported. Cost: closed forms for convex bodies; one tree traversal for others, about 1 µs on
/// a mesh of a million triangles.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
/// let ball = Shape::sphere(1.0)?;
/// let inside = Ray::new(DVec3::ZERO, DVec3::X)?;
/// let hit = ray_cast(&ball, &Pose::IDENTITY, &inside).unwrap();
/// assert!(hit.t.value == 1.0 && !hit.entering);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// [`NoHit`] if there is none: an answer too, which can be verified.
#[inline]
pub fn ray_cast(shape: &Shape, pose: &Pose, ray: &Ray) -> Result<RayHit, NoHit> {
    ray_cast_with(shape, pose, ray, &RayOptions::default())
}

/// The crossing with the least `t` in `from..=to` of a ray with the boundary of a body.
///
/// - A ray that starts inside hits where it leaves, and `entering` is false.
/// - A ray that only touches the body (at a vertex, along an edge, as a tangent) hits it: bodies are closed.
/// - A flat body (segment, triangle, flat hull) that is crossed has one hit, with `entering` true.
/// - A ray along the boundary of a half-space, or entirely inside it, crosses nothing.
/// - The solid below a height field is crossed only at its surface: the sides below the edge of its footprint are not
///   hit. From above, the ray enters. A stretch along which the ray lies in the surface is one hit, its first point.
///
/// Whether there is a hit within the range is decided exactly for spheres, boxes, hulls, tetrahedra, triangles,
/// segments and half-spaces. For other bodies a hit that rounding leaves open is reported: within some 1e-30 of the
/// size for capsules, cylinders, cones and ellipsoids, some 1e-14 for rounded and custom bodies. For a height field it
/// is decided exactly for the ray placed in the field's frame, which is rounded once; the bracket is that of the given
/// ray, with the surface extended beyond its edge by the difference of the two.
///
/// For a mesh it is decided exactly, so a ray through an edge or vertex of a closed mesh never slips through. Each
/// place where the ray meets the mesh is one hit, however many triangles share it; the lowest-numbered of them is
/// reported. For a surface `entering` is true and the normal faces the side the ray comes from; for a solid both follow
/// its winding.
///
/// See [`RayOptions`] for an example.
///
/// # Errors
/// [`NoHit`] if there is none: an answer too, which can be verified.
pub fn ray_cast_with(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Result<RayHit, NoHit> {
    cast::first(shape, pose, ray, options).ok_or(NoHit::within(options))
}

/// All crossings with the boundary, in order of `t`: the entry and exit of a convex body, those of every part of a
/// compound. A body that is only touched has both an entry and an exit there; a flat body that is crossed has only the
/// entry.
///
/// An edge or vertex shared by several triangles of a mesh gives one hit, not one each. The hits of a solid balance: a
/// whole line has as many entries as exits, each changes the winding number by one, and a touch is an entry and an exit
/// (from inside, an exit and an entry). A surface that contains a stretch of the ray has a hit where the stretch
/// starts, and one that is not `entering` where it ends.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3};
/// use clearance::query::ray_cast_all;
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::new(-3.0, 0.0, 0.0), DVec3::X)?;
/// let hits = ray_cast_all(&ball, &Pose::IDENTITY, &ray);
/// assert_eq!(hits.iter().map(|hit| (hit.t.value, hit.entering)).collect::<Vec<_>>(), [(2.0, true), (4.0, false)]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn ray_cast_all(shape: &Shape, pose: &Pose, ray: &Ray) -> Vec<RayHit> {
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, ray, &RayOptions::default(), &mut hits);
    hits
}

/// [`ray_cast_all`] with options, written to a list that is cleared first.
///
/// ```
/// use clearance::query::{RayOptions, ray_cast_all_with};
/// use clearance::{Pose, Ray, Shape, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new(DVec3::ZERO, DVec3::X)?;
/// let mut hits = Vec::new();
/// ray_cast_all_with(&ball, &Pose::IDENTITY, &ray, &RayOptions::line(), &mut hits);
/// assert_eq!(hits.iter().map(|hit| hit.t.value).collect::<Vec<_>>(), [-1.0, 1.0]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast_all_with(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions, hits: &mut Vec<RayHit>) {
    cast::all(shape, pose, ray, options, hits);
}

/// The first crossing of a point moving along a ray with the boundary of a translating body, in one time step: the
/// point is at `origin + t direction` for `t` in `0..=1`, while the body moves from the start of its motion to the end.
///
/// `t` of the answer is the time, with its bracket; the point is given in the body's own frame, and the normal, which
/// translation does not rotate, in the world. The rules and their exactness are those of [`ray_cast_with`], for every
/// kind of body: a point that starts inside hits where it leaves, with `entering` false. A point at rest relative to
/// the body crosses nothing.
///
/// Bodies that rotate are not supported. Cost: that of [`ray_cast`].
///
/// ```
/// use clearance::{Motion, Pose, Ray, Shape, glam::DVec3};
/// use clearance::query::ray_cast_moving;
/// let ball = Shape::sphere(1.0)?;
/// // A bullet at 8 per step chases a ball at 2.
/// let fleeing = Motion::translation(Pose::from_translation(DVec3::new(4.0, 0.0, 0.0))?, DVec3::new(2.0, 0.0, 0.0))?;
/// let bullet = Ray::new(DVec3::ZERO, DVec3::new(8.0, 0.0, 0.0))?;
/// let hit = ray_cast_moving(&ball, &fleeing, &bullet).unwrap();
/// assert_eq!((hit.t.value, hit.normal, hit.witness.point), (0.5, -DVec3::X, -DVec3::X));
/// // Too slow to catch up in this step.
/// let slow = Ray::new(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0))?;
/// assert!(ray_cast_moving(&ball, &fleeing, &slow).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// [`NoHit`] if there is none: an answer too, which can be verified.
pub fn ray_cast_moving(shape: &Shape, motion: &Motion, ray: &Ray) -> Result<RayHit, NoHit> {
    ray_cast_moving_with(shape, motion, ray, &RayOptions::default())
}

/// [`ray_cast_moving`] with options; the range of times is clipped to `0..=1`.
///
/// ```
/// use clearance::query::{RayOptions, ray_cast_moving_with};
/// use clearance::{Motion, Pose, Ray, Shape, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let still = Motion::still(Pose::from_translation(DVec3::X * 4.0)?);
/// let bullet = Ray::new(DVec3::ZERO, DVec3::X * 8.0)?;
/// let after = |from| ray_cast_moving_with(&ball, &still, &bullet, &RayOptions { from, ..RayOptions::default() });
/// assert_eq!(after(0.0).unwrap().t.value, 0.375);
/// assert_eq!(after(0.5).unwrap().t.value, 0.625);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// [`NoHit`] if there is none: an answer too, which can be verified.
pub fn ray_cast_moving_with(shape: &Shape, motion: &Motion, ray: &Ray, options: &RayOptions) -> Result<RayHit, NoHit> {
    let found = moving::first(shape, &motion.start(), motion.displacement(), ray, options);
    found.ok_or_else(|| NoHit::within(&options.within_step()))
}
