//! The Object File Format of Geomview: `OFF` (or `STOFF`, `COFF`, `NOFF`, `CNOFF` ...), counts, a line for each vertex
//! and each polygon. Colours, normals and texture coordinates are passed over. The counts may follow the word at once
//! (`OFF490 518 0`), as in a well-known collection of models.

use crate::assembly::Geometry;
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{decode, point, shortened, without_mark};
use crate::triangulate::Faces;

/// The word that the file begins with, and what follows it on its line; `None` if it is not of this format.
pub(crate) fn keyword(line: &str) -> Option<(&str, &str)> {
    let end = line.find("OFF")? + 3;
    let (word, rest) = line.split_at(end);
    // The letters stand in this order, each at most once.
    let mut letters = word[..end - 3].chars().peekable();
    if letters.peek() == Some(&'S') {
        letters.next();
        if letters.next() != Some('T') {
            return None;
        }
    }
    for letter in ['C', 'N', '4', 'n'] {
        letters.next_if_eq(&letter);
    }
    let follows = rest.is_empty() || rest.starts_with(|next: char| next.is_ascii_whitespace() || next.is_ascii_digit());
    (letters.next().is_none() && follows).then_some((word, rest))
}

/// Adds the part of the file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    if without_mark(bytes).starts_with(b"OFF BINARY") {
        let problem = "binary OFF is not supported; save it as ASCII, PLY or STL";
        return Err(Fault::unsupported(Place::Line(1), problem));
    }
    let text = decode(bytes, &mut builder.notes);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty());
    let mut next = |wanted: &str| {
        lines.next().ok_or_else(|| Fault::line(text.lines().count(), format!("the file ends before {wanted}")))
    };

    let (header, line) = next("its header")?;
    let Some((word, rest)) = keyword(line) else {
        let first = line.split_ascii_whitespace().next().unwrap_or("");
        return Err(Fault::line(header, format!("`{}` where OFF should stand", shortened(first))));
    };
    if word.contains(['4', 'n']) {
        let problem = format!("`{word}` has points of other than three coordinates: not supported");
        return Err(Fault::unsupported(Place::Line(header as u64), problem));
    }
    let (number, counts) = if rest.trim().is_empty() { next("the counts")? } else { (header, rest) };
    let mut words = counts.split_ascii_whitespace();
    let mut count = || {
        let word = words.next().ok_or_else(|| Fault::line(number, "a count is missing"))?;
        word.parse::<u32>().map_err(|_| Fault::line(number, format!("`{}` is not a count", shortened(word))))
    };
    let (vertices, count_of_faces) = (count()?, count()?);

    let (mut points, mut faces, mut polygon) = (Vec::new(), Faces::default(), Vec::new());
    for _ in 0..vertices {
        let (number, line) = next("its last vertex")?;
        let mut words = line.split_ascii_whitespace();
        points.push(point(&mut words, number)?);
        if words.next().is_some() {
            let what = "vertices with numbers after the coordinates (colours, normals)";
            builder.notes.add(NoteKind::Ignored, what, Place::Line(number as u64), 1);
        }
    }
    for _ in 0..count_of_faces {
        let (number, line) = next("its last face")?;
        let mut numbers = line.split_ascii_whitespace();
        let mut whole = || {
            let word = numbers.next().ok_or_else(|| Fault::line(number, "a corner is missing"))?;
            word.parse::<u32>().map_err(|_| Fault::line(number, format!("`{}` is not an index", shortened(word))))
        };
        let corners = whole()?;
        polygon.clear();
        for _ in 0..corners {
            let vertex = whole()?;
            if vertex >= vertices {
                let problem = format!("vertex {vertex}, but there are {vertices}, counted from 0");
                return Err(Fault::line(number, problem));
            }
            polygon.push(vertex);
        }
        if corners < 3 {
            return Err(Fault::line(number, format!("a face with {corners} corners")));
        }
        if numbers.next().is_some() {
            builder.notes.add(NoteKind::Ignored, "faces with colours", Place::Line(number as u64), 1);
        }
        faces.push(&polygon, number as u64);
    }
    if let Ok((number, _)) = next("") {
        let count = 1 + lines.count();
        builder.notes.add(NoteKind::Ignored, "lines after the last face", Place::Line(number as u64), count as u64);
    }
    let triangles = faces.triangles(&points, Place::Line, &mut builder.budget, &mut builder.notes)?;
    let (name, place) = (builder.stem(), Place::Line(header as u64));
    let geometry = builder.geometry(Geometry { name: name.clone(), points, triangles }, place.clone())?;
    builder.part(name, geometry, place)
}

#[cfg(test)]
mod tests {
    use crate::{Format, Geometry, Limits, read_bytes};

    fn read(text: &str) -> Result<Geometry, String> {
        let assembly = read_bytes(text.as_bytes(), "a.off", Format::Off, &Limits::default());
        assembly.map(|mut assembly| assembly.geometries.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_square_and_a_triangle() {
        let text = "OFF # a comment\n\n4 2 0\n0 0 0\n1 0 0\n1 1 0 # corner\n0 1 0\n4 0 1 2 3 255 0 0\n3 0 1 2\n";
        let geometry = read(text).unwrap();
        assert_eq!(geometry.points.len(), 4);
        assert_eq!(geometry.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        let one_line = text.replace("OFF # a comment\n\n", "COFF ");
        assert_eq!(read(&one_line), Ok(geometry.clone()));
        for word in ["STCNOFF ", "OFF", "NOFF\t"] {
            assert_eq!(read(&text.replace("OFF # a comment\n\n", word)), Ok(geometry.clone()), "{word}");
        }
    }

    #[test]
    fn broken_files() {
        let points = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
        for (text, problem) in [
            (String::new(), "line 0: the file ends before its header"),
            ("PFF\n1 1 1\n".into(), "line 1: `PFF` where OFF should stand"),
            ("OFFX\n1 1 1\n".into(), "line 1: `OFFX` where OFF should stand"),
            ("4OFF\n1 1 1\n".into(), "line 1: `4OFF` has points of other than three"),
            ("OFF BINARY\n".into(), "line 1: binary OFF is not supported"),
            ("OFF\n".into(), "line 1: the file ends before the counts"),
            ("OFF\n3\n".into(), "line 2: a count is missing"),
            ("OFF\n3 -1 0\n".into(), "line 2: `-1` is not a count"),
            ("OFF\n4000000000 1 0\n0 0 0\n".into(), "line 3: the file ends before its last vertex"),
            ("OFF\n1 0 0\n0 0\n".into(), "line 3: a coordinate is missing"),
            (points.into(), "line 5: the file ends before its last face"),
            (format!("{points}3 0 1 3\n"), "line 6: vertex 3, but there are 3"),
            (format!("{points}3 0 1\n"), "line 6: a corner is missing"),
            (format!("{points}2 0 1\n"), "line 6: a face with 2 corners"),
            (format!("{points}4000000000 0 1\n"), "line 6: a corner is missing"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(problem), "{text:?}: {error}");
        }
    }
}
