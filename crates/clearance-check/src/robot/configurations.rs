//! Configurations as people write them: values in the order of the variables or by name, with units.

use std::collections::BTreeSet;
use std::path::Path;

use clearance_robot::{Dimension, Robot};

use super::trajectory::read_trajectory;
use crate::error::Error;

/// Units of angles and lengths, with the divisor that turns a value into radians or metres. An ending comes before the
/// endings it contains.
const UNITS: [(&str, Dimension); 6] = [
    ("deg", Dimension::Angle),
    ("°", Dimension::Angle),
    ("rad", Dimension::Angle),
    ("mm", Dimension::Length),
    ("cm", Dimension::Length),
    ("m", Dimension::Length),
];

/// A value with an optional unit, in radians or metres, for a variable of this name and dimension.
pub(super) fn value(word: &str, name: &str, dimension: Dimension) -> Result<f64, String> {
    let word = word.trim();
    if let Ok(value) = word.parse() {
        return Ok(value);
    }
    let found = UNITS.iter().find_map(|(unit, of)| Some((unit, of, word.strip_suffix(unit)?.trim_end().parse().ok()?)));
    let Some((unit, of, number)): Option<(_, _, f64)> = found else {
        return Err(format!("`{word}` is not a number with an optional unit (deg, rad, m, cm, mm)"));
    };
    if *of != dimension {
        let expected = match dimension {
            Dimension::Angle => "an angle: expected rad or deg",
            Dimension::Length => "a length: expected m, cm or mm",
            Dimension::Quaternion => "part of a quaternion: expected a number without a unit",
        };
        return Err(format!("`{word}`: `{name}` is {expected}"));
    }
    Ok(match *unit {
        "deg" | "°" => number.to_radians(),
        "mm" => number / 1000.0,
        "cm" => number / 100.0,
        _ => number,
    })
}

/// Whether a word is a value of some dimension, rather than a name.
pub(super) fn is_value(word: &str) -> bool {
    [Dimension::Angle, Dimension::Length].iter().any(|dimension| value(word, "", *dimension).is_ok())
}

/// A configuration by values in the order of the variables.
pub(super) fn in_order(words: &[&str], robot: &Robot) -> Result<Vec<f64>, String> {
    let variables = robot.variables();
    if words.len() != variables.len() {
        // The error of the robot, which names the variables.
        let wrong = robot.check_configuration(&vec![0.0; words.len()]).err();
        return Err(wrong.map_or_else(String::new, |error| error.to_string()));
    }
    let values = words.iter().zip(variables).map(|(word, variable)| value(word, &variable.name, variable.dimension));
    let q = values.collect::<Result<Vec<f64>, String>>()?;
    robot.check_configuration(&q).map_err(|error| error.to_string())?;
    Ok(q)
}

/// A configuration by names; variables that are not named are at their default.
pub(super) fn by_name<'n>(
    values: impl IntoIterator<Item = (&'n str, &'n str)>,
    robot: &Robot,
) -> Result<Vec<f64>, String> {
    let (mut known, mut named) = (BTreeSet::new(), Vec::new());
    for (name, word) in values {
        if !known.insert(name) {
            return Err(format!("`{name}` is given twice"));
        }
        let variable = robot.variable(name).map(|number| &robot.variables()[number]);
        // Unknown names are refused by the robot, which lists the known ones.
        named.push((name, variable.map_or(Ok(0.0), |variable| value(word, name, variable.dimension))?));
    }
    robot.configuration(named, &robot.middle()).map_err(|error| error.to_string())
}

/// Parses one configuration: values in the order of [`Robot::variables`], or `name=value`, separated by commas or
/// spaces. Values are in radians and metres unless they have a unit: `45deg`, `10mm`. Variables that are not named are
/// at their default ([`Robot::middle`]).
///
/// # Errors
/// What is wrong, with the word or the variable.
///
/// ```
/// use clearance_check::robot::parse_configuration;
/// use clearance_robot::{LoadOptions, Robot};
/// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
/// let text = format!("<robot name='r'><link name='a'>{ball}</link><link name='b'/>
///     <joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///     <limit lower='0' upper='9'/></joint></robot>");
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// assert_eq!(parse_configuration("10mm", &robot), Ok(vec![0.01]));
/// assert_eq!(parse_configuration("slide = 2.5", &robot), Ok(vec![2.5]));
/// let error = parse_configuration("45deg", &robot).unwrap_err();
/// assert_eq!(error, "`45deg`: `slide` is a length: expected m, cm or mm");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_configuration(text: &str, robot: &Robot) -> Result<Vec<f64>, String> {
    // `45 deg` and `elbow = 1` are one word.
    let mut words: Vec<String> = Vec::new();
    for word in text.split([',', ' ', '\t', '\n']).filter(|word| !word.is_empty()) {
        let is_unit = UNITS.iter().any(|(unit, _)| *unit == word);
        match words.last_mut() {
            Some(last) if is_unit || word.starts_with('=') || last.ends_with('=') => *last += word,
            _ => words.push(word.to_owned()),
        }
    }
    if !text.contains('=') {
        return in_order(&words.iter().map(String::as_str).collect::<Vec<_>>(), robot);
    }
    let split = |word: &'_ String| {
        let (name, value) = word.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    let mut named = Vec::new();
    for word in &words {
        let wrong = || format!("`{word}`: expected JOINT=VALUE; values with and without names cannot be mixed");
        named.push(split(word).ok_or_else(wrong)?);
    }
    by_name(named.iter().map(|(name, value)| (name.as_str(), value.as_str())), robot)
}

/// Reads configurations in any format of [`read_trajectory`], without times. `path` is used in messages.
///
/// # Errors
/// As [`read_trajectory`].
///
/// ```
/// use clearance_check::robot::read_configurations;
/// use clearance_robot::{LoadOptions, Robot};
/// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
/// let text = format!("<robot name='r'><link name='a'>{ball}</link><link name='b'/>
///     <joint name='slide' type='prismatic'><parent link='a'/><child link='b'/>
///     <limit lower='0' upper='9'/></joint></robot>");
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// assert_eq!(read_configurations("q.csv".as_ref(), "slide\n1\n2.5\n", &robot)?, [[1.0], [2.5]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_configurations(path: &Path, text: &str, robot: &Robot) -> Result<Vec<Vec<f64>>, Error> {
    read_trajectory(path, text, robot).map(|read| read.points)
}

/// How many configurations are free, with those among them that are beyond joint limits: no robot can take them, so
/// they are never counted as free without saying so. `all` is the whole count, with or without a word for it.
///
/// ```
/// use clearance_check::robot::free_count;
/// assert_eq!(free_count(12, 3, "14"), "12 of 14 free, of which 3 beyond joint limits");
/// assert_eq!(free_count(12, 0, "14 configurations"), "12 of 14 configurations free");
/// ```
pub fn free_count(free: usize, beyond_limits: usize, all: &str) -> String {
    match beyond_limits {
        0 => format!("{free} of {all} free"),
        beyond => format!("{free} of {all} free, of which {beyond} beyond joint limits"),
    }
}
