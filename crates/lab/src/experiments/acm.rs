//! The allowed-collision matrix of real robots against the SRDFs they ship with: which pairs are proved never to meet,
//! and where samples were wrong.
//!
//! An SRDF says `Never` of pairs that MoveIt's setup assistant saw meet in none of its samples. Here every pair that
//! ten thousand samples do not see meet is put to the proof. A pair that an SRDF disables as `Never` is wrong if we
//! know a configuration within the limits in which its links meet; that is the SRDF's error, counted as `srdf_wrong`
//! and not as ours. Ours would be a pair proved never to meet that a second set of samples sees meet.

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::measure::timed;
use crate::report::{Report, Row, rounded};
use crate::robots::Arm;
use clearance_robot::{Allowed, CheckOptions, Checker, Matrix, MatrixOptions, Proof, Reason};
use serde_json::json;

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "acm",
    about: "allowed-collision matrices of robots: pairs proved never to meet, and where shipped SRDFs are wrong",
    flags: &[Flag::Data, Flag::Quick, Flag::Seed],
    run,
};

/// What `--data` has to point to.
const WANTED: &str = "the folder that holds the folder `robots` (panda, ur5, ur10, talos, pr2)";

/// Robots, and how long the proofs may take: some have thousands of pairs.
const ROBOTS: &[(&str, u64)] = &[("panda", 20_000), ("ur10", 20_000), ("ur5", 5_000), ("talos", 1_000), ("pr2", 1_000)];

fn run(options: &Options) -> Result<Report, LabError> {
    let missing = |path| LabError::MissingData { experiment: EXPERIMENT.name, path, wanted: WANTED };
    let data = options.data.clone().ok_or_else(|| missing(None))?;
    let folder = data.join("robots");
    if !folder.is_dir() {
        return Err(missing(Some(data)));
    }
    let robots = if options.quick { &ROBOTS[..1] } else { ROBOTS };
    let mut rows = Vec::new();
    for &(name, budget) in robots {
        rows.push(row(&Arm::load(&folder, name)?, budget, options)?);
    }
    let cases = rows.iter().map(|row| row.more[0].1.as_u64().unwrap_or(0)).sum();
    Ok(Report::plain(EXPERIMENT.name, rows, cases, rayon::current_num_threads()))
}

fn row(arm: &Arm, budget: u64, options: &Options) -> Result<Row, LabError> {
    let failed = |error: clearance_robot::Error| LabError::BadData {
        path: arm.robot.description().path.clone(),
        problem: error.to_string(),
    };
    let (trials, budget) = if options.quick { (1_000, budget / 10) } else { (10_000, budget) };
    let asked = MatrixOptions { trials, budget, seed: options.seed, ..MatrixOptions::default() };
    let (matrix, seconds) = timed(|| Matrix::new(&arm.robot, &asked));
    let matrix = matrix.map_err(failed)?;
    let mut answers = Digest::of_all(&matrix.pairs);
    // Other samples: nothing that is proved may meet, and what the SRDF calls never is seen to meet or not.
    let checker = Checker::new(arm.robot.clone(), CheckOptions { allowed: Allowed::none(), ..CheckOptions::default() });
    let checker = checker.map_err(failed)?;
    let mut meets: Vec<[usize; 2]> = Vec::new();
    let mut state = checker.state();
    for (number, q) in arm.robot.random_configurations(options.seed + 1, (trials / 5) as usize).iter().enumerate() {
        let hits = checker.hits(&mut state, q).map_err(failed)?;
        answers.note(&number, &hits);
        for hit in hits {
            let pair = checker.pairs()[hit];
            let links = [pair.a.min(pair.b), pair.a.max(pair.b)];
            if !meets.contains(&links) {
                meets.push(links);
            }
        }
    }
    let count = |wanted: &dyn Fn(&Proof) -> bool| matrix.pairs.iter().filter(|pair| wanted(&pair.proof)).count() as u64;
    let proved = count(&|proof| matches!(proof, Proof::Proved { .. }));
    let refuted = count(&|proof| matches!(proof, Proof::Refuted { .. }));
    let open = count(&|proof| matches!(proof, Proof::Open { .. }));
    let wrong =
        matrix.pairs.iter().filter(|pair| matches!(pair.proof, Proof::Proved { .. }) && meets.contains(&pair.links));
    let link = |number: usize| arm.robot.description().links[number].name.as_str();
    let of_srdf = |pair: &clearance_robot::LinkPair| arm.srdf.reason(link(pair.links[0]), link(pair.links[1]));
    let never = |pair: &&clearance_robot::LinkPair| of_srdf(pair) == Some("Never");
    let known_to_meet = |pair: &&clearance_robot::LinkPair| {
        pair.met > 0 || matches!(pair.proof, Proof::Refuted { .. }) || meets.contains(&pair.links)
    };
    let srdf_wrong = matrix.pairs.iter().filter(never).filter(known_to_meet).count();
    let srdf_proved =
        matrix.pairs.iter().filter(never).filter(|pair| matches!(pair.proof, Proof::Proved { .. })).count();
    Ok(Row {
        case: arm.name.clone(),
        ours: rounded(seconds, 2),
        unit: "s",
        peer: None,
        wrong: wrong.count() as u64,
        answers,
        more: vec![
            ("pairs", json!(matrix.pairs.len())),
            ("adjacent", json!(matrix.pairs.iter().filter(|pair| pair.reason == Reason::Adjacent).count())),
            ("trials", json!(trials)),
            ("never_proved", json!(proved)),
            ("never_open", json!(open)),
            ("samples_wrong", json!(refuted)),
            ("srdf_never", json!(matrix.pairs.iter().filter(never).count())),
            ("srdf_never_proved", json!(srdf_proved)),
            ("srdf_wrong", json!(srdf_wrong)),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::made::Data;

    #[test]
    fn a_small_robot_has_its_matrix() {
        let data = Data::new("acm");
        let options = Options { data: Some(data.0.clone()), quick: true, ..Options::default() };
        let report = run(&options).unwrap();
        crate::experiments::assert_answers(&report);
        assert_eq!((report.wrong(), report.rows.len()), (0, 1), "{}", report.to_text());
        // Within two radians the arm does not reach behind itself.
        let proved = report.rows[0].more.iter().find(|(key, _)| *key == "never_proved").unwrap();
        assert_eq!(proved.1, json!(1), "{}", report.to_text());
    }
}
