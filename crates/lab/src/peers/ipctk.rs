//! The IPC Toolkit, the library for collisions of deforming meshes that Python's users have, called by a script of ours
//! (`crates/lab/peers/ipctk_peer.py`). It stays open, so the two sides can take turns. Times are taken in Python,
//! around the calls alone; one call does a whole step, so what calling costs is nothing beside it.

use clearance::query::{ElementaryKind, ElementaryPair};

use super::install;
use super::talk::Talk;

/// Name and version of the peer.
pub const NAME: &str = "ipctk 1.6.1";

/// A way to decide candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Additive continuous collision detection.
    Additive,
    /// Tight inclusion.
    Inclusion,
}

impl Narrow {
    /// The peer with this way.
    pub fn peer(self) -> &'static str {
        match self {
            Narrow::Additive => "ipctk 1.6.1, additive",
            Narrow::Inclusion => "ipctk 1.6.1, tight inclusion",
        }
    }
}

/// One step, the earliest impact alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Seconds for the candidates.
    pub broad: f64,
    /// Seconds for the largest step without a collision.
    pub narrow: f64,
    /// How many candidates.
    pub candidates: u64,
    /// That step.
    pub first: f64,
}

/// What tight inclusion made of single pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queries {
    /// Seconds for all calls, and for as many calls that do almost nothing.
    pub seconds: [f64; 2],
    /// For each pair whether it is taken for touching.
    pub touches: Vec<bool>,
    /// Nanoseconds for each call.
    pub times: Vec<f64>,
}

/// The open script.
pub struct Ipctk(Talk);

impl Ipctk {
    /// Starts the script on so many threads; the error says why it is absent.
    pub fn start(threads: usize) -> Result<Ipctk, String> {
        let text = include_str!("../../peers/ipctk_peer.py");
        let mut talk = Talk::start(NAME, "ipctk_peer.py", text, &["ipctk==1.6.1", "numpy"])?;
        talk.ask(&format!("threads {threads}"))?;
        Ok(Ipctk(talk))
    }

    /// Hands over a mesh at both ends of a step. Which broad phase was fastest on it.
    pub fn load(&mut self, ends: [&[[f64; 3]]; 2], triangles: &[[u32; 3]]) -> Result<String, String> {
        let path = install::folder("python")?.join("step.bin");
        let mut bytes = Vec::new();
        for count in [ends[0].len(), triangles.len()] {
            bytes.extend((count as u64).to_le_bytes());
        }
        ends.into_iter().flatten().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        triangles.iter().flatten().for_each(|p| bytes.extend(p.to_le_bytes()));
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        self.0.ask(&format!("load {}", path.to_str().ok_or("a name that is not UTF-8")?))
    }

    /// Asks tight inclusion about single pairs, all of one kind, with a tolerance and a limit on its iterations.
    pub fn queries(&mut self, pairs: &[ElementaryPair], tolerance: f64, most: u32) -> Result<Queries, String> {
        let Some(first) = pairs.first() else { return Ok(Queries::default()) };
        let path = install::folder("python")?.join("queries.bin");
        let corners = pairs.iter().flat_map(|pair| [pair.start(), pair.end()]).flatten();
        let bytes: Vec<u8> = corners.flat_map(|corner| corner.to_array()).flat_map(f64::to_le_bytes).collect();
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        let kind = match first.kind() {
            ElementaryKind::VertexFace => "vertex-face",
            ElementaryKind::EdgeEdge => "edge-edge",
        };
        let path = path.to_str().ok_or("a name that is not UTF-8")?;
        queries(&self.0.ask(&format!("queries {kind} {tolerance:e} {most} {path}"))?, pairs.len())
    }

    /// Asks for the earliest impact.
    pub fn step(&mut self, narrow: Narrow) -> Result<Step, String> {
        let name = match narrow {
            Narrow::Additive => "additive",
            Narrow::Inclusion => "inclusion",
        };
        step(&self.0.ask(&format!("step {name}"))?)
    }
}

/// What a line of the script says about so many pairs.
fn queries(line: &str, count: usize) -> Result<Queries, String> {
    let said = || format!("ipctk said `{}`", line.chars().take(80).collect::<String>());
    let words: Vec<&str> = line.split(' ').collect();
    let [taken, calls, letters, times] = words[..] else { return Err(said()) };
    let seconds = |word: &str| word.parse::<u64>().map(|ns| ns as f64 / 1e9).map_err(|_| said());
    if letters.len() != count || letters.bytes().any(|letter| !b"01".contains(&letter)) {
        return Err(said());
    }
    let touches = letters.bytes().map(|letter| letter == b'1').collect();
    let times: Result<Vec<f64>, _> = times.split(',').map(|time| seconds(time).map(|time| 1e9 * time)).collect();
    let times = times.ok().filter(|times| times.len() == count).ok_or_else(said)?;
    Ok(Queries { seconds: [seconds(taken)?, seconds(calls)?], touches, times })
}

/// What a line of the script says.
fn step(line: &str) -> Result<Step, String> {
    let words: Vec<&str> = line.split(' ').collect();
    let numbers = match words[..] {
        [broad, narrow, candidates, first] => {
            (|| Some((broad.parse().ok()?, narrow.parse().ok()?, candidates.parse().ok()?, first.parse().ok()?)))()
        }
        _ => None,
    };
    let (broad, narrow, candidates, first): (u64, u64, u64, f64) =
        numbers.ok_or_else(|| format!("ipctk said `{line}`"))?;
    Ok(Step { broad: broad as f64 / 1e9, narrow: narrow as f64 / 1e9, candidates, first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_script() {
        let expected = Step { broad: 1.5, narrow: 0.25, candidates: 12, first: 0.125 };
        assert_eq!(step("1500000000 250000000 12 0.125"), Ok(expected));
        let expected = Queries { seconds: [2.0, 1.0], touches: vec![true, false], times: vec![5e8, 15e8] };
        assert_eq!(queries("2000000000 1000000000 10 500000000,1500000000", 2), Ok(expected));
        for line in ["2 1 10 1,1", "2 1 1x7 1,1,1", "2 101 1,1,1", "2 1 101 1,1", "2 1 101 1,1,x"] {
            assert!(queries(line, 3).is_err(), "{line}");
        }
        assert!(step("1 2 3").is_err() && step("").is_err() && step("1 2 3 x").is_err() && step("1 2 3 4 5").is_err());
    }

    #[cfg(not(feature = "peers"))]
    #[test]
    fn without_the_feature_nothing_is_installed() {
        assert_eq!(Ipctk::start(1).err().as_deref(), Some(crate::peers::HOW_TO_ENABLE));
    }
}
