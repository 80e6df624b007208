//! The restricted box tree: eight bytes a node, and boxes compared by realignment.
//!
//! Zachmann, *Minimal hierarchical collision detection* (2002). A child's box is its parent's with one face moved: of
//! two children, the first is cut from above, the second from below, each across an axis of its own. So a node is one
//! number, an axis and an index, and its box is known only to who comes down from the root.
//!
//! Two boxes in different frames are compared by putting each in a box aligned with the other's frame. Moving one face
//! of a box by `delta` moves, for each axis `w` of the other frame, only one of the two faces of the aligned box, by the
//! entry of the rotation times `delta`: three products and sums for the aligned box, six comparisons.
//!
//! The boxes of the tree are enclosed outward in single precision, in a unit that is a power of two. The faces of
//! aligned boxes are sums along a path, in double precision; what they lose is subtracted from every gap.

use glam::DVec3;

use super::binary::{BinaryTree, Soup};
use super::traverse_binary::{Below, Pairing, Slots};
use super::wide::{Frame, round_down, round_up};
use crate::bound::{Aabb, Bound, RelativePose};
use crate::math::placement::Placement;
use crate::math::tolerances::{BOX_PATH, BOX_PLACE, SECOND_ORDER};

/// One face of a box, and what is below.
#[derive(Clone, Copy, Debug)]
struct BoxNode {
    /// Where the face is, in the unit of the tree.
    plane: f32,
    /// From the highest bits: the axis in two, whether this is a leaf in one, and in the rest the first of two children,
    /// or the slot of a triangle.
    word: u32,
}

const LEAF: u32 = 1 << 29;

impl BoxNode {
    fn new(axis: usize, plane: f32, below: u32) -> BoxNode {
        BoxNode { plane, word: (axis as u32) << 30 | below }
    }

    #[inline(always)]
    fn axis(self) -> usize {
        (self.word >> 30) as usize
    }

    /// The index with the mark of leaves.
    fn below(self) -> u32 {
        self.word & (2 * LEAF - 1)
    }

    fn is_leaf(self) -> bool {
        self.word & LEAF != 0
    }

    fn index(self) -> u32 {
        self.word & (LEAF - 1)
    }
}

/// A tree of boxes of eight bytes a node, a kind of [`Index`](crate::index::Index) that is no [`Bound`].
///
/// ```
/// use clearance::index::{BoxTree, Index, IndexOptions};
/// use clearance::Mesh;
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let index = Index::<BoxTree>::new(&mesh, &IndexOptions::default());
/// assert_eq!(index.bytes(), 8 * 7);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoxTree {
    /// The first is the root, whose face is not used; a node stands before its children, which stand side by side.
    nodes: Vec<BoxNode>,
    frame: Frame,
    /// The root's box, relative to the origin of the frame.
    root: Aabb,
    /// How far the boxes reach from the origin of the stored points.
    reach: f64,
    /// Nodes on the longest path from the root to a leaf.
    depth: u32,
}

impl BoxTree {
    /// A tree with the groups of another one; leaves of several triangles are halved until they have one.
    pub(crate) fn new(soup: &Soup<'_>, groups: &BinaryTree<Aabb>) -> BoxTree {
        let mut ranges: Vec<(u32, u32)> = groups.nodes.iter().map(|node| (node.first, node.count)).collect();
        let mut nodes = Vec::with_capacity(ranges.len());
        while let Some(&(first, count)) = ranges.get(nodes.len()) {
            let below = match count {
                0 => first,
                1 => LEAF | groups.slots[first as usize],
                _ => {
                    ranges.extend([(first, count / 2), (first + count / 2, count - count / 2)]);
                    ranges.len() as u32 - 2
                }
            };
            nodes.push(BoxNode::new(0, 0.0, below));
        }
        let mut depths = vec![1; nodes.len()];
        for (number, node) in nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let (child, depth) = (node.index() as usize, depths[number] + 1);
            depths[child..child + 2].fill(depth);
        }
        let depth = depths.into_iter().max().unwrap_or(1);
        let frame = Frame { origin: DVec3::ZERO, scale: 1.0 };
        let mut tree = BoxTree { nodes, frame, root: Aabb::new(DVec3::ZERO, DVec3::ZERO), reach: 0.0, depth };
        tree.fit(soup);
        tree
    }

    /// Moves all faces to new points. `slot` gives the new slot of a triangle.
    pub(crate) fn refit(&mut self, soup: &Soup<'_>, slot: impl Fn(u32) -> u32) {
        for node in self.nodes.iter_mut().filter(|node| node.is_leaf()) {
            *node = BoxNode::new(0, 0.0, LEAF | slot(node.index()));
        }
        self.fit(soup);
    }

    fn fit(&mut self, soup: &Soup<'_>) {
        // The tight boxes, from the leaves up.
        let mut tight = vec![Aabb::EMPTY; self.nodes.len()];
        for number in (0..self.nodes.len()).rev() {
            let node = self.nodes[number];
            let child = node.index() as usize;
            tight[number] = if node.is_leaf() {
                soup.corners(node.index()).into_iter().fold(Aabb::EMPTY, |all, p| all.including(p))
            } else {
                Aabb::merge(&tight[child], &tight[child + 1])
            };
        }
        self.frame = Frame::about(tight[0].min, tight[0].max);
        self.reach = tight[0].reach();
        for own in &mut tight {
            *own = Aabb::new(own.min - self.frame.origin, own.max - self.frame.origin);
        }
        self.root = tight[0];
        // From the root down: which child is cut from above, and across which axes.
        let mut boxes = tight.clone();
        for number in 0..self.nodes.len() {
            if self.nodes[number].is_leaf() {
                continue;
            }
            let child = self.nodes[number].index() as usize;
            let whole = boxes[number];
            let [first, second] = [tight[child], tight[child + 1]];
            let straight = [self.cut(&whole, &first, false), self.cut(&whole, &second, true)];
            let crossed = [self.cut(&whole, &second, false), self.cut(&whole, &first, true)];
            let area = |cuts: &[Cut; 2]| cuts[0].area + cuts[1].area;
            let cuts = if area(&crossed) < area(&straight) {
                self.nodes.swap(child, child + 1);
                tight.swap(child, child + 1);
                crossed
            } else {
                straight
            };
            for (k, Cut { axis, plane, rest, .. }) in cuts.into_iter().enumerate() {
                self.nodes[child + k] = BoxNode::new(axis, plane, self.nodes[child + k].below());
                boxes[child + k] = rest;
            }
        }
    }

    /// The cut of a box down to `tight` that leaves least, from below or from above.
    fn cut(&self, whole: &Aabb, tight: &Aabb, from_below: bool) -> Cut {
        let along = |axis: usize| {
            let plane = if from_below {
                round_down(tight.min[axis] * self.frame.scale)
            } else {
                round_up(tight.max[axis] * self.frame.scale)
            };
            let rest = replaced(whole, axis, self.length(plane), from_below);
            Cut { axis, plane, rest, area: rest.surface() }
        };
        let [x, y, z] = [along(0), along(1), along(2)];
        let better = |p: Cut, q: Cut| if q.area < p.area { q } else { p };
        better(better(x, y), z)
    }

    /// A number of a node as a length.
    #[inline(always)]
    fn length(&self, plane: f32) -> f64 {
        f64::from(plane) / self.frame.scale
    }

    /// What is below a node.
    #[inline(always)]
    pub(crate) fn below(&self, node: u32) -> Below<'_> {
        let node = self.nodes[node as usize];
        let index = node.index();
        if node.is_leaf() { Below::Triangles(Slots::One(index)) } else { Below::Nodes([index, index + 1]) }
    }

    /// All boxes, by node, in the frame of the stored points.
    pub(crate) fn boxes(&self) -> Vec<Aabb> {
        let mut boxes = vec![self.root; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let child = node.index() as usize;
            for k in 0..2 {
                let BoxNode { plane, .. } = self.nodes[child + k];
                let axis = self.nodes[child + k].axis();
                boxes[child + k] = replaced(&boxes[number], axis, self.length(plane), k == 1);
            }
        }
        let origin = self.frame.origin;
        boxes.into_iter().map(|own| Aabb::new(own.min + origin, own.max + origin)).collect()
    }

    /// How many nodes.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
    }
}

/// A way to cut a box.
#[derive(Clone, Copy)]
struct Cut {
    axis: usize,
    plane: f32,
    /// What is left, and its area.
    rest: Aabb,
    area: f64,
}

/// A box with one face moved inward; the box itself where rounding put the plane outside of it.
#[inline(always)]
fn replaced(whole: &Aabb, axis: usize, plane: f64, from_below: bool) -> Aabb {
    let mut rest = *whole;
    if from_below {
        rest.min[axis] = plane.max(whole.min[axis]);
    } else {
        rest.max[axis] = plane.min(whole.max[axis]);
    }
    rest
}

/// Two box trees, the second placed in the frame of the first.
#[derive(Debug)]
pub struct BoxPair<'t> {
    a: &'t BoxTree,
    b: &'t BoxTree,
    /// For each axis of A, its products with the axes of B: how a face of A moves those of its box in B's frame.
    b_of_a: [DVec3; 3],
    /// The other way.
    a_of_b: [DVec3; 3],
    /// The whole of A in B's frame, and of B in A's.
    whole: [Aabb; 2],
    slack: f64,
}

impl<'t> BoxPair<'t> {
    pub(crate) fn new(a: &'t BoxTree, b: &'t BoxTree, map: &Placement) -> BoxPair<'t> {
        let m = map.rotation;
        let pose = RelativePose::of_placement(map, a.reach, b.reach);
        let rows = m.transpose();
        // From the centre of A's tree to that of B's, in the frame of A.
        let between = map.place(b.frame.origin) - a.frame.origin;
        let whole = [
            aligned(&a.root, &m.to_cols_array_2d().map(DVec3::from_array), |d| -d.dot(between)),
            aligned(&b.root, &rows.to_cols_array_2d().map(DVec3::from_array), |_| 0.0),
        ];
        let whole = [whole[0], Aabb::new(whole[1].min + between, whole[1].max + between)];
        let size = a.reach + b.reach + map.separation;
        let slack = pose.slack() + (BOX_PLACE + BOX_PATH * f64::from(a.depth + b.depth)) * size * SECOND_ORDER;
        let columns = |m: glam::DMat3| [m.x_axis, m.y_axis, m.z_axis];
        BoxPair { a, b, b_of_a: columns(rows), a_of_b: columns(m), whole, slack }
    }
}

/// The box about a box along some directions, each moved by an offset.
fn aligned(bounds: &Aabb, directions: &[DVec3; 3], offset: impl Fn(DVec3) -> f64) -> Aabb {
    let span = |d: DVec3| {
        let (p, q) = (d * bounds.min, d * bounds.max);
        (p.min(q).element_sum() + offset(d), p.max(q).element_sum() + offset(d))
    };
    let [x, y, z] = directions.map(span);
    Aabb::new(DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1))
}

/// A pair of nodes with their boxes.
#[derive(Clone, Copy, Debug)]
pub struct BoxState {
    nodes: [u32; 2],
    /// The boxes in their own frames.
    own: [Aabb; 2],
    /// A's box in B's frame, and B's in A's.
    turned: [Aabb; 2],
}

/// The state with a child of one of the two nodes: `side` 0 for A.
#[inline(always)]
fn opened(state: &BoxState, tree: &BoxTree, side: usize, child: u32, is_second: bool, turns: &[DVec3; 3]) -> BoxState {
    let node = tree.nodes[child as usize];
    let (axis, plane) = (node.axis(), tree.length(node.plane));
    let mut next = *state;
    next.nodes[side] = child;
    let own = &state.own[side];
    let rest = replaced(own, axis, plane, is_second);
    next.own[side] = rest;
    let moved = turns[axis] * if is_second { rest.min[axis] - own.min[axis] } else { rest.max[axis] - own.max[axis] };
    // The lower faces move up and the upper ones down.
    next.turned[side].min += moved.max(DVec3::ZERO);
    next.turned[side].max += moved.min(DVec3::ZERO);
    next
}

impl Pairing for BoxPair<'_> {
    type State = BoxState;

    fn roots(&self) -> BoxState {
        BoxState { nodes: [0, 0], own: [self.a.root, self.b.root], turned: self.whole }
    }

    #[inline(always)]
    fn nodes(&self, state: &BoxState) -> [u32; 2] {
        state.nodes
    }

    #[inline(always)]
    fn below(&self, state: &BoxState) -> [Below<'_>; 2] {
        [self.a.below(state.nodes[0]), self.b.below(state.nodes[1])]
    }

    #[inline(always)]
    fn a_is_larger(&self, state: &BoxState) -> bool {
        state.own[0].longest() >= state.own[1].longest()
    }

    #[inline(always)]
    fn open_a(&self, state: &BoxState, [first, second]: [u32; 2]) -> [BoxState; 2] {
        [(first, false), (second, true)]
            .map(|(child, is_second)| opened(state, self.a, 0, child, is_second, &self.b_of_a))
    }

    #[inline(always)]
    fn open_b(&self, state: &BoxState, [first, second]: [u32; 2]) -> [BoxState; 2] {
        [(first, false), (second, true)]
            .map(|(child, is_second)| opened(state, self.b, 1, child, is_second, &self.a_of_b))
    }

    #[inline(always)]
    fn overlaps(&self, state: &BoxState) -> bool {
        let gap = |p: &Aabb, q: &Aabb| (q.min - p.max).max(p.min - q.max).max_element();
        gap(&state.own[1], &state.turned[0]) <= self.slack && gap(&state.own[0], &state.turned[1]) <= self.slack
    }

    #[inline(always)]
    fn distance_below(&self, state: &BoxState) -> f64 {
        let squared = |p: &Aabb, q: &Aabb| (q.min - p.max).max(p.min - q.max).max(DVec3::ZERO).length_squared();
        let most = squared(&state.own[1], &state.turned[0]).max(squared(&state.own[0], &state.turned[1]));
        (most.sqrt() - self.slack).max(0.0)
    }
}
