use glam::DVec3;

use crate::answer::penetration::Penetration;
use crate::math::bracket::Bracket;

/// What to settle for when asking how deep solids overlap.
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
    /// Stop when the bracket is no wider than this part of its upper end.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub relative_tolerance: f64,
    /// Stop when the bracket is no wider than this, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tolerance: f64,
    /// Stop when so much was asked: about one for each question how deep a point lies in a solid, some microseconds.
    /// The bracket is then as good as it has become, and true.
    pub work: u64,
    /// A translation of B, in the world, that is not far from the way out: the last answer's `depth.value * normal`.
    /// Only the way out near that one is looked for, which is fast; the answer is labelled [`DepthLabel::Local`], and
    /// how far it is from the shortest the bracket says.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub near: Option<DVec3>,
    /// How the first way out is looked for.
    pub search: DepthSearch,
    /// Answer for meshes that bound no solid as well: how far to move B until the surfaces do not meet, labelled
    /// [`DepthLabel::Estimate`].
    pub estimate: bool,
}

/// How a first way out of two solids is looked for, before the bounds are closed in on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DepthSearch {
    /// Along 26 directions, each walked on from. Needs nothing but the meshes.
    #[default]
    Directions,
    /// By the hulls of convex pieces of both solids, level by level, after Kim, Otaduy, Lin and Manocha (2002). The
    /// pieces are made when a mesh is first asked, and kept; [`SolidDepth::levels`] says what each level did.
    Levels,
    /// By all pairs of pieces at once, as the same authors do it without levels and culling: slow, and there to show
    /// what these save.
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

/// How a way out was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DepthLabel {
    /// In all directions.
    Global,
    /// Near a translation that was given.
    Local,
    /// For meshes that bound no solid, because [`SolidDepthOptions::estimate`] asked for it: after the translation the
    /// surfaces do not meet. What is inside of what is not known, and so nothing is proved from below.
    Estimate,
}

/// How deep two solids overlap, with everything that proves it. See [`SolidDepthOptions`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SolidDepth {
    /// The depth, its bracket, and the way out. The points are where the solids touch after the translation, and of a
    /// mesh the triangle there is the part named.
    pub penetration: Penetration,
    /// How the way out was looked for.
    pub label: DepthLabel,
    /// The work, or whoever was told, ended the search before the tolerance was reached.
    pub interrupted: bool,
    /// What each level of [`DepthSearch::Levels`] did, coarse to fine.
    pub levels: Vec<DepthLevel>,
    /// What proves the lower end of the bracket.
    pub proof: DepthProof,
    /// How much was asked, as [`SolidDepthOptions::work`] counts it.
    pub work: u64,
}

/// What a level of the trees of hulls did. See [`SolidDepth::levels`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthLevel {
    /// Counted from the roots, 0.
    pub level: u32,
    /// Pairs of hulls of this level in all.
    pub pairs: u64,
    /// How many of them were near enough to matter.
    pub kept: u64,
    /// The shortest way out known after it, in world units but for the poses' rigidity defect.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub depth: f64,
}

impl SolidDepth {
    /// The answer to the same question at another scale.
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

/// Cubes of translations, all of which leave the solids overlapping, that fill a ball about the origin: with the parts
/// of the cube `[-side, side]³` that are out of the ball, they are all of it, halved along each axis again and again.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthProof {
    /// Half the side of the whole cube; a power of two.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub side: f64,
    /// Whose frame the translations are in: that of B's rotation rather than A's. They are then translations of A.
    pub moves_a: bool,
    /// The cubes.
    pub cubes: Vec<DepthCube>,
}

/// One of the cubes of a [`DepthProof`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthCube {
    /// The translation in the middle.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub middle: DVec3,
    /// Half the side.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub half: f64,
    /// A point, in the own frame of the body that is moved. After the translation in the middle it is so deep in both
    /// bodies that no translation of the cube takes it out of both.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
}

/// How far B must be moved along a direction until the interiors are disjoint, with its bracket. See
/// [`depth_along`](crate::query::depth_along).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DepthAlong {
    /// The length of the way, in world units. Before its lower end the interiors meet everywhere on the way; at its
    /// upper end they are disjoint.
    pub depth: Bracket,
    /// The direction, unit.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub direction: DVec3,
}

/// When to give up the way along a direction. See [`depth_along_with`](crate::query::depth_along_with).
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
    /// After so many moves the question is given up, with [`QueryError::NoDepth`](crate::QueryError::NoDepth). Each
    /// move passes two triangles that meet.
    pub moves: usize,
}

impl DepthAlongOptions {
    /// More than solids of a million triangles were seen to need.
    pub(crate) const MOVES: usize = 1 << 22;
}

impl Default for DepthAlongOptions {
    fn default() -> DepthAlongOptions {
        DepthAlongOptions { moves: DepthAlongOptions::MOVES }
    }
}
