//! Lines of text, safe to print on a terminal.

use super::escape::terminal;

/// Lines for a terminal. They may contain names of any kind: each line is escaped as a whole.
///
/// ```
/// use clearance_check::output::Lines;
/// let mut lines = Lines::default();
/// lines.line("a name with\na line of its own");
/// assert_eq!(lines.text(), "a name with\\na line of its own\n");
/// ```
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.0 += &terminal(text.as_ref());
        self.0.push('\n');
    }

    /// Adds a line that begins with a coloured word; `colour` is the SGR code.
    pub fn coloured(&mut self, word: &str, colour: u8, rest: impl AsRef<str>) {
        self.0 += &format!("\x1b[{colour}m{}\x1b[0m", terminal(word));
        self.line(rest);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// All lines.
    pub fn text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_line() {
        let mut lines = Lines::default();
        lines.coloured("HARD", 31, "  a\nb  x  c\u{1b}[2K");
        lines.blank();
        lines.line("no findings\r");
        assert_eq!(lines.text(), "\x1b[31mHARD\x1b[0m  a\\nb  x  c\\u{1b}[2K\n\nno findings\\r\n");
    }
}
