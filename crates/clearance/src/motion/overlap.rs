//! Continuous overlap tests: whether bounding volumes attached to two moving bodies stay separated throughout a span of
//! time.
//!
//! Redon, *Continuous collision detection for rigid and articulated bodies* (2004), section 5: the tests of resting
//! spheres, axis-aligned boxes and oriented boxes, done on enclosures of both frames over the span. `true` is proved,
//! `false` is inconclusive. Everything is rounded outward.
//!
//! Departures. Poses are user input, so axes are orthonormal only to within [`OVERLAP_DEFECT`]; where the test of
//! oriented boxes assumes orthonormal axes, as the notes do for tight bounds, that much is subtracted. Products of two
//! axes of one box are taken as known, not enclosed, and the cross products of edges are written in the frame of the
//! first box (Gottschalk, Lin and Manocha 1996), so that each of the nine needs only two entries of the matrix between
//! the boxes.

use crate::math::tolerances::OVERLAP_DEFECT;
use glam::DVec3;

use super::rigid_motion::MovingFrame;
use crate::bound::Aabb;
use crate::math::interval::{Interval, IntervalVec3};

impl MovingFrame {
    /// The world-space bounding box of a ball attached to the body, over the whole span.
    ///
    /// ```
    /// use clearance::{Motion, Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// let motion: RigidMotion = Motion::translation(Pose::IDENTITY, DVec3::X * 4.0)?.into();
    /// let bounds = motion.frame(Interval::new(0.5, 1.0)).bounds_of_ball(DVec3::ZERO, 1.0);
    /// assert_eq!((bounds.min, bounds.max), (DVec3::new(1.0, -1.0, -1.0), DVec3::new(5.0, 1.0, 1.0)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn bounds_of_ball(&self, centre: DVec3, radius: f64) -> Aabb {
        let ball = Interval::new(-radius, radius);
        aabb(self.place(centre) + IntervalVec3::new(ball, ball, ball))
    }

    /// The world-space bounding box of the hull of points attached to the body, over the whole span. [`Aabb::EMPTY`]
    /// for no points.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// let motion = RigidMotion::turning(Pose::IDENTITY, DVec3::ZERO, DVec3::Z, 1.5)?;
    /// let bounds = motion.frame(Interval::new(0.0, 0.1)).bounds_of_points(&[DVec3::X, -DVec3::X]);
    /// // A bounding sphere of both points is as high as it is long.
    /// assert!(bounds.contains(motion.at(0.1).transform_point(DVec3::X)) && bounds.max.y < 0.16);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn bounds_of_points(&self, points: &[DVec3]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |bounds, &point| {
            let place = aabb(self.place(point));
            bounds.including(place.min).including(place.max)
        })
    }

    /// Whether two balls, one attached to this body and one to another, stay farther apart than a margin throughout the
    /// span, which must be that of both frames. Each ball is its centre, in the frame of its body, and its radius.
    /// `true` is proved, `false` is inconclusive.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// let still = RigidMotion::still(Pose::IDENTITY).frame(Interval::new(0.0, 1.0));
    /// let motion = RigidMotion::turning(Pose::from_translation(DVec3::Y * 3.0)?, DVec3::X, DVec3::Z, 1.0)?;
    /// let frame = motion.frame(Interval::new(0.0, 1.0));
    /// let ball = (DVec3::ZERO, 1.0);
    /// assert!(frame.keeps_balls_apart(ball, &still, ball, 0.9));
    /// assert!(!frame.keeps_balls_apart(ball, &still, ball, 1.1));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn keeps_balls_apart(
        &self,
        ball: (DVec3, f64),
        other: &MovingFrame,
        of_other: (DVec3, f64),
        margin: f64,
    ) -> bool {
        let between = other.place(of_other.0) - self.place(ball.0);
        let length = |length: f64| Interval::point(if length < 0.0 { 0.0 } else { length });
        let reach = length(ball.1) + length(of_other.1) + length(margin);
        between.norm_squared().lo() > reach.square().hi()
    }

    /// Whether two boxes, each aligned with the axes of its own body and attached to it, stay farther apart than a
    /// margin throughout the span, which must be that of both frames: by the fifteen axes of the separating axis test.
    /// `true` is proved, `false` is inconclusive.
    ///
    /// ```
    /// use clearance::{Pose, RigidMotion, glam::DVec3};
    /// use clearance::math::Interval;
    /// use clearance::shape::Aabb;
    /// // A long bar rotates slightly beside another.
    /// let (bar, span) = (Aabb::new(DVec3::new(-9.0, -0.1, -0.1), DVec3::new(9.0, 0.1, 0.1)), Interval::new(0.0, 1.0));
    /// let still = RigidMotion::still(Pose::IDENTITY).frame(span);
    /// let motion = RigidMotion::turning(Pose::from_translation(DVec3::Y)?, DVec3::ZERO, DVec3::Z, 0.05)?;
    /// assert!(motion.frame(span).keeps_boxes_apart(&bar, &still, &bar, 0.1));
    /// assert!(!motion.frame(span).keeps_boxes_apart(&bar, &still, &bar, 0.5));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn keeps_boxes_apart(&self, bounds: &Aabb, other: &MovingFrame, of_other: &Aabb, margin: f64) -> bool {
        let (a, b, boxes, margin) = (self, other, [bounds, of_other], if margin < 0.0 { 0.0 } else { margin });
        let middles = boxes.map(Aabb::center);
        // The centre is rounded: the half-extents reach from there to both corners.
        let halves = [0, 1].map(|side| {
            let (low, high) = (IntervalVec3::from(boxes[side].min), IntervalVec3::from(boxes[side].max));
            let middle = IntervalVec3::from(middles[side]);
            let (up, down) = (high - middle, middle - low);
            [(up.x, down.x), (up.y, down.y), (up.z, down.z)].map(|(up, down)| up.hi().max(down.hi()))
        });
        if !halves.iter().flatten().all(|&half| half >= 0.0 && half.is_finite()) {
            return false;
        }
        let (axes_a, axes_b) = (a.rotation.transpose().rows, b.rotation.transpose().rows);
        let between = b.place(middles[1]) - a.place(middles[0]);
        let along_a = axes_a.map(|axis| axis.dot(between));
        // Axes i of A and j of B: a cosine, which the enclosure of the product does not use.
        let cosine = Interval::new(-1.0 - OVERLAP_DEFECT, 1.0 + OVERLAP_DEFECT);
        let m = axes_a.map(|axis_a| axes_b.map(|axis_b| axis_a.dot(axis_b).intersection(cosine).unwrap_or(cosine)));
        let exact = Interval::point;
        let sum = |terms: [Interval; 3]| terms[0] + terms[1] + terms[2];
        let size = halves.iter().flatten().sum::<f64>() + between.norm().hi() + margin;
        // Each axis is no longer than 1 plus the defect.
        let slack = exact(OVERLAP_DEFECT) * exact(size * 2.0) + exact(margin);
        let separates = |along: Interval, spread: Interval| along.mignitude() > (spread + slack).hi();
        for i in 0..3 {
            let of_b = sum([0, 1, 2].map(|j| exact(halves[1][j]) * m[i][j].abs()));
            if separates(along_a[i], exact(halves[0][i]) + of_b) {
                return true;
            }
            let of_a = sum([0, 1, 2].map(|j| exact(halves[0][j]) * m[j][i].abs()));
            if separates(axes_b[i].dot(between), exact(halves[1][i]) + of_a) {
                return true;
            }
        }
        (0..9).any(|k| {
            let (i, j) = (k / 3, k % 3);
            let ((i1, i2), (j1, j2)) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3));
            let along = along_a[i2] * m[i1][j] - along_a[i1] * m[i2][j];
            let of_a = exact(halves[0][i1]) * m[i2][j].abs() + exact(halves[0][i2]) * m[i1][j].abs();
            let of_b = exact(halves[1][j1]) * m[i][j2].abs() + exact(halves[1][j2]) * m[i][j1].abs();
            separates(along, of_a + of_b)
        })
    }
}

/// A vector of intervals is a box.
fn aabb(place: IntervalVec3) -> Aabb {
    Aabb::new(
        DVec3::new(place.x.lo(), place.y.lo(), place.z.lo()),
        DVec3::new(place.x.hi(), place.y.hi(), place.z.hi()),
    )
}
