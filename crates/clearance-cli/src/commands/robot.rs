//! `clearance robot`: robots from URDF files, and what its commands share.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use clearance_check::Error;
use clearance_check::robot::{Surrounding, read_world};
use clearance_robot::{Allowed, CheckOptions, Checker, LoadOptions, Packages, Robot, Srdf};
use clearance_view::Scene;
use serde::Serialize;

use super::formats::{ANSWER, File, Format, by_ending, can_write, pages, write_answer};
use super::{Outcome, robot_acm, robot_check, robot_info, robot_sweep, write_page};
use crate::print;

/// Check configurations and trajectories of a robot for collisions with itself and a world, using the full meshes.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Info(robot_info::Arguments),
    Check(robot_check::Arguments),
    Sweep(robot_sweep::Arguments),
    Acm(robot_acm::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    match &arguments.command {
        Command::Info(arguments) => robot_info::run(arguments),
        Command::Check(arguments) => robot_check::run(arguments),
        Command::Sweep(arguments) => robot_sweep::run(arguments),
        Command::Acm(arguments) => robot_acm::run(arguments),
    }
}

/// Arguments that `check` and `sweep` share: the robot, its surroundings, and the form of the answer.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    #[command(flatten)]
    which: RobotSource,

    #[command(flatten)]
    surroundings: Surroundings,

    /// Print JSON.
    #[arg(long)]
    pub json: bool,

    /// Also write the answer to FILE, in the format of its ending: .html (an interactive page), .json, .csv or .md.
    /// Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Write a self-contained HTML page with the robot in 3D, a slider over configurations or time, and the findings.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Asked {
    /// The robot, and the SRDF if one was given. First checks that the page can be written, and over none of the
    /// inputs, of which `also_read` is another.
    pub fn load(&self, also_read: Option<&Path>) -> Result<(Robot, Option<Srdf>), Error> {
        let files = [self.surroundings.srdf.as_deref(), self.surroundings.world.as_deref(), also_read];
        can_write(&self.files()?, files.into_iter().flatten().chain([self.which.urdf()]))?;
        Ok((self.which.load()?, read_srdf(self.surroundings.srdf.as_deref())?))
    }

    /// The warnings about the SRDF, also on stderr where stdout is JSON.
    pub fn warnings(&self, checker: &Checker, srdf: Option<&Srdf>) -> Vec<String> {
        warnings(checker.robot(), srdf, self.json)
    }

    /// The checker of the robot in its surroundings.
    pub fn checker(&self, robot: Robot, srdf: Option<&Srdf>) -> Result<Checker, Error> {
        self.surroundings.checker(robot, srdf)
    }

    /// Writes the pages, if any were asked for.
    pub fn page(&self, notes: &[String], scene: impl FnOnce() -> Result<Scene, Error>) -> Result<(), Error> {
        let files = self.files()?;
        let pages = pages(&files);
        if pages.is_empty() {
            return Ok(());
        }
        let mut scene = scene()?;
        scene.notes.extend(notes.iter().cloned().chain(self.surroundings.note()));
        pages.into_iter().try_for_each(|path| write_page(path, &scene))
    }

    /// The files to write.
    fn files(&self) -> Result<Vec<File<'_>>, Error> {
        let page = self.html.as_deref().map(|path| (path, Format::Html));
        Ok(page.into_iter().chain(by_ending(&self.output, &ANSWER)?).collect())
    }

    /// Writes an answer to all files but pages: see [`write_answer`].
    pub fn write_files<T: Serialize>(&self, title: &str, answer: &T, rows: Option<&str>) -> Result<(), Error> {
        write_answer(&self.files()?, title, answer, rows)
    }
}

/// The SRDF, if one was given.
pub(super) fn read_srdf(path: Option<&Path>) -> Result<Option<Srdf>, Error> {
    path.map(|path| Srdf::read(path).map_err(Error::from)).transpose()
}

/// The warnings about an SRDF. They are part of the answer; where that is JSON they are on stderr too.
pub(super) fn warnings(robot: &Robot, srdf: Option<&Srdf>, json: bool) -> Vec<String> {
    let warnings = srdf.map_or_else(Vec::new, |srdf| srdf.warnings(robot));
    for warning in warnings.iter().filter(|_| json) {
        print::note(format!("warning: {warning}"));
    }
    warnings
}

/// A note if configurations look like degrees.
pub(super) fn degrees_hint(robot: &Robot, configurations: &[Vec<f64>]) -> Option<String> {
    let mut alike = configurations.iter().enumerate().filter(|(_, q)| robot.looks_like_degrees(q));
    let (first, q) = alike.next()?;
    let others = match alike.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let largest = robot.beyond_limits(q).into_iter().max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs()))?;
    let (name, value) = (&robot.variables()[largest].name, q[largest]);
    Some(format!(
        "configuration {first}{others}: angles are in rad, but these look like degrees ({name} = {value}); for degrees \
         write {value}deg"
    ))
}

/// Where a robot is loaded from.
#[derive(Debug, clap::Args)]
pub(super) struct RobotSource {
    /// The robot, a URDF file. Expand xacro files first: `xacro arm.urdf.xacro > arm.urdf`.
    #[arg(value_name = "URDF")]
    urdf: PathBuf,

    /// The folder of a package that meshes are in. ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above the URDF
    /// are searched too.
    #[arg(long = "package", value_name = "NAME=PATH", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("expected NAME=PATH")?;
    Ok((name.to_owned(), path.into()))
}

impl RobotSource {
    pub fn urdf(&self) -> &Path {
        &self.urdf
    }

    pub fn load(&self) -> Result<Robot, Error> {
        let packages = Packages { given: self.packages.clone(), ..Packages::from_environment() };
        Robot::load(&self.urdf, &LoadOptions { packages, ..LoadOptions::default() }).map_err(Error::from)
    }
}

/// The surroundings of a robot.
#[derive(Debug, clap::Args)]
struct Surroundings {
    /// An SRDF with the pairs of links that are not checked (`disable_collisions`) and named configurations. Without
    /// it, links that a joint connects are not checked.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,

    /// Obstacles around the robot, in metres and in the frame of its root link: any file that `clearance check` reads,
    /// or JSON, a list of objects with `name`, `type`, `dims`, `pos`, `quat_xyzw`. In JSON an object with `attach`, the
    /// name of a link, is attached to that link, in its frame, and may touch it and the links in `touch_links`.
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,

    /// Pad every link and what is attached to it by this distance, or one link with `LINK=METRES`. Repeatable.
    #[arg(long, value_name = "METRES|LINK=METRES", value_parser = padding)]
    padding: Vec<(Option<String>, f64)>,

    /// Another pair of links that is not checked. Repeatable.
    #[arg(long, value_name = "LINK,LINK", value_parser = two_links)]
    allow: Vec<(String, String)>,

    /// The most pairs of bodies to check, at about 350 bytes per pair.
    #[arg(long, value_name = "N", default_value_t = CheckOptions::default().max_pairs)]
    max_pairs: usize,
}

/// The padding of one link, or of all.
fn padding(text: &str) -> Result<(Option<String>, f64), String> {
    let (link, metres) = match text.rsplit_once('=') {
        Some((link, metres)) => (Some(link.trim().to_owned()), metres),
        None => (None, text),
    };
    let metres: f64 = metres.trim().parse().map_err(|_| format!("`{metres}` is not a number"))?;
    Ok((link, metres))
}

fn two_links(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("expected LINK,LINK")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

impl Surroundings {
    /// The checker of the robot among all this.
    fn checker(&self, robot: Robot, srdf: Option<&Srdf>) -> Result<Checker, Error> {
        let mut allowed = match srdf {
            Some(srdf) => Allowed::from_srdf(&robot, srdf),
            None => Allowed::adjacent(&robot),
        };
        for (one, other) in &self.allow {
            let link = |name: &str| robot.link(name, "--allow").map_err(Error::from);
            allowed.insert(link(one)?, link(other)?);
        }
        let surrounding = self.world.as_ref().map_or(Ok(Surrounding::default()), |path| read_world(path))?;
        if let Some(path) = self.world.as_ref().filter(|_| surrounding.is_empty()) {
            return Err(Error::format(path, "no objects; omit --world to check the robot alone"));
        }
        let Surrounding { objects: world, attached } = surrounding;
        let (padding, link_padding) = self.paddings()?;
        let max_pairs = self.max_pairs;
        let options = CheckOptions { allowed, world, attached, padding, link_padding, max_pairs };
        let checker = Checker::new(robot, options).map_err(Error::from)?;
        if checker.pairs().is_empty() {
            let why = "one link only, or every pair disabled (--srdf, --allow), and no --world";
            return Err(Error::Usage(format!("nothing to check: 0 pairs of bodies: {why}")));
        }
        Ok(checker)
    }

    /// The padding of all links, and of single ones.
    fn paddings(&self) -> Result<(f64, Vec<(String, f64)>), Error> {
        let of_all: Vec<f64> = self.padding.iter().filter(|(link, _)| link.is_none()).map(|(_, by)| *by).collect();
        if of_all.len() > 1 {
            return Err(Error::Usage(
                "--padding: several for all links, expected one; give others as LINK=METRES".into(),
            ));
        }
        let single = self.padding.iter().filter_map(|(link, by)| Some((link.clone()?, *by)));
        Ok((of_all.first().copied().unwrap_or(0.0), single.collect()))
    }

    /// A remark for the page on how padding is drawn.
    fn note(&self) -> Option<String> {
        let paddings: Vec<String> = (self.padding.iter())
            .filter(|(_, by)| *by > 0.0)
            .map(|(link, by)| link.as_ref().map_or_else(|| format!("{by} m"), |link| format!("{by} m ({link})")))
            .collect();
        (!paddings.is_empty()).then(|| format!("Links are drawn without their padding of {}.", paddings.join(", ")))
    }
}
