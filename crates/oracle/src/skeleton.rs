//! Random shapes of every kind, and where their faces and edges are.
//!
//! Which points span a face is determined in doubles, by brute force: it decides which pair is generated, not what is
//! true of it.

use crate::body::OracleBody;
use crate::random::Random;
use crate::shape::{OracleShape, ShapeKind, norm};

type Point = [f64; 3];

/// The faces and edges of a core that is the hull of points; empty for other cores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skeleton {
    /// Three corners of a face, not collinear, and its approximate outward unit normal. A flat body has its face twice.
    pub(crate) faces: Vec<([Point; 3], Point)>,
    pub(crate) edges: Vec<Edge>,
}

/// An edge: its ends, and the approximate unit normals between which the surface normal turns there; `None` for all
/// normals perpendicular to the edge.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [Point; 2],
    pub(crate) normals: Option<[Point; 2]>,
}

fn subtract(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn normalised(v: Point) -> Point {
    let length = norm(v);
    v.map(|x| x / length)
}

impl Skeleton {
    /// A segment.
    fn segment(ends: [Point; 2]) -> Skeleton {
        Skeleton { faces: Vec::new(), edges: vec![Edge { ends, normals: None }] }
    }

    /// A triangle: two faces back to back, and for every edge the normals from either face to the edge's own.
    fn triangle(corners: [Point; 3]) -> Skeleton {
        let normal = normalised(cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0])));
        let back = normal.map(|x| -x);
        let mut edges = Vec::new();
        for index in 0..3 {
            let ends = [corners[index], corners[(index + 1) % 3]];
            let across = normalised(cross(subtract(ends[1], ends[0]), normal));
            edges.push(Edge { ends, normals: Some([normal, across]) });
            edges.push(Edge { ends, normals: Some([across, back]) });
        }
        Skeleton { faces: vec![(corners, normal), (corners, back)], edges }
    }

    /// The hull of `points`. Which three points span a face is decided on `reference`, the same points before they were
    /// flattened along the axes, which preserves faces.
    fn hull(points: &[Point], reference: &[Point]) -> Skeleton {
        let mut triples: Vec<([usize; 3], Point)> = Vec::new();
        for i in 0..reference.len() {
            for j in i + 1..reference.len() {
                for k in j + 1..reference.len() {
                    let plane = cross(subtract(reference[j], reference[i]), subtract(reference[k], reference[i]));
                    let size = norm(plane);
                    if size < 1e-6 {
                        continue;
                    }
                    let heights = reference.iter().map(|&point| dot(plane, subtract(point, reference[i])) / size);
                    let (low, high) =
                        heights.fold((0.0_f64, 0.0_f64), |(low, high), height| (low.min(height), high.max(height)));
                    // Points on both sides, or all in the plane: not a face.
                    if (low < -1e-9) == (high > 1e-9) {
                        continue;
                    }
                    let normal = cross(subtract(points[j], points[i]), subtract(points[k], points[i]));
                    let outward = if high > 1e-9 { normal.map(|x| -x) } else { normal };
                    triples.push(([i, j, k], normalised(outward)));
                }
            }
        }
        let mut edges = Vec::new();
        for (index, (one, normal)) in triples.iter().enumerate() {
            for (other, other_normal) in &triples[index + 1..] {
                let mut shared = one.iter().copied().filter(|vertex| other.contains(vertex));
                if let (Some(from), Some(to)) = (shared.next(), shared.next()) {
                    edges.push(Edge { ends: [points[from], points[to]], normals: Some([*normal, *other_normal]) });
                }
            }
        }
        let faces = triples.iter().map(|(triple, normal)| (triple.map(|vertex| points[vertex]), *normal)).collect();
        Skeleton { faces, edges }
    }

    /// A box: every face once for each of its corners, every edge once for each end.
    fn cuboid(half_extents: Point) -> Skeleton {
        let mut skeleton = Skeleton::default();
        for corner in OracleBody::cuboid(half_extents).core_vertices {
            let flipped = |axis: usize| {
                let mut other = corner;
                other[axis] = -other[axis];
                other
            };
            let outward = |axis: usize| {
                let mut normal = [0.0; 3];
                normal[axis] = corner[axis].signum();
                normal
            };
            for axis in 0..3 {
                let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
                skeleton.faces.push(([corner, flipped(next), flipped(last)], outward(axis)));
                let normals = Some([outward(next), outward(last)]);
                skeleton.edges.push(Edge { ends: [corner, flipped(axis)], normals });
            }
        }
        skeleton
    }
}

/// A random shape of a kind, with dimensions between a quarter and the whole of `size`; if `slender`, some of them
/// thinner by 10^-3 to 10^-6.
pub(crate) fn random_shape(kind: ShapeKind, size: f64, slender: bool, random: &mut Random) -> (OracleShape, Skeleton) {
    let dimension = |random: &mut Random| size * random.scale(-2, -1);
    let none = Skeleton::default();
    match kind {
        ShapeKind::Sphere => (OracleShape::Sphere { radius: dimension(random) }, none),
        ShapeKind::Capsule => {
            let [half_length, radius] = two_dimensions(size, slender, random);
            let skeleton = Skeleton::segment([[0.0, 0.0, -half_length], [0.0, 0.0, half_length]]);
            (OracleShape::Capsule { half_length, radius }, skeleton)
        }
        ShapeKind::Cuboid => {
            let half_extents = flattening(slender, random).map(|factor| factor * dimension(random));
            (OracleShape::Cuboid { half_extents }, Skeleton::cuboid(half_extents))
        }
        ShapeKind::Cylinder => {
            let [half_length, radius] = two_dimensions(size, slender, random);
            (OracleShape::Cylinder { half_length, radius }, none)
        }
        ShapeKind::Cone => {
            let [half_length, radius] = two_dimensions(size, slender, random);
            (OracleShape::Cone { half_length, radius }, none)
        }
        ShapeKind::Ellipsoid => {
            let semi_axes = flattening(slender, random).map(|factor| factor * dimension(random));
            (OracleShape::Ellipsoid { semi_axes }, none)
        }
        ShapeKind::HalfSpace => {
            let length = random.scale(-3, 3);
            let normal = if random.coin() {
                let mut axis = [0.0; 3];
                axis[random.index(3)] = if random.coin() { length } else { -length };
                axis
            } else {
                random.direction().map(|x| x * length)
            };
            let offset = if random.coin() { 0.0 } else { random.uniform(-1.0, 1.0) * size * length };
            (OracleShape::HalfSpace { normal, offset }, none)
        }
        ShapeKind::Segment => {
            let ends = loop {
                let ends = [random.in_ball(), random.in_ball()];
                if norm(subtract(ends[0], ends[1])) > 0.25 {
                    break ends.map(|end| end.map(|x| x * size));
                }
            };
            (OracleShape::Segment { ends }, Skeleton::segment(ends))
        }
        ShapeKind::Triangle => {
            let reference = loop {
                let corners: [Point; 3] = std::array::from_fn(|_| random.in_ball());
                let area = norm(cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0])));
                if area > 0.125 {
                    break corners;
                }
            };
            let corners = flattened(&reference, size, slender, random);
            let corners = [corners[0], corners[1], corners[2]];
            (OracleShape::Triangle { corners }, Skeleton::triangle(corners))
        }
        ShapeKind::Tetrahedron => {
            let reference = loop {
                let corners: [Point; 4] = std::array::from_fn(|_| random.in_ball());
                let [one, two, three] = [1, 2, 3].map(|index| subtract(corners[index], corners[0]));
                if dot(cross(one, two), three).abs() > 0.0625 {
                    break corners;
                }
            };
            let corners = flattened(&reference, size, slender, random);
            let skeleton = Skeleton::hull(&corners, &reference);
            (OracleShape::Tetrahedron { corners: [corners[0], corners[1], corners[2], corners[3]] }, skeleton)
        }
        ShapeKind::Hull => loop {
            let count = random.integer(5, 14);
            let family = random.index(3);
            let point = |_| match family {
                0 => random.in_ball(),
                1 => random.direction(),
                _ => std::array::from_fn(|_| random.integer(-2, 2) as f64 / 2.0),
            };
            let reference: Vec<Point> = (0..count).map(point).collect();
            let points = flattened(&reference, size, slender, random);
            let skeleton = Skeleton::hull(&points, &reference);
            if skeleton.faces.len() >= 4 {
                return (OracleShape::Hull { points }, skeleton);
            }
        },
        ShapeKind::Rounded => {
            const CORES: [ShapeKind; 8] = [
                ShapeKind::Cuboid,
                ShapeKind::Cylinder,
                ShapeKind::Cone,
                ShapeKind::Ellipsoid,
                ShapeKind::Segment,
                ShapeKind::Triangle,
                ShapeKind::Tetrahedron,
                ShapeKind::Hull,
            ];
            let (core, skeleton) = random_shape(CORES[random.index(8)], size, slender, random);
            let radius = size * random.scale(-10, -2);
            (OracleShape::Rounded { core: Box::new(core), radius }, skeleton)
        }
    }
}

/// Factors along the axes: ones; if slender, one or two of them from 10^-6 to 10^-3.
fn flattening(slender: bool, random: &mut Random) -> [f64; 3] {
    let mut factors = [1.0; 3];
    if slender {
        let thin = random.scale(-20, -10);
        let axis = random.index(3);
        factors[axis] = thin;
        if random.coin() {
            factors[(axis + 1) % 3] = thin;
        }
    }
    factors
}

/// A length and a radius; if slender, one of them thin.
fn two_dimensions(size: f64, slender: bool, random: &mut Random) -> [f64; 2] {
    let mut pair = [size * random.scale(-2, -1), size * random.scale(-2, -1)];
    if slender {
        pair[random.index(2)] *= random.scale(-20, -10);
    }
    pair
}

fn flattened(reference: &[Point], size: f64, slender: bool, random: &mut Random) -> Vec<Point> {
    let factors = flattening(slender, random);
    reference.iter().map(|point| std::array::from_fn(|axis| point[axis] * size * factors[axis])).collect()
}
