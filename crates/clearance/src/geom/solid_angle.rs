//! The solid angle of a triangle.

use std::f64::consts::PI;

use glam::DVec3;

/// The fraction of the sphere about the origin that a triangle covers: positive where its normal points away from the
/// origin. Summed over a closed mesh wound outward: 1 inside, 0 outside. One half where the origin is on the triangle.
///
/// Van Oosterom and Strackee, *The Solid Angle of a Plane Triangle* (1983): the tangent of half of it is a quotient.
pub(crate) fn winding_of_triangle([a, b, c]: [DVec3; 3]) -> f64 {
    let (x, y, z) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let rest = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    volume.atan2(rest) / (2.0 * PI)
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
}
