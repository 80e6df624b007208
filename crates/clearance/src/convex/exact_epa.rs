//! The depth of two placed cores that intersect, in exact arithmetic: takes over from the expanding polytope where
//! floating point gives up.
//!
//! The algorithm of [`epa`](super::epa) over integers (see [`exact`](super::exact)): a convex polytope of vertices of
//! the difference `B - A`, with the origin inside or on it, whose face nearest the origin is expanded to the vertex of
//! the difference farthest along the face's normal until no vertex lies beyond it. Exact signs rule out failure: a
//! vertex sees a face or does not, a new face always has area (its apex lies strictly beyond a face through its base),
//! and every step adds a vertex of the difference, of which there are finitely many.
//!
//! It starts from the simplex of an exact GJK that contains the origin, completed to a tetrahedron by vertices off its
//! plane, line or point. Where there are none the difference is flat: an arbitrarily short step across it separates the
//! cores.
//!
//! Departures from exact arithmetic, each harmless: signs come from a float filter where that is certain; expansion
//! ends as soon as the nearest face is within rounding of a supporting plane ([`EPA_STOP`]), since the bracket is
//! rounded by more.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::core::Core;
use super::exact::PlacedVertices;
use super::gjk::Pair;
use super::simplex::Simplex;
use crate::math::integer::{IntegerVec3, ratio, root_ratio};
use crate::math::tolerances::{EPA_STOP, EXACT_SIDE, UNIT_ROUNDOFF};

/// The exact penetration of two placed cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactDepth {
    /// The distance from the origin to the nearest face, relative error at most `6u`. Zero exactly when the cores touch
    /// without overlapping.
    pub depth: f64,
    /// The normal of that face, rounded: unit, outward, in the frame of A. Translating B against it separates the
    /// cores.
    pub outward: DVec3,
    /// The members of that face that support the foot of the perpendicular from the origin, with rounded weights.
    pub simplex: Simplex,
}

/// A vertex of the difference.
struct Corner {
    /// The vertices of A and B.
    id: (u32, u32),
    at: IntegerVec3,
    rounded: DVec3,
}

/// A triangle of the polytope's surface, counter-clockwise seen from outside.
struct Face {
    corners: [u32; 3],
    /// Outward.
    normal: IntegerVec3,
    /// The product of the normal with a corner: zero or more, since the origin is not beyond any face.
    level: BigInt,
    /// The normal as a unit vector, each component off by `7u` at most.
    unit: DVec3,
    /// The distance of the plane from the origin, relative error at most `6u`.
    distance: f64,
}

struct ExactPolytope<'p> {
    placed: &'p PlacedVertices,
    corners: Vec<Corner>,
    faces: Vec<Face>,
    /// The error bound of the float filter, a length.
    doubt: f64,
}

/// The exact depth of placed cores that intersect; `about_origin` is a simplex of the difference that contains the
/// origin, its members affinely independent. `corners` receives the pairs of vertices that span the polytope: empty if
/// the difference is flat.
pub(crate) fn depth<A: Core, B: Core>(
    pair: &Pair<'_, A, B>,
    about_origin: &Simplex,
    corners: &mut Vec<(u32, u32)>,
) -> ExactDepth {
    let placed = PlacedVertices::new(pair);
    let mut polytope =
        ExactPolytope { placed: &placed, corners: Vec::new(), faces: Vec::new(), doubt: EXACT_SIDE * pair.reach };
    corners.clear();
    for k in 0..about_origin.count {
        polytope.add_corner(pair, (about_origin.a[k], about_origin.b[k]));
    }
    while polytope.corners.len() < 4 {
        match polytope.beside() {
            Ok(id) => polytope.add_corner(pair, id),
            Err(normal) => {
                return ExactDepth { depth: 0.0, outward: unit(&normal), simplex: *about_origin };
            }
        }
    }
    polytope.begin();
    let face = loop {
        let nearest = polytope.nearest();
        let face = &polytope.faces[nearest];
        let found = placed.farthest(&face.normal);
        let beyond = face.normal.dot(&placed.difference(found)) - &face.level;
        if beyond.is_zero() || face.length_along(&beyond, placed.exponent) <= EPA_STOP * pair.reach {
            break nearest;
        }
        polytope.push(pair, found);
    };
    corners.extend(polytope.corners.iter().map(|corner| corner.id));
    let nearest = &polytope.faces[face];
    ExactDepth { depth: nearest.distance, outward: nearest.unit, simplex: polytope.foot(pair, face) }
}

impl Face {
    /// `product / |normal|` as a length in world units, relative error at most `6u`; `product` must not be negative.
    fn length_along(&self, product: &BigInt, exponent: i32) -> f64 {
        length_along(&self.normal.dot(&self.normal), product, exponent)
    }
}

/// `product / √squared` as a length in world units.
fn length_along(squared: &BigInt, product: &BigInt, exponent: i32) -> f64 {
    root_ratio(&(product * product * squared), squared, exponent)
}

/// An integer direction as a unit vector.
fn unit(direction: &IntegerVec3) -> DVec3 {
    direction.to_direction().normalize_or(DVec3::X)
}

impl ExactPolytope<'_> {
    fn add_corner<A: Core, B: Core>(&mut self, pair: &Pair<'_, A, B>, id: (u32, u32)) {
        self.corners.push(Corner { id, at: self.placed.difference(id), rounded: pair.difference(id.0, id.1) });
    }

    /// A vertex of the difference that is affinely independent of the one to three corners; or, where there is none, a
    /// normal of the flat difference.
    fn beside(&self) -> Result<(u32, u32), IntegerVec3> {
        let first = &self.corners[0].at;
        let edge = |k: usize| self.corners[k].at.sub(first);
        let across = match self.corners.len() {
            1 => AXES.map(IntegerVec3::axis).to_vec(),
            2 => {
                let along = edge(1);
                let normals = AXES.map(|axis| along.cross(&IntegerVec3::axis(axis)));
                let normal = normals.into_iter().find(|n| !n.is_zero()).unwrap_or_else(|| IntegerVec3::axis(0));
                let other = along.cross(&normal);
                vec![normal, other]
            }
            _ => vec![edge(1).cross(&edge(2))],
        };
        for normal in &across {
            for direction in [normal.clone(), normal.negated()] {
                let found = self.placed.farthest(&direction);
                if !direction.dot(&self.placed.difference(found).sub(first)).is_zero() {
                    return Ok(found);
                }
            }
        }
        Err(across.into_iter().next().unwrap_or_else(|| IntegerVec3::axis(0)))
    }

    /// Builds the faces of the tetrahedron of the four corners.
    fn begin(&mut self) {
        let edge = |k: usize| self.corners[k].at.sub(&self.corners[0].at);
        if edge(1).dot(&edge(2).cross(&edge(3))).is_negative() {
            self.corners.swap(1, 2);
        }
        for corners in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] {
            self.add_face(corners);
        }
    }

    fn add_face(&mut self, corners: [u32; 3]) {
        let [p, q, r] = corners.map(|k| &self.corners[k as usize].at);
        let normal = q.sub(p).cross(&r.sub(p));
        let level = normal.dot(p);
        let distance = length_along(&normal.dot(&normal), &level, self.placed.exponent);
        self.faces.push(Face { corners, unit: unit(&normal), normal, level, distance });
    }

    /// The face nearest the origin, decided exactly; the first of equal ones.
    fn nearest(&self) -> usize {
        let least = self.faces.iter().map(|face| face.distance).fold(f64::INFINITY, f64::min);
        // Both distances are off by `6u` of themselves.
        let doubtful = least * (1.0 + 16.0 * UNIT_ROUNDOFF);
        let mut nearest: Option<usize> = None;
        for (number, face) in self.faces.iter().enumerate() {
            if face.distance <= doubtful && nearest.is_none_or(|best| face.is_nearer_than(&self.faces[best])) {
                nearest = Some(number);
            }
        }
        nearest.unwrap_or(0)
    }

    /// Whether a corner lies strictly beyond the plane of a face.
    fn sees(&self, corner: &Corner, face: &Face) -> bool {
        let base = &self.corners[face.corners[0] as usize];
        let height = face.unit.dot(corner.rounded - base.rounded);
        // Written so that NaN counts as uncertain.
        if height.abs() > self.doubt { height > 0.0 } else { face.normal.dot(&corner.at) > face.level }
    }

    /// Adds a vertex of the difference beyond some face: removes all faces visible from it and closes the hole.
    fn push<A: Core, B: Core>(&mut self, pair: &Pair<'_, A, B>, id: (u32, u32)) {
        self.add_corner(pair, id);
        let apex = self.corners.len() as u32 - 1;
        let corner = &self.corners[apex as usize];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut kept = Vec::with_capacity(self.faces.len() + 2);
        for face in std::mem::take(&mut self.faces) {
            if self.sees(corner, &face) {
                let [p, q, r] = face.corners;
                edges.extend([(p, q), (q, r), (r, p)]);
            } else {
                kept.push(face);
            }
        }
        self.faces = kept;
        // The border of the patch: edges whose other face stays.
        for &(from, to) in &edges {
            if !edges.contains(&(to, from)) {
                self.add_face([from, to, apex]);
            }
        }
    }

    /// The foot of the perpendicular from the origin on the plane of the nearest face, as members of a triangle in that
    /// plane with positive weights. The sphere about the origin that touches the plane there lies in the polytope, so
    /// the foot is on its surface.
    fn foot<A: Core, B: Core>(&self, pair: &Pair<'_, A, B>, nearest: usize) -> Simplex {
        let plane = &self.faces[nearest];
        let squared = plane.normal.dot(&plane.normal);
        // The foot is `normal · level / squared`: corners and foot times `squared`.
        let foot = IntegerVec3::zero().add_scaled(&plane.normal, &plane.level);
        let in_plane =
            |face: &&Face| face.corners.iter().all(|&k| plane.normal.dot(&self.corners[k as usize].at) == plane.level);
        for face in [plane].into_iter().chain(self.faces.iter().filter(in_plane)) {
            let [p, q, r] =
                face.corners.map(|k| IntegerVec3::zero().add_scaled(&self.corners[k as usize].at, &squared));
            let [p, q, r] = [p.sub(&foot), q.sub(&foot), r.sub(&foot)];
            let weights = [(&q, &r), (&r, &p), (&p, &q)].map(|(x, y)| face.normal.dot(&x.cross(y)));
            if weights.iter().any(|weight| weight.is_negative()) {
                continue;
            }
            let total: BigInt = weights.iter().sum();
            let mut simplex = Simplex::default();
            for (&k, weight) in face.corners.iter().zip(&weights) {
                if !weight.is_zero() {
                    let (a, b) = self.corners[k as usize].id;
                    simplex.weight[simplex.count] = ratio(weight, &total);
                    simplex.push(a, b, pair.difference(a, b));
                }
            }
            return simplex;
        }
        // Unreachable: see above.
        let (a, b) = self.corners[plane.corners[0] as usize].id;
        let mut simplex = Simplex::default();
        simplex.weight[0] = 1.0;
        simplex.push(a, b, pair.difference(a, b));
        simplex
    }
}

impl Face {
    /// Whether the plane of this face is strictly nearer the origin than that of another, decided exactly.
    fn is_nearer_than(&self, other: &Face) -> bool {
        let squared = |face: &Face| (&face.level * &face.level, face.normal.dot(&face.normal));
        let ((level, length), (other_level, other_length)) = (squared(self), squared(other));
        (level * other_length).cmp(&(other_level * length)) == Ordering::Less
    }
}

/// Indices of the axes.
const AXES: [usize; 3] = [0, 1, 2];

impl IntegerVec3 {
    /// The unit vector along an axis.
    fn axis(number: usize) -> IntegerVec3 {
        let mut axis = IntegerVec3::zero();
        axis.0[number] = BigInt::one();
        axis
    }
}

#[cfg(test)]
mod tests {
    use clearance_oracle::{Scenario, pair};

    use super::*;
    use crate::convex::epa::{self, EpaGoal, Polytope};
    use crate::convex::exact;
    use crate::math::placement::Placement;
    use crate::math::pose::Pose;
    use crate::math::simd::plain;
    use crate::shape::ConvexHull;

    #[test]
    fn depth_agrees_with_the_float_polytope() {
        let (mut compared, mut touching) = (0, 0);
        let scenarios = [Scenario::GridHulls, Scenario::Contained, Scenario::NearTouchingHulls, Scenario::BallHulls];
        for scenario in scenarios.into_iter().chain([Scenario::TouchingEdge, Scenario::TouchingVertex]) {
            for seed in 0..60 {
                let (a, b) = pair(scenario, seed);
                // Corners given in world coordinates, so that both poses are the same.
                let hull = |points: &[[f64; 3]]| ConvexHull::flat(points);
                let (Ok(a), Ok(b)) = (hull(&a.world_points()), hull(&b.world_points())) else { continue };
                let (a, b) = (a.hull(), b.hull());
                let map = Placement::new(&Pose::IDENTITY, a.origin, &Pose::IDENTITY, b.origin);
                let reach = 2.0 * (a.radius + b.radius) + map.separation;
                let placed = Pair { a, b, placement: &map, reach };
                let gap = exact::gap(&placed, &Simplex::default());
                if gap.gap > 0.0 {
                    continue;
                }
                let mut corners = Vec::new();
                let found = depth(&placed, &gap.simplex, &mut corners);
                assert!((found.outward.length() - 1.0).abs() < 1e-15);
                let weights: f64 = found.simplex.weight[..found.simplex.count].iter().sum();
                assert!((weights - 1.0).abs() < 1e-15, "{found:?}");
                // The foot lies at the depth of the face, along its normal.
                let members = found.simplex.weight.iter().zip(&found.simplex.w).take(found.simplex.count);
                let foot: DVec3 = members.map(|(weight, w)| *w * *weight).sum();
                assert!(foot.distance(found.outward * found.depth) <= 64.0 * UNIT_ROUNDOFF * reach, "{found:?}");
                touching += usize::from(found.depth == 0.0);
                let wanted = EpaGoal { enough: f64::INFINITY, tolerance: 0.0 };
                let float = epa::depth(plain(), &placed, &gap.simplex, wanted, &mut Polytope::default());
                if float.by_polytope {
                    compared += 1;
                    let off = (-float.gap.length - found.depth).abs();
                    assert!(off <= 64.0 * UNIT_ROUNDOFF * reach, "{off:e} {found:?} {float:?}");
                }
            }
        }
        assert!(compared > 40 && touching > 40, "{compared} {touching}");
    }
}
