use glam::DVec3;

use crate::answer::method::Method;
use crate::math::bracket::Bracket;

/// The intersection of two solids: its volume, centroid and surface area.
///
/// The brackets cover rounding, a few units in the last place, and placement: a surface whose corners are displaced by
/// `placement` sweeps at most that times its area, of which only the part near the other solid counts. Poses that are
/// bit-equal, or differ by exact sums only, have no placement error.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, overlap_volume};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 1.0))?;
/// let answer = overlap_volume(&cube, &Pose::IDENTITY, &cube, &aside)?;
/// assert_eq!(answer.volume.value, 0.5 * 2.0 * 1.0);
/// assert_eq!(answer.centroid, Some(DVec3::new(0.75, 0.0, 0.5)));
/// assert_eq!(answer.area.value, 7.0);
/// assert!(answer.volume.contains(1.0) && answer.volume.width() < 1e-14);
/// answer.verify(&cube, &Pose::IDENTITY, &cube, &aside).unwrap();
/// # Ok::<(), clearance::QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Volume {
    /// The common volume of the real-number bodies, in cubic world units; never negative. The value is zero unless a
    /// positive volume is proved.
    pub volume: Bracket,
    /// Bound on the distance of a placed vertex from its exact position, in world units; included in the brackets.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// The centroid of the intersection, in world coordinates. `None` if `volume.lower` is zero: the intersection may
    /// then be empty.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub centroid: Option<DVec3>,
    /// Proved bound on the distance between `centroid` and the centroid of the real-number intersection, in world
    /// units. Zero if `centroid` is `None`.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub centroid_off: f64,
    /// The surface area of the intersection, in square world units. Where faces of the bodies coincide, those with
    /// equal normals count once and those with opposite normals do not count: they enclose nothing. If placement leaves
    /// open whether the latter overlap, the bracket is as wide as both of them.
    pub area: Bracket,
    /// How the answer was computed.
    pub method: Method,
}

/// Options of [`overlap_volume_with`](crate::query::overlap_volume_with). Empty for now; it gives every query the same
/// signature, so that options can be added without breaking callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct VolumeOptions {}
