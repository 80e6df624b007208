//! Rays and points against height fields in any pose, compared with every triangle.

use clearance::glam::{DMat3, DVec2, DVec3};
use clearance::query::RayOptions;
use clearance::query::ray_cast_all_with;
use clearance::shape::{Feature, HeightField};
use clearance::{Pose, Ray, Shape, closest_point, contains, ray_cast, signed_distance};
use clearance_oracle::random::Random;

use crate::common::first_hit;
use crate::common::random_bodies::vector;

fn hills(columns: usize, rows: usize, spacing: DVec2, height: f64, random: &mut Random) -> HeightField {
    let heights = (0..columns * rows).map(|_| (random.uniform(0.0, 1.0) * height) as f32).collect();
    HeightField::new(columns, rows, spacing, heights).unwrap()
}

fn poses(random: &mut Random) -> Vec<Pose> {
    let mut poses = vec![
        Pose::IDENTITY,
        Pose::from_translation(DVec3::new(0.3, -0.7, 2.0)).unwrap(),
        Pose::from_translation(DVec3::new(1e7, -1e7, 3e6)).unwrap(),
        Pose::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2, DVec3::ZERO).unwrap(),
        Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 2.0, DVec3::new(1e7, 1e7, -1e7)).unwrap(),
    ];
    for _ in 0..3 {
        poses.push(
            Pose::from_axis_angle(vector(random, 1.0), 3.0 * random.uniform(0.0, 1.0), 5.0 * vector(random, 1.0))
                .unwrap(),
        );
    }
    // Nearly the largest accepted rigidity defect.
    let sheared = DMat3::from_cols(DVec3::X, DVec3::new(3e-7, 1.0, 0.0), DVec3::Z);
    poses.push(Pose::new(sheared, DVec3::new(1.0, 2.0, 3.0)).unwrap());
    poses
}

/// Where a line crosses a world triangle, if clear of its edges.
fn crosses(ray: &Ray, [a, b, c]: [DVec3; 3]) -> Option<(f64, bool)> {
    let n = (b - a).cross(c - a);
    let slope = n.dot(ray.direction);
    let t = n.dot(a - ray.origin) / slope;
    let x = ray.at(t);
    let clear = [(a, b), (b, c), (c, a)].map(|(p, q)| (q - p).cross(x - p).dot(n) / n.length_squared());
    let steep = slope.abs() > 1e-3 * n.length() * ray.direction.length();
    (steep && clear.iter().all(|&w| w > 1e-6)).then_some((t, slope < 0.0))
}

#[test]
fn rays_agree_with_every_triangle() {
    let mut random = Random::new(77);
    let (mut hit_count, mut worst) = (0, 0.0f64);
    for spacing in [DVec2::new(1.0, 0.7), DVec2::splat(1e-6), DVec2::splat(1e5)] {
        let field = hills(9, 7, spacing, 2.0 * spacing.x, &mut random);
        let size = field.surface_bounds().size();
        let shape = Shape::HeightField(field.clone());
        for pose in poses(&mut random) {
            // Far away a tiny field is a few rounding units large: too small to compare.
            if pose.translation().length() > 1e6 && spacing.x < 1e-3 {
                continue;
            }
            for _ in 0..60 {
                let target = pose.transform_point(size * (vector(&mut random, 1.0) * 0.5 + DVec3::splat(0.5)));
                let origin = target + vector(&mut random, 1.0) * size.length();
                let direction = (target - origin) * (random.uniform(0.0, 1.0) + 0.1);
                let Ok(ray) = Ray::new(origin, direction) else { continue };
                let mut hits = Vec::new();
                ray_cast_all_with(&shape, &pose, &ray, &RayOptions::line(), &mut hits);
                for hit in &hits {
                    hit.verify(&shape, &pose, &ray, &RayOptions::line())
                        .unwrap_or_else(|refusal| panic!("{refusal:?} {hit:?} {pose:?} {ray:?}"));
                    assert!(matches!(hit.witness.feature, Feature::Face(_)));
                    if hit.normal.dot(ray.direction).abs() > 0.1 * ray.direction.length() {
                        let l = size.length() + (pose.translation() - origin).length();
                        worst = worst.max((hit.t.upper - hit.t.lower) * ray.direction.length() / l);
                    }
                }
                hit_count += hits.len();
                for index in 0..field.triangle_count() as u32 {
                    let corners = field.triangle(index).unwrap().map(|p| pose.transform_point(p));
                    let Some((t, entering)) = crosses(&ray, corners) else { continue };
                    // Corners in the world are rounded there.
                    let off = 1e-11 + 1e-12 * origin.length() / size.length();
                    let found = hits.iter().find(|hit| hit.witness.feature == Feature::Face(index));
                    let found = found.unwrap_or_else(|| panic!("missed {index} at {t}: {pose:?} {ray:?}"));
                    assert!((found.t.value - t).abs() <= off * 1e3 * (1.0 + t.abs()), "{found:?} {t}");
                    assert_eq!(found.entering, entering);
                }
                let ahead = hits.iter().find(|hit| hit.t.value >= 0.0);
                let first = first_hit(&shape, &pose, &ray, &RayOptions::default());
                assert_eq!(first.map(|hit| hit.t.value), ahead.map(|hit| hit.t.value));
            }
        }
    }
    assert!(hit_count > 1000, "{hit_count}");
    assert!(worst < 1e-13, "{worst}");
}

#[test]
fn exact_where_the_pose_is_exact() {
    let field = HeightField::new(3, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
    let shape = Shape::HeightField(field.clone());
    let pose = Pose::from_translation(DVec3::new(1e7, 2.0, -4.0)).unwrap();
    let ray = Ray::new(DVec3::new(1e7 - 1.0, 2.5, -3.5), DVec3::X).unwrap();
    let hit = ray_cast(&shape, &pose, &ray).unwrap();
    let own = field.ray_cast(DVec3::new(-1.0, 0.5, 0.5), DVec3::X, 0.0, 9.0).unwrap().unwrap();
    assert_eq!((hit.t.value, hit.t.lower, hit.t.upper), (own.t.value, own.t.lower, own.t.upper));
    assert_eq!((hit.entering, hit.witness.point), (true, DVec3::new(0.5, 0.5, 0.5)));
    // The range is closed, and directions may have any length.
    for scale in [1e-300, 1e-200, 1.0, 1e60] {
        let ray = Ray::new(ray.origin, DVec3::X * scale).unwrap();
        let hit = ray_cast(&shape, &pose, &ray).unwrap();
        assert!(
            (hit.t.value * scale - 1.5).abs() < 1e-14 && hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper,
            "{hit:?}"
        );
        assert_eq!(hit.verify(&shape, &pose, &ray, &RayOptions::default()), Ok(()));
    }
    // The surface alone is hit, from below as well; the sides are not.
    let below = Ray::new(DVec3::new(1e7 + 0.5, 2.5, -9.0), DVec3::Z).unwrap();
    assert!(!ray_cast(&shape, &pose, &below).unwrap().entering);
    let through = Ray::new(DVec3::new(1e7 - 9.0, 2.5, -9.0), DVec3::X).unwrap();
    assert_eq!(first_hit(&shape, &pose, &through, &RayOptions::default()), None);
}

#[test]
fn a_ray_far_away_finds_the_ground() {
    let shape = Shape::height_field(2, 2, DVec2::splat(1e59), vec![0.0; 4]).unwrap();
    let pose = Pose::from_translation(DVec3::new(0.0, 0.0, -9e59)).unwrap();
    let ray = Ray::new(DVec3::new(5e58, 5e58, 9e59), DVec3::new(0.0, 0.0, -1e58)).unwrap();
    let hit = ray_cast(&shape, &pose, &ray).unwrap();
    assert!(hit.t.lower <= 180.0 && 180.0 <= hit.t.upper && hit.t.upper - hit.t.lower < 1e-12, "{hit:?}");
    let point = signed_distance(&shape, &pose, ray.origin);
    assert!(point.distance.lower <= 1.8e60 && 1.8e60 <= point.distance.upper, "{point:?}");
}

#[test]
fn points_agree_with_every_triangle() {
    let mut random = Random::new(99);
    let mut inside_count = 0;
    for spacing in [DVec2::new(1.0, 0.7), DVec2::splat(1e-6), DVec2::splat(1e5)] {
        let field = hills(8, 6, spacing, 2.0 * spacing.x, &mut random);
        let size = field.surface_bounds().size();
        let shape = Shape::HeightField(field.clone());
        for pose in poses(&mut random) {
            for k in 0..80 {
                let local = size * (vector(&mut random, 1.0) * 0.8 + DVec3::new(0.5, 0.5, 0.2));
                let point = match k % 4 {
                    // A grid point, as near as the pose allows.
                    0 => pose.transform_point(field.triangle(k % 70).unwrap()[k as usize % 3]),
                    _ => pose.transform_point(local),
                };
                let signed = signed_distance(&shape, &pose, point);
                signed
                    .verify(&shape, &pose, point)
                    .unwrap_or_else(|refusal| panic!("{refusal:?} {signed:?} {pose:?} {point}"));
                let closest = closest_point(&shape, &pose, point);
                closest
                    .verify(&shape, &pose, point)
                    .unwrap_or_else(|refusal| panic!("{refusal:?} {closest:?} {pose:?} {point}"));
                let inside = contains(&shape, &pose, point);
                inside_count += u32::from(inside);
                if inside {
                    assert!(
                        signed.distance.upper <= 0.0
                            && closest.distance.value == 0.0
                            && closest.witness.feature == Feature::Interior
                    );
                } else {
                    assert!(signed.distance.lower >= 0.0 && closest.distance.value == signed.distance.value);
                }
                if pose == Pose::IDENTITY {
                    let own = field.signed_distance(point).unwrap();
                    assert_eq!((signed.distance.value, signed.witness.point), (own.distance.value, own.point));
                }
            }
        }
    }
    assert!(inside_count > 300, "{inside_count}");
}

#[test]
fn sides_of_the_solid_are_faces_after_the_triangles() {
    let shape = Shape::height_field(3, 3, DVec2::ONE, vec![0.0; 9]).unwrap();
    let pose = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let asked = [(-1.0, 1.0, 0), (3.0, 1.0, 1), (1.0, -1.0, 2), (1.0, 3.0, 3), (0.25, 1.0, 0), (1.0, 1.75, 3)];
    for (x, y, side) in asked {
        let point = pose.transform_point(DVec3::new(x, y, -5.0));
        let answer = signed_distance(&shape, &pose, point);
        assert_eq!(answer.witness.feature, Feature::Face(8 + side));
        assert_eq!(answer.verify(&shape, &pose, point), Ok(()));
        let outward = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y][side as usize];
        assert!(answer.normal.distance(pose.rotation() * outward) < 1e-12);
    }
}

#[test]
fn altered_answers_are_refused() {
    let mut random = Random::new(5);
    let shape = Shape::HeightField(hills(6, 6, DVec2::ONE, 1.5, &mut random));
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 0.5), 0.7, DVec3::new(3.0, -1.0, 2.0)).unwrap();
    let target = pose.transform_point(DVec3::new(2.3, 2.6, 0.5));
    let ray =
        Ray::new(target + pose.rotation() * DVec3::new(1.0, 0.5, 4.0), pose.rotation() * -DVec3::new(1.0, 0.5, 4.0))
            .unwrap();
    let hit = ray_cast(&shape, &pose, &ray).unwrap();
    let check = |change: &dyn Fn(&mut clearance::answer::RayHit)| {
        let mut hit = hit;
        change(&mut hit);
        hit.verify(&shape, &pose, &ray, &RayOptions::default())
    };
    assert_eq!(check(&|_| {}), Ok(()));
    assert!(check(&|h| h.t.value = f64::NAN).is_err());
    assert!(check(&|h| h.t.value += 1e-6).is_err());
    assert!(
        check(&|h| (h.t.lower, h.t.value, h.t.upper) = (h.t.lower + 1e-6, h.t.value + 1e-6, h.t.upper + 1e-6)).is_err()
    );
    assert!(check(&|h| h.t.lower = h.t.upper).is_err());
    assert!(check(&|h| h.t.upper = h.t.lower).is_err());
    assert!(check(&|h| h.t.lower -= 1e-6).is_err());
    assert!(check(&|h| h.t.upper += 1e-6).is_err());
    assert!(check(&|h| h.witness.point.x += 1e-6).is_err());
    assert!(check(&|h| h.normal = -h.normal).is_err());
    assert!(check(&|h| h.normal = DVec3::new(0.6, 0.8, 0.0)).is_err());
    assert!(check(&|h| h.witness.feature = Feature::Face(0)).is_err());
    assert!(check(&|h| h.witness.feature = Feature::Edge(0)).is_err());
    assert!(check(&|h| h.witness.feature = Feature::Face(1000)).is_err());
    assert!(check(&|h| h.witness.part = 1).is_err());
    assert!(check(&|h| h.entering = !h.entering).is_err());

    for local in [DVec3::new(2.3, 2.6, 4.0), DVec3::new(2.3, 2.6, -0.5), DVec3::new(-2.0, 2.0, -3.0)] {
        let point = pose.transform_point(local);
        let answer = signed_distance(&shape, &pose, point);
        let check = |change: &dyn Fn(&mut clearance::answer::SignedDistance)| {
            let mut answer = answer;
            change(&mut answer);
            answer.verify(&shape, &pose, point)
        };
        assert_eq!(check(&|_| {}), Ok(()));
        assert!(check(&|a| a.distance.value = f64::NAN).is_err());
        assert!(
            check(&|a| (a.distance.lower, a.distance.value, a.distance.upper) =
                (a.distance.lower + 1e-6, a.distance.value + 1e-6, a.distance.upper + 1e-6))
            .is_err()
        );
        assert!(
            check(&|a| (a.distance.lower, a.distance.value, a.distance.upper) =
                (-a.distance.upper, -a.distance.value, -a.distance.lower))
            .is_err()
        );
        assert!(check(&|a| a.distance.lower -= 1e-6).is_err());
        assert!(check(&|a| a.distance.upper += 1e-6).is_err());
        assert!(check(&|a| a.witness.point.y += 1e-6).is_err());
        assert!(check(&|a| a.normal = -a.normal).is_err());
        assert!(check(&|a| a.normal = a.normal.any_orthonormal_vector()).is_err());
        assert!(check(&|a| a.witness.feature = Feature::Face(1)).is_err());
        assert!(check(&|a| a.witness.feature = Feature::Face(9999)).is_err());
        assert!(check(&|a| a.witness.part = 3).is_err());
        let closest = closest_point(&shape, &pose, point);
        let check = |change: &dyn Fn(&mut clearance::answer::ClosestPoint)| {
            let mut answer = closest;
            change(&mut answer);
            answer.verify(&shape, &pose, point)
        };
        assert_eq!(check(&|_| {}), Ok(()));
        assert!(check(&|a| a.distance.value += 1e-6).is_err());
        assert!(
            check(&|a| (a.distance.lower, a.distance.value, a.distance.upper) =
                (1.0 + a.distance.lower, 1.0 + a.distance.value, 1.0 + a.distance.upper))
            .is_err()
        );
        assert!(check(&|a| a.distance.upper += 1e-6).is_err());
        assert!(check(&|a| a.witness.point.y += 1e-3).is_err());
        assert!(check(&|a| a.witness.feature = Feature::Edge(0)).is_err());
        assert!(check(&|a| a.witness.part = 3).is_err());
    }
}
