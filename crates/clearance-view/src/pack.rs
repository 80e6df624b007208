//! A scene as the page reads it (`viewer/src/data.ts`): JSON for text and small data, a block of bytes for the rest.
//!
//! Names come from files and may contain anything: the JSON, which is in a script element, contains no character that
//! is special in HTML.

use std::collections::BTreeSet;
use std::io::Write;

use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape};
use clearance_check::Error;
use clearance_check::output::{count, thousands};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::picture::base64;
use crate::surface::{Bytes, PackedSurface, Section};
use crate::trees::PackedTrees;
use crate::{Budget, Deformation, Proved, Scene, SceneFinding, SceneKind, ScenePart, SceneTable};

/// What the page is filled with.
pub(crate) struct Packed {
    /// Without any of `<`, `>` and `&`.
    pub data: String,
    /// In base64.
    pub geometry: String,
}

#[derive(Serialize)]
struct Data<'s> {
    version: u32,
    title: &'s str,
    verdict: &'s str,
    summary: &'s [String],
    notes: Vec<String>,
    tables: &'s [SceneTable],
    unit: Option<&'s str>,
    scale: f64,
    up: usize,
    geometries: Vec<PackedSurface>,
    parts: Vec<PackedPart<'s>>,
    poses: Section,
    findings: Vec<PackedFinding<'s>>,
    timeline: Option<PackedTimeline<'s>>,
    deformations: Vec<PackedDeformation>,
    trees: Option<PackedTrees<'s>>,
}

#[derive(Serialize)]
struct PackedPart<'s> {
    name: &'s str,
    /// `None` for a part that is not drawn.
    geometry: Option<usize>,
}

#[derive(Serialize)]
struct PackedFinding<'s> {
    id: &'s str,
    kind: SceneKind,
    a: usize,
    b: usize,
    group: &'s str,
    sentence: &'s str,
    gap: Option<Proved>,
    depth: Option<Proved>,
    volume: Option<Proved>,
    points: Option<[[f64; 3]; 2]>,
    loops: Vec<PackedLoop>,
    way_out: Option<[f64; 3]>,
    overlap: Option<PackedSurface>,
    frame: Option<usize>,
    details: &'s [(String, String)],
}

#[derive(Serialize)]
struct PackedLoop {
    closed: bool,
    points: Section,
}

#[derive(Serialize)]
struct PackedTimeline<'s> {
    label: &'s str,
    times: &'s [f64],
    tracks: Vec<PackedTrack>,
}

#[derive(Serialize)]
struct PackedTrack {
    part: usize,
    poses: Section,
}

#[derive(Serialize)]
struct PackedDeformation {
    part: usize,
    end: Section,
}

pub(crate) fn pack(scene: &Scene, budget: &Budget) -> Result<Packed, Error> {
    check(scene)?;
    let mut notes = scene.notes.clone();
    let mut bytes = Bytes::default();
    let listed = &scene.findings[..scene.findings.len().min(budget.findings)];
    if listed.len() < scene.findings.len() {
        let all = thousands(scene.findings.len() as u64);
        notes.push(format!("The {} worst of {all} findings are on this page.", thousands(listed.len() as u64)));
    }
    let drawn = drawn(scene, listed, budget);
    let shown = drawn.iter().filter(|is_drawn| **is_drawn).count();
    if shown < scene.parts.len() {
        notes.push(format!(
            "{} of {} are drawn, those with findings first, then the largest: all were tested, but the view is limited \
             to {} triangles, {} of them distinct.",
            thousands(shown as u64),
            count(scene.parts.len() as u64, "part"),
            thousands(budget.drawn as u64),
            thousands(budget.triangles as u64),
        ));
    }
    // Meshes that are drawn, by their new numbers.
    let used: BTreeSet<usize> =
        scene.parts.iter().zip(&drawn).filter(|(_, is_drawn)| **is_drawn).map(|(part, _)| part.mesh).collect();
    let used: Vec<usize> = used.into_iter().collect();
    let geometries: Vec<PackedSurface> = used.iter().map(|&mesh| bytes.surface(&scene.meshes[mesh])).collect();
    let mut deformations = Vec::new();
    for Deformation { part, end } in scene.deformations.iter().filter(|deformation| drawn[deformation.part]) {
        if let Ok(geometry) = used.binary_search(&scene.parts[*part].mesh) {
            let end = bytes.points(end.iter().map(|&point| DVec3::from_array(point)), &geometries[geometry]);
            deformations.push(PackedDeformation { part: *part, end });
        }
    }
    let parts = (scene.parts.iter().zip(&drawn))
        .map(|(part, is_drawn)| PackedPart {
            name: &part.name,
            geometry: used.binary_search(&part.mesh).ok().filter(|_| *is_drawn),
        })
        .collect();
    let poses = bytes.doubles(scene.parts.iter().flat_map(|part| rows(&part.pose)));
    let mut marks = Marks { left: budget.marks, without: 0 };
    let findings = listed.iter().map(|finding| marks.finding(finding, &mut bytes)).collect();
    if marks.without > 0 {
        notes.push(format!(
            "The contact loops and overlaps of {} are not drawn: they have too many vertices.",
            count(marks.without, "finding")
        ));
    }
    let timeline = scene.timeline.as_ref().map(|timeline| PackedTimeline {
        label: &timeline.label,
        times: &timeline.times,
        tracks: (timeline.tracks.iter())
            .map(|track| PackedTrack { part: track.part, poses: bytes.doubles(track.poses.iter().flat_map(rows)) })
            .collect(),
    });
    let data = Data {
        version: 1,
        title: &scene.title,
        verdict: &scene.verdict,
        summary: &scene.summary,
        notes,
        tables: &scene.tables,
        unit: scene.unit.as_deref(),
        scale: scene.scale,
        up: scene.up,
        geometries,
        parts,
        poses,
        findings,
        timeline,
        deformations,
        trees: scene.trees.as_ref().map(|trees| trees.packed(&mut bytes)),
    };
    let data = serde_json::to_string(&data).map_err(|error| Error::Usage(format!("the page: {error}")))?;
    Ok(Packed { data: harmless(&data), geometry: base64(&deflated(&bytes.0)?) })
}

/// JSON without the characters that could end the enclosing element. They occur only in strings.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out += &format!("\\u{:04x}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out
}

fn deflated(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |error: std::io::Error| Error::Usage(format!("the page: {error}"));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(7));
    encoder.write_all(bytes).map_err(failed)?;
    encoder.finish().map_err(failed)
}

/// The rows of the matrix of a pose.
fn rows(pose: &Pose) -> [f64; 12] {
    let (rotation, translation) = (pose.rotation().transpose(), pose.translation());
    let row = |axis: DVec3, moved: f64| [axis.x, axis.y, axis.z, moved];
    let rows =
        [row(rotation.x_axis, translation.x), row(rotation.y_axis, translation.y), row(rotation.z_axis, translation.z)];
    let mut flat = [0.0; 12];
    flat.copy_from_slice(rows.as_flattened());
    flat
}

/// Which parts are drawn: those with findings, worst first, then the largest, within the triangle budget.
fn drawn(scene: &Scene, findings: &[SceneFinding], budget: &Budget) -> Vec<bool> {
    let diameter = |part: &ScenePart| Shape::Mesh(scene.meshes[part.mesh].clone()).bounds().size().length();
    let mut by_size: Vec<(f64, usize)> = scene.parts.iter().map(diameter).zip(0..).collect();
    by_size.sort_by(|(p, i), (q, j)| q.total_cmp(p).then(i.cmp(j)));
    let order =
        findings.iter().flat_map(|finding| [finding.a, finding.b]).chain(by_size.into_iter().map(|(_, part)| part));
    let (mut drawn, mut used) = (vec![false; scene.parts.len()], BTreeSet::new());
    let (mut different, mut all) = (budget.triangles, budget.drawn);
    for part in order {
        let mesh = scene.parts[part].mesh;
        let triangles = scene.meshes[mesh].triangle_count();
        let new = if used.contains(&mesh) { 0 } else { triangles };
        if drawn[part] || triangles > all || new > different {
            continue;
        }
        drawn[part] = true;
        used.insert(mesh);
        all -= triangles;
        different -= new;
    }
    drawn
}

/// What is drawn of findings, within the budget.
struct Marks {
    left: usize,
    /// The number of findings drawn incompletely.
    without: u64,
}

impl Marks {
    fn finding<'s>(&mut self, finding: &'s SceneFinding, bytes: &mut Bytes) -> PackedFinding<'s> {
        let corners: usize = finding.loops.iter().map(|curve| curve.points.len()).sum();
        let triangles = finding.overlap.as_ref().map_or(0, Mesh::triangle_count);
        let are_drawn = corners + triangles <= self.left;
        if are_drawn {
            self.left -= corners + triangles;
        } else {
            self.without += 1;
        }
        let loops = finding.loops.iter().filter(|_| are_drawn).map(|curve| {
            let (start, numbers) = bytes.doubles(curve.points.iter().flatten().copied());
            PackedLoop { closed: curve.closed, points: (start, numbers / 3) }
        });
        let loops = loops.collect();
        PackedFinding {
            id: &finding.id,
            kind: finding.kind,
            a: finding.a,
            b: finding.b,
            group: &finding.group,
            sentence: &finding.sentence,
            gap: finding.gap,
            depth: finding.depth,
            volume: finding.volume,
            points: finding.points,
            loops,
            way_out: finding.way_out,
            overlap: finding.overlap.as_ref().filter(|_| are_drawn).map(|mesh| bytes.surface(mesh)),
            frame: finding.frame,
            details: &finding.details,
        }
    }
}

/// Checks that all references are valid and all numbers finite.
pub(crate) fn check(scene: &Scene) -> Result<(), Error> {
    let wrong = |problem: String| Err(Error::Usage(format!("the page: {problem}")));
    if !(scene.scale > 0.0 && scene.scale.is_finite()) {
        return wrong(format!("expected a positive scale, got {}", scene.scale));
    }
    if scene.up > 2 {
        return wrong(format!("expected vertical axis 0, 1 or 2, got axis {}", scene.up));
    }
    if let Some(part) = scene.parts.iter().find(|part| part.mesh >= scene.meshes.len()) {
        return wrong(format!("part `{}` uses mesh {}, but there are {}", part.name, part.mesh, scene.meshes.len()));
    }
    let frames = scene.timeline.as_ref().map_or(0, |timeline| timeline.times.len());
    let mut ids = BTreeSet::new();
    for finding in &scene.findings {
        let id = &finding.id;
        if !ids.insert(id) {
            return wrong(format!("two findings have the id `{id}`"));
        }
        if let Some(part) = [finding.a, finding.b].into_iter().find(|&part| part >= scene.parts.len()) {
            return wrong(format!("finding `{id}` refers to part {part}, but there are {}", scene.parts.len()));
        }
        if let Some(frame) = finding.frame.filter(|&frame| frame >= frames) {
            return wrong(format!("finding `{id}` refers to frame {frame}, but there are {frames}"));
        }
        let numbers = [finding.gap, finding.depth, finding.volume];
        let numbers = numbers.iter().flatten().flat_map(|proved| [proved.value, proved.lower, proved.upper]);
        let places = finding.points.iter().flatten().flatten().chain(finding.way_out.iter().flatten());
        let corners = finding.loops.iter().flat_map(|curve| curve.points.iter().flatten());
        if numbers.chain(places.chain(corners).copied()).any(|number| !number.is_finite()) {
            return wrong(format!("finding `{id}` has a number that is not finite"));
        }
    }
    for track in scene.timeline.iter().flat_map(|timeline| &timeline.tracks) {
        if track.part >= scene.parts.len() || track.poses.len() != frames {
            let (part, poses) = (track.part, track.poses.len());
            return wrong(format!("the track of part {part} has {poses} poses for {frames} frames"));
        }
    }
    let times = scene.timeline.as_ref().map_or(&[][..], |timeline| &timeline.times);
    if times.iter().any(|time| !time.is_finite()) {
        return wrong("a time is not finite".into());
    }
    for Deformation { part, end } in &scene.deformations {
        let Some(shown) = scene.parts.get(*part) else {
            return wrong(format!("part {part} deforms, but there are {}", scene.parts.len()));
        };
        let points = scene.meshes[shown.mesh].point_count();
        if end.len() != points {
            return wrong(format!("part {part} deforms to {} points, but its mesh has {points}", end.len()));
        }
        if scene.parts.iter().filter(|other| other.mesh == shown.mesh).count() > 1 {
            return wrong(format!("part {part} deforms, but another part uses its mesh"));
        }
        if end.as_flattened().iter().any(|x| !x.is_finite()) {
            return wrong(format!("part {part} deforms to a number that is not finite"));
        }
        if let Some(time) = times.iter().find(|time| !(0.0..=1.0).contains(*time)) {
            return wrong(format!("part {part} deforms, but time {time} is not between 0 and 1"));
        }
    }
    scene.trees.as_ref().map_or(Ok(()), |trees| trees.check(scene.parts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_parts::cuboid;
    use crate::{Timeline, Track};

    fn scene(parts: usize) -> Scene {
        let part = |i: usize| ScenePart {
            name: format!("<part {i}> & \u{2028}</script>"),
            mesh: i % 2,
            pose: Pose::from_translation(DVec3::X * i as f64).unwrap(),
        };
        Scene {
            meshes: vec![cuboid(DVec3::ONE), cuboid(DVec3::splat(2.0))],
            parts: (0..parts).map(part).collect(),
            ..Scene::default()
        }
    }

    fn finding(id: &str, a: usize, b: usize) -> SceneFinding {
        let loops = vec![clearance_check::Loop { closed: true, points: vec![[0.0; 3]; 5] }];
        SceneFinding { loops, ..SceneFinding::new(id, SceneKind::Hard, a, b) }
    }

    fn data(scene: &Scene, budget: &Budget) -> serde_json::Value {
        let packed = pack(scene, budget).unwrap();
        assert!(!packed.data.contains(['<', '>', '&', '\u{2028}']), "{}", packed.data);
        assert!(packed.geometry.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        serde_json::from_str(&packed.data).unwrap()
    }

    #[test]
    fn names_are_kept_and_harmless() {
        let data = data(&scene(3), &Budget::default());
        assert_eq!(data["parts"][1]["name"], "<part 1> & \u{2028}</script>");
        assert_eq!(data["geometries"].as_array().unwrap().len(), 2);
        assert_eq!((&data["notes"], &data["poses"][1]), (&serde_json::json!([]), &serde_json::json!(36)));
    }

    #[test]
    fn a_budget_is_kept_and_said() {
        let mut scene = scene(9);
        scene.findings = vec![finding("first", 4, 6), finding("second", 0, 2), finding("third", 1, 3)];
        // Two parts with findings share a mesh; the other one does not fit.
        let small = Budget { triangles: 12, drawn: 36, findings: 2, marks: 7 };
        let packed = data(&scene, &small);
        let drawn: Vec<usize> = (0..9).filter(|&part| packed["parts"][part]["geometry"] == 0).collect();
        assert_eq!((drawn, packed["geometries"].as_array().unwrap().len()), (vec![0, 4, 6], 1));
        let corners = |finding: usize| packed["findings"][finding]["loops"].as_array().unwrap().len();
        assert_eq!((corners(0), corners(1), packed["findings"].as_array().unwrap().len()), (1, 0, 2));
        let notes: Vec<&str> = packed["notes"].as_array().unwrap().iter().filter_map(|note| note.as_str()).collect();
        assert!(notes[0].starts_with("The 2 worst of 3 findings"), "{notes:?}");
        assert!(notes[1].starts_with("3 of 9 parts are drawn"), "{notes:?}");
        assert!(notes[2].starts_with("The contact loops and overlaps of 1 finding"), "{notes:?}");
    }

    #[test]
    fn what_does_not_fit_is_refused_and_named() {
        let refused = |change: fn(&mut Scene), why: &str| {
            let mut scene = scene(2);
            scene.findings = vec![finding("first", 0, 1)];
            change(&mut scene);
            let error = pack(&scene, &Budget::default()).err().unwrap().to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(|scene| scene.scale = f64::NAN, "scale");
        refused(|scene| scene.up = 3, "axis 3");
        refused(|scene| scene.parts[1].mesh = 2, "uses mesh 2");
        refused(|scene| scene.findings[0].b = 2, "refers to part 2");
        refused(|scene| scene.findings.push(finding("first", 0, 1)), "two findings");
        refused(|scene| scene.findings[0].frame = Some(0), "refers to frame 0");
        refused(|scene| scene.findings[0].depth = Some(Proved::new(1.0, 0.0, f64::INFINITY)), "not finite");
        refused(|scene| scene.findings[0].loops[0].points[1][2] = f64::NAN, "not finite");
        let timeline = |times: Vec<f64>| {
            Some(Timeline { label: String::new(), times, tracks: vec![Track { part: 0, poses: vec![Pose::IDENTITY] }] })
        };
        let mut scene = scene(2);
        for (times, why) in [(vec![0.0, 1.0], "1 poses"), (vec![f64::NAN], "a time")] {
            scene.timeline = timeline(times);
            assert!(pack(&scene, &Budget::default()).err().unwrap().to_string().contains(why));
        }
    }

    #[test]
    fn what_deforms_has_its_points_at_the_end() {
        let mut scene = scene(2);
        scene.timeline = Some(Timeline { label: "t =".into(), times: vec![0.0, 0.5, 1.0], tracks: Vec::new() });
        let end: Vec<[f64; 3]> = scene.meshes[1].points().map(|p| (p + DVec3::Z).to_array()).collect();
        scene.deformations = vec![Deformation { part: 1, end }];
        let packed = data(&scene, &Budget::default());
        assert_eq!((&packed["deformations"][0]["part"], &packed["deformations"][0]["end"][1]), (&1.into(), &8.into()));
        let refused = |change: fn(&mut Scene), why: &str| {
            let mut changed = scene.clone();
            change(&mut changed);
            let error = pack(&changed, &Budget::default()).err().unwrap().to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(|scene| scene.deformations[0].part = 2, "part 2 deforms, but there are 2");
        refused(|scene| scene.deformations[0].end.truncate(7), "to 7 points");
        refused(|scene| scene.parts[0].mesh = 1, "another part uses its mesh");
        refused(|scene| scene.deformations[0].end[3][1] = f64::NAN, "not finite");
        refused(|scene| scene.timeline.as_mut().unwrap().times[2] = 1.5, "time 1.5");
    }
}
