//! Intersection of a line with a polytope: boxes, solids with faces, polygons, segments, points. Decided exactly.
//!
//! A box is cut by its slabs. On a solid with faces, the line's entry is found by walking from face to face: projected
//! along the line, the faces towards the viewer tile the silhouette; from any of them the walk crosses an edge beyond
//! which the line passes, and stops in the face that the line pierces, or at a silhouette edge, which proves a miss.
//! The line meets the plane of the next face later than that of the last (the two planes meet in the edge, and the body
//! is convex), so the walk cannot cycle. It takes some √n steps for n faces and needs no acceleration structure. The
//! exit is found in the same way, looking back.
//!
//! Every decision is the sign of a polynomial: in floating point with a bound where that is enough, then in
//! double-double, then in integers. So a ray through a vertex, along an edge or in the plane of a face is not a special
//! case, and nothing slips between two faces.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::DVec3;

use super::ray::{End, Place, Span, Spot};
use super::ray_frame::LineIn;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::ring::{self, Ring};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// A predicate on a line that is decided by signs.
pub(crate) trait Question {
    type Answer;
    /// `None` where a sign is undecided.
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Self::Answer>;
}

/// A line in three arithmetics.
pub(crate) struct Decider<'a> {
    near: &'a LineIn<Enclosed>,
    /// The same, rounded.
    o: DVec3,
    d: DVec3,
    /// Bound on the relative error of the rounding; infinite where the line is not accurate enough.
    known: bool,
    exact: OnceCell<LineIn<Dyadic>>,
    make_exact: &'a dyn Fn() -> LineIn<Dyadic>,
}

impl<'a> Decider<'a> {
    pub fn new(near: &'a LineIn<Enclosed>, make_exact: &'a dyn Fn() -> LineIn<Dyadic>) -> Decider<'a> {
        let o = DVec3::from_array(near.o.map(Enclosed::to_f64));
        let d = DVec3::from_array(near.d.map(Enclosed::to_f64));
        let off = |v: &[Enclosed; 3], size: DVec3| {
            v.iter().map(|x| x.error()).sum::<f64>() <= UNIT_ROUNDOFF * size.abs().max_element()
        };
        // The origin need only be known relative to the body, whose size in this scale is one.
        let known = off(&near.d, d) && off(&near.o, o.abs().max(DVec3::ONE));
        Decider { near, o, d, known, exact: OnceCell::new(), make_exact }
    }

    /// The line in integers.
    pub fn exact(&self) -> &LineIn<Dyadic> {
        self.exact.get_or_init(self.make_exact)
    }

    /// The answer; `None` is never the result, since integers decide every sign.
    pub fn ask<Q: Question>(&self, question: &Q) -> Option<Q::Answer> {
        question.ask(self.near).or_else(|| question.ask(self.exact()))
    }

    /// The sign of `d · ((a - o) x (b - o))`.
    pub fn side(&self, a: DVec3, b: DVec3) -> Ordering {
        if self.known {
            let s = self.near.scale;
            let (a, b) = (a * s, b * s);
            let (p, q) = (a - self.o, b - self.o);
            let value = self.d.dot(p.cross(q));
            // In sums of magnitudes, which bound lengths. `p` is off by `u |p|` for the difference and by `2u |o|` and
            // `u` for the rounded origin and its own error; so is `q`. The direction is off by `2u`, the cross product
            // by `2u √2`, the dot product by `3u`: 8u |d| |p| |q|. Doubled for all second-order terms.
            let size = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
            let (p, q, d) = (size(p), size(q), size(self.d));
            let bound = 2.0 * UNIT_ROUNDOFF * d * ((2.0 * size(self.o) + 1.0) * (p + q) + 10.0 * p * q) + 1e-290;
            if value.abs() > bound {
                return if value > 0.0 { Ordering::Greater } else { Ordering::Less };
            }
        }
        self.ask(&LineSide(a, b)).unwrap_or(Ordering::Equal)
    }

    /// The sign of `n · d`, with `n` the normal of three points.
    pub fn facing(&self, [a, b, c]: [DVec3; 3]) -> Ordering {
        if self.known {
            let s = self.near.scale;
            let (p, q) = ((b - a) * s, (c - a) * s);
            let value = self.d.dot(p.cross(q));
            // Each difference is off by `u` of itself, the direction by `2u`, cross and dot product by `2u √2` and
            // `3u`: below `10u`, doubled for all second-order terms.
            let size = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
            if value.abs() > 20.0 * UNIT_ROUNDOFF * size(p) * size(q) * size(self.d) + 1e-290 {
                return if value > 0.0 { Ordering::Greater } else { Ordering::Less };
            }
        }
        self.ask(&Facing([a, b, c])).unwrap_or(Ordering::Equal)
    }

    /// The end of an interval at a place, its parameter from the place.
    fn end(&self, place: Place, normal: DVec3, spot: Spot) -> End {
        end(self.near, place, normal, spot)
    }
}

/// The end of an interval at a place, its parameter from the place.
pub(crate) fn end(line: &LineIn<Enclosed>, place: Place, normal: DVec3, spot: Spot) -> End {
    let tau = match ratio(&place, line) {
        Some((numerator, denominator)) => numerator / denominator,
        None => Enclosed::ZERO.widened(f64::INFINITY),
    };
    End { tau, place, normal, spot }
}

struct LineSide(DVec3, DVec3);

impl Question for LineSide {
    type Answer = Ordering;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Ordering> {
        ring::dot(&line.d, &ring::cross(&line.to(self.0), &line.to(self.1))).sign()
    }
}

struct Facing([DVec3; 3]);

impl Question for Facing {
    type Answer = Ordering;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Ordering> {
        ring::dot(&normal(line, &self.0), &line.d).sign()
    }
}

/// The normal of three points, in the line's scale.
fn normal<N: Ring>(line: &LineIn<N>, points: &[DVec3; 3]) -> ring::Vector<N> {
    let [a, b, c] = points.map(|p| p.to_array().map(|x| N::scaled(x, line.scale)));
    ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a))
}

/// The normal of three points, rounded once.
pub(crate) fn rounded_normal(points: [DVec3; 3]) -> DVec3 {
    let size = (points[1] - points[0]).abs().max_element().max((points[2] - points[0]).abs().max_element());
    let scale = if size > 0.0 { super::ray_frame::unit_scale(size) } else { 1.0 };
    let line = LineIn { o: [Enclosed::ZERO; 3], d: [Enclosed::ZERO; 3], w: Enclosed::ONE, scale };
    DVec3::from_array(normal(&line, &points).map(Enclosed::to_f64))
}

/// The parameter at which a line is at a place, as a quotient; `None` for curved places.
pub(crate) fn ratio<N: Ring>(place: &Place, line: &LineIn<N>) -> Option<(N, N)> {
    match place {
        Place::Plane(points) => {
            let n = normal(line, points);
            Some((ring::dot(&n, &line.to(points[0])), ring::dot(&n, &line.d)))
        }
        Place::Slab { axis, at } => Some((line.length(*at).minus(&line.o[*axis]), line.d[*axis].clone())),
        Place::Point(point) => Some((ring::dot(&line.to(*point), &line.d), ring::dot(&line.d, &line.d))),
        Place::Between(a, b) => {
            // The moments m and k of the ends about the line point in opposite directions; the weight of b is
            // |m|² / (|m|² - m · k).
            let (a, b) = (line.to(*a), line.to(*b));
            let (m, k) = (ring::cross(&a, &line.d), ring::cross(&b, &line.d));
            let (of_b, both) = (ring::dot(&m, &m), ring::dot(&m, &ring::subtract(&m, &k)));
            let (at_a, at_b) = (ring::dot(&a, &line.d), ring::dot(&b, &line.d));
            let numerator = at_a.times(&both.minus(&of_b)).plus(&at_b.times(&of_b));
            Some((numerator, both.times(&ring::dot(&line.d, &line.d))))
        }
        Place::HalfSpace { normal, offset } => {
            let n = ring::vector(*normal);
            Some((line.length(*offset).minus(&ring::dot(&n, &line.o)), ring::dot(&n, &line.d)))
        }
        Place::Ball { .. } | Place::Curved => None,
    }
}

/// How the parameter at a place compares with `t`; `None` for curved places and undecided signs.
pub(crate) fn compare_time<N: Ring>(place: &Place, line: &LineIn<N>, t: f64) -> Option<Ordering> {
    if t.is_infinite() {
        return Some(if t > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let t = N::of(t);
    if let Place::Ball { radius, leaving } = place {
        // q(t) = |o + t d|² - r² is negative between the roots and increases after their midpoint.
        let here = ring::add(&line.o, &ring::scale(&line.d, &t));
        let r = line.length(*radius);
        let q = ring::dot(&here, &here).minus(&r.times(&r)).sign()?;
        let slope = ring::dot(&here, &line.d).sign()?;
        return Some(match (q, slope) {
            (Ordering::Less, _) => {
                if *leaving {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Ordering::Greater, Ordering::Less) => Ordering::Greater,
            (Ordering::Greater, _) => Ordering::Less,
            (_, Ordering::Less) => {
                if *leaving {
                    Ordering::Greater
                } else {
                    Ordering::Equal
                }
            }
            (_, Ordering::Greater) => {
                if *leaving {
                    Ordering::Equal
                } else {
                    Ordering::Less
                }
            }
            _ => Ordering::Equal,
        });
    }
    let (numerator, denominator) = ratio(place, line)?;
    let sign = numerator.minus(&denominator.times(&t)).sign()?;
    match denominator.sign()? {
        Ordering::Greater => Some(sign),
        Ordering::Less => Some(sign.reverse()),
        Ordering::Equal => None,
    }
}

/// How a line meets a box about the origin, as bit sets of axes: where the interval starts, where it ends, and whether
/// the line runs in a face.
#[derive(Clone, Copy, Debug, Default)]
struct Slabs {
    misses: bool,
    /// Axes whose slab is entered last.
    starts: u32,
    /// Axes whose slab is left first.
    ends: u32,
    /// Axes along which the line is constant and lies in a face.
    rests: u32,
    /// Axes along which the coordinate decreases; for resting axes, those on the lower face.
    falls: u32,
    /// The interval is a single point.
    touches: bool,
}

struct BoxQuestion(DVec3);

impl Question for BoxQuestion {
    type Answer = Slabs;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Slabs> {
        let missed = Slabs { misses: true, ..Slabs::default() };
        let mut found = Slabs::default();
        let mut best: [Option<(N, N)>; 2] = [None, None];
        for k in 0..3 {
            let bit = 1 << k;
            let h = line.length(self.0[k]);
            let (o, d) = (&line.o[k], &line.d[k]);
            let (above, below) = (h.minus(o), h.plus(o));
            let direction = d.sign()?;
            if direction == Ordering::Equal {
                match (above.sign()?, below.sign()?) {
                    (Ordering::Less, _) | (_, Ordering::Less) => return Some(missed),
                    (Ordering::Equal, _) => found.rests |= bit,
                    (_, Ordering::Equal) => {
                        found.rests |= bit;
                        found.falls |= bit;
                    }
                    _ => {}
                }
                continue;
            }
            // With the speed made positive the slab is entered at -ahead / speed and left at after / speed.
            let rises = direction == Ordering::Greater;
            let speed = if rises { d.clone() } else { N::of(0.0).minus(d) };
            let (start, end) = if rises { (below, above) } else { (above, below) };
            let start = N::of(0.0).minus(&start);
            if !rises {
                found.falls |= bit;
            }
            for (which, time, mask) in [(0, start, &mut found.starts), (1, end, &mut found.ends)] {
                let order = match &best[which] {
                    None => Ordering::Greater,
                    Some((numerator, denominator)) => {
                        let order = time.times(denominator).minus(&numerator.times(&speed)).sign()?;
                        if which == 0 { order } else { order.reverse() }
                    }
                };
                match order {
                    Ordering::Greater => {
                        best[which] = Some((time, speed.clone()));
                        *mask = bit;
                    }
                    Ordering::Equal => *mask |= bit,
                    Ordering::Less => {}
                }
            }
        }
        if let [Some((n, d)), Some((m, e))] = &best {
            match n.times(e).minus(&m.times(d)).sign()? {
                Ordering::Greater => return Some(missed),
                order => found.touches = order == Ordering::Equal,
            }
        }
        Some(found)
    }
}

/// A box about the origin, numbered as `Cuboid` is.
pub(crate) fn cuboid(decider: &Decider<'_>, half: DVec3) -> Span {
    let Some(found) = decider.ask(&BoxQuestion(half)) else { return Span::Nothing };
    if found.misses || found.starts == 0 {
        return Span::Nothing;
    }
    let end = |active: u32, leaving: bool| {
        let axis = active.trailing_zeros() as usize;
        // Going up, the interval starts at the lower face and ends at the upper one. A single point is on both.
        let starts = if leaving && !found.touches { 0 } else { found.starts };
        let ends = if leaving || found.touches { found.ends } else { 0 };
        let upper_bits = found.falls & starts | !found.falls & (ends | found.rests);
        let upper = upper_bits >> axis & 1 == 1;
        let at = if upper { half[axis] } else { -half[axis] };
        let mut normal = DVec3::ZERO;
        normal[axis] = if upper { 1.0 } else { -1.0 };
        let all = starts | ends | found.rests;
        let spot = match all.count_ones() {
            1 => Spot::Face(2 * axis as u32 + u32::from(upper)),
            2 => {
                let along = (7 ^ all).trailing_zeros();
                let (low, high) = [(1, 2), (0, 2), (0, 1)][along as usize % 3];
                Spot::Edge(4 * along + (upper_bits >> low & 1) + 2 * (upper_bits >> high & 1))
            }
            _ => Spot::Vertex(upper_bits & 7),
        };
        decider.end(Place::Slab { axis, at }, normal, spot)
    };
    Span::Through(end(found.starts, false), end(found.ends, true))
}

/// A solid with numbered vertices and faces.
pub(crate) trait Solid {
    fn face_count(&self) -> usize;
    /// The corners of a face, counter-clockwise seen from outside.
    fn face(&self, face: usize) -> &[u32];
    fn vertex(&self, vertex: u32) -> DVec3;
    /// The face on the other side of an edge.
    fn across(&self, face: usize, from: u32, to: u32) -> usize;
    /// The caller's number of a vertex.
    fn vertex_number(&self, vertex: u32) -> u32;
    /// The caller's number of an edge.
    fn edge_number(&self, from: u32, to: u32) -> u32;
}

/// Three corners that span a face.
fn corners(solid: &impl Solid, face: usize) -> [DVec3; 3] {
    let loop_ = solid.face(face);
    [0, 1, 2].map(|k| solid.vertex(loop_[k]))
}

/// A solid, by walking over its faces.
pub(crate) fn solid(decider: &Decider<'_>, solid: &impl Solid) -> Span {
    let Some(start) = pierced(decider, solid, Ordering::Less) else { return Span::Nothing };
    let Some(end) = pierced(decider, solid, Ordering::Greater) else { return Span::Nothing };
    Span::Through(start, end)
}

/// The face through which the line enters (`looking` less) or leaves (greater); `None` for a miss.
fn pierced(decider: &Decider<'_>, solid: &impl Solid, looking: Ordering) -> Option<End> {
    let count = solid.face_count();
    let mut face = (0..count).find(|&face| decider.facing(corners(solid, face)) == looking)?;
    // Projected along the line, a face towards the viewer is clockwise.
    let outside = looking.reverse();
    for _ in 0..count {
        let corner_list = solid.face(face);
        let edges = corner_list.len();
        let mut beyond = None;
        let mut on: [Option<usize>; 2] = [None, None];
        for k in 0..edges {
            let (from, to) = (corner_list[k], corner_list[(k + 1) % edges]);
            let side = decider.side(solid.vertex(from), solid.vertex(to));
            if side == outside {
                beyond = Some((from, to));
                break;
            }
            if side == Ordering::Equal {
                if on[0].is_none() { on[0] = Some(k) } else { on[1] = Some(k) }
            }
        }
        if let Some((from, to)) = beyond {
            face = solid.across(face, from, to);
            if decider.facing(corners(solid, face)) != looking {
                return None;
            }
            continue;
        }
        let spot = match on {
            [None, _] => Spot::Face(face as u32),
            [Some(k), None] => Spot::Edge(solid.edge_number(corner_list[k], corner_list[(k + 1) % edges])),
            // Two sides of a convex polygon through one point: their common corner.
            [Some(j), Some(k)] => Spot::Vertex(solid.vertex_number(corner_list[if k == j + 1 { k } else { 0 }])),
        };
        let points = corners(solid, face);
        return Some(decider.end(Place::Plane(points), rounded_normal(points), spot));
    }
    None
}

/// How a line meets a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meeting {
    Misses,
    AtFirst,
    AtSecond,
    Between,
    /// The line runs along it.
    Along,
}

struct SegmentQuestion(DVec3, DVec3);

impl Question for SegmentQuestion {
    type Answer = Meeting;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Meeting> {
        let (a, b) = (line.to(self.0), line.to(self.1));
        let (m, k) = (ring::cross(&a, &line.d), ring::cross(&b, &line.d));
        match (ring::is_zero(&m)?, ring::is_zero(&k)?) {
            (true, true) => {
                let order = ring::dot(&ring::subtract(&b, &a), &line.d).sign()?;
                Some(if order == Ordering::Equal { Meeting::AtFirst } else { Meeting::Along })
            }
            (true, false) => Some(Meeting::AtFirst),
            (false, true) => Some(Meeting::AtSecond),
            (false, false) => {
                let between = ring::is_zero(&ring::cross(&m, &k))? && ring::dot(&m, &k).sign()? == Ordering::Less;
                Some(if between { Meeting::Between } else { Meeting::Misses })
            }
        }
    }
}

/// A flat convex body: its corners in order, and the numbers of corners and sides.
#[derive(Clone, Copy)]
pub(crate) struct Flat<'a> {
    pub count: usize,
    pub corner: &'a dyn Fn(usize) -> DVec3,
    /// The caller's number of a corner.
    pub vertex_number: &'a dyn Fn(usize) -> u32,
    /// The caller's number of the side from corner `k` to the next.
    pub side_number: &'a dyn Fn(usize) -> u32,
    /// The caller's number of the face.
    pub face: u32,
}

struct PlaneQuestion([DVec3; 3]);

/// How a line lies to a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ToPlane {
    /// It crosses the plane, up or down.
    Crosses(Ordering),
    /// Parallel to the plane and not in it.
    Beside,
    /// It lies in the plane, or the three points are collinear.
    Within,
}

impl Question for PlaneQuestion {
    type Answer = ToPlane;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<ToPlane> {
        let n = normal(line, &self.0);
        match ring::dot(&n, &line.d).sign()? {
            Ordering::Equal => match ring::dot(&n, &line.to(self.0[0])).sign()? {
                Ordering::Equal => Some(ToPlane::Within),
                _ => Some(ToPlane::Beside),
            },
            order => Some(ToPlane::Crosses(order)),
        }
    }
}

/// A point, a segment or a flat convex polygon; a triangle may be degenerate.
pub(crate) fn flat(decider: &Decider<'_>, body: &Flat<'_>) -> Span {
    let against = -decider.d;
    if body.count < 3 {
        return sides(decider, body, against);
    }
    let plane = [0, 1, 2].map(body.corner);
    match decider.ask(&PlaneQuestion(plane)) {
        Some(ToPlane::Crosses(order)) => crossing(decider, body, plane, order),
        Some(ToPlane::Within) => {
            let normal = rounded_normal(plane);
            sides(decider, body, if normal == DVec3::ZERO { against } else { normal })
        }
        _ => Span::Nothing,
    }
}

/// A line that crosses the plane of a polygon.
fn crossing(decider: &Decider<'_>, body: &Flat<'_>, plane: [DVec3; 3], order: Ordering) -> Span {
    let count = body.count;
    let mut on: [Option<usize>; 2] = [None, None];
    for k in 0..count {
        let side = decider.side((body.corner)(k), (body.corner)((k + 1) % count));
        if side == order.reverse() {
            return Span::Nothing;
        }
        if side == Ordering::Equal {
            if on[0].is_none() { on[0] = Some(k) } else { on[1] = Some(k) }
        }
    }
    let spot = match on {
        [None, _] => Spot::Face(body.face),
        [Some(k), None] => Spot::Edge((body.side_number)(k)),
        [Some(j), Some(k)] => Spot::Vertex((body.vertex_number)(if k == j + 1 { k } else { 0 })),
    };
    let normal = rounded_normal(plane);
    // The normal of a flat body faces the side that the line comes from.
    let normal = if order == Ordering::Greater { -normal } else { normal };
    Span::Crossing(decider.end(Place::Plane(plane), normal, spot))
}

/// A line in the plane of a polygon, or a segment: the span of its intersections with the sides.
fn sides(decider: &Decider<'_>, body: &Flat<'_>, normal: DVec3) -> Span {
    let count = if body.count == 2 { 1 } else { body.count };
    let mut ends: Option<(End, End)> = None;
    let before = |x: &End, y: &End| match x.tau.compare(y.tau) {
        Some(order) => order == Ordering::Less,
        None => exact_order(decider, &x.place, &y.place) == Some(Ordering::Less),
    };
    for k in 0..count {
        let next = (k + 1) % body.count;
        let (a, b) = ((body.corner)(k), (body.corner)(next));
        let at = |i: usize| decider.end(Place::Point((body.corner)(i)), normal, Spot::Vertex((body.vertex_number)(i)));
        let found: [Option<End>; 2] = match decider.ask(&SegmentQuestion(a, b)) {
            Some(Meeting::AtFirst) => [Some(at(k)), None],
            Some(Meeting::AtSecond) => [Some(at(next)), None],
            Some(Meeting::Between) => {
                [Some(decider.end(Place::Between(a, b), normal, Spot::Edge((body.side_number)(k)))), None]
            }
            Some(Meeting::Along) => [Some(at(k)), Some(at(next))],
            _ => [None, None],
        };
        for end in found.into_iter().flatten() {
            ends = Some(match ends {
                None => (end, end),
                Some((first, last)) => {
                    (if before(&end, &first) { end } else { first }, if before(&last, &end) { end } else { last })
                }
            });
        }
    }
    match ends {
        None => Span::Nothing,
        Some((first, last)) if before(&first, &last) => Span::Through(first, last),
        Some((first, _)) => Span::Crossing(first),
    }
}

/// How the parameters at two places compare, exactly.
pub(crate) fn exact_order(decider: &Decider<'_>, x: &Place, y: &Place) -> Option<Ordering> {
    let line = decider.exact();
    let ((n, d), (m, e)) = (ratio(x, line)?, ratio(y, line)?);
    let order = n.times(&e).minus(&m.times(&d)).sign()?;
    Some(if d.sign()? == e.sign()? { order } else { order.reverse() })
}
