//! Point queries against meshes, in the caller's terms.

use fearless_simd::Level;
use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::witness::WitnessPoint;
use crate::geom::ray_frame::{Chain, Step, unit};
use crate::geom::ray_polytope::rounded_normal;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::math::simd::at_level;
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF};
use crate::mesh::closest::{ClosestOnMesh, PlacedPoint, closest};
use crate::mesh::ray::MeshLine;
use crate::shape::{Feature, Mesh};

/// Whether a point belongs to a mesh. See [`contains`](crate::contains) for what that means.
pub(crate) fn holds(mesh: &Mesh, pose: &Pose, point: DVec3) -> bool {
    is_inside(mesh, pose, &PlacedPoint::new(mesh.surface(), pose, point), point)
}

fn is_inside(mesh: &Mesh, pose: &Pose, placed: &PlacedPoint<'_>, point: DVec3) -> bool {
    let bounds = &mesh.surface().bounds;
    let (below, above) = (placed.point - bounds.min, bounds.max - placed.point);
    // Beyond the box by more than the uncertainty of the point and the rounding of these differences.
    let reach = placed.point.abs().max_element() + mesh.surface().radius;
    if below.min(above).min_element() < -(placed.off + 2.0 * UNIT_ROUNDOFF * reach) {
        return false;
    }
    if !mesh.is_solid() {
        let surface = mesh.surface();
        let (tree, moments, count) = (&surface.tree, surface.moments(), mesh.triangle_count() as u32);
        let level = Level::new();
        let corners = |slot: u32| surface.corners(slot);
        return at_level!(level, simd => moments.is_inside(simd, tree, placed.point, corners, count));
    }
    // The shortest way out of the box, slightly off the axis, so that the line does not run along an edge of a
    // right-angled mesh.
    let axis = (0..3).min_by(|&i, &j| below.min(above)[i].total_cmp(&below.min(above)[j])).unwrap_or(0);
    let mut way = DVec3::new(0.018_310_546_875, 0.007_568_359_375, -0.012_939_453_125);
    way[axis] = if below[axis] < above[axis] { -1.0 } else { 1.0 };
    let step = Step { high: pose.rotation() * way, low: DVec3::ZERO };
    let line = MeshLine::new(mesh, pose, point, step);
    let winding = line.winding_at_origin(Level::new());
    winding.is_none_or(|winding| winding >= 1)
}

/// The distance in the world: lengths there and in the mesh's frame differ by at most the stretch.
fn in_world(nearest: &ClosestOnMesh, chain: &Chain<'_>) -> (f64, f64, f64) {
    let stretch = chain.stretch();
    if stretch == 0.0 {
        return (nearest.lower, nearest.distance, nearest.upper);
    }
    let lower = nearest.lower * (1.0 - stretch) / ROUND_UP;
    let upper = nearest.upper * (1.0 + stretch) * ROUND_UP;
    (lower, nearest.distance, upper)
}

/// The nearest point of a mesh: of the solid, or of the surface.
pub(crate) fn closest_point(mesh: &Mesh, pose: &Pose, point: DVec3) -> ClosestPoint {
    let surface = mesh.surface();
    let placed = PlacedPoint::new(surface, pose, point);
    if mesh.is_solid() && is_inside(mesh, pose, &placed, point) {
        let point_in_body = pose.inverse_transform_point(point);
        return ClosestPoint {
            distance: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
            witness: WitnessPoint { point: point_in_body, feature: Feature::Interior, part: 0 },
        };
    }
    let nearest = closest(Level::new(), surface, &placed);
    let (lower, distance, upper) = in_world(&nearest, &Chain { outer: None, inner: pose });
    let point_in_body = nearest.point + surface.origin;
    ClosestPoint {
        distance: Bracket { value: distance, lower, upper },
        witness: WitnessPoint { point: point_in_body, feature: nearest.feature, part: 0 },
    }
}

/// The nearest point of the surface to a point in the mesh's own frame.
pub(crate) fn closest_of_surface(mesh: &Mesh, point: DVec3) -> ClosestOnMesh {
    let surface = mesh.surface();
    let placed = PlacedPoint::new(surface, &Pose::IDENTITY, point);
    closest(Level::new(), surface, &placed)
}

/// The signed distance from the surface of a mesh.
pub(crate) fn signed_distance(mesh: &Mesh, pose: &Pose, point: DVec3) -> SignedDistance {
    let surface = mesh.surface();
    let chain = Chain { outer: None, inner: pose };
    let placed = PlacedPoint::new(surface, pose, point);
    let nearest = closest(Level::new(), surface, &placed);
    let inside = is_inside(mesh, pose, &placed, point);
    let (lower, distance, upper) = in_world(&nearest, &chain);
    let across = rounded_normal(surface.corners(nearest.slot));
    let away = placed.point - nearest.point;
    let away = if inside { -away } else { away };
    // For a point in front of a face, the vector to it is the face's normal, which has more digits; at an edge it
    // vanishes.
    let is_face = matches!(nearest.feature, Feature::Face(_));
    let too_short = away.length() <= 1e-9 * (surface.radius + placed.point.length());
    let normal = if across != DVec3::ZERO && (is_face || too_short) {
        let outward = if mesh.is_solid() && too_short { 1.0 } else { across.dot(away) };
        chain.normal_to_world(if outward < 0.0 { -across } else { across })
    } else {
        unit(pose.rotation() * away)
    };
    let (value, lower, upper) = if inside { (-distance, -upper, -lower) } else { (distance, lower, upper) };
    SignedDistance {
        distance: Bracket { value, lower, upper },
        witness: WitnessPoint { point: nearest.point + surface.origin, feature: nearest.feature, part: 0 },
        normal,
    }
}
