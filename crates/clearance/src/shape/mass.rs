//! Volume, centre of mass and inertia.
//!
//! For polytopes the integrals of 1, x and x xᵀ over the tetrahedra between a reference point and the surface triangles
//! are summed (Tonon 2004 gives the same closed forms). The reference point is the first vertex, so bodies far from
//! their origin lose no precision.

use glam::{DMat3, DVec3};

/// Volume, centre of mass and inertia of a body of unit density, in its local frame.
///
/// ```
/// use clearance::Shape;
/// let ball = Shape::sphere(1.0)?.mass_properties();
/// assert!((ball.inertia.x_axis.x - 0.4 * ball.volume).abs() < 1e-15);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MassProperties {
    /// Volume, in cubic units of the body; zero for flat bodies and surfaces, infinite for half-spaces and height
    /// fields.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub volume: f64,
    /// Centre of mass, in the local frame. For a flat body the mean of its vertices, for a surface the centroid of its
    /// area, for an unbounded body zero.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub center: DVec3,
    /// Inertia tensor about the centre of mass, along the local axes, for unit density; zero for a body without volume
    /// and for an unbounded one.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub inertia: DMat3,
}

/// Mass properties of the solid bounded by `triangles` (counter-clockwise seen from outside).
pub(super) fn of_polytope(vertices: &[DVec3], triangles: &[[u32; 3]]) -> MassProperties {
    let mean = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
    let flat = MassProperties { volume: 0.0, center: mean, inertia: DMat3::ZERO };
    let Some(&reference) = vertices.first() else { return flat };
    let mut volume = 0.0;
    let mut first = DVec3::ZERO;
    let mut second = DMat3::ZERO;
    for triangle in triangles {
        let [p, q, r] = triangle.map(|i| vertices[i as usize] - reference);
        let determinant = p.dot(q.cross(r));
        let sum = p + q + r;
        volume += determinant / 6.0;
        first += sum * (determinant / 24.0);
        second += (outer(p) + outer(q) + outer(r) + outer(sum)) * (determinant / 120.0);
    }
    if volume <= 0.0 {
        return flat;
    }
    from_moments(reference, volume, first, second)
}

/// From the integrals of 1, `x - reference` and its outer square over a body. A body whose volume underflows to zero is
/// treated as the reference point.
pub(super) fn from_moments(reference: DVec3, volume: f64, first: DVec3, second: DMat3) -> MassProperties {
    if volume <= 0.0 {
        return MassProperties { volume: 0.0, center: reference, inertia: DMat3::ZERO };
    }
    let offset = first / volume;
    let covariance = second - outer(offset) * volume;
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    MassProperties {
        volume,
        center: reference + offset,
        inertia: DMat3::from_diagonal(DVec3::splat(trace)) - covariance,
    }
}

/// `p pᵀ`.
pub(super) fn outer(p: DVec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use crate::Shape;

    #[test]
    fn the_hull_of_a_box_has_the_mass_of_the_box() {
        let half = DVec3::new(0.5, 1.0, 2.0);
        let offset = DVec3::new(1e6, -3.0, 7.0);
        let cuboid = Shape::cuboid(half).unwrap().mass_properties();
        let corners: Vec<[f64; 3]> =
            (0..8).map(|i| (super::super::cuboid::corner(half, i) + offset).to_array()).collect();
        let hull = Shape::hull(&corners).unwrap().mass_properties();
        assert!((hull.volume - cuboid.volume).abs() < 1e-12);
        assert!((hull.center - offset).length() < 1e-9);
        for k in 0..3 {
            assert!((hull.inertia.col(k) - cuboid.inertia.col(k)).length() < 1e-11, "{hull:?}");
        }
    }
}
