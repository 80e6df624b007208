//! Numbers that come with a proof: poses, intervals, exact predicates, double-double arithmetic, small solvers.
//!
//! Nothing in this room knows about bodies. Every function is deterministic and total: no input panics.

pub(crate) mod bracket;
pub(crate) mod cancel;
pub mod double_double;
pub(crate) mod dyadic;
pub mod eigen;
pub(crate) mod enclosed;
pub(crate) mod integer;
pub mod interval;
#[cfg(feature = "serde")]
pub(crate) mod numbers;
pub(crate) mod placement;
pub(crate) mod polynomial;
pub mod pose;
#[cfg(feature = "mint")]
mod pose_mint;
#[cfg(feature = "nalgebra")]
mod pose_nalgebra;
pub mod predicates;
pub(crate) mod ring;
pub mod roots;
pub(crate) mod simd;
pub mod tolerances;

#[cfg(test)]
mod exact;
pub(crate) mod scaling;
