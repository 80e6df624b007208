//! Pairs of triangles of many bodies that meet, without any tree: face octrees.
//!
//! Kitamura, Smith, Takemura and Kishino, *A Real-Time Algorithm for Accurate Collision Detection for Deformable
//! Polyhedral Objects* (Presence 7, 1998). Nothing is known of the triangles before a query and nothing is kept after
//! it, so they may deform, break, appear and vanish from one frame to the next. The steps:
//!
//! 1. the box of each body;
//! 2. all pairs of boxes that overlap; their intersection is a *region* of both bodies;
//! 3. the triangles that meet a region of their body, the *checklist* ([`regions`]);
//! 4. a box around all regions is halved along its axes, and again each part that has triangles of two bodies, by the
//!    triangles of the part alone ([`subdivide`]);
//! 5. in the smallest parts, the *voxels*, all pairs of triangles of different bodies, each pair once;
//! 6. each pair is decided, exactly.
//!
//! Nothing that meets is lost: a common point of two triangles lies in the region of their bodies, in some part at each
//! step, and every test of a triangle and a box accepts a triangle that has a point in the box, borders included
//! ([`face_box`]). So the answer is that of all pairs, whatever the options.
//!
//! Departures:
//! - the last test is exact ([`triangles_meet`](crate::geom::triangle_triangle::triangles_meet)), the paper's is not;
//! - the box that is halved may be the one around the regions, not a cube around the world: nothing is outside. It is
//!   halved only along axes that are longer than half the longest;
//! - the level may be automatic: a part with few pairs of triangles is a voxel;
//! - regions of a body with many are drawn into a grid of bits, so step 3 does not grow with their number;
//! - parts are independent and run on all cores;
//! - a body inside another has no pair of triangles, and the paper's method does not see it. [`FaceOctree::contained`]
//!   does, by winding numbers ([`inside`]).
//!
//! [`rigid`] is the variant for rigid bodies that the paper compares with: octrees made once, their nodes moved.

mod face_box;
mod input;
mod inside;
mod octree;
mod options;
mod regions;
mod rigid;
mod subdivide;

pub use inside::Contained;
pub use octree::FaceOctree;
pub use options::{
    BodyFaces, BoxStage, DividedSpace, Division, FaceBoxTest, FaceOctreeCounts, FaceOctreeOptions, FacePair,
};
pub use rigid::RigidFaceOctree;
