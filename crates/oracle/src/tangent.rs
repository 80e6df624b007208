//! Pairs whose exact signed distance is known by construction, without running any distance algorithm.
//!
//! Let two bodies lie on either side of two parallel planes a gap apart, each with a feature in its plane. They are
//! exactly the gap apart if the features' projections onto the plane intersect: the planes separate the bodies, and a
//! common perpendicular of length `gap` joins them. So: take an integer direction of integer length, such as (2, 3, 6)
//! of length 7, put A below the plane through the origin and B above a parallel one, both with a feature through the
//! common perpendicular. Every coordinate is an integer times a power of two and fits a double, so the pair is exact as
//! stored, and the gap is a rational times the direction's length.
//!
//! The same holds for balls. Overlapping boxes with a common frame overlap by the least of their overlaps along that
//! frame, which is chosen here.
//!
//! ```
//! use clearance_oracle::tangent::{TangentKind, tangent_pair};
//! use clearance_oracle::signed_distance;
//! use std::cmp::Ordering;
//!
//! let pair = tangent_pair(TangentKind::Polyhedra, 1);
//! let truth = signed_distance(&pair.a, &pair.b);
//! assert_eq!(truth.compare_rational(&pair.distance), Ordering::Equal);
//! ```

use num_bigint::BigInt;

use crate::body::OracleBody;
use crate::generate::{RATIONAL_FRAMES, axis_rotations};
use crate::random::Random;
use crate::rational::{Rational, power_of_two};

/// One lattice step of a body, in units of the coordinates: it leaves 34 bits below it for the gap.
const STEP: i64 = 1 << 34;

/// The feature of a body that faces the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// One vertex lies in the tangent plane.
    Vertex,
    /// An edge lies in the tangent plane.
    Edge,
    /// A face lies in the tangent plane.
    Face,
    /// The body is a ball.
    Ball,
}

/// The bodies that a tangent pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TangentKind {
    /// Hulls apart or touching; a vertex, edge or face of each in its plane.
    Polyhedra,
    /// Boxes with parallel faces, apart or touching.
    Boxes,
    /// Boxes with parallel faces that overlap by a known depth.
    OverlappingBoxes,
    /// Two balls, apart, touching or overlapping.
    Balls,
    /// A ball facing a vertex, an edge or a face of a hull; apart, touching, or overlapping with its centre outside.
    BallPolyhedron,
    /// A ball whose centre is inside a box.
    BallInBox,
}

impl TangentKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [TangentKind; 6] = [
        TangentKind::Polyhedra,
        TangentKind::Boxes,
        TangentKind::OverlappingBoxes,
        TangentKind::Balls,
        TangentKind::BallPolyhedron,
        TangentKind::BallInBox,
    ];
}

/// A pair and its exact signed distance.
#[derive(Clone, Debug, PartialEq)]
pub struct TangentPair {
    /// The first body; below the tangent plane.
    pub a: OracleBody,
    /// The second body; above it.
    pub b: OracleBody,
    /// The exact signed distance: positive apart, negative overlapping.
    pub distance: Rational,
    /// The features of A and of B that lie in the tangent planes.
    pub features: (Feature, Feature),
    /// From A towards B, in world axes, of length `normal_length`.
    pub normal: [i64; 3],
    /// The length of `normal`, an integer.
    pub normal_length: i64,
}

/// The tangent pair of a kind and a seed, bit-identical on every machine. Body sizes are about 10^-3, 1 or 10^3 (times
/// some tens); gaps are 0, or between about 10^-9 and 10 times the size.
///
/// ```
/// use clearance_oracle::tangent::{Feature, TangentKind, tangent_pair};
/// let pair = tangent_pair(TangentKind::OverlappingBoxes, 5);
/// assert!(pair.distance.is_negative());
/// assert_eq!(pair.features, (Feature::Face, Feature::Face));
/// ```
#[must_use]
pub fn tangent_pair(kind: TangentKind, seed: u64) -> TangentPair {
    let mut start = Random::new(seed ^ (kind as u64) << 48);
    let random = &mut Random::new(start.bits());
    let site = Site::new(random);
    match kind {
        TangentKind::Polyhedra => {
            let gap = gap(random);
            let (below, feature_a) = lattice_hull(-1, random);
            let (above, feature_b) = lattice_hull(1, random);
            let a = site.hull(&below, 0, random);
            let b = site.hull(&above, gap, random);
            site.pair(a, b, gap, (feature_a, feature_b))
        }
        TangentKind::Boxes => boxes(&site, gap(random), true, random),
        TangentKind::OverlappingBoxes => {
            let depth = random.scale(7, 33) as i64;
            boxes(&site, -depth, false, random)
        }
        TangentKind::Balls => {
            let radii = [radius(random), radius(random)];
            let gap = signed_gap(radii[0] + radii[1], random);
            let a = site.ball(-radii[0], radii[0]);
            let b = site.ball(gap + radii[1], radii[1]);
            site.pair(a, b, gap, (Feature::Ball, Feature::Ball))
        }
        TangentKind::BallPolyhedron => {
            let (below, feature) = lattice_hull(-1, random);
            let radius = radius(random);
            let gap = signed_gap(radius, random);
            let a = site.hull(&below, 0, random);
            let b = site.ball(gap + radius, radius);
            site.pair(a, b, gap, (feature, Feature::Ball))
        }
        TangentKind::BallInBox => {
            // The top is closer to the centre than every other face: less than one step away.
            let half = std::array::from_fn(|_| random.integer(2, 8) * STEP);
            let depth = random.scale(7, 33) as i64;
            let radius = radius(random);
            let lateral = |half: i64, random: &mut Random| random.integer(STEP - half, half - STEP);
            let centre = [-half[0], lateral(half[1], random), lateral(half[2], random)];
            let a = site.cuboid(centre, half, random);
            let b = site.ball(-depth, radius);
            site.pair(a, b, -depth - radius, (Feature::Face, Feature::Ball))
        }
    }
}

/// A gap in coordinate units, zero in one of eight cases.
fn gap(random: &mut Random) -> i64 {
    if random.index(8) == 0 { 0 } else { random.scale(7, 40) as i64 }
}

/// A gap, or a negative one above `-most`.
fn signed_gap(most: i64, random: &mut Random) -> i64 {
    let gap = gap(random);
    if random.coin() { gap } else { -(gap % most) }
}

/// A radius in coordinate units: up to eight steps, with few bits.
fn radius(random: &mut Random) -> i64 {
    random.integer(1, 64) * (STEP / 8)
}

/// Boxes in the frame of the site: A below the plane, B from `gap` upwards; their projections overlap by at least a
/// step, or may only touch if `may_graze`.
fn boxes(site: &Site, gap: i64, may_graze: bool, random: &mut Random) -> TangentPair {
    let half_a: [i64; 3] = std::array::from_fn(|_| random.integer(1, 6) * STEP);
    let half_b: [i64; 3] = std::array::from_fn(|_| random.integer(1, 6) * STEP);
    let slack = if may_graze { 0 } else { STEP };
    let mut centre_b = [gap + half_b[0], 0, 0];
    for axis in 1..3 {
        let reach = (half_a[axis] + half_b[axis] - slack) / STEP;
        centre_b[axis] = random.integer(-reach, reach) * STEP;
    }
    let a = site.cuboid([-half_a[0], 0, 0], half_a, random);
    let b = site.cuboid(centre_b, half_b, random);
    site.pair(a, b, gap, (Feature::Face, Feature::Face))
}

/// Lattice points (height, u, v) on one side of height 0, with a feature at height 0 that contains the origin: in its
/// interior or on its boundary.
fn lattice_hull(side: i64, random: &mut Random) -> (Vec<[i64; 3]>, Feature) {
    let mut step = || loop {
        let (u, v) = (random.integer(-6, 6), random.integer(-6, 6));
        if (u, v) != (0, 0) {
            return (u, v);
        }
    };
    let ((u, v), (s, t)) = loop {
        let (first, second) = (step(), step());
        if first.0 * second.1 != first.1 * second.0 {
            break (first, second);
        }
    };
    let (mut points, feature) = match random.index(5) {
        0 => (vec![[0, 0, 0]], Feature::Vertex),
        1 => (vec![[0, 0, 0], [0, u, v]], Feature::Edge),
        2 => (vec![[0, -u, -v], [0, 2 * u, 2 * v]], Feature::Edge),
        3 => (vec![[0, 0, 0], [0, u, v], [0, s, t]], Feature::Face),
        _ => (vec![[0, u, v], [0, s, t], [0, -u - s, -v - t], [0, -u, -v]], Feature::Face),
    };
    for _ in 0..random.integer(3, 6) {
        points.push([side * random.integer(1, 8), random.integer(-8, 8), random.integer(-8, 8)]);
    }
    (points, feature)
}

/// The placement of a pair: a frame of integer vectors, the power of two of one coordinate unit, and an offset.
struct Site {
    /// The normal and two tangents: orthogonal, all of length `length`.
    axes: [[i64; 3]; 3],
    length: i64,
    /// One coordinate unit is `2^exponent`.
    exponent: i64,
    offset: [i64; 3],
}

impl Site {
    fn new(random: &mut Random) -> Site {
        let (rows, length) = RATIONAL_FRAMES[random.index(RATIONAL_FRAMES.len())];
        let turn = axis_rotations()[random.index(24)];
        let axes = rows.map(|row| apply(turn, row));
        let size = [-10, 0, 10][random.index(3)];
        Site { axes, length, exponent: size - 34, offset: std::array::from_fn(|_| random.integer(-100, 100) * STEP) }
    }

    /// The world point `height * normal + u * tangent + v * tangent`, in coordinate units.
    fn point(&self, [height, u, v]: [i64; 3]) -> [i64; 3] {
        std::array::from_fn(|axis| {
            self.offset[axis] + height * self.axes[0][axis] + u * self.axes[1][axis] + v * self.axes[2][axis]
        })
    }

    fn double(&self, units: i64) -> f64 {
        assert!(units.unsigned_abs() < 1 << 53, "a coordinate must be exact");
        units as f64 * power_of_two(self.exponent)
    }

    fn doubles(&self, units: [i64; 3]) -> [f64; 3] {
        units.map(|coordinate| self.double(coordinate))
    }

    /// The hull of lattice points raised by `gap`, in a random exact pose.
    fn hull(&self, lattice: &[[i64; 3]], gap: i64, random: &mut Random) -> OracleBody {
        let points: Vec<[i64; 3]> =
            lattice.iter().map(|&[height, u, v]| self.point([height * STEP + gap, u * STEP, v * STEP])).collect();
        self.body(&points, random)
    }

    /// A box along the frame: a true box if the frame is that of the coordinate axes, otherwise a hull.
    fn cuboid(&self, centre: [i64; 3], half: [i64; 3], random: &mut Random) -> OracleBody {
        if self.length == 1 && random.index(4) > 0 {
            let rotation = axis_rotations()[random.index(24)];
            let world: [i64; 3] =
                std::array::from_fn(|axis| (0..3).map(|k| (half[k] * self.axes[k][axis]).abs()).sum());
            let own = apply(transpose(rotation), world).map(i64::abs);
            return OracleBody::cuboid(self.doubles(own))
                .rotated(rotation)
                .translated(self.doubles(self.point(centre)));
        }
        let corners: Vec<[i64; 3]> = (0..8)
            .map(|corner| {
                self.point(std::array::from_fn(|axis| {
                    let sign = if corner >> axis & 1 == 1 { 1 } else { -1 };
                    centre[axis] + sign * half[axis]
                }))
            })
            .collect();
        self.body(&corners, random)
    }

    /// World points as a hull with a random axis rotation and a random translation, all exact.
    fn body(&self, points: &[[i64; 3]], random: &mut Random) -> OracleBody {
        let rotation = axis_rotations()[random.index(24)];
        let inverse = transpose(rotation);
        let translation: [i64; 3] = std::array::from_fn(|_| random.integer(-100, 100) * STEP);
        let own = |point: &[i64; 3]| {
            let relative = std::array::from_fn(|axis| point[axis] - translation[axis]);
            self.doubles(apply(inverse, relative))
        };
        OracleBody::hull(points.iter().map(own).collect()).rotated(rotation).translated(self.doubles(translation))
    }

    /// A ball on the normal; height and radius in multiples of the normal's length.
    fn ball(&self, height: i64, radius: i64) -> OracleBody {
        OracleBody::sphere(self.double(radius * self.length)).translated(self.doubles(self.point([height, 0, 0])))
    }

    fn pair(&self, a: OracleBody, b: OracleBody, gap: i64, features: (Feature, Feature)) -> TangentPair {
        TangentPair {
            a,
            b,
            distance: Rational::from_dyadic(BigInt::from(gap * self.length), self.exponent),
            features,
            normal: self.axes[0],
            normal_length: self.length,
        }
    }
}

/// An axis rotation applied to an integer vector.
fn apply(rotation: [[f64; 3]; 3], v: [i64; 3]) -> [i64; 3] {
    rotation.map(|row| (0..3).map(|k| row[k] as i64 * v[k]).sum())
}

fn transpose(matrix: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}
