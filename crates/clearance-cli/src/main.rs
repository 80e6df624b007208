//! The `clearance` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    clearance_cli::run(std::env::args_os())
}
