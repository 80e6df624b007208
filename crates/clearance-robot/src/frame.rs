//! Rigid transforms in plain doubles, as composed by forward kinematics.

use clearance::Pose;
use clearance::glam::{DMat3, DVec3};

/// `point -> rotation * point + translation`. Unlike for a [`Pose`], rigidity is not measured here: that is done once,
/// for the frames that a query needs.
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

    /// First `inner`, then this. Composing with the identity changes no bit.
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

    /// The pose, with its rigidity measured.
    pub fn pose(&self) -> Result<Pose, clearance::Error> {
        Pose::new(self.rotation, self.translation)
    }
}
