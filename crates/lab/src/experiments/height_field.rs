//! Rays and wheels on large terrain, raced against parry's height field where that is feasible.
//!
//! The large field has 10,000 x 10,000 cells and no peer: parry holds heights as eight-byte numbers with a status for
//! each cell, and walks a ray cell by cell through the whole height of the field. The race is on 1024 x 1024 cells,
//! with the same heights and, since a power of two of cells of size 1 is not rounded, exactly the same triangles. Rays:
//! - `vertical`: down, from anywhere above;
//! - `slanted`: down at 20 to 70 degrees, from above;
//! - `grazing`: within a degree of level, from above the ground near one side, inwards across the field.
//!
//! Every answer is checked apart from the timing, with `contains`, which is exact and knows no rays: the start is not
//! in the ground, nor is any of 64 points before `lower`; the points just before and just after the bracket are on
//! different sides. A vertical ray and a wheel are held against `height_at` too, rays against parry. What allocates is
//! wrong.

use std::hint::black_box;
use std::time::Instant;

use clearance::glam::{DVec2, DVec3};
use clearance::shape::{HeightField, SurfaceHit, Wheel, WheelContact};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::tally::{Tally, least_ratio, mean_ratio};
use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race};
use crate::models::Random;
use crate::peers::{HOW_TO_ENABLE, ParryTerrain, time_tolerance};
use crate::report::{Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "height-field",
    about: "rays and wheels on terrain of 10,000 x 10,000 cells; 1024 x 1024 against parry (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Half the difference between the highest and the lowest place is about this, in cells.
const RELIEF: f64 = 20.0;

/// Hills of several sizes and rough ground: heights at `points` x `points` places, row by row.
fn terrain(points: usize, random: &mut Random) -> Vec<f32> {
    // Wave lengths in cells and their shares of the relief; each wave is a product of one along x and one along y.
    let waves = [(700.0, 0.5), (190.0, 0.3), (43.0, 0.15), (11.0, 0.04)];
    let mut tables: Vec<[Vec<f32>; 2]> = Vec::with_capacity(waves.len());
    for (length, share) in waves {
        let mut table = |amplitude: f64| -> Vec<f32> {
            let phase = random.between(0.0, std::f64::consts::TAU);
            let step = std::f64::consts::TAU / (length * random.between(0.9, 1.1));
            (0..points).map(|i| (amplitude * (phase + step * i as f64).sin()) as f32).collect()
        };
        tables.push([table(RELIEF * share), table(1.0)]);
    }
    let mut heights = Vec::with_capacity(points * points);
    for row in 0..points {
        for column in 0..points {
            let hills: f32 = tables.iter().map(|[x, y]| x[column] * y[row]).sum();
            let rough = (random.bits() >> 40) as f32 / (1 << 24) as f32;
            heights.push(hills + 0.2 * rough);
        }
    }
    heights
}

/// How the rays of a row run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vertical,
    Slanted,
    Grazing,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Vertical, Kind::Slanted, Kind::Grazing];

    fn name(self) -> &'static str {
        match self {
            Kind::Vertical => "vertical",
            Kind::Slanted => "slanted",
            Kind::Grazing => "grazing",
        }
    }

    /// Rays of the kind, by origin and direction of unit length.
    fn rays(self, field: &HeightField, count: usize, random: &mut Random) -> Vec<[DVec3; 2]> {
        let bounds = field.surface_bounds();
        let (size, top) = (bounds.max.x, bounds.max.z);
        let mut rays = Vec::with_capacity(count);
        while rays.len() < count {
            let angle = random.between(0.0, std::f64::consts::TAU);
            let level = DVec2::new(angle.cos(), angle.sin());
            let (x, y) = (random.between(0.0, size), random.between(0.0, size));
            rays.push(match self {
                Kind::Vertical => [DVec3::new(x, y, top + random.between(1.0, 100.0)), -DVec3::Z],
                Kind::Slanted => {
                    let descent = random.between(20.0, 70.0_f64).to_radians();
                    let direction = (level * descent.cos()).extend(-descent.sin());
                    [DVec3::new(x, y, top + random.between(1.0, 100.0)), direction]
                }
                Kind::Grazing => {
                    // In along x or y from within the first hundredth of the field, and up to 45 degrees off.
                    let off = random.between(-1.0, 1.0);
                    let (start, level) = if random.bits() & 1 == 0 {
                        (DVec2::new(0.01 * x, y), DVec2::new(1.0, off))
                    } else {
                        (DVec2::new(x, 0.01 * y), DVec2::new(off, 1.0))
                    };
                    let Some(ground) = field.height_at(start.x, start.y) else { continue };
                    let slope = random.between(-1.0, 1.0_f64).to_radians().tan();
                    let origin = start.extend(ground.height.upper.max(0.5 * top) + random.between(0.1, 5.0));
                    [origin, level.normalize().extend(slope).normalize()]
                }
            });
        }
        rays
    }
}

/// A ray against our field.
fn cast(field: &HeightField, [origin, direction]: &[DVec3; 2]) -> Result<Option<SurfaceHit>, clearance::Error> {
    field.ray_cast(*origin, *direction, 0.0, f64::INFINITY)
}

/// What is wrong with the answer to a ray that starts above the ground.
fn ray_faults(field: &HeightField, ray: &[DVec3; 2], hit: Option<&SurfaceHit>) -> Vec<&'static str> {
    let [origin, direction] = *ray;
    let at = |t: f64| origin + t * direction;
    let mut faults = Vec::new();
    let bounds = field.surface_bounds();
    // A miss has left the field when it has gone as far as its diagonal and the way down to its box.
    let end = match hit {
        Some(hit) => hit.t.lower,
        None => bounds.size().length() + origin.z - bounds.min.z,
    };
    // A point `at(t)` is off by one rounding of the product and one of the sum in each coordinate; across the surface
    // this counts in full where the ray is level, and over the ray's speed towards it. Twice that is beyond it.
    let scale = origin.abs().max_element() + end;
    if (0..64).any(|k| field.contains(at(end * f64::from(k) / 64.0) + 4.0 * f64::EPSILON * scale * DVec3::Z)) {
        faults.push("in the ground before the hit");
    }
    let Some(hit) = hit else { return faults };
    if !(hit.t.lower <= hit.t.value && hit.t.value <= hit.t.upper) {
        faults.push("bracket out of order");
    }
    let closing = hit.normal.dot(direction).abs();
    let slack = 8.0 * f64::EPSILON * scale / closing;
    // Where the ray is about to leave the triangle the other side need not be reached: the ground ends or turns.
    let cell = |point: DVec3| (point.x.floor(), point.y.floor());
    if slack < 1e-6 && cell(at(hit.t.lower - slack)) == cell(at(hit.t.upper + slack)) {
        if field.contains(at(hit.t.lower - slack)) {
            faults.push("in the ground just before the bracket");
        }
        let diagonal = (hit.point.x - hit.point.x.floor()) - (hit.point.y - hit.point.y.floor());
        if diagonal.abs() > 1e-6 && !field.contains(at(hit.t.upper + slack)) {
            faults.push("not in the ground just after the bracket");
        }
    }
    if direction == -DVec3::Z {
        match field.height_at(origin.x, origin.y) {
            Some(ground)
                if origin.z - hit.t.lower >= ground.height.lower && origin.z - hit.t.upper <= ground.height.upper => {}
            // The subtraction here rounds once.
            Some(ground) if (origin.z - hit.t.value - ground.height.value).abs() <= 2.0 * f64::EPSILON * scale => {}
            _ => faults.push("a vertical ray contradicts height_at"),
        }
    }
    faults
}

/// Checks every ray, without a clock.
fn check_rays(field: &HeightField, rays: &[[DVec3; 2]], peer: Option<&ParryTerrain>) -> Result<(Tally, u64), LabError> {
    let (mut tally, mut hits) = (Tally::default(), 0);
    for (number, ray) in rays.iter().enumerate() {
        let answer = cast(field, ray)?;
        tally.answers.note(&number, &answer);
        hits += u64::from(answer.is_some());
        let mut faults = ray_faults(field, ray, answer.as_ref());
        if let Some(peer) = peer {
            let (agrees, difference) = match (&answer, peer.cast(number)) {
                (None, None) => (true, None),
                (Some(hit), Some(t)) => {
                    let [origin, direction] = ray;
                    let tolerance = time_tolerance(t, origin.length() + t, hit.normal.dot(*direction).abs());
                    let agrees = hit.t.lower - tolerance <= t && t <= hit.t.upper + tolerance;
                    (agrees, Some((t - hit.t.value) / hit.t.value))
                }
                _ => (false, None),
            };
            tally.note_parry(agrees || !faults.is_empty(), difference);
        }
        let (_, allocations) = allocation::count(|| black_box(cast(field, ray)));
        tally.allocations += allocations;
        if allocations > 0 {
            faults.push("the query allocates");
        }
        tally.note(faults);
    }
    Ok((tally, hits))
}

/// A row of rays.
fn ray_row(
    name: &str,
    field: &HeightField,
    kind: Kind,
    peer: Option<&mut ParryTerrain>,
    plan: Plan,
    random: &mut Random,
) -> Result<(Row, Timing), LabError> {
    let rays = kind.rays(field, plan.queries, random);
    let peer = peer.map(|peer| {
        peer.set_rays(&rays);
        &*peer
    });
    let (tally, hits) = check_rays(field, &rays, peer)?;
    let ours = |number: usize| {
        let _ = black_box(cast(field, black_box(&rays[number])));
    };
    let theirs = peer.map(|peer| {
        move |number: usize| {
            black_box(peer.cast(black_box(number)));
        }
    });
    let timing = race(plan, ours, theirs);
    let own = vec![("hits", json!(hits)), ("per_second", per_second(&timing))];
    Ok((tally.row(format!("{name} {} rays", kind.name()), &timing, plan.queries, own), timing))
}

/// Questions per second at the median time.
fn per_second(timing: &Timing) -> Value {
    json!((1e9 / timing.ours.median).round())
}

/// What is wrong with the clearance of a wheel that stands upright.
fn wheel_faults(field: &HeightField, wheel: &Wheel, contact: Option<&WheelContact>) -> Vec<&'static str> {
    let (Some(contact), Some(ground)) = (contact, field.height_at(wheel.center.x, wheel.center.y)) else {
        return vec!["no ground below a wheel on the field"];
    };
    // The two subtractions here round once each; the brackets contain the rest.
    let lower = wheel.center.z - ground.height.upper - wheel.radius;
    let upper = wheel.center.z - ground.height.lower - wheel.radius;
    let slack = 2.0 * f64::EPSILON * (wheel.center.z.abs() + ground.height.value.abs() + wheel.radius);
    let ordered =
        contact.clearance.lower <= contact.clearance.value && contact.clearance.value <= contact.clearance.upper;
    if ordered && contact.clearance.lower <= upper + slack && lower - slack <= contact.clearance.upper {
        Vec::new()
    } else {
        vec!["the clearance of a wheel contradicts height_at"]
    }
}

/// The row of wheels: upright, from half a cell above the ground to half a cell sunk in.
fn wheel_row(name: &str, field: &HeightField, plan: Plan, random: &mut Random) -> Result<(Row, Timing), LabError> {
    let size = field.surface_bounds().max.x;
    let mut wheels = Vec::with_capacity(plan.queries);
    while wheels.len() < plan.queries {
        let (x, y) = (random.between(0.0, size), random.between(0.0, size));
        let Some(ground) = field.height_at(x, y) else { continue };
        wheels.push(Wheel { center: DVec3::new(x, y, ground.height.value + random.between(-0.5, 1.5)), radius: 0.5 });
    }
    let mut tally = Tally::default();
    for (number, wheel) in wheels.iter().enumerate() {
        let (answer, allocations) = allocation::count(|| field.wheel_on_terrain(wheel, DVec3::Z));
        let answer = answer?;
        tally.answers.note(&number, &answer);
        let mut faults = wheel_faults(field, wheel, answer.as_ref());
        tally.allocations += allocations;
        if allocations > 0 {
            faults.push("the query allocates");
        }
        tally.note(faults);
    }
    let ours = |number: usize| {
        let _ = black_box(field.wheel_on_terrain(black_box(&wheels[number]), DVec3::Z));
    };
    let timing = race(plan, ours, None::<fn(usize)>);
    let own = vec![("hits", json!(wheels.len())), ("per_second", per_second(&timing))];
    Ok((tally.row(format!("{name} wheels"), &timing, plan.queries, own), timing))
}

/// Memory that the process holds, in bytes; `None` where the system does not say.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// A field with what making it took: seconds, and bytes of memory for heights and pyramid.
struct Built {
    field: HeightField,
    seconds: f64,
    bytes: Option<u64>,
}

impl Built {
    fn new(cells: usize, random: &mut Random) -> Result<Built, clearance::Error> {
        let before = resident();
        let heights = terrain(cells + 1, random);
        let begun = Instant::now();
        let field = HeightField::new(cells + 1, cells + 1, DVec2::ONE, heights)?;
        let seconds = begun.elapsed().as_secs_f64();
        let bytes = resident().zip(before).map(|(after, before)| after.saturating_sub(before));
        Ok(Built { field, seconds, bytes })
    }

    /// The rows of construction and memory.
    fn rows(&self, name: &str) -> Vec<Row> {
        let row = |said: &str, ours: f64, unit, answers| Row {
            case: format!("{name} {said}"),
            ours,
            unit,
            peer: None,
            wrong: 0,
            answers,
            more: vec![],
        };
        let (milliseconds, bounds) = (rounded(self.seconds * 1e3, 3), Digest::of(&self.field.surface_bounds()));
        let mut rows = vec![row("construction, heights given", milliseconds, "ms", bounds)];
        let megabytes = self.bytes.map(|bytes| rounded(bytes as f64 / 1e6, 3));
        // Memory is not an answer.
        rows.extend(megabytes.map(|size| row("memory, heights included", size, "MB", Digest::default())));
        rows
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let (large, raced, plan) = if options.quick {
        (512, 256, Plan { queries: 50, batch: 25, repeats: 3 })
    } else {
        (10_000, 1024, Plan { queries: 1000, batch: 100, repeats: 15 })
    };
    let progress = ProgressBar::new(8);
    let mut random = Random::new(options.seed, 4000);
    let mut rows = Vec::new();

    let name = format!("{large} x {large}");
    let built = Built::new(large, &mut random)?;
    rows.extend(built.rows(&name));
    progress.inc(1);
    for kind in Kind::ALL {
        rows.push(ray_row(&name, &built.field, kind, None, plan, &mut random)?.0);
        progress.inc(1);
    }
    rows.push(wheel_row(&name, &built.field, plan, &mut random)?.0);
    progress.inc(1);
    drop(built);

    let name = format!("{raced} x {raced}");
    let built = Built::new(raced, &mut random)?;
    rows.extend(built.rows(&name));
    let mut peer = ParryTerrain::new(raced + 1, built.field.heights());
    let mut timings = Vec::new();
    for kind in Kind::ALL {
        let (row, timing) = ray_row(&name, &built.field, kind, peer.as_mut(), plan, &mut random)?;
        rows.push(row);
        timings.push(timing);
        progress.inc(1);
    }
    progress.finish_and_clear();
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        // Three kinds of ray on two fields, and wheels on one.
        cases: 7 * plan.queries as u64,
        more: vec![
            ("mean_ratio", json!(mean_ratio(timings.iter()))),
            ("least_ratio", json!(least_ratio(timings.iter()))),
        ],
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use clearance::Bracket;

    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let json = report.to_json();
        assert_eq!(json["summary"]["cases"], 350);
        let raced = json["rows"].as_array().unwrap().iter().filter(|row| row.get("peer").is_some()).count();
        assert_eq!(raced, if cfg!(feature = "peers") { 3 } else { 0 });
    }

    #[test]
    fn a_bent_answer_is_found_out() {
        let mut random = Random::new(1, 0);
        let field = Built::new(64, &mut random).unwrap().field;
        for kind in Kind::ALL {
            let rays = kind.rays(&field, 20, &mut random);
            let (ray, hit) = rays.iter().find_map(|ray| Some((ray, cast(&field, ray).unwrap()?))).unwrap();
            assert_eq!(ray_faults(&field, ray, Some(&hit)), Vec::<&str>::new(), "{kind:?}");
            let moved = |by: f64| SurfaceHit {
                t: Bracket { value: hit.t.value + by, lower: hit.t.lower + by, upper: hit.t.upper + by },
                ..hit
            };
            assert!(!ray_faults(&field, ray, Some(&moved(-1e-4))).is_empty(), "{kind:?}");
            assert!(!ray_faults(&field, ray, Some(&moved(1e-4))).is_empty(), "{kind:?}");
        }
        let wheel = Wheel { center: DVec3::new(9.5, 3.25, 30.0), radius: 0.5 };
        let contact = field.wheel_on_terrain(&wheel, DVec3::Z).unwrap().unwrap();
        assert!(wheel_faults(&field, &wheel, Some(&contact)).is_empty());
        let other = Wheel { radius: 0.6, ..wheel };
        assert!(!wheel_faults(&field, &other, Some(&contact)).is_empty());
    }
}
