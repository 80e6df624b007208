//! A separating translation of two solids, level by level over trees of hulls of their pieces.
//!
//! Kim, Otaduy, Lin and Manocha, *Fast Penetration Depth Computation Using Rasterization Hardware and Hierarchical
//! Refinement* (2002), section 5.3: nodes of both trees are paired, coarse ones first. The translations at which two
//! convex nodes meet are their Minkowski difference ([`minkowski`]); the union over all pairs contains every
//! translation at which the solids overlap, as nodes enclose what is below them. So the nearest point outside the
//! union, as seen from the origin ([`frontier`](super::frontier)), is a separating translation, shorter for finer
//! nodes. Pairs farther apart than the best translation so far cannot obstruct a shorter one (Lemma 5.1), nor can their
//! descendants.
//!
//! Departures:
//! - candidates are tested exactly against all triangles, then shortened by the local walk of [`slide`] on the solids
//!   themselves rather than on the sums of the level; so the estimate of a coarse level is often final;
//! - the last level's pieces lie in the solids and need not fill them, so at a point outside all differences one solid
//!   may contain the other: then the next candidate is tried;
//! - pairs are derived from those kept in the level above, and a level with too many ends the descent.

use crate::math::tolerances::{LEVELS_MOVES, LEVELS_PAIRS, LEVELS_RESOLUTION, LEVELS_TESTED, LEVELS_WALKS};
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

/// Statistics of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelDone {
    /// Counted from the roots, 0.
    pub level: u32,
    /// All pairs of nodes of this level.
    pub pairs: u64,
    /// How many of them were kept and their differences computed.
    pub kept: u64,
    /// The shortest separating translation after this level.
    pub depth: f64,
}

/// The tree of hulls of a solid, built on first use.
pub(crate) fn hulls(mesh: &Mesh) -> &HullTree {
    let surface = mesh.surface();
    surface.hulls(|| hull_tree(surface, convex_patches(surface)))
}

/// The shortest separating translation found for two solids, and statistics of each level. `None` if none is found,
/// which only happens on overflow.
///
/// `every`: the pieces alone, with the differences of all pairs, to measure what levels and culling save.
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
            // A millionth covers the rounding of balls and differences.
            apart * (1.0 - 1e-6) <= bound
                && !are_farther(&node_a.piece.points, &placed[b as usize], bound * (1.0 + 1e-6))
        });
        if pairs.len() > LEVELS_PAIRS && !every {
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
        let resolution = LEVELS_RESOLUTION[usize::from(level == last)];
        let look = Look { resolution, bound, most: LEVELS_TESTED, gaps: Gaps::All };
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

/// The pairs of the next level below given ones.
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

/// The shortest of a known translation and those derived from candidates on the boundary.
fn shorter(solids: &mut Solids<'_>, best: Option<DVec3>, seen: &[Seen]) -> Option<DVec3> {
    let mut best = best;
    let mut walked = 0;
    for point in seen {
        let bound = best.map_or(f64::INFINITY, |best| best.length());
        if point.distance >= bound || walked == LEVELS_WALKS {
            break;
        }
        // Candidates are in single precision: go slightly farther.
        let direction = point.translation.normalize_or_zero();
        let from = point.translation * (1.0 + 1e-5);
        let most = 0.02 * point.distance;
        if let Some(end) = way_out(solids, from, direction, most, LEVELS_MOVES) {
            walked += 1;
            let there = slide(solids, end);
            if there.length() < bound {
                best = Some(there);
            }
        }
    }
    best
}

/// Whether the hulls of two sets of points are proved farther apart than a length, up to rounding. Gilbert's algorithm
/// towards the nearest point of their difference, ended as soon as a plane decides.
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
        // The nearest point between the current one and the new corner.
        let way = corner - near;
        let part = (-near.dot(way) / way.length_squared()).clamp(0.0, 1.0);
        // NaN if the segment has zero length.
        if part.is_nan() || part <= 1e-9 {
            return false;
        }
        near += way * part;
    }
    false
}
