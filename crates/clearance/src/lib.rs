//! Clearance: the signed gap between two bodies, with a proof around every number.

pub mod bound;
mod convex;
mod error;
pub mod geom;
pub mod math;
mod query;
mod shape;

pub use bound::Aabb;
pub use error::Error;
pub use glam;
pub use math::pose::Pose;
pub use query::{
    Answer, Distance, DistanceOptions, Evidence, Feature, IntersectsOptions, Method, PairCache, Penetration,
    PenetrationOptions, Refusal, Relation, RelationOptions, RelationProof, Workspace, distance, distance_with,
    intersects, intersects_with, penetration, penetration_with, relation, relation_with, verify,
};
pub use shape::{
    Capsule, Compound, Cone, ConvexHull, Cuboid, Custom, Cylinder, Ellipsoid, HalfSpace, MassProperties, Rounded,
    Segment, Shape, Sphere, Support, Tetrahedron, Triangle,
};

/// The example of the README, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;
