use glam::DVec3;

use crate::answer::method::Method;
use crate::math::bracket::Bracket;

/// How much two solids have in common: the volume of their intersection, where its middle is, and its surface.
///
/// The brackets hold rounding, which is some units in the last place, and what placing moves: a surface whose corners
/// are displaced by `placement` sweeps at most that times its area, of which only what is near the other solid counts.
/// Poses that are bit-equal, or only moved by exact sums, have none.
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
    /// The volume that the real-number bodies have in common, in cubic world units; never negative. The value is zero
    /// where it is not proved to be more.
    pub volume: Bracket,
    /// Bound on how far a placed corner lies from where its pose ideally puts it; the brackets include it.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub placement: f64,
    /// The middle of the intersection, in the world. `None` where `volume.lower` is zero: then there may be
    /// nothing to have one.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub centroid: Option<DVec3>,
    /// Proved: the middle of what the real-number bodies have in common is no farther than this from `centroid`. Zero
    /// if there is none.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub centroid_off: f64,
    /// The surface of the intersection, in square world units. Where faces of the bodies lie on one another those that
    /// look the same way count once, and those that face each other do not: they enclose nothing. Where placing leaves
    /// open whether the latter overlap, the bracket is as wide as both of them.
    pub area: Bracket,
    /// How the answer was found.
    pub method: Method,
}

/// Options of [`overlap_volume_with`](crate::query::overlap_volume_with). There is nothing to choose today; the struct
/// keeps the form of all questions, so that an option added later breaks no caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct VolumeOptions {}
