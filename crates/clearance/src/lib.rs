//! Collision detection and proximity queries with a proof around every number.
//!
//! *Clearance* is the signed gap between two bodies: positive when they are apart, zero when they touch, negative when
//! they overlap. This crate answers every question about it for convex bodies, meshes, compounds, height fields and
//! deforming meshes, at rest and in continuous motion. Every number is a [`Bracket`] that holds the truth, every answer
//! has a witness, and `verify` proves it again by code that shares no search with the question.
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
//! # Which function for which need
//!
//! | You want to know | Ask | You get |
//! |---|---|---|
//! | do they touch? | [`intersects`] | a bool, exact, boundary included |
//! | apart, touching or overlapping? | [`relation`] | [`Relation`]; touching where the bracket holds zero |
//! | how far apart, and where? | [`distance`] | [`answer::Distance`] |
//! | how far to move one so that they separate? | [`penetration`], [`solid_depth`] | [`answer::Penetration`], [`answer::SolidDepth`] |
//! | how far does one surface reach into the other? | [`local_depth`] | [`answer::LocalDepth`] |
//! | how much do they overlap? | [`overlap_volume`] | [`answer::Volume`] |
//! | where do they touch? | [`contacts`], [`query::contact_curves`] | [`answer::Contacts`], curves of meshes |
//! | when do they first touch? | [`time_of_impact`], [`rigid_impact`](rigid_impact()) | an impact, or [`answer::NoImpact`] with its proof |
//! | how close do they come on the way? | [`least_clearance`](least_clearance()) | [`answer::LeastClearance`] |
//! | what does this ray hit? | [`ray_cast`], [`query::ray_cast_all`] | [`answer::RayHit`], or [`answer::NoHit`] with its proof |
//! | nearest point; inside or outside? | [`closest_point`], [`signed_distance`], [`contains`] | brackets; exact sides |
//! | does a deforming mesh hit itself, or another? | [`self_collisions`], [`step_collisions`] | [`answer::StepCollisions`] |
//! | which of many bodies are near? | [`World`] | events of each step |
//! | is this mesh sound; can it be made a solid? | [`Mesh::health`], [`query::self_intersections`], [`Mesh::repaired`] | reports by element |
//!
//! Arguments are `(a, pose_a, b, pose_b)`; a [`Pose`] maps a body to the world; normals are unit and point from A
//! towards B. The plain forms are at the root. Every question has a form with options, a cache and a workspace
//! (`distance_with`), and most have one for many at once on all cores (`distance_batch`): all are in [`query`].
//!
//! # Guarantees
//!
//! - **Truth.** `lower <= truth <= upper` for the real-number bodies `R v + t`, with the pose exactly as given. Apart, a
//!   bracket is at most 1e-12 of the size of the pair wide; polyhedra in each other, 1e-9. A wider one says why.
//! - **Exact contact.** Where rounding leaves a sign open, integers of any size decide it.
//! - **Determinism.** Same input, same bits: at any number of threads, on every instruction set, and with A and B
//!   exchanged.
//! - **No surprises.** A query on valid bodies does not panic, yields no NaN and ends. What is wrong with the input is
//!   found when a body or pose is made, and the [`Error`] names the element. Nothing is repaired unless asked.
//! - **No allocation** per query once its [`Workspace`] is warm, except where exact arithmetic decides.
//!
//! # Modules
//!
//! | Module | Holds |
//! |---|---|
//! | [`shape`] | bodies: [`Shape`] and its kinds, [`Mesh`], height fields, features |
//! | [`query`] | every question with its options and batches; [`Ray`], [`Workspace`] |
//! | [`answer`] | what questions return |
//! | [`verify`] | why an answer is refused |
//! | [`motion`] | how bodies move: [`Motion`], [`RigidMotion`], motions of one's own |
//! | [`world`] | many bodies: [`World`], first contacts, schedules |
//! | [`math`] | [`Bracket`], [`Pose`], intervals, exact predicates |
//! | [`parallel`], [`cancel`] | work split over cores, and stopping it |
//!
//! # Features
//!
//! - `parallel` (default): trees are built and batches answered on all cores.
//! - `serde`: bodies, poses, motions, options and answers are written and read, to the bit; what is invalid is refused.
//! - `mint`, `nalgebra`: poses from and to the types of these crates.
//!
//! # Vectors, and other crates
//!
//! Vectors are those of [`glam`] in double precision, re-exported as `clearance::glam` so that versions agree. A new
//! minor version of glam, which breaks its interface, comes only with a version of this crate that breaks its own: a new
//! minor one before 1.0, a major one after. Points also come as `[f64; 3]`, which depends on no version:
//!
//! ```
//! use clearance::{Mesh, Pose, glam::{DVec3, Quat, Vec3}};
//! // From single precision: every f32 is an f64, so nothing is lost.
//! let points: Vec<[f32; 3]> = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mesh = Mesh::new(&points.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>(), &[[0, 1, 2]])?;
//! let (turn, place) = (Quat::from_rotation_z(1.0), Vec3::new(1.0, 2.0, 3.0));
//! // Normalise again: a unit quaternion of single precision is none of double.
//! let pose = Pose::from_quat(turn.as_dquat().normalize(), place.as_dvec3())?;
//! assert_eq!((mesh.triangle_count(), pose.translation()), (1, DVec3::new(1.0, 2.0, 3.0)));
//! # Ok::<(), clearance::Error>(())
//! ```
//!
//! Other vector crates: as arrays, or by the features `mint` and `nalgebra`.

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

/// Those of the guide and of the chapter about repairs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/answers.md")]
#[doc = include_str!("../../../docs/repair.md")]
struct GuideExamples;

/// The examples of the page about the features for other libraries, so that they are tested.
#[cfg(all(doctest, feature = "serde", feature = "mint", feature = "nalgebra"))]
#[doc = include_str!("../../../docs/interop.md")]
struct InteropExamples;
