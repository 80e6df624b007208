//! Serialisation of rigid motions (feature `serde`): the constructor that made them, with its arguments.
//!
//! The coefficients of the formula follow from these to the bit, and invalid data is rejected by the constructor.

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::path::Motion;
use super::rigid_motion::RigidMotion;
use crate::error::Error;
use crate::math::numbers;
use crate::math::pose::Pose;

/// A constructor of [`RigidMotion`] with its arguments. Constructors not listed call one of these.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "RigidMotion", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Recipe {
    Still {
        pose: Pose,
    },
    Translation(Motion),
    Turning {
        start: Pose,
        #[serde(default, with = "numbers")]
        centre: DVec3,
        #[serde(with = "numbers")]
        displacement: DVec3,
        #[serde(with = "numbers")]
        axis: DVec3,
        #[serde(with = "numbers")]
        angle: f64,
    },
    Screw {
        start: Pose,
        #[serde(with = "numbers")]
        point: DVec3,
        #[serde(with = "numbers")]
        axis: DVec3,
        #[serde(with = "numbers")]
        angle: f64,
        #[serde(with = "numbers")]
        advance: f64,
    },
    ScrewBetween {
        start: Pose,
        end: Pose,
    },
    ScrewOfVelocities {
        start: Pose,
        #[serde(with = "numbers")]
        linear: DVec3,
        #[serde(with = "numbers")]
        angular: DVec3,
    },
    Polynomial {
        start: Pose,
        #[serde(with = "numbers")]
        path: Vec<DVec3>,
        #[serde(with = "numbers")]
        axis: DVec3,
        #[serde(with = "numbers")]
        angle: Vec<f64>,
    },
}

impl Recipe {
    fn make(self) -> Result<RigidMotion, Error> {
        match self {
            Recipe::Still { pose } => Ok(RigidMotion::still(pose)),
            Recipe::Translation(motion) => Ok(RigidMotion::from(motion)),
            Recipe::Turning { start, centre, displacement, axis, angle } => {
                RigidMotion::turning_about(start, centre, displacement, axis, angle)
            }
            Recipe::Screw { start, point, axis, angle, advance } => {
                RigidMotion::screw(start, point, axis, angle, advance)
            }
            Recipe::ScrewBetween { start, end } => RigidMotion::screw_between(start, end),
            Recipe::ScrewOfVelocities { start, linear, angular } => {
                RigidMotion::screw_of_velocities(start, linear, angular)
            }
            Recipe::Polynomial { start, path, axis, angle } => RigidMotion::polynomial(start, &path, axis, &angle),
        }
    }
}

impl Serialize for RigidMotion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let refused = || {
            serde::ser::Error::custom(
                "a motion of a user's own making, or with profiles, is code and no data: write its parameters, and \
                 make it anew",
            )
        };
        self.recipe().ok_or_else(refused)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RigidMotion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RigidMotion, D::Error> {
        Recipe::deserialize(deserializer)?.make().map_err(serde::de::Error::custom)
    }
}
