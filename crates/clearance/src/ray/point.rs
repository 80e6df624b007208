//! Point queries: dispatch over the kinds of body.

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::witness::WitnessPoint;
use crate::error::check_components;
use crate::geom::ray_frame::Chain;
use crate::math::bracket::Bracket;
use crate::math::pose::Pose;
use crate::ray::{height_field, point_compound, point_convex, point_mesh};
use crate::shape::{Feature, Shape};

/// The point of a solid body nearest to a point: see [`closest_point`](crate::closest_point).
pub(crate) fn closest_point(shape: &Shape, pose: &Pose, point: DVec3) -> ClosestPoint {
    if let Shape::Mesh(mesh) = shape
        && check_components("point", point).is_ok()
    {
        return point_mesh::closest_point(mesh, pose, point);
    }
    let found = signed(shape, pose, point);
    let found = match found {
        Some(found) => found,
        None => {
            return ClosestPoint {
                distance: Bracket { value: f64::INFINITY, lower: 0.0, upper: f64::INFINITY },
                witness: WitnessPoint { point: DVec3::ZERO, feature: Feature::Interior, part: 0 },
            };
        }
    };
    // The shortest exit from a union may lead through the boundary of a part that does not contain the point.
    let is_known = found.distance.upper <= 0.0 && !matches!(shape, Shape::Compound(_));
    let held = if is_known { Some(found.witness.part) } else { holder(shape, pose, point) };
    if found.distance.upper <= 0.0 || held.is_some() {
        let point_in_body = pose.inverse_transform_point(point);
        return ClosestPoint {
            distance: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
            witness: WitnessPoint {
                point: point_in_body,
                feature: Feature::Interior,
                part: held.unwrap_or(found.witness.part),
            },
        };
    }
    ClosestPoint {
        distance: Bracket {
            value: found.distance.value.max(0.0),
            lower: found.distance.lower.max(0.0),
            upper: found.distance.upper.max(0.0),
        },
        witness: WitnessPoint { point: found.witness.point, feature: found.witness.feature, part: found.witness.part },
    }
}

/// The distance of a point from the boundary of a body: see [`signed_distance`](crate::signed_distance).
pub(crate) fn signed_distance(shape: &Shape, pose: &Pose, point: DVec3) -> SignedDistance {
    signed(shape, pose, point).unwrap_or(SignedDistance {
        distance: Bracket { value: f64::INFINITY, lower: 0.0, upper: f64::INFINITY },
        witness: WitnessPoint { point: DVec3::ZERO, feature: Feature::Interior, part: 0 },
        normal: DVec3::X,
    })
}

/// Whether a point belongs to a body: see [`contains`](crate::contains).
pub(crate) fn contains(shape: &Shape, pose: &Pose, point: DVec3) -> bool {
    check_components("point", point).is_ok() && holder(shape, pose, point).is_some()
}

/// The first part of a body that contains a point; a body that is not a compound is part 0.
fn holder(shape: &Shape, pose: &Pose, point: DVec3) -> Option<u32> {
    let chain = Chain { outer: None, inner: pose };
    let holds = match shape {
        Shape::Compound(compound) => return point_compound::holder(compound, pose, point),
        Shape::Mesh(mesh) => point_mesh::holds(mesh, pose, point),
        Shape::HeightField(field) => height_field::holds(field, &chain, point),
        _ => point_convex::holds(shape, &chain, point),
    };
    holds.then_some(0)
}

/// The signed distance; `None` for a point that is out of range.
fn signed(shape: &Shape, pose: &Pose, point: DVec3) -> Option<SignedDistance> {
    if check_components("point", point).is_err() {
        return None;
    }
    let chain = Chain { outer: None, inner: pose };
    Some(match shape {
        Shape::Compound(compound) => point_compound::signed_distance(compound, pose, point),
        Shape::Mesh(mesh) => point_mesh::signed_distance(mesh, pose, point),
        Shape::HeightField(field) => height_field::signed_distance(field, &chain, point),
        _ => point_convex::signed_distance(shape, &chain, point),
    })
}
