//! Trees of boxes over triangles: the wide tree that every mesh owns, how it is built, and how one or two are walked.

pub(crate) mod alike;
pub(crate) mod approach;
pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod disc;
pub(crate) mod dynamic;
pub(crate) mod one;
pub(crate) mod packet;
#[cfg(test)]
mod sample;
pub(crate) mod two;
pub(crate) mod wide;
pub(crate) mod winding;
