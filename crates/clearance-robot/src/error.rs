//! What can be wrong with a robot, and what to do about it.

use std::fmt;
use std::path::PathBuf;

/// Why there is no robot, or no answer about it. Each message names the element at fault and says what to do.
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
        /// What the system says.
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
        /// What is wrong with it, and what is meant.
        problem: String,
    },
    /// Links and joints do not make one tree.
    NotATree {
        /// The file.
        path: PathBuf,
        /// Which link or joint, and how.
        problem: String,
    },
    /// No link has a collision geometry: nothing could be checked.
    NoCollisionGeometry {
        /// The robot.
        robot: String,
    },
    /// The file of a mesh is nowhere.
    MissingMesh {
        /// The link.
        link: String,
        /// What the URDF calls the file.
        uri: String,
        /// Every path that was tried, in order.
        tried: Vec<PathBuf>,
    },
    /// The file of a mesh cannot be used.
    Mesh {
        /// The link.
        link: String,
        /// The file.
        path: PathBuf,
        /// Why not.
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
        /// Where it was said.
        at: String,
    },
    /// There is no joint, or no variable of a joint, of this name that moves on its own.
    UnknownJoint {
        /// The name.
        name: String,
        /// The variables there are, in order.
        variables: Vec<String>,
    },
    /// A configuration of the wrong length.
    WrongLength {
        /// How many numbers there are.
        given: usize,
        /// The variables there are, in order.
        variables: Vec<String>,
    },
    /// A configuration with a number that is none, or a quaternion without length.
    NotAValue {
        /// The variable.
        variable: String,
        /// The number.
        value: f64,
    },
    /// A claim of an answer that was to be proved anew does not hold, or could not be proved.
    Refused {
        /// Whose claim: of two links, or of the answer as a whole.
        what: String,
        /// Which claim.
        why: clearance::verify::Refusal,
    },
    /// A file, or what it names, asks for more memory or work than its length accounts for.
    Limit {
        /// The file.
        path: PathBuf,
        /// Where, which limit it is, and what to do.
        problem: String,
    },
    /// More pairs of bodies than [`CheckOptions::max_pairs`](crate::CheckOptions::max_pairs).
    TooManyPairs {
        /// How many bodies there are: of links, carried, and of the world.
        bodies: usize,
        /// How many pairs they make; with allowed ones where there are too many to count.
        pairs: u64,
        /// How many may be checked.
        most: usize,
    },
    /// An option that makes no sense.
    BadOption {
        /// Which, and what is meant.
        problem: String,
    },
}

impl Error {
    /// An error of the text of a file.
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
            Error::NotATree { path, problem } => {
                write!(f, "{}: links and joints are no tree: {problem}", path.display())
            }
            Error::NoCollisionGeometry { robot } => write!(
                f,
                "robot `{robot}`: no link has a <collision> with geometry, so there is nothing to check; visual geometry is not used"
            ),
            Error::MissingMesh { link, uri, tried } => {
                write!(f, "link `{link}`: mesh `{uri}` is nowhere. Tried:")?;
                for path in tried {
                    write!(f, "\n  {}", path.display())?;
                }
                write!(f, "\nSay where its package is with --package NAME=PATH, ROS_PACKAGE_PATH or AMENT_PREFIX_PATH.")
            }
            Error::Mesh { link, path, problem } => write!(f, "link `{link}`: {}: {problem}", path.display()),
            Error::Body { name, problem } => write!(f, "`{name}`: {problem}"),
            Error::UnknownLink { name, at } => write!(f, "{at}: there is no link `{name}` in the robot"),
            Error::UnknownJoint { name, variables } => write!(
                f,
                "there is no joint `{name}` that moves on its own (fixed joints and those that mimic others take no value); there are: {}",
                variables.join(", ")
            ),
            Error::WrongLength { given, variables } => write!(
                f,
                "a configuration of {given} numbers, where {} are meant: {}",
                variables.len(),
                variables.join(", ")
            ),
            Error::NotAValue { variable, value } => write!(f, "`{variable}` = {value} is no value of a joint"),
            Error::Refused { what, why } => write!(f, "{what}: {why}"),
            Error::Limit { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::TooManyPairs { bodies, pairs, most } => write!(
                f,
                "{bodies} bodies make {pairs} pairs to check, more than {most}: disable those that cannot meet in \
                 the SRDF (<disable_collisions>, or <disable_default_collisions> for whole links), make one mesh of \
                 the geometries of a link, or allow more (`CheckOptions::max_pairs`, --max-pairs), at some 350 bytes a pair"
            ),
            Error::BadOption { problem } => f.write_str(problem),
        }
    }
}

impl std::error::Error for Error {}
