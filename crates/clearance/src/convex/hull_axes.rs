//! Whether two solid hulls meet, by the face normals of their difference.
//!
//! The separating axis theorem: the faces of the difference `B - A` of two solid polytopes are made of a face of A, a face of
//! B, or an edge of each; so two hulls are apart exactly when a plane across one of those normals parts them. A product of
//! edges counts only where the arcs of the two edges cross on the Gauss map (Gregorius, "The separating axis test between
//! convex polyhedra", 2013): with `N1`, `N2` the outward normals left and right of the edge `e` of A, and `M1`, `M2` those
//! of `f` of B, the four numbers `N1 · f`, `-N2 · f`, `M1 · e`, `-M2 · e` have one sign, and `e x f` times that sign points
//! from A to B.
//!
//! Departs from the source in these places:
//! - Each sign and each overlap is compared with its rounding bound. Normals are products of two edges of the face, left
//!   unnormalised, and every bound is relative to the lengths of those edges: slivers need no exception.
//! - Apart is proved as at the end of a walk ([`Pair::lower_bound`]), whatever the axis was made of.
//! - Overlap is proved for the ideal images `M v + t` of the vertices, by so much that their rounding cannot undo it. Edge
//!   pairs next to parallel, whose product is mostly rounding, have another proof: a normal that belongs to both arcs is a
//!   combination of `N1` and `N2` with weights that are not negative and sum to at least 1, and so it is of `-M1` and
//!   `-M2`. For `-w = p + q`, with `w` from the edge of A to that of B, it is enough that `p` lies on the positive side
//!   of `N1` and `N2`, and `q` on that of `-M1` and `-M2`. That also settles pairs whose arcs lie apart on one circle.
//! - What is neither proved apart nor proved to overlap is left open. So are pairs with a flat hull.
//! - The axis that separated last is tried first.

use fearless_simd::Simd;
use glam::DVec3;

use super::box_box::Verdict;
use super::gjk::Pair;
use crate::math::tolerances::{LOWER_BOUND, UNIT_ROUNDOFF};
use crate::shape::Hull;

/// Error of the product of a face normal with an edge of the other hull, relative to the lengths of the three edges it is made
/// of. The worst is a normal of B: its two edges are differences, `u`, turned into A's frame, `5.2u`
/// (`tolerances::MATRIX_VECTOR`), so `12.4u`; their product `2u √2`; the edge of A `u`; the dot product `3u`. Together
/// `19.3u`; norms of `M` (1 within 1e-6) and of sums of magnitudes are second order.
const SIDE: f64 = 20.0 * UNIT_ROUNDOFF;

/// By how much the overlap along an axis must exceed zero for the placed hulls to overlap, relative to the reach
/// `2 r_a + 2 r_b + |t|` and the lengths of the two edges that the axis is the product of:
/// - the axis is off by `15.3u` (see [`SIDE`]), the dot product with `w` by `3u` and the difference `w = b - a` by `u`, each
///   of `|w| <= r_a + r_b + |t|`;
/// - `b` is placed, off by `tolerances::PLACE_VERTEX`, `7u r_b + u |t|`;
/// - the placed hull is off the ideal one by as much along every direction.
///
/// Together `19.3u (r_a + r_b + |t|) + 14u r_b + 2u |t|`, so at most `21.3u` of the reach.
const OVERLAP: f64 = 22.0 * UNIT_ROUNDOFF;

/// Pairs with an edge shorter than this are left open: products of three edges and a rounding error then stay clear of
/// underflow (`1e-75³ 1e-16 = 1e-241`).
const SHORTEST_EDGE: f64 = 1e-75;

/// Axes shorter than this prove no separation: their squares would underflow. Products of two edges of a body that is large
/// enough not to be asked about at a larger scale (`tolerances::SMALLEST_REACH`) are longer unless mostly rounding.
const SHORTEST_AXIS: f64 = 1e-140;

/// What an axis is made of, in the numbering of the hulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HullAxis {
    /// The normal of a face of A.
    FaceOfA(u32),
    /// The normal of a face of B.
    FaceOfB(u32),
    /// The product of an edge of A and one of B.
    Edges(u32, u32),
}

impl HullAxis {
    /// The same with the hulls exchanged, if they are.
    pub fn swapped_if(self, swapped: bool) -> HullAxis {
        match self {
            _ if !swapped => self,
            HullAxis::FaceOfA(face) => HullAxis::FaceOfB(face),
            HullAxis::FaceOfB(face) => HullAxis::FaceOfA(face),
            HullAxis::Edges(a, b) => HullAxis::Edges(b, a),
        }
    }
}

/// An outward normal: the product of two edges of its face.
#[derive(Clone, Copy, Debug, Default)]
struct Face {
    normal: DVec3,
    /// Not less than the product of the lengths of the two edges.
    size: f64,
    /// A corner.
    corner: u32,
}

/// An edge from its lower vertex to the higher one.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    along: DVec3,
    /// Not less than the length.
    size: f64,
    from: u32,
    /// The face that has the edge in the direction of its loop, seen from outside.
    left: Face,
    right: Face,
}

/// Faces and edges of a hull in the frame of A.
#[derive(Clone, Debug, Default)]
struct Surface {
    faces: Vec<Face>,
    edges: Vec<Edge>,
}

/// Memory that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct HullAxes {
    a: Surface,
    b: Surface,
}

impl Surface {
    /// Takes a solid hull apart; `turn` maps differences of its vertices into the frame of A. False if an edge is too short.
    fn set(&mut self, hull: &Hull, turn: impl Fn(DVec3) -> DVec3) -> bool {
        let between = |p: u32, q: u32| turn(hull.vertices[q as usize] - hull.vertices[p as usize]);
        self.faces.clear();
        self.faces.resize(hull.mesh.faces.len(), Face::default());
        for (&[p, q, r], &face) in hull.mesh.triangles.iter().zip(&hull.mesh.face_of_triangle) {
            let (e, f) = (between(p, q), between(p, r));
            let normal = e.cross(f);
            let known = &mut self.faces[face as usize];
            // Corners of a face are exactly in a plane, so each of its triangles has its normal; the largest serves best.
            if known.size == 0.0 || normal.dot(normal) > known.normal.dot(known.normal) {
                *known = Face { normal, size: size(e) * size(f), corner: p };
            }
        }
        self.edges.clear();
        self.edges.extend(hull.mesh.edges.iter().map(|&[p, q]| {
            let along = between(p, q);
            Edge { along, size: size(along), from: p, ..Edge::default() }
        }));
        for (face, corners) in hull.mesh.faces.iter().enumerate() {
            let next = corners.iter().cycle().skip(1);
            for (&p, &q) in corners.iter().zip(next) {
                if let Some(edge) = hull.edge_between(p, q).and_then(|edge| self.edges.get_mut(edge as usize)) {
                    let side = if p < q { &mut edge.left } else { &mut edge.right };
                    *side = self.faces[face];
                }
            }
        }
        self.edges.iter().all(|edge| edge.size > SHORTEST_EDGE)
    }
}

/// The sum of the magnitudes: never less than the length.
#[inline(always)]
fn size(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// What the axes say of two placed hulls. `hint` is tried first.
#[inline(always)]
pub(crate) fn verdict<'h, S: Simd>(
    simd: S,
    pair: &Pair<'_, &'h Hull, &'h Hull>,
    hint: Option<HullAxis>,
    scratch: &mut HullAxes,
) -> Verdict<HullAxis> {
    if pair.a.mesh.dimension != 3 || pair.b.mesh.dimension != 3 {
        return Verdict::Open;
    }
    if let Some(axis) = hint
        && let Some(direction) = direction_of(pair, axis)
        && separates(simd, pair, direction)
    {
        return Verdict::Apart(axis);
    }
    let HullAxes { a, b } = scratch;
    if !a.set(pair.a, |v| v) || !b.set(pair.b, |v| pair.placement.turn(v)) {
        return Verdict::Open;
    }
    let mut deep = true;
    for (index, face) in a.faces.iter().enumerate() {
        let opposite = pair.b.farthest(simd, pair.placement.turn_back(-face.normal));
        let gap = face.normal.dot(pair.difference(face.corner, opposite));
        if gap > 0.0 && separates(simd, pair, face.normal) {
            return Verdict::Apart(HullAxis::FaceOfA(index as u32));
        }
        deep &= gap < -OVERLAP * pair.reach * face.size;
    }
    for (index, face) in b.faces.iter().enumerate() {
        let direction = -face.normal;
        let opposite = pair.a.farthest(simd, direction);
        let gap = direction.dot(pair.difference(opposite, face.corner));
        if gap > 0.0 && separates(simd, pair, direction) {
            return Verdict::Apart(HullAxis::FaceOfB(index as u32));
        }
        deep &= gap < -OVERLAP * pair.reach * face.size;
    }
    for (i, e) in a.edges.iter().enumerate() {
        for (j, f) in b.edges.iter().enumerate() {
            let Crossing::Perhaps(sign) = crossing(e, f) else { continue };
            let axis = e.along.cross(f.along);
            let w = pair.difference(e.from, f.from);
            let gap = axis.dot(w);
            // Without a sign both are possible: apart along one of them, overlapping along neither.
            let (direction, gap) = if sign == 0.0 && gap < 0.0 || sign < 0.0 { (-axis, -gap) } else { (axis, gap) };
            if gap > LOWER_BOUND * pair.reach * direction.length() && separates(simd, pair, direction) {
                return Verdict::Apart(HullAxis::Edges(i as u32, j as u32));
            }
            deep = deep
                && ((sign != 0.0 && gap < -OVERLAP * pair.reach * (e.size * f.size))
                    || overlap_by_arcs(e, f, w, pair.reach));
        }
    }
    if deep { Verdict::Overlapping } else { Verdict::Open }
}

/// Whether the arcs of two edges may cross.
enum Crossing {
    No,
    /// And if they do, the product of the edges times this sign points from A to B; zero: not known.
    Perhaps(f64),
}

#[inline(always)]
fn crossing(e: &Edge, f: &Edge) -> Crossing {
    // The sign of a product of a normal and an edge, or zero where rounding hides it.
    let side = |face: &Face, edge: &Edge| {
        let product = face.normal.dot(edge.along);
        if product.abs() > SIDE * (face.size * edge.size) { product } else { 0.0 }
    };
    let (first, second) = (side(&e.left, f), -side(&e.right, f));
    if first * second < 0.0 {
        return Crossing::No;
    }
    let (third, fourth) = (side(&f.left, e), -side(&f.right, e));
    let signs = [first, second, third, fourth];
    let (positive, negative) = (signs.iter().any(|&x| x > 0.0), signs.iter().any(|&x| x < 0.0));
    match (positive, negative) {
        (true, true) => Crossing::No,
        (true, false) => Crossing::Perhaps(1.0),
        (false, true) => Crossing::Perhaps(-1.0),
        (false, false) => Crossing::Perhaps(0.0),
    }
}

/// True when the hulls overlap along every direction that belongs to both arcs, shown without a product of the edges; `w`
/// leads from the edge of A to that of B.
///
/// `p` is taken as it is and `q = -w - p`, so `q` is off by the errors of `w` and a rounding of its own; all of it, the error
/// of the normals and what the placing may undo, is within `OVERLAP` of `|q|` and of the reach: `19.3u |q|` for normal, product
/// and rounding, and `u |w| + 14u r_b + 2u |t|`.
#[cold]
fn overlap_by_arcs(e: &Edge, f: &Edge, w: DVec3, reach: f64) -> bool {
    let beyond = |face: &Face, p: DVec3| face.normal.dot(p) > OVERLAP * face.size * (size(p) + reach);
    let holds_a = |p: DVec3| beyond(&e.left, p) && beyond(&e.right, p);
    let holds_b = |q: DVec3| beyond(&f.left, -q) && beyond(&f.right, -q);
    if holds_a(-w) || holds_b(-w) {
        return true;
    }
    // Any `p` will do. Normals that have no length make it NaN, which lies beyond nothing.
    let middle = |edge: &Edge| edge.left.normal.normalize() + edge.right.normal.normalize();
    let apart = (middle(e) + middle(f)) * reach;
    [0.0, 0.0625, 0.5, 4.0].into_iter().any(|step| {
        let p = apart * step - w * 0.5;
        holds_a(p) && holds_b(-w - p)
    })
}

/// Whether the placed hulls are proved apart along a direction.
#[inline(always)]
fn separates<S: Simd>(simd: S, pair: &Pair<'_, &Hull, &Hull>, direction: DVec3) -> bool {
    let length = direction.length();
    if length < SHORTEST_AXIS {
        return false;
    }
    let found = pair.support(simd, direction);
    pair.lower_bound(direction, length, pair.difference(found.0, found.1)) > 0.0
}

/// The direction of an axis from A to B, if the hulls have such a face or such edges.
fn direction_of(pair: &Pair<'_, &Hull, &Hull>, axis: HullAxis) -> Option<DVec3> {
    let corner = |hull: &Hull, index: u32| hull.vertices[index as usize];
    // The normal of the first three corners of a face: any direction is a fair try.
    let normal = |hull: &Hull, face: u32| match hull.mesh.faces.get(face as usize) {
        &[p, q, r, ..] => Some((corner(hull, q) - corner(hull, p)).cross(corner(hull, r) - corner(hull, p))),
        _ => None,
    };
    match axis {
        HullAxis::FaceOfA(face) => normal(pair.a, face),
        HullAxis::FaceOfB(face) => normal(pair.b, face).map(|n| -pair.placement.turn(n)),
        HullAxis::Edges(i, j) => {
            let (&[p, q], &[r, s]) = (pair.a.mesh.edges.get(i as usize)?, pair.b.mesh.edges.get(j as usize)?);
            let e = corner(pair.a, q) - corner(pair.a, p);
            let f = pair.placement.turn(corner(pair.b, s) - corner(pair.b, r));
            let product = e.cross(f);
            Some(if product.dot(pair.difference(p, r)) < 0.0 { -product } else { product })
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::math::simd::plain;
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, Scenario, pair, signed_distance};
    use glam::DMat3;

    use super::*;
    use crate::convex::exact;
    use crate::convex::simplex::Simplex;
    use crate::math::placement::Placement;
    use crate::math::pose::Pose;
    use crate::shape::ConvexHull;

    /// The verdict, held against exact arithmetic; also from every hint that is an axis of the pair. The exact gap beside it,
    /// relative to the reach.
    fn check(a: (&ConvexHull, &Pose), b: (&ConvexHull, &Pose)) -> (Verdict<HullAxis>, f64) {
        let ((hull_a, pose_a), (hull_b, pose_b)) = ((a.0.hull(), a.1), (b.0.hull(), b.1));
        let map = Placement::new(pose_a, hull_a.origin, pose_b, hull_b.origin);
        let reach = 2.0 * (hull_a.radius + hull_b.radius) + map.separation;
        let pair = Pair { a: hull_a, b: hull_b, placement: &map, reach };
        let mut scratch = HullAxes::default();
        let found = verdict(plain(), &pair, None, &mut scratch);
        let gap = exact::gap(&pair, &Simplex::default()).gap;
        match found {
            Verdict::Apart(axis) => {
                assert!(gap > 0.0, "{axis:?} {a:?} {b:?}");
                let back = axis.swapped_if(true).swapped_if(true);
                assert_eq!(verdict(plain(), &pair, Some(back), &mut scratch), found);
            }
            Verdict::Overlapping => assert_eq!(gap, 0.0, "{a:?} {b:?}"),
            Verdict::Open => {}
        }
        // Hints of other hulls, some beyond what this pair has, change nothing but the axis that is named.
        for hint in [HullAxis::FaceOfA(1), HullAxis::FaceOfB(900), HullAxis::Edges(2, 3), HullAxis::Edges(900, 0)] {
            let hinted = verdict(plain(), &pair, Some(hint), &mut scratch);
            assert_eq!(std::mem::discriminant(&hinted), std::mem::discriminant(&found));
        }
        (found, gap / reach)
    }

    fn posed(body: &OracleBody) -> Option<(ConvexHull, Pose)> {
        let rows = body.rotation.map(DVec3::from_array);
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let pose = Pose::new(rotation, DVec3::from_array(body.translation)).ok()?;
        let hull = ConvexHull::flat(&body.core_vertices).ok()?;
        (body.radius == 0.0).then_some((hull, pose))
    }

    #[test]
    fn says_what_exact_arithmetic_says() {
        let (mut apart, mut edges, mut overlapping, mut open) = (0, 0, 0, 0);
        let (mut far_and_open, mut deep_and_open) = (0, 0);
        for scenario in Scenario::ALL {
            for seed in 0..30 {
                let bodies = pair(scenario, seed);
                let (Some((a, pose_a)), Some((b, pose_b))) = (posed(&bodies.0), posed(&bodies.1)) else { continue };
                let (found, gap) = check((&a, &pose_a), (&b, &pose_b));
                let solid = a.dimension() == 3 && b.dimension() == 3;
                match found {
                    Verdict::Apart(axis) => {
                        apart += 1;
                        edges += usize::from(matches!(axis, HullAxis::Edges(..)));
                    }
                    Verdict::Overlapping => overlapping += 1,
                    Verdict::Open if solid => {
                        open += 1;
                        far_and_open += usize::from(gap > 1e-13);
                        let depth = -signed_distance(&bodies.0, &bodies.1).enclosure().1;
                        let length = a.hull().diameter.max(b.hull().diameter);
                        deep_and_open += usize::from(depth > 1e-12 * length);
                    }
                    Verdict::Open => {}
                }
            }
        }
        // What is apart or overlaps by more than rounding is not left open.
        assert_eq!((far_and_open, deep_and_open), (0, 0));
        assert!(apart > 150 && edges > 10 && overlapping > 60, "{apart} {edges} {overlapping} {open}");
    }

    /// Prisms with parallel and next to parallel edges, at every tilt, and coincident: their overlap is proved.
    #[test]
    fn near_parallel_edges() {
        let mut random = Random::new(11);
        for case in 0..300 {
            let corners = 3 + case % 5;
            let points: Vec<[f64; 3]> = (0..2 * corners)
                .map(|k| {
                    let angle = (k / 2) as f64 * std::f64::consts::TAU / corners as f64;
                    [angle.cos(), angle.sin(), if k % 2 == 0 { 1.0 } else { -1.0 }]
                })
                .collect();
            let hull = ConvexHull::new(&points).unwrap();
            let tilt = if case % 7 == 0 { 0.0 } else { 10f64.powi(-(case as i32 % 20)) };
            let axis = [DVec3::Z, DVec3::X, DVec3::from_array(random.direction())][case % 3];
            let shift = DVec3::from_array(random.in_cube([0.0, 0.3, 0.8][case / 3 % 3]));
            let pose = Pose::from_axis_angle(axis, tilt, shift).unwrap();
            let (found, gap) = check((&hull, &Pose::IDENTITY), (&hull, &pose));
            if gap > 1e-13 {
                assert!(matches!(found, Verdict::Apart(_)), "{case}");
            }
            assert_ne!(found, Verdict::Open, "{case}");
        }
    }
}
