//! The Object File Format of Geomview: `OFF` (or `COFF`, `NOFF`, `CNOFF`), counts, a line for each vertex and each
//! polygon. Colours and normals after the coordinates are passed over, polygons become fans.

use super::{Parsed, coordinate, fan};

/// Vertices and triangles of the text.
pub fn parse(bytes: &[u8]) -> Parsed {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let end = text.lines().count();
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty());
    let mut next = |wanted: &str| lines.next().ok_or_else(|| format!("line {end}: the file ends before {wanted}"));

    let (number, line) = next("its header")?;
    let (keyword, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    if !matches!(keyword, "OFF" | "COFF" | "NOFF" | "CNOFF") {
        return Err(format!("line {number}: `{keyword}` where OFF should stand"));
    }
    let (number, counts) = if rest.trim().is_empty() { next("the counts")? } else { (number, rest) };
    let mut words = counts.split_ascii_whitespace();
    let mut count = || {
        let word = words.next().ok_or_else(|| format!("line {number}: a count is missing"))?;
        word.parse::<u32>().map_err(|_| format!("line {number}: `{word}` is no count"))
    };
    let (vertices, faces) = (count()?, count()?);

    let (mut points, mut triangles, mut polygon) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..vertices {
        let (number, line) = next("its last vertex")?;
        let mut words = line.split_ascii_whitespace();
        let mut point = [0.0; 3];
        for part in &mut point {
            *part = coordinate(words.next()).map_err(|problem| format!("line {number}: {problem}"))?;
        }
        points.push(point);
    }
    for _ in 0..faces {
        let (number, line) = next("its last face")?;
        let mut numbers = line.split_ascii_whitespace();
        let mut whole = || {
            let word = numbers.next().ok_or_else(|| format!("line {number}: a corner is missing"))?;
            word.parse::<u32>().map_err(|_| format!("line {number}: `{word}` is no index"))
        };
        let corners = whole()?;
        polygon.clear();
        for _ in 0..corners {
            let vertex = whole()?;
            if vertex >= vertices {
                return Err(format!("line {number}: vertex {vertex}, but there are {vertices}, counted from 0"));
            }
            polygon.push(vertex);
        }
        if corners < 3 {
            return Err(format!("line {number}: a face with {corners} corners"));
        }
        triangles.extend(fan(&polygon));
    }
    Ok((points, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_and_a_triangle() {
        let text = "OFF # a comment\n\n4 2 0\n0 0 0\n1 0 0\n1 1 0 # corner\n0 1 0\n4 0 1 2 3 255 0 0\n3 0 1 2\n";
        let (points, triangles) = parse(text.as_bytes()).unwrap();
        assert_eq!(points.len(), 4);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        let one_line = text.replace("OFF # a comment\n\n", "COFF ");
        assert_eq!(parse(one_line.as_bytes()), Ok((points, triangles)));
    }

    #[test]
    fn broken_files() {
        let points = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";
        for (text, problem) in [
            (String::new(), "line 0: the file ends before its header"),
            ("PFF\n1 1 1\n".into(), "line 1: `PFF` where OFF should stand"),
            ("OFF\n".into(), "line 1: the file ends before the counts"),
            ("OFF\n3\n".into(), "line 2: a count is missing"),
            ("OFF\n3 -1 0\n".into(), "line 2: `-1` is no count"),
            ("OFF\n4000000000 1 0\n0 0 0\n".into(), "line 3: the file ends before its last vertex"),
            ("OFF\n1 0 0\n0 0\n".into(), "line 3: a coordinate is missing"),
            (points.into(), "line 5: the file ends before its last face"),
            (format!("{points}3 0 1 3\n"), "line 6: vertex 3, but there are 3"),
            (format!("{points}3 0 1\n"), "line 6: a corner is missing"),
            (format!("{points}2 0 1\n"), "line 6: a face with 2 corners"),
            (format!("{points}4000000000 0 1\n"), "line 6: a corner is missing"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.starts_with(problem), "{text:?}: {error}");
        }
    }
}
