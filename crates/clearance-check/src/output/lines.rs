//! Lines of text that has nothing in it that a terminal would obey.

use super::escape::terminal;

/// Lines for people at a terminal. Names of any kind can be in a line: each is escaped as a whole.
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

    /// Adds a line that begins with a word in a colour, by its number.
    pub fn coloured(&mut self, word: &str, colour: u8, rest: impl AsRef<str>) {
        self.0 += &format!("\x1b[{colour}m{}\x1b[0m", terminal(word));
        self.line(rest);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// All of them.
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
