//! Small files of every format, made by hand.
#![allow(dead_code)]

use std::io::Write;

use clearance_files::{Assembly, Error, Format, Limits, read_bytes};
use serde_json::{Value, json};

/// Reads bytes with the default limits.
pub fn read(bytes: &[u8], format: Format) -> Result<Assembly, Error> {
    read_bytes(bytes, "file", format, &Limits::default())
}

/// A GLB file of a document and a binary chunk.
pub fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + text.len() + 8 + binary.len();
    let mut bytes = b"glTF".to_vec();
    bytes.extend([2, length as u32, text.len() as u32, 0x4E4F_534A_u32].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(text);
    bytes.extend([binary.len() as u32, 0x004E_4942].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(binary);
    bytes
}

/// The four corners of a tetrahedron in single precision, then its triangles in bytes: 48 + 12 bytes.
pub fn tetrahedron_bytes() -> Vec<u8> {
    let points: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let mut bytes: Vec<u8> = points.into_iter().flatten().flat_map(f32::to_le_bytes).collect();
    bytes.extend([0_u8, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    bytes
}

/// A document that shows the tetrahedron by a tree of nodes.
pub fn tetrahedra() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 3]}],
        "nodes": [
            {"name": "frame", "children": [1, 2], "translation": [10, 0, 0]},
            {"name": "bolt", "mesh": 0, "rotation": [0.0, 0.0, 0.70710677, 0.70710677]},
            {"name": "bolt", "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 5, 0, 1]},
            {"mesh": 0, "scale": [-2, 2, 2]}
        ],
        "meshes": [{
            "name": "tetrahedron",
            "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]
        }],
        "materials": [{}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4},
            {"bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 12}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 12}
        ],
        "buffers": [{"byteLength": 60}]
    })
}

/// A 3MF file with these models, each by its name in the archive.
pub fn archive(models: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let relations = "<?xml version=\"1.0\"?>\
        <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
        <Relationship Target=\"/3D/3dmodel.model\" Id=\"rel0\" \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    for (name, text) in [("_rels/.rels", relations)].iter().chain(models) {
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A mesh of the tetrahedron in 3MF.
pub const TETRAHEDRON: &str = "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/>\
    <vertex x=\"0\" y=\"2\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"3\"/></vertices>\
    <triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/>\
    <triangle v1=\"0\" v2=\"1\" v3=\"3\"/><triangle v1=\"0\" v2=\"3\" v3=\"2\"/>\
    <triangle v1=\"1\" v2=\"2\" v3=\"3\"/></triangles></mesh>";

/// A model with resources and a build.
pub fn model(resources: &str, build: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"inch\" \
         xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" \
         xmlns:p=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\">\
         <metadata name=\"Title\">two &amp; two</metadata><resources>{resources}</resources>\
         <build>{build}</build></model>\n"
    )
}

/// A 3MF file: an object of two placed tetrahedra, shown once as it is and once mirrored.
pub fn two_by_two() -> Vec<u8> {
    let resources = format!(
        "<object id=\"1\" type=\"model\" name=\"bolt &lt;M3&gt;\">{TETRAHEDRON}</object>\
         <object id=\"2\" name=\"pair\"><components><component objectid=\"1\"/>\
         <component objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 5 6 7\"/></components></object>\
         <object id=\"9\">{TETRAHEDRON}</object>"
    );
    let build = "<item objectid=\"2\"/><item objectid=\"2\" transform=\"-1 0 0 0 1 0 0 0 1 100 0 0\"/>";
    archive(&[("3D/3dmodel.model", &model(&resources, build))])
}

/// A small file of every format, with its name.
pub fn one_of_each() -> Vec<(&'static str, Format, Vec<u8>)> {
    let obj = "o one\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\no two\nv 0 0 1\nf 1 2 -1\nl 1 2\n";
    let off =
        "COFF\n# square\n4 2 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0 1 1 1 1\n0 1 0 1 1 1 1\n4 0 1 2 3\n3 0 1 2 9 9 9\n";
    let ascii_ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    let ascii_stl = "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\nendsolid a b\nsolid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\n\
        vertex 0 1 1\nendloop\nendfacet\nendsolid\n";
    let assembly = read(obj.as_bytes(), Format::Obj).unwrap();
    let gltf = {
        let mut document = tetrahedra();
        document["buffers"][0]["uri"] =
            format!("data:application/octet-stream;base64,{}", base64(&tetrahedron_bytes())).into();
        document.to_string()
    };
    vec![
        ("obj", Format::Obj, obj.into()),
        ("off", Format::Off, off.into()),
        ("ascii ply", Format::Ply, ascii_ply.into()),
        ("binary ply", Format::Ply, clearance_files::ply_bytes(&assembly).unwrap().bytes),
        ("ascii stl", Format::Stl, ascii_stl.into()),
        ("binary stl", Format::Stl, clearance_files::stl_bytes(&assembly).unwrap().bytes),
        ("glb", Format::Gltf, glb(&tetrahedra(), &tetrahedron_bytes())),
        ("gltf", Format::Gltf, gltf.into_bytes()),
        ("draco", Format::Gltf, include_bytes!("../../data/draco_valence.glb").to_vec()),
        ("meshopt", Format::Gltf, include_bytes!("../../data/meshopt.glb").to_vec()),
        ("3mf", Format::ThreeMf, two_by_two()),
    ]
}

/// Bytes in base64.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place) & 63) as usize;
            text.push(if place <= chunk.len() { LETTERS[six] as char } else { '=' });
        }
    }
    text
}
