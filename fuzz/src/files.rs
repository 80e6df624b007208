//! Arbitrary bytes into the file readers: an error that names the file, or a consistent assembly.

use std::io::{Cursor, Write};
use std::path::Path;

use clearance_files::{Assembly, Format, Limits, glb_bytes, read_bytes, threemf_bytes, weld};

/// Reads the bytes as a file of this format, and panics on a fault.
pub fn check(data: &[u8], format: Format) {
    // Small limits, so that decompression bombs are rejected quickly.
    let limits = Limits { parts: 10_000, names: 1 << 20, geometry: 1 << 24, ratio: 200, ..Limits::default() };
    let assembly = match read_bytes(data, "file", format, &limits) {
        Ok(assembly) => assembly,
        Err(error) => {
            assert!(error.to_string().starts_with("file: "), "{error}");
            return;
        }
    };
    assert!(!assembly.parts.is_empty());
    for geometry in &assembly.geometries {
        assert!(geometry.points.iter().flatten().all(|part| part.is_finite()), "{geometry:?}");
        let count = geometry.points.len();
        assert!(geometry.triangles.iter().flatten().all(|&corner| (corner as usize) < count), "{geometry:?}");
    }
    let mut names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for geometry in &assembly.geometries {
        let mut welded = geometry.clone();
        let report = weld(&mut welded, 1e-3).expect("a valid tolerance");
        assert_eq!(report.before - report.merged, welded.points.len() as u64);
        assert!(report.farthest <= 1e-3, "{report:?}");
    }
    let written = glb_bytes(&assembly).expect("an assembly that holds together");
    match read_bytes(&written.bytes, "file", Format::Gltf, &Limits::default()) {
        Ok(again) => assert_eq!(again.parts.len(), assembly.parts.len()),
        Err(error) => panic!("{error}"),
    }
    if format == Format::ThreeMf {
        check_written(&assembly);
    }
    // Format detection never panics either.
    let _ = Format::detect(data, Path::new("file"));
}

/// Writes an assembly as 3MF and reads it back: bit-identical.
fn check_written(assembly: &Assembly) {
    let written = threemf_bytes(assembly).expect("an assembly that holds together");
    let again = match read_bytes(&written.bytes, "file", Format::ThreeMf, &Limits::default()) {
        Ok(again) => again,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(again.unit, assembly.unit);
    let is_written = |note: &clearance_files::Note| note.kind != clearance_files::NoteKind::Renamed;
    if written.notes.iter().all(is_written) {
        assert_eq!(again.parts, assembly.parts);
    }
    assert_eq!(again.geometries.len(), assembly.geometries.len());
    for (again, geometry) in again.geometries.iter().zip(&assembly.geometries) {
        assert_eq!(again.triangles, geometry.triangles);
        let bits = |points: &[[f64; 3]]| -> Vec<u64> { points.iter().flatten().map(|part| part.to_bits()).collect() };
        assert_eq!(bits(&again.points), bits(&geometry.points));
    }
}

/// Reads the bytes as a 3MF file, or, if they are not an archive, as the model in one: the checksums of an archive
/// would keep mutated bytes from the model reader.
pub fn check_threemf(data: &[u8]) {
    if data.starts_with(b"PK") {
        return check(data, Format::ThreeMf);
    }
    let relations = b"<Relationships><Relationship Target=\"/3D/3dmodel.model\" Type=\"/3dmodel\"/></Relationships>";
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in [("_rels/.rels", &relations[..]), ("3D/3dmodel.model", data)] {
        writer.start_file(name, options).expect("a valid name");
        writer.write_all(content).expect("memory takes all");
    }
    check(&writer.finish().expect("a valid archive").into_inner(), Format::ThreeMf);
}
