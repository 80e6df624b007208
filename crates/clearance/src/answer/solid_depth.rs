use glam::DVec3;

use crate::answer::penetration::Penetration;
use crate::math::bracket::Bracket;

/// Options and stopping criteria of the solid depth search.
///
/// ```
/// use clearance::{Mesh, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{SolidDepthOptions, solid_depth_with};
/// let points: Vec<[f64; 3]> = (0..8).map(|k| [0, 1, 2].map(|axis| f64::from(k >> axis & 1))).collect();
/// let sides = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]];
/// let more = [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
/// let cube = Shape::Mesh(Mesh::new(&points, &[sides, more].concat())?.solid()?);
/// let into = Pose::from_translation(DVec3::new(0.75, 0.25, 0.0))?;
/// let options = SolidDepthOptions { relative_tolerance: 0.01, ..SolidDepthOptions::default() };
/// let (mut workspace, progress) = (Workspace::default(), |lower, upper| lower <= upper);
/// let answer = solid_depth_with(&cube, &Pose::IDENTITY, &cube, &into, &options, &mut workspace, progress)?;
/// assert!((answer.penetration.depth.value - 0.25).abs() < 1e-9);
/// assert!(answer.penetration.depth.lower > 0.247 && !answer.interrupted);
/// answer.verify(&cube, &Pose::IDENTITY, &cube, &into).unwrap();
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SolidDepthOptions {
    /// Stop when the bracket is no wider than this fraction of its upper end.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// Stop when the bracket is no wider than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Work budget: about one unit for each bound on the depth of a point in a solid, a few microseconds each. When it
    /// runs out, the bracket holds but may be wider than the tolerance.
    pub work: u64,
    /// A translation of B, in world coordinates, close to the separating one, such as the previous answer's
    /// `depth.value * normal`. Only separating translations near it are searched, which is fast; the answer is labelled
    /// [`DepthLabel::Local`], and its bracket shows how far it may be from the shortest one.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub near: Option<DVec3>,
    /// How to search for the first separating translation.
    pub search: DepthSearch,
    /// Also answer for meshes that do not bound a solid: how far to move B until the surfaces no longer intersect,
    /// labelled [`DepthLabel::Estimate`].
    pub estimate: bool,
}

/// How to search for a first separating translation of two solids, before the bounds are tightened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DepthSearch {
    /// Starts along 26 directions and improves each. Needs only the meshes.
    #[default]
    Directions,
    /// Hulls of convex pieces of both solids, level by level, after Kim, Otaduy, Lin and Manocha (2002). The pieces are
    /// built on the first query of a mesh and cached; [`SolidDepth::levels`] reports each level.
    Levels,
    /// All pairs of pieces at once, the method of the same authors without levels and culling: slow, kept to show what
    /// these save.
    AllPieces,
}

impl Default for SolidDepthOptions {
    fn default() -> SolidDepthOptions {
        SolidDepthOptions {
            relative_tolerance: 0.05,
            tolerance: 0.0,
            work: 400_000,
            near: None,
            search: DepthSearch::default(),
            estimate: false,
        }
    }
}

/// How a separating translation was searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DepthLabel {
    /// Searched in all directions.
    Global,
    /// Searched near a given translation.
    Local,
    /// For meshes that do not bound a solid, on request of [`SolidDepthOptions::estimate`]: after the translation the
    /// surfaces do not intersect. Inside and outside are unknown, so nothing is proved from below.
    Estimate,
}

/// The penetration depth of two solids, with its proof. See [`SolidDepthOptions`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SolidDepth {
    /// The depth, its bracket, and the separating translation. The witness points are where the solids touch after the
    /// translation; for a mesh the part is the triangle there.
    pub penetration: Penetration,
    /// How the separating translation was searched for.
    pub label: DepthLabel,
    /// Whether the work budget ran out, or the progress callback cancelled the search, before the tolerance was
    /// reached.
    pub interrupted: bool,
    /// Statistics of each level of [`DepthSearch::Levels`], coarse to fine; empty for other searches.
    pub levels: Vec<DepthLevel>,
    /// The proof of the lower end of the bracket.
    pub proof: DepthProof,
    /// Work done, in the units of [`SolidDepthOptions::work`].
    pub work: u64,
}

/// Statistics of one level of the hull hierarchies. See [`SolidDepth::levels`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthLevel {
    /// Level number; the roots are 0.
    pub level: u32,
    /// Number of hull pairs at this level.
    pub pairs: u64,
    /// Number of pairs left after culling.
    pub kept: u64,
    /// Length of the shortest separating translation known after this level, in world units up to the poses' rigidity
    /// defect.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub depth: f64,
}

impl SolidDepth {
    /// The answer scaled by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> SolidDepth {
        let cubes = self.proof.cubes.iter().map(|cube| DepthCube {
            middle: cube.middle * factor,
            half: cube.half * factor,
            point: cube.point * factor,
        });
        SolidDepth {
            penetration: self.penetration.scaled(factor),
            levels: self.levels.iter().map(|level| DepthLevel { depth: level.depth * factor, ..*level }).collect(),
            proof: DepthProof { side: self.proof.side * factor, cubes: cubes.collect(), ..self.proof },
            ..self.clone()
        }
    }
}

/// Cubes of translations, all of which leave the solids overlapping, that cover a ball about the origin. They are cells
/// of an octree over the cube `[-side, side]³`; the cells outside the ball are omitted.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthProof {
    /// Half the side of the root cube, in world units up to the poses' rigidity defect; a power of two.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub side: f64,
    /// If true, the translations move A and are given along B's local axes; otherwise they move B, along A's axes.
    pub moves_a: bool,
    /// The cubes that cover the ball.
    pub cubes: Vec<DepthCube>,
}

/// One of the cubes of a [`DepthProof`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthCube {
    /// The translation at its centre.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub middle: DVec3,
    /// Half the side of the cube.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub half: f64,
    /// A point, in the local frame of the body that is moved. After the translation at the centre, its depths in the
    /// two bodies sum to at least half the cube's diagonal, so no translation in the cube separates the bodies.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
}

/// How far B must move along a direction until the interiors are disjoint. See
/// [`depth_along`](crate::query::depth_along).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthAlong {
    /// The length of the translation, in world units. For all shorter than the lower end the interiors overlap; at the
    /// upper end they are disjoint.
    pub depth: Bracket,
    /// The direction in which B moves, a unit vector in world coordinates.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub direction: DVec3,
}

/// Limits of the depth along a direction. See [`depth_along_with`](crate::query::depth_along_with).
///
/// ```
/// use clearance::query::{DepthAlongOptions, depth_along_with};
/// use clearance::{Pose, QueryError, Shape, Workspace, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let mut ask = |moves| {
///     let options = DepthAlongOptions { moves };
///     depth_along_with(&cube, &Pose::IDENTITY, &cube, &into, DVec3::Y, &options, &mut Workspace::default())
/// };
/// assert!(ask(100)?.depth.contains(1.75));
/// assert_eq!(ask(0), Err(QueryError::NoDepth));
/// # Ok::<(), QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DepthAlongOptions {
    /// Fail with [`QueryError::NoDepth`](crate::QueryError::NoDepth) after this many moves. Each move clears one pair
    /// of intersecting triangles.
    pub moves: usize,
}

impl DepthAlongOptions {
    /// More than any solids of a million triangles have needed.
    pub(crate) const MOVES: usize = 1 << 22;
}

impl Default for DepthAlongOptions {
    fn default() -> DepthAlongOptions {
        DepthAlongOptions { moves: DepthAlongOptions::MOVES }
    }
}
