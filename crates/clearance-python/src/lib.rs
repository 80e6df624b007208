//! The Python package `clearance`: the engine's queries on numpy arrays.
//!
//! Nothing is decided here. Arguments are validated and named in errors, the interpreter is released while the engine
//! works, and answers are passed on unchanged, with their query, so that they can be verified. See
//! `docs/python.md`.

mod answer;
mod array;
mod batch;
mod bodies;
mod contacts;
mod deforming;
mod depth;
mod elementary;
mod error;
mod file;
mod give;
mod height_field;
mod impact;
mod index;
mod kinds;
mod limits;
mod manager;
mod mesh;
mod no_hit;
mod no_impact;
mod pair;
mod points;
mod pose;
mod rays;
mod repair;
mod rigid;
mod rigid_motion;
mod robot;
mod robot_sweep;
mod room;
mod schedule;
mod shape;
mod show;
mod state;
mod work;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _clearance {
    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::contacts::{PyContactCurve, PyContacts, contact_curves, contacts, contacts_batch};
    #[pymodule_export]
    use crate::deforming::{
        PyDeformingMesh, PyNearPairs, PyStepCollisions, proximity, self_collisions, self_proximity, step_collisions,
    };
    #[pymodule_export]
    use crate::depth::{
        PyClearances, PyDepthAlong, PyLocalDepth, PyLocalDepthEstimate, PySolidDepth, clearance_along, depth_along,
        depth_along_batch, local_depth, local_depth_batch, local_depth_estimate, solid_depth, solid_depth_batch,
    };
    #[pymodule_export]
    use crate::elementary::{PyElementaryImpact, PyElementaryImpacts, elementary_impact_batch};
    #[pymodule_export]
    use crate::file::{PyAssembly, PyPart, load};
    #[pymodule_export]
    use crate::height_field::{
        PyHeightSample, PyHeightSamples, PySurfaceDistance, PySurfaceDistances, PySurfaceHit, PySurfaceHits,
        PySurfacePoint, PySurfacePoints, PyWheelContact, PyWheelContacts,
    };
    #[pymodule_export]
    use crate::impact::{PyImpact, PyImpacts, sweeps_meet, sweeps_meet_batch, time_of_impact, time_of_impact_batch};
    #[pymodule_export]
    use crate::index::{PyIndex, PyStats};
    #[pymodule_export]
    use crate::kinds::{
        PyBox, PyCapsule, PyCompound, PyCone, PyCylinder, PyEllipsoid, PyHalfSpace, PyHeightField, PyHull, PyRounded,
        PySegment, PySphere, PyTetrahedron, PyTriangle,
    };
    #[pymodule_export]
    use crate::manager::{_contact_data, _distance_data, PyContactData, PyManager, PyNearest};
    #[pymodule_export]
    use crate::mesh::{PyMesh, PyMeshHealth, PySelfIntersections, self_intersections};
    #[pymodule_export]
    use crate::no_hit::{PyNoElementaryImpact, PyNoHit};
    #[pymodule_export]
    use crate::no_impact::PyNoImpact;
    #[pymodule_export]
    use crate::pair::{
        PyDistance, PyDistances, PyPenetration, PyPenetrations, PyRelationProof, PyRelationProofs, PyVolume, PyVolumes,
        distance, distance_batch, distance_pair_batch, intersects, intersects_batch, intersects_pair_batch,
        overlap_volume, overlap_volume_batch, overlap_volume_pair_batch, penetration, penetration_batch,
        penetration_pair_batch, relation, relation_batch, relation_pair_batch, relation_proof, relation_proof_batch,
    };
    #[pymodule_export]
    use crate::points::{
        PyClosestPoint, PyClosestPoints, PySignedDistance, PySignedDistances, closest_point, closest_point_batch,
        contains, contains_batch, signed_distance, signed_distance_batch,
    };
    #[pymodule_export]
    use crate::pose::{PyMotion, PyPose};
    #[pymodule_export]
    use crate::rays::{PyRayHit, PyRayHits, ray_cast, ray_cast_all, ray_cast_batch, ray_cast_moving};
    #[pymodule_export]
    use crate::repair::{PyRepairReport, PyRepaired};
    #[pymodule_export]
    use crate::rigid::{
        PyFirstImpact, PyLeastClearance, PyLeastClearances, PyRigidImpact, PyRigidImpacts, first_impact,
        least_clearance, least_clearance_batch, rigid_impact, rigid_impact_batch,
    };
    #[pymodule_export]
    use crate::rigid_motion::PyRigidMotion;
    #[pymodule_export]
    use crate::robot::{PyRobot, PyRobotDistances};
    #[pymodule_export]
    use crate::robot_sweep::{PyRobotSweep, PyRobotSweeps};
    #[pymodule_export]
    use crate::schedule::time_to_contact;
    #[pymodule_export]
    use crate::shape::PyShape;
    #[pymodule_export]
    use crate::show::_page;
    #[pymodule_export]
    use crate::work::_after_fork;
    #[pymodule_export]
    use crate::world::{PyPairEvent, PyWorld};
}
