//! The first contact of two moving features in integers: a definite answer for every input.
//!
//! Corners are integers over one power of two, so everything is a polynomial in time with integer coefficients. With
//! `u = b - a` and `v = c - a` the sides of a face and `w = p - a` its vertex, or `u = b - a` and `v = d - c` two edges
//! and `w = c - a`:
//!
//! - the features lie in one plane at the roots of `f = (u x v) . w`, a cubic;
//! - at a root where some component `N` of `u x v` is not zero, projecting along that coordinate is injective on the
//!   plane, and with `U` and `V` the same components of `w x v` and `u x w` the features meet iff
//!   `U, V, N - U - V >= 0` (a face) or `0 <= U <= N`, `0 <= -V <= N` (edges), signs taken against `N`;
//! - where `u x v = 0` (parallel edges, a zero-area face) they meet iff a corner of one lies on an edge of the other:
//!   `q` on `xy` iff `(y - x) x (q - x) = 0` and `(q - x) . (q - y) <= 0`, which holds for zero-length edges too;
//! - if `f` is identically zero, features that do not touch at time 0 first touch when a corner reaches an edge:
//!   features that cross in both interiors also did so slightly earlier. So the candidates are the roots of one
//!   component of `(y - x) x (q - x)`, or, if that is identically zero, those of `(q - x) . (q - y)`.
//!
//! All of these are signs of quadratics at roots of cubics or quadratics: `math/polynomial.rs`. The cost is bounded:
//! three roots, or eight, each with a fixed number of signs.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use super::forms::VECTORS;
use crate::answer::elementary::{ElementaryKind, ElementaryPair};
use crate::math::integer::{IntegerVec3, common_exponent};
use crate::math::polynomial::{IsolatedRoot, Polynomial, RealRoots};

/// A vector that changes linearly: its value at time 0 and its change until time 1.
#[derive(Clone)]
struct Moving {
    start: IntegerVec3,
    change: IntegerVec3,
}

impl Moving {
    fn minus(&self, other: &Moving) -> Moving {
        Moving { start: self.start.sub(&other.start), change: self.change.sub(&other.change) }
    }

    fn dot(&self, other: &Moving) -> Polynomial {
        Polynomial::new(vec![
            self.start.dot(&other.start),
            self.start.dot(&other.change) + self.change.dot(&other.start),
            self.change.dot(&other.change),
        ])
    }

    /// One component of the vector product.
    fn cross(&self, other: &Moving, axis: usize) -> Polynomial {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let minor = |a: &IntegerVec3, b: &IntegerVec3| &a.0[i] * &b.0[j] - &a.0[j] * &b.0[i];
        Polynomial::new(vec![
            minor(&self.start, &other.start),
            minor(&self.start, &other.change) + minor(&self.change, &other.start),
            minor(&self.change, &other.change),
        ])
    }

    fn component(&self, axis: usize) -> Polynomial {
        Polynomial::new(vec![self.start.0[axis].clone(), self.change.0[axis].clone()])
    }
}

/// The pair as polynomials.
struct Features {
    kind: ElementaryKind,
    corners: [Moving; 4],
    u: Moving,
    v: Moving,
    w: Moving,
    normal: [Polynomial; 3],
}

impl Features {
    fn new(pair: &ElementaryPair) -> Features {
        let numbers = pair.start.iter().chain(&pair.end).flat_map(DVec3::to_array);
        let exponent = common_exponent(numbers).unwrap_or(0);
        let corners: [Moving; 4] = std::array::from_fn(|k| {
            let start = IntegerVec3::new(pair.start[k], exponent);
            let change = IntegerVec3::new(pair.end[k], exponent).sub(&start);
            Moving { start, change }
        });
        let [u, v, w] = VECTORS[pair.kind as usize].map(|[from, to]| corners[to].minus(&corners[from]));
        let normal = std::array::from_fn(|axis| u.cross(&v, axis));
        Features { kind: pair.kind, corners, u, v, w, normal }
    }

    /// Zero where the four corners are coplanar.
    fn volume(&self) -> Polynomial {
        let term = |axis: usize| self.normal[axis].times(&self.w.component(axis));
        term(0).plus(&term(1)).plus(&term(2))
    }

    /// The corners and edges, by corners, that can meet where the features are parallel or have zero area.
    fn corners_on_edges(&self) -> &'static [[usize; 3]] {
        match self.kind {
            ElementaryKind::VertexFace => &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
            ElementaryKind::EdgeEdge => &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
        }
    }

    /// Polynomials that are zero where a corner is on the line of an edge, and one that is not positive where it is
    /// between the ends.
    fn on_edge(&self, [corner, from, to]: [usize; 3]) -> ([Polynomial; 3], Polynomial) {
        let [corner, from, to] = [corner, from, to].map(|k| &self.corners[k]);
        let (along, out) = (to.minus(from), corner.minus(from));
        (std::array::from_fn(|axis| along.cross(&out, axis)), out.dot(&corner.minus(to)))
    }

    /// Whether the features touch at a root of a polynomial, where they are coplanar.
    fn touch(&self, sign: &dyn Fn(&Polynomial) -> Ordering) -> bool {
        for axis in 0..3 {
            let side = sign(&self.normal[axis]);
            if side == Ordering::Equal {
                continue;
            }
            let holds = |form: &Polynomial| sign(form) != side.reverse();
            let (n, u) = (&self.normal[axis], self.w.cross(&self.v, axis));
            if !holds(&u) {
                return false;
            }
            return match self.kind {
                ElementaryKind::VertexFace => {
                    let v = self.u.cross(&self.w, axis);
                    holds(&v) && holds(&n.minus(&u).minus(&v))
                }
                ElementaryKind::EdgeEdge => {
                    let v = self.w.cross(&self.u, axis);
                    holds(&v) && holds(&n.minus(&u)) && holds(&n.minus(&v))
                }
            };
        }
        self.corners_on_edges().iter().any(|&names| {
            let (line, between) = self.on_edge(names);
            line.iter().all(|part| sign(part) == Ordering::Equal) && sign(&between) != Ordering::Greater
        })
    }

    /// The first contact of features that are always coplanar.
    fn first_in_plane(&self, until: f64) -> Option<(f64, f64)> {
        let start = IsolatedRoot::at(0.0);
        let time = RealRoots::of(&Polynomial::new(vec![BigInt::from(0), BigInt::from(1)]));
        if self.touch(&|form| time.sign_of(form, &start)) {
            return Some((0.0, 0.0));
        }
        let mut first: Option<(f64, f64)> = None;
        for &names in self.corners_on_edges() {
            let (line, between) = self.on_edge(names);
            let Some(event) = line.iter().chain([&between]).find(|part| !part.is_zero()) else {
                continue;
            };
            let roots = RealRoots::of(event);
            for mut root in roots.between(0.0, until) {
                let sign = |form: &Polynomial| roots.sign_of(form, &root);
                let on = line.iter().all(|part| sign(part) == Ordering::Equal) && sign(&between) != Ordering::Greater;
                if on {
                    roots.narrow(&mut root);
                    let found = (root.lower, root.upper);
                    // Different roots between the same floats have the same bracket, so comparing brackets suffices.
                    first = Some(first.map_or(found, |first| if found < first { found } else { first }));
                    break;
                }
            }
        }
        first
    }
}

/// The first contact in `[0, until]`, known not to be before `from`: the float at which it is, or the two next to it.
pub(crate) fn first_contact(pair: &ElementaryPair, from: f64, until: f64) -> Option<(f64, f64)> {
    let features = Features::new(pair);
    let volume = features.volume();
    if volume.is_zero() {
        return features.first_in_plane(until);
    }
    let roots = RealRoots::of(&volume);
    for mut root in roots.between(from, until) {
        // A narrow interval usually decides the signs without a remainder sequence.
        roots.narrow(&mut root);
        if features.touch(&|form| roots.sign_of(form, &root)) {
            return Some((root.lower, root.upper));
        }
    }
    None
}
