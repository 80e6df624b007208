//! The boxes of the bodies of a collision manager, side by side in one array for each coordinate.

use clearance::glam::DVec3;
use clearance::shape::Aabb;

/// How many boxes are tested at a time.
const LANES: usize = 8;

/// Boxes, one array for each coordinate; what is not a box overlaps nothing and is infinitely far away.
#[derive(Default)]
pub struct Boxes {
    min: [Vec<f64>; 3],
    max: [Vec<f64>; 3],
}

impl Boxes {
    pub fn set(&mut self, place: u32, bounds: &Aabb) {
        let place = place as usize;
        for axis in 0..3 {
            if self.min[axis].len() <= place {
                let len = (place + 1).next_multiple_of(LANES);
                self.min[axis].resize(len, f64::INFINITY);
                self.max[axis].resize(len, f64::NEG_INFINITY);
            }
            (self.min[axis][place], self.max[axis][place]) = (bounds.min[axis], bounds.max[axis]);
        }
    }

    pub fn get(&self, place: u32) -> Aabb {
        let corner = |of: &[Vec<f64>; 3]| DVec3::from_array([0, 1, 2].map(|axis| of[axis][place as usize]));
        Aabb::new(corner(&self.min), corner(&self.max))
    }

    /// Visits the boxes that share a point with one, in their order.
    pub fn each_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let [x, y, z] = [0, 1, 2].map(|axis| self.min[axis].as_chunks::<LANES>().0);
        let [u, v, w] = [0, 1, 2].map(|axis| self.max[axis].as_chunks::<LANES>().0);
        let (min, max) = (bounds.min, bounds.max);
        for (block, ((((x, y), z), u), (v, w))) in x.iter().zip(y).zip(z).zip(u).zip(v.iter().zip(w)).enumerate() {
            let mut bits = 0_u32;
            for lane in 0..LANES {
                let meets = (x[lane] <= max.x)
                    & (y[lane] <= max.y)
                    & (z[lane] <= max.z)
                    & (min.x <= u[lane])
                    & (min.y <= v[lane])
                    & (min.z <= w[lane]);
                bits |= u32::from(meets) << lane;
            }
            while bits != 0 {
                visit((block * LANES) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Visits the boxes that are at most so far from one, and the squares of their gaps, in their order.
    pub fn each_within(&self, bounds: &Aabb, reach: f64, mut visit: impl FnMut(u32, f64)) {
        // What the sums round is less than the room that boxes have. What is not a box has infinite coordinates.
        let reach = reach.min(f64::MAX);
        let wide = Aabb::new(bounds.min - reach, bounds.max + reach);
        let squared = (reach * reach).next_up();
        self.each_overlapping(&wide, |place| {
            let gap = squared_gap(bounds, &self.get(place));
            if gap <= squared {
                visit(place, gap);
            }
        });
    }

    /// How far each box is from one, squared.
    pub fn squared_gaps(&self, bounds: &Aabb, gaps: &mut Vec<f64>) {
        let count = self.min[0].len();
        gaps.clear();
        gaps.resize(count, 0.0);
        for axis in 0..3 {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            let (min, max) = (&self.min[axis][..count], &self.max[axis][..count]);
            for ((gap, &min), &max) in gaps.iter_mut().zip(min).zip(max) {
                let (above, below) = (min - high, low - max);
                let apart = if above > below { above } else { below };
                let apart = if apart > 0.0 { apart } else { 0.0 };
                *gap += apart * apart;
            }
        }
    }
}

/// How far two boxes are apart, squared.
pub fn squared_gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length_squared()
}
