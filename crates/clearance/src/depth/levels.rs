//! A way out of two solids, level by level over trees of hulls about their pieces.
//!
//! Kim, Otaduy, Lin and Manocha, *Fast Penetration Depth Computation Using Rasterization Hardware and Hierarchical Refinement* (2002), section
//! 5.3: nodes of both trees are paired, coarse ones first. The translations that leave two convex nodes meeting are their
//! Minkowski difference ([`minkowski`]); all of them together leave out no translation that leaves the solids
//! overlapping, as nodes enclose what is below them. So the nearest point that is in none of them, as seen from the origin
//! ([`frontier`](super::frontier)), is a way out, the shorter the finer the nodes. Pairs that are farther apart than the way out
//! known so far cannot be in the way of a shorter one (Lemma 5.1), and neither can what is below them.
//!
//! Departures:
//! - what is seen is tried by an exact test of all triangles, then shortened by the walk of [`slide`] on the solids
//!   themselves rather than on the sums of the level; so the estimate of a coarse level is often the last one;
//! - the last level's pieces lie in the solids and need not fill them, so a point out of all differences may be one where one
//!   solid holds the other: then the next one is tried;
//! - pairs are found from the pairs kept in the level above, and a level with too many of them ends the descent.

use fearless_simd::Level;
use glam::DVec3;

use super::along::way_out;
use super::frontier::{BoundaryView, CpuView, Gaps, Look, Seen, SumRef};
use super::hierarchy::hull_tree;
use super::patches::convex_patches;
use super::slide::slide;
use super::solids::Solids;
use crate::convex::minkowski::{Polytope, Sum, minkowski};
use crate::math::cancel::checkpoint;
use crate::shape::{HullNode, HullTree, Mesh};

/// What a level of the trees did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelDone {
    /// Counted from the roots, 0.
    pub level: u32,
    /// Pairs of nodes of this level in all.
    pub pairs: u64,
    /// How many of them were kept, and their differences made.
    pub kept: u64,
    /// The shortest way out known after it.
    pub depth: f64,
}

/// A level with more pairs than this is not opened.
const PAIRS: usize = 2_000;

/// Pixels along the side of a view, and those of the last level.
const RESOLUTION: [u32; 2] = [128, 256];

/// How many of the points seen are tried in a level, and walked from.
const TRIED: usize = 12;
const WALKED: usize = 3;

/// Moves of a way out from a point that was seen.
const MOVES: usize = 256;

/// The tree of hulls of a solid, made the first time.
pub(crate) fn hulls(mesh: &Mesh) -> &HullTree {
    let surface = mesh.surface();
    surface.hulls(|| hull_tree(surface, convex_patches(surface)))
}

/// The shortest translation found that separates two solids, and what each level did. `None` if there is none, which only
/// happens where numbers run out.
///
/// `every`: the pieces alone, with the differences of all pairs: what the levels and the culling save.
pub(crate) fn descend(solids: &mut Solids<'_>, simd: Level, every: bool) -> (Option<DVec3>, Vec<LevelDone>) {
    let (tree_a, tree_b) = (hulls(solids.a), hulls(solids.b));
    let mut view = CpuView::new(simd);
    let mut best: Option<DVec3> = None;
    let mut done = Vec::new();
    let last = tree_a.levels.len().max(tree_b.levels.len()).saturating_sub(1);
    let mut pairs: Vec<[u32; 2]> = vec![[0, 0]];
    if every {
        let count = |tree: &HullTree| tree.levels.last().map_or(0, Vec::len) as u32;
        pairs = (0..count(tree_a)).flat_map(|a| (0..count(tree_b)).map(move |b| [a, b])).collect();
    }
    for level in if every { last } else { 0 }..=last {
        let of = |tree: &HullTree| level.min(tree.levels.len() - 1);
        let (level_a, level_b) = (&tree_a.levels[of(tree_a)], &tree_b.levels[of(tree_b)]);
        let placed: Vec<Vec<DVec3>> = level_b
            .iter()
            .map(|node| node.piece.points.iter().map(|&point| solids.map.place(point)).collect())
            .collect();
        let middles: Vec<DVec3> = level_b.iter().map(|node| solids.map.place(node.center)).collect();
        let bound = best.map_or(f64::INFINITY, |best| best.length());
        pairs.retain(|&[a, b]| {
            checkpoint();
            let (node_a, node_b) = (&level_a[a as usize], &level_b[b as usize]);
            let apart = (node_a.center - middles[b as usize]).length() - node_a.radius - node_b.radius;
            // A millionth stands for what rounding does to balls and differences.
            apart * (1.0 - 1e-6) <= bound
                && !are_farther(&node_a.piece.points, &placed[b as usize], bound * (1.0 + 1e-6))
        });
        if pairs.len() > PAIRS && !every {
            break;
        }
        let sums: Vec<Sum> = pairs
            .iter()
            .map(|&[a, b]| {
                checkpoint();
                let node_b = &level_b[b as usize].piece;
                let polytope_b =
                    Polytope { points: &placed[b as usize], triangles: &node_b.triangles, original: &node_b.original };
                minkowski(&polytope(&level_a[a as usize]), &polytope_b)
            })
            .collect();
        let refs: Vec<SumRef<'_>> = sums.iter().map(SumRef::from).collect();
        let resolution = RESOLUTION[usize::from(level == last)];
        let look = Look { resolution, bound, most: TRIED, gaps: Gaps::All };
        let mut seen = Vec::new();
        view.closest(&refs, &look, &mut seen);
        best = shorter(solids, best, &seen);
        done.push(LevelDone {
            level: level as u32,
            pairs: level_a.len() as u64 * level_b.len() as u64,
            kept: pairs.len() as u64,
            depth: best.map_or(f64::INFINITY, |best| best.length()),
        });
        pairs = below(&pairs, (tree_a, of(tree_a)), (tree_b, of(tree_b)));
    }
    (best, done)
}

fn polytope(node: &HullNode) -> Polytope<'_> {
    Polytope { points: &node.piece.points, triangles: &node.piece.triangles, original: &node.piece.original }
}

/// The pairs of the next level below some.
fn below(
    pairs: &[[u32; 2]],
    (tree_a, level_a): (&HullTree, usize),
    (tree_b, level_b): (&HullTree, usize),
) -> Vec<[u32; 2]> {
    let children = |tree: &HullTree, level: usize, node: u32| -> Vec<u32> {
        // A tree that ends earlier stays where it is.
        if level + 1 == tree.levels.len() { vec![node] } else { tree.levels[level][node as usize].children.clone() }
    };
    let mut next = Vec::new();
    for &[a, b] in pairs {
        let of_b = children(tree_b, level_b, b);
        for child_a in children(tree_a, level_a, a) {
            next.extend(of_b.iter().map(|&child_b| [child_a, child_b]));
        }
    }
    next
}

/// The shortest of a way out and what can be made of points seen on the boundary.
fn shorter(solids: &mut Solids<'_>, best: Option<DVec3>, seen: &[Seen]) -> Option<DVec3> {
    let mut best = best;
    let mut walked = 0;
    for point in seen {
        let bound = best.map_or(f64::INFINITY, |best| best.length());
        if point.distance >= bound || walked == WALKED {
            break;
        }
        // Seen in single precision: a little farther.
        let direction = point.translation.normalize_or_zero();
        let from = point.translation * (1.0 + 1e-5);
        let most = 0.02 * point.distance;
        if let Some(end) = way_out(solids, from, direction, most, MOVES) {
            walked += 1;
            let there = slide(solids, end);
            if there.length() < bound {
                best = Some(there);
            }
        }
    }
    best
}

/// Whether two convex sets of points are proved to be farther apart than a length, but for rounding. Gilbert's walk to the nearest point of
/// their difference, which ends as soon as a plane between them tells.
fn are_farther(a: &[DVec3], b: &[DVec3], than: f64) -> bool {
    let (Some(&first_a), Some(&first_b)) = (a.first(), b.first()) else { return false };
    let mut near = first_a - first_b;
    for _ in 0..24 {
        let Some(direction) = near.try_normalize() else { return false };
        let least = a.iter().copied().min_by(|p, q| direction.dot(*p).total_cmp(&direction.dot(*q))).unwrap_or(first_a);
        let most = b.iter().copied().max_by(|p, q| direction.dot(*p).total_cmp(&direction.dot(*q))).unwrap_or(first_b);
        let corner = least - most;
        if direction.dot(corner) > than {
            return true;
        }
        // The nearest point between what there is and the new corner.
        let way = corner - near;
        let part = (-near.dot(way) / way.length_squared()).clamp(0.0, 1.0);
        // Also where there is no way: then the part is no number.
        if part.is_nan() || part <= 1e-9 {
            return false;
        }
        near += way * part;
    }
    false
}
