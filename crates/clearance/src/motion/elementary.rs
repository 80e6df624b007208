//! A vertex and a face, or two edges, whose corners move on straight lines: when do they first touch?
//!
//! The elementary tests of Eberle, "Continuous Collision Detection for Deforming Triangle Meshes" (SIGGRAPH course notes).
//! Four ways stand behind one signature ([`ElementarySolver`]); what they have in common is here: the pair, the options,
//! the answer.

use glam::DVec3;

use super::elementary_certified::{self, Certified};
use super::elementary_filter::{self, FourPairs};
use super::{elementary_bisection, elementary_cubic, elementary_exact, elementary_inclusion};
use crate::convex::segments::nearest_along;
use crate::error::{Error, check_coordinates};
use crate::geom::closest::{closest_on_triangle, scale_for};
use crate::math::simd::at_level;
use crate::math::tolerances::ELEMENTARY_NORMAL;

/// Which two features move.
///
/// ```
/// use clearance::ElementaryKind;
/// assert_ne!(ElementaryKind::VertexFace, ElementaryKind::EdgeEdge);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementaryKind {
    /// A vertex and a triangle.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

/// Four corners at time 0 and at time 1: a vertex and then a face, or the ends of one edge and then of the other. Each
/// moves on a straight line at constant speed. Features are closed sets; faces without area and edges without length are
/// taken for what they are.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{ElementaryKind, ElementaryPair};
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

    /// The largest coordinate in magnitude, to which errors of rounding are relative; at least the least normal float, below which
    /// errors do not get smaller.
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

/// How the first contact of two moving features is found.
///
/// On 4779 published queries with known answers (`lab run ccd-queries`): errors, mean and median time.
///
/// | Solver | Missed | Invented | Mean | Median |
/// |---|---|---|---|---|
/// | `Exact` | 0 | 0 | 0.7 us | 0.11 us |
/// | `Inclusion` | 0 | 44 | 0.2 ms | 1.2 us |
/// | `Cubic` | 6 | 27 | 0.14 us | 0.12 us |
/// | `Bisection` | 1 | 73 | 80 us | 1.1 us |
///
/// ```
/// assert_eq!(clearance::ElementarySolver::default(), clearance::ElementarySolver::Exact);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ElementarySolver {
    /// Contact or none is decided exactly, for all input. The default.
    #[default]
    Exact,
    /// Boxes of time and the two parameters of the surface: never misses a contact, and takes features that come within
    /// a tolerance for touching.
    Inclusion,
    /// The roots of the coplanarity cubic by formula, as in the paper. Proves nothing; for comparison.
    Cubic,
    /// Bisection of time with interval bounds of the cubic. Proves nothing about the features; for comparison.
    Bisection,
}

/// Options of [`elementary_impact`].
///
/// ```
/// let options = clearance::ElementaryOptions { until: 0.5, ..Default::default() };
/// assert_eq!(options.solver, clearance::ElementarySolver::Exact);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementaryOptions {
    /// Which way it is found.
    pub solver: ElementarySolver,
    /// Contacts up to this time, itself included, are found. Taken to the nearest number in [0, 1]; NaN counts as 1.
    pub until: f64,
    /// [`ElementarySolver::Inclusion`]: features no farther apart than this, along each axis, count as touching.
    pub minimum_separation: f64,
    /// [`ElementarySolver::Inclusion`]: how large, along each axis, the box of differences may be that is taken for a contact.
    pub tolerance: f64,
    /// [`ElementarySolver::Inclusion`]: the most boxes that are looked at. What is left then counts as a contact.
    pub most_boxes: u32,
}

impl ElementaryOptions {
    /// `until` as a time of the step.
    fn window(&self) -> f64 {
        if self.until.is_nan() { 1.0 } else { self.until.clamp(0.0, 1.0) + 0.0 }
    }
}

impl Default for ElementaryOptions {
    fn default() -> ElementaryOptions {
        ElementaryOptions {
            solver: ElementarySolver::Exact,
            until: 1.0,
            minimum_separation: 0.0,
            tolerance: 1e-6,
            most_boxes: 1_000_000,
        }
    }
}

/// The first contact of two moving features.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{ElementaryKind, ElementaryOptions, ElementaryPair, elementary_impact};
/// // Two edges, one of which falls on the other.
/// let at = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -1.0, z), DVec3::new(0.5, 1.0, z)];
/// let pair = ElementaryPair::new(ElementaryKind::EdgeEdge, at(1.0), at(-1.0))?;
/// let impact = elementary_impact(&pair, &ElementaryOptions::default()).unwrap();
/// assert_eq!((impact.lower, impact.upper), (0.5, 0.5));
/// assert_eq!((impact.point, impact.coordinates), (DVec3::new(0.5, 0.0, 0.0), [0.5, 0.5]));
/// assert_eq!(impact.normal, Some(DVec3::Z)); // the first edge goes up, seen from the second
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementaryImpact {
    /// Nothing touches before this time. With [`ElementarySolver::Exact`] and [`ElementarySolver::Inclusion`] proved.
    pub lower: f64,
    /// With [`ElementarySolver::Exact`] the features touch first at a time in `[lower, upper]`, proved; the two are the same
    /// number or neighbouring ones. With the other solvers only where the time was found.
    pub upper: f64,
    /// A common point at that time, rounded.
    pub point: DVec3,
    /// Unit normal of the face, or of the plane of the two edges, at that time. It points the way in which the vertex (or
    /// the first edge) moves relative to the other feature; if it moves in the plane, the way of
    /// `(f1 - f0) x (f2 - f0)`, or of `(a1 - a0) x (b1 - b0)`. `None` for a face without area and for parallel edges, and
    /// where rounding of the corners could not tell them from such.
    pub normal: Option<DVec3>,
    /// Where the point is on the features: weights of the second and third corner of the face; or the fractions of
    /// the way from the first to the second end, of one edge and of the other.
    pub coordinates: [f64; 2],
}

/// How pairs were decided.
///
/// ```
/// let mut all = clearance::ElementaryCounts::default();
/// all.add(&clearance::ElementaryCounts { filtered: 1, ..Default::default() });
/// assert_eq!(all.filtered, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// When two moving features first touch; `None` if they do not in `[0, until]`.
///
/// With [`ElementarySolver::Exact`], the default, both are proved, for all input: features are closed sets, so touching at a corner, at
/// time 0 or at the end of the window is contact. [`verify_elementary`](crate::verify_elementary) proves an answer anew.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{ElementaryKind, ElementaryOptions, ElementaryPair, elementary_impact};
/// let at = |x: f64, z: f64| [DVec3::new(x, 0.5, z), DVec3::ZERO, DVec3::X, DVec3::Y];
/// let falling = |x: f64| ElementaryPair::new(ElementaryKind::VertexFace, at(x, 1.0), at(x, -2.0));
/// let impact = elementary_impact(&falling(0.5)?, &ElementaryOptions::default()).unwrap();
/// assert!(impact.lower < impact.upper && impact.upper == impact.lower.next_up()); // one third is no float
/// assert!(elementary_impact(&falling(0.5_f64.next_up())?, &ElementaryOptions::default()).is_none());
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn elementary_impact(pair: &ElementaryPair, options: &ElementaryOptions) -> Option<ElementaryImpact> {
    elementary_impact_counted(pair, options, &mut ElementaryCounts::default())
}

/// As [`elementary_impact`], and counts how the answer was found.
pub(crate) fn elementary_impact_counted(
    pair: &ElementaryPair,
    options: &ElementaryOptions,
    counts: &mut ElementaryCounts,
) -> Option<ElementaryImpact> {
    let until = options.window();
    if options.solver == ElementarySolver::Exact
        && elementary_filter::cannot_touch(pair.kind, &pair.start, &pair.end, until)
    {
        counts.filtered += 1;
        return None;
    }
    unfiltered(pair, options, counts)
}

/// The first contact of a pair that the filter has passed on.
pub(crate) fn unfiltered(
    pair: &ElementaryPair,
    options: &ElementaryOptions,
    counts: &mut ElementaryCounts,
) -> Option<ElementaryImpact> {
    let until = options.window();
    let (lower, upper) = match options.solver {
        ElementarySolver::Exact => match elementary_certified::first_contact(pair, until) {
            Certified::Apart => {
                counts.certified += 1;
                None
            }
            Certified::Contact(lower, upper) => {
                counts.certified += 1;
                Some((lower, upper))
            }
            Certified::Open(from) => {
                counts.exact += 1;
                elementary_exact::first_contact(pair, from, until)
            }
        },
        ElementarySolver::Inclusion => elementary_inclusion::first_contact(pair, until, options),
        ElementarySolver::Cubic => elementary_cubic::first_contact(pair, until),
        ElementarySolver::Bisection => elementary_bisection::first_contact(pair, until),
    }?;
    Some(describe(pair, lower, upper))
}

/// [`elementary_impact`] of many pairs, the filter of [`ElementarySolver::Exact`] four at a time; and how they were decided.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{ElementaryKind, ElementaryOptions, ElementaryPair, elementary_impact_batch};
/// let start = [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// let end = [0.5 * DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// let pair = ElementaryPair::new(ElementaryKind::VertexFace, start, end).unwrap();
/// let (impacts, counts) = elementary_impact_batch(&[pair; 5], &ElementaryOptions::default());
/// assert!(impacts.iter().all(Option::is_none));
/// assert_eq!(counts.filtered, 5);
/// ```
#[must_use]
pub fn elementary_impact_batch(
    pairs: &[ElementaryPair],
    options: &ElementaryOptions,
) -> (Vec<Option<ElementaryImpact>>, ElementaryCounts) {
    let (mut impacts, mut counts) = (vec![None; pairs.len()], ElementaryCounts::default());
    if options.solver != ElementarySolver::Exact {
        for (impact, pair) in impacts.iter_mut().zip(pairs) {
            *impact = elementary_impact_counted(pair, options, &mut counts);
        }
        return (impacts, counts);
    }
    let (level, until) = (fearless_simd::Level::new(), options.window());
    for kind in [ElementaryKind::VertexFace, ElementaryKind::EdgeEdge] {
        let mut four = FourPairs::new(kind);
        let mut waiting = [0; 4];
        let mut count = 0;
        let mut of_kind = pairs.iter().enumerate().filter(|(_, pair)| pair.kind == kind);
        loop {
            let next = of_kind.next();
            if let Some((index, pair)) = next {
                four.set(count, &pair.start, &pair.end);
                waiting[count] = index;
                count += 1;
            }
            if count == 4 || next.is_none() {
                let open = at_level!(level, simd => four.may_touch(simd, until));
                for (lane, &index) in waiting[..count].iter().enumerate() {
                    if open >> lane & 1 == 0 {
                        counts.filtered += 1;
                    } else {
                        impacts[index] = unfiltered(&pairs[index], options, &mut counts);
                    }
                }
                count = 0;
            }
            if next.is_none() {
                break;
            }
        }
    }
    (impacts, counts)
}

/// The answer for a time bracket: point, normal and coordinates.
pub(crate) fn describe(pair: &ElementaryPair, lower: f64, upper: f64) -> ElementaryImpact {
    let time = lower + 0.5 * (upper - lower);
    let corners: [DVec3; 4] = std::array::from_fn(|k| pair.start[k] * (1.0 - time) + pair.end[k] * time);
    let change: [DVec3; 4] = std::array::from_fn(|k| pair.end[k] - pair.start[k]);
    let (point, coordinates, sides, approach) = match pair.kind {
        ElementaryKind::VertexFace => {
            let [p, a, b, c] = corners;
            let [_, v, w] = closest_on_triangle(p, a, b, c).weights;
            let with = change[1] * (1.0 - v - w) + change[2] * v + change[3] * w;
            (p, [v, w], [b - a, c - a], change[0] - with)
        }
        ElementaryKind::EdgeEdge => {
            let [a, b, c, d] = corners;
            let scale = scale_for(&[b - a, d - c, c - a]);
            let (s, t) = nearest_along((b - a) * scale, (d - c) * scale, (c - a) * scale);
            let on_first = a + (b - a) * s;
            let on_second = c + (d - c) * t;
            let first = change[0] * (1.0 - s) + change[1] * s;
            let second = change[2] * (1.0 - t) + change[3] * t;
            ((on_first + on_second) * 0.5, [s, t], [b - a, d - c], first - second)
        }
    };
    let size = pair.size();
    let normal = normal_of(sides, size).map(|n| if n.dot(approach) < 0.0 { -n } else { n });
    ElementaryImpact { lower, upper, point, normal, coordinates }
}

/// The unit normal of two sides; `None` where rounding of the corners, whose largest coordinate is `size`, may be all there is of it.
fn normal_of(sides: [DVec3; 2], size: f64) -> Option<DVec3> {
    let lengths = sides.map(|side| side.abs().max_element());
    let normal = (sides[0] / lengths[0]).cross(sides[1] / lengths[1]);
    let doubt = ELEMENTARY_NORMAL * (size / lengths[0] + size / lengths[1]);
    // Sides without length make it NaN.
    (normal.length() > doubt).then(|| normal.normalize())
}
