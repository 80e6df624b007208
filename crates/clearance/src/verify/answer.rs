//! Entry point for verifying answers about two resting bodies: height fields become compounds of prisms, tiny bodies
//! are enlarged, the named parts are looked up; then each kind of answer checks its own claims (`distance.rs`,
//! `penetration.rs`, `relation.rs`, `contacts.rs`, `solid_depth.rs`).

use crate::math::pose::Pose;
use crate::shape::Shape;
use crate::verify::bodies::Bodies;
use crate::verify::body::Part;
use crate::verify::height_field_pair::{GroundClaim, HeightFieldPair};
use crate::verify::hint::Hints;
use crate::verify::refusal::Refusal;
use crate::verify::scale::{enlarged, quantum};
use crate::verify::truth::Truth;

/// Operations that verification needs of an answer. Sealed: callers cannot name this trait.
pub trait Check: Sized {
    /// Checks every claim.
    fn check(&self, truth: &Truth) -> Result<(), Refusal>;
    /// The answer for bodies enlarged by a power of two.
    fn enlarged(&self, factor: f64) -> Self;
    /// The parts that the answer names, and whether its method is one for compounds, if it names a method.
    fn parts(&self) -> ((u32, u32), Option<bool>);
    /// The same answer with its part numbers mapped by `named`.
    fn with_parts(&self, named: &dyn Fn((u32, u32)) -> (u32, u32)) -> Self;
    /// What the answer claims about the gap.
    fn ground_claim(&self) -> GroundClaim;
    /// Like `check`, for a pair with at least one mesh.
    fn check_meshes(&self, bodies: &Bodies<'_>, hints: &mut dyn Hints) -> Result<(), Refusal>;
    /// The answer with its points in the frames of the parts, whose poses in the bodies are given.
    fn in_parts(&self, a: &Pose, b: &Pose) -> Self;
}

/// Verifies an answer from the bodies and poses of the query.
pub(crate) fn verify<T: Check>(
    answer: &T,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    if let Some(prisms) = HeightFieldPair::of((a, pose_a), (b, pose_b), &answer.ground_claim()) {
        let prisms = prisms?;
        let named = answer.with_parts(&|parts| prisms.prisms_of(parts));
        return verify(&named, (prisms.a(), pose_a), (prisms.b(), pose_b), hints);
    }
    match enlarged((a, pose_a), (b, pose_b)) {
        Some(large) => {
            let (a, b) = ((&large.a.0, &large.a.1), (&large.b.0, &large.b.1));
            check_scaled(&answer.enlarged(large.factor), a, b, quantum(large.factor), hints)
        }
        None => check_scaled(answer, (a, pose_a), (b, pose_b), 0.0, hints),
    }
}

fn check_scaled<T: Check>(
    answer: &T,
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    quantum: f64,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    if matches!(a, Shape::Mesh(_)) || matches!(b, Shape::Mesh(_)) {
        return answer.check_meshes(&Bodies::new((a, pose_a), (b, pose_b), quantum), hints);
    }
    let (parts, by_parts) = answer.parts();
    let made_of_parts = matches!(a, Shape::Compound(_)) || matches!(b, Shape::Compound(_));
    if by_parts.is_some_and(|by_parts| by_parts != made_of_parts) {
        return Err(Refusal::Method);
    }
    if !made_of_parts {
        let truth = Truth::new(a, pose_a, b, pose_b, quantum);
        return if parts == (0, 0) { answer.check(&truth) } else { Err(Refusal::Part) };
    }
    let truth = Truth::of_parts((a, pose_a), (b, pose_b), parts, quantum).ok_or(Refusal::Part)?;
    let inner = |part: &Part| part.inner.unwrap_or(Pose::IDENTITY);
    answer.in_parts(&inner(&truth.a), &inner(&truth.b)).check(&truth)
}
