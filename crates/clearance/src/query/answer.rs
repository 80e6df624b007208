//! What the questions return.

use glam::DVec3;

use crate::math::pose::Pose;
pub use crate::shape::Feature;

/// Why a bracket is wider than the contract's accuracy. It is true all the same.
///
/// ```
/// use clearance::{DistanceOptions, Method, PairCache, Pose, Shape, Stopped, Workspace, distance_with, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let away = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(9.0, 2.0, 1.0))?;
/// let options = DistanceOptions { farther_than: Some(1.0), ..DistanceOptions::default() };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let answer = distance_with(&cube, &Pose::IDENTITY, &cube, &away, &options, &mut cache, &mut workspace);
/// assert_eq!(answer.method, Method::GjkStopped(Stopped::FartherThan(1.0)));
/// assert!(answer.lower >= 1.0);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stopped {
    /// The options asked for a bracket no narrower than this, in world units.
    Tolerance(f64),
    /// The options asked only whether the bodies are farther apart than this, in world units: they are, and `lower`
    /// proves it.
    FartherThan(f64),
    /// The work is capped: curved bodies deep in each other, and unions whose overlapping parts have no way out in
    /// common. Never for two convex polyhedra, with or without radii.
    Budget,
}

impl Stopped {
    /// The reason, where a search that was allowed to end early did so with this proved lower bound of the gap.
    pub(super) fn reason(farther_than: f64, tolerance: f64, lower: f64) -> Stopped {
        if lower >= farther_than {
            Stopped::FartherThan(farther_than)
        } else if tolerance > 0.0 {
            Stopped::Tolerance(tolerance)
        } else {
            Stopped::Budget
        }
    }

    fn scaled(self, factor: f64) -> Stopped {
        match self {
            Stopped::Tolerance(tolerance) => Stopped::Tolerance(tolerance * factor),
            Stopped::FartherThan(distance) => Stopped::FartherThan(distance * factor),
            Stopped::Budget => Stopped::Budget,
        }
    }
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Gilbert, Johnson and Keerthi's algorithm run to the accuracy of the contract, with the exact form of it where
    /// rounding left a question open. For balls, capsules and segments a formula finds the nearest points before the
    /// first step.
    Gjk,
    /// The same, ended early: the bracket is true but wider than the contract's.
    GjkStopped(Stopped),
    /// The expanding polytope run to the accuracy of the contract, with the exact form of it where rounding left it
    /// unfinished.
    Epa,
    /// The same, ended early: the bracket is true but wider than the contract's.
    EpaStopped(Stopped),
    /// Curved bodies: an approach by GJK or the expanding polytope, finished by Newton's method on the surfaces, to the
    /// accuracy of the contract.
    Newton,
    /// The same with a bracket wider than the contract's, though true.
    NewtonStopped(Stopped),
    /// A formula for the kinds of body at hand, to the accuracy of the contract.
    ClosedForm,
    /// Bodies made of parts: part against part, the nearest boxes first, to the accuracy of the contract.
    Parts,
    /// The same with a bracket wider than the contract's, though true.
    PartsStopped(Stopped),
    /// Two meshes: triangle against triangle, over two trees of boxes, to the accuracy of the contract.
    Mesh,
    /// The same with a bracket wider than the contract's, though true.
    MeshStopped(Stopped),
    /// Depth of solids: a way out that all triangles were tested for, and translations about the origin proved not to be one. The
    /// bracket is true and as wide as the options allow, see [`SolidDepth`](crate::SolidDepth).
    Solids,
    /// Two solids: the columns under pairs of their triangles, summed with a bound on every rounding.
    Columns,
}

impl Method {
    /// Why the bracket is wider than the contract's accuracy; `None` where it is not.
    pub fn stopped(self) -> Option<Stopped> {
        match self {
            Method::GjkStopped(reason)
            | Method::EpaStopped(reason)
            | Method::NewtonStopped(reason)
            | Method::PartsStopped(reason)
            | Method::MeshStopped(reason) => Some(reason),
            Method::Gjk
            | Method::Epa
            | Method::Newton
            | Method::ClosedForm
            | Method::Parts
            | Method::Mesh
            | Method::Solids
            | Method::Columns => None,
        }
    }

    /// The method of the same search at another scale.
    pub(super) fn scaled(self, factor: f64) -> Method {
        match self {
            Method::GjkStopped(reason) => Method::GjkStopped(reason.scaled(factor)),
            Method::EpaStopped(reason) => Method::EpaStopped(reason.scaled(factor)),
            Method::NewtonStopped(reason) => Method::NewtonStopped(reason.scaled(factor)),
            Method::PartsStopped(reason) => Method::PartsStopped(reason.scaled(factor)),
            Method::MeshStopped(reason) => Method::MeshStopped(reason.scaled(factor)),
            complete => complete,
        }
    }
}

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
pub enum Relation {
    /// A positive gap is proved.
    Separated,
    /// The bracket of the gap contains zero: to the accuracy of the poses they touch.
    Touching,
    /// A negative gap is proved: the interiors meet.
    Overlapping,
}

/// How far apart two bodies are.
///
/// ```
/// use clearance::{Pose, Shape, distance, glam::DVec3, verify};
/// let ball = Shape::sphere(1.0)?;
/// let away = Pose::from_translation(DVec3::new(0.0, 0.0, 5.0))?;
/// let answer = distance(&ball, &Pose::IDENTITY, &ball, &away);
/// assert_eq!(answer.value, 3.0);
/// assert!(answer.lower <= 3.0 && 3.0 <= answer.upper && answer.upper - answer.lower < 1e-13);
/// assert_eq!(answer.normal, Some(DVec3::Z));
/// verify(&answer, &ball, &Pose::IDENTITY, &ball, &away).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The gap, in world units. Zero exactly when the placed bodies have a point in common.
    pub value: f64,
    /// Proved: the gap of the real-number bodies is at least this. Never negative.
    pub lower: f64,
    /// Proved: the gap of the real-number bodies is at most this.
    pub upper: f64,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    pub placement: f64,
    /// How the answer was found.
    pub method: Method,
    /// The nearest point of A, in A's own frame; for bodies that meet, a common point.
    pub point_in_a: DVec3,
    /// The nearest point of B, in B's own frame; for bodies that meet, the same common point.
    pub point_in_b: DVec3,
    /// The part of A in question: its index in [`Compound::parts`](crate::Compound::parts). Zero for a body that is not made of parts.
    pub part_a: u32,
    /// The part of B in question.
    pub part_b: u32,
    /// The feature of A that holds `point_in_a`; of a compound, a feature of the part.
    pub feature_a: Feature,
    /// The feature of B that holds `point_in_b`.
    pub feature_b: Feature,
    /// Unit, in the world, from A towards B; the planes across it prove `lower`, of compounds that of the two parts
    /// named. `None` when the value is zero: ask
    /// for the penetration instead.
    pub normal: Option<DVec3>,
}

impl Distance {
    /// The nearest points in the world, for drawing: rounded, and no part of the proof.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance, glam::DVec3};
    /// let ball = Shape::sphere(1.0)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// let answer = distance(&ball, &Pose::IDENTITY, &ball, &away);
    /// assert_eq!(answer.world_points(&Pose::IDENTITY, &away), [DVec3::X, DVec3::new(4.0, 0.0, 0.0)]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        [pose_a.transform_point(self.point_in_a), pose_b.transform_point(self.point_in_b)]
    }
}

/// How deep two bodies overlap, and the way out: the least translation that separates them.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, penetration, verify};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
/// let answer = penetration(&cube, &Pose::IDENTITY, &cube, &into)?;
/// assert!((answer.depth - 0.25).abs() < 1e-14);
/// assert_eq!(answer.normal, DVec3::X);
/// verify(&answer, &cube, &Pose::IDENTITY, &cube, &into).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The length of the shortest translation that makes the interiors disjoint, in world units. Zero for bodies apart.
    pub depth: f64,
    /// Proved: no shorter translation than this does it, for the real-number bodies. Never negative.
    pub lower: f64,
    /// Proved: moving B by `upper * normal` makes the interiors of the real-number bodies disjoint. Never negative.
    pub upper: f64,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    pub placement: f64,
    /// How the answer was found: by GJK when the cores do not overlap (bodies apart, touching, or with overlapping radii
    /// only), else by the expanding polytope.
    pub method: Method,
    /// The point of A deepest in B, on A's surface, in A's own frame; for bodies apart the nearest point. For compounds the
    /// points are those of the two parts deepest in each other, which may have another way out than the whole.
    pub point_in_a: DVec3,
    /// The point of B deepest in A, on B's surface, in B's own frame; for bodies apart the nearest point. In the world
    /// `point_in_a - point_in_b` is `depth * normal`.
    pub point_in_b: DVec3,
    /// The part of A in question: its index in [`Compound::parts`](crate::Compound::parts). Zero for a body that is not made of parts.
    pub part_a: u32,
    /// The part of B in question.
    pub part_b: u32,
    /// The feature of A that holds `point_in_a`; of a compound, a feature of the part.
    pub feature_a: Feature,
    /// The feature of B that holds `point_in_b`.
    pub feature_b: Feature,
    /// Unit, in the world, from A towards B: moving B by `depth * normal` leaves the bodies touching. For bodies apart the
    /// direction of the gap. Where several directions are as good, one of them.
    pub normal: DVec3,
}

impl Penetration {
    /// The deepest points in the world, for drawing: rounded, and no part of the proof.
    ///
    /// ```
    /// use clearance::{Pose, Shape, glam::DVec3, penetration};
    /// let ball = Shape::sphere(1.0)?;
    /// let into = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0))?;
    /// let answer = penetration(&ball, &Pose::IDENTITY, &ball, &into)?;
    /// assert_eq!(answer.world_points(&Pose::IDENTITY, &into), [DVec3::X, DVec3::new(0.5, 0.0, 0.0)]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn world_points(&self, pose_a: &Pose, pose_b: &Pose) -> [DVec3; 2] {
        [pose_a.transform_point(self.point_in_a), pose_b.transform_point(self.point_in_b)]
    }

    /// The answer for the bodies exchanged.
    pub(super) fn mirrored(self) -> Penetration {
        Penetration {
            point_in_a: self.point_in_b,
            point_in_b: self.point_in_a,
            part_a: self.part_b,
            part_b: self.part_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            normal: -self.normal,
            ..self
        }
    }
}

/// How two bodies lie to each other, with the proof.
///
/// The bracket is of the *signed* gap: positive apart, negative overlapping. It is as tight as needed to know the sign,
/// not tighter.
///
/// ```
/// use clearance::{PairCache, Pose, Relation, RelationOptions, Shape, Workspace, glam::DVec3, relation_with, verify};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let inside = Pose::from_translation(DVec3::new(0.5, 0.0, 0.0))?;
/// let options = RelationOptions::default();
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let proof = relation_with(&cube, &Pose::IDENTITY, &cube, &inside, &options, &mut cache, &mut workspace);
/// assert_eq!(proof.relation, Relation::Overlapping);
/// assert!(proof.upper < 0.0);
/// verify(&proof, &cube, &Pose::IDENTITY, &cube, &inside).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RelationProof {
    /// The verdict: `Separated` if `lower > touch_band`, `Overlapping` if `upper < -touch_band`, else `Touching`.
    pub relation: Relation,
    /// Proved: the signed gap is at least this, by the planes across `normal`.
    pub lower: f64,
    /// Proved: the signed gap is at most this, by `evidence`.
    pub upper: f64,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    pub placement: f64,
    /// The band about zero that the caller wants to count as touching.
    pub touch_band: f64,
    /// Unit, in the world, from A towards B. Of bodies made of parts that are not proved apart: moving B by `-lower` along it
    /// separates them.
    pub normal: DVec3,
    /// The part of A that proves `upper`, see [`Distance::part_a`].
    pub part_a: u32,
    /// The part of B that proves `upper`.
    pub part_b: u32,
    /// What proves `upper`.
    pub evidence: Evidence,
}

/// What proves an upper bound of a signed gap.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Two points of the bodies' cores, each in its body's own frame: the gap is at most their distance less the radii.
    /// Against a half-space the distance is signed, negative for a point inside: no way but its normal leads out.
    Points {
        /// A point of A's core.
        point_in_a: DVec3,
        /// A point of B's core.
        point_in_b: DVec3,
    },
    /// Pairs of vertices (of A, of B; as counted by the body, not by the caller's points) whose differences span a
    /// polytope about the origin: the depth is at least the distance from the origin to its surface.
    Polytope {
        /// The pairs.
        pairs: Vec<[u32; 2]>,
    },
    /// Points of the cores of curved bodies, each in its body's own frame, of which one lies deep in the other core. Where
    /// that proves too little, whoever checks grows a polytope of support points until it is proved. Where a body is a solid
    /// mesh: one place, as a point of each body; the balls about it in the meshes bound the depth from below. Of a
    /// surface in a solid mesh: a point of the surface, and the ball about it in the solid.
    Deep {
        /// A point of A's core.
        point_in_a: DVec3,
        /// A point of B's core.
        point_in_b: DVec3,
    },
}

impl RelationProof {
    /// The answer to the question with its bodies exchanged.
    pub(crate) fn swapped(self) -> RelationProof {
        let evidence = match self.evidence {
            Evidence::Points { point_in_a, point_in_b } => {
                Evidence::Points { point_in_a: point_in_b, point_in_b: point_in_a }
            }
            Evidence::Polytope { pairs } => Evidence::Polytope { pairs: pairs.iter().map(|&[a, b]| [b, a]).collect() },
            Evidence::Deep { point_in_a, point_in_b } => {
                Evidence::Deep { point_in_a: point_in_b, point_in_b: point_in_a }
            }
        };
        RelationProof { normal: -self.normal, evidence, part_a: self.part_b, part_b: self.part_a, ..self }
    }
}
