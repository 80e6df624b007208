//! On which side of a height field's surface a point lies that is not an `f64` vector: the sign of a polynomial over
//! any [`Ring`].

use std::cmp::Ordering;

use glam::DVec3;

use super::HeightField;
use crate::math::ring::{self, Ring, Vector};

/// Where a point lies relative to the solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroundSide {
    /// Outside the footprint.
    Beside,
    /// Over the footprint, above (greater), on or below (less) the surface.
    Over(Ordering),
}

impl HeightField {
    /// Where the point `v / w`, `w > 0`, lies; `near` is that point rounded. `None` if the numbers leave it undecided.
    pub(crate) fn side_of<N: Ring>(&self, v: &Vector<N>, w: &N, near: DVec3) -> Option<GroundSide> {
        let (columns, rows) = (self.data.columns - 1, self.data.rows - 1);
        let Some(column) = interval_of(&v[0], w, near.x, columns, self.data.spacing.x)? else {
            return Some(GroundSide::Beside);
        };
        let Some(row) = interval_of(&v[1], w, near.y, rows, self.data.spacing.y)? else {
            return Some(GroundSide::Beside);
        };
        let [a, _, c] = self.corners(column, row, false);
        let from_a = |k: usize| v[k].minus(&N::of(a[k]).times(w));
        let along = |k: usize| N::of(c[k]).minus(&N::of(a[k]));
        let left = along(0).times(&from_a(1)).minus(&along(1).times(&from_a(0))).sign()?.is_gt();
        plane_side(self.corners(column, row, left), v, w).map(GroundSide::Over)
    }

    /// On which side of the plane of a triangle the point `v / w`, `w > 0`, lies: greater for above.
    pub(crate) fn side_of_plane<N: Ring>(&self, triangle: u32, v: &Vector<N>, w: &N) -> Option<Ordering> {
        plane_side(self.triangle(triangle)?, v, w)
    }
}

fn plane_side<N: Ring>(corners: [DVec3; 3], v: &Vector<N>, w: &N) -> Option<Ordering> {
    let [a, b, c] = corners.map(ring::vector::<N>);
    let normal = ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a));
    ring::dot(&normal, &ring::subtract(v, &ring::scale(&a, w))).sign()
}

/// The interval between grid lines that contains `value / w`; `Some(None)` if there is none. The rounded value is at
/// most one interval off, since a grid has at most 2³² of them.
fn interval_of<N: Ring>(value: &N, w: &N, near: f64, count: u32, spacing: f64) -> Option<Option<u32>> {
    let line = |index: u32| f64::from(index) * spacing;
    let index = super::interval_of(near.clamp(0.0, line(count)), spacing, count)?;
    let beyond = |index: u32| value.minus(&N::of(line(index)).times(w)).sign();
    if beyond(index)?.is_lt() {
        return Some(index.checked_sub(1));
    }
    if beyond(index + 1)?.is_gt() {
        return Some((index + 1 < count).then_some(index + 1));
    }
    Some(Some(index))
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::*;
    use crate::math::dyadic::Dyadic;
    use crate::math::enclosed::Enclosed;

    #[test]
    fn agrees_with_the_float_predicates() {
        let heights: Vec<f32> = (0..20).map(|k| ((k * 7) % 5) as f32 * 0.3).collect();
        let field = HeightField::new(5, 4, DVec2::new(0.1, 0.3), heights).unwrap();
        for k in 0..4000u32 {
            let pick = |step: u32, count: u32| f64::from((k * step) % count) / f64::from(count - 1);
            let (x, y) = (pick(7, 29) * 0.5 - 0.05, pick(11, 31) * 1.0 - 0.05);
            // On the surface as often as near it.
            let height = field.height_at(x, y).map_or(0.5, |sample| sample.height.value);
            let point = DVec3::new(x, y, [height, height.next_up(), height.next_down(), 0.6][k as usize % 4]);
            let expected = match field.side(point) {
                None => GroundSide::Beside,
                Some(side) if side.is_positive() => GroundSide::Over(Ordering::Greater),
                Some(side) if side.is_zero() => GroundSide::Over(Ordering::Equal),
                Some(_) => GroundSide::Over(Ordering::Less),
            };
            let w = Dyadic::of(3.0);
            let v = ring::scale(&ring::vector::<Dyadic>(point), &w);
            assert_eq!(field.side_of(&v, &w, point), Some(expected), "{point}");
            let enclosed = field.side_of(&ring::vector::<Enclosed>(point), &Enclosed::ONE, point);
            assert!(enclosed.is_none_or(|side| side == expected), "{point}");
        }
    }
}
