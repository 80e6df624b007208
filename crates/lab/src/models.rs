//! The bodies and poses that experiments share, as plain numbers: the same input for the engine and for its peers.
//!
//! Everything follows from a seed, so a figure can be taken again.

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::{Pose, Shape};
use clearance_oracle::OracleBody;

/// A small random generator (splitmix64): the same numbers on every machine and in every release.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator of its own for each `(seed, stream)`.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.bits();
        random
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
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

/// A body before any library has seen it.
#[derive(Clone, Debug)]
pub enum Model {
    /// A box by its half extents, centred at its origin.
    Cuboid([f64; 3]),
    /// A ball by its radius, centred at its origin.
    Sphere(f64),
    /// The convex hull of points.
    Hull(Vec<[f64; 3]>),
}

impl Model {
    /// A box with half extents between 0.4 and 1.
    pub fn random_cuboid(random: &mut Random) -> Model {
        Model::Cuboid([random.between(0.4, 1.0), random.between(0.4, 1.0), random.between(0.4, 1.0)])
    }

    /// A hull of `vertices` points on an ellipsoid with half axes between 0.7 and 1: each point is a vertex.
    pub fn random_hull(vertices: usize, random: &mut Random) -> Model {
        let axes = DVec3::new(random.between(0.7, 1.0), random.between(0.7, 1.0), random.between(0.7, 1.0));
        Model::Hull((0..vertices).map(|_| (random.direction() * axes).to_array()).collect())
    }

    /// The body in the engine.
    pub fn shape(&self) -> Result<Shape, clearance::Error> {
        match self {
            Model::Cuboid(half_extents) => Shape::cuboid((*half_extents).into()),
            Model::Sphere(radius) => Shape::sphere(*radius),
            Model::Hull(points) => Shape::hull(points),
        }
    }

    /// The largest distance of a point of it from its origin.
    pub fn radius(&self) -> f64 {
        match self {
            Model::Cuboid(half_extents) => DVec3::from(*half_extents).length(),
            Model::Sphere(radius) => *radius,
            Model::Hull(points) => points.iter().map(|&point| DVec3::from(point).length()).fold(0.0, f64::max),
        }
    }
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
            PoseKind::Coherent => "coherent",
        }
    }
}

/// Step of the coherent orbit, in radians.
const ORBIT_STEP: f64 = std::f64::consts::PI / 360.0;

/// `count` distinct placements of a pair, the bodies apart in each.
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
        place_b.translation += random.direction() * (a.radius() + b.radius() + radius);
        let answer = clearance::distance(&shape_a, &place_a.pose()?, &shape_b, &place_b.pose()?);
        let wanted = radius * gap(random);
        if let Some(normal) = answer.normal {
            place_b.translation -= normal * (answer.value - wanted);
        }
        placements.push(PairPlacement { a: place_a, b: place_b });
    }
    Ok(placements)
}

/// The coherent path: A stands still; B goes round it and turns about another axis.
fn orbit(a: &Model, b: &Model, count: usize, random: &mut Random) -> Vec<PairPlacement> {
    let reach = a.radius() + b.radius() + 0.5 * a.radius().max(b.radius());
    let place_a = Placement { rotation: random.rotation(), translation: random.direction() };
    let axis = random.direction();
    let (spoke, other) = axis.any_orthonormal_pair();
    let (start, spin) = (random.rotation(), random.direction());
    let rate = random.between(0.8, 1.2) * ORBIT_STEP;
    (0..count)
        .map(|step| {
            let (sin, cos) = (step as f64 * ORBIT_STEP).sin_cos();
            let rotation = (DQuat::from_axis_angle(spin, step as f64 * rate) * start).normalize();
            let translation = place_a.translation + (spoke * cos + other * sin) * reach;
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
            (PoseKind::Coherent, 0.1, 2.0),
        ] {
            for place in placements(kind, &a, &b, 20, &mut random).unwrap() {
                let (pose_a, pose_b) = (place.a.pose().unwrap(), place.b.pose().unwrap());
                let gap = clearance::distance(&shape_a, &pose_a, &shape_b, &pose_b).value / radius;
                assert!(gap > low * 0.999 && gap < high * 1.001, "{kind:?}: {gap}");
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
