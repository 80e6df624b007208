//! Bodies made of convex parts, and terrain as such a body.

pub(crate) mod contacts;
pub(crate) mod depth;
pub(crate) mod distance;
pub(crate) mod height_field;
pub(crate) mod parts;
pub(crate) mod relation;
pub(crate) mod scratch;
