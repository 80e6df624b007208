//! Interval halving: a time shortly before first contact, by testing whether the bodies meet in the first part of the
//! step.
//!
//! Ericson, "GJK for moving objects": whether the sets swept up to a time intersect is monotone in time, and it first
//! holds at the first contact. Halving finds that time to any width, each test starting from the simplex of the last.
//! Departs from the text in that it stops early: from there [`advance`](super::advance) needs two or three readings to
//! reach the last digit and prove it, where halving would need one test per bit.

use crate::math::tolerances::HALVE_WIDTH;
/// A time before the first contact, less than [`HALVE_WIDTH`] before it. `meet` tests whether the bodies meet before a
/// time; they do before 1. Also returns the number of tests.
pub(crate) fn halve(mut meet: impl FnMut(f64) -> bool) -> (f64, u32) {
    let (mut before, mut after) = (0.0, 1.0);
    let mut steps = 0;
    while after - before > HALVE_WIDTH {
        let middle = 0.5 * (before + after);
        steps += 1;
        if meet(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    (before, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_just_before() {
        for first in [1e-9, 0.1, 0.5, 0.999, 1.0] {
            let (time, steps) = halve(|t| t >= first);
            assert!(time < first && first - time <= HALVE_WIDTH, "{time} {first}");
            assert_eq!(steps, 20);
        }
    }
}
