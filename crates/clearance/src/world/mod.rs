//! Queries over many bodies: near pairs, first contacts, ray casts.
//!
//! A [`World`] holds bodies by handle, finds near pairs with one tree of boxes, runs on each pair the query that the
//! rules select, and reports which pairs began, persist and ended. [`first_impact`] is the first contact of many moving
//! bodies; [`Schedule`] decides when to check which pair. See `docs/world.md`.

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
