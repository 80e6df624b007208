//! First contact of moving convex bodies without indexed vertices: half-spaces, cylinders, cones, ellipsoids, custom
//! bodies, and rounded ones.
//!
//! The method is that of bodies with vertices: [`advance`] by planes to the last time with a resolvable gap. The
//! differences are how the gap is computed and what proves contact. The gap of such a pair at a time is *signed*
//! ([`Placed::signed_gap`](crate::convex::pair::placed::Placed::signed_gap),
//! [`convex::half_space`](crate::convex::half_space)), with a proved bracket on either side of zero, so contact is
//! proved shortly afterwards by a bracket below zero. Its two points are the evidence: one core's point inside the
//! other core, or two points whose distance radii and margin cover.
//!
//! Against a half-space the gap is a linear function of time. So contact is decided exactly for the placed bodies, at
//! the start and at the end of the step.

use glam::DVec3;

use crate::answer::distance::DistanceOptions;
use crate::answer::impact::{ContactPairs, Impact, ImpactAlgorithm, ImpactOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::{AnyCore, Smooth};
use crate::convex::gjk::{GapBracket, Stop};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::half_space;
use crate::convex::pair::half_space::{Found, facing, find};
use crate::convex::pair::placed::Placed;
use crate::impact::moving::Moving;
use crate::math::bracket::Bracket;
use crate::math::simd::at_level;
use crate::math::tolerances::{DEPTH_ACCURACY, LOWER_BOUND, SMALLEST_REACH, UNIT_ROUNDOFF, UPPER_BOUND};
use crate::motion::advance::{Course, Reached, Reading, advance, closing};
use crate::motion::sphere_cast::{Target, first_touch};
use crate::pair::distance::distance;
use crate::pair::intersects::intersects;
use crate::pair::workspace::Workspace;
use crate::shape::Feature;

/// The pair at the last time examined.
struct Seen<'s> {
    time: f64,
    placed: Placed<'s>,
    /// The signed gap of the placed cores; `None` for bodies too small to measure.
    gap: Option<GapBracket>,
    features: (Feature, Feature),
    /// Upper bound of the real-number bodies' gap, less the margin.
    upper: f64,
}

/// The state of one query.
struct ImpactSearch<'q, 's> {
    moving: &'q Moving<'s>,
    options: &'q ImpactOptions,
    cache: &'q mut PairCache,
    workspace: &'q mut Workspace,
    /// The signed gap at the start of two half-spaces that face each other.
    facing: Option<f64>,
    seen: Seen<'s>,
}

/// The first contact, in the order of the moving pair; the bodies are convex.
pub(crate) fn impact(
    moving: &Moving<'_>,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let none = (Feature::Interior, Feature::Interior);
    let seen = Seen { time: 0.0, placed: moving.at(0.0), gap: None, features: none, upper: f64::MAX };
    let mut search = ImpactSearch { moving, options, cache, workspace, facing: None, seen };
    if let (Some(pair), AnyCore::Smooth(Smooth::HalfSpace { .. })) = (moving.start.half_space(), moving.start.b.core) {
        match find(&moving.start, &pair, options.margin, &mut search.workspace.convex) {
            Found::Facing(gap) => search.facing = Some(gap),
            // They always meet far out.
            _ => return Some(search.at_start(0, true)),
        }
    }
    let from = if options.algorithm == ImpactAlgorithm::ClosedForm { search.formula().unwrap_or(0.0) } else { 0.0 };
    let reached = match advance(moving.world, from, options.tolerance, |time| search.read(time)) {
        Course::Clear => return None,
        Course::Near(reached) => reached,
    };
    if reached.lower == 0.0 && search.meet_at_start() {
        return Some(search.at_start(reached.steps, false));
    }
    search.contact(&reached)
}

impl ImpactSearch<'_, '_> {
    /// The contact time of a ball and a half-space by formula, less enough for a reading to prove a gap there.
    fn formula(&self) -> Option<f64> {
        let Placed { a, b, map, .. } = &self.moving.start;
        let (AnyCore::Smooth(Smooth::HalfSpace { normal, offset }), AnyCore::Point) = (a.core, b.core) else {
            return None;
        };
        let target = Target::HalfSpace { normal, offset };
        let time = first_touch(target, b.radius + self.options.margin, map.translation, self.moving.frame)?;
        let contact = self.moving.at(time.min(1.0));
        // Early enough that a reading proves a gap there, and late enough that the next reading is the last.
        let short = (2.0 * LOWER_BOUND) * contact.reach + 2.0 * contact.placement;
        let descent = -normal.dot(self.moving.frame) / normal.length();
        (time < 1.0 && descent > 0.0).then(|| (time - short / descent).max(0.0))
    }

    /// The signed gap of the real-number bodies at a time, less the margin.
    fn read(&mut self, time: f64) -> Reading {
        let placed = self.moving.at(time);
        let margin = self.options.margin;
        let found = self.signed(&placed, time);
        // Too small for products of lengths: then no two points are farther apart than this.
        let core = found.map_or(placed.reach + SMALLEST_REACH, |(gap, _)| gap.upper);
        let upper = (placed.upper(core) - margin).next_up();
        let plane =
            found.map(|(gap, _)| ((placed.lower(gap.lower) - margin).next_down(), placed.world_normal(gap.direction)));
        let features = found.map_or((Feature::Interior, Feature::Interior), |(_, features)| features);
        self.seen = Seen { time, placed, gap: found.map(|(gap, _)| gap), features, upper };
        Reading { upper, plane }
    }

    /// The signed gap of the placed cores, with the features of its points; `None` for bodies too small to measure, and
    /// for two half-spaces without a gap.
    fn signed(&mut self, placed: &Placed<'_>, time: f64) -> Option<(GapBracket, (Feature, Feature))> {
        if let Some(pair) = placed.half_space() {
            let Some(start) = self.facing else {
                if matches!(placed.b.core, AnyCore::Smooth(Smooth::HalfSpace { .. })) {
                    return None;
                }
                let (apart, vertex) = at_level!(self.workspace.convex.level, simd => pair.gap(simd));
                return Some((apart, half_space::features(placed, &apart, vertex)));
            };
            let step = pair.normal.dot(self.moving.frame) / pair.normal.length() * time;
            let apart = facing(placed, &pair, start + step);
            // The product and the length `7u`, the sum `u`; the plane is rotated by no more than in any other reading.
            let doubt =
                8.0 * UNIT_ROUNDOFF * (start.abs() + step.abs() + time * self.moving.length) + time * self.moving.error;
            let apart = GapBracket { lower: apart.lower - doubt, upper: apart.upper + doubt, ..apart };
            return Some((apart, (Feature::Face(0), Feature::Face(0))));
        }
        if placed.reach < SMALLEST_REACH {
            return None;
        }
        let stop = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };
        let found = placed.signed_gap(stop, f64::NEG_INFINITY, self.cache, &mut self.workspace.convex);
        Some((found.gap, placed.curved_features(&found)))
    }

    /// Whether the placed bodies are in contact at the start.
    fn meet_at_start(&mut self) -> bool {
        if let Some(gap) = self.facing {
            return gap <= self.options.margin;
        }
        let Placed { shape_a, shape_b, pose_a, pose_b, .. } = self.moving.start;
        let options = IntersectsOptions { margin: self.options.margin, ..IntersectsOptions::default() };
        let cache = &mut PairCache::default();
        intersects(shape_a, pose_a, shape_b, pose_b, &options, cache, self.workspace)
    }

    /// Whether the placed bodies come into contact at all, where that is decided separately from the search.
    fn meet_at_end(&mut self) -> bool {
        let placed = self.moving.at(1.0);
        let Some(pair) = placed.half_space() else { return true };
        if self.facing.is_some() {
            return true;
        }
        // The gap is linear in time, and positive at the start.
        matches!(find(&placed, &pair, self.options.margin, &mut self.workspace.convex), Found::Body(.., true))
    }

    /// The answer for bodies in contact at the start; `unbounded` for half-spaces that meet anywhere.
    fn at_start(&mut self, steps: u32, unbounded: bool) -> Impact {
        let Placed { shape_a, shape_b, pose_a, pose_b, .. } = self.moving.start;
        let ask = DistanceOptions::default();
        let cache = &mut PairCache::default();
        let distance = distance(shape_a, pose_a, shape_b, pose_b, &ask, cache, self.workspace);
        self.read(0.0);
        let points = Some([distance.witness.a.point, distance.witness.b.point]);
        let by_points = (distance.gap.upper + self.moving.beyond - self.options.margin).next_up().next_up();
        let (touches, gap, deep) = match self.seen.upper {
            _ if unbounded || by_points <= 0.0 => (true, 0.0, points),
            _ if self.is_proved() => (true, 0.0, self.evidence()),
            upper if upper > 0.0 && upper < by_points => (false, upper, self.evidence()),
            _ => (false, by_points, points),
        };
        let impact = self.impact((0.0, 0.0, 0.0), None, (touches, gap), steps);
        Impact {
            witness: impact
                .witness
                .with_points(distance.witness.a.point, distance.witness.b.point)
                .with_features(distance.witness.a.feature, distance.witness.b.feature),
            started_overlapping: true,
            deep,
            ..impact
        }
    }

    /// The answer, if there is one, where the search came near a contact that is not at the start.
    fn contact(&mut self, reached: &Reached) -> Option<Impact> {
        let near = reached.reading.plane.is_some_and(|(gap, _)| gap > reached.reading.upper - gap);
        let mut steps = reached.steps;
        let lower = reached.lower;
        if self.seen.time != lower {
            self.read(lower);
            steps += 1;
        }
        let normal = match (reached.normal, self.seen.gap) {
            (Some(normal), _) => normal,
            (None, Some(gap)) => self.seen.placed.world_normal(gap.direction),
            // No direction is known: use the one against the motion.
            (None, None) => -self.moving.world.normalize_or(DVec3::X),
        };
        if near && reached.reading.upper <= self.options.tolerance {
            return Some(self.grazing(lower, normal, steps));
        }
        if !self.meet_at_end() {
            return None;
        }
        let (slow, fast) = closing(normal, self.moving.world);
        let (mut upper, mut proof) = (lower, None);
        if self.is_proved() {
            proof = self.evidence();
        } else if slow > 0.0 {
            let seen_upper = self.seen.upper;
            // A quarter of the contract's tolerance: `verify` may measure the bodies' sizes differently.
            let room = 0.25 * DEPTH_ACCURACY * self.seen.placed.scale() / slow;
            let none = (Feature::Interior, Feature::Interior);
            let fresh = Seen { time: lower, placed: self.moving.at(lower), gap: None, features: none, upper: 0.0 };
            let before = std::mem::replace(&mut self.seen, fresh);
            // Round bodies close in more slowly after first contact; each try is slightly later.
            for factor in [1.5, 4.0, 32.0] {
                let next = (lower + factor * seen_upper / slow).next_up().min(1.0);
                if next <= upper || next - lower > room {
                    break;
                }
                upper = next;
                self.read(upper);
                if self.is_proved() {
                    proof = self.evidence();
                    break;
                }
            }
            self.seen = before;
        }
        let Some(deep) = proof else {
            return Some(self.grazing(lower, normal, steps));
        };
        // The bracket of the gap at `lower` is about symmetric.
        let t = (lower + 0.5 * self.seen.upper.max(0.0) / fast.max(f64::MIN_POSITIVE)).clamp(lower, upper);
        let impact = self.impact((t, lower, upper), Some(normal), (true, 0.0), steps);
        Some(Impact { deep: Some(deep), ..impact })
    }

    /// The answer that only states how near the bodies come at the last time examined.
    fn grazing(&self, time: f64, normal: DVec3, steps: u32) -> Impact {
        let Seen { placed, upper, .. } = &self.seen;
        // Cores that overlap without a checkable proof: the distance between their two points.
        let between = self.seen.gap.map_or(0.0, |gap| gap.length.abs() + UPPER_BOUND * placed.reach);
        let gap = if *upper > 0.0 { *upper } else { placed.upper(between).max(0.0) };
        self.impact((time, time, time), Some(normal), (false, gap), steps)
    }

    /// Whether contact at the last time examined is proved by checkable points. Membership in a core known only by its
    /// support points cannot be checked, so there radii or a margin must cover the distance between the cores, or the
    /// overlap must be deep enough for a hull of some support points to show it.
    fn is_proved(&self) -> bool {
        let custom = |core: AnyCore<'_>| matches!(core, AnyCore::Smooth(Smooth::Custom(_)));
        let placed = &self.seen.placed;
        let known = !custom(placed.a.core) && !custom(placed.b.core);
        let bridged = self.seen.gap.is_some_and(|gap| gap.lower > 0.0);
        self.seen.upper <= 0.0 && (known || bridged || self.seen.upper < -DEPTH_ACCURACY * placed.scale())
    }

    /// The points of the cores at the last time examined, in own frames.
    fn evidence(&self) -> Option<[DVec3; 2]> {
        let gap = self.seen.gap?;
        let (point_a, point_b) = self.seen.placed.own_frames(gap.point_a, gap.point_b);
        Some([point_a, point_b])
    }

    fn impact(
        &self,
        (t, lower, upper): (f64, f64, f64),
        normal: Option<DVec3>,
        (touches, gap): (bool, f64),
        steps: u32,
    ) -> Impact {
        let Seen { placed, features, .. } = &self.seen;
        let (point_in_a, point_in_b) = match &self.seen.gap {
            // Round bodies touch where the cores are nearest now; the separating plane was found slightly earlier.
            Some(found) => placed.surface_points(found, placed.world_normal(found.direction)),
            None => placed.own_frames(DVec3::ZERO, DVec3::ZERO),
        };
        Impact {
            time: Bracket { value: t, lower, upper },
            touches,
            gap,
            margin: self.options.margin,
            placement: placed.placement,
            witness: Witness {
                a: WitnessPoint { point: point_in_a, part: 0, feature: features.0 },
                b: WitnessPoint { point: point_in_b, part: 0, feature: features.1 },
            },
            normal,
            started_overlapping: false,
            evidence: ContactPairs::default(),
            deep: self.evidence(),
            algorithm: self.options.algorithm,
            steps,
        }
    }
}
