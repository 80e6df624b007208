//! The wide tree: eight boxes side by side in each node, in single precision.
//!
//! Coordinates are relative to the centre of the mesh and in a unit, a power of two, in which none is above 1, so a
//! part far from the origin, or a tiny one, keeps tight boxes. Corners are rounded outward. A leaf is up to eight
//! triangles, whose corners are stored side by side in a [`Packet`], in 16 bits each relative to the leaf's box: enough
//! to reject nearly all pairs of triangles eight at a time; the rest is decided on the mesh's own points.
//!
//! Traversals identify a box by its *place*: eight times the node's index plus the lane.

use fearless_simd::{Level, Simd, f32x8, prelude::*};
use glam::{DVec3, Vec4};

use super::packet::Packet;
use crate::math::simd::at_level;
use crate::parallel;

/// How many boxes a node holds, and the maximum number of triangles of a leaf.
pub(crate) const WIDTH: usize = 8;

/// The largest number of nodes on a path from the root to a leaf: for `n` triangles [`sah_depth`], plus `log₈ n + 1`
/// for the equal halves from there. 2²⁸ triangles: 25.
pub(crate) const MAX_DEPTH: usize = 28;

/// Below this depth, nodes are split into halves of equal number, in a tree of `triangles` triangles.
pub(crate) fn sah_depth(triangles: usize) -> usize {
    triangles.max(1).ilog2() as usize / 3 + 5
}

/// Up to eight boxes and their children.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Lowest corners, axis by axis. Unused lanes hold an empty box, from +∞ to -∞.
    pub min: [[f32; WIDTH]; 3],
    /// Highest corners.
    pub max: [[f32; WIDTH]; 3],
    /// The index of the child node, or of the packet of a leaf.
    pub below: [u32; WIDTH],
    /// For a leaf 16 times its first slot plus the number of its triangles; zero for a node.
    pub leaf: [u32; WIDTH],
}

impl Node {
    pub const EMPTY: Node = Node {
        min: [[f32::INFINITY; WIDTH]; 3],
        max: [[f32::NEG_INFINITY; WIDTH]; 3],
        below: [0; WIDTH],
        leaf: [0; WIDTH],
    };

    /// The box of a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Bounds {
        Bounds::of_lane(&self.min, &self.max, lane)
    }

    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, bounds: &Bounds) {
        for k in 0..3 {
            self.min[k][lane] = bounds.min[k];
            self.max[k][lane] = bounds.max[k];
        }
    }

    /// Bit mask of the used lanes.
    #[inline(always)]
    pub fn used<S: Simd>(&self, simd: S) -> u32 {
        f32x8::simd_from(simd, self.min[0]).simd_le(f32x8::simd_from(simd, self.max[0])).to_bitmask() as u32
    }

    /// How many lanes are used; they are the first.
    pub fn count(&self) -> usize {
        (0..WIDTH).take_while(|&lane| self.min[0][lane] <= self.max[0][lane]).count()
    }

    /// The child of a lane.
    #[inline(always)]
    pub fn below(&self, lane: usize) -> Below {
        match self.leaf[lane] {
            0 => Below::Node(self.below[lane]),
            leaf => Below::Leaf(Leaf { packet: self.below[lane], first: leaf >> 4, count: leaf & 15 }),
        }
    }
}

/// A box in the frame of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Bounds {
    pub const EMPTY: Bounds = Bounds { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// One of eight boxes stored axis by axis.
    #[inline(always)]
    pub fn of_lane(min: &[[f32; WIDTH]; 3], max: &[[f32; WIDTH]; 3], lane: usize) -> Bounds {
        Bounds { min: [min[0][lane], min[1][lane], min[2][lane]], max: [max[0][lane], max[1][lane], max[2][lane]] }
    }

    /// The union of all eight.
    #[inline(always)]
    pub fn of_lanes<S: Simd>(simd: S, min: &[[f32; WIDTH]; 3], max: &[[f32; WIDTH]; 3]) -> Bounds {
        let mut all = Bounds::EMPTY;
        for k in 0..3 {
            all.min[k] = f32x8::simd_from(simd, min[k]).reduce_min();
            all.max[k] = f32x8::simd_from(simd, max[k]).reduce_max();
        }
        all
    }

    #[inline(always)]
    pub fn joined(&self, other: &Bounds) -> Bounds {
        Bounds {
            min: std::array::from_fn(|k| self.min[k].min(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].max(other.max[k])),
        }
    }

    /// Whether two closed boxes meet.
    #[inline(always)]
    pub fn meets(&self, other: &Bounds) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Half the surface area.
    #[inline(always)]
    pub fn half_area(&self) -> f32 {
        let [x, y, z]: [f32; 3] = std::array::from_fn(|k| self.max[k] - self.min[k]);
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }

    /// Size measure: the larger of two boxes is opened first.
    #[inline(always)]
    pub fn size(&self) -> f32 {
        ((self.max[0] - self.min[0]) + (self.max[1] - self.min[1])) + (self.max[2] - self.min[2])
    }
}

/// The child of a lane of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    Node(u32),
    Leaf(Leaf),
}

/// Consecutive triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The index of its packet.
    pub packet: u32,
    /// Its first slot.
    pub first: u32,
    /// How many triangles, 1 to 8.
    pub count: u32,
}

/// The frame of a tree: `x = (p - origin) * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// About the centre of the mesh, in the frame of its stored points.
    pub origin: DVec3,
    /// A power of two.
    pub scale: f64,
}

impl Frame {
    /// The frame in which a box with the given corners has no coordinate above 1.
    pub fn about(min: DVec3, max: DVec3) -> Frame {
        let origin = 0.5 * min + 0.5 * max;
        let half = (max - origin).abs().max((min - origin).abs()).max_element();
        // A power of two above the half: the exponent is that of the half plus one.
        let scale = if half > 1e-300 { f64::from_bits((2045 - (half.to_bits() >> 52)) << 52) } else { 1.0 };
        Frame { origin, scale }
    }

    #[inline(always)]
    pub fn of(&self, p: DVec3) -> DVec3 {
        (p - self.origin) * self.scale
    }

    /// A point in this frame, rounded. Points that are not corners of a triangle may be anywhere, and the result may be
    /// infinite.
    #[inline(always)]
    pub fn single(&self, p: DVec3) -> Vec4 {
        self.of(p).as_vec3().extend(0.0)
    }
}

/// Rounded down to `f32`: one step lower unless the conversion was exact or already rounded down.
#[inline(always)]
pub(crate) fn round_down(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// Rounded up to `f32`.
#[inline(always)]
pub(crate) fn round_up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// A tree over the triangles of a mesh. Slots are the positions of triangles in leaf order.
#[derive(Clone, Debug)]
pub(crate) struct WideTree {
    pub frame: Frame,
    /// The first is the root.
    pub nodes: Vec<Node>,
    pub packets: Vec<Packet>,
    /// The box of the whole tree.
    pub bounds: Bounds,
}

impl WideTree {
    /// The box at a place.
    #[inline(always)]
    pub fn at(&self, place: u32) -> Bounds {
        self.nodes[place as usize / WIDTH].lane(place as usize % WIDTH)
    }

    /// The child at a place.
    #[inline(always)]
    pub fn below(&self, place: u32) -> Below {
        self.nodes[place as usize / WIDTH].below(place as usize % WIDTH)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.packets[..])
    }

    /// The expected cost of a random line by the surface area heuristic (a box costs 1, a leaf 1), given that it hits
    /// the root's box.
    pub fn sah_cost(&self) -> f64 {
        let root = f64::from(self.bounds.half_area()).max(f64::MIN_POSITIVE);
        let mut cost = 1.0;
        for node in &self.nodes {
            for lane in 0..WIDTH {
                cost += f64::from(node.lane(lane).half_area()) / root;
            }
        }
        cost
    }

    /// Number of nodes on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut stack = vec![(0u32, 1)];
        while let Some((node, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            let node = &self.nodes[node as usize];
            for lane in 0..WIDTH {
                if node.leaf[lane] == 0 && node.min[0][lane] <= node.max[0][lane] {
                    stack.push((node.below[lane], depth + 1));
                }
            }
        }
        deepest
    }

    /// Fits all boxes and packets to points, `points` in the frame of the tree (see [`Frame::single`]), `triangles` by
    /// slot.
    ///
    /// Leaves first, on all cores: packets are in the order of the nodes that refer to them, so pieces of one list
    /// correspond to pieces of the other. Then nodes from the last to the first, as parents come before children. Every
    /// number is computed independently, so the result is the same on any number of threads.
    pub fn fit(&mut self, points: &[Vec4], triangles: &[[u32; 3]]) {
        let level = Level::new();
        let fit = |(nodes, packets): (&mut [Node], &mut [Packet])| {
            at_level!(level, simd => fit_leaves(simd, nodes, packets, points, triangles));
        };
        parallel::map_owned(pieces(&mut self.nodes, &mut self.packets), fit);
        at_level!(level, simd => fit_nodes(simd, &mut self.nodes));
        self.bounds = self.nodes[0].joined();
    }
}

/// Fits the boxes of nodes to those of their children, from the last node to the first, as parents come before
/// children.
#[inline(always)]
pub(crate) fn fit_nodes<S: Simd>(simd: S, nodes: &mut [Node]) {
    for number in (0..nodes.len()).rev() {
        for lane in 0..WIDTH {
            let node = &nodes[number];
            if node.leaf[lane] == 0 && node.below[lane] != 0 {
                let bounds = nodes[node.below[lane] as usize].joined_by(simd);
                nodes[number].set_lane(lane, &bounds);
            }
        }
    }
}

/// How many nodes are fitted as one piece of work.
const PIECE: usize = 256;

/// Pieces of the nodes with the packets that they refer to.
fn pieces<'t>(nodes: &'t mut [Node], mut packets: &'t mut [Packet]) -> Vec<(&'t mut [Node], &'t mut [Packet])> {
    let mut pieces = Vec::with_capacity(nodes.len() / PIECE + 1);
    for nodes in nodes.chunks_mut(PIECE) {
        let count = nodes.iter().flat_map(|node| node.leaf).filter(|&leaf| leaf != 0).count();
        let (own, rest) = packets.split_at_mut(count.min(packets.len()));
        pieces.push((nodes, own));
        packets = rest;
    }
    pieces
}

/// Builds the packets of some nodes, exactly those that they refer to and in order, and the boxes of their leaves.
#[inline(always)]
fn fit_leaves<S: Simd>(simd: S, nodes: &mut [Node], packets: &mut [Packet], points: &[Vec4], triangles: &[[u32; 3]]) {
    let mut packets = packets.iter_mut();
    for node in nodes {
        for lane in 0..WIDTH {
            let Below::Leaf(leaf) = node.below(lane) else { continue };
            let Some(packet) = packets.next() else { return };
            let own = &triangles[leaf.first as usize..][..leaf.count as usize];
            let bounds;
            (bounds, *packet) = Packet::of_leaf(simd, leaf.count, |k| {
                let [a, b, c] = own[k as usize];
                [points[a as usize], points[b as usize], points[c as usize]]
            });
            node.set_lane(lane, &bounds);
        }
    }
}

impl Node {
    /// The union of all lanes.
    pub fn joined(&self) -> Bounds {
        (0..WIDTH).fold(Bounds::EMPTY, |all, lane| all.joined(&self.lane(lane)))
    }

    /// As [`Node::joined`].
    #[inline(always)]
    fn joined_by<S: Simd>(&self, simd: S) -> Bounds {
        Bounds::of_lanes(simd, &self.min, &self.max)
    }
}
