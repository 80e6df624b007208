//! Solids as lists of points and triangles, for tests of any code that takes meshes.

/// Points, and triangles as indices of their corners.
pub type Lists = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// A box of twelve triangles, closed, wound counter-clockwise seen from outside. Bit `k` of a point's index is set if
/// the point is at the high end of axis `k`.
///
/// ```
/// let (points, triangles) = clearance_oracle::lists::cuboid([0.0; 3], [1.0, 2.0, 3.0]);
/// assert_eq!((points[0], points[5], triangles.len()), ([0.0; 3], [1.0, 0.0, 3.0], 12));
/// ```
#[must_use]
pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Lists {
    let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let halves = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), halves.collect())
}
