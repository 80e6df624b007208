//! Every test of robots from outside, as one program.

mod bombs;
mod carried;
mod check;
mod common;
mod examples;
mod groups;
mod matrix;
mod motions;
mod robots;
mod verify_sweep;
