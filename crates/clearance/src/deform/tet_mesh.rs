//! A mesh of tetrahedra whose points move independently: its elements, their neighbours, and the faces of its surface.
//!
//! What follows from the numbering alone, neighbours and surface, is computed once and shared by clones. Orientation is
//! a property of the points: it is decided exactly where it is asked for, so moving points costs no more than storing
//! them. Inverted and flat tetrahedra are legal, since a solver that overshoots produces them and has to be told which
//! they are.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use crate::answer::tets::{SurfaceFace, TetHealth};
use crate::bound::Aabb;
use crate::error::Error;
use crate::geom::triangle_tetrahedron::TET_FACES;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::predicates::{Sign, orient3d};
use crate::parallel;
use crate::shape::{Mesh, checked_bounds};

/// The most tetrahedra of a mesh: each has four faces, and the tree over these stores a slot in 28 bits.
const MAX_TETS: usize = 1 << 26;

/// How many tetrahedra are oriented as one piece of work.
const PIECE: usize = 4096;

/// Where a face has no neighbour.
const NONE: u32 = u32::MAX;

/// Tetrahedra of fixed topology whose points move: soft tissue, rubber, anything that a finite element solver deforms.
///
/// Faces without a second tetrahedron are its surface, [`TetMesh::surface_faces`]. [`tet_pairs`](crate::tet_pairs())
/// finds where the surface of one mesh meets the volume of another, [`tet_self_pairs`](crate::tet_self_pairs()) where
/// it meets its own.
///
/// A tetrahedron with corners `p0 p1 p2 p3` is positive if `p3` is on the side of the plane `p0 p1 p2` from which these
/// turn counter-clockwise: `(p1 - p0) x (p2 - p0) . (p3 - p0) > 0`, as in Gmsh and VTK. Others are inverted or flat;
/// [`TetMesh::health`] lists them, and no query refuses them: a tetrahedron is the set of points between its corners,
/// whatever their order. Points not used by any tetrahedron are ignored.
///
/// Takes 24 bytes per point, 36 per tetrahedron and 24 per face of the surface.
///
/// ```
/// use clearance::TetMesh;
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
/// let mut mesh = TetMesh::new(&points, &[[0, 1, 2, 3], [1, 2, 3, 4]])?;
/// assert_eq!(mesh.neighbours(0), [Some(1), None, None, None]);
/// assert_eq!(mesh.surface_faces().len(), 6);
/// // The last point is pushed through the face that it stands on.
/// let mut moved = points;
/// moved[4] = [0.1, 0.1, 0.1];
/// mesh.move_points(&moved)?;
/// assert_eq!(mesh.health().inverted, [1]);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TetMesh {
    pub(crate) layout: Arc<TetLayout>,
    pub(crate) points: Vec<DVec3>,
    /// The box of all used points.
    pub(crate) bounds: Aabb,
}

#[cfg(feature = "serde")]
data_form!(
    TetMesh { points: Vec<[f64; 3]>, tets: Vec<[u32; 4]> },
    |mesh| (mesh.points.iter().map(|p| p.to_array()).collect(), mesh.layout.tets.clone()),
    |points: Vec<_>, tets: Vec<_>| TetMesh::new(&points, &tets),
);

/// What does not depend on where points are.
#[derive(Debug)]
pub(crate) struct TetLayout {
    pub tets: Vec<[u32; 4]>,
    /// The tetrahedron across the face opposite each corner, or [`NONE`].
    neighbours: Vec<[u32; 4]>,
    /// In the order of their tetrahedra.
    pub faces: Vec<SurfaceFace>,
    /// The tetrahedra with faces of the surface and the first of these; then one more entry that ends the last.
    pub surface_tets: Vec<(u32, u32)>,
    /// The tetrahedra without.
    pub inner_tets: Vec<u32>,
    /// Which points belong to tetrahedra; `None` if all do.
    used: Option<Vec<bool>>,
    /// Faces that three tetrahedra or more share.
    crowded: Vec<[u32; 3]>,
    /// The sides of the surface, on demand.
    sides: OnceLock<SurfaceSides>,
}

impl TetMesh {
    /// The tetrahedra between points, each given by four indices into the list.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::TooLarge`] name a point, [`Error::NoSuchCorner`] and
    /// [`Error::RepeatedCorner`] a tetrahedron; [`Error::NoTets`] without any, [`Error::TooMany`] with more than 2²⁶.
    ///
    /// ```
    /// use clearance::{Error, TetMesh};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// assert!(TetMesh::new(&points, &[[0, 1, 2, 3]]).is_ok());
    /// let error = TetMesh::new(&points, &[[0, 1, 2, 3], [0, 1, 1, 3]]).unwrap_err();
    /// assert_eq!(error, Error::RepeatedCorner { tet: 1, point: 1 });
    /// ```
    pub fn new(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Result<TetMesh, Error> {
        if tets.is_empty() {
            return Err(Error::NoTets);
        }
        if tets.len() > MAX_TETS {
            return Err(Error::TooMany { what: "tetrahedra", count: tets.len() });
        }
        if points.len() >= NONE as usize {
            return Err(Error::TooMany { what: "points", count: points.len() });
        }
        let mut used = vec![false; points.len()];
        for (tet, corners) in tets.iter().enumerate() {
            for (k, &point) in corners.iter().enumerate() {
                let Some(used) = used.get_mut(point as usize) else {
                    return Err(Error::NoSuchCorner { tet, point, points: points.len() });
                };
                *used = true;
                if corners[..k].contains(&point) {
                    return Err(Error::RepeatedCorner { tet, point });
                }
            }
        }
        let used = used.contains(&false).then_some(used);
        let bounds = bounds_of(points, used.as_deref())?;
        let points: Vec<DVec3> = points.iter().map(|&p| DVec3::from_array(p)).collect();
        let layout = Arc::new(TetLayout::new(&points, tets, used));
        Ok(TetMesh { layout, points, bounds })
    }

    /// Moves all points, in the order given to [`TetMesh::new`].
    ///
    /// # Errors
    /// [`Error::WrongCount`]; [`Error::NotFinite`] and [`Error::TooLarge`] name the point. The mesh is then unchanged.
    ///
    /// ```
    /// use clearance::{Error, TetMesh};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mut mesh = TetMesh::new(&points, &[[0, 1, 2, 3]])?;
    /// let mut moved = points;
    /// moved[2][1] = f64::NAN;
    /// assert_eq!(mesh.move_points(&moved), Err(Error::NotFinite { what: "point", index: 2 }));
    /// assert_eq!(mesh.points()[2].y, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn move_points(&mut self, points: &[[f64; 3]]) -> Result<(), Error> {
        if points.len() != self.points.len() {
            return Err(Error::WrongCount { what: "points", expected: self.points.len(), count: points.len() });
        }
        self.bounds = bounds_of(points, self.layout.used.as_deref())?;
        self.points.iter_mut().zip(points).for_each(|(point, &to)| *point = DVec3::from_array(to));
        Ok(())
    }

    /// The points where they are now, in the order given.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The tetrahedra in the order given.
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.layout.tets
    }

    /// The tetrahedra across the faces opposite the four corners of one; `None` where the face is of the surface. Where
    /// more than two share a face, each names the next of them, in a circle.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    #[must_use]
    pub fn neighbours(&self, tet: u32) -> [Option<u32>; 4] {
        self.layout.neighbours[tet as usize].map(|other| (other != NONE).then_some(other))
    }

    /// The faces of the surface, in the order of their tetrahedra. They are counted by their place in this list.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = TetMesh::new(&points, &[[0, 1, 2, 3]])?;
    /// assert_eq!((mesh.surface_faces()[3].corners, mesh.surface_faces()[3].tet), ([0, 2, 1], 0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn surface_faces(&self) -> &[SurfaceFace] {
        &self.layout.faces
    }

    /// The sign of the volume of a tetrahedron where its points are now, exactly.
    ///
    /// # Panics
    /// If there is no such tetrahedron.
    ///
    /// ```
    /// use clearance::{TetMesh, math::Sign};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1e-200]];
    /// assert_eq!(TetMesh::new(&points, &[[0, 1, 2, 3]])?.orientation(0), Sign::Positive);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn orientation(&self, tet: u32) -> Sign {
        let [a, b, c, d] = self.corners(tet);
        orient3d(a, b, c, d)
    }

    /// The tetrahedra that are inverted or flat where the points are now, and faces that more than two share. On all
    /// cores; some ten nanoseconds per tetrahedron.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, 0.0]];
    /// let health = TetMesh::new(&points, &[[0, 1, 2, 3], [1, 2, 4, 0], [0, 1, 3, 2]])?.health();
    /// assert_eq!((health.flat, health.inverted), (vec![1], vec![2]));
    /// assert_eq!(health.crowded, [[0, 1, 2]]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn health(&self) -> TetHealth {
        let starts: Vec<usize> = (0..self.layout.tets.len()).step_by(PIECE).collect();
        let in_piece = |&start: &usize| {
            let mut health = TetHealth::default();
            for tet in start as u32..(start + PIECE).min(self.layout.tets.len()) as u32 {
                match self.orientation(tet) {
                    Sign::Positive => {}
                    Sign::Zero => health.flat.push(tet),
                    Sign::Negative => health.inverted.push(tet),
                }
            }
            health
        };
        let mut all = TetHealth { crowded: self.layout.crowded.clone(), ..TetHealth::default() };
        for piece in parallel::map(&starts, in_piece) {
            all.inverted.extend(piece.inverted);
            all.flat.extend(piece.flat);
        }
        all
    }

    /// The surface as a mesh of triangles, in the order of [`TetMesh::surface_faces`], with all points.
    ///
    /// # Errors
    /// As [`Mesh::new`]; [`Error::NoTriangles`] if every face has a neighbour.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = TetMesh::new(&points, &[[0, 1, 2, 3]])?;
    /// assert!(mesh.surface()?.solid().is_ok());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn surface(&self) -> Result<Mesh, Error> {
        let points: Vec<[f64; 3]> = self.points.iter().map(|p| p.to_array()).collect();
        let triangles: Vec<[u32; 3]> = self.layout.faces.iter().map(|face| face.corners).collect();
        Mesh::new(&points, &triangles)
    }

    /// Memory of the mesh in bytes.
    ///
    /// ```
    /// use clearance::TetMesh;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// assert!(TetMesh::new(&points, &[[0, 1, 2, 3]])?.bytes() < 1000);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        let layout = &*self.layout;
        size_of_val(&self.points[..])
            + size_of_val(&layout.tets[..])
            + size_of_val(&layout.neighbours[..])
            + size_of_val(&layout.faces[..])
            + size_of_val(&layout.surface_tets[..])
            + size_of_val(&layout.inner_tets[..])
            + layout.used.as_ref().map_or(0, Vec::len)
    }

    /// The corners of a tetrahedron where they are now.
    #[inline]
    pub(crate) fn corners(&self, tet: u32) -> [DVec3; 4] {
        self.layout.tets[tet as usize].map(|point| self.points[point as usize])
    }

    /// The corners of a face of the surface where they are now.
    #[inline]
    pub(crate) fn face_corners(&self, face: u32) -> [DVec3; 3] {
        self.layout.faces[face as usize].corners.map(|point| self.points[point as usize])
    }
}

/// Validates points, and returns the box of those in use.
fn bounds_of(points: &[[f64; 3]], used: Option<&[bool]>) -> Result<Aabb, Error> {
    let all = checked_bounds(points)?;
    let Some(used) = used else { return Ok(all) };
    let in_use = points.iter().zip(used).filter(|&(_, &used)| used);
    Ok(in_use.fold(Aabb::EMPTY, |bounds, (&p, _)| bounds.including(DVec3::from_array(p))))
}

impl TetLayout {
    fn new(points: &[DVec3], tets: &[[u32; 4]], used: Option<Vec<bool>>) -> TetLayout {
        // Every face by its points in ascending order, with its tetrahedron and the corner opposite.
        let mut sides: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
        for (tet, corners) in tets.iter().enumerate() {
            for (k, face) in TET_FACES.iter().enumerate() {
                let mut points = face.map(|corner| corners[corner]);
                points.sort_unstable();
                sides.push((points, 4 * tet as u32 + k as u32));
            }
        }
        sides.sort_unstable();
        let mut neighbours = vec![[NONE; 4]; tets.len()];
        let mut crowded = Vec::new();
        for same in sides.chunk_by(|one, other| one.0 == other.0) {
            if same.len() == 1 {
                continue;
            }
            for (k, &(_, side)) in same.iter().enumerate() {
                let (_, next) = same[(k + 1) % same.len()];
                neighbours[side as usize / 4][side as usize % 4] = next / 4;
            }
            if same.len() > 2 {
                crowded.push(same[0].0);
            }
        }
        let (mut faces, mut surface_tets, mut inner_tets) = (Vec::new(), Vec::new(), Vec::new());
        for (tet, (corners, neighbours)) in tets.iter().zip(&neighbours).enumerate() {
            if !neighbours.contains(&NONE) {
                inner_tets.push(tet as u32);
                continue;
            }
            surface_tets.push((tet as u32, faces.len() as u32));
            let [a, b, c, d] = corners.map(|point| points[point as usize]);
            let inverted = orient3d(a, b, c, d).is_negative();
            for (face, _) in TET_FACES.iter().zip(neighbours).filter(|&(_, &other)| other == NONE) {
                let [p, q, r] = face.map(|corner| corners[corner]);
                faces.push(SurfaceFace { corners: if inverted { [p, r, q] } else { [p, q, r] }, tet: tet as u32 });
            }
        }
        surface_tets.push((NONE, faces.len() as u32));
        let tets = tets.to_vec();
        TetLayout { tets, neighbours, faces, surface_tets, inner_tets, used, crowded, sides: OnceLock::new() }
    }

    /// The tetrahedra across the faces of one.
    pub fn neighbours(&self, tet: u32) -> impl Iterator<Item = u32> {
        self.neighbours[tet as usize].into_iter().filter(|&other| other != NONE)
    }

    /// Whether two tetrahedra share a point.
    #[inline]
    pub fn share_point(&self, one: u32, other: u32) -> bool {
        let other = self.tets[other as usize];
        self.tets[one as usize].iter().any(|point| other.contains(point))
    }

    /// The sides of the faces of the surface.
    pub fn sides(&self) -> &SurfaceSides {
        self.sides.get_or_init(|| {
            let mut ends: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * self.faces.len());
            for (face, SurfaceFace { corners: [a, b, c], .. }) in self.faces.iter().enumerate() {
                for (k, (p, q)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
                    ends.push(([*p.min(q), *p.max(q)], 3 * face as u32 + k as u32));
                }
            }
            ends.sort_unstable();
            let mut sides =
                SurfaceSides { of_faces: vec![[0; 3]; self.faces.len()], starts: vec![0], faces: Vec::new() };
            for same in ends.chunk_by(|one, other| one.0 == other.0) {
                for &(_, place) in same {
                    sides.of_faces[place as usize / 3][place as usize % 3] = sides.starts.len() as u32 - 1;
                    sides.faces.push(place / 3);
                }
                sides.starts.push(sides.faces.len() as u32);
            }
            sides
        })
    }
}

/// Which faces of a surface share which sides. Any number may share one.
#[derive(Debug)]
pub(crate) struct SurfaceSides {
    /// The three sides of each face.
    pub of_faces: Vec<[u32; 3]>,
    /// Where the faces of each side begin, and one more.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl SurfaceSides {
    /// The faces that have a side.
    pub fn faces_with(&self, side: u32) -> &[u32] {
        &self.faces[self.starts[side as usize] as usize..self.starts[side as usize + 1] as usize]
    }
}
