//! Predicates and distances of two triangles, and of a point and a solid.
//!
//! - The distance of two triangles, in double-double arithmetic: separating planes across the direction between the
//!   nearest of all corners, edges and faces, across the faces and across pairs of edges; or, where the triangles are
//!   known not to meet, the nearest of six corner-face and nine edge pairs.
//! - Whether two triangles meet, exactly: an edge of one meets the other.
//! - The winding number of a closed surface around a point, exactly: the triangles above it are counted, each with the
//!   sign of its orientation. Above is decided in the plane by the rule that a directed edge owns its lower end and the
//!   points on its right.

use crate::math::tolerances::VERIFY_PARALLEL;
use glam::DVec3;

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::predicates::{Axis, Sign, normal_axis, orient2d, orient3d};
use crate::verify::project::{project_on_segment, project_on_triangle};

/// Corners of a triangle in the world.
pub(crate) type Triangle = [DoubleDoubleVec3; 3];

const SIDES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// Two triangles in the world, and how far their corners may be off.
pub(crate) struct TwoTriangles<'t> {
    pub a: &'t Triangle,
    pub b: &'t Triangle,
    pub rounding: f64,
}

/// The nearest of all corners, edges and faces of two triangles.
struct NearestFeatures {
    distance: DoubleDouble,
    between: DoubleDoubleVec3,
    /// How much nearer the triangles may be where faces are slivers or edges almost parallel.
    slack: f64,
}

impl TwoTriangles<'_> {
    /// A proved lower bound on the distance of the triangles, only as tight as needed to show `claimed`; not positive
    /// where they may meet. `known_apart` says whether they are known not to meet.
    pub fn gap(&self, claimed: f64, normal: DVec3, known_apart: impl FnOnce() -> bool) -> f64 {
        let mut proved = self.gap_along(DoubleDoubleVec3::from(normal));
        if proved >= claimed {
            return proved;
        }
        let nearest = self.nearest();
        let [face_a, face_b] = [self.a, self.b].map(|t| (t[1] - t[0]).cross(t[2] - t[0]));
        let mut try_along = |direction: DoubleDoubleVec3| {
            proved = proved.max(self.gap_along(direction)).max(self.gap_along(-direction));
            proved >= claimed
        };
        if try_along(nearest.between) || try_along(face_a) || try_along(face_b) {
            return proved;
        }
        for [i, j] in SIDES {
            for [k, l] in SIDES {
                if try_along((self.a[j] - self.a[i]).cross(self.b[l] - self.b[k])) {
                    return proved;
                }
            }
        }
        if proved > 0.0 || known_apart() {
            let distance = nearest.distance.to_f64().next_down() - nearest.slack - 4.0 * self.rounding;
            proved = proved.max(distance);
        }
        proved
    }

    /// A proved upper bound on the distance of the triangles.
    pub fn at_most(&self) -> f64 {
        let pierced = piercings(self.a, self.b).chain(piercings(self.b, self.a)).next().is_some();
        if pierced { 0.0 } else { self.nearest().distance.to_f64().next_up() + 4.0 * self.rounding }
    }

    /// The signed gap between the planes across a direction, which need not be of unit length.
    fn gap_along(&self, direction: DoubleDoubleVec3) -> f64 {
        let length = direction.length();
        if length <= DoubleDouble::ZERO {
            return f64::NEG_INFINITY;
        }
        let first = self.a[0];
        let highest = self.a.iter().map(|p| direction.dot(*p - first)).fold(DoubleDouble::ZERO, larger);
        let lowest = self.b.iter().map(|q| -direction.dot(*q - first));
        let lowest = -lowest.fold(DoubleDouble::from(f64::NEG_INFINITY), larger);
        // Products and sums are off by some 1e-31 of the differences, which are those of coordinates.
        ((lowest - highest) / length - DoubleDouble::from(self.rounding)).to_f64().next_down()
    }

    /// The nearest of all corners, edges and faces. Only points of both triangles are compared, so no result is too
    /// near.
    fn nearest(&self) -> NearestFeatures {
        let mut best: Option<(DoubleDouble, DoubleDoubleVec3)> = None;
        let mut offer = |between: DoubleDoubleVec3| {
            let squared = between.length_squared();
            if best.is_none_or(|(least, _)| squared < least) {
                best = Some((squared, between));
            }
        };
        for (corners, face, sign) in [(self.a, self.b, 1.0), (self.b, self.a, -1.0)] {
            let sign = DoubleDouble::from(sign);
            for &p in corners {
                offer((project_on_triangle(p, face[0], face[1], face[2]) - p).scale(sign));
                for [i, j] in SIDES {
                    offer((project_on_segment(p, face[i], face[j]) - p).scale(sign));
                }
            }
        }
        let mut missed: f64 = 0.0;
        for [i, j] in SIDES {
            for [k, l] in SIDES {
                let (between, off) = between_edges([self.a[i], self.a[j]], [self.b[k], self.b[l]]);
                offer(between);
                missed = missed.max(off);
            }
        }
        let (squared, between) = best.unwrap_or((DoubleDouble::ZERO, self.b[0] - self.a[0]));
        let distance = squared.sqrt();
        // If a square is at most `off` too large, its root `d` is at most `off / 2d` too large, to first order; twice
        // that is ample.
        let of_square = |off: f64| if off > 0.0 { off / distance.to_f64() } else { 0.0 };
        let of_faces = [self.a, self.b].map(|face| {
            let (off, width) = sliver(face);
            of_square(off * off).min(width)
        });
        NearestFeatures { distance, between, slack: of_square(missed) + of_faces[0].max(of_faces[1]) }
    }
}

fn larger(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble {
    if y > x { y } else { x }
}

/// How far the projection of a point may be off along a face, and the largest distance of a point of the face from a
/// side: the normal is off by some 1e-30 of the squared size, which matters for a face of small area.
fn sliver(face: &Triangle) -> (f64, f64) {
    let area = (face[1] - face[0]).cross(face[2] - face[0]).length().to_f64();
    let longest = SIDES.map(|[i, j]| (face[j] - face[i]).length().to_f64()).into_iter().fold(0.0, f64::max);
    if longest <= 0.0 {
        return (0.0, 0.0);
    }
    let doubt = 1e-30 * longest * longest;
    if area <= doubt { (f64::INFINITY, 2.0 * doubt / longest) } else { (longest * doubt / area, 2.0 * area / longest) }
}

/// The vector between two edges where they are nearest, and by how much its square may be too large.
///
/// The parameter along the first edge may be off by some `1e-30 / sin² θ` of the lengths, so two alternating
/// projections follow, after which only the shift along both edges is off: that enters the square with `sin² θ`. Edges
/// parallel up to [`PARALLEL_EDGES`] are nearest at an end, up to `sin² θ` of the squared length.
fn between_edges([p, q]: [DoubleDoubleVec3; 2], [r, s]: [DoubleDoubleVec3; 2]) -> (DoubleDoubleVec3, f64) {
    let (e, f, d) = (q - p, s - r, p - r);
    let (ee, ff, ef) = (e.length_squared(), f.length_squared(), e.dot(f));
    let (product, size) = ((ee * ff).to_f64(), ee.to_f64().max(ff.to_f64()).max(d.length_squared().to_f64()));
    let to_and_fro = |start: DoubleDoubleVec3| {
        let on_f = project_on_segment(start, r, s);
        on_f - project_on_segment(on_f, p, q)
    };
    if product <= 0.0 {
        return (to_and_fro(p), 0.0);
    }
    let cross = e.cross(f).length_squared();
    let sine = (cross.to_f64() / product).sqrt() + 1e-30;
    if sine * sine < VERIFY_PARALLEL {
        return (to_and_fro(p), sine * sine * size);
    }
    let along = (ef * d.dot(f) - ff * d.dot(e)) / cross;
    let start = if along <= DoubleDouble::ZERO {
        p
    } else if along >= DoubleDouble::ONE {
        q
    } else {
        p + e.scale(along)
    };
    (to_and_fro(start), 1e-60 * size / (sine * sine))
}

/// Whether two closed triangles have a point in common, exactly. They may be degenerate.
pub(crate) fn meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let side = |t: &[DVec3; 3], [i, j]: [usize; 2]| [t[i], t[j]];
    SIDES.iter().any(|&s| segment_meets_triangle(side(a, s), b) || segment_meets_triangle(side(b, s), a))
}

fn segment_meets_triangle([p, q]: [DVec3; 2], triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    let Some((axis, _)) = normal_axis(a, b, c) else {
        return SIDES.iter().any(|&[i, j]| segments_meet([p, q], [triangle[i], triangle[j]]));
    };
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if side_p.is_zero() && side_q.is_zero() {
        let inside = one_way([orient2d(axis, a, b, p), orient2d(axis, b, c, p), orient2d(axis, c, a, p)]);
        return inside || SIDES.iter().any(|&[i, j]| segments_meet([p, q], [triangle[i], triangle[j]]));
    }
    // The line meets the plane in one point; the edges wind around it if it lies in the triangle.
    side_p != side_q && one_way([orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)])
}

/// No two of these signs are opposite.
fn one_way(signs: [Sign; 3]) -> bool {
    !(signs.contains(&Sign::Positive) && signs.contains(&Sign::Negative))
}

fn segments_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    if !orient3d(p, q, a, b).is_zero() {
        return false;
    }
    let axis = [[p, q, a], [p, q, b], [a, b, p]].into_iter().find_map(|[x, y, z]| normal_axis(x, y, z));
    let Some((axis, _)) = axis else {
        // All on one line, or at one point.
        let (low, high) = (p.min(q), p.max(q));
        return low.cmple(a.max(b)).all() && a.min(b).cmple(high).all();
    };
    let apart = |x: Sign, y: Sign| x == y && !x.is_zero();
    !apart(orient2d(axis, a, b, p), orient2d(axis, a, b, q)) && !apart(orient2d(axis, p, q, a), orient2d(axis, p, q, b))
}

/// The position of a point relative to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointSide {
    Outside,
    Inside,
    On,
}

/// The position of a point relative to the solid bounded by a closed surface, exactly. A surface point may count as
/// anything where the surface is seen edge-on from above.
pub(crate) fn side_of(triangles: impl Iterator<Item = [DVec3; 3]>, point: DVec3) -> PointSide {
    match winding_about(triangles, point) {
        None => PointSide::On,
        Some(0) => PointSide::Outside,
        Some(_) => PointSide::Inside,
    }
}

/// The winding number of a closed surface around a point, exactly; `None` for a point of the surface.
pub(crate) fn winding_about(triangles: impl Iterator<Item = [DVec3; 3]>, point: DVec3) -> Option<i64> {
    let mut winding = 0;
    for [a, b, c] in triangles {
        let turns = turns_about([a, b, c], point);
        if turns == 0 {
            continue;
        }
        match (orient3d(a, b, c, point), turns > 0) {
            (Sign::Zero, _) => return None,
            (Sign::Negative, true) | (Sign::Positive, false) => winding += turns,
            _ => {}
        }
    }
    Some(winding)
}

/// How often a triangle, seen from above, winds around a point.
fn turns_about(corners: [DVec3; 3], p: DVec3) -> i64 {
    let mut turns = 0;
    for [i, j] in SIDES {
        let (from, to) = (corners[i], corners[j]);
        if from.y <= p.y && to.y > p.y && orient2d(Axis::Z, from, to, p).is_positive() {
            turns += 1;
        } else if from.y > p.y && to.y <= p.y && orient2d(Axis::Z, from, to, p).is_negative() {
            turns -= 1;
        }
    }
    turns
}

/// Where the edges of one triangle clearly pass through the interior of another: points, each with the sine of the
/// angle of passage.
pub(crate) fn piercings(edges_of: &Triangle, face: &Triangle) -> impl Iterator<Item = (DoubleDoubleVec3, f64)> {
    let normal = (face[1] - face[0]).cross(face[2] - face[0]);
    let length = normal.length();
    let size = SIDES.map(|[i, j]| (face[j] - face[i]).length().to_f64()).into_iter().fold(0.0, f64::max);
    // Determinants are off by some 1e-30 of the product of the lengths.
    let (edges_of, face) = (*edges_of, *face);
    SIDES.into_iter().filter_map(move |[i, j]| {
        let (p, q) = (edges_of[i], edges_of[j]);
        let along = q - p;
        let reach = size + along.length().to_f64() + (p - face[0]).length().to_f64();
        let doubt = DoubleDouble::from(1e-28 * reach * reach * reach);
        let (from, to) = (normal.dot(p - face[0]), normal.dot(q - face[0]));
        let clearly = |x: DoubleDouble| x.abs() > doubt;
        if !clearly(from) || !clearly(to) || (from > DoubleDouble::ZERO) == (to > DoubleDouble::ZERO) {
            return None;
        }
        let sides = SIDES.map(|[k, l]| along.dot((face[k] - p).cross(face[l] - p)));
        let same = sides.iter().all(|s| clearly(*s) && (*s > DoubleDouble::ZERO) == (sides[0] > DoubleDouble::ZERO));
        let sine = (to - from).abs() / (length * along.length());
        same.then(|| (p + along.scale(from / (from - to)), sine.to_f64()))
    })
}

/// Distance of a point from the nearest side of a triangle, and from the nearest corner.
pub(crate) fn from_sides(triangle: &Triangle, point: DoubleDoubleVec3) -> (f64, f64) {
    let to_side = |[i, j]: [usize; 2]| (project_on_segment(point, triangle[i], triangle[j]) - point).length().to_f64();
    let sides = SIDES.map(to_side).into_iter().fold(f64::INFINITY, f64::min);
    let corners = triangle.iter().map(|p| (*p - point).length().to_f64()).fold(f64::INFINITY, f64::min);
    (sides, corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::triangle_distance::triangle_gap;
    use crate::geom::triangle_triangle::triangles_meet;

    /// A simple generator of numbers from 0 to below `end`.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: u64) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % end) as f64
        }

        fn triangle(&mut self, end: u64) -> [DVec3; 3] {
            [(); 3].map(|()| DVec3::new(self.below(end), self.below(end), self.below(end)))
        }
    }

    #[test]
    fn triangles_on_a_small_grid_meet_as_they_do_by_other_code() {
        // Coplanar, parallel, touching and degenerate triangles are frequent.
        let mut numbers = Numbers(5);
        let mut meeting = 0;
        for round in 0..20_000 {
            let end = [2, 3, 4, 9][round % 4];
            let (a, b) = (numbers.triangle(end), numbers.triangle(end));
            let found = meet(&a, &b);
            assert_eq!(found, triangles_meet(&a, &b), "{a:?} {b:?}");
            assert_eq!(found, meet(&b, &a), "{a:?} {b:?}");
            meeting += u32::from(found);
        }
        assert!(meeting > 2_000 && meeting < 18_000, "{meeting}");
    }

    #[test]
    fn gaps_of_triangles_are_proved_as_far_as_they_go() {
        let mut numbers = Numbers(6);
        let mut apart = 0;
        for round in 0..4_000 {
            let end = [3, 5, 1000][round % 3];
            let (a, mut b) = (numbers.triangle(end), numbers.triangle(end));
            // Moved a little, and by more than the size of both.
            let step = [0.0, 1e-9, 3.0 * end as f64][round % 5 % 3];
            b.iter_mut().for_each(|p| *p += DVec3::new(step, -0.5 * step, 0.25 * step));
            let (world_a, world_b) = (a.map(DoubleDoubleVec3::from), b.map(DoubleDoubleVec3::from));
            let rounding = 1e-30 * 8.0 * end as f64;
            let two = TwoTriangles { a: &world_a, b: &world_b, rounding };
            let known = triangle_gap(&a, &b, 0.0);
            let meets = meet(&a, &b);
            let proved = two.gap(f64::INFINITY, DVec3::Z, || !meets);
            if meets {
                assert!(proved <= 0.0, "{a:?} {b:?}: {proved}");
                assert_eq!(known.value, 0.0);
            } else {
                // No more than the true distance, and no less up to rounding.
                assert!(proved <= known.upper, "{a:?} {b:?}: {proved} {known:?}");
                assert!(proved >= known.lower * (1.0 - 1e-15) - 4.0 * rounding, "{a:?} {b:?}: {proved} {known:?}");
                apart += 1;
            }
        }
        assert!(apart > 1_000, "{apart}");
    }

    #[test]
    fn points_are_inside_a_box_exactly_where_they_are() {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 2.0;
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let halves = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        let triangles: Vec<[DVec3; 3]> = halves.map(|t| t.map(corner)).collect();
        // Above and below edges, corners and diagonals.
        for k in 0..729u32 {
            let p = DVec3::new(f64::from(k % 9), f64::from(k / 9 % 9), f64::from(k / 81)) * 0.5 - DVec3::ONE;
            let inside = p.min_element() > 0.0 && p.max_element() < 2.0;
            let on = p.min_element() >= 0.0 && p.max_element() <= 2.0 && !inside;
            let found = side_of(triangles.iter().copied(), p);
            assert!(on || found == if inside { PointSide::Inside } else { PointSide::Outside }, "{p} {found:?}");
        }
    }
}
