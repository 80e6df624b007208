//! Which faces of the surface of one mesh of tetrahedra meet which tetrahedra of another, or of the same.
//!
//! Three searches find the pairs whose boxes meet: [`bucket_tree`](super::bucket_tree),
//! [`spatial_hash`](super::spatial_hash) and [`tet_trees`](super::tet_trees). Each passes on every pair once, eight at
//! a time to the filter of [`triangle_tetrahedron`](crate::geom::triangle_tetrahedron), and what that leaves open is
//! decided exactly. So all give the same pairs.

use std::sync::Arc;

use fearless_simd::Level;

use super::bucket_tree::{BucketTree, faces_near, for_pairs_of_buckets};
use super::spatial_hash;
use super::tet_mesh::{TetLayout, TetMesh};
use super::tet_trees::TetTrees;
use crate::answer::tets::{BucketMapping, TetAlgorithm, TetCounts, TetNeighbours, TetOptions, TetPairs, TetSelfPairs};
use crate::bound::Aabb;
use crate::geom::triangle_tetrahedron::{decide_all, unit_scale};
use crate::math::simd::at_level;
use crate::parallel;

/// How many candidates are decided as one piece of work.
const PIECE: usize = 2048;

/// How many candidates wait at most while a mesh is mapped to buckets.
const WAITING: usize = 1 << 16;

/// How many pairs of buckets are one piece of work.
const BUCKETS: usize = 256;

/// What queries about tetrahedra keep for the next: trees over the meshes, orders of their points, memory.
///
/// Whatever it holds, answers are the same. It recognises a mesh by its topology, also after its points moved; queries
/// in turn about different meshes each need a workspace of their own to gain from it. A new workspace builds wide trees
/// for the mesh as it is, which pays after a change of shape so large that triangles far apart have come together.
///
/// Memory after a query, in bytes per tetrahedron: some 130 for wide trees; for bucket trees some 200, at most 2,000
/// where every element fills 32 buckets that hold nothing else, and 4 MB; nothing for the spatial hash.
///
/// See [`TetOptions`] for an example.
#[derive(Debug, Default)]
pub struct TetWorkspace {
    kept: [Kept; 2],
}

/// What is kept of one mesh.
#[derive(Debug, Default)]
struct Kept {
    layout: Option<Arc<TetLayout>>,
    /// With the number of tetrahedra along the edge of a bucket that it was built for.
    buckets: Option<(BucketTree, f64)>,
    trees: Option<TetTrees>,
}

impl Kept {
    /// Forgets what is of another mesh.
    fn recognise(&mut self, mesh: &TetMesh) {
        if !self.layout.as_ref().is_some_and(|layout| Arc::ptr_eq(layout, &mesh.layout)) {
            *self = Kept { layout: Some(mesh.layout.clone()), buckets: None, trees: None };
        }
    }

    fn buckets(&mut self, mesh: &TetMesh, size: f64) -> &mut BucketTree {
        self.recognise(mesh);
        if self.buckets.as_ref().is_some_and(|(_, of)| of.to_bits() != size.to_bits()) {
            self.buckets = None;
        }
        &mut self.buckets.get_or_insert_with(|| (BucketTree::new(mesh, size), size)).0
    }

    fn trees(&mut self, mesh: &TetMesh) -> &mut TetTrees {
        self.recognise(mesh);
        self.trees.get_or_insert_with(|| TetTrees::new(mesh))
    }
}

/// The mesh whose faces and the one whose tetrahedra are tested.
#[derive(Clone, Copy)]
pub(super) struct Sides<'m> {
    pub faces: &'m TetMesh,
    pub tets: &'m TetMesh,
    /// See [`EightPairs::put`](crate::geom::triangle_tetrahedron::EightPairs::put).
    scale: f64,
}

/// Pairs found by a piece of work.
#[derive(Default)]
pub(super) struct Found {
    pub pairs: Vec<[u32; 2]>,
    pub counts: TetCounts,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.pairs.extend(other.pairs);
        self.counts.add(&other.counts);
    }

    fn sorted(parts: Vec<Found>) -> Found {
        let mut all = Found::default();
        parts.into_iter().for_each(|part| all.add(part));
        all.pairs.sort_unstable();
        all
    }
}

impl<'m> Sides<'m> {
    pub fn new(faces: &'m TetMesh, tets: &'m TetMesh) -> Sides<'m> {
        let (low, high) = (faces.bounds.min.min(tets.bounds.min), faces.bounds.max.max(tets.bounds.max));
        Sides { faces, tets, scale: unit_scale((high - low).max_element()) }
    }

    /// Decides candidates, and empties the list.
    pub fn decide(&self, level: Level, candidates: &mut Vec<[u32; 2]>, into: &mut Found) {
        self.decide_some(level, candidates, into);
        candidates.clear();
    }

    fn decide_some(&self, level: Level, candidates: &[[u32; 2]], into: &mut Found) {
        let pair = |i: usize| {
            let [face, tet] = candidates[i];
            (self.faces.face_corners(face), self.tets.corners(tet))
        };
        let (scale, pairs) = (self.scale, &mut into.pairs);
        let exact = at_level!(level, simd => {
            decide_all(simd, candidates.len(), scale, pair, |i| pairs.push(candidates[i]))
        });
        into.counts.candidates += candidates.len() as u64;
        into.counts.exact += exact;
    }

    /// As [`Sides::decide`], on all cores.
    fn decide_on_all(&self, candidates: &mut Vec<[u32; 2]>, into: &mut Found) {
        let level = Level::new();
        let parts = parallel::map_pieces(candidates, PIECE, |piece| {
            let mut found = Found::default();
            self.decide_some(level, piece, &mut found);
            found
        });
        parts.into_iter().for_each(|part| into.add(part));
        candidates.clear();
    }
}

/// Whether two tetrahedra of one mesh are not tested against each other, or are one.
#[inline]
pub(super) fn are_neighbours(layout: &TetLayout, relation: TetNeighbours, one: u32, other: u32) -> bool {
    match relation {
        TetNeighbours::Point => layout.share_point(one, other),
        TetNeighbours::Face => one == other || layout.neighbours(one).any(|next| next == other),
    }
}

/// All pairs of two meshes.
pub(crate) fn pairs(a: &TetMesh, b: &TetMesh, options: &TetOptions, workspace: &mut TetWorkspace) -> TetPairs {
    if !a.bounds.overlaps(&b.bounds) {
        return TetPairs::default();
    }
    let [kept_a, kept_b] = &mut workspace.kept;
    let [of_a, of_b] = match options.algorithm {
        TetAlgorithm::BucketTree => {
            let size = options.tets_per_bucket;
            let (tree_a, tree_b) = (kept_a.buckets(a, size), kept_b.buckets(b, size));
            pairs_of_buckets([(tree_a, a), (tree_b, b)], options.mapping)
        }
        TetAlgorithm::SpatialHash => {
            [(a, b), (b, a)].map(|(faces, tets)| spatial_hash::pairs(&Sides::new(faces, tets), None))
        }
        TetAlgorithm::WideTree => {
            let (trees_a, trees_b) = (kept_a.trees(a), kept_b.trees(b));
            super::tet_trees::pairs([(trees_a, a), (trees_b, b)])
        }
    }
    .map(Found::sorted);
    let mut counts = of_a.counts;
    counts.add(&of_b.counts);
    TetPairs { faces_of_a: of_a.pairs, faces_of_b: of_b.pairs, counts }
}

/// All pairs of one mesh.
pub(crate) fn self_pairs(mesh: &TetMesh, options: &TetOptions, workspace: &mut TetWorkspace) -> TetSelfPairs {
    let [kept, _] = &mut workspace.kept;
    let parts = match options.algorithm {
        TetAlgorithm::BucketTree => {
            let tree = kept.buckets(mesh, options.tets_per_bucket);
            vec![self_pairs_of_buckets(tree, mesh, options.mapping, options.neighbours)]
        }
        TetAlgorithm::SpatialHash => spatial_hash::pairs(&Sides::new(mesh, mesh), Some(options.neighbours)),
        TetAlgorithm::WideTree => super::tet_trees::self_pairs(kept.trees(mesh), mesh, options.neighbours),
    };
    let Found { pairs, counts } = Found::sorted(parts);
    TetSelfPairs { pairs, counts }
}

/// Maps both meshes, and tests what is in buckets that overlap.
fn pairs_of_buckets([a, b]: [(&mut BucketTree, &TetMesh); 2], mapping: BucketMapping) -> [Vec<Found>; 2] {
    let (of_a, of_b) = (a.1.bounds, b.1.bounds);
    let common = Aabb::new(of_a.min.max(of_b.min), of_a.max.min(of_b.max));
    let trees = parallel::map_owned(vec![a, b], |(tree, mesh)| {
        tree.remap(mesh, mapping, Some(&common));
        (&*tree, mesh)
    });
    let [a, b] = [trees[0], trees[1]];
    let pairs = a.0.bucket_pairs(b.0);
    let (in_b, in_a) = (Sides::new(a.1, b.1), Sides::new(b.1, a.1));
    let level = Level::new();
    let parts = parallel::map_pieces(&pairs, BUCKETS, |pairs| {
        let (mut of_a, mut of_b) = (Found::default(), Found::default());
        let (mut waiting_a, mut waiting_b) = (Vec::new(), Vec::new());
        let mut scratch = [Vec::new(), Vec::new()];
        for &pair in pairs {
            for_pairs_of_buckets([a, b], pair, &mut scratch, |one, other| {
                faces_near(a.1, one, other, |face| waiting_a.push([face, other.tet]));
                faces_near(b.1, other, one, |face| waiting_b.push([face, one.tet]));
            });
            if waiting_a.len() >= PIECE {
                in_b.decide(level, &mut waiting_a, &mut of_a);
            }
            if waiting_b.len() >= PIECE {
                in_a.decide(level, &mut waiting_b, &mut of_b);
            }
        }
        in_b.decide(level, &mut waiting_a, &mut of_a);
        in_a.decide(level, &mut waiting_b, &mut of_b);
        [of_a, of_b]
    });
    let (of_a, of_b) = parts.into_iter().map(|[of_a, of_b]| (of_a, of_b)).unzip();
    [of_a, of_b]
}

/// Maps a mesh, and tests each tetrahedron against those that are in its buckets already.
fn self_pairs_of_buckets(
    tree: &mut BucketTree,
    mesh: &TetMesh,
    mapping: BucketMapping,
    relation: TetNeighbours,
) -> Found {
    let sides = Sides::new(mesh, mesh);
    let (mut found, mut waiting) = (Found::default(), Vec::new());
    tree.remap_against_itself(mesh, mapping, |one, other| {
        if are_neighbours(&mesh.layout, relation, one.tet, other.tet) {
            return;
        }
        faces_near(mesh, one, other, |face| waiting.push([face, other.tet]));
        faces_near(mesh, other, one, |face| waiting.push([face, one.tet]));
        if waiting.len() >= WAITING {
            sides.decide_on_all(&mut waiting, &mut found);
        }
    });
    sides.decide_on_all(&mut waiting, &mut found);
    found
}
