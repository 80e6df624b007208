//! Hands the page that `cargo xtask viewer` makes to the compiler. Where it was not made, `--html` says so, and all else works.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer/dist");
    // A path that is not there would be looked at as changed in every build.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let page = std::fs::read(folder.join("viewer.html")).unwrap_or_default();
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    if let Err(error) = std::fs::write(out.join("viewer.html"), page) {
        println!("cargo::error=the page of the viewer cannot be written: {error}");
    }
}
