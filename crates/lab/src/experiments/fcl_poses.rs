//! Poses of meshes with the answers of FCL and coal: a robot in a room at 500 poses.
//!
//! Of every pose the engine is asked whether the surfaces meet, which pairs of triangles do, and how far apart they
//! are. `wrong` counts every disagreement with a published answer, with the verdict of a scene's authors, and of our
//! answers among themselves: distance and verdict, pairs and verdict, the same question the other way round. A distance
//! has to be in our bracket to within 2e-12 L; the two libraries differ by as much.
//!
//! Where a published number of pairs differs from ours, exact arithmetic counts the pairs of the very poses we were
//! asked about. If it finds others than we do, we are wrong; if it finds ours, the published number is at fault
//! (`peer_wrong`), or, where the pose in the file is rounded, belongs to a pose that nobody knows (`open`). Both are
//! said on stderr.
//!
//! The poses of `contact-models`, which is examined by the same code, are printed with six decimals. A rotation too far
//! from rigid for a pose is replaced by the nearest one (`made_rigid` counts the frames), and one that is not exactly
//! rigid is inverted by the libraries as if it were. The largest shift of a point that comes of either is `slack`;
//! distances are granted it, and half of the last decimal.

use super::mesh_race::{Answers, Bodies, Findings, Group, answers, ask_ours, ask_peers, judges, rows, when_swapped};
use super::{Experiment, Flag, Options};
use crate::error::LabError;
use crate::fcl_data::{Frame, Scene, read_robot_poses};
use crate::meshes::{Model, read};
use crate::peers::question::{Query, Question};
use crate::report::{Provenance, Report, rounded};
use clearance::Pose;
use clearance::glam::DVec3;
use indicatif::ProgressIterator;
use serde_json::json;
use std::path::Path;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fcl-poses",
    about: "500 poses of a robot in a room: contact, pairs of triangles and distance of FCL and coal",
    flags: &[Flag::Data, Flag::Quick],
    run,
};

/// What `--data` has to be.
const WANTED: &str =
    "env_rob_poses_expected.json or a file like it, with its meshes beside it, or the folder they are in";

/// How far a published distance may be from our bracket, in L.
const TOLERANCE: f64 = 2e-12;

/// How long parry may take for the questions of a row, in seconds.
const SECONDS: f64 = 2.0;

/// A frame in the engine's terms.
struct Placed<'a> {
    frame: &'a Frame,
    poses: [Pose; 2],
    /// How far a point may be from where a library put it.
    slack: f64,
    /// Whether a rotation had to be replaced.
    made_rigid: bool,
}

impl<'a> Placed<'a> {
    /// `reach` is the largest distance of a vertex of either mesh from its origin.
    fn new(frame: &'a Frame, reach: f64) -> Result<Placed<'a>, clearance::Error> {
        let (rigid, change) = frame.rigid_poses()?;
        let written = frame.poses();
        let made_rigid = written.is_err();
        // A matrix is at `change` from its rigid one in each entry, and so is its transpose from its inverse, to first
        // order twice that; rotations in full are rigid to rounding, which the tolerance has in it.
        let slack = if change > 1e-12 { 2.0 * 3.0 * change * reach } else { 0.0 };
        Ok(Placed { frame, poses: written.unwrap_or(rigid), slack, made_rigid })
    }

    fn query(&self, question: Question) -> Query {
        Query { models: [0, 1], poses: self.poses, question }
    }
}

/// What checking a frame found.
struct Checked {
    /// Our answers, with all that is wrong with them.
    answers: Answers,
    /// Whether a published number of pairs belongs to a pose that the file does not give in full.
    open: bool,
    /// Whether a published number of pairs is wrong.
    peer_wrong: bool,
    /// The largest difference of a published distance from our bracket, in L.
    off: f64,
}

/// Asks every question and holds the answers against each other and against the published ones.
fn check(bodies: &mut Bodies, models: [&Model; 2], placed: &Placed, rounding: f64) -> Checked {
    let query = placed.query(Question::Distance);
    let mut answers = answers(bodies, &query);
    let (_, swapped) = when_swapped(bodies, &query, &answers);
    let Answers { meets, pairs, distance, faults, scale, .. } = &mut answers;
    faults.iter_mut().zip(swapped).for_each(|(faults, more)| faults.extend(more));
    let [contact, all, apart] = faults;
    let (meets, scale) = (*meets, *scale);
    let check = |holds: bool, faults: &mut Vec<&'static str>, fault: &'static str| {
        if !holds {
            faults.push(fault);
        }
    };
    let granted = placed.slack + rounding;
    let (mut off, mut differs) = (0.0_f64, false);
    for expected in &placed.frame.expected {
        let outside = (distance.gap.lower - expected.distance).max(expected.distance - distance.gap.upper).max(0.0);
        off = off.max((outside - granted).max(0.0) / scale);
        check(outside <= TOLERANCE * scale + granted, apart, "the published distance is outside of the bracket");
        differs |= expected.pairs != pairs.len() as u64;
    }
    let (mut open, mut peer_wrong) = (false, false);
    if differs {
        let [a, b] = judges(models, &query.poses);
        let right = a.meeting_pairs(&b) == *pairs;
        check(right, all, "other pairs than exact arithmetic finds");
        let published = placed.frame.expected.iter().any(|expected| (expected.pairs > 0) != meets);
        check(right || !published, contact, "another verdict than published");
        open = right && placed.slack > 0.0;
        peer_wrong = right && !open;
    }
    if let Some(in_contact) = placed.frame.in_contact {
        check(in_contact == meets, contact, "another verdict than the authors'");
    }
    Checked { answers, open, peer_wrong, off }
}

/// The questions in the order of the rows.
const QUESTIONS: [(Question, &str); 3] =
    [(Question::FirstContact, "contact"), (Question::AllContacts, "pairs"), (Question::Distance, "distance")];

/// The largest distance of a vertex from the origin.
fn reach(model: &Model) -> f64 {
    model.points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max)
}

/// The rows of a scene, and how many frames it has.
fn examine(scene: &Scene, folder: &Path, quick: bool) -> Result<(Vec<crate::report::Row>, u64), LabError> {
    let models = [read(&folder.join(&scene.files[0]))?, read(&folder.join(&scene.files[1]))?];
    if let Some(wanted) = scene.triangles {
        let counts = models.each_ref().map(|model| model.triangles.len() as u64);
        if counts != wanted {
            let problem = format!("{}: the meshes have {counts:?} triangles, not {wanted:?}", scene.name);
            return Err(LabError::BadData { path: folder.to_owned(), problem });
        }
    }
    let models = [&models[0], &models[1]];
    let mut bodies = Bodies::new(&models)?;
    let far = reach(models[0]).max(reach(models[1]));
    let step = if quick { scene.frames.len().div_ceil(20).max(1) } else { 1 };
    let placed: Vec<Placed> =
        scene.frames.iter().step_by(step).map(|frame| Placed::new(frame, far)).collect::<Result<_, _>>()?;
    let mut findings = [Findings::default(), Findings::default(), Findings::default()];
    let (mut open, mut peer_wrong, mut off) = (0_u64, 0_u64, 0.0_f64);
    for (number, placed) in placed.iter().enumerate() {
        let checked = check(&mut bodies, models, placed, scene.rounding);
        checked.answers.note(&number, &mut findings);
        let mut said = checked.answers.faults.concat();
        if checked.open {
            said.push("other pairs than published, as they are for the rounded pose");
        }
        if checked.peer_wrong {
            said.push("other pairs than published; exact arithmetic finds ours");
        }
        if !said.is_empty() {
            eprintln!("lab: {} frame {}: {}", scene.name, number * step, said.join(", "));
        }
        open += u64::from(checked.open);
        peer_wrong += u64::from(checked.peer_wrong);
        off = off.max(checked.off);
    }
    let mut queries = Vec::new();
    let mut groups = Vec::new();
    for (question, said) in QUESTIONS {
        let start = queries.len();
        queries.extend(placed.iter().map(|placed| placed.query(question)));
        groups.push(Group { case: format!("{} {said}", scene.name), question, range: start..queries.len() });
    }
    let ours = ask_ours(&mut bodies, &queries);
    // The scenes of two frames say what is right, not how fast it is.
    let peers = if placed.len() > 2 { ask_peers(&models, &queries, &groups, SECONDS) } else { Vec::new() };
    let meeting = placed.iter().filter(|placed| placed.frame.expected.iter().any(|library| library.pairs > 0)).count();
    let slack = placed.iter().map(|placed| placed.slack).fold(0.0, f64::max);
    let made_rigid = placed.iter().filter(|placed| placed.made_rigid).count();
    let mut all = Vec::new();
    for (index, (group, findings)) in groups.iter().zip(&findings).enumerate() {
        let mut more = vec![("frames", json!(placed.len())), ("meeting", json!(meeting))];
        if index == 1 {
            more.extend([("open", json!(open)), ("peer_wrong", json!(peer_wrong))]);
        }
        if index == 2 {
            more.extend([("off", json!(off)), ("slack", json!(slack)), ("made_rigid", json!(made_rigid))]);
        }
        let length = bodies.shapes.iter().map(clearance::Shape::diameter).fold(0.0, f64::max);
        all.extend(rows(group, &ours, &peers, findings, length, &more).0);
    }
    Ok((all, placed.len() as u64))
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = || LabError::MissingData { experiment: EXPERIMENT.name, path: options.data.clone(), wanted: WANTED };
    let given = options.data.as_deref().ok_or_else(missing)?;
    let file = if given.is_dir() { given.join("env_rob_poses_expected.json") } else { given.to_owned() };
    if !file.is_file() {
        return Err(missing());
    }
    let scene = read_robot_poses(&file)?;
    examine_all(EXPERIMENT.name, &[scene], &file, options.quick)
}

/// The report about scenes of a file, whose meshes lie beside it.
pub(super) fn examine_all(
    experiment: &'static str,
    scenes: &[Scene],
    file: &Path,
    quick: bool,
) -> Result<Report, LabError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let (mut rows, mut cases) = (Vec::new(), 0);
    for scene in scenes.iter().progress() {
        let (found, frames) = examine(scene, folder, quick)?;
        rows.extend(found);
        cases += frames;
    }
    let least = |question: &str| {
        let of = rows.iter().filter(|row| row.case.ends_with(question));
        of.filter_map(|row| row.peer.as_ref()).map(|peer| peer.ratio).reduce(f64::min).map(|ratio| rounded(ratio, 3))
    };
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment,
        cases,
        more: vec![
            ("least_ratio_contact", json!(least("contact"))),
            ("least_ratio_pairs", json!(least("pairs"))),
            ("least_ratio_distance", json!(least("distance"))),
        ],
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder of its own for each test, removed at the end: two square sheets of two triangles each.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, expected: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("clearance-poses-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let sheet = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
            std::fs::write(folder.join("sheet.obj"), sheet).unwrap();
            let text = format!(r#"{{"env": "sheet.obj (still)", "moving": "sheet.obj", "poses": [{expected}]}}"#);
            std::fs::write(folder.join("env_rob_poses_expected.json"), text).unwrap();
            Folder(folder)
        }

        fn run(&self) -> Report {
            run(&Options { data: Some(self.0.clone()), quick: true, seed: 1 }).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn pose(rotation: &str, z: f64, pairs: u64, distance: f64) -> String {
        format!(
            r#"{{"R_rowmajor": [{rotation}], "t": [0.25, 0.125, {z}], "coal_pairs": {pairs}, "fcl_pairs": {pairs},
               "coal_distance": {distance}, "fcl_distance": {distance}}}"#
        )
    }

    const LEVEL: &str = "1, 0, 0, 0, 1, 0, 0, 0, 1";
    /// A quarter turn about x: the sheet stands upright on y = 0.125. One of its triangles meets both of the other's,
    /// the other one of them.
    const UPRIGHT: &str = "1, 0, 0, 0, 0, -1, 0, 1, 0";

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let poses = [pose(LEVEL, 3.0, 0, 3.0), pose(UPRIGHT, 0.0, 3, 0.0), pose(UPRIGHT, 2.5, 0, 1.5)].join(",");
        let report = Folder::new("right", &poses).run();
        crate::experiments::assert_answers(&report);
        assert_eq!(report.wrong(), 0, "{}", report.to_text());
        let apart = |row: &crate::report::Row| row.to_json().get("peer_wrong").is_some_and(|count| *count != 0);
        assert!(!report.rows.iter().any(apart), "{}", report.to_text());
        let json = report.to_json();
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows[0]["case"], "env-rob contact");
        assert_eq!(
            (&rows[0]["frames"], &rows[0]["meeting"], &json["summary"]["cases"]),
            (&json!(3), &json!(1), &json!(3))
        );
        if cfg!(not(feature = "peers")) {
            assert_eq!(rows.len(), 3);
            assert_eq!(rows[2]["off"], 0.0);
        }
    }

    #[test]
    fn wrong_expectations_are_found() {
        let poses = [pose(LEVEL, 3.0, 0, 3.0 + 1e-10), pose(UPRIGHT, 0.0, 4, 0.0)].join(",");
        let report = Folder::new("wrong", &poses).run();
        // The distance is off; of the pairs exact arithmetic says that ours are right.
        assert_eq!(report.wrong(), 1, "{}", report.to_text());
        let row = |question: &str| report.rows.iter().find(|row| row.case.ends_with(question)).unwrap().to_json();
        assert_eq!((&row("distance")["wrong"], &row("pairs")["peer_wrong"]), (&json!(1), &json!(1)));
    }

    #[test]
    fn without_data_it_does_not_run() {
        assert!(matches!(run(&Options::default()), Err(LabError::MissingData { path: None, .. })));
        let nowhere = Options { data: Some("no/such/folder".into()), ..Options::default() };
        assert!(matches!(run(&nowhere), Err(LabError::MissingData { path: Some(_), .. })));
    }
}
