//! Parts that are not closed: repaired within a tolerance, listed, and what that does to the numbers.

use std::f64::consts::TAU;

use clearance_check::{Finding, How, Kind, Repair, Report, SearchOutcome, Verdict};

use crate::common::{Folder, boxes, clearance, code, report, stderr, stdout};

const FACETS: usize = 32;

/// A ring about z, each facet with points of its own, and every other one moved up by the width of a crack.
fn cracked_ring(name: &str, [inner, outer]: [f64; 2], [low, high]: [f64; 2], turn: f64, crack: f64) -> String {
    let mut text = format!("o {name}\n");
    for k in 0..FACETS {
        let up = if k % 2 == 0 { 0.0 } else { crack };
        let corner = |radius: f64, step: usize, z: f64| {
            let angle = TAU * (((k + step) % FACETS) as f64 + turn) / FACETS as f64;
            format!("v {} {} {}\n", radius * angle.cos(), radius * angle.sin(), z + up)
        };
        for (radius, z) in [(inner, low), (outer, low), (inner, high), (outer, high)] {
            text += &corner(radius, 0, z);
            text += &corner(radius, 1, z);
        }
        // Inner low, outer low, inner high, outer high, each before and after; counted from the last.
        for [p, q, r, s] in [[-8, -7, -5, -6], [-4, -2, -1, -3], [-6, -5, -1, -2], [-8, -4, -3, -7]] {
            text += &format!("f {p} {q} {r}\nf {p} {r} {s}\n");
        }
    }
    text
}

/// The corners of the pin lie on the circle that the corners of the hole lie on: they stand so deep into its facets.
const SLIVER: f64 = 0.024_076_366_6;

fn pin_in_hole(crack: f64) -> String {
    cracked_ring("hole", [5.0, 10.0], [0.0, 50.0], 0.0, crack)
        + &cracked_ring("pin", [2.0, 5.0], [-10.0, 60.0], 0.5, crack)
}

fn numbers(finding: &Finding) -> [f64; 3] {
    finding.local_depth.as_ref().unwrap().numbers().unwrap()
}

#[test]
fn a_cracked_pin_in_a_cracked_hole() {
    let folder = Folder::new("cracked");
    let file = folder.file("fit.obj", pin_in_hole(1e-4));
    let auto = report(&file, &[]);
    assert_eq!((auto.tolerances.repair, auto.repaired.len(), auto.open.len()), (Repair::Auto, 2, 0), "{auto:?}");
    let moved: f64 = auto.repaired.iter().map(|geometry| geometry.distance).sum();
    for geometry in &auto.repaired {
        assert!(0.0 < geometry.distance && geometry.distance <= 2.0 * geometry.tolerance, "{geometry:?}");
        assert!(geometry.counts.split + geometry.counts.filled > 0 && geometry.parts.len() == 1, "{geometry:?}");
    }
    let [finding] = &auto.findings[..] else { panic!("{:?}", auto.findings) };
    assert_eq!((finding.kind, finding.how), (Kind::Hard, How::Crossing));
    let (depth, [value, lower, upper]) = (finding.local_depth.as_ref().unwrap(), numbers(finding));
    assert!(lower <= SLIVER && SLIVER <= upper && lower <= value && value <= upper, "{depth:?}");
    // The bracket allows for both repairs, and for what the search left open besides.
    assert!(depth.widened_by >= moved && depth.widened_by <= moved * (1.0 + 1e-12), "{depth:?}");
    assert!(upper - lower >= 2.0 * moved && upper - lower <= 2.0 * moved + 0.06 * upper, "{depth:?}");
    assert!(finding.way_out.as_ref().unwrap().of_repaired && finding.volume.as_ref().is_none_or(|it| it.of_repaired));

    // Clean parts are used as they are, and nothing is widened.
    let clean = report(&folder.file("clean.obj", pin_in_hole(0.0)), &[]);
    assert_eq!((clean.repaired.len(), clean.open.len(), clean.inputs[0].solids), (0, 0, 2), "{:?}", clean.open);
    let depth = clean.findings[0].local_depth.as_ref().unwrap();
    assert!(depth.widened_by == 0.0 && !clean.findings[0].way_out.as_ref().unwrap().of_repaired, "{depth:?}");

    // A fit is proved with what the repair adds.
    let fit = report(&file, &["--allowed-depth", "0.0255"]);
    assert_eq!((fit.verdict, fit.allowed.len()), (Verdict::Clean, 1), "{:?}", fit.findings);
    let tight = report(&file, &["--allowed-depth", "0.0242"]);
    assert_eq!((tight.verdict, tight.allowed.len()), (Verdict::Findings, 0), "{:?}", tight.allowed);
}

#[test]
fn repairs_are_asked_for_by_length() {
    let folder = Folder::new("repair-length");
    let file = folder.file("fit.obj", pin_in_hole(1e-4));
    let off = report(&file, &["--repair", "off"]);
    assert_eq!((off.tolerances.repair, off.repaired.len(), off.open.len()), (Repair::Off, 0, 2));
    assert!(off.open.iter().all(|geometry| geometry.left.is_none() && geometry.tolerance.is_none()), "{:?}", off.open);
    // Too little, with what is left to do; and enough, with a unit of its own.
    let little = report(&file, &["--repair", "1e-7"]);
    assert_eq!((little.repaired.len(), little.open.len()), (0, 2));
    let left = little.open[0].left.unwrap();
    assert!(left.holes > 0 && left.longest_rim > 1.0, "{left:?}");
    let enough = report(&file, &["--repair", "1um", "--unit", "mm"]);
    assert_eq!((enough.repaired.len(), enough.open.len()), (2, 0), "{:?}", enough.open);
    assert!((enough.repaired[0].tolerance - 1e-3).abs() < 1e-15, "{:?}", enough.repaired);
    assert_eq!(enough.tolerances.repair.to_string(), "1 um");
    // Where surfaces meet is decided by the triangles as given, whatever the repair.
    let places = |report: &Report| (report.findings[0].triangle_pairs, report.findings[0].points);
    assert!(places(&off) == places(&enough) && places(&off) == places(&little));

    for wrong in ["some", "-1", "1 ell"] {
        let refused = clearance(&["check", file.to_str().unwrap(), &format!("--repair={wrong}")]);
        assert!(code(&refused) == 2 && stderr(&refused).contains("--repair"), "{}", stderr(&refused));
    }
    let refused = clearance(&["check", file.to_str().unwrap(), "--repair", "1mm"]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("set theirs with --unit"), "{}", stderr(&refused));
    let info = stdout(&clearance(&["info", file.to_str().unwrap()]));
    assert!(info.contains("a solid if repaired within 0.057") && info.contains("moved by at most"), "{info}");
    let info = stdout(&clearance(&["info", file.to_str().unwrap(), "--repair", "1e-7"]));
    assert!(info.contains("not a solid if repaired within 1.00e-7 either"), "{info}");
}

#[test]
fn every_output_lists_what_was_repaired_and_what_is_open() {
    let folder = Folder::new("repair-outputs");
    let sheet = "o sheet\nv 0 0 20\nv 9 0 20\nv 0 9 20\nf -3 -2 -1\n";
    let file = folder.file("parts.obj", pin_in_hole(1e-4) + sheet);
    let path = file.to_str().unwrap();
    let text = stdout(&clearance(&["check", path]));
    assert!(text.contains("repaired within 0.001 of the part's size: 2 geometries, moved by at most"), "{text}");
    assert!(text.contains("still open: 1 geometry has no interior: sheet"), "{text}");
    let markdown = stdout(&clearance(&["check", path, "--md"]));
    assert!(
        markdown.contains("| repaired | moved by at most") && markdown.contains("| open | 1 hole; the longest"),
        "{markdown}"
    );
    let csv = stdout(&clearance(&["check", path, "--csv"]));
    let (header, rows) = csv.split_once("\r\n").unwrap();
    assert_eq!(rows.lines().filter(|row| row.starts_with(",repaired,")).count(), 2, "{csv}");
    assert_eq!(rows.lines().filter(|row| row.starts_with(",open,")).count(), 1, "{csv}");
    let open = rows.lines().find(|row| row.starts_with(",open,")).unwrap();
    let bare = open.split('"').step_by(2).collect::<String>();
    assert_eq!(bare.matches(',').count(), header.matches(',').count(), "{open}");
    let junit = stdout(&clearance(&["check", path, "--junit"]));
    assert!(junit.contains("<property name=\"repaired\" value=\"hole: moved by at most"), "{junit}");
    assert!(junit.contains("<property name=\"open\" value=\"sheet: 1 hole; the longest rim is"), "{junit}");
    let page = folder.0.join("page.html");
    clearance(&["check", path, "--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Repaired parts (2)") && page.contains("Open parts, without an interior (1)"));
}

#[test]
fn a_part_inside_a_repaired_one() {
    let folder = Folder::new("repair-inside");
    let block = cracked_ring("block", [2.0, 20.0], [0.0, 20.0], 0.0, 1e-4);
    // In the material, in the hole, and in the material with less clearance than the repair may have moved.
    for (low, high, kind) in [
        ([10.0, -2.0, 8.0], [14.0, 2.0, 12.0], Some(Kind::Hard)),
        ([-1.0, -1.0, 8.0], [1.0, 1.0, 12.0], None),
        ([10.0, -2.0, 2e-4], [14.0, 2.0, 12.0], Some(Kind::Hard)),
    ] {
        let file = folder.file("parts.obj", block.clone() + &boxes(&[("pebble", low, high)]));
        let text = std::fs::read_to_string(&file).unwrap();
        // The faces of the pebble count from the points before.
        let points = block.matches("v ").count();
        let moved = |line: &str| match line.strip_prefix("f ") {
            Some(face) if !face.starts_with('-') => {
                let corners = face.split(' ').map(|corner| (corner.parse::<usize>().unwrap() + points).to_string());
                format!("f {}\n", corners.collect::<Vec<_>>().join(" "))
            }
            _ => format!("{line}\n"),
        };
        std::fs::write(&file, text.lines().map(moved).collect::<String>()).unwrap();
        let found = report(&file, &[]);
        assert_eq!(
            found.findings.iter().map(|found| found.kind).collect::<Vec<_>>(),
            Vec::from_iter(kind),
            "{found:?}"
        );
        for finding in &found.findings {
            let [_, lower, upper] = numbers(finding);
            assert_eq!((finding.how, finding.triangle_pairs), (How::BInsideA, 0));
            assert!(lower > 5.0 && upper < 10.0, "{finding:?}");
        }
        let off = report(&file, &["--repair", "off"]);
        assert!(off.findings.iter().all(|finding| finding.kind != Kind::Hard), "{:?}", off.findings);
    }
}

/// Five faces of a cube: a shell that stays open.
fn open_box(name: &str, low: [f64; 3], high: [f64; 3]) -> String {
    let whole = boxes(&[(name, low, high)]);
    let faces = whole.lines().filter(|line| line.starts_with("f ")).take(5);
    let points = whole.lines().filter(|line| !line.starts_with("f "));
    let from_last = |line: &str| {
        let corners = line[2..].split(' ').map(|corner| (corner.parse::<i32>().unwrap() - 9).to_string());
        format!("f {}", corners.collect::<Vec<_>>().join(" "))
    };
    points.map(str::to_owned).chain(faces.map(from_last)).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn open_shells_have_an_estimate() {
    let folder = Folder::new("estimate");
    // The open sides are those of greatest x; the second box reaches 1 into the first.
    let parts = open_box("first", [0.0; 3], [8.0; 3]) + &open_box("second", [2.0, 2.0, 7.0], [6.0, 6.0, 12.0]);
    let file = folder.file("shells.obj", parts);
    let found = report(&file, &[]);
    assert_eq!((found.repaired.len(), found.open.len()), (0, 2));
    let depth = found.findings[0].local_depth.as_ref().unwrap();
    assert_eq!((depth.search, depth.lower, depth.upper), (SearchOutcome::Estimate, None, None), "{depth:?}");
    assert!((depth.value.unwrap() - 1.0).abs() < 1e-9, "{depth:?}");
    assert!(depth.why.as_ref().unwrap().contains("winding number"), "{depth:?}");
    let text = stdout(&clearance(&["check", file.to_str().unwrap()]));
    assert!(text.contains("about 1 deep (estimate)") && text.contains("depth is an estimate: neither part"), "{text}");
}

/// A solid of the cells of a grid, each face of a cell a face of its own.
fn cells(name: &str, grid: [&[f64]; 3], filled: &[[usize; 3]]) -> String {
    let mut text = format!("o {name}\n");
    for &cell in filled {
        for axis in 0..3 {
            for (side, step) in [(0, -1), (1, 1)] {
                let mut next = cell.map(|k| k as i64);
                next[axis] += step;
                if filled.iter().any(|other| other.map(|k| k as i64) == next) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |du: usize, dv: usize| {
                    let mut at = cell;
                    at[axis] += side;
                    (at[u], at[v]) = (at[u] + du, at[v] + dv);
                    let [x, y, z] = [0, 1, 2].map(|k| grid[k][at[k]]);
                    format!("v {x} {y} {z}\n")
                };
                let turn = if side == 1 { [(0, 0), (1, 0), (1, 1), (0, 1)] } else { [(0, 0), (0, 1), (1, 1), (1, 0)] };
                turn.iter().for_each(|&(du, dv)| text += &corner(du, dv));
                text += "f -4 -3 -2 -1\n";
            }
        }
    }
    text
}

#[test]
fn each_place_has_its_own_depth() {
    let folder = Folder::new("places");
    // A staple with legs that reach 0.5 and 0.25 into a plate.
    let staple = cells(
        "staple",
        [&[0.0, 1.0, 3.0, 4.0], &[0.0, 1.0], &[-0.5, -0.25, 1.0, 2.0]],
        &[[0, 0, 0], [0, 0, 1], [2, 0, 1], [0, 0, 2], [1, 0, 2], [2, 0, 2]],
    );
    let plate = cells("plate", [&[-5.0, 2.0, 9.0], &[-5.0, 9.0], &[-2.0, 0.0]], &[[0, 0, 0], [1, 0, 0]]);
    let found = report(&folder.file("staple.obj", staple + &plate), &[]);
    let [finding] = &found.findings[..] else { panic!("{:?}", found.findings) };
    let mut depths: Vec<[f64; 3]> =
        finding.clusters.iter().map(|place| place.local_depth.as_ref().unwrap().numbers().unwrap()).collect();
    depths.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let [[_, low, high], [_, lower, upper]] = depths[..] else { panic!("{:?}", finding.clusters) };
    assert!(low <= 0.25 && (0.25..0.27).contains(&high), "{depths:?}");
    assert!(lower <= 0.5 && (0.5..0.53).contains(&upper), "{depths:?}");
    // Each deepest point is where its place is.
    for place in &finding.clusters {
        let depth = place.local_depth.as_ref().unwrap();
        let x = depth.point.unwrap()[0];
        assert!(place.min[0] <= x && x <= place.max[0], "{place:?}");
    }

    // Where a bar enters a plate and where it leaves it is one dent; a single place needs no breakdown.
    let bar = boxes(&[("plate", [0.0; 3], [10.0, 10.0, 1.0]), ("bar", [4.0, 4.0, -5.0], [5.0, 5.0, 6.0])]);
    let found = report(&folder.file("bar.obj", bar), &[]);
    let depths = found.findings[0].clusters.iter().map(|place| place.local_depth.as_ref().unwrap().numbers());
    let depths: Vec<[f64; 3]> = depths.map(Option::unwrap).collect();
    assert!(depths.len() == 2 && depths.iter().all(|[_, low, high]| *low <= 0.5 && 0.5 <= *high), "{depths:?}");
    let block = boxes(&[("plate", [0.0; 3], [10.0, 10.0, 1.0]), ("block", [4.0, 4.0, 0.5], [5.0, 5.0, 6.0])]);
    let found = report(&folder.file("block.obj", block), &[]);
    assert!(found.findings[0].clusters.len() == 1 && found.findings[0].clusters[0].local_depth.is_none());
}

/// Reports that know nothing of repairs are read.
#[test]
fn reports_without_repairs() {
    let folder = Folder::new("repair-old");
    let file = folder.file("two.obj", boxes(&[("a", [0.0; 3], [2.0; 3]), ("b", [1.0; 3], [3.0; 3])]));
    let text = stdout(&clearance(&["check", file.to_str().unwrap(), "--json"]));
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for name in ["repaired", "open"] {
        assert!(value.as_object_mut().unwrap().remove(name).is_some());
    }
    assert!(value["tolerances"].as_object_mut().unwrap().remove("repair").is_some());
    assert!(value["findings"][0]["way_out"].as_object_mut().unwrap().remove("of_repaired").is_some());
    assert!(value["findings"][0]["local_depth"].as_object_mut().unwrap().remove("widened_by").is_some());
    let old = Report::parse("old.json", &value.to_string()).unwrap();
    assert_eq!((old.tolerances.repair, old.repaired.len()), (Repair::Off, 0));
    let old = folder.file("old.json", value.to_string());
    let new = folder.file("new.json", text);
    let compared = clearance(&["diff", old.to_str().unwrap(), new.to_str().unwrap()]);
    assert!(stdout(&compared).contains("1 persistent") || code(&compared) == 0, "{}", stdout(&compared));
}
