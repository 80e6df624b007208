//! Decodes bytes into bodies and poses. Every byte string is valid; zeros follow its end.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use arbitrary::Unstructured;
use clearance::glam::{DMat3, DVec2, DVec3};
use clearance::shape::{Aabb, Support};
use clearance::{Error, Mesh, Pose, RigidMotion, Shape};

/// Points and triangles.
type Lists = (Vec<DVec3>, Vec<[u32; 3]>);

/// Numbers most likely to break constructors and predicates.
const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    f64::EPSILON,
    1e60,
    -1e60,
    1.0000000000000002e60,
    1e-60,
    1e-61,
    1e-160,
    1e-300,
];

/// Takes numbers, bodies and poses from bytes.
pub struct Decoder<'a> {
    bytes: Unstructured<'a>,
}

impl<'a> Decoder<'a> {
    /// A decoder of these bytes.
    pub fn new(data: &'a [u8]) -> Decoder<'a> {
        Decoder { bytes: Unstructured::new(data) }
    }

    fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    /// One of `0 .. count`; `count` is at most 256.
    pub fn choice(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// A fraction from 0 to 1, both included.
    fn fraction(&mut self) -> f64 {
        f64::from(self.bytes.arbitrary::<u16>().unwrap_or(0)) / 65535.0
    }

    /// A number from -1 to 1, on a coarse grid with frequent coincidences or on a fine one.
    fn signed(&mut self, coarse: bool) -> f64 {
        if coarse {
            f64::from(self.byte() as i8 / 32) / 4.0
        } else {
            f64::from(self.bytes.arbitrary::<i32>().unwrap_or(0)) / 2147483648.0
        }
    }

    fn signed_vector(&mut self, coarse: bool) -> DVec3 {
        DVec3::new(self.signed(coarse), self.signed(coarse), self.signed(coarse))
    }

    /// A length between 1e-6 and 1e6, log-uniform; often a power of two.
    pub fn length(&mut self) -> f64 {
        match self.choice(4) {
            0 => 2f64.powi(self.choice(40) as i32 - 19),
            _ => 10f64.powf(12.0 * self.fraction() - 6.0),
        }
    }

    /// A thickness of at most `size`.
    fn thinner(&mut self, size: f64) -> f64 {
        match self.choice(4) {
            0 => size,
            1 => size * 10f64.powf(-6.0 * self.fraction()),
            2 => size * f64::from(1 + self.byte() / 64) / 4.0,
            _ => size * (0.05 + 0.95 * self.fraction()),
        }
    }

    /// Any number at all: valid, invalid, subnormal, huge.
    pub fn wild(&mut self) -> f64 {
        match self.choice(8) {
            0 => f64::from_bits(self.bytes.arbitrary().unwrap_or(0)),
            1 => SPECIAL[self.choice(SPECIAL.len())],
            2 => 10f64.powf(640.0 * self.fraction() - 325.0),
            3 => -(10f64.powf(640.0 * self.fraction() - 325.0)),
            4 => 10f64.powf(120.0 * self.fraction() - 60.0),
            5 => self.signed(true),
            6 => self.signed(false),
            _ => self.length(),
        }
    }

    /// Three arbitrary numbers, often equal.
    pub fn wild_vector(&mut self) -> DVec3 {
        match self.choice(4) {
            0 => DVec3::splat(self.wild()),
            _ => DVec3::new(self.wild(), self.wild(), self.wild()),
        }
    }

    /// Up to 24 points of arbitrary numbers, including none, one and duplicates.
    pub fn wild_points(&mut self) -> Vec<[f64; 3]> {
        let count = self.choice(25);
        let scale = if self.choice(2) == 0 { 0.0 } else { self.wild() };
        let mut points: Vec<[f64; 3]> = Vec::with_capacity(count);
        for _ in 0..count {
            let point = match self.choice(4) {
                0 if !points.is_empty() => DVec3::from_array(points[self.choice(points.len())]),
                1 => self.signed_vector(true) * scale,
                2 => self.signed_vector(false) * scale,
                _ => self.wild_vector(),
            };
            points.push(point.to_array());
        }
        points
    }

    /// A pose by any constructor, from arbitrary numbers.
    pub fn wild_pose(&mut self) -> Result<Pose, Error> {
        use clearance::glam::DQuat;
        match self.choice(6) {
            0 => Pose::new(
                DMat3::from_cols(self.wild_vector(), self.wild_vector(), self.wild_vector()),
                self.wild_vector(),
            ),
            1 => Pose::from_rows(std::array::from_fn(|_| std::array::from_fn(|_| self.wild()))),
            2 => Pose::from_quat(DQuat::from_array(std::array::from_fn(|_| self.wild())), self.wild_vector()),
            3 => Pose::from_translation(self.wild_vector()),
            4 => Pose::from_axis_angle(self.wild_vector(), self.wild(), self.wild_vector()),
            _ => {
                let rotation = self.rotation();
                Pose::new(rotation, self.wild_vector())
            }
        }
    }

    /// A body of any kind from arbitrary numbers; compounds and rounded bodies nest `depth` levels.
    pub fn wild_shape(&mut self, depth: usize) -> Result<Shape, Error> {
        match self.choice(17) {
            0 => Shape::sphere(self.wild()),
            1 => Shape::cuboid(self.wild_vector()),
            2 => Shape::hull(&self.wild_points()),
            3 => Shape::flat_hull(&self.wild_points()),
            4 => Shape::capsule(self.wild(), self.wild()),
            5 => Shape::cylinder(self.wild(), self.wild()),
            6 => Shape::cone(self.wild(), self.wild()),
            7 => Shape::ellipsoid(self.wild_vector()),
            8 => Shape::half_space(self.wild_vector(), self.wild()),
            9 => Shape::segment(self.wild_vector(), self.wild_vector()),
            10 => Shape::triangle(self.wild_vector(), self.wild_vector(), self.wild_vector()),
            11 => Shape::tetrahedron(std::array::from_fn(|_| self.wild_vector())),
            12 => Shape::custom(Arc::new(Crate { half: self.wild_vector() })),
            13 => Shape::custom(Arc::new(Disc { radius: self.wild() })),
            14 => self.wild_height_field(),
            15 if depth > 0 => {
                let core = self.wild_shape(depth - 1)?;
                Shape::rounded(core, self.wild())
            }
            16 if depth > 0 => {
                let parts = (0..self.choice(4)).map(|_| Ok((self.wild_pose()?, self.wild_shape(depth - 1)?)));
                Shape::compound(parts.collect::<Result<Vec<_>, Error>>()?)
            }
            _ => Shape::compound(Vec::new()),
        }
    }

    fn wild_height_field(&mut self) -> Result<Shape, Error> {
        let (columns, rows) = (self.choice(12), self.choice(12));
        let spacing = DVec2::new(self.wild(), self.wild());
        // Usually as many heights as the grid has points.
        let count = if self.choice(8) == 0 { self.choice(32) } else { columns * rows };
        let steep = self.wild() as f32;
        let heights = (0..count).map(|_| match self.choice(8) {
            0 => self.wild() as f32,
            1 => 0.0,
            _ => self.signed(false) as f32 * steep,
        });
        let heights = heights.collect();
        // A grid whose size overflows.
        let columns = if self.choice(64) == 0 { usize::MAX } else { columns };
        Shape::height_field(columns, rows, spacing, heights)
    }

    /// A height field from valid numbers.
    pub fn height_field(&mut self) -> Result<clearance::shape::HeightField, Error> {
        let (columns, rows) = (2 + self.choice(30), 2 + self.choice(30));
        let spacing = self.length();
        let spacing = DVec2::new(spacing, self.thinner(spacing));
        let (steep, coarse) = (self.length(), self.choice(2) == 0);
        let heights = (0..columns * rows).map(|_| (self.signed(coarse) * steep) as f32).collect();
        clearance::shape::HeightField::new(columns, rows, spacing, heights)
    }

    /// A valid bounded convex body of some size, or a half-space if that is allowed.
    pub fn convex(&mut self, half_spaces: bool) -> Body {
        let size = self.length();
        // The sizes are in range, so only hulls that turn out flat are rejected.
        let shape = self.convex_of_size(size, half_spaces).or_else(|_| Shape::sphere(size));
        Body { shape: shape.expect("a ball of a valid radius"), size }
    }

    fn convex_of_size(&mut self, size: f64, half_spaces: bool) -> Result<Shape, Error> {
        match self.choice(if half_spaces { 15 } else { 14 }) {
            0 => Shape::sphere(size),
            1 => Shape::cuboid(DVec3::new(size, self.thinner(size), self.thinner(size))),
            2 => Shape::hull(&self.points(size)),
            3 => Shape::flat_hull(&self.points(size)),
            4 => {
                let (a, b) = self.two_lengths(size);
                Shape::capsule(a, b)
            }
            5 => {
                let (a, b) = self.two_lengths(size);
                Shape::cylinder(a, b)
            }
            6 => {
                let (a, b) = self.two_lengths(size);
                Shape::cone(a, b)
            }
            7 => Shape::ellipsoid(DVec3::new(self.thinner(size), size, self.thinner(size))),
            8 => {
                let [a, b] = self.corners(size);
                Shape::segment(a, b)
            }
            9 => {
                let [a, b, c] = self.corners(size);
                Shape::triangle(a, b, c)
            }
            10 => Shape::tetrahedron(self.corners(size)),
            11 => Shape::custom(Arc::new(Crate { half: DVec3::new(size, self.thinner(size), self.thinner(size)) })),
            12 => Shape::custom(Arc::new(Disc { radius: size })),
            13 => {
                let core = self.convex_of_size(size, false)?;
                Shape::rounded(core, self.thinner(size))
            }
            _ => {
                let coarse = self.choice(2) == 0;
                let normal = self.signed_vector(coarse);
                let normal = if normal == DVec3::ZERO { DVec3::Z } else { normal };
                Shape::half_space(normal, self.signed(coarse) * size)
            }
        }
    }

    fn two_lengths(&mut self, size: f64) -> (f64, f64) {
        let other = self.thinner(size);
        if self.choice(2) == 0 { (size, other) } else { (other, size) }
    }

    /// The offset of a body in its own frame: at the origin, beside it, or far from it.
    fn shift(&mut self, size: f64) -> DVec3 {
        match self.choice(8) {
            0 => self.signed_vector(true) * 4.0 * size,
            1 => self.signed_vector(false) * 1e7,
            _ => DVec3::ZERO,
        }
    }

    fn corners<const N: usize>(&mut self, size: f64) -> [DVec3; N] {
        let (shift, coarse) = (self.shift(size), self.choice(2) == 0);
        std::array::from_fn(|_| shift + self.signed_vector(coarse) * size)
    }

    fn points(&mut self, size: f64) -> Vec<[f64; 3]> {
        let shift = self.shift(size);
        let squash =
            if self.choice(4) == 0 { DVec3::new(1.0, self.thinner(1.0), self.thinner(1.0)) } else { DVec3::ONE };
        let place = |v: DVec3| (shift + v * squash * size).to_array();
        match self.choice(4) {
            // Enough points on a ball that support points use candidate lists.
            0 => {
                let count = 65 + self.choice(56);
                let phase = self.fraction();
                (0..count)
                    .map(|k| {
                        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
                        let (y, x) = (2.399963229728653 * (k as f64 + phase)).sin_cos();
                        place(DVec3::new(x * (1.0 - z * z).sqrt(), y * (1.0 - z * z).sqrt(), z))
                    })
                    .collect()
            }
            mode => (0..4 + self.choice(20)).map(|_| place(self.signed_vector(mode < 3))).collect(),
        }
    }

    /// A valid body of any kind, of about this size.
    pub fn body(&mut self, size: f64) -> Body {
        let shape = match self.choice(8) {
            0..=2 => self.mesh(size).map(Shape::Mesh),
            3 => self.compound(size),
            4 => self.small_height_field(size),
            _ => self.convex_of_size(size, true),
        };
        let shape = shape.or_else(|_| Shape::sphere(size));
        Body { shape: shape.expect("a ball of a valid radius"), size }
    }

    /// A mesh of a few triangles: a box, two boxes, a bumpy ball, or arbitrary triangles between a few points. A solid
    /// or a surface.
    pub fn mesh(&mut self, size: f64) -> Result<Mesh, Error> {
        let shift = self.shift(size);
        let squash =
            if self.choice(4) == 0 { DVec3::new(1.0, self.thinner(1.0), self.thinner(1.0)) } else { DVec3::ONE };
        let (points, triangles) = match self.choice(4) {
            0 => box_lists(DVec3::ZERO, DVec3::ONE),
            1 => {
                let (mut points, mut triangles) = box_lists(DVec3::ZERO, DVec3::ONE);
                let (centre, half) = (self.signed_vector(true) * 4.0, DVec3::splat(self.thinner(1.0)));
                let (more, others) = box_lists(centre, half);
                triangles.extend(others.iter().map(|corners| corners.map(|corner| corner + points.len() as u32)));
                points.extend(more);
                (points, triangles)
            }
            2 => self.bumpy_ball(),
            _ => self.soup(),
        };
        let points: Vec<[f64; 3]> = points.iter().map(|&p| (shift + p * squash * size).to_array()).collect();
        let mesh = Mesh::new(&points, &triangles)?;
        Ok(if self.choice(2) == 0 { mesh.solid().unwrap_or(mesh) } else { mesh })
    }

    /// Two poles and rings of corners between them, each at its own radius.
    fn bumpy_ball(&mut self) -> Lists {
        let (around, rings) = (3 + self.choice(4) as u32, 1 + self.choice(3) as u32);
        let mut points = vec![DVec3::Z, -DVec3::Z];
        for ring in 0..rings {
            let (sine, cosine) = (PI * f64::from(ring + 1) / f64::from(rings + 1)).sin_cos();
            for k in 0..around {
                let (y, x) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
                points.push(DVec3::new(sine * x, sine * y, cosine) * (0.4 + 0.6 * self.fraction()));
            }
        }
        let at = |ring: u32, k: u32| 2 + ring * around + k % around;
        let mut triangles = Vec::new();
        for k in 0..around {
            triangles.push([0, at(0, k), at(0, k + 1)]);
            triangles.push([1, at(rings - 1, k + 1), at(rings - 1, k)]);
            for ring in 1..rings {
                let [p, q, r, s] = [at(ring - 1, k), at(ring - 1, k + 1), at(ring, k), at(ring, k + 1)];
                triangles.extend([[p, r, q], [q, r, s]]);
            }
        }
        (points, triangles)
    }

    /// Arbitrary triangles between a few points: coplanar, duplicate, zero-area.
    fn soup(&mut self) -> Lists {
        let coarse = self.choice(2) == 0;
        let points: Vec<DVec3> = (0..3 + self.choice(8)).map(|_| self.signed_vector(coarse)).collect();
        let corner = |other: &mut Decoder| other.choice(points.len()) as u32;
        let triangles = (0..1 + self.choice(12)).map(|_| [corner(self), corner(self), corner(self)]).collect();
        (points, triangles)
    }

    fn compound(&mut self, size: f64) -> Result<Shape, Error> {
        let count = 1 + self.choice(4);
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            let part = self.thinner(size);
            let (rotation, coarse) = (self.rotation(), self.choice(2) == 0);
            let pose = Pose::new(rotation, self.signed_vector(coarse) * 2.0 * size)?;
            parts.push((pose, self.convex_of_size(part, false)?));
        }
        Shape::compound(parts)
    }

    fn small_height_field(&mut self, size: f64) -> Result<Shape, Error> {
        let (columns, rows) = (2 + self.choice(6), 2 + self.choice(6));
        let spacing = DVec2::new(size, self.thinner(size)) / 4.0;
        let (steep, coarse) = (self.thinner(size), self.choice(2) == 0);
        let heights = (0..columns * rows).map(|_| (self.signed(coarse) * steep) as f32).collect();
        Shape::height_field(columns, rows, spacing, heights)
    }

    /// A margin for bodies of this size: zero, small, or larger than their gap.
    pub fn margin(&mut self, size: f64) -> f64 {
        match self.choice(4) {
            0 | 1 => 0.0,
            2 => self.thinner(size),
            _ => 100.0 * size,
        }
    }

    /// A displacement of a body of this size, with the other one in that direction: zero, towards it, past it, or
    /// arbitrary.
    pub fn way(&mut self, towards: DVec3, size: f64) -> DVec3 {
        match self.choice(6) {
            0 => DVec3::ZERO,
            1 => towards * 2.0,
            2 => towards * self.fraction(),
            3 => towards * 1.5 + self.signed_vector(true) * size,
            4 => self.signed_vector(true) * 4.0 * size,
            _ => self.signed_vector(false) * self.length(),
        }
    }

    /// A motion with rotation, for a body of this size from a pose, with the other body in that direction.
    pub fn rigid_motion(&mut self, start: Pose, towards: DVec3, size: f64) -> RigidMotion {
        let (kind, way, axis) = (self.choice(6), self.way(towards, size), self.axis());
        let angle = match self.choice(4) {
            0 => 0.0,
            1 => FRAC_PI_2 * f64::from(self.byte() as i8 / 32),
            2 => 10f64.powf(-9.0 * self.fraction()),
            _ => 7.0 * self.signed(false),
        };
        let motion = match kind {
            0 => Ok(RigidMotion::still(start)),
            1 => {
                let beside = start.translation() + self.signed_vector(true) * size;
                RigidMotion::screw(start, beside, axis, angle, way.length())
            }
            2 => {
                let end = Pose::new(self.rotation(), start.translation() + way).expect("a valid pose");
                RigidMotion::between(start, end)
            }
            3 => RigidMotion::polynomial(start, &[way, -way * self.fraction()], axis, &[angle, -0.5 * angle]),
            _ => RigidMotion::turning(start, way, axis, angle),
        };
        motion.unwrap_or(RigidMotion::still(start))
    }

    /// Mutates bytes: one, a word, or eight, arbitrarily or slightly; or the length.
    pub fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = self.bytes.arbitrary::<u32>().unwrap_or(0) as usize % bytes.len();
        match self.choice(6) {
            0 => bytes[at] = self.byte(),
            1 => bytes[at] ^= 1 << self.choice(8),
            2 => bytes[at] = bytes[at].wrapping_add(1),
            3 => {
                let at = at / 4 * 4;
                let word = (self.wild() as f32).to_le_bytes();
                bytes[at..].iter_mut().zip(word).for_each(|(old, new)| *old = new);
            }
            4 => {
                let at = at / 4 * 4;
                let long = self.wild().to_le_bytes();
                bytes[at..].iter_mut().zip(long).for_each(|(old, new)| *old = new);
            }
            _ => bytes.truncate(at),
        }
    }

    /// A valid rotation matrix: identity, right angles, any angle, a tiny angle, or not quite rigid.
    fn rotation(&mut self) -> DMat3 {
        let quarter =
            [DMat3::from_cols(DVec3::Y, -DVec3::X, DVec3::Z), DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y)];
        match self.choice(8) {
            0 | 1 => DMat3::IDENTITY,
            2 => {
                let turns = self.byte();
                (0..6).fold(DMat3::IDENTITY, |matrix, k| matrix * quarter[usize::from(turns >> k & 1)])
            }
            3 => {
                let axis = self.axis();
                DMat3::from_axis_angle(axis, 10f64.powf(-18.0 * self.fraction()))
            }
            4 => {
                let axis = self.axis();
                DMat3::from_axis_angle(axis, 6.3 * self.fraction()) * (1.0 + 2.5e-7 * self.signed(false))
            }
            _ => {
                let axis = self.axis();
                DMat3::from_axis_angle(axis, 6.3 * self.fraction())
            }
        }
    }

    fn axis(&mut self) -> DVec3 {
        let coarse = self.choice(2) == 0;
        self.signed_vector(coarse).try_normalize().unwrap_or(DVec3::Z)
    }

    /// A valid pose for a body of this size.
    pub fn pose(&mut self, size: f64) -> Pose {
        let rotation = self.rotation();
        let translation = match self.choice(8) {
            0 | 1 => DVec3::ZERO,
            2 => self.signed_vector(false) * 1e7,
            3 => self.signed_vector(false) * self.length(),
            k => self.signed_vector(k < 6) * 4.0 * size,
        };
        Pose::new(rotation, translation).expect("a valid rotation and translation")
    }

    /// A pose for a second body: anywhere, at the first, beside it, or touching it.
    pub fn second_pose(&mut self, a: &Body, pose_a: &Pose, b: &Body) -> Pose {
        let rotation = |other: &mut Decoder| if other.choice(2) == 0 { pose_a.rotation() } else { other.rotation() };
        let translation = match self.choice(6) {
            0 => return self.pose(b.size),
            1 => return *pose_a,
            // Touching, or nearly: the bounding boxes end in the same plane of the first body's frame.
            2 | 3 => {
                let k = self.choice(3);
                let mut step = self.signed_vector(true) * a.size.min(b.size);
                let (box_a, box_b) = (a.shape.bounds(), b.shape.bounds());
                let reach = box_a.max[k] - box_b.min[k];
                let nudge = match self.choice(4) {
                    0 | 1 => 0.0,
                    2 => f64::EPSILON * reach * f64::from(self.byte() as i8),
                    _ => reach * 10f64.powf(-15.0 * self.fraction()) * self.signed(true),
                };
                step[k] = reach + nudge;
                let step = if step.is_finite() { step } else { DVec3::ZERO };
                let translation = pose_a.translation() + pose_a.rotation() * step;
                return Pose::new(pose_a.rotation(), translation).expect("a valid rotation and translation");
            }
            4 => pose_a.translation() + self.signed_vector(true) * (a.size + b.size),
            _ => pose_a.translation() + self.signed_vector(false) * 3.0 * (a.size + b.size),
        };
        Pose::new(rotation(self), translation).expect("a valid rotation and translation")
    }

    /// A world point near a posed body: anywhere, or at a feature of the body.
    pub fn point_near(&mut self, body: &Body, pose: &Pose) -> DVec3 {
        let bounds = body.shape.bounds();
        let coarse = self.choice(2) == 0;
        let inside = match self.choice(6) {
            0 => return self.signed_vector(coarse) * self.length(),
            1 => return self.signed_vector(coarse) * 1e7,
            2 | 3 if bounds.min.is_finite() && bounds.max.is_finite() => {
                // A corner of its box, the centre of a face or edge, or its centre.
                let part = DVec3::from_array(std::array::from_fn(|_| [0.0, 0.5, 1.0][self.choice(3)]));
                bounds.min + (bounds.max - bounds.min) * part
            }
            4 => match &body.shape {
                Shape::Hull(hull) => {
                    let chosen = self.choice(hull.vertex_count().min(256));
                    hull.vertices().nth(chosen).unwrap_or_default()
                }
                Shape::Triangle(triangle) => triangle.points()[self.choice(3)],
                Shape::Tetrahedron(tetrahedron) => tetrahedron.points()[self.choice(4)],
                _ => DVec3::ZERO,
            },
            _ => self.signed_vector(coarse) * 2.0 * body.size,
        };
        pose.transform_point(inside)
    }

    /// A direction of any length: along an axis of the world or of the body, or arbitrary.
    pub fn direction(&mut self, pose: &Pose) -> DVec3 {
        let (mode, coarse) = (self.choice(4), self.choice(2) == 0);
        let direction = match mode {
            0 => DVec3::AXES[self.choice(3)],
            1 => pose.rotation() * DVec3::AXES[self.choice(3)],
            2 => pose.rotation() * self.signed_vector(coarse),
            _ => self.signed_vector(coarse),
        };
        let sign = if self.choice(2) == 0 { 1.0 } else { -1.0 };
        let length = if self.choice(2) == 0 { 1.0 } else { self.length() };
        direction * sign * length
    }
}

/// A box of twelve triangles, counter-clockwise from outside.
fn box_lists(centre: DVec3, half: DVec3) -> Lists {
    let side = |k: u32, bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let points = (0..8).map(|k| centre + half * DVec3::new(side(k, 0), side(k, 1), side(k, 2))).collect();
    let across_z = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6]];
    let across_y = [[0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7]];
    let across_x = [[0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
    (points, [across_z, across_y, across_x].concat())
}

/// A body and its approximate size.
#[derive(Clone, Debug)]
pub struct Body {
    /// The body.
    pub shape: Shape,
    /// About half its diameter, not counting a shift of its points.
    pub size: f64,
}

/// A box as a custom body.
#[derive(Debug)]
struct Crate {
    half: DVec3,
}

impl Support for Crate {
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|k| if direction[k] < 0.0 { -self.half[k] } else { self.half[k] }))
    }

    fn slack(&self) -> f64 {
        0.0
    }

    fn bounds(&self) -> Aabb {
        Aabb::new(-self.half, self.half)
    }
}

/// A flat disc across the z axis as a custom body.
#[derive(Debug)]
struct Disc {
    radius: f64,
}

impl Support for Disc {
    fn support(&self, direction: DVec3) -> DVec3 {
        let flat = direction.with_z(0.0);
        let size = flat.abs().max_element();
        if size > 0.0 { (flat / size).normalize() * self.radius } else { DVec3::ZERO }
    }

    /// Quotient, normalisation and product are off by less than 16 roundings.
    fn slack(&self) -> f64 {
        8.0 * f64::EPSILON * self.radius
    }

    fn bounds(&self) -> Aabb {
        let reach = self.radius * (1.0 + 8.0 * f64::EPSILON);
        Aabb::new(DVec3::new(-reach, -reach, 0.0), DVec3::new(reach, reach, 0.0))
    }
}
