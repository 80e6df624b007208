//! The first contact of two moving features by the roots of the coplanarity cubic, as in the paper. Proves nothing.
//!
//! Eberle, "Continuous Collision Detection for Deforming Triangle Meshes" (SIGGRAPH course notes): the coefficients of
//! the cubic, a solver for degrees three to one that treats coefficients below a relative tolerance as zero,
//! substitutes the roots into the polynomial and, if one does not fit, retries with the tolerance raised and lowered in
//! turn; then a test at each root whether the vertex is in the face, or the edges meet.
//!
//! Departs from the paper: the coefficients are formed by vector products, which gives the same polynomial (the listing
//! lacks a parenthesis in its second coefficient); a root is rejected when its value is *above* the tolerance, not
//! below. An identically zero cubic has no roots here, so contacts of coplanar motion are missed.

use crate::math::tolerances::{CUBIC_COEFFICIENT, CUBIC_INSIDE, CUBIC_RETRIES, CUBIC_SOLUTION};
use glam::DVec3;

use super::forms::VECTORS;
use crate::answer::elementary::{ElementaryKind, ElementaryPair};

/// The time of the first contact in `[0, until]`.
pub(crate) fn first_contact(pair: &ElementaryPair, until: f64) -> Option<(f64, f64)> {
    let [u, v, w] = VECTORS[pair.kind as usize].map(|[from, to]| {
        let start = pair.start[to] - pair.start[from];
        (start, pair.end[to] - pair.end[from] - start)
    });
    let normal = [u.0.cross(v.0), u.0.cross(v.1) + u.1.cross(v.0), u.1.cross(v.1)];
    let cubic = [
        normal[0].dot(w.0),
        normal[0].dot(w.1) + normal[1].dot(w.0),
        normal[1].dot(w.1) + normal[2].dot(w.0),
        normal[2].dot(w.1),
    ];
    let (roots, count) = fitting_roots(cubic);
    let mut times = roots;
    times[..count].sort_by(f64::total_cmp);
    let found = times[..count].iter().copied().find(|&time| {
        (0.0..=until).contains(&time) && {
            let at = |(start, change): (DVec3, DVec3)| start + change * time;
            inside(pair.kind, at(u), at(v), at(w))
        }
    })?;
    Some((found, found))
}

/// Roots accepted by the polynomial, within the allowed retries; otherwise those of the first try.
fn fitting_roots(cubic: [f64; 4]) -> ([f64; 3], usize) {
    let largest = cubic.iter().fold(0.0_f64, |largest, c| largest.max(c.abs()));
    let fits = |time: f64| {
        let value = ((cubic[3] * time + cubic[2]) * time + cubic[1]) * time + cubic[0];
        value.abs() <= CUBIC_SOLUTION * largest * time.abs().max(1.0).powi(3)
    };
    let first = roots(cubic, largest * CUBIC_COEFFICIENT);
    if first.0[..first.1].iter().all(|&time| fits(time)) {
        return first;
    }
    for retry in 1..=CUBIC_RETRIES {
        for power in [retry, -retry] {
            let next = roots(cubic, largest * CUBIC_COEFFICIENT * 10_f64.powi(power));
            if next.0[..next.1].iter().all(|&time| fits(time)) {
                return next;
            }
        }
    }
    first
}

/// The roots of a polynomial whose coefficients up to `zero` count as zero, by formula.
fn roots([d, c, b, a]: [f64; 4], zero: f64) -> ([f64; 3], usize) {
    if a.abs() > zero {
        // Depressed: x = y - b / 3a, y^3 + p y + q.
        let (b, c, d) = (b / a, c / a, d / a);
        let shift = b / 3.0;
        let p = c - b * shift;
        let q = 2.0 * shift * shift * shift - shift * c + d;
        let discriminant = q * q / 4.0 + p * p * p / 27.0;
        if discriminant > 0.0 {
            let root = discriminant.sqrt();
            let y = (-q / 2.0 + root).cbrt() + (-q / 2.0 - root).cbrt();
            return ([y - shift, 0.0, 0.0], 1);
        }
        let radius = (-p / 3.0).max(0.0).sqrt();
        let cosine = if radius > 0.0 { (-q / (2.0 * radius * radius * radius)).clamp(-1.0, 1.0) } else { 0.0 };
        let angle = cosine.acos() / 3.0;
        let third = std::f64::consts::TAU / 3.0;
        ([0.0, 1.0, 2.0].map(|k| 2.0 * radius * (angle + third * k).cos() - shift), 3)
    } else if b.abs() > zero {
        let discriminant = c * c - 4.0 * b * d;
        if discriminant < 0.0 {
            return ([0.0; 3], 0);
        }
        let sum = -0.5 * (c + discriminant.sqrt().copysign(c));
        if sum == 0.0 { ([0.0; 3], 1) } else { ([sum / b, d / sum, 0.0], 2) }
    } else if c.abs() > zero {
        ([-d / c, 0.0, 0.0], 1)
    } else {
        ([0.0; 3], 0)
    }
}

/// Whether a vertex is in the face, or two edges meet, given that they are coplanar.
fn inside(kind: ElementaryKind, u: DVec3, v: DVec3, w: DVec3) -> bool {
    let normal = u.cross(v);
    let size = normal.length_squared();
    if size == 0.0 {
        return false;
    }
    let (s, t) = (w.cross(v).dot(normal) / size, u.cross(w).dot(normal) / size);
    let within = |x: f64| (-CUBIC_INSIDE..=1.0 + CUBIC_INSIDE).contains(&x);
    match kind {
        ElementaryKind::VertexFace => within(s) && within(t) && within(s + t),
        ElementaryKind::EdgeEdge => within(s) && within(-t),
    }
}
