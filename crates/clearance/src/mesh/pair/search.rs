//! Mesh against mesh: intersecting triangles and the nearest pair of triangles.
//!
//! The pair traversal of RAPID and PQP (Gottschalk, Lin and Manocha 1996; Larsen, Gottschalk, Lin and Manocha 1999)
//! over two wide trees (`tree/traverse_pair.rs`). Pairs from two leaves of up to eight triangles each are filtered in
//! single precision (`leaf_filter.rs`); the rest are decided on the placed points, exactly where they meet and with a
//! proved bracket where they do not.
//!
//! The lower bound of a distance is the least lower bound of all pairs measured in double precision; every other pair
//! was rejected as no nearer than the best upper bound at that time, which only decreases.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x8};
use glam::DVec3;

use crate::geom::triangle_distance::{TriangleGap, triangle_gap, triangle_gap_below};
use crate::geom::triangle_triangle::{Crossing, triangles_cross, triangles_meet};
use crate::math::placement::Placement;
use crate::math::simd::at_level;
use crate::math::tolerances::{ACCURACY, MESH_PAIR_FAILURES, MESH_PAIR_TESTED_FIRST};
use crate::mesh::leaf_filter::{LeafFilter, each};
use crate::mesh::oriented_bounds::OrientedBounds;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::Surface;
use crate::tree::beam_search::{BEAM_WIDTH, Candidate, near_leaves};
use crate::tree::traverse_pair::{Collector, Pair, walk};
use crate::tree::wide::{Below, Bounds, Leaf, WIDTH, round_up};

/// Two surfaces, B placed in the frame of A.
#[derive(Clone, Copy)]
pub(crate) struct MeshPair<'m> {
    pub a: &'m Surface,
    pub b: &'m Surface,
    pub map: Placement,
    trees: Pair<'m>,
    /// The accepted bracket width for two triangles: a twentieth of that promised for the meshes.
    pub accuracy: f64,
}

/// Two triangles, by slot, and their gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestTriangles {
    pub a: u32,
    pub b: u32,
    pub gap: TriangleGap,
    /// Proved lower bound over all pairs of triangles.
    pub lower: f64,
}

/// Two triangles that meet, by slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub a: u32,
    pub b: u32,
    pub crossing: Crossing,
}

/// What a search for the nearest triangles may skip.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestOptions {
    /// A pair of triangles within this distance ends the search.
    pub enough: f64,
    /// Improvements smaller than this are ignored.
    pub tolerance: f64,
    /// The same, relative to the gap.
    pub relative: f64,
    /// Pairs farther apart than this are ignored.
    pub within: Option<f64>,
}

impl NearestOptions {
    /// Pairs no nearer than this do not matter once a pair is known to be within `upper`.
    #[inline(always)]
    pub fn threshold(&self, upper: f64) -> f64 {
        let below = (upper - self.tolerance).min(upper * (1.0 - self.relative));
        below.min(self.within.unwrap_or(f64::INFINITY)).max(0.0)
    }
}

/// Finds triangles of two meshes that meet or are near each other: by the wide trees of the meshes, or by trees of the
/// caller's choice.
pub(crate) trait TriangleSearch {
    /// The instruction set.
    fn level(&self) -> Level;

    /// Two triangles that meet, if any do. `hint` is a pair to test first.
    fn first(&mut self, pair: &MeshPair<'_>, hint: Option<[u32; 2]>) -> Option<[u32; 2]>;

    /// All pairs of triangles that meet, each once, in any order.
    fn all(&mut self, pair: &MeshPair<'_>, found: &mut Vec<Meeting>);

    /// All pairs of triangles within a margin, each once, in any order.
    fn within(&mut self, pair: &MeshPair<'_>, margin: f64, found: &mut Vec<NearestTriangles>);

    /// The nearest two triangles, starting from a known pair if given.
    fn nearest(&mut self, pair: &MeshPair<'_>, start: Option<[u32; 2]>, options: &NearestOptions) -> NearestTriangles;
}

/// By the wide trees.
impl TriangleSearch for MeshWorkspace {
    #[inline(always)]
    fn level(&self) -> Level {
        self.level
    }

    #[inline(always)]
    fn first(&mut self, pair: &MeshPair<'_>, hint: Option<[u32; 2]>) -> Option<[u32; 2]> {
        pair.first(self.level, hint, &mut self.reaches)
    }

    #[inline(always)]
    fn all(&mut self, pair: &MeshPair<'_>, found: &mut Vec<Meeting>) {
        pair.all(self.level, usize::MAX, &mut self.reaches, found);
    }

    #[inline(always)]
    fn within(&mut self, pair: &MeshPair<'_>, margin: f64, found: &mut Vec<NearestTriangles>) {
        pair.within(self.level, margin, usize::MAX, &mut self.reaches, found);
    }

    #[inline(always)]
    fn nearest(&mut self, pair: &MeshPair<'_>, start: Option<[u32; 2]>, options: &NearestOptions) -> NearestTriangles {
        pair.nearest(self.level, start, options, &mut self.reaches)
    }
}

impl<'m> MeshPair<'m> {
    pub fn new(a: &'m Surface, b: &'m Surface, map: Placement) -> MeshPair<'m> {
        let off = map.bound(b.radius);
        let accuracy = 0.05 * ACCURACY * (a.diameter + b.diameter + map.separation);
        MeshPair { a, b, map, trees: Pair::new(&a.tree, &b.tree, &map, off), accuracy }
    }

    /// The corners of a triangle of B in the frame of A: the placed points.
    #[inline(always)]
    pub fn placed(&self, slot: u32) -> [DVec3; 3] {
        let [p, q, r] = self.b.corners(slot);
        [self.map.place(p), self.map.place(q), self.map.place(r)]
    }

    /// The first two triangles found to meet. `hint` is a pair to test first.
    pub fn first(&self, level: Level, hint: Option<[u32; 2]>, reaches: &mut OrientedBounds) -> Option<[u32; 2]> {
        if let Some([a, b]) = hint
            && triangles_meet(&self.a.corners(a), &self.placed(b))
        {
            return hint;
        }
        reaches.start(&self.trees);
        self.first_of(level, u32::MAX, reaches)
    }

    /// The first two triangles found to meet within `most` pairs of leaves.
    fn first_of(&self, level: Level, most: u32, reaches: &mut OrientedBounds) -> Option<[u32; 2]> {
        let limit = self.trees.limit(0.0);
        let mut stack = std::mem::take(&mut reaches.stack);
        let mut collector = First { pair: self, reaches, limit, failures: 0, most, found: None };
        at_level!(level, simd => walk(simd, &self.trees, &mut stack, &mut collector));
        let found = collector.found;
        reaches.stack = stack;
        found
    }

    /// Pairs of triangles that meet, in traversal order: all of them, unless there are more than `most`.
    pub fn all(&self, level: Level, most: usize, reaches: &mut OrientedBounds, found: &mut Vec<Meeting>) {
        reaches.start(&self.trees);
        let mut stack = std::mem::take(&mut reaches.stack);
        let mut collector = All { pair: self, reaches, limit: self.trees.limit(0.0), most, found };
        at_level!(level, simd => walk(simd, &self.trees, &mut stack, &mut collector));
        reaches.stack = stack;
    }

    /// Pairs of triangles within a margin, in traversal order: all of them, unless there are more than `most`.
    pub fn within(
        &self,
        level: Level,
        margin: f64,
        most: usize,
        reaches: &mut OrientedBounds,
        found: &mut Vec<NearestTriangles>,
    ) {
        reaches.start(&self.trees);
        let (limit, length) = (self.trees.limit(margin), self.in_tree_of_a(margin));
        let mut stack = std::mem::take(&mut reaches.stack);
        let mut collector = Within { pair: self, reaches, limit, margin, length, most, found };
        at_level!(level, simd => walk(simd, &self.trees, &mut stack, &mut collector));
        reaches.stack = stack;
    }

    /// Two triangles near each other, though perhaps not the nearest: of the pairs of leaves likely to be near, those
    /// whose centroids are nearest. Starting from it, the search tests few triangles.
    #[inline(never)]
    fn initial_pair<S: Simd>(&self, simd: S, width: usize, reaches: &OrientedBounds) -> [u32; 2] {
        simd.vectorize(
            #[inline(always)]
            || {
                let mut best = (f32::INFINITY, [0, 0]);
                let trees = &self.trees;
                for &Candidate { a, b, .. } in near_leaves(simd, trees, width).found() {
                    if let (Below::Leaf(leaf_a), Below::Leaf(leaf_b)) = (trees.a.below(a), trees.b.below(b)) {
                        let (box_a, box_b) = (trees.a.at(a), trees.b.at(b));
                        near_triangles(simd, trees, reaches, (&leaf_a, &box_a), (&leaf_b, &box_b), &mut best);
                    }
                }
                best.1
            },
        )
    }

    /// The nearest two triangles, starting from a known pair if given.
    pub fn nearest(
        &self,
        level: Level,
        start: Option<[u32; 2]>,
        options: &NearestOptions,
        reaches: &mut OrientedBounds,
    ) -> NearestTriangles {
        reaches.start(&self.trees);
        let start = start.or_else(|| self.first_of(level, MESH_PAIR_TESTED_FIRST, reaches));
        // Where only what is near matters, the start matters little.
        let width = if options.within.is_some() { 1 } else { BEAM_WIDTH };
        let [a, b] = start.unwrap_or_else(|| at_level!(level, simd => self.initial_pair(simd, width, reaches)));
        let gap = triangle_gap(&self.a.corners(a), &self.placed(b), self.accuracy);
        let mut stack = std::mem::take(&mut reaches.stack);
        let mut collector = Closest {
            pair: self,
            reaches,
            options: *options,
            limit: 0.0,
            length: 0.0,
            threshold: 0.0,
            best: NearestTriangles { a, b, gap, lower: gap.lower },
        };
        collector.tighten();
        if gap.value > options.enough {
            at_level!(level, simd => walk(simd, &self.trees, &mut stack, &mut collector));
        }
        // Everything skipped is no nearer than the last threshold.
        let lower = collector.best.lower.min(collector.threshold).max(0.0);
        let best = NearestTriangles { lower, ..collector.best };
        reaches.stack = stack;
        best
    }

    /// A length in the frame of A's points, in the unit of A's tree, rounded up.
    #[inline(always)]
    fn in_tree_of_a(&self, length: f64) -> f32 {
        round_up(length * self.a.tree.frame.scale)
    }
}

struct First<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut OrientedBounds,
    limit: f32,
    /// Pairs of leaves without triangles that meet.
    failures: u32,
    /// The traversal ends after this many.
    most: u32,
    found: Option<[u32; 2]>,
}

impl<S: Simd> Collector<S> for First<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn admits(&mut self, simd: S, trees: &Pair<'_>, a: u32, b: u32) -> bool {
        self.reaches.may_be_within(simd, trees, a, b, 0.0)
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        if self.failures == self.most {
            return false;
        }
        self.failures += 1;
        if self.failures == MESH_PAIR_FAILURES && !self.try_likely(simd, trees) {
            return false;
        }
        self.look_at(simd, trees, a, b)
    }
}

impl First<'_, '_> {
    /// Tests the triangles of two leaves; false if two meet.
    #[inline(always)]
    fn look_at<S: Simd>(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let Some(left) = LeafFilter::new(simd, trees, self.reaches, a, b).left(0.0) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            if triangles_meet(&self.pair.a.corners(slot_a), &self.pair.placed(slot_b)) {
                self.found = Some([slot_a, slot_b]);
                return false;
            }
            true
        })
    }

    /// Tests where the surfaces are likely nearest; false if two triangles meet there. If none do, the direction found
    /// there is used to separate the other pairs.
    #[inline(never)]
    fn try_likely<S: Simd>(&mut self, simd: S, trees: &Pair<'_>) -> bool {
        simd.vectorize(
            #[inline(always)]
            || {
                let likely = near_leaves(simd, trees, BEAM_WIDTH);
                let mut best = (f32::INFINITY, [0, 0]);
                for &Candidate { a, b, .. } in likely.found() {
                    let (Below::Leaf(leaf_a), Below::Leaf(leaf_b)) = (trees.a.below(a), trees.b.below(b)) else {
                        continue;
                    };
                    let (box_a, box_b) = (trees.a.at(a), trees.b.at(b));
                    if !self.look_at(simd, trees, (&leaf_a, &box_a), (&leaf_b, &box_b)) {
                        return false;
                    }
                    near_triangles(simd, trees, self.reaches, (&leaf_a, &box_a), (&leaf_b, &box_b), &mut best);
                }
                let [slot_a, slot_b] = best.1;
                let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
                let direction = triangle_gap(&corners_a, &corners_b, f64::INFINITY).direction;
                self.reaches.learn(trees, direction.as_vec3().to_array());
                true
            },
        )
    }
}

struct All<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut OrientedBounds,
    limit: f32,
    /// The traversal ends after this many.
    most: usize,
    found: &'p mut Vec<Meeting>,
}

impl<S: Simd> Collector<S> for All<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let Some(left) = LeafFilter::new(simd, trees, self.reaches, a, b).left(0.0) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            if let Some(crossing) = triangles_cross(&self.pair.a.corners(slot_a), &self.pair.placed(slot_b)) {
                self.found.push(Meeting { a: slot_a, b: slot_b, crossing });
            }
            self.found.len() < self.most
        })
    }
}

struct Within<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut OrientedBounds,
    limit: f32,
    margin: f64,
    length: f32,
    /// The traversal ends after this many.
    most: usize,
    found: &'p mut Vec<NearestTriangles>,
}

impl<S: Simd> Collector<S> for Within<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let Some(left) = LeafFilter::new(simd, trees, self.reaches, a, b).left(self.length) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
            if let Some(gap) = triangle_gap_below(&corners_a, &corners_b, self.margin, self.pair.accuracy) {
                self.found.push(NearestTriangles { a: slot_a, b: slot_b, gap, lower: gap.lower });
            }
            self.found.len() < self.most
        })
    }
}

/// The triangles of two leaves whose centroids are nearest, if nearer than the best so far, by squared distance.
#[inline(always)]
fn near_triangles<S: Simd>(
    simd: S,
    trees: &Pair<'_>,
    reaches: &OrientedBounds,
    (a, box_a): (&Leaf, &Bounds),
    (b, box_b): (&Leaf, &Bounds),
    best: &mut (f32, [u32; 2]),
) {
    let packets = (&trees.a.packets[a.packet as usize], &trees.b.packets[b.packet as usize]);
    let ([of_a, of_b], _) = reaches.leaves(simd, (packets.0, box_a), (packets.1, box_b));
    let third = f32x8::splat(simd, 1.0 / 3.0);
    let (mut middles_a, mut middles_b) = ([[0.0; WIDTH]; 3], [third; 3]);
    for k in 0..3 {
        middles_a[k] = (((of_a[0][k] + of_a[1][k]) + of_a[2][k]) * third).into();
        middles_b[k] = ((of_b[0][k] + of_b[1][k]) + of_b[2][k]) * third;
    }
    for i in 0..a.count {
        let mut squared = f32x8::splat(simd, 0.0);
        for k in 0..3 {
            let gap = middles_b[k] - f32x8::splat(simd, middles_a[k][i as usize]);
            squared += gap * gap;
        }
        let least = squared.reduce_min();
        if least < best.0 {
            let lanes = squared.simd_le(f32x8::splat(simd, least)).to_bitmask() as u32;
            // Unused lanes repeat the first.
            *best = (least, [a.first + i, b.first + lanes.trailing_zeros()]);
        }
    }
}

struct Closest<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut OrientedBounds,
    options: NearestOptions,
    limit: f32,
    /// `threshold` in the unit of A's tree.
    length: f32,
    /// Only pairs nearer than this matter.
    threshold: f64,
    best: NearestTriangles,
}

impl Closest<'_, '_> {
    /// Updates the limits from the best pair.
    fn tighten(&mut self) {
        self.threshold = self.options.threshold(self.best.gap.upper);
        self.limit = self.pair.trees.limit(self.threshold);
        self.length = self.pair.in_tree_of_a(self.threshold);
        self.reaches.learn(&self.pair.trees, self.best.gap.direction.as_vec3().to_array());
    }
}

impl<S: Simd> Collector<S> for Closest<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn admits(&mut self, simd: S, trees: &Pair<'_>, a: u32, b: u32) -> bool {
        self.reaches.may_be_within(simd, trees, a, b, self.length)
    }

    /// The nearest boxes first; after each improvement the remaining pairs are filtered again.
    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let sieve = LeafFilter::new(simd, trees, self.reaches, a, b);
        let mut done = [0u8; WIDTH];
        while let Some(mut left) = sieve.left(self.length) {
            for (left, done) in left.iter_mut().zip(done) {
                *left &= !done;
            }
            let mut next = sieve.nearest(&left);
            loop {
                let (i, j) = next;
                let bit = 1 << j;
                if left[i as usize] & bit != 0 {
                    left[i as usize] &= !bit;
                    done[i as usize] |= bit;
                    match self.look_at(a.0.first + i, b.0.first + j) {
                        Look::Enough => return false,
                        Look::Nearer => break,
                        Look::Farther => {}
                    }
                }
                match left.iter().position(|&bits| bits != 0) {
                    Some(i) => next = (i as u32, left[i].trailing_zeros()),
                    None => return true,
                }
            }
        }
        true
    }
}

/// The outcome of testing two triangles.
enum Look {
    Farther,
    Nearer,
    /// The search is over.
    Enough,
}

impl Closest<'_, '_> {
    fn look_at(&mut self, slot_a: u32, slot_b: u32) -> Look {
        let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
        let Some(gap) = triangle_gap_below(&corners_a, &corners_b, self.threshold, self.pair.accuracy) else {
            return Look::Farther;
        };
        let lower = self.best.lower.min(gap.lower);
        self.best.lower = lower;
        if gap.upper >= self.best.gap.upper {
            return Look::Farther;
        }
        self.best = NearestTriangles { a: slot_a, b: slot_b, gap, lower };
        self.tighten();
        if gap.value <= self.options.enough { Look::Enough } else { Look::Nearer }
    }
}
