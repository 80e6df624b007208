//! Every test of the command, as one program.

#[cfg(unix)]
mod automation;
mod baseline;
mod command;
mod common;
mod explain;
mod false_green;
mod groups;
mod hostile;
mod input;
mod outputs;
mod overlap;
mod repair;
mod robot;
mod robot_files;
mod self_meeting;
mod shards;
mod surfaces;
mod sweep;
mod tets;
mod units;
