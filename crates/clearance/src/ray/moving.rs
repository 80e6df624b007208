//! Ray casts of a moving point against a moving body: the body is displaced during the cast.
//!
//! Eberle, "Primitive tests", on rays against moving primitives: only the relative motion counts. The body rests, and
//! the point moves by the difference of both displacements, so this is an ordinary ray cast. Departs from the text in
//! that the difference is not rounded: it is kept as a sum of two vectors, which double-double and integers hold
//! exactly (`geom/ray_frame.rs`). So nothing is added to the brackets of `ray_cast`, and hit or miss is decided as
//! exactly as there.

use glam::DVec3;

use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::math::pose::Pose;
use crate::ray::cast;
use crate::shape::Shape;

/// The first crossing of a point moving along a ray with the boundary of a body that starts at a pose and is displaced
/// by `way` meanwhile: see [`ray_cast_moving`](crate::query::ray_cast_moving).
pub(crate) fn first(shape: &Shape, start: &Pose, way: DVec3, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    let seen = ray.seen_by(way)?;
    cast::first(shape, start, &seen, &options.within_step())
}
