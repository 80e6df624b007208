//! Kernels on bare points and triangles: no shapes, no poses, no trees.

pub mod closest;
pub(crate) mod closest_convex;
pub mod hull;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod ray_frame;
pub(crate) mod ray_polytope;
pub(crate) mod solid_angle;
pub mod topology;
#[allow(dead_code, reason = "the leaf kernels of the mesh queries")]
pub(crate) mod triangle_distance;
#[allow(dead_code, reason = "the leaf kernels of the mesh queries")]
pub(crate) mod triangle_triangle;
