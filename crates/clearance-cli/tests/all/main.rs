//! Every test of the command, as one program.

mod command;
mod common;
mod hostile;
mod overlap;
mod robot;
mod shards;
mod sweep;
