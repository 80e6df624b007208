//! What is proved anew of motions: answers as they are found hold, and no field of one can be changed without a
//! refusal.

use crate::common;

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{
    CheckOptions, Checker, Error, LoadOptions, MotionClearance, MotionImpact, Object, Robot, Sweep, SweepOptions,
};
use common::{Folder, arm};

fn checker(folder: &Folder, padding: f64) -> Checker {
    let robot = arm(folder);
    let pole = Object {
        name: "pole".into(),
        shape: Shape::cylinder(2.0, 0.02).unwrap(),
        pose: Pose::from_translation(DVec3::new(1.6, 0.3, 2.5)).unwrap(),
    };
    let floor = Object {
        name: "floor".into(),
        shape: Shape::half_space(DVec3::Z, -0.5).unwrap(),
        pose: Pose::from_translation(DVec3::new(0.0, 0.0, -0.5)).unwrap(),
    };
    let allowed = clearance_robot::Allowed::adjacent(&robot);
    let world = vec![pole, floor];
    Checker::new(robot, CheckOptions { allowed, world, padding, ..CheckOptions::default() }).unwrap()
}

/// Motions and what is found about them: free ones, and those that meet something on their way.
fn found(checker: &Checker, options: &SweepOptions, wanted: [usize; 2]) -> [Vec<([Vec<f64>; 2], Sweep)>; 2] {
    let mut state = checker.state();
    let mut found = [Vec::new(), Vec::new()];
    for ends in checker.robot().random_configurations(8, 400).chunks(2) {
        let [from, to] = [0, 1].map(|end: usize| vec![0.6 * ends[end][0], 0.6 * ends[end][1], ends[end][2]]);
        let sweep = checker.sweep(&mut state, &from, &to, options).unwrap();
        let which = usize::from(sweep.impact.is_some());
        // An impact on the way leaves room before and after it.
        let on_the_way = sweep.impact.as_ref().is_none_or(|impact| impact.lower > 0.1 && impact.upper < 0.9);
        if on_the_way && found[which].len() < wanted[which] {
            found[which].push(([from, to], sweep));
        }
    }
    assert_eq!([found[0].len(), found[1].len()], wanted);
    found
}

fn is_refused(checker: &Checker, sweep: &Sweep, ends: &[Vec<f64>; 2], options: &SweepOptions) -> bool {
    match checker.verify_sweep(sweep, &ends[0], &ends[1], options) {
        Ok(()) => false,
        Err(Error::Refused { .. }) => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn no_field_of_a_free_motion_can_be_changed() {
    let folder = Folder::new("verify_free");
    for padding in [0.0, 0.015] {
        let checker = checker(&folder, padding);
        let options = SweepOptions { resolution: 1e-5, clearance: Some(1e-3), ..SweepOptions::default() };
        let [free, met] = found(&checker, &options, [3, 1]);
        let impact = met[0].1.impact.clone().unwrap();
        for (ends, sweep) in free {
            checker.verify_sweep(&sweep, &ends[0], &ends[1], &options).unwrap_or_else(|why| panic!("{why}: {sweep:?}"));
            // Taken apart without `..`: a new field does not compile until it is perturbed below.
            let Sweep { impact: None, clearance: Some(least), stretches: _ } = sweep else { panic!("{sweep:?}") };
            let MotionClearance { lower: _, upper: _, pair: _, at: _ } = least;
            let refused = |sweep: &Sweep| is_refused(&checker, sweep, &ends, &options);
            let with = |clearance: MotionClearance| refused(&Sweep { clearance: Some(clearance), ..sweep.clone() });
            // The bracket is at most a millimetre wide: beyond it nothing is true.
            assert!(with(MotionClearance { lower: least.upper + 1e-6, upper: least.upper + 1e-6, ..least }));
            assert!(with(MotionClearance { lower: least.upper + 1e-6, ..least }));
            assert!(with(MotionClearance { lower: least.lower - 2e-3, ..least }));
            assert!(with(MotionClearance { upper: least.upper + 1e-9, ..least }));
            assert!(with(MotionClearance { upper: least.upper - 1e-9, ..least }));
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert!(
                    with(MotionClearance { lower: wrong, ..least }) && with(MotionClearance { upper: wrong, ..least })
                );
            }
            assert!(with(MotionClearance { pair: least.pair + 1, ..least }));
            assert!(with(MotionClearance { pair: usize::MAX, ..least }));
            let at = if least.at < 0.5 { least.at + 0.2 } else { least.at - 0.2 };
            // A pair that never moves is as near at any time.
            assert!(with(MotionClearance { at, ..least }) || !checker.pairs()[least.pair].moves);
            assert!(with(MotionClearance { at: 1.5, ..least }) && with(MotionClearance { at: f64::NAN, ..least }));
            assert!(refused(&Sweep { clearance: None, ..sweep.clone() }));
            assert!(refused(&Sweep { stretches: 0, ..sweep.clone() }));
            assert!(refused(&Sweep { impact: Some(impact.clone()), ..sweep.clone() }));
            assert!(refused(&Sweep { impact: Some(impact.clone()), clearance: None, ..sweep.clone() }));
        }
    }
}

#[test]
fn a_lower_bound_that_is_not_true_is_refused() {
    let folder = Folder::new("verify_lower");
    let checker = checker(&folder, 0.0);
    let (coarse, fine) = (1e-1, 1e-4);
    let options = SweepOptions { resolution: 1e-5, clearance: Some(coarse), ..SweepOptions::default() };
    let [free, _] = found(&checker, &options, [12, 0]);
    let mut state = checker.state();
    let mut tried = 0;
    for (ends, sweep) in free {
        let finer = SweepOptions { clearance: Some(fine), ..options };
        let known = checker.sweep(&mut state, &ends[0], &ends[1], &finer).unwrap().clearance.unwrap();
        let claimed = sweep.clearance.unwrap();
        // A tenth of the width asked for is not told from it.
        let lower = known.upper + 0.1 * coarse + fine;
        if lower < claimed.upper {
            tried += 1;
            let wrong = Sweep { clearance: Some(MotionClearance { lower, ..claimed }), ..sweep };
            assert!(is_refused(&checker, &wrong, &ends, &options), "{known:?} {wrong:?}");
        }
    }
    assert!(tried > 2, "{tried}");
}

#[test]
fn no_field_of_an_impact_can_be_changed() {
    let folder = Folder::new("verify_impact");
    for padding in [0.0, 0.015] {
        let checker = checker(&folder, padding);
        let options = SweepOptions { resolution: 1e-5, ..SweepOptions::default() };
        let [_, met] = found(&checker, &options, [0, 4]);
        for (ends, sweep) in met {
            checker.verify_sweep(&sweep, &ends[0], &ends[1], &options).unwrap_or_else(|why| panic!("{why}: {sweep:?}"));
            let impact = sweep.impact.clone().unwrap();
            let refused = |sweep: &Sweep| is_refused(&checker, sweep, &ends, &options);
            let with = |impact: MotionImpact| refused(&Sweep { impact: Some(impact), ..sweep.clone() });
            let at = |time: f64| -> Vec<f64> {
                ends[0].iter().zip(&ends[1]).map(|(from, to)| from + time * (to - from)).collect()
            };
            // Taken apart without `..`: a new field does not compile until it is perturbed below.
            // `met` claims something only where it is true: else the pair may still be as near as contact.
            let MotionImpact { pair: _, lower, upper, met: _, point, q: _ } = impact.clone();
            // Too late, too early, too wide, the wrong way round.
            let later = |by: f64| MotionImpact {
                lower: lower + by,
                upper: upper + by,
                q: at(0.5 * (lower + upper) + by),
                ..impact.clone()
            };
            assert!(with(later(1e-3)), "{impact:?}");
            assert!(with(later(-1e-3)), "{impact:?}");
            assert!(with(MotionImpact { lower: lower - 2e-3, ..impact.clone() }));
            assert!(with(MotionImpact { upper: upper + 2e-3, ..impact.clone() }));
            assert!(with(MotionImpact { lower: upper + 1e-6, ..impact.clone() }));
            assert!(with(MotionImpact { lower: f64::NAN, ..impact.clone() }));
            assert!(with(MotionImpact { upper: f64::NAN, ..impact.clone() }));
            // The configuration of another time, of no time, of another robot.
            assert!(with(MotionImpact { q: at(0.5 * (lower + upper) + 1e-3), ..impact.clone() }));
            for which in 0..impact.q.len() {
                let mut q = impact.q.clone();
                q[which] += 1e-4;
                assert!(with(MotionImpact { q: q.clone(), ..impact.clone() }));
                q[which] = f64::NAN;
                assert!(with(MotionImpact { q, ..impact.clone() }));
            }
            assert!(with(MotionImpact { q: Vec::new(), ..impact.clone() }));
            assert!(with(MotionImpact { point: impact.point + DVec3::new(0.0, 0.0, 2.0), ..impact.clone() }));
            assert!(with(MotionImpact { point: DVec3::NAN, ..impact.clone() }));
            for axis in DVec3::AXES {
                // No link is thicker than this.
                assert!(with(MotionImpact { point: point + axis, ..impact.clone() }));
                assert!(with(MotionImpact { point: point - axis, ..impact.clone() }));
            }
            for pair in (0..checker.pairs().len()).filter(|&pair| pair != impact.pair) {
                assert!(with(MotionImpact { pair, ..impact.clone() }));
            }
            assert!(with(MotionImpact { pair: checker.pairs().len(), ..impact.clone() }));
            // Shortly before it meets nothing yet: that it does is not true then.
            let before = at(lower - 3e-5);
            let unmet =
                MotionImpact { lower: lower - 4e-5, upper: lower - 2e-5, q: before, met: true, ..impact.clone() };
            assert!(with(unmet), "{impact:?}");
            assert!(refused(&Sweep { impact: None, ..sweep.clone() }));
        }
    }
}

#[test]
fn every_kind_of_joint_is_proved() {
    let ball = |name: &str, radius: f64| {
        format!(
            "<link name='{name}'><collision><origin xyz='0.2 0.1 0.3'/><geometry><sphere radius='{radius}'/>\
             </geometry></collision></link>"
        )
    };
    let joint = |name: &str, kind: &str, parent: &str, child: &str, more: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0.3 -0.2 0.5' rpy='0.4 1.1 -0.3'/>\
             <axis xyz='0.3 1 -0.2'/><limit lower='-2' upper='2'/>{more}</joint>"
        )
    };
    let text = [
        "<robot name='r'>".to_owned(),
        ball("root", 0.2),
        ["a", "b", "c", "d", "e", "side"].map(|name| ball(name, 0.05)).concat(),
        joint("j1", "revolute", "root", "a", ""),
        joint("j2", "prismatic", "a", "b", ""),
        joint("j3", "planar", "b", "c", ""),
        joint("j4", "floating", "c", "d", ""),
        joint("j5", "continuous", "d", "e", ""),
        joint("j6", "revolute", "a", "side", "<mimic joint='j2' multiplier='-0.7' offset='0.2'/>"),
        "</robot>".to_owned(),
    ];
    let robot = Robot::parse("r.urdf", &text.concat(), &LoadOptions::default()).unwrap();
    let allowed = clearance_robot::Allowed::adjacent(&robot);
    let checker = Checker::new(robot, CheckOptions { allowed, ..CheckOptions::default() }).unwrap();
    let options = SweepOptions { clearance: Some(1e-2), ..SweepOptions::default() };
    let mut state = checker.state();
    let mut count = [0, 0];
    for ends in checker.robot().random_configurations(4, 60).chunks(2) {
        // A part of the way, so that quaternions do not come near zero.
        let to: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(from, to)| from + 0.3 * (to - from)).collect();
        let Ok(sweep) = checker.sweep(&mut state, &ends[0], &to, &options) else { continue };
        checker.verify_sweep(&sweep, &ends[0], &to, &options).unwrap_or_else(|why| panic!("{why} {sweep:?}"));
        count[usize::from(sweep.impact.is_some())] += 1;
    }
    assert!(count[0] > 5 && count[1] > 2, "{count:?}");
}
