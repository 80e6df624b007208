//! Why an experiment could not run at all, as opposed to running and finding wrong answers.

use std::fmt;
use std::path::PathBuf;

/// Why an experiment did not run. Each message says what to do about it; all of them exit with code 2.
#[derive(Debug)]
pub enum LabError {
    /// The experiment needs data, and no path was given or nothing is there.
    MissingData {
        /// The experiment that needs it.
        experiment: &'static str,
        /// Where it was looked for; `None` when no path was given.
        path: Option<PathBuf>,
        /// What the path has to point to.
        wanted: &'static str,
    },
    /// The data is there but cannot be read as what it should be.
    BadData {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// One case of the data cannot be loaded.
    BadCase {
        /// The case's id, or its index where it has none.
        case: String,
        /// The field at fault, as a path such as `a.pose_3x4`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The command was called in a way that makes no sense.
    BadCall(String),
    /// A body or pose that the experiment itself made was rejected: a defect of the experiment or of the engine.
    Model(clearance::QueryError),
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::MissingData { experiment, path: None, wanted } => {
                write!(f, "{experiment} needs data: pass --data PATH, where PATH is {wanted}")
            }
            LabError::MissingData { experiment, path: Some(path), wanted } => {
                write!(f, "{experiment}: no data at {}: pass --data PATH, where PATH is {wanted}", path.display())
            }
            LabError::BadData { path, problem } => write!(f, "{}: {problem}", path.display()),
            LabError::BadCase { case, field, problem } => write!(f, "case `{case}`, field `{field}`: {problem}"),
            LabError::BadCall(message) => f.write_str(message),
            LabError::Model(error) => write!(f, "a body of the experiment was rejected: {error}"),
        }
    }
}

impl std::error::Error for LabError {}

impl From<clearance::Error> for LabError {
    fn from(error: clearance::Error) -> Self {
        LabError::Model(error.into())
    }
}

impl From<clearance::QueryError> for LabError {
    fn from(error: clearance::QueryError) -> Self {
        LabError::Model(error)
    }
}
