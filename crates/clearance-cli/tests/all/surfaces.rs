//! Open sheets and inside-out parts: what is inside a solid is a clash, whatever of it touches the walls.

use std::path::Path;

use clearance_check::{How, Kind, SearchOutcome, Verdict};

use crate::common::{Folder, boxes, clearance, code, report, stderr, stdout};

/// A cube from 0 to 4 and a sheet of one face, of which the points are given.
fn cube_and_sheet(points: &[[f64; 3]]) -> String {
    let mut out = boxes(&[("cube", [0.0; 3], [4.0; 3])]) + "o sheet\n";
    points.iter().for_each(|[x, y, z]| out += &format!("v {x} {y} {z}\n"));
    let face: Vec<String> = (0..points.len()).map(|k| (9 + k).to_string()).collect();
    out + &format!("f {}\n", face.join(" "))
}

#[test]
fn a_sheet_across_a_cube_is_a_clash() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sheet-in-cube.obj");
    for more in [&[][..], &["--allow", "touching"], &["--no-depth"]] {
        let report = report(&file, more);
        assert_eq!((report.verdict, report.findings.len()), (Verdict::Findings, 1), "{more:?}: {report:?}");
        let found = &report.findings[0];
        assert_eq!((found.kind, found.how), (Kind::Hard, How::Overlapping), "{found:?}");
        // Half a unit up or down is the way out.
        assert!(found.gap.upper < 0.0 && found.gap.lower <= -0.5 && -0.5 <= found.gap.upper, "{:?}", found.gap);
        let depth = found.way_out.as_ref().unwrap();
        assert!(depth.lower > 0.0 && depth.lower <= 0.5 && 0.5 <= depth.upper, "{depth:?}");
        assert_eq!(depth.search, SearchOutcome::None);
    }
}

#[test]
fn sheets_inside_are_hard_and_sheets_on_walls_touch() {
    let folder = Folder::new("sheets");
    let cases: [(&str, &[[f64; 3]], Kind); 9] = [
        ("all edges on walls", &[[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [4.0, 4.0, 2.0], [0.0, 4.0, 2.0]], Kind::Hard),
        ("one edge", &[[0.0, 1.0, 2.0], [3.0, 1.0, 2.0], [3.0, 3.0, 2.0], [0.0, 3.0, 2.0]], Kind::Hard),
        ("one corner", &[[0.0, 2.0, 2.0], [3.0, 1.0, 2.0], [3.0, 3.0, 2.0]], Kind::Hard),
        ("corner to corner", &[[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 4.0]], Kind::Hard),
        ("strictly inside", &[[1.0, 1.0, 2.0], [3.0, 1.0, 2.0], [3.0, 3.0, 2.0]], Kind::Hard),
        ("through a wall", &[[1.0, 1.0, 2.0], [7.0, 1.0, 2.0], [7.0, 3.0, 2.0]], Kind::Hard),
        ("in a wall", &[[1.0, 1.0, 4.0], [3.0, 1.0, 4.0], [3.0, 3.0, 4.0]], Kind::Touching),
        ("outside, an edge on a wall", &[[4.0, 1.0, 1.0], [4.0, 3.0, 1.0], [6.0, 3.0, 2.0]], Kind::Touching),
        ("outside, a corner on a wall", &[[4.0, 2.0, 2.0], [6.0, 1.0, 2.0], [6.0, 3.0, 2.0]], Kind::Touching),
    ];
    for (number, (label, points, kind)) in cases.into_iter().enumerate() {
        let file = folder.file(&format!("{number}.obj"), cube_and_sheet(points));
        let all = report(&file, &[]);
        assert_eq!(all.findings.iter().map(|found| found.kind).collect::<Vec<_>>(), [kind], "{label}: {all:?}");
        let allowed = report(&file, &["--allow", "touching"]);
        let verdict = if kind == Kind::Hard { Verdict::Findings } else { Verdict::Clean };
        assert_eq!(allowed.verdict, verdict, "{label}");
        // As surfaces both, nothing is inside.
        if label == "all edges on walls" {
            let surfaces = report(&file, &["--solid", "no"]);
            assert_eq!(surfaces.findings[0].kind, Kind::Touching, "{surfaces:?}");
        }
    }
}

#[test]
fn a_part_that_is_inside_out_is_said_to_be() {
    let folder = Folder::new("inside-out");
    let flip = |text: String| {
        let flipped = text.lines().map(|line| match line.strip_prefix("f ") {
            Some(face) => format!("f {}", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
            None => line.to_owned(),
        });
        flipped.collect::<Vec<_>>().join("\n") + "\n"
    };
    let text = flip(boxes(&[("shell", [0.0; 3], [4.0; 3])])) + "o pebble\nv 1 1 1\nv 2 1 1\nv 1 2 1\nf 9 10 11\n";
    let file = folder.file("flipped.obj", text);
    // Repaired it is a solid: the pebble is inside.
    let repaired = report(&file, &[]);
    assert_eq!((repaired.findings[0].kind, repaired.findings[0].how), (Kind::Hard, How::BInsideA), "{repaired:?}");
    assert_eq!((repaired.repaired[0].counts.flipped, repaired.repaired[0].distance), (12, 0.0));
    let output = clearance(&["check", file.to_str().unwrap(), "--repair", "off"]);
    let said = stderr(&output);
    assert!(said.contains("`shell`") && said.contains("inside out") && said.contains("flip the winding"), "{said}");
    assert!(said.contains("1 of 2 geometries are not closed"), "{said}");
    let found = report(&file, &["--repair", "off"]);
    assert!(found.inputs[0].notes.iter().any(|note| note.contains("inside out")), "{found:?}");
    let info = stdout(&clearance(&["info", file.to_str().unwrap()]));
    assert!(info.contains("not a solid: the mesh is inside out"), "{info}");
    let refused = clearance(&["check", file.to_str().unwrap(), "--solid", "yes", "--repair", "off"]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("inside out"), "{}", stderr(&refused));

    // A shell wound inward in one wound outward is a cavity: nothing is wrong, and what is in it is free.
    let inner = flip(boxes(&[("", [1.0; 3], [3.0; 3])]));
    let inner = inner.lines().filter(|line| line.starts_with("v ")).collect::<Vec<_>>().join("\n");
    let faces = flip(boxes(&[("", [1.0; 3], [3.0; 3])]));
    let faces = faces.lines().filter_map(|line| line.strip_prefix("f ")).map(|face| {
        let numbers: Vec<String> = face.split(' ').map(|n| (n.parse::<usize>().unwrap() + 8).to_string()).collect();
        format!("f {}", numbers.join(" "))
    });
    let hollow =
        boxes(&[("hollow", [0.0; 3], [4.0; 3])]) + &inner + "\n" + &faces.collect::<Vec<_>>().join("\n") + "\n";
    let free = "o free\nv 1.5 1.5 2\nv 2.5 1.5 2\nv 1.5 2.5 2\nf -3 -2 -1\n";
    let file = folder.file("hollow.obj", hollow.clone() + free);
    let clean = report(&file, &["--solid", "auto"]);
    assert_eq!((clean.verdict, clean.inputs[0].solids), (Verdict::Clean, 1), "{clean:?}");
    // One that spans the cavity touches its walls, and one that reaches into the material does more.
    for (sheet, kind) in
        [("v 1 1 2\nv 3 1 2\nv 1 3 2\n", Kind::Touching), ("v 1 1 2\nv 3.5 1 2\nv 1 3 2\n", Kind::Hard)]
    {
        let file = folder.file("spanned.obj", format!("{hollow}o sheet\n{sheet}f -3 -2 -1\n"));
        let found = report(&file, &[]);
        assert_eq!(found.findings.iter().map(|found| found.kind).collect::<Vec<_>>(), [kind], "{found:?}");
    }
}
