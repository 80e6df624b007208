//! Intersection test of two solid hulls, by the face normals of their difference.
//!
//! The separating axis theorem: the faces of the difference `B - A` of two solid polytopes come from a face of A, a
//! face of B, or an edge of each; so two hulls are disjoint exactly when a plane perpendicular to one of those normals
//! separates them. A product of edges counts only where the arcs of the two edges cross on the Gauss map (Gregorius,
//! "The separating axis test between convex polyhedra", 2013): with `N1`, `N2` the outward normals left and right of
//! the edge `e` of A, and `M1`, `M2` those of `f` of B, the four numbers `N1 · f`, `-N2 · f`, `M1 · e`, `-M2 · e` have
//! one sign, and `e x f` times that sign points from A to B.
//!
//! Departures from the source:
//! - Each sign and each overlap is compared with its rounding bound. Normals are products of two edges of the face,
//!   left unnormalised, and every bound is relative to the lengths of those edges: slivers need no special case.
//! - Separation is proved as at the end of GJK ([`Pair::lower_bound`]), whatever the axis was made of.
//! - Overlap is proved for the ideal images `M v + t` of the vertices, by a margin that their rounding cannot undo.
//!   Nearly parallel edge pairs, whose product is mostly rounding, have another proof: a normal that belongs to both
//!   arcs is a combination of `N1` and `N2` with non-negative weights that sum to at least 1, and likewise of `-M1` and
//!   `-M2`. For `-w = p + q`, with `w` from the edge of A to that of B, it is enough that `p` lies on the positive side
//!   of `N1` and `N2`, and `q` on that of `-M1` and `-M2`. That also settles pairs whose arcs are disjoint on one
//!   circle.
//! - Pairs proved neither separated nor overlapping are left undecided. So are pairs with a flat hull.
//! - The axis that separated last is tried first.

use fearless_simd::Simd;
use glam::DVec3;

use super::box_box::Verdict;
use super::gjk::Pair;
use crate::math::tolerances::{
    HULL_AXIS_OVERLAP, HULL_AXIS_SHORTEST, HULL_AXIS_SHORTEST_EDGE, HULL_AXIS_SIDE, LOWER_BOUND,
};
use crate::shape::Hull;

/// The origin of an axis, in the numbering of the hulls.
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
    /// The axis with the hulls swapped, if `swapped`.
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
    /// An upper bound of the product of the lengths of the two edges.
    size: f64,
    /// A corner.
    corner: u32,
}

/// An edge from its lower vertex to the higher one.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    along: DVec3,
    /// An upper bound of the length.
    size: f64,
    from: u32,
    /// The face whose loop has the edge in this direction, seen from outside.
    left: Face,
    right: Face,
}

/// Faces and edges of a hull in the frame of A.
#[derive(Clone, Debug, Default)]
struct Surface {
    faces: Vec<Face>,
    edges: Vec<Edge>,
}

/// Reused scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct HullAxes {
    a: Surface,
    b: Surface,
}

impl Surface {
    /// Extracts the faces and edges of a solid hull; `turn` maps differences of its vertices into the frame of A. False
    /// if an edge is too short.
    fn set(&mut self, hull: &Hull, turn: impl Fn(DVec3) -> DVec3) -> bool {
        let between = |p: u32, q: u32| turn(hull.vertices[q as usize] - hull.vertices[p as usize]);
        self.faces.clear();
        self.faces.resize(hull.mesh.faces.len(), Face::default());
        for (&[p, q, r], &face) in hull.mesh.triangles.iter().zip(&hull.mesh.face_of_triangle) {
            let (e, f) = (between(p, q), between(p, r));
            let normal = e.cross(f);
            let known = &mut self.faces[face as usize];
            // Corners of a face are exactly coplanar, so each of its triangles has its normal; the largest is the most
            // accurate.
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
        self.edges.iter().all(|edge| edge.size > HULL_AXIS_SHORTEST_EDGE)
    }
}

/// The sum of the magnitudes: an upper bound of the length.
#[inline(always)]
fn size(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// The verdict of the axes on two placed hulls. `hint` is tried first.
#[inline(always)]
pub(crate) fn verdict<'h, S: Simd>(
    simd: S,
    pair: &Pair<'_, &'h Hull, &'h Hull>,
    hint: Option<HullAxis>,
    scratch: &mut HullAxes,
) -> Verdict<HullAxis> {
    if pair.a.mesh.dimension != 3 || pair.b.mesh.dimension != 3 {
        return Verdict::Undecided;
    }
    if let Some(axis) = hint
        && let Some(direction) = direction_of(pair, axis)
        && separates(simd, pair, direction)
    {
        return Verdict::Apart(axis);
    }
    let HullAxes { a, b } = scratch;
    if !a.set(pair.a, |v| v) || !b.set(pair.b, |v| pair.placement.turn(v)) {
        return Verdict::Undecided;
    }
    let mut deep = true;
    for (index, face) in a.faces.iter().enumerate() {
        let opposite = pair.b.farthest(simd, pair.placement.turn_back(-face.normal));
        let gap = face.normal.dot(pair.difference(face.corner, opposite));
        if gap > 0.0 && separates(simd, pair, face.normal) {
            return Verdict::Apart(HullAxis::FaceOfA(index as u32));
        }
        deep &= gap < -HULL_AXIS_OVERLAP * pair.reach * face.size;
    }
    for (index, face) in b.faces.iter().enumerate() {
        let direction = -face.normal;
        let opposite = pair.a.farthest(simd, direction);
        let gap = direction.dot(pair.difference(opposite, face.corner));
        if gap > 0.0 && separates(simd, pair, direction) {
            return Verdict::Apart(HullAxis::FaceOfB(index as u32));
        }
        deep &= gap < -HULL_AXIS_OVERLAP * pair.reach * face.size;
    }
    for (i, e) in a.edges.iter().enumerate() {
        for (j, f) in b.edges.iter().enumerate() {
            let Crossing::Perhaps(sign) = crossing(e, f) else { continue };
            let axis = e.along.cross(f.along);
            let w = pair.difference(e.from, f.from);
            let gap = axis.dot(w);
            // Without a sign both are possible: separated along one of them, overlapping along neither.
            let (direction, gap) = if sign == 0.0 && gap < 0.0 || sign < 0.0 { (-axis, -gap) } else { (axis, gap) };
            if gap > LOWER_BOUND * pair.reach * direction.length() && separates(simd, pair, direction) {
                return Verdict::Apart(HullAxis::Edges(i as u32, j as u32));
            }
            deep = deep
                && ((sign != 0.0 && gap < -HULL_AXIS_OVERLAP * pair.reach * (e.size * f.size))
                    || overlap_by_arcs(e, f, w, pair.reach));
        }
    }
    if deep { Verdict::Overlapping } else { Verdict::Undecided }
}

/// Whether the arcs of two edges may cross.
enum Crossing {
    No,
    /// If they do, the product of the edges times this sign points from A to B; zero: sign unknown.
    Perhaps(f64),
}

#[inline(always)]
fn crossing(e: &Edge, f: &Edge) -> Crossing {
    // The sign of a product of a normal and an edge, or zero where rounding hides it.
    let side = |face: &Face, edge: &Edge| {
        let product = face.normal.dot(edge.along);
        if product.abs() > HULL_AXIS_SIDE * (face.size * edge.size) { product } else { 0.0 }
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

/// True when the hulls overlap along every direction that belongs to both arcs, shown without a product of the edges;
/// `w` leads from the edge of A to that of B.
///
/// `p` is taken as it is and `q = -w - p`, so `q` is off by the errors of `w` and its own rounding; all of it, the
/// error of the normals and of the placement, is within `HULL_AXIS_OVERLAP` of `|q|` and of the reach: `19.3u |q|` for
/// normal, product and rounding, and `u |w| + 14u r_b + 2u |t|`.
#[cold]
fn overlap_by_arcs(e: &Edge, f: &Edge, w: DVec3, reach: f64) -> bool {
    let beyond = |face: &Face, p: DVec3| face.normal.dot(p) > HULL_AXIS_OVERLAP * face.size * (size(p) + reach);
    let holds_a = |p: DVec3| beyond(&e.left, p) && beyond(&e.right, p);
    let holds_b = |q: DVec3| beyond(&f.left, -q) && beyond(&f.right, -q);
    if holds_a(-w) || holds_b(-w) {
        return true;
    }
    // Any `p` will do. Zero-length normals make it NaN, which fails every comparison.
    let middle = |edge: &Edge| edge.left.normal.normalize() + edge.right.normal.normalize();
    let apart = (middle(e) + middle(f)) * reach;
    [0.0, 0.0625, 0.5, 4.0].into_iter().any(|step| {
        let p = apart * step - w * 0.5;
        holds_a(p) && holds_b(-w - p)
    })
}

/// Whether the placed hulls are proved separated along a direction.
#[inline(always)]
fn separates<S: Simd>(simd: S, pair: &Pair<'_, &Hull, &Hull>, direction: DVec3) -> bool {
    let length = direction.length();
    if length < HULL_AXIS_SHORTEST {
        return false;
    }
    let found = pair.support(simd, direction);
    pair.lower_bound(direction, length, pair.difference(found.0, found.1)) > 0.0
}

/// The direction of an axis from A to B, if the hulls have such a face or such edges.
fn direction_of(pair: &Pair<'_, &Hull, &Hull>, axis: HullAxis) -> Option<DVec3> {
    let corner = |hull: &Hull, index: u32| hull.vertices[index as usize];
    // The normal of the first three corners of a face: for a hint, any direction will do.
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

    /// The verdict, checked against exact arithmetic, also from every hint that is an axis of the pair; and the exact
    /// gap relative to the reach.
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
            Verdict::Undecided => {}
        }
        // Hints from other hulls, some out of range for this pair, change only the axis that is reported.
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
    fn agrees_with_exact_arithmetic() {
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
                    Verdict::Undecided if solid => {
                        open += 1;
                        far_and_open += usize::from(gap > 1e-13);
                        let depth = -signed_distance(&bodies.0, &bodies.1).enclosure().1;
                        let length = a.hull().diameter.max(b.hull().diameter);
                        deep_and_open += usize::from(depth > 1e-12 * length);
                    }
                    Verdict::Undecided => {}
                }
            }
        }
        // Hulls that are separated or overlap by more than rounding are not left undecided.
        assert_eq!((far_and_open, deep_and_open), (0, 0));
        assert!(apart > 150 && edges > 10 && overlapping > 60, "{apart} {edges} {overlapping} {open}");
    }

    /// Prisms with parallel and nearly parallel edges, at every tilt, and coincident: their overlap is proved.
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
            assert_ne!(found, Verdict::Undecided, "{case}");
        }
    }
}
