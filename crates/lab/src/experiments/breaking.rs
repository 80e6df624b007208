//! Bodies that break: the scenes of Govindaraju, Lin and Manocha (*Fast and Reliable Collision Culling using Graphics
//! Hardware*, 2004), with its figures beside ours: milliseconds a frame, and pairs of bodies.
//!
//! *Breaking*: a body of some 35,000 triangles falls on one of some 112,000, which breaks into more and more pieces,
//! its triangles by the nearest of random points, hundreds in the end, which fly apart. *Leaves*: 150 leaves of 156
//! triangles fall through a tree, rolling up as they do, some 40,000 triangles in all. The models are stand-ins: a
//! bumpy sphere for the dragon and for the bunny, a lattice of pipes for the tree. The paper's figures are of a GeForce
//! FX 5950, for the pairs of bodies that its culling leaves over; ours find all pairs of triangles that meet, exactly.
//!
//! A frame is timed whole: moving the points of the bodies that move, breaking, and all pairs. The same frames are
//! asked of a `FaceOctree`, which keeps nothing; both have to find the same pairs. `box_pairs` are pairs of bodies
//! whose boxes overlap, summed over the frames, `near_pairs` those with triangles whose boxes overlap, `meeting_pairs`
//! those that meet; the paper's culling leaves over 6.9 times fewer pairs than boxes of bodies.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::meshes::Model;
use crate::meshes::generate::bumpy_sphere;
use crate::meshes::objects::leaf;
use crate::meshes::scenery::pipes;
use crate::models::Random;
use crate::plot::{Chart, Plot, Series};
use crate::report::{Goal, Report, Row, rounded};
use clearance::deforming::{BodyFaces, FaceOctree, FacePair, Scene};
use clearance::glam::{DQuat, DVec3};
use serde_json::json;
use std::collections::BTreeMap;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "breaking",
    about: "112,000 triangles break into hundreds of bodies, 150 leaves fall: time a frame beside published figures",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Triangles of the body that breaks, of the one that falls on it, and of the tree.
const DRAGON: usize = 112_000;
const BUNNY: usize = 35_000;
const TREE: usize = 17_000;
const LEAVES: usize = 150;
/// Pieces at the end.
const PIECES: usize = 400;
/// Times in which the largest number of leaves is sought, in milliseconds.
const BUDGETS: [f64; 3] = [100.0, 16.0, 1.0];

/// What is between two frames: bodies by their numbers of the scene.
#[derive(Default)]
struct Change {
    moved: Vec<(u32, Vec<[f64; 3]>)>,
    /// A body, and the piece of each of its triangles.
    broken: Vec<(u32, Vec<u32>)>,
}

/// A frame as measured.
struct Frame {
    bodies: usize,
    /// Milliseconds of the scene, and of the face octree.
    scene: f64,
    octree: f64,
    pairs: usize,
    box_pairs: u64,
    near_pairs: u64,
    meeting_pairs: u64,
    wrong: bool,
    broke: bool,
}

/// All bodies as they are, with how fast they fly and turn.
struct Body {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    velocity: DVec3,
    spin: DVec3,
}

impl Body {
    fn middle(&self) -> DVec3 {
        self.points.iter().map(|&point| DVec3::from(point)).sum::<DVec3>() / self.points.len().max(1) as f64
    }

    /// Moved by a frame.
    fn step(&mut self) {
        let (middle, turn) = (self.middle(), DQuat::from_scaled_axis(self.spin));
        for point in &mut self.points {
            *point = (middle + self.velocity + turn * (DVec3::from(*point) - middle)).to_array();
        }
    }
}

/// The scene, a mirror of its bodies, and what was found.
struct Film {
    scene: Scene,
    octree: FaceOctree,
    bodies: BTreeMap<u32, Body>,
    frames: Vec<Frame>,
    answers: Digest,
}

impl Film {
    fn new(models: &[Model]) -> Result<Film, LabError> {
        let mut scene = Scene::default();
        let bodies: Vec<BodyFaces<'_>> =
            models.iter().map(|model| BodyFaces { points: &model.points, triangles: &model.triangles }).collect();
        let numbers = scene.insert_all(&bodies)?;
        let body = |model: &Model| Body {
            points: model.points.clone(),
            triangles: model.triangles.clone(),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        let bodies = numbers.into_iter().zip(models.iter().map(body)).collect();
        Ok(Film { scene, octree: FaceOctree::default(), bodies, frames: Vec::new(), answers: Digest::default() })
    }

    /// Makes a change and asks for all pairs.
    fn frame(&mut self, change: &Change) -> Result<(), LabError> {
        let scene = &mut self.scene;
        let (pieces, seconds) = timed(|| {
            for (number, points) in &change.moved {
                scene.move_to(*number, points)?;
            }
            let mut pieces = Vec::new();
            for (number, piece_of_face) in &change.broken {
                pieces.push((*number, scene.break_up(*number, piece_of_face)?));
            }
            scene.pairs();
            Ok::<_, LabError>(pieces)
        });
        for (number, pieces) in pieces? {
            let Some(whole) = self.bodies.remove(&number) else { continue };
            let centre = whole.middle();
            for piece in pieces {
                let faces = self.scene.body(piece.body)?;
                let (points, triangles) = (faces.points.to_vec(), faces.triangles.to_vec());
                let mut body = Body { points, triangles, velocity: whole.velocity, spin: whole.spin };
                let out = (body.middle() - centre).normalize_or_zero();
                body.velocity += 0.012 * out;
                body.spin += 0.01 * out.any_orthonormal_vector();
                self.bodies.insert(piece.body, body);
            }
        }
        let pairs = self.scene.pairs().to_vec();
        let counts = *self.scene.counts();
        let bodies: Vec<BodyFaces<'_>> =
            self.bodies.values().map(|body| BodyFaces { points: &body.points, triangles: &body.triangles }).collect();
        let octree = &mut self.octree;
        let (found, octree_seconds) = timed(|| octree.pairs(&bodies).map(<[FacePair]>::len));
        found?;
        let numbers: Vec<u32> = self.bodies.keys().copied().collect();
        let number = |body: u32| numbers[body as usize];
        let same = self.octree.pairs(&bodies)?.iter().zip(&pairs).all(|(theirs, ours)| {
            *ours == FacePair { body_a: number(theirs.body_a), body_b: number(theirs.body_b), ..*theirs }
        });
        let list: Vec<[u32; 4]> = pairs.iter().map(|p| [p.body_a, p.face_a, p.body_b, p.face_b]).collect();
        self.answers.push(&list);
        self.frames.push(Frame {
            bodies: self.bodies.len(),
            scene: 1e3 * seconds,
            octree: 1e3 * octree_seconds,
            pairs: pairs.len(),
            box_pairs: counts.box_pairs,
            near_pairs: counts.near_pairs,
            meeting_pairs: counts.meeting_pairs,
            wrong: !same || self.octree.pairs(&bodies)?.len() != pairs.len(),
            broke: !change.broken.is_empty(),
        });
        Ok(())
    }

    fn triangles(&self) -> usize {
        self.bodies.values().map(|body| body.triangles.len()).sum()
    }
}

/// The pieces of a body by the nearest of so many points within its box.
fn pieces(body: &Body, count: usize, random: &mut Random) -> Vec<u32> {
    let corners = || body.points.iter().map(|&point| DVec3::from(point));
    let (low, high) = (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max));
    let mut point = || DVec3::new(random.between(0.0, 1.0), random.between(0.0, 1.0), random.between(0.0, 1.0));
    let seeds: Vec<DVec3> = (0..count).map(|_| low + (high - low) * point()).collect();
    let nearest = |corners: &[u32; 3]| {
        let middle = corners.iter().map(|&k| DVec3::from(body.points[k as usize])).sum::<DVec3>() / 3.0;
        let squared = |seed: usize| seeds[seed].distance_squared(middle);
        (0..count).min_by(|&a, &b| squared(a).total_cmp(&squared(b))).unwrap_or(0) as u32
    };
    body.triangles.iter().map(nearest).collect()
}

/// The bunny falls on the dragon, which breaks, and the largest pieces again and again.
fn breaking(quick: bool, random: &mut Random) -> Result<Film, LabError> {
    let (frames, scale) = if quick { (12, 40) } else { (80, 1) };
    let dragon = bumpy_sphere(DRAGON / scale);
    let mut bunny = bumpy_sphere(BUNNY / scale);
    bunny.points.iter_mut().for_each(|[x, y, z]| (*x, *y, *z) = (0.5 * *x, 0.5 * *y, 0.5 * *z + 1.9));
    let mut film = Film::new(&[dragon, bunny])?;
    let hit = frames / 6;
    if let Some(bunny) = film.bodies.get_mut(&1) {
        bunny.velocity = DVec3::new(0.0, 0.0, -0.5 / hit as f64);
    }
    let wanted = if quick { 40 } else { PIECES };
    for frame in 0..frames {
        let mut change = Change::default();
        if frame == hit {
            if let Some(dragon) = film.bodies.get(&0) {
                change.broken.push((0, pieces(dragon, wanted / 8, random)));
            }
        } else if frame > hit && frame % 3 == 0 && film.bodies.len() < wanted {
            // The largest pieces break again.
            let mut sizes: Vec<(usize, u32)> = film
                .bodies
                .iter()
                .filter(|(number, _)| **number > 1)
                .map(|(&n, body)| (body.triangles.len(), n))
                .collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            for &(size, number) in sizes.iter().take(wanted / 20).filter(|(size, _)| *size > 4) {
                change.broken.push((number, pieces(&film.bodies[&number], size.min(4), random)));
            }
        }
        for (&number, body) in &mut film.bodies {
            let breaks = change.broken.iter().any(|(broken, _)| *broken == number);
            if !breaks && (body.velocity, body.spin) != (DVec3::ZERO, DVec3::ZERO) {
                body.step();
                change.moved.push((number, body.points.clone()));
            }
        }
        film.frame(&change)?;
    }
    Ok(film)
}

/// Leaves fall through a tree and roll up.
fn falling_leaves(leaves: usize, tree: usize, frames: usize, seed: u64) -> Result<Film, LabError> {
    let random = &mut Random::new(seed, 9102);
    let shape = leaf();
    let mut models = vec![pipes(tree, seed)];
    let starts: Vec<(DVec3, DQuat)> = (0..leaves)
        .map(|_| {
            let [x, y] = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            (DVec3::new(x, y, random.between(-0.2, 1.2)), random.rotation())
        })
        .collect();
    let points = |number: usize, frame: usize| -> Vec<[f64; 3]> {
        let ((start, turn), time) = (starts[number], frame as f64);
        let phase = number as f64;
        let drift = DVec3::new(0.05 * (0.2 * time + phase).sin(), 0.05 * (0.17 * time + phase).cos(), -0.012 * time);
        let roll = 0.5 + 2.0 * (0.1 * time + phase).sin().abs();
        let own = |&[x, y, z]: &[f64; 3]| {
            // Bent along its length: not rigid.
            let (sin, cos) = (roll * x).sin_cos();
            let bent = DVec3::new(sin / roll, y, z + (1.0 - cos) / roll);
            (start + drift + turn * DQuat::from_rotation_z(0.03 * time) * (0.25 * bent)).to_array()
        };
        shape.points.iter().map(own).collect()
    };
    models.extend((0..leaves).map(|number| Model { points: points(number, 0), ..shape.clone() }));
    let mut film = Film::new(&models)?;
    for frame in 0..frames {
        let mut change = Change::default();
        for number in 0..leaves {
            let points = points(number, frame);
            if let Some(body) = film.bodies.get_mut(&(number as u32 + 1)) {
                body.points.clone_from(&points);
            }
            change.moved.push((number as u32 + 1, points));
        }
        film.frame(&change)?;
    }
    Ok(film)
}

fn mean(frames: &[Frame], of: impl Fn(&Frame) -> f64) -> f64 {
    frames.iter().map(of).sum::<f64>() / frames.len().max(1) as f64
}

fn worst(frames: &[Frame], of: impl Fn(&Frame) -> f64) -> f64 {
    frames.iter().map(of).fold(0.0, f64::max)
}

fn total(frames: &[Frame], of: impl Fn(&Frame) -> u64) -> u64 {
    frames.iter().map(of).sum()
}

/// Box pairs over pairs that are left.
fn fewer(frames: &[Frame], left: impl Fn(&Frame) -> u64) -> f64 {
    total(frames, |frame| frame.box_pairs) as f64 / total(frames, left).max(1) as f64
}

/// The row of some frames.
fn row(case: &str, film: &Film, frames: &[Frame], published: &str, answers: Digest) -> Row {
    let ours = mean(frames, |frame| frame.scene);
    Row {
        case: case.into(),
        ours: rounded(ours, 3),
        unit: "ms",
        peer: None,
        wrong: total(frames, |frame| u64::from(frame.wrong)),
        answers,
        more: vec![
            ("published_ms", json!(published)),
            ("worst_ms", json!(rounded(worst(frames, |frame| frame.scene), 3))),
            ("face_octree_ms", json!(rounded(mean(frames, |frame| frame.octree), 3))),
            ("frames", json!(frames.len())),
            ("triangles", json!(film.triangles())),
            ("bodies", json!(frames.last().map(|frame| frame.bodies))),
            ("pairs_a_frame", json!(rounded(mean(frames, |frame| frame.pairs as f64), 1))),
            ("box_pairs", json!(total(frames, |frame| frame.box_pairs))),
            ("near_pairs", json!(total(frames, |frame| frame.near_pairs))),
            ("meeting_pairs", json!(total(frames, |frame| frame.meeting_pairs))),
        ],
    }
}

fn curve(title: &str, film: &Film, published: &[(&str, f64)]) -> Plot {
    let points = |of: fn(&Frame) -> f64| {
        film.frames.iter().enumerate().map(|(number, frame)| ((number + 1) as f64, of(frame))).collect()
    };
    let last = film.frames.len() as f64;
    let line = |name: &str, colour, dashed, points| Series { name: name.into(), colour, dashed, points };
    let mut series = vec![
        line("scene", 0, false, points(|frame| frame.scene)),
        line("face octree", 1, false, points(|frame| frame.octree)),
    ];
    series.extend(published.iter().map(|&(name, ms)| line(name, 4, true, vec![(1.0, ms), (last, ms)])));
    let chart = Chart::Lines { x_label: "frame".into(), series };
    Plot { title: title.into(), measure: "milliseconds a frame".into(), chart }
}

fn pairs_curve(film: &Film) -> Plot {
    let points = |of: fn(&Frame) -> u64| {
        let of = |(number, frame): (usize, &Frame)| ((number + 1) as f64, of(frame).max(1) as f64);
        film.frames.iter().enumerate().map(of).collect()
    };
    let line = |name: &str, colour, points| Series { name: name.into(), colour, dashed: false, points };
    let series = vec![
        line("boxes of bodies", 0, points(|frame| frame.box_pairs)),
        line("boxes of triangles", 1, points(|frame| frame.near_pairs)),
        line("meet", 2, points(|frame| frame.meeting_pairs)),
    ];
    let chart = Chart::Lines { x_label: "frame".into(), series };
    Plot { title: "Breaking: pairs of bodies".into(), measure: "pairs left over".into(), chart }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let quick = options.quick;
    let broken = breaking(quick, &mut Random::new(options.seed, 9101))?;
    let (leaves, tree, frames) = if quick { (12, 1_000, 5) } else { (LEAVES, TREE, 60) };
    let falling = falling_leaves(leaves, tree, frames, options.seed)?;
    let mut largest = [None; 3];
    for count in [15, 50, 150, 500, 1_500, 5_000].into_iter().take(if quick { 1 } else { 6 }) {
        let film = falling_leaves(count, tree, 4, options.seed)?;
        let time = mean(&film.frames[1..], |frame| frame.scene);
        for (largest, budget) in largest.iter_mut().zip(BUDGETS) {
            if time <= budget {
                *largest = Some(film.triangles());
            }
        }
    }
    let rest: Vec<&Frame> = broken.frames.iter().filter(|frame| frame.bodies > 2).collect();
    let worst_break = rest.iter().filter(|frame| frame.broke).map(|frame| frame.scene).fold(0.0, f64::max);
    let slowest = worst(&broken.frames, |frame| frame.scene);
    let leaf_mean = mean(&falling.frames, |frame| frame.scene);
    let end = broken.frames.last().map_or(f64::NAN, |frame| frame.scene);
    let (left, met) =
        (fewer(&broken.frames, |frame| frame.near_pairs), fewer(&broken.frames, |frame| frame.meeting_pairs));
    let goal = |goal: &str, seen: f64, met: bool| Goal { goal: goal.into(), seen: json!(rounded(seen, 3)), met };
    let goals = vec![
        goal("breaking: no frame longer than the published 60 ms", slowest, slowest <= 60.0),
        goal("breaking: the last frame at most the published 50 ms", end, end <= 50.0),
        goal("leaves: at most the published 35 ms a frame", leaf_mean, leaf_mean <= 35.0),
        goal("breaking: at least 6.9 times fewer pairs of bodies that meet than boxes that overlap", met, met >= 6.9),
    ];
    let more = vec![
        ("slowest_frame_that_breaks_ms", json!(rounded(worst_break, 3))),
        ("box_pairs_per_near_pair", json!(rounded(left, 2))),
        ("box_pairs_per_meeting_pair", json!(rounded(met, 2))),
        ("published_box_pairs_per_pair", json!(6.9)),
        ("largest_n_within_100_16_1_ms", json!(largest)),
    ];
    let rows = vec![
        row("breaking: 112,000 hit by 35,000", &broken, &broken.frames, "30-60", broken.answers),
        row("leaves: 150 x 156 and a tree", &falling, &falling.frames, "35", falling.answers),
    ];
    let cases = (broken.frames.len() + falling.frames.len()) as u64;
    let panels = vec![
        curve("Breaking", &broken, &[("published, end", 50.0), ("published, begin", 35.0)]),
        pairs_curve(&broken),
        curve("Falling leaves", &falling, &[("published", 35.0)]),
    ];
    let title = "Bodies that break, leaves that fall".into();
    let measure = "beside the published figures of a GeForce FX 5950".into();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let plot = Some(Plot { title, measure, chart: Chart::Stack(panels) });
    Ok(Report { more, goals, plot, ..Report::plain(EXPERIMENT.name, rows, cases, threads) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!((report.rows.len(), report.cases), (2, 17));
        assert!(report.rows.iter().all(|row| row.ours > 0.0));
    }

    #[test]
    fn a_body_breaks_into_many() {
        let film = breaking(true, &mut Random::new(1, 1)).unwrap();
        let last = film.frames.last().unwrap();
        assert!(last.bodies > 20 && film.frames[0].bodies == 2, "{}", last.bodies);
        assert!(film.frames.iter().any(|frame| frame.pairs > 100));
    }
}
