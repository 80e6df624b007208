//! Bounding volumes, one file each, and the origin that a body's points are stored relative to.

mod aabb;
pub(crate) mod extent;

pub use aabb::Aabb;
