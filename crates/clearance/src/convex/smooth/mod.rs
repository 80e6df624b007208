//! The signed gap of two cores, at least one of them curved: cylinders, cones, ellipsoids, user-defined bodies.
//!
//! Support points of a curved core are not finitely many vertices, so GJK approaches the closest points but does not
//! reach them. It is used to get close; then both cores are replaced by the pieces of surface that the closest points
//! lie on ([`patch`](super::patch)), and Newton's method finishes. The result is proved like everything else:
//! - the gap is at least the distance of the supporting planes perpendicular to a direction, for any direction;
//! - it is at most the distance of two points of the cores, for any two points;
//! - where the cores overlap, the depth is at least that of a point of one core inside the other, for any such point.
//!
//! Directions, points and pieces may be arbitrarily wrong; the bracket is then wide, and the approach continues.
//!
//! [`sampled`] has the support points, [`approach`] the iteration and its termination, [`custom`] the extra steps for
//! user-defined bodies, whose pieces are unknown. [`bracket`] has the brackets that all of them prove, [`depth`] the
//! depth of a point.

mod approach;
mod bracket;
mod custom;
mod depth;
mod sampled;

pub(crate) use approach::signed_gap;
pub(crate) use bracket::SignedGap;
pub(crate) use sampled::Sampled;
