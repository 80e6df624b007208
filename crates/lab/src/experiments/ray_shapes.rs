//! Rays and points against single bodies of every kind that parry has, raced against parry.
//!
//! `ray` rows: `ray_cast` against `cast_ray_and_get_normal`, on rays that start outside, sorted into hits and misses.
//! `closest` rows: `closest_point` of points outside, `depth` rows: `signed_distance` of points inside, both against
//! `project_point`; `contains` rows: points on either side, against `contains_point`. Every answer is checked apart
//! from the timing: `RayHit::verify` and `SignedDistance::verify`, no allocation, parry's answer, and, by code that
//! shares nothing with rays, whether the stretch of the ray near the body, as a segment, is apart from it or runs
//! through it (`relation`). `contains` is compared with the sign of `signed_distance`.

use std::hint::black_box;

use clearance::answer::{ClosestPoint, NoHit, RayHit, SignedDistance};
use clearance::glam::DVec3;
use clearance::query::RayOptions;
use clearance::{Pose, Ray, Relation, Shape, closest_point, contains, ray_cast, relation, signed_distance};
use indicatif::ProgressIterator;
use serde_json::json;

use super::tally::{Tally, least_ratio, mean_ratio};
use super::{Experiment, Flag, Options};
use crate::allocation;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race};
use crate::models::{Model, Placement, Random};
use crate::peers::{HOW_TO_ENABLE, ParryBody, length_tolerance, time_tolerance};
use crate::report::{Provenance, Report, Row};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ray-shapes",
    about: "rays, closest points, depth and containment for every kind of body that parry has (feature `peers`)",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// Rays start this many radii from the body, and the segment that stands for a ray is twice as long.
const START: f64 = 4.0;

/// The bodies, each about as large as the unit ball about its origin.
fn bodies(random: &mut Random) -> Result<Vec<(&'static str, Shape)>, clearance::Error> {
    let mut size = || random.between(0.4, 1.0);
    Ok(vec![
        ("ball", Shape::sphere(size())?),
        ("capsule", Shape::capsule(size(), 0.5 * size())?),
        ("cylinder", Shape::cylinder(size(), size())?),
        ("cone", Shape::cone(size(), size())?),
        ("box", Model::random_cuboid(random).shape()?),
        ("hull32", Model::random_hull(32, random).shape()?),
        ("hull256", Model::random_hull(256, random).shape()?),
        ("triangle", Shape::triangle(random.direction(), random.direction(), random.direction())?),
        ("half-space", Shape::half_space(DVec3::Z, 0.0)?),
    ])
}

/// A point of the box about a body; of the cube about the origin for a body without bounds.
fn near(shape: &Shape, stretch: f64, random: &mut Random) -> DVec3 {
    let mut unit = || random.between(-1.0, 1.0);
    let point = DVec3::new(unit(), unit(), unit()) * stretch;
    match shape {
        Shape::HalfSpace(_) => point,
        _ => shape.bounds().center() + point * 0.5 * shape.bounds().size(),
    }
}

/// How large a body is: its radius about its middle, 1 for a body without bounds.
fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::HalfSpace(_) => 1.0,
        _ => 0.5 * shape.bounds().size().length(),
    }
}

/// A body at many poses, with a ray or a point for each.
struct Scene<'s> {
    shape: &'s Shape,
    places: Vec<Placement>,
    poses: Vec<Pose>,
    rays: Vec<Ray>,
    points: Vec<DVec3>,
}

impl<'s> Scene<'s> {
    fn new(shape: &'s Shape) -> Scene<'s> {
        Scene { shape, places: Vec::new(), poses: Vec::new(), rays: Vec::new(), points: Vec::new() }
    }

    /// Rays that hit a body and rays that miss it, `count` of each.
    fn rays(shape: &'s Shape, count: usize, random: &mut Random) -> Result<[Scene<'s>; 2], clearance::Error> {
        let mut scenes = [Scene::new(shape), Scene::new(shape)];
        // The cap is for a body that no ray, or every ray, would hit.
        for _ in 0..1000 * count {
            if scenes.iter().all(|scene| scene.rays.len() == count) {
                break;
            }
            let place = Placement { rotation: random.rotation(), translation: random.direction() };
            let pose = place.pose()?;
            // From a sphere about the body at a point near it. A half-space is looked at from above only.
            let mut from = random.direction();
            if matches!(shape, Shape::HalfSpace(_)) {
                from.z = from.z.abs().max(0.3);
            }
            let origin = pose.transform_point(START * radius(shape) * from);
            let target = match shape {
                // At the plane, or away from it.
                Shape::HalfSpace(_) => origin + random.direction(),
                _ => pose.transform_point(near(shape, 1.3, random)),
            };
            let ray = Ray::between(origin, target)?;
            let scene = &mut scenes[usize::from(ray_cast(shape, &pose, &ray).is_err())];
            if scene.rays.len() < count {
                scene.places.push(place);
                scene.poses.push(pose);
                scene.rays.push(ray);
            }
        }
        Ok(scenes)
    }

    /// Points outside a body and points inside it, `count` of each; none inside a flat one.
    fn points(shape: &'s Shape, count: usize, random: &mut Random) -> Result<[Scene<'s>; 2], clearance::Error> {
        let mut scenes = [Scene::new(shape), Scene::new(shape)];
        let flat = matches!(shape, Shape::Triangle(_));
        for _ in 0..1000 * count {
            if scenes[0].points.len() == count && (flat || scenes[1].points.len() == count) {
                break;
            }
            let place = Placement { rotation: random.rotation(), translation: random.direction() };
            let pose = place.pose()?;
            let stretch = random.between(0.5, 3.0);
            let point = pose.transform_point(near(shape, stretch, random));
            let scene = &mut scenes[usize::from(contains(shape, &pose, point))];
            if scene.points.len() < count {
                scene.places.push(place);
                scene.poses.push(pose);
                scene.points.push(point);
            }
        }
        Ok(scenes)
    }

    /// The points of two scenes, by turns.
    fn mixed(shape: &'s Shape, scenes: &[Scene<'s>; 2], count: usize) -> Scene<'s> {
        let mut mixed = Scene::new(shape);
        for number in 0..count {
            let from = &scenes[number % 2];
            let from = if from.points.is_empty() { &scenes[0] } else { from };
            let Some(&point) = from.points.get(number) else { continue };
            mixed.places.push(from.places[number]);
            mixed.poses.push(from.poses[number]);
            mixed.points.push(point);
        }
        mixed
    }

    fn peer(&self) -> Option<ParryBody> {
        let rays: Vec<[DVec3; 2]> = self.rays.iter().map(|ray| [ray.origin, ray.direction]).collect();
        ParryBody::new(self.shape, &self.places, &rays, &self.points)
    }

    fn count(&self) -> usize {
        self.poses.len()
    }

    fn cast(&self, number: usize) -> Option<RayHit> {
        ray_cast(self.shape, &self.poses[number], &self.rays[number]).ok()
    }

    fn closest(&self, number: usize) -> ClosestPoint {
        closest_point(self.shape, &self.poses[number], self.points[number])
    }

    fn signed(&self, number: usize) -> SignedDistance {
        signed_distance(self.shape, &self.poses[number], self.points[number])
    }

    fn holds(&self, number: usize) -> bool {
        contains(self.shape, &self.poses[number], self.points[number])
    }

    /// What is wrong with the answer to a ray.
    fn ray_faults(&self, number: usize, hit: Option<&RayHit>) -> Result<Vec<&'static str>, LabError> {
        let (pose, ray) = (&self.poses[number], &self.rays[number]);
        let mut faults = Vec::new();
        let options = RayOptions::default();
        let none = NoHit { from: options.from, to: options.to };
        let proved = hit.map_or_else(
            || none.verify(self.shape, pose, ray, &options),
            |hit| hit.verify(self.shape, pose, ray, &options),
        );
        if proved.is_err() {
            faults.push("verify_ray refused");
        }
        // The ray from its start to well beyond a bounded body; for a half-space, to well beyond the hit. An answer is
        // refuted only where the relation is beyond the rounding of the far end.
        let length = match (self.shape, hit) {
            (Shape::HalfSpace(_), Some(hit)) => 2.0 * hit.t.value,
            (Shape::HalfSpace(_), None) => 100.0,
            _ => 2.0 * START * radius(self.shape) / ray.direction.length(),
        };
        let segment = Shape::segment(ray.origin, ray.at(length))?;
        let found = relation(&segment, &Pose::IDENTITY, self.shape, pose);
        match (hit, found) {
            (Some(_), Relation::Separated) => faults.push("a hit, but the ray is apart from the body"),
            (None, Relation::Overlapping) => faults.push("a miss, but the ray runs through the body"),
            _ => {}
        }
        Ok(faults)
    }
}

/// Checks every ray, without a clock.
fn check_rays(scene: &Scene<'_>, peer: Option<&ParryBody>) -> Result<Tally, LabError> {
    let mut tally = Tally::default();
    for number in 0..scene.count() {
        let answer = scene.cast(number);
        tally.answers.note(&number, &answer);
        let faults = scene.ray_faults(number, answer.as_ref())?;
        tally.verified += u64::from(answer.is_some() && faults.is_empty());
        if let Some(peer) = peer {
            let (agrees, difference) = match (&answer, peer.cast(number)) {
                (None, None) => (true, None),
                (Some(hit), Some((t, _))) => {
                    let ray = &scene.rays[number];
                    let scale = ray.origin.length() + START * radius(scene.shape) + t * ray.direction.length();
                    let tolerance = time_tolerance(t, scale, hit.normal.dot(ray.direction).abs());
                    let agrees = hit.t.lower - tolerance <= t && t <= hit.t.upper + tolerance;
                    (agrees, Some((t - hit.t.value) / hit.t.value))
                }
                _ => (false, None),
            };
            tally.note_parry(agrees || !faults.is_empty(), difference);
        }
        tally.note(faults);
    }
    Ok(tally)
}

/// What a row about points asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Closest,
    Depth,
    Contains,
}

impl Question {
    fn name(self) -> &'static str {
        match self {
            Question::Closest => "closest",
            Question::Depth => "depth",
            Question::Contains => "contains",
        }
    }

    fn ask(self, scene: &Scene<'_>, number: usize) {
        match self {
            Question::Closest => drop(black_box(scene.closest(number))),
            Question::Depth => drop(black_box(scene.signed(number))),
            Question::Contains => drop(black_box(scene.holds(number))),
        }
    }

    fn ask_peer(self, peer: &ParryBody, number: usize) {
        match self {
            Question::Closest => drop(black_box(peer.distance(number))),
            Question::Depth => drop(black_box(peer.signed_distance(number))),
            Question::Contains => drop(black_box(peer.contains(number))),
        }
    }

    /// Checks every answer, without a clock.
    fn check(self, scene: &Scene<'_>, peer: Option<&ParryBody>) -> Tally {
        let mut tally = Tally::default();
        let size = radius(scene.shape);
        for number in 0..scene.count() {
            let (pose, point) = (&scene.poses[number], scene.points[number]);
            let mut faults = Vec::new();
            let scale = size + point.length();
            let (value, lower, upper, verified) = match self {
                Question::Closest => {
                    let answer = scene.closest(number);
                    tally.answers.note(&number, &answer);
                    let verified = answer.verify(scene.shape, pose, point).is_ok();
                    (answer.distance.value, answer.distance.lower, answer.distance.upper, verified)
                }
                Question::Depth | Question::Contains => {
                    let answer = scene.signed(number);
                    tally.answers.note(&number, &answer);
                    let verified = answer.verify(scene.shape, pose, point).is_ok();
                    (answer.distance.value, answer.distance.lower, answer.distance.upper, verified)
                }
            };
            tally.verified += u64::from(verified);
            if !verified {
                faults.push("verify_point refused");
            }
            if self == Question::Contains {
                let holds = scene.holds(number);
                tally.answers.note(&number, &holds);
                if (holds && lower > 0.0) || (!holds && upper < 0.0) {
                    faults.push("contains contradicts the signed distance");
                }
            }
            if let Some(peer) = peer {
                let tolerance = length_tolerance(value, scale);
                let (agrees, difference) = match self {
                    Question::Contains => {
                        // On the boundary, as far as rounding tells, either is right.
                        (peer.contains(number) == scene.holds(number) || value.abs() <= tolerance, None)
                    }
                    Question::Closest | Question::Depth => {
                        let theirs = if self == Question::Closest {
                            peer.distance(number)
                        } else {
                            peer.signed_distance(number)
                        };
                        let agrees = lower - tolerance <= theirs && theirs <= upper + tolerance;
                        (agrees, Some((theirs - value) / size))
                    }
                };
                tally.note_parry(agrees || !faults.is_empty(), difference);
            }
            tally.note(faults);
        }
        tally
    }
}

/// Counts what the queries of a row allocate, once all is warm.
fn count_allocations(tally: &mut Tally, count: usize, mut query: impl FnMut(usize)) {
    for number in 0..count {
        let ((), allocations) = allocation::count(|| query(number));
        tally.allocations += allocations;
        if allocations > 0 {
            tally.note(vec!["the query allocates"]);
        }
    }
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let plan = if options.quick {
        Plan { queries: 50, batch: 25, repeats: 3 }
    } else {
        Plan { queries: 1000, batch: 100, repeats: 21 }
    };
    let bodies = bodies(&mut Random::new(options.seed, 3000))?;
    let mut rows: Vec<Row> = Vec::new();
    let (mut ray_timings, mut point_timings): (Vec<Timing>, Vec<Timing>) = (Vec::new(), Vec::new());
    let (mut cases, mut parry_off) = (0, 0);
    for (index, (name, shape)) in bodies.iter().enumerate().progress() {
        let mut random = Random::new(options.seed, 3001 + index as u64);
        for (scene, said) in Scene::rays(shape, plan.queries, &mut random)?.iter().zip(["hits", "misses"]) {
            let plan = Plan { queries: scene.count(), ..plan };
            let peer = scene.peer();
            let mut tally = check_rays(scene, peer.as_ref())?;
            let ours = |number: usize| {
                black_box(scene.cast(black_box(number)));
            };
            let theirs = peer.as_ref().map(|peer| {
                move |number: usize| {
                    black_box(peer.cast(black_box(number)));
                }
            });
            let timing = race(plan, ours, theirs);
            count_allocations(&mut tally, plan.queries, ours);
            rows.push(tally.row(format!("ray {name} {said}"), &timing, plan.queries, vec![]));
            ray_timings.push(timing);
            cases += plan.queries as u64;
            parry_off += tally.parry_off;
        }
        let sides = Scene::points(shape, plan.queries, &mut random)?;
        let mixed = Scene::mixed(shape, &sides, plan.queries);
        for (question, scene) in
            [(Question::Closest, &sides[0]), (Question::Depth, &sides[1]), (Question::Contains, &mixed)]
        {
            if scene.count() == 0 {
                continue;
            }
            let plan = Plan { queries: scene.count(), ..plan };
            let peer = scene.peer();
            let mut tally = question.check(scene, peer.as_ref());
            let ours = |number: usize| question.ask(scene, black_box(number));
            let theirs = peer.as_ref().map(|peer| move |number: usize| question.ask_peer(peer, black_box(number)));
            let timing = race(plan, ours, theirs);
            count_allocations(&mut tally, plan.queries, ours);
            rows.push(tally.row(format!("{} {name}", question.name()), &timing, plan.queries, vec![]));
            point_timings.push(timing);
            cases += plan.queries as u64;
            parry_off += tally.parry_off;
        }
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("mean_ratio_rays", json!(mean_ratio(ray_timings.iter()))),
            ("mean_ratio_points", json!(mean_ratio(point_timings.iter()))),
            ("least_ratio", json!(least_ratio(ray_timings.iter().chain(&point_timings)))),
            ("parry_off", json!(parry_off)),
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
        // Nine bodies: two kinds of ray, three questions about points; no depth in the triangle.
        assert_eq!(json["rows"].as_array().unwrap().len(), 9 * 5 - 1);
        assert_eq!(json["summary"]["cases"], (9 * 5 - 1) * 50);
        assert_eq!(json["rows"][0].get("peer").is_some(), cfg!(feature = "peers"));
        assert_eq!(json["rows"][0]["verified"], 50);
    }

    #[test]
    fn a_bent_answer_is_found_out() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let [hits, misses] = Scene::rays(&cube, 3, &mut Random::new(5, 0)).unwrap();
        let hit = hits.cast(0).unwrap();
        assert_eq!(hits.ray_faults(0, Some(&hit)).unwrap(), Vec::<&str>::new());
        let late = RayHit {
            t: Bracket { value: hit.t.value + 1e-9, lower: hit.t.lower + 1e-9, upper: hit.t.upper + 1e-9 },
            ..hit
        };
        assert_eq!(hits.ray_faults(0, Some(&late)).unwrap(), ["verify_ray refused"]);
        let denied = ["verify_ray refused", "a miss, but the ray runs through the body"];
        assert_eq!(hits.ray_faults(0, None).unwrap(), denied);
        assert!(misses.ray_faults(0, Some(&hit)).unwrap().contains(&"a hit, but the ray is apart from the body"));
    }
}
