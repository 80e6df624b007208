//! Many bodies: which of them meet, come near, are hit by a ray.
//!
//! A [`World`] holds bodies by handles, finds the pairs that are near each other by one tree of boxes, asks each pair the question
//! that the rules say, and tells what began, persists and ended. See `docs/world.md`.

mod bodies;
mod rules;
mod step;

pub use bodies::{BodyId, World};
pub use rules::{Interest, Question};
pub use step::{Change, Finding, PairEvent};
