//! Every pair of convex kinds against signed distances known by construction, both signs, six situations.

use crate::common::{oracle_pose as pose, oracle_shape as shape};

use clearance::{distance, intersects, penetration};
use clearance_oracle::ShapeKind;
use clearance_oracle::tangent_shapes::{Gap, Situation, tangent_shapes};

/// The fault in the answers for one pair, if any.
fn fault(kinds: (ShapeKind, ShapeKind), gap: Gap, situation: Situation, seed: u64) -> Option<String> {
    let truth = tangent_shapes(kinds.0, kinds.1, gap, situation, seed)?;
    let (a, b) = (shape(&truth.a).unwrap(), shape(&truth.b).unwrap());
    let (pose_a, pose_b) = (pose(&truth.pose_a), pose(&truth.pose_b));
    let defect = pose_a.defect().max(pose_b.defect());
    let context = format!("{kinds:?} {gap:?} {situation:?} {seed} truth [{:e}, {:e}]", truth.lower, truth.upper);
    let answer = distance(&a, &pose_a, &b, &pose_b);
    if let Err(refusal) = answer.verify(&a, &pose_a, &b, &pose_b) {
        return Some(format!("{context} distance: {refusal}: {answer:?}"));
    }
    if answer.gap.lower > truth.upper.max(0.0) || answer.gap.upper < truth.lower {
        return Some(format!("{context} distance: outside: {answer:?}"));
    }
    let narrow = (1e-12 + defect) * truth.scale;
    if answer.gap.upper - answer.gap.lower > narrow {
        return Some(format!(
            "{context} distance: wide {:e}: {answer:?}",
            (answer.gap.upper - answer.gap.lower) / truth.scale
        ));
    }
    let meets = intersects(&a, &pose_a, &b, &pose_b);
    if (truth.lower > narrow && meets) || (truth.upper < -narrow && !meets) {
        return Some(format!("{context} intersects: {meets}"));
    }
    let deep = match penetration(&a, &pose_a, &b, &pose_b) {
        Ok(deep) => deep,
        Err(error) => return Some(format!("{context} penetration: {error}")),
    };
    if let Err(refusal) = deep.verify(&a, &pose_a, &b, &pose_b) {
        return Some(format!("{context} penetration: {refusal}: {deep:?}"));
    }
    if deep.depth.upper < -truth.upper || deep.depth.lower > (-truth.lower).max(0.0) {
        return Some(format!("{context} penetration: outside: {deep:?}"));
    }
    let wide = deep.depth.upper - deep.depth.lower > (1e-9 + defect) * truth.scale;
    let deep_curved = gap.fraction() < -0.01;
    if wide && !deep_curved {
        return Some(format!(
            "{context} penetration: wide {:e}: {deep:?}",
            (deep.depth.upper - deep.depth.lower) / truth.scale
        ));
    }
    None
}

/// One situation for each pair of kinds and each gap; `CLEARANCE_CASES` sets the number of rounds, each with different
/// cases.
#[test]
fn every_pair_of_kinds() {
    let rounds = std::env::var("CLEARANCE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut faults = Vec::new();
    let mut cases = 0;
    for (first, &kind_a) in ShapeKind::ALL.iter().enumerate() {
        for (second, &kind_b) in ShapeKind::ALL.iter().enumerate().skip(first) {
            for (number, gap) in Gap::ALL.into_iter().enumerate() {
                for round in 0..rounds {
                    let situation = Situation::ALL[(5 * first + second + number + round as usize) % 6];
                    cases += 1;
                    faults.extend(fault((kind_a, kind_b), gap, situation, round));
                }
            }
        }
    }
    assert!(cases >= 1000, "{cases}");
    assert!(faults.is_empty(), "{} of {cases} at fault:\n{}", faults.len(), faults.join("\n"));
}

/// Regressions, found by runs with other seeds.
#[test]
fn pairs_found_by_longer_runs() {
    use ShapeKind::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Rounded, Segment, Tetrahedron, Triangle};
    let pairs = [
        // A reversed normal of an ellipsoid made a point outside count as deep inside.
        ((Ellipsoid, Cylinder), Gap::Apart9, Situation::Slender, 5017),
        // A dent in the expanding polytope, left by slivers.
        ((Triangle, Cuboid), Gap::Touching, Situation::Mixed, 2),
        // The base of a flat cone was mistaken for its side.
        ((Cone, ShapeKind::Sphere), Gap::OverlappingDeep, Situation::Slender, 7),
        // Depths smaller than the requested width of the polytope.
        ((Cylinder, Tetrahedron), Gap::OverlappingDeep, Situation::Slender, 3),
        ((Hull, Cone), Gap::Overlapping, Situation::Mixed, 2),
        ((Cuboid, Ellipsoid), Gap::Overlapping, Situation::Slender, 20016),
        // Overlaps that no surface point proves.
        ((Segment, Ellipsoid), Gap::OverlappingDeep, Situation::Slender, 2),
        ((Cone, Segment), Gap::OverlappingDeep, Situation::Small, 9),
        // A narrow bracket with the direction of another one.
        ((Cylinder, Capsule), Gap::Apart9, Situation::FarAway, 1013),
        ((Cuboid, Rounded), Gap::Apart9, Situation::Mixed, 20002),
        ((Hull, Capsule), Gap::Apart9, Situation::Mixed, 5013),
        // Points of a chord.
        ((Tetrahedron, Cone), Gap::Touching, Situation::Unit, 20000),
        ((Ellipsoid, Cone), Gap::Deepest, Situation::Slender, 19),
    ];
    let faults: Vec<_> = pairs.into_iter().filter_map(|(kinds, gap, at, seed)| fault(kinds, gap, at, seed)).collect();
    assert!(faults.is_empty(), "{} at fault:\n{}", faults.len(), faults.join("\n"));
}
