//! Reusable memory for queries about two meshes.

use fearless_simd::Level;

use super::oriented_bounds::OrientedBounds;
use crate::tree::hierarchy::Stacks;

/// Reusable memory for queries about two meshes.
#[derive(Clone, Debug)]
pub(crate) struct MeshWorkspace {
    pub level: Level,
    /// The aligned boxes of both meshes.
    pub reaches: OrientedBounds,
    /// The stacks of traversals of binary trees.
    pub stacks: Stacks,
}

impl MeshWorkspace {
    pub fn new(level: Level) -> MeshWorkspace {
        MeshWorkspace { level, reaches: OrientedBounds::default(), stacks: Stacks::default() }
    }
}
