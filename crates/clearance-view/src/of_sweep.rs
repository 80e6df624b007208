//! A step of deforming meshes as a scene: the meshes on their way, and each impact with the features that touch, at its
//! time.

use clearance::answer::StepCollisions;
use clearance::glam::DVec3;
use clearance::shape::Feature;
use clearance::{DeformingMesh, Mesh, Pose};
use clearance_check::output::{count, short, thousands};
use clearance_check::{Error, Loop};

use crate::sentence::feature;
use crate::{Deformation, Scene, SceneFinding, SceneKind, ScenePart, Timeline};

/// The largest number of impacts on a page, the first ones, and of pairs of triangles that meet at the start.
const SHOWN: usize = 500;
/// The number of steps of the slider, besides one at the time of each impact.
const STEPS: u32 = 60;

impl Scene {
    /// What one mesh or two do in a step: the meshes as parts, by their names, on their way, and each impact with the
    /// features that touch, in a frame of its own. A single mesh is tested against itself.
    ///
    /// # Errors
    /// [`Error::Usage`] if there is not one mesh or two with a name for each.
    ///
    /// ```
    /// use clearance::{DeformingMesh, step_collisions};
    /// use clearance_view::Scene;
    /// let floor = DeformingMesh::new(&[[0.0; 3], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], &[[0, 1, 2]])?;
    /// let mut leaf = DeformingMesh::new(&[[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 2.0]], &[[0, 1, 2]])?;
    /// leaf.move_to(&[[1.0, 1.0, -3.0], [2.0, 1.0, -3.0], [1.0, 2.0, -2.0]])?;
    /// let found = step_collisions(&leaf, &floor);
    /// let scene = Scene::of_step(&["leaf".into(), "floor".into()], &[leaf, floor], &found)?;
    /// assert_eq!(scene.verdict, "3 impacts, the first at t = 0.25");
    /// assert_eq!((scene.findings.len(), scene.deformations.len()), (3, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_step(names: &[String], meshes: &[DeformingMesh], found: &StepCollisions) -> Result<Scene, Error> {
        match (meshes.len(), names.len()) {
            (1, 1) | (2, 2) => of_sweep(names, meshes, found),
            (meshes, names) => {
                Err(Error::Usage(format!("expected 1 or 2 meshes and as many names, got {meshes} and {names}")))
            }
        }
    }
}

fn of_sweep(names: &[String], meshes: &[DeformingMesh], found: &StepCollisions) -> Result<Scene, Error> {
    let sides: Vec<SweptMesh> = meshes.iter().map(SweptMesh::new).collect();
    let impacts = &found.impacts[..found.impacts.len().min(SHOWN)];
    let meeting = &found.intersecting[..found.intersecting.len().min(SHOWN)];
    let mut times: Vec<f64> = (0..=STEPS).map(|k| f64::from(k) / f64::from(STEPS)).collect();
    times.extend(impacts.iter().map(|impact| impact.time.lower));
    times.sort_by(f64::total_cmp);
    times.dedup();
    let frame = |time: f64| times.partition_point(|&other| other < time);
    let last = meshes.len() - 1;
    let pair = format!("{} × {}", names[0], if last == 0 { "itself" } else { &names[last] });
    let mut findings = Vec::new();
    for &[one, other] in meeting {
        let outlines = [sides[0].outline(Feature::Face(one), 0.0), sides[last].outline(Feature::Face(other), 0.0)];
        let middle = outlines[0].points.iter().map(|&p| DVec3::from_array(p)).sum::<DVec3>() / 3.0;
        findings.push(SceneFinding {
            group: format!("at the start: {pair}"),
            sentence: format!("face {one} and face {other} meet at the start"),
            points: Some([middle.to_array(); 2]),
            loops: outlines.to_vec(),
            frame: Some(0),
            ..SceneFinding::new(format!("start-{one}-{other}"), SceneKind::Hard, 0, last)
        });
    }
    for impact in impacts {
        let [a, b] = impact.features.map(feature);
        let [one, other] = impact.features;
        findings.push(SceneFinding {
            group: format!("impacts: {pair}"),
            sentence: format!("{a} touches {b} at t = {}", short(impact.time.lower)),
            points: Some([impact.point.to_array(); 2]),
            loops: vec![sides[0].outline(one, impact.time.lower), sides[last].outline(other, impact.time.lower)],
            frame: Some(frame(impact.time.lower)),
            details: vec![
                ("time".into(), format!("{} ≤ t ≤ {}", impact.time.lower, impact.time.upper)),
                ("coordinates".into(), format!("{}, {}", impact.coordinates[0], impact.coordinates[1])),
            ],
            ..SceneFinding::new(format!("{a}-{b}").replace(' ', "-"), SceneKind::Touching, 0, last)
        });
    }
    let mut notes = Vec::new();
    for (shown, all, what) in [
        (impacts.len(), found.impacts.len(), "impacts"),
        (meeting.len(), found.intersecting.len(), "pairs of triangles that meet at the start"),
    ] {
        if shown < all {
            notes.push(format!(
                "The first {shown} of {} {what} are in this page; the answer has all.",
                thousands(all as u64)
            ));
        }
    }
    let triangles: usize = meshes.iter().map(DeformingMesh::triangle_count).sum();
    let first = found
        .impacts
        .first()
        .map_or_else(String::new, |first| format!(", the first at t = {}", short(first.time.lower)));
    let at_start = match found.intersecting.len() {
        0 => String::new(),
        pairs => format!("; {} of triangles meet at the start", count(pairs as u64, "pair")),
    };
    let solid = |mesh: &DeformingMesh| {
        let points: Vec<[f64; 3]> = mesh.start().map(|point| point.to_array()).collect();
        Mesh::new(&points, &mesh.triangles()).map_err(Error::from)
    };
    Ok(Scene {
        title: names.join(", "),
        verdict: format!("{}{first}{at_start}", count(found.impacts.len() as u64, "impact")),
        summary: vec![
            format!("{} in motion", count(triangles as u64, "triangle")),
            format!("{} of features tested", count(found.counts.candidates, "near pair")),
        ],
        notes,
        meshes: meshes.iter().map(solid).collect::<Result<_, _>>()?,
        parts: (names.iter().enumerate())
            .map(|(mesh, name)| ScenePart { name: name.clone(), mesh, pose: Pose::IDENTITY })
            .collect(),
        findings,
        timeline: Some(Timeline { label: "t =".into(), times, tracks: Vec::new() }),
        deformations: (meshes.iter().enumerate())
            .map(|(part, mesh)| Deformation { part, end: mesh.end().map(|point| point.to_array()).collect() })
            .collect(),
        ..Scene::default()
    })
}

/// A mesh with its lists.
struct SweptMesh {
    ends: [Vec<DVec3>; 2],
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
}

impl SweptMesh {
    fn new(mesh: &DeformingMesh) -> SweptMesh {
        let ends = [mesh.start().collect(), mesh.end().collect()];
        SweptMesh { ends, triangles: mesh.triangles(), edges: mesh.edges() }
    }

    /// A feature as a curve, where it is at a time.
    fn outline(&self, feature: Feature, time: f64) -> Loop {
        let corners: &[u32] = match feature {
            Feature::Vertex(point) => &[point],
            Feature::Edge(edge) => &self.edges[edge as usize],
            Feature::Face(face) => &self.triangles[face as usize],
            Feature::Interior => &[],
        };
        let at = |&point: &u32| self.ends[0][point as usize].lerp(self.ends[1][point as usize], time).to_array();
        Loop { closed: corners.len() > 2, points: corners.iter().map(at).collect() }
    }
}
