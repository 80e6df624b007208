//! What a check refuses or cuts off, so that no input takes more memory than there is: every such number stands here.

/// More near pairs of parts than this are refused before any is measured, unless `--max-pairs` says otherwise. One
/// takes up to 200 bytes, so these take 2 GB.
pub const MAX_PAIRS: u64 = 10_000_000;

/// More findings than this end a check, unless `--max-findings` says otherwise. A finding takes about 1 kB, so these
/// take 1 GB.
pub const MAX_FINDINGS: u64 = 1_000_000;

/// How much work goes into all searches, unless `--budget` says otherwise: some ten seconds of one core. It is counted and not timed, so
/// that a report does not depend on the machine.
pub const BUDGET: u64 = 4_000_000;

/// The touch band where none is given, of the size of the assembly: about one rounding of a single-precision coordinate.
pub(crate) const TOUCH_OF_SIZE: f64 = 1e-7;

/// Pairs of equal geometries are alike if their relative poses differ by no more than this part of the size of the
/// assembly: some roundings of single-precision rotations, which files have.
pub(crate) const ALIKE_OF_SIZE: f64 = 1e-6;

/// How much work goes at most into how far the surfaces of two parts reach inside each other: some hundredths of a second.
pub(crate) const LOCAL_DEPTH_WORK: u64 = 20_000;

/// Parts that are not closed are repaired within this part of the diagonal of their box, unless a length is given. Where an arc is
/// tessellated differently on both sides of an edge, exported solids have gaps of up to about as much. It is an upper limit: a repair
/// goes in stages, and moves no more than it takes to close the part.
pub(crate) const REPAIR_OF_SIZE: f64 = 1e-3;

/// An assembly in metres that is larger than this may well be in millimetres: many writers of glTF do not convert.
pub(crate) const LARGE_IN_METRES: f64 = 50.0;

/// A finding counts once more for each so many points of its contact loops: at 24 bytes each they take what a finding
/// does.
pub(crate) const POINTS_OF_FINDING: usize = 40;
