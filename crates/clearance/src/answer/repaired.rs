//! A mesh repaired within a tolerance, with a report of the changes.

use crate::shape::Mesh;

/// A mesh repaired within a tolerance, with a report of the changes. See [`Mesh::repaired`].
///
/// ```
/// use clearance::Mesh;
/// // A tetrahedron whose faces do not share points, as in many files.
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let points: Vec<[f64; 3]> = faces.iter().flatten().map(|&p| corners[p]).collect();
/// let given = Mesh::new(&points, &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])?;
/// assert!(given.solid().is_err());
/// let repaired = given.repaired(0.0)?;
/// assert!(repaired.mesh.is_solid());
/// assert_eq!((repaired.report.joined.len(), repaired.report.distance), (8, 0.0));
/// assert_eq!(repaired.verify(&given), Ok(()));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Repaired {
    /// The repaired mesh, in the frame of the input: a solid if it could be made one, otherwise a surface. Its first
    /// points are the input points, with unchanged positions and indices, whether or not a triangle still uses them;
    /// [`RepairReport::added_points`] follow. Bit-identical to the input if there was nothing to repair.
    pub mesh: Mesh,
    /// The changes, and a bound on the distance between the repaired mesh and the input.
    pub report: RepairReport,
}

/// The changes made to repair a mesh. Lengths are in the units of its points; point and triangle indices refer to the
/// input mesh unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct RepairReport {
    /// The requested tolerance.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Proved upper bound on the Hausdorff distance between the input and the repaired mesh: the larger of the two
    /// numbers below.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub distance: f64,
    /// No point of the input triangles is farther than this from the repaired triangles.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub given_to_used: f64,
    /// No point of the repaired triangles is farther than this from the input triangles.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub used_to_given: f64,
    /// The largest distance between a point of [`joined`](RepairReport::joined) and the point that replaces it; at most
    /// the tolerance, up to rounding.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub moved: f64,
    /// Merged points: each with the point that triangles use in its place. Ascending.
    pub joined: Vec<[u32; 2]>,
    /// Zero-area triangles that were dropped: their corners are exactly collinear. Ascending.
    pub zero_area: Vec<u32>,
    /// Triangles that were dropped because another one has the same corners after merging: the one kept and the one
    /// dropped. Ascending by the latter.
    pub duplicates: Vec<[u32; 2]>,
    /// Triangles that were dropped because two of their corners were merged. Ascending.
    pub collapsed: Vec<u32>,
    /// Zero-area triangles too far from all others to be dropped. They prevent the mesh from being a solid. Ascending.
    pub stray: Vec<u32>,
    /// Triangles that were split, at points next to their edges or where shells were separated. Ascending.
    pub split: Vec<u32>,
    /// Triangles whose winding was reversed, except those in [`split`](RepairReport::split). Ascending.
    pub flipped: Vec<u32>,
    /// Edges of four or more triangles at which touching shells were separated: each shell now has its own points
    /// there. Lower index first; ascending.
    pub parted_edges: Vec<[u32; 2]>,
    /// Remaining edges of three or more triangles. Lower index first; ascending.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Holes that were filled with new triangles: every point of these is within the tolerance of the input triangles.
    pub filled: Vec<FilledHole>,
    /// Remaining holes, too wide to be filled.
    pub holes: Vec<Rim>,
    /// Whether [`Repaired::mesh`] is a solid: no hole, no edge of three or more triangles and no stray triangle
    /// remains, and it can be oriented consistently.
    pub is_solid: bool,
    /// For each triangle of the repaired mesh, the input triangle that it is or is part of; `None` if it fills a hole.
    pub origin: Vec<Option<u32>>,
    /// The points appended to the input points: each is the midpoint of the two input points given, or a copy if both
    /// are the same.
    pub added_points: Vec<[u32; 2]>,
}

/// A hole that was filled.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct FilledHole {
    /// The boundary of the hole.
    pub rim: Rim,
    /// Number of triangles that fill it.
    pub triangles: u32,
}

/// The rim of a hole: a chain of boundary edges, each of a single triangle.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Rim {
    /// The points along the rim, as indices into the input mesh.
    pub points: Vec<u32>,
    /// Whether the last point connects back to the first. False for a rim that ends at an edge of three or more
    /// triangles.
    pub is_closed: bool,
    /// The total length of its edges, in the units of the points, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub length: f64,
}

impl RepairReport {
    /// Whether nothing had to be done: the repaired mesh is the input.
    ///
    /// ```
    /// use clearance::Mesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let clean = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// assert!(clean.repaired(1e-3)?.report.is_unchanged());
    /// let inside_out = Mesh::new(&points, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])?;
    /// assert_eq!(inside_out.repaired(1e-3)?.report.flipped, [0, 1, 2, 3]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.joined.is_empty()
            && self.zero_area.is_empty()
            && self.duplicates.is_empty()
            && self.collapsed.is_empty()
            && self.split.is_empty()
            && self.flipped.is_empty()
            && self.filled.is_empty()
            && self.added_points.is_empty()
    }
}
