//! Questions about meshes: rays, closest points, winding numbers.

pub(crate) mod closest;
pub(crate) mod ray;
