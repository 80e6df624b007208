//! How deep solids overlap, which way out, and how much.
//!
//! Solids are meshes that bound a volume. A *translation* moves B; those for which the interiors meet form an open set about the
//! origin when the solids overlap, and the depth is the distance from the origin to its boundary. Every algorithm here works in
//! the frame of A's points, on the placed pair.

pub(crate) mod along;
pub(crate) mod cover;
pub(crate) mod deep;
#[allow(dead_code)]
pub(crate) mod hierarchy;
pub(crate) mod least_point;
#[cfg(test)]
mod models;
#[allow(dead_code)]
pub(crate) mod patches;
#[allow(dead_code)]
pub(crate) mod polytope;
pub(crate) mod search;
pub(crate) mod slide;
pub(crate) mod solids;
#[allow(dead_code)]
pub(crate) mod view;
