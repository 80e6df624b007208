//! First contact of two moving convex bodies with indexed vertices; the others are in [`curved`].
//!
//! The search ([`advance`], or one of the alternatives, which end in it) yields a time up to which one plane provably
//! separates the bodies. It remains to prove that they do meet, in one of three ways:
//! - bodies with radii, or a margin: two points of the cores that are within the radii shortly afterwards;
//! - polytopes: pairs of vertices whose differences, swept until shortly afterwards, contain a ball about the origin
//!   larger than all rounding errors, so that rounding cannot have put the origin inside;
//! - otherwise (grazing motion; contact that the poses as stored do not decide) the answer only claims how near they
//!   come, and whether there is an answer at all is decided exactly for the placed sets, as in `sweeps_meet`.

use glam::DVec3;

use crate::answer::impact::{ContactPairs, Impact, ImpactAlgorithm, ImpactOptions};
use crate::answer::sweeps::SweepAlgorithm;
use crate::answer::witness::{Witness, WitnessPoint};
use crate::convex::core::{AnyCore, Core};
use crate::convex::epa;
use crate::convex::epa::EpaGoal;
use crate::convex::gjk::{GapBracket, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::feature;
use crate::convex::pair::placed::Placed;
use crate::convex::simplex::Simplex;
use crate::impact::curved;
use crate::impact::moving::{Moving, has_vertices};
use crate::math::bracket::Bracket;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::simd::at_level;
use crate::math::tolerances::{
    BRENT_LEVEL, CONTACT_RESIDUAL, LOWER_BOUND, SECOND_ORDER, SMALLEST_REACH, UNIT_ROUNDOFF, UPPER_BOUND,
};
use crate::motion::advance::{Course, Reached, Reading, advance, closing};
use crate::motion::brent::brent;
use crate::motion::halve::halve;
use crate::motion::sphere_cast::{Target, first_touch};
use crate::pair::workspace::Workspace;

/// The first contact of two convex bodies, in the caller's order.
pub(crate) fn first_contact(
    moving: &Moving<'_>,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let answer = if has_vertices(moving.start.shape_a) && has_vertices(moving.start.shape_b) {
        let seen = Seen { time: 0.0, placed: moving.at(0.0), simplex: Simplex::default(), apart: None, upper: 0.0 };
        ImpactSearch { moving, options, cache, workspace, seen }.run()
    } else {
        curved::impact(moving, options, cache, workspace)
    };
    answer.map(|impact| if moving.start.swapped { impact.swapped() } else { impact })
}

/// The pair at the last time examined.
struct Seen<'s> {
    time: f64,
    placed: Placed<'s>,
    simplex: Simplex,
    apart: Option<GapBracket>,
    /// The upper bound of the reading.
    upper: f64,
}

/// The state of one query.
struct ImpactSearch<'q, 's> {
    moving: &'q Moving<'s>,
    options: &'q ImpactOptions,
    cache: &'q mut PairCache,
    workspace: &'q mut Workspace,
    seen: Seen<'s>,
}

impl ImpactSearch<'_, '_> {
    fn run(&mut self) -> Option<Impact> {
        let displacement = self.moving.world;
        let tolerance = self.options.tolerance;
        let (from, before) = self.search_from()?;
        let mut reached = match advance(displacement, from, tolerance, |time| self.read(time)) {
            Course::Clear => return None,
            Course::Near(reached) => reached,
        };
        reached.steps += before;
        if reached.lower == 0.0 {
            if self.seen.time != 0.0 {
                self.read(0.0);
            }
            if self.meet_at_start() {
                return Some(self.at_start(reached.steps));
            }
        }
        self.contact(&reached)
    }

    /// Where the advance to the contact begins, and the number of tests used; `None` if the swept sets do not meet.
    fn search_from(&mut self) -> Option<(f64, u32)> {
        let (moving, margin) = (self.moving, self.options.margin);
        let mut meet = |time: f64, simplex: &mut Simplex| {
            *simplex = Simplex::default();
            moving.meet(SweepAlgorithm::SweptSupport, time, margin, self.cache, simplex, self.workspace)
        };
        let mut simplex = Simplex::default();
        match self.options.algorithm {
            ImpactAlgorithm::Conservative | ImpactAlgorithm::Elementary => return Some((0.0, 0)),
            ImpactAlgorithm::ClosedForm => return Some((self.formula().unwrap_or(0.0), 0)),
            ImpactAlgorithm::IntervalHalving | ImpactAlgorithm::Brent => {}
        }
        if !meet(1.0, &mut simplex) {
            return None;
        }
        if self.options.algorithm == ImpactAlgorithm::IntervalHalving {
            return Some(halve(|time| meet(time, &mut simplex)));
        }
        // The common point of the swept sets is one of the bodies at a time in between: the weight of the vertices at
        // the end.
        let count = moving.start.a.core.vertex_count() as u32;
        let at_end = |k: usize| if simplex.a[k] >= count { simplex.weight[k] } else { 0.0 };
        let contact = (0..simplex.count).map(at_end).sum::<f64>().clamp(0.0, 1.0);
        let near = self.options.tolerance.max(BRENT_LEVEL * moving.start.reach);
        Some(brent(0.0, contact, near, |time| self.read(time).upper - near))
    }

    /// The contact time by formula, less enough for a reading to prove a gap there; `None` if there is no formula or no
    /// contact.
    fn formula(&self) -> Option<f64> {
        let Placed { a, b, map, .. } = &self.moving.start;
        let target = |core: AnyCore<'_>| match core {
            AnyCore::Point => Some(Target::Point),
            AnyCore::Rod(half) => Some(Target::Rod(half)),
            AnyCore::Box(half) => Some(Target::Box(half)),
            _ => None,
        };
        let way = self.moving.frame;
        let (target, from, way) = match (a.core, b.core) {
            // B's point past A's core, or A's point past B's core, in its own frame.
            (core, AnyCore::Point) => (target(core)?, map.translation, way),
            (AnyCore::Point, core) => (target(core)?, map.turn_back(-map.translation), map.turn_back(-way)),
            _ => return None,
        };
        let time = first_touch(target, self.moving.start.radii() + self.options.margin, from, way)?;
        let contact = self.moving.at(time.min(1.0));
        // Early enough that a reading proves a gap there even for oblique contact, and late enough that the next
        // reading is the last.
        let short = (8.0 * LOWER_BOUND) * contact.reach + 2.0 * contact.placement;
        let speed = self.moving.length;
        (time < 1.0 && speed > 0.0).then(|| (time - short / speed).max(0.0))
    }

    /// The gap of the real-number bodies at a time, as far as floating point proves it.
    fn read(&mut self, time: f64) -> Reading {
        let placed = self.moving.at(time);
        let mut simplex = Simplex::default();
        let stop = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };
        let walk = if placed.reach < SMALLEST_REACH {
            // Too small for products of lengths; then any two vertices serve as nearest.
            simplex.push(0, 0, placed.map.place(placed.b.core.vertex(0)) - placed.a.core.vertex(0));
            simplex.weight[0] = 1.0;
            Walk::Undecided(None)
        } else {
            let cache = &mut *self.cache;
            placed.walk(self.workspace.convex.level, stop, cache, &mut simplex)
        };
        let margin = self.options.margin;
        let apart = match walk {
            Walk::Apart(apart) => Some(apart),
            Walk::Inside | Walk::Undecided(_) => self.settle(&placed, &mut simplex),
        };
        let upper = match apart {
            Some(apart) => apart.upper,
            None => {
                let (point_a, point_b) = placed.witness(&simplex);
                let between = (placed.map.place(point_b) - point_a).length();
                // Squares of a length below 1e-150 underflow; the length is then below that.
                between.max(1e-150_f64.min(placed.reach)) + UPPER_BOUND * placed.reach
            }
        };
        let upper = (placed.upper(upper) - margin).next_up();
        let plane =
            apart.map(|apart| ((placed.lower(apart.lower) - margin).next_down(), placed.world_normal(apart.direction)));
        self.seen = Seen { time, placed, simplex, apart, upper };
        Reading { upper, plane }
    }

    /// Settles an undecided iteration. If its last simplex is as near the origin as rounding can resolve, it is kept:
    /// this is the contact. Otherwise exact arithmetic decides whether the cores are separated, and gives the weights.
    fn settle(&mut self, placed: &Placed<'_>, simplex: &mut Simplex) -> Option<GapBracket> {
        let (point_a, point_b) = placed.witness(simplex);
        let residual = placed.map.place(point_b).distance(point_a);
        // The iteration ends undecided at `LOWER_BOUND`; its weights add the error of those of a common point.
        if residual <= (LOWER_BOUND + CONTACT_RESIDUAL) * placed.reach || placed.reach < SMALLEST_REACH {
            return None;
        }
        let exact = placed.exact_gap(simplex, self.cache, &mut self.workspace.convex);
        *simplex = exact.simplex;
        (exact.gap > 0.0).then(|| placed.exactly_apart(&exact))
    }

    /// Whether the placed bodies are in contact at the start, the last time examined.
    fn meet_at_start(&mut self) -> bool {
        let placed = &self.seen.placed;
        let lengths = [placed.a.radius, placed.b.radius, self.options.margin];
        let reach = lengths[0] + lengths[1] + lengths[2];
        let doubt = 8.0 * UNIT_ROUNDOFF * reach;
        match self.seen.apart {
            Some(apart) if apart.lower > reach + doubt => false,
            Some(apart) if apart.upper < reach - doubt => true,
            _ => {
                let exact = placed.exact_gap(&self.seen.simplex, self.cache, &mut self.workspace.convex);
                self.seen.simplex = exact.simplex;
                let meet = exact.compare(&lengths).is_le();
                if exact.gap > 0.0 {
                    let apart = placed.exactly_apart(&exact);
                    self.seen.upper = (placed.upper(apart.upper) - self.options.margin).next_up();
                    self.seen.apart = Some(apart);
                }
                meet
            }
        }
    }

    /// The answer for bodies in contact at the start.
    fn at_start(&mut self, steps: u32) -> Impact {
        let placed = &self.seen.placed;
        let mut evidence = pairs_of(&self.seen.simplex);
        let mut touches = self.seen.upper <= 0.0;
        if !touches && self.seen.apart.is_none() {
            let wanted = EpaGoal { enough: 2.0 * placed.placement, tolerance: 0.0 };
            let depth = placed.depth_by_polytope(
                &self.seen.simplex.trimmed(),
                wanted,
                &mut PairCache::default(),
                &mut self.workspace.convex,
            );
            if depth.by_polytope
                && -depth.gap.upper > 2.0 * placed.placement
                && let Some(pairs) = collected(self.workspace.convex.polytope.pairs())
            {
                (touches, evidence) = (true, pairs);
            }
        }
        let gap = if touches { 0.0 } else { self.seen.upper.max(0.0) };
        let mut impact = self.impact((0.0, 0.0, 0.0), None, (touches, gap, evidence), steps);
        impact.started_overlapping = true;
        impact
    }

    /// The answer, if there is one, where the search came near a contact that is not at the start.
    fn contact(&mut self, reached: &Reached) -> Option<Impact> {
        let near = reached.reading.plane.is_some_and(|(gap, _)| gap > reached.reading.upper - gap);
        let mut steps = reached.steps;
        if self.seen.time != reached.lower {
            self.read(reached.lower);
            steps += 1;
        }
        let normal = match (reached.normal, self.seen.apart) {
            (Some(normal), _) => normal,
            (None, Some(apart)) => self.seen.placed.world_normal(apart.direction),
            // No direction is known: use the one against the motion.
            (None, None) => -self.moving.world.normalize_or(DVec3::X),
        };
        let (slow, fast) = closing(normal, self.moving.world);
        // Ended by the tolerance rather than by rounding.
        if near && reached.reading.upper <= self.options.tolerance {
            return Some(self.grazing(reached.lower, normal, steps));
        }
        if self.seen.upper <= 0.0 {
            let proof = (true, 0.0, pairs_of(&self.seen.simplex));
            return Some(self.impact((reached.lower, reached.lower, reached.lower), Some(normal), proof, steps));
        }
        if slow > 0.0
            && let Some((upper, evidence)) = self.prove_contact(reached.lower, slow)
        {
            // The bracket of the gap at `lower` is about symmetric.
            let estimate = reached.lower + 0.5 * self.seen.upper.max(0.0) / fast;
            let t = estimate.clamp(reached.lower, upper);
            return Some(self.impact((t, reached.lower, upper), Some(normal), (true, 0.0, evidence), steps));
        }
        let mut simplex = Simplex::default();
        let margin = self.options.margin;
        let algorithm = SweepAlgorithm::SweptSupport;
        let cache = &mut PairCache::default();
        self.moving
            .meet(algorithm, 1.0, margin, cache, &mut simplex, self.workspace)
            .then(|| self.grazing(reached.lower, normal, steps))
    }

    /// The answer that only states how near the bodies come.
    fn grazing(&self, time: f64, normal: DVec3, steps: u32) -> Impact {
        let gap = self.seen.upper.max(0.0);
        let proof = (gap == 0.0, gap, pairs_of(&self.seen.simplex));
        self.impact((time, time, time), Some(normal), proof, steps)
    }

    /// A time shortly after `time` by which contact is proved, with its proof. `slow` is a lower bound of the closing
    /// speed across the separating plane.
    fn prove_contact(&mut self, time: f64, slow: f64) -> Option<(f64, ContactPairs)> {
        let moving = self.moving;
        if moving.start.radii() + self.options.margin > 0.0 {
            let (seen_upper, mut upper) = (self.seen.upper, time);
            let mut found = None;
            let before = Seen { placed: moving.at(time), ..self.seen };
            // Round bodies close in more slowly after first contact; each try is slightly later.
            for factor in [1.5, 4.0, 32.0] {
                let next = (time + factor * seen_upper / slow).next_up().min(1.0);
                if next <= upper {
                    break;
                }
                upper = next;
                if self.read(upper).upper <= 0.0 {
                    found = Some((upper, pairs_of(&self.seen.simplex)));
                    break;
                }
            }
            self.seen = before;
            return found;
        }
        // Each point of the swept difference is off by the placement at the start, the error of the displacement, and
        // roundings of the swept set (see `convex::sweep`): of `time * displacement`, and of its sum with the vertex.
        let latest = (time + 64.0 * self.seen.upper / slow).min(1.0);
        let reach = moving.swept_reach(latest);
        let doubt = (moving.start.placement + moving.error * latest + 4.0 * UNIT_ROUNDOFF * reach) * SECOND_ORDER;
        let soon = |need: f64| (time + need / slow).next_up().min(1.0);
        // The plane of the triangle is passed by `doubt` once the bodies have approached by that much more than the
        // gap.
        let upper = soon(1.25 * (self.seen.upper + 2.0 * doubt));
        if upper > time
            && let Some(pairs) = self.prism(upper, doubt)
        {
            return Some((upper, pairs));
        }
        // Rounding costs the polytope `LOWER_BOUND` of its depth.
        let upper = soon(2.0 * self.seen.upper + 4.0 * (doubt + LOWER_BOUND * reach));
        if upper <= time {
            return None;
        }
        let pair = moving.swept_cores(upper);
        let wanted = EpaGoal { enough: doubt, tolerance: 0.0 };
        let polytope = &mut self.workspace.convex.polytope;
        let depth = at_level!(self.workspace.convex.level, simd =>
            epa::depth(simd, &pair, &self.seen.simplex.trimmed(), wanted, polytope));
        let count = moving.start.a.core.vertex_count() as u32;
        if depth.by_polytope
            && -depth.gap.upper > doubt
            && let Some(pairs) = collected(polytope.pairs().map(|[a, b]| [a % count, b]))
        {
            return Some((upper, pairs));
        }
        // Contact so near the start that nothing separates before it: the bodies themselves, shortly afterwards.
        let later = moving.at(upper);
        let wanted = EpaGoal { enough: 2.0 * later.placement, tolerance: 0.0 };
        let depth = later.depth_by_polytope(
            &self.seen.simplex.trimmed(),
            wanted,
            &mut PairCache::default(),
            &mut self.workspace.convex,
        );
        if depth.by_polytope
            && -depth.gap.upper > 2.0 * later.placement
            && let Some(pairs) = collected(self.workspace.convex.polytope.pairs())
        {
            return Some((upper, pairs));
        }
        None
    }

    /// The last simplex, if it is a triangle of the difference that the origin crosses before `upper`, farther than
    /// `doubt` from its sides and, at both ends, from its plane. In double-double, since sides can be nearly along the
    /// motion.
    fn prism(&self, upper: f64, doubt: f64) -> Option<ContactPairs> {
        let simplex = &self.seen.simplex;
        if simplex.count != 3 {
            return None;
        }
        let start = &self.moving.start;
        let corner = |k: usize| {
            let placed = start.map.place(start.b.core.vertex(simplex.b[k]));
            DoubleDoubleVec3::from_difference(placed, start.a.core.vertex(simplex.a[k]))
        };
        let corners = [corner(0), corner(1), corner(2)];
        let way = DoubleDoubleVec3::from(self.moving.frame);
        let end = way.scale(DoubleDouble::from(upper));
        let off = |n: DoubleDoubleVec3, p: DoubleDoubleVec3| (n.dot(p) / n.length()).to_f64();
        let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let (first, last) = (off(face, corners[0]), off(face, corners[0] + end));
        // The origin must lie between the two copies of the triangle; NaN, from a zero-area triangle, is rejected too.
        let between = first.abs() > doubt && last.abs() > doubt && (first > 0.0) != (last > 0.0);
        let sides = [0, 1, 2].map(|k| off((corners[(k + 1) % 3] - corners[k]).cross(way), corners[k]));
        let within = sides.iter().all(|s| *s > doubt) || sides.iter().all(|s| *s < -doubt);
        (between && within).then(|| pairs_of(simplex))
    }

    fn impact(
        &self,
        (t, lower, upper): (f64, f64, f64),
        normal: Option<DVec3>,
        (touches, gap, evidence): (bool, f64, ContactPairs),
        steps: u32,
    ) -> Impact {
        let Seen { placed, simplex, .. } = &self.seen;
        let (core_a, core_b) = placed.witness(simplex);
        let features = (
            feature::of_unfinished(placed.shape_a, &simplex.a[..simplex.count], core_a),
            feature::of_unfinished(placed.shape_b, &simplex.b[..simplex.count], core_b),
        );
        let (mut point_a, mut point_b) = (core_a, core_b);
        match normal {
            Some(normal) => {
                // Round bodies touch where the cores are nearest now; the separating plane was found slightly earlier.
                let normal = self.seen.apart.map_or(normal, |apart| placed.world_normal(apart.direction));
                point_a += placed.pose_a.inverse_rotation() * (normal * placed.a.radius);
                point_b -= placed.pose_b.inverse_rotation() * (normal * placed.b.radius);
            }
            None if placed.radii() > 0.0 => {
                // Divide the gap between the cores in proportion to the radii, up to the radii.
                let between = placed.map.place(core_b) - core_a;
                let length = between.length();
                let part = |radius: f64| if length > 0.0 { (radius / length).min(1.0) } else { 0.0 };
                let share = (placed.a.radius / placed.radii()).min(part(placed.a.radius));
                point_a += between * share;
                let back = placed.pose_b.inverse_rotation() * (placed.pose_a.rotation() * between);
                point_b -= back * (1.0 - share).min(part(placed.b.radius));
            }
            None => {}
        }
        let (point_in_a, point_in_b) = placed.own_frames(point_a, point_b);
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
            evidence,
            deep: None,
            algorithm: self.options.algorithm,
            steps,
        }
    }
}

/// The pairs, if they fit.
fn collected(pairs: impl Iterator<Item = [u32; 2]>) -> Option<ContactPairs> {
    let mut all = ContactPairs::default();
    for pair in pairs {
        if !all.add(pair) {
            return None;
        }
    }
    Some(all)
}

/// The pairs of a simplex, which always fit.
fn pairs_of(simplex: &Simplex) -> ContactPairs {
    let mut pairs = ContactPairs::default();
    for k in 0..simplex.count {
        pairs.add([simplex.a[k], simplex.b[k]]);
    }
    pairs
}
