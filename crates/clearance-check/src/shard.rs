//! Assigns pairs to shards, so that several machines can share a check and produce the same report as one.
//!
//! Pairs are put into forty slots by the names of their parts, and a shard takes whole slots: those whose number modulo
//! the number of shards is its own. Each slot has a fortieth of the work budget ([`crate::searches`]), so the result
//! for a pair depends on the other pairs in its slot, but not on the number of shards or on what the others find. Every
//! shard runs the broad phase itself: that is a few hundredths of the time of a check.

use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::model::{Model, hexadecimal};
use crate::rules::{Limits, Reason};

/// The number of slots. Shards beyond this many are empty.
pub(crate) const SLOTS: usize = 40;

/// One of several runs that share a check.
///
/// ```
/// use clearance_check::ShardNumber;
/// let shard: ShardNumber = "2/4".parse().unwrap();
/// assert_eq!((shard.number(), shard.of()), (2, 4));
/// assert!("0/4".parse::<ShardNumber>().is_err() && "5/4".parse::<ShardNumber>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardNumber {
    number: u32,
    of: u32,
}

impl ShardNumber {
    /// The number of the shard, starting at one.
    pub fn number(self) -> u32 {
        self.number
    }

    /// The number of shards.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether a slot belongs to this shard.
    pub(crate) fn has(self, slot: usize) -> bool {
        slot as u64 % u64::from(self.of) + 1 == u64::from(self.number)
    }
}

impl FromStr for ShardNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardNumber, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(ShardNumber { number, of }),
            _ => Err(format!("invalid shard `{text}`: expected I/N with I from 1 to N, such as `2/4`")),
        }
    }
}

/// The slots of all pairs of a model. They depend on part names only, so adding a part leaves the slots of all other
/// pairs as they are.
#[derive(Debug)]
pub(crate) struct Slots {
    of_parts: Vec<usize>,
}

impl Slots {
    pub fn new(model: &Model) -> Slots {
        let of_part = |name: &str| {
            let hash = Sha256::digest(name.as_bytes());
            hash.iter().take(8).fold(0, |rest, &byte| (rest * 256 + usize::from(byte)) % SLOTS)
        };
        Slots { of_parts: model.names().map(of_part).collect() }
    }

    /// The slot of two parts, in either order.
    pub fn of(&self, a: usize, b: usize) -> usize {
        (self.of_parts[a] + self.of_parts[b]) % SLOTS
    }
}

/// A pair to be measured: the indices of its parts, the names of its rule and set, and its limits.
pub(crate) type AskedPair<'r> = (usize, usize, Reason<'r>, &'r Limits);

/// A hash of all pairs and limits of a check, over all shards. Shards of one check have the same.
pub(crate) fn hash_of_asked(model: &Model, asked: &[AskedPair<'_>]) -> String {
    let mut hasher = Sha256::new();
    let text = |hasher: &mut Sha256, text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for (a, b, Reason { rule, set }, limits) in asked {
        let names = [model.parts[*a].id.as_str(), &model.parts[*b].id, rule].into_iter().chain(*set);
        names.for_each(|name| text(&mut hasher, name));
        let Limits { clearance, touch, allow, allowed_depth, allowed_way_out, allowed_volume } = limits;
        // -1 stands for none, as no length is negative.
        let lengths = [Some(*clearance), *touch, *allowed_depth, *allowed_way_out, *allowed_volume];
        let lengths = lengths.map(|length| length.unwrap_or(-1.0));
        lengths.iter().for_each(|length| hasher.update(length.to_bits().to_le_bytes()));
        let allow: Vec<&str> = allow.iter().map(|kind| kind.name()).collect();
        text(&mut hasher, &allow.join(","));
    }
    hexadecimal(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::{SLOTS, ShardNumber};

    #[test]
    fn every_slot_is_in_one_shard() {
        for of in [1, 2, 3, 7, 40, 41, 1000] {
            for slot in 0..SLOTS {
                let shards = (1..=of).filter(|number| ShardNumber { number: *number, of }.has(slot));
                assert_eq!(shards.count(), 1, "slot {slot} of {of} shards");
            }
        }
    }

    #[test]
    fn invalid_shards() {
        for wrong in ["", "1", "/", "1/", "/1", "0/1", "2/1", "-1/2", "1/2/3", "a/b", "1/99999999999"] {
            assert!(wrong.parse::<ShardNumber>().unwrap_err().contains("invalid shard"), "{wrong}");
        }
    }
}
