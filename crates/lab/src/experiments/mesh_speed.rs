//! Two meshes at exact distances, after the benchmark of Trenkel, Weller and Zachmann: first contact, all contacts and
//! distance, against FCL, coal, parry as shipped and a loop over two of parry's trees.
//!
//! Each model, scaled into the unit cube, is placed against itself and against the next one, at some orientations and
//! along some directions, until the surfaces are as far apart as wanted, from 0.3 to 1e-5, or overlap slightly; and
//! against itself so deep that 2,000 to 4,000 pairs of triangles meet. `mesh_scenes.rs` finds the places by our own
//! distances; `peer_off` says of every peer how many of its answers there are others than ours.
//!
//! Apart from the timing our answers are compared with each other, and one pose of each row of small models against
//! exact arithmetic (pairs) and all pairs of triangles as convex bodies (distance). Rows of their own ask everything
//! again with the arguments swapped and with everything a thousand times smaller and larger.
//!
//! parry's functions for two meshes can take seconds. Each row has a limit of time for them; `asked` says how many
//! poses were reached. FCL and coal run to the end.

use super::mesh_race::{
    Answers, Bodies, Contender, Findings, Group, Race, answers, ask_ours, ask_peers, judges, rows, when_swapped,
};
use super::{Experiment, Flag, Options};
use crate::error::LabError;
use crate::mesh_scenes::{Approach, approaches, place_at_gap, place_overlapping, place_with_pairs};
use crate::meshes::generate::{bumpy_sphere, grid, sphere, torus};
use crate::meshes::{Model, into_unit_cube, read_folder};
use crate::models::Random;
use crate::peers::question::{Found, Query, Question};
use crate::peers::{coal, fcl};
use crate::report::{Goal, Provenance, Report, Row, markdown_table, rounded};
use clearance::Pose;
use clearance::glam::DVec3;
use indicatif::ProgressIterator;
use serde_json::{Value, json};
use std::path::Path;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mesh-speed",
    about: "two meshes at exact distances, slight and deep overlap: contact, pairs, distance; against FCL, coal, parry",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to be.
const WANTED: &str = "a folder with meshes (.obj, .off, .ply, .stl); without --data meshes are generated";

/// The distances, for models of size 1.
pub(super) const GAPS: [f64; 7] = [0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5];
/// How far a mesh is moved in, at most, for a slight overlap.
pub(super) const SLIGHT: f64 = 1e-3;
/// How many pairs of triangles meet in a deep overlap.
pub(super) const DEEP: std::ops::RangeInclusive<u64> = 2000..=4000;
/// The factors of the rows that ask everything again.
const SCALES: [f64; 2] = [1e-3, 1e3];

/// How meshes are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Situation {
    Gap(f64),
    Slight,
    Deep,
}

impl Situation {
    fn name(self) -> String {
        match self {
            Situation::Gap(gap) => format!("gap {gap}"),
            Situation::Slight => "slight overlap".into(),
            Situation::Deep => "deep overlap".into(),
        }
    }

    /// What is asked. Of meshes apart there is nothing to list, of meshes that meet there is no distance.
    fn questions(self) -> &'static [Question] {
        match self {
            Situation::Gap(_) => &[Question::FirstContact, Question::Distance],
            Situation::Slight | Situation::Deep => &[Question::FirstContact, Question::AllContacts],
        }
    }
}

/// A question as rows call it.
fn said(question: Question) -> &'static str {
    match question {
        Question::FirstContact => "first contact",
        Question::AllContacts => "all contacts",
        Question::Distance => "distance",
    }
}

/// How much is done.
#[derive(Clone, Copy)]
struct Plan {
    orientations: usize,
    directions: usize,
    /// What parry gets for a row.
    seconds: f64,
}

/// Two models, by name, and the poses of the second in each situation.
struct Scene<'a> {
    name: String,
    /// One model if both are the same.
    models: Vec<&'a Model>,
    numbers: [usize; 2],
    poses: Vec<(Situation, Vec<Pose>)>,
}

impl<'a> Scene<'a> {
    fn new(pair: [&'a Model; 2], plan: Plan, random: &mut Random) -> Result<Scene<'a>, LabError> {
        let same = std::ptr::eq(pair[0], pair[1]);
        let models = if same { vec![pair[0]] } else { pair.to_vec() };
        let numbers = if same { [0, 0] } else { [0, 1] };
        let name = format!("{}-{}", pair[0].name, pair[1].name);
        let mut scene = Scene { name, models, numbers, poses: Vec::new() };
        let mut bodies = Bodies::new(&scene.models)?;
        let radius = |model: &Model| model.points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max);
        let reach = radius(pair[0]) + radius(pair[1]);
        let ways = approaches(plan.orientations, plan.directions, random);
        let mut situations: Vec<Situation> = GAPS.iter().map(|&gap| Situation::Gap(gap)).collect();
        situations.push(Situation::Slight);
        if same {
            situations.push(Situation::Deep);
        }
        for situation in situations {
            let mut poses = Vec::new();
            for way in &ways {
                poses.extend(scene.place(situation, way, reach, &mut bodies)?);
            }
            if poses.len() < ways.len() {
                let (name, missing) = (&scene.name, ways.len() - poses.len());
                eprintln!("lab: {name}: {missing} of {} ways do not lead to {}", ways.len(), situation.name());
            }
            if !poses.is_empty() {
                scene.poses.push((situation, poses));
            }
        }
        Ok(scene)
    }

    /// The pose along one way; `None` if there is none.
    fn place(
        &self,
        situation: Situation,
        way: &Approach,
        reach: f64,
        bodies: &mut Bodies,
    ) -> Result<Option<Pose>, clearance::Error> {
        let mut gap = |pose: &Pose| bodies.distance(&self.query(pose, Question::Distance)).gap.value;
        match situation {
            Situation::Gap(wanted) => place_at_gap(way, reach, wanted, gap),
            Situation::Slight => place_overlapping(way, reach, SLIGHT, &mut gap),
            Situation::Deep => {
                let pairs =
                    |pose: &Pose| bodies.contacts(&self.query(pose, Question::AllContacts)).crossings.len() as u64;
                place_with_pairs(way, reach, DEEP, pairs)
            }
        }
    }

    fn query(&self, pose: &Pose, question: Question) -> Query {
        Query { models: self.numbers, poses: [Pose::IDENTITY, *pose], question }
    }

    /// The models of A and B.
    fn pair(&self) -> [&'a Model; 2] {
        self.numbers.map(|number| self.models[number])
    }
}

/// What is wrong with our pairs and our distance by the oracle, which has a tree of its own and exact arithmetic.
fn faults_by_oracle(scene: &Scene, query: &Query, found: &Answers) -> [Vec<&'static str>; 3] {
    let mut faults = [Vec::new(), Vec::new(), Vec::new()];
    let [a, b] = judges(scene.pair(), &query.poses);
    if a.meeting_pairs(&b) != found.pairs {
        faults[1].push("other pairs than exact arithmetic finds");
    }
    let (lower, upper) = a.distance(&b);
    if found.distance.gap.lower > upper || lower > found.distance.gap.upper {
        faults[2].push("another distance than exact arithmetic finds");
    }
    faults
}

/// Everything a factor larger.
fn scaled(scene: &Scene, factor: f64) -> Result<Bodies, clearance::Error> {
    let larger = |model: &&Model| Model {
        points: model.points.iter().map(|point| point.map(|part| part * factor)).collect(),
        ..(*model).clone()
    };
    let models: Vec<Model> = scene.models.iter().map(larger).collect();
    Bodies::new(&models.iter().collect::<Vec<_>>())
}

/// What is wrong with answers about the scaled pair, seen from those about the pair itself.
fn faults_when_scaled(found: &Answers, larger: &Answers, factor: f64) -> Vec<&'static str> {
    let mut faults = larger.faults.concat();
    if larger.meets != found.meets {
        faults.push("another verdict at another scale");
    }
    if larger.pairs != found.pairs {
        faults.push("other pairs at another scale");
    }
    // Coordinates are rounded when they are scaled, and so is the translation.
    let rounding = 8.0 * f64::EPSILON * found.scale;
    let apart = larger.distance.gap.lower / factor > found.distance.gap.upper + rounding
        || found.distance.gap.lower > larger.distance.gap.upper / factor + rounding;
    if apart {
        faults.push("another distance at another scale");
    }
    faults
}

/// What the summary needs of a row.
struct Measured {
    situation: Situation,
    question: Question,
    ours: f64,
    /// The better of FCL and coal, without the cost of an empty call, over ours: of the medians, and of the worst pose.
    better: Option<[f64; 2]>,
    /// The same of FCL alone.
    fcl: Option<[f64; 2]>,
    peer_off: u64,
}

impl Measured {
    fn new(situation: Situation, group: &Group, ours: &Contender, races: &[(&'static str, Race)]) -> Measured {
        let costs = group.range.clone().filter_map(|number| Some(ours.answers[number]?.1.median));
        let ratios = |name: &str| {
            let (_, race) = races.iter().find(|race| race.0 == name)?;
            Some([race.net_ratio?, race.worst_ratio])
        };
        let both = [fcl::NAME, coal::NAME].into_iter().filter_map(ratios);
        Measured {
            situation,
            question: group.question,
            ours: crate::measure::median(costs.collect()),
            better: both.reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])]),
            fcl: ratios(fcl::NAME),
            peer_off: races.iter().map(|(_, race)| race.peer_off).sum(),
        }
    }
}

/// The rows of a scene.
fn race_scene(scene: &Scene, plan: Plan) -> Result<(Vec<Row>, Vec<Measured>, u64), LabError> {
    let mut bodies = Bodies::new(&scene.models)?;
    let (mut queries, mut groups, mut findings, mut situations) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut swapped, mut scaled_findings) = (Findings::default(), [Findings::default(), Findings::default()]);
    let mut scaled_bodies = [scaled(scene, SCALES[0])?, scaled(scene, SCALES[1])?];
    let mut cases = 0;
    for (situation, poses) in &scene.poses {
        let mut found_faults = [Findings::default(), Findings::default(), Findings::default()];
        for (number, pose) in poses.iter().enumerate() {
            let query = scene.query(pose, Question::Distance);
            let mut found = answers(&mut bodies, &query);
            if matches!(situation, Situation::Gap(_)) == found.meets {
                found.faults[0].push("placed apart but meeting, or the other way round");
            }
            if number == 0 {
                let more = faults_by_oracle(scene, &query, &found);
                found.faults.iter_mut().zip(more).for_each(|(faults, more)| faults.extend(more));
            }
            found.note(&number, &mut found_faults);
            let place = (situations.len(), number);
            let (other, faults) = when_swapped(&mut bodies, &query, &found);
            other.note_together(&place, &mut swapped);
            swapped.note(&faults.concat());
            for (index, factor) in SCALES.into_iter().enumerate() {
                let larger = answers(&mut scaled_bodies[index], &scaled_query(&query, factor)?);
                larger.note_together(&place, &mut scaled_findings[index]);
                scaled_findings[index].note(&faults_when_scaled(&found, &larger, factor));
            }
        }
        cases += poses.len() as u64;
        let [contact, all, apart] = found_faults;
        let mut left = [(Question::FirstContact, contact), (Question::AllContacts, all), (Question::Distance, apart)];
        for &question in situation.questions() {
            let start = queries.len();
            queries.extend(poses.iter().map(|pose| scene.query(pose, question)));
            let case = format!("{} {} {}", scene.name, said(question), situation.name());
            groups.push(Group { case, question, range: start..queries.len() });
            situations.push(*situation);
            // A question without a row of its own has its faults counted with the first contact.
            let mut of_row = Findings::default();
            for (of, findings) in &mut left {
                let here =
                    *of == question || (question == Question::FirstContact && !situation.questions().contains(of));
                if here {
                    of_row.add(std::mem::take(findings));
                }
            }
            findings.push(of_row);
        }
    }
    let ours = ask_ours(&mut bodies, &queries);
    let peers = ask_peers(&scene.models, &queries, &groups, plan.seconds);
    let (mut all, mut measured) = (Vec::new(), Vec::new());
    for ((group, findings), &situation) in groups.iter().zip(&findings).zip(&situations) {
        let (found, races) = rows(group, &ours, &peers, findings, 1.0, &contacts_columns(group, &ours));
        measured.push(Measured::new(situation, group, &ours, &races));
        all.extend(found);
    }
    let apart: Vec<Query> = groups
        .iter()
        .filter(|group| group.question == Question::Distance)
        .flat_map(|group| queries[group.range.clone()].iter().cloned())
        .collect();
    let exchange = |query: &Query| {
        let ([a, b], [pose_a, pose_b]) = (query.models, query.poses);
        Query { models: [b, a], poses: [pose_b, pose_a], question: query.question }
    };
    let exchanged: Vec<Query> = apart.iter().map(exchange).collect();
    all.extend(again(format!("{} arguments swapped", scene.name), &mut bodies, &exchanged, &swapped));
    for ((factor, bodies), findings) in SCALES.into_iter().zip(&mut scaled_bodies).zip(&scaled_findings) {
        let queries: Vec<Query> =
            apart.iter().map(|query| scaled_query(query, factor)).collect::<Result<_, clearance::Error>>()?;
        all.extend(again(format!("{} scale {factor:e}", scene.name), bodies, &queries, findings));
    }
    Ok((all, measured, cases))
}

/// The same question about everything a factor larger.
fn scaled_query(query: &Query, factor: f64) -> Result<Query, clearance::Error> {
    let larger = |pose: &Pose| Pose::new(pose.rotation(), pose.translation() * factor);
    Ok(Query { poses: [larger(&query.poses[0])?, larger(&query.poses[1])?], ..query.clone() })
}

/// A row about questions asked again, timed by their distances.
fn again(case: String, bodies: &mut Bodies, queries: &[Query], findings: &Findings) -> Vec<Row> {
    let group = Group { case, question: Question::Distance, range: 0..queries.len() };
    rows(&group, &ask_ours(bodies, queries), &[], findings, 1.0, &[]).0
}

/// How many contacts a row lists, and what one costs.
fn contacts_columns(group: &Group, ours: &Contender) -> Vec<(&'static str, Value)> {
    let counted = group.range.clone().filter_map(|number| match ours.answers[number]? {
        (Found::Pairs(pairs), cost) => Some((pairs as f64, cost.median)),
        _ => None,
    });
    let (counts, costs): (Vec<f64>, Vec<f64>) = counted.unzip();
    let pairs: f64 = counts.iter().sum();
    if pairs == 0.0 {
        return Vec::new();
    }
    let each = costs.iter().sum::<f64>() / pairs;
    vec![("contacts", json!(crate::measure::median(counts))), ("ns_per_contact", json!(rounded(each, 1)))]
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

/// The least.
fn least(ratios: &[f64]) -> f64 {
    ratios.iter().copied().fold(f64::INFINITY, f64::min)
}

/// What first contact of meshes apart aims at, against FCL; empty where FCL was not asked.
fn goals(measured: &[Measured]) -> Vec<Goal> {
    let apart = |row: &&Measured| row.question == Question::FirstContact && matches!(row.situation, Situation::Gap(_));
    let rows: Vec<[f64; 2]> = measured.iter().filter(apart).filter_map(|row| row.fcl).collect();
    let [ratios, worst] = [0, 1].map(|index| rows.iter().map(|row| row[index]).collect::<Vec<f64>>());
    let goal = |goal: &str, seen: f64, wanted: f64| Goal {
        goal: format!("first contact of meshes apart, {goal}: at least {wanted} times FCL"),
        seen: json!(rounded(seen, 2)),
        met: seen >= wanted,
    };
    if rows.is_empty() {
        return Vec::new();
    }
    vec![
        goal("geometric mean of all rows", mean(&ratios), 6.0),
        goal("least row", least(&ratios), 2.0),
        goal("least favourable pose", least(&worst), 0.8),
    ]
}

/// The table for docs/benchmarks.md: all models of a question and a situation in one line.
fn markdown(measured: &[Measured]) -> String {
    let mut lines: Vec<(Question, Situation)> = Vec::new();
    for row in measured {
        if !lines.contains(&(row.question, row.situation)) {
            lines.push((row.question, row.situation));
        }
    }
    let cells: Vec<Vec<String>> = lines
        .iter()
        .map(|&(question, situation)| {
            let of: Vec<&Measured> =
                measured.iter().filter(|row| row.question == question && row.situation == situation).collect();
            let ours = crate::measure::median(of.iter().map(|row| row.ours).collect()) / 1e3;
            let pick = |index: usize| -> Vec<f64> { of.iter().filter_map(|row| Some(row.better?[index])).collect() };
            let (ratios, worst) = (pick(0), pick(1));
            let shown = |value: f64| if ratios.is_empty() { "-".into() } else { rounded(value, 1).to_string() };
            vec![
                said(question).to_owned(),
                situation.name(),
                of.len().to_string(),
                rounded(ours, 2).to_string(),
                shown(mean(&ratios)),
                shown(least(&ratios)),
                shown(least(&worst)),
            ]
        })
        .collect();
    let columns = ["question", "placed", "pairs of models", "ours (us)", "ratio, mean", "ratio, least", "worst pose"];
    markdown_table(&columns.map(String::from), &[false, false, true, true, true, true, true], &cells)
}

/// The models: of the folder, or generated.
pub(super) fn models(data: Option<&Path>, quick: bool) -> Result<Vec<Model>, LabError> {
    let mut models = match data {
        Some(folder) if !folder.is_dir() => {
            let path = Some(folder.to_owned());
            return Err(LabError::MissingData { experiment: EXPERIMENT.name, path, wanted: WANTED });
        }
        Some(folder) => read_folder(folder)?,
        None => {
            let triangles = if quick { 300 } else { 30_000 };
            vec![sphere(triangles), bumpy_sphere(triangles), torus(triangles), grid(triangles)]
        }
    };
    if models.is_empty() {
        let path = data.map(Path::to_owned);
        return Err(LabError::MissingData { experiment: EXPERIMENT.name, path, wanted: WANTED });
    }
    models.iter_mut().for_each(into_unit_cube);
    Ok(models)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let models = models(options.data.as_deref(), options.quick)?;
    let plan = if options.quick {
        Plan { orientations: 2, directions: 2, seconds: 0.2 }
    } else {
        Plan { orientations: 4, directions: 5, seconds: 2.0 }
    };
    race_all(&models, plan, options.seed)
}

/// Every model against itself and the next.
fn race_all(models: &[Model], plan: Plan, seed: u64) -> Result<Report, LabError> {
    let mut pairs = Vec::new();
    for (number, model) in models.iter().enumerate() {
        pairs.push([model, model]);
        if models.len() > 1 {
            pairs.push([model, &models[(number + 1) % models.len()]]);
        }
    }
    let (mut rows, mut measured, mut cases) = (Vec::new(), Vec::new(), 0);
    for (number, &pair) in pairs.iter().enumerate().progress() {
        let scene = Scene::new(pair, plan, &mut Random::new(seed, 4000 + number as u64))?;
        let (found, of_scene, poses) = race_scene(&scene, plan)?;
        rows.extend(found);
        measured.extend(of_scene);
        cases += poses;
    }
    let of = |question: Question, index: usize| -> Vec<f64> {
        let rows = measured.iter().filter(|row| row.question == question);
        rows.filter_map(|row| Some(row.better?[index])).collect()
    };
    let some = |ratios: &[f64], figure: fn(&[f64]) -> f64| (!ratios.is_empty()).then(|| rounded(figure(ratios), 3));
    let [first, first_worst] = [0, 1].map(|index| of(Question::FirstContact, index));
    let [apart, apart_worst] = [0, 1].map(|index| of(Question::Distance, index));
    let all = of(Question::AllContacts, 0);
    Ok(Report {
        goals: goals(&measured),
        markdown: Some(markdown(&measured)),
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("first_contact_least_ratio", json!(some(&first, least))),
            ("first_contact_worst_pose", json!(some(&first_worst, least))),
            ("distance_mean_ratio", json!(some(&apart, mean))),
            ("distance_least_ratio", json!(some(&apart, least))),
            ("distance_worst_pose", json!(some(&apart_worst, least))),
            ("all_contacts_least_ratio", json!(some(&all, least))),
            ("peer_off", json!(measured.iter().map(|row| row.peer_off).sum::<u64>())),
        ],
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        // Four pairs of a model with itself and four of two models. The models are too small to overlap deeply.
        assert_eq!(report.cases, 8 * 8 * 4, "{}", report.to_text());
        if cfg!(not(feature = "peers")) {
            assert_eq!(report.rows.len(), 8 * (8 * 2 + 3));
        }
        assert!(report.to_markdown().contains("| distance | gap 0.3 | 8 |"));
    }

    #[test]
    fn two_copies_overlap_deeply() {
        let mut model = bumpy_sphere(40_000);
        into_unit_cube(&mut model);
        let plan = Plan { orientations: 1, directions: 1, seconds: 0.0 };
        let scene = Scene::new([&model, &model], plan, &mut Random::new(1, 0)).unwrap();
        let Some((Situation::Deep, poses)) = scene.poses.last() else { panic!("no deep overlap") };
        let found = answers(&mut Bodies::new(&scene.models).unwrap(), &scene.query(&poses[0], Question::AllContacts));
        assert!(DEEP.contains(&(found.pairs.len() as u64)) && found.meets);
    }

    #[test]
    fn bent_answers_are_found_out() {
        let mut model = torus(60);
        into_unit_cube(&mut model);
        let plan = Plan { orientations: 1, directions: 1, seconds: 0.0 };
        let scene = Scene::new([&model, &model], plan, &mut Random::new(2, 0)).unwrap();
        let mut bodies = Bodies::new(&scene.models).unwrap();
        for (situation, poses) in &scene.poses {
            let query = scene.query(&poses[0], Question::Distance);
            let ask = |bodies: &mut Bodies| answers(bodies, &query);
            let found = ask(&mut bodies);
            assert_eq!(faults_by_oracle(&scene, &query, &found).concat(), Vec::<&str>::new());
            let mut bent = ask(&mut bodies);
            if bent.pairs.pop().is_none() {
                bent.pairs.push((0, 0));
            }
            (bent.distance.gap.lower, bent.distance.gap.upper) =
                (bent.distance.gap.upper + 1e-9, bent.distance.gap.upper + 2e-9);
            let faults = faults_by_oracle(&scene, &query, &bent);
            assert_eq!(faults.each_ref().map(Vec::len), [0, 1, 1], "{situation:?}");
            assert_eq!(faults_when_scaled(&found, &bent, 1.0).len(), 2);
            assert_eq!(when_swapped(&mut bodies, &query, &bent).1.each_ref().map(Vec::len), [0, 1, 1]);
        }
    }

    #[test]
    fn goals_are_those_of_first_contacts_apart() {
        let row = |situation, question, fcl| Measured { situation, question, ours: 1.0, better: fcl, fcl, peer_off: 0 };
        let first = Question::FirstContact;
        let rows = [
            row(Situation::Gap(0.3), first, Some([4.0, 0.9])),
            row(Situation::Gap(0.1), first, Some([16.0, 0.5])),
            row(Situation::Slight, first, Some([0.1, 0.1])),
            row(Situation::Gap(0.1), Question::Distance, Some([0.1, 0.1])),
            row(Situation::Gap(0.01), first, None),
        ];
        let seen: Vec<_> = goals(&rows).into_iter().map(|goal| (goal.seen, goal.met)).collect();
        assert_eq!(seen, [(json!(8.0), true), (json!(4.0), true), (json!(0.5), false)]);
        assert!(goals(&rows[4..]).is_empty());
    }

    #[test]
    fn a_missing_folder_is_said() {
        let options = Options { data: Some("no/such/folder".into()), ..Options::default() };
        assert!(matches!(run(&options), Err(LabError::MissingData { path: Some(_), .. })));
    }
}
