//! Self-intersections: triangles of one mesh that meet other than in shared corners and edges, decided exactly.
//!
//! The tree is traversed against itself; the remaining pairs go to the exact kernel. Most of them are neighbours, and
//! most of those are separated by one or two signs: triangles that share two corners and are not coplanar meet in the
//! edge between them and nowhere else; triangles that share one corner meet nowhere else if the other two corners of
//! one are strictly on one side of the plane of the other; coplanar neighbours meet nowhere else if a line along an
//! edge has them strictly on either side. For the rest the intersection is compared with the shared features: it is
//! larger if and only if one of its extreme points is not a shared corner, or if it has an area.

use glam::DVec3;

use super::self_walk;
use crate::answer::self_intersections::{SelfIntersection, SelfIntersectionKind};
use crate::geom::triangle_triangle::{Crossing, CrossingKind, Feature3, triangles_cross};
use crate::math::predicates::{Sign, collinear, normal_axis, orient2d, orient3d};
use crate::math::simd::at_level;
use crate::parallel;
use crate::shape::{Mesh, SelfCrossing};
use crate::tree::traverse_same_frame::{Places, SameFramePair};

/// The number of pieces the traversal is split into for parallel work. Results do not depend on it.
const PIECES: usize = 512;

/// All pairs of triangles of a mesh that meet at least in a way, by the tree of boxes. See
/// [`self_intersections`](crate::query::self_intersections).
pub(crate) fn self_intersections(mesh: &Mesh, least: SelfIntersectionKind) -> Vec<SelfIntersection> {
    let surface = mesh.surface();
    let level = fearless_simd::Level::new();
    let in_piece = |&piece: &Places| {
        let (mut found, mut stack) = (Vec::new(), Vec::new());
        at_level!(level, simd => self_walk::walk(simd, &surface.tree, piece, &mut stack, |one, other| {
            let face = |slot: u32| (surface.ids[slot as usize], surface.corners(slot));
            found.extend(meet(face(one), face(other), surface.origin).filter(|pair| pair.kind >= least));
        }));
        found
    };
    let pieces = SameFramePair::itself(&surface.tree.nodes).pieces(PIECES);
    let mut found: Vec<_> = parallel::map(&pieces, in_piece).into_iter().flatten().collect();
    found.sort_unstable_by_key(|pair| pair.triangles);
    found
}

impl Mesh {
    /// Whether triangles cross each other: each has corners strictly on both sides of the other; touching does not
    /// count. Also whether some overlap in a plane. Computed once.
    pub(crate) fn self_crossing(&self) -> SelfCrossing {
        let surface = self.surface();
        surface.self_crossing(|| {
            let found = self_intersections(self, SelfIntersectionKind::Rims);
            let triangles = if found.is_empty() { Vec::new() } else { self.triangles() };
            let corners = |t: u32| triangles[t as usize].map(|p| surface.points[p as usize]);
            let has_both_sides = |[p, q, r]: [DVec3; 3], other: [DVec3; 3]| {
                let sides = other.map(|corner| orient3d(p, q, r, corner));
                sides.iter().any(|side| side.is_positive()) && sides.iter().any(|side| side.is_negative())
            };
            let through = |pair: &&SelfIntersection| {
                let [a, b] = pair.triangles.map(corners);
                has_both_sides(a, b) && has_both_sides(b, a)
            };
            let mut crossings = found.iter().filter(through);
            let crossing = crossings.next().map(|first| (1 + crossings.count(), first.triangles));
            SelfCrossing {
                crossing,
                folded: found.iter().any(|pair| pair.kind == SelfIntersectionKind::Overlap),
                somewhere: !found.is_empty(),
            }
        })
    }
}

/// Two triangles with their indices, if they meet in more than shared features; their corners are relative to an
/// origin.
pub(crate) fn meet(one: (u32, [DVec3; 3]), other: (u32, [DVec3; 3]), origin: DVec3) -> Option<SelfIntersection> {
    let (a, b) = if one.0 < other.0 { (one, other) } else { (other, one) };
    let (crossing, kind) = beyond_shared(&a.1, &b.1)?;
    Some(SelfIntersection { triangles: [a.0, b.0], segment: crossing.ends.map(|point| point + origin), kind })
}

/// The intersection of two triangles, if it is more than their equal corners and edges.
fn beyond_shared(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<(Crossing, SelfIntersectionKind)> {
    let shared_a = a.map(|p| b.contains(&p));
    let shared_b = b.map(|p| a.contains(&p));
    if !may_meet_elsewhere(a, shared_a, b, shared_b) {
        return None;
    }
    let crossing = triangles_cross(a, b)?;
    if let CrossingKind::Coplanar(polygon) = &crossing.kind
        && polygon.corners().len() > 2
    {
        return Some((crossing, SelfIntersectionKind::Overlap));
    }
    let is_shared = |feature: Feature3| matches!(feature, Feature3::Vertex(k) if shared_a[usize::from(k)]);
    if crossing.on_a.into_iter().all(is_shared) {
        return None;
    }
    // A triangle without area is its longest edge, which no two of its features need to name.
    let is_rim = |on: [Feature3; 2], [p, q, r]: [DVec3; 3]| on_one_edge(on) || collinear(p, q, r);
    let on_rims = is_rim(crossing.on_a, *a) && is_rim(crossing.on_b, *b);
    Some((crossing, if on_rims { SelfIntersectionKind::Rims } else { SelfIntersectionKind::Crossing }))
}

/// False if a few signs prove that triangles that share a corner or two meet nowhere else.
#[inline]
fn may_meet_elsewhere(a: &[DVec3; 3], shared_a: [bool; 3], b: &[DVec3; 3], shared_b: [bool; 3]) -> bool {
    let place = |shared: [bool; 3], which: bool| shared.iter().position(|&s| s == which).unwrap_or(0);
    let side = |plane: &[DVec3; 3], point: DVec3| orient3d(plane[0], plane[1], plane[2], point);
    match [shared_a, shared_b].map(|shared| shared.iter().filter(|s| **s).count()) {
        [1, 1] => {
            let (i, j) = (place(shared_a, true), place(shared_b, true));
            let (of_a, of_b) = ([a[(i + 1) % 3], a[(i + 2) % 3]], [b[(j + 1) % 3], b[(j + 2) % 3]]);
            let sides = of_b.map(|point| side(a, point));
            if sides == [Sign::Zero; 2] {
                return !wedges_apart(a, a[i], of_a, of_b);
            }
            if sides[0] == sides[1] {
                return false;
            }
            let sides = of_a.map(|point| side(b, point));
            sides[0] != sides[1] || sides[0].is_zero()
        }
        [2, 2] => {
            let (i, j) = (place(shared_a, false), place(shared_b, false));
            side(a, b[j]).is_zero() && !across_edge(a, [a[(i + 1) % 3], a[(i + 2) % 3]], a[i], b[j])
        }
        _ => true,
    }
}

/// Whether two points in the plane of a triangle are proved strictly on either side of an edge.
fn across_edge(plane: &[DVec3; 3], [p, q]: [DVec3; 2], one: DVec3, other: DVec3) -> bool {
    normal_axis(plane[0], plane[1], plane[2]).is_some_and(|(axis, _)| {
        let sides = [one, other].map(|point| orient2d(axis, p, q, point));
        !sides[0].is_zero() && sides[0] == -sides[1]
    })
}

/// Whether two wedges with a common tip in the plane of a triangle are proved to share only the tip: a side of one has
/// the rest of its own wedge on one side and the other wedge strictly on the other.
fn wedges_apart(plane: &[DVec3; 3], tip: DVec3, one: [DVec3; 2], other: [DVec3; 2]) -> bool {
    normal_axis(plane[0], plane[1], plane[2]).is_some_and(|(axis, _)| {
        let separates = |along: DVec3, own: DVec3, far: [DVec3; 2]| {
            let inner = orient2d(axis, tip, along, own);
            !inner.is_zero() && far.into_iter().all(|point| orient2d(axis, tip, along, point) == -inner)
        };
        separates(one[0], one[1], other)
            || separates(one[1], one[0], other)
            || separates(other[0], other[1], one)
            || separates(other[1], other[0], one)
    })
}

/// Whether one edge of a triangle contains both.
fn on_one_edge(features: [Feature3; 2]) -> bool {
    let holds = |edge: u8, feature: Feature3| match feature {
        Feature3::Vertex(k) => k == edge || k == (edge + 1) % 3,
        Feature3::Edge(k) => k == edge,
        Feature3::Face => false,
    };
    (0..3).any(|edge| features.into_iter().all(|feature| holds(edge, feature)))
}
