//! How deep solids overlap, which way out, and how much.

#[allow(dead_code)]
pub(crate) mod view;
