//! A node of a bounding volume hierarchy, as seen by traversals over the parts of compounds and the triangles of
//! meshes.

use crate::bound::Aabb;

/// The bounding box of some of the parts, in the frame of the compound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    pub bounds: Aabb,
    pub below: Below,
}

/// The children of a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Below {
    Part(u32),
    Nodes([u32; 2]),
    /// A range of nodes: from the first index up to, but excluding, the second.
    Run(u32, u32),
}

impl Below {
    /// The child nodes; none for a part.
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
