//! A mesh whose points move independently: its features, the leaves that own them, and the points' positions.
//!
//! Every vertex and every edge is owned by one leaf of the tree over the faces, the first that uses it ("representative
//! triangles", Curtis, Tamstorf and Manocha 2008, here by leaf). So two nearby leaves yield each of their vertex-face
//! and edge-edge pairs once, whichever triangles share them. Features are stored in the order of their owners: features
//! tested together are adjacent in memory.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::curvature::CurvedLayout;
use crate::bound::Aabb;
use crate::error::Error;
use crate::geom::topology::EdgeMap;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::motion::Motion;
use crate::parallel;
use crate::shape::{Feature, Mesh, checked_bounds};
use crate::tree::wide::{Below, Node, WIDTH};

/// Triangles of fixed topology whose points move: cloth, skin, soft bodies.
///
/// It stores where each point was at the start of a step and where it is at the end; in between a point moves along a
/// straight line at constant speed. [`DeformingMesh::move_to`] advances to the next step. The tree of boxes is built
/// once; each query fits it to the step, on all cores, in time proportional to the number of triangles.
///
/// Answers name features as `Vertex(p)`, point `p` of the list given, `Face(t)`, triangle `t` of the list given, and
/// `Edge(e)`, entry `e` of [`DeformingMesh::edges`]. Points not used by any triangle are ignored. Degenerate triangles,
/// duplicates, and edges with any number of triangles are legal; a side from a point to itself is not an edge.
///
/// Takes some 75 bytes per triangle, and some 140 more during a query ([`DeformingMesh::bytes`] counts both). The first
/// query with [`SelfCulling::Curvature`](crate::query::SelfCulling) adds some 110 bytes per triangle.
///
/// ```
/// use clearance::{DeformingMesh, self_collisions};
/// // A strip whose far triangle is folded over onto the near one.
/// let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.2, 1.0], [4.0, 0.2, 1.0], [3.0, 0.4, 1.0]];
/// let mut folded = flat;
/// folded[3..].copy_from_slice(&[[0.2, 0.2, -1.0], [1.2, 0.2, -1.0], [0.2, 0.4, -1.0]]);
/// let mut strip = DeformingMesh::new(&flat, &[[0, 1, 2], [3, 4, 5]])?;
/// strip.move_to(&folded)?;
/// assert_eq!(strip.edges().len(), 6);
/// # let _ = self_collisions(&strip);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeformingMesh {
    pub(crate) layout: Arc<Layout>,
    /// The position of each vertex at the start and at the end, in the order of `layout.vertex_ids`.
    pub(crate) course: Vec<[DVec3; 2]>,
    /// The box of all used points at both ends.
    pub(crate) bounds: Aabb,
}

// Serialised as the points at both ends of the step. The tree is rebuilt from those at the start or, where these are
// too close together for a tree, at the end; answers do not depend on it.
#[cfg(feature = "serde")]
data_form!(
    DeformingMesh { start: Vec<[f64; 3]>, end: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    |mesh| {
        let at = |end| mesh.points_at(end).into_iter().map(|point| point.to_array()).collect();
        (at(0), at(1), mesh.triangles())
    },
    |start: Vec<_>, end: Vec<_>, triangles: Vec<_>| {
        let mut mesh =
            DeformingMesh::new(&start, &triangles).or_else(|error| match DeformingMesh::new(&end, &triangles) {
                Ok(mesh) => Ok(mesh),
                Err(_) => Err(error),
            })?;
        mesh.set_step(&start, &end)?;
        Ok::<_, Error>(mesh)
    },
);

/// The invariant part: the features and the tree over them.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The nodes of the tree; the boxes stored in them are unused.
    pub nodes: Vec<Node>,
    /// What each leaf owns, by the index of its packet.
    pub leaves: Vec<Owned>,
    /// The corners of faces by slot, in the caller's order, and the caller's indices of the faces.
    pub faces: Vec<[u32; 3]>,
    pub face_ids: Vec<u32>,
    /// The ends of edges, the one with the caller's lower index first.
    pub edges: Vec<[u32; 2]>,
    pub edge_ids: Vec<u32>,
    /// The caller's indices of vertices: first those used by faces, then the rest.
    pub vertex_ids: Vec<u32>,
    /// How many vertices are used by faces.
    pub used: usize,
    /// How many blocks of eight boxes the edges and vertices take.
    pub edge_blocks: usize,
    pub vertex_blocks: usize,
    /// For culling by curvature, built on the first query that asks for it.
    pub regions: OnceLock<CurvedLayout>,
}

/// What a leaf owns. Leaves do not share blocks of eight boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Owned {
    /// The first slot and the count.
    pub faces: (u32, u32),
    pub edges: (u32, u32),
    pub vertices: (u32, u32),
    /// The first blocks.
    pub edge_block: u32,
    pub vertex_block: u32,
}

/// How many blocks of eight `count` items take.
pub(crate) fn blocks(count: u32) -> u32 {
    count.div_ceil(WIDTH as u32)
}

impl DeformingMesh {
    /// The triangles between points, each given by three indices into the list. All points rest: the first step begins
    /// and ends with them.
    ///
    /// # Errors
    /// As [`Mesh::new`].
    ///
    /// ```
    /// use clearance::{DeformingMesh, Error};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(DeformingMesh::new(&points, &[[0, 1, 2]])?.edges(), [[0, 1], [0, 2], [1, 2]]);
    /// assert!(matches!(DeformingMesh::new(&points, &[[0, 1, 3]]), Err(Error::NoSuchPoint { point: 3, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<DeformingMesh, Error> {
        let mesh = Mesh::new(points, triangles)?;
        let layout = Arc::new(Layout::new(&mesh, points.len()));
        let mut deforming = DeformingMesh { course: vec![[DVec3::ZERO; 2]; points.len()], layout, bounds: Aabb::EMPTY };
        deforming.put(points, points);
        Ok(deforming)
    }

    /// The points of a mesh under a motion, at its start and its end, each rounded once. Queries are answered exactly
    /// for those rounded points, which are off by some `1e-16` of the coordinates;
    /// [`time_of_impact`](crate::time_of_impact) has brackets for the real-number motion.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for points that the motion takes out of range.
    ///
    /// ```
    /// use clearance::{DeformingMesh, Mesh, Motion, Pose, glam::DVec3, step_collisions};
    /// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let start = Pose::from_translation(DVec3::new(0.1, 0.1, 1.0))?;
    /// let falling = Motion::translation(start, DVec3::new(0.0, 0.0, -4.0))?;
    /// let falling = DeformingMesh::moving(&sheet, &falling)?;
    /// let resting = DeformingMesh::moving(&sheet, &Motion::still(Pose::IDENTITY))?;
    /// # let _ = step_collisions(&falling, &resting);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn moving(mesh: &Mesh, motion: &Motion) -> Result<DeformingMesh, Error> {
        let pose = motion.start();
        DeformingMesh::placed(mesh, |point| {
            let start = pose.transform_point(point);
            [start, start + motion.displacement()]
        })
    }

    /// The points of a mesh, placed by a function at the start and at the end. The tree is that of the mesh: faces keep
    /// their slots.
    pub(crate) fn placed(mesh: &Mesh, place: impl Fn(DVec3) -> [DVec3; 2]) -> Result<DeformingMesh, Error> {
        let ends: Vec<[DVec3; 2]> = mesh.points().map(place).collect();
        let at = |end: usize| -> Vec<[f64; 3]> { ends.iter().map(|ends| ends[end].to_array()).collect() };
        let layout = Arc::new(Layout::new(mesh, ends.len()));
        let mut deforming = DeformingMesh { course: vec![[DVec3::ZERO; 2]; ends.len()], layout, bounds: Aabb::EMPTY };
        deforming.set_step(&at(0), &at(1))?;
        Ok(deforming)
    }

    /// For each feature, the slots of all faces incident to it.
    pub(crate) fn faces_with(&self, features: &[Feature]) -> Vec<Vec<u32>> {
        let layout = &*self.layout;
        let place = |ids: &[u32]| {
            let mut places = vec![0; ids.len()];
            ids.iter().enumerate().for_each(|(slot, &id)| places[id as usize] = slot as u32);
            places
        };
        let [vertices, edges, faces] = [&layout.vertex_ids, &layout.edge_ids, &layout.face_ids].map(|ids| place(ids));
        // Keyed by two corners, equal for a vertex.
        let sorted = |[p, q]: [u32; 2]| [p.min(q), p.max(q)];
        let corners = |feature: &Feature| match *feature {
            Feature::Vertex(id) => Some([vertices[id as usize]; 2]),
            Feature::Edge(id) => Some(sorted(layout.edges[edges[id as usize] as usize])),
            Feature::Face(_) | Feature::Interior => None,
        };
        let mut wanted: Vec<[u32; 2]> = features.iter().filter_map(corners).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut with = vec![Vec::new(); wanted.len()];
        for (slot, &[a, b, c]) in layout.faces.iter().enumerate() {
            for side in [[a, a], [b, b], [c, c], [a, b], [b, c], [c, a]] {
                if let Ok(k) = wanted.binary_search(&sorted(side)) {
                    with[k].push(slot as u32);
                }
            }
        }
        let all = |feature: &Feature| match (feature, corners(feature)) {
            (_, Some(corners)) => wanted.binary_search(&corners).map_or_else(|_| Vec::new(), |k| with[k].clone()),
            (Feature::Face(id), None) => vec![faces[*id as usize]],
            _ => Vec::new(),
        };
        features.iter().map(all).collect()
    }

    /// Advances to the next step: it begins where the last one ended, and ends at these points.
    ///
    /// # Errors
    /// [`Error::WrongCount`], [`Error::NotFinite`], [`Error::TooLarge`]. The mesh is then unchanged.
    ///
    /// ```
    /// use clearance::{DeformingMesh, Error};
    /// let mut sheet = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// sheet.move_to(&[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0]])?;
    /// assert!(matches!(sheet.move_to(&[[0.0; 3]]), Err(Error::WrongCount { expected: 3, count: 1, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn move_to(&mut self, points: &[[f64; 3]]) -> Result<(), Error> {
        self.check(points)?;
        let place = |vertices: &[u32], course: &mut [[DVec3; 2]]| {
            let mut bounds = Aabb::EMPTY;
            for (&id, ends) in vertices.iter().zip(course) {
                *ends = [ends[1], DVec3::from_array(points[id as usize])];
                bounds = bounds.including(ends[0]).including(ends[1]);
            }
            bounds
        };
        self.bounds = place_all(&self.layout.vertex_ids, &mut self.course, self.layout.used, place);
        Ok(())
    }

    /// Sets both ends of a step.
    ///
    /// # Errors
    /// As [`DeformingMesh::move_to`].
    ///
    /// ```
    /// use clearance::DeformingMesh;
    /// let here = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let there = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0]];
    /// let mut sheet = DeformingMesh::new(&here, &[[0, 1, 2]])?;
    /// sheet.set_step(&there, &here)?;
    /// assert_eq!(sheet.start().collect::<Vec<_>>(), there.map(clearance::glam::DVec3::from_array));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn set_step(&mut self, start: &[[f64; 3]], end: &[[f64; 3]]) -> Result<(), Error> {
        self.check(start)?;
        self.check(end)?;
        self.put(start, end);
        Ok(())
    }

    /// Rebuilds the tree for the points at the end of the step: worth it when triangles that were close together at the
    /// last build no longer are. Answers do not depend on it.
    ///
    /// ```
    /// use clearance::DeformingMesh;
    /// let mut sheet = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// sheet.rebuild();
    /// assert_eq!(sheet.triangles(), [[0, 1, 2]]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn rebuild(&mut self) {
        let to_array = |points: Vec<DVec3>| points.into_iter().map(|p| p.to_array()).collect::<Vec<_>>();
        let (start, end) = (to_array(self.start().collect()), to_array(self.end().collect()));
        // The input was validated before. Points that have contracted to less than the minimum size keep the old tree.
        if let Ok(mesh) = Mesh::new(&end, &self.triangles()) {
            self.layout = Arc::new(Layout::new(&mesh, end.len()));
            self.put(&start, &end);
        }
    }

    /// The points at the start of the step, in the order given.
    pub fn start(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.points_at(0).into_iter()
    }

    /// The points at the end of the step, in the order given.
    pub fn end(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.points_at(1).into_iter()
    }

    fn points_at(&self, end: usize) -> Vec<DVec3> {
        let mut points = vec![DVec3::ZERO; self.course.len()];
        for (&id, ends) in self.layout.vertex_ids.iter().zip(&self.course) {
            points[id as usize] = ends[end];
        }
        points
    }

    /// The triangles in the order given.
    #[must_use]
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        self.in_order(&self.layout.face_ids, &self.layout.faces)
    }

    /// The edges: every side of a triangle once, as (low, high), in ascending order.
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        self.in_order(&self.layout.edge_ids, &self.layout.edges)
    }

    /// Features with `N` corners by the caller's indices, in the caller's order.
    fn in_order<const N: usize>(&self, ids: &[u32], features: &[[u32; N]]) -> Vec<[u32; N]> {
        let mut ordered = vec![[0; N]; features.len()];
        for (&id, corners) in ids.iter().zip(features) {
            ordered[id as usize] = corners.map(|v| self.layout.vertex_ids[v as usize]);
        }
        ordered
    }

    /// The number of triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.layout.faces.len()
    }

    /// The number of points.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.course.len()
    }

    /// Memory of the mesh in bytes: what it stores, and what each query takes while it runs, apart from the answer and
    /// less than 100 kB per thread.
    ///
    /// ```
    /// use clearance::DeformingMesh;
    /// let sheet = DeformingMesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let [kept, for_a_question] = sheet.bytes();
    /// assert!(kept > 0 && for_a_question > 0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> [usize; 2] {
        let layout = &*self.layout;
        let regions = layout.regions.get().map(CurvedLayout::bytes);
        let [kept, for_a_query] = regions.unwrap_or_default();
        let own = size_of_val(&self.course[..]) + layout.bytes();
        [own + kept, super::boxes::bytes(layout).max(for_a_query)]
    }

    fn check(&self, points: &[[f64; 3]]) -> Result<(), Error> {
        if points.len() != self.course.len() {
            return Err(Error::WrongCount { what: "points", expected: self.course.len(), count: points.len() });
        }
        checked_bounds(points).map(|_| ())
    }

    /// Stores both ends of a step, already validated.
    fn put(&mut self, start: &[[f64; 3]], end: &[[f64; 3]]) {
        let place = |vertices: &[u32], course: &mut [[DVec3; 2]]| {
            let mut bounds = Aabb::EMPTY;
            for (&id, ends) in vertices.iter().zip(course) {
                *ends = [start, end].map(|points| DVec3::from_array(points[id as usize]));
                bounds = bounds.including(ends[0]).including(ends[1]);
            }
            bounds
        };
        self.bounds = place_all(&self.layout.vertex_ids, &mut self.course, self.layout.used, place);
    }
}

/// How many vertices are placed as one piece of work.
const VERTICES: usize = 8192;

/// Places all vertices, in chunks on all cores; returns the box of those in use.
fn place_all(
    ids: &[u32],
    course: &mut [[DVec3; 2]],
    used: usize,
    place: impl Fn(&[u32], &mut [[DVec3; 2]]) -> Aabb + Sync,
) -> Aabb {
    let (course_used, course_rest) = course.split_at_mut(used);
    place(&ids[used..], course_rest);
    let joined = |a: Aabb, b: Aabb| Aabb::new(a.min.min(b.min), a.max.max(b.max));
    let pieces = ids[..used].chunks(VERTICES).zip(course_used.chunks_mut(VERTICES)).collect();
    let bounds = parallel::map_owned(pieces, |(ids, course)| place(ids, course));
    bounds.into_iter().fold(Aabb::EMPTY, joined)
}

impl Layout {
    /// The features of a mesh by the leaves of its tree.
    fn new(mesh: &Mesh, points: usize) -> Layout {
        let surface = mesh.surface();
        let nodes = surface.tree.nodes.clone();
        let mut leaves = vec![(0, 0); surface.tree.packets.len()];
        for node in &nodes {
            for lane in 0..WIDTH {
                if let Below::Leaf(leaf) = node.below(lane) {
                    leaves[leaf.packet as usize] = (leaf.first, leaf.count);
                }
            }
        }
        let edges = EdgeMap::new(&mesh.triangles()).edges;
        Layout::of_leaves(nodes, &leaves, &surface.triangles, &surface.ids, (points, edges))
    }

    /// The features by leaves: the first slot and the number of faces of each, the triangles by slot with their
    /// corners among the caller's `points`, the caller's indices of the triangles, and all edges in order.
    pub(super) fn of_leaves(
        nodes: Vec<Node>,
        faces: &[(u32, u32)],
        triangles: &[[u32; 3]],
        ids: &[u32],
        (points, mut all): (usize, Vec<[u32; 2]>),
    ) -> Layout {
        let mut leaves: Vec<Owned> = faces.iter().map(|&faces| Owned { faces, ..Owned::default() }).collect();
        let mut vertices = Numbering::new(points);
        for leaf in &mut leaves {
            let first = vertices.ids.len() as u32;
            let (slot, count) = leaf.faces;
            for &point in triangles[slot as usize..][..count as usize].iter().flatten() {
                vertices.add(point);
            }
            leaf.vertices = (first, vertices.ids.len() as u32 - first);
        }
        let used = vertices.ids.len();
        (0..points as u32).for_each(|point| vertices.add(point));
        // Edges by the caller's indices, without those from a point to itself.
        all.retain(|[a, b]| a != b);
        let mut edges = Numbering::new(all.len());
        for leaf in &mut leaves {
            let first = edges.ids.len() as u32;
            let (slot, count) = leaf.faces;
            for &[a, b, c] in &triangles[slot as usize..][..count as usize] {
                for (p, q) in [(a, b), (b, c), (c, a)] {
                    // A side not in the list joins a point to itself.
                    if let Ok(edge) = all.binary_search(&[p.min(q), p.max(q)]) {
                        edges.add(edge as u32);
                    }
                }
            }
            leaf.edges = (first, edges.ids.len() as u32 - first);
        }
        let (mut edge_blocks, mut vertex_blocks) = (0, 0);
        for leaf in &mut leaves {
            (leaf.edge_block, leaf.vertex_block) = (edge_blocks, vertex_blocks);
            edge_blocks += blocks(leaf.edges.1);
            vertex_blocks += blocks(leaf.vertices.1);
        }
        let place = &vertices.places;
        Layout {
            nodes,
            leaves,
            faces: triangles.iter().map(|corners| corners.map(|point| place[point as usize])).collect(),
            face_ids: ids.to_vec(),
            edges: edges.ids.iter().map(|&id| all[id as usize].map(|point| place[point as usize])).collect(),
            edge_ids: edges.ids,
            vertex_ids: vertices.ids,
            used,
            edge_blocks: edge_blocks as usize,
            vertex_blocks: vertex_blocks as usize,
            regions: OnceLock::new(),
        }
    }

    /// Memory in bytes, that of regions apart.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.leaves[..])
            + size_of_val(&self.faces[..])
            + size_of_val(&self.edges[..])
            + 4 * (self.face_ids.len() + self.edge_ids.len() + self.vertex_ids.len())
    }
}

/// Items in an order of their own.
struct Numbering {
    /// The caller's index of each.
    ids: Vec<u32>,
    /// The position of each of the caller's items, once added.
    places: Vec<u32>,
}

impl Numbering {
    const NOT_YET: u32 = u32::MAX;

    fn new(count: usize) -> Numbering {
        Numbering { ids: Vec::with_capacity(count), places: vec![Numbering::NOT_YET; count] }
    }

    /// Gives an item the next index, unless it has one.
    fn add(&mut self, id: u32) {
        let place = &mut self.places[id as usize];
        if *place == Numbering::NOT_YET {
            *place = self.ids.len() as u32;
            self.ids.push(id);
        }
    }
}
