//! Pairs with closed-form answers, computed before a placed pair is formed, against the exact oracle and against GJK:
//! balls, capsules, segments, triangles, tetrahedra, boxes and rounded ones, in general and in every special position;
//! near contact, in contact, crossing; degenerate, thin, tiny, huge, far from the origin of the world and of their own
//! frames.

use crate::common;

use std::cmp::Ordering;

use clearance::answer::{Distance, Penetration};
use clearance::glam::{DMat3, DVec3};
use clearance::query::{
    DistanceOptions, IntersectsAlgorithm, IntersectsOptions, SubAlgorithm, distance_with, intersects_with,
};
use clearance::{PairCache, Pose, Shape, Workspace, distance, penetration};
use clearance_oracle::random::Random;
use clearance_oracle::{OracleBody, generate, signed_distance};
use common::swapped;

const KINDS: usize = 9;

/// A body of a kind, for the engine and for the oracle; `off` moves its corners away from its frame's origin.
fn body(kind: usize, random: &mut Random, size: f64, off: f64) -> (Shape, OracleBody) {
    let length = |random: &mut Random| size * random.uniform(0.1, 1.0) * [1.0, 1.0, 1e-3, 1e-6][random.index(4)];
    // Sometimes on a grid, so that corners coincide and sides are parallel or have zero length.
    let grid = random.index(3) == 0;
    let shift = DVec3::from_array(random.in_cube(off));
    let mut corner = || {
        let at = if grid { [0; 3].map(|_: i32| random.integer(-1, 1) as f64) } else { random.in_cube(1.0) };
        DVec3::from_array(at) * size + shift
    };
    let corners = [corner(), corner(), corner(), corner()];
    let hull = |count: usize| OracleBody::hull(corners[..count].iter().map(|p| p.to_array()).collect());
    let half = DVec3::new(length(random), length(random), length(random));
    let radius = length(random);
    let rounded =
        |shape: Shape, body: OracleBody| (Shape::rounded(shape, radius).unwrap(), OracleBody { radius, ..body });
    let [p, q, r, _] = corners;
    match kind {
        0 => (Shape::sphere(radius).unwrap(), OracleBody::sphere(radius)),
        1 => {
            let rod = vec![[0.0, 0.0, -half.x], [0.0, 0.0, half.x]];
            (Shape::capsule(half.x, radius).unwrap(), OracleBody { radius, ..OracleBody::hull(rod) })
        }
        2 => (Shape::segment(p, q).unwrap(), hull(2)),
        3 => (Shape::triangle(p, q, r).unwrap(), hull(3)),
        4 => (Shape::tetrahedron(corners).unwrap(), hull(4)),
        5 => (Shape::cuboid(half).unwrap(), OracleBody::cuboid(half.to_array())),
        6 => rounded(Shape::cuboid(half).unwrap(), OracleBody::cuboid(half.to_array())),
        7 => rounded(Shape::segment(p, q).unwrap(), hull(2)),
        _ => rounded(Shape::triangle(p, q, r).unwrap(), hull(3)),
    }
}

fn rotation(random: &mut Random) -> [[f64; 3]; 3] {
    match random.index(3) {
        0 => generate::axis_rotations()[random.index(24)],
        1 => {
            // Next to parallel.
            let angle = 10f64.powi(-(random.index(18) as i32));
            let matrix = Pose::from_axis_angle(DVec3::Y, angle, DVec3::ZERO).unwrap().rotation().transpose();
            [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|v| v.to_array())
        }
        _ => generate::random_rotation(random),
    }
}

fn pose(rows: [[f64; 3]; 3], at: DVec3) -> Pose {
    let rows = rows.map(DVec3::from_array);
    Pose::new(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), at).unwrap()
}

struct Pair {
    a: (Shape, OracleBody, [[f64; 3]; 3], DVec3),
    b: (Shape, OracleBody, [[f64; 3]; 3], DVec3),
}

impl Pair {
    fn random(kinds: (usize, usize), random: &mut Random) -> Pair {
        let size = [1.0, 1.0, 1e-6, 1e6][random.index(4)];
        let ratio = [1.0, 1.0, 1.0, 1e-3][random.index(4)];
        // For other bodies this far from their own origins `verify` cannot prove every true bracket.
        let farthest = if kinds.0.max(kinds.1) <= 2 { 1e4 } else { 3.0 };
        let off = [0.0, 0.0, 3.0, farthest][random.index(4)] * size;
        let (far, away) = ([0.0, 1.0, 1e7][random.index(3)], [0.0, 0.5, 1.0, 3.0][random.index(4)]);
        let at = DVec3::from_array(random.in_cube(far * size));
        let apart = DVec3::from_array(random.in_cube(away * size));
        let (shape_a, body_a) = body(kinds.0, random, size, off);
        let (shape_b, body_b) = body(kinds.1, random, size * ratio, off);
        let (turn_a, turn_b) =
            (rotation(random), if random.coin() { rotation(random) } else { generate::axis_rotations()[0] });
        // The distance is between the centres, wherever the frames are.
        let middle =
            |shape: &Shape, turn: [[f64; 3]; 3]| pose(turn, DVec3::ZERO).transform_point(shape.bounds().center());
        let at_b = at + apart + middle(&shape_a, turn_a) - middle(&shape_b, turn_b);
        Pair { a: (shape_a, body_a, turn_a, at), b: (shape_b, body_b, turn_b, at_b) }
    }

    fn poses(&self) -> (Pose, Pose) {
        (pose(self.a.2, self.a.3), pose(self.b.2, self.b.3))
    }

    /// Makes every query in both orders and checks it; returns distance and penetration.
    fn check(&self) -> (Distance, Penetration) {
        let ((pose_a, pose_b), (a, b)) = (self.poses(), (&self.a.0, &self.b.0));
        let place = |(_, body, turn, at): &(Shape, OracleBody, [[f64; 3]; 3], DVec3)| {
            body.clone().rotated(*turn).translated(at.to_array())
        };
        let truth = signed_distance(&place(&self.a), &place(&self.b));
        let context = || format!("truth {:?}\n{a:?} {pose_a:?}\n{b:?} {pose_b:?}", truth.enclosure());

        let answer = distance(a, &pose_a, b, &pose_b);
        answer.verify(a, &pose_a, b, &pose_b).unwrap_or_else(|r| panic!("{r}\n{answer:?}\n{}", context()));
        let apart = truth.sign() == Ordering::Greater;
        assert!(!apart || truth.is_within(answer.gap.lower, answer.gap.upper), "{answer:?}\n{}", context());
        assert!(apart || answer.gap.lower == 0.0, "{answer:?}\n{}", context());
        if (a, pose_a) != (b, pose_b) {
            assert_eq!(swapped(&distance(b, &pose_b, a, &pose_a)), answer, "exchanged\n{}", context());
        }

        // GJK, which uses none of the formulas, agrees on the same placed pair.
        let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
        let options = DistanceOptions { sub_algorithm: SubAlgorithm::Johnson, ..DistanceOptions::default() };
        let walked = distance_with(a, &pose_a, b, &pose_b, &options, &mut cache, &mut workspace);
        assert_eq!(walked.gap.value == 0.0, answer.gap.value == 0.0, "{walked:?}\n{answer:?}\n{}", context());
        assert!(
            walked.gap.lower <= answer.gap.upper && answer.gap.lower <= walked.gap.upper,
            "{walked:?}\n{answer:?}\n{}",
            context()
        );
        let mut meets = |algorithm, margin| {
            let options = IntersectsOptions { algorithm, margin };
            let straight = intersects_with(a, &pose_a, b, &pose_b, &options, &mut cache, &mut workspace);
            assert_eq!(straight, intersects_with(b, &pose_b, a, &pose_a, &options, &mut cache, &mut workspace));
            straight
        };
        assert_eq!(meets(IntersectsAlgorithm::Fastest, 0.0), answer.gap.value == 0.0, "{answer:?}\n{}", context());
        for margin in [0.0, 0.5 * answer.gap.value, answer.gap.value, 2.0 * answer.gap.value] {
            let by_walk = meets(IntersectsAlgorithm::Gjk, margin);
            assert_eq!(meets(IntersectsAlgorithm::Fastest, margin), by_walk, "margin {margin:e}\n{}", context());
        }

        for farther_than in [0.0, 0.01 * answer.gap.value, 0.9 * answer.gap.value, 1.1 * answer.gap.value] {
            let options = DistanceOptions { farther_than: Some(farther_than), ..DistanceOptions::default() };
            let mut ask = |(a, pose_a), (b, pose_b)| {
                distance_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut workspace)
            };
            let early = ask((a, &pose_a), (b, &pose_b));
            early.verify(a, &pose_a, b, &pose_b).unwrap_or_else(|r| panic!("{r}\n{early:?}\n{}", context()));
            assert!(
                early.gap.lower <= answer.gap.upper && answer.gap.lower <= early.gap.upper,
                "{early:?}\n{}",
                context()
            );
            assert!(early.method.stopped().is_none() || early.gap.lower > farther_than, "{early:?}\n{}", context());
            if (a, pose_a) != (b, pose_b) {
                assert_eq!(swapped(&ask((b, &pose_b), (a, &pose_a))), early, "exchanged\n{}", context());
            }
        }

        let depth = penetration(a, &pose_a, b, &pose_b).unwrap();
        // The expanding polytope, which answers for all pairs without a ball, has tests of its own.
        if matches!(a, Shape::Sphere(_)) || matches!(b, Shape::Sphere(_)) {
            depth.verify(a, &pose_a, b, &pose_b).unwrap_or_else(|r| panic!("{r}\n{depth:?}\n{}", context()));
        }
        let bracket = (-depth.depth.upper, if depth.depth.lower > 0.0 { -depth.depth.lower } else { f64::INFINITY });
        assert!(apart || truth.is_within(bracket.0, bracket.1), "{depth:?}\n{}", context());
        if (a, pose_a) != (b, pose_b) {
            let back = penetration(b, &pose_b, a, &pose_a).unwrap();
            assert_eq!(
                (back.depth.value, back.depth.lower, back.depth.upper),
                (depth.depth.value, depth.depth.lower, depth.depth.upper),
                "{}",
                context()
            );
            assert_eq!((back.witness.b.point, -back.normal), (depth.witness.a.point, depth.normal), "{}", context());
        }
        (answer, depth)
    }
}

/// In any position; then moved along the normal to just before and just after contact.
#[test]
fn agrees_with_exact_truth_and_gjk() {
    let mut random = Random::new(77);
    let (mut apart, mut meeting) = (0, 0);
    for kind_a in 0..KINDS {
        for kind_b in 0..KINDS {
            for case in 0..14 {
                let mut pair = Pair::random((kind_a, kind_b), &mut random);
                let (answer, depth) = pair.check();
                if answer.gap.value > 0.0 {
                    apart += 1;
                } else {
                    meeting += 1;
                }
                let step = answer.normal.map_or(depth.normal * depth.depth.value, |normal| normal * -answer.gap.value);
                let near = [0.0, 1e-3, -1e-3, 1e-9, -1e-9, 1e-14, -1e-14][case % 7];
                let scale = step.length();
                pair.b.3 += step + step.normalize_or_zero() * (near * scale);
                pair.check();
            }
        }
    }
    assert!(apart > 300 && meeting > 200, "{apart} {meeting}");
}

/// Segments and capsules against triangles and boxes, which have their own formulas: more cases, and close to contact
/// at every distance. `CLEARANCE_CASES` sets the number of rounds.
#[test]
fn segments_past_triangles_and_boxes() {
    let rounds = std::env::var("CLEARANCE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let (mut apart, mut meeting) = (0, 0);
    for round in 0..rounds {
        let mut random = Random::new(510 + round);
        for line in [1, 2, 7] {
            for other in [3, 5, 6, 8] {
                for case in 0..45 {
                    let kinds = if case % 2 == 0 { (line, other) } else { (other, line) };
                    let mut pair = Pair::random(kinds, &mut random);
                    let (answer, depth) = pair.check();
                    if answer.gap.value > 0.0 {
                        apart += 1;
                    } else {
                        meeting += 1;
                    }
                    let step =
                        answer.normal.map_or(depth.normal * depth.depth.value, |normal| normal * -answer.gap.value);
                    let near = [0.0, 1e-2, 1e-3, -1e-3, 1e-5, 1e-7, 1e-9, -1e-9, 1e-12, 1e-14, -1e-14][case % 11];
                    pair.b.3 += step + step.normalize_or_zero() * (near * step.length());
                    pair.check();
                }
            }
        }
    }
    assert!(apart > 100 && meeting > 50, "{apart} {meeting}");
}

/// Crossing cores under a radius need no integers, nor does a gap covered by the radii.
#[test]
fn crossing_cores_are_settled_without_exact_arithmetic() {
    let capsule = Shape::capsule(1.0, 0.25).unwrap();
    let segment = Shape::segment(DVec3::NEG_X, DVec3::X).unwrap();
    let triangle = Shape::triangle(DVec3::NEG_X, DVec3::X, DVec3::Y).unwrap();
    let mut workspace = Workspace::default();
    for step in 0..40 {
        let turned =
            Pose::from_axis_angle(DVec3::new(1.0, 0.3, 0.1), 0.1 * f64::from(step), DVec3::splat(0.01)).unwrap();
        for other in [&capsule, &segment, &triangle] {
            let (options, mut cache) = (DistanceOptions::default(), PairCache::default());
            let answer = distance_with(&capsule, &turned, other, &Pose::IDENTITY, &options, &mut cache, &mut workspace);
            assert_eq!((answer.gap.value, answer.gap.lower), (0.0, 0.0));
            answer.verify(&capsule, &turned, other, &Pose::IDENTITY).unwrap();
            let options = IntersectsOptions::default();
            assert!(intersects_with(&capsule, &turned, other, &Pose::IDENTITY, &options, &mut cache, &mut workspace));
        }
    }
    assert_eq!(workspace.exact_decisions(), 0);
}
