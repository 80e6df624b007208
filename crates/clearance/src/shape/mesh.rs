//! Meshes: any set of triangles, as a surface or as the solid that it bounds.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::mass::{self, MassProperties};
use super::{local_origin, rounded_up_length};
use crate::bound::Aabb;
use crate::error::{Error, check_coordinates};
use crate::geom::topology;
use crate::math::tolerances::{MAX_TRIANGLES, ROUND_UP};
use crate::tree::build::build;
use crate::tree::wide::WideTree;
use crate::tree::winding::Moments;

/// A set of triangles that share points.
///
/// As it is made, a mesh is a *surface*: its triangles and nothing between them. Every defect a file can have is legal:
/// triangles without area, duplicates, cracks, edges with three triangles. [`Mesh::solid`] makes it the solid that the
/// triangles bound, if they do. Answers name a triangle by its place in the list given, `Face(t)`; its edge from corner
/// `k` to the next is `Edge(3 t + k)`, and `Vertex(p)` is point `p` of the list.
///
/// Immutable and shared: a clone costs nothing. It owns one tree of boxes, built here, in parallel; in all it takes some
/// 60 bytes a triangle.
///
/// ```
/// use clearance::{Mesh, Pose, Shape, distance, glam::DVec3};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let corner = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?.solid()?;
/// assert_eq!(corner.triangle_count(), 4);
/// let (corner, ball) = (Shape::Mesh(corner), Shape::sphere(1.0)?);
/// let away = Pose::from_translation(DVec3::new(-3.0, 0.25, 0.25))?;
/// assert!((distance(&corner, &Pose::IDENTITY, &ball, &away).value - 2.0).abs() < 1e-14);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mesh {
    surface: Arc<Surface>,
    solid: bool,
}

/// The triangles of a mesh with their tree.
#[derive(Debug)]
pub(crate) struct Surface {
    /// What the stored points are relative to: see [`local_origin`].
    pub origin: DVec3,
    /// Relative to `origin`, exact, in the order given.
    pub points: Vec<DVec3>,
    /// In leaf order.
    pub triangles: Vec<[u32; 3]>,
    /// The number of each triangle in the list given, in leaf order.
    pub ids: Vec<u32>,
    pub tree: WideTree,
    /// Of the corners of triangles, relative to `origin`.
    pub bounds: Aabb,
    /// Largest distance of a corner from `origin`, rounded up.
    pub radius: f64,
    /// Bound on the distance of two corners.
    pub diameter: f64,
    /// Of everything given.
    pub hash: u64,
    /// Made when a winding number is first asked for.
    moments: OnceLock<Moments>,
}

impl Surface {
    /// The corners of the triangle in a slot, relative to the origin.
    #[inline(always)]
    pub fn corners(&self, slot: u32) -> [DVec3; 3] {
        self.triangles[slot as usize].map(|p| self.points[p as usize])
    }

    /// The moments of the tree, for winding numbers.
    pub fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| Moments::of(&self.tree, |slot| self.corners(slot)))
    }
}

impl Mesh {
    /// The surface of the triangles between points, each named by three places in the list of points.
    ///
    /// # Errors
    /// [`Error::NoTriangles`], [`Error::NoSuchPoint`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooMany`].
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
        let mut own: Vec<DVec3> = points.iter().map(|&p| DVec3::from_array(p)).collect();
        for (index, &point) in own.iter().enumerate() {
            check_coordinates("point", index, point)?;
        }
        let mut bounds = Aabb::EMPTY;
        for (number, triangle) in triangles.iter().enumerate() {
            for &corner in triangle {
                let Some(&point) = own.get(corner as usize) else {
                    return Err(Error::NoSuchPoint { triangle: number, point: corner, points: points.len() });
                };
                bounds = bounds.including(point);
            }
        }
        let origin = local_origin(&bounds);
        if origin != DVec3::ZERO {
            for point in &mut own {
                *point -= origin;
            }
        }
        let bounds = Aabb::new(bounds.min - origin, bounds.max - origin);
        let (tree, ids) = build(&own, triangles);
        let in_order: Vec<[u32; 3]> = ids.iter().map(|&id| triangles[id as usize]).collect();
        let radius = in_order.iter().flatten().map(|&p| own[p as usize].length_squared()).fold(0.0, f64::max);
        // Squares of what is too small for them count as the box.
        let radius = if radius > 1e-280 {
            radius.sqrt() * ROUND_UP
        } else {
            rounded_up_length(bounds.min.abs().max(bounds.max.abs()))
        };
        let diameter = (rounded_up_length(bounds.size()) * ROUND_UP).min(2.0 * radius);
        let hash = content_hash(points, triangles);
        let surface = Surface {
            origin,
            points: own,
            triangles: in_order,
            ids,
            tree,
            bounds,
            radius,
            diameter,
            hash,
            moments: OnceLock::new(),
        };
        Ok(Mesh { surface: Arc::new(surface), solid: false })
    }

    /// The solid that the triangles bound: closed, wound counter-clockwise seen from outside, each edge between two triangles.
    /// Shares all data with the surface.
    ///
    /// # Errors
    /// [`Error::NotSolid`] with the number of edges at fault, [`Error::InsideOut`].
    ///
    /// ```
    /// use clearance::{Error, Mesh};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let open = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3]])?;
    /// assert!(matches!(open.solid(), Err(Error::NotSolid { edges: 3, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn solid(&self) -> Result<Mesh, Error> {
        let triangles = self.triangles();
        if let Err(defects) = topology::closed_and_oriented(&triangles) {
            let edge = defects.first().map_or([0, 0], |defect| defect.edge);
            return Err(Error::NotSolid { edges: defects.len(), edge });
        }
        let volume = mass::of_polytope(&self.surface.points, &triangles).volume;
        if volume < 0.0 {
            return Err(Error::InsideOut { volume });
        }
        Ok(Mesh { surface: Arc::clone(&self.surface), solid: true })
    }

    /// Whether the mesh is a solid, not a surface.
    pub fn is_solid(&self) -> bool {
        self.solid
    }

    /// How many triangles.
    pub fn triangle_count(&self) -> usize {
        self.surface.triangles.len()
    }

    /// How many points.
    pub fn point_count(&self) -> usize {
        self.surface.points.len()
    }

    /// The points, bit for bit as given.
    pub fn points(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        self.surface.points.iter().map(|&p| p + self.surface.origin)
    }

    /// The triangles in the order given.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = vec![[0; 3]; self.surface.triangles.len()];
        for (&id, &triangle) in self.surface.ids.iter().zip(&self.surface.triangles) {
            triangles[id as usize] = triangle;
        }
        triangles
    }

    /// What the mesh takes in memory, in bytes. Of a surface whose inside was asked for ([`contains`](crate::contains),
    /// [`signed_distance`](crate::signed_distance)) that includes what was made for winding numbers, some 14 a triangle.
    pub fn bytes(&self) -> usize {
        let surface = &*self.surface;
        size_of_val(&surface.points[..])
            + size_of_val(&surface.triangles[..])
            + size_of_val(&surface.ids[..])
            + surface.tree.bytes()
            + surface.moments.get().map_or(0, Moments::bytes)
    }

    pub(crate) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(crate) fn bounds(&self) -> Aabb {
        let surface = &*self.surface;
        Aabb::new(surface.bounds.min + surface.origin, surface.bounds.max + surface.origin)
    }

    /// A surface has no volume; its middle is that of its area.
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

    /// The mesh times a power of two; `None` if that is out of range.
    pub(crate) fn scaled(&self, factor: f64) -> Option<Mesh> {
        let points: Vec<[f64; 3]> = self.points().map(|p| (p * factor).to_array()).collect();
        let mesh = Mesh::new(&points, &self.triangles()).ok()?;
        Some(Mesh { solid: self.solid, ..mesh })
    }
}

impl PartialEq for Mesh {
    /// The same points and triangles in the same order, and both solid or not.
    fn eq(&self, other: &Mesh) -> bool {
        let (a, b) = (&*self.surface, &*other.surface);
        self.solid == other.solid
            && (Arc::ptr_eq(&self.surface, &other.surface)
                || (a.hash == b.hash
                    && a.origin == b.origin
                    && a.points == b.points
                    && a.ids == b.ids
                    && a.triangles == b.triangles))
    }
}

/// Fowler, Noll and Vo's hash, eight bytes at a time.
fn content_hash(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    points.iter().flatten().for_each(|x| add(x.to_bits()));
    triangles.iter().flatten().for_each(|&v| add(u64::from(v)));
    hash
}
