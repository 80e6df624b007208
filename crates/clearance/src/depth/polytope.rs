//! Convex polytopes, solid or flat, and whether a triangle enters one.
//!
//! **Solid.** A triangle does not enter the interior of a polytope if and only if a plane weakly separates them without
//! containing the polytope. These planes form a pointed cone of (normal, height), so if there is one, there is one on
//! an extreme ray of the cone: through three non-collinear corners of the two. Hence the candidates are: the faces of
//! the polytope; the plane of the triangle; planes through an edge of the polytope and a corner of the triangle; planes
//! through a corner of the polytope and a side of the triangle. Each is tested by `orient3d` alone: there is no
//! tolerance, and every plane is given by corners. (The edge-edge axes of the separating axis test are not.)
//!
//! **Flat.** A polygon has no interior; the question is whether a triangle meets it *inside its boundary* other than as
//! a part of the same surface, that is, as a coplanar triangle of the same orientation. The triangle meets the plane of
//! the polygon in a point, a segment or all of itself, and that is separated from the inside of the polygon, if at all,
//! by one of these lines: a side of the polygon, the segment, or a side of the triangle. Where a side `pn` of the
//! triangle crosses the plane of the polygon from above to below, it does so not left of the polygon's side `uv` if and
//! only if `orient3d(u, v, p, n)` is not negative.

use glam::DVec3;

use crate::bound::Aabb;
use crate::geom::hull::{FacePlane, HullMesh, convex_hull};
use crate::math::predicates::{Axis, Sign, normal_axis, orient2d, orient3d};

/// A plane through three points, for exact side tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactPlane {
    corners: [DVec3; 3],
    plane: FacePlane,
}

impl ExactPlane {
    /// For points that differ from the corners by at most `extent` along each axis.
    pub fn new(corners: [DVec3; 3], extent: DVec3) -> ExactPlane {
        ExactPlane { corners, plane: FacePlane::new(corners, extent) }
    }

    /// Positive: on the side that the normal points to.
    #[inline(always)]
    pub fn side(&self, point: DVec3) -> Sign {
        self.plane.side(|| self.corners, point)
    }
}

/// The convex hull of some points, of dimension 2 or 3.
pub(crate) struct Polytope {
    /// The corners alone.
    pub points: Vec<DVec3>,
    /// The hull; indices are into `points`.
    pub hull: HullMesh,
    /// The plane of each face; for a polygon, its own.
    pub planes: Vec<ExactPlane>,
    pub bounds: Aabb,
    extent: DVec3,
}

impl Polytope {
    /// The hull of points, if it is solid or flat, for tests of points whose common box with it has the size `extent`.
    /// A flat one takes the orientation of the triangle `looks_as`.
    pub fn of(points: &[DVec3], looks_as: [DVec3; 3], extent: DVec3) -> Option<Polytope> {
        let mut hull = convex_hull(points).ok()?;
        if hull.dimension < 2 {
            return None;
        }
        let points: Vec<DVec3> = hull.vertices.iter().map(|&v| points[v as usize]).collect();
        if hull.dimension == 2 {
            let (axis, sign) = normal_axis(looks_as[0], looks_as[1], looks_as[2])?;
            let [a, b, c] = hull.triangles.first()?.map(|v| points[v as usize]);
            if orient2d(axis, a, b, c) != sign {
                let turned: Vec<u32> = hull.faces.get(0).iter().rev().copied().collect();
                hull.faces = crate::geom::topology::Csr::from_lists([turned]);
                hull.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            }
        }
        let mut planes: Vec<ExactPlane> = Vec::with_capacity(hull.faces.len());
        for (triangle, &face) in hull.triangles.iter().zip(&hull.face_of_triangle) {
            if face as usize == planes.len() {
                planes.push(ExactPlane::new(triangle.map(|v| points[v as usize]), extent));
            }
        }
        let bounds = points.iter().fold(Aabb::EMPTY, |bounds, &p| bounds.including(p));
        Some(Polytope { points, hull, planes, bounds, extent })
    }

    /// Whether it is a polygon.
    pub fn is_flat(&self) -> bool {
        self.hull.dimension == 2
    }

    /// Whether a triangle enters the interior of a solid polytope; for a flat one see the module documentation. False
    /// is certain; true may be returned for a triangle within rounding.
    pub fn is_entered_by(&self, triangle: [DVec3; 3]) -> bool {
        if self.is_flat() { self.polygon_is_entered_by(triangle) } else { self.interior_is_entered_by(triangle) }
    }

    fn interior_is_entered_by(&self, triangle: [DVec3; 3]) -> bool {
        if self.planes.iter().any(|plane| triangle.iter().all(|&p| !plane.side(p).is_negative())) {
            return false;
        }
        let own = ExactPlane::new(triangle, self.extent);
        if on_one_side(self.points.iter().map(|&p| own.side(p))).is_some() {
            return false;
        }
        // A point of it strictly inside decides. Rounded points may be off the triangle; it then counts as entering
        // though it only touches.
        let [a, b, c] = triangle;
        let some = [a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0];
        if some.iter().any(|&p| self.planes.iter().all(|plane| plane.side(p).is_negative())) {
            return true;
        }
        let faces_of_edges = self.faces_of_edges();
        for k in 0..3 {
            let corner = triangle[k];
            let sides: Vec<Sign> = self.planes.iter().map(|plane| plane.side(corner)).collect();
            for (&[u, v], faces) in self.hull.edges.iter().zip(&faces_of_edges) {
                // A plane through an edge and a point supports the polytope only if the point is not on the same side
                // of both faces: only then is it a combination of their planes with nonnegative weights.
                let [one, other] = faces.map(|face| sides[face as usize]);
                let supports = one.is_zero() || other.is_zero() || one != other;
                if supports && self.separates([self.points[u as usize], self.points[v as usize], corner], triangle) {
                    return false;
                }
            }
            let (from, to) = (corner, triangle[(k + 1) % 3]);
            if self.points.iter().any(|&p| self.separates([p, from, to], triangle)) {
                return false;
            }
        }
        true
    }

    /// Whether a plane weakly separates the polytope and the triangle without containing the polytope.
    fn separates(&self, [a, b, c]: [DVec3; 3], triangle: [DVec3; 3]) -> bool {
        let Some(side) = on_one_side(self.points.iter().map(|&p| orient3d(a, b, c, p))) else {
            return false;
        };
        triangle.iter().all(|&p| orient3d(a, b, c, p) != side)
    }

    /// The two faces at each edge.
    fn faces_of_edges(&self) -> Vec<[u32; 2]> {
        let mut faces = vec![[0; 2]; self.hull.edges.len()];
        for (face, corners) in self.hull.faces.iter().enumerate() {
            for (k, &u) in corners.iter().enumerate() {
                let v = corners[(k + 1) % corners.len()];
                if let Ok(edge) = self.hull.edges.binary_search(&[u.min(v), u.max(v)]) {
                    faces[edge][usize::from(u > v)] = face as u32;
                }
            }
        }
        faces
    }

    fn polygon_is_entered_by(&self, triangle: [DVec3; 3]) -> bool {
        let sides = triangle.map(|p| self.planes[0].side(p));
        if !sides[0].is_zero() && sides[0] == sides[1] && sides[1] == sides[2] {
            return false;
        }
        let face = self.face(0);
        if sides == [Sign::Zero; 3] && face.looks_as(triangle) {
            return false;
        }
        let outside = |[u, v]: [DVec3; 2]| {
            (0..3).all(|k| {
                let m = (k + 1) % 3;
                let crossing_is_outside = match (sides[k], sides[m]) {
                    (Sign::Positive, Sign::Negative) => !orient3d(u, v, triangle[k], triangle[m]).is_negative(),
                    (Sign::Negative, Sign::Positive) => !orient3d(u, v, triangle[m], triangle[k]).is_negative(),
                    _ => true,
                };
                crossing_is_outside && (!sides[k].is_zero() || !face.is_left_of([u, v], triangle[k]))
            })
        };
        if face.sides().any(outside) {
            return false;
        }
        if sides == [Sign::Zero; 3] {
            return (0..3).all(|k| !face.is_beside(triangle[k], triangle[(k + 1) % 3], Some(triangle[(k + 2) % 3])));
        }
        let [a, b, c] = triangle;
        on_one_side(self.points.iter().map(|&p| orient3d(a, b, c, p))).is_none()
    }

    /// A face, for tests of points in its plane.
    pub fn face(&self, face: u32) -> Face<'_> {
        let [a, b, c] = self.planes[face as usize].corners;
        let (axis, sign) = normal_axis(a, b, c).unwrap_or((Axis::Z, Sign::Positive));
        Face { points: &self.points, corners: self.hull.faces.get(face as usize), axis, sign }
    }
}

/// The common side of all points not on the plane, if there is one.
fn on_one_side(sides: impl Iterator<Item = Sign>) -> Option<Sign> {
    let mut all = Sign::Zero;
    for side in sides {
        if all.is_zero() {
            all = side;
        } else if side == -all {
            return None;
        }
    }
    if all.is_zero() { None } else { Some(all) }
}

/// A face of a polytope, for tests of points in its plane.
pub(crate) struct Face<'a> {
    points: &'a [DVec3],
    corners: &'a [u32],
    /// An axis to project the plane along, and whether the projected face is counter-clockwise.
    axis: Axis,
    sign: Sign,
}

impl Face<'_> {
    /// The sides, counter-clockwise from outside.
    pub fn sides(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        let count = self.corners.len();
        (0..count).map(move |k| [k, (k + 1) % count].map(|k| self.points[self.corners[k] as usize]))
    }

    /// Whether a coplanar triangle has the same orientation; a zero-area one has none.
    pub fn looks_as(&self, [a, b, c]: [DVec3; 3]) -> bool {
        orient2d(self.axis, a, b, c) == self.sign
    }

    /// Whether a point of its plane is strictly left of a line in it.
    fn is_left_of(&self, [u, v]: [DVec3; 2], point: DVec3) -> bool {
        orient2d(self.axis, u, v, point) == self.sign
    }

    /// Whether the face is on one side of a line in its plane, and `other`, if given, not strictly on the same side.
    fn is_beside(&self, u: DVec3, v: DVec3, other: Option<DVec3>) -> bool {
        let side = |p: DVec3| orient2d(self.axis, u, v, p);
        let own = on_one_side(self.corners.iter().map(|&corner| side(self.points[corner as usize])));
        own.is_some_and(|own| other.is_none_or(|other| side(other) != own))
    }

    /// Whether a segment in its plane crosses its interior.
    pub fn is_crossed_by(&self, a: DVec3, b: DVec3) -> bool {
        let outside = |side: [DVec3; 2]| !self.is_left_of(side, a) && !self.is_left_of(side, b);
        !self.sides().any(outside) && !self.is_beside(a, b, None)
    }
}
