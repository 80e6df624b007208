//! Polygons into triangles.
//!
//! A polygon is seen along the axis in which its normal (Newell's: the sum of the cross products of its sides) is
//! longest. If every triangle between its first corner and another side turns the same way as the whole, these
//! triangles are it: so it is with every convex polygon. Otherwise ears are cut off: three corners in a row that turn
//! the right way and have no other corner between them (Meisters 1975). Which way three corners turn is decided exactly
//! (`robust`). Where no ear is left, because the polygon crosses itself or has no area, the first corner is cut off all
//! the same, and that is noted.

use robust::{Coord, orient2d};

use crate::error::{Fault, Place};
use crate::limits::{Budget, COPIED_PER_TEST};
use crate::note::{NoteKind, Notes};

/// Faces of any number of corners, in the order in which they came: triangles, and from the first other face on faces
/// by their corners. Most files have nothing but triangles.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    triangles: Vec<[u32; 3]>,
    corners: Vec<u32>,
    /// Of each face in `corners`, where its corners end.
    ends: Vec<usize>,
    /// Of each face with more than three corners, its number and its place.
    polygons: Vec<(usize, u64)>,
}

impl Faces {
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.ends.is_empty()
    }

    pub fn corners(&self) -> impl Iterator<Item = &u32> {
        self.triangles.as_flattened().iter().chain(&self.corners)
    }

    pub fn corners_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.triangles.as_flattened_mut().iter_mut().chain(&mut self.corners)
    }

    /// Makes room for so many triangles.
    pub fn reserve(&mut self, triangles: usize) {
        self.triangles.reserve_exact(triangles);
    }

    /// Adds triangles, before any other face.
    pub fn extend(&mut self, triangles: impl Iterator<Item = [u32; 3]>) {
        debug_assert!(self.ends.is_empty());
        self.triangles.extend(triangles);
    }

    /// Adds a face of at least three corners; `place` is its line or byte.
    pub fn push(&mut self, corners: &[u32], place: u64) {
        if let (&[a, b, c], true) = (corners, self.ends.is_empty()) {
            return self.triangles.push([a, b, c]);
        }
        self.corners.extend_from_slice(corners);
        if corners.len() > 3 {
            self.polygons.push((self.ends.len(), place));
        }
        self.ends.push(self.corners.len());
    }

    /// All faces as triangles. `place` makes a place of the number given to `push`.
    pub fn triangles(
        self,
        points: &[[f64; 3]],
        place: fn(u64) -> Place,
        budget: &mut Budget,
        notes: &mut Notes,
    ) -> Result<Vec<[u32; 3]>, Fault> {
        let mut triangles = self.triangles;
        triangles.reserve_exact(self.corners.len().saturating_sub(2 * self.ends.len()));
        let (mut start, mut polygons) = (0, self.polygons.iter());
        for &end in &self.ends {
            let face = &self.corners[start..end];
            start = end;
            if let &[a, b, c] = face {
                triangles.push([a, b, c]);
                continue;
            }
            let at = polygons.next().map_or(0, |&(_, at)| at);
            notes.add(NoteKind::Triangulated, "polygons cut into triangles", place(at), 1);
            let is_proper = cut(face, points, budget, &mut triangles);
            if is_proper == Some(false) {
                let what = "polygons that cross themselves or have no area: the cut into triangles is arbitrary";
                notes.add(NoteKind::Assumed, what, place(at), 1);
            }
            if is_proper.is_none() {
                let problem = "polygons that are not convex have too many corners; export triangles instead";
                return Err(Fault::limit(place(at), problem));
            }
        }
        Ok(triangles)
    }
}

/// Cuts one polygon of four corners or more. False where some triangle is not an ear; `None` when no tests are left.
fn cut(face: &[u32], points: &[[f64; 3]], budget: &mut Budget, triangles: &mut Vec<[u32; 3]>) -> Option<bool> {
    let corners = seen_along_normal(face, points);
    let turn = |a: usize, b: usize, c: usize| orient2d(corners[a], corners[b], corners[c]);
    if (1..face.len() - 1).all(|side| turn(0, side, side + 1) > 0.0) {
        triangles.extend((1..face.len() - 1).map(|side| [face[0], face[side], face[side + 1]]));
        return Some(true);
    }
    let mut proper = true;
    let mut left: Vec<usize> = (0..face.len()).collect();
    // Where the search goes on: an ear changes only its neighbours.
    let mut at = 0;
    while left.len() > 3 {
        let count = left.len();
        let neighbours = |at: usize| (left[(at + count - 1) % count], left[at], left[(at + 1) % count]);
        let mut in_budget = budget.test_ears(1 + count as u64 / COPIED_PER_TEST);
        let mut is_ear = |at: usize| {
            let (a, b, c) = neighbours(at);
            // Every look is counted, so that corners in a line, none of which is an ear, come to an end too.
            let turns = turn(a, b, c) > 0.0;
            in_budget &= budget.test_ears(if turns { count as u64 } else { 1 });
            if !turns || !in_budget {
                return false;
            }
            let inside = |&other: &usize| {
                let point = corners[other];
                let apart = [a, b, c].iter().all(|&corner| corners[corner] != point);
                apart && turn(a, b, other) >= 0.0 && turn(b, c, other) >= 0.0 && turn(c, a, other) >= 0.0
            };
            !left.iter().any(inside)
        };
        let ear = (0..count).map(|step| (at + step) % count).find(|&at| is_ear(at));
        if !in_budget {
            return None;
        }
        // A corner on the line between its neighbours is not an ear, but nothing is lost with it.
        let flat = || (0..count).find(|&at| matches!(neighbours(at), (a, b, c) if turn(a, b, c) == 0.0));
        proper &= ear.is_some();
        let cut = ear.or_else(flat).unwrap_or(0);
        let (a, b, c) = neighbours(cut);
        triangles.push([face[a], face[b], face[c]]);
        left.remove(cut);
        at = if cut == 0 { 0 } else { cut - 1 };
    }
    triangles.push([face[left[0]], face[left[1]], face[left[2]]]);
    Some(proper && turn(left[0], left[1], left[2]) > 0.0)
}

/// The corners in the plane, so that the polygon runs counter-clockwise as a whole.
fn seen_along_normal(face: &[u32], points: &[[f64; 3]]) -> Vec<Coord<f64>> {
    let corner = |at: usize| points[face[at % face.len()] as usize];
    let largest =
        face.iter().flat_map(|&corner| points[corner as usize]).fold(0.0, |most: f64, part| most.max(part.abs()));
    // To at most 1: no product can overflow.
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let from_first = |at: usize| -> [f64; 3] {
        let (point, first) = (corner(at), corner(0));
        std::array::from_fn(|axis| point[axis] / scale - first[axis] / scale)
    };
    let mut normal = [0.0; 3];
    for side in 1..face.len() - 1 {
        let (p, q) = (from_first(side), from_first(side + 1));
        for (axis, sum) in normal.iter_mut().enumerate() {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            *sum += p[next] * q[last] - p[last] * q[next];
        }
    }
    let axis = (0..3).fold(0, |best, axis| if normal[axis].abs() > normal[best].abs() { axis } else { best });
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    let (x, y) = if normal[axis] < 0.0 { (y, x) } else { (x, y) };
    (0..face.len()).map(|at| Coord { x: corner(at)[x], y: corner(at)[y] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use std::path::Path;

    fn triangles_of(points: &[[f64; 3]]) -> (Vec<[u32; 3]>, String) {
        let (mut faces, mut notes) = (Faces::default(), Notes::new(Path::new("x")));
        let face: Vec<u32> = (0..points.len() as u32).collect();
        faces.push(&face, 7);
        let mut budget = Budget::new(&Limits::default(), 100);
        let triangles = faces.triangles(points, Place::Line, &mut budget, &mut notes).unwrap();
        (triangles, notes.in_a_line())
    }

    fn area(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
        triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| points[corner as usize]);
                0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
            })
            .inspect(|&part| assert!(part > 0.0, "{triangles:?}"))
            .sum()
    }

    #[test]
    fn convex_polygons_are_fans() {
        let square = [[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [1.0, 1.0, 5.0], [0.0, 1.0, 5.0]];
        assert_eq!(triangles_of(&square).0, [[0, 1, 2], [0, 2, 3]]);
        // The same seen from behind and from the side.
        for [x, y, z] in [[1, 0, 2], [2, 0, 1], [1, 2, 0]] {
            let turned = square.map(|point| [point[x], point[y], point[z]]);
            assert_eq!(triangles_of(&turned).0, [[0, 1, 2], [0, 2, 3]]);
        }
    }

    #[test]
    fn polygons_that_are_not_convex_keep_their_area_and_turn() {
        let arrow = [[0.0, 0.0, 0.0], [2.0, -1.0, 0.0], [0.5, 0.0, 0.0], [2.0, 1.0, 0.0]];
        for first in 0..4 {
            let mut turned = arrow;
            turned.rotate_left(first);
            let (triangles, notes) = triangles_of(&turned);
            assert_eq!(area(&turned, &triangles), 0.5);
            assert_eq!(notes, "triangulated 1 polygons cut into triangles");
        }
        // A comb with ten teeth, and corners in the middle of straight sides.
        let mut comb = vec![[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [20.0, 0.0, 0.0]];
        for tooth in (0..10).rev() {
            let x = 2.0 * f64::from(tooth);
            comb.extend([[x + 2.0, 5.0, 0.0], [x + 1.0, 1.0, 0.0]]);
        }
        comb.push([0.0, 5.0, 0.0]);
        let (triangles, notes) = triangles_of(&comb);
        assert_eq!(area(&comb, &triangles), 20.0 + 10.0 * 4.0);
        assert_eq!(triangles.len(), comb.len() - 2);
        assert!(!notes.contains("assumed"), "{notes}");
    }

    #[test]
    fn a_corner_in_a_straight_side_makes_no_flat_triangle() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        for first in 0..4 {
            let mut turned = points;
            turned.rotate_left(first);
            assert_eq!(area(&turned, &triangles_of(&turned).0), 2.0);
        }
    }

    #[test]
    fn what_crosses_itself_is_noted_and_what_is_huge_is_cut() {
        let bow = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (triangles, notes) = triangles_of(&bow);
        assert_eq!(triangles.len(), 2);
        assert!(notes.contains("assumed 1 polygons that cross themselves"), "{notes}");
        assert_eq!(triangles_of(&[[0.0; 3]; 6]).0.len(), 4);
        let huge = [[-1e308, -1e308, 0.0], [1e308, -1e308, 0.0], [1e308, 1e308, 0.0], [-1e308, 1e308, 0.0]];
        assert_eq!(triangles_of(&huge).0.len(), 2);
    }
}
