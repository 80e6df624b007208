//! What is written is read back, and what a format cannot hold is said.

mod common;

use clearance::Pose;
use clearance::glam::DVec3;
use clearance_files::{
    Assembly, Error, Format, Geometry, NoteKind, Part, Unit, glb_bytes, obj_bytes, ply_bytes, read, stl_bytes, write,
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
    let original = assembly();
    let written = obj_bytes(&original).unwrap();
    let again = common::read(&written.bytes, Format::Obj).unwrap();
    assert_eq!(soup(&again), soup(&original));
    assert_eq!(
        again.parts.iter().map(|part| &part.name).collect::<Vec<_>>(),
        original.parts.iter().map(|part| &part.name).collect::<Vec<_>>()
    );
    assert_eq!(kinds(&written.notes), [(NoteKind::Baked, 4)]);
    let written = ply_bytes(&original).unwrap();
    assert_eq!(soup(&common::read(&written.bytes, Format::Ply).unwrap()), soup(&original));
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

#[test]
fn files_are_known_by_their_content() {
    let folder = std::env::temp_dir().join(format!("clearance-round-trip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for ending in ["stl", "obj", "ply", "glb"] {
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
    for written in [stl_bytes(&bad), obj_bytes(&bad), ply_bytes(&bad), glb_bytes(&bad)] {
        assert!(matches!(written, Err(Error::Unsupported { .. })));
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
