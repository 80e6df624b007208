//! The separating axes of two boxes as published, with every operation counted or none.
//!
//! Gottschalk, Lin, Manocha, *OBBTree* (SIGGRAPH 1996), section 5 and table 1: the 15 directions in the frame of the
//! first box, where the other's axes and position are known. A thickness of zero leaves out the terms that it would
//! multiply.

/// What the test does its arithmetic by.
pub trait Arithmetic {
    fn add(&mut self, x: f64, y: f64) -> f64;
    fn multiply(&mut self, x: f64, y: f64) -> f64;
    fn absolute(&mut self, x: f64) -> f64;
    /// Whether `x > y`.
    fn exceeds(&mut self, x: f64, y: f64) -> bool;
}

/// Counts nothing.
impl Arithmetic for () {
    #[inline(always)]
    fn add(&mut self, x: f64, y: f64) -> f64 {
        x + y
    }

    #[inline(always)]
    fn multiply(&mut self, x: f64, y: f64) -> f64 {
        x * y
    }

    #[inline(always)]
    fn absolute(&mut self, x: f64) -> f64 {
        x.abs()
    }

    #[inline(always)]
    fn exceeds(&mut self, x: f64, y: f64) -> bool {
        x > y
    }
}

/// Operations, in the order of the published table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    pub comparisons: u32,
    pub additions: u32,
    pub multiplications: u32,
    pub absolutes: u32,
}

impl Operations {
    pub fn total(&self) -> u32 {
        self.comparisons + self.additions + self.multiplications + self.absolutes
    }
}

impl Arithmetic for Operations {
    fn add(&mut self, x: f64, y: f64) -> f64 {
        self.additions += 1;
        x + y
    }

    fn multiply(&mut self, x: f64, y: f64) -> f64 {
        self.multiplications += 1;
        x * y
    }

    fn absolute(&mut self, x: f64) -> f64 {
        self.absolutes += 1;
        x.abs()
    }

    fn exceeds(&mut self, x: f64, y: f64) -> bool {
        self.comparisons += 1;
        x > y
    }
}

/// Two boxes in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub struct InFirst {
    /// From the centre of the first to that of the second.
    pub apart: [f64; 3],
    /// The axes of the second.
    pub axes: [[f64; 3]; 3],
    /// Half extents.
    pub half: [[f64; 3]; 2],
}

/// Whether two boxes overlap, by 15 axes until one separates. `FLAT`: which of the boxes have a third extent of zero.
#[inline(always)]
pub fn overlap<const FLAT_A: bool, const FLAT_B: bool>(a: &mut impl Arithmetic, pair: &InFirst) -> bool {
    let InFirst { apart: t, axes: r, half: [half_a, half_b] } = pair;
    let mut absolute = [[0.0; 3]; 3];
    for j in 0..3 {
        for i in 0..3 {
            absolute[j][i] = a.absolute(r[j][i]);
        }
    }
    let has = |flat: bool, k: usize| !(flat && k == 2);
    for i in 0..3 {
        let mut radius = half_a[i];
        for j in (0..3).filter(|&j| has(FLAT_B, j)) {
            let term = a.multiply(half_b[j], absolute[j][i]);
            // A radius that begins at nothing takes its first term as it is.
            radius = if has(FLAT_A, i) || j > 0 { a.add(radius, term) } else { term };
        }
        let distance = a.absolute(t[i]);
        if a.exceeds(distance, radius) {
            return false;
        }
    }
    for j in 0..3 {
        let mut radius = half_b[j];
        for i in (0..3).filter(|&i| has(FLAT_A, i)) {
            let term = a.multiply(half_a[i], absolute[j][i]);
            radius = if has(FLAT_B, j) || i > 0 { a.add(radius, term) } else { term };
        }
        let mut distance = a.multiply(t[0], r[j][0]);
        for i in 1..3 {
            let term = a.multiply(t[i], r[j][i]);
            distance = a.add(distance, term);
        }
        let distance = a.absolute(distance);
        if a.exceeds(distance, radius) {
            return false;
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let mut radius = None;
            let terms = [
                (has(FLAT_A, i1), half_a[i1], absolute[j][i2]),
                (has(FLAT_A, i2), half_a[i2], absolute[j][i1]),
                (has(FLAT_B, j1), half_b[j1], absolute[j2][i]),
                (has(FLAT_B, j2), half_b[j2], absolute[j1][i]),
            ];
            for (_, half, projected) in terms.into_iter().filter(|term| term.0) {
                let term = a.multiply(half, projected);
                radius = Some(match radius {
                    None => term,
                    Some(sum) => a.add(sum, term),
                });
            }
            let (one, other) = (a.multiply(t[i2], r[j][i1]), a.multiply(t[i1], r[j][i2]));
            let distance = a.add(one, -other);
            let distance = a.absolute(distance);
            if a.exceeds(distance, radius.unwrap_or(0.0)) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_against_an_edge_needs_the_last_axes() {
        let s = 0.5f64.sqrt();
        let pair = |distance: f64| InFirst {
            apart: [distance, 0.0, 0.0],
            axes: [[s, s, 0.0], [-s, s, 0.0], [0.0, 0.0, 1.0]],
            half: [[1.0; 3]; 2],
        };
        assert!(overlap::<false, false>(&mut (), &pair(2.4)) && !overlap::<false, false>(&mut (), &pair(2.42)));
    }
}
