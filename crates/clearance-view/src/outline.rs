//! The outline of a convex volume that is known by its support function, as segments, for display only.
//!
//! The gradient of the support function is the support point. Taken by differences in generic directions, it is a
//! vertex of a polytope and a point of a round volume; the edges of the hull of these points are the outline, those
//! within a face excepted. So a box has twelve segments, whatever its axes. A round volume, in which nearly every
//! direction has a point of its own, is drawn with fewer and larger facets.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use clearance::Shape;
use clearance::glam::DVec3;
use clearance::shape::Aabb;

use crate::facets::facets;

/// Half the difference in the directions, relative to their length.
const STEP: f64 = 1e-4;
/// Points nearer to each other than this share of the size are one, and so flat is flat.
const SAME: f64 = 1e-6;
/// Triangles of the hull whose normals have at least this cosine are in one face.
const ONE_FACE: f64 = 0.9998;
/// Directions from pole to pole, and around: many, so that no vertex is missed, and those of the facets of what is round.
/// Multiples of four and of eight, so that none has a component of zero, nor two that are equal.
const FINE: [u32; 2] = [8, 16];
const COARSE: [u32; 2] = [4, 8];
/// Rounding of a point that is found by differences, relative to its distance from the origin.
const NOISE: f64 = 1e-11;
/// What has more points than this is round, or is drawn as if it were: polytopes of 26 directions have up to 48.
const ROUND: usize = 64;

/// The outline of the volume with a support function, which gives the largest product of a point with a vector. `axes`
/// are those of the volume, if it has any: facets of a round one are symmetric about them.
pub(crate) fn outline(support: impl Fn(DVec3) -> f64, axes: Option<[DVec3; 3]>) -> Vec<[DVec3; 2]> {
    let [x, y, z] = axes.unwrap_or(DVec3::AXES);
    let point = |direction: DVec3| {
        DVec3::from_array(DVec3::AXES.map(|axis| {
            let step = STEP * axis;
            (support(direction + step) - support(direction - step)) / (2.0 * STEP)
        }))
    };
    let distinct = |[parallels, meridians]: [u32; 2]| {
        let directions = (0..parallels).flat_map(|parallel| {
            let (radius, height) = ((f64::from(parallel) + 0.5) * PI / f64::from(parallels)).sin_cos();
            (0..meridians).map(move |meridian| {
                let (s, c) = ((f64::from(meridian) + 0.5) * TAU / f64::from(meridians)).sin_cos();
                height * x + radius * (c * y + s * z)
            })
        });
        let all: Vec<DVec3> = directions.map(point).collect();
        let largest = |length: &dyn Fn(&DVec3) -> f64| all.iter().map(length).fold(0.0, f64::max);
        let same = (SAME * largest(&|p| p.distance(all[0]))).max(NOISE * largest(&|p| p.length()));
        let mut points: Vec<DVec3> = Vec::new();
        for &p in &all {
            if points.iter().all(|q| q.distance(p) > same) {
                points.push(p);
            }
        }
        (points, same)
    };
    let (points, flat) = distinct(FINE);
    let (points, flat) = if points.len() > ROUND { distinct(COARSE) } else { (points, flat) };
    edges(&points, flat)
}

/// The edges of the hull of some points, which may lie in a plane or on a line.
fn edges(points: &[DVec3], flat: f64) -> Vec<[DVec3; 2]> {
    let farthest = |off: &dyn Fn(DVec3) -> f64| {
        points.iter().map(|&p| (off(p), p)).reduce(|best, next| if next.0 > best.0 { next } else { best })
    };
    let Some(&first) = points.first() else { return Vec::new() };
    let Some((far, end)) = farthest(&|p| p.distance(first)) else { return Vec::new() };
    if far <= flat {
        return vec![[first, first]];
    }
    let along = (end - first) / far;
    let Some((off, side)) = farthest(&|p| (p - first).cross(along).length()) else { return Vec::new() };
    if off <= flat {
        let Some((_, start)) = farthest(&|p| -(p - first).dot(along)) else { return Vec::new() };
        return vec![[start, end]];
    }
    let normal = along.cross(side - first).normalize_or_zero();
    if farthest(&|p| (p - first).dot(normal).abs()).is_some_and(|(high, _)| high <= flat) {
        return around(points, along, normal.cross(along));
    }
    let corners: Vec<[f64; 3]> = points.iter().map(|p| p.to_array()).collect();
    let whole = Aabb::new(DVec3::ZERO, DVec3::ZERO);
    let Some(mesh) = Shape::hull(&corners).ok().and_then(|hull| facets(&hull, &whole)) else { return Vec::new() };
    let corners: Vec<DVec3> = mesh.points().collect();
    let mut normals: BTreeMap<[u32; 2], Vec<DVec3>> = BTreeMap::new();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for k in 0..3 {
            let ends = [triangle[k], triangle[(k + 1) % 3]];
            normals.entry([ends[0].min(ends[1]), ends[0].max(ends[1])]).or_default().push(normal);
        }
    }
    let is_edge = |normals: &[DVec3]| !matches!(normals, [m, n] if m.dot(*n) >= ONE_FACE);
    let kept = normals.into_iter().filter(|(_, normals)| is_edge(normals));
    kept.map(|(ends, _)| ends.map(|end| corners[end as usize])).collect()
}

/// The convex polygon through the extreme points of a plane, of which two directions are given.
fn around(points: &[DVec3], u: DVec3, v: DVec3) -> Vec<[DVec3; 2]> {
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let angle = |p: &DVec3| (*p - middle).dot(v).atan2((*p - middle).dot(u));
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    (0..sorted.len()).map(|k| [sorted[k], sorted[(k + 1) % sorted.len()]]).collect()
}

#[cfg(test)]
mod tests {
    use clearance::glam::DMat3;

    use super::*;

    fn of_points(points: &[DVec3], radius: f64) -> impl Fn(DVec3) -> f64 + '_ {
        move |d| points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max) + radius * d.length()
    }

    #[test]
    fn boxes_of_any_rank_have_their_edges() {
        let turn = DMat3::from_rotation_y(0.3) * DMat3::from_rotation_x(1.1);
        for (half, segments, length) in [
            (DVec3::new(3.0, 2.0, 1.0), 12, 48.0),
            (DVec3::new(3.0, 2.0, 0.0), 4, 20.0),
            (DVec3::new(3.0, 0.0, 0.0), 1, 6.0),
            (DVec3::ZERO, 1, 0.0),
        ] {
            for (turn, middle) in [(DMat3::IDENTITY, DVec3::ZERO), (turn, DVec3::new(70.0, -30.0, 9.0))] {
                let corner = |k: u32| DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 0 { -1.0 } else { 1.0 }));
                let corners: Vec<DVec3> = (0..8).map(|k| middle + turn * (half * corner(k))).collect();
                let axes = [turn.x_axis, turn.y_axis, turn.z_axis];
                let found = outline(of_points(&corners, 0.0), Some(axes));
                assert_eq!(found.len(), segments, "{half} {middle}");
                let whole: f64 = found.iter().map(|[p, q]| p.distance(*q)).sum();
                assert!((whole - length).abs() < 1e-6, "{half} {middle}: {whole}");
                for end in found.as_flattened() {
                    assert!(corners.iter().any(|corner| corner.distance(*end) < 1e-7), "{half} {middle}: {end}");
                }
            }
        }
    }

    #[test]
    fn polytopes_have_all_their_edges() {
        // A cube without its corners: 8 triangles and 6 octagons.
        let corner = |k: u32| DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 0 { -1.0 } else { 1.0 }));
        let points: Vec<DVec3> =
            (0..8).flat_map(|k| [0, 1, 2].map(|axis| corner(k) - 0.5 * corner(k)[axis] * DVec3::AXES[axis])).collect();
        assert_eq!(outline(of_points(&points, 0.0), None).len(), 36);
    }

    #[test]
    fn round_volumes_have_facets() {
        let ends = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 2.0, 3.0)];
        for (points, radius) in [(&ends[..1], 2.0), (&ends[..], 0.5)] {
            let found = outline(of_points(points, radius), None);
            assert!(found.len() > 40 && found.len() <= 90, "{}", found.len());
            for end in found.as_flattened() {
                let near = points.iter().map(|p| p.distance(*end)).fold(f64::INFINITY, f64::min);
                assert!((near - radius).abs() < 1e-6 * radius, "{near}");
            }
        }
    }
}
