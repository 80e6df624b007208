//! `verify` refuses every false claim: each field of each answer type is perturbed in turn, over pairs of every kind.
//!
//! The structs are destructured without `..`, so a new field does not compile until it is perturbed here too.

use clearance::answer::{
    Distance, Evidence, Method, Penetration, RelationProof, Stopped, Volume, Witness, WitnessPoint,
};
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, PenetrationOptions, distance_with, penetration_with};
use clearance::shape::Feature;
use clearance::{Bracket, PairCache, Pose, Relation, Shape, Workspace, distance, overlap_volume, penetration};
use clearance_oracle::random::Random;
use common::false_claims::{
    Case, NO_NUMBERS, moved, moves, no_normals, other_normals, perturb_gap, perturb_no_gap, with_a, with_b,
    with_no_numbers,
};

use crate::common;

/// The rotation of a normal of convex bodies that must be refused.
const TURN: f64 = 1e-5;

/// The signed gap between the supporting planes across a direction, rounded.
fn gap_along(case: &Case, direction: DVec3) -> f64 {
    let reach = |shape: &Shape, pose: &Pose, direction: DVec3| {
        let (vertices, radius): (Vec<DVec3>, f64) = match shape {
            Shape::Sphere(sphere) => (vec![DVec3::ZERO], sphere.radius()),
            Shape::Cuboid(cuboid) => ((0..8).map(|v| cuboid.vertex(v)).collect(), 0.0),
            Shape::Hull(hull) => (hull.vertices().collect(), 0.0),
            other => panic!("{other:?}"),
        };
        let along = |v: &DVec3| direction.dot(pose.transform_point(*v));
        vertices.iter().map(along).fold(f64::NEG_INFINITY, f64::max) + radius
    };
    -reach(&case.b, &case.pose_b, -direction) - reach(&case.a, &case.pose_a, direction)
}

fn hull(vertices: usize, seed: u64) -> Shape {
    let mut random = Random::new(seed);
    let points: Vec<[f64; 3]> = (0..vertices).map(|_| random.direction()).collect();
    Shape::hull(&points).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

/// Pairs of bodies about one unit in size, in general position, B at `apart` units from A.
fn pairs(apart: f64) -> Vec<Case> {
    let sphere = |radius| Shape::sphere(radius).unwrap();
    let bodies = [
        ("sphere and box", sphere(0.7), cuboid(0.4, 0.9, 0.6)),
        ("box and box", cuboid(0.5, 0.8, 0.3), cuboid(0.7, 0.2, 0.9)),
        ("box and the same box", cuboid(0.5, 0.8, 0.3), cuboid(0.5, 0.8, 0.3)),
        ("hulls of 12", hull(12, 1), hull(12, 2)),
        ("hulls of 60", hull(60, 3), hull(60, 4)),
        ("hull of 60 and box", hull(60, 5), cuboid(0.3, 0.4, 0.8)),
        ("hull of 12 and sphere", hull(12, 6), sphere(0.6)),
        ("sphere and sphere", sphere(0.8), sphere(0.5)),
    ];
    let pose = |axis: DVec3, angle: f64, at: DVec3| Pose::from_axis_angle(axis, angle, at).unwrap();
    let pose_a = pose(DVec3::new(0.3, -0.7, 0.4), 1.1, DVec3::new(0.31, -2.2, 5.7));
    let towards = DVec3::new(0.61, 0.47, -0.53).normalize();
    let pose_b = pose(DVec3::new(-0.2, 0.5, 0.9), 2.3, pose_a.translation() + towards * apart);
    bodies.map(|(name, a, b)| Case { name, a, pose_a, b, pose_b }).into_iter().collect()
}

/// The features of a body, each with the core vertices that span it.
fn features(shape: &Shape) -> Vec<(Feature, Vec<u32>)> {
    match shape {
        Shape::Cuboid(_) => {
            let mut all: Vec<_> = (0..8).map(|v| (Feature::Vertex(v), vec![v])).collect();
            for axis in 0..3u32 {
                let (low, high) = [(1, 2), (0, 2), (0, 1)][axis as usize];
                all.extend((0..4u32).map(|j| {
                    let start = (j & 1) << low | (j >> 1) << high;
                    (Feature::Edge(4 * axis + j), vec![start, start | 1 << axis])
                }));
                all.extend(
                    (0..2u32).map(|sign| {
                        (Feature::Face(2 * axis + sign), (0..8).filter(|v| v >> axis & 1 == sign).collect())
                    }),
                );
            }
            all
        }
        Shape::Hull(hull) => {
            let vertices = (0..hull.vertex_count()).map(|v| (Feature::Vertex(hull.input_index(v)), vec![v as u32]));
            let edges = hull.edges().iter().enumerate().map(|(e, ends)| (Feature::Edge(e as u32), ends.to_vec()));
            let faces = hull.faces().enumerate().map(|(f, corners)| (Feature::Face(f as u32), corners.to_vec()));
            vertices.chain(edges).chain(faces).collect()
        }
        _ => vec![(Feature::Face(0), vec![0])],
    }
}

/// Every feature that does not contain a point strictly inside the feature `named`, and some that do not exist.
pub fn wrong_features(shape: &Shape, named: Feature) -> Vec<Feature> {
    let all = features(shape);
    let spanned = &all.iter().find(|(feature, _)| *feature == named).expect("the feature exists").1;
    let holds = |vertices: &[u32]| spanned.iter().all(|v| vertices.contains(v));
    let mut wrong: Vec<Feature> = all.iter().filter(|(_, v)| !holds(v)).map(|(feature, _)| *feature).collect();
    wrong.push(Feature::Interior);
    for count in [all.len() as u32, 1000, u32::MAX] {
        wrong.extend([Feature::Vertex(count), Feature::Edge(count), Feature::Face(count)]);
    }
    wrong
}

/// Perturbs the parts of an answer about bodies that have one each.
fn perturb_parts(case: &Case, good: Distance) {
    assert_eq!((good.witness.a.part, good.witness.b.part), (0, 0));
    for wrong in [1, u32::MAX] {
        case.refuses("part_a", &Distance { witness: with_a(good.witness, |a| a.part = wrong), ..good });
        case.refuses("part_b", &Distance { witness: with_b(good.witness, |b| b.part = wrong), ..good });
    }
}

/// Perturbs how an answer was found and placed. `rounds`: the poses do not place B exactly.
fn perturb_way(case: &Case, good: Distance, rounds: bool) {
    for wrong in case.wrong_placements(good.placement, rounds) {
        case.refuses("placement", &Distance { placement: wrong, ..good });
    }
    assert_eq!(good.method, Method::Gjk);
    case.refuses("method", &Distance { method: Method::GjkStopped(Stopped::Budget), ..good });
}

/// Perturbs every field of the answer for bodies that are apart by far more than rounding.
fn perturb_apart(case: &Case, good: Distance) {
    perturb_gap(case, good, TURN);
    perturb_parts(case, good);
    perturb_way(case, good, true);
    for wrong in wrong_features(&case.a, good.witness.a.feature) {
        case.refuses("feature_a", &Distance { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
    }
    for wrong in wrong_features(&case.b, good.witness.b.feature) {
        case.refuses("feature_b", &Distance { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
}

/// Perturbs every field of the answer for bodies that meet. `rounds`: the poses do not place B exactly.
fn perturb_meeting(case: &Case, good: Distance, rounds: bool) {
    perturb_no_gap(case, good);
    perturb_parts(case, good);
    perturb_way(case, good, rounds);
    assert_eq!((good.witness.a.feature, good.witness.b.feature), (Feature::Interior, Feature::Interior));
    for (wrong, _) in features(&case.a) {
        case.refuses("feature_a", &Distance { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
    }
    for (wrong, _) in features(&case.b) {
        case.refuses("feature_b", &Distance { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
}

/// Perturbs every field of the depth of bodies that overlap by far more than rounding.
fn perturb_depth(case: &Case, good: Penetration) {
    let Penetration {
        depth: Bracket { value: depth, lower, upper },
        placement,
        method,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, feature: feature_a, part: part_a },
                b: WitnessPoint { point: point_in_b, feature: feature_b, part: part_b },
            },
        normal,
    } = good;
    assert_eq!((part_a, part_b), (0, 0));
    for wrong in [1, u32::MAX] {
        case.refuses("part_a", &Penetration { witness: with_a(good.witness, |a| a.part = wrong), ..good });
        case.refuses("part_b", &Penetration { witness: with_b(good.witness, |b| b.part = wrong), ..good });
    }
    let scale = case.scale();
    for wrong in NO_NUMBERS.into_iter().chain([upper.next_up(), lower.next_down(), 0.0, -depth, 2.0 * depth]) {
        case.refuses("depth", &Penetration { depth: Bracket { value: wrong, ..good.depth }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([depth.next_up(), lower - 1e-8 * scale, 0.0, -1e-300, -1.0]) {
        case.refuses("lower", &Penetration { depth: Bracket { lower: wrong, ..good.depth }, ..good });
    }
    for wrong in NO_NUMBERS.into_iter().chain([depth.next_down(), upper + 1e-8 * scale, 2.0 * upper, 0.0, -upper]) {
        case.refuses("upper", &Penetration { depth: Bracket { upper: wrong, ..good.depth }, ..good });
    }
    // In good order, and still false.
    case.refuses("lower", &Penetration { depth: Bracket { lower: upper, value: upper, ..good.depth }, ..good });
    case.refuses("upper", &Penetration { depth: Bracket { upper: lower, value: lower, ..good.depth }, ..good });
    for shift in [1e-6, -1e-6, 1e-12, -1e-12].map(|relative| relative * scale) {
        let shifted =
            Penetration { depth: Bracket { value: depth + shift, lower: lower + shift, upper: upper + shift }, ..good };
        case.refuses("bracket", &shifted);
    }
    for wrong in case.wrong_placements(placement, true) {
        case.refuses("placement", &Penetration { placement: wrong, ..good });
    }
    let (gjk, epa) = (Method::GjkStopped(Stopped::Budget), Method::EpaStopped(Stopped::Budget));
    for wrong in [Method::Gjk, gjk, Method::Epa, epa] {
        // The polytope might have given the same as a formula.
        if wrong != method && (method, wrong) != (Method::ClosedForm, Method::Epa) {
            case.refuses("method", &Penetration { method: wrong, ..good });
        }
    }
    for by in moves(normal, scale) {
        case.refuses(
            "point_in_a",
            &Penetration { witness: with_a(good.witness, |a| a.point = moved(point_in_a, &case.pose_a, by)), ..good },
        );
        case.refuses(
            "point_in_b",
            &Penetration { witness: with_b(good.witness, |b| b.point = moved(point_in_b, &case.pose_b, by)), ..good },
        );
        // Both together, off the surfaces or off the features.
        let (both_a, both_b) = (moved(point_in_a, &case.pose_a, by * 1e3), moved(point_in_b, &case.pose_b, by * 1e3));
        case.refuses(
            "points",
            &Penetration {
                witness: Witness {
                    a: WitnessPoint { point: both_a, ..good.witness.a },
                    b: WitnessPoint { point: both_b, ..good.witness.b },
                },
                ..good
            },
        );
    }
    for wrong in with_no_numbers(point_in_a) {
        case.refuses("point_in_a", &Penetration { witness: with_a(good.witness, |a| a.point = wrong), ..good });
    }
    for wrong in with_no_numbers(point_in_b) {
        case.refuses("point_in_b", &Penetration { witness: with_b(good.witness, |b| b.point = wrong), ..good });
    }
    for wrong in wrong_features(&case.a, feature_a) {
        case.refuses("feature_a", &Penetration { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
    }
    for wrong in wrong_features(&case.b, feature_b) {
        case.refuses("feature_b", &Penetration { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
    for wrong in no_normals(normal).into_iter().chain(other_normals(normal, TURN)) {
        case.refuses("normal", &Penetration { normal: wrong, ..good });
    }
}

/// Perturbs the depth of separated bodies: zero, the nearest points and the direction between them.
fn perturb_no_depth(case: &Case, good: Penetration) {
    let scale = case.scale();
    assert_eq!((good.depth.value, good.depth.lower, good.depth.upper), (0.0, 0.0, 0.0));
    for wrong in NO_NUMBERS.into_iter().chain([1e-9 * scale, -1e-300, 1.0]) {
        case.refuses("depth", &Penetration { depth: Bracket { value: wrong, ..good.depth }, ..good });
        case.refuses("lower", &Penetration { depth: Bracket { lower: wrong, ..good.depth }, ..good });
        case.refuses("upper", &Penetration { depth: Bracket { upper: wrong - 1e-300, ..good.depth }, ..good });
    }
    case.refuses(
        "bracket",
        &Penetration { depth: Bracket { value: 1e-9 * scale, upper: 1e-9 * scale, ..good.depth }, ..good },
    );
    for wrong in case.wrong_placements(good.placement, true) {
        case.refuses("placement", &Penetration { placement: wrong, ..good });
    }
    case.refuses("method", &Penetration { method: Method::GjkStopped(Stopped::Budget), ..good });
    for by in [good.normal * (1e-6 * scale), good.normal.any_orthonormal_vector() * (1e-2 * scale)] {
        case.refuses(
            "point_in_a",
            &Penetration {
                witness: with_a(good.witness, |a| a.point = moved(good.witness.a.point, &case.pose_a, by)),
                ..good
            },
        );
        case.refuses(
            "point_in_b",
            &Penetration {
                witness: with_b(good.witness, |b| b.point = moved(good.witness.b.point, &case.pose_b, -by)),
                ..good
            },
        );
    }
    for wrong in wrong_features(&case.a, good.witness.a.feature) {
        case.refuses("feature_a", &Penetration { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
    }
    for wrong in wrong_features(&case.b, good.witness.b.feature) {
        case.refuses("feature_b", &Penetration { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
    for wrong in no_normals(good.normal).into_iter().chain([-good.normal]) {
        case.refuses("normal", &Penetration { normal: wrong, ..good });
    }
}

/// Perturbs every field of a proof. `rounds`: the poses do not place B exactly.
fn perturb_proof(case: &Case, good: &RelationProof, rounds: bool) {
    let RelationProof {
        relation,
        gap: Bracket { lower, upper, .. },
        placement,
        touch_band,
        normal,
        witness,
        ref evidence,
    } = *good;
    assert_eq!((witness.a.part, witness.b.part), (0, 0));
    let scale = case.scale();
    let with = |change: &dyn Fn(&mut RelationProof)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof
    };
    for wrong in [1, u32::MAX] {
        case.refuses("part", &with(&|proof| proof.witness.a.part = wrong));
        case.refuses("part", &with(&|proof| proof.witness.b.part = wrong));
    }
    for wrong in [Feature::Vertex(0), Feature::Face(1)] {
        case.refuses("feature", &with(&|proof| proof.witness.a.feature = wrong));
        case.refuses("feature", &with(&|proof| proof.witness.b.feature = wrong));
    }

    for wrong in [Relation::Separated, Relation::Touching, Relation::Overlapping] {
        if wrong != relation {
            case.refuses("relation", &with(&|proof| proof.relation = wrong));
        }
    }
    for wrong in NO_NUMBERS.into_iter().chain([upper, upper.next_up(), upper + scale]) {
        case.refuses("lower", &with(&|proof| proof.gap.lower = wrong));
    }
    for wrong in NO_NUMBERS.into_iter().chain([lower, lower.next_down(), lower - scale]) {
        case.refuses("upper", &with(&|proof| proof.gap.upper = wrong));
    }
    // A wider bracket may be true, but not with this verdict.
    match relation {
        Relation::Separated => case.refuses("lower", &with(&|proof| proof.gap.lower = touch_band)),
        Relation::Overlapping => case.refuses("upper", &with(&|proof| proof.gap.upper = -touch_band)),
        Relation::Touching => {}
    }
    for wrong in case.wrong_placements(placement, rounds) {
        case.refuses("placement", &with(&|proof| proof.placement = wrong));
    }
    for wrong in NO_NUMBERS.into_iter().chain([-1e-300, -1.0]) {
        case.refuses("touch_band", &with(&|proof| proof.touch_band = wrong));
    }
    match relation {
        Relation::Separated => case.refuses("touch_band", &with(&|proof| proof.touch_band = lower)),
        Relation::Overlapping => case.refuses("touch_band", &with(&|proof| proof.touch_band = -upper)),
        // Touching only thanks to the band.
        Relation::Touching if lower > 0.0 || upper < 0.0 => {
            case.refuses("touch_band", &with(&|proof| proof.touch_band = 0.0));
        }
        Relation::Touching => {}
    }
    for wrong in no_normals(normal) {
        case.refuses("normal", &with(&|proof| proof.normal = wrong));
    }
    // The sign of a gap needs no best direction, so another one may prove `lower` too; what does not is refused.
    let mut refused = 0;
    for other in other_normals(normal, TURN) {
        if gap_along(case, other) < lower - 1e-9 * scale {
            refused += 1;
            case.refuses("normal", &with(&|proof| proof.normal = other));
        }
    }
    assert!(refused > 0, "{}: every other normal was accepted", case.name);

    case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Polytope { pairs: Vec::new() }));
    match evidence {
        Evidence::Deep => panic!("{}: no body is curved", case.name),
        Evidence::Points => perturb_points(case, good, witness.a.point, witness.b.point),
        Evidence::Polytope { pairs } => perturb_pairs(case, good, pairs),
    }
}

fn radius(shape: &Shape) -> f64 {
    if let Shape::Sphere(sphere) = shape { sphere.radius() } else { 0.0 }
}

/// The distance of a point beyond the farthest plane of a core, in the body's frame; negative inside.
fn beyond_core(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Sphere(_) => point.length(),
        Shape::Cuboid(cuboid) => (point.abs() - cuboid.half_extents()).max_element(),
        Shape::Hull(hull) => {
            let vertices: Vec<DVec3> = hull.vertices().collect();
            let beyond = |triangle: &[u32; 3]| {
                let [p, q, r] = triangle.map(|v| vertices[v as usize]);
                (q - p).cross(r - p).normalize().dot(point - p)
            };
            hull.triangles().iter().map(beyond).fold(f64::NEG_INFINITY, f64::max)
        }
        other => panic!("{other:?}"),
    }
}

/// The same proof by other points.
fn with_points(good: &RelationProof, point_in_a: DVec3, point_in_b: DVec3) -> RelationProof {
    let mut proof = good.clone();
    (proof.witness.a.point, proof.witness.b.point) = (point_in_a, point_in_b);
    proof
}

fn perturb_points(case: &Case, good: &RelationProof, point_in_a: DVec3, point_in_b: DVec3) {
    let scale = case.scale();
    let refuses = |point_in_a, point_in_b| {
        case.refuses("witness", &with_points(good, point_in_a, point_in_b));
    };
    // A point outside its body proves nothing, nor do points farther apart than claimed. A search ends as soon as the
    // verdict is known, at points that may lie inside: moved slightly towards each other these prove the bound too.
    let mut refused = 0;
    for by in [1.0, -1.0, 1e-6, -1e-6].map(|part| good.normal * (part * scale)) {
        let moved_a = (moved(point_in_a, &case.pose_a, -by), point_in_b);
        let moved_b = (point_in_a, moved(point_in_b, &case.pose_b, by));
        for (point_in_a, point_in_b) in [moved_a, moved_b] {
            let outside = beyond_core(&case.a, point_in_a).max(beyond_core(&case.b, point_in_b));
            let between = case.pose_b.transform_point(point_in_b) - case.pose_a.transform_point(point_in_a);
            let too_far = between.length() - (radius(&case.a) + radius(&case.b)) - good.gap.upper;
            if outside.max(too_far) > 1e-9 * scale {
                refused += 1;
                refuses(point_in_a, point_in_b);
            } else {
                assert!(outside.max(too_far) < -1e-9 * scale, "{}: {outside} {too_far}", case.name);
                case.accepts("moved inside", &with_points(good, point_in_a, point_in_b));
            }
        }
    }
    // All moves away, all large ones.
    assert!(refused >= 6, "{}: {refused} refused", case.name);
    // The core of a ball is its centre and nothing else.
    for by in [DVec3::X, -DVec3::Y, DVec3::Z].map(|axis| axis * (1e-6 * scale)) {
        if matches!(case.a, Shape::Sphere(_)) {
            refuses(point_in_a + by, point_in_b);
        }
        if matches!(case.b, Shape::Sphere(_)) {
            refuses(point_in_a, point_in_b + by);
        }
    }
    for wrong in with_no_numbers(point_in_a) {
        refuses(wrong, point_in_b);
    }
    for wrong in with_no_numbers(point_in_b) {
        refuses(point_in_a, wrong);
    }
}

fn perturb_pairs(case: &Case, good: &RelationProof, pairs: &[[u32; 2]]) {
    let refuses = |pairs: Vec<[u32; 2]>| {
        case.refuses("evidence", &RelationProof { evidence: Evidence::Polytope { pairs }, ..good.clone() });
    };
    // Fewer than four pairs span no polytope, nor does one pair many times.
    for kept in 0..4 {
        refuses(pairs[..kept].to_vec());
    }
    refuses(vec![pairs[0]; pairs.len()]);
    if pairs.len() == 4 {
        for dropped in 0..4 {
            let mut left = pairs.to_vec();
            left.remove(dropped);
            refuses(left.clone());
            // As many as before, but one of them twice.
            left.push(left[0]);
            refuses(left);
        }
    }
    for at in 0..pairs.len() {
        for (side, wrong) in [(0, 8192), (1, 8192), (0, u32::MAX), (1, u32::MAX)] {
            let mut broken = pairs.to_vec();
            broken[at][side] = wrong;
            refuses(broken);
        }
    }
    // Evidence of the other kind, which proves no depth.
    case.refuses("evidence", &RelationProof { evidence: Evidence::Points, ..good.clone() });
    // The points are not told.
    case.refuses("witness", &with_points(good, DVec3::X, DVec3::ZERO));
    case.refuses("witness", &with_points(good, DVec3::ZERO, DVec3::X));
}

#[test]
fn false_distances_of_bodies_apart_are_refused() {
    for apart in [2.6, 7.0] {
        for case in pairs(apart) {
            let answer = distance(&case.a, &case.pose_a, &case.b, &case.pose_b);
            assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
            perturb_apart(&case, answer);
        }
    }
}

#[test]
fn false_distances_of_bodies_that_meet_are_refused() {
    for apart in [0.31, 0.53] {
        for case in pairs(apart) {
            let answer = distance(&case.a, &case.pose_a, &case.b, &case.pose_b);
            assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
            perturb_meeting(&case, answer, true);
        }
    }
    for case in touching() {
        let answer = distance(&case.a, &case.pose_a, &case.b, &case.pose_b);
        assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
        perturb_meeting(&case, answer, false);
    }
}

#[test]
fn false_depths_are_refused() {
    for apart in [0.31, 0.53] {
        for case in pairs(apart) {
            let answer = penetration(&case.a, &case.pose_a, &case.b, &case.pose_b).unwrap();
            assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
            perturb_depth(&case, answer);
        }
    }
    for case in pairs(7.0) {
        let answer = penetration(&case.a, &case.pose_a, &case.b, &case.pose_b).unwrap();
        assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
        perturb_no_depth(&case, answer);
    }
    for case in touching() {
        let answer = penetration(&case.a, &case.pose_a, &case.b, &case.pose_b).unwrap();
        assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
        for wrong in [1e-6, 1.0] {
            case.refuses(
                "bracket",
                &Penetration { depth: Bracket { lower: wrong, value: wrong, upper: wrong }, ..answer },
            );
            case.refuses("upper", &Penetration { depth: Bracket { upper: wrong, ..answer.depth }, ..answer });
        }
        for wrong in no_normals(answer.normal).into_iter().chain([-answer.normal]) {
            case.refuses("normal", &Penetration { normal: wrong, ..answer });
        }
    }
}

#[test]
fn a_depth_that_stopped_early_must_say_so() {
    let mut stopped = 0;
    for case in pairs(0.31) {
        let options = PenetrationOptions { tolerance: 0.2 };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let Case { a, pose_a, b, pose_b, .. } = &case;
        let answer = penetration_with(a, pose_a, b, pose_b, &options, &mut cache, &mut workspace).unwrap();
        assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
        if let Method::EpaStopped(reason) = answer.method {
            stopped += 1;
            assert_eq!(reason, Stopped::Tolerance(0.2));
            let width = answer.depth.upper - answer.depth.lower;
            for wrong in [
                Stopped::Budget,
                Stopped::FartherThan(0.0),
                Stopped::FartherThan(f64::NAN),
                Stopped::Tolerance(0.5 * width),
                Stopped::Tolerance(0.0),
                Stopped::Tolerance(f64::NAN),
            ] {
                case.refuses("reason", &Penetration { method: Method::EpaStopped(wrong), ..answer });
            }
            case.refuses("method", &Penetration { method: Method::Epa, ..answer });
            case.refuses(
                "lower",
                &Penetration {
                    depth: Bracket { lower: answer.depth.upper, value: answer.depth.upper, ..answer.depth },
                    ..answer
                },
            );
        }
    }
    assert!(stopped >= 2, "only {stopped} answers were stopped early");
}

#[test]
fn an_answer_that_stopped_early_must_say_so() {
    let mut stopped = 0;
    for case in pairs(7.0) {
        let options = DistanceOptions { farther_than: Some(1.0), ..DistanceOptions::default() };
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let answer = distance_with(&case.a, &case.pose_a, &case.b, &case.pose_b, &options, &mut cache, &mut workspace);
        assert_eq!(case.check(&answer), Ok(()), "{} {answer:?}", case.name);
        if let Method::GjkStopped(reason) = answer.method {
            stopped += 1;
            assert_eq!(reason, Stopped::FartherThan(1.0));
            let width = answer.gap.upper - answer.gap.lower;
            for wrong in [
                Stopped::Budget,
                Stopped::FartherThan(answer.gap.upper),
                Stopped::FartherThan(-1.0),
                Stopped::FartherThan(f64::NAN),
                Stopped::Tolerance(0.5 * width),
            ] {
                case.refuses("reason", &Distance { method: Method::GjkStopped(wrong), ..answer });
            }
            case.refuses("method", &Distance { method: Method::Gjk, ..answer });
            case.refuses(
                "lower",
                &Distance { gap: Bracket { lower: answer.gap.upper, value: answer.gap.upper, ..answer.gap }, ..answer },
            );
            case.refuses(
                "upper",
                &Distance { gap: Bracket { upper: answer.gap.lower, value: answer.gap.lower, ..answer.gap }, ..answer },
            );
        }
    }
    assert!(stopped >= 2, "only {stopped} answers were stopped early");
}

/// Pairs that touch exactly, placed without rounding.
fn touching() -> Vec<Case> {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
    let cube = cuboid(1.0, 1.0, 1.0);
    let octahedron: Vec<[f64; 3]> = (0..6)
        .map(|k| std::array::from_fn(|axis| if k / 2 == axis { 1.0 - 2.0 * f64::from(k as u8 % 2) } else { 0.0 }))
        .collect();
    let octahedron = Shape::hull(&octahedron).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let case = |name, a: &Shape, b: &Shape, pose_b| Case::new(name, a, &Pose::IDENTITY, b, &pose_b);
    vec![
        case("box on box", &cube, &cube, at(2.0, 0.5, 0.25)),
        case("box at the edge of a box", &cube, &cube, at(2.0, 2.0, 0.25)),
        case("corner of a hull on a box", &cube, &octahedron, at(2.0, 0.5, 0.25)),
        case("ball on a box", &ball, &cube, at(0.25, -1.5, 0.0)),
        case("ball on a ball", &ball, &ball, at(0.0, 0.0, 1.0)),
    ]
}

#[test]
fn false_proofs_are_refused() {
    for (apart, expected) in [
        (2.6, Relation::Separated),
        (7.0, Relation::Separated),
        (0.31, Relation::Overlapping),
        (0.53, Relation::Overlapping),
    ] {
        for case in pairs(apart) {
            let proof = case.proof(0.0);
            assert_eq!(case.check(&proof), Ok(()), "{} {proof:?}", case.name);
            assert_eq!(proof.relation, expected, "{}", case.name);
            perturb_proof(&case, &proof, true);
        }
    }
    for case in touching() {
        let proof = case.proof(0.0);
        assert_eq!(case.check(&proof), Ok(()), "{} {proof:?}", case.name);
        assert_eq!(proof.relation, Relation::Touching, "{}", case.name);
        perturb_proof(&case, &proof, false);
    }
}

#[test]
fn false_proofs_with_a_band_are_refused() {
    // The same pairs, touching only because the caller says so.
    for apart in [2.6, 0.53] {
        for case in pairs(apart) {
            let proof = case.proof(3.0);
            assert_eq!(case.check(&proof), Ok(()), "{} {proof:?}", case.name);
            assert_eq!(proof.relation, Relation::Touching, "{}", case.name);
            perturb_proof(&case, &proof, true);
        }
    }
}

/// Every field of a volume, replaced by what is false.
fn perturb_volume(case: &Case, good: Volume, rounds: bool) {
    let Volume { volume: Bracket { value, lower, upper }, placement, centroid, centroid_off, area, method } = good;
    let Bracket { value: area_value, lower: area_lower, upper: area_upper } = area;
    let check = |answer: &Volume| answer.verify(&case.a, &case.pose_a, &case.b, &case.pose_b);
    let accepted = check(&good);
    assert_eq!(accepted, Ok(()), "{} {good:?}", case.name);
    let refuses = |field: &str, answer: Volume| {
        assert!(check(&answer).is_err(), "{}: a false `{field}` was accepted: {answer:?}", case.name);
    };
    let scale = case.scale();
    let (cubed, squared) = (scale * scale * scale * 1e-6, scale * scale * 1e-6);
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, lower - cubed, upper + cubed]) {
        refuses("value", Volume { volume: Bracket { value: bad, ..good.volume }, ..good });
    }
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, value + cubed]) {
        refuses("lower", Volume { volume: Bracket { lower: bad, ..good.volume }, ..good });
    }
    // The same with a consistent value and upper bound.
    refuses(
        "lower",
        Volume { volume: Bracket { lower: upper + cubed, value: upper + cubed, upper: upper + cubed }, ..good },
    );
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, value - cubed, upper + cubed]) {
        refuses("upper", Volume { volume: Bracket { upper: bad, ..good.volume }, ..good });
    }
    for bad in case.wrong_placements(placement, rounds) {
        refuses("placement", Volume { placement: bad, ..good });
    }
    for bad in NO_NUMBERS.into_iter().chain([-1e-300]) {
        refuses("centroid_off", Volume { centroid_off: bad, ..good });
    }
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, area_lower - squared, area_upper + squared]) {
        refuses("area.value", Volume { area: Bracket { value: bad, ..area }, ..good });
    }
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, area_value + squared]) {
        refuses("area.lower", Volume { area: Bracket { lower: bad, ..area }, ..good });
    }
    for bad in NO_NUMBERS.into_iter().chain([-1e-300, area_value - squared]) {
        refuses("area.upper", Volume { area: Bracket { upper: bad, ..area }, ..good });
    }
    let more = area_upper + squared;
    refuses("area.lower", Volume { area: Bracket { value: more, lower: more, upper: more }, ..good });
    for bad in
        [Method::Gjk, Method::Epa, Method::Newton, Method::Mesh, Method::Parts, Method::ClosedForm, Method::Columns]
    {
        if bad != method {
            refuses("method", Volume { method: bad, ..good });
        }
    }
    match centroid {
        Some(at) => {
            refuses(
                "value",
                Volume {
                    volume: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
                    centroid: None,
                    centroid_off: 0.0,
                    ..good
                },
            );
            let less = value - cubed;
            refuses("upper", Volume { volume: Bracket { value: less, lower: less.min(lower), upper: less }, ..good });
            let less = area_value - squared;
            refuses(
                "area.upper",
                Volume { area: Bracket { value: less, lower: less.min(area_lower), upper: less }, ..good },
            );
            refuses("centroid", Volume { centroid: None, ..good });
            for bad in with_no_numbers(at) {
                refuses("centroid", Volume { centroid: Some(bad), ..good });
            }
            for by in [DVec3::X, DVec3::Y, DVec3::Z] {
                refuses("centroid", Volume { centroid: Some(at + by * (centroid_off * 1.5 + scale * 1e-6)), ..good });
            }
        }
        None => {
            refuses("centroid", Volume { centroid: Some(DVec3::ZERO), ..good });
            refuses("centroid_off", Volume { centroid_off: 1.0, ..good });
        }
    }
}

#[test]
fn false_volumes_are_refused() {
    let mut cases = pairs(0.6);
    cases.retain(|case| matches!((&case.a, &case.b), (Shape::Sphere(_), Shape::Sphere(_))) || case.round_bodies() == 0);
    for case in &cases {
        let good = overlap_volume(&case.a, &case.pose_a, &case.b, &case.pose_b).unwrap();
        assert!(good.volume.lower > 0.0, "{}", case.name);
        perturb_volume(case, good, case.round_bodies() == 0);
    }
    let cube = cuboid(0.5, 0.5, 0.5);
    let apart = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
    let case = Case::new("boxes apart", &cube, &Pose::IDENTITY, &cube, &apart);
    perturb_volume(&case, overlap_volume(&cube, &case.pose_a, &cube, &apart).unwrap(), false);
}
