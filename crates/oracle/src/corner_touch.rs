//! Pairs of small polyhedra that touch at a corner, an edge or a face, or a tiny one inside a large one: cases in which
//! many faces of the difference almost contain the origin.
//!
//! Coordinates are short decimals, as people write them, so that features coincide up to the rounding of the decimals;
//! most poses are not rotated. Half of the pairs then get a gap or depth from a few units in the last place up to a
//! thousandth, and a quarter of the bodies a radius.

use crate::body::OracleBody;
use crate::generate::{axis_rotations, random_rotation};
use crate::random::Random;

/// How the bodies of a pair touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// A corner of each, with a plane between the bodies.
    CornerOnCorner,
    /// The midpoints of two edges that cross.
    EdgeOnEdge,
    /// A corner in a face.
    CornerOnFace,
    /// A common corner, with the bodies on any side of it.
    SharedCorner,
    /// A body of 10^-9 to 10^-3 the size of the other, inside it and next to one of its faces.
    TinyInLarge,
}

impl Touch {
    /// All kinds.
    pub const ALL: [Touch; 5] =
        [Touch::CornerOnCorner, Touch::EdgeOnEdge, Touch::CornerOnFace, Touch::SharedCorner, Touch::TinyInLarge];
}

type Vector = [f64; 3];

/// The pair of a kind of contact and a seed: bit-identical on every machine.
///
/// ```
/// use clearance_oracle::corner_touch::{Touch, corner_touch};
/// use clearance_oracle::signed_distance;
/// let (a, b) = corner_touch(Touch::CornerOnCorner, 7);
/// let (low, high) = signed_distance(&a, &b).enclosure();
/// assert!(low.abs().max(high.abs()) < 1.0);
/// ```
#[must_use]
pub fn corner_touch(touch: Touch, seed: u64) -> (OracleBody, OracleBody) {
    let mut start = Random::new(seed ^ (touch as u64) << 56);
    let random = &mut Random::new(start.bits());
    let (mut a, mut b) = (posed(body(random), random), posed(body(random), random));
    if touch == Touch::TinyInLarge {
        let factor = 10.0_f64.powi(-(random.integer(3, 9) as i32));
        b.core_vertices.iter_mut().for_each(|v| *v = v.map(|x| x * factor));
    }
    let (normal, on_a, on_b) = meeting_place(touch, &a, &b, random);
    let aside = if random.coin() { 0.0 } else { random.scale(-52, -10) };
    let aside = if random.coin() { aside } else { -aside };
    let inward = if touch == Touch::TinyInLarge { -random.scale(-40, -2) } else { 0.0 };
    let along = aside + inward;
    b.translation = std::array::from_fn(|k| b.translation[k] + on_a[k] + normal[k] * along - on_b[k]);
    for body in [&mut a, &mut b] {
        if random.index(4) == 0 {
            body.radius = [0.001, 0.5, 1e-6][random.index(3)];
        }
    }
    if random.coin() { (a, b) } else { (b, a) }
}

/// A body of at most eight corners with short decimal coordinates.
fn body(random: &mut Random) -> OracleBody {
    let size = [1.0, 0.1, 0.001][random.index(3)];
    let mut decimal = || random.integer(-10, 10) as f64 / 10.0 * size;
    let mut point = || [decimal(), decimal(), decimal()];
    let points: Vec<Vector> = (0..8).map(|_| point()).collect();
    match random.index(8) {
        0 => OracleBody::cuboid(points[0].map(|x| x.abs().max(0.1 * size))),
        1 => OracleBody::cuboid([size; 3]),
        2 => OracleBody::hull(points[..3].to_vec()),
        3 => OracleBody::hull(points[..2].to_vec()),
        4 => OracleBody::hull(points[..6].to_vec()),
        _ => OracleBody::hull(points[..4].to_vec()),
    }
}

/// Mostly unchanged, otherwise rotated.
fn posed(body: OracleBody, random: &mut Random) -> OracleBody {
    let rotation = match random.index(6) {
        0 => axis_rotations()[random.index(24)],
        1 => random_rotation(random),
        _ => return body,
    };
    body.rotated(rotation)
}

/// A direction from A to B, and the points of A and B that are brought together.
fn meeting_place(touch: Touch, a: &OracleBody, b: &OracleBody, random: &mut Random) -> (Vector, Vector, Vector) {
    let (of_a, of_b) = (a.world_points(), b.world_points());
    let lowest = |points: &[Vector], along: Vector| {
        points.iter().copied().min_by(|p, q| dot(*p, along).total_cmp(&dot(*q, along))).unwrap_or([0.0; 3])
    };
    let corner = |points: &[Vector], random: &mut Random| points[random.index(points.len())];
    // Features that a random direction would miss are redrawn until the direction selects one in both bodies.
    for _ in 0..64 {
        let found = match touch {
            Touch::CornerOnCorner => break,
            Touch::SharedCorner => {
                return (random.direction(), corner(&of_a, random), corner(&of_b, random));
            }
            Touch::EdgeOnEdge => {
                let (p, q, r, s) =
                    (corner(&of_a, random), corner(&of_a, random), corner(&of_b, random), corner(&of_b, random));
                let middle = |p: Vector, q: Vector| std::array::from_fn(|k| 0.5 * (p[k] + q[k]));
                (cross(sub(q, p), sub(s, r)), middle(p, q), middle(r, s))
            }
            Touch::CornerOnFace | Touch::TinyInLarge => {
                let (p, q, r) = (corner(&of_a, random), corner(&of_a, random), corner(&of_a, random));
                let normal = cross(sub(q, p), sub(r, p));
                let (s, t) = (random.uniform(0.0, 0.5), random.uniform(0.0, 0.5));
                let at = std::array::from_fn(|k| p[k] + s * (q[k] - p[k]) + t * (r[k] - p[k]));
                (normal, at, lowest(&of_b, normal))
            }
        };
        let length = dot(found.0, found.0).sqrt();
        if length == 0.0 {
            continue;
        }
        let (normal, on_a, on_b) = (found.0.map(|x| x / length), found.1, found.2);
        let slack = 1e-12;
        let above = of_a.iter().all(|p| dot(sub(*p, on_a), normal) <= slack);
        if above && of_b.iter().all(|p| dot(sub(*p, on_b), normal) >= -slack) {
            return (normal, on_a, on_b);
        }
    }
    let normal = random.direction();
    (normal, lowest(&of_a, normal.map(|x| -x)), lowest(&of_b, normal))
}

fn sub(p: Vector, q: Vector) -> Vector {
    std::array::from_fn(|k| p[k] - q[k])
}

fn dot(p: Vector, q: Vector) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn cross(p: Vector, q: Vector) -> Vector {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cores, signed_distance};

    #[test]
    fn pairs_touch_overlap_and_are_apart() {
        for touch in Touch::ALL {
            let mut seen = [0; 3];
            for seed in 0..60 {
                let (a, b) = corner_touch(touch, seed);
                assert_eq!((&a, &b), (&corner_touch(touch, seed).0, &corner_touch(touch, seed).1));
                seen[match signed_distance(&a, &b).cores {
                    Cores::Apart => 0,
                    Cores::Touching => 1,
                    Cores::Overlapping => 2,
                }] += 1;
            }
            assert!(seen[2] > 5 && seen[0] + seen[1] > 5, "{touch:?} {seen:?}");
        }
    }
}
