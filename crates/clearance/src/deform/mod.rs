//! Meshes whose points move each on its own, from one frame to the next.
//!
//! [`mesh`] is the mesh: which features there are, who owns them, and where the points are. [`boxes`] fits a tree of boxes to
//! what they sweep. [`pairs`] finds the pairs of features whose boxes meet. [`impacts`], [`meeting`] and [`near`] ask of
//! these when they first touch, which triangles meet at the start, and which features are near each other; [`undecided`], which
//! of them might touch if their points were a little elsewhere.

pub(crate) mod boxes;
pub(crate) mod impacts;
pub(crate) mod meeting;
pub(crate) mod mesh;
pub(crate) mod near;
pub(crate) mod pairs;
pub(crate) mod undecided;

pub use mesh::DeformingMesh;
