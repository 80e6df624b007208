//! Meshes: against each other, against other bodies, and alone.

pub(crate) mod pair;
mod sieve;
