//! A mesh repaired within a tolerance, and what was done to it.

use crate::shape::Mesh;

/// A mesh repaired within a tolerance, and what was done to it. See [`Mesh::repaired`].
///
/// ```
/// use clearance::Mesh;
/// // A tetrahedron whose faces each have points of their own, as in many files.
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
    /// What is used in place of the mesh that was given: a solid if it could be made one, else a surface. Its first
    /// points are those given, in the same places and with the same numbers, whether or not a triangle still names
    /// them; [`RepairReport::added_points`] follow. It is the mesh given, to the bit, if there was nothing to repair.
    pub mesh: Mesh,
    /// What was done, and how far what is used is from what was given.
    pub report: RepairReport,
}

/// What was done to repair a mesh. Lengths are in the unit of its points; numbers of points and triangles are those of
/// the mesh given, unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct RepairReport {
    /// The tolerance asked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// The Hausdorff distance of what was given and what is used is at most this: no point of the one is farther from
    /// the other. The larger of the two numbers below; proved.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub distance: f64,
    /// No point of the triangles given is farther than this from those used.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub given_to_used: f64,
    /// No point of the triangles used is farther than this from those given.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub used_to_given: f64,
    /// How far the points of [`joined`](RepairReport::joined) are from those whose places they take, at most; never
    /// more than the tolerance but for rounding.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub moved: f64,
    /// Points that were joined to others: each with the point that triangles name in its place. Ascending.
    pub joined: Vec<[u32; 2]>,
    /// Zero-area triangles that were dropped: their corners lie exactly on a line. Ascending.
    pub zero_area: Vec<u32>,
    /// Triangles that were dropped because another one has the same corners, once points are joined: the one that
    /// is kept, and the one dropped. Ascending by the latter.
    pub duplicates: Vec<[u32; 2]>,
    /// Triangles that were dropped because two of their corners were joined. Ascending.
    pub collapsed: Vec<u32>,
    /// Zero-area triangles that are too far from all others to be dropped. They keep the mesh from being a solid.
    /// Ascending.
    pub stray: Vec<u32>,
    /// Triangles that were cut into several, at points next to their edges or where shells were separated. Ascending.
    pub split: Vec<u32>,
    /// Triangles that were reversed, apart from those in [`split`](RepairReport::split). Ascending.
    pub flipped: Vec<u32>,
    /// Edges of four or more triangles where shells that touch were separated: each shell has points of its own there
    /// now. The lower number first; ascending.
    pub parted_edges: Vec<[u32; 2]>,
    /// Edges of three or more triangles that are left, the lower number first; ascending.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Holes that were closed by new triangles: every point of these is within the tolerance of the triangles given.
    pub filled: Vec<FilledHole>,
    /// Holes that are left, too wide to be closed.
    pub holes: Vec<Rim>,
    /// Whether [`Repaired::mesh`] is a solid: it is one if no hole, no edge of three or more triangles and no stray
    /// triangle is left, and it can be oriented consistently.
    pub is_solid: bool,
    /// For each triangle used the one given that it is, or is a part of; `None` if it fills a hole.
    pub origin: Vec<Option<u32>>,
    /// The points used that come after those given: each lies in the middle of two points given, or, named twice, is a
    /// copy of one.
    pub added_points: Vec<[u32; 2]>,
}

/// A hole that was closed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct FilledHole {
    /// Its rim.
    pub rim: Rim,
    /// How many triangles close it.
    pub triangles: u32,
}

/// The rim of a hole: edges of one triangle only, one after the other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Rim {
    /// The points along it, as the mesh given numbers them.
    pub points: Vec<u32>,
    /// Whether the last point is joined to the first; a rim that ends at an edge of three or more triangles is not.
    pub is_closed: bool,
    /// The length of all its edges, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub length: f64,
}

impl RepairReport {
    /// Whether nothing had to be done: the mesh used is the one given.
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
