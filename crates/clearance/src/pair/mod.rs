//! Dispatch by the kinds of two bodies, one `match` per query; and the workspace.

pub(crate) mod contacts;
pub(crate) mod distance;
pub(crate) mod intersects;
pub(crate) mod penetration;
pub(crate) mod relation;
pub(crate) mod workspace;
