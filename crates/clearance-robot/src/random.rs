//! Seeded random numbers, the same on every machine.

use crate::robot::Variable;

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A configuration within the limits; lengths without limits are drawn from -1 to 1.
    pub fn configuration(&mut self, variables: &[Variable], q: &mut Vec<f64>) {
        q.clear();
        for variable in variables {
            let (lower, upper) = (variable.lower.max(-1e6), variable.upper.min(1e6));
            let (lower, upper) = if variable.lower.is_finite() { (lower, upper) } else { (-1.0, 1.0) };
            q.push(lower + (upper - lower) * self.unit());
        }
    }
}
