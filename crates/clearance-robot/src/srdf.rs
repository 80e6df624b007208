//! SRDF: which pairs of links are not checked, and why; everything else is preserved.
//!
//! An SRDF also holds groups, states and end effectors that this crate does not use but others do. So the text is kept,
//! and writing changes only the `<disable_collisions>` elements: old ones are removed together with their line, new
//! ones are inserted where the first one was, or before the end of the robot.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::robot::Robot;
use crate::robot_file::RobotFile;
use crate::urdf::read_text;
use crate::xml::{Xml, children};

/// Two links that are not checked against each other.
///
/// ```
/// use clearance_robot::DisabledPair;
/// let pair = DisabledPair::new("hand", "arm", "Adjacent");
/// assert_eq!(pair.links, ["arm", "hand"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledPair {
    /// The links, in the order of their names.
    pub links: [String; 2],
    /// The reason given in the file, as `Adjacent`, `Never`, `Default` or `User`; empty if there is none.
    pub reason: String,
}

impl DisabledPair {
    /// Sorts the links by name.
    ///
    /// ```
    /// # use clearance_robot::DisabledPair;
    /// assert_eq!(DisabledPair::new("b", "a", "Never"), DisabledPair::new("a", "b", "Never"));
    /// ```
    pub fn new(one: &str, other: &str, reason: &str) -> DisabledPair {
        let (first, last) = if one <= other { (one, other) } else { (other, one) };
        DisabledPair { links: [first.to_owned(), last.to_owned()], reason: reason.to_owned() }
    }
}

/// An SRDF file.
///
/// ```
/// use clearance_robot::{DisabledPair, Srdf};
/// let text = "<robot name=\"r\">\n  <group name=\"arm\"/>\n  \
///     <disable_collisions link1=\"b\" link2=\"a\" reason=\"Never\"/>\n</robot>\n";
/// let mut srdf = Srdf::parse("r.srdf", text).unwrap();
/// assert_eq!(srdf.disabled, [DisabledPair::new("a", "b", "Never")]);
/// srdf.disabled.push(DisabledPair::new("a", "c", "Adjacent"));
/// let written = srdf.to_text();
/// assert!(written.contains("<group name=\"arm\"/>"));
/// assert_eq!(Srdf::parse("r.srdf", &written).unwrap().disabled, srdf.disabled);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Srdf {
    /// The pairs that are not checked, in file order. This is what is written.
    pub disabled: Vec<DisabledPair>,
    /// Links that are not checked against other links (`disable_default_collisions`), except for pairs in `enabled`.
    pub disabled_links: Vec<String>,
    /// Pairs that are checked although one of them is in `disabled_links` (`enable_collisions`).
    pub enabled: Vec<[String; 2]>,
    /// Named configurations: group, name, joints with their values.
    pub states: Vec<GroupState>,
    /// The file, for messages.
    pub path: PathBuf,
    /// The text as read.
    text: String,
    /// `disabled` as read.
    as_read: Vec<DisabledPair>,
}

/// A named configuration of an SRDF.
///
/// ```
/// use clearance_robot::Srdf;
/// let text = r#"<robot name="r">
///     <group_state name="home" group="arm"><joint name="j" value="0.5"/></group_state></robot>"#;
/// let state = &Srdf::parse("r.srdf", text).unwrap().states[0];
/// assert_eq!((state.name.as_str(), &state.joints[..]), ("home", &[("j".to_string(), vec![0.5])][..]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// Its name.
    pub name: String,
    /// The joint group it is for.
    pub group: String,
    /// Joints and their values: one for each variable of the joint, in order. [`Robot::state`](crate::Robot::state)
    /// turns them into a configuration.
    pub joints: Vec<(String, Vec<f64>)>,
}

impl Srdf {
    /// An SRDF without any entries.
    ///
    /// ```
    /// use clearance_robot::Srdf;
    /// assert_eq!(Srdf::empty("panda").to_text(), "<?xml version=\"1.0\"?>\n<robot name=\"panda\">\n</robot>\n");
    /// ```
    pub fn empty(robot: &str) -> Srdf {
        let text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n</robot>\n", escaped(robot));
        Srdf {
            disabled: Vec::new(),
            disabled_links: Vec::new(),
            enabled: Vec::new(),
            states: Vec::new(),
            path: PathBuf::new(),
            text,
            as_read: Vec::new(),
        }
    }

    /// Reads an SRDF from text. `path` is used in messages.
    ///
    /// # Errors
    /// [`Error::WrongFormat`] for a URDF or a xacro file, [`Error::Malformed`].
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Srdf, Error> {
        let xml = RobotFile::Srdf.parse(path.as_ref(), text)?;
        let root = xml.root("robot")?;
        let mut disabled = Vec::new();
        for node in children(root, "disable_collisions") {
            let (one, other) = (xml.attribute(node, "link1")?, xml.attribute(node, "link2")?);
            disabled.push(DisabledPair::new(one, other, node.attribute("reason").unwrap_or_default()));
        }
        let mut disabled_links = Vec::new();
        for node in children(root, "disable_default_collisions") {
            disabled_links.push(xml.attribute(node, "link")?.to_owned());
        }
        let mut enabled = Vec::new();
        for node in children(root, "enable_collisions") {
            enabled.push([xml.attribute(node, "link1")?.to_owned(), xml.attribute(node, "link2")?.to_owned()]);
        }
        let mut states = Vec::new();
        for node in children(root, "group_state") {
            let mut joints = Vec::new();
            for joint in children(node, "joint") {
                // Joints of several variables have a list of values.
                let values = xml.numbers(joint, "value")?;
                joints.push((xml.attribute(joint, "name")?.to_owned(), values));
            }
            let name = xml.attribute(node, "name")?.to_owned();
            states.push(GroupState { name, group: node.attribute("group").unwrap_or_default().to_owned(), joints });
        }
        let path = path.as_ref().to_owned();
        Ok(Srdf { as_read: disabled.clone(), disabled, disabled_links, enabled, states, path, text: text.to_owned() })
    }

    /// Reads an SRDF file.
    ///
    /// # Errors
    /// [`Error::Io`], otherwise as [`Srdf::parse`].
    ///
    /// ```
    /// assert!(clearance_robot::Srdf::read("nowhere.srdf").is_err());
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Srdf, Error> {
        let path = path.as_ref();
        Srdf::parse(path, &read_text(path)?)
    }

    /// Remarks on entries that do not fit the robot, each in one line; files from other versions of a robot have them.
    /// Links that the robot does not have are ignored.
    ///
    /// ```
    /// # use clearance_robot::{LoadOptions, Robot, Srdf};
    /// # let text = r#"<robot name="r">
    /// #     <link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link></robot>"#;
    /// # let robot = Robot::parse("r.urdf", text, &LoadOptions::default()).unwrap();
    /// let text = r#"<robot name="r"><disable_collisions link1="a" link2="b" reason="Never"/></robot>"#;
    /// let srdf = Srdf::parse("r.srdf", text).unwrap();
    /// assert_eq!(srdf.warnings(&robot), ["r.srdf: ignored 1 link that the robot does not have: b"]);
    /// ```
    pub fn warnings(&self, robot: &Robot) -> Vec<String> {
        let pairs = self.disabled.iter().map(|pair| &pair.links).chain(&self.enabled);
        let named: BTreeSet<&String> = self.disabled_links.iter().chain(pairs.flatten()).collect();
        let is_unknown = |name: &&String| robot.link(name, "").is_err();
        let unknown: Vec<&str> = named.iter().copied().filter(is_unknown).map(String::as_str).collect();
        let count = match unknown.len() {
            0 => return Vec::new(),
            1 => "1 link".to_owned(),
            several => format!("{several} links"),
        };
        let all = if unknown.len() == named.len() { "; it has none of them: is this its SRDF?" } else { "" };
        let (path, unknown) = (self.path.display(), unknown.join(", "));
        vec![format!("{path}: ignored {count} that the robot does not have: {unknown}{all}")]
    }

    /// The whole file with the current [`disabled`](Srdf::disabled); byte for byte the input if nothing was changed.
    ///
    /// ```
    /// use clearance_robot::Srdf;
    /// let text = "<robot name='r'><!-- kept --><disable_collisions link1='a' link2='b'/></robot>";
    /// assert_eq!(Srdf::parse("r.srdf", text).unwrap().to_text(), text);
    /// ```
    pub fn to_text(&self) -> String {
        if self.disabled == self.as_read {
            return self.text.clone();
        }
        // It was parsed before, so it parses again.
        let Ok(xml) = Xml::parse(&self.path, &self.text) else { return self.text.clone() };
        let root = xml.document.root_element();
        let cuts: Vec<Range<usize>> =
            children(root, "disable_collisions").map(|node| with_its_line(&self.text, node.range())).collect();
        let (before_end, closing) = match self.text[root.range()].rfind("</") {
            Some(end) if !self.text[root.range()].ends_with("/>") => {
                (line_start(&self.text, root.range().start + end), None)
            }
            // `<robot name="r"/>` has no room for children.
            _ => (root.range().end, Some(())),
        };
        let at = cuts.first().map_or(before_end, |cut| cut.start);
        let mut lines = String::new();
        for pair in &self.disabled {
            let [one, other] = pair.links.each_ref().map(|link| escaped(link));
            let reason = escaped(&pair.reason);
            let reason = if reason.is_empty() { reason } else { format!(" reason=\"{reason}\"") };
            lines += &format!("  <disable_collisions link1=\"{one}\" link2=\"{other}\"{reason}/>\n");
        }
        let mut out = String::with_capacity(self.text.len() + lines.len());
        if closing.is_some() {
            let open = self.text[..at].trim_end().trim_end_matches("/>").trim_end();
            return format!("{open}>\n{lines}</robot>{}", &self.text[at..]);
        }
        let mut kept = 0;
        let mut put = Some(lines);
        for cut in cuts.into_iter().chain(std::iter::once(self.text.len()..self.text.len())) {
            if at <= cut.start
                && let Some(lines) = put.take()
            {
                out += &self.text[kept..at];
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                out += &lines;
                kept = at;
            }
            out += &self.text[kept..cut.start.max(kept)];
            kept = cut.end;
        }
        out
    }

    /// The reason why two links are not checked, if they are not.
    ///
    /// ```
    /// # use clearance_robot::{DisabledPair, Srdf};
    /// let mut srdf = Srdf::empty("r");
    /// srdf.disabled.push(DisabledPair::new("a", "b", "User"));
    /// assert_eq!(srdf.reason("b", "a"), Some("User"));
    /// ```
    pub fn reason(&self, one: &str, other: &str) -> Option<&str> {
        let asked = DisabledPair::new(one, other, "");
        self.disabled.iter().find(|pair| pair.links == asked.links).map(|pair| pair.reason.as_str())
    }
}

/// The range of an element, extended to the whole line if nothing else is on it.
fn with_its_line(text: &str, range: Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    let rest = &text[range.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    match rest[blank..].starts_with('\n') && (start == 0 || text[..start].ends_with('\n')) {
        true => start..range.end + blank + 1,
        false => range,
    }
}

/// The start of the line, if there is only white space between it and `at`.
fn line_start(text: &str, at: usize) -> usize {
    let trimmed = text[..at].trim_end_matches([' ', '\t']).len();
    if trimmed == 0 || text[..trimmed].ends_with('\n') { trimmed } else { at }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pairs_change() {
        let text = "<?xml version=\"1.0\"?>\n<!-- head -->\n<robot name=\"r\">\n  <group name=\"g\"/>\n\
            \x20   <disable_collisions link1=\"a\" link2=\"b\" reason=\"Never\"/>\n  <!-- between -->\n\
            \x20 <disable_collisions link1=\"c\" link2=\"b\" reason=\"Default\" />\n\
            \x20 <virtual_joint name=\"v\"/>\n</robot>\n";
        let mut srdf = Srdf::parse("r.srdf", text).unwrap();
        assert_eq!(srdf.to_text(), text);
        srdf.disabled = vec![DisabledPair::new("d", "a", "User"), DisabledPair::new("x&y", "z", "")];
        let expected = "<?xml version=\"1.0\"?>\n<!-- head -->\n<robot name=\"r\">\n  <group name=\"g\"/>\n\
            \x20 <disable_collisions link1=\"a\" link2=\"d\" reason=\"User\"/>\n\
            \x20 <disable_collisions link1=\"x&amp;y\" link2=\"z\"/>\n  <!-- between -->\n\
            \x20 <virtual_joint name=\"v\"/>\n</robot>\n";
        assert_eq!(srdf.to_text(), expected);
        let again = Srdf::parse("r.srdf", &srdf.to_text()).unwrap();
        assert_eq!(again.disabled, srdf.disabled);
        srdf.disabled.clear();
        assert!(!srdf.to_text().contains("disable_collisions"));
        assert!(srdf.to_text().contains("<!-- between -->"));
    }

    #[test]
    fn pairs_go_into_files_that_have_none() {
        for text in [
            "<robot name=\"r\"/>",
            "<robot name=\"r\"></robot>",
            "<robot name=\"r\">\n</robot>\n",
            "<robot><group name=\"g\"/></robot>",
        ] {
            let mut srdf = Srdf::parse("r.srdf", text).unwrap();
            srdf.disabled.push(DisabledPair::new("a", "b", "Never"));
            let written = srdf.to_text();
            let again = Srdf::parse("r.srdf", &written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(again.disabled, srdf.disabled, "{written}");
        }
    }
}
