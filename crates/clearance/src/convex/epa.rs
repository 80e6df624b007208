//! Certified penetration depth of two cores: an expanding polytope.
//!
//! After van den Bergen, "Proximity queries and penetration depth computation on 3D game objects" (2001). A polytope
//! whose corners are vertices of the difference `B - A` grows around the origin:
//! 1. take its face nearest the origin, and the vertex `w` of the difference farthest along that face's normal `n`;
//! 2. `n · w` is an upper bound of the depth (the whole difference lies below the plane through `w`), the distance of
//!    the face a lower bound. Stop when the two meet;
//! 3. otherwise replace the patch of faces visible from `w` by the cone from `w` over the patch's border.
//!
//! **Why the lower bound holds despite rounding.** Corners are the rounded differences, taken as exact points; the
//! polytope is a closed surface of triangles (a 2-cycle), and nothing else is assumed of it: no convexity, no true
//! normals. Each face has a direction `n` along which its three corners are shown (by products whose error is accounted
//! for) to lie farther out than a *middle* `q`. Then:
//! - The surface winds once around `q`. So does the boundary of the initial tetrahedron, which strictly contains `q`
//!   (by determinants larger than their errors, or exact predicates). A step adds to the surface the boundaries of the
//!   tetrahedra (removed face, `w`); all four corners of each lie farther along that face's `n` than `q`, so none of
//!   them contains `q`, and the winding number is unchanged.
//! - The points that lie, for every face, below the face's corners along its `n` form a convex set that no triangle
//!   intersects. When each face's corners lie above the origin too, the set contains the origin and `q`, so the surface
//!   winds once around the origin.
//! - Let `d` be such that no triangle intersects the open ball of radius `d` about the origin: for each face there is a
//!   unit vector along which its corners lie at `d` or more. The winding number is one on the whole ball. Outside the
//!   convex hull of the corners it is zero. So the ball lies in that hull, and the depth is at least `d`.
//!
//! Departures from the paper:
//! - The bracket is proved as above, so early termination or a sliver widens it but never invalidates it.
//! - The middle `q` is the origin where GJK ended with a tetrahedron around it. Where the origin lies on a corner, edge
//!   or face of the last simplex, or next to its surface (touching bodies, coincident ones), `q` is the middle of a
//!   large tetrahedron, and faces with the origin outside are simply the nearest ones: they are expanded first.
//! - Coplanar faces are distinguished by the distance of the triangle, not of its plane; so the last face is the one
//!   that contains the foot of the perpendicular, and gives the witness points.
//! - The nearest face is found by a scan of the distances: there are some tens of faces.

use fearless_simd::Simd;
use glam::DVec3;

use super::core::Core;
use super::gjk::{GapBracket, Pair, strictly_inside, witness};
use super::simplex::{NearestOnSimplex, Simplex};
use crate::math::predicates::{Sign, orient3d};
use crate::math::tolerances::{CONTACT_POINT, CONTACT_RESIDUAL, EPA_SIDE, EPA_STEPS, EPA_STOP, FACE_BOUND, GJK_ACCEPT};

/// A vertex of the difference, with the vertices of A and B it came from.
#[derive(Clone, Copy, Debug)]
struct Corner {
    w: DVec3,
    a: u32,
    b: u32,
}

/// An edge of a face: four times the face index, plus 0 to 2.
type EdgeOf = u32;

/// A triangle of the surface; edge `k` runs from corner `k` to the next.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    /// The edge of the neighbouring face across each edge.
    across: [EdgeOf; 3],
    /// Unit up to rounding: the direction used in the proof.
    normal: DVec3,
    /// The least and the largest product of the normal with a corner.
    low: f64,
    top: f64,
    /// The corners are shown to lie farther along the normal than the middle.
    sound: bool,
    /// The key is the distance of the triangle, not just of its plane.
    refined: bool,
    removed: bool,
}

/// The reference point of the proof.
#[derive(Clone, Copy, Debug, Default)]
struct Middle {
    at: DVec3,
    /// The error of a comparison along a face's direction, as a length.
    margin: f64,
}

impl Face {
    /// The face through `points`. `beside` is the normal of a neighbour, for faces without area.
    #[inline(always)]
    fn new(corners: [u32; 3], points: [DVec3; 3], across: [EdgeOf; 3], beside: DVec3, middle: &Middle) -> Face {
        let [p, q, r] = points;
        let n = (q - p).cross(r - p);
        let normal = n * (1.0 / n.dot(n).sqrt());
        let (low, top, sound) = see(normal, points, middle);
        let face = Face { corners, across, normal, low, top, sound, refined: false, removed: false };
        // Written so that NaN, from a face without area, falls through to repair.
        if sound && top - low <= middle.margin { face } else { face.with_repaired_normal(points, beside, middle) }
    }

    /// Tries better normals for a face whose normal is not perpendicular to it, because of rounding or lack of area.
    #[cold]
    fn with_repaired_normal(self, points: [DVec3; 3], beside: DVec3, middle: &Middle) -> Face {
        let [p, q, r] = points;
        // Perpendicular to the longest edge, twice against cancellation: along it a small error of the normal weighs
        // most.
        let edges = [q - p, r - p, r - q];
        let longest = edges.into_iter().max_by(|x, y| x.dot(*x).total_cmp(&y.dot(*y))).unwrap_or(DVec3::X);
        let squared = longest.dot(longest);
        let across = self.normal - longest * (self.normal.dot(longest) / squared);
        let across = across - longest * (across.dot(longest) / squared);
        // A face without any direction carries no information, and its surface proves nothing.
        let mut best = Face { normal: DVec3::ZERO, low: 0.0, top: f64::INFINITY, sound: false, ..self };
        let mut found = false;
        for normal in [self.normal, across * (1.0 / across.length()), beside] {
            let (low, top, sound) = see(normal, points, middle);
            let better = !found || if sound == best.sound { low > best.low } else { sound };
            if better && normal.dot(normal) > 0.5 {
                best = Face { normal, low, top, sound, ..self };
                found = true;
            }
        }
        best
    }
}

/// The least and the largest product of a direction with three points, and whether they are shown to lie beyond the
/// middle.
#[inline(always)]
fn see(normal: DVec3, points: [DVec3; 3], middle: &Middle) -> (f64, f64, bool) {
    let s = points.map(|w| normal.dot(w));
    let (low, top) = (s[0].min(s[1]).min(s[2]), s[0].max(s[1]).max(s[2]));
    (low, top, low - normal.dot(middle.at) > middle.margin)
}

/// A border edge of a patch, with the neighbour outside.
#[derive(Clone, Copy, Debug)]
struct Border {
    from: u32,
    to: u32,
    outside: EdgeOf,
}

/// The growing polytope: scratch memory reused across queries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polytope {
    corners: Vec<Corner>,
    faces: Vec<Face>,
    /// For each face a lower bound of its distance from the origin, negative if the origin lies beyond it.
    keys: Vec<f64>,
    border: Vec<Border>,
    stack: Vec<EdgeOf>,
    removed: Vec<u32>,
    middle: Middle,
    /// The surface is closed and was built for the last pair.
    is_whole: bool,
}

/// The penetration of two placed cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// The *signed* gap: minus the depth.
    pub gap: GapBracket,
    /// Its members span the witness points.
    pub simplex: Simplex,
    /// `gap.upper` is proved by the corners of the polytope, not by the witness points.
    pub by_polytope: bool,
    /// Distance of the vector between the witness points from `depth * normal`; zero where that is within rounding.
    pub aside: f64,
}

/// The state in which the expansion ended.
struct End {
    /// A distance that no triangle falls below, up to rounding; `None` if the surface is not known to enclose the
    /// origin.
    low: Option<f64>,
    plane: SupportPlane,
    /// The nearest face.
    face: Option<u32>,
    /// The bracket is as tight as requested.
    closed: bool,
}

/// A supporting plane of the difference.
#[derive(Clone, Copy)]
struct SupportPlane {
    /// Unit, outward.
    normal: DVec3,
    /// The vertices on it.
    found: (u32, u32),
    w: DVec3,
    /// Its distance from the origin.
    offset: f64,
}

/// When the expansion may stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EpaGoal {
    /// A depth proved to be above this is enough.
    pub enough: f64,
    /// A bracket no wider than this is enough.
    pub tolerance: f64,
}

/// The depth of two placed cores, from the last simplex of a GJK run that did not separate them.
#[inline(always)]
pub(crate) fn depth<S: Simd, A: Core, B: Core>(
    simd: S,
    pair: &Pair<'_, A, B>,
    start: &Simplex,
    wanted: EpaGoal,
    polytope: &mut Polytope,
) -> Depth {
    polytope.middle.margin = EPA_SIDE * pair.reach;
    let mut end = None;
    if start.count == 4 && strictly_inside(start) && polytope.begin(start) {
        end = Some(polytope.grow(simd, pair, wanted)).filter(|end| end.closed);
    }
    let end = match end {
        Some(end) => end,
        None => polytope.grow_from_outside(simd, pair, wanted),
    };
    polytope.conclude(pair, start, &end)
}

/// [`depth`] with a smaller tolerance: continues with the polytope left for the same pair, if it is whole.
#[inline(always)]
pub(crate) fn finer_depth<S: Simd, A: Core, B: Core>(
    simd: S,
    pair: &Pair<'_, A, B>,
    start: &Simplex,
    wanted: EpaGoal,
    polytope: &mut Polytope,
) -> Depth {
    if !polytope.is_whole {
        return depth(simd, pair, start, wanted, polytope);
    }
    let end = polytope.grow(simd, pair, wanted);
    polytope.conclude(pair, start, &end)
}

impl Polytope {
    /// Replaces the corners by pairs of vertices, where another method proved a depth with them.
    pub fn set_pairs(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        self.corners.clear();
        self.corners.extend(pairs.map(|(a, b)| Corner { w: DVec3::ZERO, a, b }));
    }

    /// The pairs of vertices whose differences are the corners.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.corners.iter().map(|corner| [corner.a, corner.b])
    }

    /// Restarts from a tetrahedron around the origin. False if one of its faces is too close to it.
    fn begin(&mut self, start: &Simplex) -> bool {
        self.middle.at = DVec3::ZERO;
        self.corners.clear();
        for k in 0..4 {
            self.corners.push(Corner { w: start.w[k], a: start.a[k], b: start.b[k] });
        }
        self.begin_with_corners()
    }

    /// Builds the faces of the tetrahedron of the four corners. False if one is not shown to lie beyond the middle.
    fn begin_with_corners(&mut self) -> bool {
        self.faces.clear();
        self.keys.clear();
        let [p, q, r, s] = [0, 1, 2, 3].map(|k: usize| self.corners[k].w);
        if (q - p).dot((r - p).cross(s - p)) < 0.0 {
            self.corners.swap(1, 2);
        }
        // Outward when the volume is positive; neighbours as four times the face plus the edge.
        const FACES: [([u32; 3], [EdgeOf; 3]); 4] =
            [([0, 2, 1], [14, 8, 4]), ([0, 1, 3], [2, 10, 12]), ([1, 2, 3], [1, 13, 5]), ([0, 3, 2], [6, 9, 0])];
        let mut sound = true;
        for (corners, across) in FACES {
            let points = corners.map(|k| self.corners[k as usize].w);
            let face = Face::new(corners, points, across, DVec3::ZERO, &self.middle);
            sound &= face.sound;
            self.keys.push(face.low);
            self.faces.push(face);
        }
        sound
    }

    /// The face nearest the origin: the one with the smallest key, the first of equal ones. Keys that are only plane
    /// distances are refined on the way.
    fn nearest(&mut self) -> usize {
        loop {
            let mut least = f64::INFINITY;
            let mut nearest = 0;
            for (k, &key) in self.keys.iter().enumerate() {
                if key < least {
                    least = key;
                    nearest = k;
                }
            }
            let face = &self.faces[nearest];
            if face.refined || face.low <= self.middle.margin || !self.refine(nearest) {
                return nearest;
            }
        }
    }

    /// Expands the nearest face until the bracket is closed or cannot be.
    #[inline(always)]
    fn grow<S: Simd, A: Core, B: Core>(&mut self, simd: S, pair: &Pair<'_, A, B>, wanted: EpaGoal) -> End {
        self.is_whole = false;
        let stop = EPA_STOP * pair.reach + wanted.tolerance;
        let bound = FACE_BOUND * pair.reach;
        let mut steps = 0;
        loop {
            let nearest = self.nearest();
            let face = &self.faces[nearest];
            let key = self.keys[nearest];
            let found = pair.support(simd, -face.normal);
            let w = pair.difference(found.0, found.1);
            let plane = SupportPlane { normal: face.normal, found, w, offset: face.normal.dot(w) };
            let closed = plane.offset - key <= stop || key - bound > wanted.enough;
            steps += 1;
            if closed || steps == EPA_STEPS || !self.push(nearest, Corner { w, a: found.0, b: found.1 }) {
                self.is_whole = closed;
                let proved = self.faces.iter().all(|f| f.removed || (f.sound && f.low > self.middle.margin));
                return End { low: proved.then_some(key), plane, face: Some(nearest as u32), closed };
            }
        }
    }

    /// Replaces the key of a face by the distance of its triangle, if that is larger. True if it was.
    fn refine(&mut self, number: usize) -> bool {
        let face = &mut self.faces[number];
        face.refined = true;
        let corners = face.corners.map(|k| self.corners[k as usize].w);
        let mut triangle = Simplex::default();
        for (k, w) in corners.into_iter().enumerate() {
            triangle.push(k as u32, 0, w);
        }
        let NearestOnSimplex::At(v) = triangle.reduce() else { return false };
        if triangle.count == 3 {
            return false;
        }
        let direction = v * (1.0 / v.length());
        let distance = corners.map(|w| direction.dot(w)).into_iter().fold(f64::INFINITY, f64::min);
        let better = distance > self.keys[number];
        if better {
            self.keys[number] = distance;
        }
        better
    }

    /// Adds a corner beyond a face: removes the faces visible from it and closes the hole. False, with the surface left
    /// open, if this is not known to keep the winding number.
    fn push(&mut self, seen: usize, corner: Corner) -> bool {
        let w = corner.w;
        // An existing corner helps only where slivers have left a dent that it lies beyond.
        let face = &self.faces[seen];
        let known = || self.corners.iter().any(|c| (c.a == corner.a) & (c.b == corner.b));
        if !face.sound || (face.normal.dot(w) <= face.top + self.middle.margin && known()) {
            return false;
        }
        self.border.clear();
        self.removed.clear();
        self.stack.clear();
        self.faces[seen].removed = true;
        self.removed.push(seen as u32);
        for edge in [2, 1, 0] {
            self.stack.push(4 * seen as u32 + edge);
        }
        // Depth first, edge after edge: so the border comes out in order.
        while let Some(edge) = self.stack.pop() {
            let (number, k) = ((edge >> 2) as usize, (edge & 3) as usize);
            let inside = &self.faces[number];
            let (from, to) = (inside.corners[k], inside.corners[NEXT[k]]);
            let outside = inside.across[k];
            let other = &mut self.faces[(outside >> 2) as usize];
            if other.removed {
                continue;
            }
            // For a sound face, a corner beyond the face's own corners is beyond the middle.
            if other.sound && other.normal.dot(w) > other.top + self.middle.margin {
                other.removed = true;
                self.removed.push(outside >> 2);
                let k = (outside & 3) as usize;
                self.stack.push((outside & !3) + NEXT[NEXT[k]] as u32);
                self.stack.push((outside & !3) + NEXT[k] as u32);
            } else {
                self.border.push(Border { from, to, outside });
            }
        }
        let count = self.border.len();
        let Some(mut last) = self.border.last().copied() else { return false };
        // It must be a single loop, otherwise the patch is not a disc.
        for edge in &self.border {
            if edge.from != last.to {
                return false;
            }
            last = *edge;
        }
        // Slots of removed faces are reused.
        while self.removed.len() < count {
            self.removed.push(self.faces.len() as u32);
            self.faces.push(self.faces[seen]);
            self.keys.push(f64::INFINITY);
        }
        let apex = self.corners.len() as u32;
        self.corners.push(corner);
        let Polytope { corners, faces, keys, border, removed, middle, .. } = self;
        let mut before = removed[count - 1];
        let mut number = removed[0];
        let mut start = corners[border[0].from as usize].w;
        for (k, &Border { from, to, outside }) in border.iter().enumerate() {
            let after = removed[if k + 1 == count { 0 } else { k + 1 }];
            let end = corners[to as usize].w;
            let other = &mut faces[(outside >> 2) as usize];
            other.across[(outside & 3) as usize] = 4 * number;
            let across = [outside, 4 * after + 2, 4 * before + 1];
            let face = Face::new([from, to, apex], [start, end, w], across, other.normal, middle);
            keys[number as usize] = face.low;
            faces[number as usize] = face;
            (before, number, start) = (number, after, end);
        }
        for &number in &removed[count..] {
            keys[number as usize] = f64::INFINITY;
        }
        true
    }

    /// Expansion from a large tetrahedron, wherever the origin is.
    #[inline(always)]
    fn grow_from_outside<S: Simd, A: Core, B: Core>(&mut self, simd: S, pair: &Pair<'_, A, B>, wanted: EpaGoal) -> End {
        // Called through a pointer, so it is compiled without the caller's instruction set.
        let support = |normal: DVec3| {
            simd.vectorize(
                #[inline(always)]
                || {
                    let found = pair.support(simd, -normal);
                    let w = pair.difference(found.0, found.1);
                    SupportPlane { normal, found, w, offset: normal.dot(w) }
                },
            )
        };
        // A flat difference must not leave anything of an earlier pair behind.
        self.is_whole = false;
        self.corners.clear();
        self.faces.clear();
        self.keys.clear();
        // A difference flatter than the accepted bracket width has no significant depth.
        match self.begin_large(&support, 0.25 * GJK_ACCEPT * pair.reach) {
            Some(plane) => End { low: None, plane, face: None, closed: true },
            None => self.grow(simd, pair, wanted),
        }
    }

    /// Builds the corners and faces of a large tetrahedron, or returns a plane that the whole difference is close to.
    /// `flat` is the threshold for close.
    #[cold]
    fn begin_large(&mut self, support: &dyn Fn(DVec3) -> SupportPlane, flat: f64) -> Option<SupportPlane> {
        // The nearer of the two supporting planes perpendicular to a direction, and the corner of the one farther from
        // `from`.
        let both = |normal: DVec3, from: DVec3| {
            let (one, other) = (support(normal), support(-normal));
            let away = |plane: &SupportPlane| plane.normal.dot(plane.w - from);
            let corner = if away(&other) > away(&one) { other } else { one };
            (if other.offset < one.offset { other } else { one }, corner)
        };
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (support(axis), support(-axis)));
        let mut longest = axes[0];
        for axis in &axes[1..] {
            if axis.0.offset + axis.1.offset > longest.0.offset + longest.1.offset {
                longest = *axis;
            }
        }
        let (p, q) = (longest.0, longest.1);
        if p.offset + q.offset <= flat {
            return Some(p);
        }
        let along = (p.w - q.w) * (1.0 / p.w.distance(q.w));
        let first = along.any_orthonormal_vector();
        let mut thin = both(first, q.w);
        let mut side = thin;
        let other = both(first.cross(along), q.w);
        if other.1.normal.dot(other.1.w - q.w) > side.1.normal.dot(side.1.w - q.w) {
            side = other;
        } else {
            thin = other;
        }
        let r = side.1;
        let (e, f) = (p.w - q.w, r.w - q.w);
        let n = e.cross(f);
        let squared = n.dot(n);
        if r.normal.dot(f) <= flat || squared == 0.0 {
            // A segment: thin in every perpendicular direction.
            return Some(if side.0.offset < thin.0.offset { side.0 } else { thin.0 });
        }
        let n = n - e * (n.dot(e) / e.dot(e));
        let (nearer, s) = both(n * (1.0 / n.length()), q.w);
        if s.normal.dot(s.w - q.w) <= flat {
            return Some(nearer);
        }
        self.corners.clear();
        for plane in [q, p, r, s] {
            self.corners.push(Corner { w: plane.w, a: plane.found.0, b: plane.found.1 });
        }
        self.middle.at = ((p.w + q.w) + (r.w + s.w)) * 0.25;
        let sound = self.begin_with_corners();
        (!sound || !self.middle_is_inside()).then_some(nearer)
    }

    /// Whether the middle lies strictly inside the tetrahedron of the first four faces, decided exactly.
    #[cold]
    fn middle_is_inside(&self) -> bool {
        let sign = |face: &Face| {
            let [p, q, r] = face.corners.map(|k| self.corners[k as usize].w);
            orient3d(p, q, r, self.middle.at)
        };
        let signs: [Sign; 4] = [0, 1, 2, 3].map(|k: usize| sign(&self.faces[k]));
        !signs[0].is_zero() && signs.iter().all(|s| *s == signs[0])
    }

    /// The proved bracket and the witness of the final state.
    #[inline(always)]
    fn conclude<A: Core, B: Core>(&self, pair: &Pair<'_, A, B>, start: &Simplex, end: &End) -> Depth {
        let SupportPlane { normal, w, offset, .. } = end.plane;
        let lower = pair.lower_bound(-normal, 1.0, w);
        let by_polytope = end.low.map(|low| low - FACE_BOUND * pair.reach).filter(|&low| low > 0.0);
        let ((simplex, is_sure), upper) = match (by_polytope, end.face) {
            (Some(low), Some(face)) => (self.foot(face, normal), -low),
            _ => {
                let (simplex, upper) = self.common_point(pair, start);
                ((simplex, true), upper)
            }
        };
        let (point_a, point_b) = witness(pair, &simplex);
        let gap = GapBracket { lower, upper, length: -offset, direction: -normal, point_a, point_b };
        let aside = if is_sure { 0.0 } else { aside(pair, &gap) };
        Depth { gap, simplex, by_polytope: by_polytope.is_some(), aside }
    }

    /// A point common to both cores, up to the returned distance: from the start, or, where its weights are inaccurate,
    /// from a face next to the origin.
    #[cold]
    fn common_point<A: Core, B: Core>(&self, pair: &Pair<'_, A, B>, start: &Simplex) -> (Simplex, f64) {
        let apart = |simplex: &Simplex| {
            let (point_a, point_b) = witness(pair, simplex);
            (pair.placement.place(point_b) - point_a).length()
        };
        let (mut best, mut least) = (*start, apart(start));
        if least > CONTACT_RESIDUAL * pair.reach {
            for (number, face) in self.faces.iter().enumerate() {
                if !face.removed && face.low.abs() <= GJK_ACCEPT * pair.reach {
                    let (simplex, _) = self.foot(number as u32, face.normal);
                    let length = apart(&simplex);
                    if length < least {
                        (best, least) = (simplex, length);
                    }
                }
            }
        }
        (best, least + CONTACT_POINT * pair.reach)
    }

    /// Four corners around the origin, with its weights: the first corner, and a face that the line from there through
    /// the origin hits.
    pub fn about_origin(&self) -> Option<Simplex> {
        let first = *self.corners.first()?;
        let mut best: Option<(f64, Simplex)> = None;
        for face in self.faces.iter().filter(|face| !face.removed && !face.corners.contains(&0)) {
            let mut simplex = Simplex::default();
            for corner in [first].into_iter().chain(face.corners.map(|k| self.corners[k as usize])) {
                simplex.push(corner.a, corner.b, corner.w);
            }
            let left = simplex.weigh_origin();
            if left.is_finite() && best.as_ref().is_none_or(|best| left < best.0) {
                best = Some((left, simplex));
            }
        }
        best.map(|best| best.1)
    }

    /// A face as a simplex, with the weights of the foot of the perpendicular from the origin; or a coplanar neighbour,
    /// where that contains the foot. True if the weights are known to be those of the foot, within rounding.
    fn foot(&self, number: u32, normal: DVec3) -> (Simplex, bool) {
        let level = self.faces[number as usize].low - 4.0 * self.middle.margin;
        let (mut simplex, mut found) = self.foot_in(number, normal);
        // Near an edge, rounding can put the foot on the wrong side of it: a few steps within the plane find it.
        for _ in 0..8 {
            let Foot::Beyond(other) = found else { break };
            let corners = self.faces[other as usize].corners.map(|k| self.corners[k as usize].w);
            if corners.iter().any(|w| normal.dot(*w) < level) {
                break;
            }
            let next = self.foot_in(other, normal);
            found = next.1;
            if !matches!(found, Foot::Beyond(_)) {
                simplex = next.0;
            }
        }
        (simplex, matches!(found, Foot::Inside))
    }

    /// A face as a simplex, with the weights of the point nearest the line along `normal` through the origin, and where
    /// that line passes.
    fn foot_in(&self, number: u32, normal: DVec3) -> (Simplex, Foot) {
        let face = &self.faces[number as usize];
        let corners = face.corners.map(|k| self.corners[k as usize]);
        let mut simplex = Simplex::default();
        for corner in corners {
            simplex.push(corner.a, corner.b, corner.w);
        }
        let [p, q, r] = corners.map(|c| c.w);
        let (e, f) = (q - p, r - p);
        let n = e.cross(f);
        let squared = n.dot(n);
        if squared == 0.0 {
            simplex.weight = foot_on_edge([p, q, r], normal);
            return (simplex, Foot::Unsure);
        }
        let (mut s, mut t) = (0.0, 0.0);
        let mut found = Foot::Unsure;
        // Solved again for the residual: in a sliver the first solution is off by more than rounding.
        for _ in 0..3 {
            let at = (p + e * s) + f * t;
            let left = at - normal * normal.dot(at);
            s += f.cross(left).dot(n) / squared;
            t += left.cross(e).dot(n) / squared;
            if left.length() <= 0.5 * self.middle.margin {
                found = Foot::Inside;
                break;
            }
        }
        let weights = [(1.0 - s) - t, s, t];
        let mut least = 0;
        for k in 1..3 {
            if weights[k] < weights[least] {
                least = k;
            }
        }
        if weights[least] >= 0.0 {
            simplex.weight = [weights[0], weights[1], weights[2], 0.0];
            return (simplex, found);
        }
        simplex.weight = foot_on_edge([p, q, r], normal);
        (simplex, Foot::Beyond(face.across[NEXT[least]] >> 2))
    }
}

/// Where the line along a face's normal through the origin passes.
#[derive(Clone, Copy)]
enum Foot {
    /// Through the face, within rounding at the point that the weights give.
    Inside,
    /// Through the face or barely past it: it is a sliver, and the weights may be off.
    Unsure,
    /// Past the face; holds the neighbour's edge that was crossed.
    Beyond(u32),
}

/// Distance of the vector between two witness points from the depth along the normal.
#[cold]
fn aside<A: Core, B: Core>(pair: &Pair<'_, A, B>, gap: &GapBracket) -> f64 {
    let between = pair.placement.place(gap.point_b) - gap.point_a;
    (between - gap.direction * gap.length).length()
}

/// The weights of the point on an edge of a triangle that is nearest the line along `normal` through the origin.
#[cold]
fn foot_on_edge(corners: [DVec3; 3], normal: DVec3) -> [f64; 4] {
    let level = corners.map(|w| w - normal * normal.dot(w));
    let mut best = [1.0, 0.0, 0.0, 0.0];
    let mut least = f64::INFINITY;
    for (k, next) in NEXT.into_iter().enumerate() {
        let (from, edge) = (level[k], level[next] - level[k]);
        let squared = edge.dot(edge);
        let t = if squared > 0.0 { (-from.dot(edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
        let left = (from + edge * t).length();
        if left < least {
            least = left;
            best = [0.0; 4];
            best[k] = 1.0 - t;
            best[next] = t;
        }
    }
    best
}

/// The edge that follows each edge of a triangle.
const NEXT: [usize; 3] = [1, 2, 0];
