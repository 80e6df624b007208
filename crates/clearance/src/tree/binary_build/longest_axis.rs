//! Splits across the longest axis of the volume, at the mean or at the median: the rule of RAPID and its variant
//! (Gottschalk, Lin and Manocha, *OBBTree*, 1996, section 4).
//!
//! Volumes without axes of their own are split along the coordinate axes, in the order of the extents of the centroids.

use glam::DVec3;

use crate::bound::{Aabb, Bound};
use crate::tree::binary::Soup;

/// The axes to try, the longest first.
pub(super) fn axes<B: Bound>(soup: &Soup<'_>, bound: &B, slots: &[u32]) -> [DVec3; 3] {
    bound.axes().unwrap_or_else(|| coordinate_axes(soup, slots))
}

/// The coordinate axes in the order of the extents of the centroids.
fn coordinate_axes(soup: &Soup<'_>, slots: &[u32]) -> [DVec3; 3] {
    let size = slots.iter().fold(Aabb::EMPTY, |all, &slot| all.including(soup.middle(slot))).size();
    let mut axes = [(size.x, DVec3::X), (size.y, DVec3::Y), (size.z, DVec3::Z)];
    axes.sort_by(|p, q| q.0.total_cmp(&p.0));
    axes.map(|(_, axis)| axis)
}

/// Splits at the mean of the vertices, which is that of the centroids.
pub(super) fn at_mean<B: Bound>(soup: &Soup<'_>, bound: &B, slots: &mut [u32]) -> Option<usize> {
    let sum = slots.iter().fold(DVec3::ZERO, |sum, &slot| sum + soup.middle(slot));
    let mean = sum / slots.len() as f64;
    axes(soup, bound, slots).into_iter().find_map(|axis| {
        let plane = mean.dot(axis);
        let mid = partition(slots, |slot| soup.middle(slot).dot(axis) < plane);
        (0 < mid && mid < slots.len()).then_some(mid)
    })
}

/// Splits into halves of equal number; only if all centroids coincide along an axis is the next one taken.
pub(super) fn at_median<B: Bound>(soup: &Soup<'_>, bound: &B, slots: &mut [u32]) -> Option<usize> {
    axes(soup, bound, slots).into_iter().find_map(|axis| {
        let along = |slot: u32| soup.middle(slot).dot(axis);
        let first = along(*slots.first()?);
        let differ = slots.iter().any(|&slot| along(slot) != first);
        differ.then(|| halves(slots, along))
    })
}

/// Halves of equal number along the longest coordinate axis; in the order of the slots where centroids coincide.
pub(super) fn halve(soup: &Soup<'_>, slots: &mut [u32]) -> usize {
    let [axis, ..] = coordinate_axes(soup, slots);
    halves(slots, |slot| soup.middle(slot).dot(axis))
}

fn halves(slots: &mut [u32], along: impl Fn(u32) -> f64) -> usize {
    let mid = slots.len() / 2;
    slots.select_nth_unstable_by(mid, |&p, &q| along(p).total_cmp(&along(q)).then(p.cmp(&q)));
    mid
}

/// Brings the slots for which `is_below` holds to the front, and returns how many they are.
pub(super) fn partition(slots: &mut [u32], is_below: impl Fn(u32) -> bool) -> usize {
    let mut mid = 0;
    for k in 0..slots.len() {
        if is_below(slots[k]) {
            slots.swap(mid, k);
            mid += 1;
        }
    }
    mid
}
