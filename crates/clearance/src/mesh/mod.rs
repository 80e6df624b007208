//! Meshes: against each other, against other bodies, and alone.

pub(crate) mod inside;
pub(crate) mod pair;
pub(crate) mod reach;
mod sieve;
