use crate::answer::point::ClosestPoint;
use crate::math::bracket::Bracket;

/// Where two meshes of tetrahedra meet: the surface of each against the volume of the other. See
/// [`tet_pairs`](crate::tet_pairs()) for an example.
///
/// A pair is a face of a surface, by its place in [`TetMesh::surface_faces`](crate::TetMesh::surface_faces), and a
/// tetrahedron that share a point. Lists are in ascending order and hold each pair once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TetPairs {
    /// Faces of the first mesh with tetrahedra of the second.
    pub faces_of_a: Vec<[u32; 2]>,
    /// Faces of the second mesh with tetrahedra of the first.
    pub faces_of_b: Vec<[u32; 2]>,
    /// The work it took.
    pub counts: TetCounts,
}

/// Where a mesh of tetrahedra meets itself: its surface against its own volume, apart from neighbours. See
/// [`tet_self_pairs`](crate::tet_self_pairs()) for an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TetSelfPairs {
    /// A face of the surface and a tetrahedron that share a point, as in [`TetPairs`].
    pub pairs: Vec<[u32; 2]>,
    /// The work it took.
    pub counts: TetCounts,
}

/// The work that a query about tetrahedra took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TetCounts {
    /// Pairs of a face and a tetrahedron that went to the exact test.
    pub candidates: u64,
    /// Those of them that single precision left open.
    pub exact: u64,
}

impl TetCounts {
    pub(crate) fn add(&mut self, other: &TetCounts) {
        self.candidates += other.candidates;
        self.exact += other.exact;
    }
}

/// How the pairs of a face and a tetrahedron are found. All give the same pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TetAlgorithm {
    /// Octrees of buckets into which all tetrahedra are mapped anew in each frame (Erleben and Sporring 2004): for
    /// tetrahedra of about one size.
    BucketTree,
    /// A hash table over the cells of a grid (Teschner and others 2003): the same, without a hierarchy.
    SpatialHash,
    /// Wide trees of boxes, built once and refitted in each frame: for tetrahedra of any sizes.
    #[default]
    WideTree,
}

/// How points are mapped to the buckets of a tree. Both give the same buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BucketMapping {
    /// By a multiplication for each coordinate.
    #[default]
    Direct,
    /// By sorting the coordinates along each axis and merging them with the limits of the buckets. The order is kept
    /// from frame to frame, so that little is left to sort where motion is small.
    Sorting,
}

/// Which tetrahedra of one mesh are neighbours, and are not tested against each other's faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TetNeighbours {
    /// Those that share a point.
    #[default]
    Point,
    /// Those that share a face. Others that share a point touch there, and are reported.
    Face,
}

/// Options of [`tet_pairs_with`](crate::query::tet_pairs_with) and
/// [`tet_self_pairs_with`](crate::query::tet_self_pairs_with).
///
/// ```
/// use clearance::query::{TetAlgorithm, TetOptions, TetWorkspace, tet_self_pairs_with};
/// use clearance::{TetMesh, tet_self_pairs};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mut twice = points.to_vec();
/// twice.extend(points.map(|[x, y, z]| [x + 0.25, y, z]));
/// let mesh = TetMesh::new(&twice, &[[0, 1, 2, 3], [4, 5, 6, 7]])?;
/// let mut workspace = TetWorkspace::default();
/// for algorithm in [TetAlgorithm::BucketTree, TetAlgorithm::SpatialHash, TetAlgorithm::WideTree] {
///     let options = TetOptions { algorithm, ..TetOptions::default() };
///     let found = tet_self_pairs_with(&mesh, &options, &mut workspace);
///     assert_eq!(found.pairs, tet_self_pairs(&mesh).pairs);
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct TetOptions {
    /// How pairs are found.
    pub algorithm: TetAlgorithm,
    /// How points are mapped to buckets, for [`TetAlgorithm::BucketTree`].
    pub mapping: BucketMapping,
    /// How many tetrahedra lie along the edge of a bucket, at least: the `n` of the level rule of the bucket tree. NaN
    /// and numbers that are not positive count as the default, 2.
    pub tets_per_bucket: f64,
    /// Which tetrahedra of one mesh are neighbours.
    pub neighbours: TetNeighbours,
}

impl Default for TetOptions {
    /// Wide trees; neighbours share a point.
    fn default() -> TetOptions {
        TetOptions {
            algorithm: TetAlgorithm::default(),
            mapping: BucketMapping::default(),
            tets_per_bucket: 2.0,
            neighbours: TetNeighbours::default(),
        }
    }
}

/// A vertex of the surface of one mesh of tetrahedra that lies in another. See
/// [`tet_depths`](crate::query::tet_depths) for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TetDepth {
    /// The vertex: a point of the first mesh.
    pub vertex: u32,
    /// The tetrahedron of the second mesh that contains it, boundary included, decided exactly; the first of several.
    pub tet: u32,
    /// The barycentric coordinates of the vertex in that tetrahedron, in the order of its corners. Proved: each bracket
    /// contains the true ratio of volumes, which is from 0 to 1.
    pub coordinates: [Bracket; 4],
    /// The nearest point of the surface of the second mesh, with a proved bracket of the distance: the depth. The part is
    /// the face, by its place in [`TetMesh::surface_faces`](crate::TetMesh::surface_faces). The distance is how far the
    /// vertex must move to leave the mesh only where the mesh does not overlap itself, and says nothing of the points of
    /// faces between vertices.
    pub surface: ClosestPoint,
}

/// A face of the surface of a [`TetMesh`](crate::TetMesh).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SurfaceFace {
    /// Its points, counter-clockwise seen from outside: the fourth corner of its tetrahedron was behind it when the
    /// mesh was made. Of a flat tetrahedron, as the order of its corners has it.
    pub corners: [u32; 3],
    /// The tetrahedron that it belongs to.
    pub tet: u32,
}

/// What is unusual about the tetrahedra of a mesh. See [`TetMesh::health`](crate::TetMesh::health).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct TetHealth {
    /// Tetrahedra with a negative volume, in ascending order. Exact.
    pub inverted: Vec<u32>,
    /// Tetrahedra whose four corners are coplanar, in ascending order. Exact.
    pub flat: Vec<u32>,
    /// Faces that more than two tetrahedra share, by their points in ascending order.
    pub crowded: Vec<[u32; 3]>,
}

impl TetHealth {
    /// Whether every tetrahedron has a positive volume and every face at most two tetrahedra.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// let corner = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// assert!(TetMesh::new(&corner, &[[0, 1, 2, 3]])?.health().is_sound());
    /// assert!(!TetMesh::new(&corner, &[[1, 0, 2, 3]])?.health().is_sound());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.inverted.is_empty() && self.flat.is_empty() && self.crowded.is_empty()
    }
}
