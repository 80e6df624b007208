//! The triangles of a height field over a rectangle, except those too low: what another body can touch.
//!
//! The traversal starts at the lowest level of the pyramid at which the window covers at most two entries along each
//! axis, so a small window on a large field costs no descent from the root.

use std::ops::ControlFlow;

use glam::{DVec2, DVec3};

use super::pyramid::{BLOCK, Cells, Node};
use super::{HeightField, interval_of};

/// Three siblings are pending at each of at most 29 levels, and the first four.
const STACK: usize = 3 * 29 + 4;

impl HeightField {
    /// Visits the triangles of all cells that the closed window `min .. max` touches, except those entirely below
    /// `z_min`, with their index and their corners, until `visit` breaks. So a body over the window that extends down
    /// to `z_min` can touch only visited triangles. Does not allocate. The order is deterministic but unspecified.
    ///
    /// ```
    /// use clearance::glam::DVec2;
    /// use clearance::shape::HeightField;
    /// use std::ops::ControlFlow;
    /// let field = HeightField::new(5, 2, DVec2::ONE, vec![0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
    /// let mut found = Vec::new();
    /// let _ = field.for_each_triangle_in(DVec2::new(1.5, 0.5), DVec2::new(8.0, 0.5), 1.0, |triangle, _corners| {
    ///     found.push(triangle);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(found, [6]); // only the last cell has a corner higher than 1, and only one of its triangles
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn for_each_triangle_in(
        &self,
        min: DVec2,
        max: DVec2,
        z_min: f64,
        mut visit: impl FnMut(u32, [DVec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let data = &*self.data;
        let (Some(columns), Some(rows)) = (
            touched(min.x, max.x, data.spacing.x, data.columns - 1),
            touched(min.y, max.y, data.spacing.y, data.rows - 1),
        ) else {
            return ControlFlow::Continue(());
        };
        let (root, _) = data.pyramid.root();
        let entries = |(first, last): (u32, u32), level: u32| ((first / BLOCK) >> level)..=((last / BLOCK) >> level);
        let few = |cells: (u32, u32), level: u32| entries(cells, level).count() <= 2;
        let level = (0..root.level).find(|&level| few(columns, level) && few(rows, level)).unwrap_or(root.level);
        let mut stack = [Node::default(); STACK];
        let mut height = 0;
        for row in entries(rows, level).rev() {
            for column in entries(columns, level).rev() {
                let node = Node { level, column, row };
                if f64::from(data.pyramid.range(node).max) >= z_min {
                    stack[height] = node;
                    height += 1;
                }
            }
        }
        while height > 0 {
            height -= 1;
            let node = stack[height];
            let cells = data.pyramid.cells(node);
            if node.level == 0 {
                let inside = Cells {
                    column: cells.column.max(columns.0),
                    column_end: cells.column_end.min(columns.1 + 1),
                    row: cells.row.max(rows.0),
                    row_end: cells.row_end.min(rows.1 + 1),
                };
                self.for_each_triangle_of(inside, z_min, &mut visit)?;
                continue;
            }
            for (child, range) in data.pyramid.children(node).into_iter().rev() {
                let cells = data.pyramid.cells(child);
                let apart = cells.column > columns.1
                    || cells.column_end <= columns.0
                    || cells.row > rows.1
                    || cells.row_end <= rows.0;
                // The range of a child beyond the end of the field is empty: its maximum is minus infinity.
                if !apart && range.min <= range.max && f64::from(range.max) >= z_min {
                    stack[height] = child;
                    height += 1;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn for_each_triangle_of(
        &self,
        cells: Cells,
        z_min: f64,
        visit: &mut impl FnMut(u32, [DVec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for row in cells.row..cells.row_end {
            for column in cells.column..cells.column_end {
                for left in [false, true] {
                    let corners = self.corners(column, row, left);
                    if corners.iter().any(|corner| corner.z >= z_min) {
                        visit(self.triangle_id(column, row, left), corners)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The first and the last interval of a grid that `min ..= max` touches; a grid line belongs to the intervals on both
/// sides of it.
fn touched(min: f64, max: f64, spacing: f64, count: u32) -> Option<(u32, u32)> {
    let end = f64::from(count) * spacing;
    if !(min <= max && min <= end && max >= 0.0) {
        return None;
    }
    let first = interval_of(min.max(0.0), spacing, count)?;
    let last = interval_of(max.min(end), spacing, count)?;
    let at_line = first > 0 && f64::from(first) * spacing == min;
    Some((first - u32::from(at_line), last))
}
