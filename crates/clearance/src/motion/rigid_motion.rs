//! In-between motions: rigid motions with rotation from one pose to another.
//!
//! Redon, *Continuous collision detection for rigid and articulated bodies* (2004), sections 2 and 3. There, a motion
//! is a formula for the matrix of the body, and interval arithmetic bounds it over a span of time. Here a motion gives
//! two enclosures over any span: of the [`MovingFrame`], and of the [`Twist`], its rate of change. The second keeps
//! bounds sharp: the natural enclosure of a frame ignores that two bodies move alike, the difference of two twists does
//! not.
//!
//! All motions of the paper are one formula with different coefficients, [`Swing`]: the body rotates about an axis
//! through its origin by an angle `w(t)` while the origin moves by
//!
//! ```text
//!     along f(t) + ... + sine sin w(t) + versine (1 - cos w(t))
//! ```
//!
//! A screw has its distance from the axis in `sine` and `versine`. Nothing is divided by a small angle, so a screw with
//! almost no rotation keeps its digits, though its axis goes to infinity. The paper's listing for the axis of a
//! rotation has a wrong sign; here the axis comes from a quaternion.
//!
//! The true motion is the formula on real numbers, with the stored numbers as given and the axis normalised.

use std::fmt::Debug;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::path::Motion;
#[cfg(feature = "serde")]
use super::recipe::Recipe;
use crate::error::{Error, check_components};
use crate::geom::ray_frame::unit_scale;
use crate::math::interval::{Interval, IntervalMat3, IntervalVec3};
use crate::math::pose::Pose;
use crate::math::tolerances::{MAX_RIGIDITY_DEFECT, RIGID_PIECE_ANGLE, RIGID_PIECES, ROUND_UP, SMALLEST_DIRECTION};

/// An enclosure of the frame of a body throughout a span of time: the point `v` of the body is in
/// `rotation * v + translation`.
///
/// ```
/// use clearance::{Pose, RigidMotion, glam::DVec3};
/// use clearance::math::{Interval, IntervalVec3};
/// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, 3.0)?;
/// let frame = motion.frame(Interval::new(0.25, 0.5));
/// let corner = frame.rotation * IntervalVec3::from(DVec3::Y) + frame.translation;
/// assert!(corner.contains(motion.at(0.3).transform_point(DVec3::Y)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingFrame {
    /// The directions of the body's axes in the world, as columns.
    pub rotation: IntervalMat3,
    /// The position of the body's origin.
    pub translation: IntervalVec3,
}

impl MovingFrame {
    /// An enclosure of a point of the body throughout the span. Tight for short spans; for long ones see
    /// [`RigidMotion::point_bounds`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, 3.0)?;
    /// let corner = motion.frame(Interval::new(0.25, 0.5)).place(DVec3::Y);
    /// assert!(corner.contains(motion.at(0.3).transform_point(DVec3::Y)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn place(&self, point: DVec3) -> IntervalVec3 {
        self.rotation * IntervalVec3::from(point) + self.translation
    }
}

/// An enclosure of the velocities of a body throughout a span of time, per unit of time: the point at `x` in the world
/// moves with `linear + angular × (x - origin)`, where `origin` is that of the body.
///
/// ```
/// use clearance::{Pose, RigidMotion, glam::DVec3};
/// use clearance::math::Interval;
/// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, 3.0)?;
/// let twist = motion.twist(Interval::new(0.0, 1.0));
/// assert!(twist.linear.contains(DVec3::X) && twist.angular.contains(DVec3::new(0.0, 0.0, 3.0)));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// The velocity of the body's origin.
    pub linear: IntervalVec3,
    /// The angular velocity.
    pub angular: IntervalVec3,
}

/// A custom motion, for [`RigidMotion::given`].
///
/// Both enclosures must be of one rigid motion that is continuous and, except at finitely many times, differentiable in
/// `[0, 1]`. Every proof about the motion relies on them. Narrow spans must give narrow enclosures, at a single time as
/// wide as rounding only.
///
/// ```
/// use clearance::math::{Interval, IntervalMat3, IntervalVec3};
/// use clearance::{RigidMotion, glam::DVec3};
/// use clearance::motion::{InBetween, MovingFrame, Twist};
/// /// Up and down along z once, without rotation.
/// #[derive(Debug)]
/// struct Hop;
/// impl InBetween for Hop {
///     fn frame(&self, time: Interval) -> MovingFrame {
///         let height = (Interval::PI * time).sin();
///         MovingFrame {
///             rotation: IntervalMat3::from_axis_angle(DVec3::Z, Interval::ZERO),
///             translation: IntervalVec3::new(Interval::ZERO, Interval::ZERO, height),
///         }
///     }
///     fn twist(&self, time: Interval) -> Twist {
///         let speed = Interval::PI * (Interval::PI * time).cos();
///         Twist {
///             linear: IntervalVec3::new(Interval::ZERO, Interval::ZERO, speed),
///             angular: IntervalVec3::from(DVec3::ZERO),
///         }
///     }
/// }
/// let motion = RigidMotion::given(Hop);
/// assert!((motion.at(0.5).translation().z - 1.0).abs() < 1e-15);
/// ```
pub trait InBetween: Debug + Send + Sync {
    /// An enclosure of the body's frame throughout a span of time within `[0, 1]`.
    fn frame(&self, time: Interval) -> MovingFrame;
    /// An enclosure of its velocities throughout a span of time within `[0, 1]`.
    fn twist(&self, time: Interval) -> Twist;
}

/// The progress of a motion over time: 0 at time 0, and 1 at time 1 for the motion to reach its end.
///
/// ```
/// use clearance::math::Interval;
/// use clearance::{Pose, RigidMotion, glam::DVec3};
/// use clearance::motion::Profile;
/// /// Starts and ends at rest: `3 t² - 2 t³`.
/// #[derive(Debug)]
/// struct Smooth;
/// impl Profile for Smooth {
///     fn value(&self, t: Interval) -> Interval {
///         t.square() * (Interval::point(3.0) - Interval::point(2.0) * t)
///     }
///     fn slope(&self, t: Interval) -> Interval {
///         Interval::point(6.0) * t * (Interval::ONE - t)
///     }
/// }
/// let turn = RigidMotion::screw(Pose::IDENTITY, DVec3::Y, DVec3::Z, 1.0, 0.0)?.with_profiles(Smooth, Smooth)?;
/// assert!(turn.twist(Interval::ZERO).angular.contains(DVec3::ZERO));
/// # Ok::<(), clearance::Error>(())
/// ```
pub trait Profile: Debug + Send + Sync {
    /// An enclosure of the values throughout a span of time.
    fn value(&self, time: Interval) -> Interval;
    /// An enclosure of the slopes throughout a span of time.
    fn slope(&self, time: Interval) -> Interval;
}

/// A number that changes in the course of a motion.
#[derive(Clone, Debug)]
enum Course {
    /// A multiple of the time.
    Linear(f64),
    /// `c1 t + c2 t² + ...`.
    Polynomial(Arc<[f64]>),
    /// A multiple of a custom profile.
    Given(f64, Arc<dyn Profile>),
}

impl Course {
    fn value(&self, time: Interval) -> Interval {
        match self {
            Course::Linear(factor) => Interval::point(*factor) * time,
            // Horner's scheme.
            Course::Polynomial(terms) => {
                terms.iter().rev().fold(Interval::ZERO, |sum, &term| (sum + Interval::point(term)) * time)
            }
            Course::Given(factor, profile) => Interval::point(*factor) * profile.value(time),
        }
    }

    fn slope(&self, time: Interval) -> Interval {
        match self {
            Course::Linear(factor) => Interval::point(*factor),
            Course::Polynomial(terms) => terms.iter().enumerate().rev().fold(Interval::ZERO, |sum, (k, &term)| {
                sum * time + Interval::point(term) * Interval::point((k + 1) as f64)
            }),
            Course::Given(factor, profile) => Interval::point(*factor) * profile.slope(time),
        }
    }
}

/// The formula in the module documentation.
#[derive(Clone, Debug)]
struct Swing {
    start: Pose,
    /// Of any nonzero length.
    axis: DVec3,
    angle: Course,
    along: Vec<(DVec3, Course)>,
    sine: DVec3,
    versine: DVec3,
}

impl Swing {
    fn still(start: Pose) -> Swing {
        Swing {
            start,
            axis: DVec3::Z,
            angle: Course::Linear(0.0),
            along: Vec::new(),
            sine: DVec3::ZERO,
            versine: DVec3::ZERO,
        }
    }

    /// The body's origin throughout a span of time in which it rotates by `angle`.
    fn origin(&self, time: Interval, angle: Interval) -> IntervalVec3 {
        let mut translation = IntervalVec3::from(self.start.translation());
        for (direction, course) in &self.along {
            translation = translation + IntervalVec3::from(*direction).scale(course.value(time));
        }
        if angle != Interval::ZERO && (self.sine != DVec3::ZERO || self.versine != DVec3::ZERO) {
            // 1 - cos without cancellation.
            let versine = (angle * Interval::point(0.5)).sin().square() * Interval::point(2.0);
            translation = translation
                + IntervalVec3::from(self.sine).scale(angle.sin())
                + IntervalVec3::from(self.versine).scale(versine);
        }
        translation
    }
}

impl InBetween for Swing {
    fn frame(&self, time: Interval) -> MovingFrame {
        let angle = self.angle.value(time);
        let start = IntervalMat3::from(&self.start.rotation());
        let turned = angle != Interval::ZERO;
        let rotation = if turned { IntervalMat3::from_axis_angle(self.axis, angle) * start } else { start };
        MovingFrame { rotation, translation: self.origin(time, angle) }
    }

    fn twist(&self, time: Interval) -> Twist {
        let (angle, rate) = (self.angle.value(time), self.angle.slope(time));
        let mut linear = IntervalVec3::from(DVec3::ZERO);
        for (direction, course) in &self.along {
            linear = linear + IntervalVec3::from(*direction).scale(course.slope(time));
        }
        if rate == Interval::ZERO {
            return Twist { linear, angular: IntervalVec3::from(DVec3::ZERO) };
        }
        if self.sine != DVec3::ZERO || self.versine != DVec3::ZERO {
            linear = linear
                + IntervalVec3::from(self.sine).scale(angle.cos() * rate)
                + IntervalVec3::from(self.versine).scale(angle.sin() * rate);
        }
        let axis = IntervalVec3::from(self.axis);
        let angular = axis.scale(rate / axis.norm());
        Twist { linear, angular }
    }
}

/// How a rigid body moves and rotates from the start of a step, time 0, to its end, time 1.
///
/// ```
/// use clearance::{Pose, RigidMotion, glam::DVec3};
/// let start = Pose::from_translation(DVec3::new(2.0, 0.0, 0.0))?;
/// // Two and a half revolutions about the z axis of the world, and up by 1.
/// let screw = RigidMotion::screw(start, DVec3::ZERO, DVec3::Z, 5.0 * std::f64::consts::PI, 1.0)?;
/// assert!(screw.at(1.0).translation().abs_diff_eq(DVec3::new(-2.0, 0.0, 1.0), 1e-14));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RigidMotion {
    kind: Kind,
    /// The constructor that made it, for serialisation; `None` for custom code.
    #[cfg(feature = "serde")]
    recipe: Option<Arc<Recipe>>,
}

#[derive(Clone, Debug)]
enum Kind {
    Swing(Arc<Swing>),
    Given(Arc<dyn InBetween>),
}

impl From<Motion> for RigidMotion {
    /// The same translation.
    fn from(motion: Motion) -> RigidMotion {
        let along = vec![(motion.displacement(), Course::Linear(1.0))];
        let made = RigidMotion::of(Swing { along, ..Swing::still(motion.start()) });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::Translation(motion));
        made
    }
}

impl RigidMotion {
    fn of(swing: Swing) -> RigidMotion {
        RigidMotion::of_kind(Kind::Swing(Arc::new(swing)))
    }

    fn of_kind(kind: Kind) -> RigidMotion {
        RigidMotion {
            kind,
            #[cfg(feature = "serde")]
            recipe: None,
        }
    }

    /// The same motion, with the constructor that made it.
    #[cfg(feature = "serde")]
    fn by(self, recipe: Recipe) -> RigidMotion {
        RigidMotion { recipe: Some(Arc::new(recipe)), ..self }
    }

    /// The constructor that made it; `None` for custom code.
    #[cfg(feature = "serde")]
    pub(super) fn recipe(&self) -> Option<&Recipe> {
        self.recipe.as_deref()
    }

    /// A body at rest.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion};
    /// assert_eq!(RigidMotion::still(Pose::IDENTITY).at(0.7), Pose::IDENTITY);
    /// ```
    #[must_use]
    pub fn still(pose: Pose) -> RigidMotion {
        let made = RigidMotion::of(Swing::still(pose));
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::Still { pose });
        made
    }

    /// The body's origin moves by `displacement` at constant speed while the body rotates about `axis`, a world
    /// direction of any length, by `angle` radians at constant angular velocity. Any number of revolutions.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::NotPositive`] for an axis of zero length.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, std::f64::consts::PI)?;
    /// assert!(motion.at(0.5).transform_point(DVec3::X).abs_diff_eq(DVec3::new(0.5, 1.0, 0.0), 1e-15));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn turning(start: Pose, displacement: DVec3, axis: DVec3, angle: f64) -> Result<RigidMotion, Error> {
        RigidMotion::turning_about(start, DVec3::ZERO, displacement, axis, angle)
    }

    /// As [`RigidMotion::turning`], but the point `centre` of the body, not its origin, moves in a straight line.
    ///
    /// # Errors
    /// As [`RigidMotion::turning`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let door = RigidMotion::turning_about(Pose::IDENTITY, DVec3::X, DVec3::ZERO, DVec3::Z, 1.5)?;
    /// assert!(door.at(0.4).transform_point(DVec3::X).abs_diff_eq(DVec3::X, 1e-15));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn turning_about(
        start: Pose,
        centre: DVec3,
        displacement: DVec3,
        axis: DVec3,
        angle: f64,
    ) -> Result<RigidMotion, Error> {
        check_components("displacement", displacement)?;
        check_components("centre", centre)?;
        check_components("end of the motion", start.translation() + displacement)?;
        let (axis, unit) = unit_axis(axis)?;
        check_components("angle", DVec3::splat(angle))?;
        // The origin circles the centre: (I - R) w with w from the centre to the origin, rotated.
        let arm = start.rotation() * centre;
        let (sine, versine) = (-unit.cross(arm), -unit.cross(unit.cross(arm)));
        let along = vec![(displacement, Course::Linear(1.0))];
        let made = RigidMotion::of(Swing { start, axis, angle: Course::Linear(angle), along, sine, versine });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::Turning { start, centre, displacement, axis, angle });
        Ok(made)
    }

    /// From one pose to another: the origin moves in a straight line at constant speed while the body rotates the
    /// shorter way at constant angular velocity. The end is reached up to rounding; for a rotation by exactly half a
    /// turn the axis is one of two.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let end = Pose::from_axis_angle(DVec3::Y, 2.0, DVec3::new(4.0, 0.0, 0.0))?;
    /// let motion = RigidMotion::between(Pose::IDENTITY, end)?;
    /// assert!(motion.at(1.0).transform_point(DVec3::ONE).abs_diff_eq(end.transform_point(DVec3::ONE), 1e-14));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn between(start: Pose, end: Pose) -> Result<RigidMotion, Error> {
        RigidMotion::between_about(start, end, DVec3::ZERO)
    }

    /// As [`RigidMotion::between`], but the point `centre` of the body, not its origin, moves in a straight line.
    ///
    /// # Errors
    /// As [`RigidMotion::turning`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let open = Pose::from_axis_angle(DVec3::Z, 1.5, DVec3::ZERO)?;
    /// let hinge = DVec3::new(0.0, 0.0, 7.0);
    /// let door = RigidMotion::between_about(Pose::IDENTITY, open, hinge)?;
    /// assert!(door.at(0.3).transform_point(hinge).abs_diff_eq(hinge, 1e-14));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn between_about(start: Pose, end: Pose, centre: DVec3) -> Result<RigidMotion, Error> {
        let (axis, angle) = turn_between(&start, &end);
        let way = end.transform_point(centre) - start.transform_point(centre);
        RigidMotion::turning_about(start, centre, way, axis, angle)
    }

    /// A screw: a rotation by `angle` about the line through `point` along `axis`, both in the world, with a
    /// translation by `advance` along the line.
    ///
    /// # Errors
    /// As [`RigidMotion::turning`].
    ///
    /// See [`RigidMotion`] for an example.
    pub fn screw(start: Pose, point: DVec3, axis: DVec3, angle: f64, advance: f64) -> Result<RigidMotion, Error> {
        check_components("point of the axis", point)?;
        check_components("advance", DVec3::splat(advance))?;
        check_components("angle", DVec3::splat(angle))?;
        let (axis, unit) = unit_axis(axis)?;
        let arm = start.translation() - point;
        let made = RigidMotion::of(Swing {
            start,
            axis,
            angle: Course::Linear(angle),
            along: vec![(unit * advance, Course::Linear(1.0))],
            sine: unit.cross(arm),
            versine: unit.cross(unit.cross(arm)),
        });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::Screw { start, point, axis, angle, advance });
        Ok(made)
    }

    /// The screw from one pose to another (Chasles), the shorter way. The end is reached up to rounding.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let end = Pose::from_axis_angle(DVec3::Z, 1.0, DVec3::new(3.0, 0.0, 2.0))?;
    /// let screw = RigidMotion::screw_between(Pose::IDENTITY, end)?;
    /// assert!(screw.at(1.0).translation().abs_diff_eq(end.translation(), 1e-14));
    /// assert!(screw.at(0.5).translation().abs_diff_eq(Pose::IDENTITY.interpolate(&end, 0.5)?.translation(), 1e-14));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn screw_between(start: Pose, end: Pose) -> Result<RigidMotion, Error> {
        let (axis, angle) = turn_between(&start, &end);
        let way = end.translation() - start.translation();
        if angle == 0.0 {
            return RigidMotion::turning(start, way, axis, angle);
        }
        check_components("end of the motion", way)?;
        // The displacement across the axis is `sine sin w + versine (1 - cos w)` with `versine = axis × sine`. At the
        // end these are the two components of `2 sin(w/2)` times `sine` rotated by w/2, which gives `sine`.
        let along = axis * axis.dot(way);
        let across = way - along;
        let half = 0.5 * angle;
        let sine = DQuat::from_axis_angle(axis, -half) * across / (2.0 * half.sin());
        let made = RigidMotion::of(Swing {
            start,
            axis,
            angle: Course::Linear(angle),
            along: vec![(along, Course::Linear(1.0))],
            sine,
            versine: axis.cross(sine),
        });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::ScrewBetween { start, end });
        Ok(made)
    }

    /// The screw motion with these world velocities: `linear` is that of the body's origin, `angular` in radians, both
    /// per step, constant in the frame of the body.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// // Half a circle of radius 1.
    /// let turn = std::f64::consts::PI;
    /// let motion = RigidMotion::screw_of_velocities(Pose::IDENTITY, DVec3::X * turn, DVec3::Z * turn)?;
    /// assert!(motion.at(1.0).translation().abs_diff_eq(DVec3::new(0.0, 2.0, 0.0), 1e-14));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn screw_of_velocities(start: Pose, linear: DVec3, angular: DVec3) -> Result<RigidMotion, Error> {
        check_components("linear velocity", linear)?;
        check_components("angular velocity", angular)?;
        let angle = angular.length();
        if angle == 0.0 {
            return RigidMotion::turning(start, linear, DVec3::Z, 0.0);
        }
        let axis = angular / angle;
        let along = axis * axis.dot(linear);
        let sine = (linear - along) / angle;
        check_components("radius of the screw", sine)?;
        let made = RigidMotion::of(Swing {
            start,
            axis,
            angle: Course::Linear(angle),
            along: vec![(along, Course::Linear(1.0))],
            sine,
            versine: axis.cross(sine),
        });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::ScrewOfVelocities { start, linear, angular });
        Ok(made)
    }

    /// The body's origin moves by a polynomial, `path[0] t + path[1] t² + ...`, from its start, while the body rotates
    /// about `axis` by `angle[0] t + angle[1] t² + ...` radians.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::NotPositive`] for an axis of zero length.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// // Thrown: up by 4 and down by 5.
    /// let path = [DVec3::new(3.0, 0.0, 4.0), DVec3::new(0.0, 0.0, -5.0)];
    /// let thrown = RigidMotion::polynomial(Pose::IDENTITY, &path, DVec3::X, &[1.0])?;
    /// assert_eq!(thrown.at(1.0).translation(), DVec3::new(3.0, 0.0, -1.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn polynomial(start: Pose, path: &[DVec3], axis: DVec3, angle: &[f64]) -> Result<RigidMotion, Error> {
        for &term in path {
            check_components("term of the path", term)?;
        }
        for &term in angle {
            check_components("term of the angle", DVec3::splat(term))?;
        }
        let (axis, _) = unit_axis(axis)?;
        let power = |k: usize| Course::Polynomial((0..=k).map(|j| f64::from(j == k)).collect());
        let along = path.iter().enumerate().map(|(k, &term)| (term, power(k))).collect();
        let course = Course::Polynomial(angle.into());
        let made = RigidMotion::of(Swing { axis, angle: course, along, ..Swing::still(start) });
        #[cfg(feature = "serde")]
        let made = made.by(Recipe::Polynomial { start, path: path.to_vec(), axis, angle: angle.to_vec() });
        Ok(made)
    }

    /// A custom motion. See [`InBetween`] for an example.
    #[must_use]
    pub fn given(motion: impl InBetween + 'static) -> RigidMotion {
        RigidMotion::of_kind(Kind::Given(Arc::new(motion)))
    }

    /// The same motion at varying speeds: rotated by the fraction `angle(t)` and displaced by `slide(t)` of the whole,
    /// instead of `t`. See [`Profile`] for an example.
    ///
    /// # Errors
    /// [`Error::NotUniform`] unless the motion has constant speeds: neither a polynomial nor a custom motion.
    pub fn with_profiles(
        &self,
        angle: impl Profile + 'static,
        slide: impl Profile + 'static,
    ) -> Result<RigidMotion, Error> {
        let Kind::Swing(swing) = &self.kind else { return Err(Error::NotUniform) };
        let Course::Linear(whole) = swing.angle else { return Err(Error::NotUniform) };
        let slide: Arc<dyn Profile> = Arc::new(slide);
        let along = swing
            .along
            .iter()
            .map(|(direction, course)| match course {
                Course::Linear(share) => Ok((*direction, Course::Given(*share, slide.clone()))),
                _ => Err(Error::NotUniform),
            })
            .collect::<Result<_, _>>()?;
        let angle = Course::Given(whole, Arc::new(angle));
        Ok(RigidMotion::of(Swing { angle, along, ..(**swing).clone() }))
    }

    /// An enclosure of the body's frame throughout a span of time, clipped to `[0, 1]`. See [`MovingFrame`] for an
    /// example.
    #[must_use]
    pub fn frame(&self, time: Interval) -> MovingFrame {
        self.made().frame(within_step(time))
    }

    /// An enclosure of its velocities throughout a span of time, clipped to `[0, 1]`. See [`Twist`] for an example.
    #[must_use]
    pub fn twist(&self, time: Interval) -> Twist {
        self.made().twist(within_step(time))
    }

    /// An enclosure of a point of the body throughout a span of time, clipped to `[0, 1]`. For large rotations the span
    /// is split into pieces in which the body rotates by less than an eighth of pi, so the bound stays close to the
    /// path: for a point that circles once or many times, about a twentieth wider than its circle.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 100.0)?;
    /// let round = motion.point_bounds(Interval::new(0.0, 1.0), DVec3::X * 2.0);
    /// assert!(round.x.contains(-2.0) && round.x.contains(2.0) && round.x.width() < 4.24);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn point_bounds(&self, time: Interval, point: DVec3) -> IntervalVec3 {
        let time = within_step(time);
        let count = self.pieces(time);
        let end =
            |k: u32| if k == count { time.hi() } else { time.lo() + time.width() * (f64::from(k) / f64::from(count)) };
        let bounds = (0..count).map(|k| self.place_in(Interval::new(end(k), end(k + 1).min(time.hi())), point));
        bounds.reduce(IntervalVec3::hull).unwrap_or_else(|| self.place_in(time, point))
    }

    /// The number of equal pieces to split a span into, so that the body rotates little in each.
    pub(crate) fn pieces(&self, time: Interval) -> u32 {
        let turn = self.twist(time).angular.norm().hi() * time.width();
        // For a NaN or infinite angle, the most.
        if turn < RIGID_PIECES * RIGID_PIECE_ANGLE {
            ((turn / RIGID_PIECE_ANGLE).ceil() as u32).max(1)
        } else {
            RIGID_PIECES as u32
        }
    }

    /// An enclosure of a point throughout a short span: the intersection of the one by the frame and the one by the
    /// mean value theorem, from the midpoint and the velocities; the latter is of second order in the length where the
    /// path reverses.
    fn place_in(&self, time: Interval, point: DVec3) -> IntervalVec3 {
        let (frame, twist) = (self.frame(time), self.twist(time));
        let plain = frame.place(point);
        let middle = Interval::point(time.midpoint());
        let velocity = twist.linear + twist.angular.cross(frame.rotation * IntervalVec3::from(point));
        let mean = self.frame(middle).place(point) + velocity.scale(time - middle);
        let both = |p: Interval, q: Interval| p.intersection(q).unwrap_or(p);
        IntervalVec3::new(both(plain.x, mean.x), both(plain.y, mean.y), both(plain.z, mean.z))
    }

    /// The enclosure of the body's origin throughout a span of time: that of [`RigidMotion::frame`], without the
    /// rotation.
    pub(crate) fn origin(&self, time: Interval) -> IntervalVec3 {
        let time = within_step(time);
        match &self.kind {
            Kind::Swing(swing) => swing.origin(time, swing.angle.value(time)),
            Kind::Given(given) => given.frame(time).translation,
        }
    }

    /// The constant pose of a body at rest.
    pub(crate) fn resting(&self) -> Option<Pose> {
        match &self.kind {
            Kind::Swing(swing) if swing.along.is_empty() && matches!(swing.angle, Course::Linear(0.0)) => {
                Some(swing.start)
            }
            _ => None,
        }
    }

    /// A bound on the rigidity defect of its frames: that of the start pose, or the accepted maximum for a custom
    /// motion.
    pub(crate) fn frame_defect(&self) -> f64 {
        match &self.kind {
            Kind::Swing(swing) => swing.start.defect(),
            Kind::Given(_) => MAX_RIGIDITY_DEFECT,
        }
    }

    fn made(&self) -> &dyn InBetween {
        match &self.kind {
            Kind::Swing(swing) => &**swing,
            Kind::Given(given) => &**given,
        }
    }

    /// The pose at a time, rounded. Times are clamped to the step.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::X, DVec3::Z, 1.0)?;
    /// assert_eq!(motion.at(0.0), Pose::IDENTITY);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f64) -> Pose {
        self.placed(t).pose
    }

    /// The pose at a time, with bounds on its rounding errors.
    pub(crate) fn placed(&self, t: f64) -> PlacedAt {
        if let Some(pose) = self.resting() {
            return PlacedAt { pose, turned_off: 0.0, moved_off: 0.0 };
        }
        let frame = self.frame(Interval::point(if t > 0.0 { t.min(1.0) } else { 0.0 }));
        let [x, y, z] = frame.rotation.rows;
        let rotation = DMat3::from_cols(x.midpoint(), y.midpoint(), z.midpoint()).transpose();
        let off = |v: IntervalVec3| DVec3::new(v.x.width(), v.y.width(), v.z.width()).length_squared();
        PlacedAt {
            pose: Pose::composed(rotation, frame.translation.midpoint()),
            // The midpoint is within a full width of everything, whatever its own rounding.
            turned_off: (off(x) + off(y) + off(z)).sqrt() * ROUND_UP,
            moved_off: off(frame.translation).sqrt() * ROUND_UP,
        }
    }
}

/// A rounded pose of a moving body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedAt {
    pub pose: Pose,
    /// A bound on the norm of the rotation's error.
    pub turned_off: f64,
    /// A bound on the translation's error.
    pub moved_off: f64,
}

impl PlacedAt {
    /// A bound on the error of any point within `radius` of the body's origin.
    #[must_use]
    pub fn bound(&self, radius: f64) -> f64 {
        (self.turned_off * radius + self.moved_off) * ROUND_UP
    }
}

fn within_step(time: Interval) -> Interval {
    time.intersection(Interval::new(0.0, 1.0)).unwrap_or(if time.hi() < 0.0 { Interval::ZERO } else { Interval::ONE })
}

/// An axis as stored, and normalised. One whose squares would underflow is scaled by a power of two, which is exact.
fn unit_axis(axis: DVec3) -> Result<(DVec3, DVec3), Error> {
    check_components("axis", axis)?;
    let given = axis.abs().max_element();
    if given == 0.0 {
        return Err(Error::NotPositive { what: "length of the axis", value: given });
    }
    let axis = if given < SMALLEST_DIRECTION { axis * unit_scale(given) } else { axis };
    Ok((axis, (axis / axis.abs().max_element()).normalize()))
}

/// The unit axis and the angle, from 0 to pi, of the rotation from one pose to another.
fn turn_between(start: &Pose, end: &Pose) -> (DVec3, f64) {
    if start.rotation() == end.rotation() {
        return (DVec3::Z, 0.0);
    }
    let turn = DQuat::from_mat3(&(end.rotation() * start.inverse_rotation())).normalize();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let imaginary = DVec3::new(turn.x, turn.y, turn.z);
    let sine = imaginary.length();
    if sine < 1e-150 { (DVec3::Z, 0.0) } else { (imaginary / sine, 2.0 * sine.atan2(turn.w)) }
}
