//! Wide trees over the tetrahedra and over the surface of a mesh: which faces may meet which tetrahedra.
//!
//! The trees are those of triangle meshes ([`tree`](crate::tree)): a tetrahedron enters the builder as a triangle
//! between the corners of its box. The shape of a tree is kept; in each frame boxes are fitted to the points, in single
//! precision. As for [`boxes`](super::boxes), all coordinates go through one monotone map, so no box is widened. The
//! tree of the faces of one mesh and that of the tetrahedra of the other are walked together.

use fearless_simd::{Level, Simd};
use glam::{DVec3, Vec4};

use super::boxes::{Block, fit_leaves, frame_about};
use super::tet_mesh::TetMesh;
use super::tet_pairs::{Found, Sides, are_neighbours};
use crate::answer::tets::TetNeighbours;
use crate::bound::Aabb;
use crate::math::simd::at_level;
use crate::parallel;
use crate::tree::build::{Built, build};
use crate::tree::traverse_same_frame::{Places, SameFramePair, boxes_meeting};
use crate::tree::wide::{Below, Bounds, Frame, Leaf, Node, WIDTH, fit_nodes};

/// How many pieces a walk is split into. Results do not depend on it.
const PIECES: usize = 512;

/// How many candidates wait before they are decided.
const WAITING: usize = 2048;

/// The two trees of a mesh.
#[derive(Debug)]
pub(super) struct TetTrees {
    /// `None` for a mesh without surface.
    faces: Option<Tree>,
    tets: Tree,
    /// The points of the frame in single precision.
    points: Vec<Vec4>,
}

/// A tree over elements with `N` corners.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    /// The boxes of the elements of each leaf, by its packet.
    blocks: Vec<Block>,
    /// The first slot and the number of elements of each leaf.
    leaves: Vec<(u32, u32)>,
    /// Elements by slot.
    ids: Vec<u32>,
}

impl TetTrees {
    pub fn new(mesh: &TetMesh) -> TetTrees {
        let bounds = (mesh.bounds.min, mesh.bounds.max);
        let triangles: Vec<[u32; 3]> = mesh.layout.faces.iter().map(|face| face.corners).collect();
        let faces = (!triangles.is_empty()).then(|| Tree::new(build(&mesh.points, &triangles, bounds)));
        let mut corners = Vec::with_capacity(2 * mesh.layout.tets.len());
        for tet in 0..mesh.layout.tets.len() as u32 {
            let [a, b, c, d] = mesh.corners(tet);
            corners.extend([a.min(b).min(c.min(d)), a.max(b).max(c.max(d))]);
        }
        let triangles: Vec<[u32; 3]> = (0..corners.len() as u32).step_by(2).map(|low| [low, low + 1, low]).collect();
        let tets = Tree::new(build(&corners, &triangles, bounds));
        TetTrees { faces, tets, points: Vec::new() }
    }

    /// Fits all boxes to the points in a frame.
    fn fit(&mut self, mesh: &TetMesh, frame: &Frame) {
        let within = DVec3::splat(f64::from(f32::MAX));
        self.points.clear();
        let single = |&p: &DVec3| frame.of(p).clamp(-within, within).as_vec3().extend(0.0);
        self.points.extend(mesh.points.iter().map(single));
        let points = &self.points;
        if let Some(faces) = &mut self.faces {
            faces.fit(|face| mesh.layout.faces[face as usize].corners.map(|point| points[point as usize]));
        }
        self.tets.fit(|tet| mesh.layout.tets[tet as usize].map(|point| points[point as usize]));
    }
}

impl Tree {
    fn new(built: Built) -> Tree {
        let Built { tree, ids, .. } = built;
        let mut leaves = vec![(0, 0); tree.packets.len()];
        for node in &tree.nodes {
            for lane in 0..WIDTH {
                if let Below::Leaf(leaf) = node.below(lane) {
                    leaves[leaf.packet as usize] = (leaf.first, leaf.count);
                }
            }
        }
        Tree { nodes: tree.nodes, blocks: vec![Block::EMPTY; leaves.len()], leaves, ids }
    }

    fn fit<const N: usize>(&mut self, corners: impl Fn(u32) -> [Vec4; N]) {
        for (block, &(first, count)) in self.blocks.iter_mut().zip(&self.leaves) {
            for (lane, &id) in self.ids[first as usize..][..count as usize].iter().enumerate() {
                let corners = corners(id);
                let (mut low, mut high) = (corners[0], corners[0]);
                for &corner in &corners[1..] {
                    (low, high) = (low.min(corner), high.max(corner));
                }
                for k in 0..3 {
                    (block.min[k][lane], block.max[k][lane]) = (low[k], high[k]);
                }
            }
        }
        at_level!(Level::new(), simd => {
            fit_leaves(simd, &mut self.nodes, &self.blocks);
            fit_nodes(simd, &mut self.nodes);
        });
    }
}

/// All pairs of two meshes, in parts: faces of the first, and faces of the second.
pub(super) fn pairs([a, b]: [(&mut TetTrees, &TetMesh); 2]) -> [Vec<Found>; 2] {
    let (of_a, of_b) = (&a.1.bounds, &b.1.bounds);
    // The frame is that of the overlap of both: there boxes are as tight as single precision allows.
    let Some(frame) = frame_about(&Aabb::new(of_a.min.max(of_b.min), of_a.max.min(of_b.max))) else {
        return Default::default();
    };
    let fitted = parallel::map_owned(vec![a, b], |(trees, mesh)| {
        trees.fit(mesh, &frame);
        (&*trees, mesh)
    });
    let [a, b] = [fitted[0], fitted[1]];
    [(a, b), (b, a)].map(|(faces, tets)| walk(&Sides::new(faces.1, tets.1), (faces.0, tets.0), None))
}

/// All pairs of one mesh, in parts.
pub(super) fn self_pairs(trees: &mut TetTrees, mesh: &TetMesh, relation: TetNeighbours) -> Vec<Found> {
    let Some(frame) = frame_about(&mesh.bounds) else { return Vec::new() };
    trees.fit(mesh, &frame);
    walk(&Sides::new(mesh, mesh), (trees, trees), Some(relation))
}

/// Walks the tree of faces of one mesh with that of tetrahedra of another.
fn walk(sides: &Sides<'_>, (faces, tets): (&TetTrees, &TetTrees), itself: Option<TetNeighbours>) -> Vec<Found> {
    let (Some(faces), tets) = (&faces.faces, &tets.tets) else { return Vec::new() };
    let pair = SameFramePair { a: &faces.nodes, b: &tets.nodes, itself: false };
    let level = Level::new();
    let in_piece = |&piece: &Places| {
        let mut walk = Walk { sides, faces, tets, itself, level, waiting: Vec::new(), found: Found::default() };
        let mut stack = Vec::new();
        at_level!(level, simd => pair.walk(simd, piece, &mut stack, |a, b| walk.leaves(simd, a.0, b.0)));
        sides.decide(level, &mut walk.waiting, &mut walk.found);
        walk.found
    };
    parallel::map(&pair.pieces(PIECES), in_piece)
}

struct Walk<'w> {
    sides: &'w Sides<'w>,
    faces: &'w Tree,
    tets: &'w Tree,
    itself: Option<TetNeighbours>,
    level: Level,
    waiting: Vec<[u32; 2]>,
    found: Found,
}

impl Walk<'_> {
    /// The pairs of two leaves whose boxes meet.
    #[inline(always)]
    fn leaves<S: Simd>(&mut self, simd: S, a: &Leaf, b: &Leaf) {
        let (of_a, of_b) = (&self.faces.blocks[a.packet as usize], &self.tets.blocks[b.packet as usize]);
        for lane in 0..a.count {
            let own: Bounds = of_a.lane(lane as usize);
            let face = self.faces.ids[(a.first + lane) as usize];
            let mut near = boxes_meeting(simd, &of_b.min, &of_b.max, &own);
            while near != 0 {
                let other = near.trailing_zeros();
                near &= near - 1;
                let tet = self.tets.ids[(b.first + other) as usize];
                if !self.itself.is_some_and(|relation| self.are_neighbours(relation, face, tet)) {
                    self.waiting.push([face, tet]);
                }
            }
        }
        if self.waiting.len() >= WAITING {
            self.sides.decide(self.level, &mut self.waiting, &mut self.found);
        }
    }

    #[inline]
    fn are_neighbours(&self, relation: TetNeighbours, face: u32, tet: u32) -> bool {
        let layout = &self.sides.tets.layout;
        are_neighbours(layout, relation, layout.faces[face as usize].tet, tet)
    }
}
