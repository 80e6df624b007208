//! Proves answers anew, with the engine's own searches for guesses: what they say is proved before it is believed.

use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::least_clearance::LeastClearance;
use crate::answer::penetration::{Penetration, PenetrationOptions};
use crate::answer::rigid_impact::RigidImpact;
use crate::answer::solid_depth::{DepthProof, SolidDepthOptions};
use crate::convex::pair::cache::PairCache;
use crate::math::pose::Pose;
use crate::motion::RigidMotion;
use crate::pair;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;
use crate::verify::answer::{self, Answer};
use crate::verify::hint::{Hints, Placed};
use crate::verify::refusal::Refusal;
use crate::verify::rigid;

/// What the engine finds.
#[derive(Default)]
struct Engine {
    workspace: Workspace,
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

    fn depth_proof(&mut self, (a, pose_a): Placed<'_>, (b, pose_b): Placed<'_>, least: f64) -> Option<DepthProof> {
        // As far as the claim, and not farther.
        let options = SolidDepthOptions { relative_tolerance: 0.0, work: u64::MAX, ..SolidDepthOptions::default() };
        let tell = &mut |lower: f64, _: f64| lower <= least;
        let found = pair::penetration::solid_depth(a, pose_a, b, pose_b, &options, tell, &mut self.workspace);
        found.ok().map(|found| found.proof)
    }
}

/// Proves an answer anew from the bodies and poses of the question.
///
/// Slower than the question (it looks at every vertex and every face in double-double arithmetic); meant for tests and
/// for answers that must not be wrong.
///
/// # Errors
/// The first claim that does not hold.
///
/// ```
/// use clearance::{Pose, Refusal, Shape, distance, glam::DVec3, verify};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let pose = Pose::from_axis_angle(DVec3::ONE, 1.0, DVec3::new(5.0, 1.0, 0.0))?;
/// let mut answer = distance(&cube, &Pose::IDENTITY, &cube, &pose);
/// assert_eq!(verify(&answer, &cube, &Pose::IDENTITY, &cube, &pose), Ok(()));
/// answer.gap.upper = answer.gap.value;
/// answer.gap.lower = answer.gap.value;
/// answer.gap.value += 1e-9;
/// assert_eq!(verify(&answer, &cube, &Pose::IDENTITY, &cube, &pose), Err(Refusal::Disordered));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify<T: Answer>(answer: &T, a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<(), Refusal> {
    answer::verify(answer, (a, pose_a), (b, pose_b), &mut Engine::default())
}

/// Proves the first contact of two turning bodies anew, from the bodies and motions of the question. Slower than the
/// question.
///
/// # Errors
/// The first claim that does not hold.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact, verify_rigid_impact};
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 3.0)?;
/// let waiting = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0))?);
/// let mut impact = rigid_impact(&bar, &spinning, &bar, &waiting).unwrap();
/// assert_eq!(verify_rigid_impact(&impact, &bar, &spinning, &bar, &waiting), Ok(()));
/// impact.time.lower += 1e-4;
/// impact.time.value += 1e-4;
/// impact.time.upper += 1e-4;
/// assert!(verify_rigid_impact(&impact, &bar, &spinning, &bar, &waiting).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify_rigid_impact(
    impact: &RigidImpact,
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
) -> Result<(), Refusal> {
    rigid::verify_rigid_impact(impact, a, motion_a, b, motion_b, &mut Engine::default())
}

/// Proves anew that two moving bodies are farther apart than a margin before the time `until`; with `until` 1,
/// throughout the step, its end included: what an answer `None` of [`rigid_impact`](crate::rigid_impact()) says. Before
/// an earlier time the last stretch is proved as the lower end of the time is by [`verify_rigid_impact`], since there
/// the bodies may be in contact: of many pairs this is asked of those that touch later than the first.
///
/// A margin of zero or less asks for no common point. Slower than the question, and the more so the nearer the bodies
/// pass each other: a gap that stays below a hundred thousandth of the way that points go is mostly refused.
///
/// # Errors
/// [`Refusal::Before`] with the time from which on it is not proved.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, rigid_impact, verify_rigid_clear};
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let spinning = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 30.0)?;
/// let post = RigidMotion::still(Pose::from_translation(DVec3::new(0.0, 2.2, 0.0))?);
/// let ball = Shape::sphere(0.1)?;
/// assert!(rigid_impact(&bar, &spinning, &ball, &post).is_none());
/// assert_eq!(verify_rigid_clear(&bar, &spinning, &ball, &post, 0.0, 1.0), Ok(()));
/// // They come within 0.1 of each other.
/// assert!(verify_rigid_clear(&bar, &spinning, &ball, &post, 0.1, 1.0).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify_rigid_clear(
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
    margin: f64,
    until: f64,
) -> Result<(), Refusal> {
    rigid::verify_rigid_clear(a, motion_a, b, motion_b, (margin, until), &mut Engine::default())
}

/// Proves anew how near two moving bodies come: the lower end of the gap to within 1e-9 of the bodies' sizes, the upper
/// end by the distance at `time`. Slower than the question, and the more so the narrower the bracket is: one that is
/// narrower than a millionth of the clearance is mostly refused.
///
/// # Errors
/// The first claim that does not hold.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, least_clearance, verify_least_clearance};
/// let ball = Shape::sphere(1.0)?;
/// let start = Pose::from_translation(DVec3::new(-9.0, 3.0, 0.0))?;
/// let passing = RigidMotion::turning(start, DVec3::new(20.0, 0.0, 0.0), DVec3::Z, 7.0)?;
/// let still = RigidMotion::still(Pose::IDENTITY);
/// let mut least = least_clearance(&ball, &passing, &ball, &still)?;
/// assert_eq!(verify_least_clearance(&least, &ball, &passing, &ball, &still), Ok(()));
/// (least.gap.lower, least.gap.upper) = (1.1, 1.2);
/// assert!(verify_least_clearance(&least, &ball, &passing, &ball, &still).is_err());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn verify_least_clearance(
    least: &LeastClearance,
    a: &Shape,
    motion_a: &RigidMotion,
    b: &Shape,
    motion_b: &RigidMotion,
) -> Result<(), Refusal> {
    rigid::verify_least_clearance(least, a, motion_a, b, motion_b, &mut Engine::default())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::answer::solid_depth::DepthCube;
    use crate::query::{least_clearance, rigid_impact};
    use crate::shape::Mesh;

    /// Finds what the engine finds, and says something else.
    struct Liar {
        engine: Engine,
        distance: fn(&mut Distance),
        penetration: fn(&mut Penetration),
        proof: fn(&mut DepthProof, f64),
        asked: u32,
    }

    impl Liar {
        fn honest() -> Liar {
            Liar { engine: Engine::default(), distance: |_| {}, penetration: |_| {}, proof: |_, _| {}, asked: 0 }
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

        fn depth_proof(&mut self, a: Placed<'_>, b: Placed<'_>, least: f64) -> Option<DepthProof> {
            let mut found = self.engine.depth_proof(a, b, least)?;
            (self.proof)(&mut found, least);
            self.asked += 1;
            Some(found)
        }
    }

    /// Far apart, whatever is true.
    fn far(found: &mut Distance) {
        (found.gap.lower, found.gap.value, found.gap.upper) = (5.0, 5.0, 5.0);
        found.normal = found.normal.or(Some(DVec3::X));
    }

    /// As good as touching, whatever is true.
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
    fn a_search_that_sees_no_contact_is_not_believed() {
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
    fn a_body_inside_a_solid_is_not_apart_from_it() {
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
        // Before an early time there is nothing to be in contact with.
        for until in [0.9 * true_impact.time.lower, 5e-8] {
            let mut liar = Liar { distance: near, ..Liar::honest() };
            assert!(rigid::verify_rigid_clear(&a, &motion_a, &b, &motion_b, (0.0, until), &mut liar).is_err());
            assert!(liar.asked > 0);
        }
    }

    #[test]
    fn a_depth_that_is_made_up_proves_no_contact() {
        let [(a, motion_a), (b, motion_b)] = bars();
        let mut impact = rigid_impact(&a, &motion_a, &b, &motion_b).unwrap();
        assert!(impact.touches);
        // Too early: the bodies are not in each other yet.
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
    fn a_clearance_that_is_made_up_is_refused() {
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
    fn cubes_that_prove_nothing_prove_no_depth() {
        let cube = solid_cube();
        let (here, there) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(1.5, 0.2, 0.1)).unwrap());
        let mut deep = Engine::default().penetration((&cube, &here), (&cube, &there)).unwrap();
        let verified =
            |deep: &Penetration, hints: &mut Liar| answer::verify(deep, (&cube, &here), (&cube, &there), hints);
        assert_eq!(verified(&deep, &mut Liar::honest()), Ok(()));
        let lies: [fn(&mut DepthProof, f64); 3] = [
            |proof, _| proof.cubes.clear(),
            |proof, least| proof.side = 0.5 * least,
            // All of the ball in one cube, of which one point is to prove all.
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
        // The bodies come apart by half of it, whatever is found for more.
        (deep.depth.lower, deep.depth.value, deep.depth.upper) = (1.0, 1.0, 1.0);
        let more: fn(&mut DepthProof, f64) = |proof, least| proof.side = proof.side.max(2.0 * least);
        assert!(verified(&deep, &mut Liar { proof: more, ..Liar::honest() }).is_err());
    }
}
