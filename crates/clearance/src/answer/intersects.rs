/// What counts as intersecting, and how it is decided.
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
    /// Bodies no farther apart than this count as intersecting, in world units. Zero or less: only bodies with a common
    /// point.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The algorithm. It does not affect the answer.
    pub algorithm: IntersectsAlgorithm,
}

/// Algorithm of the intersection test. Each gives the exact answer for the placed pair.
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
    /// The fastest for the kinds of bodies: separating axes for two boxes or two triangles without a margin; GJK
    /// (Gilbert, Johnson and Keerthi) for cases these leave undecided and for all other pairs. Half-spaces have a
    /// closed form.
    #[default]
    Fastest,
    /// As `Fastest`, but also uses separating axes for two solid hulls (without radius or margin): face normals, and
    /// cross products of edges whose arcs cross on the Gauss map. The cost grows with the product of the edge counts
    /// unless the axis stored in the cache still separates. Suits small hulls that stay apart.
    SeparatingAxes,
    /// GJK for all pairs except those with a half-space.
    Gjk,
}
