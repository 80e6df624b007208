//! Brent's method (1973): a root of a continuous function between two points where its sign differs.
//!
//! Vlack and Tachi (2001), named by Ericson, find the time of contact as a root of the distance, which however does not
//! change its sign there: bodies that overlap have distance zero. So, as in their text, a small length is subtracted:
//! the root is the time at which the bodies are that close, shortly before contact, and from there
//! [`advance`](super::advance) reaches the contact and proves it.
//!
//! The method keeps a bracket `[a, b]` and tries inverse quadratic interpolation or a secant; if the step does not fall
//! well inside the bracket or the steps do not shrink, it bisects.

use crate::math::tolerances::BRENT_STEPS;
/// A point where `f` is positive and no larger than `enough`, or the last one found; `f` is positive at `from` and not
/// at `to`. Also returns the number of evaluations.
pub(crate) fn brent(from: f64, to: f64, enough: f64, mut f: impl FnMut(f64) -> f64) -> (f64, u32) {
    let (mut a, mut b) = (from, to);
    let (mut fa, mut fb) = (f(a), f(b));
    let mut steps = 2;
    if fa <= 0.0 || fb > 0.0 {
        return (from, steps);
    }
    // `b` is the best so far, `a` the other end of the bracket, `c` the best before.
    if fa.abs() < fb.abs() {
        (a, b, fa, fb) = (b, a, fb, fa);
    }
    let (mut c, mut fc) = (a, fa);
    let mut before_last = c;
    let mut halved = true;
    let mut best = from;
    while steps < BRENT_STEPS {
        for (x, fx) in [(a, fa), (b, fb)] {
            if fx > 0.0 {
                best = x;
                if fx <= enough {
                    return (best, steps);
                }
            }
        }
        let mut next = if fa != fc && fb != fc {
            a * fb * fc / ((fa - fb) * (fa - fc))
                + b * fa * fc / ((fb - fa) * (fb - fc))
                + c * fa * fb / ((fc - fa) * (fc - fb))
        } else {
            b - fb * (b - a) / (fb - fa)
        };
        let quarter = 0.25 * (3.0 * a + b);
        let inside = (next > quarter.min(b)) && (next < quarter.max(b));
        let last = if halved { (b - c).abs() } else { (c - before_last).abs() };
        halved = !inside || (next - b).abs() >= 0.5 * last;
        if halved {
            next = 0.5 * (a + b);
        }
        if next == a || next == b {
            break;
        }
        let value = f(next);
        steps += 1;
        before_last = c;
        (c, fc) = (b, fb);
        if (fa > 0.0) == (value > 0.0) {
            (a, fa) = (next, value);
        } else {
            (b, fb) = (next, value);
        }
        if fa.abs() < fb.abs() {
            (a, b, fa, fb) = (b, a, fb, fa);
        }
    }
    (best, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_small_positive_value() {
        let functions: [fn(f64) -> f64; 4] =
            [|x| 0.3 - x, |x| 0.01 - x * x * x, |x| (1.0 - 8.0 * x).max(-1e-3), |x| (1.0 - x).powi(9) - 0.2];
        for f in functions {
            let (x, steps) = brent(0.0, 1.0, 1e-9, f);
            assert!(f(x) > 0.0 && f(x) <= 1e-9, "{x} {}", f(x));
            assert!(steps < 60, "{steps}");
        }
    }

    #[test]
    fn without_a_change_of_sign_the_start_is_returned() {
        assert_eq!(brent(0.0, 1.0, 0.0, |_| 1.0), (0.0, 2));
        assert_eq!(brent(0.0, 1.0, 0.0, |_| -1.0), (0.0, 2));
    }
}
