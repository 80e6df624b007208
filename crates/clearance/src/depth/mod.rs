//! How deep solids that are not convex overlap: what is made of a solid for it once.

#[allow(dead_code, reason = "asked for by the depth of solids, which is built upon these")]
pub(crate) mod hierarchy;
#[cfg(test)]
mod models;
#[allow(dead_code, reason = "asked for by the depth of solids, which is built upon these")]
pub(crate) mod patches;
#[allow(dead_code, reason = "asked for by the depth of solids, which is built upon these")]
pub(crate) mod polytope;
