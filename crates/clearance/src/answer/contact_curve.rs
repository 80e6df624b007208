use glam::DVec3;

/// A curve along which two meshes meet: where the surfaces cross, the outline of an area where they lie on each other, or a
/// place where they only touch.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct ContactCurve {
    /// The corners in order, in A's own frame; rounded. A single one where the surfaces touch in a point. Where the winding of
    /// the triangles allows it, the curve runs along `normal_a x normal_b`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub points: Vec<DVec3>,
    /// Whether the last corner is joined to the first.
    pub closed: bool,
    /// For each segment a pair of triangles, of A and of B, that meet there, in the caller's numbering: entry `i` is for the
    /// segment that starts at corner `i`. For a single corner one pair.
    pub pairs: Vec<[u32; 2]>,
    /// Unit, from A towards B, in A's own frame: the area-weighted normal of a closed curve. `None` if it is open, encloses no
    /// area, or the triangles along it are not wound consistently.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
}

impl ContactCurve {
    /// A claim of one's own, for [`ContactCurve::verify_all`].
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

/// How much of the curves along which two meshes meet is wanted. See
/// [`contact_curves_with`](crate::query::contact_curves_with).
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
    /// Stop after about so many pairs of triangles that meet, which bounds memory and time; the curves are then parts
    /// of the whole.
    pub most_pairs: usize,
}

impl Default for ContactCurvesOptions {
    /// All pairs.
    fn default() -> ContactCurvesOptions {
        ContactCurvesOptions { most_pairs: usize::MAX }
    }
}
