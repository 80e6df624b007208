//! Geometric kernels on bare points and triangles: no shapes, no poses, no trees.

pub(crate) mod closest;
pub(crate) mod closest_convex;
pub(crate) mod hull;
pub(crate) mod piece;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod ray_frame;
pub(crate) mod ray_polytope;
pub(crate) mod solid_angle;
pub mod topology;
pub(crate) mod triangle_distance;
pub(crate) mod triangle_regions;
pub(crate) mod triangle_tetrahedron;
pub(crate) mod triangle_triangle;
pub(crate) mod volume;
