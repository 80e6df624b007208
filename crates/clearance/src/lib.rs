//! Clearance: the signed gap between two bodies, with a proof around every number.
//!
//! Positive when they are apart, zero when they touch, negative when they overlap. Every number is a [`Bracket`] that holds
//! the truth, every answer has a witness, and `verify` proves it again by other code.
//!
//! ```
//! use clearance::{Pose, Shape, distance, glam::DVec3};
//!
//! let ball = Shape::sphere(1.0)?;
//! let cube = Shape::cuboid(DVec3::ONE)?;
//! let pose = Pose::from_translation(DVec3::new(5.0, 0.5, 0.0))?;
//! let answer = distance(&cube, &Pose::IDENTITY, &ball, &pose);
//! assert_eq!(answer.gap.value, 3.0);
//! assert!(answer.gap.contains(3.0) && answer.gap.width() < 1e-12);
//! answer.verify(&cube, &Pose::IDENTITY, &ball, &pose).unwrap();
//! # Ok::<(), clearance::Error>(())
//! ```
//!
//! Where to find things:
//!
//! | Module | Holds |
//! |---|---|
//! | [`shape`] | bodies: [`Shape`] and its kinds, [`Mesh`], height fields, features, the topology of triangles |
//! | [`query`] | every question: plain, with options (`_with`), for many at once (`_batch`); options, [`Ray`], [`Workspace`] |
//! | [`answer`] | what questions return |
//! | [`verify`] | why an answer is refused |
//! | [`motion`] | how bodies move: [`Motion`], [`RigidMotion`], motions of one's own |
//! | [`world`] | many bodies: [`World`], first contacts, schedules |
//! | [`math`] | [`Bracket`], [`Pose`], intervals, exact predicates |
//! | [`parallel`], [`cancel`] | work split over cores, and stopping it |
//!
//! The plain form of the most common questions is at the root: [`distance`], [`intersects`], [`relation`],
//! [`penetration`], [`contacts`], [`overlap_volume`], [`local_depth`], [`solid_depth`], [`closest_point`], [`signed_distance`],
//! [`contains`], [`ray_cast`], [`time_of_impact`], [`rigid_impact`](rigid_impact()),
//! [`least_clearance`](least_clearance()), [`step_collisions`], [`self_collisions`].
//!
//! # Features
//!
//! - `parallel` (default): trees are built and batches answered on all cores.
//! - `serde`: bodies, poses, motions, options and answers are written and read, to the bit; what is invalid is refused.
//! - `mint`, `nalgebra`: poses from and to the types of these crates.
//!
//! # Vectors
//!
//! Vectors are those of [`glam`], which is re-exported: name it as `clearance::glam`, and versions agree. A new minor
//! version of glam, which breaks its interface, comes only with a version of this crate that breaks its own: a new minor
//! one before 1.0, a major one after. Points also come as `[f64; 3]`, which depends on no version.

pub mod answer;
mod bound;
mod compound;
mod convex;
mod deform;
mod depth;
mod error;
mod geom;
mod impact;
pub mod math;
mod mesh;
pub mod motion;
mod pair;
pub mod parallel;
pub mod query;
mod ray;
pub mod shape;
mod tree;
pub mod verify;
pub mod world;

pub use answer::Relation;
pub use deform::DeformingMesh;
pub use error::{Error, QueryError};
pub use glam;
pub use math::{Bracket, Pose, cancel};
pub use motion::{Motion, RigidMotion};
pub use query::{
    PairCache, Ray, Workspace, closest_point, contacts, contains, distance, intersects, least_clearance, local_depth,
    overlap_volume, penetration, ray_cast, relation, rigid_impact, self_collisions, signed_distance, solid_depth,
    step_collisions, time_of_impact,
};
pub use shape::{Mesh, Shape};
pub use world::World;

/// The example of the README, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;

/// The examples of the page about the features for other libraries, so that they are tested.
#[cfg(all(doctest, feature = "serde", feature = "mint", feature = "nalgebra"))]
#[doc = include_str!("../../../docs/interop.md")]
struct InteropExamples;
