//! FCL, the Flexible Collision Library, of Debian's `libfcl-dev`, called by a native program of ours
//! (`crates/lab/peers/fcl/main.cpp`) that times each question itself.

use super::question::{PeerRun, Query};
use super::{install, wire};
use crate::meshes::Model;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name and version of the peer.
pub const NAME: &str = "fcl 0.7";

/// The program's text; it goes along in ours, so that a copy of the binary works anywhere.
const SOURCE: &str = include_str!("../../peers/fcl/main.cpp");

/// Asks FCL each query, in order, with the trees that serve both contact and distance; the error says why FCL is absent
/// or what went wrong.
pub fn run(models: &[&Model], queries: &[Query]) -> Result<PeerRun, String> {
    run_with("OBBRSS", models, queries)
}

/// Asks FCL with trees of other volumes. Only AABB, RSS, KIOS and OBBRSS have distances.
pub fn run_with(volumes: &str, models: &[&Model], queries: &[Query]) -> Result<PeerRun, String> {
    let folder = install::folder("fcl")?;
    let mut command = Command::new(program(&folder)?);
    command.arg(volumes);
    wire::ask_pairs(command, &folder, models, queries)
}

/// The program, compiled unless it is there and made of the same text.
fn program(folder: &Path) -> Result<PathBuf, String> {
    let (source, program) = (folder.join("main.cpp"), folder.join("fcl-peer"));
    if program.exists() && std::fs::read_to_string(&source).is_ok_and(|text| text == SOURCE) {
        return Ok(program);
    }
    install::debian_package("libfcl-dev", Path::new("/usr/include/fcl/fcl.h"))?;
    let failed = |error: std::io::Error| format!("{}: {error}", source.display());
    // The text is put in its place only beside the program made of it.
    let draft = folder.join("draft.cpp");
    std::fs::write(&draft, SOURCE).map_err(failed)?;
    // No -march: the objects in Debian's library have the layout that Eigen gives them for any x86-64.
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O3", "-DNDEBUG", "-isystem", "/usr/include/eigen3", "-o"]).arg(&program);
    compiler.arg(&draft).args(["-lfcl", "-lccd", "-loctomap", "-loctomath"]);
    install::run(&mut compiler)?;
    std::fs::rename(&draft, &source).map_err(failed)?;
    Ok(program)
}
