//! First hits of rays on a mesh, and the points of it nearest to given ones: against parry, obvhs and embree.
//!
//! Rays come in from all sides, aimed at points in the mesh's ball, so that most hit and some miss; points lie about
//! the mesh, inside and outside. parry and obvhs take turns with us, batch by batch. embree runs in another process,
//! with all rays in one call, on one processor and in single precision; its figure is per ray and without the cost of
//! that call on rays that meet nothing. Against it stands one call of ours for all rays, on one thread, with all of its
//! cost.
//!
//! A sample of our answers is compared with every triangle by itself, as a flat convex body, and has to satisfy
//! `RayHit::verify` or `SignedDistance::verify`. `peer_off` counts a peer's answers that are outside of our bracket by
//! more than its precision allows: a billionth of the length of the ray for parry, 1e-4 for those that compute in
//! single precision. A ray along the rim of the mesh may be a hit for one and a miss for another, so verdicts count
//! only for parry.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use clearance::answer::{ClosestPoint, NoHit, RayHit};
use clearance::glam::DVec3;
use clearance::query::{RayOptions, ray_cast_batch};
use clearance::{Pose, Ray, Shape, closest_point, ray_cast};
use indicatif::ProgressIterator;
use serde_json::{Value, json};

use super::tree_cost::pool;
use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::{Plan, Timing, race, timed};
use crate::meshes::generate::{bumpy_sphere, torus};
use crate::meshes::{Model, into_unit_cube, read_folder};
use crate::models::Random;
use crate::peers::question::{MeshRay, RayHit as PeerHit};
use crate::peers::{HOW_TO_ENABLE, ObvhsBuild, ObvhsTree, ParryMesh, embree};
use crate::report::{Peer, Provenance, Report, Row, rounded};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ray-mesh",
    about: "first hits of rays on meshes, and closest points; against parry, obvhs and embree (feature `peers`)",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to be.
const WANTED: &str = "a folder with meshes (.obj, .off, .ply, .stl); without --data meshes are generated";

/// A mesh of size 1 about the origin, with rays and points.
struct Scene {
    name: String,
    shape: Shape,
    triangles: Vec<Shape>,
    rays: Vec<Ray>,
    points: Vec<DVec3>,
}

impl Scene {
    fn new(model: &Model, count: usize, random: &mut Random) -> Result<Scene, clearance::Error> {
        let ray = |_| {
            let origin = random.direction() * 2.0;
            let aim = random.direction() * random.between(0.0, 0.6);
            Ray::new(origin, aim - origin)
        };
        let rays = (0..count).map(ray).collect::<Result<_, _>>()?;
        let points = (0..count).map(|_| random.direction() * random.between(0.0, 1.5)).collect();
        let triangle = |number: usize| {
            let [a, b, c] = model.corners(number).map(DVec3::from);
            Shape::triangle(a, b, c)
        };
        Ok(Scene {
            name: model.name.clone(),
            shape: Shape::mesh(&model.points, &model.triangles)?,
            triangles: (0..model.triangles.len()).map(triangle).collect::<Result<_, _>>()?,
            rays,
            points,
        })
    }

    fn cast(&self, number: usize) -> Option<RayHit> {
        ray_cast(&self.shape, &Pose::IDENTITY, &self.rays[number]).ok()
    }

    /// One call for all rays: nanoseconds a ray, the median of so many calls.
    fn batch_time(&self, repeats: usize) -> Result<f64, LabError> {
        let pool = pool(1)?;
        let call = || ray_cast_batch(&self.shape, &Pose::IDENTITY, black_box(&self.rays), &RayOptions::default());
        let mut times: Vec<f64> = (0..=repeats).map(|_| pool.install(|| timed(|| black_box(call())).1)).collect();
        // The first warms up.
        times.remove(0);
        times.sort_by(f64::total_cmp);
        Ok(1e9 * times[times.len() / 2] / self.rays.len() as f64)
    }

    fn nearest(&self, number: usize) -> ClosestPoint {
        closest_point(&self.shape, &Pose::IDENTITY, self.points[number])
    }

    /// What is wrong with a hit, by every triangle and by `RayHit::verify`.
    fn ray_faults(&self, number: usize, hit: Option<&RayHit>) -> Vec<&'static str> {
        let ray = &self.rays[number];
        let singles = self.triangles.iter().filter_map(|triangle| ray_cast(triangle, &Pose::IDENTITY, ray).ok());
        let single = singles.reduce(|one, other| if other.t.value < one.t.value { other } else { one });
        let mut faults = Vec::new();
        match (hit, single) {
            (None, None) => {}
            (None, Some(_)) => faults.push("a triangle is hit, the mesh is not"),
            (Some(_), None) => faults.push("the mesh is hit, no triangle is"),
            (Some(hit), Some(single)) if hit.t.lower > single.t.upper => {
                faults.push("a triangle is hit before the lower bound")
            }
            (Some(hit), Some(single)) if hit.t.upper < single.t.lower => {
                faults.push("no triangle is hit by the upper bound")
            }
            _ => {}
        }
        let options = RayOptions::default();
        let none = NoHit { from: options.from, to: options.to };
        let proved = hit.map_or_else(
            || none.verify(&self.shape, &Pose::IDENTITY, ray, &options),
            |hit| hit.verify(&self.shape, &Pose::IDENTITY, ray, &options),
        );
        if proved.is_err() {
            faults.push("verify_ray refused");
        }
        faults
    }

    /// What is wrong with a nearest point, by every triangle and by `SignedDistance::verify`.
    fn point_faults(&self, number: usize, found: &ClosestPoint) -> Vec<&'static str> {
        let point = self.points[number];
        let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
        for triangle in &self.triangles {
            let one = closest_point(triangle, &Pose::IDENTITY, point);
            (lower, upper) = (lower.min(one.distance.lower), upper.min(one.distance.upper));
        }
        let mut faults = Vec::new();
        if found.distance.lower > upper {
            faults.push("a triangle is nearer than the lower bound");
        }
        if found.distance.upper < lower {
            faults.push("no triangle is as near as the upper bound");
        }
        if found.verify(&self.shape, &Pose::IDENTITY, point).is_err() {
            faults.push("verify_point refused");
        }
        faults
    }
}

/// Whether a peer's hit is in our bracket, to within so much of the ray; `strict` about whether there is one.
fn hits_agree(ours: Option<&RayHit>, theirs: Option<&PeerHit>, tolerance: f64, strict: bool) -> bool {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => ours.t.lower - tolerance <= theirs.t && theirs.t <= ours.t.upper + tolerance,
        (None, None) => true,
        _ => !strict,
    }
}

/// A row of a race, with our answers and what is wrong with them.
fn row(
    case: String,
    timing: &Timing,
    name: &'static str,
    (answers, faults): (Digest, &[&'static str]),
    more: Vec<(&'static str, Value)>,
) -> Row {
    let peer = timing.theirs.map(|theirs| Peer {
        name,
        theirs: rounded(theirs.side.median, 1),
        ratio: rounded(theirs.ratio, 3),
        worst_ratio: rounded(theirs.worst_ratio, 3),
    });
    let mut more = more;
    if !faults.is_empty() {
        let mut why: BTreeMap<&str, u64> = BTreeMap::new();
        faults.iter().for_each(|fault| *why.entry(fault).or_default() += 1);
        more.push(("why", json!(why)));
    }
    let (ours, wrong) = (rounded(timing.ours.median, 1), faults.len() as u64);
    Row { case, ours, unit: "ns", peer, wrong, answers, more }
}

/// The rows of a model.
fn examine(model: &Model, plan: Plan, sample: usize, random: &mut Random) -> Result<Vec<Row>, LabError> {
    let scene = Scene::new(model, plan.queries, random)?;
    let rays: Vec<MeshRay> =
        scene.rays.iter().map(|ray| MeshRay { origin: ray.origin, direction: ray.direction }).collect();
    let parry =
        ParryMesh::new(model, &rays, &scene.points).map_err(|problem| eprintln!("lab: no parry: {problem}")).ok();
    let obvhs = ObvhsTree::new(model, ObvhsBuild::Medium, true, &rays);
    let hits: Vec<Option<RayHit>> = (0..plan.queries).map(|number| scene.cast(number)).collect();
    let nearest: Vec<ClosestPoint> = (0..plan.queries).map(|number| scene.nearest(number)).collect();
    let ray_faults: Vec<&'static str> =
        (0..sample).flat_map(|number| scene.ray_faults(number, hits[number].as_ref())).collect();
    let point_faults: Vec<&'static str> =
        (0..sample).flat_map(|number| scene.point_faults(number, &nearest[number])).collect();
    let [ray_answers, point_answers] = [Digest::of_all(&hits), Digest::of_all(&nearest)];
    let hit_count = hits.iter().flatten().count();

    let cast = |number: usize| {
        black_box(scene.cast(black_box(number)));
    };
    let off = |agree: &dyn Fn(usize) -> bool| (0..plan.queries).filter(|&number| !agree(number)).count();
    let columns = |off: usize| vec![("hits", json!(hit_count)), ("checked", json!(sample)), ("peer_off", json!(off))];
    let rays_case = format!("{} rays", model.name);
    let mut rows = Vec::new();
    let timing = race(
        plan,
        cast,
        parry.as_ref().map(|parry| {
            move |number: usize| {
                black_box(parry.cast(black_box(number)));
            }
        }),
    );
    let parry_off = parry
        .as_ref()
        .map_or(0, |parry| off(&|number| hits_agree(hits[number].as_ref(), parry.cast(number).as_ref(), 1e-9, true)));
    rows.push(row(rays_case.clone(), &timing, ParryMesh::NAME, (ray_answers, &ray_faults), columns(parry_off)));
    if let Some(obvhs) = &obvhs {
        let timing = race(
            plan,
            cast,
            Some(|number: usize| {
                black_box(obvhs.cast(black_box(number)));
            }),
        );
        let off = off(&|number| hits_agree(hits[number].as_ref(), obvhs.cast(number).as_ref(), 1e-4, false));
        rows.push(row(rays_case.clone(), &timing, ObvhsTree::NAME, (ray_answers, &[]), columns(off)));
    }
    match embree::run(model, &rays, true) {
        Ok(run) => {
            let off = off(&|number| hits_agree(hits[number].as_ref(), run.hits[number].as_ref(), 1e-4, false));
            let theirs = (run.batch - run.empty_batch).max(0.0);
            let ours = scene.batch_time(plan.repeats)?;
            let ratio = rounded(theirs / ours, 3);
            let peer = Peer { name: embree::NAME, theirs: rounded(theirs, 1), ratio, worst_ratio: ratio };
            let mut more = columns(off);
            more.push(("empty_batch", json!(rounded(run.empty_batch, 1))));
            rows.push(Row {
                case: format!("{} rays, in one call", model.name),
                ours: rounded(ours, 1),
                unit: "ns",
                peer: Some(peer),
                wrong: 0,
                answers: Digest::default(),
                more,
            });
        }
        Err(problem) => eprintln!("lab: no {}: {problem}", embree::NAME),
    }
    let timing = race(
        plan,
        |number: usize| {
            black_box(scene.nearest(black_box(number)));
        },
        parry.as_ref().map(|parry| {
            move |number: usize| {
                black_box(parry.nearest(black_box(number)));
            }
        }),
    );
    let parry_off = parry.as_ref().map_or(0, |parry| {
        off(&|number| {
            let theirs = parry.nearest(number).distance(scene.points[number]);
            nearest[number].distance.lower - 1e-9 <= theirs && theirs <= nearest[number].distance.upper + 1e-9
        })
    });
    let more = vec![("checked", json!(sample)), ("peer_off", json!(parry_off))];
    let case = format!("{} nearest points", scene.name);
    rows.push(row(case, &timing, ParryMesh::NAME, (point_answers, &point_faults), more));
    Ok(rows)
}

/// The models: of the folder, or generated.
fn models(data: Option<&Path>, quick: bool) -> Result<Vec<Model>, LabError> {
    let missing =
        || LabError::MissingData { experiment: EXPERIMENT.name, path: data.map(Path::to_owned), wanted: WANTED };
    let mut models = match data {
        Some(folder) if !folder.is_dir() => return Err(missing()),
        Some(folder) => read_folder(folder)?,
        None => {
            let triangles = if quick { 2000 } else { 100_000 };
            vec![bumpy_sphere(triangles), torus(triangles)]
        }
    };
    if models.is_empty() {
        return Err(missing());
    }
    models.iter_mut().for_each(into_unit_cube);
    Ok(models)
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let (plan, sample) = if options.quick {
        (Plan { queries: 100, batch: 50, repeats: 3 }, 20)
    } else {
        (Plan { queries: 5000, batch: 250, repeats: 15 }, 20)
    };
    let models = models(options.data.as_deref(), options.quick)?;
    let (mut rows, mut cases) = (Vec::new(), 0);
    for (number, model) in models.iter().enumerate().progress() {
        rows.extend(examine(model, plan, sample, &mut Random::new(options.seed, 6000 + number as u64))?);
        cases += 2 * plan.queries as u64;
    }
    if cfg!(not(feature = "peers")) {
        eprintln!("lab: {HOW_TO_ENABLE}");
    }
    let least = |name: &str, ending: &str| {
        let of = rows.iter().filter(|row| row.case.contains(ending)).filter_map(|row| row.peer.as_ref());
        of.filter(|peer| peer.name == name).map(|peer| peer.ratio).reduce(f64::min)
    };
    Ok(Report {
        goals: Vec::new(),
        markdown: None,
        experiment: EXPERIMENT.name,
        cases,
        more: vec![
            ("rays_least_ratio_parry", json!(least(ParryMesh::NAME, "rays"))),
            ("rays_least_ratio_embree", json!(least(embree::NAME, "rays"))),
            ("nearest_least_ratio_parry", json!(least(ParryMesh::NAME, "nearest"))),
        ],
        plot: None,
        rows,
        provenance: Provenance::here(1),
    })
}

#[cfg(test)]
mod tests {
    use clearance::Bracket;

    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        assert_eq!(report.cases, 400);
        let json = report.to_json();
        assert!(json["rows"][0]["hits"].as_u64().is_some_and(|hits| hits > 50), "{}", report.to_text());
        if cfg!(not(feature = "peers")) {
            assert_eq!(report.rows.len(), 4);
        }
    }

    #[test]
    fn bent_answers_are_found_out() {
        let mut model = torus(200);
        into_unit_cube(&mut model);
        let scene = Scene::new(&model, 30, &mut Random::new(1, 0)).unwrap();
        let mut hit_count = 0;
        for number in 0..30 {
            if let Some(hit) = scene.cast(number) {
                let late = RayHit {
                    t: Bracket { lower: hit.t.lower + 1e-6, value: hit.t.value + 1e-6, upper: hit.t.upper + 1e-6 },
                    ..hit
                };
                assert!(!scene.ray_faults(number, Some(&late)).is_empty());
                assert!(!scene.ray_faults(number, None).is_empty());
                hit_count += 1;
            }
            let found = scene.nearest(number);
            let far = found.distance.upper + 1e-6;
            let bent = ClosestPoint { distance: Bracket { lower: far, value: far, upper: far }, ..found };
            assert!(scene.point_faults(number, &bent).contains(&"a triangle is nearer than the lower bound"));
        }
        assert!(hit_count > 10);
    }

    #[test]
    fn a_missing_folder_is_said() {
        let options = Options { data: Some("no/such/folder".into()), ..Options::default() };
        assert!(matches!(run(&options), Err(LabError::MissingData { path: Some(_), .. })));
    }
}
