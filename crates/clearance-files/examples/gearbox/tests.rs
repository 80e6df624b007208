use std::sync::LazyLock;

use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, RelationOptions, distance_with, relation_with, self_intersections};
use clearance::{Mesh, PairCache, Pose, Relation, Shape, Workspace, distance, relation};
use clearance_files::{Assembly, Format, Limits, Part, Written, glb_bytes, read_bytes};

use super::{FILES, folder};
use crate::assemble::gearbox;

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

/// The files, as they are drawn.
static DRAWN: LazyLock<[Written; 2]> = LazyLock::new(|| FILES.map(|(_, state)| glb_bytes(&gearbox(state)).unwrap()));

/// The gearbox with its faults and without, as read back from the files.
fn read() -> [Assembly; 2] {
    DRAWN.each_ref().map(|it| read_bytes(&it.bytes, "gearbox.glb", Format::Gltf, &Limits::default()).unwrap())
}

fn meshes(assembly: &Assembly) -> Vec<Mesh> {
    assembly.geometries.iter().map(|it| Mesh::new(&it.points, &it.triangles).unwrap()).collect()
}

/// What `examples/clearance.toml` asks of a pair: whether it may touch, and else how far apart it must be, in
/// millimetres.
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

/// All pairs that are not as asked, by the engine, with at least one of the parts to look at.
fn findings(assembly: &Assembly, looked_at: &dyn Fn(&Part) -> bool) -> Vec<(String, String, Kind)> {
    let shapes: Vec<Shape> = meshes(assembly).iter().map(|mesh| Shape::Mesh(mesh.solid().unwrap())).collect();
    let boxes: Vec<[DVec3; 2]> =
        assembly.parts.iter().map(|part| placed_box(&shapes[part.geometry], &part.pose)).collect();
    let looked_at: Vec<bool> = assembly.parts.iter().map(looked_at).collect();
    let (mut found, mut workspace) = (Vec::new(), Workspace::default());
    for (i, a) in assembly.parts.iter().enumerate() {
        for (j, b) in assembly.parts.iter().enumerate().skip(i + 1) {
            if !(looked_at[i] || looked_at[j]) {
                continue;
            }
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
    if gap.gap.lower > TOUCH {
        return (gap.gap.lower < 1e-3 * clearance).then_some(Kind::Near(1e3 * gap.gap.value));
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
    for ((name, _), written) in FILES.iter().zip(DRAWN.iter()) {
        assert!(written.notes.is_empty(), "{:?}", written.notes);
        assert!(written.bytes.len() < 1_500_000);
        assert!(std::fs::read(folder().join(name)).unwrap() == written.bytes, "{name}: run the example anew");
    }
}

#[test]
fn geometries_are_solids_that_do_not_meet_themselves() {
    let [_, assembly] = read();
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
    let [faulty, repaired] = read();
    let found = findings(&faulty, &|_| true);
    let named: Vec<(&str, &str)> = found.iter().map(|(a, b, _)| (a.as_str(), b.as_str())).collect();
    let expected = [
        ("gearbox/housing/lower", "gearbox/dowels/dowel-2"),
        ("gearbox/housing/inspection-cover", "gearbox/sensors/oil-level"),
        ("gearbox/shaft-1/gear-a", "gearbox/shaft-2/gear-b"),
        ("gearbox/shaft-2/bearing-right", "gearbox/shaft-2/bearing-right#2"),
        ("gearbox/shaft-1/collar", "gearbox/housing/cover-1-right"),
    ];
    assert_eq!(named, expected);
    let kinds: Vec<Kind> = found.iter().map(|found| found.2).collect();
    assert_eq!(kinds[..4], [Kind::Hard, Kind::Touching, Kind::Hard, Kind::Duplicate]);
    // To what single precision leaves of coordinates of 0.1 m.
    assert!(matches!(kinds[4], Kind::Near(gap) if (gap - 0.2).abs() < 1e-5), "{:?}", kinds[4]);
    // Parts that are the same in both files were held against each other already.
    let geometry = |assembly: &Assembly, part: &Part| assembly.geometries[part.geometry].name.clone();
    let is_new = |part: &Part| {
        let before = faulty.parts.iter().find(|before| before.name == part.name);
        !before.is_some_and(|it| it.pose == part.pose && geometry(&faulty, it) == geometry(&repaired, part))
    };
    assert_eq!(repaired.parts.iter().filter(|part| is_new(part)).count(), 5, "pin, gasket, sensor, gear and collar");
    assert_eq!(findings(&repaired, &is_new), []);
}

#[test]
fn pairs_are_as_drawn() {
    let [faulty, repaired] = read();
    let relation_of = |a: &str, b: &str| {
        let ((s, p), (t, q)) = (body(&repaired, a, true), body(&repaired, b, true));
        relation(&s, &p, &t, &q)
    };
    for (a, b) in [
        ("housing/lower", "housing/upper"),
        ("housing/lower", "housing/cover-1-left"),
        ("housing/upper", "housing/cooling-plate-3"),
        ("housing/lower", "housing/base-plate"),
        ("gaskets/oil-level", "sensors/oil-level"),
        ("gaskets/inspection", "housing/upper"),
        ("bolts/flange/washer", "housing/upper"),
        ("bolts/flange/m6x40", "bolts/flange/washer"),
        ("bolts/flange/nut", "bolts/flange/washer#2"),
        ("bolts/covers/m6x20", "bolts/covers/washer"),
        ("bolts/inspection/washer", "housing/inspection-cover"),
    ] {
        assert_eq!(relation_of(a, b), Relation::Touching, "{a} {b}");
    }
    let gap = |assembly: &Assembly, a: &str, b: &str, solid: bool| {
        let ((s, p), (t, q)) = (body(assembly, a, solid), body(assembly, b, solid));
        1e3 * distance(&s, &p, &t, &q).gap.value
    };
    for (a, b, least, most) in [
        ("shaft-1/gear-a", "shaft-2/gear-b", 0.1, 0.2),
        ("shaft-2/gear-c", "shaft-3/gear-d", 0.1, 0.2),
        ("shaft-1/shaft", "shaft-1/gear-a", 0.049, 0.2),
        ("shaft-2/bearing-left", "housing/lower", 0.049, 0.2),
        ("shaft-3/bearing-right", "shaft-3/shaft", 0.049, 0.2),
        ("dowels/dowel-2", "housing/upper", 0.049, 0.2),
        ("bolts/flange/m6x40", "housing/lower", 0.299, 0.5),
        ("bolts/flange/m6x40", "bolts/flange/nut", 0.199, 0.4),
        ("shaft-1/collar", "housing/cover-1-right", 0.99, 1.01),
    ] {
        let gap = gap(&repaired, a, b, true);
        assert!((least..=most).contains(&gap), "{a} {b}: {gap} mm");
    }
    // The forgotten pin is in the material, two millimetres below its surface; as a surface it touches nothing.
    assert_eq!(gap(&faulty, "dowels/dowel-2", "housing/lower", true), 0.0);
    let below = gap(&faulty, "dowels/dowel-2", "housing/lower", false);
    assert!((below - 2.0).abs() < 0.01, "{below} mm");
}

/// A part by the end of its path, as a solid or as a surface.
fn body(assembly: &Assembly, path: &str, solid: bool) -> (Shape, Pose) {
    let name = format!("gearbox/{path}");
    let part = assembly.parts.iter().find(|part| part.name == name).unwrap();
    let geometry = &assembly.geometries[part.geometry];
    let mesh = Mesh::new(&geometry.points, &geometry.triangles).unwrap();
    (Shape::Mesh(if solid { mesh.solid().unwrap() } else { mesh }), part.pose)
}
