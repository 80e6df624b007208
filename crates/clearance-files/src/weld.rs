//! Makes points that lie on one another one point.
//!
//! At tolerance 0 that is equality of coordinates. Otherwise points are taken in order; each goes to the first point
//! kept so far that is within the tolerance of it, and is kept if there is none. So no point moves by more than the
//! tolerance, however many stand in a row, and the result depends on nothing but the order. Kept points lie in a grid
//! whose cells are as wide as the tolerance: only a cell and its neighbours are searched. Points kept are farther from
//! one another than the tolerance, so a cell holds few.

use std::collections::BTreeMap;

use crate::assembly::Geometry;
use crate::error::Error;

/// What [`weld`] did.
///
/// ```
/// use clearance_files::Welded;
/// assert_eq!(Welded::default().merged, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Welded {
    /// How many points there were.
    pub before: u64,
    /// How many points are gone, each joined with one that stood before it.
    pub merged: u64,
    /// The farthest that a point moved.
    pub farthest: f64,
    /// How many triangles have two corners on one point that had three before. They are kept: see
    /// [`Geometry::remove_collapsed`].
    pub collapsed: u64,
}

/// Joins points no farther apart than the tolerance; at tolerance 0, points with the same coordinates. STL stores each
/// triangle with corners of its own and needs it to be a closed surface.
///
/// No point moves by more than the tolerance. No triangle is removed.
///
/// # Errors
/// [`Error::BadTolerance`].
///
/// ```
/// use clearance_files::{Geometry, weld};
///
/// let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1e-9, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
/// let mut geometry = Geometry { name: String::new(), points, triangles: vec![[0, 1, 2], [4, 3, 5]] };
/// assert_eq!(weld(&mut geometry, 0.0).unwrap().merged, 1);
/// let welded = weld(&mut geometry, 1e-6).unwrap();
/// assert_eq!((welded.merged, welded.farthest), (1, 1e-9));
/// assert_eq!(geometry.triangles, [[0, 1, 2], [2, 1, 3]]);
/// ```
pub fn weld(geometry: &mut Geometry, tolerance: f64) -> Result<Welded, Error> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(Error::BadTolerance { tolerance });
    }
    let mut welded = Welded { before: geometry.points.len() as u64, ..Welded::default() };
    let mut kept: Vec<[f64; 3]> = Vec::new();
    let map: Vec<u32> = if tolerance == 0.0 {
        exactly(&geometry.points, &mut kept)
    } else {
        within(&geometry.points, tolerance, &mut kept, &mut welded.farthest)
    };
    welded.merged = (geometry.points.len() - kept.len()) as u64;
    geometry.points = kept;
    for triangle in &mut geometry.triangles {
        let distinct = |[a, b, c]: [u32; 3]| a != b && b != c && c != a;
        let before = *triangle;
        *triangle = triangle.map(|corner| map.get(corner as usize).copied().unwrap_or(corner));
        welded.collapsed += u64::from(distinct(before) && !distinct(*triangle));
    }
    Ok(welded)
}

/// The order in which equal points stand together: indices sorted by coordinates, then by index.
fn exactly(points: &[[f64; 3]], kept: &mut Vec<[f64; 3]>) -> Vec<u32> {
    // Adding zero makes -0 into 0, which is the same coordinate.
    let key = |index: u32| points[index as usize].map(|part| (part + 0.0).to_bits());
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|&index| (key(index), index));
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            first[pair[1] as usize] = first[pair[0] as usize];
        }
    }
    let mut map = Vec::with_capacity(points.len());
    for (index, &first) in first.iter().enumerate() {
        if first as usize == index {
            map.push(kept.len() as u32);
            kept.push(points[index]);
        } else {
            map.push(map[first as usize]);
        }
    }
    map
}

fn within(points: &[[f64; 3]], tolerance: f64, kept: &mut Vec<[f64; 3]>, farthest: &mut f64) -> Vec<u32> {
    // Cells are numbered by doubles: beyond 2^53 their neighbours are themselves, and doubles that differ lie farther
    // apart than the tolerance. Where the quotient overflows the coordinate itself numbers the cell, so that a cell
    // holds few even there; that another cell may have the same number costs a look, no more.
    let cell = |coordinate: f64| {
        let number = (coordinate / tolerance).floor();
        if number.is_finite() { number + 0.0 } else { coordinate }
    };
    let mut grid: BTreeMap<[u64; 3], Vec<u32>> = BTreeMap::new();
    let mut map = Vec::with_capacity(points.len());
    for &point in points {
        let home = point.map(cell);
        let mut found: Option<(u32, f64)> = None;
        for number in 0..27 {
            let step = [number % 3, number / 3 % 3, number / 9].map(|step| f64::from(step) - 1.0);
            let near: [f64; 3] = std::array::from_fn(|axis| home[axis] + step[axis]);
            if (0..3).any(|axis| step[axis] != 0.0 && near[axis] == home[axis]) {
                continue;
            }
            for &candidate in grid.get(&near.map(f64::to_bits)).map_or(&[][..], Vec::as_slice) {
                let other = kept[candidate as usize];
                let gap = (0..3).map(|axis| other[axis] - point[axis]).fold(0.0, f64::hypot);
                if gap <= tolerance && found.is_none_or(|(best, _)| candidate < best) {
                    found = Some((candidate, gap));
                }
            }
        }
        let vertex = match found {
            Some((vertex, gap)) => {
                *farthest = farthest.max(gap);
                vertex
            }
            None => {
                kept.push(point);
                grid.entry(home.map(f64::to_bits)).or_default().push(kept.len() as u32 - 1);
                kept.len() as u32 - 1
            }
        };
        map.push(vertex);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(points: Vec<[f64; 3]>) -> Geometry {
        Geometry { name: String::new(), points, triangles: Vec::new() }
    }

    #[test]
    fn no_point_moves_farther_than_the_tolerance() {
        let mut row = cloud((0..100).map(|step| [f64::from(step) * 0.9, 0.0, 0.0]).collect());
        let welded = weld(&mut row, 1.0).unwrap();
        assert_eq!((welded.merged, row.points.len()), (50, 50));
        assert!(welded.farthest <= 1.0);
    }

    #[test]
    fn signs_of_zero_and_cells_do_not_matter() {
        let mut points = cloud(vec![[0.0, -0.0, 1.0], [-0.0, 0.0, 1.0], [-1e-9, 1e-9, 1.0], [1e300; 3], [-1e300; 3]]);
        let mut same = points.clone();
        assert_eq!(weld(&mut same, 0.0).unwrap().merged, 1);
        assert_eq!(weld(&mut points, 1e-6).unwrap().merged, 2);
        assert_eq!(points.points.len(), 3);
        // A tolerance so small that quotients overflow.
        assert_eq!(weld(&mut points, 5e-324).unwrap().merged, 0);
    }

    #[test]
    fn huge_coordinates_do_not_share_one_cell() {
        // Quotients by the tolerance overflow: in one cell, each would be compared with all others.
        let mut points = cloud((0..200_000).map(|step| [1e300 * (1.0 + f64::from(step)), 0.0, 0.0]).collect());
        points.points.push([1e300, 0.0, 0.0]);
        assert_eq!(weld(&mut points, 1e-9).unwrap().merged, 1);
    }

    #[test]
    fn collapsed_triangles_are_counted_and_kept() {
        let mut geometry = cloud(vec![[0.0; 3], [1e-8, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        geometry.triangles = vec![[0, 1, 2], [0, 0, 2]];
        assert_eq!(weld(&mut geometry, 1e-6).unwrap().collapsed, 1);
        assert_eq!(geometry.remove_collapsed(), 2);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(weld(&mut geometry, bad), Err(Error::BadTolerance { .. })));
        }
    }
}
