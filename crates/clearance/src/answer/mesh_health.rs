/// Connectivity of a mesh and its defects. See [`Mesh::health`](crate::Mesh::health).
///
/// Edges are pairs of point indices: triangles that lie edge to edge but use different points share no edge
/// ([`MeshHealth::coincident_points`] reveals this). Triangle and point indices are the caller's.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct MeshHealth {
    /// Every edge joins exactly two triangles, and no triangle uses a point twice.
    pub watertight: bool,
    /// Wherever an edge joins exactly two triangles, they traverse it in opposite directions.
    pub consistently_wound: bool,
    /// Number of edges that belong to a single triangle.
    pub boundary_edges: usize,
    /// Number of edges that two triangles traverse in the same direction: one of the two has the wrong winding.
    pub flipped_edges: usize,
    /// Number of edges shared by three or more triangles.
    pub non_manifold_edges: usize,
    /// Number of points where the surface touches itself: their triangles form several fans that share no edge at the
    /// point.
    pub non_manifold_points: usize,
    /// Number of edge-connected components.
    pub components: usize,
    /// Used points minus edges plus triangles, over all components: 2 for each sphere, 0 for each torus, 1 for each
    /// disc.
    pub euler_characteristic: i64,
    /// Number of points that no triangle uses.
    pub unused_points: usize,
    /// Number of points with exactly the coordinates of a point of lower index.
    pub coincident_points: usize,
    /// Indices of triangles whose corners are exactly collinear, ascending.
    pub degenerate: Vec<u32>,
    /// Triangles with the same three corners, compared by coordinates and in any order: pairs of the lowest such index
    /// and each of the others, ascending.
    pub duplicates: Vec<[u32; 2]>,
    /// The enclosed volume, in cubic units of the points; negative if the mesh is wound inside out. `None` unless
    /// watertight and consistently wound. The relative error is at most 2⁻⁵⁰, so the sign is correct and zero is exact.
    /// Where the surface intersects itself, regions enclosed twice count twice.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub volume: Option<f64>,
}
