//! Rays and points against terrain that stands anywhere in the world.
//!
//! The terrain answers for rays and points of its own frame, exactly as they are (`shape/height_field`). So the world's
//! ray or point is taken into that frame by the true inverse of the stored matrix, in double-double
//! (`geom/ray_frame.rs`), and rounded once: the *placed* ray or point. What rounding moved it by is measured, not
//! bounded, and is nothing where the pose is not turned and the difference to its translation is a float. Then
//! - **containment** is decided for the real-number body, by the same polynomials in double-double or integers;
//! - a **signed distance** moves by no more than the point, and lengths differ by the frame's stretch;
//! - a **crossing** moves by `(e₀ + |t| e₁) / |n · d|`: with the placed ray at `t` on the plane `n · x = c`, the true
//!   ray is there at height `n · (δ₀ + t δ₁)`, `|δ₀| <= e₀` and `|δ₁| <= e₁`, above it, and approaches it by `|n · d|`
//!   in each unit of `t`. Beside an edge the true ray may cross the neighbouring triangle instead. So the bracket is
//!   not believed but proved: the true ray is on one side of the surface at its lower end and on the other at its upper
//!   end. Where it is not, it is widened until it is.

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
use crate::math::tolerances::{MAX_COORDINATE, ROUND_UP, UNIT_ROUNDOFF};
use crate::shape::{Feature, GroundSide, HeightField, SurfaceHit};

/// How often a bracket that a ray's sides do not prove is widened, fourfold each time, before every crossing that the
/// terrain can have takes its place: from rounding, 1e-16, to 1e-2 of the distance.
const WIDENINGS: usize = 24;

/// Error of the product `n · d` of the rounded unit normal with a direction, relative to `|d|`: the components of the
/// normal are off by a few roundings (`6u` with the normalisation), the product by `3u`; doubled.
const SLOPE: f64 = 18.0 * UNIT_ROUNDOFF;

/// How far a witness may be off the foot of its query, relative to the larger of their coordinates, for the way between
/// them to count as that along the face's normal: weights of a point of a triangle are off by `5u`, its sum by `5u`,
/// the query by `u`; in each of two components, with room for needles.
const FOOT: f64 = 32.0 * UNIT_ROUNDOFF;

fn rounded(v: &Vector<Enclosed>) -> DVec3 {
    DVec3::from_array(v.map(Enclosed::to_f64))
}

/// How far a rounded vector is from what it stands for.
fn moved(v: &Vector<Enclosed>, rounded: DVec3) -> f64 {
    let off: [f64; 3] = std::array::from_fn(|k| (v[k] - Enclosed::of(rounded[k])).magnitude());
    let largest = off[0].max(off[1]).max(off[2]);
    // Squares of what is smaller would vanish.
    if largest < 1e-140 { 1.75 * largest } else { DVec3::from_array(off).length() * ROUND_UP }
}

/// A ray in the frame of the terrain: `origin + s direction`, `t = (base + s) * unit`.
struct PlacedRay<'a> {
    chain: Chain<'a>,
    ray: &'a Ray,
    /// What the placed ray stands for.
    o: Vector<Enclosed>,
    d: Vector<Enclosed>,
    origin: DVec3,
    direction: DVec3,
    /// Bounds on how far origin and direction are off.
    origin_error: f64,
    direction_error: f64,
    base: f64,
    unit: f64,
}

impl<'a> PlacedRay<'a> {
    fn new(pose: &'a Pose, ray: &'a Ray) -> PlacedRay<'a> {
        let chain = Chain { outer: None, inner: pose };
        // A power of two, so nothing is rounded: the terrain takes directions of about unit length only.
        let unit = unit_scale(ray.direction.abs().max_element());
        let d = chain.to_body(ray.step().scaled(unit));
        let mut o = chain.to_body(chain.offset(ray.origin));
        let direction = rounded(&d);
        let mut base = 0.0;
        if rounded(&o).abs().max_element() > MAX_COORDINATE {
            // Farther away than the terrain takes a ray's origin: on to where the line is nearest the field's own.
            base = -rounded(&o).dot(direction) / direction.length_squared();
            o = ring::add(&o, &ring::scale(&d, &Enclosed::of(base)));
        }
        let origin = rounded(&o);
        let (origin_error, direction_error) = (moved(&o, origin), moved(&d, direction));
        PlacedRay { chain, ray, o, d, origin, direction, origin_error, direction_error, base, unit }
    }

    /// A bound of the placed parameter as one of the caller's, rounded outward.
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

    /// On which side of the surface the true ray is at `s`; beside the footprint, of the plane of `triangle`.
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
        let approach = hit.normal.dot(self.direction).abs() - self.direction_error - SLOPE * speed;
        let mut by = off / if approach > 0.0 { approach } else { speed } * ROUND_UP;
        let (before, after) =
            if hit.from_below { (Ordering::Less, Ordering::Greater) } else { (Ordering::Greater, Ordering::Less) };
        for _ in 0..WIDENINGS {
            let (lower, upper) = ((hit.t.lower - by).next_down(), (hit.t.upper + by).next_up());
            let is = |s: f64, side: Ordering| {
                self.side(field, hit.triangle, s).is_some_and(|found| found == side || found == Ordering::Equal)
            };
            if is(lower, before) && is(upper, after) {
                return (lower, upper);
            }
            by *= 4.0;
        }
        // Every point of the surface is within half its diagonal of its middle, and the line is no nearer that middle
        // than `|d|` times what `s` lacks to the nearest place.
        let bounds = field.surface_bounds();
        let to_middle = ring::subtract(&ring::vector(bounds.center()), &self.o);
        let squared = ring::dot(&self.d, &self.d);
        // The middle is rounded, and so is its half diagonal: within `4u` of the largest coordinate.
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

/// Every crossing of the terrain's surface within the range, in order of `t`, until `visit` breaks.
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
    // An error is a range that is no number, which holds no hit, or a line that passes by more than 1e60 away.
    let _ = field.ray_cast_all(placed.origin, placed.direction, from, to, |found| {
        let hit = placed.hit(field, &found);
        // A slid ray has no exact range: what rounding leaves open counts.
        if slid && !(hit.t.upper >= options.from && hit.t.lower <= options.to) {
            return ControlFlow::Continue(());
        }
        visit(hit)
    });
}

/// Whether the solid ground holds a world point. Exact, for the real-number body.
pub(crate) fn holds(field: &HeightField, chain: &Chain<'_>, p: DVec3) -> bool {
    let v = chain.to_body(chain.offset(p));
    let near = rounded(&v);
    let side = field.side_of(&v, &Enclosed::ONE, near).or_else(|| {
        let (v, w) = chain.to_body_exactly(&chain.offset::<Dyadic>(p));
        field.side_of(&v, &w, near)
    });
    matches!(side, Some(GroundSide::Over(Ordering::Less | Ordering::Equal)))
}

/// The signed distance of a world point from the boundary of the solid ground.
pub(crate) fn signed_distance(field: &HeightField, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let v = chain.to_body(chain.offset(p));
    // Beyond what the terrain takes for a point: the nearest it takes, which is off by a measured distance as well.
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

/// The number of a side of the solid that holds a point, and its normal. Where two meet, the one across the larger part
/// of the way from the query.
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

/// Out of the ground at the nearest point: along the way from it, or along the normal of its face where the two cannot
/// be told apart.
fn normal(chain: &Chain<'_>, query: DVec3, point: DVec3, own: DVec3, inside: bool) -> DVec3 {
    let way = if inside { point - query } else { query - point };
    let across = way - own * way.dot(own);
    let size = query.abs().max(point.abs()).max_element();
    if across.length() <= FOOT * size {
        return chain.normal_to_world(own);
    }
    unit(chain.inner.rotation() * way)
}
