//! Bodies: one file per kind, and [`Shape`], the closed enum over them.
//!
//! A body is a *core* (a point, a segment, a box, a polytope, a cylinder, ...) plus a radius, given in its local frame.
//! Queries work on the core and add the radii afterwards; radii are world lengths and not affected by the rigidity
//! defect of a pose.

mod any;
mod capsule;
mod compound;
mod cone;
mod cuboid;
mod custom;
mod cylinder;
mod ellipsoid;
mod feature;
#[cfg(feature = "serde")]
mod form;
mod frame;
mod half_space;
mod height_field;
mod hull;
mod hulls;
mod mass;
mod mesh;
mod node;
mod rounded;
mod rounded_mass;
mod simplex;
mod sphere;
mod support;

pub use any::Shape;
pub use capsule::Capsule;
pub use compound::Compound;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub(crate) use cuboid::corner;
pub use custom::{Custom, Support};
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use feature::Feature;
pub(crate) use frame::{PairKind, is_frame_b, mesh_order, order};
pub use half_space::HalfSpace;
pub(crate) use height_field::GroundSide;
pub use height_field::{HeightField, HeightSample, SurfaceDistance, SurfaceHit, SurfacePoint, Wheel, WheelContact};
pub use hull::ConvexHull;
pub(crate) use hull::{Hull, SupportSearch};
pub(crate) use hulls::{ConvexPiece, HullNode, HullTree};
pub use mass::MassProperties;
pub use mesh::{Mesh, TreeStatistics};
pub(crate) use mesh::{OuterFaces, SelfCrossing, SomeFaces, Surface, checked_bounds};
pub(crate) use node::Below;
pub use rounded::Rounded;
pub(crate) use simplex::Corners;
pub use simplex::{Segment, Tetrahedron, Triangle};
pub use sphere::Sphere;
pub(crate) use support::Farthest;

pub use crate::bound::Aabb;
pub(crate) use crate::bound::extent::rounded_up_length;
pub use crate::geom::hull::{HullError, HullMesh, convex_hull};
pub use crate::geom::topology;
