//! What is written is read back, and what a format cannot hold is said.

use crate::common;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_files::{
    Assembly, Error, Format, Geometry, NoteKind, Part, Unit, glb_bytes, obj_bytes, ply_bytes, read, stl_bytes,
    threemf_bytes, write,
};

/// Two plates and five bolts that share a geometry, in millimetres; coordinates that single precision cannot hold.
fn assembly() -> Assembly {
    let plate = Geometry {
        name: "plate".into(),
        points: vec![[0.0, 0.0, 0.1], [10.0, 0.0, 1.0 / 3.0], [0.0, 10.0, 0.0]],
        triangles: vec![[0, 1, 2]],
    };
    let bolt = Geometry {
        name: "bolt".into(),
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let mut parts = vec![Part { name: "plate".into(), geometry: 0, pose: Pose::IDENTITY }];
    for step in 0..5 {
        let turn = Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), f64::from(step), DVec3::X * 0.1 * f64::from(step));
        parts.push(Part { name: format!("bolts/bolt {step}"), geometry: 1, pose: turn.unwrap() });
    }
    Assembly { geometries: vec![plate, bolt], parts, unit: None, notes: Vec::new() }
}

/// The corners of all triangles in the world, in order.
fn soup(assembly: &Assembly) -> Vec<[f64; 3]> {
    let mut corners = Vec::new();
    for part in &assembly.parts {
        let geometry = &assembly.geometries[part.geometry];
        for corner in geometry.triangles.iter().flatten() {
            corners.push(part.pose.transform_point(geometry.points[*corner as usize].into()).to_array());
        }
    }
    corners
}

fn kinds(notes: &[clearance_files::Note]) -> Vec<(NoteKind, u64)> {
    notes.iter().map(|note| (note.kind, note.count)).collect()
}

#[test]
fn obj_and_ply_keep_every_bit() {
    let mut original = assembly();
    // What no pose moves keeps even the sign of a zero.
    original.geometries[0].points[2][0] = -0.0;
    let signs = |read: &Assembly| bits(read).0[..9] == bits(&original).0[..9];
    let written = obj_bytes(&original).unwrap();
    let again = common::read(&written.bytes, Format::Obj).unwrap();
    assert_eq!(soup(&again), soup(&original));
    assert!(signs(&again));
    assert_eq!(
        again.parts.iter().map(|part| &part.name).collect::<Vec<_>>(),
        original.parts.iter().map(|part| &part.name).collect::<Vec<_>>()
    );
    assert_eq!(kinds(&written.notes), [(NoteKind::Baked, 4)]);
    let written = ply_bytes(&original).unwrap();
    let again = common::read(&written.bytes, Format::Ply).unwrap();
    assert_eq!(soup(&again), soup(&original));
    assert!(signs(&again));
    assert_eq!(kinds(&written.notes), [(NoteKind::Dropped, 6), (NoteKind::Baked, 4)]);
}

#[test]
fn stl_rounds_to_single_precision_and_says_so() {
    let original = assembly();
    let written = stl_bytes(&original).unwrap();
    let again = common::read(&written.bytes, Format::Stl).unwrap();
    let rounded: Vec<[f64; 3]> = soup(&original).iter().map(|point| point.map(|part| f64::from(part as f32))).collect();
    assert_eq!(soup(&again), rounded);
    let note = written.notes.iter().find(|note| note.kind == NoteKind::Rounded).unwrap();
    assert!(note.count > 10, "{note}");
}

#[test]
fn glb_keeps_instances_names_and_poses() {
    let original = assembly();
    let written = glb_bytes(&original).unwrap();
    assert_eq!(kinds(&written.notes), [(NoteKind::Unit, 1), (NoteKind::Rounded, 2)]);
    let again = common::read(&written.bytes, Format::Gltf).unwrap();
    assert_eq!(again.parts, original.parts);
    assert_eq!(again.geometries[1], original.geometries[1]);
    assert_eq!(again.geometries[0].points[1][2], f64::from((1.0_f64 / 3.0) as f32));
    // In millimetres it is a thousand times as large, so the file a thousand times as small.
    let millimetres = Assembly { unit: Some(Unit::Millimetre), ..original };
    let again = common::read(&glb_bytes(&millimetres).unwrap().bytes, Format::Gltf).unwrap();
    assert_eq!(again.unit, Some(Unit::Metre));
    assert_eq!(again.geometries[1].points[3][2], f64::from(0.003_f32));
    assert_eq!(again.parts[3].pose.translation(), millimetres.parts[3].pose.translation() * 0.001);
}

/// Every bit of the points, and of the poses.
fn bits(assembly: &Assembly) -> (Vec<u64>, Vec<u64>) {
    let points = assembly.geometries.iter().flat_map(|geometry| geometry.points.iter().flatten());
    let poses = assembly.parts.iter().flat_map(|part| {
        let mut numbers = part.pose.rotation().to_cols_array().to_vec();
        numbers.extend(part.pose.translation().to_array());
        numbers
    });
    (points.map(|part| part.to_bits()).collect(), poses.map(f64::to_bits).collect())
}

#[test]
fn threemf_keeps_all_to_the_last_bit() {
    let mut original = assembly();
    // Numbers of every size, and names that XML has to escape.
    let numbers =
        [5e-324, -1.0 / 3.0, f64::MAX, -0.0, 1e-5, 9.999_999_999_999_999e-6, 1e16, 123_456_789.123_456_78, 1e22];
    original.geometries[1].points.extend(numbers.chunks(3).map(|three| [three[0], three[1], three[2]]));
    original.geometries[0].name = "plate \"<&>' Geh\u{e4}use".into();
    original.parts[1].name = "a\tb\nc\rd  & <e> \"f\"".into();
    original.parts[2].pose = Pose::from_axis_angle(DVec3::Z, 1e-3, DVec3::new(-0.0, 1.0 / 3.0, -1e-9)).unwrap();
    for unit in [Unit::Micrometre, Unit::Millimetre, Unit::Centimetre, Unit::Inch, Unit::Foot, Unit::Metre] {
        original.unit = Some(unit);
        let written = threemf_bytes(&original).unwrap();
        assert!(written.notes.is_empty(), "{:?}", written.notes);
        assert_eq!(threemf_bytes(&original).unwrap(), written, "the same bytes each time");
        let again = common::read(&written.bytes, Format::ThreeMf).unwrap();
        assert_eq!((&again.geometries, &again.parts, again.unit), (&original.geometries, &original.parts, Some(unit)));
        assert_eq!(bits(&again), bits(&original));
        let notes: Vec<String> = again.notes.iter().map(ToString::to_string).collect();
        assert!(notes.iter().all(|note| note.contains("points that no triangle uses")), "{notes:?}");
    }
}

#[test]
fn what_3mf_cannot_hold_is_said() {
    let mut odd = assembly();
    odd.geometries[0].triangles.push([0, 1, 1]);
    odd.geometries.push(Geometry { name: "nothing".into(), ..Geometry::default() });
    odd.parts.push(Part { name: "nothing".into(), geometry: 2, pose: Pose::IDENTITY });
    odd.parts[1].name = "bell\u{7} and\u{ffff}".into();
    odd.parts[2].name = String::new();
    let written = threemf_bytes(&odd).unwrap();
    let expected = [NoteKind::Unit, NoteKind::Renamed, NoteKind::Dropped, NoteKind::Renamed, NoteKind::Degenerate];
    assert_eq!(kinds(&written.notes), expected.map(|kind| (kind, 1)));
    let again = common::read(&written.bytes, Format::ThreeMf).unwrap();
    let names: Vec<&str> = again.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["plate", "bell  and ", "bolt", "bolts/bolt 2", "bolts/bolt 3", "bolts/bolt 4"]);
    assert_eq!(again.geometries, odd.geometries[..2]);
    assert_eq!(again.unit, Some(Unit::Millimetre), "what the format says where a file does not");
}

#[test]
fn what_packs_like_a_bomb_is_read_back_all_the_same() {
    let mut flat = assembly();
    flat.geometries[0].triangles = vec![[0, 1, 2]; 200_000];
    let written = threemf_bytes(&flat).unwrap();
    assert!(written.bytes.len() > 5_000_000, "stored as it is: {} bytes", written.bytes.len());
    assert_eq!(common::read(&written.bytes, Format::ThreeMf).unwrap().geometries, flat.geometries);
}

#[test]
fn files_are_known_by_their_content() {
    let folder = std::env::temp_dir().join(format!("clearance-round-trip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for ending in ["stl", "obj", "ply", "glb", "3mf"] {
        let path = folder.join(format!("a.{ending}"));
        let notes = write(&assembly(), &path).unwrap();
        assert!(notes.iter().all(|note| note.path == path));
        assert_eq!(read(&path).unwrap().triangles(), 21);
        // Under another name all but OBJ, which nothing tells, are read for what they are.
        let wrong = folder.join(format!("{ending}.off"));
        std::fs::rename(&path, &wrong).unwrap();
        match read(&wrong) {
            Ok(other) => {
                assert_eq!(other.triangles(), 21);
                assert!(other.notes[0].to_string().contains("file whose name ends otherwise"), "{}", other.notes[0]);
            }
            Err(error) => assert_eq!(ending, "obj", "{error}"),
        }
    }
    assert!(matches!(write(&assembly(), folder.join("a.step")), Err(Error::UnknownFormat { .. })));
    assert!(matches!(write(&assembly(), folder.join("absent/a.stl")), Err(Error::Io { .. })));
    std::fs::write(folder.join("a.txt"), "hello").unwrap();
    assert!(matches!(read(folder.join("a.txt")), Err(Error::UnknownFormat { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn assemblies_that_do_not_hold_together_are_not_written() {
    let mut bad = assembly();
    bad.parts[0].geometry = 7;
    assert!(matches!(stl_bytes(&bad), Err(Error::Unsupported { .. })));
    assert_eq!((bad.triangles(), bad.bounds().is_some()), (20, true));
    let mut bad = assembly();
    bad.geometries[1].triangles[0][0] = 4;
    for write in [stl_bytes, obj_bytes, ply_bytes, glb_bytes, threemf_bytes] {
        assert!(matches!(write(&bad), Err(Error::Unsupported { .. })));
        for endless in [f64::NAN, f64::INFINITY] {
            let mut bad = assembly();
            bad.geometries[1].points[2][0] = endless;
            let error = write(&bad).unwrap_err().to_string();
            assert!(error.contains("a point of `bolt` that is not finite"), "{error}");
        }
    }
}

#[test]
fn every_small_file_survives_glb() {
    for (name, format, bytes) in common::one_of_each() {
        let first = common::read(&bytes, format).unwrap();
        let again = common::read(&glb_bytes(&first).unwrap().bytes, Format::Gltf).unwrap();
        assert_eq!(again.parts.len(), first.parts.len(), "{name}");
        assert_eq!(again.triangles(), first.triangles(), "{name}");
    }
}
