//! The experiments: one file each, listed in [`ALL`].

pub mod accuracy;
pub mod acm;
pub mod box_overlap;
pub mod breaking;
pub mod buckettree;
mod campaign;
pub mod cast_speed;
pub mod ccd_queries;
pub mod ccd_scenes;
pub mod ccd_truth;
pub mod check_scale;
pub mod clash;
mod clash_depth;
mod clash_real;
pub mod contact_models;
pub mod convex_algorithms;
pub mod convex_distance;
pub mod convex_speed;
pub mod convex_truth;
pub mod corner_touch;
pub mod depth_real;
pub mod depth_table;
pub mod fcl_poses;
pub mod hard_cases;
pub mod height_field;
pub mod hierarchy_race;
pub mod hull_build;
pub mod kitamura_deform;
pub mod load_speed;
mod mesh_race;
pub mod mesh_speed;
pub mod parallel_proximity;
pub mod rapid_table;
pub mod ray_mesh;
pub mod ray_shapes;
pub mod repair;
pub mod requirements;
pub mod rigid_ccd;
pub mod robot_motion;
pub mod robot_speed;
mod scene;
pub mod self_collision;
mod tally;
pub mod test_tree;
pub mod tree_cost;
pub mod tree_tightness;
pub mod volume;

use crate::error::LabError;
use crate::report::Report;
use std::path::PathBuf;

/// How an experiment is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its data is; `None` when not said.
    pub data: Option<PathBuf>,
    /// A tenth of the work: shows that it runs, not how fast.
    pub quick: bool,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { data: None, quick: false, seed: 1 }
    }
}

/// A flag of `lab run` that only some experiments take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `--data PATH`.
    Data,
    /// `--quick`.
    Quick,
    /// `--seed N`.
    Seed,
}

impl Flag {
    /// As it is typed.
    pub fn text(self) -> &'static str {
        match self {
            Flag::Data => "--data PATH",
            Flag::Quick => "--quick",
            Flag::Seed => "--seed N",
        }
    }
}

/// An experiment.
pub struct Experiment {
    /// What it is called on the command line.
    pub name: &'static str,
    /// One line: what it reproduces, or which peer it races.
    pub about: &'static str,
    /// The flags it uses, besides those for the output, which all use.
    pub flags: &'static [Flag],
    /// Runs it.
    pub run: fn(&Options) -> Result<Report, LabError>,
}

/// All experiments, in the order of `lab list`.
pub const ALL: &[Experiment] = &[
    hard_cases::EXPERIMENT,
    convex_truth::EXPERIMENT,
    corner_touch::EXPERIMENT,
    accuracy::EXPERIMENT,
    convex_distance::EXPERIMENT,
    convex_speed::EXPERIMENT,
    convex_algorithms::EXPERIMENT,
    hull_build::EXPERIMENT,
    box_overlap::EXPERIMENT,
    cast_speed::EXPERIMENT,
    ccd_queries::EXPERIMENT,
    ccd_truth::EXPERIMENT,
    ccd_scenes::EXPERIMENT,
    kitamura_deform::EXPERIMENT,
    breaking::EXPERIMENT,
    buckettree::EXPERIMENT,
    self_collision::EXPERIMENT,
    rigid_ccd::EXPERIMENT,
    ray_shapes::EXPERIMENT,
    height_field::EXPERIMENT,
    fcl_poses::EXPERIMENT,
    contact_models::EXPERIMENT,
    mesh_speed::EXPERIMENT,
    parallel_proximity::EXPERIMENT,
    rapid_table::EXPERIMENT,
    hierarchy_race::EXPERIMENT,
    test_tree::EXPERIMENT,
    requirements::EXPERIMENT,
    tree_tightness::EXPERIMENT,
    tree_cost::EXPERIMENT,
    ray_mesh::EXPERIMENT,
    load_speed::EXPERIMENT,
    clash::EXPERIMENT,
    check_scale::EXPERIMENT,
    repair::EXPERIMENT,
    depth_table::EXPERIMENT,
    depth_real::EXPERIMENT,
    volume::EXPERIMENT,
    robot_speed::EXPERIMENT,
    robot_motion::EXPERIMENT,
    acm::EXPERIMENT,
];

/// The experiment of that name.
pub fn find(name: &str) -> Result<&'static Experiment, LabError> {
    ALL.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
        LabError::BadCall(format!("there is no experiment `{name}`; there are: {}", names.join(", ")))
    })
}

/// The report of a quick run, in which nothing is wrong.
#[cfg(test)]
pub(crate) fn quick(run: fn(&Options) -> Result<Report, LabError>) -> Report {
    let report = run(&Options { quick: true, ..Options::default() }).unwrap();
    assert_eq!(report.wrong(), 0, "{}", report.to_text());
    assert_answers(&report);
    report
}

/// Every row that needs no peer says what was answered, and rows of one case say the same.
#[cfg(test)]
pub(crate) fn assert_answers(report: &Report) {
    let mut said = std::collections::BTreeMap::new();
    for row in &report.rows {
        // Memory is not an answer.
        let has_answers = row.answers.count > 0;
        assert!(has_answers || row.peer.is_some() || row.unit == "MB", "{}: {}", report.experiment, row.case);
        let first = *said.entry(&row.case).or_insert(row.answers);
        assert!(!has_answers || first == row.answers, "{}: {}", report.experiment, row.case);
    }
    if cfg!(not(feature = "peers")) {
        assert_eq!(said.len(), report.rows.len(), "{}: cases have the same name", report.experiment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases and answers of a quick run.
    fn answers(name: &str) -> Vec<(String, crate::digest::Digest)> {
        let run = find(name).unwrap().run;
        let report = run(&Options { quick: true, ..Options::default() }).unwrap();
        report.rows.into_iter().map(|row| (row.case, row.answers)).collect()
    }

    #[test]
    fn answers_are_the_same_in_two_runs() {
        for name in ["ray-shapes", "convex-algorithms"] {
            assert_eq!(answers(name), answers(name), "{name}");
        }
    }
}
