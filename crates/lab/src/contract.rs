//! What every answer has to keep, whatever the experiment: the part of `wrong` that needs no known answer.

use clearance::{Distance, Pose, Shape};

/// Relative accuracy promised for bodies apart, in units of the pair's scale.
const ACCURACY: f64 = 1e-12;

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
    /// The sum of the two diameters.
    pub diameters: f64,
}

impl Pair<'_> {
    /// L, the unit of accuracy: both diameters and the distance between the bodies' origins.
    pub fn scale(&self) -> f64 {
        self.diameters + self.pose_a.translation().distance(self.pose_b.translation())
    }

    /// The largest error, and the largest width of a bracket, that a distance may have.
    pub fn tolerance(&self) -> f64 {
        (ACCURACY + self.pose_a.defect() + self.pose_b.defect()) * self.scale()
    }

    /// What is wrong with a distance by itself: its bracket, or that it cannot be re-proved.
    pub fn faults(&self, answer: &Distance) -> Vec<&'static str> {
        let mut faults = Vec::new();
        if !(0.0 <= answer.lower && answer.lower <= answer.value && answer.value <= answer.upper) {
            faults.push("bracket out of order");
        }
        // Written so that a NaN counts as too wide.
        let narrow = answer.upper - answer.lower <= self.tolerance();
        if !narrow {
            faults.push("bracket too wide");
        }
        if clearance::verify(answer, self.a, self.pose_a, self.b, self.pose_b).is_err() {
            faults.push("verify refused");
        }
        faults
    }

    /// The distance with the arguments the other way round.
    pub fn swapped_distance(&self) -> Distance {
        clearance::distance(self.b, self.pose_b, self.a, self.pose_a)
    }
}

/// Whether `swapped`, asked as (b, a), says the same as `answer`, asked as (a, b), bit for bit.
pub fn same_when_swapped(answer: &Distance, swapped: &Distance) -> bool {
    let numbers = |d: &Distance| [d.value, d.lower, d.upper, d.placement].map(f64::to_bits);
    numbers(answer) == numbers(swapped)
        && bits(answer.point_in_a) == bits(swapped.point_in_b)
        && bits(answer.point_in_b) == bits(swapped.point_in_a)
        && answer.feature_a == swapped.feature_b
        && answer.feature_b == swapped.feature_a
        // Not by bits: the negative of 0 is -0.
        && answer.normal == swapped.normal.map(|normal| -normal)
}

/// The bits of a vector.
fn bits(vector: clearance::glam::DVec3) -> [u64; 3] {
    vector.to_array().map(f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::glam::DVec3;

    #[test]
    fn a_sound_answer_has_no_fault_and_a_bent_one_has() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let pose_b = Pose::from_translation(DVec3::new(3.0, 0.5, 0.25)).unwrap();
        let pair = Pair { a: &cube, pose_a: &Pose::IDENTITY, b: &cube, pose_b: &pose_b, diameters: 4.0 * 3_f64.sqrt() };
        let answer = clearance::distance(&cube, &Pose::IDENTITY, &cube, &pose_b);
        assert!(pair.faults(&answer).is_empty(), "{:?}", pair.faults(&answer));
        assert!(same_when_swapped(&answer, &pair.swapped_distance()));

        let mut wide = answer;
        wide.upper += 1e-10;
        assert!(pair.faults(&wide).contains(&"bracket too wide"));
        assert!(!same_when_swapped(&wide, &answer));
        let mut reversed = answer;
        reversed.lower = reversed.value.next_up();
        assert!(pair.faults(&reversed).contains(&"bracket out of order"));
        let mut nothing = answer;
        nothing.upper = f64::NAN;
        assert!(pair.faults(&nothing).contains(&"bracket too wide"));
    }
}
