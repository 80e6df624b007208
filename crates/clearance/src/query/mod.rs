//! The public questions: the same few functions for every kind of body.

mod answer;
mod ball_and_core;
mod balls;
mod batch;
mod clearance;
mod contact_curves;
mod contacts;
mod contacts_of_meshes;
mod contacts_of_parts;
mod deep_points;
mod deforming;
mod distance;
mod far_apart;
mod feature;
mod ground;
mod half_space;
mod impact;
mod impact_any;
mod impact_meshes;
mod impact_parts;
mod intersects;
mod least_clearance;
mod meshes;
mod moving;
mod overlap_of_solids;
mod parts;
mod penetration;
mod placed;
mod point;
mod point_mesh;
mod polyhedron;
mod prisms;
mod ray;
mod ray_advance;
mod ray_hits;
mod ray_mesh;
mod ray_moving;
mod relation;
mod rescale;
mod rigid_advance;
mod rigid_impact;
mod rigid_search;
mod segment_and_core;
mod solid_depth;
mod surface_in_solid;
mod sweeps;
mod two_cores;
mod two_segments;
mod verify;
mod verify_boxes;
mod verify_contacts;
mod verify_depth;
mod verify_elementary;
mod verify_ground;
mod verify_impact;
mod verify_mesh;
mod verify_mesh_rays;
mod verify_parts;
mod verify_rays;
mod verify_rigid;
mod verify_round;
mod verify_solids;
mod verify_step;
mod verify_triangles;
mod verify_volume;
mod verify_witness;
mod volume;
mod workspace;

pub use answer::{Distance, Evidence, Method, Penetration, Relation, RelationProof, Stopped};
pub use batch::{closest_point_batch, contains_batch, ray_cast_batch, signed_distance_batch};
pub use clearance::{Clearance, clearance_along};
pub use contact_curves::contact_curves;
pub use contacts::{Contact, Contacts, ContactsOptions, Crossing, PlaneSide, contacts, contacts_with};
pub use deforming::{
    StepCollisions, StepOptions, proximity, self_collisions, self_collisions_with, self_proximity, step_collisions,
    step_collisions_with,
};
pub use distance::{DistanceOptions, SubAlgorithm, distance, distance_with};
pub use impact::{ContactPairs, Impact, ImpactAlgorithm, ImpactOptions, time_of_impact, time_of_impact_with};
pub use intersects::{IntersectsAlgorithm, IntersectsOptions, intersects, intersects_with};
pub use least_clearance::{LeastClearance, LeastClearanceOptions, least_clearance, least_clearance_with};
pub use penetration::{PenetrationOptions, penetration, penetration_with};
pub use point::{ClosestPoint, SignedDistance, closest_point, contains, signed_distance};
pub use ray::{Ray, RayHit, RayOptions, Which, ray_cast, ray_cast_all, ray_cast_with};
pub use ray_moving::{ray_cast_moving, verify_ray_moving};
pub use relation::{RelationOptions, relation, relation_with};
pub use rigid_impact::{RigidAlgorithm, RigidImpact, RigidOptions, rigid_impact, rigid_impact_with};
pub use solid_depth::{
    DepthAlong, DepthCube, DepthLabel, DepthLevel, DepthProof, DepthSearch, SolidDepth, SolidDepthOptions, depth_along,
    solid_depth,
};
pub use sweeps::{SweepAlgorithm, SweepOptions, sweeps_meet, sweeps_meet_with};
pub use verify::{Answer, Refusal, verify};
pub use verify_elementary::verify_elementary;
pub use verify_impact::verify_impact;
pub use verify_rays::{PointAnswer, verify_point, verify_ray};
pub use verify_rigid::{verify_least_clearance, verify_rigid_clear, verify_rigid_impact};
pub use verify_step::{verify_proximity, verify_self_collisions, verify_step_collisions};
pub use verify_volume::verify_volume;
pub use volume::{Area, Volume, overlap_volume, overlap_volume_with};
pub use workspace::{PairCache, Workspace};

use std::cell::RefCell;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::new(Workspace::default());
}

/// Runs a query with this thread's own workspace.
fn with_thread_workspace<T>(run: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with(|workspace| match workspace.try_borrow_mut() {
        Ok(mut workspace) => workspace.lend(run),
        // Only if a query were to call a query; nothing is lost but the counters.
        Err(_) => run(&mut Workspace::default()),
    })
}
