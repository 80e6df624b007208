//! What `cargo xtask house` prints.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::circles::{best_cuts, circles};
use super::lengths::{functions, long_lines};
use super::{CIRCLE_LIMIT, House, ROOMS, SOURCES, STILL_TO_THE_RIGHT, room_name};

/// How many of the longest files and functions are listed.
const LISTED: usize = 10;

/// How many imports are named that hold the largest circle together.
const CUTS: usize = 3;

/// How long a line may be.
const LINE_LIMIT: usize = 120;

/// The whole report. `sources` are the Rust files of the repository, by their paths from its root.
pub fn report(house: &House, sources: &BTreeMap<String, String>, list_long_lines: bool) -> String {
    let mut text = String::new();
    rooms(house, &mut text);
    to_the_right(house, &mut text);
    large_circles(house, &mut text);
    longest(house, &mut text);
    lines(sources, list_long_lines, &mut text);
    text
}

/// Appends a line.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {
        // Writing to a string does not fail.
        let _ = writeln!($text, $($arguments)*);
    };
}

fn rooms(house: &House, text: &mut String) {
    let counts = house.between_rooms();
    put!(text, "Rooms of {SOURCES}, from left to right. Imports are pairs of files, tests left out.\n");
    put!(text, "  {:<8} {:>5} {:>7} {:>7}  imports from", "room", "files", "lines", "inside");
    for (k, room) in ROOMS.iter().enumerate() {
        let files: Vec<_> = house.engine.files.iter().filter(|file| room_name(&file.path) == room.name).collect();
        if files.is_empty() {
            continue;
        }
        let lines: usize = files.iter().map(|file| file.lines).sum();
        let inside = counts.get(&(k, k)).copied().unwrap_or(0);
        let others = counts.iter().filter(|&(&(from, to), _)| from == k && to != k);
        let others = others.map(|(&(_, to), count)| format!("{} {count}", ROOMS.get(to).map_or("?", |room| room.name)));
        let others = others.collect::<Vec<_>>().join(", ");
        put!(text, "{}", format!("  {:<8} {:>5} {lines:>7} {inside:>7}  {others}", room.name, files.len()).trim_end());
    }
    let lines: usize = house.engine.files.iter().map(|file| file.lines).sum();
    put!(text, "  {:<8} {:>5} {lines:>7}", "all", house.engine.files.len());
}

fn to_the_right(house: &House, text: &mut String) {
    let found = house.to_the_right();
    put!(text, "\nImports to the right: {}", found.len());
    for edge in found {
        let known =
            STILL_TO_THE_RIGHT.iter().find(|known| (known.0, known.1) == (house.path(edge.0), house.path(edge.1)));
        put!(text, "  {}: {}", house.arrow(edge), known.map_or("not allowed", |known| known.2));
    }
}

fn large_circles(house: &House, text: &mut String) {
    let edges = house.edges();
    let circles = circles(&edges);
    put!(text, "\nLargest circle of imports: {} files", circles.first().map_or(1, Vec::len));
    for (k, circle) in circles.iter().enumerate().filter(|(_, circle)| circle.len() > CIRCLE_LIMIT) {
        if k > 0 {
            put!(text, "Another: {} files", circle.len());
        }
        let paths: Vec<&str> = circle.iter().map(|&file| house.path(file)).collect();
        for line in wrapped(&paths, "  ") {
            put!(text, "{line}");
        }
        for (edge, left) in best_cuts(circle, &edges, if k == 0 { CUTS } else { 0 }) {
            put!(text, "  without {} it would have {left}", house.arrow(edge));
        }
    }
}

fn longest(house: &House, text: &mut String) {
    let mut files: Vec<_> = house.engine.files.iter().collect();
    files.sort_by_key(|file| (std::cmp::Reverse(file.lines), &file.path));
    put!(text, "\nLongest files");
    for file in files.iter().take(LISTED) {
        put!(text, "  {:>5}  {}", file.lines, file.path);
    }
    let mut found: Vec<_> = house
        .engine
        .files
        .iter()
        .flat_map(|file| functions(&file.syntax).into_iter().map(move |function| (file, function)))
        .collect();
    found.sort_by_key(|(file, function)| (std::cmp::Reverse(function.lines), &file.path, function.line));
    put!(text, "\nLongest functions");
    let width = found.iter().take(LISTED).map(|(_, function)| function.name.len()).max().unwrap_or(0);
    for (file, function) in found.iter().take(LISTED) {
        put!(text, "  {:>5}  {:<width$}  {}:{}", function.lines, function.name, file.path, function.line);
    }
}

fn lines(sources: &BTreeMap<String, String>, list: bool, text: &mut String) {
    let mut crates: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, source) in sources {
        let long = long_lines(source, LINE_LIMIT).into_iter().map(|line| (path.as_str(), line));
        crates.entry(crate_of(path)).or_default().extend(long);
    }
    let all: usize = crates.values().map(Vec::len).sum();
    put!(text, "\nLines of more than {LINE_LIMIT} characters: {all}{}", if list { "" } else { " (--long lists them)" });
    for (name, long) in crates.iter().filter(|(_, long)| !long.is_empty()) {
        put!(text, "  {:>5}  {name}", long.len());
        for (path, line) in long.iter().filter(|_| list) {
            put!(text, "         {path}:{line}");
        }
    }
}

/// The crate that a file belongs to, by its folder.
fn crate_of(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// Words in lines of at most [`LINE_LIMIT`] characters, each after an indent.
pub fn wrapped(words: &[&str], indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= LINE_LIMIT => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped() {
        let word = "a".repeat(50);
        let lines = wrapped(&[&word, &word, &word], "  ");
        assert_eq!(lines, [format!("  {word} {word}"), format!("  {word}")]);
    }

    #[test]
    fn a_file_belongs_to_its_crate() {
        assert_eq!(crate_of("crates/lab/src/main.rs"), "crates/lab");
        assert_eq!(crate_of("xtask/src/main.rs"), "xtask");
    }
}
