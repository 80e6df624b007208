//! Rays and points against posed height fields.
//!
//! The height field answers for rays and points in its own frame, taken as exact (`shape/height_field`). So the world
//! ray or point is transformed into that frame by the true inverse of the stored matrix, in double-double
//! (`geom/ray_frame.rs`), and rounded once: the *placed* ray or point. The displacement by rounding is measured, not
//! bounded, and is zero where the pose is not rotated and the difference to its translation is a float. Then
//! - **containment** is decided for the real-number body, by the same polynomials in double-double or integers;
//! - a **signed distance** changes by no more than the point moves, and lengths differ by the frame's stretch;
//! - a **crossing** moves by `(e₀ + |t| e₁) / |n · d|`: with the placed ray at `t` on the plane `n · x = c`, the true
//!   ray is there at height `n · (δ₀ + t δ₁)`, `|δ₀| <= e₀` and `|δ₁| <= e₁`, above it, and approaches it by `|n · d|`
//!   per unit of `t`. Near an edge the true ray may cross the neighbouring triangle instead. So the bracket is not
//!   assumed but proved: the true ray is on one side of the surface at its lower end and on the other at its upper end.
//!   Otherwise the bracket is widened until it is.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::answer::witness::WitnessPoint;
use crate::geom::ray_frame::{Chain, unit, unit_scale};
use crate::math::bracket::Bracket;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring;
use crate::math::ring::{Ring, Vector};
use crate::math::tolerances::{
    HEIGHT_FIELD_FOOT, HEIGHT_FIELD_RAY_SLOPE, HEIGHT_FIELD_RAY_WIDENINGS, MAX_COORDINATE, ROUND_UP, UNIT_ROUNDOFF,
};
use crate::shape::{Feature, GroundSide, HeightField, SurfaceHit};

fn rounded(v: &Vector<Enclosed>) -> DVec3 {
    DVec3::from_array(v.map(Enclosed::to_f64))
}

/// The distance between a vector and its rounded value.
fn moved(v: &Vector<Enclosed>, rounded: DVec3) -> f64 {
    let off: [f64; 3] = std::array::from_fn(|k| (v[k] - Enclosed::of(rounded[k])).magnitude());
    let largest = off[0].max(off[1]).max(off[2]);
    // Squares of smaller values would underflow.
    if largest < 1e-140 { 1.75 * largest } else { DVec3::from_array(off).length() * ROUND_UP }
}

/// A ray in the frame of the height field: `origin + s direction`, `t = (base + s) * unit`.
struct PlacedRay<'a> {
    chain: Chain<'a>,
    ray: &'a Ray,
    /// The unrounded origin and direction.
    o: Vector<Enclosed>,
    d: Vector<Enclosed>,
    origin: DVec3,
    direction: DVec3,
    /// Bounds on the errors of origin and direction.
    origin_error: f64,
    direction_error: f64,
    base: f64,
    unit: f64,
}

impl<'a> PlacedRay<'a> {
    fn new(pose: &'a Pose, ray: &'a Ray) -> PlacedRay<'a> {
        let chain = Chain { outer: None, inner: pose };
        // A power of two, so nothing is rounded: the height field takes only directions of about unit length.
        let unit = unit_scale(ray.direction.abs().max_element());
        let d = chain.to_body(ray.step().scaled(unit));
        let mut o = chain.to_body(chain.offset(ray.origin));
        let direction = rounded(&d);
        let mut base = 0.0;
        if rounded(&o).abs().max_element() > MAX_COORDINATE {
            // Too far away for the origin of a height-field ray: slide it to where the line is nearest the field's own
            // origin.
            base = -rounded(&o).dot(direction) / direction.length_squared();
            o = ring::add(&o, &ring::scale(&d, &Enclosed::of(base)));
        }
        let origin = rounded(&o);
        let (origin_error, direction_error) = (moved(&o, origin), moved(&d, direction));
        PlacedRay { chain, ray, o, d, origin, direction, origin_error, direction_error, base, unit }
    }

    /// A bound on the placed parameter converted to the caller's parameter, rounded outward.
    fn outward(&self, s: f64, down: bool) -> f64 {
        let step = |exact: bool, x: f64| match (exact, down) {
            (true, _) => x,
            (false, true) => x.next_down(),
            (false, false) => x.next_up(),
        };
        let sum = step(self.base == 0.0, self.base + s);
        let t = sum * self.unit;
        step(t / self.unit == sum, t)
    }

    /// The side of the surface the true ray is on at `s`; outside the footprint, of the plane of `triangle`.
    fn side(&self, field: &HeightField, triangle: u32, s: f64) -> Option<Ordering> {
        let at = ring::add(&self.o, &ring::scale(&self.d, &Enclosed::of(s)));
        let near = rounded(&at);
        if !near.is_finite() {
            return None;
        }
        side_at(field, triangle, &at, &Enclosed::ONE, near).or_else(|| {
            let line = self.chain.exact_line(self.ray.origin, self.ray.step(), DVec3::ZERO);
            let t = Dyadic::of(self.base).plus(&Dyadic::of(s)).times(&Dyadic::of(self.unit));
            side_at(field, triangle, &ring::add(&line.o, &ring::scale(&line.d, &t)), &line.w, near)
        })
    }

    /// A bracket of the true ray's parameter, from that of the placed one.
    fn bracket(&self, field: &HeightField, hit: &SurfaceHit) -> (f64, f64) {
        if self.origin_error == 0.0 && self.direction_error == 0.0 {
            return (hit.t.lower, hit.t.upper);
        }
        let speed = self.direction.length();
        let off = (self.origin_error + hit.t.lower.abs().max(hit.t.upper.abs()) * self.direction_error) * ROUND_UP;
        let approach = hit.normal.dot(self.direction).abs() - self.direction_error - HEIGHT_FIELD_RAY_SLOPE * speed;
        let mut by = off / if approach > 0.0 { approach } else { speed } * ROUND_UP;
        let (before, after) =
            if hit.from_below { (Ordering::Less, Ordering::Greater) } else { (Ordering::Greater, Ordering::Less) };
        for _ in 0..HEIGHT_FIELD_RAY_WIDENINGS {
            let (lower, upper) = ((hit.t.lower - by).next_down(), (hit.t.upper + by).next_up());
            let is = |s: f64, side: Ordering| {
                self.side(field, hit.triangle, s).is_some_and(|found| found == side || found == Ordering::Equal)
            };
            if is(lower, before) && is(upper, after) {
                return (lower, upper);
            }
            by *= 4.0;
        }
        // Every point of the surface is within half its diagonal of its centre, and the line is no nearer that centre
        // than `|d|` times the distance from `s` to the nearest place.
        let bounds = field.surface_bounds();
        let to_middle = ring::subtract(&ring::vector(bounds.center()), &self.o);
        let squared = ring::dot(&self.d, &self.d);
        // The centre is rounded, and so is its half diagonal: within `4u` of the largest coordinate.
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let radius = (0.5 * bounds.size().length() + 8.0 * UNIT_ROUNDOFF * largest) * ROUND_UP;
        let nearest = ring::dot(&to_middle, &self.d) / squared;
        let reach = Enclosed::of(radius) / squared.sqrt();
        ((nearest - reach).lower().min(hit.t.lower), (nearest + reach).upper().max(hit.t.upper))
    }

    fn hit(&self, field: &HeightField, hit: &SurfaceHit) -> RayHit {
        let (lower, upper) = self.bracket(field, hit);
        let (lower, upper) = (self.outward(lower, true), self.outward(upper, false));
        let t = ((self.base + hit.t.value) * self.unit).clamp(f64::MIN, f64::MAX).clamp(lower, upper);
        RayHit {
            t: Bracket { value: t, lower, upper },
            witness: WitnessPoint { point: hit.point, feature: Feature::Face(hit.triangle), part: 0 },
            normal: self.chain.normal_to_world(hit.normal),
            entering: !hit.from_below,
        }
    }
}

fn side_at<N: Ring>(field: &HeightField, triangle: u32, v: &Vector<N>, w: &N, near: DVec3) -> Option<Ordering> {
    match field.side_of(v, w, near)? {
        GroundSide::Over(side) => Some(side),
        GroundSide::Beside => field.side_of_plane(triangle, v, w),
    }
}

/// Every crossing of the surface within the range, in order of `t`, until `visit` breaks.
pub(crate) fn crossings(
    field: &HeightField,
    pose: &Pose,
    ray: &Ray,
    options: &RayOptions,
    mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
) {
    let placed = PlacedRay::new(pose, ray);
    let slid = placed.base != 0.0;
    let within = |t: f64| t / placed.unit;
    let (from, to) = if slid { (f64::NEG_INFINITY, f64::INFINITY) } else { (within(options.from), within(options.to)) };
    // An error means a NaN range, which contains no hit, or a line that passes more than 1e60 away.
    let _ = field.ray_cast_all(placed.origin, placed.direction, from, to, |found| {
        let hit = placed.hit(field, &found);
        // A slid ray has no exact range: crossings that rounding leaves undecided count.
        if slid && !(hit.t.upper >= options.from && hit.t.lower <= options.to) {
            return ControlFlow::Continue(());
        }
        visit(hit)
    });
}

/// Whether the height field contains a world point. Exact, for the real-number body.
pub(crate) fn holds(field: &HeightField, chain: &Chain<'_>, p: DVec3) -> bool {
    let v = chain.to_body(chain.offset(p));
    let near = rounded(&v);
    let side = field.side_of(&v, &Enclosed::ONE, near).or_else(|| {
        let (v, w) = chain.to_body_exactly(&chain.offset::<Dyadic>(p));
        field.side_of(&v, &w, near)
    });
    matches!(side, Some(GroundSide::Over(Ordering::Less | Ordering::Equal)))
}

/// The signed distance of a world point from the boundary of the height field.
pub(crate) fn signed_distance(field: &HeightField, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let v = chain.to_body(chain.offset(p));
    // Out of the range of query points: the nearest allowed one, whose displacement is measured as well.
    let query = rounded(&v).clamp(DVec3::splat(-MAX_COORDINATE), DVec3::splat(MAX_COORDINATE));
    let (off, stretch) = (moved(&v, query), chain.stretch());
    let Ok(found) = field.signed_distance(query) else {
        return SignedDistance {
            distance: Bracket { value: 0.0, lower: f64::NEG_INFINITY, upper: f64::INFINITY },
            witness: WitnessPoint { point: DVec3::ZERO, feature: Feature::Interior, part: 0 },
            normal: DVec3::X,
        };
    };
    let (lower, upper) = if off == 0.0 && stretch == 0.0 {
        (found.distance.lower, found.distance.upper)
    } else {
        let there = Enclosed::between(found.distance.lower, found.distance.upper).widened(off);
        there.widened(there.magnitude() * stretch).bounds()
    };
    let (lower, upper) =
        if holds(field, chain, p) { (lower.min(0.0), upper.min(0.0)) } else { (lower.max(0.0), upper.max(0.0)) };
    let (face, own) = match found.triangle {
        Some(triangle) => (triangle, field.triangle_normal(triangle)),
        None => wall(field, query, found.point),
    };
    SignedDistance {
        distance: Bracket { value: found.distance.value.clamp(lower, upper), lower, upper },
        witness: WitnessPoint { point: found.point, feature: Feature::Face(face), part: 0 },
        normal: normal(chain, query, found.point, own, found.distance.value < 0.0),
    }
}

/// The index and normal of the vertical side of the height field that contains a point. Where two meet, the one facing
/// the larger component of the vector to the query.
fn wall(field: &HeightField, query: DVec3, point: DVec3) -> (u32, DVec3) {
    let end = field.surface_bounds().max;
    let (to_x, to_y) = ((query.x - point.x).abs(), (query.y - point.y).abs());
    let on_x = point.x == 0.0 || point.x == end.x;
    let on_y = point.y == 0.0 || point.y == end.y;
    let (number, normal) = if on_x && (!on_y || to_x >= to_y) {
        if point.x == 0.0 { (0, DVec3::NEG_X) } else { (1, DVec3::X) }
    } else if point.y == 0.0 {
        (2, DVec3::NEG_Y)
    } else {
        (3, DVec3::Y)
    };
    ((field.triangle_count() as u32).saturating_add(number), normal)
}

/// The outward normal at the nearest point: along the vector to the query, or along the normal of its face where the
/// two cannot be distinguished.
fn normal(chain: &Chain<'_>, query: DVec3, point: DVec3, own: DVec3, inside: bool) -> DVec3 {
    let way = if inside { point - query } else { query - point };
    let across = way - own * way.dot(own);
    let size = query.abs().max(point.abs()).max_element();
    if across.length() <= HEIGHT_FIELD_FOOT * size {
        return chain.normal_to_world(own);
    }
    unit(chain.inner.rotation() * way)
}
