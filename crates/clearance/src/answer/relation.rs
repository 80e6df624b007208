use glam::DVec3;

use crate::answer::witness::Witness;
use crate::math::bracket::{Bracket, scale_down, scale_up};

/// How two bodies lie to each other.
///
/// ```
/// use clearance::{Pose, Relation, Shape, glam::DVec3, relation};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let at = |x| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
/// assert_eq!(relation(&cube, &Pose::IDENTITY, &cube, &at(3.0)?), Relation::Separated);
/// assert_eq!(relation(&cube, &Pose::IDENTITY, &cube, &at(2.0)?), Relation::Touching);
/// assert_eq!(relation(&cube, &Pose::IDENTITY, &cube, &at(1.0)?), Relation::Overlapping);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Relation {
    /// A positive gap is proved.
    Separated,
    /// The bracket of the gap contains zero: to the accuracy of the poses they touch.
    Touching,
    /// A negative gap is proved: the interiors meet.
    Overlapping,
}

/// How two bodies lie to each other, with the proof.
///
/// The bracket is of the *signed* gap: positive apart, negative overlapping. It is as tight as needed to know the sign,
/// not tighter.
///
/// ```
/// use clearance::{PairCache, Pose, Relation, Shape, Workspace, glam::DVec3};
/// use clearance::query::{RelationOptions, relation_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let inside = Pose::from_translation(DVec3::new(0.5, 0.0, 0.0))?;
/// let options = RelationOptions::default();
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let proof = relation_with(&cube, &Pose::IDENTITY, &cube, &inside, &options, &mut cache, &mut workspace);
/// assert_eq!(proof.relation, Relation::Overlapping);
/// assert!(proof.gap.upper < 0.0);
/// proof.verify(&cube, &Pose::IDENTITY, &cube, &inside).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RelationProof {
    /// The verdict: `Separated` if `gap.lower > touch_band`, `Overlapping` if `gap.upper < -touch_band`, else
    /// `Touching`.
    pub relation: Relation,
    /// The signed gap: positive apart, negative overlapping; in world units, as tight as needed to know the sign. The
    /// lower end is proved by the planes across `normal`, the upper one by `evidence`. The value is the number between
    /// them nearest zero.
    pub gap: Bracket,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// The band about zero that the caller wants to count as touching.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub touch_band: f64,
    /// Unit, in the world, from A towards B. Of bodies made of parts that are not proved apart: moving B by
    /// `-gap.lower` along it separates them.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// The parts and the points that prove the upper end of the gap, as `evidence` says; features are not told. With
    /// [`Evidence::Polytope`] the points are not told either: both are zero.
    pub witness: Witness,
    /// What proves the upper end of the gap.
    pub evidence: Evidence,
}

/// What proves an upper bound of a signed gap.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Evidence {
    /// The points of the witness are points of the bodies' cores: the gap is at most their distance less the radii.
    /// Against a half-space the distance is signed, negative for a point inside: no way but its normal leads out.
    Points,
    /// Pairs of vertices (of A, of B; as counted by the body, not by the caller's points) whose differences span a
    /// polytope about the origin: the depth is at least the distance from the origin to its surface.
    Polytope {
        /// The pairs.
        pairs: Vec<[u32; 2]>,
    },
    /// The points of the witness are points of the cores of curved bodies, of which one lies deep in the other core.
    /// Where that proves too little, whoever checks grows a polytope of support points until it is proved. Where a body
    /// is a solid mesh: one place, as a point of each body; the balls about it in the meshes bound the depth from
    /// below. Of a surface in a solid mesh: a point of the surface, and the ball about it in the solid.
    Deep,
}

impl RelationProof {
    /// The answer to the question with its bodies exchanged.
    pub(crate) fn swapped(self) -> RelationProof {
        let evidence = match self.evidence {
            Evidence::Polytope { pairs } => Evidence::Polytope { pairs: pairs.iter().map(|&[a, b]| [b, a]).collect() },
            points => points,
        };
        RelationProof { normal: -self.normal, evidence, witness: self.witness.swapped(), ..self }
    }
}

impl RelationProof {
    /// The answer to the same question at another scale.
    pub(crate) fn scaled(self, factor: f64) -> RelationProof {
        RelationProof {
            gap: Bracket::between(scale_down(self.gap.lower, factor), scale_up(self.gap.upper, factor)),
            placement: scale_up(self.placement, factor),
            touch_band: self.touch_band * factor,
            witness: self.witness.scaled(factor),
            ..self
        }
    }
}

/// What counts as touching.
///
/// ```
/// use clearance::{PairCache, Pose, Relation, Shape, Workspace, glam::DVec3};
/// use clearance::query::{RelationOptions, relation_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let near = Pose::from_translation(DVec3::new(2.0 + 1e-7, 0.0, 0.0))?;
/// let options = RelationOptions { touch_band: 1e-6 };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let proof = relation_with(&cube, &Pose::IDENTITY, &cube, &near, &options, &mut cache, &mut workspace);
/// assert_eq!(proof.relation, Relation::Touching);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct RelationOptions {
    /// Gaps and depths up to this count as touching, on top of what rounding leaves open. Zero or less: none.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub touch_band: f64,
}

impl RelationProof {
    /// The verdict that the bracket allows.
    pub(crate) fn verdict(&self) -> Relation {
        if self.gap.lower > self.touch_band {
            Relation::Separated
        } else if self.gap.upper < -self.touch_band {
            Relation::Overlapping
        } else {
            Relation::Touching
        }
    }

    /// Whether the value of the gap is what it is by definition: the number of the bracket nearest zero.
    pub(crate) fn has_value_nearest_zero(&self) -> bool {
        self.gap == Bracket::between(self.gap.lower, self.gap.upper)
    }

    pub(crate) fn judged(self) -> RelationProof {
        RelationProof { relation: self.verdict(), gap: Bracket::between(self.gap.lower, self.gap.upper), ..self }
    }
}
