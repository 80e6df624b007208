//! When two moving bodies touch first.
//!
//! The search ([`advance`], or one of the alternatives, which end in it) yields a time up to which one plane provably
//! stays between the bodies. What is left is the other side: that they do meet. Three ways, by what the bodies are:
//! - bodies with radii, or a margin: two points of the cores that a little later are no farther apart than the radii;
//! - polytopes: pairs of vertices whose differences, swept up to a little later, hold a ball about the origin that is larger
//!   than all roundings, so that no rounding can have put the origin inside;
//! - else (grazing motion; contact that poses, as numbers, do not decide) only how near they come is claimed, and
//!   whether there is an answer at all is decided exactly for the placed sets, as in `sweeps_meet`.

use glam::DVec3;

use super::answer::Feature;
use super::feature;
use super::moving::{LARGEST_MARGIN, Moving, Starts, enlarged, has_vertices, meant_margin};
use super::parts::Parts;
use super::placed::Placed;
use super::prisms::Prisms;
use super::sweeps::SweepAlgorithm;
use super::with_thread_workspace;
use super::workspace::{PairCache, Workspace};
use super::{impact_any, impact_parts};
use crate::convex::core::{AnyCore, Core};
use crate::convex::epa::{self, Wanted};
use crate::convex::gjk::{Apart, Stop, Walk};
use crate::convex::simplex::Simplex;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::simd::at_level;
use crate::math::tolerances::{
    CONTACT_RESIDUAL, LOWER_BOUND, SECOND_ORDER, SMALLEST_REACH, UNIT_ROUNDOFF, UPPER_BOUND,
};
use crate::motion::Motion;
use crate::motion::advance::{Course, Reached, Reading, advance, closing};
use crate::motion::brent::brent;
use crate::motion::closed::{Target, first_touch};
use crate::motion::halve::halve;
use crate::shape::Shape;

/// The root finder looks for the time at which the bodies are this near, relative to the reach: far above rounding, so that
/// its function is smooth, and so near that the advance from there takes few readings.
const BRENT_LEVEL: f64 = 1e-6;

/// How the first contact is searched for. All end with the same proof; only the way to it differs. Bodies that are not
/// polytopes with a radius are searched as by `Conservative`, but for a ball and a half-space.
///
/// Looks at the gap per contact found, over 500 random motions of each pair:
///
/// | | ball, ball | ball, box | ball, capsule | ball, half-space | box, box | hulls of 32 | hulls of 256 |
/// |---|---|---|---|---|---|---|---|
/// | `Conservative` | 6.4 | 4.7 | 6.2 | 3.1 | 3.6 | 3.8 | 3.9 |
/// | `ClosedForm` | 2.6 | 2.2 | 2.5 | 2.0 | as above | as above | as above |
/// | `IntervalHalving` | 23 | 23 | 23 | as above | 22 | 22 | 22 |
/// | `Brent` | 12 | 14 | 12 | as above | 22 | 23 | 23 |
///
/// ```
/// use clearance::{ImpactAlgorithm, ImpactOptions};
/// assert_eq!(ImpactOptions::default().algorithm, ImpactAlgorithm::Conservative);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImpactAlgorithm {
    /// Step by step, each as far as the plane between the bodies allows.
    #[default]
    Conservative,
    /// Halving the step, by whether the sets swept so far meet; see [`sweeps_meet`](crate::sweeps_meet).
    IntervalHalving,
    /// Brent's root finder on the distance less a small length.
    Brent,
    /// By formula, where one of the cores is a point and the other a point, a segment, a box (balls, capsules, boxes and
    /// rounded ones) or a half-space; else as `Conservative`.
    ClosedForm,
    /// Two meshes without a margin, by their features: the elementary tests ([`elementary_impact`](crate::elementary_impact)) find which
    /// vertex and face, or which two edges, come first; else as `Conservative`. It looks at all of both meshes, and at all that boxes about the
    /// whole way have in common, so a long way is dear. For a copy of a mesh that flies at it, past all of it: 415 ms, where
    /// `Conservative` takes 2.4, of 24,242 triangles; 238 where it takes 0.3, of 18,484; 23 s where it takes 1.1, of a rod of 79,864. It is here
    /// as a second way to the same answer.
    Elementary,
}

/// What to look for, and how.
///
/// ```
/// use clearance::{ImpactOptions, Motion, PairCache, Pose, Shape, Workspace, glam::DVec3, time_of_impact_with};
/// let ball = Shape::sphere(1.0)?;
/// let start = Pose::from_translation(DVec3::new(-12.0, 0.0, 0.0))?;
/// let flying = Motion::translation(start, DVec3::new(10.0, 0.0, 0.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// // When do they come within 1 of each other?
/// let options = ImpactOptions { margin: 1.0, ..ImpactOptions::default() };
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// let impact = time_of_impact_with(&ball, &flying, &ball, &still, &options, &mut cache, &mut workspace).unwrap();
/// assert!((impact.t - 0.9).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpactOptions {
    /// How the contact is searched for.
    pub algorithm: ImpactAlgorithm,
    /// A length: stop as soon as the bodies are proved to be this near to contact. The answer then need not touch. Zero or
    /// less: to the last digit.
    pub tolerance: f64,
    /// Bodies no farther apart than this count as touching. Zero or less: only bodies with a common point. More than bodies can
    /// be apart, 1e62, counts as that.
    pub margin: f64,
}

/// Pairs of vertices (of A, of B; as counted by the bodies' cores) whose differences prove a contact.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3, time_of_impact};
/// let ball = Shape::sphere(1.0)?;
/// let flying = Motion::translation(Pose::from_translation(DVec3::new(-5.0, 0.0, 0.0))?, DVec3::new(6.0, 0.0, 0.0))?;
/// let impact = time_of_impact(&ball, &flying, &ball, &Motion::still(Pose::IDENTITY)).unwrap();
/// // The core of a ball is its centre.
/// assert_eq!(impact.evidence.as_slice(), [[0, 0]]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactPairs {
    count: usize,
    pairs: [[u32; 2]; ContactPairs::MOST],
}

impl ContactPairs {
    /// As many as there is room for: in space, six points are enough to surround one.
    const MOST: usize = 16;

    /// These pairs, each once; `None` if there are more of them than an answer has. For an answer that was stored elsewhere.
    ///
    /// ```
    /// use clearance::ContactPairs;
    /// assert_eq!(ContactPairs::of_pairs(&[[0, 1], [2, 3], [0, 1]]).unwrap().as_slice(), [[0, 1], [2, 3]]);
    /// assert!(ContactPairs::of_pairs(&[0, 1, 2].map(|k| [k; 2]).repeat(9)).is_some());
    /// assert!(ContactPairs::of_pairs(&(0..17).map(|k| [k; 2]).collect::<Vec<_>>()).is_none());
    /// ```
    pub fn of_pairs(pairs: &[[u32; 2]]) -> Option<ContactPairs> {
        let mut made = ContactPairs::default();
        pairs.iter().all(|&pair| made.add(pair)).then_some(made)
    }

    /// The pairs.
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.pairs[..self.count]
    }

    /// Adds a pair unless it is there already; false if there is no room.
    fn add(&mut self, pair: [u32; 2]) -> bool {
        if self.as_slice().contains(&pair) {
            return true;
        }
        if self.count == ContactPairs::MOST {
            return false;
        }
        self.pairs[self.count] = pair;
        self.count += 1;
        true
    }

    fn of(simplex: &Simplex) -> ContactPairs {
        let mut pairs = ContactPairs::default();
        for k in 0..simplex.count {
            pairs.add([simplex.a[k], simplex.b[k]]);
        }
        pairs
    }

    fn swapped(mut self) -> ContactPairs {
        self.pairs.iter_mut().for_each(|pair| pair.swap(0, 1));
        self
    }
}

/// The first contact of two moving bodies.
///
/// Times are fractions of the step. The accuracy in time is that of the gap, about 1e-15 of the bodies' size and
/// distance, divided by the speed at which they close in across `normal`; a motion that only grazes has a wide bracket.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::DVec3, time_of_impact, verify_impact};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let start = Pose::from_translation(DVec3::new(-10.0, 0.5, 0.25))?;
/// let flying = Motion::translation(start, DVec3::new(16.0, 0.0, 0.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// let impact = time_of_impact(&cube, &flying, &cube, &still).unwrap();
/// assert!(impact.lower <= 0.5 && 0.5 <= impact.upper && impact.upper - impact.lower < 1e-13);
/// assert!(impact.touches);
/// assert_eq!(impact.normal, Some(DVec3::X));
/// verify_impact(&impact, &cube, &flying, &cube, &still).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The time of the first contact, between `lower` and `upper`.
    pub t: f64,
    /// Proved: the real-number bodies are farther apart than the margin at all times in `[0, lower)`, by the planes across
    /// `normal`.
    pub lower: f64,
    /// Proved: at some time in `[0, upper]` the real-number bodies are no farther apart than the margin (`touches`), or no
    /// farther than the margin and `gap` at that very time. Never above 1.
    pub upper: f64,
    /// True when contact is proved. False where numbers do not decide it: the motion grazes, or ends or begins at the
    /// contact, or the options ended the search.
    pub touches: bool,
    /// How far from contact the bodies are at most at `upper`, in world units. Zero when `touches`.
    pub gap: f64,
    /// The margin that counts as contact.
    pub margin: f64,
    /// Bound on how far a placed vertex lies from where its motion ideally puts it at the contact; the bracket includes it.
    pub placement: f64,
    /// The point of A that makes contact, in A's own frame.
    pub point_in_a: DVec3,
    /// The point of B that makes contact, in B's own frame.
    pub point_in_b: DVec3,
    /// The part of A that makes contact: of a compound its number, of a height field that of the triangle; else 0.
    pub part_a: u32,
    /// The part of B that makes contact.
    pub part_b: u32,
    /// The feature of A that holds `point_in_a`; of a part, the part's own.
    pub feature_a: Feature,
    /// The feature of B that holds `point_in_b`.
    pub feature_b: Feature,
    /// Unit, in the world, from A towards B; the planes across it prove `lower`. `None` for bodies that meet at the start.
    pub normal: Option<DVec3>,
    /// The placed bodies have a point in common at the start (with a margin: are within it); touching counts.
    pub started_overlapping: bool,
    /// What proves `upper`. Empty for bodies that are not polytopes with a radius.
    pub evidence: ContactPairs,
    /// What proves `upper` of bodies that are not: a point of each core, in the frames of the two parts, of which at `upper` one lies in the
    /// other core, or which are no farther apart than radii, margin and `gap`.
    pub deep: Option<[DVec3; 2]>,
    /// How it was found.
    pub algorithm: ImpactAlgorithm,
    /// At how many times the gap was looked at.
    pub steps: u32,
}

/// When two moving bodies touch first, or `None` if they provably do not in this step.
///
/// Nothing is missed between the ends of the step, however fast or thin the bodies are. For polytopes with a radius, against
/// each other and against half-spaces, whether there is an answer is decided exactly for the placed sets (see
/// [`sweeps_meet`](crate::sweeps_meet)).
///
/// Of compounds and height fields the first contact of any two parts is found; only parts whose boxes meet in the course of
/// the step are looked at, and of a height field only the triangles below the way of the other body.
///
/// See [`Impact`] for an example with two boxes.
///
/// ```
/// use clearance::{Motion, Pose, Shape, glam::{DVec2, DVec3}, time_of_impact, verify_impact};
/// let field = Shape::height_field(101, 101, DVec2::ONE, vec![0.0; 101 * 101])?;
/// let ball = Shape::sphere(0.5)?;
/// let falling = Motion::translation(Pose::from_translation(DVec3::new(7.2, 8.4, 4.5))?, DVec3::new(0.0, 0.0, -8.0))?;
/// let still = Motion::still(Pose::IDENTITY);
/// let impact = time_of_impact(&field, &still, &ball, &falling).unwrap();
/// assert!(impact.touches && (impact.t - 0.5).abs() < 1e-13);
/// // The triangle that is hit: two for each cell, in rows of 100 cells.
/// assert_eq!(impact.part_a / 2, 8 * 100 + 7);
/// verify_impact(&impact, &field, &still, &ball, &falling).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn time_of_impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<Impact> {
    with_thread_workspace(|workspace| {
        let options = ImpactOptions::default();
        time_of_impact_with(a, motion_a, b, motion_b, &options, &mut PairCache::default(), workspace)
    })
}

/// [`time_of_impact`] with options, a cache and a workspace. See [`ImpactOptions`] for an example.
pub fn time_of_impact_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    // `max` also turns a NaN into zero.
    let margin = meant_margin(options.margin);
    let options = ImpactOptions { tolerance: options.tolerance.max(0.0), margin, ..*options };
    if let Some(ground) = Prisms::swept((a, motion_a), (b, motion_b), options.margin, false) {
        let (a, b) = (ground.a()?, ground.b()?);
        let impact = time_of_impact_with(a, motion_a, b, motion_b, &options, cache, workspace);
        return impact.map(|impact| ground.impact(impact));
    }
    let starts = Starts(motion_a.start(), motion_b.start());
    let moving = Moving::new(a, motion_a, b, motion_b, &starts);
    if moving.is_tiny()
        && let Some(large) = enlarged(a, motion_a, b, motion_b)
    {
        let options = ImpactOptions {
            tolerance: options.tolerance * large.factor,
            margin: options.margin * large.factor,
            ..options
        };
        let impact =
            time_of_impact_with(&large.a, &large.motion_a, &large.b, &large.motion_b, &options, cache, workspace);
        return impact.map(|impact| Impact { margin, ..impact.scaled(1.0 / large.factor) });
    }
    if let Some(parts) = Parts::of(a, &starts.0, b, &starts.1) {
        return impact_parts::impact(&parts, motion_a, motion_b, &options, workspace);
    }
    of_convex(&moving, &options, cache, workspace)
}

/// The first contact of two convex bodies, in the caller's order.
pub(super) fn of_convex(
    moving: &Moving<'_>,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let answer = if has_vertices(moving.start.shape_a) && has_vertices(moving.start.shape_b) {
        let seen = Seen { time: 0.0, placed: moving.at(0.0), simplex: Simplex::default(), apart: None, upper: 0.0 };
        Search { moving, options, cache, workspace, seen }.run()
    } else {
        impact_any::impact(moving, options, cache, workspace)
    };
    answer.map(|impact| if moving.start.swapped { impact.swapped() } else { impact })
}

/// The pair at the time that was looked at last.
struct Seen<'s> {
    time: f64,
    placed: Placed<'s>,
    simplex: Simplex,
    apart: Option<Apart>,
    /// The upper bound of the reading.
    upper: f64,
}

/// One question on its way to an answer.
struct Search<'q, 's> {
    moving: &'q Moving<'s>,
    options: &'q ImpactOptions,
    cache: &'q mut PairCache,
    workspace: &'q mut Workspace,
    seen: Seen<'s>,
}

impl Search<'_, '_> {
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

    /// Where the advance to the contact is to begin, and how many questions were asked to find out; `None` if the swept sets
    /// do not meet.
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
        // The common point of the swept sets is one of the bodies at a time between: the share of the vertices at the end.
        let count = moving.start.a.core.vertex_count() as u32;
        let at_end = |k: usize| if simplex.a[k] >= count { simplex.weight[k] } else { 0.0 };
        let contact = (0..simplex.count).map(at_end).sum::<f64>().clamp(0.0, 1.0);
        let near = self.options.tolerance.max(BRENT_LEVEL * moving.start.reach);
        Some(brent(0.0, contact, near, |time| self.read(time).upper - near))
    }

    /// Where the formula puts the contact, less what the proof needs to see a gap there; `None` where there is no formula or no
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
        // So much before that a reading proves a gap there also of bodies that meet at a slant, and so little that the next
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
            // Too small for products of lengths; then any two vertices are as near as anything.
            simplex.push(0, 0, placed.map.place(placed.b.core.vertex(0)) - placed.a.core.vertex(0));
            simplex.weight[0] = 1.0;
            Walk::Open(None)
        } else {
            let cache = &mut *self.cache;
            placed.walk(self.workspace.level, stop, cache, &mut simplex)
        };
        let margin = self.options.margin;
        let apart = match walk {
            Walk::Apart(apart) => Some(apart),
            Walk::Inside | Walk::Open(_) => self.settle(&placed, &mut simplex),
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

    /// What a walk left open. Where its last simplex has come as near the origin as rounding lets it see, it stays as it is:
    /// this is the contact. Else exact arithmetic says whether the cores are apart, and gives the weights.
    fn settle(&mut self, placed: &Placed<'_>, simplex: &mut Simplex) -> Option<Apart> {
        let (point_a, point_b) = placed.witness(simplex);
        let residual = placed.map.place(point_b).distance(point_a);
        // A walk ends open at `LOWER_BOUND`; its weights add what those of a common point may be off.
        if residual <= (LOWER_BOUND + CONTACT_RESIDUAL) * placed.reach || placed.reach < SMALLEST_REACH {
            return None;
        }
        let exact = placed.exact_gap(simplex, self.cache, self.workspace);
        *simplex = exact.simplex;
        (exact.gap > 0.0).then(|| placed.exactly_apart(&exact))
    }

    /// Whether the placed bodies are in contact at the start, which was looked at last.
    fn meet_at_start(&mut self) -> bool {
        let placed = &self.seen.placed;
        let lengths = [placed.a.radius, placed.b.radius, self.options.margin];
        let reach = lengths[0] + lengths[1] + lengths[2];
        let doubt = 8.0 * UNIT_ROUNDOFF * reach;
        match self.seen.apart {
            Some(apart) if apart.lower > reach + doubt => false,
            Some(apart) if apart.upper < reach - doubt => true,
            _ => {
                let exact = placed.exact_gap(&self.seen.simplex, self.cache, self.workspace);
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
        let mut evidence = ContactPairs::of(&self.seen.simplex);
        let mut touches = self.seen.upper <= 0.0;
        if !touches && self.seen.apart.is_none() {
            let wanted = Wanted { enough: 2.0 * placed.placement, tolerance: 0.0 };
            let depth = placed.depth_by_polytope(
                &self.seen.simplex.trimmed(),
                wanted,
                &mut PairCache::default(),
                self.workspace,
            );
            if depth.by_polytope
                && -depth.gap.upper > 2.0 * placed.placement
                && let Some(pairs) = collected(self.workspace.polytope.pairs())
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
            // Nothing tells a direction: against the motion.
            (None, None) => -self.moving.world.normalize_or(DVec3::X),
        };
        let (slow, fast) = closing(normal, self.moving.world);
        // Ended by the tolerance rather than by rounding.
        if near && reached.reading.upper <= self.options.tolerance {
            return Some(self.grazing(reached.lower, normal, steps));
        }
        if self.seen.upper <= 0.0 {
            let proof = (true, 0.0, ContactPairs::of(&self.seen.simplex));
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

    /// The answer that says only how near the bodies come.
    fn grazing(&self, time: f64, normal: DVec3, steps: u32) -> Impact {
        let gap = self.seen.upper.max(0.0);
        let proof = (gap == 0.0, gap, ContactPairs::of(&self.seen.simplex));
        self.impact((time, time, time), Some(normal), proof, steps)
    }

    /// A time, little after `time`, before which contact is proved, with what proves it. `slow` is a lower bound of the speed
    /// at which the bodies close in across the plane between them.
    fn prove_contact(&mut self, time: f64, slow: f64) -> Option<(f64, ContactPairs)> {
        let moving = self.moving;
        if moving.start.radii() + self.options.margin > 0.0 {
            let (seen_upper, mut upper) = (self.seen.upper, time);
            let mut found = None;
            let before = Seen { placed: moving.at(time), ..self.seen };
            // Round bodies slow down after first contact; each try is a little later.
            for factor in [1.5, 4.0, 32.0] {
                let next = (time + factor * seen_upper / slow).next_up().min(1.0);
                if next <= upper {
                    break;
                }
                upper = next;
                if self.read(upper).upper <= 0.0 {
                    found = Some((upper, ContactPairs::of(&self.seen.simplex)));
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
        // The plane of the triangle is passed by `doubt` when the bodies have closed in by that much more than the gap.
        let upper = soon(1.25 * (self.seen.upper + 2.0 * doubt));
        if upper > time
            && let Some(pairs) = self.prism(upper, doubt)
        {
            return Some((upper, pairs));
        }
        // The polytope loses `LOWER_BOUND` of its depth to roundings.
        let upper = soon(2.0 * self.seen.upper + 4.0 * (doubt + LOWER_BOUND * reach));
        if upper <= time {
            return None;
        }
        let pair = moving.swept_cores(upper);
        let wanted = Wanted { enough: doubt, tolerance: 0.0 };
        let polytope = &mut self.workspace.polytope;
        let depth = at_level!(self.workspace.level, simd =>
            epa::depth(simd, &pair, &self.seen.simplex.trimmed(), wanted, polytope));
        let count = moving.start.a.core.vertex_count() as u32;
        if depth.by_polytope
            && -depth.gap.upper > doubt
            && let Some(pairs) = collected(polytope.pairs().map(|[a, b]| [a % count, b]))
        {
            return Some((upper, pairs));
        }
        // Contact so near the start that nothing separates before it: the bodies themselves, a little later.
        let later = moving.at(upper);
        let wanted = Wanted { enough: 2.0 * later.placement, tolerance: 0.0 };
        let depth =
            later.depth_by_polytope(&self.seen.simplex.trimmed(), wanted, &mut PairCache::default(), self.workspace);
        if depth.by_polytope
            && -depth.gap.upper > 2.0 * later.placement
            && let Some(pairs) = collected(self.workspace.polytope.pairs())
        {
            return Some((upper, pairs));
        }
        None
    }

    /// The last simplex, if it is a triangle of the difference that the origin crosses before `upper`, farther than `doubt`
    /// from its sides and, at both ends, from its plane. In double-double, since sides can be nearly along the motion.
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
        // The origin must lie between the two copies of the triangle; a NaN, from a triangle without area, is refused too.
        let between = first.abs() > doubt && last.abs() > doubt && (first > 0.0) != (last > 0.0);
        let sides = [0, 1, 2].map(|k| off((corners[(k + 1) % 3] - corners[k]).cross(way), corners[k]));
        let within = sides.iter().all(|s| *s > doubt) || sides.iter().all(|s| *s < -doubt);
        (between && within).then(|| ContactPairs::of(simplex))
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
                // Round bodies touch where the cores are nearest now; the plane between them was found a little earlier.
                let normal = self.seen.apart.map_or(normal, |apart| placed.world_normal(apart.direction));
                point_a += placed.pose_a.inverse_rotation() * (normal * placed.a.radius);
                point_b -= placed.pose_b.inverse_rotation() * (normal * placed.b.radius);
            }
            None if placed.radii() > 0.0 => {
                // Divide what is between the cores in proportion to the radii, as far as they reach.
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
            t,
            lower,
            upper,
            touches,
            gap,
            margin: self.options.margin,
            placement: placed.placement,
            point_in_a,
            point_in_b,
            part_a: 0,
            part_b: 0,
            feature_a: features.0,
            feature_b: features.1,
            normal,
            started_overlapping: false,
            evidence,
            deep: None,
            algorithm: self.options.algorithm,
            steps,
        }
    }
}

/// The pairs, if there is room for them.
fn collected(pairs: impl Iterator<Item = [u32; 2]>) -> Option<ContactPairs> {
    let mut all = ContactPairs::default();
    for pair in pairs {
        if !all.add(pair) {
            return None;
        }
    }
    Some(all)
}

impl Impact {
    /// The answer to the question with its bodies exchanged.
    pub(super) fn swapped(self) -> Impact {
        Impact {
            point_in_a: self.point_in_b,
            point_in_b: self.point_in_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            part_a: self.part_b,
            part_b: self.part_a,
            normal: self.normal.map(|n| -n),
            evidence: self.evidence.swapped(),
            deep: self.deep.map(|[a, b]| [b, a]),
            ..self
        }
    }

    /// The answer to the same question at another scale, a power of two. Times stay.
    pub(super) fn scaled(self, factor: f64) -> Impact {
        let up = |x: f64| {
            let scaled = x * factor;
            if scaled.is_normal() || x == 0.0 { scaled } else { scaled.next_up() }
        };
        Impact {
            gap: up(self.gap),
            margin: (self.margin * factor).min(LARGEST_MARGIN),
            placement: up(self.placement),
            point_in_a: self.point_in_a * factor,
            point_in_b: self.point_in_b * factor,
            deep: self.deep.map(|points| points.map(|p| p * factor)),
            ..self
        }
    }
}
