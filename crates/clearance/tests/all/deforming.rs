//! Deforming meshes against brute force over all pairs of features, and `verify` on every answer.

use clearance::answer::{ElementaryCounts, NearPair, StepCollisions, StepCounts, StepImpact};
use clearance::glam::DVec3;
use clearance::query::elementary_impact_with;
use clearance::query::{
    ElementaryKind, ElementaryOptions, ElementaryPair, ImpactSelection, StepOptions, proximity, self_collisions_with,
    self_proximity, step_collisions_with,
};
use clearance::shape::Feature;
use clearance::{Bracket, DeformingMesh, Error, Mesh, Motion, Pose, self_collisions, step_collisions};
use clearance_oracle::random::Random;

use crate::common::false_claims::{NO_NUMBERS, with_no_numbers};

/// Triangles, and the positions of their points at both ends of a step.
#[derive(Clone)]
struct Scene {
    start: Vec<[f64; 3]>,
    end: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Scene {
    fn mesh(&self) -> DeformingMesh {
        let mut mesh = DeformingMesh::new(&self.start, &self.triangles).unwrap();
        mesh.move_to(&self.end).unwrap();
        mesh
    }

    /// The same with all points through a map.
    fn mapped(&self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Scene {
        let all = |points: &[[f64; 3]]| points.iter().map(|&p| map(p)).collect();
        Scene { start: all(&self.start), end: all(&self.end), triangles: self.triangles.clone() }
    }

    /// Both scenes in one, the points of the second after those of the first.
    fn with(&self, other: &Scene) -> Scene {
        let first = self.start.len() as u32;
        let others = other.triangles.iter().map(|t| t.map(|p| p + first));
        Scene {
            start: [&self.start[..], &other.start].concat(),
            end: [&self.end[..], &other.end].concat(),
            triangles: self.triangles.iter().copied().chain(others).collect(),
        }
    }
}

/// A sheet of `squares` by `squares` cells, each split in two, on the unit square; maps give the points at both ends.
fn sheet(squares: u32, start: impl Fn([f64; 2]) -> [f64; 3], end: impl Fn([f64; 2]) -> [f64; 3]) -> Scene {
    let row = squares + 1;
    let at = |k: u32| [f64::from(k % row) / f64::from(squares), f64::from(k / row) / f64::from(squares)];
    let corner = |i: u32, j: u32| j * row + i;
    let square = |i: u32, j: u32| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    Scene {
        start: (0..row * row).map(|k| start(at(k))).collect(),
        end: (0..row * row).map(|k| end(at(k))).collect(),
        triangles: (0..squares).flat_map(|j| (0..squares).flat_map(move |i| square(i, j))).collect(),
    }
}

/// Triangles with random corners in the unit cube at both ends, or on a small grid with many coincidences.
fn soup(random: &mut Random, triangles: u32, points: u32, grid: Option<f64>) -> Scene {
    let mut number = || {
        let x = random.uniform(0.0, 1.0);
        grid.map_or(x, |steps| (x * steps).round() / steps)
    };
    let mut place = || [number(), number(), number()];
    let start: Vec<[f64; 3]> = (0..points).map(|_| place()).collect();
    let end = (0..points).map(|_| place()).collect();
    let mut corner = || random.index(points as usize) as u32;
    Scene { start, end, triangles: (0..triangles).map(|_| [corner(), corner(), corner()]).collect() }
}

/// Sheets that fold, twist, slide in their plane, lie on each other, rest; soups.
fn scenes() -> Vec<(&'static str, Scene)> {
    let flat = |[x, y]: [f64; 2]| [x, y, 0.0];
    let folded = sheet(5, flat, |[x, y]| if x > 0.5 { [1.0 - x, y + 0.01, 0.1 - x] } else { [x, y, 0.0] });
    let twisted = sheet(5, flat, |[x, y]| {
        let (sin, cos) = (4.0 * x).sin_cos();
        [0.3 * x, (y - 0.5) * cos, (y - 0.5) * sin]
    });
    let sliding =
        sheet(3, flat, flat).with(&sheet(3, |[x, y]| [x + 1.5, y, 0.0], |[x, y]| [x * 0.5 - 0.2, y + 0.1, 0.0]));
    let rolled = |turn: f64| {
        move |[x, y]: [f64; 2]| [(0.2 + 0.05 * x) * (turn * x).cos(), (0.2 + 0.05 * x) * (turn * x).sin(), y]
    };
    let mut random = Random::new(7);
    let mut twice = sheet(3, flat, |[x, y]| [x, y, (9.0 * x).sin() * (7.0 * y).cos()]);
    let again = twice.clone();
    twice = twice.with(&again);
    let mut flattened = sheet(4, |[x, y]| [x, y, (5.0 * x * y).sin()], |[x, y]| [x, 0.0, y]);
    flattened.triangles.extend([[0, 0, 7], [3, 3, 3], [1, 2, 3], [1, 2, 3]]);
    let falling = sheet(2, flat, flat).with(&sheet(2, |[x, y]| [x, y, 1.0], |[x, y]| [x, y, -1.0]));
    vec![
        ("folded", folded),
        ("twisted", twisted.clone()),
        ("twisted, far from the origin", twisted.mapped(|p| p.map(|x| x + 1e7))),
        ("twisted, tiny", twisted.mapped(|p| p.map(|x| x * 1e-58))),
        ("sliding in a plane", sliding),
        ("rolled up", sheet(6, rolled(1.0), rolled(9.0))),
        ("everything twice", twice),
        ("flattened, with triangles without area", flattened),
        ("falling through the same", falling),
        ("at rest", sheet(4, |[x, y]| [x, y, (9.0 * x).sin() * y], |[x, y]| [x, y, (9.0 * x).sin() * y])),
        ("soup", soup(&mut random, 12, 20, None)),
        ("soup on a grid", soup(&mut random, 14, 12, Some(3.0))),
    ]
}

/// The features of a mesh as point numbers.
fn features(mesh: &DeformingMesh) -> Vec<(Feature, Vec<u32>)> {
    let triangles = mesh.triangles();
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let vertices = used.into_iter().map(|p| (Feature::Vertex(p), vec![p]));
    let edges = mesh.edges();
    let edges = edges.iter().enumerate().map(|(e, ends)| (Feature::Edge(e as u32), ends.to_vec()));
    let faces = triangles.iter().enumerate().map(|(t, corners)| (Feature::Face(t as u32), corners.to_vec()));
    vertices.chain(edges).chain(faces).collect()
}

/// Every pair of features that touches, tested one by one.
fn brute_force(a: &DeformingMesh, b: Option<&DeformingMesh>) -> Vec<([Feature; 2], f64, f64)> {
    let of_b = b.unwrap_or(a);
    let ends = [a, of_b].map(|mesh| (mesh.start().collect::<Vec<_>>(), mesh.end().collect::<Vec<_>>()));
    let mut found = Vec::new();
    for (one, corners) in features(a) {
        for (other, others) in features(of_b) {
            let (kind, swapped) = match (one, other) {
                (Feature::Vertex(_), Feature::Face(_)) => (ElementaryKind::VertexFace, false),
                (Feature::Face(_), Feature::Vertex(_)) if b.is_some() => (ElementaryKind::VertexFace, true),
                (Feature::Edge(e), Feature::Edge(f)) if b.is_some() || e < f => (ElementaryKind::EdgeEdge, false),
                _ => continue,
            };
            if b.is_none() && corners.iter().any(|corner| others.contains(corner)) {
                continue;
            }
            let lists = if swapped { [(1, &others), (0, &corners)] } else { [(0, &corners), (1, &others)] };
            let points = |end: usize| -> [DVec3; 4] {
                let at =
                    |side: usize, p: u32| if end == 0 { ends[side].0[p as usize] } else { ends[side].1[p as usize] };
                let all: Vec<DVec3> =
                    lists.iter().flat_map(|(side, list)| list.iter().map(move |&p| at(*side, p))).collect();
                all.try_into().unwrap()
            };
            let pair = ElementaryPair::new(kind, points(0), points(1)).unwrap();
            if let Ok(impact) = elementary_impact_with(&pair, &ElementaryOptions::default()) {
                found.push(([one, other], impact.time.lower, impact.time.upper));
            }
        }
    }
    found.sort_by(|x, y| x.2.total_cmp(&y.2).then(x.1.total_cmp(&y.1)).then(x.0.cmp(&y.0)));
    found
}

fn keys(found: &StepCollisions) -> Vec<([Feature; 2], f64, f64)> {
    found.impacts.iter().map(|impact| (impact.features, impact.time.lower, impact.time.upper)).collect()
}

fn wanted(wanted: ImpactSelection) -> StepOptions {
    StepOptions { wanted, ..StepOptions::default() }
}

#[test]
fn a_mesh_against_itself_agrees_with_brute_force() {
    let mut touching = 0;
    for (name, scene) in scenes() {
        let mesh = scene.mesh();
        let expected = brute_force(&mesh, None);
        let all = self_collisions(&mesh);
        assert_eq!(keys(&all), expected, "{name}");
        assert_eq!(all.verify_self(&StepOptions::default(), &mesh), Ok(()), "{name}");
        let first = self_collisions_with(&mesh, &wanted(ImpactSelection::First));
        assert_eq!(first.impacts, all.impacts[..expected.len().min(1)], "{name}");
        assert_eq!(first.intersecting, all.intersecting, "{name}");
        assert_eq!(first.verify_self(&wanted(ImpactSelection::First), &mesh), Ok(()), "{name}");
        touching += expected.len();
    }
    assert!(touching > 500, "{touching}");
}

#[test]
fn impacts_near_the_first_are_merged() {
    let mut merged = 0;
    for (name, scene) in scenes() {
        let mesh = scene.mesh();
        let all = self_collisions(&mesh);
        for within in [f64::NAN, 0.1, 2.0] {
            let options = wanted(ImpactSelection::NearFirst(within));
            let near = self_collisions_with(&mesh, &options);
            assert_eq!(near.verify_self(&options, &mesh), Ok(()), "{name} {within}");
            let latest = all.impacts.first().map_or(0.0, |first| (first.time.upper + within.max(0.0)).min(1.0));
            let in_time: Vec<&StepImpact> = all.impacts.iter().filter(|impact| impact.time.lower <= latest).collect();
            assert!(near.impacts.iter().all(|impact| in_time.contains(&impact)), "{name} {within}");
            assert_eq!(near.impacts.first(), all.impacts.first());
            merged += in_time.len() - near.impacts.len();
        }
    }
    assert!(merged > 100, "{merged}");
}

#[test]
fn two_meshes_agree_with_brute_force_in_either_order() {
    let mut random = Random::new(3);
    let flat = |[x, y]: [f64; 2]| [x, y, 0.0];
    let pairs = [
        (sheet(3, flat, flat), sheet(3, |[x, y]| [x + 0.1, y, 1.0], |[x, y]| [x + 0.1, y, -1.0 - x])),
        (sheet(3, flat, |[x, y]| [x, y, x * y]), sheet(3, flat, |[x, y]| [y, x, 0.1 - x * y])),
        (sheet(2, flat, flat), sheet(2, |[x, y]| [x + 2.0, y, 0.0], |[x, y]| [x - 0.5, y, 0.0])),
        (sheet(2, flat, flat), sheet(2, |[x, y]| [x, y, 5.0], |[x, y]| [x, y, 4.0])),
        // Small beside large, and far away.
        (
            sheet(2, |[x, y]| [1e7 * x, 1e7 * y, 0.0], |[x, y]| [1e7 * x, 1e7 * y, 0.0]),
            sheet(3, |[x, y]| [5e6 + x, 5e6 + y, 1.0], |[x, y]| [5e6 + x, 5e6 + y, -1.0]),
        ),
        (soup(&mut random, 6, 9, None), soup(&mut random, 6, 9, None)),
        (soup(&mut random, 8, 9, Some(2.0)), soup(&mut random, 8, 9, Some(2.0))),
    ];
    let mut touching = 0;
    for (number, (a, b)) in pairs.iter().enumerate() {
        let (a, b) = (a.mesh(), b.mesh());
        let expected = brute_force(&a, Some(&b));
        let found = step_collisions(&a, &b);
        assert_eq!(keys(&found), expected, "{number}");
        assert_eq!(found.verify(&StepOptions::default(), &a, &b), Ok(()), "{number}");
        let mut mirrored = step_collisions(&b, &a);
        for impact in &mut mirrored.impacts {
            impact.features.reverse();
            impact.normal = impact.normal.map(|normal| -normal);
            if matches!(impact.features[0], Feature::Edge(_)) {
                impact.coordinates.reverse();
            }
        }
        mirrored.impacts.sort_by(|x, y| {
            x.time
                .upper
                .total_cmp(&y.time.upper)
                .then(x.time.lower.total_cmp(&y.time.lower))
                .then(x.features.cmp(&y.features))
        });
        mirrored.intersecting.iter_mut().for_each(|pair| pair.reverse());
        mirrored.intersecting.sort_unstable();
        assert_eq!(mirrored, found, "{number}");
        let first = step_collisions_with(&a, &b, &wanted(ImpactSelection::First));
        assert_eq!(first.impacts, found.impacts[..expected.len().min(1)], "{number}");
        assert_eq!(first.verify(&wanted(ImpactSelection::First), &a, &b), Ok(()), "{number}");
        touching += expected.len();
    }
    assert!(touching > 200, "{touching}");
}

#[test]
fn the_same_on_any_number_of_threads() {
    let waves = |phase: f64| move |[x, y]: [f64; 2]| [x, y, 0.1 * (9.0 * x + phase).sin() * (7.0 * y).cos()];
    let mesh = sheet(20, waves(0.0), waves(2.0)).with(&sheet(21, waves(2.0), waves(0.0))).mesh();
    let ask = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let kinds = [ImpactSelection::All, ImpactSelection::First, ImpactSelection::NearFirst(0.05)];
            (kinds.map(|kind| self_collisions_with(&mesh, &wanted(kind))), self_proximity(&mesh, 0.01))
        })
    };
    let (one, near) = ask(1);
    assert!(one[0].impacts.len() > 1000 && !one[2].impacts.is_empty() && near.len() > 100);
    for threads in [2, 3, 8] {
        assert_eq!(ask(threads), (one.clone(), near.clone()), "{threads}");
    }
}

#[test]
fn contacts_at_the_start_are_reported_separately() {
    let flat = |[x, y]: [f64; 2]| [x, y, 0.0];
    // An upright sheet through a flat one, both at rest: corners and edges touch only where they already do.
    let (lying, standing) = (
        sheet(1, flat, flat),
        sheet(1, |[x, y]| [0.3, 0.4 + 0.1 * x, y - 0.5], |[x, y]| [0.3, 0.4 + 0.1 * x, y - 0.5]),
    );
    let found = step_collisions(&lying.mesh(), &standing.mesh());
    assert!(found.impacts.is_empty());
    assert_eq!(found.intersecting, [[1, 0], [1, 1]]);
    let itself = self_collisions(&lying.with(&standing).mesh());
    assert_eq!(itself.intersecting, [[1, 2], [1, 3]]);
    let options = StepOptions { intersections: false, ..StepOptions::default() };
    assert!(self_collisions_with(&lying.with(&standing).mesh(), &options).intersecting.is_empty());
}

#[test]
fn every_perturbed_field_is_refused() {
    let mesh = scenes().swap_remove(10).1.mesh();
    let options = StepOptions::default();
    let answer = self_collisions(&mesh);
    assert!(answer.impacts.len() > 10 && !answer.intersecting.is_empty());
    assert_eq!(answer.verify_self(&options, &mesh), Ok(()));
    let vertex = answer.impacts.iter().position(|i| matches!(i.features[0], Feature::Vertex(_)) && i.normal.is_some());
    let edge = answer.impacts.iter().position(|i| matches!(i.features[0], Feature::Edge(_)) && i.normal.is_some());
    // Destructured without `..`: a new field does not compile until it is perturbed below.
    let StepCollisions { impacts, intersecting: _, counts } = &answer;
    let StepImpact { features: _, time: Bracket { lower: _, upper: _, .. }, point: _, normal: _, coordinates: _ } =
        impacts[0];
    let StepCounts { candidates: _, elementary, visited: _ } = *counts;
    let ElementaryCounts { filtered: _, certified: _, exact: _ } = elementary;
    let refused = |what: &str, change: &dyn Fn(&mut StepCollisions)| {
        let mut changed = answer.clone();
        change(&mut changed);
        assert!(changed.verify_self(&options, &mesh).is_err(), "{what}");
    };
    for k in [vertex.unwrap(), edge.unwrap()] {
        refused("earlier", &|a| {
            (a.impacts[k].time.lower, a.impacts[k].time.upper) =
                (a.impacts[k].time.lower - 1e-9, a.impacts[k].time.upper - 1e-9)
        });
        refused("later", &|a| {
            (a.impacts[k].time.lower, a.impacts[k].time.upper) =
                (a.impacts[k].time.lower + 1e-9, a.impacts[k].time.upper + 1e-9)
        });
        refused("wider", &|a| a.impacts[k].time.lower -= 1e-9);
        for wrong in NO_NUMBERS {
            refused("upper is not a number", &|a| a.impacts[k].time.upper = wrong);
            refused("lower is not a number", &|a| a.impacts[k].time.lower = wrong);
            refused("coordinate is not a number", &|a| a.impacts[k].coordinates[0] = wrong);
        }
        refused("point", &|a| a.impacts[k].point.y += 1e-6);
        for wrong in with_no_numbers(answer.impacts[k].point) {
            refused("point is not a number", &|a| a.impacts[k].point = wrong);
        }
        refused("a long normal", &|a| a.impacts[k].normal = a.impacts[k].normal.map(|normal| normal * 1.001));
        refused("normal", &|a| a.impacts[k].normal = a.impacts[k].normal.map(|normal| -normal));
        refused("no normal", &|a| a.impacts[k].normal = None);
        refused("coordinates", &|a| a.impacts[k].coordinates[1] += 1e-6);
        refused("features the other way", &|a| a.impacts[k].features.reverse());
        let other = if answer.impacts[k].features[1] == Feature::Face(0) { Feature::Face(1) } else { Feature::Face(0) };
        refused("another feature", &|a| a.impacts[k].features[1] = other);
        refused("no such feature", &|a| a.impacts[k].features[0] = Feature::Vertex(9999));
        refused("missing", &|a| a.impacts.retain(|i| i.features != answer.impacts[k].features));
        refused("twice", &|a| a.impacts.insert(k, a.impacts[k]));
    }
    refused("order", &|a| a.impacts.reverse());
    refused("an intersection is missing", &|a| a.intersecting.truncate(1));
    refused("an intersection too many", &|a| a.intersecting.insert(0, [0, 1]));
    refused("counts", &|a| a.counts.candidates += 1);
    refused("counts", &|a| a.counts.elementary.filtered += 1);
    refused("counts", &|a| a.counts.elementary.certified += 1);
    refused("counts", &|a| a.counts.elementary.exact += 1);
    for kind in [ImpactSelection::First, ImpactSelection::NearFirst(0.2)] {
        let answer = self_collisions_with(&mesh, &wanted(kind));
        assert_eq!(answer.verify_self(&wanted(kind), &mesh), Ok(()));
        let second = self_collisions(&mesh).impacts.into_iter().nth(1);
        let mut changed = answer.clone();
        changed.impacts[0] = second.unwrap();
        assert!(changed.verify_self(&wanted(kind), &mesh).is_err());
        let mut changed = answer.clone();
        changed.impacts.clear();
        assert!(changed.verify_self(&wanted(kind), &mesh).is_err());
    }
}

#[test]
fn near_features_are_proved_and_none_is_missing() {
    let mut listed = 0;
    for (name, scene) in scenes() {
        let mesh = scene.mesh();
        let size = mesh.end().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let distance = if size < 1e-50 { 0.05 * size } else { 0.05 };
        let near = self_proximity(&mesh, distance);
        assert_eq!(NearPair::verify_all(&near, distance, &mesh, None), Ok(()), "{name}");
        listed += near.len();
    }
    assert!(listed > 500, "{listed}");
    let flat = |[x, y]: [f64; 2]| [x, y, 0.0];
    let (a, b) = (sheet(3, flat, flat).mesh(), sheet(3, flat, |[x, y]| [x, y, 0.25 * x]).mesh());
    let near = proximity(&a, &b, 0.1);
    assert_eq!(NearPair::verify_all(&near, 0.1, &a, Some(&b)), Ok(()));
    let mut mirrored = proximity(&b, &a, 0.1);
    for pair in &mut mirrored {
        pair.features.reverse();
        pair.points.reverse();
    }
    mirrored.sort_by_key(|pair| pair.features);
    assert_eq!(mirrored, near);
    let refused = |change: &dyn Fn(&mut Vec<NearPair>)| {
        let mut changed = near.clone();
        change(&mut changed);
        assert!(NearPair::verify_all(&changed, 0.1, &a, Some(&b)).is_err());
    };
    let k = near.iter().position(|pair| pair.distance.lower > 0.0).unwrap();
    // Destructured without `..`: a new field does not compile until it is perturbed below.
    let NearPair { features: _, distance: Bracket { lower, upper, .. }, points } = near[k];
    for wrong in NO_NUMBERS.into_iter().chain([upper + 1e-9]) {
        refused(&|near| near[k].distance.lower = wrong);
    }
    for wrong in NO_NUMBERS.into_iter().chain([lower - 1e-9, upper + 1e-9]) {
        refused(&|near| near[k].distance.upper = wrong);
    }
    for wrong in with_no_numbers(points[0]) {
        refused(&|near| near[k].points[0] = wrong);
    }
    for wrong in with_no_numbers(points[1]) {
        refused(&|near| near[k].points[1] = wrong);
    }
    refused(&|near| near[k].points = points.map(|point| point + DVec3::new(50.0, 60.0, 70.0)));
    refused(&|near| near[k].features[0] = Feature::Edge(9999));
    refused(&|near| near[k].distance.lower += 1e-9);
    refused(&|near| near[k].distance.upper -= 1e-9);
    refused(&|near| near[k].distance.lower -= 1e-9);
    refused(&|near| near[k].distance.upper = f64::NAN);
    refused(&|near| near[k].points[0].x += 1e-6);
    refused(&|near| near[k].points[1].z += 1e-6);
    refused(&|others| others.retain(|pair| pair.features != near[k].features));
    refused(&|near| near.swap(0, k));
    refused(&|near| near[k].features[1] = Feature::Vertex(9999));
}

#[test]
fn distances_that_are_nan_or_infinite() {
    let (_, scene) = scenes().swap_remove(11);
    let mesh = scene.mesh();
    assert_eq!(self_proximity(&mesh, f64::NAN), self_proximity(&mesh, 0.0));
    assert_eq!(self_proximity(&mesh, -1.0), self_proximity(&mesh, 0.0));
    assert_eq!(self_proximity(&mesh, f64::INFINITY), self_proximity(&mesh, 10.0));
}

#[test]
fn a_moved_mesh_answers_like_a_rebuilt_one() {
    let (_, scene) = scenes().swap_remove(5);
    let mut mesh = scene.mesh();
    let answer = self_collisions(&mesh);
    mesh.rebuild();
    assert_eq!(self_collisions(&mesh), answer);
    assert_eq!(mesh.triangles(), scene.triangles);
    assert_eq!(mesh.start().map(|p| p.to_array()).collect::<Vec<_>>(), scene.start);
    mesh.move_to(&scene.end).unwrap();
    assert_eq!(mesh.start().collect::<Vec<_>>(), mesh.end().collect::<Vec<_>>());
    mesh.set_step(&scene.start, &scene.end).unwrap();
    assert_eq!(self_collisions(&mesh), answer);
    // No triangle uses this point; it may be anywhere.
    let mut more = scene.clone();
    more.start.push([1e60; 3]);
    more.end.push([-1e60; 3]);
    assert_eq!(self_collisions(&more.mesh()), answer);
}

#[test]
fn bad_input_is_rejected_and_changes_nothing() {
    let (_, scene) = scenes().swap_remove(0);
    let mut mesh = scene.mesh();
    let answer = self_collisions(&mesh);
    assert!(matches!(mesh.move_to(&scene.end[1..]), Err(Error::WrongCount { what: "points", .. })));
    let mut bad = scene.end.clone();
    bad[4][1] = f64::INFINITY;
    assert!(matches!(mesh.move_to(&bad), Err(Error::NotFinite { index: 4, .. })));
    bad[4][1] = 1e61;
    assert!(matches!(mesh.set_step(&scene.start, &bad), Err(Error::TooLarge { index: 4, .. })));
    assert_eq!(self_collisions(&mesh), answer);
    assert!(matches!(DeformingMesh::new(&scene.start, &[]), Err(Error::NoTriangles)));
    assert!(matches!(DeformingMesh::new(&scene.start, &[[0, 1, 99]]), Err(Error::NoSuchPoint { triangle: 0, .. })));
}

#[test]
fn meshes_under_translation() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let corner = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let start = Pose::from_translation(DVec3::new(0.1, 0.2, 3.0)).unwrap();
    let falling = Motion::translation(start, DVec3::new(0.0, 0.0, -4.0)).unwrap();
    let still = Motion::still(Pose::IDENTITY);
    let (a, b) = (DeformingMesh::moving(&corner, &falling).unwrap(), DeformingMesh::moving(&corner, &still).unwrap());
    let first = step_collisions_with(&a, &b, &wanted(ImpactSelection::First)).impacts[0];
    let shapes = (clearance::Shape::Mesh(corner.clone()), clearance::Shape::Mesh(corner));
    let impact = clearance::time_of_impact(&shapes.0, &falling, &shapes.1, &still).unwrap();
    assert!((impact.time.value - first.time.lower).abs() < 1e-14, "{} {}", impact.time.value, first.time.lower);
    let far = Motion::translation(start, DVec3::new(2e60, 0.0, 0.0));
    assert!(far.is_err());
}
