//! Every model of the shared data is read, and has as many triangles as its file says. Runs where the data folder is
//! (`../shared/data` beside the project, or `CLEARANCE_DATA`).

use std::io::Write;
use std::path::{Path, PathBuf};

use clearance_files::{Error, Format, read};

fn data_folder() -> PathBuf {
    std::env::var_os("CLEARANCE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}

/// All files under a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if Format::by_ending(&path).is_some() {
            found.push(path);
        }
    }
}

/// How many triangles the file says it has, counted in another way than the readers do; `None` where that is not
/// simple.
fn promised(path: &Path) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "stl" if text.trim_start().starts_with("solid") && text.contains("endsolid") => {
            Some(text.matches("endfacet").count() as u64)
        }
        "stl" => Some(u32::from_le_bytes(bytes.get(80..84)?.try_into().ok()?).into()),
        "obj" => {
            let faces = text.lines().filter_map(|line| line.trim_start().strip_prefix("f "));
            Some(faces.map(|face| face.split_whitespace().count() as u64 - 2).sum())
        }
        // The faces of these are triangles.
        "ply" => text.lines().find_map(|line| line.strip_prefix("element face ")?.trim().parse().ok()),
        _ => None,
    }
}

#[test]
fn all_shared_models_are_read() {
    let mut found = Vec::new();
    files(&data_folder(), &mut found);
    found.sort();
    if found.is_empty() {
        // Past the capture of the test harness: a test that did not run must say so.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no models in the shared data (`../shared/data`, or set CLEARANCE_DATA)"
        );
        return;
    }
    let (mut wrong, mut triangles, mut without) = (Vec::new(), 0, 0);
    for path in &found {
        match read(path) {
            Ok(assembly) => {
                triangles += assembly.triangles();
                if let Some(count) = promised(path)
                    && count != assembly.triangles()
                {
                    wrong.push(format!("{}: {} of {count} triangles", path.display(), assembly.triangles()));
                }
            }
            // Some hold points alone.
            Err(Error::NoTriangles { .. }) if promised(path) == Some(0) => without += 1,
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let _ = writeln!(
        std::io::stderr(),
        "{} models read, {triangles} triangles; {without} have none",
        found.len() - without
    );
}

#[test]
fn the_parts_of_shared_assemblies_are_those_of_the_expected_answers() {
    let folder = data_folder().join("assemblies");
    for name in ["pcert_building", "pcert_infra"] {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}_clash_expected.json"))) else {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {name} is not in the shared data");
            continue;
        };
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let assembly = read(folder.join(format!("{name}.obj"))).unwrap();
        assert_eq!(expected["parts"].as_u64(), Some(assembly.parts.len() as u64), "{name}");
        assert_eq!(expected["tris"].as_u64(), Some(assembly.triangles()), "{name}");
        for pair in expected["pairs"].as_array().unwrap() {
            for column in 0..2 {
                let part = pair[column].as_str().unwrap();
                assert!(assembly.parts.iter().any(|known| known.name == part), "{name}: {part}");
            }
        }
    }
}
