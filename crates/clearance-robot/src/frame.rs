//! Rotations and translations in plain doubles, as forward kinematics composes them.

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};

/// `point -> rotation * point + translation`. Unlike a [`Pose`] its rigidity is not measured: that is done once, for the frames
/// that a query is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub rotation: DMat3,
    pub translation: DVec3,
}

impl Frame {
    pub const IDENTITY: Frame = Frame { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    pub fn of(pose: &Pose) -> Frame {
        Frame { rotation: pose.rotation(), translation: pose.translation() }
    }

    /// First `inner`, then this. The identity on either side changes no bit.
    pub fn then(&self, inner: &Frame) -> Frame {
        if *inner == Frame::IDENTITY {
            return *self;
        }
        if *self == Frame::IDENTITY {
            return *inner;
        }
        Frame { rotation: self.rotation * inner.rotation, translation: self.point(inner.translation) }
    }

    #[inline]
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// With its rigidity measured.
    pub fn pose(&self) -> Result<Pose, clearance::Error> {
        Pose::new(self.rotation, self.translation)
    }
}
