//! Building binary trees, one file a method. A method only groups triangles; the volumes are then fitted to the groups,
//! so every kind of volume can be combined with every method.

mod bottom_up;
mod least_volume;
mod longest_axis;
mod octree;
mod sah;
mod top_down;

use super::binary::{BinaryTree, Soup};
use super::traverse_binary::Descend;
use crate::bound::{Bound, Fit};

/// How triangles are grouped into a binary tree.
///
/// ```
/// use clearance::index::{Build, Index, IndexOptions, Obb};
/// use clearance::Mesh;
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let index = Index::<Obb>::new(&mesh, &IndexOptions { build: Build::Sah, ..IndexOptions::default() });
/// assert_eq!(index.node_count(), 7);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Build {
    /// Top down: a plane across the longest axis of the volume through the mean of the vertices, triangles on the side
    /// of their centroids; else across the second axis, else across the third. As in RAPID.
    #[default]
    MeanOnLongestAxis,
    /// Top down: halves of equal number along the longest axis of the volume.
    MedianOnLongestAxis,
    /// Top down: the cheapest of some planes across the coordinate axes by the surface area heuristic.
    Sah,
    /// Top down: centroids in order along the longest axis of the volume, split where the volumes of the two boxes
    /// together are least.
    LeastVolume,
    /// Bottom up: the two groups whose common box has the least area are merged, among neighbours on a space-filling
    /// curve.
    BottomUp,
    /// Bottom up as for sphere trees: a sphere about each triangle; the two with the smallest common sphere are merged,
    /// among neighbours on a space-filling curve.
    SpheresByTiling,
    /// Bottom up as for sphere trees: a sphere about the triangles of each vertex, every triangle counted with one of
    /// its vertices; these leaves are merged as with [`Build::SpheresByTiling`].
    SpheresByVertices,
    /// Top down as for sphere trees: the cells of an octree; the volumes are then fitted to what the cells contain.
    SpheresByOctree,
}

impl Build {
    /// All of them.
    pub const ALL: [Build; 8] = [
        Build::MeanOnLongestAxis,
        Build::MedianOnLongestAxis,
        Build::Sah,
        Build::LeastVolume,
        Build::BottomUp,
        Build::SpheresByTiling,
        Build::SpheresByVertices,
        Build::SpheresByOctree,
    ];
}

/// How an [`Index`](crate::index::Index) is built and traversed.
///
/// ```
/// use clearance::index::{Build, Fit, IndexOptions};
/// let options = IndexOptions::default();
/// assert_eq!((options.build, options.fit, options.leaf), (Build::MeanOnLongestAxis, Fit::HullSurface, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IndexOptions {
    /// How triangles are grouped.
    pub build: Build,
    /// How volumes are fitted.
    pub fit: Fit,
    /// Groups of at most this many triangles are not divided. Zero is one; the box tree has one always.
    pub leaf: u32,
    /// Which node of a pair a query opens: that of the index of A.
    pub descend: Descend,
}

impl Default for IndexOptions {
    fn default() -> IndexOptions {
        IndexOptions { build: Build::default(), fit: Fit::default(), leaf: 1, descend: Descend::default() }
    }
}

/// A tree over all triangles. The same to the bit on any number of threads.
pub(crate) fn build<B: Bound>(soup: &Soup<'_>, options: &IndexOptions) -> BinaryTree<B> {
    let (fit, leaf) = (options.fit, options.leaf.max(1) as usize);
    match options.build {
        Build::MeanOnLongestAxis => top_down::build(soup, fit, leaf, &longest_axis::at_mean),
        Build::MedianOnLongestAxis => top_down::build(soup, fit, leaf, &longest_axis::at_median),
        Build::Sah => top_down::build(soup, fit, leaf, &|soup, _: &B, slots| sah::split(soup, slots)),
        Build::LeastVolume => top_down::build(soup, fit, leaf, &least_volume::split),
        Build::SpheresByOctree => {
            let codes = octree::codes(soup);
            top_down::build(soup, fit, leaf, &|_, _: &B, slots| octree::split(&codes, slots))
        }
        Build::BottomUp => bottom_up::build(soup, fit, bottom_up::triangles::<bottom_up::Box>(soup, leaf)),
        Build::SpheresByTiling => bottom_up::build(soup, fit, bottom_up::triangles::<bottom_up::Ball>(soup, leaf)),
        Build::SpheresByVertices => bottom_up::build(soup, fit, bottom_up::stars(soup)),
    }
}
