//! Trajectories from files: CSV, JSON, and the JointTrajectory messages of ROS and MoveIt as YAML or JSON.
//!
//! YAML and JSON are read into one tree, so every form that one has the other has too.

use std::path::Path;

use clearance_robot::Robot;
use serde_json::{Map, Value};

use super::configurations::{by_name, in_order, is_value};
use super::yaml;
use crate::error::Error;

/// What a column or a member with times may be called.
const TIMES: [&str; 3] = ["time", "t", "time_from_start"];

/// Configurations, with their times if the file has them. See [`read_trajectory`] for an example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// The configurations.
    pub points: Vec<Vec<f64>>,
    /// The time of each, in seconds, as the file has them: not checked to increase.
    pub times: Option<Vec<f64>>,
}

/// Reads a trajectory. `path` is used in messages, and by its ending `.yaml` or `.yml`.
///
/// - CSV, with or without variable names in its first line; a column `time`, `t` or `time_from_start` has times.
/// - JSON or YAML: a list of lists of values, or of objects from variable names to values, which may have a `time`; or
///   `{"configurations": [...]}` around such a list.
/// - A `trajectory_msgs/JointTrajectory` as YAML or JSON: `joint_names`, and `points` with `positions` and
///   `time_from_start`, a number or `sec` and `nanosec` (`secs` and `nsecs`). Also inside `joint_trajectory`, as in
///   `moveit_msgs/RobotTrajectory`. Where all times are 0, as a planner leaves them, there are none.
///
/// Values may have units, as in [`parse_configuration`](super::parse_configuration). Variables that are not named are
/// at their default ([`Robot::middle`]).
///
/// # Errors
/// [`Error::Format`], naming the line or the point.
///
/// ```
/// use clearance_check::robot::read_trajectory;
/// use clearance_robot::{LoadOptions, Robot};
/// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
/// let text = format!("<robot name='r'><link name='a'>{ball}</link><link name='b'/>
///     <joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///     <limit lower='0' upper='9'/></joint></robot>");
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// let text = "joint_names: [slide]\npoints:\n- positions: [1]\n  time_from_start: {sec: 0, nanosec: 0}\n\
///             - positions: [2.5]\n  time_from_start: {sec: 1, nanosec: 500000000}\n";
/// let trajectory = read_trajectory("path.yaml".as_ref(), text, &robot)?;
/// assert_eq!((trajectory.points, trajectory.times), (vec![vec![1.0], vec![2.5]], Some(vec![0.0, 1.5])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_trajectory(path: &Path, text: &str, robot: &Robot) -> Result<Trajectory, Error> {
    let bad = |problem: String| Error::format(path, problem);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let ending = |wanted: &str| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
    let is_message =
        |line: &str| ["joint_names:", "joint_trajectory:"].iter().any(|name| line.trim_start().starts_with(name));
    let read = if ending("yaml") || ending("yml") {
        yaml::parse(text).and_then(|tree| of_tree(&tree, robot))
    } else if text.trim_start().starts_with(['[', '{']) {
        let tree = serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"));
        tree.and_then(|tree| of_tree(&tree, robot))
    } else if text.lines().any(is_message) {
        yaml::parse(text).and_then(|tree| of_tree(&tree, robot))
    } else {
        of_csv(text, robot)
    };
    read.map_err(bad)
}

/// The name under which times stand, unless the robot has a variable of that name.
fn is_time(name: &str, robot: &Robot) -> bool {
    TIMES.iter().any(|time| name.eq_ignore_ascii_case(time)) && robot.variable(name).is_none()
}

fn of_csv(text: &str, robot: &Robot) -> Result<Trajectory, String> {
    let mut names: Option<Vec<&str>> = None;
    let mut column = None;
    let (mut points, mut times) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |problem: String| format!("line {}: {problem}", number + 1);
        let separators = [',', ';', '\t', ' '];
        let mut words: Vec<&str> = line.split(separators).map(str::trim).filter(|word| !word.is_empty()).collect();
        // The first line has names if none of its words is a value, or if the robot knows all of them.
        let is_name = |name: &&str| is_time(name, robot) || robot.variable(name).is_some();
        let is_header = || !words.iter().any(|word| is_value(word)) || words.iter().all(is_name);
        if names.is_none() && points.is_empty() && is_header() {
            column = words.iter().position(|name| is_time(name, robot));
            column.map(|column| words.remove(column));
            names = Some(words);
            continue;
        }
        if let Some(column) = column {
            let columns = names.as_ref().map_or(0, Vec::len) + 1;
            if words.len() != columns {
                return Err(at(format!("expected {columns} values, one of them the time, got {}", words.len())));
            }
            let word = words.remove(column);
            let time = word.parse().ok().filter(|time: &f64| time.is_finite());
            times.push(time.ok_or_else(|| at(format!("the time `{word}` is not a number")))?);
        }
        let q = match &names {
            Some(names) if names.len() != words.len() => {
                Err(format!("expected {} values, one for each name, got {}", names.len(), words.len()))
            }
            Some(names) => by_name(names.iter().copied().zip(words), robot),
            None => in_order(&words, robot),
        };
        points.push(q.map_err(at)?);
    }
    Ok(Trajectory { points, times: column.map(|_| times) })
}

/// What a tree may be, for messages.
const EXPECTED: &str = "expected a list of configurations, or `joint_names` and `points`";

fn of_tree(tree: &Value, robot: &Robot) -> Result<Trajectory, String> {
    match tree {
        Value::Array(list) => of_list(list, robot),
        Value::Object(members) => {
            if let Some(inner) = members.get("joint_trajectory") {
                let multi = members.get("multi_dof_joint_trajectory").and_then(|multi| multi.get("points"));
                if multi.and_then(Value::as_array).is_some_and(|points| !points.is_empty()) {
                    let problem = "`multi_dof_joint_trajectory` has points, which are not read: give the values of \
                                   its joints in a CSV";
                    return Err(problem.into());
                }
                return of_tree(inner, robot).map_err(|problem| format!("joint_trajectory: {problem}"));
            }
            match (members.get("configurations"), members.get("joint_names"), members.get("points")) {
                (Some(Value::Array(list)), ..) => of_list(list, robot),
                (_, Some(names), Some(Value::Array(points))) => of_message(names, points, robot),
                _ => {
                    let names: Vec<&str> = members.keys().take(10).map(String::as_str).collect();
                    Err(format!("{EXPECTED}, got an object with {}", names.join(", ")))
                }
            }
        }
        _ => Err(EXPECTED.into()),
    }
}

/// The words of values.
fn words(list: &[Value]) -> Result<Vec<String>, String> {
    list.iter().map(word).collect()
}

fn word(value: &Value) -> Result<String, String> {
    match value {
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text.clone()),
        other => Err(format!("`{other}` is not a number")),
    }
}

fn of_list(list: &[Value], robot: &Robot) -> Result<Trajectory, String> {
    let (mut points, mut times) = (Vec::new(), Vec::new());
    for (number, one) in list.iter().enumerate() {
        let at = |problem: String| format!("configuration {number}: {problem}");
        let q = match one {
            Value::Array(values) => {
                let words = words(values).map_err(at)?;
                in_order(&words.iter().map(String::as_str).collect::<Vec<_>>(), robot)
            }
            Value::Object(members) => {
                let mut named = Vec::new();
                for (name, value) in members {
                    if is_time(name, robot) {
                        times.push(duration(value).map_err(at)?);
                    } else {
                        named.push((name.as_str(), word(value).map_err(at)?));
                    }
                }
                by_name(named.iter().map(|(name, word)| (*name, word.as_str())), robot)
            }
            other => Err(format!("expected a list of values, or an object from names to values, got `{other}`")),
        };
        points.push(q.map_err(at)?);
        if !times.is_empty() && times.len() != points.len() {
            return Err(at(format!("{} times in {} configurations, expected one each", times.len(), points.len())));
        }
    }
    let times = (!times.is_empty()).then_some(times);
    Ok(Trajectory { points, times })
}

/// A JointTrajectory.
fn of_message(names: &Value, list: &[Value], robot: &Robot) -> Result<Trajectory, String> {
    let names: Option<Vec<&str>> = names.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
    let names = names.ok_or("`joint_names`: expected a list of names")?;
    let (mut points, mut times) = (Vec::new(), Vec::new());
    for (number, point) in list.iter().enumerate() {
        let at = |problem: String| format!("point {number}: {problem}");
        let Some(Value::Array(positions)) = point.get("positions") else {
            return Err(at("expected a list `positions`".into()));
        };
        if positions.len() != names.len() {
            return Err(at(format!(
                "expected {} positions, as in `joint_names`, got {}",
                names.len(),
                positions.len()
            )));
        }
        let words = words(positions).map_err(at)?;
        let named = names.iter().copied().zip(words.iter().map(String::as_str));
        points.push(by_name(named, robot).map_err(at)?);
        if let Some(time) = point.get("time_from_start").filter(|time| !time.is_null()) {
            times.push(duration(time).map_err(|problem| at(format!("time_from_start: {problem}")))?);
        }
        if !times.is_empty() && times.len() != points.len() {
            return Err(at(format!("`time_from_start` in {} of {} points", times.len(), points.len())));
        }
    }
    // Plans have all times at 0 until they are timed.
    let is_timed = !times.is_empty() && (points.len() < 2 || times.iter().any(|time| *time != 0.0));
    Ok(Trajectory { points, times: is_timed.then_some(times) })
}

/// A time in seconds: a number, or the two members of a ROS duration.
fn duration(value: &Value) -> Result<f64, String> {
    let expected = || format!("expected a number of seconds, or `sec` and `nanosec`, got `{value}`");
    let member = |members: &Map<String, Value>, names: [&str; 2]| {
        names.iter().find_map(|name| members.get(*name)).map(|value| value.as_f64().ok_or_else(expected)).transpose()
    };
    match value {
        Value::Number(number) => number.as_f64().ok_or_else(expected),
        Value::Object(members) => {
            let (whole, parts) = (member(members, ["sec", "secs"])?, member(members, ["nanosec", "nsecs"])?);
            let whole = whole.ok_or_else(expected)?;
            Ok(whole + parts.unwrap_or(0.0) / 1e9)
        }
        _ => Err(expected()),
    }
}
