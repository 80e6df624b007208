//! Arithmetic with proved bounds: poses, intervals, exact predicates, double-double arithmetic, small solvers.
//!
//! Nothing in this room knows about bodies. Every function is deterministic and total: no input panics.

pub(crate) mod bracket;
pub mod cancel;
pub(crate) mod double_double;
pub(crate) mod dyadic;
pub(crate) mod eigen;
pub(crate) mod enclosed;
pub(crate) mod integer;
pub(crate) mod interval;
#[cfg(feature = "serde")]
pub(crate) mod numbers;
pub(crate) mod placement;
pub(crate) mod polynomial;
pub(crate) mod pose;
#[cfg(feature = "mint")]
mod pose_mint;
#[cfg(feature = "nalgebra")]
mod pose_nalgebra;
pub(crate) mod predicates;
pub(crate) mod ring;
pub(crate) mod roots;
pub(crate) mod scaling;
pub(crate) mod simd;
pub(crate) mod tolerances;

#[cfg(test)]
mod exact;

pub use bracket::Bracket;
pub use interval::{Interval, IntervalMat3, IntervalVec3};
pub use pose::Pose;
pub use predicates::{Axis, Sign, collinear, normal_axis, orient2d, orient3d};
pub use roots::{RootList, Roots, cubic_roots, quadratic_roots};
pub use tolerances::{ACCURACY, DEPTH_ACCURACY, MAX_COORDINATE, MIN_SIZE};
