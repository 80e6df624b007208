//! Mesh against mesh: which triangles meet, and how near the nearest are.
//!
//! The pair walk of RAPID and PQP (Gottschalk, Lin and Manocha 1996; Larsen, Gottschalk, Lin and Manocha 1999) over two wide
//! trees (`tree/two.rs`). Two leaves of up to eight triangles each are sifted in single precision (`sieve.rs`); what is
//! left is decided on the placed points, exactly where they meet and with a proved bracket where they do not.
//!
//! The lower bound of a distance is the least of the lower bounds of all pairs that were looked at in double precision;
//! everything else was left out for being proved no nearer than the best upper bound at that time, which only fell.

use fearless_simd::{Level, Simd, f32x8, prelude::*};
use glam::DVec3;

use super::reach::Reaches;
use super::sieve::{Sieve, each};
use crate::geom::triangle_distance::{TriangleGap, triangle_gap, triangle_gap_below};
use crate::geom::triangle_triangle::{Crossing, triangles_cross, triangles_meet};
use crate::math::placement::Placement;
use crate::math::simd::at_level;
use crate::math::tolerances::ACCURACY;
use crate::shape::Surface;
use crate::tree::two::{Collector, Pair, walk};
use crate::tree::wide::{Bounds, Leaf, WIDTH, round_up};

/// Two surfaces, B placed in the frame of A.
#[derive(Clone, Copy)]
pub(crate) struct MeshPair<'m> {
    pub a: &'m Surface,
    pub b: &'m Surface,
    pub map: Placement,
    trees: Pair<'m>,
    /// How wide a bracket of two triangles may be: a twentieth of what is promised for the meshes.
    accuracy: f64,
}

/// Two triangles, by slot, and their gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub a: u32,
    pub b: u32,
    pub gap: TriangleGap,
    /// Proved: no two triangles are nearer.
    pub lower: f64,
}

/// Two triangles that meet, by slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub a: u32,
    pub b: u32,
    pub crossing: Crossing,
}

/// What a search for the nearest triangles may leave out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestOptions {
    /// Two triangles no farther apart than this end the search.
    pub enough: f64,
    /// Nothing that is nearer by less than this is looked for.
    pub tolerance: f64,
    /// The same, relative to the gap.
    pub relative: f64,
    /// Nothing farther than this is looked for.
    pub within: Option<f64>,
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
        self.b.corners(slot).map(|p| self.map.place(p))
    }

    /// The first two triangles found to meet. `hint` is a pair to look at before all others.
    pub fn first(&self, level: Level, hint: Option<[u32; 2]>, reaches: &mut Reaches) -> Option<[u32; 2]> {
        if let Some([a, b]) = hint
            && triangles_meet(&self.a.corners(a), &self.placed(b))
        {
            return hint;
        }
        reaches.start(&self.trees);
        let limit = self.trees.limit(0.0);
        let mut collector = First { pair: self, reaches, limit, failures: 0, found: None };
        at_level!(level, simd => walk(simd, &self.trees, &mut collector));
        collector.found
    }

    /// All pairs of triangles that meet, in the order of the walk.
    pub fn all(&self, level: Level, reaches: &mut Reaches, found: &mut Vec<Meeting>) {
        reaches.start(&self.trees);
        let mut collector = All { pair: self, reaches, limit: self.trees.limit(0.0), found };
        at_level!(level, simd => walk(simd, &self.trees, &mut collector));
    }

    /// All pairs of triangles no farther apart than a margin, in the order of the walk.
    pub fn within(&self, level: Level, margin: f64, reaches: &mut Reaches, found: &mut Vec<Nearest>) {
        reaches.start(&self.trees);
        let (limit, length) = (self.trees.limit(margin), self.in_tree_of_a(margin));
        let mut collector = Within { pair: self, reaches, limit, margin, length, found };
        at_level!(level, simd => walk(simd, &self.trees, &mut collector));
    }

    /// Two triangles that are near each other, if not the nearest: those whose first corners are nearest among the leaves that a walk
    /// for them comes by. A start for the search proper, which then has few triangles to look at.
    fn sketch(&self, level: Level, reaches: &mut Reaches) -> [u32; 2] {
        let limit = self.trees.limit(f64::MAX);
        let mut collector = Sketch { pair: self, reaches, limit, squared: f32::INFINITY, best: [0, 0], leaves: SKETCHED };
        at_level!(level, simd => walk(simd, &self.trees, &mut collector));
        collector.best
    }

    /// The nearest two triangles, given two to start with if any are known.
    pub fn nearest(
        &self,
        level: Level,
        start: Option<[u32; 2]>,
        options: &NearestOptions,
        reaches: &mut Reaches,
    ) -> Nearest {
        reaches.start(&self.trees);
        let [a, b] = start.unwrap_or_else(|| self.sketch(level, reaches));
        let gap = triangle_gap(&self.a.corners(a), &self.placed(b), self.accuracy);
        let mut collector = Closest {
            pair: self,
            reaches,
            options: *options,
            limit: 0.0,
            length: 0.0,
            threshold: 0.0,
            best: Nearest { a, b, gap, lower: gap.lower },
        };
        collector.tighten();
        if gap.value > options.enough {
            at_level!(level, simd => walk(simd, &self.trees, &mut collector));
        }
        // What was left out is no nearer than the last threshold.
        let lower = collector.best.lower.min(collector.threshold).max(0.0);
        Nearest { lower, ..collector.best }
    }

    /// A length in the frame of A's points, in the unit of A's tree, rounded up.
    #[inline(always)]
    fn in_tree_of_a(&self, length: f64) -> f32 {
        round_up(length * self.a.tree.frame.scale)
    }
}

struct First<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut Reaches,
    limit: f32,
    /// Pairs of triangles that were found apart since the last direction was taken.
    failures: u32,
    found: Option<[u32; 2]>,
}

/// After so many triangles found apart, the way the last two lie to each other is tried on all others.
const FAILURES: u32 = 32;

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
        let Some((left, _)) = Sieve::new(simd, trees, self.reaches, a, b).left(0.0) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
            if triangles_meet(&corners_a, &corners_b) {
                self.found = Some([slot_a, slot_b]);
                return false;
            }
            self.failures += 1;
            if self.failures == FAILURES {
                self.failures = 0;
                let direction = triangle_gap(&corners_a, &corners_b, f64::INFINITY).direction;
                self.reaches.learn(trees, direction.as_vec3().to_array());
            }
            true
        })
    }
}

struct All<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut Reaches,
    limit: f32,
    found: &'p mut Vec<Meeting>,
}

impl<S: Simd> Collector<S> for All<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let Some((left, _)) = Sieve::new(simd, trees, self.reaches, a, b).left(0.0) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            if let Some(crossing) = triangles_cross(&self.pair.a.corners(slot_a), &self.pair.placed(slot_b)) {
                self.found.push(Meeting { a: slot_a, b: slot_b, crossing });
            }
            true
        })
    }
}

struct Within<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut Reaches,
    limit: f32,
    margin: f64,
    length: f32,
    found: &'p mut Vec<Nearest>,
}

impl<S: Simd> Collector<S> for Within<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let Some((left, _)) = Sieve::new(simd, trees, self.reaches, a, b).left(self.length) else { return true };
        each(&left, |i, j| {
            let (slot_a, slot_b) = (a.0.first + i, b.0.first + j);
            let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
            if let Some(gap) = triangle_gap_below(&corners_a, &corners_b, self.margin, self.pair.accuracy) {
                self.found.push(Nearest { a: slot_a, b: slot_b, gap, lower: gap.lower });
            }
            true
        })
    }
}

struct Sketch<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut Reaches,
    limit: f32,
    /// The least squared distance of two corners, in the unit of A's tree.
    squared: f32,
    best: [u32; 2],
    /// Pairs of leaves that may still be looked at.
    leaves: u32,
}

/// How many pairs of leaves a sketch looks at: the nearest boxes come first, and the first few leaves are near the nearest place.
const SKETCHED: u32 = 16;

impl<S: Simd> Collector<S> for Sketch<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let packets = (&trees.a.packets[a.0.packet as usize], &trees.b.packets[b.0.packet as usize]);
        let ([of_a, of_b], _) = self.reaches.leaves(simd, (packets.0, a.1), (packets.1, b.1));
        let mut found = false;
        for i in 0..a.0.count {
            let mut squared = f32x8::splat(simd, 0.0);
            for k in 0..3 {
                let gap = of_b[0][k] - f32x8::splat(simd, of_a[0][k][i as usize]);
                squared = squared + gap * gap;
            }
            let least = squared.reduce_min();
            if least < self.squared {
                let lanes = squared.simd_le(f32x8::splat(simd, least)).to_bitmask() as u32;
                // Lanes that are not used repeat the first.
                self.best = [a.0.first + i, b.0.first + lanes.trailing_zeros()];
                self.squared = least;
                found = true;
            }
        }
        if found {
            // Rounding matters little: what is found is only a start.
            self.limit = trees.limit(f64::from(self.squared.sqrt()) / self.pair.a.tree.frame.scale);
        }
        self.leaves -= 1;
        self.leaves > 0
    }
}

struct Closest<'p, 'm> {
    pair: &'p MeshPair<'m>,
    reaches: &'p mut Reaches,
    options: NearestOptions,
    limit: f32,
    /// `threshold` in the unit of A's tree.
    length: f32,
    /// Nothing is looked for that is not nearer than this.
    threshold: f64,
    best: Nearest,
}

impl Closest<'_, '_> {
    /// The limits that go with what is known.
    fn tighten(&mut self) {
        let upper = self.best.gap.upper;
        let below = (upper - self.options.tolerance).min(upper * (1.0 - self.options.relative));
        self.threshold = below.min(self.options.within.unwrap_or(f64::INFINITY)).max(0.0);
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

    /// The nearest boxes first; after each nearer pair of triangles the others are sifted again.
    #[inline(always)]
    fn leaves(&mut self, simd: S, trees: &Pair<'_>, a: (&Leaf, &Bounds), b: (&Leaf, &Bounds)) -> bool {
        let sieve = Sieve::new(simd, trees, self.reaches, a, b);
        let mut done = [0u8; WIDTH];
        while let Some((mut left, mut next)) = sieve.left(self.length) {
            for (left, done) in left.iter_mut().zip(done) {
                *left &= !done;
            }
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

/// What a look at two triangles says.
enum Look {
    Farther,
    Nearer,
    /// The search is over.
    Enough,
}

impl Closest<'_, '_> {
    fn look_at(&mut self, slot_a: u32, slot_b: u32) -> Look {
        let (corners_a, corners_b) = (self.pair.a.corners(slot_a), self.pair.placed(slot_b));
        let Some(gap) = triangle_gap_below(&corners_a, &corners_b, self.threshold, self.pair.accuracy) else { return Look::Farther };
        let lower = self.best.lower.min(gap.lower);
        self.best.lower = lower;
        if gap.upper >= self.best.gap.upper {
            return Look::Farther;
        }
        self.best = Nearest { a: slot_a, b: slot_b, gap, lower };
        self.tighten();
        if gap.value <= self.options.enough { Look::Enough } else { Look::Nearer }
    }
}
