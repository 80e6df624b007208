//! trimesh, the library for meshes that Python's users load files with, called by a script of ours
//! (`crates/lab/peers/trimesh_peer.py`). It stays open and loads one file at a time, so the two sides can take turns.
//! The times are taken in Python, around the call alone.

use super::talk::Talk;
use std::path::Path;

/// Name and version of the peer.
pub const NAME: &str = "trimesh 5.2.0";

/// The open script.
pub struct Trimesh(Talk);

/// How one file was loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loaded {
    /// Seconds it took.
    pub seconds: f64,
    /// Triangles, each instance counted.
    pub triangles: u64,
}

impl Trimesh {
    /// Starts the script; the error says why trimesh is absent.
    pub fn start() -> Result<Trimesh, String> {
        // networkx and lxml are what it reads 3MF with.
        let packages = ["trimesh==5.2.0", "numpy", "networkx==3.4.2", "lxml==6.0.2"];
        let text = include_str!("../../peers/trimesh_peer.py");
        Talk::start(NAME, "trimesh_peer.py", text, &packages).map(Trimesh)
    }

    /// Loads a file.
    pub fn load(&mut self, path: &Path) -> Result<Loaded, String> {
        let name = path.to_str().ok_or("a name that is not UTF-8")?;
        loaded(&self.0.ask(name)?)
    }
}

/// What a line of the script says.
fn loaded(line: &str) -> Result<Loaded, String> {
    let numbers = line.split_once(' ').and_then(|(time, count)| Some((time.parse().ok()?, count.parse().ok()?)));
    let (nanoseconds, triangles): (u64, u64) = numbers.ok_or_else(|| format!("trimesh said `{line}`"))?;
    Ok(Loaded { seconds: nanoseconds as f64 / 1e9, triangles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_script() {
        assert_eq!(loaded("1500000000 12"), Ok(Loaded { seconds: 1.5, triangles: 12 }));
        assert!(loaded("twelve").is_err() && loaded("").is_err() && loaded("1 -2").is_err());
    }
}
