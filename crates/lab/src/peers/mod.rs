//! Other libraries, behind feature `peers`: each gets the same numbers and answers through its ordinary interface.
//! Those that are crates are built with the feature; those in other processes are only started with it.

pub mod coal;
pub mod embree;
pub mod fcl;
mod install;
pub mod ipctk;
pub mod pinocchio;
pub mod question;
mod talk;
pub mod trimesh;
mod wire;

#[cfg(feature = "peers")]
mod obvhs;
#[cfg(feature = "peers")]
mod parry;
#[cfg(feature = "peers")]
mod parry_casts;
#[cfg(feature = "peers")]
mod parry_decomposition;
#[cfg(feature = "peers")]
mod parry_meshes;
#[cfg(feature = "peers")]
pub use obvhs::{ObvhsBuild, ObvhsTree};
#[cfg(feature = "peers")]
pub use parry::{ParryPair, ParryPoints};
#[cfg(feature = "peers")]
pub use parry_casts::{ParryBody, ParryCasts, ParryTerrain, ParryTurns, length_tolerance, time_tolerance};
#[cfg(feature = "peers")]
pub use parry_decomposition::convex_parts;
#[cfg(feature = "peers")]
pub use parry_meshes::{ParryBuild, ParryMesh, ParryMeshes, ParryTree};

#[cfg(not(feature = "peers"))]
mod absent;
#[cfg(not(feature = "peers"))]
mod absent_casts;
#[cfg(not(feature = "peers"))]
mod absent_meshes;
#[cfg(not(feature = "peers"))]
pub use absent::{ParryPair, ParryPoints, convex_parts};
#[cfg(not(feature = "peers"))]
pub use absent_casts::{ParryBody, ParryCasts, ParryTerrain, ParryTurns, length_tolerance, time_tolerance};
#[cfg(not(feature = "peers"))]
pub use absent_meshes::{ObvhsBuild, ObvhsTree, ParryBuild, ParryMesh, ParryMeshes, ParryTree};

/// A rotating body, at constant velocities, for one unit of time.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Where it starts.
    pub start: crate::models::Placement,
    /// The way of its origin.
    pub way: clearance::glam::DVec3,
    /// The axis of its turn in the world, as long as the angle.
    pub angular: clearance::glam::DVec3,
}

/// The message for a race without an opponent.
pub const HOW_TO_ENABLE: &str = "built without peers, so there is nobody to race: \
    `cargo run --release -p lab --features peers -- run NAME`";
