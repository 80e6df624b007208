use crate::answer::distance::Distance;
use crate::answer::solid_depth::SolidDepth;

/// The signed gap of two bodies: how far apart, or how deep they overlap. See
/// [`clearance_along`](crate::clearance_along).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Clearance {
    /// The bodies are apart, or touch.
    Apart(Distance),
    /// The interiors meet.
    Overlapping(SolidDepth),
}

impl Clearance {
    /// The gap: positive apart, zero touching, negative overlapping.
    ///
    /// ```
    /// use clearance::{Clearance, Pose, Shape, distance, glam::DVec3};
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// assert_eq!(Clearance::Apart(distance(&cube, &Pose::IDENTITY, &cube, &away)).value(), 3.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn value(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.value,
            Clearance::Overlapping(depth) => -depth.penetration.depth.value,
        }
    }

    /// Proved: the gap is at least this.
    ///
    /// ```
    /// use clearance::{Clearance, Pose, Shape, distance, glam::DVec3};
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let away = Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?;
    /// let gap = Clearance::Apart(distance(&cube, &Pose::IDENTITY, &cube, &away));
    /// assert!(gap.lower() <= 3.0 && 3.0 <= gap.upper());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn lower(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.lower,
            Clearance::Overlapping(depth) => -depth.penetration.depth.upper,
        }
    }

    /// Proved: the gap is at most this. See [`Clearance::lower`] for an example.
    pub fn upper(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.gap.upper,
            Clearance::Overlapping(depth) => -depth.penetration.depth.lower,
        }
    }
}
