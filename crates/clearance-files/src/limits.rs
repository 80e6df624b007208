//! What reading a file may cost: one budget for every reader of files, those of robots included.
//!
//! What a file holds outright takes memory and work in proportion to its length, whatever counts it promises. What
//! unfolds is counted against a [`Budget`] before the memory is taken or the work is done: an archive is inflated, one
//! component or node can stand for many parts, a transform that is not a rigid motion needs a copy of the geometry, a
//! geometry can be placed many times in one surface, one file can name others. Each allowance is a floor, which small
//! files need for honest use, plus a factor times the bytes that were read; [`Limits::file`] bounds those bytes, and
//! with them everything.
//!
//! | What | Floor | For each byte read | Why |
//! |---|---|---|---|
//! | bytes read | | at most [`Limits::file`] | the ceiling of all others |
//! | parts, steps through the tree of parts | [`Limits::parts`] | none | a part takes some 200 bytes |
//! | names of parts | [`Limits::names`] | [`NAMES_PER_BYTE`] | paths repeat the names above |
//! | points and triangles | [`Limits::geometry`] | [`GEOMETRY_PER_BYTE`] | honest files need up to 16 |
//! | inflated text | [`INFLATED_FLOOR`] | [`Limits::ratio`] | see there |
//! | tests of ears | [`EAR_TESTS_FLOOR`] | [`EAR_TESTS_PER_BYTE`] | below a second |

use std::fmt;

use crate::error::{Fault, Place};

/// Bytes of names of parts for each byte read, on top of [`Limits::names`]: a name stands in the file once, and in the
/// path of the part, in its geometry's name and on the stack of the walk.
const NAMES_PER_BYTE: u64 = 4;

/// Bytes of points and triangles for each byte read, on top of [`Limits::geometry`]. The densest that a file can hold
/// outright are indices of one byte in a strip, 16 bytes each; 64 leaves room for four uses of each.
const GEOMETRY_PER_BYTE: u64 = 64;

/// Bytes of a point: three doubles.
const POINT: u64 = 24;

/// Bytes of a triangle: three indices.
const TRIANGLE: u64 = 12;

/// Bytes that an archive may inflate to however short it is: relations and an empty model of padded XML.
const INFLATED_FLOOR: u64 = 1 << 20;

/// Tests of a corner against an ear for files of any length: about a third of a second. See `triangulate`.
const EAR_TESTS_FLOOR: u64 = 1 << 26;

/// Tests of a corner against an ear for each byte read.
const EAR_TESTS_PER_BYTE: u64 = 64;

/// Corners that move up when an ear is cut off, for each test that they count as: they are copied, not tested.
pub(crate) const COPIED_PER_TEST: u64 = 32;

/// The most different notes of a file: a file of a million different unknown words gets no million notes.
pub(crate) const MOST_NOTES: usize = 64;

/// How much a file may unfold to, beyond what its length accounts for.
///
/// ```
/// use clearance_files::{Limits, read_with};
///
/// let limits = Limits { parts: 5_000_000, ..Limits::default() };
/// assert!(read_with("no such file.glb", &limits).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most bytes of the file and of all files it names together. 4 GiB, the longest that a binary glTF file can
    /// be.
    pub file: u64,
    /// The most parts, and the most steps through the tree of parts, however long the file is. One million, which take
    /// about 200 MB.
    pub parts: u64,
    /// The most bytes of names of parts, on top of four for each byte read. 64 MiB.
    pub names: u64,
    /// The most bytes of points (24 each) and triangles (12 each), on top of 64 for each byte read. 256 MiB. A
    /// [`Mesh`](clearance::Mesh) made of them takes some three times as much again.
    pub geometry: u64,
    /// The most bytes that each byte of an archive may unpack to, of all that is read of it together, on top of one
    /// mebibyte. 100: a 3MF file of a sphere of a million triangles unpacks to 4 times its size, of a regular grid to
    /// 10 times; deflate ends at 1032.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { file: 4 << 30, parts: 1_000_000, names: 64 << 20, geometry: 256 << 20, ratio: 100 }
    }
}

/// A limit that a file exceeds: which one, and what to do. It does not say where: the reader does.
///
/// ```
/// use clearance_files::{Budget, Limits};
/// let mut budget = Budget::new(&Limits { parts: 1, ..Limits::default() }, 0);
/// budget.step().unwrap();
/// assert_eq!(budget.step().unwrap_err().to_string(), "more than 1 parts; raise `Limits::parts` if the file is right");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverLimit {
    problem: String,
}

impl OverLimit {
    fn new(problem: impl Into<String>) -> OverLimit {
        OverLimit { problem: problem.into() }
    }

    /// The fault, now that the place is named.
    pub(crate) fn at(self, place: &Place) -> Fault {
        Fault::limit(place.clone(), self.problem)
    }
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for OverLimit {}

/// What is left of the [`Limits`] while a file, and all that it names, is read. Every reader asks it before it takes
/// memory or does work that the length of the file does not account for.
///
/// ```
/// use clearance_files::{Budget, Limits};
///
/// let mut budget = Budget::new(&Limits { geometry: 0, ..Limits::default() }, 10);
/// assert!(budget.geometry(20, 10).is_ok(), "640 bytes for a file of ten");
/// assert!(budget.geometry(20, 10).is_err());
/// budget.read(1000).unwrap();
/// assert!(budget.geometry(20, 10).is_ok(), "another file was read");
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    unread: u64,
    parts: u64,
    names: u64,
    geometry: u64,
    inflated: u64,
    ear_tests: u64,
}

impl Budget {
    /// Of a file of so many bytes, which are read already.
    ///
    /// ```
    /// use clearance_files::{Budget, Limits};
    /// assert_eq!(Budget::new(&Limits { file: 100, ..Limits::default() }, 30).unread(), 70);
    /// ```
    pub fn new(limits: &Limits, length: usize) -> Budget {
        let mut budget = Budget {
            limits: *limits,
            unread: limits.file,
            parts: limits.parts,
            names: limits.names,
            geometry: limits.geometry,
            inflated: INFLATED_FLOOR,
            ear_tests: EAR_TESTS_FLOOR,
        };
        budget.unread = limits.file.saturating_sub(length as u64);
        budget.add_for(length as u64);
        budget
    }

    /// How many more bytes of other files may be read.
    ///
    /// ```
    /// use clearance_files::{Budget, Limits};
    /// assert_eq!(Budget::new(&Limits::default(), 0).unread(), Limits::default().file);
    /// ```
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// So many bytes were read of another file, for the first time: the rest of the budget grows with them.
    ///
    /// # Errors
    /// [`OverLimit`] if that is more than [`Limits::file`] in all.
    ///
    /// ```
    /// use clearance_files::{Budget, Limits};
    /// let mut budget = Budget::new(&Limits { file: 100, ..Limits::default() }, 30);
    /// assert!(budget.read(70).is_ok() && budget.read(1).is_err());
    /// ```
    pub fn read(&mut self, bytes: usize) -> Result<(), OverLimit> {
        let most = self.limits.file;
        self.unread = self.unread.checked_sub(bytes as u64).ok_or_else(|| too_long(most))?;
        self.add_for(bytes as u64);
        Ok(())
    }

    fn add_for(&mut self, bytes: u64) {
        let add = |part: &mut u64, factor: u64| *part = part.saturating_add(bytes.saturating_mul(factor));
        add(&mut self.names, NAMES_PER_BYTE);
        add(&mut self.geometry, GEOMETRY_PER_BYTE);
        add(&mut self.inflated, self.limits.ratio);
        add(&mut self.ear_tests, EAR_TESTS_PER_BYTE);
    }

    /// One step through the tree of parts.
    ///
    /// # Errors
    /// [`OverLimit`] if there were too many: see [`Limits::parts`].
    pub fn step(&mut self) -> Result<(), OverLimit> {
        let most = self.limits.parts;
        let over = || OverLimit::new(format!("more than {most} parts; raise `Limits::parts` if the file is right"));
        self.parts = self.parts.checked_sub(1).ok_or_else(over)?;
        Ok(())
    }

    /// The name of a part, of so many bytes.
    ///
    /// # Errors
    /// [`OverLimit`] if all names together are too long: see [`Limits::names`].
    ///
    /// ```
    /// use clearance_files::{Budget, Limits};
    /// assert!(Budget::new(&Limits { names: 3, ..Limits::default() }, 0).name("bolt".len()).is_err());
    /// ```
    pub fn name(&mut self, length: usize) -> Result<(), OverLimit> {
        let problem = "the names of all parts together are too long; raise `Limits::names` if the file is right";
        self.names = self.names.checked_sub(length as u64).ok_or_else(|| OverLimit::new(problem))?;
        Ok(())
    }

    /// So many points and triangles, about to be held in memory.
    ///
    /// # Errors
    /// [`OverLimit`] if all of them together take too much: see [`Limits::geometry`].
    pub fn geometry(&mut self, points: usize, triangles: usize) -> Result<(), OverLimit> {
        self.bytes((points as u64).saturating_mul(POINT).saturating_add((triangles as u64).saturating_mul(TRIANGLE)))
    }

    /// So many bytes of numbers that become points or triangles, about to be held in memory.
    pub(crate) fn bytes(&mut self, bytes: u64) -> Result<(), OverLimit> {
        let most = self.limits.geometry >> 20;
        let over = || {
            OverLimit::new(format!(
                "the file unfolds to more points and triangles than {most} MiB and {GEOMETRY_PER_BYTE} times its \
                 length hold; raise `Limits::geometry` if the file is right"
            ))
        };
        self.geometry = self.geometry.checked_sub(bytes).ok_or_else(over)?;
        Ok(())
    }

    /// How many more bytes of points and triangles may be held.
    pub(crate) fn geometry_left(&self) -> u64 {
        self.geometry
    }

    /// How many more bytes may be inflated.
    pub(crate) fn inflatable(&self) -> u64 {
        self.inflated
    }

    /// So many bytes were inflated, of `name`.
    pub(crate) fn inflate(&mut self, bytes: u64, name: &str) -> Result<(), Fault> {
        let left = self.inflated.checked_sub(bytes);
        self.inflated = left.ok_or_else(|| {
            let place = Place::Entry { name: name.to_owned(), byte: self.inflated };
            let ratio = self.limits.ratio;
            let problem = format!(
                "the archive unpacks to more than {ratio} times its size; raise `Limits::ratio` if the file is right"
            );
            Fault::limit(place, problem)
        })?;
        Ok(())
    }

    /// Takes so many tests of ears; false, and nothing is left, if there are not so many.
    pub(crate) fn test_ears(&mut self, tests: u64) -> bool {
        let left = self.ear_tests.checked_sub(tests);
        self.ear_tests = left.unwrap_or(0);
        left.is_some()
    }
}

/// That a file is longer than [`Limits::file`].
pub(crate) fn too_long(most: u64) -> OverLimit {
    OverLimit::new(format!("more than {most} bytes to read; raise `Limits::file` if the file is right"))
}
