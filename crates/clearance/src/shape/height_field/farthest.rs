//! The grid points farthest along a direction: branch and bound over the pyramid.
//!
//! The value of a grid point is its dot product with the direction, rounded. That of a block is bounded by its farthest
//! corner and extreme height along the direction, with the same products and sums; since rounding is monotone, no point
//! of the block has a larger value. A block that is no better than the best is pruned, so a flat field costs one block.

use std::ops::ControlFlow;

use glam::DVec3;

use super::HeightField;
use super::pyramid::{Cells, Node, Range};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Three siblings are pending at each of at most 29 levels, and the root.
const STACK: usize = 3 * 29 + 2;

/// The farthest grid point along a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Farthest {
    /// A triangle with that point.
    pub triangle: u32,
    /// The rounded dot product of the point and the direction.
    pub value: f64,
    /// The exact product of no point exceeds that of this one by more: both are off by `3u` of the sum of the
    /// magnitudes of the three terms.
    pub slack: f64,
}

impl HeightField {
    /// The grid point farthest along a direction that does not point downwards.
    pub(crate) fn farthest_along(&self, direction: DVec3) -> Farthest {
        let mut best = (0, 0, f64::NEG_INFINITY);
        let _ = self.search(direction, f64::NEG_INFINITY, |cells, level| {
            for row in cells.row..=cells.row_end {
                for column in cells.column..=cells.column_end {
                    let value = value(direction, self.vertex(column, row));
                    if value > best.2 {
                        best = (column, row, value);
                    }
                }
            }
            *level = best.2.next_up();
            ControlFlow::Continue(())
        });
        let (i, j) = (best.0.min(self.data.columns - 2), best.1.min(self.data.rows - 2));
        // Of a cell's corners, only the upper left one does not belong to the triangle to the right of its diagonal.
        let left = best.0 == i && best.1 > j;
        let bounds = self.surface_bounds();
        let sizes = direction.abs().dot(bounds.min.abs().max(bounds.max.abs()));
        Farthest { triangle: self.triangle_id(i, j, left), value: best.2, slack: 8.0 * UNIT_ROUNDOFF * sizes }
    }

    /// Visits the triangles with a grid point whose rounded product with the direction, which does not point downwards,
    /// is at least `level`, until `visit` breaks.
    pub(crate) fn for_each_triangle_beyond(
        &self,
        direction: DVec3,
        level: f64,
        mut visit: impl FnMut(u32, [DVec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.search(direction, level, |cells, _| {
            for row in cells.row..cells.row_end {
                for column in cells.column..cells.column_end {
                    for left in [false, true] {
                        let corners = self.corners(column, row, left);
                        if corners.iter().any(|&corner| value(direction, corner) >= level) {
                            visit(self.triangle_id(column, row, left), corners)?;
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Visits the smallest blocks that may contain a value of at least `level`, which `visit` may raise; most promising
    /// first.
    fn search(
        &self,
        direction: DVec3,
        mut level: f64,
        mut visit: impl FnMut(Cells, &mut f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let pyramid = &self.data.pyramid;
        let bound = |cells: Cells, range: Range| {
            let x = self.x(if direction.x > 0.0 { cells.column_end } else { cells.column });
            let y = self.y(if direction.y > 0.0 { cells.row_end } else { cells.row });
            value(direction, DVec3::new(x, y, f64::from(range.max)))
        };
        let (root, range) = pyramid.root();
        let mut stack = [(Node::default(), 0.0); STACK];
        stack[0] = (root, bound(pyramid.cells(root), range));
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (node, most) = stack[height];
            // False for NaN (after overflow): nothing is pruned then.
            if most < level {
                continue;
            }
            if node.level == 0 {
                visit(pyramid.cells(node), &mut level)?;
                continue;
            }
            let start = height;
            for (child, range) in pyramid.children(node) {
                // The range of a child beyond the end of the field is empty.
                if range.min <= range.max {
                    stack[height] = (child, bound(pyramid.cells(child), range));
                    height += 1;
                }
            }
            stack[start..height].sort_unstable_by(|p, q| p.1.total_cmp(&q.1));
        }
        ControlFlow::Continue(())
    }
}

/// The dot product, in the same order of operations as a block's bound.
fn value(direction: DVec3, point: DVec3) -> f64 {
    (direction.x * point.x + direction.y * point.y) + direction.z * point.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn agrees_with_brute_force_over_all_points() {
        for (columns, rows) in [(2, 2), (9, 20), (70, 33), (130, 9)] {
            let heights = (0..columns * rows).map(|k| ((k * 7919) % 1009) as f32 * 0.01).collect();
            let field = HeightField::new(columns, rows, DVec2::new(0.5, 1.5), heights).unwrap();
            for k in 0..40 {
                let turn = f64::from(k) * 0.7;
                let direction = DVec3::new(turn.cos(), turn.sin(), f64::from(k % 5)).normalize();
                let triangles = || (0..field.triangle_count() as u32).map(|t| field.triangle(t).unwrap());
                let top = |t: [DVec3; 3]| t.into_iter().map(|v| value(direction, v)).fold(f64::NEG_INFINITY, f64::max);
                let farthest = field.farthest_along(direction);
                assert_eq!(farthest.value, triangles().map(top).fold(f64::NEG_INFINITY, f64::max));
                assert_eq!(farthest.value, top(field.triangle(farthest.triangle).unwrap()));
                let level = farthest.value - 1.0;
                let mut count = 0;
                let _ = field.for_each_triangle_beyond(direction, level, |_, _| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                assert_eq!(count, triangles().filter(|&t| top(t) >= level).count());
            }
        }
    }
}
