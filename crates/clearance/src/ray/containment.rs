//! Whether a convex body contains a point, decided exactly for the real-number body.
//!
//! Round bodies and half-spaces are decided by the sign of a polynomial in the coordinates, in double-double and, where
//! that is inconclusive, in integers. Polytopes are decided by traversing their faces along a ray, with exact decisions
//! as well.

use glam::DVec3;

use crate::answer::ray::{Ray, RayHitMode, RayOptions};
use crate::geom::ray_frame::Chain;
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::ring::{self, Ring, Vector};
use crate::ray::crossing::Crossings;
use crate::ray::formula;
use crate::shape::Shape;

/// Whether a body decided by a polynomial or by its faces contains a point; false for any other kind of body.
pub(crate) fn holds(shape: &Shape, chain: &Chain<'_>, point: DVec3) -> bool {
    match shape {
        Shape::Sphere(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HalfSpace(_) => by_polynomial::<Enclosed>(shape, chain, point)
            .or_else(|| by_polynomial::<Dyadic>(shape, chain, point))
            .unwrap_or(false),
        Shape::Cuboid(_) | Shape::Hull(_) | Shape::Segment(_) | Shape::Triangle(_) | Shape::Tetrahedron(_) => {
            on_line(shape, chain, point)
        }
        Shape::Rounded(_) | Shape::Custom(_) | Shape::HeightField(_) | Shape::Mesh(_) | Shape::Compound(_) => false,
    }
}

/// Inside, on the boundary, or outside; for the kinds of body decided by a polynomial.
fn by_polynomial<N: Ring>(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> Option<bool> {
    let not_positive = |x: N| x.sign().map(|sign| sign.is_le());
    let square = |x: &N| x.times(x);
    let within = |v: &Vector<N>, r: f64| not_positive(ring::dot(v, v).minus(&square(&N::of(r))));
    match shape {
        Shape::Sphere(sphere) => within(&chain.offset(p), sphere.radius()),
        Shape::Capsule(capsule) => in_capsule::<N>(&chain.offset(p), chain, capsule.half_length(), capsule.radius()),
        _ => {
            let (v, w) = chain.to_body_exactly(&chain.offset::<N>(p));
            let length = |x: f64| N::of(x).times(&w);
            let across = square(&v[0]).plus(&square(&v[1]));
            match shape {
                Shape::Cylinder(c) => {
                    let round = not_positive(across.minus(&square(&length(c.radius()))))?;
                    Some(round && not_positive(square(&v[2]).minus(&square(&length(c.half_length()))))?)
                }
                Shape::Cone(c) => {
                    let h = length(c.half_length());
                    let below = h.minus(&v[2]);
                    if !not_positive(N::of(0.0).minus(&below))? || !not_positive(N::of(0.0).minus(&h.plus(&v[2])))? {
                        return Some(false);
                    }
                    // 2h ρ <= r (h - z), the lengths on both sides at the same scale.
                    let left = square(&N::of(2.0 * c.half_length())).times(&across);
                    not_positive(left.minus(&square(&N::of(c.radius()).times(&below))))
                }
                Shape::Ellipsoid(e) => {
                    let s = e.semi_axes().to_array().map(|a| square(&N::of(a)));
                    let terms: [N; 3] =
                        std::array::from_fn(|k| square(&v[k]).times(&s[(k + 1) % 3]).times(&s[(k + 2) % 3]));
                    let all = s[0].times(&s[1]).times(&s[2]).times(&square(&w));
                    not_positive(terms[0].plus(&terms[1]).plus(&terms[2]).minus(&all))
                }
                Shape::HalfSpace(plane) => {
                    not_positive(ring::dot(&ring::vector(plane.normal()), &v).minus(&length(plane.offset())))
                }
                _ => None,
            }
        }
    }
}

/// Within `radius` of the segment along the body's z axis, `p` relative to its midpoint in world axes.
fn in_capsule<N: Ring>(p: &Vector<N>, chain: &Chain<'_>, half_length: f64, radius: f64) -> Option<bool> {
    let axis: Vector<N> = chain.turned(DVec3::new(0.0, 0.0, half_length));
    let squared = ring::dot(&axis, &axis);
    let along = ring::dot(p, &axis);
    let r = N::of(radius);
    let r = r.times(&r);
    let end = if along.minus(&squared).sign()?.is_ge() {
        Some(ring::subtract(p, &axis))
    } else if along.plus(&squared).sign()?.is_le() {
        Some(ring::add(p, &axis))
    } else {
        None
    };
    let excess = match end {
        Some(off) => ring::dot(&off, &off).minus(&r),
        // |p|² - (p · e)² / |e|², times |e|².
        None => ring::dot(p, p).minus(&r).times(&squared).minus(&along.times(&along)),
    };
    excess.sign().map(|sign| sign.is_le())
}

/// A polytope contains a point if a line through the point is inside it there: exact, by the same traversal as a ray.
fn on_line(shape: &Shape, chain: &Chain<'_>, point: DVec3) -> bool {
    let Ok(ray) = Ray::new(point, DVec3::new(1.0, 0.5, 0.25)) else { return false };
    let found = Crossings::of(chain, &ray, formula::find(shape, chain, &ray));
    let has = |from: f64, to: f64, entering: bool| {
        let options = RayOptions { from, to, hit: RayHitMode::Any };
        found.iter(&options).any(|hit| hit.entering == entering)
    };
    if found.is_single() {
        return has(0.0, 0.0, true);
    }
    has(f64::NEG_INFINITY, 0.0, true) && has(0.0, f64::INFINITY, false)
}
