//! Convex bodies: the certified distance and depth of two cores.
//!
//! [`gjk`] finds the closest features in floating point and proves a bracket around their distance; where rounding
//! leaves the matter open, [`exact`] settles it in integers. [`simplex`], [`star`] and [`johnson`] are its sub-algorithms. [`epa`]
//! finds and proves how deep two cores overlap. [`smooth`] does both for curved cores, with [`pieces`], [`stationary`] and [`patch`] to
//! settle their closest points and [`common_point`] for those that meet; [`sweep`] makes of a moving core a resting one.
//! [`closed_forms`], [`point_core`], [`segments`], [`segment_core`], [`box_box`], [`separating_axes`], [`hull_axes`] and [`half_space`] answer for
//! simple kinds without a walk.

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
