//! The greatest common divisor of big integers, by Lehmer's form of Euclid's algorithm, and the least common multiple.
//!
//! Knuth, *The Art of Computer Programming*, volume 2, section 4.5.2, algorithm L: the leading bits of two numbers
//! determine many consecutive quotients of Euclid's algorithm. Those steps are carried out on machine integers,
//! collected in a matrix, and applied to the long numbers at once. Rationals are reduced after every operation, so
//! exact tests spend most of their time here; the binary algorithm of the big-integer crate makes a pass over all
//! digits for each bit.
//!
//! Departures: powers of two are removed first, since most denominators are powers of two; numbers of machine size are
//! finished by plain division.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// How many leading bits are used: sums with the entries of the matrix stay below 2^63.
const LEADING_BITS: u64 = 62;

/// The greatest common divisor, not negative; for zero and a number, the number's absolute value.
pub fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (Some(zeros_a), Some(zeros_b)) = (a.trailing_zeros(), b.trailing_zeros()) else {
        return if a.is_zero() { b.abs() } else { a.abs() };
    };
    let odd = |number: &BigInt, zeros: u64| number.magnitude() >> zeros;
    let (odd_a, odd_b) = (odd(a, zeros_a), odd(b, zeros_b));
    let common = if odd_a.is_one() || odd_b.is_one() { BigUint::one() } else { of_two(odd_a.into(), odd_b.into()) };
    BigInt::from(common) << zeros_a.min(zeros_b)
}

/// The least common multiple of two positive numbers.
pub fn lcm(a: &BigInt, b: &BigInt) -> BigInt {
    a / gcd(a, b) * b
}

/// The greatest common divisor of two positive numbers.
fn of_two(mut large: BigInt, mut small: BigInt) -> BigUint {
    if large < small {
        std::mem::swap(&mut large, &mut small);
    }
    loop {
        if let (Some(large), Some(small)) = (large.to_u64(), small.to_u64()) {
            return of_machine_integers(large, small).into();
        }
        if small.is_zero() {
            return large.magnitude().clone();
        }
        (large, small) = match steps(&large, &small) {
            Some([[a, b], [c, d]]) => (&large * a + &small * b, &large * c + &small * d),
            None => {
                let rest = &large % &small;
                (small, rest)
            }
        };
    }
}

fn of_machine_integers(mut large: u64, mut small: u64) -> u64 {
    while small != 0 {
        (large, small) = (small, large % small);
    }
    large
}

/// As many steps of Euclid's algorithm as the leading bits determine, as a matrix; `None` if they do not determine the
/// first, or if the larger number has fewer than [`LEADING_BITS`] bits.
fn steps(large: &BigInt, small: &BigInt) -> Option<[[i64; 2]; 2]> {
    let shift = large.bits().checked_sub(LEADING_BITS)?;
    let leading = |number: &BigInt| (number.magnitude() >> shift).to_i64();
    let (mut x, mut y) = (leading(large)?, leading(small)?);
    let [mut first, mut second] = [[1, 0], [0, 1]];
    // The true quotient lies between these two: it is known if they agree.
    while y + second[0] != 0 && y + second[1] != 0 {
        let quotient = (x + first[0]) / (y + second[0]);
        if quotient != (x + first[1]) / (y + second[1]) {
            break;
        }
        let next = [first[0] - quotient * second[0], first[1] - quotient * second[1]];
        (first, second) = (second, next);
        (x, y) = (y, x - quotient * y);
    }
    (first[1] != 0).then_some([first, second])
}

#[cfg(test)]
mod tests {
    use num_integer::Integer;

    use super::*;
    use crate::random::Random;

    /// A number of up to `digits` digits of 32 bits, usually with a few factors of two.
    fn number(random: &mut Random, digits: usize) -> BigInt {
        let digits = (0..random.index(digits + 1)).map(|_| random.bits() as u32).collect();
        let magnitude = BigInt::from(BigUint::new(digits)) << random.index(40);
        if random.coin() { -magnitude } else { magnitude }
    }

    #[test]
    fn agrees_with_the_binary_algorithm() {
        let mut random = Random::new(1);
        for round in 0..3000 {
            let digits = 1 + round % 40;
            let [a, b, common] = [digits, digits, digits / 2].map(|digits| number(&mut random, digits));
            for (a, b) in [(&a * &common, &b * &common), (a.clone(), b.clone()), (&a * &b, a.clone())] {
                assert_eq!(gcd(&a, &b), Integer::gcd(&a, &b), "{a} and {b}");
                assert_eq!(gcd(&b, &a), Integer::gcd(&a, &b), "{b} and {a}");
                if !a.is_zero() {
                    assert_eq!(lcm(&a.abs(), &b.abs()), Integer::lcm(&a, &b), "{a} and {b}");
                }
            }
        }
    }

    #[test]
    fn longest_runs_and_ends_of_the_range() {
        let (mut a, mut b) = (BigInt::one(), BigInt::one());
        for _ in 0..2000 {
            assert!(gcd(&a, &b).is_one());
            (a, b) = (&a + &b, a);
        }
        let ends = [0, 1, -1, i64::MAX, i64::MIN, i64::MAX - 1].map(BigInt::from);
        let beyond = [62_u64, 63, 64, 65, 128].map(|bits| BigInt::one() << bits);
        let all: Vec<BigInt> = ends.into_iter().chain(beyond.iter().flat_map(|n| [n - 1, n.clone(), n + 1])).collect();
        for a in &all {
            for b in &all {
                assert_eq!(gcd(a, b), Integer::gcd(a, b), "{a} and {b}");
            }
        }
    }
}
