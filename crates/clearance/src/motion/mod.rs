//! Moving bodies: motions from one pose to another, and the search for the first contact.
//!
//! `path` is the translation of one body. `advance` finds the first contact of two by conservative advancement, `halve`
//! and `brent` are other ways to approach it; all three see the bodies only through a function that gives the gap at
//! one time, so they serve every kind of body. `sphere_cast` has formulas for a ball against round bodies, boxes and
//! half-spaces. `elementary` has the elementary tests of deforming meshes: a vertex and a face, or two edges, whose
//! corners move on straight lines. `rigid_motion` has motions with rotation, `overlap` tests whether balls and boxes
//! bounding them stay separated throughout a span of time.

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
