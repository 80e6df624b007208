//! COLLADA (`.dae`), as far as collision meshes use it: triangles and polygons, placed by the nodes of the scene.
//!
//! Lengths are taken to metres by the file's `<unit>`. Its `<up_axis>` is not heeded, as ROS does not: a URDF counts on the
//! coordinates as they stand. Polygons are cut as fans. Strips and fans of triangles, splines and skins are refused, so that nothing
//! is left out unseen; lines are passed over.

use std::collections::BTreeMap;
use std::path::Path;

use clearance::glam::{DAffine3, DMat4, DVec3};
use clearance_files::Geometry;
use roxmltree::Node;

use crate::error::Error;
use crate::urdf::read_text;
use crate::xml::{Xml, child, children, is};

/// How many nodes are walked, so that nodes that hold themselves end.
const NODES: usize = 100_000;

/// All that the scene shows, as one surface in metres.
pub(crate) fn read(path: &Path) -> Result<Geometry, Error> {
    parse(path, &read_text(path)?)
}

fn parse(path: &Path, text: &str) -> Result<Geometry, Error> {
    let xml = Xml::parse(path, text)?;
    let root = xml.root("COLLADA")?;
    let by_id: BTreeMap<&str, Node> =
        root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let metres = match child(root, "asset").and_then(|asset| child(asset, "unit")) {
        Some(unit) => xml.number(unit, "meter")?.unwrap_or(1.0),
        None => 1.0,
    };
    if metres.is_nan() || metres <= 0.0 {
        return Err(xml.fault(root, format!("its <unit> is {metres} metres long")));
    }
    let reader = Reader { xml: &xml, by_id };
    let mut whole = Geometry::default();
    let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    match scene {
        Some(instance) => {
            let scene = reader.referred(instance, "url")?;
            let scale = DAffine3::from_scale(DVec3::splat(metres));
            let mut waiting: Vec<(Node, DAffine3)> = children(scene, "node").map(|node| (node, scale)).collect();
            waiting.reverse();
            let mut walked = 0;
            while let Some((node, outer)) = waiting.pop() {
                walked += 1;
                if walked > NODES {
                    return Err(xml.fault(scene, format!("more than {NODES} nodes, or nodes that hold themselves")));
                }
                let placed = outer * reader.transform(node)?;
                let mut below = Vec::new();
                for inside in node.children().filter(Node::is_element) {
                    match inside.tag_name().name() {
                        "instance_geometry" => reader.add(reader.referred(inside, "url")?, &placed, &mut whole)?,
                        "instance_controller" => return Err(xml.fault(inside, "skins are not supported")),
                        "instance_node" => below.push((reader.referred(inside, "url")?, placed)),
                        "node" => below.push((inside, placed)),
                        _ => {}
                    }
                }
                waiting.extend(below.into_iter().rev());
            }
        }
        // Without a scene, everything is shown where it was modelled.
        None => {
            let scale = DAffine3::from_scale(DVec3::splat(metres));
            let library = child(root, "library_geometries");
            for geometry in library.into_iter().flat_map(|library| children(library, "geometry")) {
                reader.add(geometry, &scale, &mut whole)?;
            }
        }
    }
    match whole.triangles.is_empty() {
        true => Err(xml.fault(root, "holds no triangles")),
        false => Ok(whole),
    }
}

struct Reader<'x, 't> {
    xml: &'x Xml<'t>,
    by_id: BTreeMap<&'x str, Node<'x, 't>>,
}

impl<'x, 't> Reader<'x, 't> {
    fn referred(&self, node: Node<'x, 't>, attribute: &str) -> Result<Node<'x, 't>, Error> {
        let id = self.xml.attribute(node, attribute)?;
        let found = id.strip_prefix('#').and_then(|id| self.by_id.get(id)).copied();
        found.ok_or_else(|| self.xml.fault(node, format!("`{attribute}` is `{id}`, which is not in the file")))
    }

    fn numbers(&self, node: Node) -> Result<Vec<f64>, Error> {
        let text = node.text().unwrap_or_default();
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.xml.fault(node, format!("`{word}` is no number"))),
        };
        text.split_ascii_whitespace().map(number).collect()
    }

    fn indices(&self, node: Node) -> Result<Vec<usize>, Error> {
        let text = node.text().unwrap_or_default();
        let index = |word: &str| word.parse().map_err(|_| self.xml.fault(node, format!("`{word}` is no index")));
        text.split_ascii_whitespace().map(index).collect()
    }

    /// The transform of a node: its parts in their order, the first outermost.
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
                    None => return Err(self.xml.fault(part, "its axis has no length")),
                },
                _ => return Err(self.xml.fault(part, "is not supported, or has the wrong number of numbers")),
            };
            whole *= step;
        }
        Ok(whole)
    }

    /// Adds a geometry, placed.
    fn add(&self, geometry: Node<'x, 't>, placed: &DAffine3, whole: &mut Geometry) -> Result<(), Error> {
        let Some(mesh) = child(geometry, "mesh") else {
            return Err(self.xml.fault(geometry, "holds no <mesh>: splines and convex meshes are not supported"));
        };
        let mirrored = placed.matrix3.determinant() < 0.0;
        for part in mesh.children().filter(Node::is_element) {
            let name = part.tag_name().name();
            match name {
                "triangles" | "polylist" | "polygons" => {}
                "tristrips" | "trifans" => return Err(self.xml.fault(part, "is not supported: export triangles")),
                _ => continue,
            }
            let inputs: Vec<(Node, usize)> = {
                let offset = |input: Node<'x, 't>| {
                    let text = input.attribute("offset").unwrap_or("0");
                    text.parse()
                        .map(|offset| (input, offset))
                        .map_err(|_| self.xml.fault(input, "its `offset` is no index"))
                };
                children(part, "input").map(offset).collect::<Result<_, _>>()?
            };
            let stride = inputs.iter().map(|(_, offset)| offset + 1).max().unwrap_or(1);
            let Some(&(vertices, offset)) =
                inputs.iter().find(|(input, _)| input.attribute("semantic") == Some("VERTEX"))
            else {
                return Err(self.xml.fault(part, "has no <input> of vertices"));
            };
            let points = self.points(self.referred(vertices, "source")?)?;
            let first = whole.points.len();
            if u32::try_from(first + points.len()).is_err() {
                return Err(self.xml.fault(part, "too many points"));
            }
            whole.points.extend(points.iter().map(|&point| placed.transform_point3(point).to_array()));
            let mut polygon = |corners: &[usize]| -> Result<(), Error> {
                let mut named = Vec::with_capacity(corners.len() / stride);
                for corner in corners.chunks_exact(stride) {
                    let point = corner[offset];
                    if point >= points.len() {
                        return Err(self.xml.fault(part, format!("names point {point} of {}", points.len())));
                    }
                    named.push((first + point) as u32);
                }
                if let [head, tail @ ..] = &named[..] {
                    for pair in tail.windows(2) {
                        let (b, c) = if mirrored { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                        whole.triangles.push([*head, b, c]);
                    }
                }
                Ok(())
            };
            if child(part, "ph").is_some() {
                return Err(self.xml.fault(part, "polygons with holes are not supported"));
            }
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
                        if all.len() % size != 0 {
                            return Err(self.xml.fault(p, "ends in the middle of a triangle"));
                        }
                        all.chunks_exact(size).try_for_each(&mut polygon)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The positions of `<vertices>`.
    fn points(&self, vertices: Node<'x, 't>) -> Result<Vec<DVec3>, Error> {
        let mut inputs = children(vertices, "input");
        let Some(input) = inputs.find(|input| input.attribute("semantic") == Some("POSITION")) else {
            return Err(self.xml.fault(vertices, "has no <input> of positions"));
        };
        let source = self.referred(input, "source")?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride")).and_then(|text| text.parse().ok());
        let stride: usize = stride.unwrap_or(3);
        if stride < 3 {
            return Err(self.xml.fault(source, format!("{stride} numbers a point")));
        }
        let numbers = self.numbers(self.xml.child(source, "float_array")?)?;
        Ok(numbers.chunks_exact(stride).map(|point| DVec3::new(point[0], point[1], point[2])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(unit: &str, primitive: &str, node: &str) -> String {
        format!(
            "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'><asset>{unit}<up_axis>Y_UP</up_axis></asset>
             <library_geometries><geometry id='g'><mesh>
               <source id='s'><float_array id='f' count='12'>0 0 0 1 0 0 1 1 0 0 1 0</float_array>
                 <technique_common><accessor source='#f' count='4' stride='3'/></technique_common></source>
               <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>{primitive}</mesh></geometry></library_geometries>
             <library_visual_scenes><visual_scene id='scene'>{node}</visual_scene></library_visual_scenes>
             <scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
        )
    }

    const SHOWN: &str = "<node><instance_geometry url='#g'/></node>";
    const TRIANGLES: &str = "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/>
        <input semantic='NORMAL' source='#s' offset='1'/><p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>";

    #[test]
    fn triangles_polygons_units_and_nodes() {
        let read = |unit: &str, primitive: &str, node: &str| parse("a.dae".as_ref(), &document(unit, primitive, node));
        let plain = read("", TRIANGLES, SHOWN).unwrap();
        assert_eq!((plain.triangles.clone(), plain.points[2]), (vec![[0, 1, 2], [0, 2, 3]], [1.0, 1.0, 0.0]));
        let square = "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4</vcount><p>0 1 2 3</p></polylist>";
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
        let problem = |primitive: &str, node: &str| {
            parse("a.dae".as_ref(), &document("", primitive, node)).unwrap_err().to_string()
        };
        assert!(problem("<tristrips/>", SHOWN).contains("export triangles"));
        assert!(problem(&TRIANGLES.replace("2 0 3 0", "2 0 9 0"), SHOWN).contains("point 9 of 4"));
        assert!(problem(&TRIANGLES.replace("2 0 3 0", "2 0"), SHOWN).contains("in the middle"));
        assert!(problem(TRIANGLES, "<node><instance_geometry url='#h'/></node>").contains("`#h`"));
        assert!(problem(TRIANGLES, "<node id='n'><instance_node url='#n'/></node>").contains("hold themselves"));
        assert!(problem("", SHOWN).contains("no triangles"));
    }
}
