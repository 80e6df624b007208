//! Meshes: against each other, against other bodies, and alone.

pub(crate) mod closest;
pub(crate) mod curves;
pub(crate) mod health;
pub(crate) mod held;
pub(crate) mod inside;
pub(crate) mod outer_faces;
pub(crate) mod pair;
pub(crate) mod ray;
pub(crate) mod reach;
mod repair;
pub(crate) mod same_points;
pub(crate) mod self_intersections;
mod self_walk;
mod sieve;
pub(crate) mod walk_faces;
pub(crate) mod workspace;
