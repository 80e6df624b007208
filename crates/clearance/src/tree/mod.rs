//! Bounding volume hierarchies over triangles: the wide tree that every mesh owns, its construction, and the traversals
//! of one or two trees; and binary trees over bounding volumes of the caller's choice.

pub(crate) mod beam_search;
pub(crate) mod binary;
pub(crate) mod binary_build;
pub(crate) mod box_tree;
pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod disc;
pub(crate) mod dynamic;
pub(crate) mod hierarchy;
pub(crate) mod packet;
#[cfg(test)]
mod sample;
pub(crate) mod stats;
pub(crate) mod traverse;
pub(crate) mod traverse_binary;
pub(crate) mod traverse_pair;
pub(crate) mod traverse_same_frame;
pub(crate) mod wide;
pub(crate) mod winding;
