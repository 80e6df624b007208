//! The first contact of two moving features in floats with error bounds: decides nearly all pairs and reports where it
//! cannot.
//!
//! The window is split into intervals, the earliest first, and each is judged by the coefficients of `forms.rs`:
//! - separated, by the tests of the filter: continue with the next;
//! - contact: the volume changes sign over the interval with one root in between, and throughout the interval the
//!   projections of the features along some axis cross. Then they touch at that root, and everything before it was
//!   proved separated;
//! - neither: split again, down to [`CERTIFIED_NARROWEST`]. What is still undecided then, such as a vertex that meets
//!   the side of a face, is left to integers, which start from there.
//!
//! The root is then narrowed to neighbouring floats by signs of the volume in double-double with tracked errors.
//!
//! Splits are slightly off the midpoint, since handmade motions often touch at one half.

use crate::math::tolerances::{CERTIFIED_INTERVALS, CERTIFIED_NARROWEST, CERTIFIED_SPLIT};
use glam::DVec3;

use super::forms::{Lanes, Slack, VECTORS, Vectors};
use crate::answer::elementary::{ElementaryKind, ElementaryPair};
use crate::math::enclosed::Enclosed;
use crate::math::polynomial::narrow_by_signs;
use crate::math::ring::{Ring, Vector, add, cross, dot};

/// The result of float arithmetic.
pub(crate) enum Certified {
    /// No contact.
    Apart,
    /// The first contact is at a time between these, the same float or neighbours.
    Contact(f64, f64),
    /// No contact before this time; undecided from there on.
    Open(f64),
}

/// The result for one interval.
enum Judgement {
    Apart,
    Crossing,
    Open,
}

/// The first contact in `[0, until]`.
pub(crate) fn first_contact(pair: &ElementaryPair, until: f64) -> Certified {
    let corners = |points: &[DVec3; 4]| points.map(|point| point.to_array());
    let step = Vectors::new(pair.kind, &corners(&pair.start), &corners(&pair.end));
    let slack = step.slack();
    let mut open = [(0.0, 0.0); 64];
    let mut count = 1;
    open[0] = (0.0, until);
    for _ in 0..CERTIFIED_INTERVALS {
        if count == 0 {
            return Certified::Apart;
        }
        count -= 1;
        let (low, high) = open[count];
        match judge(pair.kind, &step.between(low, high), &slack) {
            Judgement::Apart => {}
            Judgement::Crossing => {
                return narrow(pair, low, high)
                    .map_or(Certified::Open(low), |(low, high)| Certified::Contact(low, high));
            }
            Judgement::Open => {
                if high - low < CERTIFIED_NARROWEST || count + 2 > open.len() {
                    return Certified::Open(low);
                }
                let middle = low + CERTIFIED_SPLIT * (high - low);
                open[count] = (middle, high);
                open[count + 1] = (low, middle);
                count += 2;
            }
        }
    }
    Certified::Open(if count == 0 { 0.0 } else { open[count - 1].0 })
}

fn judge(kind: ElementaryKind, vectors: &Vectors<f64>, slack: &Slack<f64>) -> Judgement {
    let volume = vectors.volume();
    let least = volume.iter().copied().fold(f64::INFINITY, f64::least);
    let most = volume.iter().copied().fold(f64::NEG_INFINITY, f64::greatest);
    if least > slack.volume || most < -slack.volume {
        return Judgement::Apart;
    }
    if (0..3).any(|axis| vectors.apart_along(kind, axis, slack.line) > 0.0) {
        return Judgement::Apart;
    }
    // The axis along which the projection of the face, or of the plane of both edges, is largest.
    let size = |axis: usize| {
        let [n, ..] = vectors.forms(axis);
        n[1].abs()
    };
    let sizes = [size(0), size(1), size(2)];
    let axis = if sizes[0] >= sizes[1] && sizes[0] >= sizes[2] {
        0
    } else if sizes[1] >= sizes[2] {
        1
    } else {
        2
    };
    if vectors.off_along(kind, axis, slack.form) > 0.0 {
        return Judgement::Apart;
    }
    if changes_once(volume, slack.volume) && cross_along(kind, vectors, axis, slack.form) {
        return Judgement::Crossing;
    }
    Judgement::Open
}

/// Whether the signs of the coefficients are proved to change once; so does the polynomial then.
fn changes_once(volume: [f64; 4], slack: f64) -> bool {
    let [a, b, c, d] = if volume[0] > 0.0 { volume } else { volume.map(|x| -x) };
    // One inner coefficient may be anything if the other excludes two more changes.
    a > slack && d < -slack && (b > slack || c < -slack)
}

/// Whether, projected along an axis, the vertex is inside the face, or the edges cross, throughout the interval.
fn cross_along(kind: ElementaryKind, vectors: &Vectors<f64>, axis: usize, slack: f64) -> bool {
    let forms = vectors.forms(axis);
    let sign = if forms[0][1] > 0.0 { 1.0 } else { -1.0 };
    let [n, u, v] = forms.map(|form| form.map(|x| sign * x));
    (0..3).all(|k| match kind {
        ElementaryKind::VertexFace => u[k] > slack && v[k] > slack && n[k] - u[k] - v[k] > slack,
        ElementaryKind::EdgeEdge => u[k] > slack && n[k] - u[k] > slack && -v[k] > slack && n[k] + v[k] > slack,
    })
}

/// The float at the single root of the volume between two times, or the two floats next to it; `None` if double-double
/// cannot decide.
fn narrow(pair: &ElementaryPair, low: f64, high: f64) -> Option<(f64, f64)> {
    let volume = Volume::new(pair);
    // Safeguarded Newton's method, in plain arithmetic first.
    let falling = volume.value(low) > volume.value(high);
    let (mut left, mut right) = (low, high);
    let mut time = 0.5 * (low + high);
    for _ in 0..64 {
        let (value, slope) = (volume.value(time), volume.slope(time));
        if (value > 0.0) == falling {
            left = time
        } else {
            right = time
        }
        let step = time - value / slope;
        let next = if step > left && step < right { step } else { 0.5 * (left + right) };
        let moved = (next - time).abs();
        time = next;
        if moved <= 4.0 * f64::EPSILON * time {
            break;
        }
    }
    let close = volume.enclosed(time).to_f64() / volume.slope(time);
    narrow_by_signs(|time| volume.enclosed(time).sign(), low, high, time - close)
}

/// The volume as a polynomial in time, in double-double with tracked errors, constant term first.
struct Volume {
    coefficients: [Enclosed; 4],
    rounded: [f64; 4],
}

impl Volume {
    fn new(pair: &ElementaryPair) -> Volume {
        let [u, v, w] = VECTORS[pair.kind as usize].map(|[from, to]| -> [Vector<Enclosed>; 2] {
            let at = |points: &[DVec3; 4]| -> Vector<Enclosed> {
                std::array::from_fn(|k| Enclosed::difference(points[to][k], points[from][k]))
            };
            let (start, end) = (at(&pair.start), at(&pair.end));
            let change = std::array::from_fn(|k| end[k] - start[k]);
            [start, change]
        });
        let normal = [cross(&u[0], &v[0]), add(&cross(&u[0], &v[1]), &cross(&u[1], &v[0])), cross(&u[1], &v[1])];
        let coefficients = [
            dot(&normal[0], &w[0]),
            dot(&normal[0], &w[1]) + dot(&normal[1], &w[0]),
            dot(&normal[1], &w[1]) + dot(&normal[2], &w[0]),
            dot(&normal[2], &w[1]),
        ];
        Volume { coefficients, rounded: coefficients.map(Enclosed::to_f64) }
    }

    fn value(&self, time: f64) -> f64 {
        let [a, b, c, d] = self.rounded;
        ((d * time + c) * time + b) * time + a
    }

    fn slope(&self, time: f64) -> f64 {
        let [_, b, c, d] = self.rounded;
        (3.0 * d * time + 2.0 * c) * time + b
    }

    fn enclosed(&self, time: f64) -> Enclosed {
        let time = Enclosed::about(time, 0.0);
        let [a, b, c, d] = self.coefficients;
        ((d * time + c) * time + b) * time + a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::elementary::exact;
    use proptest::prelude::*;

    proptest! {
        /// Decisions in floats agree with integers to the last bit; an undecided range begins where reported.
        #[test]
        fn floats_agree_with_integers(
            corners in prop::array::uniform8(prop::array::uniform3(-1.0f64..1.0)),
            short in any::<bool>(),
            until in prop::sample::select(vec![1.0, 0.7]),
            edges in any::<bool>(),
        ) {
            // On a grid of sixteenths coincidences are frequent.
            let round = |x: f64| if short { (x * 16.0).round() / 16.0 } else { x };
            let [a, b, c, d, e, f, g, h] = corners.map(|p| DVec3::from(p.map(round)));
            let kind = if edges { ElementaryKind::EdgeEdge } else { ElementaryKind::VertexFace };
            let pair = ElementaryPair { kind, start: [a, b, c, d], end: [e, f, g, h] };
            let truth = exact::first_contact(&pair, 0.0, until);
            match first_contact(&pair, until) {
                Certified::Apart => prop_assert_eq!(truth, None),
                Certified::Contact(lower, upper) => prop_assert_eq!(truth, Some((lower, upper))),
                Certified::Open(from) => {
                    prop_assert!(truth.is_none_or(|(_, upper)| upper >= from));
                    prop_assert_eq!(truth, exact::first_contact(&pair, from, until));
                }
            }
        }
    }
}
