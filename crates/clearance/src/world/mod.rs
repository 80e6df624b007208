//! Many bodies: which of them meet, come near, are hit by a ray.
//!
//! A [`World`] holds bodies by handles, finds the pairs that are near each other by one tree of boxes, asks each pair the question
//! that the rules say, and tells what began, persists and ended. [`first_impact`] is the first contact of many moving bodies, [`Schedule`]
//! says when to look at which pair. See `docs/world.md`.

mod bodies;
mod first_impact;
mod rules;
mod schedule;
mod step;

pub use bodies::{BodyId, World};
pub use first_impact::{FirstImpact, first_impact, first_impact_with};
pub use rules::{Interest, Question};
pub use schedule::{MotionBounds, Schedule, ScheduledContacts, time_to_contact};
pub use step::{Change, Finding, PairEvent};
