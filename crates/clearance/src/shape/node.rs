//! A step down a tree of boxes, as walks over the parts of compounds and the triangles of meshes see it.

use crate::bound::Aabb;

/// A box about some of the parts, in the frame of the compound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    pub bounds: Aabb,
    pub below: Below,
}

/// What a [`Node`] is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Below {
    Part(u32),
    Nodes([u32; 2]),
    /// From the first number to before the second.
    Run(u32, u32),
}

impl Below {
    /// The nodes; none for a part.
    pub fn nodes(self) -> impl Iterator<Item = u32> {
        let (pair, run) = match self {
            Below::Part(_) => ([0; 2], 0..0),
            Below::Nodes(pair) => (pair, 0..0),
            Below::Run(first, end) => ([0; 2], first..end),
        };
        let two = if matches!(self, Below::Nodes(_)) { 2 } else { 0 };
        pair.into_iter().take(two).chain(run)
    }
}
