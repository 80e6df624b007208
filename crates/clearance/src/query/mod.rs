//! The queries: one set of functions for every kind of body.
//!
//! Each query has a plain form (`distance`), a form with options and reusable memory (`distance_with`) and, where
//! batches are common, a form for a whole list that runs on all cores (`distance_batch`). The plain forms of the most
//! common queries are also at the crate root.
//!
//! All queries share these conventions:
//!
//! - Arguments are `(a, pose_a, b, pose_b)`. A pose maps a body to the world; normals are unit vectors from A towards
//!   B.
//! - Numbers are brackets that contain the true value. Their width is documented at each query; a wider bracket states
//!   the reason.
//! - Swapping A and B gives the same bits, and so does any number of threads or any instruction set.
//! - A plain form uses a [`Workspace`] of the calling thread. A `_with` form takes the caller's, and a [`PairCache`]
//!   where one pair is queried again and again.

mod batch;
mod contacts;
pub(crate) mod deforming;
mod depth;
mod distance;
mod index;
mod intersects;
mod penetration;
mod point;
mod proofs;
mod ray;
mod relation;
mod rigid_impact;
mod time_of_impact;
mod volume;

pub use crate::answer::clearance::ClearanceOptions;
pub use crate::answer::contact_curve::ContactCurvesOptions;
pub use crate::answer::contacts::ContactsOptions;
pub use crate::answer::distance::{DistanceOptions, SubAlgorithm};
pub use crate::answer::elementary::{ElementaryKind, ElementaryPair};
pub use crate::answer::impact::{ImpactAlgorithm, ImpactOptions};
pub use crate::answer::intersects::{IntersectsAlgorithm, IntersectsOptions};
pub use crate::answer::least_clearance::LeastClearanceOptions;
pub use crate::answer::local_depth::LocalDepthOptions;
pub use crate::answer::penetration::PenetrationOptions;
pub use crate::answer::point::{ContainsOptions, PointOptions};
pub use crate::answer::ray::{Ray, RayHitMode, RayOptions};
pub use crate::answer::relation::RelationOptions;
pub use crate::answer::rigid_impact::{RigidAlgorithm, RigidOptions};
pub use crate::answer::self_intersections::{SelfCulling, SelfIntersectionsOptions};
pub use crate::answer::solid_depth::{DepthAlongOptions, DepthSearch, SolidDepthOptions};
pub use crate::answer::step::{ImpactSelection, ProximityOptions, StepOptions};
pub use crate::answer::sweeps::{SweepAlgorithm, SweepOptions};
pub use crate::answer::tets::{BucketMapping, TetAlgorithm, TetNeighbours, TetOptions};
pub use crate::answer::volume::VolumeOptions;
pub use crate::convex::pair::cache::PairCache;
pub use crate::deform::TetWorkspace;
pub use crate::motion::elementary::{
    ElementaryOptions, ElementarySolver, elementary_impact, elementary_impact_batch, elementary_impact_with,
    triangle_impacts,
};
pub use crate::pair::workspace::Workspace;
pub use batch::{
    PairBatch, closest_point_batch, contacts_batch, contains_batch, depth_along_batch, distance_batch,
    intersects_batch, least_clearance_batch, local_depth_batch, overlap_volume_batch, penetration_batch,
    ray_cast_batch, relation_batch, rigid_impact_batch, signed_distance_batch, solid_depth_batch, sweeps_meet_batch,
    time_of_impact_batch,
};
pub use contacts::{contact_curves, contact_curves_with, contacts, contacts_with};
pub use deforming::{
    frame_self_intersections, proximity, proximity_with, safe_displacements, safe_displacements_between,
    self_collisions, self_collisions_with, self_intersections, self_intersections_with, self_proximity,
    self_proximity_with, step_collisions, step_collisions_with, tet_depths, tet_pairs, tet_pairs_with, tet_region,
    tet_self_pairs, tet_self_pairs_with, triangle_tet_batch,
};
pub use depth::{
    clearance_along, clearance_along_with, depth_along, depth_along_with, local_depth, local_depth_estimate,
    local_depth_with, solid_depth, solid_depth_with,
};
pub use distance::{distance, distance_with};
pub use intersects::{intersects, intersects_with};
pub use penetration::{penetration, penetration_with};
pub use point::{closest_point, closest_point_with, contains, contains_with, signed_distance, signed_distance_with};
pub use ray::{ray_cast, ray_cast_all, ray_cast_all_with, ray_cast_moving, ray_cast_moving_with, ray_cast_with};
pub use relation::{relation, relation_with};
pub use rigid_impact::{least_clearance, least_clearance_with, rigid_impact, rigid_impact_with};
pub use time_of_impact::{sweeps_meet, sweeps_meet_with, time_of_impact, time_of_impact_with};
pub use volume::{overlap_volume, overlap_volume_with};
