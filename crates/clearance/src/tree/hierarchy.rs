//! What every tree of an index has in common, and which tree a kind of index has.

use super::binary::{BinaryNode, BinaryPair, BinaryTree, Soup};
use super::binary_build::{self, IndexOptions};
use super::box_tree::{BoxPair, BoxState, BoxTree};
use super::traverse_binary::{Below, Entry, Pairing};
use crate::bound::{Aabb, Bound};
use crate::math::placement::Placement;

/// What an [`Index`](crate::index::Index) is made of: any [`Bound`], or [`BoxTree`].
pub trait Kind: 'static {
    /// The volumes of the nodes.
    type Volume: Bound;

    /// The tree.
    type Tree: Hierarchy<Volume = Self::Volume>;
}

impl<B: Bound> Kind for B {
    type Volume = B;
    type Tree = BinaryTree<B>;
}

impl Kind for BoxTree {
    type Volume = Aabb;
    type Tree = BoxTree;
}

/// The stacks of traversals, by the states of the trees.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    binary: Vec<Entry<[u32; 2]>>,
    boxes: Vec<Entry<BoxState>>,
}

/// A tree over the triangles of a mesh.
pub trait Hierarchy: Clone + std::fmt::Debug + Send + Sync {
    /// The volumes of the nodes.
    type Volume: Bound;

    /// Two such trees.
    type Pairing<'t>: Pairing
    where
        Self: 't;

    /// Builds a tree.
    fn build(soup: &Soup<'_>, options: &IndexOptions) -> Self;

    /// Fits all volumes to new points; `slot` gives the new slot of a triangle.
    fn refit(&mut self, soup: &Soup<'_>, slot: impl Fn(u32) -> u32);

    /// Two trees, the second placed in the frame of the first.
    fn pairing<'t>(a: &'t Self, b: &'t Self, map: &Placement) -> Self::Pairing<'t>;

    /// The stack of a traversal.
    fn stack<'t, 's>(stacks: &'s mut Stacks) -> &'s mut Vec<Entry<<Self::Pairing<'t> as Pairing>::State>>
    where
        Self: 't;

    /// What is below a node.
    fn below(&self, node: u32) -> Below<'_>;

    /// How many nodes.
    fn count(&self) -> usize;

    /// All volumes, by node, in the frame of the stored points.
    fn volumes(&self) -> Vec<Self::Volume>;

    /// Memory in bytes.
    fn bytes(&self) -> usize;
}

impl<B: Bound> Hierarchy for BinaryTree<B> {
    type Volume = B;
    type Pairing<'t> = BinaryPair<'t, B>;

    fn build(soup: &Soup<'_>, options: &IndexOptions) -> BinaryTree<B> {
        binary_build::build(soup, options)
    }

    fn refit(&mut self, soup: &Soup<'_>, slot: impl Fn(u32) -> u32) {
        BinaryTree::refit(self, soup, slot);
    }

    #[inline(always)]
    fn pairing<'t>(a: &'t BinaryTree<B>, b: &'t BinaryTree<B>, map: &Placement) -> BinaryPair<'t, B> {
        BinaryPair::new(a, b, map)
    }

    fn stack<'t, 's>(stacks: &'s mut Stacks) -> &'s mut Vec<Entry<[u32; 2]>>
    where
        Self: 't,
    {
        &mut stacks.binary
    }

    fn below(&self, node: u32) -> Below<'_> {
        BinaryTree::below(self, node)
    }

    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn volumes(&self) -> Vec<B> {
        self.nodes.iter().map(|node: &BinaryNode<B>| node.bound.clone()).collect()
    }

    fn bytes(&self) -> usize {
        BinaryTree::bytes(self)
    }
}

impl Hierarchy for BoxTree {
    type Volume = Aabb;
    type Pairing<'t> = BoxPair<'t>;

    fn build(soup: &Soup<'_>, options: &IndexOptions) -> BoxTree {
        BoxTree::new(soup, &binary_build::build(soup, &IndexOptions { leaf: 1, ..*options }))
    }

    fn refit(&mut self, soup: &Soup<'_>, slot: impl Fn(u32) -> u32) {
        BoxTree::refit(self, soup, slot);
    }

    #[inline(always)]
    fn pairing<'t>(a: &'t BoxTree, b: &'t BoxTree, map: &Placement) -> BoxPair<'t> {
        BoxPair::new(a, b, map)
    }

    fn stack<'t, 's>(stacks: &'s mut Stacks) -> &'s mut Vec<Entry<BoxState>>
    where
        Self: 't,
    {
        &mut stacks.boxes
    }

    fn below(&self, node: u32) -> Below<'_> {
        BoxTree::below(self, node)
    }

    fn count(&self) -> usize {
        BoxTree::count(self)
    }

    fn volumes(&self) -> Vec<Aabb> {
        self.boxes()
    }

    fn bytes(&self) -> usize {
        BoxTree::bytes(self)
    }
}
