//! Batches of pairs, rays or points, on all cores with the feature `parallel`.
//!
//! Each answer is that of the single query, to the bit, for any number of threads, and answers are in input order.
//! Points against a mesh are processed in Morton order: neighbours visit the same nodes, which are then still in cache.

use std::borrow::Cow;

use glam::DVec3;

use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::impact::{Impact, ImpactOptions, NoImpact};
use crate::answer::intersects::IntersectsOptions;
use crate::answer::least_clearance::{LeastClearance, LeastClearanceOptions};
use crate::answer::local_depth::{LocalDepth, LocalDepthOptions};
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{NoHit, Ray, RayHit, RayOptions};
use crate::answer::relation::{RelationOptions, RelationProof};
use crate::answer::rigid_impact::{RigidImpact, RigidOptions};
use crate::answer::solid_depth::{DepthAlong, DepthAlongOptions, SolidDepth, SolidDepthOptions};
use crate::answer::sweeps::SweepOptions;
use crate::answer::volume::{Volume, VolumeOptions};
use crate::convex::pair::cache::PairCache;
use crate::error::QueryError;
use crate::math::pose::Pose;
use crate::math::tolerances::BATCH_GRAIN;
use crate::motion::{Motion, RigidMotion};
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::parallel::{map_brief, map_with};
use crate::query::contacts::contacts_with;
use crate::query::depth::{depth_along_with, local_depth_with, solid_depth_with};
use crate::query::distance::distance_with;
use crate::query::intersects::intersects_with;
use crate::query::penetration::penetration_with;
use crate::query::point::{closest_point, contains, signed_distance};
use crate::query::ray::ray_cast_with;
use crate::query::relation::relation_with;
use crate::query::rigid_impact::{least_clearance_with, rigid_impact_with};
use crate::query::time_of_impact::{sweeps_meet_with, time_of_impact_with};
use crate::query::volume::overlap_volume_with;
use crate::shape::{Mesh, Shape};

/// Many pairs of bodies to query, each body with its pose or, for moving bodies, its motion.
///
/// Bodies are borrowed, not copied. Answers are in the order of the pairs, bit-identical to those of single queries for
/// any number of threads.
///
/// ```
/// use clearance::query::{DistanceOptions, PairBatch, distance_batch};
/// use clearance::{Pose, QueryError, Shape, glam::DVec3};
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(DVec3::ONE)?);
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
///
/// // Two bodies, one fixed, the other at many poses.
/// let poses = [at(3.0)?, at(4.0)?, at(5.0)?];
/// let batch = PairBatch::of_poses(&ball, &[Pose::IDENTITY], &cube, &poses)?;
/// let gaps: Vec<f64> = distance_batch(&batch, &DistanceOptions::default()).iter().map(|it| it.gap.value).collect();
/// assert_eq!(gaps, [1.0, 2.0, 3.0]);
///
/// // Pairs of many bodies.
/// let (bodies, poses) = ([&ball, &cube, &ball], [at(0.0)?, at(3.0)?, at(9.0)?]);
/// let batch = PairBatch::of_pairs(&bodies, &poses, &[[0, 1], [1, 2]])?;
/// let gaps: Vec<f64> = distance_batch(&batch, &DistanceOptions::default()).iter().map(|it| it.gap.value).collect();
/// assert_eq!(gaps, [1.0, 4.0]);
/// assert!(PairBatch::of_pairs(&bodies, &poses, &[[0, 3]]).is_err());
/// # Ok::<(), QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairBatch<'b, P = Pose> {
    bodies: Cow<'b, [&'b Shape]>,
    /// Poses or motions of A and of B; a list of one applies to all pairs.
    places: [&'b [P]; 2],
    pairs: Pairs<'b>,
}

/// Which bodies form the pairs of a batch.
#[derive(Clone, Copy, Debug)]
enum Pairs<'b> {
    /// The first two bodies, this many times.
    Same(usize),
    /// Pairs of indices; each body has the pose of the same index.
    Numbered(&'b [[u32; 2]]),
}

impl<'b, P> PairBatch<'b, P> {
    /// Two bodies at many poses or on many motions: equally many for A and B, or a single one for either.
    ///
    /// # Errors
    /// [`QueryError::WrongCount`] if the lists differ in length and neither has exactly one element.
    pub fn of_poses(a: &'b Shape, of_a: &'b [P], b: &'b Shape, of_b: &'b [P]) -> Result<PairBatch<'b, P>, QueryError> {
        let count = if of_a.len() == 1 { of_b.len() } else { of_a.len() };
        if of_b.len() != count && of_b.len() != 1 {
            return Err(QueryError::WrongCount { what: "poses of B", expected: count, count: of_b.len() });
        }
        Ok(PairBatch { bodies: Cow::Owned(vec![a, b]), places: [of_a, of_b], pairs: Pairs::Same(count) })
    }

    /// Pairs of bodies by index, each body with its pose or motion.
    ///
    /// # Errors
    /// [`QueryError::WrongCount`] if the numbers of poses and bodies differ, [`QueryError::NoSuchPair`] for a pair that
    /// names a body out of range.
    pub fn of_pairs(
        bodies: &'b [&'b Shape],
        places: &'b [P],
        pairs: &'b [[u32; 2]],
    ) -> Result<PairBatch<'b, P>, QueryError> {
        if places.len() != bodies.len() {
            return Err(QueryError::WrongCount { what: "poses", expected: bodies.len(), count: places.len() });
        }
        for (pair, &[a, b]) in pairs.iter().enumerate() {
            let body = a.max(b);
            if body as usize >= bodies.len() {
                return Err(QueryError::NoSuchPair { pair, body, bodies: bodies.len() });
            }
        }
        Ok(PairBatch { bodies: Cow::Borrowed(bodies), places: [places; 2], pairs: Pairs::Numbered(pairs) })
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.pairs {
            Pairs::Same(count) => count,
            Pairs::Numbered(pairs) => pairs.len(),
        }
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A pair: A and its pose or motion, B and its own.
    ///
    /// # Panics
    /// If `index` is out of range.
    #[must_use]
    pub fn pair(&self, index: usize) -> (&'b Shape, &'b P, &'b Shape, &'b P) {
        let [of_a, of_b] = self.places;
        match self.pairs {
            Pairs::Same(count) => {
                assert!(index < count, "pair {index} of {count}");
                let place = |of: &'b [P]| if of.len() == 1 { &of[0] } else { &of[index] };
                (self.bodies[0], place(of_a), self.bodies[1], place(of_b))
            }
            Pairs::Numbered(pairs) => {
                let [a, b] = pairs[index].map(|body| body as usize);
                (self.bodies[a], &of_a[a], self.bodies[b], &of_b[b])
            }
        }
    }

    /// The answers for all pairs, in order.
    fn each<A: Send>(&self, answer: impl Fn((&'b Shape, &'b P, &'b Shape, &'b P), &mut Workspace) -> A + Sync) -> Vec<A>
    where
        P: Sync,
    {
        let in_parts = |shape: &&Shape| matches!(shape, Shape::Mesh(_) | Shape::Compound(_) | Shape::HeightField(_));
        let grain = if self.bodies.iter().any(in_parts) { 1 } else { BATCH_GRAIN };
        let indices: Vec<usize> = (0..self.len()).collect();
        map_with(
            &indices,
            grain,
            || (),
            |(), &index| with_thread_workspace(|workspace| answer(self.pair(index), workspace)),
        )
    }
}

/// Turns a query on one pair into one on a batch.
macro_rules! batches {
    ($($(#[$doc:meta])* $batch:ident($place:ty, $options:ty) -> $answer:ty {
        |$a:ident, $at_a:ident, $b:ident, $at_b:ident, $chosen:ident, $workspace:ident| $ask:expr
    })*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $batch(batch: &PairBatch<'_, $place>, $chosen: &$options) -> Vec<$answer> {
            batch.each(|($a, $at_a, $b, $at_b), $workspace| $ask)
        }
    )*};
}

batches! {
    /// [`distance`](crate::distance) of a batch of pairs. See [`PairBatch`] for an example.
    distance_batch(Pose, DistanceOptions) -> Distance {
        |a, pose_a, b, pose_b, options, workspace| {
            distance_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`intersects`](crate::intersects) of a batch of pairs.
    ///
    /// ```
    /// use clearance::query::{IntersectsOptions, PairBatch, intersects_batch};
    /// use clearance::{Pose, QueryError, Shape, glam::DVec3};
    /// let ball = Shape::sphere(1.0)?;
    /// let poses = [Pose::from_translation(DVec3::X)?, Pose::from_translation(DVec3::X * 3.0)?];
    /// let batch = PairBatch::of_poses(&ball, &[Pose::IDENTITY], &ball, &poses)?;
    /// assert_eq!(intersects_batch(&batch, &IntersectsOptions::default()), [true, false]);
    /// # Ok::<(), QueryError>(())
    /// ```
    intersects_batch(Pose, IntersectsOptions) -> bool {
        |a, pose_a, b, pose_b, options, workspace| {
            intersects_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`relation_with`](crate::query::relation_with) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    relation_batch(Pose, RelationOptions) -> RelationProof {
        |a, pose_a, b, pose_b, options, workspace| {
            relation_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`penetration`](crate::penetration) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    penetration_batch(Pose, PenetrationOptions) -> Result<Penetration, QueryError> {
        |a, pose_a, b, pose_b, options, workspace| {
            penetration_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`contacts`](crate::contacts) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    contacts_batch(Pose, ContactsOptions) -> Contacts {
        |a, pose_a, b, pose_b, options, workspace| {
            let mut found = Contacts::default();
            contacts_with(a, pose_a, b, pose_b, options, &mut PairCache::default(), workspace, &mut found);
            found
        }
    }

    /// [`overlap_volume`](crate::overlap_volume) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    overlap_volume_batch(Pose, VolumeOptions) -> Result<Volume, QueryError> {
        |a, pose_a, b, pose_b, options, workspace| overlap_volume_with(a, pose_a, b, pose_b, options, workspace)
    }

    /// [`local_depth`](crate::local_depth) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    local_depth_batch(Pose, LocalDepthOptions) -> Result<LocalDepth, QueryError> {
        |a, pose_a, b, pose_b, options, workspace| {
            local_depth_with(a, pose_a, b, pose_b, options, workspace, |_, _| true)
        }
    }

    /// [`solid_depth`](crate::solid_depth) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    solid_depth_batch(Pose, SolidDepthOptions) -> Result<SolidDepth, QueryError> {
        |a, pose_a, b, pose_b, options, workspace| {
            solid_depth_with(a, pose_a, b, pose_b, options, workspace, |_, _| true)
        }
    }

    /// [`time_of_impact`](crate::time_of_impact) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    time_of_impact_batch(Motion, ImpactOptions) -> Result<Impact, NoImpact> {
        |a, motion_a, b, motion_b, options, workspace| {
            time_of_impact_with(a, motion_a, b, motion_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`sweeps_meet`](crate::query::sweeps_meet) of a batch of pairs. See [`PairBatch`] for an example of a batch.
    sweeps_meet_batch(Motion, SweepOptions) -> bool {
        |a, motion_a, b, motion_b, options, workspace| {
            sweeps_meet_with(a, motion_a, b, motion_b, options, &mut PairCache::default(), workspace)
        }
    }

    /// [`rigid_impact`](crate::rigid_impact()) of a batch of pairs.
    ///
    /// ```
    /// use clearance::query::{PairBatch, RigidOptions, rigid_impact_batch};
    /// use clearance::{Pose, QueryError, RigidMotion, Shape, glam::DVec3};
    /// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
    /// let still = [RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?)];
    /// let turning = |angle| RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, angle);
    /// let motions = [turning(0.1)?, turning(3.0)?];
    /// let batch = PairBatch::of_poses(&bar, &still, &bar, &motions)?;
    /// let found = rigid_impact_batch(&batch, &RigidOptions::default());
    /// assert!(found[0].is_err() && found[1].is_ok());
    /// # Ok::<(), QueryError>(())
    /// ```
    rigid_impact_batch(RigidMotion, RigidOptions) -> Result<RigidImpact, NoImpact> {
        |a, motion_a, b, motion_b, options, workspace| {
            rigid_impact_with(a, motion_a, b, motion_b, options, workspace)
        }
    }

    /// [`least_clearance`](crate::least_clearance()) of a batch of pairs. See [`rigid_impact_batch`] for an example of
    /// a batch.
    least_clearance_batch(RigidMotion, LeastClearanceOptions) -> Result<LeastClearance, QueryError> {
        |a, motion_a, b, motion_b, options, workspace| {
            least_clearance_with(a, motion_a, b, motion_b, options, workspace)
        }
    }
}

/// [`depth_along`](crate::query::depth_along) of a batch of pairs, all along one direction. See [`PairBatch`] for an
/// example of a batch.
#[must_use]
pub fn depth_along_batch(
    batch: &PairBatch<'_>,
    direction: DVec3,
    options: &DepthAlongOptions,
) -> Vec<Result<DepthAlong, QueryError>> {
    batch
        .each(|(a, pose_a, b, pose_b), workspace| depth_along_with(a, pose_a, b, pose_b, direction, options, workspace))
}

/// The answers to many point queries on a mesh, computed in Morton order, returned in input order.
fn each_by_place<A: Copy + Send + Sync>(
    mesh: &Mesh,
    pose: &Pose,
    points: &[DVec3],
    answer: impl Fn(&DVec3) -> A + Sync + Send,
) -> Vec<A> {
    let bounds = mesh.bounds();
    // Cells of the mesh's bounding box, 1024 per axis. Points outside and NaN go to the border.
    let per_cell = 1024.0 / bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
    let key = |&point: &DVec3| {
        let cell = (pose.inverse_transform_point(point) - bounds.min) * per_cell;
        cell.to_array().iter().fold(0, |key, &x| key << 1 | spread((x as u64).min(1023)))
    };
    let mut order: Vec<(u64, usize)> = points.iter().map(key).zip(0..).collect();
    order.sort_unstable();
    let found = map_brief(&order, BATCH_GRAIN, |&(_, number)| answer(&points[number]));
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &(_, number))| places[number] = place);
    places.iter().map(|&place| found[place]).collect()
}

/// Spreads ten bits: each is followed by two zeros.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// [`ray_cast_with`] for a batch of rays; answers are in the order of the rays.
///
/// ```
/// use clearance::{Pose, Ray, Shape, glam::DVec3};
/// use clearance::query::{RayOptions, ray_cast_batch};
/// let ball = Shape::sphere(1.0)?;
/// let rays = [Ray::new(DVec3::new(0.0, 0.0, 3.0), -DVec3::Z)?, Ray::new(DVec3::new(0.0, 0.0, 3.0), DVec3::Z)?];
/// let hits = ray_cast_batch(&ball, &Pose::IDENTITY, &rays, &RayOptions::default());
/// assert_eq!(hits[0].unwrap().t.value, 2.0);
/// assert!(hits[1].is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn ray_cast_batch(shape: &Shape, pose: &Pose, rays: &[Ray], options: &RayOptions) -> Vec<Result<RayHit, NoHit>> {
    map_brief(rays, BATCH_GRAIN, |ray| ray_cast_with(shape, pose, ray, options))
}

/// [`closest_point`] for a batch of points; answers are in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::query::closest_point_batch;
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let found = closest_point_batch(&cube, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]);
/// assert_eq!((found[0].distance.value, found[1].distance.value), (2.0, 0.0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn closest_point_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<ClosestPoint> {
    let answer = |&point: &DVec3| closest_point(shape, pose, point);
    match shape {
        Shape::Mesh(mesh) => each_by_place(mesh, pose, points, answer),
        _ => map_brief(points, BATCH_GRAIN, answer),
    }
}

/// [`signed_distance`] for a batch of points; answers are in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::query::signed_distance_batch;
/// let ball = Shape::sphere(1.0)?;
/// let found = signed_distance_batch(&ball, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]);
/// assert_eq!((found[0].distance.value, found[1].distance.value), (2.0, -1.0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn signed_distance_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<SignedDistance> {
    let answer = |&point: &DVec3| signed_distance(shape, pose, point);
    match shape {
        Shape::Mesh(mesh) => each_by_place(mesh, pose, points, answer),
        _ => map_brief(points, BATCH_GRAIN, answer),
    }
}

/// [`contains`] for a batch of points; answers are in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3};
/// use clearance::query::contains_batch;
/// let ball = Shape::sphere(1.0)?;
/// assert_eq!(contains_batch(&ball, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]), [false, true]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[must_use]
pub fn contains_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<bool> {
    map_brief(points, BATCH_GRAIN, |&point| contains(shape, pose, point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for x in 0..1024u64 {
            let expected = (0..10).filter(|bit| x >> bit & 1 == 1).fold(0, |sum, bit| sum | 1 << (3 * bit));
            assert_eq!(spread(x), expected);
        }
    }

    #[test]
    fn lists_of_unequal_length_are_rejected() {
        let ball = Shape::sphere(1.0).unwrap();
        let poses = [Pose::IDENTITY; 3];
        let count = |a: usize, b: usize| PairBatch::of_poses(&ball, &poses[..a], &ball, &poses[..b]).map(|it| it.len());
        assert_eq!((count(3, 3), count(1, 3), count(3, 1), count(1, 1)), (Ok(3), Ok(3), Ok(3), Ok(1)));
        assert_eq!((count(0, 0), count(1, 0), count(0, 1)), (Ok(0), Ok(0), Ok(0)));
        let wrong = |expected, count| Err(QueryError::WrongCount { what: "poses of B", expected, count });
        assert_eq!((count(3, 2), count(2, 3), count(2, 0)), (wrong(3, 2), wrong(2, 3), wrong(2, 0)));
    }
}
