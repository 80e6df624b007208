//! Meshes: against each other, against other bodies, and on their own.

pub(crate) mod closest;
pub(crate) mod containment;
pub(crate) mod curves;
pub(crate) mod explain;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod inside;
mod leaf_filter;
pub(crate) mod oriented_bounds;
pub(crate) mod outer_faces;
pub(crate) mod pair;
pub(crate) mod ray;
mod repair;
pub(crate) mod same_points;
pub(crate) mod self_intersections;
mod self_walk;
pub(crate) mod walk_faces;
pub(crate) mod workspace;
