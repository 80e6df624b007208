//! `-o FILE`: the format of a result file follows from its ending, the same way for all commands.

use std::path::{Path, PathBuf};

use clearance_check::output::{Form, csv_table, json, markdown_table};
use clearance_check::{Error, Report};
use serde::Serialize;

use crate::destination::{self, Kind};

/// A format of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// An interactive page.
    Html,
    Json,
    Csv,
    Markdown,
    /// JUnit XML.
    Junit,
    /// A picture.
    Svg,
    /// A rules file.
    Toml,
}

/// The formats of a report.
pub(super) const REPORT: [Format; 6] =
    [Format::Html, Format::Json, Format::Csv, Format::Markdown, Format::Junit, Format::Svg];
/// The formats of an answer that can be shown on a page.
pub(super) const ANSWER: [Format; 4] = [Format::Html, Format::Json, Format::Csv, Format::Markdown];
/// The formats of a query explained.
pub(super) const EXPLAINED: [Format; 5] = [Format::Html, Format::Svg, Format::Json, Format::Csv, Format::Markdown];

impl Format {
    const ALL: [Format; 7] =
        [Format::Html, Format::Json, Format::Csv, Format::Markdown, Format::Junit, Format::Svg, Format::Toml];

    /// The ending of its files.
    fn ending(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Markdown => "md",
            Format::Junit => "xml",
            Format::Svg => "svg",
            Format::Toml => "toml",
        }
    }

    /// The ending as it appears in messages.
    fn shown(self) -> String {
        let what = if self == Format::Junit { " (JUnit)" } else { "" };
        format!(".{}{what}", self.ending())
    }

    /// The kind of file it is, as for [`destination::check`].
    pub fn kind(self) -> Kind {
        match self {
            Format::Html => Kind::Html,
            Format::Json => Kind::Json,
            Format::Csv => Kind::Csv,
            Format::Markdown => Kind::Markdown,
            Format::Junit => Kind::Junit,
            Format::Svg => Kind::Svg,
            Format::Toml => Kind::Rules,
        }
    }

    /// The form of a report or a diff in this format; `None` for those that show parts, and for rules.
    pub fn form(self) -> Option<Form> {
        match self {
            Format::Json => Some(Form::Json),
            Format::Csv => Some(Form::Csv),
            Format::Markdown => Some(Form::Markdown),
            Format::Junit => Some(Form::Junit),
            Format::Html | Format::Svg | Format::Toml => None,
        }
    }

    /// Whether a file shows the parts themselves.
    pub fn shows_parts(self) -> bool {
        matches!(self, Format::Html | Format::Svg)
    }
}

/// A result file and its format.
pub(super) type File<'p> = (&'p Path, Format);

/// The formats of some files by their endings, in upper or lower case. Endings not in `known` are an error.
pub(super) fn by_ending<'p>(paths: &'p [PathBuf], known: &[Format]) -> Result<Vec<File<'p>>, Error> {
    let of = |path: &'p PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let found = Format::ALL.into_iter().find(|format| Some(format.ending()) == ending.as_deref());
        let list = known.iter().map(|format| format.shown()).collect::<Vec<_>>().join(", ");
        match (found, ending) {
            (Some(format), _) if known.contains(&format) => Ok((path.as_path(), format)),
            (Some(format), _) => {
                Err(Error::format(path, format!("this command does not write .{}, only {list}", format.ending())))
            }
            (None, Some(ending)) => Err(Error::format(path, format!("unknown ending `.{ending}`, expected {list}"))),
            (None, None) => Err(Error::format(path, format!("no ending that names a format, expected {list}"))),
        }
    };
    paths.iter().map(of).collect()
}

/// Checks that files can be written, none of them over an input.
pub(super) fn can_write<'p>(files: &[File<'p>], inputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
    destination::check(files.iter().map(|&(path, format)| (path, format.kind())), inputs)
}

/// Writes a report to its files that do not show parts.
pub(super) fn write_report(files: &[File<'_>], report: &Report) -> Result<(), Error> {
    for (path, form) in files.iter().filter_map(|&(path, format)| Some((path, format.form()?))) {
        destination::write(path, form.write(report, false)?)?;
    }
    Ok(())
}

/// Writes an answer to its files, pages excepted: as JSON, or as a table with a row for each entry of the field `rows`.
/// Without `rows` the table is one row, the answer itself.
pub(super) fn write_answer<T: Serialize>(
    files: &[File<'_>],
    title: &str,
    answer: &T,
    rows: Option<&str>,
) -> Result<(), Error> {
    for &(path, format) in files {
        match format {
            Format::Json => destination::write(path, json(answer)?)?,
            Format::Csv => destination::write(path, csv_table(answer, rows)?)?,
            Format::Markdown => destination::write(path, markdown_table(title, answer, rows)?)?,
            Format::Html | Format::Junit | Format::Svg | Format::Toml => {}
        }
    }
    Ok(())
}

/// The pages among some files.
pub(super) fn pages<'p>(files: &[File<'p>]) -> Vec<&'p Path> {
    files.iter().filter(|(_, format)| *format == Format::Html).map(|&(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_ending() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let all = paths(&["a.html", "b.JSON", "c.csv", "d.x.md", "e.xml", "f.svg"]);
        let found: Vec<Format> = by_ending(&all, &REPORT).unwrap().into_iter().map(|(_, format)| format).collect();
        assert_eq!(found, REPORT);
        let refused = |name: &str, known: &[Format]| by_ending(&paths(&[name]), known).unwrap_err().to_string();
        assert_eq!(
            refused("a.pdf", &REPORT),
            "a.pdf: unknown ending `.pdf`, expected .html, .json, .csv, .md, .xml (JUnit), .svg"
        );
        assert!(refused("report", &REPORT).starts_with("report: no ending that names a format, expected .html"));
        assert_eq!(refused("a.svg", &ANSWER), "a.svg: this command does not write .svg, only .html, .json, .csv, .md");
        assert_eq!(refused("a.toml", &[Format::Json]), "a.toml: this command does not write .toml, only .json");
    }
}
