//! Any two bodies: one `match` over the kind of pair for each question, and what a thread keeps for all of them.

pub(crate) mod contacts;
pub(crate) mod distance;
pub(crate) mod intersects;
pub(crate) mod penetration;
pub(crate) mod relation;
pub(crate) mod workspace;
