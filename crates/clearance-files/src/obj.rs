//! Wavefront OBJ: `v`, `f`, `o` and `g` lines; everything else is passed over and noted. Corners may be `v`, `v/vt`,
//! `v//vn` or `v/vt/vn`, indices may count from the end (negative), a face may stand before its vertices, a line may go
//! on after a backslash. Some files begin with a bare count of vertices; that line is passed over too.
//!
//! Each object (`o`) is a part; in a file without objects, each group (`g`) is. Objects of one name are different
//! parts; groups of one name are one, since a group may be taken up again. Vertices are those of the whole file: a part
//! gets the ones that it uses, in the order of the file.

use std::collections::BTreeMap;

use crate::assembly::Geometry;
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{decode, point, shortened};
use crate::triangulate::Faces;

/// A part in the making.
struct Group {
    name: String,
    line: usize,
    faces: Faces,
}

/// Adds the parts of the file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    let text = decode(bytes, &mut builder.notes);
    let is_object = |line: &str| {
        let rest = line.trim_ascii_start().strip_prefix('o');
        rest.is_some_and(|rest| rest.bytes().next().is_none_or(|next| next.is_ascii_whitespace()))
    };
    let has_objects = text.lines().any(is_object);
    let (mut points, mut polygon): (Vec<[f64; 3]>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut groups = vec![Group { name: builder.stem(), line: 1, faces: Faces::default() }];
    let (mut known, mut current): (BTreeMap<String, usize>, usize) = (BTreeMap::new(), 0);
    let mut largest: Option<(u32, usize)> = None;
    let (mut lines, mut begun) = (text.lines().enumerate(), false);
    let mut joined = String::new();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let mut line = line;
        if line.ends_with('\\') {
            joined.clear();
            while let Some(part) = line.strip_suffix('\\') {
                joined.push_str(part);
                joined.push(' ');
                line = lines.next().map_or("", |(_, line)| line);
            }
            joined.push_str(line);
            line = &joined;
        }
        let mut note = |kind, what: &str| builder.notes.add(kind, what, Place::Line(number as u64), 1);
        let content = line.split('#').next().unwrap_or("");
        let mut words = content.split_ascii_whitespace();
        let Some(keyword) = words.next() else { continue };
        match keyword {
            "v" => {
                points.push(point(&mut words, number)?);
                if words.next().is_some() {
                    note(NoteKind::Ignored, "vertices with numbers after the coordinates (weights, colours)");
                }
            }
            "f" => {
                polygon.clear();
                for word in words {
                    let vertex = vertex(word, points.len()).map_err(|problem| Fault::line(number, problem))?;
                    if largest.is_none_or(|(most, _)| vertex > most) {
                        largest = Some((vertex, number));
                    }
                    polygon.push(vertex);
                }
                if polygon.len() < 3 {
                    return Err(Fault::line(number, format!("a face with {} corners", polygon.len())));
                }
                groups[current].faces.push(&polygon, number as u64);
            }
            // A name may hold `#`: it is taken from the whole line.
            "o" => {
                let name = line.trim_ascii()[1..].trim().to_owned();
                current = groups.len();
                groups.push(Group { name, line: number, faces: Faces::default() });
            }
            "g" if !has_objects => {
                let name = line.trim_ascii()[1..].trim();
                current = match known.get(name) {
                    Some(&group) => group,
                    None => {
                        known.insert(name.to_owned(), groups.len());
                        groups.push(Group { name: name.to_owned(), line: number, faces: Faces::default() });
                        groups.len() - 1
                    }
                };
            }
            "g" => note(NoteKind::Ignored, "statements `g`: the file has objects, and these are its parts"),
            "vn" => note(NoteKind::Ignored, "statements `vn` (normals)"),
            "vt" => note(NoteKind::Ignored, "statements `vt` (texture coordinates)"),
            "usemtl" | "mtllib" => note(NoteKind::Ignored, "statements `usemtl`, `mtllib` (materials)"),
            "s" => note(NoteKind::Ignored, "statements `s` (smoothing)"),
            "l" => note(NoteKind::Dropped, "statements `l` (lines)"),
            "p" => note(NoteKind::Dropped, "statements `p` (points)"),
            "curv" | "curv2" | "surf" => {
                note(NoteKind::Dropped, "statements `curv`, `curv2`, `surf` (curves and curved surfaces)");
            }
            _ if keyword.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                note(NoteKind::Ignored, &format!("statements `{}`", shortened(keyword)));
            }
            _ if !begun && content.split_ascii_whitespace().all(|word| word.parse::<u64>().is_ok()) => {
                note(NoteKind::Ignored, "bare counts at the beginning");
            }
            _ => return Err(Fault::line(number, format!("`{}` is not a statement", shortened(keyword)))),
        }
        begun = true;
    }
    // A face may stand before its vertices, so indices are checked at the end.
    match largest {
        Some((vertex, number)) if vertex as usize >= points.len() => {
            let problem = format!("vertex {}, but there are {}", u64::from(vertex) + 1, points.len());
            Err(Fault::line(number, problem))
        }
        _ => add(groups, points, builder),
    }
}

/// Adds the parts, each with the vertices it uses.
fn add(groups: Vec<Group>, points: Vec<[f64; 3]>, builder: &mut Builder) -> Result<(), Fault> {
    let (mut used, mut empty) = (vec![false; points.len()], 0);
    // Of the vertices of the group at hand, their numbers in it; of all others this.
    const ELSEWHERE: u32 = u32::MAX;
    let mut numbers = vec![ELSEWHERE; points.len()];
    for (index, Group { name, line, mut faces }) in groups.into_iter().enumerate() {
        if faces.is_empty() {
            empty += u64::from(index > 0);
            continue;
        }
        let mut vertices = Vec::new();
        for &corner in faces.corners() {
            if std::mem::replace(&mut numbers[corner as usize], 0) == ELSEWHERE {
                vertices.push(corner);
            }
        }
        vertices.sort_unstable();
        for (number, &vertex) in (0..).zip(&vertices) {
            numbers[vertex as usize] = number;
            used[vertex as usize] = true;
        }
        faces.corners_mut().for_each(|corner| *corner = numbers[*corner as usize]);
        vertices.iter().for_each(|&vertex| numbers[vertex as usize] = ELSEWHERE);
        let place = Place::Line(line as u64);
        let points: Vec<[f64; 3]> = vertices.iter().map(|&vertex| points[vertex as usize]).collect();
        let triangles = faces.triangles(&points, Place::Line, &mut builder.budget, &mut builder.notes)?;
        let name = if name.is_empty() { builder.stem() } else { name };
        let geometry = builder.geometry(Geometry { name: name.clone(), points, triangles }, place.clone())?;
        builder.part(name, geometry, place)?;
    }
    let unused = used.iter().filter(|&&used| !used).count();
    builder.notes.add(NoteKind::Dropped, "vertices that no face uses", Place::File, unused as u64);
    builder.notes.add(NoteKind::Dropped, "objects or groups without faces", Place::File, empty);
    Ok(())
}

/// The vertex that a corner names, counted from 0; `count` vertices stand before it.
fn vertex(word: &str, count: usize) -> Result<u32, String> {
    let index = word.split('/').next().unwrap_or("");
    let index: i64 = index.parse().map_err(|_| format!("`{}` is not a corner", shortened(word)))?;
    let vertex = if index < 0 { index.checked_add(count as i64) } else { index.checked_sub(1) };
    let vertex = vertex.filter(|&vertex| vertex >= 0);
    vertex
        .and_then(|vertex| u32::try_from(vertex).ok())
        .ok_or_else(|| format!("vertex {index}, where {count} vertices stand before it"))
}

#[cfg(test)]
mod tests {
    use crate::{Assembly, Format, Limits, NoteKind, read_bytes};

    fn read(text: &[u8]) -> Result<Assembly, String> {
        read_bytes(text, "dir/a.obj", Format::Obj, &Limits::default()).map_err(|error| error.to_string())
    }

    fn single(text: &str) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut assembly = read(text.as_bytes()).unwrap();
        assert_eq!(assembly.parts.len(), 1);
        let geometry = assembly.geometries.remove(0);
        (geometry.points, geometry.triangles)
    }

    #[test]
    fn corners_of_every_form() {
        let text = "4\n# a square\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\r\nvt 0 0\nvn 0 0 1\nv 1 1 0\nv 0 1 0 # last\n\
            o thing\ng\ns off\nf 1/1 2/1/1 3//1 4\nf -4 -3 -2\nf 1 \\\n 2 \\\n 4\n";
        let (points, triangles) = single(text);
        assert_eq!(points, [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 3]]);
    }

    #[test]
    fn faces_may_stand_before_their_vertices() {
        let (_, triangles) = single("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
        assert_eq!(triangles, [[0, 1, 2]]);
    }

    #[test]
    fn broken_files() {
        let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (rest, problem) in [
            ("f 1 2 4\n", "line 4: vertex 4, but there are 3"),
            ("f 0 1 2\n", "line 4: vertex 0, where"),
            ("f -4 1 2\n", "line 4: vertex -4, where"),
            ("f 1 2\n", "line 4: a face with 2 corners"),
            ("f 1 2 x\n", "line 4: `x` is not a corner"),
            ("f 1 2 /3\n", "line 4: `/3` is not a corner"),
            ("f 1 2 9999999999\n", "line 4: vertex 9999999999"),
            ("f 1 2 -9223372036854775808\n", "line 4: vertex -9223372036854775808"),
            ("v 1 2\n", "line 4: a coordinate is missing"),
            ("v 1 2 inf\n", "line 4: the coordinate inf is not finite"),
            ("12\n", "line 4: `12` is not a statement"),
            ("f 1 2 \\", "line 4: a face with 2 corners"),
        ] {
            let error = read(format!("{points}{rest}").as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{rest:?}: {error}");
        }
        assert!(read(b"v 0 0 \xff").unwrap_err().contains("line 1: `\u{fffd}` is not a number"));
    }

    #[test]
    fn objects_are_parts_and_groups_where_there_are_none() {
        let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 9 9 9\n";
        let names = |text: String| -> Vec<(String, usize)> {
            let assembly = read(text.as_bytes()).unwrap();
            let count = |part: &crate::Part| assembly.geometries[part.geometry].triangles.len();
            assembly.parts.iter().map(|part| (part.name.clone(), count(part))).collect()
        };
        let owned =
            |list: &[(&str, usize)]| list.iter().map(|&(name, count)| (name.to_owned(), count)).collect::<Vec<_>>();
        let text = format!("{points}f 1 2 3\no\ta # b\ng x\nf 1 2 3\ng y\nf 2 4 3\no empty\no a # b\nf 1 2 4\n");
        assert_eq!(names(text), owned(&[("a", 1), ("a # b", 2), ("a # b#2", 1)]));
        let text = format!("{points}g x\nf 1 2 3\ng y z\nf 2 4 3\ng x\nf 1 2 4\ng\nf 1 2 4\n");
        assert_eq!(names(text), owned(&[("x", 2), ("y z", 1), ("a", 1)]));
    }

    #[test]
    fn a_part_has_the_vertices_it_uses_in_their_order() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nv 1 1 0\no one\nf 3 1 2\no two\nf 5 3 2\n";
        let assembly = read(text.as_bytes()).unwrap();
        assert_eq!(assembly.geometries[0].triangles, [[2, 0, 1]]);
        assert_eq!(assembly.geometries[1].points, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!(assembly.geometries[1].triangles, [[2, 1, 0]]);
        let note = assembly.notes.iter().find(|note| note.kind == NoteKind::Dropped).unwrap();
        assert_eq!((note.count, note.what.as_str()), (1, "vertices that no face uses"));
    }

    #[test]
    fn old_encodings_and_endless_kinds_of_statements() {
        let mut text = b"o Geh\xe4use\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
        for word in 0..1000 {
            text.extend(format!("x{word} 1\n").into_bytes());
        }
        let assembly = read(&text).unwrap();
        assert_eq!(assembly.parts[0].name, "Geh\u{fffd}use");
        assert!(assembly.notes.len() <= 70, "{}", assembly.notes.len());
        assert!(
            assembly.notes.iter().filter(|note| note.kind == NoteKind::Ignored).map(|note| note.count).sum::<u64>()
                == 1000
        );
    }
}
