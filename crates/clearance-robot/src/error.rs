//! Errors, and what to do about them.

use std::fmt;
use std::path::PathBuf;

/// Why a robot cannot be loaded or a query not answered. Each message names the element at fault and says what to do.
///
/// ```
/// use clearance_robot::{LoadOptions, Robot};
/// let error = Robot::load("nowhere.urdf", &LoadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("nowhere.urdf: "));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// A file breaks the rules of its format.
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u32,
        /// The element and its name.
        element: String,
        /// What is wrong with it, and what is expected.
        problem: String,
    },
    /// A file of another format than the expected one: an SRDF in place of a URDF, the reverse, or a xacro file.
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// What it is, how that is known, and what to do.
        problem: String,
    },
    /// Links and joints do not form one tree.
    NotATree {
        /// The file.
        path: PathBuf,
        /// Which link or joint, and how.
        problem: String,
    },
    /// No link has collision geometry: there is nothing to check.
    NoCollisionGeometry {
        /// The robot.
        robot: String,
    },
    /// A mesh file was not found.
    MissingMesh {
        /// The link.
        link: String,
        /// The URI in the URDF.
        uri: String,
        /// All paths that were tried, in order.
        tried: Vec<PathBuf>,
    },
    /// A mesh file cannot be used.
    Mesh {
        /// The link.
        link: String,
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// A collision geometry, a pose or an object that the engine refuses.
    Body {
        /// The link or the object.
        name: String,
        /// Why.
        problem: clearance::Error,
    },
    /// There is no link of this name.
    UnknownLink {
        /// The name.
        name: String,
        /// Where the name appears.
        at: String,
    },
    /// There is no independent joint, or variable of a joint, of this name.
    UnknownJoint {
        /// The name.
        name: String,
        /// The existing variables, in order.
        variables: Vec<String>,
    },
    /// A configuration of the wrong length.
    WrongLength {
        /// The number of values given.
        given: usize,
        /// The existing variables, in order.
        variables: Vec<String>,
    },
    /// A configuration with an invalid value, or a quaternion of zero length.
    NotAValue {
        /// The variable.
        variable: String,
        /// The value.
        value: f64,
    },
    /// A claim of an answer was refuted, or could not be proved, during verification.
    Refused {
        /// Whose claim: that of a pair of links, or of the answer as a whole.
        what: String,
        /// Which claim.
        why: clearance::verify::Refusal,
    },
    /// A file, or one it refers to, requires more memory or work than its length accounts for.
    Limit {
        /// The file.
        path: PathBuf,
        /// Where, which limit it is, and what to do.
        problem: String,
    },
    /// More pairs of bodies than [`CheckOptions::max_pairs`](crate::CheckOptions::max_pairs).
    TooManyPairs {
        /// The number of bodies: of links, attached, and of the world.
        bodies: usize,
        /// The number of pairs they form; allowed ones included where there are too many to count.
        pairs: u64,
        /// The limit.
        most: usize,
    },
    /// An invalid option.
    BadOption {
        /// Which one, and what is expected.
        problem: String,
    },
}

impl Error {
    /// Converts an error about a file's text.
    pub(crate) fn from_files(error: clearance_files::Error) -> Error {
        match error {
            clearance_files::Error::Io { path, problem } => Error::Io { path, problem },
            clearance_files::Error::Limit { path, problem, .. } => Error::Limit { path, problem },
            clearance_files::Error::Malformed { path, place, problem } => {
                Error::Io { path, problem: format!("{place}: {problem}") }
            }
            other => Error::BadOption { problem: other.to_string() },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::Malformed { path, line, element, problem } => {
                write!(f, "{}: line {line}: {element}: {problem}", path.display())
            }
            Error::WrongFormat { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::NotATree { path, problem } => {
                write!(f, "{}: links and joints do not form a tree: {problem}", path.display())
            }
            Error::NoCollisionGeometry { robot } => write!(
                f,
                "robot `{robot}`: no link has a <collision> with geometry, so there is nothing to check; visual \
                 geometry is not used"
            ),
            Error::MissingMesh { link, uri, tried } => {
                write!(f, "link `{link}`: mesh `{uri}` was not found. Tried:")?;
                for path in tried {
                    write!(f, "\n  {}", path.display())?;
                }
                write!(f, "\nSay where its package is with --package NAME=PATH, ROS_PACKAGE_PATH or AMENT_PREFIX_PATH.")
            }
            Error::Mesh { link, path, problem } => write!(f, "link `{link}`: {}: {problem}", path.display()),
            Error::Body { name, problem } => write!(f, "`{name}`: {problem}"),
            Error::UnknownLink { name, at } => write!(f, "{at}: the robot has no link `{name}`"),
            Error::UnknownJoint { name, variables } => write!(
                f,
                "no independent joint `{name}` (fixed joints and those that mimic others take no value); joints: {}",
                variables.join(", ")
            ),
            Error::WrongLength { given, variables } => write!(
                f,
                "expected {} value{} ({}), got {given}",
                variables.len(),
                if variables.len() == 1 { "" } else { "s" },
                variables.join(", ")
            ),
            Error::NotAValue { variable, value } => write!(f, "`{variable}` = {value} is not a valid joint value"),
            Error::Refused { what, why } => write!(f, "{what}: {why}"),
            Error::Limit { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::TooManyPairs { bodies, pairs, most } => write!(
                f,
                "{bodies} bodies make {pairs} pairs to check, more than {most}: disable those that cannot meet in \
                 the SRDF (<disable_collisions>, or <disable_default_collisions> for whole links), make one mesh of \
                 the geometries of a link, or allow more (`CheckOptions::max_pairs`, --max-pairs), at some 350 bytes \
                 per pair"
            ),
            Error::BadOption { problem } => f.write_str(problem),
        }
    }
}

impl std::error::Error for Error {}
