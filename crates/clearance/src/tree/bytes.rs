//! A tree as bytes and back, so that a large mesh need not be built again.
//!
//! Little-endian, versioned and with a checksum. Reading trusts nothing: whatever the bytes are, the tree that comes out names
//! only nodes, packets and triangles that exist, each once and in order, nodes before what is below them, so no walk can leave it or go
//! in circles, and it takes no more memory than the bytes do. That the boxes hold the triangles is what the checksum is
//! for.

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

/// Takes numbers; `None` at the end.
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

    /// A count of things that take at least so many bytes each, of which there must be enough left.
    pub fn count(&mut self, bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.long()?).ok()?;
        (count <= self.0.len() / bytes).then_some(count)
    }
}

/// Fowler, Noll and Vo's hash, eight bytes at a time, turned so that high bits reach low ones.
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
    pub fn write(&self, out: &mut Writer) {
        out.vector(self.frame.origin);
        out.long(self.frame.scale.to_bits());
        out.long(self.nodes.len() as u64);
        for node in &self.nodes {
            for x in node.min.iter().chain(&node.max).flatten() {
                out.word(x.to_bits());
            }
            node.below.iter().chain(&node.leaf).for_each(|&x| out.word(x));
        }
        out.long(self.packets.len() as u64);
        for packet in &self.packets {
            packet.words().for_each(|x| out.0.extend(x.to_le_bytes()));
        }
    }

    /// The tree over so many triangles; `None` if the bytes are none.
    pub fn read(bytes: &mut Reader<'_>, triangles: usize) -> Option<WideTree> {
        let frame = Frame { origin: bytes.vector()?, scale: f64::from_bits(bytes.long()?) };
        if !(frame.scale.is_normal() && frame.scale > 0.0) {
            return None;
        }
        let count = bytes.count(size_of::<Node>())?;
        let mut nodes = Vec::with_capacity(count);
        for _ in 0..count {
            let mut node = Node::EMPTY;
            for x in node.min.iter_mut().chain(&mut node.max).flatten() {
                *x = f32::from_bits(bytes.word()?);
            }
            for x in node.below.iter_mut().chain(&mut node.leaf) {
                *x = bytes.word()?;
            }
            nodes.push(node);
        }
        let count = bytes.count(size_of::<Packet>())?;
        let mut packets = Vec::with_capacity(count);
        for _ in 0..count {
            let (own, rest) = bytes.0.split_at_checked(size_of::<Packet>())?;
            packets.push(Packet::from_words(own.chunks_exact(2).map(|x| u16::from_le_bytes([x[0], x[1]]))));
            bytes.0 = rest;
        }
        let tree = WideTree { frame, bounds: nodes.first()?.joined(), nodes, packets };
        tree.is_sound(triangles).then_some(tree)
    }

    /// Every node but the root and every triangle is named once, by a node before it, and packets one after another.
    fn is_sound(&self, triangles: usize) -> bool {
        let mut packets = 0;
        let mut depths = vec![0usize; self.nodes.len()];
        let mut slots = vec![false; triangles];
        depths[0] = 1;
        for (number, node) in self.nodes.iter().enumerate() {
            let depth = depths[number];
            if depth == 0 || depth > MAX_DEPTH {
                return false;
            }
            for lane in 0..WIDTH {
                let Bounds { min, max } = node.lane(lane);
                let used = (0..3).all(|k| min[k] <= max[k]);
                if !used {
                    // Lanes that are not used come last, and all of them look alike.
                    if node.leaf[lane] != 0 || node.lane(lane) != Bounds::EMPTY || lane < node.count() {
                        return false;
                    }
                    continue;
                }
                match node.below(lane) {
                    Below::Node(below) => match depths.get_mut(below as usize) {
                        Some(known) if *known == 0 && below as usize > number => *known = depth + 1,
                        _ => return false,
                    },
                    Below::Leaf(leaf) => {
                        let own = leaf.first as usize..leaf.first as usize + leaf.count as usize;
                        let Some(slots) = slots.get_mut(own) else { return false };
                        if leaf.packet != packets || leaf.count as usize > WIDTH || slots.iter().any(|&slot| slot) {
                            return false;
                        }
                        packets += 1;
                        slots.fill(true);
                    }
                }
            }
        }
        packets as usize == self.packets.len() && slots.into_iter().all(|named| named)
    }
}
