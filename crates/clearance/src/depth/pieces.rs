//! How far a surface extends into a solid, by branch and bound over pieces of its triangles.
//!
//! The distance from a convex set is a convex function, so over a triangle, or a box, it is largest at a corner. Every
//! face of the solid's boundary is such a set: no point of a piece is deeper than the largest distance of its corners
//! from any one face. The face with the best bound is found in the tree. Nor is a point deeper than its distance from
//! the sides of the solid's bounding box, nor, near a point outside, than its distance from that point less that
//! point's distance from the boundary. A point of a piece proves its distance from the boundary as a lower bound, if it
//! is inside.
//!
//! On surfaces of many triangles some points are tried first. How far outside the boundary pieces are cut depends on the
//! deepest point known, and with none a fine tessellation takes several rounds of cuts, each an eighth as far out.
//!
//! Pieces wait in a queue, the one that may be deepest first: boxes of the surface's tree, then its triangles, then
//! parts of these. A piece is cut where that bounds its parts best, not in half; otherwise a flat contact would take as
//! many pieces of the size of the depth as fit into its area:
//! - where its farthest corner lies beside the bounding face, along the planes across the edges of the face nearest to
//!   its centre: the part between these is as far from that face as from its plane;
//! - where the farthest corner lies in front of the face and another face is nearer, along the bisecting plane;
//! - where a point is outside, along the plane perpendicular to its shortest segment to the boundary, slightly outside:
//!   the part beyond meets no face next to it and is usually outside as a whole.
//!
//! Every eighth cut halves the longest side, so that pieces shrink in any case.

use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use fearless_simd::Level;
use glam::DVec3;

use crate::depth::deep_points::Open;
use crate::geom::closest::{Region, closest_on_triangle};
use crate::geom::piece::{POLYGON_CUT_ERROR, Polygon, are_apart, farthest_of};
use crate::geom::ray_polytope::rounded_normal;
use crate::math::cancel::Turns;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{
    OUTER_FACES_ROUNDING, PIECES_CUTS, PIECES_FACES, PIECES_SAMPLED, ROUND_UP, UNIT_ROUNDOFF,
};
use crate::mesh::closest::{ClosestOnMesh, PlacedPoint, closest};
use crate::mesh::inside::winding;
use crate::mesh::walk_faces::{Waiting, least_farthest, walk_box};
use crate::shape::{Below, Mesh, OuterFaces, SomeFaces, Surface};

/// No known face.
const NO_FACE: u32 = u32::MAX;

/// How often progress is reported, in pieces.
const TOLD: u64 = 256;

/// When to stop, in world units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub relative: f64,
    pub absolute: f64,
    /// Brackets narrower than this are rounding.
    pub floor: f64,
    pub at_least: f64,
    pub at_most: f64,
    pub work: u64,
}

/// A surface that extends into a solid.
pub(crate) struct Reaching<'m> {
    from: Faces<'m>,
    /// All triangles of the solid, which decide what is inside; those that may bound it, and those that do.
    all: Target<'m>,
    possible: Target<'m>,
    sure: Option<Target<'m>>,
    /// A bound on the error of placed points and parts of triangles, in the frame of the solid.
    off: f64,
    /// How much longer and shorter lengths are in the world than in the frame of the solid.
    longer: f64,
    shorter: f64,
    /// Whether it is decided for every triangle of the solid if it bounds it.
    is_decided: bool,
}

/// The triangles that pieces are taken from.
#[derive(Clone, Copy)]
struct Faces<'m> {
    surface: &'m Surface,
    some: Option<&'m SomeFaces>,
}

impl<'m> Faces<'m> {
    /// All triangles of a surface; those that may bound a solid; `None` if none does.
    fn of(mesh: &'m Mesh) -> Option<Faces<'m>> {
        let outer = if mesh.is_solid() { mesh.outer_faces() } else { None };
        match outer {
            None => Some(Faces { surface: mesh.surface(), some: None }),
            Some(OuterFaces { possible, .. }) => {
                possible.as_ref().map(|some| Faces { surface: some.mesh.surface(), some: Some(some) })
            }
        }
    }

    /// The caller's index of the triangle in a slot, and whether it is proved to be part of the body's surface.
    fn parent(&self, slot: u32) -> (u32, bool) {
        let id = self.surface.ids[slot as usize];
        self.some.map_or((id, true), |some| some.parents[id as usize])
    }
}

/// Triangles of a solid, and the map of the other body's points into their frame.
struct Target<'m> {
    faces: Faces<'m>,
    map: Placement,
}

/// A point of a surface inside the other body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest {
    /// The index of the direction.
    pub way: usize,
    /// A lower bound of the depth, and its value, in world units.
    pub lower: f64,
    pub value: f64,
    /// In the own frame of the body that extends in, with its triangle.
    pub point: DVec3,
    pub triangle: u32,
    /// The closest point of the other body's surface, in its own frame, with its triangle.
    pub nearest: DVec3,
    pub nearest_triangle: u32,
}

/// The result of the search.
pub(crate) struct Found {
    pub deepest: Option<Deepest>,
    /// An upper bound on the depth of any point, in world units.
    pub upper: f64,
    /// The bound that cutting cannot improve, as the faces next to it are undecided.
    pub undecided: f64,
    pub work: u64,
    /// Ended by the work limit or by the progress callback.
    pub interrupted: bool,
}

/// The position of a point of one body relative to the other.
struct Probe {
    nearest: ClosestOnMesh,
    is_inside: bool,
}

#[expect(clippy::large_enum_variant, reason = "most entries of the queue are pieces, and boxing each would be slower")]
#[derive(Clone, Copy)]
enum Part {
    /// A step of the surface's tree.
    Box(u32),
    Triangle(TrianglePiece),
}

/// A part of a triangle.
#[derive(Clone, Copy)]
struct TrianglePiece {
    slot: u32,
    /// Relative to the local origin of the surface.
    shape: Polygon,
    /// A bound on the distance of the corners from the triangle.
    off: f64,
    cuts: u8,
    /// The face with the best bound.
    face: u32,
}

#[derive(Clone, Copy)]
struct Item {
    way: usize,
    part: Part,
}

impl<'m> Reaching<'m> {
    /// `None` if no part of one can be inside the other.
    pub fn new((from, pose_from): (&'m Mesh, &Pose), (solid, pose): (&'m Mesh, &Pose)) -> Option<Reaching<'m>> {
        let faces = Faces::of(from)?;
        let target = |faces: Faces<'m>| {
            let map = Placement::new(pose, faces.surface.origin, pose_from, Faces::of(from)?.surface.origin);
            Some(Target { faces, map })
        };
        let outer = solid.outer_faces();
        let all = target(Faces { surface: solid.surface(), some: None })?;
        let possible = target(Faces::of(solid)?)?;
        let sure = match outer {
            None => target(Faces { surface: solid.surface(), some: None }),
            Some(outer) => {
                outer.sure.as_ref().and_then(|some| target(Faces { surface: some.mesh.surface(), some: Some(some) }))
            }
        };
        // The corners of boxes are farther away than those of triangles, by a factor of less than two.
        let radius = 2.0 * faces.surface.radius;
        let placed = [Some(&all), Some(&possible), sure.as_ref()];
        let placed = placed.into_iter().flatten().map(|target| target.map.bound(radius)).fold(0.0, f64::max);
        // Coordinates in the own frames, in which points are given and reported, are rounded.
        let coordinates = faces.surface.origin.length() + all.faces.surface.origin.length();
        let reach = radius + all.faces.surface.radius + all.map.separation;
        let parts =
            if outer.is_some() || faces.some.is_some() { OUTER_FACES_ROUNDING * (reach + coordinates) } else { 0.0 };
        let stretch = all.map.stretch + 8.0 * UNIT_ROUNDOFF;
        Some(Reaching {
            from: faces,
            off: (2.0 * placed + 8.0 * UNIT_ROUNDOFF * reach + parts) * ROUND_UP,
            longer: 1.0 + 2.0 * stretch,
            shorter: 1.0 - 2.0 * stretch,
            is_decided: outer.is_none_or(|outer| outer.undecided == 0),
            all,
            possible,
            sure,
        })
    }

    /// Whether all triangles that may bound the solid do.
    fn is_same_surface(&self) -> bool {
        self.sure.as_ref().is_some_and(|sure| std::ptr::eq(sure.faces.surface, self.possible.faces.surface))
    }

    /// A bound of the frame as one of the world.
    fn in_world(&self, bound: f64) -> f64 {
        if bound > 0.0 { bound * self.longer } else { 0.0 }
    }

    /// The position of a point given relative to the local origin of the surface.
    fn probe(&self, level: Level, point: DVec3) -> Probe {
        let placed = self.possible.map.place(point);
        let nearest = closest(level, self.possible.faces.surface, &PlacedPoint::local(placed));
        Probe { nearest, is_inside: winding(self.all.faces.surface, self.all.map.place(point)) > 0 }
    }

    /// The largest distance of some points from a side of the solid's bounding box, for the side where it is least.
    /// Negative if all are beyond it.
    fn off_sides(&self, points: &[DVec3]) -> f64 {
        let bounds = &self.all.faces.surface.bounds;
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &point in points {
            let placed = self.all.map.place(point);
            (low, high) = (low.min(placed), high.max(placed));
        }
        (high - bounds.min).min(bounds.max - low).min_element()
    }

    /// Whether a piece is proved to meet no face, within the limit of faces tested. Its corners are placed.
    fn is_clear(&self, corners: &[DVec3], off: f64) -> bool {
        let margin = DVec3::splat(off);
        let low = corners.iter().fold(DVec3::INFINITY, |low, &corner| low.min(corner)) - margin;
        let high = corners.iter().fold(DVec3::NEG_INFINITY, |high, &corner| high.max(corner)) + margin;
        let surface = self.possible.faces.surface;
        let mut count = 0;
        let walked = walk_box(surface, [low, high], |slot| {
            count += 1;
            if count <= PIECES_FACES && are_apart(corners, &surface.corners(slot), off) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        walked.is_continue()
    }
}

/// The search in one or both directions.
pub(crate) struct LocalDepthSearch<'m> {
    ways: Vec<Reaching<'m>>,
    goal: Goal,
    level: Level,
    open: BinaryHeap<Open<Item>>,
    number: usize,
    waiting: Waiting,
    deepest: Option<Deepest>,
    /// The largest bound of all settled pieces.
    settled: f64,
    undecided: f64,
    work: u64,
}

impl<'m> LocalDepthSearch<'m> {
    pub fn new(ways: Vec<Reaching<'m>>, goal: Goal, level: Level) -> LocalDepthSearch<'m> {
        LocalDepthSearch {
            ways,
            goal,
            level,
            open: BinaryHeap::new(),
            number: 0,
            waiting: Waiting::new(),
            deepest: None,
            settled: 0.0,
            undecided: 0.0,
            work: 0,
        }
    }

    fn lower(&self) -> f64 {
        self.deepest.map_or(0.0, |deepest| deepest.lower)
    }

    /// Whether a bound is as good as requested.
    fn is_enough(&self, bound: f64) -> bool {
        let lower = self.lower();
        let Goal { relative, absolute, floor, at_most, .. } = self.goal;
        bound <= at_most || bound - lower <= absolute.max(floor).max(relative * bound)
    }

    pub fn run(mut self, progress: &mut dyn FnMut(f64, f64) -> bool) -> Found {
        for way in 0..self.ways.len() {
            self.sample(way);
        }
        for way in 0..self.ways.len() {
            self.push_step(way, 0, f64::INFINITY);
        }
        let (mut turns, mut popped, mut interrupted) = (Turns::default(), 0, false);
        let mut rest = 0.0;
        while let Some(Open { bound, piece, .. }) = self.open.pop() {
            turns.turn();
            popped += 1;
            rest = bound;
            if self.is_enough(bound) || self.lower() > self.goal.at_least {
                break;
            }
            interrupted =
                self.work >= self.goal.work || (popped % TOLD == 0 && !progress(self.lower(), self.upper(bound)));
            if interrupted {
                break;
            }
            rest = 0.0;
            match piece.part {
                Part::Box(step) => self.open_box(piece.way, step, bound),
                Part::Triangle(triangle) => self.open_triangle(piece.way, &triangle, bound),
            }
        }
        Found {
            deepest: self.deepest,
            upper: self.upper(rest),
            undecided: self.undecided,
            work: self.work,
            interrupted,
        }
    }

    /// Takes points of some triangles of a surface with many: the middles of sides, where the corners of one tessellation
    /// reach into the facets of another, and centroids.
    fn sample(&mut self, way: usize) {
        let surface = self.ways[way].from.surface;
        let count = surface.triangles.len();
        if count < PIECES_SAMPLED {
            return;
        }
        let most = self.goal.work / 4;
        for slot in (0..count as u32).step_by(count.div_ceil(PIECES_SAMPLED)) {
            let [a, b, c] = surface.corners(slot);
            for point in [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0] {
                if self.work >= most || self.lower() > self.goal.at_least {
                    return;
                }
                let reaching = &self.ways[way];
                if reaching.off_sides(&[point]) + reaching.off > self.lower() {
                    let probe = reaching.probe(self.level, point);
                    self.work += 1;
                    // The middle is rounded as a cut is, or less.
                    self.take(way, slot, point, POLYGON_CUT_ERROR * UNIT_ROUNDOFF * surface.radius, &probe);
                }
            }
        }
    }

    fn upper(&self, rest: f64) -> f64 {
        self.lower().max(self.settled).max(rest)
    }

    /// Queues a piece, unless its bound is good enough.
    fn push(&mut self, bound: f64, item: Item) {
        if self.is_enough(bound) {
            self.settled = self.settled.max(bound);
        } else {
            self.number += 1;
            self.open.push(Open { bound, number: self.number, piece: item });
        }
    }

    /// An upper bound on the depth of the hull of some points of the surface, in world units, and the face that gives
    /// it.
    fn bound(&mut self, way: usize, points: &[DVec3], off: f64, hint: u32) -> (f64, u32) {
        self.work += 1;
        let reaching = &self.ways[way];
        let off = off + reaching.off;
        let sides = reaching.off_sides(points);
        if sides + off < 0.0 {
            return (0.0, NO_FACE);
        }
        let (mut best, mut face) = (sides, NO_FACE);
        let Some(sure) = &reaching.sure else { return (reaching.in_world(best + off), face) };
        let mut placed = [DVec3::ZERO; 8];
        for (placed, &point) in placed.iter_mut().zip(points) {
            *placed = sure.map.place(point);
        }
        let placed = &placed[..points.len()];
        if hint != NO_FACE {
            let found = farthest_of(placed, sure.faces.surface.corners(hint));
            if found < best {
                (best, face) = (found, hint);
            }
        }
        if !self.is_enough(reaching.in_world(best + off))
            && let Some((found, slot)) = least_farthest(sure.faces.surface, placed, best, &mut self.waiting)
        {
            (best, face) = (found, slot);
        }
        (reaching.in_world(best + off), face)
    }

    /// A step of the tree: a box or a triangle.
    fn push_step(&mut self, way: usize, step: u32, most: f64) {
        let surface = self.ways[way].from.surface;
        let (bounds, below) = surface.step(step);
        if let Below::Part(slot) = below {
            let corners = surface.corners(slot);
            let (bound, face) = self.bound(way, &corners, 0.0, NO_FACE);
            let piece = TrianglePiece { slot, shape: Polygon::of_triangle(corners), off: 0.0, cuts: 0, face };
            self.push(bound.min(most), Item { way, part: Part::Triangle(piece) });
            return;
        }
        let (corners, off) = corners_of(surface, step);
        debug_assert!(bounds.min.cmple(bounds.max).all());
        let (bound, _) = self.bound(way, &corners, off, NO_FACE);
        self.push(bound.min(most), Item { way, part: Part::Box(step) });
    }

    /// Expands a box.
    fn open_box(&mut self, way: usize, step: u32, bound: f64) {
        let reaching = &self.ways[way];
        let surface = reaching.from.surface;
        let (corners, off) = corners_of(surface, step);
        let middle = (corners[0] + corners[7]) * 0.5;
        let radius = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max) * ROUND_UP;
        let probe = reaching.probe(self.level, middle);
        let mut bound = bound;
        if !probe.is_inside && probe.nearest.lower > reaching.off {
            bound = bound.min(reaching.in_world(radius + off + 2.0 * reaching.off - probe.nearest.lower));
        }
        self.work += 1;
        if self.is_enough(bound) {
            self.settled = self.settled.max(bound);
            return;
        }
        for below in surface.step(step).1.nodes() {
            self.push_step(way, below, bound);
        }
    }

    /// Records what a point of the surface proves.
    fn take(&mut self, way: usize, slot: u32, point: DVec3, off: f64, probe: &Probe) {
        let reaching = &self.ways[way];
        let (triangle, is_sure) = reaching.from.parent(slot);
        if !probe.is_inside || !is_sure {
            return;
        }
        let surface = reaching.from.surface;
        // The point is reported in the own frame, where it is rounded.
        let named = point + surface.origin;
        let rounded = (UNIT_ROUNDOFF * named.length() + off + 2.0 * reaching.off) * ROUND_UP;
        let lower = (probe.nearest.lower - rounded) * reaching.shorter;
        if lower > self.lower() {
            let faces = &reaching.possible.faces;
            self.deepest = Some(Deepest {
                way,
                lower,
                value: probe.nearest.distance,
                point: named,
                triangle,
                nearest: probe.nearest.point + faces.surface.origin,
                nearest_triangle: faces.parent(probe.nearest.slot).0,
            });
        }
    }

    /// Examines a part of a triangle, and cuts it if it stays open.
    fn open_triangle(&mut self, way: usize, piece: &TrianglePiece, bound: f64) {
        let mut bound = bound;
        let middle = piece.shape.middle();
        let off = piece.off + 2.0 * POLYGON_CUT_ERROR * UNIT_ROUNDOFF * self.ways[way].from.surface.radius;
        let probe = self.ways[way].probe(self.level, middle);
        self.work += 1;
        self.take(way, piece.slot, middle, off, &probe);
        let reaching = &self.ways[way];
        let is_outside = !probe.is_inside && probe.nearest.lower > reaching.off + off;
        if is_outside {
            let radius = piece.shape.radius(middle);
            bound = bound.min(reaching.in_world(radius + 2.0 * (off + reaching.off) - probe.nearest.lower));
        }
        if self.is_enough(bound) {
            self.settled = self.settled.max(bound);
            return;
        }
        let reaching = &self.ways[way];
        let placed = piece.shape.map(|corner| reaching.possible.map.place(corner));
        if is_outside && reaching.is_clear(placed.corners(), off + reaching.off) {
            return;
        }
        if !reaching.is_decided && probe.is_inside {
            // Next to undecided faces a piece is as deep as its points are far from the others.
            let (of_middle, _) = self.bound(way, &[middle], off, NO_FACE);
            let Goal { relative, absolute, floor, .. } = self.goal;
            if bound - of_middle <= absolute.max(floor).max(relative * bound) {
                (self.undecided, self.settled) = (self.undecided.max(bound), self.settled.max(bound));
                return;
            }
        }
        if piece.cuts >= PIECES_CUTS {
            self.settled = self.settled.max(bound);
            return;
        }
        self.cut(way, piece, &probe, bound);
    }

    /// Cuts a piece and queues its parts.
    fn cut(&mut self, way: usize, piece: &TrianglePiece, of_middle: &Probe, bound: f64) {
        let mut parts = Parts::default();
        if piece.cuts % 8 != 7 {
            let far = self.farthest_corner(way, piece);
            if self.is_beside(way, piece, far) {
                self.cut_about_middle(way, piece, of_middle, bound, &mut parts);
            }
            if parts.count == 0 {
                let probe = self.ways[way].probe(self.level, far);
                self.work += 1;
                self.take(way, piece.slot, far, piece.off, &probe);
                if self.is_enough(bound) {
                    self.settled = self.settled.max(bound);
                    return;
                }
                let two = if probe.is_inside {
                    self.between_faces(way, piece, &probe)
                } else {
                    self.just_outside(way, piece, far, &probe, bound)
                };
                parts.extend(two);
            }
        }
        if parts.count == 0 {
            parts.extend(piece.shape.halves());
        }
        if parts.count == 0 {
            // The piece is a point.
            self.settled = self.settled.max(bound);
        }
        // A carved piece is cut by three planes.
        let off = piece.off + 3.0 * POLYGON_CUT_ERROR * UNIT_ROUNDOFF * self.ways[way].from.surface.radius;
        for k in 0..parts.count {
            let shape = parts.all[k];
            let hint = parts.face.filter(|_| k == 0).unwrap_or(piece.face);
            let (found, face) = self.bound(way, shape.corners(), off, hint);
            let face = if face == NO_FACE { hint } else { face };
            let part = TrianglePiece { shape, off, cuts: piece.cuts + 1, face, ..*piece };
            self.push(found.min(bound), Item { way, part: Part::Triangle(part) });
        }
    }

    /// The corner of a piece farthest from its bounding face.
    fn farthest_corner(&self, way: usize, piece: &TrianglePiece) -> DVec3 {
        let reaching = &self.ways[way];
        let distance = |corner: DVec3| match &reaching.sure {
            Some(sure) if piece.face != NO_FACE => {
                farthest_of(&[sure.map.place(corner)], sure.faces.surface.corners(piece.face))
            }
            _ => reaching.off_sides(&[corner]),
        };
        piece.shape.corners()[piece.shape.largest(distance)]
    }

    /// Whether a corner lies beside the piece's bounding face, not in front of it.
    fn is_beside(&self, way: usize, piece: &TrianglePiece, far: DVec3) -> bool {
        let Some(sure) = self.ways[way].sure.as_ref().filter(|_| piece.face != NO_FACE) else { return true };
        let [p, q, r] = sure.faces.surface.corners(piece.face);
        !matches!(closest_on_triangle(sure.map.place(far), p, q, r).region, Region::Face(_))
    }

    /// Cuts a piece by the feature nearest to its centre.
    fn cut_about_middle(&self, way: usize, piece: &TrianglePiece, probe: &Probe, bound: f64, parts: &mut Parts) {
        let reaching = &self.ways[way];
        let place = |corner: DVec3| reaching.possible.map.place(corner);
        let middle = piece.shape.middle();
        if !probe.is_inside && probe.nearest.distance > self.outside(bound) {
            parts.extend(self.just_outside(way, piece, middle, probe, bound));
            if parts.count > 0 {
                return;
            }
        }
        let slot = probe.nearest.slot;
        let face = reaching.possible.faces.surface.corners(slot);
        let [p, q, r] = face;
        let Some(normal) = rounded_normal(face).try_normalize() else { return };
        let placed = place(middle);
        match closest_on_triangle(placed, p, q, r).region {
            Region::Vertex(_) => {}
            Region::Edge(k) => {
                // Through the edge and the centre.
                let (from, to) = (face[usize::from(k) % 3], face[(usize::from(k) + 1) % 3]);
                let across = (to - from).cross(placed - from).normalize_or_zero();
                parts.extend(piece.shape.cut(|corner| across.dot(place(corner) - from)));
            }
            _ => {
                let (left, others) = piece.shape.carved(place, face, normal);
                if left.is_some() && others.iter().any(Option::is_some) {
                    parts.face = reaching.is_same_surface().then_some(slot);
                    left.into_iter().chain(others.into_iter().flatten()).for_each(|part| parts.push(part));
                }
            }
        }
    }

    /// How far outside the boundary pieces are cut.
    fn outside(&self, bound: f64) -> f64 {
        let lower = self.lower();
        if lower > 0.0 { 0.5 * lower } else { 0.125 * bound }
    }

    /// Cuts along a plane slightly outside the boundary, below a point farther outside.
    fn just_outside(
        &self,
        way: usize,
        piece: &TrianglePiece,
        point: DVec3,
        probe: &Probe,
        bound: f64,
    ) -> Option<[Polygon; 2]> {
        let map = &self.ways[way].possible.map;
        let nearest = probe.nearest.point;
        let outward = (map.place(point) - nearest).try_normalize()?;
        let height = self.outside(bound);
        piece.shape.cut(|corner| outward.dot(map.place(corner) - nearest) - height)
    }

    /// Cuts along the bisecting plane of the piece's bounding face and the face nearest to its farthest corner.
    fn between_faces(&self, way: usize, piece: &TrianglePiece, probe: &Probe) -> Option<[Polygon; 2]> {
        let reaching = &self.ways[way];
        let sure = reaching.sure.as_ref().filter(|_| piece.face != NO_FACE)?;
        let face = sure.faces.surface.corners(piece.face);
        let other = reaching.possible.faces.surface.corners(probe.nearest.slot);
        let (across, across_other) = (rounded_normal(face).try_normalize()?, rounded_normal(other).try_normalize()?);
        // Coplanar faces have no bisecting plane.
        if across.distance(across_other) < 1e-6 {
            return None;
        }
        piece.shape.cut(|corner| {
            let (in_sure, in_possible) = (sure.map.place(corner), reaching.possible.map.place(corner));
            across.dot(face[0] - in_sure) - across_other.dot(other[0] - in_possible)
        })
    }
}

/// The parts a piece is cut into.
struct Parts {
    all: [Polygon; 4],
    count: usize,
    /// The face that the first part was carved by.
    face: Option<u32>,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { all: [Polygon::of_triangle([DVec3::ZERO; 3]); 4], count: 0, face: None }
    }
}

impl Parts {
    fn push(&mut self, part: Polygon) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = part;
            self.count += 1;
        }
    }

    fn extend(&mut self, two: Option<[Polygon; 2]>) {
        two.into_iter().flatten().for_each(|part| self.push(part));
    }
}

/// The corners of the box of a step, relative to the local origin of the surface, and how far points of the surface in
/// it may be outside their hull.
fn corners_of(surface: &Surface, step: u32) -> ([DVec3; 8], f64) {
    let (bounds, _) = surface.step(step);
    let (low, high) = (bounds.min - surface.origin, bounds.max - surface.origin);
    let corners = std::array::from_fn(|corner| {
        let end = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
        DVec3::new(end(0), end(1), end(2))
    });
    (corners, 4.0 * UNIT_ROUNDOFF * (surface.origin.length() + surface.radius))
}
