//! What a caller hands in to make repeated queries cheap.

use std::cell::RefCell;

use glam::DVec3;

use crate::compound::parts::PartsScratch;
use crate::convex::epa::Polytope;
use crate::convex::hull_axes::HullAxes;
use crate::convex::manifold::Manifold;
use crate::depth::volume::Side;
use crate::mesh::reach::Reaches;

/// Scratch of a thread: the instruction set it found, memory that is used again and again, and counters. Make one per
/// thread and hand it to every query.
///
/// The short forms of the questions use one of their own per thread.
///
/// ```
/// use clearance::Workspace;
/// let workspace = Workspace::default();
/// assert_eq!(workspace.exact_decisions(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) level: fearless_simd::Level,
    pub(crate) exact_decisions: u64,
    pub(crate) polytope: Polytope,
    pub(crate) manifold: Manifold,
    pub(crate) hull_axes: HullAxes,
    /// Support points of curved bodies.
    pub(crate) samples: [RefCell<Vec<DVec3>>; 2],
    /// Pairs of boxes of bodies made of parts.
    pub(crate) parts: PartsScratch,
    /// Reaches of the boxes of two meshes.
    pub(crate) reaches: Reaches,
    /// Two solids whose common volume is asked for.
    pub(crate) volume: [Side; 2],
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
        Workspace {
            level: fearless_simd::Level::new(),
            exact_decisions: 0,
            polytope: Polytope::default(),
            manifold: Manifold::default(),
            hull_axes: HullAxes::default(),
            samples: Default::default(),
            parts: PartsScratch::default(),
            reaches: Reaches::default(),
            volume: Default::default(),
        }
    }
}

impl Workspace {
    /// Runs something with this memory. What cancelled work ([`Cancel`](crate::Cancel)) leaves in it is in no known
    /// state, and replaced.
    ///
    /// ```
    /// use clearance::{Cancel, Cancelled, Workspace, checkpoint};
    /// let (cancel, mut workspace) = (Cancel::new(), Workspace::default());
    /// cancel.cancel();
    /// assert_eq!(cancel.run(|| workspace.lend(|_| checkpoint())), Err(Cancelled));
    /// assert_eq!(workspace.exact_decisions(), 0);
    /// ```
    pub fn lend<T>(&mut self, run: impl FnOnce(&mut Workspace) -> T) -> T {
        let lent = Lent(self);
        run(lent.0)
    }

    /// A workspace that uses only the instructions every machine of this kind has. Answers are the same to the bit;
    /// it exists to show that.
    ///
    /// ```
    /// use clearance::Workspace;
    /// let slow = Workspace::baseline();
    /// # assert_eq!(slow.exact_decisions(), 0);
    /// ```
    pub fn baseline() -> Workspace {
        Workspace { level: fearless_simd::Level::baseline(), ..Workspace::default() }
    }

    /// How many queries so far were settled in exact arithmetic because rounding left them open.
    pub fn exact_decisions(&self) -> u64 {
        self.exact_decisions
    }
}
