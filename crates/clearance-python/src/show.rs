//! The page of `clearance.show`: bodies where they are, and answers about them, as `clearance --html` shows them.

use clearance::answer::SelfIntersectionKind;
use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_view::{
    Budget, Deformation, Proved, RobotPath, Scene, SceneFinding, SceneKind, ScenePart, Timeline, Track,
};
use pyo3::prelude::*;

use crate::contacts::PyContacts;
use crate::deforming::{PyDeformingMesh, PyStepCollisions};
use crate::depth::{PyDepthAlong, PyLocalDepth, PySolidDepth};
use crate::error::wrong;
use crate::impact::{InMotion, Moving, PyImpact};
use crate::mesh::PySelfIntersections;
use crate::pair::{Pair, PyDistance, PyPenetration, PyRelationProof, PyVolume};
use crate::points::{PyClosestPoint, PySignedDistance};
use crate::pose::PyPose;
use crate::rays::PyRayHit;
use crate::rigid::{PyFirstImpact, PyLeastClearance, PyRigidImpact};
use crate::robot_sweep::{Performance, PyRobotSweep};
use crate::shape::PyShape;
use crate::work::at_length;
use crate::world::PyPairEvent;

/// How large the mark of a point is, as a part of the size of its body.
const MARK: f64 = 0.01;

/// How many frames a motion is cut into; there is one more at the time of each answer.
const FRAMES: u32 = 40;

/// So many answers about bodies in motion have their way shown; all others are shown at their time alone.
const MOVING: usize = 20;

/// The scene as it is built.
struct Shown<'u> {
    unit: Option<&'u str>,
    shapes: Vec<Shape>,
    /// For each shape its object, if it has one: a body that is the same object is stored once.
    objects: Vec<Option<usize>>,
    parts: Vec<ScenePart>,
    findings: Vec<SceneFinding>,
    /// The findings whose parts are searched for intersections.
    pairs: Vec<usize>,
    /// The parts that move, and where each is at a time.
    moving: Vec<(usize, Way)>,
    /// The parts that deform, each with the address of its object.
    deforming: Vec<(usize, Deformation)>,
    /// The times of a frame each.
    times: Vec<f64>,
    /// The findings that hold at one time, and which.
    moments: Vec<(usize, f64)>,
    /// The summary of a step of deforming meshes, or of a motion of a robot.
    verdicts: Vec<String>,
    notes: Vec<String>,
}

/// Where a part is at a time.
type Way = Box<dyn Fn(f64) -> Pose>;

impl Shown<'_> {
    /// The number of a body.
    fn body(&mut self, shape: &Py<PyShape>) -> usize {
        self.body_at(shape.as_ptr() as usize, &shape.get().shape)
    }

    /// The number of a body that is known by an address.
    fn body_at(&mut self, address: usize, shape: &Shape) -> usize {
        let known = self.objects.iter().position(|&other| other == Some(address));
        known.unwrap_or_else(|| {
            self.objects.push(Some(address));
            self.shapes.push(shape.clone());
            self.shapes.len() - 1
        })
    }

    /// The number of a part: one that shows this body there, or a new one.
    fn part(&mut self, shape: &Py<PyShape>, pose: &Pose) -> usize {
        let mesh = self.body(shape);
        let known = self.parts.iter().position(|part| part.mesh == mesh && part.pose == *pose);
        known.unwrap_or_else(|| self.add(mesh, pose, kind(&shape.get().shape)))
    }

    /// A new part with a name and a number.
    fn add(&mut self, mesh: usize, pose: &Pose, name: &str) -> usize {
        let name = format!("{name} {}", self.parts.len() + 1);
        self.parts.push(ScenePart { name, mesh, pose: *pose });
        self.parts.len() - 1
    }

    /// A new part for something that is not a body of an answer.
    fn mark(&mut self, shape: Result<Shape, clearance::Error>, pose: &Pose, name: &str) -> Option<usize> {
        self.objects.push(None);
        self.shapes.push(shape.ok()?);
        Some(self.add(self.shapes.len() - 1, pose, name))
    }

    /// A finding about two parts.
    fn finding(&self, name: &str, a: usize, b: usize) -> SceneFinding {
        SceneFinding::new(format!("{name}-{}", self.findings.len() + 1), SceneKind::Measured, a, b)
    }

    /// Adds a finding about a pair of bodies.
    fn pair(&mut self, name: &str, pair: &Pair, say: impl FnOnce(SceneFinding, Option<&str>) -> SceneFinding) {
        let (a, b) = (self.part(&pair.a, &pair.pose_a), self.part(&pair.b, &pair.pose_b));
        self.pairs.push(self.findings.len());
        self.findings.push(say(self.finding(name, a, b), self.unit));
    }

    /// Adds a finding about a body and a point.
    fn point(&mut self, name: &str, (shape, pose): (&Py<PyShape>, &Pose), point: DVec3, nearest: DVec3, gap: Proved) {
        let a = self.part(shape, pose);
        let size = Some(shape.get().shape.diameter()).filter(|size| size.is_finite() && *size > 0.0).unwrap_or(1.0);
        let Some(there) = Pose::from_translation(point).ok() else { return };
        let Some(b) = self.mark(Shape::sphere(MARK * size), &there, "point") else { return };
        let nearest = pose.transform_point(nearest).to_array();
        self.findings.push(self.finding(name, a, b).with_point(gap, nearest, point.to_array(), self.unit));
    }

    /// Adds an answer; false if it is not one.
    fn answer(&mut self, answer: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(it) = answer.cast::<PyDistance>().map(Bound::get) {
            self.pair("distance", &it.question, |finding, unit| finding.with_distance(&it.answer, unit));
        } else if let Ok(it) = answer.cast::<PyPenetration>().map(Bound::get) {
            self.pair("depth", &it.question, |finding, unit| with_penetration(finding, &it.answer, unit));
        } else if let Ok(it) = answer.cast::<PySolidDepth>().map(Bound::get) {
            self.pair("depth", &it.question, |finding, unit| with_penetration(finding, &it.answer.penetration, unit));
        } else if let Ok(it) = answer.cast::<PyLocalDepth>().map(Bound::get) {
            let poses = [&it.question.pose_a, &it.question.pose_b];
            self.pair("local-depth", &it.question, |finding, unit| finding.with_local_depth(&it.answer, poses, unit));
        } else if let Ok(it) = answer.cast::<PyDepthAlong>().map(Bound::get) {
            let depth = Proved::new(it.answer.depth.value, it.answer.depth.lower, it.answer.depth.upper);
            let way = (it.answer.depth.upper * it.answer.direction).to_array();
            self.pair("depth-along", &it.question, |finding, unit| finding.with_depth(depth, way, unit));
        } else if let Ok(it) = answer.cast::<PyVolume>().map(Bound::get) {
            let volume = Proved::new(it.answer.volume.value, it.answer.volume.lower, it.answer.volume.upper);
            self.pair("volume", &it.question, |finding, unit| finding.with_volume(volume, unit));
        } else if let Ok(it) = answer.cast::<PyContacts>().map(Bound::get) {
            let pose_a = it.question.pose_a;
            self.pair("contacts", &it.question, |finding, unit| finding.with_contacts(&it.answer, &pose_a, unit));
        } else if let Ok(it) = answer.cast::<PyRelationProof>().map(Bound::get) {
            self.pair("relation", &it.question, |finding, unit| finding.with_relation(&it.answer, unit));
        } else if let Ok(it) = answer.cast::<PyImpact>().map(Bound::get) {
            let found = &it.answer;
            let time = Proved::new(found.time.value, found.time.lower, found.time.upper);
            self.impact(&it.question, time, found.started_overlapping, [found.witness.a.point, found.witness.b.point]);
        } else if let Ok(it) = answer.cast::<PyRigidImpact>().map(Bound::get) {
            let found = &it.answer;
            let time = Proved::new(found.time.value, found.time.lower, found.time.upper);
            self.impact(&it.question, time, found.started_overlapping, [found.witness.a.point, found.witness.b.point]);
        } else if let Ok(it) = answer.cast::<PyFirstImpact>().map(Bound::get) {
            return self.answer(it.impact.bind(answer.py()).as_any());
        } else if let Ok(it) = answer.cast::<PyLeastClearance>().map(Bound::get) {
            let found = &it.answer;
            let gap = Proved::new(found.gap.upper, found.gap.lower, found.gap.upper);
            let in_own = [found.witness.a.point, found.witness.b.point];
            self.moving("least-clearance", &it.question, found.time, in_own, |finding, points, unit| {
                finding.with_least_gap(gap, found.time, points, unit)
            });
        } else if let Ok(it) = answer.cast::<PyStepCollisions>().map(Bound::get) {
            self.step(it).map_err(|error| wrong(answer.py(), "things", error))?;
        } else if let Ok(it) = answer.cast::<PyRobotSweep>().map(Bound::get) {
            self.robot(answer.py(), it.performance()).map_err(|error| wrong(answer.py(), "things", error))?;
        } else if let Ok(it) = answer.cast::<PySelfIntersections>().map(Bound::get) {
            let part = self.part(&it.mesh, &Pose::IDENTITY);
            let place = |(ends, kind): ([DVec3; 2], SelfIntersectionKind)| {
                (ends.map(|end| end.to_array()), kind != SelfIntersectionKind::Rims)
            };
            let places: Vec<_> = it.places().map(place).collect();
            self.findings.push(self.finding("self-intersections", part, part).with_self_intersections(&places));
        } else if let Ok(it) = answer.cast::<PyPairEvent>().map(Bound::get) {
            return it.finding(answer.py()).map_or(Ok(true), |finding| self.answer(finding.bind(answer.py())));
        } else if let Ok(it) = answer.cast::<PyClosestPoint>().map(Bound::get) {
            let (asked, found) = (&it.question, &it.answer);
            let gap = Proved::new(found.distance.value, found.distance.lower, found.distance.upper);
            self.point("closest-point", (&asked.shape, &asked.pose), asked.point, found.witness.point, gap);
        } else if let Ok(it) = answer.cast::<PySignedDistance>().map(Bound::get) {
            let (asked, found) = (&it.question, &it.answer);
            let gap = Proved::new(found.distance.value, found.distance.lower, found.distance.upper);
            self.point("signed-distance", (&asked.shape, &asked.pose), asked.point, found.witness.point, gap);
        } else if let Ok(it) = answer.cast::<PyRayHit>().map(Bound::get) {
            let (asked, hit) = (&it.question, &it.answer);
            let pose = asked.pose_at(hit.t.value);
            let (a, at) = (self.part(&asked.shape, &pose), pose.transform_point(hit.witness.point));
            let t = Proved::new(hit.t.value, hit.t.lower, hit.t.upper);
            // A ray that begins on the boundary is drawn for a unit of its direction.
            let end = if at == asked.ray.origin { at + asked.ray.direction } else { at };
            if let Some(b) = self.mark(Shape::segment(asked.ray.origin, end), &Pose::IDENTITY, "ray") {
                self.findings.push(self.finding("ray", a, b).with_hit(t, at.to_array()));
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Adds two parts on their way, as a finding at a time: `say` gets the finding and the points in the world then.
    fn moving<M: InMotion + Clone + 'static>(
        &mut self,
        name: &str,
        asked: &Moving<M>,
        time: f64,
        in_own: [DVec3; 2],
        say: impl FnOnce(SceneFinding, [[f64; 3]; 2], Option<&str>) -> SceneFinding,
    ) {
        let (pose_a, pose_b) = (asked.motion_a.at(time), asked.motion_b.at(time));
        let mesh = [self.body(&asked.a), self.body(&asked.b)];
        // They move, so they are parts of their own.
        let a = self.add(mesh[0], &pose_a, kind(&asked.a.get().shape));
        let b = self.add(mesh[1], &pose_b, kind(&asked.b.get().shape));
        let points = [pose_a.transform_point(in_own[0]), pose_b.transform_point(in_own[1])];
        let finding = say(self.finding(name, a, b), points.map(|point| point.to_array()), self.unit);
        if self.moving.len() < 2 * MOVING {
            self.frames(FRAMES);
            for (part, motion) in [(a, asked.motion_a.clone()), (b, asked.motion_b.clone())] {
                self.moving.push((part, Box::new(move |time| motion.at(time))));
            }
            self.at(time);
        }
        self.findings.push(finding);
    }

    /// Adds a moving robot, with everything it is checked against, and the findings about it.
    fn robot(&mut self, py: Python<'_>, shown: Performance<'_>) -> Result<(), clearance_view::Error> {
        let Performance { robot, points, times, found } = shown;
        let checker = &robot.get().checker;
        let path = RobotPath::new(checker, &points, &times)?;
        let (impact, clearance) = (found.impact.as_ref(), found.clearance.as_ref());
        let finding = path.finding(impact, clearance)?;
        let moment = finding.as_ref().map(|(time, _)| *time);
        let frames = path.frames(moment);
        let bodies = path.bodies(moment.unwrap_or(frames[0]))?;
        let first = self.parts.len();
        for (name, body) in path.names(&bodies).into_iter().zip(&bodies) {
            let mesh = self.body_at(std::ptr::from_ref(body.shape).addr(), body.shape);
            self.parts.push(ScenePart { name, mesh, pose: body.pose });
        }
        if self.moving.len() < 2 * MOVING {
            let at: Vec<_> = frames.iter().map(|&time| path.bodies(time)).collect::<Result<_, _>>()?;
            for body in (0..bodies.len()).filter(|&body| at.iter().any(|all| all[body].pose != at[0][body].pose)) {
                let (robot, points, times) = (robot.clone_ref(py), points.clone(), times.clone());
                let way = move |time: f64| {
                    let path = RobotPath::new(&robot.get().checker, &points, &times);
                    // Every frame of its own was placed above.
                    path.and_then(|path| path.bodies(time)).map_or(Pose::IDENTITY, |bodies| bodies[body].pose)
                };
                self.moving.push((first + body, Box::new(way)));
            }
            self.times.extend(&frames);
            if let Some(time) = moment {
                self.at(time);
            }
        }
        self.verdicts.push(path.verdict(impact, clearance));
        self.notes.extend_from_slice(checker.robot().notes());
        self.notes.extend(path.note(impact));
        if let Some((_, finding)) = finding {
            let id = format!("{}-{}", finding.id, self.findings.len() + 1);
            self.findings.push(SceneFinding { id, a: first + finding.a, b: first + finding.b, ..finding });
        }
        Ok(())
    }

    /// Adds an impact.
    fn impact<M: InMotion + Clone + 'static>(
        &mut self,
        asked: &Moving<M>,
        when: Proved,
        at_start: bool,
        in_own: [DVec3; 2],
    ) {
        self.moving("impact", asked, when.value, in_own, |finding, points, _| {
            finding.with_impact(when, at_start, points)
        });
    }

    /// Frames at even times.
    fn frames(&mut self, count: u32) {
        self.times.extend((0..=count).map(|frame| f64::from(frame) / f64::from(count)));
    }

    /// The next finding holds at this time, which has a frame.
    fn at(&mut self, time: f64) {
        self.times.push(time);
        self.moments.push((self.findings.len(), time));
    }

    /// Adds what touches in a step of one deforming mesh or two. A mesh that is there already, the same object, is not
    /// shown twice.
    fn step(&mut self, found: &PyStepCollisions) -> Result<(), clearance_view::Error> {
        let meshes: Vec<&Py<PyDeformingMesh>> = found.question.meshes().collect();
        let inner: Vec<_> = meshes.iter().map(|mesh| mesh.get().mesh.clone()).collect();
        let mut names = Vec::new();
        let mut parts = Vec::new();
        for object in meshes.iter().map(|mesh| mesh.as_ptr() as usize) {
            let known = self.deforming.iter().find(|(other, _)| *other == object).map(|(_, known)| known.part);
            let part = known.or_else(|| parts.iter().find(|(_, other)| *other == object).map(|(part, _)| *part));
            let new = self.parts.len() + parts.iter().filter(|(part, _)| *part >= self.parts.len()).count();
            names.push(known.map_or_else(
                || format!("DeformingMesh {}", part.unwrap_or(new) + 1),
                |part| self.parts[part].name.clone(),
            ));
            parts.push((part.unwrap_or(new), object));
        }
        let scene = Scene::of_step(&names, &inner, &found.answer)?;
        for ((part, deformation), mesh) in scene.parts.into_iter().zip(scene.deformations).zip(scene.meshes) {
            let (number, object) = parts[deformation.part];
            // A part that is new comes next, and only once.
            if number == self.parts.len() {
                self.objects.push(None);
                self.shapes.push(Shape::Mesh(mesh));
                self.parts.push(ScenePart { mesh: self.shapes.len() - 1, ..part });
                self.deforming.push((object, Deformation { part: number, ..deformation }));
            }
        }
        let times = scene.timeline.map(|timeline| timeline.times).unwrap_or_default();
        for finding in scene.findings {
            if let Some(time) = finding.frame.and_then(|frame| times.get(frame)) {
                self.moments.push((self.findings.len(), *time));
            }
            let id = format!("{}-{}", finding.id, self.findings.len() + 1);
            self.findings.push(SceneFinding { id, a: parts[finding.a].0, b: parts[finding.b].0, ..finding });
        }
        self.times.extend(times);
        self.verdicts.push(scene.verdict);
        self.notes.extend(scene.notes);
        Ok(())
    }

    /// The frames, if anything moves; findings that hold at one time get theirs.
    fn timeline(&mut self) -> Option<Timeline> {
        let mut times = std::mem::take(&mut self.times);
        times.sort_by(f64::total_cmp);
        times.dedup();
        for &(finding, time) in &self.moments {
            self.findings[finding].frame = Some(times.partition_point(|&other| other < time));
        }
        let track = |(part, way): &(usize, Way)| Track { part: *part, poses: times.iter().map(|&t| way(t)).collect() };
        let tracks = self.moving.iter().map(track).collect();
        (!times.is_empty()).then_some(Timeline { label: "t =".into(), times, tracks })
    }
}

/// A depth, or None.
fn with_penetration(finding: SceneFinding, found: &clearance::answer::Penetration, unit: Option<&str>) -> SceneFinding {
    let depth = Proved::new(found.depth.value, found.depth.lower, found.depth.upper);
    finding.with_depth(depth, (found.depth.upper * found.normal).to_array(), unit)
}

/// The name of an unnamed body.
fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere(_) => "Sphere",
        Shape::Cuboid(_) => "Box",
        Shape::Hull(_) => "Hull",
        Shape::Capsule(_) => "Capsule",
        Shape::Cylinder(_) => "Cylinder",
        Shape::Cone(_) => "Cone",
        Shape::Ellipsoid(_) => "Ellipsoid",
        Shape::Rounded(_) => "Rounded",
        Shape::HalfSpace(_) => "HalfSpace",
        Shape::Segment(_) => "Segment",
        Shape::Triangle(_) => "Triangle",
        Shape::Tetrahedron(_) => "Tetrahedron",
        Shape::Compound(_) => "Compound",
        Shape::HeightField(_) => "HeightField",
        Shape::Mesh(_) => "Mesh",
        _ => "Shape",
    }
}

/// The page with bodies, each with a name, or none, and a pose, and with answers.
#[pyfunction]
pub fn _page(
    py: Python<'_>,
    title: String,
    unit: Option<String>,
    up: usize,
    bodies: Vec<(Option<String>, Py<PyShape>, Py<PyPose>)>,
    answers: Vec<Bound<'_, PyAny>>,
) -> PyResult<String> {
    // Robots are in metres, and so is what stands added to them.
    let unit =
        unit.or_else(|| answers.iter().any(|answer| answer.is_instance_of::<PyRobotSweep>()).then(|| "m".into()));
    let mut shown = Shown {
        unit: unit.as_deref(),
        shapes: Vec::new(),
        objects: Vec::new(),
        parts: Vec::new(),
        findings: Vec::new(),
        pairs: Vec::new(),
        moving: Vec::new(),
        deforming: Vec::new(),
        times: Vec::new(),
        moments: Vec::new(),
        verdicts: Vec::new(),
        notes: Vec::new(),
    };
    for (name, shape, pose) in &bodies {
        let mesh = shown.body(shape);
        let part = shown.add(mesh, &pose.get().pose, kind(&shape.get().shape));
        if let Some(name) = name {
            shown.parts[part].name.clone_from(name);
        }
    }
    for (index, answer) in answers.iter().enumerate() {
        if !shown.answer(answer)? {
            let kind = answer.get_type().name()?;
            return Err(wrong(py, "things", format_args!("answer {index} is a {kind}, which cannot be shown")));
        }
    }
    let (timeline, answers) = (shown.timeline(), answers.len());
    let Shown { shapes, parts, mut findings, pairs, deforming, mut verdicts, notes, .. } = shown;
    let deformations = deforming.into_iter().map(|(_, deformation)| deformation).collect();
    let page = at_length(py, || {
        for number in pairs {
            let finding = findings[number].clone();
            let [a, b] = [&parts[finding.a], &parts[finding.b]].map(|part| (&shapes[part.mesh], &part.pose));
            let (own, placed) = (finding.points, finding.with_places(a, b));
            // Points that the answer itself names are the ones to draw.
            findings[number] = SceneFinding { points: own.or(placed.points), ..placed };
        }
        let verdict = match (&findings[..], answers) {
            ([], 0) => String::new(),
            (_, 1) if verdicts.len() == 1 => verdicts.remove(0),
            ([only], 1) => only.sentence.clone(),
            (_, many) => format!("{many} answers"),
        };
        let mut scene = Scene::of_bodies(&shapes, parts)?;
        scene.notes.extend(notes);
        Scene { title, verdict, unit: unit.clone(), up, findings, timeline, deformations, ..scene }
            .page(&Budget::default())
    })?;
    page.map_err(|error| wrong(py, "things", error))
}
