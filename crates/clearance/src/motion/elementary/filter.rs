//! Rejects pairs of moving features that cannot touch, four at a time.
//!
//! Three kinds of proof, each the sign of a polynomial in Bernstein's basis over the whole window (`forms.rs`):
//! - an axis separates the features at both ends of the window, hence in between;
//! - the four corners are never coplanar: the coefficients of the volume have one sign (the non-penetration filter of
//!   Tang, Manocha and Tong, "Fast Continuous Collision Detection using Deforming Non-Penetration Filters", 2010);
//! - projected along an axis, the vertex is always beyond one side of the face, or an edge always beside the other.
//!
//! Departs from that filter by adding the first and the third proof, which reject most of what the second leaves, and
//! by bounding its errors: every rejection is proved.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over axes and lanes keep wide vectors in registers; iterators may not"
)]

use fearless_simd::{Simd, f64x4, prelude::*};
use glam::DVec3;

use super::forms::{Lanes, Slack, Vectors};
use crate::answer::elementary::ElementaryKind;

/// Four pairs of one kind side by side, by corner, axis and lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FourPairs {
    pub kind: ElementaryKind,
    start: [[[f64; 4]; 3]; 4],
    end: [[[f64; 4]; 3]; 4],
}

impl FourPairs {
    /// Four placeholder pairs: all corners at the origin, which touch.
    pub fn new(kind: ElementaryKind) -> FourPairs {
        FourPairs { kind, start: [[[0.0; 4]; 3]; 4], end: [[[0.0; 4]; 3]; 4] }
    }

    /// Sets the pair of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, start: &[DVec3; 4], end: &[DVec3; 4]) {
        for corner in 0..4 {
            for (axis, (s, e)) in start[corner].to_array().into_iter().zip(end[corner].to_array()).enumerate() {
                self.start[corner][axis][lane] = s;
                self.end[corner][axis][lane] = e;
            }
        }
    }

    /// Bit `lane` is set where the pair may touch in `[0, until]`, clear where it is proved not to.
    #[inline(always)]
    pub fn may_touch<S: Simd>(&self, simd: S, until: f64) -> u8 {
        self.open(
            simd,
            until,
            #[inline(always)]
            |step| step.slack(),
        )
    }

    /// As [`FourPairs::may_touch`], for corners that are off by up to `off` at every time.
    #[inline(always)]
    pub fn may_touch_within<S: Simd>(&self, simd: S, until: f64, off: f64) -> u8 {
        self.open(
            simd,
            until,
            #[inline(always)]
            |step| step.slack_within(f64x4::splat(simd, off)),
        )
    }

    /// Bit `lane` is set where nothing is proved with this slack.
    #[inline(always)]
    fn open<S: Simd>(&self, simd: S, until: f64, slack: impl Fn(&Vectors<f64x4<S>>) -> Slack<f64x4<S>>) -> u8 {
        let zero = f64x4::splat(simd, 0.0);
        let (mut start, mut end) = ([[zero; 3]; 4], [[zero; 3]; 4]);
        for corner in 0..4 {
            for axis in 0..3 {
                start[corner][axis] = f64x4::simd_from(simd, self.start[corner][axis]);
                end[corner][axis] = f64x4::simd_from(simd, self.end[corner][axis]);
            }
        }
        let score: [f64; 4] = apart(self.kind, &start, &end, f64x4::splat(simd, until), slack).into();
        let mut mask = 0;
        for lane in 0..4 {
            mask |= u8::from(score[lane] <= 0.0) << lane;
        }
        mask
    }
}

/// Whether one pair is proved not to touch in `[0, until]`; the same operations as for four.
pub(crate) fn cannot_touch(kind: ElementaryKind, start: &[DVec3; 4], end: &[DVec3; 4], until: f64) -> bool {
    apart(kind, &start.map(|p| p.to_array()), &end.map(|p| p.to_array()), until, Vectors::slack) > 0.0
}

/// Positive where the features are proved separated, given a slack for errors.
#[inline(always)]
fn apart<L: Lanes>(
    kind: ElementaryKind,
    start: &[[L; 3]; 4],
    end: &[[L; 3]; 4],
    until: L,
    slack: impl Fn(&Vectors<L>) -> Slack<L>,
) -> L {
    let step = Vectors::new(kind, start, end);
    let slack = slack(&step);
    let window = step.between(until.like(0.0), until);
    let [a, b, c, d] = window.volume();
    let zero = until.like(0.0);
    let least = a.least(b).least(c).least(d);
    let most = a.greatest(b).greatest(c).greatest(d);
    let mut score = least.greatest(zero - most) - slack.volume;
    for axis in 0..3 {
        score = score.greatest(window.apart_along(kind, axis, slack.line));
        score = score.greatest(window.off_along(kind, axis, slack.form));
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::elementary::ElementaryPair;
    use crate::math::simd::at_level;
    use crate::motion::elementary::exact;
    use fearless_simd::Level;
    use proptest::prelude::*;

    fn corner() -> impl Strategy<Value = DVec3> {
        let grid = prop::array::uniform3(-3i32..4).prop_map(|p| DVec3::from(p.map(f64::from)));
        let anywhere = prop::array::uniform3(-1.0f64..1.0).prop_map(DVec3::from);
        prop_oneof![grid, anywhere]
    }

    proptest! {
        /// Four at a time, on either instruction set, agrees with one at a time; and rejected pairs do not touch.
        #[test]
        fn four_are_judged_as_each_alone(
            pairs in prop::array::uniform4((prop::array::uniform4(corner()), prop::array::uniform4(corner()))),
            until in prop::sample::select(vec![1.0, 0.5, 0.3, 0.0]),
            edges in any::<bool>(),
        ) {
            let kind = if edges { ElementaryKind::EdgeEdge } else { ElementaryKind::VertexFace };
            let mut four = FourPairs::new(kind);
            for (lane, (start, end)) in pairs.iter().enumerate() {
                four.set(lane, start, end);
            }
            for level in [Level::new(), Level::baseline()] {
                let open = at_level!(level, simd => four.may_touch(simd, until));
                for (lane, (start, end)) in pairs.iter().enumerate() {
                    let rejected = cannot_touch(kind, start, end, until);
                    prop_assert_eq!(open >> lane & 1 == 0, rejected);
                    let pair = ElementaryPair { kind, start: *start, end: *end };
                    prop_assert!(!rejected || exact::first_contact(&pair, 0.0, until).is_none());
                }
                // A pair rejected with an `off` is rejected wherever the corners moved within it.
                let off = 0.125;
                let open = at_level!(level, simd => four.may_touch_within(simd, until, off));
                for (lane, (start, end)) in pairs.iter().enumerate() {
                    let shifted = start.map(|p| p + off * DVec3::new(p.y.sin(), 0.0, 0.0));
                    let pair = ElementaryPair { kind, start: shifted, end: *end };
                    let rejected = open >> lane & 1 == 0;
                    prop_assert!(!rejected || exact::first_contact(&pair, 0.0, until).is_none());
                }
            }
        }
    }
}
