//! A robot ready for queries: links grouped into segments, joints into variables, geometry into bodies.
//!
//! Links connected by fixed joints never move relative to each other. They form one *segment*, whose frame is that of
//! its first link; forward kinematics works on segments only. Equation (14) of Redon's notes on articulated bodies
//! gives the frame of a segment as the product along its chain, the joint's own matrix last. For a revolute joint that
//! matrix is `K + cos C + sin S` with three constant matrices (Rodrigues), which include the rotation of the joint's
//! origin.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_files::Limits;

use crate::error::Error;
use crate::frame::Frame;
use crate::geometry::{LoadedMesh, Loader, Solid, note_on_surfaces};
use crate::hull_tree::HullTree;
use crate::package::Packages;
use crate::random::Random;
use crate::srdf::GroupState;
use crate::urdf::{Description, JointKind};

/// A bounding sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ball {
    pub centre: DVec3,
    pub radius: f64,
}

/// How a robot is loaded.
///
/// ```
/// let options = clearance_robot::LoadOptions::default();
/// assert!(options.packages.given.is_empty() && options.meshes.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Where to look for packages.
    pub packages: Packages,
    /// Preloaded meshes. A mesh whose URI and scale in the URDF match one of these is taken from here; no file is read.
    pub meshes: Vec<LoadedMesh>,
    /// How far the meshes of all links together may expand, beyond what their file sizes account for.
    pub limits: Limits,
}

/// One variable of a configuration: the value of a joint, or one of its values.
///
/// ```
/// # use clearance_robot::{LoadOptions, Robot};
/// # let text = r#"<robot name="r"><link name="a"/>
/// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
/// # </link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
/// #    <limit lower="-1" upper="2"/></joint></robot>"#;
/// let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
/// let variable = &robot.variables()[0];
/// assert_eq!((variable.name.as_str(), variable.lower, variable.upper), ("j", -1.0, 2.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name of the joint; joints of several variables append `/x`, `/y`, `/theta`, `/trans_x` and so on.
    pub name: String,
    /// Lower limit. For joints without limits: -pi for angles, minus infinity for lengths, -1 for quaternion
    /// components.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
    /// Whether it is an unlimited angle (a continuous joint).
    pub endless: bool,
    /// What it measures.
    pub dimension: Dimension,
}

impl Variable {
    /// Whether a value lies beyond the limits; never for an unlimited angle.
    ///
    /// ```
    /// use clearance_robot::{Dimension, Variable};
    /// let (lower, upper, dimension) = (-1.0, 2.0, Dimension::Angle);
    /// let elbow = Variable { name: "elbow".into(), lower, upper, endless: false, dimension };
    /// assert!(elbow.is_beyond(2.5) && !elbow.is_beyond(2.0));
    /// ```
    pub fn is_beyond(&self, value: f64) -> bool {
        !self.endless && (value < self.lower || value > self.upper)
    }
}

/// What a variable measures, and so its unit.
///
/// ```
/// use clearance_robot::Dimension;
/// assert_eq!((Dimension::Angle.unit(), Dimension::Length.unit()), (Some("rad"), Some("m")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// An angle, in radians.
    Angle,
    /// A length, in metres.
    Length,
    /// A component of a quaternion.
    Quaternion,
}

impl Dimension {
    /// The unit of its values; a quaternion has none.
    ///
    /// ```
    /// assert_eq!(clearance_robot::Dimension::Quaternion.unit(), None);
    /// ```
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("rad"),
            Dimension::Length => Some("m"),
            Dimension::Quaternion => None,
        }
    }
}

/// A segment and the joint that moves it relative to its parent.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The parent segment; its index is always lower.
    pub parent: usize,
    /// The joint frame at zero, in the frame of the parent segment.
    pub origin: Frame,
    pub kind: JointKind,
    pub axis: DVec3,
    /// Index of its first variable.
    pub variable: usize,
    /// For mimic joints; 1, and an offset of 0, otherwise.
    pub multiplier: f64,
    pub offset: f64,
    /// `origin.rotation` times the constant, cosine and sine parts of the rotation about the axis.
    turn: [DMat3; 3],
}

impl Segment {
    /// The segment's frame in that of its parent.
    fn frame(&self, q: &[f64]) -> Frame {
        let value = |k: usize| q[self.variable + k];
        match self.kind {
            JointKind::Fixed => self.origin,
            JointKind::Revolute | JointKind::Continuous => {
                Frame { rotation: self.turned(self.multiplier * value(0) + self.offset), ..self.origin }
            }
            JointKind::Prismatic => {
                let slid = self.axis * (self.multiplier * value(0) + self.offset);
                Frame { translation: self.origin.point(slid), ..self.origin }
            }
            JointKind::Planar => {
                let [right, up] = across(self.axis);
                let slid = right * value(0) + up * value(1);
                Frame { rotation: self.turned(value(2)), translation: self.origin.point(slid) }
            }
            JointKind::Floating => {
                let turn = DQuat::from_xyzw(value(3), value(4), value(5), value(6)).normalize();
                let slid = DVec3::new(value(0), value(1), value(2));
                self.origin.then(&Frame { rotation: DMat3::from_quat(turn), translation: slid })
            }
        }
    }

    #[inline]
    fn turned(&self, angle: f64) -> DMat3 {
        let (sine, cosine) = angle.sin_cos();
        self.turn[0] + self.turn[1] * cosine + self.turn[2] * sine
    }
}

/// Two unit directions that span the plane normal to an axis: x and y, under the rotation that takes z to the axis.
pub(crate) fn across(axis: DVec3) -> [DVec3; 2] {
    let turn = DQuat::from_rotation_arc(DVec3::Z, axis);
    [turn * DVec3::X, turn * DVec3::Y]
}

/// A collision geometry of a link.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub link: usize,
    pub segment: usize,
    /// In the frame of the segment.
    pub frame: Frame,
    pub shape: Shape,
    /// In the frame of the segment.
    pub ball: Ball,
    /// Set for meshes only.
    pub hulls: Option<Arc<HullTree>>,
}

/// A robot: links, joints, bodies.
///
/// ```
/// use clearance_robot::{LoadOptions, Robot};
/// let text = r#"<robot name="arm">
///   <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
///   <link name="upper"><collision><origin xyz="0 0 0.5"/>
///     <geometry><cylinder radius="0.05" length="1"/></geometry></collision></link>
///   <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
///     <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
/// </robot>"#;
/// let robot = Robot::parse("arm.urdf", text, &LoadOptions::default()).unwrap();
/// let poses = robot.link_poses(&[std::f64::consts::FRAC_PI_2]).unwrap();
/// let tip = poses[1].transform_point([0.0, 0.0, 1.0].into());
/// assert!(tip.abs_diff_eq([1.0, 0.0, 0.1].into(), 1e-15));
/// ```
#[derive(Clone, Debug)]
pub struct Robot {
    description: Description,
    variables: Vec<Variable>,
    pub(crate) segments: Vec<Segment>,
    /// For each link, its segment and its frame in that segment.
    pub(crate) places: Vec<(usize, Frame)>,
    pub(crate) bodies: Vec<Body>,
    meshes: Vec<LoadedMesh>,
    notes: Vec<String>,
    names: Names,
    /// The joints, parents before children.
    order: Vec<usize>,
}

/// Indices by name.
#[derive(Clone, Debug)]
struct Names {
    links: BTreeMap<String, usize>,
    joints: BTreeMap<String, usize>,
    variables: BTreeMap<String, usize>,
}

impl Names {
    fn new(description: &Description, variables: &[Variable]) -> Names {
        // The first of a name wins: a description that was built by hand may have duplicates.
        fn numbered<'n>(names: impl Iterator<Item = &'n String>) -> BTreeMap<String, usize> {
            let mut numbers = BTreeMap::new();
            for (number, name) in names.enumerate() {
                numbers.entry(name.clone()).or_insert(number);
            }
            numbers
        }
        Names {
            links: numbered(description.links.iter().map(|link| &link.name)),
            joints: numbered(description.joints.iter().map(|joint| &joint.name)),
            variables: numbered(variables.iter().map(|variable| &variable.name)),
        }
    }
}

impl Robot {
    /// Reads a URDF file and the meshes it refers to.
    ///
    /// # Errors
    /// [`Error`], naming the element.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// assert!(Robot::load("nowhere.urdf", &LoadOptions::default()).is_err());
    /// ```
    pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Robot, Error> {
        Robot::new(Description::read(path)?, options)
    }

    /// Reads a URDF from text, and the meshes it refers to. `path` is used in messages and to find meshes.
    ///
    /// # Errors
    /// [`Error`], naming the element.
    pub fn parse(path: impl AsRef<Path>, text: &str, options: &LoadOptions) -> Result<Robot, Error> {
        Robot::new(Description::parse(path, text)?, options)
    }

    /// Loads the geometry of a description.
    ///
    /// # Errors
    /// [`Error::NotATree`], [`Error::NoCollisionGeometry`], [`Error::MissingMesh`], [`Error::Mesh`], [`Error::Body`],
    /// [`Error::UnknownJoint`] for a joint that mimics one that does not exist.
    ///
    /// ```
    /// # use clearance_robot::{Description, Error, LoadOptions, Robot};
    /// let bare = Description::parse("r.urdf", r#"<robot name="r"><link name="a"/></robot>"#).unwrap();
    /// assert!(matches!(Robot::new(bare, &LoadOptions::default()), Err(Error::NoCollisionGeometry { .. })));
    /// ```
    pub fn new(description: Description, options: &LoadOptions) -> Result<Robot, Error> {
        let order = tree_order(&description)?;
        let mut variables: Vec<Variable> = Vec::new();
        // For each joint, the index of its first variable.
        let mut first = vec![usize::MAX; description.joints.len()];
        for (number, joint) in description.joints.iter().enumerate() {
            if joint.mimic.is_some() {
                continue;
            }
            first[number] = variables.len();
            for (which, suffix) in joint.kind.suffixes().iter().enumerate() {
                let (lower, upper, endless) = range(joint.kind, which, joint.limits);
                let (name, dimension) = (format!("{}{suffix}", joint.name), dimension(joint.kind, which));
                variables.push(Variable { name, lower, upper, endless, dimension });
            }
        }
        let names = Names::new(&description, &variables);
        let followed = follow(&description, &names.joints, &variables)?;
        let mut segments = vec![Segment::moved_by(0, Frame::IDENTITY, JointKind::Fixed, DVec3::X, 0, 1.0, 0.0)];
        let mut places = vec![(0, Frame::IDENTITY); description.links.len()];
        for &number in &order {
            let joint = &description.joints[number];
            let (parent, frame) = places[joint.parent];
            let origin = frame.then(&Frame::of(&joint.origin));
            if joint.kind == JointKind::Fixed {
                places[joint.child] = (parent, origin);
                continue;
            }
            let Followed { joint: followed, multiplier, offset } = followed[number];
            places[joint.child] = (segments.len(), Frame::IDENTITY);
            segments.push(Segment::moved_by(
                parent,
                origin,
                joint.kind,
                joint.axis,
                first[followed],
                multiplier,
                offset,
            ));
        }
        let mut loader = Loader::new(options);
        let mut bodies = Vec::new();
        for (number, link) in description.links.iter().enumerate() {
            for collision in &link.collisions {
                let solid = loader.body(&link.name, &collision.geometry, &description.path)?;
                let (segment, place) = places[number];
                let frame = place.then(&Frame::of(&collision.origin));
                // Checked here, so that no later composition can fail.
                frame.pose().map_err(|problem| Error::Body { name: link.name.clone(), problem })?;
                bodies.push(Body::new(number, segment, frame, solid));
            }
        }
        if bodies.is_empty() {
            return Err(Error::NoCollisionGeometry { robot: description.name });
        }
        let meshes = loader.meshes;
        let mut notes: Vec<String> = note_on_surfaces(&meshes).into_iter().collect();
        let unchecked: Vec<&str> = (description.links.iter())
            .filter(|link| link.is_visible && link.collisions.is_empty())
            .map(|link| link.name.as_str())
            .collect();
        if !unchecked.is_empty() {
            notes.push(format!(
                "links with <visual> but no <collision>, which are not checked: {}",
                unchecked.join(", ")
            ));
        }
        Ok(Robot { description, variables, segments, places, bodies, meshes, notes, names, order })
    }

    /// The robot as its URDF describes it.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r">
    /// #    <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!(robot.description().name, "r");
    /// ```
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The variables of a configuration, in order: the joints of the file that move independently.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The index of a variable.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r">
    /// #    <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!(robot.variable("elbow"), None);
    /// ```
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.names.variables.get(name).copied()
    }

    /// The meshes that the URDF refers to, each URI and scale once, in file order: the input of
    /// [`LoadOptions::meshes`].
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r">
    /// #    <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert!(robot.meshes().is_empty());
    /// ```
    pub fn meshes(&self) -> &[LoadedMesh] {
        &self.meshes
    }

    /// Remarks on how geometry was loaded, one line each: which meshes are treated as surfaces
    /// ([`LoadedMesh::why_open`]), and which links have visual geometry but none to check.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r">
    /// #    <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert!(robot.notes().is_empty());
    /// ```
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The index of a link.
    ///
    /// # Errors
    /// [`Error::UnknownLink`]; `at` says where the name was found.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r">
    /// #    <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!(robot.link("a", "here"), Ok(0));
    /// assert_eq!(robot.link("b", "r.srdf").unwrap_err().to_string(), "r.srdf: the robot has no link `b`");
    /// ```
    pub fn link(&self, name: &str, at: &str) -> Result<usize, Error> {
        self.names.links.get(name).copied().ok_or_else(|| Error::UnknownLink { name: name.into(), at: at.into() })
    }

    /// The joints, parents before children.
    pub(crate) fn tree_order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn link_name(&self, link: usize) -> &str {
        &self.description.links[link].name
    }

    /// A configuration from names and values; variables that are not named keep their value in `rest`.
    ///
    /// # Errors
    /// [`Error::UnknownJoint`], [`Error::WrongLength`] and [`Error::NotAValue`] for `rest`.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!(robot.configuration([("j", 0.5)], &robot.middle()), Ok(vec![0.5]));
    /// assert!(robot.configuration([("k", 0.5)], &robot.middle()).is_err());
    /// ```
    pub fn configuration<'n>(
        &self,
        values: impl IntoIterator<Item = (&'n str, f64)>,
        rest: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let mut q = rest.to_vec();
        self.check_configuration(&q)?;
        for (name, value) in values {
            let place = self.names.variables.get(name).copied();
            let unknown = || Error::UnknownJoint { name: name.into(), variables: self.variable_names() };
            q[place.ok_or_else(unknown)?] = value;
        }
        self.check_configuration(&q)?;
        Ok(q)
    }

    /// The configuration of a named SRDF state; joints that it does not name keep their value in `rest`. Fixed and
    /// mimic joints may be named; their values are ignored.
    ///
    /// # Errors
    /// [`Error::UnknownJoint`] for a joint that the robot does not have, [`Error::BadOption`] for one with the wrong
    /// number of values, otherwise as [`Robot::configuration`].
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot, Srdf};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="planar"><parent link="a"/><child link="b"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let state = |joint: &str| {
    ///     let text = format!("<robot name='r'><group_state name='home' group='all'>{joint}</group_state></robot>");
    ///     robot.state(&Srdf::parse("r.srdf", &text).unwrap().states[0], &robot.middle())
    /// };
    /// assert_eq!(state("<joint name='j' value='1 2 0.5'/>"), Ok(vec![1.0, 2.0, 0.5]));
    /// assert!(state("<joint name='j' value='1'/>").is_err() && state("<joint name='k' value='1'/>").is_err());
    /// ```
    pub fn state(&self, state: &GroupState, rest: &[f64]) -> Result<Vec<f64>, Error> {
        let mut q = rest.to_vec();
        self.check_configuration(&q)?;
        for (name, values) in &state.joints {
            let joint = self.names.joints.get(name).map(|&joint| &self.description.joints[joint]);
            let unknown = || Error::UnknownJoint { name: name.clone(), variables: self.variable_names() };
            let joint = joint.ok_or_else(unknown)?;
            if joint.kind == JointKind::Fixed || joint.mimic.is_some() {
                continue;
            }
            let suffixes = joint.kind.suffixes();
            if values.len() != suffixes.len() {
                let problem = format!(
                    "group_state `{}`: joint `{name}` has {} values, expected {}",
                    state.name,
                    values.len(),
                    suffixes.len()
                );
                return Err(Error::BadOption { problem });
            }
            let first = format!("{name}{}", suffixes[0]);
            let place = self.names.variables.get(&first).copied().ok_or_else(unknown)?;
            q[place..place + values.len()].copy_from_slice(values);
        }
        self.check_configuration(&q)?;
        Ok(q)
    }

    /// The variables of a configuration that lie beyond their limits, by index.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    /// #    <limit lower="-1" upper="2"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!((robot.beyond_limits(&[3.0]), robot.beyond_limits(&[0.0])), (vec![0], vec![]));
    /// ```
    pub fn beyond_limits(&self, q: &[f64]) -> Vec<usize> {
        let all = self.variables.iter().zip(q).enumerate();
        all.filter(|(_, (variable, value))| variable.is_beyond(**value)).map(|(number, _)| number).collect()
    }

    /// Whether the angles of a configuration look like degrees: one of them is more than a turn and beyond its limits,
    /// and read as degrees all of them are within their limits.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    /// #    <limit lower="-1" upper="2"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert!(robot.looks_like_degrees(&[45.0]));
    /// assert!(!robot.looks_like_degrees(&[2.5]) && !robot.looks_like_degrees(&[720.0]));
    /// ```
    pub fn looks_like_degrees(&self, q: &[f64]) -> bool {
        let angles = || {
            let all = self.variables.iter().zip(q.iter().copied());
            all.filter(|(variable, _)| variable.dimension == Dimension::Angle)
        };
        angles().any(|(variable, value)| value.abs() > std::f64::consts::TAU && variable.is_beyond(value))
            && !angles().any(|(variable, value)| variable.is_beyond(value.to_radians()))
    }

    /// The default configuration: zero where the limits allow it, otherwise the middle of the limits; quaternions are
    /// the identity. These are the default values of MoveIt.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    /// #    <limit lower="1" upper="2"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// assert_eq!(robot.middle(), [1.5]);
    /// ```
    pub fn middle(&self) -> Vec<f64> {
        let middle = |variable: &Variable| {
            if variable.name.ends_with("/rot_w") {
                1.0
            } else if variable.lower <= 0.0 && 0.0 <= variable.upper {
                0.0
            } else {
                0.5 * (variable.lower + variable.upper)
            }
        };
        self.variables.iter().map(middle).collect()
    }

    /// Configurations drawn uniformly from within the limits, the same for the same seed on every machine. Lengths
    /// without limits are drawn from -1 to 1.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    /// #    <limit lower="1" upper="2"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let drawn = robot.random_configurations(7, 3);
    /// assert!(drawn.iter().all(|q| (1.0..2.0).contains(&q[0])));
    /// assert_eq!(drawn, robot.random_configurations(7, 3));
    /// ```
    pub fn random_configurations(&self, seed: u64, count: usize) -> Vec<Vec<f64>> {
        let mut random = Random::new(seed);
        let mut draw = || {
            let mut q = Vec::new();
            random.configuration(&self.variables, &mut q);
            q
        };
        (0..count).map(|_| draw()).collect()
    }

    fn variable_names(&self) -> Vec<String> {
        self.variables.iter().map(|variable| variable.name.clone()).collect()
    }

    /// Checks that a configuration has the right length and valid values.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotAValue`]. Values beyond the joint limits are allowed.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot};
    /// # let text = r#"<robot name="r"><link name="a"/>
    /// #    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
    /// # </link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let error = robot.check_configuration(&[0.0, 1.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "expected 1 value (j), got 2");
    /// ```
    pub fn check_configuration(&self, q: &[f64]) -> Result<(), Error> {
        if q.len() != self.variables.len() {
            return Err(Error::WrongLength { given: q.len(), variables: self.variable_names() });
        }
        let no_value =
            |number: usize| Error::NotAValue { variable: self.variables[number].name.clone(), value: q[number] };
        // Beyond this, sines have no correct digits and translations leave the engine's range.
        if let Some(number) = q.iter().position(|value| value.is_nan() || value.abs() > 1e15) {
            return Err(no_value(number));
        }
        for segment in self.segments.iter().filter(|segment| segment.kind == JointKind::Floating) {
            let turn = &q[segment.variable + 3..segment.variable + 7];
            let square: f64 = turn.iter().map(|part| part * part).sum();
            if !(1e-12..=1e12).contains(&square) {
                return Err(no_value(segment.variable + 6));
            }
        }
        Ok(())
    }

    /// The pose of every link, in the order of [`Description::links`]; the root link is at the world origin.
    ///
    /// # Errors
    /// As [`Robot::check_configuration`]; [`Error::Body`] if a link leaves the engine's range.
    pub fn link_poses(&self, q: &[f64]) -> Result<Vec<Pose>, Error> {
        self.check_configuration(q)?;
        let mut frames = Vec::new();
        self.forward(q, &mut frames);
        let place = |(link, (segment, frame)): (usize, &(usize, Frame))| {
            let pose = frames[*segment].then(frame).pose();
            pose.map_err(|problem| Error::Body { name: self.link_name(link).into(), problem })
        };
        self.places.iter().enumerate().map(place).collect()
    }

    /// The frames of all segments, for a configuration that has been checked.
    pub(crate) fn forward(&self, q: &[f64], frames: &mut Vec<Frame>) {
        frames.clear();
        frames.push(Frame::IDENTITY);
        for segment in &self.segments[1..] {
            let frame = segment.frame(q);
            let parent = &frames[segment.parent];
            // In most robots the first moving segment is a child of the root.
            let placed = if segment.parent == 0 { frame } else { parent.then(&frame) };
            frames.push(placed);
        }
    }
}

impl Segment {
    fn moved_by(
        parent: usize,
        origin: Frame,
        kind: JointKind,
        axis: DVec3,
        variable: usize,
        multiplier: f64,
        offset: f64,
    ) -> Segment {
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let cross = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        let turn = [outer, DMat3::IDENTITY - outer, cross].map(|part| origin.rotation * part);
        Segment { parent, origin, kind, axis, variable, multiplier, offset, turn }
    }
}

impl Body {
    pub fn new(link: usize, segment: usize, frame: Frame, solid: Solid) -> Body {
        let Solid { shape, ball, hulls } = solid;
        let ball = Ball { centre: frame.point(ball.centre), ..ball };
        Body { link, segment, frame, shape, ball, hulls }
    }
}

/// What a variable of a joint measures.
fn dimension(kind: JointKind, which: usize) -> Dimension {
    match (kind, which) {
        (JointKind::Planar, 2) | (JointKind::Revolute | JointKind::Continuous, _) => Dimension::Angle,
        (JointKind::Floating, 3..) => Dimension::Quaternion,
        _ => Dimension::Length,
    }
}

/// The limits of a variable, and whether it is an unlimited angle.
fn range(kind: JointKind, which: usize, limits: Option<[f64; 2]>) -> (f64, f64, bool) {
    use std::f64::consts::PI;
    match (kind, which, limits) {
        (_, _, Some([lower, upper])) => (lower, upper, false),
        (JointKind::Continuous, ..) | (JointKind::Planar, 2, _) => (-PI, PI, true),
        (JointKind::Floating, 3.., _) => (-1.0, 1.0, false),
        _ => (f64::NEG_INFINITY, f64::INFINITY, false),
    }
}

/// The joint that drives a joint, with the multiplier and offset accumulated on the way.
#[derive(Clone, Copy, Debug)]
struct Followed {
    joint: usize,
    multiplier: f64,
    offset: f64,
}

/// The driver of each joint: itself, or the end of its chain of mimic joints. Each is resolved once.
fn follow(
    description: &Description,
    numbers: &BTreeMap<String, usize>,
    variables: &[Variable],
) -> Result<Vec<Followed>, Error> {
    let joints = &description.joints;
    let mut found: Vec<Option<Followed>> = vec![None; joints.len()];
    let mut is_waiting = vec![false; joints.len()];
    for number in 0..joints.len() {
        // Mimic joints, each driven by the next, up to one that is resolved.
        let (mut waiting, mut at) = (Vec::new(), number);
        let mut known = loop {
            if let Some(known) = found[at] {
                break known;
            }
            // Fixed joints do not move, whatever they mimic.
            let Some(mimic) = joints[at].mimic.as_ref().filter(|_| joints[at].kind != JointKind::Fixed) else {
                break Followed { joint: at, multiplier: 1.0, offset: 0.0 };
            };
            if std::mem::replace(&mut is_waiting[at], true) {
                let problem = format!("joint `{}` mimics itself through other joints", joints[at].name);
                return Err(Error::NotATree { path: description.path.clone(), problem });
            }
            waiting.push((at, mimic));
            let next = numbers.get(&mimic.joint).copied();
            let is_single = |&next: &usize| joints[next].kind.variables() == 1 && joints[at].kind.variables() == 1;
            at = next.filter(is_single).ok_or_else(|| Error::UnknownJoint {
                name: mimic.joint.clone(),
                variables: variables.iter().map(|variable| variable.name.clone()).collect(),
            })?;
        };
        found[at] = Some(known);
        while let Some((joint, mimic)) = waiting.pop() {
            let offset = mimic.offset + mimic.multiplier * known.offset;
            known = Followed { joint: known.joint, multiplier: mimic.multiplier * known.multiplier, offset };
            found[joint] = Some(known);
        }
    }
    let itself = |joint: usize| Followed { joint, multiplier: 1.0, offset: 0.0 };
    Ok(found.into_iter().enumerate().map(|(joint, found)| found.unwrap_or_else(|| itself(joint))).collect())
}

/// The joints, parents before children.
fn tree_order(description: &Description) -> Result<Vec<usize>, Error> {
    let not_a_tree = |problem: String| Error::NotATree { path: description.path.clone(), problem };
    let mut above: Vec<Option<usize>> = vec![None; description.links.len()];
    for (number, joint) in description.joints.iter().enumerate() {
        if let Some(other) = above[joint.child].replace(number) {
            let name = &description.links[joint.child].name;
            let other = &description.joints[other].name;
            return Err(not_a_tree(format!(
                "link `{name}` is the child of both joint `{other}` and joint `{}`",
                joint.name
            )));
        }
    }
    let roots: Vec<&str> = (above.iter().zip(&description.links))
        .filter(|(above, _)| above.is_none())
        .map(|(_, link)| link.name.as_str())
        .collect();
    match roots[..] {
        [_] => {}
        [] if above.is_empty() => return Err(not_a_tree("there is no <link>".into())),
        [] => return Err(not_a_tree("every link is the child of a joint, so the joints form a cycle".into())),
        _ => return Err(not_a_tree(format!("more than one root link: {}", roots.join(", ")))),
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); description.links.len()];
    for (number, joint) in description.joints.iter().enumerate() {
        below[joint.parent].push(number);
    }
    let mut order = Vec::with_capacity(description.joints.len());
    let mut waiting: Vec<usize> = (0..description.links.len()).filter(|&link| above[link].is_none()).collect();
    while let Some(link) = waiting.pop() {
        order.extend(&below[link]);
        waiting.extend(below[link].iter().rev().map(|&joint| description.joints[joint].child));
    }
    if order.len() < description.joints.len() {
        let mut is_placed = vec![false; description.joints.len()];
        order.iter().for_each(|&joint| is_placed[joint] = true);
        let left = is_placed.iter().position(|is_placed| !is_placed).unwrap_or(0);
        return Err(not_a_tree(format!("joint `{}` is part of a cycle", description.joints[left].name)));
    }
    Ok(order)
}
