//! Draws a gearbox and writes it twice: `examples/gearbox.glb`, with five faults in it as they happen in real
//! assemblies, and `examples/gearbox-repaired.glb`, without them. `examples/clearance.toml` says what is asked of both.
//!
//! ```sh
//! cargo run -p clearance-files --example gearbox [-- FOLDER]
//! ```

mod assemble;
mod fasteners;
mod gear;
mod housing;
mod plates;
mod shaft;
mod solid;
#[cfg(test)]
mod tests;
mod triangulate;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use assemble::{State, gearbox};

/// The files and the state of what they show.
const FILES: [(&str, State); 2] = [("gearbox.glb", State::Faulty), ("gearbox-repaired.glb", State::Repaired)];

/// Where the files are kept.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).map_or_else(folder, PathBuf::from);
    for (name, state) in FILES {
        let path = folder.join(name);
        let assembly = gearbox(state);
        if let Err(error) = clearance_files::write(&assembly, &path) {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
        let distinct: usize = assembly.geometries.iter().map(|geometry| geometry.triangles.len()).sum();
        println!("{}: {} parts, {distinct} triangles", path.display(), assembly.parts.len());
    }
    ExitCode::SUCCESS
}
