//! Depth, separating translation and overlap volume of solids.
//!
//! Solids are meshes that bound a volume. A *translation* moves B; those for which the interiors meet form an open set
//! about the origin when the solids overlap, and the depth is the distance from the origin to its boundary. Every
//! algorithm here works in the frame of A's points, on the placed pair.

pub(crate) mod along;
pub(crate) mod deep;
pub(crate) mod deep_points;
pub(crate) mod frontier;
pub(crate) mod hierarchy;
pub(crate) mod least_point;
pub(crate) mod levels;
pub(crate) mod local_depth;
pub(crate) mod local_depth_estimate;
pub(crate) mod lower_bound;
#[cfg(test)]
mod models;
pub(crate) mod overlap_of_solids;
pub(crate) mod overlap_volume;
pub(crate) mod patches;
pub(crate) mod pieces;
pub(crate) mod polyhedron;
pub(crate) mod polytope;
pub(crate) mod search;
pub(crate) mod slide;
pub(crate) mod solid_depth;
pub(crate) mod solids;
pub(crate) mod surface_in_solid;
pub(crate) mod volume;
pub(crate) mod volume_columns;
pub(crate) mod volume_pair;
