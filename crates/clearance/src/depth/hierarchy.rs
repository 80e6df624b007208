//! A tree of convex hulls over the pieces of a solid.
//!
//! Kim, Otaduy, Lin and Manocha (2002, see `patches.rs`), sections 5.2 and 5.4: pieces are merged pairwise, a node is
//! the hull of everything below it, and nodes with many corners are replaced by simpler enclosing polytopes. Departures
//! from the paper:
//! - pieces are grouped top-down: a group is split into halves of equal number, along the axis that makes the boxes of
//!   the halves smallest. So a level has twice the nodes of the one above, and all leaves are in the last two levels;
//! - a node is made from the exact hull of everything below it, not from its simplified children, so simplification
//!   errors do not accumulate towards the root;
//! - the paper collapses edges, takes the hull, and scales it until it encloses. Here planes are chosen rather than
//!   points. Starting from the node's box, planes of the exact hull are added, each where a corner of the current
//!   polytope protrudes the farthest. As `f` planes bound at most `2 f - 4` corners, [`HULL_PLANES`] of them keep to
//!   [`HULL_CORNERS`]. Corners are rounded, so planes are first moved slightly outward, and then exact signs must
//!   confirm that every corner of the exact hull is on the inner side of every face of the hull of the rounded corners.
//!   If not, the planes are moved farther; as a last resort the box is used, whose corners are not rounded. So
//!   enclosure does not depend on any bound for rounding.

use crate::math::tolerances::{HULL_CORNERS, HULL_MOVED, HULL_PLANES, HULL_PLANES_AT_ONCE};
use glam::DVec3;

use super::polytope::Polytope;
use crate::bound::Aabb;
use crate::geom::hull::{HullMesh, convex_hull};
use crate::shape::{ConvexPiece, HullNode, HullTree, Surface, rounded_up_length};

fn node(piece: ConvexPiece, children: Vec<u32>) -> HullNode {
    let center = bounds_of(&piece.points).center();
    let radius = piece.points.iter().map(|&p| rounded_up_length(p - center)).fold(0.0, f64::max);
    HullNode { piece, children, center, radius }
}

fn bounds_of(points: &[DVec3]) -> Aabb {
    points.iter().fold(Aabb::EMPTY, |bounds, &p| bounds.including(p))
}

/// The tree over the pieces of a surface; it has no levels if there are no pieces.
pub(crate) fn hull_tree(surface: &Surface, pieces: Vec<ConvexPiece>) -> HullTree {
    let extent = surface.bounds.size() * (1.0 + 4.0 * f64::EPSILON);
    let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
    let groups = halved(&mut order, &pieces);
    let mut levels: Vec<Vec<HullNode>> = Vec::new();
    // The corners of the exact hulls of the groups of the level below.
    let mut below: Vec<Vec<DVec3>> = Vec::new();
    for (level, sizes) in groups.iter().enumerate().rev() {
        let (mut nodes, mut corners) = (Vec::new(), Vec::new());
        let (mut first, mut child) = (0, 0);
        for &size in sizes {
            let own = order[first] as usize;
            first += size;
            let count = if level + 1 == groups.len() { 0 } else { size.min(2) };
            let children: Vec<u32> = (child..child + count as u32).collect();
            child += count as u32;
            if size == 1 {
                corners.push(pieces[own].points.clone());
                nodes.push(node(pieces[own].clone(), children));
                continue;
            }
            let points: Vec<DVec3> = children.iter().flat_map(|&child| below[child as usize].iter().copied()).collect();
            let (piece, exact) = hull_about(&points, extent);
            nodes.push(node(piece, children));
            corners.push(exact);
        }
        levels.push(nodes);
        below = corners;
    }
    levels.reverse();
    HullTree { levels }
}

/// Splits all pieces into halves until each is alone: the sizes of the groups, level by level, in the final order of
/// `order`. Sizes in a level differ by at most one.
fn halved(order: &mut [u32], pieces: &[ConvexPiece]) -> Vec<Vec<usize>> {
    let boxes: Vec<Aabb> = pieces.iter().map(|piece| bounds_of(&piece.points)).collect();
    if order.is_empty() {
        return Vec::new();
    }
    let mut levels = vec![vec![order.len()]];
    while let Some(sizes) = levels.last().filter(|sizes| sizes.iter().any(|&size| size > 1)) {
        let (mut first, mut next) = (0, Vec::with_capacity(2 * sizes.len()));
        for &size in sizes {
            if size == 1 {
                next.push(1);
            } else {
                halve(&mut order[first..first + size], &boxes);
                next.extend([size / 2, size - size / 2]);
            }
            first += size;
        }
        levels.push(next);
    }
    levels
}

/// Orders pieces such that each half is compact: along the axis where the boxes of the halves are smallest in total.
fn halve(order: &mut [u32], boxes: &[Aabb]) {
    let split = |order: &mut [u32], axis: usize| {
        let key = |&piece: &u32| boxes[piece as usize].center()[axis];
        order.select_nth_unstable_by(order.len() / 2, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    };
    let area = |half: &[u32]| {
        let join =
            |all: Aabb, &piece: &u32| all.including(boxes[piece as usize].min).including(boxes[piece as usize].max);
        let size = half.iter().fold(Aabb::EMPTY, join).size();
        size.x * size.y + size.y * size.z + size.z * size.x
    };
    let cost = |order: &mut [u32], axis: usize| {
        split(order, axis);
        let (left, right) = order.split_at(order.len() / 2);
        area(left) + area(right)
    };
    let costs = [0, 1, 2].map(|axis| cost(order, axis));
    let best = (0..3).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
    split(order, best);
}

/// A polytope of few corners that encloses points, and the corners of their exact hull.
fn hull_about(points: &[DVec3], extent: DVec3) -> (ConvexPiece, Vec<DVec3>) {
    let Ok(hull) = convex_hull(points) else {
        return (box_about(points), points.to_vec());
    };
    let corners: Vec<DVec3> = hull.vertices.iter().map(|&v| points[v as usize]).collect();
    let piece = if corners.len() <= HULL_CORNERS {
        virtual_piece(corners.clone(), &hull)
    } else {
        simplified(&corners, &hull, extent).unwrap_or_else(|| box_about(&corners))
    };
    (piece, corners)
}

/// A hull with only virtual faces. A flat one has both sides.
fn virtual_piece(points: Vec<DVec3>, hull: &HullMesh) -> ConvexPiece {
    let mut triangles = hull.triangles.clone();
    if hull.dimension == 2 {
        triangles.extend(hull.triangles.iter().map(|&[a, b, c]| [a, c, b]));
    }
    ConvexPiece { original: vec![false; triangles.len()], points, triangles, patch: Vec::new() }
}

fn box_about(points: &[DVec3]) -> ConvexPiece {
    let Aabb { min, max } = bounds_of(points);
    let corner = |k: u32| DVec3::select(glam::BVec3::new(k & 1 == 1, k & 2 == 2, k & 4 == 4), max, min);
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    match convex_hull(&corners) {
        Ok(hull) => virtual_piece(hull.vertices.iter().map(|&v| corners[v as usize]).collect(), &hull),
        Err(_) => ConvexPiece { points: corners, triangles: Vec::new(), original: Vec::new(), patch: Vec::new() },
    }
}

/// The points with `normal · x <= height`, in a frame in which the node fills the unit box. The normal is such that
/// heights are lengths of the mesh's own frame.
#[derive(Clone, Copy)]
struct HalfSpace {
    normal: DVec3,
    height: f64,
}

/// A polytope of at most [`HULL_CORNERS`] corners that encloses a hull, if rounding allows one.
fn simplified(corners: &[DVec3], hull: &HullMesh, extent: DVec3) -> Option<ConvexPiece> {
    let bounds = bounds_of(corners);
    let (center, size) = (bounds.center(), bounds.size().max_element());
    // Thin nodes are scaled to be as thick as they are long, up to a limit.
    let unit = (0.5 * bounds.size()).max(DVec3::splat(1e-6 * size));
    let local: Vec<DVec3> = corners.iter().map(|&p| (p - center) / unit).collect();
    let half_space = |normal: DVec3| {
        let normal = normal / (normal / unit).length();
        let height = local.iter().map(|&p| normal.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        HalfSpace { normal, height }
    };
    let faces = face_planes(&local, hull, unit);
    let inside = local.iter().sum::<DVec3>() / local.len() as f64;
    let mut planes: Vec<HalfSpace> = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).map(half_space).collect();
    while planes.len() < HULL_PLANES {
        let count = (HULL_PLANES - planes.len()).min(HULL_PLANES_AT_ONCE);
        let found = corners_of(&planes, inside, HULL_MOVED[2] * size)?;
        // The face that each corner is farthest outside of.
        let mut out: Vec<(f64, usize)> = Vec::new();
        for corner in found {
            let heights = faces.iter().map(|face| face.normal.dot(corner) - face.height);
            let best = heights.zip(0..).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            out.extend(best);
        }
        out.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut taken: Vec<DVec3> = Vec::new();
        for &(height, face) in &out {
            let direction = faces[face].normal / unit;
            // One of several nearly parallel planes suffices at a time.
            if height > 1e-6 * size && taken.len() < count && taken.iter().all(|other| direction.dot(*other) < 0.98) {
                taken.push(direction);
                planes.push(half_space(faces[face].normal));
            }
        }
        if taken.is_empty() {
            break;
        }
    }
    HULL_MOVED.iter().find_map(|&moved| {
        let found = corners_of(&planes, inside, moved * size)?;
        let points: Vec<DVec3> = found.iter().map(|&p| center + p * unit).collect();
        let first = [*points.first()?, *points.get(1)?, *points.get(2)?];
        let outer = Polytope::of(&points, first, extent + 2.0 * size)?;
        let encloses = outer.planes.iter().all(|plane| corners.iter().all(|&p| !plane.side(p).is_positive()));
        (encloses && !outer.is_flat()).then(|| virtual_piece(outer.points.clone(), &outer.hull))
    })
}

/// The planes of the faces of a hull of points in a frame scaled by `unit`; for a polygon, those of its sides and its
/// own.
fn face_planes(local: &[DVec3], hull: &HullMesh, unit: DVec3) -> Vec<HalfSpace> {
    let plane = |normal: DVec3, on: DVec3| {
        let normal = normal / (normal / unit).length();
        HalfSpace { normal, height: normal.dot(on) }
    };
    let mut planes = Vec::new();
    for (k, triangle) in hull.triangles.iter().enumerate() {
        if k > 0 && hull.face_of_triangle[k] == hull.face_of_triangle[k - 1] {
            continue;
        }
        let [a, b, c] = triangle.map(|v| local[v as usize]);
        planes.push(plane((b - a).cross(c - a), a));
    }
    if hull.dimension == 2
        && let Some(&HalfSpace { normal, .. }) = planes.first()
    {
        let polygon = hull.faces.get(0);
        for (k, &u) in polygon.iter().enumerate() {
            let [u, v] = [u, polygon[(k + 1) % polygon.len()]].map(|v| local[v as usize]);
            planes.push(plane((v - u).cross(normal), u));
        }
        planes.push(plane(-normal, local[polygon[0] as usize]));
    }
    planes.retain(|plane| plane.normal.is_finite() && plane.height.is_finite());
    planes
}

/// The corners of the intersection of half-spaces moved outward by a length, given a point in all of them: the faces of
/// the dual hull. Accurate up to rounding.
fn corners_of(planes: &[HalfSpace], inside: DVec3, moved: f64) -> Option<Vec<DVec3>> {
    let duals: Vec<DVec3> =
        planes.iter().map(|plane| plane.normal / (plane.height + moved - plane.normal.dot(inside))).collect();
    if planes.iter().any(|plane| plane.height + moved <= plane.normal.dot(inside)) {
        return None;
    }
    let hull = convex_hull(&duals).ok().filter(|hull| hull.dimension == 3)?;
    let mut corners = Vec::with_capacity(hull.faces.len());
    for (k, triangle) in hull.triangles.iter().enumerate() {
        if k > 0 && hull.face_of_triangle[k] == hull.face_of_triangle[k - 1] {
            continue;
        }
        let [a, b, c] = triangle.map(|v| duals[hull.vertices[v as usize] as usize]);
        let normal = (b - a).cross(c - a);
        let corner = inside + normal / normal.dot(a);
        // Nothing extends beyond the unit box by more than the planes are moved.
        if !corner.is_finite() || corner.abs().max_element() > 4.0 {
            return None;
        }
        corners.push(corner);
    }
    Some(corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::models::{self, Lists};
    use crate::depth::patches::convex_patches;
    use crate::geom::volume::signed_volume;
    use crate::math::predicates::orient3d;
    use clearance_oracle::rational::{Rational, dot, subtract, vector};

    /// The slots below a node.
    fn slots(tree: &HullTree, level: usize, node: usize) -> Vec<u32> {
        let node = &tree.levels[level][node];
        let of_children = node.children.iter().flat_map(|&child| slots(tree, level + 1, child as usize));
        if level + 1 == tree.levels.len() { node.piece.patch.clone() } else { of_children.collect() }
    }

    fn check(name: &str, lists: &Lists) -> HullTree {
        let mesh = models::solid(lists);
        let surface = mesh.surface();
        let pieces = convex_patches(surface);
        let tree = hull_tree(surface, pieces.clone());
        assert_eq!(tree, hull_tree(surface, pieces.clone()), "{name}");
        let last = tree.levels.len() - 1;
        assert_eq!(tree.levels[last].len(), pieces.len(), "{name}");
        for (level, nodes) in tree.levels.iter().enumerate() {
            assert!(level == last || nodes.len() == 1 << level, "{name}: {} in level {level}", nodes.len());
            let next: Vec<u32> = nodes.iter().flat_map(|node| node.children.iter().copied()).collect();
            assert!(level == last && next.is_empty() || next.into_iter().eq(0..tree.levels[level + 1].len() as u32));
            for (k, node) in nodes.iter().enumerate() {
                check_node(name, surface, node, &slots(&tree, level, k));
                if node.children.len() == 2 {
                    assert!(node.piece.points.len() <= HULL_CORNERS && node.piece.patch.is_empty(), "{name}");
                    assert!(node.piece.original.iter().all(|&original| !original), "{name}");
                } else {
                    assert!(pieces.contains(&node.piece), "{name}");
                }
            }
        }
        tree
    }

    fn check_node(name: &str, surface: &Surface, node: &HullNode, slots: &[u32]) {
        let piece = &node.piece;
        let faces: Vec<[DVec3; 3]> = piece.triangles.iter().map(|t| t.map(|v| piece.points[v as usize])).collect();
        for p in slots.iter().flat_map(|&slot| surface.corners(slot)) {
            assert!(faces.iter().all(|&[a, b, c]| !orient3d(a, b, c, p).is_positive()), "{name}: a corner is outside");
        }
        if convex_hull(&piece.points).unwrap().dimension < 3 {
            // No corner makes the hull larger.
            let corners = slots.iter().flat_map(|&slot| surface.corners(slot));
            let all: Vec<DVec3> = piece.points.iter().copied().chain(corners).collect();
            assert!(convex_hull(&all).unwrap().vertices.iter().all(|&v| (v as usize) < piece.points.len()), "{name}");
        } else {
            assert!(signed_volume(&piece.points, &piece.triangles) > 0.0, "{name}");
        }
        let squared = &Rational::from_f64(node.radius).unwrap().squared();
        for p in &piece.points {
            let off = subtract(&vector(p.to_array()).unwrap(), &vector(node.center.to_array()).unwrap());
            assert!(dot(&off, &off) <= *squared, "{name}: outside the ball");
        }
    }

    #[test]
    fn nodes_enclose_what_is_below_them() {
        for (name, lists) in models::all() {
            check(name, &lists);
        }
    }

    #[test]
    fn one_piece_is_the_root() {
        let tree = check("tetrahedron", &models::tetrahedron());
        assert_eq!(tree.levels.len(), 1);
        assert!(tree.levels[0][0].piece.original.iter().all(|&original| original));
        assert!(hull_tree(models::solid(&models::tetrahedron()).surface(), Vec::new()).levels.is_empty());
    }

    #[test]
    fn simpler_hulls_are_tight() {
        for (name, lists) in [("ball", models::bumpy_ball(20, 0.0)), ("torus", models::torus(40, 20))] {
            let root = &check(name, &lists).levels[0][0].piece;
            let surface_points: Vec<DVec3> = models::solid(&lists).surface().points.clone();
            let hull = convex_hull(&surface_points).unwrap();
            let corners: Vec<DVec3> = hull.vertices.iter().map(|&v| surface_points[v as usize]).collect();
            let ratio = signed_volume(&root.points, &root.triangles) / signed_volume(&corners, &hull.triangles);
            println!("{name}: {} corners for {}, volume times {ratio:.3}", root.points.len(), corners.len());
            assert!(ratio > 1.0 && ratio < 1.2, "{name}: {ratio}");
        }
    }

    #[test]
    fn thin_far_and_tiny_nodes_are_enclosed() {
        let ball = models::bumpy_ball(12, 0.05);
        let changed = |factor: DVec3, by: DVec3| {
            let point = |&p: &[f64; 3]| (DVec3::from_array(p) * factor + by).to_array();
            (ball.0.iter().map(point).collect::<Vec<_>>(), ball.1.clone())
        };
        check("thin", &changed(DVec3::new(1.0, 1.0, 1e-9), DVec3::ZERO));
        check("needle", &changed(DVec3::new(1e-6, 1e-6, 1.0), DVec3::ZERO));
        check("turned", &models::turned(&changed(DVec3::new(1.0, 1.0, 1e-7), DVec3::ZERO)));
        check("far", &changed(DVec3::ONE, DVec3::new(1e7, -1e7, 3e6)));
        check("tiny", &changed(DVec3::splat(1e-30), DVec3::ZERO));
        check("huge", &changed(DVec3::splat(1e50), DVec3::ZERO));
    }

    #[test]
    fn a_disc_of_many_corners_is_enclosed() {
        let n = 120;
        let angle = |k: u32| 2.0 * std::f64::consts::PI * f64::from(k) / f64::from(n);
        let flat: Vec<DVec3> = (0..n).map(|k| DVec3::new(angle(k).cos(), angle(k).sin(), 0.0)).collect();
        let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
        let turned: Vec<DVec3> = flat.iter().map(|&p| turn * p).collect();
        for disc in [flat, turned] {
            let (piece, corners) = hull_about(&disc, DVec3::splat(2.0));
            assert!(piece.points.len() <= HULL_CORNERS && corners.len() == n as usize);
            for t in &piece.triangles {
                let [a, b, c] = t.map(|v| piece.points[v as usize]);
                assert!(disc.iter().all(|&p| !orient3d(a, b, c, p).is_positive()));
            }
            let volume = signed_volume(&piece.points, &piece.triangles);
            println!("disc: {} corners, volume {volume:e}", piece.points.len());
            assert!(volume < 1e-3);
        }
    }
}
