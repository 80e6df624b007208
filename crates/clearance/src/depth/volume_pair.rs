//! Two triangles projected along an axis: their intersection in the plane across it, and integrals over it.
//!
//! Everything is in double-double. Errors are relative to `u²`, about 1e-32, so their bounds are generous: they vanish
//! beside the rounding of a result to one `f64`. The caller ensures that coordinates are at most [`VOLUME_COORDINATE`].

use glam::DVec3;

use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::predicates::{Axis, Sign, orient2d};
use crate::math::tolerances::{ROUND_UP, UNIT_ROUNDOFF_SQUARED, VOLUME_CLIPPED, VOLUME_COORDINATE, VOLUME_UNDERFLOW};

/// A corner of a polygon in the plane.
type Corner = [DoubleDouble; 2];

/// The most corners: 3 at first; a clip of `n` corners leaves at most `n + 1` if they are convex, and `3n / 2` if
/// rounding made them slightly nonconvex: 4, 6, 9, and 14 after the cut.
const CORNERS: usize = 16;

/// A polygon in the plane.
#[derive(Clone, Copy)]
pub(crate) struct Polygon {
    corners: [Corner; CORNERS],
    count: usize,
}

impl Polygon {
    const EMPTY: Polygon = Polygon { corners: [[DoubleDouble::ZERO; 2]; CORNERS], count: 0 };

    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// The parts where a linear function, given at the corners, is not negative and where it is.
    fn cut(&self, heights: &[DoubleDouble; CORNERS]) -> [Polygon; 2] {
        let negative = heights[..self.count].iter().filter(|h| h.hi() < 0.0).count();
        if negative == 0 {
            return [*self, Polygon::EMPTY];
        }
        if negative == self.count {
            return [Polygon::EMPTY, *self];
        }
        let mut parts = [Polygon::EMPTY; 2];
        for (index, &corner) in self.corners().iter().enumerate() {
            let next = if index + 1 == self.count { 0 } else { index + 1 };
            let (own, other) = (heights[index], heights[next]);
            let side = usize::from(own.hi() < 0.0);
            parts[side].push(corner);
            if (own.hi() < 0.0) != (other.hi() < 0.0) {
                let along = own / (own - other);
                let end = self.corners[next];
                let crossing = [0, 1].map(|k| corner[k] + along * (end[k] - corner[k]));
                parts[0].push(crossing);
                parts[1].push(crossing);
            }
        }
        parts
    }

    /// The value of a function at every corner.
    fn at_corners(&self, function: impl Fn(&Corner) -> DoubleDouble) -> [DoubleDouble; CORNERS] {
        let mut values = [DoubleDouble::ZERO; CORNERS];
        for (value, corner) in values.iter_mut().zip(self.corners()) {
            *value = function(corner);
        }
        values
    }

    /// Twice the area of each triangle of a fan from the first corner, with the indices of its corners.
    fn fan(&self) -> impl Iterator<Item = (DoubleDouble, [usize; 3])> + '_ {
        (2..self.count).map(|last| {
            let [p, q, r] = [0, last - 1, last].map(|k| self.corners[k]);
            let twice = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            (twice, [0, last - 1, last])
        })
    }

    /// The area.
    pub fn area(&self) -> DoubleDouble {
        self.fan().fold(DoubleDouble::ZERO, |sum, (twice, _)| sum + twice).mul_f64(0.5)
    }
}

/// Integrals over a set of columns from a level up to a height: the volume and its first moments about a point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    pub volume: DoubleDouble,
    pub first: DoubleDoubleVec3,
}

impl Moments {
    pub fn plus(self, other: Moments) -> Moments {
        Moments { volume: self.volume + other.volume, first: self.first + other.first }
    }

    pub fn times(self, factor: f64) -> Moments {
        let factor = DoubleDouble::from(factor);
        Moments { volume: self.volume * factor, first: self.first.scale(factor) }
    }

    /// The moments of one triangle, given twice its area, the coordinates of its corners about the point and their
    /// heights over the level. The integral of a linear function is the area times its mean over the corners; that of a
    /// product of two is a twelfth of the area times the sum of the products plus the product of the sums.
    fn of_triangle(twice: DoubleDouble, x: [DoubleDouble; 3], y: [DoubleDouble; 3], f: [DoubleDouble; 3]) -> Moments {
        let sum = |v: &[DoubleDouble; 3]| v[0] + v[1] + v[2];
        let inner =
            |v: &[DoubleDouble; 3], w: &[DoubleDouble; 3]| v[0] * w[0] + v[1] * w[1] + v[2] * w[2] + sum(v) * sum(w);
        let (sixth, part) = (twice / DoubleDouble::from(6.0), twice / DoubleDouble::from(24.0));
        Moments {
            volume: sixth * sum(&f),
            first: DoubleDoubleVec3::new(
                part * inner(&x, &f),
                part * inner(&y, &f),
                (part * inner(&f, &f)).mul_f64(0.5),
            ),
        }
    }
}

/// A triangle with nonzero projected area, counter-clockwise from above.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub corners: [DVec3; 3],
    /// 1 if its own winding is counter-clockwise from above (it faces up), -1 if it faces down.
    pub facing: f64,
    /// Bound on the projected distance of two corners.
    pub size: f64,
    /// The lowest and the highest corner.
    pub low: f64,
    pub high: f64,
}

impl Seen {
    /// `None` exactly if the projected area is zero.
    pub fn new([p, q, r]: [DVec3; 3]) -> Option<Seen> {
        let (facing, corners) = match orient2d(Axis::Z, p, q, r) {
            Sign::Positive => (1.0, [p, q, r]),
            Sign::Negative => (-1.0, [p, r, q]),
            Sign::Zero => return None,
        };
        let (least, most) = (p.min(q).min(r), p.max(q).max(r));
        let (low, high) = (least.z, most.z);
        let size = ((most - least).truncate().length() * ROUND_UP).max(1e-150);
        Some(Seen { corners, facing, size, low, high })
    }

    /// The moments between the whole triangle and the level of a point, negative below it, and a bound on the error of
    /// the volume: the area is off by `11u²` of the products in it, the heights, exact differences, are summed (`6u²`),
    /// multiplied (`7u²`) and divided (`15u²`).
    pub fn moments(&self, about: DVec3) -> (Moments, f64) {
        let twice = self.normal().0.z;
        let about = DoubleDoubleVec3::from(about);
        let [p, q, r] = self.corners.map(|p| DoubleDoubleVec3::from(p) - about);
        let moments = Moments::of_triangle(twice, [p.x, q.x, r.x], [p.y, q.y, r.y], [p.z, q.z, r.z]);
        let height = self.high.max(about.z.hi()) - self.low.min(about.z.hi());
        (moments, 40.0 * UNIT_ROUNDOFF_SQUARED * self.size * self.size * height + VOLUME_UNDERFLOW)
    }

    /// The normal, with length twice the area, and bounds on the errors of its components.
    pub fn normal(&self) -> (DoubleDoubleVec3, DVec3) {
        let [p, q, r] = self.corners;
        let (e, f) = (DoubleDoubleVec3::from_difference(q, p), DoubleDoubleVec3::from_difference(r, p));
        let (v, w) = (e.to_vec3().abs(), f.to_vec3().abs());
        let products = DVec3::new(v.y * w.z + v.z * w.y, v.z * w.x + v.x * w.z, v.x * w.y + v.y * w.x);
        (e.cross(f), products * (11.1 * UNIT_ROUNDOFF_SQUARED) + VOLUME_UNDERFLOW)
    }

    /// The plane of the triangle as a height over the plane across the axis; `None` if it is so steep that heights
    /// would be off by `allowed` or more.
    pub fn plane(&self, allowed: f64) -> Option<Height> {
        let (normal, off) = self.normal();
        let across = normal.z.hi();
        if off.z * 4.0 >= across {
            return None;
        }
        let (x, y) = (-(normal.x / normal.z), -(normal.y / normal.z));
        let slope = x.hi().abs() + y.hi().abs();
        // The quotients: the errors of both operands, of which that of the divisor is at most a quarter of it, and
        // `15u²` of the division. Heights are evaluated within `size` of the corner by products and sums: `20u²` of the
        // slope times the distance, and `4u²` of the result.
        let way = self.size + 200.0 * UNIT_ROUNDOFF_SQUARED * VOLUME_COORDINATE;
        let off = way * (2.0 * (off.x + off.y + slope * off.z) / across + 36.0 * UNIT_ROUNDOFF_SQUARED * slope)
            + 4.0 * UNIT_ROUNDOFF_SQUARED * VOLUME_COORDINATE;
        // Written so that NaN is rejected.
        (off < allowed).then_some(Height { x, y, at: self.corners[0], slope, off })
    }

    /// An upper bound on the projected area.
    pub fn area_bound(&self) -> f64 {
        let (normal, off) = self.normal();
        (normal.z.hi() + off.z) * ROUND_UP
    }

    /// Whether an edge of either triangle separates the projections, so that they share no area. Exact: triangles on
    /// both sides of a shared edge are separated at once.
    pub fn is_aside(&self, other: &Seen) -> bool {
        let beyond = |own: &[DVec3; 3], others: &[DVec3; 3]| {
            (0..3).any(|k| {
                let (p, q) = (own[k], own[if k == 2 { 0 } else { k + 1 }]);
                others.iter().all(|x| !orient2d(Axis::Z, p, q, *x).is_positive())
            })
        };
        beyond(&self.corners, &other.corners) || beyond(&other.corners, &self.corners)
    }

    /// The intersection of the projected triangles, and a bound on the error of its area.
    pub fn common(&self, other: &Seen) -> (Polygon, f64) {
        let (small, large) = if other.size < self.size { (other, self) } else { (self, other) };
        let mut polygon = Polygon::EMPTY;
        for corner in small.corners {
            polygon.push([DoubleDouble::from(corner.x), DoubleDouble::from(corner.y)]);
        }
        for k in 0..3 {
            let (p, q) = (large.corners[k], large.corners[(k + 1) % 3]);
            let edge = [DoubleDouble::from_difference(q.x, p.x), DoubleDouble::from_difference(q.y, p.y)];
            let heights = polygon.at_corners(|c| edge[0] * c[1].add_f64(-p.y) - edge[1] * c[0].add_f64(-p.x));
            if heights[..polygon.count].iter().any(|h| h.hi() < 0.0) {
                polygon = polygon.cut(&heights)[0];
            }
        }
        (polygon, VOLUME_CLIPPED * small.size + VOLUME_UNDERFLOW)
    }
}

/// A plane as a height over another.
#[derive(Clone, Copy)]
pub(crate) struct Height {
    x: DoubleDouble,
    y: DoubleDouble,
    at: DVec3,
    /// The sum of the magnitudes of both derivatives.
    pub slope: f64,
    /// Bound on the error of a height over the triangle.
    pub off: f64,
}

impl Height {
    fn over(&self, corner: &Corner) -> DoubleDouble {
        let x = corner[0].add_f64(-self.at.x);
        let y = corner[1].add_f64(-self.at.y);
        (self.x * x + self.y * y).add_f64(self.at.z)
    }

    /// The ratio of the area in the plane to the projected area. Off by `8u`.
    pub fn stretch(&self) -> f64 {
        let (x, y) = (self.x.hi(), self.y.hi());
        (1.0 + x * x + y * y).sqrt()
    }

    /// The moments between a polygon in the plane and the level of a point.
    pub fn moments(&self, polygon: &Polygon, about: DVec3) -> Moments {
        let f = polygon.at_corners(|c| self.over(c).add_f64(-about.z));
        polygon.fan().fold(Moments::default(), |sum, (twice, places)| {
            let x = places.map(|k| polygon.corners[k][0].add_f64(-about.x));
            let y = places.map(|k| polygon.corners[k][1].add_f64(-about.y));
            sum.plus(Moments::of_triangle(twice, x, y, places.map(|k| f[k])))
        })
    }

    /// The parts of a polygon where this plane is not above another, and where it is, and the least and greatest height
    /// of the other over this one.
    pub fn cut(&self, other: &Height, polygon: &Polygon) -> ([Polygon; 2], [f64; 2]) {
        let gaps = polygon.at_corners(|c| other.over(c) - self.over(c));
        let range = gaps[..polygon.count]
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], gap| [least.min(gap.hi()), most.max(gap.hi())]);
        (polygon.cut(&gaps), range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(points: [[f64; 3]; 3]) -> Seen {
        Seen::new(points.map(DVec3::from_array)).unwrap()
    }

    #[test]
    fn a_star_of_two_triangles() {
        // Two equal triangles, one upside down: the common hexagon has two thirds of the area.
        let up = seen([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.75, 1.5, 0.0]]);
        let down = seen([[0.0, 1.0, 0.0], [1.5, 1.0, 0.0], [0.75, -0.5, 0.0]]);
        assert_eq!((up.facing, down.facing), (1.0, -1.0));
        let (polygon, off) = up.common(&down);
        assert_eq!(polygon.count, 6);
        assert!((polygon.area() - DoubleDouble::from(0.75)).abs().hi() <= off && off < 1e-27);
        assert!(!up.is_aside(&down));
        assert!(up.is_aside(&seen([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0]])));
    }

    #[test]
    fn under_two_planes_that_cross() {
        // Under z = x and z = 1 - x over the triangle (0,0) (1,0) (0,1) above z = 0.
        let rising = seen([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
        let falling = seen([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
        let (polygon, _) = rising.common(&falling);
        let (p, q) = (rising.plane(1.0).unwrap(), falling.plane(1.0).unwrap());
        let ([lower, upper], range) = p.cut(&q, &polygon);
        assert_eq!(range, [-1.0, 1.0]);
        let both = p.moments(&lower, DVec3::ZERO).plus(q.moments(&upper, DVec3::ZERO));
        // ∫ x (1 - x) from 0 to 1/2 plus ∫ (1 - x)² from 1/2 to 1.
        assert!((both.volume - DoubleDouble::ONE / DoubleDouble::from(8.0)).abs().hi() < 1e-30);
    }

    #[test]
    fn vertical_triangles_have_no_projection() {
        assert!(Seen::new([DVec3::ZERO, DVec3::X, DVec3::Z]).is_none());
        let steep = seen([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1e-40, 1.0]]);
        assert!(steep.plane(1.0).is_none());
    }
}
