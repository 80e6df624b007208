//! YAML as a tree. The events come from `saphyr-parser`, which is maintained and has no `unsafe` code and no
//! dependencies to speak of; crates that read YAML by `serde` depend on more, or are archived. Aliases are expanded up
//! to a limit, so that a short file cannot grow without end.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

use crate::limits::{YAML_DEPTH, YAML_EXPANDED};

/// A list or a mapping that is not closed yet.
enum Open {
    List(Vec<Value>),
    Mapping { members: Map<String, Value>, key: Option<String> },
}

/// Parses the one document of a text. Plain scalars that are numbers are numbers, empty ones and `null` are null, all
/// others text.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser::new_from_str(text);
    let mut tree = Tree::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| format!("invalid YAML: {error}"))?;
        tree.take(event).map_err(|problem| format!("line {}: {problem}", span.start.line()))?;
    }
    match tree.documents.len() {
        0 => Ok(Value::Null),
        1 => Ok(tree.documents.swap_remove(0)),
        several => Err(format!("{several} YAML documents, expected 1: give the others in files of their own")),
    }
}

#[derive(Default)]
struct Tree {
    open: Vec<(Open, usize)>,
    /// Those that are not empty: messages of ROS end with the beginning of the next.
    documents: Vec<Value>,
    /// Values with anchors, by number.
    anchors: Vec<(usize, Value)>,
    /// How many values aliases have added.
    expanded: usize,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let value = if style == ScalarStyle::Plain { plain(&text) } else { Value::String(text.into_owned()) };
                self.put(value, anchor)
            }
            Event::SequenceStart(anchor, _) => self.open(Open::List(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.open(Open::Mapping { members: Map::new(), key: None }, anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((Open::List(list), anchor)) => self.put(Value::Array(list), anchor),
                Some((Open::Mapping { members, .. }, anchor)) => self.put(Value::Object(members), anchor),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let known = self.anchors.iter().rev().find(|(number, _)| *number == anchor);
                let value = known.map(|(_, value)| value).ok_or("an alias of a value that is not complete")?;
                self.expanded = self.expanded.saturating_add(size(value));
                if self.expanded > YAML_EXPANDED {
                    return Err(format!("aliases expand to more than {YAML_EXPANDED} values: write them out"));
                }
                let value = value.clone();
                self.put(value, 0)
            }
            Event::DocumentStart(_) => {
                self.anchors.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, open: Open, anchor: usize) -> Result<(), String> {
        if self.open.len() >= YAML_DEPTH {
            return Err(format!("nested deeper than {YAML_DEPTH} levels"));
        }
        self.open.push((open, anchor));
        Ok(())
    }

    fn put(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        if anchor != 0 {
            self.anchors.push((anchor, value.clone()));
        }
        match self.open.last_mut() {
            None if value.is_null() => {}
            None => self.documents.push(value),
            Some((Open::List(list), _)) => list.push(value),
            Some((Open::Mapping { members, key }, _)) => match (key.take(), value) {
                (Some(key), _) if members.contains_key(&key) => return Err(format!("a second `{key}`")),
                (Some(key), value) => drop(members.insert(key, value)),
                (None, Value::String(name)) => *key = Some(name),
                (None, Value::Number(name)) => *key = Some(name.to_string()),
                (None, other) => return Err(format!("expected a name before the colon, got `{other}`")),
            },
        }
        Ok(())
    }
}

/// A scalar without quotes.
fn plain(text: &str) -> Value {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    // Rust reads `inf` and `nan`, which are text in YAML.
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.'))
        && text.contains(|any: char| any.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number).and_then(Number::from_f64);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// The number of values in a tree, itself included.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_read() {
        let text = "# a plan\nheader:\n  stamp: {sec: 0, nanosec: 5}\n  frame_id: ''\njoint_names:\n- a\n- b\npoints:\n\
                    - positions: [0.5, -1e-3]\n  velocities: []\n- positions:\n  - 1\n  - .25\n---\n";
        let expected = json!({
            "header": {"stamp": {"sec": 0.0, "nanosec": 5.0}, "frame_id": ""},
            "joint_names": ["a", "b"],
            "points": [{"positions": [0.5, -1e-3], "velocities": []}, {"positions": [1.0, 0.25]}],
        });
        assert_eq!(parse(text), Ok(expected));
        assert_eq!(parse("a: &x [1, 2]\nb: *x\nc: '3'\nd: inf\ne: ~\n"), {
            Ok(json!({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": "3", "d": "inf", "e": null}))
        });
        assert_eq!(parse(""), Ok(Value::Null));
    }

    #[test]
    fn bad_yaml_is_refused_with_the_line() {
        let problem = |text: &str| parse(text).unwrap_err();
        assert!(problem("a: [1, 2\nb: 3").starts_with("invalid YAML: "), "{}", problem("a: [1, 2\nb: 3"));
        assert_eq!(problem("a: 1\nb: 2\na: 3"), "line 3: a second `a`");
        assert!(problem("a: 1\n---\nb: 2\n").starts_with("2 YAML documents, expected 1"));
        assert!(problem("a: 1\n? [b]\n: 2\n").starts_with("line 2: expected a name"));
        assert!(problem("a: &x [1, *x]\n").starts_with("line 1: an alias of a value that is not complete"));
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(problem(&nested(65)), "line 1: nested deeper than 64 levels");
        assert!(parse(&nested(64)).is_ok());
        // The parser has a limit of its own.
        assert!(problem(&nested(100_000)).contains("line 1"), "{}", problem(&nested(100_000)));
        // Nine levels of nine aliases each: four hundred million values.
        let laughs: String = (1..9)
            .map(|level| format!("x{level}: &x{level} [{}]\n", vec![format!("*x{}", level - 1); 9].join(", ")))
            .collect();
        let refused = problem(&format!("x0: &x0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n{laughs}"));
        assert!(refused.contains("aliases expand to more than"), "{refused}");
    }
}
