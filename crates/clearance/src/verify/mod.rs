//! Proves answers again.

pub(crate) mod boxes;
pub(crate) mod contacts;
pub(crate) mod depth;
pub(crate) mod elementary;
pub(crate) mod height_field;
pub(crate) mod impact;
pub(crate) mod mesh;
pub(crate) mod mesh_rays;
pub(crate) mod pair;
pub(crate) mod parts;
pub(crate) mod rays;
pub(crate) mod rigid;
pub(crate) mod round;
pub(crate) mod solids;
pub(crate) mod step;
pub(crate) mod triangles;
pub(crate) mod volume;
pub(crate) mod witness;
