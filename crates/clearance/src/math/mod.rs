//! Numbers that come with a proof: intervals, double-double arithmetic, and the small solvers built on them.
//!
//! Nothing in this room knows about bodies. Every function is deterministic and total: no input panics.

pub mod double_double;
pub mod eigen;
pub mod interval;
pub mod roots;

#[cfg(test)]
mod exact;
mod scaling;
