//! Four pairs of moving features at a time: which of them cannot touch?

use glam::DVec3;

use super::elementary::ElementaryKind;

/// Four pairs of one kind side by side, by corner, axis and lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FourPairs {
    pub kind: ElementaryKind,
    pub start: [[[f64; 4]; 3]; 4],
    pub end: [[[f64; 4]; 3]; 4],
}

impl FourPairs {
    /// No pairs yet: corners at the origin, which touch.
    pub fn new(kind: ElementaryKind) -> FourPairs {
        FourPairs { kind, start: [[[0.0; 4]; 3]; 4], end: [[[0.0; 4]; 3]; 4] }
    }

    /// Puts a pair into one of the four lanes.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, start: &[DVec3; 4], end: &[DVec3; 4]) {
        for corner in 0..4 {
            for (axis, (s, e)) in start[corner].to_array().into_iter().zip(end[corner].to_array()).enumerate() {
                self.start[corner][axis][lane] = s;
                self.end[corner][axis][lane] = e;
            }
        }
    }

    /// Bit `lane` is set where the pair may touch in `[0, until]`; clear where it is proved that it does not.
    #[inline(always)]
    pub fn may_touch<S: fearless_simd::Simd>(&self, simd: S, until: f64) -> u8 {
        let _ = (simd, until);
        0b1111
    }
}
