//! `clearance robot check`: configurations of a robot against itself and a world.

use std::path::PathBuf;

use clearance::parallel::map_pieces;
use clearance_check::Error;
use clearance_check::output::{Lines, json, short};
use clearance_check::robot::{free_count, parse_configuration, read_configurations};
use clearance_robot::{Against, Checker, NearestPair, Robot, Srdf};
use clearance_view::{CheckedConfiguration, Proved, Scene};
use serde::Serialize;

use super::Outcome;
use super::robot::{Asked, degrees_hint};
use crate::input::read_text;
use crate::print;

/// Check configurations of a robot: which links meet each other or the world, and the distance of the nearest pairs.
/// Without any, the default configuration is checked: joints at zero, or mid-range where zero is not allowed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// A configuration: values in the order of the joints (see `clearance robot info`), or `JOINT=VALUE`, separated by
    /// spaces or commas. Angles are in rad and lengths in m unless the value has a unit: 45deg, 10mm. Joints that are
    /// not named are at their default. Repeatable.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    q: Vec<String>,

    /// A file of configurations, `-` for stdin: CSV, with or without joint names in its first line; JSON, a list of
    /// lists or of objects; or a JointTrajectory as YAML. Times are ignored.
    #[arg(long, value_name = "FILE")]
    configs: Option<PathBuf>,

    /// A configuration named in the SRDF (`group_state`). Repeatable.
    #[arg(long, value_name = "NAME")]
    state: Vec<String>,

    /// Report the distance of every pair, not only of the nearest.
    #[arg(long, requires = "json")]
    distances: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot check arm.urdf --srdf arm.srdf
  clearance robot check arm.urdf --q 'shoulder=45deg elbow=-90deg lift=10mm'
  clearance robot check panda.urdf --srdf panda.srdf --state ready
  clearance robot check panda.urdf --srdf panda.srdf --q '0 -0.785 0 -2.356 0 1.571 0.785' --world kitchen.glb
  clearance robot check arm.urdf --package arm_description=../arm --configs path.csv --json
  clearance robot check panda.urdf --srdf panda.srdf --state ready --html ready.html

Exit 1 if any configuration meets something. Configurations beyond joint limits are checked like all others, and
counted apart: `12 of 14 free, of which 3 beyond joint limits`.";

/// What was found.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    robot: String,
    /// The variables of a configuration, in order.
    variables: Vec<String>,
    /// The number of pairs of bodies checked.
    pairs: usize,
    /// Pairs that never move and meet: no configuration is free while they are checked.
    always: Vec<[String; 2]>,
    warnings: Vec<String>,
    notes: Vec<String>,
    /// The number of configurations in which nothing meets.
    free: usize,
    /// How many of these are beyond joint limits.
    free_beyond_limits: usize,
    configurations: Vec<Checked>,
}

/// A configuration.
#[derive(Debug, Serialize)]
struct Checked {
    q: Vec<f64>,
    free: bool,
    /// Variables beyond their limits, which are checked all the same.
    beyond_limits: Vec<String>,
    /// Links that meet each other, padding included.
    self_collisions: Vec<[String; 2]>,
    /// Links and the objects they meet.
    world_collisions: Vec<[String; 2]>,
    /// One point of every pair of bodies that meets.
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
    /// Unit, from `a` towards `b`; null where there is none, as for a body inside another.
    normal: Option<[f64; 3]>,
}

/// A distance: without padding in `distances`, otherwise less the padding.
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
    let mut notes = robot.notes().to_vec();
    let configurations = configurations(arguments, &robot, srdf.as_ref(), &mut notes)?;
    notes.extend(degrees_hint(&robot, &configurations));
    let checker = arguments.asked.checker(robot, srdf.as_ref())?;
    let mut answer = answer(&checker, configurations, arguments.asked.json, arguments.distances)?;
    (answer.warnings, answer.notes) = (arguments.asked.warnings(&checker, srdf.as_ref()), notes);
    arguments.asked.page(&answer.warnings, || Scene::of_robot_check(&checker, &answer.shown()))?;
    let is_free = answer.free == answer.configurations.len();
    arguments.asked.write_files("robot", &answer, Some("configurations"))?;
    print::result(&if arguments.asked.json { json(&answer)? } else { text(&answer) })?;
    Ok(if is_free { Outcome::Clean } else { Outcome::Findings })
}

/// All configurations given, in the order of `--state`, `--q`, `--configs`; the default one if there are none.
fn configurations(
    arguments: &Arguments,
    robot: &Robot,
    srdf: Option<&Srdf>,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut all = Vec::new();
    for name in &arguments.state {
        all.push(state(name, robot, srdf)?);
    }
    for text in &arguments.q {
        all.push(parse_configuration(text, robot).map_err(|problem| Error::Usage(format!("--q: {problem}")))?);
    }
    if let Some(path) = &arguments.configs {
        let read = read_configurations(path, &read_text(path)?, robot)?;
        if read.is_empty() {
            return Err(Error::format(path, "no configurations"));
        }
        all.extend(read);
    }
    if all.is_empty() {
        notes.push("no --q, --configs or --state: checked the default configuration".into());
        all.push(robot.middle());
    }
    Ok(all)
}

/// A configuration that the SRDF names: a state of every group that has one of this name.
fn state(name: &str, robot: &Robot, srdf: Option<&Srdf>) -> Result<Vec<f64>, Error> {
    let usage = |problem: String| Error::Usage(format!("--state {name}: {problem}"));
    let Some(srdf) = srdf else { return Err(usage("states are those of an SRDF: give it with --srdf".into())) };
    let mut found = srdf.states.iter().filter(|state| state.name == name).peekable();
    if found.peek().is_none() {
        let mut names: Vec<&str> = srdf.states.iter().map(|state| state.name.as_str()).collect();
        names.dedup();
        let existing = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        return Err(usage(format!("the SRDF has no such group_state; {existing}")));
    }
    let mut q = robot.middle();
    for state in found {
        q = robot.state(state, &q).map_err(|error| usage(error.to_string()))?;
    }
    Ok(q)
}

/// The answer for all configurations; `in_full` with the points of contact.
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
            let beyond = checker.robot().beyond_limits(q).into_iter();
            Ok(Checked {
                q: q.clone(),
                free: hits.is_empty(),
                beyond_limits: beyond.map(|number| checker.robot().variables()[number].name.clone()).collect(),
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
    let is_free = |checked: &&Checked| checked.free;
    Ok(Answer {
        schema: "clearance-robot-check/1",
        robot: description.name.clone(),
        variables: checker.robot().variables().iter().map(|variable| variable.name.clone()).collect(),
        pairs: checker.pairs().len(),
        always: checker.always().iter().map(|&pair| names(pair)).collect(),
        warnings: Vec::new(),
        notes: Vec::new(),
        free: configurations.iter().filter(is_free).count(),
        free_beyond_limits: configurations.iter().filter(is_free).filter(|it| !it.beyond_limits.is_empty()).count(),
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
    for warning in &answer.warnings {
        out.line(format!("warning: {warning}"));
    }
    for note in &answer.notes {
        out.line(format!("note: {note}"));
    }
    for [a, b] in &answer.always {
        out.line(format!(
            "{a} and {b} are fixed to each other and meet: no configuration is free unless they are allowed"
        ));
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
            line += &format!("; beyond joint limits: {}", checked.beyond_limits.join(", "));
        }
        out.line(line);
    }
    if answer.configurations.len() > SHOWN {
        out.line(format!("and {} more: --json has all", answer.configurations.len() - SHOWN));
    }
    out.line(free_count(answer.free, answer.free_beyond_limits, &answer.configurations.len().to_string()));
    out.text()
}
