//! Face planes in double-double: their normals, and signed distances of points.

use glam::DVec3;

use crate::geom::ray_frame::{Chain, unit, unit_scale};
use crate::math::enclosed::Enclosed;
use crate::math::ring::{self, Vector};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The signed world distance from a point to the plane `n · x = c` of the body's frame, and the plane's normal in the
/// world.
pub(crate) fn to_plane(
    chain: &Chain<'_>,
    n: &Vector<Enclosed>,
    v: &Vector<Enclosed>,
    c: Enclosed,
) -> (Enclosed, Vector<Enclosed>) {
    let m = chain.plane_normal(n);
    ((ring::dot(n, v) - c) / ring::dot(&m, &m).sqrt(), m)
}

/// A normal of the plane through three points, of about unit length: edges and their product are scaled by powers of
/// two, so that products of tiny ones do not underflow.
pub(crate) fn plane_normal(a: DVec3, b: DVec3, c: DVec3) -> Vector<Enclosed> {
    let scaled = |v: Vector<Enclosed>| -> Vector<Enclosed> {
        let power = power_for(DVec3::from_array(v.map(Enclosed::to_f64)));
        v.map(|x| x.times_power(power))
    };
    let edge = |to: DVec3| scaled(std::array::from_fn(|k| Enclosed::difference(to[k], a[k])));
    scaled(ring::cross(&edge(b), &edge(c)))
}

/// A power of two that scales a vector to about unit length.
pub(crate) fn power_for(v: DVec3) -> f64 {
    let size = v.abs().max_element();
    if size > 0.0 { unit_scale(size) } else { 1.0 }
}

/// A unit vector perpendicular to coplanar or collinear points.
pub(crate) fn across_flat(points: &[DVec3]) -> DVec3 {
    let first = points.first().copied().unwrap_or(DVec3::ZERO);
    let longest = |of: &dyn Fn(DVec3) -> DVec3| {
        points
            .iter()
            .map(|&p| of(p))
            .max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))
            .unwrap_or(DVec3::ZERO)
    };
    let span = longest(&|p| p - first);
    let along = unit(span);
    let across = longest(&|p| along.cross(p - first));
    let thin = across.length() <= 16.0 * UNIT_ROUNDOFF * span.length();
    if thin { along.any_orthonormal_vector() } else { unit(across) }
}
