//! Reusable memory for queries about two meshes.

use fearless_simd::Level;

use super::oriented_bounds::OrientedBounds;

/// Reusable memory for queries about two meshes.
#[derive(Clone, Debug)]
pub(crate) struct MeshWorkspace {
    pub level: Level,
    /// The aligned boxes of both meshes.
    pub reaches: OrientedBounds,
}

impl MeshWorkspace {
    pub fn new(level: Level) -> MeshWorkspace {
        MeshWorkspace { level, reaches: OrientedBounds::default() }
    }
}
