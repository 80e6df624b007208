//! The public questions: the same few functions for every kind of body.

mod answer;
mod distance;
mod feature;
mod half_space;
mod intersects;
mod placed;
mod relation;
mod rescale;
mod verify;
mod workspace;

pub use answer::{Distance, Evidence, Feature, Method, Relation, RelationProof};
pub use distance::{DistanceOptions, distance, distance_with};
pub use intersects::{IntersectsAlgorithm, IntersectsOptions, intersects, intersects_with};
pub use relation::{RelationOptions, relation, relation_with};
pub use verify::{Answer, Refusal, verify};
pub use workspace::{PairCache, Workspace};

use std::cell::RefCell;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::new(Workspace::default());
}

/// Runs a query with this thread's own workspace.
fn with_thread_workspace<T>(run: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with(|workspace| match workspace.try_borrow_mut() {
        Ok(mut workspace) => run(&mut workspace),
        // Only if a query were to call a query; nothing is lost but the counters.
        Err(_) => run(&mut Workspace::default()),
    })
}
