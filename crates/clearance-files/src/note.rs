//! What a reader or writer did not pass on as it stood, counted.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Place;
use crate::limits::MOST_NOTES;

/// What happened to the things that a [`Note`] counts.
///
/// ```
/// use clearance_files::NoteKind;
/// assert_eq!(NoteKind::Dropped.to_string(), "dropped");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NoteKind {
    /// Passed over; it says nothing of where surfaces are (materials, textures, normals).
    Ignored,
    /// Geometry that is left out: lines, points, parts that the file does not show.
    Dropped,
    /// Polygons that were cut into triangles.
    Triangulated,
    /// Triangles without extent. They are kept.
    Degenerate,
    /// Points that became one.
    Welded,
    /// Transforms that are not rigid motions, and were applied to a copy of the geometry.
    Baked,
    /// Names that were changed so that each is there once.
    Renamed,
    /// The unit of length is not known.
    Unit,
    /// The file was taken for something else than it says, or in a way that its format leaves open.
    Assumed,
    /// Numbers that were rounded to fit a format.
    Rounded,
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoteKind::Ignored => "ignored",
            NoteKind::Dropped => "dropped",
            NoteKind::Triangulated => "triangulated",
            NoteKind::Degenerate => "degenerate",
            NoteKind::Welded => "welded",
            NoteKind::Baked => "baked",
            NoteKind::Renamed => "renamed",
            NoteKind::Unit => "unit",
            NoteKind::Assumed => "assumed",
            NoteKind::Rounded => "rounded",
        })
    }
}

/// One kind of thing that a reader or writer did not pass on as it stood: how often, and where first.
///
/// ```
/// use clearance_files::{Format, Limits, NoteKind, Place, read_bytes};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nl 1 2\nl 2 3\n";
/// let assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// let lines = assembly.notes.iter().find(|note| note.kind == NoteKind::Dropped).unwrap();
/// assert_eq!((lines.count, &lines.place), (2, &Place::Line(6)));
/// assert_eq!(lines.to_string(), "a.obj: line 6: dropped: 2 statements `l` (lines)");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What happened.
    pub kind: NoteKind,
    /// The file.
    pub path: PathBuf,
    /// Where in the file the first of them is.
    pub place: Place,
    /// How many there are.
    pub count: u64,
    /// What they are, in words that follow the count.
    pub what: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if self.place != Place::File {
            write!(f, "{}: ", self.place)?;
        }
        match self.kind {
            NoteKind::Unit => write!(f, "{}: {}", self.kind, self.what),
            _ => write!(f, "{}: {} {}", self.kind, self.count, self.what),
        }
    }
}

/// Collects notes: the same thing is one note, with a count.
#[derive(Debug)]
pub(crate) struct Notes {
    path: PathBuf,
    notes: Vec<Note>,
}

impl Notes {
    pub fn new(path: &Path) -> Notes {
        Notes { path: path.to_owned(), notes: Vec::new() }
    }

    /// Counts `count` more of `what`.
    pub fn add(&mut self, kind: NoteKind, what: &str, place: Place, count: u64) {
        if count == 0 {
            return;
        }
        let full = self.notes.len() >= MOST_NOTES;
        let known = self.notes.iter_mut().find(|note| note.kind == kind && note.what == what);
        match known {
            Some(note) => note.count = note.count.saturating_add(count),
            None if full && what != OTHERS => self.add(kind, OTHERS, place, count),
            None => {
                self.notes.push(Note { kind, path: self.path.clone(), place, count, what: what.to_owned() });
            }
        }
    }

    pub fn into_vec(self) -> Vec<Note> {
        self.notes
    }

    /// All notes in one line.
    pub fn in_a_line(&self) -> String {
        let words: Vec<String> =
            self.notes.iter().map(|note| format!("{} {} {}", note.kind, note.count, note.what)).collect();
        words.join("; ")
    }
}

/// What notes beyond the most are counted as.
const OTHERS: &str = "other things, of too many kinds to name";
