//! Convex bodies: certified distance and penetration depth of two cores.
//!
//! [`gjk`] finds the closest features in floating point and proves a bracket around the distance; where rounding leaves
//! the result undecided, [`exact`] settles it in integers. [`simplex`], [`star`] and [`johnson`] are its
//! sub-algorithms. [`epa`] finds and proves the penetration depth. [`smooth`] does both for curved cores, with
//! [`pieces`], [`stationary`] and [`patch`] to refine the closest points and [`common_point`] for cores that intersect;
//! [`sweep`] turns a translating core into a static one. [`closed_forms`], [`point_core`], [`segments`],
//! [`segment_core`], [`box_box`], [`separating_axes`], [`hull_axes`] and [`half_space`] answer simple kinds without
//! iterating.

pub(crate) mod box_box;
pub(crate) mod closed_forms;
pub(crate) mod common_point;
pub(crate) mod core;
pub(crate) mod epa;
pub(crate) mod exact;
pub(crate) mod exact_epa;
pub(crate) mod gjk;
pub(crate) mod half_space;
pub(crate) mod hull_axes;
pub(crate) mod johnson;
pub(crate) mod manifold;
pub(crate) mod minkowski;
mod nearest;
pub(crate) mod pair;
mod patch;
mod pieces;
pub(crate) mod point_core;
mod point_curved;
pub(crate) mod segment_core;
pub(crate) mod segments;
pub(crate) mod separating_axes;
pub(crate) mod simplex;
pub(crate) mod smooth;
mod star;
mod stationary;
pub(crate) mod sweep;
pub(crate) mod workspace;
