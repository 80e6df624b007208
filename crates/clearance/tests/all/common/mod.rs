//! Shared by the integration tests: oracle bodies as shapes, and one check of every answer about a pair.

pub mod false_claims;
pub mod meshes;
pub mod random_bodies;

use std::cmp::Ordering;

use clearance::answer::{Distance, ElementaryImpact, RayHit, RelationProof};
use clearance::glam::{DMat3, DVec3};
use clearance::query::{
    DistanceOptions, ElementaryOptions, ElementaryPair, ElementarySolver, RayOptions, RelationOptions, distance_with,
    elementary_impact_with, ray_cast_moving_with, ray_cast_with, relation_with,
};
use clearance::{Error, Motion, PairCache, Pose, Ray, Relation, Shape, Workspace, distance, intersects};
use clearance_oracle::{ExactSigned, OracleBody, OraclePose, OracleShape};

/// The first hit of a ray; a miss is verified.
pub fn first_hit(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) -> Option<RayHit> {
    match ray_cast_with(shape, pose, ray, options) {
        Ok(hit) => Some(hit),
        Err(none) => {
            let verified = none.verify(shape, pose, ray, options);
            assert_eq!(verified, Ok(()), "{none} of {shape:?}\n{pose:?}\n{ray:?}");
            None
        }
    }
}

/// The first hit of a moving point and a moving body; a miss is verified.
pub fn first_hit_moving(shape: &Shape, motion: &Motion, ray: &Ray) -> Option<RayHit> {
    let options = RayOptions::default();
    match ray_cast_moving_with(shape, motion, ray, &options) {
        Ok(hit) => Some(hit),
        Err(none) => {
            let verified = none.verify_moving(shape, motion, ray, &options);
            assert_eq!(verified, Ok(()), "{none} of {shape:?}\n{motion:?}\n{ray:?}");
            None
        }
    }
}

/// The first contact of two moving features; its absence is verified where it is proved.
pub fn first_contact(pair: &ElementaryPair, options: &ElementaryOptions) -> Option<ElementaryImpact> {
    match elementary_impact_with(pair, options) {
        Ok(impact) => Some(impact),
        Err(none) => {
            let proved = matches!(options.solver, ElementarySolver::Exact | ElementarySolver::Inclusion);
            assert!(!proved || none.verify(pair).is_ok(), "{none} of {pair:?}");
            None
        }
    }
}

/// Converts an oracle body to the engine's.
pub fn shape_and_pose(body: &OracleBody) -> (Shape, Pose) {
    let shape = if let Some(half) = body.as_cuboid() {
        Shape::cuboid(DVec3::from_array(half))
    } else if let Some(radius) = body.as_sphere() {
        Shape::sphere(radius)
    } else {
        Shape::flat_hull(&body.core_vertices)
    };
    let rows = body.rotation.map(DVec3::from_array);
    let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    (shape.unwrap(), Pose::new(rotation, DVec3::from_array(body.translation)).unwrap())
}

/// Converts a convex oracle body of any kind to the engine's.
pub fn oracle_shape(oracle: &OracleShape) -> Result<Shape, Error> {
    let v = DVec3::from_array;
    match oracle {
        OracleShape::Sphere { radius } => Shape::sphere(*radius),
        OracleShape::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius),
        OracleShape::Cuboid { half_extents } => Shape::cuboid(v(*half_extents)),
        OracleShape::Cylinder { half_length, radius } => Shape::cylinder(*half_length, *radius),
        OracleShape::Cone { half_length, radius } => Shape::cone(*half_length, *radius),
        OracleShape::Ellipsoid { semi_axes } => Shape::ellipsoid(v(*semi_axes)),
        OracleShape::HalfSpace { normal, offset } => Shape::half_space(v(*normal), *offset),
        OracleShape::Segment { ends: [p, q] } => Shape::segment(v(*p), v(*q)),
        OracleShape::Triangle { corners: [p, q, r] } => Shape::triangle(v(*p), v(*q), v(*r)),
        OracleShape::Tetrahedron { corners } => Shape::tetrahedron(corners.map(v)),
        OracleShape::Hull { points } => Shape::flat_hull(points),
        OracleShape::Rounded { core, radius } => Shape::rounded(oracle_shape(core)?, *radius),
    }
}

/// Converts an oracle pose to the engine's.
pub fn oracle_pose(oracle: &OraclePose) -> Pose {
    let rows = oracle.rotation.map(DVec3::from_array);
    let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    Pose::new(rotation, DVec3::from_array(oracle.translation)).unwrap()
}

/// `L` of the contract: both diameters and the distance of the bodies' centres.
pub fn scale(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let middle = |shape: &Shape, pose: &Pose| pose.transform_point(shape.bounds().center());
    a.diameter() + b.diameter() + (middle(b, pose_b) - middle(a, pose_a)).length()
}

/// The relation with a cold cache.
pub fn proof_of(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> RelationProof {
    let options = RelationOptions::default();
    relation_with(a, pose_a, b, pose_b, &options, &mut PairCache::default(), &mut Workspace::default())
}

/// Makes every query about a pair and checks each answer against the exact truth and by `verify`.
pub fn check_pair(label: &str, a: &OracleBody, b: &OracleBody, truth: &ExactSigned) -> Distance {
    let ((shape_a, pose_a), (shape_b, pose_b)) = (shape_and_pose(a), shape_and_pose(b));
    let scale = scale(&shape_a, &pose_a, &shape_b, &pose_b);
    let defect = pose_a.defect().max(pose_b.defect());
    let (low, high) = truth.enclosure();
    let context = || format!("{label}: truth in [{low:e}, {high:e}], L {scale:e}\n{a:?}\n{b:?}");

    let answer = distance(&shape_a, &pose_a, &shape_b, &pose_b);
    answer
        .verify(&shape_a, &pose_a, &shape_b, &pose_b)
        .unwrap_or_else(|refusal| panic!("{refusal}\n{answer:?}\n{}", context()));
    if truth.sign() == Ordering::Greater {
        assert!(truth.is_within(answer.gap.lower, answer.gap.upper), "bracket {answer:?}\n{}", context());
        let allowed = (1e-12 + defect) * scale;
        assert!(answer.gap.upper - answer.gap.lower <= allowed, "width {answer:?}\n{}", context());
        assert!((answer.gap.value - low).abs() <= allowed, "value {answer:?}\n{}", context());
    } else {
        assert_eq!(answer.gap.lower, 0.0, "{answer:?}\n{}", context());
    }

    // The closed-set answer is exact for the placed pair, so it can differ from the truth only by the placement, and by
    // the stretch of the frame in which radii are compared with the gap of the cores.
    let meets = intersects(&shape_a, &pose_a, &shape_b, &pose_b);
    assert_eq!(meets, answer.gap.value == 0.0, "{answer:?}\n{}", context());
    let margin = answer.placement * (1.0 + 2.0 * defect) + defect * (a.radius + b.radius);
    if truth.compare(margin) == Ordering::Greater {
        assert!(!meets, "reported as meeting\n{}", context());
    }
    if truth.compare(-margin) == Ordering::Less {
        assert!(meets, "reported as not meeting\n{}", context());
    }

    let proof = proof_of(&shape_a, &pose_a, &shape_b, &pose_b);
    proof
        .verify(&shape_a, &pose_a, &shape_b, &pose_b)
        .unwrap_or_else(|refusal| panic!("{refusal}\n{proof:?}\n{}", context()));
    assert!(truth.is_within(proof.gap.lower, proof.gap.upper), "{proof:?}\n{}", context());
    match proof.relation {
        Relation::Separated => assert_eq!(truth.sign(), Ordering::Greater, "{}", context()),
        Relation::Overlapping => assert_eq!(truth.sign(), Ordering::Less, "{}", context()),
        // Only contact within rounding may be called touching.
        Relation::Touching => {
            let reach = 1e-12 * scale + defect * scale;
            assert!(low.abs() <= reach, "touching? {proof:?}\n{}", context());
        }
    }

    check_same_bits(&answer, &proof, (&shape_a, &pose_a), (&shape_b, &pose_b), &context);
    answer
}

/// Swapped arguments, another instruction set and a warm cache give the same answer.
fn check_same_bits(
    answer: &Distance,
    proof: &RelationProof,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    context: &dyn Fn() -> String,
) {
    if a == b && pose_a == pose_b {
        // Swapped, it is the same query.
        return;
    }
    let exchanged = distance(b, pose_b, a, pose_a);
    assert_eq!(&swapped(&exchanged), answer, "exchanged\n{}", context());
    let other = proof_of(b, pose_b, a, pose_a);
    assert_eq!(
        (other.relation, other.gap.lower, other.gap.upper, -other.normal),
        (proof.relation, proof.gap.lower, proof.gap.upper, proof.normal),
        "exchanged\n{}",
        context()
    );

    let options = DistanceOptions::default();
    let mut cache = PairCache::default();
    let mut baseline = Workspace::baseline();
    let scalar = distance_with(a, pose_a, b, pose_b, &options, &mut cache, &mut baseline);
    assert_eq!(&scalar, answer, "baseline instructions\n{}", context());
    let warm = distance_with(a, pose_a, b, pose_b, &options, &mut cache, &mut baseline);
    assert_eq!(warm.gap.value == 0.0, answer.gap.value == 0.0, "warm\n{}", context());
    assert!(warm.gap.lower <= answer.gap.upper && answer.gap.lower <= warm.gap.upper, "warm\n{}", context());
    warm.verify(a, pose_a, b, pose_b).unwrap_or_else(|refusal| panic!("warm: {refusal}\n{warm:?}\n{}", context()));
}

/// The answer to the query with swapped arguments.
pub fn swapped(answer: &Distance) -> Distance {
    Distance { witness: answer.witness.swapped(), normal: answer.normal.map(|n| -n), ..*answer }
}
