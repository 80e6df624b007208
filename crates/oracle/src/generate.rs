//! Seeded random and adversarial pairs of bodies.
//!
//! Collision code seldom breaks on random pairs: it breaks on contact, coplanar faces, parallel edges, needles, bodies
//! far from the origin, tiny beside huge. [`Scenario`] lists these situations; [`pair`] makes the pair of a scenario
//! and a seed, bit-identical on every machine. Polyhedra have radius 0, only balls have a radius, so every body is a
//! box ([`OracleBody::as_cuboid`]), a ball ([`OracleBody::as_sphere`]) or a hull of at most 16 points, flat or solid
//! ([`OracleBody::dimension`]).
//!
//! ```
//! use clearance_oracle::{Scenario, pair, signed_distance};
//! use std::cmp::Ordering;
//!
//! for seed in 0..4 {
//!     let (a, b) = pair(Scenario::TouchingFace, seed);
//!     assert_eq!(signed_distance(&a, &b).sign(), Ordering::Equal);
//! }
//! ```

use crate::body::{IDENTITY, OracleBody};
use crate::random::Random;

type Vector = [f64; 3];
type Matrix = [[f64; 3]; 3];

/// A situation for which pairs are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scenario {
    /// Boxes of similar size, any rotation, at most a few sizes apart.
    RandomBoxes,
    /// Boxes with aspect ratios up to 10^6.
    ElongatedBoxes,
    /// Hulls of points in a ball.
    BallHulls,
    /// Hulls of points on a sphere: every point is a vertex.
    SphereHulls,
    /// Hulls of small integer points, many of them coplanar or collinear; exact or random rotations.
    GridHulls,
    /// Hulls as thin as 10^-6 of their length in two directions.
    NeedleHulls,
    /// A polygon against a polygon or a solid.
    FlatHulls,
    /// Points and segments, against each other and against solids.
    PointsAndSegments,
    /// Two balls.
    Spheres,
    /// A ball and a box.
    SphereBox,
    /// A ball and a hull.
    SphereHull,
    /// Boxes whose gap, positive or negative, is 10^-15 to 10^-3 of their size; vertex, edge and face contacts.
    NearTouchingBoxes,
    /// The same with hulls.
    NearTouchingHulls,
    /// The same with a ball against a ball, box or hull.
    NearTouchingSpheres,
    /// Boxes with the same rotation and faces in a common plane, apart, touching or overlapping.
    CoplanarFaces,
    /// Integer bodies that share exactly a face or part of one.
    TouchingFace,
    /// Integer bodies that share exactly an edge or part of one.
    TouchingEdge,
    /// Integer bodies that share exactly one vertex.
    TouchingVertex,
    /// A vertex, edge or face of one integer body in the middle of a face of the other.
    TouchingInside,
    /// Boxes and prisms rotated about one axis, so that edges along it are exactly parallel.
    ParallelEdges,
    /// The same body twice, in the same pose or one unit in the last place off.
    Coincident,
    /// A small body in or near the middle of a larger one.
    Contained,
    /// Both bodies 10^7 from the origin and close to each other.
    FarAway,
    /// Bodies of size 10^-6.
    Tiny,
    /// Bodies of size 10^6.
    Huge,
    /// Bodies whose sizes differ by a factor of 10^6, close to each other.
    SizeRatio,
    /// Integer boxes rotated by one of the 24 rotations of the cube or by a rounded rational one such as (3, 4, 5) / 5.
    ExactRotations,
    /// Two bodies far apart relative to their size: a gap of 10^3 to 10^6 sizes.
    FarApart,
}

impl Scenario {
    /// All scenarios, in the order of their declaration.
    pub const ALL: [Scenario; 28] = [
        Scenario::RandomBoxes,
        Scenario::ElongatedBoxes,
        Scenario::BallHulls,
        Scenario::SphereHulls,
        Scenario::GridHulls,
        Scenario::NeedleHulls,
        Scenario::FlatHulls,
        Scenario::PointsAndSegments,
        Scenario::Spheres,
        Scenario::SphereBox,
        Scenario::SphereHull,
        Scenario::NearTouchingBoxes,
        Scenario::NearTouchingHulls,
        Scenario::NearTouchingSpheres,
        Scenario::CoplanarFaces,
        Scenario::TouchingFace,
        Scenario::TouchingEdge,
        Scenario::TouchingVertex,
        Scenario::TouchingInside,
        Scenario::ParallelEdges,
        Scenario::Coincident,
        Scenario::Contained,
        Scenario::FarAway,
        Scenario::Tiny,
        Scenario::Huge,
        Scenario::SizeRatio,
        Scenario::ExactRotations,
        Scenario::FarApart,
    ];
}

/// The pair of a scenario and a seed. The order of the two is random as well.
///
/// ```
/// use clearance_oracle::{Scenario, pair};
/// assert_eq!(pair(Scenario::NearTouchingHulls, 3), pair(Scenario::NearTouchingHulls, 3));
/// assert_ne!(pair(Scenario::NearTouchingHulls, 3), pair(Scenario::NearTouchingHulls, 4));
/// ```
#[must_use]
pub fn pair(scenario: Scenario, seed: u64) -> (OracleBody, OracleBody) {
    let mut start = Random::new(seed ^ (scenario as u64) << 48);
    let random = &mut Random::new(start.bits());
    let (a, b) = match scenario {
        Scenario::RandomBoxes => scattered(random_box(random), random_box(random), 2.0, random),
        Scenario::ElongatedBoxes => near_or_scattered(long_box(random), long_box(random), 0.25, random),
        Scenario::BallHulls => scattered(ball_hull(random), ball_hull(random), 1.5, random),
        Scenario::SphereHulls => scattered(sphere_hull(random), sphere_hull(random), 1.5, random),
        Scenario::GridHulls => grid_hulls(random),
        Scenario::NeedleHulls => {
            let other = if random.coin() { needle(random) } else { ball_hull(random) };
            near_or_scattered(needle(random), other, 0.5, random)
        }
        Scenario::FlatHulls => {
            let other = if random.coin() { polygon(random) } else { any_solid(random) };
            near_or_scattered(polygon(random), other, 0.75, random)
        }
        Scenario::PointsAndSegments => points_and_segments(random),
        Scenario::Spheres => scattered(ball(random), ball(random), 1.5, random),
        Scenario::SphereBox => scattered(ball(random), random_box(random), 1.5, random),
        Scenario::SphereHull => scattered(ball(random), ball_hull(random), 1.5, random),
        Scenario::NearTouchingBoxes => near_touching(random_box(random), random_box(random), -50, -10, random),
        Scenario::NearTouchingHulls => near_touching(any_hull(random), any_hull(random), -50, -10, random),
        Scenario::NearTouchingSpheres => {
            let other = match random.index(3) {
                0 => ball(random),
                1 => random_box(random),
                _ => ball_hull(random),
            };
            near_touching(ball(random), other, -50, -10, random)
        }
        Scenario::CoplanarFaces => coplanar_faces(random),
        Scenario::TouchingFace => sharing(3, random),
        Scenario::TouchingEdge => sharing(2, random),
        Scenario::TouchingVertex => sharing(1, random),
        Scenario::TouchingInside => touching_inside(random),
        Scenario::ParallelEdges => parallel_edges(random),
        Scenario::Coincident => coincident(random),
        Scenario::Contained => contained(random),
        Scenario::FarAway => {
            let (a, b) = near_or_scattered(any_solid(random), any_solid(random), 1.5, random);
            let away = random.direction().map(|x| x * 1e7);
            (moved(a, away), moved(b, away))
        }
        Scenario::Tiny => {
            let (a, b) = (any_solid(random), any_solid(random));
            near_or_scattered(resized(a, 1e-6), resized(b, 1e-6), 1.5e-6, random)
        }
        Scenario::Huge => {
            let (a, b) = (any_solid(random), any_solid(random));
            near_or_scattered(resized(a, 1e6), resized(b, 1e6), 1.5e6, random)
        }
        Scenario::SizeRatio => {
            let (a, b) = (any_solid(random), any_solid(random));
            near_touching(resized(a, 1e3), resized(b, 1e-3), -40, -10, random)
        }
        Scenario::ExactRotations => exact_rotations(random),
        Scenario::FarApart => {
            let (a, b) = scattered(any_solid(random), any_solid(random), 1.0, random);
            let distance = random.scale(10, 20);
            let away = random.direction().map(|x| x * distance);
            (a, moved(b, away))
        }
    };
    if random.coin() { (a, b) } else { (b, a) }
}

// ---------------------------------------------------------------------------------------------------------------
// Rotations

/// The rows of a uniformly random rotation: a unit quaternion found by rejection (Marsaglia, *Choosing a point from the
/// surface of a sphere*, 1972), normalised and expanded in doubles. Orthonormal only up to rounding.
pub fn random_rotation(random: &mut Random) -> [[f64; 3]; 3] {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| random.uniform(-1.0, 1.0));
        let squared = q.iter().map(|x| x * x).sum::<f64>();
        if !(0.01..=1.0).contains(&squared) {
            continue;
        }
        let length = squared.sqrt();
        let [w, x, y, z] = q.map(|component| component / length);
        return [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
    }
}

/// The 24 rotations that map the axes to axes; exact in doubles.
///
/// ```
/// let rotations = clearance_oracle::generate::axis_rotations();
/// assert_eq!(rotations.len(), 24);
/// assert!(rotations.contains(&[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]));
/// ```
#[must_use]
pub fn axis_rotations() -> Vec<[[f64; 3]; 3]> {
    let orders = [
        ([0, 1, 2], true),
        ([1, 2, 0], true),
        ([2, 0, 1], true),
        ([0, 2, 1], false),
        ([2, 1, 0], false),
        ([1, 0, 2], false),
    ];
    let mut rotations = Vec::new();
    for (order, even) in orders {
        for signs in 0..8_u32 {
            if signs.count_ones().is_multiple_of(2) != even {
                continue;
            }
            let mut rows = [[0.0; 3]; 3];
            for (row, &column) in order.iter().enumerate() {
                rows[row][column] = if signs >> row & 1 == 1 { -1.0 } else { 1.0 };
            }
            rotations.push(rows);
        }
    }
    rotations
}

/// Integer matrices with orthogonal rows of equal length: `(rows, length)`. Divided by the length they are rotations
/// with rational entries: the identity, and those of (3, 4, 5), (1, 2, 2, 3), (2, 3, 6, 7), (1, 4, 8, 9), (2, 6, 9,
/// 11).
pub const RATIONAL_FRAMES: [([[i64; 3]; 3], i64); 6] = [
    ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1),
    ([[3, 4, 0], [-4, 3, 0], [0, 0, 5]], 5),
    ([[1, 2, 2], [2, 1, -2], [-2, 2, -1]], 3),
    ([[2, 3, 6], [3, -6, 2], [6, 2, -3]], 7),
    ([[1, 4, 8], [4, 7, -4], [-8, 4, -1]], 9),
    ([[2, 6, 9], [6, 7, -6], [-9, 6, -2]], 11),
];

/// An axis rotation, or a rational one (rounded to doubles), or the product of both.
pub fn exact_rotation(random: &mut Random) -> [[f64; 3]; 3] {
    let axes = axis_rotations()[random.index(24)];
    if random.coin() {
        return axes;
    }
    let (rows, length) = RATIONAL_FRAMES[1 + random.index(5)];
    let rational = rows.map(|row| row.map(|entry| entry as f64 / length as f64));
    // The product with an axis rotation only permutes and negates, so nothing is rounded again.
    std::array::from_fn(|row| std::array::from_fn(|column| (0..3).map(|k| axes[row][k] * rational[k][column]).sum()))
}

/// A rotation about the z axis, whose third row and column are exact.
fn rotation_about_z(random: &mut Random) -> Matrix {
    loop {
        let [x, y, _] = random.in_ball();
        let length = (x * x + y * y).sqrt();
        if length > 0.125 {
            let (cosine, sine) = (x / length, y / length);
            return [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Bodies, all of size about 1 and without a pose

/// A box with half extents between 1/4 and 1.
pub fn random_box(random: &mut Random) -> OracleBody {
    OracleBody::cuboid(std::array::from_fn(|_| random.scale(-2, -1)))
}

/// A box with one half extent between 1/4 and 1 and the others between 10^-6 and 1.
pub fn long_box(random: &mut Random) -> OracleBody {
    let mut half_extents = std::array::from_fn(|_| random.scale(-20, -1));
    half_extents[random.index(3)] = random.scale(-2, -1);
    OracleBody::cuboid(half_extents)
}

/// A ball with a radius between 1/4 and 1.
pub fn ball(random: &mut Random) -> OracleBody {
    OracleBody::sphere(random.scale(-2, -1))
}

/// The hull of 4 to 12 points in the unit ball.
pub fn ball_hull(random: &mut Random) -> OracleBody {
    let count = random.integer(4, 12);
    OracleBody::hull((0..count).map(|_| random.in_ball()).collect())
}

/// The hull of 4 to 12 points on the unit sphere.
pub fn sphere_hull(random: &mut Random) -> OracleBody {
    let count = random.integer(4, 12);
    OracleBody::hull((0..count).map(|_| random.direction()).collect())
}

/// The hull of 5 to 12 integer points with coordinates from -2 to 2; a solid.
pub fn grid_hull(random: &mut Random) -> OracleBody {
    loop {
        let count = random.integer(5, 12);
        let mut point = || std::array::from_fn(|_| random.integer(-2, 2) as f64);
        let body = OracleBody::hull((0..count).map(|_| point()).collect());
        if body.dimension() == 3 {
            return body;
        }
    }
}

/// The hull of points along a diagonal, as thin as 10^-6 across.
pub fn needle(random: &mut Random) -> OracleBody {
    let along = random.direction();
    let width = random.scale(-20, -8);
    let count = random.integer(4, 8);
    let mut point = || {
        let position = random.uniform(-1.0, 1.0);
        let jitter = random.in_cube(width);
        std::array::from_fn(|axis| along[axis] * position + jitter[axis])
    };
    OracleBody::hull((0..count).map(|_| point()).collect())
}

/// The hull of 3 to 8 points in one of the body's coordinate planes.
pub fn polygon(random: &mut Random) -> OracleBody {
    let normal = random.index(3);
    let height = if random.coin() { 0.0 } else { random.uniform(-1.0, 1.0) };
    let count = random.integer(3, 8);
    let mut point = || {
        let mut point = random.in_ball();
        point[normal] = height;
        point
    };
    OracleBody::hull((0..count).map(|_| point()).collect())
}

fn any_hull(random: &mut Random) -> OracleBody {
    match random.index(3) {
        0 => ball_hull(random),
        1 => sphere_hull(random),
        _ => resized(grid_hull(random), 0.5),
    }
}

fn any_solid(random: &mut Random) -> OracleBody {
    match random.index(4) {
        0 => ball(random),
        1 => any_hull(random),
        _ => random_box(random),
    }
}

/// The same body, with core and radius scaled.
fn resized(body: OracleBody, factor: f64) -> OracleBody {
    OracleBody {
        core_vertices: body.core_vertices.iter().map(|vertex| vertex.map(|x| x * factor)).collect(),
        radius: body.radius * factor,
        ..body
    }
}

/// The same body, with `by` added to its translation, rounded.
fn moved(body: OracleBody, by: Vector) -> OracleBody {
    let translation = std::array::from_fn(|axis| body.translation[axis] + by[axis]);
    body.translated(translation)
}

// ---------------------------------------------------------------------------------------------------------------
// Poses

/// Both bodies rotated at random, with origins up to `spread` from the world's in each coordinate.
fn scattered(a: OracleBody, b: OracleBody, spread: f64, random: &mut Random) -> (OracleBody, OracleBody) {
    let mut pose = |body: OracleBody| {
        let rotation = random_rotation(random);
        body.rotated(rotation).translated(random.in_cube(spread))
    };
    (pose(a), pose(b))
}

/// Half of the pairs close to contact, the other half scattered.
fn near_or_scattered(a: OracleBody, b: OracleBody, spread: f64, random: &mut Random) -> (OracleBody, OracleBody) {
    if random.coin() { near_touching(a, b, -50, -10, random) } else { scattered(a, b, spread, random) }
}

/// The largest coordinate of the core plus the radius.
fn size(body: &OracleBody) -> f64 {
    let coordinates = body.core_vertices.as_flattened().iter();
    body.radius + coordinates.fold(0.0_f64, |most, x| most.max(x.abs()))
}

/// Both bodies rotated at random, then B placed so that one of its features faces a feature of A at a gap of `+-2^low`
/// to `2^high` times the smaller size. All in doubles: the true gap includes rounding.
fn near_touching(a: OracleBody, b: OracleBody, low: i64, high: i64, random: &mut Random) -> (OracleBody, OracleBody) {
    let (a, b) = scattered(a, b, 1.0, random);
    let direction = contact_direction(&a, &b, random);
    let gap = random.scale(low, high) * size(&a).min(size(&b));
    let gap = if random.coin() { gap } else { -gap };
    let from = support(&a, direction);
    let to = support(&b, direction.map(|x| -x));
    let shift = std::array::from_fn(|axis| from[axis] + direction[axis] * gap - to[axis]);
    (a, moved(b, shift))
}

/// A random direction (two vertices face each other), a face normal of A, or a direction perpendicular to an edge of
/// each.
fn contact_direction(a: &OracleBody, b: &OracleBody, random: &mut Random) -> Vector {
    let direction = random.direction();
    let chosen = match random.index(3) {
        0 => None,
        1 => face_triangle(a, random).map(|[p, q, r]| cross(subtract(q, p), subtract(r, p))),
        _ => match (face_triangle(a, random), face_triangle(b, random)) {
            (Some([p, q, _]), Some([r, s, _])) => Some(cross(subtract(q, p), subtract(s, r))),
            _ => None,
        },
    };
    let Some(chosen) = chosen else {
        return direction;
    };
    let length = dot(chosen, chosen).sqrt();
    if length > 0.0 { chosen.map(|x| x / length) } else { direction }
}

/// Three world points of a face, wound so that the outward normal is `(q - p) x (r - p)`, up to rounding.
fn face_triangle(body: &OracleBody, random: &mut Random) -> Option<[Vector; 3]> {
    let points = body.world_points();
    if points.len() < 4 {
        return None;
    }
    for _ in 0..200 {
        let [p, q, r] = std::array::from_fn(|_| points[random.index(points.len())]);
        let normal = cross(subtract(q, p), subtract(r, p));
        let length = dot(normal, normal).sqrt();
        let slack = 1e-9 * length * size(body);
        let above = |point: &Vector| dot(normal, subtract(*point, p)) > slack;
        if length > 0.0 && !points.iter().any(above) {
            return Some([p, q, r]);
        }
    }
    None
}

/// The middle of the feature farthest along a unit direction, in the world.
fn support(body: &OracleBody, direction: Vector) -> Vector {
    let points = body.world_points();
    let highest = points.iter().map(|&point| dot(direction, point)).fold(f64::NEG_INFINITY, f64::max);
    let slack = 1e-9 * size(body);
    let mut sum = [0.0; 3];
    let mut count = 0.0;
    for &point in &points {
        if dot(direction, point) >= highest - slack {
            sum = std::array::from_fn(|axis| sum[axis] + point[axis]);
            count += 1.0;
        }
    }
    std::array::from_fn(|axis| sum[axis] / count + direction[axis] * body.radius)
}

fn subtract(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        a[next] * b[last] - a[last] * b[next]
    })
}

// ---------------------------------------------------------------------------------------------------------------
// Scenarios with their own construction

fn grid_hulls(random: &mut Random) -> (OracleBody, OracleBody) {
    let mut body = || {
        let hull = grid_hull(random);
        let rotation = if random.coin() { exact_rotation(random) } else { random_rotation(random) };
        let translation = std::array::from_fn(|_| random.integer(-3, 3) as f64);
        hull.rotated(rotation).translated(translation)
    };
    (body(), body())
}

fn points_and_segments(random: &mut Random) -> (OracleBody, OracleBody) {
    let thin = |random: &mut Random| {
        let count = random.integer(1, 2);
        OracleBody::hull((0..count).map(|_| random.in_ball()).collect())
    };
    let a = thin(random);
    let b = if random.coin() { thin(random) } else { any_solid(random) };
    if random.integer(0, 3) > 0 {
        return scattered(a, b, 1.0, random);
    }
    // Parallel or collinear segments on the grid.
    let along: Vector = std::array::from_fn(|_| random.integer(-2, 2) as f64);
    let mut segment = |offset: Vector| {
        let ends = [random.integer(-3, 3) as f64, random.integer(-3, 3) as f64];
        let end = |s: f64| std::array::from_fn(|axis| offset[axis] + along[axis] * s);
        OracleBody::hull(ends.map(end).to_vec())
    };
    let (a, b) = (segment([0.0; 3]), segment([0.0; 3]));
    let offset = if random.coin() { [0.0; 3] } else { std::array::from_fn(|_| random.integer(-1, 1) as f64) };
    (a, b.translated(offset))
}

/// Boxes with one rotation (the identity, an axis rotation, or any) and faces in common planes: sizes and offsets are
/// multiples of 1/4, so that planes coincide exactly before the rotation.
fn coplanar_faces(random: &mut Random) -> (OracleBody, OracleBody) {
    let rotation = match random.index(3) {
        0 => IDENTITY,
        1 => axis_rotations()[random.index(24)],
        _ => random_rotation(random),
    };
    let quarters = |random: &mut Random, low, high| random.integer(low, high) as f64 / 4.0;
    let half_a: Vector = std::array::from_fn(|_| quarters(random, 1, 4));
    let half_b: Vector = std::array::from_fn(|_| quarters(random, 1, 4));
    let mut centre: Vector = std::array::from_fn(|_| quarters(random, -8, 8));
    // The upper faces along one axis lie in one plane.
    let axis = random.index(3);
    centre[axis] = half_a[axis] - half_b[axis];
    let a = OracleBody::cuboid(half_a).rotated(rotation);
    if random.coin() {
        // As a hull in the frame of A: coplanar under any rotation.
        let shifted = OracleBody::cuboid(half_b).core_vertices;
        let shift = |v: &Vector| std::array::from_fn(|axis| v[axis] + centre[axis]);
        let b = OracleBody::hull(shifted.iter().map(shift).collect());
        return (a, b.rotated(rotation));
    }
    let turned = std::array::from_fn(|row| dot(rotation[row], centre));
    let b = OracleBody::cuboid(half_b).rotated(rotation);
    (a, b.translated(turned))
}

/// Integer bodies on either side of the plane x = 0 that share exactly `shared` points in it (3: a polygon), or boxes
/// that share a face, an edge or a vertex; then an axis rotation and an integer translation.
fn sharing(shared: usize, random: &mut Random) -> (OracleBody, OracleBody) {
    let (a, b) = if random.coin() { sharing_boxes(shared, random) } else { sharing_hulls(shared, random) };
    let rotation = axis_rotations()[random.index(24)];
    let offset: Vector = std::array::from_fn(|_| random.integer(-50, 50) as f64);
    let place = |body: OracleBody| {
        let turned: Vector = std::array::from_fn(|row| dot(rotation[row], body.translation));
        let translation = std::array::from_fn(|axis| turned[axis] + offset[axis]);
        body.rotated(rotation).translated(translation)
    };
    (place(a), place(b))
}

fn sharing_boxes(shared: usize, random: &mut Random) -> (OracleBody, OracleBody) {
    let half = |random: &mut Random| std::array::from_fn(|_| random.integer(1, 4) as f64);
    let (half_a, half_b): (Vector, Vector) = (half(random), half(random));
    // A face: touching along one axis, overlapping along the others; an edge: touching along two; a vertex: along all.
    let touching = 4 - shared;
    let first = random.index(3);
    let centre = std::array::from_fn(|axis| {
        let reach = half_a[axis] + half_b[axis];
        let sign = if random.coin() { 1.0 } else { -1.0 };
        if (axis + 3 - first) % 3 < touching {
            sign * reach
        } else {
            random.integer(1 - reach as i64, reach as i64 - 1) as f64
        }
    });
    let a = OracleBody::cuboid(half_a);
    (a, OracleBody::cuboid(half_b).translated(centre))
}

fn sharing_hulls(shared: usize, random: &mut Random) -> (OracleBody, OracleBody) {
    let count = if shared == 3 { random.integer(3, 5) as usize } else { shared };
    // Distinct points, and not all collinear if they are to span a face.
    let contact = loop {
        let mut point = || [0.0, random.integer(-3, 3) as f64, random.integer(-3, 3) as f64];
        let points: Vec<Vector> = (0..count).map(|_| point()).collect();
        if OracleBody::hull(points.clone()).dimension() as usize == shared - 1 {
            break points;
        }
    };
    let mut side = |sign: f64| {
        let mut points = contact.clone();
        let more = random.integer(3, 6);
        for _ in 0..more {
            points.push([
                sign * random.integer(1, 4) as f64,
                random.integer(-3, 3) as f64,
                random.integer(-3, 3) as f64,
            ]);
        }
        OracleBody::hull(points)
    };
    (side(-1.0), side(1.0))
}

/// A box with its top at z = 0 and an integer hull that stands on it with one to four points, within the top.
fn touching_inside(random: &mut Random) -> (OracleBody, OracleBody) {
    let base = OracleBody::cuboid([8.0, 8.0, random.integer(1, 4) as f64]);
    let lower = -base.core_vertices[7][2];
    let feet = random.integer(1, 4);
    let mut points = Vec::new();
    for index in 0..feet + 5 {
        let height = if index < feet { 0 } else { random.integer(1, 5) };
        points.push([random.integer(-4, 4) as f64, random.integer(-4, 4) as f64, height as f64]);
    }
    let rotation = axis_rotations()[random.index(24)];
    let turned = std::array::from_fn(|row| rotation[row][2] * lower);
    let a = base.rotated(rotation).translated(turned);
    (a, OracleBody::hull(points).rotated(rotation))
}

/// Boxes and prisms rotated about z only: their z edges are exactly parallel.
fn parallel_edges(random: &mut Random) -> (OracleBody, OracleBody) {
    let prism = |random: &mut Random| {
        if random.coin() {
            return random_box(random);
        }
        let height = random.scale(-2, -1);
        let count = random.integer(3, 5);
        let mut points = Vec::new();
        for _ in 0..count {
            let [x, y, _] = random.in_ball();
            points.push([x, y, -height]);
            points.push([x, y, height]);
        }
        OracleBody::hull(points)
    };
    let (a, b) = (prism(random), prism(random));
    let a = a.rotated(rotation_about_z(random));
    let b = b.rotated(rotation_about_z(random));
    let position = random.in_cube(2.0);
    (a, b.translated(position))
}

fn coincident(random: &mut Random) -> (OracleBody, OracleBody) {
    let body = any_solid(random);
    let (a, _) = scattered(body.clone(), body, 2.0, random);
    let mut b = a.clone();
    match random.index(3) {
        0 => {}
        1 => b.translation[0] = b.translation[0].next_up(),
        _ => b.core_vertices.reverse(),
    }
    (a, b)
}

fn contained(random: &mut Random) -> (OracleBody, OracleBody) {
    let outer = match random.index(3) {
        0 => ball(random),
        1 => sphere_hull(random),
        _ => random_box(random),
    };
    let factor = random.scale(-10, -4);
    let inner = resized(any_solid(random), factor);
    let (a, b) = scattered(outer, inner, 0.0, random);
    let position = random.in_cube(0.25);
    (a, b.translated(position))
}

fn exact_rotations(random: &mut Random) -> (OracleBody, OracleBody) {
    let mut body = || {
        let half = std::array::from_fn(|_| random.integer(1, 6) as f64);
        let rotation = exact_rotation(random);
        let translation = std::array::from_fn(|_| random.integer(-9, 9) as f64);
        OracleBody::cuboid(half).rotated(rotation).translated(translation)
    };
    (body(), body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::signed_distance;
    use std::cmp::Ordering;

    #[test]
    fn every_scenario_is_listed_once() {
        for (index, scenario) in Scenario::ALL.iter().enumerate() {
            assert_eq!(*scenario as usize, index);
        }
        assert_eq!(Scenario::FarApart as usize + 1, Scenario::ALL.len());
    }

    #[test]
    fn rotations_are_rigid() {
        let mut random = Random::new(1);
        let mut rotations = axis_rotations();
        rotations.extend((0..50).map(|_| random_rotation(&mut random)));
        rotations.extend((0..50).map(|_| exact_rotation(&mut random)));
        for rows in rotations {
            for i in 0..3 {
                for j in 0..3 {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((dot(rows[i], rows[j]) - expected).abs() < 1e-14);
                }
            }
            assert!((dot(cross(rows[0], rows[1]), rows[2]) - 1.0).abs() < 1e-14);
        }
        for (rows, length) in RATIONAL_FRAMES {
            for i in 0..3 {
                for j in 0..3 {
                    let product: i64 = (0..3).map(|k| rows[i][k] * rows[j][k]).sum();
                    assert_eq!(product, if i == j { length * length } else { 0 });
                }
            }
        }
    }

    #[test]
    fn contacts_are_exact() {
        for scenario in
            [Scenario::TouchingFace, Scenario::TouchingEdge, Scenario::TouchingVertex, Scenario::TouchingInside]
        {
            for seed in 0..30 {
                let (a, b) = pair(scenario, seed);
                let truth = signed_distance(&a, &b);
                assert_eq!(truth.sign(), Ordering::Equal, "{scenario:?} {seed}");
            }
        }
    }

    #[test]
    fn near_contacts_are_near() {
        for scenario in [Scenario::NearTouchingBoxes, Scenario::NearTouchingHulls, Scenario::NearTouchingSpheres] {
            let mut signs = [0; 2];
            for seed in 0..30 {
                let (a, b) = pair(scenario, seed);
                let (below, _) = signed_distance(&a, &b).enclosure();
                assert!(below.abs() < 2e-3, "{scenario:?} {seed}: {below}");
                signs[usize::from(below < 0.0)] += 1;
            }
            assert!(signs[0] > 3 && signs[1] > 3, "{scenario:?}: {signs:?}");
        }
    }
}
