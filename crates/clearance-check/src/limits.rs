//! What a check refuses or cuts off, so that no input takes more memory than there is: every such number stands here.

/// More near pairs of parts than this are refused before any is measured, unless `--max-pairs` says otherwise. One
/// takes up to 200 bytes, so these take 2 GB.
pub const MAX_PAIRS: u64 = 10_000_000;

/// More findings than this end a check, unless `--max-findings` says otherwise. A finding takes about 1 kB, so these
/// take 1 GB.
pub const MAX_FINDINGS: u64 = 1_000_000;

/// The touch band where none is given, of the size of the assembly: about one rounding of a single-precision coordinate.
pub(crate) const TOUCH_OF_SIZE: f64 = 1e-7;

/// How much work goes into how far the surfaces of two parts reach inside each other: some hundredths of a second.
pub(crate) const LOCAL_DEPTH_WORK: u64 = 20_000;

/// An assembly in metres that is larger than this may well be in millimetres: many writers of glTF do not convert.
pub(crate) const LARGE_IN_METRES: f64 = 50.0;

/// A finding counts once more for each so many points of its contact loops: at 24 bytes each they take what a finding
/// does.
pub(crate) const POINTS_OF_FINDING: usize = 40;
