//! `clearance man`: manual pages, made from the same definitions as `--help`.

use std::path::PathBuf;

use clap::CommandFactory;
use clearance_check::Error;

use super::{Cli, Outcome};
use crate::destination;

/// Write the manual pages, one file per command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  clearance man ~/.local/share/man/man1 && man clearance-check")]
pub(super) struct Arguments {
    /// Folder to write to; created if missing.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    let mut root = Cli::command();
    root.build();
    write_pages(&root, folder)?;
    Ok(Outcome::Clean)
}

/// Writes the page of a command and those of its subcommands. `help` has none: it prints what the pages say.
fn write_pages(command: &clap::Command, folder: &std::path::Path) -> Result<(), Error> {
    let page = clap_mangen::Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Error::io(&path, error))?;
    destination::write(&path, text)?;
    command
        .get_subcommands()
        .filter(|child| child.get_name() != "help")
        .try_for_each(|child| write_pages(child, folder))
}
