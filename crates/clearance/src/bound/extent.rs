//! The origin that a body's stored points are relative to, and lengths rounded up.

use glam::DVec3;

use super::Aabb;
use crate::math::tolerances::ROUND_UP;

/// The origin that a polytope's stored vertices are relative to. On an axis where the body's centre lies farther from
/// its frame's origin than its size, that centre; else zero. Either way the stored coordinates are exact: where the
/// centre is subtracted, both numbers are within a factor of two of each other (Sterbenz).
pub(crate) fn local_origin(bounds: &Aabb) -> DVec3 {
    let mut origin = DVec3::ZERO;
    for k in 0..3 {
        let middle = bounds.center()[k];
        if middle.abs() > bounds.size()[k] * ROUND_UP {
            origin[k] = middle;
        }
    }
    origin
}

/// The point as it was given, to the bit, from one stored relative to such an origin. Adding zero would lose the sign
/// of a zero.
#[cfg(feature = "serde")]
pub(crate) fn given_point(stored: DVec3, origin: DVec3) -> DVec3 {
    DVec3::select(origin.cmpeq(DVec3::ZERO), stored, stored + origin)
}

/// The length of a vector, rounded up, also where squares underflow.
pub(crate) fn rounded_up_length(v: DVec3) -> f64 {
    let size = v.abs().max_element();
    if size > 1e-150 { v.length() * ROUND_UP } else { 1.7321 * size }
}
