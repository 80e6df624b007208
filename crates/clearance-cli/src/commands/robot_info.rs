//! `clearance robot info`: the joints, links, meshes and named states of a robot.

use std::path::PathBuf;

use clearance_check::Error;
use clearance_check::output::{Lines, count, json, short};
use clearance_robot::{Geometry, Joint, JointKind, LoadedMesh, Robot, Srdf};
use serde::Serialize;

use super::Outcome;
use super::robot::{RobotSource, read_srdf, warnings};
use crate::print;

/// Show what a robot consists of: joints in the order of a configuration with limits and units, links with their
/// collision geometry, meshes, and the named states of an SRDF.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    which: RobotSource,

    /// An SRDF, for its named states (`group_state`).
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  clearance robot info panda.urdf --srdf panda.srdf
  clearance robot info arm.urdf --package arm_description=../arm --json

The numbers before the joints are the places of their values in a configuration, as `clearance robot check --q` takes
them. Fixed joints and joints that mimic others take no value.";

#[derive(Debug, Serialize)]
struct Info {
    schema: &'static str,
    robot: String,
    /// The variables of a configuration, in order.
    variables: Vec<Variable>,
    /// All joints, in file order.
    joints: Vec<JointInfo>,
    links: Vec<LinkInfo>,
    meshes: Vec<MeshInfo>,
    /// The named states of the SRDF.
    states: Vec<StateInfo>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Variable {
    name: String,
    /// `rad`, `m`, or null for part of a quaternion.
    unit: Option<&'static str>,
    /// Null where there is no limit.
    lower: Option<f64>,
    upper: Option<f64>,
    /// The value in the default configuration.
    default: f64,
}

#[derive(Debug, Serialize)]
struct JointInfo {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    parent: String,
    child: String,
    /// The places of its values in a configuration; none for fixed and mimic joints.
    variables: Vec<usize>,
    /// In rad/s or m/s.
    velocity: Option<f64>,
    mimic: Option<MimicInfo>,
}

/// The value of a mimic joint: `multiplier` times that of `joint`, plus `offset`.
#[derive(Debug, Serialize)]
struct MimicInfo {
    joint: String,
    multiplier: f64,
    offset: f64,
}

#[derive(Debug, Serialize)]
struct LinkInfo {
    name: String,
    collisions: Vec<CollisionInfo>,
    /// Whether it has visual geometry, which is not checked.
    visual: bool,
}

/// A collision geometry, with its dimensions in metres.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum CollisionInfo {
    Box { size: [f64; 3] },
    Cylinder { radius: f64, length: f64 },
    Capsule { radius: f64, length: f64 },
    Sphere { radius: f64 },
    Mesh { mesh: usize },
}

#[derive(Debug, Serialize)]
struct MeshInfo {
    uri: String,
    file: String,
    scale: [f64; 3],
    triangles: usize,
    solid: bool,
    /// Why it is not a solid.
    open: Option<String>,
}

#[derive(Debug, Serialize)]
struct StateInfo {
    name: String,
    group: String,
    joints: Vec<StateJoint>,
}

#[derive(Debug, Serialize)]
struct StateJoint {
    name: String,
    values: Vec<f64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let robot = arguments.which.load()?;
    let srdf = read_srdf(arguments.srdf.as_deref())?;
    let info = Info::of(&robot, srdf.as_ref(), warnings(&robot, srdf.as_ref(), arguments.json));
    print::result(&if arguments.json { json(&info)? } else { text(&info) })?;
    Ok(Outcome::Clean)
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Floating => "floating",
    }
}

impl Info {
    fn of(robot: &Robot, srdf: Option<&Srdf>, warnings: Vec<String>) -> Info {
        let description = robot.description();
        let variables = robot.variables().iter().zip(robot.middle()).map(|(variable, default)| {
            let limit = |limit: f64| (!variable.endless && limit.is_finite()).then_some(limit);
            let (lower, upper) = (limit(variable.lower), limit(variable.upper));
            Variable { name: variable.name.clone(), unit: variable.dimension.unit(), lower, upper, default }
        });
        // Variables are in the order of the joints.
        let mut next = 0;
        let joints = description.joints.iter().map(|joint: &Joint| {
            let values = if joint.mimic.is_some() { 0 } else { joint.kind.variables() };
            let first = next;
            next += values;
            JointInfo {
                name: joint.name.clone(),
                kind: kind(joint.kind),
                parent: description.links[joint.parent].name.clone(),
                child: description.links[joint.child].name.clone(),
                variables: (first..next).collect(),
                velocity: joint.velocity,
                mimic: joint.mimic.as_ref().map(|mimic| MimicInfo {
                    joint: mimic.joint.clone(),
                    multiplier: mimic.multiplier,
                    offset: mimic.offset,
                }),
            }
        });
        let links = description.links.iter().map(|link| LinkInfo {
            name: link.name.clone(),
            collisions: link.collisions.iter().map(|it| CollisionInfo::of(&it.geometry, robot.meshes())).collect(),
            visual: link.is_visible,
        });
        let states = srdf.map_or(&[][..], |srdf| &srdf.states).iter().map(|state| StateInfo {
            name: state.name.clone(),
            group: state.group.clone(),
            joints: (state.joints.iter())
                .map(|(name, values)| StateJoint { name: name.clone(), values: values.clone() })
                .collect(),
        });
        Info {
            schema: "clearance-robot-info/1",
            robot: description.name.clone(),
            variables: variables.collect(),
            joints: joints.collect(),
            links: links.collect(),
            meshes: robot.meshes().iter().map(MeshInfo::of).collect(),
            states: states.collect(),
            warnings,
            notes: robot.notes().to_vec(),
        }
    }
}

impl CollisionInfo {
    fn of(geometry: &Geometry, meshes: &[LoadedMesh]) -> CollisionInfo {
        match geometry {
            Geometry::Box { size } => CollisionInfo::Box { size: size.to_array() },
            Geometry::Cylinder { radius, length } => CollisionInfo::Cylinder { radius: *radius, length: *length },
            Geometry::Capsule { radius, length } => CollisionInfo::Capsule { radius: *radius, length: *length },
            Geometry::Sphere { radius } => CollisionInfo::Sphere { radius: *radius },
            Geometry::Mesh { uri, scale } => {
                let known = meshes.iter().position(|mesh| mesh.uri == *uri && mesh.scale == *scale);
                // Every mesh of the URDF is among those that were loaded.
                CollisionInfo::Mesh { mesh: known.unwrap_or_default() }
            }
        }
    }

    fn text(&self, meshes: &[MeshInfo]) -> String {
        match self {
            CollisionInfo::Box { size } => format!("box {} m", size.map(short).join(" x ")),
            CollisionInfo::Cylinder { radius, length } => {
                format!("cylinder, radius {} m, length {} m", short(*radius), short(*length))
            }
            CollisionInfo::Capsule { radius, length } => {
                format!("capsule, radius {} m, length {} m", short(*radius), short(*length))
            }
            CollisionInfo::Sphere { radius } => format!("sphere, radius {} m", short(*radius)),
            CollisionInfo::Mesh { mesh } => meshes.get(*mesh).map_or_else(String::new, MeshInfo::text),
        }
    }
}

impl MeshInfo {
    fn of(loaded: &LoadedMesh) -> MeshInfo {
        let open = loaded.why_open();
        MeshInfo {
            uri: loaded.uri.clone(),
            file: loaded.path.display().to_string(),
            scale: loaded.scale.to_array(),
            triangles: loaded.mesh.triangle_count(),
            solid: open.is_none(),
            open: open.map(|why| why.to_string()),
        }
    }

    fn text(&self) -> String {
        let triangles = count(self.triangles as u64, "triangle");
        let kind = self.open.as_ref().map_or_else(|| "solid".to_owned(), |why| format!("surface: {why}"));
        format!("{}, {triangles}, {kind}", self.file)
    }
}

/// A joint value, to six decimals.
fn value(value: f64) -> String {
    let rounded = format!("{value:.6}");
    match rounded.trim_end_matches('0').trim_end_matches('.') {
        "0" | "-0" if value != 0.0 => format!("{value:e}"),
        "-0" => "0".into(),
        text => text.to_owned(),
    }
}

fn text(info: &Info) -> String {
    let mut out = Lines::default();
    let (links, joints) = (count(info.links.len() as u64, "link"), count(info.joints.len() as u64, "joint"));
    let values = count(info.variables.len() as u64, "value");
    out.line(format!("{}: {links}, {joints}, {values} in a configuration", info.robot));
    for warning in &info.warnings {
        out.line(format!("warning: {warning}"));
    }
    for note in &info.notes {
        out.line(format!("note: {note}"));
    }
    out.blank();
    out.line("joints");
    for joint in info.joints.iter().filter(|joint| joint.kind != "fixed") {
        joint_lines(joint, info, &mut out);
    }
    let fixed: Vec<&str> =
        info.joints.iter().filter(|joint| joint.kind == "fixed").map(|joint| joint.name.as_str()).collect();
    if !fixed.is_empty() {
        out.line(format!("  fixed: {}", fixed.join(", ")));
    }
    out.blank();
    out.line("links");
    for link in &info.links {
        let shapes: Vec<String> = link.collisions.iter().map(|collision| collision.text(&info.meshes)).collect();
        match shapes.len() {
            0 => out.line(format!("  {}: no collision geometry", link.name)),
            1 => out.line(format!("  {}: {}", link.name, shapes[0])),
            several => {
                out.line(format!("  {}: {several} geometries", link.name));
                shapes.iter().for_each(|shape| out.line(format!("    {shape}")));
            }
        }
    }
    if !info.states.is_empty() {
        out.blank();
        out.line("states");
    }
    for state in &info.states {
        let values = |joint: &StateJoint| joint.values.iter().map(|it| value(*it)).collect::<Vec<_>>().join(" ");
        let joints: Vec<String> =
            state.joints.iter().map(|joint| format!("{} = {}", joint.name, values(joint))).collect();
        out.line(format!("  {} (group {}): {}", state.name, state.group, joints.join(", ")));
    }
    out.text()
}

/// A joint that moves: a line for each of its variables, or one for what it mimics.
fn joint_lines(joint: &JointInfo, info: &Info, out: &mut Lines) {
    if let Some(MimicInfo { joint: driver, multiplier, offset }) = &joint.mimic {
        let plus = if *offset == 0.0 { String::new() } else { format!(" + {}", value(*offset)) };
        let times = if *multiplier == 1.0 { String::new() } else { format!("{} x ", value(*multiplier)) };
        out.line(format!("   -  {}  {}, mimics {times}{driver}{plus}", joint.name, joint.kind));
        return;
    }
    for &place in &joint.variables {
        let Variable { name, unit, lower, upper, default } = &info.variables[place];
        let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
        let range = match (lower, upper) {
            (Some(lower), Some(upper)) => format!("{} to {}{unit}", value(*lower), value(*upper)),
            _ => format!("no limits{}", unit.replacen(' ', ", ", 1)),
        };
        let default = if *default == 0.0 { String::new() } else { format!(", default {}", value(*default)) };
        let speed = joint.velocity.filter(|_| joint.variables.len() == 1);
        let speed = speed.map_or_else(String::new, |speed| format!(", at most {}{unit}/s", value(speed)));
        out.line(format!("  {place:>2}  {name}  {}, {range}{default}{speed}", joint.kind));
    }
}
