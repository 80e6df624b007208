//! Two valid convex bodies in valid poses, coincidences included: every question about them.
//!
//! No panic, no NaN, brackets that hold their values and each other, the same bits with the bodies exchanged and on any
//! instruction set, and `verify` accepts each answer.

use clearance::{
    Distance, DistanceOptions, Error, PairCache, Penetration, Pose, Relation, RelationOptions, RelationProof, Shape,
    Workspace, distance, distance_with, intersects, penetration, relation_with, verify,
};

use crate::decode::Decoder;
use crate::ordered;

/// Decodes two posed bodies, asks, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    let a = decoder.convex(true);
    let b = if decoder.choice(8) == 0 { a.clone() } else { decoder.convex(true) };
    let pose_a = decoder.pose(a.size);
    let pose_b = decoder.second_pose(&a, &pose_a, &b);
    ask(&a.shape, &pose_a, &b.shape, &pose_b);
}

/// Asks every question about a pair and panics on a fault.
pub fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let context = || {
        let show = |pose: &Pose| format!("Pose::new({:?}, {:?})", pose.rotation(), pose.translation());
        format!("\na: {a:?}\npose_a: {}\nb: {b:?}\npose_b: {}", show(pose_a), show(pose_b))
    };
    let same = a == b && pose_a == pose_b;

    let gap = distance(a, pose_a, b, pose_b);
    assert!(ordered(gap.lower, gap.value, gap.upper), "distance: {gap:?}{}", context());
    if let Err(refusal) = verify(&gap, a, pose_a, b, pose_b) {
        panic!("verify distance: {refusal}\n{gap:?}{}", context());
    }
    let exchanged = distance(b, pose_b, a, pose_a);
    assert!(same || swapped(exchanged) == gap, "distance exchanged: {gap:?}\n{exchanged:?}{}", context());
    let options = DistanceOptions::default();
    let plain = distance_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::baseline());
    assert!(plain == gap, "distance without instructions for vectors: {gap:?}\n{plain:?}{}", context());

    let meets = intersects(a, pose_a, b, pose_b);
    assert!(meets == intersects(b, pose_b, a, pose_a), "intersects exchanged{}", context());
    if is_curved(a) || is_curved(b) {
        // Within the accuracy of the distance either may be said.
        let accuracy = if meets { gap.lower - (gap.upper - gap.lower) } else { 0.0 };
        assert!(accuracy <= 0.0, "intersects: {meets} {gap:?}{}", context());
    } else {
        assert!(meets == (gap.value == 0.0), "intersects: {meets} {gap:?}{}", context());
    }

    let proof = proof_of(a, pose_a, b, pose_b);
    assert!(proof.lower <= proof.upper, "relation: {proof:?}{}", context());
    if let Err(refusal) = verify(&proof, a, pose_a, b, pose_b) {
        panic!("verify relation: {refusal}\n{proof:?}{}", context());
    }
    let other = proof_of(b, pose_b, a, pose_a);
    let mirrored = (other.relation, other.lower, other.upper, other.placement, -other.normal);
    assert!(
        same || mirrored == (proof.relation, proof.lower, proof.upper, proof.placement, proof.normal),
        "relation exchanged: {proof:?}\n{other:?}{}",
        context()
    );
    assert!(
        proof.lower.max(0.0) <= gap.upper && gap.lower <= proof.upper.max(0.0),
        "relation and distance: {proof:?}\n{gap:?}{}",
        context()
    );
    assert!(meets || proof.relation != Relation::Overlapping, "intersects and relation: {proof:?}{}", context());

    let depth = match penetration(a, pose_a, b, pose_b) {
        Ok(depth) => depth,
        Err(error) => {
            let unbounded = matches!((a, b), (Shape::HalfSpace(_), Shape::HalfSpace(_)));
            assert!(error == Error::Unbounded && unbounded, "penetration: {error}{}", context());
            return;
        }
    };
    assert!(ordered(depth.lower, depth.depth, depth.upper), "penetration: {depth:?}{}", context());
    if let Err(refusal) = verify(&depth, a, pose_a, b, pose_b) {
        panic!("verify penetration: {refusal}\n{depth:?}{}", context());
    }
    let other = penetration(b, pose_b, a, pose_a).map(swapped_depth);
    assert!(same || other.as_ref() == Ok(&depth), "penetration exchanged: {depth:?}\n{other:?}{}", context());
    assert!(
        (-proof.upper).max(0.0) <= depth.upper && depth.lower <= (-proof.lower).max(0.0),
        "relation and penetration: {proof:?}\n{depth:?}{}",
        context()
    );
    assert!(gap.lower == 0.0 || depth.lower == 0.0, "apart and overlapping: {gap:?}\n{depth:?}{}", context());
}

fn proof_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> RelationProof {
    let options = RelationOptions::default();
    relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default())
}

/// Whether contact is known only to the accuracy of the distance.
fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => true,
        Shape::Rounded(rounded) => is_curved(rounded.core()),
        _ => false,
    }
}

fn swapped(answer: Distance) -> Distance {
    Distance {
        point_in_a: answer.point_in_b,
        point_in_b: answer.point_in_a,
        feature_a: answer.feature_b,
        feature_b: answer.feature_a,
        normal: answer.normal.map(|n| -n),
        ..answer
    }
}

fn swapped_depth(answer: Penetration) -> Penetration {
    Penetration {
        point_in_a: answer.point_in_b,
        point_in_b: answer.point_in_a,
        feature_a: answer.feature_b,
        feature_b: answer.feature_a,
        normal: -answer.normal,
        ..answer
    }
}
