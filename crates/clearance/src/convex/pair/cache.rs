use glam::DVec3;

use crate::convex::hull_axes::HullAxis;
use crate::convex::simplex::Simplex;
use crate::shape::Feature;

/// The closest features of the last query of two bodies. Keep one per pair of bodies.
///
/// Purely a hint: any cache with any pair gives a correct answer. For bodies that move little between queries it makes
/// them several times faster.
///
/// ```
/// use clearance::{PairCache, Pose, Shape, Workspace, glam::DVec3};
/// use clearance::query::{DistanceOptions, distance_with};
/// let (cube, sphere) = (Shape::cuboid(DVec3::ONE)?, Shape::sphere(1.0)?);
/// let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
/// for step in 0..10 {
///     let pose = Pose::from_translation(DVec3::new(5.0, 0.1 * f64::from(step), 0.0))?;
///     let options = DistanceOptions::default();
///     let answer = distance_with(&cube, &Pose::IDENTITY, &sphere, &pose, &options, &mut cache, &mut workspace);
///     assert_eq!(answer.gap.value, 3.0);
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PairCache {
    count: u8,
    /// Whether the bodies were swapped when the simplex was stored.
    swapped: bool,
    a: [u32; 4],
    b: [u32; 4],
    /// The features that the stored simplex lies on, once requested, and the contents of the bodies they belong to.
    features: Option<((u64, u64), (Feature, Feature))>,
    /// The direction of the last gap of curved bodies, from A to B in the frame of A.
    direction: Option<DVec3>,
    /// The axis that last separated two boxes, in the caller's order; or `NO_AXIS`.
    pub(crate) axis: u8,
    /// The axis that last separated two hulls, in the caller's order.
    pub(crate) hull_axis: Option<HullAxis>,
    /// The slots of the last closest triangles, and whether the bodies were swapped.
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

    /// Clears the cache.
    pub fn clear(&mut self) {
        *self = PairCache::default();
    }

    /// The last closest triangles, unless they are out of range for meshes of these sizes.
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

    /// The features of the stored simplex, found by `find` unless they are cached for bodies with these contents.
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

    /// The number of stored pairs of vertices, and the vertices of each body; none, unless all of them exist in bodies
    /// with these numbers of vertices.
    #[inline(always)]
    pub(crate) fn pairs(&self, vertices_a: usize, vertices_b: usize, swapped: bool) -> (usize, [u32; 4], [u32; 4]) {
        let (a, b) = if self.swapped == swapped { (self.a, self.b) } else { (self.b, self.a) };
        let known = |ids: [u32; 4], count: usize| ids.into_iter().all(|id| (id as usize) < count);
        let count = if known(a, vertices_a) & known(b, vertices_b) { usize::from(self.count) } else { 0 };
        (count, a, b)
    }
}
