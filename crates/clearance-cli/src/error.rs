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
