//! The distance of two hulls that are apart, without a margin: the question of `distance.rs` in one piece.
//!
//! The steps and the numbers are those of the general way, bit for bit. What is gained: the whole question is one function for each
//! instruction set and kind of search, in which the compiler knows both kinds of body, so that nothing is looked up twice and
//! the placed pair, the bracket and the answer are not copied from call to call. Bodies that are not seen to be apart take
//! the general way, from the simplex where this walk ended.

use std::cmp::Ordering;

use fearless_simd::{Level, Simd};

use super::answer::{Distance, Feature, Method};
use super::distance::named_between;
use super::feature;
use super::placed::{Placed, order};
use super::rescale::is_tiny;
use super::workspace::PairCache;
use crate::convex::core::{Body, Searched};
use crate::convex::gjk::{self, Apart, Pair, Stop, Walk};
use crate::convex::simplex::{Simplex, Voronoi};
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::shape::{ConvexHull, Farthest, Hull, Search, Shape};

/// A posed hull.
#[derive(Clone, Copy)]
struct Posed<'s> {
    shape: &'s Shape,
    hull: &'s Hull,
    pose: &'s Pose,
}

/// The question, its bodies in the order of the placed pair.
struct Question<'s> {
    a: Posed<'s>,
    b: Posed<'s>,
    swapped: bool,
    tolerance: f64,
    level: Level,
}

/// What else can answer, given the cache with the last simplex if there is a cache.
type Otherwise<'o> = &'o mut dyn FnMut(Option<&mut PairCache>) -> Distance;

/// The answer for two hulls, which are those of the two shapes.
#[inline(always)]
pub(super) fn distance(
    (a, hull_a, pose_a): (&Shape, &ConvexHull, &Pose),
    (b, hull_b, pose_b): (&Shape, &ConvexHull, &Pose),
    tolerance: f64,
    level: Level,
    cache: Option<&mut PairCache>,
    otherwise: Otherwise<'_>,
) -> Distance {
    let swapped = order(a, pose_a, b, pose_b) == Ordering::Greater;
    let a = Posed { shape: a, hull: hull_a.hull(), pose: pose_a };
    let b = Posed { shape: b, hull: hull_b.hull(), pose: pose_b };
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    let question = Question { a, b, swapped, tolerance, level };
    match (&a.hull.search, &b.hull.search) {
        (Search::Scan(few_a), Search::Scan(few_b)) => question.ask(few_a.as_ref(), few_b.as_ref(), cache, otherwise),
        (Search::Cells(cells_a), Search::Cells(cells_b)) => question.ask(cells_a, cells_b, cache, otherwise),
        _ => otherwise(cache),
    }
}

impl Question<'_> {
    /// One call to the instruction set's copy of the answer: another function in between costs some forty instructions.
    #[inline(always)]
    fn ask<F: Farthest>(
        &self,
        search_a: &F,
        search_b: &F,
        cache: Option<&mut PairCache>,
        otherwise: Otherwise<'_>,
    ) -> Distance {
        at_level!(self.level, simd => self.answer(simd, search_a, search_b, cache, otherwise),
            else simd => self.plain_answer(simd, search_a, search_b, cache, otherwise))
    }

    /// [`Question::answer`] in a function of its own.
    #[inline(never)]
    fn plain_answer<S: Simd, F: Farthest>(
        &self,
        simd: S,
        search_a: &F,
        search_b: &F,
        cache: Option<&mut PairCache>,
        otherwise: Otherwise<'_>,
    ) -> Distance {
        self.answer(simd, search_a, search_b, cache, otherwise)
    }

    #[inline(always)]
    fn answer<S: Simd, F: Farthest>(
        &self,
        simd: S,
        search_a: &F,
        search_b: &F,
        mut cache: Option<&mut PairCache>,
        otherwise: Otherwise<'_>,
    ) -> Distance {
        let (a, b) = (self.a, self.b);
        let bodies = (Body::of_hull(a.hull), Body::of_hull(b.hull));
        let (a_posed, b_posed) = ((a.shape, a.pose, bodies.0), (b.shape, b.pose, bodies.1));
        let (placed, wide) = Placed::with_wide_map(simd, a_posed, b_posed, self.swapped);
        if is_tiny(&placed) {
            return otherwise(cache);
        }
        // A copy, so that the rest of the placed pair need not be in memory.
        let map = placed.map;
        let pair = Pair {
            a: Searched { hull: a.hull, search: search_a },
            b: Searched { hull: b.hull, search: search_b },
            placement: &map,
            reach: placed.reach,
        };
        let mut simplex = Simplex::default();
        if let Some(cache) = cache.as_deref() {
            placed.recall(simd, &pair, &wide, cache, &mut simplex);
        }
        let stop = Stop { farther_than: f64::INFINITY, tolerance: self.tolerance };
        let walk = gjk::walk_by::<Voronoi, _, _, _>(simd, &pair, &wide, &mut simplex, stop);
        if let Some(cache) = cache.as_deref_mut() {
            cache.store(&simplex, self.swapped);
        }
        let Walk::Apart(apart) = walk else { return self.not_apart(&simplex, cache, otherwise) };
        let bracket = placed.world_bracket(&apart);
        if !placed.is_complete(bracket[1] - bracket[0]) {
            let features = self.unfinished_features(&simplex, &apart);
            return named_between(&placed, &apart, bracket, features, Method::GjkStopped);
        }
        let find = || self.features(&simplex, &apart);
        let features = match cache {
            Some(cache) => cache.features((a.hull.hash, b.hull.hash), find),
            None => find(),
        };
        named_between(&placed, &apart, bracket, features, Method::Gjk)
    }

    /// The answer where the walk did not see the bodies apart. Whether or not there is a cache, it goes on from the last simplex: the
    /// bits of the answer do not depend on that.
    #[cold]
    fn not_apart(&self, simplex: &Simplex, cache: Option<&mut PairCache>, otherwise: Otherwise<'_>) -> Distance {
        if cache.is_some() {
            return otherwise(cache);
        }
        let mut started = PairCache::default();
        started.store(simplex, self.swapped);
        otherwise(Some(&mut started))
    }

    /// The features of a walk that was ended early; not worth a place in the cache.
    #[cold]
    fn unfinished_features(&self, simplex: &Simplex, apart: &Apart) -> (Feature, Feature) {
        let count = simplex.count;
        (
            feature::of_unfinished(self.a.shape, &simplex.a[..count], apart.point_a),
            feature::of_unfinished(self.b.shape, &simplex.b[..count], apart.point_b),
        )
    }

    #[inline(always)]
    fn features(&self, simplex: &Simplex, apart: &Apart) -> (Feature, Feature) {
        let members = simplex.count.min(3);
        (
            feature::of_hull(self.a.hull, &simplex.a[..members], apart.point_a),
            feature::of_hull(self.b.hull, &simplex.b[..members], apart.point_b),
        )
    }
}
