use glam::DVec3;

use crate::answer::witness::WitnessPoint;
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::shape::Feature;

/// The point of a solid body nearest to a query point.
///
/// ```
/// use clearance::{Pose, Shape, closest_point, glam::DVec3};
/// use clearance::shape::Feature;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let nearest = closest_point(&cube, &Pose::IDENTITY, DVec3::new(3.0, 0.5, 0.0));
/// assert_eq!((nearest.distance.value, nearest.witness.point), (2.0, DVec3::new(1.0, 0.5, 0.0)));
/// assert_eq!(nearest.witness.feature, Feature::Face(1));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ClosestPoint {
    /// The distance from the query point to the solid, in world units; never negative, 0 for a point of the solid.
    pub distance: Bracket,
    /// The nearest point of the solid, in the body's local frame (for a compound, the compound's frame). For a point of
    /// the solid, the point itself with the feature `Interior`. For a rounded body the feature is that of its core.
    pub witness: WitnessPoint,
}

/// The signed distance from a query point to the boundary of a body.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, signed_distance};
/// let ball = Shape::sphere(2.0)?;
/// let inside = signed_distance(&ball, &Pose::IDENTITY, DVec3::new(0.5, 0.0, 0.0));
/// assert_eq!((inside.distance.value, inside.normal), (-1.5, DVec3::X));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SignedDistance {
    /// The distance to the boundary, in world units: positive outside, negative inside. A flat body has no inside, so
    /// the distance is never negative.
    pub distance: Bracket,
    /// A nearest boundary point, in the body's local frame (for a compound, the compound's frame). For a rounded body
    /// the feature is that of its core.
    pub witness: WitnessPoint,
    /// Outward unit normal of the body at that point, in world coordinates: it points towards a query point outside and
    /// away from one inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
}

impl SignedDistance {
    /// The answer from an enclosure of the distance.
    pub(crate) fn enclosed(signed: Enclosed, point_in_body: DVec3, normal: DVec3, feature: Feature) -> SignedDistance {
        let (lower, upper) = signed.bounds();
        let value = signed.to_f64();
        let value = if value.is_finite() { value } else { lower.max(0.0).min(upper) };
        // Out of float range, neither the distance nor the point is known.
        let point_in_body = if point_in_body.is_finite() { point_in_body } else { DVec3::ZERO };
        SignedDistance {
            distance: Bracket { lower: lower.min(value), value, upper: upper.max(value) },
            witness: WitnessPoint { point: point_in_body, part: 0, feature },
            normal,
        }
    }
}

/// Options of [`closest_point_with`](crate::query::closest_point_with) and
/// [`signed_distance_with`](crate::query::signed_distance_with). Empty for now; it gives every query the same
/// signature, so that options can be added without breaking callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct PointOptions {}

/// Which points count as contained in a body. See [`contains_with`](crate::query::contains_with).
///
/// ```
/// use clearance::query::{ContainsOptions, contains_with};
/// use clearance::{Pose, Shape, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// let near = |margin| contains_with(&ball, &Pose::IDENTITY, DVec3::X * 1.5, &ContainsOptions { margin });
/// assert!(near(0.6) && near(0.5) && !near(0.4) && !near(0.0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContainsOptions {
    /// Points not proved to be farther from the body than this also count as contained, in world units. Zero or less:
    /// only points of the body.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
}
