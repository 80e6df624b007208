//! Kernels on bare points and triangles: no shapes, no poses, no trees.

pub mod closest;
pub mod hull;
pub mod topology;
