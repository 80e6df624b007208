//! Any two bodies: which code answers a question about them.

pub(crate) mod workspace;
