//! Clearance: the signed gap between two bodies, with a proof around every number.

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
    PairCache, Ray, Workspace, closest_point, contacts, contains, distance, intersects, least_clearance,
    overlap_volume, penetration, ray_cast, relation, rigid_impact, self_collisions, signed_distance, solid_depth,
    step_collisions, time_of_impact,
};
pub use shape::{Mesh, Shape};
pub use world::World;

/// The example of the README, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;
