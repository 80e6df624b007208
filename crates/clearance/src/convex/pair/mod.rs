//! Two convex bodies: the placed pair, shortcuts for simple kinds, and every query.

pub(crate) mod cache;
pub(crate) mod contacts;
pub(crate) mod distance;
pub(crate) mod far_apart;
pub(crate) mod fast_distance;
pub(crate) mod feature;
pub(crate) mod half_space;
pub(crate) mod intersects;
pub(crate) mod penetration;
pub(crate) mod placed;
pub(crate) mod relation;
pub(crate) mod rescale;
pub(crate) mod segment_convex;
pub(crate) mod segment_segment;
pub(crate) mod sphere_convex;
pub(crate) mod sphere_sphere;
