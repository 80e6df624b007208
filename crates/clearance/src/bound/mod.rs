//! Bounding volumes, one file each.

mod aabb;

pub use aabb::Aabb;
