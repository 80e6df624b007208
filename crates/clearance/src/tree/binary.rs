//! The binary tree of bounding volumes: the hierarchy of RAPID and PQP, for every kind of volume.
//!
//! Gottschalk, Lin and Manocha, *OBBTree* (1996). A node has two children side by side, a leaf a few triangles (one by
//! default: `n` leaves, `n - 1` inner nodes). All volumes are in the frame of the mesh's stored points, not relative to
//! their parents as in the paper: no error accumulates on the way down, and a pair of trees needs one relative pose.
//!
//! The triangles below a node are a range of the tree's own list, so the mesh need not be reordered and may have
//! several trees. A node stands before its children: one pass from the last node to the first refits them all.

use glam::DVec3;

use super::traverse_binary::{Below, Pairing, Slots};
use crate::bound::{Bound, Fit, RelativePose};
use crate::math::placement::Placement;

/// Triangles by slot, with their points.
#[derive(Clone, Copy, Debug)]
pub struct Soup<'m> {
    /// The points, relative to the local origin.
    pub points: &'m [DVec3],
    /// The point indices of each triangle.
    pub triangles: &'m [[u32; 3]],
}

impl Soup<'_> {
    /// The corners of a triangle.
    #[inline(always)]
    pub fn corners(&self, slot: u32) -> [DVec3; 3] {
        self.triangles[slot as usize].map(|p| self.points[p as usize])
    }

    /// The sum of the corners of a triangle: three times its centroid.
    #[inline(always)]
    pub fn middle(&self, slot: u32) -> DVec3 {
        let [a, b, c] = self.corners(slot);
        (a + b) + c
    }

    /// The corners of some triangles, three each.
    pub fn gather(&self, slots: &[u32], corners: &mut Vec<DVec3>) {
        corners.clear();
        corners.extend(slots.iter().flat_map(|&slot| self.corners(slot)));
    }
}

/// A volume and what is below it.
#[derive(Clone, Debug)]
pub(crate) struct BinaryNode<B> {
    pub bound: B,
    /// The longest extent: the larger of two volumes is opened first.
    pub size: f64,
    /// For an inner node the first of its two children, for a leaf the first of its triangles in the tree's list.
    pub first: u32,
    /// How many triangles a leaf has; zero for an inner node.
    pub count: u32,
}

impl<B: Bound> BinaryNode<B> {
    pub fn new(bound: B, first: u32, count: u32) -> BinaryNode<B> {
        BinaryNode { size: bound.longest(), bound, first, count }
    }
}

/// A binary tree of bounding volumes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub struct BinaryTree<B> {
    /// The first is the root; a node stands before its children, which stand side by side.
    pub(crate) nodes: Vec<BinaryNode<B>>,
    /// The triangles, by slot, in the order of the leaves.
    pub(crate) slots: Vec<u32>,
    /// How volumes were fitted.
    pub(crate) fit: Fit,
    /// How far the volumes reach from the origin of their frame.
    pub(crate) reach: f64,
}

impl<B: Bound> BinaryTree<B> {
    pub(crate) fn new(nodes: Vec<BinaryNode<B>>, slots: Vec<u32>, fit: Fit) -> BinaryTree<B> {
        let reach = reach(&nodes);
        BinaryTree { nodes, slots, fit, reach }
    }

    /// Fits all volumes to new points: leaves to their triangles, the others to their children. `slot` gives the new
    /// slot of a triangle.
    pub(crate) fn refit(&mut self, soup: &Soup<'_>, slot: impl Fn(u32) -> u32) {
        self.slots.iter_mut().for_each(|own| *own = slot(*own));
        let mut corners = Vec::new();
        for number in (0..self.nodes.len()).rev() {
            let BinaryNode { first, count, .. } = self.nodes[number];
            let bound = if count == 0 {
                let child = first as usize;
                B::merge(&self.nodes[child].bound, &self.nodes[child + 1].bound)
            } else {
                soup.gather(self.triangles(first, count), &mut corners);
                B::fit(&corners, self.fit)
            };
            self.nodes[number] = BinaryNode::new(bound, first, count);
        }
        self.reach = reach(&self.nodes);
    }

    #[inline(always)]
    fn triangles(&self, first: u32, count: u32) -> &[u32] {
        &self.slots[first as usize..][..count as usize]
    }

    /// What is below a node.
    #[inline(always)]
    pub(crate) fn below(&self, node: u32) -> Below<'_> {
        match self.nodes[node as usize] {
            BinaryNode { first, count: 0, .. } => Below::Nodes([first, first + 1]),
            BinaryNode { first, count, .. } => Below::Triangles(Slots::Some(self.triangles(first, count))),
        }
    }

    /// Memory in bytes, without what volumes of varying size hold themselves.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.slots[..])
    }
}

/// The largest distance of a point of a volume from the origin.
fn reach<B: Bound>(nodes: &[BinaryNode<B>]) -> f64 {
    nodes.iter().map(|node| node.bound.reach()).fold(0.0, f64::max)
}

/// Two binary trees, the second placed in the frame of the first. A state is a node of each.
#[derive(Debug)]
pub struct BinaryPair<'t, B: Bound> {
    a: &'t BinaryTree<B>,
    b: &'t BinaryTree<B>,
    relation: B::Relation,
}

impl<'t, B: Bound> BinaryPair<'t, B> {
    pub(crate) fn new(a: &'t BinaryTree<B>, b: &'t BinaryTree<B>, map: &Placement) -> BinaryPair<'t, B> {
        let pose = RelativePose::of_placement(map, a.reach, b.reach);
        BinaryPair { a, b, relation: B::relation(&pose) }
    }
}

impl<B: Bound> Pairing for BinaryPair<'_, B> {
    type State = [u32; 2];

    #[inline(always)]
    fn roots(&self) -> [u32; 2] {
        [0, 0]
    }

    #[inline(always)]
    fn nodes(&self, state: &[u32; 2]) -> [u32; 2] {
        *state
    }

    #[inline(always)]
    fn below(&self, &[a, b]: &[u32; 2]) -> [Below<'_>; 2] {
        [self.a.below(a), self.b.below(b)]
    }

    #[inline(always)]
    fn a_is_larger(&self, &[a, b]: &[u32; 2]) -> bool {
        self.a.nodes[a as usize].size >= self.b.nodes[b as usize].size
    }

    #[inline(always)]
    fn open_a(&self, &[_, b]: &[u32; 2], children: [u32; 2]) -> [[u32; 2]; 2] {
        children.map(|child| [child, b])
    }

    #[inline(always)]
    fn open_b(&self, &[a, _]: &[u32; 2], children: [u32; 2]) -> [[u32; 2]; 2] {
        children.map(|child| [a, child])
    }

    #[inline(always)]
    fn overlaps(&self, &[a, b]: &[u32; 2]) -> bool {
        self.a.nodes[a as usize].bound.overlaps(&self.b.nodes[b as usize].bound, &self.relation)
    }

    #[inline(always)]
    fn distance_below(&self, &[a, b]: &[u32; 2]) -> f64 {
        self.a.nodes[a as usize].bound.distance_below(&self.b.nodes[b as usize].bound, &self.relation)
    }
}
