//! Bodies on the move: how they go from one pose to another, and the search for the first time they touch.
//!
//! `path` is the motion of one body. `advance` walks to the first contact of two by planes that separate them,
//! `halve` and `brent` are other ways to come near it; all three see the bodies only through a function that
//! reads the gap at one time, so they serve every kind of body. `closed` has formulas for a ball against round bodies,
//! boxes and half-spaces. `elementary` has the elementary tests of deforming meshes: a vertex and a face, or two edges, whose
//! corners move on straight lines. `rigid_motion` has the motions that turn,
//! `overlap` whether balls and boxes about them stay apart throughout a span of time.

pub(crate) mod advance;
pub(crate) mod brent;
pub(crate) mod elementary;
pub(crate) mod halve;
pub(crate) mod overlap;
pub(crate) mod path;
#[cfg(feature = "serde")]
mod recipe;
pub(crate) mod relative;
pub(crate) mod rigid_motion;
pub(crate) mod sphere_cast;

pub use path::Motion;
pub use rigid_motion::{InBetween, MovingFrame, Profile, RigidMotion, Twist};
