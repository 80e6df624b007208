//! The only module that prints: it cannot panic, and what goes to a terminal holds no control characters.
//!
//! Results go to stdout. If the reader closed it, the exit code is still that of the answer. Any other failure, such as
//! a full disk, is an error, exit code 2. Notes and errors go to stderr; if that fails they are dropped, and the exit
//! code does not change.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use clearance_check::Error;
use clearance_check::output::Lines;

/// Writes a result to stdout.
///
/// # Errors
/// [`Error::Io`], unless the reader closed stdout.
pub(crate) fn result(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io(Path::new("stdout"), error)),
        _ => Ok(()),
    }
}

/// Writes a line to stderr. Failures are ignored.
pub(crate) fn note(line: impl Display) {
    lines_to_stderr([line.to_string()]);
}

/// Writes the error that ended a run to stderr.
pub(crate) fn error(error: &Error) {
    lines_to_stderr(lines_of(error).into_iter().enumerate().map(|(number, line)| match number {
        0 => format!("clearance: {line}"),
        _ => line,
    }));
}

/// The lines of a message. A line end inside a name does not start a line.
fn lines_of(error: &Error) -> Vec<String> {
    let Error::Robot(error @ clearance_robot::Error::MissingMesh { tried, .. }) = error else {
        return vec![error.to_string()];
    };
    // One line per path tried, between what is missing and what to do. Split from the end, because text from the file
    // stands only before them.
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
    // One call for all: lines of several threads or programs do not mix. Failures are ignored.
    let _ = std::io::stderr().write_all(text.text().as_bytes());
}

/// Prints help, or what is wrong with the command line. Returns whether it is an error.
pub(crate) fn usage(answer: &clap::Error) -> bool {
    if answer.use_stderr() {
        lines_to_stderr(answer.render().to_string().lines().map(str::to_owned));
    } else {
        // Failures are ignored.
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
