//! Random bodies and poses by seed: every convex kind, rounded ones, terrain, and matrices that are not quite rigid.

use clearance::glam::{DMat3, DQuat, DVec2, DVec3};
use clearance::{Mesh, Pose, Shape};
use clearance_oracle::random::Random;

/// How many kinds of convex body [`convex`] makes.
pub const CONVEX_KINDS: usize = 11;

/// The largest rigidity defect of the poses made here: below the limit of 1e-6.
pub const LARGEST_DEFECT: f64 = 9e-7;

pub fn vector(random: &mut Random, half: f64) -> DVec3 {
    DVec3::from_array(random.in_cube(half))
}

/// A bounded convex body of a kind, between 0.1 and 1.5 in size.
pub fn convex(random: &mut Random, kind: usize) -> Shape {
    let size = DVec3::from_array(std::array::from_fn(|_| random.uniform(0.1, 1.5)));
    let corners: [DVec3; 4] = std::array::from_fn(|_| vector(random, 1.0));
    let shape = match kind {
        0 => Shape::sphere(size.x),
        1 => Shape::cuboid(size),
        2 => Shape::capsule(size.x, size.y),
        3 => Shape::cylinder(size.x, size.y),
        4 => Shape::cone(size.x, size.y),
        5 => Shape::ellipsoid(size),
        6 => Shape::segment(corners[0], corners[1]),
        7 => Shape::triangle(corners[0], corners[1], corners[2]),
        8 => Shape::tetrahedron(corners),
        9 => {
            let count = 4 + random.index(20);
            Shape::hull(&(0..count).map(|_| random.in_cube(1.0)).collect::<Vec<_>>())
        }
        _ => {
            let core = random.index(CONVEX_KINDS - 1);
            let (core, radius) = (convex(random, core), random.uniform(0.01, 0.8));
            Shape::rounded(core, radius)
        }
    };
    shape.unwrap()
}

/// A cylinder, cone or ellipsoid with a radius about it.
pub fn rounded_curved(random: &mut Random) -> Shape {
    let kind = 3 + random.index(3);
    let core = convex(random, kind);
    let radius = [0.01, 0.1, 0.5, 2.0][random.index(4)] * random.uniform(0.5, 1.5);
    Shape::rounded(core, radius).unwrap()
}

/// Any rotation, stretched by a symmetric matrix whose entries add up to a rigidity defect of up to `defect`.
pub fn skewed(random: &mut Random, defect: f64, at: DVec3) -> Pose {
    let axis = DVec3::from_array(random.direction());
    let turn = DMat3::from_quat(DQuat::from_axis_angle(axis, random.uniform(0.0, 3.2)));
    let [x, y, z] = random.in_cube(1.0);
    let [p, q, r] = random.in_cube(1.0);
    let stretch = DMat3::from_cols_array(&[x, p, q, p, y, r, q, r, z]);
    let norm = stretch.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    // `RᵀR - I` is twice the stretch, to first order.
    let rotation = turn * (DMat3::IDENTITY + stretch * (0.499 * defect / norm));
    Pose::new(rotation, at).unwrap()
}

/// A rotation with a negligible defect, or one of up to [`LARGEST_DEFECT`].
pub fn pose(random: &mut Random, at: DVec3) -> Pose {
    let defect = LARGEST_DEFECT * [0.0, 1e-6, 0.1, 1.0][random.index(4)];
    skewed(random, defect, at)
}

/// Terrain with hills as high as they are wide, of 3 to 8 grid lines.
pub fn terrain(random: &mut Random) -> Shape {
    let (columns, rows) = (3 + random.index(6), 3 + random.index(6));
    let height = random.uniform(0.0, 1.5);
    let heights = (0..columns * rows).map(|_| random.uniform(0.0, height) as f32).collect();
    let spacing = DVec2::new(random.uniform(0.2, 1.2), random.uniform(0.2, 1.2));
    Shape::height_field(columns, rows, spacing, heights).unwrap()
}

/// A point above, on or in the terrain, in its frame.
pub fn place_on(random: &mut Random, terrain: &Shape) -> DVec3 {
    let Shape::HeightField(field) = terrain else { return vector(random, 1.0) };
    let bounds = field.surface_bounds();
    let share = DVec3::from_array(std::array::from_fn(|_| random.uniform(-0.1, 1.1)));
    bounds.min + bounds.size() * share + DVec3::Z * random.uniform(-0.5, 1.0)
}

/// How many kinds of bounded body [`bounded`] makes.
pub const BOUNDED_KINDS: usize = CONVEX_KINDS + 2;

/// A bounded body of a kind: convex, a compound of such, or a mesh, solid or surface.
pub fn bounded(random: &mut Random, kind: usize) -> Shape {
    if kind < CONVEX_KINDS {
        return convex(random, kind);
    }
    if kind > CONVEX_KINDS {
        return octahedron(random);
    }
    let count = 1 + random.index(4);
    let parts = (0..count).map(|_| {
        let kind = random.index(CONVEX_KINDS);
        let shape = convex(random, kind);
        let at = vector(random, 0.7);
        (pose(random, at), shape)
    });
    Shape::compound(parts.collect()).unwrap()
}

/// An irregular octahedron as a mesh.
fn octahedron(random: &mut Random) -> Shape {
    let size = random.uniform(0.3, 1.0);
    let corners = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    let points: Vec<[f64; 3]> = corners.map(|corner| ((corner + vector(random, 0.2)) * size).to_array()).collect();
    let triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let mesh = Mesh::new(&points, &triangles).unwrap();
    Shape::Mesh(if random.coin() { mesh.solid().unwrap() } else { mesh })
}
