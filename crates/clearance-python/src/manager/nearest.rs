//! The nearest two of some pairs of bodies, in the order of what their boxes bound; and what is known about pairs.

use clearance::glam::DVec3;
use clearance::shape::Aabb;

use super::body::{Failure, Known, Measured};

/// Two bodies, what their boxes bound their signed distance by, and the distance.
#[derive(Clone, Copy)]
pub struct Near {
    pub value: f64,
    pub points: Option<[DVec3; 2]>,
    least: f64,
    orders: [u64; 2],
    pub pair: [u32; 2],
}

impl Near {
    /// Two bodies whose distance is not known yet; with the squared gap of their boxes.
    pub fn of(pair: [u32; 2], orders: [u64; 2], squared_gap: f64, boxes: [&Aabb; 2], are_convex: bool) -> Near {
        let least = if squared_gap > 0.0 {
            squared_gap.sqrt()
        } else if are_convex {
            let [a, b] = boxes;
            -(a.max - b.min).min(b.max - a.min).min_element()
        } else {
            0.0
        };
        Near { value: f64::NAN, points: None, least, orders, pair }
    }

    /// Whether this is before another in the order of ties; distances are not compared.
    fn is_before(&self, other: &Near) -> bool {
        (self.least, self.orders) < (other.least, other.orders)
    }

    /// Whether a pair of which only the bound is known can be better than the best.
    fn can_be_before(&self, best: Option<&Near>) -> bool {
        best.is_none_or(|best| self.least < best.value || (self.least == best.value && self.is_before(best)))
    }
}

/// The best of some pairs and of one that is known.
pub fn nearest_of(
    mut pairs: Vec<Near>,
    mut best: Option<Near>,
    mut measure: impl FnMut([u32; 2], f64) -> Result<Option<Measured>, Failure>,
) -> Result<Option<Near>, Failure> {
    let mut ask = |near: &Near, best: &mut Option<Near>| -> Result<(), Failure> {
        if near.can_be_before(best.as_ref())
            && let Some(Measured { value, points }) = measure(near.pair, best.map_or(f64::INFINITY, |best| best.value))?
        {
            let found = Near { value, points, ..*near };
            if best.is_none_or(|best| value < best.value || (value == best.value && found.is_before(&best))) {
                *best = Some(found);
            }
        }
        Ok(())
    };
    // Most pairs are left out once the first is known.
    let Some(first) = (0..pairs.len()).min_by(|&i, &j| order_of(&pairs[i], &pairs[j])) else { return Ok(best) };
    let first = pairs.swap_remove(first);
    ask(&first, &mut best)?;
    pairs.retain(|near| near.can_be_before(best.as_ref()));
    pairs.sort_unstable_by(order_of);
    for near in &pairs {
        ask(near, &mut best)?;
    }
    Ok(best)
}

fn order_of(one: &Near, other: &Near) -> std::cmp::Ordering {
    one.least.total_cmp(&other.least).then(one.orders.cmp(&other.orders))
}

/// What was found out about the distances of pairs: it holds until one of the two bodies changes.
#[derive(Default)]
pub struct Memory {
    /// By the place of the first body, in the order of the second.
    pairs: Vec<Vec<Entry>>,
}

struct Entry {
    /// The place of the second body.
    other: u32,
    /// The stamps of both when this was found out.
    stamps: [u64; 2],
    known: Known,
}

impl Memory {
    /// The signed distance of a pair as it is remembered, or measured now. `None` if it is proved to be larger than
    /// `best`. A stamp of a body changes whenever the body does.
    pub fn measured(
        &mut self,
        [a, b]: [u32; 2],
        stamps: [&[u64]; 2],
        best: f64,
        measure: impl FnOnce() -> Result<Known, Failure>,
    ) -> Result<Option<Measured>, Failure> {
        let now = [stamps[0][a as usize], stamps[1][b as usize]];
        if self.pairs.len() <= a as usize {
            self.pairs.resize_with(a as usize + 1, Vec::new);
        }
        let entries = &mut self.pairs[a as usize];
        let mut at = entries.binary_search_by_key(&b, |entry| entry.other);
        let kept = at.ok().map(|at| &entries[at]).filter(|entry| entry.stamps == now).map(|entry| entry.known);
        let known = match kept {
            Some(Known::Is(measured)) => return Ok(Some(measured)),
            Some(Known::AtLeast(least)) if least > best => return Ok(None),
            _ => measure()?,
        };
        if at.is_err() && entries.len() == entries.capacity() {
            // Before the list grows, what no longer holds makes room.
            entries.retain(|entry| {
                entry.stamps == [now[0], stamps[1].get(entry.other as usize).copied().unwrap_or_default()]
            });
            at = entries.binary_search_by_key(&b, |entry| entry.other);
        }
        let entry = Entry { other: b, stamps: now, known };
        match at {
            Ok(at) => entries[at] = entry,
            Err(at) => entries.insert(at, entry),
        }
        Ok(match known {
            Known::Is(measured) => Some(measured),
            Known::AtLeast(_) => None,
        })
    }
}
