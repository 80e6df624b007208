//! Likely nearest pairs of leaves of two trees, found by descending both trees at once.
//!
//! At each level only the few most promising pairs of boxes are kept. Pairs are ranked by the distance of the centres
//! less the extents of both boxes along the line between them: for small boxes around pieces of surface that is nearly
//! the gap, and overlapping boxes are ranked by depth of overlap. Nothing is proved here; a search that starts from the
//! result visits fewer boxes.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f32x8, prelude::*};

use super::traverse_pair::{Pair, ROOT};
use super::wide::{Below, Bounds, MAX_DEPTH, Node, WIDTH, WideTree};

/// The most pairs of boxes kept at each level.
pub(crate) const BEAM_WIDTH: usize = 8;

/// If one box is this many times larger than the other, it alone is opened.
const MUCH_LARGER: f32 = 2.0;

/// Two places with an estimate of their distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub score: f32,
    pub a: u32,
    pub b: u32,
}

/// The best candidates so far, the best first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    found: [Candidate; BEAM_WIDTH],
    count: usize,
    /// The number of candidates kept.
    width: usize,
}

impl Beam {
    /// A beam of `width` candidates, at most [`BEAM_WIDTH`].
    fn new(width: usize) -> Beam {
        Beam {
            found: [Candidate { score: 0.0, a: ROOT, b: ROOT }; BEAM_WIDTH],
            count: 0,
            width: width.clamp(1, BEAM_WIDTH),
        }
    }

    pub fn found(&self) -> &[Candidate] {
        &self.found[..self.count]
    }

    /// Inserts a candidate; of equal ones the first stays ahead.
    #[inline(always)]
    fn insert(&mut self, candidate: Candidate) {
        if self.count < self.width {
            self.count += 1;
        } else if candidate.score >= self.found[self.width - 1].score {
            return;
        }
        let mut k = self.count - 1;
        while k > 0 && self.found[k - 1].score > candidate.score {
            self.found[k] = self.found[k - 1];
            k -= 1;
        }
        self.found[k] = candidate;
    }

    /// The estimate below which candidates are accepted.
    #[inline(always)]
    fn limit(&self) -> f32 {
        if self.count < self.width { f32::INFINITY } else { self.found[self.width - 1].score }
    }
}

/// Boxes by their centres and half sides, in the frame of A or B.
type Boxes<S> = ([f32x8<S>; 3], [f32x8<S>; 3]);

#[inline(always)]
fn eight<S: Simd>(simd: S, node: &Node) -> Boxes<S> {
    let half = f32x8::splat(simd, 0.5);
    let (mut middles, mut halves) = ([half; 3], [half; 3]);
    for k in 0..3 {
        let (min, max) = (f32x8::simd_from(simd, node.min[k]), f32x8::simd_from(simd, node.max[k]));
        middles[k] = (min + max) * half;
        halves[k] = (max - min) * half;
    }
    (middles, halves)
}

#[inline(always)]
fn one<S: Simd>(simd: S, bounds: &Bounds) -> Boxes<S> {
    let zero = f32x8::splat(simd, 0.0);
    let (mut middles, mut halves) = ([zero; 3], [zero; 3]);
    for k in 0..3 {
        middles[k] = f32x8::splat(simd, 0.5 * (bounds.min[k] + bounds.max[k]));
        halves[k] = f32x8::splat(simd, 0.5 * (bounds.max[k] - bounds.min[k]));
    }
    (middles, halves)
}

/// Estimated distances of boxes of A from boxes of B, whose centres are given in the frame of A. NaN for unused lanes.
#[inline(always)]
fn scores<S: Simd>(simd: S, pair: &Pair<'_>, a: &Boxes<S>, b: &Boxes<S>) -> f32x8<S> {
    let splat = |x: f32| f32x8::splat(simd, x);
    let (mut d, mut squared, mut reach) = ([splat(0.0); 3], splat(1e-30), splat(0.0));
    for k in 0..3 {
        d[k] = b.0[k] - a.0[k];
        squared += d[k] * d[k];
        reach += d[k].abs() * a.1[k];
    }
    let m = &pair.a_from_b.matrix;
    for k in 0..3 {
        let along = (d[0] * splat(m[k][0]) + d[1] * splat(m[k][1])) + d[2] * splat(m[k][2]);
        reach += along.abs() * b.1[k];
    }
    (squared - reach) / squared.sqrt()
}

/// Centres of boxes of B, in the frame of A.
#[inline(always)]
fn placed<S: Simd>(simd: S, pair: &Pair<'_>, (middles, halves): Boxes<S>) -> Boxes<S> {
    let splat = |x: f32| f32x8::splat(simd, x);
    let (m, t) = (&pair.a_from_b.matrix, &pair.a_from_b.translation);
    let mut at = middles;
    for k in 0..3 {
        at[k] =
            ((middles[0] * splat(m[0][k]) + middles[1] * splat(m[1][k])) + middles[2] * splat(m[2][k])) + splat(t[k]);
    }
    (at, halves)
}

#[inline(always)]
fn look(tree: &WideTree, place: u32) -> (Bounds, Below) {
    if place == ROOT { (tree.bounds, Below::Node(0)) } else { (tree.at(place), tree.below(place)) }
}

/// Pairs of leaves that are likely to be near each other, the most likely first. None for trees so far apart that
/// single precision overflows. At each level `width` pairs are kept.
#[inline(always)]
pub(crate) fn near_leaves<S: Simd>(simd: S, pair: &Pair<'_>, width: usize) -> Beam {
    let (mut leaves, mut open) = (Beam::new(width), Beam::new(width));
    open.insert(Candidate { score: 0.0, a: ROOT, b: ROOT });
    for _ in 0..2 * MAX_DEPTH {
        if open.count == 0 {
            break;
        }
        let mut next = Beam::new(width);
        for k in 0..open.count {
            let Candidate { score, a, b } = open.found[k];
            let ((box_a, below_a), (box_b, below_b)) = (look(pair.a, a), look(pair.b, b));
            let (size_a, size_b) = (box_a.size() * pair.size_a, box_b.size() * pair.size_b);
            let (node_a, node_b) = match (below_a, below_b) {
                (Below::Leaf(_), Below::Leaf(_)) => {
                    leaves.insert(Candidate { score, a, b });
                    continue;
                }
                (Below::Node(n), Below::Leaf(_)) => (Some(n), None),
                (Below::Leaf(_), Below::Node(n)) => (None, Some(n)),
                (Below::Node(n), Below::Node(_)) if size_a > MUCH_LARGER * size_b => (Some(n), None),
                (Below::Node(_), Below::Node(n)) if size_b > MUCH_LARGER * size_a => (None, Some(n)),
                (Below::Node(n), Below::Node(m)) => (Some(n), Some(m)),
            };
            match (node_a, node_b) {
                (Some(node_a), None) => {
                    let boxes_b = placed(simd, pair, one(simd, &box_b));
                    let scores = scores(simd, pair, &eight(simd, &pair.a.nodes[node_a as usize]), &boxes_b);
                    keep(simd, scores, &mut next, |lane| (node_a * WIDTH as u32 + lane, b));
                }
                (of_a, Some(node_b)) => {
                    let boxes_b = placed(simd, pair, eight(simd, &pair.b.nodes[node_b as usize]));
                    let (lanes, node_a) = of_a.map_or((1, 0), |n| (pair.a.nodes[n as usize].count(), n));
                    for lane_a in 0..lanes {
                        let (place, bounds) = match of_a {
                            None => (a, box_a),
                            Some(n) => (node_a * WIDTH as u32 + lane_a as u32, pair.a.nodes[n as usize].lane(lane_a)),
                        };
                        let scores = scores(simd, pair, &one(simd, &bounds), &boxes_b);
                        keep(simd, scores, &mut next, |lane| (place, node_b * WIDTH as u32 + lane));
                    }
                }
                (None, None) => {}
            }
        }
        open = next;
    }
    leaves
}

/// Keeps those of eight candidates that are good enough.
#[inline(always)]
fn keep<S: Simd>(simd: S, scores: f32x8<S>, beam: &mut Beam, places: impl Fn(u32) -> (u32, u32)) {
    let mut good = scores.simd_lt(f32x8::splat(simd, beam.limit())).to_bitmask() as u32;
    let scores: [f32; WIDTH] = scores.into();
    while good != 0 {
        let lane = good.trailing_zeros();
        good &= good - 1;
        let (a, b) = places(lane);
        beam.insert(Candidate { score: scores[lane as usize], a, b });
    }
}
