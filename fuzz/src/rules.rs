//! Arbitrary bytes as a rules file: an error that names the file, or rules applied to a small assembly.

use std::sync::OnceLock;

use clearance_check::{Error, Kind, LoadOptions, Model, Report, Rules, Verdict, check as check_model};
use clearance_files::Unit;

/// Two overlapping boxes and a third that touches one of them, with names for patterns.
const PARTS: &str = "\
o bolt:M6\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4
o bolt:M8\nv 0.1 0.1 0.1\nv 1 0.1 0\nv 0 1 0.1\nv 0 0 1.5\nf 5 7 6\nf 5 6 8\nf 6 7 8\nf 7 5 8
o plate*\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\nf 1 9 10\nf 1 10 11\n";

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("clearance-fuzz-{}.obj", std::process::id()));
        std::fs::write(&path, PARTS).expect("a folder for temporary files");
        let options = LoadOptions { unit: Some(Unit::Millimetre), ..LoadOptions::default() };
        let model = Model::load(std::slice::from_ref(&path), &options).expect("parts without a fault");
        std::fs::remove_file(&path).expect("a file that was written before");
        model
    })
}

/// Reads the bytes as a rules file, runs the check, and panics on a fault.
pub fn check(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    for unit in [None, Some(Unit::Millimetre), Some(Unit::Metre)] {
        let rules = match Rules::parse("clearance.toml", text, unit) {
            Ok(rules) => rules,
            Err(error) => {
                assert!(error.to_string().starts_with("clearance.toml: "), "{error}");
                continue;
            }
        };
        for length in [Some(rules.all.clearance), rules.all.touch].into_iter().flatten() {
            assert!(length.is_finite() && length >= 0.0, "{rules:?}");
        }
        match check_model(model(), &rules, unit, &|_, _| {}) {
            Ok(report) => sound(&report),
            // Three parts are three pairs: only limits below that stop the check.
            Err(error) => {
                let limited = rules.max_pairs.min(rules.max_findings) < 3;
                assert!(limited && matches!(error, Error::Usage(_)), "{error}: {rules:?}");
            }
        }
    }
}

/// Checks that a report's counts add up and its verdict matches its findings.
fn sound(report: &Report) {
    let counts = &report.counts;
    let skipped: u64 = counts.skipped.iter().map(|skipped| skipped.pairs).sum();
    assert_eq!(counts.pairs, counts.culled + skipped + counts.tested + counts.unmeasured, "{counts:?}");
    assert_eq!(report.verdict == Verdict::Clean, report.findings.is_empty(), "{report:?}");
    for finding in &report.findings {
        let gap = &finding.gap;
        assert!(crate::ordered(gap.lower, gap.value, gap.upper), "{finding:?}");
        assert!(finding.kind != Kind::Clearance || gap.lower <= finding.clearance, "{finding:?}");
    }
}
