//! Rays against meshes: every triangle in rational arithmetic, no tolerance.

use crate::common::first_hit;
use crate::mesh_models;

use clearance::answer::RayHit;
use clearance::glam::DVec3;
use clearance::query::ray_cast_all_with;
use clearance::query::{RayHitMode, RayOptions};
use clearance::shape::Feature;
use clearance::verify::Refusal;
use clearance::{Mesh, Pose, Ray, Shape};
use clearance_oracle::Rational;
use clearance_oracle::random::Random;
use clearance_oracle::rational::Vector;
use mesh_models::{Soup, cube, exact, heap, integer_point, line_and_triangle, posed, soup, sphere, winding};

/// A point or interval where a line meets a mesh, and the triangles there.
struct Event {
    start: Rational,
    end: Rational,
    triangles: Vec<usize>,
}

fn events(soup: &Soup, pose: &Pose, ray: &Ray) -> Vec<Event> {
    let (o, d) = (exact(ray.origin), exact(ray.direction));
    let along = ray.direction.normalize();
    let mut met: Vec<(Rational, Rational, usize)> = (0..soup.triangles.len())
        .filter_map(|k| {
            // Triangles far beside the line, by a million times the rounding here, are skipped.
            let near = soup.corners(k).map(|p| pose.transform_point(p));
            let off = (near[0] - ray.origin).cross(along).length();
            let size = near[0].distance(near[1]).max(near[0].distance(near[2]));
            if off > size * 1.001 + 1e-9 * (near[0].length() + ray.origin.length()) {
                return None;
            }
            let corners: [Vector; 3] = soup.corners(k).map(|p| posed(pose, p));
            line_and_triangle(&o, &d, &corners).map(|(start, end)| (start, end, k))
        })
        .collect();
    met.sort();
    let mut events: Vec<Event> = Vec::new();
    for (start, end, k) in met {
        match events.last_mut() {
            Some(last) if start <= last.end => {
                last.end = last.end.clone().max(end);
                last.triangles.push(k);
            }
            _ => events.push(Event { start, end, triangles: vec![k] }),
        }
    }
    events
}

fn rational(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

fn holds(hit: &RayHit, t: &Rational) -> bool {
    rational(hit.t.lower) <= *t && *t <= rational(hit.t.upper)
}

/// The triangle or triangles that a feature belongs to.
fn owners(soup: &Soup, feature: Feature) -> Vec<usize> {
    match feature {
        Feature::Face(k) => vec![k as usize],
        Feature::Edge(k) => vec![k as usize / 3],
        Feature::Vertex(p) => (0..soup.triangles.len()).filter(|&k| soup.triangles[k].contains(&p)).collect(),
        Feature::Interior => vec![],
    }
}

fn check_hit(soup: &Soup, pose: &Pose, ray: &Ray, hit: &RayHit, event: &Event) {
    let context = || format!("{hit:?}\n{ray:?}\n{pose:?}");
    assert!(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper, "{}", context());
    assert!(owners(soup, hit.witness.feature).iter().any(|k| event.triangles.contains(k)), "{}", context());
    let there = pose.transform_point(hit.witness.point);
    let scale = ray.origin.length() + soup.points.iter().map(|p| DVec3::from_array(*p).length()).fold(0.0, f64::max);
    assert!(
        there.distance(ray.at(hit.t.value))
            <= 1e-13 * (scale + pose.translation().length() + (hit.t.value * ray.direction).length()),
        "{}",
        context()
    );
    assert!((hit.normal.length() - 1.0).abs() < 1e-14);
    let speed = ray.direction.length() * (hit.t.upper - hit.t.lower);
    assert!(
        speed <= 1e-13 * (scale + pose.translation().length() + (hit.t.value * ray.direction).length()),
        "{}",
        context()
    );
}

fn check(soup: &Soup, mesh: &Mesh, pose: &Pose, ray: &Ray) -> usize {
    let shape = Shape::Mesh(mesh.clone());
    let events = events(soup, pose, ray);
    let mut hits = Vec::new();
    ray_cast_all_with(&shape, pose, ray, &RayOptions::line(), &mut hits);
    let context = || format!("{ray:?}\n{pose:?}\n{hits:?}");
    let mut rest = hits.iter().peekable();
    let mut inside = 0;
    for event in &events {
        let is_stretch = event.start < event.end;
        let mut here = Vec::new();
        while let Some(hit) = rest.next_if(|hit| holds(hit, &event.start) || holds(hit, &event.end)) {
            check_hit(soup, pose, ray, hit, event);
            let any = RayOptions { hit: RayHitMode::Any, ..RayOptions::line() };
            assert_eq!(hit.verify(&shape, pose, ray, &any), Ok(()), "{hit:?} {}", context());
            here.push(*hit);
        }
        if !mesh.is_solid() {
            assert_eq!(here.len(), 1 + usize::from(is_stretch), "{}", context());
            assert!(here[0].entering && holds(&here[0], &event.start), "{}", context());
            assert!(here[0].normal.dot(ray.direction) <= 1e-12 * ray.direction.length() || is_stretch, "{}", context());
            if is_stretch {
                assert!(!here[1].entering && holds(&here[1], &event.end), "{}", context());
            }
            continue;
        }
        assert!(!here.is_empty(), "{}", context());
        let entries = here.iter().filter(|hit| hit.entering).count() as i64;
        let change = entries - (here.len() as i64 - entries);
        assert!(change != 0 || here.len() == 2, "{}", context());
        assert!(change == 0 || here.len() as i64 == change.abs(), "{}", context());
        if change == 0 {
            assert_eq!(here[0].entering, inside < 1, "{}", context());
        }
        for hit in &here {
            let first = hit.entering == (change != 0 || inside < 1);
            assert!(holds(hit, if first { &event.start } else { &event.end }), "{}", context());
        }
        inside += change;
        // The winding number right after, by solid angles.
        let next = events.iter().map(|e| e.start.to_f64()).find(|t| *t > event.end.to_f64());
        let after = next.map_or(event.end.to_f64() + 1.0, |next| 0.5 * (event.end.to_f64() + next));
        let point = pose.inverse_transform_point(ray.at(after));
        if (after - event.end.to_f64()).abs() > 1e-3 {
            let round = winding(soup, point);
            // Within an interval on a surface, halves are correct.
            if (round - round.round()).abs() < 1e-6 {
                assert_eq!(round.round() as i64, inside, "{}", context());
            }
        }
    }
    assert!(rest.next().is_none(), "{}", context());
    // The first hit of any range is the first of all hits there.
    for (from, to) in [(0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY), (0.0, 1.0), (-0.5, 0.25)] {
        let options = RayOptions { from, to, hit: RayHitMode::Nearest };
        let within =
            |t: &Rational| (from.is_infinite() || rational(from) <= *t) && (to.is_infinite() || *t <= rational(to));
        let expected = hits.iter().find(|hit| {
            events.iter().any(|e| [&e.start, &e.end].iter().any(|t| holds(hit, t) && within(t)))
                && (hit.t.value >= from && hit.t.value <= to)
        });
        let found = first_hit(&shape, pose, ray, &options);
        if let Some(found) = &found {
            assert_eq!(found.verify(&shape, pose, ray, &options), Ok(()), "{found:?} {}", context());
        }
        match (expected, &found) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                assert_eq!(
                    (a.witness.feature, a.entering, a.t.lower, a.t.upper),
                    (b.witness.feature, b.entering, b.t.lower, b.t.upper),
                    "{from} {to} {}",
                    context()
                );
            }
            _ => panic!("{from} {to} {found:?} {}", context()),
        }
        let any = first_hit(&shape, pose, ray, &RayOptions { hit: RayHitMode::Any, ..options });
        assert_eq!(any.is_some(), found.is_some(), "{}", context());
        let mut some = Vec::new();
        ray_cast_all_with(&shape, pose, ray, &options, &mut some);
        assert_eq!(some.first().map(|hit| hit.witness.feature), found.map(|hit| hit.witness.feature), "{}", context());
    }
    hits.len()
}

/// A hit that is not the first is refused, unless any was asked for.
#[test]
fn later_hits_are_refused() {
    let mut random = Random::new(16);
    let mut refused = 0;
    for soup in [sphere(2), cube(3)] {
        for mesh in [soup.surface(), soup.solid()] {
            let shape = Shape::Mesh(mesh);
            for pose in poses(&mut random) {
                for k in 0..30 {
                    let [a, b, c] = soup.corners(random.index(soup.triangles.len()));
                    // Inside of triangles, and at edges and corners.
                    let to = [(a + b + c) / 3.0, 0.5 * (a + b), a][k % 3];
                    let from = DVec3::from_array(random.in_cube(4.0));
                    let Ok(ray) = Ray::between(pose.transform_point(from), pose.transform_point(to)) else { continue };
                    let (nearest, mut hits) = (RayOptions::line(), Vec::new());
                    ray_cast_all_with(&shape, &pose, &ray, &nearest, &mut hits);
                    for (number, hit) in hits.iter().enumerate() {
                        let any = RayOptions { hit: RayHitMode::Any, ..nearest };
                        assert_eq!(hit.verify(&shape, &pose, &ray, &any), Ok(()));
                        // Where they are at one place none is later.
                        if hit.t.lower > hits[0].t.upper {
                            let verdict = hit.verify(&shape, &pose, &ray, &nearest);
                            assert!(
                                matches!(verdict, Err(Refusal::Lower { .. })),
                                "{verdict:?} {hit:?} {ray:?} {hits:?}"
                            );
                            // From behind the first hit it is the first.
                            let between = 0.5 * (hits[number - 1].t.upper + hit.t.lower);
                            let later = RayOptions { from: between, ..nearest };
                            if between > hits[number - 1].t.upper && between < hit.t.lower {
                                assert_eq!(hit.verify(&shape, &pose, &ray, &later), Ok(()));
                            }
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(refused > 150, "{refused}");
}

fn poses(random: &mut Random) -> [Pose; 3] {
    let axis = DVec3::from_array(random.direction());
    let turned = Pose::from_axis_angle(axis, random.uniform(0.0, 3.0), DVec3::from_array(random.in_cube(2.0))).unwrap();
    [Pose::IDENTITY, turned, Pose::from_translation(integer_point(random, -1, 1)).unwrap()]
}

/// Through grid points and along grid lines of a cube: every ray meets edges and vertices.
#[test]
fn grid_rays_through_a_grid_cube() {
    let mut random = Random::new(11);
    let soup = cube(3);
    let (surface, solid) = (soup.surface(), soup.solid());
    let mut hits = 0;
    for _ in 0..400 {
        let (from, to) = (integer_point(&mut random, -2, 5), integer_point(&mut random, -1, 4));
        let Ok(ray) = Ray::between(from, to) else { continue };
        hits += check(&soup, &surface, &Pose::IDENTITY, &ray);
        hits += check(&soup, &solid, &Pose::IDENTITY, &ray);
    }
    assert!(hits > 800, "{hits}");
}

/// Tetrahedra with small whole coordinates, many in one mesh, overlapping and touching each other.
#[test]
fn grid_rays_through_heaps_of_tetrahedra() {
    let mut random = Random::new(12);
    let mut hits = 0;
    for _ in 0..150 {
        let soup = heap(&mut random);
        if soup.triangles.is_empty() {
            continue;
        }
        let (surface, solid) = (soup.surface(), soup.solid());
        for _ in 0..4 {
            let (from, to) = (integer_point(&mut random, -4, 4), integer_point(&mut random, -2, 2));
            let Ok(ray) = Ray::between(from, to) else { continue };
            hits += check(&soup, &surface, &Pose::IDENTITY, &ray);
            hits += check(&soup, &solid, &Pose::IDENTITY, &ray);
        }
    }
    assert!(hits > 800, "{hits}");
}

/// At vertices and at points of edges, to the last digit or beyond: none slips through.
#[test]
fn rays_at_vertices_and_edges_of_a_sphere() {
    let mut random = Random::new(13);
    let soup = sphere(2);
    for far in [0.0, 1e7] {
        for scale in [1.0, 1e-6, 1e6] {
            let soup = soup.clone().moved(DVec3::new(far, -far, 0.5 * far), scale);
            let (surface, solid) = (soup.surface(), soup.solid());
            for pose in poses(&mut random) {
                for _ in 0..5 {
                    let [a, b, _] = soup.corners(random.index(soup.triangles.len()));
                    let target = match random.index(3) {
                        0 => a,
                        1 => 0.5 * (a + b),
                        _ => a + random.uniform(0.0, 1.0) * (b - a),
                    };
                    let from = DVec3::new(far, -far, 0.5 * far) + DVec3::from_array(random.in_cube(3.0)) * scale;
                    let Ok(ray) = Ray::between(pose.transform_point(from), pose.transform_point(target)) else {
                        continue;
                    };
                    check(&soup, &solid, &pose, &ray);
                    check(&soup, &surface, &pose, &ray);
                }
            }
        }
    }
}

#[test]
fn random_rays_through_random_soups() {
    let mut random = Random::new(14);
    for round in 0..6 {
        let soup = soup(&mut random, 120);
        let mesh = soup.surface();
        for pose in poses(&mut random) {
            for _ in 0..12 {
                let from = DVec3::from_array(random.in_cube(2.0));
                let [a, b, c] = soup.corners(random.index(soup.triangles.len()));
                let to = match round % 3 {
                    0 => DVec3::from_array(random.in_cube(1.0)),
                    1 => a,
                    _ => (a + b + c) / 3.0,
                };
                let Ok(ray) = Ray::between(pose.transform_point(from), pose.transform_point(to)) else { continue };
                check(&soup, &mesh, &pose, &ray);
            }
        }
    }
}

#[test]
fn rays_from_far_away_and_along_the_axes() {
    let soup = sphere(1);
    let solid = soup.solid();
    for far in [1e3, 1e9, 1e15] {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let ray = Ray::new(-far * axis, axis).unwrap();
            check(&soup, &solid, &Pose::IDENTITY, &ray);
            let ray = Ray::new(-far * axis, axis * 1e30).unwrap();
            check(&soup, &solid, &Pose::IDENTITY, &ray);
        }
    }
    // From so far that entry and exit round to the same float.
    let mut hits = Vec::new();
    let ray = Ray::new(DVec3::new(-1e40, 0.0, 0.0), DVec3::X).unwrap();
    ray_cast_all_with(&Shape::Mesh(solid.clone()), &Pose::IDENTITY, &ray, &RayOptions::line(), &mut hits);
    assert_eq!(hits.iter().map(|hit| hit.entering).collect::<Vec<_>>(), [true, false]);
    let beside = Ray::new(DVec3::new(-5.0, 1.5, 0.0), DVec3::X).unwrap();
    assert!(first_hit(&Shape::Mesh(solid), &Pose::IDENTITY, &beside, &RayOptions::default()).is_none());
}

#[test]
fn a_single_triangle_agrees_with_the_triangle() {
    let mut random = Random::new(15);
    for _ in 0..300 {
        let p: [DVec3; 3] = std::array::from_fn(|_| integer_point(&mut random, -2, 2));
        let Ok(triangle) = Shape::triangle(p[0], p[1], p[2]) else { continue };
        let mesh = Shape::Mesh(Mesh::new(&p.map(|p| p.to_array()), &[[0, 1, 2]]).unwrap());
        let (from, to) = (integer_point(&mut random, -3, 3), integer_point(&mut random, -2, 2));
        let Ok(ray) = Ray::between(from, to) else { continue };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        ray_cast_all_with(&triangle, &Pose::IDENTITY, &ray, &RayOptions::line(), &mut a);
        ray_cast_all_with(&mesh, &Pose::IDENTITY, &ray, &RayOptions::line(), &mut b);
        assert_eq!(a.len(), b.len(), "{p:?} {ray:?}");
        for (a, b) in a.iter().zip(&b) {
            assert!(a.t.lower <= b.t.upper && b.t.lower <= a.t.upper);
            assert_eq!((a.witness.feature, a.entering), (b.witness.feature, b.entering));
            assert!(a.normal.distance(b.normal) < 1e-12, "{a:?} {b:?}");
        }
    }
}
