//! Exact orientation: which side of a plane, or of a line in a plane, a point lies on.
//!
//! Adaptive floating-point expansions (Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust
//! Geometric Predicates*, 1997) as transcribed in the `robust` crate. Every answer is the true sign of the real
//! determinant of the given `f64` numbers, for **all** finite input. Departs from the paper in three places:
//! - our own first filter, whose error bound also covers underflow and overflow, so the common case needs no range
//!   check;
//! - where an expansion could lose bits to underflow or overflow (see [`EXPANSION_MIN`]) the determinant is redone in
//!   big integers, which the paper excludes;
//! - the sign is that of the right-handed normal, the opposite of Shewchuk's `orient3d` (see [`orient3d`]).
//!
//! No tolerance is involved anywhere: `Zero` means exactly coplanar or exactly collinear.

use std::cmp::Ordering;
use std::ops::Neg;

use glam::DVec3;
use num_bigint::BigInt;

use super::integer::{common_exponent, integer};
use num_traits::Signed;

/// The sign of a real number, known exactly.
///
/// ```
/// use clearance::math::Sign;
/// assert_eq!(Sign::from(-2.5), Sign::Negative);
/// assert_eq!(-Sign::Negative, Sign::Positive);
/// assert!(Sign::Negative < Sign::Zero && Sign::Zero < Sign::Positive);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Less than zero.
    Negative,
    /// Exactly zero.
    Zero,
    /// Greater than zero.
    Positive,
}

impl Sign {
    /// Whether this is [`Sign::Positive`].
    ///
    /// ```
    /// assert!(clearance::math::Sign::from(1.0).is_positive());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_positive(self) -> bool {
        self == Sign::Positive
    }

    /// Whether this is [`Sign::Negative`].
    ///
    /// ```
    /// assert!(clearance::math::Sign::from(-1.0).is_negative());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_negative(self) -> bool {
        self == Sign::Negative
    }

    /// Whether this is [`Sign::Zero`].
    ///
    /// ```
    /// assert!(clearance::math::Sign::from(-0.0).is_zero());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Sign::Zero
    }

    /// The sign as an ordering against zero: `Negative` is `Less`.
    ///
    /// ```
    /// use std::cmp::Ordering;
    /// use clearance::math::Sign;
    /// assert_eq!(Sign::Negative.to_ordering(), Ordering::Less);
    /// ```
    #[inline]
    #[must_use]
    pub fn to_ordering(self) -> Ordering {
        match self {
            Sign::Negative => Ordering::Less,
            Sign::Zero => Ordering::Equal,
            Sign::Positive => Ordering::Greater,
        }
    }
}

impl From<f64> for Sign {
    /// The sign of a number; `Zero` for NaN.
    #[inline]
    fn from(value: f64) -> Self {
        if value > 0.0 {
            Sign::Positive
        } else if value < 0.0 {
            Sign::Negative
        } else {
            Sign::Zero
        }
    }
}

impl From<Ordering> for Sign {
    /// The sign of `a - b`, given `a.cmp(&b)`.
    #[inline]
    fn from(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Less => Sign::Negative,
            Ordering::Equal => Sign::Zero,
            Ordering::Greater => Sign::Positive,
        }
    }
}

impl From<&BigInt> for Sign {
    #[inline]
    fn from(value: &BigInt) -> Self {
        if value.is_positive() {
            Sign::Positive
        } else if value.is_negative() {
            Sign::Negative
        } else {
            Sign::Zero
        }
    }
}

impl Neg for Sign {
    type Output = Sign;

    #[inline]
    fn neg(self) -> Sign {
        match self {
            Sign::Negative => Sign::Positive,
            Sign::Zero => Sign::Zero,
            Sign::Positive => Sign::Negative,
        }
    }
}

/// A coordinate axis; in [`orient2d`] the one that the projection drops.
///
/// ```
/// use clearance::math::Axis;
/// let point = glam::DVec3::new(1.0, 2.0, 3.0);
/// assert_eq!(Axis::Y.project(point), [3.0, 1.0]); // (z, x): cyclic, so the handedness is kept
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Drop x, keep (y, z).
    X,
    /// Drop y, keep (z, x).
    Y,
    /// Drop z, keep (x, y).
    Z,
}

impl Axis {
    /// The two coordinates that remain when this axis is dropped, in cyclic order: seen from the positive end of the
    /// axis, the first points right and the second up.
    ///
    /// ```
    /// use clearance::math::Axis;
    /// assert_eq!(Axis::Z.project(glam::DVec3::new(1.0, 2.0, 3.0)), [1.0, 2.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn project(self, point: DVec3) -> [f64; 2] {
        match self {
            Axis::X => [point.y, point.z],
            Axis::Y => [point.z, point.x],
            Axis::Z => [point.x, point.y],
        }
    }
}

/// Smallest nonzero magnitude of a coordinate for which the expansions of `robust` are used.
///
/// Derivation. If all nonzero coordinates are at least 2^-k in magnitude, all are integer multiples of `u = 2^(-k-52)`,
/// hence so are differences and their rounding tails; every product of two is a multiple of u^2 and of three a multiple
/// of u^3, and rounding a multiple of a power of two yields one as long as that power is representable. So no step of
/// the expansions underflows if u^3 >= 2^-1074. The adaptive stages also compare against `C * permanent` with C >= 26 *
/// 2^-106 > 2^-102; `permanent` is zero (then every term is exactly zero) or at least u^3, and the bound is computed
/// without underflow if u^3 * 2^-102 >= 2^-1022, that is u >= 2^-306, k <= 254. We require k = 250.
pub const EXPANSION_MIN: f64 = 1.0 / EXPANSION_MIN_RECIPROCAL;
const EXPANSION_MIN_RECIPROCAL: f64 = (1u128 << 125) as f64 * (1u128 << 125) as f64;

/// Largest magnitude of a coordinate for which the expansions are used: 2^200 > 1e60. Differences are at most 2^201,
/// products of three 2^603, and the splitter multiplies by 2^27: far from overflow at 2^1024.
pub const EXPANSION_MAX: f64 = (1u128 << 100) as f64 * (1u128 << 100) as f64;

/// Guards of the filters against underflow; see the comment in [`orient3d`].
pub(crate) const TINY_PRODUCT: f64 = 1.0e-270; // > 2^-900
pub(crate) const TINY_RESULT: f64 = 1.0e-300; // > 2^-1000

/// Half an ulp of one.
const EPSILON: f64 = f64::EPSILON * 0.5;
/// Shewchuk's bound A for `orient3d`: relative to the permanent.
pub(crate) const ORIENT3D_BOUND: f64 = (7.0 + 56.0 * EPSILON) * EPSILON;
/// Shewchuk's bound A for `orient2d`: relative to the sum of the magnitudes of the two products.
pub(crate) const ORIENT2D_BOUND: f64 = (3.0 + 16.0 * EPSILON) * EPSILON;

#[inline]
fn fits_expansions(coordinate: f64) -> bool {
    let magnitude = coordinate.abs();
    magnitude == 0.0 || (EXPANSION_MIN..=EXPANSION_MAX).contains(&magnitude)
}

/// Which side of the plane through `a`, `b`, `c` the point `d` lies on. Exact for all finite input.
///
/// The sign of `((b - a) x (c - a)) . (d - a)`, six times the signed volume of the tetrahedron:
/// - `Positive`: `d` is on the side the right-handed normal `(b - a) x (c - a)` points to, and from `d` the triangle
///   `a, b, c` is seen counter-clockwise. For a face wound counter-clockwise from outside: `d` is strictly outside.
/// - `Negative`: the other side (for such a face: strictly inside).
/// - `Zero`: exactly coplanar (or `a`, `b`, `c` exactly collinear).
///
/// Shewchuk's own function has the opposite sign. NaN and infinite coordinates give `Zero`.
///
/// ```
/// use clearance::math::{Sign, orient3d};
/// use glam::DVec3;
/// let (a, b, c) = (DVec3::ZERO, DVec3::X, DVec3::Y); // the plane z = 0, normal +z
/// assert_eq!(orient3d(a, b, c, DVec3::new(0.3, 0.3, 1e-200)), Sign::Positive);
/// assert_eq!(orient3d(a, b, c, DVec3::new(0.3, 0.3, -5.0)), Sign::Negative);
/// assert_eq!(orient3d(a, b, c, DVec3::new(0.1, 0.2, 0.0)), Sign::Zero);
/// ```
#[inline]
#[must_use]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let (ad, bd, cd) = (a - d, b - d, c - d);
    let (bxcy, cxby) = (bd.x * cd.y, cd.x * bd.y);
    let (cxay, axcy) = (cd.x * ad.y, ad.x * cd.y);
    let (axby, bxay) = (ad.x * bd.y, bd.x * ad.y);
    let det = ad.z * (bxcy - cxby) + bd.z * (cxay - axcy) + cd.z * (axby - bxay);
    // Shewchuk's bound A covers rounding. Underflow adds at most 2^-1075 to each inner product, hence at most
    // 2^-1074 |z| to each outer one, which BOUND * TINY_PRODUCT * |z| >= 2^-951 |z| covers as long as that does not
    // itself underflow; for smaller |z|, and for the underflow of the outer products, TINY_RESULT is ample. Overflow
    // anywhere makes the permanent infinite or NaN, and then both comparisons are false.
    let permanent = (bxcy.abs() + cxby.abs() + TINY_PRODUCT) * ad.z.abs()
        + (cxay.abs() + axcy.abs() + TINY_PRODUCT) * bd.z.abs()
        + (axby.abs() + bxay.abs() + TINY_PRODUCT) * cd.z.abs();
    let bound = ORIENT3D_BOUND * permanent + TINY_RESULT;
    if det > bound {
        return Sign::Negative;
    }
    if -det > bound {
        return Sign::Positive;
    }
    orient3d_slow(a, b, c, d)
}

#[cold]
#[inline(never)]
fn orient3d_slow(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    // CAD models have axis-aligned faces, and triangles share corners: the determinant is then zero, which expansions
    // take a thousand instructions to find.
    let one_coordinate = a.cmpeq(b) & b.cmpeq(c) & c.cmpeq(d);
    if one_coordinate.any() || a == b || a == c || a == d || b == c || b == d || c == d {
        return Sign::Zero;
    }
    if [a, b, c, d].iter().all(|p| p.to_array().into_iter().all(fits_expansions)) {
        let coord = |p: DVec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
        -Sign::from(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
    } else {
        orient3d_big(a, b, c, d)
    }
}

/// [`orient3d`] in big integers throughout.
fn orient3d_big(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let mut flat = [0.0; 12];
    for (slot, point) in flat.chunks_exact_mut(3).zip([a, b, c, d]) {
        slot.copy_from_slice(&point.to_array());
    }
    let Some(n) = to_common_exponent(&flat) else {
        return Sign::Zero;
    };
    let difference = |point: usize, axis: usize| &n[3 * point + axis] - &n[axis];
    let [b, c, d] = [1, 2, 3].map(|point| [0, 1, 2].map(|axis| difference(point, axis)));
    let det = (&b[1] * &c[2] - &b[2] * &c[1]) * &d[0]
        + (&b[2] * &c[0] - &b[0] * &c[2]) * &d[1]
        + (&b[0] * &c[1] - &b[1] * &c[0]) * &d[2];
    Sign::from(&det)
}

/// Turn direction of `a`, `b`, `c` after dropping one coordinate: the exact sign of the `axis` component of `(b - a) x
/// (c - a)`.
///
/// `Positive`: seen from the positive end of the axis, the three turn counter-clockwise (left). `Zero`: their
/// projections are exactly collinear, or a coordinate is not finite.
///
/// For coplanar points this decides every in-plane orientation, given an axis along which the plane's normal is not
/// zero: see [`normal_axis`].
///
/// ```
/// use clearance::math::{Axis, Sign, orient2d};
/// use glam::DVec3;
/// let (a, b, c) = (DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 7.0));
/// assert_eq!(orient2d(Axis::Z, a, b, c), Sign::Positive); // a left turn in x, y
/// assert_eq!(orient2d(Axis::X, a, b, c), Sign::Zero); // in y, z the points a and b coincide
/// ```
#[inline]
#[must_use]
pub fn orient2d(axis: Axis, a: DVec3, b: DVec3, c: DVec3) -> Sign {
    let ([ax, ay], [bx, by], [cx, cy]) = (axis.project(a), axis.project(b), axis.project(c));
    let left = (ax - cx) * (by - cy);
    let right = (ay - cy) * (bx - cx);
    let det = left - right;
    // Underflow adds at most 2^-1075 to each product: TINY_RESULT is ample. Overflow: bound infinite or NaN.
    let bound = ORIENT2D_BOUND * (left.abs() + right.abs()) + TINY_RESULT;
    if det > bound {
        return Sign::Positive;
    }
    if -det > bound {
        return Sign::Negative;
    }
    orient2d_slow([ax, ay], [bx, by], [cx, cy])
}

#[cold]
#[inline(never)]
fn orient2d_slow(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    if [a, b, c].into_iter().flatten().all(fits_expansions) {
        let coord = |p: [f64; 2]| robust::Coord { x: p[0], y: p[1] };
        Sign::from(robust::orient2d(coord(a), coord(b), coord(c)))
    } else {
        orient2d_big(a, b, c)
    }
}

/// [`orient2d`] in big integers throughout.
fn orient2d_big(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
    let Some(n) = to_common_exponent(&[a[0], a[1], b[0], b[1], c[0], c[1]]) else {
        return Sign::Zero;
    };
    let det = (&n[2] - &n[0]) * (&n[5] - &n[1]) - (&n[3] - &n[1]) * (&n[4] - &n[0]);
    Sign::from(&det)
}

/// Turn direction of `a`, `b`, `c` as seen along a direction whose components are -1, 0 or 1, by components: the exact
/// sign of `direction . ((b - a) x (c - a))`. Positive: seen from where the direction points to, the three turn
/// counter-clockwise.
pub(crate) fn orient_along(direction: [i8; 3], a: DVec3, b: DVec3, c: DVec3) -> Sign {
    let (n, bound) = normal_with_bound(b - a, c - a);
    let det = direction.into_iter().zip(n.to_array()).map(|(d, x)| f64::from(d) * x).sum::<f64>();
    if det > bound {
        return Sign::Positive;
    }
    if -det > bound {
        return Sign::Negative;
    }
    orient_along_big(direction, a, b, c)
}

/// [`orient_along`] in big integers throughout.
#[cold]
#[inline(never)]
fn orient_along_big(direction: [i8; 3], a: DVec3, b: DVec3, c: DVec3) -> Sign {
    let mut flat = [0.0; 9];
    for (slot, point) in flat.chunks_exact_mut(3).zip([a, b, c]) {
        slot.copy_from_slice(&point.to_array());
    }
    let Some(n) = to_common_exponent(&flat) else {
        return Sign::Zero;
    };
    let [u, v] = [1, 2].map(|point| [0, 1, 2].map(|axis| &n[3 * point + axis] - &n[axis]));
    let component = |k: usize| &u[(k + 1) % 3] * &v[(k + 2) % 3] - &u[(k + 2) % 3] * &v[(k + 1) % 3];
    let det: BigInt = (0..3).map(|k| component(k) * i32::from(direction[k])).sum();
    Sign::from(&det)
}

/// `u x v` for two rounded differences of points, and a bound on the error of a sum of its components with factors -1,
/// 0 and 1, such a sum rounded as well.
#[inline(always)]
pub(crate) fn normal_with_bound(u: DVec3, v: DVec3) -> (DVec3, f64) {
    let (left, right) = (DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y), DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x));
    let size = left.abs() + right.abs();
    // With `e` half an ulp of one: each product is off by 3e of itself for its factors and its own rounding, each
    // component by another e, and two sums by 2e of the whole: 6e and terms of higher order, at most 8e. The sums of
    // the bound itself are off by 5e of it: 9e. Underflow adds 2^-1074 a product, which TINY_RESULT covers. Overflow
    // makes the bound infinite or NaN.
    (left - right, 9.0 * EPSILON * (size.x + size.y + size.z) + TINY_RESULT)
}

/// An axis along which the triangle's normal has an exactly nonzero component, z before y before x, and the sign of
/// that component; `None` if the three points are exactly collinear.
///
/// ```
/// use clearance::math::{Axis, Sign, normal_axis};
/// use glam::DVec3;
/// // A triangle in the plane y = 0: its normal X x Z is -Y.
/// assert_eq!(normal_axis(DVec3::ZERO, DVec3::X, DVec3::Z), Some((Axis::Y, Sign::Negative)));
/// ```
#[must_use]
pub fn normal_axis(a: DVec3, b: DVec3, c: DVec3) -> Option<(Axis, Sign)> {
    [Axis::Z, Axis::Y, Axis::X]
        .into_iter()
        .map(|axis| (axis, orient2d(axis, a, b, c)))
        .find(|(_, sign)| !sign.is_zero())
}

/// Whether some four of the points are not coplanar.
pub(crate) fn span_space(points: &[DVec3]) -> bool {
    let Some((&a, others)) = points.split_first() else { return false };
    let Some(&b) = others.iter().find(|&&p| p != a) else { return false };
    let Some(&c) = others.iter().find(|&&p| !collinear(a, b, p)) else { return false };
    others.iter().any(|&p| !orient3d(a, b, c, p).is_zero())
}

/// Whether three points lie exactly on one line (coinciding points always do).
///
/// ```
/// use clearance::math::collinear;
/// use glam::DVec3;
/// let direction = DVec3::new(1.0, 2.0, 3.0);
/// assert!(collinear(DVec3::ZERO, direction, 4.0 * direction));
/// assert!(!collinear(DVec3::ZERO, direction, 4.0 * direction + 1e-15 * DVec3::X));
/// ```
#[must_use]
pub fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    normal_axis(a, b, c).is_none()
}

/// The numbers as integers times a common power of two; `None` if one is not finite.
fn to_common_exponent(values: &[f64]) -> Option<Vec<BigInt>> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let least = common_exponent(values.iter().copied()).unwrap_or(0);
    Some(values.iter().map(|&value| integer(value, least)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vec3(range: std::ops::Range<i32>) -> impl Strategy<Value = DVec3> {
        let r = || range.clone();
        (r(), r(), r()).prop_map(|(x, y, z)| DVec3::new(x as f64, y as f64, z as f64))
    }

    /// The determinant in 128-bit integers, for integer coordinates below 2^30.
    fn integer_orient(p: [DVec3; 4]) -> Sign {
        let q = p.map(|p| p.to_array().map(|x| x as i128));
        let [b, c, d] = [1, 2, 3].map(|i| [0, 1, 2].map(|axis| q[i][axis] - q[0][axis]));
        let det = (b[1] * c[2] - b[2] * c[1]) * d[0]
            + (b[2] * c[0] - b[0] * c[2]) * d[1]
            + (b[0] * c[1] - b[1] * c[0]) * d[2];
        Sign::from(det.cmp(&0))
    }

    #[test]
    fn the_limits_are_the_derived_powers_of_two() {
        assert_eq!(EXPANSION_MIN, 2f64.powi(-250));
        assert_eq!(EXPANSION_MAX, 2f64.powi(200));
        const { assert!(EXPANSION_MAX >= 1e60) };
        assert!(TINY_PRODUCT > 2f64.powi(-900) && TINY_RESULT > 2f64.powi(-1000));
    }

    #[test]
    fn one_ulp_off_the_plane_is_detected() {
        let (a, b, c) = (DVec3::new(12.0, 12.0, 12.0), DVec3::new(24.0, 24.0, 24.5), DVec3::new(48.0, 7.0, 1.0));
        let centre = a + 0.25 * (b - a) + 0.25 * (c - a);
        assert_eq!(orient3d(a, b, c, centre), Sign::Zero);
        let off = [centre.x.next_up(), centre.x.next_down()].map(|x| orient3d(a, b, c, DVec3 { x, ..centre }));
        assert!(off[0] != Sign::Zero && off[1] == -off[0]);
    }

    #[test]
    fn extreme_exponents() {
        let (a, b, c) = (DVec3::ZERO, DVec3::X, DVec3::Y);
        assert_eq!(orient3d(a, b, c, DVec3::new(0.1, 0.1, 5e-324)), Sign::Positive);
        let tiny = 5e-324;
        assert_eq!(orient3d(a * tiny, b * tiny, c * tiny, DVec3::new(0.0, 0.0, -tiny)), Sign::Negative);
        assert_eq!(orient3d(a, b * f64::MAX, c * f64::MAX, DVec3::Z * f64::MAX), Sign::Positive);
        let far = f64::MAX;
        assert_eq!(orient3d(-DVec3::X * far, b * far, c * far, DVec3::Z * tiny), Sign::Positive);
        assert_eq!(orient2d(Axis::Z, a, b * tiny, c * tiny), Sign::Positive);
        assert_eq!(orient2d(Axis::Z, -b * far, b * far, c * tiny), Sign::Positive);
        assert_eq!(orient3d(a, b, c, DVec3::NAN), Sign::Zero);
        assert_eq!(orient3d(a, b, c, DVec3::INFINITY), Sign::Zero);
        assert!(collinear(a, b, DVec3::NAN));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn turns_along_a_direction(
            p in prop::array::uniform3(vec3(-3..4)),
            q in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)),
            d in prop::array::uniform3(-1i8..2),
            (offset, exponent) in (prop::sample::select(vec![0.0, 1e7]), prop::sample::select(vec![-300, 0, 190])),
        ) {
            let away = DVec3::from(d.map(f64::from));
            prop_assert_eq!(orient_along(d, p[0], p[1], p[2]), orient3d(p[0], p[1], p[2], p[0] + away));
            let [a, b, c] = q.map(|q| (DVec3::from(q) + DVec3::splat(offset)) * 2f64.powi(exponent));
            for c in [c, b, a + (b - a) * 0.3, a + (b - a) * 0.3 + away * (0.1 * 2f64.powi(exponent))] {
                prop_assert_eq!(orient_along(d, a, b, c), orient_along_big(d, a, b, c));
            }
            for (axis, k) in [(Axis::X, 0), (Axis::Y, 1), (Axis::Z, 2)] {
                let along = std::array::from_fn(|j| i8::from(j == k));
                prop_assert_eq!(orient_along(along, a, b, c), orient2d(axis, a, b, c));
            }
        }

        #[test]
        fn integers_agree_with_128_bit_arithmetic(
            p in prop::array::uniform4(vec3(-4..5)),
            big in prop::array::uniform4(vec3(-(1 << 30)..1 << 30)),
        ) {
            for p in [p, big] {
                prop_assert_eq!(orient3d(p[0], p[1], p[2], p[3]), integer_orient(p));
                prop_assert_eq!(orient3d_big(p[0], p[1], p[2], p[3]), integer_orient(p));
                prop_assert_eq!(orient3d_slow(p[0], p[1], p[2], p[3]), integer_orient(p));
                prop_assert_eq!(orient3d(p[1], p[0], p[2], p[3]), -integer_orient(p));
            }
        }

        #[test]
        fn adaptive_and_big_agree_near_the_plane(
            p in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)),
            (s, t) in (-2.0f64..2.0, -2.0f64..2.0),
            ulps in -3i64..4,
            offset in prop::sample::select(vec![0.0, 1.0, 1e7]),
            exponent in prop::sample::select(vec![-320, -249, -100, 0, 150, 190, 300]),
        ) {
            let scale = 2f64.powi(exponent);
            let [a, b, c] = p.map(|p| (DVec3::from(p) + DVec3::splat(offset)) * scale);
            let mut d = a + s * (b - a) + t * (c - a);
            for _ in 0..ulps.abs() {
                d.z = if ulps > 0 { d.z.next_up() } else { d.z.next_down() };
            }
            let exact = orient3d_big(a, b, c, d);
            prop_assert_eq!(orient3d(a, b, c, d), exact);
            for axis in [Axis::X, Axis::Y, Axis::Z] {
                let [qa, qb, qc] = [a, b, d].map(|p| axis.project(p));
                prop_assert_eq!(orient2d(axis, a, b, d), orient2d_big(qa, qb, qc));
            }
            // A copy scaled by a power of two has the same sign; this one takes a different code path.
            let other = 2f64.powi(if exponent < 0 { 150 } else { -290 });
            prop_assert_eq!(orient3d(a * other, b * other, c * other, d * other), exact);
        }

        #[test]
        fn collinear_on_integer_lines(a in vec3(-9..10), direction in vec3(-9..10), m in -5i32..6, n in -5i32..6) {
            let (b, c) = (a + direction * m as f64, a + direction * n as f64);
            prop_assert!(collinear(a, b, c));
            prop_assert!(collinear(a * 2f64.powi(-400), b * 2f64.powi(-400), c * 2f64.powi(-400)));
            if b != a && c != a && direction.x == 0.0 {
                let off = DVec3 { x: c.x + 1e-13, ..c };
                prop_assert!(!collinear(a, b, off));
            }
        }
    }
}
