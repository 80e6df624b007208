//! The `verify` methods of answers whose proofs need guesses. The engine's own searches supply them; every guess is
//! proved before use. Methods that need none are in `verify/methods.rs`.

use glam::DVec3;

use crate::answer::clearance::Clearance;
use crate::answer::contacts::Contacts;
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::impact::{Impact, NoImpact};
use crate::answer::least_clearance::LeastClearance;
use crate::answer::local_depth::LocalDepth;
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{NoHit, Ray, RayHit, RayOptions};
use crate::answer::relation::{Relation, RelationOptions, RelationProof};
use crate::answer::rigid_impact::RigidImpact;
use crate::answer::solid_depth::{DepthAlong, DepthProof, SolidDepth, SolidDepthOptions};
use crate::answer::volume::Volume;
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::motion::{Motion, RigidMotion};
use crate::pair;
use crate::pair::workspace::Workspace;
use crate::ray::point;
use crate::shape::Shape;
use crate::verify::answer;
use crate::verify::hint::{Hints, Placed};
use crate::verify::{Answer, Refusal};
use crate::verify::{depth_along, impact, local_depth, no_hit, ray_moving, rays, rigid, volume};

/// The engine's own searches.
#[derive(Default)]
struct Engine {
    workspace: Workspace,
}

/// A locally deepest point of two bodies near a start, with its depth: ascends the lesser of both depths, by shrinking
/// steps, along the axes and the shortest exits of the bodies.
fn deepest_near(start: DVec3, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>) -> (DVec3, f64) {
    let look = |place: DVec3| {
        let (in_a, in_b) = (point::signed_distance(a, pose_a, place), point::signed_distance(b, pose_b, place));
        (-in_a.distance.value.max(in_b.distance.value), [in_a.normal, in_b.normal])
    };
    let (mut place, (mut depth, mut normals)) = (start, look(start));
    let size = a.diameter().min(b.diameter());
    let mut step = 0.25 * size;
    while step > 1e-9 * size {
        let [p, q] = normals;
        let ways = [p, q, p + q, p - q, p.cross(q), DVec3::X, DVec3::Y, DVec3::Z];
        let next = ways
            .iter()
            .flat_map(|&way| [way, -way])
            .map(|way| place + way.normalize_or_zero() * step)
            .map(|next| (next, look(next)))
            .max_by(|one, other| one.1.0.total_cmp(&other.1.0));
        match next {
            Some((next, found)) if found.0 > depth => (place, (depth, normals)) = (next, found),
            _ => step *= 0.5,
        }
    }
    (place, depth)
}

impl Hints for Engine {
    fn distance(&mut self, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>, relative_tolerance: f64) -> Distance {
        let options = DistanceOptions { relative_tolerance, ..DistanceOptions::default() };
        pair::distance::distance(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut self.workspace)
    }

    fn penetration(&mut self, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>) -> Option<Penetration> {
        let (options, mut cache) = (PenetrationOptions::default(), PairCache::default());
        pair::penetration::penetration(a, pose_a, b, pose_b, &options, &mut cache, &mut self.workspace).ok()
    }

    fn overlap(&mut self, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>, near: DVec3) -> Option<[DVec3; 2]> {
        // The band is so wide that the search continues to the deepest point it can find.
        let options = RelationOptions { touch_band: a.diameter() + b.diameter() };
        let cache = &mut PairCache::default();
        let proof = pair::relation::relation(a, pose_a, b, pose_b, &options, cache, &mut self.workspace);
        if proof.relation == Relation::Separated {
            return None;
        }
        let starts = [proof.witness.world_points(pose_a, pose_b)[0], near];
        let [one, other] = starts.map(|start| deepest_near(start, (a, pose_a), (b, pose_b)));
        let place = if other.1 > one.1 { other.0 } else { one.0 };
        Some([pose_a, pose_b].map(|pose| pose.inverse_transform_point(place)))
    }

    fn depth_proof(&mut self, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>, least: f64) -> Option<DepthProof> {
        // Up to the claimed depth only.
        let options = SolidDepthOptions { relative_tolerance: 0.0, work: u64::MAX, ..SolidDepthOptions::default() };
        let tell = &mut |lower: f64, _: f64| lower <= least;
        let found = pair::penetration::solid_depth(a, pose_a, b, pose_b, &options, tell, &mut self.workspace);
        found.ok().map(|found| found.proof)
    }
}

/// The `verify` method of every answer about two resting bodies.
macro_rules! verified {
    ($($answer:ident),*) => {$(
        impl Answer for $answer {
            fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
                answer::verify(self, (a, pose_a), (b, pose_b), &mut Engine::default())
            }
        }

        impl $answer {
            /// Proves the answer independently, from the bodies and poses of the query.
            ///
            /// Slower than the query: it checks every vertex and face in double-double arithmetic. For tests, and for
            /// answers that must not be wrong.
            ///
            /// # Errors
            /// The first claim that fails.
            ///
            /// ```
            /// use clearance::{Pose, Shape, distance, glam::DVec3};
            /// use clearance::verify::Refusal;
            /// let cube = Shape::cuboid(DVec3::ONE)?;
            /// let pose = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(5.0, 1.0, 0.0))?;
            /// let mut answer = distance(&cube, &Pose::IDENTITY, &cube, &pose);
            /// assert_eq!(answer.verify(&cube, &Pose::IDENTITY, &cube, &pose), Ok(()));
            /// answer.gap.value = answer.gap.upper + 1e-9;
            /// assert_eq!(answer.verify(&cube, &Pose::IDENTITY, &cube, &pose), Err(Refusal::Disordered));
            /// # Ok::<(), clearance::Error>(())
            /// ```
            pub fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
                Answer::verify(self, a, pose_a, b, pose_b)
            }
        }
    )*};
}

verified!(Distance, Penetration, RelationProof, Contacts, SolidDepth);

impl Volume {
    /// Proves the volume independently, from the bodies and poses of the query.
    ///
    /// Slower than the query: it examines every pair of triangles above one another.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Bracket, Pose, Shape, glam::DVec3, overlap_volume};
    /// use clearance::verify::Refusal;
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let pose = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(1.0, 0.5, 0.25))?;
    /// let mut answer = overlap_volume(&cube, &Pose::IDENTITY, &cube, &pose)?;
    /// assert_eq!(answer.verify(&cube, &Pose::IDENTITY, &cube, &pose), Ok(()));
    /// answer.volume = Bracket::exact(1.001 * answer.volume.value);
    /// let refused = answer.verify(&cube, &Pose::IDENTITY, &cube, &pose);
    /// assert!(matches!(refused, Err(Refusal::Lower { .. })));
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
        volume::verify_volume(self, a, pose_a, b, pose_b)
    }
}

impl LocalDepth {
    /// Proves the local depth independently, from the bodies and poses of the query: the lower end by the deepest
    /// point, the upper end by a separate branch and bound over all triangles. Slower than the query.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Bracket, Pose, Shape, glam::DVec3, local_depth};
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
    /// let mut answer = local_depth(&cube, &Pose::IDENTITY, &cube, &into)?;
    /// assert_eq!(answer.verify(&cube, &Pose::IDENTITY, &cube, &into), Ok(()));
    /// answer.depth = Bracket::exact(answer.depth.value - 0.01);
    /// assert!(answer.verify(&cube, &Pose::IDENTITY, &cube, &into).is_err());
    /// answer.depth = Bracket::exact(answer.depth.value + 0.02);
    /// assert!(answer.verify(&cube, &Pose::IDENTITY, &cube, &into).is_err());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
        local_depth::verify_local_depth(self, (a, pose_a), (b, pose_b))
    }
}

impl DepthAlong {
    /// Proves independently how far B must be moved, from the bodies and poses of the query: the upper end for all
    /// triangles, the lower end to within a millionth of the bodies' sizes. Slower than the query.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::query::depth_along;
    /// use clearance::{Bracket, Pose, Shape, glam::DVec3};
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let into = Pose::from_translation(DVec3::new(1.75, 0.25, 0.0))?;
    /// let mut up = depth_along(&cube, &Pose::IDENTITY, &cube, &into, DVec3::Y)?;
    /// assert_eq!(up.verify(&cube, &Pose::IDENTITY, &cube, &into), Ok(()));
    /// up.depth = Bracket::exact(up.depth.value - 0.1);
    /// assert!(up.verify(&cube, &Pose::IDENTITY, &cube, &into).is_err());
    /// up.depth = Bracket::exact(up.depth.value + 0.2);
    /// assert!(up.verify(&cube, &Pose::IDENTITY, &cube, &into).is_err());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
        depth_along::verify_depth_along(self, (a, pose_a), (b, pose_b), &mut Engine::default())
    }
}

impl Clearance {
    /// Proves the gap independently, from the bodies and poses of the query, as a distance or a depth.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Pose, Shape, glam::DVec3};
    /// use clearance::query::clearance_along;
    /// let cube = Shape::cuboid(DVec3::ONE)?;
    /// let path = [Pose::from_translation(DVec3::X * 3.5)?, Pose::from_translation(DVec3::X)?];
    /// for (gap, pose) in clearance_along(&cube, &Pose::IDENTITY, &cube, &path)?.iter().zip(&path) {
    ///     assert_eq!(gap.verify(&cube, &Pose::IDENTITY, &cube, pose), Ok(()));
    /// }
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify(&self, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
        match self {
            Clearance::Apart(distance) => distance.verify(a, pose_a, b, pose_b),
            Clearance::Overlapping(depth) => depth.verify(a, pose_a, b, pose_b),
        }
    }
}

impl RayHit {
    /// Proves independently that a ray crosses the boundary of a body where the answer says. That it is the first
    /// crossing is proved for meshes only. That there is no crossing is a separate answer: [`NoHit`].
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Pose, Ray, Shape, glam::DVec3, ray_cast};
    /// use clearance::query::RayOptions;
    /// let can = Shape::cylinder(1.0, 0.5)?;
    /// let ray = Ray::new(DVec3::new(-3.0, 0.1, 0.2), DVec3::new(1.0, 0.1, 0.0))?;
    /// let mut hit = ray_cast(&can, &Pose::IDENTITY, &ray).unwrap();
    /// assert_eq!(hit.verify(&can, &Pose::IDENTITY, &ray, &RayOptions::default()), Ok(()));
    /// hit.entering = false;
    /// assert!(hit.verify(&can, &Pose::IDENTITY, &ray, &RayOptions::default()).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Result<(), Refusal> {
        rays::verify_ray(self, shape, pose, ray, options)
    }

    /// The same for a moving body, see [`ray_cast_moving`](crate::query::ray_cast_moving).
    ///
    /// # Errors
    /// The first claim that does not hold; [`Refusal::Verdict`] for a point at rest relative to the body.
    ///
    /// ```
    /// use clearance::{Motion, Pose, Ray, Shape, glam::DVec3};
    /// use clearance::query::{RayOptions, ray_cast_moving};
    /// let can = Shape::cylinder(1.0, 0.5)?;
    /// let rolling = Motion::translation(Pose::IDENTITY, DVec3::new(-1.0, 0.3, 0.0))?;
    /// let ray = Ray::new(DVec3::new(-3.0, 0.1, 0.2), DVec3::new(5.0, 0.1, 0.0))?;
    /// let mut hit = ray_cast_moving(&can, &rolling, &ray).unwrap();
    /// assert_eq!(hit.verify_moving(&can, &rolling, &ray, &RayOptions::default()), Ok(()));
    /// hit.entering = false;
    /// assert!(hit.verify_moving(&can, &rolling, &ray, &RayOptions::default()).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_moving(
        &self,
        shape: &Shape,
        motion: &Motion,
        ray: &Ray,
        options: &RayOptions,
    ) -> Result<(), Refusal> {
        ray_moving::verify_ray_moving(self, shape, motion, ray, options)
    }
}

impl NoHit {
    /// Proves independently that a ray does not cross the boundary of a body in the range of the options: in integers,
    /// except for rounded and custom bodies, where a miss by less than about 1e-14 of their size may be refused.
    ///
    /// Slower than the query: it tests every triangle of a mesh or height field.
    ///
    /// # Errors
    /// [`Refusal::Before`] if it is not proved; [`Refusal::Verdict`] if the answer is for another range.
    pub fn verify(&self, shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Result<(), Refusal> {
        no_hit::verify_miss(self, shape, pose, ray, options, &mut Engine::default())
    }

    /// The same for a moving body, see [`ray_cast_moving`](crate::query::ray_cast_moving).
    ///
    /// # Errors
    /// As [`NoHit::verify`].
    ///
    /// ```
    /// use clearance::{Motion, Pose, Ray, Shape, glam::DVec3};
    /// use clearance::query::{RayOptions, ray_cast_moving};
    /// let can = Shape::cylinder(1.0, 0.5)?;
    /// let away = Motion::translation(Pose::IDENTITY, DVec3::new(9.0, 0.0, 0.0))?;
    /// let ray = Ray::new(DVec3::new(-3.0, 0.1, 0.2), DVec3::new(8.0, 0.0, 0.0))?;
    /// let none = ray_cast_moving(&can, &away, &ray).unwrap_err();
    /// assert_eq!(none.verify_moving(&can, &away, &ray, &RayOptions::default()), Ok(()));
    /// assert!(none.verify_moving(&can, &Motion::still(Pose::IDENTITY), &ray, &RayOptions::default()).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_moving(
        &self,
        shape: &Shape,
        motion: &Motion,
        ray: &Ray,
        options: &RayOptions,
    ) -> Result<(), Refusal> {
        no_hit::verify_miss_moving(self, shape, motion, ray, options, &mut Engine::default())
    }
}

/// The `verify` method of both answers about a point.
macro_rules! verified_about_points {
    ($($answer:ident),*) => {$(
        impl $answer {
            /// Proves the answer independently, from the body and the point of the query. For a compound only the part
            /// named by the answer is checked.
            ///
            /// # Errors
            /// The first claim that fails.
            ///
            /// ```
            /// use clearance::{Bracket, Pose, Shape, glam::DVec3, signed_distance};
            /// let (cone, point) = (Shape::cone(1.0, 0.5)?, DVec3::new(1.0, 0.2, 0.3));
            /// let mut answer = signed_distance(&cone, &Pose::IDENTITY, point);
            /// assert_eq!(answer.verify(&cone, &Pose::IDENTITY, point), Ok(()));
            /// answer.distance = Bracket::exact(answer.distance.value + 0.1);
            /// assert!(answer.verify(&cone, &Pose::IDENTITY, point).is_err());
            /// # Ok::<(), clearance::Error>(())
            /// ```
            pub fn verify(&self, shape: &Shape, pose: &Pose, point: DVec3) -> Result<(), Refusal> {
                rays::verify_point(self, shape, pose, point)
            }
        }
    )*};
}

verified_about_points!(ClosestPoint, SignedDistance);

impl Impact {
    /// Proves the first contact independently, from the bodies and motions of the query.
    ///
    /// Slower than the query: it checks every vertex and face in double-double arithmetic.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Bracket, Motion, Pose, Shape, glam::DVec3, time_of_impact};
    /// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(DVec3::ONE)?);
    /// let start = Pose::from_translation(DVec3::new(-9.0, 1.5, 0.0))?;
    /// let flying = Motion::translation(start, DVec3::new(9.0, 0.0, 0.0))?;
    /// let still = Motion::still(Pose::IDENTITY);
    /// let mut impact = time_of_impact(&ball, &flying, &cube, &still).unwrap();
    /// assert_eq!(impact.verify(&ball, &flying, &cube, &still), Ok(()));
    /// impact.time = Bracket::exact(impact.time.value + 1e-9);
    /// assert!(impact.verify(&ball, &flying, &cube, &still).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Result<(), Refusal> {
        impact::verify_impact(self, a, motion_a, b, motion_b)
    }
}

impl RigidImpact {
    /// Proves the first contact of two rotating bodies independently, from the bodies and motions of the query. Slower
    /// than the query.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Bracket, Pose, RigidMotion, Shape, glam::DVec3, rigid_impact};
    /// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
    /// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 3.0)?;
    /// let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?);
    /// let mut impact = rigid_impact(&bar, &spinning, &bar, &waiting).unwrap();
    /// assert_eq!(impact.verify(&bar, &spinning, &bar, &waiting), Ok(()));
    /// impact.time = Bracket::exact(impact.time.value + 1e-4);
    /// assert!(impact.verify(&bar, &spinning, &bar, &waiting).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(&self, a: &Shape, motion_a: &RigidMotion, b: &Shape, motion_b: &RigidMotion) -> Result<(), Refusal> {
        rigid::verify_rigid_impact(self, a, motion_a, b, motion_b, &mut Engine::default())
    }
}

impl NoImpact {
    /// Proves the answer independently, from the bodies and motions of the query. If the range ends before time 1, its
    /// last part is proved like the lower end of [`RigidImpact::time`], since the bodies may be in contact there: among
    /// many pairs this applies to those that touch later than the first.
    ///
    /// For two convex bodies without rotation any gap resolvable in the poses is proved, by one plane. Otherwise it is
    /// slower than the query, the more so the closer the bodies pass: the step is halved until no point can move
    /// farther than the gap in a part, 200,000 times at most. So a gap below a hundred-thousandth of the distance that
    /// points move is usually refused.
    ///
    /// # Errors
    /// [`Refusal::Before`] with the time from which it is not proved.
    pub fn verify<M: Clone + Into<RigidMotion>>(
        &self,
        a: &Shape,
        motion_a: &M,
        b: &Shape,
        motion_b: &M,
    ) -> Result<(), Refusal> {
        let (motion_a, motion_b) = (motion_a.clone().into(), motion_b.clone().into());
        let claim = (self.margin, self.until);
        rigid::verify_rigid_clear(a, &motion_a, b, &motion_b, claim, &mut Engine::default())
    }
}

impl LeastClearance {
    /// Proves the least clearance independently: the lower end to within 1e-9 of the bodies' sizes, the upper end by
    /// the distance at that time. Slower than the query, the more so the narrower the bracket: one narrower than a
    /// millionth of the clearance is usually refused.
    ///
    /// # Errors
    /// The first claim that fails.
    ///
    /// ```
    /// use clearance::{Bracket, Pose, RigidMotion, Shape, glam::DVec3, least_clearance};
    /// let ball = Shape::sphere(1.0)?;
    /// let start = Pose::from_translation(DVec3::new(-9.0, 3.0, 0.0))?;
    /// let passing = RigidMotion::turning(start, DVec3::new(20.0, 0.0, 0.0), DVec3::Z, 7.0)?;
    /// let still = RigidMotion::still(Pose::IDENTITY);
    /// let mut least = least_clearance(&ball, &passing, &ball, &still)?;
    /// assert_eq!(least.verify(&ball, &passing, &ball, &still), Ok(()));
    /// least.gap = Bracket { lower: 1.1, value: 1.2, upper: 1.2 };
    /// assert!(least.verify(&ball, &passing, &ball, &still).is_err());
    /// # Ok::<(), clearance::QueryError>(())
    /// ```
    pub fn verify(&self, a: &Shape, motion_a: &RigidMotion, b: &Shape, motion_b: &RigidMotion) -> Result<(), Refusal> {
        rigid::verify_least_clearance(self, a, motion_a, b, motion_b, &mut Engine::default())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::answer::solid_depth::DepthCube;
    use crate::math::bracket::Bracket;
    use crate::query::{least_clearance, rigid_impact};
    use crate::shape::Mesh;

    /// Calls the engine and falsifies its results.
    struct Liar {
        engine: Engine,
        distance: fn(&mut Distance),
        penetration: fn(&mut Penetration),
        proof: fn(&mut DepthProof, f64),
        overlap: fn(&mut [DVec3; 2]),
        asked: u32,
    }

    impl Liar {
        fn honest() -> Liar {
            Liar {
                engine: Engine::default(),
                distance: |_| {},
                penetration: |_| {},
                proof: |_, _| {},
                overlap: |_| {},
                asked: 0,
            }
        }
    }

    impl Hints for Liar {
        fn distance(&mut self, a: Placed<'_>, b: Placed<'_>, relative_tolerance: f64) -> Distance {
            let mut found = self.engine.distance(a, b, relative_tolerance);
            (self.distance)(&mut found);
            self.asked += 1;
            found
        }

        fn penetration(&mut self, a: Placed<'_>, b: Placed<'_>) -> Option<Penetration> {
            let mut found = self.engine.penetration(a, b)?;
            (self.penetration)(&mut found);
            self.asked += 1;
            Some(found)
        }

        fn overlap(&mut self, a: Placed<'_>, b: Placed<'_>, near: DVec3) -> Option<[DVec3; 2]> {
            let mut found = self.engine.overlap(a, b, near)?;
            (self.overlap)(&mut found);
            self.asked += 1;
            Some(found)
        }

        fn depth_proof(&mut self, a: Placed<'_>, b: Placed<'_>, least: f64) -> Option<DepthProof> {
            let mut found = self.engine.depth_proof(a, b, least)?;
            (self.proof)(&mut found, least);
            self.asked += 1;
            Some(found)
        }
    }

    /// Far apart, whatever the truth.
    fn far(found: &mut Distance) {
        (found.gap.lower, found.gap.value, found.gap.upper) = (5.0, 5.0, 5.0);
        found.normal = found.normal.or(Some(DVec3::X));
    }

    /// Nearly touching, whatever the truth.
    fn near(found: &mut Distance) {
        (found.gap.lower, found.gap.value, found.gap.upper) = (0.0, 1e-12, 1e-12);
    }

    /// A cube of edge 2 as a solid mesh.
    fn solid_cube() -> Shape {
        let points: Vec<[f64; 3]> =
            (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|x| 2.0 * f64::from(x) - 1.0)).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap())
    }

    fn bars() -> [(Shape, RigidMotion); 2] {
        let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1)).unwrap();
        let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 3.0).unwrap();
        let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0)).unwrap());
        [(bar.clone(), spinning), (bar, waiting)]
    }

    #[test]
    fn a_search_that_misses_contact_proves_nothing() {
        let [(a, motion_a), (b, motion_b)] = bars();
        let cube = solid_cube();
        for (a, b) in [(&a, &b), (&cube, &b), (&a, &cube), (&cube, &cube)] {
            for margin in [0.0, 0.3] {
                let mut liar = Liar { distance: far, ..Liar::honest() };
                let refusal = rigid::verify_rigid_clear(a, &motion_a, b, &motion_b, (margin, 1.0), &mut liar);
                assert!(matches!(refusal, Err(Refusal::Before { .. })), "{refusal:?}");
                assert!(liar.asked > 0);
            }
        }
    }

    #[test]
    fn a_body_inside_a_solid_is_not_separated() {
        let (cube, ball) = (solid_cube(), Shape::sphere(0.1).unwrap());
        let still = RigidMotion::still(Pose::IDENTITY);
        let mut liar = Liar { distance: far, ..Liar::honest() };
        assert!(rigid::verify_rigid_clear(&cube, &still, &ball, &still, (0.0, 1.0), &mut liar).is_err());
        assert!(liar.asked > 0);
    }

    #[test]
    fn a_search_that_sees_contact_everywhere_lets_nothing_be_left_out() {
        let [(a, motion_a), (b, motion_b)] = bars();
        let true_impact = rigid_impact(&a, &motion_a, &b, &motion_b).unwrap();
        let mut honest = Liar::honest();
        assert_eq!(rigid::verify_rigid_impact(&true_impact, &a, &motion_a, &b, &motion_b, &mut honest), Ok(()));
        // Before an early time there is no contact.
        for until in [0.9 * true_impact.time.lower, 5e-8] {
            let mut liar = Liar { distance: near, ..Liar::honest() };
            assert!(rigid::verify_rigid_clear(&a, &motion_a, &b, &motion_b, (0.0, until), &mut liar).is_err());
            assert!(liar.asked > 0);
        }
    }

    #[test]
    fn a_false_depth_proves_no_contact() {
        let [(a, motion_a), (b, motion_b)] = bars();
        let mut impact = rigid_impact(&a, &motion_a, &b, &motion_b).unwrap();
        assert!(impact.touches);
        // Too early: the bodies do not overlap yet.
        (impact.time.lower, impact.time.value, impact.time.upper) =
            (0.5 * impact.time.lower, 0.5 * impact.time.value, 0.5 * impact.time.upper);
        (impact.pose_a, impact.pose_b) = (motion_a.at(impact.time.value), motion_b.at(impact.time.value));
        let deep = |found: &mut Penetration| {
            (found.depth.lower, found.depth.value, found.depth.upper) = (0.1, 0.1, 0.1);
        };
        let mut liar = Liar { penetration: deep, ..Liar::honest() };
        assert!(rigid::verify_rigid_impact(&impact, &a, &motion_a, &b, &motion_b, &mut liar).is_err());
        assert!(liar.asked > 0);
    }

    #[test]
    fn a_false_clearance_is_refused() {
        let ball = Shape::sphere(1.0).unwrap();
        let start = Pose::from_translation(DVec3::new(-9.0, 3.0, 0.0)).unwrap();
        let passing = RigidMotion::turning(start, DVec3::new(20.0, 0.0, 0.0), DVec3::Z, 7.0).unwrap();
        let still = RigidMotion::still(Pose::IDENTITY);
        let least = least_clearance(&ball, &passing, &ball, &still).unwrap();
        let verified = |least: &LeastClearance, hints: &mut Liar| {
            rigid::verify_least_clearance(least, &ball, &passing, &ball, &still, hints)
        };
        assert_eq!(verified(&least, &mut Liar::honest()), Ok(()));
        let false_claim =
            LeastClearance { gap: Bracket::between(least.gap.lower + 0.1, least.gap.upper + 0.1), ..least };
        let mut liar = Liar { distance: |found| found.gap.lower = found.gap.upper.max(1.2), ..Liar::honest() };
        assert!(verified(&false_claim, &mut liar).is_err());
        assert!(liar.asked > 0);
    }

    #[test]
    fn false_cubes_prove_no_depth() {
        let cube = solid_cube();
        let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(1.5, 0.2, 0.1)).unwrap());
        let mut deep = Engine::default().penetration((&cube, &here), (&cube, &there)).unwrap();
        let verified =
            |deep: &Penetration, hints: &mut Liar| answer::verify(deep, (&cube, &here), (&cube, &there), hints);
        assert_eq!(verified(&deep, &mut Liar::honest()), Ok(()));
        let lies: [fn(&mut DepthProof, f64); 3] = [
            |proof, _| proof.cubes.clear(),
            |proof, least| proof.side = 0.5 * least,
            // The whole ball in one cube, to be proved by a single point.
            |proof, least| {
                proof.side = 2f64.powi(least.log2().ceil() as i32 + 1);
                let cube = proof.cubes[0];
                proof.cubes = vec![DepthCube { middle: DVec3::ZERO, half: proof.side, ..cube }];
            },
        ];
        for proof in lies {
            let mut liar = Liar { proof, ..Liar::honest() };
            assert!(matches!(verified(&deep, &mut liar), Err(Refusal::Lower { .. })));
            assert!(liar.asked > 0);
        }
        // Half of it separates the bodies, whatever is found beyond.
        (deep.depth.lower, deep.depth.value, deep.depth.upper) = (1.0, 1.0, 1.0);
        let more: fn(&mut DepthProof, f64) = |proof, least| proof.side = proof.side.max(2.0 * least);
        assert!(verified(&deep, &mut Liar { proof: more, ..Liar::honest() }).is_err());
    }

    #[test]
    fn false_points_prove_no_depth() {
        let cube = solid_cube();
        let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(1.5, 0.2, 0.1)).unwrap());
        let up = crate::query::depth_along(&cube, &here, &cube, &there, DVec3::Y).unwrap();
        let verified = |up: &DepthAlong, hints: &mut Liar| {
            depth_along::verify_depth_along(up, (&cube, &here), (&cube, &there), hints)
        };
        assert_eq!(verified(&up, &mut Liar::honest()), Ok(()));
        // Each of the points may prove a true claim by itself.
        let lies: [fn(&mut [DVec3; 2]); 5] = [
            |points| *points = points.map(|point| point + DVec3::X * 3.0),
            |points| *points = [DVec3::NAN; 2],
            |points| points.swap(0, 1),
            |points| points[0] += DVec3::X * 3.0,
            |points| points[1] = DVec3::NAN,
        ];
        let mut more = up;
        let depth = up.depth.value + 0.1;
        (more.depth.lower, more.depth.value, more.depth.upper) = (depth, depth, depth);
        for (index, overlap) in lies.into_iter().enumerate() {
            let mut liar = Liar { overlap, ..Liar::honest() };
            assert!(matches!(verified(&more, &mut liar), Err(Refusal::Lower { .. })), "{index}");
            let believed = verified(&up, &mut liar);
            assert!(index > 2 || matches!(believed, Err(Refusal::Lower { .. })), "{index}");
            assert!(liar.asked > 0);
        }
    }
}
