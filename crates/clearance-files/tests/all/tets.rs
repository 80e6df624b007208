//! Meshes of tetrahedra of the shared data: every file is read, or refused for the right reason.

use std::io::Write;
use std::path::{Path, PathBuf};

use clearance::TetMesh;
use clearance_files::{Error, Limits, Place, read_tets, read_tets_bytes};

fn data_folder() -> PathBuf {
    std::env::var_os("CLEARANCE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}

fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what} is not in the shared data");
}

#[test]
fn shared_meshes_are_read() {
    let folder = data_folder().join("tetmesh");
    let mut tets = 0;
    for (name, points, count, inverted) in [
        ("armadillo_55k.msh", 13230, 54985, 0),
        ("mat40x40_9k.msh", 3200, 9126, 0),
        ("microstructure_P1_6k_8inverted.msh", 1585, 6414, 8),
        ("octocat_21k.msh", 6133, 21426, 0),
        ("rod300x33_51k.msh", 13333, 50511, 0),
        ("screw_6k.msh", 1732, 6059, 0),
        ("sphere1K_7k.msh", 1760, 6851, 0),
    ] {
        let Ok(found) = read_tets(folder.join(name)) else {
            skipped(name);
            continue;
        };
        let mesh = TetMesh::new(&found.points, &found.tets).unwrap();
        let health = mesh.health();
        let seen = (found.points.len(), found.tets.len(), health.inverted.len(), health.flat.len());
        assert_eq!(seen, (points, count, inverted, 0), "{name}");
        assert!(health.crowded.is_empty() && found.notes.is_empty(), "{name}: {:?}", found.notes);
        tets += found.tets.len();
    }
    let _ = writeln!(std::io::stderr(), "{tets} tetrahedra read");
}

#[test]
fn shared_vtk_files() {
    let folder = data_folder().join("drake");
    if !folder.is_dir() {
        return skipped("drake");
    }
    for (name, tets, inverted) in [
        ("cube_as_volume.vtk", 12, 0),
        ("inflation_infeasible_vertex.vtk", 22, 0),
        ("non_convex_mesh.vtk", 6, 0),
        ("one_negative_tetrahedron.vtk", 1, 1),
        ("one_tetrahedron.vtk", 1, 0),
        ("two_tetrahedra_with_field_variable.vtk", 2, 0),
        ("unstructured.vtk", 1, 0),
    ] {
        let found = read_tets(folder.join(name)).unwrap();
        let mesh = TetMesh::new(&found.points, &found.tets).unwrap();
        assert_eq!((found.tets.len(), mesh.health().inverted.len()), (tets, inverted), "{name}");
    }
    for (name, kind) in [("cube_as_6_squares.vtk", "POLYDATA"), ("some_volume.vtk", "STRUCTURED_POINTS")] {
        match read_tets(folder.join(name)) {
            Err(Error::Unsupported { place: Place::Line(4), problem, .. }) => assert!(problem.contains(kind)),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn limits_hold() {
    let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
        $Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
    assert!(read_tets_bytes(text, "a", &Limits { geometry: 0, ..Limits::default() }).is_ok());
    let short = Limits { file: 20, ..Limits::default() };
    assert!(matches!(read_tets_bytes(text, "a", &short), Err(Error::Limit { .. })));
    assert!(matches!(read_tets("no such file.msh"), Err(Error::Io { .. })));
}
