//! 3MF: the smallest package that the format allows, three entries without thumbnails and metadata.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Written, check, no_notes, unfit};
use crate::assembly::{Assembly, Geometry, Unit};
use crate::error::{Error, Place};
use crate::limits::Limits;
use crate::note::{NoteKind, Notes};

const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>\n";
const RELATIONS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
    <Relationship Target=\"/3D/3dmodel.model\" Id=\"rel0\" \
    Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>\n";

/// The most that the format counts to.
const MOST: usize = i32::MAX as usize;

/// The assembly as 3MF: each geometry an object, each part an item of the build with its name as part number, so
/// instances stay instances. Points and poses are written in as many digits as it takes to read them back to the last
/// bit. Where an assembly has no unit the file names none, which 3MF takes for millimetres; that is noted. The same
/// assembly gives the same bytes: the times in the archive are all the first of 1980.
///
/// # Errors
/// [`Error::Unsupported`] for an assembly whose indices are out of range, or too large for the format.
///
/// ```
/// use clearance_files::{Format, Limits, Unit, read_bytes, threemf_bytes};
///
/// let text = b"o left\nv 0 0 0.1\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nf 2 3 4\n";
/// let mut assembly = read_bytes(text, "a.obj", Format::Obj, &Limits::default()).unwrap();
/// assembly.unit = Some(Unit::Inch);
/// let written = threemf_bytes(&assembly).unwrap();
/// assert!(written.notes.is_empty());
/// let again = read_bytes(&written.bytes, "a.3mf", Format::ThreeMf, &Limits::default()).unwrap();
/// assert_eq!((again.geometries, again.parts), (assembly.geometries, assembly.parts));
/// assert_eq!(again.unit, Some(Unit::Inch));
/// ```
pub fn threemf_bytes(assembly: &Assembly) -> Result<Written, Error> {
    check(assembly)?;
    let most = assembly.geometries.iter().map(|geometry| geometry.points.len()).max().unwrap_or(0);
    if most.max(assembly.geometries.len()) > MOST {
        return Err(unfit("more than 2147483647 geometries, or points in one of them"));
    }
    let mut notes = no_notes();
    let text = model(assembly, &mut notes);
    // What packs so well that it looks like a bomb, which the readers here refuse, is stored as it is.
    let packed = package(&text, CompressionMethod::Deflated)?;
    let is_bomb = text.len() as u64 / Limits::default().ratio > packed.len() as u64;
    let bytes = if is_bomb { package(&text, CompressionMethod::Stored)? } else { packed };
    Ok(Written { bytes, notes: notes.into_vec() })
}

/// The archive around a model.
fn package(model: &str, method: CompressionMethod) -> Result<Vec<u8>, Error> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::default())
        .large_file(u32::try_from(model.len()).is_err());
    let whole = |error: &dyn std::fmt::Display| unfit(&format!("the archive cannot be made: {error}"));
    for (name, text) in
        [("[Content_Types].xml", CONTENT_TYPES), ("_rels/.rels", RELATIONS), ("3D/3dmodel.model", model)]
    {
        archive.start_file(name, options).map_err(|error| whole(&error))?;
        archive.write_all(text.as_bytes()).map_err(|error| whole(&error))?;
    }
    Ok(archive.finish().map_err(|error| whole(&error))?.into_inner())
}

/// The text of the model. Writing to a text cannot fail, so the results of `write!` are dropped.
fn model(assembly: &Assembly, notes: &mut Notes) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model");
    match assembly.unit {
        Some(unit) => {
            let _ = write!(text, " unit=\"{}\"", word(unit));
        }
        None => {
            let what = "3MF is in millimetres where it names no unit, and the assembly has none: written as it is";
            notes.add(NoteKind::Unit, what, Place::File, 1);
        }
    }
    text += " xml:lang=\"en-US\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">\n<resources>\n";
    let is_empty = |geometry: &Geometry| geometry.triangles.is_empty();
    let mut twice = 0;
    for (index, geometry) in assembly.geometries.iter().enumerate().filter(|(_, geometry)| !is_empty(geometry)) {
        let _ = write!(text, "<object id=\"{}\" type=\"model\"", index + 1);
        if !geometry.name.is_empty() {
            attribute("name", &geometry.name, &mut text, notes);
        }
        text += "><mesh><vertices>\n";
        for [x, y, z] in geometry.points.iter().map(|point| point.map(Shortest)) {
            let _ = writeln!(text, "<vertex x=\"{x}\" y=\"{y}\" z=\"{z}\"/>");
        }
        text += "</vertices><triangles>\n";
        for [a, b, c] in &geometry.triangles {
            twice += u64::from(a == b || b == c || c == a);
            let _ = writeln!(text, "<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
        }
        text += "</triangles></mesh></object>\n";
    }
    text += "</resources>\n<build>\n";
    let (mut empty, mut nameless) = (0, 0);
    for part in &assembly.parts {
        if is_empty(&assembly.geometries[part.geometry]) {
            empty += 1;
            continue;
        }
        let _ = write!(text, "<item objectid=\"{}\"", part.geometry + 1);
        if part.name.is_empty() {
            nameless += 1;
        } else {
            attribute("partnumber", &part.name, &mut text, notes);
        }
        let (linear, translation) = (part.pose.rotation(), part.pose.translation());
        let columns = [linear.x_axis, linear.y_axis, linear.z_axis, translation];
        let numbers = columns.map(|column| column.to_array().map(|number| Shortest(number).to_string()).join(" "));
        let _ = writeln!(text, " transform=\"{}\"/>", numbers.join(" "));
    }
    text += "</build>\n</model>\n";
    notes.add(NoteKind::Dropped, "parts without triangles", Place::File, empty);
    notes.add(NoteKind::Renamed, "parts without a name: called by their geometries", Place::File, nameless);
    let what = "triangles with the same corner twice, which 3MF does not allow; kept";
    notes.add(NoteKind::Degenerate, what, Place::File, twice);
    text
}

/// Adds an attribute, its value escaped; letters that XML cannot hold become blanks.
fn attribute(key: &str, value: &str, text: &mut String, notes: &mut Notes) {
    let _ = write!(text, " {key}=\"");
    let mut changed = false;
    for letter in value.chars() {
        match letter {
            '&' => *text += "&amp;",
            '<' => *text += "&lt;",
            '>' => *text += "&gt;",
            '"' => *text += "&quot;",
            // As themselves they are read as blanks.
            '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", u32::from(letter));
            }
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => {
                changed = true;
                text.push(' ');
            }
            _ => text.push(letter),
        }
    }
    text.push('"');
    notes.add(NoteKind::Renamed, "names with letters that XML cannot hold", Place::File, u64::from(changed));
}

/// What 3MF calls a unit.
fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Micrometre => "micron",
        Unit::Millimetre => "millimeter",
        Unit::Centimetre => "centimeter",
        Unit::Inch => "inch",
        Unit::Foot => "foot",
        Unit::Metre => "meter",
    }
}

/// A number in the fewest digits that are read back to the last bit.
struct Shortest(f64);

impl std::fmt::Display for Shortest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Shortest(number) = self;
        match number.abs() {
            size if size == 0.0 || (1e-5..1e16).contains(&size) => write!(f, "{number}"),
            _ => write!(f, "{number:e}"),
        }
    }
}
