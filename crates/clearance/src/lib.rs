//! Clearance: the signed gap between two bodies, with a proof around every number.

mod answer;
pub mod bound;
mod compound;
mod convex;
mod deform;
mod depth;
mod error;
pub mod geom;
mod impact;
pub mod math;
mod mesh;
mod motion;
mod pair;
pub mod parallel;
mod query;
mod ray;
mod shape;
mod tree;
mod verify;
mod world;

pub use answer::elementary::{ElementaryCounts, ElementaryImpact, ElementaryKind, ElementaryPair};
pub use answer::step::{NearPair, StepCounts, StepImpact, Wanted};
pub use answer::witness::{Witness, WitnessPoint};
pub use bound::Aabb;
pub use deform::DeformingMesh;
pub use error::Error;
pub use glam;
pub use math::bracket::Bracket;
pub use math::cancel::{Cancel, Cancelled, Carried, checkpoint};
pub use math::pose::Pose;
pub use mesh::curves::ContactCurve;
pub use mesh::health::MeshHealth;
pub use mesh::self_intersections::{SelfIntersection, SelfIntersectionKind, self_intersections};
pub use motion::{
    ElementaryOptions, ElementarySolver, InBetween, Motion, MovingFrame, Profile, RigidMotion, Twist,
    elementary_impact, elementary_impact_batch,
};
pub use query::{
    Answer, Clearance, ClosestPoint, Contact, ContactPairs, Contacts, ContactsOptions, Crossing, DepthAlong, DepthCube,
    DepthLabel, DepthLevel, DepthProof, DepthSearch, Distance, DistanceOptions, Evidence, Impact, ImpactAlgorithm,
    ImpactOptions, IntersectsAlgorithm, IntersectsOptions, LeastClearance, LeastClearanceOptions, Method, NoImpact,
    PairCache, Penetration, PenetrationOptions, PlaneSide, Ray, RayHit, RayOptions, Refusal, Relation, RelationOptions,
    RelationProof, RigidAlgorithm, RigidImpact, RigidOptions, SignedDistance, SolidDepth, SolidDepthOptions,
    StepCollisions, StepOptions, Stopped, SubAlgorithm, SweepAlgorithm, SweepOptions, Volume, Which, Workspace,
    clearance_along, closest_point, closest_point_batch, contact_curves, contacts, contacts_with, contains,
    contains_batch, depth_along, distance, distance_with, intersects, intersects_with, least_clearance,
    least_clearance_with, overlap_volume, overlap_volume_with, penetration, penetration_with, proximity, ray_cast,
    ray_cast_all, ray_cast_batch, ray_cast_moving, ray_cast_with, relation, relation_with, rigid_impact,
    rigid_impact_with, self_collisions, self_collisions_with, self_proximity, signed_distance, signed_distance_batch,
    solid_depth, step_collisions, step_collisions_with, sweeps_meet, sweeps_meet_with, time_of_impact,
    time_of_impact_with,
};
pub use shape::{
    Capsule, Compound, Cone, ConvexHull, Cuboid, Custom, Cylinder, Ellipsoid, Feature, HalfSpace, HeightField,
    HeightSample, MassProperties, Mesh, Rounded, Segment, Shape, Sphere, Support, SurfaceHit, SurfacePoint,
    TerrainDistance, Tetrahedron, TreeStatistics, Triangle, Wheel, WheelContact,
};

pub use world::{
    BodyId, Change, Finding, FirstImpact, Interest, MotionBounds, PairEvent, Question, Schedule, ScheduledContacts,
    World, first_impact, first_impact_with, time_to_contact,
};

/// The example of the README, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;

/// The examples of the page about the features for other libraries, so that they are tested.
#[cfg(all(doctest, feature = "serde", feature = "mint", feature = "nalgebra"))]
#[doc = include_str!("../../../docs/interop.md")]
struct InteropExamples;
