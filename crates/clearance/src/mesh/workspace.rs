//! Memory that questions about two meshes use again and again.

use fearless_simd::Level;

use super::oriented_bounds::OrientedBounds;

/// Scratch of questions about two meshes.
#[derive(Clone, Debug)]
pub(crate) struct MeshWorkspace {
    pub level: Level,
    /// Reaches of the boxes of two meshes.
    pub reaches: OrientedBounds,
}

impl MeshWorkspace {
    pub fn new(level: Level) -> MeshWorkspace {
        MeshWorkspace { level, reaches: OrientedBounds::default() }
    }
}
