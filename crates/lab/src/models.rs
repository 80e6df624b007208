//! The bodies and poses that experiments share, as plain numbers: the same input for the engine and for its peers.
//!
//! Everything follows from a seed, so a figure can be taken again.

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_oracle::OracleBody;
use clearance_oracle::shape::{OraclePose, OracleShape, ShapeKind};

/// The generator of the oracle with streams, in the vectors of the engine: the same numbers on every machine and in
/// every release.
#[derive(Clone, Debug)]
pub struct Random(clearance_oracle::random::Random);

impl Random {
    /// A generator of its own for each `(seed, stream)`.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut random = clearance_oracle::random::Random::new(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.bits();
        Random(random)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform(low, high)
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let point = DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let squared = point.length_squared();
            if (1e-4..=1.0).contains(&squared) {
                return point / squared.sqrt();
            }
        }
    }

    /// Uniform over all rotations (Shoemake).
    pub fn rotation(&mut self) -> DQuat {
        let (u, v, w) = (self.between(0.0, 1.0), self.between(0.0, 1.0), self.between(0.0, 1.0));
        let (v, w) = (v * std::f64::consts::TAU, w * std::f64::consts::TAU);
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos()).normalize()
    }
}

/// A body before any library has seen it. Axes of revolution are along z.
#[derive(Clone, Debug)]
pub enum Model {
    /// A box by its half extents, centred at its origin.
    Cuboid([f64; 3]),
    /// A ball by its radius, centred at its origin.
    Sphere(f64),
    /// The convex hull of points.
    Hull(Vec<[f64; 3]>),
    /// A segment of this half length, grown by the radius.
    Capsule { half_length: f64, radius: f64 },
    /// A cylinder of this half length, centred at its origin.
    Cylinder { half_length: f64, radius: f64 },
    /// A cone with its apex at `+half_length` and its base at `-half_length`.
    Cone { half_length: f64, radius: f64 },
    /// An ellipsoid by its half axes, centred at its origin.
    Ellipsoid([f64; 3]),
    /// All points below the plane `z = 0`.
    HalfSpace,
    /// A segment by its ends.
    Segment([[f64; 3]; 2]),
    /// A triangle by its corners.
    Triangle([[f64; 3]; 3]),
    /// A tetrahedron by its corners.
    Tetrahedron([[f64; 3]; 4]),
    /// A box by its half extents, grown by the radius.
    RoundedCuboid([f64; 3], f64),
}

impl Model {
    /// A box with half extents between 0.4 and 1.
    pub fn random_cuboid(random: &mut Random) -> Model {
        Model::Cuboid(random_extents(0.4, random))
    }

    /// A hull of `vertices` points on an ellipsoid with half axes between 0.7 and 1: each point is a vertex.
    pub fn random_hull(vertices: usize, random: &mut Random) -> Model {
        let axes = DVec3::from(random_extents(0.7, random));
        Model::Hull((0..vertices).map(|_| (random.direction() * axes).to_array()).collect())
    }

    /// A body of a kind, about as large as the unit ball; hulls have 32 vertices.
    pub fn random(kind: ShapeKind, random: &mut Random) -> Model {
        let mut size = || random.between(0.4, 1.0);
        match kind {
            ShapeKind::Sphere => Model::Sphere(size()),
            ShapeKind::Capsule => Model::Capsule { half_length: size(), radius: 0.5 * size() },
            ShapeKind::Cuboid => Model::random_cuboid(random),
            ShapeKind::Cylinder => Model::Cylinder { half_length: size(), radius: size() },
            ShapeKind::Cone => Model::Cone { half_length: size(), radius: size() },
            ShapeKind::Ellipsoid => Model::Ellipsoid(random_extents(0.4, random)),
            ShapeKind::HalfSpace => Model::HalfSpace,
            ShapeKind::Segment => Model::Segment(random_corners(random)),
            ShapeKind::Triangle => Model::Triangle(random_corners(random)),
            ShapeKind::Tetrahedron => Model::Tetrahedron(random_corners(random)),
            ShapeKind::Hull => Model::random_hull(32, random),
            ShapeKind::Rounded => Model::RoundedCuboid(random_extents(0.4, random), random.between(0.05, 0.3)),
        }
    }

    /// The body in the engine.
    pub fn shape(&self) -> Result<Shape, clearance::Error> {
        match self {
            Model::Cuboid(half_extents) => Shape::cuboid((*half_extents).into()),
            Model::Sphere(radius) => Shape::sphere(*radius),
            Model::Hull(points) => Shape::hull(points),
            Model::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius),
            Model::Cylinder { half_length, radius } => Shape::cylinder(*half_length, *radius),
            Model::Cone { half_length, radius } => Shape::cone(*half_length, *radius),
            Model::Ellipsoid(half_axes) => Shape::ellipsoid((*half_axes).into()),
            Model::HalfSpace => Shape::half_space(DVec3::Z, 0.0),
            Model::Segment([start, end]) => Shape::segment((*start).into(), (*end).into()),
            Model::Triangle([a, b, c]) => Shape::triangle((*a).into(), (*b).into(), (*c).into()),
            Model::Tetrahedron(corners) => Shape::tetrahedron(corners.map(DVec3::from)),
            Model::RoundedCuboid(half_extents, radius) => {
                Shape::rounded(Shape::cuboid((*half_extents).into())?, *radius)
            }
        }
    }

    /// The body, `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Model {
        let vector = |v: &[f64; 3]| v.map(|part| part * factor);
        match self {
            Model::Cuboid(half_extents) => Model::Cuboid(vector(half_extents)),
            Model::Sphere(radius) => Model::Sphere(radius * factor),
            Model::Hull(points) => Model::Hull(points.iter().map(vector).collect()),
            Model::Capsule { half_length, radius } => {
                Model::Capsule { half_length: half_length * factor, radius: radius * factor }
            }
            Model::Cylinder { half_length, radius } => {
                Model::Cylinder { half_length: half_length * factor, radius: radius * factor }
            }
            Model::Cone { half_length, radius } => {
                Model::Cone { half_length: half_length * factor, radius: radius * factor }
            }
            Model::Ellipsoid(half_axes) => Model::Ellipsoid(vector(half_axes)),
            Model::HalfSpace => Model::HalfSpace,
            Model::Segment(ends) => Model::Segment(ends.each_ref().map(vector)),
            Model::Triangle(corners) => Model::Triangle(corners.each_ref().map(vector)),
            Model::Tetrahedron(corners) => Model::Tetrahedron(corners.each_ref().map(vector)),
            Model::RoundedCuboid(half_extents, radius) => Model::RoundedCuboid(vector(half_extents), radius * factor),
        }
    }

    /// The largest distance of a point of it from its origin; 0 for a half-space, which counts by its plane.
    pub fn radius(&self) -> f64 {
        let farthest =
            |points: &[[f64; 3]]| points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max);
        match self {
            Model::Cuboid(half_extents) => DVec3::from(*half_extents).length(),
            Model::Sphere(radius) => *radius,
            Model::Hull(points) => farthest(points),
            Model::Capsule { half_length, radius } => half_length + radius,
            Model::Cylinder { half_length, radius } | Model::Cone { half_length, radius } => half_length.hypot(*radius),
            Model::Ellipsoid(half_axes) => DVec3::from(*half_axes).max_element(),
            Model::HalfSpace => 0.0,
            Model::Segment(ends) => farthest(ends),
            Model::Triangle(corners) => farthest(corners),
            Model::Tetrahedron(corners) => farthest(corners),
            Model::RoundedCuboid(half_extents, radius) => DVec3::from(*half_extents).length() + radius,
        }
    }

    /// A random point well inside, at most `reach` under the plane of a half-space; of a flat body a point on it.
    fn inside(&self, reach: f64, random: &mut Random) -> DVec3 {
        let mut within = |extents: [f64; 3]| DVec3::from(extents.map(|extent| extent * random.between(-0.5, 0.5)));
        match self {
            Model::Cuboid(extents) | Model::Ellipsoid(extents) | Model::RoundedCuboid(extents, _) => within(*extents),
            Model::Sphere(radius) => within([*radius; 3]),
            Model::Capsule { half_length, .. } => within([0.0, 0.0, *half_length]),
            Model::Cylinder { half_length, radius } => within([*radius, *radius, *half_length]),
            // In the lower half the cone is at least half as wide as its base.
            Model::Cone { half_length, radius } => {
                within([0.5 * radius, 0.5 * radius, *half_length]) - DVec3::Z * (0.5 * half_length)
            }
            Model::HalfSpace => DVec3::new(0.0, 0.0, -reach * random.between(0.1, 0.5)),
            Model::Segment(ends) => random_mean(ends, random),
            Model::Triangle(corners) => random_mean(corners, random),
            Model::Tetrahedron(corners) => random_mean(corners, random),
            Model::Hull(points) => {
                // Of a few points the mean is well inside without being always the middle.
                let some: Vec<[f64; 3]> = (0..8).map(|_| points[random.bits() as usize % points.len()]).collect();
                random_mean(&some, random)
            }
        }
    }
}

/// Three lengths between `least` and 1.
fn random_extents(least: f64, random: &mut Random) -> [f64; 3] {
    std::array::from_fn(|_| random.between(least, 1.0))
}

/// Corners on the unit sphere, no two of them near each other.
fn random_corners<const N: usize>(random: &mut Random) -> [[f64; 3]; N] {
    loop {
        let corners: [DVec3; N] = std::array::from_fn(|_| random.direction());
        let apart = |i: usize| corners[..i].iter().all(|corner| corner.distance(corners[i]) > 0.5);
        if (0..N).all(apart) {
            return corners.map(|corner| corner.to_array());
        }
    }
}

/// A mean of points with random weights, none of which is small.
fn random_mean(points: &[[f64; 3]], random: &mut Random) -> DVec3 {
    let weighted = points.iter().map(|&point| (DVec3::from(point), random.between(0.3, 1.0)));
    let (sum, weights) = weighted.fold((DVec3::ZERO, 0.0), |(sum, all), (point, w)| (sum + point * w, all + w));
    sum / weights
}

/// A body of the oracle as the engine takes it.
pub fn placed_shape(body: &OracleBody) -> Result<(Shape, Pose), clearance::Error> {
    let shape = if let Some(half_extents) = body.as_cuboid() {
        Shape::cuboid(half_extents.into())?
    } else if let Some(radius) = body.as_sphere() {
        Shape::sphere(radius)?
    } else {
        Shape::flat_hull(&body.core_vertices)?
    };
    let rotation = DMat3::from_cols_array_2d(&body.rotation).transpose();
    Ok((shape, Pose::new(rotation, body.translation.into())?))
}

/// A body of the oracle as the simplest kind that fits it, or always as a hull; rounded if it has a radius.
pub fn simple_shape(body: &OracleBody, as_hull: bool) -> Result<(Shape, Pose), clearance::Error> {
    let points: Vec<DVec3> = body.core_vertices.iter().map(|&p| p.into()).collect();
    let sharp = OracleBody { radius: 0.0, ..body.clone() };
    let simple = match (points.as_slice(), sharp.as_cuboid()) {
        _ if as_hull => None,
        (_, Some(half_extents)) => Some(Shape::cuboid(half_extents.into())?),
        // Some kinds refuse points without extent; a flat hull takes any.
        ([p, q], _) => Shape::segment(*p, *q).ok(),
        ([p, q, r], _) => Shape::triangle(*p, *q, *r).ok(),
        ([p, q, r, s], _) => Shape::tetrahedron([*p, *q, *r, *s]).ok(),
        _ => None,
    };
    let core = simple.map_or_else(|| Shape::flat_hull(&body.core_vertices), Ok)?;
    let shape = if body.radius > 0.0 { Shape::rounded(core, body.radius)? } else { core };
    let rotation = DMat3::from_cols_array_2d(&body.rotation).transpose();
    Ok((shape, Pose::new(rotation, body.translation.into())?))
}

/// A shape of the oracle as the engine takes it.
pub fn engine_shape(shape: &OracleShape) -> Result<Shape, clearance::Error> {
    match shape {
        OracleShape::Sphere { radius } => Shape::sphere(*radius),
        OracleShape::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius),
        OracleShape::Cuboid { half_extents } => Shape::cuboid((*half_extents).into()),
        OracleShape::Cylinder { half_length, radius } => Shape::cylinder(*half_length, *radius),
        OracleShape::Cone { half_length, radius } => Shape::cone(*half_length, *radius),
        OracleShape::Ellipsoid { semi_axes } => Shape::ellipsoid((*semi_axes).into()),
        OracleShape::HalfSpace { normal, offset } => Shape::half_space((*normal).into(), *offset),
        OracleShape::Segment { ends: [start, end] } => Shape::segment((*start).into(), (*end).into()),
        OracleShape::Triangle { corners: [a, b, c] } => Shape::triangle((*a).into(), (*b).into(), (*c).into()),
        OracleShape::Tetrahedron { corners } => Shape::tetrahedron(corners.map(DVec3::from)),
        OracleShape::Hull { points } => Shape::flat_hull(points),
        OracleShape::Rounded { core, radius } => Shape::rounded(engine_shape(core)?, *radius),
    }
}

/// A pose of the oracle as the engine takes it.
pub fn engine_pose(pose: &OraclePose) -> Result<Pose, clearance::Error> {
    Pose::new(DMat3::from_cols_array_2d(&pose.rotation).transpose(), pose.translation.into())
}

/// Where a body is: rotated, then moved. Maps body to world.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The rotation, of unit length.
    pub rotation: DQuat,
    /// Where the body's origin goes.
    pub translation: DVec3,
}

impl Placement {
    /// The placement in the engine.
    pub fn pose(&self) -> Result<Pose, clearance::Error> {
        Pose::from_quat(self.rotation, self.translation)
    }
}

/// Where the two bodies of a pair are.
#[derive(Clone, Copy, Debug)]
pub struct PairPlacement {
    /// Of body A.
    pub a: Placement,
    /// Of body B.
    pub b: Placement,
}

/// How the poses of a row are chosen. A gap is measured in radii of the larger body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseKind {
    /// Any orientation and direction, gap 0.1 to 2.
    Random,
    /// The same with a gap around 1e-3.
    Near,
    /// The same with a gap of 10 to 100.
    Far,
    /// Any orientation, and a point inside one body put on a point inside the other.
    Overlapping,
    /// B circles A by half a degree per step and spins at a similar rate; the gap stays around 0.5.
    Coherent,
}

impl PoseKind {
    /// The name in a row.
    pub fn name(self) -> &'static str {
        match self {
            PoseKind::Random => "random",
            PoseKind::Near => "near",
            PoseKind::Far => "far",
            PoseKind::Overlapping => "overlapping",
            PoseKind::Coherent => "coherent",
        }
    }
}

/// Step of the coherent orbit, in radians.
const ORBIT_STEP: f64 = std::f64::consts::PI / 360.0;

/// `count` distinct placements of a pair, the bodies apart in each unless they are to overlap.
pub fn placements(
    kind: PoseKind,
    a: &Model,
    b: &Model,
    count: usize,
    random: &mut Random,
) -> Result<Vec<PairPlacement>, clearance::Error> {
    let radius = a.radius().max(b.radius());
    let gap: fn(&mut Random) -> f64 = match kind {
        PoseKind::Coherent => return Ok(orbit(a, b, count, random)),
        PoseKind::Overlapping => return Ok((0..count).map(|_| overlap(a, b, radius, random)).collect()),
        PoseKind::Random => |random| random.between(0.1, 2.0),
        PoseKind::Near => |random| random.between(0.5e-3, 2e-3),
        PoseKind::Far => |random| random.between(10.0, 100.0),
    };
    let (shape_a, shape_b) = (a.shape()?, b.shape()?);
    let mut placements = Vec::with_capacity(count);
    for _ in 0..count {
        let place_a = Placement { rotation: random.rotation(), translation: random.direction() * radius };
        let mut place_b = Placement { rotation: random.rotation(), translation: place_a.translation };
        // Apart for certain, then moved along the line of the gap: what is left of the gap is what was asked for,
        // because the planes that proved the gap move along.
        let away = way_out(a, &place_a, b, &place_b).unwrap_or_else(|| random.direction());
        place_b.translation += away * (a.radius() + b.radius() + radius);
        let answer = clearance::distance(&shape_a, &place_a.pose()?, &shape_b, &place_b.pose()?);
        let wanted = radius * gap(random);
        if let Some(normal) = answer.normal {
            place_b.translation -= normal * (answer.gap.value - wanted);
        }
        placements.push(PairPlacement { a: place_a, b: place_b });
    }
    Ok(placements)
}

/// The direction from A to B, in the world, that a half-space among them leaves no choice about.
fn way_out(a: &Model, place_a: &Placement, b: &Model, place_b: &Placement) -> Option<DVec3> {
    match (a, b) {
        (Model::HalfSpace, _) => Some(place_a.rotation * DVec3::Z),
        (_, Model::HalfSpace) => Some(place_b.rotation * -DVec3::Z),
        _ => None,
    }
}

/// Two bodies with a point in common.
fn overlap(a: &Model, b: &Model, radius: f64, random: &mut Random) -> PairPlacement {
    let place_a = Placement { rotation: random.rotation(), translation: random.direction() * radius };
    let rotation = random.rotation();
    let common = place_a.rotation * a.inside(radius, random) + place_a.translation;
    let translation = common - rotation * b.inside(radius, random);
    PairPlacement { a: place_a, b: Placement { rotation, translation } }
}

/// The coherent path: A stands still; B goes round it and turns about another axis. Where one of them is a half-space,
/// B circles over its plane, or is itself one that turns about its normal.
fn orbit(a: &Model, b: &Model, count: usize, random: &mut Random) -> Vec<PairPlacement> {
    let radius = a.radius().max(b.radius());
    let reach = a.radius() + b.radius() + 0.5 * radius;
    let place_a = Placement { rotation: random.rotation(), translation: random.direction() * radius };
    let start = Placement { rotation: random.rotation(), translation: place_a.translation };
    let level = way_out(a, &place_a, b, &start);
    let axis = level.unwrap_or_else(|| random.direction());
    let (spoke, other) = axis.any_orthonormal_pair();
    let spin = if matches!(b, Model::HalfSpace) { axis } else { random.direction() };
    let above = level.map_or(DVec3::ZERO, |level| level * reach);
    let rate = random.between(0.8, 1.2) * ORBIT_STEP;
    (0..count)
        .map(|step| {
            let (sin, cos) = (step as f64 * ORBIT_STEP).sin_cos();
            let rotation = (DQuat::from_axis_angle(spin, step as f64 * rate) * start.rotation).normalize();
            let translation = place_a.translation + above + (spoke * cos + other * sin) * reach;
            PairPlacement { a: place_a, b: Placement { rotation, translation } }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_models() {
        let hull = |seed| match Model::random_hull(32, &mut Random::new(seed, 7)) {
            Model::Hull(points) => points,
            other => panic!("{other:?}"),
        };
        assert_eq!(hull(1), hull(1));
        assert_ne!(hull(1), hull(2));
        assert_eq!(hull(1).len(), 32);
    }

    #[test]
    fn sizes_of_models() {
        assert_eq!(Model::Cuboid([1.0, 2.0, 2.0]).radius(), 3.0);
        let hull = Model::Hull(vec![[0.0; 3], [3.0, 4.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(hull.radius(), 5.0);
    }

    #[test]
    fn gaps_are_what_was_asked_for() {
        let mut random = Random::new(3, 0);
        let (a, b) = (Model::random_hull(32, &mut random), Model::random_cuboid(&mut random));
        let radius = a.radius().max(b.radius());
        let (shape_a, shape_b) = (a.shape().unwrap(), b.shape().unwrap());
        for (kind, low, high) in [
            (PoseKind::Random, 0.1, 2.0),
            (PoseKind::Near, 0.5e-3, 2e-3),
            (PoseKind::Far, 10.0, 100.0),
            (PoseKind::Overlapping, -1.0, 0.0),
            (PoseKind::Coherent, 0.1, 2.0),
        ] {
            for place in placements(kind, &a, &b, 20, &mut random).unwrap() {
                let (pose_a, pose_b) = (place.a.pose().unwrap(), place.b.pose().unwrap());
                let gap = clearance::distance(&shape_a, &pose_a, &shape_b, &pose_b).gap.value / radius;
                assert!(gap > low * 0.999 && gap <= high * 1.001, "{kind:?}: {gap}");
            }
        }
    }

    #[test]
    fn bodies_of_every_kind_are_valid_and_scale() {
        let mut random = Random::new(5, 0);
        for kind in ShapeKind::ALL {
            let model = Model::random(kind, &mut random);
            assert!(model.shape().is_ok(), "{model:?}");
            assert!((model.scaled(50.0).radius() - 50.0 * model.radius()).abs() < 1e-12);
        }
    }

    #[test]
    fn bodies_that_should_overlap_do() {
        let mut random = Random::new(6, 0);
        let ball = Model::Sphere(0.25);
        for kind in ShapeKind::ALL.into_iter().filter(|&kind| kind != ShapeKind::HalfSpace) {
            let model = Model::random(kind, &mut random);
            let (a, b) = (model.shape().unwrap(), ball.shape().unwrap());
            for place in placements(PoseKind::Overlapping, &model, &ball, 20, &mut random).unwrap() {
                assert!(clearance::intersects(&a, &place.a.pose().unwrap(), &b, &place.b.pose().unwrap()), "{model:?}");
            }
        }
    }

    #[test]
    fn bodies_stay_on_their_side_of_a_half_space() {
        let mut random = Random::new(7, 0);
        let (ball, floor) = (Model::Sphere(1.0), Model::HalfSpace);
        for (a, b) in [(&ball, &floor), (&floor, &ball)] {
            for (kind, low, high) in [(PoseKind::Coherent, 0.5, 0.5), (PoseKind::Overlapping, -2.0, 0.0)] {
                for place in placements(kind, a, b, 20, &mut random).unwrap() {
                    let (plane, centre) =
                        if matches!(a, Model::HalfSpace) { (place.a, place.b) } else { (place.b, place.a) };
                    let height = (plane.rotation * DVec3::Z).dot(centre.translation - plane.translation);
                    let gap = height - 1.0;
                    assert!(gap > low - 1e-12 && gap < high + 1e-12, "{kind:?}: {gap}");
                }
            }
        }
    }

    #[test]
    fn a_coherent_step_is_small() {
        let mut random = Random::new(3, 0);
        let (a, b) = (Model::Sphere(1.0), Model::Sphere(1.0));
        let path = placements(PoseKind::Coherent, &a, &b, 50, &mut random).unwrap();
        for pair in path.windows(2) {
            let step = pair[0].b.translation.distance(pair[1].b.translation);
            assert!(step > 0.0 && step < 0.03);
            assert!(pair[0].b.rotation.angle_between(pair[1].b.rotation) < 0.02);
        }
    }
}
