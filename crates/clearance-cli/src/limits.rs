//! What the command refuses or cuts off, so that no input takes more memory or threads than there are: every such
//! number stands here. Those of a check are in `clearance-check`.

/// So many threads per core are started at most, whatever `--threads` says. More do nothing faster; each has a stack of
/// some megabytes.
pub(crate) const THREADS_PER_CORE: usize = 4;

/// So much of a file that is about to be replaced is read to see what it is, in bytes. What outputs begin with is far
/// shorter.
pub(crate) const PEEK: u64 = 4096;
