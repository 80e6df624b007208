//! The intersection of two solids, exactly: volume and first moments.
//!
//! A closed surface is the sum of the signed tetrahedra between one of its corners and its triangles. Two tetrahedra
//! are intersected by cutting one with the four planes of the other, each cut leaving tetrahedra again. Nothing is
//! rounded, and corners that lie on a plane need no special case.

use crate::rational::{Rational, Vector, add, cross, dot, scale, subtract};

/// The volume of an intersection, and its first moments about the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// The volume.
    pub volume: Rational,
    /// The integrals of the coordinates; divided by the volume, the centroid.
    pub first: Vector,
}

/// The intersection of two closed surfaces of triangles, wound counter-clockwise seen from outside. Regions around
/// which a surface winds more than once are counted that many times.
///
/// ```
/// use clearance_oracle::rational::{Rational, vector};
/// use clearance_oracle::volume::shared_volume;
/// let corner = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|p| vector(p).unwrap());
/// let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let shared = shared_volume((&corner, &faces), (&corner, &faces));
/// assert_eq!(shared.volume, Rational::ratio(1, 6));
/// assert_eq!(shared.first[0], Rational::ratio(1, 24));
/// ```
pub fn shared_volume(a: (&[Vector], &[[u32; 3]]), b: (&[Vector], &[[u32; 3]])) -> Shared {
    let (first, second) = (signed_tetrahedra(a), signed_tetrahedra(b));
    let zero = || Rational::from(0);
    let mut shared = Shared { volume: zero(), first: [zero(), zero(), zero()] };
    for (sign, tetrahedron) in &first {
        for (other_sign, other) in &second {
            let sign = Rational::from(sign * other_sign);
            for piece in common(tetrahedron, other) {
                let volume = &(&six_times(&piece).abs() / &Rational::from(6)) * &sign;
                let middle = piece.iter().skip(1).fold(piece[0].clone(), |sum, corner| add(&sum, corner));
                shared.first = add(&shared.first, &scale(&middle, &(&volume / &Rational::from(4))));
                shared.volume = &shared.volume + &volume;
            }
        }
    }
    shared
}

type Tetrahedron = [Vector; 4];

/// Six times the signed volume.
fn six_times([p, q, r, s]: &Tetrahedron) -> Rational {
    dot(&subtract(q, p), &cross(&subtract(r, p), &subtract(s, p)))
}

fn signed_tetrahedra((points, triangles): (&[Vector], &[[u32; 3]])) -> Vec<(i64, Tetrahedron)> {
    let mut tetrahedra = Vec::new();
    let Some(apex) = triangles.first().map(|t| &points[t[0] as usize]) else { return tetrahedra };
    for triangle in triangles {
        let [p, q, r] = triangle.map(|k| points[k as usize].clone());
        let tetrahedron = [apex.clone(), p, q, r];
        let volume = six_times(&tetrahedron);
        if !volume.is_zero() {
            tetrahedra.push((if volume.is_negative() { -1 } else { 1 }, tetrahedron));
        }
    }
    tetrahedra
}

/// The intersection of two tetrahedra, as tetrahedra.
fn common(a: &Tetrahedron, b: &Tetrahedron) -> Vec<Tetrahedron> {
    let mut pieces = vec![a.clone()];
    for k in 0..4 {
        let [p, q, r] = [(k + 1) % 4, (k + 2) % 4, (k + 3) % 4].map(|i| &b[i]);
        let normal = cross(&subtract(q, p), &subtract(r, p));
        let inward = dot(&normal, &subtract(&b[k], p));
        let normal = if inward.is_negative() { scale(&normal, &Rational::from(-1)) } else { normal };
        pieces = pieces.iter().flat_map(|piece| above(piece, p, &normal)).collect();
    }
    pieces
}

/// The part of a tetrahedron on the side of a plane that its normal points to.
fn above(piece: &Tetrahedron, at: &Vector, normal: &Vector) -> Vec<Tetrahedron> {
    let heights = [0, 1, 2, 3].map(|k: usize| dot(normal, &subtract(&piece[k], at)));
    let (above, below): (Vec<usize>, Vec<usize>) = (0..4).partition(|&k| !heights[k].is_negative());
    // Between a corner above and one below.
    let cut = |p: usize, q: usize| {
        let along = &heights[p] / &(&heights[p] - &heights[q]);
        add(&piece[p], &scale(&subtract(&piece[q], &piece[p]), &along))
    };
    let corner = |k: usize| piece[k].clone();
    let prism = |[a, b, c]: [Vector; 3], [d, e, f]: [Vector; 3]| {
        vec![
            [a.clone(), b.clone(), c.clone(), f.clone()],
            [a.clone(), b.clone(), e.clone(), f.clone()],
            [a.clone(), d, e, f],
        ]
    };
    let pieces = match (above.as_slice(), below.as_slice()) {
        (_, []) => return vec![piece.clone()],
        ([], _) => return Vec::new(),
        ([p], [q, r, s]) => vec![[corner(*p), cut(*p, *q), cut(*p, *r), cut(*p, *s)]],
        ([p, q], [r, s]) => prism([corner(*p), cut(*p, *r), cut(*p, *s)], [corner(*q), cut(*q, *r), cut(*q, *s)]),
        ([p, q, r], [s]) => prism([corner(*p), corner(*q), corner(*r)], [cut(*p, *s), cut(*q, *s), cut(*r, *s)]),
        _ => Vec::new(),
    };
    pieces.into_iter().filter(|piece| !six_times(piece).is_zero()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rational::vector;

    const BOX: [[u32; 3]; 12] = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];

    fn cube(at: [f64; 3], size: f64) -> Vec<Vector> {
        (0..8).map(|k| vector([0, 1, 2].map(|i| at[i] + if k >> i & 1 == 1 { size } else { 0.0 })).unwrap()).collect()
    }

    #[test]
    fn boxes() {
        let unit = cube([0.0; 3], 1.0);
        for (at, size, expected) in [
            ([0.0, 0.0, 0.0], 1.0, (1, 1)),
            ([0.5, 0.25, 0.0], 1.0, (3, 8)),
            ([0.25, 0.25, 0.25], 0.5, (1, 8)),
            ([1.0, 0.0, 0.0], 1.0, (0, 1)),
        ] {
            let other = cube(at, size);
            for shared in [shared_volume((&unit, &BOX), (&other, &BOX)), shared_volume((&other, &BOX), (&unit, &BOX))] {
                assert_eq!(shared.volume, Rational::ratio(expected.0, expected.1));
            }
        }
        let shared = shared_volume((&unit, &BOX), (&cube([0.5, 0.0, 0.0], 1.0), &BOX));
        assert_eq!(shared.first, [(3, 8), (1, 4), (1, 4)].map(|(p, q)| Rational::ratio(p, q)));
    }
}
