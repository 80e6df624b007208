//! 3MF: objects, components, items, units, and files that are wrong.

use crate::common;

use clearance::glam::DVec3;
use clearance_files::{Assembly, Error, Format, Limits, Unit, read_bytes};
use common::{TETRAHEDRON, archive, model, read, two_by_two};

fn world(assembly: &Assembly, part: usize, point: usize) -> DVec3 {
    let part = &assembly.parts[part];
    part.pose.transform_point(assembly.geometries[part.geometry].points[point].into())
}

fn error_of(resources: &str, build: &str) -> String {
    let text = model(resources, build);
    read(&archive(&[("3D/3dmodel.model", &text)]), Format::ThreeMf).unwrap_err().to_string()
}

#[test]
fn components_and_items_become_parts() {
    let assembly = read(&two_by_two(), Format::ThreeMf).unwrap();
    let names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["pair/bolt <M3>", "pair/bolt <M3>#2", "pair/bolt <M3>#3", "pair/bolt <M3>#4"]);
    assert_eq!(assembly.unit, Some(Unit::Inch));
    // The first item's two share the geometry as it is, the second item's the mirrored one.
    assert_eq!(assembly.parts.iter().map(|part| part.geometry).collect::<Vec<_>>(), [0, 0, 1, 1]);
    assert_eq!(assembly.geometries[1].triangles[0], [0, 1, 2]);
    // Row vectors: x goes to y.
    assert_eq!(world(&assembly, 1, 1), DVec3::new(5.0, 7.0, 7.0));
    assert_eq!(world(&assembly, 1, 2), DVec3::new(3.0, 6.0, 7.0));
    assert_eq!(world(&assembly, 2, 1), DVec3::new(99.0, 0.0, 0.0));
    assert_eq!(world(&assembly, 3, 1), DVec3::new(95.0, 7.0, 7.0));
    let notes: Vec<String> = assembly.notes.iter().map(|note| note.to_string()).collect();
    assert!(notes.iter().any(|note| note.contains("dropped: 1 meshes that no item of the build shows")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("ignored: 1 elements `metadata`")), "{notes:?}");
}

#[test]
fn items_with_part_numbers_are_called_by_them() {
    let resources = format!(
        "<object id=\"1\" name=\"bolt\">{TETRAHEDRON}</object>\
         <object id=\"2\" name=\"pair\"><components><component objectid=\"1\"/></components></object>"
    );
    let build = "<item objectid=\"1\" partnumber=\"M3\"/><item objectid=\"2\" partnumber=\"left\"/>\
        <item objectid=\"2\" partnumber=\"\"/>";
    let assembly = read(&archive(&[("3D/3dmodel.model", &model(&resources, build))]), Format::ThreeMf).unwrap();
    let names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["M3", "left/bolt", "pair/bolt"]);
    assert_eq!(assembly.geometries[0].name, "bolt");
    let notes: Vec<String> = assembly.notes.iter().map(|note| note.to_string()).collect();
    assert!(notes.iter().any(|note| note.contains("ignored: 1 names of objects")), "{notes:?}");
}

#[test]
fn models_in_other_entries() {
    let root = model(
        "<object id=\"1\"><components><component p:path=\"/3D/Objects/a.model\" objectid=\"1\"/></components></object>",
        "<item objectid=\"1\"/><item p:path=\"/3d/objects/A.model\" objectid=\"1\"/>",
    );
    let other = model(&format!("<object id=\"1\" name=\"far\">{TETRAHEDRON}</object>"), "");
    let files = [("3D/3dmodel.model", root.as_str()), ("3D/Objects/a.model", other.as_str())];
    let assembly = read(&archive(&files), Format::ThreeMf).unwrap();
    let names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["object 1/far", "far"]);
    let metres = other.replace("inch", "meter");
    let files = [("3D/3dmodel.model", root.as_str()), ("3D/Objects/a.model", metres.as_str())];
    assert!(matches!(read(&archive(&files), Format::ThreeMf), Err(Error::Unsupported { .. })));
    let error = read(&archive(&files[..1]), Format::ThreeMf).unwrap_err().to_string();
    assert!(error.contains("3D/Objects/a.model, byte 0: the archive has no such entry"), "{error}");
}

#[test]
fn wrong_models_are_refused_with_their_place() {
    let mesh = |from: &str, to: &str| format!("<object id=\"1\">{}</object>", TETRAHEDRON.replacen(from, to, 1));
    let item = "<item objectid=\"1\"/>";
    let text = model(&mesh("v3=\"1\"", "v3=\"4\""), item);
    let byte = text.find("<triangle v1=\"0\" v2=\"2\"").unwrap();
    assert_eq!(
        error_of(&mesh("v3=\"1\"", "v3=\"4\""), item),
        format!("file: 3D/3dmodel.model, byte {byte}: vertex 4, but there are 4, counted from 0")
    );
    for (resources, build, problem) in [
        (mesh("x=\"1\"", "x=\"NaN\""), item, "the coordinate NaN is not finite"),
        (mesh("x=\"1\"", "x=\"one\""), item, "`one` is not a number"),
        (mesh("x=\"1\"", ""), item, "one of `x`, `y`, `z` is missing"),
        (mesh("v3=\"1\"", "v3=\"-1\""), item, "`-1` is not an index"),
        (mesh("</vertices>", ""), item, "not XML"),
        (mesh("<vertices>", "<!DOCTYPE x><vertices>"), item, "a document type"),
        (mesh("<vertices>", "<mesh><vertices>"), item, "a mesh outside of an object, or a second one"),
        (mesh("", ""), "<item objectid=\"2\"/>", "there is no object 2"),
        (mesh("", ""), "<item/>", "`objectid` is missing"),
        (mesh("", ""), "<item objectid=\"1\" transform=\"1 0 0\"/>", "`transform`: a coordinate is missing"),
        (mesh("", ""), "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 inf\"/>", "is not finite"),
        (mesh("", "").repeat(2), item, "a second object 1"),
        (mesh("", ""), "", "no triangles, but: ignored 1 elements `metadata`; dropped 1 meshes that no item"),
        (
            "<object id=\"1\"><components><component objectid=\"1\"/></components></object>".into(),
            item,
            "object 1 is a component of itself",
        ),
    ] {
        let error = error_of(&resources, build);
        assert!(error.contains(problem), "{problem}: {error}");
    }
    let unit = model(&mesh("", ""), item).replace("inch", "mile");
    let error = read(&archive(&[("3D/3dmodel.model", &unit)]), Format::ThreeMf).unwrap_err().to_string();
    assert!(error.contains("`mile` is not a unit"), "{error}");
    let secret =
        model(&mesh("", ""), item).replace("unit=", "requiredextensions=\"q\" xmlns:q=\"http://x/secure\" unit=");
    assert!(matches!(
        read(&archive(&[("3D/3dmodel.model", &secret)]), Format::ThreeMf),
        Err(Error::Unsupported { .. })
    ));
    let plain = model(&mesh("", ""), item).replace("unit=\"inch\"", "");
    let assembly = read(&archive(&[("3D/3dmodel.model", &plain)]), Format::ThreeMf).unwrap();
    assert_eq!(assembly.unit, Some(Unit::Millimetre), "what the format says");
}

#[test]
fn bombs_of_all_kinds_end_in_an_error() {
    // Two to the fortieth parts, and as many steps to nothing at all.
    for bottom in [TETRAHEDRON, "<components/>"] {
        let mut resources = format!("<object id=\"1\">{bottom}</object>");
        for id in 2..=41 {
            let half = format!("<component objectid=\"{}\"/>", id - 1);
            resources += &format!("<object id=\"{id}\"><components>{half}{half}</components></object>");
        }
        let text = model(&resources, "<item objectid=\"41\"/>");
        let limits = Limits { parts: 20_000, ..Limits::default() };
        let bytes = archive(&[("3D/3dmodel.model", &text)]);
        let error = read_bytes(&bytes, "x", Format::ThreeMf, &limits).unwrap_err();
        assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::parts")), "{error}");
    }
    // A few kilobytes that unpack to eight megabytes.
    let text = model(&" ".repeat(8 << 20), "");
    let bytes = archive(&[("3D/3dmodel.model", &text)]);
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    let error = read(&bytes, Format::ThreeMf).unwrap_err();
    assert!(matches!(&error, Error::Limit { problem, .. } if problem.contains("Limits::ratio")), "{error}");
    let patient = Limits { ratio: 2000, ..Limits::default() };
    assert!(matches!(read_bytes(&bytes, "x", Format::ThreeMf, &patient), Err(Error::NoTriangles { .. })));
    // Elements a hundred thousand deep.
    let deep = model(&"<a>".repeat(100_000), "");
    let patient = Limits { ratio: 2000, ..Limits::default() };
    let bytes = archive(&[("3D/3dmodel.model", &deep)]);
    assert!(matches!(read_bytes(&bytes, "x", Format::ThreeMf, &patient), Err(Error::Malformed { .. })));
}

#[test]
fn archives_that_are_no_3mf() {
    let error = read(b"PK\x03\x04 and no more", Format::ThreeMf).unwrap_err().to_string();
    assert!(error.contains("byte 16: not a whole archive"), "{error}");
    let other = archive(&[("word/document.xml", "<document/>")]);
    let error = read(&other, Format::ThreeMf).unwrap_err().to_string();
    assert!(error.contains("3D/3dmodel.model, byte 0: the archive has no such entry"), "{error}");
}
