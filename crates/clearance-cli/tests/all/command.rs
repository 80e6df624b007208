//! The command as people run it: files in, exit codes and reports out.

use crate::common;

use std::path::Path;

use clearance_check::{How, Kind, Report, SearchOutcome, Verdict};

use common::{Folder, Place, boxes, clearance, code, cube, link, report, stderr, stdout};

/// Every way in which boxes lie to `base`, which is from 0 to 10 in each axis.
fn every_kind() -> String {
    boxes(&[
        ("base", [0.0; 3], [10.0; 3]),
        ("crossing", [9.0, 2.0, 2.0], [12.0, 4.0, 4.0]),
        ("inside", [4.0; 3], [5.0; 3]),
        ("aligned", [-2.0, 0.0, 0.0], [1.5, 10.0, 10.0]),
        ("on-a-face", [2.0, 2.0, 10.0], [4.0, 4.0, 11.0]),
        ("at-an-edge", [10.0, -3.0, 5.0], [13.0, 0.0, 6.0]),
        ("near", [6.0, 6.0, 10.25], [8.0, 8.0, 11.0]),
        ("almost-on", [6.0, 2.0, -1.0], [8.0, 4.0, -1e-9]),
        ("pressed", [2.0, 6.0, -1.0], [4.0, 8.0, 1e-9]),
        ("far", [30.0; 3], [31.0; 3]),
        ("far-again", [30.0; 3], [31.0; 3]),
    ])
}

#[test]
fn every_kind_of_finding() {
    let folder = Folder::new("kinds");
    let file = folder.file("all.obj", every_kind());
    let report = report(&file, &["--clearance", "0.5", "--unit", "mm"]);
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.kind, f.how, f.a.as_str(), f.b.as_str(), f.gap.value, f.triangle_pairs > 0))
        .collect();
    assert_eq!(
        found,
        [
            (Kind::Hard, How::BInsideA, "base", "inside", -5.0, false),
            (Kind::Hard, How::Overlapping, "base", "aligned", -1.5, true),
            (Kind::Hard, How::Crossing, "base", "crossing", -1.0, true),
            (Kind::Duplicate, How::Same, "far", "far-again", -1.0, true),
            (Kind::Clearance, How::Apart, "base", "near", 0.25, false),
            (Kind::Touching, How::Grazing, "base", "pressed", -1e-9, true),
            (Kind::Touching, How::Coplanar, "base", "on-a-face", 0.0, true),
            (Kind::Touching, How::Points, "base", "at-an-edge", 0.0, true),
            (Kind::Touching, How::Apart, "base", "almost-on", 1e-9, false),
        ]
        .into_iter()
        .zip(&found)
        // The values are what they should be but for rounding, and for the gap that a way out leaves.
        .map(|(expected, found)| {
            assert!((expected.4 - found.4).abs() < 1e-11, "{expected:?} {found:?}");
            (expected.0, expected.1, expected.2, expected.3, found.4, expected.5)
        })
        .collect::<Vec<_>>()
    );
    for finding in &report.findings {
        assert!(finding.gap.lower <= finding.gap.value && finding.gap.value <= finding.gap.upper, "{finding:?}");
        let pairs: usize = finding.clusters.iter().map(|cluster| cluster.triangle_pairs).sum();
        assert_eq!(pairs, finding.triangle_pairs);
    }
    // Depths of the three that overlap for sure, how much they have in common, and the way out.
    for (finding, (depth, volume)) in report.findings.iter().zip([(5.0, 1.0), (1.5, 150.0), (1.0, 4.0)]) {
        let (found, common) = (finding.way_out.as_ref().unwrap(), finding.volume.unwrap());
        assert!(0.94 * depth < found.lower && found.lower <= depth && depth <= found.upper, "{finding:?}");
        assert_eq!((-found.upper, -found.lower), (finding.gap.lower, finding.gap.upper));
        assert!(common.lower <= volume && volume <= common.upper && common.upper - common.lower < 1e-9, "{finding:?}");
        let length = found.translation.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - found.upper).abs() < 1e-12 && found.search == SearchOutcome::Complete, "{finding:?}");
    }
    assert!(report.findings[3..].iter().all(|finding| finding.way_out.is_none() && finding.volume.is_none()));
    let counts = &report.counts;
    assert_eq!((counts.parts, counts.pairs), (11, 55));
    assert_eq!(counts.culled + counts.tested + counts.unmeasured, 55);
    assert_eq!(report.unit.as_deref(), Some("mm"));
}

#[test]
fn contact_loops_and_places() {
    let folder = Folder::new("loops");
    // A comb of two teeth in a plate.
    let mut text = boxes(&[("plate", [0.0; 3], [10.0, 10.0, 1.0])]);
    text += &boxes(&[("a", [1.0, 1.0, 0.5], [2.0, 2.0, 3.0]), ("b", [7.0, 7.0, 0.5], [8.0, 8.0, 3.0])])
        .replace("o a", "o comb")
        .replace("o b\n", "")
        // The second file of boxes counts its points on.
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(face) => {
                let face = face.split(' ').map(|corner| (corner.parse::<usize>().unwrap() + 8).to_string());
                format!("f {}\n", face.collect::<Vec<_>>().join(" "))
            }
            None => format!("{line}\n"),
        })
        .collect::<String>();
    let file = folder.file("comb.obj", text);
    let report = report(&file, &[]);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!((finding.kind, finding.how, finding.clusters.len()), (Kind::Hard, How::Crossing, 2));
    for cluster in &finding.clusters {
        assert!(cluster.loops.iter().all(|line| line.closed && line.points.iter().all(|point| point[2] == 1.0)));
        assert_eq!((cluster.min[2], cluster.max[0] - cluster.min[0]), (1.0, 1.0));
    }
    assert!((finding.gap.value + 0.5).abs() < 1e-11, "{:?}", finding.gap);
}

#[test]
fn a_piece_inside_while_another_touches() {
    let folder = Folder::new("pieces");
    let (base, on_top, inside) =
        (("base", [0.0; 3], [10.0; 3]), ("pieces", [2.0, 2.0, 10.0], [4.0, 4.0, 11.0]), ("", [4.0; 3], [5.0; 3]));
    let file = folder.file("pieces.obj", boxes(&[base, on_top, inside]).replace("o \n", ""));
    let report = report(&file, &[]);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!((finding.kind, finding.how), (Kind::Hard, How::Overlapping));
    assert!(finding.gap.upper < -3.9, "{:?}", finding.gap);
}

/// A cube without one of its octants, and a body inside of it that touches the corner in the middle with a corner of
/// its own, a little wider than the octant opposite: seen from there, all triangles that meet are in front of each
/// other.
#[test]
fn inside_and_in_contact_at_a_corner_in_the_middle() {
    let (l, o, h) = (-10, 0, 10);
    // The faces at the far ends are hexagons: by two coordinates, in order around the third.
    let hexagon = [[l, l], [h, l], [h, o], [o, o], [o, h], [l, h]];
    let mut faces: Vec<Vec<[i32; 3]>> = Vec::new();
    for axis in 0..3 {
        let at = |depth: i32, [p, q]: [i32; 2]| {
            let mut point = [0; 3];
            (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (depth, p, q);
            point
        };
        faces.push(hexagon.iter().map(|&corner| at(h, corner)).collect());
        faces.push([[l, l], [l, h], [h, h], [h, l]].iter().map(|&corner| at(l, corner)).collect());
        faces.push([[o, o], [h, o], [h, h], [o, h]].iter().map(|&corner| at(o, corner)).collect());
    }
    let mut points: Vec<[i32; 3]> = faces.concat();
    points.sort_unstable();
    points.dedup();
    let mut text = String::from("o notched\n");
    points.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    for face in &faces {
        let corners = face.iter().map(|corner| (points.binary_search(corner).unwrap() + 1).to_string());
        text += &format!("f {}\n", corners.collect::<Vec<_>>().join(" "));
    }
    // A cube about the origin's far side, its edges spread by a tenth.
    text += "o inside\n";
    for k in 0..8u8 {
        let spread = [1, 2, 4].map(|bit| if k & bit == 0 { 4.0 } else { 0.0 });
        let sum: f64 = spread.iter().sum();
        let [x, y, z] = spread.map(|along| 0.1 * (sum - along) - along);
        text += &format!("v {x} {y} {z}\n");
    }
    for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        let face = face.map(|corner| (points.len() + corner + 1).to_string());
        text += &format!("f {}\n", face.join(" "));
    }
    let folder = Folder::new("notch");
    let file = folder.file("notch.obj", text);
    let report = report(&file, &["--solid", "yes"]);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!(finding.kind, Kind::Hard, "{finding:?}");
    assert!(finding.gap.upper < -1.0, "{finding:?}");
}

#[test]
fn ids_are_stable_and_rules_decide() {
    let folder = Folder::new("rules");
    let file = folder.file("all.obj", every_kind());
    let first = report(&file, &["--unit", "mm"]);
    let ids = |report: &Report| report.findings.iter().map(|f| (f.b.clone(), f.id.clone())).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&report(&file, &["--unit", "mm", "--threads", "1"])));

    let ignored = report(&file, &["--unit", "mm", "--ignore", "inside", "--ignore", "far*:far*"]);
    assert_eq!(ignored.findings.len(), first.findings.len() - 2);
    assert!(ignored.counts.skipped.iter().any(|skipped| skipped.why == "ignored: --ignore" && skipped.pairs >= 2));
    let only = report(&file, &["--unit", "mm", "--pairs", "cross*:base"]);
    assert_eq!(
        ids(&only),
        [("crossing".to_owned(), first.findings.iter().find(|f| f.b == "crossing").unwrap().id.clone())]
    );
    let allowed = report(&file, &["--unit", "mm", "--allow", "touching,hard"]);
    assert!(allowed.findings.iter().all(|finding| finding.kind == Kind::Duplicate));
    assert_eq!(allowed.counts.allowed as usize, first.findings.len() - 1);

    // Rules beside the file are used without being named, in their own unit, and --no-rules leaves them out.
    folder.file(
        "clearance.toml",
        "version = 1\nunit = \"cm\"\nclearance = 0.05\n[[rule]]\nname = \"fine\"\n\
         parts = [\"base\"]\nallow = [\"hard\", \"touching\"]\n",
    );
    let ruled = report(&file, &["--unit", "mm"]);
    let found: Vec<_> = ruled.findings.iter().map(|f| (f.kind, f.b.as_str(), f.rule.as_str(), f.clearance)).collect();
    assert_eq!(found, [(Kind::Duplicate, "far-again", "default", 0.5), (Kind::Clearance, "near", "fine", 0.5)]);
    assert!(ruled.rules.unwrap().path.ends_with("clearance.toml"));
    assert_eq!(ids(&report(&file, &["--unit", "mm", "--no-rules"])), ids(&first));
    // The command line goes before what the file has for all pairs.
    assert_eq!(report(&file, &["--unit", "mm", "--clearance", "0.125"]).findings.len(), 1);
}

#[test]
fn units_of_several_files() {
    let folder = Folder::new("units");
    let one = folder.file("one.obj", boxes(&[("part", [0.0; 3], [10.0; 3])]));
    let two = folder.file("two.obj", boxes(&[("part", [0.0, 0.0, 10.25], [10.0, 10.0, 12.0])]));
    let (one, two) = (one.to_str().unwrap(), two.to_str().unwrap());
    let output = clearance(&["check", one, two, "--clearance", "0.5", "--json"]);
    let report: Report = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((report.findings[0].a.as_str(), report.findings[0].b.as_str()), ("part", "two/part"));
    assert_eq!((report.unit, report.findings[0].gap.value), (None, 0.25));
    // A file in metres, and one that says nothing.
    let glb = folder.0.join("one.glb");
    let assembly = clearance_files::read(one).unwrap();
    clearance_files::write(&assembly, &glb).unwrap();
    let glb = glb.to_str().unwrap();
    let output = clearance(&["check", glb, two]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--unit"), "{}", stderr(&output));
    // In millimetres the second is a thousand times smaller than the first, and inside it.
    let output = clearance(&["check", glb, two, "--unit", "mm", "--json"]);
    let report: Report = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((report.findings[0].how, report.unit.as_deref()), (How::Overlapping, Some("mm")));
    assert!(report.inputs[1].notes.iter().any(|note| note.contains("scaled from mm to m")));
}

#[test]
fn errors_name_the_file_and_the_place() {
    let folder = Folder::new("errors");
    let missing = clearance(&["check", "no-such-file.stl"]);
    assert_eq!((code(&missing), stdout(&missing).as_str()), (2, ""));
    assert!(stderr(&missing).contains("no-such-file.stl"));

    let whole = folder.file("whole.obj", boxes(&[("a", [0.0; 3], [1.0; 3])]));
    let glb = folder.0.join("whole.glb");
    clearance_files::write(&clearance_files::read(&whole).unwrap(), &glb).unwrap();
    let bytes = std::fs::read(&glb).unwrap();
    let cut = folder.file("cut.glb", &bytes[..bytes.len() - 20]);
    let output = clearance(&["check", cut.to_str().unwrap()]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("cut.glb: byte "), "{}", stderr(&output));

    let open = folder.file("open.obj", "o sheet\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let output = clearance(&["check", open.to_str().unwrap(), "--solid", "yes"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("`sheet`"), "{}", stderr(&output));

    // A part that is too large to be measured fails the run, and is named.
    let huge = folder.file("huge.obj", "o fine\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no huge\nv 1e99 0 0\nf 1 2 4\n");
    let report = report(&huge, &[]);
    assert_eq!(
        (report.verdict, report.unmeasured[0].part.as_str(), report.counts.unmeasured),
        (Verdict::Failed, "huge", 1)
    );

    let rules = folder.file("rules.toml", "version = 1\nclearence = 1\n");
    let output = clearance(&["check", whole.to_str().unwrap(), "--rules", rules.to_str().unwrap()]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("clearence") && stderr(&output).contains("rules.toml"), "{}", stderr(&output));
    for wrong in
        [&["check"][..], &["check", "a.stl", "--clearance", "-1"], &["nonsense"], &["check", "a", "--pairs", ":"]]
    {
        assert_eq!(code(&clearance(wrong)), 2);
    }
}

#[test]
fn forms_of_a_report() {
    let folder = Folder::new("forms");
    let file = folder.file("all.obj", every_kind().replace("o near", "o near,\"<&>\""));
    let path = file.to_str().unwrap();
    let written = |form: &[&str]| {
        let output = clearance(&[&["check", path, "--clearance", "0.5", "--exit-zero"], form].concat());
        assert_eq!(code(&output), 0);
        stdout(&output)
    };
    let text = written(&[]);
    assert!(
        text.contains("HARD       base  x  inside") && text.contains("9 findings: 3 hard, 1 duplicate, 1 clearance"),
        "{text}"
    );
    assert!(text.contains("too close: 0.25, required 0.5") && !text.contains('\x1b'));
    let table = written(&["--md"]);
    assert_eq!(table.lines().filter(|line| line.starts_with("| **")).count(), 9);
    let values = written(&["--csv"]);
    assert_eq!(values.lines().count(), 10);
    assert!(values.contains(",\"near,\"\"<&>\"\"\",0.25,"), "{values}");
    let xml = written(&["--junit"]);
    assert!(xml.contains("failures=\"9\"") && xml.contains("near,&quot;&lt;&amp;&gt;&quot;"), "{xml}");
    let clean = folder.file("clean.obj", boxes(&[("a", [0.0; 3], [1.0; 3]), ("b", [2.0; 3], [3.0; 3])]));
    let output = clearance(&["check", clean.to_str().unwrap(), "--junit"]);
    assert!(
        code(&output) == 0 && stdout(&output).contains("failures=\"0\"") && stdout(&output).contains("no findings")
    );
}

#[test]
fn a_page_is_written_or_refused() {
    let folder = Folder::new("page");
    let file = folder.file("all.obj", every_kind().replace("o near", "o </script><b>"));
    let page = folder.0.join("all.html");
    let arguments = ["check", file.to_str().unwrap(), "--clearance", "0.5", "--html", page.to_str().unwrap()];
    let output = clearance(&arguments);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("9 findings"));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("\\u003c/script\\u003e\\u003cb\\u003e"));
    assert!(!text.contains("</script><b>") && !text.contains("@@"), "slots are filled, names are harmless");
    clearance(&arguments);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text, "the same again");
    let nowhere = folder.0.join("no/such/folder.html");
    let output = clearance(&["check", file.to_str().unwrap(), "--html", nowhere.to_str().unwrap()]);
    assert!(code(&output) == 2 && stderr(&output).contains("folder.html"), "{}", stderr(&output));
}

#[test]
fn diff_and_suggest() {
    let folder = Folder::new("diff");
    let (old, new) = (
        folder.file("old.obj", every_kind()),
        folder.file("new.obj", {
            // The near part is pushed in, the duplicate is gone, and there is a new part in contact.
            let kinds = every_kind().replace("o far-again\n", "o elsewhere\n");
            kinds.replace("10.25", "9.5") + "o new\nv 30 30 31\nv 31 30 31\nv 30 31 31\nf -3 -2 -1\n"
        }),
    );
    let json = |file: &Path, name: &str| {
        let output = clearance(&["check", file.to_str().unwrap(), "--clearance", "0.5", "--json"]);
        folder.file(name, output.stdout)
    };
    let (old, new) = (json(&old, "old.json"), json(&new, "new.json"));
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    let output = clearance(&["diff", old, new]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for (title, part) in [("new", "new"), ("worse", "near"), ("persistent", "inside"), ("resolved", "far-again")] {
        assert!(text.lines().any(|line| line.starts_with(title) && line.contains(part)), "{title}: {text}");
    }
    assert_eq!(code(&clearance(&["diff", old, old])), 0);
    assert_eq!(code(&clearance(&["diff", new, old, "--exit-zero"])), 0);
    assert_eq!(code(&clearance(&["diff", old, "no-such.json"])), 2);
    let whole = folder.0.join("old.obj");
    let output = clearance(&["diff", old, whole.to_str().unwrap()]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("old.obj: not a `clearance check --json` report"),
        "{}",
        stderr(&output)
    );

    // With the rules that are suggested only what a person has to decide is left; with all of them, nothing.
    for (all, left) in [(false, 4), (true, 0)] {
        let rules = clearance(&["suggest", old, "--all"][..if all { 3 } else { 2 }]);
        let rules = folder.file("rules.toml", rules.stdout);
        let ruled = report(&whole, &["--rules", rules.to_str().unwrap()]);
        assert_eq!(ruled.findings.len(), left, "{:?}", ruled.findings);
    }
}

#[test]
fn info_distance_and_completions() {
    let folder = Folder::new("info");
    let file = folder.file("all.obj", every_kind() + "o sheet\nv 50 0 0\nv 51 0 0\nv 50 1 0\nf -3 -2 -1\n");
    let path = file.to_str().unwrap();
    let output = clearance(&["info", path, "--unit", "mm"]);
    let text = stdout(&output);
    assert!(
        text.contains("volume 1000 mm^3, solid") && text.contains("3 boundary edges (of one triangle only)"),
        "{text}"
    );
    let info: serde_json::Value = serde_json::from_str(&stdout(&clearance(&["info", path, "--json"]))).unwrap();
    assert_eq!(info["geometries"].as_array().unwrap().len(), 12);
    assert_eq!(info["unit"], serde_json::Value::Null);

    let ask = |more: &[&str]| {
        let output =
            clearance(&[&["distance", path, path, "--json", "--part-a", "base", "--part-b", "*near"], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_str::<serde_json::Value>(&stdout(&output)).unwrap()
    };
    let answer = ask(&[]);
    assert_eq!((answer["value"].as_f64(), answer["verified"].as_bool()), (Some(0.25), Some(true)));
    assert_eq!(ask(&["--pose", "0 0 1"])["value"].as_f64(), Some(1.25));
    assert_eq!(ask(&["--pose", "0,0,1,0,0,0,1"])["value"].as_f64(), Some(1.25));
    assert_eq!(ask(&["--pose", "1 0 0 0 0 1 0 0 0 0 1 -2"])["value"].as_f64(), Some(0.0));
    for wrong in ["1 2", "0 0 0 1 1 1 1", "2 0 0 0 0 1 0 0 0 0 1 0", "x y z"] {
        assert_eq!(code(&clearance(&["distance", path, path, "--pose", wrong])), 2);
    }
    let none = clearance(&["distance", path, path, "--part-a", "nothing"]);
    assert!(code(&none) == 2 && stderr(&none).contains("base"));

    for shell in ["bash", "zsh", "fish"] {
        let output = clearance(&["completions", shell]);
        assert!(code(&output) == 0 && stdout(&output).contains("clearance"));
    }
    let manual = folder.0.join("man");
    assert_eq!(code(&clearance(&["man", manual.to_str().unwrap()])), 0);
    let page = std::fs::read_to_string(manual.join("clearance-check.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("allowed\\-depth"), "{page}");
    assert!(manual.join("clearance-robot-sweep.1").is_file() && manual.join("clearance.1").is_file());
    for command in ["check", "merge", "render", "info", "distance", "diff", "suggest", "self", "sweep"] {
        let help = stdout(&clearance(&[command, "--help"]));
        assert!(help.contains("Example"), "{command}: {help}");
    }
}

/// What people do: ask how to separate two parts, move the second by that, and check again. Convex parts and links of a
/// chain, near the origin and far from it, in millimetres and metres.
#[test]
fn the_way_out_leads_out() {
    // The second cube is turned by the sides 3, 4, 5; the second link stands upright in the hole of the first, and in
    // its bar.
    leads_out("cube", cube, &|[x, y, z]| [0.6 * x - 0.8 * y + 0.7, 0.8 * x + 0.6 * y + 0.3, z + 0.2]);
    leads_out("link", link, &|[x, y, z]| [z + 0.3, x + 0.4, y + 0.2]);
}

fn leads_out(name: &str, make: fn(Place<'_>) -> String, second: Place<'_>) {
    for (place, offset, scale, unit) in
        [("here", 0.0, 1.0, "mm"), ("far", 1e6, 1.0, "mm"), ("metres", 0.0, 1e-3, "m"), ("far metres", 1e3, 1e-3, "m")]
    {
        let folder = Folder::new(&format!("way-out-{name}-{place}"));
        let case = format!("{name}, {place}");
        let there = |point: [f64; 3]| point.map(|x| scale * x + offset);
        let (a, b) = (make(&there), make(&|point| there(second(point))));
        let (a, b) = (folder.file("a.obj", a), folder.file("b.obj", b));
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let check = |b: &Path, touch: &[&str]| {
            let output = clearance(&[&["check", &path(&a), &path(b), "--unit", unit, "--json"], touch].concat());
            serde_json::from_str::<Report>(&stdout(&output)).unwrap()
        };
        let has_hard = |report: &Report| report.findings.iter().any(|finding| finding.kind == Kind::Hard);
        assert!(has_hard(&check(&b, &[])), "{case}");

        let written = folder.0.join("written.obj");
        let single = folder.0.join("written.stl");
        let ask = |more: &[&str]| {
            let output = clearance(&[&["depth", &path(&a), &path(&b), "--unit", unit, "--json"], more].concat());
            assert_eq!(code(&output), 0, "{case}: {}", stderr(&output));
            serde_json::from_str::<serde_json::Value>(&stdout(&output)).unwrap()
        };
        let answer = ask(&["--write", &path(&written)]);
        assert_eq!(answer["verified"].as_bool(), Some(true), "{case}");
        assert_eq!((answer["left"].as_array().unwrap().len(), answer["overlapping"].as_u64()), (0, Some(1)));
        let number = |key: &str| answer[key].as_f64().unwrap();
        assert!(0.95 * number("upper") <= number("lower") && number("upper") < 2.0 * scale, "{case}: {answer}");
        let by: Vec<f64> = answer["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();

        // The translation added to every point, which rounds; OBJ holds all digits of the sum.
        let moved = |point: [f64; 3]| [0, 1, 2].map(|axis| there(second(point))[axis] + by[axis]);
        let moved = folder.file("moved.obj", make(&moved));
        let report = check(&moved, &[]);
        assert!(!has_hard(&report), "{case}: {:?}", report.findings);
        // The gap that is left is wider than what is lost where numbers are not much larger than the parts.
        if offset == 0.0 {
            let report = check(&moved, &["--touch", "0"]);
            assert_eq!(report.findings, [], "{case}");
        }
        // What the command writes is clear whatever the format loses: far from the origin, and in single precision.
        let report = check(&written, &["--touch", "0"]);
        assert!(!has_hard(&report), "{case}: {:?}", report.findings);
        if offset < 1e6 {
            ask(&["--write", &path(&single)]);
            let report = check(&single, &["--touch", "0"]);
            assert!(!has_hard(&report), "{case}: {:?}", report.findings);
        }
        // From STL, whose corners are joined, to STL.
        if place == "here" {
            let stl = [&a, &b].map(|file| {
                let single = file.with_extension("stl");
                clearance_files::write(&clearance_files::read(file).unwrap(), &single).unwrap();
                path(&single)
            });
            let output = clearance(&["depth", &stl[0], &stl[1], "--write", &path(&single)]);
            assert_eq!(code(&output), 0, "{case}: {}", stderr(&output));
            assert_eq!(code(&clearance(&["check", &stl[0], &stl[1], "--no-depth"])), 1);
            let output = clearance(&["check", &stl[0], &path(&single)]);
            assert!(!stdout(&output).contains("hard"), "{case}: {}", stdout(&output));
        }
    }
}

/// The schema in the documentation is that of the types.
#[test]
fn the_schema_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.schema.json");
    if std::env::var_os("CLEARANCE_WRITE_SCHEMA").is_some() {
        std::fs::write(&path, Report::schema()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == Report::schema(), "run the tests with CLEARANCE_WRITE_SCHEMA=1 to write docs/check.schema.json");
}

/// The example of the README: what is wrong with the gearbox, and that its twin is mended.
#[test]
fn the_gearbox() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let report = report(&examples.join("gearbox.glb"), &[]);
    let found: Vec<_> = report.findings.iter().map(|f| (f.kind, f.how, f.a.as_str(), f.b.as_str())).collect();
    assert_eq!(
        found,
        [
            (Kind::Hard, How::BInsideA, "gearbox/housing/lower", "gearbox/dowels/dowel-2"),
            (Kind::Hard, How::Crossing, "gearbox/shaft-1/gear-a", "gearbox/shaft-2/gear-b"),
            (Kind::Duplicate, How::Same, "gearbox/shaft-2/bearing-right", "gearbox/shaft-2/bearing-right#2"),
            (Kind::Clearance, How::Apart, "gearbox/shaft-1/collar", "gearbox/housing/cover-1-right"),
            (Kind::Touching, How::Coplanar, "gearbox/housing/inspection-cover", "gearbox/sensors/oil-level"),
        ]
    );
    assert_eq!(report.unit.as_deref(), Some("mm"));
    let gap = &report.findings[3].gap;
    assert!(0.2 < gap.lower && gap.upper < 0.2 + 2e-6 && report.findings[3].clearance == 0.5);
    assert!(report.counts.parts > 700 && report.counts.geometries < 40 && report.counts.allowed > 300);
    assert!(report.findings.iter().all(|finding| finding.gap.lower <= finding.gap.upper));
    // A dowel in the wall of the housing, and teeth in teeth: the ways out are known to a twentieth.
    for (finding, about) in report.findings.iter().zip([8.0, 2.06]) {
        let depth = finding.way_out.as_ref().unwrap();
        assert!((depth.upper - about).abs() < 0.01 && 0.95 * depth.upper <= depth.lower, "{depth:?}");
        assert!(finding.volume.is_some_and(|volume| 660.0 < volume.lower && volume.upper < 690.0));
        // The middle of what they have in common is in the world, as the places are where they meet or are deepest.
        let centroid = finding.volume.and_then(|volume| volume.centroid).unwrap();
        let deepest = finding.local_depth.as_ref().unwrap().point.unwrap();
        let apart: f64 = centroid.iter().zip(deepest).map(|(p, q)| (p - q) * (p - q)).sum();
        assert!(apart.sqrt() < 60.0, "{centroid:?} {deepest:?}");
    }

    let folder = Folder::new("gearbox");
    let picture = folder.0.join("picture.svg");
    let twin = clearance(&[
        "check",
        examples.join("gearbox-repaired.glb").to_str().unwrap(),
        "--picture",
        picture.to_str().unwrap(),
    ]);
    assert_eq!(code(&twin), 0, "{}", stdout(&twin));
    assert!(stdout(&twin).contains("no findings; "));
    assert!(std::fs::read_to_string(picture).unwrap().starts_with("<svg "));
}

#[test]
fn the_ten_worst_groups_are_shown() {
    let folder = Folder::new("many-groups");
    // A row of boxes, each a little deeper in the one before it.
    let names: Vec<String> = (0..14).map(|k| format!("part-{}", char::from(b'a' + k))).collect();
    let mut low = 0.0;
    let list = names.iter().enumerate().map(|(k, name)| {
        low += 1.0 - 0.01 * k as f64;
        (name.as_str(), [low, 0.0, 0.0], [low + 1.0, 1.0, 1.0])
    });
    let file = folder.file("row.obj", boxes(&list.collect::<Vec<_>>()));
    let text = stdout(&clearance(&["check", file.to_str().unwrap(), "--no-depth"]));
    assert_eq!(text.matches("HARD").count(), 10, "{text}");
    let first = text.lines().find(|line| line.starts_with("HARD")).unwrap();
    assert!(first.contains("part-m") && first.contains("part-n"), "{text}");
    assert!(text.contains("and 3 more groups with 3 findings: "), "{text}");
}
