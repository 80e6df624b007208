//! Which kind of robot file a text is: URDF, SRDF, or xacro that still has to be expanded.
//!
//! URDF and SRDF share the root element `<robot>`, so one given in place of the other parses, as a robot without links
//! or as an SRDF that disables nothing. Both are recognised by elements the other does not have. Expanded files keep
//! the namespace that xacro declares, and its macros in comments: only elements of the namespace and unevaluated
//! expressions in what is read make a file xacro.

use std::path::Path;

use roxmltree::Node;

use crate::error::Error;
use crate::xml::Xml;

/// The format a caller expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RobotFile {
    Urdf,
    Srdf,
}

/// Elements of an SRDF, below its root.
const OF_SRDF: [&str; 8] = [
    "group",
    "group_state",
    "end_effector",
    "virtual_joint",
    "passive_joint",
    "disable_collisions",
    "disable_default_collisions",
    "enable_collisions",
];

/// Elements of a URDF, below its root.
const OF_URDF: [&str; 2] = ["link", "joint"];

impl RobotFile {
    /// Parses a file, refusing the other format and xacro.
    pub fn parse<'t>(self, path: &'t Path, text: &'t str) -> Result<Xml<'t>, Error> {
        let is_xacro = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xacro"));
        if is_xacro {
            return Err(self.xacro(path, "by its name"));
        }
        let xml = match Xml::parse(path, text) {
            // A fragment need not declare the namespace.
            Err(_) if text.contains("<xacro:") => return Err(self.xacro(path, "it has <xacro:...> elements")),
            parsed => parsed?,
        };
        let root = xml.root("robot")?;
        if let Some(node) = root.descendants().find(|node| is_of_xacro(*node)) {
            let found = format!("line {}: <xacro:{}>", xml.line(node), node.tag_name().name());
            return Err(self.xacro(path, &found));
        }
        // Other elements, of simulators for one, may keep expressions, which are not read here.
        let read = root.children().filter(|node| is_one_of(*node, &OF_URDF) || is_one_of(*node, &OF_SRDF));
        for node in read.flat_map(|node| node.descendants()) {
            let value = node.attributes().find(|attribute| has_expression(attribute.value()));
            if let Some(attribute) = value {
                let found = format!("line {}: {}=\"{}\"", xml.line(node), attribute.name(), attribute.value());
                return Err(self.xacro(path, &found));
            }
        }
        self.refuse_other(path, &xml, root)?;
        Ok(xml)
    }

    fn name(self) -> &'static str {
        match self {
            RobotFile::Urdf => "a URDF",
            RobotFile::Srdf => "an SRDF",
        }
    }

    /// The error for a xacro file: why it is one, and how to expand it.
    fn xacro(self, path: &Path, found: &str) -> Error {
        let name = path.display().to_string();
        let ending = if self == RobotFile::Urdf { "urdf" } else { "srdf" };
        let expanded = match name.strip_suffix(".xacro") {
            Some(stem) if stem.ends_with(&format!(".{ending}")) => stem.to_owned(),
            Some(stem) => format!("{stem}.{ending}"),
            None => format!("expanded.{ending}"),
        };
        let problem = format!(
            "this is a xacro file ({found}), expected {}: expand it first with `xacro {name} > {expanded}`",
            self.name()
        );
        Error::WrongFormat { path: path.to_owned(), problem }
    }

    /// Refuses an SRDF where a URDF is expected, and the reverse.
    fn refuse_other(self, path: &Path, xml: &Xml, root: Node) -> Result<(), Error> {
        let first = |names: &[&str]| root.children().find(|node| is_one_of(*node, names));
        let (other, found, advice) = match (self, first(&OF_URDF), first(&OF_SRDF)) {
            (RobotFile::Urdf, None, Some(node)) => {
                (RobotFile::Srdf, node, "a URDF has <link> and <joint> elements; give this file with --srdf")
            }
            (RobotFile::Srdf, Some(node), _) => {
                (RobotFile::Urdf, node, "an SRDF has <disable_collisions> and <group_state> elements, and no links")
            }
            _ => return Ok(()),
        };
        let (line, element) = (xml.line(found), found.tag_name().name());
        let problem =
            format!("this is {} (line {line}: <{element}>), expected {}: {advice}", other.name(), self.name());
        Err(Error::WrongFormat { path: path.to_owned(), problem })
    }
}

fn is_one_of(node: Node, names: &[&str]) -> bool {
    node.is_element() && names.contains(&node.tag_name().name())
}

/// Whether an element belongs to xacro: its namespace is `http://www.ros.org/wiki/xacro` or a variant of it.
fn is_of_xacro(node: Node) -> bool {
    node.is_element() && node.tag_name().namespace().is_some_and(|uri| uri.ends_with("xacro"))
}

/// Whether a value has an expression that xacro evaluates: `${...}` or `$(...)`.
fn has_expression(value: &str) -> bool {
    value.contains("${") || value.contains("$(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(kind: RobotFile, path: &str, text: &str) -> Option<String> {
        kind.parse(path.as_ref(), text).err().map(|error| error.to_string())
    }

    const URDF: &str = "<robot name='r'>\n<link name='a'/></robot>";
    const SRDF: &str = "<robot name='r'>\n\n<disable_collisions link1='a' link2='b'/></robot>";

    #[test]
    fn one_format_is_not_the_other() {
        for (kind, text) in [(RobotFile::Urdf, URDF), (RobotFile::Srdf, SRDF)] {
            assert_eq!(refusal(kind, "r.xml", text), None);
            // Nothing in it: either, whose readers say what is missing.
            assert_eq!(refusal(kind, "r.xml", "<robot name='r'/>"), None);
        }
        let refused = refusal(RobotFile::Srdf, "r.urdf", URDF).unwrap();
        assert!(refused.starts_with("r.urdf: this is a URDF (line 2: <link>), expected an SRDF: "), "{refused}");
        let refused = refusal(RobotFile::Urdf, "r.srdf", SRDF).unwrap();
        let start = "r.srdf: this is an SRDF (line 3: <disable_collisions>), expected a URDF: ";
        assert!(refused.starts_with(start) && refused.ends_with("--srdf"), "{refused}");
        // A group of an SRDF names links and joints, but not below the root.
        let group = "<robot name='r'><group name='g'><link name='a'/><joint name='j'/></group></robot>";
        assert_eq!(refusal(RobotFile::Srdf, "r.srdf", group), None);
        // Tools add elements of their own to a URDF.
        let both = "<robot name='r'><group name='g'/><link name='a'/></robot>";
        assert_eq!(refusal(RobotFile::Urdf, "r.urdf", both), None);
    }

    #[test]
    fn xacro_is_named_with_what_to_do() {
        let space = "xmlns:xacro='http://www.ros.org/wiki/xacro'";
        for (path, text, found) in [
            ("r.urdf.xacro", URDF, "by its name"),
            ("r.urdf", "<robot name='r'><xacro:include filename='a'/></robot>", "<xacro:...>"),
            ("r.urdf", &format!("<robot {space}>\n<xacro:arm/><link name='a'/></robot>"), "line 2: <xacro:arm>"),
            ("r.urdf", "<robot>\n<link name='${prefix}a'/></robot>", "line 2: name=\"${prefix}a\""),
            (
                "r.urdf",
                "<robot><link name='a'><b c='$(find d)/e.stl'/></link></robot>",
                "line 1: c=\"$(find d)/e.stl\"",
            ),
        ] {
            let refused = refusal(RobotFile::Urdf, path, text).unwrap();
            assert!(
                refused.contains(&format!("this is a xacro file ({found}")) || refused.contains(found),
                "{refused}"
            );
            assert!(refused.contains("expected a URDF: expand it first with `xacro r.urdf"), "{refused}");
        }
        let refused = refusal(RobotFile::Srdf, "r.srdf.xacro", SRDF).unwrap();
        assert!(refused.ends_with("`xacro r.srdf.xacro > r.srdf`"), "{refused}");
        let refused = refusal(RobotFile::Urdf, "r.xacro", URDF).unwrap();
        assert!(refused.ends_with("`xacro r.xacro > r.urdf`"), "{refused}");
        // What xacro wrote: the namespace, comments with macros, and expressions of simulators are still in it.
        let expanded = format!(
            "<!-- made by xacro --><robot {space}><!-- <xacro:arm x='${{y}}'/> --><link name='a'/>\
             <gazebo reference='${{z}}'/></robot>"
        );
        assert_eq!(refusal(RobotFile::Urdf, "r.urdf", &expanded), None);
    }
}
