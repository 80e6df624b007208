//! The intersection of two triangles, decided exactly.
//!
//! Devillers and Guigue, *Faster Triangle-Triangle Intersection Tests* (INRIA RR-4488, 2002): first the sides of each
//! triangle's corners relative to the other's plane, which rejects most pairs; then the two chords that the triangles
//! cut out of the common line of their planes are compared, using only signs of determinants of corners.
//!
//! Comparing the chords: let the line run along `normal_a x normal_b`. An end of a chord is where an edge crosses the
//! other plane, or a corner that lies in it; either way it is defined by two corners of its triangle, one `below` (on
//! the negative side of the other plane, or in it), one `above`, not both in it. For an end `p` of A and `q` of B,
//! `orient3d(p.below, p.above, q.below, q.above)` is the sign of `q - p` along the line. With `u` from `below` to
//! `above` for A and `v` for B, and `q - p = t d`, the determinant is `t (u x d) . v`; `u` points above B's plane, so
//! `u x d` is a positive multiple of `normal_a`, and `v` points above A's. Seen from `normal_a` the triangle A is
//! counter-clockwise and the line has the part above on its right, so A's chord begins where its boundary rises through
//! B's plane; for B it is the reverse.
//!
//! Departures:
//! - signs are exact, and corners in the other plane, edges in it and chords that only touch are distinguished, because
//!   intersection curves are linked by the features their ends lie on;
//! - coplanar and degenerate triangles do not use a separate projected planar test. The extreme points of the common
//!   set are the points where a feature of A and a feature of B, at their relative interiors, share a single point:
//!   corners in the other triangle, proper crossings of edges, edges through faces. All pairs are tried. Each extreme
//!   point has one such pair, so nothing is found twice. Around a polygon two corners are neighbours if an edge of A or
//!   B holds both.

mod meeting_point;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use glam::DVec3;

use self::meeting_point::meeting_point;
use crate::math::predicates::{
    Axis, ORIENT3D_BOUND, Sign, TINY_PRODUCT, TINY_RESULT, collinear, normal_axis, orient2d, orient3d,
};

/// Where on a triangle a point lies: the smallest feature that contains it.
///
/// On a degenerate triangle: the lowest of equal corners, and the longest edge for points strictly between corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Feature3 {
    /// Corner 0, 1 or 2.
    Vertex(u8),
    /// Strictly inside edge `k`, which joins the corners `k` and `(k + 1) % 3`.
    Edge(u8),
    /// Strictly inside the triangle.
    Face,
}

/// The intersection of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The ends of the common segment, as [`Corner::point`]; equal, features too, if it is a point. For triangles that
    /// are not coplanar: from the first to the second along `normal_a x normal_b`, so that swapped arguments swap the
    /// ends. Degenerate: by coordinates. Coplanar: the first and the last corner of the polygon by coordinates.
    pub ends: [DVec3; 2],
    /// Where the ends lie on the first triangle, exactly. An end is never strictly inside both.
    pub on_a: [Feature3; 2],
    /// Where the ends lie on the second triangle, exactly.
    pub on_b: [Feature3; 2],
    pub kind: CrossingKind,
}

/// The kind of set in which two triangles intersect.
#[allow(clippy::large_enum_variant, reason = "no allocation per query")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CrossingKind {
    /// A segment, or a point.
    Segment,
    /// Both triangles are non-degenerate and coplanar: a convex polygon, perhaps only a segment or a point.
    Coplanar(Polygon),
}

/// A corner of the intersection of two triangles. Never strictly inside both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// Rounded; exactly the triangle's corner where it is one. A function of the two features alone: the same bits for
    /// all triangles that share the edge, or the edge and the face, whatever their corner order, and for swapped
    /// arguments. Off by at most `TRIANGLE_CORNER_ERROR` of the edge's length, plus the rounding of the coordinates.
    pub point: DVec3,
    /// The feature of the first triangle, exactly.
    pub on_a: Feature3,
    /// The feature of the second triangle, exactly.
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
    /// first of the axes z, y, x that is not parallel to the plane. Which corner is first depends on the set alone.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..usize::from(self.count)]
    }

    /// Two triangles have at most six common extreme points.
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
pub(crate) const TRIANGLE_CORNER_ERROR: f64 = 520.0 * crate::math::tolerances::UNIT_ROUNDOFF;

/// Whether two closed triangles share a point. Exact for all finite input, degenerate triangles included.
pub(crate) fn triangles_meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match cut(a, b) {
        Cut::Nothing => false,
        Cut::Chords(_) => true,
        Cut::Flat => extreme_points(a, &Span::of(a), b, &Span::of(b)).count > 0,
    }
}

/// The intersection of two closed triangles; `None` if it is empty. Which features meet is exact for all finite input.
pub(crate) fn triangles_cross(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<Crossing> {
    match cut(a, b) {
        Cut::Nothing => None,
        Cut::Chords(chords) => Some(chords.crossing(a, b)),
        Cut::Flat => flat_crossing(a, b),
    }
}

/// How two triangles lie relative to each other's planes.
enum Cut {
    /// They do not intersect.
    Nothing,
    /// Neither is degenerate, they are not coplanar, and they intersect.
    Chords(Chords),
    /// One is degenerate, or both are coplanar: not decided yet.
    Flat,
}

fn cut(a: &[DVec3; 3], b: &[DVec3; 3]) -> Cut {
    let plane = TrianglePlane::new(a);
    let sides_of_b = b.map(|corner| plane.side(corner));
    if same_strict_side(sides_of_b) {
        return Cut::Nothing;
    }
    let plane = TrianglePlane::new(b);
    let sides_of_a = a.map(|corner| plane.side(corner));
    if same_strict_side(sides_of_a) {
        return Cut::Nothing;
    }
    // All zero: the plane's triangle is degenerate, or the other one lies in its plane. Otherwise neither is
    // degenerate.
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

/// The plane of a triangle: the part of `orient3d` that depends on these three points, computed once.
struct TrianglePlane<'t> {
    corners: &'t [DVec3; 3],
    normal: DVec3,
    /// The magnitudes of the products that form the normal.
    magnitudes: DVec3,
}

impl<'t> TrianglePlane<'t> {
    #[inline]
    fn new(corners: &'t [DVec3; 3]) -> TrianglePlane<'t> {
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        let plus = DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
        let minus = DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
        TrianglePlane {
            corners,
            normal: plus - minus,
            magnitudes: plus.abs() + minus.abs() + DVec3::splat(TINY_PRODUCT),
        }
    }

    /// Six times the signed volume of the tetrahedron with the triangle, and a bound on its error. The same expansion
    /// by cofactors of three differences as in [`orient3d`], with the first corner in place of the point: the same
    /// bound, except for the rounding of the last sum, `u` of the result.
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

/// An end of a chord, and the two corners that define it: see the module documentation.
#[derive(Clone, Copy)]
struct ChordEnd {
    feature: Feature3,
    below: u8,
    above: u8,
}

/// From an end of A's chord to one of B's: positive if the latter is further along `normal_a x normal_b`.
#[inline]
fn from_to(a: &[DVec3; 3], of_a: ChordEnd, b: &[DVec3; 3], of_b: ChordEnd) -> Sign {
    let corner = |t: &[DVec3; 3], k: u8| t[usize::from(k).min(2)];
    orient3d(corner(a, of_a.below), corner(a, of_a.above), corner(b, of_b.below), corner(b, of_b.above))
}

/// The intersection of a plane with a triangle that is neither in it nor on one side of it.
struct Chord {
    /// Where the boundary passes to the positive side.
    rising: ChordEnd,
    /// Where it returns. The same corner if the triangle only touches the plane there.
    falling: ChordEnd,
    /// The feature that contains the points strictly between.
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

/// Two overlapping chords on one line.
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

/// The affine span of a triangle.
enum Span {
    /// All corners are equal.
    Point,
    /// All corners are collinear: the first and the last corner by coordinates, and the third if it is strictly
    /// between.
    Segment { ends: [usize; 2], middle: Option<usize> },
    /// A plane: an axis that is not parallel to its plane, and how the corners turn as seen from its positive end.
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

    /// Where on the triangle a point lies; `None` if it does not.
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

    /// The feature of a point strictly inside an edge of this triangle, where that edge crosses the feature `other` of
    /// another triangle in this point only: the middle corner, if the point is there.
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
#[inline]
pub(super) fn by_coordinates(p: DVec3, q: DVec3) -> Ordering {
    if is_before(p, q) {
        Ordering::Less
    } else if is_before(q, p) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// Whether a point comes before another [by their coordinates](by_coordinates). False for NaN.
#[inline(always)]
pub(super) fn is_before(p: DVec3, q: DVec3) -> bool {
    if p.x != q.x {
        p.x < q.x
    } else if p.y != q.y {
        p.y < q.y
    } else {
        p.z < q.z
    }
}

fn edge_of(corners: &[DVec3; 3], k: usize) -> [DVec3; 2] {
    [corners[k % 3], corners[(k + 1) % 3]]
}

/// The extreme points of the intersection of two triangles, in no particular order; for coplanar or degenerate ones.
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

/// Whether two edges cross in one point strictly inside both.
fn edges_cross([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> bool {
    // Projected along an axis parallel to the common plane, all four points are collinear and all signs zero; along any
    // other axis the edges cross as they do in the plane.
    let cross = |axis: Axis| {
        let opposite = |one: Sign, other: Sign| !one.is_zero() && one == -other;
        opposite(orient2d(axis, p, q, r), orient2d(axis, p, q, s))
            && opposite(orient2d(axis, r, s, p), orient2d(axis, r, s, q))
    };
    [Axis::Z, Axis::Y, Axis::X].into_iter().any(cross) && orient3d(p, q, r, s).is_zero()
}

/// Whether an edge pierces a triangle, strictly inside both.
fn pierces([p, q]: [DVec3; 2], face: &[DVec3; 3]) -> bool {
    let plane = TrianglePlane::new(face);
    let (from, to) = (plane.side(p), plane.side(q));
    !from.is_zero() && from == -to && same_strict_side([0, 1, 2].map(|k| orient3d(p, q, face[k], face[(k + 1) % 3])))
}

/// [`triangles_cross`] for coplanar or degenerate triangles.
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
            // They are coplanar, so one axis serves both.
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

/// The corners of the intersection polygon of two coplanar triangles, counter-clockwise seen from the positive end of
/// the axis.
fn in_order(found: Polygon, axis: Axis, a: (&[DVec3; 3], Sign), b: (&[DVec3; 3], Sign)) -> Polygon {
    let corners = found.corners();
    let count = corners.len();
    let mut next: [usize; 6] = std::array::from_fn(|i| (i + 1) % count.max(1));
    if count > 2 {
        for (mine, other, swapped) in [(a, b, false), (b, a, true)] {
            for edge in 0..3 {
                // The edge and a corner's position along it, both counter-clockwise.
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
    // Starts at the corner that comes first by coordinates: independent of how the corners were found.
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

/// The rank of a polygon corner along an edge that contains it: 0 and 4 at the ends, 1 where the edge enters the other
/// triangle, 3 where it leaves it, 2 at a corner of the other triangle.
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
