//! A proved upper bound on how far points of triangles are from a mesh, by branch and bound.
//!
//! The distance from a triangle, which is convex, is a convex function. So no point of a piece of a triangle is farther
//! from a face than the farthest of its corners, and none is farther from the mesh than the least of that over its
//! faces. Pieces for which this is not good enough are cut by the planes across the edges of the face next to them,
//! else in half.

use std::collections::VecDeque;

use glam::DVec3;

use crate::geom::piece::{POLYGON_CUT_ERROR, Polygon, distance_from, farthest_of};
use crate::geom::ray_polytope::rounded_normal;
use crate::math::tolerances::{REPAIR_PIECES, REPAIR_PIECES_OF_FILLS, REPAIR_ROUNDING, REPAIR_SPREAD, UNIT_ROUNDOFF};
use crate::mesh::walk_faces::{Waiting, least_farthest, walk_near};
use crate::parallel;
use crate::shape::Surface;

/// A mesh that distances are measured to. Triangles are given about its local origin, with corners that may be `off`.
pub(super) struct Measure<'s> {
    pub surface: &'s Surface,
    pub off: f64,
}

/// A polygon still to be bounded.
struct OpenPolygon {
    shape: Polygon,
    cuts: u32,
    face: Option<u32>,
}

impl Measure<'_> {
    /// No point of the triangles is farther than this from the mesh. Above the largest distance by about
    /// [`REPAIR_SPREAD`] of it, or by more where that would take too long.
    pub fn largest(&self, triangles: &[[DVec3; 3]]) -> f64 {
        // A lower bound on the largest distance, at corners.
        let at_corners = parallel::map_pieces(triangles, 64, |some| {
            let mut waiting = Waiting::new();
            let all = some.iter().flatten().map(|&corner| self.nearest(corner, &mut waiting).0);
            all.fold(0.0, f64::max)
        });
        let reached = at_corners.into_iter().fold(0.0, f64::max);
        let bounds = parallel::map_pieces(triangles, 16, |some| {
            let mut waiting = Waiting::new();
            some.iter().map(|&corners| self.bound(corners, reached, None, &mut waiting)).fold(0.0, f64::max)
        });
        bounds.into_iter().fold(0.0, f64::max)
    }

    /// An upper bound on the distance of all points of a triangle, if one within a limit is found.
    pub fn bound_within(&self, corners: [DVec3; 3], limit: f64) -> Option<f64> {
        Some(self.bound(corners, 0.0, Some(limit), &mut Waiting::new())).filter(|&bound| bound <= limit)
    }

    /// An upper bound on the distance of a triangle, as tight as needed given that `reached` is attained. With a limit,
    /// only whether it holds matters.
    fn bound(&self, corners: [DVec3; 3], mut reached: f64, limit: Option<f64>, waiting: &mut Waiting) -> f64 {
        let size = corners.iter().map(|p| p.abs().max_element()).fold(self.surface.radius, f64::max);
        let mut open = VecDeque::from([OpenPolygon { shape: Polygon::of_triangle(corners), cuts: 0, face: None }]);
        let most_pieces = if limit.is_some() { REPAIR_PIECES_OF_FILLS } else { REPAIR_PIECES };
        let (mut most, mut count) = (0.0f64, 0);
        // With a limit, large pieces first: a point beyond it is then found soon.
        while let Some(piece) = if limit.is_some() { open.pop_front() } else { open.pop_back() } {
            count += 1;
            // A cut may be by three planes, and the midpoint is rounded too.
            let cuts = 3.0 * f64::from(piece.cuts) + 2.0;
            let off = self.off + POLYGON_CUT_ERROR * UNIT_ROUNDOFF * cuts * size;
            let enough = limit.unwrap_or(reached * REPAIR_SPREAD + 4.0 * off);
            let corners = piece.shape.corners();
            let (away, near) = self.nearest(piece.shape.middle(), waiting);
            reached = reached.max(away - off);
            if limit.is_some_and(|limit| away - off > limit) {
                return f64::INFINITY;
            }
            let of_face = |face: u32| farthest_of(corners, self.surface.corners(face));
            let hint = piece.face.into_iter().chain(near).map(|face| (of_face(face), face));
            let kept = hint.min_by(|p, q| p.0.total_cmp(&q.0)).filter(|kept| kept.0 + off <= enough);
            let found = kept.or_else(|| least_farthest(self.surface, corners, f64::INFINITY, waiting));
            let (bound, face) = found.map_or((f64::INFINITY, None), |(found, face)| (found + off, Some(face)));
            if bound <= enough || count > most_pieces {
                most = most.max(bound);
                if limit.is_some_and(|limit| bound > limit) {
                    return f64::INFINITY;
                }
                continue;
            }
            let before = open.len();
            let mut add = |shape: Polygon| open.push_back(OpenPolygon { shape, cuts: piece.cuts + 1, face });
            // Every other time, as a sliver may stay beside the plane.
            if let Some(near) = near.filter(|_| piece.cuts.is_multiple_of(2)) {
                let corners = self.surface.corners(near);
                if let Some(normal) = rounded_normal(corners).try_normalize() {
                    let (left, others) = piece.shape.carved(|corner| corner, corners, normal);
                    if left.is_some() && others.iter().any(Option::is_some) {
                        left.into_iter().chain(others.into_iter().flatten()).for_each(&mut add);
                    }
                }
            }
            if open.len() == before {
                let halves = piece.shape.halves();
                if halves.is_none() {
                    most = most.max(bound);
                }
                let add = |shape: Polygon| open.push_back(OpenPolygon { shape, cuts: piece.cuts + 1, face });
                halves.into_iter().flatten().for_each(add);
            }
        }
        // Slack for a proof with other pieces.
        if limit.is_some() { most } else { most.max(reached * REPAIR_SPREAD) + REPAIR_ROUNDING * size }
    }

    /// A lower bound on the distance of a point, and the nearest face.
    fn nearest(&self, point: DVec3, waiting: &mut Waiting) -> (f64, Option<u32>) {
        let (mut lower, mut upper, mut nearest) = (f64::INFINITY, f64::INFINITY, None);
        walk_near(self.surface, &[point], f64::INFINITY, waiting, |slot| {
            let (least, most) = distance_from(point, self.surface.corners(slot));
            lower = lower.min(least);
            if most < upper {
                (upper, nearest) = (most, Some(slot));
            }
            upper
        });
        if nearest.is_none() { (0.0, None) } else { (lower, nearest) }
    }
}
