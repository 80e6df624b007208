//! Moving bodies against exact rational arithmetic, over all scenarios of the oracle kit, and motions that are hard by
//! construction: thin, fast, grazing, sliding, starting in contact.

mod common;

use std::cmp::Ordering;

use clearance::glam::DVec3;
use clearance::{
    Impact, ImpactAlgorithm, ImpactOptions, Motion, PairCache, Pose, Shape, SweepAlgorithm, SweepOptions, Workspace,
    sweeps_meet, sweeps_meet_with, time_of_impact, time_of_impact_with, verify_impact,
};
use clearance_oracle::random::Random;
use clearance_oracle::rational::{Rational, add, scale, vector};
use clearance_oracle::{ExactSigned, OracleBody, Placed, Scenario, pair, signed_distance_placed};

const ALGORITHMS: [ImpactAlgorithm; 3] =
    [ImpactAlgorithm::Conservative, ImpactAlgorithm::IntervalHalving, ImpactAlgorithm::Brent];

/// A body and the way it goes in the step.
struct Mover {
    body: OracleBody,
    way: [f64; 3],
}

impl Mover {
    fn shape_and_motion(&self) -> (Shape, Motion) {
        let (shape, pose) = common::shape_and_pose(&self.body);
        (shape, Motion::translation(pose, DVec3::from_array(self.way)).unwrap())
    }

    /// Where the body is at a time, exactly.
    fn at(&self, time: f64) -> Placed {
        let placed = self.body.placed();
        let time = Rational::from_f64(time).unwrap();
        let moved = scale(&vector(self.way).unwrap(), &time);
        let points: Vec<_> = placed
            .points
            .iter()
            .map(|p| add(&p.each_ref().map(|x| Rational::new(x.clone(), placed.denominator.clone())), &moved))
            .collect();
        Placed { radius: placed.radius.clone(), ..Placed::from_points(&points) }
    }
}

fn truth(a: &Mover, b: &Mover, time: f64) -> ExactSigned {
    signed_distance_placed(&a.at(time), &b.at(time))
}

/// Checks every claim of every algorithm about a motion against the exact gap. Returns the default answer.
fn check_motion(label: &str, a: &Mover, b: &Mover) -> Option<Impact> {
    let ((shape_a, motion_a), (shape_b, motion_b)) = (a.shape_and_motion(), b.shape_and_motion());
    let context =
        |impact: &Option<Impact>| format!("{label}\n{impact:?}\n{:?} {:?}\n{:?} {:?}", a.body, a.way, b.body, b.way);
    let size = common::scale(&shape_a, &motion_a.start(), &shape_b, &motion_b.start())
        + (motion_b.displacement() - motion_a.displacement()).length();
    let meets = sweeps_meet(&shape_a, &motion_a, &shape_b, &motion_b);
    let doubled = SweepOptions { algorithm: SweepAlgorithm::PointDuplication, ..SweepOptions::default() };
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let other = sweeps_meet_with(&shape_a, &motion_a, &shape_b, &motion_b, &doubled, &mut cache, &mut workspace);
    assert_eq!(meets, other, "{label}: both forms of the swept set");

    let mut first = None;
    for algorithm in ALGORITHMS {
        let options = ImpactOptions { algorithm, ..ImpactOptions::default() };
        let mut cache = PairCache::default();
        let mut ask = |a: &Shape, ma: &Motion, b: &Shape, mb: &Motion| {
            time_of_impact_with(a, ma, b, mb, &options, &mut cache, &mut workspace)
        };
        let impact = ask(&shape_a, &motion_a, &shape_b, &motion_b);
        let text = || context(&impact);
        assert_eq!(impact.is_some(), meets, "sweeps\n{}", text());
        match &impact {
            None => {
                for step in 0..=8 {
                    let signed = truth(a, b, f64::from(step) / 8.0);
                    // The placed sets are apart; the real-number bodies are within their placement of them.
                    assert_ne!(signed.compare(-1e-14 * size), Ordering::Less, "missed\n{}", text());
                }
            }
            Some(impact) => {
                assert!(
                    0.0 <= impact.lower && impact.lower <= impact.t && impact.t <= impact.upper && impact.upper <= 1.0,
                    "{}",
                    text()
                );
                if impact.started_overlapping {
                    assert_eq!((impact.t, impact.upper), (0.0, 0.0));
                } else if impact.lower > 0.0 {
                    assert_ne!(truth(a, b, impact.lower).sign(), Ordering::Less, "lower\n{}", text());
                }
                let at_upper = truth(a, b, impact.upper);
                if !impact.touches {
                    assert_ne!(at_upper.compare(impact.gap), Ordering::Greater, "gap\n{}", text());
                    assert!(impact.gap <= 1e-13 * size, "gap\n{}", text());
                } else if a.body.dimension() == 3 || b.body.dimension() == 3 || a.body.radius + b.body.radius > 0.0 {
                    assert_ne!(at_upper.sign(), Ordering::Greater, "upper\n{}", text());
                }
                verify_impact(impact, &shape_a, &motion_a, &shape_b, &motion_b)
                    .unwrap_or_else(|refusal| panic!("{refusal}\n{}", text()));
            }
        }
        if algorithm == ImpactAlgorithm::Conservative {
            first = impact;
        }
    }
    let swapped = time_of_impact(&shape_b, &motion_b, &shape_a, &motion_a);
    if (&shape_a, motion_a.start()) != (&shape_b, motion_b.start()) {
        assert_eq!(swapped.is_some(), first.is_some());
        if let (Some(one), Some(other)) = (&first, &swapped) {
            assert_eq!((one.t, one.lower, one.upper, one.gap), (other.t, other.lower, other.upper, other.gap));
            assert_eq!((one.point_in_a, one.point_in_b), (other.point_in_b, other.point_in_a), "{}", context(&swapped));
            assert_eq!(one.normal, other.normal.map(|n| -n));
        }
    }
    first
}

/// Ways for the second body: towards the first, past it, far, none.
fn ways(random: &mut Random, a: &OracleBody, b: &OracleBody) -> Vec<[f64; 3]> {
    let middle = |body: &OracleBody| {
        let points = body.world_points();
        points.iter().map(|p| DVec3::from_array(*p)).sum::<DVec3>() / points.len() as f64
    };
    let between = middle(a) - middle(b);
    let across = DVec3::from_array(random.direction()) * between.length();
    let mut ways = vec![
        between * random.uniform(0.5, 2.0),
        between * random.uniform(0.5, 3.0) + across * random.uniform(0.0, 1.0),
        across,
        DVec3::ZERO,
    ];
    ways.push(ways[1] * 1e3);
    ways.into_iter().map(|way| way.to_array()).collect()
}

#[test]
fn scenarios_against_exact_truth() {
    let cases: u64 = std::env::var("CLEARANCE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (mut touched, mut near, mut clear, mut steps, mut most) = (0, 0, 0, 0, 0);
    for scenario in Scenario::ALL {
        for seed in 0..cases {
            let (a, b) = pair(scenario, seed);
            let mut random = Random::new(seed + 77);
            for (k, way) in ways(&mut random, &a, &b).into_iter().enumerate() {
                // Half of the way is the first body's.
                let half = way.map(|x| 0.5 * x);
                let (way_a, way_b) = if k == 1 { (half.map(|x| -x), half) } else { ([0.0; 3], way) };
                let a = Mover { body: a.clone(), way: way_a };
                let b = Mover { body: b.clone(), way: way_b };
                match check_motion(&format!("{scenario:?} {seed} {k}"), &a, &b) {
                    None => clear += 1,
                    Some(impact) => {
                        if impact.touches {
                            touched += 1
                        } else {
                            near += 1
                        }
                        steps += impact.steps;
                        most = most.max(impact.steps);
                    }
                }
            }
        }
    }
    println!("{touched} touch, {near} come near, {clear} are clear; {steps} readings, at most {most}");
    assert!(touched > 100 && clear > 100);
}
