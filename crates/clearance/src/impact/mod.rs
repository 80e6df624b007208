//! First contact and least clearance of moving bodies.

pub(crate) mod convex;
pub(crate) mod curved;
pub(crate) mod height_field;
pub(crate) mod least_clearance;
pub(crate) mod meshes;
pub(crate) mod moving;
pub(crate) mod parts;
pub(crate) mod rigid_advance;
pub(crate) mod rigid_impact;
pub(crate) mod rigid_pair;
pub(crate) mod rigid_search;
pub(crate) mod sweeps;
pub(crate) mod time_of_impact;
