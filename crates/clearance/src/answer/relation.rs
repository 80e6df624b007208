use glam::DVec3;

use crate::answer::witness::Witness;
use crate::math::bracket::{Bracket, scale_down, scale_up};

/// Whether two bodies are separated, touching or overlapping.
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
    /// The bracket of the gap contains zero: they touch to within the accuracy of the poses.
    Touching,
    /// A negative gap is proved: the interiors overlap.
    Overlapping,
}

/// Whether two bodies are separated, touching or overlapping, with the proof.
///
/// The bracket is of the *signed* gap: positive when apart, negative when overlapping. It is only as tight as needed to
/// determine the sign.
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
    /// The verdict: `Separated` if `gap.lower > touch_band`, `Overlapping` if `gap.upper < -touch_band`, otherwise
    /// `Touching`.
    pub relation: Relation,
    /// The signed gap, in world units: positive when apart, negative when overlapping; as tight as needed to determine
    /// the sign. The lower end is proved by the supporting planes perpendicular to `normal`, the upper end by
    /// `evidence`. The value is the number of the bracket nearest to zero.
    pub gap: Bracket,
    /// Bound on the distance of a placed vertex from its exact position, in world units; included in the bracket.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// Half-width of the band around zero that counts as touching, in world units, as given in the options.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub touch_band: f64,
    /// Unit vector from A towards B, in world coordinates. For bodies made of parts that are not proved apart, moving B
    /// by `-gap.lower` along it separates them.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// The parts and the points that prove the upper end of the gap, as described by `evidence`; features are not
    /// computed. With [`Evidence::Polytope`] both points are zero.
    pub witness: Witness,
    /// The proof of the upper end of the gap.
    pub evidence: Evidence,
}

/// The proof of an upper bound on a signed gap.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Evidence {
    /// The witness points are points of the bodies' cores: the gap is at most their distance minus the radii. Against a
    /// half-space the distance is signed, negative for a point inside, since only a translation along its normal
    /// separates.
    Points,
    /// Pairs of vertices (of A, of B; in the body's internal numbering, not the caller's) whose differences span a
    /// polytope that contains the origin: the depth is at least the distance from the origin to its surface.
    Polytope {
        /// The vertex pairs `[of A, of B]`.
        pairs: Vec<[u32; 2]>,
    },
    /// For curved bodies, the witness points are points of the cores, one of which lies deep in the other core; if that
    /// proves too little, `verify` grows a polytope of support points until the bound is proved. For a solid mesh, both
    /// are the same world point, expressed in each body; the balls around it inside the meshes bound the depth from
    /// below. For a surface inside a solid mesh, a point of the surface and the ball around it inside the solid.
    Deep,
}

impl RelationProof {
    /// The answer with A and B swapped.
    pub(crate) fn swapped(self) -> RelationProof {
        let evidence = match self.evidence {
            Evidence::Polytope { pairs } => Evidence::Polytope { pairs: pairs.iter().map(|&[a, b]| [b, a]).collect() },
            points => points,
        };
        RelationProof { normal: -self.normal, evidence, witness: self.witness.swapped(), ..self }
    }
}

impl RelationProof {
    /// The answer scaled by a power of two.
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
    /// Gaps and depths up to this count as touching, in world units, in addition to those rounding leaves undecided.
    /// Zero or less: none.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub touch_band: f64,
}

impl RelationProof {
    /// The verdict implied by the bracket.
    pub(crate) fn verdict(&self) -> Relation {
        if self.gap.lower > self.touch_band {
            Relation::Separated
        } else if self.gap.upper < -self.touch_band {
            Relation::Overlapping
        } else {
            Relation::Touching
        }
    }

    /// Whether the value of the gap is, as defined, the number of the bracket nearest to zero.
    pub(crate) fn has_value_nearest_zero(&self) -> bool {
        self.gap == Bracket::between(self.gap.lower, self.gap.upper)
    }

    pub(crate) fn judged(self) -> RelationProof {
        RelationProof { relation: self.verdict(), gap: Bracket::between(self.gap.lower, self.gap.upper), ..self }
    }
}
