//! Pinocchio with coal, what robots are checked with in Python today, called by a script of ours
//! (`crates/lab/peers/pinocchio_peer.py`). It stays open, so the two sides can take turns.

use super::install;
use super::talk::Talk;
use serde_json::json;

/// Name and version of the peer.
pub const NAME: &str = "coal 3.0.3 by pinocchio 4.1.0";

/// The open script, with a robot.
pub struct Pinocchio {
    talk: Talk,
    /// The links of each pair.
    pub pairs: Vec<[String; 2]>,
}

impl Pinocchio {
    /// Starts the script with a robot, whose meshes have full paths; the error says why it is absent.
    pub fn start(
        urdf: &str,
        disabled: &[[String; 2]],
        variables: &[String],
        configurations: &[Vec<f64>],
    ) -> Result<Pinocchio, String> {
        let text = include_str!("../../peers/pinocchio_peer.py");
        let packages = ["pin==4.1.0", "coal==3.0.3", "numpy"];
        let mut talk = Talk::start(NAME, "pinocchio_peer.py", text, &packages)?;
        let folder = install::folder("python")?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<String, String>(path.to_str().ok_or("a name that is not UTF-8")?.to_owned())
        };
        let urdf = write("robot.urdf", urdf)?;
        let job =
            json!({ "urdf": urdf, "disabled": disabled, "variables": variables, "configurations": configurations });
        let job = write("robot.json", &job.to_string())?;
        let pairs = talk.ask(&format!("load {job}"))?;
        let pairs = serde_json::from_str(&pairs).map_err(|error| format!("pinocchio said `{pairs}`: {error}"))?;
        Ok(Pinocchio { talk, pairs })
    }

    /// Whether each of these configurations meets itself, and the nanoseconds for all.
    pub fn collide(&mut self, begin: usize, end: usize) -> Result<(f64, Vec<bool>), String> {
        let said = self.talk.ask(&format!("collide {begin} {end}"))?;
        let (nanoseconds, answers) = said.split_once(' ').unwrap_or((&said, ""));
        let nanoseconds = nanoseconds.parse().map_err(|_| format!("pinocchio said `{said}`"))?;
        Ok((nanoseconds, answers.chars().map(|answer| answer == '1').collect()))
    }

    /// The nanoseconds for all distances of these configurations.
    pub fn distances(&mut self, begin: usize, end: usize) -> Result<f64, String> {
        let said = self.talk.ask(&format!("distances {begin} {end}"))?;
        said.parse().map_err(|_| format!("pinocchio said `{said}`"))
    }

    /// The distances of a configuration, in the order of the pairs.
    pub fn values(&mut self, number: usize) -> Result<Vec<f64>, String> {
        let said = self.talk.ask(&format!("values {number}"))?;
        serde_json::from_str(&said).map_err(|error| format!("pinocchio said `{said}`: {error}"))
    }
}

#[cfg(all(test, not(feature = "peers")))]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_nothing_is_installed() {
        let absent = Pinocchio::start("", &[], &[], &[]).err();
        assert_eq!(absent.as_deref(), Some(crate::peers::HOW_TO_ENABLE));
    }
}
