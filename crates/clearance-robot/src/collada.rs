//! COLLADA (`.dae`), as far as collision meshes use it: triangles and polygons, placed by the nodes of the scene.
//!
//! Lengths are converted to metres by the file's `<unit>`. Its `<up_axis>` is ignored, as ROS does: a URDF relies on
//! the coordinates as stored. Polygons are triangulated as fans. Triangle strips and fans, splines and skins are
//! refused, so that nothing is dropped silently; lines are ignored.
//!
//! One geometry can be instanced by many nodes, and one node by many others, including itself. So everything is parsed
//! once, and each instance is counted against the budget of the robot before memory is allocated for it.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use clearance::glam::{DAffine3, DMat4, DVec3};
use clearance_files::{Budget, Geometry, OverLimit, utf8};
use roxmltree::Node;

use crate::error::Error;
use crate::limits::MOST_INPUTS;
use crate::xml::{Xml, child, children, is};

/// Everything in the scene, as one surface in metres.
pub(crate) fn read(path: &Path, bytes: Vec<u8>, budget: &mut Budget) -> Result<Geometry, Error> {
    parse(path, &utf8(path, bytes).map_err(Error::from_files)?, budget)
}

fn parse(path: &Path, text: &str, budget: &mut Budget) -> Result<Geometry, Error> {
    let xml = Xml::parse(path, text)?;
    let root = xml.root("COLLADA")?;
    let by_id: BTreeMap<&str, Node> =
        root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let metres = match child(root, "asset").and_then(|asset| child(asset, "unit")) {
        Some(unit) => xml.number(unit, "meter")?.unwrap_or(1.0),
        None => 1.0,
    };
    if metres.is_nan() || metres <= 0.0 {
        return Err(xml.fault(root, format!("invalid <unit> of {metres} metres")));
    }
    let scale = DAffine3::from_scale(DVec3::splat(metres));
    let mut reader = Reader {
        xml: &xml,
        by_id,
        budget,
        points: BTreeMap::new(),
        geometries: BTreeMap::new(),
        nodes: BTreeMap::new(),
        whole: Geometry::default(),
    };
    match child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene")) {
        Some(instance) => reader.scene(reader.referred(instance, "url")?, scale)?,
        // Without a scene, every geometry is placed as modelled.
        None => {
            let library = child(root, "library_geometries");
            for geometry in library.into_iter().flat_map(|library| children(library, "geometry")) {
                reader.add(geometry, geometry, &scale)?;
            }
        }
    }
    match reader.whole.triangles.is_empty() {
        true => Err(xml.fault(root, "contains no triangles")),
        false => Ok(reader.whole),
    }
}

/// A `<triangles>`, `<polylist>` or `<polygons>`: its points and triangles.
struct Primitive {
    points: Rc<[DVec3]>,
    triangles: Vec<[u32; 3]>,
}

/// A node of the scene.
struct Placed<'x, 't> {
    /// Its frame in that of its parent.
    transform: DAffine3,
    /// The instancing elements, each with its geometry.
    geometries: Vec<[Node<'x, 't>; 2]>,
    /// Its child nodes.
    below: Vec<Node<'x, 't>>,
}

struct Reader<'x, 't, 'b> {
    xml: &'x Xml<'t>,
    by_id: BTreeMap<&'x str, Node<'x, 't>>,
    budget: &'b mut Budget,
    /// Points by the id of their `<vertices>`.
    points: BTreeMap<u32, Rc<[DVec3]>>,
    geometries: BTreeMap<u32, Rc<[Primitive]>>,
    nodes: BTreeMap<u32, Rc<Placed<'x, 't>>>,
    /// The scene so far.
    whole: Geometry,
}

impl<'x, 't> Reader<'x, 't, '_> {
    fn referred(&self, node: Node<'x, 't>, attribute: &str) -> Result<Node<'x, 't>, Error> {
        let id = self.xml.attribute(node, attribute)?;
        let found = id.strip_prefix('#').and_then(|id| self.by_id.get(id)).copied();
        found.ok_or_else(|| self.xml.fault(node, format!("`{attribute}` is `{id}`, which is not in the file")))
    }

    /// The error that the budget is exceeded at an element.
    fn over(&self, node: Node, over: OverLimit) -> Error {
        self.xml.over(node, &over)
    }

    fn numbers(&self, node: Node) -> Result<Vec<f64>, Error> {
        let text = node.text().unwrap_or_default();
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.xml.fault(node, format!("`{word}` is not a number"))),
        };
        text.split_ascii_whitespace().map(number).collect()
    }

    fn indices(&self, node: Node) -> Result<Vec<usize>, Error> {
        let text = node.text().unwrap_or_default();
        let index = |word: &str| word.parse().map_err(|_| self.xml.fault(node, format!("`{word}` is not an index")));
        text.split_ascii_whitespace().map(index).collect()
    }

    /// The non-negative integer in an attribute; `None` if there is no such attribute.
    fn whole_number(&self, node: Node, name: &str) -> Result<Option<usize>, Error> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let number =
            text.trim().parse().map_err(|_| self.xml.fault(node, format!("`{name}`: `{text}` is not a count")));
        number.map(Some)
    }

    /// Adds everything in a scene.
    fn scene(&mut self, scene: Node<'x, 't>, scale: DAffine3) -> Result<(), Error> {
        let mut waiting: Vec<(Node, DAffine3)> = Vec::new();
        for node in children(scene, "node") {
            self.budget.step().map_err(|over| self.over(node, over))?;
            waiting.push((node, scale));
        }
        waiting.reverse();
        while let Some((node, outer)) = waiting.pop() {
            let placed = self.placed(node)?;
            let to_scene = outer * placed.transform;
            for [instance, geometry] in &placed.geometries {
                self.add(*instance, *geometry, &to_scene)?;
            }
            for below in placed.below.iter().rev() {
                // Counted before it is queued: nodes that contain themselves many times would make long queues.
                self.budget.step().map_err(|over| match self.over(node, over) {
                    Error::Limit { path, problem } => Error::Limit {
                        path,
                        problem: format!("{problem}, and that its nodes do not contain themselves"),
                    },
                    other => other,
                })?;
                waiting.push((*below, to_scene));
            }
        }
        Ok(())
    }

    /// A node, parsed once.
    fn placed(&mut self, node: Node<'x, 't>) -> Result<Rc<Placed<'x, 't>>, Error> {
        if let Some(known) = self.nodes.get(&node.id().get()) {
            return Ok(known.clone());
        }
        let (mut geometries, mut below) = (Vec::new(), Vec::new());
        for inside in node.children().filter(Node::is_element) {
            match inside.tag_name().name() {
                "instance_geometry" => geometries.push([inside, self.referred(inside, "url")?]),
                "instance_controller" => return Err(self.xml.fault(inside, "skins are not supported")),
                "instance_node" => below.push(self.referred(inside, "url")?),
                "node" => below.push(inside),
                _ => {}
            }
        }
        let placed = Rc::new(Placed { transform: self.transform(node)?, geometries, below });
        self.nodes.insert(node.id().get(), placed.clone());
        Ok(placed)
    }

    /// The transform of a node: the product of its elements in order, the first outermost.
    fn transform(&self, node: Node) -> Result<DAffine3, Error> {
        let mut whole = DAffine3::IDENTITY;
        for part in node.children().filter(Node::is_element) {
            let name = part.tag_name().name();
            if !["matrix", "translate", "rotate", "scale", "skew", "lookat"].contains(&name) {
                continue;
            }
            let step = match (name, &self.numbers(part)?[..]) {
                ("matrix", numbers) if numbers.len() == 16 => {
                    let rows: [f64; 16] = std::array::from_fn(|k| numbers[k]);
                    if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
                        return Err(self.xml.fault(part, "its last row is not 0 0 0 1"));
                    }
                    DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose())
                }
                ("translate", &[x, y, z]) => DAffine3::from_translation(DVec3::new(x, y, z)),
                ("scale", &[x, y, z]) => DAffine3::from_scale(DVec3::new(x, y, z)),
                ("rotate", &[x, y, z, degrees]) => match DVec3::new(x, y, z).try_normalize() {
                    Some(axis) => DAffine3::from_axis_angle(axis, degrees.to_radians()),
                    None => return Err(self.xml.fault(part, "its axis has zero length")),
                },
                _ => return Err(self.xml.fault(part, "is not supported, or has the wrong number of values")),
            };
            whole *= step;
        }
        Ok(whole)
    }

    /// Adds an instance of a geometry.
    fn add(&mut self, instance: Node, geometry: Node<'x, 't>, placed: &DAffine3) -> Result<(), Error> {
        self.budget.step().map_err(|over| self.over(instance, over))?;
        let primitives = self.primitives(geometry)?;
        let mirrored = placed.matrix3.determinant() < 0.0;
        for Primitive { points, triangles } in primitives.iter() {
            self.budget.geometry(points.len(), triangles.len()).map_err(|over| self.over(instance, over))?;
            let first = u32::try_from(self.whole.points.len()).ok();
            let first = first.filter(|first| u32::try_from(*first as usize + points.len()).is_ok());
            let first = first.ok_or_else(|| self.xml.fault(instance, "too many points"))?;
            self.whole.points.extend(points.iter().map(|&point| placed.transform_point3(point).to_array()));
            let turn = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
            let moved = triangles.iter().map(turn).map(|triangle| triangle.map(|corner| first + corner));
            self.whole.triangles.extend(moved);
        }
        Ok(())
    }

    /// The triangles of a geometry, parsed once.
    fn primitives(&mut self, geometry: Node<'x, 't>) -> Result<Rc<[Primitive]>, Error> {
        if let Some(known) = self.geometries.get(&geometry.id().get()) {
            return Ok(known.clone());
        }
        let Some(mesh) = child(geometry, "mesh") else {
            return Err(self.xml.fault(geometry, "contains no <mesh>: splines and convex meshes are not supported"));
        };
        let mut primitives = Vec::new();
        for part in mesh.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "triangles" | "polylist" | "polygons" => primitives.push(self.primitive(part)?),
                "tristrips" | "trifans" => return Err(self.xml.fault(part, "is not supported: export triangles")),
                _ => {}
            }
        }
        let primitives: Rc<[Primitive]> = primitives.into();
        self.geometries.insert(geometry.id().get(), primitives.clone());
        Ok(primitives)
    }

    /// A `<triangles>`, `<polylist>` or `<polygons>`.
    fn primitive(&mut self, part: Node<'x, 't>) -> Result<Primitive, Error> {
        let (mut stride, mut of_vertices) = (1, None);
        for input in children(part, "input") {
            let offset = self.whole_number(input, "offset")?.unwrap_or(0);
            if offset >= MOST_INPUTS {
                let problem = format!("`offset` is {offset}: expected less than {MOST_INPUTS}, the limit on inputs");
                return Err(self.xml.fault(input, problem));
            }
            stride = stride.max(offset + 1);
            if of_vertices.is_none() && input.attribute("semantic") == Some("VERTEX") {
                of_vertices = Some((input, offset));
            }
        }
        let Some((vertices, offset)) = of_vertices else {
            return Err(self.xml.fault(part, "has no VERTEX <input>"));
        };
        let points = self.points(self.referred(vertices, "source")?)?;
        if child(part, "ph").is_some() {
            return Err(self.xml.fault(part, "polygons with holes are not supported"));
        }
        let (mut triangles, mut named) = (Vec::new(), Vec::new());
        let mut polygon = |corners: &[usize]| -> Result<(), Error> {
            named.clear();
            for corner in corners.chunks_exact(stride) {
                let point = corner[offset];
                if point >= points.len() {
                    return Err(self
                        .xml
                        .fault(part, format!("refers to point {point}, but there are {}", points.len())));
                }
                named.push(point as u32);
            }
            if let [head, tail @ ..] = &named[..] {
                triangles.extend(tail.windows(2).map(|side| [*head, side[0], side[1]]));
            }
            Ok(())
        };
        match child(part, "vcount") {
            Some(counts) => {
                let all = match child(part, "p") {
                    Some(p) => self.indices(p)?,
                    None => Vec::new(),
                };
                let mut rest = &all[..];
                for count in self.indices(counts)? {
                    let needed = count.checked_mul(stride).filter(|needed| *needed <= rest.len());
                    let Some(needed) = needed else {
                        return Err(self.xml.fault(part, "<p> is too short for <vcount>"));
                    };
                    polygon(&rest[..needed])?;
                    rest = &rest[needed..];
                }
            }
            None => {
                for p in children(part, "p") {
                    let all = self.indices(p)?;
                    let size = if is(part, "triangles") { 3 * stride } else { all.len().max(1) };
                    if all.len() % size != 0 || all.len() % stride != 0 {
                        return Err(self.xml.fault(p, "ends in the middle of a triangle"));
                    }
                    all.chunks_exact(size).try_for_each(&mut polygon)?;
                }
            }
        }
        self.budget.geometry(0, triangles.len()).map_err(|over| self.over(part, over))?;
        Ok(Primitive { points, triangles })
    }

    /// The positions of `<vertices>`, parsed once, with the count, offset and stride of the accessor.
    fn points(&mut self, vertices: Node<'x, 't>) -> Result<Rc<[DVec3]>, Error> {
        if let Some(known) = self.points.get(&vertices.id().get()) {
            return Ok(known.clone());
        }
        let mut inputs = children(vertices, "input");
        let Some(input) = inputs.find(|input| input.attribute("semantic") == Some("POSITION")) else {
            return Err(self.xml.fault(vertices, "has no POSITION <input>"));
        };
        let source = self.referred(input, "source")?;
        let numbers = self.numbers(self.xml.child(source, "float_array")?)?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let said = |name: &str| accessor.map_or(Ok(None), |accessor| self.whole_number(accessor, name));
        let (stride, offset) = (said("stride")?.unwrap_or(3), said("offset")?.unwrap_or(0));
        if stride < 3 {
            return Err(self.xml.fault(source, format!("a stride of {stride}: expected 3 or more")));
        }
        let rest = numbers.get(offset..).unwrap_or_default();
        // The last point needs three numbers, not a full stride.
        let available = if rest.len() < 3 { 0 } else { (rest.len() - 3) / stride + 1 };
        let count = said("count")?.unwrap_or(available);
        if count > available {
            let problem = format!(
                "its accessor needs {count} points with stride {stride} from offset {offset}, but there are {} numbers",
                numbers.len()
            );
            return Err(self.xml.fault(source, problem));
        }
        self.budget.geometry(count, 0).map_err(|over| self.over(source, over))?;
        let points: Rc<[DVec3]> = rest.chunks(stride).take(count).map(DVec3::from_slice).collect();
        self.points.insert(vertices.id().get(), points.clone());
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use clearance_files::Limits;

    use super::*;

    fn document(unit: &str, primitive: &str, node: &str) -> String {
        format!(
            "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'><asset>{unit}<up_axis>Y_UP</up_axis></asset>
             <library_geometries><geometry id='g'><mesh>
               <source id='s'><float_array id='f' count='12'>0 0 0 1 0 0 1 1 0 0 1 0</float_array>
                 <technique_common><accessor source='#f' count='4' stride='3'/></technique_common></source>
               <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>{primitive}</mesh></geometry>
             </library_geometries>
             <library_visual_scenes><visual_scene id='scene'>{node}</visual_scene></library_visual_scenes>
             <scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
        )
    }

    fn parse_it(text: &str) -> Result<Geometry, Error> {
        parse("a.dae".as_ref(), text, &mut Budget::new(&Limits::default(), text.len()))
    }

    const SHOWN: &str = "<node><instance_geometry url='#g'/></node>";
    const TRIANGLES: &str = "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/>
        <input semantic='NORMAL' source='#s' offset='1'/><p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>";

    #[test]
    fn triangles_polygons_units_and_nodes() {
        let read = |unit: &str, primitive: &str, node: &str| parse_it(&document(unit, primitive, node));
        let plain = read("", TRIANGLES, SHOWN).unwrap();
        assert_eq!((plain.triangles.clone(), plain.points[2]), (vec![[0, 1, 2], [0, 2, 3]], [1.0, 1.0, 0.0]));
        let square = "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/>\
            <vcount>4</vcount><p>0 1 2 3</p></polylist>";
        assert_eq!(read("", square, SHOWN).unwrap().triangles, plain.triangles);
        let inches = read("<unit meter='0.5'/>", square, SHOWN).unwrap();
        assert_eq!(inches.points[2], [0.5, 0.5, 0.0]);
        let moved =
            "<node><translate>0 0 5</translate><node><scale>2 -1 1</scale><instance_geometry url='#g'/></node></node>";
        let moved = read("", square, moved).unwrap();
        assert_eq!((moved.points[2], &moved.triangles[..]), ([2.0, -1.0, 5.0], &[[0, 2, 1], [0, 3, 2]][..]));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let problem = |primitive: &str, node: &str| parse_it(&document("", primitive, node)).unwrap_err().to_string();
        assert!(problem("<tristrips/>", SHOWN).contains("export triangles"));
        assert!(
            problem(&TRIANGLES.replace("2 0 3 0", "2 0 9 0"), SHOWN).contains("refers to point 9, but there are 4")
        );
        assert!(problem(&TRIANGLES.replace("2 0 3 0", "2 0"), SHOWN).contains("in the middle"));
        assert!(problem(TRIANGLES, "<node><instance_geometry url='#h'/></node>").contains("`#h`"));
        assert!(problem(TRIANGLES, "<node id='n'><instance_node url='#n'/></node>").contains("contain themselves"));
        assert!(problem("", SHOWN).contains("no triangles"));
    }

    const SQUARE: &str = "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/>\
        <vcount>4</vcount><p>0 1 2 3</p></polylist>";

    #[test]
    fn offsets_that_are_none_are_errors() {
        let polygons = "<polygons count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 3</p></polygons>";
        assert_eq!(parse_it(&document("", polygons, SHOWN)).unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
        for primitive in [TRIANGLES, SQUARE, polygons] {
            for offset in [
                "18446744073709551615",
                "18446744073709551614",
                "6148914691236517205",
                "99999999999999999999",
                "-1",
                "x",
            ] {
                let changed = primitive.replace("offset='0'", &format!("offset='{offset}'"));
                let error = parse_it(&document("", &changed, SHOWN)).unwrap_err().to_string();
                assert!(error.contains("<input>") && error.contains("`offset`"), "{offset}: {error}");
            }
            // Inputs without indices: the data ends in the middle.
            assert!(parse_it(&document("", &primitive.replace("offset='0'", "offset='7'"), SHOWN)).is_err());
        }
    }

    #[test]
    fn accessors_are_heeded() {
        let with = |accessor: &str, numbers: &str| {
            let text = document("", SQUARE, SHOWN).replace("count='4' stride='3'", accessor);
            parse_it(&text.replace("0 0 0 1 0 0 1 1 0 0 1 0", numbers)).map(|whole| whole.points)
        };
        let square = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let plain = "0 0 0 1 0 0 1 1 0 0 1 0";
        assert_eq!(with("count='4' stride='3'", plain), Ok(square.clone()));
        assert_eq!(with("count='4'", plain), Ok(square.clone()));
        assert_eq!(with("stride='3' offset='2'", &format!("9 9 {plain}")), Ok(square.clone()));
        assert_eq!(with("count='4' stride='4' offset='1'", "9 0 0 0 9 1 0 0 9 1 1 0 9 0 1 0"), Ok(square.clone()));
        assert_eq!(with("count='4' stride='3'", &format!("{plain} 7 7 7")), Ok(square));
        for (accessor, problem) in [
            ("count='4' stride='three'", "`stride`: `three` is not a count"),
            ("count='4' stride=''", "`stride`: `` is not a count"),
            ("count='4' stride='-3'", "`stride`: `-3` is not a count"),
            ("count='4' stride='2'", "a stride of 2: expected 3 or more"),
            ("count='4' stride='0'", "a stride of 0"),
            (
                "count='5' stride='3'",
                "its accessor needs 5 points with stride 3 from offset 0, but there are 12 numbers",
            ),
            ("count='4' stride='3' offset='1'", "from offset 1"),
            ("count='4' stride='18446744073709551615'", "needs 4 points with stride 18446744073709551615"),
            ("count='4' stride='3' offset='18446744073709551615'", "from offset 18446744073709551615"),
            ("count='18446744073709551615' stride='3'", "needs 18446744073709551615 points"),
            ("count='4' stride='3' offset='x'", "`offset`: `x` is not a count"),
        ] {
            let error = with(accessor, plain).unwrap_err().to_string();
            assert!(error.contains(problem), "{accessor}: {error}");
        }
    }

    #[test]
    fn instances_are_limited() {
        let points = "0 0 0 1 0 0 0 1 0 ".repeat(50_000 / 3 + 1);
        let shown = "<instance_geometry url='#g'/>".repeat(20_000);
        let text = document("", SQUARE, &format!("<node>{shown}</node>"))
            .replace("0 0 0 1 0 0 1 1 0 0 1 0", &points)
            .replace("count='4'", "count='50000'");
        let error = parse_it(&text).unwrap_err();
        assert!(matches!(error, Error::Limit { .. }), "{error}");
        assert!(error.to_string().contains("<instance_geometry>: "), "{error}");
        // Nodes that double: a step is counted before a node is queued.
        let mut nodes = String::new();
        for level in 0..60 {
            let twice = format!("<instance_node url='#n{}'/>", level + 1).repeat(2);
            nodes += &format!("<node id='n{level}'>{twice}</node>");
        }
        nodes += "<node id='n60'><instance_geometry url='#g'/></node>";
        let error = parse_it(&document("", SQUARE, &nodes)).unwrap_err();
        assert!(error.to_string().contains("Limits::parts"), "{error}");
    }
}
