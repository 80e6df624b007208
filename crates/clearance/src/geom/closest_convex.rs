//! The point of a convex body, given by its support function, nearest a query.
//!
//! Gilbert, Johnson and Keerthi 1988 for a body and a point: alternate between the nearest point of a simplex in the
//! body and the support point of the body towards the query. The sub-algorithm is that of [`closest`](super::closest),
//! which needs no special case for thin simplices. Both bounds are proved in every iteration: the upper one by the
//! nearest point of the simplex, the lower one by the plane perpendicular to the line to it. So the iteration may stop
//! at any time.

use glam::DVec3;

use super::closest::{Region, closest_on_segment, closest_on_tetrahedron, closest_on_triangle};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Steps before the bracket is taken as it is. Smooth bodies take about one step for each digit.
const STEPS: usize = 96;

/// Bounds on the distance from a point to a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub lower: f64,
    pub upper: f64,
    /// A nearest point, within rounding of the body.
    pub point: DVec3,
    /// Unit, from the body to the query: the plane perpendicular to it proves `lower`. Zero where the query is in the
    /// simplex.
    pub normal: DVec3,
}

/// The distance from `query` to the body with the support function `support`, up to `slack`.
///
/// Rounding, relative to `m`, a bound on the magnitude of the query and of the points: a nearest point of a simplex is
/// a combination of four points, off by `12u` (weights that do not sum to one, products and sums), and its distance by
/// a few `u` more: `24u` in all. The plane: the difference `u`, the dot product `3u`, the length and the division `4u`,
/// nothing for the direction's own rounding, since any direction proves a bound: `16u`.
pub(crate) fn closest_by_support(query: DVec3, start: DVec3, slack: f64, support: impl Fn(DVec3) -> DVec3) -> Reach {
    let mut simplex = [start; 4];
    let mut count = 1;
    let mut largest = query.abs().max_element().max(start.abs().max_element());
    let mut best = Reach { lower: 0.0, upper: f64::INFINITY, point: start, normal: DVec3::ZERO };
    for _ in 0..STEPS {
        let (point, distance, kept) = nearest(query, &simplex, count);
        let rounding = 1.75 * largest * UNIT_ROUNDOFF;
        if distance + 24.0 * rounding < best.upper {
            (best.upper, best.point) = (distance + 24.0 * rounding, point);
        }
        let away = query - point;
        if kept.iter().all(|&kept| kept) || away.length() <= 4.0 * rounding {
            // Inside the simplex, or on it to within rounding.
            best.lower = best.lower.min(best.upper);
            return best;
        }
        // Close to a long edge or a wide triangle, the direction perpendicular to it is far more accurate than the
        // vector to the point.
        let away = across(query, &simplex, &kept).unwrap_or(away);
        let length = away.length();
        let farthest = support(away);
        largest = largest.max(farthest.abs().max_element());
        let gap = away.dot(query - farthest) / length;
        let lower = gap - slack - 16.0 * 1.75 * largest * UNIT_ROUNDOFF;
        if lower > best.lower || best.normal == DVec3::ZERO {
            (best.lower, best.normal) = (lower.max(best.lower), away / length);
        }
        let seen = simplex[..count].contains(&farthest);
        if seen || best.upper - best.lower <= slack + 64.0 * rounding {
            break;
        }
        let mut next = 0;
        for k in 0..count {
            if kept[k] {
                simplex[next] = simplex[k];
                next += 1;
            }
        }
        simplex[next] = farthest;
        count = next + 1;
    }
    best.lower = best.lower.min(best.upper);
    best
}

/// The direction perpendicular to the edge or face that contains the nearest point, towards the query; `None` at a
/// corner, or if the face is thin.
fn across(query: DVec3, simplex: &[DVec3; 4], kept: &[bool; 4]) -> Option<DVec3> {
    let mut corners = (0..4).filter(|&k| kept[k]).map(|k| simplex[k]);
    let (a, b) = (corners.next()?, corners.next()?);
    let along = b - a;
    let Some(c) = corners.next() else {
        let (from, unit) = (query - a, along.try_normalize()?);
        let once = from - unit * from.dot(unit);
        let across = once - unit * once.dot(unit);
        return (across != DVec3::ZERO).then_some(across);
    };
    let beside = c - a;
    let normal = along.cross(beside);
    // The cross product is off by `6u` of the edges' lengths: if it is not thinner than 1e-6, the normal has ten
    // digits.
    let wide = normal.length() > 1e-6 * along.length() * beside.length();
    wide.then_some(if normal.dot(query - a) < 0.0 { -normal } else { normal })
}

/// The nearest point of a simplex, its distance, and which vertices span it.
fn nearest(query: DVec3, simplex: &[DVec3; 4], count: usize) -> (DVec3, f64, [bool; 4]) {
    let [a, b, c, d] = *simplex;
    let kept = |weights: &[f64]| std::array::from_fn(|k| weights.get(k).is_some_and(|&w| w > 0.0));
    match count {
        1 => (a, (query - a).length(), [true, false, false, false]),
        2 => {
            let found = closest_on_segment(query, a, b);
            (found.point, found.distance, kept(&found.weights))
        }
        3 => {
            let found = closest_on_triangle(query, a, b, c);
            (found.point, found.distance, kept(&found.weights))
        }
        _ => {
            let found = closest_on_tetrahedron(query, a, b, c, d);
            let inside = found.region == Region::Inside;
            (found.point, found.distance, if inside { [true; 4] } else { kept(&found.weights) })
        }
    }
}
