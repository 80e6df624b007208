//! Brackets, common to all answers: a value outside its bracket, and unexpected features, are refused.

use clearance::answer::{Contacts, LeastClearance};
use clearance::glam::DVec3;
use clearance::query::elementary_impact_with;
use clearance::query::{ElementaryKind, ElementaryOptions, ElementaryPair};
use clearance::shape::Feature;
use clearance::verify::Refusal;
use clearance::{Bracket, Pose, RigidMotion, Shape, contacts, least_clearance};

#[test]
fn contacts_have_no_features_in_their_witness() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let on_top = Pose::from_translation(DVec3::new(0.5, 0.5, 2.0)).unwrap();
    let found = contacts(&cube, &Pose::IDENTITY, &cube, &on_top);
    assert_eq!(found.verify(&cube, &Pose::IDENTITY, &cube, &on_top), Ok(()));
    for feature in [Feature::Vertex(7), Feature::Face(5)] {
        let (mut of_a, mut of_b) = (found.witness, found.witness);
        (of_a.a.feature, of_b.b.feature) = (feature, feature);
        for (witness, body) in [(of_a, "A"), (of_b, "B")] {
            let claim = Contacts { witness, ..found.clone() };
            let refused = claim.verify(&cube, &Pose::IDENTITY, &cube, &on_top);
            assert_eq!(refused, Err(Refusal::Feature { body }));
        }
    }
}

#[test]
fn a_least_clearance_has_no_parts_and_its_value_is_in_its_bracket() {
    let ball = Shape::sphere(1.0).unwrap();
    let still = RigidMotion::still(Pose::IDENTITY);
    let start = Pose::from_translation(DVec3::new(-9.0, 3.0, 0.0)).unwrap();
    let passing = RigidMotion::turning(start, DVec3::new(20.0, 0.0, 0.0), DVec3::Z, 1.0).unwrap();
    let found = least_clearance(&ball, &still, &ball, &passing).unwrap();
    let check = |claim: &LeastClearance| claim.verify(&ball, &still, &ball, &passing);
    assert_eq!(check(&found), Ok(()));
    assert!(found.gap.contains(found.gap.value));
    let (mut part, mut feature, mut high, mut low) = (found, found, found, found);
    part.witness.b.part = 1;
    feature.witness.a.feature = Feature::Face(0);
    high.gap.value = found.gap.upper + 1e-9;
    low.gap.value = found.gap.lower - 1e-9;
    assert_eq!(check(&part), Err(Refusal::Part));
    assert_eq!(check(&feature), Err(Refusal::Feature { body: "A" }));
    assert_eq!(check(&high), Err(Refusal::Disordered));
    assert_eq!(check(&low), Err(Refusal::Disordered));
}

#[test]
fn the_time_of_an_elementary_impact_lies_in_its_bracket() {
    let at = |z: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, -1.0, z), DVec3::new(0.5, 1.0, z)];
    let pair = ElementaryPair::new(ElementaryKind::EdgeEdge, at(1.0), at(-2.0)).unwrap();
    let impact = elementary_impact_with(&pair, &ElementaryOptions::default()).unwrap();
    assert_eq!(impact.verify(&pair), Ok(()));
    for value in [impact.time.lower - 1e-9, impact.time.upper + 1e-9] {
        let mut claim = impact;
        claim.time.value = value;
        assert_eq!(claim.verify(&pair), Err(Refusal::Disordered));
    }
}

#[test]
fn a_bracket_prints_only_proved_digits() {
    let of = |lower: f64, value: f64, upper: f64| Bracket { lower, value, upper }.to_string();
    assert_eq!(of(1.0, 1.0, 1.0), "1");
    assert_eq!(of(1.2344, 1.2345, 1.2346), "1.234");
    assert_eq!(of(-0.1, 0.0, 0.1), "0");
    assert_eq!(of(-3.0, 0.0, 5.0), "[-3, 5]");
    assert_eq!(of(0.0, 1.0, f64::INFINITY), "[0, inf]");
    // The printed number is within one unit of its last digit of every number in the bracket.
    for k in 0..300 {
        let value = (f64::from(k) * 0.7317).sin() * 10f64.powi(k % 13 - 6);
        let off = 10f64.powi(-(k % 17));
        let bracket = Bracket { lower: value - off, value, upper: value + 0.5 * off };
        let printed = bracket.to_string();
        if let Ok(number) = printed.parse::<f64>() {
            let decimals = printed.split_once('.').map_or(0, |(_, digits)| digits.len() as i32);
            let unit = 10f64.powi(-decimals) * (1.0 + 1e-9);
            assert!(
                (number - bracket.lower).abs() <= unit && (number - bracket.upper).abs() <= unit,
                "{bracket:?} {printed}"
            );
        }
    }
}
