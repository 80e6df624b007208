//! Assemblies without stored answers: whether each two parts that are near each other meet, against FCL and, where the
//! two disagree, against exact arithmetic; and all that `clearance check` says of the assembly, repair and local depths
//! included, against the time FCL takes for the booleans alone.
//!
//! Both sides get the same triangles, placed in the world and rounded once. Parts are near if their boxes meet.

use super::Options;
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{median, timed};
use crate::meshes::Model as Lists;
use crate::peers::fcl;
use crate::peers::question::{Found, Query, Question};
use crate::report::{Goal, Peer, Row, rounded};
use clearance::{Mesh, Pose, Shape, intersects};
use clearance_check::{How, Kind, LoadOptions, LocalDepth, Model, Repair, Report, Rules, check};
use clearance_files::Unit;
use clearance_oracle::MeshJudge;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The report of an assembly of a few hundred parts is to take no longer, in seconds of one core.
const REPORT_SECONDS: f64 = 10.0;

/// CAD systems write glTF in millimetres: what spans more metres than this is taken to be such a file.
const LARGEST_IN_METRES: f64 = 50.0;

/// Files of a folder that have no answers beside them, in the order of their names.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let bad = |problem: std::io::Error| LabError::BadData { path: folder.to_owned(), problem: problem.to_string() };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(bad)? {
        let path = entry.map_err(bad)?.path();
        let is_known = path.extension().is_some_and(|ending| ending == "obj" || ending == "glb");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if is_known && path.is_file() && !folder.join(format!("{stem}_clash_expected.json")).is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A part in the world.
struct Placed {
    lists: Lists,
    shape: Shape,
}

/// The parts of an assembly that are meshes, in the world.
fn placed_parts(path: &Path) -> Result<Vec<Placed>, String> {
    let assembly = clearance_files::read(path).map_err(|error| error.to_string())?;
    let mut parts = Vec::new();
    for part in &assembly.parts {
        let Some(geometry) = assembly.geometries.get(part.geometry) else { continue };
        let points = geometry.points.iter().map(|&p| part.pose.transform_point(p.into()).to_array()).collect();
        let lists = Lists { name: part.name.clone(), points, triangles: geometry.triangles.clone() };
        if let Ok(mesh) = Mesh::new(&lists.points, &lists.triangles) {
            parts.push(Placed { lists, shape: Shape::Mesh(mesh) });
        }
    }
    Ok(parts)
}

/// The pairs of parts whose boxes meet.
fn near_pairs(parts: &[Placed]) -> Vec<[usize; 2]> {
    let boxes: Vec<_> = parts.iter().map(|part| part.shape.bounds()).collect();
    let meet = |a: usize, b: usize| boxes[a].min.cmple(boxes[b].max).all() && boxes[b].min.cmple(boxes[a].max).all();
    (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| [a, b])).filter(|&[a, b]| meet(a, b)).collect()
}

/// Whether two parts meet, by rational arithmetic.
fn truly_meet(a: &Placed, b: &Placed) -> bool {
    const AS_IT_IS: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let [a, b] = [a, b].map(|part| MeshJudge::new(&part.lists.points, &part.lists.triangles, AS_IT_IS, [0.0; 3]));
    !a.meeting_pairs(&b).is_empty()
}

/// What FCL says of the pairs, and the sum of its median and least times in nanoseconds.
fn ask_fcl(parts: &[Placed], pairs: &[[usize; 2]]) -> Result<(Vec<bool>, [f64; 2]), String> {
    let models: Vec<&Lists> = parts.iter().map(|part| &part.lists).collect();
    let query = |&models: &[usize; 2]| Query { models, poses: [Pose::IDENTITY; 2], question: Question::FirstContact };
    let run = fcl::run(&models, &pairs.iter().map(query).collect::<Vec<_>>())?;
    let meets = run.answers.iter().map(|answer| answer.found == Found::Meets(true)).collect();
    let sums = run
        .answers
        .iter()
        .fold([0.0; 2], |[median, least], answer| [median + answer.nanoseconds, least + answer.least]);
    Ok((meets, sums))
}

/// How much of a report holds, and how much it says.
struct Judged {
    wrong: u64,
    hard: usize,
    /// Hard findings of two solids, repaired or not, and how many of them have a proved local depth.
    of_solids: [usize; 2],
}

/// Holds a report against which parts meet. Where placing rounds differently, parts that touch may be either.
fn judge(report: &Report, model: &Model, meeting: &BTreeMap<[String; 2], bool>) -> Judged {
    let is_solid: BTreeMap<&str, bool> =
        model.parts().iter().map(|part| (part.id.as_str(), model.body(part).is_solid())).collect();
    let (mut wrong, mut hard, mut of_solids) = (0, 0, [0; 2]);
    let mut found = BTreeSet::new();
    for finding in &report.findings {
        let pair = names(&finding.a, &finding.b);
        let meets = !matches!(finding.how, How::Apart | How::AInsideB | How::BInsideA);
        let is_open = finding.gap.lower <= report.tolerances.touch && finding.gap.upper >= -report.tolerances.touch;
        if meeting.get(&pair).is_some_and(|&truth| truth != meets) && !is_open {
            eprintln!("lab: {} and {} are reported as {:?}, which is wrong", finding.a, finding.b, finding.how);
            wrong += 1;
        }
        found.insert(pair);
        if finding.kind == Kind::Hard {
            hard += 1;
            if is_solid.get(finding.a.as_str()) == Some(&true) && is_solid.get(finding.b.as_str()) == Some(&true) {
                of_solids[0] += 1;
                of_solids[1] += usize::from(finding.local_depth.as_ref().and_then(LocalDepth::numbers).is_some());
            }
        }
    }
    for (pair, _) in meeting.iter().filter(|(pair, meets)| **meets && !found.contains(*pair)) {
        eprintln!("lab: {} and {} meet, but the report has no finding", pair[0], pair[1]);
        wrong += 1;
    }
    Judged { wrong, hard, of_solids }
}

fn names(a: &str, b: &str) -> [String; 2] {
    [a.min(b).to_owned(), a.max(b).to_owned()]
}

/// The rows of one file, and the goals of its report.
pub fn rows(path: &Path, options: &Options) -> Result<(Vec<Row>, Vec<Goal>, u64), LabError> {
    let bad = |problem: String| LabError::BadData { path: path.to_owned(), problem };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let parts = placed_parts(path).map_err(bad)?;
    let pairs = near_pairs(&parts);
    let repeats = if options.quick { 1 } else { 5 };
    let ask = |&[a, b]: &[usize; 2]| intersects(&parts[a].shape, &Pose::IDENTITY, &parts[b].shape, &Pose::IDENTITY);
    let (mut meets, mut times) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        let (answers, seconds) = timed(|| pairs.iter().map(ask).collect::<Vec<bool>>());
        (meets, times) = (answers, [times, vec![seconds]].concat());
    }
    let theirs = match cfg!(feature = "peers") {
        true => ask_fcl(&parts, &pairs).map_err(|problem| eprintln!("lab: no {}: {problem}", fcl::NAME)).ok(),
        false => None,
    };
    // Without FCL exact arithmetic decides a sample, with it what the two disagree about.
    let is_doubted = |pair: usize| match &theirs {
        Some((of_fcl, _)) => of_fcl[pair] != meets[pair],
        None => pair.is_multiple_of(16),
    };
    let doubted: Vec<usize> = (0..pairs.len()).filter(|&pair| is_doubted(pair)).collect();
    let truth: Vec<bool> =
        doubted.iter().map(|&pair| truly_meet(&parts[pairs[pair][0]], &parts[pairs[pair][1]])).collect();
    let wrong = doubted.iter().zip(&truth).filter(|&(&pair, &truth)| meets[pair] != truth).count() as u64;
    let peer_wrong = theirs.as_ref().map(|_| doubted.len() as u64 - wrong);
    let peer = |times: &[f64]| {
        theirs.as_ref().map(|(_, [median_of_theirs, least])| Peer {
            name: fcl::NAME,
            theirs: rounded(median_of_theirs / 1e6, 3),
            ratio: rounded(median_of_theirs / 1e9 / median(times.to_vec()), 2),
            worst_ratio: rounded(least / 1e9 / times.iter().copied().fold(0.0, f64::max), 2),
        })
    };
    let booleans = Row {
        case: format!("{name} booleans"),
        ours: rounded(1e3 * median(times.clone()), 3),
        unit: "ms",
        peer: peer(&times),
        wrong,
        answers: Digest::of_all(meets.iter().map(|&meets| u64::from(meets))),
        more: vec![
            ("parts", json!(parts.len())),
            ("near", json!(pairs.len())),
            ("meet", json!(meets.iter().filter(|meets| **meets).count())),
            ("settled", json!(doubted.len())),
            ("peer_wrong", json!(peer_wrong)),
        ],
    };

    let size = |model: &Model| model.size() * model.unit().map_or(1.0, |unit| unit.metres());
    let load = |file_unit| {
        let options = LoadOptions { file_unit, repair: Repair::Auto, ..LoadOptions::default() };
        Model::load(&[path.to_owned()], &options).map_err(|error| bad(error.to_string()))
    };
    let mut model = load(None)?;
    let in_millimetres = (size(&model) > LARGEST_IN_METRES).then_some(Unit::Millimetre);
    let mut reports = Vec::new();
    let mut last = None;
    for _ in 0..repeats.min(3) {
        let (report, seconds) = timed(|| {
            model = load(in_millimetres)?;
            check(&model, &Rules::default(), None, &|_, _| {}).map_err(|error| bad(error.to_string()))
        });
        (last, reports) = (Some(report?), [reports, vec![seconds]].concat());
    }
    let Some(report) = last else { return Err(bad("no report was made".into())) };
    let meeting =
        pairs.iter().zip(&meets).map(|(&[a, b], &meets)| (names(&parts[a].lists.name, &parts[b].lists.name), meets));
    let Judged { wrong, hard, of_solids: [of_solids, with_depth] } = judge(&report, &model, &meeting.collect());
    let seconds = median(reports.clone());
    let row = Row {
        case: format!("{name} report"),
        ours: rounded(1e3 * seconds, 3),
        unit: "ms",
        peer: peer(&reports),
        wrong,
        answers: Digest::of(&report),
        more: vec![
            ("parts", json!(model.parts().len())),
            ("hard", json!(hard)),
            ("hard_of_solids", json!(of_solids)),
            ("with_local_depth", json!(with_depth)),
            ("groups", json!(report.groups.len())),
            ("geometries", json!(model.bodies().len())),
            ("repaired", json!(report.repaired.len())),
            ("open", json!(report.open.len())),
        ],
    };
    let mut goals = vec![
        Goal {
            goal: format!("{name}: the whole report in less than {REPORT_SECONDS} s of one core, loading included"),
            seen: json!(rounded(seconds, 2)),
            met: seconds < REPORT_SECONDS,
        },
        Goal {
            goal: format!("{name}: a local depth for every hard finding of two solids"),
            seen: json!(format!("{with_depth} of {of_solids}")),
            met: with_depth == of_solids,
        },
    ];
    if let Some(peer) = &row.peer {
        let goal = format!("{name}: the whole report no slower than FCL's booleans alone");
        goals.push(Goal { goal, seen: json!(peer.ratio), met: peer.ratio >= 1.0 });
    }
    let cases = pairs.len() + report.findings.len();
    Ok((vec![booleans, row], goals, cases as u64))
}
