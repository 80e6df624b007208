//! Proved brackets of the signed gap of two cores, and the pieces, points and directions that prove them.

use glam::DVec3;

use super::sampled::Sampled;
use crate::convex::core::{AnyCore, Core, Smooth};
use crate::convex::gjk::{GapBracket, Pair, Stop, witness};
use crate::convex::patch::{Spot, settle};
use crate::convex::pieces::{Candidate, Members, members};
use crate::convex::simplex::Simplex;
use crate::convex::stationary::{Outcome, stationary};
use crate::math::placement::Placement;
use crate::math::simd::plain;
use crate::math::tolerances::{DEPTH_ACCURACY, SMOOTH_ACCEPT, SMOOTH_POINT, UPPER_BOUND};
use crate::shape::Feature;

/// A proved bracket of the signed gap of two placed cores, with its witness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedGap {
    /// The gap, its bracket and its witness; the numbers are negative where the cores overlap.
    pub gap: GapBracket,
    /// The features of curved cores whose pieces are known; those of polytopes follow from the members.
    pub(super) feature_a: Option<Feature>,
    pub(super) feature_b: Option<Feature>,
    /// The vertices that span the pieces of polytopes on which the points lie.
    pub members_a: Members,
    pub members_b: Members,
    /// Set where the cores are shown to overlap: a nearly coincident point of each, relative to the local origins.
    pub(in crate::convex) common: Option<(DVec3, DVec3)>,
    /// Distance of the vector between the witness points from the gap along the direction.
    pub(super) aside: f64,
    /// The witness points lie on pieces of the surfaces, not on a simplex of support points.
    pub(super) settled: bool,
}

impl SignedGap {
    /// The features of curved cores that the witness points lie on; `None` for those of polytopes.
    pub fn features(&self, a: &AnyCore<'_>, b: &AnyCore<'_>, map: &Placement) -> (Option<Feature>, Option<Feature>) {
        let at = |core: &AnyCore<'_>, point: DVec3, outward: DVec3| match core {
            AnyCore::Smooth(smooth) => Some(smooth.feature_at(point, outward)),
            _ => None,
        };
        let GapBracket { point_a, point_b, direction, .. } = self.gap;
        let feature_a = self.feature_a.or_else(|| at(a, point_a, direction));
        (feature_a, self.feature_b.or_else(|| at(b, point_b, map.turn_back(-direction))))
    }

    pub(super) fn width(&self) -> f64 {
        self.gap.upper - self.gap.lower
    }

    /// True when the bracket up to `upper` is as narrow as promised, and the points are aligned.
    fn fits(&self, upper: f64, reach: f64) -> bool {
        let (width, asked) = (upper - self.gap.lower, if upper < 0.0 { DEPTH_ACCURACY } else { SMOOTH_ACCEPT });
        width <= asked * reach && self.aside <= width + SMOOTH_ACCEPT * reach
    }

    /// True when the points are aligned along the direction, up to rounding.
    pub(super) fn is_behind(&self, reach: f64) -> bool {
        self.aside <= 4.0 * SMOOTH_ACCEPT * reach
    }

    pub(super) fn is_accepted(&self, reach: f64, stop: Stop) -> bool {
        let narrow = self.width() <= SMOOTH_ACCEPT * reach + stop.tolerance;
        // Where the cores overlap, a point of one inside the other may prove the depth without being the deepest; and
        // surface points of rounded bodies are found along the direction.
        let behind = self.aside <= 4.0 * SMOOTH_ACCEPT * reach + stop.tolerance;
        self.gap.lower > stop.farther_than || (narrow && behind)
    }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// True if a body is user-defined: no known piece can finish the approach.
    pub(super) fn is_custom(&self) -> bool {
        let custom = |core: &Sampled<'_>| matches!(core.core, AnyCore::Smooth(Smooth::Custom(_)));
        custom(&self.a) || custom(&self.b)
    }

    /// Combines two brackets of the same gap. One that is narrow by itself, with points aligned along its direction, is
    /// kept as it is. Otherwise the direction is that of the better lower bound; for separated cores the witness is
    /// that of the better upper bound, for overlapping ones it belongs to the direction.
    pub(super) fn joined(&self, first: SignedGap, second: SignedGap) -> SignedGap {
        let least = first.gap.upper.min(second.gap.upper);
        // A depth needs no points: a bound proved by one bracket serves the other.
        let fits = |found: &SignedGap| found.fits(if least < 0.0 { least } else { found.gap.upper }, self.reach);
        let level = (first.gap.lower - second.gap.lower).abs() <= SMOOTH_POINT * self.reach;
        let swap = match (fits(&first), fits(&second)) {
            (true, true) if level && first.settled != second.settled => second.settled,
            // Equal in direction: the one whose points are better aligned.
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
        let GapBracket { lower, direction, .. } = better.gap;
        // For overlapping cores the separating translation along the direction is attained; the distance of two points
        // is not one.
        let apart = witness.gap.length > upper && overlapping;
        let length = if apart { lower } else { witness.gap.length.max(lower).min(upper) };
        let common = better.common.or(other.common);
        let between = self.placement.place(witness.gap.point_b) - witness.gap.point_a;
        let aside = if mixed { (between - direction * lower).length() } else { witness.aside };
        SignedGap { gap: GapBracket { lower, upper, direction, length, ..witness.gap }, common, aside, ..witness }
    }

    /// The result for cores that meet at the points of a simplex, without the depth.
    pub(super) fn meeting(&self, simplex: &Simplex, direction: DVec3) -> SignedGap {
        let (point_a, point_b) = witness(self, simplex);
        let length = (self.placement.place(point_b) - point_a).length();
        let upper = length + (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        let inside = simplex.count == 4;
        let length = if inside { 0.0 } else { length };
        SignedGap {
            gap: GapBracket { lower: -self.reach, upper, direction, length, point_a, point_b },
            feature_a: None,
            feature_b: None,
            members_a: members(&simplex.a, simplex.count),
            members_b: members(&simplex.b, simplex.count),
            common: inside.then_some((point_a, point_b)),
            aside: f64::INFINITY,
            settled: false,
        }
    }

    pub(super) fn keep(&self, best: Option<SignedGap>, last: SignedGap) -> SignedGap {
        best.map_or(last, |best| self.joined(best, last))
    }
}

/// The bracket proved by two refined spots.
pub(super) fn judge(
    pair: &Pair<'_, Sampled<'_>, Sampled<'_>>,
    (a, members_a): (&Spot, Members),
    (b, members_b): (&Spot, Members),
    direction: DVec3,
) -> SignedGap {
    let map = pair.placement;
    let (point_a, point_b) = (a.point(), b.point());
    let w = map.place(point_b) - point_a;
    let length = w.length();
    // The best of some directions; of two equally good ones, the one along which the points are aligned. Usually that
    // is the first.
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
        // A point proves the depth or, if it is not the deepest, too little to be useful.
        let needed = (-lower - DEPTH_ACCURACY * pair.reach).max(f64::MIN_POSITIVE);
        if let Some((depth, points)) = pair.depth_of_points(a, b, needed) {
            upper = -depth;
            common = Some(points);
        }
    }
    let gap = GapBracket { lower, upper, length: value.max(lower).min(upper), direction: normal, point_a, point_b };
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

/// A normal of B's frame as that of a plane: turned by the inverse transpose, to first order in the defect.
fn plane_of_b(map: &Placement, normal: DVec3) -> DVec3 {
    map.turn(normal * 2.0 - map.turn_back(map.turn(normal)))
}

/// The direction perpendicular to two pieces with one coordinate each.
fn across(a: &Spot, b: &Spot, map: &Placement) -> Option<DVec3> {
    a.tangent()?.cross(map.turn(b.tangent()?)).try_normalize()
}

pub(super) fn sided(n: DVec3, direction: DVec3) -> DVec3 {
    if n.dot(direction) < 0.0 { -n } else { n }
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// Refines two pieces, from points near them.
    pub(super) fn settled(
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

    /// [`Pair::settled`] with fewer unknowns where that is possible.
    pub(super) fn easily_settled(
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

    /// The bracket of a simplex as it is, with the bound proved perpendicular to a unit direction.
    pub(super) fn stopped(&self, simplex: &Simplex, direction: DVec3, lower: f64) -> SignedGap {
        let (point_a, point_b) = witness(self, simplex);
        let length = (self.placement.place(point_b) - point_a).length();
        let upper = length + (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        self.judged(GapBracket { lower, upper, length, direction, point_a, point_b }, simplex)
    }

    /// The proved gap along a unit direction.
    pub(super) fn proved_gap(&self, direction: DVec3) -> f64 {
        let found = self.support(plain(), direction);
        self.lower_bound(direction, 1.0, self.difference(found.0, found.1))
    }

    /// Moves a witness that lies on chords to the surfaces, no farther off than the polytope was: to the points nearest
    /// the chords; or, where these are not aligned (concentric bodies, say), to the support points along the direction
    /// if they are better aligned.
    #[cold]
    pub(super) fn on_surfaces(&self, found: SignedGap, simplex: &Simplex) -> SignedGap {
        let GapBracket { direction, lower, .. } = found.gap;
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
        // For separated cores the points are the proof.
        let length = between((point_a, point_b)).length();
        if found.gap.upper >= 0.0 && length + (UPPER_BOUND + SMOOTH_POINT) * self.reach > found.gap.upper {
            return found;
        }
        let named = self.judged(GapBracket { point_a, point_b, ..found.gap }, simplex);
        let SignedGap { mut members_a, mut members_b, common, .. } = found;
        if is_extreme {
            (members_a, members_b) = ([last_a; 4], [last_b; 4]);
        }
        SignedGap { members_a, members_b, common, ..named }
    }

    /// A bracket whose witness points are spanned by the members of a simplex.
    pub(super) fn judged(&self, gap: GapBracket, simplex: &Simplex) -> SignedGap {
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
