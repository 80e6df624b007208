//! The placed pair: two bodies in the frame of one of them, chosen by a total order so that the order of the arguments
//! does not matter, and the step from a bracket of the placed cores to one of the real-number bodies.

use std::cell::RefCell;

use fearless_simd::{Level, Simd};
use glam::DVec3;

use crate::convex::box_box::{self, Verdict};
use crate::convex::closed_forms::{self, Proposal};
use crate::convex::common_point::common_point;
use crate::convex::core::{AnyCore, Body, Core, Searched, Smooth};
use crate::convex::epa::{self, Depth, EpaGoal};
use crate::convex::exact::{self, ExactGap};
use crate::convex::exact_epa::{self, ExactDepth};
use crate::convex::gjk::{self, GapBracket, Pair, Stop, Walk};
use crate::convex::half_space::HalfSpacePair;
use crate::convex::hull_axes::{self, HullAxis};
use crate::convex::johnson::Johnson;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::feature;
use crate::convex::simplex::{Reduce, Simplex, Voronoi};
use crate::convex::smooth::{self, Sampled, SignedGap};
use crate::convex::workspace::ConvexWorkspace;
use crate::math::placement::{Placement, WidePlacement};
use crate::math::pose::Pose;
use crate::math::simd::{at_level, plain};
use crate::math::tolerances::{
    ACCURACY, CONTACT_POINT, CONTACT_RESIDUAL, FACE_BOUND, GJK_ACCEPT, LOWER_BOUND, ROUND_UP, UNIT_ROUNDOFF,
    UPPER_BOUND,
};
use crate::shape::{Feature, PairKind, Shape, SupportSearch, is_frame_b, order};

/// Two bodies in the frame of the first.
pub(crate) struct Placed<'s> {
    pub shape_a: &'s Shape,
    pub shape_b: &'s Shape,
    pub pose_a: &'s Pose,
    pub pose_b: &'s Pose,
    pub a: Body<'s>,
    pub b: Body<'s>,
    pub map: Placement,
    /// The caller's A is B here.
    pub swapped: bool,
    /// Rounding errors are relative to this: `2 r_a + 2 r_b + |t|`, see `tolerances::LOWER_BOUND`.
    pub reach: f64,
    /// Bound on the distance of placed from ideal vertices.
    pub placement: f64,
}

impl<'s> Placed<'s> {
    #[inline(always)]
    pub fn new(a: &'s Shape, pose_a: &'s Pose, b: &'s Shape, pose_b: &'s Pose) -> Placed<'s> {
        let swapped = is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b));
        let (shape_a, pose_a, shape_b, pose_b) = if swapped { (b, pose_b, a, pose_a) } else { (a, pose_a, b, pose_b) };
        Placed::of_bodies((shape_a, pose_a, Body::of(shape_a)), (shape_b, pose_b, Body::of(shape_b)), swapped)
    }

    /// The pair of two bodies that are already in order; `swapped` says whether the caller had them the other way
    /// round.
    #[inline(always)]
    pub fn of_bodies(
        a: (&'s Shape, &'s Pose, Body<'s>),
        b: (&'s Shape, &'s Pose, Body<'s>),
        swapped: bool,
    ) -> Placed<'s> {
        Placed::with_wide_map(plain(), a, b, swapped).0
    }

    /// [`Placed::of_bodies`] together with its map in wide form.
    #[inline(always)]
    pub fn with_wide_map<S: Simd>(
        simd: S,
        (shape_a, pose_a, a): (&'s Shape, &'s Pose, Body<'s>),
        (shape_b, pose_b, b): (&'s Shape, &'s Pose, Body<'s>),
        swapped: bool,
    ) -> (Placed<'s>, WidePlacement<S>) {
        let (map, wide) = Placement::with_wide(simd, (pose_a, a.origin), (pose_b, b.origin));
        let reach = (2.0 * (a.extent + b.extent) + map.separation) * ROUND_UP;
        let placement = map.bound(b.extent);
        (Placed { shape_a, shape_b, pose_a, pose_b, a, b, map, swapped, reach, placement }, wide)
    }

    /// The sum of the radii, rounded to nearest.
    #[inline(always)]
    pub fn radii(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// The closest features of the placed cores, in floating point: by a closed form if there is one, otherwise by GJK.
    /// `simplex`, expected empty, becomes the last one.
    #[inline]
    pub fn walk(&self, level: Level, stop: Stop, cache: &mut PairCache, simplex: &mut Simplex) -> Walk {
        self.walk_unless(self.proposal().as_ref(), level, stop, cache, simplex)
    }

    /// [`Placed::walk`] where the proposal, if there is one, is known.
    #[inline]
    pub fn walk_unless(
        &self,
        proposal: Option<&Proposal>,
        level: Level,
        stop: Stop,
        cache: &mut PairCache,
        simplex: &mut Simplex,
    ) -> Walk {
        let (placement, reach) = (&self.map, self.reach);
        match (self.a.core, self.b.core) {
            (AnyCore::Hull(a), AnyCore::Hull(b)) => match (&a.search, &b.search) {
                (SupportSearch::Scan(few_a), SupportSearch::Scan(few_b)) => {
                    let (few_a, few_b) = (few_a.as_ref(), few_b.as_ref());
                    let (a, b) = (Searched::new(a, few_a), Searched::new(b, few_b));
                    self.walk_at(level, &Pair { a, b, placement, reach }, stop, cache, simplex)
                }
                (SupportSearch::Cells(cells_a), SupportSearch::Cells(cells_b)) => {
                    let (a, b) = (Searched::new(a, cells_a), Searched::new(b, cells_b));
                    self.walk_at(level, &Pair { a, b, placement, reach }, stop, cache, simplex)
                }
                _ => self.walk_at(level, &self.pair(), stop, cache, simplex),
            },
            (a, b) => {
                if let Some(proposal) = proposal
                    && let Some(apart) = closed_forms::gap((&a, &b), placement, reach, stop, proposal, simplex)
                {
                    return Walk::Apart(apart);
                }
                self.walk_at(level, &Pair { a, b, placement, reach }, stop, cache, simplex)
            }
        }
    }

    /// The closest points of cores with a closed form.
    #[inline(always)]
    pub fn proposal(&self) -> Option<Proposal> {
        closed_forms::nearest_points(&self.a.core, &self.b.core, &self.map)
    }

    /// Whether a length certainly exceeds the distance of the proposed points.
    #[inline(always)]
    pub fn bridges(&self, length: f64, proposal: &Proposal) -> bool {
        self.map.place(proposal.point_b).distance(proposal.point_a) + UPPER_BOUND * self.reach < length
    }

    /// One copy for each kind of pair and instruction set, shared by all queries: inlined into each of them, GJK would
    /// make a debug build's stack frame megabytes large.
    #[inline(never)]
    fn walk_at<A: Core, B: Core>(
        &self,
        level: Level,
        pair: &Pair<'_, A, B>,
        stop: Stop,
        cache: &mut PairCache,
        simplex: &mut Simplex,
    ) -> Walk {
        at_level!(level, simd => self.walk_pair::<Voronoi, _, _, _>(simd, pair, stop, cache, simplex))
    }

    /// [`Placed::walk`] with Johnson's sub-algorithm: one copy for all pairs and machines, never a closed form.
    #[inline(never)]
    pub fn walk_by_johnson(&self, stop: Stop, cache: &mut PairCache, simplex: &mut Simplex) -> Walk {
        self.walk_pair::<Johnson, _, _, _>(plain(), &self.pair(), stop, cache, simplex)
    }

    /// GJK from the simplex cached by the last query of this pair.
    #[inline(always)]
    fn walk_pair<R: Reduce, S: Simd, A: Core, B: Core>(
        &self,
        simd: S,
        pair: &Pair<'_, A, B>,
        stop: Stop,
        cache: &mut PairCache,
        simplex: &mut Simplex,
    ) -> Walk {
        let map = WidePlacement::new(simd, pair.placement);
        self.recall(simd, pair, &map, cache, simplex);
        let walk = gjk::walk_by::<R, S, A, B>(simd, pair, &map, simplex, stop);
        cache.store(simplex, self.swapped);
        walk
    }

    /// Fills an empty simplex from the cache of this pair.
    #[inline(always)]
    pub fn recall<S: Simd, A: Core, B: Core>(
        &self,
        simd: S,
        pair: &Pair<'_, A, B>,
        map: &WidePlacement<S>,
        cache: &PairCache,
        simplex: &mut Simplex,
    ) {
        let (count, a, b) = cache.pairs(pair.a.vertex_count(), pair.b.vertex_count(), self.swapped);
        for (&a, &b) in a[..count].iter().zip(&b[..count]) {
            simplex.push(a, b, pair.wide_difference(simd, map, a, b));
        }
    }

    /// The pair of a half-space and another body, if it is one: the half-space is the frame.
    #[inline(always)]
    pub fn half_space(&self) -> Option<HalfSpacePair<'_>> {
        match self.a.core {
            AnyCore::Smooth(Smooth::HalfSpace { normal, offset }) => {
                Some(HalfSpacePair { normal, offset, body: self.b, map: &self.map, reach: self.reach })
            }
            _ => None,
        }
    }

    /// The verdict of the separating axes on two hulls; undecided for other cores. The separating axis is cached.
    #[inline(never)]
    pub fn hull_axes(&self, cache: &mut PairCache, workspace: &mut ConvexWorkspace) -> Verdict<HullAxis> {
        let (AnyCore::Hull(a), AnyCore::Hull(b)) = (self.a.core, self.b.core) else { return Verdict::Undecided };
        let pair = Pair { a, b, placement: &self.map, reach: self.reach };
        let hint = cache.hull_axis.map(|axis| axis.swapped_if(self.swapped));
        let scratch = &mut workspace.hull_axes;
        let verdict = at_level!(workspace.level, simd => hull_axes::verdict(simd, &pair, hint, scratch));
        if let Verdict::Apart(axis) = verdict {
            cache.hull_axis = Some(axis.swapped_if(self.swapped));
        }
        verdict
    }

    fn pair(&self) -> Pair<'_, AnyCore<'s>, AnyCore<'s>> {
        Pair { a: self.a.core, b: self.b.core, placement: &self.map, reach: self.reach }
    }

    /// The exact gap of the placed cores.
    #[cold]
    pub fn exact_gap(&self, start: &Simplex, cache: &mut PairCache, workspace: &mut ConvexWorkspace) -> ExactGap {
        workspace.exact_decisions += 1;
        let gap = exact::gap(&self.pair(), start);
        cache.store(&gap.simplex, self.swapped);
        gap
    }

    /// The simplex of a common point with weights that make its two copies coincide: as they are, if they already do,
    /// otherwise computed exactly. The tetrahedron can be so flat that rounded weights miss the origin.
    pub fn with_accurate_weights(
        &self,
        simplex: Simplex,
        cache: &mut PairCache,
        workspace: &mut ConvexWorkspace,
    ) -> Simplex {
        let (point_a, point_b) = self.witness(&simplex);
        let residual = self.map.place(point_b).distance(point_a);
        if residual <= CONTACT_RESIDUAL * self.reach {
            return simplex;
        }
        self.exact_gap(&simplex, cache, workspace).simplex
    }

    /// A bracket of the signed gap of placed cores that GJK did not separate, from its last simplex.
    pub fn depth(
        &self,
        start: &Simplex,
        wanted: EpaGoal,
        cache: &mut PairCache,
        workspace: &mut ConvexWorkspace,
    ) -> Depth {
        if let (AnyCore::Box(a), AnyCore::Box(b)) = (self.a.core, self.b.core)
            && let Some((gap, simplex)) = box_box::depth(a, b, &self.map, self.reach)
        {
            // All vertices of the difference prove it.
            workspace.polytope.set_pairs((0..64).map(|k| (k >> 3, k & 7)));
            return Depth { gap, simplex, by_polytope: true, aside: 0.0 };
        }
        self.depth_by_polytope(start, wanted, cache, workspace)
    }

    /// [`Placed::depth`] by the expanding polytope, whatever the cores: its corners are few.
    pub fn depth_by_polytope(
        &self,
        start: &Simplex,
        wanted: EpaGoal,
        cache: &mut PairCache,
        workspace: &mut ConvexWorkspace,
    ) -> Depth {
        let polytope = &mut workspace.polytope;
        let depth = at_level!(workspace.level, simd => match (self.a.core, self.b.core) {
            (AnyCore::Hull(a), AnyCore::Hull(b)) => {
                let pair = Pair { a, b, placement: &self.map, reach: self.reach };
                epa::depth(simd, &pair, start, wanted, polytope)
            }
            _ => epa::depth(simd, &self.pair(), start, wanted, polytope),
        });
        let is_tight = |depth: &Depth| {
            // The face that determines the depth may be a sliver that leaves its foot undecided.
            self.is_tight_within(&depth.gap, wanted.tolerance)
                && depth.aside <= GJK_ACCEPT * self.reach + (depth.gap.upper - depth.gap.lower)
        };
        let enough = -depth.gap.upper > wanted.enough || is_tight(&depth);
        if enough { depth } else { self.exact_depth(start, cache, workspace) }
    }

    /// [`Placed::depth`] in exact arithmetic, where floating point ends with a bracket wider than requested.
    #[cold]
    fn exact_depth(&self, start: &Simplex, cache: &mut PairCache, workspace: &mut ConvexWorkspace) -> Depth {
        let exact = self.exact_gap(start, cache, workspace);
        if exact.gap > 0.0 {
            return Depth { gap: self.exactly_apart(&exact), simplex: exact.simplex, by_polytope: false, aside: 0.0 };
        }
        let pair = self.pair();
        let mut corners = Vec::new();
        let ExactDepth { depth, outward, simplex } = exact_epa::depth(&pair, &exact.simplex, &mut corners);
        workspace.polytope.set_pairs(corners.into_iter());
        let (a, b) = pair.support(plain(), -outward);
        let lower = pair.lower_bound(-outward, 1.0, pair.difference(a, b));
        let proved = depth * (1.0 - 8.0 * UNIT_ROUNDOFF) - FACE_BOUND * self.reach;
        let by_polytope = proved > 0.0;
        // Otherwise by the two points, one depth apart.
        let upper = if by_polytope { -proved } else { depth + CONTACT_POINT * self.reach };
        let (point_a, point_b) = self.witness(&simplex);
        let gap = GapBracket { lower, upper, length: -depth, direction: -outward, point_a, point_b };
        Depth { gap, simplex, by_polytope, aside: 0.0 }
    }

    /// Whether a bracket of the signed gap is as tight as rounding allows, so that no other method is needed.
    #[inline(always)]
    pub fn is_tight(&self, gap: &GapBracket) -> bool {
        self.is_tight_within(gap, 0.0)
    }

    /// [`Placed::is_tight`] where a bracket of width `tolerance` is enough.
    #[inline(always)]
    fn is_tight_within(&self, gap: &GapBracket, tolerance: f64) -> bool {
        // Written so that NaN is not tight.
        gap.upper - gap.lower <= GJK_ACCEPT * self.reach + tolerance
    }

    /// True when a core is curved: then [`Placed::signed_gap`] answers, not [`Placed::walk`].
    #[inline(always)]
    pub fn is_smooth(&self) -> bool {
        self.a.core.is_smooth() || self.b.core.is_smooth()
    }

    /// The signed gap of the placed cores where one is curved. The search stops for cores no farther apart than
    /// `meets_within`, and, where that is zero or more, for cores that overlap.
    #[cold]
    pub fn signed_gap(
        &self,
        stop: Stop,
        meets_within: f64,
        cache: &mut PairCache,
        workspace: &mut ConvexWorkspace,
    ) -> SignedGap {
        let pair = self.sampled(&workspace.samples);
        let (polytope, hint) = (&mut workspace.polytope, cache.direction(self.swapped));
        let found = smooth::signed_gap(&pair, hint, stop, meets_within, polytope);
        cache.store_direction(found.gap.direction, self.swapped);
        found
    }

    /// The features of the witness points of curved cores.
    #[cold]
    pub fn curved_features(&self, found: &SignedGap) -> (Feature, Feature) {
        let SignedGap { gap, members_a, members_b, .. } = found;
        let (curved_a, curved_b) = found.features(&self.a.core, &self.b.core, &self.map);
        let feature_a = curved_a.unwrap_or_else(|| feature::of(self.shape_a, members_a, gap.point_a));
        (feature_a, curved_b.unwrap_or_else(|| feature::of(self.shape_b, members_b, gap.point_b)))
    }

    /// The features of a search on curved cores that was stopped early: the points may lie on chords.
    #[cold]
    pub fn unfinished_curved_features(&self, found: &SignedGap) -> (Feature, Feature) {
        let of = |shape: &Shape, core: &AnyCore<'_>, members: &[u32], point: DVec3| match core {
            AnyCore::Smooth(_) => Feature::Interior,
            _ => feature::of_unfinished(shape, members, point),
        };
        let SignedGap { gap, members_a, members_b, .. } = found;
        let feature_a = of(self.shape_a, &self.a.core, members_a, gap.point_a);
        (feature_a, of(self.shape_b, &self.b.core, members_b, gap.point_b))
    }

    /// Two points of curved cores that intersect, as close to each other as rounding allows; `found` by
    /// [`Placed::signed_gap`].
    pub fn common_point(&self, found: &SignedGap, workspace: &ConvexWorkspace) -> (DVec3, DVec3) {
        common_point(&self.sampled(&workspace.samples), found)
    }

    fn sampled<'w>(&'w self, samples: &'w [RefCell<Vec<DVec3>>; 2]) -> Pair<'w, Sampled<'w>, Sampled<'w>> {
        Pair {
            a: Sampled::new(self.a.core, self.a.extent, &samples[0]),
            b: Sampled::new(self.b.core, self.b.extent, &samples[1]),
            placement: &self.map,
            reach: self.reach,
        }
    }

    /// Both witness points by a simplex's weights, relative to the local origins.
    pub fn witness(&self, simplex: &Simplex) -> (DVec3, DVec3) {
        gjk::witness(&self.pair(), simplex)
    }

    /// Whether a length certainly exceeds the distance of the two points of a simplex: cores that cross or touch up to
    /// rounding need no exact arithmetic where radii or a margin extend farther. The error of the points, for up to
    /// four members, is in `CONTACT_POINT`.
    pub fn is_bridged(&self, simplex: &Simplex, length: f64) -> bool {
        if length <= 0.0 {
            return false;
        }
        let (point_a, point_b) = self.witness(simplex);
        self.map.place(point_b).distance(point_a) + CONTACT_POINT * self.reach < length
    }

    /// The bracket of an exact gap greater than zero, with its witness.
    pub fn exactly_apart(&self, exact: &ExactGap) -> GapBracket {
        let (point_a, point_b) = self.witness(&exact.simplex);
        GapBracket {
            lower: exact.gap - LOWER_BOUND * self.reach,
            upper: exact.gap * (1.0 + 8.0 * UNIT_ROUNDOFF) + UPPER_BOUND * self.reach,
            length: exact.gap,
            direction: exact.direction,
            point_a,
            point_b,
        }
    }

    /// A lower bound for the real-number bodies from one of the placed cores.
    #[inline(always)]
    pub fn lower(&self, placed: f64) -> f64 {
        world_lower(placed - self.placement, self.map.stretch, self.radii())
    }

    /// An upper bound for the real-number bodies from one of the placed cores.
    #[inline(always)]
    pub fn upper(&self, placed: f64) -> f64 {
        world_upper(placed + self.placement, self.map.stretch, self.radii())
    }

    /// A gap or depth of the placed cores that certainly exceeds the given length in the world.
    #[inline(always)]
    pub fn beyond(&self, length: f64) -> f64 {
        length * (1.0 + 2.0 * self.map.stretch + 16.0 * UNIT_ROUNDOFF)
    }

    /// The world normal of a direction in the frame of A. A plane `n · x = c` of the frame is the plane of
    /// `R⁻ᵀ n` in the world.
    #[inline(always)]
    pub fn world_normal(&self, direction: DVec3) -> DVec3 {
        let m = self.pose_a.inverse_rotation();
        let n = DVec3::new(m.x_axis.dot(direction), m.y_axis.dot(direction), m.z_axis.dot(direction));
        n * inverse_length(n)
    }

    /// The witness points of a bracket of the cores, moved to the bodies' surfaces, in each body's own frame. `normal`
    /// is the world normal of the bracket's direction.
    #[inline(always)]
    pub fn surface_points(&self, gap: &GapBracket, normal: DVec3) -> (DVec3, DVec3) {
        // Radii are lengths in the world.
        let (mut point_a, mut point_b) = (gap.point_a, gap.point_b);
        let radii = self.radii();
        let along = if radii > 0.0 && gap.length > radii { self.along_points(gap, normal) } else { normal };
        if self.a.radius > 0.0 {
            point_a += self.pose_a.inverse_rotation() * (along * self.a.radius);
        }
        if self.b.radius > 0.0 {
            point_b -= self.pose_b.inverse_rotation() * (along * self.b.radius);
        }
        self.own_frames(point_a, point_b)
    }

    /// The world direction from one witness point of separated cores to the other. A bracket of the distance can be
    /// narrow though its direction, `normal` in the world, is off by the square root of the width: then large radii
    /// would take the points past each other. A GJK run that was stopped early is off by more, and only its normal
    /// leads to the surface.
    #[inline(always)]
    fn along_points(&self, gap: &GapBracket, normal: DVec3) -> DVec3 {
        let w = self.map.place(gap.point_b) - gap.point_a;
        let aside = (w - gap.direction * gap.length).length_squared();
        let noise = UNIT_ROUNDOFF * self.reach;
        // A radius laid off at a small angle to the normal ends below the surface by half its square, a quarter of the
        // points' allowed error.
        let below = self.radii() * aside / (2.0 * gap.length * gap.length);
        if aside <= noise * noise || below > 0.25 * ACCURACY * self.scale() {
            return normal;
        }
        self.world_normal(w * (1.0 / w.length()))
    }

    /// `L` of the contract.
    #[inline(always)]
    pub fn scale(&self) -> f64 {
        self.a.diameter + self.b.diameter + self.map.separation + 2.0 * self.radii()
    }

    /// Points relative to the local origins, in each body's own frame.
    #[inline(always)]
    pub fn own_frames(&self, point_a: DVec3, point_b: DVec3) -> (DVec3, DVec3) {
        (point_a + self.a.origin, point_b + self.b.origin)
    }
}

/// The reciprocal of the length of a unit vector after rotation by a pose. The length differs from 1 only by the
/// rigidity defect and rounding: two Newton steps.
#[inline(always)]
pub(crate) fn inverse_length(turned: DVec3) -> f64 {
    let squared = turned.dot(turned);
    let first = 1.5 - 0.5 * squared;
    first * (1.5 - 0.5 * squared * (first * first))
}

/// A lower bound in the world from one of the cores in a frame whose matrix stretches lengths by at most `stretch`.
#[inline(always)]
pub(crate) fn world_lower(core: f64, stretch: f64, radii: f64) -> f64 {
    round_down(core - core.abs() * (stretch + 2.0 * UNIT_ROUNDOFF), radii)
}

/// An upper bound in the world from one of the cores in such a frame.
#[inline(always)]
pub(crate) fn world_upper(core: f64, stretch: f64, radii: f64) -> f64 {
    round_up(core + core.abs() * (stretch + 2.0 * UNIT_ROUNDOFF), radii)
}

/// `value - radii`, rounded down; the sum of the radii may itself be off by a unit in the last place.
#[inline]
pub(crate) fn round_down(value: f64, radii: f64) -> f64 {
    let difference = value - radii;
    difference - (radii + difference.abs()) * (2.0 * UNIT_ROUNDOFF)
}

/// `value - radii`, rounded up.
#[inline]
pub(crate) fn round_up(value: f64, radii: f64) -> f64 {
    let difference = value - radii;
    difference + (radii + difference.abs()) * (2.0 * UNIT_ROUNDOFF)
}
