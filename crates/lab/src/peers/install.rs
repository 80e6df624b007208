//! Installs what a peer outside of this program needs: Debian packages, a Python environment. Only a running experiment
//! installs them; building and testing never do. Everything but the packages goes to `target/lab`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How often an installation is tried; networks fail.
const TRIES: usize = 3;

/// A folder of `target/lab` for a peer, made if it is not there. Every peer begins here, so that without the feature
/// none is installed or started.
pub fn folder(name: &str) -> Result<PathBuf, String> {
    if cfg!(not(feature = "peers")) {
        return Err(super::HOW_TO_ENABLE.into());
    }
    let folder = crate::output_folder().join(name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Runs a command and gives what it printed; an error has the command and the end of what it complained about.
pub fn run(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{shown} does not start: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = complaint.trim().lines().collect();
    Err(format!("{shown} failed ({}): {}", output.status, lines[lines.len().saturating_sub(12)..].join("\n")))
}

/// Installs a Debian package unless `sign`, a file of it, is there.
pub fn debian_package(package: &str, sign: &Path) -> Result<(), String> {
    if sign.exists() {
        return Ok(());
    }
    eprintln!("lab: installing the Debian package {package}");
    let apt =
        |arguments: &[&str]| run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments));
    let mut problem = String::new();
    for attempt in 0..TRIES {
        if attempt > 0 {
            // The list of packages may be out of date. If this fails, so does the installation, which says why.
            let _ = apt(&["update"]);
        }
        match apt(&["install", "--yes", "--no-install-recommends", package]) {
            Ok(_) if sign.exists() => return Ok(()),
            Ok(_) => problem = format!("{} is not in it", sign.display()),
            Err(error) => problem = error,
        }
    }
    Err(format!(
        "{package} could not be installed after {TRIES} tries; install it by hand (`sudo apt-get install {package}`) \
         and run again: {problem}"
    ))
}

/// A command that runs a script of ours in a Python with these packages, each as `name==version` or `name`, and the
/// folder for its files. The script may import `wire`.
pub fn script(name: &str, text: &str, packages: &[&str]) -> Result<(Command, PathBuf), String> {
    let python = python(packages)?;
    let folder = folder("python")?;
    for (name, text) in [("wire.py", include_str!("../../peers/wire.py")), (name, text)] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut command = Command::new(python);
    command.arg(folder.join(name));
    Ok((command, folder))
}

/// The Python of an environment in `target/lab` that has these packages, each as `name==version` or `name`.
fn python(packages: &[&str]) -> Result<PathBuf, String> {
    let environment = folder("venv")?;
    let python = environment.join("bin/python");
    if !python.exists() {
        eprintln!("lab: making a Python environment in {}", environment.display());
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let listed =
        run(Command::new(&python).args(["-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]))?;
    let has = |package: &str| {
        listed.lines().any(|line| line == package || line.split("==").next().is_some_and(|name| name == package))
    };
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !has(package)).collect();
    if missing.is_empty() {
        return Ok(python);
    }
    eprintln!("lab: installing {} into {}", missing.join(", "), environment.display());
    let mut problem = String::new();
    for _ in 0..TRIES {
        let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        match run(Command::new(&python).args(arguments).args(&missing)) {
            Ok(_) => return Ok(python),
            Err(error) => problem = error,
        }
    }
    Err(format!("{} could not be installed after {TRIES} tries: {problem}", missing.join(", ")))
}

#[cfg(all(test, not(feature = "peers")))]
mod tests {
    use crate::meshes::generate::sphere;
    use crate::peers::{HOW_TO_ENABLE, coal, embree, fcl, trimesh::Trimesh};

    #[test]
    fn without_the_feature_nothing_is_installed() {
        assert_eq!(fcl::run(&[], &[]).unwrap_err(), HOW_TO_ENABLE);
        assert_eq!(coal::run(&[], &[]).unwrap_err(), HOW_TO_ENABLE);
        assert_eq!(embree::run(&sphere(8), &[], false).unwrap_err(), HOW_TO_ENABLE);
        assert_eq!(Trimesh::start().err().as_deref(), Some(HOW_TO_ENABLE));
    }
}
