//! Signed distance from a point to a bare convex set: cylinders, cones, ellipsoids, planes.
//!
//! Numbers are [`Enclosed`], so each formula yields a proved bracket. Cylinder and cone are closed formulas in the
//! distance from the axis and the height. For the ellipsoid the nearest point is `x_k = a_k² y_k / (t + a_k²)` with `t`
//! the only root of a decreasing function (Eberly, *Distance from a Point to an Ellipse, an Ellipsoid, or a
//! Hyperellipsoid*, 2013). Departs from it: the unknown is `s = t + a_min²`, bisected in the order of floats, so that a
//! point near the middle plane, where `t` nearly cancels `a_min²`, keeps all digits; and the two floats around the root
//! are the proof.

use std::cmp::Ordering;

use glam::DVec3;

use super::ray::Spot;
use crate::math::enclosed::Enclosed;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The boundary as seen from a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestBoundary {
    /// Distance to the boundary, negative inside.
    pub signed: Enclosed,
    /// A nearest boundary point, rounded.
    pub point: DVec3,
    /// Outward, of any length.
    pub normal: DVec3,
    pub spot: Spot,
}

fn length(x: Enclosed, y: Enclosed) -> Enclosed {
    (x.squared() + y.squared()).sqrt()
}

/// The unit direction of (x, y), or the x axis.
fn around(p: &Vector<Enclosed>) -> (f64, f64) {
    let (x, y) = (p[0].to_f64(), p[1].to_f64());
    let size = x.abs().max(y.abs());
    if size == 0.0 {
        return (1.0, 0.0);
    }
    let (x, y) = (x / size, y / size);
    let length = x.hypot(y);
    (x / length, y / length)
}

/// A solid cylinder along z about the origin, with the features of `Cylinder`.
pub(crate) fn cylinder(p: &Vector<Enclosed>, half_length: f64, radius: f64) -> NearestBoundary {
    let (h, r) = (Enclosed::of(half_length), Enclosed::of(radius));
    let (c, s) = around(p);
    let upper = p[2].to_f64() >= 0.0;
    let beyond = p[2].abs() - h;
    let aside = length(p[0], p[1]) - r;
    let zero = Enclosed::ZERO;
    let signed = aside.max(beyond).min(zero) + length(aside.max(zero), beyond.max(zero));
    let height = if upper { half_length } else { -half_length };
    let (off_side, off_cap) = (aside.to_f64(), beyond.to_f64());
    let cap = u32::from(upper);
    let axis = DVec3::new(0.0, 0.0, if upper { 1.0 } else { -1.0 });
    if off_side > 0.0 && off_cap > 0.0 {
        let normal = DVec3::new(c, s, 0.0) * off_side + axis * off_cap;
        return NearestBoundary {
            signed,
            point: DVec3::new(c * radius, s * radius, height),
            normal,
            spot: Spot::Edge(cap),
        };
    }
    if off_side > off_cap {
        let point = DVec3::new(c * radius, s * radius, p[2].to_f64());
        return NearestBoundary { signed, point, normal: DVec3::new(c, s, 0.0), spot: Spot::Face(2) };
    }
    let point = DVec3::new(p[0].to_f64(), p[1].to_f64(), height);
    NearestBoundary { signed, point, normal: axis, spot: Spot::Face(cap) }
}

/// A solid cone along z, with the features of `Cone`. `inside`: whether the point is inside, boundary included.
pub(crate) fn cone(p: &Vector<Enclosed>, half_length: f64, radius: f64, inside: bool) -> NearestBoundary {
    let (h, r) = (Enclosed::of(half_length), Enclosed::of(radius));
    let (c, s) = around(p);
    let double = h + h;
    let slant = length(double, r);
    let rho = length(p[0], p[1]);
    let from_axis = |rho: f64, z: f64| DVec3::new(c * rho, s * rho, z);
    let zero = Enclosed::ZERO;
    let side_normal = DVec3::new(c * double.to_f64(), s * double.to_f64(), radius);
    // Along the side from the rim to the apex.
    let share = (double * (p[2] + h) - r * (rho - r)) / slant.squared();
    let share = share.max(zero).min(Enclosed::ONE);
    let foot = |share: Enclosed| (r - share * r, share * double - h);
    let (foot_rho, foot_z) = foot(share);
    let side_point = from_axis(foot_rho.to_f64(), foot_z.to_f64());
    let above = p[2] + h;
    if inside {
        let to_side = (double * rho + r * (p[2] - h)) / slant;
        let signed = to_side.max(-above).min(zero);
        return if to_side.to_f64() > -above.to_f64() {
            NearestBoundary { signed, point: side_point, normal: side_normal, spot: Spot::Face(1) }
        } else {
            let point = DVec3::new(p[0].to_f64(), p[1].to_f64(), -half_length);
            NearestBoundary { signed, point, normal: -DVec3::Z, spot: Spot::Face(0) }
        };
    }
    let to_side = length(rho - foot_rho, p[2] - foot_z);
    let to_base = length((rho - r).max(zero), above);
    let signed = to_side.min(to_base);
    // Above the rim both are equally far up to the last digits.
    if rho.to_f64() < radius && above.to_f64() < 0.0 && to_base.to_f64() <= to_side.to_f64() {
        let point = DVec3::new(p[0].to_f64(), p[1].to_f64(), -half_length);
        return NearestBoundary { signed, point, normal: -DVec3::Z, spot: Spot::Face(0) };
    }
    let at = share.to_f64();
    let spot = if at <= 0.0 {
        Spot::Edge(0)
    } else if at >= 1.0 {
        Spot::Vertex(0)
    } else {
        Spot::Face(1)
    };
    let away = from_axis((rho - foot_rho).to_f64(), (p[2] - foot_z).to_f64());
    let normal = if matches!(spot, Spot::Face(1)) || away == DVec3::ZERO { side_normal } else { away };
    NearestBoundary { signed, point: side_point, normal, spot }
}

/// A solid ellipsoid about the origin. `inside`: whether the point is inside, boundary included.
///
/// With `a` the least semi-axis and `e_k = a_k² - a²` the nearest point is `x_k = a_k² y_k / (s + e_k)`, `s > 0` the
/// root of the decreasing function `Σ (a_k y_k / (s + e_k))² - 1`. Where `y` vanishes on the least axis that function
/// may have no root: then `s = 0`, and the equation of the surface gives that coordinate, with either sign.
pub(crate) fn ellipsoid(y: &Vector<Enclosed>, semi_axes: DVec3, inside: bool) -> NearestBoundary {
    let least = (1..3).fold(0, |k, j| if semi_axes[j] < semi_axes[k] { j } else { k });
    // Everything relative to the largest semi-axis, so that squares stay in range.
    let power = super::ray_frame::unit_scale(semi_axes.max_element());
    let a: Vector<Enclosed> = semi_axes.to_array().map(|x| Enclosed::scaled(x, power));
    let mut y: Vector<Enclosed> = y.map(|x| x.times_power(power));
    // A coordinate below 2⁻⁵⁴ of the body, whose sign may be undecided, is taken as zero: the distance changes by no
    // more than that.
    let mut moved = 0.0;
    for coordinate in &mut y {
        if coordinate.magnitude() < 0.5 * UNIT_ROUNDOFF && !is_zero(*coordinate) {
            moved += coordinate.magnitude();
            *coordinate = Enclosed::ZERO;
        }
    }
    let excess: Vector<Enclosed> = std::array::from_fn(|k| {
        if a[k].compare(a[least]) == Some(Ordering::Equal) {
            Enclosed::ZERO
        } else {
            (a[k] - a[least]) * (a[k] + a[least])
        }
    });
    let value = |s: Enclosed| {
        let terms =
            (0..3).map(|k| if is_zero(y[k]) { Enclosed::ZERO } else { (a[k] * y[k] / (s + excess[k])).squared() });
        terms.fold(-Enclosed::ONE, |sum, term| sum + term)
    };
    // At s = Σ |a_k y_k| the terms, at most (a_k y_k / s)², sum to one at most; and no term of a least axis may exceed
    // one, so that the root is at least |a_k y_k| there.
    let most = (0..3).map(|k| (a[k] * y[k]).magnitude()).sum::<f64>().max(f64::MIN_POSITIVE) * 1.01;
    let at_least = |k: usize| if is_zero(excess[k]) { (a[k] * y[k]).abs().lower().max(0.0) * 0.99 } else { 0.0 };
    let (mut low, mut high) = (at_least(0).max(at_least(1)).max(at_least(2)), most);
    while low.next_up() < high {
        // The midpoint in the order of floats.
        let middle = f64::from_bits(low.to_bits() / 2 + high.to_bits() / 2 + (low.to_bits() & high.to_bits() & 1));
        match value(Enclosed::of(middle)).sign() {
            Some(Ordering::Less) => high = middle,
            Some(Ordering::Greater) => low = middle,
            _ => {
                // The root to within rounding: stop when its neighbours bracket it, else accept a wider bracket.
                (low, high) = straddle(middle, low, high, &value);
                break;
            }
        }
    }
    let s = Enclosed::between(low, high);
    let mut x: Vector<Enclosed> =
        std::array::from_fn(|k| if is_zero(y[k]) { Enclosed::ZERO } else { a[k].squared() * y[k] / (s + excess[k]) });
    // The surface gives the coordinate along the least axis where the quotient is one of two small numbers.
    let others = (0..3).filter(|&k| k != least).map(|k| (x[k] / a[k]).squared());
    let rest = (Enclosed::ONE - others.fold(Enclosed::ZERO, |sum, term| sum + term)).max(Enclosed::ZERO);
    let by_surface = a[least] * rest.sqrt();
    let by_surface = if y[least].to_f64() < 0.0 { -by_surface } else { by_surface };
    if by_surface.error() < x[least].error() || is_zero(y[least]) && low == 0.0 {
        x[least] = by_surface;
    }
    let off = ring::subtract(&y, &x);
    let distance = ring::dot(&off, &off).sqrt();
    let signed = if inside { -distance } else { distance }.widened(moved).times_power(1.0 / power);
    let point = DVec3::from_array(x.map(|x| x.to_f64() / power));
    let normal = DVec3::from_array(std::array::from_fn(|k| (x[k] / a[k].squared()).to_f64()));
    NearestBoundary { signed, point, normal, spot: Spot::Face(0) }
}

fn is_zero(x: Enclosed) -> bool {
    x.sign() == Some(Ordering::Equal)
}

/// Floats around `middle` at which the decreasing function is known to be positive and negative.
fn straddle(middle: f64, low: f64, high: f64, value: &dyn Fn(Enclosed) -> Enclosed) -> (f64, f64) {
    let (mut below, mut above) = (middle, middle);
    let mut step = 1u64;
    while below > low {
        below = f64::from_bits(middle.to_bits().saturating_sub(step)).max(low);
        if value(Enclosed::of(below)).is_positive() {
            break;
        }
        step = step.saturating_mul(2);
    }
    step = 1;
    while above < high {
        above = f64::from_bits(middle.to_bits().saturating_add(step)).min(high);
        if value(Enclosed::of(above)).is_negative() {
            break;
        }
        step = step.saturating_mul(2);
    }
    (below, above)
}
