//! The split of least volume (Zachmann's lectures on bounding volume hierarchies): the chance that children overlap a
//! child of another tree grows with their volumes, so the volumes of the two children together are to be least.
//!
//! The centroids are put in order along the longest axis of the volume, and a plane sweeps over them. The volume is
//! that of the boxes along the axes of the node's own volume, not of the volumes that are fitted later: those would
//! take a fit for every place. Where boxes are flat, so that all volumes are zero, their areas decide.

use glam::DVec3;

use super::longest_axis::axes;
use crate::bound::{Aabb, Bound};
use crate::tree::binary::Soup;

/// Splits where the volumes of the two boxes together are least; `None` if all centroids coincide along the axis.
pub(super) fn split<B: Bound>(soup: &Soup<'_>, bound: &B, slots: &mut [u32]) -> Option<usize> {
    let axes = axes(soup, bound, slots);
    let along = |slot: u32| soup.middle(slot).dot(axes[0]);
    slots.sort_unstable_by(|&p, &q| along(p).total_cmp(&along(q)).then(p.cmp(&q)));
    if along(*slots.first()?) == along(*slots.last()?) {
        return None;
    }
    let turned = |p: DVec3| DVec3::new(p.dot(axes[0]), p.dot(axes[1]), p.dot(axes[2]));
    let with = |all: Aabb, slot: u32| soup.corners(slot).into_iter().fold(all, |all, p| all.including(turned(p)));
    let size = |all: &Aabb| [all.volume(), all.surface()];
    let mut all = Aabb::EMPTY;
    let mut above: Vec<[f64; 2]> = Vec::with_capacity(slots.len());
    for &slot in slots.iter().rev() {
        all = with(all, slot);
        above.push(size(&all));
    }
    let (mut all, mut best) = (Aabb::EMPTY, None);
    for k in 1..slots.len() {
        all = with(all, slots[k - 1]);
        let (low, high) = (size(&all), above[slots.len() - 1 - k]);
        // Equal sizes: the more even split.
        let cost = [low[0] + high[0], low[1] + high[1], k.abs_diff(slots.len() - k) as f64];
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, k));
        }
    }
    best.map(|(_, mid)| mid)
}
