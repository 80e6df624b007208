//! Closest points of two segments in closed form.
//!
//! Ericson, "Real-Time Collision Detection" (2005), 5.1.9: the closest point of the two lines, clamped to one segment,
//! then to the other. Departs from it: the closest points of the lines are found by triple products with their common
//! normal instead of products of dot products, which lose the digits of nearly parallel lines; and the result includes
//! a direction for the proof that is accurate when the gap is small: the common normal of both lines, or a
//! perpendicular to the one whose closest point is interior.

use glam::DVec3;

use super::core::AnyCore;
use crate::math::placement::Placement;
use crate::math::tolerances::FAR;

/// The start of a core with two vertices and the vector to its end; `None` for others.
#[inline(always)]
pub(crate) fn ends(core: &AnyCore<'_>) -> Option<(DVec3, DVec3)> {
    match core {
        AnyCore::Rod(half) => Some((DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, 2.0 * half))),
        AnyCore::Points([start, end]) => Some((*start, *end - *start)),
        _ => None,
    }
}

/// The closest points of two segments, in their own frames, as fractions from start to end.
#[inline(always)]
pub(crate) fn nearest(a: (DVec3, DVec3), b: (DVec3, DVec3), map: &Placement) -> (f64, f64) {
    nearest_along(a.1, map.turn(b.1), map.place(b.0) - a.0)
}

/// The closest points of two segments in one frame, given their vectors and the vector from the start of A to the start
/// of B.
#[inline(always)]
pub(crate) fn nearest_along(along_a: DVec3, along_b: DVec3, from_a: DVec3) -> (f64, f64) {
    let (squared_a, squared_b) = (along_a.dot(along_a), along_b.dot(along_b));
    let normal = along_a.cross(along_b);
    let across = normal.dot(normal);
    // Segments without length count as their starts, parallel ones as closest at the start of A.
    let passing = from_a.cross(along_b).dot(normal) / across;
    let s = if across > 0.0 { passing.clamp(0.0, 1.0) } else { 0.0 };
    let foot = |along: DVec3, squared: f64, to: DVec3| {
        if squared > 0.0 { (to.dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 }
    };
    // The projection of that point of A onto B, and back if it is an end.
    let t = foot(along_b, squared_b, along_a * s - from_a);
    if t > 0.0 && t < 1.0 {
        return (s, t);
    }
    (foot(along_a, squared_a, from_a + along_b * t), t)
}

/// A direction perpendicular to both segments at their closest points, which are `between` apart; not of unit length.
/// Zero where there is none.
#[inline(always)]
pub(crate) fn direction(
    (along_a, along_b): (DVec3, DVec3),
    (s, t): (f64, f64),
    between: DVec3,
    length: f64,
    reach: f64,
) -> DVec3 {
    if length > FAR * reach {
        return between;
    }
    let inside = |fraction: f64| fraction > 0.0 && fraction < 1.0;
    match (inside(s), inside(t)) {
        (true, true) => {
            let normal = along_a.cross(along_b);
            if normal.dot(between) < 0.0 { -normal } else { normal }
        }
        (true, false) => across(between, along_a),
        (false, true) => across(between, along_b),
        (false, false) => between,
    }
}

/// The component of a vector perpendicular to another: twice, against cancellation.
#[inline(always)]
pub(crate) fn across(v: DVec3, along: DVec3) -> DVec3 {
    let squared = along.dot(along);
    let first = v - along * (v.dot(along) / squared);
    first - along * (first.dot(along) / squared)
}
