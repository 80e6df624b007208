//! Verifies what a height field reports about places, rays, points and wheels in its own frame, independently of the
//! query code.
//!
//! A ray and a signed distance are treated as for a body at the identity pose (`height_field.rs`). The height at a
//! place is that of its triangle's plane, and the triangle is the one whose footprint contains the place: in integers.
//! The nearest point of the surface is the minimum over all triangles.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::ray::{Ray, RayHit, RayHitMode, RayOptions};
use crate::answer::witness::WitnessPoint;
use crate::geom::closest::closest_on_triangle;
use crate::math::bracket::Bracket;
use crate::math::dyadic::Dyadic;
use crate::math::pose::Pose;
use crate::math::predicates::{Axis, orient2d};
use crate::math::ring;
use crate::math::tolerances::{ACCURACY, ROUND_UP, VERIFY_GRID_NORMAL};
use crate::shape::{
    Feature, HeightField, HeightSample, Shape, SurfaceDistance, SurfaceHit, SurfacePoint, Wheel, WheelContact,
};
use crate::verify::mesh_rays::sign;
use crate::verify::rays::{verify_point, verify_ray};
use crate::verify::refusal::{Refusal, check_numbers};

fn check_order(bracket: &Bracket) -> Result<(), Refusal> {
    check_numbers(&[("lower", bracket.lower), ("value", bracket.value), ("upper", bracket.upper)])?;
    if bracket.contains(bracket.value) { Ok(()) } else { Err(Refusal::Disordered) }
}

/// The size of the field plus the distance of a point from its origin.
fn scale(field: &HeightField, point: DVec3) -> f64 {
    let bounds = field.surface_bounds();
    (bounds.min.abs().max(bounds.max.abs()).length() + point.length()) * ROUND_UP
}

fn check_normal(field: &HeightField, triangle: u32, normal: DVec3) -> Result<(), Refusal> {
    let [a, b, c] = field.triangle(triangle).ok_or(Refusal::Feature { body: "A" })?;
    let expected = (b - a).cross(c - a).try_normalize();
    let holds = expected.is_none_or(|expected| expected.distance(normal) <= VERIFY_GRID_NORMAL);
    if normal.is_finite() && (normal.length() - 1.0).abs() <= 1e-12 && holds { Ok(()) } else { Err(Refusal::Normal) }
}

/// Verifies the height of a field at a place.
pub(crate) fn verify_sample(sample: &HeightSample, field: &HeightField, x: f64, y: f64) -> Result<(), Refusal> {
    check_order(&sample.height)?;
    let corners = field.triangle(sample.triangle).ok_or(Refusal::Feature { body: "A" })?;
    let place = DVec3::new(x, y, 0.0);
    let is_over =
        place.is_finite() && (0..3).all(|k| !orient2d(Axis::Z, corners[k], corners[(k + 1) % 3], place).is_negative());
    if !is_over {
        return Err(Refusal::Feature { body: "A" });
    }
    // On which side of the plane a given height is.
    let side = |height: f64| {
        let [a, b, c] = corners.map(ring::vector::<Dyadic>);
        let normal = ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a));
        sign(&ring::dot(&normal, &ring::subtract(&ring::vector(DVec3::new(x, y, height)), &a)))
    };
    let Bracket { lower, upper, .. } = sample.height;
    if side(lower) == Ordering::Greater {
        return Err(Refusal::Lower { claimed: lower, proved: f64::NEG_INFINITY });
    }
    if side(upper) == Ordering::Less {
        return Err(Refusal::Upper { claimed: upper, proved: f64::INFINITY });
    }
    let (width, allowed) = (sample.height.width(), ACCURACY * scale(field, place) + f64::MIN_POSITIVE);
    if width > allowed {
        return Err(Refusal::TooWide { width, allowed });
    }
    check_normal(field, sample.triangle, sample.normal)
}

/// Verifies where a ray in the field's frame meets the surface.
pub(crate) fn verify_surface_hit(
    hit: &SurfaceHit,
    field: &HeightField,
    ray: &Ray,
    options: &RayOptions,
) -> Result<(), Refusal> {
    check_order(&hit.t)?;
    check_normal(field, hit.triangle, hit.normal)?;
    let witness = WitnessPoint { point: hit.point, part: 0, feature: Feature::Face(hit.triangle) };
    // A ray in the plane comes from neither side.
    let as_body = RayHit { t: hit.t, witness, normal: hit.normal, entering: !hit.from_below };
    let shape = Shape::HeightField(field.clone());
    verify_ray(&as_body, &shape, &Pose::IDENTITY, ray, &RayOptions { hit: RayHitMode::Any, ..*options })
}

/// Verifies the nearest point of the surface.
pub(crate) fn verify_surface_point(found: &SurfacePoint, field: &HeightField, query: DVec3) -> Result<(), Refusal> {
    check_order(&found.distance)?;
    let Bracket { lower, value, upper } = found.distance;
    if lower < 0.0 {
        return Err(Refusal::NoNumber { field: "lower" });
    }
    let tolerance = ACCURACY * scale(field, query) + f64::MIN_POSITIVE;
    let [a, b, c] = field.triangle(found.triangle).ok_or(Refusal::Feature { body: "A" })?;
    let off = closest_on_triangle(found.point, a, b, c).distance;
    // NaN is at no distance.
    if !(found.point.is_finite() && off <= tolerance) {
        return Err(Refusal::Feature { body: "A" });
    }
    let away = found.point.distance(query);
    if (away - value).abs() > tolerance {
        return Err(Refusal::Witness { body: "A", off: (away - value).abs() });
    }
    if upper - lower > tolerance {
        return Err(Refusal::TooWide { width: upper - lower, allowed: tolerance });
    }
    let all = (0..field.triangle_count() as u32).filter_map(|index| field.triangle(index));
    let proved = all.map(|[a, b, c]| closest_on_triangle(query, a, b, c).distance).fold(f64::INFINITY, f64::min);
    if lower > proved + tolerance {
        return Err(Refusal::Lower { claimed: lower, proved });
    }
    if upper < proved - tolerance {
        return Err(Refusal::Upper { claimed: upper, proved });
    }
    Ok(())
}

/// Verifies a signed distance from the solid below the surface.
pub(crate) fn verify_terrain_distance(
    found: &SurfaceDistance,
    field: &HeightField,
    query: DVec3,
) -> Result<(), Refusal> {
    check_order(&found.distance)?;
    let walls = field.triangle_count() as u32..field.triangle_count() as u32 + 4;
    let faces: Vec<u32> = found.triangle.map_or_else(|| walls.collect(), |triangle| vec![triangle]);
    let shape = Shape::HeightField(field.clone());
    let inside = found.distance.value < 0.0;
    let way = if inside { found.point - query } else { query - found.point };
    let mut verdict = Err(Refusal::Feature { body: "A" });
    for face in faces {
        if found.triangle.is_some() && field.triangle(face).is_none() {
            break;
        }
        // The direction to the nearest point; along the face normal where that is too short.
        let own = match field.triangle(face) {
            Some([a, b, c]) => (b - a).cross(c - a).normalize_or(DVec3::Z),
            None => [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y][(face - field.triangle_count() as u32) as usize],
        };
        for normal in [way.normalize_or(own), own] {
            let answer = SignedDistance {
                distance: found.distance,
                witness: WitnessPoint { point: found.point, part: 0, feature: Feature::Face(face) },
                normal,
            };
            verdict = verify_point(&answer, &shape, &Pose::IDENTITY, query);
            if verdict.is_ok() {
                return verdict;
            }
        }
    }
    verdict
}

/// Verifies the surface below a wheel: where the line through its centre meets the surface, and how far that is.
pub(crate) fn verify_wheel(
    contact: &WheelContact,
    field: &HeightField,
    wheel: &Wheel,
    up: DVec3,
) -> Result<(), Refusal> {
    check_order(&contact.clearance)?;
    check_numbers(&[("point", contact.point.element_sum()), ("normal", contact.normal.element_sum())])?;
    check_normal(field, contact.triangle, contact.normal)?;
    let unit = up.try_normalize().ok_or(Refusal::NoNumber { field: "up" })?;
    let tolerance = ACCURACY * (scale(field, wheel.center) + wheel.radius);
    let [a, b, c] = field.triangle(contact.triangle).ok_or(Refusal::Feature { body: "A" })?;
    if closest_on_triangle(contact.point, a, b, c).distance > tolerance {
        return Err(Refusal::Feature { body: "A" });
    }
    let above = wheel.center - contact.point;
    let off = above.cross(unit).length();
    if off > tolerance {
        return Err(Refusal::Witness { body: "A", off });
    }
    let along = above.dot(unit) - wheel.radius;
    if along < contact.clearance.lower - tolerance {
        return Err(Refusal::Lower { claimed: contact.clearance.lower, proved: along });
    }
    if along > contact.clearance.upper + tolerance {
        return Err(Refusal::Upper { claimed: contact.clearance.upper, proved: along });
    }
    // A line almost parallel to the surface meets it somewhere in a wide bracket.
    let steep = unit.dot(contact.normal).abs().max(VERIFY_GRID_NORMAL);
    let (width, allowed) = (contact.clearance.width(), tolerance / steep);
    if width > allowed {
        return Err(Refusal::TooWide { width, allowed });
    }
    Ok(())
}
