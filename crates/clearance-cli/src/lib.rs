//! The `clearance` command as a library: files in, a verdict out.
//!
//! [`Model::load`] reads files, [`check`] holds all pairs of parts against [`Rules`], and a [`Report`] says which clash, touch or come too
//! close, with the proof around each number. See `docs/check.md`.

// What is printed goes by one way, which cannot panic: see `print.rs`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod check;
mod clusters;
mod commands;
mod depths;
mod destination;
mod duplicate;
mod error;
pub mod html;
mod input;
mod limits;
mod measure;
mod merge;
mod model;
mod normals;
mod output;
mod overlap;
mod picture;
mod print;
mod report;
mod reuse;
pub mod robot;
mod rules;
mod shard;
#[cfg(test)]
mod test_parts;
mod way_out;

pub use check::{NearMiss, check, check_shard, near_misses};
pub use commands::{diff, run};
pub use error::Error;
pub use merge::merge;
pub use model::{LoadOptions, Model, Solid};
pub use output::Form;
pub use report::{
    Allowed, Bracket, Cluster, Counts, Depth, Finding, Group, How, Input, Kind, Loop, Method, Report, RulesUsed,
    Search, Shard, Skipped, Tolerances, Unmeasured, Verdict, Volume,
};
pub use rules::{Limits, Rules};
pub use shard::ShardNumber;
