//! Poses of meshes with the answers of libraries about them: `env_rob_poses_expected.json` (a robot in a room) and
//! `contact_models/contact_models.json` (parts that come near each other), each as a list of scenes.
//!
//! The first file has the poses of one moving mesh and, for each, pairs and distance by two libraries, in full. The
//! second has scenes by name; each frame places both meshes, the answers stand in lists beside the frames, and its
//! numbers are printed with six decimals. Such a rotation is rigid to about 1e-6 only, so the matrices are kept as they
//! are read.

use crate::error::LabError;
use clearance::Pose;
use clearance::glam::{DMat3, DQuat, DVec3};
use serde_json::Value;
use std::path::Path;

/// Two meshes and frames in which they are placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What it is called.
    pub name: String,
    /// The files of the meshes, in the folder of the file that was read.
    pub files: [String; 2],
    /// How many triangles they should have; `None` where the file does not say.
    pub triangles: Option<[u64; 2]>,
    /// Half a unit of the last decimal that distances are printed with; 0 where they are in full.
    pub rounding: f64,
    /// The frames, in order.
    pub frames: Vec<Frame>,
}

/// A placement of two meshes and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Rotation and translation of each mesh, three rows of four.
    pub rows: [[[f64; 4]; 3]; 2],
    /// What libraries answer.
    pub expected: Vec<Expected>,
    /// Whether the authors of the scene say that the meshes touch.
    pub in_contact: Option<bool>,
}

/// What a library answers about a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The library, as the file calls it.
    pub library: String,
    /// Pairs of triangles that meet.
    pub pairs: u64,
    /// The distance of the surfaces, 0 where they meet.
    pub distance: f64,
}

impl Frame {
    /// The poses as they are written; the error is the engine's, for a rotation that is not rigid enough.
    pub fn poses(&self) -> Result<[Pose; 2], clearance::Error> {
        Ok([Pose::from_rows(self.rows[0])?, Pose::from_rows(self.rows[1])?])
    }

    /// The poses with each rotation replaced by the one of its unit quaternion, and the largest change of an entry. A
    /// point `p` of a mesh then lies within `3 * change * |p|` of where the file puts it: nine entries change.
    pub fn rigid_poses(&self) -> Result<([Pose; 2], f64), clearance::Error> {
        let mut change = 0.0_f64;
        let mut rigid = |rows: &[[f64; 4]; 3]| {
            let [x, y, z] = rows.map(|[x, y, z, _]| DVec3::new(x, y, z));
            let written = DMat3::from_cols(x, y, z).transpose();
            let pose = Pose::from_quat(DQuat::from_mat3(&written).normalize(), DVec3::from(rows.map(|row| row[3])))?;
            let difference = (pose.rotation() - written).to_cols_array();
            change = difference.iter().fold(change, |most, entry| most.max(entry.abs()));
            Ok(pose)
        };
        let poses = [rigid(&self.rows[0])?, rigid(&self.rows[1])?];
        Ok((poses, change))
    }
}

/// Reads the file with the poses of a robot.
pub fn read_robot_poses(path: &Path) -> Result<Scene, LabError> {
    parse_robot_poses(&load(path)?).map_err(|problem| LabError::BadData { path: path.to_owned(), problem })
}

/// Reads the file with the scenes of parts.
pub fn read_contact_models(path: &Path) -> Result<Vec<Scene>, LabError> {
    parse_contact_models(&load(path)?).map_err(|problem| LabError::BadData { path: path.to_owned(), problem })
}

fn load(path: &Path) -> Result<Value, LabError> {
    let bad = |problem: String| LabError::BadData { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| bad(error.to_string()))
}

fn parse_robot_poses(file: &Value) -> Result<Scene, String> {
    // "env.obj (identity pose)": the name comes first.
    let name = |key: &str| {
        let text = text(file, key)?;
        text.split_whitespace().next().map(str::to_owned).ok_or_else(|| format!("`{key}` is empty"))
    };
    let files = [name("env")?, name("moving")?];
    let mut frames = Vec::new();
    for (number, pose) in list(file, "poses")?.iter().enumerate() {
        let frame = || -> Result<Frame, String> {
            let fixed = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            let mut expected = Vec::new();
            for library in ["coal", "fcl"] {
                let pairs = field(pose, &format!("{library}_pairs"))?;
                let distance = field(pose, &format!("{library}_distance"))?;
                expected.push(Expected {
                    library: library.into(),
                    pairs: whole(pairs)?,
                    distance: number_of(distance)?,
                });
            }
            Ok(Frame { rows: [fixed, rows(pose, "R_rowmajor", "t")?], expected, in_contact: None })
        };
        frames.push(frame().map_err(|problem| format!("poses[{number}]: {problem}"))?);
    }
    Ok(Scene { name: "env-rob".into(), files, triangles: None, rounding: 0.0, frames })
}

fn parse_contact_models(file: &Value) -> Result<Vec<Scene>, String> {
    let scenes = file.as_object().ok_or("the file is not an object")?;
    scenes
        .iter()
        .map(|(name, scene)| parse_scene(name, scene).map_err(|problem| format!("{name}: {problem}")))
        .collect()
}

fn parse_scene(name: &str, scene: &Value) -> Result<Scene, String> {
    let files = [text(scene, "obj1")?.to_owned(), text(scene, "obj2")?.to_owned()];
    let triangles = match list(scene, "tris")? {
        [first, second] => Some([whole(first)?, whole(second)?]),
        _ => return Err("`tris` is not two numbers".into()),
    };
    let frames = list(scene, "frames")?;
    // The lists of answers have the library in their names.
    let object = scene.as_object().ok_or("the scene is not an object")?;
    let libraries: Vec<&str> =
        object.keys().filter_map(|key| key.strip_suffix("_intersecting_triangle_pairs")).collect();
    let answers = |key: &str| {
        let answers = list(scene, key)?;
        let (count, wanted) = (answers.len(), frames.len());
        if count == wanted { Ok(answers) } else { Err(format!("`{key}` has {count} answers about {wanted} frames")) }
    };
    let in_contact = match field(scene, "author_expected_in_contact")? {
        Value::Null => None,
        _ => Some(answers("author_expected_in_contact")?),
    };
    let mut parsed = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        let parse = || -> Result<Frame, String> {
            let one = |object: &str| rows(frame, &format!("{object}_R_rowmajor"), &format!("{object}_pos"));
            let mut expected = Vec::new();
            for &library in &libraries {
                let pairs = whole(&answers(&format!("{library}_intersecting_triangle_pairs"))?[number])?;
                let distance = number_of(&answers(&format!("{library}_distance"))?[number])?;
                expected.push(Expected { library: library.into(), pairs, distance });
            }
            let verdict = |answers: &[Value]| answers[number].as_bool().ok_or("a verdict is not true or false");
            Ok(Frame { rows: [one("obj1")?, one("obj2")?], expected, in_contact: in_contact.map(verdict).transpose()? })
        };
        parsed.push(parse().map_err(|problem| format!("frames[{number}]: {problem}"))?);
    }
    Ok(Scene { name: name.into(), files, triangles, rounding: 0.5e-6, frames: parsed })
}

fn field<'a>(object: &'a Value, key: &str) -> Result<&'a Value, String> {
    object.get(key).ok_or_else(|| format!("no `{key}`"))
}

fn text<'a>(object: &'a Value, key: &str) -> Result<&'a str, String> {
    field(object, key)?.as_str().ok_or_else(|| format!("`{key}` is not a string"))
}

fn list<'a>(object: &'a Value, key: &str) -> Result<&'a [Value], String> {
    field(object, key)?.as_array().map(Vec::as_slice).ok_or_else(|| format!("`{key}` is not a list"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{value} is not a count"))
}

fn number_of(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("{value} is not a number"))
}

/// As many numbers as asked for.
fn numbers<const N: usize>(object: &Value, key: &str) -> Result<[f64; N], String> {
    let values: Vec<f64> = list(object, key)?.iter().map(number_of).collect::<Result<_, _>>()?;
    values.try_into().map_err(|values: Vec<f64>| format!("`{key}` has {} numbers, not {N}", values.len()))
}

/// A rotation, row by row, and a translation as three rows of four.
fn rows(object: &Value, rotation: &str, translation: &str) -> Result<[[f64; 4]; 3], String> {
    let (rotation, translation): ([f64; 9], [f64; 3]) = (numbers(object, rotation)?, numbers(object, translation)?);
    let row = |row: usize| [rotation[3 * row], rotation[3 * row + 1], rotation[3 * row + 2], translation[row]];
    Ok([row(0), row(1), row(2)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn robot() -> Value {
        json!({
            "env": "room.obj (identity pose)", "moving": "arm.obj", "libs": "two",
            "poses": [
                {"R_rowmajor": [0, -1, 0, 1, 0, 0, 0, 0, 1], "t": [10, 20, 30.5],
                 "coal_pairs": 3, "fcl_pairs": 4, "coal_distance": 0.0, "fcl_distance": 0.0},
                {"R_rowmajor": [1, 0, 0, 0, 1, 0, 0, 0, 1], "t": [0, 0, 0],
                 "coal_pairs": 0, "fcl_pairs": 0, "coal_distance": 0.1, "fcl_distance": 0.1}
            ]
        })
    }

    fn parts() -> Value {
        let frame = |x: f64| {
            json!({"obj1_pos": [x, 0, 0], "obj1_R_rowmajor": [0.800001, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1],
                   "obj2_pos": [0, 0, 0], "obj2_R_rowmajor": [1, 0, 0, 0, 1, 0, 0, 0, 1]})
        };
        let scene = |contact: Value| {
            json!({"obj1": "a.obj", "obj2": "b.obj", "tris": [12, 20], "frames": [frame(1.0), frame(2.0)],
                   "author_expected_in_contact": contact, "coal_3_intersecting_triangle_pairs": [0, 5],
                   "coal_3_distance": [0.25, 0.0]})
        };
        json!({"known": scene(json!([false, true])), "unknown": scene(Value::Null)})
    }

    #[test]
    fn a_robot_in_a_room() {
        let scene = parse_robot_poses(&robot()).unwrap();
        assert_eq!((scene.files.each_ref().map(String::as_str), scene.frames.len()), (["room.obj", "arm.obj"], 2));
        let frame = &scene.frames[0];
        assert_eq!(frame.rows[1], [[0.0, -1.0, 0.0, 10.0], [1.0, 0.0, 0.0, 20.0], [0.0, 0.0, 1.0, 30.5]]);
        assert_eq!(frame.expected[1], Expected { library: "fcl".into(), pairs: 4, distance: 0.0 });
        let [fixed, moving] = frame.poses().unwrap();
        assert_eq!(fixed.transform_point(DVec3::X), DVec3::X);
        assert_eq!(moving.transform_point(DVec3::X), DVec3::new(10.0, 21.0, 30.5));
    }

    #[test]
    fn parts_with_and_without_verdicts() {
        let scenes = parse_contact_models(&parts()).unwrap();
        assert_eq!(scenes.iter().map(|scene| scene.name.as_str()).collect::<Vec<_>>(), ["known", "unknown"]);
        let scene = &scenes[0];
        assert_eq!((scene.triangles, scene.frames[1].in_contact), (Some([12, 20]), Some(true)));
        assert_eq!(scene.frames[0].expected, [Expected { library: "coal_3".into(), pairs: 0, distance: 0.25 }]);
        assert_eq!(scenes[1].frames[0].in_contact, None);
    }

    #[test]
    fn rotations_of_six_decimals_can_be_made_rigid() {
        let frame = &parse_contact_models(&parts()).unwrap()[0].frames[0];
        let (poses, change) = frame.rigid_poses().unwrap();
        assert!(change > 1e-8 && change < 2e-6, "{change}");
        assert!(poses[0].defect() < 1e-15 && poses[1].defect() < 1e-15);
        assert!((poses[0].transform_point(DVec3::X) - DVec3::new(1.8, 0.6, 0.0)).length() < 2e-6);
    }

    #[test]
    fn broken_files() {
        let change = |mut file: Value, pointer: &str, value: Value| {
            *file.pointer_mut(pointer).unwrap() = value;
            file
        };
        for (pointer, value, problem) in [
            ("/poses", json!(3), "`poses` is not a list"),
            ("/env", json!(" "), "`env` is empty"),
            ("/poses/1/t", json!([0, 0]), "poses[1]: `t` has 2 numbers, not 3"),
            ("/poses/0/R_rowmajor/4", json!("x"), "poses[0]: \"x\" is not a number"),
            ("/poses/0/coal_pairs", json!(-1), "poses[0]: -1 is not a count"),
            ("/poses/0", json!({}), "poses[0]: no `coal_pairs`"),
        ] {
            assert_eq!(parse_robot_poses(&change(robot(), pointer, value)).unwrap_err(), problem);
        }
        for (pointer, value, problem) in [
            ("/known/tris", json!([1]), "known: `tris` is not two numbers"),
            (
                "/known/coal_3_distance",
                json!([0.5]),
                "known: frames[0]: `coal_3_distance` has 1 answers about 2 frames",
            ),
            ("/known/author_expected_in_contact/1", json!(1), "known: frames[1]: a verdict is not true or false"),
            ("/unknown/frames/1/obj2_pos", json!(null), "unknown: frames[1]: `obj2_pos` is not a list"),
        ] {
            assert_eq!(parse_contact_models(&change(parts(), pointer, value)).unwrap_err(), problem);
        }
        assert!(parse_contact_models(&json!([])).is_err());
        assert!(read_robot_poses(Path::new("no-such-file.json")).is_err());
    }
}
