//! The robots of the data folder, and problems of MotionBenchMaker with known answers.

use crate::error::LabError;
use clearance_check::robot::WorldObject;
use clearance_robot::{Allowed, DisabledPair, LoadOptions, Packages, Robot, Srdf};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A robot of the data folder with its SRDF.
pub struct Arm {
    /// The name of its folder.
    pub name: String,
    /// The robot.
    pub robot: Robot,
    /// Its SRDF, with the pairs added that overlap in every configuration; without one, the pairs that a joint
    /// connects.
    pub srdf: Srdf,
    /// The URDF with full paths of meshes, for peers.
    pub urdf_with_full_paths: String,
}

/// Pairs that overlap in every configuration and are not in the SRDF, from the README of the data.
const ALWAYS: &[(&str, &str, &str)] = &[("ur5", "fts_robotside", "wrist_2_link")];

impl Arm {
    /// Loads the robot of a folder below the folder of robots. Its URDF is the one named like the folder, otherwise the
    /// first that is not made of spheres (`_spherized`), searched two folders deep; its SRDF likewise, if it has one.
    pub fn load(robots: &Path, name: &str) -> Result<Arm, LabError> {
        let folder = robots.join(name);
        let missing = || LabError::BadData { path: folder.clone(), problem: "no URDF in this folder".into() };
        let path = file_of(&folder, name, "urdf").ok_or_else(missing)?;
        let bad = |problem: String| LabError::BadData { path: path.clone(), problem };
        let robot = Robot::load(&path, &LoadOptions::default()).map_err(|error| bad(error.to_string()))?;
        let mut srdf = match file_of(&folder, name, "srdf") {
            Some(srdf) => Srdf::read(srdf).map_err(|error| bad(error.to_string()))?,
            None => adjacent(&robot),
        };
        for (_, one, other) in ALWAYS.iter().filter(|(robot, ..)| *robot == name) {
            srdf.disabled.push(DisabledPair::new(one, other, "Default"));
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
        Ok(Arm { name: name.to_owned(), robot, srdf, urdf_with_full_paths: text })
    }

    /// The pairs that may meet.
    pub fn allowed(&self) -> Allowed {
        Allowed::from_srdf(&self.robot, &self.srdf)
    }
}

/// The names of the robots with expected answers in the folder `motion_planning`, in order.
pub fn known_robots(planning: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(planning).into_iter().flatten().flatten();
    let name = |file: std::ffi::OsString| {
        let file = file.to_string_lossy();
        file.strip_prefix("expected_").and_then(|rest| rest.strip_suffix(".json")).map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(|entry| name(entry.file_name())).collect();
    names.sort();
    names
}

/// The file of a robot with this ending, in its folder or two folders deep.
fn file_of(folder: &Path, name: &str, ending: &str) -> Option<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![(folder.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() && depth < 2 {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|own| own == ending) {
                files.push(path);
            }
        }
    }
    let rank = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (stem != name, stem.ends_with("_spherized"), path.clone())
    };
    files.into_iter().min_by_key(rank)
}

/// An SRDF with the pairs that a joint connects.
fn adjacent(robot: &Robot) -> Srdf {
    let (allowed, links) = (Allowed::adjacent(robot), &robot.description().links);
    let mut srdf = Srdf::empty(&robot.description().name);
    for (two, other) in links.iter().enumerate() {
        for (_, link) in links[..two].iter().enumerate().filter(|(one, _)| allowed.contains(*one, two)) {
            srdf.disabled.push(DisabledPair::new(&link.name, &other.name, "Adjacent"));
        }
    }
    srdf
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

/// A folder of data that tests make: three small robots, each with one problem whose answers are known by construction.
#[cfg(test)]
pub mod made {
    use std::path::PathBuf;

    use crate::error::LabError;
    use crate::experiments::{Options, assert_answers};
    use crate::report::Report;

    /// An experiment has nothing wrong about these robots, and so many rows; without data it is refused.
    pub fn assert_as_known(name: &str, run: fn(&Options) -> Result<Report, LabError>, rows: usize) {
        let data = Data::new(name);
        let report = run(&Options { data: Some(data.0.clone()), quick: true, ..Options::default() }).unwrap();
        assert_answers(&report);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        assert_eq!(report.rows.len(), rows);
        assert!(run(&Options::default()).is_err());
    }

    /// The folder, removed at the end.
    pub struct Data(pub PathBuf);

    impl Data {
        pub fn new(name: &str) -> Data {
            let root = std::env::temp_dir().join(format!("clearance-lab-{name}-{}", std::process::id()));
            let write = |path: String, text: &str| {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of tests");
                std::fs::write(path, text).expect("a file of tests");
            };
            // An arm a metre long and 0.1 thick that turns about z, and a box beside it; links are named as in the ur5.
            let urdf = "<robot name='r'><link name='base'/>
                <link name='fts_robotside'><collision><origin xyz='0.5 0 0'/>
                    <geometry><box size='1 0.1 0.1'/></geometry></collision></link>
                <link name='wrist_2_link'><collision><origin xyz='-0.5 0 0'/>
                    <geometry><box size='0.4 0.1 0.1'/></geometry></collision></link>
                <joint name='j' type='revolute'><parent link='base'/><child link='fts_robotside'/><axis xyz='0 0 1'/>
                    <limit lower='-2' upper='2'/></joint>
                <joint name='k' type='fixed'><parent link='base'/><child link='wrist_2_link'/></joint></robot>";
            // A box 0.5 above the middle of the arm at the start; at the goal the arm points along y.
            let problem = r#"{"problem_sets": {"set": [{"index": 1, "objects": [
                {"id": "can", "type": "box", "dims": [0.2, 0.2, 0.2], "pos": [0.5, 0, 0.65],
                 "quat_xyzw": [0, 0, 0, 1]}],
                "start": {"j": 0, "other": 1}, "goal": {"j": 1.5707963267948966}}]}}"#;
            let end = |distance: f64| {
                format!(r#"{{"env_collisions": [], "min_env_distance": {distance}, "self_collisions": []}}"#)
            };
            // Up 0.5, and across from the arm's side at 0.05 to the box's at 0.4.
            let at_goal = (0.5_f64 * 0.5 + 0.35 * 0.35).sqrt();
            let known = format!(
                r#"{{"problem_sets": {{"set": [{{"index": 1, "mesh_coal": {{"start": {}, "goal": {}}}}}]}}}}"#,
                end(0.5),
                end(at_goal)
            );
            // A robot of any name, in a folder of its own choice, without an SRDF; and one made of spheres that is not
            // it.
            write("robots/crane/urdf/crane_v2.urdf".into(), urdf);
            write("robots/crane/urdf/a_spherized.urdf".into(), "<robot name='none'/>");
            for robot in ["panda", "ur5"] {
                write(format!("robots/{robot}/{robot}.urdf"), urdf);
                write(format!("robots/{robot}/{robot}.srdf"), "<robot name='r'/>");
            }
            for robot in ["crane", "panda", "ur5"] {
                write(format!("motion_planning/{robot}_problems.json"), problem);
                write(format!("motion_planning/expected_{robot}.json"), &known);
            }
            Data(root)
        }
    }

    impl Drop for Data {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
