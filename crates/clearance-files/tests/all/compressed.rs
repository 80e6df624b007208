//! glTF that is compressed by Draco or meshopt: what comes out is what the decoders of draco3d and meshoptimizer make
//! of it (`tests/data/make.mjs`), and streams that are wrong are refused by name.

use std::path::Path;

use clearance_files::{Error, Format, Limits, NoteKind, read_bytes};
use serde_json::{Value, json};

use crate::common::{glb, read};

const NAMES: [&str; 4] = ["draco_edgebreaker", "draco_valence", "draco_sequential", "meshopt"];

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.glb"))).unwrap()
}

/// The document and the binary chunk of a GLB file.
fn taken_apart(bytes: &[u8]) -> (Value, Vec<u8>) {
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (serde_json::from_slice(&bytes[20..end]).unwrap(), bytes[end + 8..].to_vec())
}

fn error_of(document: &Value, binary: &[u8]) -> Error {
    read(&glb(document, binary), Format::Gltf).unwrap_err()
}

#[test]
fn decoded_as_other_decoders_do() {
    for (name, parts, triangles) in
        [("draco_edgebreaker", 1, 192), ("draco_valence", 1, 192), ("draco_sequential", 1, 192), ("meshopt", 7, 1302)]
    {
        let found = read(&bytes_of(name), Format::Gltf).unwrap();
        let expected = read(&bytes_of(&format!("{name}_decoded")), Format::Gltf).unwrap();
        assert_eq!((found.parts.len(), found.triangles()), (parts, triangles), "{name}");
        assert_eq!(found, expected, "{name}");
        assert!(!found.notes.iter().any(|note| note.kind == NoteKind::Dropped), "{name}: {:?}", found.notes);
    }
}

#[test]
fn what_is_there_uncompressed_is_not_decoded() {
    let (mut document, binary) = taken_apart(&bytes_of("draco_valence_decoded"));
    let expected = read(&glb(&document, &binary), Format::Gltf).unwrap();
    document["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    document["meshes"][0]["primitives"][0]["extensions"] = json!({"KHR_draco_mesh_compression": {}});
    assert_eq!(read(&glb(&document, &binary), Format::Gltf).unwrap().geometries, expected.geometries);
}

#[test]
fn primitives_of_one_stream_are_one_geometry() {
    let (mut document, binary) = taken_apart(&bytes_of("draco_edgebreaker"));
    let mesh = document["meshes"][0].clone();
    document["meshes"] = json!([mesh, mesh, {"primitives": [mesh["primitives"][0], mesh["primitives"][0]]}]);
    document["nodes"] = json!([{"mesh": 0}, {"mesh": 1}, {"mesh": 2}]);
    document["scenes"][0]["nodes"] = json!([0, 1, 2]);
    let assembly = read(&glb(&document, &binary), Format::Gltf).unwrap();
    assert_eq!(assembly.parts.iter().map(|part| part.geometry).collect::<Vec<_>>(), [0, 0, 1]);
    let [one, two] = &assembly.geometries[..] else { panic!("two geometries") };
    assert_eq!((two.points.len(), two.triangles.len()), (2 * one.points.len(), 2 * one.triangles.len()));
    let count = one.points.len() as u32;
    assert_eq!(two.triangles[one.triangles.len()], one.triangles[0].map(|corner| corner + count));
}

#[test]
fn wrong_draco_is_refused_with_its_place() {
    type Change = fn(&mut Value, &mut Vec<u8>);
    let (whole, stream) = taken_apart(&bytes_of("draco_edgebreaker"));
    let changes: [(Change, &str); 8] = [
        (|d, _| draco(d)["bufferView"] = 1.into(), "bufferView: bufferViews[1], but there are 1"),
        (|d, _| draco(d)["attributes"]["POSITION"] = 7.into(), "bufferViews[0]: the Draco stream has no attribute 7"),
        (|d, _| draco(d)["attributes"] = json!({}), "KHR_draco_mesh_compression: `attributes.POSITION` is missing"),
        (|d, _| drop(draco(d).as_object_mut().unwrap().remove("bufferView")), "`bufferView` is missing"),
        (|d, _| d["meshes"][0]["primitives"][0]["mode"] = 6.into(), "`mode` 6 (fans) cannot be compressed by Draco"),
        (|d, _| d["bufferViews"][0]["byteLength"] = 100_000.into(), "bufferViews[0]: bytes 0 to 0 + 100000"),
        (|d, _| d["bufferViews"][0]["byteLength"] = 50.into(), "bufferViews[0]: not a valid Draco stream"),
        (|_, b| b[0] = 0, "bufferViews[0]: not a valid Draco stream"),
    ];
    for (change, problem) in changes {
        let (mut document, mut binary) = (whole.clone(), stream.clone());
        change(&mut document, &mut binary);
        let error = error_of(&document, &binary);
        assert!(matches!(error, Error::Malformed { .. }) && error.to_string().contains(problem), "{problem}: {error}");
    }
}

fn draco(document: &mut Value) -> &mut Value {
    &mut document["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]
}

#[test]
fn wrong_meshopt_is_refused_with_its_place() {
    type Change = fn(&mut Value, &mut Vec<u8>);
    let (whole, stream) = taken_apart(&bytes_of("meshopt"));
    let changes: [(Change, &str); 13] = [
        (|d, _| meshopt(d, 0)["mode"] = "POINTS".into(), "`mode` must be ATTRIBUTES, TRIANGLES or INDICES"),
        (|d, _| meshopt(d, 0)["byteStride"] = 13.into(), "a `byteStride` of 13 does not go with"),
        (|d, _| meshopt(d, 1)["byteStride"] = 8.into(), "a `byteStride` of 8 does not go with"),
        (|d, _| meshopt(d, 7)["byteStride"] = 4.into(), "a `byteStride` of 4 does not go with"),
        (|d, _| meshopt(d, 0)["buffer"] = 9.into(), "EXT_meshopt_compression.buffer: buffers[9], but there are 2"),
        (|d, _| meshopt(d, 0)["byteLength"] = 1_000_000.into(), "bytes 0 to 0 + 1000000 of a buffer"),
        (|d, _| meshopt(d, 0)["byteLength"] = 40.into(), "the stream ends early"),
        (|d, _| meshopt(d, 0)["count"] = 100.into(), "bytes are left over"),
        (|d, _| meshopt(d, 1)["count"] = 100.into(), "100 indices are not a whole number of triangles"),
        (|d, _| meshopt(d, 1)["count"] = 3.into(), "bytes are left over"),
        (|d, _| meshopt(d, 5)["count"] = 1_000_000.into(), "the stream ends early"),
        (|d, _| meshopt(d, 5)["mode"] = "TRIANGLES".into(), "begins with byte 0xd1, expected 0xe1"),
        (|_, b| b[0] = 0xa1, "begins with byte 0xa1, expected 0xa0"),
    ];
    for (change, problem) in changes {
        let (mut document, mut binary) = (whole.clone(), stream.clone());
        change(&mut document, &mut binary);
        let error = error_of(&document, &binary);
        assert!(matches!(error, Error::Malformed { .. }) && error.to_string().contains(problem), "{problem}: {error}");
    }
    let mut document = whole.clone();
    meshopt(&mut document, 0)["filter"] = "OCTAHEDRAL".into();
    let error = error_of(&document, &stream);
    assert!(matches!(error, Error::Unsupported { .. }) && error.to_string().contains("OCTAHEDRAL"), "{error}");
    assert!(error.to_string().contains("bufferViews[0].extensions.EXT_meshopt_compression: "), "{error}");
}

fn meshopt(document: &mut Value, view: usize) -> &mut Value {
    &mut document["bufferViews"][view]["extensions"]["EXT_meshopt_compression"]
}

#[test]
fn what_compressed_streams_unfold_to_is_limited() {
    // 8,192 triangles in some hundred bytes.
    let grid = bytes_of("draco_grid");
    assert_eq!(read(&grid, Format::Gltf).unwrap().triangles(), 8192);
    let limits = Limits { geometry: 0, ..Limits::default() };
    let error = read_bytes(&grid, "x", Format::Gltf, &limits).unwrap_err();
    assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::geometry")), "{error}");
    assert!(error.to_string().contains("bufferViews[0]: "), "{error}");
    // 1.2 GB of zeros.
    let (mut document, _) = taken_apart(&bytes_of("meshopt"));
    meshopt(&mut document, 0)["count"] = 100_000_000.into();
    let error = error_of(&document, &taken_apart(&bytes_of("meshopt")).1);
    assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::geometry")), "{error}");
}

#[test]
fn changed_streams_never_panic() {
    let mut state = 20_261_118_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below.max(1)
    };
    let limits = Limits { parts: 10_000, names: 1 << 20, geometry: 1 << 22, ..Limits::default() };
    let turns = 500;
    for name in NAMES {
        let bytes = bytes_of(name);
        let start = bytes.len() - taken_apart(&bytes).1.len();
        let (mut read, mut refused) = (0, 0);
        for _ in 0..turns {
            let mut changed = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = start + random(changed.len() - start);
                changed[at] = if random(2) == 0 { random(256) as u8 } else { changed[at] ^ 1 << random(8) };
            }
            match read_bytes(&changed, "file", Format::Gltf, &limits) {
                Ok(assembly) => {
                    read += 1;
                    for geometry in &assembly.geometries {
                        assert!(geometry.points.as_flattened().iter().all(|part| part.is_finite()), "{name}");
                        let count = geometry.points.len() as u32;
                        assert!(geometry.triangles.as_flattened().iter().all(|&corner| corner < count), "{name}");
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with("file: "), "{name}: {error}");
                }
            }
        }
        assert!(read > 0 && refused > 0, "{name}: {read} read, {refused} refused");
    }
}
