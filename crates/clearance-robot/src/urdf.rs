//! URDF: links, joints and collision geometry, as the file has them.
//!
//! The XML is parsed by `roxmltree`, which keeps source locations. Elements that this crate does not use (visual
//! geometry, inertia, transmissions, simulator tags) are ignored. Angles are in radians, lengths in metres, as in URDF.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};
use clearance_files::{Limits, read_input, utf8};
use roxmltree::Node;

use crate::error::Error;
use crate::limits::LONGEST_NAME;
use crate::robot_file::RobotFile;
use crate::xml::{Xml, child, children};

/// A robot as described by its URDF: nothing is loaded or computed.
///
/// ```
/// use clearance_robot::{Description, JointKind};
/// let text = r#"<robot name="two">
///   <link name="base"/>
///   <link name="arm"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
///   <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
/// </robot>"#;
/// let description = Description::parse("two.urdf", text).unwrap();
/// assert_eq!(description.joints[0].kind, JointKind::Continuous);
/// assert_eq!(description.links[1].collisions.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The name of the robot.
    pub name: String,
    /// The links, in file order.
    pub links: Vec<Link>,
    /// The joints, in file order.
    pub joints: Vec<Joint>,
    /// The file, for messages and to find meshes next to it.
    pub path: PathBuf,
}

/// A rigid part of a robot.
///
/// ```
/// # use clearance_robot::Description;
/// let description = Description::parse("one.urdf", r#"<robot name="one"><link name="base"/></robot>"#).unwrap();
/// assert_eq!(description.links[0].name, "base");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name, unique in the robot.
    pub name: String,
    /// Its collision geometry; often empty.
    pub collisions: Vec<Collision>,
    /// Whether it has visual geometry, which is not checked.
    pub is_visible: bool,
}

/// A collision geometry of a link.
///
/// ```
/// # use clearance_robot::{Description, Geometry};
/// # let text = r#"<robot name="one"><link name="base">
/// #   <collision><origin xyz="0 0 1"/><geometry><sphere radius="2"/></geometry></collision></link></robot>"#;
/// let description = Description::parse("one.urdf", text).unwrap();
/// let collision = &description.links[0].collisions[0];
/// assert_eq!((&collision.geometry, collision.origin.translation().z), (&Geometry::Sphere { radius: 2.0 }, 1.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// The name, if it has one.
    pub name: Option<String>,
    /// Its pose in the frame of the link.
    pub origin: Pose,
    /// Its geometry.
    pub geometry: Geometry,
}

/// The geometry types of URDF.
///
/// ```
/// use clearance_robot::Geometry;
/// assert_ne!(Geometry::Sphere { radius: 1.0 }, Geometry::Cylinder { radius: 1.0, length: 2.0 });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box centred at the origin.
    Box {
        /// Full side lengths.
        size: DVec3,
    },
    /// A cylinder along the z axis, centred at the origin.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its full length.
        length: f64,
    },
    /// A capsule along the z axis, centred at the origin.
    Capsule {
        /// Its radius.
        radius: f64,
        /// The length of its cylindrical part.
        length: f64,
    },
    /// A sphere centred at the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A mesh file.
    Mesh {
        /// The URI in the URDF: `package://`, `file://` or a path.
        uri: String,
        /// Scale factors; negative ones mirror.
        scale: DVec3,
    },
}

/// Joint types.
///
/// ```
/// use clearance_robot::JointKind;
/// assert_eq!(JointKind::Floating.variables(), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Does not move.
    Fixed,
    /// Rotates about its axis, within limits: one angle.
    Revolute,
    /// Rotates about its axis without limits: one angle.
    Continuous,
    /// Slides along its axis, within limits: one length.
    Prismatic,
    /// Moves in the plane normal to its axis: two lengths and the angle about the axis.
    Planar,
    /// Moves freely: a translation and a quaternion `x y z w`.
    Floating,
}

impl JointKind {
    /// The number of variables.
    ///
    /// ```
    /// assert_eq!(clearance_robot::JointKind::Planar.variables(), 3);
    /// ```
    pub fn variables(self) -> usize {
        self.suffixes().len()
    }

    /// Suffixes appended to the name of the joint to name its variables.
    pub(crate) fn suffixes(self) -> &'static [&'static str] {
        match self {
            JointKind::Fixed => &[],
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => &[""],
            JointKind::Planar => &["/x", "/y", "/theta"],
            JointKind::Floating => &["/trans_x", "/trans_y", "/trans_z", "/rot_x", "/rot_y", "/rot_z", "/rot_w"],
        }
    }
}

/// A joint connecting two links.
///
/// ```
/// # use clearance_robot::Description;
/// # let text = r#"<robot name="two"><link name="a"/><link name="b"/><joint name="slide" type="prismatic">
/// #   <parent link="a"/><child link="b"/><limit lower="0" upper="0.5"/></joint></robot>"#;
/// let joint = &Description::parse("two.urdf", text).unwrap().joints[0];
/// assert_eq!((joint.parent, joint.child, joint.limits), (0, 1, Some([0.0, 0.5])));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, unique in the robot.
    pub name: String,
    /// Its type.
    pub kind: JointKind,
    /// The parent link, as an index into [`Description::links`].
    pub parent: usize,
    /// The child link.
    pub child: usize,
    /// The frame of the child in that of the parent with the joint at zero.
    pub origin: Pose,
    /// The unit axis in the frame of the child.
    pub axis: DVec3,
    /// Lower and upper limit, for revolute and prismatic joints.
    pub limits: Option<[f64; 2]>,
    /// Velocity limit, if given.
    pub velocity: Option<f64>,
    /// The joint that it mimics, if any.
    pub mimic: Option<Mimic>,
}

/// A joint that mimics another: `multiplier * value + offset`.
///
/// ```
/// let mimic = clearance_robot::Mimic { joint: "left".into(), multiplier: -1.0, offset: 0.0 };
/// assert_eq!(mimic.joint, "left");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The joint that is mimicked.
    pub joint: String,
    /// Factor of its value.
    pub multiplier: f64,
    /// Added to the product.
    pub offset: f64,
}

impl Description {
    /// Reads a URDF from text. `path` is used in messages and to find meshes.
    ///
    /// # Errors
    /// [`Error::WrongFormat`] for an SRDF or a xacro file, [`Error::Malformed`].
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Description, Error> {
        let xml = RobotFile::Urdf.parse(path.as_ref(), text)?;
        let root = xml.root("robot")?;
        let name = root.attribute("name").unwrap_or_default().to_owned();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut links = Vec::new();
        for node in children(root, "link") {
            let link = link(&xml, node)?;
            if numbers.insert(xml.attribute(node, "name")?, links.len()).is_some() {
                return Err(xml.fault(node, "a second link of this name"));
            }
            links.push(link);
        }
        let (mut joints, mut names) = (Vec::new(), BTreeSet::new());
        for node in children(root, "joint") {
            let joint = joint(&xml, node, &numbers)?;
            if !names.insert(joint.name.clone()) {
                return Err(xml.fault(node, "a second joint of this name"));
            }
            joints.push(joint);
        }
        Ok(Description { name, links, joints, path: path.as_ref().to_owned() })
    }

    /// Reads a URDF file.
    ///
    /// # Errors
    /// [`Error::Io`], otherwise as [`Description::parse`].
    ///
    /// ```
    /// assert!(clearance_robot::Description::read("nowhere.urdf").is_err());
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Description, Error> {
        let path = path.as_ref();
        Description::parse(path, &read_text(path)?)
    }
}

/// The text of a URDF or SRDF, from a file or pipe, read once; devices and folders are refused.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Limit`] for more than [`Limits::file`] bytes.
///
/// ```
/// let error = clearance_robot::read_text(&std::env::temp_dir()).unwrap_err();
/// assert!(error.to_string().ends_with("is a folder; a file or a pipe is needed"), "{error}");
/// ```
pub fn read_text(path: &Path) -> Result<String, Error> {
    let text = read_input(path, Limits::default().file).and_then(|bytes| utf8(path, bytes));
    text.map_err(Error::from_files)
}

fn link(xml: &Xml, node: Node) -> Result<Link, Error> {
    let name = xml.attribute(node, "name")?.to_owned();
    let mut collisions = Vec::new();
    for node in children(node, "collision") {
        let geometry = geometry(xml, xml.child(node, "geometry")?)?;
        let name = node.attribute("name").filter(|name| !name.is_empty()).map(str::to_owned);
        collisions.push(Collision { name, origin: origin(xml, node)?, geometry });
    }
    Ok(Link { name, collisions, is_visible: child(node, "visual").is_some() })
}

fn geometry(xml: &Xml, node: Node) -> Result<Geometry, Error> {
    let Some(shape) = node.children().find(Node::is_element) else {
        return Err(xml.fault(node, "is empty: expected a <box>, <cylinder>, <capsule>, <sphere> or <mesh>"));
    };
    let number = |name: &str| {
        let number = xml.number(shape, name)?.ok_or_else(|| xml.fault(shape, format!("no attribute `{name}`")))?;
        if number > 0.0 { Ok(number) } else { Err(xml.fault(shape, format!("`{name}` must be above 0, got {number}"))) }
    };
    match shape.tag_name().name() {
        "box" => {
            let size = xml.vector(shape, "size")?.ok_or_else(|| xml.fault(shape, "no attribute `size`"))?;
            if size.min_element() > 0.0 {
                Ok(Geometry::Box { size })
            } else {
                Err(xml.fault(shape, format!("`size` must be three numbers above 0, got {size}")))
            }
        }
        "cylinder" => Ok(Geometry::Cylinder { radius: number("radius")?, length: number("length")? }),
        "capsule" => Ok(Geometry::Capsule { radius: number("radius")?, length: number("length")? }),
        "sphere" => Ok(Geometry::Sphere { radius: number("radius")? }),
        "mesh" => {
            let uri = xml.attribute(shape, "filename")?.trim().to_owned();
            let scale = xml.vector(shape, "scale")?.unwrap_or(DVec3::ONE);
            if uri.len() > LONGEST_NAME {
                let problem = format!("`filename` has {} bytes, more than {LONGEST_NAME}, the longest path", uri.len());
                return Err(xml.fault(shape, problem));
            }
            if uri.is_empty() || scale.abs().min_element() == 0.0 {
                return Err(xml.fault(shape, "expected a `filename`, and a `scale` without zeros"));
            }
            Ok(Geometry::Mesh { uri, scale })
        }
        other => {
            let kinds = "box, cylinder, capsule, sphere or mesh";
            Err(xml.fault(shape, format!("unknown geometry `{other}`: expected {kinds}")))
        }
    }
}

/// The `<origin>` of an element; the identity if there is none.
fn origin(xml: &Xml, node: Node) -> Result<Pose, Error> {
    let Some(node) = child(node, "origin") else { return Ok(Pose::IDENTITY) };
    let translation = xml.vector(node, "xyz")?.unwrap_or(DVec3::ZERO);
    let angles = xml.vector(node, "rpy")?.unwrap_or(DVec3::ZERO);
    Pose::new(roll_pitch_yaw(angles), translation).map_err(|error| xml.fault(node, error.to_string()))
}

/// Rotation about x, then y, then z, all in the parent's frame.
fn roll_pitch_yaw(angles: DVec3) -> DMat3 {
    if angles == DVec3::ZERO {
        return DMat3::IDENTITY;
    }
    DMat3::from_rotation_z(angles.z) * DMat3::from_rotation_y(angles.y) * DMat3::from_rotation_x(angles.x)
}

fn joint(xml: &Xml, node: Node, links: &BTreeMap<&str, usize>) -> Result<Joint, Error> {
    let name = xml.attribute(node, "name")?.to_owned();
    let kind = match xml.attribute(node, "type")? {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        other => {
            let kinds = "fixed, revolute, continuous, prismatic, planar or floating";
            return Err(xml.fault(node, format!("unknown type `{other}`: expected {kinds}")));
        }
    };
    let end = |which: &str| {
        let at = xml.child(node, which)?;
        let name = xml.attribute(at, "link")?;
        links.get(name).copied().ok_or_else(|| xml.fault(node, format!("its {which} link `{name}` does not exist")))
    };
    let (parent, child_link) = (end("parent")?, end("child")?);
    let axis = match child(node, "axis") {
        Some(axis) => xml.vector(axis, "xyz")?.unwrap_or(DVec3::X),
        None => DVec3::X,
    };
    let length = axis.length();
    let moves_along_axis = !matches!(kind, JointKind::Fixed | JointKind::Floating);
    if moves_along_axis && length < 1e-9 {
        return Err(xml.fault(node, "its <axis> has zero length"));
    }
    let limit = child(node, "limit");
    let limits = match (kind, limit) {
        (JointKind::Revolute | JointKind::Prismatic, Some(limit)) => {
            let end = |name| Ok::<f64, Error>(xml.number(limit, name)?.unwrap_or(0.0));
            let [lower, upper] = [end("lower")?, end("upper")?];
            if lower > upper {
                return Err(xml.fault(limit, format!("`lower` ({lower}) is above `upper` ({upper})")));
            }
            Some([lower, upper])
        }
        (JointKind::Revolute | JointKind::Prismatic, None) => {
            return Err(xml.fault(node, "no <limit>: revolute and prismatic joints require one"));
        }
        _ => None,
    };
    let mimic = match child(node, "mimic") {
        Some(mimic) => Some(Mimic {
            joint: xml.attribute(mimic, "joint")?.to_owned(),
            multiplier: xml.number(mimic, "multiplier")?.unwrap_or(1.0),
            offset: xml.number(mimic, "offset")?.unwrap_or(0.0),
        }),
        None => None,
    };
    let velocity = match limit {
        Some(limit) => xml.number(limit, "velocity")?,
        None => None,
    };
    let axis = if length > 0.0 { axis / length } else { DVec3::X };
    Ok(Joint { name, kind, parent, child: child_link, origin: origin(xml, node)?, axis, limits, velocity, mimic })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Description::parse("r.urdf", text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_element_and_the_line() {
        assert_eq!(
            problem(
                "<robot>\n<link name='a'>\n<collision><geometry><box size='1 1'/></geometry></collision></link></robot>"
            ),
            "r.urdf: line 3: <box>: `size` has 2 numbers, expected 3"
        );
        assert!(problem("<robot><link name='a'/><link name='a'/></robot>").contains("<link> `a`: a second link"));
        assert!(problem("<robo/>").contains("expected <robot>"));
        assert!(problem("<robot><link></robot>").contains("XML"));
        let joint = |inside: &str| {
            problem(&format!("<robot><link name='a'/><link name='b'/><joint name='j' {inside}</joint></robot>"))
        };
        assert!(joint("type='hinge'>").contains("unknown type `hinge`"));
        assert!(
            joint("type='fixed'><parent link='a'/><child link='c'/>").contains("its child link `c` does not exist")
        );
        assert!(joint("type='revolute'><parent link='a'/><child link='b'/>").contains("no <limit>"));
        assert!(
            joint("type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/>").contains("zero length")
        );
        assert!(
            joint("type='prismatic'><parent link='a'/><child link='b'/><limit lower='1' upper='0'/>").contains("above")
        );
        let scaled =
            "<robot><link name='a'><collision><geometry><sphere radius='${r}'/></geometry></collision></link></robot>";
        assert!(problem(scaled).contains("xacro"));
    }

    #[test]
    fn roll_comes_first() {
        let turned = roll_pitch_yaw(DVec3::new(0.5, 0.0, 0.7)) * DVec3::Y;
        let by_hand = DMat3::from_rotation_z(0.7) * (DMat3::from_rotation_x(0.5) * DVec3::Y);
        assert!(turned.abs_diff_eq(by_hand, 1e-15));
        assert_eq!(roll_pitch_yaw(DVec3::ZERO), DMat3::IDENTITY);
    }
}
