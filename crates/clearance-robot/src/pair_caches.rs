//! What pairs remember of their last answer, for those pairs alone that were asked about.
//!
//! Most pairs are told apart by the balls about them and never remember anything; so a pair takes four bytes here, and
//! the rest from when it is first asked about.

use clearance::PairCache;

/// What one pair remembers: of its bodies, and of their hulls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    pub bodies: PairCache,
    pub hulls: PairCache,
}

#[derive(Clone, Debug)]
pub(crate) struct PairCaches {
    /// For each pair its place in `used`, counted from 1; 0 for none.
    places: Vec<u32>,
    used: Vec<Remembered>,
}

impl PairCaches {
    pub fn new(pairs: usize) -> PairCaches {
        PairCaches { places: vec![0; pairs], used: Vec::new() }
    }

    /// What a pair remembers; nothing yet, the first time.
    #[inline]
    pub fn of(&mut self, pair: usize) -> &mut Remembered {
        let place = &mut self.places[pair];
        if *place == 0 {
            self.used.push(Remembered::default());
            // There are fewer pairs than a number of 32 bits counts.
            *place = self.used.len() as u32;
        }
        &mut self.used[*place as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_about_takes_memory() {
        let mut caches = PairCaches::new(1_000_000);
        assert_eq!(caches.used.capacity(), 0);
        caches.of(999_999);
        caches.of(7);
        caches.of(999_999);
        assert_eq!(caches.used.len(), 2);
    }
}
