//! XML with the place of everything: what URDF, SRDF and COLLADA have in common.

use std::path::Path;

use clearance::glam::DVec3;
use roxmltree::{Document, Node};

use crate::error::Error;

/// A document and the name of its file.
pub(crate) struct Xml<'t> {
    pub path: &'t Path,
    pub document: Document<'t>,
}

impl<'t> Xml<'t> {
    pub fn parse(path: &'t Path, text: &'t str) -> Result<Xml<'t>, Error> {
        // Document types appear in files of old tools; entities are expanded within the limits of the parser.
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        match Document::parse_with_options(text, options) {
            Ok(document) => Ok(Xml { path, document }),
            Err(error) => Err(Error::Malformed {
                path: path.to_owned(),
                line: error.pos().row,
                element: "XML".into(),
                problem: error.to_string(),
            }),
        }
    }

    /// The root, which has to have this name.
    pub fn root(&self, name: &str) -> Result<Node<'_, 't>, Error> {
        let root = self.document.root_element();
        if is(root, name) { Ok(root) } else { Err(self.fault(root, format!("<{name}> is meant at the root"))) }
    }

    /// What is wrong with an element.
    pub fn fault(&self, node: Node, problem: impl Into<String>) -> Error {
        let named = node.attribute("name").map(|name| format!(" `{name}`")).unwrap_or_default();
        Error::Malformed {
            path: self.path.to_owned(),
            line: self.document.text_pos_at(node.range().start).row,
            element: format!("<{}>{named}", node.tag_name().name()),
            problem: problem.into(),
        }
    }

    /// An attribute that has to be there.
    pub fn attribute<'n>(&self, node: Node<'n, 't>, name: &str) -> Result<&'n str, Error> {
        node.attribute(name).ok_or_else(|| self.fault(node, format!("no attribute `{name}`")))
    }

    /// A child element that has to be there.
    pub fn child<'n>(&self, node: Node<'n, 't>, name: &str) -> Result<Node<'n, 't>, Error> {
        child(node, name).ok_or_else(|| self.fault(node, format!("no <{name}>")))
    }

    /// The number in an attribute; `None` if there is no such attribute.
    pub fn number(&self, node: Node, name: &str) -> Result<Option<f64>, Error> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        self.one(node, name, text).map(Some)
    }

    /// All numbers of an attribute that has to be there.
    pub fn numbers(&self, node: Node, name: &str) -> Result<Vec<f64>, Error> {
        let text = node.attribute(name).ok_or_else(|| self.fault(node, format!("no attribute `{name}`")))?;
        text.split_whitespace().map(|word| self.one(node, name, word)).collect()
    }

    /// Three numbers in an attribute.
    pub fn vector(&self, node: Node, name: &str) -> Result<Option<DVec3>, Error> {
        if node.attribute(name).is_none() {
            return Ok(None);
        }
        match self.numbers(node, name)?[..] {
            [x, y, z] => Ok(Some(DVec3::new(x, y, z))),
            ref other => Err(self.fault(node, format!("`{name}` has {} numbers, where 3 are meant", other.len()))),
        }
    }

    fn one(&self, node: Node, name: &str, word: &str) -> Result<f64, Error> {
        let hint = if word.contains('$') { ": this is a file for xacro, run it through xacro first" } else { "" };
        match word.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.fault(node, format!("`{name}`: `{word}` is no number{hint}"))),
        }
    }
}

/// Whether a node is an element of this name, in whatever namespace.
pub(crate) fn is(node: Node, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// The child elements of this name.
pub(crate) fn children<'n, 't: 'n>(node: Node<'n, 't>, name: &'static str) -> impl Iterator<Item = Node<'n, 't>> {
    node.children().filter(move |child| is(*child, name))
}

/// The first child element of this name.
pub(crate) fn child<'n, 't>(node: Node<'n, 't>, name: &str) -> Option<Node<'n, 't>> {
    node.children().find(|child| is(*child, name))
}
