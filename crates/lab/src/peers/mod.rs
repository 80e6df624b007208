//! Other libraries, behind feature `peers`: each gets the same numbers and answers through its ordinary interface.

#[cfg(feature = "peers")]
mod parry;
#[cfg(feature = "peers")]
pub use parry::{ParryPair, ParryPoints};

#[cfg(not(feature = "peers"))]
mod absent;
#[cfg(not(feature = "peers"))]
pub use absent::{ParryPair, ParryPoints};

/// What to say when a race has no opponent.
pub const HOW_TO_ENABLE: &str = "built without peers, so there is nobody to race: \
    `cargo run --release -p lab --features peers -- run NAME`";
