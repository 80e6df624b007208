//! The polynomials of the elementary tests over an interval of time, in floats: coefficients and error bounds.
//!
//! The names are those of `exact.rs`: `u`, `v`, `w` are linear in time, the volume `(u x v) . w` is a cubic, and for
//! each axis the components `N`, `U`, `V` of `u x v`, `w x v`, `u x w` are quadratics. In Bernstein's basis of the
//! interval a polynomial lies between its least and its greatest coefficient. The coefficients are sums of products of
//! the vectors at the two ends, so they are recomputed for every interval, and errors do not accumulate.
//!
//! Written once for one pair of features (`f64`) and for four side by side: both do the same operations in the same
//! order.
//!
//! # Errors
//! `u` is the unit roundoff here, `A`, `B`, `C` bound the components of the three vectors over the step. A vector at a
//! time takes one difference of corners, `1 - t`, a product and a sum: within `5u A` of the truth. A product of two is
//! within `11u A B`. A coefficient of a quadratic is the sum of two products, the middle one, doubled, of four: within
//! `52u A B`; a sum of up to three quadratics within `60u` of `AB + AC + BC`: [`FORMS_QUADRATIC`] is twice that. A
//! coefficient of the volume has six products of three, the inner ones, trebled, eighteen, each within `22u A B C`:
//! within `396u A B C`, and [`FORMS_VOLUME`] is `512u`. Sums of up to four of the vectors are within `8u (A + B + C)`,
//! [`FORMS_LINE`] is `16u`. Underflow loses less than 2⁻¹⁰⁷⁴, times a coordinate of at most 1e60 in products of three:
//! [`FORMS_UNDERFLOW`] is ample.
//!
//! If corners are off by up to `e` at every time, a component of a vector is off by `m = 2e`, a product of two by
//! `m (A + B) + m²` and one of three by `(A + m)(B + m)(C + m) - ABC`. A line has three vectors at most, a form four
//! products of each two, the volume eighteen of three: `3m`, `8m (A + B + C) + 12m²` and eighteen times the last.
//! [`Vectors::slack_within`] uses twice that, for the rounding of these sums.

use crate::math::tolerances::{FORMS_LINE, FORMS_QUADRATIC, FORMS_UNDERFLOW, FORMS_VOLUME};
use std::ops::{Add, Mul, Sub};

use fearless_simd::{Simd, f64x4, prelude::*};

use crate::answer::elementary::ElementaryKind;

/// A number, or four side by side.
pub(crate) trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    /// The same number in each lane.
    fn like(self, x: f64) -> Self;
}

impl Lanes for f64 {
    #[inline(always)]
    fn least(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn greatest(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn like(self, x: f64) -> f64 {
        x
    }
}

impl<S: Simd> Lanes for f64x4<S> {
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.min(other)
    }

    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn like(self, x: f64) -> Self {
        f64x4::splat(self.simd, x)
    }
}

/// The three vectors at the two ends of an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors<L> {
    pub u: [[L; 3]; 2],
    pub v: [[L; 3]; 2],
    pub w: [[L; 3]; 2],
}

/// Error bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slack<L> {
    pub line: L,
    pub form: L,
    pub volume: L,
}

/// Coefficients of a quadratic, the middle one doubled.
pub(crate) type Quadratic<L> = [L; 3];

/// The start and end corners of `u`, `v` and `w`, for a vertex and a face and for two edges.
pub(crate) const VECTORS: [[[usize; 2]; 3]; 2] = [[[1, 2], [1, 3], [1, 0]], [[0, 1], [2, 3], [0, 2]]];

#[inline(always)]
fn plus<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn minus<L: Lanes>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// From one corner to another, at both ends of the step.
#[inline(always)]
fn both<L: Lanes>(start: &[[L; 3]; 4], end: &[[L; 3]; 4], [from, to]: [usize; 2]) -> [[L; 3]; 2] {
    [minus(&start[to], &start[from]), minus(&end[to], &end[from])]
}

/// A vector between its values at 0 and 1.
#[inline(always)]
fn at<L: Lanes>([start, end]: &[[L; 3]; 2], time: L) -> [L; 3] {
    let rest = time.like(1.0) - time;
    [start[0] * rest + end[0] * time, start[1] * rest + end[1] * time, start[2] * rest + end[2] * time]
}

/// A bound on the components of a vector.
#[inline(always)]
fn reach<L: Lanes>(vector: &[[L; 3]; 2]) -> L {
    let zero = vector[0][0].like(0.0);
    let mut most = zero;
    for end in vector {
        for x in end {
            most = most.greatest(*x).greatest(zero - *x);
        }
    }
    most
}

impl<L: Lanes> Vectors<L> {
    /// From the corners at time 0 and 1, for the whole step.
    #[inline(always)]
    pub fn new(kind: ElementaryKind, start: &[[L; 3]; 4], end: &[[L; 3]; 4]) -> Vectors<L> {
        let [u, v, w] = VECTORS[kind as usize];
        Vectors { u: both(start, end, u), v: both(start, end, v), w: both(start, end, w) }
    }

    /// Error bounds for the whole step; they hold for every interval of it.
    #[inline(always)]
    pub fn slack(&self) -> Slack<L> {
        let (a, b, c) = (reach(&self.u), reach(&self.v), reach(&self.w));
        let tiny = a.like(FORMS_UNDERFLOW);
        Slack {
            line: a.like(FORMS_LINE) * (a + b + c) + tiny,
            form: a.like(FORMS_QUADRATIC) * (a * b + a * c + b * c) + tiny,
            volume: a.like(FORMS_VOLUME) * (a * b * c) + tiny,
        }
    }

    /// As [`Vectors::slack`], for corners that are off by up to `off` at every time.
    #[inline(always)]
    pub fn slack_within(&self, off: L) -> Slack<L> {
        let (a, b, c) = (reach(&self.u), reach(&self.v), reach(&self.w));
        let (m, sum) = (off + off, a + b + c);
        let Slack { line, form, volume } = self.slack();
        Slack {
            line: line + m.like(6.0) * m,
            form: form + m.like(16.0) * m * sum + m.like(24.0) * m * m,
            volume: volume + m.like(36.0) * m * ((a * b + a * c + b * c) + m * (sum + m)),
        }
    }

    /// The vectors at the ends of an interval of the step.
    #[inline(always)]
    pub fn between(&self, low: L, high: L) -> Vectors<L> {
        Vectors {
            u: [at(&self.u, low), at(&self.u, high)],
            v: [at(&self.v, low), at(&self.v, high)],
            w: [at(&self.w, low), at(&self.w, high)],
        }
    }

    /// The coefficients of the volume, the inner ones trebled.
    #[inline(always)]
    pub fn volume(&self) -> [L; 4] {
        let normal = [quadratic(&self.u, &self.v, 0), quadratic(&self.u, &self.v, 1), quadratic(&self.u, &self.v, 2)];
        let [first, last] = &self.w;
        [
            dot(&normal, 0, first),
            dot(&normal, 0, last) + dot(&normal, 1, first),
            dot(&normal, 1, last) + dot(&normal, 2, first),
            dot(&normal, 2, last),
        ]
    }

    /// `N`, `U`, `V` along an axis.
    #[inline(always)]
    pub fn forms(&self, axis: usize) -> [Quadratic<L>; 3] {
        [quadratic(&self.u, &self.v, axis), quadratic(&self.w, &self.v, axis), quadratic(&self.u, &self.w, axis)]
    }

    /// The gap of the features along an axis over the interval; not positive if none is proved.
    #[inline(always)]
    pub fn apart_along(&self, kind: ElementaryKind, axis: usize, slack: L) -> L {
        let zero = slack.like(0.0);
        let (mut least, mut most) = (slack.like(f64::INFINITY), slack.like(f64::NEG_INFINITY));
        for end in 0..2 {
            let (u, v, w) = (self.u[end][axis], self.v[end][axis], self.w[end][axis]);
            match kind {
                ElementaryKind::VertexFace => {
                    // The vertex against the three corners of the face.
                    let far = u.greatest(v).greatest(zero);
                    let near = u.least(v).least(zero);
                    least = least.least(w - far);
                    most = most.greatest(w - near);
                }
                ElementaryKind::EdgeEdge => {
                    // The ends of the second edge against those of the first.
                    least = least.least((w + v.least(zero)) - u.greatest(zero));
                    most = most.greatest((w + v.greatest(zero)) - u.least(zero));
                }
            }
        }
        least.greatest(zero - most) - slack
    }

    /// The margin by which, projected along an axis, a side of the face or one of the edges separates the other feature
    /// over the interval; not positive if none is proved.
    #[inline(always)]
    pub fn off_along(&self, kind: ElementaryKind, axis: usize, slack: L) -> L {
        let [n, u, v] = self.forms(axis);
        let off = match kind {
            ElementaryKind::VertexFace => {
                beyond(&n, &u).greatest(beyond(&n, &v)).greatest(beyond(&n, &minus(&minus(&n, &u), &v)))
            }
            ElementaryKind::EdgeEdge => beside(&u, &minus(&u, &n)).greatest(beside(&v, &plus(&v, &n))),
        };
        off - slack
    }
}

/// One component of the vector product of two vectors.
#[inline(always)]
fn quadratic<L: Lanes>(a: &[[L; 3]; 2], b: &[[L; 3]; 2], axis: usize) -> Quadratic<L> {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a0, a1] = a;
    let [b0, b1] = b;
    [
        a0[i] * b0[j] - a0[j] * b0[i],
        (a0[i] * b1[j] - a0[j] * b1[i]) + (a1[i] * b0[j] - a1[j] * b0[i]),
        a1[i] * b1[j] - a1[j] * b1[i],
    ]
}

/// Coefficient `k` of a vector of quadratics, times a vector.
#[inline(always)]
fn dot<L: Lanes>(normal: &[Quadratic<L>; 3], k: usize, w: &[L; 3]) -> L {
    (normal[0][k] * w[0] + normal[1][k] * w[1]) + normal[2][k] * w[2]
}

/// Positive where `form` and the normal provably have different signs: the vertex is beyond that side of the face.
#[inline(always)]
fn beyond<L: Lanes>(normal: &Quadratic<L>, form: &Quadratic<L>) -> L {
    let zero = form[0].like(0.0);
    let up = least_of(normal).least(zero - most_of(form));
    let down = (zero - most_of(normal)).least(least_of(form));
    up.greatest(down)
}

/// Positive where two forms provably have the same sign: both ends of an edge are on one side of the other.
#[inline(always)]
fn beside<L: Lanes>(one: &Quadratic<L>, other: &Quadratic<L>) -> L {
    let zero = one[0].like(0.0);
    let (least, most) = (least_of(one).least(least_of(other)), most_of(one).greatest(most_of(other)));
    least.greatest(zero - most)
}

#[inline(always)]
fn least_of<L: Lanes>(form: &Quadratic<L>) -> L {
    form[0].least(form[1]).least(form[2])
}

#[inline(always)]
fn most_of<L: Lanes>(form: &Quadratic<L>) -> L {
    form[0].greatest(form[1]).greatest(form[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dyadic::Dyadic;
    use crate::math::ring::{Ring, Vector, cross, dot, subtract};
    use proptest::prelude::*;
    use std::cmp::Ordering;

    /// A vector at a time, exactly: `start (1 - t) + end t`.
    fn exact_at(start: [f64; 3], end: [f64; 3], time: f64) -> Vector<Dyadic> {
        let t = Dyadic::of(time);
        let rest = Dyadic::of(1.0).minus(&t);
        std::array::from_fn(|k| Dyadic::of(start[k]).times(&rest).plus(&Dyadic::of(end[k]).times(&t)))
    }

    fn within(value: f64, truth: &Dyadic, slack: f64) -> bool {
        let off = Dyadic::of(value).minus(truth);
        let slack = Dyadic::of(slack);
        off.minus(&slack).sign() != Some(Ordering::Greater) && off.plus(&slack).sign() != Some(Ordering::Less)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Every coefficient is within its slack of the truth.
        #[test]
        fn the_slack_holds(
            corners in prop::array::uniform8(prop::array::uniform3(-1.0f64..1.0)),
            offset in prop::sample::select(vec![0.0, 1.0, 1e6, 1e12]),
            scale in prop::sample::select(vec![1.0, 1e-40, 1e58, 1e-90, 1e-310]),
            (low, high) in (0.0f64..1.0, 0.0f64..1.0),
            edges in any::<bool>(),
            (moved, off) in (
                prop::array::uniform8(prop::array::uniform3(-1i8..2)),
                prop::sample::select(vec![0.0, 1e-16, 1e-9, 1e-3, 10.0]),
            ),
        ) {
            let corners = corners.map(|p| p.map(|x| (x + offset) * scale / (1.0 + offset)));
            let [a, b, c, d, e, f, g, h] = corners;
            let (start, end) = ([a, b, c, d], [e, f, g, h]);
            let kind = if edges { ElementaryKind::EdgeEdge } else { ElementaryKind::VertexFace };
            let step = Vectors::new(kind, &start, &end);
            // The true corners: those given, or slightly displaced ones. The displacement is measured, since sums are
            // rounded.
            let mut furthest = 0.0f64;
            let mut there = |given: [f64; 3], by: [i8; 3]| -> [f64; 3] {
                std::array::from_fn(|k| {
                    let to = given[k] + f64::from(by[k]) * off * scale;
                    furthest = furthest.max((to - given[k]).abs().next_up());
                    to
                })
            };
            let start: [_; 4] = std::array::from_fn(|k| there(start[k], moved[k]));
            let end: [_; 4] = std::array::from_fn(|k| there(end[k], moved[4 + k]));
            let slack = if off == 0.0 { step.slack() } else { step.slack_within(furthest) };
            let part = step.between(low, high);
            // The same, exactly.
            let ends = [low, high].map(|time| {
                VECTORS[kind as usize].map(|[from, to]| {
                    subtract(&exact_at(start[to], end[to], time), &exact_at(start[from], end[from], time))
                })
            });
            let [[u0, v0, w0], [u1, v1, w1]] = &ends;
            let sum = |a: Vector<Dyadic>, b: Vector<Dyadic>| -> Vector<Dyadic> {
                std::array::from_fn(|k| a[k].plus(&b[k]))
            };
            let product = |a: [&Vector<Dyadic>; 2], b: [&Vector<Dyadic>; 2]| {
                [cross(a[0], b[0]), sum(cross(a[0], b[1]), cross(a[1], b[0])), cross(a[1], b[1])]
            };
            let exact = [product([u0, u1], [v0, v1]), product([w0, w1], [v0, v1]), product([u0, u1], [w0, w1])];
            for axis in 0..3 {
                for (form, exact) in part.forms(axis).iter().zip(&exact) {
                    for k in 0..3 {
                        prop_assert!(within(form[k], &exact[k][axis], 0.5 * slack.form));
                    }
                }
                for (line, exact) in [(&part.u, [u0, u1]), (&part.v, [v0, v1]), (&part.w, [w0, w1])] {
                    prop_assert!((0..2).all(|k| within(line[k][axis], &exact[k][axis], 0.5 * slack.line)));
                }
            }
            let n = &exact[0];
            let volume = [
                dot(&n[0], w0),
                dot(&n[0], w1).plus(&dot(&n[1], w0)),
                dot(&n[1], w1).plus(&dot(&n[2], w0)),
                dot(&n[2], w1),
            ];
            for (value, exact) in part.volume().iter().zip(&volume) {
                prop_assert!(within(*value, exact, slack.volume));
            }
        }
    }
}
