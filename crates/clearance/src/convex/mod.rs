//! Convex bodies: the certified distance of two cores.
//!
//! [`gjk`] finds the closest features in floating point and proves a bracket around their distance; where rounding
//! leaves the matter open, [`exact`] settles it in integers. [`expand`] proves how deep two cores overlap at least.
//! [`closed_forms`], [`box_box`], [`separating_axes`] and [`half_space`] answer for simple kinds without a walk.

pub(crate) mod box_box;
pub(crate) mod closed_forms;
pub(crate) mod core;
pub(crate) mod exact;
pub(crate) mod expand;
pub(crate) mod gjk;
pub(crate) mod half_space;
pub(crate) mod separating_axes;
pub(crate) mod simplex;
