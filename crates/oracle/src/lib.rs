//! The oracle: exact answers about small convex bodies, and deterministic generators of test pairs.
//!
//! The engine proves brackets in floating point. This crate computes the truth, by code that shares nothing with the
//! engine: integers of any size, brute force over all features, no tolerance anywhere. It is deliberately slow and
//! simple, for use in tests and in the lab.
//!
//! - [`rational`]: exact rationals, 3-vectors, decimal strings in and out; [`surd`]: `offset +- sqrt(squared)`, the
//!   form of every signed distance, with exact comparison and rigorous rounding.
//! - [`body`]: a body is the convex hull of a few points, placed by `R v + t`, grown by a radius.
//! - [`convex`]: the exact signed distance of two bodies.
//! - [`MeshJudge`]: intersecting triangles and distance of two meshes of any size, by a binary tree over exact tests.
//! - [`mod@corner_touch`]: small polyhedra that touch corner to corner or edge to edge, or contain each other.
//! - [`generate`]: seeded random and adversarial pairs, listed by [`generate::Scenario`].
//! - [`volume`]: the intersection of two solids; [`lists`]: solids as lists of points and triangles.
//! - [`moving`]: when a moving vertex and a face, or two edges, first touch; [`moving_pairs`]: hard cases of these.
//! - [`tangent`]: pairs whose signed distance is known by construction.
//! - [`shape`]: convex bodies of every kind, including curved ones; [`mod@tangent_shapes`]: pairs of any two kinds with
//!   a proved enclosure of their signed distance, accurate to the last places of a double; [`revolution`]: points
//!   against cylinders and cones.
//!
//! ```
//! use clearance_oracle::{OracleBody, signed_distance};
//! use std::cmp::Ordering;
//!
//! let a = OracleBody::cuboid([0.5, 0.5, 0.5]);
//! let b = OracleBody::sphere(0.25).translated([2.0, 0.0, 0.0]);
//! let truth = signed_distance(&a, &b);
//! assert_eq!(truth.compare(1.25), Ordering::Equal);
//! assert_eq!(truth.enclosure(), (1.25, 1.25));
//! ```
#![forbid(unsafe_code)]

pub mod body;
pub mod convex;
pub mod corner_touch;
mod gcd;
pub mod generate;
pub mod lists;
mod mesh;
pub mod moving;
pub mod moving_pairs;
pub mod random;
pub mod rational;
mod real;
pub mod revolution;
pub mod shape;
mod site;
mod skeleton;
pub mod surd;
pub mod tangent;
pub mod tangent_shapes;
pub mod volume;

pub use body::{OracleBody, Placed};
pub use convex::{Cores, ExactSigned, intersects, signed_distance, signed_distance_placed};
pub use generate::{Scenario, pair};
pub use mesh::MeshJudge;
pub use rational::Rational;
pub use shape::{OraclePose, OracleShape, ShapeKind, separation_along};
pub use surd::Surd;
pub use tangent_shapes::{Gap, Situation, TangentShapes, tangent_shapes};
