//! What every answer must satisfy, whatever the experiment: by itself, against the other answers about the same pair,
//! and against the truth where that is known.

use std::cmp::Ordering;

use clearance::answer::{Contacts, Distance, Penetration, RelationProof};
use clearance::math::{ACCURACY, DEPTH_ACCURACY};
use clearance::query::{
    DistanceOptions, PenetrationOptions, RelationOptions, distance_with, penetration_with, relation_with,
};
use clearance::{PairCache, Pose, Relation, Shape, Workspace, intersects};

use crate::truth::Truth;

/// Two placed bodies.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Body A to world.
    pub pose_a: &'a Pose,
    /// Body B.
    pub b: &'a Shape,
    /// Body B to world.
    pub pose_b: &'a Pose,
}

impl Pair<'_> {
    /// L, the unit of accuracy: both diameters and the distance between the middles of the bodies. A half-space counts
    /// with the distance of its plane from its origin, which is its middle.
    pub fn scale(&self) -> f64 {
        let extent = |shape: &Shape| match shape {
            Shape::HalfSpace(half) => half.offset().abs() / half.normal().length(),
            bounded => bounded.diameter(),
        };
        let middle = |shape: &Shape, pose: &Pose| match shape {
            Shape::HalfSpace(_) => pose.translation(),
            bounded => pose.transform_point(bounded.bounds().center()),
        };
        extent(self.a) + extent(self.b) + middle(self.a, self.pose_a).distance(middle(self.b, self.pose_b))
    }

    /// How far the less rigid of the two matrices is from a rotation.
    fn defect(&self) -> f64 {
        self.pose_a.defect().max(self.pose_b.defect())
    }

    /// The largest error, and the largest width of a bracket, that a distance may have.
    pub fn tolerance(&self) -> f64 {
        (ACCURACY + self.defect()) * self.scale()
    }

    /// The largest error, and the largest width of a bracket, that a depth may have where the contract names one.
    pub fn depth_tolerance(&self) -> f64 {
        (DEPTH_ACCURACY + self.defect()) * self.scale()
    }

    /// Whether a body is curved other than by a radius, and the other is not a half-space, against which every depth is
    /// closed form. For such a pair the contract names no width of a deep overlap.
    pub fn is_curved(&self) -> bool {
        let flat = |shape: &Shape| matches!(shape, Shape::HalfSpace(_));
        (is_curved(self.a) || is_curved(self.b)) && !flat(self.a) && !flat(self.b)
    }

    /// The same pair with the arguments swapped.
    pub fn swapped(&self) -> Self {
        Pair { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }

    /// Whether A and B are one body in one place: swapping them is then the same query.
    fn is_coincident(&self) -> bool {
        self.a == self.b && self.pose_a == self.pose_b
    }

    /// The distance, with a cache and a workspace.
    pub fn distance(&self, cache: &mut PairCache, workspace: &mut Workspace) -> Distance {
        distance_with(self.a, self.pose_a, self.b, self.pose_b, &DistanceOptions::default(), cache, workspace)
    }

    /// The depth, with a cache and a workspace.
    pub fn penetration(
        &self,
        cache: &mut PairCache,
        workspace: &mut Workspace,
    ) -> Result<Penetration, clearance::QueryError> {
        let options = PenetrationOptions::default();
        penetration_with(self.a, self.pose_a, self.b, self.pose_b, &options, cache, workspace)
    }

    /// The relation and its proof.
    pub fn relation(&self) -> RelationProof {
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let options = RelationOptions::default();
        relation_with(self.a, self.pose_a, self.b, self.pose_b, &options, &mut cache, &mut workspace)
    }

    /// Whether the bodies have a point in common.
    pub fn intersects(&self) -> bool {
        intersects(self.a, self.pose_a, self.b, self.pose_b)
    }

    /// Queries the depth in several ways and compares the answers with the truth.
    pub fn examine_depth(&self, truth: &Truth) -> (Option<Penetration>, Vec<&'static str>) {
        let Pair { a, pose_a, b, pose_b } = *self;
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let Ok(answer) = self.penetration(&mut cache, &mut workspace) else {
            return (None, vec!["no depth of convex bodies"]);
        };
        let mut faults = Vec::new();
        let mut check = |holds: bool, fault: &'static str| {
            if !holds {
                faults.push(fault);
            }
        };
        check(answer.verify(a, pose_a, b, pose_b).is_ok(), "verify refused the depth");
        let tolerance = (DEPTH_ACCURACY + self.defect()) * self.scale();
        // The contract names no width for deep curved pairs.
        check(
            answer.depth.upper - answer.depth.lower <= tolerance || self.is_curved(),
            "bracket of the depth too wide",
        );
        if truth.sign() == Ordering::Greater {
            check(answer.depth.lower == 0.0, "apart, but a depth is proved");
            check(truth.near(0.0, tolerance) || answer.depth.upper == 0.0, "apart, but reported with a depth");
        } else {
            check(truth.within(-answer.depth.upper, -answer.depth.lower), "the bracket misses the exact depth");
            check(truth.near(-answer.depth.value, tolerance), "the depth is too far from the exact one");
        }
        let warm = self.penetration(&mut cache, &mut workspace);
        check(
            warm.is_ok_and(|warm| warm.verify(a, pose_a, b, pose_b).is_ok()),
            "verify refused a depth with a warm cache",
        );
        let baseline = self.penetration(&mut PairCache::default(), &mut Workspace::baseline());
        check(baseline == Ok(answer), "the instruction set changes the depth");
        if !self.is_coincident() {
            let exchanged = self.swapped().penetration(&mut PairCache::default(), &mut workspace);
            let same = exchanged.is_ok_and(|other| {
                let numbers =
                    |p: &Penetration| [p.depth.value, p.depth.lower, p.depth.upper, p.placement].map(f64::to_bits);
                numbers(&other) == numbers(&answer)
                    && (bits(other.witness.a.point), bits(other.witness.b.point))
                        == (bits(answer.witness.b.point), bits(answer.witness.a.point))
                    && (other.witness.a.feature, other.witness.b.feature, other.method)
                        == (answer.witness.b.feature, answer.witness.a.feature, answer.method)
                    // Not by bits: the negative of 0 is -0.
                    && other.normal == -answer.normal
            });
            check(same, "swapping the arguments changes the depth");
        }
        (Some(answer), faults)
    }

    /// Queries the contacts and compares their gap with the truth.
    pub fn examine_contacts(&self, truth: &Truth) -> (Contacts, Vec<&'static str>) {
        let Pair { a, pose_a, b, pose_b } = *self;
        let found = clearance::contacts(a, pose_a, b, pose_b);
        let mut faults = Vec::new();
        if found.verify(a, pose_a, b, pose_b).is_err() {
            faults.push("verify refused the contacts");
        }
        if !truth.within(found.gap.lower, found.gap.upper) {
            faults.push("the bracket of the contacts misses the exact gap");
        }
        // Bodies farther apart than the margin have no contact, and their gap is not asked for.
        let narrow = found.gap.upper - found.gap.lower <= self.depth_tolerance();
        if !narrow && !found.points.is_empty() && !self.is_curved() {
            faults.push("bracket of the contacts too wide");
        }
        (found, faults)
    }

    /// What is wrong with a relation: its proof, its bracket or its verdict.
    pub fn relation_faults(&self, truth: &Truth, proof: &RelationProof) -> Vec<&'static str> {
        let mut faults = Vec::new();
        if proof.verify(self.a, self.pose_a, self.b, self.pose_b).is_err() {
            faults.push("verify refused the relation");
        }
        if !truth.within(proof.gap.lower, proof.gap.upper) {
            faults.push("the bracket of the relation misses the exact gap");
        }
        match proof.relation {
            Relation::Separated if truth.sign() != Ordering::Greater => {
                faults.push("not apart, but reported as separated");
            }
            Relation::Overlapping if truth.sign() != Ordering::Less => {
                faults.push("not overlapping, but reported as overlapping");
            }
            // Only what is within reach of rounding may be reported as touching.
            Relation::Touching if !truth.near(0.0, self.tolerance()) => {
                faults.push("not touching, but reported as touching")
            }
            _ => {}
        }
        faults
    }

    /// What is wrong with a distance by itself: its bracket, or that it cannot be re-proved.
    pub fn faults(&self, answer: &Distance) -> Vec<&'static str> {
        let mut faults = Vec::new();
        if !(0.0 <= answer.gap.lower && answer.gap.lower <= answer.gap.value && answer.gap.value <= answer.gap.upper) {
            faults.push("bracket out of order");
        }
        // Written so that a NaN counts as too wide.
        let narrow = answer.gap.upper - answer.gap.lower <= self.tolerance();
        if !narrow {
            faults.push("bracket too wide");
        }
        if answer.verify(self.a, self.pose_a, self.b, self.pose_b).is_err() {
            faults.push("verify refused");
        }
        faults
    }

    /// What is wrong with a depth by itself; `allowed` is the widest bracket that the contract allows it.
    pub fn depth_faults(&self, answer: &Penetration, allowed: f64) -> Vec<&'static str> {
        let mut faults = Vec::new();
        if !(0.0 <= answer.depth.lower
            && answer.depth.lower <= answer.depth.value
            && answer.depth.value <= answer.depth.upper)
        {
            faults.push("bracket of the depth out of order");
        }
        // Written so that a NaN counts as too wide.
        let narrow = answer.depth.upper - answer.depth.lower <= allowed;
        if !narrow {
            faults.push("bracket of the depth too wide");
        }
        if answer.verify(self.a, self.pose_a, self.b, self.pose_b).is_err() {
            faults.push("verify refused the depth");
        }
        faults
    }

    /// Runs every query on the pair, in several ways, and compares the answers with the truth.
    pub fn examine(&self, truth: &Truth) -> Examined {
        let Pair { a, pose_a, b, pose_b } = *self;
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let answer = self.distance(&mut cache, &mut workspace);
        let exact_decisions = workspace.exact_decisions();
        let (proof, intersects) = (self.relation(), self.intersects());
        let mut faults = self.faults(&answer);
        let mut check = |holds: bool, fault: &'static str| {
            if !holds {
                faults.push(fault);
            }
        };
        check(proof.relation == clearance::relation(a, pose_a, b, pose_b), "relation and relation_with differ");
        check(answer == clearance::distance(a, pose_a, b, pose_b), "distance and distance_with differ");
        check(intersects == (answer.gap.value == 0.0), "intersects and distance contradict each other");

        let swapped = self.swapped();
        if !self.is_coincident() {
            let exchanged = swapped.distance(&mut PairCache::default(), &mut workspace);
            check(same_when_swapped(&answer, &exchanged), "swapping the arguments changes the answer");
            let other = swapped.relation();
            check(
                (other.relation, other.gap.lower.to_bits(), other.gap.upper.to_bits(), -other.normal)
                    == (proof.relation, proof.gap.lower.to_bits(), proof.gap.upper.to_bits(), proof.normal),
                "swapping the arguments changes the relation",
            );
        }
        check(intersects == swapped.intersects(), "swapping the arguments changes intersects");
        let baseline = self.distance(&mut PairCache::default(), &mut Workspace::baseline());
        check(baseline == answer, "the instruction set changes the answer");

        let warm = self.distance(&mut cache, &mut workspace);
        check(warm.verify(a, pose_a, b, pose_b).is_ok(), "verify refused an answer with a warm cache");
        let agree = warm.gap.lower <= answer.gap.upper && answer.gap.lower <= warm.gap.upper;
        check(agree && (warm.gap.value == 0.0) == (answer.gap.value == 0.0), "a warm cache contradicts a cold one");
        faults.extend(self.relation_faults(truth, &proof));
        faults.extend(self.against_truth(truth, &answer, intersects));
        Examined { answer, proof, intersects, exact_decisions, faults }
    }

    /// Compares the distance with the exact signed gap.
    fn against_truth(&self, truth: &Truth, answer: &Distance, intersects: bool) -> Vec<&'static str> {
        let mut faults = Vec::new();
        let mut check = |holds: bool, fault: &'static str| {
            if !holds {
                faults.push(fault);
            }
        };
        let tolerance = self.tolerance();
        // Within `placement` of touching, the placed pair may lie on either side.
        let undecided = truth.near(0.0, answer.placement * (1.0 + 2.0 * self.defect()));
        if truth.sign() == Ordering::Greater {
            check(truth.within(answer.gap.lower, answer.gap.upper), "the bracket misses the exact distance");
            check(truth.near(answer.gap.value, tolerance), "the value is too far from the exact distance");
            check(!intersects || undecided, "apart, but intersects is true");
        } else {
            check(answer.gap.lower <= 0.0, "not apart, but the distance is above 0");
            check(intersects || undecided, "not apart, but intersects is false");
        }
        faults
    }
}

/// What was answered about a pair, and what is wrong with it.
pub struct Examined {
    /// The distance, asked with a cold cache.
    pub answer: Distance,
    /// The relation.
    pub proof: RelationProof,
    /// Whether the bodies have a point in common.
    pub intersects: bool,
    /// How often the distance was settled in exact arithmetic.
    pub exact_decisions: u64,
    /// What is wrong; empty when nothing is.
    pub faults: Vec<&'static str>,
}

/// Whether `swapped`, asked as (b, a), says the same as `answer`, asked as (a, b), bit for bit.
pub fn same_when_swapped(answer: &Distance, swapped: &Distance) -> bool {
    let numbers = |d: &Distance| [d.gap.value, d.gap.lower, d.gap.upper, d.placement].map(f64::to_bits);
    numbers(answer) == numbers(swapped)
        && bits(answer.witness.a.point) == bits(swapped.witness.b.point)
        && bits(answer.witness.b.point) == bits(swapped.witness.a.point)
        && answer.witness.a.feature == swapped.witness.b.feature
        && answer.witness.b.feature == swapped.witness.a.feature
        // Not by bits: the negative of 0 is -0.
        && answer.normal == swapped.normal.map(|normal| -normal)
}

/// The same for depths.
pub fn same_depth_when_swapped(answer: &Penetration, swapped: &Penetration) -> bool {
    let numbers = |p: &Penetration| [p.depth.value, p.depth.lower, p.depth.upper, p.placement].map(f64::to_bits);
    numbers(answer) == numbers(swapped)
        && bits(answer.witness.a.point) == bits(swapped.witness.b.point)
        && bits(answer.witness.b.point) == bits(swapped.witness.a.point)
        && answer.witness.a.feature == swapped.witness.b.feature
        && answer.witness.b.feature == swapped.witness.a.feature
        && answer.normal == -swapped.normal
}

/// Whether a body is curved other than by a radius.
fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => true,
        Shape::Rounded(rounded) => is_curved(rounded.core()),
        _ => false,
    }
}

/// The bits of a vector.
fn bits(vector: clearance::glam::DVec3) -> [u64; 3] {
    vector.to_array().map(f64::to_bits)
}

#[cfg(test)]
mod tests {
    use clearance::Bracket;

    use super::*;
    use clearance::glam::DVec3;

    #[test]
    fn a_sound_answer_has_no_fault_and_a_bent_one_has() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let pose_b = Pose::from_translation(DVec3::new(3.0, 0.5, 0.25)).unwrap();
        let pair = Pair { a: &cube, pose_a: &Pose::IDENTITY, b: &cube, pose_b: &pose_b };
        let answer = clearance::distance(&cube, &Pose::IDENTITY, &cube, &pose_b);
        assert!(pair.faults(&answer).is_empty(), "{:?}", pair.faults(&answer));

        let mut wide = answer;
        wide.gap.upper += 1e-10;
        assert!(pair.faults(&wide).contains(&"bracket too wide"));
        assert!(!same_when_swapped(&wide, &answer));
        let mut reversed = answer;
        reversed.gap.lower = reversed.gap.value.next_up();
        assert!(pair.faults(&reversed).contains(&"bracket out of order"));
        let mut nothing = answer;
        nothing.gap.upper = f64::NAN;
        assert!(pair.faults(&nothing).contains(&"bracket too wide"));

        assert!(pair.examine(&Truth::published("1").unwrap()).faults.is_empty());
        for wrong in ["1.00000000001", "-1", "0", "2"] {
            assert!(!pair.examine(&Truth::published(wrong).unwrap()).faults.is_empty(), "{wrong}");
        }
    }

    #[test]
    fn a_bent_depth_has_a_fault() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let pose_b = Pose::from_translation(DVec3::new(1.5, 0.25, 0.0)).unwrap();
        let pair = Pair { a: &cube, pose_a: &Pose::IDENTITY, b: &cube, pose_b: &pose_b };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let answer = pair.penetration(&mut cache, &mut workspace).unwrap();
        let faults = |answer: &Penetration| pair.depth_faults(answer, pair.depth_tolerance());
        assert!(faults(&answer).is_empty() && !pair.is_curved());
        let swapped = pair.swapped().penetration(&mut PairCache::default(), &mut workspace).unwrap();
        assert!(same_depth_when_swapped(&answer, &swapped) && !same_depth_when_swapped(&answer, &answer));
        let wide = Penetration { depth: Bracket { upper: answer.depth.upper + 1e-6, ..answer.depth }, ..answer };
        assert!(faults(&wide).contains(&"bracket of the depth too wide"));
        let shallow = Penetration { depth: Bracket { value: 0.25, lower: 0.25, upper: 0.25 }, ..answer };
        assert!(faults(&shallow).contains(&"verify refused the depth"));
        let reversed = Penetration { depth: Bracket { lower: answer.depth.upper.next_up(), ..answer.depth }, ..answer };
        assert!(faults(&reversed).contains(&"bracket of the depth out of order"));

        let floor = Shape::half_space(DVec3::Z, -3.0).unwrap();
        let can = Shape::rounded(Shape::cylinder(1.0, 1.0).unwrap(), 0.5).unwrap();
        assert!(Pair { b: &can, ..pair }.is_curved() && !Pair { a: &floor, b: &can, ..pair }.is_curved());
        let scale = Pair { a: &floor, pose_b: &Pose::IDENTITY, ..pair }.scale();
        assert!((scale - (3.0 + 12.0_f64.sqrt())).abs() < 1e-14, "{scale}");
    }

    #[test]
    fn the_scale_does_not_see_where_a_body_keeps_its_origin() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let near = Shape::hull(&corners).unwrap();
        let far = Shape::hull(&corners.map(|[x, y, z]| [x + 1024.0, y, z])).unwrap();
        let (here, back) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(-1022.0, 0.0, 0.0)).unwrap());
        let beside = Pose::from_translation(DVec3::new(2.0, 0.0, 0.0)).unwrap();
        let plain = Pair { a: &near, pose_a: &here, b: &near, pose_b: &beside };
        let shifted = Pair { b: &far, pose_b: &back, ..plain };
        assert!((shifted.scale() - plain.scale()).abs() < 1e-9);
    }
}
