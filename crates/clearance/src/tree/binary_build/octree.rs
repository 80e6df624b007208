//! The cells of an octree, for sphere trees (Quinlan 1994 and others): a group is split where its centroids leave a
//! cell, axis by axis, and empty halves are skipped, so three levels here are one of the octree.
//!
//! The volumes are fitted to what the cells contain, which takes the place of spheres about the cells that are then
//! shrunk and shifted.

use crate::bound::Aabb;
use crate::tree::binary::Soup;

/// Bits of a coordinate.
const BITS: u32 = 21;

/// The place of each triangle's centroid on the Morton curve, by slot.
pub(super) fn codes(soup: &Soup<'_>) -> Vec<u64> {
    let slots = 0..soup.triangles.len() as u32;
    let middles: Vec<_> = slots.map(|slot| soup.middle(slot)).collect();
    let bounds = middles.iter().fold(Aabb::EMPTY, |all, &p| all.including(p));
    let extent = bounds.size().max_element().max(f64::MIN_POSITIVE);
    let cells = f64::from(1 << BITS);
    let code = |k: f64| spread(((k / extent * cells) as u64).min((1 << BITS) - 1));
    middles
        .iter()
        .map(|&p| {
            let place = p - bounds.min;
            code(place.x) << 2 | code(place.y) << 1 | code(place.z)
        })
        .collect()
}

/// Every bit followed by two zeros.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x1f_0000_0000_ffff),
        (16, 0x1f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

/// Splits at the first bit in which codes differ; `None` if all are in one of the smallest cells.
pub(super) fn split(codes: &[u64], slots: &mut [u32]) -> Option<usize> {
    let code = |slot: u32| codes[slot as usize];
    let first = code(*slots.first()?);
    let differing = slots.iter().fold(0, |bits, &slot| bits | (code(slot) ^ first));
    let bit = differing.checked_ilog2()?;
    slots.sort_unstable_by_key(|&slot| (code(slot), slot));
    Some(slots.partition_point(|&slot| code(slot) >> bit & 1 == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for k in 0..BITS {
            assert_eq!(spread(1 << k), 1 << (3 * k));
        }
        assert_eq!(spread((1 << BITS) - 1).count_ones(), BITS);
    }
}
