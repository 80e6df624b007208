//! Bounding boxes of nodes, aligned with the direction in which two surfaces are nearest, and cached.
//!
//! An axis-aligned box about an oblique piece of surface is thick; along the direction in which two surfaces are
//! nearest, the pieces that matter are thin. So once that direction is known, boxes of the lowest levels are also
//! compared in a frame aligned with it. They are made from the packets on first use and kept until the direction
//! changes; a new direction only starts a new epoch.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use crate::math::tolerances::{BOUNDS_ROUND_UP, BOUNDS_SAME_DIRECTION};
use fearless_simd::{Simd, f32x8, prelude::*};

use crate::tree::packet::{Packet, Triangles};
use crate::tree::traverse_pair::{Entry, Pair};
use crate::tree::wide::{Below, Bounds, WIDTH, WideTree};

/// Eight triangles: corner, axis.
pub(super) type Corners<S> = [[f32x8<S>; 3]; 3];

/// The map from the frame of one tree to the aligned frame.
#[derive(Clone, Copy, Debug, Default)]
struct Turned {
    rows: [[f32; 3]; 3],
    offset: [f32; 3],
    /// The rounding error of a coordinate.
    slack: f32,
}

impl Turned {
    /// The corners of triangles.
    #[inline(always)]
    fn corners<S: Simd>(&self, simd: S, triangles: &Triangles<S>) -> Corners<S> {
        let mut turned = triangles.corners;
        for row in 0..3 {
            let [x, y, z] = self.rows[row];
            let (x, y, z) = (f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z));
            let offset = f32x8::splat(simd, self.offset[row]);
            for corner in 0..3 {
                let p = &triangles.corners[corner];
                turned[corner][row] = ((p[0] * x + p[1] * y) + p[2] * z) + offset;
            }
        }
        turned
    }

    /// The coordinate errors for errors `off` in the tree's frame.
    #[inline(always)]
    fn error(&self, off: [f32; 3]) -> [f32; 3] {
        let mut error = [self.slack; 3];
        for row in 0..3 {
            let [x, y, z] = self.rows[row];
            error[row] += (x.abs() * off[0] + y.abs() * off[1]) + z.abs() * off[2];
        }
        error
    }

    /// The box of a box.
    #[inline(always)]
    fn about(&self, bounds: &Bounds) -> Bounds {
        let mut about = Bounds::EMPTY;
        for row in 0..3 {
            let (mut low, mut high) = (self.offset[row] - self.slack, self.offset[row] + self.slack);
            for k in 0..3 {
                let (p, q) = (self.rows[row][k] * bounds.min[k], self.rows[row][k] * bounds.max[k]);
                low += p.min(q);
                high += p.max(q);
            }
            about.min[row] = low;
            about.max[row] = high;
        }
        about
    }
}

/// A frame aligned with a direction, and the cached boxes of two trees in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrientedBounds {
    known_a: Vec<(u32, Bounds)>,
    known_b: Vec<(u32, Bounds)>,
    epoch: u32,
    /// Whether a direction is known.
    turned: bool,
    /// The first row is the direction.
    a: Turned,
    b: Turned,
    /// The stack of a traversal.
    pub(super) stack: Vec<Entry>,
}

impl OrientedBounds {
    /// Forgets the direction, for two trees.
    pub fn start(&mut self, pair: &Pair<'_>) {
        // Never shorter: older boxes have another epoch.
        for (known, tree) in [(&mut self.known_a, pair.a), (&mut self.known_b, pair.b)] {
            let places = tree.nodes.len() * WIDTH;
            if known.len() < places {
                known.resize(places, (0, Bounds::EMPTY));
            }
        }
        self.turn(pair, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        self.turned = false;
    }

    /// Adopts a unit direction in the frame of A, unless it is close to the last one or zero.
    pub fn learn(&mut self, pair: &Pair<'_>, n: [f32; 3]) {
        let d = self.a.rows[0];
        if n == [0.0; 3] || self.turned && (d[0] * n[0] + d[1] * n[1]) + d[2] * n[2] > BOUNDS_SAME_DIRECTION {
            return;
        }
        let n = glam::Vec3::from_array(n).normalize();
        let (e, f) = n.any_orthonormal_pair();
        self.turn(pair, [n.to_array(), e.to_array(), f.to_array()]);
        self.turned = true;
    }

    fn turn(&mut self, pair: &Pair<'_>, rows: [[f32; 3]; 3]) {
        let map = &pair.a_from_b;
        self.a = Turned { rows, offset: [0.0; 3], slack: map.slack() };
        self.b = Turned {
            rows: [map.back(rows[0]), map.back(rows[1]), map.back(rows[2])],
            offset: [map.along(rows[0]), map.along(rows[1]), map.along(rows[2])],
            // The map's own error along up to √3, plus the rounding of products with the rows.
            slack: 4.0 * map.slack(),
        };
        match self.epoch.checked_add(1) {
            Some(next) => self.epoch = next,
            None => {
                self.known_a.fill((0, Bounds::EMPTY));
                self.known_b.fill((0, Bounds::EMPTY));
                self.epoch = 1;
            }
        }
    }

    /// Whether the triangles below two places may be within `length`, in the unit of A's tree. Always true for places
    /// high up.
    #[inline(always)]
    pub fn may_be_within<S: Simd>(&mut self, simd: S, pair: &Pair<'_>, a: u32, b: u32, length: f32) -> bool {
        if !self.turned || !is_low(pair.a, a) || !is_low(pair.b, b) {
            return true;
        }
        let a = turned_box(simd, pair.a, a, &self.a, self.epoch, &mut self.known_a);
        let b = turned_box(simd, pair.b, b, &self.b, self.epoch, &mut self.known_b);
        let mut squared = 0.0;
        for k in 0..3 {
            let gap = (b.min[k] - a.max[k]).max(a.min[k] - b.max[k]).max(0.0);
            squared += gap * gap;
        }
        squared <= length * length * BOUNDS_ROUND_UP
    }

    /// The triangles of two leaves in the aligned frame, and the sum of their coordinate errors.
    #[inline(always)]
    pub(super) fn leaves<S: Simd>(
        &self,
        simd: S,
        (a, bounds_a): (&Packet, &Bounds),
        (b, bounds_b): (&Packet, &Bounds),
    ) -> ([Corners<S>; 2], [f32; 3]) {
        let of_a = self.a.corners(simd, &a.decode(simd, bounds_a));
        let of_b = self.b.corners(simd, &b.decode(simd, bounds_b));
        let (off_a, off_b) = (self.a.error(Packet::off(bounds_a)), self.b.error(Packet::off(bounds_b)));
        ([of_a, of_b], [off_a[0] + off_b[0], off_a[1] + off_b[1], off_a[2] + off_b[2]])
    }
}

/// Whether a place is a leaf or the parent of leaves, judging by its first lane.
#[inline(always)]
fn is_low(tree: &WideTree, place: u32) -> bool {
    match tree.below(place) {
        Below::Leaf(_) => true,
        Below::Node(node) => tree.nodes[node as usize].leaf[0] != 0,
    }
}

/// The box, in the aligned frame, of the triangles below a place.
#[inline(always)]
fn turned_box<S: Simd>(
    simd: S,
    tree: &WideTree,
    place: u32,
    turned: &Turned,
    epoch: u32,
    known: &mut [(u32, Bounds)],
) -> Bounds {
    let (of, bounds) = known[place as usize];
    if of == epoch { bounds } else { new_box(simd, tree, place, turned, epoch, known) }
}

/// Computes the box of a place.
#[inline(never)]
fn new_box<S: Simd>(
    simd: S,
    tree: &WideTree,
    place: u32,
    turned: &Turned,
    epoch: u32,
    known: &mut [(u32, Bounds)],
) -> Bounds {
    simd.vectorize(
        #[inline(always)]
        || {
            let found = match tree.below(place) {
                Below::Leaf(_) => leaf_box(simd, tree, place, turned),
                Below::Node(node) => {
                    let mut all = Bounds::EMPTY;
                    for place in lanes(tree, node) {
                        let (of, mut bounds) = known[place as usize];
                        if of != epoch {
                            bounds = leaf_box(simd, tree, place, turned);
                            known[place as usize] = (epoch, bounds);
                        }
                        all = joined(&all, &bounds);
                    }
                    all
                }
            };
            known[place as usize] = (epoch, found);
            found
        },
    )
}

#[inline(always)]
fn joined(a: &Bounds, b: &Bounds) -> Bounds {
    let mut all = *a;
    for k in 0..3 {
        all.min[k] = all.min[k].min(b.min[k]);
        all.max[k] = all.max[k].max(b.max[k]);
    }
    all
}

/// The places of a node's lanes.
#[inline(always)]
fn lanes(tree: &WideTree, node: u32) -> std::ops::Range<u32> {
    let first = node * WIDTH as u32;
    first..first + tree.nodes[node as usize].count() as u32
}

/// The box of a leaf's triangles, or, for an inner node, of its box.
#[inline(always)]
fn leaf_box<S: Simd>(simd: S, tree: &WideTree, place: u32, turned: &Turned) -> Bounds {
    let bounds = tree.at(place);
    let Below::Leaf(leaf) = tree.below(place) else { return turned.about(&bounds) };
    let corners = turned.corners(simd, &tree.packets[leaf.packet as usize].decode(simd, &bounds));
    let error = turned.error(Packet::off(&bounds));
    let mut about = Bounds::EMPTY;
    for k in 0..3 {
        let (p, q, r) = (corners[0][k], corners[1][k], corners[2][k]);
        about.min[k] = p.min(q).min(r).reduce_min() - error[k];
        about.max[k] = p.max(q).max(r).reduce_max() + error[k];
    }
    about
}
