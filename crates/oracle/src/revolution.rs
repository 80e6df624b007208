//! The signed distance of a point to a cylinder or a cone, to 256 bits.
//!
//! Both are bodies of revolution. The plane through the axis and the point cuts them in a convex polygon, a rectangle
//! or a triangle, and the nearest surface point lies in that plane. So the distance is that of a point and a polygon,
//! computed side by side. Inside, it is minus the least distance from the line of a side.

use crate::real::{self, Real};
use crate::shape::{OraclePose, OracleShape};

/// Adjacent doubles around the signed distance of `point`, in the world, from a cylinder or a cone: negative inside.
/// `None` for other shapes, and if the matrix of the pose is not exactly a rotation (the image is then not a body of
/// revolution).
///
/// ```
/// use clearance_oracle::revolution::signed_distance_of_point;
/// use clearance_oracle::shape::{OraclePose, OracleShape};
/// let can = OracleShape::Cylinder { half_length: 2.0, radius: 1.0 };
/// // 3 to the side and 4 above the rim.
/// let (below, above) = signed_distance_of_point(&can, &OraclePose::IDENTITY, [0.0, 4.0, 6.0]).unwrap();
/// assert!(below <= 5.0 && 5.0 <= above && above - below < 2e-15);
/// ```
///
/// # Panics
/// If a number is not finite.
#[must_use]
pub fn signed_distance_of_point(shape: &OracleShape, pose: &OraclePose, point: [f64; 3]) -> Option<(f64, f64)> {
    // Counter-clockwise; coordinates across the axis and along it.
    let corners: Vec<[f64; 2]> = match *shape {
        OracleShape::Cylinder { half_length: h, radius: r } => vec![[-r, -h], [r, -h], [r, h], [-r, h]],
        OracleShape::Cone { half_length: h, radius: r } => vec![[-r, -h], [r, -h], [0.0, h]],
        _ => return None,
    };
    let rows = pose.rotation.map(real::vector);
    for i in 0..3 {
        for j in 0..3 {
            let product = real::dot(&rows[i], &rows[j]);
            let expected = if i == j { Real::one() } else { Real::zero() };
            if (&product - &expected).bounds() != (0.0, 0.0) {
                return None;
            }
        }
    }
    let between = real::subtract(&real::vector(point), &real::vector(pose.translation));
    let [x, y, z]: [Real; 3] = std::array::from_fn(|column| {
        (0..3).fold(Real::zero(), |sum, row| &sum + &(&rows[row][column] * &between[row]))
    });
    let at = [(&(&x * &x) + &(&y * &y)).sqrt(), z];
    let corners: Vec<[Real; 2]> = corners.into_iter().map(|corner| corner.map(Real::from_f64)).collect();
    let (mut outside, mut to_side, mut to_line) = (false, None, None);
    for (index, from) in corners.iter().enumerate() {
        let to = &corners[(index + 1) % corners.len()];
        let along = difference(to, from);
        let rest = difference(&at, from);
        // Positive to the right of the side, which is outside.
        let out = &(&along[1] * &rest[0]) - &(&along[0] * &rest[1]);
        let squared = product(&along, &along);
        let line = out.divided_by(&squared.sqrt());
        outside |= out.certain_sign() == Some(1);
        let passed = product(&rest, &along);
        let before = passed.certain_sign() == Some(-1);
        let beyond = (&passed - &squared).certain_sign() == Some(1);
        let side = if before {
            length(&rest)
        } else if beyond {
            length(&difference(&at, to))
        } else {
            line.abs()
        };
        to_side = Some(least(to_side, side));
        to_line = Some(least(to_line, line.abs()));
    }
    Some(if outside { to_side?.bounds() } else { (-&to_line?).bounds() })
}

fn difference(a: &[Real; 2], b: &[Real; 2]) -> [Real; 2] {
    [&a[0] - &b[0], &a[1] - &b[1]]
}

fn product(a: &[Real; 2], b: &[Real; 2]) -> Real {
    &(&a[0] * &b[0]) + &(&a[1] * &b[1])
}

fn length(a: &[Real; 2]) -> Real {
    product(a, a).sqrt()
}

/// The smaller of two numbers, the first of which may be missing.
fn least(so_far: Option<Real>, next: Real) -> Real {
    match so_far {
        Some(first) => -&(-&first).max(-&next),
        None => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_of_the_surface() {
        let is = |shape: &OracleShape, point: [f64; 3], expected: f64| {
            let (low, high) = signed_distance_of_point(shape, &OraclePose::IDENTITY, point).unwrap();
            assert!(low <= high && high - low <= 2.0 * f64::EPSILON * (1.0 + high.abs()));
            // Coordinates such as 0.6 and 1.1 are rounded.
            assert!((low - expected).abs() < 2e-15 && (high - expected).abs() < 2e-15, "{low} {high} {expected}");
        };
        let can = OracleShape::Cylinder { half_length: 2.0, radius: 1.0 };
        is(&can, [0.6, 0.8, 0.0], 0.0);
        is(&can, [3.0, 0.0, 1.0], 2.0);
        is(&can, [0.5, 0.0, -3.0], 1.0);
        is(&can, [0.0, 0.0, 1.5], -0.5);
        is(&can, [0.0, 0.25, 0.0], -0.75);
        // Height 4, radius 3: the slant height is 5.
        let cone = OracleShape::Cone { half_length: 2.0, radius: 3.0 };
        is(&cone, [0.0, 0.0, 7.0], 5.0);
        is(&cone, [0.0, -1.0, -2.5], 0.5);
        is(&cone, [4.0, 0.0, -2.0], 1.0);
        is(&cone, [0.0, 0.0, -1.75], -0.25);
        // Outward from the middle of the side along the normal (4, 3) / 5 by 10, and inward by 0.5.
        is(&cone, [9.5, 0.0, 6.0], 10.0);
        is(&cone, [1.1, 0.0, -0.3], -0.5);
        // On the rim, at the apex, on the axis.
        is(&cone, [3.0, 0.0, -2.0], 0.0);
        is(&cone, [0.0, 0.0, 2.0], 0.0);
        is(&cone, [0.0; 3], -1.2);
    }

    #[test]
    fn rotated_bodies_and_other_kinds() {
        let can = OracleShape::Cylinder { half_length: 2.0, radius: 1.0 };
        let lying =
            OraclePose { rotation: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], translation: [1e7, 0.0, 0.25] };
        let (low, high) = signed_distance_of_point(&can, &lying, [1e7 + 3.0, 0.0, 0.5]).unwrap();
        assert!(low <= 1.0 && 1.0 <= high && high - low < 1e-15);
        let skew = OraclePose { rotation: [[1.0, 1e-17, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ..lying };
        assert_eq!(signed_distance_of_point(&can, &skew, [0.0; 3]), None);
        let ball = OracleShape::Sphere { radius: 1.0 };
        assert_eq!(signed_distance_of_point(&ball, &lying, [0.0; 3]), None);
    }
}
