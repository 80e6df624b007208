//! Gmsh's mesh files (`.msh`), versions 2.2 and 4.1, ASCII and binary of either byte order. Of elements only tetrahedra
//! are taken, of those of higher order the corners; parametric coordinates, entities, names and fields are passed over.
//!
//! Nodes have tags, which may be in any order and far apart: they are looked up by bisection, so that memory depends on
//! how many there are and not on what they are called.

use crate::cursor::Cursor;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::tets::Found;
use crate::text::{finite, shortened};

/// What the header says.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    Two,
    Four,
}

/// The number of nodes of an element and its name, by the number of its type.
fn element(kind: u64) -> Option<(u64, &'static str)> {
    Some(match kind {
        1 | 8 | 26..=28 => (
            match kind {
                1 => 2,
                8 => 3,
                kind => kind - 22,
            },
            "lines",
        ),
        2 | 9 | 20..=25 => (
            match kind {
                2 => 3,
                9 => 6,
                20 => 9,
                21 => 10,
                22 => 12,
                25 => 21,
                _ => 15,
            },
            "triangles",
        ),
        3 => (4, "quadrangles"),
        10 => (9, "quadrangles"),
        16 => (8, "quadrangles"),
        4 => (4, TETS),
        11 => (10, TETS),
        29 => (20, TETS),
        30 => (35, TETS),
        31 => (56, TETS),
        5 => (8, "hexahedra"),
        12 => (27, "hexahedra"),
        17 => (20, "hexahedra"),
        92 => (64, "hexahedra"),
        93 => (125, "hexahedra"),
        6 => (6, "prisms"),
        13 => (18, "prisms"),
        18 => (15, "prisms"),
        7 => (5, "pyramids"),
        14 => (14, "pyramids"),
        19 => (13, "pyramids"),
        15 => (1, "points"),
        _ => return None,
    })
}

const TETS: &str = "tetrahedra";

/// Reads a file.
pub(crate) fn parse(bytes: &[u8], found: &mut Found) -> Result<(), Fault> {
    let mut cursor = Cursor::new(bytes);
    let (mut version, mut nodes) = (None, None);
    while let Some(name) = cursor.peek() {
        let place = cursor.place();
        cursor.word("a section")?;
        let name = name.strip_prefix('$').ok_or_else(|| {
            Fault::new(place.clone(), format!("`{}` where a section (`$Nodes`) should begin", shortened(name)))
        })?;
        match (name, version) {
            ("MeshFormat", None) => version = Some(header(&mut cursor)?),
            ("Nodes", Some(version)) => {
                if nodes.is_some() {
                    return Err(Fault::new(place, "a second section of nodes"));
                }
                nodes = Some(read_nodes(&mut cursor, version, found)?);
            }
            ("Elements", Some(version)) => {
                let Some(nodes) = &nodes else {
                    return Err(Fault::new(place, "elements before the nodes that they refer to"));
                };
                read_elements(&mut cursor, version, nodes, found)?;
            }
            ("Nodes" | "Elements", None) => {
                return Err(Fault::new(place, "no `$MeshFormat` before the first section"));
            }
            _ => {
                let end = format!("$End{name}");
                if !cursor.skip_behind(end.as_bytes()) {
                    return Err(Fault::new(place, format!("no `{}` ends this section", shortened(&end))));
                }
                if !["Comments", "PhysicalNames", "Entities", "PartitionedEntities", "MeshFormat"].contains(&name) {
                    found.notes.add(NoteKind::Ignored, &format!("sections `{}`", shortened(name)), place, 1);
                }
                continue;
            }
        }
        let end = cursor.word("the end of a section")?;
        if end.strip_prefix("$End") != Some(name) {
            return Err(cursor.fault(format!("`{}` where $End{name} should stand", shortened(end))));
        }
    }
    match (version, nodes) {
        (Some(_), Some(_)) => Ok(()),
        (Some(_), None) => Err(cursor.fault("the file ends before its nodes")),
        (None, _) => Err(cursor.fault("the file ends before `$MeshFormat`")),
    }
}

fn header(cursor: &mut Cursor<'_>) -> Result<Version, Fault> {
    let number = cursor.word("the version")?;
    let place = cursor.place();
    let version = match number {
        "2" | "2.0" | "2.1" | "2.2" => Version::Two,
        "4.1" => Version::Four,
        _ => {
            let problem = format!("version {} is not supported; save the mesh as 4.1 or 2.2", shortened(number));
            return Err(Fault::unsupported(place, problem));
        }
    };
    let is_binary = match cursor.whole("0 for ASCII or 1 for binary")? {
        0 => false,
        1 => true,
        other => return Err(cursor.fault(format!("{other} where 0 for ASCII or 1 for binary should stand"))),
    };
    let size = cursor.whole("the size of a number")?;
    if size != 8 {
        return Err(Fault::unsupported(cursor.place(), format!("numbers of {size} bytes: only 8 are supported")));
    }
    if is_binary {
        cursor.rest_of_line();
        cursor.binary = true;
        let one = cursor.int32("the number 1")?;
        cursor.big_endian = one == 1_i32.swap_bytes();
        if one != 1 && !cursor.big_endian {
            return Err(cursor.fault(format!("{one} where the number 1 should tell the byte order")));
        }
    }
    Ok(version)
}

/// The tags of nodes, in ascending order unless they are the numbers from 1 on, with the index of each.
struct Tags {
    sorted: Vec<(u64, u32)>,
    /// The last, if they are all numbers from 1 to it in order.
    plain: Option<u64>,
}

impl Tags {
    fn new(mut tags: Vec<(u64, u32)>, place: Place) -> Result<Tags, Fault> {
        if tags.iter().all(|&(tag, index)| tag == u64::from(index) + 1) {
            return Ok(Tags { plain: Some(tags.len() as u64), sorted: Vec::new() });
        }
        tags.sort_unstable();
        if let Some(twice) = tags.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(Fault::new(place, format!("two nodes have the tag {}", twice[0].0)));
        }
        Ok(Tags { sorted: tags, plain: None })
    }

    fn index(&self, tag: u64) -> Option<u32> {
        match self.plain {
            Some(last) => (1..=last).contains(&tag).then(|| (tag - 1) as u32),
            None => {
                let at = self.sorted.binary_search_by_key(&tag, |node| node.0).ok()?;
                Some(self.sorted[at].1)
            }
        }
    }
}

/// A number of 32 bits that must not be negative.
fn small(cursor: &mut Cursor<'_>, wanted: &str) -> Result<u64, Fault> {
    if !cursor.binary {
        return cursor.whole(wanted);
    }
    let number = cursor.int32(wanted)?;
    u64::try_from(number).map_err(|_| cursor.fault(format!("{number} where {wanted} should stand")))
}

/// A number of 64 bits.
fn large(cursor: &mut Cursor<'_>, wanted: &str) -> Result<u64, Fault> {
    if cursor.binary { cursor.uint64(wanted) } else { cursor.whole(wanted) }
}

/// Tags of entities may be negative, and do not matter.
fn any_small(cursor: &mut Cursor<'_>, wanted: &str) -> Result<(), Fault> {
    if cursor.binary {
        cursor.int32(wanted)?;
    } else {
        cursor.word(wanted)?;
    }
    Ok(())
}

fn coordinate(cursor: &mut Cursor<'_>) -> Result<f64, Fault> {
    if !cursor.binary {
        return cursor.coordinate();
    }
    let number = cursor.double("a coordinate")?;
    finite(number).map_err(|problem| cursor.fault(problem))
}

fn point(cursor: &mut Cursor<'_>) -> Result<[f64; 3], Fault> {
    Ok([coordinate(cursor)?, coordinate(cursor)?, coordinate(cursor)?])
}

/// The first number of a section, which is in words in version 2 even where the rest is binary.
fn count(cursor: &mut Cursor<'_>, wanted: &str) -> Result<u64, Fault> {
    let count = cursor.whole(wanted)?;
    if cursor.binary {
        cursor.rest_of_line();
    }
    Ok(count)
}

fn read_nodes(cursor: &mut Cursor<'_>, version: Version, found: &mut Found) -> Result<Tags, Fault> {
    let place = cursor.place();
    let mut tags = Vec::new();
    match version {
        Version::Two => {
            for _ in 0..count(cursor, "the number of nodes")? {
                let tag = small(cursor, "the tag of a node")?;
                tags.push((tag, tags.len() as u32));
                let point = point(cursor)?;
                found.push_point(point, cursor.place())?;
            }
        }
        Version::Four => {
            if cursor.binary {
                cursor.rest_of_line();
            }
            let blocks = large(cursor, "the number of blocks of nodes")?;
            let total = large(cursor, "the number of nodes")?;
            for _ in 0..2 {
                large(cursor, "the range of tags")?;
            }
            for _ in 0..blocks {
                let dimension = small(cursor, "the dimension of an entity")?;
                any_small(cursor, "the tag of an entity")?;
                let is_parametric = small(cursor, "whether nodes are parametric")? != 0;
                let extra = if is_parametric { dimension.min(3) } else { 0 };
                let count = large(cursor, "the number of nodes of a block")?;
                if count > total.saturating_sub(tags.len() as u64) {
                    return Err(cursor.fault(format!("a block of {count} nodes, but there are {total} in all")));
                }
                for _ in 0..count {
                    let tag = large(cursor, "the tag of a node")?;
                    tags.push((tag, tags.len() as u32));
                }
                for _ in 0..count {
                    let point = point(cursor)?;
                    for _ in 0..extra {
                        coordinate(cursor)?;
                    }
                    found.push_point(point, cursor.place())?;
                }
            }
            if tags.len() as u64 != total {
                return Err(cursor.fault(format!("{} nodes, but there should be {total}", tags.len())));
            }
        }
    }
    Tags::new(tags, place)
}

/// Elements of one type, by what their type says.
struct Kind {
    nodes: u64,
    name: &'static str,
    is_tet: bool,
}

impl Kind {
    fn of(kind: u64, cursor: &Cursor<'_>) -> Result<Kind, Fault> {
        let (nodes, name) = element(kind).ok_or_else(|| {
            Fault::unsupported(cursor.place(), format!("elements of type {kind}, whose number of nodes is not known"))
        })?;
        Ok(Kind { nodes, name, is_tet: name == TETS })
    }
}

/// The nodes of one element.
fn nodes_of(
    cursor: &mut Cursor<'_>,
    kind: &Kind,
    place: Place,
    tags: &Tags,
    found: &mut Found,
    node: impl Fn(&mut Cursor<'_>, &str) -> Result<u64, Fault>,
) -> Result<(), Fault> {
    let mut corners = [0; 4];
    for k in 0..kind.nodes as usize {
        let tag = node(cursor, "a node of an element")?;
        if kind.is_tet
            && let Some(corner) = corners.get_mut(k)
        {
            let missing = || cursor.fault(format!("element with node {tag}, which is not in `$Nodes`"));
            *corner = tags.index(tag).ok_or_else(missing)?;
        }
    }
    if !kind.is_tet {
        found.drop(kind.name, place);
        return Ok(());
    }
    if kind.nodes > 4 {
        found.straighten(place);
    }
    found.tets.push(corners);
    Ok(())
}

fn read_elements(cursor: &mut Cursor<'_>, version: Version, tags: &Tags, found: &mut Found) -> Result<(), Fault> {
    match version {
        Version::Two => {
            let total = count(cursor, "the number of elements")?;
            let mut done = 0;
            while done < total {
                let mut place = cursor.place();
                let (kind, count, extra);
                if cursor.binary {
                    kind = small(cursor, "the type of elements")?;
                    count = small(cursor, "the number of elements of a block")?;
                    extra = small(cursor, "the number of tags of an element")?;
                } else {
                    cursor.word("the number of an element")?;
                    place = cursor.place();
                    kind = cursor.whole("the type of an element")?;
                    count = 1;
                    extra = cursor.whole("the number of tags of an element")?;
                }
                if count == 0 || count > total - done {
                    return Err(Fault::new(place, format!("a block of {count} elements, with {} left", total - done)));
                }
                let kind = Kind::of(kind, cursor)?;
                for _ in 0..count {
                    if cursor.binary {
                        place = cursor.place();
                        cursor.int32("the number of an element")?;
                    }
                    for _ in 0..extra {
                        any_small(cursor, "a tag of an element")?;
                    }
                    nodes_of(cursor, &kind, place.clone(), tags, found, small)?;
                }
                done += count;
            }
        }
        Version::Four => {
            if cursor.binary {
                cursor.rest_of_line();
            }
            let blocks = large(cursor, "the number of blocks of elements")?;
            for _ in 0..3 {
                large(cursor, "the number of elements and the range of their tags")?;
            }
            for _ in 0..blocks {
                small(cursor, "the dimension of an entity")?;
                any_small(cursor, "the tag of an entity")?;
                let kind = small(cursor, "the type of elements")?;
                let kind = Kind::of(kind, cursor)?;
                for _ in 0..large(cursor, "the number of elements of a block")? {
                    large(cursor, "the tag of an element")?;
                    let place = cursor.place();
                    nodes_of(cursor, &kind, place, tags, found, large)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Limits, TetGeometry, read_tets_bytes};

    fn read(bytes: &[u8]) -> Result<TetGeometry, String> {
        read_tets_bytes(bytes, "a.msh", &Limits::default()).map_err(|error| error.to_string())
    }

    const POINTS: [[f64; 3]; 5] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, -2.5e-3, 7.0]];

    /// Two tetrahedra, a triangle and a curved tetrahedron, whose tags are not in order; in version 2.2.
    fn two(binary: bool, big: bool) -> Vec<u8> {
        let mut bytes = format!("$MeshFormat\n2.2 {} 8\n", u8::from(binary)).into_bytes();
        let int = |n: i32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let double = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        if binary {
            bytes.extend(int(1));
            bytes.push(b'\n');
        }
        bytes.extend(b"$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n$Nodes\n5\n");
        for (k, point) in POINTS.iter().enumerate() {
            let tag = 50 - 10 * k as i32;
            if binary {
                bytes.extend(int(tag));
                point.iter().for_each(|&x| bytes.extend(double(x)));
            } else {
                bytes.extend(format!("{tag} {} {} {}\n", point[0], point[1], point[2]).bytes());
            }
        }
        bytes.extend(b"$EndNodes\n$Elements\n4\n");
        let blocks: [(i32, Vec<Vec<i32>>); 3] = [
            (2, vec![vec![50, 40, 30]]),
            (4, vec![vec![50, 40, 30, 20], vec![10, 20, 30, 40]]),
            (11, vec![vec![50, 40, 30, 10, 20, 20, 20, 20, 20, 20]]),
        ];
        for (kind, elements) in blocks {
            if binary {
                [kind, elements.len() as i32, 2].iter().for_each(|&n| bytes.extend(int(n)));
            }
            for nodes in elements {
                if binary {
                    [7, 0, 1].iter().chain(&nodes).for_each(|&n| bytes.extend(int(n)));
                } else {
                    let nodes: Vec<String> = nodes.iter().map(i32::to_string).collect();
                    bytes.extend(format!("7 {kind} 2 0 1 {}\n", nodes.join(" ")).bytes());
                }
            }
        }
        bytes.extend(b"$EndElements\n");
        bytes
    }

    /// The same in version 4.1, the nodes in two blocks, one of them parametric.
    fn four(binary: bool, big: bool) -> Vec<u8> {
        let mut bytes = format!("$MeshFormat\n4.1 {} 8\n", u8::from(binary)).into_bytes();
        let int = |n: i32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let size = |n: u64| if big { n.to_be_bytes() } else { n.to_le_bytes() };
        let double = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
        let put = |bytes: &mut Vec<u8>, ints: &[i32], sizes: &[u64], doubles: &[f64]| {
            if binary {
                ints.iter().for_each(|&n| bytes.extend(int(n)));
                sizes.iter().for_each(|&n| bytes.extend(size(n)));
                doubles.iter().for_each(|&x| bytes.extend(double(x)));
            } else {
                let words = ints.iter().map(i32::to_string).chain(sizes.iter().map(u64::to_string));
                let words: Vec<String> = words.chain(doubles.iter().map(f64::to_string)).collect();
                bytes.extend(format!("{}\n", words.join(" ")).bytes());
            }
        };
        if binary {
            bytes.extend(int(1));
            bytes.push(b'\n');
        }
        bytes.extend(b"$EndMeshFormat\n$Entities\n0 0 0 1\n1 -1 $ 0\n$EndEntities\n$Nodes\n");
        put(&mut bytes, &[], &[2, 5, 10, 50], &[]);
        put(&mut bytes, &[2, -1, 1], &[2], &[]);
        put(&mut bytes, &[], &[50, 40], &[]);
        POINTS[..2].iter().for_each(|p| put(&mut bytes, &[], &[], &[p[0], p[1], p[2], 0.5, 0.25]));
        put(&mut bytes, &[3, 1, 0], &[3], &[]);
        put(&mut bytes, &[], &[30, 20, 10], &[]);
        POINTS[2..].iter().for_each(|p| put(&mut bytes, &[], &[], p));
        bytes.extend(b"$EndNodes\n$Elements\n");
        put(&mut bytes, &[], &[3, 4, 1, 4], &[]);
        put(&mut bytes, &[2, 1, 2], &[1], &[]);
        put(&mut bytes, &[], &[1, 50, 40, 30], &[]);
        put(&mut bytes, &[3, 1, 4], &[2], &[]);
        put(&mut bytes, &[], &[2, 50, 40, 30, 20], &[]);
        put(&mut bytes, &[], &[3, 10, 20, 30, 40], &[]);
        put(&mut bytes, &[3, 1, 11], &[1], &[]);
        put(&mut bytes, &[], &[4, 50, 40, 30, 10, 20, 20, 20, 20, 20, 20], &[]);
        bytes.extend(b"$EndElements\n$NodeData\nanything\n$EndNodeData\n");
        bytes
    }

    #[test]
    fn all_forms_are_read_alike() {
        for bytes in [(false, false), (true, false), (true, true)].map(|(binary, big)| two(binary, big)) {
            let found = read(&bytes).unwrap();
            assert_eq!((&found.points[..], found.tets.len()), (&POINTS[..], 3));
            assert_eq!(found.tets, [[0, 1, 2, 3], [4, 3, 2, 1], [0, 1, 2, 4]]);
            let notes: Vec<String> = found.notes.iter().map(|note| format!("{} {}", note.kind, note.count)).collect();
            assert_eq!(notes, ["dropped 1", "assumed 1"]);
        }
        for bytes in [(false, false), (true, false), (true, true)].map(|(binary, big)| four(binary, big)) {
            let found = read(&bytes).unwrap();
            assert_eq!(found.points, POINTS);
            assert_eq!(found.tets, [[0, 1, 2, 3], [4, 3, 2, 1], [0, 1, 2, 4]]);
            assert!(found.notes.iter().any(|note| note.what == "sections `NodeData`"), "{:?}", found.notes);
        }
    }

    #[test]
    fn files_cut_short_are_refused() {
        for bytes in [two(false, false), two(true, false), four(false, false), four(true, true)] {
            let end = bytes.windows(12).position(|window| window == b"$EndElements").unwrap();
            for length in 0..end + 11 {
                let error = read(&bytes[..length]).unwrap_err();
                assert!(error.starts_with("a.msh: "), "{error}");
            }
        }
    }

    #[test]
    fn broken_files() {
        let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
        let nodes = format!("{head}$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n");
        for (text, problem) in [
            ("$MeshFormat\n3.0 0 8\n".to_owned(), "line 2: version 3.0 is not supported; save"),
            ("$MeshFormat\n2.2 0 4\n".into(), "line 2: numbers of 4 bytes"),
            ("$MeshFormat\n2.2 2 8\n".into(), "line 2: 2 where 0 for ASCII"),
            ("$MeshFormat\n4.1 1 8\nabcd".into(), "byte 24: 1684234849 where the number 1"),
            (head.into(), "the file ends before its nodes"),
            (format!("{head}Nodes\n"), "line 4: `Nodes` where a section"),
            (format!("{head}$Elements\n"), "line 4: elements before the nodes"),
            (format!("{head}$Stuff\n1\n"), "line 4: no `$EndStuff` ends this section"),
            (format!("{head}$Nodes\nmany\n"), "line 5: `many` where the number of nodes should stand"),
            (format!("{head}$Nodes\n9999999999999\n1 0 0 0\n"), "the file ends before the tag of a node"),
            (format!("{head}$Nodes\n1\n1 0 nan 0\n"), "line 6: the coordinate NaN is not finite"),
            (format!("{head}$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n"), "two nodes have the tag 1"),
            (format!("{head}$Nodes\n1\n1 0 0 0\n$EndNodes\n$Nodes\n"), "line 8: a second section of nodes"),
            (format!("{head}$Nodes\n1\n1 0 0 0\n$EndElements\n"), "line 7: `$EndElements` where $EndNodes"),
            (format!("{nodes}$Elements\n1\n1 4 2 0 1 1 2 3 5\n"), "line 13: element with node 5, which is not in"),
            (format!("{nodes}$Elements\n1\n1 99 0\n"), "line 13: elements of type 99"),
            (format!("{nodes}$Elements\n1\n1 4 0 1 2 3\n"), "the file ends before a node of an element"),
            (nodes.clone(), "no tetrahedra"),
            (format!("{nodes}$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"), "no tetrahedra, but: dropped 1 triangles"),
            ("solid".into(), "neither Gmsh"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{text:?}: {error}");
        }
    }
}
