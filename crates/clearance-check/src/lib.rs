//! Assembly checking as a library: files and rules in, a report out.
//!
//! [`Model::load`] reads part files, [`check`] tests all pairs of parts against [`Rules`], and a [`Report`] lists those
//! that clash, touch or come too close, each number with its proved bracket. [`Form`] formats a report for people and
//! programs, [`diff`] compares two, and [`merge`] combines the reports of all shards. [`robot`] reads robots and the
//! obstacles they are checked against. See `docs/check.md`.
//!
//! This crate opens no window, prints nothing and has no command line: `clearance-view` draws the findings, and
//! `clearance-cli` is the `clearance` command. Both depend on this crate, not the reverse, so a build server, a
//! notebook or an experiment can use the check without the viewer page or the command.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod check;
mod clash;
mod cluster_depths;
mod clusters;
mod diff;
mod duplicate;
mod error;
mod estimate;
mod groups;
mod input;
mod known;
mod limits;
mod local_depth;
mod measure;
mod merge;
mod model;
mod normals;
pub mod output;
mod overlap;
mod quantity;
mod reload;
mod repair;
mod report;
mod reuse;
pub mod robot;
mod rules;
mod scale;
mod searches;
mod shard;
mod suggest;
#[cfg(test)]
mod test_parts;
mod way_out;

pub use check::{NearMiss, check, check_shard, near_misses};
pub use clash::{Clash, overlaps};
pub use diff::{Diff, diff};
pub use error::Error;
pub use groups::Likeness;
pub use known::{Approvals, ApprovalsUsed, Baseline, BaselineUsed, Status};
pub use limits::{BUDGET, MAX_FINDINGS, MAX_PAIRS};
pub use measure::{Placed, Scratch};
pub use merge::merge;
pub use model::{Body, LoadOptions, Model, Part, Solid};
pub use output::Form;
pub use overlap::common_volume;
pub use quantity::{CubicLength, Length, Quantity};
pub use repair::{LeftOpen, Repair, RepairCounts, RepairOutcome, RepairedSolid};
pub use report::{
    Allowed, Bracket, Cluster, Counts, Finding, Group, How, Input, Kind, LocalDepth, Loop, Method, OpenGeometry,
    RepairedGeometry, Report, RulesUsed, SearchOutcome, SetUsed, Shard, Skipped, Tolerances, Unmeasured, Verdict,
    Volume, WayOut,
};
pub use rules::{Bounds, Limits, PairPattern, Pattern, Rules, RulesFile};
pub use shard::ShardNumber;
pub use suggest::suggest;
