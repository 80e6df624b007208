/// What counts as meeting.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{IntersectsOptions, intersects_with};
/// let ball = Shape::sphere(1.0)?;
/// let away = Pose::from_translation(DVec3::new(2.5, 0.0, 0.0))?;
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let mut meets = |margin| {
///     let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
///     intersects_with(&ball, &Pose::IDENTITY, &ball, &away, &options, &mut cache, &mut workspace)
/// };
/// assert!(!meets(0.25));
/// assert!(meets(0.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IntersectsOptions {
    /// Bodies no farther apart than this count as meeting. Zero or less: only bodies with a common point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// What finds the answer. It is the same whatever is chosen.
    pub algorithm: IntersectsAlgorithm,
}

/// What finds out whether two bodies meet. Each gives the exact answer for the placed pair.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{IntersectsAlgorithm, IntersectsOptions, intersects_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let beside = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(2.5, 0.0, 0.0))?;
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let mut ask = |algorithm| {
///     let options = IntersectsOptions { algorithm, ..IntersectsOptions::default() };
///     intersects_with(&cube, &Pose::IDENTITY, &cube, &beside, &options, &mut cache, &mut workspace)
/// };
/// assert_eq!(ask(IntersectsAlgorithm::SeparatingAxes), ask(IntersectsAlgorithm::Gjk));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum IntersectsAlgorithm {
    /// What is fastest for the kinds of the bodies: the separating axes of two boxes or two triangles where no margin
    /// is asked for, with what they leave open and all other pairs by Gilbert, Johnson and Keerthi's algorithm.
    /// Half-spaces have a formula.
    #[default]
    Fastest,
    /// As `Fastest`, and two solid hulls (without a radius or a margin) by their separating axes as well: the normals
    /// of their faces, and the products of edges whose arcs cross on the Gauss map. The work grows with the product of
    /// the numbers of edges, unless the axis that the cache remembers still separates: for small hulls that stay apart.
    SeparatingAxes,
    /// Gilbert, Johnson and Keerthi's algorithm for all pairs but those with a half-space.
    Gjk,
}
