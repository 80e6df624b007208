//! What a check refuses or cuts off, so that no input takes more memory than there is: every such number stands here.

/// More near pairs of parts than this are refused before any is measured, unless `--max-pairs` says otherwise. One
/// takes up to 200 bytes, so these take 2 GB.
pub const MAX_PAIRS: u64 = 10_000_000;

/// More findings than this end a check, unless `--max-findings` says otherwise. A finding takes about 1 kB, so these
/// take 1 GB.
pub const MAX_FINDINGS: u64 = 1_000_000;

/// A finding counts once more for each so many points of its contact loops: at 24 bytes each they take what a finding
/// does.
pub(crate) const POINTS_OF_FINDING: usize = 40;
