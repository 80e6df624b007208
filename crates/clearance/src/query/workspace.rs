//! What a caller hands in to make repeated queries cheap.

use std::cell::RefCell;

use glam::DVec3;

use super::answer::Feature;
use super::parts::PartsScratch;
use crate::convex::epa::Polytope;
use crate::convex::hull_axes::{HullAxes, HullAxis};
use crate::convex::manifold::Manifold;
use crate::convex::simplex::Simplex;
use crate::depth::volume::Side;
use crate::mesh::ray::Clean;
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
    /// Crossings of a line and a mesh.
    pub(crate) crossings: Vec<Clean>,
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
            crossings: Vec::new(),
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

/// What two bodies remember of their last query: the features that were closest. Keep one per pair of bodies.
///
/// Purely a hint: any cache with any pair gives a true answer. With bodies that move little between queries it makes
/// them several times faster.
///
/// ```
/// use clearance::{DistanceOptions, PairCache, Pose, Shape, Workspace, distance_with, glam::DVec3};
/// let (cube, ball) = (Shape::cuboid(DVec3::ONE)?, Shape::sphere(1.0)?);
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// for step in 0..10 {
///     let pose = Pose::from_translation(DVec3::new(5.0, 0.1 * f64::from(step), 0.0))?;
///     let options = DistanceOptions::default();
///     let answer = distance_with(&cube, &Pose::IDENTITY, &ball, &pose, &options, &mut cache, &mut workspace);
///     assert_eq!(answer.value, 3.0);
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PairCache {
    count: u8,
    /// Whether the bodies were exchanged when the simplex was stored.
    swapped: bool,
    a: [u32; 4],
    b: [u32; 4],
    /// The features that the stored simplex lies on, once somebody asked, and the contents of the bodies they belong to.
    features: Option<((u64, u64), (Feature, Feature))>,
    /// The direction of the last gap of curved bodies, from A to B in the frame of A.
    direction: Option<DVec3>,
    /// The axis that separated two boxes last, as the caller ordered them; or `NO_AXIS`.
    pub(crate) axis: u8,
    /// The axis that separated two hulls last, as the caller ordered them.
    pub(crate) hull_axis: Option<HullAxis>,
    /// The slots of the triangles that were nearest last, and whether the bodies were exchanged.
    triangles: Option<([u32; 2], bool)>,
}

impl Default for PairCache {
    fn default() -> PairCache {
        PairCache {
            count: 0,
            swapped: false,
            a: [0; 4],
            b: [0; 4],
            features: None,
            direction: None,
            axis: PairCache::NO_AXIS,
            hull_axis: None,
            triangles: None,
        }
    }
}

impl PairCache {
    /// No axis is known.
    pub(crate) const NO_AXIS: u8 = u8::MAX;

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = PairCache::default();
    }

    /// The triangles that were nearest last, unless there are none such in meshes of so many.
    pub(crate) fn triangles(&self, counts: [usize; 2], swapped: bool) -> Option<[u32; 2]> {
        let (slots, stored) = self.triangles?;
        let [a, b] = if stored == swapped { slots } else { [slots[1], slots[0]] };
        ((a as usize) < counts[0] && (b as usize) < counts[1]).then_some([a, b])
    }

    pub(crate) fn store_triangles(&mut self, slots: [u32; 2], swapped: bool) {
        self.triangles = Some((slots, swapped));
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, simplex: &Simplex, swapped: bool) {
        let count = simplex.count as u8;
        if self.count != count || self.swapped != swapped || self.a != simplex.a || self.b != simplex.b {
            let (axis, hull_axis) = (self.axis, self.hull_axis);
            *self = PairCache { count, swapped, a: simplex.a, b: simplex.b, axis, hull_axis, ..PairCache::default() };
        }
    }

    /// The direction of the last gap of curved bodies, if they were placed in the same order.
    pub(crate) fn direction(&self, swapped: bool) -> Option<DVec3> {
        self.direction.filter(|_| self.swapped == swapped)
    }

    pub(crate) fn store_direction(&mut self, direction: DVec3, swapped: bool) {
        *self = PairCache { direction: Some(direction), swapped, ..PairCache::default() };
    }

    /// The features of the stored simplex, found by `find` unless they are known of bodies with these contents.
    #[inline(always)]
    pub(crate) fn features(
        &mut self,
        contents: (u64, u64),
        find: impl FnOnce() -> (Feature, Feature),
    ) -> (Feature, Feature) {
        match self.features {
            Some((known, features)) if known == contents => features,
            _ => {
                let features = find();
                self.features = Some((contents, features));
                features
            }
        }
    }

    /// How many pairs of vertices are stored, and the vertices of each body; none, unless all of them exist in bodies with
    /// these numbers of vertices.
    #[inline(always)]
    pub(crate) fn pairs(&self, vertices_a: usize, vertices_b: usize, swapped: bool) -> (usize, [u32; 4], [u32; 4]) {
        let (a, b) = if self.swapped == swapped { (self.a, self.b) } else { (self.b, self.a) };
        let known = |ids: [u32; 4], count: usize| ids.into_iter().all(|id| (id as usize) < count);
        let count = if known(a, vertices_a) & known(b, vertices_b) { usize::from(self.count) } else { 0 };
        (count, a, b)
    }
}
