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
use super::pieces::{Candidate, Members, members};
use super::point_curved::Facing;
use super::simplex::{Nearest, Simplex};
use super::stationary::{Outcome, stationary};
use crate::math::placement::Placement;
use crate::math::simd::plain;
use crate::math::tolerances::{
    DEPTH_ACCURACY, EPA_STEPS, LOWER_BOUND, SMOOTH_ACCEPT, SMOOTH_EXPANSION, SMOOTH_ITERATIONS, SMOOTH_POINT,
    UNIT_ROUNDOFF, UPPER_BOUND,
};
use crate::shape::{Feature, Hull};

/// Room for the support points of a query: two for each step of the longest expansion.
const SAMPLES: usize = 2 * EPA_STEPS;

/// A core whose support points are numbered in the order in which they were asked for.
#[derive(Clone, Copy)]
pub(crate) struct Sampled<'a> {
    pub(super) core: AnyCore<'a>,
    extent: f64,
    points: &'a RefCell<Vec<DVec3>>,
}

impl<'a> Sampled<'a> {
    /// `points` is scratch, and is cleared; `extent` bounds the core's distance from its local origin.
    pub fn new(core: AnyCore<'a>, extent: f64, points: &'a RefCell<Vec<DVec3>>) -> Sampled<'a> {
        let mut scratch = points.borrow_mut();
        scratch.clear();
        scratch.reserve(SAMPLES);
        drop(scratch);
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

    #[inline(always)]
    fn support<S: Simd>(&self, _simd: S, direction: DVec3) -> u32 {
        self.find(direction)
    }

    #[inline(always)]
    fn slack(&self) -> f64 {
        match self.core {
            AnyCore::Smooth(Smooth::Custom(custom)) => custom.slack() + SMOOTH_POINT * self.extent,
            AnyCore::Smooth(_) => SMOOTH_POINT * self.extent,
            _ => 0.0,
        }
    }
}

/// Curved bodies leave little to vectorise: this is compiled once, not into every place that calls it.
impl Sampled<'_> {
    #[inline(never)]
    fn find(&self, direction: DVec3) -> u32 {
        match self.core {
            AnyCore::Smooth(smooth) => {
                let mut points = self.points.borrow_mut();
                points.push(smooth.farthest(direction));
                points.len() as u32 - 1
            }
            core => core.support(plain(), direction),
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

    /// At least how deep a point lies in the core; negative or zero outside. `surface` is a surface point near it.
    fn depth_of(&self, point: DVec3, surface: &Spot) -> f64 {
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
                // Away from the middle, whatever the direction it is seen along.
                let Some(normal) = surface.normal(surface.point()) else { return f64::NEG_INFINITY };
                let center = surface.point() - normal * room;
                (room - point.distance(center), most)
            }
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => return f64::NEG_INFINITY,
        };
        depth - 16.0 * UNIT_ROUNDOFF * (size + point.length())
    }
}

/// A proved bracket of the signed gap of two placed cores, with its witness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedGap {
    /// The gap, its bracket and its witness; the numbers are negative where the cores overlap.
    pub gap: Apart,
    /// The features of curved cores whose pieces are known; those of polytopes follow from the members.
    feature_a: Option<Feature>,
    feature_b: Option<Feature>,
    /// The vertices that span the pieces of polytopes that the points lie on.
    pub members_a: Members,
    pub members_b: Members,
    /// Where the cores are seen to overlap: two points of them, one next to the other, relative to the local origins.
    pub(super) common: Option<(DVec3, DVec3)>,
    /// How far the vector between the witness points is from the gap along the direction.
    aside: f64,
    /// The witness points lie on pieces of the surfaces, not on a simplex of support points.
    settled: bool,
}

/// As narrow as it gets.
const UNLIMITED: Stop = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };

/// The signed gap of two placed cores. `hint` is a direction from A to B to start with. Cores proved to be no farther apart
/// than `meets_within`, and where that is zero or more cores that overlap, are not looked at further.
pub(crate) fn signed_gap(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    hint: Option<DVec3>,
    stop: Stop,
    meets_within: f64,
    polytope: &mut Polytope,
) -> SignedGap {
    let found = approached(pair, hint, stop, meets_within, polytope);
    let found = if found.gap.upper >= 0.0 && pair.is_custom() && meets_within < 0.0 {
        flattened(pair, found, stop)
    } else {
        found
    };
    let complete = meets_within < 0.0 && stop.tolerance <= 0.0 && found.gap.lower <= stop.farther_than;
    // Between cores apart a step aside costs only its square.
    let off = if found.gap.lower > 0.0 { found.width() } else { found.aside } > SMOOTH_ACCEPT * pair.reach;
    if complete && off && pair.is_custom() { aimed(pair, found) } else { found }
}

fn approached(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    hint: Option<DVec3>,
    stop: Stop,
    meets_within: f64,
    polytope: &mut Polytope,
) -> SignedGap {
    if let Some(found) = by_formula(pair)
        && found.is_accepted(pair.reach, stop)
    {
        return found;
    }
    let simplex = &mut Simplex::default();
    let start = hint.unwrap_or(pair.placement.translation);
    let mut direction = start.try_normalize().unwrap_or(DVec3::X);
    let found = pair.support(plain(), direction);
    let w = pair.difference(found.0, found.1);
    simplex.push(found.0, found.1, w);
    let noise = LOWER_BOUND * pair.reach;
    // Where there are radii, the points must lie along the direction.
    if meets_within == 0.0 && direction.dot(w) > stop.farther_than + 2.0 * noise {
        simplex.weight[0] = 1.0;
        return pair.stopped(simplex, direction, pair.lower_bound(direction, 1.0, w));
    }
    let mut best: Option<SignedGap> = None;
    let mut tolerance = 1e-3 * pair.reach;
    let mut last = f64::INFINITY;
    for _ in 0..SMOOTH_ITERATIONS {
        let v = match simplex.reduce() {
            Nearest::At(v) => v,
            Nearest::Inside
                if meets_within >= 0.0
                    && is_surely_inside(simplex, pair.reach)
                    && simplex.weigh_origin() <= SMOOTH_ACCEPT * pair.reach =>
            {
                return pair.meeting(simplex, direction);
            }
            Nearest::Inside if is_surely_inside(simplex, pair.reach) => {
                return overlapping(pair, simplex, best, meets_within >= 0.0, polytope);
            }
            Nearest::Inside => {
                // Next to contact rounding may have put the origin there.
                let polished = polish(pair, simplex, direction, 0.1);
                if polished.is_accepted(pair.reach, stop) {
                    return polished;
                }
                return overlapping(pair, simplex, Some(pair.keep(best, polished)), meets_within >= 0.0, polytope);
            }
        };
        let squared = v.dot(v);
        let length = squared.sqrt();
        if length <= noise {
            break;
        }
        direction = v * (1.0 / length);
        if length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach < meets_within {
            return pair.meeting(simplex, direction);
        }
        let found = pair.support(plain(), v);
        let w = pair.difference(found.0, found.1);
        let gap = v.dot(w) / length;
        let width = length - gap;
        if gap > stop.farther_than + 2.0 * noise {
            let stopped = pair.stopped(simplex, direction, pair.lower_bound(v, length, w));
            return pair.keep(best, stopped);
        }
        let few = if simplex.count == 1 { TRY_FIRST } else { TRY };
        if width <= few * pair.reach
            && let Some(found) = attempt(pair, simplex, direction, true)
            && found.is_accepted(pair.reach, stop)
        {
            return found;
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
    let is_good = |found: &SignedGap| found.is_accepted(pair.reach, stop) && (found.settled || stop.tolerance > 0.0);
    if let Some(best) = best.filter(is_good) {
        return best;
    }
    let found = pair.keep(best, polish(pair, simplex, direction, 0.1));
    let found = if is_good(&found) { found } else { polish_all(pair, found) };
    let found = if found.gap.lower > 0.0 && pair.is_custom() { climb(pair, simplex, found, stop) } else { found };
    let found = if found.settled { found } else { pair.on_surfaces(found, simplex) };
    // The origin may lie on a simplex that is flat.
    let open = found.gap.lower <= 0.0 && !found.is_accepted(pair.reach, stop);
    if open { overlapping(pair, simplex, Some(found), meets_within >= 0.0, polytope) } else { found }
}

/// How often the direction of cores apart is turned towards the way between their points.
const TURNS: usize = 160;

/// How often a turn is halved before it is given up.
const HALVINGS: usize = 12;

/// A bracket of cores apart that is wider than it should be, made narrower by its direction alone. Support points come ever closer
/// to each other on a curved body, until rounding hides on which side of their sliver the next one lies, and the walk
/// ends. The gap that supporting planes prove is a concave function of the direction near its largest value; it rises towards the
/// way from the farthest point of the one core to the nearest of what the simplex holds of the other.
#[cold]
fn climb(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, start: SignedGap, stop: Stop) -> SignedGap {
    let mut best = start;
    let mut direction = start.gap.direction;
    let mut turn = 1.0;
    for _ in 0..TURNS {
        let (last_a, last_b) = pair.support(plain(), direction);
        let w = pair.difference(last_a, last_b);
        let proved = pair.lower_bound(direction, 1.0, w);
        // The members of polytopes stay, those of curved cores are the farthest points.
        let mut renewed = Simplex::default();
        renewed.push(last_a, last_b, w);
        for k in 0..simplex.count {
            let a = if pair.a.core.is_smooth() { last_a } else { simplex.a[k] };
            let b = if pair.b.core.is_smooth() { last_b } else { simplex.b[k] };
            let known = (0..renewed.count).any(|m| (renewed.a[m], renewed.b[m]) == (a, b));
            if !known && renewed.count < 4 {
                renewed.push(a, b, pair.difference(a, b));
            }
        }
        let Nearest::At(v) = renewed.reduce() else { break };
        best = pair.joined(best, pair.stopped(&renewed, direction, proved));
        if best.is_accepted(pair.reach, stop) {
            break;
        }
        let Some(way) = v.try_normalize() else { break };
        let mut turned = None;
        for _ in 0..HALVINGS {
            let candidate = (direction + (way - direction) * turn).normalize_or(direction);
            if pair.proved_gap(candidate) > proved {
                turned = Some(candidate);
                break;
            }
            turn *= 0.5;
        }
        let Some(candidate) = turned else { break };
        direction = candidate;
        turn = f64::min(1.25 * turn, 1.0);
    }
    best
}

/// How far directions are tilted to find the corners of a flat face across them.
const TILTS: [f64; 2] = [1e-2, 1e-5];

/// A bracket of cores that touch or nearly touch, made narrower by the planes of faces. Where flat faces lie next to each
/// other, the way between two points is so short that it has no good direction. A face across it has one: the normal of three of
/// its corners, which are farthest along directions tilted to three sides.
#[cold]
fn flattened(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, found: SignedGap, stop: Stop) -> SignedGap {
    if found.is_accepted(pair.reach, stop) {
        return found;
    }
    let start = found.gap.direction;
    let (p, q) = start.any_orthonormal_pair();
    let mut best = found;
    for tilt in TILTS {
        let corner = |x: f64, y: f64| {
            let (a, b) = pair.support(plain(), start + (p * x + q * y) * tilt);
            pair.difference(a, b)
        };
        let [u, v, w] = [corner(1.0, 0.0), corner(-0.5, 0.75), corner(-0.5, -0.75)];
        let Some(normal) = (v - u).cross(w - u).try_normalize() else { continue };
        let direction = sided(normal, start);
        let lower = pair.proved_gap(direction);
        if lower > best.gap.lower {
            let between = pair.placement.place(best.gap.point_b) - best.gap.point_a;
            let aside = (between - direction * lower).length();
            best = SignedGap { gap: Apart { lower, direction, ..best.gap }, aside, ..best };
        }
    }
    let upper = best.gap.upper.max(best.gap.lower);
    let length = best.gap.length.max(best.gap.lower).min(upper);
    SignedGap { gap: Apart { upper, length, ..best.gap }, ..best }
}

/// The same bracket with points of the cores that lie right behind each other along its direction, if there are any that do so
/// better. The difference of the two points sought is known, the direction times the gap: a walk as for a distance, through
/// the differences of support points, but towards that place and not towards the origin.
#[cold]
fn aimed(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, found: SignedGap) -> SignedGap {
    let target = found.gap.direction * found.gap.lower;
    let mut simplex = Simplex::default();
    let (mut toward, mut last) = (found.gap.direction, f64::INFINITY);
    let mut best = found;
    let mut shortest = (pair.placement.place(found.gap.point_b) - found.gap.point_a).length();
    for _ in 0..TURNS {
        let (a, b) = pair.support(plain(), toward);
        let w = pair.difference(a, b) - target;
        let known = (0..simplex.count).any(|k| simplex.w[k] == w);
        if known || simplex.count == 4 {
            break;
        }
        simplex.push(a, b, w);
        let v = match simplex.reduce() {
            Nearest::At(v) => v,
            Nearest::Inside => {
                simplex.weigh_origin();
                DVec3::ZERO
            }
        };
        let squared = v.length_squared();
        if squared >= last {
            break;
        }
        (toward, last) = (v, squared);
        let (point_a, point_b) = witness(pair, &simplex);
        let between = pair.placement.place(point_b) - point_a;
        let length = between.length();
        let named = pair.judged(Apart { point_a, point_b, ..found.gap }, &simplex);
        let Apart { lower, upper, .. } = found.gap;
        let apart = lower > 0.0;
        if if apart { length < shortest } else { named.aside < best.aside } {
            shortest = length;
            // Of cores apart the points are the proof.
            let proved =
                if upper >= 0.0 { upper.min(length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach) } else { upper };
            let length = if upper >= 0.0 { length.max(lower).min(proved) } else { found.gap.length };
            best = SignedGap { gap: Apart { upper: proved, length, ..named.gap }, common: found.common, ..named };
        }
        if squared == 0.0 || named.aside <= LOWER_BOUND * pair.reach {
            break;
        }
    }
    best
}

/// How wide the bracket of the walk may be, relative to the reach, for the pieces to be tried that its simplex points to.
const TRY: f64 = 0.02;

/// The same for a simplex of one member, which says little about the pieces.
const TRY_FIRST: f64 = 0.01;

/// How often a piece is given up for its border.
const BORDERS: usize = 4;

/// The bracket of the pieces that the simplex points to, if it is easily found; see [`stationary`](super::stationary).
/// `apart` says that the cores are known not to overlap.
fn attempt(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &Simplex,
    direction: DVec3,
    apart: bool,
) -> Option<SignedGap> {
    let map = pair.placement;
    let (mut at_a, mut at_b) = witness(pair, simplex);
    let mut candidate_a = pair.a.likely(&simplex.a[..simplex.count], &simplex.weight, at_a)?;
    let mut candidate_b = pair.b.likely(&simplex.b[..simplex.count], &simplex.weight, at_b)?;
    for _ in 0..=BORDERS {
        match stationary((&candidate_a.piece, at_a), (&candidate_b.piece, at_b), direction, map, apart) {
            Outcome::Found(found) => {
                let outward_b = map.turn_back(-found.normal);
                let a = Spot::near(candidate_a.piece, found.point_a, found.normal);
                let b = Spot::near(candidate_b.piece, found.point_b, outward_b);
                let noise = SMOOTH_ACCEPT * pair.reach;
                // Beyond the ends of a piece the points do not lie right behind each other.
                let w = map.place(b.point()) - a.point();
                if (w - found.normal * w.dot(found.normal)).length_squared() <= noise * noise {
                    return Some(judge(pair, (&a, candidate_a.members), (&b, candidate_b.members), found.normal));
                }
                let (off_a, off_b) = (a.off(found.point_a), b.off(found.point_b));
                if off_a > off_b {
                    candidate_a = candidate_a.border(found.point_a, found.normal)?;
                    at_a = a.point();
                } else {
                    candidate_b = candidate_b.border(found.point_b, outward_b)?;
                    at_b = b.point();
                }
            }
            Outcome::Parallel { off_a, off_b } if off_a > off_b => {
                candidate_a = candidate_a.border(at_a, direction)?;
                at_a = Spot::near(candidate_a.piece, at_a, direction).point();
            }
            Outcome::Parallel { .. } => {
                let outward = map.turn_back(-direction);
                candidate_b = candidate_b.border(at_b, outward)?;
                at_b = Spot::near(candidate_b.piece, at_b, outward).point();
            }
            Outcome::Lost => return None,
        }
    }
    None
}

/// The bracket of a point and a curved core that a formula knows the nearest piece of.
fn by_formula(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>) -> Option<SignedGap> {
    let Facing { piece, point, outward, .. } = pair.facing()?;
    let direction = -pair.placement.turn(outward).try_normalize()?;
    let (a, b) = (Spot::near(Piece::Point(DVec3::ZERO), DVec3::ZERO, direction), Spot::near(piece, point, outward));
    Some(judge(pair, (&a, [0; 4]), (&b, [0; 4]), direction))
}

/// True when the origin lies in a tetrahedron of support points, each off by `12u` of the reach: each side of it is farther
/// away than that. The volumes themselves are off by `tolerances::DETERMINANT`, as much again.
fn is_surely_inside(simplex: &Simplex, reach: f64) -> bool {
    let [a, b, c, d] = simplex.w;
    let sides = [(a, b, c), (a, c, d), (a, d, b), (b, d, c)];
    let inside = |(p, q, r): (DVec3, DVec3, DVec3)| {
        let n = (q - p).cross(r - p);
        n.dot(p) / n.length()
    };
    let heights = sides.map(inside);
    let noise = 64.0 * UNIT_ROUNDOFF * reach;
    heights.iter().all(|height| *height > noise) || heights.iter().all(|height| *height < -noise)
}

impl SignedGap {
    /// The features of curved cores that the witness points lie on; `None` for those of polytopes.
    pub fn features(&self, a: &AnyCore<'_>, b: &AnyCore<'_>, map: &Placement) -> (Option<Feature>, Option<Feature>) {
        let at = |core: &AnyCore<'_>, point: DVec3, outward: DVec3| match core {
            AnyCore::Smooth(smooth) => Some(smooth.feature_at(point, outward)),
            _ => None,
        };
        let Apart { point_a, point_b, direction, .. } = self.gap;
        let feature_a = self.feature_a.or_else(|| at(a, point_a, direction));
        (feature_a, self.feature_b.or_else(|| at(b, point_b, map.turn_back(-direction))))
    }

    fn width(&self) -> f64 {
        self.gap.upper - self.gap.lower
    }

    /// True when the bracket up to `upper` is as narrow as promised, and the points lie right behind each other.
    fn fits(&self, upper: f64, reach: f64) -> bool {
        let (width, asked) = (upper - self.gap.lower, if upper < 0.0 { DEPTH_ACCURACY } else { SMOOTH_ACCEPT });
        width <= asked * reach && self.aside <= width + SMOOTH_ACCEPT * reach
    }

    /// True when the points lie right behind each other along the direction, rounding apart.
    fn is_behind(&self, reach: f64) -> bool {
        self.aside <= 4.0 * SMOOTH_ACCEPT * reach
    }

    fn is_accepted(&self, reach: f64, stop: Stop) -> bool {
        let narrow = self.width() <= SMOOTH_ACCEPT * reach + stop.tolerance;
        // Where the cores overlap, a point of one inside the other may prove the depth though it is not the deepest; and
        // the points of surfaces about the cores are found along the direction.
        let behind = self.aside <= 4.0 * SMOOTH_ACCEPT * reach + stop.tolerance;
        self.gap.lower > stop.farther_than || (narrow && behind)
    }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// True for a body of a user's making, of which no piece is known that would end the approach.
    fn is_custom(&self) -> bool {
        let custom = |core: &Sampled<'_>| matches!(core.core, AnyCore::Smooth(Smooth::Custom(_)));
        custom(&self.a) || custom(&self.b)
    }

    /// What two brackets of the same gap prove together. One that is narrow by itself, with points right behind each other
    /// along its direction, is kept as it is. Else the direction is that of the better lower bound; the witness of cores
    /// apart is that of the better upper bound, of cores that overlap it belongs to the direction.
    fn joined(&self, first: SignedGap, second: SignedGap) -> SignedGap {
        let least = first.gap.upper.min(second.gap.upper);
        // A depth needs no points: what one bracket proves of it serves the other.
        let fits = |found: &SignedGap| found.fits(if least < 0.0 { least } else { found.gap.upper }, self.reach);
        let level = (first.gap.lower - second.gap.lower).abs() <= SMOOTH_POINT * self.reach;
        let swap = match (fits(&first), fits(&second)) {
            (true, true) if level && first.settled != second.settled => second.settled,
            // As good by its direction: the one whose points lie right behind each other.
            (one, other) if one == other && level => second.aside < first.aside,
            (true, false) => false,
            (false, true) => true,
            _ => second.gap.lower > first.gap.lower,
        };
        let (better, other) = if swap { (second, first) } else { (first, second) };
        let overlapping = least < 0.0 || (better.gap.lower < 0.0 && better.gap.length < 0.0);
        let mixed = !overlapping && !fits(&better) && other.gap.upper < better.gap.upper;
        let witness = if mixed { other } else { better };
        let upper = if least < 0.0 { least } else { witness.gap.upper };
        let Apart { lower, direction, .. } = better.gap;
        // Of cores that overlap the way out along the direction is attained; a distance of two points is none.
        let apart = witness.gap.length > upper && overlapping;
        let length = if apart { lower } else { witness.gap.length.max(lower).min(upper) };
        let common = better.common.or(other.common);
        let between = self.placement.place(witness.gap.point_b) - witness.gap.point_a;
        let aside = if mixed { (between - direction * lower).length() } else { witness.aside };
        SignedGap { gap: Apart { lower, upper, direction, length, ..witness.gap }, common, aside, ..witness }
    }

    /// What is known of cores that come together at the points of a simplex; not how deep they overlap.
    fn meeting(&self, simplex: &Simplex, direction: DVec3) -> SignedGap {
        let (point_a, point_b) = witness(self, simplex);
        let length = (self.placement.place(point_b) - point_a).length();
        let upper = length + (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        let inside = simplex.count == 4;
        let length = if inside { 0.0 } else { length };
        SignedGap {
            gap: Apart { lower: -self.reach, upper, direction, length, point_a, point_b },
            feature_a: None,
            feature_b: None,
            members_a: members(&simplex.a, simplex.count),
            members_b: members(&simplex.b, simplex.count),
            common: inside.then_some((point_a, point_b)),
            aside: f64::INFINITY,
            settled: false,
        }
    }

    fn keep(&self, best: Option<SignedGap>, last: SignedGap) -> SignedGap {
        best.map_or(last, |best| self.joined(best, last))
    }
}

/// The bracket for cores that overlap, from a simplex around the origin: an expanding polytope finds the way out nearly,
/// and is made finer until the polished bracket is narrow enough. `wants_point` asks for a point that they share.
#[cold]
fn overlapping(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    simplex: &mut Simplex,
    best: Option<SignedGap>,
    wants_point: bool,
    polytope: &mut Polytope,
) -> SignedGap {
    let start = *simplex;
    let mut best = best;
    for (stage, tolerance) in SMOOTH_EXPANSION.into_iter().enumerate() {
        // Of slender bodies the depth is far below the reach.
        let depth = best.map_or(pair.reach, |best| -best.gap.lower).clamp(0.0, pair.reach);
        let least = SMOOTH_EXPANSION[SMOOTH_EXPANSION.len() - 1] * pair.reach;
        let wanted = Wanted { enough: f64::INFINITY, tolerance: (tolerance * depth).max(least) };
        let depth = if stage == 0 {
            epa::depth(plain(), pair, &start, wanted, polytope)
        } else {
            epa::finer_depth(plain(), pair, &start, wanted, polytope)
        };
        *simplex = depth.simplex;
        // The corners of the polytope are support points, which are off by rounding.
        let upper = depth.gap.upper + SMOOTH_POINT * pair.reach;
        let mut expanded = pair.judged(Apart { upper, ..depth.gap }, simplex);
        if wants_point && upper < 0.0 && best.is_none_or(|best| best.common.is_none()) {
            expanded.common = polytope.about_origin().map(|about| witness(pair, &about));
        }
        // A stationary pair of points that the polytope has not bettered needs no second look.
        let noise = SMOOTH_ACCEPT * pair.reach;
        let stationary = best.filter(|best| best.settled && best.is_behind(pair.reach));
        let mut both = match stationary {
            Some(best) if expanded.gap.lower <= best.gap.lower + noise => pair.joined(best, expanded),
            _ => {
                let polished = attempt(pair, simplex, depth.gap.direction, false)
                    .filter(|found| found.is_behind(pair.reach) && found.gap.lower >= expanded.gap.lower - noise)
                    .unwrap_or_else(|| {
                        let tilt = (2.0 * tolerance.sqrt()).clamp(1e-3, 0.3);
                        polish(pair, simplex, depth.gap.direction, tilt)
                    });
                pair.keep(best, pair.joined(polished, expanded))
            }
        };
        // The reach may be twice the size that the promise is measured by.
        let narrow = |found: &SignedGap| found.width() <= 0.25 * DEPTH_ACCURACY * pair.reach;
        let done = |found: &SignedGap| narrow(found) && found.is_behind(pair.reach);
        // The polytope may have come near along chords of the wrong pieces.
        if tolerance <= 1e-6 && !done(&both) && !both.is_behind(pair.reach) {
            both = polish_all(pair, both);
        }
        best = Some(both);
        if done(&both) {
            break;
        }
    }
    let best = best.unwrap_or_else(|| certify(pair, simplex, DVec3::X));
    if best.settled { best } else { pair.on_surfaces(best, simplex) }
}

/// The bracket of a simplex as it is, across a unit direction.
fn certify(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3) -> SignedGap {
    pair.stopped(simplex, direction, pair.proved_gap(direction))
}

/// Settles the pieces that the simplex and the direction point to, and takes the best bracket of all combinations that
/// come into question.
fn polish(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, simplex: &Simplex, direction: DVec3, tilt: f64) -> SignedGap {
    let mut best = certify(pair, simplex, direction);
    let Apart { lower: start, point_a, point_b, .. } = best.gap;
    let outward_b = pair.placement.turn_back(-direction);
    let pieces_a = pair.a.pieces(&simplex.a[..simplex.count], &simplex.weight, direction, tilt);
    let pieces_b = pair.b.pieces(&simplex.b[..simplex.count], &simplex.weight, outward_b, tilt);
    for candidate_a in pieces_a.into_iter().flatten() {
        for candidate_b in pieces_b.into_iter().flatten() {
            let settled = pair.easily_settled((&candidate_a, point_a), (&candidate_b, point_b), direction);
            best = pair.joined(best, settled);
            // Cores that overlap are settled where the way out is stationary, and no longer than it was.
            let out = settled.gap.lower < 0.0 && settled.gap.lower >= start && settled.is_behind(pair.reach);
            if out || best.is_accepted(pair.reach, UNLIMITED) {
                return best;
            }
        }
    }
    best
}

/// The last resort for a bracket that is wider than it should be: every two pieces near its witness points.
#[cold]
fn polish_all(pair: &Pair<'_, Sampled<'_>, Sampled<'_>>, start: SignedGap) -> SignedGap {
    let Apart { direction, point_a, point_b, .. } = start.gap;
    let pieces_a = pair.a.all_pieces(point_a, direction);
    let pieces_b = pair.b.all_pieces(point_b, pair.placement.turn_back(-direction));
    let mut best = start;
    for (candidate_a, start_a) in pieces_a.iter() {
        for (candidate_b, start_b) in pieces_b.iter() {
            let settled = pair.settled((candidate_a, *start_a), (candidate_b, *start_b), direction);
            best = pair.joined(best, settled);
            if best.is_accepted(pair.reach, UNLIMITED) {
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
    // The best of some directions; of two as good the one along which the points lie right behind each other. Mostly that is
    // the first.
    let good = 0.25 * SMOOTH_ACCEPT * pair.reach;
    let mut best = (f64::NEG_INFINITY, f64::INFINITY, direction);
    for number in 0..5 {
        let candidate = match number {
            0 => Some(direction),
            1 => a.normal(direction),
            2 => b.normal(map.turn_back(-direction)).map(|n| -plane_of_b(map, n)),
            3 => across(a, b, map).map(|n| sided(n, direction)),
            _ => Some(sided(w, direction)),
        };
        let Some(candidate) = candidate.and_then(DVec3::try_normalize) else { continue };
        let proved = pair.proved_gap(candidate);
        let aside = (w - candidate * proved).length();
        let level = (proved - best.0).abs() <= SMOOTH_POINT * pair.reach;
        if if level { aside < best.1 } else { proved > best.0 } {
            best = (proved, aside, candidate);
        }
        if aside <= good {
            break;
        }
    }
    let (lower, aside, normal) = best;
    let mut upper = length + (UPPER_BOUND + SMOOTH_POINT) * pair.reach;
    let mut value = length;
    let mut common = None;
    if lower < 0.0 {
        value = normal.dot(w);
        // A point proves the depth or, where it is not the deepest, too little to be of use.
        let needed = (-lower - DEPTH_ACCURACY * pair.reach).max(f64::MIN_POSITIVE);
        if let Some((depth, points)) = pair.depth_of_points(a, b, needed) {
            upper = -depth;
            common = Some(points);
        }
    }
    let gap = Apart { lower, upper, length: value.max(lower).min(upper), direction: normal, point_a, point_b };
    SignedGap {
        gap,
        feature_a: pair.a.feature(a),
        feature_b: pair.b.feature(b),
        members_a: a.corner_members().unwrap_or(members_a),
        members_b: b.corner_members().unwrap_or(members_b),
        common,
        aside,
        settled: true,
    }
}

/// A normal of B's frame as that of a plane: turned by the inverse transpose, to first order of the defect.
fn plane_of_b(map: &Placement, normal: DVec3) -> DVec3 {
    map.turn(normal * 2.0 - map.turn_back(map.turn(normal)))
}

/// The direction across two pieces with one coordinate each.
fn across(a: &Spot, b: &Spot, map: &Placement) -> Option<DVec3> {
    a.tangent()?.cross(map.turn(b.tangent()?)).try_normalize()
}

fn sided(n: DVec3, direction: DVec3) -> DVec3 {
    if n.dot(direction) < 0.0 { -n } else { n }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// Settles two pieces, from points near them.
    fn settled(
        &self,
        (candidate_a, point_a): (&Candidate, DVec3),
        (candidate_b, point_b): (&Candidate, DVec3),
        direction: DVec3,
    ) -> SignedGap {
        let a = Spot::near(candidate_a.piece, point_a, direction);
        let b = Spot::near(candidate_b.piece, point_b, self.placement.turn_back(-direction));
        self.settled_from((candidate_a, a), (candidate_b, b), direction)
    }

    fn settled_from(
        &self,
        (candidate_a, mut a): (&Candidate, Spot),
        (candidate_b, mut b): (&Candidate, Spot),
        direction: DVec3,
    ) -> SignedGap {
        let map = self.placement;
        let normal = settle(&mut a, &mut b, direction, self.reach, |p| map.place(p), |v| map.turn(v));
        judge(self, (&a, candidate_a.members), (&b, candidate_b.members), normal)
    }

    /// The same, by fewer unknowns where that is possible.
    fn easily_settled(
        &self,
        (candidate_a, point_a): (&Candidate, DVec3),
        (candidate_b, point_b): (&Candidate, DVec3),
        direction: DVec3,
    ) -> SignedGap {
        let map = self.placement;
        let (spot_a, spot_b) = (
            Spot::near(candidate_a.piece, point_a, direction),
            Spot::near(candidate_b.piece, point_b, map.turn_back(-direction)),
        );
        let (piece_a, piece_b) = ((&candidate_a.piece, spot_a.point()), (&candidate_b.piece, spot_b.point()));
        let Outcome::Found(found) = stationary(piece_a, piece_b, direction, map, false) else {
            return self.settled_from((candidate_a, spot_a), (candidate_b, spot_b), direction);
        };
        let a = Spot::near(candidate_a.piece, found.point_a, found.normal);
        let b = Spot::near(candidate_b.piece, found.point_b, map.turn_back(-found.normal));
        judge(self, (&a, candidate_a.members), (&b, candidate_b.members), found.normal)
    }

    /// The bracket of a simplex as it is, with what is proved across a unit direction.
    fn stopped(&self, simplex: &Simplex, direction: DVec3, lower: f64) -> SignedGap {
        let (point_a, point_b) = witness(self, simplex);
        let length = (self.placement.place(point_b) - point_a).length();
        let upper = length + (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        self.judged(Apart { lower, upper, length, direction, point_a, point_b }, simplex)
    }

    /// The proved gap along a unit direction.
    fn proved_gap(&self, direction: DVec3) -> f64 {
        let found = self.support(plain(), direction);
        self.lower_bound(direction, 1.0, self.difference(found.0, found.1))
    }

    /// At least how deep one of the spots lies in the other core, and both copies of it, if that is at least `needed`.
    fn depth_of_points(&self, a: &Spot, b: &Spot, needed: f64) -> Option<(f64, (DVec3, DVec3))> {
        let map = self.placement;
        let noise = (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        let in_a = || {
            let forth = map.place(b.point());
            let depth = self.a.core.depth_of(forth, a, needed) - noise;
            (depth >= needed).then_some((depth, (forth, b.point())))
        };
        let in_b = || {
            // A point of A in the frame of B: nearly, and what is left is measured.
            let back = map.turn_back(a.point() - map.translation);
            let depth = self.b.core.depth_of(back, b, needed);
            if depth < needed {
                return None;
            }
            let off = map.place(back).distance(a.point());
            // How much shorter lengths can become on the way to the frame of A.
            let turned = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| map.turn_back(map.turn(axis)) - axis);
            let defect = turned.map(|v| v.length_squared()).iter().sum::<f64>().sqrt();
            let depth = depth * (1.0 - defect - 32.0 * UNIT_ROUNDOFF) - off - noise;
            (depth >= needed).then_some((depth, (a.point(), back)))
        };
        // A polytope is looked at last: it has many faces.
        if matches!(self.a.core, AnyCore::Hull(_)) { in_b().or_else(in_a) } else { in_a().or_else(in_b) }
    }

    /// A bracket whose witness lies on chords, with points of the surfaces: no farther off than the polytope was. Those nearest
    /// the chords; or where these do not lie right behind each other, about a common middle say, the farthest ones along
    /// the direction if they do so better.
    #[cold]
    fn on_surfaces(&self, found: SignedGap, simplex: &Simplex) -> SignedGap {
        let Apart { direction, lower, .. } = found.gap;
        let on_surface = |core: &Sampled<'_>, point: DVec3| match core.core {
            AnyCore::Smooth(smooth) => smooth.on_surface(point),
            _ => point,
        };
        let between = |points: (DVec3, DVec3)| self.placement.place(points.1) - points.0;
        let nearest = (on_surface(&self.a, found.gap.point_a), on_surface(&self.b, found.gap.point_b));
        let outward_b = self.placement.turn_back(-direction);
        let (last_a, last_b) = (self.a.find(direction), self.b.find(outward_b));
        let extreme = (self.a.vertex(last_a), self.b.vertex(last_b));
        let aside = |points: (DVec3, DVec3)| (between(points) - direction * lower).length();
        let is_extreme = found.gap.upper < 0.0 && aside(extreme) < aside(nearest);
        let (point_a, point_b) = if is_extreme { extreme } else { nearest };
        // Of cores apart the points are the proof.
        let length = between((point_a, point_b)).length();
        if found.gap.upper >= 0.0 && length + (UPPER_BOUND + SMOOTH_POINT) * self.reach > found.gap.upper {
            return found;
        }
        let named = self.judged(Apart { point_a, point_b, ..found.gap }, simplex);
        let SignedGap { mut members_a, mut members_b, common, .. } = found;
        if is_extreme {
            (members_a, members_b) = ([last_a; 4], [last_b; 4]);
        }
        SignedGap { members_a, members_b, common, ..named }
    }

    /// A bracket whose witness points the members of a simplex span.
    fn judged(&self, gap: Apart, simplex: &Simplex) -> SignedGap {
        let between = self.placement.place(gap.point_b) - gap.point_a;
        SignedGap {
            gap,
            members_a: members(&simplex.a, simplex.count),
            members_b: members(&simplex.b, simplex.count),
            common: None,
            settled: false,
            aside: (between - gap.direction * gap.lower).length(),
            feature_a: None,
            feature_b: None,
        }
    }
}

impl AnyCore<'_> {
    /// At least how deep a point lies in the core, in its frame; see [`Smooth::depth_of`]. No number of use if it is less than
    /// `needed`.
    fn depth_of(&self, point: DVec3, surface: &Spot, needed: f64) -> f64 {
        match self {
            AnyCore::Smooth(smooth) => smooth.depth_of(point, surface),
            AnyCore::Box(half) => {
                (*half - point.abs()).min_element() - 2.0 * UNIT_ROUNDOFF * (half.max_element() + point.length())
            }
            AnyCore::Hull(hull) => depth_in_hull(hull, point, needed),
            AnyCore::Point | AnyCore::Rod(_) | AnyCore::Points(_) => f64::NEG_INFINITY,
        }
    }
}

/// At least how deep a point lies in a polytope: below the planes of all its triangles. Minus infinity if it is less than
/// `needed`.
fn depth_in_hull(hull: &Hull, point: DVec3, needed: f64) -> f64 {
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
        if least < needed {
            return f64::NEG_INFINITY;
        }
    }
    least
}
