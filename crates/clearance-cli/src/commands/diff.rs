//! `clearance diff`: what changed between two checks.

use std::path::PathBuf;

use clearance_check::{Diff, Error, Form};

use super::{Outcome, read_report};
use crate::print;

/// Compare two reports of `clearance check --json`: findings that are new, persist, or are resolved. Exit 1 if any is new or worse.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance check new.glb --json > new.json; clearance diff old.json new.json")]
pub(super) struct Arguments {
    /// The report before; `-` is stdin.
    old: PathBuf,

    /// The report after.
    new: PathBuf,

    /// JSON.
    #[arg(long, conflicts_with = "md")]
    json: bool,

    /// Markdown, for a comment on a change.
    #[arg(long)]
    md: bool,

    /// Exit 0 also if there are new findings.
    #[arg(long)]
    exit_zero: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let (old, new) = (read_report(&arguments.old)?, read_report(&arguments.new)?);
    let diff = Diff::between(&old, &new);
    let form = match (arguments.json, arguments.md) {
        (true, _) => Form::Json,
        (_, true) => Form::Markdown,
        _ => Form::Text,
    };
    print::result(&diff.write(form)?)?;
    let is_worse = !diff.new.is_empty() || !diff.worse.is_empty();
    Ok(if is_worse && !arguments.exit_zero { Outcome::Findings } else { Outcome::Clean })
}
