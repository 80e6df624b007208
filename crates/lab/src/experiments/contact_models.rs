//! Parts that come near each other and touch, frame by frame, with the verdict of the scenes' authors and the answers
//! of FCL and coal: `contact_models.json`, examined as [`fcl_poses`](super::fcl_poses) examines its robot.

use super::fcl_poses::examine_all;
use super::{Experiment, Flag, Options};
use crate::error::LabError;
use crate::fcl_data::read_contact_models;
use crate::report::Report;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "contact-models",
    about: "parts near each other and in contact: the authors' verdict; pairs and distance of FCL and coal",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// What `--data` has to be.
const WANTED: &str = "contact_models.json or a file like it, with its meshes beside it, or the folder they are in";

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = || LabError::MissingData { experiment: EXPERIMENT.name, path: options.data.clone(), wanted: WANTED };
    let given = options.data.as_deref().ok_or_else(missing)?;
    // The folder itself, or the one it lies in.
    let beside = [given.join("contact_models.json"), given.join("contact_models").join("contact_models.json")];
    let file = std::iter::once(given.to_owned()).chain(beside).find(|path| path.is_file()).ok_or_else(missing)?;
    examine_all(EXPERIMENT.name, &read_contact_models(&file)?, &file, options.quick)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LEVEL: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    /// Two square sheets, level above each other and crossing; `authors` say of each frame whether they touch.
    fn report(name: &str, authors: [bool; 2]) -> Report {
        let folder = std::env::temp_dir().join(format!("clearance-parts-{name}-{}", std::process::id()));
        let inner = folder.join("contact_models");
        std::fs::create_dir_all(&inner).unwrap();
        let sheet = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
        for file in ["sheets_obj1.obj", "sheets_obj2.obj"] {
            std::fs::write(inner.join(file), sheet).unwrap();
        }
        let frame = |rotation: [f64; 9], z: f64| {
            json!({
                "obj1_pos": [0, 0, 0],
                "obj1_R_rowmajor": LEVEL,
                "obj2_pos": [0.25, 0.125, z],
                "obj2_R_rowmajor": rotation,
            })
        };
        let scene = json!({
            "obj1": "sheets_obj1.obj", "obj2": "sheets_obj2.obj", "tris": [2, 2],
            "frames": [frame(LEVEL, 3.0), frame([1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0], 0.0)],
            "author_expected_in_contact": authors,
            "coal_3_intersecting_triangle_pairs": [0, 3], "coal_3_distance": [3.0, 0.0]
        });
        std::fs::write(inner.join("contact_models.json"), json!({ "sheets": scene }).to_string()).unwrap();
        let report = run(&Options { data: Some(folder.clone()), quick: true, seed: 1 });
        std::fs::remove_dir_all(&folder).unwrap();
        report.unwrap()
    }

    #[test]
    fn the_authors_verdicts_are_heeded() {
        let right = report("right", [false, true]);
        crate::experiments::assert_answers(&right);
        assert_eq!((right.wrong(), right.cases), (0, 2), "{}", right.to_text());
        let wrong = report("wrong", [true, true]);
        assert_eq!(wrong.wrong(), 1, "{}", wrong.to_text());
        assert_eq!(wrong.rows[0].to_json()["wrong"], 1);
    }
}
