//! What queries return: plain data, one file per query.
//!
//! Every number comes as a [`Bracket`](crate::Bracket) that contains the true value, with a [`Witness`] that attains
//! it, and every answer can be proved again with its `verify` method. The options of a query are in
//! [`query`](crate::query).

pub(crate) mod clearance;
pub(crate) mod contact_curve;
pub(crate) mod contacts;
pub(crate) mod distance;
pub(crate) mod elementary;
pub(crate) mod impact;
pub(crate) mod intersects;
pub(crate) mod least_clearance;
pub(crate) mod local_depth;
pub(crate) mod mesh_health;
pub(crate) mod method;
pub(crate) mod penetration;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod relation;
pub(crate) mod repaired;
pub(crate) mod rigid_impact;
pub(crate) mod self_intersections;
pub(crate) mod solid_depth;
pub(crate) mod step;
pub(crate) mod sweeps;
pub(crate) mod tets;
pub(crate) mod volume;
pub(crate) mod witness;

pub use self::clearance::Clearance;
pub use contact_curve::ContactCurve;
pub use contacts::{Contact, Contacts, Crossing, PlaneSide};
pub use distance::Distance;
pub use elementary::{ElementaryCounts, ElementaryImpact, NoElementaryImpact, TriangleImpact};
pub use impact::{ContactPairs, Impact, NoImpact};
pub use least_clearance::LeastClearance;
pub use local_depth::{DeepestPoint, DepthDirection, LocalDepth, LocalDepthEnd, LocalDepthEstimate};
pub use mesh_health::MeshHealth;
pub use method::{Method, Stopped};
pub use penetration::Penetration;
pub use point::{ClosestPoint, SignedDistance};
pub use ray::{NoHit, RayHit};
pub use relation::{Evidence, Relation, RelationProof};
pub use repaired::{FilledHole, RepairReport, Repaired, Rim};
pub use rigid_impact::RigidImpact;
pub use self_intersections::{SelfIntersection, SelfIntersectionKind};
pub use solid_depth::{DepthAlong, DepthCube, DepthLabel, DepthLevel, DepthProof, SolidDepth};
pub use step::{NearPair, StepCollisions, StepCounts, StepImpact};
pub use tets::{SurfaceFace, TetCounts, TetDepth, TetHealth, TetPairs, TetSelfPairs};
pub use volume::Volume;
pub use witness::{Witness, WitnessPoint};
