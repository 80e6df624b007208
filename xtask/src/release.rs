//! `cargo xtask release`: the files of a release, in `target/release-files`. `cargo xtask publish`: a dry run of
//! publishing every library crate.
//!
//! A release has one archive per platform with the stripped command, shell completions and manual pages, the Python
//! wheel, the source distribution, and `SHA256SUMS` over all of them. Archives hold no time stamps or user names, so
//! the same sources and compiler give the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{self, root, target};

/// Crates in the order in which they would be published.
const CRATES: [&str; 6] =
    ["clearance", "clearance-files", "clearance-robot", "clearance-check", "clearance-view", "clearance-cli"];
/// Shells with completions, and the name that each looks for.
const COMPLETIONS: [(&str, &str); 4] =
    [("bash", "clearance.bash"), ("zsh", "_clearance"), ("fish", "clearance.fish"), ("powershell", "clearance.ps1")];
/// Files from the root of the repository that go into the archive.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
const EXAMPLE: &str = "examples/gearbox.glb";

/// Makes all files of a release, then runs the archived command on the example from an empty folder.
pub fn run() -> Result<(), String> {
    let out = target().join("release-files");
    clear(&out)?;
    let version = env!("CARGO_PKG_VERSION");
    let host = host()?;
    let name = format!("clearance-{version}-{host}");

    run_in(&root(), "cargo", &["build", "--locked", "--profile", "dist", "--package", "clearance-cli"])?;
    let built = target().join("dist").join(format!("clearance{}", std::env::consts::EXE_SUFFIX));
    let folder = out.join(&name);
    assemble(&built, &folder)?;
    let archive = out.join(format!("{name}.tar.gz"));
    pack(&out, &name, &archive)?;
    try_archive(&archive, &name)?;
    remove(&folder)?;

    let environment = python::setup()?;
    let maturin = environment.program("maturin");
    let manifest = root().join(python::PACKAGE).join("Cargo.toml").display().to_string();
    let to = out.display().to_string();
    let interpreter = environment.program("python");
    let wheel = ["build", "--locked", "--profile", "dist", "--manifest-path", &manifest, "--out", &to];
    run_in(&root(), &maturin, &[&wheel[..], &["--interpreter", &interpreter]].concat())?;
    run_in(&root(), &maturin, &["sdist", "--manifest-path", &manifest, "--out", &to])?;

    write_checksums(&out)?;
    for path in files(&out)? {
        let size = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        println!("xtask: {:>8} KB  {}", size.div_ceil(1000), path.display());
    }
    Ok(())
}

/// Packages and builds every library crate as a registry would receive it. Nothing is uploaded. Cargo resolves crates
/// of this workspace among each other, so none has to be published for the dry run.
pub fn publish_dry_run() -> Result<(), String> {
    let packages = CRATES.iter().flat_map(|name| ["--package", name]);
    let arguments: Vec<&str> = ["publish", "--dry-run", "--locked"].into_iter().chain(packages).collect();
    run_in(&root(), "cargo", &arguments)
}

/// The contents of the archive: the command, completions, manual pages, documents.
fn assemble(built: &Path, folder: &Path) -> Result<(), String> {
    let copy = |from: &Path, to: &Path| {
        fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
    };
    let (completions, manual) = (folder.join("completions"), folder.join("man/man1"));
    for path in [&completions, &manual] {
        fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let program = folder.join(built.file_name().ok_or("the command has no file name")?);
    copy(built, &program)?;
    for document in DOCUMENTS {
        copy(&root().join(document), &folder.join(document))?;
    }
    for (shell, name) in COMPLETIONS {
        let made = Command::new(&program).args(["completions", shell]).output();
        let made = made.map_err(|error| format!("{}: {error}", program.display()))?;
        if !made.status.success() || made.stdout.is_empty() {
            return Err(format!("`clearance completions {shell}` failed ({})", made.status));
        }
        let path = completions.join(name);
        fs::write(&path, made.stdout).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    run_in(folder, &program.display().to_string(), &["man", &manual.display().to_string()])
}

/// Packs a folder with GNU tar, the same bytes for the same contents.
fn pack(out: &Path, name: &str, archive: &Path) -> Result<(), String> {
    let tar = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-I", "gzip -9n", "-cf"];
    run_in(out, "tar", &[&tar[..], &[&archive.display().to_string(), name]].concat())
}

/// Unpacks the archive and checks the example with it, in a folder with nothing else.
fn try_archive(archive: &Path, name: &str) -> Result<(), String> {
    let folder = target().join("release-trial");
    clear(&folder)?;
    run_in(&folder, "tar", &["-xzf", &archive.display().to_string()])?;
    let example = root().join(EXAMPLE);
    let program = folder.join(name).join("clearance");
    let checked = Command::new(&program).arg("check").arg(&example).current_dir(&folder).output();
    let checked = checked.map_err(|error| format!("{}: {error}", program.display()))?;
    // The gearbox of the example has findings.
    if checked.status.code() != Some(1) {
        return Err(format!("`clearance check {EXAMPLE}` exited with {}, expected 1", checked.status));
    }
    println!("xtask: the archived command checked {EXAMPLE}");
    remove(&folder)
}

fn write_checksums(out: &Path) -> Result<(), String> {
    let mut lines = String::new();
    for path in files(out)? {
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        lines += &format!("{}  {name}\n", hexadecimal(&bytes));
    }
    let path = out.join("SHA256SUMS");
    fs::write(&path, lines).map_err(|error| format!("{}: {error}", path.display()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a folder by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    Ok(paths)
}

/// The target triple of this machine, as the compiler names it.
fn host() -> Result<String, String> {
    let told = Command::new("rustc").arg("-vV").output().map_err(|error| format!("cannot start rustc: {error}"))?;
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".into())
}

/// An empty folder.
fn clear(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        remove(folder)?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn remove(folder: &Path) -> Result<(), String> {
    fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Runs a program with the plain compiler: releases are not built by Clippy.
fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new(program).args(arguments).current_dir(folder).status();
    let status = status.map_err(|error| format!("cannot start {program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` failed ({status})", arguments.join(" "))) }
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn checksums_are_those_of_sha256sum() {
        assert_eq!(hexadecimal(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
