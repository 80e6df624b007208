//! The page of `clearance.show`: bodies where they are, and answers about them, as `clearance --html` shows them.

use clearance::glam::DVec3;
use clearance::{Pose, Shape};
use clearance_cli::html::{Budget, Proved, Scene, SceneFinding, SceneKind, ScenePart, Timeline, Track};
use pyo3::prelude::*;

use crate::contacts::PyContacts;
use crate::depth::{PyDepthAlong, PySolidDepth};
use crate::error::wrong;
use crate::impact::{InMotion, Moving, PyImpact};
use crate::pair::{Pair, PyDistance, PyPenetration, PyRelationProof, PyVolume};
use crate::points::{PyClosestPoint, PySignedDistance};
use crate::pose::PyPose;
use crate::rays::PyRayHit;
use crate::rigid::PyRigidImpact;
use crate::shape::PyShape;

/// How large the mark of a point is, as a part of the size of its body.
const MARK: f64 = 0.01;

/// Into so many frames a motion is cut.
const FRAMES: u32 = 40;

/// What is shown, as it grows.
struct Shown<'u> {
    unit: Option<&'u str>,
    shapes: Vec<Shape>,
    /// For each shape its object, if it has one: a body that is the same object is stored once.
    objects: Vec<Option<usize>>,
    parts: Vec<ScenePart>,
    findings: Vec<SceneFinding>,
    /// The numbers of the findings whose parts are to be looked at for where they meet.
    pairs: Vec<usize>,
    timeline: Option<Timeline>,
}

impl Shown<'_> {
    /// The number of a body.
    fn body(&mut self, shape: &Py<PyShape>) -> usize {
        let object = Some(shape.as_ptr() as usize);
        let known = self.objects.iter().position(|&other| other == object);
        known.unwrap_or_else(|| {
            self.objects.push(object);
            self.shapes.push(shape.get().shape.clone());
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

    /// A new part for something that is no body of anybody's.
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

    /// Adds an answer; false if it is none.
    fn answer(&mut self, answer: &Bound<'_, PyAny>) -> bool {
        if let Ok(it) = answer.cast::<PyDistance>().map(Bound::get) {
            self.pair("distance", &it.question, |finding, unit| finding.with_distance(&it.answer, unit));
        } else if let Ok(it) = answer.cast::<PyPenetration>().map(Bound::get) {
            self.pair("depth", &it.question, |finding, unit| with_penetration(finding, &it.answer, unit));
        } else if let Ok(it) = answer.cast::<PySolidDepth>().map(Bound::get) {
            self.pair("depth", &it.question, |finding, unit| with_penetration(finding, &it.answer.penetration, unit));
        } else if let Ok(it) = answer.cast::<PyDepthAlong>().map(Bound::get) {
            let depth = Proved::new(it.answer.value, it.answer.lower, it.answer.upper);
            let way = (it.answer.upper * it.answer.direction).to_array();
            self.pair("depth-along", &it.question, |finding, unit| finding.with_depth(depth, way, unit));
        } else if let Ok(it) = answer.cast::<PyVolume>().map(Bound::get) {
            let volume = Proved::new(it.answer.value, it.answer.lower, it.answer.upper);
            self.pair("volume", &it.question, |finding, unit| finding.with_volume(volume, unit));
        } else if let Ok(it) = answer.cast::<PyContacts>().map(Bound::get) {
            let pose_a = it.question.pose_a;
            self.pair("contacts", &it.question, |finding, unit| finding.with_contacts(&it.answer, &pose_a, unit));
        } else if let Ok(it) = answer.cast::<PyRelationProof>().map(Bound::get) {
            self.pair("relation", &it.question, |finding, unit| finding.with_relation(&it.answer, unit));
        } else if let Ok(it) = answer.cast::<PyImpact>().map(Bound::get) {
            let found = &it.answer;
            let time = Proved::new(found.t, found.lower, found.upper);
            self.impact(&it.question, time, found.started_overlapping, [found.point_in_a, found.point_in_b]);
        } else if let Ok(it) = answer.cast::<PyRigidImpact>().map(Bound::get) {
            let found = &it.answer;
            let time = Proved::new(found.t, found.lower, found.upper);
            self.impact(&it.question, time, found.started_overlapping, [found.point_in_a, found.point_in_b]);
        } else if let Ok(it) = answer.cast::<PyClosestPoint>().map(Bound::get) {
            let (asked, found) = (&it.question, &it.answer);
            let gap = Proved::new(found.distance, found.lower, found.upper);
            self.point("closest-point", (&asked.shape, &asked.pose), asked.point, found.point_in_body, gap);
        } else if let Ok(it) = answer.cast::<PySignedDistance>().map(Bound::get) {
            let (asked, found) = (&it.question, &it.answer);
            let gap = Proved::new(found.value, found.lower, found.upper);
            self.point("signed-distance", (&asked.shape, &asked.pose), asked.point, found.point_in_body, gap);
        } else if let Ok(it) = answer.cast::<PyRayHit>().map(Bound::get) {
            let (asked, hit) = (&it.question, &it.answer);
            let pose = asked.pose_at(hit.t);
            let (a, at) = (self.part(&asked.shape, &pose), pose.transform_point(hit.point_in_body));
            let t = Proved::new(hit.t, hit.lower, hit.upper);
            // A ray that begins on the boundary is drawn for a unit of its direction.
            let end = if at == asked.ray.origin { at + asked.ray.direction } else { at };
            if let Some(b) = self.mark(Shape::segment(asked.ray.origin, end), &Pose::IDENTITY, "ray") {
                self.findings.push(self.finding("ray", a, b).with_hit(t, at.to_array()));
            }
        } else {
            return false;
        }
        true
    }

    /// Adds an impact: the parts where they are then, and the way there if there is no other.
    fn impact<M: InMotion>(&mut self, asked: &Moving<M>, when: Proved, at_start: bool, in_own: [DVec3; 2]) {
        let (pose_a, pose_b) = (asked.motion_a.at(when.value), asked.motion_b.at(when.value));
        let mesh = [self.body(&asked.a), self.body(&asked.b)];
        // They move, so they are parts of their own.
        let a = self.add(mesh[0], &pose_a, kind(&asked.a.get().shape));
        let b = self.add(mesh[1], &pose_b, kind(&asked.b.get().shape));
        let points = [pose_a.transform_point(in_own[0]), pose_b.transform_point(in_own[1])];
        let points = points.map(|point| point.to_array());
        let mut finding = self.finding("impact", a, b).with_impact(when, at_start, points);
        if self.timeline.is_none() {
            let mut times: Vec<f64> = (0..=FRAMES).map(|frame| f64::from(frame) / f64::from(FRAMES)).collect();
            let frame = times.partition_point(|time| *time < when.value);
            if times.get(frame) != Some(&when.value) {
                times.insert(frame, when.value);
            }
            let track =
                |part: usize, motion: &M| Track { part, poses: times.iter().map(|&time| motion.at(time)).collect() };
            let tracks = vec![track(a, &asked.motion_a), track(b, &asked.motion_b)];
            self.timeline = Some(Timeline { label: "t =".into(), times, tracks });
            finding.frame = Some(frame);
        }
        self.findings.push(finding);
    }
}

/// A depth, or that there is none.
fn with_penetration(finding: SceneFinding, found: &clearance::Penetration, unit: Option<&str>) -> SceneFinding {
    let depth = Proved::new(found.depth, found.lower, found.upper);
    finding.with_depth(depth, (found.upper * found.normal).to_array(), unit)
}

/// What a body is called that has no name.
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
    let mut shown = Shown {
        unit: unit.as_deref(),
        shapes: Vec::new(),
        objects: Vec::new(),
        parts: Vec::new(),
        findings: Vec::new(),
        pairs: Vec::new(),
        timeline: None,
    };
    for (name, shape, pose) in &bodies {
        let mesh = shown.body(shape);
        let part = shown.add(mesh, &pose.get().pose, kind(&shape.get().shape));
        if let Some(name) = name {
            shown.parts[part].name.clone_from(name);
        }
    }
    for (index, answer) in answers.iter().enumerate() {
        if !shown.answer(answer) {
            let kind = answer.get_type().name()?;
            return Err(wrong(py, "things", format_args!("answer {index} is a {kind}, which cannot be shown")));
        }
    }
    let Shown { shapes, parts, mut findings, pairs, timeline, .. } = shown;
    let page = py.detach(|| {
        for number in pairs {
            let finding = findings[number].clone();
            let [a, b] = [&parts[finding.a], &parts[finding.b]].map(|part| (&shapes[part.mesh], &part.pose));
            findings[number] = finding.with_places(a, b);
        }
        let verdict = match &findings[..] {
            [] => String::new(),
            [only] => only.sentence.clone(),
            many => format!("{} answers", many.len()),
        };
        let scene = Scene::of_bodies(&shapes, parts)?;
        Scene { title, verdict, unit: unit.clone(), up, findings, timeline, ..scene }.page(&Budget::default())
    });
    page.map_err(|error| wrong(py, "things", error))
}
