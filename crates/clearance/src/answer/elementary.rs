//! The question of an elementary test and its answer: a vertex and a face, or two edges, whose corners move on straight
//! lines, and their first contact. Plain data: how the contact is found is in `motion/elementary/`.

use std::fmt;

use glam::DVec3;

use crate::error::{Error, check_coordinates};
use crate::math::bracket::Bracket;
#[cfg(feature = "serde")]
use crate::math::numbers::{as_they_are, data_form};

/// Which two features move.
///
/// ```
/// use clearance::query::ElementaryKind;
/// assert_ne!(ElementaryKind::VertexFace, ElementaryKind::EdgeEdge);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ElementaryKind {
    /// A vertex and a triangle.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

/// Four corners at time 0 and at time 1: a vertex and then a face, or the ends of one edge and then of the other. Each
/// moves on a straight line at constant speed. Features are closed sets; faces without area and edges without length
/// are taken for what they are.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::{ElementaryKind, ElementaryPair};
/// let start = [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// let end = [-DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(ElementaryPair::new(ElementaryKind::VertexFace, start, end).is_ok());
/// assert!(ElementaryPair::new(ElementaryKind::VertexFace, start, [DVec3::NAN; 4]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementaryPair {
    pub(crate) kind: ElementaryKind,
    pub(crate) start: [DVec3; 4],
    pub(crate) end: [DVec3; 4],
}

impl ElementaryPair {
    /// A pair of features.
    ///
    /// # Errors
    /// [`Error::NotFinite`] or [`Error::TooLarge`] with the number of the corner; corners at time 1 count on from 4.
    pub fn new(kind: ElementaryKind, start: [DVec3; 4], end: [DVec3; 4]) -> Result<ElementaryPair, Error> {
        for (index, &corner) in start.iter().chain(&end).enumerate() {
            check_coordinates("corner", index, corner)?;
        }
        Ok(ElementaryPair { kind, start, end })
    }

    /// The largest coordinate in magnitude, to which errors of rounding are relative; at least the least normal float,
    /// below which errors do not get smaller.
    pub(crate) fn size(&self) -> f64 {
        let corners = self.start.iter().chain(&self.end);
        corners.fold(f64::MIN_POSITIVE, |size, corner| size.max(corner.abs().max_element()))
    }

    /// Which features these are.
    #[must_use]
    pub fn kind(&self) -> ElementaryKind {
        self.kind
    }

    /// The corners at time 0.
    #[must_use]
    pub fn start(&self) -> [DVec3; 4] {
        self.start
    }

    /// The corners at time 1.
    #[must_use]
    pub fn end(&self) -> [DVec3; 4] {
        self.end
    }
}

#[cfg(feature = "serde")]
as_they_are!(ElementaryKind);
#[cfg(feature = "serde")]
data_form!(
    ElementaryPair { kind: ElementaryKind, start: [DVec3; 4], end: [DVec3; 4] },
    |pair| (pair.kind, pair.start, pair.end),
    ElementaryPair::new,
);

/// The first contact of two moving features.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::{ElementaryKind, ElementaryPair, elementary_impact};
/// // Two edges, one of which falls on the other.
/// let at = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -1.0, z), DVec3::new(0.5, 1.0, z)];
/// let pair = ElementaryPair::new(ElementaryKind::EdgeEdge, at(1.0), at(-1.0))?;
/// let impact = elementary_impact(&pair).unwrap();
/// assert_eq!((impact.time.lower, impact.time.upper), (0.5, 0.5));
/// assert_eq!((impact.point, impact.coordinates), (DVec3::new(0.5, 0.0, 0.0), [0.5, 0.5]));
/// assert_eq!(impact.normal, Some(DVec3::Z)); // the first edge goes up, seen from the second
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ElementaryImpact {
    /// When the features touch first; the value is the lower end. With [`Exact`](crate::query::ElementarySolver::Exact) both
    /// ends are proved, and are the same number or neighbouring ones. With
    /// [`Inclusion`](crate::query::ElementarySolver::Inclusion) only the lower end is: nothing touches before it. With the
    /// other solvers the bracket is where the time was found.
    pub time: Bracket,
    /// A common point at that time, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Unit normal of the face, or of the plane of the two edges, at that time. It points the way in which the vertex
    /// (or the first edge) moves relative to the other feature; if it moves in the plane, the way of
    /// `(f1 - f0) x (f2 - f0)`, or of `(a1 - a0) x (b1 - b0)`. `None` for a face without area and for parallel edges,
    /// and where rounding of the corners could not tell them from such.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Where the point is on the features: weights of the second and third corner of the face; or the fractions of
    /// the way from the first to the second end, of one edge and of the other.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub coordinates: [f64; 2],
}

/// The answer that two moving features do not touch. It can be verified like any other.
///
/// ```
/// use clearance::answer::NoElementaryImpact;
/// use clearance::glam::DVec3;
/// use clearance::query::{ElementaryKind, ElementaryPair, elementary_impact};
/// let at = |z: f64| [DVec3::new(0.25, 0.25, z), DVec3::ZERO, DVec3::X, DVec3::Y];
/// let falling = |to: f64| ElementaryPair::new(ElementaryKind::VertexFace, at(1.0), at(to));
/// let none = elementary_impact(&falling(0.5)?).unwrap_err();
/// assert_eq!(none, NoElementaryImpact { until: 1.0 });
/// assert_eq!(none.verify(&falling(0.5)?), Ok(()));
/// assert!(none.verify(&falling(-0.5)?).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct NoElementaryImpact {
    /// They do not touch from time 0 to this time, both included; at most 1.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub until: f64,
}

impl fmt::Display for NoElementaryImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no contact until time {}", self.until)
    }
}

impl std::error::Error for NoElementaryImpact {}

/// How pairs were decided.
///
/// ```
/// let mut all = clearance::answer::ElementaryCounts::default();
/// all.add(&clearance::answer::ElementaryCounts { filtered: 1, ..Default::default() });
/// assert_eq!(all.filtered, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ElementaryCounts {
    /// By the filter: no contact.
    pub filtered: u64,
    /// By floating-point numbers with error bounds.
    pub certified: u64,
    /// By integers.
    pub exact: u64,
}

impl ElementaryCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &ElementaryCounts) {
        self.filtered += other.filtered;
        self.certified += other.certified;
        self.exact += other.exact;
    }
}
