//! Input and output of an elementary continuous test: a vertex and a face, or two edges, whose corners move on straight
//! lines, and their first contact. Plain data; the solvers are in `motion/elementary/`.

use std::cmp::Ordering;
use std::fmt;

use glam::DVec3;

use crate::error::{Error, check_coordinates};
use crate::math::bracket::Bracket;
#[cfg(feature = "serde")]
use crate::math::numbers::{as_they_are, data_form};
use crate::shape::Feature;

/// Which two features are tested.
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

/// Four corners at time 0 and at time 1: a vertex followed by a face, or the ends of one edge followed by those of the
/// other. Each corner moves on a straight line at constant speed. Features are closed sets; degenerate faces and edges
/// are treated as the segment or point they collapse to.
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
    /// A pair of features from its corners at time 0 (`start`) and time 1 (`end`), all in one frame.
    ///
    /// # Errors
    /// [`Error::NotFinite`] or [`Error::TooLarge`] with the index of the corner; corners at time 1 have indices 4 to 7.
    pub fn new(kind: ElementaryKind, start: [DVec3; 4], end: [DVec3; 4]) -> Result<ElementaryPair, Error> {
        for (index, &corner) in start.iter().chain(&end).enumerate() {
            check_coordinates("corner", index, corner)?;
        }
        Ok(ElementaryPair { kind, start, end })
    }

    /// The largest coordinate in magnitude, to which rounding errors are relative; at least the smallest normal float,
    /// below which they do not shrink.
    pub(crate) fn size(&self) -> f64 {
        let corners = self.start.iter().chain(&self.end);
        corners.fold(f64::MIN_POSITIVE, |size, corner| size.max(corner.abs().max_element()))
    }

    /// Which two features are tested.
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
/// // An edge falls onto another edge.
/// let at = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -1.0, z), DVec3::new(0.5, 1.0, z)];
/// let pair = ElementaryPair::new(ElementaryKind::EdgeEdge, at(1.0), at(-1.0))?;
/// let impact = elementary_impact(&pair).unwrap();
/// assert_eq!((impact.time.lower, impact.time.upper), (0.5, 0.5));
/// assert_eq!((impact.point, impact.coordinates), (DVec3::new(0.5, 0.0, 0.0), [0.5, 0.5]));
/// assert_eq!(impact.normal, Some(DVec3::Z)); // relative to the second edge, the first moves up
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ElementaryImpact {
    /// When the features first touch, as a fraction of the step; the value is the lower end. With
    /// [`Exact`](crate::query::ElementarySolver::Exact) both ends are proved and are equal or adjacent floats. With
    /// [`Inclusion`](crate::query::ElementarySolver::Inclusion) only the lower end is proved: nothing touches before
    /// it. With the other solvers the bracket is the interval in which the time was found.
    pub time: Bracket,
    /// A common point of both features at that time, in the frame of the corners, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Unit normal of the face, or of the plane spanned by the two edges, at that time, in the frame of the corners. It
    /// points in the direction in which the vertex (or first edge) moves relative to the other feature; if that motion
    /// is in the plane, along `(f1 - f0) x (f2 - f0)` or `(a1 - a0) x (b1 - b0)`. `None` for a degenerate face or
    /// parallel edges, and where rounding of the corners cannot rule these out.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: Option<DVec3>,
    /// Position of the point on the features: the barycentric weights of the second and third corner of the face, or
    /// the fractions along the first and the second edge, from first to second end.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub coordinates: [f64; 2],
}

/// Two features of two moving triangles that touch. See [`triangle_impacts`](crate::query::triangle_impacts()).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TriangleImpact {
    /// The feature of the first triangle and that of the second: `Vertex(k)`, `Edge(k)` from corner `k` to the next, or
    /// `Face(0)`.
    pub features: [Feature; 2],
    /// When and where they first touch. Of a vertex and a face, the vertex is the first feature in the sense of
    /// [`ElementaryImpact`], whichever triangle has it.
    pub impact: ElementaryImpact,
}

impl TriangleImpact {
    /// Order by the time at which the impact is proved, ties by features.
    pub(crate) fn order(&self, other: &TriangleImpact) -> Ordering {
        let (own, theirs) = (&self.impact.time, &other.impact.time);
        let times = own.upper.total_cmp(&theirs.upper).then(own.lower.total_cmp(&theirs.lower));
        times.then_with(|| self.features.cmp(&other.features))
    }
}

/// The answer that two moving features do not touch. It can be verified like any other answer.
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
    /// The features do not touch from time 0 to this time, both inclusive; a fraction of the step, at most 1.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub until: f64,
}

impl fmt::Display for NoElementaryImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no contact until time {}", self.until)
    }
}

impl std::error::Error for NoElementaryImpact {}

/// How many elementary pairs each stage decided.
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
    /// Pairs the filter rejected: no contact.
    pub filtered: u64,
    /// Pairs decided by floating-point arithmetic with error bounds.
    pub certified: u64,
    /// Pairs decided by exact integer arithmetic.
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
