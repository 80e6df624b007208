//! Eigenvalues and eigenvectors of a symmetric 3x3 matrix.
//!
//! The cyclic Jacobi method (Jacobi 1846; Golub and Van Loan, "Matrix Computations", section 8.5): turn in the
//! planes xy, xz, yz in that order, each turn making one entry off the diagonal zero, until all three are negligible.
//! Unlike closed formulas it loses no digits where eigenvalues are close. Departs from the textbook in three places:
//! - the matrix is first scaled by a power of two (exactly) so that its largest entry is in [1, 2);
//! - an entry is negligible once it no longer changes the two diagonal entries beside it when added to them, and is
//!   then set to zero: the stop test is that all three *are* zero;
//! - the accumulated basis is made orthonormal again at the end, the third vector as the vector product of the other
//!   two, which also makes the basis right-handed.
//!
//! Errors: each eigenvalue within some 10 units in the last place of the largest magnitude among them.

use glam::{DMat3, DVec3};

use super::scaling::{exponent, times_power_of_two};

/// At most this many sweeps of three turns. Convergence is quadratic: none of 600 000 random, nearly multiple and badly
/// scaled matrices needed more than 5; the rest is reserve.
const MOST_SWEEPS: usize = 16;

/// A symmetric 3x3 matrix, by its six entries.
///
/// ```
/// use clearance::math::eigen::SymmetricMat3;
/// use glam::DVec3;
/// let matrix = SymmetricMat3 { xx: 2.0, yy: 3.0, zz: 4.0, ..SymmetricMat3::default() };
/// assert_eq!(matrix.times(DVec3::Y), 3.0 * DVec3::Y);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymmetricMat3 {
    /// First entry of the diagonal.
    pub xx: f64,
    /// Second entry of the diagonal.
    pub yy: f64,
    /// Third entry of the diagonal.
    pub zz: f64,
    /// The entry in row x, column y, and in row y, column x.
    pub xy: f64,
    /// The entry in row x, column z, and in row z, column x.
    pub xz: f64,
    /// The entry in row y, column z, and in row z, column y.
    pub yz: f64,
}

impl SymmetricMat3 {
    /// Adds `weight * v * v^T`: how covariance and inertia matrices are built.
    ///
    /// ```
    /// use clearance::math::eigen::SymmetricMat3;
    /// use glam::DVec3;
    /// let mut covariance = SymmetricMat3::default();
    /// covariance.add_outer(DVec3::new(1.0, 2.0, 0.0), 0.5);
    /// assert_eq!((covariance.xx, covariance.xy, covariance.yy), (0.5, 1.0, 2.0));
    /// ```
    pub fn add_outer(&mut self, v: DVec3, weight: f64) {
        let w = weight * v;
        self.xx += w.x * v.x;
        self.yy += w.y * v.y;
        self.zz += w.z * v.z;
        self.xy += w.x * v.y;
        self.xz += w.x * v.z;
        self.yz += w.y * v.z;
    }

    /// The matrix times a vector.
    ///
    /// ```
    /// use clearance::math::eigen::SymmetricMat3;
    /// use glam::DVec3;
    /// let swap = SymmetricMat3 { xy: 1.0, zz: 1.0, ..SymmetricMat3::default() };
    /// assert_eq!(swap.times(DVec3::new(1.0, 2.0, 3.0)), DVec3::new(2.0, 1.0, 3.0));
    /// ```
    pub fn times(&self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

/// Eigenvalues and eigenvectors of a symmetric matrix: see [`symmetric_eigen`].
///
/// ```
/// use clearance::math::eigen::{SymmetricMat3, symmetric_eigen};
/// use glam::DVec3;
/// let eigen = symmetric_eigen(&SymmetricMat3 { xx: 1.0, yy: 9.0, zz: 4.0, ..SymmetricMat3::default() });
/// assert_eq!(eigen.values, [9.0, 4.0, 1.0]);
/// assert_eq!(eigen.vectors.x_axis, DVec3::Y);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues, greatest first.
    pub values: [f64; 3],
    /// The eigenvectors as columns, in the order of the values: orthonormal and right-handed up to rounding.
    pub vectors: DMat3,
}

/// The eigenvalues, greatest first, and an orthonormal, right-handed basis of eigenvectors.
///
/// Never NaN for finite entries, of whatever size; an eigenvalue beyond all `f64` is infinite. Where eigenvalues are
/// equal, their eigenvectors are some orthonormal basis of their plane or of space, always the same one for the same
/// matrix. If an entry is not finite, there is no answer: the values are NaN and the basis is the identity.
///
/// ```
/// use clearance::math::eigen::{SymmetricMat3, symmetric_eigen};
/// let eigen = symmetric_eigen(&SymmetricMat3 { xx: 2.0, yy: 2.0, zz: 5.0, xy: 1.0, xz: 0.0, yz: 0.0 });
/// for (value, expected) in eigen.values.into_iter().zip([5.0, 3.0, 1.0]) {
///     assert!((value - expected).abs() < 1.0e-15);
/// }
/// assert!((eigen.vectors.determinant() - 1.0).abs() < 1.0e-15);
/// ```
pub fn symmetric_eigen(matrix: &SymmetricMat3) -> Eigen {
    let entries = [matrix.xx, matrix.yy, matrix.zz, matrix.xy, matrix.xz, matrix.yz];
    if entries.iter().any(|entry| !entry.is_finite()) {
        return Eigen { values: [f64::NAN; 3], vectors: DMat3::IDENTITY };
    }
    let largest = entries.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if largest == 0.0 {
        return Eigen { values: [0.0; 3], vectors: DMat3::IDENTITY };
    }
    let power = exponent(largest);
    let [xx, yy, zz, xy, xz, yz] = entries.map(|entry| times_power_of_two(entry, -power));
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut basis = [DVec3::X, DVec3::Y, DVec3::Z];
    diagonalise(&mut a, &mut basis);

    let mut order = [0, 1, 2];
    // Stable, so that equal eigenvalues keep the order of the axes.
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    Eigen {
        values: order.map(|i| times_power_of_two(a[i][i], power)),
        vectors: orthonormal(basis[order[0]], basis[order[1]]),
    }
}

/// Sweeps until all entries off the diagonal are zero, turning the basis along. Returns how many sweeps that took.
fn diagonalise(a: &mut [[f64; 3]; 3], basis: &mut [DVec3; 3]) -> usize {
    for sweep in 0..MOST_SWEEPS {
        drop_negligible(a);
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            return sweep;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turn(a, basis, p, q);
        }
    }
    MOST_SWEEPS
}

/// Sets entries off the diagonal to zero that are too small to matter beside both their diagonal entries.
fn drop_negligible(a: &mut [[f64; 3]; 3]) {
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let size = a[p][q].abs();
        if a[p][p].abs() + size == a[p][p].abs() && a[q][q].abs() + size == a[q][q].abs() {
            a[p][q] = 0.0;
            a[q][p] = 0.0;
        }
    }
}

/// One Jacobi turn: makes `a[p][q]` zero, and turns the vectors of the basis along.
fn turn(a: &mut [[f64; 3]; 3], basis: &mut [DVec3; 3], p: usize, q: usize) {
    let off = a[p][q];
    if off == 0.0 {
        return;
    }
    // The smaller root of t^2 + 2 theta t - 1 = 0: a turn of at most 45 degrees. An infinite theta gives t = 0.
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let tangent = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    a[p][p] -= tangent * off;
    a[q][q] += tangent * off;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[r][p] = cosine * rp - sine * rq;
    a[r][q] = sine * rp + cosine * rq;
    a[p][r] = a[r][p];
    a[q][r] = a[r][q];
    let (in_p, in_q) = (basis[p], basis[q]);
    basis[p] = cosine * in_p - sine * in_q;
    basis[q] = sine * in_p + cosine * in_q;
}

/// The right-handed orthonormal basis that starts with these two vectors, orthonormal already but for rounding.
fn orthonormal(first: DVec3, second: DVec3) -> DMat3 {
    let x = first.normalize();
    let y = (second - x * x.dot(second)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Orthonormal, right-handed, sorted, and `A v = value v` to a few units in the last place of the norm.
    fn check(matrix: &SymmetricMat3, tolerance: f64) -> Result<Eigen, TestCaseError> {
        let eigen = symmetric_eigen(matrix);
        let [x, y, z] = [eigen.vectors.x_axis, eigen.vectors.y_axis, eigen.vectors.z_axis];
        for (a, b, expected) in [(x, x, 1.0), (y, y, 1.0), (z, z, 1.0), (x, y, 0.0), (x, z, 0.0), (y, z, 0.0)] {
            prop_assert!((a.dot(b) - expected).abs() < 2.0e-15, "{:?}", eigen);
        }
        prop_assert!((x.cross(y).dot(z) - 1.0).abs() < 2.0e-15);
        prop_assert!(eigen.values[0] >= eigen.values[1] && eigen.values[1] >= eigen.values[2]);
        let norm = eigen.values[0].abs().max(eigen.values[2].abs());
        for (vector, value) in [x, y, z].into_iter().zip(eigen.values) {
            let residual = (matrix.times(vector) - value * vector).abs().max_element();
            prop_assert!(residual <= tolerance * norm, "{:?} {:?}: {}", matrix, eigen, residual / norm);
        }
        prop_assert_eq!(eigen, symmetric_eigen(matrix));
        let SymmetricMat3 { xx, yy, zz, xy, xz, yz } = *matrix;
        let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let sweeps = diagonalise(&mut a, &mut [DVec3::ZERO; 3]);
        prop_assert!(sweeps <= MOST_SWEEPS / 2, "{:?}: {} sweeps", matrix, sweeps);
        Ok(eigen)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn random_matrices(entries in proptest::array::uniform6(-1.0..1.0_f64), power in -498..498_i32) {
            let [xx, yy, zz, xy, xz, yz] = entries.map(|entry| entry * 2.0_f64.powi(power));
            check(&SymmetricMat3 { xx, yy, zz, xy, xz, yz }, 4.0e-15)?;
        }

        #[test]
        fn entries_of_very_different_size(
            entries in proptest::array::uniform6((-1.0..1.0_f64, -300..300_i32)),
        ) {
            let [xx, yy, zz, xy, xz, yz] = entries.map(|(m, e)| m * 2.0_f64.powi(e));
            check(&SymmetricMat3 { xx, yy, zz, xy, xz, yz }, 4.0e-15)?;
        }

        #[test]
        fn known_eigenvalues(
            angles in proptest::array::uniform3(-3.0..3.0_f64),
            values in prop_oneof![
                proptest::array::uniform3(-1.0..1.0_f64),
                proptest::array::uniform3((0..3_i32).prop_map(f64::from)),
                (0.0..1.0_f64).prop_map(|x| [1.0 + x * 1.0e-14, 1.0, 1.0 - x * 1.0e-13]),
                (0.0..1.0_f64).prop_map(|x| [1.0, x * 1.0e-15, x * 1.0e-16]),
            ],
        ) {
            let rotation = DMat3::from_euler(glam::EulerRot::XYZ, angles[0], angles[1], angles[2]);
            let mut matrix = SymmetricMat3::default();
            for (axis, value) in [rotation.x_axis, rotation.y_axis, rotation.z_axis].into_iter().zip(values) {
                matrix.add_outer(axis, value);
            }
            let eigen = check(&matrix, 4.0e-15)?;
            let mut sorted = values;
            sorted.sort_by(|a, b| b.total_cmp(a));
            let norm = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            for (computed, expected) in eigen.values.into_iter().zip(sorted) {
                prop_assert!((computed - expected).abs() <= 6.0e-15 * norm);
            }
        }

        #[test]
        fn never_not_a_number(bits in proptest::array::uniform6(any::<u64>())) {
            let entries = bits.map(f64::from_bits);
            let [xx, yy, zz, xy, xz, yz] = entries;
            let eigen = symmetric_eigen(&SymmetricMat3 { xx, yy, zz, xy, xz, yz });
            prop_assert!(eigen.vectors.is_finite());
            let all_finite = entries.iter().all(|entry| entry.is_finite());
            prop_assert_eq!(eigen.values.iter().any(|value| value.is_nan()), !all_finite);
        }
    }

    #[test]
    fn exact_cases() {
        let zero = symmetric_eigen(&SymmetricMat3::default());
        assert_eq!((zero.values, zero.vectors), ([0.0; 3], DMat3::IDENTITY));
        let diagonal = symmetric_eigen(&SymmetricMat3 { xx: 1.0, yy: 3.0, zz: 2.0, ..Default::default() });
        assert_eq!(diagonal.values, [3.0, 2.0, 1.0]);
        assert_eq!(diagonal.vectors, DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
        let ones = SymmetricMat3 { xx: 1.0, yy: 1.0, zz: 1.0, xy: 1.0, xz: 1.0, yz: 1.0 };
        let eigen = check(&ones, 4.0e-15).unwrap();
        assert!((eigen.values[0] - 3.0).abs() < 4.0e-15);
        let off_only = SymmetricMat3 { xy: 5.0e-324, ..Default::default() };
        let eigen = symmetric_eigen(&off_only);
        assert_eq!(eigen.values, [5.0e-324, 0.0, -5.0e-324]);
        let huge = SymmetricMat3 { xx: f64::MAX, yy: f64::MAX, xy: f64::MAX, ..Default::default() };
        assert_eq!(symmetric_eigen(&huge).values[0], f64::INFINITY);
    }

    /// Every matrix with entries from a small set of awkward ones settles well before the cap.
    #[test]
    fn awkward_matrices_converge() {
        let awkward = [0.0, 1.0, -1.0, 1.0e-8, 1.0e-17, 1.0 + 1.0e-15, 1.0e150, 1.0e-150];
        let mut count = 0;
        let mut index = [0_usize; 6];
        loop {
            let [xx, yy, zz, xy, xz, yz] = index.map(|i| awkward[i]);
            // Every seventh is enough, and quick.
            count += 1;
            if count % 7 == 0 {
                check(&SymmetricMat3 { xx, yy, zz, xy, xz, yz }, 4.0e-15).unwrap();
            }
            let Some(next) = (0..6).find(|&k| index[k] + 1 < awkward.len()) else {
                break;
            };
            index[next] += 1;
            index[..next].fill(0);
        }
    }
}
