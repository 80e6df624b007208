//! XML with source locations: what URDF, SRDF and COLLADA have in common.

use std::path::Path;

use clearance::glam::DVec3;
use clearance_files::OverLimit;
use roxmltree::{Document, Node};

use crate::error::Error;
use crate::limits::{MOST_ATTRIBUTES, MOST_NAMESPACES};

/// A document and its file name.
pub(crate) struct Xml<'t> {
    pub path: &'t Path,
    pub document: Document<'t>,
}

impl<'t> Xml<'t> {
    pub fn parse(path: &'t Path, text: &'t str) -> Result<Xml<'t>, Error> {
        let malformed = |line: u32, problem: String| Error::Malformed {
            path: path.to_owned(),
            line,
            element: "XML".into(),
            problem,
        };
        refuse_bombs(text).map_err(|(at, problem)| malformed(line_of(text, at), problem))?;
        // Files of old tools have document types; entities are refused above, so there is nothing to expand.
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        match Document::parse_with_options(text, options) {
            Ok(document) => Ok(Xml { path, document }),
            Err(error) => Err(malformed(error.pos().row, error.to_string())),
        }
    }

    /// The root element, which must have this name.
    pub fn root(&self, name: &str) -> Result<Node<'_, 't>, Error> {
        let root = self.document.root_element();
        if is(root, name) { Ok(root) } else { Err(self.fault(root, format!("expected <{name}> as the root element"))) }
    }

    /// An error about an element.
    pub fn fault(&self, node: Node, problem: impl Into<String>) -> Error {
        let (line, element) = self.place(node);
        Error::Malformed { path: self.path.to_owned(), line, element, problem: problem.into() }
    }

    /// The error that an element exceeds a limit.
    pub fn over(&self, node: Node, over: &OverLimit) -> Error {
        let (line, element) = self.place(node);
        Error::Limit { path: self.path.to_owned(), problem: format!("line {line}: {element}: {over}") }
    }

    /// The line of an element, and a description of it.
    fn place(&self, node: Node) -> (u32, String) {
        let named = node.attribute("name").map(|name| format!(" `{name}`")).unwrap_or_default();
        (self.line(node), format!("<{}>{named}", node.tag_name().name()))
    }

    /// The line of an element, counted from 1.
    pub fn line(&self, node: Node) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    /// A required attribute.
    pub fn attribute<'n>(&self, node: Node<'n, 't>, name: &str) -> Result<&'n str, Error> {
        node.attribute(name).ok_or_else(|| self.fault(node, format!("no attribute `{name}`")))
    }

    /// A required child element.
    pub fn child<'n>(&self, node: Node<'n, 't>, name: &str) -> Result<Node<'n, 't>, Error> {
        child(node, name).ok_or_else(|| self.fault(node, format!("no <{name}>")))
    }

    /// The number in an attribute; `None` if there is no such attribute.
    pub fn number(&self, node: Node, name: &str) -> Result<Option<f64>, Error> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        self.one(node, name, text).map(Some)
    }

    /// All numbers of a required attribute.
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
            ref other => Err(self.fault(node, format!("`{name}` has {} numbers, expected 3", other.len()))),
        }
    }

    fn one(&self, node: Node, name: &str, word: &str) -> Result<f64, Error> {
        match word.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.fault(node, format!("`{name}`: `{word}` is not a number"))),
        }
    }
}

/// Refuses input for which the parser would need far more memory or time than the length of the text: entities, which
/// expand; very many attributes of one element, which it compares pairwise; very many namespaces, which it copies to
/// elements. Returns the byte offset, and what to do.
fn refuse_bombs(text: &str) -> Result<(), (usize, String)> {
    if let (Some(_), Some(at)) = (text.find("<!DOCTYPE"), text.find("<!ENTITY")) {
        let problem = "a document type that declares entities; entities are not expanded: replace them by their text";
        return Err((at, problem.into()));
    }
    if let Some((at, _)) = text.match_indices("xmlns").nth(MOST_NAMESPACES) {
        return Err((
            at,
            format!("more than {MOST_NAMESPACES} namespaces (`xmlns`): remove those that are not needed"),
        ));
    }
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter();
        let end = match skipped.into_iter().find(|(open, _)| rest.starts_with(open)) {
            Some((open, close)) => rest[open.len()..].find(close).map(|end| open.len() + end),
            None => {
                let (attributes, end) = in_tag(rest.as_bytes());
                if attributes > MOST_ATTRIBUTES {
                    let problem = format!("an element with {attributes} attributes, more than {MOST_ATTRIBUTES}");
                    return Err((start, problem));
                }
                end
            }
        };
        // The parser rejects what is not closed.
        let Some(end) = end else { break };
        at = start + end;
    }
    Ok(())
}

/// The number of attributes of a tag, by its equals signs, and where it ends.
fn in_tag(tag: &[u8]) -> (usize, Option<usize>) {
    let (mut attributes, mut quote) = (0, None);
    for (at, &byte) in tag.iter().enumerate() {
        match (byte, quote) {
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'=', None) => attributes += 1,
            (b'>', None) => return (attributes, Some(at)),
            _ => {}
        }
    }
    (attributes, None)
}

/// The line of a byte offset, counted from 1.
fn line_of(text: &str, at: usize) -> u32 {
    1 + text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() as u32
}

/// Whether a node is an element of this name, in any namespace.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        Xml::parse("a.xml".as_ref(), text).err().map(|error| error.to_string())
    }

    #[test]
    fn document_types_are_read_and_entities_refused() {
        assert_eq!(problem("<!DOCTYPE robot SYSTEM 'robot.dtd'>\n<robot/>"), None);
        assert_eq!(problem("<!DOCTYPE robot [<!ELEMENT robot ANY>]>\n<robot name='&lt;&#65;'/>"), None);
        assert_eq!(problem("\u{feff}<?xml version='1.0'?><robot/>"), None);
        let laughs = format!("<!DOCTYPE r [\n<!ENTITY a '{}'>]>\n<r>{}</r>", "x".repeat(100_000), "&a;".repeat(60_000));
        let refused = problem(&laughs).unwrap();
        assert!(refused.starts_with("a.xml: line 2: XML: a document type that declares entities"), "{refused}");
    }

    #[test]
    fn what_the_parser_compares_and_copies_is_bounded() {
        let attributes = |count: usize| -> String { (0..count).map(|k| format!(" a{k}='='")).collect() };
        assert_eq!(problem(&format!("<r{}>a = b = c</r>", attributes(MOST_ATTRIBUTES))), None);
        let refused = problem(&format!("<r>\n<e{}/></r>", attributes(100_000))).unwrap();
        assert!(refused.contains("line 2") && refused.contains("100000 attributes"), "{refused}");
        let nested: String = (0..40_000).map(|k| format!("<e xmlns:n{k}='{k}'>")).collect();
        assert!(problem(&nested).unwrap().contains("namespaces"));
        // Comments, character data and attribute values do not contain tags.
        let signs = "=".repeat(5000);
        assert_eq!(problem(&format!("<r a='> {signs}'><!-- <e {signs}> --><![CDATA[<e {signs}>]]></r>")), None);
        // Depth costs nothing.
        assert_eq!(problem(&format!("{}{}", "<e>".repeat(200_000), "</e>".repeat(200_000))), None);
    }
}
