//! Small files that ask for much memory or work: each is refused by the limit it exceeds, or read in proportion to its
//! length.

use std::path::PathBuf;

use clearance_files::{Error, Format, Limits, read, read_bytes, read_with};
use serde_json::{Value, json};

use crate::common::{TETRAHEDRON, archive, model};

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("clearance-bombs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A document that shows `meshes`, each by a node.
fn document(meshes: &[Value], accessors: &[Value], views: &[Value], buffers: &[Value]) -> Value {
    let nodes: Vec<Value> = (0..meshes.len()).map(|mesh| json!({"mesh": mesh})).collect();
    json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": (0..nodes.len()).collect::<Vec<_>>()}], "nodes": nodes,
        "meshes": meshes, "accessors": accessors, "bufferViews": views, "buffers": buffers
    })
}

#[test]
fn a_file_that_many_buffers_name_is_read_once() {
    let folder = Folder::new("buffers");
    let path = folder.0.join("itself.gltf");
    let each = |make: &dyn Fn(usize) -> Value| -> Vec<Value> { (0..3000).map(make).collect() };
    let text = document(
        &each(&|k| json!({"primitives": [{"attributes": {"POSITION": k}}]})),
        &each(&|k| json!({"bufferView": k, "componentType": 5121, "type": "VEC3", "count": 3})),
        &each(&|k| json!({"buffer": k, "byteLength": 9 + k})),
        // Different names of one file, and different lengths of it.
        &each(&|k| {
            let uri = ["itself.gltf", "./itself.gltf", ".//%69tself.gltf"][k % 3];
            json!({"uri": uri, "byteLength": 9 + k})
        }),
    );
    let text = text.to_string();
    std::fs::write(&path, &text).unwrap();
    // So many bytes may be read that the file itself and what its buffers need of it just fit: once, not 3,000 times.
    let limits = Limits { file: text.len() as u64 + 3008, ..Limits::default() };
    assert_eq!(read_with(&path, &limits).unwrap().parts.len(), 3000);
    let less = Limits { file: limits.file - 1, ..limits };
    let error = read_with(&path, &less).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }) && error.to_string().contains("Limits::file"), "{error}");
}

#[test]
fn scales_of_one_mesh_are_limited() {
    let folder = Folder::new("scales");
    let path = folder.0.join("scales.gltf");
    let count = 30_000;
    std::fs::write(folder.0.join("points.bin"), vec![0; 12 * count]).unwrap();
    let mut text = document(
        &[json!({"primitives": [{"attributes": {"POSITION": 0}}]})],
        &[json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": count})],
        &[json!({"buffer": 0, "byteLength": 12 * count})],
        &[json!({"uri": "points.bin", "byteLength": 12 * count})],
    );
    let nodes: Vec<Value> = (0..3000).map(|k| json!({"mesh": 0, "scale": [2.0 + f64::from(k), 1, 1]})).collect();
    text["scenes"][0]["nodes"] = (0..nodes.len()).collect::<Vec<_>>().into();
    text["nodes"] = nodes.into();
    std::fs::write(&path, text.to_string()).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("nodes[") && message.contains("raise `Limits::geometry`"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_link_out_of_the_folder_is_no_buffer() {
    let folder = Folder::new("pipe");
    let inner = folder.0.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(folder.0.join("secret"), [0; 36]).unwrap();
    std::os::unix::fs::symlink("../secret", inner.join("link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(inner.join("fifo")).status().unwrap().success());
    for (uri, problem) in [("fifo", "is a pipe"), ("link", "leads out of the folder"), ("../secret", "beside the file")]
    {
        let text = document(
            &[json!({"primitives": [{"attributes": {"POSITION": 0}}]})],
            &[json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3})],
            &[json!({"buffer": 0, "byteLength": 36})],
            &[json!({"uri": uri, "byteLength": 36})],
        );
        let path = inner.join("a.gltf");
        std::fs::write(&path, text.to_string()).unwrap();
        // The pipe has no other end: opening it would wait without end.
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("buffers[0]") && error.contains(problem), "{uri}: {error}");
    }
}

#[test]
fn components_wait_within_the_limit() {
    // Each object has 2,000 components of the next: few objects, long stacks, 2000^8 parts.
    let mut resources = format!("<object id=\"1\">{TETRAHEDRON}</object>");
    for id in 2..10 {
        let component = format!("<component objectid=\"{}\"/>", id - 1);
        resources += &format!("<object id=\"{id}\"><components>{}</components></object>", component.repeat(2000));
    }
    let bytes = archive(&[("3D/3dmodel.model", &model(&resources, "<item objectid=\"9\"/>"))]);
    let limits = Limits { parts: 20_000, ..Limits::default() };
    let error = read_bytes(&bytes, "file", Format::ThreeMf, &limits).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }) && error.to_string().contains("Limits::parts"), "{error}");
}

#[test]
fn required_extensions_and_their_names_are_matched_in_linear_time() {
    let mut names = String::new();
    (0..30_000).for_each(|k| names += &format!(" xmlns:a{k}=\"x\""));
    let words = "p ".repeat(30_000);
    let text = model(&format!("<object id=\"1\">{TETRAHEDRON}</object>"), "<item objectid=\"1\"/>").replacen(
        "<model ",
        &format!("<model{names} requiredextensions=\"{words}\" "),
        1,
    );
    let bytes = archive(&[("3D/3dmodel.model", &text)]);
    assert_eq!(read_bytes(&bytes, "file", Format::ThreeMf, &Limits::default()).unwrap().parts.len(), 1);
}

#[test]
fn a_polygon_of_corners_in_a_line_comes_to_an_end() {
    // No corner is an ear, and each is looked at for each that is cut off.
    let mut text = String::from("v 0 0 0\nv 1 1 0\nf");
    text += &" 1 2".repeat(150_000);
    let error = read_bytes(text.as_bytes(), "file", Format::Obj, &Limits::default()).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }) && error.to_string().contains("export triangles"), "{error}");
    // Some thousand corners are cut as they are.
    let text = format!("v 0 0 0\nv 1 1 0\nf{}", " 1 2".repeat(2000));
    assert_eq!(read_bytes(text.as_bytes(), "file", Format::Obj, &Limits::default()).unwrap().triangles(), 3998);
}
