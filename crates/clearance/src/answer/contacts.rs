use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::math::bracket::{Bracket, scale_up};
use crate::math::predicates::Sign;
use crate::shape::Feature;

/// What counts as a contact, and how many contacts to return.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::answer::Contacts;
/// use clearance::query::{ContactsOptions, contacts_with};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let above = Pose::from_translation(DVec3::new(0.25, 0.5, 2.01))?;
/// let (mut cache, mut workspace, mut found) = (PairCache::default(), Workspace::default(), Contacts::default());
/// let options = ContactsOptions { margin: 0.02, most: Some(3), ..ContactsOptions::default() };
/// contacts_with(&cube, &Pose::IDENTITY, &cube, &above, &options, &mut cache, &mut workspace, &mut found);
/// assert_eq!(found.points.len(), 3);
/// assert!((found.gap.value - 0.01).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContactsOptions {
    /// Points no farther apart than this along the normal are contacts, in world units. A pair is discarded only if it
    /// is proved to be farther apart, so touching bodies have contacts even at a margin of zero. Negative or NaN: zero.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// Keep at most this many points, but at least one: the deepest, then those that spread widest. `None`: all.
    pub most: Option<usize>,
    /// The largest angle, in radians, between a face or straight edge and the plane perpendicular to the normal at
    /// which all of its points within the margin still become contacts. The points are correct for any angle below 45
    /// degrees; the larger the angle, the earlier a body tipping over onto a face gets more than one contact. Clamped
    /// to 0..=0.7.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tilt: f64,
}

impl Default for ContactsOptions {
    /// No margin, all points, a tilt of 0.02 (about one degree).
    fn default() -> ContactsOptions {
        ContactsOptions { margin: 0.0, most: None, tilt: 0.02 }
    }
}

/// A pair of points at which two bodies touch, one on each body, aligned along the normal.
///
/// ```
/// use clearance::{Pose, Shape, contacts, glam::{DVec2, DVec3}};
/// // A sphere in a valley touches both slopes, each along its own normal.
/// let valley = Shape::height_field(3, 3, DVec2::ONE, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let ball = Pose::from_translation(DVec3::new(1.0, 1.25, 0.7))?;
/// let found = contacts(&valley, &Pose::IDENTITY, &Shape::sphere(0.5)?, &ball);
/// assert_eq!(found.points.len(), 2);
/// assert!(found.points[0].normal.dot(found.points[1].normal).abs() < 1e-9);
/// assert_ne!(found.points[0].witness.a.part, found.points[1].witness.a.part);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Contact {
    /// The two points, each on the surface of its body and in that body's local frame, with the part and the feature
    /// that contain them.
    pub witness: Witness,
    /// Unit vector from A towards B, in world coordinates. Equal to [`Contacts::normal`] unless a body is made of
    /// parts.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// Signed distance from A's point to B's along the normal, in world units; negative where the bodies overlap. The
    /// bracket is proved for exactly these two points under the real-number poses.
    pub gap: Bracket,
}

/// The contact points of two bodies. Convex bodies share one normal; for bodies made of parts, each pair of touching
/// parts has its own. Designed to be reused as an output buffer: see [`ContactsOptions`] for an example.
///
/// ```
/// use clearance::{Pose, Shape, contacts, glam::DVec3};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let on_top = Pose::from_translation(DVec3::new(0.5, 0.5, 2.0))?;
/// let found = contacts(&cube, &Pose::IDENTITY, &cube, &on_top);
/// assert_eq!((found.points.len(), found.normal), (4, DVec3::Z));
/// // A vertex of A below a face of B, a vertex of B above a face of A, and two edge crossings.
/// let of = |at: clearance::answer::Witness| (at.a.feature, at.b.feature);
/// assert!(found.points.iter().any(|p| of(p.witness) == (Feature::Vertex(7), Feature::Face(4))));
/// found.verify(&cube, &Pose::IDENTITY, &cube, &on_top).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Contacts {
    /// Unit vector from A towards B, in world coordinates: the direction of the least separating translation of B for
    /// overlapping bodies, else the direction of the gap.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// The signed gap of the real-number bodies, in world units: minus the penetration depth when they overlap. The
    /// lower end is proved by the supporting planes perpendicular to `normal`; for bodies made of parts, as by
    /// [`distance`](crate::distance) and [`penetration`](crate::penetration). Not tight if the bodies turned out to be
    /// farther apart than the margin.
    pub gap: Bracket,
    /// The points that prove the upper end of the gap: on each body the point nearest to the other, or deepest in it,
    /// in its local frame, with its part. They lie in the contact region but usually do not appear in `points`.
    /// Features are not computed: always `Interior`. Both points are zero for two half-spaces whose overlap is
    /// unbounded.
    pub witness: Witness,
    /// The margin used, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The tilt used, in radians, after clamping.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tilt: f64,
    /// Bound on the distance of a placed vertex from its exact position, in world units; included in the bracket.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// How the normal and the gap were computed.
    pub method: Method,
    /// The contact points in order around the contact region; deepest first if their number was limited or a body is
    /// made of parts. The deepest is always among them. Empty if the gap is proved to exceed the margin, and for two
    /// bodies whose overlap is unbounded, where the gap is `-f64::MAX`.
    pub points: Vec<Contact>,
    /// The intersecting triangle pairs of two meshes, in ascending order; empty for other bodies.
    /// [`contact_curves`](crate::query::contact_curves) links them into curves.
    pub crossings: Vec<Crossing>,
}

/// Two intersecting triangles of two meshes, and their common segment.
///
/// ```
/// use clearance::{Pose, Shape, contacts, glam::DVec3};
/// let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
/// let upright = Pose::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::new(0.5, 1.0, -1.0))?;
/// let found = contacts(&sheet, &Pose::IDENTITY, &sheet, &upright);
/// assert_eq!(found.crossings.len(), 1);
/// let [p, q] = found.crossings[0].ends_in_a;
/// assert!((p.distance(q) - 2.5).abs() < 1e-12);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Crossing {
    /// Index of the triangle of A, in the caller's numbering.
    pub triangle_a: u32,
    /// Index of the triangle of B, in the caller's numbering.
    pub triangle_b: u32,
    /// The ends of the common segment, in A's local frame; equal for a single point. For coplanar triangles, the
    /// outermost corners of the common area. Which triangles meet, and at which of their edges and vertices, is decided
    /// exactly for the placed pair; the coordinates are rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub ends_in_a: [DVec3; 2],
    /// Direction in which B is pushed at each end, a unit vector in world coordinates: the normal of A's triangle where
    /// an edge of B passes through it, minus the normal of B's triangle where an edge of A passes through that one.
    /// `None` if the triangle belongs to a surface rather than a solid, which has no outside, or where edges and
    /// vertices meet.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normals: [Option<DVec3>; 2],
    /// On which side of the plane of B's triangle A's triangle lies; exact for the placed pair. If both are
    /// [`PlaneSide::Both`], the surfaces pass through each other.
    pub side_of_a: PlaneSide,
    /// On which side of the plane of A's triangle B's triangle lies; exact for the placed pair.
    pub side_of_b: PlaneSide,
}

/// On which side of the plane of another triangle a triangle lies.
///
/// ```
/// use clearance::{Pose, Shape, contacts};
/// use clearance::answer::PlaneSide;
/// let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
/// // Upright, standing on the sheet with one edge: the sheet extends to both sides of it.
/// let upright = Pose::from_rows([[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, -1.0, 1.0], [0.0, 1.0, 0.0, 0.0]])?;
/// let found = contacts(&sheet, &Pose::IDENTITY, &sheet, &upright);
/// assert_eq!((found.crossings[0].side_of_a, found.crossings[0].side_of_b), (PlaneSide::Both, PlaneSide::Front));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PlaneSide {
    /// In the plane. Also returned if the other triangle is degenerate and has no plane.
    In,
    /// On the side from which the other triangle appears counter-clockwise; part of it may lie in the plane.
    Front,
    /// On the side from which the other triangle appears clockwise; part of it may lie in the plane.
    Back,
    /// On both sides.
    Both,
}

impl PlaneSide {
    /// From the signs of the vertices, as returned by [`orient3d`](crate::math::orient3d).
    pub(crate) fn of_corners(corners: [Sign; 3]) -> PlaneSide {
        match (corners.iter().any(|sign| sign.is_positive()), corners.iter().any(|sign| sign.is_negative())) {
            (true, true) => PlaneSide::Both,
            (true, false) => PlaneSide::Front,
            (false, true) => PlaneSide::Back,
            (false, false) => PlaneSide::In,
        }
    }
}

impl Contact {
    /// The closest points of two bodies as a contact.
    pub(crate) fn of_distance(found: &Distance, normal: DVec3) -> Contact {
        let Bracket { lower, value, upper } = found.gap;
        let lower = if value == 0.0 { -upper } else { lower };
        Contact { witness: found.witness, normal, gap: Bracket { lower, value, upper } }
    }

    /// The same contact with A and B swapped.
    pub(crate) fn swapped(self) -> Contact {
        Contact { witness: self.witness.swapped(), normal: -self.normal, ..self }
    }
}

/// Placeholder witness: two half-spaces whose overlap is unbounded, or an answer not yet filled in.
pub(crate) const NOWHERE: WitnessPoint = WitnessPoint { point: DVec3::ZERO, part: 0, feature: Feature::Interior };

impl Default for Contacts {
    /// No contacts: a buffer to be filled.
    fn default() -> Contacts {
        Contacts {
            normal: DVec3::X,
            gap: Bracket::exact(0.0),
            witness: Witness { a: NOWHERE, b: NOWHERE },
            margin: 0.0,
            tilt: 0.0,
            placement: 0.0,
            method: Method::Gjk,
            points: Vec::new(),
            crossings: Vec::new(),
        }
    }
}

impl Contacts {
    /// Rescales the answer by a power of two.
    pub(crate) fn scale_by(&mut self, factor: f64) {
        self.gap = self.gap.scaled(factor);
        self.margin *= factor;
        self.witness = self.witness.scaled(factor);
        self.placement = scale_up(self.placement, factor);
        for point in &mut self.points {
            point.gap = point.gap.scaled(factor);
            point.witness = point.witness.scaled(factor);
        }
        for crossing in &mut self.crossings {
            crossing.ends_in_a = crossing.ends_in_a.map(|end| end * factor);
        }
    }
}
