//! Depth of solids: brackets against exact truths, every answer verified, every perturbed field refused.

use clearance::QueryError;
use clearance::Workspace;
use clearance::answer::{
    Clearance, DepthCube, DepthLabel, DepthProof, Method, Penetration, SolidDepth, Witness, WitnessPoint,
};
use clearance::glam::DVec3;
use clearance::query::solid_depth_with;
use clearance::query::{DepthSearch, SolidDepthOptions, clearance_along, depth_along};
use clearance::{Bracket, Error, Mesh, Pose, Shape, distance, penetration};
use clearance_oracle::random::Random;
use common::false_claims::{
    Case, NO_NUMBERS, moved, moves, no_normals, other_normals, with_a, with_b, with_no_numbers,
};
use common::meshes::{box_lists, bumpy_ball, random_pose, solid, surface};

use crate::common;

fn deep(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: &SolidDepthOptions) -> SolidDepth {
    let found = solid_depth_with(a, pose_a, b, pose_b, options, &mut Workspace::default(), |_, _| true).unwrap();
    found.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("{refusal}\n{:?}", found.penetration));
    found
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// Cells of a small grid, as a solid.
#[derive(Clone)]
struct Cells(Vec<[i32; 3]>);

impl Cells {
    /// The boundary of the cells, without shared points; `None` if it is pinched.
    fn shape(&self) -> Option<Shape> {
        let mut points: Vec<[i32; 3]> = Vec::new();
        let mut triangles = Vec::new();
        for &cell in &self.0 {
            for axis in 0..3 {
                for (side, up) in [(-1, 0), (1, 1)] {
                    let mut next = cell;
                    next[axis] += side;
                    if self.0.contains(&next) {
                        continue;
                    }
                    let corner = |u: i32, v: i32| {
                        let mut p = cell;
                        p[axis] += up;
                        p[(axis + 1) % 3] += u;
                        p[(axis + 2) % 3] += v;
                        p
                    };
                    let square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let square = square.map(|p| {
                        points.iter().position(|&q| q == p).unwrap_or_else(|| {
                            points.push(p);
                            points.len() - 1
                        }) as u32
                    });
                    let [a, b, c, d] = square;
                    let two = if up == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    triangles.extend(two);
                }
            }
        }
        let points: Vec<[f64; 3]> = points.iter().map(|p| p.map(f64::from)).collect();
        Some(Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().ok()?))
    }

    /// The exact depth: translations that leave interiors overlapping are a union of open boxes, one for each two
    /// cells. The nearest point out of all of them has, along each axis, the coordinate 0 or that of a side of a box.
    fn depth(&self, other: &Cells, by: [f64; 3]) -> f64 {
        let mut lows: Vec<[f64; 3]> = Vec::new();
        for p in &self.0 {
            for q in &other.0 {
                lows.push([0, 1, 2].map(|k| f64::from(p[k] - q[k]) - by[k] - 1.0));
            }
        }
        lows.sort_by(|p, q| p.partial_cmp(q).unwrap());
        lows.dedup();
        let values = |k: usize| {
            let mut all: Vec<f64> = lows.iter().flat_map(|low| [low[k], low[k] + 2.0]).chain([0.0]).collect();
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        };
        let (xs, ys, zs) = (values(0), values(1), values(2));
        let mut best = f64::INFINITY;
        for &x in &xs {
            for &y in &ys {
                for &z in &zs {
                    let length = (x * x + y * y + z * z).sqrt();
                    let point = [x, y, z];
                    let inside = |low: &[f64; 3]| (0..3).all(|k| low[k] < point[k] && point[k] < low[k] + 2.0);
                    if length < best && !lows.iter().any(inside) {
                        best = length;
                    }
                }
            }
        }
        best
    }
}

fn random_cells(random: &mut Random, size: i32, count: usize) -> Cells {
    let mut cells = vec![[0, 0, 0]];
    while cells.len() < count {
        let mut next = cells[random.index(cells.len())];
        let axis = random.index(3);
        next[axis] += if random.coin() { -1 } else { 1 };
        if next.iter().all(|x| (0..size).contains(x)) && !cells.contains(&next) {
            cells.push(next);
        }
    }
    Cells(cells)
}

#[test]
fn solids_of_cells_are_as_deep_as_the_union_of_boxes_says() {
    let mut random = Random::new(61);
    let (mut seen, mut exact) = (0, 0);
    while seen < 24 {
        let (p, q) = (random_cells(&mut random, 3, 7), random_cells(&mut random, 3, 5));
        let (Some(a), Some(b)) = (p.shape(), q.shape()) else { continue };
        let by = [0; 3].map(|_| (random.uniform(0.0, 1.0) * 64.0).floor() / 32.0 - 0.5);
        let truth = p.depth(&q, by);
        let pose = at(by[0], by[1], by[2]);
        let found = deep(&a, &Pose::IDENTITY, &b, &pose, &SolidDepthOptions::default()).penetration;
        assert!(
            found.depth.lower <= truth && truth <= found.depth.upper,
            "{truth} {found:?}\n{:?}\n{:?} {by:?}",
            p.0,
            q.0
        );
        assert!(found.depth.lower >= 0.94 * truth - 1e-9, "{truth} {found:?}");
        // Where a part fits exactly into the other, a shorter translation exists than any with a gap.
        exact += u32::from(found.depth.upper <= truth * (1.0 + 1e-9) + 1e-9);
        seen += 1;
    }
    assert!(exact >= 20, "{exact} of {seen}");
}

#[test]
fn convex_solids_are_as_deep_as_the_convex_query_says() {
    let mut random = Random::new(62);
    for round in 0..12 {
        let half =
            DVec3::new(0.5 + random.uniform(0.0, 1.0), 0.5 + random.uniform(0.0, 1.0), 0.5 + random.uniform(0.0, 1.0));
        let (cuboid, mesh) = (Shape::cuboid(half).unwrap(), solid(&box_lists(-half, half)));
        let other: Vec<[f64; 3]> = (0..12).map(|_| [0; 3].map(|_| 2.0 * random.uniform(0.0, 1.0) - 1.0)).collect();
        let hull = Shape::hull(&other).unwrap();
        let (pose_a, pose_b) = (random_pose(&mut random, 0.3), random_pose(&mut random, 0.3));
        let truth = penetration(&cuboid, &pose_a, &hull, &pose_b).unwrap();
        let found = deep(&mesh, &pose_a, &hull, &pose_b, &SolidDepthOptions::default());
        assert_eq!(found.label, DepthLabel::Global);
        let found = found.penetration;
        assert!(
            found.depth.lower <= truth.depth.upper && truth.depth.lower <= found.depth.upper,
            "{round}: {truth:?} {found:?}"
        );
        assert!(found.depth.upper <= truth.depth.upper * 1.02 + 1e-9, "{round}: {truth:?} {found:?}");
        // Along any direction: no shorter than the depth; along the separating normal, equal.
        let along = depth_along(&cuboid, &pose_a, &hull, &pose_b, truth.normal).unwrap();
        assert!(along.depth.lower <= truth.depth.upper && truth.depth.lower <= along.depth.upper);
        assert!(along.depth.upper - along.depth.lower < 1e-6, "{along:?}");
        let aside = depth_along(&mesh, &pose_a, &hull, &pose_b, DVec3::new(0.3, -0.8, 0.4)).unwrap();
        assert!(aside.depth.upper >= truth.depth.lower && aside.depth.upper - aside.depth.lower < 1e-6, "{aside:?}");
    }
}

#[test]
fn contained_solids_have_a_depth_too() {
    let hollow = {
        let all = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|cell| *cell != [1, 1, 1]);
        Cells(all.collect()).shape().unwrap()
    };
    let cup =
        Cells((0..27).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|c| !(c[0] == 1 && c[1] == 1 && c[2] > 0)).collect());
    let cup = cup.shape().unwrap();
    let little = solid(&box_lists(DVec3::ZERO, DVec3::splat(0.5)));
    let options = SolidDepthOptions { relative_tolerance: 0.02, ..SolidDepthOptions::default() };
    // In the cavity, apart.
    let free = deep(&hollow, &Pose::IDENTITY, &little, &at(1.25, 1.25, 1.25), &options).penetration;
    assert_eq!((free.depth.lower, free.depth.upper), (0.0, 0.0));
    // In the wall: the cavity is the nearest place.
    let walled = deep(&hollow, &Pose::IDENTITY, &little, &at(0.375, 1.25, 1.25), &options);
    assert!(!walled.interrupted);
    let walled = walled.penetration;
    assert!((walled.depth.upper - 0.625).abs() < 1e-9 && walled.depth.lower > 0.6, "{walled:?}");
    assert!((walled.normal - DVec3::X).length() < 1e-6);
    // Sunk into the bottom of the cup: up, not through the bottom, which the hull of the wall would suggest.
    let sunk = deep(&cup, &Pose::IDENTITY, &little, &at(1.25, 1.25, 0.75), &options).penetration;
    assert!((sunk.depth.upper - 0.25).abs() < 1e-9 && sunk.depth.lower > 0.24, "{sunk:?}");
    // A ball in a ball.
    let (outer, inner) = (solid(&bumpy_ball(12, 1.0, DVec3::ZERO, 0.0)), solid(&bumpy_ball(8, 0.2, DVec3::ZERO, 0.0)));
    let held = deep(&outer, &Pose::IDENTITY, &inner, &at(0.5, 0.0, 0.0), &SolidDepthOptions::default()).penetration;
    assert!(held.depth.lower > 0.6 && held.depth.upper < 0.71, "{held:?}");
}

#[test]
fn depths_far_away_and_at_any_size() {
    let mut random = Random::new(63);
    let (one, two) = (bumpy_ball(8, 1.0, DVec3::ZERO, 0.2), bumpy_ball(7, 0.8, DVec3::ZERO, 0.3));
    let base = random_pose(&mut random, 0.4);
    let reference = deep(&solid(&one), &Pose::IDENTITY, &solid(&two), &base, &SolidDepthOptions::default()).penetration;
    for size in [1e-6, 1e6, 1e-59] {
        let scaled = |(points, triangles): &(Vec<[f64; 3]>, Vec<[u32; 3]>)| {
            solid(&(points.iter().map(|p| p.map(|x| x * size)).collect(), triangles.clone()))
        };
        let pose = Pose::new(base.rotation(), base.translation() * size).unwrap();
        let found =
            deep(&scaled(&one), &Pose::IDENTITY, &scaled(&two), &pose, &SolidDepthOptions::default()).penetration;
        let overlap = found.depth.lower <= reference.depth.upper * size * 1.001
            && found.depth.upper >= reference.depth.lower * size * 0.999;
        assert!(overlap && found.depth.lower > 0.5 * found.depth.upper, "{size} {found:?} {reference:?}");
    }
    let far = DVec3::new(1e7, -2e7, 3e6);
    let (pose_a, pose_b) =
        (Pose::from_translation(far).unwrap(), Pose::new(base.rotation(), base.translation() + far).unwrap());
    let found = deep(&solid(&one), &pose_a, &solid(&two), &pose_b, &SolidDepthOptions::default()).penetration;
    assert!(
        (found.depth.upper - reference.depth.upper).abs() < 0.05 * reference.depth.upper,
        "{found:?} {reference:?}"
    );
}

#[test]
fn swapping_the_bodies_mirrors_the_answer() {
    let mut random = Random::new(64);
    let (one, two) = (solid(&bumpy_ball(8, 1.0, DVec3::ZERO, 0.2)), solid(&bumpy_ball(7, 0.8, DVec3::ZERO, 0.3)));
    for _ in 0..3 {
        let (pose_a, pose_b) = (random_pose(&mut random, 0.5), random_pose(&mut random, 0.5));
        let options = SolidDepthOptions::default();
        let (here, there) =
            (deep(&one, &pose_a, &two, &pose_b, &options), deep(&two, &pose_b, &one, &pose_a, &options));
        let (p, q) = (here.penetration, there.penetration);
        assert_eq!(
            (p.depth.lower, p.depth.upper, p.normal, p.witness.a.point),
            (q.depth.lower, q.depth.upper, -q.normal, q.witness.b.point)
        );
        assert_eq!(here.proof.cubes, there.proof.cubes);
    }
}

#[test]
fn little_work_gives_a_wide_true_bracket() {
    let (one, two) = (solid(&bumpy_ball(10, 1.0, DVec3::ZERO, 0.2)), solid(&bumpy_ball(9, 0.8, DVec3::ZERO, 0.3)));
    let pose = at(0.4, 0.2, 0.1);
    let full = deep(&one, &Pose::IDENTITY, &two, &pose, &SolidDepthOptions::default()).penetration;
    let mut last = f64::INFINITY;
    for work in [0, 2_000, 20_000] {
        let options = SolidDepthOptions { work, ..SolidDepthOptions::default() };
        let found = deep(&one, &Pose::IDENTITY, &two, &pose, &options);
        assert!(found.penetration.depth.lower <= full.depth.upper && full.depth.lower <= found.penetration.depth.upper);
        assert!(found.penetration.depth.upper - found.penetration.depth.lower <= last);
        assert!(found.interrupted || found.penetration.depth.lower >= 0.949 * found.penetration.depth.upper);
        last = found.penetration.depth.upper - found.penetration.depth.lower;
    }
    let stopped = solid_depth_with(
        &one,
        &Pose::IDENTITY,
        &two,
        &pose,
        &SolidDepthOptions::default(),
        &mut Workspace::default(),
        |_, _| false,
    )
    .unwrap();
    assert!(stopped.interrupted);
    stopped.verify(&one, &Pose::IDENTITY, &two, &pose).unwrap();
    // Starting from the last answer: fast, and near it.
    let near = SolidDepthOptions { near: Some(full.normal * full.depth.value), ..SolidDepthOptions::default() };
    let next = deep(&one, &Pose::IDENTITY, &two, &at(0.41, 0.2, 0.1), &near);
    assert_eq!(next.label, DepthLabel::Local);
    assert!(next.work < 2_000 && (next.penetration.depth.upper - full.depth.upper).abs() < 0.1, "{next:?}");
}

#[test]
fn all_searches_find_the_same_depth() {
    let mut random = Random::new(65);
    let ring = Cells([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0], [1, 2, 0], [0, 2, 0], [0, 1, 0]].to_vec());
    let (ring, ball) = (ring.shape().unwrap(), solid(&bumpy_ball(6, 0.9, DVec3::splat(1.0), 0.3)));
    let mut seen = 0;
    while seen < 4 {
        let pose = random_pose(&mut random, 0.6);
        if distance(&ring, &Pose::IDENTITY, &ball, &pose).gap.value > 0.0 {
            continue;
        }
        seen += 1;
        let by = |search| {
            let options = SolidDepthOptions { search, ..SolidDepthOptions::default() };
            deep(&ring, &Pose::IDENTITY, &ball, &pose, &options)
        };
        let found = [DepthSearch::Directions, DepthSearch::Levels, DepthSearch::AllPieces].map(by);
        let least = found.iter().map(|answer| answer.penetration.depth.upper).fold(f64::INFINITY, f64::min);
        for answer in &found {
            assert!(
                answer.penetration.depth.lower <= least && answer.penetration.depth.upper <= least * 1.06,
                "{:?}",
                answer.penetration
            );
            let depths: Vec<f64> = answer.levels.iter().map(|level| level.depth).collect();
            assert!(depths.is_sorted_by(|p, q| p >= q), "{depths:?}");
            assert!(answer.levels.iter().all(|level| level.kept <= level.pairs));
        }
        assert!(least > 0.0, "{pose:?}");
        assert!(found[0].levels.is_empty() && found[1].levels.len() > 2 && found[2].levels.len() == 1);
    }
}

/// Data that a mesh computes on first use takes all cores: threads that request it at the same time, including pool
/// threads, must not wait for one another.
#[test]
fn many_threads_may_query_a_new_mesh_at_once() {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for turn in 0..200 {
            let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
            let ball = solid(&bumpy_ball(6, 0.5, DVec3::ZERO, 0.1));
            let there = at(0.75, 0.5 + 0.001 * f64::from(turn), 0.5);
            let options = SolidDepthOptions { relative_tolerance: 0.5, ..SolidDepthOptions::default() };
            let ask = || {
                assert!(
                    solid_depth_with(
                        &cube,
                        &Pose::IDENTITY,
                        &ball,
                        &there,
                        &options,
                        &mut Workspace::default(),
                        |_, _| true
                    )
                    .is_ok()
                )
            };
            rayon::in_place_scope(|scope| {
                (0..rayon::current_num_threads()).for_each(|_| scope.spawn(|_| ask()));
                ask();
            });
        }
        done.send(()).unwrap();
    });
    is_done.recv_timeout(std::time::Duration::from_secs(300)).expect("threads wait for each other");
}

#[test]
fn a_path_has_a_gap_at_every_pose() {
    let (cube, ball) = (solid(&box_lists(DVec3::ZERO, DVec3::ONE)), solid(&bumpy_ball(6, 0.5, DVec3::ZERO, 0.1)));
    let path: Vec<Pose> = (0..7).map(|k| at(2.0 - 0.25 * f64::from(k), 0.5, 0.5)).collect();
    let gaps = clearance_along(&cube, &Pose::IDENTITY, &ball, &path).unwrap();
    assert!(gaps.windows(2).all(|two| two[1].lower() <= two[0].upper()));
    let mut seen = [0, 0];
    for (gap, pose) in gaps.iter().zip(&path) {
        assert!(gap.lower() <= gap.value() && gap.value() <= gap.upper());
        match gap {
            Clearance::Apart(answer) => answer.verify(&cube, &Pose::IDENTITY, &ball, pose).unwrap(),
            Clearance::Overlapping(answer) => answer.verify(&cube, &Pose::IDENTITY, &ball, pose).unwrap(),
        }
        seen[usize::from(gap.value() < 0.0)] += 1;
    }
    assert!(seen[0] >= 1 && seen[1] >= 4, "{seen:?}");
}

#[test]
fn separated_and_touching_solids() {
    let cube = solid(&box_lists(DVec3::ZERO, DVec3::ONE));
    let apart = deep(&cube, &Pose::IDENTITY, &cube, &at(3.0, 0.25, 0.0), &SolidDepthOptions::default()).penetration;
    assert_eq!((apart.depth.value, apart.depth.lower, apart.depth.upper, apart.normal), (0.0, 0.0, 0.0, DVec3::X));
    let touching = deep(&cube, &Pose::IDENTITY, &cube, &at(1.0, 0.25, 0.0), &SolidDepthOptions::default()).penetration;
    assert!(touching.depth.lower == 0.0 && touching.depth.upper < 1e-11, "{touching:?}");
}

#[test]
fn a_fin_without_thickness_has_no_interior() {
    let (mut points, mut triangles) = box_lists(DVec3::ZERO, DVec3::ONE);
    let first = points.len() as u32;
    points.extend([[3.0, -2.0, 0.5], [5.0, 3.0, 0.5], [4.0, 3.0, 0.5]]);
    triangles.extend([[0, 1, 2], [0, 2, 1]].map(|t: [u32; 3]| t.map(|p| p + first)));
    let (finned, cube) = (solid(&(points, triangles)), solid(&box_lists(DVec3::ZERO, DVec3::ONE)));
    // The fin right through the cube: the interiors are disjoint as they are.
    let found = deep(&finned, &Pose::IDENTITY, &cube, &at(3.6, 0.0, 0.0), &SolidDepthOptions::default()).penetration;
    assert_eq!(found.depth.lower, 0.0, "{found:?}");
    // The cubes still overlap as before.
    let found = deep(&finned, &Pose::IDENTITY, &cube, &at(0.75, 0.1, 0.0), &SolidDepthOptions::default()).penetration;
    assert!(found.depth.lower > 0.2 && found.depth.upper < 0.26, "{found:?}");
}

#[test]
fn bodies_that_are_not_solids_are_named() {
    let mut open = box_lists(DVec3::ZERO, DVec3::ONE);
    open.1.pop();
    let (open, cube) = (surface(&open), solid(&box_lists(DVec3::ZERO, DVec3::ONE)));
    let ask = |a: &Shape, b: &Shape| penetration(a, &Pose::IDENTITY, b, &at(0.5, 0.5, 0.5));
    assert!(matches!(ask(&open, &cube), Err(QueryError::Body(Error::NotSolid { edges: 3, .. }))));
    assert_eq!(ask(&cube, &Shape::cylinder(1.0, 1.0).unwrap()), Err(QueryError::NoDepth));
    // Two crossing boxes are not a solid; two touching ones are.
    let two_boxes = |by: f64| {
        let (mut points, mut triangles) = box_lists(DVec3::ZERO, DVec3::ONE);
        let (more, others) = box_lists(DVec3::new(by, 0.25, 0.25), DVec3::new(by + 1.0, 0.75, 0.75));
        triangles.extend(others.iter().map(|t| t.map(|p| p + points.len() as u32)));
        points.extend(more);
        solid(&(points, triangles))
    };
    assert!(matches!(ask(&two_boxes(0.5), &cube), Err(QueryError::Body(Error::CrossesItself { .. }))));
    assert!(ask(&two_boxes(1.0), &cube).is_ok());
    // Estimates on request, and labelled as such.
    let options = SolidDepthOptions { estimate: true, ..SolidDepthOptions::default() };
    for odd in [&open, &two_boxes(0.5)] {
        let found = deep(odd, &Pose::IDENTITY, &cube, &at(0.7, 0.6, 0.5), &options);
        assert_eq!((found.label, found.penetration.depth.lower), (DepthLabel::Estimate, 0.0));
        assert!(found.penetration.depth.upper > 0.2 && found.penetration.depth.upper < 1.0, "{found:?}");
    }
    let found = deep(&cube, &Pose::IDENTITY, &cube, &at(0.7, 0.6, 0.5), &options);
    assert_eq!(found.label, DepthLabel::Global);
    assert!(depth_along(&cube, &Pose::IDENTITY, &cube, &Pose::IDENTITY, DVec3::ZERO).is_err());
    assert!(depth_along(&cube, &Pose::IDENTITY, &cube, &Pose::IDENTITY, DVec3::NAN).is_err());
}

#[test]
fn verify_refuses_false_claims() {
    let (one, two) = (solid(&bumpy_ball(6, 1.0, DVec3::ZERO, 0.2)), solid(&bumpy_ball(5, 0.8, DVec3::ZERO, 0.3)));
    let pose_b = Pose::from_axis_angle(DVec3::ONE, 0.7, DVec3::new(0.9, 0.3, 0.2)).unwrap();
    let pose_a = Pose::from_axis_angle(DVec3::new(1.0, -1.0, 0.5), 0.4, DVec3::new(-0.3, 0.1, 0.2)).unwrap();
    let case = Case::new("bumpy balls", &one, &pose_a, &two, &pose_b);
    let good = deep(&one, &pose_a, &two, &pose_b, &SolidDepthOptions::default());
    // Without the proof as well.
    case.accepts("plain", &good.penetration);
    let Penetration {
        depth: Bracket { value: depth, lower, upper },
        placement,
        method,
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
            },
        normal,
    } = good.penetration;
    assert!(lower > 0.9 * upper && method == Method::Solids);
    let with = |penetration: Penetration| SolidDepth { penetration, ..good.clone() };
    let good_depth = good.penetration;
    for wrong in NO_NUMBERS.into_iter().chain([upper * 1.1, 0.9 * lower, 0.97 * depth, 0.0, -depth]) {
        case.refuses("depth", &with(Penetration { depth: Bracket { value: wrong, ..good_depth.depth }, ..good_depth }));
    }
    for wrong in NO_NUMBERS.into_iter().chain([upper.next_up(), 1.02 * lower, -1e-300]) {
        case.refuses("lower", &with(Penetration { depth: Bracket { lower: wrong, ..good_depth.depth }, ..good_depth }));
    }
    for wrong in NO_NUMBERS.into_iter().chain([depth.next_down(), 0.5 * upper, 0.0, -upper]) {
        case.refuses("upper", &with(Penetration { depth: Bracket { upper: wrong, ..good_depth.depth }, ..good_depth }));
    }
    // In good order, and still false.
    case.refuses(
        "upper",
        &with(Penetration {
            depth: Bracket { upper: 0.999 * upper, value: 0.999 * upper, ..good_depth.depth },
            ..good_depth
        }),
    );
    for wrong in case.wrong_placements(placement, true) {
        case.refuses("placement", &with(Penetration { placement: wrong, ..good_depth }));
    }
    for wrong in [Method::Gjk, Method::Epa, Method::Mesh, Method::Parts] {
        case.refuses("method", &with(Penetration { method: wrong, ..good_depth }));
    }
    for by in moves(normal, case.scale()) {
        case.refuses(
            "point_in_a",
            &with(Penetration {
                witness: with_a(good_depth.witness, |a| a.point = moved(point_in_a, &pose_a, by)),
                ..good_depth
            }),
        );
        case.refuses(
            "point_in_b",
            &with(Penetration {
                witness: with_b(good_depth.witness, |b| b.point = moved(point_in_b, &pose_b, by)),
                ..good_depth
            }),
        );
    }
    for wrong in with_no_numbers(point_in_a) {
        case.refuses(
            "point_in_a",
            &with(Penetration { witness: with_a(good_depth.witness, |a| a.point = wrong), ..good_depth }),
        );
    }
    for wrong in with_no_numbers(point_in_b) {
        case.refuses(
            "point_in_b",
            &with(Penetration { witness: with_b(good_depth.witness, |b| b.point = wrong), ..good_depth }),
        );
    }
    for wrong in [u32::MAX, part_a ^ 1] {
        case.refuses(
            "part_a",
            &with(Penetration { witness: with_a(good_depth.witness, |a| a.part = wrong), ..good_depth }),
        );
    }
    for wrong in [u32::MAX, part_b ^ 1] {
        case.refuses(
            "part_b",
            &with(Penetration { witness: with_b(good_depth.witness, |b| b.part = wrong), ..good_depth }),
        );
    }
    use clearance::shape::Feature;
    for wrong in [Feature::Interior, Feature::Face(part_a ^ 1), Feature::Vertex(0), Feature::Edge(0)] {
        if wrong != feature_a {
            case.refuses(
                "feature_a",
                &with(Penetration { witness: with_a(good_depth.witness, |a| a.feature = wrong), ..good_depth }),
            );
        }
    }
    for wrong in [Feature::Interior, Feature::Face(part_b ^ 1), Feature::Vertex(0), Feature::Edge(0)] {
        if wrong != feature_b {
            case.refuses(
                "feature_b",
                &with(Penetration { witness: with_b(good_depth.witness, |b| b.feature = wrong), ..good_depth }),
            );
        }
    }
    for wrong in no_normals(normal).into_iter().chain(other_normals(normal, 0.05)) {
        case.refuses("normal", &with(Penetration { normal: wrong, ..good_depth }));
    }
    // The rest, and the proof. The search statistics are not claims about the solids; nor is the interruption, which
    // the bracket shows.
    let SolidDepth { penetration: _, label, interrupted: _, levels: _, ref proof, work: _ } = good;
    assert_eq!(label, DepthLabel::Global);
    case.refuses("label", &SolidDepth { label: DepthLabel::Estimate, ..good.clone() });
    let DepthProof { side: _, moves_a: _, cubes } = proof;
    assert!(cubes.len() > 20);
    let DepthCube { middle: _, half: _, point } = cubes[0];
    for wrong in with_no_numbers(point) {
        let mut false_proof = good.clone();
        false_proof.proof.cubes[0].point = wrong;
        case.refuses("a point that is none", &false_proof);
        false_proof.proof.cubes[0] = DepthCube { middle: wrong, ..cubes[0] };
        case.refuses("a middle that is none", &false_proof);
    }
    for wrong in NO_NUMBERS {
        let mut false_proof = good.clone();
        false_proof.proof.cubes[0].half = wrong;
        case.refuses("a half that is none", &false_proof);
    }
    for skip in (0..cubes.len()).step_by(7) {
        let mut false_proof = good.clone();
        false_proof.proof.cubes.remove(skip);
        case.refuses("a cube is missing", &false_proof);
        let mut false_proof = good.clone();
        false_proof.proof.cubes[skip].point += DVec3::splat(3.0);
        case.refuses("a point elsewhere", &false_proof);
        let mut false_proof = good.clone();
        false_proof.proof.cubes[skip].half *= 2.0;
        case.refuses("a cube too large", &false_proof);
        let mut false_proof = good.clone();
        false_proof.proof.cubes[skip].middle *= 1.01;
        case.refuses("a cube elsewhere", &false_proof);
    }
    for side in NO_NUMBERS.into_iter().chain([0.0, -1.0, 0.25 * good.proof.side, 1.1]) {
        let mut false_proof = good.clone();
        false_proof.proof.side = side;
        case.refuses("side", &false_proof);
    }
    let mut false_proof = good.clone();
    false_proof.proof.moves_a = !good.proof.moves_a;
    case.refuses("moves_a", &false_proof);
    // After the separating translation the bodies are separated.
    let away = Pose::new(pose_b.rotation(), pose_b.translation() + normal * (upper * (1.0 + 1e-9))).unwrap();
    assert!(distance(&one, &pose_a, &two, &away).gap.value > 0.0);
}
