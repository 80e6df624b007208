//! Errors that end a run without a verdict.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no answer. The message names the file and the element, and says what to do.
///
/// ```
/// use clearance_check::{LoadOptions, Model};
/// let error = Model::load(&["nowhere.stl".into()], &LoadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("nowhere.stl: "));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A part file could not be read.
    Files(clearance_files::Error),
    /// Some other file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// A rules file or a report has invalid content.
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// An invalid robot, or an invalid query on one.
    Robot(clearance_robot::Error),
    /// The request is inconsistent or exceeds a limit.
    Usage(String),
    /// A part is not what it was declared to be, or is unusable.
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
    /// A file that could not be read or written.
    ///
    /// ```
    /// use clearance_check::Error;
    /// let error = Error::io("out.svg".as_ref(), std::io::Error::other("no room"));
    /// assert_eq!(error.to_string(), "out.svg: no room");
    /// ```
    pub fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), source }
    }

    /// A file with invalid content.
    ///
    /// ```
    /// use clearance_check::Error;
    /// assert_eq!(Error::format("rules.toml".as_ref(), "no version").to_string(), "rules.toml: no version");
    /// ```
    pub fn format(path: &Path, problem: impl fmt::Display) -> Error {
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
            Error::Part { path, part, problem } => write!(f, "{}: part `{part}`: {problem}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// A body the engine rejects; the message says why and what to do.
impl From<clearance::Error> for Error {
    fn from(error: clearance::Error) -> Error {
        Error::Usage(error.to_string())
    }
}

/// A query the engine cannot answer; the message says why and what to do.
impl From<clearance::QueryError> for Error {
    fn from(error: clearance::QueryError) -> Error {
        Error::Usage(error.to_string())
    }
}

impl From<clearance_robot::Error> for Error {
    fn from(error: clearance_robot::Error) -> Error {
        Error::Robot(error)
    }
}

impl From<clearance_files::Error> for Error {
    fn from(error: clearance_files::Error) -> Error {
        Error::Files(error)
    }
}
