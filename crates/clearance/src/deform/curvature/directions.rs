//! Directions that a piece of surface faces, as bits.
//!
//! Volino's sample of directions: the 26 from the centre of a cube to its faces, edges and corners. None of all
//! directions is farther than 27.5 degrees from one of them. A bit is set if the normal of a triangle has a positive
//! dot product with the direction; the set of a region is what its triangles have in common. A sign that floats leave
//! open counts as not positive. That is exact enough: a missing bit can only make the walk descend.
//!
//! Over a step the normal of a triangle is a quadratic polynomial of time with the control vectors `u0 x v0`, `(u0 x v1
//! + u1 x v0) / 2` and `u1 x v1`. If all three face a direction, so does the normal at every time.

use glam::DVec3;

use crate::math::predicates::normal_with_bound;

/// The number of pairs of opposite directions.
const PAIRS: usize = 13;

/// One direction of each pair. Bit `k` of a set stands for the `k`-th, bit `k + 13` for its opposite.
const HALF: [[i8; 3]; PAIRS] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 0, 1],
    [1, 0, -1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// A set of directions.
pub(super) type Set = u32;

/// All directions.
pub(super) const ALL: Set = (1 << (2 * PAIRS)) - 1;

/// The components of the direction of a bit, each -1, 0 or 1.
pub(super) fn direction(bit: u32) -> [i8; 3] {
    let bit = bit as usize;
    if bit < PAIRS { HALF[bit] } else { HALF[bit - PAIRS].map(|d| -d) }
}

/// The direction of a set that is nearest to the middle of the set; `None` if it is empty.
pub(super) fn middle(set: Set) -> Option<[i8; 3]> {
    // One over the length of a direction, by how many of its components are not zero.
    const SCALES: [f64; 4] = [0.0, 1.0, std::f64::consts::FRAC_1_SQRT_2, 0.577_350_269_189_625_8];
    let unit = |d: [i8; 3]| {
        let nonzero = d.into_iter().filter(|&x| x != 0).count();
        SCALES[nonzero] * DVec3::from_array(d.map(f64::from))
    };
    let of_set = || (0..2 * PAIRS as u32).filter(move |bit| set >> bit & 1 == 1).map(direction);
    let middle: DVec3 = of_set().map(unit).sum();
    let along = |d: &[i8; 3]| unit(*d).dot(middle);
    of_set().reduce(|best, next| if along(&next) > along(&best) { next } else { best })
}

/// The directions that a vector faces, given a bound on the error of sums of its components, and by how much more than
/// nothing: the sine of the angle by which it may turn.
#[inline(always)]
fn faced(normal: DVec3, bound: f64, sine: f64) -> Set {
    let DVec3 { x, y, z } = normal;
    let (yz, y_z, xz, x_z, xy, x_y) = (y + z, y - z, x + z, x - z, x + y, x - y);
    let along = [x, y, z, yz, y_z, xz, x_z, xy, x_y, xy + z, xy - z, x_y + z, x_y - z];
    let mut set = 0;
    if sine == 0.0 {
        for (k, along) in along.into_iter().enumerate() {
            set |= Set::from(along > bound) << k | Set::from(along < -bound) << (k + PAIRS);
        }
    } else {
        let length = normal.length() * sine;
        for (k, along) in along.into_iter().enumerate() {
            let least = bound + length * DVec3::from_array(HALF[k].map(f64::from)).length();
            set |= Set::from(along > least) << k | Set::from(along < -least) << (k + PAIRS);
        }
    }
    set
}

/// The directions that a triangle faces.
#[inline(always)]
pub(super) fn facing([a, b, c]: [DVec3; 3], sine: f64) -> Set {
    let (normal, bound) = normal_with_bound(b - a, c - a);
    faced(normal, bound, sine)
}

/// The directions that a triangle faces at every time of a step, given its corners at both ends.
#[inline(always)]
pub(super) fn facing_throughout([a, b, c]: [[DVec3; 2]; 3], sine: f64) -> Set {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let ((first, first_bound), (last, last_bound)) = (normal_with_bound(u[0], v[0]), normal_with_bound(u[1], v[1]));
    let ((one, one_bound), (other, other_bound)) = (normal_with_bound(u[0], v[1]), normal_with_bound(u[1], v[0]));
    // The sum of two adds one rounding to each component: within one more of both bounds.
    let between = faced(one + other, 2.0 * (one_bound + other_bound), sine);
    faced(first, first_bound, sine) & between & faced(last, last_bound, sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stand_for_their_directions() {
        for bit in 0..26 {
            let d = DVec3::from_array(direction(bit).map(f64::from)).normalize();
            let (u, v) = d.any_orthonormal_pair();
            let set = facing([DVec3::ZERO, u, v], 0.0);
            let turned = if u.cross(v).dot(d) > 0.0 { set } else { facing([DVec3::ZERO, v, u], 0.0) };
            assert_eq!(turned >> bit & 1, 1);
            assert_eq!(middle(1 << bit), Some(direction(bit)));
            for other in 0..26 {
                let along = DVec3::from_array(direction(other).map(f64::from)).dot(d);
                if along.abs() > 0.1 {
                    assert_eq!(turned >> other & 1 == 1, along > 0.0, "{bit} {other}");
                }
            }
        }
        assert_eq!(middle(0), None);
        assert_eq!(ALL.count_ones(), 26);
        assert_eq!(facing([DVec3::ZERO, DVec3::X, DVec3::X], 0.0), 0);
        assert_eq!(middle(facing([DVec3::ZERO, DVec3::X, DVec3::Y], 0.0)), Some([0, 0, 1]));
    }

    #[test]
    fn a_triangle_that_turns_over_faces_nothing_throughout() {
        let still = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let moving = |end: [DVec3; 3]| [0, 1, 2].map(|k| [still[k], end[k]]);
        assert_eq!(facing_throughout(moving(still), 0.0), facing(still, 0.0));
        assert_eq!(facing_throughout(moving([DVec3::ZERO, DVec3::Y, DVec3::X]), 0.0), 0);
        // Half a turn about the normal: in the middle it has no area.
        assert_eq!(facing_throughout(moving([DVec3::ZERO, -DVec3::X, -DVec3::Y]), 0.0), 0);
        let tilted = facing([DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 0.5)], 0.5);
        assert!(tilted & facing(still, 0.0) == tilted && tilted.count_ones() < 9 && tilted != 0);
    }
}
