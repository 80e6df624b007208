//! Mesh diagnostics: defects, watertightness, winding, components and volume.

use super::same_points::lowest_of_equal;
use crate::answer::mesh_health::MeshHealth;
use crate::geom::topology::{self, DefectKind, EdgeMap, Through};
use crate::geom::volume::signed_volume;
use crate::math::predicates::collinear;
use crate::shape::Mesh;

impl Mesh {
    /// Diagnoses the mesh: defective edges, points and triangles, components, volume. Self-intersections are a separate
    /// query, [`self_intersections`](crate::query::self_intersections). Costs about as much as building the mesh.
    ///
    /// ```
    /// use clearance::Mesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let health = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.health();
    /// assert!(health.watertight && health.consistently_wound);
    /// assert_eq!((health.components, health.euler_characteristic), (1, 2));
    /// assert_eq!(health.volume, Some(1.0 / 6.0));
    ///
    /// // The floor is missing, one side is flipped, another is duplicated.
    /// let health = Mesh::new(&points, &[[0, 3, 1], [1, 2, 3], [2, 0, 3], [3, 2, 0]])?.health();
    /// assert!(!health.watertight && !health.consistently_wound);
    /// assert_eq!((health.boundary_edges, health.flipped_edges, health.non_manifold_edges), (2, 2, 2));
    /// assert_eq!(health.duplicates, [[2, 3]]);
    /// assert_eq!(health.volume, None);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
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
