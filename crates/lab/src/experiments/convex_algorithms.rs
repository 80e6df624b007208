//! The engine's own alternatives for convex bodies, raced against each other in one run.
//!
//! - `distance`: the walk with the sub-algorithm by Voronoi regions, against Johnson's by cofactors;
//! - `intersects`: separating axes (15 of boxes, 11 of triangles, faces and crossing edges of hulls), against the walk;
//! - `contacts`: all points of the touching features, against the depth alone.
//!
//! The second of each stands in the place of the peer, so a ratio above 1 says that the first is faster. Both sides'
//! answers are checked: each by `verify`, and against each other.

use super::scene::{Memory, Scene};
use super::tally::Tally;
use super::{Experiment, Flag, Options};
use crate::contract::Pair;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race};
use crate::models::{Model, PoseKind, Random, placements};
use crate::report::{Provenance, Report, Row};
use clearance::answer::{Contacts, Distance};
use clearance::query::{
    ContactsOptions, DistanceOptions, IntersectsAlgorithm, IntersectsOptions, SubAlgorithm, contacts_with,
    distance_with, intersects_with,
};
use clearance_oracle::ShapeKind;
use indicatif::ProgressIterator;
use serde_json::json;
use std::hint::black_box;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "convex-algorithms",
    about: "the engine's alternatives for convex bodies against each other: Johnson's sub-algorithm, separating axes, \
            manifolds",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// A pair of bodies of one kind.
#[derive(Clone, Copy, Debug)]
enum Bodies {
    Boxes,
    Triangles,
    Hulls(usize),
}

impl Bodies {
    fn name(self) -> String {
        match self {
            Bodies::Boxes => "box-box".into(),
            Bodies::Triangles => "triangle-triangle".into(),
            Bodies::Hulls(vertices) => format!("hull{vertices}"),
        }
    }

    fn model(self, random: &mut Random) -> Model {
        match self {
            Bodies::Boxes => Model::random_cuboid(random),
            Bodies::Triangles => Model::random(ShapeKind::Triangle, random),
            Bodies::Hulls(vertices) => Model::random_hull(vertices, random),
        }
    }
}

/// What is asked of both sides of a race.
#[derive(Clone, Copy, Debug)]
enum Question {
    Distance,
    Intersects,
    Contacts,
}

impl Question {
    /// The question, and the two that answer it.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Question::Distance => ("distance", "voronoi", "johnson"),
            Question::Intersects => ("intersects", "axes", "gjk"),
            Question::Contacts => ("contacts", "manifold", "penetration"),
        }
    }

    fn poses(self) -> &'static [PoseKind] {
        match self {
            Question::Distance => &[PoseKind::Random, PoseKind::Near, PoseKind::Coherent],
            Question::Intersects => &[PoseKind::Near, PoseKind::Overlapping, PoseKind::Coherent],
            Question::Contacts => &[PoseKind::Overlapping],
        }
    }
}

/// The table: what is asked of which bodies.
const TABLE: &[(Question, &[Bodies])] = &[
    (
        Question::Distance,
        &[
            Bodies::Boxes,
            Bodies::Triangles,
            Bodies::Hulls(16),
            Bodies::Hulls(32),
            Bodies::Hulls(64),
            Bodies::Hulls(256),
        ],
    ),
    (
        Question::Intersects,
        &[Bodies::Boxes, Bodies::Triangles, Bodies::Hulls(8), Bodies::Hulls(16), Bodies::Hulls(32), Bodies::Hulls(64)],
    ),
    (Question::Contacts, &[Bodies::Boxes, Bodies::Hulls(16), Bodies::Hulls(32), Bodies::Hulls(256)]),
];

/// The memory of one side, and its last contacts.
#[derive(Default)]
struct Side {
    memory: Memory,
    contacts: Contacts,
}

impl Side {
    /// A pair that is asked about for the first time, unless the poses follow a path.
    fn forget(&mut self, coherent: bool) {
        if !coherent {
            self.memory.cache = Default::default();
        }
    }

    fn distance(&mut self, pair: &Pair<'_>, sub_algorithm: SubAlgorithm) -> Distance {
        let options = DistanceOptions { sub_algorithm, ..DistanceOptions::default() };
        let Memory { cache, workspace } = &mut self.memory;
        distance_with(pair.a, pair.pose_a, pair.b, pair.pose_b, &options, cache, workspace)
    }

    fn intersects(&mut self, pair: &Pair<'_>, algorithm: IntersectsAlgorithm) -> bool {
        let options = IntersectsOptions { algorithm, ..IntersectsOptions::default() };
        let Memory { cache, workspace } = &mut self.memory;
        intersects_with(pair.a, pair.pose_a, pair.b, pair.pose_b, &options, cache, workspace)
    }

    fn contacts(&mut self, pair: &Pair<'_>) -> &Contacts {
        let Memory { cache, workspace } = &mut self.memory;
        let options = ContactsOptions::default();
        contacts_with(pair.a, pair.pose_a, pair.b, pair.pose_b, &options, cache, workspace, &mut self.contacts);
        &self.contacts
    }

    /// One timed query by the first or the second of a question's algorithms.
    fn run(&mut self, question: Question, first: bool, pair: &Pair<'_>, coherent: bool) {
        self.forget(coherent);
        match question {
            Question::Distance => {
                let algorithm = if first { SubAlgorithm::Voronoi } else { SubAlgorithm::Johnson };
                black_box(self.distance(pair, algorithm));
            }
            Question::Intersects => {
                let algorithm = if first { IntersectsAlgorithm::SeparatingAxes } else { IntersectsAlgorithm::Gjk };
                black_box(self.intersects(pair, algorithm));
            }
            Question::Contacts if first => {
                black_box(self.contacts(pair));
            }
            Question::Contacts => {
                let Memory { cache, workspace } = &mut self.memory;
                let _ = black_box(pair.penetration(cache, workspace));
            }
        }
    }
}

/// Checks both sides' answers at every pose, without a clock. The points of all manifolds are counted.
fn check(question: Question, scene: &Scene) -> (Tally, usize) {
    let (mut tally, mut points) = (Tally::default(), 0);
    let mut sides = [Side::default(), Side::default()];
    for number in 0..scene.poses.len() {
        let pair = scene.pair(number);
        let Pair { a, pose_a, b, pose_b } = pair;
        let [first, second] = &mut sides;
        first.forget(scene.coherent);
        second.forget(scene.coherent);
        let mut faults = Vec::new();
        match question {
            Question::Distance => {
                let (one, other) =
                    (first.distance(&pair, SubAlgorithm::Voronoi), second.distance(&pair, SubAlgorithm::Johnson));
                tally.answers.note(&number, &(one, other));
                if one.gap.lower > other.gap.upper || other.gap.lower > one.gap.upper {
                    faults.push("the brackets of both exclude each other");
                }
                if [&one, &other].iter().any(|answer| (*answer).verify(a, pose_a, b, pose_b).is_err()) {
                    faults.push("verify refuses a distance");
                }
                tally.verified += 2;
            }
            Question::Intersects => {
                let axes = first.intersects(&pair, IntersectsAlgorithm::SeparatingAxes);
                let walk = second.intersects(&pair, IntersectsAlgorithm::Gjk);
                tally.answers.note(&number, &(axes, walk));
                if axes != walk {
                    faults.push("axes and walk disagree");
                }
            }
            Question::Contacts => {
                let found = first.contacts(&pair);
                points += found.points.len();
                if found.verify(a, pose_a, b, pose_b).is_err() {
                    faults.push("verify refuses contacts");
                }
                let Memory { cache, workspace } = &mut second.memory;
                let depth = pair.penetration(cache, workspace);
                tally.answers.note(&number, &(found, &depth));
                match depth {
                    Ok(depth) if -found.gap.lower >= depth.depth.lower && -found.gap.upper <= depth.depth.upper => {}
                    _ => faults.push("depth and contacts exclude each other"),
                }
                tally.verified += 1;
            }
        }
        tally.note(faults);
    }
    (tally, points)
}

fn time(question: Question, scene: &Scene, plan: Plan) -> Timing {
    let (mut first, mut second) = (Side::default(), Side::default());
    race(
        plan,
        |number| first.run(question, true, black_box(&scene.pair(number)), scene.coherent),
        Some(|number: usize| second.run(question, false, black_box(&scene.pair(number)), scene.coherent)),
    )
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let plan = if options.quick {
        Plan { queries: 50, batch: 25, repeats: 3 }
    } else {
        Plan { queries: 500, batch: 100, repeats: 15 }
    };
    let jobs: Vec<(Question, Bodies, PoseKind)> = TABLE
        .iter()
        .flat_map(|(question, bodies)| bodies.iter().map(move |bodies| (*question, *bodies)))
        .flat_map(|(question, bodies)| question.poses().iter().map(move |kind| (question, bodies, *kind)))
        .collect();
    let mut rows = Vec::with_capacity(jobs.len());
    for (index, (question, bodies, kind)) in jobs.into_iter().enumerate().progress() {
        let mut random = Random::new(options.seed, 7000 + index as u64);
        let models = [bodies.model(&mut random), bodies.model(&mut random)];
        let places = placements(kind, &models[0], &models[1], plan.queries, &mut random)?;
        let scene = Scene::new(&models, &places, kind == PoseKind::Coherent)?;
        let (tally, points) = check(question, &scene);
        let timing = time(question, &scene, plan);
        rows.push(row(question, bodies, kind, &tally, &timing, points as f64 / plan.queries as f64));
    }
    Ok(Report {
        experiment: EXPERIMENT.name,
        cases: (rows.len() * plan.queries) as u64,
        more: Vec::new(),
        goals: Vec::new(),
        markdown: None,
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

fn row(question: Question, bodies: Bodies, kind: PoseKind, tally: &Tally, timing: &Timing, points: f64) -> Row {
    let (name, first, second) = question.names();
    let case = format!("{name} {first} {} {}", bodies.name(), kind.name());
    let mut more = vec![("verified", json!(tally.verified))];
    if matches!(question, Question::Contacts) {
        more.push(("points", json!(points)));
    }
    tally.raced(case, timing, second, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let json = report.to_json();
        assert_eq!(json["rows"].as_array().unwrap().len(), 6 * 3 + 6 * 3 + 4);
        assert_eq!(json["rows"][0]["peer"], "johnson");
    }
}
