//! Minimum and maximum heights of square blocks of cells, and of blocks of blocks: with them a traversal of a large
//! field skips what it cannot touch.
//!
//! Level 0 has one entry per block of [`BLOCK`] x [`BLOCK`] cells, level `k` one per 2 x 2 entries of level `k - 1`, up
//! to a single root. The four children of an entry are adjacent in memory (32 bytes), so a step down reads one cache
//! line, at most two. Beyond the end of the field, entries are empty ranges, which overlap nothing.
//!
//! Memory: 8 bytes per block of 64 cells and a third more for the levels above, 4.2 % of that of the heights.

/// Cells per side of the smallest block that has an entry. With 8, the pyramid takes 4.2 % of the memory of the
/// heights; a block's heights are 9 rows of 36 bytes.
pub(super) const BLOCK: u32 = 8;

/// A range of heights, both ends attained; empty when `min > max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub min: f32,
    pub max: f32,
}

impl Range {
    const EMPTY: Range = Range { min: f32::INFINITY, max: f32::NEG_INFINITY };

    fn join(self, other: Range) -> Range {
        Range { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// An entry of the pyramid: a square of `BLOCK << level` cells per side, clipped to the field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub level: u32,
    pub column: u32,
    pub row: u32,
}

/// Cells `first .. end` along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cells {
    pub column: u32,
    pub column_end: u32,
    pub row: u32,
    pub row_end: u32,
}

/// The pyramid: see the module documentation.
#[derive(Debug)]
pub(super) struct Pyramid {
    /// Number of cells of the field along each axis.
    cells: [u32; 2],
    root: Range,
    /// `levels[k]` holds the entries of level `k` in groups of four: group `row * width + column` belongs to the entry
    /// `(column, row)` of level `k + 1`, where `width` is that of level `k + 1`.
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    /// Number of groups along x.
    width: u32,
    groups: Vec<[Range; 4]>,
}

impl Pyramid {
    /// The pyramid over `columns` x `rows` heights, row by row; both at least two.
    #[must_use]
    pub fn new(columns: u32, rows: u32, heights: &[f32]) -> Pyramid {
        let cells = [columns - 1, rows - 1];
        let mut size = cells.map(|count| count.div_ceil(BLOCK));
        let mut levels: Vec<Level> = Vec::new();
        // A block's range is accumulated row by row, so that the heights are read once and in order.
        let mut ranges = vec![Range::EMPTY; size[0] as usize * size[1] as usize];
        for (row, line) in heights.chunks_exact(columns as usize).enumerate() {
            // Grid points between two blocks belong to both.
            let last = (row as u32 / BLOCK).min(size[1] - 1);
            let first = (row as u32).saturating_sub(1) / BLOCK;
            for block in 0..size[0] {
                let start = (block * BLOCK) as usize;
                let end = (start + BLOCK as usize + 1).min(line.len());
                let range =
                    line[start..end].iter().fold(Range::EMPTY, |range, &h| range.join(Range { min: h, max: h }));
                for block_row in first..=last {
                    let entry = &mut ranges[block_row as usize * size[0] as usize + block as usize];
                    *entry = entry.join(range);
                }
            }
        }
        while size != [1, 1] {
            let above = size.map(|count| count.div_ceil(2));
            let mut groups = vec![[Range::EMPTY; 4]; above[0] as usize * above[1] as usize];
            let mut joined = vec![Range::EMPTY; groups.len()];
            for (row, line) in ranges.chunks_exact(size[0] as usize).enumerate() {
                for (column, &range) in line.iter().enumerate() {
                    let group = row / 2 * above[0] as usize + column / 2;
                    groups[group][row % 2 * 2 + column % 2] = range;
                    joined[group] = joined[group].join(range);
                }
            }
            levels.push(Level { width: above[0], groups });
            ranges = joined;
            size = above;
        }
        Pyramid { cells, root: ranges.first().copied().unwrap_or(Range::EMPTY), levels }
    }

    /// The entry that covers the whole field, and its range.
    #[must_use]
    pub fn root(&self) -> (Node, Range) {
        (Node { level: self.levels.len() as u32, column: 0, row: 0 }, self.root)
    }

    /// The four children of an entry above level 0: child `2 * y + x` is in the half `(x, y)` of the square; empty
    /// ranges for those beyond the end of the field.
    #[inline]
    #[must_use]
    pub fn children(&self, node: Node) -> [(Node, Range); 4] {
        let level = node.level - 1;
        let store = &self.levels[level as usize];
        let group = &store.groups[node.row as usize * store.width as usize + node.column as usize];
        std::array::from_fn(|k| {
            let child = Node { level, column: 2 * node.column + (k as u32 & 1), row: 2 * node.row + (k as u32 >> 1) };
            (child, group[k])
        })
    }

    /// The range of an entry within the field.
    #[must_use]
    pub fn range(&self, node: Node) -> Range {
        match self.levels.get(node.level as usize) {
            None => self.root,
            Some(store) => {
                let group = (node.row / 2) as usize * store.width as usize + (node.column / 2) as usize;
                store.groups[group][(node.row % 2 * 2 + node.column % 2) as usize]
            }
        }
    }

    /// The cells below an entry. Empty for one beyond the end of the field.
    #[inline]
    #[must_use]
    pub fn cells(&self, node: Node) -> Cells {
        // In 64 bits: the square may extend beyond the range of 32.
        let side = u64::from(BLOCK) << node.level;
        let first = |index: u32, count: u32| (u64::from(index) * side).min(u64::from(count)) as u32;
        let end = |index: u32, count: u32| ((u64::from(index) + 1) * side).min(u64::from(count)) as u32;
        Cells {
            column: first(node.column, self.cells[0]),
            column_end: end(node.column, self.cells[0]),
            row: first(node.row, self.cells[1]),
            row_end: end(node.row, self.cells[1]),
        }
    }

    /// The grid lines along x and along y that bound the children of an entry above level 0: first, middle, last.
    #[inline]
    #[must_use]
    pub fn halves(&self, node: Node, cells: Cells) -> [[u32; 3]; 2] {
        let half = u64::from(BLOCK) << (node.level - 1);
        let middle = |first: u32, end: u32| (u64::from(first) + half).min(u64::from(end)) as u32;
        [
            [cells.column, middle(cells.column, cells.column_end), cells.column_end],
            [cells.row, middle(cells.row, cells.row_end), cells.row_end],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_is_the_range_of_its_cells() {
        for (columns, rows) in [(2, 2), (9, 9), (10, 2), (17, 18), (70, 33), (130, 9)] {
            let heights: Vec<f32> = (0..columns * rows).map(|k| ((k * 7919) % 1009) as f32 - 500.0).collect();
            let pyramid = Pyramid::new(columns, rows, &heights);
            let (root, range) = pyramid.root();
            let mut stack = vec![(root, range)];
            let mut covered = 0;
            while let Some((node, range)) = stack.pop() {
                let cells = pyramid.cells(node);
                if cells.column == cells.column_end || cells.row == cells.row_end {
                    assert!(range.min > range.max);
                    continue;
                }
                assert_eq!(pyramid.range(node), range);
                let mut expected = Range::EMPTY;
                for row in cells.row..=cells.row_end {
                    for column in cells.column..=cells.column_end {
                        let height = heights[(row * columns + column) as usize];
                        expected = expected.join(Range { min: height, max: height });
                    }
                }
                assert_eq!(range, expected, "{node:?} of {columns} x {rows}");
                if node.level == 0 {
                    covered += (cells.column_end - cells.column) * (cells.row_end - cells.row);
                } else {
                    stack.extend(pyramid.children(node));
                }
            }
            assert_eq!(covered, (columns - 1) * (rows - 1));
        }
    }

    #[test]
    fn memory_is_as_documented() {
        let heights = vec![0.0_f32; 2049 * 2049];
        let pyramid = Pyramid::new(2049, 2049, &heights);
        let bytes: usize = pyramid.levels.iter().map(|level| size_of_val(level.groups.as_slice())).sum();
        assert!((bytes as f64) < 0.042 * size_of_val(heights.as_slice()) as f64, "{bytes}");
    }
}
