//! Discrete oriented polytopes: planes with fixed directions.
//!
//! The `k` planes of a volume have the same directions in every volume, so that two volumes in one frame are compared
//! by `k / 2` intervals. For a volume in another frame, Zachmann (*Rapid Collision Detection by Dynamically Aligned
//! DOP-Trees*, VRAIS 1998) writes each direction `b` of the one frame as `l1 c1 + l2 c2 + l3 c3`, with three turned
//! directions of the other and no `l` negative; then `l1 d1 + l2 d2 + l3 d3` with the planes `d` of the turned volume
//! bounds it along `b`. The three are the same for every volume, so they are found once per query. By the duality of
//! linear programs the bound holds for every volume; the paper's condition that no plane is redundant concerns only
//! where it is attained. Departs from the paper in two places:
//! - either volume is bounded along the directions of the other, as `k` intervals separate more than `k / 2`;
//! - what the three directions leave of `b` through rounding is measured and counted.

use glam::DVec3;

use super::directions::Directions;
use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::{Aabb, Bound, Fit, RelativePose, longest_first, turned_back};
use crate::math::tolerances::{BOUND_PRODUCT, CONE_NEGATIVE, ROUND_UP, SECOND_ORDER};

/// A discrete oriented polytope with `K` planes, closed: the points `p` with `direction · p <= plane` for each of them.
///
/// | `K` | directions |
/// |---|---|
/// | 6, 14, 18, 26 | faces of a cube; with its corners; with its edges; with both |
/// | 12, 32, 62 | faces of a regular dodecahedron; with its corners; with its edges too |
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::index::{Bound, Fit, Kdop};
/// let bound = Kdop::<14>::fit(&[DVec3::ZERO, DVec3::X, DVec3::Y], Fit::default());
/// // Along x + y + z.
/// assert!(bound.support(DVec3::ONE) >= 1.0 && bound.support(DVec3::ONE) < 1.0 + 1e-13);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdop<const K: usize> {
    /// The planes of direction `i` and of the opposite one are `2 i` and `2 i + 1`.
    planes: [f64; K],
}

/// Three directions with weights that are not negative: a vector as a combination of directions.
#[derive(Clone, Copy, Debug, Default)]
struct Combination {
    index: [u8; 3],
    weight: [f64; 3],
    /// Bound on the length of what the combination leaves of the vector.
    rest: f64,
}

impl Combination {
    /// The bound of a volume along the vector.
    #[inline(always)]
    fn of<const K: usize>(&self, planes: &[f64; K]) -> f64 {
        let [i, j, k] = self.index;
        let [p, q, r] = self.weight;
        (p * planes[usize::from(i)] + q * planes[usize::from(j)]) + r * planes[usize::from(k)]
    }

    /// The combination of the opposite directions.
    fn opposite(&self) -> Combination {
        Combination { index: self.index.map(|i| i ^ 1), ..*self }
    }
}

/// The directions of either volume in the frame of the other, once per query.
#[derive(Clone, Debug)]
pub struct Turned<const K: usize> {
    /// For each direction of A: a combination of directions of B, and what is to be added to its bound.
    b_along_a: [(Combination, f64); K],
    /// For each direction of B: a combination of directions of A, and what is to be added to the gap.
    a_along_b: [(Combination, f64); K],
    /// The reciprocal of the length of each direction, rounded down.
    reciprocal: [f64; K],
}

impl<const K: usize> Kdop<K>
where
    Kdop<K>: Directions,
{
    /// The direction of a plane, not of unit length.
    ///
    /// # Panics
    /// If the index is not below `K`.
    ///
    /// ```
    /// use clearance::{glam::DVec3, index::Kdop};
    /// assert_eq!(Kdop::<6>::direction(5), DVec3::NEG_Z);
    /// ```
    #[must_use]
    pub fn direction(plane: usize) -> DVec3 {
        let direction = DVec3::from_array(<Kdop<K> as Directions>::HALF[plane / 2]);
        if plane.is_multiple_of(2) { direction } else { -direction }
    }

    /// For each direction the largest product with a point of the polytope, or more where planes are redundant.
    #[must_use]
    pub fn planes(&self) -> &[f64; K] {
        &self.planes
    }

    pub(super) fn from_planes(planes: [f64; K]) -> Kdop<K> {
        Kdop { planes }
    }

    /// The polytope whose planes pass through the points farthest along their directions, rounded outward. Products
    /// with the coordinate axes are exact.
    pub(super) fn about(points: &[DVec3]) -> Kdop<K> {
        let mut planes = [f64::NEG_INFINITY; K];
        let mut size = DVec3::ZERO;
        for &p in points {
            size = size.max(p.abs());
            for (i, direction) in <Kdop<K> as Directions>::HALF.iter().enumerate() {
                let along = DVec3::from_array(*direction).dot(p);
                planes[2 * i] = planes[2 * i].max(along);
                planes[2 * i + 1] = planes[2 * i + 1].max(-along);
            }
        }
        if points.is_empty() {
            planes = [0.0; K];
        }
        for (i, direction) in <Kdop<K> as Directions>::HALF.iter().enumerate() {
            let direction = DVec3::from_array(*direction);
            if direction.abs().element_sum() > 1.0 {
                let off = BOUND_PRODUCT * direction.abs().dot(size);
                planes[2 * i] += off;
                planes[2 * i + 1] += off;
            }
        }
        Kdop { planes }
    }

    /// A vector as a combination of three directions: of those that lie closest to it, the three with the least sum of
    /// weights.
    fn combination(vector: DVec3) -> Combination {
        let mut near: [(f64, usize); K] = std::array::from_fn(|k| {
            let direction = Self::direction(k);
            (direction.dot(vector) / direction.length(), k)
        });
        near.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
        if let Some(&(_, k)) = near.iter().find(|&&(_, k)| Self::direction(k) == vector) {
            return Combination { index: [k as u8; 3], weight: [1.0, 0.0, 0.0], rest: 0.0 };
        }
        // The nearest five hold a cone about the vector, but for rounding at its sides; then all of them do. Without
        // any, all of the vector would be left.
        let cone = best_cone::<K>(vector, &near[..5]).or_else(|| best_cone::<K>(vector, &near));
        cone.unwrap_or(Combination { rest: rounded_up_length(vector), ..Combination::default() })
    }

    /// The extents along the coordinate axes, for comparisons: those of the polytope, or a little more.
    fn extents(&self) -> DVec3 {
        let half = <Kdop<K> as Directions>::HALF;
        if half[0] == [1.0, 0.0, 0.0] {
            return DVec3::from_array(std::array::from_fn(|i| self.planes[2 * i] + self.planes[2 * i + 1]));
        }
        // Two faces of a dodecahedron side by side sum up to a multiple of an axis: z, x, y.
        let sum = |i: usize, j: usize, height: f64| {
            let [p, p_back, q, q_back] = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1].map(|k| self.planes[k]);
            (p + p_back + q + q_back) / (2.0 * height)
        };
        DVec3::new(sum(2, 3, half[2][0]), sum(4, 5, half[4][1]), sum(0, 1, half[0][2]))
    }
}

/// The combination with the least sum of weights among three of the directions.
fn best_cone<const K: usize>(vector: DVec3, near: &[(f64, usize)]) -> Option<Combination>
where
    Kdop<K>: Directions,
{
    let size = vector.length();
    let mut best: Option<(f64, Combination)> = None;
    for (n, &(_, i)) in near.iter().enumerate() {
        for (m, &(_, j)) in near[..n].iter().enumerate() {
            for &(_, k) in &near[..m] {
                let [p, q, r] = [i, j, k].map(Kdop::<K>::direction);
                let determinant = p.dot(q.cross(r));
                // Opposite or coplanar directions; those of a cone have one of at least 0.3.
                if determinant.abs() < 0.1 {
                    continue;
                }
                let weights = DVec3::new(q.cross(r).dot(vector), r.cross(p).dot(vector), p.cross(q).dot(vector));
                let weights = weights / determinant;
                if weights.min_element() < -CONE_NEGATIVE * size {
                    continue;
                }
                let weights = weights.max(DVec3::ZERO);
                let [s, t, u] = weights.to_array();
                let sum = s * p.length() + t * q.length() + u * r.length();
                if best.as_ref().is_none_or(|&(least, _)| sum < least) {
                    let rest = vector - ((p * s + q * t) + r * u);
                    let rest = rounded_up_length(rest) + BOUND_PRODUCT * (sum + size);
                    let index = [i as u8, j as u8, k as u8];
                    best = Some((sum, Combination { index, weight: [s, t, u], rest }));
                }
            }
        }
    }
    best.map(|(_, combination)| combination)
}

impl<const K: usize> Sealed for Kdop<K> {}

impl<const K: usize> Bound for Kdop<K>
where
    Kdop<K>: Directions,
{
    type Relation = Turned<K>;

    fn fit(corners: &[DVec3], _: Fit) -> Kdop<K> {
        Kdop::about(corners)
    }

    fn merge(a: &Kdop<K>, b: &Kdop<K>) -> Kdop<K> {
        Kdop { planes: std::array::from_fn(|k| a.planes[k].max(b.planes[k])) }
    }

    fn relation(pose: &RelativePose) -> Turned<K> {
        let mut turned = Turned {
            b_along_a: [(Combination::default(), 0.0); K],
            a_along_b: [(Combination::default(), 0.0); K],
            reciprocal: [0.0; K],
        };
        for k in (0..K).step_by(2) {
            let direction = Kdop::<K>::direction(k);
            let length = rounded_up_length(direction);
            let b_along_a = Kdop::combination(turned_back(&pose.rotation, direction));
            let back = pose.rotation * direction;
            let a_along_b = Kdop::combination(back);
            let shift = [direction.dot(pose.translation), back.dot(pose.translation)];
            let slack = |c: &Combination| (pose.slack * length + c.rest * pose.size) * SECOND_ORDER;
            for (k, sign) in [(k, 1.0), (k + 1, -1.0)] {
                let [of_b, of_a] = [b_along_a, a_along_b].map(|c| if sign > 0.0 { c } else { c.opposite() });
                turned.b_along_a[k] = (of_b, sign * shift[0] + slack(&of_b));
                turned.a_along_b[k] = (of_a, slack(&of_a) - sign * shift[1]);
                turned.reciprocal[k] = 1.0 / (length * ROUND_UP);
            }
        }
        turned
    }

    fn overlaps(&self, b: &Kdop<K>, turned: &Turned<K>) -> bool {
        for k in 0..K {
            // A's largest product along the direction against the least of B's, which is that of the opposite one.
            let (combination, add) = &turned.b_along_a[k ^ 1];
            if self.planes[k] + combination.of(&b.planes) + add < 0.0 {
                return false;
            }
        }
        for k in 0..K {
            let (combination, add) = &turned.a_along_b[k];
            if combination.of(&self.planes) + b.planes[k ^ 1] + add < 0.0 {
                return false;
            }
        }
        true
    }

    /// The largest gap along a direction of either.
    fn distance_below(&self, b: &Kdop<K>, turned: &Turned<K>) -> f64 {
        let mut best = 0.0f64;
        for k in 0..K {
            let (combination, add) = &turned.b_along_a[k ^ 1];
            let gap = -(self.planes[k] + combination.of(&b.planes) + add);
            best = best.max(gap * turned.reciprocal[k]);
            let (combination, add) = &turned.a_along_b[k];
            let gap = -(combination.of(&self.planes) + b.planes[k ^ 1] + add);
            best = best.max(gap * turned.reciprocal[k]);
        }
        best
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        Some(longest_first(self.extents(), [DVec3::X, DVec3::Y, DVec3::Z]))
    }

    /// Of its box along the coordinate axes.
    fn volume(&self) -> f64 {
        self.extents().max(DVec3::ZERO).element_product()
    }

    /// Of its box along the coordinate axes.
    fn surface(&self) -> f64 {
        Aabb::new(DVec3::ZERO, self.extents().max(DVec3::ZERO)).surface()
    }

    fn longest(&self) -> f64 {
        self.extents().max_element()
    }

    fn support(&self, direction: DVec3) -> f64 {
        let length = rounded_up_length(direction);
        if length == 0.0 {
            return 0.0;
        }
        let unit = direction / length;
        let combination = Kdop::<K>::combination(unit);
        let off = (combination.rest + 2.0 * BOUND_PRODUCT) * self.reach();
        (combination.of(&self.planes) + off) * length
    }

    fn reach(&self) -> f64 {
        // A polytope that encloses a point has no plane behind the origin by more than that point's distance, so the
        // largest planes bound it along every direction: a box of the extents about the point farthest out.
        let half = <Kdop<K> as Directions>::HALF;
        let farthest = |i: usize| self.planes[2 * i].abs().max(self.planes[2 * i + 1].abs());
        if half[0] == [1.0, 0.0, 0.0] {
            return rounded_up_length(DVec3::new(farthest(0), farthest(1), farthest(2)));
        }
        let sum = |i: usize, j: usize, height: f64| (farthest(i) + farthest(j)) / (2.0 * height);
        let corner = DVec3::new(sum(2, 3, half[2][0]), sum(4, 5, half[4][1]), sum(0, 1, half[0][2]));
        rounded_up_length(corner) * ROUND_UP
    }
}
