use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::Method;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::math::bracket::{Bracket, scale_up};
use crate::math::predicates::Sign;
use crate::shape::Feature;

/// What counts as a contact, and how many are wanted.
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
    /// Points no farther apart than this, along the normal, are contacts; in world units. Only what is proved to be
    /// farther is left out, so bodies that touch have theirs at a margin of zero. Less than zero or NaN: zero.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// Keep at most so many points, never fewer than one: the deepest, then those that spread widest. `None`: all.
    pub most: Option<usize>,
    /// By what angle, in radians, a face or a line of a side may be off the plane across the normal and still touch
    /// with all of its points that are near enough. Any angle below a half right one gives true points; the larger it
    /// is, the earlier a body that tips over has more than one. Clamped to between 0 and 0.7.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tilt: f64,
}

impl Default for ContactsOptions {
    /// No margin, all points, a tilt of 0.02: about a degree.
    fn default() -> ContactsOptions {
        ContactsOptions { margin: 0.0, most: None, tilt: 0.02 }
    }
}

/// One pair of points where two bodies touch, right behind each other along its normal.
///
/// ```
/// use clearance::{Pose, Shape, contacts, glam::{DVec2, DVec3}};
/// // A ball in a valley touches both slopes, each along its own normal.
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
    /// The two points, each on its body's surface and in its body's own frame, with the part and the feature that hold
    /// them.
    pub witness: Witness,
    /// Unit, in the world, from A towards B. That of [`Contacts`], unless a body is made of parts.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// From A's point to B's along the normal, in world units: negative where the bodies overlap. Proved between these
    /// very points, for the real-number poses.
    pub gap: Bracket,
}

/// Where two bodies touch: points along one normal, or, of bodies made of parts, along as many as there are pairs of
/// parts that touch. Made to be used again: see [`ContactsOptions`] for an example.
///
/// ```
/// use clearance::{Pose, Shape, contacts, glam::DVec3};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let on_top = Pose::from_translation(DVec3::new(0.5, 0.5, 2.0))?;
/// let found = contacts(&cube, &Pose::IDENTITY, &cube, &on_top);
/// assert_eq!((found.points.len(), found.normal), (4, DVec3::Z));
/// // A corner of A below a face of B, a corner of B above a face of A, and two crossings of edges.
/// let of = |at: clearance::answer::Witness| (at.a.feature, at.b.feature);
/// assert!(found.points.iter().any(|p| of(p.witness) == (Feature::Vertex(7), Feature::Face(4))));
/// found.verify(&cube, &Pose::IDENTITY, &cube, &on_top).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Contacts {
    /// Unit, in the world, from A towards B: the way out of an overlap, or the direction of the gap.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// The signed gap of the real-number bodies, in world units: negative when they overlap, by the depth. The lower
    /// end is proved by the planes across the normal, or, of bodies made of parts, as [`distance`](crate::distance) and
    /// [`penetration`](crate::penetration) prove it. Not tight where the bodies were seen to be farther apart than the
    /// margin.
    pub gap: Bracket,
    /// The points that prove the upper end of the gap: of each body the point nearest the other, or deepest in it, in
    /// its own frame, and its part. They lie where the bodies touch, though mostly they are none of `points`. Their
    /// features are not looked for: always `Interior`. Both points are zero for two half-spaces with no bound.
    pub witness: Witness,
    /// The margin that was asked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
    /// The tilt that was asked for, as far as it was heeded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub tilt: f64,
    /// Bound on how far a placed vertex lies from where its pose ideally puts it; the bracket includes it.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// How the normal and the gap were found.
    pub method: Method,
    /// The points, in order around the region of contact, or, where fewer were wanted or a body is made of parts, the
    /// deepest first; the deepest is always among them. Empty when the gap is proved to be larger than the margin, and
    /// for two bodies with an unbounded part in common, whose gap is `-f64::MAX`.
    pub points: Vec<Contact>,
    /// The pairs of triangles of two meshes that meet, in ascending order. [`contact_curves`](crate::query::contact_curves)
    /// links them.
    pub crossings: Vec<Crossing>,
}

/// Two triangles of two meshes that meet, and the segment they have in common.
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
    /// The triangle of A, as the caller counts them.
    pub triangle_a: u32,
    /// The triangle of B.
    pub triangle_b: u32,
    /// The ends of the common segment in A's own frame, equal for a point; of coplanar triangles the outermost corners
    /// of what they have in common. Which triangles meet, and in which of their edges and corners, is decided exactly
    /// for the placed pair; the coordinates are rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub ends_in_a: [DVec3; 2],
    /// The way B is pushed at each end, unit, in the world: the normal of A's triangle where an edge of B goes through
    /// it, against that of B's where an edge of A goes through that. `None` where the triangle belongs to a surface,
    /// which has no outside, or where edges and corners meet.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normals: [Option<DVec3>; 2],
    /// On which side of the plane of B's triangle that of A lies; exact for the placed pair. Where both triangles lie
    /// on both sides of each other the surfaces go through each other.
    pub side_of_a: PlaneSide,
    /// On which side of the plane of A's triangle that of B lies.
    pub side_of_b: PlaneSide,
}

/// On which side of the plane of another triangle a triangle lies.
///
/// ```
/// use clearance::{Pose, Shape, contacts};
/// use clearance::answer::PlaneSide;
/// let sheet = Shape::mesh(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
/// // Upright, and standing on the sheet with one edge: the sheet goes on to both sides of it.
/// let upright = Pose::from_rows([[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, -1.0, 1.0], [0.0, 1.0, 0.0, 0.0]])?;
/// let found = contacts(&sheet, &Pose::IDENTITY, &sheet, &upright);
/// assert_eq!((found.crossings[0].side_of_a, found.crossings[0].side_of_b), (PlaneSide::Both, PlaneSide::Front));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PlaneSide {
    /// In the plane; also if the other triangle has no area, and so no plane.
    In,
    /// On the side from which the other triangle is seen counter-clockwise, or in the plane with a part of it.
    Front,
    /// On the side from which it is seen clockwise, or in the plane with a part of it.
    Back,
    /// On both.
    Both,
}

impl PlaneSide {
    /// By the sides of the corners, as [`orient3d`](crate::math::orient3d) has them.
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
    /// The nearest points of two bodies as a contact.
    pub(crate) fn of_distance(found: &Distance, normal: DVec3) -> Contact {
        let Bracket { lower, value, upper } = found.gap;
        let lower = if value == 0.0 { -upper } else { lower };
        Contact { witness: found.witness, normal, gap: Bracket { lower, value, upper } }
    }

    /// The same with the bodies exchanged.
    pub(crate) fn swapped(self) -> Contact {
        Contact { witness: self.witness.swapped(), normal: -self.normal, ..self }
    }
}

/// The witness of two half-spaces with no bound, and of an answer not yet given.
pub(crate) const NOWHERE: WitnessPoint = WitnessPoint { point: DVec3::ZERO, part: 0, feature: Feature::Interior };

impl Default for Contacts {
    /// No contacts: something to be filled.
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
    /// The answer to the same question at another scale, a power of two.
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
