//! What is wrong with a mesh, and what it is like: closed or not, wound how, in how many parts.

use super::same_points::lowest_of_equal;
use crate::Mesh;
use crate::geom::topology::{self, DefectKind, EdgeMap, Through};
use crate::geom::volume::signed_volume;
use crate::math::predicates::collinear;

/// How triangles hang together, and which are at fault. See [`Mesh::health`].
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

impl Mesh {
    /// Looks for defects: edges, points and triangles at fault, components, volume. Whether triangles run into each other is
    /// a question of its own, [`self_intersections`](crate::self_intersections). Takes about as long as to build the mesh.
    ///
    /// ```
    /// use clearance::Mesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let health = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.health();
    /// assert!(health.watertight && health.consistently_wound);
    /// assert_eq!((health.components, health.euler_characteristic), (1, 2));
    /// assert_eq!(health.volume, Some(1.0 / 6.0));
    ///
    /// // The floor is missing, one side is wound the wrong way round, another one is there twice.
    /// let health = Mesh::new(&points, &[[0, 3, 1], [1, 2, 3], [2, 0, 3], [3, 2, 0]])?.health();
    /// assert!(!health.watertight && !health.consistently_wound);
    /// assert_eq!((health.boundary_edges, health.flipped_edges, health.non_manifold_edges), (2, 2, 2));
    /// assert_eq!(health.duplicates, [[2, 3]]);
    /// assert_eq!(health.volume, None);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn health(&self) -> MeshHealth {
        let points = &self.surface().points;
        let triangles = self.triangles();
        let edges = EdgeMap::new(&triangles);
        let count = |kind: DefectKind| edges.defects.iter().filter(|defect| defect.kind == kind).count();
        let boundary_edges = count(DefectKind::Boundary);
        let flipped_edges = count(DefectKind::Flipped);
        let non_manifold_edges = count(DefectKind::NonManifold);
        let watertight = boundary_edges == 0 && non_manifold_edges == 0 && count(DefectKind::Degenerate) == 0;
        let consistently_wound = flipped_edges == 0;

        let mut used = vec![false; points.len()];
        triangles.iter().flatten().for_each(|&p| used[p as usize] = true);
        let used = used.iter().filter(|used| **used).count();
        let numbers: Vec<u32> = (0..points.len() as u32).collect();
        let lowest = lowest_of_equal(&numbers, |p| points[p as usize]);
        let coincident_points = numbers.iter().filter(|&&p| lowest[p as usize] != p).count();

        let mut named: Vec<([u32; 3], u32)> = triangles
            .iter()
            .zip(0..)
            .map(|(t, number)| {
                let mut corners = t.map(|p| lowest[p as usize]);
                corners.sort_unstable();
                (corners, number)
            })
            .collect();
        named.sort_unstable();
        let mut duplicates: Vec<[u32; 2]> = named
            .chunk_by(|s, t| s.0 == t.0)
            .flat_map(|equal| equal[1..].iter().map(|other| [equal[0].1, other.1]))
            .collect();
        duplicates.sort_unstable();

        let in_line = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|p| points[p as usize]);
            collinear(a, b, c)
        };
        MeshHealth {
            watertight,
            consistently_wound,
            boundary_edges,
            flipped_edges,
            non_manifold_edges,
            non_manifold_points: topology::pinched_vertices(&triangles).len(),
            components: topology::components(&triangles, Through::Edges).count as usize,
            euler_characteristic: used as i64 - edges.edges.len() as i64 + triangles.len() as i64,
            unused_points: points.len() - used,
            coincident_points,
            degenerate: triangles.iter().zip(0..).filter(|(t, _)| in_line(t)).map(|(_, number)| number).collect(),
            duplicates,
            volume: (watertight && consistently_wound).then(|| signed_volume(points, &triangles)),
        }
    }
}
