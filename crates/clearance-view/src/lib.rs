//! Visual reports: a self-contained interactive HTML page with the bodies in 3D and the findings, or an SVG picture.
//! Neither loads anything from elsewhere.
//!
//! [`Scene`] is plain data: meshes, parts that are instances of them, findings, and how parts move.
//! [`Scene::of_check`], [`Scene::of_bodies`], [`Scene::of_step`], [`Scene::of_robot_check`] and
//! [`Scene::of_robot_path`] fill one with an answer, and [`Scene::page`] writes it into the page that
//! `cargo xtask viewer` builds from the folder `viewer/`. That page is a file of this crate, in `page/`, so that a
//! build needs no Node.js. [`draw`] makes a picture of a check. See `docs/report.md`.
//!
//! This crate depends on `clearance-check`, not the reverse: a page shows a [`Report`] and its [`Model`] in the words
//! of the other output formats, while a check needs no page. To show answers of the engine alone, as the Python package
//! does, this crate suffices.
//!
//! [`Report`]: clearance_check::Report
//! [`Model`]: clearance_check::Model

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod common;
mod facets;
mod of_answer;
mod of_bodies;
mod of_check;
mod of_explain;
mod of_pair;
mod of_robot;
mod of_robot_check;
mod of_robot_path;
mod of_sweep;
mod outline;
mod pack;
mod picture;
mod scene;
pub mod sentence;
mod surface;
#[cfg(test)]
mod test_parts;
mod trees;

pub use clearance_check::{Error, Loop};
pub use facets::facets;
pub use of_robot_check::CheckedConfiguration;
pub use of_robot_path::RobotPath;
pub use picture::draw;
pub use scene::{Budget, Deformation, Proved, Scene, SceneFinding, SceneKind, ScenePart, SceneTable, Timeline, Track};
pub use trees::{NodeState, SceneNode, SceneTree, SceneTrees, SceneVisit, VisitOutcome};
