//! How deep two overlapping cores are at least, and at most: a polytope that grows inside their difference.
//!
//! The idea of van den Bergen's expanding polytope (2001): a polytope spanned by vertices of the difference `B - A`
//! lies inside the difference, so the largest ball about the origin inside it proves a least depth; the supporting plane
//! beyond its nearest face proves a greatest one. The nearest face is pushed out until the two meet or `enough` is
//! proved. Departs from the paper in that the polytope is built anew by the exact hull builder after each step: this
//! path is taken only where the last tetrahedron of GJK does not settle the matter, and exact topology cannot fail.

use fearless_simd::Simd;
use glam::DVec3;

use super::core::Core;
use super::gjk::Pair;
use super::simplex::Simplex;
use crate::geom::hull::{HullMesh, convex_hull};
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::tolerances::{EXPAND_STEPS, LOWER_BOUND};

/// A proved bracket of the depth of two placed cores.
#[derive(Clone, Debug)]
pub(crate) struct Depth {
    /// No translation shorter than this separates the interiors; 0 where nothing is proved.
    pub lower: f64,
    /// A translation of this length along `direction` does.
    pub upper: f64,
    /// Unit, from A to B in the frame of A.
    pub direction: DVec3,
    /// Pairs of vertices whose differences span the polytope that proves `lower`.
    pub members: Vec<(u32, u32)>,
}

/// Expands from a simplex of placed cores that meet, until a depth above `enough` is proved or nothing more can be.
#[inline(always)]
pub(crate) fn depth<S: Simd, A: Core, B: Core>(simd: S, pair: &Pair<'_, A, B>, start: &Simplex, enough: f64) -> Depth {
    let slack = LOWER_BOUND * pair.reach;
    let mut polytope = Polytope { members: Vec::new(), points: Vec::new() };
    for k in 0..start.count {
        polytope.add((start.a[k], start.b[k]), pair.difference(start.a[k], start.b[k]));
    }
    if let Some((distance, normal)) = polytope.nearest_face_of_tetrahedron()
        && distance - slack > enough
    {
        let members = polytope.members.clone();
        let (reach, _) = polytope.reach(simd, pair, normal);
        return Depth { lower: distance - slack, upper: reach + slack, direction: -normal, members };
    }
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for direction in [axis, -axis] {
            polytope.reach(simd, pair, direction);
        }
    }
    let mut best = Depth { lower: 0.0, upper: pair.reach + slack, direction: DVec3::X, members: Vec::new() };
    for _ in 0..EXPAND_STEPS {
        // The hull builder takes coordinates up to `MAX_COORDINATE`; a power of two changes no topology.
        let reduced: Vec<DVec3> = polytope.points.iter().map(|p| *p * 0.0625).collect();
        let Ok(mesh) = convex_hull(&reduced) else { break };
        let Some((distance, normal)) = polytope.nearest_face(&mesh) else {
            // Flat so far: look on both sides of its plane or line. Vertices found there make it solid.
            let normal = polytope.normal_of_flat(&mesh);
            let mut grown = false;
            let mut width = 0.0f64;
            for direction in [normal, -normal] {
                let (reach, new) = polytope.reach(simd, pair, direction);
                grown |= new;
                width = width.max(reach);
            }
            if !grown {
                // The difference itself is flat: the cores meet without common interior.
                best.upper = best.upper.min(width + slack);
                best.direction = normal;
                break;
            }
            continue;
        };
        if distance - slack > best.lower {
            best.lower = distance - slack;
            best.members.clone_from(&polytope.members);
        }
        let (reach, new) = polytope.reach(simd, pair, normal);
        if reach + slack < best.upper {
            // Everything of the difference lies below the plane: moving B against the normal by `reach` separates.
            best.upper = reach + slack;
            best.direction = -normal;
        }
        if best.lower > enough || !new {
            break;
        }
    }
    best
}

/// The plane `normal · x = distance` through three points, by double-double arithmetic: faces can be slivers, whose normals
/// in plain floats are off by far more than rounding. `None` for points on a line.
fn face_plane(corners: [DVec3; 3]) -> Option<(f64, DVec3)> {
    let [p, q, r] = corners.map(DoubleDoubleVec3::from);
    let n = (q - p).cross(r - p);
    let length = n.length();
    if length.to_f64() == 0.0 {
        return None;
    }
    let normal = DVec3::new((n.x / length).to_f64(), (n.y / length).to_f64(), (n.z / length).to_f64());
    Some(((n.dot(p) / length).to_f64(), normal))
}

struct Polytope {
    members: Vec<(u32, u32)>,
    points: Vec<DVec3>,
}

impl Polytope {
    fn add(&mut self, member: (u32, u32), point: DVec3) -> bool {
        let new = !self.members.contains(&member);
        if new {
            self.members.push(member);
            self.points.push(point);
        }
        new
    }

    /// Adds the vertex of the difference farthest along `direction` (unit); how far that is, and whether it is new.
    fn reach<S: Simd, A: Core, B: Core>(&mut self, simd: S, pair: &Pair<'_, A, B>, direction: DVec3) -> (f64, bool) {
        // A scan, not a climb: the reach is a proof.
        let a = pair.a.support_without_slack(simd, -direction);
        let b = pair.b.support_without_slack(simd, pair.placement.turn_back(direction));
        let point = pair.difference(a, b);
        let new = self.add((a, b), point);
        (direction.dot(point), new)
    }

    /// As `nearest_face`, for four points about the origin.
    fn nearest_face_of_tetrahedron(&self) -> Option<(f64, DVec3)> {
        let [a, b, c, d] = *<&[DVec3; 4]>::try_from(&self.points[..]).ok()?;
        let mut nearest: Option<(f64, DVec3)> = None;
        for (corners, opposite) in [([b, c, d], a), ([a, c, d], b), ([a, b, d], c), ([a, b, c], d)] {
            let (distance, normal) = face_plane(corners)?;
            // Towards the side where the fourth point is not.
            let (distance, normal) =
                if normal.dot(opposite) > distance { (-distance, -normal) } else { (distance, normal) };
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, normal));
            }
        }
        nearest
    }

    /// The face nearest the origin: its distance (negative if the origin is beyond it) and outward unit normal.
    fn nearest_face(&self, mesh: &HullMesh) -> Option<(f64, DVec3)> {
        if mesh.dimension < 3 {
            return None;
        }
        let corner = |i: u32| self.points[mesh.vertices[i as usize] as usize];
        mesh.triangles.iter().filter_map(|t| face_plane(t.map(corner))).min_by(|x, y| x.0.total_cmp(&y.0))
    }

    /// A unit vector across a flat point set.
    fn normal_of_flat(&self, mesh: &HullMesh) -> DVec3 {
        let corner = |i: usize| self.points[mesh.vertices[i] as usize];
        let (origin, last) = (corner(0), corner(mesh.vertices.len() - 1));
        if mesh.dimension == 2 {
            let t = mesh.triangles[0].map(|i| corner(i as usize));
            if let Some(normal) = (t[1] - t[0]).cross(t[2] - t[0]).try_normalize() {
                return normal;
            }
        }
        (last - origin).try_normalize().map_or(DVec3::X, |along| along.any_orthonormal_vector())
    }
}
