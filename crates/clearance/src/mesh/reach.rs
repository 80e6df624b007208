//! How far the triangles below a box reach along one direction, remembered.
//!
//! Boxes about a piece of surface that lies askew are thick; the piece itself, seen along the direction in which two surfaces
//! are nearest, is thin. So once a direction is known, boxes of the lowest levels are also told apart by how far their
//! triangles reach along it, as with a slab made for the query. A reach is found from the packets when it is first asked
//! for, and kept until the direction changes: a new direction only starts a new epoch.

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::Packet;
use crate::tree::two::Pair;
use crate::tree::wide::{Below, Bounds, Leaf, WIDTH, WideTree};

/// Reaches of the boxes of two trees, each with the epoch it belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaches {
    a: Vec<(u32, f32)>,
    b: Vec<(u32, f32)>,
    epoch: u32,
    /// Unit, in the frame of A, from A to B; zero when none is known.
    direction: [f32; 3],
    /// The same for the coordinates of B's tree.
    in_b: [f32; 3],
    /// How far along it the translation takes B, less what rounding can do.
    offset: f32,
}

/// A new direction that is as near to the last as this is not worth a new epoch: the cosine of their angle.
const SAME_DIRECTION: f32 = 0.999;

impl Reaches {
    /// Forgets the direction, for two trees with these numbers of places.
    pub fn start(&mut self, pair: &Pair<'_>) {
        self.a.resize(pair.a.nodes.len() * WIDTH, (0, 0.0));
        self.b.resize(pair.b.nodes.len() * WIDTH, (0, 0.0));
        self.direction = [0.0; 3];
    }

    pub fn direction(&self) -> [f32; 3] {
        self.direction
    }

    /// Takes a direction, unless it is about the last.
    pub fn learn(&mut self, pair: &Pair<'_>, n: [f32; 3]) {
        let d = self.direction;
        if (d[0] * n[0] + d[1] * n[1]) + d[2] * n[2] > SAME_DIRECTION {
            return;
        }
        let map = &pair.a_from_b;
        self.direction = n;
        self.in_b = map.back(n);
        // Products with the direction are off by less than the slack for each component.
        self.offset = map.along(n) - 2.0 * map.slack() * ((n[0].abs() + n[1].abs()) + n[2].abs());
        match self.epoch.checked_add(1) {
            Some(next) => self.epoch = next,
            None => {
                self.a.fill((0, 0.0));
                self.b.fill((0, 0.0));
                self.epoch = 1;
            }
        }
    }

    /// A lower bound on the gap between the triangles below two places, along the direction and in the unit of A's tree; `None` when no
    /// direction is known or there are too many triangles.
    #[inline(always)]
    pub fn gap<S: Simd>(&mut self, simd: S, pair: &Pair<'_>, a: u32, b: u32) -> Option<f32> {
        if self.direction == [0.0; 3] || !is_low(pair.a, a) || !is_low(pair.b, b) {
            return None;
        }
        let against = [-self.in_b[0], -self.in_b[1], -self.in_b[2]];
        let far_a = reach(simd, pair.a, a, self.direction, self.epoch, &mut self.a);
        let far_b = reach(simd, pair.b, b, against, self.epoch, &mut self.b);
        Some(self.offset - far_b - far_a)
    }
}

/// Whether a place is at most two levels above the leaves.
#[inline(always)]
fn is_low(tree: &WideTree, place: u32) -> bool {
    match tree.below(place) {
        Below::Leaf(_) => true,
        Below::Node(node) => {
            let node = &tree.nodes[node as usize];
            node.leaf[0] != 0 || tree.nodes[node.below[0] as usize].leaf[0] != 0
        }
    }
}

/// How far the triangles below a place reach along a direction, in the tree's own coordinates, rounded up.
#[inline(always)]
fn reach<S: Simd>(simd: S, tree: &WideTree, place: u32, n: [f32; 3], epoch: u32, known: &mut [(u32, f32)]) -> f32 {
    let (of, reach) = known[place as usize];
    if of == epoch {
        return reach;
    }
    let found = match tree.below(place) {
        Below::Leaf(leaf) => of_leaf(simd, tree, &leaf, &tree.at(place), n),
        Below::Node(node) => {
            let mut farthest = f32::NEG_INFINITY;
            for lane in 0..tree.nodes[node as usize].count() as u32 {
                farthest = farthest.max(below_that(simd, tree, node * WIDTH as u32 + lane, n, epoch, known));
            }
            farthest
        }
    };
    known[place as usize] = (epoch, found);
    found
}

/// The same for what is below a low place: leaves, or nodes with leaves and perhaps more.
#[inline(always)]
fn below_that<S: Simd>(simd: S, tree: &WideTree, place: u32, n: [f32; 3], epoch: u32, known: &mut [(u32, f32)]) -> f32 {
    let (of, reach) = known[place as usize];
    if of == epoch {
        return reach;
    }
    let mut farthest = f32::NEG_INFINITY;
    // A place that is not as low as its neighbours: by its box.
    let found = match tree.below(place) {
        Below::Leaf(leaf) => of_leaf(simd, tree, &leaf, &tree.at(place), n),
        Below::Node(node) => {
            for lane in 0..tree.nodes[node as usize].count() as u32 {
                let place = node * WIDTH as u32 + lane;
                let bounds = tree.at(place);
                farthest = farthest.max(match tree.below(place) {
                    Below::Leaf(leaf) => of_leaf(simd, tree, &leaf, &bounds, n),
                    Below::Node(_) => of_box(&bounds, n),
                });
            }
            farthest
        }
    };
    known[place as usize] = (epoch, found);
    found
}

/// How far a box reaches along a direction.
#[inline(always)]
fn of_box(bounds: &Bounds, n: [f32; 3]) -> f32 {
    let along = |k: usize| (n[k] * bounds.min[k]).max(n[k] * bounds.max[k]);
    (along(0) + along(1)) + along(2)
}

/// How far the triangles of a leaf reach along a direction, the error of their corners included.
#[inline(always)]
fn of_leaf<S: Simd>(simd: S, tree: &WideTree, leaf: &Leaf, bounds: &Bounds, n: [f32; 3]) -> f32 {
    let triangles = tree.packets[leaf.packet as usize].decode(simd, bounds);
    let off = Packet::off(bounds);
    let (x, y, z) = (f32x8::splat(simd, n[0]), f32x8::splat(simd, n[1]), f32x8::splat(simd, n[2]));
    let [p, q, r] = &triangles.corners;
    let p = (p[0] * x + p[1] * y) + p[2] * z;
    let q = (q[0] * x + q[1] * y) + q[2] * z;
    let r = (r[0] * x + r[1] * y) + r[2] * z;
    p.max(q).max(r).reduce_max() + ((n[0].abs() * off[0] + n[1].abs() * off[1]) + n[2].abs() * off[2])
}
