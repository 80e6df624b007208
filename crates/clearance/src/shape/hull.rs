//! Convex hulls of points.

use std::sync::Arc;

use fearless_simd::Simd;
use glam::DVec3;

use super::mass::{self, MassProperties};
use super::support::{Candidates, Farthest, FewVertices};
use crate::bound::Aabb;
#[cfg(feature = "serde")]
use crate::bound::extent::given_point;
use crate::bound::extent::{local_origin, rounded_up_length};
use crate::error::{Error, check_coordinates, check_size};
use crate::geom::closest::closest_on_triangle;
use crate::geom::hull::{HullError, HullMesh, convex_hull};
use crate::geom::topology::Csr;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;

/// The convex hull of points: an exact polytope. Only extreme points become vertices; points inside, on a face or on an
/// edge are dropped.
///
/// Vertices are numbered in the order of the input points. Answers give a vertex by its index among the input points
/// ([`ConvexHull::input_index`]), an edge by its index in [`ConvexHull::edges`], a face by its index in
/// [`ConvexHull::faces`].
///
/// Memory: about 200 bytes per vertex, plus 1.2 KiB up to 32 vertices. Above that, candidate lists (`docs/shape.md`): 8
/// KiB for 64 vertices on a sphere, 42 for 256, 71 for 1024, 311 for 4096, up to three times as much for prisms.
///
/// ```
/// use clearance::shape::ConvexHull;
///
/// let mut points = vec![[0.5, 0.5, 0.5]];
/// points.extend((0..8).map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)]));
/// let cube = ConvexHull::new(&points)?;
/// assert_eq!((cube.vertex_count(), cube.edges().len(), cube.faces().count()), (8, 12, 6));
/// assert_eq!(cube.input_index(0), 1);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvexHull {
    hull: Arc<Hull>,
}

/// The shared data of a [`ConvexHull`].
#[derive(Debug)]
pub(crate) struct Hull {
    /// Origin of the stored vertices, see [`local_origin`].
    pub origin: DVec3,
    /// The vertices relative to `origin`, exact.
    pub vertices: Vec<DVec3>,
    pub mesh: HullMesh,
    /// For each vertex, its incident faces.
    vertex_faces: Csr,
    /// For each vertex, the start of the run of edges in which it is the lower end.
    edge_offsets: Vec<u32>,
    /// The neighbours of each edge; empty for a segment.
    beside: Vec<Beside>,
    /// Adjacency as bit sets, for hulls of at most 32 vertices.
    joints: Option<Joints>,
    pub search: SupportSearch,
    /// Largest distance of a vertex from `origin`, rounded up.
    pub radius: f64,
    /// Bound on the distance between two vertices, at most √3 times too large.
    pub diameter: f64,
    bounds: Aabb,
    /// Hash of the vertices: part of the total order of bodies.
    pub hash: u64,
}

/// How the support vertex along a direction is found. Both ways return the same vertex.
#[derive(Debug)]
pub(crate) enum SupportSearch {
    /// Scan of all vertices.
    Scan(Box<FewVertices>),
    /// Scan of the candidates of the direction's cell.
    Cells(Candidates),
}

/// An edge with its neighbours in one record: separate tables would cost one cache miss after the other.
#[derive(Clone, Copy, Debug)]
struct Beside {
    /// The vertex of higher index; the lower one is implied by the edge's place in the list.
    high: u32,
    /// The faces on both sides; the same face twice for a polygon.
    faces: [u32; 2],
    /// Their third vertices, or [`NO_TRIANGLE`].
    thirds: [u32; 2],
}

/// Marks a face with more than three vertices, in place of the third one.
const NO_TRIANGLE: u32 = u32::MAX;

/// The edges and faces of a hull of at most 32 vertices as vertex bit sets. Lookups need no search, whose branches
/// would be mispredicted.
#[derive(Debug)]
struct Joints {
    /// For each vertex, its neighbours of higher index.
    joined: Vec<u32>,
    /// For each face, its vertices.
    corners: Vec<u32>,
}

impl Joints {
    /// Requires `mesh.edges` in ascending order.
    fn new(vertices: usize, mesh: &HullMesh) -> Option<Joints> {
        if vertices > FewVertices::MOST {
            return None;
        }
        let mut joined = vec![0; vertices];
        for &[low, high] in &mesh.edges {
            joined[low as usize] |= 1 << high;
        }
        let corners = mesh.faces.iter().map(|face| face.iter().fold(0, |set, corner| set | 1 << corner)).collect();
        Some(Joints { joined, corners })
    }

    /// The place of edge `low`-`high` in the run of edges with lower end `low`; `None` if there is no such edge.
    #[inline(always)]
    fn place(&self, low: u32, high: u32) -> Option<u32> {
        let joined = self.joined[low as usize];
        let to = 1u32 << (high & 31);
        (joined & to != 0).then(|| (joined & (to - 1)).count_ones())
    }
}

impl ConvexHull {
    /// The hull of points that span space.
    ///
    /// # Errors
    /// [`Error::FlatHull`] and those of [`ConvexHull::flat`].
    pub fn new(points: &[[f64; 3]]) -> Result<ConvexHull, Error> {
        let hull = ConvexHull::flat(points)?;
        match hull.dimension() {
            3 => Ok(hull),
            dimension => Err(Error::FlatHull { dimension, points: points.len() }),
        }
    }

    /// The hull of any points, which may be a polygon, a segment or a single point.
    ///
    /// # Errors
    /// [`Error::NoPoints`], [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooSmall`] for points that are neither
    /// all equal nor 1e-60 apart on any axis, [`Error::TooMany`].
    pub fn flat(points: &[[f64; 3]]) -> Result<ConvexHull, Error> {
        if points.is_empty() {
            return Err(Error::NoPoints);
        }
        if u32::try_from(points.len()).is_err() {
            return Err(Error::TooMany { what: "points", count: points.len() });
        }
        let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
        for (index, &point) in points.iter().enumerate() {
            check_coordinates("point", index, point)?;
        }
        let bounds = points.iter().fold(Aabb::EMPTY, |bounds, &v| bounds.including(v));
        check_size("size of the hull", bounds.size().max_element())?;
        let mesh = convex_hull(&points).map_err(|error| match error {
            HullError::Empty => Error::NoPoints,
            HullError::NotFinite { index } | HullError::TooLarge { index } => Error::NotFinite { what: "point", index },
            HullError::TooMany => Error::TooMany { what: "points", count: points.len() },
        })?;
        Ok(ConvexHull { hull: Arc::new(Hull::new(&points, mesh)) })
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.hull.vertices.len()
    }

    /// The vertices in the body's local frame, bit for bit as given.
    pub fn vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.hull.vertices.iter().map(|v| *v + self.hull.origin)
    }

    /// The index of a vertex among the input points.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[must_use]
    pub fn input_index(&self, vertex: usize) -> u32 {
        self.hull.mesh.vertices[vertex]
    }

    /// 3 for a solid, 2 for a polygon, 1 for a segment, 0 for a point.
    #[must_use]
    pub fn dimension(&self) -> u8 {
        self.hull.mesh.dimension
    }

    /// The boundary as triangles of vertex indices, counter-clockwise seen from outside; one side only for a polygon.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.hull.mesh.triangles
    }

    /// The faces as loops of vertex indices, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.hull.mesh.faces.iter()
    }

    /// The edges as pairs of vertex indices.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.hull.mesh.edges
    }

    /// The hull scaled by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> ConvexHull {
        let hull = &self.hull;
        let vertices = hull.vertices.iter().map(|v| *v * factor).collect();
        let bounds = Aabb::new(hull.bounds.min * factor, hull.bounds.max * factor);
        ConvexHull { hull: Arc::new(Hull::from_local(hull.origin * factor, vertices, bounds, hull.mesh.clone())) }
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.hull.bounds
    }

    pub(crate) fn hull(&self) -> &Hull {
        &self.hull
    }

    pub(crate) fn mass_properties(&self) -> MassProperties {
        let surface: &[[u32; 3]] = if self.dimension() == 3 { self.triangles() } else { &[] };
        let local = mass::of_polytope(&self.hull.vertices, surface);
        MassProperties { center: local.center + self.hull.origin, ..local }
    }
}

// The vertices, and their indices among the input points unless all of those were vertices.
#[cfg(feature = "serde")]
data_form!(
    ConvexHull {
        points: Vec<[f64; 3]>,
        #[serde(default)]
        indices: Option<Vec<u32>>,
        #[serde(default)]
        flat: bool,
    },
    ConvexHull::data,
    ConvexHull::from_data,
);

#[cfg(feature = "serde")]
impl ConvexHull {
    fn data(&self) -> (Vec<[f64; 3]>, Option<Vec<u32>>, bool) {
        let hull = &*self.hull;
        let points = hull.vertices.iter().map(|&v| given_point(v, hull.origin).to_array()).collect();
        let indices = &hull.mesh.vertices;
        let are_all = indices.iter().zip(0..).all(|(&index, place)| index == place);
        (points, (!are_all).then(|| indices.clone()), self.dimension() < 3)
    }

    fn from_data(points: Vec<[f64; 3]>, indices: Option<Vec<u32>>, flat: bool) -> Result<ConvexHull, String> {
        let made = if flat { ConvexHull::flat(&points) } else { ConvexHull::new(&points) };
        let mut made = made.map_err(|error| error.to_string())?;
        let Some(indices) = indices else { return Ok(made) };
        if indices.len() != points.len() {
            let error = Error::WrongCount { what: "indices", expected: points.len(), count: indices.len() };
            return Err(error.to_string());
        }
        if let Some(place) = indices.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(format!("index {} of the hull is not greater than its predecessor", place + 1));
        }
        let corners = &made.hull.mesh.vertices;
        if let Some(place) = (0..points.len() as u32).find(|place| corners.get(*place as usize) != Some(place)) {
            return Err(format!(
                "point {place} is not a vertex of the hull: with indices, all points must be vertices"
            ));
        }
        if let Some(hull) = Arc::get_mut(&mut made.hull) {
            hull.mesh.vertices = indices;
        }
        Ok(made)
    }
}

impl PartialEq for ConvexHull {
    fn eq(&self, other: &ConvexHull) -> bool {
        Arc::ptr_eq(&self.hull, &other.hull)
            || (self.hull.origin == other.hull.origin && self.hull.vertices == other.hull.vertices)
    }
}

impl Hull {
    fn new(points: &[DVec3], mesh: HullMesh) -> Hull {
        let mut vertices: Vec<DVec3> = mesh.vertices.iter().map(|&i| points[i as usize]).collect();
        let bounds = vertices.iter().fold(Aabb::EMPTY, |bounds, &v| bounds.including(v));
        let origin = local_origin(&bounds);
        for v in &mut vertices {
            *v -= origin;
        }
        Hull::from_local(origin, vertices, bounds, mesh)
    }

    /// From vertices relative to the local origin.
    fn from_local(origin: DVec3, vertices: Vec<DVec3>, bounds: Aabb, mesh: HullMesh) -> Hull {
        let radius = vertices.iter().map(|v| rounded_up_length(*v)).fold(0.0, f64::max);
        let diameter = rounded_up_length(bounds.size()).min(2.0 * radius);
        let hash = content_hash(origin, &vertices);
        let search = match FewVertices::new(&vertices) {
            Some(few) => SupportSearch::Scan(Box::new(few)),
            None => SupportSearch::Cells(Candidates::new(&vertices)),
        };
        let mut faces_of = vec![Vec::new(); vertices.len()];
        for (face, corners) in mesh.faces.iter().enumerate() {
            for &corner in corners {
                faces_of[corner as usize].push(face as u32);
            }
        }
        let vertex_faces = Csr::from_lists(faces_of);
        let edge_offsets = (0..=vertices.len() as u32)
            .map(|vertex| mesh.edges.partition_point(|edge| edge[0] < vertex) as u32)
            .collect();
        let third = |face: u32, p: u32, q: u32| match *mesh.faces.get(face as usize) {
            [a, b, c] => a ^ b ^ c ^ p ^ q,
            _ => NO_TRIANGLE,
        };
        let beside = mesh
            .edges
            .iter()
            .filter_map(|&[p, q]| {
                let (of_p, of_q) = (vertex_faces.get(p as usize), vertex_faces.get(q as usize));
                let mut common = of_p.iter().copied().filter(|face| of_q.contains(face));
                let first = common.next()?;
                let faces = [first, common.next().unwrap_or(first)];
                Some(Beside { high: q, faces, thirds: faces.map(|face| third(face, p, q)) })
            })
            .collect();
        let joints = Joints::new(vertices.len(), &mesh);
        Hull {
            origin,
            vertices,
            mesh,
            vertex_faces,
            edge_offsets,
            beside,
            joints,
            search,
            radius,
            diameter,
            bounds,
            hash,
        }
    }

    /// The edge between two vertices.
    #[inline(always)]
    #[must_use]
    pub fn edge_between(&self, p: u32, q: u32) -> Option<u32> {
        let (low, high) = (p.min(q), p.max(q));
        let (begin, end) = (self.edge_offsets[low as usize], self.edge_offsets[low as usize + 1]);
        if let Some(joints) = &self.joints {
            return joints.place(low, high).map(|place| begin + place);
        }
        let candidates = &self.beside[begin as usize..end as usize];
        if candidates.len() > 8 {
            return candidates.iter().position(|edge| edge.high == high).map(|k| begin + k as u32);
        }
        // Always eight comparisons: an early exit would be mispredicted.
        let last = candidates.len().checked_sub(1)?;
        let mut found = u32::MAX;
        for k in (0..8).rev() {
            let k: usize = if k > last { last } else { k };
            if candidates[k].high == high {
                found = begin + k as u32;
            }
        }
        (found != u32::MAX).then_some(found)
    }

    /// The face next to an edge that contains a given third vertex.
    #[inline(always)]
    #[must_use]
    pub fn face_beside(&self, edge: u32, third: u32) -> Option<u32> {
        let Beside { faces: sides, thirds, .. } = *self.beside.get(edge as usize)?;
        if let Some(joints) = &self.joints {
            let has = |face: u32| joints.corners[face as usize] >> (third & 31) & 1 != 0;
            let side = if has(sides[0]) { sides[0] } else { sides[1] };
            return has(side).then_some(side);
        }
        let side = if thirds[0] == third { 0 } else { 1 };
        if thirds[side] == third {
            return Some(sides[side]);
        }
        self.polygon_beside(sides, third)
    }

    /// As [`Hull::face_beside`], for faces that may have more than three vertices.
    #[inline(never)]
    fn polygon_beside(&self, sides: [u32; 2], third: u32) -> Option<u32> {
        sides.into_iter().find(|&face| self.mesh.faces.get(face as usize).contains(&third))
    }

    /// The face across the edge `p`-`q` of a face.
    #[must_use]
    pub fn face_across(&self, face: u32, p: u32, q: u32) -> Option<u32> {
        let sides = self.beside.get(self.edge_between(p, q)? as usize)?.faces;
        Some(if sides[0] == face { sides[1] } else { sides[0] })
    }

    /// The faces incident to a vertex.
    #[must_use]
    pub fn faces_about(&self, vertex: u32) -> &[u32] {
        self.vertex_faces.get(vertex as usize)
    }

    /// The first face that contains all of these vertices. For vertices not joined by an edge.
    #[cold]
    #[must_use]
    pub fn face_through(&self, vertices: &[u32]) -> Option<u32> {
        let (&first, rest) = vertices.split_first()?;
        let holds = |vertex: u32, face: u32| self.vertex_faces.get(vertex as usize).contains(&face);
        self.vertex_faces.get(first as usize).iter().copied().find(|&face| rest.iter().all(|&v| holds(v, face)))
    }

    /// The face nearest to a point, by a scan of all triangles; `None` for points and segments.
    #[cold]
    #[must_use]
    pub fn nearest_face(&self, point: DVec3) -> Option<u32> {
        let squared = |t: &[u32; 3]| {
            let [p, q, r] = t.map(|i| self.vertices[i as usize]);
            closest_on_triangle(point, p, q, r).point.distance_squared(point)
        };
        let triangles = self.mesh.triangles.iter().map(squared).enumerate();
        let nearest = triangles.min_by(|x, y| x.1.total_cmp(&y.1))?.0;
        Some(self.mesh.face_of_triangle[nearest])
    }

    /// The vertex farthest along `direction`: the first of those with the largest `direction.dot(vertex)`.
    #[inline(always)]
    #[must_use]
    pub fn farthest<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        match &self.search {
            SupportSearch::Scan(few) => few.support(simd, &self.vertices, direction),
            SupportSearch::Cells(candidates) => candidates.support(simd, &self.vertices, direction),
        }
    }

    /// Three vertices far along `direction`, possibly repeated, as a start for a search.
    #[inline(always)]
    #[must_use]
    pub fn three_far<S: Simd>(&self, simd: S, direction: DVec3) -> [u32; 3] {
        match &self.search {
            SupportSearch::Scan(few) => few.three_far(simd, &self.vertices, direction),
            SupportSearch::Cells(candidates) => candidates.three_far(simd, &self.vertices, direction),
        }
    }
}

/// FNV-1a over the bits of the coordinates: stable across runs and platforms.
fn content_hash(origin: DVec3, vertices: &[DVec3]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for value in std::iter::once(&origin).chain(vertices).flat_map(|v| v.to_array()) {
        // +0 and -0 are the same coordinate.
        let bits = (value + 0.0).to_bits();
        hash = (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hulls of points on a sphere, and prisms with many coplanar vertices.
    fn hulls() -> Vec<ConvexHull> {
        let on_ball = |count: usize| -> Vec<[f64; 3]> {
            let turn = |k: usize| (k as f64 * 2.4).sin_cos();
            let height = |k: usize| 1.0 - (2 * k + 1) as f64 / count as f64;
            let across = |k: usize| (1.0 - height(k) * height(k)).sqrt();
            (0..count).map(|k| [turn(k).1 * across(k), turn(k).0 * across(k), height(k)]).collect()
        };
        let prism = |sides: u32| -> Vec<[f64; 3]> {
            let turn = |k: u32| (f64::from(k / 2) * std::f64::consts::TAU / f64::from(sides)).sin_cos();
            let height = |k: u32| if k.is_multiple_of(2) { -1.0 } else { 1.0 };
            (0..2 * sides).map(|k| [turn(k).1, turn(k).0, height(k)]).collect()
        };
        let sizes = [4, 8, 31, 32, 33, 90];
        let all = sizes.into_iter().map(on_ball).chain([prism(12), prism(20)]);
        all.map(|points| ConvexHull::new(&points).unwrap()).collect()
    }

    #[test]
    fn edges_and_faces_are_found_by_their_vertices() {
        for hull in hulls() {
            let (hull, count) = (hull.hull(), hull.vertex_count() as u32);
            for p in 0..count {
                for q in (0..count).filter(|&q| q != p) {
                    let expected = hull.mesh.edges.iter().position(|edge| *edge == [p.min(q), p.max(q)]);
                    assert_eq!(hull.edge_between(p, q), expected.map(|k| k as u32), "{count}: {p} {q}");
                    let Some(edge) = expected else { continue };
                    for third in (0..count).filter(|&third| third != p && third != q) {
                        let on = |face: &[u32]| [p, q, third].iter().all(|v| face.contains(v));
                        let expected = hull.mesh.faces.iter().position(on);
                        assert_eq!(hull.face_beside(edge as u32, third), expected.map(|k| k as u32), "{p} {q} {third}");
                    }
                }
            }
        }
    }
}
