//! Mesh against mesh by trees of the caller's choice: the search of [`search`](crate::mesh::pair::search) with binary
//! trees of any volume in place of the wide ones.
//!
//! As RAPID and PQP do it (Gottschalk, Lin and Manocha 1996; Larsen, Gottschalk, Lin and Manocha 1999), with the
//! engine's own kernels at the leaves: triangles meet or do not, exactly, and every distance is a bracket. Volumes only
//! decide which triangles are compared: what they rule out is proved. So the answers are those of the default path,
//! though of several equally near pairs of triangles another one may be named.
//!
//! The lower bound of a distance is the least lower bound of all pairs of triangles measured; every other pair was
//! rejected as no nearer than the best upper bound at that time, which only decreases.

use fearless_simd::Level;
use glam::DVec3;

use crate::geom::triangle_distance::{triangle_gap, triangle_gap_below};
use crate::geom::triangle_triangle::{triangles_cross, triangles_meet};
use crate::mesh::pair::search::{Meeting, MeshPair, NearestOptions, NearestTriangles, TriangleSearch};
use crate::mesh::workspace::MeshWorkspace;
use crate::tree::hierarchy::Hierarchy;
use crate::tree::stats::Count;
use crate::tree::traverse_binary::{Below, Collector, Descend, walk};

/// Two trees of two meshes, and who is told what the search does.
pub(crate) struct IndexSearch<'i, T, C> {
    /// In the order of the [`MeshPair`].
    pub trees: [&'i T; 2],
    pub descend: Descend,
    /// Whether the caller's A is our B.
    pub swapped: bool,
    pub count: &'i mut C,
    pub workspace: &'i mut MeshWorkspace,
}

impl<T: Hierarchy, C: Count> IndexSearch<'_, T, C> {
    fn walk(&mut self, pair: &MeshPair<'_>, by_distance: bool, leaves: &mut impl Leaves) {
        let [a, b] = self.trees;
        let pairing = T::pairing(a, b, &pair.map);
        let stack = T::stack(&mut self.workspace.stacks);
        let told = Told { pair, swapped: self.swapped, count: &mut *self.count };
        if by_distance {
            walk(&pairing, self.descend, stack, &mut ByDistance { told, leaves });
        } else {
            walk(&pairing, self.descend, stack, &mut ByOverlap { told, leaves });
        }
    }

    /// A triangle of either mesh.
    fn any(&self) -> [u32; 2] {
        self.trees.map(|tree| {
            let mut node = 0;
            loop {
                match tree.below(node) {
                    Below::Nodes([first, _]) => node = first,
                    Below::Triangles(slots) => return slots.list().first().copied().unwrap_or(0),
                }
            }
        })
    }
}

impl<T: Hierarchy, C: Count> TriangleSearch for IndexSearch<'_, T, C> {
    fn level(&self) -> Level {
        self.workspace.level
    }

    fn first(&mut self, pair: &MeshPair<'_>, hint: Option<[u32; 2]>) -> Option<[u32; 2]> {
        let meet = |&[a, b]: &[u32; 2]| triangles_meet(&pair.a.corners(a), &pair.placed(b));
        if let Some(hint) = hint.filter(meet) {
            return Some(hint);
        }
        let mut first = First { pair, found: None };
        self.walk(pair, false, &mut first);
        first.found
    }

    fn all(&mut self, pair: &MeshPair<'_>, found: &mut Vec<Meeting>) {
        self.walk(pair, false, &mut All { pair, found });
    }

    fn within(&mut self, pair: &MeshPair<'_>, margin: f64, found: &mut Vec<NearestTriangles>) {
        self.walk(pair, true, &mut Within { pair, margin, found });
    }

    fn nearest(&mut self, pair: &MeshPair<'_>, start: Option<[u32; 2]>, options: &NearestOptions) -> NearestTriangles {
        let [a, b] = start.unwrap_or_else(|| self.any());
        let gap = triangle_gap(&pair.a.corners(a), &pair.placed(b), pair.accuracy);
        Told { pair, swapped: self.swapped, count: &mut *self.count }.triangles(a, b);
        let best = NearestTriangles { a, b, gap, lower: gap.lower };
        let mut closest = Closest { pair, options, threshold: 0.0, best };
        closest.tighten();
        if gap.value > options.enough {
            self.walk(pair, true, &mut closest);
        }
        // Everything skipped is no nearer than the last threshold.
        let lower = closest.best.lower.min(closest.threshold).max(0.0);
        NearestTriangles { lower, ..closest.best }
    }
}

/// What is done with pairs of triangles.
trait Leaves {
    /// Visits two triangles, B's placed in the frame of A. False ends the traversal.
    fn visit(&mut self, a: u32, b: u32, placed: &[DVec3; 3]) -> bool;

    /// No pair of triangles farther apart than this matters.
    fn limit(&self) -> f64;
}

/// Who is told, and how things are called there.
struct Told<'w, C> {
    pair: &'w MeshPair<'w>,
    swapped: bool,
    count: &'w mut C,
}

impl<C: Count> Told<'_, C> {
    #[inline(always)]
    fn triangles(&mut self, a: u32, b: u32) {
        let (a, b) = (self.pair.a.ids[a as usize], self.pair.b.ids[b as usize]);
        if self.swapped { self.count.triangles(b, a) } else { self.count.triangles(a, b) }
    }

    /// Visits all pairs of triangles of two leaves.
    #[inline(always)]
    fn leaves(&mut self, leaves: &mut impl Leaves, a: &[u32], b: &[u32]) -> bool {
        for &slot_b in b {
            let placed = self.pair.placed(slot_b);
            for &slot_a in a {
                self.triangles(slot_a, slot_b);
                if !leaves.visit(slot_a, slot_b, &placed) {
                    return false;
                }
            }
        }
        true
    }
}

/// Volumes are pruned where they are apart.
struct ByOverlap<'w, L, C> {
    told: Told<'w, C>,
    leaves: &'w mut L,
}

impl<L: Leaves, C: Count> Collector for ByOverlap<'_, L, C> {
    const BY_DISTANCE: bool = false;

    #[inline(always)]
    fn limit(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> bool {
        self.told.leaves(self.leaves, a, b)
    }

    fn count(&mut self) -> &mut impl Count {
        self.told.count
    }

    fn is_swapped(&self) -> bool {
        self.told.swapped
    }
}

/// Volumes are pruned where they are farther apart than what is sought.
struct ByDistance<'w, L, C> {
    told: Told<'w, C>,
    leaves: &'w mut L,
}

impl<L: Leaves, C: Count> Collector for ByDistance<'_, L, C> {
    const BY_DISTANCE: bool = true;

    #[inline(always)]
    fn limit(&self) -> f64 {
        self.leaves.limit()
    }

    #[inline(always)]
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> bool {
        self.told.leaves(self.leaves, a, b)
    }

    fn count(&mut self) -> &mut impl Count {
        self.told.count
    }

    fn is_swapped(&self) -> bool {
        self.told.swapped
    }
}

struct First<'p> {
    pair: &'p MeshPair<'p>,
    found: Option<[u32; 2]>,
}

impl Leaves for First<'_> {
    fn limit(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn visit(&mut self, a: u32, b: u32, placed: &[DVec3; 3]) -> bool {
        if triangles_meet(&self.pair.a.corners(a), placed) {
            self.found = Some([a, b]);
        }
        self.found.is_none()
    }
}

struct All<'p> {
    pair: &'p MeshPair<'p>,
    found: &'p mut Vec<Meeting>,
}

impl Leaves for All<'_> {
    fn limit(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn visit(&mut self, a: u32, b: u32, placed: &[DVec3; 3]) -> bool {
        let crossing = triangles_cross(&self.pair.a.corners(a), placed);
        self.found.extend(crossing.map(|crossing| Meeting { a, b, crossing }));
        true
    }
}

struct Within<'p> {
    pair: &'p MeshPair<'p>,
    margin: f64,
    found: &'p mut Vec<NearestTriangles>,
}

impl Leaves for Within<'_> {
    fn limit(&self) -> f64 {
        self.margin
    }

    #[inline(always)]
    fn visit(&mut self, a: u32, b: u32, placed: &[DVec3; 3]) -> bool {
        let gap = triangle_gap_below(&self.pair.a.corners(a), placed, self.margin, self.pair.accuracy);
        self.found.extend(gap.map(|gap| NearestTriangles { a, b, gap, lower: gap.lower }));
        true
    }
}

struct Closest<'p> {
    pair: &'p MeshPair<'p>,
    options: &'p NearestOptions,
    /// Only pairs nearer than this matter.
    threshold: f64,
    best: NearestTriangles,
}

impl Closest<'_> {
    /// Updates the threshold from the best pair.
    fn tighten(&mut self) {
        self.threshold = self.options.threshold(self.best.gap.upper);
    }
}

impl Leaves for Closest<'_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.threshold
    }

    #[inline(always)]
    fn visit(&mut self, a: u32, b: u32, placed: &[DVec3; 3]) -> bool {
        let corners = self.pair.a.corners(a);
        let Some(gap) = triangle_gap_below(&corners, placed, self.threshold, self.pair.accuracy) else {
            return true;
        };
        let lower = self.best.lower.min(gap.lower);
        self.best.lower = lower;
        if gap.upper < self.best.gap.upper {
            self.best = NearestTriangles { a, b, gap, lower };
            self.tighten();
        }
        self.best.gap.value > self.options.enough
    }
}
