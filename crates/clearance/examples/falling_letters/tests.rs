use std::ffi::OsString;

use super::*;
use crate::meeting::Lookout;
use crate::record::proved;
use crate::step::{STEP, STIFFNESS};
use crate::time_of_contact::{End, Guess, time_of_contact};

#[test]
fn letters_and_bowl_are_solids_that_begin_apart() {
    let bodies = scene(9);
    assert_eq!(bodies[0].triangles().len(), 176);
    let meetings = Lookout::new(&bodies, Depth::Global).look_around(&bodies, 1.0);
    assert_eq!(meetings.len(), 45);
    assert!(meetings.iter().all(|meeting| meeting.gap > 1e-4));
}

#[test]
fn with_the_global_depth_letters_come_to_rest_in_the_bowl() {
    let run = QUICK.run(Depth::Global);
    let (start, end) = (run.moments[0].energy, &run.end);
    assert!(end.kinetic_energy < 1e-3 * start, "{} J of {start} J", end.kinetic_energy);
    // The force at the start of a step acts for all of it: two bodies that get deeper by x meanwhile gain k x² / 2. A
    // letter that falls 0.17 m is no faster than 1.9 m/s.
    assert!(run.energy_gained < STIFFNESS * (1.9 * STEP).powi(2) / 2.0, "{} J", run.energy_gained);
    assert!(end.deepest[1] < 1e-3, "{:?}", end.deepest);
    assert_eq!((end.through, end.out), (0, 0));
    let bodies = &run.snapshots[4].bodies;
    let mut lookout = Lookout::new(bodies, Depth::Global);
    let resting: Vec<_> = lookout.look_around(bodies, 0.0).into_iter().filter(|meeting| meeting.gap < 0.0).collect();
    assert!(resting.len() >= 3);
    for meeting in resting {
        let [a, b] = meeting.pair.map(|k| &bodies[k]);
        let found = proved(a, b);
        found.verify(&a.shape, &a.pose(), &b.shape, &b.pose()).unwrap();
        assert!(-meeting.gap <= 1.1 * found.penetration.depth.upper, "the forces are those of the shortest way out");
    }
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let brief = Scale { steps: 160, ..QUICK };
    let drawn = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| picture(&[brief.run(Depth::Global)]))
    };
    let one = drawn(1);
    assert!(one.starts_with("<svg") && one.ends_with("</svg>\n") && one.len() > 10_000);
    assert!(one == drawn(3));
}

#[test]
fn with_depths_of_points_letters_do_not_come_to_rest() {
    for depth in [Depth::Corners, Depth::Edges] {
        let run = QUICK.run(depth);
        let (lower, said) = (run.end.deepest[0], run.end.said);
        assert!(run.end.through > 0 && lower > 1e-3, "{depth:?}: {lower}");
        assert!(lower > 2.0 * said, "{depth:?} says {said} of what is at least {lower}");
    }
}

#[test]
fn cubics_find_the_time_of_contact() {
    // A fall from 1 m: 5 t² of it at the time t, which a cubic has to the last digit.
    let at = |time: f64| End { time, gap: 1.0 - 5.0 * time * time, rate: -10.0 * time };
    let search = |guess: Guess| time_of_contact(guess, [at(0.0), at(1.0)], 1e-7, at);
    let cubic = search(Guess::Cubic);
    assert!((cubic.time - 0.2f64.sqrt()).abs() < 1e-12 && cubic.looks == 1);
    let [line, middle] = [Guess::Line, Guess::Middle].map(search);
    assert!(at(line.time).gap.abs() <= 1e-7 && line.looks > 2);
    assert!(at(middle.time).gap.abs() <= 1e-7 && middle.looks > line.looks);
    // Wrong rates only cost evaluations.
    let wrong = |time: f64| End { rate: 1e3 * (1.0 - 2.0 * time), ..at(time) };
    let found = time_of_contact(Guess::Cubic, [wrong(0.0), wrong(1.0)], 1e-7, wrong);
    assert!(at(found.time).gap.abs() <= 1e-7 && found.looks < 64, "{found:?}");
}

#[test]
fn arguments_are_checked() {
    let ask = |words: &[&str]| asked(words.iter().map(OsString::from).collect::<Vec<_>>().into_iter());
    assert_eq!(ask(&["--quick"]).unwrap().0.letters, 3);
    assert!(ask(&["--picture"]).is_err() && ask(&["quick"]).is_err());
    assert_eq!(ask(&["--picture", "a.svg"]).unwrap().1, Some("a.svg".into()));
}
