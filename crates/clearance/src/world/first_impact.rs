//! The first contact of many moving bodies.
//!
//! The path of each body is split into pieces short enough for the enclosure of a rotation to be useful (Redon 2004,
//! section 5): in each the body rotates by less than an eighth of pi and moves no farther than its size. Over a piece
//! its path is bounded by a box, from its bounding sphere and, for bodies with few corners, from these. Pieces are
//! dyadic fractions of the step, so those of a slow body contain those of a fast one.
//!
//! Two bodies are tested piece by piece: boxes of paths, then bounding spheres, then moving boxes, each test sharper
//! and more expensive than the one before. Pairs proved separated in every piece never touch; the others wait by the
//! first piece in which they may touch and are queried in that order, until the next one cannot be earlier than the
//! best so far.

use glam::DVec3;

use crate::answer::impact::NoImpact;
use crate::answer::rigid_impact::{RigidImpact, RigidOptions};
use crate::bound::Aabb;
use crate::impact::moving::sanitized_margin;
use crate::math::interval::Interval;
use crate::math::pose::Pose;
use crate::math::tolerances::{FIRST_IMPACT_CORNERS, FIRST_IMPACT_HALVINGS, ROUND_UP};
use crate::motion::{MovingFrame, RigidMotion};
use crate::pair::workspace::Workspace;
use crate::query::rigid_impact_with;
use crate::shape::Shape;
use crate::verify::refusal::Refusal;

/// The first contact of many bodies.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, glam::DVec3};
/// use clearance::world::first_impact;
/// let bar = Shape::cuboid(DVec3::new(2.0, 0.1, 0.1))?;
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
/// // Of three bars in a row the outer two rotate.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FirstImpact {
    /// The index of the first body.
    pub a: usize,
    /// The index of the second body, which is larger.
    pub b: usize,
    /// The contact.
    pub impact: RigidImpact,
    /// The poses of all bodies at the time of contact.
    pub poses: Vec<Pose>,
}

/// The first contact of many moving bodies, and the poses of all of them at that time; [`NoImpact`] if provably none
/// touch. Only pairs for which `wanted` holds are considered, each once, the lower index first. See [`FirstImpact`] for
/// an example.
///
/// # Errors
/// [`NoImpact`], an answer that [`NoImpact::verify_all`] proves.
pub fn first_impact(
    bodies: &[(Shape, RigidMotion)],
    wanted: impl Fn(usize, usize) -> bool,
) -> Result<FirstImpact, NoImpact> {
    first_impact_with(bodies, wanted, &RigidOptions::default(), &mut Workspace::default())
}

/// [`first_impact`] with options, among them a margin and a time resolution, and a workspace.
///
/// ```
/// use clearance::{Pose, RigidMotion, Shape, Workspace, glam::DVec3};
/// use clearance::query::RigidOptions;
/// use clearance::world::first_impact_with;
/// let ball = Shape::sphere(1.0)?;
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
/// let bodies = [
///     (ball.clone(), RigidMotion::still(at(0.0))),
///     (ball.clone(), RigidMotion::turning(at(5.0), DVec3::X * -2.0, DVec3::Z, 1.0)?),
/// ];
/// let mut workspace = Workspace::default();
/// let mut ask = |margin| {
///     first_impact_with(&bodies, |_, _| true, &RigidOptions { margin, ..RigidOptions::default() }, &mut workspace)
/// };
/// assert!(ask(0.0).is_err());
/// // They come within 1 of each other at the end, and within 2 halfway.
/// assert!((ask(2.0).unwrap().impact.time.value - 0.5).abs() < 1e-9);
/// # Ok::<(), clearance::Error>(())
/// ```
///
/// # Errors
/// As [`first_impact`].
pub fn first_impact_with(
    bodies: &[(Shape, RigidMotion)],
    wanted: impl Fn(usize, usize) -> bool,
    options: &RigidOptions,
    workspace: &mut Workspace,
) -> Result<FirstImpact, NoImpact> {
    let margin = sanitized_margin(options.margin);
    let courses: Vec<Course> = bodies.iter().map(|(shape, motion)| Course::new(shape, motion)).collect();
    let mut waiting = Vec::new();
    for b in 0..bodies.len() {
        for a in (0..b).filter(|&a| wanted(a, b)) {
            waiting.extend(courses[a].may_meet(&courses[b], margin).map(|from| (from, a, b)));
        }
    }
    waiting.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then_with(|| (p.1, p.2).cmp(&(q.1, q.2))));
    let mut best: Option<(RigidImpact, usize, usize)> = None;
    for (from, a, b) in waiting {
        if from > best.as_ref().map_or(1.0, |(impact, ..)| impact.time.lower) {
            break;
        }
        let ((shape_a, motion_a), (shape_b, motion_b)) = (&bodies[a], &bodies[b]);
        let found = rigid_impact_with(shape_a, motion_a, shape_b, motion_b, options, workspace);
        if let Some(impact) =
            found.ok().filter(|impact| best.as_ref().is_none_or(|(best, ..)| impact.time.lower < best.time.lower))
        {
            best = Some((impact, a, b));
        }
    }
    let (impact, a, b) = best.ok_or(NoImpact { margin, until: 1.0 })?;
    let poses = bodies.iter().map(|(_, motion)| motion.at(impact.time.value)).collect();
    Ok(FirstImpact { a, b, impact, poses })
}

impl FirstImpact {
    /// Proves the first contact of many bodies independently, from the bodies and pairs of the query: the contact
    /// itself, that every other pair stays farther apart than the margin until its `lower`, and the poses. Slower than
    /// the query, since every pair is tested.
    ///
    /// # Errors
    /// The first claim that does not hold.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, Shape, glam::DVec3};
    /// use clearance::world::first_impact;
    /// let ball = Shape::sphere(1.0)?;
    /// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
    /// let bodies = [
    ///     (ball.clone(), RigidMotion::still(at(0.0))),
    ///     (ball.clone(), RigidMotion::turning(at(5.0), DVec3::X * -4.0, DVec3::Z, 1.0)?),
    ///     (ball.clone(), RigidMotion::turning(at(-5.0), DVec3::X * 9.0, DVec3::Z, 1.0)?),
    /// ];
    /// let first = first_impact(&bodies, |_, _| true).unwrap();
    /// assert_eq!(first.verify(&bodies, |_, _| true), Ok(()));
    /// // Without the third body it is not the first contact.
    /// let second = first_impact(&bodies, |a, b| (a, b) == (0, 1)).unwrap();
    /// assert!(second.verify(&bodies, |_, _| true).is_err());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify(
        &self,
        bodies: &[(Shape, RigidMotion)],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Result<(), Refusal> {
        let (Some((shape_a, motion_a)), Some((shape_b, motion_b))) = (bodies.get(self.a), bodies.get(self.b)) else {
            return Err(Refusal::Part);
        };
        if self.a >= self.b || !wanted(self.a, self.b) {
            return Err(Refusal::Part);
        }
        self.impact.verify(shape_a, motion_a, shape_b, motion_b)?;
        let same = |(pose, (_, motion)): (&Pose, &(Shape, RigidMotion))| *pose == motion.at(self.impact.time.value);
        if self.poses.len() != bodies.len() || !self.poses.iter().zip(bodies).all(same) {
            return Err(Refusal::NoNumber { field: "poses" });
        }
        // Another pair may touch at exactly that time.
        let until = self.impact.time.lower.min(1f64.next_down());
        let others = |a: usize, b: usize| (a, b) != (self.a, self.b) && wanted(a, b);
        NoImpact { margin: self.impact.margin, until }.verify_all(bodies, others)
    }
}

impl NoImpact {
    /// Proves that no two of many bodies come within the margin of each other, as [`NoImpact::verify`] does for each
    /// pair for which `wanted` holds.
    ///
    /// # Errors
    /// [`Refusal::Before`] with the time from which it is not proved.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, Shape, glam::DVec3};
    /// use clearance::world::first_impact;
    /// let ball = Shape::sphere(1.0)?;
    /// let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
    /// let bodies = [
    ///     (ball.clone(), RigidMotion::still(at(0.0))),
    ///     (ball.clone(), RigidMotion::turning(at(5.0), DVec3::X * -1.0, DVec3::Z, 1.0)?),
    /// ];
    /// let none = first_impact(&bodies, |_, _| true).unwrap_err();
    /// assert_eq!(none.verify_all(&bodies, |_, _| true), Ok(()));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn verify_all(
        &self,
        bodies: &[(Shape, RigidMotion)],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Result<(), Refusal> {
        for b in 0..bodies.len() {
            for a in (0..b).filter(|&a| wanted(a, b)) {
                let ((shape_a, motion_a), (shape_b, motion_b)) = (&bodies[a], &bodies[b]);
                self.verify(shape_a, motion_a, shape_b, motion_b)?;
            }
        }
        Ok(())
    }
}

/// The path of a body, in pieces.
struct Course {
    /// How often the step is halved.
    halvings: u32,
    /// The body's own box and its bounding sphere.
    bounds: Aabb,
    radius: f64,
    /// One for each piece.
    frames: Vec<MovingFrame>,
    boxes: Vec<Aabb>,
    whole: Aabb,
}

impl Course {
    fn new(shape: &Shape, motion: &RigidMotion) -> Course {
        let bounds = shape.bounds();
        let (middle, radius) = (bounds.center(), 0.5 * bounds.size().length() * ROUND_UP);
        let step = Interval::new(0.0, 1.0);
        if !radius.is_finite() {
            let everywhere = Aabb::new(DVec3::NEG_INFINITY, DVec3::INFINITY);
            let frames = vec![motion.frame(step)];
            return Course { halvings: 0, bounds, radius, frames, boxes: vec![everywhere], whole: everywhere };
        }
        let twist = motion.twist(step);
        let way = twist.linear.norm().hi() + twist.angular.norm().hi() * middle.length();
        let pieces = f64::from(motion.pieces(step)).max(way / radius);
        // For a NaN or infinite path length, the most.
        let halvings =
            (0..FIRST_IMPACT_HALVINGS).find(|&k| pieces <= f64::from(1 << k)).unwrap_or(FIRST_IMPACT_HALVINGS);
        let corners = corners(shape);
        let frame = |k: u32| motion.frame(Interval::new(start(k, halvings), start(k + 1, halvings)));
        let frames: Vec<MovingFrame> = (0..1 << halvings).map(frame).collect();
        let boxed = |frame: &MovingFrame| {
            let ball = frame.bounds_of_ball(middle, radius);
            if corners.is_empty() {
                return ball;
            }
            let hull = frame.bounds_of_points(&corners);
            Aabb::new(ball.min.max(hull.min), ball.max.min(hull.max))
        };
        let boxes: Vec<Aabb> = frames.iter().map(boxed).collect();
        let whole = boxes.iter().fold(Aabb::EMPTY, |all, piece| all.including(piece.min).including(piece.max));
        Course { halvings, bounds, radius, frames, boxes, whole }
    }

    /// The start of the first piece in which two bodies may come within a margin of each other.
    fn may_meet(&self, other: &Course, margin: f64) -> Option<f64> {
        let near = |p: &Aabb, q: &Aabb| {
            let room = DVec3::splat(margin * ROUND_UP);
            // Rounding: the sums lose less than a unit in the last place of the larger coordinate.
            let grown = Aabb::new(lower(p.min - room), upper(p.max + room));
            grown.overlaps(q)
        };
        if !near(&self.whole, &other.whole) {
            return None;
        }
        let halvings = self.halvings.max(other.halvings);
        let has_end = self.radius.is_finite() && other.radius.is_finite();
        let meets = |k: u32| {
            let (p, q) = ((k >> (halvings - self.halvings)) as usize, (k >> (halvings - other.halvings)) as usize);
            if !near(&self.boxes[p], &other.boxes[q]) {
                return false;
            }
            let (frame, of_other) = (&self.frames[p], &other.frames[q]);
            let ball = |course: &Course| (course.bounds.center(), course.radius);
            !has_end
                || !(frame.keeps_balls_apart(ball(self), of_other, ball(other), margin)
                    || frame.keeps_boxes_apart(&self.bounds, of_other, &other.bounds, margin))
        };
        (0..1 << halvings).find(|&k| meets(k)).map(|k| start(k, halvings))
    }
}

fn lower(v: DVec3) -> DVec3 {
    DVec3::new(v.x.next_down(), v.y.next_down(), v.z.next_down())
}

fn upper(v: DVec3) -> DVec3 {
    DVec3::new(v.x.next_up(), v.y.next_up(), v.z.next_up())
}

/// The time at which a piece starts.
fn start(piece: u32, halvings: u32) -> f64 {
    f64::from(piece) / f64::from(1 << halvings)
}

/// Points whose hull is or contains the body, if they are few and tighter than the bounding sphere; otherwise none.
fn corners(shape: &Shape) -> Vec<DVec3> {
    match shape {
        Shape::Hull(hull) if hull.vertex_count() <= FIRST_IMPACT_CORNERS => hull.vertices().collect(),
        Shape::Triangle(triangle) => triangle.points().to_vec(),
        Shape::Tetrahedron(tetrahedron) => tetrahedron.points().to_vec(),
        Shape::Segment(segment) => segment.points().to_vec(),
        Shape::Sphere(_) => Vec::new(),
        _ => {
            let Aabb { min, max } = shape.bounds();
            let pick = |k: u32, bit: u32, low: f64, high: f64| if k & bit == 0 { low } else { high };
            (0..8)
                .map(|k| DVec3::new(pick(k, 1, min.x, max.x), pick(k, 2, min.y, max.y), pick(k, 4, min.z, max.z)))
                .collect()
        }
    }
}
