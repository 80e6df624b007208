//! Meshes whose points move independently, from one frame to the next.
//!
//! [`mesh`] is the mesh: its features, the leaves that own them, and the points' positions. [`boxes`] fits a tree of
//! boxes to the swept volumes, [`curvature`] tells which parts of one mesh cannot meet because they are flat enough.
//! [`pairs`] finds the pairs of features whose boxes overlap. From these, [`impacts`] finds when they first touch,
//! [`meeting`] which triangles intersect at the start, [`near`] which features are near each other, [`self_meeting`]
//! which triangles of one mesh meet in more than they share, [`safe`] how far points may move before anything meets, and
//! [`undecided`] which of them might touch if their points were slightly displaced.
//!
//! [`face_octree`] finds the triangles that meet of many bodies without any tree, and [`scene`] with trees that are
//! kept as long as a body is, for bodies that break.
//!
//! [`tet_mesh`] is a mesh of tetrahedra. [`tet_pairs`] finds where the surface of one meets the volume of another, by
//! [`bucket_tree`], [`spatial_hash`] or [`tet_trees`]; [`tet_region`] which vertices lie inside, and grows a region of
//! contact from one pair.

pub(crate) mod boxes;
mod bucket_tree;
pub(crate) mod curvature;
pub(crate) mod face_octree;
pub(crate) mod impacts;
pub(crate) mod meeting;
pub(crate) mod mesh;
pub(crate) mod near;
pub(crate) mod pairs;
pub(crate) mod safe;
pub(crate) mod scene;
pub(crate) mod self_meeting;
mod spatial_hash;
pub(crate) mod tet_mesh;
pub(crate) mod tet_pairs;
pub(crate) mod tet_region;
mod tet_trees;
pub(crate) mod undecided;

pub use mesh::DeformingMesh;
pub use tet_mesh::TetMesh;
pub use tet_pairs::TetWorkspace;
