//! Intersection of a line with a bare convex set: slabs, spheres, cylinders, cones, ellipsoids.
//!
//! Rays `r(t) = o + t d` with `t` of any sign (Gomez, *Intersection Tests*, SIGGRAPH 2004 course notes, section 6). A
//! line meets a convex set in an interval; each kernel returns its two ends. Departs from the usual formulas:
//! - numbers are [`Enclosed`]: double-double with a bound on the error, so each end is proved, and a grazing line,
//!   whose ends are roots of a nearly vanishing discriminant, still has fifteen correct digits;
//! - a set bounded by several surfaces is the intersection of their intervals, or for a capsule the span of the
//!   intervals of its parts: there is no case list that could be incomplete;
//! - the root without cancellation is computed directly, the other by a quotient.
//!
//! If rounding leaves it undecided whether a line meets a set, a hit is reported: the enclosure cannot rule it out.

use std::cmp::Ordering;

use glam::DVec3;

use super::ray_frame::LineIn;
use crate::math::enclosed::Enclosed;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// What determines the end of an interval, in exact terms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The plane of three points.
    Plane([DVec3; 3]),
    /// The plane where a coordinate has this value.
    Slab { axis: usize, at: f64 },
    /// A point.
    Point(DVec3),
    /// A point between two points.
    Between(DVec3, DVec3),
    /// A sphere about the origin of the line's frame.
    Ball { radius: f64, leaving: bool },
    /// The plane `normal · x = offset`.
    HalfSpace { normal: DVec3, offset: f64 },
    /// A curved surface: known only by its enclosure.
    Curved,
}

/// The feature of a body's boundary that contains a point, in the body's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// One end of the interval in which a line meets a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The parameter of the line.
    pub tau: Enclosed,
    pub place: Place,
    /// Outward, in the line's frame, of any length.
    pub normal: DVec3,
    pub spot: Spot,
}

/// How a line meets a closed convex set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    /// It misses, or is inside for its whole length.
    Nothing,
    /// It crosses a flat set.
    Crossing(End),
    /// It enters and leaves.
    Through(End, End),
    /// It enters and stays.
    Entering(End),
    /// It starts inside and leaves.
    Leaving(End),
}

/// An interval of parameters, perhaps unbounded, under construction.
#[derive(Clone, Copy)]
struct ParameterRange {
    start: Option<End>,
    end: Option<End>,
}

/// Rounded components.
fn rounded(v: &Vector<Enclosed>) -> DVec3 {
    DVec3::from_array(v.map(Enclosed::to_f64))
}

fn at(line: &LineIn<Enclosed>, tau: Enclosed) -> Vector<Enclosed> {
    std::array::from_fn(|k| line.o[k] + tau * line.d[k])
}

/// True unless the interval is certainly empty.
fn may_be(piece: &ParameterRange) -> bool {
    match (&piece.start, &piece.end) {
        (Some(start), Some(end)) => start.tau.compare(end.tau) != Some(Ordering::Greater),
        _ => true,
    }
}

/// The part of a line that two sets share; where both end at once, to within their enclosures, it ends on the given
/// edge.
fn shared(a: ParameterRange, b: ParameterRange, edge: impl Fn(&End, &End) -> Spot) -> ParameterRange {
    let pick = |a: Option<End>, b: Option<End>, later: bool| match (a, b) {
        (Some(a), Some(b)) => {
            let tau = if later { a.tau.max(b.tau) } else { a.tau.min(b.tau) };
            let take_a = (a.tau.to_f64() >= b.tau.to_f64()) == later;
            let taken = if take_a { a } else { b };
            match a.tau.compare(b.tau) {
                Some(Ordering::Less | Ordering::Greater) => Some(End { tau, ..taken }),
                _ => Some(End { tau, spot: edge(&a, &b), place: Place::Curved, ..taken }),
            }
        }
        (a, b) => a.or(b),
    };
    ParameterRange { start: pick(a.start, b.start, true), end: pick(a.end, b.end, false) }
}

/// Where `low <= o + t d <= high` in one coordinate, within the relevant parameter range; `None` where it holds
/// nowhere. `d` may be too small for its sign to be known: then the limits hold or fail over the whole range.
fn slab(o: Enclosed, d: Enclosed, low: Option<Limit>, high: Option<Limit>, range: Enclosed) -> Option<ParameterRange> {
    let end = |limit: Limit| End {
        tau: (limit.at - o) / d,
        place: limit.place,
        normal: limit.normal,
        spot: Spot::Face(limit.face),
    };
    // A limit that is certainly not attained within the range is dropped: where the line is almost perpendicular, its
    // parameter is unknown.
    let here = o + d * range;
    let low = low.filter(|limit| !(here - limit.at).is_positive());
    let high = high.filter(|limit| !(limit.at - here).is_positive());
    match d.sign() {
        Some(Ordering::Greater) => Some(ParameterRange { start: low.map(end), end: high.map(end) }),
        Some(Ordering::Less) => Some(ParameterRange { start: high.map(end), end: low.map(end) }),
        _ => {
            let above = |limit: Limit| !(here - limit.at).is_negative();
            let below = |limit: Limit| !(limit.at - here).is_negative();
            (low.is_none_or(above) && high.is_none_or(below)).then_some(ParameterRange { start: None, end: None })
        }
    }
}

/// The part of an interval within the relevant parameter range; `None` if certainly empty. A poorly known end, as where
/// a line is almost tangent to a surface, is clamped to the range: too wide an enclosure would cost other ends their
/// digits.
fn clipped(piece: ParameterRange, range: Enclosed) -> Option<ParameterRange> {
    let most = range.magnitude();
    let clip = |end: End| {
        let (low, high) = end.tau.bounds();
        // Written so that NaN becomes a limit of the range.
        let known = low >= -most && high <= most;
        let tau = Enclosed::between(low.max(-most).min(most), high.min(most).max(-most));
        if known { end } else { End { tau, ..end } }
    };
    let late = piece.start.is_some_and(|end| end.tau.bounds().0 > most);
    let early = piece.end.is_some_and(|end| end.tau.bounds().1 < -most);
    (!late && !early).then_some(ParameterRange { start: piece.start.map(clip), end: piece.end.map(clip) })
}

/// One side of a slab.
#[derive(Clone, Copy)]
struct Limit {
    at: Enclosed,
    place: Place,
    normal: DVec3,
    face: u32,
}

/// `a t² + 2 b t + c`.
#[derive(Clone, Copy)]
struct Quadratic {
    a: Enclosed,
    b: Enclosed,
    c: Enclosed,
}

impl Quadratic {
    /// The values of `|o + t d|²- r²` over vectors of any dimension.
    fn of(o: &[Enclosed], d: &[Enclosed], squared_radius: Enclosed) -> Quadratic {
        let dot = |x: &[Enclosed], y: &[Enclosed]| x.iter().zip(y).fold(Enclosed::ZERO, |sum, (&p, &q)| sum + p * q);
        Quadratic { a: dot(d, d), b: dot(o, d), c: dot(o, o) - squared_radius }
    }

    fn discriminant(&self) -> Enclosed {
        self.b.squared() - self.a * self.c
    }

    /// Both roots for `a > 0`, the lesser first; `None` if there are certainly none.
    fn roots(&self) -> Option<[Enclosed; 2]> {
        let discriminant = self.discriminant();
        if discriminant.is_negative() {
            return None;
        }
        let root = discriminant.sqrt();
        // One of -b ± root has no cancellation; the other follows from the product of the roots, c / a, where that is
        // better.
        let middle = -self.b / self.a;
        let half = root / self.a;
        let (low, high) = (middle - half, middle + half);
        let better = |x: Enclosed, y: Enclosed| if y.error() < x.error() { y } else { x };
        let q = -(if self.b.to_f64() < 0.0 { self.b - root } else { self.b + root });
        let (far, close) = (q / self.a, self.c / q);
        Some(if self.b.to_f64() < 0.0 {
            [better(low, close), better(high, far)]
        } else {
            [better(low, far), better(high, close)]
        })
    }
}

/// A sphere about the origin of the line's frame. `hit` is whether the line meets it, where that is known exactly.
pub(crate) fn ball(line: &LineIn<Enclosed>, radius: f64, hit: Option<bool>) -> Span {
    let r = line.length(radius);
    let quadratic = Quadratic::of(&line.o, &line.d, r.squared());
    let roots = if hit == Some(false) { None } else { quadratic.roots() };
    let Some([start, end]) = roots else { return Span::Nothing };
    let end_at = |tau: Enclosed, leaving: bool| End {
        tau,
        place: Place::Ball { radius, leaving },
        normal: rounded(&at(line, tau)),
        spot: Spot::Face(0),
    };
    Span::Through(end_at(start, false), end_at(end, true))
}

/// The sign of the discriminant of a line and a sphere about the origin of its frame; `None` if undecided.
pub(crate) fn ball_discriminant<N: Ring>(line: &LineIn<N>, radius: f64) -> Option<Ordering> {
    let r = line.length(radius);
    let a = ring::dot(&line.d, &line.d);
    let b = ring::dot(&line.o, &line.d);
    let c = ring::dot(&line.o, &line.o).minus(&r.times(&r));
    b.times(&b).minus(&a.times(&c)).sign()
}

/// A parameter range that covers every point of the line within `extent` (in the line's scale) of the origin.
fn range_within(line: &LineIn<Enclosed>, extent: f64) -> Enclosed {
    let d = rounded(&line.d).length();
    let o = rounded(&line.o).length();
    // |o + t d| <= extent needs |t| |d| <= extent + |o|; doubled to cover all rounding.
    Enclosed::about(0.0, 2.0 * (extent + o) / d.max(f64::MIN_POSITIVE))
}

fn finish(mut piece: ParameterRange) -> Span {
    if !may_be(&piece) {
        return Span::Nothing;
    }
    if let (Some(start), Some(end)) = (&mut piece.start, &mut piece.end) {
        // It enters before it leaves, so each end bounds the other.
        let ((low, start_high), (end_low, high)) = (start.tau.bounds(), end.tau.bounds());
        if start_high > high {
            start.tau = Enclosed::between(low.min(high), high);
        }
        if end_low < low {
            end.tau = Enclosed::between(low, high.max(low));
        }
    }
    match (piece.start, piece.end) {
        (Some(start), Some(end)) => Span::Through(start, end),
        (Some(start), None) => Span::Entering(start),
        (None, Some(end)) => Span::Leaving(end),
        (None, None) => Span::Nothing,
    }
}

/// The two ends of a body along z.
fn caps(line: &LineIn<Enclosed>, half_length: f64) -> [Limit; 2] {
    let h = line.length(half_length);
    let cap = |at: Enclosed, height: f64, face: u32| {
        let place = Place::Slab { axis: 2, at: height };
        Limit { at, place, normal: DVec3::new(0.0, 0.0, height.signum()), face }
    };
    [cap(-h, -half_length, 0), cap(h, half_length, 1)]
}

/// The interval inside a surface `q <= 0` with `a > 0`, or `a` too small for its sign to be known and the surface then
/// straight within `range`.
fn inside_round(quadratic: Quadratic, range: Enclosed, end_at: impl Fn(Enclosed) -> End) -> Option<ParameterRange> {
    if quadratic.a.is_positive() {
        let roots = quadratic.roots()?;
        if roots.iter().all(|root| root.error().is_finite()) {
            return Some(ParameterRange { start: Some(end_at(roots[0])), end: Some(end_at(roots[1])) });
        }
    }
    // Parallel to the axis, to within rounding.
    let value = quadratic.c + range * (quadratic.b + quadratic.b + quadratic.a * range);
    (!value.is_positive()).then_some(ParameterRange { start: None, end: None })
}

/// A solid cylinder along z about the origin. Faces: 0 bottom, 1 top, 2 side; edges 0 and 1 their rims.
pub(crate) fn cylinder(line: &LineIn<Enclosed>, half_length: f64, radius: f64) -> Span {
    let r = line.length(radius);
    let (o, d) = (&line.o, &line.d);
    let range = range_within(line, line.length(half_length).magnitude() + r.magnitude());
    let side_at = |tau: Enclosed| {
        let p = rounded(&at(line, tau));
        End { tau, place: Place::Curved, normal: DVec3::new(p.x, p.y, 0.0), spot: Spot::Face(2) }
    };
    let side = inside_round(Quadratic::of(&o[..2], &d[..2], r.squared()), range, side_at);
    let Some(side) = side.and_then(|side| clipped(side, range)) else { return Span::Nothing };
    let [bottom, top] = caps(line, half_length);
    let between = slab(o[2], d[2], Some(bottom), Some(top), range);
    let Some(between) = between.and_then(|between| clipped(between, range)) else { return Span::Nothing };
    let rim = |a: &End, b: &End| match (a.spot, b.spot) {
        (Spot::Face(cap @ (0 | 1)), _) | (_, Spot::Face(cap @ (0 | 1))) => Spot::Edge(cap),
        (spot, _) => spot,
    };
    finish(shared(side, between, rim))
}

/// A solid cone along z: apex at `+half_length`, base at `-half_length`. Faces: 0 base, 1 side; edge 0 the rim.
///
/// The side is `4h² (x² + y²) <= r² (h - z)²` with `z <= h`. A line steeper than the side meets both halves of the
/// double cone, and the inside is outside the roots: before the first going up, after the second going down.
pub(crate) fn cone(line: &LineIn<Enclosed>, half_length: f64, radius: f64) -> Span {
    let (h, r) = (line.length(half_length), line.length(radius));
    let (o, d) = (&line.o, &line.d);
    let double = h + h;
    let range = range_within(line, h.magnitude() + r.magnitude());
    let (below, steep) = ((h - o[2]) * r, -d[2] * r);
    let round = Quadratic::of(&[o[0] * double, o[1] * double], &[d[0] * double, d[1] * double], below.squared());
    let quadratic = Quadratic { a: round.a - steep.squared(), b: round.b - below * steep, c: round.c };
    let side_at = |tau: Enclosed| {
        let p = rounded(&at(line, tau));
        let across = p.x.hypot(p.y);
        let (h, r) = (h.to_f64(), r.to_f64());
        // On the axis, up to rounding, only at the apex, whose normal is found below.
        let off_axis = across > 16.0 * UNIT_ROUNDOFF * (h + r);
        let normal = if off_axis { DVec3::new(p.x / across * 2.0 * h, p.y / across * 2.0 * h, r) } else { DVec3::Z };
        End { tau, place: Place::Curved, normal, spot: Spot::Face(1) }
    };
    let side = match quadratic.a.sign() {
        Some(Ordering::Greater) => inside_round(quadratic, range, side_at),
        Some(Ordering::Less) => {
            // There are always roots: a line this steep goes through both halves.
            let turned = Quadratic { a: -quadratic.a, b: -quadratic.b, c: -quadratic.c };
            let root = turned.discriminant().sqrt();
            let ends = turned.roots().unwrap_or_else(|| {
                let middle = -turned.b / turned.a;
                [middle - root / turned.a, middle + root / turned.a]
            });
            Some(if d[2].to_f64() > 0.0 {
                ParameterRange { start: None, end: Some(side_at(ends[0])) }
            } else {
                ParameterRange { start: Some(side_at(ends[1])), end: None }
            })
        }
        // Parallel to the side, to within rounding: one root is close, the other far away.
        _ => {
            let root = quadratic.discriminant().sqrt();
            let falling = quadratic.b.to_f64() < 0.0;
            let q = -(if falling { quadratic.b - root } else { quadratic.b + root });
            let close = quadratic.c / q;
            // The far root q / a lies beyond the range.
            let far = q.to_f64().abs() - q.error() > 2.0 * quadratic.a.magnitude() * range.magnitude();
            if far && close.error().is_finite() {
                let end = Some(side_at(close));
                Some(if falling {
                    ParameterRange { start: end, end: None }
                } else {
                    ParameterRange { start: None, end }
                })
            } else {
                inside_round(quadratic, range, side_at)
            }
        }
    };
    let Some(side) = side.and_then(|side| clipped(side, range)) else { return Span::Nothing };
    // No wider than at the lowest point of the line: next to the apex nothing more is known.
    let lowest = Enclosed::of((o[2] + d[2] * range).lower());
    let widest = (h - lowest) * r / double;
    let narrow = Quadratic::of(&o[..2], &d[..2], widest.squared());
    let side = if !widest.is_positive() || (r - widest).is_positive() {
        let Some(about) = inside_round(narrow, range, side_at) else { return Span::Nothing };
        shared(side, about, |one, _| one.spot)
    } else {
        side
    };
    let [base, top] = caps(line, half_length);
    // The apex: the horizontal plane through it bounds the lower half of the double cone.
    let between = slab(o[2], d[2], Some(base), Some(top), range);
    let Some(between) = between.and_then(|between| clipped(between, range)) else { return Span::Nothing };
    let edge = |a: &End, b: &End| match (a.place, b.place) {
        (Place::Slab { at, .. }, _) | (_, Place::Slab { at, .. }) if at > 0.0 => Spot::Vertex(0),
        _ => Spot::Edge(0),
    };
    let mut piece = shared(side, between, edge);
    let over = DVec3::new(d[0].to_f64(), d[1].to_f64(), 0.0).normalize_or_zero() * double.to_f64();
    for (end, leaving) in [(&mut piece.start, false), (&mut piece.end, true)] {
        let Some(end) = end else { continue };
        // An interval that ends at the plane of the apex, or on the axis of the side, ends in the apex. Of all its
        // normals, take the one most along the line, or against it.
        let on_plane = matches!(end.place, Place::Slab { at, .. } if at > 0.0);
        if on_plane || end.spot == Spot::Vertex(0) || end.normal == DVec3::Z {
            end.spot = Spot::Vertex(0);
            end.normal = if leaving { over } else { -over } + DVec3::new(0.0, 0.0, r.to_f64());
        }
    }
    finish(piece)
}

/// A solid ellipsoid about the origin: a sphere, in coordinates divided by the semi-axes.
pub(crate) fn ellipsoid(line: &LineIn<Enclosed>, semi_axes: DVec3) -> Span {
    let axes = semi_axes.to_array().map(|a| line.length(a));
    let o: Vector<Enclosed> = std::array::from_fn(|k| line.o[k] / axes[k]);
    let d: Vector<Enclosed> = std::array::from_fn(|k| line.d[k] / axes[k]);
    let Some([start, end]) = Quadratic::of(&o, &d, Enclosed::ONE).roots() else { return Span::Nothing };
    let end_at = |tau: Enclosed| {
        let normal = DVec3::from_array(std::array::from_fn(|k| ((o[k] + tau * d[k]) / axes[k]).to_f64()));
        End { tau, place: Place::Curved, normal, spot: Spot::Face(0) }
    };
    Span::Through(end_at(start), end_at(end))
}

/// All points within `radius` of the segment from `-axis` to `axis`: the span of a cylinder and two spheres, whose
/// union is convex. `axis` is in the line's scale.
pub(crate) fn capsule(line: &LineIn<Enclosed>, axis: &Vector<Enclosed>, radius: f64) -> Span {
    let r = line.length(radius);
    let squared_length = ring::dot(axis, axis);
    let mut pieces: [Option<([Enclosed; 2], bool)>; 3] = [None; 3];
    for (piece, end) in pieces.iter_mut().zip([axis.map(|x| -x), *axis]) {
        let ball = Quadratic::of(&ring::subtract(&line.o, &end), &line.d, r.squared());
        *piece = ball.roots().map(|roots| (roots, ball.discriminant().sign().is_some()));
    }
    // |p x e|² <= r² |e|² and |p · e| <= |e|².
    let (across, along) = (ring::cross(&line.o, axis), ring::dot(&line.o, axis));
    let (turn, slide) = (ring::cross(&line.d, axis), ring::dot(&line.d, axis));
    let range = range_within(line, squared_length.sqrt().magnitude() + r.magnitude());
    let plain = |tau: Enclosed| End { tau, place: Place::Curved, normal: DVec3::ZERO, spot: Spot::Face(0) };
    let limit = |at: Enclosed| Limit { at, place: Place::Curved, normal: DVec3::ZERO, face: 0 };
    let tube = inside_round(Quadratic::of(&across, &turn, r.squared() * squared_length), range, plain)
        .and_then(|tube| clipped(tube, range));
    let between = slab(along, slide, Some(limit(-squared_length)), Some(limit(squared_length)), range)
        .and_then(|between| clipped(between, range));
    if let (Some(tube), Some(between)) = (tube, between) {
        let piece = shared(tube, between, |a, _| a.spot);
        if may_be(&piece)
            && let (Some(start), Some(end)) = (piece.start, piece.end)
        {
            let certain = start.tau.compare(end.tau) == Some(Ordering::Less);
            pieces[2] = Some(([start.tau, end.tau], certain));
        }
    }
    let span = |certain: bool| {
        let some = pieces.iter().flatten().filter(|piece| piece.1 == certain).map(|piece| piece.0);
        some.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    };
    let [start, end] = match (span(true), span(false)) {
        (None, None) => return Span::Nothing,
        (Some(known), None) => known,
        (None, Some(open)) => open,
        // The ends are those of the certain interval, or of one that may extend beyond it.
        (Some([s, e]), Some([before, after])) => {
            let start = if before.compare(s) == Some(Ordering::Greater) { s } else { s.or(before.min(s)) };
            let end = if after.compare(e) == Some(Ordering::Less) { e } else { e.or(after.max(e)) };
            [start, end]
        }
    };
    let end_at = |tau: Enclosed| {
        let p = at(line, tau);
        let share = (ring::dot(&p, axis) / squared_length).to_f64().clamp(-1.0, 1.0);
        let foot = ring::scale(axis, &Enclosed::of(share));
        End { normal: rounded(&ring::subtract(&p, &foot)), ..plain(tau) }
    };
    Span::Through(end_at(start), end_at(end))
}

/// The points with `normal · x <= offset`. A line in the boundary has no end, and counts as a miss here.
pub(crate) fn half_space(line: &LineIn<Enclosed>, normal: DVec3, offset: f64) -> Span {
    let power = super::ray_frame::unit_scale(normal.abs().max_element());
    let n: Vector<Enclosed> = normal.to_array().map(|x| Enclosed::scaled(x, power));
    let depth = Enclosed::scaled(offset, power) - ring::dot(&n, &line.o);
    let rise = ring::dot(&n, &line.d);
    let place = Place::HalfSpace { normal, offset };
    let end = End { tau: depth / rise, place, normal: rounded(&n), spot: Spot::Face(0) };
    match rise.sign() {
        Some(Ordering::Greater) => Span::Leaving(end),
        Some(Ordering::Less) => Span::Entering(end),
        _ => Span::Nothing,
    }
}
