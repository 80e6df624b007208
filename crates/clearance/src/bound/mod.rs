//! Bounding volumes, one file each, and what a body makes of its own.

mod aabb;
pub(crate) mod extent;

pub use aabb::Aabb;
