//! The solid angle of a triangle.

use std::f64::consts::PI;

use glam::DVec3;

/// The fraction of the sphere about the origin that a triangle covers: positive where its normal points away from the
/// origin. Summed over a closed mesh wound outward: 1 inside, 0 outside. One half where the origin is on the triangle.
///
/// Van Oosterom and Strackee, *The Solid Angle of a Plane Triangle* (1983): the tangent of half of it is a quotient.
pub(crate) fn winding_of_triangle(corners: [DVec3; 3]) -> f64 {
    let (volume, rest) = half_angle(corners);
    volume.atan2(rest) / (2.0 * PI)
}

/// The sum of [`winding_of_triangle`], up to rounding, with one arc tangent: the half angles are those of complex
/// numbers, whose product has their sum as its angle; full turns are counted.
#[inline]
pub(crate) fn winding_of_triangles(triangles: impl Iterator<Item = [DVec3; 3]>) -> f64 {
    let (mut x, mut y, mut turns) = (1.0f64, 0.0f64, 0i32);
    for corners in triangles {
        let (volume, rest) = half_angle(corners);
        let size = volume.abs().max(rest.abs());
        if size == 0.0 {
            continue;
        }
        let (u, v) = (rest / size, volume / size);
        let (re, im) = (x * u - y * v, x * v + y * u);
        // Two angles above the real axis whose sum is below it have passed half a turn; likewise from below.
        if y >= 0.0 && v >= 0.0 && im < 0.0 {
            turns += 1;
        } else if y < 0.0 && v < 0.0 && im >= 0.0 {
            turns -= 1;
        }
        let size = re.abs().max(im.abs());
        (x, y) = (re / size, im / size);
    }
    y.atan2(x) / (2.0 * PI) + f64::from(turns)
}

/// Half the solid angle of a triangle seen from the origin is the angle of the complex number `(rest, volume)`, given
/// in the order in which `atan2` takes them.
#[inline]
fn half_angle([a, b, c]: [DVec3; 3]) -> (f64, f64) {
    let (x, y, z) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let rest = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    (volume, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octants_and_opposite_sides() {
        let octant = [DVec3::X, DVec3::Y, DVec3::Z];
        assert!((winding_of_triangle(octant) - 0.125).abs() < 1e-15);
        assert!((winding_of_triangle([DVec3::Y, DVec3::X, DVec3::Z]) + 0.125).abs() < 1e-15);
        assert_eq!(winding_of_triangle([DVec3::ZERO; 3]), 0.0);
        // Right below a large triangle: half the sphere.
        let above = [DVec3::new(-1e9, -1e9, 1.0), DVec3::new(1e9, -1e9, 1.0), DVec3::new(0.0, 1e9, 1.0)];
        assert!((winding_of_triangle(above) - 0.5).abs() < 1e-8);
    }

    #[test]
    fn sums_with_one_arc_tangent() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for count in 0..40 {
            let flat = count % 3 == 0;
            let mut corner = || DVec3::new(next(), next(), if flat { 1e-3 } else { next() });
            let triangles: Vec<[DVec3; 3]> = (0..count).map(|_| [corner(), corner(), corner()]).collect();
            let one_by_one: f64 = triangles.iter().map(|&corners| winding_of_triangle(corners)).sum();
            let sum = winding_of_triangles(triangles.iter().copied());
            assert!((sum - one_by_one).abs() < 1e-12, "{count}: {sum} {one_by_one}");
        }
        // More than a turn, either way round: a wall around the origin, several times over.
        for sign in [1.0, -1.0] {
            let octant = [DVec3::X, DVec3::Y * sign, DVec3::Z];
            let sum = winding_of_triangles(std::iter::repeat_n(octant, 100));
            assert!((sum - 12.5 * sign).abs() < 1e-12, "{sum}");
        }
        assert_eq!(winding_of_triangles([[DVec3::ZERO; 3]; 2].into_iter()), 0.0);
    }
}
