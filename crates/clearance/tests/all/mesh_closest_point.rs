//! Closest points, signed distances and containment of meshes: every triangle in rational arithmetic.

use clearance::answer::{ClosestPoint, RayHit, SignedDistance, WitnessPoint};
use clearance::glam::DVec3;
use clearance::query::ray_cast_all_with;
use clearance::query::{
    RayHitMode, RayOptions, closest_point_batch, contains_batch, ray_cast_batch, signed_distance_batch,
};
use clearance::shape::Feature;
use clearance::{Bracket, Mesh, Pose, Ray, Shape, closest_point, contains, ray_cast, signed_distance};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::Vector;
use mesh_models::{Soup, cube, exact, heap, integer_point, posed, soup, sphere, squared_distance, winding};

use crate::mesh_models;

/// The least squared distance over all triangles. Triangles certainly farther than another are skipped.
fn truth(soup: &Soup, pose: &Pose, point: DVec3) -> Rational {
    let rough: Vec<(f64, f64)> = (0..soup.triangles.len())
        .map(|k| {
            let corners = soup.corners(k).map(|p| pose.transform_point(p));
            let away = corners[0].distance(point);
            let size = corners[0].distance(corners[1]).max(corners[0].distance(corners[2]));
            (away - size, away)
        })
        .collect();
    let nearest = rough.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
    let reach = point.length() + pose.translation().length() + nearest;
    let q = exact(point);
    (0..soup.triangles.len())
        .filter(|&k| rough[k].0 <= nearest * 1.001 + 1e-6 * reach)
        .map(|k| {
            let corners: [Vector; 3] = soup.corners(k).map(|p| posed(pose, p));
            squared_distance(&q, &corners)
        })
        .min()
        .unwrap()
}

fn rational(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

fn check(soup: &Soup, mesh: &Mesh, pose: &Pose, point: DVec3) -> SignedDistance {
    let shape = Shape::Mesh(mesh.clone());
    let answer = signed_distance(&shape, pose, point);
    let context = || format!("{answer:?}\n{point:?}\n{pose:?}");
    let truth = truth(soup, pose, point);
    let (near, far) = (
        answer.distance.lower.abs().min(answer.distance.upper.abs()),
        answer.distance.lower.abs().max(answer.distance.upper.abs()),
    );
    assert!(answer.distance.lower.signum() == answer.distance.upper.signum() || near == 0.0, "{}", context());
    assert!(
        rational(near).squared() <= truth && truth <= rational(far).squared(),
        "{} {}",
        truth.to_f64().sqrt(),
        context()
    );
    let size = soup.points.iter().map(|p| DVec3::from_array(*p).length()).fold(0.0, f64::max);
    let scale = size + pose.translation().length() + point.length();
    assert!(far - near <= 4e-14 * scale, "{} {}", far - near, context());
    assert_eq!(answer.verify(&shape, pose, point), Ok(()), "{}", context());
    let closest = closest_point(&shape, pose, point);
    assert_eq!(closest.verify(&shape, pose, point), Ok(()), "{closest:?} {}", context());
    let inside = contains(&shape, pose, point);
    assert!(if inside { answer.distance.value <= 0.0 } else { answer.distance.value >= 0.0 }, "{}", context());
    if mesh.is_solid() && inside {
        assert_eq!((closest.distance.value, closest.witness.feature), (0.0, Feature::Interior), "{}", context());
    } else {
        assert_eq!(
            (closest.distance.value, closest.distance.lower, closest.distance.upper),
            (answer.distance.value.abs(), near, far),
            "{}",
            context()
        );
        assert_eq!((closest.witness.feature, closest.witness.point), (answer.witness.feature, answer.witness.point));
    }
    answer
}

fn poses(random: &mut Random) -> [Pose; 3] {
    let axis = DVec3::from_array(random.direction());
    let turned = Pose::from_axis_angle(axis, random.uniform(0.0, 3.0), DVec3::from_array(random.in_cube(2.0))).unwrap();
    [Pose::IDENTITY, turned, Pose::from_translation(DVec3::from_array(random.in_cube(5.0))).unwrap()]
}

#[test]
fn grid_points_and_a_grid_cube() {
    let mut random = Random::new(21);
    let soup = cube(3);
    let (surface, solid) = (soup.surface(), soup.solid());
    for _ in 0..150 {
        let point = 0.5 * integer_point(&mut random, -4, 10);
        let held = point.cmpge(DVec3::ZERO).all() && point.cmple(DVec3::splat(3.0)).all();
        assert_eq!(contains(&Shape::Mesh(solid.clone()), &Pose::IDENTITY, point), held, "{point}");
        let answer = check(&soup, &solid, &Pose::IDENTITY, point);
        assert_eq!(answer.distance.value, {
            let out = (point - 3.0).max(-point);
            if held { out.max_element() } else { out.max(DVec3::ZERO).length() }
        });
        check(&soup, &surface, &Pose::IDENTITY, point);
    }
}

#[test]
fn points_about_heaps_of_tetrahedra() {
    let mut random = Random::new(22);
    for _ in 0..80 {
        let soup = heap(&mut random);
        if soup.triangles.is_empty() {
            continue;
        }
        let solid = soup.solid();
        for _ in 0..6 {
            let point = 0.5 * integer_point(&mut random, -6, 6);
            let answer = check(&soup, &solid, &Pose::IDENTITY, point);
            if answer.distance.value.abs() > 1e-9 {
                let round = winding(&soup, point);
                assert!((round - round.round()).abs() < 1e-9);
                assert_eq!(contains(&Shape::Mesh(solid.clone()), &Pose::IDENTITY, point), round > 0.5, "{point}");
            }
        }
    }
}

#[test]
fn near_and_far_points_of_spheres() {
    let mut random = Random::new(23);
    let ball = sphere(2);
    for far in [0.0, 1e7] {
        for scale in [1.0, 1e-6, 1e6] {
            let middle = DVec3::new(far, -far, 0.5 * far);
            let soup = ball.clone().moved(middle, scale);
            let solid = soup.solid();
            for pose in poses(&mut random) {
                for distance in [0.0, 0.5, 1e-3, 1e-8, 3.0, 1e3, 1e7] {
                    let [a, b, c] = soup.corners(random.index(soup.triangles.len()));
                    let on = match random.index(3) {
                        0 => a,
                        1 => 0.3 * a + 0.7 * b,
                        _ => (a + b + c) / 3.0,
                    };
                    let out = (on - middle).normalize_or(DVec3::X) + 0.1 * DVec3::from_array(random.in_cube(1.0));
                    let side = if random.coin() { 1.0 } else { -1.0 };
                    let point = pose.transform_point(on + side * distance * scale * out);
                    check(&soup, &solid, &pose, point);
                }
            }
        }
    }
}

#[test]
fn points_around_random_soups() {
    let mut random = Random::new(24);
    for _ in 0..6 {
        let soup = soup(&mut random, 150);
        let mesh = soup.surface();
        for pose in poses(&mut random) {
            for round in 0..10 {
                let [a, b, c] = soup.corners(random.index(soup.triangles.len()));
                let on = if random.coin() { (a + b + c) / 3.0 } else { 0.5 * (a + b) };
                let point = match round % 4 {
                    0 => on,
                    1 => on + 1e-9 * DVec3::from_array(random.direction()),
                    2 => DVec3::from_array(random.in_cube(1.5)),
                    _ => DVec3::from_array(random.direction()) * 300.0,
                };
                check(&soup, &mesh, &pose, pose.transform_point(point));
            }
        }
    }
}

/// A sphere with some triangles missing and others flipped still has an inside.
#[test]
fn holes_and_flipped_faces_do_not_turn_the_sign() {
    let mut random = Random::new(25);
    let mut soup = sphere(3);
    let count = soup.triangles.len();
    for k in 0..count / 40 {
        soup.triangles[(37 * k + 5) % count].swap(1, 2);
    }
    soup.triangles.retain(|&[a, b, c]| (a + b + c) % 29 != 0);
    let mesh = soup.surface();
    assert!(mesh.solid().is_err());
    let shape = Shape::Mesh(mesh.clone());
    let bytes = mesh.bytes();
    for _ in 0..300 {
        let point = DVec3::from_array(random.in_cube(1.2));
        let r = point.length();
        if (0.85..1.0).contains(&r) {
            continue;
        }
        assert_eq!(contains(&shape, &Pose::IDENTITY, point), r < 1.0, "{point}");
        let answer = signed_distance(&shape, &Pose::IDENTITY, point);
        assert_eq!(answer.distance.value < 0.0, r < 1.0);
        assert_eq!(answer.verify(&shape, &Pose::IDENTITY, point), Ok(()));
        assert_eq!(contains(&shape, &Pose::IDENTITY, point), winding(&soup, point) > 0.5);
    }
    assert!(mesh.bytes() > bytes && mesh.bytes() < bytes + 48 * mesh.triangle_count());
}

#[test]
fn outside_what_floats_hold() {
    let mesh = sphere(1).solid();
    let shape = Shape::Mesh(mesh);
    for point in [DVec3::NAN, DVec3::splat(f64::INFINITY), DVec3::splat(1e61)] {
        assert!(!contains(&shape, &Pose::IDENTITY, point));
        assert_eq!(signed_distance(&shape, &Pose::IDENTITY, point).distance.value, f64::INFINITY);
        assert_eq!(closest_point(&shape, &Pose::IDENTITY, point).distance.value, f64::INFINITY);
    }
    for scale in [1e-60, 1e50] {
        let soup = sphere(1).moved(DVec3::ZERO, scale);
        for away in [1e-3, 2.0, 1e9, 1e200] {
            let point = DVec3::new(0.6, 0.5, 0.4) * scale * away;
            if point.max_element() < 1e59 {
                check(&soup, &soup.solid(), &Pose::IDENTITY, point);
            }
        }
        let far = DVec3::new(1e59, -1e58, 2e57);
        let answer = signed_distance(&Shape::Mesh(soup.solid()), &Pose::IDENTITY, far);
        assert!(
            answer.distance.lower <= far.length() * (1.0 + 1e-8)
                && answer.distance.upper >= far.length() * (1.0 - 1e-8)
        );
    }
    // By a power of two, to the least size: the same digits.
    let mut random = Random::new(28);
    let (plain, tiny) = (sphere(1), 2f64.powi(-199));
    let small = plain.clone().moved(DVec3::ZERO, tiny);
    for _ in 0..30 {
        let point = DVec3::from_array(random.in_cube(1.5));
        let a = signed_distance(&Shape::Mesh(plain.solid()), &Pose::IDENTITY, point);
        let b = signed_distance(&Shape::Mesh(small.solid()), &Pose::IDENTITY, point * tiny);
        assert_eq!(a.distance.value * tiny, b.distance.value);
        assert!(
            b.distance.lower <= b.distance.value
                && b.distance.value <= b.distance.upper
                && b.distance.upper - b.distance.lower <= (a.distance.upper - a.distance.lower) * tiny
        );
        assert_eq!((a.witness.feature, a.witness.point * tiny), (b.witness.feature, b.witness.point));
    }
}

#[test]
fn batches_equal_single_queries() {
    let mut random = Random::new(26);
    let shape = Shape::Mesh(sphere(3).solid());
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::new(0.1, 0.2, 0.3)).unwrap();
    let points: Vec<DVec3> = (0..500).map(|_| DVec3::from_array(random.in_cube(1.5))).collect();
    let rays: Vec<Ray> = points.iter().map(|&p| Ray::new(p, DVec3::from_array(random.direction())).unwrap()).collect();
    let options = RayOptions::line();
    let hits = ray_cast_batch(&shape, &pose, &rays, &options);
    let (nearest, signed) =
        (closest_point_batch(&shape, &pose, &points), signed_distance_batch(&shape, &pose, &points));
    let held = contains_batch(&shape, &pose, &points);
    for k in 0..points.len() {
        assert_eq!(hits[k], clearance::query::ray_cast_with(&shape, &pose, &rays[k], &options));
        assert_eq!(nearest[k], closest_point(&shape, &pose, points[k]));
        assert_eq!(signed[k], signed_distance(&shape, &pose, points[k]));
        assert_eq!(held[k], contains(&shape, &pose, points[k]));
    }
    assert!(hits.iter().flatten().count() > 100 && held.iter().any(|&h| h) && held.iter().any(|&h| !h));
}

/// Every field of a hit, and of answers about points, is checked: changed by little, it is refused.
#[test]
fn changed_answers_are_refused() {
    let mut random = Random::new(27);
    let soup = sphere(2);
    let pose = Pose::from_axis_angle(DVec3::new(1.0, -2.0, 0.5), 1.1, DVec3::new(0.3, 0.1, -0.4)).unwrap();
    for mesh in [soup.solid(), soup.surface()] {
        let solid = mesh.is_solid();
        let shape = Shape::Mesh(mesh);
        for _ in 0..12 {
            let ray = Ray::new(pose.transform_point(DVec3::from_array(random.direction()) * 2.0), {
                pose.translation() - pose.transform_point(DVec3::from_array(random.direction()) * 2.0)
            });
            let Ok(ray) = ray else { continue };
            let options = RayOptions { hit: RayHitMode::Any, ..RayOptions::line() };
            let mut hits = Vec::new();
            ray_cast_all_with(&shape, &pose, &ray, &options, &mut hits);
            for hit in hits {
                let ask = |hit: RayHit| hit.verify(&shape, &pose, &ray, &options);
                assert_eq!(ask(hit), Ok(()), "{hit:?}");
                let later = 1e-9;
                let off = DVec3::from_array(random.direction()) * 1e-8;
                let wrong = [
                    RayHit {
                        t: Bracket {
                            value: hit.t.value + later,
                            lower: hit.t.lower + later,
                            upper: hit.t.upper + later,
                        },
                        ..hit
                    },
                    RayHit {
                        t: Bracket {
                            value: hit.t.value - later,
                            lower: hit.t.lower - later,
                            upper: hit.t.upper - later,
                        },
                        ..hit
                    },
                    RayHit { t: Bracket { lower: hit.t.upper + later, ..hit.t }, ..hit },
                    RayHit { t: Bracket { upper: hit.t.lower - later, ..hit.t }, ..hit },
                    RayHit { t: Bracket { lower: hit.t.lower - 1e-3, ..hit.t }, ..hit },
                    RayHit { t: Bracket { upper: hit.t.upper + 1e-3, ..hit.t }, ..hit },
                    RayHit { witness: WitnessPoint { point: hit.witness.point + off, ..hit.witness }, ..hit },
                    RayHit { normal: -hit.normal, ..hit },
                    RayHit { normal: hit.normal * 1.001, ..hit },
                    RayHit { normal: (hit.normal + off.any_orthonormal_vector() * 1e-6).normalize(), ..hit },
                    RayHit { witness: WitnessPoint { feature: Feature::Interior, ..hit.witness }, ..hit },
                    RayHit { witness: WitnessPoint { feature: Feature::Face(1_000_000), ..hit.witness }, ..hit },
                    RayHit { witness: WitnessPoint { feature: Feature::Vertex(0), ..hit.witness }, ..hit },
                    RayHit { witness: WitnessPoint { feature: Feature::Edge(0), ..hit.witness }, ..hit },
                    RayHit { witness: WitnessPoint { part: 1, ..hit.witness }, ..hit },
                    RayHit { entering: !hit.entering, ..hit },
                    RayHit { t: Bracket { value: f64::NAN, ..hit.t }, ..hit },
                ];
                for (k, wrong) in wrong.into_iter().enumerate() {
                    assert!(ask(wrong).is_err(), "{k} {hit:?}");
                }
            }
            let point = pose.transform_point(DVec3::from_array(random.in_cube(1.3)));
            let answer = signed_distance(&shape, &pose, point);
            let ask = |answer: SignedDistance| answer.verify(&shape, &pose, point);
            assert_eq!(ask(answer), Ok(()), "{answer:?}");
            let (by, off) = (1e-9, DVec3::from_array(random.direction()) * 1e-6);
            let up = |by: f64| SignedDistance {
                distance: Bracket {
                    value: answer.distance.value + by,
                    lower: answer.distance.lower + by,
                    upper: answer.distance.upper + by,
                },
                ..answer
            };
            let wrong = [
                up(by),
                up(-by),
                SignedDistance {
                    distance: Bracket {
                        value: -answer.distance.value,
                        lower: -answer.distance.upper,
                        upper: -answer.distance.lower,
                    },
                    ..answer
                },
                SignedDistance { distance: Bracket { lower: answer.distance.lower - by, ..answer.distance }, ..answer },
                SignedDistance { distance: Bracket { upper: answer.distance.upper + by, ..answer.distance }, ..answer },
                SignedDistance { distance: Bracket { lower: answer.distance.upper + by, ..answer.distance }, ..answer },
                SignedDistance {
                    witness: WitnessPoint { point: answer.witness.point + off, ..answer.witness },
                    ..answer
                },
                SignedDistance { normal: -answer.normal, ..answer },
                SignedDistance { normal: answer.normal * 1.001, ..answer },
                SignedDistance { witness: WitnessPoint { feature: Feature::Interior, ..answer.witness }, ..answer },
                SignedDistance {
                    witness: WitnessPoint { feature: Feature::Face(1_000_000), ..answer.witness },
                    ..answer
                },
                SignedDistance { witness: WitnessPoint { feature: Feature::Vertex(0), ..answer.witness }, ..answer },
                SignedDistance { witness: WitnessPoint { part: 1, ..answer.witness }, ..answer },
            ];
            for (k, wrong) in wrong.into_iter().enumerate() {
                assert!(ask(wrong).is_err(), "{k} {answer:?}");
            }
            let answer = closest_point(&shape, &pose, point);
            let ask = |answer: ClosestPoint| answer.verify(&shape, &pose, point);
            assert_eq!(ask(answer), Ok(()), "{answer:?}");
            let wrong = [
                ClosestPoint {
                    distance: Bracket {
                        value: answer.distance.value + by,
                        upper: answer.distance.upper + by,
                        lower: answer.distance.lower + by,
                    },
                    ..answer
                },
                ClosestPoint { distance: Bracket { upper: answer.distance.upper + by, ..answer.distance }, ..answer },
                ClosestPoint { distance: Bracket { lower: answer.distance.upper + by, ..answer.distance }, ..answer },
                ClosestPoint {
                    witness: WitnessPoint { point: answer.witness.point + off, ..answer.witness },
                    ..answer
                },
                ClosestPoint {
                    witness: WitnessPoint { feature: Feature::Face(1_000_000), ..answer.witness },
                    ..answer
                },
                ClosestPoint { witness: WitnessPoint { feature: Feature::Vertex(0), ..answer.witness }, ..answer },
                ClosestPoint { witness: WitnessPoint { part: 1, ..answer.witness }, ..answer },
            ];
            for (k, wrong) in wrong.into_iter().enumerate() {
                assert!(ask(wrong).is_err(), "{k} {answer:?}");
            }
            // An inside answer for a point outside, and the other way round.
            let other = if answer.witness.feature == Feature::Interior {
                let surface = signed_distance(&shape, &pose, point);
                let distance = surface.distance.value.abs();
                let (point_in_body, feature) = (surface.witness.point, surface.witness.feature);
                ClosestPoint {
                    distance: Bracket {
                        value: distance,
                        lower: -surface.distance.upper,
                        upper: -surface.distance.lower,
                    },
                    witness: WitnessPoint { point: point_in_body, feature, part: 0 },
                }
            } else {
                let point_in_body = pose.inverse_transform_point(point);
                let feature = Feature::Interior;
                ClosestPoint {
                    distance: Bracket { value: 0.0, lower: 0.0, upper: 0.0 },
                    witness: WitnessPoint { point: point_in_body, feature, part: 0 },
                }
            };
            assert!(ask(other).is_err(), "{solid} {answer:?}");
        }
        let inside = ray_cast(&shape, &pose, &Ray::new(pose.translation(), DVec3::X).unwrap()).unwrap();
        assert_eq!(inside.entering, !solid);
    }
}
