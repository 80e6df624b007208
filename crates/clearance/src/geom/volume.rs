//! The signed volume inside a closed surface of triangles.
//!
//! A sixth of the sum of the determinants of the corners: the tetrahedra between the origin and each triangle. Their
//! sum may be small relative to its terms (a thin shell, a two-sided flat sheet), so it is formed in double-double, and
//! in integers where even that leaves more than a rounding error.

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::Zero;

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::integer::{IntegerVec3, common_exponent, ratio};
use crate::math::scaling::times_power_of_two;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The error of a determinant in double-double, relative to its six products taken positive: `11u²` of the cross
/// product, `14u²` of the inner product, and room for the rounding of the magnitudes.
const DETERMINANT: f64 = 26.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;

/// Each sum is off by `3u²` of the partial sum, which is at most all magnitudes together.
const SUM: f64 = 3.1 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;

/// What products of numbers no larger than 2, three at a time, can lose by underflow in all.
const UNDERFLOW: f64 = 1e-280;

/// The volume inside triangles that are wound counter-clockwise seen from outside; negative if they are wound the other
/// way. Off by at most `8u` of itself, so its sign is correct and zero is exact, unless it underflows. For a surface
/// that is not closed, the volume of the cone to the origin. Coordinates up to 1e60.
pub(crate) fn signed_volume(points: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let corners = || triangles.iter().map(|t| t.map(|p| points[p as usize]));
    let size = corners().flatten().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    if size == 0.0 {
        return 0.0;
    }
    // Scaled by a power of two so that the largest is between 1 and 2.
    let exponent = -((size.to_bits() >> 52) as i32 - 1023);
    let (mut sum, mut magnitude) = (DoubleDouble::ZERO, 0.0);
    for triangle in corners() {
        let [p, q, r] = triangle.map(|p| DVec3::from_array(p.to_array().map(|x| times_power_of_two(x, exponent))));
        let normal = DoubleDoubleVec3::from(q).cross(DoubleDoubleVec3::from(r));
        sum = sum + DoubleDoubleVec3::from(p).dot(normal);
        let (q, r) = (q.abs(), r.abs());
        magnitude += p.abs().dot(DVec3::new(q.y * r.z + q.z * r.y, q.z * r.x + q.x * r.z, q.x * r.y + q.y * r.x));
    }
    let error = magnitude * (DETERMINANT + SUM * triangles.len() as f64) + UNDERFLOW;
    let six_times = sum.to_f64();
    if error <= UNIT_ROUNDOFF * six_times.abs() {
        return times_power_of_two(six_times / 6.0, -3 * exponent);
    }
    let exponent = common_exponent(corners().flatten().flat_map(|p| p.to_array())).unwrap_or(0);
    let mut sum = BigInt::zero();
    for triangle in corners() {
        let [p, q, r] = triangle.map(|p| IntegerVec3::new(p, exponent));
        sum += p.dot(&q.cross(&r));
    }
    // To a float before the power of two is applied: the integer may be larger than any float.
    let bits = sum.bits() as i32;
    times_power_of_two(ratio(&sum, &(BigInt::from(6) << bits as usize)), bits.saturating_add(3 * exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn corners_of_every_size_and_place() {
        for exponent in [-300, -100, 0, 60, 190] {
            let s = 2f64.powi(exponent);
            let points = [DVec3::ZERO, DVec3::X * s, DVec3::Y * s, DVec3::Z * s];
            let expected = s * s * s / 6.0;
            assert_eq!(signed_volume(&points, &TETRAHEDRON), expected, "2^{exponent}");
            let moved = points.map(|p| p + DVec3::new(3.0, -5.0, 1e7) * s);
            assert_eq!(signed_volume(&moved, &TETRAHEDRON), expected, "2^{exponent}");
            let inside_out = TETRAHEDRON.map(|[a, b, c]| [b, a, c]);
            assert_eq!(signed_volume(&moved, &inside_out), -expected, "2^{exponent}");
        }
        assert_eq!(signed_volume(&[DVec3::ZERO], &[[0, 0, 0]]), 0.0);
    }

    #[test]
    fn a_two_sided_sheet_has_no_volume() {
        let points = [DVec3::new(0.1, 0.7, 0.3), DVec3::new(-0.9, 0.2, 0.77), DVec3::new(0.5, 0.6, -1e-9)];
        assert_eq!(signed_volume(&points, &[[0, 1, 2], [0, 2, 1]]), 0.0);
        // A tetrahedron one unit of the last place high, far from the origin.
        let far = 1e15;
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * 0.125].map(|p| p + DVec3::splat(far));
        assert_eq!(signed_volume(&points, &TETRAHEDRON), 0.125 / 6.0);
    }

    proptest! {
        #[test]
        fn agrees_with_integers(
            p in prop::array::uniform4(prop::array::uniform3(-1000i64..1000)),
            far in 0i64..1 << 40,
        ) {
            let q = p.map(|p| p.map(|x| i128::from(x + far)));
            let [a, b, c] = [1, 2, 3].map(|i| [0, 1, 2].map(|k| q[i][k] - q[0][k]));
            let six_times = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            let points = q.map(|p| DVec3::from_array(p.map(|x| x as f64)));
            let volume = signed_volume(&points, &TETRAHEDRON);
            prop_assert!((volume - six_times as f64 / 6.0).abs() <= 1e-15 * volume.abs());
        }
    }
}
