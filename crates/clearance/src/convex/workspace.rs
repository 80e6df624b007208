//! Scratch memory reused by queries on two convex bodies.

use std::cell::RefCell;

use fearless_simd::Level;
use glam::DVec3;

use super::epa::Polytope;
use super::hull_axes::HullAxes;
use super::manifold::Manifold;

thread_local! {
    static WORKSPACE: RefCell<ConvexWorkspace> = RefCell::new(ConvexWorkspace::new(Level::new()));
}

/// Runs a query on two convex bodies with this thread's workspace. A panic, such as on cancellation, leaves the
/// workspace in an unknown state, so it is replaced.
pub(crate) fn with_convex_workspace<T>(run: impl FnOnce(&mut ConvexWorkspace) -> T) -> T {
    struct ResetOnPanic<'w>(&'w mut ConvexWorkspace);
    impl Drop for ResetOnPanic<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                *self.0 = ConvexWorkspace::new(Level::new());
            }
        }
    }
    WORKSPACE.with(|workspace| match workspace.try_borrow_mut() {
        Ok(mut workspace) => run(ResetOnPanic(&mut workspace).0),
        // Only for nested queries; nothing is lost except the counters.
        Err(_) => run(&mut ConvexWorkspace::new(Level::new())),
    })
}

/// Scratch memory of queries on two convex bodies.
#[derive(Clone, Debug)]
pub(crate) struct ConvexWorkspace {
    pub level: Level,
    /// How many queries were settled in exact arithmetic.
    pub exact_decisions: u64,
    pub polytope: Polytope,
    pub manifold: Manifold,
    pub hull_axes: HullAxes,
    /// Support points of curved bodies.
    pub samples: [RefCell<Vec<DVec3>>; 2],
}

impl ConvexWorkspace {
    pub fn new(level: Level) -> ConvexWorkspace {
        ConvexWorkspace {
            level,
            exact_decisions: 0,
            polytope: Polytope::default(),
            manifold: Manifold::default(),
            hull_axes: HullAxes::default(),
            samples: Default::default(),
        }
    }
}
