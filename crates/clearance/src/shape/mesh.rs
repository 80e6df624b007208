//! Meshes: any set of triangles, as a surface or as the solid it bounds.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use glam::{DVec3, Vec4};

use super::feature::Feature;
use super::hulls::HullTree;
use super::mass::{self, MassProperties};
use super::node::Below;
use super::simplex::Triangle;
#[cfg(feature = "serde")]
use crate::bound::extent::given_point;
use crate::bound::extent::{local_origin, rounded_up_length};
use crate::bound::{Aabb, Bound, Fit, Obb};
use crate::error::{Error, check_coordinates, check_size};
use crate::geom::topology;
use crate::geom::volume::signed_volume;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::tolerances::{MAX_COORDINATE, MAX_TRIANGLES, ORIENTED_BOX_PAYS, ROUND_UP, UNIT_ROUNDOFF};
use crate::parallel;
use crate::tree::build::{Built, build};
use crate::tree::bytes::{Hash, Reader, Writer, checksum};
use crate::tree::disc::Discs;
use crate::tree::wide::{self, Frame, WIDTH, WideTree};
use crate::tree::winding::Moments;

/// A set of triangles that share points.
///
/// A new mesh is a *surface*: its triangles, without the volume between them. Every defect found in files is allowed:
/// degenerate triangles, duplicates, cracks, edges with three triangles. [`Mesh::solid`] turns it into the solid
/// bounded by the triangles, if they bound one. Answers give a triangle by its index in the input list, `Face(t)`; its
/// edge from corner `k` to the next is `Edge(3 t + k)`, and `Vertex(p)` is input point `p`.
///
/// The data is shared, so cloning is cheap. A mesh owns one bounding volume hierarchy, built in parallel by the
/// constructor; in total it takes about 60 bytes per triangle.
///
/// ```
/// use clearance::{Mesh, Pose, Shape, distance, glam::DVec3};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let corner = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.solid()?;
/// assert_eq!(corner.triangle_count(), 4);
/// let (corner, ball) = (Shape::Mesh(corner), Shape::sphere(1.0)?);
/// let away = Pose::from_translation(DVec3::new(-3.0, 0.25, 0.25))?;
/// assert!((distance(&corner, &Pose::IDENTITY, &ball, &away).gap.value - 2.0).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    surface: Arc<Surface>,
    solid: bool,
}

/// The triangles of a mesh with their tree.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// Origin of the stored points, see [`local_origin`].
    pub origin: DVec3,
    /// The points relative to `origin`, exact, in input order.
    pub points: Vec<DVec3>,
    /// Point indices of each triangle, in leaf order.
    pub triangles: Vec<[u32; 3]>,
    /// The input index of each triangle, in leaf order.
    pub ids: Vec<u32>,
    pub tree: WideTree,
    /// Bounds of the corners of triangles, relative to `origin`.
    pub bounds: Aabb,
    /// Largest distance of a corner from `origin`, rounded up.
    pub radius: f64,
    /// Bound on the distance between two corners.
    pub diameter: f64,
    /// Whether every point is used by a triangle.
    every_point: bool,
    /// Hash of the input, computed on demand.
    hash: OnceLock<u64>,
    /// Computed on demand.
    oriented: OnceLock<OrientedBox>,
    /// A point of each connected component, computed on demand.
    component_points: OnceLock<Vec<u32>>,
    /// Built on the first winding number query.
    moments: OnceLock<Moments>,
    /// Built on the first closest point query.
    discs: OnceLock<Vec<Discs>>,
    /// Built on the first depth query.
    hulls: OnceLock<HullTree>,
    /// Self-intersections, computed on demand.
    self_crossing: OnceLock<SelfCrossing>,
    /// Which triangles bound the solid, computed on demand; `None` if all do.
    outer: OnceLock<Option<Arc<OuterFaces>>>,
}

/// A box about the triangles of a mesh along axes of its own choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    /// Relative to the mesh's origin.
    pub bound: Obb,
    /// Whether its surface is notably smaller than that of the box along the mesh's axes.
    pub tighter: bool,
}

/// Which triangles of a solid lie on its boundary: those with the outside in front and the inside behind. If shells
/// overlap or intersect each other, some triangles lie inside.
#[derive(Clone, Debug)]
pub(crate) struct OuterFaces {
    /// Triangles, or parts of triangles, proved to lie on the boundary; `None` if there are none.
    pub sure: Option<SomeFaces>,
    /// All that may lie on the boundary: the above, and those parts of triangles for which nothing is proved.
    pub possible: Option<SomeFaces>,
    /// Number of triangles with parts for which nothing is proved.
    pub undecided: u32,
}

/// A subset of a mesh's triangles, or parts of them, as a separate surface.
#[derive(Clone, Debug)]
pub(crate) struct SomeFaces {
    pub mesh: Mesh,
    /// For each, the index in the whole mesh (caller's numbering) of the triangle that it is or is part of, and whether
    /// it is proved to lie on the boundary.
    pub parents: Arc<[(u32, bool)]>,
}

/// Intersections of a mesh's triangles beyond their shared vertices and edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelfCrossing {
    /// Number of pairs that cross each other, and the first of them.
    pub crossing: Option<(usize, [u32; 2])>,
    /// Some triangles overlap in their plane: parts of the surface may have no interior next to them.
    pub folded: bool,
    /// Some triangles meet in any way.
    pub somewhere: bool,
}

impl Surface {
    /// A surface from its points and a tree fitted to them.
    fn new(local: LocalPoints, triangles: Vec<[u32; 3]>, ids: Vec<u32>, tree: WideTree) -> Surface {
        let LocalPoints { origin, points, bounds, radius, every_point } = local;
        Surface {
            origin,
            points,
            triangles,
            ids,
            tree,
            bounds,
            radius,
            diameter: diameter(&bounds, radius),
            every_point,
            hash: OnceLock::new(),
            oriented: OnceLock::new(),
            component_points: OnceLock::new(),
            moments: OnceLock::new(),
            discs: OnceLock::new(),
            hulls: OnceLock::new(),
            self_crossing: OnceLock::new(),
            outer: OnceLock::new(),
        }
    }

    /// Sets new positions for all points, reusing the memory. `bounds` are those of the points in use.
    fn place(&mut self, points: &[[f64; 3]], bounds: &Aabb) {
        let origin = local_origin(bounds);
        let bounds = Aabb::new(bounds.min - origin, bounds.max - origin);
        let frame = Frame::about(bounds.min, bounds.max);
        let mut singles = vec![Vec4::ZERO; points.len()];
        // One chunk: positions relative to the origin, and the largest squared distance from it.
        let place = |given: &[[f64; 3]], own: &mut [DVec3], singles: &mut [Vec4]| {
            let mut most = 0.0f64;
            for ((&given, own), single) in given.iter().zip(own).zip(singles) {
                *own = DVec3::from_array(given) - origin;
                *single = frame.single(*own);
                let squared = own.length_squared();
                most = if squared > most { squared } else { most };
            }
            most
        };
        let own = self.points.chunks_mut(POINTS_PER_TASK).zip(singles.chunks_mut(POINTS_PER_TASK));
        let pieces = points.chunks(POINTS_PER_TASK).zip(own).collect();
        let most = parallel::map_owned(pieces, |(given, (own, singles))| place(given, own, singles));
        let most = most.into_iter().fold(0.0, f64::max);
        let most = if self.every_point {
            most
        } else {
            self.triangles.iter().flatten().map(|&p| self.points[p as usize].length_squared()).fold(0.0, f64::max)
        };
        self.origin = origin;
        self.bounds = bounds;
        self.radius = radius(most);
        self.diameter = diameter(&bounds, self.radius);
        self.tree.frame = frame;
        self.tree.fit(&singles, &self.triangles);
        self.hash = OnceLock::new();
        self.oriented = OnceLock::new();
        self.moments = OnceLock::new();
        self.discs = OnceLock::new();
        self.hulls = OnceLock::new();
        self.self_crossing = OnceLock::new();
        self.outer = OnceLock::new();
    }

    /// A hash of the input.
    fn hash(&self) -> u64 {
        *self.hash.get_or_init(|| {
            let mut hash = Hash::default();
            // +0 and -0 are the same coordinate, and a mesh from bytes may have one in place of the other.
            let mut add = |p: &DVec3| p.to_array().iter().for_each(|x| hash.add((x + 0.0).to_bits()));
            add(&self.origin);
            self.points.iter().for_each(add);
            self.triangles.iter().flatten().chain(&self.ids).for_each(|&x| hash.add(u64::from(x)));
            hash.0
        })
    }

    /// The corners of the triangle in a slot, relative to the origin.
    #[inline(always)]
    #[must_use]
    pub fn corners(&self, slot: u32) -> [DVec3; 3] {
        self.triangles[slot as usize].map(|p| self.points[p as usize])
    }

    /// A box along the axes of the hull's covariance, or the bounds if they are smaller.
    #[must_use]
    pub fn oriented_box(&self) -> &OrientedBox {
        self.oriented.get_or_init(|| {
            let bound = if self.every_point {
                Obb::fit(&self.points, Fit::HullSurface)
            } else {
                let corners: Vec<DVec3> = self.triangles.iter().flatten().map(|&p| self.points[p as usize]).collect();
                Obb::fit(&corners, Fit::HullSurface)
            };
            OrientedBox { bound, tighter: bound.surface() < ORIENTED_BOX_PAYS * self.bounds.surface() }
        })
    }

    /// The discs of the nodes of the tree, for closest point queries.
    #[must_use]
    pub fn discs(&self) -> &[Discs] {
        self.discs.get_or_init(|| Discs::of(&self.tree, &self.points, &self.triangles))
    }

    /// The self-intersections, computed by `find` on first use. `find` runs on the thread pool, and pool threads must
    /// not block on it: threads that ask concurrently each compute it.
    #[must_use]
    pub fn self_crossing(&self, find: impl FnOnce() -> SelfCrossing) -> SelfCrossing {
        self.self_crossing.get().copied().unwrap_or_else(|| {
            let found = find();
            *self.self_crossing.get_or_init(|| found)
        })
    }

    /// Which triangles bound the solid, computed by `find` on first use; without blocking, as
    /// [`Surface::self_crossing`].
    #[must_use]
    pub fn outer_faces(&self, find: impl FnOnce() -> Option<OuterFaces>) -> Option<&OuterFaces> {
        let known = self.outer.get().or_else(|| {
            let found = find().map(Arc::new);
            Some(self.outer.get_or_init(|| found))
        });
        known.and_then(|outer| outer.as_deref())
    }

    /// The hull hierarchy, built by `make` on first use.
    #[must_use]
    pub fn hulls(&self, make: impl FnOnce() -> HullTree) -> &HullTree {
        self.hulls.get_or_init(make)
    }

    /// The moments of the tree nodes, for winding numbers.
    #[must_use]
    pub fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| Moments::of(&self.tree, |slot| self.corners(slot)))
    }
}

/// The tree as traversed by `compound/parts.rs`: step 0 is the whole mesh, then come the lanes of all nodes, then the
/// triangles by slot.
impl Surface {
    /// The bounding box of a step, in the frame of the mesh, and its children.
    #[must_use]
    pub fn step(&self, step: u32) -> (Aabb, Below) {
        let lanes = (self.tree.nodes.len() * WIDTH) as u32;
        let run = |node: u32| {
            let used = self.tree.nodes[node as usize].count() as u32;
            Below::Run(1 + node * WIDTH as u32, 1 + node * WIDTH as u32 + used)
        };
        match step.checked_sub(1) {
            None => (Aabb::new(self.bounds.min + self.origin, self.bounds.max + self.origin), run(0)),
            Some(place) if place < lanes => {
                let bounds = self.tree.at(place);
                let frame = &self.tree.frame;
                let corner = |x: [f32; 3]| DVec3::from_array(x.map(f64::from)) / frame.scale;
                let (min, max) = (corner(bounds.min), corner(bounds.max));
                // Covers the rounding of sums of up to three numbers.
                let slack = 4.0 * UNIT_ROUNDOFF * (max.abs().max(min.abs()) + frame.origin.abs() + self.origin.abs());
                let below = match self.tree.below(place) {
                    wide::Below::Node(node) => run(node),
                    wide::Below::Leaf(leaf) => Below::Run(1 + lanes + leaf.first, 1 + lanes + leaf.first + leaf.count),
                };
                let to_mesh = |x: DVec3| (x + frame.origin) + self.origin;
                (Aabb::new(to_mesh(min) - slack, to_mesh(max) + slack), below)
            }
            Some(place) => {
                let slot = place - lanes;
                (self.triangle(slot).bounds(), Below::Part(slot))
            }
        }
    }

    /// The triangle in a slot, in the frame of the mesh.
    #[must_use]
    pub fn triangle(&self, slot: u32) -> Triangle {
        Triangle::from_checked(self.corners(slot).map(|p| p + self.origin))
    }

    /// The triangle in a slot and one of its features, in the caller's numbering.
    #[must_use]
    pub fn named(&self, slot: u32, feature: Feature) -> (u32, Feature) {
        let id = self.ids[slot as usize];
        let feature = match feature {
            Feature::Vertex(k) => Feature::Vertex(self.triangles[slot as usize][k as usize % 3]),
            Feature::Edge(k) => Feature::Edge(3 * id + k),
            Feature::Face(_) => Feature::Face(id),
            Feature::Interior => Feature::Interior,
        };
        (id, feature)
    }
}

impl Mesh {
    /// A surface from points and triangles, each given as three indices into the list of points.
    ///
    /// # Errors
    /// [`Error::NoTriangles`], [`Error::NoSuchPoint`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`],
    /// [`Error::TooMany`].
    ///
    /// ```
    /// use clearance::{Error, Mesh};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(Mesh::new(&points, &[[0, 1, 2]])?.point_count(), 3);
    /// let wrong = Mesh::new(&points, &[[0, 1, 2], [0, 1, 3]]);
    /// assert_eq!(wrong.unwrap_err(), Error::NoSuchPoint { triangle: 1, point: 3, points: 3 });
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Mesh, Error> {
        if triangles.is_empty() {
            return Err(Error::NoTriangles);
        }
        if triangles.len() > MAX_TRIANGLES {
            return Err(Error::TooMany { what: "triangles", count: triangles.len() });
        }
        if u32::try_from(points.len()).is_err() {
            return Err(Error::TooMany { what: "points", count: points.len() });
        }
        let all = checked_bounds(points)?;
        let mut used = vec![false; points.len()];
        for (number, triangle) in triangles.iter().enumerate() {
            for &point in triangle {
                let Some(used) = used.get_mut(point as usize) else {
                    return Err(Error::NoSuchPoint { triangle: number, point, points: points.len() });
                };
                *used = true;
            }
        }
        let local = LocalPoints::new(points, &all, &used)?;
        let Built { tree, triangles, ids } = build(&local.points, triangles, (local.bounds.min, local.bounds.max));
        Ok(Mesh { surface: Arc::new(Surface::new(local, triangles, ids, tree)), solid: false })
    }

    /// The solid bounded by the triangles. They must be closed and wound counter-clockwise seen from outside, with each
    /// edge between two triangles. Shares all data with the surface.
    ///
    /// # Errors
    /// [`Error::NotSolid`] with the number of defective edges, [`Error::InsideOut`].
    ///
    /// ```
    /// use clearance::{Error, Mesh};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let open = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3]])?;
    /// assert!(matches!(open.solid(), Err(Error::NotSolid { edges: 3, .. })));
    /// let inside_out = Mesh::new(&points, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])?;
    /// assert!(matches!(inside_out.solid(), Err(Error::InsideOut { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn solid(&self) -> Result<Mesh, Error> {
        let triangles = self.triangles();
        if let Err(defects) = topology::closed_and_oriented(&triangles) {
            let edge = defects.first().map_or([0, 0], |defect| defect.edge);
            return Err(Error::NotSolid { edges: defects.len(), edge });
        }
        let volume = self.signed_volume();
        if volume < 0.0 {
            return Err(Error::InsideOut { volume });
        }
        Ok(Mesh { surface: Arc::clone(&self.surface), solid: true })
    }

    /// Whether the mesh is a solid rather than a surface.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.solid
    }

    /// The number of triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.surface.triangles.len()
    }

    /// The number of points, including those no triangle uses.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.surface.points.len()
    }

    /// The points in the mesh's local frame, bit for bit as given.
    pub fn points(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        self.surface.points.iter().map(|&p| p + self.surface.origin)
    }

    /// The triangles as point indices, in input order.
    #[must_use]
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = vec![[0; 3]; self.surface.triangles.len()];
        for (&id, &triangle) in self.surface.ids.iter().zip(&self.surface.triangles) {
            triangles[id as usize] = triangle;
        }
        triangles
    }

    /// A copy of the mesh with its points moved. See [`Mesh::move_points`].
    ///
    /// # Errors
    /// As [`Mesh::move_points`].
    ///
    /// ```
    /// use clearance::{Mesh, Shape};
    /// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let lifted = sheet.moved(&[[0.0, 0.0, 3.0], [1.0, 0.0, 3.0], [0.0, 1.0, 4.0]])?;
    /// assert_eq!(Shape::Mesh(lifted).bounds().max.z, 4.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn moved(&self, points: &[[f64; 3]]) -> Result<Mesh, Error> {
        let mut moved = self.clone();
        moved.move_points(points)?;
        Ok(moved)
    }

    /// Moves all points of the mesh. The tree is kept and its boxes are refitted in parallel: much faster than
    /// rebuilding it, and as good as long as neighbouring triangles stay neighbours. Clones of the mesh keep their
    /// points; without clones nothing is copied, and a surface allocates almost no memory.
    ///
    /// # Errors
    /// [`Error::WrongCount`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`], and [`Error::InsideOut`]
    /// for a solid turned inside out. On error the mesh is unchanged.
    ///
    /// ```
    /// use clearance::{Mesh, Shape};
    /// let mut sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let flat = sheet.clone();
    /// sheet.move_points(&[[0.0, 0.0, 3.0], [1.0, 0.0, 3.0], [0.0, 1.0, 4.0]])?;
    /// assert_eq!(Shape::Mesh(sheet).bounds().max.z, 4.0);
    /// assert_eq!(Shape::Mesh(flat).bounds().max.z, 0.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn move_points(&mut self, points: &[[f64; 3]]) -> Result<(), Error> {
        let old = &*self.surface;
        if points.len() != old.points.len() {
            return Err(Error::WrongCount { what: "points", expected: old.points.len(), count: points.len() });
        }
        let all = checked_bounds(points)?;
        let bounds = match old.every_point {
            true => all,
            false => bounds_of_used(points, &used(points.len(), &old.triangles)),
        };
        check_mesh_size(&bounds)?;
        if self.solid {
            let origin = local_origin(&bounds);
            let local: Vec<DVec3> = points.iter().map(|&p| DVec3::from_array(p) - origin).collect();
            let volume = signed_volume(&local, &old.triangles);
            if volume < 0.0 {
                return Err(Error::InsideOut { volume });
            }
        }
        Arc::make_mut(&mut self.surface).place(points, &bounds);
        Ok(())
    }

    /// Encodes the mesh with its tree, for [`Mesh::from_bytes`]. The encoding is versioned and has a checksum.
    ///
    /// ```
    /// use clearance::{Error, Mesh};
    /// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let mut bytes = sheet.to_bytes();
    /// assert_eq!(Mesh::from_bytes(&bytes)?, sheet);
    /// bytes[40] ^= 1;
    /// assert!(matches!(Mesh::from_bytes(&bytes), Err(Error::BadBytes { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let surface = &*self.surface;
        let mut out = Writer(Vec::with_capacity(self.bytes() + 128));
        out.0.extend(MAGIC);
        out.word(VERSION);
        out.word(u32::from(self.solid));
        out.long(surface.points.len() as u64);
        self.points().for_each(|p| out.vector(p));
        out.long(surface.triangles.len() as u64);
        surface.triangles.iter().flatten().for_each(|&p| out.word(p));
        surface.ids.iter().for_each(|&id| out.word(id));
        surface.tree.write(&mut out);
        let sum = checksum(&out.0);
        out.long(sum);
        out.0
    }

    /// Decodes a mesh written by [`Mesh::to_bytes`]. The bytes are not trusted, whatever their checksum: boxes are
    /// refitted to the triangles, and solids are validated as by [`Mesh::solid`]. No input makes it panic or use more
    /// memory than ten times the bytes.
    ///
    /// # Errors
    /// [`Error::BadBytes`] with the reason; [`Error::NotSolid`] or [`Error::InsideOut`] if the mesh claims to be a
    /// solid but is not; [`Error::NotFinite`] or [`Error::TooLarge`] for an invalid point.
    pub fn from_bytes(bytes: &[u8]) -> Result<Mesh, Error> {
        let bad = |what: &'static str| Error::BadBytes { what };
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(bad("too short"))?;
        let mut reader = Reader(body.strip_prefix(MAGIC).ok_or(bad("the signature is missing"))?);
        if reader.word() != Some(VERSION) {
            return Err(bad("written by another version; encode the mesh again"));
        }
        if u64::from_le_bytes(*sum) != checksum(body) {
            return Err(bad("checksum mismatch"));
        }
        let (points, surface, solid) = Mesh::read(&mut reader).ok_or(bad("truncated, or an index is out of range"))?;
        if !reader.0.is_empty() {
            return Err(bad("trailing bytes"));
        }
        let local = LocalPoints::new(&points, &checked_bounds(&points)?, &used(points.len(), &surface.triangles))?;
        let Built { mut tree, triangles, ids } = surface;
        tree.frame = Frame::about(local.bounds.min, local.bounds.max);
        let singles: Vec<Vec4> = local.points.iter().map(|&p| tree.frame.single(p)).collect();
        tree.fit(&singles, &triangles);
        let mesh = Mesh { surface: Arc::new(Surface::new(local, triangles, ids, tree)), solid: false };
        if solid { mesh.solid() } else { Ok(mesh) }
    }

    /// The points, the triangles with the structure of their tree, and whether they claim to be a solid.
    fn read(reader: &mut Reader<'_>) -> Option<(Vec<[f64; 3]>, Built, bool)> {
        let solid = match reader.word()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let count = reader.count(24)?;
        let points = (0..count).map(|_| reader.vector().map(|p| p.to_array())).collect::<Option<Vec<_>>>()?;
        let count = reader.count(16)?;
        if count == 0 || count > MAX_TRIANGLES {
            return None;
        }
        let mut triangles = vec![[0; 3]; count];
        for corner in triangles.iter_mut().flatten() {
            *corner = reader.word().filter(|&p| (p as usize) < points.len())?;
        }
        let ids = (0..count).map(|_| reader.word()).collect::<Option<Vec<_>>>()?;
        let mut named = vec![false; count];
        for &id in &ids {
            let named = named.get_mut(id as usize)?;
            if std::mem::replace(named, true) {
                return None;
            }
        }
        let tree = WideTree::read(reader, count)?;
        Some((points, Built { tree, triangles, ids }, solid))
    }

    /// Statistics of the bounding volume hierarchy.
    ///
    /// ```
    /// use clearance::Mesh;
    /// let sheet = Mesh::new(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// assert_eq!(sheet.tree_statistics().depth, 1);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn tree_statistics(&self) -> TreeStatistics {
        let tree = &self.surface.tree;
        TreeStatistics {
            nodes: tree.nodes.len(),
            leaves: tree.packets.len(),
            depth: tree.depth(),
            cost: tree.sah_cost(),
        }
    }

    /// Memory used by the mesh, in bytes. After [`contains`](crate::contains) or
    /// [`signed_distance`](crate::signed_distance) was called on a surface, this includes the data for winding numbers,
    /// about 14 bytes per triangle.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let surface = &*self.surface;
        size_of_val(&surface.points[..])
            + size_of_val(&surface.triangles[..])
            + size_of_val(&surface.ids[..])
            + surface.tree.bytes()
            + surface.moments.get().map_or(0, Moments::bytes)
            + surface.discs.get().map_or(0, |discs| size_of_val(&discs[..]))
            + surface.hulls.get().map_or(0, HullTree::bytes)
    }

    /// The number of components connected by shared points. Computed once, in linear time.
    ///
    /// ```
    /// use clearance::Mesh;
    /// let points =
    ///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]];
    /// assert_eq!(Mesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?.component_count(), 2);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn component_count(&self) -> usize {
        self.component_points().len()
    }

    /// A point of each connected component. Computed once, on the first containment query of a solid.
    pub(crate) fn component_points(&self) -> &[u32] {
        self.surface.component_points.get_or_init(|| {
            let triangles = &self.surface.triangles;
            let components = topology::components(triangles, topology::Through::Vertices);
            let mut points = vec![None; components.count as usize];
            for (triangle, &component) in triangles.iter().zip(&components.of_triangle) {
                points[component as usize].get_or_insert(triangle[0]);
            }
            points.into_iter().flatten().collect()
        })
    }

    fn signed_volume(&self) -> f64 {
        signed_volume(&self.surface.points, &self.surface.triangles)
    }

    pub(crate) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(crate) fn bounds(&self) -> Aabb {
        let surface = &*self.surface;
        Aabb::new(surface.bounds.min + surface.origin, surface.bounds.max + surface.origin)
    }

    /// A surface has zero volume; its centre is the centroid of its area.
    pub(crate) fn mass_properties(&self) -> MassProperties {
        let surface = &*self.surface;
        let local = if self.solid {
            mass::of_polytope(&surface.points, &surface.triangles)
        } else {
            let (mut area, mut moment) = (0.0, DVec3::ZERO);
            for slot in 0..surface.triangles.len() as u32 {
                let [a, b, c] = surface.corners(slot);
                let weight = (b - a).cross(c - a).length();
                area += weight;
                moment += weight * (a + b + c) / 3.0;
            }
            let center = if area > 0.0 { moment / area } else { surface.bounds.center() };
            MassProperties { center, ..mass::of_polytope(&[center], &[]) }
        };
        MassProperties { center: local.center + surface.origin, ..local }
    }

    /// The mesh scaled by a power of two; `None` if out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Mesh> {
        let points: Vec<[f64; 3]> = self.points().map(|p| (p * factor).to_array()).collect();
        let mesh = Mesh::new(&points, &self.triangles()).ok()?;
        Some(Mesh { solid: self.solid, ..mesh })
    }
}

impl Mesh {
    /// Some order of meshes that depends on their content only.
    pub(crate) fn content_order(&self, other: &Mesh) -> Ordering {
        let count = self.triangle_count().cmp(&other.triangle_count());
        let content = || match Arc::ptr_eq(&self.surface, &other.surface) {
            true => Ordering::Equal,
            false => self.surface.hash().cmp(&other.surface.hash()),
        };
        count.then_with(content).then(self.solid.cmp(&other.solid))
    }
}

// The points and triangles in input order. The tree is rebuilt, to the same bits.
#[cfg(feature = "serde")]
data_form!(
    Mesh {
        points: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
        #[serde(default)]
        solid: bool,
    },
    |mesh| {
        let Surface { points, origin, .. } = &*mesh.surface;
        let points = points.iter().map(|&point| given_point(point, *origin).to_array());
        (points.collect(), mesh.triangles(), mesh.solid)
    },
    |points: Vec<_>, triangles: Vec<_>, solid| {
        let surface = Mesh::new(&points, &triangles)?;
        if solid { surface.solid() } else { Ok(surface) }
    },
);

impl PartialEq for Mesh {
    /// Equal points and triangles in the same order, and both solids or both surfaces.
    fn eq(&self, other: &Mesh) -> bool {
        let (a, b) = (&*self.surface, &*other.surface);
        self.solid == other.solid
            && (Arc::ptr_eq(&self.surface, &other.surface)
                || (a.hash() == b.hash()
                    && a.origin == b.origin
                    && a.points == b.points
                    && a.ids == b.ids
                    && a.triangles == b.triangles))
    }
}

/// Signature of an encoded mesh.
const MAGIC: &[u8] = b"clearance mesh\0\0";

/// Version of the encoding; only the same version is read.
const VERSION: u32 = 3;

/// Statistics of a mesh's bounding volume hierarchy: see [`Mesh::tree_statistics`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TreeStatistics {
    /// Number of nodes, of up to eight boxes each.
    pub nodes: usize,
    /// Number of leaves, of up to eight triangles each.
    pub leaves: usize,
    /// Number of nodes on the longest path from the root to a leaf.
    pub depth: usize,
    /// Cost by the surface area heuristic: the average number of boxes hit by a line that hits the root box.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub cost: f64,
}

/// Points per parallel task.
const POINTS_PER_TASK: usize = 8192;

/// The bounding box of all points, if all coordinates are valid.
pub(crate) fn checked_bounds(points: &[[f64; 3]]) -> Result<Aabb, Error> {
    let (mut min, mut max, mut sum) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], [0.0; 3]);
    for p in points {
        for k in 0..3 {
            min[k] = if p[k] < min[k] { p[k] } else { min[k] };
            max[k] = if p[k] > max[k] { p[k] } else { max[k] };
            // NaN once any coordinate is NaN or infinite; otherwise zero.
            sum[k] += 0.0 * p[k];
        }
    }
    let fits = |x: &f64| x.abs() <= MAX_COORDINATE;
    if points.is_empty() || min.iter().chain(&max).all(fits) && sum.iter().all(|x| !x.is_nan()) {
        return Ok(Aabb::new(DVec3::from_array(min), DVec3::from_array(max)));
    }
    points.iter().enumerate().try_for_each(|(index, &p)| check_coordinates("point", index, DVec3::from_array(p)))?;
    Ok(Aabb::new(DVec3::from_array(min), DVec3::from_array(max)))
}

/// Rejects a mesh that is too small, unless it is a single point.
fn check_mesh_size(bounds: &Aabb) -> Result<(), Error> {
    check_size("size of the mesh", bounds.size().max_element())
}

/// The bounding box of the points in use.
fn bounds_of_used(points: &[[f64; 3]], used: &[bool]) -> Aabb {
    let corners = points.iter().zip(used).filter(|&(_, &used)| used);
    corners.fold(Aabb::EMPTY, |bounds, (&p, _)| bounds.including(DVec3::from_array(p)))
}

/// Which points are used by triangles.
fn used(points: usize, triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut used = vec![false; points];
    triangles.iter().flatten().for_each(|&p| used[p as usize] = true);
    used
}

/// The largest distance of a corner from the origin, from its square, rounded up. It is zero or at least half of
/// `MIN_SIZE`, so its square is in range.
fn radius(squared: f64) -> f64 {
    squared.sqrt() * ROUND_UP
}

/// A bound on the distance between two corners.
fn diameter(bounds: &Aabb, radius: f64) -> f64 {
    (rounded_up_length(bounds.size()) * ROUND_UP).min(2.0 * radius)
}

/// Points relative to a local origin, bounds and radius of those in use, and whether all are in use.
struct LocalPoints {
    origin: DVec3,
    points: Vec<DVec3>,
    bounds: Aabb,
    radius: f64,
    every_point: bool,
}

impl LocalPoints {
    /// From the points, the bounding box of all of them, and which are in use.
    fn new(points: &[[f64; 3]], all: &Aabb, used: &[bool]) -> Result<LocalPoints, Error> {
        let every_point = used.iter().all(|&used| used);
        let bounds = if every_point { *all } else { bounds_of_used(points, used) };
        check_mesh_size(&bounds)?;
        let origin = local_origin(&bounds);
        let bounds = Aabb::new(bounds.min - origin, bounds.max - origin);
        let points: Vec<DVec3> = points.iter().map(|&p| DVec3::from_array(p) - origin).collect();
        let squared = |(p, &used): (&DVec3, &bool)| if used { p.length_squared() } else { 0.0 };
        let most = points.iter().zip(used).map(squared).fold(0.0, |most, x| if x > most { x } else { most });
        Ok(LocalPoints { origin, points, bounds, radius: radius(most), every_point })
    }
}
