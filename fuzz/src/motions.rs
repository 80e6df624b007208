//! Two valid moving bodies of any kind: first contact and least clearance.
//!
//! No panic, no NaN, brackets that contain their values, the same times with the bodies swapped, `verify` accepts each
//! answer, and the bodies do not overlap at times claimed to be free.

use clearance::Bracket;
use std::fmt::Debug;

use clearance::answer::{Impact, RigidImpact};
use clearance::query::{LeastClearanceOptions, RelationOptions, least_clearance_with, relation_with, sweeps_meet};
use clearance::{Motion, PairCache, Pose, Relation, RigidMotion, Shape, Workspace, rigid_impact, time_of_impact};

use crate::decode::Decoder;
use crate::{ordered, pairs};

/// Overlaps up to this share of the sizes and coordinates may be due to the rounding of the poses at a time.
const SEEN: f64 = 1e-9;

/// Decodes two moving bodies, queries them, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    let question = decoder.choice(4);
    let size = decoder.length();
    let a = decoder.body(size);
    let b = if decoder.choice(8) == 0 { a.clone() } else { decoder.body(size) };
    let pose_a = decoder.pose(a.size);
    let pose_b = decoder.second_pose(&a, &pose_a, &b);
    let towards = pose_b.translation() - pose_a.translation();
    if question < 2 {
        let [way_a, way_b] = [towards, -towards].map(|towards| decoder.way(towards, size));
        let (Ok(motion_a), Ok(motion_b)) = (Motion::translation(pose_a, way_a), Motion::translation(pose_b, way_b))
        else {
            return;
        };
        return ask_translation(&a.shape, &motion_a, &b.shape, &motion_b);
    }
    let [motion_a, motion_b] =
        [(pose_a, towards), (pose_b, -towards)].map(|(pose, towards)| decoder.rigid_motion(pose, towards, size));
    if question == 2 {
        ask_rigid(&a.shape, &motion_a, &b.shape, &motion_b);
    } else {
        ask_least_clearance(&a.shape, &motion_a, &b.shape, &motion_b);
    }
}

fn context(a: &Shape, motion_a: &impl Debug, b: &Shape, motion_b: &impl Debug) -> String {
    format!("\na: {a:?}\nmotion_a: {motion_a:?}\nb: {b:?}\nmotion_b: {motion_b:?}")
}

/// Queries the first contact of translating bodies, and panics on a fault.
pub fn ask_translation(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) {
    let context = || context(a, motion_a, b, motion_b);
    let found = time_of_impact(a, motion_a, b, motion_b).ok();
    let free = match &found {
        Some(impact) => {
            let Impact { time: Bracket { value: t, lower, upper }, gap, .. } = *impact;
            assert!(lower >= 0.0 && upper <= 1.0 && ordered(lower, t, upper) && gap >= 0.0, "{impact:?}{}", context());
            if let Err(refusal) = impact.verify(a, motion_a, b, motion_b) {
                panic!("verify impact: {refusal}\n{impact:?}{}", context());
            }
            lower
        }
        None => 1.0,
    };
    let other = time_of_impact(b, motion_b, a, motion_a).ok();
    let known = |found: &Option<Impact>| {
        found.map(|found| (found.time.value, found.time.lower, found.time.upper, found.touches))
    };
    assert!(known(&other) == known(&found), "impact exchanged: {found:?}\n{other:?}{}", context());
    if !pairs::is_curved(a) && !pairs::is_curved(b) {
        let meet = sweeps_meet(a, motion_a, b, motion_b);
        assert!(meet == found.is_some(), "sweeps meet: {meet} {found:?}{}", context());
    }
    for share in [0.0, 0.3, 0.7, 0.999] {
        let t = free * share;
        let seen = apart(a, &motion_a.at(t), b, &motion_b.at(t));
        assert!(free == 0.0 || seen, "overlap at {t}: {found:?}{}", context());
    }
}

/// Queries the first contact of rotating bodies, and panics on a fault.
pub fn ask_rigid(a: &Shape, motion_a: &RigidMotion, b: &Shape, motion_b: &RigidMotion) {
    let context = || context(a, motion_a, b, motion_b);
    let found = rigid_impact(a, motion_a, b, motion_b).ok();
    let free = match &found {
        Some(impact) => {
            let RigidImpact { time: Bracket { value: t, lower, upper }, gap, .. } = *impact;
            assert!(lower >= 0.0 && upper <= 1.0 && ordered(lower, t, upper) && gap >= 0.0, "{impact:?}{}", context());
            if let Err(refusal) = impact.verify(a, motion_a, b, motion_b) {
                panic!("verify rigid impact: {refusal}\n{impact:?}{}", context());
            }
            lower
        }
        None => 1.0,
    };
    let other = rigid_impact(b, motion_b, a, motion_a).ok();
    let known = |found: &Option<RigidImpact>| {
        found.map(|found| (found.time.value, found.time.lower, found.time.upper, found.touches))
    };
    assert!(known(&other) == known(&found), "rigid impact swapped: {found:?}\n{other:?}{}", context());
    for share in [0.0, 0.3, 0.7, 0.999] {
        let t = free * share;
        let seen = apart(a, &motion_a.at(t), b, &motion_b.at(t));
        assert!(free == 0.0 || seen, "overlap at {t}: {found:?}{}", context());
    }
}

/// Queries the least clearance of two moving bodies, and panics on a fault. Two unbounded bodies are rejected.
pub fn ask_least_clearance(a: &Shape, motion_a: &RigidMotion, b: &Shape, motion_b: &RigidMotion) {
    let context = || context(a, motion_a, b, motion_b);
    let options = LeastClearanceOptions { relative_tolerance: 0.1, most_readings: 300, ..Default::default() };
    let least = match least_clearance_with(a, motion_a, b, motion_b, &options, &mut Workspace::default()) {
        Ok(least) => least,
        Err(error) => {
            assert!(is_endless(a) && is_endless(b), "least clearance: {error}{}", context());
            return;
        }
    };
    let is_in_step = (0.0..=1.0).contains(&least.time);
    assert!(
        is_in_step && least.gap.lower >= 0.0 && least.gap.lower <= least.gap.upper,
        "least: {least:?}{}",
        context()
    );
    if let Err(refusal) = least.verify(a, motion_a, b, motion_b) {
        panic!("verify least clearance: {refusal}\n{least:?}{}", context());
    }
    if least.gap.lower > 0.0 {
        let found = rigid_impact(a, motion_a, b, motion_b).ok();
        assert!(found.is_none_or(|impact| !impact.touches), "clear, and in contact: {least:?}\n{found:?}{}", context());
    }
}

fn is_endless(shape: &Shape) -> bool {
    matches!(shape, Shape::HalfSpace(_) | Shape::HeightField(_))
}

/// Whether two bodies overlap by no more than the rounding of poses may move them.
fn apart(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    let options = RelationOptions::default();
    let proof = relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default());
    let reach = |shape: &Shape, pose: &Pose| {
        let bounds = shape.bounds();
        let corners = [bounds.min, bounds.max].map(|corner| corner.abs().max_element());
        corners.into_iter().filter(|x| x.is_finite()).fold(pose.translation().length(), f64::max)
    };
    let rounding = SEEN * (reach(a, pose_a) + reach(b, pose_b));
    proof.relation != Relation::Overlapping || proof.gap.upper >= -rounding
}
