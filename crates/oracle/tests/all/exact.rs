//! The oracle against answers known independently: by hand, by construction, by symmetry.

use std::cmp::Ordering;

use clearance_oracle::random::Random;
use clearance_oracle::rational::{Rational, Vector, scale, vector};
use clearance_oracle::tangent::{Feature, TangentKind, tangent_pair};
use clearance_oracle::{
    Cores, OracleBody, Placed, Scenario, generate, intersects, pair, signed_distance, signed_distance_placed,
};

fn unit_box(translation: [f64; 3]) -> OracleBody {
    OracleBody::cuboid([0.5; 3]).translated(translation)
}

fn assert_is(a: &OracleBody, b: &OracleBody, expected: f64) {
    let truth = signed_distance(a, b);
    assert_eq!(truth.enclosure(), (expected, expected));
    assert_eq!(truth.compare(expected), Ordering::Equal);
    assert_eq!(intersects(a, b), expected <= 0.0);
}

#[test]
fn unit_boxes_at_integer_offsets() {
    let a = unit_box([0.0; 3]);
    for x in 0_i64..4 {
        for y in 0_i64..4 {
            for z in 0_i64..4 {
                let b = unit_box([x as f64, -y as f64, z as f64]);
                let truth = signed_distance(&a, &b);
                let gaps = [x, y, z].map(|offset| (offset - 1).max(0));
                let squared: i64 = gaps.iter().map(|gap| gap * gap).sum();
                match [x, y, z].iter().max() {
                    Some(0) => {
                        assert_eq!(truth.cores, Cores::Overlapping);
                        assert_eq!(truth.core_squared, Rational::from(1));
                        assert_eq!(truth.enclosure(), (-1.0, -1.0));
                    }
                    Some(1) => assert_eq!(truth.cores, Cores::Touching),
                    _ => {
                        assert_eq!(truth.cores, Cores::Apart);
                        assert_eq!(truth.core_squared, Rational::from(squared));
                    }
                }
            }
        }
    }
    assert_is(&a, &unit_box([0.5, 0.25, 0.0]), -0.5);
    assert_is(&a, &unit_box([4.0, 5.0, 0.5]), 5.0);
}

/// The box of half extents `half` in the frame of (3, 4, 5), exactly, around a centre.
fn turned_box(half: [i64; 3], centre: [i64; 3]) -> Placed {
    let (rows, length) = generate::RATIONAL_FRAMES[1];
    let corners: Vec<Vector> = (0..8)
        .map(|corner| {
            std::array::from_fn(|axis| {
                (0..3).fold(Rational::from(centre[axis]), |sum, k| {
                    let sign = if corner >> k & 1 == 1 { 1 } else { -1 };
                    sum + Rational::ratio(sign * half[k] * rows[k][axis], length)
                })
            })
        })
        .collect();
    Placed::from_points(&corners)
}

#[test]
fn boxes_rotated_by_three_four_five() {
    let still = OracleBody::cuboid([1.0; 3]).placed();
    // The rotated unit cube extends (3 + 4) / 5 along x: one of its edges faces the other's face.
    let truth = signed_distance_placed(&still, &turned_box([1; 3], [3, 0, 0]));
    assert_eq!(truth.compare_rational(&Rational::ratio(3, 5)), Ordering::Equal);
    let truth = signed_distance_placed(&still, &turned_box([1; 3], [2, 0, 0]));
    assert_eq!(truth.cores, Cores::Overlapping);
    // Along x the overlap is 1 + 7/5 - 2 = 2/5; along (3, 4, 0) / 5 it is 1 + 7/5 - 6/5 = 6/5.
    assert_eq!(truth.compare_rational(&Rational::ratio(-2, 5)), Ordering::Equal);
    // The same frame for both: offset 5 (3, 4, 0) / 5 along the frame's first axis.
    let truth = signed_distance_placed(&turned_box([1, 2, 3], [0; 3]), &turned_box([2, 1, 1], [3, 4, 0]));
    assert_eq!(truth.compare_rational(&Rational::from(2)), Ordering::Equal);
    // Direction: along the frame's first axis.
    let direction = truth.direction.map(|x| x * 4);
    assert_eq!(&direction[0] / 3, &direction[1] / 4);
}

#[test]
fn balls() {
    let at = |radius, translation| OracleBody::sphere(radius).translated(translation);
    assert_is(&at(1.0, [0.0; 3]), &at(1.0, [3.0, 4.0, 0.0]), 3.0);
    assert_is(&at(2.0, [0.0; 3]), &at(3.0, [3.0, 4.0, 0.0]), 0.0);
    assert_is(&at(2.0, [0.0; 3]), &at(4.0, [3.0, 4.0, 0.0]), -1.0);
    assert_is(&at(2.0, [1.0; 3]), &at(0.5, [1.0; 3]), -2.5);
    let cube = OracleBody::cuboid([1.0; 3]);
    assert_is(&cube, &at(0.5, [0.25, 2.0, -0.75]), 0.5);
    assert_is(&cube, &at(0.5, [0.25, 1.25, -0.75]), -0.25);
    assert_is(&cube, &at(0.5, [0.25, 0.5, 0.0]), -1.0);
    // Towards the corner: (1, 2, 2) from it, 3 away.
    assert_is(&cube, &at(1.0, [2.0, 3.0, -3.0]), 2.0);
}

#[test]
fn points_segments_and_polygons() {
    let hull = |points: &[[f64; 3]]| OracleBody::hull(points.to_vec());
    let point = hull(&[[1.0, 2.0, 2.0]]);
    assert_is(&hull(&[[0.0; 3]]), &point, 3.0);
    assert_is(&point, &point, 0.0);
    let x_axis = hull(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    // Crossing, skew, parallel, collinear apart and overlapping, end to side.
    assert_is(&x_axis, &hull(&[[0.0, -1.0, 0.0], [0.5, 1.0, 0.0]]), 0.0);
    assert_is(&x_axis, &hull(&[[0.0, -1.0, 2.0], [0.5, 1.0, 2.0]]), 2.0);
    assert_is(&x_axis, &hull(&[[0.0, 3.0, 4.0], [7.0, 3.0, 4.0]]), 5.0);
    assert_is(&x_axis, &hull(&[[4.0, 3.0, 4.0], [7.0, 3.0, 4.0]]).translated([-3.0, 0.0, 0.0]), 5.0);
    assert_is(&x_axis, &hull(&[[3.0, 0.0, 0.0], [7.0, 0.0, 0.0]]), 2.0);
    assert_is(&x_axis, &hull(&[[0.5, 0.0, 0.0], [7.0, 0.0, 0.0]]), 0.0);
    assert_is(&x_axis, &hull(&[[0.5, 0.25, 0.0], [0.5, 7.0, 0.0]]), 0.25);
    assert_is(&x_axis, &hull(&[[0.0, 0.5, 0.0]]), 0.5);
    assert_is(&x_axis, &hull(&[[0.25, 0.0, 0.0]]), 0.0);
    // A square: in its plane, above it, pierced by a segment, coplanar polygons.
    let square = hull(&[[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]]);
    assert_is(&square, &hull(&[[1.0, 1.0, 0.5]]), 0.5);
    assert_is(&square, &hull(&[[1.0, 1.0, 0.0]]), 0.0);
    assert_is(&square, &hull(&[[1.0, 5.0, 4.0]]), 5.0);
    assert_is(&square, &square.clone().translated([1.0, 1.0, 0.0]), 0.0);
    assert_is(&square, &square.clone().translated([5.0, 6.0, 0.0]), 5.0);
    assert_is(&square, &square.clone().translated([1.0, 1.0, 0.25]), 0.25);
    let through = hull(&[[1.0, 0.5, -3.0], [1.0, 0.5, 4.0]]);
    // Sideways by 1/2, or down by 3 or up by 4: the least is 1/2.
    assert_is(&square, &through, -0.5);
    // A polygon within a box, and a segment within a box.
    let cube = OracleBody::cuboid([4.0; 3]);
    assert_is(&cube, &square, -4.0);
    assert_is(&cube, &x_axis, -4.0);
    assert_is(&cube, &hull(&[[3.0, 0.0, 0.0]]), -1.0);
}

#[test]
fn touching_at_a_vertex_and_barely_apart() {
    let octahedron = OracleBody::hull(vec![
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ]);
    let other = |x: f64| octahedron.clone().translated([x, 0.0, 0.0]);
    assert_eq!(signed_distance(&octahedron, &other(2.0)).cores, Cores::Touching);
    let apart = signed_distance(&octahedron, &other(2.0_f64.next_up()));
    assert_eq!(apart.enclosure(), (f64::EPSILON * 2.0, f64::EPSILON * 2.0));
    let inside = signed_distance(&octahedron, &other(2.0_f64.next_down()));
    assert_eq!(inside.cores, Cores::Overlapping);
    // Along (1, 1, 1) / sqrt(3) the overlap is epsilon / sqrt(3).
    let epsilon = Rational::from_f64(f64::EPSILON).unwrap();
    assert_eq!(inside.core_squared, epsilon.squared() / Rational::from(3));
}

#[test]
fn bounds_are_the_neighbours_of_the_truth() {
    let a = unit_box([0.0; 3]);
    let truth = signed_distance(&a, &unit_box([2.0, 2.0, 2.0]));
    let (below, above) = truth.enclosure();
    assert_eq!(below.next_up(), above);
    assert!(truth.is_within(below, above));
    assert!(!truth.is_within(above, 2.0) && !truth.is_within(0.0, below));
    assert_eq!(truth.to_decimal(20), "1.7320508075688772935e0");
}

#[test]
fn tangent_pairs_agree_exactly() {
    let mut met = std::collections::HashMap::new();
    let mut touching = 0;
    for kind in TangentKind::ALL {
        for seed in 0..150 {
            let pair = tangent_pair(kind, seed);
            let truth = signed_distance(&pair.a, &pair.b);
            assert_eq!(
                truth.compare_rational(&pair.distance),
                Ordering::Equal,
                "{kind:?} {seed}: {} instead of {}",
                truth.to_decimal(20),
                pair.distance.to_decimal(20)
            );
            *met.entry(pair.features).or_insert(0) += 1;
            touching += u32::from(pair.distance.is_zero());
        }
    }
    for a in [Feature::Vertex, Feature::Edge, Feature::Face] {
        for b in [Feature::Vertex, Feature::Edge, Feature::Face, Feature::Ball] {
            assert!(met.contains_key(&(a, b)), "no pair of {a:?} and {b:?}");
        }
    }
    assert!(touching > 20);
}

#[test]
fn answers_do_not_depend_on_the_order_of_the_arguments() {
    for scenario in Scenario::ALL {
        for seed in 0..4 {
            let (a, b) = pair(scenario, seed);
            let forth = signed_distance(&a, &b);
            let back = signed_distance(&b, &a);
            assert_eq!(forth.cores, back.cores, "{scenario:?} {seed}");
            assert_eq!(forth.core_squared, back.core_squared, "{scenario:?} {seed}");
            assert_eq!(intersects(&a, &b), forth.sign() != Ordering::Greater);
            let (below, above) = forth.enclosure();
            assert!(forth.is_within(below, above) && (below == above || below.next_up() == above));
        }
    }
}

#[test]
fn a_common_integer_translation_changes_nothing() {
    let mut random = Random::new(11);
    for scenario in [
        Scenario::TouchingFace,
        Scenario::TouchingInside,
        Scenario::GridHulls,
        Scenario::ExactRotations,
        Scenario::CoplanarFaces,
    ] {
        for seed in 0..6 {
            let (a, b) = pair(scenario, seed);
            // Only where the moved translation is exact.
            let by: [f64; 3] = std::array::from_fn(|_| random.integer(-4096, 4096) as f64);
            let moved = |body: &OracleBody| {
                let translation = std::array::from_fn(|axis| body.translation[axis] + by[axis]);
                let exact = (0..3).all(|axis| {
                    let sum =
                        Rational::from_f64(body.translation[axis]).unwrap() + Rational::from_f64(by[axis]).unwrap();
                    Rational::from_f64(translation[axis]) == Some(sum)
                });
                exact.then(|| body.clone().translated(translation))
            };
            if let (Some(moved_a), Some(moved_b)) = (moved(&a), moved(&b)) {
                let here = signed_distance(&a, &b);
                let there = signed_distance(&moved_a, &moved_b);
                assert_eq!(here, there, "{scenario:?} {seed}");
            }
        }
    }
}

/// Moving B along the direction found by slightly more than the depth separates the bodies, by slightly less does not;
/// and no random direction separates them with less.
#[test]
fn depths_are_attained_and_least() {
    let mut random = Random::new(5);
    let mut checked = 0;
    for scenario in [
        Scenario::RandomBoxes,
        Scenario::BallHulls,
        Scenario::GridHulls,
        Scenario::FlatHulls,
        Scenario::NeedleHulls,
        Scenario::NearTouchingHulls,
        Scenario::SizeRatio,
    ] {
        for seed in 0..20 {
            let (a, b) = pair(scenario, seed);
            let truth = signed_distance(&a, &b);
            if truth.cores != Cores::Overlapping || truth.radius_sum != Rational::zero() {
                continue;
            }
            checked += 1;
            let depth = -truth.enclosure().0;
            let direction = truth.direction.clone().map(|x| Rational::from(x).to_f64_bounds().0);
            let most = direction.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let scaled = direction.map(|x| x / most);
            let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
            let unit = scaled.map(|x| x / length);
            // B is moved without rounding, so that depths of any size can be tested.
            let (core_a, core_b) = (a.placed(), b.placed());
            let meets_after = |direction: [f64; 3], by: f64| {
                let shift = scale(&vector(direction).unwrap(), &Rational::from_f64(by).unwrap());
                let moved: Vec<Vector> = core_b
                    .points
                    .iter()
                    .map(|point| {
                        std::array::from_fn(|axis| {
                            Rational::new(point[axis].clone(), core_b.denominator.clone()) + shift[axis].clone()
                        })
                    })
                    .collect();
                let truth = signed_distance_placed(&core_a, &Placed::from_points(&moved));
                truth.cores != Cores::Apart
            };
            assert!(!meets_after(unit, depth * 1.0001), "{scenario:?} {seed}");
            assert!(meets_after(unit, depth * 0.9999), "{scenario:?} {seed}");
            for _ in 0..4 {
                let other = random.direction();
                assert!(meets_after(other, depth * 0.9999), "{scenario:?} {seed}");
            }
        }
    }
    println!("{checked} overlapping pairs checked");
    assert!(checked > 25, "{checked}");
}

/// Not a benchmark: catches a change that makes the oracle useless.
#[test]
fn quick_enough() {
    let mut slowest = Vec::new();
    for scenario in [Scenario::RandomBoxes, Scenario::NearTouchingBoxes, Scenario::SphereHulls] {
        let begun = std::time::Instant::now();
        for seed in 0..10 {
            let (a, b) = pair(scenario, seed);
            let _ = signed_distance(&a, &b);
        }
        slowest.push((scenario, begun.elapsed() / 10));
    }
    let mut random = Random::new(9);
    for count in [12, 24] {
        let mut cloud = |offset: f64| {
            let points = (0..count).map(|_| random.direction()).collect();
            OracleBody::hull(points).rotated(generate::random_rotation(&mut random)).translated([offset, 0.0, 0.0])
        };
        for offset in [0.5, 2.5] {
            let (a, b) = (cloud(0.0), cloud(offset));
            let begun = std::time::Instant::now();
            let truth = signed_distance(&a, &b);
            println!("hulls of {count} points, {:?}: {:?}", truth.cores, begun.elapsed());
        }
    }
    println!("mean times: {slowest:?}");
    assert!(slowest[0].1.as_millis() < 200);
}
