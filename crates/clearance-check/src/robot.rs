//! Robot worlds and configurations from files.
//!
//! A world is JSON: a list of objects, or `{"objects": [...]}`, each with a name (`name` or `id`), a `type`, `dims` and
//! a pose. This is the flattened form of MotionBenchMaker problems, so such a problem can be used directly. An object
//! with `attach` is carried by the link it names. Any other file is read as an assembly, each part an object.

use std::path::{Path, PathBuf};

use clearance::glam::{DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_robot::{Attached, Object, Robot};
use serde::Deserialize;

use crate::error::Error;
use crate::input::read_text;
use crate::model::{LoadOptions, Model};

/// An object of a world in JSON.
///
/// ```
/// use clearance_check::robot::WorldObject;
/// let text = r#"{"id": "can", "type": "cylinder", "dims": [0.14, 0.03],
///                "pos": [0.5, 0, 0.1], "quat_xyzw": [0, 0, 0, 1]}"#;
/// let object: WorldObject = serde_json::from_str(text).unwrap();
/// assert_eq!(object.to_object().unwrap().name, "can");
/// ```
#[derive(Clone, Debug, Deserialize)]
pub struct WorldObject {
    /// Its name.
    #[serde(alias = "id")]
    pub name: String,
    /// `box`, `cylinder`, `sphere`, `capsule` or `plane`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A box's side lengths; length and radius of a cylinder or capsule about z; a sphere's radius; a plane's normal,
    /// pointing out of the solid half-space, and its offset along it.
    #[serde(default)]
    pub dims: Vec<f64>,
    /// Its position, in the frame of the root link or of the link that carries it.
    #[serde(default)]
    pub pos: [f64; 3],
    /// Its orientation, as a quaternion `x y z w`.
    #[serde(default = "unturned")]
    pub quat_xyzw: [f64; 4],
    /// The link that carries it, which it may touch; without one it is fixed.
    #[serde(default)]
    pub attach: Option<String>,
    /// Other links that a carried object may touch.
    #[serde(default)]
    pub touch_links: Vec<String>,
}

fn unturned() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

impl WorldObject {
    /// Converts it to an engine object.
    ///
    /// # Errors
    /// The problem, without the file name.
    pub fn to_object(&self) -> Result<Object, String> {
        let refused = |error: clearance::Error| format!("object `{}`: {error}", self.name);
        let made = match (self.kind.as_str(), &self.dims[..]) {
            ("box", &[x, y, z]) => Shape::cuboid(0.5 * DVec3::new(x, y, z)),
            ("cylinder", &[length, radius]) => Shape::cylinder(0.5 * length, radius),
            ("capsule", &[length, radius]) => Shape::capsule(0.5 * length, radius),
            ("sphere", &[radius]) => Shape::sphere(radius),
            ("plane", &[x, y, z, offset]) => Shape::half_space(DVec3::new(x, y, z), offset),
            (kind, dims) => {
                return Err(format!(
                    "object `{}`: type `{kind}` with {} values in `dims`; expected box (3), cylinder (2), capsule (2), \
                     sphere (1) or plane (4)",
                    self.name,
                    dims.len()
                ));
            }
        };
        let [x, y, z, w] = self.quat_xyzw;
        let turn = DQuat::from_xyzw(x, y, z, w);
        // Quaternions in files have few digits.
        let length = turn.length();
        if !(0.99..1.01).contains(&length) {
            return Err(format!("object `{}`: expected a unit quaternion, got one of length {length}", self.name));
        }
        let pose = Pose::from_quat(turn.normalize(), DVec3::from(self.pos)).map_err(refused)?;
        Ok(Object { name: self.name.clone(), shape: made.map_err(refused)?, pose })
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WorldFile {
    List(Vec<WorldObject>),
    Objects { objects: Vec<WorldObject> },
}

/// The obstacles around a robot, and what it carries. See [`read_world`] for an example.
#[derive(Clone, Debug, Default)]
pub struct Surrounding {
    /// The fixed obstacles.
    pub objects: Vec<Object>,
    /// Objects carried by links.
    pub attached: Vec<Attached>,
}

impl Surrounding {
    /// Whether there are neither obstacles nor carried objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.attached.is_empty()
    }

    fn of(described: &[WorldObject]) -> Result<Surrounding, String> {
        let mut made = Surrounding::default();
        for one in described {
            let Object { name, shape, pose } = one.to_object()?;
            let touch_links = one.touch_links.clone();
            match one.attach.clone() {
                Some(link) => made.attached.push(Attached { name, link, touch_links, shape, pose }),
                None if touch_links.is_empty() => made.objects.push(Object { name, shape, pose }),
                None => return Err(format!("object `{name}`: `touch_links` requires a link in `attach`")),
            }
        }
        Ok(made)
    }
}

/// Reads a world: JSON, or any part file. In metres.
///
/// # Errors
/// [`Error`], naming the file and the offending object or part.
///
/// ```
/// use clearance_check::robot::read_world;
/// let path = std::env::temp_dir().join(format!("clearance-world-{}.json", std::process::id()));
/// std::fs::write(&path, r#"[{"name": "ball", "type": "sphere", "dims": [0.1], "attach": "hand"}]"#).unwrap();
/// let world = read_world(&path)?;
/// assert_eq!((world.objects.len(), world.attached[0].link.as_str()), (0, "hand"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn read_world(path: &Path) -> Result<Surrounding, Error> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        let text = read_text(path)?;
        let file: WorldFile = serde_json::from_str(&text).map_err(|error| {
            Error::format(
                path,
                format!(
                    "not a valid world: expected a list of objects with `name`, `type`, `dims`, `pos`, `quat_xyzw`, \
                     `attach`, `touch_links` ({error})"
                ),
            )
        })?;
        let (WorldFile::List(objects) | WorldFile::Objects { objects }) = file;
        return Surrounding::of(&objects).map_err(|problem| Error::format(path, problem));
    }
    let model = Model::load(&[PathBuf::from(path)], &LoadOptions::default())?;
    if let Some((part, problem)) = model.unusable.first() {
        return Err(Error::Part { path: path.to_owned(), part: part.clone(), problem: problem.clone() });
    }
    let object = |part: &crate::model::Part| Object {
        name: part.id.clone(),
        shape: model.body(part).shape.clone(),
        pose: part.pose,
    };
    Ok(Surrounding { objects: model.parts.iter().map(object).collect(), attached: Vec::new() })
}

const CONFIGURATIONS: &str = "a list of lists of numbers, or of objects from joint names to numbers";

#[derive(Deserialize)]
#[serde(untagged)]
enum ConfigurationsFile {
    Lists(Vec<Vec<f64>>),
    Named(Vec<std::collections::BTreeMap<String, f64>>),
    Wrapped { configurations: Vec<Vec<f64>> },
}

/// Reads configurations: CSV, with or without joint names in its first line; or JSON, a list of lists of numbers or of
/// objects from joint names to numbers. Joints that are not named are at mid-range. `path` is used in messages.
///
/// # Errors
/// [`Error::Format`], naming the line or the configuration.
///
/// ```
/// use clearance_check::robot::read_configurations;
/// use clearance_robot::{LoadOptions, Robot};
/// let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
/// let text = format!("<robot name='r'><link name='a'>{ball}</link><link name='b'/>
///     <joint name='slide' type='prismatic'>
///         <parent link='a'/><child link='b'/><limit lower='0' upper='9'/>
///     </joint></robot>");
/// let robot = Robot::parse("r.urdf", &text, &LoadOptions::default())?;
/// assert_eq!(read_configurations("q.csv".as_ref(), "slide\n1\n2.5\n", &robot)?, [[1.0], [2.5]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_configurations(path: &Path, text: &str, robot: &Robot) -> Result<Vec<Vec<f64>>, Error> {
    let rest = robot.middle();
    let bad = |problem: String| Error::format(path, problem);
    let at = |number: usize, error: clearance_robot::Error| bad(format!("configuration {number}: {error}"));
    if text.trim_start().starts_with(['[', '{']) {
        let file: ConfigurationsFile = serde_json::from_str(text)
            .map_err(|error| bad(format!("invalid configurations: expected {CONFIGURATIONS} ({error})")))?;
        return match file {
            ConfigurationsFile::Named(list) => (list.iter().enumerate())
                .map(|(number, named)| {
                    let values = named.iter().map(|(name, value)| (name.as_str(), *value));
                    robot.configuration(values, &rest).map_err(|error| at(number, error))
                })
                .collect(),
            ConfigurationsFile::Lists(list) | ConfigurationsFile::Wrapped { configurations: list } => {
                for (number, q) in list.iter().enumerate() {
                    robot.check_configuration(q).map_err(|error| at(number, error))?;
                }
                Ok(list)
            }
        };
    }
    let mut names: Option<Vec<&str>> = None;
    let mut configurations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let separators = [',', ';', '\t', ' '];
        let words: Vec<&str> = line.split(separators).map(str::trim).filter(|word| !word.is_empty()).collect();
        let values: Result<Vec<f64>, &str> = words.iter().map(|word| word.parse().map_err(|_| *word)).collect();
        let failed = |error: clearance_robot::Error| bad(format!("line {}: {error}", number + 1));
        match (values, &names) {
            (Err(_), None) if configurations.is_empty() => names = Some(words),
            (Err(word), _) => return Err(bad(format!("line {}: `{word}` is not a number", number + 1))),
            (Ok(values), Some(names)) if names.len() == values.len() => {
                let values = names.iter().copied().zip(values);
                configurations.push(robot.configuration(values, &rest).map_err(failed)?);
            }
            (Ok(values), Some(names)) => {
                return Err(bad(format!(
                    "line {}: {} values for {} joint names",
                    number + 1,
                    values.len(),
                    names.len()
                )));
            }
            (Ok(values), None) => {
                robot.check_configuration(&values).map_err(failed)?;
                configurations.push(values);
            }
        }
    }
    Ok(configurations)
}
