//! The dependencies against `deny.toml`: licences, versions, sources, advisories, of the workspace and of the fuzz
//! targets.
//!
//! Advisories come from a database that has to be fetched. Where it cannot be, a message says so, and the other checks
//! still run.

use std::process::Command;

use crate::python::root;
use crate::{cargo, retry, step, succeeds};

/// The manifests whose lock files are checked.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

/// The checks that need only the lock file and the crates.
const CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

/// Installs cargo-deny if it is missing, and runs all checks.
pub fn run() -> Result<(), String> {
    if !is_present() {
        println!("xtask: installing cargo-deny; this takes some minutes");
        retry("cargo", &["install", "cargo-deny", "--locked"])?;
    }
    check()
}

/// Runs all checks if the tool is installed, and says so if it is not.
pub fn test() -> Result<(), String> {
    if !is_present() {
        println!("xtask: SKIPPED the policy of dependencies: no cargo-deny; `cargo xtask deny` installs it");
        return Ok(());
    }
    step("the policy of dependencies", check)
}

fn is_present() -> bool {
    succeeds("cargo", &["deny", "--version"])
}

fn check() -> Result<(), String> {
    let fetched = fetch_advisories();
    if let Err(why) = &fetched {
        println!("xtask: SKIPPED advisories: their database cannot be fetched here: {why}");
    }
    let mut failed = Vec::new();
    for manifest in MANIFESTS {
        let manifest = root().join(manifest).display().to_string();
        let arguments = [&["deny", "--locked", "--manifest-path", &manifest], &checks(fetched.is_ok())[..]].concat();
        if let Err(message) = cargo(&arguments) {
            failed.push(message);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// The end of the command line: the checks to run.
fn checks(advisories: bool) -> Vec<&'static str> {
    let advisories = advisories.then_some("advisories");
    ["check"].into_iter().chain(advisories).chain(CHECKS).collect()
}

/// Fetches the database of advisories; the error is the last line of the tool's output.
fn fetch_advisories() -> Result<(), String> {
    let done = Command::new("cargo").args(["deny", "--locked", "fetch", "db"]).output();
    let done = done.map_err(|error| format!("cannot start cargo: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    Err(last_line(&String::from_utf8_lossy(&done.stderr)))
}

/// The last non-empty line.
fn last_line(text: &str) -> String {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    line.unwrap_or("cargo-deny gives no reason").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_checks_are_made_and_advisories_only_with_their_database() {
        assert_eq!(checks(false), ["check", "bans", "licenses", "sources"]);
        assert_eq!(checks(true), ["check", "advisories", "bans", "licenses", "sources"]);
    }

    #[test]
    fn the_reason_is_the_last_line_that_says_something() {
        assert_eq!(last_line("first\n  failed to fetch\n\n"), "failed to fetch");
        assert_eq!(last_line("\n"), "cargo-deny gives no reason");
    }
}
