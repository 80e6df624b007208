//! Meshes whose points move independently, from one frame to the next.
//!
//! [`mesh`] is the mesh: its features, the leaves that own them, and the points' positions. [`boxes`] fits a tree of
//! boxes to the swept volumes, [`curvature`] tells which parts of one mesh cannot meet because they are flat enough.
//! [`pairs`] finds the pairs of features whose boxes overlap. From these, [`impacts`] finds when they first touch,
//! [`meeting`] which triangles intersect at the start, [`near`] which features are near each other, [`self_meeting`]
//! which triangles of one mesh meet in more than they share, and [`undecided`] which of them might touch if their
//! points were slightly displaced.

pub(crate) mod boxes;
pub(crate) mod curvature;
pub(crate) mod impacts;
pub(crate) mod meeting;
pub(crate) mod mesh;
pub(crate) mod near;
pub(crate) mod pairs;
pub(crate) mod self_meeting;
pub(crate) mod undecided;

pub use mesh::DeformingMesh;
