//! Escapes untrusted text for each output format. Names of parts, files, links and rules come from files and may
//! contain anything: each format has one function here, and no such text is written without it.
//!
//! Characters that a terminal or text reader would interpret or hide are written as Rust escapes, `
//! ` or `\u{1b}`: a name cannot start a new line, colour or erase one, or reverse the text that follows.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is interpreted or hidden rather than displayed: controls (C0, DEL, C1), line and paragraph
/// separators, bidirectional marks, invisible tags and annotations, the byte-order mark.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Text with all such characters escaped.
///
/// ```
/// assert_eq!(clearance_check::output::escape::visible("a\u{1b}[2K\nb"), "a\\u{1b}[2K\\nb");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_obeyed(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// For a terminal: a line, or part of one.
///
/// ```
/// assert_eq!(clearance_check::output::escape::terminal("bolt\r"), "bolt\\r");
/// ```
pub fn terminal(line: &str) -> Cow<'_, str> {
    visible(line)
}

/// For XML, SVG and HTML, as text or in a quoted attribute. Characters not allowed in XML 1.0 are escaped too.
///
/// ```
/// assert_eq!(clearance_check::output::escape::markup("<b> & \"c\""), "&lt;b&gt; &amp; &quot;c&quot;");
/// ```
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// A name as code in Markdown, in tables too. If the name contains characters that end a code span or a cell, the HTML
/// element is used, with numeric references for all special characters.
pub(crate) fn markdown_code(name: &str) -> String {
    let name = visible(name);
    if name.is_empty() {
        return String::new();
    }
    if name.contains(['`', '|', '\\']) || name.trim() != name {
        format!("<code>{}</code>", referenced(&name))
    } else {
        format!("`{name}`")
    }
}

/// Plain text in Markdown, in tables too.
pub(crate) fn markdown(text: &str) -> String {
    referenced(&visible(text))
}

/// Replaces all characters that are special within a line of Markdown or HTML by numeric references.
fn referenced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        let is_link = (c == '/' && before == ':') || (c == '.' && before.eq_ignore_ascii_case(&'w'));
        if is_link || "\\`*_[]<>&|~#@$".contains(c) {
            // Writing to a string does not fail.
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

/// A cell of comma-separated values (RFC 4180), quoted if necessary. A name that a spreadsheet would read as a formula
/// gets a leading apostrophe.
pub(crate) fn csv(cell: &str) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    // Tested before escaping: a spreadsheet may drop a leading tab or line end and find a formula.
    let start = cell.trim_start_matches(|c: char| c.is_whitespace() || is_obeyed(c));
    let formula = !is_number && start.starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    let cell = visible(cell);
    let cell = if formula { Cow::Owned(format!("'{cell}")) } else { cell };
    if cell.contains([',', '"', ';']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into_owned() }
}

/// JSON as `serde_json` writes it, with characters that it leaves alone but a terminal would interpret as `\uXXXX`. It
/// is the same JSON: they occur in strings only.
pub(crate) fn json(text: String) -> String {
    let is_left = |c: char| c != '\n' && is_obeyed(c);
    if !text.contains(is_left) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_left(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A TOML string.
pub(crate) fn toml(text: &str) -> String {
    if !text.contains(is_obeyed) {
        return toml::Value::from(text).to_string();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_obeyed(c) => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name with everything harmful: a coloured line of its own, an erased one, a title, reversed text.
    const HOSTILE: &str =
        "a\u{1b}[31m\r\nno findings\u{1b}]0;t\u{7}\u{9b}2J\u{7f}\u{202e}\u{2066}\u{2028}\u{2029}\u{feff}\u{e0041}|`<b>";

    fn is_clean(text: &str) -> bool {
        !text.contains(is_obeyed)
    }

    #[test]
    fn nothing_that_is_obeyed_passes() {
        assert!(is_clean(&terminal(HOSTILE)) && terminal(HOSTILE).contains("\\r\\nno findings\\u{1b}"));
        assert!(is_clean(&markdown(HOSTILE)) && is_clean(&markdown_code(HOSTILE)));
        assert!(is_clean(&csv(HOSTILE)) && is_clean(&markup(HOSTILE)) && is_clean(&toml(HOSTILE)));
        let written = json(serde_json::to_string(HOSTILE).unwrap());
        assert!(is_clean(&written), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), HOSTILE);
        // Names in other languages are left alone.
        for name in ["größe 12 µm", "ギア/軸#2", "חלק", "a\u{200d}b", "C:\\parts\\a.stl"] {
            assert_eq!(terminal(name), name);
        }
    }

    #[test]
    fn toml_says_the_same() {
        for name in [HOSTILE, "plain", "a \"b\" c", "back\\slash", "new\nline \\ \"q\""] {
            let text = format!("name = {}", toml(name));
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table["name"].as_str(), Some(name), "{text}");
        }
    }

    #[test]
    fn markdown_stays_in_its_cell() {
        assert_eq!(markdown_code("bolt#2"), "`bolt#2`");
        assert_eq!(markdown_code("a`b"), "<code>a&#96;b</code>");
        assert_eq!(markdown_code(r"a\|b"), "<code>a&#92;&#124;b</code>");
        assert_eq!(markdown_code(" a"), "<code> a</code>");
        assert_eq!(markdown_code("a|<img src=x>"), "<code>a&#124;&#60;img src=x&#62;</code>");
        assert_eq!(markdown("0.25 mm (a, b)"), "0.25 mm (a, b)");
        assert_eq!(
            markdown("*b* [c](http://d) @e www.f <g>"),
            "&#42;b&#42; &#91;c&#93;(http:&#47;/d) &#64;e www&#46;f &#60;g&#62;"
        );
    }

    #[test]
    fn cells_are_no_formulas() {
        for (name, cell) in [
            ("=1+1", "'=1+1"),
            ("+x", "'+x"),
            ("-x", "'-x"),
            ("@x", "'@x"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("\u{feff}=1", "'\\u{feff}=1"),
            (" =1", "' =1"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\rname", "\\rname"),
            ("-1.5e-3", "-1.5e-3"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\r\nb", "a\\r\\nb"),
        ] {
            assert_eq!(csv(name), cell, "{name:?}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(
            markup("<a b=\"c\" d='e'> & \u{1}\u{ffff}"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; \\u{1}\\u{ffff}"
        );
    }
}
