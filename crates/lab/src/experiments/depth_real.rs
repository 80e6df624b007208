//! How deep real closed models overlap, at random poses: the bracket of `solid_depth`, proved again by `verify` for
//! every pose, beside the shortcuts that others take: the vertex of one body that is deepest in the other, pushed out
//! by the nearest way (as with a distance field); the depth of the convex hulls by an expanding polytope; and, built
//! with feature `peers`, the deepest pair of parts of parry's convex decomposition, by the same polytope.
//!
//! An answer is wrong if `verify` refuses it, or if bodies moved by it are not apart. A shortcut is counted as
//! `left_overlapping` if bodies moved by what it says still overlap, and as `too_long` if its translation is longer
//! than the proved upper bound by more than a twentieth.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::meshes::{Model, into_unit_cube, read_folder};
use crate::models::Random;
use crate::peers::convex_parts;
use crate::report::{Provenance, Report, Row, rounded};
use clearance::Workspace;
use clearance::answer::SolidDepth;
use clearance::glam::DVec3;
use clearance::query::SolidDepthOptions;
use clearance::query::solid_depth_with;
use clearance::{Error, Mesh, Pose, Relation, Shape, intersects, penetration, relation, signed_distance};
use serde_json::{Value, json};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "depth-real",
    about: "depth of real closed models at random overlapping poses: brackets, times, and where shortcuts are wrong",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What the data has to be.
const WANTED: &str = "a folder of meshes, some of them closed";

/// Poses of each pair of models.
const POSES: usize = 6;

/// Vertices of a body that the first shortcut examines.
const VERTICES: usize = 4_000;

struct Body {
    name: String,
    shape: Shape,
    hull: Shape,
    /// Parts of its convex decomposition, if there is a peer that makes one.
    parts: Option<Vec<Shape>>,
    points: Vec<DVec3>,
}

/// The closed ones among some models, in the unit cube, and why the others are none.
fn bodies(models: Vec<Model>) -> Result<(Vec<Body>, Vec<String>), LabError> {
    let (mut bodies, mut left_out) = (Vec::new(), Vec::new());
    for mut model in models {
        into_unit_cube(&mut model);
        let solid = |triangles: &[[u32; 3]]| Mesh::new(&model.points, triangles).and_then(|mesh| mesh.solid());
        // Wound the wrong way round as a whole: turned.
        let mesh = solid(&model.triangles).or_else(|error| match error {
            Error::InsideOut { .. } => solid(&model.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect::<Vec<_>>()),
            other => Err(other),
        });
        let shape = match mesh {
            Ok(mesh) => Shape::Mesh(mesh),
            Err(error) => {
                left_out.push(format!("{}: {error}", model.name));
                continue;
            }
        };
        // Whether it crosses itself is found out by the question itself.
        let probe = SolidDepthOptions { work: 0, ..SolidDepthOptions::default() };
        let far = Pose::from_translation(DVec3::X * 10.0).map_err(LabError::from)?;
        if let Err(error) =
            solid_depth_with(&shape, &Pose::IDENTITY, &shape, &far, &probe, &mut Workspace::default(), |_, _| true)
        {
            left_out.push(format!("{}: {error}", model.name));
            continue;
        }
        let hull = Shape::hull(&model.points).map_err(LabError::from)?;
        let parts = convex_parts(&model.points, &model.triangles).map(|parts| {
            let corners = |part: &Vec<DVec3>| part.iter().map(DVec3::to_array).collect::<Vec<_>>();
            // A part without a volume is none.
            parts.iter().filter_map(|part| Shape::hull(&corners(part)).ok()).collect()
        });
        let points = model.points.iter().map(|&point| DVec3::from_array(point)).collect();
        bodies.push(Body { name: model.name, shape, hull, parts, points });
    }
    Ok((bodies, left_out))
}

/// What a shortcut did over all poses of a row.
#[derive(Default)]
struct Shortcut {
    left_overlapping: u64,
    too_long: u64,
}

impl Shortcut {
    fn judge(&mut self, a: &Body, b: &Body, pose: &Pose, translation: DVec3, upper: f64) -> Result<(), LabError> {
        // A little farther than it says: touching is as good.
        let moved =
            Pose::new(pose.rotation(), pose.translation() + translation * (1.0 + 1e-6)).map_err(LabError::from)?;
        let after = relation(&a.shape, &Pose::IDENTITY, &b.shape, &moved);
        self.left_overlapping += u64::from(after == Relation::Overlapping);
        self.too_long += u64::from(translation.length() > 1.05 * upper);
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!({ "left_overlapping": self.left_overlapping, "too_long": self.too_long })
    }
}

/// The way out of the vertex of B that is deepest in A.
fn deepest_vertex(a: &Body, b: &Body, pose: &Pose) -> DVec3 {
    let every = b.points.len().div_ceil(VERTICES);
    let mut deepest = (0.0, DVec3::ZERO);
    for &point in b.points.iter().step_by(every) {
        let at = signed_distance(&a.shape, &Pose::IDENTITY, pose.transform_point(point));
        if at.distance.value < deepest.0 {
            deepest = (at.distance.value, at.normal * -at.distance.value);
        }
    }
    deepest.1
}

/// The way out of the two convex parts that are deepest in each other.
fn deepest_parts(a: &[Shape], b: &[Shape], pose: &Pose) -> Result<DVec3, LabError> {
    let mut deepest = (0.0, DVec3::ZERO);
    for part_a in a {
        for part_b in b {
            if !intersects(part_a, &Pose::IDENTITY, part_b, pose) {
                continue;
            }
            let found = penetration(part_a, &Pose::IDENTITY, part_b, pose).map_err(LabError::from)?;
            if found.depth.value > deepest.0 {
                deepest = (found.depth.value, found.normal * found.depth.value);
            }
        }
    }
    Ok(deepest.1)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let missing = |path| LabError::MissingData { experiment: EXPERIMENT.name, path, wanted: WANTED };
    let folder = options.data.as_ref().ok_or_else(|| missing(None))?;
    if !folder.is_dir() {
        return Err(missing(Some(folder.clone())));
    }
    let (bodies, left_out) = bodies(read_folder(folder)?)?;
    if bodies.is_empty() {
        return Err(missing(Some(folder.clone())));
    }
    let mut random = Random::new(options.seed, 0);
    let poses = if options.quick { 1 } else { POSES };
    let mut rows = Vec::new();
    for (k, a) in bodies.iter().enumerate() {
        // Each with itself and with the next.
        let next = &bodies[(k + 1) % bodies.len()];
        for b in if bodies.len() > 1 { vec![a, next] } else { vec![a] } {
            rows.push(row(a, b, poses, &mut random)?);
        }
    }
    let cases = (rows.len() * poses) as u64;
    Ok(Report {
        experiment: EXPERIMENT.name,
        rows,
        cases,
        more: vec![("left_out", json!(left_out))],
        goals: Vec::new(),
        markdown: None,
        plot: None,
        provenance: Provenance::here(1),
    })
}

fn row(a: &Body, b: &Body, poses: usize, random: &mut Random) -> Result<Row, LabError> {
    let (mut times, mut uppers, mut widths, mut proofs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut wrong, mut interrupted, mut done) = (0, 0, 0);
    let (mut vertex, mut hull) = (Shortcut::default(), Shortcut::default());
    let both = a.parts.as_deref().zip(b.parts.as_deref());
    let mut parts = both.map(|both| (both, Shortcut::default()));
    let (mut tried, mut refused, mut answers) = (0, Vec::new(), Digest::default());
    while done < poses && tried < 100 * poses {
        tried += 1;
        let by = random.direction() * random.between(0.05, 0.5);
        let pose = Pose::from_quat(random.rotation(), by).map_err(LabError::from)?;
        if relation(&a.shape, &Pose::IDENTITY, &b.shape, &pose) != Relation::Overlapping {
            continue;
        }
        done += 1;
        let ask = |work: u64| {
            let options = SolidDepthOptions { work, ..SolidDepthOptions::default() };
            solid_depth_with(&a.shape, &Pose::IDENTITY, &b.shape, &pose, &options, &mut Workspace::default(), |_, _| {
                true
            })
            .map_err(LabError::from)
        };
        let (first, upper_seconds) = timed(|| ask(0));
        let (found, seconds) = timed(|| ask(SolidDepthOptions::default().work));
        let (first, found) = (first?, found?);
        let prove = |answer: &SolidDepth| answer.verify(&a.shape, &Pose::IDENTITY, &b.shape, &pose);
        let (proved, verify_seconds) = timed(|| prove(&found));
        let mut faults: Vec<String> =
            [proved, prove(&first)].into_iter().filter_map(Result::err).map(|refusal| refusal.to_string()).collect();
        let depth = found.penetration;
        let out = depth.normal * (depth.depth.upper * (1.0 + 1e-12));
        let moved = Pose::new(pose.rotation(), pose.translation() + out).map_err(LabError::from)?;
        if relation(&a.shape, &Pose::IDENTITY, &b.shape, &moved) == Relation::Overlapping {
            faults.push("the way out leaves them overlapping".into());
        }
        wrong += u64::from(!faults.is_empty());
        refused.extend(faults.into_iter().map(|fault| format!("pose {tried}: {fault}")));
        interrupted += u64::from(found.interrupted);
        times.push(seconds);
        uppers.push(upper_seconds);
        proofs.push(verify_seconds);
        widths.push(100.0 * (1.0 - depth.depth.lower / depth.depth.upper));
        let deepest = deepest_vertex(a, b, &pose);
        vertex.judge(a, b, &pose, deepest, depth.depth.upper)?;
        let hulls = penetration(&a.hull, &Pose::IDENTITY, &b.hull, &pose).map_err(LabError::from)?;
        answers.note(&tried, &(&first, &found, deepest, hulls));
        hull.judge(a, b, &pose, hulls.normal * hulls.depth.value, depth.depth.upper)?;
        if let Some(((of_a, of_b), judged)) = &mut parts {
            judged.judge(a, b, &pose, deepest_parts(of_a, of_b, &pose)?, depth.depth.upper)?;
        }
    }
    let sorted = |values: &mut Vec<f64>| values.sort_by(f64::total_cmp);
    [&mut times, &mut uppers, &mut widths, &mut proofs].into_iter().for_each(sorted);
    let median = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or(0.0);
    let most = |values: &[f64]| values.last().copied().unwrap_or(0.0);
    let mut row = Row {
        case: format!("{} in {}", b.name, a.name),
        ours: rounded(1e3 * median(&times), 2),
        unit: "ms",
        peer: None,
        wrong,
        answers,
        more: vec![
            ("poses", json!(done)),
            ("worst_ms", json!(rounded(1e3 * most(&times), 1))),
            ("upper_ms", json!(rounded(1e3 * median(&uppers), 2))),
            ("worst_upper_ms", json!(rounded(1e3 * most(&uppers), 1))),
            ("width_percent", json!(rounded(median(&widths), 2))),
            ("worst_width_percent", json!(rounded(most(&widths), 2))),
            ("interrupted", json!(interrupted)),
            ("verify_ms", json!(rounded(1e3 * median(&proofs), 1))),
            ("deepest_vertex", vertex.to_json()),
            ("hulls", hull.to_json()),
        ],
    };
    if !refused.is_empty() {
        row.more.push(("refused", json!(refused)));
    }
    if let Some(((of_a, of_b), judged)) = parts {
        row.more.push(("convex_parts", judged.to_json()));
        row.more.push(("parts", json!([of_a.len(), of_b.len()])));
    }
    Ok(row)
}
