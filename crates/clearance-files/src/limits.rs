//! How much a small file may unfold to.
//!
//! What a file holds outright takes memory in proportion to its length, whatever counts it promises. Three things unfold:
//! an archive is inflated, one component or node can stand for many parts, and a transform that is no rigid motion needs a
//! copy of the geometry. Each has a limit here, checked before the memory is taken.

use crate::error::{Fault, Place};

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
    /// The most parts, and the most steps through the tree of parts. One million.
    pub parts: u64,
    /// The most bytes of names of parts, on top of four for each byte of the file. 64 MiB.
    pub names: u64,
    /// The most bytes of points and triangles, on top of 64 for each byte of the file. 1 GiB.
    pub geometry: u64,
    /// The most bytes that each byte of an archive may unpack to, of all that is read of it together, on top of one
    /// mebibyte. 100: a 3MF file of a sphere of a million triangles unpacks to 4 times its size, of a regular grid to 10
    /// times; deflate ends at 1032.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { parts: 1_000_000, names: 64 << 20, geometry: 1 << 30, ratio: 100 }
    }
}

/// What is left of the limits while a file is read.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    parts: u64,
    names: u64,
    geometry: u64,
    inflated: u64,
    /// Tests of a corner against an ear, see `triangulate`.
    pub ear_tests: u64,
}

impl Budget {
    pub fn new(limits: &Limits, length: usize) -> Budget {
        let length = length as u64;
        Budget {
            limits: *limits,
            parts: limits.parts,
            names: limits.names.saturating_add(length.saturating_mul(4)),
            geometry: limits.geometry.saturating_add(length.saturating_mul(64)),
            inflated: length.saturating_mul(limits.ratio).saturating_add(1 << 20),
            ear_tests: (1 << 26) + 64 * length,
        }
    }

    /// One step through the tree of parts.
    pub fn step(&mut self, place: &Place) -> Result<(), Fault> {
        let left = self.parts.checked_sub(1);
        let problem = || format!("more than {} parts; raise `Limits::parts` if that is meant", self.limits.parts);
        self.parts = left.ok_or_else(|| Fault::limit(place.clone(), problem()))?;
        Ok(())
    }

    /// The name of a part.
    pub fn name(&mut self, length: usize, place: &Place) -> Result<(), Fault> {
        let left = self.names.checked_sub(length as u64);
        let problem = "the names of all parts together are too long; raise `Limits::names` if that is meant";
        self.names = left.ok_or_else(|| Fault::limit(place.clone(), problem))?;
        Ok(())
    }

    /// So many points and triangles.
    pub fn geometry(&mut self, points: usize, triangles: usize, place: &Place) -> Result<(), Fault> {
        let bytes = (points as u64).saturating_mul(24).saturating_add((triangles as u64).saturating_mul(12));
        let left = self.geometry.checked_sub(bytes);
        let problem = "the file unfolds to too many points and triangles; raise `Limits::geometry` if that is meant";
        self.geometry = left.ok_or_else(|| Fault::limit(place.clone(), problem))?;
        Ok(())
    }

    /// The file goes on in another, which has so many bytes.
    pub fn found_more(&mut self, length: usize) {
        let length = length as u64;
        self.names = self.names.saturating_add(length.saturating_mul(4));
        self.geometry = self.geometry.saturating_add(length.saturating_mul(64));
    }

    /// How many more bytes may be inflated.
    pub fn inflatable(&self) -> u64 {
        self.inflated
    }

    /// So many bytes were inflated, of `name`.
    pub fn inflate(&mut self, bytes: u64, name: &str) -> Result<(), Fault> {
        let left = self.inflated.checked_sub(bytes);
        self.inflated = left.ok_or_else(|| {
            let place = Place::Entry { name: name.to_owned(), byte: self.inflated };
            let ratio = self.limits.ratio;
            Fault::limit(
                place,
                format!(
                    "the archive unpacks to more than {ratio} times its size; raise `Limits::ratio` if that is meant"
                ),
            )
        })?;
        Ok(())
    }
}
