//! Pairs of shapes of any two kinds, apart, touching or overlapping, with a proved enclosure of their signed distance.
//!
//! The signed distance `s` of A and B is that of the origin from the difference `D = B - A`. Two facts enclose it, for
//! both signs alike, and require no algorithm:
//!
//! - along any unit vector `n` from A towards B, `s >= min over B of n . x - max over A of n . x`: supporting planes;
//! - if `D` contains a ball of radius `r` around `c`, then `s <= |c| - r`, since the distance to a larger body is
//!   smaller. The ball may be a point (`r = 0`), the difference of a point of B and a point of A; the bound is then the
//!   distance between these.
//!
//! So a pair is constructed from the contact outwards: choose a place on one body (vertex, edge, face, rim, side,
//! smooth point), with the normal `n` there; the place of the other body where `-n` is attained; and the translation of
//! B that leaves the chosen gap along `n` between them. The translation is rounded to doubles, and *then* the enclosure
//! is proved, with the stored numbers, in 256-bit arithmetic (`real.rs`): supporting planes along `n`, and a ball that
//! touches `D` at the contact from inside (`site.rs`). The rounding moves the contact sideways by `d`, which costs
//! `d^2 / (r + s)`: far below a unit in the last place. If no ball is available, the points slide along their edges,
//! faces or rims to the common perpendicular, and `n` turns to join them.
//!
//! A radius (sphere, capsule, rounded) is subtracted from the signed distance of the cores, for both signs.
//!
//! **Overlaps** need a ball wherever the cores overlap. There is one for: a flat face, a curved side, a cap or base, or
//! a point of an ellipsoid, against anything; two edges; a rim and a rim or an edge; a face without thickness against a
//! corner. A half-space needs none. The remaining cases are two vertices, or a vertex and an edge or a rim: there the
//! difference has a corner or a crease, and no interior point is nearest to that. Two segments have no depth.
//!
//! ```
//! use clearance_oracle::shape::ShapeKind;
//! use clearance_oracle::tangent_shapes::{Gap, Situation, tangent_shapes};
//!
//! let pair = tangent_shapes(ShapeKind::Cone, ShapeKind::Ellipsoid, Gap::Overlapping3, Situation::Unit, 7).unwrap();
//! assert!(pair.lower <= pair.upper && pair.upper < 0.0);
//! assert!(pair.upper - pair.lower <= 3e-16 * pair.scale);
//! ```

use crate::generate::{exact_rotation, random_rotation};
use crate::random::Random;
use crate::rational::power_of_two;
use crate::real::{self, Real, Vector};
use crate::shape::{Core, OraclePose, OracleShape, PlacedCore, ShapeKind, norm};
pub use crate::site::Feature;
use crate::site::{InnerBall, Place, Slide, ball_at_rims, ball_in_pyramid, ball_of_balls};
use crate::skeleton::{Skeleton, cross, normalised, random_shape};

/// How far apart the bodies are, or how deep inside each other. Gaps are fractions of the sum of the diameters, depths
/// of the lesser diameter; a half-space counts with the distance of its plane from its origin, two half-spaces with
/// their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gap {
    /// As deep as can be proved, up to 1: the balls that touch the contact from inside have one centre. Often another
    /// direction is as good or nearly so.
    Deepest,
    /// As deep as 0.3 if that can be proved.
    OverlappingDeep,
    /// As deep as 0.05 if that can be proved.
    Overlapping,
    /// 10^-3 deep.
    Overlapping3,
    /// 10^-6 deep.
    Overlapping6,
    /// 10^-9 deep.
    Overlapping9,
    /// Zero, up to the rounding of the translation.
    Touching,
    /// 10^-9 apart.
    Apart9,
    /// 10^-6 apart.
    Apart6,
    /// 10^-3 apart.
    Apart3,
    /// 0.1 apart.
    Near,
    /// 1 apart.
    Apart,
    /// 10 apart.
    Far,
}

impl Gap {
    /// All gaps, from the deepest to the widest.
    pub const ALL: [Gap; 13] = [
        Gap::Deepest,
        Gap::OverlappingDeep,
        Gap::Overlapping,
        Gap::Overlapping3,
        Gap::Overlapping6,
        Gap::Overlapping9,
        Gap::Touching,
        Gap::Apart9,
        Gap::Apart6,
        Gap::Apart3,
        Gap::Near,
        Gap::Apart,
        Gap::Far,
    ];

    /// The signed fraction: negative for a depth.
    ///
    /// ```
    /// use clearance_oracle::tangent_shapes::Gap;
    /// assert!(Gap::ALL.windows(2).all(|pair| pair[0].fraction() < pair[1].fraction()));
    /// ```
    #[must_use]
    pub const fn fraction(self) -> f64 {
        match self {
            Gap::Deepest => -1.0,
            Gap::OverlappingDeep => -0.3,
            Gap::Overlapping => -0.05,
            Gap::Overlapping3 => -1e-3,
            Gap::Overlapping6 => -1e-6,
            Gap::Overlapping9 => -1e-9,
            Gap::Touching => 0.0,
            Gap::Apart9 => 1e-9,
            Gap::Apart6 => 1e-6,
            Gap::Apart3 => 1e-3,
            Gap::Near => 0.1,
            Gap::Apart => 1.0,
            Gap::Far => 10.0,
        }
    }

    /// The name used in tables.
    ///
    /// ```
    /// use clearance_oracle::tangent_shapes::Gap;
    /// assert_eq!(Gap::Overlapping6.name(), "1e-6 deep");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Gap::Deepest => "deepest",
            Gap::OverlappingDeep => "0.3 deep",
            Gap::Overlapping => "0.05 deep",
            Gap::Overlapping3 => "1e-3 deep",
            Gap::Overlapping6 => "1e-6 deep",
            Gap::Overlapping9 => "1e-9 deep",
            Gap::Touching => "touching",
            Gap::Apart9 => "1e-9 apart",
            Gap::Apart6 => "1e-6 apart",
            Gap::Apart3 => "1e-3 apart",
            Gap::Near => "0.1 apart",
            Gap::Apart => "1 apart",
            Gap::Far => "10 apart",
        }
    }
}

/// The sizes and positions of the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Situation {
    /// Sizes about 10^-3.
    Small,
    /// Sizes about 1.
    Unit,
    /// Sizes about 10^3.
    Large,
    /// One of size 10^-3, the other of 10^3.
    Mixed,
    /// Needles and plates: sizes about 1, some of them thinner by 10^-3 to 10^-6.
    Slender,
    /// Sizes about 1, both 10^6 from the origin.
    FarAway,
}

impl Situation {
    /// All situations, in the order of their declaration.
    pub const ALL: [Situation; 6] =
        [Situation::Small, Situation::Unit, Situation::Large, Situation::Mixed, Situation::Slender, Situation::FarAway];

    /// The name used in tables.
    ///
    /// ```
    /// use clearance_oracle::tangent_shapes::Situation;
    /// assert_eq!(Situation::Mixed.name(), "1e-3 with 1e3");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Situation::Small => "1e-3",
            Situation::Unit => "1",
            Situation::Large => "1e3",
            Situation::Mixed => "1e-3 with 1e3",
            Situation::Slender => "slender",
            Situation::FarAway => "1e6 away",
        }
    }
}

/// A pair and a proved enclosure of its signed distance.
#[derive(Clone, Debug, PartialEq)]
pub struct TangentShapes {
    /// The first body, in its own frame.
    pub a: OracleShape,
    /// The pose of the first body.
    pub pose_a: OraclePose,
    /// The second body, in its own frame.
    pub b: OracleShape,
    /// The pose of the second body.
    pub pose_b: OraclePose,
    /// Proved lower bound on the signed distance of the bodies as stored: positive if apart, negative if overlapping
    /// (then minus the length of the least separating translation).
    pub lower: f64,
    /// Proved upper bound on the signed distance.
    pub upper: f64,
    /// The approximate unit normal at the contact, from A towards B, in world axes: the lower bound is the gap between
    /// the supporting planes perpendicular to it, up to rounding. If the bodies overlap, moving B along it by the depth
    /// separates them.
    pub normal: [f64; 3],
    /// The sum of the diameters and of the distance of the origins, rounded: errors are measured relative to it. A
    /// half-space counts with the distance of its plane from its origin in place of a diameter.
    pub scale: f64,
    /// The features of A and of B at the contact; those of the cores if there are radii.
    pub features: (Feature, Feature),
}

/// The widest enclosure that is returned, as a fraction of the scale: two units in the last place. Wider ones occur
/// where rounding leaves the sign of a contact of two corners undecided; the pair is then redrawn.
const WIDEST: f64 = 1.0 / (1_u64 << 52) as f64;

/// From this attempt on, a smaller depth than requested is accepted.
const STRICT_ATTEMPTS: usize = 24;

/// Attempts before giving up.
const ATTEMPTS: usize = 400;

/// The pair of two kinds, a gap, a situation and a seed, bit-identical on every machine. `None` for two overlapping
/// segments: they have no depth.
///
/// Poses are rotations exact in doubles, rounded rational ones, random ones, and ones that turn a feature of one body
/// to face a feature of the other, so that faces and edges are parallel up to rounding. A depth is smaller than
/// requested if no ball of that radius fits. Rounded shapes have as core a cuboid, cylinder, cone, ellipsoid, segment,
/// triangle, tetrahedron or hull; two half-spaces have opposite normals.
///
/// ```
/// use clearance_oracle::shape::ShapeKind;
/// use clearance_oracle::tangent_shapes::{Gap, Situation, tangent_shapes};
///
/// let pair = || tangent_shapes(ShapeKind::Capsule, ShapeKind::Cylinder, Gap::Apart9, Situation::Small, 3).unwrap();
/// assert_eq!(pair(), pair());
/// assert_eq!((pair().a.kind(), pair().b.kind()), (ShapeKind::Capsule, ShapeKind::Cylinder));
/// assert!(0.0 < pair().lower && pair().upper < 1e-8);
/// ```
#[must_use]
pub fn tangent_shapes(
    kind_a: ShapeKind,
    kind_b: ShapeKind,
    gap: Gap,
    situation: Situation,
    seed: u64,
) -> Option<TangentShapes> {
    if gap.fraction() < 0.0 && (kind_a, kind_b) == (ShapeKind::Segment, ShapeKind::Segment) {
        return None;
    }
    let key = [kind_a as u64, kind_b as u64, gap as u64, situation as u64].iter().fold(0, |key, part| key * 16 + part);
    let mut start = Random::new(seed ^ key << 40);
    let random = &mut Random::new(start.bits());
    (0..ATTEMPTS).find_map(|attempt| {
        if (kind_a, kind_b) == (ShapeKind::HalfSpace, ShapeKind::HalfSpace) {
            half_spaces(gap, situation, random)
        } else {
            attempt_pair([kind_a, kind_b], gap, situation, attempt < STRICT_ATTEMPTS, random)
        }
    })
}

/// A body being placed.
struct Draft {
    shape: OracleShape,
    skeleton: Skeleton,
    rotation: [[f64; 3]; 3],
    core: PlacedCore,
    radius: Real,
}

impl Draft {
    fn new(kind: ShapeKind, size: f64, slender: bool, random: &mut Random) -> Draft {
        let (shape, skeleton) = random_shape(kind, size, slender, random);
        let rotation = if random.coin() { exact_rotation(random) } else { random_rotation(random) };
        Draft::turned(shape, skeleton, rotation)
    }

    fn turned(shape: OracleShape, skeleton: Skeleton, rotation: [[f64; 3]; 3]) -> Draft {
        let (core, radius) = shape.core();
        let core = PlacedCore::new(core, &OraclePose { rotation, translation: [0.0; 3] });
        Draft { shape, skeleton, rotation, core, radius }
    }

    /// The body's contribution to the scale: its diameter, or the distance of its plane from its origin.
    fn extent(&self) -> f64 {
        match &self.core.core {
            Core::HalfSpace { normal, offset } => offset.abs() / norm(*normal),
            _ => self.shape.diameter(),
        }
    }

    fn is_half_space(&self) -> bool {
        matches!(self.core.core, Core::HalfSpace { .. })
    }

    /// A place of the surface and a normal there in the body's frame, exact or to full precision.
    fn sample(&self, random: &mut Random) -> (Place, Vector) {
        let direction = |random: &mut Random| {
            let mut direction = random.direction();
            if random.index(8) == 0 {
                direction[random.index(3)] *= 1e-9;
            }
            direction
        };
        let around = |random: &mut Random| {
            let [x, y, _] = if random.index(4) == 0 { [1.0, 0.0, 0.0] } else { random.direction() };
            [Real::from_f64(x), Real::from_f64(y)]
        };
        let in_disk = |radius: f64, random: &mut Random| {
            let [x, y, _] = random.in_ball();
            [x, y].map(|part| Real::from_f64(part * radius * 0.96))
        };
        let choice = random.index(4);
        match &self.core.core {
            Core::Cylinder { half_length, radius } if choice < 2 => {
                if choice == 0 {
                    let around = around(random);
                    let normal = [around[0].clone(), around[1].clone(), Real::zero()];
                    (Place::Side { around, fraction: Real::from_f64(random.uniform(0.02, 0.98)) }, normal)
                } else {
                    let height = if random.coin() { *half_length } else { -half_length };
                    (Place::Disk { at: in_disk(*radius, random), height }, real::vector([0.0, 0.0, height.signum()]))
                }
            }
            Core::Cone { half_length, radius } if choice < 2 => {
                if choice == 0 {
                    let around = around(random);
                    let across = (&(&around[0] * &around[0]) + &(&around[1] * &around[1])).sqrt();
                    let height = Real::from_f64(2.0 * half_length);
                    let normal = [&around[0] * &height, &around[1] * &height, &across * &Real::from_f64(*radius)];
                    (Place::Side { around, fraction: Real::from_f64(random.uniform(0.02, 0.98)) }, normal)
                } else {
                    let place = Place::Disk { at: in_disk(*radius, random), height: -half_length };
                    (place, real::vector([0.0, 0.0, -1.0]))
                }
            }
            Core::Ellipsoid(semi_axes) => {
                let mut direction = direction(random);
                if choice == 0 {
                    // Uniformly over the surface rather than over the normals, so that the tips of a needle occur too.
                    let least = semi_axes[0].min(semi_axes[1]).min(semi_axes[2]);
                    direction = std::array::from_fn(|axis| direction[axis] * least / semi_axes[axis]);
                }
                let direction = real::vector(direction);
                (Place::Smooth { direction: direction.clone() }, direction)
            }
            _ if choice < 2 && !self.skeleton.faces.is_empty() => {
                let (corners, outward) = self.skeleton.faces[random.index(self.skeleton.faces.len())];
                let shares: [f64; 3] = std::array::from_fn(|_| random.uniform(0.05, 1.0));
                let sum = shares[0] + shares[1] + shares[2];
                let weights = vec![Real::from_f64(shares[1] / sum), Real::from_f64(shares[2] / sum)];
                let [first, second, third] = corners.map(real::vector);
                let normal = real::cross(&real::subtract(&second, &first), &real::subtract(&third, &first));
                let normal = towards(normal, outward);
                (Place::Corners { corners: corners.to_vec(), weights }, normal)
            }
            _ if choice < 3 && !self.skeleton.edges.is_empty() => {
                let edge = &self.skeleton.edges[random.index(self.skeleton.edges.len())];
                let share = random.uniform(0.02, 0.98);
                let normal = match edge.normals {
                    Some([one, other]) => std::array::from_fn(|axis| share * one[axis] + (1.0 - share) * other[axis]),
                    None => random.direction(),
                };
                let along = real::subtract(&real::vector(edge.ends[1]), &real::vector(edge.ends[0]));
                let normal = real::vector(normal);
                let part = real::dot(&normal, &along).divided_by(&real::dot(&along, &along));
                let normal = real::subtract(&normal, &real::scale(&along, &part));
                let weights = vec![Real::from_f64(random.uniform(0.02, 0.98))];
                (Place::Corners { corners: edge.ends.to_vec(), weights }, normal)
            }
            _ => {
                let direction = real::vector(direction(random));
                (self.core.support_place(&direction), direction)
            }
        }
    }

    /// The straight line through a place that has exactly one: an edge, or a line in the side of a cylinder.
    fn line(&self, place: &Place) -> Option<Vector> {
        let straight = match (place, &self.core.core) {
            (Place::Corners { corners, .. }, _) => corners.len() == 2,
            (Place::Side { .. }, Core::Cylinder { .. }) => true,
            _ => false,
        };
        let slide = if straight { self.core.slides(place).pop() } else { None };
        slide.map(|slide| slide.tangent)
    }

    /// The place on the line of `place` if the world normal there is `n`: a line in a cylinder's side turns with it.
    fn on_line(&self, place: &Place, n: &Vector) -> Place {
        match place {
            Place::Side { fraction, .. } => {
                let [x, y, _] = self.core.body_direction(n);
                Place::Side { around: [x.midpoint(), y.midpoint()], fraction: fraction.clone() }
            }
            other => other.clone(),
        }
    }
}

/// The vector or its opposite, whichever is closer to `guide`.
fn towards(v: Vector, guide: [f64; 3]) -> Vector {
    let along = real::rounded(&v).iter().zip(guide).map(|(x, y)| x * y).sum::<f64>();
    if along < 0.0 { real::negate(&v) } else { v }
}

/// A rotation, up to rounding, that maps the direction `from` to the direction `to`, with a random rotation about it.
fn rotation_between(from: [f64; 3], to: [f64; 3], random: &mut Random) -> [[f64; 3]; 3] {
    let mut frame = |first: [f64; 3]| {
        let first = normalised(first);
        loop {
            let second = cross(first, random.direction());
            if norm(second) > 0.25 {
                let second = normalised(second);
                return [first, second, cross(first, second)];
            }
        }
    };
    let (one, other) = (frame(from), frame(to));
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..3).map(|axis| other[axis][row] * one[axis][column]).sum())
    })
}

/// Sizes of A and B.
fn sizes(situation: Situation, random: &mut Random) -> [f64; 2] {
    match situation {
        Situation::Small => [1e-3; 2],
        Situation::Unit | Situation::Slender | Situation::FarAway => [1.0; 2],
        Situation::Large => [1e3; 2],
        Situation::Mixed if random.coin() => [1e-3, 1e3],
        Situation::Mixed => [1e3, 1e-3],
    }
}

/// The position of A: at the origin, near it, or far away.
fn home(situation: Situation, size: f64, random: &mut Random) -> [f64; 3] {
    if situation == Situation::FarAway {
        random.direction().map(|x| x * size * 1e6)
    } else if random.coin() {
        [0.0; 3]
    } else {
        random.in_cube(size)
    }
}

/// One pair, unless its enclosure is too wide, has the wrong sign, or cannot be as deep as requested.
fn attempt_pair(
    kinds: [ShapeKind; 2],
    gap: Gap,
    situation: Situation,
    strict: bool,
    random: &mut Random,
) -> Option<TangentShapes> {
    let sizes = sizes(situation, random);
    let slender = situation == Situation::Slender;
    // Which body determines the direction: a half-space always does.
    let leader = match kinds {
        [ShapeKind::HalfSpace, _] => 0,
        [_, ShapeKind::HalfSpace] => 1,
        _ => random.index(2),
    };
    let lead = Draft::new(kinds[leader], sizes[leader], slender, random);
    let mut follow = Draft::new(kinds[1 - leader], sizes[1 - leader], slender, random);
    let (lead_site, normal) = match &lead.core.core {
        Core::HalfSpace { normal, .. } => (None, real::vector(*normal)),
        _ => {
            let (place, normal) = lead.sample(random);
            (Some(place), normal)
        }
    };
    let mut n = lead.core.world_normal(&normal);
    let mut lead_site = lead_site;
    let mut follow_site = None;
    if random.coin() {
        // Turn a feature of the follower to face the leader's.
        let (place, normal) = follow.sample(random);
        let facing = rotation_between(real::rounded(&normal), real::rounded(&real::negate(&n)), random);
        follow = Draft::turned(follow.shape, follow.skeleton, facing);
        let lines = lead_site.as_ref().and_then(|site| lead.line(site)).zip(follow.line(&place));
        if let (Some((one, other)), Some(site)) = (lines, &lead_site) {
            let perpendicular = real::cross(&real::unit(&one), &real::unit(&other));
            if norm(real::rounded(&perpendicular)) > 0.05 {
                n = real::unit(&towards(perpendicular, real::rounded(&n)));
                follow_site = Some(follow.on_line(&place, &real::negate(&n)));
                lead_site = Some(lead.on_line(site, &n));
            }
        }
    }
    let follow_site =
        follow_site.unwrap_or_else(|| follow.core.support_place(&follow.core.body_direction(&real::negate(&n))));
    // The ball that touches the difference at the contact.
    let from_a = if leader == 0 { n.clone() } else { real::negate(&n) };
    let ball_of = |draft: &Draft, site: &Place| draft.core.inner_ball(site);
    let lead_ball = lead_site.as_ref().and_then(|site| ball_of(&lead, site));
    let follow_ball = ball_of(&follow, &follow_site);
    let balls = if leader == 0 { (lead_ball, follow_ball) } else { (follow_ball, lead_ball) };
    let mut ball = ball_of_balls(&balls.0, &balls.1);
    if let (None, Some(site), true) = (&ball, &lead_site, gap.fraction() < 1e-2) {
        let (lead_part, follow_part) = ((&lead.core, site), (&follow.core, &follow_site));
        let (part_a, part_b) = if leader == 0 { (lead_part, follow_part) } else { (follow_part, lead_part) };
        ball = ball_in_pyramid(part_a, part_b, &from_a).or_else(|| ball_at_rims(part_a, part_b, &from_a));
    }
    // The gap of the cores.
    let radii = &lead.radius + &follow.radius;
    let extents = [lead.extent(), follow.extent()];
    let wanted = if gap.fraction() >= 0.0 {
        gap.fraction() * (extents[0] + extents[1])
    } else {
        let wanted = -gap.fraction() * lead.shape.diameter().min(follow.shape.diameter());
        // If the centre of the ball is close to the origin, the sideways rounding counts in full: only where requested,
        // and never far away.
        let (share_of_ball, share_of_radii) = match gap {
            Gap::Deepest if situation != Situation::FarAway => (1.0, 1.0),
            _ => (0.7, 0.9),
        };
        let deepest = match &ball {
            _ if lead.is_half_space() => f64::INFINITY,
            Some(ball) => radii.to_f64() + share_of_ball * ball.radius.to_f64(),
            None => share_of_radii * radii.to_f64(),
        };
        if deepest == 0.0 || (strict && gap != Gap::Deepest && deepest < wanted) {
            return None;
        }
        -wanted.min(deepest)
    };
    let core_gap = &Real::from_f64(wanted) + &radii;
    // The translations: A's is free, B's is rounded.
    let lead_point = match (&lead_site, &lead.core.core) {
        (Some(site), _) => lead.core.point(site),
        (None, Core::HalfSpace { normal, offset }) => {
            let normal = real::vector(*normal);
            let foot = Real::from_f64(*offset).divided_by(&real::dot(&normal, &normal));
            let aside = real::cross(&normal, &real::vector(random.direction()));
            let reach = Real::from_f64(sizes[1 - leader]).divided_by(&real::length(&normal));
            real::add(&real::scale(&normal, &foot), &real::scale(&aside, &reach))
        }
        (None, _) => unreachable!("only half-spaces have no place"),
    };
    let follow_point = follow.core.point(&follow_site);
    let (turned_lead, turned_follow) = (lead.core.turned(&lead_point), follow.core.turned(&follow_point));
    let apart = real::scale(&from_a, &core_gap);
    let offset = if leader == 0 {
        real::add(&real::subtract(&turned_lead, &turned_follow), &apart)
    } else {
        real::add(&real::subtract(&turned_follow, &turned_lead), &apart)
    };
    let home = home(situation, sizes[0].min(sizes[1]), random);
    let away = real::rounded(&real::add(&real::vector(home), &offset));
    let ([mut a, mut b], site_a, site_b) = if leader == 0 {
        ([lead, follow], lead_site, Some(follow_site))
    } else {
        ([follow, lead], Some(follow_site), lead_site)
    };
    a.core.translation = real::vector(home);
    b.core.translation = real::vector(away);
    let scale = extents[0] + extents[1] + norm(std::array::from_fn(|axis| away[axis] - home[axis]));
    let features = (
        site_a.as_ref().map_or(Feature::Plane, Place::feature),
        site_b.as_ref().map_or(Feature::Plane, Place::feature),
    );
    let (lower, upper, normal) = match (&site_a, &site_b) {
        (Some(site_a), Some(site_b)) => enclose((&a.core, site_a), (&b.core, site_b), &from_a, ball.as_ref(), scale),
        _ => {
            // The plane of a half-space: the least extent of the other body beyond it, in either order.
            let distance = a.core.separation(&b.core, &from_a);
            (distance.clone(), distance, from_a)
        }
    };
    let (lower, upper) = ((&lower - &radii).bounds().0, (&upper - &radii).bounds().1);
    let sign_holds = match gap {
        Gap::Touching => true,
        _ if gap.fraction() < 0.0 => upper < 0.0,
        _ => lower > 0.0,
    };
    if !sign_holds || (upper - lower > WIDEST * scale && upper > lower.next_up()) {
        return None;
    }
    Some(TangentShapes {
        pose_a: OraclePose { rotation: a.rotation, translation: home },
        pose_b: OraclePose { rotation: b.rotation, translation: away },
        a: a.shape,
        b: b.shape,
        lower,
        upper,
        normal: real::rounded(&normal),
        scale,
        features,
    })
}

/// Two half-spaces with opposite normals in the same rotation: any other two have an unbounded overlap.
fn half_spaces(gap: Gap, situation: Situation, random: &mut Random) -> Option<TangentShapes> {
    let sizes = sizes(situation, random);
    let a = Draft::new(ShapeKind::HalfSpace, sizes[0], false, random);
    let Core::HalfSpace { normal, .. } = a.core.core else {
        unreachable!("a half-space");
    };
    let factor = -power_of_two(random.integer(-3, 3));
    let offset = random.uniform(-1.0, 1.0) * sizes[1] * norm(normal);
    let shape = OracleShape::HalfSpace { normal: normal.map(|x| x * factor), offset };
    let b = Draft::turned(shape, Skeleton::default(), a.rotation);
    let n = a.core.world_normal(&real::vector(normal));
    let home = home(situation, sizes[0].min(sizes[1]), random);
    let wanted = Real::from_f64(gap.fraction() * sizes[0].max(sizes[1]));
    // With both at the origin, B lies beyond A by `present`.
    let present = a.core.separation(&b.core, &n);
    let aside = real::cross(&n, &real::vector(random.in_cube(sizes[0])));
    let step = real::add(&real::scale(&n, &(&wanted - &present)), &aside);
    let away = real::rounded(&real::add(&real::vector(home), &step));
    let scale = a.extent() + b.extent() + norm(std::array::from_fn(|axis| away[axis] - home[axis]));
    let (mut core_a, mut core_b) = (a.core, b.core);
    core_a.translation = real::vector(home);
    core_b.translation = real::vector(away);
    let (lower, upper) = core_a.separation(&core_b, &n).bounds();
    let sign_holds = gap.fraction() == 0.0 || (lower > 0.0) == (gap.fraction() > 0.0);
    sign_holds.then(|| TangentShapes {
        a: a.shape,
        pose_a: OraclePose { rotation: a.rotation, translation: home },
        b: b.shape,
        pose_b: OraclePose { rotation: b.rotation, translation: away },
        lower,
        upper,
        normal: real::rounded(&n),
        scale,
        features: (Feature::Plane, Feature::Plane),
    })
}

/// A lower and an upper bound on the signed distance of two cores, from a place on each and the approximate normal
/// there; and the unit vector of the lower bound.
fn enclose(
    a: (&PlacedCore, &Place),
    b: (&PlacedCore, &Place),
    n: &Vector,
    ball: Option<&InnerBall>,
    scale: f64,
) -> (Real, Real, Vector) {
    assert!(a.0.contains(a.1) && b.0.contains(b.1), "a place lies outside its body");
    let world = |(core, place): (&PlacedCore, &Place)| real::add(&core.turned(&core.point(place)), &core.translation);
    let w = real::subtract(&world(b), &world(a));
    let mut lower = a.0.separation(b.0, n);
    let mut upper = real::length(&w);
    if let Some(ball) = ball {
        upper = minimum(upper, &real::length(&real::add(&w, &ball.offset)) - &ball.radius);
    }
    // Accurate to the last place of a double even for a gap of 10^-9.
    if (&upper - &lower).to_f64() <= scale * 1e-26 {
        return (lower, upper, n.clone());
    }
    let (mut place_a, mut place_b) = (a.1.clone(), b.1.clone());
    for _ in 0..4 {
        let w = real::subtract(&world((b.0, &place_b)), &world((a.0, &place_a)));
        let Some((moved_a, moved_b)) = slide((a.0, &place_a), (b.0, &place_b), &w) else {
            break;
        };
        (place_a, place_b) = (moved_a, moved_b);
    }
    if !a.0.contains(&place_a) || !b.0.contains(&place_b) {
        return (lower, upper, n.clone());
    }
    let w = real::subtract(&world((b.0, &place_b)), &world((a.0, &place_a)));
    let distance = real::length(&w);
    let mut normal = n.clone();
    if distance.certain_sign() == Some(1) {
        let along = a.0.separation(b.0, &w);
        if lower.midpoint_below(&along) {
            (lower, normal) = (along, real::unit(&w));
        }
    }
    (lower, minimum(upper, distance), normal)
}

fn minimum(one: Real, other: Real) -> Real {
    -&(-&one).max(-&other)
}

/// One step of Newton's method towards the least `|w|^2 / 2` over the ways in which the places slide: at most two of
/// them, those of a face alone if there is one. `None` if nothing slides or the step does not lead to a minimum.
fn slide(a: (&PlacedCore, &Place), b: (&PlacedCore, &Place), w: &Vector) -> Option<(Place, Place)> {
    let (of_a, of_b) = (a.0.slides(a.1), b.0.slides(b.1));
    let flipped = |slide: &Slide| (real::negate(&slide.tangent), real::negate(&slide.bend));
    let kept = |slide: &Slide| (slide.tangent.clone(), slide.bend.clone());
    // (body, index, velocity of w, acceleration of w)
    let all_a = of_a.iter().enumerate().map(|(index, slide)| (0, index, flipped(slide)));
    let all_b = of_b.iter().enumerate().map(|(index, slide)| (1, index, kept(slide)));
    let mut ways: Vec<_> = match (of_a.len(), of_b.len()) {
        (2, _) => all_a.collect(),
        (_, 2) => all_b.collect(),
        _ => all_a.chain(all_b).collect(),
    };
    let plain = |v: &Vector, u: &Vector| real::dot(v, u).to_f64();
    if ways.len() == 2 {
        let (one, other) = (&ways[0].2.0, &ways[1].2.0);
        let (square, mixed) = (plain(one, one) * plain(other, other), plain(one, other));
        // Nearly parallel: the second adds nothing.
        if square - mixed * mixed < 1e-6 * square {
            ways.pop();
        }
    }
    let gradient: Vec<f64> = ways.iter().map(|way| plain(&way.2.0, w)).collect();
    let curvature = |way: &(usize, usize, (Vector, Vector))| plain(&way.2.0, &way.2.0) + plain(&way.2.1, w);
    let steps = match &ways[..] {
        [] => return None,
        [way] => vec![-gradient[0] / curvature(way)],
        [one, other, ..] => {
            let (first, second, mixed) = (curvature(one), curvature(other), plain(&one.2.0, &other.2.0));
            let determinant = first * second - mixed * mixed;
            if determinant <= 0.0 || first <= 0.0 {
                return None;
            }
            vec![
                (mixed * gradient[1] - second * gradient[0]) / determinant,
                (mixed * gradient[0] - first * gradient[1]) / determinant,
            ]
        }
    };
    let (mut place_a, mut place_b) = (a.1.clone(), b.1.clone());
    for ((body, index, _), step) in ways.iter().zip(steps) {
        if !step.is_finite() {
            return None;
        }
        if *body == 0 {
            place_a = place_a.moved(*index, step, &a.0.core);
        } else {
            place_b = place_b.moved(*index, step, &b.0.core);
        }
    }
    Some((place_a, place_b))
}
