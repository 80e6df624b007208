//! The allowed-collision matrix where its answers are known by construction.

use clearance_robot::{LinkPair, LoadOptions, Matrix, MatrixOptions, Proof, Reason, Robot};

fn robot(inside: &str) -> Robot {
    Robot::parse("r.urdf", &format!("<robot name='r'>{inside}</robot>"), &LoadOptions::default()).unwrap()
}

fn ball(name: &str, at: &str, radius: f64) -> String {
    format!(
        "<link name='{name}'><collision><origin xyz='{at}'/><geometry><sphere radius='{radius}'/></geometry>\
         </collision></link>"
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{more}</joint>")
}

/// What a matrix says of two links.
fn pair<'m>(matrix: &'m Matrix, robot: &Robot, one: &str, other: &str) -> &'m LinkPair {
    let mut links = [one, other].map(|name| robot.link(name, "the test").unwrap());
    links.sort_unstable();
    matrix.pairs.iter().find(|pair| pair.links == links).unwrap()
}

/// No samples, and nothing disabled but what is proved.
const PROOF_ALONE: MatrixOptions =
    MatrixOptions { trials: 0, seed: 1, min_collision_fraction: 1.0, default: false, always: false, budget: 2000 };

#[test]
fn what_never_moves_is_decided_without_samples() {
    // Three balls glued in a row; the first is large enough to reach the third, and not the fourth.
    let glue = |name: &str, parent: &str, child: &str| joint(name, "fixed", parent, child, "<origin xyz='1 0 0'/>");
    let made = robot(
        &[
            ball("a", "0 0 0", 1.8),
            ball("b", "0 0 0", 0.1),
            ball("c", "0 0 0", 0.3),
            ball("d", "0 0 0", 0.3),
            glue("ab", "a", "b"),
            glue("bc", "b", "c"),
            glue("cd", "c", "d"),
        ]
        .concat(),
    );
    let matrix = Matrix::new(&made, &PROOF_ALONE).unwrap();
    let meets = pair(&matrix, &made, "a", "c");
    assert_eq!((meets.reason, &meets.proof), (Reason::Checked, &Proof::Refuted { q: vec![] }));
    let apart = pair(&matrix, &made, "a", "d");
    assert_eq!((apart.reason, &apart.proof), (Reason::Never, &Proof::Proved { boxes: 0 }));
    // It meets in every configuration there is, and in that of all joints at zero.
    for (options, reason) in [
        (MatrixOptions { always: true, ..PROOF_ALONE }, Reason::Always),
        (MatrixOptions { default: true, ..PROOF_ALONE }, Reason::Default),
    ] {
        let matrix = Matrix::new(&made, &options).unwrap();
        let meets = pair(&matrix, &made, "a", "c");
        assert_eq!((meets.reason, &meets.proof), (reason, &Proof::NotTried));
        assert_eq!(pair(&matrix, &made, "a", "d").reason, Reason::Never);
    }
    // Without a budget nothing is proved, and nothing is called never.
    let matrix = Matrix::new(&made, &MatrixOptions { budget: 0, ..PROOF_ALONE }).unwrap();
    assert_eq!(pair(&matrix, &made, "a", "d").reason, Reason::Checked);
}

#[test]
fn angles_without_end_are_proved_all_the_way_round() {
    // An arm turns about z by a part of the angle of a wheel. A post stands behind: where the arm is after half a turn
    // of its own.
    let follower = |kind: &str, multiplier: f64| {
        robot(
            &[
                "<link name='base'/><link name='wheel'/>".to_owned(),
                ball("post", "-1 0 0", 0.1),
                ball("arm", "1 0 0", 0.1),
                joint("stand", "fixed", "base", "post", ""),
                joint("lead", "continuous", "base", "wheel", "<axis xyz='0 0 1'/>"),
                joint(
                    "follow",
                    kind,
                    "base",
                    "arm",
                    &format!(
                        "<axis xyz='0 0 1'/><limit lower='-9' upper='9'/>\
                         <mimic joint='lead' multiplier='{multiplier}'/>"
                    ),
                ),
            ]
            .concat(),
        )
    };
    let proof = |kind: &str, multiplier: f64| {
        let made = follower(kind, multiplier);
        pair(&Matrix::new(&made, &PROOF_ALONE).unwrap(), &made, "post", "arm").proof.clone()
    };
    // Half the angle: with the wheel from -pi to pi the arm does not come behind, and after a whole turn of the wheel
    // it does.
    let Proof::Refuted { q } = proof("continuous", 0.5) else { panic!("{:?}", proof("continuous", 0.5)) };
    assert!(q[0].abs() > std::f64::consts::PI, "{q:?}");
    assert!(matches!(proof("continuous", -2.0), Proof::Refuted { .. }));
    // Where it will be after so many turns nobody knows.
    assert_eq!(proof("continuous", 0.3), Proof::Open { boxes: 0 });
    assert_eq!(proof("prismatic", 0.1), Proof::Open { boxes: 0 });
    assert!(matches!(proof("continuous", 0.0), Proof::Proved { .. }));
}

/// A ball on a slide of a metre, which meets a wall in the first `part` of it, or with its other ball in the last.
fn slide(part: f64) -> Robot {
    // The wall is the plate from -1 to 0; the balls reach 0.1 less than where they begin.
    let wall = "<link name='wall'><collision><origin xyz='-0.5 0 0'/><geometry><box size='1 9 9'/></geometry>\
      </collision>\
                <collision><origin xyz='3.5 0 0'/><geometry><box size='1 9 9'/></geometry></collision></link>";
    let carriage = format!(
        "<link name='carriage'><collision><origin xyz='{} 0 0'/><geometry><sphere radius='0.1'/></geometry></collision>\
         <collision><origin xyz='{} 0 0'/><geometry><sphere radius='0.1'/></geometry></collision></link>",
        0.1 - part,
        3.0 - 0.1 - (1.0 - part),
    );
    robot(
        &[
            "<link name='base'/>",
            wall,
            &carriage,
            &joint("stand", "fixed", "base", "wall", ""),
            &joint("slide", "prismatic", "base", "carriage", "<axis xyz='1 0 0'/><limit lower='0' upper='1'/>"),
        ]
        .concat(),
    )
}

#[test]
fn a_configuration_in_which_links_meet_counts_once() {
    // One ball meets the wall in the first two fifths, the other in the last two: in four fifths the links meet.
    let made = slide(0.4);
    let options = MatrixOptions { trials: 2000, default: false, ..MatrixOptions::default() };
    let matrix = Matrix::new(&made, &options).unwrap();
    let met = pair(&matrix, &made, "wall", "carriage").met;
    assert!((1500..1700).contains(&met), "{met}");
    // Both at once, in all of the way: no more than the trials.
    let made = slide(1.0);
    let matrix = Matrix::new(&made, &options).unwrap();
    assert_eq!(pair(&matrix, &made, "wall", "carriage").met, 2000);
}

#[test]
fn default_and_always_by_fractions() {
    let asked = |part: f64, options: MatrixOptions| {
        let made = slide(part);
        let matrix = Matrix::new(&made, &MatrixOptions { trials: 1000, ..options }).unwrap();
        pair(&matrix, &made, "wall", "carriage").reason
    };
    let options = |default: bool, always: bool, min_collision_fraction: f64| MatrixOptions {
        default,
        always,
        min_collision_fraction,
        ..MatrixOptions::default()
    };
    // At zero, where the slide begins, the first ball meets the wall.
    assert_eq!(asked(0.2, options(true, false, 1.0)), Reason::Default);
    assert_eq!(asked(0.2, options(true, true, 0.3)), Reason::Default);
    assert_eq!(asked(0.2, options(false, false, 0.3)), Reason::Checked);
    // In two fifths of the configurations.
    assert_eq!(asked(0.2, options(false, true, 0.3)), Reason::Always);
    assert_eq!(asked(0.2, options(false, true, 0.5)), Reason::Checked);
    assert_eq!(asked(0.2, options(false, true, 1.0)), Reason::Checked);
    // In all of them.
    assert_eq!(asked(1.0, options(false, true, 1.0)), Reason::Always);
    assert_eq!(asked(1.0, options(false, false, 1.0)), Reason::Checked);
    // A fraction of nothing does not make those meet always that never do.
    let never = slide(-0.5);
    let matrix = Matrix::new(&never, &MatrixOptions { trials: 100, ..options(false, true, 0.0) }).unwrap();
    assert_eq!(pair(&matrix, &never, "wall", "carriage").reason, Reason::Never);
}
