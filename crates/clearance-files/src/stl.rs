//! Stereolithography, binary and ASCII. A file has corners, not vertices: every triangle comes with three points of its
//! own, and [`weld`](crate::weld()) at tolerance 0 makes them the vertices of a surface. Each `solid` of an ASCII file
//! is a part.
//!
//! Binary files may begin with `solid` as ASCII files do, so a file is binary when its length is what its count of
//! triangles makes it.

use crate::assembly::Geometry;
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{decode, finite, point, shortened, without_mark};

/// Bytes before the count of triangles in a binary file.
const HEADER: usize = 80;
/// Bytes of a triangle in a binary file: normal, three corners, two bytes of attributes.
const RECORD: usize = 50;

/// What is said of normals: the corners say which way a triangle faces.
const NORMALS: &str = "normals of triangles";

/// Whether the length of a binary file is what its count of triangles makes it.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|count| whole(count) == bytes.len() as u64)
}

/// Whether the file begins as an ASCII one does.
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    let start = without_mark(bytes).trim_ascii_start();
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && start.get(5).is_none_or(u8::is_ascii_whitespace)
}

fn count(bytes: &[u8]) -> Option<u32> {
    bytes.get(HEADER..HEADER + 4).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes)
}

/// Bytes of a file of so many triangles.
fn whole(count: u32) -> u64 {
    (HEADER as u64 + 4) + u64::from(count) * RECORD as u64
}

/// Adds the parts of the file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    match count(bytes) {
        _ if is_binary(bytes) => binary(&bytes[HEADER + 4..], builder),
        _ if is_ascii(bytes) => ascii(bytes, builder),
        Some(count) if whole(count) > bytes.len() as u64 => {
            let (wanted, length) = (whole(count), bytes.len());
            Err(Fault::byte(HEADER, format!("{count} triangles need {wanted} bytes, the file has {length}")))
        }
        Some(count) => {
            let end = whole(count) as usize;
            let what = "bytes after the last triangle";
            builder.notes.add(NoteKind::Ignored, what, Place::Byte(end as u64), (bytes.len() - end) as u64);
            binary(&bytes[HEADER + 4..end], builder)
        }
        None => Err(Fault::byte(bytes.len(), "the file ends before its count of triangles")),
    }
}

/// Adds a part of triangles that have three points each; `flat` of them have two corners at the same point.
fn add(name: String, points: Vec<[f64; 3]>, flat: u64, place: Place, builder: &mut Builder) -> Result<(), Fault> {
    if u32::try_from(points.len()).is_err() {
        return Err(Fault::unsupported(place, "more than 1431655765 triangles in one solid"));
    }
    let triangles = (0..points.len() as u32 / 3).map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]);
    let geometry = Geometry { name: name.clone(), triangles: triangles.collect(), points };
    let geometry = builder.counted_geometry(geometry, flat, 0, place.clone())?;
    builder.part(name, geometry, place)
}

/// Whether two of the corners are the same point.
fn is_flat([a, b, c]: &[[f64; 3]; 3]) -> bool {
    a == b || b == c || c == a
}

fn binary(records: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    let records = records.as_chunks::<RECORD>().0;
    let (mut normals, mut attributes, mut flat, mut all_finite) = (0, 0, 0, true);
    let mut corners: Vec<[[f64; 3]; 3]> = Vec::with_capacity(records.len());
    corners.extend(records.iter().map(|record| {
        let mut triangle = [[0.0; 3]; 3];
        let raw = record[12..48].as_chunks::<4>().0;
        triangle.as_flattened_mut().iter_mut().zip(raw).for_each(|(part, &raw)| *part = f32::from_le_bytes(raw).into());
        // Nine values of single precision cannot overflow a double: the sum is finite if and only if all are.
        all_finite &= triangle.as_flattened().iter().sum::<f64>().is_finite();
        flat += u64::from(is_flat(&triangle));
        normals += u64::from(record[..12] != [0; 12]);
        attributes += u64::from(record[48..] != [0, 0]);
        triangle
    }));
    if !all_finite {
        let bad = |(index, triangle): (usize, &[[f64; 3]; 3])| {
            let part = triangle.as_flattened().iter().find(|part| !part.is_finite())?;
            Some((index, finite(*part).err().unwrap_or_default()))
        };
        let (index, problem) = corners.iter().enumerate().find_map(bad).unwrap_or_default();
        return Err(Fault::byte(HEADER + 4 + index * RECORD, format!("triangle {index}: {problem}")));
    }
    builder.notes.add(NoteKind::Ignored, NORMALS, Place::Byte(HEADER as u64 + 4), normals);
    let what = "attributes of triangles (colours)";
    builder.notes.add(NoteKind::Ignored, what, Place::Byte(HEADER as u64 + 4), attributes);
    add(builder.stem(), corners.into_flattened(), flat, Place::Byte(HEADER as u64), builder)
}

fn ascii(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    let text = decode(bytes, &mut builder.notes);
    let (mut points, mut corners, mut in_facet, mut last) = (Vec::new(), 0, false, 0);
    // The name of the solid and where it begins.
    let mut solid: Option<(String, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        let at = |problem: &str| Fault::line(last, problem);
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else { continue };
        match lower_case(keyword, &mut [0; 8]) {
            b"solid" if solid.is_some() => return Err(at("a `solid` inside a solid")),
            b"solid" => {
                let name = line.trim_ascii_start()[keyword.len()..].trim();
                solid = Some((if name.is_empty() { builder.stem() } else { name.to_owned() }, last));
            }
            b"endsolid" if in_facet => return Err(at("a solid ends inside a facet")),
            b"endsolid" => {
                let (name, start) = solid.take().ok_or_else(|| at("the end of a solid that has not begun"))?;
                let flat = points.as_chunks().0.iter().filter(|corners| is_flat(corners)).count() as u64;
                add(name, std::mem::take(&mut points), flat, Place::Line(start as u64), builder)?;
            }
            b"outer" | b"endloop" => {}
            b"facet" if solid.is_none() => return Err(at("a facet outside of a solid")),
            b"facet" if in_facet => return Err(at("a facet inside a facet")),
            b"facet" => {
                (in_facet, corners) = (true, 0);
                if words.next().is_some() {
                    builder.notes.add(NoteKind::Ignored, NORMALS, Place::Line(last as u64), 1);
                }
            }
            b"vertex" if !in_facet => return Err(at("a vertex outside of a facet")),
            b"vertex" => {
                points.push(point(&mut words, last)?);
                corners += 1;
            }
            b"endfacet" if in_facet && corners == 3 => in_facet = false,
            b"endfacet" => return Err(Fault::line(last, format!("a facet with {corners} corners"))),
            _ => return Err(Fault::line(last, format!("`{}` is not a statement", shortened(keyword)))),
        }
    }
    match solid {
        _ if in_facet => Err(Fault::line(last, "the file ends inside a facet")),
        Some((name, _)) => {
            Err(Fault::line(last, format!("the file ends before `endsolid {}`: is it cut short?", shortened(&name))))
        }
        None => Ok(()),
    }
}

/// A word in lower case; nothing for one that is too long for a keyword.
fn lower_case<'a>(word: &str, room: &'a mut [u8; 8]) -> &'a [u8] {
    let lower = room.get_mut(..word.len()).unwrap_or_default();
    lower.iter_mut().zip(word.bytes()).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Limits, read_bytes, weld};

    const TWO: [[[f32; 3]; 3]; 2] =
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-0.0, 1.0, 0.0]]];

    fn bytes_of(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(HEADER, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|part| part.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    fn text_of(triangles: &[[[f32; 3]; 3]]) -> String {
        let mut text = String::from("solid two\n");
        for triangle in triangles {
            text += "  facet normal 0 0 1\n    outer loop\n";
            for [x, y, z] in triangle {
                text += &format!("      vertex {x:e} {y:e} {z:e}\n");
            }
            text += "    endloop\n  endfacet\n";
        }
        text + "endsolid two\n"
    }

    fn read(bytes: &[u8]) -> Result<crate::Assembly, String> {
        read_bytes(bytes, "dir/two.stl", Format::Stl, &Limits::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn welded_corners_become_one_vertex() {
        let mut binary = read(&bytes_of(&TWO)).unwrap();
        assert_eq!((binary.parts.len(), binary.parts[0].name.as_str()), (1, "two"));
        let ascii = read(text_of(&TWO).as_bytes()).unwrap();
        assert_eq!(ascii.geometries, binary.geometries);
        assert_eq!(binary.geometries[0].points.len(), 6);
        let welded = weld(&mut binary.geometries[0], 0.0).unwrap();
        assert_eq!(welded.merged, 2);
        assert_eq!(binary.geometries[0].points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!(binary.geometries[0].triangles, [[0, 1, 2], [1, 3, 2]]);
    }

    #[test]
    fn each_solid_is_a_part() {
        let text =
            text_of(&TWO[..1]).replace(" two", " upper half") + &text_of(&TWO).to_uppercase().replace(" TWO", "");
        let assembly = read(text.as_bytes()).unwrap();
        let parts: Vec<_> = assembly.parts.iter().map(|part| (part.name.as_str(), part.geometry)).collect();
        assert_eq!(parts, [("upper half", 0), ("two", 1)]);
        assert_eq!(assembly.geometries[1].triangles.len(), 2);
        assert_eq!(assembly.unit, None);
    }

    #[test]
    fn what_follows_the_triangles_is_noted() {
        let mut long = bytes_of(&TWO);
        long[0] = b'x';
        long.extend([1; 9]);
        let assembly = read(&long).unwrap();
        assert_eq!(assembly.triangles(), 2);
        let note = assembly.notes[0].to_string();
        assert_eq!(note, "dir/two.stl: byte 184: ignored: 9 bytes after the last triangle");
    }

    #[test]
    fn a_byte_order_mark_makes_no_binary_file() {
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend(text_of(&TWO).into_bytes());
        assert_eq!(Format::detect(&marked, "two".as_ref()), Some(Format::Stl));
        assert_eq!(read(&marked).unwrap().geometries, read(text_of(&TWO).as_bytes()).unwrap().geometries);
    }

    #[test]
    fn broken_files() {
        let mut short = bytes_of(&TWO);
        short[0] = b'x';
        short.pop();
        assert!(read(&short).unwrap_err().contains("byte 80: 2 triangles need 184 bytes, the file has 183"));
        assert!(read(&short[..30]).unwrap_err().contains("byte 30: the file ends before"));
        let mut infinite = TWO;
        infinite[1][2][0] = f32::INFINITY;
        assert!(read(&bytes_of(&infinite)).unwrap_err().contains("byte 134: triangle 1: the coordinate inf"));
        let text = text_of(&TWO);
        for (from, to, problem) in [
            ("vertex 1e0 0e0 0e0\n", "vertex 1e0 0e0\n", "line 5: a coordinate is missing"),
            ("      vertex 1e0 0e0 0e0\n", "", "line 7: a facet with 2 corners"),
            ("  endfacet\nendsolid two\n", "", "line 14: the file ends inside a facet"),
            ("endsolid two\n", "", "line 15: the file ends before `endsolid two`"),
            ("  endfacet\nendsolid", "endsolid", "line 15: a solid ends inside a facet"),
            ("  endfacet\n  facet", "  facet", "line 8: a facet inside a facet"),
            ("  facet normal 0 0 1\n", "", "line 3: a vertex outside of a facet"),
            ("endsolid two\n", "endsolid two\nfacet\n", "line 17: a facet outside of a solid"),
            ("endsolid two\n", "solid two\n", "line 16: a `solid` inside a solid"),
            ("outer", "inner", "line 3: `inner` is not a statement"),
        ] {
            let error = read(text.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{from:?}: {error}");
        }
    }
}
