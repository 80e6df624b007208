//! The tables of docs/benchmarks.md: what stands between `<!-- lab:NAME FEATURES -->` and `<!-- /lab -->` is the output
//! of `lab run NAME --markdown`, the lab built with those features (none, one, or several with commas).

use std::path::Path;
use std::process::{Command, Stdio};

const OPEN: &str = "<!-- lab:";
const OPEN_END: &str = " -->";
const CLOSE: &str = "<!-- /lab -->";

/// Runs every experiment that docs/benchmarks.md names and writes the file again. Nothing is written if one of them
/// fails.
pub fn update() -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("docs/benchmarks.md cannot be read: {error}"))?;
    let filled = fill(&text, run)?;
    std::fs::write(&path, filled).map_err(|error| format!("docs/benchmarks.md cannot be written: {error}"))
}

/// The text with the table of each marker made by `table`, which gets the experiment's name and the features.
fn fill(text: &str, mut table: impl FnMut(&str, &str) -> Result<String, String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let (before, marked) = rest.split_at(start);
        let (marker, after) = marked.split_once(OPEN_END).ok_or("a marker `<!-- lab:` is not closed")?;
        let words = marker.trim_start_matches(OPEN).trim();
        let (name, features) = words.split_once(' ').unwrap_or((words, ""));
        let (_, after) = after.split_once(CLOSE).ok_or_else(|| format!("the marker of {name} has no `{CLOSE}`"))?;
        let table = table(name, features.trim())?;
        filled += &format!("{before}{marker}{OPEN_END}\n{}\n{CLOSE}", table.trim_end());
        rest = after;
    }
    Ok(filled + rest)
}

/// The table of an experiment. One that finds a wrong answer is not published.
fn run(name: &str, features: &str) -> Result<String, String> {
    println!("xtask: lab run {name}");
    let output = Command::new("cargo")
        .args(["run", "--locked", "--release", "--package", "lab", "--features", features])
        .args(["--", "run", name, "--markdown"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let table = String::from_utf8(output.stdout).map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() { Ok(table) } else { Err(format!("{name} failed ({})\n{table}", output.status)) }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn tables_are_replaced_and_the_rest_is_kept() {
        let text = "a\n<!-- lab:one peers -->\nold\n<!-- /lab -->\nb\n<!-- lab:two -->\n<!-- /lab -->\n";
        let filled = fill(text, |name, features| Ok(format!("{name}/{features}\n"))).unwrap();
        let expected =
            "a\n<!-- lab:one peers -->\none/peers\n<!-- /lab -->\nb\n<!-- lab:two -->\ntwo/\n<!-- /lab -->\n";
        assert_eq!(filled, expected);
        assert_eq!(fill(&filled, |name, features| Ok(format!("{name}/{features}\n"))).unwrap(), filled);
    }

    #[test]
    fn an_open_marker_and_a_failed_run_are_errors() {
        assert!(fill("<!-- lab:one -->", |_, _| Ok(String::new())).is_err());
        assert!(fill("<!-- lab:one", |_, _| Ok(String::new())).is_err());
        assert!(fill("<!-- lab:one --><!-- /lab -->", |_, _| Err("wrong".into())).is_err());
    }
}
