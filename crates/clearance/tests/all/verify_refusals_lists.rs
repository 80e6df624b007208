//! False lists about meshes and false answers of height fields: every field is perturbed in turn and refused.

use clearance::answer::{ContactCurve, MeshHealth, SelfIntersection, SelfIntersectionKind};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{
    ContactCurvesOptions, RayOptions, SelfIntersectionsOptions, contact_curves, self_intersections,
    self_intersections_with,
};
use clearance::shape::{HeightField, Wheel};
use clearance::verify::Refusal;
use clearance::{Bracket, Mesh, Pose, Ray};

use crate::common::false_claims::{NO_NUMBERS, no_normals, with_no_numbers};

/// A sheet, one that crosses it, one that lies on it, and one that touches it with a corner.
fn crossing_sheets() -> Mesh {
    let points = [
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 4.0, 0.0],
        [1.0, 1.0, -1.0],
        [1.0, 0.5, 1.0],
        [0.5, 1.0, 1.0],
        [0.5, 0.5, 0.0],
        [5.0, 0.5, 0.0],
        [0.5, 0.25, 0.0],
        [2.0, 0.0, 0.0],
        [3.0, -1.0, 1.0],
        [2.0, -1.0, 1.0],
    ];
    Mesh::new(&points, &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap()
}

#[test]
fn false_self_intersections_are_refused() {
    let mesh = crossing_sheets();
    let all = SelfIntersectionsOptions::default();
    let found = self_intersections(&mesh);
    let verified = |found: &[SelfIntersection]| SelfIntersection::verify_all(found, &mesh, &all);
    assert_eq!(verified(&found), Ok(()));
    let kinds: Vec<SelfIntersectionKind> = found.iter().map(|pair| pair.kind).collect();
    for kind in [SelfIntersectionKind::Rims, SelfIntersectionKind::Crossing, SelfIntersectionKind::Overlap] {
        assert!(kinds.contains(&kind), "{found:?}");
        let options = SelfIntersectionsOptions { least: kind, ..all };
        let some = self_intersections_with(&mesh, &options);
        assert_eq!(SelfIntersection::verify_all(&some, &mesh, &options), Ok(()));
        let is_all = some.len() == found.len();
        assert_eq!(SelfIntersection::verify_all(&found, &mesh, &options).is_ok(), is_all);
        assert_eq!(verified(&some).is_ok(), is_all);
    }
    for place in 0..found.len() {
        let refused = |what: &str, change: &dyn Fn(&mut SelfIntersection)| {
            let mut changed = found.clone();
            change(&mut changed[place]);
            assert!(verified(&changed).is_err(), "{what} of {:?}", changed[place]);
        };
        for other in kinds.iter().filter(|kind| **kind != found[place].kind) {
            refused("kind", &|pair| pair.kind = *other);
        }
        for side in 0..2 {
            refused("a triangle that does not exist", &|pair| pair.triangles[side] = 1000);
            refused("end", &|pair| pair.segment[side] += DVec3::splat(1e-9));
            for wrong in with_no_numbers(found[place].segment[side]) {
                refused("no number", &|pair| pair.segment[side] = wrong);
            }
        }
        refused("order", &|pair| pair.triangles.swap(0, 1));
        let mut fewer = found.clone();
        fewer.remove(place);
        assert_eq!(verified(&fewer), Err(Refusal::Verdict), "without {place}");
        let mut more = found.clone();
        more.insert(place, found[place]);
        assert_eq!(verified(&more), Err(Refusal::Disordered), "{place} twice");
    }
    // Two that do not meet.
    let mut more = found.clone();
    let apart = (0..4u32).flat_map(|a| (a + 1..4).map(move |b| [a, b]));
    let apart = apart.into_iter().find(|pair| found.iter().all(|met| met.triangles != *pair)).unwrap();
    let mut made_up = found[0];
    made_up.triangles = apart;
    more.push(made_up);
    more.sort_by_key(|pair| pair.triangles);
    assert_eq!(verified(&more), Err(Refusal::Verdict));
}

#[test]
fn false_health_reports_are_refused() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let closed = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    // A bow tie, an edge of three triangles, a zero-area and a duplicate triangle, unused and duplicate points.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [2.0, 0.0, 0.0],
        [9.0, 9.0, 9.0],
        [1.0, 0.0, 0.0],
    ];
    let triangles = [[0, 1, 2], [0, 1, 3], [1, 0, 4], [0, 5, 6], [0, 1, 7], [2, 0, 9]];
    let broken = Mesh::new(&points, &triangles).unwrap();
    for mesh in [&closed, &broken] {
        let health = mesh.health();
        assert_eq!(health.verify(mesh), Ok(()), "{health:?}");
        let refused = |field: &'static str, change: &dyn Fn(&mut MeshHealth)| {
            let mut changed = health.clone();
            change(&mut changed);
            assert_eq!(changed.verify(mesh), Err(Refusal::Count { field }), "{changed:?}");
        };
        refused("watertight", &|health| health.watertight ^= true);
        refused("consistently_wound", &|health| health.consistently_wound ^= true);
        refused("boundary_edges", &|health| health.boundary_edges += 1);
        refused("flipped_edges", &|health| health.flipped_edges += 1);
        refused("non_manifold_edges", &|health| health.non_manifold_edges += 1);
        refused("non_manifold_points", &|health| health.non_manifold_points += 1);
        refused("components", &|health| health.components += 1);
        refused("euler_characteristic", &|health| health.euler_characteristic -= 1);
        refused("unused_points", &|health| health.unused_points += 1);
        refused("coincident_points", &|health| health.coincident_points += 1);
        refused("degenerate", &|health| health.degenerate.push(5));
        refused("duplicates", &|health| health.duplicates.push([0, 1]));
        refused("volume", &|health| health.volume = if health.volume.is_some() { None } else { Some(1.0) });
        if let Some(volume) = health.volume {
            for wrong in NO_NUMBERS.into_iter().chain([-volume, 0.0, volume * (1.0 + 1e-14), 2.0 * volume]) {
                let mut changed = health.clone();
                changed.volume = Some(wrong);
                assert!(changed.verify(mesh).is_err(), "{wrong}");
            }
        }
    }
    assert!(!broken.health().degenerate.is_empty() && !broken.health().duplicates.is_empty());
}

#[test]
fn false_contact_curves_are_refused() {
    let square = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]];
    let square = Mesh::new(&square, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
    let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]).unwrap();
    let tilted = Pose::from_axis_angle(DVec3::new(1.0, 0.3, 0.2), 0.3, DVec3::new(0.2, 0.1, 0.05)).unwrap();
    let options = ContactCurvesOptions::default();
    for pose in [Pose::IDENTITY, tilted] {
        let curves = contact_curves(&square, &Pose::IDENTITY, &spike, &pose);
        let verified = |curves: &[ContactCurve]| {
            ContactCurve::verify_all(curves, &square, &Pose::IDENTITY, &spike, &pose, &options)
        };
        assert_eq!(verified(&curves), Ok(()));
        assert!(curves.len() == 1 && curves[0].closed && curves[0].normal.is_some());
        let refused = |what: &str, change: &dyn Fn(&mut ContactCurve)| {
            let mut changed = curves.clone();
            change(&mut changed[0]);
            assert!(verified(&changed).is_err(), "{what}");
        };
        refused("closed", &|curve| curve.closed = false);
        refused("a pair less", &|curve| curve.pairs.truncate(curve.pairs.len() - 1));
        refused("a point less", &|curve| curve.points.truncate(curve.points.len() - 1));
        refused("backwards", &|curve| {
            curve.points[1..].reverse();
            curve.pairs.reverse();
        });
        for place in 0..curves[0].points.len() {
            for axis in DVec3::AXES {
                refused("point", &|curve| curve.points[place] += 1e-6 * axis);
            }
            for wrong in with_no_numbers(curves[0].points[place]) {
                refused("no number", &|curve| curve.points[place] = wrong);
            }
            refused("triangle of A", &|curve| curve.pairs[place][0] = 7);
            refused("triangle of B", &|curve| curve.pairs[place][1] = 3);
            refused("another triangle of B", &|curve| curve.pairs[place][1] = (curve.pairs[place][1] + 1) % 3);
        }
        let normal = curves[0].normal.unwrap();
        for wrong in no_normals(normal).into_iter().chain([-normal, normal.any_orthonormal_vector()]) {
            refused("normal", &|curve| curve.normal = Some(wrong));
        }
        refused("no normal", &|curve| curve.normal = None);
        assert!(verified(&[]).is_err());
        // A part of them is one only where the search was told to stop.
        let few = ContactCurvesOptions { most_pairs: 1 };
        let mut workspace = clearance::Workspace::default();
        let one = clearance::query::contact_curves_with(&square, &Pose::IDENTITY, &spike, &pose, &few, &mut workspace);
        let partly = ContactCurve::verify_all(&one, &square, &Pose::IDENTITY, &spike, &pose, &few);
        assert_eq!(partly, Ok(()));
        assert!(verified(&one).is_err());
    }
}

/// A bracket with one of its numbers changed so that it is false.
fn wrong_brackets(good: Bracket) -> Vec<Bracket> {
    let mut wrong: Vec<Bracket> = NO_NUMBERS
        .into_iter()
        .flat_map(|number| {
            [Bracket { lower: number, ..good }, Bracket { value: number, ..good }, Bracket { upper: number, ..good }]
        })
        .collect();
    for off in [-1e-3, 1e-3] {
        wrong.push(Bracket { lower: good.lower + off, ..good });
        wrong.push(Bracket { value: good.value + off, ..good });
        wrong.push(Bracket { upper: good.upper + off, ..good });
        wrong.push(Bracket { lower: good.lower + off, value: good.value + off, upper: good.upper + off });
    }
    wrong
}

#[test]
fn false_height_field_answers_are_refused() {
    let heights = (0..20).map(|k| (k * 7 % 5) as f32 * 0.25).collect();
    let field = HeightField::new(5, 4, DVec2::new(0.5, 0.75), heights).unwrap();
    let missing = field.triangle_count() as u32 + 9;

    let (x, y) = (0.8, 1.1);
    let sample = field.height_at(x, y).unwrap();
    assert_eq!(sample.verify(&field, x, y), Ok(()));
    for height in wrong_brackets(sample.height) {
        assert!(clearance::shape::HeightSample { height, ..sample }.verify(&field, x, y).is_err(), "{height:?}");
    }
    for triangle in [sample.triangle + 1, missing] {
        assert!(clearance::shape::HeightSample { triangle, ..sample }.verify(&field, x, y).is_err());
    }
    for normal in no_normals(sample.normal).into_iter().chain([-sample.normal]) {
        assert!(clearance::shape::HeightSample { normal, ..sample }.verify(&field, x, y).is_err());
    }
    assert!(sample.verify(&field, 0.1, 0.1).is_err() && sample.verify(&field, f64::NAN, y).is_err());

    let ray = Ray::new(DVec3::new(0.3, 0.2, 3.0), DVec3::new(0.25, 0.3, -1.0)).unwrap();
    let options = RayOptions::default();
    let hit = field.ray_cast(ray.origin, ray.direction, 0.0, f64::INFINITY).unwrap().unwrap();
    assert_eq!(hit.verify(&field, &ray, &options), Ok(()));
    for t in wrong_brackets(hit.t) {
        assert!(clearance::shape::SurfaceHit { t, ..hit }.verify(&field, &ray, &options).is_err(), "{t:?}");
    }
    for point in with_no_numbers(hit.point).into_iter().chain(DVec3::AXES.map(|axis| hit.point + 1e-6 * axis)) {
        assert!(clearance::shape::SurfaceHit { point, ..hit }.verify(&field, &ray, &options).is_err(), "{point}");
    }
    for normal in no_normals(hit.normal).into_iter().chain([-hit.normal]) {
        assert!(clearance::shape::SurfaceHit { normal, ..hit }.verify(&field, &ray, &options).is_err());
    }
    assert!(clearance::shape::SurfaceHit { from_below: true, ..hit }.verify(&field, &ray, &options).is_err());
    assert!(clearance::shape::SurfaceHit { triangle: missing, ..hit }.verify(&field, &ray, &options).is_err());
    let before = RayOptions { to: 0.5 * hit.t.lower, ..options };
    assert_eq!(hit.verify(&field, &ray, &before), Err(Refusal::Verdict));

    for query in [DVec3::new(0.8, 1.1, 2.0), DVec3::new(0.9, 0.7, -0.3), DVec3::new(-1.0, 0.5, -2.0)] {
        let nearest = field.closest_point(query).unwrap();
        assert_eq!(nearest.verify(&field, query), Ok(()));
        for distance in wrong_brackets(nearest.distance) {
            let changed = clearance::shape::SurfacePoint { distance, ..nearest };
            assert!(changed.verify(&field, query).is_err(), "{distance:?}");
        }
        let off = (query - nearest.point).normalize();
        for point in with_no_numbers(nearest.point).into_iter().chain([nearest.point + 1e-6 * off]) {
            assert!(clearance::shape::SurfacePoint { point, ..nearest }.verify(&field, query).is_err());
        }
        for triangle in [missing, (nearest.triangle + 11) % field.triangle_count() as u32] {
            assert!(clearance::shape::SurfacePoint { triangle, ..nearest }.verify(&field, query).is_err());
        }
        let signed = field.signed_distance(query).unwrap();
        assert_eq!(signed.verify(&field, query), Ok(()), "{signed:?}");
        for distance in wrong_brackets(signed.distance) {
            let changed = clearance::shape::SurfaceDistance { distance, ..signed };
            assert!(changed.verify(&field, query).is_err(), "{distance:?}");
        }
        let off = (query - signed.point).normalize();
        for point in with_no_numbers(signed.point).into_iter().chain([signed.point + 1e-6 * off]) {
            assert!(clearance::shape::SurfaceDistance { point, ..signed }.verify(&field, query).is_err());
        }
        let other = if signed.triangle.is_some() { None } else { Some(11) };
        for triangle in [Some(missing), other] {
            assert!(clearance::shape::SurfaceDistance { triangle, ..signed }.verify(&field, query).is_err());
        }
    }

    let wheel = Wheel { center: DVec3::new(0.8, 1.1, 1.2), radius: 0.3 };
    for up in [DVec3::Z, DVec3::new(0.1, -0.2, 2.0)] {
        let contact = field.wheel_on_terrain(&wheel, up).unwrap().unwrap();
        assert_eq!(contact.verify(&field, &wheel, up), Ok(()));
        for clearance in wrong_brackets(contact.clearance) {
            let changed = clearance::shape::WheelContact { clearance, ..contact };
            assert!(changed.verify(&field, &wheel, up).is_err(), "{clearance:?}");
        }
        for point in
            with_no_numbers(contact.point).into_iter().chain(DVec3::AXES.map(|axis| contact.point + 1e-6 * axis))
        {
            assert!(clearance::shape::WheelContact { point, ..contact }.verify(&field, &wheel, up).is_err());
        }
        for normal in no_normals(contact.normal).into_iter().chain([-contact.normal]) {
            assert!(clearance::shape::WheelContact { normal, ..contact }.verify(&field, &wheel, up).is_err());
        }
        assert!(clearance::shape::WheelContact { triangle: missing, ..contact }.verify(&field, &wheel, up).is_err());
        assert!(contact.verify(&field, &wheel, DVec3::X).is_err());
    }
}
