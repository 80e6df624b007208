//! Features of two meshes not proved to stay apart until a time, if points may lie slightly off their given positions.
//!
//! Placed points that were rounded determine exactly when *they* touch; about their ideal positions this says only what
//! holds with room to spare. The traversal is that of [`impacts`](super::impacts), with boxes widened by that room, and
//! so is the filter, with the room in its slack. For meshes under translation the volume of two features is linear in
//! time, so the filter leaves hardly more than the pairs that do come that near.

use fearless_simd::Simd;

use super::boxes::When;
use super::impacts::{Asked, ExactPair, FILTERS, Kind, by_kind, set};
use super::pairs::{Lanes, Pairs, Sides, Waiting};
use crate::motion::elementary::FourPairs;
use crate::shape::Feature;

/// All vertex-face and edge-edge pairs that may touch in `[0, until]` if every point may lie up to `off` from its given
/// position, at every time; in ascending order.
pub(crate) fn undecided(asked: Asked<'_>, until: f64, off: f64) -> Vec<[Feature; 2]> {
    let mut found: Vec<[Feature; 2]> = asked.with_boxes(When::Until(until), off, |sides| {
        let start = || Undecided { sides: *sides, until, off, four: FILTERS.map(FourPairs::new), found: Vec::new() };
        sides.features(start, |undecided| undecided.found).concat()
    });
    found.sort_unstable();
    found
}

struct Undecided<'m> {
    sides: Sides<'m>,
    until: f64,
    off: f64,
    four: [FourPairs; 2],
    found: Vec<[Feature; 2]>,
}

impl Pairs for Undecided<'_> {
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, waiting: &mut Waiting, _: bool) {
        for (kind, pairs) in by_kind(waiting) {
            let scratch = &mut self.four[usize::from(kind == Kind::EdgeEdge)];
            for four in pairs.pairs().chunks(4) {
                set(scratch, &self.sides, kind, four);
                let open = u32::from(scratch.may_touch_within(simd, self.until, self.off)) & ((1 << four.len()) - 1);
                let features = |lane: u32| ExactPair::new(&self.sides, kind, four[lane as usize]).features;
                self.found.extend(Lanes(open).map(features));
            }
            pairs.clear();
        }
    }
}
