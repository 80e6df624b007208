//! Intersection test of two triangles, by their separating axes.
//!
//! Eberle, "Primitive Tests for Collision Detection": two triangles are disjoint exactly when a plane perpendicular to
//! one of eleven directions separates them, the two normals and the nine products of their edges. For coplanar
//! triangles these all coincide, and the six normals of edges within the plane are needed as well. Departs from the
//! text in two places:
//! - Projections are compared with their rounding bound; pairs proved neither separated nor overlapping are left
//!   undecided. Coplanar triangles that intersect are always left undecided: their overlap along the normal is zero.
//! - The axis that separated last is tried first.

use glam::DVec3;

use super::box_box::Verdict;
use crate::math::tolerances::{TRIANGLE_AXIS_GAP, TRIANGLE_AXIS_OVERLAP};

/// The number of axes: 0 and 1 the normals of A and B, `2 + 3 i + j` the product of edge `i` of A and `j` of B,
/// `11 + i` and `14 + j` the normals of edges within the planes.
const AXES: u8 = 17;

/// Two triangles with their edges and normals.
struct Triangles {
    a: [DVec3; 3],
    b: [DVec3; 3],
    edges_a: [DVec3; 3],
    edges_b: [DVec3; 3],
    normal_a: DVec3,
    normal_b: DVec3,
}

impl Triangles {
    /// An axis, and the product of the sizes of its factors.
    #[inline(always)]
    fn axis(&self, axis: u8) -> (DVec3, DVec3, DVec3) {
        let k = usize::from(axis);
        let (e, f) = match axis {
            0 => return (self.normal_a, self.edges_a[0], self.edges_a[1]),
            1 => return (self.normal_b, self.edges_b[0], self.edges_b[1]),
            2..11 => (self.edges_a[(k - 2) / 3], self.edges_b[(k - 2) % 3]),
            11..14 => (self.normal_a, self.edges_a[k - 11]),
            _ => (self.normal_b, self.edges_b[(k - 14).min(2)]),
        };
        (e.cross(f), e, f)
    }

    /// The larger of the two gaps between the intervals along a direction; negative if they overlap.
    #[inline(always)]
    fn gap(&self, n: DVec3) -> f64 {
        let interval = |points: &[DVec3; 3]| {
            let [x, y, z] = points.map(|p| n.dot(p));
            (x.min(y).min(z), x.max(y).max(z))
        };
        let ((low_a, high_a), (low_b, high_b)) = (interval(&self.a), interval(&self.b));
        (low_b - high_a).max(low_a - high_b)
    }

    #[inline(always)]
    fn separates(&self, axis: u8, reach: f64) -> bool {
        let n = self.axis(axis).0;
        self.gap(n) > TRIANGLE_AXIS_GAP * reach * size(n)
    }
}

/// The sum of the magnitudes: an upper bound of the length.
#[inline(always)]
fn size(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// The verdict of the axes on two triangles in one frame, with coordinates no larger than `reach` in all. `hint` is
/// tried first.
#[inline(always)]
pub(crate) fn triangles(a: [DVec3; 3], b: [DVec3; 3], reach: f64, hint: u8) -> Verdict {
    let edges = |p: &[DVec3; 3]| [p[1] - p[0], p[2] - p[1], p[0] - p[2]];
    let (edges_a, edges_b) = (edges(&a), edges(&b));
    let normal_a = edges_a[0].cross(edges_a[1]);
    let normal_b = edges_b[0].cross(edges_b[1]);
    let pair = Triangles { a, b, edges_a, edges_b, normal_a, normal_b };
    if hint < AXES && pair.separates(hint, reach) {
        return Verdict::Apart(hint);
    }
    let mut deep = true;
    for axis in 0..11 {
        let (n, e, f) = pair.axis(axis);
        let gap = pair.gap(n);
        if gap > TRIANGLE_AXIS_GAP * reach * size(n) {
            return Verdict::Apart(axis);
        }
        deep &= gap < -TRIANGLE_AXIS_OVERLAP * reach * (size(e) * size(f));
    }
    if deep {
        return Verdict::Overlapping;
    }
    match (11..AXES).find(|&axis| pair.separates(axis, reach)) {
        Some(axis) => Verdict::Apart(axis),
        None => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, intersects};

    use super::*;

    #[test]
    fn agrees_with_exact_arithmetic() {
        let mut random = Random::new(31);
        let mut counts = [0; 3];
        let mut coplanar_apart = 0;
        for case in 0..3000 {
            // Small integers make touching, coplanar and degenerate triangles common.
            let mut point = |flat: bool| {
                let p = if case % 2 == 0 {
                    DVec3::from_array(random.in_cube(1.0))
                } else {
                    DVec3::from_array([0; 3].map(|_| random.integer(-3, 3) as f64))
                };
                if flat { DVec3::new(p.x, p.y, 1.0) } else { p }
            };
            let flat = case % 5 == 0;
            let shift = [0.0, 0.0, 1e7][case % 3];
            let a: [DVec3; 3] = std::array::from_fn(|_| point(flat) + DVec3::splat(shift));
            let b: [DVec3; 3] = std::array::from_fn(|_| point(flat) + DVec3::splat(shift));
            let reach = a.iter().chain(&b).map(|p| size(*p)).fold(0.0, f64::max) * 2.0;
            let hull = |points: [DVec3; 3]| OracleBody::hull(points.map(|p| p.to_array()).to_vec());
            let meets = intersects(&hull(a), &hull(b));
            let found = triangles(a, b, reach, u8::MAX);
            for hint in 0..AXES {
                let hinted = triangles(a, b, reach, hint);
                assert_eq!(matches!(hinted, Verdict::Apart(_)), matches!(found, Verdict::Apart(_)));
            }
            match found {
                Verdict::Apart(axis) => {
                    assert!(!meets, "{a:?} {b:?}");
                    coplanar_apart += usize::from(axis >= 11);
                    counts[0] += 1;
                }
                Verdict::Overlapping => {
                    assert!(meets, "{a:?} {b:?}");
                    counts[1] += 1;
                }
                Verdict::Undecided => counts[2] += 1,
            }
        }
        assert!(counts[0] > 1000 && counts[1] > 200 && coplanar_apart > 50, "{counts:?} {coplanar_apart}");
    }
}
