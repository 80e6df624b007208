//! Verifies that a ray crosses the boundary of a body nowhere in its range, with code independent of the search.
//!
//! A line meets a convex body in one interval, possibly empty, whose two ends are the hits. So a ray misses if the
//! interval and the range are disjoint, or if the interval extends beyond the range at both ends.
//! - **spheres, capsules, boxes, cylinders, cones, ellipsoids, hulls, tetrahedra, half-spaces**: the line in the body's
//!   frame times the determinant of its pose, in integers. Each plane bounds the parameter by a quotient, each curved
//!   side by a quadratic polynomial; whether one is positive over a range is decided at the ends of the range and at
//!   its minimum. Nothing is rounded, so every true miss is proved;
//! - **segments, triangles, flat hulls, meshes**: every triangle is intersected with the line, as in `mesh_rays.rs`.
//!   Where a ray begins or ends while it runs along the surface of a solid, the sum of all solid angles next to the
//!   interval decides;
//! - **height fields**: every triangle is intersected with the placed line: the ray in the field's frame, rounded once,
//!   for which the query is decided;
//! - **rounded and custom bodies**: outside a bounding sphere the line is outside the body; for the rest of the range
//!   one plane, whose direction is a guess, has the body below it and both ends above. Inside, both ends are in the
//!   hull of points of the body: its support points along the faces that they are beyond;
//! - **compounds**: each of their parts.

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::ray::{NoHit, Ray, RayOptions};
use crate::geom::hull::convex_hull;
use crate::geom::ray_frame::{Chain, unit, unit_scale};
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{MAX_COORDINATE, MISS_PLANE, ROUND_UP, VERIFY_FARTHEST_POINTS};
use crate::motion::Motion;
use crate::shape::{HeightField, Mesh, Shape};
use crate::verify::hint::Hints;
use crate::verify::mesh_rays::{ExactLine, Parameter, Triangles, cut, merged, sign};
use crate::verify::rays::{Part, adjugate, is_thin, place_on, planes, rotate, speed_of};
use crate::verify::refusal::Refusal;

/// Verifies that a ray misses a body at rest.
pub(crate) fn verify_miss(
    claim: &NoHit,
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    options: &RayOptions,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    if !(same(claim.from, options.from) && same(claim.to, options.to)) {
        return Err(Refusal::Verdict);
    }
    // An empty range, or one with NaN ends, contains no hit.
    if options.from > options.to || options.from.is_nan() || options.to.is_nan() {
        return Ok(());
    }
    let range = Stretch::of(options);
    let missed = match shape {
        Shape::Compound(compound) => (0..compound.parts().len() as u32)
            .filter_map(|index| Part::of(shape, pose, index))
            .all(|part| misses_part(&part, ray, options, hints)),
        Shape::Mesh(mesh) => misses_mesh(mesh, pose, ray, &range),
        Shape::HeightField(field) => misses_field(field, pose, ray, options),
        _ => Part::of(shape, pose, 0).is_some_and(|part| misses_part(&part, ray, options, hints)),
    };
    if missed { Ok(()) } else { Err(Refusal::Before { claimed: options.to, proved: options.from }) }
}

/// Verifies that a moving point misses a moving body: relative to the body, it is a ray.
pub(crate) fn verify_miss_moving(
    claim: &NoHit,
    shape: &Shape,
    motion: &Motion,
    ray: &Ray,
    options: &RayOptions,
    hints: &mut dyn Hints,
) -> Result<(), Refusal> {
    let options = options.within_step();
    match ray.seen_by(motion.displacement()) {
        Some(seen) => verify_miss(claim, shape, &motion.start(), &seen, &options, hints),
        // At rest relative to the body it crosses nothing, in any range.
        None if (claim.from, claim.to) == (options.from, options.to) => Ok(()),
        None => Err(Refusal::Verdict),
    }
}

/// A closed range of a line's parameter; unbounded where an end is `None`.
#[derive(Clone)]
struct Stretch {
    low: Option<Parameter>,
    high: Option<Parameter>,
}

impl Stretch {
    fn of(options: &RayOptions) -> Stretch {
        Stretch::between(options.from, options.to)
    }

    fn between(low: f64, high: f64) -> Stretch {
        let end = |t: f64| t.is_finite().then(|| Parameter::new(Dyadic::of(t), Dyadic::of(1.0)));
        Stretch { low: end(low), high: end(high) }
    }

    fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(low), Some(high)) if low.compare(high) == Ordering::Greater)
    }

    fn holds(&self, t: &Parameter) -> bool {
        self.low.as_ref().is_none_or(|low| low.compare(t) != Ordering::Greater)
            && self.high.as_ref().is_none_or(|high| high.compare(t) != Ordering::Less)
    }

    fn common(&self, other: &Stretch) -> Stretch {
        let pick = |a: &Option<Parameter>, b: &Option<Parameter>, wanted: Ordering| match (a, b) {
            (Some(a), Some(b)) => Some(if a.compare(b) == wanted { a.clone() } else { b.clone() }),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Stretch {
            low: pick(&self.low, &other.low, Ordering::Greater),
            high: pick(&self.high, &other.high, Ordering::Less),
        }
    }

    /// Restricts the range to `at + slope t <= 0`; false if nothing remains.
    #[must_use]
    fn bounded(&mut self, at: &Dyadic, slope: &Dyadic) -> bool {
        let facing = sign(slope);
        if facing == Ordering::Equal {
            return sign(at) != Ordering::Greater;
        }
        let end = Some(Parameter::new(at.times(&Dyadic::of(-1.0)), slope.clone()));
        let half = if facing == Ordering::Greater {
            Stretch { low: None, high: end }
        } else {
            Stretch { low: end, high: None }
        };
        *self = self.common(&half);
        true
    }
}

/// `a t² + 2 b t + c`.
#[derive(Clone)]
struct Quadratic {
    a: Dyadic,
    b: Dyadic,
    c: Dyadic,
}

impl Quadratic {
    /// The square of `at + slope t`, times a factor.
    fn square(at: &Dyadic, slope: &Dyadic, factor: &Dyadic) -> Quadratic {
        Quadratic {
            a: slope.times(slope).times(factor),
            b: at.times(slope).times(factor),
            c: at.times(at).times(factor),
        }
    }

    fn minus(&self, other: &Quadratic) -> Quadratic {
        Quadratic { a: self.a.minus(&other.a), b: self.b.minus(&other.b), c: self.c.minus(&other.c) }
    }

    fn plus(&self, other: &Quadratic) -> Quadratic {
        Quadratic { a: self.a.plus(&other.a), b: self.b.plus(&other.b), c: self.c.plus(&other.c) }
    }

    fn times(&self, factor: &Dyadic) -> Quadratic {
        Quadratic { a: self.a.times(factor), b: self.b.times(factor), c: self.c.times(factor) }
    }

    fn less(&self, constant: &Dyadic) -> Quadratic {
        Quadratic { c: self.c.minus(constant), ..self.clone() }
    }

    /// The sum of the squares of a point's coordinates on a line.
    fn squared_length(o: &Vector<Dyadic>, d: &Vector<Dyadic>) -> Quadratic {
        Quadratic { a: ring::dot(d, d), b: ring::dot(o, d), c: ring::dot(o, o) }
    }

    fn at(&self, t: &Parameter) -> Ordering {
        let (p, s) = (&t.above, &t.below);
        let two = Dyadic::of(2.0);
        let sum = self.a.times(p).times(p).plus(&self.b.times(&two).times(p).times(s)).plus(&self.c.times(s).times(s));
        sign(&sum)
    }

    fn slope_at(&self, t: &Parameter) -> Ordering {
        sign(&self.a.times(&t.above).plus(&self.b.times(&t.below)))
    }

    /// The sign at infinity: towards positive or negative parameters.
    fn far(&self, forward: bool) -> Ordering {
        let slope = if forward { sign(&self.b) } else { sign(&self.b).reverse() };
        sign(&self.a).then(slope).then(sign(&self.c))
    }

    /// Whether it is zero or less somewhere in a non-empty range.
    fn falls_to_zero(&self, within: &Stretch) -> bool {
        let end = |end: &Option<Parameter>, forward: bool| end.as_ref().map_or(self.far(forward), |t| self.at(t));
        if end(&within.low, false) != Ordering::Greater || end(&within.high, true) != Ordering::Greater {
            return true;
        }
        if sign(&self.a) != Ordering::Greater {
            return false;
        }
        let least = Parameter::new(self.b.times(&Dyadic::of(-1.0)), self.a.clone());
        within.holds(&least) && sign(&self.b.times(&self.b).minus(&self.a.times(&self.c))) != Ordering::Less
    }
}

/// The part of a line in a convex piece of a body: between planes, and where a polynomial is not positive.
struct LineSpan {
    within: Stretch,
    round: Option<Quadratic>,
}

impl LineSpan {
    fn meets(&self, range: &Stretch) -> bool {
        let common = self.within.common(range);
        !common.is_empty() && self.round.as_ref().is_none_or(|round| round.falls_to_zero(&common))
    }

    /// Whether it contains a parameter and extends beyond it.
    fn goes_on(&self, t: &Parameter, forward: bool) -> bool {
        let end = if forward { &self.within.high } else { &self.within.low };
        if !self.within.holds(t) || end.as_ref().is_some_and(|end| end.compare(t) == Ordering::Equal) {
            return false;
        }
        self.round.as_ref().is_none_or(|round| match round.at(t) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                let slope = round.slope_at(t);
                let onward = if forward { slope } else { slope.reverse() };
                onward == Ordering::Less || onward == Ordering::Equal && sign(&round.a) != Ordering::Greater
            }
        })
    }
}

/// Whether the range contains neither end of the interval in which a line meets the convex union of some pieces.
fn keeps_clear(pieces: &[LineSpan], range: &Stretch) -> bool {
    if !pieces.iter().any(|piece| piece.meets(range)) {
        return true;
    }
    let (Some(from), Some(to)) = (&range.low, &range.high) else { return false };
    pieces.iter().any(|piece| piece.goes_on(from, false)) && pieces.iter().any(|piece| piece.goes_on(to, true))
}

/// Whether the range contains neither end of the union of the intervals, which is one interval.
fn keeps_clear_of(cuts: impl Iterator<Item = [Parameter; 2]>, range: &Stretch) -> bool {
    let whole = cuts.reduce(|one, other| {
        let [low, high] = one;
        let [other_low, other_high] = other;
        [
            if other_low.compare(&low) == Ordering::Less { other_low } else { low },
            if other_high.compare(&high) == Ordering::Greater { other_high } else { high },
        ]
    });
    whole.is_none_or(|ends| ends.iter().all(|end| !range.holds(end)))
}

fn misses_part(part: &Part<'_>, ray: &Ray, options: &RayOptions, hints: &mut dyn Hints) -> bool {
    let range = Stretch::of(options);
    match part.shape {
        Shape::Rounded(rounded) => match rounded.simplified() {
            Some(simple) => keeps_clear(&round_pieces(&part.with_shape(&simple), ray), &range),
            None => misses_open(part, ray, options, hints),
        },
        Shape::Custom(_) => misses_open(part, ray, options, hints),
        Shape::Sphere(_) | Shape::Capsule(_) => keeps_clear(&round_pieces(part, ray), &range),
        Shape::HalfSpace(plane) => {
            let line = part.line(ray);
            let normal = ring::vector::<Dyadic>(plane.normal());
            let height = ring::dot(&normal, &line.o).minus(&Dyadic::of(plane.offset()).times(&line.w));
            let slope = ring::dot(&normal, &line.d);
            // A line in the boundary plane, or parallel to it, crosses nothing.
            sign(&slope) == Ordering::Equal || !range.holds(&Parameter::new(height.times(&Dyadic::of(-1.0)), slope))
        }
        shape if is_thin(shape) => {
            let line = part.line(ray);
            keeps_clear_of(flat_triangles(shape).into_iter().filter_map(|corners| cut(corners, &line)), &range)
        }
        shape => keeps_clear(&piece_in_body(shape, &part.line(ray)).into_iter().collect::<Vec<_>>(), &range),
    }
}

impl<'a> Part<'a> {
    /// A ray in the frame of the part.
    fn line(&self, ray: &Ray) -> ExactLine {
        let (mut o, mut d, mut w) = (ring::vector::<Dyadic>(ray.origin), ray.step().scaled(1.0), Dyadic::of(1.0));
        for pose in [self.outer, Some(self.inner)].into_iter().flatten() {
            let moved = ring::subtract(&o, &ring::scale(&ring::vector(pose.translation()), &w));
            let (turned, determinant) = adjugate(pose, &moved);
            (o, d, w) = (turned, adjugate(pose, &d).0, w.times(&determinant));
        }
        ExactLine { o, d, w }
    }

    fn with_shape<'b>(&self, shape: &'b Shape) -> Part<'b>
    where
        'a: 'b,
    {
        Part { shape, outer: self.outer, inner: self.inner, defect: self.defect }
    }
}

/// The pieces of a sphere or a capsule, whose radius is a length in the world.
fn round_pieces(part: &Part<'_>, ray: &Ray) -> Vec<LineSpan> {
    let (radius, half) = match part.shape {
        Shape::Sphere(sphere) => (sphere.radius(), 0.0),
        Shape::Capsule(capsule) => (capsule.radius(), capsule.half_length()),
        _ => return Vec::new(),
    };
    let turn = |v: Vector<Dyadic>| part.outer.map_or(v.clone(), |outer| rotate(outer, &v));
    let place = |pose: &Pose| ring::vector::<Dyadic>(pose.translation());
    let center = turn(place(part.inner));
    let center = part.outer.map_or(center.clone(), |outer| ring::add(&center, &place(outer)));
    let o = ring::subtract(&ring::vector(ray.origin), &center);
    let d: Vector<Dyadic> = ray.step().scaled(1.0);
    let squared = Dyadic::of(radius).times(&Dyadic::of(radius));
    let everywhere = || Stretch { low: None, high: None };
    let ball = |o: &Vector<Dyadic>| LineSpan {
        within: everywhere(),
        round: Some(Quadratic::squared_length(o, &d).less(&squared)),
    };
    if half == 0.0 {
        return vec![ball(&o)];
    }
    let axis = turn(ring::scale(&ring::vector(part.inner.rotation().z_axis), &Dyadic::of(half)));
    let mut pieces = vec![ball(&ring::subtract(&o, &axis)), ball(&ring::add(&o, &axis))];
    let length = ring::dot(&axis, &axis);
    let (along, speed) = (ring::dot(&o, &axis), ring::dot(&d, &axis));
    let minus = Dyadic::of(-1.0);
    let mut within = everywhere();
    let between = within.bounded(&along.minus(&length), &speed)
        && within.bounded(&along.times(&minus).minus(&length), &speed.times(&minus));
    if between {
        let across = Quadratic::squared_length(&o, &d).less(&squared).times(&length);
        let round = across.minus(&Quadratic::square(&along, &speed, &Dyadic::of(1.0)));
        pieces.push(LineSpan { within, round: Some(round) });
    }
    pieces
}

/// The part of a line in a body that is not thin; `None` if its planes exclude the line.
fn piece_in_body(shape: &Shape, ExactLine { o, d, w }: &ExactLine) -> Option<LineSpan> {
    let mut within = Stretch { low: None, high: None };
    let minus = Dyadic::of(-1.0);
    let length = |x: f64| Dyadic::of(x).times(w);
    let mut slab = |axis: usize, half: f64| {
        within.bounded(&o[axis].minus(&length(half)), &d[axis])
            && within.bounded(&o[axis].times(&minus).minus(&length(half)), &d[axis].times(&minus))
    };
    let across = || {
        let one = Dyadic::of(1.0);
        Quadratic::square(&o[0], &d[0], &one).plus(&Quadratic::square(&o[1], &d[1], &one))
    };
    let round = match shape {
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents();
            if !(slab(0, half.x) && slab(1, half.y) && slab(2, half.z)) {
                return None;
            }
            None
        }
        Shape::Cylinder(c) => {
            if !slab(2, c.half_length()) {
                return None;
            }
            Some(across().less(&length(c.radius()).times(&length(c.radius()))))
        }
        Shape::Cone(c) => {
            if !slab(2, c.half_length()) {
                return None;
            }
            let (height, radius) = (Dyadic::of(2.0 * c.half_length()), Dyadic::of(c.radius()));
            let below = length(c.half_length()).minus(&o[2]);
            let side = Quadratic::square(&below, &d[2].times(&minus), &radius.times(&radius));
            Some(across().times(&height.times(&height)).minus(&side))
        }
        Shape::Ellipsoid(e) => {
            let s = e.semi_axes().to_array().map(|a| Dyadic::of(a).times(&Dyadic::of(a)));
            let axis = |k: usize| Quadratic::square(&o[k], &d[k], &s[(k + 1) % 3].times(&s[(k + 2) % 3]));
            let all = s[0].times(&s[1]).times(&s[2]).times(w).times(w);
            Some(axis(0).plus(&axis(1)).plus(&axis(2)).less(&all))
        }
        _ => {
            for corners in planes(shape) {
                let [a, b, c] = corners.map(ring::vector::<Dyadic>);
                let normal = ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a));
                let height = ring::dot(&normal, &ring::subtract(o, &ring::scale(&a, w)));
                if !within.bounded(&height, &ring::dot(&normal, d)) {
                    return None;
                }
            }
            None
        }
    };
    Some(LineSpan { within, round })
}

/// Triangles whose union is a body without interior; those of a segment or a point are degenerate.
fn flat_triangles(shape: &Shape) -> Vec<[DVec3; 3]> {
    match shape {
        Shape::Segment(segment) => {
            let [a, b] = segment.points();
            vec![[a, b, b]]
        }
        Shape::Hull(hull) if hull.dimension() < 2 => {
            let vertices: Vec<DVec3> = hull.vertices().collect();
            match (vertices.first(), vertices.last()) {
                (Some(&a), Some(&b)) => vec![[a, b, b]],
                _ => Vec::new(),
            }
        }
        _ => planes(shape),
    }
}

fn misses_mesh(mesh: &Mesh, pose: &Pose, ray: &Ray, range: &Stretch) -> bool {
    let triangles = Triangles::of(mesh, pose);
    let line = triangles.line(ray);
    let met = merged(triangles.met(ray, &line));
    met.iter().enumerate().all(|(number, [start, end])| {
        let (starts, ends) = (range.holds(start), range.holds(end));
        if !(starts || ends) {
            return true;
        }
        if !mesh.is_solid() || starts && ends {
            return false;
        }
        // An interval along the surface of a solid with one end in the range: it is a hit if the line is outside beyond
        // that end. The midpoint to the next place where the line meets the mesh is on that side.
        let beside = if starts {
            let before = number.checked_sub(1).map(|before| met[before][1].to_f64());
            before.map_or(f64::NEG_INFINITY, |before| 0.5 * (before + start.to_f64()))
        } else {
            let after = met.get(number + 1).map(|after| after[0].to_f64());
            after.map_or(f64::INFINITY, |after| 0.5 * (after + end.to_f64()))
        };
        // Beyond all intersections the line is outside.
        beside.is_finite() && triangles.is_inside(pose.inverse_transform_point(ray.at(beside))) == Some(true)
    })
}

fn misses_field(field: &HeightField, pose: &Pose, ray: &Ray, options: &RayOptions) -> bool {
    let chain = Chain { outer: None, inner: pose };
    let rounded = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    let power = unit_scale(ray.direction.abs().max_element());
    let direction = rounded(&chain.to_body(ray.step().scaled(power)));
    let origin = rounded(&chain.to_body(chain.offset(ray.origin)));
    let (line, range) = if origin.abs().max_element() <= MAX_COORDINATE && direction != DVec3::ZERO {
        let placed = ExactLine { o: ring::vector(origin), d: ring::vector(direction), w: Dyadic::of(1.0) };
        (placed, Stretch::between(options.from / power, options.to / power))
    } else {
        // This far away the line would be moved along itself, which is another rounding: the given line is used
        // instead.
        let (o, w) = adjugate(pose, &ring::subtract(&ring::vector(ray.origin), &ring::vector(pose.translation())));
        let (d, _) = adjugate(pose, &ray.step().scaled(1.0));
        (ExactLine { o, d, w }, Stretch::of(options))
    };
    let own = Ray::new(origin, direction).ok();
    let triangles = (0..field.triangle_count() as u32).filter_map(|index| field.triangle(index));
    let bounds = field.surface_bounds();
    let near = |corners: &[DVec3; 3]| own.as_ref().is_none_or(|ray| may_meet(corners, ray, bounds.size().length()));
    // An interval along the surface is hit where it begins, or where the ray begins in it.
    triangles
        .filter(near)
        .filter_map(|corners| cut(corners, &line))
        .all(|[start, end]| Stretch { low: Some(start), high: Some(end) }.common(&range).is_empty())
}

/// Whether double precision cannot exclude that a line meets a triangle: by its box, along the line's largest
/// component.
fn may_meet(corners: &[DVec3; 3], ray: &Ray, size: f64) -> bool {
    let (o, d) = (ray.origin, ray.direction);
    let largest = d.abs().max_element();
    let axis = (0..3).find(|&k| d[k].abs() == largest).unwrap_or(0);
    // Coordinates, quotients and products are off by some `8u` of their inputs; 1e-12 is a thousand times that.
    let slack = 1e-12 * (o.abs().max_element() + corners[0].abs().max_element() + size);
    let low = corners[0].min(corners[1]).min(corners[2]);
    let high = corners[0].max(corners[1]).max(corners[2]);
    let at = |t: f64| o + d * t;
    let (one, other) = (at((low[axis] - o[axis]) / d[axis]), at((high[axis] - o[axis]) / d[axis]));
    let (from, to) = (one.min(other) - slack, one.max(other) + slack);
    // NaN excludes nothing.
    !(from.cmpgt(high).any() || to.cmplt(low).any())
}

/// A rounded or custom body, known only by its support function.
fn misses_open(part: &Part<'_>, ray: &Ray, options: &RayOptions, hints: &mut dyn Hints) -> bool {
    let shape = part.shape;
    let bounds = shape.bounds();
    let chained = part.outer.map_or(*part.inner, |outer| outer.carrying(part.inner));
    let center = chained.transform_point(bounds.center());
    let far = bounds.center().length() + part.inner.translation().length() + center.length();
    // The rounding of the centre is some `20u` of its inputs, and the rotation may stretch by its defect.
    let radius = (0.5 * bounds.size().length() * (1.0 + 2.0 * part.defect) + 1e-14 * far) * ROUND_UP;
    let speed = speed_of(ray);
    let direction = unit(ray.direction);
    let nearest = (center - ray.origin).dot(direction) / speed;
    let reach = 1.01 * radius / speed + 1e-12 * (nearest.abs() + (center - ray.origin).length() / speed);
    let (mut first, mut last) = (nearest - reach, nearest + reach);
    let o = ring::subtract(&ring::vector::<Dyadic>(ray.origin), &ring::vector(center));
    let sphere = LineSpan {
        within: Stretch { low: None, high: None },
        round: Some(
            Quadratic::squared_length(&o, &ray.step().scaled(1.0)).less(&Dyadic::of(radius).times(&Dyadic::of(radius))),
        ),
    };
    // Outside the sphere nothing is hit; that the range found contains all of the sphere's part is proved.
    if !first.is_finite() || sphere.meets(&Stretch::between(f64::NEG_INFINITY, first)) {
        first = f64::NEG_INFINITY;
    }
    if !last.is_finite() || sphere.meets(&Stretch::between(last, f64::INFINITY)) {
        last = f64::INFINITY;
    }
    let (from, to) = (options.from.max(first), options.to.min(last));
    if from > to || !sphere.meets(&Stretch::between(from, to)) {
        return true;
    }
    if !(from.is_finite() && to.is_finite()) {
        return false;
    }
    let ends = [from, to].map(|t| place_on(ray, t));
    let [start, end] = ends.map(|end| DVec3::from_array(end.map(Enclosed::to_f64)));
    let core = match shape {
        Shape::Rounded(rounded) => rounded.core(),
        shape => shape,
    };
    let apart = Shape::segment(start, end)
        .ok()
        .and_then(|segment| hints.distance((&segment, &Pose::IDENTITY), (core, &chained), 0.0).normal);
    let size = (bounds.min.abs().max(bounds.max.abs()).length() + radius) * ROUND_UP;
    let above = |normal: DVec3| {
        (normal.length() - 1.0).abs() <= 1e-12
            && ends.iter().all(|end| part.known_beyond(normal, end) > MISS_PLANE * size)
    };
    if apart.is_some_and(|normal| above(-normal)) {
        return true;
    }
    // Inside at both ends of the range, hence throughout, and the boundary is beyond.
    (options.from, options.to) == (from, to) && [start, end].iter().all(|&point| is_within(part, &chained, point))
}

/// Whether a world point is strictly inside the hull of points of a body.
fn is_within(part: &Part<'_>, pose: &Pose, point: DVec3) -> bool {
    let (core, radius) = match part.shape {
        Shape::Rounded(rounded) => (rounded.core(), rounded.radius()),
        shape => (shape, 0.0),
    };
    let farthest = |direction: DVec3| {
        let own = (pose.rotation().transpose() * direction).normalize_or(DVec3::X);
        farthest_point(core, own).map(|far| pose.transform_point(far) + radius * direction)
    };
    let axes = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]);
    let Some(mut points) = axes.map(farthest).collect::<Option<Vec<DVec3>>>() else { return false };
    for _ in 0..VERIFY_FARTHEST_POINTS {
        let Ok(hull) = convex_hull(&points) else { return false };
        if hull.dimension < 3 {
            return false;
        }
        let corners = |triangle: &[u32; 3]| triangle.map(|k| points[hull.vertices[k as usize] as usize]);
        let mut beyond =
            hull.triangles.iter().map(corners).filter(|&[a, b, c]| !orient3d(a, b, c, point).is_negative());
        let Some([a, b, c]) = beyond.next() else { return true };
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        let Some(next) = farthest(normal) else { return false };
        if points.contains(&next) || (next - a).dot(normal) <= 0.0 {
            return false;
        }
        points.push(next);
    }
    false
}

/// The support point of a core along a unit direction of its frame.
fn farthest_point(core: &Shape, d: DVec3) -> Option<DVec3> {
    let of_points = |points: &mut dyn Iterator<Item = DVec3>| points.max_by(|p, q| p.dot(d).total_cmp(&q.dot(d)));
    let across = DVec3::new(d.x, d.y, 0.0).normalize_or_zero();
    match core {
        Shape::Sphere(sphere) => Some(d * sphere.radius()),
        Shape::Capsule(c) => Some(DVec3::new(0.0, 0.0, c.half_length().copysign(d.z)) + d * c.radius()),
        Shape::Cuboid(cuboid) => {
            let half = cuboid.half_extents();
            Some(DVec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z)))
        }
        Shape::Cylinder(c) => Some(across * c.radius() + DVec3::new(0.0, 0.0, c.half_length().copysign(d.z))),
        Shape::Cone(c) => {
            let (apex, rim) =
                (DVec3::new(0.0, 0.0, c.half_length()), across * c.radius() - DVec3::new(0.0, 0.0, c.half_length()));
            Some(if apex.dot(d) > rim.dot(d) { apex } else { rim })
        }
        Shape::Ellipsoid(e) => {
            let axes = e.semi_axes();
            Some(axes * (axes * d).normalize_or_zero())
        }
        Shape::Hull(hull) => of_points(&mut hull.vertices()),
        Shape::Segment(segment) => of_points(&mut segment.points().into_iter()),
        Shape::Triangle(triangle) => of_points(&mut triangle.points().into_iter()),
        Shape::Tetrahedron(tetrahedron) => of_points(&mut tetrahedron.points().into_iter()),
        Shape::Custom(custom) => Some(custom.support(d)),
        Shape::Rounded(rounded) => farthest_point(rounded.core(), d).map(|far| far + d * rounded.radius()),
        Shape::HalfSpace(_) | Shape::Compound(_) | Shape::HeightField(_) | Shape::Mesh(_) => None,
    }
}
