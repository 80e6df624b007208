//! Robot collision checking: reads URDF and SRDF, answers with proved clearances between links.

mod allowed;
mod check;
mod collada;
mod contact;
mod error;
mod frame;
mod geometry;
mod groups;
mod hull_tree;
mod inner_balls;
mod limits;
mod matrix;
mod motion_bound;
mod object_tree;
mod package;
mod pair_caches;
mod path;
mod random;
mod robot;
mod srdf;
mod sweep;
mod urdf;
mod verify_sweep;
mod xml;

pub use allowed::Allowed;
pub use check::{Against, Attached, CheckOptions, Checker, NearestPair, Object, Pair, PlacedBody, State};
pub use contact::LinkContact;
pub use error::Error;
pub use geometry::LoadedMesh;
pub use matrix::{LinkPair, Matrix, MatrixOptions, Proof, Reason};
pub use package::Packages;
pub use path::PathSweep;
pub use robot::{LoadOptions, Robot, Variable};
pub use srdf::{DisabledPair, GroupState, Srdf};
pub use sweep::{Culling, MotionClearance, MotionImpact, Sweep, SweepOptions};
pub use urdf::{Collision, Description, Geometry, Joint, JointKind, Link, Mimic, read_text};
