//! Queries about two meshes.

pub(crate) mod boxes_apart;
pub(crate) mod contact_curves;
pub(crate) mod contacts;
pub(crate) mod indexed;
pub(crate) mod mesh_mesh;
pub(crate) mod search;
