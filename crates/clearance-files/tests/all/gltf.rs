//! glTF: trees, instances, transforms, accessors of every kind, and files that are wrong.

use crate::common;

use clearance::glam::DVec3;
use clearance_files::{Assembly, Error, Format, Limits, NoteKind, Unit, read_bytes};
use common::{base64, glb, read, tetrahedra, tetrahedron_bytes};
use serde_json::{Value, json};

/// Where a part has a point of its geometry.
fn world(assembly: &Assembly, part: usize, point: usize) -> DVec3 {
    let part = &assembly.parts[part];
    part.pose.transform_point(assembly.geometries[part.geometry].points[point].into())
}

fn names(assembly: &Assembly) -> Vec<&str> {
    assembly.parts.iter().map(|part| part.name.as_str()).collect()
}

fn error_of(document: &Value) -> String {
    read(&glb(document, &tetrahedron_bytes()), Format::Gltf).unwrap_err().to_string()
}

#[test]
fn a_tree_of_nodes_becomes_parts() {
    let assembly = read(&glb(&tetrahedra(), &tetrahedron_bytes()), Format::Gltf).unwrap();
    assert_eq!(names(&assembly), ["frame/bolt", "frame/bolt#2", "tetrahedron"]);
    assert_eq!(assembly.unit, Some(Unit::Metre));
    // The two bolts share their geometry; the mirrored part has one of its own, with the winding turned.
    assert_eq!(assembly.parts.iter().map(|part| part.geometry).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(assembly.geometries[0].triangles, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    assert_eq!(assembly.geometries[1].triangles, [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]);
    assert!(world(&assembly, 0, 1).abs_diff_eq(DVec3::new(10.0, 1.0, 0.0), 1e-15));
    assert!(assembly.parts[0].pose.defect() < 1e-15, "a quaternion in single precision is normalised");
    assert_eq!(world(&assembly, 1, 2), DVec3::new(10.0, 7.0, 0.0));
    assert_eq!(world(&assembly, 2, 1), DVec3::new(-2.0, 0.0, 0.0));
    assert_eq!(world(&assembly, 2, 3), DVec3::new(0.0, 0.0, 6.0));
    let notes: Vec<String> = assembly.notes.iter().map(|note| note.to_string()).collect();
    assert!(notes.contains(&"file: materials: ignored: 1 materials".into()), "{notes:?}");
    assert!(notes.contains(&"file: nodes[3]: baked: 1 transforms that scale, shear or mirror".into()), "{notes:?}");
}

#[test]
fn text_with_a_data_uri_and_files_beside_it() {
    let binary = read(&glb(&tetrahedra(), &tetrahedron_bytes()), Format::Gltf).unwrap();
    let mut document = tetrahedra();
    document["buffers"][0]["uri"] =
        format!("data:application/gltf-buffer;base64,{}", base64(&tetrahedron_bytes())).into();
    let text = read(document.to_string().as_bytes(), Format::Gltf).unwrap();
    assert_eq!((&text.geometries, &text.parts), (&binary.geometries, &binary.parts));

    let folder = std::env::temp_dir().join(format!("clearance-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("two words.bin"), tetrahedron_bytes()).unwrap();
    std::fs::create_dir_all(folder.join("folder")).unwrap();
    document["buffers"][0]["uri"] = "two%20words.bin".into();
    let path = folder.join("a.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    let beside = clearance_files::read(&path).unwrap();
    assert_eq!((&beside.geometries, &beside.parts), (&binary.geometries, &binary.parts));
    let refused = read(document.to_string().as_bytes(), Format::Gltf);
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "bytes in memory open no file");
    for (uri, problem) in [
        ("absent.bin", "absent.bin"),
        ("/etc/passwd", "does not lie beside the file"),
        ("http://example.org/a.bin", "does not lie beside the file"),
        (".", "names no file"),
        ("%ff.bin", "is not a file name"),
        ("%2Fetc%2Fpasswd", "does not lie beside the file"),
        ("../../../../../../etc/passwd", "does not lie beside the file"),
        ("%2e%2e%2f%2e%2e%2fetc%2fpasswd", "does not lie beside the file"),
        ("folder", "is a folder"),
    ] {
        document["buffers"][0]["uri"] = uri.into();
        std::fs::write(&path, document.to_string()).unwrap();
        let error = clearance_files::read(&path).unwrap_err().to_string();
        assert!(error.contains("buffers[0]") && error.contains(problem), "{uri}: {error}");
    }
    document["buffers"][0] = json!({"uri": "two%20words.bin", "byteLength": 61});
    std::fs::write(&path, document.to_string()).unwrap();
    let error = clearance_files::read(&path).unwrap_err().to_string();
    assert!(error.contains("expected 61 bytes, got 60"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn strips_fans_and_lists_without_indices() {
    let mut document = tetrahedra();
    document["scenes"][0]["nodes"] = json!([2]);
    let mut triangles = |primitive: Value| {
        document["meshes"][0]["primitives"] = json!([primitive]);
        read(&glb(&document, &tetrahedron_bytes()), Format::Gltf)
            .map(|assembly| assembly.geometries[0].triangles.clone())
    };
    assert_eq!(triangles(json!({"attributes": {"POSITION": 0}, "mode": 5})).unwrap(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles(json!({"attributes": {"POSITION": 0}, "mode": 6})).unwrap(), [[1, 2, 0], [2, 3, 0]]);
    assert_eq!(triangles(json!({"attributes": {"POSITION": 0}})).unwrap(), [[0, 1, 2]]);
    assert!(matches!(triangles(json!({"attributes": {"POSITION": 0}, "mode": 1})), Err(Error::NoTriangles { .. })));
    assert!(matches!(triangles(json!({"attributes": {"POSITION": 0}, "mode": 7})), Err(Error::Malformed { .. })));
}

#[test]
fn indices_of_every_size_strides_and_sparse_accessors() {
    let expected = read(&glb(&tetrahedra(), &tetrahedron_bytes()), Format::Gltf).unwrap();
    for (code, size) in [(5123, 2), (5125, 4)] {
        let mut bytes = tetrahedron_bytes();
        let indices = bytes.split_off(48);
        bytes.extend(indices.iter().flat_map(|&index| u32::from(index).to_le_bytes()[..size].to_vec()));
        let mut document = tetrahedra();
        document["accessors"][1]["componentType"] = code.into();
        document["bufferViews"][1]["byteLength"] = (12 * size).into();
        document["buffers"][0]["byteLength"] = bytes.len().into();
        let assembly = read(&glb(&document, &bytes), Format::Gltf).unwrap();
        assert_eq!(assembly.geometries, expected.geometries);
    }
    // Points 16 bytes apart, the second replaced by a sparse accessor.
    let mut bytes = Vec::new();
    for point in tetrahedron_bytes()[..48].chunks(12) {
        bytes.extend(point);
        bytes.extend([0xff; 4]);
    }
    bytes.extend(&tetrahedron_bytes()[48..]);
    bytes.extend([1, 0, 0, 0]);
    bytes.extend([9.0_f32, 8.0, 7.0].into_iter().flat_map(f32::to_le_bytes));
    let mut document = tetrahedra();
    document["bufferViews"] = json!([
        {"buffer": 0, "byteLength": 64, "byteStride": 16},
        {"buffer": 0, "byteOffset": 64, "byteLength": 12},
        {"buffer": 0, "byteOffset": 76, "byteLength": 16}
    ]);
    document["buffers"][0]["byteLength"] = bytes.len().into();
    let sparse = json!({"count": 1, "indices": {"bufferView": 2, "componentType": 5123},
        "values": {"bufferView": 2, "byteOffset": 4}});
    document["accessors"][0]["sparse"] = sparse.clone();
    let assembly = read(&glb(&document, &bytes), Format::Gltf).unwrap();
    let points = &assembly.geometries[0].points;
    assert_eq!(points[..], [[0.0; 3], [9.0, 8.0, 7.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]);
    // Over zeros.
    document["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    let assembly = read(&glb(&document, &bytes), Format::Gltf).unwrap();
    assert_eq!(assembly.geometries[0].points[..2], [[0.0; 3], [9.0, 8.0, 7.0]]);
    assert!(assembly.notes.iter().any(|note| note.kind == NoteKind::Degenerate));
    document["accessors"][0]["count"] = 4_000_000_000_u64.into();
    let error = read(&glb(&document, &bytes), Format::Gltf).unwrap_err().to_string();
    assert!(error.contains("4000000000 zeros, more than the file has bytes"), "{error}");
}

#[test]
fn quantised_positions_and_instancing_extensions() {
    let bytes: Vec<u8> = [[0_i16, 0, 0], [32767, 0, 0], [0, -32767, 0]]
        .into_iter()
        .flatten()
        .flat_map(i16::to_le_bytes)
        .chain([0.0_f32, 0.0, 0.0, 5.0, 0.0, 0.0].into_iter().flat_map(f32::to_le_bytes))
        .collect();
    let document = json!({
        "asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization", "EXT_mesh_gpu_instancing"],
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "bolts", "mesh": 0,
            "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 1}}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5122, "normalized": true, "type": "VEC3", "count": 3},
            {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2}],
        "bufferViews": [{"buffer": 0, "byteLength": 18}, {"buffer": 0, "byteOffset": 18, "byteLength": 24}],
        "buffers": [{"byteLength": 42}]
    });
    let assembly = read(&glb(&document, &bytes), Format::Gltf).unwrap();
    assert_eq!(names(&assembly), ["bolts/0", "bolts/1"]);
    assert_eq!(assembly.geometries.len(), 1);
    assert_eq!(world(&assembly, 1, 1), DVec3::new(6.0, 0.0, 0.0));
    assert_eq!(world(&assembly, 1, 2), DVec3::new(5.0, -1.0, 0.0));
    let mut unknown = document;
    unknown["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = json!({"_ID": 1});
    assert!(matches!(read(&glb(&unknown, &bytes), Format::Gltf), Err(Error::Unsupported { .. })));
}

#[test]
fn a_thousand_instances_are_one_geometry() {
    let mut document = tetrahedra();
    document["nodes"] =
        (0..1000).map(|step| json!({"name": "bolt", "mesh": step % 2, "translation": [step, 0, 0]})).collect();
    document["scenes"][0]["nodes"] = (0..1000).collect();
    // A second mesh with the same accessors and another material is the same geometry.
    let mut mesh = document["meshes"][0].clone();
    mesh["primitives"][0]["material"] = 1.into();
    document["meshes"].as_array_mut().unwrap().push(mesh);
    let assembly = read(&glb(&document, &tetrahedron_bytes()), Format::Gltf).unwrap();
    assert_eq!((assembly.parts.len(), assembly.geometries.len(), assembly.triangles()), (1000, 1, 4000));
    assert_eq!(assembly.parts[999].name, "bolt#1000");
}

#[test]
fn wrong_files_are_refused_with_their_place() {
    type Change = fn(&mut Value);
    let changes: [(Change, &str); 27] = [
        (|d| d["asset"]["version"] = "1.0".into(), "asset: version 1.0 of glTF"),
        (|d| d["extensionsRequired"] = json!(["KHR_meshopt_compression"]), "extensionsRequired[0]: `KHR_meshopt"),
        (|d| d["extensionsRequired"] = json!(["VENDOR_x"]), "extensionsRequired[0]: `VENDOR_x` is not supported"),
        (|d| d["nodes"][1]["children"] = json!([0]), "nodes[1].children[0]: nodes[0] is reached a second time"),
        (|d| d["nodes"][3]["children"] = json!([1]), "is reached a second time"),
        (|d| d["nodes"][3]["children"] = json!([3]), "is reached a second time"),
        (|d| d["nodes"][0]["children"] = json!([7]), "nodes[0].children[0]: nodes[7], but there are 4"),
        (|d| d["nodes"][0]["children"] = json!([-1]), "nodes[0].children[0]: not a whole number"),
        (|d| d["nodes"][0]["children"] = json!(1), "nodes[0].children: not an array"),
        (|d| d["nodes"][0]["translation"] = json!([1, 2]), "nodes[0].translation: not an array of 3 numbers"),
        (|d| d["nodes"][1]["rotation"] = json!([0, 0, 0, 0]), "nodes[1]: `rotation` has no length"),
        (|d| d["nodes"][2]["matrix"][3] = 1.into(), "nodes[2]: the last row of `matrix`"),
        (|d| d["nodes"][1]["mesh"] = 1.into(), "nodes[1].mesh: meshes[1], but there are 1"),
        (|d| d["scene"] = 1.into(), "scene: scenes[1], but there are 1"),
        (|d| d["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 9.into(), "accessors[9], but there are 2"),
        (|d| d["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 1.into(), "accessors[1]: `type` must be VEC3"),
        (|d| d["meshes"][0]["primitives"][0]["indices"] = 0.into(), "accessors[0]: `type` must be SCALAR"),
        (
            |d| d["accessors"][0]["count"] = 5.into(),
            "accessors[0]: 5 elements of 12 bytes from byte 0, in a view of 48",
        ),
        (|d| d["accessors"][0]["count"] = 3.into(), "index 5 names point 3, but there are 3"),
        (|d| d["accessors"][0]["count"] = u64::MAX.into(), "accessors[0]: 18446744073709551615 elements"),
        (|d| d["accessors"][0]["byteOffset"] = u64::MAX.into(), "accessors[0]: 4 elements of 12 bytes"),
        (|d| d["accessors"][0]["componentType"] = 5124.into(), "componentType: 5124 is not a component type"),
        (|d| d["accessors"][1]["componentType"] = 5120.into(), "indices must be unsigned whole numbers"),
        (|d| d["bufferViews"][0]["byteStride"] = 4.into(), "bufferViews[0]: a stride of 4 for elements of 12"),
        (|d| d["bufferViews"][1]["byteOffset"] = 49.into(), "bufferViews[1]: bytes 49 to 49 + 12 of a buffer of 60"),
        (|d| d["buffers"][0]["byteLength"] = 70.into(), "buffers[0]: expected 70 bytes, got 60"),
        (|d| d["buffers"][0]["uri"] = "data:;base64,AAA!".into(), "buffers[0]: character 3 is not base64"),
    ];
    for (change, problem) in changes {
        let mut document = tetrahedra();
        change(&mut document);
        let error = error_of(&document);
        assert!(error.contains(problem), "{problem}: {error}");
    }
    let mut infinite = tetrahedron_bytes();
    infinite[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let bytes = glb(&tetrahedra(), &infinite);
    let error = read(&bytes, Format::Gltf).unwrap_err().to_string();
    let byte = bytes.len() - 60 + 12;
    assert_eq!(error, format!("file: byte {byte}: accessors[0], element 1: the coordinate NaN is not finite"));
    let error = read(b"{\"asset\":\n {]", Format::Gltf).unwrap_err().to_string();
    assert_eq!(error, "file: byte 12: not JSON: key must be a string");
    assert!(read(&[b'['; 100_000], Format::Gltf).unwrap_err().to_string().contains("recursion limit exceeded"));
}

#[test]
fn what_unfolds_is_limited() {
    // A mesh of a thousand primitives that all show the same accessors.
    let mut document = tetrahedra();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    document["meshes"][0]["primitives"] = vec![primitive; 1000].into();
    let bytes = glb(&document, &tetrahedron_bytes());
    assert_eq!(read(&bytes, Format::Gltf).unwrap().geometries[0].points.len(), 4);
    let mut deep = tetrahedra();
    deep["nodes"] = (0..30_000)
        .map(|step| {
            let children = if step < 29_999 { vec![step + 1] } else { vec![] };
            json!({"name": "a name of some length, for each of them", "mesh": 0, "children": children})
        })
        .collect();
    deep["scenes"][0]["nodes"] = json!([0]);
    let error = read(&glb(&deep, &tetrahedron_bytes()), Format::Gltf).unwrap_err();
    assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::names")), "{error}");
    let limits = Limits { parts: 2, ..Limits::default() };
    let error = read_bytes(&glb(&tetrahedra(), &tetrahedron_bytes()), "x", Format::Gltf, &limits).unwrap_err();
    assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::parts")), "{error}");
}
