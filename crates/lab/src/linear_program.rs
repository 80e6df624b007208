//! Seidel's linear program in three dimensions, in floating point: what the separating axes of boxes are compared with.
//!
//! Seidel, *Small-dimensional linear programming and convex hulls made easy* (1991): half-spaces are added one by one;
//! where the optimum so far violates the new one, the optimum lies on its plane, where the same is asked with one
//! dimension less. Departs from the paper in that the order of the half-spaces is that of the caller.

/// The points `x` with `normal · x <= offset`.
#[derive(Clone, Copy, Debug)]
pub struct HalfSpace<const D: usize> {
    /// Outward, not of unit length.
    pub normal: [f64; D],
    /// Its largest product with a point.
    pub offset: f64,
}

/// Half-spaces that a program may have, those of the cube about the origin included.
const MOST: usize = 18;

/// Products this close to an offset do not violate it.
const TOLERANCE: f64 = 1e-12;

/// Whether some point within a cube about the origin lies in all the half-spaces, of which there are at most 12.
pub fn is_feasible(half_spaces: &[HalfSpace<3>], half_cube: f64) -> bool {
    let mut all = [HalfSpace { normal: [0.0; 3], offset: half_cube }; MOST];
    for axis in 0..3 {
        all[2 * axis].normal[axis] = 1.0;
        all[2 * axis + 1].normal[axis] = -1.0;
    }
    let count = (6 + half_spaces.len()).min(MOST);
    all[6..count].copy_from_slice(&half_spaces[..count - 6]);
    let mut best = [half_cube; 3];
    for i in 6..count {
        let HalfSpace { normal, offset } = all[i];
        if dot(&normal, &best) <= offset + TOLERANCE {
            continue;
        }
        let axis = longest(&normal);
        let mut below = [HalfSpace { normal: [0.0; 2], offset: 0.0 }; MOST];
        for (plane, half_space) in below.iter_mut().zip(&all[..i]) {
            let factor = half_space.normal[axis] / normal[axis];
            let [p, q] = others(axis).map(|k| half_space.normal[k] - factor * normal[k]);
            *plane = HalfSpace { normal: [p, q], offset: half_space.offset - factor * offset };
        }
        // The objective is the sum of the coordinates.
        let objective = others(axis).map(|k| 1.0 - normal[k] / normal[axis]);
        let Some(found) = in_the_plane(&below[..i], objective, half_cube) else { return false };
        let [p, q] = others(axis);
        (best[p], best[q]) = (found[0], found[1]);
        best[axis] = (offset - normal[p] * best[p] - normal[q] * best[q]) / normal[axis];
    }
    true
}

/// The point farthest along the objective, in two dimensions.
fn in_the_plane(half_planes: &[HalfSpace<2>], objective: [f64; 2], half_cube: f64) -> Option<[f64; 2]> {
    let mut best = objective.map(|x| if x < 0.0 { -2.0 * half_cube } else { 2.0 * half_cube });
    for (i, &HalfSpace { normal, offset }) in half_planes.iter().enumerate() {
        if dot(&normal, &best) <= offset + TOLERANCE {
            continue;
        }
        let axis = longest(&normal);
        if normal[axis].abs() < TOLERANCE {
            // Everything violates it, or only rounding does.
            return None;
        }
        let other = 1 - axis;
        let (mut low, mut high) = (-2.0 * half_cube, 2.0 * half_cube);
        for half_plane in &half_planes[..i] {
            let factor = half_plane.normal[axis] / normal[axis];
            let slope = half_plane.normal[other] - factor * normal[other];
            let limit = half_plane.offset - factor * offset;
            if slope > TOLERANCE {
                high = high.min(limit / slope);
            } else if slope < -TOLERANCE {
                low = low.max(limit / slope);
            } else if limit < -TOLERANCE {
                return None;
            }
        }
        if low > high + TOLERANCE {
            return None;
        }
        let along = objective[other] - objective[axis] * normal[other] / normal[axis];
        best[other] = if along < 0.0 { low } else { high };
        best[axis] = (offset - normal[other] * best[other]) / normal[axis];
    }
    Some(best)
}

fn dot<const D: usize>(p: &[f64; D], q: &[f64; D]) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * q).sum()
}

/// The axis along which a vector is longest.
fn longest<const D: usize>(normal: &[f64; D]) -> usize {
    (1..D).fold(0, |best, k| if normal[k].abs() > normal[best].abs() { k } else { best })
}

fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wedge_has_points_and_its_opposite_has_none() {
        let plane = |normal, offset| HalfSpace { normal, offset };
        let wedge = [plane([1.0, 1.0, 0.0], 0.0), plane([1.0, -1.0, 0.0], 0.0), plane([-1.0, 0.0, 1.0], 0.5)];
        assert!(is_feasible(&wedge, 4.0));
        assert!(!is_feasible(&[wedge[0], wedge[1], plane([-1.0, 0.0, 0.0], -0.1)], 4.0));
        assert!(!is_feasible(&[plane([0.0, 0.0, 1.0], -5.0)], 4.0));
    }
}
