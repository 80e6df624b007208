//! Whether two parts are the same geometry in the same place: their triangles coincide to within a tolerance.
//!
//! Points are numbered by location: each gets the number of the first earlier point within the tolerance, or a new one.
//! The parts are the same if they have the same triangles by these numbers, in any order and winding. Points are hashed
//! to a grid of cells as wide as the tolerance, so only a cell and its neighbours are searched.

use std::collections::BTreeMap;

use clearance::glam::DVec3;
use clearance::{Mesh, Pose};

/// Whether two placed meshes are the same, to within `tolerance`.
pub(crate) fn same((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose), tolerance: f64) -> bool {
    if a.triangle_count() != b.triangle_count() {
        return false;
    }
    // Points that differ by rounding count as the same.
    let size = |mesh: &Mesh, pose: &Pose| {
        mesh.points().fold(0.0, |size: f64, p| size.max(p.abs().max_element())) + pose.translation().abs().max_element()
    };
    let tolerance = tolerance.max(16.0 * f64::EPSILON * (size(a, pose_a) + size(b, pose_b)));
    let ([low_a, high_a], [low_b, high_b]) = (bounds(a, pose_a), bounds(b, pose_b));
    // Early out: most instances of one geometry are elsewhere.
    if (low_a - low_b).abs().max((high_a - high_b).abs()).max_element() > tolerance {
        return false;
    }
    let mut places = Places { width: tolerance, cells: BTreeMap::new(), points: Vec::new() };
    triangles(a, pose_a, &mut places) == triangles(b, pose_b, &mut places)
}

/// The bounding box of a placed mesh.
fn bounds(mesh: &Mesh, pose: &Pose) -> [DVec3; 2] {
    let points = mesh.points().map(|point| pose.transform_point(point));
    points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], point| [low.min(point), high.max(point)])
}

/// The sorted triangles of a placed mesh, by point numbers.
fn triangles(mesh: &Mesh, pose: &Pose, places: &mut Places) -> Vec<[usize; 3]> {
    let numbers: Vec<usize> = mesh.points().map(|point| places.number(pose.transform_point(point))).collect();
    let mut found: Vec<[usize; 3]> = mesh
        .triangles()
        .into_iter()
        .map(|corners| {
            let mut corners = corners.map(|corner| numbers[corner as usize]);
            corners.sort_unstable();
            corners
        })
        .collect();
    found.sort_unstable();
    found
}

/// Points, each representing all others within a width of it.
struct Places {
    width: f64,
    cells: BTreeMap<[i64; 3], Vec<usize>>,
    points: Vec<DVec3>,
}

impl Places {
    fn number(&mut self, point: DVec3) -> usize {
        // Coordinates beyond the integer range saturate to one cell, which is searched.
        let cell = (point / self.width).to_array().map(|x| x.floor() as i64);
        for k in 0..27 {
            let by = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            let near = [0, 1, 2].map(|axis| cell[axis].saturating_add(by[axis]));
            let known = self.cells.get(&near).into_iter().flatten();
            if let Some(&known) = known.into_iter().find(|&&known| self.points[known].distance(point) <= self.width) {
                return known;
            }
        }
        self.points.push(point);
        self.cells.entry(cell).or_default().push(self.points.len() - 1);
        self.points.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use clearance::glam::DVec3;
    use clearance::{Mesh, Pose};

    use super::same;
    use crate::test_parts::cuboid;

    #[test]
    fn the_same_place_however_it_is_written() {
        let cube = cuboid(DVec3::ONE);
        let here = Pose::from_translation(DVec3::new(3.0, 4.0, 5.0)).unwrap();
        assert!(same((&cube, &here), (&cube, &here), 0.0));
        // Points baked into the mesh, triangles in another order.
        let points: Vec<[f64; 3]> = cube.points().map(|p| (p + here.translation()).to_array()).collect();
        let mut triangles = cube.triangles();
        triangles.reverse();
        triangles.iter_mut().for_each(|t| t.rotate_left(1));
        let baked = Mesh::new(&points, &triangles).unwrap();
        assert!(same((&cube, &here), (&baked, &Pose::IDENTITY), 0.0));
        // A small offset, within and beyond the tolerance.
        let near = Pose::from_translation(here.translation() + 1e-7).unwrap();
        assert!(same((&cube, &here), (&cube, &near), 1e-6));
        assert!(!same((&cube, &here), (&cube, &near), 1e-8));
        // A square of four triangles about its centre is the same after a quarter turn, and not after less.
        let square = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0; 3]];
        let square = Mesh::new(&square, &[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]).unwrap();
        let turned = |angle: f64| Pose::from_axis_angle(DVec3::Z, angle, here.translation()).unwrap();
        assert!(same((&square, &here), (&square, &turned(FRAC_PI_2)), 1e-9));
        assert!(!same((&square, &here), (&square, &turned(0.5 * FRAC_PI_2)), 1e-9));
        assert!(!same((&cube, &here), (&cuboid(DVec3::new(1.0, 1.0, 1.1)), &here), 1e-6));
    }
}
