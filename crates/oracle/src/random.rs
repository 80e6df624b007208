//! A small deterministic source of random numbers.
//!
//! SplitMix64 (Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014). Its bits are
//! converted to doubles by exact or correctly rounded operations only (`+ * / sqrt`), so that a seed gives the same
//! bits on every machine.
//!
//! ```
//! use clearance_oracle::random::Random;
//! let (mut one, mut two) = (Random::new(7), Random::new(7));
//! assert_eq!(one.uniform(-1.0, 1.0), two.uniform(-1.0, 1.0));
//! ```

use crate::rational::power_of_two;

/// A seeded stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An integer from `low` to `high`, inclusive.
    ///
    /// # Panics
    /// If `high < low`.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "the range {low}..={high} is empty");
        let span = high.abs_diff(low) + 1;
        low + (self.bits() % span) as i64
    }

    /// An index below `count`.
    ///
    /// # Panics
    /// If `count` is zero.
    pub fn index(&mut self, count: usize) -> usize {
        assert!(count > 0, "an index requires at least one element");
        (self.bits() % count as u64) as usize
    }

    /// True with probability one half.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// A double in `[low, high)`, with 53 random bits.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let fraction = (self.bits() >> 11) as f64 * power_of_two(-53);
        low + (high - low) * fraction
    }

    /// A double between `2^low` and `2^(high + 1)`, with every power of two equally likely.
    ///
    /// # Panics
    /// If `high < low`, or outside the range of normal doubles.
    pub fn scale(&mut self, low: i64, high: i64) -> f64 {
        let exponent = self.integer(low, high);
        power_of_two(exponent) * self.uniform(1.0, 2.0)
    }

    /// A point of the cube with the given half side.
    pub fn in_cube(&mut self, half: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.uniform(-half, half))
    }

    /// A point of the unit ball, uniform.
    pub fn in_ball(&mut self) -> [f64; 3] {
        loop {
            let point = self.in_cube(1.0);
            if point.iter().map(|x| x * x).sum::<f64>() <= 1.0 {
                return point;
            }
        }
    }

    /// A unit vector, uniform, rounded.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let point = self.in_ball();
            let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.125 {
                return point.map(|x| x / length);
            }
        }
    }
}
