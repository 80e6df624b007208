//! The documentation as one searchable site, and its links.
//!
//! `docs/SUMMARY.md` is the table of contents. The pages are copied to `target/book/src` with the paths they have in
//! the repository, so that links between them hold; a link to anything else, a source file say, becomes plain text
//! there. mdBook makes the site. Links are checked twice: those of the sources, with their anchors, and those of the
//! pages made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::python::{root, target as build_folder};
use crate::succeeds;

/// The version that the pages were checked with.
const MDBOOK: &str = "0.5.4";

/// Pages outside of `docs/`.
const ROOT_PAGES: [&str; 4] = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

const BOOK: &str = r#"[book]
title = "Clearance"
language = "en"
src = "src"

[build]
build-dir = "html"
# One of them renames README.md, and links to it no longer hold.
use-default-preprocessors = false

[output.html]
default-theme = "light"
preferred-dark-theme = "navy"

[output.html.search]
limit-results = 20
use-boolean-and = true
"#;

/// Builds the site into `target/book/html`.
pub fn build() -> Result<(), String> {
    let root = root();
    let pages = pages(&root)?;
    check(&root, &pages)?;
    let folder = build_folder().join("book");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    stage(&root, &pages, &folder)?;
    let mdbook = mdbook()?;
    let status = Command::new(&mdbook).arg("build").arg(&folder).status();
    let status = status.map_err(|error| format!("cannot start {mdbook}: {error}"))?;
    if !status.success() {
        return Err(format!("`{mdbook} build` failed ({status})"));
    }
    let html = folder.join("html");
    check_html(&html)?;
    println!("xtask: {} pages in {}", pages.len(), html.join("index.html").display());
    Ok(())
}

/// The program, installed into the folder of builds if there is none. Without its server, which nothing here needs.
fn mdbook() -> Result<String, String> {
    if succeeds("mdbook", &["--version"]) {
        return Ok("mdbook".into());
    }
    let folder = build_folder().join("tools");
    let program = folder.join("bin/mdbook").display().to_string();
    if !succeeds(&program, &["--version"]) {
        println!("xtask: installing mdbook {MDBOOK}; this takes some minutes");
        let install = ["install", "mdbook", "--locked", "--no-default-features", "--features", "search"];
        // Not by `execute`, which has Clippy compile.
        let status = Command::new("cargo").args(install).args(["--version", MDBOOK, "--root"]).arg(&folder).status();
        let is_done = status.map_err(|error| format!("cannot start cargo: {error}"))?.success();
        if !is_done {
            return Err("mdbook cannot be installed: install it by hand, or see the output of cargo".into());
        }
    }
    Ok(program)
}

/// Checks that every link in the documentation has a target.
pub fn check_links() -> Result<(), String> {
    let root = root();
    check(&root, &pages(&root)?)
}

/// All pages by their paths from the root, with their text.
fn pages(root: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![root.join("docs")];
    let mut files: Vec<PathBuf> = ROOT_PAGES.iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                files.push(path);
            }
        }
    }
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        pages.insert(path.strip_prefix(root).map_err(|error| error.to_string())?.to_owned(), text);
    }
    Ok(pages)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            _ => whole.push(part),
        }
    }
    whole
}

/// A link in a text: where its target starts and ends.
struct Link {
    start: usize,
    end: usize,
}

/// All links `[...](target)` of a page, code left out.
fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let (mut at, mut is_fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if !is_fence && !is_fenced {
            let mut in_code = false;
            let bytes = line.as_bytes();
            for k in 0..bytes.len() {
                match bytes[k] {
                    b'`' => in_code = !in_code,
                    b'(' if !in_code && k > 0 && bytes[k - 1] == b']' => {
                        if let Some(length) = line[k + 1..].find(')') {
                            found.push(Link { start: at + k + 1, end: at + k + 1 + length });
                        }
                    }
                    _ => {}
                }
            }
        }
        at += line.len();
    }
    found
}

/// The anchors of the headings of a page, as mdBook and most hosts make them: lower case, spaces to hyphens,
/// punctuation removed.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_fenced = false;
    for line in text.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let name: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            })
            .collect();
        let mut unique = name.clone();
        for number in 1.. {
            if found.insert(unique.clone()) {
                break;
            }
            unique = format!("{name}-{number}");
        }
    }
    found
}

/// Where a link leads, from the root, and the anchor; `None` for a link out of the repository.
fn target(page: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor.to_owned())));
    let folder = page.parent().unwrap_or(Path::new(""));
    let path = if path.is_empty() { page.to_owned() } else { normal(&folder.join(path)) };
    Some((path, anchor))
}

fn check(root: &Path, pages: &BTreeMap<PathBuf, String>) -> Result<(), String> {
    let mut broken = Vec::new();
    for (page, text) in pages {
        for Link { start, end } in links(text) {
            let link = &text[start..end];
            let Some((path, anchor)) = target(page, link) else { continue };
            let line = text[..start].matches('\n').count() + 1;
            let is_there = match pages.get(&path) {
                Some(other) => anchor.is_none_or(|anchor| anchors(other).contains(&anchor)),
                None => root.join(&path).exists() && anchor.is_none(),
            };
            if !is_there {
                broken.push(format!("{}:{line}: nothing at {link}", page.display()));
            }
        }
    }
    let contents = Path::new("docs/SUMMARY.md");
    let summary = pages.get(contents).ok_or("docs/SUMMARY.md is missing")?;
    let listed: BTreeSet<PathBuf> =
        links(summary).iter().filter_map(|link| Some(target(contents, &summary[link.start..link.end])?.0)).collect();
    let unlisted = pages.keys().filter(|page| *page != contents && !listed.contains(*page));
    broken.extend(unlisted.map(|page| format!("{}: not in docs/SUMMARY.md", page.display())));
    if broken.is_empty() { Ok(()) } else { Err(format!("broken links:\n{}", broken.join("\n"))) }
}

/// Copies the pages, and whatever else lies in `docs/`, to where mdBook reads them.
fn stage(root: &Path, pages: &BTreeMap<PathBuf, String>, folder: &Path) -> Result<(), String> {
    let write = |path: &Path, bytes: &[u8]| {
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).and_then(|()| fs::write(path, bytes)).map_err(|e| format!("{}: {e}", path.display()))
    };
    write(&folder.join("book.toml"), BOOK.as_bytes())?;
    for (page, text) in pages {
        let is_contents = page == Path::new("docs/SUMMARY.md");
        let mut staged = text.clone();
        for Link { start, end } in links(text).into_iter().rev() {
            let Some((path, _)) = target(page, &text[start..end]) else { continue };
            if is_contents {
                staged.replace_range(start..end, &path.display().to_string());
            } else if !pages.contains_key(&path) && !path.starts_with("docs") {
                // Text in brackets alone is not a link.
                staged.replace_range(start - 1..end + 1, &format!(" (`{}`)", path.display()));
                if let Some(open) = staged[..start - 1].rfind('[') {
                    staged.replace_range(open..=open, "");
                }
            }
        }
        let to = if is_contents { PathBuf::from("SUMMARY.md") } else { page.clone() };
        write(&folder.join("src").join(to), staged.as_bytes())?;
    }
    let mut folders = vec![root.join("docs")];
    while let Some(from) = folders.pop() {
        for entry in fs::read_dir(&from).map_err(|error| format!("{}: {error}", from.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|ending| ending != "md") {
                let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let to = path.strip_prefix(root).map_err(|error| error.to_string())?;
                write(&folder.join("src").join(to), &bytes)?;
            }
        }
    }
    Ok(())
}

/// Checks that every link target of the site exists.
fn check_html(html: &Path) -> Result<(), String> {
    let (mut broken, mut folders) = (Vec::new(), vec![html.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // The print page repeats the links of all others from another folder.
            let is_page = path.extension().is_some_and(|ending| ending == "html");
            if !is_page || path.file_name().is_some_and(|name| name == "print.html" || name == "404.html") {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            for word in ["href=\"", "src=\""] {
                for rest in text.split(word).skip(1) {
                    let link = rest.split(['"', '#', '?']).next().unwrap_or_default();
                    let is_local = !link.is_empty() && !link.contains(':') && !link.starts_with('/');
                    let to = normal(&folder.join(link));
                    if is_local && !to.exists() {
                        broken.push(format!("{}: nothing at {link}", path.display()));
                    }
                }
            }
        }
    }
    broken.sort();
    broken.dedup();
    if broken.is_empty() { Ok(()) } else { Err(format!("broken links in the site:\n{}", broken.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use super::{anchors, check, links, target};

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n![g](h.svg)\n";
        let found: Vec<&str> = links(text).iter().map(|link| &text[link.start..link.end]).collect();
        assert_eq!(found, ["b.md", "h.svg"]);
    }

    #[test]
    fn anchors_are_those_of_headings() {
        let found = anchors("# A sample: letters\n## Same\n```\n# no heading\n```\n## Same\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a-sample-letters", "same", "same-1"]);
    }

    #[test]
    fn targets_are_told_from_the_root() {
        let page = Path::new("docs/guide/units.md");
        assert_eq!(target(page, "../mesh.md#goals"), Some((PathBuf::from("docs/mesh.md"), Some("goals".into()))));
        assert_eq!(target(page, "#here"), Some((PathBuf::from("docs/guide/units.md"), Some("here".into()))));
        assert_eq!(target(page, "https://example.org/x"), None);
    }

    #[test]
    fn broken_links_and_unlisted_pages_are_named() {
        let page = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
        let good = [page("docs/SUMMARY.md", "[a](a.md)"), page("docs/a.md", "# One\n[b](#one)")];
        let nowhere = Path::new("no-such-folder");
        assert_eq!(check(nowhere, &BTreeMap::from(good.clone())), Ok(()));
        let mut bad = BTreeMap::from(good);
        bad.insert(PathBuf::from("docs/b.md"), "[x](c.md) [y](a.md#two)".into());
        let message = check(nowhere, &bad).unwrap_err();
        assert!(["b.md:1: nothing at c.md", "a.md#two", "b.md: not in"].iter().all(|part| message.contains(part)));
    }
}
