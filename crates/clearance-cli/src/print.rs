//! The one way to print: it cannot panic, and what goes to a terminal has nothing in it that a terminal would obey.
//!
//! Results go to stdout. A reader that went away has seen enough: that is no error, and the exit code is that of the
//! answer. Any other failure, a full disk say, is an error, exit code 2. Notes and errors go to stderr; if they cannot
//! be written there is nobody to tell, and the exit code stays what it is.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use clearance_check::Error;
use clearance_check::output::Lines;

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
    lines_to_stderr(lines_of(error).into_iter().enumerate().map(|(number, line)| match number {
        0 => format!("clearance: {line}"),
        _ => line,
    }));
}

/// The message line by line, for a terminal: a name in it may hold a line end, which begins no line.
fn lines_of(error: &Error) -> Vec<String> {
    let Error::Robot(error @ clearance_robot::Error::MissingMesh { tried, .. }) = error else {
        return vec![error.to_string()];
    };
    // One line for each path that was tried, between what is missing and what to do. Taken off from the end: only
    // before them stands what the file says.
    let message = error.to_string();
    let (mut rest, advice) = message.rsplit_once('\n').unwrap_or((&message, ""));
    let mut lines = vec![advice.to_owned()];
    for path in tried.iter().rev() {
        let line = format!("  {}", path.display());
        let Some(before) = rest.strip_suffix(&format!("\n{line}")) else { break };
        lines.push(line);
        rest = before;
    }
    lines.push(rest.to_owned());
    lines.reverse();
    lines
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
    fn only_lines_of_our_own_are_lines() {
        let uri = "package://a/b\nclearance: no findings.stl";
        let tried = vec!["one\ntwo".into(), "three".into()];
        let error = clearance_robot::Error::MissingMesh { link: "l".into(), uri: uri.into(), tried };
        let lines = lines_of(&Error::Robot(error));
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[0].contains("no findings") && lines[1] == "  one\ntwo" && lines[2] == "  three", "{lines:?}");
        assert!(lines[3].starts_with("Say where"), "{lines:?}");
        assert_eq!(lines_of(&Error::Usage("a\nb".into())), ["a\nb"]);
    }
}
