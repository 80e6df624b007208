//! Where two triangles meet, decided exactly.
//!
//! Devillers and Guigue, *Faster Triangle-Triangle Intersection Tests* (INRIA RR-4488, 2002): first the sides of each
//! triangle's corners against the other's plane, which most pairs do not survive; then the two chords that the
//! triangles cut out of the common line of their planes are compared, and that takes only signs of determinants of
//! corners.
//!
//! How the chords are compared. Let the line run along `normal_a x normal_b`. An end of a chord is where an edge goes
//! through the other plane, or a corner that lies in it; either way it is carried by two corners of its triangle, one
//! `below` (on the negative side of the other plane, or in it), one `above`, not both in it. For an end `p` of A and
//! `q` of B, `orient3d(p.below, p.above, q.below, q.above)` is the sign of `q - p` along the line. With `u` along A's
//! carrier and `v` along B's, and `q - p = t d`, the determinant is `t (u x d) . v`; `u` points above B's plane, so `u
//! x d` is a positive multiple of `normal_a`, and `v` points above A's. Seen from `normal_a` the triangle A is
//! counter-clockwise and the line has the part above on its right, so A's chord begins where its boundary rises through
//! B's plane; for B it is the reverse.
//!
//! Departures:
//! - exact signs, and corners in the other plane, edges in it and chords that only touch are told apart, because curves
//!   of intersection are linked by the features their ends lie on;
//! - coplanar triangles, and triangles without area, are not projected to a planar test of their own. The extreme
//!   points of the common set are the points where a feature of A and a feature of B, at their relative interiors, have
//!   one point in common: corners in the other triangle, proper crossings of edges, edges through faces. All pairs are
//!   tried. Each extreme point has one such pair, so nothing is found twice. Around a polygon two corners are
//!   neighbours if an edge of A or B holds both.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::Signed;

use crate::math::enclosed::Enclosed;
use crate::math::integer::{IntegerVec3, common_exponent, ratio};
use crate::math::predicates::{
    Axis, ORIENT2D_BOUND, ORIENT3D_BOUND, Sign, TINY_PRODUCT, TINY_RESULT, collinear, normal_axis, orient2d, orient3d,
};
use crate::math::ring::{Ring, cross, dot, subtract, vector};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Where on a triangle a point lies: the smallest feature that holds it.
///
/// On a triangle without area: of equal corners the lowest, and the longest edge for what lies strictly between
/// corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Feature3 {
    /// Corner 0, 1 or 2.
    Vertex(u8),
    /// Strictly inside edge `k`, which joins the corners `k` and `(k + 1) % 3`.
    Edge(u8),
    /// Strictly inside the triangle.
    Face,
}

/// What two triangles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The ends of the common segment, as [`Corner::point`]; equal, features too, if it is a point. Two triangles that
    /// are not coplanar: from the first to the second along `normal_a x normal_b`, so that swapped arguments swap the
    /// ends. A triangle without area: by coordinates. Coplanar: the first and the last corner of the polygon by
    /// coordinates.
    pub ends: [DVec3; 2],
    /// Where the ends lie on the first triangle, exactly. An end is never strictly inside both.
    pub on_a: [Feature3; 2],
    /// Where the ends lie on the second triangle, exactly.
    pub on_b: [Feature3; 2],
    pub kind: CrossingKind,
}

/// What kind of set two triangles have in common.
#[allow(clippy::large_enum_variant, reason = "no allocation per query")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CrossingKind {
    /// A segment, or a point.
    Segment,
    /// Both triangles have an area and lie in one plane: a convex polygon, perhaps no more than a segment or a point.
    Coplanar(Polygon),
}

/// A corner of what two triangles have in common. Never strictly inside both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// Rounded; exactly the corner of a triangle where it is one. A function of the two features alone: the same bits
    /// for all triangles that share the edge, or the edge and the face, whatever their corner order, and for swapped
    /// arguments. Off from the true point by at most `CORNER_ERROR` of the length of the edge, and the rounding of
    /// the coordinates.
    pub point: DVec3,
    /// Where on the first triangle, exactly.
    pub on_a: Feature3,
    /// Where on the second triangle, exactly.
    pub on_b: Feature3,
}

/// The common polygon of two coplanar triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Polygon {
    corners: [Corner; 6],
    count: u8,
}

impl Polygon {
    const EMPTY: Polygon =
        Polygon { corners: [Corner { point: DVec3::ZERO, on_a: Feature3::Face, on_b: Feature3::Face }; 6], count: 0 };

    /// One to six corners, all of them extreme. Three or more: counter-clockwise as seen from the positive end of the
    /// first of the axes z, y, x that is not parallel to the plane. The first corner depends on the set alone.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..usize::from(self.count)]
    }

    /// Two triangles have at most six extreme points in common.
    fn push(&mut self, corner: Corner) {
        if let Some(slot) = self.corners.get_mut(usize::from(self.count)) {
            *slot = corner;
            self.count += 1;
        }
    }
}

/// How far a rounded [`Corner`] that lies inside an edge may be from the true point along the edge, relative to the
/// length of the edge: the fraction is off by [`FRACTION_ERROR`] (512u), its division and sum by `2u`, the edge as a
/// difference and the product with it by `u` each.
#[cfg(test)]
pub(crate) const CORNER_ERROR: f64 = 520.0 * UNIT_ROUNDOFF;

/// Where the fraction of an edge is known worse than this, it is computed with more digits: 2⁻⁴⁴. The filters of the
/// predicates are off by `7u` of a sum of magnitudes, which an edge that is not nearly in the plane exceeds some ten
/// times.
const FRACTION_ERROR: f64 = 512.0 * UNIT_ROUNDOFF;

/// Do two closed triangles have a point in common? Exact for all finite input, triangles without area included.
pub(crate) fn triangles_meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match cut(a, b) {
        Cut::Nothing => false,
        Cut::Chords(_) => true,
        Cut::Flat => extreme_points(a, &Span::of(a), b, &Span::of(b)).count > 0,
    }
}

/// What two closed triangles have in common; `None` if nothing. Which features meet is exact for all finite input.
pub(crate) fn triangles_cross(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<Crossing> {
    match cut(a, b) {
        Cut::Nothing => None,
        Cut::Chords(chords) => Some(chords.crossing(a, b)),
        Cut::Flat => flat_crossing(a, b),
    }
}

/// How two triangles lie to each other's planes.
enum Cut {
    /// Nothing in common.
    Nothing,
    /// Both have an area, they are not coplanar, and they meet.
    Chords(Chords),
    /// One has no area, or both lie in one plane: nothing decided yet.
    Flat,
}

fn cut(a: &[DVec3; 3], b: &[DVec3; 3]) -> Cut {
    let plane = Plane::new(a);
    let sides_of_b = b.map(|corner| plane.side(corner));
    if same_strict_side(sides_of_b) {
        return Cut::Nothing;
    }
    let plane = Plane::new(b);
    let sides_of_a = a.map(|corner| plane.side(corner));
    if same_strict_side(sides_of_a) {
        return Cut::Nothing;
    }
    // All zero: the plane's triangle has no area, or the other one lies in its plane. Otherwise both have an area.
    if sides_of_a == [Sign::Zero; 3] || sides_of_b == [Sign::Zero; 3] {
        return Cut::Flat;
    }
    let (chord_a, chord_b) = (Chord::new(sides_of_a), Chord::new(sides_of_b));
    // Along the line A's chord runs from rising to falling, B's from falling to rising.
    let end_of_b_from_start_of_a = from_to(a, chord_a.rising, b, chord_b.rising);
    if end_of_b_from_start_of_a.is_negative() {
        return Cut::Nothing;
    }
    let start_of_b_from_end_of_a = from_to(a, chord_a.falling, b, chord_b.falling);
    if start_of_b_from_end_of_a.is_positive() {
        return Cut::Nothing;
    }
    Cut::Chords(Chords { chord_a, chord_b, end_of_b_from_start_of_a, start_of_b_from_end_of_a })
}

#[inline]
fn same_strict_side(sides: [Sign; 3]) -> bool {
    sides[0] == sides[1] && sides[1] == sides[2] && !sides[0].is_zero()
}

/// The plane of a triangle: what `orient3d` computes of three of its points, once for all queries.
struct Plane<'t> {
    corners: &'t [DVec3; 3],
    normal: DVec3,
    /// The magnitudes of the products that make up the normal.
    magnitudes: DVec3,
}

impl<'t> Plane<'t> {
    #[inline]
    fn new(corners: &'t [DVec3; 3]) -> Plane<'t> {
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        let plus = DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
        let minus = DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
        Plane { corners, normal: plus - minus, magnitudes: plus.abs() + minus.abs() + DVec3::splat(TINY_PRODUCT) }
    }

    /// Six times the signed volume of the tetrahedron with the triangle, and a bound on its error. The same expansion
    /// by cofactors of three differences as in [`orient3d`], with the first corner in the place of the point: the same
    /// bound. It holds but for the rounding of the last sum, `u` of the result.
    #[inline]
    fn volume(&self, point: DVec3) -> (f64, f64) {
        let from_corner = point - self.corners[0];
        let bound = ORIENT3D_BOUND * self.magnitudes.dot(from_corner.abs()) + TINY_RESULT;
        (self.normal.dot(from_corner), bound)
    }

    /// As [`orient3d`].
    #[inline]
    fn side(&self, point: DVec3) -> Sign {
        let (volume, bound) = self.volume(point);
        if volume > bound {
            return Sign::Positive;
        }
        if -volume > bound {
            return Sign::Negative;
        }
        orient3d(self.corners[0], self.corners[1], self.corners[2], point)
    }
}

/// An end of a chord, and the two corners that carry it: see the head of this file.
#[derive(Clone, Copy)]
struct ChordEnd {
    feature: Feature3,
    below: u8,
    above: u8,
}

/// From an end of A's chord to one of B's: positive if that one is further along `normal_a x normal_b`.
#[inline]
fn from_to(a: &[DVec3; 3], of_a: ChordEnd, b: &[DVec3; 3], of_b: ChordEnd) -> Sign {
    let corner = |t: &[DVec3; 3], k: u8| t[usize::from(k) % 3];
    orient3d(corner(a, of_a.below), corner(a, of_a.above), corner(b, of_b.below), corner(b, of_b.above))
}

/// What a plane cuts out of a triangle that is neither in it nor on one side of it.
struct Chord {
    /// Where the boundary passes to the positive side.
    rising: ChordEnd,
    /// Where it comes back. The same corner, if the triangle only touches the plane with it.
    falling: ChordEnd,
    /// Where the points strictly between lie.
    inside: Feature3,
}

impl Chord {
    fn new(sides: [Sign; 3]) -> Chord {
        let first = ChordEnd { feature: Feature3::Vertex(0), below: 0, above: 0 };
        let mut chord = Chord { rising: first, falling: first, inside: Feature3::Face };
        for k in 0..3_u8 {
            let (next, last) = ((k + 1) % 3, (k + 2) % 3);
            let side = |corner: u8| sides[usize::from(corner) % 3];
            match (side(k), side(next)) {
                (Sign::Negative, Sign::Positive) => {
                    chord.rising = ChordEnd { feature: Feature3::Edge(k), below: k, above: next };
                }
                (Sign::Positive, Sign::Negative) => {
                    chord.falling = ChordEnd { feature: Feature3::Edge(k), below: next, above: k };
                }
                (Sign::Zero, side_of_next) => {
                    let other = if side_of_next.is_zero() { last } else { next };
                    let (below, above) = if side(other).is_positive() { (k, other) } else { (other, k) };
                    let end = ChordEnd { feature: Feature3::Vertex(k), below, above };
                    if side(last) <= side_of_next {
                        chord.rising = end;
                    }
                    if side(last) >= side_of_next {
                        chord.falling = end;
                    }
                    if side_of_next.is_zero() {
                        chord.inside = Feature3::Edge(k);
                    }
                }
                _ => {}
            }
        }
        chord
    }
}

/// Two chords on one line that have a point in common.
struct Chords {
    chord_a: Chord,
    chord_b: Chord,
    /// Not negative; zero if B's chord ends where A's starts.
    end_of_b_from_start_of_a: Sign,
    /// Not positive; zero if B's chord starts where A's ends.
    start_of_b_from_end_of_a: Sign,
}

impl Chords {
    fn crossing(&self, a: &[DVec3; 3], b: &[DVec3; 3]) -> Crossing {
        let (chord_a, chord_b) = (&self.chord_a, &self.chord_b);
        let (start_a, end_a) = (chord_a.rising.feature, chord_a.falling.feature);
        let (start_b, end_b) = (chord_b.falling.feature, chord_b.rising.feature);
        let touch_at_start_of_a = self.end_of_b_from_start_of_a.is_zero();
        let touch_at_end_of_a = self.start_of_b_from_end_of_a.is_zero();
        // The later of the starts.
        let start = match from_to(a, chord_a.rising, b, chord_b.falling) {
            Sign::Positive => (if touch_at_end_of_a { end_a } else { chord_a.inside }, start_b),
            Sign::Zero => (start_a, start_b),
            Sign::Negative => (start_a, if touch_at_start_of_a { end_b } else { chord_b.inside }),
        };
        // The earlier of the ends.
        let end = match from_to(a, chord_a.falling, b, chord_b.rising) {
            Sign::Negative => (if touch_at_start_of_a { start_a } else { chord_a.inside }, end_b),
            Sign::Zero => (end_a, end_b),
            Sign::Positive => (end_a, if touch_at_end_of_a { start_b } else { chord_b.inside }),
        };
        let first = meeting_point(a, start.0, b, start.1);
        let last = if start == end { first } else { meeting_point(a, end.0, b, end.1) };
        Crossing { ends: [first, last], on_a: [start.0, end.0], on_b: [start.1, end.1], kind: CrossingKind::Segment }
    }
}

/// What a triangle spans.
enum Span {
    /// All corners are equal.
    Point,
    /// All lie on a line: the first and the last corner by coordinates, and the third if it is strictly between.
    Segment { ends: [usize; 2], middle: Option<usize> },
    /// An area: an axis that is not parallel to its plane, and how the corners turn as seen from its positive end.
    Area { axis: Axis, turn: Sign },
}

impl Span {
    fn of(corners: &[DVec3; 3]) -> Span {
        if let Some((axis, turn)) = normal_axis(corners[0], corners[1], corners[2]) {
            return Span::Area { axis, turn };
        }
        let first = (1..3).fold(0, |best, i| if by_coordinates(corners[i], corners[best]).is_lt() { i } else { best });
        let last = (1..3).fold(0, |best, i| if by_coordinates(corners[i], corners[best]).is_gt() { i } else { best });
        if first == last {
            return Span::Point;
        }
        let third = 3 - first - last;
        let middle = corners[third] != corners[first] && corners[third] != corners[last];
        Span::Segment { ends: [first, last], middle: middle.then_some(third) }
    }

    /// The extreme corners.
    fn vertices(&self) -> &[usize] {
        match self {
            Span::Point => &[0],
            Span::Segment { ends, .. } => ends,
            Span::Area { .. } => &[0, 1, 2],
        }
    }

    /// The edges between extreme corners.
    fn edges(&self) -> std::ops::Range<usize> {
        match *self {
            Span::Point => 0..0,
            Span::Segment { ends: [first, last], .. } => {
                let edge = if (first + 1) % 3 == last { first } else { last };
                edge..edge + 1
            }
            Span::Area { .. } => 0..3,
        }
    }

    /// Where on the triangle a point lies, if it does.
    fn locate(&self, corners: &[DVec3; 3], point: DVec3) -> Option<Feature3> {
        if let Some(k) = corners.iter().position(|&corner| corner == point) {
            return Some(Feature3::Vertex(k as u8));
        }
        match *self {
            Span::Point => None,
            Span::Segment { ends, .. } => {
                let [first, last] = ends.map(|i| corners[i]);
                let between = by_coordinates(first, point).is_lt() && by_coordinates(point, last).is_lt();
                (between && collinear(first, last, point)).then_some(Feature3::Edge(self.edges().start as u8))
            }
            Span::Area { axis, turn } => {
                let sides = [0, 1, 2].map(|k| orient2d(axis, corners[k], corners[(k + 1) % 3], point));
                if sides.contains(&-turn) || !orient3d(corners[0], corners[1], corners[2], point).is_zero() {
                    return None;
                }
                // Two zeros would be a corner.
                let edge = sides.iter().position(|side| side.is_zero());
                Some(edge.map_or(Feature3::Face, |k| Feature3::Edge(k as u8)))
            }
        }
    }

    /// The name of a point strictly inside an edge of this triangle, where it crosses the feature `other` of another
    /// one in no other point: the middle corner, if that is where it is.
    fn name(&self, corners: &[DVec3; 3], edge: usize, others: (&[DVec3; 3], &Span), other: Feature3) -> Feature3 {
        if let Span::Segment { middle: Some(middle), .. } = *self {
            let found = others.1.locate(others.0, corners[middle]);
            let at_both_middles = match (others.1, found) {
                (Span::Segment { middle: Some(its), .. }, Some(Feature3::Vertex(k))) => *its == usize::from(k),
                _ => false,
            };
            if found == Some(other) || at_both_middles {
                return Feature3::Vertex(middle as u8);
            }
        }
        Feature3::Edge(edge as u8)
    }
}

/// By x, then y, then z: along a line, the order of its points.
pub(super) fn by_coordinates(p: DVec3, q: DVec3) -> Ordering {
    p.to_array().partial_cmp(&q.to_array()).unwrap_or(Ordering::Equal)
}

fn edge_of(corners: &[DVec3; 3], k: usize) -> [DVec3; 2] {
    [corners[k % 3], corners[(k + 1) % 3]]
}

/// The extreme points of what two triangles have in common, in no particular order; for triangles that are coplanar, or
/// of which one has no area.
#[cold]
fn extreme_points(a: &[DVec3; 3], span_a: &Span, b: &[DVec3; 3], span_b: &Span) -> Polygon {
    let mut found = Polygon::EMPTY;
    for &i in span_a.vertices() {
        if let Some(on_b) = span_b.locate(b, a[i]) {
            found.push(Corner { point: a[i], on_a: Feature3::Vertex(i as u8), on_b });
        }
    }
    for &j in span_b.vertices() {
        if found.corners().iter().any(|corner| corner.point == b[j]) {
            continue;
        }
        if let Some(on_a) = span_a.locate(a, b[j]) {
            found.push(Corner { point: b[j], on_a, on_b: Feature3::Vertex(j as u8) });
        }
    }
    for i in span_a.edges() {
        for j in span_b.edges() {
            if edges_cross(edge_of(a, i), edge_of(b, j)) {
                let on_a = span_a.name(a, i, (b, span_b), Feature3::Edge(j as u8));
                let on_b = span_b.name(b, j, (a, span_a), Feature3::Edge(i as u8));
                found.push(Corner { point: DVec3::ZERO, on_a, on_b });
            }
        }
    }
    match (span_a, span_b) {
        (Span::Segment { .. }, Span::Area { .. }) if pierces(edge_of(a, span_a.edges().start), b) => {
            let on_a = span_a.name(a, span_a.edges().start, (b, span_b), Feature3::Face);
            found.push(Corner { point: DVec3::ZERO, on_a, on_b: Feature3::Face });
        }
        (Span::Area { .. }, Span::Segment { .. }) if pierces(edge_of(b, span_b.edges().start), a) => {
            let on_b = span_b.name(b, span_b.edges().start, (a, span_a), Feature3::Face);
            found.push(Corner { point: DVec3::ZERO, on_a: Feature3::Face, on_b });
        }
        _ => {}
    }
    found
}

/// Do two edges cross in one point strictly inside both?
fn edges_cross([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> bool {
    // Seen along an axis that is parallel to the plane of both, all four are on a line and all signs zero; along any
    // other the edges cross as they do in the plane.
    let cross = |axis: Axis| {
        let opposite = |one: Sign, other: Sign| !one.is_zero() && one == -other;
        opposite(orient2d(axis, p, q, r), orient2d(axis, p, q, s))
            && opposite(orient2d(axis, r, s, p), orient2d(axis, r, s, q))
    };
    [Axis::Z, Axis::Y, Axis::X].into_iter().any(cross) && orient3d(p, q, r, s).is_zero()
}

/// Does an edge go through a triangle, strictly inside both?
fn pierces([p, q]: [DVec3; 2], face: &[DVec3; 3]) -> bool {
    let plane = Plane::new(face);
    let (from, to) = (plane.side(p), plane.side(q));
    !from.is_zero() && from == -to && same_strict_side([0, 1, 2].map(|k| orient3d(p, q, face[k], face[(k + 1) % 3])))
}

/// [`triangles_cross`] for triangles that are coplanar, or of which one has no area.
#[cold]
fn flat_crossing(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<Crossing> {
    let (span_a, span_b) = (Span::of(a), Span::of(b));
    let mut found = extreme_points(a, &span_a, b, &span_b);
    for corner in &mut found.corners[..usize::from(found.count)] {
        corner.point = meeting_point(a, corner.on_a, b, corner.on_b);
    }
    let earlier = |p: &&Corner, q: &&Corner| by_coordinates(p.point, q.point);
    let (first, last) = (*found.corners().iter().min_by(earlier)?, *found.corners().iter().max_by(earlier)?);
    let kind = match (&span_a, &span_b) {
        (Span::Area { axis, turn }, Span::Area { turn: turn_b, .. }) => {
            // One plane, so one axis.
            CrossingKind::Coplanar(in_order(found, *axis, (a, *turn), (b, *turn_b)))
        }
        _ => CrossingKind::Segment,
    };
    Some(Crossing {
        ends: [first.point, last.point],
        on_a: [first.on_a, last.on_a],
        on_b: [first.on_b, last.on_b],
        kind,
    })
}

/// The corners of the common polygon of two coplanar triangles, counter-clockwise seen from the positive end of the
/// axis.
fn in_order(found: Polygon, axis: Axis, a: (&[DVec3; 3], Sign), b: (&[DVec3; 3], Sign)) -> Polygon {
    let corners = found.corners();
    let count = corners.len();
    let mut next: [usize; 6] = std::array::from_fn(|i| (i + 1) % count.max(1));
    if count > 2 {
        for (mine, other, swapped) in [(a, b, false), (b, a, true)] {
            for edge in 0..3 {
                // The edge and where on it a corner lies, both counter-clockwise.
                let (tail, head) = if mine.1.is_positive() { (edge, (edge + 1) % 3) } else { ((edge + 1) % 3, edge) };
                let holds = |&i: &usize| {
                    let feature = if swapped { corners[i].on_b } else { corners[i].on_a };
                    match feature {
                        Feature3::Vertex(k) => usize::from(k) == tail || usize::from(k) == head,
                        Feature3::Edge(k) => usize::from(k) == edge,
                        Feature3::Face => false,
                    }
                };
                let mut held = (0..count).filter(holds);
                if let (Some(p), Some(q)) = (held.next(), held.next()) {
                    let ends = [mine.0[tail], mine.0[head]];
                    let rank = |i: usize| rank_on_edge(&corners[i], swapped, axis, ends, tail, other);
                    let forward = match rank(p).cmp(&rank(q)) {
                        Ordering::Less => true,
                        Ordering::Greater => false,
                        // Two corners of the other triangle.
                        Ordering::Equal => {
                            by_coordinates(corners[p].point, corners[q].point) == by_coordinates(ends[0], ends[1])
                        }
                    };
                    let (from, to) = if forward { (p, q) } else { (q, p) };
                    next[from] = to;
                }
            }
        }
    }
    // The start for which the coordinates come first in order: the same whichever way the corners were found.
    let walk = |start: usize| {
        let mut ordered = Polygon::EMPTY;
        let mut at = start;
        for _ in 0..count {
            ordered.push(corners[at]);
            at = next[at];
        }
        ordered
    };
    let points = |polygon: &Polygon| polygon.corners.map(|corner| corner.point.to_array());
    (1..count).map(walk).fold(walk(0), |best, other| if points(&other) < points(&best) { other } else { best })
}

/// Where a corner of the common polygon comes along an edge that holds it: 0 and 4 at the ends, 1 where the edge enters
/// the other triangle, 3 where it leaves it, 2 at a corner of the other triangle.
fn rank_on_edge(
    corner: &Corner,
    swapped: bool,
    axis: Axis,
    ends: [DVec3; 2],
    tail: usize,
    (other, turn): (&[DVec3; 3], Sign),
) -> u8 {
    let (on_mine, on_other) = if swapped { (corner.on_b, corner.on_a) } else { (corner.on_a, corner.on_b) };
    match (on_mine, on_other) {
        (Feature3::Vertex(k), _) if usize::from(k) == tail => 0,
        (Feature3::Vertex(_), _) => 4,
        (_, Feature3::Edge(k)) => {
            let [from, to] = edge_of(other, usize::from(k));
            if orient2d(axis, from, to, ends[0]) == turn { 3 } else { 1 }
        }
        _ => 2,
    }
}

/// The point that two features have in common, rounded. See [`Corner::point`].
fn meeting_point(a: &[DVec3; 3], on_a: Feature3, b: &[DVec3; 3], on_b: Feature3) -> DVec3 {
    // Zero added, so that of equal corners none brings a negative zero.
    match (on_a, on_b) {
        (Feature3::Vertex(k), _) => a[usize::from(k)] + DVec3::ZERO,
        (_, Feature3::Vertex(k)) => b[usize::from(k)] + DVec3::ZERO,
        (Feature3::Edge(i), Feature3::Edge(j)) => edge_on_edge(edge_of(a, usize::from(i)), edge_of(b, usize::from(j))),
        (Feature3::Edge(k), Feature3::Face) => edge_through_face(edge_of(a, usize::from(k)), b),
        (Feature3::Face, Feature3::Edge(k)) => edge_through_face(edge_of(b, usize::from(k)), a),
        // Not reached: two faces have a segment in common, or nothing.
        (Feature3::Face, Feature3::Face) => a[0],
    }
}

fn sorted<const N: usize>(mut points: [DVec3; N]) -> [DVec3; N] {
    points.sort_by(|p, q| by_coordinates(*p, *q));
    points
}

fn edge_through_face(edge: [DVec3; 2], face: &[DVec3; 3]) -> DVec3 {
    let (edge, face) = (sorted(edge), sorted(*face));
    let plane = Plane::new(&face);
    let (volumes, errors) = unzip(edge.map(|end| plane.volume(end)));
    let fraction = Fraction::from_floats(volumes, errors)
        .or_else(|| Fraction::from_enclosed(edge.map(|end| volume::<Enclosed>(&face, end))))
        .unwrap_or_else(|| {
            let exponent = common_exponent(edge.iter().chain(&face).flat_map(|p| p.to_array())).unwrap_or(0);
            let [f, g, h] = face.map(|p| IntegerVec3::new(p, exponent));
            let normal = g.sub(&f).cross(&h.sub(&f));
            Fraction::from_integers(edge.map(|end| normal.dot(&IntegerVec3::new(end, exponent).sub(&f))))
        });
    fraction.of(edge)
}

/// As [`orient3d`], over a ring.
fn volume<N: Ring>(face: &[DVec3; 3], point: DVec3) -> N {
    let [f, g, h] = face.map(vector::<N>);
    dot(&cross(&subtract(&g, &f), &subtract(&h, &f)), &subtract(&vector(point), &f))
}

fn edge_on_edge(one: [DVec3; 2], other: [DVec3; 2]) -> DVec3 {
    let (one, other) = (sorted(one), sorted(other));
    let swap = by_coordinates(other[0], one[0]).then(by_coordinates(other[1], one[1])).is_lt();
    // The fraction of the first that crosses the second, seen along the axis nearest their normal.
    let (edge, line) = if swap { (other, one) } else { (one, other) };
    let normal = (edge[1] - edge[0]).cross(line[1] - line[0]).abs();
    let axis = match normal.max_element() {
        most if most == normal.z => Axis::Z,
        most if most == normal.y => Axis::Y,
        _ => Axis::X,
    };
    let ([ax, ay], [bx, by]) = (axis.project(line[0]), axis.project(line[1]));
    let (areas, errors) = unzip(edge.map(|end| {
        let [cx, cy] = axis.project(end);
        let (left, right) = ((ax - cx) * (by - cy), (ay - cy) * (bx - cx));
        (left - right, ORIENT2D_BOUND * (left.abs() + right.abs()) + TINY_RESULT)
    }));
    let enclosed = || {
        Fraction::from_enclosed(edge.map(|end| {
            let [cx, cy] = axis.project(end);
            let difference = Enclosed::difference;
            difference(ax, cx) * difference(by, cy) - difference(ay, cy) * difference(bx, cx)
        }))
    };
    Fraction::from_floats(areas, errors)
        .or_else(enclosed)
        .unwrap_or_else(|| {
            let exponent = common_exponent(edge.iter().chain(&line).flat_map(|p| p.to_array())).unwrap_or(0);
            let [[p, q], [r, s]] = [edge, line].map(|ends| ends.map(|point| IntegerVec3::new(point, exponent)));
            let along = s.sub(&r);
            let normal = q.sub(&p).cross(&along);
            // Each end's cross product with the line is a multiple of the common normal.
            Fraction::from_integers([&p, &q].map(|end| normal.dot(&end.sub(&r).cross(&along))))
        })
        .of(edge)
}

/// A point of an edge: the fraction of the way, at most half, from the nearer end.
struct Fraction {
    from: usize,
    share: f64,
}

impl Fraction {
    /// From the distances of the two ends, on either side, to what is crossed; `None` if their errors leave it open by
    /// more than [`FRACTION_ERROR`]. With `x` and `y` the distances the share is `x / (x + y)`, whose derivatives are
    /// at most `1 / (x + y)`.
    fn from_floats(distances: [f64; 2], errors: [f64; 2]) -> Option<Fraction> {
        let [x, y] = distances.map(f64::abs);
        let total = x + y;
        let from = usize::from(y < x);
        // `u` of the result is the rounding that the errors do not contain.
        let open = errors[0] + errors[1] + UNIT_ROUNDOFF * total;
        (open < FRACTION_ERROR * total).then(|| Fraction { from, share: x.min(y) / total })
    }

    fn from_enclosed(distances: [Enclosed; 2]) -> Option<Fraction> {
        let [x, y] = distances.map(Enclosed::abs);
        let from = usize::from(y.to_f64() < x.to_f64());
        let share = [x, y][from] / (x + y);
        (share.error() < FRACTION_ERROR).then(|| Fraction { from, share: share.to_f64() })
    }

    /// Off by `5u` of itself at most.
    fn from_integers(distances: [BigInt; 2]) -> Fraction {
        let [x, y] = distances.map(|distance| distance.abs());
        let total = &x + &y;
        if y < x {
            Fraction { from: 1, share: ratio(&y, &total) }
        } else {
            Fraction { from: 0, share: ratio(&x, &total) }
        }
    }

    fn of(&self, edge: [DVec3; 2]) -> DVec3 {
        let (from, to) = (edge[self.from], edge[1 - self.from]);
        from + self.share * (to - from) + DVec3::ZERO
    }
}

fn unzip(pairs: [(f64, f64); 2]) -> ([f64; 2], [f64; 2]) {
    (pairs.map(|pair| pair.0), pairs.map(|pair| pair.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_oracle::random::Random;
    use clearance_oracle::rational::{self, Vector};
    use clearance_oracle::{OracleBody, Rational, intersects};

    type Triangle = [DVec3; 3];

    fn exact(point: DVec3) -> Vector {
        rational::vector(point.to_array()).unwrap()
    }

    fn between(p: &Vector, q: &Vector, t: &Rational) -> Vector {
        rational::add(p, &rational::scale(&rational::subtract(q, p), t))
    }

    fn is_zero(v: &Vector) -> bool {
        v.iter().all(Rational::is_zero)
    }

    fn normal(t: &[Vector; 3]) -> Vector {
        rational::cross(&rational::subtract(&t[1], &t[0]), &rational::subtract(&t[2], &t[0]))
    }

    /// Where a rational point lies on a triangle, by the definition of [`Feature3`].
    fn locate(point: &Vector, t: &[Vector; 3]) -> Option<Feature3> {
        if let Some(k) = t.iter().position(|corner| corner == point) {
            return Some(Feature3::Vertex(k as u8));
        }
        let mut on_edges: Vec<(Rational, u8)> = vec![];
        for k in 0..3 {
            let (p, q) = (&t[k], &t[(k + 1) % 3]);
            let (along, to) = (rational::subtract(q, p), rational::subtract(point, p));
            let (squared, product) = (rational::dot(&along, &along), rational::dot(&along, &to));
            if is_zero(&rational::cross(&along, &to)) && product > Rational::zero() && product < squared {
                on_edges.push((squared, k as u8));
            }
        }
        // Of equally long ones the one between the lowest corners.
        let lowest = |k: u8| [k, (k + 1) % 3].iter().all(|&i| !t[..usize::from(i)].contains(&t[usize::from(i)]));
        if let Some((_, k)) = on_edges.into_iter().max_by_key(|(squared, k)| (squared.clone(), lowest(*k))) {
            return Some(Feature3::Edge(k));
        }
        let normal = normal(t);
        let flat = rational::dot(&normal, &rational::subtract(point, &t[0])).is_zero();
        let inside = (0..3).all(|k| {
            let along = rational::subtract(&t[(k + 1) % 3], &t[k]);
            rational::dot(&rational::cross(&along, &rational::subtract(point, &t[k])), &normal) > Rational::zero()
        });
        (flat && inside).then_some(Feature3::Face)
    }

    /// All points where a corner lies in the other triangle, or an edge meets the line of an edge or the plane of a
    /// face in one point that is in both triangles; in order, each once.
    fn candidates(a: &[Vector; 3], b: &[Vector; 3]) -> Vec<Vector> {
        let mut points: Vec<Vector> = a.iter().chain(b).cloned().collect();
        for (mine, other) in [(a, b), (b, a)] {
            let normal = normal(other);
            for k in 0..3 {
                let (p, q) = (&mine[k], &mine[(k + 1) % 3]);
                let along = rational::subtract(q, p);
                let slope = rational::dot(&normal, &along);
                if !slope.is_zero() {
                    let height = rational::dot(&normal, &rational::subtract(&other[0], p));
                    points.push(between(p, q, &(&height / &slope)));
                }
                for j in 0..3 {
                    let (r, s) = (&other[j], &other[(j + 1) % 3]);
                    let line = rational::subtract(s, r);
                    let across = rational::cross(&along, &line);
                    let squared = rational::dot(&across, &across);
                    let apart = rational::subtract(r, p);
                    if !squared.is_zero() && rational::dot(&apart, &across).is_zero() {
                        let t = &rational::dot(&rational::cross(&apart, &line), &across) / &squared;
                        points.push(between(p, q, &t));
                    }
                }
            }
        }
        points.retain(|point| locate(point, a).is_some() && locate(point, b).is_some());
        points.sort();
        points.dedup();
        points
    }

    /// The exact point that two features share: the candidate that lies on both.
    fn point_on<'p>(points: &'p [Vector], a: (&[Vector; 3], Feature3), b: (&[Vector; 3], Feature3)) -> &'p Vector {
        let mut on_both = points.iter().filter(|p| locate(p, a.0) == Some(a.1) && locate(p, b.0) == Some(b.1));
        let found = on_both.next().unwrap_or_else(|| panic!("no common point has these features: {a:?} {b:?}"));
        assert!(on_both.next().is_none(), "two common points have these features");
        found
    }

    fn longest_edge(a: &Triangle, b: &Triangle) -> f64 {
        [a, b].into_iter().flat_map(|t| (0..3).map(|k| t[k].distance(t[(k + 1) % 3]))).fold(0.0, f64::max)
    }

    fn assert_close(rounded: DVec3, truth: &Vector, slack: f64) {
        for (x, y) in rounded.to_array().into_iter().zip(truth) {
            let error = (&Rational::from_f64(x).unwrap() - y).to_f64().abs();
            let size = y.to_f64().abs();
            assert!(error <= slack + 2.0 * UNIT_ROUNDOFF * size + 1e-300, "{rounded:?} is off by {error:e}");
        }
    }

    #[derive(Default, Debug)]
    struct Seen {
        apart: u32,
        points: u32,
        segments: u32,
        polygons: [u32; 7],
    }

    fn check(a: &Triangle, b: &Triangle, seen: &mut Seen) {
        let body = |t: &Triangle| OracleBody::hull(t.iter().map(|p| p.to_array()).collect());
        let truth = intersects(&body(a), &body(b));
        assert_eq!(triangles_meet(a, b), truth, "{a:?} {b:?}");
        assert_eq!(triangles_meet(b, a), truth, "{b:?} {a:?}");
        let (found, swapped) = (triangles_cross(a, b), triangles_cross(b, a));
        assert_eq!(found.is_some(), truth, "{a:?} {b:?}");
        let (Some(found), Some(swapped)) = (found, swapped) else {
            assert!(swapped.is_none());
            seen.apart += 1;
            return;
        };
        let context = format!("{a:?} {b:?} {found:?}");
        let (exact_a, exact_b) = (a.map(exact), b.map(exact));
        let points = candidates(&exact_a, &exact_b);
        let slack = CORNER_ERROR * longest_edge(a, b);
        let truths = [0, 1].map(|k| point_on(&points, (&exact_a, found.on_a[k]), (&exact_b, found.on_b[k])));
        for (end, truth) in found.ends.into_iter().zip(truths) {
            assert_close(end, truth, slack);
        }
        let (normal_a, normal_b) = (normal(&exact_a), normal(&exact_b));
        let line = rational::cross(&normal_a, &normal_b);
        let extremes = [points.first().unwrap(), points.last().unwrap()];
        match found.kind {
            CrossingKind::Segment => {
                assert!(truths == extremes || [truths[1], truths[0]] == extremes, "{context}");
                let point = truths[0] == truths[1];
                assert_eq!(point, found.on_a[0] == found.on_a[1] && found.on_b[0] == found.on_b[1], "{context}");
                if !is_zero(&line) {
                    let along = rational::dot(&line, &rational::subtract(truths[1], truths[0]));
                    assert!(point || along > Rational::zero(), "{context}");
                    assert_eq!(swapped.ends, [found.ends[1], found.ends[0]], "{context}");
                    assert_eq!(swapped.on_a, [found.on_b[1], found.on_b[0]], "{context}");
                    assert_eq!(swapped.on_b, [found.on_a[1], found.on_a[0]], "{context}");
                } else {
                    assert_eq!(swapped.ends, found.ends, "{context}");
                    assert_eq!((swapped.on_a, swapped.on_b), (found.on_b, found.on_a), "{context}");
                }
                *(if point { &mut seen.points } else { &mut seen.segments }) += 1;
            }
            CrossingKind::Coplanar(polygon) => {
                assert!(!is_zero(&normal_a) && !is_zero(&normal_b) && is_zero(&line), "{context}");
                let exacts: Vec<&Vector> = polygon
                    .corners()
                    .iter()
                    .map(|corner| {
                        let truth = point_on(&points, (&exact_a, corner.on_a), (&exact_b, corner.on_b));
                        assert_close(corner.point, truth, slack);
                        truth
                    })
                    .collect();
                let mut in_order = exacts.clone();
                in_order.sort();
                assert_eq!(in_order, points.iter().collect::<Vec<_>>(), "{context}");
                let count = exacts.len();
                // Strictly convex and counter-clockwise seen from the first axis that is not parallel to the plane.
                if count > 2 {
                    let axis = (0..3).rev().find(|&axis| !normal_a[axis].is_zero()).unwrap();
                    for k in 0..count {
                        let corner = [exacts[k], exacts[(k + 1) % count], exacts[(k + 2) % count]].map(Clone::clone);
                        assert!(normal(&corner)[axis] > Rational::zero(), "{context}");
                    }
                }
                let CrossingKind::Coplanar(other) = swapped.kind else { panic!("{context}") };
                let mirrored: Vec<_> = other.corners().iter().map(|c| (c.point, c.on_b, c.on_a)).collect();
                let own: Vec<_> = polygon.corners().iter().map(|c| (c.point, c.on_a, c.on_b)).collect();
                assert_eq!(own, mirrored, "{context}");
                seen.polygons[count] += 1;
            }
        }
        check_orders(a, b, &found);
    }

    /// Any order of the corners gives the same points, bit for bit, on the same features.
    fn check_orders(a: &Triangle, b: &Triangle, found: &Crossing) {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let renamed = |feature: Feature3, order: [usize; 3]| match feature {
            Feature3::Vertex(k) => Feature3::Vertex(order[k as usize] as u8),
            Feature3::Edge(k) => {
                let (p, q) = (order[k as usize], order[(k as usize + 1) % 3]);
                Feature3::Edge(if (p + 1) % 3 == q { p } else { q } as u8)
            }
            Feature3::Face => Feature3::Face,
        };
        // Names are unique only where no corner is there twice.
        let distinct = |t: &Triangle| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        for order in ORDERS {
            let turned = order.map(|k| a[k]);
            let other = triangles_cross(&turned, b).unwrap();
            let ends = |crossing: &Crossing, order: [usize; 3]| {
                let mut ends = [0, 1].map(|k| {
                    let bits = crossing.ends[k].to_array().map(f64::to_bits);
                    let names = distinct(a).then(|| (renamed(crossing.on_a[k], order), crossing.on_b[k]));
                    (bits, names)
                });
                ends.sort();
                ends
            };
            assert_eq!(ends(found, [0, 1, 2]), ends(&other, order), "{a:?} {b:?} {order:?}");
        }
    }

    fn triangle(mut point: impl FnMut() -> [f64; 3]) -> Triangle {
        std::array::from_fn(|_| DVec3::from(point()))
    }

    fn small(random: &mut Random, size: i64) -> Triangle {
        triangle(|| std::array::from_fn(|_| random.integer(-size, size) as f64))
    }

    #[test]
    fn small_integers_have_every_degeneracy() {
        let mut random = Random::new(1);
        let mut seen = Seen::default();
        for round in 0..2500 {
            let size = 1 + round % 3;
            check(&small(&mut random, size), &small(&mut random, size), &mut seen);
        }
        assert!(seen.apart > 300 && seen.points > 300 && seen.segments > 300, "{seen:?}");
    }

    #[test]
    fn coplanar() {
        let mut random = Random::new(2);
        let mut seen = Seen::default();
        for round in 0..2000 {
            let size = [2, 3, 40][round % 3];
            // Points s u + t v of one plane, exactly.
            let (u, v) = (random.in_cube(8.0).map(f64::round), random.in_cube(8.0).map(f64::round));
            let mut flat = || {
                triangle(|| {
                    let (s, t) = (random.integer(-size, size) as f64, random.integer(-size, size) as f64);
                    std::array::from_fn(|k| s * u[k] + t * v[k])
                })
            };
            let (a, b) = (flat(), flat());
            check(&a, &b, &mut seen);
        }
        assert!(seen.polygons[1..].iter().all(|&count| count > 10), "{seen:?}");
    }

    #[test]
    fn random_and_needles_and_far() {
        let mut random = Random::new(3);
        let mut seen = Seen::default();
        for round in 0..800 {
            let far = if round % 5 == 4 { DVec3::new(1e7, -1e7, 3e6) } else { DVec3::ZERO };
            let scale = [1.0, 1e-6, 1e6, 1e-80, 1e58][random.index(5)];
            let mut a = triangle(|| random.in_cube(1.0));
            let b = triangle(|| random.in_cube(1.0));
            if round % 3 == 0 {
                a[2] = a[0].lerp(a[1], 0.3) + DVec3::from(random.in_cube(1e-6));
            }
            let placed = |t: Triangle| t.map(|p| p * scale + far);
            check(&placed(a), &placed(b), &mut seen);
        }
        assert!(seen.apart > 100 && seen.segments > 60, "{seen:?}");
    }

    #[test]
    fn touching_by_construction() {
        let mut random = Random::new(4);
        let mut seen = Seen::default();
        for round in 0..1000 {
            let a = triangle(|| random.in_cube(64.0).map(f64::round));
            let mut b = triangle(|| random.in_cube(64.0).map(f64::round));
            // A point of A in exact arithmetic: weights in eighths.
            let weights = [[8, 0, 0], [4, 4, 0], [0, 2, 6], [2, 2, 4], [1, 6, 1]][round % 5];
            let on_a = (a[0] * weights[0] as f64 + a[1] * weights[1] as f64 + a[2] * weights[2] as f64) / 8.0;
            match round / 5 % 4 {
                0 => b[0] = on_a,
                1 => (b[0], b[1]) = (on_a + (b[2] - on_a), on_a - (b[2] - on_a)),
                2 => (b[0], b[1]) = (on_a, a[round % 3]),
                _ => b[1] = on_a + (on_a - b[0]),
            }
            // One unit in the last place aside, for some.
            if round % 3 == 2 {
                b[0].x = b[0].x.next_up();
            }
            check(&a, &b, &mut seen);
        }
        assert!(seen.apart > 20 && seen.points > 100 && seen.segments > 100, "{seen:?}");
    }

    /// A strip of triangles around a ring cut by a plane: each end of a segment is the start of the next one's, by bits
    /// and by the edge it names.
    #[test]
    fn neighbours_agree() {
        let mut random = Random::new(5);
        for _ in 0..60 {
            let blade = [DVec3::new(-50.0, -50.0, 0.1), DVec3::new(50.0, -50.0, 0.2), DVec3::new(0.0, 70.0, -0.1)];
            let count = 12;
            let ring: Vec<[DVec3; 2]> = (0..count)
                .map(|k| {
                    let angle = k as f64 / count as f64 * std::f64::consts::TAU;
                    let around = DVec3::new(angle.cos(), angle.sin(), 0.0);
                    [-1.0, 1.0].map(|z| around * random.uniform(1.0, 2.0) + DVec3::Z * z * random.uniform(0.5, 1.0))
                })
                .collect();
            let mut crossings = vec![];
            for k in 0..count {
                let (near, far) = (ring[k], ring[(k + 1) % count]);
                for t in [[near[0], far[0], near[1]], [far[0], far[1], near[1]]] {
                    let crossing = triangles_cross(&t, &blade).unwrap();
                    assert_eq!(crossing.on_b, [Feature3::Face; 2]);
                    crossings.push(crossing);
                }
            }
            for (k, crossing) in crossings.iter().enumerate() {
                let next = &crossings[(k + 1) % crossings.len()];
                let bits = |p: DVec3| p.to_array().map(f64::to_bits);
                let linked =
                    bits(crossing.ends[1]) == bits(next.ends[0]) || bits(crossing.ends[0]) == bits(next.ends[1]);
                assert!(linked, "{crossing:?} {next:?}");
            }
        }
    }

    #[test]
    fn known_crossings() {
        let a = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let b = [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(-3.0, 1.0, 0.0)];
        let found = triangles_cross(&a, &b).unwrap();
        // Along z x -y = x.
        assert_eq!(found.ends, [DVec3::new(0.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 0.0)]);
        assert_eq!(
            (found.on_a, found.on_b),
            ([Feature3::Edge(2), Feature3::Face], [Feature3::Face, Feature3::Edge(0)])
        );
        let hexagon = [DVec3::new(3.0, 3.0, 0.0), DVec3::new(-2.0, 3.0, 0.0), DVec3::new(3.0, -2.0, 0.0)];
        let CrossingKind::Coplanar(polygon) = triangles_cross(&a, &hexagon).unwrap().kind else { panic!() };
        assert_eq!(polygon.corners().len(), 6);
        let point = [DVec3::ONE; 3];
        assert!(triangles_meet(&point, &point));
        assert!(!triangles_meet(&point, &a));
        assert!(triangles_meet(&[DVec3::X; 3], &a));
    }
}
