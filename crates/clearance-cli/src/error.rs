//! What ends a run without a verdict.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no answer. The message names the file and the element, and says what to do.
///
/// ```
/// use clearance_cli::{LoadOptions, Model};
/// let error = Model::load(&["nowhere.stl".into()], &LoadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("nowhere.stl: "));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file of parts could not be read.
    Files(clearance_files::Error),
    /// Another file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file of rules, or a report, does not say what it should.
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// A robot that is none, or a question about it that makes no sense.
    Robot(clearance_robot::Error),
    /// The command asks for what does not fit together.
    Usage(String),
    /// This program was built without the page that `--html` fills.
    NoViewer,
    /// A part is not what it was said to be, or cannot be used.
    Part {
        /// The file.
        path: PathBuf,
        /// The part.
        part: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), source }
    }

    /// For a question that the engine has no answer to; it says why, and what to do.
    pub(crate) fn usage(error: clearance::Error) -> Error {
        Error::Usage(error.to_string())
    }

    pub(crate) fn robot(error: clearance_robot::Error) -> Error {
        Error::Robot(error)
    }

    /// For an answer that other code could not prove anew.
    pub(crate) fn refused(refusal: &clearance::Refusal) -> Error {
        Error::Usage(format!("the answer does not hold: {refusal}; please report this"))
    }

    pub(crate) fn format(path: &Path, problem: impl fmt::Display) -> Error {
        Error::Format { path: path.to_owned(), problem: problem.to_string() }
    }

    /// The message line by line, for a terminal: a name in it may hold a line end, which begins no line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let Error::Robot(error @ clearance_robot::Error::MissingMesh { tried, .. }) = self else {
            return vec![self.to_string()];
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
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Files(error) => write!(f, "{error}"),
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Format { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::Robot(error) => write!(f, "{error}"),
            Error::Usage(problem) => f.write_str(problem),
            Error::NoViewer => f.write_str(
                "this program was built without the page for HTML: run `cargo xtask viewer` in a checkout (with Node.js 18 or later), and build again",
            ),
            Error::Part { path, part, problem } => write!(f, "{}: part `{part}`: {problem}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

impl From<clearance_files::Error> for Error {
    fn from(error: clearance_files::Error) -> Error {
        Error::Files(error)
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn only_lines_of_our_own_are_lines() {
        let uri = "package://a/b\nclearance: no findings.stl";
        let tried = vec!["one\ntwo".into(), "three".into()];
        let error = clearance_robot::Error::MissingMesh { link: "l".into(), uri: uri.into(), tried };
        let lines = Error::Robot(error).lines();
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[0].contains("no findings") && lines[1] == "  one\ntwo" && lines[2] == "  three", "{lines:?}");
        assert!(lines[3].starts_with("Say where"), "{lines:?}");
        assert_eq!(Error::Usage("a\nb".into()).lines(), ["a\nb"]);
    }
}
