//! What a traversal of two trees did: counted, recorded, or neither.
//!
//! The cost equation of Gottschalk, Lin and Manocha, *OBBTree* (1996), after Weghorst, Hooper and Greenberg (1984):
//! `T = Nv Cv + Np Cp`, to which refitted trees add `Nu Cu`. A [`Count`] is a type parameter of the traversals, so that
//! `()` costs nothing.

/// What a traversal reports as it goes. Nodes are numbered as by [`Index::volumes`](crate::index::Index::volumes),
/// triangles as by the caller; A and B are the caller's.
///
/// `()` counts nothing, [`Stats`] counts, and your own type can record what a query visited and what it pruned:
///
/// ```
/// use clearance::index::{Aabb, Count, Index, IndexOptions, VolumeTest};
/// use clearance::query::IntersectsOptions;
/// use clearance::{Mesh, Pose, Workspace, glam::DVec3};
///
/// #[derive(Default)]
/// struct Pruned(Vec<(u32, u32)>);
///
/// impl Count for Pruned {
///     fn volumes(&mut self, test: VolumeTest) {
///         if test.pruned {
///             self.0.push((test.a, test.b));
///         }
///     }
/// }
///
/// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let index = Index::<Aabb>::new(&sheet, &IndexOptions::default());
/// let (away, mut pruned) = (Pose::from_translation(DVec3::Z)?, Pruned::default());
/// let (options, mut workspace) = (IntersectsOptions::default(), Workspace::default());
/// assert!(!index.intersects_with(&Pose::IDENTITY, &index, &away, &options, &mut workspace, &mut pruned));
/// assert_eq!(pruned.0, [(0, 0)]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub trait Count {
    /// Two volumes were compared.
    #[inline(always)]
    fn volumes(&mut self, test: VolumeTest) {
        let _ = test;
    }

    /// Two nodes that had passed their test were dropped without being opened, because a nearer pair of triangles had
    /// been found meanwhile.
    #[inline(always)]
    fn dropped(&mut self, a: u32, b: u32) {
        let _ = (a, b);
    }

    /// Two triangles were compared.
    #[inline(always)]
    fn triangles(&mut self, a: u32, b: u32) {
        let _ = (a, b);
    }

    /// So many volumes were fitted anew.
    #[inline(always)]
    fn updates(&mut self, count: usize) {
        let _ = count;
    }
}

/// Two volumes compared by a traversal: see [`Count`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeTest {
    /// The node of A's tree.
    pub a: u32,
    /// The node of B's tree.
    pub b: u32,
    /// The proved lower bound of the distance of what the volumes contain, in world units up to the rigidity defect of
    /// the pose. `None` where only overlap was tested.
    pub lower: Option<f64>,
    /// Only what is nearer than this mattered any more. `None` where only overlap was tested.
    pub limit: Option<f64>,
    /// The traversal goes no further there: the volumes are apart, or no nearer than the best pair of triangles.
    pub pruned: bool,
}

impl Count for () {}

impl<C: Count> Count for &mut C {
    #[inline(always)]
    fn volumes(&mut self, test: VolumeTest) {
        C::volumes(self, test);
    }

    #[inline(always)]
    fn dropped(&mut self, a: u32, b: u32) {
        C::dropped(self, a, b);
    }

    #[inline(always)]
    fn triangles(&mut self, a: u32, b: u32) {
        C::triangles(self, a, b);
    }

    #[inline(always)]
    fn updates(&mut self, count: usize) {
        C::updates(self, count);
    }
}

/// The numbers of the cost equation `T = Nv Cv + Np Cp + Nu Cu`.
///
/// ```
/// use clearance::index::{Aabb, Index, IndexOptions, Stats};
/// use clearance::query::DistanceOptions;
/// use clearance::{Mesh, Pose, Workspace, glam::DVec3};
/// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let index = Index::<Aabb>::new(&sheet, &IndexOptions::default());
/// let (away, mut stats) = (Pose::from_translation(DVec3::Z)?, Stats::default());
/// let (options, mut workspace) = (DistanceOptions::default(), Workspace::default());
/// let found = index.distance_with(&Pose::IDENTITY, &index, &away, &options, &mut workspace, &mut stats);
/// assert_eq!((found.gap.value, stats.volume_tests), (1.0, 1));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Stats {
    /// Pairs of volumes compared: Nv.
    pub volume_tests: u64,
    /// Pairs of triangles compared: Np.
    pub triangle_tests: u64,
    /// Volumes fitted anew: Nu.
    pub updates: u64,
}

impl Count for Stats {
    #[inline(always)]
    fn volumes(&mut self, _: VolumeTest) {
        self.volume_tests += 1;
    }

    #[inline(always)]
    fn triangles(&mut self, _: u32, _: u32) {
        self.triangle_tests += 1;
    }

    #[inline(always)]
    fn updates(&mut self, count: usize) {
        self.updates += count as u64;
    }
}
