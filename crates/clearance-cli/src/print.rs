//! The one way to print: it cannot panic, and what goes to a terminal has nothing in it that a terminal would obey.
//!
//! Results go to stdout. A reader that went away has seen enough: that is no error, and the exit code is that of the
//! answer. Any other failure, a full disk say, is an error, exit code 2. Notes and errors go to stderr; if they cannot
//! be written there is nobody to tell, and the exit code stays what it is.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use crate::error::Error;
use crate::output::escape::terminal;

/// Lines for people at a terminal. Names of any kind can be in a line: each is escaped as a whole.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.0 += &terminal(text.as_ref());
        self.0.push('\n');
    }

    /// Adds a line that begins with a word in a colour, by its number.
    pub fn coloured(&mut self, word: &str, colour: u8, rest: impl AsRef<str>) {
        self.0 += &format!("\x1b[{colour}m{}\x1b[0m", terminal(word));
        self.line(rest);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// All of them.
    pub fn text(self) -> String {
        self.0
    }
}

/// Writes a result to stdout.
///
/// # Errors
/// [`Error::Io`], unless the reader went away.
pub(crate) fn result(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io(Path::new("stdout"), error)),
        _ => Ok(()),
    }
}

/// Writes a line to stderr, as far as that can be done.
pub(crate) fn note(line: impl Display) {
    lines_to_stderr([line.to_string()]);
}

/// Writes what ended a run to stderr.
pub(crate) fn error(error: &Error) {
    lines_to_stderr(error.lines().into_iter().enumerate().map(|(number, line)| match number {
        0 => format!("clearance: {line}"),
        _ => line,
    }));
}

fn lines_to_stderr(lines: impl IntoIterator<Item = String>) {
    let mut text = Lines::default();
    lines.into_iter().for_each(|line| text.line(line));
    // One call for all: lines of several threads or programs do not mix. If it fails there is nobody to tell.
    let _ = std::io::stderr().write_all(text.text().as_bytes());
}

/// What the command line itself is answered: help, or what is wrong with it. Returns whether that is an error.
pub(crate) fn usage(answer: &clap::Error) -> bool {
    if answer.use_stderr() {
        lines_to_stderr(answer.render().to_string().lines().map(str::to_owned));
    } else {
        // If help cannot be written there is nobody to tell.
        let _ = answer.print();
    }
    answer.use_stderr()
}

/// Whether what goes to stdout may be coloured.
pub(crate) fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_line() {
        let mut lines = Lines::default();
        lines.coloured("HARD", 31, "  a\nb  x  c\u{1b}[2K");
        lines.blank();
        lines.line("no findings\r");
        assert_eq!(lines.text(), "\x1b[31mHARD\x1b[0m  a\\nb  x  c\\u{1b}[2K\n\nno findings\\r\n");
    }
}
