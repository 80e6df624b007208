//! All limits of a check: what it refuses or truncates so that no input exhausts memory, and its default tolerances.

/// A check with more near pairs of parts is refused before any is measured; see `--max-pairs`. One takes up to 200
/// bytes, so these take 2 GB.
pub const MAX_PAIRS: u64 = 10_000_000;

/// A check with more findings fails; see `--max-findings`. A finding takes about 1 kB, so these take 1 GB.
pub const MAX_FINDINGS: u64 = 1_000_000;

/// The default work budget of all searches, about ten seconds of one core; see `--budget`. It is counted rather than
/// timed, so that a report does not depend on the machine.
pub const BUDGET: u64 = 4_000_000;

/// The default touch band, relative to the size of the assembly: about one rounding of a single-precision coordinate.
pub(crate) const TOUCH_OF_SIZE: f64 = 1e-7;

/// Pairs of equal geometries are alike if their relative poses differ by no more than this fraction of the size of the
/// assembly: a few roundings of the single-precision rotations found in files.
pub(crate) const ALIKE_OF_SIZE: f64 = 1e-6;

/// The maximum work for the local depth of a pair: a few hundredths of a second.
pub(crate) const LOCAL_DEPTH_WORK: u64 = 20_000;

/// More work for the local depth of two solids that needed no repair, per triangle: each of a finely tessellated contact
/// takes some, and no bracket is known before all are bounded. Repaired solids often intersect themselves, where more
/// work narrows nothing.
pub(crate) const LOCAL_DEPTH_WORK_OF_TRIANGLE: u64 = 12;

/// The default repair tolerance, relative to the diagonal of a part's bounding box. Exported solids have gaps of up to
/// about this where an arc is tessellated differently on the two sides of an edge. It is an upper limit: a repair
/// proceeds in stages, and moves no more than it takes to close the part.
pub(crate) const REPAIR_OF_SIZE: f64 = 1e-3;

/// An assembly in metres larger than this may well be in millimetres: many glTF writers do not convert.
pub(crate) const LARGE_IN_METRES: f64 = 50.0;

/// A finding counts once more for every this many points of its contact loops: at 24 bytes each they take as much
/// memory as a finding.
pub(crate) const POINTS_OF_FINDING: usize = 40;

/// The most levels of lists and mappings in YAML. Trajectories have six.
pub(crate) const YAML_DEPTH: usize = 64;

/// The most values that aliases in YAML may add; a value takes about 80 bytes. PyYAML writes aliases for lists that are
/// used twice.
pub(crate) const YAML_EXPANDED: usize = 1_000_000;
