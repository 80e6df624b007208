//! Where files are written: never over an input of the command, nor over a file that is plainly of another kind.
//!
//! Inputs are compared by identity, not by spelling: links and hard links to them are found as well (hard links on Unix
//! only). Files that an input refers to, buffers of glTF or meshes of a URDF, are safe because a file is replaced only
//! by one of its own kind.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use clearance_check::Error;

use crate::limits::PEEK;

/// The kind of a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A picture.
    Svg,
    /// A page.
    Html,
    /// A report or another answer.
    Json,
    /// A table.
    Csv,
    /// A table as Markdown.
    Markdown,
    /// A report for build servers.
    Junit,
    /// A rules file.
    Rules,
    /// A list of approved findings.
    Approvals,
    /// An SRDF.
    Srdf,
    /// Parts, in the format of the file's ending.
    Parts,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Svg => "an SVG picture",
            Kind::Html => "an HTML page",
            Kind::Json => "JSON written by `clearance`",
            Kind::Csv => "a table written by `clearance`",
            Kind::Markdown => "Markdown written by `clearance`",
            Kind::Junit => "JUnit XML written by `clearance`",
            Kind::Rules => "a rules file written by `clearance suggest`",
            Kind::Approvals => "a list written by --write-approved",
            Kind::Srdf => "an SRDF",
            Kind::Parts => "a file of parts",
        }
    }

    /// Whether a file of this kind can start like this.
    fn fits(self, start: &str) -> bool {
        let lower = start.trim_start().to_ascii_lowercase();
        match self {
            Kind::Svg => lower.starts_with("<svg") || (lower.starts_with("<?xml") && lower.contains("<svg")),
            Kind::Html => lower.starts_with("<!doctype html") || lower.starts_with("<html"),
            Kind::Json => lower.contains("\"schema\": \"clearance-"),
            Kind::Csv => ["id,kind,how,", "schema,", "change,id,"].iter().any(|header| lower.starts_with(header)),
            Kind::Markdown => lower.starts_with("## clearance"),
            Kind::Junit => lower.contains("<testsuites name=\"clearance\""),
            Kind::Rules => lower.starts_with("# rules for `clearance check`"),
            Kind::Approvals => lower.starts_with("# approved findings of `clearance check`"),
            Kind::Srdf => lower.contains("<robot"),
            Kind::Parts => true,
        }
    }
}

/// Checks that files can be written without harm: none of them is an input, no two are the same, and none replaces a
/// file of another kind. Call it before anything is measured for them.
pub(crate) fn check<'p>(
    outputs: impl IntoIterator<Item = (&'p Path, Kind)>,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Error> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let mut seen: Vec<&Path> = Vec::new();
    for (output, kind) in outputs {
        if inputs.iter().any(|input| is_same(output, input)) {
            return Err(Error::format(output, "this file is read by this command: write to another"));
        }
        if seen.iter().any(|other| is_same(output, other)) {
            return Err(Error::format(
                output,
                "two outputs would be written to this file: name another for one of them",
            ));
        }
        if is_something_else(output, kind).map_err(|source| Error::io(output, source))? {
            let problem = format!("this file is not {}: remove it first, or write to another", kind.name());
            return Err(Error::format(output, problem));
        }
        seen.push(output);
    }
    Ok(())
}

/// Writes a file.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    std::fs::write(path, content).map_err(|source| Error::io(path, source))
}

/// Whether two paths lead to one file. Pipes and devices, which several may share, are not compared.
fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(of_one), Ok(of_other)) => {
            of_one.is_file() && of_other.is_file() && (is_same_node(&of_one, &of_other) || place(one) == place(other))
        }
        // Files that do not exist yet are the same if they will be in the same place.
        (Err(_), Err(_)) => place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_node(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_node(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Where a file is, or will be.
fn place(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    })
}

/// Whether a file exists, is not empty, and is not of a kind.
fn is_something_else(path: &Path, kind: Kind) -> std::io::Result<bool> {
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?.take(PEEK).read_to_end(&mut start)?;
    Ok(!kind.fits(&String::from_utf8_lossy(&start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: &Path, kind: Kind, input: &Path) -> Option<String> {
        check([(output, kind)], [input]).err().map(|error| error.to_string())
    }

    #[test]
    fn inputs_are_safe_by_any_name() {
        let folder = std::env::temp_dir().join(format!("clearance-destination-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("below")).unwrap();
        let input = folder.join("a.obj");
        std::fs::write(&input, "v 0 0 0\n").unwrap();
        let again = folder.join("below/../a.obj");
        assert!(refused(&again, Kind::Parts, &input).unwrap().contains("is read"));
        #[cfg(unix)]
        {
            let (link, hard) = (folder.join("link.svg"), folder.join("hard.svg"));
            std::os::unix::fs::symlink(&input, &link).unwrap();
            std::fs::hard_link(&input, &hard).unwrap();
            assert!(refused(&link, Kind::Svg, &input).unwrap().contains("is read"));
            assert!(refused(&hard, Kind::Svg, &input).unwrap().contains("is read"));
        }
        // A file that is not an input is replaced only by one of its own kind.
        let other = folder.join("other");
        assert_eq!(refused(&other, Kind::Svg, &input), None);
        for (content, kind, fits) in [
            ("", Kind::Svg, true),
            ("<svg xmlns=\"x\">", Kind::Svg, true),
            ("v 0 0 0\n", Kind::Svg, false),
            ("<!doctype html>", Kind::Html, true),
            ("\u{0}\u{1}buffer", Kind::Html, false),
            ("{\n  \"schema\": \"clearance-check/2\"", Kind::Json, true),
            ("{\"asset\": {}}", Kind::Json, false),
            ("id,kind,how,rule", Kind::Csv, true),
            ("schema,unit\r\n", Kind::Csv, true),
            ("part,price\n", Kind::Csv, false),
            ("## Clearance: no findings\n", Kind::Markdown, true),
            ("# Read me\n", Kind::Markdown, false),
            ("<?xml version=\"1.0\"?>\n<testsuites name=\"clearance\"", Kind::Junit, true),
            ("<?xml version=\"1.0\"?>\n<project>", Kind::Junit, false),
            ("# Rules for `clearance check`, from a check of a.glb.\n", Kind::Rules, true),
            ("version = 2\n", Kind::Rules, false),
            ("# Approved findings of `clearance check`\n", Kind::Approvals, true),
            ("notes\n", Kind::Approvals, false),
            ("<?xml version=\"1.0\"?>\n<robot name=\"a\">", Kind::Srdf, true),
            ("<COLLADA>", Kind::Srdf, false),
            ("anything", Kind::Parts, true),
        ] {
            std::fs::write(&other, content).unwrap();
            assert_eq!(refused(&other, kind, &input).is_none(), fits, "{content:?} {kind:?}");
        }
        let (new, same) = (folder.join("new"), folder.join("below/../new"));
        let twice = check([(&*new, Kind::Svg), (&*same, Kind::Html)], []).unwrap_err();
        assert!(twice.to_string().contains("two outputs"), "{twice}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
