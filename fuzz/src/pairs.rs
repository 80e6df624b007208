//! Two valid convex bodies in valid poses, coincidences included: every query about them. [`ask`] takes bodies of any
//! kind.
//!
//! No panic, no NaN, brackets that contain their values and agree with each other, the same bits with the bodies
//! swapped and on any instruction set, and `verify` accepts each answer.

use clearance::answer::{Distance, Penetration, RelationProof};
use clearance::query::solid_depth_with;
use clearance::query::{DistanceOptions, RelationOptions, SolidDepthOptions, distance_with, relation_with};
use clearance::{PairCache, Pose, QueryError, Relation, Shape, Workspace, distance, intersects, penetration};

use crate::decode::Decoder;
use crate::ordered;

/// The work limit for the depth of two solids, as counted by [`SolidDepthOptions::work`]: small enough for
/// milliseconds. The bracket is true wherever the search ends.
const SOLID_WORK: u64 = 2_000;

/// Decodes two posed bodies, queries them, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    let a = decoder.convex(true);
    let b = if decoder.choice(8) == 0 { a.clone() } else { decoder.convex(true) };
    let pose_a = decoder.pose(a.size);
    let pose_b = decoder.second_pose(&a, &pose_a, &b);
    ask(&a.shape, &pose_a, &b.shape, &pose_b);
}

/// A pair, for messages.
pub fn context(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> String {
    let show = |pose: &Pose| format!("Pose::new({:?}, {:?})", pose.rotation(), pose.translation());
    let points = |shape: &Shape| match shape {
        Shape::Mesh(mesh) => format!(" {:?} {:?}", mesh.points().collect::<Vec<_>>(), mesh.triangles()),
        _ => String::new(),
    };
    let (of_a, of_b) = (points(a), points(b));
    format!("\na: {a:?}{of_a}\npose_a: {}\nb: {b:?}{of_b}\npose_b: {}", show(pose_a), show(pose_b))
}

/// Makes every query about a pair and panics on a fault.
pub fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let context = || context(a, pose_a, b, pose_b);
    let same = pose_a == pose_b && is_alike(a, b);

    let gap = distance(a, pose_a, b, pose_b);
    assert!(ordered(gap.gap.lower, gap.gap.value, gap.gap.upper), "distance: {gap:?}{}", context());
    if let Err(refusal) = gap.verify(a, pose_a, b, pose_b) {
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
        // Within the accuracy of the distance either result is valid.
        let accuracy = if meets { gap.gap.lower - (gap.gap.upper - gap.gap.lower) } else { 0.0 };
        assert!(accuracy <= 0.0, "intersects: {meets} {gap:?}{}", context());
    } else {
        assert!(meets == (gap.gap.value == 0.0), "intersects: {meets} {gap:?}{}", context());
    }

    let proof = proof_of(a, pose_a, b, pose_b);
    assert!(proof.gap.lower <= proof.gap.upper, "relation: {proof:?}{}", context());
    if let Err(refusal) = proof.verify(a, pose_a, b, pose_b) {
        panic!("verify relation: {refusal}\n{proof:?}{}", context());
    }
    let other = proof_of(b, pose_b, a, pose_a);
    let bracket = |proof: &RelationProof| (proof.relation, proof.gap.lower, proof.gap.upper, proof.placement);
    // Where solids meet and no direction is preferred, the normal is the x axis.
    let is_any = (is_mesh(a) || is_mesh(b)) && proof.gap.lower <= 0.0;
    assert!(
        same || (bracket(&other) == bracket(&proof) && (is_any || -other.normal == proof.normal)),
        "relation exchanged: {proof:?}\n{other:?}{}",
        context()
    );
    assert!(
        proof.gap.lower.max(0.0) <= gap.gap.upper && gap.gap.lower <= proof.gap.upper.max(0.0),
        "relation and distance: {proof:?}\n{gap:?}{}",
        context()
    );
    assert!(meets || proof.relation != Relation::Overlapping, "intersects and relation: {proof:?}{}", context());

    let depth = match penetration_of(a, pose_a, b, pose_b) {
        Ok(depth) => depth,
        Err(error) => {
            assert!(may_refuse(&error, a, b), "penetration: {error}{}", context());
            return;
        }
    };
    assert!(ordered(depth.depth.lower, depth.depth.value, depth.depth.upper), "penetration: {depth:?}{}", context());
    if let Err(refusal) = depth.verify(a, pose_a, b, pose_b) {
        panic!("verify penetration: {refusal}\n{depth:?}{}", context());
    }
    let other = penetration_of(b, pose_b, a, pose_a).map(swapped_depth);
    assert!(same || other.as_ref() == Ok(&depth), "penetration exchanged: {depth:?}\n{other:?}{}", context());
    // A closed surface not declared solid counts as the solid it bounds in depth queries, and only there.
    let surface = is_surface(a) || is_surface(b);
    assert!(
        surface || (-proof.gap.upper).max(0.0) <= depth.depth.upper && depth.depth.lower <= (-proof.gap.lower).max(0.0),
        "relation and penetration: {proof:?}\n{depth:?}{}",
        context()
    );
    assert!(gap.gap.lower == 0.0 || depth.depth.lower == 0.0, "apart and overlapping: {gap:?}\n{depth:?}{}", context());
}

/// Whether two bodies are indistinguishable. In one pose, the swapped pair is then the same query: its answer is the
/// same, not mirrored. A closed surface and the solid it bounds are indistinguishable in depth queries, and custom
/// bodies are compared only by their boxes.
fn is_alike(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Mesh(a), Shape::Mesh(b)) => a.points().eq(b.points()) && a.triangles() == b.triangles(),
        (Shape::Custom(_), Shape::Custom(_)) => a.bounds() == b.bounds(),
        (Shape::Rounded(a), Shape::Rounded(b)) => a.radius() == b.radius() && is_alike(a.core(), b.core()),
        (Shape::Compound(a), Shape::Compound(b)) => {
            let (a, b) = (a.parts(), b.parts());
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|((pose_a, a), (pose_b, b))| pose_a == pose_b && is_alike(a, b))
        }
        _ => a == b,
    }
}

fn is_surface(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if !mesh.is_solid())
}

fn is_mesh(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_))
}

/// The depth of a pair; for solids with little work, and with its proof verified.
fn penetration_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Result<Penetration, QueryError> {
    if !is_mesh(a) && !is_mesh(b) {
        return penetration(a, pose_a, b, pose_b);
    }
    let options = SolidDepthOptions { work: SOLID_WORK, ..SolidDepthOptions::default() };
    let found = solid_depth_with(a, pose_a, b, pose_b, &options, &mut Workspace::default(), |_, _| true)?;
    if let Err(refusal) = found.verify(a, pose_a, b, pose_b) {
        panic!("verify depth of solids: {refusal}\n{found:?}{}", context(a, pose_a, b, pose_b));
    }
    Ok(found.penetration)
}

/// Whether a pair may have no depth: two unbounded bodies, or a mesh that is not a solid or whose partner has no
/// volume.
fn may_refuse(error: &QueryError, a: &Shape, b: &Shape) -> bool {
    let is_endless = |shape: &Shape| matches!(shape, Shape::HalfSpace(_) | Shape::HeightField(_));
    (*error == QueryError::Unbounded && is_endless(a) && is_endless(b)) || is_mesh(a) || is_mesh(b)
}

fn proof_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> RelationProof {
    let options = RelationOptions::default();
    relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default())
}

/// Whether contact is known only to the accuracy of the distance.
pub fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| is_curved(part)),
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => true,
        Shape::Rounded(rounded) => is_curved(rounded.core()),
        _ => false,
    }
}

fn swapped(answer: Distance) -> Distance {
    Distance {
        witness: answer.witness.swapped(),
        normal: answer.normal.map(|n| -n),
        ..answer
    }
}

fn swapped_depth(answer: Penetration) -> Penetration {
    Penetration {
        witness: answer.witness.swapped(),
        normal: -answer.normal,
        ..answer
    }
}
