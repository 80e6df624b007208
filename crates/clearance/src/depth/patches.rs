//! The surface of a solid as convex patches, and the convex piece of the solid behind each.
//!
//! Kim, Otaduy, Lin and Manocha, *Fast Penetration Depth Computation Using Rasterization Hardware and Hierarchical
//! Refinement* (2002), section 4.1: traverse the graph of neighbouring triangles and add triangles to a patch as long
//! as it stays convex; the hull of a patch is a piece. Departures from the paper:
//! - a patch is convex if all of it lies on its own hull, by exact signs: every corner on or below the plane of every
//!   triangle. Convexity of each edge does not suffice: a spiral ramp has convex edges;
//! - the paper claims that the hulls of convex patches lie in the solid. They do not: the wall of a cup is a convex
//!   patch, and its hull fills the cup. Here the hull of a patch must also lie in the solid. A hull with an interior
//!   does so if no triangle of the surface enters that interior: then the interior is all inside or all outside, and
//!   below the triangles of the patch it is inside. A flat hull does so if the surface meets its interior only in
//!   coplanar triangles of the same orientation: then the surface cannot end or bend there, and covers it;
//! - coplanar neighbours are taken first, so quads and polygons stay whole where they can.
//!
//! Both conditions are monotone as a patch grows, so a triangle rejected once is rejected by that patch for good. The
//! first is maintained with every triangle, the second is tested each time the patch has doubled. If the test fails,
//! bisection finds the first triangle at which it does; this one is rejected, those after it are removed, and growth
//! continues from there, a few times. With at most [`PATCH_TRIANGLES`] triangles per patch the whole is linear in their
//! number apart from tree traversals.

use crate::math::tolerances::{PATCH_FAILURES, PATCH_TRIANGLES};
use std::collections::VecDeque;

use glam::DVec3;

use super::polytope::Polytope;
use crate::bound::Aabb;
use crate::geom::hull::FacePlane;
use crate::geom::topology::{EdgeMap, NONE};
use crate::math::cancel::checkpoint;
use crate::math::predicates::{Sign, collinear, normal_axis, orient2d};
use crate::shape::{ConvexPiece, Surface};
use crate::tree::wide::{Below, WIDTH, round_down, round_up};

/// Convex patches that together form the surface of a solid, each with its hull, which lies in the solid. Ordered by
/// the first slot; zero-area triangles come last, one patch each.
///
/// A self-intersecting surface is used as it is: no piece has a part of the surface in its interior, and no flat piece
/// of several triangles is crossed by it. A single triangle is always a piece.
pub(crate) fn convex_patches(surface: &Surface) -> Vec<ConvexPiece> {
    let mut growth = Growth::new(surface);
    let mut pieces = Vec::new();
    for with_area in [true, false] {
        for seed in 0..surface.triangles.len() as u32 {
            if !growth.taken[seed as usize] && growth.has_area[seed as usize] == with_area {
                growth.start(seed);
                let hull = if with_area { growth.grow() } else { None };
                pieces.push(growth.piece(hull));
            }
        }
    }
    pieces
}

/// The status of a triangle in the growing patch.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The patch this refers to; stale for others.
    patch: u32,
    /// Its place in the patch, if it is a member; [`NONE`] if it was rejected.
    place: u32,
}

struct Growth<'a> {
    surface: &'a Surface,
    twin: Vec<u32>,
    /// The plane of each triangle.
    planes: Vec<FacePlane>,
    has_area: Vec<bool>,
    /// Whether a triangle is in a finished patch.
    taken: Vec<bool>,
    /// An upper bound on the difference of any two corners along each axis.
    extent: DVec3,
    marks: Vec<Mark>,
    /// For each point, the last patch that contained it.
    point_marks: Vec<u32>,
    /// For each triangle, the number of the last face search that visited it.
    seen: Vec<u32>,
    searches: u32,
    /// The number of the growing patch, from 1.
    patch: u32,
    /// Its triangles in the order they were added.
    members: Vec<u32>,
    /// Their points likewise, and their number after each triangle.
    points: Vec<u32>,
    point_counts: Vec<u32>,
    /// The number of triangles when the patch first was not flat.
    solid_from: usize,
    /// Half-edges of members still to be crossed.
    open: VecDeque<u32>,
}

impl<'a> Growth<'a> {
    fn new(surface: &'a Surface) -> Growth<'a> {
        let count = surface.triangles.len();
        let extent = surface.bounds.size() * (1.0 + 4.0 * f64::EPSILON);
        let corners = || (0..count as u32).map(|slot| surface.corners(slot));
        Growth {
            surface,
            twin: EdgeMap::new(&surface.triangles).twin,
            planes: corners().map(|corners| FacePlane::new(corners, extent)).collect(),
            has_area: corners().map(|[a, b, c]| !collinear(a, b, c)).collect(),
            taken: vec![false; count],
            extent,
            marks: vec![Mark::default(); count],
            point_marks: vec![0; surface.points.len()],
            seen: vec![0; count],
            searches: 0,
            patch: 0,
            members: Vec::new(),
            points: Vec::new(),
            point_counts: Vec::new(),
            solid_from: usize::MAX,
            open: VecDeque::new(),
        }
    }

    /// Starts a patch with one triangle.
    fn start(&mut self, seed: u32) {
        self.patch += 1;
        self.members.clear();
        self.points.clear();
        self.point_counts.clear();
        self.solid_from = usize::MAX;
        self.add(seed);
    }

    fn point(&self, point: u32) -> DVec3 {
        self.surface.points[point as usize]
    }

    /// The side of a triangle's plane that a point is on.
    #[inline(always)]
    fn side(&self, slot: u32, point: u32) -> Sign {
        self.planes[slot as usize].side(|| self.surface.corners(slot), self.point(point))
    }

    fn is_flat(&self) -> bool {
        self.members.len() < self.solid_from
    }

    fn add(&mut self, slot: u32) {
        self.marks[slot as usize] = Mark { patch: self.patch, place: self.members.len() as u32 };
        self.members.push(slot);
        for point in self.surface.triangles[slot as usize] {
            if self.point_marks[point as usize] != self.patch {
                self.point_marks[point as usize] = self.patch;
                self.points.push(point);
            }
        }
        self.point_counts.push(self.points.len() as u32);
    }

    /// Grows the patch as far as possible. Returns its hull, unless it is a single triangle.
    fn grow(&mut self) -> Option<Polytope> {
        let (mut hull, mut tested, mut step, mut failures) = (None, 1, 1, 0);
        self.open_all();
        loop {
            checkpoint();
            let full = self.members.len() >= PATCH_TRIANGLES;
            let next = if full { None } else { self.open.pop_front() };
            match next {
                Some(half_edge) => self.look_across(half_edge),
                None if tested == self.members.len() => return hull,
                None => {}
            }
            if self.members.len() < tested + step && next.is_some() {
                continue;
            }
            let whole = self.members.len();
            if let Some(found) = self.hull_inside(whole) {
                (hull, tested, step) = (Some(found), whole, whole);
                continue;
            }
            // The hull of the first `tested` is inside, that of the first `fails` is not.
            let mut fails = whole;
            while fails > tested + 1 {
                let middle = tested.midpoint(fails);
                match self.hull_inside(middle) {
                    Some(found) => (hull, tested) = (Some(found), middle),
                    None => fails = middle,
                }
            }
            self.put_out_from(tested);
            failures += 1;
            if failures == PATCH_FAILURES {
                return hull;
            }
            step = (step / 4).max(1);
            self.open_all();
        }
    }

    /// Queues every neighbour again.
    fn open_all(&mut self) {
        self.open.clear();
        for place in 0..self.members.len() {
            self.open_sides(self.members[place]);
        }
    }

    /// Rejects a member and removes those after it.
    fn put_out_from(&mut self, place: usize) {
        for &slot in &self.members[place..] {
            self.marks[slot as usize] = Mark::default();
        }
        self.marks[self.members[place] as usize] = Mark { patch: self.patch, place: NONE };
        self.members.truncate(place);
        self.point_counts.truncate(place);
        let points = self.point_counts.last().map_or(0, |&count| count as usize);
        for &point in &self.points[points..] {
            self.point_marks[point as usize] = 0;
        }
        self.points.truncate(points);
        if self.members.len() < self.solid_from {
            self.solid_from = usize::MAX;
        }
    }

    /// Adds the triangle across an edge if the patch stays convex.
    fn look_across(&mut self, half_edge: u32) {
        let twin = self.twin[half_edge as usize];
        if twin == NONE {
            return;
        }
        let slot = twin / 3;
        if self.taken[slot as usize] || self.marks[slot as usize].patch == self.patch {
            return;
        }
        let Some(stays_flat) = self.joins(slot, twin) else {
            self.marks[slot as usize] = Mark { patch: self.patch, place: NONE };
            return;
        };
        if self.is_flat() && !stays_flat {
            self.solid_from = self.members.len() + 1;
        }
        self.add(slot);
        self.open_sides(slot);
    }

    /// Queues the neighbours of a member, coplanar ones first.
    fn open_sides(&mut self, slot: u32) {
        for side in [3 * slot, 3 * slot + 1, 3 * slot + 2] {
            let twin = self.twin[side as usize];
            if twin == NONE || self.taken[twin as usize / 3] || self.marks[twin as usize / 3].patch == self.patch {
                continue;
            }
            let apex = self.surface.triangles[twin as usize / 3][(twin as usize % 3 + 2) % 3];
            match self.side(slot, apex) {
                Sign::Zero => self.open.push_front(side),
                _ => self.open.push_back(side),
            }
        }
    }

    /// Whether the patch stays convex with one more triangle, and then whether it is flat with it if it was before.
    fn joins(&self, slot: u32, shared: u32) -> Option<bool> {
        let corners = self.surface.triangles[slot as usize];
        if !self.has_area[slot as usize] {
            // It must lie within the edge it is reached by, or it is rejected.
            let [a, b, c] = [0, 1, 2].map(|k| self.point(corners[(shared as usize % 3 + k) % 3]));
            return Aabb::new(a.min(b), a.max(b)).contains(c).then_some(true);
        }
        let seed = self.members[0];
        let stays_flat = self.is_flat() && corners.iter().all(|&point| self.side(seed, point).is_zero());
        if stays_flat {
            return self.faces_like_seed(slot).then_some(true);
        }
        let is_new = |point: &&u32| self.point_marks[**point as usize] != self.patch;
        for &point in corners.iter().filter(is_new) {
            if self.members.iter().any(|&member| self.side(member, point).is_positive()) {
                return None;
            }
        }
        if self.points.iter().any(|&point| self.side(slot, point).is_positive()) {
            return None;
        }
        Some(false)
    }

    /// Whether a triangle coplanar with the first has the same orientation.
    fn faces_like_seed(&self, slot: u32) -> bool {
        let [[a, b, c], [d, e, f]] = [self.members[0], slot].map(|slot| self.surface.corners(slot));
        normal_axis(a, b, c).is_some_and(|(axis, sign)| orient2d(axis, d, e, f) == sign)
    }

    /// The hull of the first members, if it lies in the solid.
    fn hull_inside(&self, count: usize) -> Option<Polytope> {
        let points = self.points[..self.point_counts[count - 1] as usize].iter();
        let points: Vec<DVec3> = points.map(|&point| self.point(point)).collect();
        let hull = Polytope::of(&points, self.surface.corners(self.members[0]), self.extent)?;
        let may_be_there = |slot: u32| {
            let mark = self.marks[slot as usize];
            let is_member = mark.patch == self.patch && (mark.place as usize) < count;
            is_member || !hull.is_entered_by(self.surface.corners(slot))
        };
        all_near(self.surface, &hull.bounds, may_be_there).then_some(hull)
    }

    /// Ends the patch.
    fn piece(&mut self, hull: Option<Polytope>) -> ConvexPiece {
        for &slot in &self.members {
            self.taken[slot as usize] = true;
        }
        let patch = self.members.clone();
        let Some(hull) = hull else {
            let points = self.points.iter().map(|&point| self.point(point)).collect();
            let (triangles, original) = match self.has_area[patch[0] as usize] {
                true => (vec![[0, 1, 2], [0, 2, 1]], vec![true, false]),
                false => (Vec::new(), Vec::new()),
            };
            return ConvexPiece { points, triangles, original, patch };
        };
        if hull.is_flat() {
            let front = &hull.hull.triangles;
            let triangles: Vec<[u32; 3]> =
                front.iter().copied().chain(front.iter().map(|&[a, b, c]| [a, c, b])).collect();
            let original = (0..triangles.len()).map(|k| k < front.len()).collect();
            return ConvexPiece { points: hull.points, triangles, original, patch };
        }
        let faces: Vec<bool> = {
            let mut on_face: Vec<Vec<u32>> = vec![Vec::new(); hull.planes.len()];
            for &slot in patch.iter().filter(|&&slot| self.has_area[slot as usize]) {
                let corners = self.surface.corners(slot);
                let face = hull.planes.iter().position(|plane| corners.iter().all(|&p| plane.side(p).is_zero()));
                if let Some(face) = face {
                    on_face[face].push(slot);
                }
            }
            on_face.into_iter().enumerate().map(|(face, slots)| self.covered(&hull, face as u32, slots)).collect()
        };
        let original = hull.hull.face_of_triangle.iter().map(|&face| faces[face as usize]).collect();
        ConvexPiece { points: hull.points, triangles: hull.hull.triangles, original, patch }
    }

    /// Whether a face of a hull is covered by the surface, given some coplanar triangles of the same orientation. They
    /// cover it if they end nowhere inside the face; where one ends, the surface must continue with triangles of the
    /// same kind, or the face is not covered.
    fn covered(&mut self, hull: &Polytope, face: u32, mut slots: Vec<u32>) -> bool {
        if slots.is_empty() {
            return false;
        }
        self.searches += 1;
        for &slot in &slots {
            self.seen[slot as usize] = self.searches;
        }
        let plane = hull.planes[face as usize];
        let face = hull.face(face);
        while let Some(slot) = slots.pop() {
            let corners = self.surface.corners(slot);
            for k in 0..3 {
                let twin = self.twin[3 * slot as usize + k];
                let known = twin != NONE && self.seen[twin as usize / 3] == self.searches;
                if known || !face.is_crossed_by(corners[k], corners[(k + 1) % 3]) {
                    continue;
                }
                if twin == NONE {
                    return false;
                }
                let beyond = self.surface.corners(twin / 3);
                if !beyond.iter().all(|&p| plane.side(p).is_zero()) || !face.looks_as(beyond) {
                    return false;
                }
                self.seen[twin as usize / 3] = self.searches;
                slots.push(twin / 3);
            }
        }
        true
    }
}

/// Whether a predicate holds for all triangles whose boxes meet a box.
fn all_near(surface: &Surface, bounds: &Aabb, mut holds: impl FnMut(u32) -> bool) -> bool {
    let tree = &surface.tree;
    // Rounding in `Frame::of` is relative to the result, and less than a step of single precision.
    let min = tree.frame.of(bounds.min).to_array().map(|x| round_down(x).next_down());
    let max = tree.frame.of(bounds.max).to_array().map(|x| round_up(x).next_up());
    let mut stack = vec![0u32];
    while let Some(node) = stack.pop() {
        let node = &tree.nodes[node as usize];
        for lane in 0..WIDTH {
            if !(0..3).all(|k| node.min[k][lane] <= max[k] && min[k] <= node.max[k][lane]) {
                continue;
            }
            match node.below(lane) {
                Below::Node(below) => stack.push(below),
                Below::Leaf(leaf) => {
                    for slot in leaf.first..leaf.first + leaf.count {
                        let corners = surface.corners(slot);
                        let apart = corners.iter().fold(Aabb::EMPTY, |bounds, &p| bounds.including(p));
                        if apart.overlaps(bounds) && !holds(slot) {
                            return false;
                        }
                    }
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth::models::{self, Lists};
    use crate::math::predicates::orient3d;
    use clearance_oracle::rational::{Rational, Vector, add, cross, dot, scale, subtract, vector};

    fn exact(p: DVec3) -> Vector {
        vector(p.to_array()).unwrap()
    }

    /// The points with `normal · x <= height`.
    struct HalfSpace {
        normal: Vector,
        height: Rational,
    }

    impl HalfSpace {
        fn of([a, b, c]: &[Vector; 3]) -> HalfSpace {
            let normal = cross(&subtract(b, a), &subtract(c, a));
            HalfSpace { height: dot(&normal, a), normal }
        }

        fn above(&self, p: &Vector) -> Rational {
            &dot(&self.normal, p) - &self.height
        }
    }

    /// Whether a triangle has a point strictly inside all half-spaces of `open` and inside all of `closed`: it is
    /// clipped by all of them, and the centroid of the rest is such a point if any is.
    fn meets(triangle: &[Vector; 3], open: &[HalfSpace], closed: &[HalfSpace]) -> bool {
        let mut left = triangle.to_vec();
        for half in open.iter().chain(closed) {
            let above: Vec<Rational> = left.iter().map(|p| half.above(p)).collect();
            let mut cut = Vec::new();
            for k in 0..left.len() {
                let m = (k + 1) % left.len();
                let zero = Rational::from(0);
                if above[k] <= zero {
                    cut.push(left[k].clone());
                }
                if (above[k] < zero && above[m] > zero) || (above[k] > zero && above[m] < zero) {
                    let share = &above[k] / &(&above[k] - &above[m]);
                    cut.push(add(&left[k], &scale(&subtract(&left[m], &left[k]), &share)));
                }
            }
            left = cut;
        }
        let Some(sum) = left.iter().cloned().reduce(|a, b| add(&a, &b)) else {
            return false;
        };
        let middle = scale(&sum, &Rational::ratio(1, left.len() as i64));
        open.iter().all(|half| half.above(&middle).is_negative())
    }

    fn corners(piece: &ConvexPiece, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| piece.points[v as usize])
    }

    fn is_flat(piece: &ConvexPiece) -> bool {
        let [a, b, c] = corners(piece, piece.triangles[0]);
        piece.points.iter().all(|&p| orient3d(a, b, c, p).is_zero())
    }

    /// The winding number of a closed surface about a point.
    fn winding(surface: &Surface, point: DVec3) -> f64 {
        let angles = (0..surface.triangles.len() as u32).map(|slot| {
            let [a, b, c] = surface.corners(slot).map(|p| (p - point).normalize());
            2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
        });
        angles.sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    fn check(name: &str, lists: &Lists) -> Vec<ConvexPiece> {
        let mesh = models::solid(lists);
        let surface = mesh.surface();
        let pieces = convex_patches(surface);
        let mut slots: Vec<u32> = pieces.iter().flat_map(|piece| piece.patch.iter().copied()).collect();
        slots.sort_unstable();
        assert!(slots.into_iter().eq(0..surface.triangles.len() as u32), "{name}: patches are not a partition");
        let triangles: Vec<[Vector; 3]> =
            (0..surface.triangles.len() as u32).map(|slot| surface.corners(slot).map(exact)).collect();
        for piece in &pieces {
            // All of the patch is on the hull.
            for &slot in &piece.patch {
                let [a, b, c] = surface.corners(slot);
                assert!(piece.points.iter().all(|&p| !orient3d(a, b, c, p).is_positive()), "{name}: above {slot}");
                for &face in &piece.triangles {
                    let [d, e, f] = corners(piece, face);
                    assert!([a, b, c].iter().all(|&p| !orient3d(d, e, f, p).is_positive()), "{name}: {slot} outside");
                }
            }
            nothing_enters(name, surface, &triangles, piece);
            originals_are_on_the_surface(name, &triangles, piece);
        }
        pieces
    }

    fn nothing_enters(name: &str, surface: &Surface, triangles: &[[Vector; 3]], piece: &ConvexPiece) {
        let bounds = piece.points.iter().fold(Aabb::EMPTY, |bounds, &p| bounds.including(p));
        let flat = is_flat(piece);
        let faces: Vec<HalfSpace> =
            piece.triangles.iter().map(|&t| HalfSpace::of(&corners(piece, t).map(exact))).collect();
        let sides: Vec<HalfSpace> = {
            let front = &piece.triangles[..piece.triangles.len() / 2];
            let edges = front.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            let rim = edges.clone().filter(|&[a, b]| !edges.clone().any(|other| other == [b, a]));
            let side = |[a, b]: [u32; 2]| {
                let [a, b] = [a, b].map(|v| exact(piece.points[v as usize]));
                let normal = cross(&subtract(&b, &a), &faces[0].normal);
                HalfSpace { height: dot(&normal, &a), normal }
            };
            rim.map(side).collect()
        };
        for slot in 0..surface.triangles.len() as u32 {
            let own = surface.corners(slot).iter().fold(Aabb::EMPTY, |bounds, &p| bounds.including(p));
            if !own.overlaps(&bounds) {
                continue;
            }
            let triangle = &triangles[slot as usize];
            let [a, b, c] = surface.corners(slot);
            if !flat && piece.points.iter().all(|&p| !orient3d(a, b, c, p).is_positive()) && !collinear(a, b, c) {
                continue;
            }
            if flat {
                let same = triangle.iter().all(|p| faces[0].above(p).is_zero())
                    && dot(&HalfSpace::of(triangle).normal, &faces[0].normal) > Rational::from(0);
                let alone = piece.patch.len() == 1;
                assert!(same || alone || !meets(triangle, &sides, &faces), "{name}: {slot} meets a flat piece");
            } else {
                assert!(!meets(triangle, &faces, &[]), "{name}: {slot} enters a piece");
            }
        }
        let middle = piece.points.iter().sum::<DVec3>() / piece.points.len() as f64;
        let deep = |&t: &[u32; 3]| {
            let [a, b, c] = corners(piece, t);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            normal.dot(middle - a) < -1e-9
        };
        // For pieces as thin as rounding the centroid may be anywhere.
        if piece.triangles.iter().all(deep) {
            let around = winding(surface, middle);
            assert!(around > 0.99, "{name}: a piece is outside, {around}");
        }
    }

    /// The centroid of every original triangle is in a coplanar surface triangle of the same orientation.
    fn originals_are_on_the_surface(name: &str, triangles: &[[Vector; 3]], piece: &ConvexPiece) {
        for (&face, &original) in piece.triangles.iter().zip(&piece.original) {
            let corners = corners(piece, face).map(exact);
            let plane = HalfSpace::of(&corners);
            let middle = scale(&add(&add(&corners[0], &corners[1]), &corners[2]), &Rational::ratio(1, 3));
            let zero = Rational::from(0);
            let holds = |triangle: &[Vector; 3]| {
                triangle.iter().all(|p| plane.above(p).is_zero()) && {
                    let inside = |k: usize| {
                        let (a, b) = (&triangle[k], &triangle[(k + 1) % 3]);
                        dot(&cross(&subtract(b, a), &subtract(&middle, a)), &plane.normal) >= zero
                    };
                    dot(&HalfSpace::of(triangle).normal, &plane.normal) > zero && (0..3).all(inside)
                }
            };
            assert!(!original || triangles.iter().any(holds), "{name}: an original face is not on the surface");
        }
    }

    #[test]
    fn pieces_lie_in_the_solid_and_their_patches_on_them() {
        for (name, lists) in models::all() {
            let pieces = check(name, &lists);
            let flat = pieces.iter().filter(|piece| is_flat(piece)).count();
            println!("{name}: {} triangles, {} pieces, {flat} of them flat", lists.1.len(), pieces.len());
        }
    }

    #[test]
    fn convex_solids_are_one_piece() {
        let ball = models::revolved(&[[0.0, -1.0], [1.0, -0.5], [1.0, 0.5], [0.0, 1.0]], 8);
        for lists in [models::tetrahedron(), models::plate(&["##", "##"]), ball] {
            let pieces = convex_patches(models::solid(&lists).surface());
            assert_eq!(pieces.len(), 1);
            assert!(pieces[0].original.iter().all(|&original| original));
            assert_eq!(pieces[0].patch.len(), lists.1.len());
        }
        let turned = convex_patches(models::solid(&models::turned(&models::tetrahedron())).surface());
        assert_eq!(turned.len(), 1);
    }

    #[test]
    fn a_wall_about_a_cavity_is_cut() {
        let pieces = check("cup", &models::cup(20));
        // The cavity's centre is in no piece: it is strictly outside some face.
        let middle = DVec3::new(0.0, 0.0, 1.0) - models::solid(&models::cup(20)).surface().origin;
        for piece in &pieces {
            let seen = |&t: &[u32; 3]| {
                let [a, b, c] = corners(piece, t);
                orient3d(a, b, c, middle).is_positive()
            };
            assert!(piece.triangles.iter().any(seen));
        }
    }

    #[test]
    fn a_triangle_without_area_is_crossed_or_stands_alone() {
        // A box whose front has a point on its upper edge, closed by a zero-area triangle.
        let (mut points, mut triangles) = models::plate(&["#"]);
        let at = triangles.iter().position(|t| t.iter().all(|&v| points[v as usize][2] == 2.0)).unwrap();
        let [a, b, c] = triangles[at];
        let middle = 0.5 * (DVec3::from_array(points[a as usize]) + DVec3::from_array(points[b as usize]));
        points.push(middle.to_array());
        let m = points.len() as u32 - 1;
        triangles[at] = [a, m, c];
        triangles.push([m, b, c]);
        triangles.push([a, b, m]);
        let pieces = convex_patches(models::solid(&(points, triangles)).surface());
        assert_eq!(pieces.len(), 1);
        assert_eq!((pieces[0].points.len(), pieces[0].patch.len()), (8, 14));
    }

    #[test]
    fn the_same_twice_and_at_any_size() {
        let lists = models::torus(20, 10);
        let pieces = convex_patches(models::solid(&lists).surface());
        assert_eq!(pieces, convex_patches(models::solid(&lists).surface()));
        for power in [-200, 150] {
            let factor = f64::powi(2.0, power);
            let scaled = lists.0.iter().map(|p| p.map(|x| x * factor)).collect();
            let other = convex_patches(models::solid(&(scaled, lists.1.clone())).surface());
            assert!(pieces.iter().zip(&other).all(|(a, b)| a.patch == b.patch && a.triangles == b.triangles));
        }
    }

    #[test]
    fn counts_and_times_of_larger_models() {
        // Half of the diagonals of quads that are planar up to rounding are concave, and end a patch.
        let rounded = convex_patches(models::solid(&models::torus(50, 20)).surface());
        let convex = convex_patches(models::solid(&models::with_convex_diagonals(models::torus(50, 20))).surface());
        println!("torus of 2000: {} pieces, with convex diagonals {}", rounded.len(), convex.len());
        assert!(convex.len() < 100 && rounded.len() < 500);
        let bumpy = models::solid(&models::bumpy_ball(158, 0.1));
        let start = std::time::Instant::now();
        let pieces = convex_patches(bumpy.surface());
        println!("bumpy of {}: {} pieces in {:?}", bumpy.triangle_count(), pieces.len(), start.elapsed());
        assert!(pieces.len() < bumpy.triangle_count() / 2);
    }
}
