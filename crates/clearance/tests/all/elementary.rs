//! Elementary tests of moving vertices, faces and edges: every solver against exact arithmetic, `verify` on every
//! answer, and every perturbed field refused.

use std::cmp::Ordering;

use clearance::answer::ElementaryImpact;
use clearance::glam::DVec3;
use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair, ElementarySolver, elementary_impact_batch};
use clearance::verify::Refusal;
use clearance::{Bracket, Error};
use clearance_oracle::moving::{MovingFeatures, TouchTime, first_touch};
use clearance_oracle::moving_pairs::{MovingScenario, moving_features};

use crate::common::false_claims::{NO_NUMBERS, with_no_numbers};
use crate::common::first_contact;

fn engine_pair(features: &MovingFeatures) -> ElementaryPair {
    let kind = if features.edges { ElementaryKind::EdgeEdge } else { ElementaryKind::VertexFace };
    ElementaryPair::new(kind, features.start.map(DVec3::from), features.end.map(DVec3::from)).unwrap()
}

fn with(solver: ElementarySolver) -> ElementaryOptions {
    ElementaryOptions { solver, ..Default::default() }
}

/// Checks for a bracket of neighbouring floats around the truth, or no impact where there is none.
fn is_right(impact: Option<ElementaryImpact>, truth: Option<&TouchTime>) -> bool {
    match (impact, truth) {
        (None, None) => true,
        (Some(impact), Some(truth)) => {
            truth.compare(impact.time.lower) != Ordering::Less
                && truth.compare(impact.time.upper) != Ordering::Greater
                && impact.time.upper <= impact.time.lower.next_up()
        }
        _ => false,
    }
}

/// Every scenario and both kinds: the exact solver against the oracle, alone and in a batch, every answer verified.
fn agree_with_the_oracle(scenarios: &[MovingScenario], seeds: std::ops::Range<u64>) {
    for &scenario in scenarios {
        for edges in [false, true] {
            let features: Vec<_> = seeds.clone().map(|seed| moving_features(scenario, edges, seed)).collect();
            let pairs: Vec<_> = features.iter().map(engine_pair).collect();
            let (batch, counts) = elementary_impact_batch(&pairs, &ElementaryOptions::default());
            assert_eq!(counts.filtered + counts.certified + counts.exact, pairs.len() as u64);
            for ((pair, features), (seed, in_batch)) in pairs.iter().zip(&features).zip(seeds.clone().zip(batch)) {
                let name = format!("{scenario:?}, edges {edges}, seed {seed}");
                let truth = first_touch(features);
                let impact = first_contact(pair, &ElementaryOptions::default());
                assert_eq!(impact, in_batch.ok(), "{name}: another answer in a batch");
                assert!(is_right(impact, truth.as_ref()), "{name}: {impact:?} {truth:?}");
                if let Some(impact) = impact {
                    assert_eq!(impact.verify(pair), Ok(()), "{name}: {impact:?}");
                    assert!(impact.point.is_finite());
                }
            }
        }
    }
}

#[test]
fn exact_answers_in_the_open() {
    agree_with_the_oracle(&MovingScenario::ALL[..8], 0..500);
}

#[test]
fn exact_answers_parallel_and_in_one_plane() {
    agree_with_the_oracle(&MovingScenario::ALL[8..13], 0..400);
}

#[test]
fn exact_answers_still_far_tiny_huge_and_thin() {
    agree_with_the_oracle(&MovingScenario::ALL[13..], 0..500);
}

/// The conservative solver misses nothing and its lower end is not late, at any cap on its work.
#[test]
fn inclusion_never_misses() {
    for scenario in MovingScenario::ALL {
        for edges in [false, true] {
            for seed in 0..60 {
                let features = moving_features(scenario, edges, seed);
                let Some(truth) = first_touch(&features) else { continue };
                let most_boxes = [1, 50, 2000][seed as usize % 3];
                let options = ElementaryOptions { most_boxes, ..with(ElementarySolver::Inclusion) };
                let impact = first_contact(&engine_pair(&features), &options);
                let lower = impact.unwrap_or_else(|| panic!("{scenario:?} {edges} {seed} missed")).time.lower;
                assert_ne!(truth.compare(lower), Ordering::Less, "{scenario:?} {edges} {seed}");
            }
        }
    }
}

/// With a minimum separation, features that come that near are found; farther ones are not.
#[test]
fn inclusion_with_a_separation() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let passing = |z: f64| {
        let corners = |x: f64| [DVec3::new(x, 0.25, z), face[0], face[1], face[2]];
        ElementaryPair::new(ElementaryKind::VertexFace, corners(-1.0), corners(1.0)).unwrap()
    };
    let options = ElementaryOptions { minimum_separation: 0.1, tolerance: 1e-5, ..with(ElementarySolver::Inclusion) };
    assert!(first_contact(&passing(0.0999), &options).is_some());
    assert!(first_contact(&passing(0.1001), &options).is_none());
    assert!(first_contact(&passing(0.0999), &with(ElementarySolver::Inclusion)).is_none());
}

/// In general position the comparison solvers find the same times.
#[test]
fn all_solvers_agree_on_plain_pairs() {
    let mut found = 0;
    for edges in [false, true] {
        for seed in 0..400 {
            let pair = engine_pair(&moving_features(MovingScenario::Passing, edges, seed));
            let exact = first_contact(&pair, &ElementaryOptions::default());
            for solver in [ElementarySolver::Cubic, ElementarySolver::Bisection] {
                let other = first_contact(&pair, &with(solver));
                assert_eq!(exact.is_some(), other.is_some(), "{solver:?} edges {edges} seed {seed}");
                if let (Some(exact), Some(other)) = (exact, other) {
                    assert!((exact.time.lower - other.time.lower).abs() < 1e-6, "{solver:?} {exact:?} {other:?}");
                }
            }
            found += usize::from(exact.is_some());
        }
    }
    assert!(found > 50, "only {found} of 800 touch");
}

/// A window that ends before the contact has none, one that ends at it or later has the same.
#[test]
fn windows_cut_off() {
    for scenario in MovingScenario::ALL {
        for seed in 0..60_u64 {
            let pair = engine_pair(&moving_features(scenario, seed.is_multiple_of(2), seed));
            let Some(impact) = first_contact(&pair, &ElementaryOptions::default()) else { continue };
            let until = |until: f64| first_contact(&pair, &ElementaryOptions { until, ..Default::default() });
            assert_eq!(until(impact.time.upper), Some(impact), "{scenario:?} {seed}");
            assert_eq!(until(f64::NAN), Some(impact));
            assert_eq!(until(7.0), Some(impact));
            let halfway = 0.5 * (1.0 + impact.time.upper);
            assert_eq!(until(halfway), Some(impact), "{scenario:?} {seed}");
            if impact.time.lower > 0.0 {
                assert_eq!(until(impact.time.lower.next_down()), None, "{scenario:?} {seed}");
                assert_eq!(until(0.5 * impact.time.lower), None);
                if impact.time.lower < impact.time.upper {
                    assert_eq!(until(impact.time.lower), None);
                }
            }
        }
    }
}

/// In any order of the corners the time is bit-identical.
#[test]
fn the_order_of_corners_does_not_matter() {
    for scenario in MovingScenario::ALL {
        for seed in 0..40 {
            for edges in [false, true] {
                let features = moving_features(scenario, edges, seed);
                let time = |order: [usize; 4]| {
                    let (start, end) = (order.map(|k| features.start[k]), order.map(|k| features.end[k]));
                    let pair = engine_pair(&MovingFeatures { edges, start, end });
                    first_contact(&pair, &ElementaryOptions::default())
                        .map(|impact| (impact.time.lower, impact.time.upper))
                };
                let orders = if edges { [[1, 0, 2, 3], [2, 3, 0, 1]] } else { [[0, 2, 3, 1], [0, 1, 3, 2]] };
                for order in orders {
                    assert_eq!(time([0, 1, 2, 3]), time(order), "{scenario:?} {edges} {seed} {order:?}");
                }
            }
        }
    }
}

/// Two crossings between the same two floats, of which only the second is a contact; and a contact at a time of 1e-300.
#[test]
fn roots_closer_than_floats_and_next_to_zero() {
    // The volume is (t - 1/2)^2 - tiny, by the height of the vertex; near the side y = 0 the vertex enters between the
    // two.
    let tiny = 2_f64.powi(-60);
    let end = |h: f64| {
        [DVec3::new(0.5 * h + 0.25, 0.25, 0.5 * h + tiny), DVec3::ZERO, DVec3::new(1.0, 0.0, 2.0 * h), DVec3::Y]
    };
    let pair = ElementaryPair::new(ElementaryKind::VertexFace, end(-0.5), end(0.5)).unwrap();
    let features = MovingFeatures {
        edges: false,
        start: pair.start().map(|p| p.to_array()),
        end: pair.end().map(|p| p.to_array()),
    };
    let impact = first_contact(&pair, &ElementaryOptions::default());
    assert!(is_right(impact, first_touch(&features).as_ref()));
    let falling = |x: f64| [DVec3::new(0.25, 0.25, x), DVec3::ZERO, DVec3::X, DVec3::Y];
    let pair = ElementaryPair::new(ElementaryKind::VertexFace, falling(1e-300), falling(-1.0)).unwrap();
    let impact = first_contact(&pair, &ElementaryOptions::default()).unwrap();
    assert!(impact.time.lower > 0.0 && impact.time.lower <= 1e-300 && impact.time.upper >= 0.999e-300, "{impact:?}");
    assert_eq!(impact.verify(&pair), Ok(()));
}

/// A vertex that falls into the middle of a face, and edges that cross.
fn plain() -> [(ElementaryPair, ElementaryImpact); 2] {
    let face = |z: f64| [DVec3::new(0.25, 0.5, z), DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.5)];
    let edges = |z: f64| {
        [DVec3::new(-1.0, 0.2, 0.0), DVec3::new(1.5, 0.1, 0.1), DVec3::new(0.1, -1.0, z), DVec3::new(0.3, 1.0, z)]
    };
    let pair = |kind, start, end| {
        let pair = ElementaryPair::new(kind, start, end).unwrap();
        (pair, first_contact(&pair, &ElementaryOptions::default()).unwrap())
    };
    [pair(ElementaryKind::VertexFace, face(1.0), face(-1.0)), pair(ElementaryKind::EdgeEdge, edges(1.0), edges(-0.7))]
}

#[test]
fn verify_refuses_every_field_that_is_wrong() {
    for (pair, right) in plain() {
        assert_eq!(right.verify(&pair), Ok(()));
        // Destructured without `..`: a new field does not compile until it is perturbed below.
        let ElementaryImpact { time: Bracket { lower: _, upper: _, .. }, point: _, coordinates: _, normal } = right;
        assert!(normal.is_some());
        let refused = |what: &str, change: &dyn Fn(&mut ElementaryImpact)| {
            let mut impact = right;
            change(&mut impact);
            assert!(impact.verify(&pair).is_err(), "{what}: {impact:?}");
        };
        refused("later", &|impact| {
            impact.time.lower = impact.time.upper.next_up();
            impact.time.upper = impact.time.lower;
        });
        refused("earlier", &|impact| {
            impact.time.upper = impact.time.lower.next_down();
            impact.time.lower = impact.time.upper;
        });
        refused("lower too early", &|impact| impact.time.lower -= 1e-12);
        refused("upper too late", &|impact| impact.time.upper += 1e-12);
        refused("exchanged", &|impact| {
            (impact.time.lower, impact.time.upper) = (impact.time.upper.next_up(), impact.time.lower)
        });
        for wrong in NO_NUMBERS {
            refused("lower is not a number", &|impact| impact.time.lower = wrong);
            refused("upper is not a number", &|impact| impact.time.upper = wrong);
            refused("coordinate is not a number", &|impact| impact.coordinates[0] = wrong);
            refused("coordinate is not a number", &|impact| impact.coordinates[1] = wrong);
        }
        for wrong in with_no_numbers(right.point) {
            refused("point is not a number", &|impact| impact.point = wrong);
        }
        for wrong in with_no_numbers(DVec3::Z) {
            refused("normal is not a number", &|impact| impact.normal = Some(wrong));
        }
        refused("point", &|impact| impact.point.y += 1e-12);
        refused("point at infinity", &|impact| impact.point.z = f64::INFINITY);
        refused("first coordinate", &|impact| impact.coordinates[0] += 1e-12);
        refused("second coordinate", &|impact| impact.coordinates[1] -= 1e-12);
        refused("outside", &|impact| impact.coordinates[0] = -0.1);
        refused("no normal", &|impact| impact.normal = None);
        refused("opposite normal", &|impact| impact.normal = impact.normal.map(|n| -n));
        refused("longer normal", &|impact| impact.normal = impact.normal.map(|n| n * 1.000_000_1));
        refused("turned normal", &|impact| {
            impact.normal = impact.normal.map(|n| (n + 1e-9 * n.any_orthonormal_vector()).normalize());
        });
    }
    // A contact before the reported one.
    let [(pair, _), _] = plain();
    let mut late = pair.end();
    late[0].z = 0.25;
    let pair = ElementaryPair::new(pair.kind(), pair.start(), late).unwrap();
    let impact = first_contact(&pair, &ElementaryOptions::default());
    assert!(impact.is_none_or(|impact| impact.verify(&pair).is_ok()));
}

/// Of two contacts the second is refused, naming the earlier one.
#[test]
fn verify_names_an_earlier_contact() {
    // In the plane: the vertex enters the face at 1/4 and leaves it at 3/4.
    let corners = |x: f64| [DVec3::new(x, 0.5, 0.0), DVec3::ZERO, DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    let pair = ElementaryPair::new(ElementaryKind::VertexFace, corners(-0.25), corners(0.75)).unwrap();
    let right = first_contact(&pair, &ElementaryOptions::default()).unwrap();
    assert_eq!((right.time.lower, right.time.upper, right.normal), (0.25, 0.25, Some(DVec3::Z)));
    let later = ElementaryImpact {
        time: Bracket::between(0.75, 0.75),
        point: DVec3::new(0.5, 0.5, 0.0),
        coordinates: [0.5, 0.5],
        ..right
    };
    let refusal = later.verify(&pair);
    assert!(matches!(refusal, Err(Refusal::Before { .. })), "{refusal:?}");
}

#[test]
fn normals_and_places_by_hand() {
    let [(_, face), (_, edges)] = plain();
    // The vertex goes down, the first edge goes up beside the second, which goes down.
    assert!(face.normal.unwrap().z < -0.9 && edges.normal.unwrap().z > 0.9);
    assert_eq!(face.point.truncate().to_array(), [0.25, 0.5]);
    // No normal without area, or of parallel edges.
    let thin = |z: f64| [DVec3::new(0.5, 0.0, z), DVec3::ZERO, DVec3::X, DVec3::X];
    let pair = ElementaryPair::new(ElementaryKind::VertexFace, thin(1.0), thin(-1.0)).unwrap();
    let impact = first_contact(&pair, &ElementaryOptions::default()).unwrap();
    assert_eq!((impact.time.lower, impact.time.upper, impact.normal, impact.point.x), (0.5, 0.5, None, 0.5));
    let side = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, z), DVec3::new(1.5, 0.0, z)];
    let pair = ElementaryPair::new(ElementaryKind::EdgeEdge, side(1.0), side(-1.0)).unwrap();
    let impact = first_contact(&pair, &ElementaryOptions::default()).unwrap();
    assert_eq!((impact.time.lower, impact.time.upper, impact.normal), (0.5, 0.5, None));
}

#[test]
fn bad_corners_are_named() {
    let corners = [DVec3::ZERO; 4];
    let mut bad = corners;
    bad[2].y = f64::NAN;
    let refused = |start, end| ElementaryPair::new(ElementaryKind::EdgeEdge, start, end).unwrap_err();
    assert!(matches!(refused(bad, corners), Error::NotFinite { index: 2, .. }));
    assert!(matches!(refused(corners, bad), Error::NotFinite { index: 6, .. }));
    bad[2].y = 2e60;
    assert!(matches!(refused(corners, bad), Error::TooLarge { index: 6, .. }));
}
