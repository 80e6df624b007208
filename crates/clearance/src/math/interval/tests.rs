//! Intervals, and vectors and matrices of them, against exact arithmetic and the series of sine and cosine.

use glam::{DMat3, DVec3};
use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;
use crate::math::exact::Exact;

fn encloses(interval: Interval, truth: &Exact) -> bool {
    (interval.lo == f64::NEG_INFINITY || Exact::new(interval.lo) <= *truth)
        && (interval.hi == f64::INFINITY || *truth <= Exact::new(interval.hi))
}

/// Any finite number: subnormal, huge, integer, close to 1.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
        (-1.0..1.0_f64, -1070..1020_i32).prop_map(|(m, e)| m * 2.0_f64.powi(e.max(-1022))),
        (-8..8_i32).prop_map(f64::from),
        -2.0..2.0_f64,
    ]
}

/// An interval and a number inside.
fn interval() -> impl Strategy<Value = (Interval, f64)> {
    (number(), number(), number()).prop_map(|(a, b, c)| {
        let mut sorted = [a, b, c];
        sorted.sort_by(f64::total_cmp);
        (Interval::new(sorted[0], sorted[2]), sorted[1])
    })
}

fn is_sound(interval: Interval) -> bool {
    interval.lo <= interval.hi && interval.lo < f64::INFINITY && interval.hi > f64::NEG_INFINITY
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn operations_enclose_the_exact_result((a, x) in interval(), (b, y) in interval()) {
        let (exact_x, exact_y) = (Exact::new(x), Exact::new(y));
        let (sum, difference, product) = (&exact_x + &exact_y, &exact_x - &exact_y, &exact_x * &exact_y);
        for (a, b) in [(a, b), (Interval::point(x), Interval::point(y)), (a, Interval::point(y))] {
            prop_assert!(encloses(a + b, &sum));
            prop_assert!(encloses(a - b, &difference));
            prop_assert!(encloses(a * b, &product));
            prop_assert!(encloses(-a, &-&exact_x));
            prop_assert!(encloses(a.abs(), &exact_x.abs()));
            prop_assert!(encloses(a.square(), &(&exact_x * &exact_x)));
            prop_assert!(encloses(a.min(b), &exact_x.clone().min(exact_y.clone())));
            prop_assert!(encloses(a.max(b), &exact_x.clone().max(exact_y.clone())));
            prop_assert!(a.hull(b).contains(x) && a.hull(b).contains(y));
            if a.contains(y) {
                prop_assert!(a.intersection(b).is_some_and(|common| common.contains(y)));
            }
            if y != 0.0 {
                // lo <= x / y <= hi, multiplied by y.
                let quotient = a / b;
                let above_lo = quotient.lo == f64::NEG_INFINITY
                    || ((&exact_x - &(&Exact::new(quotient.lo) * &exact_y)).sign() * exact_y.sign() >= 0);
                let below_hi = quotient.hi == f64::INFINITY
                    || ((&exact_x - &(&Exact::new(quotient.hi) * &exact_y)).sign() * exact_y.sign() <= 0);
                prop_assert!(above_lo && below_hi);
            }
            let root = a.sqrt();
            let clamped = exact_x.clone().max(Exact::new(0.0));
            let squared = |end: f64| &Exact::new(end) * &Exact::new(end);
            prop_assert!(root.lo >= 0.0 && squared(root.lo) <= clamped && clamped <= squared(root.hi));
        }
    }

    #[test]
    fn single_operations_on_points_are_tight(x in -1.0e3..1.0e3_f64, y in 0.5..1.0e3_f64) {
        let (a, b) = (Interval::point(x), Interval::point(y));
        for result in [a + b, a - b, a * b, a / b, b.sqrt(), a.square()] {
            prop_assert!(result.hi <= result.lo.next_up().next_up());
        }
        prop_assert!((a + b).hi <= (a + b).lo.next_up());
    }

    #[test]
    fn halves_and_middles_are_inside((a, _) in interval()) {
        let (left, right) = a.split();
        prop_assert!(is_sound(left) && is_sound(right));
        prop_assert_eq!(left.hull(right), a);
        prop_assert!(a.contains(a.midpoint()));
        prop_assert!(a.mignitude() <= a.magnitude());
        prop_assert!(a.width() >= 0.0);
    }

    #[test]
    fn nothing_is_ever_not_a_number(a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>()) {
        let [a, b, c, d] = [a, b, c, d].map(f64::from_bits);
        check_all_operations(Interval::new(a, b), Interval::new(c, d))?;
    }
}

fn check_all_operations(a: Interval, b: Interval) -> Result<(), TestCaseError> {
    let (left, right) = a.split();
    for result in [
        a,
        b,
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        a.abs(),
        a.square(),
        a.sqrt(),
        a.min(b),
        a.max(b),
        a.hull(b),
        a.sin(),
        a.cos(),
        left,
        right,
        a.intersection(b).unwrap_or(a),
    ] {
        prop_assert!(is_sound(result), "{:?} {:?} {:?}", a, b, result);
    }
    prop_assert!(a.midpoint().is_finite());
    prop_assert!(!a.width().is_nan() && !a.magnitude().is_nan() && !a.mignitude().is_nan());
    Ok(())
}

#[test]
fn infinite_and_extreme_ends_are_sound() {
    let ends = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -5.0e-324,
        -0.0,
        0.0,
        5.0e-324,
        f64::MIN_POSITIVE,
        1.0,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut all = Vec::new();
    for lo in ends {
        for hi in ends {
            all.push(Interval::new(lo, hi));
        }
    }
    for &a in &all {
        for &b in &all {
            check_all_operations(a, b).unwrap();
        }
    }
}

#[test]
fn conventions() {
    assert_eq!(Interval::ZERO * Interval::EVERYTHING, Interval::ZERO);
    assert_eq!(Interval::ONE / Interval::new(-1.0, 1.0), Interval::EVERYTHING);
    assert_eq!(Interval::ZERO / Interval::ZERO, Interval::EVERYTHING);
    assert_eq!(Interval::point(f64::INFINITY), Interval::new(f64::MAX, f64::INFINITY));
    assert_eq!(Interval::point(f64::MAX) + Interval::point(f64::MAX), Interval::point(f64::INFINITY));
    assert_eq!(Interval::new(-2.0, -1.0).sqrt(), Interval::ZERO);
    assert_eq!(Interval::ONE / Interval::new(1.0, f64::INFINITY), Interval::new(0.0, 1.0));
    assert!((-Interval::ZERO).lo.is_sign_positive());
    assert_eq!(Interval::point(0.1) * Interval::ONE, Interval::point(0.1));
    assert_eq!(Interval::point(3.0) + Interval::point(4.0), Interval::point(7.0));
    // The tiniest product is positive, and not zero.
    let tiny = Interval::point(5.0e-324);
    assert_eq!(tiny * tiny, Interval::new(0.0, 5.0e-324));
    assert_eq!(tiny * -tiny, Interval::new(-5.0e-324, 0.0));
}

/// Fraction bits of the fixed-point numbers below.
const BITS: usize = 1400;

fn fixed(x: f64) -> BigInt {
    let (integer, exponent) = crate::math::scaling::integer_parts(x);
    BigInt::from(integer) << usize::try_from(BITS as i64 + i64::from(exponent)).unwrap()
}

/// Sine and cosine by their Taylor series in fixed point, with an error far below 2^-1000.
fn sine_and_cosine(x: f64) -> (BigInt, BigInt) {
    let x = fixed(x);
    let (mut sine, mut cosine) = (BigInt::ZERO, BigInt::ZERO);
    let mut term = BigInt::from(1) << BITS;
    let mut index = 0_u32;
    while term != BigInt::ZERO && index < 2000 {
        match index % 4 {
            0 => cosine += &term,
            1 => sine += &term,
            2 => cosine -= &term,
            _ => sine -= &term,
        }
        index += 1;
        term = ((term * &x) >> BITS) / BigInt::from(index);
    }
    (sine, cosine)
}

#[test]
fn sine_and_cosine_enclose_the_series() {
    let mut samples: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.37 - 9.0).collect();
    for k in -6..=6 {
        let near = f64::from(k) * std::f64::consts::FRAC_PI_2;
        samples.extend([near, near.next_up(), near.next_down(), near + 1.0e-9]);
    }
    samples.extend([1.0e-8, -1.0e-100, 40.0]);
    let values: Vec<_> = samples.iter().map(|&x| sine_and_cosine(x)).collect();
    // The error of the series is some units of 2^-BITS times e^40: far below this.
    let slack = BigInt::from(1) << (BITS - 1100);
    let encloses = |interval: Interval, truth: &BigInt| {
        fixed(interval.lo) <= truth + &slack && truth - &slack <= fixed(interval.hi)
    };
    for (&x, (sine, cosine)) in samples.iter().zip(&values) {
        let a = Interval::point(x);
        assert!(encloses(a.sin(), sine) && encloses(a.cos(), cosine), "{x}");
        assert!(a.sin().width() < 1.0e-14 && a.cos().width() < 1.0e-14, "{x}");
    }
    for i in 0..samples.len() {
        for j in [(i + 1) % samples.len(), (i * 7 + 3) % samples.len()] {
            let hull = Interval::new(samples[i], samples[j]);
            for (&x, (sine, cosine)) in samples.iter().zip(&values) {
                if hull.contains(x) {
                    assert!(encloses(hull.sin(), sine) && encloses(hull.cos(), cosine), "{hull:?} {x}");
                }
            }
        }
    }
}

#[test]
fn sine_and_cosine_find_their_extrema() {
    let pi = std::f64::consts::PI;
    assert_eq!(Interval::new(-0.1, 0.1).cos().hi, 1.0);
    assert!(Interval::new(-0.1, 0.1).cos().lo > 0.99);
    assert_eq!(Interval::new(3.0, 3.2).cos().lo, -1.0);
    assert!(Interval::new(3.0, 3.2).cos().hi < -0.98);
    assert_eq!(Interval::new(4.5, 5.0).sin().lo, -1.0);
    assert_eq!(Interval::new(0.0, 2.0 * pi).sin(), Interval::UNIT);
    assert_eq!(Interval::point(1.0e300).sin(), Interval::UNIT);
    assert!(Interval::new(0.1, 3.0).cos().width() < 2.0);
    assert_eq!(Interval::ZERO.sin(), Interval::ZERO);
}

#[test]
fn identity_and_zero_rotation_are_exact() {
    let identity = IntervalMat3::from(&DMat3::IDENTITY);
    assert_eq!(IntervalMat3::from_axis_angle(DVec3::new(0.3, -2.0, 5.0), Interval::ZERO), identity);
    assert_eq!(IntervalMat3::from_axis_angle(DVec3::ZERO, Interval::ZERO), identity);
    let everything = IntervalMat3::from_axis_angle(DVec3::ZERO, Interval::new(1.0, 2.0));
    assert!(everything.contains(&DMat3::from_rotation_y(-2.5)));
    let m = IntervalMat3::from(&DMat3::from_rotation_x(0.3));
    assert_eq!(m * identity, m);
    assert_eq!(identity * m, m);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn rotations_enclose_rotations(
        axis in proptest::array::uniform3(-1.0..1.0_f64), start in -7.0..7.0_f64, sweep in 0.0..2.0_f64,
        part in 0.0..1.0_f64, point in proptest::array::uniform3(-10.0..10.0_f64),
    ) {
        let axis = DVec3::from_array(axis);
        prop_assume!(axis.length() > 0.01);
        let point = IntervalVec3::from(DVec3::from_array(point));
        let angle = Interval::new(start, start + sweep);
        let swept = IntervalMat3::from_axis_angle(axis, angle);
        let inside = IntervalMat3::from_axis_angle(axis, Interval::point((start + part * sweep).min(angle.hi)));
        // The quaternion route shares no code; it is accurate to a few units in the last place.
        let reference = DMat3::from_axis_angle(axis.normalize(), (start + part * sweep).min(angle.hi));
        for row in 0..3 {
            let rows = [(swept.rows[row].x, inside.rows[row].x, reference.row(row).x),
                (swept.rows[row].y, inside.rows[row].y, reference.row(row).y),
                (swept.rows[row].z, inside.rows[row].z, reference.row(row).z)];
            for (of_swept, of_point, number) in rows {
                prop_assert!(of_swept.hull(of_point).width() <= of_swept.width() + 1.0e-14);
                prop_assert!(of_point.width() < 1.0e-13);
                prop_assert!((of_point.midpoint() - number).abs() < 1.0e-13);
            }
        }
        // A rotation keeps lengths, and its transpose is its inverse.
        let turned = inside * point;
        prop_assert!(turned.norm().intersection(point.norm()).is_some());
        let back = inside.transpose() * turned;
        prop_assert!(back.contains(point.midpoint()));
        prop_assert!((inside.transpose() * inside).contains(&DMat3::IDENTITY));
    }

    #[test]
    fn vectors_enclose_the_exact_result(
        a in proptest::array::uniform3(-1.0e3..1.0e3_f64), b in proptest::array::uniform3(-1.0e3..1.0e3_f64),
    ) {
        let (u, v) = (IntervalVec3::from(DVec3::from_array(a)), IntervalVec3::from(DVec3::from_array(b)));
        let product = |i: usize, j: usize| &Exact::new(a[i]) * &Exact::new(b[j]);
        let dot = &(&product(0, 0) + &product(1, 1)) + &product(2, 2);
        prop_assert!(encloses(u.dot(v), &dot));
        prop_assert!(encloses(u.cross(v).x, &(&product(1, 2) - &product(2, 1))));
        prop_assert!(encloses(u.cross(v).y, &(&product(2, 0) - &product(0, 2))));
        prop_assert!(encloses(u.cross(v).z, &(&product(0, 1) - &product(1, 0))));
        prop_assert!(encloses((u + v).x, &(&Exact::new(a[0]) + &Exact::new(b[0]))));
        prop_assert!(encloses((u - v).z, &(&Exact::new(a[2]) - &Exact::new(b[2]))));
        prop_assert!(encloses(u.scale(v.y).z, &product(2, 1)));
        prop_assert_eq!(-(-u), u);
        prop_assert!(u.hull(v).contains(u.midpoint()) && u.hull(v).contains(v.midpoint()));
        let square = u.norm_squared();
        let norm = u.norm();
        prop_assert!(norm.square().intersection(square).is_some());
    }
}
