//! Limits of the command, so that no input exhausts memory or threads. Those of a check are in `clearance-check`.

/// The largest number of threads per core, whatever `--threads` asks for. More are no faster, and each has a stack of
/// some megabytes.
pub(crate) const THREADS_PER_CORE: usize = 4;

/// How much of a file about to be replaced is read to recognise its kind, in bytes. The start of all outputs is far
/// shorter.
pub(crate) const PEEK: u64 = 4096;
