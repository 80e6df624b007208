//! The motion of one body through a step of time.

use glam::DVec3;

use crate::error::{Error, check_components};
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::pose::Pose;

/// How a body moves from the start of a step, time 0, to its end, time 1: a translation at constant speed.
///
/// The true motion is that of the real-number body `R v + p + t d`, without rounding.
///
/// ```
/// use clearance::{Motion, Pose, glam::DVec3};
/// let motion = Motion::translation(Pose::IDENTITY, DVec3::new(4.0, 0.0, 0.0))?;
/// assert_eq!(motion.at(0.25).translation(), DVec3::X);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    start: Pose,
    displacement: DVec3,
}

impl Motion {
    /// A body at rest.
    ///
    /// ```
    /// use clearance::{Motion, Pose};
    /// assert_eq!(Motion::still(Pose::IDENTITY).at(1.0), Pose::IDENTITY);
    /// ```
    #[must_use]
    pub fn still(pose: Pose) -> Motion {
        Motion { start: pose, displacement: DVec3::ZERO }
    }

    /// A body that starts at a pose and moves by a world vector, at constant speed and without rotation.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::TooLarge`], for the displacement or the end position.
    ///
    /// ```
    /// use clearance::{Motion, Pose, glam::DVec3};
    /// assert!(Motion::translation(Pose::IDENTITY, DVec3::new(1.0, 2.0, 3.0)).is_ok());
    /// assert!(Motion::translation(Pose::IDENTITY, DVec3::new(1.0, f64::NAN, 3.0)).is_err());
    /// ```
    pub fn translation(start: Pose, displacement: DVec3) -> Result<Motion, Error> {
        check_components("displacement", displacement)?;
        // Rounding is monotonic, so with both ends in range every pose between them is.
        check_components("end of the motion", start.translation() + displacement)?;
        Ok(Motion { start, displacement })
    }

    /// The pose at time 0.
    #[must_use]
    pub fn start(&self) -> Pose {
        self.start
    }

    /// The displacement from time 0 to time 1, in the world.
    #[must_use]
    pub fn displacement(&self) -> DVec3 {
        self.displacement
    }

    /// The pose at a time, for drawing: rounded, not part of a proof. Times are clamped to the step.
    ///
    /// ```
    /// use clearance::{Motion, Pose, glam::DVec3};
    /// let motion = Motion::translation(Pose::IDENTITY, DVec3::Y)?;
    /// assert_eq!(motion.at(7.0).translation(), DVec3::Y);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f64) -> Pose {
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        self.start.moved_to(self.start.translation() + self.displacement * t)
    }
}

#[cfg(feature = "serde")]
data_form!(
    Motion { start: Pose, displacement: DVec3 },
    |motion| (motion.start, motion.displacement),
    Motion::translation,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_out_of_range_are_rejected() {
        let far = Pose::from_translation(DVec3::new(9e59, 0.0, 0.0)).unwrap();
        assert!(matches!(Motion::translation(far, DVec3::new(2e59, 0.0, 0.0)), Err(Error::TooLarge { .. })));
        assert!(matches!(Motion::translation(far, DVec3::new(f64::NAN, 0.0, 0.0)), Err(Error::NotFinite { .. })));
        assert!(Motion::translation(far, DVec3::new(-1e60, 1.0, 0.0)).is_ok());
    }

    #[test]
    fn times_are_clamped_to_the_step() {
        let motion = Motion::translation(Pose::IDENTITY, DVec3::X).unwrap();
        for (t, x) in [(f64::NAN, 0.0), (-1.0, 0.0), (0.5, 0.5), (f64::INFINITY, 1.0)] {
            assert_eq!(motion.at(t).translation().x, x);
        }
    }
}
