//! The `clearance` command. [`run`] is the entry point, for the program and for tests.
//!
//! The work is done by libraries: `clearance-check` tests parts against rules, `clearance-view` makes pages and
//! pictures, `clearance-robot` checks robots. This crate has the arguments, the output files, progress and printing.
//! See `docs/check.md`.

// Only `print.rs` prints.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod destination;
mod input;
mod limits;
mod print;

pub use commands::run;
