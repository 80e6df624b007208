//! `clearance tets`: pairs against brute force, inverted tetrahedra, and what is refused.

#[allow(dead_code, reason = "tests of other commands share it and use more")]
use crate::common;

use std::path::{Path, PathBuf};

use clearance::glam::DVec3;
use clearance::query::triangle_tet_batch;
use clearance::{Pose, TetMesh};
use clearance_files::read_tets;
use serde_json::{Value, json};

use common::{Folder, clearance, code, stderr, stdout};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A row of prisms of three tetrahedra each, as a Gmsh file; `bent` moves its points.
fn row(count: u32, bent: impl Fn(DVec3) -> DVec3) -> String {
    let mut out = format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {0} 1 {0}\n3 1 0 {0}\n", 3 * (count + 1));
    (1..=3 * (count + 1)).for_each(|tag| out += &format!("{tag}\n"));
    for i in 0..=count {
        for [y, z] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] {
            let point = bent(DVec3::new(f64::from(i), y, z));
            out += &format!("{} {} {}\n", point.x, point.y, point.z);
        }
    }
    out += &format!("$EndNodes\n$Elements\n1 {0} 1 {0}\n3 1 4 {0}\n", 3 * count);
    for i in 0..count {
        let [a, b, c, d, e, f] = [1, 2, 3, 4, 5, 6].map(|k| 3 * i + k);
        for (k, [p, q, r, s]) in [[a, b, c, d], [b, c, d, e], [c, d, e, f]].into_iter().enumerate() {
            out += &format!("{} {p} {q} {r} {s}\n", 3 * i + k as u32 + 1);
        }
    }
    out + "$EndElements\n"
}

fn load(file: &Path, pose: &Pose) -> TetMesh {
    let found = read_tets(file).unwrap();
    let points: Vec<[f64; 3]> = found.points.iter().map(|&p| pose.transform_point(p.into()).to_array()).collect();
    TetMesh::new(&points, &found.tets).unwrap()
}

/// Every face against every tetrahedron but those left out.
fn brute(a: &TetMesh, b: &TetMesh, skip: impl Fn(u32, u32) -> bool) -> Value {
    let mut pairs = Vec::new();
    for (face, own) in a.surface_faces().iter().enumerate() {
        for (tet, corners) in b.tets().iter().enumerate() {
            let triangle = own.corners.map(|point| a.points()[point as usize]);
            let corners = corners.map(|point| b.points()[point as usize]);
            if !skip(own.tet, tet as u32) && triangle_tet_batch(&[triangle], &[corners]).unwrap()[0] {
                pairs.push([face, tet]);
            }
        }
    }
    json!(pairs)
}

fn answer(arguments: &[&str], expected: i32) -> Value {
    let output = clearance(&[&["tets", "--json", "--verify"], arguments].concat());
    assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&answer["schema"], &answer["verified"]), (&json!("clearance-tets/1"), &json!(true)));
    answer
}

fn two(name: &str) -> (Folder, PathBuf, PathBuf) {
    let folder = Folder::new(name);
    let a = folder.file("a.msh", row(8, |p| p));
    let b = folder.file("b.msh", row(5, |p| DVec3::new(p.y, p.x, p.z)));
    (folder, a, b)
}

#[test]
fn two_meshes_have_the_pairs_of_brute_force() {
    let (_folder, a, b) = two("tets");
    for (pose, expected) in [("3.2 -2.1 0.3", 1), ("8 0 0", 1), ("20 0 0", 0), ("3 -1 0.2 0 0 0.6 0.8", 1)] {
        let numbers: Vec<f64> = pose.split(' ').map(|word| word.parse().unwrap()).collect();
        let turn = match numbers[3..] {
            [x, y, z, w] => clearance::glam::DQuat::from_xyzw(x, y, z, w),
            _ => clearance::glam::DQuat::IDENTITY,
        };
        let placed = Pose::from_quat(turn, DVec3::new(numbers[0], numbers[1], numbers[2])).unwrap();
        let (mesh_a, mesh_b) = (load(&a, &Pose::IDENTITY), load(&b, &placed));
        for algorithm in ["bucket-tree", "spatial-hash", "wide-tree"] {
            let found = answer(&[path(&a), path(&b), "--pose", pose, "--algorithm", algorithm], 1);
            assert_eq!(found["faces_of_a"], brute(&mesh_a, &mesh_b, |_, _| false), "{pose}");
            assert_eq!(found["faces_of_b"], brute(&mesh_b, &mesh_a, |_, _| false), "{pose}");
            assert_eq!(found["faces_of_a"].as_array().unwrap().is_empty(), expected == 0);
            // Mirrored: every tetrahedron of B is inverted, which is a finding of its own.
            assert_eq!((&found["meshes"][0]["inverted"], &found["meshes"][0]["tets"]), (&json!([]), &json!(24)));
            assert_eq!(found["meshes"][1]["inverted"].as_array().unwrap().len(), 15);
            let faces = found["meshes"][0]["faces"].as_array().unwrap();
            assert!(faces.iter().all(|face| face["points"].as_array().unwrap().len() == 3));
        }
    }
    assert_eq!(answer(&[path(&a), path(&a), "--pose", "30 0 0"], 0)["faces_of_b"], json!([]));
}

#[test]
fn one_mesh_against_itself() {
    let folder = Folder::new("tets-self");
    let around = |turn: f64| {
        move |p: DVec3| {
            let (angle, out) = (turn * p.x / 30.0, 6.0 + p.y);
            DVec3::new(out * angle.sin(), out * angle.cos(), p.z + 0.01 * p.x)
        }
    };
    let open = folder.file("open.msh", row(30, around(6.0)));
    let closed = folder.file("closed.msh", row(30, around(6.6)));
    assert_eq!(answer(&[path(&open)], 0)["faces_of_a"], json!([]));
    let found = answer(&[path(&closed)], 1);
    let mesh = load(&closed, &Pose::IDENTITY);
    let shared = |one: u32, other: u32| {
        mesh.tets()[one as usize].iter().any(|point| mesh.tets()[other as usize].contains(point))
    };
    assert_eq!(found["faces_of_a"], brute(&mesh, &mesh, shared));
    assert!(!found["faces_of_a"].as_array().unwrap().is_empty() && found["faces_of_b"].is_null());
    let all = answer(&[path(&closed), "--neighbours", "face"], 1);
    assert!(all["faces_of_a"].as_array().unwrap().len() > found["faces_of_a"].as_array().unwrap().len());
    let text = stdout(&clearance(&["tets", path(&closed)]));
    assert!(text.contains("90 tetrahedra") && text.contains("surface against its own volume: "), "{text}");
}

#[test]
fn depths_and_text() {
    let (_folder, a, b) = two("tets-depth");
    let arguments = [path(&a), path(&b), "--pose", "3.2 -2.1 0.3", "--depth"];
    let found = answer(&arguments, 1);
    for side in found["depths"].as_array().unwrap() {
        for depth in side.as_array().unwrap() {
            let number = |name: &str| depth[name].as_f64().unwrap();
            assert!(number("lower") <= number("depth") && number("depth") <= number("upper"));
        }
    }
    let text = stdout(&clearance(&[&["tets"][..], &arguments].concat()));
    assert!(text.contains("15 inverted: tetrahedra 0, 1, 2, 3, 4, ...") && text.contains("--json has all"), "{text}");
}

#[test]
fn a_flat_element_is_a_finding_and_notes_are_shown() {
    let folder = Folder::new("tets-flat");
    let vtk = "# vtk DataFile Version 3.0\nflat\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n\
        0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10 5\n";
    let file = folder.file("flat.vtk", vtk);
    let found = answer(&[path(&file)], 1);
    assert_eq!((&found["meshes"][0]["flat"], &found["faces_of_a"]), (&json!([0]), &json!([])));
    assert!(found["meshes"][0]["notes"][0].as_str().unwrap().contains("1 cells of type 5"));
}

#[test]
fn what_is_refused() {
    let (folder, a, _) = two("tets-refused");
    let bad = folder.file("bad.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 x 0\n");
    let twice = folder.file("twice.msh", row(1, |p| p).replace(" 1 2 3 4\n", " 2 2 3 4\n"));
    let surface = folder.file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (arguments, problem) in [
        (vec![path(&bad)], "bad.msh: line 8: `x` is not a number"),
        (vec![path(&twice)], "tetrahedron 0 has point 1 twice"),
        (vec![path(&surface)], "neither Gmsh"),
        (vec!["nowhere.msh"], "nowhere.msh"),
        (vec![path(&a), "--pose", "1 2"], "expected 3, 7 or 12 numbers"),
        (vec![path(&a), "--pose", "1 2 3"], "need two meshes"),
        (vec![path(&a), "--depth"], "need two meshes"),
    ] {
        let output = clearance(&[&["tets"][..], &arguments].concat());
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
    let help = stdout(&clearance(&["tets", "--help"]));
    for part in ["Exit codes", "touching counts", "--pose", "inverted"] {
        assert!(help.contains(part), "{help}");
    }
}
