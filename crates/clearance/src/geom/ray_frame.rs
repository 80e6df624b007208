//! A line transformed into a body's frame, with its origin near the body and lengths in units of the body's size.
//!
//! Answers refer to the real-number body `R v + t` and the line `o + t d` as given, so the line is transformed by the
//! true inverse of the stored matrix. All of it is in double-double with tracked errors ([`Enclosed`]), so this step
//! costs some 1e-31 of the distance and no digit of the answer:
//! - `o - t` is exact;
//! - `y = R⁻¹ b` is solved by one step of refinement: `y₀` from the stored inverse, the residual `b - R y₀` in
//!   double-double, and its correction from the stored inverse again;
//! - the origin is moved along the line to about where the line is nearest the body, and lengths are scaled by a power
//!   of two to the body's size, so that products of many lengths neither overflow nor lose digits to a far origin.
//!
//! Where signs stay undecided, [`Chain::exact_line`] gives the same line in integers: `det R · R⁻¹` is the adjugate, a
//! polynomial, so everything is exact once multiplied by the determinant.

use glam::DVec3;

use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::{MATRIX_VECTOR, ROUND_UP, SECOND_ORDER, UNIT_ROUNDOFF};

/// The displacement of a line per unit of `t`: the exact sum of a vector and its rounding error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub high: DVec3,
    pub low: DVec3,
}

impl Step {
    /// Times a power of two, exactly or in double-double.
    pub fn scaled<N: Ring>(&self, unit: f64) -> Vector<N> {
        let (high, low) = (self.high.to_array(), self.low.to_array());
        std::array::from_fn(|k| {
            let whole = N::scaled(high[k], unit);
            if low[k] == 0.0 { whole } else { whole.plus(&N::scaled(low[k], unit)) }
        })
    }
}

/// The pose of a body, `outer · inner · body`: the outer pose is that of the compound that the body is part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain<'a> {
    pub outer: Option<&'a Pose>,
    pub inner: &'a Pose,
}

impl Chain<'_> {
    /// A world point relative to the body's origin, along the world axes.
    pub fn offset<N: Ring>(&self, point: DVec3) -> Vector<N> {
        let point = ring::vector::<N>(point);
        match self.outer {
            None => ring::subtract(&point, &ring::vector(self.inner.translation())),
            Some(outer) => {
                let from_outer = ring::subtract(&point, &ring::vector(outer.translation()));
                ring::subtract(&from_outer, &turned(outer, &ring::vector(self.inner.translation())))
            }
        }
    }

    /// A direction of the body's frame in the world.
    pub fn turned<N: Ring>(&self, v: DVec3) -> Vector<N> {
        let v = turned(self.inner, &ring::vector(v));
        self.outer.map_or_else(|| v.clone(), |outer| turned(outer, &v))
    }

    /// A world direction in the body's frame.
    pub fn to_body(self, v: Vector<Enclosed>) -> Vector<Enclosed> {
        solve(self.inner, self.outer.map_or(v, |outer| solve(outer, v)))
    }

    /// A world direction in the body's frame, times the determinant of the poses, and that determinant.
    pub fn to_body_exactly<N: Ring>(self, v: &Vector<N>) -> (Vector<N>, N) {
        let (v, w) = self.outer.map_or_else(|| (v.clone(), N::of(1.0)), |outer| adjugate_times(outer, v));
        let (v, own) = adjugate_times(self.inner, &v);
        (v, w.times(&own))
    }

    /// The unit world normal of a plane given by its normal in the body's frame: `R⁻ᵀ n`, normalised.
    pub fn normal_to_world(&self, normal: DVec3) -> DVec3 {
        let mut n = self.inner.inverse_rotation().transpose() * normal;
        if let Some(outer) = self.outer {
            n = outer.inverse_rotation().transpose() * n;
        }
        unit(n)
    }

    /// The world normal of a plane given by its normal in the body's frame: `R⁻ᵀ n`.
    pub fn plane_normal(&self, n: &Vector<Enclosed>) -> Vector<Enclosed> {
        let m = cofactors_times(self.inner, n);
        self.outer.map_or(m, |outer| cofactors_times(outer, &m))
    }

    /// A world direction in the body's frame, rounded.
    pub fn rounded_to_body(&self, v: DVec3) -> DVec3 {
        let v = self.outer.map_or(v, |outer| outer.inverse_rotation() * v);
        self.inner.inverse_rotation() * v
    }

    /// Bound on the relative difference between lengths in the body's frame and in the world: half the defect of each
    /// pose (see [`Pose::defect`]).
    pub fn stretch(&self) -> f64 {
        let one = |pose: &Pose| 0.5 * pose.defect() * SECOND_ORDER;
        (one(self.inner) + self.outer.map_or(0.0, one)) * SECOND_ORDER
    }

    /// The line `origin + t direction` in the body's frame relative to `center`, exactly.
    pub fn exact_line(&self, origin: DVec3, direction: Step, center: DVec3) -> LineIn<Dyadic> {
        let (o, w) = self.to_body_exactly(&self.offset(origin));
        let (d, _) = self.to_body_exactly(&direction.scaled(1.0));
        LineIn { o: ring::subtract(&o, &ring::scale(&ring::vector(center), &w)), d, w, scale: 1.0 }
    }

    /// The line `origin + t direction` relative to the body's origin along the world axes, exactly.
    pub fn exact_world_line(&self, origin: DVec3, direction: Step) -> LineIn<Dyadic> {
        LineIn { o: self.offset(origin), d: direction.scaled(1.0), w: Dyadic::of(1.0), scale: 1.0 }
    }
}

/// `v / |v|`; the x axis for zero.
pub(crate) fn unit(v: DVec3) -> DVec3 {
    let size = v.abs().max_element();
    if !(size > 0.0 && size.is_finite()) {
        return DVec3::X;
    }
    (v * unit_scale(size)).normalize_or(DVec3::X)
}

/// A power of two that brings a positive number to about one.
pub(crate) fn unit_scale(x: f64) -> f64 {
    let exponent = (x.abs().to_bits() >> 52).clamp(23, 2023);
    f64::from_bits((2046 - exponent) << 52)
}

/// `R v`.
fn turned<N: Ring>(pose: &Pose, v: &Vector<N>) -> Vector<N> {
    if pose.is_unrotated() {
        return v.clone();
    }
    let r = pose.rotation();
    std::array::from_fn(|k| ring::dot(&ring::vector(r.row(k)), v))
}

/// `R⁻¹ b`. With the stored inverse `X`, off by `inverse_error`: `y = y₀ + X r`, `r = b - R y₀`, is off by `(R⁻¹ - X)
/// r`, by the rounding of `X r` (`MATRIX_VECTOR`), by the tail of `r` that `X r` leaves out (`u`), and by the error of
/// `r` itself.
fn solve(pose: &Pose, b: Vector<Enclosed>) -> Vector<Enclosed> {
    if pose.is_unrotated() {
        return b;
    }
    let inverse = pose.inverse_rotation();
    let rounded = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
    let first = inverse * rounded(&b);
    let residual = ring::subtract(&b, &turned(pose, &ring::vector(first)));
    let r = rounded(&residual);
    let correction = inverse * r;
    let unknown: f64 = residual.iter().map(|x| x.error()).sum();
    let size = r.x.abs() + r.y.abs() + r.z.abs();
    let relative = pose.inverse_error() + MATRIX_VECTOR + UNIT_ROUNDOFF;
    // Products of subnormal numbers may lose a unit each.
    let error = (size * relative + unknown) * SECOND_ORDER + 64.0 * f64::from_bits(1);
    std::array::from_fn(|k| Enclosed::of(first[k]) + Enclosed::about(correction[k], error))
}

/// `R⁻ᵀ n`: the cofactors over the determinant.
fn cofactors_times(pose: &Pose, n: &Vector<Enclosed>) -> Vector<Enclosed> {
    if pose.is_unrotated() {
        return *n;
    }
    let r = pose.rotation();
    let (x, y, z): (Vector<Enclosed>, Vector<Enclosed>, Vector<Enclosed>) =
        (ring::vector(r.x_axis), ring::vector(r.y_axis), ring::vector(r.z_axis));
    let columns = [ring::cross(&y, &z), ring::cross(&z, &x), ring::cross(&x, &y)];
    let determinant = ring::dot(&columns[0], &x);
    std::array::from_fn(|k| (columns[0][k] * n[0] + columns[1][k] * n[1] + columns[2][k] * n[2]) / determinant)
}

/// `adj(R) v` and `det R`.
fn adjugate_times<N: Ring>(pose: &Pose, v: &Vector<N>) -> (Vector<N>, N) {
    if pose.is_unrotated() {
        return (v.clone(), N::of(1.0));
    }
    let r = pose.rotation();
    let (x, y, z) = (ring::vector::<N>(r.x_axis), ring::vector::<N>(r.y_axis), ring::vector::<N>(r.z_axis));
    let rows = [ring::cross(&y, &z), ring::cross(&z, &x), ring::cross(&x, &y)];
    let determinant = ring::dot(&rows[0], &x);
    (rows.each_ref().map(|row| ring::dot(row, v)), determinant)
}

/// A line `o + t d` in homogeneous coordinates: `o` and `d` are scaled by `w > 0`, and lengths are `scale` times those
/// of the body.
#[derive(Clone, Debug)]
pub(crate) struct LineIn<N> {
    pub o: Vector<N>,
    pub d: Vector<N>,
    pub w: N,
    pub scale: f64,
}

impl<N: Ring> LineIn<N> {
    /// A length of the body.
    pub fn length(&self, x: f64) -> N {
        N::scaled(x, self.scale).times(&self.w)
    }

    /// The vector from the line's origin to a point of the body.
    pub fn to(&self, point: DVec3) -> Vector<N> {
        let point = point.to_array();
        std::array::from_fn(|k| self.length(point[k]).minus(&self.o[k]))
    }
}

/// A line near a body, with the mapping to the caller's `t`.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub near: LineIn<Enclosed>,
    base: f64,
    unit: f64,
}

impl Line {
    /// The caller's line with its origin moved near a body whose points lie within `extent` of `center`, in the body's
    /// frame or, with `turn` false, along the world axes. `None` if it certainly misses that sphere.
    pub fn new(
        chain: &Chain<'_>,
        origin: DVec3,
        direction: Step,
        center: DVec3,
        extent: f64,
        turn: bool,
    ) -> Option<Line> {
        let unit = unit_scale(direction.high.abs().max_element());
        let d: Vector<Enclosed> = direction.scaled(unit);
        let o: Vector<Enclosed> = chain.offset(origin);
        let rounded = |v: &Vector<Enclosed>| DVec3::from_array(v.map(Enclosed::to_f64));
        let middle = rounded(&chain.turned::<Enclosed>(center));
        let (from_middle, along) = (rounded(&o) - middle, rounded(&d));
        let base = -from_middle.dot(along) / along.length_squared();
        let base = if base.is_finite() { base } else { 0.0 };
        let o = ring::add(&o, &ring::scale(&d, &Enclosed::of(base)));
        // `o` is known to some 1e-31 of the caller's distance, its rounded form to `u`, and so is `middle`; cross
        // product and lengths lose a few `u`. The sphere may be stretched by 1e-6. So 1e-5 is ample.
        let near = rounded(&o) - middle;
        let unknown: f64 = o.iter().map(|x| x.error()).sum();
        let slack = 1e-5 * extent + 1e-12 * (middle.length() + near.length()) + unknown;
        if near.cross(along).length() > (extent + slack) * along.length() * ROUND_UP {
            return None;
        }
        let scale = if extent > 0.0 { unit_scale(extent) } else { 1.0 };
        let (o, d, center) = if turn { (chain.to_body(o), chain.to_body(d), center) } else { (o, d, DVec3::ZERO) };
        let o = std::array::from_fn(|k| (o[k] - Enclosed::of(center[k])).times_power(scale));
        Some(Line { near: LineIn { o, d, w: Enclosed::ONE, scale }, base, unit })
    }

    /// The caller's line in the body's frame, unscaled: for unbounded bodies.
    pub fn unbounded(chain: &Chain<'_>, origin: DVec3, direction: Step) -> Line {
        let unit = unit_scale(direction.high.abs().max_element());
        let d = chain.to_body(direction.scaled(unit));
        let o = chain.to_body(chain.offset(origin));
        Line { near: LineIn { o, d, w: Enclosed::ONE, scale: 1.0 }, base: 0.0, unit }
    }

    /// The caller's `t`.
    pub fn time(&self, tau: Enclosed) -> Enclosed {
        (Enclosed::of(self.base) + tau.times_power(1.0 / self.near.scale)).times_power(self.unit)
    }

    /// The point at `tau`, relative to `center` and in the body's own lengths, rounded.
    pub fn point(&self, tau: Enclosed) -> DVec3 {
        let at = |k: usize| (self.near.o[k] + tau * self.near.d[k]).to_f64() / self.near.scale;
        DVec3::new(at(0), at(1), at(2))
    }
}
