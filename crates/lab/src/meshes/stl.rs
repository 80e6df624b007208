//! Stereolithography, binary and ASCII. A file has corners, not vertices: corners with the same coordinates become one
//! vertex, in the order in which they first stand in the file, and nothing else is joined. The normals are passed over.
//!
//! Binary files may begin with `solid` as ASCII files do, so a file is binary when its length is what its count of
//! triangles makes it.

use super::{Parsed, coordinate, finite};
use std::collections::BTreeMap;

/// Bytes before the count of triangles in a binary file.
const HEADER: usize = 80;
/// Bytes of a triangle in a binary file: normal, three corners, two bytes of attributes.
const RECORD: usize = 50;

/// Vertices and triangles of the file.
pub fn parse(bytes: &[u8]) -> Parsed {
    let count = bytes.get(HEADER..HEADER + 4).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    let records = bytes.get(HEADER + 4..).unwrap_or(&[]);
    match count {
        Some(count) if (count as u64) * RECORD as u64 == records.len() as u64 => binary(records),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => ascii(bytes),
        Some(count) => {
            let wanted = HEADER as u64 + 4 + u64::from(count) * RECORD as u64;
            Err(format!("byte {HEADER}: {count} triangles need {wanted} bytes, the file has {}", bytes.len()))
        }
        None => Err(format!("byte {}: the file ends before its count of triangles", bytes.len())),
    }
}

/// Joins corners with the same coordinates.
#[derive(Default)]
struct Welder {
    vertices: BTreeMap<[u64; 3], u32>,
    points: Vec<[f64; 3]>,
}

impl Welder {
    /// The vertex at these coordinates.
    fn vertex(&mut self, point: [f64; 3]) -> u32 {
        // Adding zero makes -0 into 0, which is the same coordinate.
        let key = point.map(|part| (part + 0.0).to_bits());
        *self.vertices.entry(key).or_insert_with(|| {
            self.points.push(point);
            self.points.len() as u32 - 1
        })
    }
}

fn binary(records: &[u8]) -> Parsed {
    let (mut welder, mut triangles) = (Welder::default(), Vec::with_capacity(records.len() / RECORD));
    for (index, record) in records.chunks_exact(RECORD).enumerate() {
        let mut numbers = record[12..48].chunks_exact(4).map(|bytes| {
            let number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            finite(f64::from(number)).map_err(|problem| format!("byte {}: {problem}", HEADER + 4 + index * RECORD))
        });
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            let mut point = [0.0; 3];
            for (part, number) in point.iter_mut().zip(&mut numbers) {
                *part = number?;
            }
            *corner = welder.vertex(point);
        }
        triangles.push(triangle);
    }
    Ok((welder.points, triangles))
}

fn ascii(bytes: &[u8]) -> Parsed {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let (mut welder, mut triangles) = (Welder::default(), Vec::new());
    let (mut corners, mut in_facet, mut last) = (Vec::with_capacity(3), false, 0);
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        let at = |problem: String| format!("line {last}: {problem}");
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None | Some("solid" | "endsolid" | "outer" | "endloop") => {}
            Some("facet") if in_facet => return Err(at("a facet inside a facet".into())),
            Some("facet") => in_facet = true,
            Some("vertex") if !in_facet => return Err(at("a vertex outside of a facet".into())),
            Some("vertex") => {
                let mut point = [0.0; 3];
                for part in &mut point {
                    *part = coordinate(words.next()).map_err(at)?;
                }
                corners.push(welder.vertex(point));
            }
            Some("endfacet") => match corners[..] {
                [a, b, c] if in_facet => {
                    triangles.push([a, b, c]);
                    corners.clear();
                    in_facet = false;
                }
                _ => return Err(at(format!("a facet with {} corners", corners.len()))),
            },
            Some(word) => return Err(at(format!("`{word}` begins no statement"))),
        }
    }
    if in_facet {
        return Err(format!("line {last}: the file ends inside a facet"));
    }
    Ok((welder.points, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn equal_corners_become_one_vertex() {
        let (points, triangles) = parse(&bytes_of(&TWO)).unwrap();
        assert_eq!(points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!(triangles, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(parse(text_of(&TWO).as_bytes()), Ok((points, triangles)));
    }

    #[test]
    fn broken_files() {
        let mut short = bytes_of(&TWO);
        short[0] = b'x';
        short.pop();
        assert!(parse(&short).unwrap_err().starts_with("byte 80: 2 triangles need 184 bytes, the file has 183"));
        assert!(parse(&short[..30]).unwrap_err().starts_with("byte 30: the file ends before"));
        let mut infinite = TWO;
        infinite[1][2][0] = f32::INFINITY;
        assert!(parse(&bytes_of(&infinite)).unwrap_err().starts_with("byte 134: the coordinate inf"));
        let text = text_of(&TWO);
        for (from, to, problem) in [
            ("vertex 1e0 0e0 0e0\n", "vertex 1e0 0e0\n", "line 5: a coordinate is missing"),
            ("      vertex 1e0 0e0 0e0\n", "", "line 7: a facet with 2 corners"),
            ("  endfacet\nendsolid two\n", "", "line 14: the file ends inside a facet"),
            ("  endfacet\n  facet", "  facet", "line 8: a facet inside a facet"),
            ("  facet normal 0 0 1\n", "", "line 3: a vertex outside of a facet"),
            ("outer", "inner", "line 3: `inner` begins no statement"),
        ] {
            let error = parse(text.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.starts_with(problem), "{from:?}: {error}");
        }
    }
}
