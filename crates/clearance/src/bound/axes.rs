//! The axes of oriented volumes: eigenvectors of a covariance.
//!
//! Gottschalk, Lin, Manocha, *OBBTree: A Hierarchical Structure for Rapid Interference Detection* (SIGGRAPH 1996),
//! section 4: of the corners of the triangles; of the vertices of their convex hull; or of the hull's surface, by the
//! closed form of the integral. Departs from the paper in three places:
//! - flat hulls, which the exact builder returns as a polygon or a segment, are integrated as such;
//! - of many points only the farthest in each cell of a grid of directions are given to the hull builder: the axes are
//!   an estimate in any case, and what encloses the points is computed from all of them;
//! - points are moved to their middle and scaled, so that no square overflows or loses its digits.

use glam::{DMat3, DVec3};

use super::{Aabb, Bound, Fit};
use crate::geom::hull::{HullMesh, convex_hull};
use crate::math::eigen::eigenvectors;
use crate::math::tolerances::{HULL_CELLS, HULL_POINTS};

/// A right-handed frame of orthogonal unit vectors for the corners of triangles, the direction of the largest variance
/// first.
pub(super) fn principal_axes(corners: &[DVec3], how: Fit) -> DMat3 {
    let bounds = <Aabb as Bound>::fit(corners, how);
    let (middle, size) = (bounds.center(), bounds.size().max_element());
    if size == 0.0 || !size.is_finite() {
        return DMat3::IDENTITY;
    }
    // Any nearby scale will do, if it is the same for all; its reciprocal overflows for the smallest.
    let scaled: Vec<DVec3> = corners.iter().map(|&p| (p - middle) / size).collect();
    let covariance = match how {
        Fit::Vertices => of_points(&scaled),
        Fit::HullVertices => match hull_of(&scaled) {
            Some((points, hull)) => of_points(&vertices(&points, &hull)),
            None => of_points(&scaled),
        },
        Fit::HullSurface => match hull_of(&scaled) {
            Some((points, hull)) => of_surface(&vertices(&points, &hull), &hull.triangles),
            None => of_points(&scaled),
        },
    };
    eigenvectors(&covariance)
}

/// The hull of the points, or of those that are farthest in some direction, and the points that it refers to.
fn hull_of(points: &[DVec3]) -> Option<(Vec<DVec3>, HullMesh)> {
    let points = if points.len() > HULL_POINTS { farthest(points) } else { distinct(points) };
    let hull = convex_hull(&points).ok()?;
    Some((points, hull))
}

fn vertices(points: &[DVec3], hull: &HullMesh) -> Vec<DVec3> {
    hull.vertices.iter().map(|&v| points[v as usize]).collect()
}

/// The points without duplicates, in an order of their own. Triangles share most of their corners.
fn distinct(points: &[DVec3]) -> Vec<DVec3> {
    let mut points = points.to_vec();
    let key = |p: &DVec3| p.to_array();
    points.sort_unstable_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
    points.dedup();
    points
}

/// The farthest point in each cell of a grid on the faces of a cube about the middle. Relative to the sizes of the
/// points' box, as the hull of stretched points is the stretched hull.
fn farthest(points: &[DVec3]) -> Vec<DVec3> {
    let size = <Aabb as Bound>::fit(points, Fit::Vertices).size();
    let stretch = DVec3::select(size.cmpgt(DVec3::splat(1e-12)), 1.0 / size.max(DVec3::splat(1e-12)), DVec3::ZERO);
    let mut found = vec![(-1.0, DVec3::ZERO); 6 * HULL_CELLS * HULL_CELLS];
    for &p in points {
        let v = p * stretch;
        let a = v.abs();
        let axis = if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) };
        let (height, across) = (v[axis], [v[(axis + 1) % 3], v[(axis + 2) % 3]]);
        let cell = |x: f64| {
            let place = (x / height + 1.0) * (0.5 * HULL_CELLS as f64);
            // Saturates; NaN, of a point in the middle, is zero.
            (place as usize).min(HULL_CELLS - 1)
        };
        let face = 2 * axis + usize::from(height < 0.0);
        let squared = v.length_squared();
        let slot = &mut found[(face * HULL_CELLS + cell(across[0])) * HULL_CELLS + cell(across[1])];
        if squared > slot.0 {
            *slot = (squared, p);
        }
    }
    found.into_iter().filter(|&(squared, _)| squared >= 0.0).map(|(_, p)| p).collect()
}

/// Adds `f x xᵀ` to a symmetric matrix.
fn add_square(sum: &mut DMat3, x: DVec3, f: f64) {
    *sum += DMat3::from_cols(x * (f * x.x), x * (f * x.y), x * (f * x.z));
}

/// The covariance of points.
fn of_points(points: &[DVec3]) -> DMat3 {
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let mut sum = DMat3::ZERO;
    for &p in points {
        add_square(&mut sum, p - mean, 1.0);
    }
    sum
}

/// The covariance of the surface of a hull: about the centroid, a triangle with the corners `p q r` and the centroid
/// `c` contributes its area times `(9 c cᵀ + p pᵀ + q qᵀ + r rᵀ) / 12`.
fn of_surface(vertices: &[DVec3], triangles: &[[u32; 3]]) -> DMat3 {
    let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
    let area = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).length();
    let (mut total, mut first) = (0.0, DVec3::ZERO);
    for t in triangles {
        let [p, q, r] = corners(t);
        let a = area([p, q, r]);
        total += a;
        first += (p + q + r) * (a / 3.0);
    }
    // A segment, a point, or a surface whose area underflows.
    if total <= f64::MIN_POSITIVE {
        return of_points(vertices);
    }
    let centroid = first / total;
    let mut sum = DMat3::ZERO;
    for t in triangles {
        let [p, q, r] = corners(t).map(|v| v - centroid);
        let a = area([p, q, r]) / total;
        add_square(&mut sum, (p + q + r) / 3.0, 9.0 * a);
        for v in [p, q, r] {
            add_square(&mut sum, v, a);
        }
    }
    sum
}
