//! Which faces of polytopes and of their sums may lie on the boundary of the solids: see `original` of
//! [`Sum`](super::sum::Sum).

use glam::DVec3;

use super::sum::Polytope;
use crate::geom::hull::HullMesh;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Marks faces of the hull of differences as original, from their planes.
pub(super) struct Marks<'m, 'p> {
    polytopes: [&'m Polytope<'p>; 2],
    /// Everything is original.
    all: bool,
    /// Bound on the rounding of a difference.
    rounding: f64,
    touched: [Vec<bool>; 2],
}

impl<'m, 'p> Marks<'m, 'p> {
    pub(super) fn new(a: &'m Polytope<'p>, b: &'m Polytope<'p>) -> Self {
        let size: f64 = [a, b].iter().map(|body| largest(body.points)).sum();
        Marks {
            polytopes: [a, b],
            all: a.original.iter().chain(b.original).all(|&original| original),
            // Half an ulp of each coordinate, which is at most `UNIT_ROUNDOFF * size`; √3 < 2 of them in length.
            rounding: 2.0 * UNIT_ROUNDOFF * size,
            touched: [a, b].map(|body| vec![false; body.points.len()]),
        }
    }

    /// Whether a face of the hull is original, with the features taken as all vertices in its plane up to rounding.
    /// Including too many only makes more faces original.
    pub(super) fn original(&mut self, points: &[DVec3], corners: &[u32]) -> bool {
        if self.all {
            return true;
        }
        // The widest triangle of the fan has the most accurate plane.
        let at = |k: usize| points[corners[k] as usize];
        let (mut normal, mut width) = (DVec3::ZERO, 0.0);
        for k in 2..corners.len() {
            let (p, q) = (at(k - 1) - at(0), at(k) - at(0));
            let longest = p.length().max(q.length()).max((p - q).length());
            let cross = p.cross(q);
            let length = cross.length();
            if length > width * longest {
                (normal, width) = (cross / length, length / longest);
            }
        }
        if width == 0.0 {
            return true;
        }
        // The plane through three points that are off by `r` each is off by `r` times the sum of magnitudes of the
        // barycentric coordinates: for a point of the sum, at most `3 D / width` with D the diameter. The height of a
        // vertex is computed within a few `r` too: four times as much for all.
        let [a, b] = self.polytopes;
        let diameter: f64 = [a, b].iter().map(|body| extent(body.points)).sum();
        let slack = 4.0 * self.rounding * (1.0 + 3.0 * diameter / width);
        let mut face = [false; 2];
        let mut edge = [false; 2];
        for (k, (body, direction)) in [(a, normal), (b, -normal)].into_iter().enumerate() {
            let highest = body.points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            for (touched, p) in self.touched[k].iter_mut().zip(body.points) {
                *touched = highest - p.dot(direction) <= slack;
            }
            (face[k], edge[k]) = touched_originals(body, &self.touched[k]);
        }
        face[0] || face[1] || (edge[0] && edge[1])
    }
}

/// Whether an original triangle has all its corners among the touched vertices, and whether one has two. A body without
/// triangles has nothing virtual.
fn touched_originals(body: &Polytope, touched: &[bool]) -> (bool, bool) {
    if body.triangles.is_empty() {
        return (false, true);
    }
    let (mut face, mut edge) = (false, false);
    for (triangle, _) in body.triangles.iter().zip(body.original).filter(|(_, original)| **original) {
        let count = triangle.iter().filter(|&&v| touched[v as usize]).count();
        face |= count == 3;
        edge |= count >= 2;
    }
    (face, edge)
}

/// The largest magnitude of a coordinate.
pub(super) fn largest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

/// The diagonal of the bounding box of points: an upper bound of their diameter.
pub(super) fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    (high - low).length()
}

/// Which faces of the hull lie on the surface of the solid: those that contain a given original triangle.
pub(super) fn original_faces(of: &Polytope, given: &[DVec3], hull: &HullMesh) -> Vec<bool> {
    let count = hull.faces.len();
    if of.original.iter().all(|&original| original) || hull.dimension < 3 {
        return vec![of.original.is_empty() || of.original.iter().any(|&original| original); count];
    }
    let sorted = |mut triangle: [u32; 3]| {
        triangle.sort_unstable();
        triangle
    };
    let mut known: Vec<([u32; 3], bool)> =
        of.triangles.iter().zip(of.original).map(|(&triangle, &original)| (sorted(triangle), original)).collect();
    known.sort_unstable();
    let mut original = vec![false; count];
    let mut open = vec![false; count];
    for (triangle, &face) in hull.triangles.iter().zip(&hull.face_of_triangle) {
        let ids = sorted(triangle.map(|v| hull.vertices[v as usize]));
        match known.binary_search_by(|entry| entry.0.cmp(&ids)) {
            Ok(found) => original[face as usize] |= known[found].1,
            Err(_) => open[face as usize] = true,
        }
    }
    // For faces triangulated differently from the given ones, or whose corners were moved by rounding: find the given
    // triangles in their plane. A triangle counts if moving all points by `r`, a few units of rounding, could put it
    // there. With `e`, `f` two sides of the face and `w` from it to a corner, moving points by `r` moves each of the
    // three by `2r`, and their determinant by `2r (|e||f| + |f||w| + |w||e|)` and terms of second order.
    let r = 8.0 * UNIT_ROUNDOFF * largest(given);
    for face in (0..count).filter(|&face| open[face]) {
        let outline = hull.faces.get(face);
        let corner = |k: usize| given[hull.vertices[outline[k] as usize] as usize];
        let base = corner(0);
        let (e, f) = (corner(1) - base, corner(outline.len() - 1) - base);
        let normal = e.cross(f);
        let (e, f) = (e.length(), f.length());
        let near = |&v: &u32| {
            let w = given[v as usize] - base;
            normal.dot(w).abs() <= 4.0 * r * (e * f + (e + f) * w.length())
        };
        let mut any = false;
        for (triangle, &mark) in of.triangles.iter().zip(of.original) {
            if triangle.iter().all(near) {
                any = true;
                original[face] |= mark;
            }
        }
        original[face] |= !any;
    }
    original
}
