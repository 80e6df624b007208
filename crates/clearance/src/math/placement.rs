//! One body's vertices in the other's frame: the *placed pair* that predicates decide exactly.
//!
//! `a_from_b` is formed once per query: `M = R_a⁻¹ R_b` and `t = R_a⁻¹ (R_b o_b + t_b - R_a o_a - t_a)`, with `o` the
//! local origin of each body's stored vertices. The inverse is the true inverse of the stored matrix, not its
//! transpose, so a rigidity defect does not displace the placed vertices; it only stretches lengths measured in the
//! frame of A, by the factor `1 ± stretch`. Bit-equal rotations give `M = I` exactly, bit-equal poses `t = 0` too.

use fearless_simd::{Simd, f64x4, prelude::*};
use glam::{DMat3, DVec3};

use super::double_double::{two_prod, two_sum};
use super::pose::Pose;
use super::simd::plain;
use super::tolerances::{MATRIX_PRODUCT, MATRIX_VECTOR, PLACE_VERTEX, ROUND_UP, SECOND_ORDER, UNIT_ROUNDOFF};

/// The rounded map from the vertices of B into the frame of A, with a bound on its error.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// `M`, about `R_a⁻¹ R_b`.
    pub rotation: DMat3,
    /// From the local origin of A to that of B, in the frame of A.
    pub translation: DVec3,
    /// Length of `translation`, rounded up.
    pub separation: f64,
    /// Bound on the norm of `M - R_a⁻¹ R_b`.
    pub rotation_error: f64,
    /// Bound on the length of `translation - ideal`.
    pub translation_error: f64,
    /// Rounding of `place` relative to the length of the vertex.
    vertex_rounding: f64,
    /// `M` is the identity.
    pub unturned: bool,
    /// Lengths in the world are those in the frame times `1 ± stretch`. The frame's rigidity defect `e` bounds
    /// `RᵀR - I`, so squared lengths change by the factor `1 ± e` and lengths by `√(1 ± e)`, within `e (1 + e) / 2`
    /// of 1.
    pub stretch: f64,
}

impl Placement {
    /// The placement of a body at `pose_b` (stored about `origin_b`) in the frame of one at `pose_a`.
    #[inline(always)]
    pub fn new(pose_a: &Pose, origin_a: DVec3, pose_b: &Pose, origin_b: DVec3) -> Placement {
        Placement::with_wide(plain(), (pose_a, origin_a), (pose_b, origin_b)).0
    }

    /// As above, together with the map in SIMD form. The latter is not built from the scalar form, which is written in
    /// parts: loading it whole again would stall until all the stores have completed.
    #[inline(always)]
    pub(crate) fn with_wide<S: Simd>(
        simd: S,
        (pose_a, origin_a): (&Pose, DVec3),
        (pose_b, origin_b): (&Pose, DVec3),
    ) -> (Placement, WidePlacement<S>) {
        let same_rotation = pose_a.rotation() == pose_b.rotation();
        let inverse = WideMatrix::new(simd, &pose_a.inverse_rotation());
        let (rotation_error, vertex_rounding) = if same_rotation {
            (0.0, UNIT_ROUNDOFF)
        } else if pose_a.is_unrotated() {
            // The product with the identity is exact.
            (0.0, PLACE_VERTEX)
        } else {
            (MATRIX_PRODUCT + pose_a.inverse_error(), PLACE_VERTEX)
        };
        let product = inverse.times(simd, &pose_b.rotation());
        let columns = if same_rotation { WideMatrix::new(simd, &DMat3::IDENTITY) } else { product };
        let rotation = columns.narrow();
        if same_rotation && pose_a.translation() == pose_b.translation() {
            // The difference of the local origins, in the common frame.
            let (translation, low) = difference(origin_b, origin_a);
            let placement = Placement {
                rotation,
                translation,
                separation: translation.length() * ROUND_UP,
                rotation_error,
                translation_error: low.length() * ROUND_UP,
                vertex_rounding,
                unturned: true,
                stretch: 0.5 * pose_a.defect() * (1.0 + pose_a.defect()),
            };
            return (placement, WidePlacement { columns, translation: widened(simd, translation) });
        }
        let at_origins = is_zero(origin_a, origin_b);
        let (high, difference_error) = if at_origins {
            (pose_b.translation() - pose_a.translation(), 0.0)
        } else {
            origin_difference(pose_a, origin_a, pose_b, origin_b)
        };
        let length = high.length();
        let wide_translation = inverse.turn(simd, high);
        let translation_error = if pose_a.is_unrotated() {
            let exact = at_origins && difference(pose_b.translation(), pose_a.translation()).1 == DVec3::ZERO;
            if exact { 0.0 } else { UNIT_ROUNDOFF * length * ROUND_UP + difference_error }
        } else {
            length * (UNIT_ROUNDOFF + MATRIX_VECTOR + pose_a.inverse_error()) + difference_error
        };
        let placement = Placement {
            rotation,
            translation: from_lanes(wide_translation),
            // Rotating a vector changes its length by the defect and by rounding.
            separation: length * (ROUND_UP + pose_a.defect()),
            rotation_error,
            translation_error,
            vertex_rounding,
            unturned: same_rotation,
            stretch: 0.5 * pose_a.defect() * (1.0 + pose_a.defect()),
        };
        (placement, WidePlacement { columns, translation: wide_translation })
    }

    /// The placement after B has moved by `fraction` of `displacement`, a vector in the frame of A that is off by at
    /// most `error`. The rounding error of the new translation is measured, not bounded: zero where the sum is exact.
    pub fn moved(&self, fraction: f64, displacement: DVec3, error: f64) -> Placement {
        let (mut translation, mut off) = (self.translation, DVec3::ZERO);
        for k in 0..3 {
            let (shift, product_error) = two_prod(fraction, displacement[k]);
            let (sum, sum_error) = two_sum(self.translation[k], shift);
            translation[k] = sum;
            off[k] = product_error.abs() + sum_error.abs();
        }
        // Products too small for `two_prod` to capture their error, which is at most the smallest normal number.
        let unseen = if fraction == 0.0 || displacement == DVec3::ZERO { 0.0 } else { f64::MIN_POSITIVE };
        Placement {
            translation,
            separation: translation.length() * ROUND_UP,
            translation_error: self.translation_error + (fraction * error + off.length()) * ROUND_UP + unseen,
            ..*self
        }
    }

    /// A world vector in the frame of A at `pose_a`, with a bound on its error; `low` is its rounding error.
    pub fn displacement(pose_a: &Pose, high: DVec3, low: DVec3) -> (DVec3, f64) {
        let lost = low.length() * ROUND_UP;
        if pose_a.is_unrotated() {
            return (high, lost);
        }
        let error = high.length() * (MATRIX_VECTOR + pose_a.inverse_error());
        (pose_a.inverse_rotation() * high, (error + lost) * SECOND_ORDER)
    }

    /// A vertex of B in the frame of A: the single rounded function that defines the placed pair.
    #[inline(always)]
    pub fn place(&self, v: DVec3) -> DVec3 {
        let m = &self.rotation;
        ((m.x_axis * v.x + m.y_axis * v.y) + m.z_axis * v.z) + self.translation
    }

    /// A difference of points of B, rotated into the frame of A.
    #[inline(always)]
    pub fn turn(&self, v: DVec3) -> DVec3 {
        let m = &self.rotation;
        (m.x_axis * v.x + m.y_axis * v.y) + m.z_axis * v.z
    }

    /// A direction in the frame of A, rotated into the frame of B.
    #[inline(always)]
    pub fn turn_back(&self, n: DVec3) -> DVec3 {
        let m = &self.rotation;
        DVec3::new(m.x_axis.dot(n), m.y_axis.dot(n), m.z_axis.dot(n))
    }

    /// How far a placed vertex may lie from its ideal position, for vertices within `radius` of their local origin.
    #[inline(always)]
    pub fn bound(&self, radius: f64) -> f64 {
        // A vertex plus zero is exact.
        if self.unturned && self.translation == DVec3::ZERO && self.translation_error == 0.0 {
            return 0.0;
        }
        let vertex = (self.rotation_error + self.vertex_rounding) * radius;
        (vertex + self.translation_error + UNIT_ROUNDOFF * self.separation) * SECOND_ORDER
    }
}

/// A vector in four lanes.
#[inline(always)]
pub(crate) fn widened<S: Simd>(simd: S, v: DVec3) -> f64x4<S> {
    f64x4::simd_from(simd, [v.x, v.y, v.z, 0.0])
}

/// The vector of the first three lanes.
#[inline(always)]
pub(crate) fn from_lanes<S: Simd>(v: f64x4<S>) -> DVec3 {
    let lanes = v.as_slice();
    DVec3::new(lanes[0], lanes[1], lanes[2])
}

/// A matrix by its columns, each in four lanes of which the last is zero: the results of `DMat3` with half the
/// instructions.
#[derive(Clone, Copy)]
struct WideMatrix<S: Simd>([f64x4<S>; 3]);

impl<S: Simd> WideMatrix<S> {
    #[inline(always)]
    fn new(simd: S, m: &DMat3) -> WideMatrix<S> {
        WideMatrix([widened(simd, m.x_axis), widened(simd, m.y_axis), widened(simd, m.z_axis)])
    }

    #[inline(always)]
    fn narrow(&self) -> DMat3 {
        let WideMatrix([x, y, z]) = *self;
        DMat3::from_cols(from_lanes(x), from_lanes(y), from_lanes(z))
    }

    #[inline(always)]
    fn turn(&self, simd: S, v: DVec3) -> f64x4<S> {
        let WideMatrix([x, y, z]) = *self;
        (x * f64x4::splat(simd, v.x) + y * f64x4::splat(simd, v.y)) + z * f64x4::splat(simd, v.z)
    }

    #[inline(always)]
    fn times(&self, simd: S, m: &DMat3) -> WideMatrix<S> {
        WideMatrix([self.turn(simd, m.x_axis), self.turn(simd, m.y_axis), self.turn(simd, m.z_axis)])
    }
}

/// The map of a [`Placement`] in SIMD form.
#[derive(Clone, Copy)]
pub(crate) struct WidePlacement<S: Simd> {
    columns: WideMatrix<S>,
    translation: f64x4<S>,
}

impl<S: Simd> WidePlacement<S> {
    #[inline(always)]
    pub fn new(simd: S, placement: &Placement) -> WidePlacement<S> {
        let columns = WideMatrix::new(simd, &placement.rotation);
        WidePlacement { columns, translation: widened(simd, placement.translation) }
    }

    /// Same result as [`Placement::place`].
    #[inline(always)]
    pub fn place(&self, simd: S, v: DVec3) -> f64x4<S> {
        self.columns.turn(simd, v) + self.translation
    }
}

/// Whether both are zero. Tests all bits except the signs at once: six float comparisons would be six branches.
#[inline(always)]
fn is_zero(p: DVec3, q: DVec3) -> bool {
    let bits = |v: DVec3| v.x.to_bits() | v.y.to_bits() | v.z.to_bits();
    (bits(p) | bits(q)) << 1 == 0
}

/// `p - q` as an unevaluated sum of two vectors, exact.
#[inline(always)]
pub(crate) fn difference(p: DVec3, q: DVec3) -> (DVec3, DVec3) {
    let high = p - q;
    let virtual_q = p - high;
    let virtual_p = high + virtual_q;
    (high, (p - virtual_p) + (virtual_q - q))
}

/// `(R_b o_b + t_b) - (R_a o_a + t_a)`, summed with the errors of all sums and products and rounded once, with a bound
/// on the error before that rounding.
pub(crate) fn origin_difference(pose_a: &Pose, origin_a: DVec3, pose_b: &Pose, origin_b: DVec3) -> (DVec3, f64) {
    let (mut high, mut low) = difference(pose_b.translation(), pose_a.translation());
    let mut add = |column: DVec3, factor: f64| {
        // Local origins are zero on most axes.
        if factor != 0.0 {
            add_product(&mut high.x, &mut low.x, column.x, factor);
            add_product(&mut high.y, &mut low.y, column.y, factor);
            add_product(&mut high.z, &mut low.z, column.z, factor);
        }
    };
    let (a, b) = (pose_a.rotation(), pose_b.rotation());
    add(b.x_axis, origin_b.x);
    add(b.y_axis, origin_b.y);
    add(b.z_axis, origin_b.z);
    add(a.x_axis, -origin_a.x);
    add(a.y_axis, -origin_a.y);
    add(a.z_axis, -origin_a.z);
    // The compensated dot product of Ogita, Rump and Oishi (2005): with eight terms a component is off by at most (8u)²
    // of the sum of their magnitudes, which over three components is at most √3 of the lengths: 111u². `verify` allows
    // for its own 82u², which the answer's bracket must include as well.
    let size = origin_a.length() + origin_b.length() + pose_a.translation().length() + pose_b.translation().length();
    (high + low, 200.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * size)
}

/// Adds a product to a sum, and both rounding errors to `low`.
#[inline(always)]
fn add_product(high: &mut f64, low: &mut f64, p: f64, q: f64) {
    let (product, product_error) = two_prod(p, q);
    let (sum, sum_error) = two_sum(*high, product);
    *high = sum;
    *low += sum_error + product_error;
}
