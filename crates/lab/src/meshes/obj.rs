//! Wavefront OBJ: `v` and `f` lines; everything else is passed over. Corners may be `v`, `v/vt`, `v//vn` or `v/vt/vn`,
//! indices may count from the end (negative), polygons become fans, a line may go on after a backslash. Some files
//! begin with a bare count of vertices; that line is passed over too.

use super::{Parsed, coordinate, fan};

/// Vertices and triangles of the text.
pub fn parse(bytes: &[u8]) -> Parsed {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let (mut polygon, mut largest): (Vec<u32>, Option<(u32, usize)>) = (Vec::new(), None);
    let (mut lines, mut begun) = (text.lines().enumerate(), false);
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let at = |problem: String| format!("line {number}: {problem}");
        let mut whole = line.to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            whole.push(' ');
            whole.push_str(lines.next().map_or("", |(_, line)| line));
        }
        let content = whole.split('#').next().unwrap_or("");
        let mut words = content.split_ascii_whitespace();
        let Some(keyword) = words.next() else { continue };
        match keyword {
            "v" => {
                let mut point = [0.0; 3];
                for part in &mut point {
                    *part = coordinate(words.next()).map_err(at)?;
                }
                points.push(point);
            }
            "f" => {
                polygon.clear();
                for word in words {
                    let vertex = vertex(word, points.len()).map_err(at)?;
                    if largest.is_none_or(|(most, _)| vertex > most) {
                        largest = Some((vertex, number));
                    }
                    polygon.push(vertex);
                }
                if polygon.len() < 3 {
                    return Err(at(format!("a face with {} corners", polygon.len())));
                }
                triangles.extend(fan(&polygon));
            }
            _ if keyword.starts_with(|first: char| first.is_ascii_alphabetic()) => {}
            _ if !begun && content.split_ascii_whitespace().all(|word| word.parse::<u64>().is_ok()) => {}
            _ => return Err(at(format!("`{keyword}` begins no statement"))),
        }
        begun = true;
    }
    // A face may stand before its vertices, so indices are checked at the end.
    match largest {
        Some((vertex, number)) if vertex as usize >= points.len() => {
            Err(format!("line {number}: vertex {}, but there are {}", u64::from(vertex) + 1, points.len()))
        }
        _ => Ok((points, triangles)),
    }
}

/// The vertex that a corner names, counted from 0; `count` vertices stand before it.
fn vertex(word: &str, count: usize) -> Result<u32, String> {
    let index = word.split('/').next().unwrap_or("");
    let index: i64 = index.parse().map_err(|_| format!("`{word}` is no corner"))?;
    let vertex = if index < 0 { index.checked_add(count as i64) } else { index.checked_sub(1) };
    let vertex = vertex.filter(|&vertex| vertex >= 0);
    vertex
        .and_then(|vertex| u32::try_from(vertex).ok())
        .ok_or_else(|| format!("vertex {index}, where {count} vertices stand before it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_every_form() {
        let text = "4\n# a square\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\r\nvt 0 0\nvn 0 0 1\nv 1 1 0\nv 0 1 0 # last\n\
            o thing\ng\ns off\nf 1/1 2/1/1 3//1 4\nf -4 -3 -2\nf 1 \\\n 2 \\\n 4\n";
        let (points, triangles) = parse(text.as_bytes()).unwrap();
        assert_eq!(points, [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 3]]);
    }

    #[test]
    fn faces_may_stand_before_their_vertices() {
        let (_, triangles) = parse(b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
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
            ("f 1 2 x\n", "line 4: `x` is no corner"),
            ("f 1 2 /3\n", "line 4: `/3` is no corner"),
            ("f 1 2 9999999999\n", "line 4: vertex 9999999999"),
            ("f 1 2 -9223372036854775808\n", "line 4: vertex -9223372036854775808"),
            ("v 1 2\n", "line 4: a coordinate is missing"),
            ("v 1 2 inf\n", "line 4: the coordinate inf is not finite"),
            ("12\n", "line 4: `12` begins no statement"),
            ("f 1 2 \\", "line 4: a face with 2 corners"),
        ] {
            let error = parse(format!("{points}{rest}").as_bytes()).unwrap_err();
            assert!(error.starts_with(problem), "{rest:?}: {error}");
        }
        assert!(parse(b"v 0 0 \xff").unwrap_err().starts_with("byte 6"));
    }
}
