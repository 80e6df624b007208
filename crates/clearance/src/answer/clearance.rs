use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::solid_depth::{SolidDepth, SolidDepthOptions};

/// Stopping criteria for the signed gap. See [`clearance_along_with`](crate::query::clearance_along_with).
///
/// ```
/// use clearance::query::{ClearanceOptions, clearance_along_with};
/// use clearance::{Pose, QueryError, Shape, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let path = [Pose::from_translation(DVec3::X * 9.0)?];
/// let mut options = ClearanceOptions::default();
/// // Beyond this, only a lower bound is needed.
/// options.distance.farther_than = Some(1.0);
/// let gaps = clearance_along_with(&cube, &Pose::IDENTITY, &cube, &path, &options)?;
/// assert!(gaps[0].lower() > 1.0);
/// # Ok::<(), QueryError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ClearanceOptions {
    /// Used where the bodies are apart or touch.
    pub distance: DistanceOptions,
    /// Used where their interiors overlap.
    pub depth: SolidDepthOptions,
}

/// The signed gap between two bodies: their distance, or minus their penetration depth. See
/// [`clearance_along`](crate::query::clearance_along).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Clearance {
    /// The bodies are apart or touch. The gap is `distance.gap`, at least zero.
    Apart(Distance),
    /// The interiors overlap. The gap is minus `penetration.depth`.
    Overlapping(SolidDepth),
}

impl Clearance {
    /// The signed gap, in world units: positive when apart, zero when touching, negative when overlapping.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance, glam::DVec3};
    /// use clearance::answer::Clearance;
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// assert_eq!(Clearance::Apart(distance(&cube, &Pose::IDENTITY, &cube, &away)).value(), 3.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn value(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.value,
            Clearance::Overlapping(depth) => -depth.penetration.depth.value,
        }
    }

    /// Proved lower bound on the signed gap, in world units.
    ///
    /// ```
    /// use clearance::{Pose, Shape, distance, glam::DVec3};
    /// use clearance::answer::Clearance;
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// let gap = Clearance::Apart(distance(&cube, &Pose::IDENTITY, &cube, &away));
    /// assert!(gap.lower() <= 3.0 && 3.0 <= gap.upper());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn lower(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.lower,
            Clearance::Overlapping(depth) => -depth.penetration.depth.upper,
        }
    }

    /// Proved upper bound on the signed gap, in world units. See [`Clearance::lower`] for an example.
    #[must_use]
    pub fn upper(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.upper,
            Clearance::Overlapping(depth) => -depth.penetration.depth.lower,
        }
    }
}
