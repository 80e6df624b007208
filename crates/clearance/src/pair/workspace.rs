//! Reusable memory that makes repeated queries cheap.

use std::cell::RefCell;

use fearless_simd::Level;

use crate::compound::scratch::PartsScratch;
use crate::convex::workspace::ConvexWorkspace;
use crate::depth::volume::SolidSurface;
use crate::mesh::workspace::MeshWorkspace;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::new(Workspace::default());
}

/// Runs a query with this thread's own workspace.
pub(crate) fn with_thread_workspace<T>(run: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with(|workspace| match workspace.try_borrow_mut() {
        Ok(mut workspace) => workspace.lend(run),
        // Only if a query were to call a query; only the counters are lost.
        Err(_) => run(&mut Workspace::default()),
    })
}

/// Per-thread scratch: the detected instruction set, reusable memory and counters. Create one per thread and pass it to
/// every query.
///
/// The short forms of the queries use a thread-local one.
///
/// ```
/// use clearance::Workspace;
/// let workspace = Workspace::default();
/// assert_eq!(workspace.exact_decisions(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    /// For two convex bodies.
    pub(crate) convex: ConvexWorkspace,
    /// For two meshes.
    pub(crate) mesh: MeshWorkspace,
    /// For bodies made of parts.
    pub(crate) parts: PartsScratch,
    /// Two solids for the volume of their overlap.
    pub(crate) volume: [SolidSurface; 2],
}

/// A workspace in use.
struct Lent<'w>(&'w mut Workspace);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0 = Workspace::default();
        }
    }
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::at(Level::new())
    }
}

impl Workspace {
    fn at(level: Level) -> Workspace {
        Workspace {
            convex: ConvexWorkspace::new(level),
            mesh: MeshWorkspace::new(level),
            parts: PartsScratch::default(),
            volume: Default::default(),
        }
    }

    /// Runs a closure with this memory. If the work is cancelled ([`Cancel`](crate::cancel::Cancel)), the memory is in
    /// an unknown state and is replaced.
    ///
    /// ```
    /// use clearance::Workspace;
    /// use clearance::cancel::{Cancel, Cancelled, checkpoint};
    /// let (cancel, mut workspace) = (Cancel::new(), Workspace::default());
    /// cancel.cancel();
    /// assert_eq!(cancel.run(|| workspace.lend(|_| checkpoint())), Err(Cancelled));
    /// assert_eq!(workspace.exact_decisions(), 0);
    /// ```
    pub fn lend<T>(&mut self, run: impl FnOnce(&mut Workspace) -> T) -> T {
        let lent = Lent(self);
        run(lent.0)
    }

    /// A workspace that uses only the baseline instruction set of the architecture. Answers are bit-identical; it
    /// exists to test that.
    ///
    /// ```
    /// use clearance::Workspace;
    /// let slow = Workspace::baseline();
    /// # assert_eq!(slow.exact_decisions(), 0);
    /// ```
    #[must_use]
    pub fn baseline() -> Workspace {
        Workspace::at(Level::baseline())
    }

    /// How many queries so far were decided in exact arithmetic because rounding left them open.
    #[must_use]
    pub fn exact_decisions(&self) -> u64 {
        self.convex.exact_decisions
    }
}
