//! What a question may be told, and what it returns: plain data, one file a question.

pub(crate) mod clearance;
pub(crate) mod contacts;
pub(crate) mod distance;
pub(crate) mod elementary;
pub(crate) mod impact;
pub(crate) mod intersects;
pub(crate) mod least_clearance;
pub(crate) mod method;
pub(crate) mod penetration;
pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod relation;
pub(crate) mod rigid_impact;
pub(crate) mod solid_depth;
pub(crate) mod step;
pub(crate) mod sweeps;
pub(crate) mod volume;
pub(crate) mod witness;
