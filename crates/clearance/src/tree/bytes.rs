//! Serialising a tree, so that a large mesh need not be rebuilt.
//!
//! Little-endian, versioned and with a checksum. Reading trusts nothing: whatever the bytes are, the resulting tree
//! refers only to existing nodes and triangles, each once and in order, parents before children, so no traversal can
//! leave it or cycle. Boxes and packets are not written but refitted to the triangles, a small part of a build: they
//! bound the triangles whatever the bytes say, and are bit-identical to the original ones.

use glam::DVec3;

use super::packet::Packet;
use super::wide::{Below, Bounds, Frame, MAX_DEPTH, Node, WIDTH, WideTree};

/// Appends numbers.
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn word(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn long(&mut self, x: u64) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn vector(&mut self, v: DVec3) {
        v.to_array().iter().for_each(|x| self.long(x.to_bits()));
    }
}

/// Reads numbers; `None` at the end.
pub(crate) struct Reader<'b>(pub &'b [u8]);

impl Reader<'_> {
    pub fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    pub fn long(&mut self) -> Option<u64> {
        let (long, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*long))
    }

    pub fn vector(&mut self) -> Option<DVec3> {
        let mut next = || self.long().map(f64::from_bits).filter(|x| x.is_finite());
        Some(DVec3::new(next()?, next()?, next()?))
    }

    /// A count of items of at least `bytes` bytes each, that many of which must remain.
    pub fn count(&mut self, bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.long()?).ok()?;
        (count <= self.0.len() / bytes).then_some(count)
    }
}

/// Fowler, Noll and Vo's hash, eight bytes at a time, rotated so that high bits affect low ones.
pub(crate) struct Hash(pub u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    #[inline(always)]
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
}

pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::default();
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.add(u64::from_le_bytes(word));
    }
    hash.0
}

impl WideTree {
    /// Writes the topology of nodes and leaves; boxes and packets follow from it and the triangles.
    pub fn write(&self, out: &mut Writer) {
        out.long(self.nodes.len() as u64);
        for node in &self.nodes {
            node.below.iter().chain(&node.leaf).for_each(|&x| out.word(x));
        }
    }

    /// The tree over `triangles` triangles, with boxes and packets still to be fitted; `None` if the bytes are invalid.
    pub fn read(bytes: &mut Reader<'_>, triangles: usize) -> Option<WideTree> {
        let count = bytes.count(2 * WIDTH * size_of::<u32>())?;
        let mut nodes = Vec::with_capacity(count);
        for _ in 0..count {
            let mut node = Node::EMPTY;
            for x in node.below.iter_mut().chain(&mut node.leaf) {
                *x = bytes.word()?;
            }
            nodes.push(node);
        }
        let packets = vec![Packet::EMPTY; leaves_of_sound(&nodes, triangles)?];
        Some(WideTree { frame: Frame { origin: DVec3::ZERO, scale: 1.0 }, bounds: Bounds::EMPTY, nodes, packets })
    }
}

/// The number of leaves, if every node but the root and every triangle is referenced once, by an earlier node, and
/// packets are referenced consecutively.
fn leaves_of_sound(nodes: &[Node], triangles: usize) -> Option<usize> {
    let mut packets = 0;
    let mut depths = vec![0usize; nodes.len()];
    let mut slots = vec![false; triangles];
    *depths.first_mut()? = 1;
    for (number, node) in nodes.iter().enumerate() {
        let depth = depths[number];
        // The root is never a child, so a lane that refers to it is unused. Used lanes come first.
        let used = (0..WIDTH).take_while(|&lane| node.leaf[lane] != 0 || node.below[lane] != 0).count();
        let rest_is_empty = (used..WIDTH).all(|lane| node.leaf[lane] == 0 && node.below[lane] == 0);
        if depth == 0 || depth > MAX_DEPTH || used == 0 || !rest_is_empty {
            return None;
        }
        for lane in 0..used {
            match node.below(lane) {
                Below::Node(below) => {
                    let known = depths.get_mut(below as usize).filter(|known| **known == 0)?;
                    if below as usize <= number {
                        return None;
                    }
                    *known = depth + 1;
                }
                Below::Leaf(leaf) => {
                    let first = leaf.first as usize;
                    let slots = slots.get_mut(first..first + leaf.count as usize)?;
                    let full = (1..=WIDTH).contains(&slots.len());
                    if leaf.packet != packets || !full || slots.iter().any(|&slot| slot) {
                        return None;
                    }
                    packets += 1;
                    slots.fill(true);
                }
            }
        }
    }
    slots.into_iter().all(|named| named).then_some(packets as usize)
}
