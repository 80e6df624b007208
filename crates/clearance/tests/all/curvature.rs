//! Self-collision by curvature: the same answers as by boxes, to the bit and in order, and both proved again by
//! `verify`, which compares all pairs in integers by a sweep of its own.

use std::f64::consts::{PI, TAU};

use clearance::answer::{SelfIntersection, StepCollisions};
use clearance::query::{
    ImpactSelection, SelfCulling, SelfIntersectionsOptions, StepOptions, frame_self_intersections,
    self_collisions_with, self_intersections_with,
};
use clearance::{DeformingMesh, Mesh};
use clearance_oracle::random::Random;

type Model = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// A grid of `columns` by `rows` cells, each split in two, mapped from the unit square; `closed` joins the last column
/// or row of points to the first.
fn grid([columns, rows]: [u32; 2], closed: [bool; 2], map: impl Fn(f64, f64) -> [f64; 3]) -> Model {
    let size = [columns + u32::from(!closed[0]), rows + u32::from(!closed[1])];
    let point = |k: u32| map(f64::from(k % size[0]) / f64::from(columns), f64::from(k / size[0]) / f64::from(rows));
    let corner = |i: u32, j: u32| j % size[1] * size[0] + i % size[0];
    let cell = |i: u32, j: u32| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        if (i + j).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    let points = (0..size[0] * size[1]).map(point).collect();
    (points, (0..rows).flat_map(|j| (0..columns).flat_map(move |i| cell(i, j))).collect())
}

fn open(cells: u32, map: impl Fn(f64, f64) -> [f64; 3]) -> Model {
    grid([cells; 2], [false; 2], map)
}

fn together(models: &[Model]) -> Model {
    let mut all = Model::default();
    for (points, triangles) in models {
        let first = all.0.len() as u32;
        all.0.extend(points);
        all.1.extend(triangles.iter().map(|t| t.map(|p| p + first)));
    }
    all
}

fn mapped((points, triangles): &Model, map: impl Fn([f64; 3]) -> [f64; 3]) -> Model {
    (points.iter().map(|&p| map(p)).collect(), triangles.clone())
}

/// Each triangle with points of its own.
fn unwelded((points, triangles): &Model) -> Model {
    let corners = triangles.iter().flatten().map(|&p| points[p as usize]).collect();
    (corners, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

fn crumpled(cells: u32, seed: u64, height: f64) -> Model {
    let mut random = Random::new(seed);
    let (mut points, triangles) = open(cells, |x, y| [x, y, 0.0]);
    for point in &mut points {
        *point = point.map(|x| x + height * random.uniform(-1.0, 1.0));
    }
    (points, triangles)
}

fn sphere(cells: u32, map: impl Fn([f64; 3]) -> [f64; 3]) -> Model {
    // A cube of six grids, joined at equal points.
    let side = |k: usize, sign: f64| {
        open(cells, move |x, y| {
            let (u, v) = (2.0 * x - 1.0, 2.0 * y - 1.0);
            let mut p = [0.0; 3];
            (p[k], p[(k + 1) % 3], p[(k + 2) % 3]) = if sign > 0.0 { (1.0, u, v) } else { (-1.0, v, u) };
            p
        })
    };
    let cube = together(&[0, 1, 2].map(|k| together(&[side(k, 1.0), side(k, -1.0)])));
    let mut sorted = cube.0.clone();
    let by = |p: &[f64; 3], q: &[f64; 3]| p.partial_cmp(q).unwrap();
    sorted.sort_by(by);
    sorted.dedup();
    let place = |p: u32| sorted.binary_search_by(|q| by(q, &cube.0[p as usize])).unwrap() as u32;
    let triangles = cube.1.iter().map(|t| t.map(place)).collect();
    let round = |p: &[f64; 3]| {
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        map(p.map(|x| x / length))
    };
    (sorted.iter().map(round).collect(), triangles)
}

fn torus(cells: [u32; 2], radius: impl Fn(f64) -> f64) -> Model {
    grid(cells, [true; 2], |x, y| {
        let ((sin, cos), (s, c)) = ((TAU * x).sin_cos(), (TAU * y).sin_cos());
        let r = 1.0 + radius(x) * c;
        [r * cos, r * sin, radius(x) * s]
    })
}

/// A ramp around a column, every normal nearly up: storeys that are `height` apart.
fn ramp(turns: f64, height: f64) -> Model {
    grid([60, 3], [false; 2], |x, y| {
        let (sin, cos) = (TAU * turns * x).sin_cos();
        [(1.0 + y) * cos, (1.0 + y) * sin, -height * turns * x]
    })
}

/// Named models: what the walk, the directions and the contours have to get right.
fn models() -> Vec<(&'static str, Model)> {
    let ring = |from: f64, to: f64, bend: f64| {
        grid([24, 3], [true, false], move |x, y| {
            let ((sin, cos), r) = ((TAU * x).sin_cos(), to + (from - to) * y);
            [r * cos, r * sin, bend * r * r * (2.0 * TAU * x).cos()]
        })
    };
    let flat = open(9, |x, y| [x, y, 0.0]);
    let folded = open(8, |x, y| if x > 0.5 { [1.0 - x, y + 0.01, 0.3 - 0.4 * x] } else { [x, y, 0.0] });
    let rolled = |gap: f64| {
        open(12, move |x, y| {
            let (r, turn) = (0.3 + gap * x, 9.0 * x);
            [r * turn.cos(), r * turn.sin(), y]
        })
    };
    let mut nonmanifold = open(6, |x, y| [x, y, 0.1 * (7.0 * x).sin()]);
    nonmanifold.0.extend([[0.5, 0.5, 1.0], [0.5, 0.5, -1.0], [0.2, 0.3, 0.5]]);
    let top = nonmanifold.0.len() as u32 - 3;
    nonmanifold.1.extend([[24, 25, top], [25, 24, top + 1], [24, 25, top + 2], [0, 1, 7], [3, 3, 9], [8, 9, 8]]);
    let mut degenerate = flat.clone();
    degenerate.0[33] = degenerate.0[34];
    degenerate.0[55][0] -= 0.5;
    let mobius = |twists: f64| {
        let (mut points, mut triangles) = grid([24, 2], [false; 2], move |x, y| {
            let ((sin, cos), (s, c)) = ((TAU * x).sin_cos(), (twists * PI * x).sin_cos());
            let w = y - 0.5;
            [(1.0 + w * c) * cos, (1.0 + w * c) * sin, w * s]
        });
        // The last column is the first, turned over for an odd number of twists.
        let end = |p: u32| {
            let (i, j) = (p % 25, p / 25);
            if i < 24 { p } else { 25 * if twists as u32 % 2 == 1 { 2 - j } else { j } }
        };
        triangles.iter_mut().for_each(|t| *t = t.map(end));
        points.truncate(75);
        (points, triangles)
    };
    let two_cones = {
        let cone = |up: f64| {
            grid([8, 1], [true, false], move |x, y| {
                let ((sin, cos), r) = ((TAU * x).sin_cos(), if y > 0.0 { 1.0 } else { 0.0 });
                [r * cos, r * sin, up * r]
            })
        };
        let mut both = together(&[cone(0.3), cone(0.31)]);
        // Both tips are one vertex.
        both.1.iter_mut().for_each(|t| *t = t.map(|p| if p < 8 || (16..24).contains(&p) { 0 } else { p }));
        both
    };
    let pinched = |by: f64| {
        sphere(6, move |[x, y, z]| {
            let r = 1.0 - by * (-4.0 * z * z).exp();
            [x * r, y * r, z * (1.0 - by * 0.3)]
        })
    };
    let through = sphere(6, |[x, y, z]| [x, y, if z > 0.8 { z - 2.5 * (z - 0.8) * 5.0 } else { z }]);
    let disc = grid([24, 4], [true, false], |x, y| {
        let (sin, cos) = (TAU * x).sin_cos();
        [(1.5 - y) * cos, (1.5 - y) * sin, 0.05 * (5.0 * x).sin()]
    });
    let ripple = |x: f64, y: f64| 0.05 * (9.0 * x).sin() * (8.0 * y).cos();
    vec![
        ("flat", flat.clone()),
        ("flat, unwelded", unwelded(&flat)),
        ("flat and tilted", mapped(&flat, |[x, y, _]| [x, x + y, 0.7 * y - x])),
        ("rippled", open(14, |x, y| [x, y, ripple(x, y)])),
        ("folded", folded.clone()),
        ("folded, unwelded", unwelded(&folded)),
        ("rolled", rolled(0.2)),
        ("rolled through itself", rolled(0.01)),
        ("rolled onto itself", rolled(0.0)),
        ("crumpled a little", crumpled(10, 3, 0.02)),
        ("crumpled", crumpled(10, 4, 0.15)),
        ("crumpled to a heap", crumpled(8, 5, 2.0)),
        ("crossing itself", open(10, |x, y| [x * (1.0 - 1.4 * y), y * (0.2 + x), 0.1 * x * y])),
        ("a sphere", sphere(5, |p| p)),
        ("a pinched sphere", pinched(0.9)),
        ("pinched through itself", pinched(1.4)),
        ("pushed through itself", through),
        ("a torus", torus([18, 9], |_| 0.4)),
        ("a torus through its middle", torus([18, 9], |_| 1.2)),
        ("a torus of many widths", torus([24, 8], |x| 0.5 + 0.48 * (2.0 * TAU * x).cos())),
        ("ring", ring(1.0, 2.0, 0.1)),
        ("disc and ring", together(&[disc, ring(1.5, 2.0, 0.05)])),
        ("a ring in a ring", together(&[ring(1.0, 2.0, 0.0), ring(0.5, 0.9, 0.1), ring(2.1, 3.0, 0.0)])),
        ("rings on each other", together(&[ring(1.0, 2.0, 0.0), ring(1.5, 2.5, 0.0)])),
        ("a strip with a twist", mobius(1.0)),
        ("a strip with three twists", mobius(3.0)),
        ("edges of three triangles", nonmanifold.clone()),
        ("edges of three triangles, unwelded", unwelded(&nonmanifold)),
        ("no area", degenerate),
        ("no area anywhere", open(5, |x, y| [x, x, y.max(0.5)])),
        ("everything twice", together(&[flat.clone(), flat.clone()])),
        ("two cones with one tip", two_cones),
        ("ramp", ramp(2.5, 0.3)),
        ("steep ramp that meets itself", ramp(2.5, 0.0)),
        ("ramp of one turn", ramp(1.0, 0.1)),
        ("ramp of less than a turn", ramp(0.95, 0.1)),
        ("one triangle", (vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])),
    ]
}

/// Far away, tiny, huge, mirrored and turned.
fn placements(model: &Model) -> Vec<Model> {
    vec![
        mapped(model, |p| p.map(|x| x + 1e7)),
        mapped(model, |p| p.map(|x| x * 1e-55)),
        mapped(model, |p| p.map(|x| x * 1e55)),
        mapped(model, |[x, y, z]| [z, -y, x]),
        mapped(model, |[x, y, z]| [0.6 * x - 0.8 * y, 0.48 * x + 0.36 * y - 0.8 * z, 0.64 * x + 0.48 * y + 0.6 * z]),
    ]
}

fn options(culling: SelfCulling) -> SelfIntersectionsOptions {
    SelfIntersectionsOptions { culling, ..SelfIntersectionsOptions::default() }
}

fn pairs(found: &[SelfIntersection]) -> Vec<[u32; 2]> {
    found.iter().map(|pair| pair.triangles).collect()
}

/// The self-intersections of a model, the same by boxes and by curvature, of a mesh and of a frame.
fn check(name: &str, (points, triangles): &Model, verify: bool) -> Vec<SelfIntersection> {
    let mesh = Mesh::new(points, triangles).unwrap();
    let all = self_intersections_with(&mesh, &options(SelfCulling::Boxes));
    assert_eq!(self_intersections_with(&mesh, &options(SelfCulling::Curvature)), all, "{name}");
    if verify {
        assert_eq!(SelfIntersection::verify_all(&all, &mesh, &options(SelfCulling::Curvature)), Ok(()), "{name}");
    }
    // The tree is built for another shape.
    let sheet: Vec<[f64; 3]> = (0..points.len()).map(|k| [(k % 7) as f64, (k / 7) as f64, 0.0]).collect();
    let Ok(mut frame) = DeformingMesh::new(&sheet, triangles) else { return all };
    let _ = frame_self_intersections(&frame, &options(SelfCulling::Curvature));
    frame.move_to(points).unwrap();
    let [by_boxes, by_curvature] =
        [SelfCulling::Boxes, SelfCulling::Curvature].map(|culling| frame_self_intersections(&frame, &options(culling)));
    assert_eq!(by_curvature, by_boxes, "{name}");
    assert_eq!(pairs(&by_boxes), pairs(&all), "{name}");
    all
}

#[test]
fn the_same_pairs_of_triangles_as_by_boxes() {
    let mut meeting = Vec::new();
    for (number, (name, model)) in models().into_iter().enumerate() {
        // Of one common area there, `verify` names other ends than the answer by boxes does.
        let found = check(name, &model, name != "no area");
        if !found.is_empty() {
            meeting.push(name);
        }
        for placed in placements(&model).into_iter().skip(number % 3).step_by(3) {
            check(name, &placed, false);
        }
    }
    for name in ["flat", "flat, unwelded", "rippled", "rolled", "a sphere", "ring", "ramp", "a strip with a twist"] {
        assert!(!meeting.contains(&name), "{name}");
    }
    for name in ["folded", "rolled through itself", "pinched through itself", "steep ramp that meets itself", "no area"]
    {
        assert!(meeting.contains(&name), "{name}");
    }
}

#[test]
fn random_surfaces() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let cells = 3 + round % 9;
        let mut model = match round % 4 {
            0 => crumpled(cells, u64::from(round), [0.03, 0.1, 0.3][round as usize / 4 % 3]),
            1 => torus([cells + 3, cells + 1], |x| 0.4 + 0.5 * (TAU * x).cos().abs()),
            2 => ramp(0.8 + 0.1 * f64::from(cells), 0.02 * f64::from(round % 5)),
            _ => sphere(1 + cells / 3, |p| p),
        };
        // Some smooth displacement, some points on a grid, some holes, some triangles turned over.
        let [a, b, c] = std::array::from_fn(|_| random.uniform(-1.5, 1.5));
        for point in &mut model.0 {
            let [x, y, z] = *point;
            *point = [x + a * (y + z).sin(), y + b * (2.0 * z).sin(), z + c * (x * y).cos()];
            if round % 5 == 0 {
                *point = point.map(|x| (4.0 * x).round() / 4.0);
            }
        }
        model.1.retain(|_| round % 3 != 0 || random.index(6) > 0);
        if round % 7 == 0 {
            model.1.iter_mut().filter(|_| random.index(5) == 0).for_each(|t| t.swap(0, 1));
        }
        if Mesh::new(&model.0, &model.1).is_ok() {
            check(&format!("{round}"), &model, round % 6 == 1);
        }
    }
}

/// The collisions of a step, the same by boxes and by curvature.
fn check_step(
    name: &str,
    start: &[[f64; 3]],
    end: &[[f64; 3]],
    triangles: &[[u32; 3]],
    verify: bool,
) -> StepCollisions {
    let mut mesh = DeformingMesh::new(start, triangles).unwrap();
    mesh.move_to(end).unwrap();
    let ask = |wanted, culling| self_collisions_with(&mesh, &StepOptions { wanted, culling, ..StepOptions::default() });
    let mut last = StepCollisions::default();
    for wanted in [ImpactSelection::First, ImpactSelection::NearFirst(0.2), ImpactSelection::All] {
        let (by_boxes, by_curvature) = (ask(wanted, SelfCulling::Boxes), ask(wanted, SelfCulling::Curvature));
        assert_eq!(by_curvature.impacts, by_boxes.impacts, "{name}");
        assert_eq!(by_curvature.intersecting, by_boxes.intersecting, "{name}");
        assert_eq!(by_boxes.counts.visited, 0);
        assert!(by_curvature.counts.candidates <= by_boxes.counts.candidates, "{name}");
        last = by_curvature;
    }
    if verify {
        assert_eq!(last.verify_self(&StepOptions::default(), &mesh), Ok(()), "{name}");
    }
    last
}

#[test]
fn the_same_impacts_as_by_boxes() {
    let bend = |turn: f64| {
        move |x: f64, y: f64| [x.min(0.5) + (x - 0.5).max(0.0) * turn.cos(), y, (x - 0.5).max(0.0) * turn.sin()]
    };
    let flat = |x: f64, y: f64| [x, y, 0.0];
    let roll =
        |turn: f64| move |x: f64, y: f64| [(0.2 + 0.05 * x) * (turn * x).cos(), (0.2 + 0.05 * x) * (turn * x).sin(), y];
    let ripple = |phase: f64| move |x: f64, y: f64| [x, y, 0.1 * (6.0 * x + phase).sin() * (5.0 * y).cos()];
    let far = |x: f64, y: f64| [x + 100.0, y - 3.0, 0.1 * (6.0 * x).sin() + 50.0];
    let turned = |x: f64, y: f64| [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, 0.2 * x];
    let in_plane = |x: f64, y: f64| [x * (1.0 - 1.5 * y), y, 0.0];
    type Map<'m> = &'m dyn Fn(f64, f64) -> [f64; 3];
    let cases: [(&str, Map<'_>, Map<'_>); 9] = [
        ("rests", &ripple(0.0), &ripple(0.0)),
        ("ripples", &ripple(0.0), &ripple(1.0)),
        ("flies and ripples", &ripple(0.0), &far),
        ("turns", &flat, &turned),
        ("folds", &bend(0.0), &bend(2.0)),
        ("folds over", &bend(1.0), &bend(3.3)),
        ("rolls up", &roll(1.0), &roll(9.0)),
        ("crosses in its plane", &flat, &in_plane),
        ("turns over", &flat, &|x, y| [1.0 - x, y, 0.0]),
    ];
    for (name, start, end) in cases {
        let (start, end) = (open(7, start), open(7, end));
        let found = check_step(name, &start.0, &end.0, &start.1, true);
        if ["rests", "ripples", "flies and ripples", "turns"].contains(&name) {
            assert!(found.impacts.is_empty(), "{name}");
            // All of it is flat over the whole step.
            assert!(found.counts.visited == 1 || name == "turns", "{name}: {:?}", found.counts);
        }
    }
    let all = models();
    for (k, (name, (points, triangles))) in all.iter().enumerate() {
        if triangles.len() > 500 {
            continue;
        }
        // Towards another shape of the same topology: the points pulled along a wave, or onto a plane.
        let pull = |p: &[f64; 3]| [p[0] + 0.2 * (3.0 * p[1]).sin(), p[1], p[2] + 0.3 * (4.0 * p[0]).cos()];
        let flatten = |p: &[f64; 3]| [p[0], p[1] * 0.5 + 0.2, 0.1 * p[2]];
        let end: Vec<_> = points.iter().map(|p| if k % 2 == 0 { pull(p) } else { flatten(p) }).collect();
        if DeformingMesh::new(points, triangles).is_ok() && *name != "crumpled to a heap" {
            check_step(name, points, &end, triangles, false);
        }
    }
}

#[test]
fn random_steps() {
    let mut random = Random::new(5);
    for round in 0..30u32 {
        let cells = 2 + round % 5;
        let (start, triangles) = crumpled(cells, u64::from(round), [0.01, 0.05, 0.2][round as usize % 3]);
        let [a, b, c] = std::array::from_fn(|_| random.uniform(-1.5, 1.5));
        let mut moved = |p: &[f64; 3]| {
            let noise: [f64; 3] = std::array::from_fn(|_| random.uniform(-0.05, 0.05));
            let end = [p[0] + a * (p[1] * 2.0).sin(), p[1] + b * p[0], p[2] + c * (p[0] * 3.0).cos()];
            let end = [0, 1, 2].map(|k| end[k] + noise[k]);
            if round % 4 == 0 { end.map(|x| (4.0 * x).round() / 4.0) } else { end }
        };
        let end: Vec<[f64; 3]> = start.iter().map(&mut moved).collect();
        check_step(&format!("{round}"), &start, &end, &triangles, round % 8 == 0);
    }
}

#[test]
fn culling_does_not_depend_on_how_finely_a_surface_is_divided() {
    let visited = |cells: u32| {
        let wave = |x: f64, y: f64| [x, y, 0.3 * (6.0 * x).sin() * (4.0 * y).cos()];
        let (points, triangles) = open(cells, wave);
        let mesh = DeformingMesh::new(&points, &triangles).unwrap();
        let found =
            self_collisions_with(&mesh, &StepOptions { culling: SelfCulling::Curvature, ..StepOptions::default() });
        assert_eq!(found.impacts, []);
        found.counts
    };
    let (coarse, fine) = (visited(30), visited(90));
    assert!(fine.visited < 4 * coarse.visited, "{coarse:?} {fine:?}");
    // A flat sheet takes one comparison, whatever its contour looks like.
    let curly = |x: f64, y: f64| [x + 0.03 * (20.0 * y).sin(), y + 0.03 * (20.0 * x).sin(), 0.0];
    let (points, triangles) = open(60, curly);
    let mesh = DeformingMesh::new(&points, &triangles).unwrap();
    let found = self_collisions_with(&mesh, &StepOptions { culling: SelfCulling::Curvature, ..StepOptions::default() });
    assert_eq!((found.counts.visited, found.counts.candidates), (1, 0));
}

#[test]
fn normals_alone_are_a_heuristic() {
    for (name, (points, triangles)) in models() {
        let mesh = Mesh::new(&points, &triangles).unwrap();
        let all = pairs(&self_intersections_with(&mesh, &options(SelfCulling::Boxes)));
        let some = pairs(&self_intersections_with(&mesh, &options(SelfCulling::Normals)));
        assert!(some.iter().all(|pair| all.contains(pair)), "{name}");
        match name {
            // Its normals say that it is flat; only its contour shows that it meets itself.
            "rings on each other" => assert!(!all.is_empty() && some.len() < all.len()),
            "folded" | "rolled through itself" => assert_eq!(some, all, "{name}"),
            _ => {}
        }
    }
}
