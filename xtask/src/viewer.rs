//! The page that `clearance --html` fills: built from `viewer/` by `cargo xtask viewer`, and tested in Chromium.
//!
//! The page lies in `crates/clearance-view/page` and belongs to the repository: who builds the command or the Python
//! package needs no Node.js. Who changes `viewer/` builds it, and `cargo xtask test` holds what lies there against a
//! build of its own, to the byte.
//!
//! To build it takes Node.js and npm, to test it Chromium. On Debian, as root, what is missing is installed; elsewhere
//! the error says what to install. `cargo xtask test` goes on without them, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{root, target};
use crate::{FEATURES, execute, retry, step, succeeds};

/// The oldest Node.js that works: what Debian 12 has.
const NODE: u32 = 18;
/// What the tests look for, unless `CHROMIUM` names one.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where the page lies, from the root of the repository.
const PAGE: &str = "crates/clearance-view/page";

/// What is built.
const FILES: [&str; 2] = ["viewer.html", "LICENSES.txt"];

/// Builds the page where it belongs.
pub fn build() -> Result<(), String> {
    node()?;
    packages()?;
    bundle(&root().join(PAGE))
}

/// What the tests need. False, after a word about it, where Node.js cannot be had.
pub fn setup() -> Result<bool, String> {
    if let Err(message) = node() {
        println!("xtask: SKIPPED the build and the tests of the page of `--html`: {message}");
        return Ok(false);
    }
    packages()?;
    Ok(true)
}

/// Fetches what the page is built with.
fn packages() -> Result<(), String> {
    let folder = folder();
    // Nothing of what is installed has to run to be installed.
    let install = ["--prefix", &folder, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    step("fetch the packages of viewer/package-lock.json", || retry("npm", &install))
}

/// Builds the page into a folder.
fn bundle(into: &Path) -> Result<(), String> {
    step("types of the viewer", || run(&["types"]))?;
    step("the page of the viewer", || run(&["bundle", "--", &into.display().to_string()]))
}

/// That the page in the repository is what `viewer/` makes, to the byte.
pub fn compare() -> Result<(), String> {
    let built = target().join("viewer");
    bundle(&built)?;
    let read = |path: PathBuf| std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    for name in FILES {
        if read(root().join(PAGE).join(name)).ok() != Some(read(built.join(name))?) {
            return Err(format!("{PAGE}/{name} is not what viewer/ makes: run `cargo xtask viewer` and commit it"));
        }
    }
    Ok(())
}

/// Opens pages that `clearance` writes in Chromium, and looks at them.
pub fn test() -> Result<(), String> {
    let browser = browser()?;
    // A page with the motions of several parts, made from plain data. Nothing is built if the tests ran.
    let page = ["build", "--locked", "--workspace", "--example", "page"];
    step("an example of a page", || execute("cargo", &[&page[..], &FEATURES].concat()))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("clearance");
    step("pages in Chromium", || {
        let mut command = Command::new("npm");
        command.args(["--prefix", &folder(), "test"]).env("CHROMIUM", &browser).env("CLEARANCE", &program);
        let status = command.status().map_err(|error| format!("cannot start npm: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("`npm test` failed ({status})")) }
    })
}

/// Runs a script of `viewer/package.json`.
fn run(script: &[&str]) -> Result<(), String> {
    execute("npm", &[&["--prefix", &folder(), "run", "--silent"], script].concat())
}

fn folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../viewer").display().to_string()
}

/// Makes sure that there is Node.js, new enough, and npm.
fn node() -> Result<(), String> {
    let needs = |program: &str| !succeeds(program, &["--version"]);
    let missing: Vec<&str> = [("node", "nodejs"), ("npm", "npm")]
        .into_iter()
        .filter(|(name, _)| needs(name))
        .map(|(_, package)| package)
        .collect();
    install(&missing, &format!("Node.js {NODE} or later with npm"))?;
    let output =
        Command::new("node").arg("--version").output().map_err(|error| format!("cannot start node: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match major(&text) {
        Some(version) if version >= NODE => Ok(()),
        _ => Err(format!("Node.js is {}, and {NODE} or later is needed: please install a newer one", text.trim())),
    }
}

/// `v18.20.4` is 18.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// A browser for the tests.
fn browser() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("CHROMIUM") {
        return Ok(path.into());
    }
    if let Some(found) = BROWSERS.into_iter().find_map(on_path) {
        return Ok(found);
    }
    // Letters need a font.
    install(&["chromium", "fonts-dejavu-core"], "Chromium")?;
    on_path("chromium").ok_or_else(|| "Chromium was installed, and is not on the path: name it in CHROMIUM".into())
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Installs packages of Debian; who cannot is told what to do.
fn install(packages: &[&str], what: &str) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_root || on_path("apt-get").is_none() {
        return Err(format!(
            "{what} is needed and not there: please install it (Debian: `apt-get install {}`) and run this again",
            packages.join(" ")
        ));
    }
    println!("xtask: installing {}", packages.join(", "));
    retry("apt-get", &["update"])?;
    let options = ["install", "--yes", "--no-install-recommends"];
    retry("env", &[&["DEBIAN_FRONTEND=noninteractive", "apt-get"], &options[..], packages].concat())
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(["v18.20.4\n", "v20.1.0", "22", "v", ""].map(major), [Some(18), Some(20), None, None, None]);
    }
}
