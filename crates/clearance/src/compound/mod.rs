//! Bodies made of convex parts, and height fields as such bodies.

pub(crate) mod contacts;
pub(crate) mod depth;
pub(crate) mod distance;
pub(crate) mod height_field;
pub(crate) mod parts;
pub(crate) mod relation;
pub(crate) mod scratch;
