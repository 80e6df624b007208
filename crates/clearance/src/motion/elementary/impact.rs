//! First contact of two moving features: selects the solver and describes the contact at the time it finds.

use glam::DVec3;

use super::certified::Certified;
use super::filter::FourPairs;
use super::options::{ElementaryOptions, ElementarySolver};
use super::{bisection, certified, cubic, exact, filter, inclusion};
use crate::answer::elementary::{
    ElementaryCounts, ElementaryImpact, ElementaryKind, ElementaryPair, NoElementaryImpact,
};
use crate::convex::segments::nearest_along;
use crate::geom::closest::{closest_on_triangle, scale_for};
use crate::math::bracket::Bracket;
use crate::math::simd::at_level;
use crate::math::tolerances::ELEMENTARY_NORMAL;

/// The first contact of two moving features in `[0, until]`.
///
/// With [`ElementarySolver::Exact`], the default, contact and no contact are both proved, for all input: features are
/// closed sets, so touching at a corner, at time 0 or at the end of the window is contact.
/// [`ElementaryImpact::verify`](crate::answer::ElementaryImpact::verify) checks an answer independently.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::{ElementaryKind, ElementaryPair, elementary_impact};
/// let at = |x: f64, z: f64| [DVec3::new(x, 0.5, z), DVec3::ZERO, DVec3::X, DVec3::Y];
/// let falling = |x: f64| ElementaryPair::new(ElementaryKind::VertexFace, at(x, 1.0), at(x, -2.0));
/// let impact = elementary_impact(&falling(0.5)?).unwrap();
/// assert!(impact.time.upper == impact.time.lower.next_up()); // one third is not a float
/// assert!(elementary_impact(&falling(0.5_f64.next_up())?).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// [`NoElementaryImpact`] if they do not touch: an answer that can be verified too.
pub fn elementary_impact(pair: &ElementaryPair) -> Result<ElementaryImpact, NoElementaryImpact> {
    elementary_impact_with(pair, &ElementaryOptions::default())
}

/// [`elementary_impact`] with options. See [`ElementaryOptions`] for an example.
///
/// # Errors
/// [`NoElementaryImpact`] if they do not touch: an answer that can be verified too.
pub fn elementary_impact_with(
    pair: &ElementaryPair,
    options: &ElementaryOptions,
) -> Result<ElementaryImpact, NoElementaryImpact> {
    let none = NoElementaryImpact { until: options.window() };
    elementary_impact_counted(pair, options, &mut ElementaryCounts::default()).ok_or(none)
}

/// As [`elementary_impact`], counting how the answer was found.
pub(crate) fn elementary_impact_counted(
    pair: &ElementaryPair,
    options: &ElementaryOptions,
    counts: &mut ElementaryCounts,
) -> Option<ElementaryImpact> {
    let until = options.window();
    if options.solver == ElementarySolver::Exact && filter::cannot_touch(pair.kind, &pair.start, &pair.end, until) {
        counts.filtered += 1;
        return None;
    }
    unfiltered(pair, options, counts)
}

/// The first contact of a pair that passed the filter.
pub(crate) fn unfiltered(
    pair: &ElementaryPair,
    options: &ElementaryOptions,
    counts: &mut ElementaryCounts,
) -> Option<ElementaryImpact> {
    let until = options.window();
    let (lower, upper) = match options.solver {
        ElementarySolver::Exact => match certified::first_contact(pair, until) {
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
                exact::first_contact(pair, from, until)
            }
        },
        ElementarySolver::Inclusion => inclusion::first_contact(pair, until, options),
        ElementarySolver::Cubic => cubic::first_contact(pair, until),
        ElementarySolver::Bisection => bisection::first_contact(pair, until),
    }?;
    Some(describe(pair, lower, upper))
}

/// [`elementary_impact`] of many pairs, with the filter of [`ElementarySolver::Exact`] four at a time; also counts how
/// they were decided.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair, elementary_impact_batch};
/// let start = [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// let end = [0.5 * DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
/// let pair = ElementaryPair::new(ElementaryKind::VertexFace, start, end).unwrap();
/// let (impacts, counts) = elementary_impact_batch(&[pair; 5], &ElementaryOptions::default());
/// assert!(impacts.iter().all(Result::is_err));
/// assert_eq!(counts.filtered, 5);
/// ```
#[must_use]
pub fn elementary_impact_batch(
    pairs: &[ElementaryPair],
    options: &ElementaryOptions,
) -> (Vec<Result<ElementaryImpact, NoElementaryImpact>>, ElementaryCounts) {
    let none = NoElementaryImpact { until: options.window() };
    let (mut impacts, mut counts) = (vec![Err(none); pairs.len()], ElementaryCounts::default());
    if options.solver != ElementarySolver::Exact {
        for (impact, pair) in impacts.iter_mut().zip(pairs) {
            *impact = elementary_impact_counted(pair, options, &mut counts).ok_or(none);
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
                        impacts[index] = unfiltered(&pairs[index], options, &mut counts).ok_or(none);
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
    ElementaryImpact { time: Bracket::between(lower, upper), point, normal, coordinates }
}

/// The unit normal of two sides; `None` if it may be entirely due to rounding of the corners, whose largest coordinate
/// is `size`.
fn normal_of(sides: [DVec3; 2], size: f64) -> Option<DVec3> {
    let lengths = sides.map(|side| side.abs().max_element());
    let normal = (sides[0] / lengths[0]).cross(sides[1] / lengths[1]);
    let doubt = ELEMENTARY_NORMAL * (size / lengths[0] + size / lengths[1]);
    // Zero-length sides make it NaN.
    (normal.length() > doubt).then(|| normal.normalize())
}
