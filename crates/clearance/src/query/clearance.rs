//! The signed gap of two bodies along a path: tolerance verification, after Kim, Otaduy, Lin and Manocha (2002), section 7.2.

use super::answer::{Distance, Relation};
use super::distance::{DistanceOptions, distance_with};
use super::relation::relation;
use super::solid_depth::{SolidDepth, SolidDepthOptions, solid_depth};
use super::with_thread_workspace;
use super::workspace::PairCache;
use crate::error::Error;
use crate::math::pose::Pose;
use crate::parallel;
use crate::shape::Shape;

/// The signed gap of two bodies: how far apart, or how deep they overlap. See [`clearance_along`].
#[derive(Clone, Debug, PartialEq)]
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
            Clearance::Apart(distance) => distance.value,
            Clearance::Overlapping(depth) => -depth.penetration.depth,
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
            Clearance::Apart(distance) => distance.lower,
            Clearance::Overlapping(depth) => -depth.penetration.upper,
        }
    }

    /// Proved: the gap is at most this. See [`Clearance::lower`] for an example.
    pub fn upper(&self) -> f64 {
        match self {
            Clearance::Apart(distance) => distance.upper,
            Clearance::Overlapping(depth) => -depth.penetration.lower,
        }
    }
}

/// The signed gap of two bodies at each pose of a path of B, on all cores. Between the poses nothing is said: ask
/// [`time_of_impact`](crate::time_of_impact) for that.
///
/// ```
/// use clearance::{Pose, Shape, SolidDepthOptions, clearance_along, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let path: Result<Vec<Pose>, _> = (0..4).map(|k| Pose::from_translation(DVec3::new(3.5 - f64::from(k), 0.0, 0.0))).collect();
/// let gaps = clearance_along(&cube, &Pose::IDENTITY, &cube, &path?, &SolidDepthOptions::default())?;
/// let values: Vec<f64> = gaps.iter().map(|gap| gap.value()).collect();
/// assert_eq!(values[..2], [1.5, 0.5]);
/// assert!((values[2] + 0.5).abs() < 1e-9 && (values[3] + 1.5).abs() < 1e-9);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// As [`solid_depth`], where the bodies overlap.
pub fn clearance_along(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    path: &[Pose],
    options: &SolidDepthOptions,
) -> Result<Vec<Clearance>, Error> {
    let at = |pose: &Pose| clearance(a, pose_a, b, pose, options);
    // A pose takes so long that it does not matter who wakes when.
    parallel::map(path, at).into_iter().collect()
}

fn clearance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &SolidDepthOptions,
) -> Result<Clearance, Error> {
    let found = with_thread_workspace(|workspace| {
        distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), &mut PairCache::default(), workspace)
    });
    if found.value > 0.0 || relation(a, pose_a, b, pose_b) != Relation::Overlapping {
        return Ok(Clearance::Apart(found));
    }
    solid_depth(a, pose_a, b, pose_b, options, |_, _| true).map(Clearance::Overlapping)
}
