//! The scenes of Kitamura, Smith, Takemura and Kishino (*A Real-Time Algorithm for Accurate Collision Detection for
//! Deformable Polyhedral Objects*, 1998), with its figures beside ours: all pairs of triangles that meet, cycle by
//! cycle.
//!
//! The objects are stand-ins of equal numbers of triangles (`meshes/objects.rs`), the motions are made here, so times
//! compare in kind. Published milliseconds are of an SGI Indigo2 (R4400, 150 MHz). Each scene is asked with the default
//! options, with those of the paper (level 6 of a cube around the world, all pairs of boxes, clipping), with each
//! option that differs from either, by a `Scene` whose trees are refitted in every cycle, and by contacts of meshes
//! with moved points. Where all bodies are rigid, by octrees made once too. All have to find the same pairs in every
//! cycle.
//!
//! `ours` is the time of the last cycle, where the paper has that, or the mean. `largest_n_within_100_16_1_ms`:
//! triangles of two spheres in contact, together, asked with the default options.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::Model;
use crate::meshes::objects::{SPHERES, chair, hand, mikoshi, shuttle, venus};
use crate::meshes::scenery::uv_sphere;
use crate::models::Random;
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Report, Row, rounded};
use clearance::deforming::{
    BodyFaces, BoxStage, DividedSpace, Division, FaceBoxTest, FaceOctree, FaceOctreeCounts, FaceOctreeOptions,
    FacePair, RigidFaceOctree, Scene,
};
use clearance::glam::{DQuat, DVec3};
use clearance::{Mesh, Pose, Shape, contacts};
use serde_json::{Value, json};
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "kitamura-deform",
    about: "face octrees on the scenes of Kitamura et al. (1998), every option, beside its figures and the trees",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// The level of voxels in the paper.
const LEVEL: u32 = 6;
/// Times in which the largest number of triangles is sought, in milliseconds.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];
/// Slices of the spheres that are tried: `m (m - 2)` triangles each.
const SIZES: [u32; 9] = [12, 20, 32, 64, 128, 256, 512, 724, 1024];

/// What the paper says of a scene, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Published {
    last: Option<f64>,
    mean: Option<f64>,
}

/// Bodies with the positions of their points in each cycle.
struct Cycles {
    name: String,
    models: Vec<Model>,
    /// By cycle and body.
    points: Vec<Vec<Vec<[f64; 3]>>>,
    /// By cycle and body, if all are rigid.
    poses: Option<Vec<Vec<Pose>>>,
    published: Published,
}

impl Cycles {
    fn rigid(name: &str, models: Vec<Model>, poses: Vec<Vec<Pose>>, published: Published) -> Cycles {
        let place = |(model, pose): (&Model, &Pose)| -> Vec<[f64; 3]> {
            model.points.iter().map(|&point| pose.transform_point(DVec3::from(point)).to_array()).collect()
        };
        let points = poses.iter().map(|poses| models.iter().zip(poses).map(place).collect()).collect();
        Cycles { name: name.into(), models, points, poses: Some(poses), published }
    }

    fn bodies(&self, cycle: usize) -> Vec<BodyFaces<'_>> {
        let bodies = self.models.iter().zip(&self.points[cycle]);
        bodies.map(|(model, points)| BodyFaces { points, triangles: &model.triangles }).collect()
    }

    fn triangles(&self) -> usize {
        self.models.iter().map(|model| model.triangles.len()).sum()
    }
}

/// A pose in which a body has turned about an axis.
fn turned(axis: DVec3, angle: f64, place: DVec3) -> Result<Pose, LabError> {
    Ok(Pose::from_quat(DQuat::from_axis_angle(axis, angle), place)?)
}

/// Two of several bodies approach along x, turning, and meet in the last cycle; the others stay about their places.
fn approach(
    name: &str,
    models: Vec<Model>,
    others: &[DVec3],
    cycles: usize,
    published: Published,
    random: &mut Random,
) -> Result<Cycles, LabError> {
    // Of an approach of few cycles only the end is shown.
    let slow = cycles.max(30) as f64;
    let axes: Vec<DVec3> = models.iter().map(|_| random.direction()).collect();
    let drifts: Vec<DVec3> = models.iter().map(|_| 0.05 * random.direction()).collect();
    let poses = |cycle: usize, distance: f64| -> Result<Vec<Pose>, LabError> {
        let share = 1.0 - (cycles - cycle) as f64 / slow;
        let place = |body: usize| match body {
            0 => DVec3::ZERO,
            1 => DVec3::new(distance, 0.0, 0.0),
            _ => others[body - 2] + drifts[body] * share,
        };
        (0..models.len()).map(|body| turned(axes[body], 0.6 + 1.2 * share, place(body))).collect()
    };
    let mut octree = FaceOctree::default();
    let mut meet = |distance: f64| -> Result<bool, LabError> {
        let two = Cycles::rigid("", models[..2].to_vec(), vec![poses(cycles, distance)?[..2].to_vec()], published);
        Ok(!octree.pairs(&two.bodies(0))?.is_empty())
    };
    let reach = |model: &Model| model.points.iter().map(|&p| DVec3::from(p).length()).fold(0.0, f64::max);
    let far = reach(&models[0]) + reach(&models[1]);
    // Apart at `outer`, in contact at `inner`.
    let (mut inner, mut outer) = (0.3 * far, far * 1.01);
    while outer - inner > 1e-5 * far {
        let middle = 0.5 * (inner + outer);
        *(if meet(middle)? { &mut inner } else { &mut outer }) = middle;
    }
    let step = 1.2 * far / slow;
    let end = inner - 0.3 * step;
    let all: Vec<Vec<Pose>> =
        (1..=cycles).map(|cycle| poses(cycle, end + step * (cycles - cycle) as f64)).collect::<Result<_, _>>()?;
    Ok(Cycles::rigid(name, models, all, published))
}

fn scaled(model: Model, factor: f64) -> Model {
    Model { points: model.points.iter().map(|point| point.map(|x| x * factor)).collect(), ..model }
}

/// Figs 11 and 12: two hands reach for a head, a shuttle and a sphere, which fly about in a box. Hands and sphere
/// deform.
fn interactive(cycles: usize, random: &mut Random) -> Result<Cycles, LabError> {
    let models = vec![hand(), hand(), venus(), shuttle(), scaled(uv_sphere(16, 8, 1.0), 0.35)];
    let room = 1.1;
    let mut places: Vec<DVec3> = (0..5).map(|_| random.direction() * 0.8).collect();
    let mut speeds: Vec<DVec3> = (0..5).map(|_| random.direction() * 0.02).collect();
    let axes: Vec<DVec3> = (0..5).map(|_| random.direction()).collect();
    let mut points = Vec::new();
    for cycle in 0..cycles {
        let time = cycle as f64;
        for (place, speed) in places.iter_mut().zip(&mut speeds) {
            *place += *speed;
            for axis in 0..3 {
                // Reflected by the walls.
                if place[axis].abs() > room && place[axis] * speed[axis] > 0.0 {
                    speed[axis] = -speed[axis];
                }
            }
        }
        let body = |number: usize| -> Result<Vec<[f64; 3]>, LabError> {
            let pose = turned(axes[number], 0.02 * time, places[number])?;
            let shape = |&[x, y, z]: &[f64; 3]| match number {
                // Fingers bend and spread; the sphere breathes.
                0 | 1 => {
                    let bend = 0.6 * (0.05 * time).sin() * (z - 0.2).max(0.0);
                    DVec3::new(x, y + bend, z - 0.3 * bend * bend)
                }
                4 => DVec3::new(x, y, z) * (1.0 + 0.3 * (0.1 * time + 4.0 * z).sin()),
                _ => DVec3::new(x, y, z),
            };
            Ok(models[number].points.iter().map(|point| pose.transform_point(shape(point)).to_array()).collect())
        };
        points.push((0..5).map(body).collect::<Result<_, _>>()?);
    }
    let published = Published { mean: Some(11.5), ..Published::default() };
    Ok(Cycles { name: "figs 11-12: hands, head, shuttle, sphere".into(), models, points, poses: None, published })
}

/// Section 4.4: the parts of a shrine are moved to their places one by one.
fn shrine(cycles: usize, random: &mut Random) -> Result<Cycles, LabError> {
    let models = mikoshi();
    let starts: Vec<DVec3> = models.iter().map(|_| random.direction() * 1.5).collect();
    let count = models.len() as f64;
    let poses = |cycle: usize| -> Result<Vec<Pose>, LabError> {
        let place = |(number, start): (usize, &DVec3)| {
            // Two parts are on their way at a time.
            let share = (cycle as f64 / cycles as f64 * (count + 1.0) - number as f64) * 0.5;
            let left = 1.0 - share.clamp(0.0, 1.0);
            turned(DVec3::Z, 2.0 * left, *start * left)
        };
        starts.iter().enumerate().map(place).collect()
    };
    let all = (1..=cycles).map(poses).collect::<Result<_, _>>()?;
    Ok(Cycles::rigid("section 4.4: shrine of 5,263 triangles", models, all, Published::default()))
}

/// All scenes.
fn scenes(options: &Options) -> Result<Vec<Cycles>, LabError> {
    let random = &mut Random::new(options.seed, 9001);
    let cycles = if options.quick { 6 } else { 72 };
    let mut all = Vec::new();
    let times = [(168, 11.0), (528, 16.0), (960, 24.0), (3968, 70.0)];
    for (slices, stacks) in SPHERES {
        let sphere = uv_sphere(slices, stacks, 1.0);
        let count = sphere.triangles.len();
        let last = times.iter().find(|(triangles, _)| *triangles == count).map(|(_, last)| *last);
        let drawn = last.is_some();
        if options.quick && count > 528 {
            continue;
        }
        // Fig. 7 has the last cycle alone.
        let cycles = if drawn { cycles } else { 4 };
        let name = format!("figs 6-7: two spheres of {count}");
        let published = Published { last, mean: None };
        all.push(approach(&name, vec![sphere.clone(), sphere], &[], cycles, published, random)?);
    }
    for (count, last) in [(2, 16.0), (15, 31.0)] {
        let others: Vec<DVec3> = (0..count - 2)
            .map(|number: i32| {
                let turn = 2.4 * f64::from(number);
                DVec3::new(0.5 + 0.9 * turn.cos(), 0.9 * turn.sin(), 0.12 * f64::from(number) - 0.8)
            })
            .collect();
        let published = Published { last: Some(last), mean: None };
        let name = format!("fig. 8: {count} shuttles of 528");
        all.push(approach(&name, vec![shuttle(); count as usize], &others, cycles, published, random)?);
    }
    all.push(interactive(if options.quick { 12 } else { 800 }, random)?);
    all.push(shrine(if options.quick { 10 } else { 120 }, random)?);
    let models = vec![venus(), shuttle(), chair(), scaled(uv_sphere(12, 6, 1.0), 0.3)];
    let others = [DVec3::new(0.5, 1.6, 0.0), DVec3::new(0.5, -1.2, 0.3)];
    let cycles = if options.quick { 6 } else { 30 };
    let published = Published { last: Some(11.0), mean: None };
    all.push(approach("figs 14-15: head, shuttle, chair, sphere", models, &others, cycles, published, random)?);
    Ok(all)
}

/// Who is asked.
enum Asked {
    Octree(FaceOctreeOptions),
    /// Octrees of rigid bodies made once, to the paper's level.
    Rigid,
    Trees,
    Meshes,
}

fn published_options() -> FaceOctreeOptions {
    FaceOctreeOptions {
        level: Some(LEVEL),
        boxes: BoxStage::AllPairs,
        face_box: FaceBoxTest::Clipping,
        space: DividedSpace::World,
        ..FaceOctreeOptions::default()
    }
}

/// Everybody with a name; the default first.
fn contenders(rigid: bool) -> Vec<(&'static str, Asked)> {
    let default = FaceOctreeOptions::default();
    let published = published_options();
    let mut all = vec![
        ("default", Asked::Octree(default)),
        ("as published", Asked::Octree(published)),
        ("published, faces by boxes", Asked::Octree(FaceOctreeOptions { face_box: FaceBoxTest::Boxes, ..published })),
        ("published, faces by axes", Asked::Octree(FaceOctreeOptions { face_box: FaceBoxTest::Axes, ..published })),
        ("published, no box stage", Asked::Octree(FaceOctreeOptions { boxes: BoxStage::Skipped, ..published })),
        ("default, level 6", Asked::Octree(FaceOctreeOptions { level: Some(LEVEL), ..default })),
        ("default, faces by boxes", Asked::Octree(FaceOctreeOptions { face_box: FaceBoxTest::Boxes, ..default })),
        ("default, faces by clipping", Asked::Octree(FaceOctreeOptions { face_box: FaceBoxTest::Clipping, ..default })),
        ("default, all pairs of boxes", Asked::Octree(FaceOctreeOptions { boxes: BoxStage::AllPairs, ..default })),
        ("default, world cube", Asked::Octree(FaceOctreeOptions { space: DividedSpace::World, ..default })),
        ("default, bintree", Asked::Octree(FaceOctreeOptions { division: Division::Bintree, ..default })),
        ("trees refitted", Asked::Trees),
        ("contacts of meshes", Asked::Meshes),
    ];
    if rigid {
        all.push(("octree update", Asked::Rigid));
    }
    all
}

/// What somebody did with a scene.
struct Measured {
    name: &'static str,
    /// Milliseconds of each cycle.
    times: Vec<f64>,
    found: Vec<Vec<FacePair>>,
    counts: FaceOctreeCounts,
}

impl Measured {
    fn last(&self) -> f64 {
        self.times.last().copied().unwrap_or(f64::NAN)
    }

    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }
}

/// Asks one cycle after the other, the whole scene several times over; the least time of each cycle.
fn measured(
    name: &'static str,
    cycles: usize,
    repeats: usize,
    mut ask: impl FnMut(usize) -> Result<(Vec<FacePair>, FaceOctreeCounts, f64), LabError>,
) -> Result<Measured, LabError> {
    let mut times = vec![f64::INFINITY; cycles];
    let mut last = Measured { name, times: Vec::new(), found: Vec::new(), counts: FaceOctreeCounts::default() };
    for _ in 0..repeats {
        last.found.clear();
        for (cycle, least) in times.iter_mut().enumerate() {
            let (found, counts, seconds) = ask(cycle)?;
            *least = least.min(1e3 * seconds);
            last.found.push(found);
            last.counts = counts;
        }
    }
    last.times = times;
    Ok(last)
}

/// Asks one of them about a scene.
fn ask(name: &'static str, who: &Asked, scene: &Cycles, repeats: usize) -> Result<Measured, LabError> {
    let cycles = scene.points.len();
    let none = FaceOctreeCounts::default();
    match who {
        Asked::Octree(options) => {
            let mut octree = FaceOctree::new(options);
            measured(name, cycles, repeats, |cycle| {
                let bodies = scene.bodies(cycle);
                let (found, seconds) = timed(|| octree.pairs(&bodies).map(<[FacePair]>::len));
                found?;
                let pairs = octree.pairs(&bodies)?.to_vec();
                Ok((pairs, *octree.counts(), seconds))
            })
        }
        Asked::Rigid => {
            let faces =
                scene.models.iter().map(|model| BodyFaces { points: &model.points, triangles: &model.triangles });
            let octrees =
                faces.map(|body| RigidFaceOctree::new(&body, LEVEL)).collect::<Result<Vec<_>, clearance::Error>>()?;
            let mut octree = FaceOctree::new(&published_options());
            let Some(poses) = &scene.poses else { return measured(name, 0, 0, |_| Ok((Vec::new(), none, 0.0))) };
            measured(name, cycles, repeats, |cycle| {
                let bodies: Vec<(&RigidFaceOctree, &Pose)> = octrees.iter().zip(&poses[cycle]).collect();
                let (found, seconds) = timed(|| octree.rigid_pairs(&bodies).map(<[FacePair]>::to_vec));
                Ok((found?, *octree.counts(), seconds))
            })
        }
        Asked::Trees => {
            let mut trees = Scene::default();
            let numbers = trees.insert_all(&scene.bodies(0))?;
            measured(name, cycles, repeats, |cycle| {
                let (found, seconds) = timed(|| {
                    for (&number, points) in numbers.iter().zip(&scene.points[cycle]) {
                        trees.move_to(number, points)?;
                    }
                    black_box(trees.pairs());
                    Ok::<(), LabError>(())
                });
                found?;
                Ok((trees.pairs().to_vec(), none, seconds))
            })
        }
        Asked::Meshes => {
            let new = |body: &BodyFaces<'_>| Mesh::new(body.points, body.triangles);
            let mut meshes = scene.bodies(0).iter().map(new).collect::<Result<Vec<_>, clearance::Error>>()?;
            measured(name, cycles, repeats, |cycle| {
                let (found, seconds) = timed(|| {
                    for (mesh, points) in meshes.iter_mut().zip(&scene.points[cycle]) {
                        mesh.move_points(points)?;
                    }
                    Ok::<_, LabError>(contacts_of(&meshes))
                });
                Ok((found?, none, seconds))
            })
        }
    }
}

/// All pairs of triangles of meshes in the world.
fn contacts_of(meshes: &[Mesh]) -> Vec<FacePair> {
    let shapes: Vec<Shape> = meshes.iter().map(|mesh| Shape::Mesh(mesh.clone())).collect();
    let boxes: Vec<_> = shapes.iter().map(Shape::bounds).collect();
    let mut found = Vec::new();
    for a in 0..shapes.len() {
        for b in a + 1..shapes.len() {
            if boxes[a].overlaps(&boxes[b]) {
                let all = contacts(&shapes[a], &Pose::IDENTITY, &shapes[b], &Pose::IDENTITY);
                found.extend(all.crossings.iter().map(|crossing| FacePair {
                    body_a: a as u32,
                    face_a: crossing.triangle_a,
                    body_b: b as u32,
                    face_b: crossing.triangle_b,
                }));
            }
        }
    }
    found.sort_unstable();
    found
}

fn digest(found: &[Vec<FacePair>]) -> Digest {
    let mut digest = Digest::default();
    for pairs in found {
        let numbers: Vec<[u32; 4]> = pairs.iter().map(|p| [p.body_a, p.face_a, p.body_b, p.face_b]).collect();
        digest.push(&numbers);
    }
    digest
}

/// The rows of a scene.
fn rows(scene: &Cycles, all: &[Measured]) -> Vec<Row> {
    let row = |who: &Measured| {
        let other = who.found.iter().zip(&all[0].found).filter(|(theirs, ours)| theirs != ours).count() as u64;
        let by_mean = scene.published.last.is_none() && scene.published.mean.is_some();
        let published = match who.name {
            "octree update" if scene.name.starts_with("figs 14") => Some(161.0),
            "octree update" => None,
            _ => scene.published.last.or(scene.published.mean),
        };
        let counted = who.counts.checklist > 0;
        let count = |count: u64| if counted { json!(count) } else { Value::Null };
        Row {
            case: format!("{}; {}", scene.name, who.name),
            ours: rounded(if by_mean { who.mean() } else { who.last() }, 4),
            unit: "ms",
            peer: None,
            wrong: other,
            answers: digest(&who.found),
            more: vec![
                ("published_ms", json!(published)),
                ("mean_ms", json!(rounded(who.mean(), 4))),
                ("worst_ms", json!(rounded(who.times.iter().copied().fold(0.0, f64::max), 4))),
                ("triangles", json!(scene.triangles())),
                ("cycles", json!(who.found.len())),
                ("pairs", json!(who.found.last().map(Vec::len))),
                ("checklist", count(who.counts.checklist)),
                ("cells", count(who.counts.cells)),
                ("voxels", count(who.counts.voxels)),
                ("face_box_tests", count(who.counts.face_box_tests)),
                ("face_pair_tests", count(who.counts.face_pair_tests)),
            ],
        }
    };
    all.iter().map(row).collect()
}

/// Time over cycles, of some of those asked.
fn curve(scene: &Cycles, all: &[Measured], drawn: &[&str], published: &[(&str, f64)]) -> Plot {
    let cycles = all[0].times.len();
    let points = |times: &[f64]| times.iter().enumerate().map(|(cycle, &ms)| ((cycle + 1) as f64, ms)).collect();
    let mut series: Vec<Series> = drawn
        .iter()
        .filter_map(|name| all.iter().find(|who| who.name == *name))
        .enumerate()
        .map(|(colour, who)| Series { name: who.name.into(), colour, dashed: false, points: points(&who.times) })
        .collect();
    series.extend(published.iter().map(|&(name, ms)| Series {
        name: name.into(),
        colour: 4,
        dashed: true,
        points: vec![(1.0, ms), (cycles as f64, ms)],
    }));
    let chart = Chart::Lines { x_label: "cycle".into(), series };
    Plot { title: scene.name.clone(), measure: "milliseconds a cycle".into(), chart }
}

/// The largest numbers of triangles of two spheres in contact within each of the budgets.
fn largest(options: &FaceOctreeOptions, sizes: &[u32], random: &mut Random) -> Result<[Option<usize>; 3], LabError> {
    let mut largest = [None; 3];
    let mut octree = FaceOctree::new(options);
    for &slices in sizes {
        let sphere = uv_sphere(slices, slices / 2, 1.0);
        let scene = approach("", vec![sphere.clone(), sphere], &[], 1, Published::default(), random)?;
        let bodies = scene.bodies(0);
        let mut times = Vec::new();
        for _ in 0..4 {
            let (found, seconds) = timed(|| octree.pairs(&bodies).map(<[FacePair]>::len));
            found?;
            times.push(1e3 * seconds);
        }
        let time = median(times[1..].to_vec());
        for (largest, budget) in largest.iter_mut().zip(BUDGETS) {
            if time <= budget {
                *largest = Some(scene.triangles());
            }
        }
        if time > 2.0 * BUDGETS[0] {
            break;
        }
    }
    Ok(largest)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let repeats = if options.quick { 1 } else { 3 };
    let (mut all_rows, mut panels, mut cases) = (Vec::new(), Vec::new(), 0);
    let (mut last_cycles, mut as_published) = (Vec::new(), Vec::new());
    let (mut ratio, mut mean, mut slower) = (f64::NAN, f64::NAN, 0);
    for scene in scenes(options)? {
        let mut all = Vec::new();
        for (name, who) in contenders(scene.poses.is_some()) {
            all.push(ask(name, &who, &scene, repeats)?);
        }
        cases += all.iter().map(|who| who.found.len() as u64).sum::<u64>();
        let find = |name: &str| all.iter().find(|who| who.name == name);
        slower += u64::from(scene.published.last.is_some_and(|last| all[0].last() > last));
        if scene.name.starts_with("figs 6") {
            last_cycles.push((scene.triangles() as f64, all[0].last()));
            as_published.extend(find("as published").map(|who| (scene.triangles() as f64, who.last())));
        }
        let drawn = ["default", "as published", "trees refitted", "octree update"];
        match (scene.published.last, scene.published.mean) {
            (Some(last), _) if scene.name.starts_with("figs 14") => {
                ratio = find("octree update").map_or(f64::NAN, |who| who.last()) / all[1].last();
                panels.push(curve(&scene, &all, &drawn, &[("published", last), ("published update", 161.0)]));
            }
            (Some(last), _) => panels.push(curve(&scene, &all, &drawn[..3], &[("published, last", last)])),
            (None, Some(published)) => {
                mean = all[0].mean();
                panels.push(curve(&scene, &all, &drawn[..3], &[("published, mean", published)]));
            }
            (None, None) if scene.name.starts_with("section") => panels.push(curve(&scene, &all, &drawn[..3], &[])),
            (None, None) => {}
        }
        all_rows.extend(rows(&scene, &all));
    }
    let line = |name: &str, colour, dashed, points| Series { name: name.into(), colour, dashed, points };
    let series = vec![
        line("default", 0, false, last_cycles),
        line("as published", 1, false, as_published),
        line("published", 4, true, vec![(336.0, 11.0), (1056.0, 16.0), (1920.0, 24.0), (7936.0, 70.0)]),
    ];
    panels.insert(
        0,
        Plot {
            title: "Fig. 7: two spheres in contact".into(),
            measure: "milliseconds of the last cycle".into(),
            chart: Chart::Lines { x_label: "triangles of both".into(), series },
        },
    );
    let sizes = if options.quick { &SIZES[..2] } else { &SIZES[..] };
    let random = &mut Random::new(options.seed, 9002);
    let within = largest(&FaceOctreeOptions::default(), sizes, random)?;
    let within_published = largest(&published_options(), sizes, random)?;
    let goals = vec![
        Goal { goal: "no last cycle slower than published".into(), seen: json!(slower), met: slower == 0 },
        Goal {
            goal: "mean of the interactive scene at most the published 11.5 ms".into(),
            seen: json!(rounded(mean, 4)),
            met: mean <= 11.5,
        },
        Goal {
            goal: "octree update at least 5 times slower than faces (published 14.6)".into(),
            seen: json!(rounded(ratio, 2)),
            met: ratio >= 5.0,
        },
        Goal {
            goal: "more than the published 5,936 triangles within 100 ms".into(),
            seen: json!(within[0]),
            met: within[0].is_some_and(|count| count > 5_936),
        },
    ];
    let title = "Face octrees on the scenes of Kitamura et al.".into();
    let measure = "beside the published figures of an SGI Indigo2".into();
    let more = vec![
        ("largest_n_within_100_16_1_ms", json!(within)),
        ("largest_n_as_published", json!(within_published)),
        ("published_n_within_100_ms", json!(5_936)),
        ("octree_update_ratio", json!(rounded(ratio, 2))),
        ("published_octree_update_ratio", json!(14.6)),
    ];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let plot = Some(Plot { title, measure, chart: Chart::Stack(panels) });
    Ok(Report { more, goals, plot, ..Report::plain(EXPERIMENT.name, all_rows, cases, threads) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert!(report.rows.len() > 100 && report.cases > 500, "{} {}", report.rows.len(), report.cases);
        assert!(report.plot.is_some() && report.goals.len() == 4);
    }

    #[test]
    fn approaching_bodies_meet_in_the_last_cycle() {
        let random = &mut Random::new(1, 1);
        let scene = approach("", vec![venus(), shuttle()], &[], 5, Published::default(), random).unwrap();
        let mut octree = FaceOctree::default();
        let counts: Vec<usize> = (0..5).map(|cycle| octree.pairs(&scene.bodies(cycle)).unwrap().len()).collect();
        assert!(counts[4] > 0 && counts[0] == 0, "{counts:?}");
    }
}
