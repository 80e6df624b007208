//! Penetration.
mod common;
use clearance::*;
use clearance_oracle::tangent::{TangentKind, tangent_pair};
use clearance_oracle::{Scenario, pair, signed_distance, OracleBody};
use std::cmp::Ordering;

fn one(label: &str, a: &OracleBody, b: &OracleBody, stats: &mut (u64, u64, f64, u64)) {
    let truth = signed_distance(a, b);
    let ((sa, pa), (sb, pb)) = (common::shape_and_pose(a), common::shape_and_pose(b));
    let mut w = Workspace::default();
    let ans = penetration_with(&sa, &pa, &sb, &pb, &Default::default(), &mut PairCache::default(), &mut w).unwrap();
    let scale = common::scale(&sa, &pa, &sb, &pb);
    let defect = pa.defect().max(pb.defect());
    let (low, high) = truth.enclosure();
    stats.0 += 1;
    stats.1 += w.exact_decisions();
    if w.exact_decisions() > 0 { println!("EXACT {label} {low:e}"); }
    let width = (ans.upper - ans.lower) / scale;
    if width > 1e-12 + defect { println!("WIDE {label} {width:e} truth {low:e} {:?}", ans.method); stats.3 += 1; }
    stats.2 = stats.2.max(width);
    let ok = if truth.sign() == Ordering::Greater { ans.lower == 0.0 } else { truth.compare(-ans.lower) != Ordering::Greater && truth.compare(-ans.upper) != Ordering::Less };
    if !ok { println!("WRONG {label} truth {low:e} {high:e} {ans:?}"); }
    let [wa, wb] = ans.world_points(&pa, &pb);
    let off = ((wa - wb) - ans.normal * ans.depth).length() / scale;
    if truth.sign() != Ordering::Greater && (off > 1e-12 + defect + 1e-16 * (wa.length() / scale) * 10.0 || off.is_nan()) { println!("OFF {label} {off:e} {ans:?}"); }
}

#[test]
fn look() {
    for scenario in Scenario::ALL {
        let mut stats = (0, 0, 0.0, 0);
        for seed in 0..200 {
            let (a, b) = pair(scenario, seed);
            one(&format!("{scenario:?} {seed}"), &a, &b, &mut stats);
        }
        println!("{scenario:?} {stats:?}");
    }
    for kind in TangentKind::ALL {
        let mut stats = (0, 0, 0.0, 0);
        for seed in 0..200 {
            let known = tangent_pair(kind, seed);
            one(&format!("{kind:?} {seed}"), &known.a, &known.b, &mut stats);
        }
        println!("{kind:?} {stats:?}");
    }
}
