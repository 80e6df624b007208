/// How triangles hang together, and which are at fault. See [`Mesh::health`](crate::Mesh::health).
///
/// Edges are pairs of points by number: triangles that only lie edge to edge, with points of their own, share nothing
/// ([`MeshHealth::coincident_points`] shows that). Numbers of triangles and points are the caller's.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct MeshHealth {
    /// Every edge joins exactly two triangles, and no triangle names a point twice.
    pub watertight: bool,
    /// Wherever an edge joins exactly two triangles they run along it in opposite directions.
    pub consistently_wound: bool,
    /// Edges of one triangle only.
    pub boundary_edges: usize,
    /// Edges that two triangles run along in the same direction: one of them is wound the wrong way round.
    pub flipped_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Points where the surface touches itself: their triangles form several fans, joined by no edge there.
    pub non_manifold_points: usize,
    /// Parts that hang together by edges.
    pub components: usize,
    /// Points in use minus edges plus triangles, over all components: 2 for each sphere, 0 for each torus, 1 for each disc.
    pub euler_characteristic: i64,
    /// Points that no triangle names.
    pub unused_points: usize,
    /// Points with exactly the coordinates of another one that has a lower number.
    pub coincident_points: usize,
    /// Triangles whose corners lie exactly on a line, ascending.
    pub degenerate: Vec<u32>,
    /// Triangles with the same three points, by coordinates and in any order: the lowest such triangle, and each of the
    /// others. Ascending.
    pub duplicates: Vec<[u32; 2]>,
    /// The volume inside, negative if the mesh is wound inside out; `None` unless watertight and consistently wound. In cubes
    /// of the unit of the points. Off by at most 2⁻⁵⁰ of itself: its sign is right, and zero is zero. Where the surface
    /// crosses itself, what lies inside twice counts twice.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub volume: Option<f64>,
}
