//! How much two solids have in common: against exact rational arithmetic on small ones, and the time on large ones.
//!
//! Small: boxes, corners and stars of eight triangles, mostly not convex, in random poses, at several sizes and far
//! from the origin, and against themselves in the same pose and shifted, so that faces coincide. `wrong` counts
//! brackets that do not hold the exact volume, middles farther off than stated, and answers that `Volume::verify`
//! refuses; `widest` is the widest bracket, in parts of the size cubed.
//!
//! Large: bumpy spheres and tori that cross, and of the smaller sizes another proof. `growth` is by what power of the
//! number of triangles the time grows from one row to the next: 1 is linear. With `--data` also the closed models of
//! the folder, each against itself turned.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::generate::{bumpy_sphere, torus};
use crate::meshes::{Model, into_unit_cube, read_folder};
use crate::report::{Provenance, Report, Row, rounded};
use clearance::answer::Volume;
use clearance::glam::{DQuat, DVec3};
use clearance::{Mesh, Pose, Shape, overlap_volume};
use clearance_oracle::random::Random;
use clearance_oracle::rational::{Rational, Vector, add, matrix_times, vector};
use clearance_oracle::volume::shared_volume;
use serde_json::json;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "volume",
    about: "overlap volumes: brackets against rational arithmetic, time on pairs of up to 100k triangles each, growth",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

const OCTAHEDRON: [[u32; 3]; 8] =
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// Answers about larger pairs are proved again up to this many triangles each.
const PROVED: usize = 2000;

/// A star: an octahedron with its corners at random distances.
fn star(random: &mut Random, size: f64) -> Vec<[f64; 3]> {
    (0..6)
        .map(|k| {
            let mut point = [0.0; 3];
            point[k / 2] = size * random.uniform(0.1, 1.0) * if k % 2 == 0 { 1.0 } else { -1.0 };
            point
        })
        .collect()
}

fn solid(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Shape, LabError> {
    Mesh::new(points, triangles).and_then(|mesh| mesh.solid()).map(Shape::Mesh).map_err(LabError::from)
}

/// The corners in the world, exactly; `None` if a number is not finite.
fn world(points: &[[f64; 3]], pose: &Pose) -> Option<Vec<Vector>> {
    let rows = [0, 1, 2].map(|k| vector(pose.rotation().row(k).to_array()));
    let [Some(x), Some(y), Some(z)] = rows else { return None };
    let (rows, at) = ([x, y, z], vector(pose.translation().to_array())?);
    points.iter().map(|&p| Some(add(&matrix_times(&rows, &vector(p)?), &at))).collect()
}

/// Whether an answer holds the exact volume and middle of two stars.
fn holds(answer: &Volume, a: (&[[f64; 3]], &Pose), b: (&[[f64; 3]], &Pose)) -> bool {
    let (Some(in_a), Some(in_b)) = (world(a.0, a.1), world(b.0, b.1)) else { return false };
    let truth = shared_volume((&in_a, &OCTAHEDRON), (&in_b, &OCTAHEDRON));
    let (Some(lower), Some(upper)) = (Rational::from_f64(answer.volume.lower), Rational::from_f64(answer.volume.upper))
    else {
        return false;
    };
    let Some(centroid) = answer.centroid else { return lower <= truth.volume && truth.volume <= upper };
    let off = (0..3).map(|k| {
        let exact = &truth.first[k] / &truth.volume;
        Rational::from_f64(centroid[k]).map_or(f64::INFINITY, |c| (&exact - &c).to_f64().powi(2))
    });
    let near = off.sum::<f64>().sqrt() <= answer.centroid_off * (1.0 + 1e-15);
    lower <= truth.volume && truth.volume <= upper && near
}

/// Small solids against rational arithmetic: in any pose, in the same pose, and shifted.
fn small(cases: usize, seed: u64) -> Result<Vec<Row>, LabError> {
    let mut rows = Vec::new();
    for (case, far) in [("stars", 0.0), ("stars at 1e7", 1e7)] {
        let mut random = Random::new(seed);
        let (mut wrong, mut widest, mut times, mut answers) = (0u64, 0.0f64, Vec::new(), Digest::default());
        for k in 0..cases {
            let size = [1.0, 1e-6, 1e6][k % 3];
            let (a, b) = (star(&mut random, size), star(&mut random, size));
            let mut pose = || {
                let turn = DQuat::from_axis_angle(DVec3::from_array(random.direction()), random.uniform(0.0, 3.0));
                let place = DVec3::from_array(random.in_cube(0.3)) + DVec3::splat(far);
                Pose::from_quat(turn, place * size).map_err(LabError::from)
            };
            let (pose_a, pose_b) = (pose()?, pose()?);
            let shift = Pose::from_translation(DVec3::new(0.125, 0.0, 0.25) * size).map_err(LabError::from)?;
            let (shape_a, shape_b) = (solid(&a, &OCTAHEDRON)?, solid(&b, &OCTAHEDRON)?);
            for (other, points, pose_a, pose_b) in
                [(&shape_b, &b, pose_a, pose_b), (&shape_a, &a, pose_a, pose_a), (&shape_a, &a, Pose::IDENTITY, shift)]
            {
                let (answer, seconds) = timed(|| overlap_volume(&shape_a, &pose_a, other, &pose_b));
                let answer = answer.map_err(LabError::from)?;
                answers.push(&answer);
                times.push(1e6 * seconds);
                widest = widest.max((answer.volume.upper - answer.volume.lower) / size.powi(3));
                let proved = answer.verify(&shape_a, &pose_a, other, &pose_b).is_ok();
                wrong += u64::from(!proved || !holds(&answer, (&a, &pose_a), (points, &pose_b)));
            }
        }
        rows.push(Row {
            case: case.to_owned(),
            ours: rounded(median(times), 1),
            unit: "us",
            peer: None,
            wrong,
            answers,
            more: vec![("cases", json!(3 * cases)), ("widest", json!(widest))],
        });
    }
    Ok(rows)
}

/// One large pair: the median time of a few runs, and whether the answer holds together.
fn large(name: String, a: &Shape, b: &Shape, pose: &Pose, triangles: usize) -> Result<(Row, f64), LabError> {
    let ask = || timed(|| overlap_volume(a, &Pose::IDENTITY, b, pose));
    let (first, _) = ask();
    let answer = first.map_err(LabError::from)?;
    let mut times = Vec::new();
    let mut wrong = 0;
    for _ in 0..3 {
        let (again, seconds) = ask();
        times.push(1e3 * seconds);
        wrong += u64::from(again != Ok(answer));
    }
    let swapped = overlap_volume(b, pose, a, &Pose::IDENTITY);
    wrong += u64::from(swapped != Ok(answer));
    let most = a.mass_properties().volume.min(b.mass_properties().volume);
    wrong += u64::from(answer.volume.lower > most * (1.0 + 1e-9));
    if triangles <= PROVED {
        wrong += u64::from(answer.verify(a, &Pose::IDENTITY, b, pose).is_err());
    }
    let milliseconds = median(times);
    let more = vec![
        ("triangles", json!(triangles)),
        ("volume", json!(answer.volume.value)),
        ("width", json!(answer.volume.upper - answer.volume.lower)),
        ("area", json!(answer.area.value)),
        ("area_width", json!(answer.area.upper - answer.area.lower)),
    ];
    let (ours, answers) = (rounded(milliseconds, 2), Digest::of(&answer));
    Ok((Row { case: name, ours, unit: "ms", peer: None, wrong, answers, more }, milliseconds))
}

/// Makes a model of about so many triangles.
type Make = fn(usize) -> Model;

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let mut rows = small(if options.quick { 3 } else { 60 }, options.seed)?;
    let turned = |angle: f64| {
        Pose::from_axis_angle(DVec3::new(0.4, -0.3, 0.8), angle, DVec3::new(0.6, 0.35, 0.2)).map_err(LabError::from)
    };
    let sizes: &[usize] = if options.quick { &[200, 1000] } else { &[1000, 10_000, 100_000] };
    let kinds: [(&str, Make); 2] = [("bumpy spheres", bumpy_sphere), ("tori", torus)];
    for (kind, make) in kinds {
        let mut before: Option<(f64, f64)> = None;
        for &size in sizes {
            let model = make(size);
            let count = model.triangles.len();
            let body = solid(&model.points, &model.triangles)?;
            let (mut row, time) = large(format!("{kind}, {count} triangles"), &body, &body, &turned(0.9)?, count)?;
            let growth = before.map(|(count_before, before)| (time / before).ln() / (count as f64 / count_before).ln());
            before = Some((count as f64, time));
            row.more.extend(growth.map(|growth| ("growth", json!(rounded(growth, 2)))));
            rows.push(row);
        }
        // The same body twice: every triangle coincides with another.
        let model = make(if options.quick { 200 } else { 10_000 });
        let body = solid(&model.points, &model.triangles)?;
        let count = model.triangles.len();
        rows.push(large(format!("{kind}, {count} triangles, identical"), &body, &body, &Pose::IDENTITY, count)?.0);
    }
    if let Some(folder) = &options.data {
        for mut model in read_folder(folder)? {
            into_unit_cube(&mut model);
            // Surfaces that are not closed have no volume.
            if let Ok(body) = solid(&model.points, &model.triangles) {
                let count = model.triangles.len();
                let pose = Pose::from_axis_angle(DVec3::new(0.4, -0.3, 0.8), 0.9, DVec3::new(0.1, 0.05, 0.02));
                rows.push(large(model.name, &body, &body, &pose.map_err(LabError::from)?, count)?.0);
            }
        }
    }
    let cases = rows.len() as u64;
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows,
        cases,
        more: Vec::new(),
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn brackets_hold_and_answers_are_proved() {
        let report = crate::experiments::quick(super::run);
        assert_eq!(report.rows.len(), 8);
    }
}
