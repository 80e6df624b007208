use glam::DVec3;

/// A curve along which two meshes meet: where the surfaces cross, the outline of a region where they coincide, or a
/// place where they only touch.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct ContactCurve {
    /// The vertices of the curve in order, in A's local frame, rounded. A single one where the surfaces touch at a
    /// point. Where the winding of the triangles is consistent, the curve runs along `normal_a x normal_b`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub points: Vec<DVec3>,
    /// Whether the last point connects back to the first.
    pub closed: bool,
    /// For each segment, the indices (caller's numbering) of a triangle of A and a triangle of B that meet there: entry
    /// `i` belongs to the segment that starts at point `i`. A single point has one pair.
    pub pairs: Vec<[u32; 2]>,
    /// Unit vector from A towards B, in A's local frame: the area-weighted normal of a closed curve. `None` if the
    /// curve is open or encloses no area, or if the triangles along it are not wound consistently.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
}

impl ContactCurve {
    /// Builds a curve from its fields, for example to check it with [`ContactCurve::verify_all`].
    ///
    /// ```
    /// use clearance::answer::ContactCurve;
    /// use clearance::glam::DVec3;
    /// let claim = ContactCurve::new(vec![DVec3::ZERO, DVec3::X], false, vec![[0, 7]], None);
    /// assert_eq!(claim.points.len(), 2);
    /// ```
    #[must_use]
    pub fn new(points: Vec<DVec3>, closed: bool, pairs: Vec<[u32; 2]>, normal: Option<DVec3>) -> ContactCurve {
        ContactCurve { points, closed, pairs, normal }
    }
}

/// How many contact curves of two meshes to compute. See [`contact_curves_with`](crate::query::contact_curves_with).
///
/// ```
/// use clearance::query::{ContactCurvesOptions, contact_curves_with};
/// use clearance::{Mesh, Pose, Workspace};
/// let sheet = Mesh::new(&[[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0]], &[[0, 1, 2]])?;
/// let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
/// let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
/// let curves = |most_pairs| {
///     let (options, mut workspace) = (ContactCurvesOptions { most_pairs }, Workspace::default());
///     contact_curves_with(&sheet, &Pose::IDENTITY, &spike, &Pose::IDENTITY, &options, &mut workspace)
/// };
/// assert!(curves(usize::MAX)[0].closed);
/// // One pair of triangles gives one segment.
/// assert!(!curves(1)[0].closed && curves(1)[0].points.len() == 2);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContactCurvesOptions {
    /// Stop after about this many intersecting triangle pairs, to bound memory and time; the curves are then
    /// incomplete.
    pub most_pairs: usize,
}

impl Default for ContactCurvesOptions {
    /// No limit: all pairs.
    fn default() -> ContactCurvesOptions {
        ContactCurvesOptions { most_pairs: usize::MAX }
    }
}
