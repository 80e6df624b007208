//! Finds triangles above or below a point: a grid of columns along an axis.
//!
//! A cell lists every triangle whose box, projected along the axis, meets it. The map from coordinates to cells is
//! monotone, so two boxes that meet share the cell of the larger of their lower corners: the pair is reported there and
//! nowhere else.

use glam::DVec3;

/// The most cells per triangle, and the most entries per triangle: long triangles across the grid make its cells
/// larger.
const CELLS: f64 = 2.0;
const ENTRIES: usize = 8;

/// A grid of columns over a rectangle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    low: [f64; 2],
    per_unit: [f64; 2],
    counts: [usize; 2],
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Columns {
    /// Fills the grid over the rectangle from `low` to `high` with the boxes that meet it; `boxes` gives their lower
    /// and upper corners, permuted so that the columns run along z.
    pub fn fill(&mut self, low: DVec3, high: DVec3, count: usize, boxes: impl Fn(usize) -> (DVec3, DVec3)) {
        let meets = |(least, most): (DVec3, DVec3)| {
            least.x <= high.x && most.x >= low.x && least.y <= high.y && most.y >= low.y
        };
        let (mut inside, mut sizes) = (0usize, [0.0; 2]);
        for index in 0..count {
            let (least, most) = boxes(index);
            if meets((least, most)) {
                inside += 1;
                sizes[0] += most.x.min(high.x) - least.x.max(low.x);
                sizes[1] += most.y.min(high.y) - least.y.max(low.y);
            }
        }
        let extent = [high.x - low.x, high.y - low.y];
        self.low = [low.x, low.y];
        let most = (CELLS * inside as f64).sqrt().max(1.0);
        self.counts = [0, 1].map(|k| {
            let wanted = extent[k] * inside as f64 / sizes[k];
            // NaN if everything is flat.
            if wanted >= 1.0 { wanted.min(most) as usize } else { 1 }
        });
        loop {
            self.per_unit = [0, 1].map(|k| {
                let per_unit = self.counts[k] as f64 / extent[k];
                if per_unit.is_finite() { per_unit } else { 0.0 }
            });
            let mut entries = 0;
            for index in 0..count {
                let (least, most) = boxes(index);
                if meets((least, most)) {
                    self.cells(least, most, |_| entries += 1);
                }
            }
            if entries <= ENTRIES * inside || self.counts == [1, 1] {
                break;
            }
            self.counts = self.counts.map(|n| n.div_ceil(2));
        }
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        starts.resize(self.counts[0] * self.counts[1] + 1, 0);
        for index in 0..count {
            let (least, most) = boxes(index);
            if meets((least, most)) {
                self.cells(least, most, |cell| starts[cell + 1] += 1);
            }
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        items.resize(starts[starts.len() - 1] as usize, 0);
        for index in (0..count).rev() {
            let (least, most) = boxes(index);
            if meets((least, most)) {
                self.cells(least, most, |cell| {
                    starts[cell + 1] -= 1;
                    items[starts[cell + 1] as usize] = index as u32;
                });
            }
        }
        // Every start has moved to that of its cell, except the first entry.
        starts.rotate_left(1);
        let last = starts.len() - 1;
        starts[last] = items.len() as u32;
        (self.starts, self.items) = (starts, items);
    }

    fn place(&self, x: f64, k: usize) -> usize {
        // Saturates: values below count as 0.
        (((x - self.low[k]) * self.per_unit[k]) as usize).min(self.counts[k] - 1)
    }

    fn cells(&self, least: DVec3, most: DVec3, mut visit: impl FnMut(usize)) {
        let (from, to) = (self.place(least.x, 0), self.place(most.x, 0));
        let (first, last) = (self.place(least.y, 1), self.place(most.y, 1));
        for x in from..=to {
            for y in first..=last {
                visit(x * self.counts[1] + y);
            }
        }
    }

    /// All boxes of the cell that contains a point.
    pub fn at(&self, point: DVec3) -> &[u32] {
        let cell = self.place(point.x, 0) * self.counts[1] + self.place(point.y, 1);
        &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Visits every box in the grid whose projection along the axis meets that of the given one, once.
    pub fn meeting(
        &self,
        (least, most): (DVec3, DVec3),
        boxes: impl Fn(usize) -> (DVec3, DVec3),
        mut visit: impl FnMut(usize),
    ) {
        self.cells(least, most, |cell| {
            for &item in &self.items[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                let (low, high) = boxes(item as usize);
                let apart = low.x > most.x || high.x < least.x || low.y > most.y || high.y < least.y;
                let corner = least.max(low);
                if !apart && self.place(corner.x, 0) * self.counts[1] + self.place(corner.y, 1) == cell {
                    visit(item as usize);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_meeting_boxes_is_reported_once() {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for size in [0.01, 0.3, 2.0] {
            let boxes: Vec<(DVec3, DVec3)> = (0..60)
                .map(|_| {
                    let low = DVec3::new(random(), random(), random());
                    (low, low + DVec3::new(random(), random(), random()) * size)
                })
                .collect();
            // Also on the grid's own lines.
            let (low, high) = (DVec3::splat(0.25), DVec3::splat(0.75));
            let mut columns = Columns::default();
            columns.fill(low, high, 60, |i| boxes[i]);
            for &probe in &boxes {
                let mut found = Vec::new();
                columns.meeting(probe, |i| boxes[i], |i| found.push(i));
                found.sort_unstable();
                let meets = |p: (DVec3, DVec3), q: (DVec3, DVec3)| {
                    p.0.x <= q.1.x && p.1.x >= q.0.x && p.0.y <= q.1.y && p.1.y >= q.0.y
                };
                let expected: Vec<usize> =
                    (0..60).filter(|&i| meets(boxes[i], probe) && meets(boxes[i], (low, high))).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_rectangle_without_extent() {
        let mut columns = Columns::default();
        let boxes = [(DVec3::ZERO, DVec3::ONE), (DVec3::ONE, DVec3::splat(2.0))];
        columns.fill(DVec3::ONE, DVec3::ONE, 2, |i| boxes[i]);
        assert_eq!(columns.at(DVec3::ONE), [0, 1]);
    }
}
