//! A page made of plain data, as another command or a binding makes it: two boxes, of which one moves through the
//! other.
//!
//!     cargo run -p clearance-view --example page -- page.html

use clearance::glam::DVec3;
use clearance::{Mesh, Pose};
use clearance_view::{Budget, Proved, Scene, SceneFinding, SceneKind, ScenePart, Timeline, Track};

/// A solid box about the origin, by its half sides: of each of its six sides two triangles, seen counter-clockwise from
/// outside.
fn cuboid(half: [f64; 3]) -> Result<Mesh, clearance::Error> {
    let corner = |k: u8| [0, 1, 2].map(|axis| if k & (1 << axis) == 0 { -half[axis] } else { half[axis] });
    let sides = (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]).flat_map(|(axis, high): (u32, u32)| {
        let (first, [u, v]) = (high << axis, [1 << ((axis + 1 + high) % 3), 1 << ((axis + 2 - high) % 3)]);
        [[first, first + v, first + u + v], [first, first + u + v, first + u]]
    });
    Mesh::new(&(0..8).map(corner).collect::<Vec<_>>(), &sides.collect::<Vec<_>>())?.solid()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name the file to write")?;
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
    let frames: Vec<f64> = (0..=20).map(|i| f64::from(i) / 20.0).collect();
    let poses: Vec<Pose> = frames.iter().map(|t| at(8.0 * t - 4.0)).collect::<Result<_, _>>()?;
    let found = SceneFinding {
        id: "first-contact".into(),
        kind: SceneKind::Hard,
        a: 0,
        b: 1,
        group: "sliding block × gate".into(),
        sentence: "hard clash in the middle of the way, 2 m deep".into(),
        gap: Some(Proved::new(-2.0, -2.0, -2.0)),
        depth: Some(Proved::new(2.0, 2.0, 2.0)),
        volume: Some(Proved::new(8.0, 8.0, 8.0)),
        points: Some([[0.0; 3]; 2]),
        loops: Vec::new(),
        way_out: Some([2.0, 0.0, 0.0]),
        overlap: Some(cuboid([1.0; 3])?),
        frame: Some(10),
        details: vec![("time".into(), "0.5 s".into())],
    };
    let scene = Scene {
        title: "A block and a gate".into(),
        verdict: "1 finding".into(),
        unit: Some("m".into()),
        meshes: vec![cuboid([1.0; 3])?, cuboid([1.0, 3.0, 3.0])?],
        parts: vec![
            ScenePart { name: "block".into(), mesh: 0, pose: poses[0] },
            ScenePart { name: "gate".into(), mesh: 1, pose: Pose::IDENTITY },
        ],
        findings: vec![found],
        timeline: Some(Timeline { label: "t =".into(), times: frames, tracks: vec![Track { part: 0, poses }] }),
        ..Scene::default()
    };
    Ok(std::fs::write(path, scene.page(&Budget::default())?)?)
}
