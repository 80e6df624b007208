//! What can be wrong with a file, and where in it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where in a file something is.
///
/// ```
/// use clearance_files::Place;
/// assert_eq!(Place::Line(7).to_string(), "line 7");
/// assert_eq!(Place::Entry { name: "3D/3dmodel.model".into(), byte: 90 }.to_string(), "3D/3dmodel.model, byte 90");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Byte(u64),
    /// A value of a JSON text, by its path, as in `accessors[3].count`.
    Json(String),
    /// A byte of an entry of an archive, counted from 0 in the unpacked entry.
    Entry {
        /// The entry's name.
        name: String,
        /// The byte.
        byte: u64,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => write!(f, "the file"),
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Json(path) => write!(f, "{path}"),
            Place::Entry { name, byte } => write!(f, "{name}, byte {byte}"),
        }
    }
}

/// Why a file could not be read or written. Each message names the file, the place in it, and where it is not plain
/// what to do about it, that too.
///
/// ```
/// use clearance_files::{Error, Format, Limits, Place, read_bytes};
///
/// let error = read_bytes(b"v 0 0 0\nv 1 nought 0\n", "a.obj", Format::Obj, &Limits::default()).unwrap_err();
/// assert!(matches!(error, Error::Malformed { place: Place::Line(2), .. }));
/// assert_eq!(error.to_string(), "a.obj: line 2: `nought` is not a number");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened, read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// Neither the content nor the ending of the name is of a format that is known.
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file breaks the rules of its format: damaged, cut short, or never right.
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong.
        problem: String,
    },
    /// The file may be right, but uses what is not supported, and cannot be read without it.
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is not supported, and what to do.
        problem: String,
    },
    /// What the file unfolds to is more than [`Limits`](crate::Limits) allows.
    Limit {
        /// The file.
        path: PathBuf,
        /// Where the limit was reached.
        place: Place,
        /// Which limit.
        problem: String,
    },
    /// Nothing in the file is a triangle.
    NoTriangles {
        /// The file.
        path: PathBuf,
        /// What was there instead, as the notes of a file that is read would say it; empty for an empty file.
        found: String,
    },
    /// Nothing in the file is a tetrahedron.
    NoTets {
        /// The file.
        path: PathBuf,
        /// What was there instead, as in [`Error::NoTriangles`].
        found: String,
    },
    /// A tolerance for welding that is negative, infinite or NaN.
    BadTolerance {
        /// The tolerance given.
        tolerance: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::UnknownFormat { path } => write!(
                f,
                "{}: unknown format; supported are STL, OBJ, PLY, OFF, glTF (.gltf, .glb) and 3MF",
                path.display()
            ),
            Error::Malformed { path, place, problem }
            | Error::Unsupported { path, place, problem }
            | Error::Limit { path, place, problem } => match place {
                Place::File => write!(f, "{}: {problem}", path.display()),
                _ => write!(f, "{}: {place}: {problem}", path.display()),
            },
            Error::NoTriangles { path, found } if found.is_empty() => write!(f, "{}: no triangles", path.display()),
            Error::NoTriangles { path, found } => write!(f, "{}: no triangles, but: {found}", path.display()),
            Error::NoTets { path, found } if found.is_empty() => write!(f, "{}: no tetrahedra", path.display()),
            Error::NoTets { path, found } => write!(f, "{}: no tetrahedra, but: {found}", path.display()),
            Error::BadTolerance { tolerance } => {
                write!(f, "{tolerance} is not a welding tolerance; it must be finite and not negative")
            }
        }
    }
}

impl std::error::Error for Error {}

/// An [`Error`] of a reader, which does not know the file's name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub place: Place,
    pub problem: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Malformed,
    Unsupported,
    Limit,
}

impl Fault {
    pub fn new(place: Place, problem: impl Into<String>) -> Fault {
        Fault { place, problem: problem.into(), kind: Kind::Malformed }
    }

    pub fn line(line: usize, problem: impl Into<String>) -> Fault {
        Fault::new(Place::Line(line as u64), problem)
    }

    pub fn byte(byte: usize, problem: impl Into<String>) -> Fault {
        Fault::new(Place::Byte(byte as u64), problem)
    }

    pub fn unsupported(place: Place, problem: impl Into<String>) -> Fault {
        Fault { place, problem: problem.into(), kind: Kind::Unsupported }
    }

    pub fn limit(place: Place, problem: impl Into<String>) -> Fault {
        Fault { place, problem: problem.into(), kind: Kind::Limit }
    }

    /// The error, now that the file is named.
    pub fn in_file(self, path: &Path) -> Error {
        let (path, place, problem) = (path.to_owned(), self.place, self.problem);
        match self.kind {
            Kind::Malformed => Error::Malformed { path, place, problem },
            Kind::Unsupported => Error::Unsupported { path, place, problem },
            Kind::Limit => Error::Limit { path, place, problem },
        }
    }
}
