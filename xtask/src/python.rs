//! The Python package: a virtual environment with what its tests need, the wheel, its tests and its types.
//!
//! Everything lives in `python/` of the target folder. What is pinned in `requirements.lock` is installed once, and
//! again when the file changes; each download is tried three times. The wheel is built in the profile and with the
//! features of the tests, which shares what `cargo test` built.

use std::path::{Path, PathBuf};

use crate::{FEATURES, execute, retry, succeeds};

/// Where the package is, from the root of the repository.
pub const PACKAGE: &str = "crates/clearance-python";

/// What an interpreter must have: the version that the pinned packages need, and `venv`.
const PROBE: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)";

/// The virtual environment of the tests.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// A program of the environment.
    pub fn program(&self, name: &str) -> String {
        self.folder.join("bin").join(name).display().to_string()
    }
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap_or(root)
}

/// The target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// An interpreter that can create environments. On Debian, as root, it is installed if missing.
fn interpreter() -> Result<&'static str, String> {
    // The first is the user's choice; the others are fallbacks if it is too old or incomplete.
    const KNOWN: [&str; 4] = ["python3", "/usr/bin/python3", "python3.13", "python3.12"];
    let find = || KNOWN.into_iter().find(|python| succeeds(python, &["-c", PROBE]));
    if let Some(python) = find() {
        return Ok(python);
    }
    println!("xtask: no Python 3.11 or later with `venv`: installing python3-venv");
    let installed = retry("apt-get", &["update", "-qq"]).and_then(|()| {
        retry("apt-get", &["install", "-y", "-qq", "--no-install-recommends", "python3", "python3-venv"])
    });
    find().ok_or_else(|| {
        let why = installed.err().map_or_else(String::new, |message| format!(" ({message})"));
        format!(
            "the tests need Python 3.11 or later with the module `venv`, which could not be installed{why}: install it \
             (Debian: `apt-get install python3 python3-venv`) and run this again"
        )
    })
}

/// Creates the environment and installs the pinned packages.
pub fn setup() -> Result<Environment, String> {
    let environment = Environment { folder: target().join("python") };
    let wanted = root().join(PACKAGE).join("requirements.lock");
    let wanted_text = std::fs::read_to_string(&wanted).map_err(|error| format!("{}: {error}", wanted.display()))?;
    let stamp = environment.folder.join("requirements.lock");
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted_text)
        && succeeds(&environment.program("python"), &["-c", PROBE])
    {
        return Ok(environment);
    }
    let folder = environment.folder.display().to_string();
    execute(interpreter()?, &["-m", "venv", "--clear", &folder])?;
    let wanted = wanted.display().to_string();
    retry(
        &environment.program("python"),
        &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", &wanted],
    )?;
    std::fs::write(&stamp, wanted_text).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(environment)
}

/// Checks that a folder has one wheel, for the stable ABI of CPython, which serves all later versions.
fn one_for_all_versions(folder: &str) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    match &names[..] {
        [wheel] if wheel.ends_with(".whl") && wheel.contains("-abi3-") => Ok(()),
        other => Err(format!("{folder}: expected one abi3 wheel, got {other:?}")),
    }
}

/// Builds the wheel, installs it, and runs the tests and the checks of types.
pub fn test(environment: &Environment) -> Result<(), String> {
    let (python, package) = (environment.program("python"), root().join(PACKAGE));
    let wheels = environment.folder.join("wheels");
    // A wheel of an older version must not be installed instead of the new one.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    }
    let [manifest, wheels, package] =
        [package.join("Cargo.toml"), wheels, package].map(|path| path.display().to_string());
    let build = ["build", "--locked", "--quiet", "--profile", "dev", "--manifest-path", &manifest, "--out", &wheels];
    execute(&environment.program("maturin"), &[&build[..], &FEATURES, &["--interpreter", &python]].concat())?;
    one_for_all_versions(&wheels)?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
        "--force-reinstall",
    ];
    execute(&python, &[&install[..], &["--find-links", &wheels, "clearance"]].concat())?;
    execute(
        &python,
        &["-m", "pytest", "--quiet", "--rootdir", &package, "-c", &format!("{package}/pyproject.toml"), &package],
    )?;
    execute(&python, &["-m", "ruff", "check", "--quiet", &package])?;
    execute(&python, &["-m", "ruff", "format", "--quiet", "--check", &package])?;
    execute(&python, &["-m", "mypy", "--config-file", &format!("{package}/pyproject.toml")])?;
    // Elsewhere types and code are one file; the adapters of clusters cannot be imported without these.
    execute(
        &python,
        &["-m", "mypy.stubtest", "clearance._clearance", "--mypy-config-file", &format!("{package}/pyproject.toml")],
    )
}
