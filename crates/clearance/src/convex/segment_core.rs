//! Closest points of a segment and a box or triangle, in closed form.
//!
//! Box: the squared distance of a point moving along the segment is convex, and its derivative is piecewise linear,
//! with breaks where a coordinate passes the end of a side. Newton's method within a bracket of the zero finds the
//! piece that contains it, mostly in two or three steps.
//!
//! Triangle: a segment that passes through its plane crosses the triangle where three volumes have one sign (Möller and
//! Trumbore 1997). One that does not cross it is nearest with its lower end above the interior, or somewhere on a side.
//! All three sides are evaluated, by shared products; that costs less than finding out which one it is. Nearly parallel
//! lines lose digits that [`segments`](super::segments) would keep; the points are then slightly farther apart than
//! optimal.
//!
//! The closed form only proposes; the caller proves the gap from below by the plane perpendicular to `toward`, and from
//! above by the points. A crossing is proved here: see `Passing::crossing`.

use glam::DVec3;

use super::core::AnyCore;
use super::segments;
use crate::math::tolerances::{DETERMINANT, FAR, SEGMENT_BOX_STEPS, UNIT_ROUNDOFF};

/// Where a segment and a core are nearest, in the core's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing {
    /// Position along the segment, as a fraction of its length.
    pub fraction: f64,
    /// The point of the core: a convex combination of at most four vertices, rounded.
    pub point: DVec3,
    /// From that point to the point of the segment.
    pub between: DVec3,
    /// The length of `between`, rounded.
    pub length: f64,
    /// A direction perpendicular to both there, towards the segment, accurate even when the gap is small. Not of unit
    /// length; zero where there is none.
    pub toward: DVec3,
    /// The vertices of the feature that contains the point, some repeated: for a box two opposite corners of the
    /// feature.
    pub vertices: [u32; 4],
    /// They still cross if all vertices of both move by less than this; zero or less where that is not known.
    pub crossing: f64,
}

/// The closest points of a segment and a core, if there is a closed form; `reach` is the size of both.
#[inline(always)]
pub(crate) fn nearest(core: &AnyCore<'_>, start: DVec3, along: DVec3, reach: f64) -> Option<Passing> {
    match core {
        AnyCore::Box(half) => past_box(*half, start, along, reach),
        AnyCore::Points([p, q, r]) => Some(past_triangle([*p, *q, *r], start, along, reach)),
        _ => None,
    }
}

/// The point of the segment nearest a box, as a fraction. `None` where rounding keeps the search from converging.
#[inline(always)]
fn fraction_past_box(half: DVec3, start: DVec3, along: DVec3) -> Option<f64> {
    let excess = |x: DVec3| x - x.clamp(-half, half);
    let first = along.dot(excess(start));
    if first >= 0.0 {
        return Some(0.0);
    }
    let last = along.dot(excess(start + along));
    if last <= 0.0 {
        return Some(1.0);
    }
    let squares = along * along;
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = first / (first - last);
    let (mut piece, mut width) = (None, f64::INFINITY);
    for _ in 0..SEGMENT_BOX_STEPS {
        let outside = excess(start + along * t);
        let beyond = outside.cmpne(DVec3::ZERO);
        // The zero lies in this piece; or inside the box, or beside a face parallel to the segment.
        let slope = DVec3::select(beyond, squares, DVec3::ZERO).element_sum();
        if piece == Some(beyond) || slope == 0.0 {
            return Some(t);
        }
        let rise = along.dot(outside);
        if rise > 0.0 {
            high = t
        } else {
            low = t
        }
        let next = t - rise / slope;
        // Newton may oscillate between two pieces: then bisect.
        let newton = next >= low && next <= high && high - low <= 0.5 * width;
        (t, piece) = if newton { (next, Some(beyond)) } else { (0.5 * (low + high), None) };
        width = high - low;
    }
    None
}

#[inline(always)]
fn past_box(half: DVec3, start: DVec3, along: DVec3, reach: f64) -> Option<Passing> {
    let mut fraction = fraction_past_box(half, start, along)?;
    let mut at = start + along * fraction;
    let mut between = at - at.clamp(-half, half);
    let mut length = between.length();
    if length <= 4.0 * UNIT_ROUNDOFF * reach {
        // It enters the box there: the middle of the part inside is a better witness.
        fraction = middle_inside(half, start, along);
        at = start + along * fraction;
        between = at - at.clamp(-half, half);
        length = between.length();
    }
    let point = at.clamp(-half, half);
    // Bits of the coordinates at their upper ends, and of those at their lower ends.
    let bits = |mask: glam::BVec3| mask.bitmask();
    let (high, low) = (bits(at.cmpge(half)), bits(at.cmple(-half)));
    let vertices = [high, 7 & !low, high, high];
    let toward = if length > FAR * reach || !(fraction > 0.0 && fraction < 1.0) {
        between
    } else {
        match between.to_array().map(|x| x == 0.0) {
            // Perpendicular to an edge of the box.
            [true, false, false] => facing(along.cross(DVec3::X), between),
            [false, true, false] => facing(along.cross(DVec3::Y), between),
            [false, false, true] => facing(along.cross(DVec3::Z), between),
            // Beside a corner.
            [false, false, false] => segments::across(between, along),
            _ => between,
        }
    };
    // A sphere about the point with the distance to the nearest face as radius lies in the box; the rounding is `2u`.
    let crossing = if length > 0.0 { 0.0 } else { (half - at.abs()).min_element() - 2.0 * UNIT_ROUNDOFF * reach };
    Some(Passing { fraction, point, between, length, toward, vertices, crossing })
}

/// The middle of the part of a segment between the planes of a box, as a fraction.
#[cold]
fn middle_inside(half: DVec3, start: DVec3, along: DVec3) -> f64 {
    let inverse = 1.0 / along;
    let (one, other) = ((-half - start) * inverse, (half - start) * inverse);
    // NaN where the segment lies in a plane: skipped.
    let (mut enter, mut leave) = (0f64, 1f64);
    for axis in 0..3 {
        enter = enter.max(one[axis].min(other[axis]));
        leave = leave.min(one[axis].max(other[axis]));
    }
    clamped(0.5 * (enter + leave))
}

#[inline(always)]
fn facing(normal: DVec3, between: DVec3) -> DVec3 {
    if normal.dot(between) < 0.0 { -normal } else { normal }
}

#[inline(always)]
fn past_triangle([p, q, r]: [DVec3; 3], start: DVec3, along: DVec3, reach: f64) -> Passing {
    let (pq, pr) = (q - p, r - p);
    let normal = pq.cross(pr);
    let from_p = start - p;
    // The heights of both ends above the plane, times the length of the normal.
    let (first, rise) = (normal.dot(from_p), normal.dot(along));
    let last = first + rise;
    if (first > 0.0) != (last > 0.0) {
        if let Some(passing) = through_face(p, (pq, pr), from_p, along, (first, last), reach) {
            return passing;
        }
    } else if let Some(passing) = above_face(p, (pq, pr), normal, from_p, along, last.abs() < first.abs(), reach) {
        return passing;
    }
    past_sides([p, q], (pq, pr), from_p, along, reach)
}

/// A segment whose ends are on both sides of a triangle's plane, if it crosses the triangle up to rounding.
///
/// The crossing is certain if the two heights, and the volumes of the segment with each side, have certain signs. Each
/// is a determinant of three differences no longer than the reach; where all points move by `d`, each difference
/// changes by `2d` and a determinant by `6d` of the squared reach, to first order; its rounding is `DETERMINANT` of the
/// cubed reach, and that of the third volume, a difference of the others, three times as much.
#[inline(always)]
fn through_face(
    p: DVec3,
    (pq, pr): (DVec3, DVec3),
    from_p: DVec3,
    along: DVec3,
    (first, last): (f64, f64),
    reach: f64,
) -> Option<Passing> {
    let moment = along.cross(from_p);
    let whole = last - first;
    let sign = 1f64.copysign(whole);
    let (of_q, of_r, total) = (sign * pr.dot(moment), -sign * pq.dot(moment), whole.abs());
    let of_p = (total - of_q) - of_r;
    // Written so that NaN is rejected.
    let inside = of_p >= 0.0 && of_q >= 0.0 && of_r >= 0.0 && total > 0.0;
    if !inside {
        return None;
    }
    let fraction = first.abs() / total;
    // By weights, so that the point lies in the triangle even where the segment is almost parallel to the plane.
    let offset = pq * (of_q / total) + pr * (of_r / total);
    let between = (from_p + along * fraction) - offset;
    let least = of_p.min(of_q).min(of_r).min(first.abs()).min(last.abs());
    let crossing = (least / (reach * reach) - 4.0 * DETERMINANT * reach) / 6.1;
    let (point, length, vertices) = (p + offset, between.length(), [0, 1, 2, 0]);
    Some(Passing { fraction, point, between, length, toward: DVec3::ZERO, vertices, crossing })
}

/// A segment above a triangle's plane whose lower end (the second if `at_end`) is above the interior.
#[inline(always)]
fn above_face(
    p: DVec3,
    (pq, pr): (DVec3, DVec3),
    normal: DVec3,
    from_p: DVec3,
    along: DVec3,
    at_end: bool,
    reach: f64,
) -> Option<Passing> {
    let at = if at_end { from_p + along } else { from_p };
    let (of_q, of_r) = (normal.dot(at.cross(pr)), normal.dot(pq.cross(at)));
    let total = normal.dot(normal);
    // Written so that NaN is rejected.
    let inside = of_q >= 0.0 && of_r >= 0.0 && of_q + of_r <= total && total > 0.0;
    if !inside {
        return None;
    }
    let offset = pq * (of_q / total) + pr * (of_r / total);
    let between = at - offset;
    let length = between.length();
    let toward = if length > FAR * reach { between } else { facing(normal, between) };
    let fraction = if at_end { 1.0 } else { 0.0 };
    Some(Passing { fraction, point: p + offset, between, length, toward, vertices: [0, 1, 2, 0], crossing: 0.0 })
}

/// The products that locate the closest points of a segment and a side of a triangle.
struct Products {
    /// Of the side with itself, with the segment's direction, and with the vector from the start of the side to that of
    /// the segment.
    side: f64,
    both: f64,
    from: f64,
    /// Of the segment's direction with that vector.
    along: f64,
}

/// A fraction clamped to 0..1; an end if it is NaN.
#[inline(always)]
fn clamped(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// A reciprocal, zero for zero.
#[inline(always)]
fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

impl Products {
    /// The fractions along the segment and along the side where they are nearest: the closest points of the lines
    /// (anywhere if they are parallel), clamped to the side, and then back to the segment.
    #[inline(always)]
    fn fractions(&self, squared: f64, inverse_squared: f64) -> (f64, f64) {
        let Products { side, both, from, along } = *self;
        let passing = clamped((both * from - along * side) / (squared * side - both * both));
        let t = clamped((from + both * passing) * inverse(side));
        (clamped((both * t - along) * inverse_squared), t)
    }
}

/// The nearest point on a triangle's sides.
#[inline(always)]
fn past_sides([p, q]: [DVec3; 2], (pq, pr): (DVec3, DVec3), from_p: DVec3, along: DVec3, reach: f64) -> Passing {
    let (qr, from_q) = (pr - pq, from_p - pq);
    let squared = along.dot(along);
    let inverse_squared = inverse(squared);
    let start = along.dot(from_p);
    let of = |edge: DVec3, from: DVec3, along_from: f64, both: f64| Products {
        side: edge.dot(edge),
        both,
        from: edge.dot(from),
        along: along_from,
    };
    let (with_pq, with_pr) = (along.dot(pq), along.dot(pr));
    let fractions = |products: Products| products.fractions(squared, inverse_squared);
    let (s_0, t_0) = fractions(of(pq, from_p, start, with_pq));
    let (s_1, t_1) = fractions(of(pr, from_p, start, with_pr));
    let (s_2, t_2) = fractions(of(qr, from_q, start - with_pq, with_pr - with_pq));
    let between_0 = (from_p + along * s_0) - pq * t_0;
    let between_1 = (from_p + along * s_1) - pr * t_1;
    let between_2 = (from_q + along * s_2) - qr * t_2;
    let (far_0, far_1, far_2) = (between_0.dot(between_0), between_1.dot(between_1), between_2.dot(between_2));
    // The first of equal ones.
    let (s, t, between, far, edge, corner, ids) = if far_0 <= far_1 && far_0 <= far_2 {
        (s_0, t_0, between_0, far_0, pq, p, [0, 1])
    } else if far_1 <= far_2 {
        (s_1, t_1, between_1, far_1, pr, p, [0, 2])
    } else {
        (s_2, t_2, between_2, far_2, qr, q, [1, 2])
    };
    let length = far.sqrt();
    let toward = segments::direction((along, edge), (s, t), between, length, reach);
    let (first, last) = (ids[usize::from(t == 1.0)], ids[usize::from(t > 0.0)]);
    let vertices = [first, last, first, first];
    Passing { fraction: s, point: corner + edge * t, between, length, toward, vertices, crossing: 0.0 }
}
