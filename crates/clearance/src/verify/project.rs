//! The nearest point of a segment and of a triangle, in double-double arithmetic.

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};

/// The point of a segment nearest to another.
pub(crate) fn project_on_segment(
    point: DoubleDoubleVec3,
    p: DoubleDoubleVec3,
    q: DoubleDoubleVec3,
) -> DoubleDoubleVec3 {
    let zero = DoubleDouble::from(0.0);
    let edge = q - p;
    let squared = edge.length_squared();
    let along = (point - p).dot(edge);
    if along <= zero || squared <= zero {
        p
    } else if along >= squared {
        q
    } else {
        p + edge.scale(along / squared)
    }
}

/// The point of a triangle nearest to another: in its interior, or on the nearest of its three sides.
pub(crate) fn project_on_triangle(
    point: DoubleDoubleVec3,
    p: DoubleDoubleVec3,
    q: DoubleDoubleVec3,
    r: DoubleDoubleVec3,
) -> DoubleDoubleVec3 {
    let zero = DoubleDouble::from(0.0);
    let (e, f, d) = (q - p, r - p, point - p);
    let n = e.cross(f);
    let squared = n.length_squared();
    let mut inside = None;
    if squared > zero {
        let s = d.cross(f).dot(n);
        let t = e.cross(d).dot(n);
        if s >= zero && t >= zero && s + t <= squared {
            inside = Some(p + e.scale(s / squared) + f.scale(t / squared));
        }
    }
    // The normal of a sliver may be pure rounding, and with it the interior point.
    let sliver = squared < (e.length_squared() * f.length_squared()).mul_f64(1e-20);
    if let Some(inside) = inside.filter(|_| !sliver) {
        return inside;
    }
    let sides = [(p, q), (q, r), (r, p)].map(|(from, to)| project_on_segment(point, from, to));
    let mut best = inside.unwrap_or(sides[0]);
    for side in &sides {
        if (*side - point).length_squared() < (best - point).length_squared() {
            best = *side;
        }
    }
    best
}
