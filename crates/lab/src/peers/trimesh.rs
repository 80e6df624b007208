//! trimesh, the library for meshes that Python's users load files with, asked by a script of ours
//! (`crates/lab/peers/trimesh_peer.py`). It stays open and loads one file at a time, so the two sides can take turns. The
//! times are taken in Python, around the call alone.

use super::install;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Name and version of the peer.
pub const NAME: &str = "trimesh 5.2.0";

/// The open script.
pub struct Trimesh {
    process: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

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
        let (mut program, _) = install::script("trimesh_peer.py", text, &packages)?;
        let started = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = started.map_err(|error| format!("{program:?} does not start: {error}"))?;
        let (questions, answers) = (process.stdin.take(), process.stdout.take());
        let answers = BufReader::new(answers.ok_or("no way to hear the script")?);
        let mut peer = Trimesh { process, questions, answers };
        let version = peer.line()?;
        match NAME.ends_with(&format!(" {version}")) {
            true => Ok(peer),
            false => Err(format!("trimesh is there as {version}, not as {NAME}")),
        }
    }

    /// Loads a file.
    pub fn load(&mut self, path: &Path) -> Result<Loaded, String> {
        let name = path.to_str().filter(|name| !name.contains('\n')).ok_or("a name that is no plain line of text")?;
        let questions = self.questions.as_mut().ok_or("no way to speak to the script")?;
        writeln!(questions, "{name}").and_then(|()| questions.flush()).map_err(|error| format!("trimesh: {error}"))?;
        loaded(&self.line()?)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("trimesh ended without an answer".into()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(format!("trimesh: {error}")),
        }
    }
}

impl Drop for Trimesh {
    fn drop(&mut self) {
        // The script ends with its input.
        self.questions = None;
        let _ = self.process.wait();
    }
}

/// What a line of the script says.
fn loaded(line: &str) -> Result<Loaded, String> {
    if let Some(problem) = line.strip_prefix("! ") {
        return Err(format!("trimesh: {problem}"));
    }
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
        assert_eq!(loaded("! ValueError('x')"), Err("trimesh: ValueError('x')".into()));
        assert!(loaded("twelve").is_err() && loaded("").is_err() && loaded("1 -2").is_err());
    }
}
