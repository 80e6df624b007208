//! Stand-ins for the objects of Kitamura, Smith, Takemura and Kishino (*A Real-Time Algorithm for Accurate Collision
//! Detection for Deformable Polyhedral Objects*, 1998), which cannot be had: the same numbers of triangles, made by
//! formula, not convex where theirs are not. All are about one unit large and stand about the origin.

use super::Model;
use super::scenery::Soup;
use clearance::glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Slices and stacks of the paper's spheres, by ascending number of triangles: `2 slices (stacks - 1)`.
pub const SPHERES: [(u32, u32); 14] = [
    (4, 2),
    (5, 2),
    (6, 3),
    (8, 4),
    (9, 4),
    (10, 5),
    (12, 6),
    (14, 7),
    (16, 8),
    (20, 10),
    (24, 12),
    (28, 14),
    (32, 16),
    (64, 32),
];

/// A profile of so many rings between two tips of an axis, of half the length `half`.
fn profile(rings: u32, half: f64, radius: impl Fn(f64) -> f64) -> Vec<DVec2> {
    let at = |ring: u32| f64::from(ring) / f64::from(rings + 1);
    (1..=rings).map(|ring| DVec2::new(half * (2.0 * at(ring) - 1.0), radius(at(ring)))).collect()
}

/// A space shuttle of 528 triangles: a hull of revolution, two wings, a rudder and a bay.
pub fn shuttle() -> Model {
    let mut soup = Soup::default();
    let hull = profile(15, 0.5, |at| 0.12 * (1.0 - (0.9 - at).powi(4)).max(0.05).sqrt() * (PI * at).sin().powf(0.3));
    soup.revolve([DVec3::X, DVec3::Y], DVec3::ZERO, 16, &hull, [-0.5, 0.5]);
    for side in [-1.0, 1.0] {
        soup.cuboid(DVec3::new(-0.25, 0.22 * side, -0.05), DVec3::new(0.16, 0.14, 0.01));
    }
    soup.cuboid(DVec3::new(-0.4, 0.0, 0.18), DVec3::new(0.08, 0.01, 0.1));
    soup.cuboid(DVec3::new(0.05, 0.0, 0.1), DVec3::new(0.2, 0.05, 0.04));
    soup.into_model("shuttle")
}

/// A head of 1,816 triangles: a lumpy body of revolution with a neck, on a plinth.
pub fn venus() -> Model {
    let mut soup = Soup::default();
    let head = profile(41, 0.5, |at| 0.12 + 0.2 * (PI * (at - 0.3).max(0.0) / 0.7).sin().max(0.0));
    soup.revolve([DVec3::Z, DVec3::X], DVec3::ZERO, 22, &head, [-0.5, 0.5]);
    for point in &mut soup.points {
        let [x, y, z] = *point;
        let lump = 1.0 + 0.15 * (9.0 * z).sin() * (3.0 * y.atan2(x)).cos();
        *point = [x * lump, y * lump, z];
    }
    soup.cuboid(DVec3::new(0.0, 0.0, -0.55), DVec3::new(0.25, 0.25, 0.05));
    soup.into_model("venus")
}

/// A hand of 960 triangles: a palm and five fingers.
pub fn hand() -> Model {
    let mut soup = Soup::default();
    let palm = profile(10, 0.25, |at| 0.2 * (PI * at).sin().max(0.1).sqrt());
    soup.revolve([DVec3::Z, DVec3::X], DVec3::ZERO, 16, &palm, [-0.25, 0.25]);
    let finger = profile(8, 0.2, |at| 0.045 * (1.2 - at).sqrt());
    for number in 0..5 {
        let spread = 0.35 * (f64::from(number) - 2.0);
        let axis = DVec3::new(spread.sin(), 0.0, spread.cos());
        soup.revolve([axis, DVec3::Y], axis * 0.42, 8, &finger, [-0.2, 0.2]);
    }
    soup.into_model("hand")
}

/// A chair of 146 triangles: boxes, and a cloth on the seat.
pub fn chair() -> Model {
    let mut soup = Soup::default();
    for (x, y) in [(-0.3, -0.3), (-0.3, 0.3), (0.3, -0.3), (0.3, 0.3)] {
        soup.cuboid(DVec3::new(x, y, -0.3), DVec3::new(0.04, 0.04, 0.3));
    }
    soup.cuboid(DVec3::ZERO, DVec3::new(0.35, 0.35, 0.03));
    for y in [-0.3, -0.1, 0.1, 0.3] {
        soup.cuboid(DVec3::new(-0.32, y, 0.3), DVec3::new(0.02, 0.03, 0.28));
    }
    for z in [0.2, 0.4, 0.58] {
        soup.cuboid(DVec3::new(-0.32, 0.0, z), DVec3::new(0.015, 0.35, 0.03));
    }
    let first = soup.points.len() as u32;
    soup.points.extend([[-0.2, -0.2, 0.04], [0.2, -0.2, 0.04], [0.2, 0.2, 0.04], [-0.2, 0.2, 0.04]]);
    soup.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    soup.into_model("chair")
}

/// A portable shrine in parts, 5,263 triangles in all: each stands where it belongs.
pub fn mikoshi() -> Vec<Model> {
    let mut parts = Vec::new();
    let mut turned = |name: &str, centre: DVec3, sides: u32, rings: u32, half: f64, radius: &dyn Fn(f64) -> f64| {
        let mut soup = Soup::default();
        let tips = [-half, half];
        soup.revolve([DVec3::Z, DVec3::X], centre, sides, &profile(rings, half, radius), tips);
        parts.push(soup.into_model(name));
    };
    for number in 0..8u32 {
        let (sin, cos) = (PI * f64::from(number) / 4.0).sin_cos();
        let foot = DVec3::new(0.4 * cos, 0.4 * sin, 0.0);
        turned("pillar", foot, 12, 8, 0.35, &|at| 0.03 + 0.01 * (20.0 * at).sin());
    }
    turned("roof", DVec3::Z * 0.55, 40, 20, 0.22, &|at| 0.7 * (1.0 - at).powf(0.7) + 0.02);
    turned("floor", DVec3::Z * -0.4, 20, 10, 0.06, &|_| 0.55);
    turned("foot", DVec3::Z * -0.55, 20, 10, 0.06, &|_| 0.45);
    turned("bell", DVec3::Z * 0.1, 24, 14, 0.12, &|at| 0.12 * (1.1 - at * at));
    turned("bird", DVec3::Z * 0.9, 16, 16, 0.12, &|at| 0.06 * (PI * at).sin().max(0.05));
    for number in 0..4 {
        let across = 0.3 * (f64::from(number) - 1.5);
        let mut soup = Soup::default();
        soup.cuboid(DVec3::new(0.0, across, -0.68), DVec3::new(1.0, 0.03, 0.03));
        parts.push(soup.into_model("beam"));
    }
    // A rope: a strip around the pillars.
    let rope = |number: u32| {
        let (sin, cos) = (2.0 * PI * f64::from(number) / 97.0).sin_cos();
        [0.46 * cos, 0.46 * sin, if number.is_multiple_of(2) { 0.2 } else { 0.24 }]
    };
    let points: Vec<[f64; 3]> = (0..97).map(rope).collect();
    parts.push(Model {
        name: "rope".into(),
        points,
        triangles: (0..95).map(|number| [number, number + 1, number + 2]).collect(),
    });
    parts
}

/// A leaf of 156 triangles: a sheet of 13 by 6 cells, pointed at its ends.
pub fn leaf() -> Model {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=13u32 {
        for j in 0..=6u32 {
            let [along, across] = [f64::from(i) / 13.0, f64::from(j) / 3.0 - 1.0];
            points.push([along - 0.5, 0.3 * across * (0.1 + (PI * along).sin()), 0.1 * across * across]);
            if i < 13 && j < 6 {
                let a = 7 * i + j;
                triangles.extend([[a, a + 7, a + 8], [a, a + 8, a + 1]]);
            }
        }
    }
    Model { name: "leaf".into(), points, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::scenery::uv_sphere;

    #[test]
    fn the_objects_have_the_published_numbers_of_triangles() {
        for (model, wanted) in [(shuttle(), 528), (venus(), 1816), (hand(), 960), (chair(), 146), (leaf(), 156)] {
            assert_eq!(model.triangles.len(), wanted, "{}", model.name);
            assert!(model.triangles.iter().flatten().all(|&point| (point as usize) < model.points.len()));
            assert!(model.points.iter().flatten().all(|x| x.abs() < 1.2), "{}", model.name);
        }
        assert_eq!(mikoshi().iter().map(|part| part.triangles.len()).sum::<usize>(), 5263);
        let counts = SPHERES.map(|(slices, stacks)| uv_sphere(slices, stacks, 1.0).triangles.len());
        assert_eq!(counts, [8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968]);
    }
}
