//! The point of a core, or of its surface, nearest a point.

use glam::DVec3;

use super::core::{AnyCore, Smooth};
use crate::geom::closest_convex::closest_by_support;
use crate::geom::point;
use crate::math::enclosed::Enclosed;
use crate::math::ring::Ring;

impl AnyCore<'_> {
    /// The point of the core nearest a point, rounded; the point itself if it lies inside.
    pub fn nearest(&self, p: DVec3) -> DVec3 {
        let exact = || p.to_array().map(Enclosed::of);
        let by_support =
            |start: DVec3, support: &dyn Fn(DVec3) -> DVec3| closest_by_support(p, start, 0.0, support).point;
        match *self {
            AnyCore::Point => DVec3::ZERO,
            AnyCore::Rod(half) => DVec3::new(0.0, 0.0, p.z.clamp(-half, half)),
            AnyCore::Box(half) => p.clamp(-half, half),
            AnyCore::Points(points) => by_support(points[0], &|d| farthest(points, d)),
            AnyCore::Hull(hull) => by_support(hull.vertices[0], &|d| farthest(&hull.vertices, d)),
            AnyCore::Smooth(Smooth::Cylinder { half_length, radius }) => {
                let factor = (radius / p.truncate().length()).min(1.0);
                DVec3::new(p.x * factor, p.y * factor, p.z.clamp(-half_length, half_length))
            }
            AnyCore::Smooth(Smooth::Cone { half_length, radius }) => {
                let room = radius * ((half_length - p.z) / (2.0 * half_length));
                let inside = p.z >= -half_length && p.truncate().length() <= room;
                if inside { p } else { point::cone(&exact(), half_length, radius, false).point }
            }
            AnyCore::Smooth(Smooth::Ellipsoid(axes)) => {
                let inside = (p / axes).length_squared() <= 1.0;
                if inside { p } else { point::ellipsoid(&exact(), axes, false).point }
            }
            AnyCore::Smooth(smooth) => by_support(smooth.farthest(p), &|d| smooth.farthest(d)),
        }
    }
}

impl Smooth<'_> {
    /// The point of the surface nearest a point of the core, rounded; the point itself where that would take a search.
    pub fn on_surface(&self, p: DVec3) -> DVec3 {
        let exact = p.to_array().map(Enclosed::of);
        match *self {
            Smooth::Cylinder { half_length, radius } => point::cylinder(&exact, half_length, radius).point,
            Smooth::Cone { half_length, radius } => point::cone(&exact, half_length, radius, true).point,
            Smooth::Ellipsoid(axes) => point::ellipsoid(&exact, axes, true).point,
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => p,
        }
    }
}

/// The first of the points farthest along `direction`.
fn farthest(points: &[DVec3], direction: DVec3) -> DVec3 {
    let by_height = |p: &&DVec3, q: &&DVec3| direction.dot(**p).total_cmp(&direction.dot(**q));
    points.iter().max_by(by_height).copied().unwrap_or(DVec3::ZERO)
}
