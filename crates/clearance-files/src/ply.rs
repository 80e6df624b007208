//! The Polygon File Format: ASCII and binary of either byte order. The header lists the elements; elements and
//! properties other than `x`, `y`, `z` of `vertex` and `vertex_indices` (or `vertex_index`) of `face` are passed over
//! and noted. Either element may come first.

use crate::assembly::Geometry;
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{finite, shortened, without_mark};
use crate::triangulate::Faces;

/// How numbers are written.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The type of a number.
#[derive(Clone, Copy)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(word: &str) -> Option<Scalar> {
        Some(match word {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}

/// What a property is for.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Coordinate(usize),
    Corners,
    Other,
}

/// A property of an element: a number, or with `count` a list of them.
struct Property {
    role: Role,
    count: Option<Scalar>,
    scalar: Scalar,
}

/// A kind of element and its properties.
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

/// Bytes of a triangle in most binary files: the number of its corners, and four bytes for each.
const TRIANGLE: usize = 13;

/// Triangles checked and then added at a time: few enough to stay in the L1 cache.
const BLOCK: usize = 1024;

/// Adds the part of the file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    let (elements, mut body) = header(bytes, builder)?;
    let (mut points, mut faces, mut polygon): (Vec<[f64; 3]>, Faces, Vec<u32>) = Default::default();
    let vertices = elements.iter().filter(|element| element.name == "vertex").map(|element| element.count).sum::<u64>();
    for Element { count, properties, .. } in &elements {
        let is_vertex = properties.iter().any(|property| matches!(property.role, Role::Coordinate(_)));
        if properties.is_empty() {
            continue;
        }
        // The usual layouts are converted in bulk. What remains, and every error, goes through the loop below.
        let done = match is_vertex {
            true => points_at_once(&mut body, *count, properties, &mut points),
            false => triangles_at_once(&mut body, *count, properties, vertices, &mut faces),
        };
        for _ in done..*count {
            let mut point = [0.0; 3];
            for property in properties {
                let length = match property.count {
                    None => 1,
                    Some(scalar) => {
                        let length = body.number(scalar).ok_or_else(|| body.no_number())?;
                        if length as u64 as f64 != length {
                            return Err(body.fault(format!("a list of {length} numbers")));
                        }
                        length as u64
                    }
                };
                polygon.clear();
                for _ in 0..length {
                    let number = body.number(property.scalar).ok_or_else(|| body.no_number())?;
                    match property.role {
                        Role::Coordinate(axis) => {
                            point[axis] = finite(number).map_err(|problem| {
                                body.fault(format!("{problem} (vertex {}, counted from 0)", points.len()))
                            })?;
                        }
                        Role::Corners if number as u32 as f64 == number && u64::from(number as u32) < vertices => {
                            polygon.push(number as u32);
                        }
                        Role::Corners => {
                            let problem = format!("vertex {number}, but there are {vertices}, counted from 0");
                            return Err(body.fault(problem));
                        }
                        Role::Other => {}
                    }
                }
                if property.role == Role::Corners {
                    if length < 3 {
                        return Err(body.fault(format!("a face with {length} corners")));
                    }
                    faces.push(&polygon, body.at());
                }
            }
            if is_vertex {
                points.push(point);
            }
        }
    }
    let rest = bytes.get(body.offset..).unwrap_or(&[]);
    if !rest.trim_ascii().is_empty() {
        let what = "bytes after the last element";
        builder.notes.add(NoteKind::Ignored, what, Place::Byte(body.offset as u64), rest.len() as u64);
    }
    let place = if body.encoding == Encoding::Ascii { Place::Line } else { Place::Byte };
    let triangles = faces.triangles(&points, place, &mut builder.budget, &mut builder.notes)?;
    let (name, place) = (builder.stem(), Place::Line(1));
    let geometry = builder.geometry(Geometry { name: name.clone(), points, triangles }, place.clone())?;
    builder.part(name, geometry, place)
}

/// Converts all vertices of a binary file in bulk, if they have no lists, their coordinates are all `float` or all
/// `double`, none is missing and all are finite. Returns how many were read: all or none.
fn points_at_once(body: &mut Body, count: u64, properties: &[Property], points: &mut Vec<[f64; 3]>) -> u64 {
    let (mut stride, mut starts, mut scalars) = (0, [0; 3], [Scalar::U8; 3]);
    for Property { role, count, scalar } in properties {
        match role {
            _ if count.is_some() => return 0,
            Role::Coordinate(axis) => (starts[*axis], scalars[*axis]) = (stride, *scalar),
            _ => {}
        }
        stride += scalar.bytes();
    }
    let rest = body.bytes.get(body.offset..).unwrap_or(&[]);
    let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(stride));
    let Some(rows) = length.and_then(|length| rest.get(..length)) else { return 0 };
    let all_finite = match (body.encoding, scalars) {
        (Encoding::Little, [Scalar::F32, Scalar::F32, Scalar::F32]) => {
            read_rows(rows, stride, starts, |raw| f32::from_le_bytes(raw).into(), points)
        }
        (Encoding::Little, [Scalar::F64, Scalar::F64, Scalar::F64]) => {
            read_rows(rows, stride, starts, f64::from_le_bytes, points)
        }
        (Encoding::Big, [Scalar::F32, Scalar::F32, Scalar::F32]) => {
            read_rows(rows, stride, starts, |raw| f32::from_be_bytes(raw).into(), points)
        }
        (Encoding::Big, [Scalar::F64, Scalar::F64, Scalar::F64]) => {
            read_rows(rows, stride, starts, f64::from_be_bytes, points)
        }
        _ => return 0,
    };
    if !all_finite {
        points.clear();
        return 0;
    }
    body.offset += rows.len();
    count
}

/// The points of rows of `stride` bytes, whose coordinates of `N` bytes begin at `starts`. True if all are finite.
fn read_rows<const N: usize>(
    rows: &[u8],
    stride: usize,
    starts: [usize; 3],
    number: impl Fn([u8; N]) -> f64,
    points: &mut Vec<[f64; 3]>,
) -> bool {
    let mut all_finite = true;
    let mut keep = |point: [f64; 3]| {
        all_finite &= point[0].is_finite() & point[1].is_finite() & point[2].is_finite();
        point
    };
    if stride == 3 * N && starts == [0, N, 2 * N] {
        let rows = rows.as_chunks::<N>().0.as_chunks::<3>().0;
        points.extend(rows.iter().map(|row| keep(row.map(&number))));
    } else {
        let part = |row: &[u8], start: usize| row.get(start..).and_then(<[u8]>::first_chunk).copied();
        let rows = rows.chunks_exact(stride);
        points.extend(rows.map(|row| keep(starts.map(|start| part(row, start).map_or(f64::NAN, &number)))));
    }
    all_finite
}

/// Converts triangles of a binary file in bulk, if a face is nothing but a list of four-byte indices. Stops before the
/// first face that is not a valid triangle. Returns how many were read.
fn triangles_at_once(body: &mut Body, count: u64, properties: &[Property], vertices: u64, faces: &mut Faces) -> u64 {
    let &[Property { role: Role::Corners, count: Some(Scalar::U8 | Scalar::I8), scalar }] = properties else {
        return 0;
    };
    let most = match scalar {
        Scalar::U32 => vertices,
        // Read as unsigned, negative indices exceed this bound.
        Scalar::I32 => vertices.min(1 << 31),
        _ => return 0,
    };
    let rest = body.bytes.get(body.offset..).unwrap_or(&[]);
    let records = rest.as_chunks::<TRIANGLE>().0;
    let records = &records[..records.len().min(usize::try_from(count).unwrap_or(usize::MAX))];
    let read = match body.encoding {
        Encoding::Ascii => 0,
        Encoding::Little => read_triangles(records, u32::from_le_bytes, most, faces),
        Encoding::Big => read_triangles(records, u32::from_be_bytes, most, faces),
    };
    body.offset += read * TRIANGLE;
    read as u64
}

/// Adds triangles up to the first record that is not a triangle with indices below `most`. Returns how many.
fn read_triangles(records: &[[u8; TRIANGLE]], number: impl Fn([u8; 4]) -> u32, most: u64, faces: &mut Faces) -> usize {
    let corners = |[_, record @ ..]: &[u8; TRIANGLE]| {
        let corner = |at: usize| number([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        [corner(0), corner(4), corner(8)]
    };
    let is_right = |record: &[u8; TRIANGLE]| {
        let [a, b, c] = corners(record);
        record[0] == 3 && u64::from(a.max(b).max(c)) < most
    };
    let mut read = 0;
    faces.reserve(records.len());
    for block in records.chunks(BLOCK) {
        let right = block.iter().take_while(|record| is_right(record)).count();
        faces.extend(block[..right].iter().map(corners));
        read += right;
        if right < block.len() {
            break;
        }
    }
    read
}

/// Reads the header; what follows it is the body.
fn header<'a>(bytes: &'a [u8], builder: &mut Builder) -> Result<(Vec<Element>, Body<'a>), Fault> {
    let (mut encoding, mut elements): (Option<Encoding>, Vec<Element>) = (None, Vec::new());
    let (mut offset, mut number) = (bytes.len() - without_mark(bytes).len(), 0);
    loop {
        number += 1;
        let at = |problem: String| Fault::line(number, problem);
        let rest = &bytes[offset..];
        let length = rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| at("the header has no end".into()))?;
        offset += length + 1;
        let line = String::from_utf8_lossy(&rest[..length]);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let scalar = |word: &str| Scalar::named(word).ok_or_else(|| at(format!("`{}` is not a type", shortened(word))));
        match words[..] {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return Err(at("the file does not begin with `ply`".into())),
            [] | ["comment" | "obj_info", ..] => {}
            ["format", name, _] => {
                encoding = Some(match name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => return Err(at(format!("`{}` is not a format", shortened(name)))),
                });
            }
            ["element", name, count] => {
                let count = count.parse::<u32>().map_err(|_| at(format!("`{}` is not a count", shortened(count))))?;
                elements.push(Element { name: name.into(), count: count.into(), properties: Vec::new() });
            }
            ["property", ref kind @ .., name] => {
                let element = elements.last_mut().ok_or_else(|| at("a property before any element".into()))?;
                let (count, scalar) = match kind {
                    ["list", count, kind] => (Some(scalar(count)?), scalar(kind)?),
                    [kind] => (None, scalar(kind)?),
                    _ => return Err(at("a property is `property TYPE NAME` or `property list TYPE TYPE NAME`".into())),
                };
                let role = match (element.name.as_str(), name, count.is_some()) {
                    ("vertex", "x", false) => Role::Coordinate(0),
                    ("vertex", "y", false) => Role::Coordinate(1),
                    ("vertex", "z", false) => Role::Coordinate(2),
                    ("face", "vertex_indices" | "vertex_index", true) => Role::Corners,
                    _ => Role::Other,
                };
                if role != Role::Other && element.properties.iter().any(|property| property.role == role) {
                    return Err(at(format!("a second property `{}`", shortened(name))));
                }
                element.properties.push(Property { role, count, scalar });
            }
            ["end_header"] => break,
            _ => return Err(at(format!("`{}` is not a header line", shortened(line.trim())))),
        }
    }
    let encoding = encoding.ok_or_else(|| Fault::line(number, "the header names no format"))?;
    for name in ["vertex", "face"] {
        let found: Vec<&Element> = elements.iter().filter(|element| element.name == name).collect();
        let wanted = if name == "vertex" { 3 } else { 1 };
        let uses =
            |element: &Element| element.properties.iter().filter(|property| property.role != Role::Other).count();
        if found.len() != 1 || uses(found[0]) != wanted {
            let properties = if name == "vertex" { "x, y and z" } else { "a list vertex_indices" };
            let problem = format!("the header needs one element `{name}` with {properties}");
            let strips = elements.iter().any(|element| element.name == "tristrips");
            return Err(match (name, strips) {
                ("face", true) => {
                    let problem = "strips of triangles (`tristrips`) are not supported; save the file with faces";
                    Fault::unsupported(Place::Line(number as u64), problem)
                }
                _ => Fault::line(number, problem),
            });
        }
    }
    for element in &elements {
        let used = ["vertex", "face"].contains(&element.name.as_str());
        let others = element.properties.iter().filter(|property| property.role == Role::Other).count() as u64;
        let (what, count) = if used {
            (format!("properties of `{}` other than its geometry", element.name), others)
        } else {
            (format!("elements `{}`", shortened(&element.name)), element.count)
        };
        // Edges are geometry that is left out; of other elements nothing is known.
        let kind = if element.name == "edge" { NoteKind::Dropped } else { NoteKind::Ignored };
        builder.notes.add(kind, &what, Place::Line(number as u64), count);
    }
    Ok((elements, Body { bytes, encoding, offset, line: number + 1 }))
}

/// The numbers after the header.
struct Body<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    offset: usize,
    /// Of an ASCII file, the line where `offset` is.
    line: usize,
}

impl Body<'_> {
    /// The line or the byte.
    fn at(&self) -> u64 {
        (if self.encoding == Encoding::Ascii { self.line } else { self.offset }) as u64
    }

    /// A problem with its place.
    fn fault(&self, problem: impl Into<String>) -> Fault {
        let place = if self.encoding == Encoding::Ascii { Place::Line } else { Place::Byte };
        Fault::new(place(self.at()), problem)
    }

    /// The next number; if `None`, `no_number` gives the reason.
    #[inline]
    fn number(&mut self, scalar: Scalar) -> Option<f64> {
        if self.encoding == Encoding::Ascii {
            return self.word();
        }
        // A double holds every number of these types exactly.
        Some(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.raw()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.raw()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.raw()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.raw()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.raw()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.raw()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.raw()?)),
            Scalar::F64 => f64::from_le_bytes(self.raw()?),
        })
    }

    /// The next bytes of a binary file, least first.
    #[inline]
    fn raw<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut raw: [u8; N] = *self.bytes.get(self.offset..)?.first_chunk()?;
        self.offset += N;
        if self.encoding == Encoding::Big {
            raw.reverse();
        }
        Some(raw)
    }

    /// Why no number follows.
    fn no_number(&self) -> Fault {
        let rest = self.bytes.get(self.offset..).unwrap_or(&[]);
        let word = rest.split(u8::is_ascii_whitespace).next().unwrap_or(&[]);
        match self.encoding {
            Encoding::Ascii if !word.is_empty() => {
                self.fault(format!("`{}` is not a number", shortened(&String::from_utf8_lossy(word))))
            }
            _ => self.fault("the file ends before its last number"),
        }
    }

    /// The next number of an ASCII file. Lines only part numbers here, as blanks do. Where there is none `offset` is at
    /// the word that stands there, or at the end.
    fn word(&mut self) -> Option<f64> {
        let rest = self.bytes.get(self.offset..).unwrap_or(&[]);
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.line += rest[..blank].iter().filter(|&&byte| byte == b'\n').count();
        self.offset += blank;
        let word = &rest[blank..];
        // Whole numbers, as most are, without more ado: up to fifteen digits a double holds them all.
        let digits = word.iter().take(16).take_while(|byte| byte.is_ascii_digit()).count();
        if (1..16).contains(&digits) && word.get(digits).is_none_or(|next| next.is_ascii_whitespace()) {
            self.offset += digits;
            return Some(word[..digits].iter().fold(0_u64, |sum, digit| 10 * sum + u64::from(digit - b'0')) as f64);
        }
        let length = word.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let number = std::str::from_utf8(&word[..length]).ok()?.parse().ok()?;
        self.offset += length;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Assembly, Error, Format, Limits, read_bytes};

    fn read(bytes: &[u8]) -> Result<Assembly, Error> {
        read_bytes(bytes, "a.ply", Format::Ply, &Limits::default())
    }

    type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

    fn parse(bytes: &[u8]) -> Result<Surface, String> {
        let mut assembly = read(bytes).map_err(|error| error.to_string())?;
        let geometry = assembly.geometries.remove(0);
        Ok((geometry.points, geometry.triangles))
    }

    const HEADER: &str = "ply\nformat FORMAT 1.0\ncomment a square\nelement colour 1\nproperty uchar red\n\
        element vertex 4\nproperty float x\nproperty double y\nproperty short z\nproperty char quality\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty list ushort float extra\nend_header\n";
    const BODY: &str = "9\n0 0 -1 1\n1 0 0 1\n1 1.5 0 1\n0 1 0 -1\n4 0 1 2 3 0\n3 0 1 2 2 0.5 0.5\n";

    fn expected() -> Surface {
        let points = vec![[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [1.0, 1.5, 0.0], [0.0, 1.0, 0.0]];
        (points, vec![[0, 1, 2], [0, 2, 3], [0, 1, 2]])
    }

    fn ascii() -> String {
        HEADER.replace("FORMAT", "ascii") + BODY
    }

    fn binary(big: bool) -> Vec<u8> {
        let mut bytes = HEADER.replace("FORMAT", if big { "binary_big_endian" } else { "binary_little_endian" });
        bytes = bytes.replace('\n', "\r\n");
        let mut bytes = bytes.into_bytes();
        let mut put = |mut number: Vec<u8>| {
            if big {
                number.reverse();
            }
            bytes.extend(number);
        };
        put(vec![9]);
        for ([x, y, z], quality) in expected().0.into_iter().zip([1_i8, 1, 1, -1]) {
            put((x as f32).to_le_bytes().to_vec());
            put(y.to_le_bytes().to_vec());
            put((z as i16).to_le_bytes().to_vec());
            put(quality.to_le_bytes().to_vec());
        }
        for (corners, extra) in [(vec![0_i32, 1, 2, 3], 0_u16), (vec![0, 1, 2], 2)] {
            put(vec![corners.len() as u8]);
            corners.iter().for_each(|corner| put(corner.to_le_bytes().to_vec()));
            put(extra.to_le_bytes().to_vec());
            (0..extra).for_each(|_| put(0.5_f32.to_le_bytes().to_vec()));
        }
        bytes
    }

    #[test]
    fn three_encodings_of_one_mesh() {
        assert_eq!(parse(ascii().as_bytes()), Ok(expected()));
        assert_eq!(parse(&binary(false)), Ok(expected()));
        assert_eq!(parse(&binary(true)), Ok(expected()));
    }

    #[test]
    fn a_file_cut_short_anywhere_is_an_error() {
        let whole = binary(false);
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "{length}");
        }
        let error = parse(&whole[..whole.len() - 1]).unwrap_err();
        assert_eq!(error, format!("a.ply: byte {}: the file ends before its last number", whole.len() - 4));
        let text = ascii();
        // Without its last character but one the last number is still a number.
        for length in 0..text.len() - "5\n".len() - 1 {
            assert!(parse(&text.as_bytes()[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn broken_files() {
        for (from, to, problem) in [
            ("ply\n", "plx\n", "line 1: the file does not begin with `ply`"),
            ("ascii", "asci", "line 2: `asci` is not a format"),
            ("format ascii 1.0\n", "", "line 13: the header names no format"),
            ("float x", "half x", "line 7: `half` is not a type"),
            ("double y", "float x", "line 8: a second property `x`"),
            ("float x", "float u", "line 14: the header needs one element `vertex`"),
            ("vertex_indices", "corners", "line 14: the header needs one element `face`"),
            ("element colour 1\n", "", "line 4: a property before any element"),
            ("element colour 1", "element colour one", "line 4: `one` is not a count"),
            ("comment", "remark", "line 3: `remark a square` is not a header line"),
            ("1 1.5 0 1", "1 1.5 ? 1", "line 18: `?` is not a number"),
            ("1 1.5 0 1", "1 nan 0 1", "line 18: the coordinate NaN"),
            ("4 0 1 2 3 0", "4 0 1 2 4 0", "line 20: vertex 4, but there are 4"),
            ("4 0 1 2 3 0", "4 0 1 2 1.5 0", "line 20: vertex 1.5"),
            ("4 0 1 2 3 0", "2 0 1 0", "line 20: a face with 2 corners"),
            ("4 0 1 2 3 0", "-4 0 1 2 3 0", "line 20: a list of -4 numbers"),
        ] {
            let error = parse(ascii().replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{from:?}: {error}");
        }
        let huge = ascii().replace("element vertex 4", "element vertex 4000000000");
        assert!(parse(huge.as_bytes()).is_err());
    }

    #[test]
    fn faces_may_stand_before_vertices_and_what_is_left_out_is_noted() {
        let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nelement vertex 4\n\
            property float x\nproperty float y\nproperty float z\nproperty float nx\nelement edge 1\nproperty int a\n\
            end_header\n4 1 2 3 0\n0 0 0 1\n2 -1 0 1\n0.5 0 0 1\n2 1 0 1\n7\nmore\n";
        let assembly = read(text.as_bytes()).unwrap();
        assert_eq!(assembly.geometries[0].triangles, [[0, 1, 2], [2, 3, 0]]);
        let notes: Vec<String> = assembly.notes.iter().map(|note| note.to_string()).collect();
        assert_eq!(
            notes[..4],
            [
                "a.ply: line 12: ignored: 1 properties of `vertex` other than its geometry",
                "a.ply: line 12: dropped: 1 elements `edge`",
                "a.ply: byte 246: ignored: 6 bytes after the last element",
                "a.ply: line 13: triangulated: 1 polygons cut into triangles",
            ]
        );
        let strips = text.replace("element face", "element tristrips");
        assert!(matches!(read(strips.as_bytes()), Err(Error::Unsupported { .. })));
    }

    /// A binary file of floats; with `slow` laid out so that it is read number by number.
    fn plain(big: bool, slow: bool, points: &[[f32; 3]], faces: &[&[i32]]) -> Vec<u8> {
        let (format, list) =
            (if big { "big" } else { "little" }, if slow { "property list uchar char more\n" } else { "" });
        let mut bytes = format!(
            "ply\nformat binary_{format}_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
             property float z\nproperty short other\n{list}element face {}\n\
             property list uchar int vertex_indices\n{list}end_header\n",
            points.len(),
            faces.len()
        )
        .into_bytes();
        let four = |raw: [u8; 4]| if big { [raw[3], raw[2], raw[1], raw[0]] } else { raw };
        for point in points {
            bytes.extend(point.iter().flat_map(|part| four(part.to_le_bytes())));
            bytes.extend([7, 7]);
            bytes.extend(slow.then_some(0));
        }
        for face in faces {
            bytes.push(face.len() as u8);
            bytes.extend(face.iter().flat_map(|corner| four(corner.to_le_bytes())));
            bytes.extend(slow.then_some(0));
        }
        bytes
    }

    #[test]
    fn plain_layouts_are_read_as_all_others() {
        let mut points: Vec<[f32; 3]> = (0..3000_i16).map(|at| [f32::from(at), 0.1, -f32::from(at % 7)]).collect();
        let mut triangles: Vec<[i32; 3]> = (0..2998).map(|at| [at, at + 1, at + 2]).collect();
        triangles[1500][1] = 0;
        for polygon_at in [None, Some(0), Some(1023), Some(1024), Some(2997)] {
            let mut faces: Vec<&[i32]> = triangles.iter().map(<[i32; 3]>::as_slice).collect();
            polygon_at.into_iter().for_each(|at: usize| faces[at] = &[0, 1, 2, 10]);
            for big in [false, true] {
                let [plain, slow] = [false, true].map(|slow| read(&plain(big, slow, &points, &faces)));
                let (plain, slow) = (plain.unwrap(), slow.unwrap());
                assert_eq!(plain.geometries, slow.geometries);
                assert_eq!(plain.triangles(), 2998 + polygon_at.iter().count() as u64);
                assert_eq!(plain.geometries[0].points[2999], [2999.0, f64::from(0.1_f32), -3.0]);
            }
        }
        let start = plain(false, false, &points, &[]).len() - 14 * points.len();
        triangles[2000][2] = -1;
        let faces: Vec<&[i32]> = triangles.iter().map(<[i32; 3]>::as_slice).collect();
        for big in [false, true] {
            let error = parse(&plain(big, false, &points, &faces)).unwrap_err();
            let at = start + 3 + 14 * points.len() + 13 * 2001 - if big { 3 } else { 0 };
            assert!(error.contains(": vertex -1, but there are 3000, counted from 0"), "{error}");
            assert!(error.contains(&format!("byte {at}:")), "{error} {at}");
        }
        points[1234][2] = f32::NAN;
        let error = parse(&plain(false, false, &points, &faces)).unwrap_err();
        assert!(error.contains("the coordinate NaN is not finite (vertex 1234, counted from 0)"), "{error}");
        let cut = plain(false, false, &points[..10], &[&[0, 1, 2]]);
        let error = parse(&cut[..cut.len() - 1]).unwrap_err();
        assert!(error.ends_with("the file ends before its last number"), "{error}");
    }
}
