//! What robots are checked with, from files and command lines: worlds, configurations and trajectories.

mod configurations;
mod trajectory;
mod world;
mod yaml;

pub use configurations::{free_count, parse_configuration, read_configurations};
pub use trajectory::{Trajectory, read_trajectory};
pub use world::{Surrounding, WorldObject, read_world};
