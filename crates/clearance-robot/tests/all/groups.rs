//! Groups of bodies: what they settle, and that answers are the same to the bit with them and without.

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_robot::{Allowed, CheckOptions, Checker, Culling, LoadOptions, Object, Robot, Sweep, SweepOptions};

use crate::common::{Folder, arm, snake};

/// A motion with groups and without, which have to agree in all but how much was looked at.
fn both(checker: &Checker, from: &[f64], to: &[f64], options: &SweepOptions) -> [Sweep; 2] {
    let [groups, pairs] = [Culling::Groups, Culling::Pairs].map(|culling| {
        let options = SweepOptions { culling, ..*options };
        checker.sweep(&mut checker.state(), from, to, &options).unwrap()
    });
    assert_eq!((&groups.impact, &groups.clearance), (&pairs.impact, &pairs.clearance), "{from:?} {to:?}");
    [groups, pairs]
}

/// What was seen of many motions: how many are free and how many not, and how many stretches were looked at with groups
/// and without.
#[derive(Default)]
struct Seen {
    free: usize,
    met: usize,
    stretches: [u64; 2],
}

fn motions(checker: &Checker, seed: u64, count: usize, part: f64, options: &SweepOptions) -> Seen {
    let mut seen = Seen::default();
    for ends in checker.robot().random_configurations(seed, 2 * count).chunks(2) {
        let from: Vec<f64> = ends[0].iter().map(|value| part * value).collect();
        let to: Vec<f64> = ends[1].iter().map(|value| part * value).collect();
        let swept = both(checker, &from, &to, options);
        *(if swept[0].impact.is_none() { &mut seen.free } else { &mut seen.met }) += 1;
        for (sum, swept) in seen.stretches.iter_mut().zip(&swept) {
            *sum += swept.stretches;
        }
    }
    seen
}

/// Boxes on a lattice about the origin, each turned another way.
fn lattice(count: usize, apart: f64, half: f64) -> Vec<Object> {
    let object = |number: usize| {
        let cell = DVec3::new((number % 13) as f64 - 6.0, (number / 13 % 13) as f64 - 6.0, (number / 169) as f64 - 3.0);
        let place = apart * (cell + DVec3::new(0.4, 0.3, 0.45));
        Object {
            name: format!("box {number}"),
            shape: Shape::cuboid(half * DVec3::new(1.0, 0.7, 0.4)).unwrap(),
            pose: Pose::from_axis_angle(DVec3::new(1.0, 0.3, -0.5), number as f64, place).unwrap(),
        }
    };
    (0..count).map(object).collect()
}

#[test]
fn long_chains_are_answered_the_same_to_the_bit() {
    for (joints, part, count) in [(10, 0.6, 30), (30, 0.2, 12), (30, 0.02, 12)] {
        let robot = snake(joints);
        let allowed = Allowed::adjacent(&robot);
        let checker = Checker::new(robot, CheckOptions { allowed, ..CheckOptions::default() }).unwrap();
        let options = SweepOptions { clearance: Some(1e-3), ..SweepOptions::default() };
        let seen = motions(&checker, 5, count, part, &options);
        println!("{joints} joints: {} free, {} met, {:?}", seen.free, seen.met, seen.stretches);
        assert!(seen.free > 0, "{joints} {part}");
    }
}

#[test]
fn large_worlds_are_answered_the_same_to_the_bit() {
    let folder = Folder::new("groups_worlds");
    let robot = arm(&folder);
    let allowed = Allowed::adjacent(&robot);
    let mut world = lattice(1000, 1.1, 0.1);
    world[17].shape = Shape::half_space(DVec3::Z, -30.0).unwrap();
    world[17].pose = Pose::IDENTITY;
    let mut options = CheckOptions { allowed, world, padding: 0.01, ..CheckOptions::default() };
    // Without the objects that the arm meets where it begins.
    let checker = Checker::new(robot.clone(), options.clone()).unwrap();
    let hits = checker.hits(&mut checker.state(), &[0.0; 3]).unwrap();
    let met: Vec<&str> = hits.iter().map(|&pair| checker.name(checker.pairs()[pair].b)).collect();
    options.world.retain(|object| !met.contains(&object.name.as_str()));
    let checker = Checker::new(robot, options).unwrap();
    let seen = motions(&checker, 3, 24, 0.1, &SweepOptions::default());
    println!("{} free, {} met, {:?}", seen.free, seen.met, seen.stretches);
    assert!(seen.free > 2, "{} {}", seen.free, seen.met);
    let farther = motions(&checker, 4, 12, 0.5, &SweepOptions::default());
    assert!(farther.met > 2, "{} {}", farther.free, farther.met);
    // Most objects are far from the arm, and looked at together.
    assert!(seen.stretches[0] * 3 < seen.stretches[1], "{:?}", seen.stretches);
}

#[test]
fn every_kind_of_joint_is_answered_the_same_to_the_bit() {
    let part = |name: &str| {
        format!(
            "<link name='{name}'><collision><origin xyz='0.3 0 0'/><geometry><box size='0.4 0.1 0.2'/></geometry>\
             </collision></link>"
        )
    };
    let joint = |name: &str, kind: &str, parent: &str, child: &str, more: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='0.6 0 0'/>\
             <axis xyz='0 0.6 0.8'/><limit lower='-1' upper='1'/>{more}</joint>"
        )
    };
    let text = [
        "<robot name='r'>".into(),
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(part).concat(),
        joint("ab", "revolute", "a", "b", ""),
        joint("bc", "prismatic", "b", "c", ""),
        joint("cd", "continuous", "c", "d", "<mimic joint='ab' multiplier='-0.7' offset='0.2'/>"),
        joint("de", "fixed", "d", "e", ""),
        joint("bf", "planar", "b", "f", ""),
        joint("fg", "continuous", "f", "g", ""),
        joint("ah", "floating", "a", "h", ""),
        "</robot>".into(),
    ]
    .concat();
    let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    let allowed = Allowed::adjacent(&robot);
    let world = lattice(700, 1.6, 0.15);
    let checker = Checker::new(robot, CheckOptions { allowed, world, ..CheckOptions::default() }).unwrap();
    let (mut free, mut met) = (0, 0);
    for ends in checker.robot().random_configurations(4, 80).chunks(2) {
        // A short way; quaternions are drawn of unit length.
        let to: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(from, to)| from + 0.05 * (to - from)).collect();
        let swept = both(&checker, &ends[0], &to, &SweepOptions { clearance: Some(1e-2), ..SweepOptions::default() });
        *(if swept[0].impact.is_none() { &mut free } else { &mut met }) += 1;
    }
    assert!(free > 3 && met > 3, "{free} {met}");
}

#[test]
fn a_snake_of_forty_joints_is_proved_anew() {
    let robot = snake(40);
    let allowed = Allowed::adjacent(&robot);
    let pole = Object {
        name: "pole".into(),
        shape: Shape::cylinder(3.0, 0.05).unwrap(),
        pose: Pose::from_translation(DVec3::new(2.5, 0.6, 0.0)).unwrap(),
    };
    let checker = Checker::new(robot, CheckOptions { allowed, world: vec![pole], ..CheckOptions::default() }).unwrap();
    let options = SweepOptions::default();
    // It bends a little, every joint another way; and as a whole to the side, until it meets the pole.
    let from = vec![0.0; 40];
    let little: Vec<f64> = (0..40).map(|joint| 0.02 * (f64::from(joint) * 1.7).sin()).collect();
    let aside: Vec<f64> = (0..40).map(|joint| if joint % 2 == 1 { 0.06 } else { 0.0 }).collect();
    let mut state = checker.state();
    let free = checker.sweep(&mut state, &from, &little, &options).unwrap();
    assert!(free.impact.is_none(), "{free:?}");
    checker.verify_sweep(&free, &from, &little, &options).unwrap();
    let met = checker.sweep(&mut state, &from, &aside, &options).unwrap();
    let impact = met.impact.as_ref().unwrap();
    assert_eq!(checker.name(checker.pairs()[impact.pair].b), "pole");
    checker.verify_sweep(&met, &from, &aside, &options).unwrap();
    // All pairs alone take more looks.
    let alone = SweepOptions { culling: Culling::Pairs, ..options };
    let alone = checker.sweep(&mut checker.state(), &from, &little, &alone).unwrap();
    println!("{} {}", free.stretches, alone.stretches);
    assert!(free.stretches < alone.stretches, "{} {}", free.stretches, alone.stretches);
}
