//! Surfaces made by formula, of a wanted number of triangles from a few to ten million: the same numbers on every run.

use super::Model;
use std::f64::consts::TAU;

/// A sphere of radius 1 about the origin, closed and wound outwards: an octahedron whose faces are cut into `n * n`
/// triangles each and blown up, with the `n` that comes nearest to the wanted number.
pub fn sphere(triangles: usize) -> Model {
    blown_octahedron("sphere", triangles, |_| 1.0)
}

/// A sphere with bumps and dents of three sizes, the radius between 0.66 and 1.34: closed, wound outwards, not convex.
pub fn bumpy_sphere(triangles: usize) -> Model {
    blown_octahedron("bumpy-sphere", triangles, |[x, y, z]| {
        let wave = |frequency: f64| (frequency * x).sin() * (frequency * y + 1.0).sin() * (frequency * z + 2.0).sin();
        1.0 + 0.2 * wave(5.0) + 0.1 * wave(13.0) + 0.04 * wave(31.0)
    })
}

/// A torus about the z axis, of radii 1 and 0.4, closed and wound outwards. It has `2 m n` triangles, with `m` steps
/// about the axis for each `0.4 m` about the tube.
pub fn torus(triangles: usize) -> Model {
    let (major, minor) = (1.0, 0.4);
    let tube = ((triangles as f64 / 2.0 * minor).sqrt().round() as u32).max(3);
    let ring = ((triangles as f64 / (2.0 * f64::from(tube))).round() as u32).max(3);
    torus_of(ring, tube, major, minor)
}

/// A torus about the z axis of so many steps about the axis and about the tube.
pub fn torus_of(ring: u32, tube: u32, major: f64, minor: f64) -> Model {
    let mut points = Vec::with_capacity(ring as usize * tube as usize);
    let mut faces = Vec::with_capacity(2 * points.capacity());
    for i in 0..ring {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(ring)).sin_cos();
        for j in 0..tube {
            let angle = TAU * f64::from(j) / f64::from(tube);
            let radius = major + minor * angle.cos();
            points.push([radius * cos, radius * sin, minor * angle.sin()]);
            let vertex = |i: u32, j: u32| (i % ring) * tube + j % tube;
            let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    Model { name: "torus".into(), points, triangles: faces }
}

/// A sheet over the square from -1 to 1 with waves of height 0.1, open, wound upwards: `2 n n` triangles.
pub fn grid(triangles: usize) -> Model {
    let cells = ((triangles as f64 / 2.0).sqrt().round() as u32).max(1);
    let side = cells + 1;
    let mut points = Vec::with_capacity(side as usize * side as usize);
    let mut faces = Vec::with_capacity(2 * cells as usize * cells as usize);
    for i in 0..side {
        for j in 0..side {
            let [x, y] = [i, j].map(|step| 2.0 * f64::from(step) / f64::from(cells) - 1.0);
            points.push([x, y, 0.1 * (7.0 * x).sin() * (5.0 * y).cos()]);
            if i < cells && j < cells {
                let corner = i * side + j;
                let [a, b, c, d] = [corner, corner + side, corner + side + 1, corner + 1];
                faces.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    Model { name: "grid".into(), points, triangles: faces }
}

/// An octahedron with `8 n n` triangles, each vertex moved along its direction to the radius given for it.
///
/// The vertices are the integer points with `|x| + |y| + |z| = n`, taken in rings of equal `z` from the upper pole
/// down; a ring at height `z` has `4 (n - |z|)` of them, counted from `(n - |z|, 0, z)` counter-clockwise as seen from
/// above.
fn blown_octahedron(name: &str, triangles: usize, radius: impl Fn([f64; 3]) -> f64) -> Model {
    let n = ((triangles as f64 / 8.0).sqrt().round() as u32).max(1);
    let mut points = Vec::with_capacity(4 * n as usize * n as usize + 2);
    let mut rings = Vec::with_capacity(2 * n as usize + 1);
    for row in 0..=2 * n {
        let size = row.min(2 * n - row);
        let height = f64::from(n) - f64::from(row);
        rings.push((points.len() as u32, size));
        for index in 0..(4 * size).max(1) {
            let along = f64::from(index % size.max(1));
            let (far, near) = (f64::from(size) - along, along);
            let [x, y] = match index / size.max(1) {
                0 => [far, near],
                1 => [-near, far],
                2 => [-far, -near],
                _ => [near, -far],
            };
            let length = (x * x + y * y + height * height).sqrt();
            let direction = [x / length, y / length, height / length];
            let radius = radius(direction);
            points.push(direction.map(|part| part * radius));
        }
    }
    let mut faces = Vec::with_capacity(8 * n as usize * n as usize);
    for pair in rings.windows(2) {
        let downwards = pair[0].1 < pair[1].1;
        let (inner, outer) = if downwards { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        let vertex = |(start, size): (u32, u32), index: u32| start + if size == 0 { 0 } else { index % (4 * size) };
        let mut add = |[a, b, c]: [u32; 3]| faces.push(if downwards { [a, b, c] } else { [a, c, b] });
        for quarter in 0..4 {
            for step in 0..outer.1 {
                let (below, above) = (quarter * outer.1 + step, quarter * inner.1 + step);
                add([vertex(outer, below), vertex(outer, below + 1), vertex(inner, above)]);
                if step < inner.1 {
                    add([vertex(outer, below + 1), vertex(inner, above + 1), vertex(inner, above)]);
                }
            }
        }
    }
    Model { name: name.into(), points, triangles: faces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Six times the volume that the triangles enclose.
    fn volume(model: &Model) -> f64 {
        let determinant = |[a, b, c]: [[f64; 3]; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        (0..model.triangles.len()).map(|triangle| determinant(model.corners(triangle))).sum::<f64>() / 6.0
    }

    /// How many sides have no neighbour that runs the other way.
    fn open_sides(model: &Model) -> usize {
        let mut sides = BTreeMap::new();
        for &[a, b, c] in &model.triangles {
            for side in [[a, b], [b, c], [c, a]] {
                *sides.entry(side).or_insert(0) += 1;
            }
        }
        sides.iter().filter(|&(&[a, b], &count)| count != 1 || sides.get(&[b, a]) != Some(&1)).count()
    }

    #[test]
    fn closed_surfaces_are_closed_and_wound_outwards() {
        for (model, least, most) in [
            (sphere(8), 1.3, 1.4),
            (sphere(5000), 4.16, 4.19),
            (bumpy_sphere(20000), 3.0, 5.0),
            (torus(5000), 3.1, 3.16),
        ] {
            assert_eq!(open_sides(&model), 0, "{}", model.name);
            assert!((least..most).contains(&volume(&model)), "{}: {}", model.name, volume(&model));
            assert!(model.triangles.iter().flatten().all(|&vertex| (vertex as usize) < model.points.len()));
        }
    }

    #[test]
    fn the_number_of_triangles_is_near_what_was_wanted() {
        for wanted in [1_000, 30_000, 300_000] {
            for model in [sphere(wanted), bumpy_sphere(wanted), torus(wanted), grid(wanted)] {
                let ratio = model.triangles.len() as f64 / wanted as f64;
                assert!((0.93..1.07).contains(&ratio), "{} {wanted}: {ratio}", model.name);
            }
        }
        assert_eq!((grid(0).triangles.len(), sphere(0).triangles.len()), (2, 8));
    }

    #[test]
    fn a_grid_has_one_border_and_is_wound_upwards() {
        let model = grid(2 * 12 * 12);
        assert_eq!(open_sides(&model), 4 * 12);
        for triangle in 0..model.triangles.len() {
            let [a, b, c] = model.corners(triangle);
            assert!((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0);
        }
    }
}
