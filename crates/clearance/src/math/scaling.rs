//! Splitting floating-point numbers into significand and exponent, and scaling by powers of two, without rounding.

/// The exponent of `x`: the `e` with `2^e <= |x| < 2^(e + 1)`. Zero gets a value far below every other exponent.
pub(super) fn exponent(x: f64) -> i32 {
    let biased = (x.to_bits() >> 52 & 0x7ff) as i32;
    if biased != 0 {
        return biased - 1023;
    }
    let fraction = x.to_bits() & ((1 << 52) - 1);
    if fraction == 0 {
        return i32::MIN / 8;
    }
    // Subnormal: 2^-1074 times an integer.
    63 - fraction.leading_zeros() as i32 - 1074
}

/// `x * 2^power`. Exact unless the result is subnormal (rounded once, to nearest) or overflows (infinite).
pub(crate) fn times_power_of_two(x: f64, power: i32) -> f64 {
    if (-1022..=1023).contains(&power) {
        return x * power_of_two(power);
    }
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // Bring the significand to [1, 2) first, so that only the very last product can round.
    let own = exponent(x);
    let significand = significand(x);
    let target = own.saturating_add(power);
    if target > 1023 {
        return f64::INFINITY.copysign(x);
    }
    if target < -1075 {
        return 0.0_f64.copysign(x);
    }
    if target >= -1022 {
        return significand * power_of_two(target);
    }
    significand * power_of_two(-1000) * power_of_two(target + 1000)
}

/// `x / 2^exponent(x)`: the significand of `x` in [1, 2), with its sign; zero for zero.
pub(super) fn significand(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let normal = if x.is_normal() { x } else { x * power_of_two(54) };
    f64::from_bits(normal.to_bits() & !(0x7ff << 52) | 1023 << 52)
}

/// `2^power` for a power from -1022 to 1023; 0 below, infinite above.
pub(super) fn power_of_two(power: i32) -> f64 {
    if power < -1022 {
        0.0
    } else if power > 1023 {
        f64::INFINITY
    } else {
        f64::from_bits(((power + 1023) as u64) << 52)
    }
}

/// The integer `m` and the exponent `e` with `x = m * 2^e` exactly, for finite `x`.
pub(super) fn integer_parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    (if x.is_sign_negative() { -magnitude } else { magnitude }, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 12] = [
        1.0,
        -1.5,
        3.0e-310,
        5.0e-324,
        -2.0e-308,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        1.0e150,
        7.3e-200,
        0.1,
        123_456.789,
    ];

    #[test]
    fn significand_and_exponent_rebuild_the_number() {
        for x in SAMPLES {
            let m = significand(x);
            assert!((1.0..2.0).contains(&m.abs()), "{x}: {m}");
            assert_eq!(times_power_of_two(m, exponent(x)), x);
            let (integer, power) = integer_parts(x);
            assert_eq!(times_power_of_two(integer as f64, power), x);
        }
        assert_eq!(significand(0.0), 0.0);
        assert_eq!(integer_parts(0.0).0, 0);
    }

    #[test]
    fn moving_the_exponent_is_exact_or_saturates() {
        assert_eq!(times_power_of_two(1.5, 2000), f64::INFINITY);
        assert_eq!(times_power_of_two(-1.5, 1024), f64::NEG_INFINITY);
        assert_eq!(times_power_of_two(5.0e-324, 2000), times_power_of_two(1.0, 926));
        assert_eq!(times_power_of_two(f64::MAX, -2000), times_power_of_two(f64::MAX, -1000) * power_of_two(-1000));
        assert_eq!(times_power_of_two(-1.5, -3000), 0.0);
        assert_eq!(times_power_of_two(0.0, 5000), 0.0);
        assert_eq!(power_of_two(-1023), 0.0);
        assert_eq!(power_of_two(1024), f64::INFINITY);
    }
}
