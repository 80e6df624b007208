//! Caches of the last answer, allocated only for pairs that were queried.
//!
//! Most pairs are separated by their bounding spheres and never need a cache; so a pair takes four bytes here, and the
//! rest once it is first queried.

use clearance::PairCache;

/// The caches of one pair: for its bodies, and for their hulls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    pub bodies: PairCache,
    pub hulls: PairCache,
}

#[derive(Clone, Debug)]
pub(crate) struct PairCaches {
    /// For each pair its index in `used` plus 1; 0 for none.
    places: Vec<u32>,
    used: Vec<Remembered>,
}

impl PairCaches {
    pub fn new(pairs: usize) -> PairCaches {
        PairCaches { places: vec![0; pairs], used: Vec::new() }
    }

    /// The cache of a pair; empty the first time.
    #[inline]
    pub fn of(&mut self, pair: usize) -> &mut Remembered {
        let place = &mut self.places[pair];
        if *place == 0 {
            self.used.push(Remembered::default());
            // There are fewer than 2^32 pairs.
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
