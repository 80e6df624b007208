//! Eigenvectors of a symmetric matrix, by Jacobi's rotations (1846), cyclic.
//!
//! The accuracy of the vectors is that of a few roundings where eigenvalues differ; where they agree, the vectors are
//! some orthogonal ones. What is proved is only that they are orthogonal and of unit length, within
//! [`FRAME_DEFECT`](super::tolerances::FRAME_DEFECT).

use glam::{DMat3, DVec3};

/// The most sweeps over the three entries off the diagonal: four suffice for full accuracy. No unit.
const SWEEPS: usize = 12;

/// Orthogonal unit vectors, a right-handed frame: the eigenvectors of a symmetric matrix, that of the largest
/// eigenvalue first. The identity where the matrix has an entry that is not finite.
pub(crate) fn eigenvectors(symmetric: &DMat3) -> DMat3 {
    let mut m = symmetric.to_cols_array_2d();
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    if !symmetric.is_finite() {
        return DMat3::IDENTITY;
    }
    for _ in 0..SWEEPS {
        if m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut m, &mut vectors, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| m[j][j].total_cmp(&m[i][i]));
    let vectors = order.map(|k| DVec3::from_array(vectors[k]));
    frame(vectors[0], vectors[1])
}

/// The rotation of the axes `p` and `q` that makes the entry between them zero.
fn rotate(m: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let off = m[p][q];
    let theta = (m[q][q] - m[p][p]) / (2.0 * off);
    if off == 0.0 || theta.is_nan() {
        return;
    }
    // The smaller root of t² + 2 θ t = 1: an angle of at most 45 degrees.
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    m[p][p] -= t * off;
    m[q][q] += t * off;
    (m[p][q], m[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (along_p, along_q) = (m[r][p], m[r][q]);
    m[r][p] = c * along_p - s * along_q;
    m[r][q] = s * along_p + c * along_q;
    (m[p][r], m[q][r]) = (m[r][p], m[r][q]);
    // p is less than q.
    let (low, high) = vectors.split_at_mut(q);
    for (of_p, of_q) in low[p].iter_mut().zip(&mut high[0]) {
        (*of_p, *of_q) = (c * *of_p - s * *of_q, s * *of_p + c * *of_q);
    }
}

/// A right-handed orthogonal frame with its first axis along `x` and the second as near to `y` as possible; an axis of
/// no direction is replaced.
pub(crate) fn frame(x: DVec3, y: DVec3) -> DMat3 {
    let x = x.try_normalize().unwrap_or(DVec3::X);
    let across = x.cross(y);
    // Nearly parallel vectors leave a cross product without digits.
    let z = if across.length_squared() > 1e-8 * y.length_squared() { across } else { x.cross(any_across(x)) };
    let z = z.try_normalize().unwrap_or(DVec3::Z);
    DMat3::from_cols(x, z.cross(x), z)
}

/// A coordinate axis far from parallel to the unit vector `x`.
fn any_across(x: DVec3) -> DVec3 {
    let a = x.abs();
    if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tolerances::FRAME_DEFECT;

    #[test]
    fn eigenvectors_diagonalise() {
        let cases = [
            DMat3::from_cols(DVec3::new(4.0, 1.0, -2.0), DVec3::new(1.0, 3.0, 0.5), DVec3::new(-2.0, 0.5, 1.0)),
            DMat3::from_cols(DVec3::new(1.0, 1e-9, 0.0), DVec3::new(1e-9, 1.0, 1e-12), DVec3::new(0.0, 1e-12, 1.0)),
            DMat3::from_cols(DVec3::splat(1.0), DVec3::splat(1.0), DVec3::splat(1.0)),
            DMat3::from_diagonal(DVec3::new(1.0, 3.0, 2.0)),
            DMat3::IDENTITY,
            DMat3::ZERO,
        ];
        for m in cases {
            let v = eigenvectors(&m);
            let defect = v.transpose() * v - DMat3::IDENTITY;
            assert!(defect.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt() < FRAME_DEFECT, "{v:?}");
            let diagonal = v.transpose() * m * v;
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                assert!(diagonal.col(i)[j].abs() < 1e-14, "{diagonal:?}");
            }
            assert!(diagonal.col(0)[0] >= diagonal.col(1)[1] && diagonal.col(1)[1] >= diagonal.col(2)[2] - 1e-15);
        }
    }

    #[test]
    fn what_is_not_finite_has_a_frame() {
        for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
            assert!(eigenvectors(&DMat3::from_cols(DVec3::splat(bad), DVec3::X, DVec3::Y)).is_finite());
            assert!(frame(DVec3::splat(bad), DVec3::X).is_finite());
        }
        assert!(frame(DVec3::ZERO, DVec3::ZERO).is_finite() && frame(DVec3::X, DVec3::X).is_finite());
    }
}
