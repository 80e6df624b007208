//! The `clearance` command. [`run`] is all of it, for the program and for tests.
//!
//! What it does is elsewhere: `clearance-check` holds parts against rules, `clearance-view` makes pages and pictures,
//! `clearance-robot` checks robots. Here are arguments, files that are written, progress, and what is printed. See
//! `docs/check.md`.

// What is printed goes by one way, which cannot panic: see `print.rs`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod destination;
mod input;
mod limits;
mod print;

pub use commands::run;
