//! The robots of the data folder, and the problems of MotionBenchMaker with the answers that are known.

use crate::error::LabError;
use clearance_cli::robot::WorldObject;
use clearance_robot::{Allowed, LoadOptions, Packages, Robot, Srdf};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A robot of the data folder with its SRDF.
pub struct Arm {
    /// What the folder calls it.
    pub name: &'static str,
    /// The robot.
    pub robot: Robot,
    /// Its SRDF, with the pairs added that overlap in every configuration.
    pub srdf: Srdf,
    /// The URDF with full paths of meshes, for peers.
    pub urdf_with_full_paths: String,
}

/// Pairs that overlap in every configuration and are not in the SRDF: the data's README names them.
const ALWAYS: &[(&str, &str, &str)] = &[("ur5", "fts_robotside", "wrist_2_link")];

impl Arm {
    /// Loads a robot by the paths of its files below the folder of robots.
    pub fn load(folder: &Path, name: &'static str, urdf: &str, srdf: &str) -> Result<Arm, LabError> {
        let path = folder.join(urdf);
        let bad = |problem: String| LabError::BadData { path: path.clone(), problem };
        let robot = Robot::load(&path, &LoadOptions::default()).map_err(|error| bad(error.to_string()))?;
        let mut srdf = Srdf::read(folder.join(srdf)).map_err(|error| bad(error.to_string()))?;
        for (_, one, other) in ALWAYS.iter().filter(|(robot, ..)| *robot == name) {
            srdf.disabled.push(clearance_robot::DisabledPair::new(one, other, "Default"));
        }
        let mut text = std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
        for link in &robot.description().links {
            for collision in &link.collisions {
                if let clearance_robot::Geometry::Mesh { uri, .. } = &collision.geometry
                    && let Ok(found) = Packages::default().find(&path, uri)
                {
                    let found = std::path::absolute(&found).unwrap_or(found);
                    text = text.replace(&format!("\"{uri}\""), &format!("\"{}\"", found.display()));
                }
            }
        }
        Ok(Arm { name, robot, srdf, urdf_with_full_paths: text })
    }

    /// The pairs that may meet.
    pub fn allowed(&self) -> Result<Allowed, LabError> {
        let bad = |error: clearance_robot::Error| LabError::BadData {
            path: self.srdf.path.clone(),
            problem: error.to_string(),
        };
        Allowed::from_srdf(&self.robot, &self.srdf).map_err(bad)
    }
}

/// A problem: a world, where a motion begins and where it ends.
#[derive(Deserialize)]
pub struct Problem {
    /// Its number.
    pub index: u64,
    /// What stands about.
    pub objects: Vec<WorldObject>,
    /// Joints at the start.
    pub start: BTreeMap<String, f64>,
    /// Planned joints at the end; others stay.
    pub goal: BTreeMap<String, f64>,
}

impl Problem {
    /// Start and goal as configurations; joints that the robot does not have are left out.
    pub fn ends(&self, robot: &Robot) -> Result<[Vec<f64>; 2], clearance_robot::Error> {
        let known = |joints: &BTreeMap<String, f64>| -> Vec<(String, f64)> {
            let is_known = |name: &str| robot.variables().iter().any(|variable| variable.name == name);
            joints.iter().filter(|(name, _)| is_known(name)).map(|(name, value)| (name.clone(), *value)).collect()
        };
        let named = |joints: &[(String, f64)], rest: &[f64]| {
            robot.configuration(joints.iter().map(|(name, value)| (name.as_str(), *value)), rest)
        };
        let start = named(&known(&self.start), &robot.middle())?;
        let goal = named(&known(&self.goal), &start)?;
        Ok([start, goal])
    }
}

/// What is known of one end of a problem.
#[derive(Deserialize)]
pub struct KnownEnd {
    /// Links and objects that meet.
    pub env_collisions: Vec<[String; 2]>,
    /// The least distance over pairs that do not.
    pub min_env_distance: f64,
    /// Links that meet.
    pub self_collisions: Vec<[String; 2]>,
}

/// What is known of a problem, by coal.
#[derive(Deserialize)]
pub struct Known {
    /// Its number.
    pub index: u64,
    /// Start and goal.
    pub mesh_coal: KnownEnds,
}

/// Both ends.
#[derive(Deserialize)]
pub struct KnownEnds {
    /// Where it begins.
    pub start: KnownEnd,
    /// Where it ends.
    pub goal: KnownEnd,
}

#[derive(Deserialize)]
struct Sets<T> {
    problem_sets: BTreeMap<String, Vec<T>>,
}

/// All problems of a robot with what is known of them, in the order of the sets' names.
pub fn problems(folder: &Path, robot: &str) -> Result<Vec<(Problem, Known)>, LabError> {
    fn read<T: for<'d> Deserialize<'d>>(path: PathBuf) -> Result<BTreeMap<String, Vec<T>>, LabError> {
        let bad = |problem: String| LabError::BadData { path: path.clone(), problem };
        let text = std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
        let sets: Sets<T> = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        Ok(sets.problem_sets)
    }
    let problems = read::<Problem>(folder.join(format!("{robot}_problems.json")))?;
    let expected = folder.join(format!("expected_{robot}.json"));
    let mut known = read::<Known>(expected.clone())?;
    let mut all = Vec::new();
    for (set, problems) in problems {
        let known = known.remove(&set).unwrap_or_default();
        if known.len() != problems.len()
            || problems.iter().zip(&known).any(|(problem, known)| problem.index != known.index)
        {
            let problem = format!("set `{set}` has not the problems of the other file");
            return Err(LabError::BadData { path: expected, problem });
        }
        all.extend(problems.into_iter().zip(known));
    }
    Ok(all)
}

/// Random configurations within the limits, by a seed: SplitMix64.
pub fn configurations(robot: &Robot, seed: u64, count: usize) -> Vec<Vec<f64>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut unit = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut draw = || robot.variables().iter().map(|v| v.lower + (v.upper - v.lower) * unit()).collect();
    (0..count).map(|_| draw()).collect()
}
