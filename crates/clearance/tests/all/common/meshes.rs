//! Meshes shared by several test files.

use clearance::glam::DVec3;
use clearance::{Mesh, Pose, Shape};
use clearance_oracle::lists;
pub use clearance_oracle::lists::Lists;
use clearance_oracle::random::Random;

/// A mesh as given, with its triangles as bodies of their own.
pub struct Model {
    pub shape: Shape,
    pub triangles: Vec<Shape>,
}

pub fn model(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Model {
    let corner = |p: u32| DVec3::from_array(points[p as usize]);
    Model {
        shape: Shape::mesh(points, triangles).unwrap(),
        triangles: triangles
            .iter()
            .map(|&[a, b, c]| Shape::triangle(corner(a), corner(b), corner(c)).unwrap())
            .collect(),
    }
}

/// A ball of `2 n (n - 1)` triangles with bumps, closed, wound counter-clockwise from outside.
pub fn bumpy_ball(n: u32, size: f64, middle: DVec3, bumps: f64) -> Lists {
    let mut points = vec![(middle + DVec3::new(0.0, 0.0, size)).to_array()];
    for i in 1..n {
        for j in 0..2 * n {
            let (a, b) = (
                std::f64::consts::PI * f64::from(i) / f64::from(n),
                std::f64::consts::PI * f64::from(j) / f64::from(n),
            );
            let r = size * (1.0 + bumps * (5.0 * a).sin() * (3.0 * b).cos());
            points.push((middle + r * DVec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos())).to_array());
        }
    }
    points.push((middle - DVec3::new(0.0, 0.0, size)).to_array());
    let last = points.len() as u32 - 1;
    let at = |i: u32, j: u32| 1 + (i - 1) * 2 * n + j % (2 * n);
    let mut triangles = Vec::new();
    for j in 0..2 * n {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        for i in 1..n - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        triangles.push([at(n - 1, j), last, at(n - 1, j + 1)]);
    }
    (points, triangles)
}

/// Random triangles, some with zero area, some duplicated.
pub fn soup(random: &mut Random, count: u32, size: f64) -> Lists {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..count {
        let middle = random_point(random, 1.0);
        for _ in 0..3 {
            points.push(((middle + random_point(random, 0.3)) * size).to_array());
        }
        let first = 3 * k;
        triangles.push(match k % 11 {
            7 => [first, first, first + 1],
            8 => [first, first, first],
            9 => triangles[k as usize - 1],
            _ => [first, first + 1, first + 2],
        });
    }
    (points, triangles)
}

pub fn random_point(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size))
}

pub fn random_pose(random: &mut Random, distance: f64) -> Pose {
    let axis = random_point(random, 1.0) + DVec3::new(0.0, 0.0, 1e-3);
    let direction = random_point(random, 1.0).normalize_or(DVec3::X);
    Pose::from_axis_angle(axis, random.uniform(0.0, 6.0), direction * distance).unwrap()
}

/// The surface of lists.
pub fn surface((points, triangles): &Lists) -> Shape {
    Shape::mesh(points, triangles).unwrap()
}

/// The solid that lists bound.
pub fn solid((points, triangles): &Lists) -> Shape {
    Shape::Mesh(Mesh::new(points, triangles).unwrap().solid().unwrap())
}

/// A box of twelve triangles, closed, wound counter-clockwise from outside.
pub fn box_lists(low: DVec3, high: DVec3) -> Lists {
    lists::cuboid(low.to_array(), high.to_array())
}

/// Every kind of body but meshes, about one unit in size.
pub fn bodies() -> Vec<Shape> {
    let cube = Shape::cuboid(DVec3::new(0.5, 0.3, 0.7)).unwrap();
    let turned = Pose::from_axis_angle(DVec3::ONE, 0.7, DVec3::new(0.4, -0.3, 0.2)).unwrap();
    let corners = [[0.4, 0.0, 0.0], [-0.4, 0.1, 0.0], [0.0, 0.5, 0.1], [0.0, 0.0, 0.6], [0.1, -0.4, 0.3]];
    vec![
        Shape::sphere(0.4).unwrap(),
        cube.clone(),
        Shape::capsule(0.5, 0.2).unwrap(),
        Shape::cylinder(0.5, 0.3).unwrap(),
        Shape::cone(0.4, 0.5).unwrap(),
        Shape::ellipsoid(DVec3::new(0.2, 0.5, 0.3)).unwrap(),
        Shape::rounded(cube.clone(), 0.1).unwrap(),
        Shape::half_space(DVec3::new(0.3, 0.2, -1.0), -1.5).unwrap(),
        Shape::segment(DVec3::new(-0.5, 0.1, 0.0), DVec3::new(0.4, 0.2, 0.3)).unwrap(),
        Shape::triangle(DVec3::X, DVec3::Y, DVec3::Z).unwrap(),
        Shape::tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::compound(vec![(turned, cube.clone()), (Pose::IDENTITY, Shape::sphere(0.3).unwrap())]).unwrap(),
    ]
}
