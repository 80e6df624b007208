//! Lower bounds of a point's depth in a core: they bound the depth of overlapping cores.

use glam::DVec3;

use super::sampled::Sampled;
use crate::convex::core::{AnyCore, Smooth};
use crate::convex::gjk::Pair;
use crate::convex::patch::Spot;
use crate::math::tolerances::{SMOOTH_POINT, UNIT_ROUNDOFF, UPPER_BOUND};
use crate::shape::Hull;

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// A lower bound of the depth of one of the spots in the other core, and both copies of it, if that is at least
    /// `needed`.
    pub(super) fn depth_of_points(&self, a: &Spot, b: &Spot, needed: f64) -> Option<(f64, (DVec3, DVec3))> {
        let map = self.placement;
        let noise = (UPPER_BOUND + SMOOTH_POINT) * self.reach;
        let in_a = || {
            let forth = map.place(b.point());
            let depth = self.a.core.depth_of(forth, a, needed) - noise;
            (depth >= needed).then_some((depth, (forth, b.point())))
        };
        let in_b = || {
            // A point of A in the frame of B: approximate, with the residual measured.
            let back = map.turn_back(a.point() - map.translation);
            let depth = self.b.core.depth_of(back, b, needed);
            if depth < needed {
                return None;
            }
            let off = map.place(back).distance(a.point());
            // How much lengths can shrink in the frame of A.
            let turned = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| map.turn_back(map.turn(axis)) - axis);
            let defect = turned.map(|v| v.length_squared()).iter().sum::<f64>().sqrt();
            let depth = depth * (1.0 - defect - 32.0 * UNIT_ROUNDOFF) - off - noise;
            (depth >= needed).then_some((depth, (a.point(), back)))
        };
        // A polytope is tested last: it has many faces.
        if matches!(self.a.core, AnyCore::Hull(_)) { in_b().or_else(in_a) } else { in_a().or_else(in_b) }
    }
}

impl AnyCore<'_> {
    /// A lower bound of a point's depth in the core, in its frame; see [`Smooth::depth_of`]. Meaningless if it is less
    /// than `needed`.
    fn depth_of(&self, point: DVec3, surface: &Spot, needed: f64) -> f64 {
        match self {
            AnyCore::Smooth(smooth) => smooth.depth_of(point, surface),
            AnyCore::Box(half) => {
                (*half - point.abs()).min_element() - 2.0 * UNIT_ROUNDOFF * (half.max_element() + point.length())
            }
            AnyCore::Hull(hull) => depth_in_hull(hull, point, needed),
            AnyCore::Point | AnyCore::Rod(_) | AnyCore::Points(_) => f64::NEG_INFINITY,
        }
    }
}

/// A lower bound of a point's depth in a polytope: its depth below the planes of all triangles. Minus infinity if it is
/// less than `needed`.
fn depth_in_hull(hull: &Hull, point: DVec3, needed: f64) -> f64 {
    if hull.mesh.dimension < 3 {
        return f64::NEG_INFINITY;
    }
    let mut least = f64::INFINITY;
    for triangle in &hull.mesh.triangles {
        let [p, q, r] = triangle.map(|i| hull.vertices[i as usize]);
        let (e, f, d) = (q - p, r - p, p - point);
        let n = e.cross(f);
        let length = n.length();
        // Differences are off by `u` of each component, the cross product by `3.5u`, the dot product by `3u`, the
        // length by `3u`, relative to the product of the lengths.
        let doubt = 16.0 * UNIT_ROUNDOFF * e.length() * f.length() * (p.length() + point.length());
        least = if length > 0.0 { least.min((n.dot(d) - doubt) / length) } else { f64::NEG_INFINITY };
        if least < needed {
            return f64::NEG_INFINITY;
        }
    }
    least
}

impl Smooth<'_> {
    /// A lower bound of a point's depth in the core; negative or zero outside. `surface` is a surface point near it.
    fn depth_of(&self, point: DVec3, surface: &Spot) -> f64 {
        let across = point.truncate().length();
        let (depth, size) = match *self {
            Smooth::Cylinder { half_length, radius } => {
                ((radius - across).min(half_length - point.z.abs()), radius + half_length)
            }
            Smooth::Cone { half_length, radius } => {
                let slant = (4.0 * half_length * half_length + radius * radius).sqrt();
                let side = ((half_length - point.z) * radius - 2.0 * half_length * across) / slant;
                (side.min(point.z + half_length), radius + 2.0 * half_length)
            }
            Smooth::Ellipsoid(axes) => {
                // A sphere with the smallest radius of curvature rolls freely inside (Blaschke).
                let (least, most) = (axes.min_element(), axes.max_element());
                let room = least * (least / most);
                // Away from the centre, whatever the viewing direction.
                let Some(normal) = surface.normal(surface.point()) else { return f64::NEG_INFINITY };
                let center = surface.point() - normal * room;
                (room - point.distance(center), most)
            }
            Smooth::HalfSpace { .. } | Smooth::Custom(_) => return f64::NEG_INFINITY,
        };
        depth - 16.0 * UNIT_ROUNDOFF * (size + point.length())
    }
}
