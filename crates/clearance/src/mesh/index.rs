//! A mesh with a tree of the caller's choice.

use crate::answer::contacts::{Contacts, ContactsOptions};
use crate::answer::distance::{Distance, DistanceOptions};
use crate::answer::intersects::IntersectsOptions;
use crate::convex::pair::cache::PairCache;
use crate::error::Error;
use crate::math::pose::Pose;
use crate::mesh::pair::indexed::IndexSearch;
use crate::mesh::pair::mesh_mesh::Meshes;
use crate::mesh::workspace::MeshWorkspace;
use crate::shape::{Mesh, Surface};
use crate::tree::binary::Soup;
use crate::tree::binary_build::IndexOptions;
use crate::tree::hierarchy::{Hierarchy, Kind};
use crate::tree::stats::Count;
use crate::tree::traverse_binary::Below;
use glam::DVec3;

/// A mesh with a tree of bounding volumes of your choice, for queries about two meshes: `Index<Obb>`, `Index<Rss>`,
/// `Index<BoxTree>` and so on.
///
/// The answers are those of the queries about meshes, proved in the same way, and `verify` accepts them; only the way
/// there differs. The tree that a mesh has of its own ([`Mesh::tree_statistics`]) is the fastest in most cases: use an
/// index where you know better, to compare hierarchies, or to see what a query does ([`Count`]).
///
/// An index holds its mesh (a clone shares the data). Both indices of a query are of one kind.
///
/// ```
/// use clearance::index::{Index, IndexOptions, Obb};
/// use clearance::{Mesh, Pose, Shape, glam::DVec3};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let index = Index::<Obb>::new(&mesh, &IndexOptions::default());
/// let away = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
/// let answer = index.distance(&Pose::IDENTITY, &index, &away);
/// assert!((answer.gap.value - 2.0).abs() < 1e-14);
/// let shape = Shape::Mesh(mesh);
/// answer.verify(&shape, &Pose::IDENTITY, &shape, &away).unwrap();
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Debug)]
pub struct Index<K: Kind> {
    mesh: Mesh,
    tree: K::Tree,
    options: IndexOptions,
}

impl<K: Kind> Clone for Index<K> {
    fn clone(&self) -> Index<K> {
        Index { mesh: self.mesh.clone(), tree: self.tree.clone(), options: self.options }
    }
}

fn soup(surface: &Surface) -> Soup<'_> {
    Soup { points: &surface.points, triangles: &surface.triangles }
}

impl<K: Kind> Index<K> {
    /// Builds the tree, on all cores. The same to the bit on any number of them.
    #[must_use]
    pub fn new(mesh: &Mesh, options: &IndexOptions) -> Index<K> {
        Index { mesh: mesh.clone(), tree: K::Tree::build(&soup(mesh.surface()), options), options: *options }
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// How the tree was built.
    #[must_use]
    pub fn options(&self) -> &IndexOptions {
        &self.options
    }

    /// Adapts the tree to a mesh whose points have moved, such as one from [`Mesh::moved`]: groups of triangles stay,
    /// volumes are fitted anew, those of leaves to their triangles and the others to their children. In linear time,
    /// and looser than a new tree if the shape has changed much.
    ///
    /// # Errors
    /// [`Error::OtherMesh`] if the triangles are not the same, by the indices of their points; the index is unchanged.
    ///
    /// ```
    /// use clearance::index::{Index, IndexOptions, Sphere};
    /// use clearance::{Error, Mesh, Pose};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mesh = Mesh::new(&points, &[[0, 1, 2]])?;
    /// let mut index = Index::<Sphere>::new(&mesh, &IndexOptions::default());
    /// index.refit(&mesh.moved(&points.map(|[x, y, z]| [x, y, z + 5.0]))?)?;
    /// let fixed = Index::<Sphere>::new(&mesh, &IndexOptions::default());
    /// assert_eq!(fixed.distance(&Pose::IDENTITY, &index, &Pose::IDENTITY).gap.value, 5.0);
    /// let other = Mesh::new(&points, &[[0, 2, 1]])?;
    /// assert!(matches!(index.refit(&other), Err(Error::OtherMesh { triangle: Some(0), .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn refit(&mut self, mesh: &Mesh) -> Result<(), Error> {
        self.refit_with(mesh, &mut ())
    }

    /// [`Index::refit`], and counts the volumes fitted anew.
    ///
    /// # Errors
    /// As [`Index::refit`].
    pub fn refit_with(&mut self, mesh: &Mesh, count: &mut impl Count) -> Result<(), Error> {
        let (old, new) = (self.mesh.surface(), mesh.surface());
        let counts = [old.triangles.len(), new.triangles.len()];
        if counts[0] != counts[1] {
            return Err(Error::OtherMesh { triangle: None, triangles: counts[0], found: counts[1] });
        }
        let mut slots = vec![0u32; new.ids.len()];
        new.ids.iter().zip(0..).for_each(|(&id, slot)| slots[id as usize] = slot);
        let slot = |old_slot: u32| slots[old.ids[old_slot as usize] as usize];
        for (own, old_slot) in old.triangles.iter().zip(0..) {
            if *own != new.triangles[slot(old_slot) as usize] {
                let triangle = Some(old.ids[old_slot as usize]);
                return Err(Error::OtherMesh { triangle, triangles: counts[0], found: counts[1] });
            }
        }
        self.tree.refit(&soup(new), slot);
        count.updates(self.tree.count());
        self.mesh = mesh.clone();
        Ok(())
    }

    /// The number of nodes, leaves included. Node 0 is the root.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.tree.count()
    }

    /// The children of a node; `None` for a leaf, and for a node that does not exist.
    #[must_use]
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.below(node)? {
            Below::Nodes(children) => Some(children),
            Below::Triangles(_) => None,
        }
    }

    /// The triangles of a leaf, in the caller's numbering; none for other nodes.
    #[must_use]
    pub fn triangles(&self, node: u32) -> Vec<u32> {
        match self.below(node) {
            Some(Below::Triangles(slots)) => {
                slots.list().iter().map(|&slot| self.mesh.surface().ids[slot as usize]).collect()
            }
            _ => Vec::new(),
        }
    }

    fn below(&self, node: u32) -> Option<Below<'_>> {
        ((node as usize) < self.tree.count()).then(|| self.tree.below(node))
    }

    /// The nodes of each level, from the root down. A leaf appears in its own level only.
    ///
    /// ```
    /// use clearance::index::{Aabb, Index, IndexOptions};
    /// use clearance::Mesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3]])?;
    /// let index = Index::<Aabb>::new(&mesh, &IndexOptions::default());
    /// assert_eq!(index.levels(), [vec![0], vec![1, 2]]);
    /// assert_eq!(index.children(0), Some([1, 2]));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn levels(&self) -> Vec<Vec<u32>> {
        let mut levels = vec![vec![0]];
        while let Some(last) = levels.last() {
            let next: Vec<u32> = last.iter().filter_map(|&node| self.children(node)).flatten().collect();
            if next.is_empty() {
                break;
            }
            levels.push(next);
        }
        levels
    }

    /// The volumes of all nodes, by number, about [`Index::origin`]: for drawing and for statistics.
    #[must_use]
    pub fn volumes(&self) -> Vec<K::Volume> {
        self.tree.volumes()
    }

    /// The point that volumes are relative to, in the frame of the mesh.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.mesh.surface().origin
    }

    /// Memory of the tree, in bytes, without the mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }
}

/// Two placed indices, for one query.
pub(crate) struct IndexedMeshes<'s, K: Kind> {
    meshes: Meshes<'s>,
    trees: [&'s Index<K>; 2],
}

impl<'s, K: Kind> IndexedMeshes<'s, K> {
    pub fn new((a, pose_a): (&'s Index<K>, &'s Pose), (b, pose_b): (&'s Index<K>, &'s Pose)) -> IndexedMeshes<'s, K> {
        IndexedMeshes { meshes: Meshes::new((&a.mesh, pose_a), (&b.mesh, pose_b)), trees: [a, b] }
    }

    fn search<'i, C: Count>(
        &'i self,
        workspace: &'i mut MeshWorkspace,
        count: &'i mut C,
    ) -> IndexSearch<'i, K::Tree, C> {
        let [a, b] = self.trees;
        let swapped = self.meshes.swapped;
        let trees = if swapped { [&b.tree, &a.tree] } else { [&a.tree, &b.tree] };
        IndexSearch { trees, descend: a.options.descend, swapped, count, workspace }
    }

    /// See [`intersects_with`](crate::query::intersects_with).
    pub fn intersects(
        &self,
        options: &IntersectsOptions,
        workspace: &mut MeshWorkspace,
        count: &mut impl Count,
    ) -> bool {
        self.meshes.intersects(options, &mut PairCache::default(), &mut self.search(workspace, count))
    }

    /// See [`distance_with`](crate::query::distance_with).
    pub fn distance(
        &self,
        options: &DistanceOptions,
        workspace: &mut MeshWorkspace,
        count: &mut impl Count,
    ) -> Distance {
        self.meshes.distance(options, &mut PairCache::default(), &mut self.search(workspace, count))
    }

    /// See [`contacts_with`](crate::query::contacts_with).
    pub fn contacts(
        &self,
        longest_way_out: f64,
        options: &ContactsOptions,
        workspace: &mut MeshWorkspace,
        count: &mut impl Count,
        out: &mut Contacts,
    ) {
        let search = &mut self.search(workspace, count);
        self.meshes.contacts(longest_way_out, options, &mut PairCache::default(), search, out);
    }
}
