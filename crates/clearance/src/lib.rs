//! Collision detection and proximity queries with a proof for every number.
//!
//! *Clearance* is the signed gap between two bodies: positive when they are apart, zero when they touch, negative when
//! they overlap. This crate measures it for convex bodies, meshes, compounds, height fields and deforming meshes, at
//! rest and in continuous motion. Every number is a [`Bracket`] that contains the true value, every answer has a
//! witness, and `verify` proves the answer again with code that shares no search with the query.
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
//! # Which function to use
//!
//! | You want to know | Function | Result |
//! |---|---|---|
//! | do they touch? | [`intersects`] | a bool, exact, boundary included |
//! | apart, touching or overlapping? | [`relation`] | [`Relation`]; touching where the bracket contains zero |
//! | how far apart, and where? | [`distance`] | [`Distance`] |
//! | how far to move one to separate them? | [`penetration`], [`solid_depth`] | [`Penetration`], [`SolidDepth`] |
//! | how far does one surface reach into the other? | [`local_depth`] | [`LocalDepth`] |
//! | how much do they overlap? | [`overlap_volume`] | [`Volume`] |
//! | where do they touch? | [`contacts`], [`query::contact_curves`] | [`Contacts`], curves of meshes |
//! | when do they first touch, translating? | [`time_of_impact`] | [`Impact`], or [`NoImpact`] with its proof |
//! | when do they first touch, rotating? | [`rigid_impact`](rigid_impact()) | [`RigidImpact`], or [`NoImpact`] |
//! | how close do they come during the motion? | [`least_clearance`](least_clearance()) | [`LeastClearance`] |
//! | what does this ray hit? | [`ray_cast`], [`query::ray_cast_all`] | [`RayHit`], or [`NoHit`] with its proof |
//! | nearest point; inside or outside? | [`closest_point`], [`signed_distance`], [`contains`] | brackets; exact signs |
//! | does a deforming mesh hit itself or another? | [`self_collisions`], [`step_collisions`] | [`StepCollisions`] |
//! | where does the surface of a volumetric mesh meet a volume? | [`tet_pairs`], [`tet_self_pairs`] | pairs, exact |
//! | which of many bodies are near? | [`World`] | the events of each step |
//! | is this mesh sound? | [`Mesh::health`], [`query::self_intersections`] | a report by element |
//! | can it be made a solid? | [`Mesh::repaired`] | a mesh and a report by element |
//!
//! Arguments are `(a, pose_a, b, pose_b)`. A [`Pose`] maps a body to the world. Normals are unit vectors and point from
//! A towards B. The plain forms are at the crate root. Every query has a form that takes options, a cache and a
//! workspace (`distance_with`), and most have a batch form that runs on all cores (`distance_batch`); these are in
//! [`query`].
//!
//! [`Distance`]: answer::Distance
//! [`Penetration`]: answer::Penetration
//! [`SolidDepth`]: answer::SolidDepth
//! [`LocalDepth`]: answer::LocalDepth
//! [`Volume`]: answer::Volume
//! [`Contacts`]: answer::Contacts
//! [`Impact`]: answer::Impact
//! [`RigidImpact`]: answer::RigidImpact
//! [`NoImpact`]: answer::NoImpact
//! [`LeastClearance`]: answer::LeastClearance
//! [`RayHit`]: answer::RayHit
//! [`NoHit`]: answer::NoHit
//! [`StepCollisions`]: answer::StepCollisions
//!
//! # Guarantees
//!
//! - **True brackets.** `lower <= truth <= upper` for the real-number bodies `R v + t`, with the pose exactly as given.
//!   For separated bodies a bracket is at most 1e-12 of the size of the pair wide; for overlapping polyhedra, 1e-9. A
//!   wider bracket states the reason.
//! - **Exact contact.** Where rounding leaves a sign open, it is decided in arbitrary-precision integers.
//! - **Determinism.** Same input, same bits: for any number of threads, on every instruction set, and with A and B
//!   swapped.
//! - **No surprises.** A query on valid bodies does not panic, returns no NaN and terminates. Invalid input is rejected
//!   when a body or pose is constructed, and the [`Error`] names the element. Nothing is repaired unless asked.
//! - **No allocation** per query once its [`Workspace`] is warm, except where exact arithmetic decides.
//!
//! # Modules
//!
//! | Module | Contents |
//! |---|---|
//! | [`shape`] | bodies: [`Shape`] and its kinds, [`Mesh`], height fields, features |
//! | [`query`] | every query with its options and batch form; [`Ray`], [`Workspace`] |
//! | [`answer`] | the results of queries |
//! | [`verify`] | why an answer is refused |
//! | [`motion`] | how bodies move: [`Motion`], [`RigidMotion`], custom motions |
//! | [`world`] | many bodies: [`World`], first contacts, schedules |
//! | [`deforming`] | bodies that deform and break: all their triangles that meet |
//! | [`math`] | [`Bracket`], [`Pose`], intervals, exact predicates |
//! | [`parallel`], [`cancel`] | splitting work over cores, and cancelling it |
//!
//! # Features
//!
//! - `parallel` (default): trees are built and batches answered on all cores.
//! - `serde`: bodies, poses, motions, options and answers round-trip to the bit; invalid data is rejected.
//! - `mint`, `nalgebra`: conversions of poses from and to the types of these crates.
//!
//! # Vectors and other crates
//!
//! Vectors are those of [`glam`] in double precision, re-exported as `clearance::glam` so that versions agree. A
//! breaking release of glam is adopted only in a breaking release of this crate: a minor one before 1.0, a major one
//! after. Points are also accepted as `[f64; 3]`, which depends on no version:
//!
//! ```
//! use clearance::{Mesh, Pose, glam::{DVec3, Quat, Vec3}};
//! // From single precision: every f32 is an f64, so nothing is lost.
//! let points: Vec<[f32; 3]> = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mesh = Mesh::new(&points.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>(), &[[0, 1, 2]])?;
//! let (turn, place) = (Quat::from_rotation_z(1.0), Vec3::new(1.0, 2.0, 3.0));
//! // Normalise again: a quaternion normalised in single precision is not a unit quaternion in double.
//! let pose = Pose::from_quat(turn.as_dquat().normalize(), place.as_dvec3())?;
//! assert_eq!((mesh.triangle_count(), pose.translation()), (1, DVec3::new(1.0, 2.0, 3.0)));
//! # Ok::<(), clearance::Error>(())
//! ```
//!
//! Other vector crates: convert to arrays, or use the features `mint` and `nalgebra`.

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

/// Bodies whose triangles deform, break, appear and vanish: [`FaceOctree`](deforming::FaceOctree) keeps nothing of them
/// from one query to the next, [`Scene`](deforming::Scene) keeps a tree of each body and the pairs of bodies that rest.
pub mod deforming {
    pub use crate::deform::DeformingMesh;
    pub use crate::deform::face_octree::{
        BodyFaces, BoxStage, Contained, DividedSpace, Division, FaceBoxTest, FaceOctree, FaceOctreeCounts,
        FaceOctreeOptions, FacePair, RigidFaceOctree,
    };
    pub use crate::deform::scene::{Scene, SceneCounts, ScenePiece};
}

/// Meshes with trees of bounding volumes of the caller's choice: [`Index`](index::Index).
pub mod index {
    pub use crate::bound::{
        Aabb, Bound, ClimbingKdop, Directions, FatRay, Fit, Frustum, Kdop, Lss, Obb, RelativePose, Rss, Slab, Sphere,
        SweptSphere, SweptSpheres, Turned,
    };
    pub use crate::mesh::explain::{Explain, ExplainedLevel, NodeVisits, Visit, VisitOutcome};
    pub use crate::mesh::index::Index;
    pub use crate::tree::binary_build::{Build, IndexOptions};
    pub use crate::tree::box_tree::BoxTree;
    pub use crate::tree::hierarchy::Kind;
    pub use crate::tree::stats::{Count, Stats, VolumeTest};
    pub use crate::tree::traverse_binary::Descend;
}

pub use answer::Relation;
pub use deform::{DeformingMesh, TetMesh};
pub use error::{Error, QueryError};
pub use glam;
pub use math::{Bracket, Pose, cancel};
pub use motion::{Motion, RigidMotion};
pub use query::{
    PairCache, Ray, Workspace, closest_point, contacts, contains, distance, intersects, least_clearance, local_depth,
    overlap_volume, penetration, ray_cast, relation, rigid_impact, self_collisions, signed_distance, solid_depth,
    step_collisions, tet_pairs, tet_self_pairs, time_of_impact,
};
pub use shape::{Mesh, Shape};
pub use world::World;

/// The examples of the README, so that they are tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;

/// The examples of the guide and of the chapters on explained queries and repair, so that they are tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/answers.md")]
#[doc = include_str!("../../../docs/explain.md")]
#[doc = include_str!("../../../docs/repair.md")]
struct GuideExamples;

/// The examples of the page on interoperability features, so that they are tested.
#[cfg(all(doctest, feature = "serde", feature = "mint", feature = "nalgebra"))]
#[doc = include_str!("../../../docs/interop.md")]
struct InteropExamples;
