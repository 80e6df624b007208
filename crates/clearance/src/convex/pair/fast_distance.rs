//! Distance of separated bodies, without a margin, for hulls, boxes, and a sphere and a hull: the query of
//! `distance.rs` in one piece.
//!
//! Steps and numbers are those of the general path, bit for bit. The gain: the whole query is one function for each
//! instruction set and kind of pair, in which the compiler knows both kinds of body, so that nothing is looked up twice
//! and the placed pair, the bracket and the answer are not copied from call to call. Bodies not shown to be separated
//! take the general path, from the last simplex of this run.

use fearless_simd::{Level, Simd};
use glam::DVec3;

use crate::answer::distance::Distance;
use crate::answer::method::{Method, Stopped};
use crate::convex::core::{Body, BoxCore, Core, PointCore, Searched};
use crate::convex::gjk::{self, GapBracket, Pair, Stop, Walk};
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance::with_world_bracket;
use crate::convex::pair::feature;
use crate::convex::pair::placed::Placed;
use crate::convex::pair::rescale::is_tiny;
use crate::convex::simplex::{Simplex, Voronoi};
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::shape::{ConvexHull, Farthest, Feature, PairKind, Shape, SupportSearch, is_frame_b, order};

/// A posed body.
#[derive(Clone, Copy)]
struct Posed<'s> {
    shape: &'s Shape,
    pose: &'s Pose,
}

/// The query, its bodies in the order of the placed pair.
struct Query<'s> {
    a: Posed<'s>,
    b: Posed<'s>,
    swapped: bool,
    tolerance: f64,
    level: Level,
}

/// The fallback, given the cache with the last simplex if there is a cache.
type Fallback<'o> = &'o mut dyn FnMut(Option<&mut PairCache>) -> Distance;

/// A kind of core with a specialised copy of the query.
trait Known: Core {
    /// How many members of a simplex determine the feature.
    const MEMBERS: usize = 4;
    /// The core of a body of this kind with its quantities.
    #[inline(always)]
    fn body<'s>(&self, shape: &'s Shape) -> Body<'s>
    where
        Self: 's,
    {
        Body::of(shape)
    }
    /// The feature of a point, from the members of a simplex that support it.
    fn feature(&self, members: &[u32], point: DVec3) -> Feature;
    /// The cache key of features, if finding them is expensive enough.
    #[inline(always)]
    fn content(&self) -> Option<u64> {
        None
    }
}

impl<F: Farthest> Known for Searched<'_, F> {
    const MEMBERS: usize = 3;

    #[inline(always)]
    fn body<'s>(&self, _shape: &'s Shape) -> Body<'s>
    where
        Self: 's,
    {
        // Without a test of the kind of body.
        Body::of_hull(self.hull)
    }

    #[inline(always)]
    fn feature(&self, members: &[u32], point: DVec3) -> Feature {
        feature::of_hull(self.hull, members, point)
    }

    #[inline(always)]
    fn content(&self) -> Option<u64> {
        Some(self.hull.hash)
    }
}

impl Known for PointCore {
    #[inline(always)]
    fn feature(&self, _members: &[u32], _point: DVec3) -> Feature {
        Feature::Face(0)
    }
}

impl Known for BoxCore {
    #[inline(always)]
    fn feature(&self, members: &[u32], point: DVec3) -> Feature {
        feature::of_box(self.0, members, point)
    }
}

/// The features of the witness points. Not in the closure that requests them: at this length it would not be inlined,
/// which costs a query some ten nanoseconds whether or not it is called.
#[inline(always)]
fn features<A: Known, B: Known>(core_a: &A, core_b: &B, simplex: &Simplex, apart: &GapBracket) -> (Feature, Feature) {
    let count = simplex.count.min(A::MEMBERS).min(B::MEMBERS);
    (core_a.feature(&simplex.a[..count], apart.point_a), core_b.feature(&simplex.b[..count], apart.point_b))
}

/// Whether a pair other than two hulls has a specialised copy of the query.
#[inline(always)]
pub(crate) fn are_known(a: &Shape, b: &Shape) -> bool {
    matches!(
        (a, b),
        (Shape::Hull(_), Shape::Sphere(_)) | (Shape::Sphere(_), Shape::Hull(_)) | (Shape::Cuboid(_), Shape::Cuboid(_))
    )
}

/// The answer for two hulls, which are those of the two shapes. Separate from [`distance`], so that no dispatch
/// remains.
#[inline(always)]
pub(crate) fn distance_of_hulls(
    (a, hull_a, pose_a): (&Shape, &ConvexHull, &Pose),
    (b, hull_b, pose_b): (&Shape, &ConvexHull, &Pose),
    tolerance: f64,
    level: Level,
    cache: Option<&mut PairCache>,
    fallback: Fallback<'_>,
) -> Distance {
    let swapped = is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b));
    let (a, b) = ((Posed { shape: a, pose: pose_a }, hull_a.hull()), (Posed { shape: b, pose: pose_b }, hull_b.hull()));
    let ((a, hull_a), (b, hull_b)) = if swapped { (b, a) } else { (a, b) };
    let query = Query { a, b, swapped, tolerance, level };
    match (&hull_a.search, &hull_b.search) {
        (SupportSearch::Scan(few_a), SupportSearch::Scan(few_b)) => {
            let cores = (Searched::new(hull_a, few_a.as_ref()), Searched::new(hull_b, few_b.as_ref()));
            query.ask(cores, cache, fallback)
        }
        (SupportSearch::Cells(cells_a), SupportSearch::Cells(cells_b)) => {
            query.ask((Searched::new(hull_a, cells_a), Searched::new(hull_b, cells_b)), cache, fallback)
        }
        _ => fallback(cache),
    }
}

/// The answer for two bodies that [`are_known`].
#[inline(always)]
pub(crate) fn distance(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    tolerance: f64,
    level: Level,
    cache: Option<&mut PairCache>,
    fallback: Fallback<'_>,
) -> Distance {
    let swapped = is_frame_b(PairKind::Convex, order(a, pose_a, b, pose_b));
    let (a, b) = (Posed { shape: a, pose: pose_a }, Posed { shape: b, pose: pose_b });
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    let query = Query { a, b, swapped, tolerance, level };
    match (a.shape, b.shape) {
        // A sphere comes before a hull.
        (Shape::Sphere(_), Shape::Hull(hull)) => match (hull.hull(), &hull.hull().search) {
            (hull, SupportSearch::Scan(few)) => {
                query.ask((PointCore, Searched::new(hull, few.as_ref())), cache, fallback)
            }
            (hull, SupportSearch::Cells(cells)) => query.ask((PointCore, Searched::new(hull, cells)), cache, fallback),
        },
        (Shape::Cuboid(a), Shape::Cuboid(b)) => {
            query.ask((BoxCore(a.half_extents()), BoxCore(b.half_extents())), cache, fallback)
        }
        _ => fallback(cache),
    }
}

impl Query<'_> {
    /// One call to the instruction set's copy of the answer: another function in between costs some forty instructions.
    #[inline(always)]
    fn ask<A: Known, B: Known>(
        &self,
        (core_a, core_b): (A, B),
        cache: Option<&mut PairCache>,
        fallback: Fallback<'_>,
    ) -> Distance {
        at_level!(self.level, simd => self.answer(simd, core_a, core_b, cache, fallback),
            else simd => self.plain_answer(simd, core_a, core_b, cache, fallback))
    }

    /// [`Query::answer`], not inlined.
    #[inline(never)]
    fn plain_answer<S: Simd, A: Known, B: Known>(
        &self,
        simd: S,
        core_a: A,
        core_b: B,
        cache: Option<&mut PairCache>,
        fallback: Fallback<'_>,
    ) -> Distance {
        self.answer(simd, core_a, core_b, cache, fallback)
    }

    #[inline(always)]
    fn answer<S: Simd, A: Known, B: Known>(
        &self,
        simd: S,
        core_a: A,
        core_b: B,
        mut cache: Option<&mut PairCache>,
        fallback: Fallback<'_>,
    ) -> Distance {
        let (a, b) = (self.a, self.b);
        let a_posed = (a.shape, a.pose, core_a.body(a.shape));
        let b_posed = (b.shape, b.pose, core_b.body(b.shape));
        let (placed, wide) = Placed::with_wide_map(simd, a_posed, b_posed, self.swapped);
        if is_tiny(&placed) {
            return fallback(cache);
        }
        // A copy, so that the rest of the placed pair need not be in memory.
        let map = placed.map;
        let pair = Pair { a: core_a, b: core_b, placement: &map, reach: placed.reach };
        let mut simplex = Simplex::default();
        if let Some(cache) = cache.as_deref() {
            placed.recall(simd, &pair, &wide, cache, &mut simplex);
        }
        let stop = Stop { farther_than: f64::INFINITY, tolerance: self.tolerance };
        let walk = gjk::walk_by::<Voronoi, _, _, _>(simd, &pair, &wide, &mut simplex, stop);
        if let Some(cache) = cache.as_deref_mut() {
            cache.store(&simplex, self.swapped);
        }
        let radii = placed.radii();
        let apart = match walk {
            Walk::Apart(apart) if radii == 0.0 || apart.lower > radii * (1.0 + 4.0 * UNIT_ROUNDOFF) => apart,
            _ => return self.not_apart(&simplex, cache, fallback),
        };
        let bracket = placed.world_bracket(&apart);
        if !placed.is_complete(bracket[1] - bracket[0]) {
            let features = self.unfinished_features(&simplex, &apart);
            return with_world_bracket(
                &placed,
                &apart,
                bracket,
                features,
                Method::GjkStopped(Stopped::reason(f64::INFINITY, self.tolerance, bracket[0])),
            );
        }
        let find = || features(&core_a, &core_b, &simplex, &apart);
        let features = match (cache, core_a.content(), core_b.content()) {
            (Some(cache), Some(a), Some(b)) => cache.features((a, b), find),
            _ => find(),
        };
        with_world_bracket(&placed, &apart, bracket, features, Method::Gjk)
    }

    /// The answer where GJK did not separate the bodies. With or without a cache, it continues from the last simplex:
    /// the bits of the answer do not depend on the cache.
    #[cold]
    fn not_apart(&self, simplex: &Simplex, cache: Option<&mut PairCache>, fallback: Fallback<'_>) -> Distance {
        if cache.is_some() {
            return fallback(cache);
        }
        let mut started = PairCache::default();
        started.store(simplex, self.swapped);
        fallback(Some(&mut started))
    }

    /// The features of a GJK run that was stopped early. Not computed from the placed pair, which
    /// would then have to be in memory.
    #[cold]
    fn unfinished_features(&self, simplex: &Simplex, apart: &GapBracket) -> (Feature, Feature) {
        let count = simplex.count;
        (
            feature::of_unfinished(self.a.shape, &simplex.a[..count], apart.point_a),
            feature::of_unfinished(self.b.shape, &simplex.b[..count], apart.point_b),
        )
    }
}
