//! The public questions: the same few functions for every kind of body.

mod batch;
mod contacts;
pub(crate) mod deforming;
mod depth;
mod distance;
mod intersects;
mod penetration;
mod point;
mod proofs;
mod ray;
mod relation;
mod rigid_impact;
mod time_of_impact;
mod volume;

pub use crate::answer::clearance::{Clearance, ClearanceOptions};
pub use crate::answer::contacts::{Contact, ContactCurvesOptions, Contacts, ContactsOptions, Crossing, PlaneSide};
pub use crate::answer::distance::{Distance, DistanceOptions, SubAlgorithm};
pub use crate::answer::impact::{ContactPairs, Impact, ImpactAlgorithm, ImpactOptions, NoImpact};
pub use crate::answer::intersects::{IntersectsAlgorithm, IntersectsOptions};
pub use crate::answer::least_clearance::{LeastClearance, LeastClearanceOptions};
pub use crate::answer::method::{Method, Stopped};
pub use crate::answer::penetration::{Penetration, PenetrationOptions};
pub use crate::answer::point::{ClosestPoint, ContainsOptions, PointOptions, SignedDistance};
pub use crate::answer::ray::{Ray, RayHit, RayOptions, Which};
pub use crate::answer::relation::{Evidence, Relation, RelationOptions, RelationProof};
pub use crate::answer::rigid_impact::{RigidAlgorithm, RigidImpact, RigidOptions};
pub use crate::answer::solid_depth::{
    DepthAlong, DepthAlongOptions, DepthCube, DepthLabel, DepthLevel, DepthProof, DepthSearch, SolidDepth,
    SolidDepthOptions,
};
pub use crate::answer::step::{ProximityOptions, StepCollisions, StepOptions};
pub use crate::answer::sweeps::{SweepAlgorithm, SweepOptions};
pub use crate::answer::volume::{Volume, VolumeOptions};
pub use crate::convex::pair::cache::PairCache;
pub use crate::pair::workspace::Workspace;
pub use crate::verify::refusal::Refusal;
pub use batch::{
    PairBatch, closest_point_batch, contacts_batch, contains_batch, depth_along_batch, distance_batch,
    intersects_batch, least_clearance_batch, overlap_volume_batch, penetration_batch, ray_cast_batch, relation_batch,
    rigid_impact_batch, signed_distance_batch, solid_depth_batch, sweeps_meet_batch, time_of_impact_batch,
};
pub use contacts::{contact_curves, contact_curves_with, contacts, contacts_with};
pub use deforming::{
    proximity, proximity_with, self_collisions, self_collisions_with, self_proximity, self_proximity_with,
    step_collisions, step_collisions_with,
};
pub use depth::{clearance_along, clearance_along_with, depth_along, depth_along_with, solid_depth, solid_depth_with};
pub use distance::{distance, distance_with};
pub use intersects::{intersects, intersects_with};
pub use penetration::{penetration, penetration_with};
pub use point::{closest_point, closest_point_with, contains, contains_with, signed_distance, signed_distance_with};
pub use proofs::Answer;
pub use ray::{ray_cast, ray_cast_all, ray_cast_all_with, ray_cast_moving, ray_cast_moving_with, ray_cast_with};
pub use relation::{relation, relation_with};
pub use rigid_impact::{least_clearance, least_clearance_with, rigid_impact, rigid_impact_with};
pub use time_of_impact::{sweeps_meet, sweeps_meet_with, time_of_impact, time_of_impact_with};
pub use volume::{overlap_volume, overlap_volume_with};
