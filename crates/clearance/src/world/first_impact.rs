//! The first contact of many moving bodies.
//!
//! Each body's course is boxed: the box of the ball about it, over pieces of the step short enough for the enclosure of a turning motion
//! to be of use (Redon 2004, section 5.2). Pairs whose boxes overlap in no piece never touch; the others wait by the first piece in which they do,
//! and are asked about in that order, until the next one cannot be earlier than what is known.

use glam::DVec3;

use crate::bound::Aabb;
use crate::math::interval::{Interval, IntervalVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::ROUND_UP;
use crate::motion::RigidMotion;
use crate::query::{RigidImpact, RigidOptions, Workspace, rigid_impact_with};
use crate::shape::Shape;

/// Into how many pieces the step is cut.
const PIECES: usize = 32;

/// The first contact of many bodies.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3, first_impact};
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
/// // Of three bars in a row the outer two turn.
/// let bodies = [
///     (bar.clone(), RigidMotion::turning(at(-4.5), DVec3::X * 0.2, DVec3::Z, 6.0)?),
///     (bar.clone(), RigidMotion::still(at(0.0))),
///     (bar.clone(), RigidMotion::turning(at(4.5), DVec3::X * -9.0, DVec3::Z, 3.0)?),
/// ];
/// let first = first_impact(&bodies, |_, _| true).unwrap();
/// assert_eq!((first.a, first.b), (1, 2));
/// assert_eq!(first.poses.len(), 3);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FirstImpact {
    /// The number of the first body.
    pub a: usize,
    /// The number of the second, which is larger.
    pub b: usize,
    /// The contact.
    pub impact: RigidImpact,
    /// Where every body is at the time of the contact.
    pub poses: Vec<Pose>,
}

/// Which of many moving bodies touch first, and where all of them are then; `None` if provably none do. Only pairs for which `wanted`
/// holds are looked at, each once, the lower number first. See [`FirstImpact`] for an example.
pub fn first_impact(bodies: &[(Shape, RigidMotion)], wanted: impl Fn(usize, usize) -> bool) -> Option<FirstImpact> {
    let boxes: Vec<Vec<Aabb>> = bodies.iter().map(|(shape, motion)| courses(shape, motion)).collect();
    let mut waiting = Vec::new();
    for b in 0..bodies.len() {
        for a in (0..b).filter(|&a| wanted(a, b)) {
            let piece = (0..PIECES).find(|&piece| boxes[a][piece].overlaps(&boxes[b][piece]));
            waiting.extend(piece.map(|piece| (piece, a, b)));
        }
    }
    waiting.sort_unstable();
    let mut workspace = Workspace::default();
    let mut best: Option<(RigidImpact, usize, usize)> = None;
    for (piece, a, b) in waiting {
        let known = best.as_ref().map_or(1.0, |(impact, ..)| impact.lower);
        if piece as f64 / PIECES as f64 > known {
            break;
        }
        let ((shape_a, motion_a), (shape_b, motion_b)) = (&bodies[a], &bodies[b]);
        let found = rigid_impact_with(shape_a, motion_a, shape_b, motion_b, &RigidOptions::default(), &mut workspace);
        if let Some(impact) = found.filter(|impact| best.as_ref().is_none_or(|(best, ..)| impact.lower < best.lower)) {
            best = Some((impact, a, b));
        }
    }
    let (impact, a, b) = best?;
    let poses = bodies.iter().map(|(_, motion)| motion.at(impact.t)).collect();
    Some(FirstImpact { a, b, impact, poses })
}

/// Boxes about a moving body, one for each piece of the step.
fn courses(shape: &Shape, motion: &RigidMotion) -> Vec<Aabb> {
    let bounds = shape.bounds();
    let radius = 0.5 * bounds.size().length() * ROUND_UP;
    let piece = |k: usize| {
        if !radius.is_finite() {
            return Aabb::new(DVec3::NEG_INFINITY, DVec3::INFINITY);
        }
        let span = Interval::new(k as f64 / PIECES as f64, (k + 1) as f64 / PIECES as f64);
        let frame = motion.frame(span);
        let ball = Interval::new(-radius, radius);
        let middle = frame.rotation * IntervalVec3::from(bounds.center()) + frame.translation;
        let whole = middle + IntervalVec3::new(ball, ball, ball);
        Aabb::new(
            DVec3::new(whole.x.lo(), whole.y.lo(), whole.z.lo()),
            DVec3::new(whole.x.hi(), whole.y.hi(), whole.z.hi()),
        )
    };
    (0..PIECES).map(piece).collect()
}
