//! The signed gap of two cores of which at least one is curved: cylinders, cones, ellipsoids, bodies of a user's making.
//!
//! Support points of a curved core are not finitely many vertices, so GJK approaches the closest points but does not
//! arrive. It is used to come near; then both cores are replaced by the pieces of surface that the closest points lie on
//! ([`patch`](super::patch)), and Newton's method finishes. What comes out is proved like everything else:
//! - the gap is at least the distance of the supporting planes across a direction, for any direction;
//! - it is at most the distance of two points of the cores, for any two points;
//! - where the cores overlap, the depth is at least that of a point of one core inside the other, for any such point.
//!
//! Directions, points and pieces may be as wrong as they like; the bracket is then wide, and the approach goes on.

use std::cell::RefCell;

use fearless_simd::Simd;
use glam::DVec3;

use super::core::{AnyCore, Core, Smooth};
use super::epa::{self, Polytope, Wanted};
use super::gjk::{Apart, Pair, Stop, witness};
use super::patch::{Piece, Spot, settle};
use super::simplex::{Nearest, Simplex};
use crate::math::simd::plain;
use crate::math::tolerances::{
    LOWER_BOUND, SMOOTH_ACCEPT, SMOOTH_EXPANSION, SMOOTH_ITERATIONS, SMOOTH_POINT, UNIT_ROUNDOFF, UPPER_BOUND,
};
use crate::shape::{Feature, Hull};

/// A core whose support points are numbered in the order in which they were asked for.
#[derive(Clone, Copy)]
pub(crate) struct Sampled<'a> {
    core: AnyCore<'a>,
    extent: f64,
    points: &'a RefCell<Vec<DVec3>>,
}

impl<'a> Sampled<'a> {
    /// `points` is scratch, and is cleared; `extent` bounds the core's distance from its local origin.
    pub fn new(core: AnyCore<'a>, extent: f64, points: &'a RefCell<Vec<DVec3>>) -> Sampled<'a> {
        points.borrow_mut().clear();
        Sampled { core, extent, points }
    }
}

impl Core for Sampled<'_> {
    #[inline(always)]
    fn vertex(&self, id: u32) -> DVec3 {
        match self.core {
            AnyCore::Smooth(_) => self.points.borrow().get(id as usize).copied().unwrap_or(DVec3::ZERO),
            core => core.vertex(id),
        }
    }

    #[inline(always)]
    fn vertex_count(&self) -> usize {
        match self.core {
            AnyCore::Smooth(_) => self.points.borrow().len(),
            core => core.vertex_count(),
        }
    }

    fn support<S: Simd>(&self, _simd: S, direction: DVec3, hint: Option<u32>) -> u32 {
        self.find(direction, hint)
    }

    fn slack<S: Simd>(&self, _simd: S, direction: DVec3, length: f64, vertex: u32) -> f64 {
        self.left(direction, length, vertex)
    }

    fn support_without_slack<S: Simd>(&self, _simd: S, direction: DVec3) -> u32 {
        self.find_by_scan(direction)
    }
}

/// Curved bodies leave little to vectorise: each of these is compiled once, not into every place that calls it.
impl Sampled<'_> {
    #[inline(never)]
    fn find(&self, direction: DVec3, hint: Option<u32>) -> u32 {
        match self.core {
            AnyCore::Smooth(smooth) => {
                let mut points = self.points.borrow_mut();
                points.push(smooth.farthest(direction));
                points.len() as u32 - 1
            }
            core => core.support(plain(), direction, hint),
        }
    }

    #[inline(never)]
    fn left(&self, direction: DVec3, length: f64, vertex: u32) -> f64 {
        match self.core {
            AnyCore::Smooth(Smooth::Custom(custom)) => custom.slack() + SMOOTH_POINT * self.extent,
            AnyCore::Smooth(_) => SMOOTH_POINT * self.extent,
            core => core.slack(plain(), direction, length, vertex),
        }
    }

    #[inline(never)]
    fn find_by_scan(&self, direction: DVec3) -> u32 {
        match self.core {
            AnyCore::Smooth(_) => self.find(direction, None),
            core => core.support_without_slack(plain(), direction),
        }
    }
}

impl Smooth<'_> {
    /// A point of the core that lies farthest along `direction`, but for rounding: see `tolerances::SMOOTH_POINT`.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let ring = |radius: f64, height: f64| {
            let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
            if across > 0.0 {
                DVec3::new(radius * (direction.x / across), radius * (direction.y / across), height)
            } else {
                DVec3::new(0.0, 0.0, height)
            }
        };
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                ring(radius, if direction.z >= 0.0 { half_length } else { -half_length })
            }
            Smooth::Cone { half_length, radius } => {
                let apex = DVec3::new(0.0, 0.0, half_length);
                let rim = ring(radius, -half_length);
                if direction.dot(apex) > direction.dot(rim) { apex } else { rim }
            }
            Smooth::Ellipsoid(axes) => {
                let scaled = axes * direction;
                let length = scaled.length();
                if length > 0.0 { axes * (scaled / length) } else { DVec3::ZERO }
            }
            Smooth::HalfSpace { normal, offset } => normal * (offset / normal.dot(normal)),
            Smooth::Custom(custom) => custom.support(direction),
        }
    }

    /// The pieces that a point seen along `outward` may lie on, the likeliest first. `tilt` is how far the direction
    /// may be off.
    fn pieces(&self, outward: DVec3, tilt: f64) -> [Option<Piece>; 3] {
        let across = outward.truncate().length();
        match *self {
            Smooth::Cylinder { half_length, radius } => {
                let height = if outward.z >= 0.0 { half_length } else { -half_length };
                let rim = Some(Piece::Rim { height, radius });
                if outward.z.abs() <= tilt {
                    [Some(Piece::Tube { half_length, radius }), rim, None]
                } else if across <= tilt {
                    [Some(Piece::Disc { height, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Cone { half_length, radius } => {
                let apex = Some(Piece::Point(DVec3::new(0.0, 0.0, half_length)));
                let rim = Some(Piece::Rim { height: -half_length, radius });
                // Positive when seen from beyond the side's normal towards the apex.
                let slant = DVec3::new(2.0 * half_length, 0.0, radius).normalize_or_zero();
                let over = slant.x * outward.z - slant.z * across;
                if over.abs() <= tilt {
                    [Some(Piece::Slope { half_length, radius }), apex, rim]
                } else if over > 0.0 {
                    [apex, None, None]
                } else if across <= tilt {
                    [Some(Piece::Disc { height: -half_length, radius }), rim, None]
                } else {
                    [rim, None, None]
                }
            }
            Smooth::Ellipsoid(axes) => [Some(Piece::Ellipsoid(axes)), None, None],
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => [None; 3],
        }
    }

    /// At least how deep a point lies in the core; negative or zero outside. `surface` is a surface point near it, with
    /// the outward direction there.
    fn depth_of(&self, point: DVec3, surface: &Spot, outward: DVec3) -> f64 {
        let across = point.truncate().length();
        let (depth, size) = match *self {
            Smooth::Cylinder { half_length, radius } => {
                ((radius - across).min(half_length - point.z.abs()), radius + half_length)
            }
            Smooth::Cone { half_length, radius } => {
                let slant = (4.0 * half_length * half_length + radius * radius).sqrt();
                let side = ((half_length - point.z) * radius - 2.0 * half_length * across) / slant;
                (side.min(point.z + half_length), radius + 2.0 * half_length)
            }
            Smooth::Ellipsoid(axes) => {
                // A ball as large as the smallest radius of curvature rolls freely inside (Blaschke).
                let (least, most) = (axes.min_element(), axes.max_element());
                let room = least * (least / most);
                let Some(normal) = surface.normal(outward) else { return f64::NEG_INFINITY };
                let center = surface.point() - normal * room;
                (room - point.distance(center), most)
            }
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => return f64::NEG_INFINITY,
        };
        depth - 16.0 * UNIT_ROUNDOFF * (size + point.length())
    }

    /// The feature that holds a surface point, seen along `outward`: of those that come into question the nearest.
    pub fn feature_at(&self, point: DVec3, outward: DVec3) -> Feature {
        // Where the direction is nearly along the axis, the point itself tells the side better.
        let around = if point.truncate().length_squared() > 0.0 { point.with_z(0.0) } else { outward };
        let spots = self
            .pieces(outward, 1e-2)
            .into_iter()
            .flatten()
            .flat_map(|piece| [outward, around].map(|seen| Spot::near(piece, point, seen)));
        let off = |spot: &Spot| spot.point().distance_squared(point);
        spots.min_by(|p, q| off(p).total_cmp(&off(q))).map_or(Feature::Face(0), |spot| self.feature(&spot))
    }

    /// The feature that a spot of the core lies on.
    fn feature(&self, spot: &Spot) -> Feature {
        match (*self, spot.piece) {
            (_, Piece::Point(_)) => Feature::Vertex(0),
            (Smooth::Cylinder { .. }, Piece::Rim { height, .. }) => Feature::Edge(u32::from(height > 0.0)),
            (Smooth::Cylinder { .. }, Piece::Disc { height, .. }) => Feature::Face(u32::from(height > 0.0)),
            (Smooth::Cylinder { .. }, _) => Feature::Face(2),
            (Smooth::Cone { .. }, Piece::Rim { .. }) => Feature::Edge(0),
            (Smooth::Cone { .. }, Piece::Slope { .. }) => Feature::Face(1),
            _ => Feature::Face(0),
        }
    }
}

/// A proved bracket of the signed gap of two placed cores, with its witness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedGap {
    /// The gap, its bracket and its witness; the numbers are negative where the cores overlap.
    pub gap: Apart,
    /// The features of curved cores; those of polytopes follow from the simplex.
    pub feature_a: Option<Feature>,
    pub feature_b: Option<Feature>,
    /// The vertices that span the pieces of polytopes that the points lie on.
    pub members_a: Members,
    pub members_b: Members,
    /// How far the vector between the points is from the gap along the direction.
    aside: f64,
}

/// Up to four vertices of a polytope, repeated where there are fewer.
pub(crate) type Members = [u32; 4];

/// A piece that comes into question, with the vertices that span it if it is one of a polytope.
#[derive(Clone, Copy)]
struct Candidate {
    piece: Piece,
    members: Members,
}

/// The signed gap of two placed cores. `hint` is a direction from A to B to start with.
pub(crate) fn signed_gap(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    hint: Option<DVec3>,
    stop: Stop,
    polytope: &mut Polytope,
) -> SignedGap {
    let simplex = &mut Simplex::default();
    let start = hint.unwrap_or(pair.placement.translation);
    let mut direction = start.try_normalize().unwrap_or(DVec3::X);
    let found = pair.support(plain(), direction, None);
    simplex.push(found.0, found.1, pair.difference(found.0, found.1));
    let noise = LOWER_BOUND * pair.reach;
    let mut best: Option<SignedGap> = None;
    let mut tolerance = 0.02 * pair.reach;
    let mut last = f64::INFINITY;
    for _ in 0..SMOOTH_ITERATIONS {
        let v = match simplex.reduce() {
            Nearest::At(v) => v,
            Nearest::Inside => {
                // Next to contact rounding may have put the origin there.
                let polished = polish(pair, simplex, direction, 0.1);
                if polished.is_accepted(pair.reach, stop) {
                    return polished;
                }
                return overlapping(pair, simplex, Some(pair.keep(best, polished)), polytope);
            }
        };
        let squared = v.dot(v);
        let length = squared.sqrt();
        if length <= noise {
            break;
        }
        direction = v * (1.0 / length);
        let found = pair.support(plain(), v, Some((simplex.a[0], simplex.b[0])));
        let w = pair.difference(found.0, found.1);
        let gap = v.dot(w) / length;
        let width = length - gap;
        if gap > stop.farther_than + 2.0 * noise {
            return pair.keep(best, certify(pair, simplex, direction));
        }
        if width <= tolerance || squared >= last {
            let tilt = (2.0 * (width / length).max(0.0).sqrt()).clamp(1e-3, 0.3);
            let polished = polish(pair, simplex, direction, tilt);
            best = Some(pair.keep(best, polished));
            if polished.is_accepted(pair.reach, stop) || squared >= last {
                break;
            }
            tolerance = 0.05 * width.min(tolerance);
        }
        if width <= noise {
            break;
        }
        last = squared;
        simplex.push(found.0, found.1, w);
    }
    if let Some(best) = best.filter(|best| best.is_accepted(pair.reach, stop)) {
        return best;
    }
    let found = pair.keep(best, polish(pair, simplex, direction, 0.1));
    // The origin may lie on a simplex that is flat.
    let open = found.gap.lower <= 0.0 && !found.is_accepted(pair.reach, stop);
    if open { overlapping(pair, simplex, Some(found), polytope) } else { found }
}

/// Two points of cores that meet, as near to each other as rounding allows.
pub(crate) fn common_point(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>) -> (DVec3, DVec3) {
    let mut simplex = Simplex::default();
    let mut direction = pair.placement.translation;
    let noise = UPPER_BOUND * pair.reach;
    for _ in 0..2 * SMOOTH_ITERATIONS {
        let (a, b) = pair.support(plain(), if direction == DVec3::ZERO { DVec3::X } else { direction }, None);
        simplex.push(a, b, pair.difference(a, b));
        match simplex.reduce() {
            Nearest::At(v) if v.length() > noise => direction = v,
            _ => break,
        }
    }
    witness(pair, &simplex)
}

/// The first vertices of a list, repeated.
fn members(ids: &[u32; 4], count: usize) -> Members {
    std::array::from_fn(|k| if k < count { ids[k] } else { ids[0] })
}

impl SignedGap {
    fn width(&self) -> f64 {
        self.gap.upper - self.gap.lower
    }

    fn is_accepted(&self, reach: f64, stop: Stop) -> bool {
        let narrow = self.width() <= SMOOTH_ACCEPT * reach + stop.tolerance;
        // Where the cores overlap, a point of one inside the other may prove the depth though it is not the deepest.
        let deepest = self.gap.length >= 0.0 || self.aside <= 4.0 * SMOOTH_ACCEPT * reach + stop.tolerance;
        self.gap.lower > stop.farther_than || (narrow && deepest)
    }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// What two brackets of the same gap prove together. The direction is that of the better lower bound. Of cores apart
    /// the witness is that of the better upper bound; of cores that overlap it belongs to the direction, and where two
    /// directions are as good, to the one whose points lie right behind each other.
    fn joined(&self, first: SignedGap, second: SignedGap) -> SignedGap {
        let level = (first.gap.lower - second.gap.lower).abs() <= SMOOTH_POINT * self.reach;
        let by_points = level && first.gap.upper.min(second.gap.upper) < 0.0;
        let swap = if by_points { second.aside < first.aside } else { second.gap.lower > first.gap.lower };
        let (better, other) = if swap { (second, first) } else { (first, second) };
        let overlapping = better.gap.lower < 0.0 && better.gap.length < 0.0;
        let witness = if !overlapping && other.gap.upper < better.gap.upper { other } else { better };
        // A depth needs no points; an upper bound above zero is that of its own points.
        let upper = if other.gap.upper < 0.0 { other.gap.upper.min(better.gap.upper) } else { witness.gap.upper };
        let Apart { lower, direction, .. } = better.gap;
        let length = witness.gap.length.max(lower).min(upper);
        SignedGap { gap: Apart { lower, upper, direction, length, ..witness.gap }, ..witness }
    }

    fn keep(&self, best: Option<SignedGap>, last: SignedGap) -> SignedGap {
        best.map_or(last, |best| self.joined(best, last))
    }
}

/// The bracket for cores that overlap, from a simplex around the origin: an expanding polytope finds the way out nearly,
/// and is made finer until the polished bracket is narrow enough.
#[cold]
fn overlapping(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &mut Simplex,
    best: Option<SignedGap>,
    polytope: &mut Polytope,
) -> SignedGap {
    let unlimited = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };
    let start = *simplex;
    let mut best = best;
    for tolerance in SMOOTH_EXPANSION {
        let wanted = Wanted { enough: f64::INFINITY, tolerance: tolerance * pair.reach };
        let depth = epa::depth(plain(), pair, &start, wanted, polytope);
        *simplex = depth.simplex;
        // The corners of the polytope are support points, which are off by rounding.
        let upper = depth.gap.upper + SMOOTH_POINT * pair.reach;
        let expanded = pair.judged(Apart { upper, ..depth.gap }, simplex);
        let tilt = (2.0 * tolerance.sqrt()).clamp(1e-3, 0.3);
        let polished = polish(pair, simplex, depth.gap.direction, tilt);
        let both = pair.keep(best, pair.joined(polished, expanded));
        best = Some(both);
        if both.is_accepted(pair.reach, unlimited) {
            break;
        }
    }
    best.unwrap_or_else(|| certify(pair, simplex, DVec3::X))
}

/// The bracket of a simplex as it is, across a unit direction.
fn certify(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3) -> SignedGap {
    let (point_a, point_b) = witness(pair, simplex);
    let length = (pair.placement.place(point_b) - point_a).length();
    let upper = length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach;
    let lower = pair.proved_gap(direction);
    pair.judged(Apart { lower, upper, length, direction, point_a, point_b }, simplex)
}

/// Settles the pieces that the simplex and the direction point to, and takes the best bracket of all combinations that
/// come into question.
fn polish(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3, tilt: f64) -> SignedGap {
    let mut best = certify(pair, simplex, direction);
    let (point_a, point_b) = (best.gap.point_a, best.gap.point_b);
    let outward_b = pair.placement.turn_back(-direction);
    let pieces_a = pair.a.pieces(&simplex.a[..simplex.count], &simplex.weight, direction, tilt);
    let pieces_b = pair.b.pieces(&simplex.b[..simplex.count], &simplex.weight, outward_b, tilt);
    for candidate_a in pieces_a.into_iter().flatten() {
        for candidate_b in pieces_b.into_iter().flatten() {
            let mut a = Spot::near(candidate_a.piece, point_a, direction);
            let mut b = Spot::near(candidate_b.piece, point_b, outward_b);
            let map = pair.placement;
            let normal = settle(&mut a, &mut b, direction, pair.reach, |p| map.place(p), |v| map.turn(v));
            let settled = judge(pair, (&a, candidate_a.members), (&b, candidate_b.members), normal);
            best = pair.joined(best, settled);
            if best.is_accepted(pair.reach, Stop { farther_than: f64::INFINITY, tolerance: 0.0 }) {
                return best;
            }
        }
    }
    best
}

/// The bracket that two settled spots prove.
fn judge(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    (a, members_a): (&Spot, Members),
    (b, members_b): (&Spot, Members),
    direction: DVec3,
) -> SignedGap {
    let map = pair.placement;
    let (point_a, point_b) = (a.point(), b.point());
    let w = map.place(point_b) - point_a;
    let length = w.length();
    // A normal of B's frame becomes that of a plane by the inverse transpose, here to first order of the defect.
    let plane_of_b = |normal: DVec3| map.turn(normal * 2.0 - map.turn_back(map.turn(normal)));
    let sided = |n: DVec3| if n.dot(direction) < 0.0 { -n } else { n };
    let outward_b = map.turn_back(-direction);
    let across = match (a.tangent(), b.tangent()) {
        (Some(s), Some(t)) => s.cross(map.turn(t)).try_normalize().map(sided),
        _ => None,
    };
    let candidates = [
        Some(direction),
        a.normal(direction),
        b.normal(outward_b).map(|n| -plane_of_b(n)),
        across,
        w.try_normalize().map(sided),
    ];
    let mut lower = f64::NEG_INFINITY;
    let mut normal = direction;
    for candidate in candidates.into_iter().flatten().filter_map(DVec3::try_normalize) {
        let proved = pair.proved_gap(candidate);
        if proved > lower {
            (lower, normal) = (proved, candidate);
        }
    }
    let mut upper = length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach;
    let mut value = length;
    if lower < 0.0 {
        value = normal.dot(w);
        // A point that is not inside proves nothing.
        let depth = pair.depth_of_points(a, b, normal);
        upper = if depth > 0.0 { -depth } else { upper };
    }
    let gap = Apart { lower, upper, length: value.max(lower).min(upper), direction: normal, point_a, point_b };
    SignedGap {
        gap,
        feature_a: pair.a.feature(a),
        feature_b: pair.b.feature(b),
        members_a: a.corner_members().unwrap_or(members_a),
        members_b: b.corner_members().unwrap_or(members_b),
        aside: (w - normal * lower).length(),
    }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// The proved gap along a unit direction.
    fn proved_gap(&self, direction: DVec3) -> f64 {
        let found = self.support(plain(), direction, None);
        self.lower_bound(plain(), direction, 1.0, found, self.difference(found.0, found.1))
    }

    /// At least how deep one of the spots lies in the other core; zero or less where nothing is proved.
    fn depth_of_points(&self, a: &Spot, b: &Spot, normal: DVec3) -> f64 {
        let map = self.placement;
        let noise = (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        let in_a = self.a.core.depth_of(map.place(b.point()), a, normal) - noise;
        // A point of A in the frame of B: nearly, and what is left is measured.
        let back = map.turn_back(a.point() - map.translation);
        let off = map.place(back).distance(a.point());
        // How much shorter lengths can become on the way to the frame of A.
        let (x, y, z) =
            (map.turn_back(map.turn(DVec3::X)), map.turn_back(map.turn(DVec3::Y)), map.turn_back(map.turn(DVec3::Z)));
        let defect =
            ((x - DVec3::X).length_squared() + (y - DVec3::Y).length_squared() + (z - DVec3::Z).length_squared())
                .sqrt();
        let in_b = self.b.core.depth_of(back, b, map.turn_back(-normal));
        let in_b = if in_b > 0.0 { in_b * (1.0 - defect - 32.0 * UNIT_ROUNDOFF) - off - noise } else { in_b };
        in_a.max(in_b)
    }

    /// A bracket with the features that its witness points lie on.
    fn judged(&self, gap: Apart, simplex: &Simplex) -> SignedGap {
        let named = |core: &Sampled<'_>, point: DVec3, outward: DVec3| match core.core {
            AnyCore::Smooth(smooth) => Some(smooth.feature_at(point, outward)),
            _ => None,
        };
        let between = self.placement.place(gap.point_b) - gap.point_a;
        SignedGap {
            gap,
            members_a: members(&simplex.a, simplex.count),
            members_b: members(&simplex.b, simplex.count),
            aside: (between - gap.direction * gap.lower).length(),
            feature_a: named(&self.a, gap.point_a, gap.direction),
            feature_b: named(&self.b, gap.point_b, self.placement.turn_back(-gap.direction)),
        }
    }
}

impl Sampled<'_> {
    /// The pieces that come into question, the likeliest first. Of a polytope: what the members of the simplex span, and
    /// what is left when the members that count least are dropped.
    fn pieces(&self, ids: &[u32], weights: &[f64], outward: DVec3, tilt: f64) -> [Option<Candidate>; 3] {
        if let AnyCore::Smooth(smooth) = self.core {
            return smooth.pieces(outward, tilt).map(|piece| piece.map(|piece| Candidate { piece, members: [0; 4] }));
        }
        // The different vertices, the heaviest first.
        let mut distinct = [(0, f64::NEG_INFINITY); 4];
        let mut count = 0;
        for (&id, &weight) in ids.iter().zip(weights) {
            match distinct[..count].iter_mut().find(|entry| entry.0 == id) {
                Some(entry) => entry.1 += weight,
                None => {
                    distinct[count] = (id, weight);
                    count += 1;
                }
            }
        }
        distinct[..count].sort_by(|p, q| q.1.total_cmp(&p.1));
        let vertex = |k: usize| self.vertex(distinct[k].0);
        if let AnyCore::Box(half) = self.core {
            let mut varying = distinct[..count].iter().fold(0, |bits, entry| bits | (entry.0 ^ distinct[0].0));
            if varying == 7 {
                // The face that is seen best.
                varying &= !(1 << outward.abs().max_position());
            }
            let axes = |bits: u32| (0..3usize).filter(move |axis| bits & 1 << axis != 0);
            // Which corners these are follows from where the spot comes to lie.
            let with_first = |piece: Piece| Some(Candidate { piece, members: [distinct[0].0; 4] });
            let part = |free: [usize; 2], count: usize| with_first(Piece::BoxPart { half, free, count });
            let mut free = axes(varying);
            return match (free.next(), free.next()) {
                (Some(p), Some(q)) => [part([p, q], 2), part([p, p], 1), part([q, q], 1)],
                (Some(p), None) => [part([p, p], 1), with_first(Piece::Point(vertex(0))), None],
                _ => [with_first(Piece::Point(vertex(0))), None, None],
            };
        }
        let heaviest = distinct.map(|entry| entry.0);
        let spanned = |piece: Piece, count: usize| Some(Candidate { piece, members: members(&heaviest, count) });
        let point = spanned(Piece::Point(vertex(0)), 1);
        let edge = || spanned(Piece::Edge { from: vertex(0), along: vertex(1) - vertex(0) }, 2);
        match count {
            0 | 1 => [point, None, None],
            2 => [edge(), point, None],
            _ => {
                let (corner, first, second) = (vertex(0), vertex(1) - vertex(0), vertex(2) - vertex(0));
                [spanned(Piece::Triangle { corner, first, second }, 3), edge(), point]
            }
        }
    }

    /// The feature of a spot, for curved cores.
    fn feature(&self, spot: &Spot) -> Option<Feature> {
        match self.core {
            AnyCore::Smooth(smooth) => Some(smooth.feature(spot)),
            _ => None,
        }
    }
}

impl AnyCore<'_> {
    /// At least how deep a point lies in the core, in its frame; see [`Smooth::depth_of`].
    fn depth_of(&self, point: DVec3, surface: &Spot, outward: DVec3) -> f64 {
        match self {
            AnyCore::Smooth(smooth) => smooth.depth_of(point, surface, outward),
            AnyCore::Box(half) => {
                (*half - point.abs()).min_element() - 2.0 * UNIT_ROUNDOFF * (half.max_element() + point.length())
            }
            AnyCore::Hull(hull) => depth_in_hull(hull, point),
            AnyCore::Point | AnyCore::Rod(_) | AnyCore::Points(_) => f64::NEG_INFINITY,
        }
    }
}

/// At least how deep a point lies in a polytope: below the planes of all its triangles.
fn depth_in_hull(hull: &Hull, point: DVec3) -> f64 {
    if hull.mesh.dimension < 3 {
        return f64::NEG_INFINITY;
    }
    let mut least = f64::INFINITY;
    for triangle in &hull.mesh.triangles {
        let [p, q, r] = triangle.map(|i| hull.vertices[i as usize]);
        let (e, f, d) = (q - p, r - p, p - point);
        let n = e.cross(f);
        let length = n.length();
        // Differences are off by `u` of each component, the cross product by `3.5u`, the dot product by `3u`, the length
        // by `3u`, relative to the product of the lengths.
        let doubt = 16.0 * UNIT_ROUNDOFF * e.length() * f.length() * (p.length() + point.length());
        least = if length > 0.0 { least.min((n.dot(d) - doubt) / length) } else { f64::NEG_INFINITY };
    }
    least
}
