//! The frame of one tree of bounds in that of another.

use glam::{DMat3, DVec3};

use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{BOUND_DEFECT, BOUND_SLACK, MATRIX_DEFECT, ROUND_UP, SECOND_ORDER};

/// B's frame in A's, with the slack by which every gap between two bounds is reduced.
///
/// The slack covers at once, in the frame of A, what the tests of bounds leave out: how far placed points may lie from
/// where the map puts them, the roundings of the tests, and the map's departure from a rotation.
#[derive(Clone, Copy, Debug)]
pub struct RelativePose {
    /// From directions of B to directions of A.
    pub(crate) rotation: DMat3,
    /// The absolute values of `rotation`.
    pub(crate) absolute: DMat3,
    /// From the origin of A to that of B, in the frame of A.
    pub(crate) translation: DVec3,
    /// Both reaches and the length of `translation`, rounded up.
    pub(crate) size: f64,
    /// See [`RelativePose::slack`].
    pub(crate) slack: f64,
}

impl RelativePose {
    /// The pose of B's frame in A's, for bounds that reach at most so far from the origins of their frames (see
    /// [`Bound::reach`](super::Bound::reach)).
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3, index::RelativePose};
    /// let pose = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
    /// let relative = RelativePose::new(&Pose::IDENTITY, &pose, 1.0, 1.0);
    /// assert!(relative.slack() > 0.0 && relative.slack() < 1e-12);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn new(pose_a: &Pose, pose_b: &Pose, reach_a: f64, reach_b: f64) -> RelativePose {
        RelativePose::of_placement(&Placement::new(pose_a, DVec3::ZERO, pose_b, DVec3::ZERO), reach_a, reach_b)
    }

    /// The same from the map of a pair of bodies, whose bounds are relative to their local origins.
    pub(crate) fn of_placement(placement: &Placement, reach_a: f64, reach_b: f64) -> RelativePose {
        let m = placement.rotation;
        let absolute = DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs());
        let size = (reach_a + reach_b + placement.separation) * ROUND_UP;
        let rounding = (BOUND_SLACK + BOUND_DEFECT * defect(&m)) * size;
        let slack = (rounding + placement.bound(reach_b)) * SECOND_ORDER + f64::MIN_POSITIVE;
        RelativePose { rotation: m, absolute, translation: placement.translation, size, slack }
    }

    /// By how much every gap between two bounds is reduced, in the unit of A's frame.
    #[must_use]
    pub fn slack(&self) -> f64 {
        self.slack
    }
}

/// A bound on the norm of `MᵀM - I`.
fn defect(m: &DMat3) -> f64 {
    if *m == DMat3::IDENTITY {
        return 0.0;
    }
    let off = [m.x_axis.dot(m.y_axis), m.y_axis.dot(m.z_axis), m.z_axis.dot(m.x_axis)];
    let on = [m.x_axis.length_squared() - 1.0, m.y_axis.length_squared() - 1.0, m.z_axis.length_squared() - 1.0];
    let squares: f64 = (0..3).map(|k| on[k] * on[k] + 2.0 * off[k] * off[k]).sum();
    squares.sqrt() * ROUND_UP + MATRIX_DEFECT
}
