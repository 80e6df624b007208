//! Motions and the allowed-collision matrix, against fine samples and against what is known by construction.

use crate::common;

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{
    Against, Allowed, CheckOptions, Checker, LoadOptions, Matrix, MatrixOptions, Object, Proof, Reason, Robot,
    SweepOptions,
};
use common::{Folder, arm};

fn between(from: &[f64], to: &[f64], at: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + at * (to - from)).collect()
}

#[test]
fn no_sample_meets_before_the_first_impact() {
    let folder = Folder::new("motions");
    let robot = arm(&folder);
    let allowed = Allowed::adjacent(&robot);
    let pole = Object {
        name: "pole".into(),
        shape: Shape::cylinder(2.0, 0.02).unwrap(),
        pose: Pose::from_translation(DVec3::new(1.6, 0.3, 2.5)).unwrap(),
    };
    let checker = Checker::new(robot, CheckOptions { allowed, world: vec![pole], ..CheckOptions::default() }).unwrap();
    let mut state = checker.state();
    let options = SweepOptions { resolution: 1e-5, clearance: Some(1e-3), ..SweepOptions::default() };
    let (mut free, mut hit) = (0, 0);
    for ends in checker.robot().random_configurations(5, 80).chunks(2) {
        // Within two thirds of the limits of what turns.
        let [from, to] = [0, 1].map(|end: usize| vec![0.66 * ends[end][0], 0.66 * ends[end][1], ends[end][2]]);
        let swept = checker.sweep(&mut state, &from, &to, &options).unwrap();
        checker
            .verify_sweep(&swept, &from, &to, &options)
            .unwrap_or_else(|why| panic!("{why}: {from:?} {to:?} {swept:?}"));
        let until = swept.impact.as_ref().map_or(1.0, |impact| impact.lower);
        let mut least = f64::INFINITY;
        for step in 0..=50 {
            let at = f64::from(step) / 50.0;
            let nearest = checker.nearest(&mut state, &between(&from, &to, at), Against::All).unwrap().unwrap();
            if at < until {
                assert!(nearest.value > 0.0, "{from:?} {to:?} {at} {swept:?}");
            }
            least = least.min(nearest.value);
        }
        match (&swept.impact, &swept.clearance) {
            (Some(impact), None) => {
                hit += 1;
                assert!(impact.upper - impact.lower <= 16e-5 && impact.lower >= 0.0);
                // In the stretch the pair is nearer than the motion within it.
                let q = between(&from, &to, 0.5 * (impact.lower + impact.upper));
                assert!(checker.distances(&mut state, &q).unwrap()[impact.pair].gap.value < 1e-3);
            }
            (None, Some(clearance)) => {
                free += 1;
                assert!(clearance.lower <= least && clearance.upper <= least + 1e-3 + 1e-12, "{clearance:?} {least}");
                assert!(clearance.upper - clearance.lower <= 1e-3 && clearance.lower > 0.0, "{clearance:?}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(free > 5 && hit > 10, "{free} {hit}");
}

#[test]
fn thin_things_are_not_jumped_over() {
    // A plate a tenth of a millimetre thick on an arm of a metre passes a wire: ten samples see nothing.
    let text = "<robot name='r'><link name='base'/><link name='arm'><collision><origin xyz='0.5 0 0'/>
        <geometry><box size='1 0.0001 0.0001'/></geometry></collision></link>
        <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>";
    let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    let wire = Object {
        name: "wire".into(),
        shape: Shape::capsule(0.5, 0.00005).unwrap(),
        pose: Pose::from_translation(DVec3::new(0.0, 0.9, 0.0)).unwrap(),
    };
    let checker = Checker::new(robot, CheckOptions { world: vec![wire], ..CheckOptions::default() }).unwrap();
    let mut state = checker.state();
    let sampled = (0..=10).any(|step| checker.first_hit(&mut state, &[0.3 * f64::from(step)]).unwrap().is_some());
    assert!(!sampled);
    let swept = checker.sweep(&mut state, &[0.0], &[3.0], &SweepOptions::default()).unwrap();
    checker.verify_sweep(&swept, &[0.0], &[3.0], &SweepOptions::default()).unwrap();
    let impact = swept.impact.unwrap();
    // A quarter turn, less the angle of half the thickness of both at 0.9.
    let expected = (std::f64::consts::FRAC_PI_2 - (0.0001_f64 / 0.9).asin()) / 3.0;
    assert!(impact.lower <= expected && expected <= impact.upper + 1e-6, "{impact:?} {expected}");
    assert!(impact.point.distance(DVec3::new(0.0, 0.9, impact.point.z)) < 1e-3);
    // The other way round it is free, by as much as the wire is away.
    let options = SweepOptions { clearance: Some(1e-6), ..SweepOptions::default() };
    let swept = checker.sweep(&mut state, &[0.0], &[-3.0], &options).unwrap();
    checker.verify_sweep(&swept, &[0.0], &[-3.0], &options).unwrap();
    let clearance = swept.clearance.unwrap();
    assert!(swept.impact.is_none() && clearance.lower > 0.0 && clearance.upper - clearance.lower <= 1e-6);
    let wrong = SweepOptions { resolution: f64::NAN, ..SweepOptions::default() };
    assert!(checker.sweep(&mut state, &[0.0], &[1.0], &wrong).is_err());
}

#[test]
fn never_is_proved_refuted_or_left_open() {
    let folder = Folder::new("matrix");
    let robot = arm(&folder);
    let options = MatrixOptions { trials: 300, budget: 3000, ..MatrixOptions::default() };
    let matrix = Matrix::new(&robot, &options).unwrap();
    assert_eq!(matrix.pairs.len(), 10);
    let pair = |a: usize, b: usize| matrix.pairs.iter().find(|pair| pair.links == [a, b]).unwrap();
    assert_eq!(pair(0, 1).reason, Reason::Adjacent);
    assert_eq!(pair(3, 4).reason, Reason::Adjacent);
    assert!(pair(0, 2).met > 0 && pair(0, 2).reason == Reason::Checked);
    // Only the slide is between them.
    assert_eq!((pair(2, 4).reason, pair(2, 4).met), (Reason::Never, 0));
    assert!(matches!(pair(2, 4).proof, Proof::Proved { .. }), "{:?}", pair(2, 4));
    // No configuration meets a pair that was proved, and samples are no nearer than what was seen.
    let checker = Checker::new(robot.clone(), CheckOptions::default()).unwrap();
    let mut state = checker.state();
    for q in robot.random_configurations(9, 300) {
        for hit in checker.hits(&mut state, &q).unwrap() {
            let found = checker.pairs()[hit];
            assert!(!matches!(pair(found.a, found.b).proof, Proof::Proved { .. }), "{found:?}");
        }
    }
    // One sample sees little; the proof finds where the others meet.
    let hasty = Matrix::new(&robot, &MatrixOptions { trials: 1, budget: 3000, default: false, ..options }).unwrap();
    let refuted =
        hasty.pairs.iter().find(|pair| matches!(pair.proof, Proof::Refuted { .. })).expect("a pair that meets");
    assert_eq!(refuted.reason, Reason::Checked);
    let Proof::Refuted { q } = &refuted.proof else { unreachable!() };
    let met = checker.hits(&mut state, q).unwrap();
    assert!(met.iter().any(|&hit| [checker.pairs()[hit].a, checker.pairs()[hit].b] == refuted.links));
    assert!(Matrix::new(&robot, &MatrixOptions { min_collision_fraction: 2.0, ..MatrixOptions::default() }).is_err());
}
