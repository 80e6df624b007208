//! Verifies the first contact of two moving features, with independent code.
//!
//! Times, in integers: at every time at which contact may begin, from 0 on, it is decided whether the features touch.
//! The first such time must be in the bracket, and the bracket must not be wider than two neighbouring floats. The
//! candidate times are the roots of the volume of the four corners; where that is identically zero, time 0 and the
//! times at which a corner reaches the line or an end of an edge. The predicates differ from those in
//! `motion/elementary_exact.rs`:
//! - whether a point is in a face, or two edges meet, by dot products with the normal, hence polynomials of degree four
//!   and no choice of an axis; whether a corner is on the line of an edge by the square of a cross product;
//! - whether such a polynomial is zero at a root by the greatest common divisor with the polynomial of that root, and
//!   its sign by bisecting the interval around the root until the Bernstein coefficients agree. Both are slower.
//!
//! The point, its coordinates and the normal by their definitions, in double-double at time `lower`.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::answer::elementary::{ElementaryImpact, ElementaryKind, ElementaryPair, NoElementaryImpact};
use crate::math::bracket::Bracket;
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::integer::{common_exponent, integer};
use crate::math::polynomial::{IsolatedRoot, Polynomial, RealRoots};
use crate::math::tolerances::{ELEMENTARY_NORMAL, ELEMENTARY_POINT, UNIT_ROUNDOFF};
use crate::verify::refusal::{Refusal, check_numbers};

/// Verifies the first contact of two moving features: an answer of
/// [`elementary_impact`](crate::query::elementary_impact()) with
/// [`ElementarySolver::Exact`](crate::query::ElementarySolver::Exact).
pub(crate) fn verify_elementary(pair: &ElementaryPair, impact: &ElementaryImpact) -> Result<(), Refusal> {
    let ElementaryImpact { time: Bracket { lower, value, upper }, point, coordinates: [s, t], .. } = *impact;
    check_numbers(&[
        ("lower", lower),
        ("upper", upper),
        ("coordinates", s),
        ("coordinates", t),
        ("point", point.x),
        ("point", point.y),
        ("point", point.z),
    ])?;
    if !(0.0 <= lower && lower <= value && value <= upper && upper <= 1.0) {
        return Err(Refusal::Disordered);
    }
    if upper > lower.next_up() {
        return Err(Refusal::TooWide { width: upper - lower, allowed: lower.next_up() - lower });
    }
    let corners = corners(pair, lower);
    let size = pair.size();
    check_place(pair.kind, &corners, impact, size)?;
    check_normal(pair, &corners, impact, size)?;
    check_time(pair, lower, upper)
}

/// Proves that two moving features do not touch.
pub(crate) fn verify_no_elementary(pair: &ElementaryPair, none: &NoElementaryImpact) -> Result<(), Refusal> {
    if !(0.0..=1.0).contains(&none.until) {
        return Err(Refusal::NoNumber { field: "until" });
    }
    match first_touch(pair, none.until) {
        Some((first, _)) => Err(Refusal::Before { claimed: none.until, proved: first }),
        None => Ok(()),
    }
}

/// The corners at a given time.
fn corners(pair: &ElementaryPair, time: f64) -> [DoubleDoubleVec3; 4] {
    std::array::from_fn(|k| {
        let (start, end) = (pair.start[k], pair.end[k]);
        DoubleDoubleVec3::from(start) + DoubleDoubleVec3::from_difference(end, start).scale(time.into())
    })
}

/// The weights of each feature's corners at its point.
fn weights(kind: ElementaryKind, [s, t]: [f64; 2]) -> [[f64; 4]; 2] {
    match kind {
        ElementaryKind::VertexFace => [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0 - s - t, s, t]],
        ElementaryKind::EdgeEdge => [[1.0 - s, s, 0.0, 0.0], [0.0, 0.0, 1.0 - t, t]],
    }
}

/// The point belongs to both features.
fn check_place(
    kind: ElementaryKind,
    corners: &[DoubleDoubleVec3; 4],
    impact: &ElementaryImpact,
    size: f64,
) -> Result<(), Refusal> {
    let allowed = ELEMENTARY_POINT * size;
    for (weights, body) in weights(kind, impact.coordinates).into_iter().zip(["A", "B"]) {
        if weights.iter().any(|weight| !(-4.0 * UNIT_ROUNDOFF..=1.0).contains(weight)) {
            return Err(Refusal::Feature { body });
        }
        let at = corners
            .iter()
            .zip(weights)
            .fold(DoubleDoubleVec3::from(DVec3::ZERO), |sum, (corner, weight)| sum + corner.scale(weight.into()));
        let off = (at - DoubleDoubleVec3::from(impact.point)).to_vec3().length();
        if off > allowed {
            return Err(Refusal::Witness { body, off });
        }
    }
    Ok(())
}

/// The normal is that of the sides, and points in the direction of approach, as far as rounding determines it.
fn check_normal(
    pair: &ElementaryPair,
    corners: &[DoubleDoubleVec3; 4],
    impact: &ElementaryImpact,
    size: f64,
) -> Result<(), Refusal> {
    let sides = match pair.kind {
        ElementaryKind::VertexFace => [corners[2] - corners[1], corners[3] - corners[1]],
        ElementaryKind::EdgeEdge => [corners[1] - corners[0], corners[3] - corners[2]],
    };
    let sides = sides.map(DoubleDoubleVec3::to_vec3);
    let lengths = sides.map(|side| side.abs().max_element());
    let expected = (sides[0] / lengths[0]).cross(sides[1] / lengths[1]);
    let doubt = 2.0 * ELEMENTARY_NORMAL * (size / lengths[0] + size / lengths[1]);
    let Some(normal) = impact.normal else {
        // NaN for sides of zero length.
        return if expected.length() > doubt { Err(Refusal::Normal) } else { Ok(()) };
    };
    // A normal may be given where the sine is half of `doubt`.
    let angle = doubt / expected.length();
    if !(normal.is_finite() && angle <= 4.0 && (normal.length() - 1.0).abs() <= 8.0 * UNIT_ROUNDOFF) {
        return Err(Refusal::Normal);
    }
    if normal.cross(expected.normalize()).length() > angle + 8.0 * UNIT_ROUNDOFF {
        return Err(Refusal::Normal);
    }
    let way = |weights: [f64; 4]| {
        let ways = (0..4).map(|k| (pair.end[k] - pair.start[k]) * weights[k]);
        ways.fold(DVec3::ZERO, |sum, way| sum + way)
    };
    let [first, second] = weights(pair.kind, impact.coordinates).map(way);
    let approach = first - second;
    let doubt = approach.length() * (angle + 8.0 * UNIT_ROUNDOFF) + ELEMENTARY_POINT * size;
    if normal.dot(approach) < -doubt { Err(Refusal::Normal) } else { Ok(()) }
}

/// A vector as polynomials in time.
type Path = [Polynomial; 3];

fn minus(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn dot(a: &Path, b: &Path) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

/// A corner on an edge: its squared distance from the line times the squared length of the edge; and a polynomial that
/// is not positive between the ends.
struct OnEdge {
    off: Polynomial,
    between: Polynomial,
}

/// The features as polynomials.
struct Features {
    volume: Polynomial,
    /// The square of the normal's length.
    normal: Polynomial,
    /// None of these is negative where the features meet and the normal is not zero.
    inside: Vec<Polynomial>,
    on_edges: Vec<OnEdge>,
}

impl Features {
    fn new(pair: &ElementaryPair) -> Features {
        let numbers = pair.start.iter().chain(&pair.end).flat_map(DVec3::to_array);
        let exponent = common_exponent(numbers).unwrap_or(0);
        let [p, a, b, c]: [Path; 4] = std::array::from_fn(|k| {
            std::array::from_fn(|axis| {
                let [start, end] = [&pair.start, &pair.end].map(|points| integer(points[k][axis], exponent));
                let change = end - &start;
                Polynomial::new(vec![start, change])
            })
        });
        let on_edge = |corner: &Path, from: &Path, to: &Path| {
            let (out, back) = (minus(corner, from), minus(corner, to));
            let off = cross(&out, &back);
            OnEdge { off: dot(&off, &off), between: dot(&out, &back) }
        };
        match pair.kind {
            ElementaryKind::VertexFace => {
                let normal = cross(&minus(&b, &a), &minus(&c, &a));
                // The areas of the vertex and each side, along the normal.
                let [pa, pb, pc] = [&a, &b, &c].map(|corner| minus(corner, &p));
                Features {
                    volume: dot(&normal, &pa),
                    inside: [cross(&pa, &pb), cross(&pb, &pc), cross(&pc, &pa)]
                        .iter()
                        .map(|area| dot(area, &normal))
                        .collect(),
                    normal: dot(&normal, &normal),
                    on_edges: vec![on_edge(&p, &a, &b), on_edge(&p, &b, &c), on_edge(&p, &c, &a)],
                }
            }
            ElementaryKind::EdgeEdge => {
                let (first, second, between) = (minus(&a, &p), minus(&c, &b), minus(&b, &p));
                let normal = cross(&first, &second);
                let square = dot(&normal, &normal);
                let (s, t) = (dot(&cross(&between, &second), &normal), dot(&cross(&between, &first), &normal));
                Features {
                    volume: dot(&normal, &between),
                    inside: vec![square.minus(&s), s, square.minus(&t), t],
                    normal: square,
                    on_edges: vec![on_edge(&p, &b, &c), on_edge(&a, &b, &c), on_edge(&b, &p, &a), on_edge(&c, &p, &a)],
                }
            }
        }
    }

    /// Whether the features, known to be coplanar at a root of a polynomial, touch there.
    fn touch(&self, of: &Polynomial, root: &IsolatedRoot) -> bool {
        let sign = |form: &Polynomial| sign_at(form, of, root);
        if sign(&self.normal) != Ordering::Equal {
            return self.inside.iter().all(|form| sign(form) != Ordering::Less);
        }
        let on = |edge: &OnEdge| sign(&edge.off) == Ordering::Equal && sign(&edge.between) != Ordering::Greater;
        self.on_edges.iter().any(on)
    }
}

/// The sign of a polynomial at an isolated root of another.
fn sign_at(form: &Polynomial, of: &Polynomial, root: &IsolatedRoot) -> Ordering {
    if form.is_zero() {
        return Ordering::Equal;
    }
    if root.exact {
        return form.sign_at(&root.low);
    }
    // Roots of the divisor are among those of `of`, each simple: it changes sign if this root is one of them.
    let common = of.square_free().common(form);
    if common.degree() > 0 && common.sign_at(&root.low) == common.sign_at(&root.high).reverse() {
        return Ordering::Equal;
    }
    let (mut low, mut high) = (root.low.clone(), root.high.clone());
    let of = of.square_free();
    let before = of.sign_at(&low);
    loop {
        if let Some(sign) = form.sign_between(&low, &high) {
            return sign;
        }
        let middle = low.middle(&high);
        match of.sign_at(&middle) {
            Ordering::Equal => return form.sign_at(&middle),
            sign if sign == before => low = middle,
            _ => high = middle,
        }
    }
}

/// The features first touch at a time in the bracket.
fn check_time(pair: &ElementaryPair, lower: f64, upper: f64) -> Result<(), Refusal> {
    match first_touch(pair, upper) {
        Some((first, _)) if first < lower => Err(Refusal::Before { claimed: lower, proved: first }),
        Some((_, last)) if last <= upper => Ok(()),
        _ => Err(Refusal::Upper { claimed: upper, proved: 1.0 }),
    }
}

/// When two features first touch, up to a time, in the narrowest bracket of floats.
pub(crate) fn first_touch(pair: &ElementaryPair, until: f64) -> Option<(f64, f64)> {
    let features = Features::new(pair);
    let time = Polynomial::new(vec![BigInt::from(0), BigInt::from(1)]);
    let mut events: Vec<&Polynomial> = vec![&features.volume];
    if features.volume.is_zero() {
        events =
            features.on_edges.iter().flat_map(|edge| [&edge.off, &edge.between]).filter(|e| !e.is_zero()).collect();
        events.push(&time);
    }
    let mut first: Option<(f64, f64)> = None;
    for event in events {
        let roots = RealRoots::of(event);
        for mut root in roots.between(0.0, until) {
            roots.narrow(&mut root);
            let bracket = (root.lower, root.upper);
            let is_earlier = first.is_none_or(|first| (bracket.1, bracket.0) < (first.1, first.0));
            if is_earlier && features.touch(event, &root) {
                first = Some(bracket);
            }
        }
    }
    first
}
