//! Distance from a point to a custom body, known only by its support function.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::witness::WitnessPoint;
use crate::geom::closest_convex::{Reach, closest_by_support};
use crate::geom::hull::convex_hull;
use crate::geom::ray_frame::{Chain, unit};
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::math::ring;
use crate::math::ring::Ring;
use crate::math::tolerances::{CUSTOM_DEPTH_STEPS, ROUND_UP, UNIT_ROUNDOFF};
use crate::ray::planes::{across_flat, plane_normal};
use crate::shape::{Custom, Feature};

/// A custom body contains a point unless it is proved to be outside.
pub(crate) fn holds(custom: &Custom, chain: &Chain<'_>, point: DVec3) -> bool {
    reach_of(custom, chain, point).0.lower <= 0.0
}

/// The signed distance of a point from a custom body.
pub(crate) fn signed_distance(custom: &Custom, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let (reach, query, moved) = reach_of(custom, chain, p);
    if reach.lower > 0.0 {
        let value = (0.5 * (reach.lower + reach.upper)).max(reach.lower).min(reach.upper);
        return SignedDistance {
            distance: Bracket { value, lower: reach.lower, upper: reach.upper },
            witness: WitnessPoint { point: reach.point, feature: Feature::Face(0), part: 0 },
            normal: chain.normal_to_world(reach.normal),
        };
    }
    inside(custom, chain, query, moved, reach)
}

/// The distance to a custom body in its own frame, the query there, and how far rounding moved the query.
fn reach_of(custom: &Custom, chain: &Chain<'_>, p: DVec3) -> (Reach, DVec3, f64) {
    let v = chain.to_body(chain.offset(p));
    let query = DVec3::from_array(v.map(Enclosed::to_f64));
    let moved: f64 = v.iter().zip(query.to_array()).map(|(&x, q)| (x - Enclosed::of(q)).magnitude()).sum();
    let towards = query - custom.bounds().center();
    let start = custom.support(if towards == DVec3::ZERO { DVec3::X } else { towards });
    let found = closest_by_support(query, start, custom.slack(), |direction| custom.support(direction));
    let stretch = chain.stretch();
    let lower = ((found.lower - moved) * (1.0 - stretch) / ROUND_UP).max(0.0);
    let upper = (found.upper + moved) * (1.0 + stretch) * ROUND_UP;
    (Reach { lower, upper, ..found }, query, moved)
}

/// For a point in a custom body, or so near it that this is undecided. The hull of support points is inside the body:
/// the least depth below its faces is a lower bound of the depth. The plane of the nearest face, moved out to the
/// body's support point, gives an upper bound; that point joins the hull.
fn inside(custom: &Custom, chain: &Chain<'_>, query: DVec3, moved: f64, reach: Reach) -> SignedDistance {
    let mut points: Vec<DVec3> = Vec::new();
    for k in 0..26 {
        // The directions of a cube's faces, edges and corners.
        let k = if k < 13 { k } else { k + 1 };
        let direction = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
        points.push(custom.support(direction));
    }
    let bounds = custom.bounds();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element().max(query.abs().max_element());
    // The distance to the support point: a difference (`u`), a dot product (`3u`) and a direction of unit length within
    // `4u`, of vectors no longer than twice √3 times the largest coordinate: 28u.
    let rounding = 28.0 * largest * UNIT_ROUNDOFF;
    let (mut deepest, mut outer, mut normal) = (0.0f64, f64::INFINITY, DVec3::X);
    // How far the body extends beyond the query along a unit direction.
    let out = |direction: DVec3, farthest: DVec3| (farthest - query).dot(direction) + custom.slack() + rounding + moved;
    for _ in 0..CUSTOM_DEPTH_STEPS {
        let Ok(mesh) = convex_hull(&points) else { break };
        let vertex = |i: u32| points[mesh.vertices[i as usize] as usize];
        if mesh.dimension < 3 {
            // Flat up to rounding: the exit is perpendicular to it.
            let across = across_flat(&mesh.vertices.iter().map(|&v| points[v as usize]).collect::<Vec<_>>());
            for direction in [across, -across] {
                let reached = out(direction, custom.support(direction));
                if reached < outer {
                    (outer, normal) = (reached, direction);
                }
            }
            break;
        }
        let mut nearest = (f64::INFINITY, f64::INFINITY, DVec3::X);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(vertex);
            let n = plane_normal(a, b, c);
            let length = ring::dot(&n, &n).sqrt();
            let depth = ring::dot(&n, &std::array::from_fn(|k| Enclosed::difference(a[k], query[k]))) / length;
            let (low, _) = depth.bounds();
            if low < nearest.0 {
                nearest = (low, depth.to_f64(), unit(DVec3::from_array(n.map(Enclosed::to_f64))));
            }
        }
        deepest = deepest.max(nearest.0 - moved);
        let direction = nearest.2;
        let farthest = custom.support(direction);
        let reached = out(direction, farthest);
        if reached < outer {
            (outer, normal) = (reached, direction);
        }
        if outer - deepest <= custom.slack() + 4.0 * rounding || points.contains(&farthest) {
            break;
        }
        points.push(farthest);
    }
    let stretch = chain.stretch();
    // A point that is not proved to be outside counts as part of the body.
    let outer = outer.max(0.0);
    // Outside by at most `reach.upper` if undecided; else inside by what the hulls prove.
    let upper = if deepest > 0.0 { -deepest * (1.0 - stretch) / ROUND_UP } else { reach.upper };
    let lower = if outer.is_finite() { (-outer * (1.0 + stretch) * ROUND_UP).min(upper) } else { f64::MIN };
    let value = (-outer).max(lower).min(upper);
    SignedDistance {
        distance: Bracket { value, lower, upper },
        witness: WitnessPoint { point: query + normal * -value, feature: Feature::Face(0), part: 0 },
        normal: chain.normal_to_world(normal),
    }
}
