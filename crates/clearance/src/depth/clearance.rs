//! The signed gap of two bodies along a path: tolerance verification, after Kim, Otaduy, Lin and Manocha (2002), section 7.2.

use crate::answer::clearance::Clearance;
use crate::answer::distance::DistanceOptions;
use crate::answer::relation::Relation;
use crate::answer::solid_depth::SolidDepthOptions;
use crate::convex::pair::cache::PairCache;
use crate::convex::pair::distance::distance_with;
use crate::convex::pair::relation::relation;
use crate::depth::solid_depth::solid_depth;
use crate::error::Error;
use crate::math::pose::Pose;
use crate::query::with_thread_workspace;
use crate::shape::Shape;

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
    #[cfg(feature = "parallel")]
    let gaps: Vec<_> = {
        use crate::math::cancel::Carried;
        use rayon::prelude::*;
        let carried = Carried::here();
        Carried::whole(path.par_iter().map(|pose| carried.part(|| at(pose))).collect())
    };
    #[cfg(not(feature = "parallel"))]
    let gaps: Vec<_> = path.iter().map(at).collect();
    gaps.into_iter().collect()
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
