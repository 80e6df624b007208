//! `clearance robot`: robots by their URDF, and what all its commands share.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use clearance_check::Error;
use clearance_check::robot::{Surrounding, read_world};
use clearance_robot::{Allowed, CheckOptions, Checker, LoadOptions, Packages, Robot, Srdf};
use clearance_view::Scene;
use serde::Serialize;

use super::formats::{ANSWER, File, Format, by_ending, can_write, pages, write_answer};
use super::{Outcome, robot_acm, robot_check, robot_sweep, write_page};

/// Check robots: configurations and trajectories against themselves and a world, with the meshes as they are.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(robot_check::Arguments),
    Sweep(robot_sweep::Arguments),
    Acm(robot_acm::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    match &arguments.command {
        Command::Check(arguments) => robot_check::run(arguments),
        Command::Sweep(arguments) => robot_sweep::run(arguments),
        Command::Acm(arguments) => robot_acm::run(arguments),
    }
}

/// What questions about a robot begin and end with: the robot, what it is checked against, and how the answer is given.
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

    /// Write a page to look at: the robot in its configurations or on its way, with a slider, and what was found, in one HTML file that
    /// fetches nothing.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Asked {
    /// The robot and the SRDF, if one was named; first of all, whether a page can be written if one is to be, and over
    /// none of the files that are read, one more of which may be named here.
    pub fn load(&self, also_read: Option<&Path>) -> Result<(Robot, Option<Srdf>), Error> {
        let files = [self.surroundings.srdf.as_deref(), self.surroundings.world.as_deref(), also_read];
        can_write(&self.files()?, files.into_iter().flatten().chain([self.which.urdf()]))?;
        Ok((self.which.load()?, self.surroundings.srdf()?))
    }

    /// What is asked.
    pub fn checker(&self, robot: Robot, srdf: Option<&Srdf>) -> Result<Checker, Error> {
        self.surroundings.checker(robot, srdf)
    }

    /// Writes the page, if one is to be.
    pub fn page(&self, scene: impl FnOnce() -> Result<Scene, Error>) -> Result<(), Error> {
        let files = self.files()?;
        let pages = pages(&files);
        if pages.is_empty() {
            return Ok(());
        }
        let mut scene = scene()?;
        scene.notes.extend(self.surroundings.note());
        pages.into_iter().try_for_each(|path| write_page(path, &scene))
    }

    /// The files that are written.
    fn files(&self) -> Result<Vec<File<'_>>, Error> {
        let page = self.html.as_deref().map(|path| (path, Format::Html));
        Ok(page.into_iter().chain(by_ending(&self.output, &ANSWER)?).collect())
    }

    /// Writes an answer to all files but pages: see [`write_answer`].
    pub fn write_files<T: Serialize>(&self, title: &str, answer: &T, rows: Option<&str>) -> Result<(), Error> {
        write_answer(&self.files()?, title, answer, rows)
    }
}

/// What a robot is loaded from.
#[derive(Debug, clap::Args)]
pub(super) struct RobotSource {
    /// The robot: a URDF file (run xacro files through xacro first).
    #[arg(value_name = "URDF")]
    urdf: PathBuf,

    /// Where a package of meshes is. Also looked into: ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, and the folders above the URDF.
    #[arg(long = "package", value_name = "NAME=PATH", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = text.split_once('=').ok_or("NAME=PATH is meant")?;
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

/// What a robot is checked against.
#[derive(Debug, clap::Args)]
struct Surroundings {
    /// The pairs of links that may meet (`disable_collisions`). Without it, links that a joint connects.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,

    /// What stands about the robot, in metres and in the frame of its root link: JSON (a list of objects with `name`, `type`, `dims`, `pos`, `quat_xyzw`;
    /// a flattened problem of MotionBenchMaker is one), or any file that `clearance check` reads. In JSON an object with `attach`, the name of a link,
    /// is carried by that link, in whose frame it is, and may touch it and those in `touch_links`.
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,

    /// Thicken every link, and what it carries, by this, in metres; or as `LINK=METRES` one link, whatever the others are. Can be given
    /// several times.
    #[arg(long, value_name = "METRES|LINK=METRES", value_parser = padding)]
    padding: Vec<(Option<String>, f64)>,

    /// Two more links that may meet, as `LINK,LINK`.
    #[arg(long, value_name = "LINK,LINK", value_parser = two_links)]
    allow: Vec<(String, String)>,

    /// Refuse to check more pairs of bodies than this, at some 350 bytes a pair.
    #[arg(long, value_name = "N", default_value_t = CheckOptions::default().max_pairs)]
    max_pairs: usize,
}

/// A padding, of one link or of all.
fn padding(text: &str) -> Result<(Option<String>, f64), String> {
    let (link, metres) = match text.rsplit_once('=') {
        Some((link, metres)) => (Some(link.trim().to_owned()), metres),
        None => (None, text),
    };
    let metres: f64 = metres.trim().parse().map_err(|_| format!("`{metres}` is no number"))?;
    Ok((link, metres))
}

fn two_links(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("two links with a comma between them are meant")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

impl Surroundings {
    /// The SRDF, if one was named.
    fn srdf(&self) -> Result<Option<Srdf>, Error> {
        self.srdf.as_ref().map(|path| Srdf::read(path).map_err(Error::from)).transpose()
    }

    /// What is asked.
    fn checker(&self, robot: Robot, srdf: Option<&Srdf>) -> Result<Checker, Error> {
        let mut allowed = match srdf {
            Some(srdf) => Allowed::from_srdf(&robot, srdf).map_err(Error::from)?,
            None => Allowed::adjacent(&robot),
        };
        for (one, other) in &self.allow {
            let link = |name: &str| robot.link(name, "--allow").map_err(Error::from);
            allowed.insert(link(one)?, link(other)?);
        }
        let surrounding = self.world.as_ref().map_or(Ok(Surrounding::default()), |path| read_world(path))?;
        if let Some(path) = self.world.as_ref().filter(|_| surrounding.is_empty()) {
            return Err(Error::format(path, "no objects; leave out --world where nothing stands about"));
        }
        let Surrounding { objects: world, attached } = surrounding;
        let (padding, link_padding) = self.paddings()?;
        let max_pairs = self.max_pairs;
        let options = CheckOptions { allowed, world, attached, padding, link_padding, max_pairs };
        let checker = Checker::new(robot, options).map_err(Error::from)?;
        if checker.pairs().is_empty() {
            let why = "there is one link alone, or all pairs may meet (--srdf, --allow), and no --world with objects";
            return Err(Error::Usage(format!("nothing to check: 0 pairs of bodies: {why}")));
        }
        Ok(checker)
    }

    /// The padding of all links, and of single ones.
    fn paddings(&self) -> Result<(f64, Vec<(String, f64)>), Error> {
        let of_all: Vec<f64> = self.padding.iter().filter(|(link, _)| link.is_none()).map(|(_, by)| *by).collect();
        if of_all.len() > 1 {
            return Err(Error::Usage("--padding: several for all links; one is meant, others as LINK=METRES".into()));
        }
        let single = self.padding.iter().filter_map(|(link, by)| Some((link.clone()?, *by)));
        Ok((of_all.first().copied().unwrap_or(0.0), single.collect()))
    }

    /// What a page has to say besides what it shows.
    fn note(&self) -> Option<String> {
        let paddings: Vec<String> = (self.padding.iter())
            .filter(|(_, by)| *by > 0.0)
            .map(|(link, by)| link.as_ref().map_or_else(|| format!("{by} m"), |link| format!("{by} m ({link})")))
            .collect();
        (!paddings.is_empty()).then(|| format!("Links are drawn without their padding of {}.", paddings.join(", ")))
    }
}
