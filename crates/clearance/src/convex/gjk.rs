//! Certified distance between two convex cores: Gilbert, Johnson and Keerthi's algorithm (1988).
//!
//! The difference `B - A` of the two sets holds all vectors from a point of A to a point of B; its point nearest the
//! origin is the gap. GJK approaches it over simplices spanned by vertices of the difference:
//! 1. find the nearest point `v` of the simplex to the origin, and reduce the simplex to the members that support it;
//! 2. find the support vertex `w` of the difference along `-v`;
//! 3. `|v|` is an upper bound of the gap, `v · w / |v|` a lower bound (the whole difference lies beyond the plane
//!    through `w` perpendicular to `v`). Stop when the two meet; otherwise add `w` to the simplex.
//!
//! Departures from the usual form:
//! - It stops on the duality gap alone, measured against the reach of the pair, and then *proves* a bracket from the
//!   last simplex, each rounding accounted for. Where the gap is small compared with the bodies, direction and weights
//!   are first recomputed from differences taken inside each body, which keep their digits when the gap is a billionth
//!   of the bodies' size ([`certify_polished`]).
//! - Where that bracket is too wide, or it is still undecided whether the cores are separated, the caller turns to
//!   [`exact`](super::exact), so no tolerance decides anything.
//! - The simplex of the last query is a hint supplied by the caller. Any vertices will do, so a stale hint is harmless.
//! - Without a hint it starts from five vertices of the difference, not from one ([`start`]).
//! - Adding a vertex examines only the edges and faces that meet in it, without branches ([`star`](super::star)).

use fearless_simd::{Simd, f64x4, prelude::*};
use glam::DVec3;

use super::core::Core;
use super::simplex::{NearestOnSimplex, Reduce, Simplex, Voronoi};
use crate::math::placement::{Placement, WidePlacement, from_lanes};
use crate::math::simd::plain;
use crate::math::tolerances::{DETERMINANT, FAR, GJK_ACCEPT, GJK_ITERATIONS, GJK_STOP, LOWER_BOUND, UPPER_BOUND};

/// Two cores in the frame of A, and the reach of the pair.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'p, A, B> {
    pub a: A,
    pub b: B,
    pub placement: &'p Placement,
    /// Rounding errors are relative to this, see `tolerances::LOWER_BOUND`.
    pub reach: f64,
}

impl<A: Core, B: Core> Pair<'_, A, B> {
    /// The vector from vertex `a` to the placed vertex `b`.
    #[inline(always)]
    pub fn difference(&self, a: u32, b: u32) -> DVec3 {
        self.placement.place(self.b.vertex(b)) - self.a.vertex(a)
    }

    /// [`Pair::difference`] with the placement in wide form.
    #[inline(always)]
    pub fn wide_difference<S: Simd>(&self, simd: S, map: &WidePlacement<S>, a: u32, b: u32) -> DVec3 {
        from_lanes(map.place(simd, self.b.vertex(b)) - self.a.wide_vertex(simd, a))
    }

    /// The vertices of A and B with the smallest gap along `direction`.
    #[inline(always)]
    pub fn support<S: Simd>(&self, simd: S, direction: DVec3) -> (u32, u32) {
        let a = self.a.support(simd, direction);
        let b = self.b.support(simd, self.placement.turn_back(-direction));
        (a, b)
    }

    /// A proved lower bound of the gap of the placed pair along `direction`, of length `length`, and of the gap along
    /// the world normal derived from it; `w` is the difference of the vertices that `support` found along it.
    #[inline(always)]
    pub fn lower_bound(&self, direction: DVec3, length: f64, w: DVec3) -> f64 {
        direction.dot(w) / length - (LOWER_BOUND * self.reach + (self.a.slack() + self.b.slack()))
    }
}

/// When GJK may stop before the gap is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// A proved lower bound above this is enough.
    pub farther_than: f64,
    /// A bracket no wider than this is enough.
    pub tolerance: f64,
}

/// A proved bracket of the gap of the placed cores, with its witness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapBracket {
    /// The gap of the placed pair is at least this.
    pub lower: f64,
    /// The gap of the placed pair is at most this.
    pub upper: f64,
    /// The computed distance between the two witnesses.
    pub length: f64,
    /// Unit, from A to B, in the frame of A: the direction that proves `lower`.
    pub direction: DVec3,
    /// The witness on A, relative to A's local origin.
    pub point_a: DVec3,
    /// The witness on B, in B's frame, relative to B's local origin.
    pub point_b: DVec3,
}

/// The result of a GJK run. The last simplex holds the witness.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Walk {
    /// The placed cores are separated.
    Apart(GapBracket),
    /// The placed cores overlap: the origin lies strictly inside the last simplex, a tetrahedron.
    Inside,
    /// Undecided because of rounding; the last simplex is a start for other methods. If GJK arrived at a bracket of the
    /// *signed* gap, it is included: valid, but possibly not above zero, or not tight.
    Undecided(Option<GapBracket>),
}

/// Iterates from a simplex of any vertices, or none, to the point of the placed cores' difference nearest the origin.
#[inline(always)]
pub(crate) fn walk<S: Simd, A: Core, B: Core>(
    simd: S,
    pair: &Pair<'_, A, B>,
    simplex: &mut Simplex,
    stop: Stop,
) -> Walk {
    walk_by::<Voronoi, S, A, B>(simd, pair, &WidePlacement::new(simd, pair.placement), simplex, stop)
}

/// [`walk`] with a choice of sub-algorithm, and the pair's placement in wide form.
#[inline(always)]
pub(crate) fn walk_by<R: Reduce, S: Simd, A: Core, B: Core>(
    simd: S,
    pair: &Pair<'_, A, B>,
    map: &WidePlacement<S>,
    simplex: &mut Simplex,
    stop: Stop,
) -> Walk {
    let mut nearest = if simplex.count == 0 {
        start::<R, S, A, B>(simd, pair, simplex)
    } else {
        // Destructured and rebuilt on purpose: otherwise the value is stored in different chunks than the loop loads,
        // and store forwarding stalls.
        #[expect(clippy::needless_match, reason = "measured: see above")]
        match R::reduce(simplex) {
            NearestOnSimplex::At(point) => NearestOnSimplex::At(point),
            NearestOnSimplex::Inside => NearestOnSimplex::Inside,
        }
    };
    let noise = LOWER_BOUND * pair.reach;
    let stop_width = GJK_STOP * pair.reach + stop.tolerance;
    let mut last = f64::INFINITY;
    let mut iterations = 0;
    let (v, length, w) = loop {
        let v = match nearest {
            NearestOnSimplex::At(v) => v,
            NearestOnSimplex::Inside => {
                return if strictly_inside(simplex) { Walk::Inside } else { Walk::Undecided(None) };
            }
        };
        let squared = v.dot(v);
        let length = squared.sqrt();
        if length <= noise {
            return Walk::Undecided(None);
        }
        let found = pair.support(simd, v);
        let w = pair.difference(found.0, found.1);
        let gap = v.dot(w);
        iterations += 1;
        // Converged; or the simplex already holds the vertex; or rounding dominates and there is no more progress.
        if squared - gap <= stop_width * length
            || gap > (stop.farther_than + 2.0 * noise) * length
            || simplex.holds(found.0, found.1)
            || squared >= last
            || iterations == GJK_ITERATIONS
        {
            break (v, length, w);
        }
        last = squared;
        nearest = R::extend(simd, pair, simplex, (found.0, found.1, w), gap);
    };
    let accept = |apart: &GapBracket| {
        apart.lower > stop.farther_than
            || (apart.lower > 0.0 && apart.upper - apart.lower <= GJK_ACCEPT * pair.reach + stop.tolerance)
    };
    if length > FAR * pair.reach || stop.farther_than < f64::INFINITY {
        let (wide_a, wide_b) = witness_with(simd, pair, simplex);
        let (point_a, point_b) = (from_lanes(wide_a), from_lanes(wide_b));
        let between = from_lanes(map.place(simd, point_b) - wide_a).length();
        let upper = between + UPPER_BOUND * pair.reach;
        let direction = v * (1.0 / length);
        let lower = pair.lower_bound(v, length, w);
        let apart = GapBracket { lower, upper, length: between, direction, point_a, point_b };
        if accept(&apart) {
            return Walk::Apart(apart);
        }
    }
    let apart = certify_apart(simd, pair, simplex);
    if accept(&apart) { Walk::Apart(apart) } else { Walk::Undecided(Some(apart)) }
}

/// The initial simplex without a hint, reduced to the members of its nearest point. From each body it takes the three
/// vertices farthest towards the other, along the line between the local origins. Starting from a single vertex of the
/// difference takes one to two more iterations.
#[inline(always)]
fn start<R: Reduce, S: Simd, A: Core, B: Core>(
    simd: S,
    pair: &Pair<'_, A, B>,
    simplex: &mut Simplex,
) -> NearestOnSimplex {
    let along = pair.placement.translation;
    let a = pair.a.three_far(simd, along);
    let b = pair.b.three_far(simd, pair.placement.turn_back(-along));
    let points_a = [pair.a.vertex(a[0]), pair.a.vertex(a[1]), pair.a.vertex(a[2])];
    let place = |b: u32| pair.placement.place(pair.b.vertex(b));
    let points_b = [place(b[0]), place(b[1]), place(b[2])];
    let member = |place: usize| {
        let (i, j) = ([1, 2, 0, 0, 0][place], [0, 0, 1, 2, 0][place]);
        (a[i], b[j], points_b[j] - points_a[i])
    };
    R::first(simd, member, simplex)
}

/// [`certify_polished`], not inlined: inside the GJK loop it would take the loop's registers.
#[inline(never)]
fn certify_apart<S: Simd, A: Core, B: Core>(simd: S, pair: &Pair<'_, A, B>, simplex: &mut Simplex) -> GapBracket {
    simd.vectorize(
        #[inline(always)]
        || certify_polished(simd, pair, simplex),
    )
}

/// The bracket that a simplex proves: `upper` from the witness points, `lower` from the supporting planes perpendicular
/// to the direction in which the simplex is nearest the origin.
#[inline(always)]
fn certify_polished<S: Simd, A: Core, B: Core>(simd: S, pair: &Pair<'_, A, B>, simplex: &mut Simplex) -> GapBracket {
    let direction = polish(pair, simplex);
    let (point_a, point_b) = witness_with(simd, pair, simplex);
    let (point_a, point_b) = (from_lanes(point_a), from_lanes(point_b));
    let between = pair.placement.place(point_b) - point_a;
    let length = between.length();
    let direction = direction.unwrap_or(between);
    let direction = direction * (1.0 / direction.length());
    let found = pair.support(simd, direction);
    let lower = pair.lower_bound(direction, 1.0, pair.difference(found.0, found.1));
    let upper = length + UPPER_BOUND * pair.reach;
    GapBracket { lower, upper, length, direction, point_a, point_b }
}

/// The points of A and B given by the simplex's weights.
#[inline(always)]
pub(crate) fn witness<A: Core, B: Core>(pair: &Pair<'_, A, B>, simplex: &Simplex) -> (DVec3, DVec3) {
    let (point_a, point_b) = witness_with(plain(), pair, simplex);
    (from_lanes(point_a), from_lanes(point_b))
}

/// [`witness`] in four lanes.
#[inline(always)]
fn witness_with<S: Simd, A: Core, B: Core>(simd: S, pair: &Pair<'_, A, B>, simplex: &Simplex) -> (f64x4<S>, f64x4<S>) {
    // Members beyond `count` have weight zero but are still valid vertices.
    let Simplex { a, b, weight, .. } = simplex;
    let mut point_a = (term(simd, &pair.a, a[0], weight[0]) + term(simd, &pair.a, a[1], weight[1]))
        + term(simd, &pair.a, a[2], weight[2]);
    let mut point_b = (term(simd, &pair.b, b[0], weight[0]) + term(simd, &pair.b, b[1], weight[1]))
        + term(simd, &pair.b, b[2], weight[2]);
    if simplex.count == 4 {
        point_a += term(simd, &pair.a, a[3], weight[3]);
        point_b += term(simd, &pair.b, b[3], weight[3]);
    }
    (point_a, point_b)
}

/// A vertex times its weight. Not a closure: that might be compiled as a separate function, without the instruction
/// set.
#[inline(always)]
fn term<S: Simd, C: Core>(simd: S, core: &C, vertex: u32, weight: f64) -> f64x4<S> {
    core.wide_vertex(simd, vertex) * f64x4::splat(simd, weight)
}

/// Recomputes weights and direction of a simplex of one to three members from differences taken inside each body.
///
/// `w1 - w0` is formed as `M (b1 - b0) - (a1 - a0)`: no digits are lost to the distance of the bodies from each other
/// or from their origins. `None` when the simplex gives no direction (zero area, or it passes through the origin).
#[inline(always)]
fn polish<A: Core, B: Core>(pair: &Pair<'_, A, B>, simplex: &mut Simplex) -> Option<DVec3> {
    let edge = |k: usize| {
        let turned = pair.placement.turn(pair.b.vertex(simplex.b[k]) - pair.b.vertex(simplex.b[0]));
        turned - (pair.a.vertex(simplex.a[k]) - pair.a.vertex(simplex.a[0]))
    };
    let base = simplex.w[0];
    let direction = match simplex.count {
        1 => base,
        2 => {
            let e = edge(1);
            let squared = e.dot(e);
            if squared == 0.0 {
                return None;
            }
            let t = (-base.dot(e) / squared).clamp(0.0, 1.0);
            simplex.weight[0] = 1.0 - t;
            simplex.weight[1] = t;
            let across = base - e * (base.dot(e) / squared);
            across - e * (across.dot(e) / squared)
        }
        3 => {
            let (e1, e2) = (edge(1), edge(2));
            let n = e1.cross(e2);
            let squared = n.dot(n);
            if squared == 0.0 {
                return None;
            }
            let s = e2.cross(base).dot(n) / squared;
            let t = base.cross(e1).dot(n) / squared;
            let r = (1.0 - s) - t;
            let weights = DVec3::new(r, s, t).max(DVec3::ZERO);
            let total = weights.x + weights.y + weights.z;
            simplex.weight[0] = weights.x / total;
            simplex.weight[1] = weights.y / total;
            simplex.weight[2] = weights.z / total;
            if n.dot(base) < 0.0 { -n } else { n }
        }
        _ => return None,
    };
    (direction != DVec3::ZERO).then_some(direction)
}

/// True when the origin is inside the tetrahedron despite rounding: each of the four volumes exceeds its error.
#[inline(never)]
pub(super) fn strictly_inside(simplex: &Simplex) -> bool {
    let [a, b, c, d] = simplex.w;
    let lengths = simplex.w.map(|w| w.length());
    let volumes = [
        (-d.dot(b.cross(c)), lengths[1] * lengths[2] * lengths[3]),
        (c.dot(d.cross(a)), lengths[0] * lengths[2] * lengths[3]),
        (-b.dot(d.cross(a)), lengths[0] * lengths[1] * lengths[3]),
        (a.dot(b.cross(c)), lengths[0] * lengths[1] * lengths[2]),
    ];
    let positive = volumes[0].0 > 0.0;
    volumes.iter().all(|&(volume, size)| (volume > 0.0) == positive && volume.abs() > DETERMINANT * size)
}
