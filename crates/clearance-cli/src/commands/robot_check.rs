//! `clearance robot check`: configurations of a robot, against itself and a world.

use std::path::PathBuf;

use clearance::parallel::map_pieces;
use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_check::robot::read_configurations;
use clearance_robot::{Against, Checker, NearestPair, Robot, Srdf};
use clearance_view::{CheckedConfiguration, Proved, Scene};
use serde::Serialize;

use super::Outcome;
use super::robot::Asked;
use crate::input::read_text;
use crate::print;

/// Check configurations of a robot: which links meet each other or the world, and how far apart the nearest are.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// A configuration: numbers in the order of the joints of the URDF that move on their own, or `JOINT=VALUE`, with spaces or commas
    /// between; joints that are not named are at zero or the middle of their limits. Can be given several times.
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    q: Vec<String>,

    /// A file of configurations, or `-`: CSV, with the names of joints in the first line or without, or JSON, a list of lists or of objects.
    #[arg(long, value_name = "FILE")]
    configs: Option<PathBuf>,

    /// A configuration that the SRDF names (`group_state`).
    #[arg(long, value_name = "NAME")]
    state: Vec<String>,

    /// The distance of every pair, not only of the nearest; in JSON.
    #[arg(long, requires = "json")]
    distances: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot check panda.urdf --srdf panda.srdf --state ready
  clearance robot check panda.urdf --srdf panda.srdf --q '0 -0.785 0 -2.356 0 1.571 0.785' --world kitchen.glb
  clearance robot check arm.urdf --package arm_description=../arm --configs path.csv --json
  clearance robot check panda.urdf --srdf panda.srdf --state ready --html ready.html

Lengths are metres, angles radians. Exit 1 if any configuration meets something.";

/// What was found.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    /// What a configuration is made of.
    variables: Vec<String>,
    /// How many pairs of bodies were checked.
    pairs: usize,
    /// Pairs that never move and meet: nothing will be free while they are checked.
    always: Vec<[String; 2]>,
    notes: Vec<String>,
    free: usize,
    configurations: Vec<Checked>,
}

/// A configuration.
#[derive(Debug, Serialize)]
struct Checked {
    q: Vec<f64>,
    free: bool,
    /// Variables beyond their limits. They are checked all the same.
    beyond_limits: Vec<String>,
    /// Links that meet each other, padding included.
    self_collisions: Vec<[String; 2]>,
    /// Links and the objects they meet.
    world_collisions: Vec<[String; 2]>,
    /// Where each of these meets: one point of every pair of bodies.
    contacts: Vec<Contact>,
    nearest_itself: Option<Gap>,
    nearest_world: Option<Gap>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    distances: Vec<Gap>,
    /// The pairs that meet, for a page.
    #[serde(skip)]
    hits: Vec<usize>,
}

/// Where two bodies meet, in the world.
#[derive(Debug, Serialize)]
struct Contact {
    a: String,
    b: String,
    point: [f64; 3],
    /// Unit, from `a` towards `b`; none where there is none to be told, as of a body wholly inside another.
    normal: Option<[f64; 3]>,
}

/// A distance, without padding where it stands among `distances`, else less the padding.
#[derive(Debug, Serialize)]
struct Gap {
    a: String,
    b: String,
    value: f64,
    lower: f64,
    upper: f64,
    /// The nearest points, each in the frame of its own collision geometry.
    point_in_a: [f64; 3],
    point_in_b: [f64; 3],
    /// For a page.
    #[serde(skip)]
    pair: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let (robot, srdf) = arguments.asked.load(arguments.configs.as_deref())?;
    let configurations = configurations(arguments, &robot, srdf.as_ref())?;
    if configurations.is_empty() {
        return Err(Error::Usage("no configuration to check: give --q, --configs or --state".into()));
    }
    let checker = arguments.asked.checker(robot, srdf.as_ref())?;
    let answer = answer(&checker, configurations, arguments.asked.json, arguments.distances)?;
    arguments.asked.page(|| Scene::of_robot_check(&checker, &answer.shown()))?;
    let is_free = answer.free == answer.configurations.len();
    arguments.asked.write_files("robot", &answer, Some("configurations"))?;
    print::result(&if arguments.asked.json { json(&answer)? } else { text(&answer) })?;
    Ok(if is_free { Outcome::Clean } else { Outcome::Findings })
}

/// All configurations that the command names, in the order of `--state`, `--q`, `--configs`.
fn configurations(arguments: &Arguments, robot: &Robot, srdf: Option<&Srdf>) -> Result<Vec<Vec<f64>>, Error> {
    let mut all = Vec::new();
    for name in &arguments.state {
        let states = srdf.map_or(&[][..], |srdf| &srdf.states);
        let mut found = states.iter().filter(|state| state.name == *name).peekable();
        if found.peek().is_none() {
            let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
            return Err(Error::Usage(format!(
                "--state {name}: the SRDF has no such group_state; there are: {}",
                names.join(", ")
            )));
        }
        // A state of every group of this name.
        let mut q = robot.middle();
        for state in found {
            q = robot.state(state, &q).map_err(|error| Error::Usage(format!("--state {name}: {error}")))?;
        }
        all.push(q);
    }
    for text in &arguments.q {
        all.push(configuration(text, robot)?);
    }
    if let Some(path) = &arguments.configs {
        all.extend(read_configurations(path, &read_text(path)?, robot)?);
    }
    Ok(all)
}

/// A configuration from the command line.
fn configuration(text: &str, robot: &Robot) -> Result<Vec<f64>, Error> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let number = |word: &str| word.parse::<f64>().map_err(|_| Error::Usage(format!("--q: `{word}` is no number")));
    if text.contains('=') {
        let mut values = Vec::new();
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| Error::Usage(format!("--q: `{word}`: JOINT=VALUE is meant")))?;
            values.push((name, number(value)?));
        }
        return robot.configuration(values, &robot.middle()).map_err(Error::from);
    }
    let q: Vec<f64> = words.map(number).collect::<Result<_, _>>()?;
    robot.check_configuration(&q).map_err(Error::from)?;
    Ok(q)
}

/// What is found of all configurations; in full with where they meet.
fn answer(
    checker: &Checker,
    configurations: Vec<Vec<f64>>,
    in_full: bool,
    with_distances: bool,
) -> Result<Answer, Error> {
    let names = |pair: usize| {
        let pair = &checker.pairs()[pair];
        [checker.name(pair.a).to_owned(), checker.name(pair.b).to_owned()]
    };
    // As the library's batches: pieces of the same size whatever the number of threads.
    let checked = map_pieces(&configurations, Checker::PIECE, |piece| {
        let mut state = checker.state();
        let mut check = |q: &Vec<f64>| {
            let hits = checker.hits(&mut state, q)?;
            let of = |world: bool| {
                // A link of several geometries is named once.
                let mut named: Vec<[String; 2]> = hits
                    .iter()
                    .filter(|&&pair| checker.pairs()[pair].with_world == world)
                    .map(|&pair| names(pair))
                    .collect();
                named.dedup();
                named
            };
            let mut contacts = Vec::new();
            for &pair in hits.iter().filter(|_| in_full) {
                let [a, b] = names(pair);
                contacts.extend(checker.first_contact(&mut state, q, pair)?.map(|found| Contact {
                    a,
                    b,
                    point: found.point.to_array(),
                    normal: found.normal.map(|normal| normal.to_array()),
                }));
            }
            let mut gap = |against| {
                let nearest = checker.nearest(&mut state, q, against)?;
                Ok::<_, clearance_robot::Error>(nearest.map(|nearest: NearestPair| {
                    let NearestPair { pair, value, lower, upper, distance } = nearest;
                    let [a, b] = names(pair);
                    let (point_in_a, point_in_b) =
                        (distance.witness.a.point.to_array(), distance.witness.b.point.to_array());
                    Gap { a, b, value, lower, upper, point_in_a, point_in_b, pair }
                }))
            };
            let (nearest_itself, nearest_world) = (gap(Against::Itself)?, gap(Against::World)?);
            let distances = if with_distances { checker.distances(&mut state, q)? } else { Vec::new() };
            let distances = distances.iter().enumerate().map(|(pair, distance)| {
                let [a, b] = names(pair);
                let (point_in_a, point_in_b) =
                    (distance.witness.a.point.to_array(), distance.witness.b.point.to_array());
                Gap {
                    a,
                    b,
                    value: distance.gap.value,
                    lower: distance.gap.lower,
                    upper: distance.gap.upper,
                    point_in_a,
                    point_in_b,
                    pair,
                }
            });
            let beyond = checker.robot().variables().iter().zip(q).filter(|(variable, value)| {
                !variable.endless && (**value < variable.lower || **value > variable.upper)
            });
            Ok(Checked {
                q: q.clone(),
                free: hits.is_empty(),
                beyond_limits: beyond.map(|(variable, _)| variable.name.clone()).collect(),
                self_collisions: of(false),
                world_collisions: of(true),
                contacts,
                nearest_itself,
                nearest_world,
                distances: distances.collect(),
                hits,
            })
        };
        piece.iter().map(&mut check).collect::<Result<Vec<Checked>, clearance_robot::Error>>()
    });
    let mut configurations = Vec::new();
    for piece in checked {
        configurations.extend(piece.map_err(Error::from)?);
    }
    let description = checker.robot().description();
    Ok(Answer {
        schema: "clearance-robot-check/1",
        robot: description.name.clone(),
        variables: checker.robot().variables().iter().map(|variable| variable.name.clone()).collect(),
        pairs: checker.pairs().len(),
        always: checker.always().iter().map(|&pair| names(pair)).collect(),
        notes: checker.robot().notes().to_vec(),
        free: configurations.iter().filter(|checked| checked.free).count(),
        configurations,
    })
}

impl Answer {
    /// The configurations, as a page shows them.
    fn shown(&self) -> Vec<CheckedConfiguration> {
        let gap = |gap: &Gap| (gap.pair, Proved::new(gap.value, gap.lower, gap.upper));
        let of = |checked: &Checked| CheckedConfiguration {
            q: checked.q.clone(),
            hits: checked.hits.clone(),
            beyond_limits: checked.beyond_limits.clone(),
            nearest_itself: checked.nearest_itself.as_ref().map(gap),
            nearest_world: checked.nearest_world.as_ref().map(gap),
        };
        self.configurations.iter().map(of).collect()
    }
}

/// How many configurations are printed for people.
const SHOWN: usize = 50;

fn text(answer: &Answer) -> String {
    let mut out = Lines::default();
    out.line(format!("{}: {} pairs of bodies", answer.robot, answer.pairs));
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    for [a, b] in &answer.always {
        out.line(format!("{a} and {b} never move against each other, and meet: allow them, or nothing is ever free"));
    }
    for (number, checked) in answer.configurations.iter().enumerate().take(SHOWN) {
        let pairs = |pairs: &[[String; 2]]| {
            let named: Vec<String> = pairs.iter().map(|[a, b]| format!("{a} and {b}")).collect();
            named.join(", ")
        };
        let mut line = format!("{number}: ");
        match (checked.self_collisions.is_empty(), checked.world_collisions.is_empty()) {
            (true, true) => line += "free",
            (false, true) => line += &format!("meets itself: {}", pairs(&checked.self_collisions)),
            (true, false) => line += &format!("meets the world: {}", pairs(&checked.world_collisions)),
            (false, false) => {
                line += &format!(
                    "meets itself: {}; the world: {}",
                    pairs(&checked.self_collisions),
                    pairs(&checked.world_collisions)
                );
            }
        }
        let gaps = [("itself", &checked.nearest_itself), ("world", &checked.nearest_world)];
        for (against, gap) in gaps.into_iter().filter_map(|(against, gap)| Some((against, gap.as_ref()?))) {
            line += &format!("; {against} {} m ({} and {})", short(gap.value), gap.a, gap.b);
        }
        if !checked.beyond_limits.is_empty() {
            line += &format!("; beyond limits: {}", checked.beyond_limits.join(", "));
        }
        out.line(line);
    }
    if answer.configurations.len() > SHOWN {
        out.line(format!("and {} more: --json has all", answer.configurations.len() - SHOWN));
    }
    out.line(format!("{} of {} free", answer.free, answer.configurations.len()));
    out.text()
}
