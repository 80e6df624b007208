//! The page that `clearance --html` fills: built from `viewer/` by `cargo xtask viewer`, and tested in Chromium.
//!
//! The page is in `crates/clearance-view/page` and part of the repository: building the command or the Python package
//! needs no Node.js. After a change of `viewer/` it has to be rebuilt, and `cargo xtask test` compares the committed
//! page with a build of its own, to the byte.
//!
//! Building it takes Node.js and npm, testing it Chromium. On Debian, as root, what is missing is installed; elsewhere
//! the error says what to install. `cargo xtask test` continues without them, and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{root, target};
use crate::{FEATURES, execute, retry, step, succeeds};

/// The oldest Node.js that works: what Debian 12 has.
const NODE: u32 = 18;
/// The browsers that the tests look for, unless `CHROMIUM` names one.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Where the page is, from the root of the repository.
const PAGE: &str = "crates/clearance-view/page";

/// The files built.
const FILES: [&str; 2] = ["viewer.html", "LICENSES.txt"];

/// Builds the page in place.
pub fn build() -> Result<(), String> {
    node()?;
    packages()?;
    bundle(&root().join(PAGE))
}

/// Installs what the tests need. False, with a message, where Node.js is not available.
pub fn setup() -> Result<bool, String> {
    if let Err(message) = node() {
        println!("xtask: SKIPPED the build and the tests of the page of `--html`: {message}");
        return Ok(false);
    }
    packages()?;
    Ok(true)
}

/// Fetches the packages that the page is built from.
fn packages() -> Result<(), String> {
    let folder = folder();
    // No package needs an install script.
    let install = ["--prefix", &folder, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    step("fetch the packages of viewer/package-lock.json", || retry("npm", &install))
}

/// Builds the page into a folder.
fn bundle(into: &Path) -> Result<(), String> {
    step("types of the viewer", || run(&["types"]))?;
    step("the page of the viewer", || run(&["bundle", "--", &into.display().to_string()]))
}

/// Checks that the page in the repository is what `viewer/` builds, to the byte.
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

/// Opens pages that `clearance` writes in Chromium, and tests them.
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

/// Makes sure that npm and a recent enough Node.js are available.
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
        _ => Err(format!("Node.js is {}, but {NODE} or later is required: please install a newer one", text.trim())),
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
    // Text needs a font.
    install(&["chromium", "fonts-dejavu-core"], "Chromium")?;
    on_path("chromium").ok_or_else(|| "Chromium was installed but is not on the path: set CHROMIUM to its name".into())
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Installs Debian packages; without the rights to, the error says what to do.
fn install(packages: &[&str], what: &str) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_root || on_path("apt-get").is_none() {
        return Err(format!(
            "{what} is required: please install it (Debian: `apt-get install {}`) and run this again",
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
