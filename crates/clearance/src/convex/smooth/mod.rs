//! The signed gap of two cores of which at least one is curved: cylinders, cones, ellipsoids, bodies of a user's making.
//!
//! Support points of a curved core are not finitely many vertices, so GJK approaches the closest points but does not
//! arrive. It is used to come near; then both cores are replaced by the pieces of surface that the closest points lie on
//! ([`patch`](super::patch)), and Newton's method finishes. What comes out is proved like everything else:
//! - the gap is at least the distance of the supporting planes across a direction, for any direction;
//! - it is at most the distance of two points of the cores, for any two points;
//! - where the cores overlap, the depth is at least that of a point of one core inside the other, for any such point.
//!
//! Directions, points and pieces may be as wrong as they like; the bracket is then wide, and the approach goes on.
//!
//! [`sampled`] has the support points, [`approach`] the walk and what ends it, [`custom`] what is left to do for bodies
//! of a user's making, of which no pieces are known. [`bracket`] is what all of them prove, [`depth`] how deep a point
//! lies.

mod approach;
mod bracket;
mod custom;
mod depth;
mod sampled;

pub(crate) use approach::signed_gap;
pub(crate) use bracket::SignedGap;
pub(crate) use sampled::Sampled;
