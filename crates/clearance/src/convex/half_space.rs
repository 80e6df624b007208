//! A half-space against any convex body, in closed form.
//!
//! In the frame of the half-space `n · x <= d` the signed gap of a body is `(min n · x - d) / |n|`, whatever its sign:
//! a half-space can only be left along its normal. The minimum is attained at the support point against the normal: a
//! vertex, or for a curved body
//! - cylinder: on the rim, `half_length |z| + radius √(x² + y²)` along a direction `(x, y, z)`;
//! - cone: the apex, or the rim of the base;
//! - ellipsoid with semi-axes `D`: `D² v / |D v|`, at `|D v|` along `v`;
//! - a user-defined body: as given by its support function, within its slack.
//!
//! Whether the closed sets intersect is decided exactly for the placed pair (vertices as placed; for curved bodies the
//! map itself): each gap is `p - √q - √r` with `p`, `q`, `r` polynomials of the stored numbers, and its sign follows
//! from theirs and from squares. Only a user-defined body is decided by the rounded number.

use std::cmp::Ordering;

use fearless_simd::Simd;
use glam::DVec3;
use num_bigint::{BigInt, Sign};

use super::core::{AnyCore, Body, Core, Smooth};
use super::gjk::GapBracket;
use crate::math::integer::{IntegerVec3, common_exponent, integer, root_ratio};
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::tolerances::{HALF_SPACE_LOWER_BOUND, HALF_SPACE_UPPER_BOUND, UNIT_ROUNDOFF};

/// A half-space and a body in its frame.
#[derive(Clone, Copy)]
pub(crate) struct HalfSpacePair<'p> {
    pub normal: DVec3,
    pub offset: f64,
    pub body: Body<'p>,
    pub map: &'p Placement,
    /// Rounding errors are relative to this.
    pub reach: f64,
}

impl HalfSpacePair<'_> {
    /// A bracket of the signed gap of the half-space and the body's core, with the foot and the point that prove it,
    /// and the index of the vertex that is the point (0 for curved bodies).
    #[inline(always)]
    pub fn gap<S: Simd>(&self, simd: S) -> (GapBracket, u32) {
        let length = self.normal.length();
        let down = self.map.turn_back(-self.normal);
        let (point_b, vertex, slack) = match &self.body.core {
            AnyCore::Smooth(smooth) => {
                let (point, slack) = curved_support(smooth, down);
                (point, 0, slack)
            }
            core => {
                let vertex = core.support(simd, down);
                (core.vertex(vertex), vertex, 0.0)
            }
        };
        let placed = self.map.place(point_b);
        let gap = (self.normal.dot(placed) - self.offset) / length;
        let direction = self.normal / length;
        let apart = GapBracket {
            lower: gap - (HALF_SPACE_LOWER_BOUND * self.reach + slack),
            upper: gap + HALF_SPACE_UPPER_BOUND * self.reach,
            length: gap,
            direction,
            point_a: placed - direction * gap,
            point_b,
        };
        (apart, vertex)
    }

    /// Whether the gap of the half-space and the core is at most the sum of these lengths: exact, see the module
    /// documentation. `near` is a bracket of the gap.
    #[cold]
    pub fn is_within(&self, lengths: &[f64], near: &GapBracket) -> bool {
        let sum: f64 = lengths.iter().sum();
        let exact = Exact::new(self, lengths);
        match &self.body.core {
            AnyCore::Smooth(smooth) => exact.curved_is_within(self, smooth).unwrap_or(near.length <= sum),
            core => {
                let scale = self.normal.length();
                let top = (sum * (1.0 + 8.0 * UNIT_ROUNDOFF)
                    + (HALF_SPACE_LOWER_BOUND + HALF_SPACE_UPPER_BOUND) * self.reach)
                    * scale;
                (0..core.vertex_count() as u32).any(|id| {
                    let point = self.map.place(core.vertex(id));
                    // Only vertices that are within the bound, or undecided because of rounding, are tested.
                    self.normal.dot(point) - self.offset <= top && exact.point_is_within(point)
                })
            }
        }
    }
}

/// The support point of a curved core along a direction, and a bound on how far the core may extend beyond it.
fn curved_support(core: &Smooth<'_>, d: DVec3) -> (DVec3, f64) {
    let ring = |radius: f64, z: f64| {
        // Scaled, since squares of short directions could underflow.
        let top = d.x.abs().max(d.y.abs());
        if top == 0.0 {
            return DVec3::new(0.0, 0.0, z);
        }
        let (x, y) = (d.x / top, d.y / top);
        let share = radius / (x * x + y * y).sqrt();
        DVec3::new(x * share, y * share, z)
    };
    match core {
        Smooth::Cylinder { half_length, radius } => (ring(*radius, half_length.copysign(d.z)), 0.0),
        Smooth::Cone { half_length, radius } => {
            let base = ring(*radius, -half_length);
            let apex = DVec3::new(0.0, 0.0, *half_length);
            (if d.dot(apex) >= d.dot(base) { apex } else { base }, 0.0)
        }
        Smooth::Ellipsoid(axes) => {
            let v = *axes * (d / d.abs().max_element());
            let v = v / v.abs().max_element();
            (*axes * (v / v.length()), 0.0)
        }
        Smooth::Custom(custom) => (custom.support(d), custom.slack()),
        Smooth::HalfSpace { .. } => (DVec3::ZERO, 0.0),
    }
}

/// The numbers of a pair as integers over one power of two, `2^exponent` with `exponent <= 0`.
struct Exact {
    exponent: i32,
    normal: IntegerVec3,
    offset: BigInt,
    /// The square of the sum of the lengths times that of the normal, degree 4.
    bridged: BigInt,
}

impl Exact {
    fn new(pair: &HalfSpacePair<'_>, lengths: &[f64]) -> Exact {
        let m = &pair.map.rotation;
        let sizes = match &pair.body.core {
            AnyCore::Smooth(Smooth::Cylinder { half_length, radius } | Smooth::Cone { half_length, radius }) => {
                DVec3::new(*half_length, *radius, 0.0)
            }
            AnyCore::Smooth(Smooth::Ellipsoid(axes)) => *axes,
            _ => DVec3::ZERO,
        };
        let vectors = [pair.normal, m.x_axis, m.y_axis, m.z_axis, pair.map.translation, sizes];
        let values = vectors.iter().flat_map(|v| v.to_array()).chain(lengths.iter().copied()).chain([pair.offset]);
        // Placed vertices: sums of products, each rounded to a double no finer than the smallest.
        let points = (0..pair.body.core.vertex_count() as u32)
            .flat_map(|id| pair.map.place(pair.body.core.vertex(id)).to_array());
        let exponent = common_exponent(values.chain(points)).unwrap_or(0).min(0);
        let normal = IntegerVec3::new(pair.normal, exponent);
        let sum: BigInt = lengths.iter().map(|&x| integer(x, exponent)).sum();
        let bridged = &sum * &sum * normal.dot(&normal);
        Exact { offset: integer(pair.offset, exponent), exponent, normal, bridged }
    }

    /// Raises the degree of a number by `steps`.
    fn lifted(&self, x: BigInt, steps: u32) -> BigInt {
        x << (steps as usize * self.exponent.unsigned_abs() as usize)
    }

    /// Whether `n · point - offset <= lengths |n|`.
    fn point_is_within(&self, point: DVec3) -> bool {
        let product = self.normal.dot(&IntegerVec3::new(point, self.exponent));
        let above = product - self.lifted(self.offset.clone(), 1);
        sign_less_roots(&above, &BigInt::ZERO, &self.bridged) != Ordering::Greater
    }

    /// [`Exact::point_is_within`] for the lowest point of a curved core; `None` for a user-defined body.
    fn curved_is_within(&self, pair: &HalfSpacePair<'_>, core: &Smooth<'_>) -> Option<bool> {
        let whole = |v: DVec3| IntegerVec3::new(v, self.exponent);
        let number = |x: f64| integer(x, self.exponent);
        let m = &pair.map.rotation;
        // The normal in the frame of the body, degree 2.
        let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|column| whole(column).dot(&self.normal));
        let middle = self.normal.dot(&whole(pair.map.translation)) - self.lifted(self.offset.clone(), 1);
        // All of degree 3 and 6.
        let middle = self.lifted(middle, 1);
        let bridged = self.lifted(self.bridged.clone(), 2);
        let within = |above: BigInt, root: &BigInt| sign_less_roots(&above, root, &bridged) != Ordering::Greater;
        match core {
            Smooth::Cylinder { half_length, radius } => {
                let r = number(*radius);
                let along = number(*half_length) * BigInt::from(z.magnitude().clone());
                Some(within(middle - along, &(&r * &r * (&x * &x + &y * &y))))
            }
            Smooth::Cone { half_length, radius } => {
                let r = number(*radius);
                let along = number(*half_length) * &z;
                let base = within(&middle - &along, &(&r * &r * (&x * &x + &y * &y)));
                Some(base || within(middle + along, &BigInt::ZERO))
            }
            Smooth::Ellipsoid(axes) => {
                let scaled = [(x, axes.x), (y, axes.y), (z, axes.z)].map(|(v, axis)| v * number(axis));
                Some(within(middle, &scaled.iter().map(|v| v * v).sum()))
            }
            Smooth::Custom(_) | Smooth::HalfSpace { .. } => None,
        }
    }
}

/// The sign of `p - √q - √r`, as an ordering against zero; `q` and `r` are not negative.
fn sign_less_roots(p: &BigInt, q: &BigInt, r: &BigInt) -> Ordering {
    if p.sign() == Sign::Minus {
        return Ordering::Less;
    }
    // p against √q + √r: p² - q - r against 2 √(q r).
    let rest = p * p - q - r;
    if rest.sign() == Sign::Minus {
        return Ordering::Less;
    }
    (&rest * &rest).cmp(&(q * r * 4))
}

/// The relative position of two posed half-spaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Planes {
    /// Their planes cross, or they face the same way: the common part is unbounded.
    Unbounded,
    /// They face each other along exactly opposite normals. The signed gap, relative error at most `8u`; its sign is
    /// exact.
    Facing(f64),
}

/// Decides exactly, for the real-number bodies: half-spaces have no rounded vertices.
#[cold]
pub(crate) fn planes(a: (DVec3, f64), pose_a: &Pose, b: (DVec3, f64), pose_b: &Pose) -> Planes {
    let columns = |pose: &Pose| {
        let r = pose.rotation();
        [r.x_axis, r.y_axis, r.z_axis]
    };
    let vectors = [a.0, b.0, pose_a.translation(), pose_b.translation()];
    let values = vectors.into_iter().chain(columns(pose_a)).chain(columns(pose_b)).flat_map(|v| v.to_array());
    let exponent = common_exponent(values.chain([a.1, b.1])).unwrap_or(0).min(0);
    let whole = |v: DVec3| IntegerVec3::new(v, exponent);
    // The plane in the world is `cofactors(R) n · (x - t) = d det R`, of degrees 3 and 4.
    let world = |(normal, offset): (DVec3, f64), pose: &Pose| {
        let [x, y, z] = columns(pose).map(whole);
        let [n, zero] = [whole(normal), IntegerVec3::zero()];
        let cofactors = [y.cross(&z), z.cross(&x), x.cross(&y)];
        let outward = cofactors.iter().zip(&n.0).fold(zero, |sum, (c, k)| sum.add_scaled(c, k));
        (outward, integer(offset, exponent) * x.dot(&cofactors[0]))
    };
    let ((c_a, d_a), (c_b, d_b)) = (world(a, pose_a), world(b, pose_b));
    let against = -c_a.dot(&c_b);
    if !c_a.cross(&c_b).is_zero() || against.sign() != Sign::Plus {
        return Planes::Unbounded;
    }
    // With c_b = -l c_a, l = against / c_a²: the gap is (c_a · (t_b - t_a) - d_a - d_b / l) / |c_a|.
    let squared = c_a.dot(&c_a);
    let between = c_a.dot(&whole(pose_b.translation()).sub(&whole(pose_a.translation()))) - d_a;
    let numerator = between * &against - d_b * &squared;
    let magnitude = root_ratio(&(&numerator * &numerator * &squared), &(against * &squared), exponent);
    Planes::Facing(if numerator.sign() == Sign::Minus { -magnitude } else { magnitude })
}
