//! The Python package `clearance`: numpy arrays in and out, the engine's questions between them.
//!
//! Nothing is decided here. Arguments are checked and named in errors, the interpreter is released while the engine
//! works, and answers are handed over as they are, with what was asked, so that they can be proved anew. See
//! `docs/python.md`.

mod answer;
mod array;
mod batch;
mod contacts;
mod deforming;
mod depth;
mod elementary;
mod error;
mod file;
mod give;
mod height_field;
mod impact;
mod kinds;
mod limits;
mod mesh;
mod pair;
mod points;
mod pose;
mod rays;
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
    #[pymodule_export]
    use crate::contacts::{PyContactCurve, PyContacts, contact_curves, contacts, contacts_many};
    #[pymodule_export]
    use crate::deforming::{
        PyDeformingMesh, PyNearPairs, PyStepCollisions, proximity, self_collisions, self_proximity, step_collisions,
    };
    #[pymodule_export]
    use crate::depth::{
        PyClearances, PyDepthAlong, PySolidDepth, clearance_along, depth_along, depth_along_many, solid_depth,
        solid_depth_many,
    };
    #[pymodule_export]
    use crate::elementary::{PyElementaryImpact, PyElementaryImpacts, elementary_impact_many};
    #[pymodule_export]
    use crate::file::{PyAssembly, PyPart, load};
    #[pymodule_export]
    use crate::height_field::{
        PyHeightSample, PyHeightSamples, PySurfaceHit, PySurfaceHits, PySurfacePoint, PySurfacePoints,
        PyTerrainDistance, PyTerrainDistances, PyWheelContact, PyWheelContacts,
    };
    #[pymodule_export]
    use crate::impact::{PyImpact, PyImpacts, sweeps_meet, sweeps_meet_many, time_of_impact, time_of_impact_many};
    #[pymodule_export]
    use crate::kinds::{
        PyBox, PyCapsule, PyCompound, PyCone, PyCylinder, PyEllipsoid, PyHalfSpace, PyHeightField, PyHull, PyRounded,
        PySegment, PySphere, PyTetrahedron, PyTriangle,
    };
    #[pymodule_export]
    use crate::mesh::{PyMesh, PyMeshHealth, PySelfIntersections, self_intersections};
    #[pymodule_export]
    use crate::pair::{
        PyDistance, PyDistances, PyPenetration, PyPenetrations, PyRelationProof, PyRelationProofs, PyVolume, PyVolumes,
        distance, distance_many, distance_pairs, intersects, intersects_many, intersects_pairs, overlap_volume,
        overlap_volume_many, overlap_volume_pairs, penetration, penetration_many, penetration_pairs, relation,
        relation_many, relation_pairs, relation_proof, relation_proof_many,
    };
    #[pymodule_export]
    use crate::points::{
        PyClosestPoint, PyClosestPoints, PySignedDistance, PySignedDistances, closest_point, closest_point_many,
        contains, contains_many, signed_distance, signed_distance_many,
    };
    #[pymodule_export]
    use crate::pose::{PyMotion, PyPose};
    #[pymodule_export]
    use crate::rays::{PyRayHit, PyRayHits, ray_cast, ray_cast_all, ray_cast_many, ray_cast_moving};
    #[pymodule_export]
    use crate::rigid::{
        PyFirstImpact, PyLeastClearance, PyLeastClearances, PyRigidImpact, PyRigidImpacts, first_impact,
        least_clearance, least_clearance_many, rigid_impact, rigid_impact_many, verify_none_meet, verify_rigid_clear,
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
