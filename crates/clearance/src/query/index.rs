//! The queries of an [`Index`]: those about two meshes, by trees of the caller's choice.

use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::math::pose::Pose;
use crate::mesh::index::{Index, IndexedMeshes};
use crate::pair::relation::longest_way_out;
use crate::pair::workspace::{Workspace, with_thread_workspace};
use crate::shape::Shape;
use crate::tree::hierarchy::Kind;
use crate::tree::stats::Count;

impl<K: Kind> Index<K> {
    /// [`intersects`](crate::intersects()) of this mesh as A with another one as B.
    ///
    /// ```
    /// use clearance::index::{BoxTree, Index, IndexOptions};
    /// use clearance::{Mesh, Pose, glam::DVec3};
    /// let mesh = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let index = Index::<BoxTree>::new(&mesh, &IndexOptions::default());
    /// let touching = Pose::from_translation(DVec3::new(-1.0, 0.0, 0.0))?;
    /// assert!(index.intersects(&Pose::IDENTITY, &index, &touching));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn intersects(&self, pose_a: &Pose, b: &Index<K>, pose_b: &Pose) -> bool {
        with_thread_workspace(|workspace| {
            self.intersects_with(pose_a, b, pose_b, &IntersectsOptions::default(), workspace, &mut ())
        })
    }

    /// [`Index::intersects`] with options, a workspace, and someone told what the traversal does. The algorithm of the
    /// options is not used.
    #[must_use]
    pub fn intersects_with(
        &self,
        pose_a: &Pose,
        b: &Index<K>,
        pose_b: &Pose,
        options: &IntersectsOptions,
        workspace: &mut Workspace,
        count: &mut impl Count,
    ) -> bool {
        IndexedMeshes::new((self, pose_a), (b, pose_b)).intersects(options, &mut workspace.mesh, count)
    }

    /// [`distance`](crate::distance()) of this mesh as A from another one as B. See [`Index`] for an example.
    #[must_use]
    pub fn distance(&self, pose_a: &Pose, b: &Index<K>, pose_b: &Pose) -> Distance {
        with_thread_workspace(|workspace| {
            self.distance_with(pose_a, b, pose_b, &DistanceOptions::default(), workspace, &mut ())
        })
    }

    /// [`Index::distance`] with options, a workspace, and someone told what the traversal does. See
    /// [`Stats`](crate::index::Stats) for an example.
    #[must_use]
    pub fn distance_with(
        &self,
        pose_a: &Pose,
        b: &Index<K>,
        pose_b: &Pose,
        options: &DistanceOptions,
        workspace: &mut Workspace,
        count: &mut impl Count,
    ) -> Distance {
        IndexedMeshes::new((self, pose_a), (b, pose_b)).distance(options, &mut workspace.mesh, count)
    }

    /// [`contacts`](crate::contacts()) of this mesh as A and another one as B: all pairs of triangles that meet.
    ///
    /// ```
    /// use clearance::index::{Index, IndexOptions, Sphere};
    /// use clearance::{Mesh, Pose, glam::DVec3};
    /// let mesh = Mesh::new(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
    /// let index = Index::<Sphere>::new(&mesh, &IndexOptions::default());
    /// let upright = Pose::from_rows([[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, -1.0, 1.0], [0.0, 1.0, 0.0, -1.0]])?;
    /// assert_eq!(index.contacts(&Pose::IDENTITY, &index, &upright).crossings.len(), 1);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn contacts(&self, pose_a: &Pose, b: &Index<K>, pose_b: &Pose) -> Contacts {
        let mut found = Contacts::default();
        with_thread_workspace(|workspace| {
            self.contacts_with(pose_a, b, pose_b, &ContactsOptions::default(), workspace, &mut (), &mut found);
        });
        found
    }

    /// [`Index::contacts`] with options (all contacts within a margin), a workspace, and someone told what the
    /// traversal does, written to a reusable answer.
    #[allow(clippy::too_many_arguments, reason = "the arguments of every query, and the answer to fill")]
    pub fn contacts_with(
        &self,
        pose_a: &Pose,
        b: &Index<K>,
        pose_b: &Pose,
        options: &ContactsOptions,
        workspace: &mut Workspace,
        count: &mut impl Count,
        out: &mut Contacts,
    ) {
        // A clone of a mesh shares its data.
        let way_out = longest_way_out(&Shape::Mesh(self.mesh().clone()), &Shape::Mesh(b.mesh().clone()));
        let meshes = IndexedMeshes::new((self, pose_a), (b, pose_b));
        meshes.contacts(way_out, options, &mut workspace.mesh, count, out);
    }
}
