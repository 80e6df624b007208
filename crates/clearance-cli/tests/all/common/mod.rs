//! What all tests of the command share: files in a folder of their own, and the command itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clearance_check::{Report, Verdict};

/// A folder of its own for each test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("clearance-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn clearance(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clearance")).args(arguments).output().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn report(file: &Path, more: &[&str]) -> Report {
    let output = clearance(&[&["check", file.to_str().unwrap(), "--json"], more].concat());
    let report: Report = serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let expected = match report.verdict {
        Verdict::Clean => 0,
        Verdict::Findings => 1,
        Verdict::Failed => 2,
    };
    assert_eq!(code(&output), expected);
    report
}

/// Boxes as objects of an OBJ file: each a name, the least and the greatest corner.
pub fn boxes(list: &[(&str, [f64; 3], [f64; 3])]) -> String {
    let mut out = String::new();
    for (number, (name, low, high)) in list.iter().enumerate() {
        out += &format!("o {name}\n");
        for k in 0..8u8 {
            let pick = |axis: usize, bit: u8| if k & bit == 0 { low[axis] } else { high[axis] };
            out += &format!("v {} {} {}\n", pick(0, 1), pick(1, 2), pick(2, 4));
        }
        for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            let face = face.map(|corner| (8 * number + corner + 1).to_string());
            out += &format!("f {}\n", face.join(" "));
        }
    }
    out
}

/// Where a point goes.
pub type Place<'p> = &'p dyn Fn([f64; 3]) -> [f64; 3];

/// A solid as an object of an OBJ file, its points placed. Faces count from the last point, so objects can follow each
/// other.
fn solid(points: &[[f64; 3]], faces: &[[usize; 4]], place: Place<'_>) -> String {
    let mut out = String::from("o part\n");
    for [x, y, z] in points.iter().map(|&point| place(point)) {
        out += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c, d] in faces.iter().map(|face| face.map(|corner| points.len() - corner)) {
        out += &format!("f -{a} -{b} -{c} -{d}\n");
    }
    out
}

/// A cube of side 1, from the origin on.
pub fn cube(place: Place<'_>) -> String {
    let points: Vec<[f64; 3]> = (0..8).map(|k| [0, 1, 2].map(|axis| f64::from(k >> axis & 1))).collect();
    solid(&points, &[[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]], place)
}

/// A square link of a chain in the plane of x and y, about the origin: 6 wide, with a hole of 4, 1 thick.
pub fn link(place: Place<'_>) -> String {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut points = Vec::new();
    for (half, z) in [(3.0, -0.5), (2.0, -0.5), (3.0, 0.5), (2.0, 0.5)] {
        points.extend(corners.map(|[x, y]| [half * x, half * y, z]));
    }
    let sides = (0..4).map(|k| (k, (k + 1) % 4));
    // Below, above, outside, inside.
    let faces: Vec<[usize; 4]> = sides
        .flat_map(|(k, l)| {
            [[k, 4 + k, 4 + l, l], [8 + k, 8 + l, 12 + l, 12 + k], [k, l, 8 + l, 8 + k], [4 + k, 12 + k, 12 + l, 4 + l]]
        })
        .collect();
    solid(&points, &faces, place)
}
