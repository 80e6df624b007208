//! Distance from a point to a convex body: dispatch over the kinds of body, and closed forms for the round ones.

use glam::DVec3;

use crate::answer::point::SignedDistance;
use crate::answer::witness::WitnessPoint;
use crate::geom::point;
use crate::geom::point::NearestBoundary;
use crate::geom::ray_frame::{Chain, unit};
use crate::math::bracket::Bracket;
use crate::math::enclosed::Enclosed;
use crate::math::ring;
use crate::math::ring::{Ring, Vector};
use crate::math::tolerances::UNIT_ROUNDOFF;
use crate::ray::crossing::feature_of;
use crate::ray::planes::to_plane;
use crate::ray::{containment, point_custom, point_polytope};
use crate::shape::{Feature, Shape};

/// Whether a convex body contains a point. A rounded body that is neither a sphere nor a capsule, and a custom one,
/// contain it unless it is proved to be outside.
pub(crate) fn holds(shape: &Shape, chain: &Chain<'_>, point: DVec3) -> bool {
    match shape {
        Shape::Rounded(rounded) => match rounded.simplified() {
            Some(simple) => containment::holds(&simple, chain, point),
            None => signed_distance(shape, chain, point).distance.lower <= 0.0,
        },
        Shape::Custom(custom) => point_custom::holds(custom, chain, point),
        _ => containment::holds(shape, chain, point),
    }
}

/// The signed distance of a point from a convex body.
pub(crate) fn signed_distance(shape: &Shape, chain: &Chain<'_>, p: DVec3) -> SignedDistance {
    let rounded = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    match shape {
        Shape::Sphere(sphere) => about_foot(chain, &chain.offset(p), &[Enclosed::ZERO; 3], DVec3::Z, sphere.radius()),
        Shape::Capsule(capsule) => {
            let p: Vector<Enclosed> = chain.offset(p);
            let axis: Vector<Enclosed> = chain.turned(DVec3::new(0.0, 0.0, capsule.half_length()));
            let share = ring::dot(&p, &axis) / ring::dot(&axis, &axis);
            let share = share.max(-Enclosed::ONE).min(Enclosed::ONE);
            about_foot(chain, &p, &ring::scale(&axis, &share), rounded(&axis), capsule.radius())
        }
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) => {
            let v = chain.to_body(chain.offset(p));
            let near = match shape {
                Shape::Cylinder(c) => point::cylinder(&v, c.half_length(), c.radius()),
                Shape::Cone(c) => point::cone(&v, c.half_length(), c.radius(), containment::holds(shape, chain, p)),
                Shape::Ellipsoid(e) => point::ellipsoid(&v, e.semi_axes(), containment::holds(shape, chain, p)),
                _ => point::cylinder(&v, 0.0, 0.0),
            };
            in_world(chain, &near)
        }
        Shape::HalfSpace(plane) => {
            let v = chain.to_body(chain.offset(p));
            let (signed, m) = to_plane(chain, &ring::vector(plane.normal()), &v, Enclosed::of(plane.offset()));
            let world = unit(rounded(&m));
            let point = rounded(&v) - chain.rounded_to_body(world * signed.to_f64());
            SignedDistance::enclosed(signed, point, world, Feature::Face(0))
        }
        Shape::Rounded(rounded) => match rounded.simplified() {
            Some(simple) => signed_distance(&simple, chain, p),
            None => {
                let core = signed_distance(rounded.core(), chain, p);
                let found = grown(core, chain, rounded.radius());
                // A search knows the direction better than the point; along that direction the body is right behind the
                // query.
                if matches!(rounded.core(), Shape::Custom(_)) && core.distance.lower > 0.0 {
                    let query = DVec3::from_array(chain.to_body(chain.offset(p)).map(Enclosed::to_f64));
                    let point_in_body = query - chain.rounded_to_body(found.normal * found.distance.value);
                    return SignedDistance { witness: WitnessPoint { point: point_in_body, ..found.witness }, ..found };
                }
                found
            }
        },
        Shape::Custom(custom) => point_custom::signed_distance(custom, chain, p),
        _ => point_polytope::signed_distance(shape, chain, p),
    }
}

/// A sphere about a point of a segment: `p`, the foot and the segment's axis in world axes about the body's origin.
fn about_foot(
    chain: &Chain<'_>,
    p: &Vector<Enclosed>,
    foot: &Vector<Enclosed>,
    axis: DVec3,
    radius: f64,
) -> SignedDistance {
    let off = ring::subtract(p, foot);
    let distance = ring::dot(&off, &off).sqrt();
    let to_vec = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    // On the axis, and next to it where the offset is not known to all digits, every perpendicular direction is equally
    // valid.
    let (way, open) = (to_vec(&off), off.iter().map(|x| x.error()).sum::<f64>());
    let has_way = way != DVec3::ZERO && open <= UNIT_ROUNDOFF * way.abs().max_element();
    let normal = if has_way { unit(way) } else { unit(axis).any_orthonormal_vector() };
    let point = chain.rounded_to_body(to_vec(foot) + normal * radius);
    SignedDistance::enclosed(distance - Enclosed::of(radius), point, normal, Feature::Face(0))
}

/// From the body's frame to the world: lengths differ by at most the stretch.
fn in_world(chain: &Chain<'_>, near: &NearestBoundary) -> SignedDistance {
    let signed = near.signed.widened(near.signed.magnitude() * chain.stretch());
    SignedDistance::enclosed(signed, near.point, chain.normal_to_world(near.normal), feature_of(near.spot))
}

/// The core grown by `radius`. The radius is a length in the world.
fn grown(core: SignedDistance, chain: &Chain<'_>, radius: f64) -> SignedDistance {
    let signed = Enclosed::between(core.distance.lower, core.distance.upper) - Enclosed::of(radius);
    let point = core.witness.point + chain.rounded_to_body(core.normal * radius);
    let value = (core.distance.value - radius).max(signed.lower()).min(signed.upper());
    let found = SignedDistance::enclosed(signed, point, core.normal, core.witness.feature);
    SignedDistance { distance: Bracket { value, ..found.distance }, ..found }
}
