//! The point of a simple core nearest a given point, in closed form: a point, a rod, a box, up to four points, a
//! cylinder, a cone.
//!
//! Boxes and rods by clamping, which is exact up to the last subtraction: clamped coordinates are copied, free ones
//! cancel to an exact zero, so the direction of a face or side is right however small the gap. Segments, triangles and
//! tetrahedra by Voronoi regions; cylinders and cones in the half plane through their axis
//! ([`point_curved`](super::point_curved)). The closed form only proposes, and may be wrong for slivers; the caller
//! proves the distance from below by the plane perpendicular to the direction ([`height`]) and from above by the point.
//! For cylinders and cones it is the signed distance up to rounding, and no plane is needed.

use glam::DVec3;

use super::core::{AnyCore, Smooth};
use super::point_curved::{Facing, facing};
use crate::math::tolerances::FAR;
use crate::shape::{Feature, corner};

/// The point of a core nearest another point, in the core's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foot {
    /// A convex combination of at most four vertices, with the error given at `tolerances::CONTACT_POINT`.
    pub point: DVec3,
    /// From here towards the other point, not of unit length; zero where the two coincide. On a curved core: the
    /// outward normal, of unit length within `6u`.
    pub toward: DVec3,
    /// The distance of the two points, rounded. On a curved core the signed distance from the surface, off by less than
    /// `8u` of the core's extent and the point's distance: inside, where it is negative, `point` still lies on the
    /// surface.
    pub length: f64,
    /// The vertices of the feature that contains the point, some repeated: for a box two opposite corners of the
    /// feature.
    pub vertices: [u32; 4],
    /// Set for curved cores, which have no vertices: the feature itself.
    pub curved: Option<Feature>,
}

/// The projection of `point` onto a core, if there is a closed form and the point is not in a tetrahedron.
#[inline(always)]
pub(crate) fn nearest(core: &AnyCore<'_>, point: DVec3, reach: f64) -> Option<Foot> {
    match core {
        AnyCore::Point => Some(foot(point, DVec3::ZERO, [0; 4])),
        AnyCore::Rod(half) => {
            let z = point.z.max(-half).min(*half);
            Some(foot(point, DVec3::new(0.0, 0.0, z), [0, 1, 0, 0]))
        }
        AnyCore::Box(half) => Some(on_box(*half, point)),
        AnyCore::Points([p, q]) => Some(on_segment([*p, *q], point)),
        AnyCore::Points([p, q, r]) => on_triangle([*p, *q, *r], point, reach),
        AnyCore::Points([p, q, r, s]) => on_tetrahedron([*p, *q, *r, *s], point, reach),
        AnyCore::Smooth(smooth @ (Smooth::Cylinder { .. } | Smooth::Cone { .. })) => {
            let Facing { piece, point, outward, length } = facing(smooth, point)?;
            let curved = Some(smooth.feature(&piece));
            Some(Foot { point, toward: outward, length, vertices: [0; 4], curved })
        }
        _ => None,
    }
}

#[inline(always)]
fn foot(point: DVec3, at: DVec3, vertices: [u32; 4]) -> Foot {
    let between = point - at;
    let length = between.length();
    Foot { point: at, toward: between, length, vertices, curved: None }
}

#[inline(always)]
fn on_box(half: DVec3, point: DVec3) -> Foot {
    let at = point.clamp(-half, half);
    // Bits of the coordinates at their upper ends, and of those in between.
    let bits = |x: bool, y: bool, z: bool| u32::from(x) | u32::from(y) << 1 | u32::from(z) << 2;
    let high = bits(point.x >= half.x, point.y >= half.y, point.z >= half.z);
    let low = bits(point.x <= -half.x, point.y <= -half.y, point.z <= -half.z);
    foot(point, at, [high, 7 & !low, high, high])
}

#[inline(always)]
fn on_segment([p, q]: [DVec3; 2], point: DVec3) -> Foot {
    let along = q - p;
    let squared = along.dot(along);
    let t = if squared > 0.0 { ((point - p).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (first, last) = (u32::from(t == 1.0), u32::from(t > 0.0));
    foot(point, p + along * t, [first, last, first, first])
}

/// By the regions of Ericson, "Real-Time Collision Detection" (2005), 5.1.5. In the region of the face, where a small
/// gap would leave few digits of the difference, the direction is the normal.
#[inline(always)]
fn on_triangle([p, q, r]: [DVec3; 3], point: DVec3, reach: f64) -> Option<Foot> {
    let (pq, pr) = (q - p, r - p);
    let from_p = point - p;
    let (p_q, p_r) = (pq.dot(from_p), pr.dot(from_p));
    if p_q <= 0.0 && p_r <= 0.0 {
        return Some(foot(point, p, [0; 4]));
    }
    let from_q = point - q;
    let (q_q, q_r) = (pq.dot(from_q), pr.dot(from_q));
    if q_q >= 0.0 && q_r <= q_q {
        return Some(foot(point, q, [1; 4]));
    }
    let of_r = p_q * q_r - q_q * p_r;
    if of_r <= 0.0 && p_q >= 0.0 && q_q <= 0.0 {
        return Some(foot(point, p + pq * fraction(p_q, p_q - q_q), [0, 1, 0, 0]));
    }
    let from_r = point - r;
    let (r_q, r_r) = (pq.dot(from_r), pr.dot(from_r));
    if r_r >= 0.0 && r_q <= r_r {
        return Some(foot(point, r, [2; 4]));
    }
    let of_q = r_q * p_r - p_q * r_r;
    if of_q <= 0.0 && p_r >= 0.0 && r_r <= 0.0 {
        return Some(foot(point, p + pr * fraction(p_r, p_r - r_r), [0, 2, 0, 0]));
    }
    let of_p = q_q * r_r - r_q * q_r;
    let (to_r, to_q) = (q_r - q_q, r_q - r_r);
    if of_p <= 0.0 && to_r >= 0.0 && to_q >= 0.0 {
        return Some(foot(point, q + (r - q) * fraction(to_r, to_r + to_q), [1, 2, 1, 1]));
    }
    // The remaining case is not a face if rounding made the tests inconsistent. Written so that NaN is rejected.
    let on_face = of_p > 0.0 && of_q > 0.0 && of_r > 0.0;
    if !on_face {
        return None;
    }
    let total = 1.0 / ((of_p + of_q) + of_r);
    let found = foot(point, (p + pq * (of_q * total)) + pr * (of_r * total), [0, 1, 2, 0]);
    if found.length > FAR * reach {
        return Some(found);
    }
    let normal = pq.cross(pr);
    let facing = if normal.dot(from_p) < 0.0 { -normal } else { normal };
    Some(Foot { toward: facing, ..found })
}

/// A quotient that is at most 1, zero for zero.
#[inline(always)]
fn fraction(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The nearest of the projections onto the faces that the point is beyond; `None` if it is beyond none.
#[inline(always)]
fn on_tetrahedron(corners: [DVec3; 4], point: DVec3, reach: f64) -> Option<Foot> {
    const FACES: [[u32; 4]; 4] = [[1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 3, 2], [0, 1, 2, 3]];
    let mut best: Option<Foot> = None;
    for face in FACES {
        let [p, q, r, opposite] = face.map(|k| corners[k as usize]);
        let normal = (q - p).cross(r - p);
        // Flat tetrahedra have no interior: all faces count.
        if normal.dot(point - p) * normal.dot(opposite - p) > 0.0 {
            continue;
        }
        let foot = on_triangle([p, q, r], point, reach)?;
        if best.is_none_or(|best| foot.length < best.length) {
            best = Some(Foot { vertices: foot.vertices.map(|k| face[k as usize]), ..foot });
        }
    }
    best
}

/// The extent of a core with a closed form along a direction, from its local origin.
#[inline(always)]
pub(crate) fn height(core: &AnyCore<'_>, direction: DVec3) -> f64 {
    match core {
        AnyCore::Rod(half) => half * direction.z.abs(),
        AnyCore::Box(half) => half.dot(direction.abs()),
        AnyCore::Points(points) => points.iter().map(|p| direction.dot(*p)).fold(f64::NEG_INFINITY, f64::max),
        _ => 0.0,
    }
}

/// The support vertex of a core with a closed form, the first of equal ones.
#[inline(always)]
pub(crate) fn farthest(core: &AnyCore<'_>, direction: DVec3) -> (u32, DVec3) {
    match core {
        AnyCore::Rod(half) => {
            let up = direction.z >= 0.0;
            (u32::from(up), DVec3::new(0.0, 0.0, if up { *half } else { -half }))
        }
        AnyCore::Box(half) => {
            let id =
                u32::from(direction.x >= 0.0) | u32::from(direction.y >= 0.0) << 1 | u32::from(direction.z >= 0.0) << 2;
            (id, corner(*half, id))
        }
        AnyCore::Points(points) => {
            let mut best = (0, DVec3::ZERO, f64::NEG_INFINITY);
            for (id, point) in points.iter().enumerate() {
                let value = direction.dot(*point);
                if value > best.2 {
                    best = (id as u32, *point, value);
                }
            }
            (best.0, best.1)
        }
        _ => (0, DVec3::ZERO),
    }
}
