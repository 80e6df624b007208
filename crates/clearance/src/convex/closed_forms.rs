//! Closest points of simple cores in closed form: points, rods and segments against each other, a point against a box.
//!
//! The closed form only proposes the closest points; the bracket is proved as at the end of GJK ([`gjk`](super::gjk)):
//! the upper bound from the two points, the lower one from the supporting planes perpendicular to the vector between
//! them, whose half widths are known without a search. Where it comes out too wide (a gap far below the size of the
//! bodies, or none), GJK is used instead. Rods: Ericson, "Real-Time Collision Detection" (2005), 5.1.9, with the
//! determinant of the two directions formed as a sum of squares, so that near-parallel rods lose no digits.

use glam::DVec3;

use super::core::AnyCore;
use super::gjk::{GapBracket, Stop};
use super::point_core::height;
use super::segments;
use super::simplex::Simplex;
use crate::math::placement::Placement;
use crate::math::tolerances::{GJK_ACCEPT, LOWER_BOUND, UNIT_ROUNDOFF, UPPER_BOUND};

/// The closest points of two cores, as proposed by a closed form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    /// The point of each core, in its frame.
    pub point_a: DVec3,
    pub point_b: DVec3,
    /// For two segments: the positions of the points along each, as fractions.
    fractions: Option<(f64, f64)>,
}

/// The bracket of the gap of two cores that a proposal proves, if it is tight enough. `simplex` is expected empty and
/// stays so otherwise.
#[inline(always)]
pub(crate) fn gap(
    (a, b): (&AnyCore<'_>, &AnyCore<'_>),
    map: &Placement,
    reach: f64,
    stop: Stop,
    proposal: &Proposal,
    simplex: &mut Simplex,
) -> Option<GapBracket> {
    let Proposal { point_a, point_b, fractions } = *proposal;
    let between = map.place(point_b) - point_a;
    let length = between.length();
    let direction = match (fractions, segments::ends(a), segments::ends(b)) {
        (Some(fractions), Some((_, along_a)), Some((_, along_b))) => {
            let along = segments::direction((along_a, map.turn(along_b)), fractions, between, length, reach);
            along * (1.0 / along.length())
        }
        _ => between * (1.0 / length),
    };
    // The extents of the cores along the direction, from their origins towards each other.
    let width = height(a, direction) + height(b, map.turn_back(-direction));
    let lower = (direction.dot(map.translation) - width) - LOWER_BOUND * reach;
    let upper = length + UPPER_BOUND * reach;
    // Written so that NaN (from zero length) is rejected.
    let tight = lower > 0.0 && upper - lower <= GJK_ACCEPT * reach + stop.tolerance;
    // A vector too short to have a direction proves nothing, and might yield an infinite bound.
    if lower > upper {
        return None;
    }
    if !(tight || lower > stop.farther_than) {
        return None;
    }
    match fractions {
        Some(fractions) => name_ends(fractions, simplex),
        None => {
            let half_a = if let AnyCore::Rod(half) = a { *half } else { 0.0 };
            let half_b = match b {
                AnyCore::Rod(half) => DVec3::new(0.0, 0.0, *half),
                AnyCore::Box(half) => *half,
                _ => DVec3::ZERO,
            };
            name_vertices(a, b, (point_a, half_a), (point_b, half_b), simplex);
        }
    }
    Some(GapBracket { lower, upper, length, direction, point_a, point_b })
}

/// The signed gap of a point inside a box, with the vertices of its features: the separating translation is through the
/// nearest face. `None` if the point is not shown to lie inside.
///
/// The point in the frame of the box is nearly `Mᵀ(-t)`; the residual is measured. A sphere about it with the distance
/// to the nearest face as radius lies in the box; in the placed box the radius is at least that times the least stretch
/// of `M`.
pub(crate) fn point_in_box(half: DVec3, map: &Placement, reach: f64) -> Option<(GapBracket, Simplex)> {
    let inside = map.turn_back(-map.translation);
    let room = half - inside.abs();
    let axis = room.min_position();
    let m = [map.rotation.x_axis, map.rotation.y_axis, map.rotation.z_axis];
    let off = |i: usize, j: usize| m[i].dot(m[j]) - f64::from(u8::from(i == j));
    let squares = off(0, 0).powi(2) + off(1, 1).powi(2) + off(2, 2).powi(2);
    let skew = (squares + 2.0 * (off(0, 1).powi(2) + off(0, 2).powi(2) + off(1, 2).powi(2))).sqrt();
    let left = map.place(inside).length();
    let upper = UPPER_BOUND * reach + left - room[axis] * (1.0 - skew - 32.0 * UNIT_ROUNDOFF);
    // Written so that NaN proves nothing.
    let proved = upper < 0.0;
    if !proved {
        return None;
    }
    let sign = 1f64.copysign(inside[axis]);
    let direction = (m[axis] * -sign).try_normalize()?;
    let turned = map.turn_back(direction).abs() * half;
    let lower = (direction.dot(map.translation) - ((turned.x + turned.y) + turned.z)) - LOWER_BOUND * reach;
    let mut point_b = inside;
    point_b[axis] = sign * half[axis];
    let mut simplex = Simplex::default();
    name_vertices(&AnyCore::Point, &AnyCore::Box(half), (DVec3::ZERO, 0.0), (point_b, half), &mut simplex);
    let length = (-room[axis]).max(lower).min(upper);
    Some((GapBracket { lower, upper, length, direction, point_a: DVec3::ZERO, point_b }, simplex))
}

/// The closest points of two cores, if there is a closed form; rounded.
#[inline(always)]
pub(crate) fn nearest_points(a: &AnyCore<'_>, b: &AnyCore<'_>, map: &Placement) -> Option<Proposal> {
    let (point_a, point_b) = match (a, b) {
        (AnyCore::Point, AnyCore::Point) => (DVec3::ZERO, DVec3::ZERO),
        (AnyCore::Point, AnyCore::Rod(half)) => rods(0.0, *half, map),
        (AnyCore::Rod(half_a), AnyCore::Rod(half_b)) => rods(*half_a, *half_b, map),
        (AnyCore::Point, AnyCore::Box(half)) => (DVec3::ZERO, map.turn_back(-map.translation).clamp(-*half, *half)),
        (AnyCore::Rod(_) | AnyCore::Points([_, _]), AnyCore::Rod(_) | AnyCore::Points([_, _])) => {
            let (ends_a, ends_b) = (segments::ends(a)?, segments::ends(b)?);
            let (s, t) = segments::nearest(ends_a, ends_b, map);
            let point = |(start, along): (DVec3, DVec3), fraction: f64| start + along * fraction;
            let fractions = Some((s, t));
            return Some(Proposal { point_a: point(ends_a, s), point_b: point(ends_b, t), fractions });
        }
        _ => return None,
    };
    Some(Proposal { point_a, point_b, fractions: None })
}

/// The closest points of two rods along z, centred at their origins.
#[inline(always)]
fn rods(half_a: f64, half_b: f64, map: &Placement) -> (DVec3, DVec3) {
    let (m, t) = (map.rotation.z_axis, map.translation);
    let across = m.x * m.x + m.y * m.y;
    // The closest point of the line of A to that of B; anywhere if they are parallel.
    let passing = if across > 0.0 { -(t.x * m.x + t.y * m.y) / across } else { 0.0 };
    let mut s = passing.clamp(-half_b, half_b);
    let along = t.z + s * m.z;
    let r = along.clamp(-half_a, half_a);
    if r != along {
        s = ((r * m.z - t.dot(m)) / m.dot(m)).clamp(-half_b, half_b);
    }
    (DVec3::new(0.0, 0.0, r), DVec3::new(0.0, 0.0, s))
}

/// Simplex members: the ends of two segments with the weights of points at these fractions.
#[inline(always)]
fn name_ends((s, t): (f64, f64), simplex: &mut Simplex) {
    for (a, of_a) in [(0, 1.0 - s), (1, s)] {
        for (b, of_b) in [(0, 1.0 - t), (1, t)] {
            if of_a > 0.0 && of_b > 0.0 {
                let k = simplex.count;
                (simplex.a[k], simplex.b[k], simplex.weight[k]) = (a, b, of_a * of_b);
                simplex.count = k + 1;
            }
        }
    }
}

/// Simplex members: the vertices that span the two points, with their weights.
#[inline(always)]
fn name_vertices(
    a: &AnyCore<'_>,
    b: &AnyCore<'_>,
    (point_a, half_a): (DVec3, f64),
    (point_b, half_b): (DVec3, DVec3),
    simplex: &mut Simplex,
) {
    let mut members = [(0, 0, 1.0); 4];
    let mut count = 1;
    // Splits each member between the two ends of one coordinate, unless the point lies at one of them.
    let mut split = |point: f64, half: f64, bit_a: u32, bit_b: u32| {
        let high = 0.5 + 0.5 * (point / half);
        if point >= half {
            members[..count].iter_mut().for_each(|m| *m = (m.0 | bit_a, m.1 | bit_b, m.2));
        } else if point > -half && count <= 2 {
            for k in 0..count {
                let (x, y, weight) = members[k];
                members[count + k] = (x | bit_a, y | bit_b, weight * high);
                members[k].2 = weight * (1.0 - high);
            }
            count *= 2;
        }
    };
    if let AnyCore::Rod(_) = a {
        split(point_a.z, half_a, 1, 0);
    }
    match b {
        AnyCore::Rod(_) => split(point_b.z, half_b.z, 0, 1),
        AnyCore::Box(_) => {
            split(point_b.x, half_b.x, 0, 1);
            split(point_b.y, half_b.y, 0, 2);
            split(point_b.z, half_b.z, 0, 4);
        }
        _ => {}
    }
    for (k, &(vertex_a, vertex_b, weight)) in members[..count].iter().enumerate() {
        simplex.a[k] = vertex_a;
        simplex.b[k] = vertex_b;
        simplex.weight[k] = weight;
    }
    simplex.count = count;
}

#[cfg(test)]
mod tests {
    use clearance_oracle::random::Random;
    use clearance_oracle::{OracleBody, generate, signed_distance};
    use glam::DMat3;

    use super::*;
    use crate::convex::core::Core;
    use crate::math::pose::Pose;

    fn core(kind: i64, random: &mut Random) -> (AnyCore<'static>, OracleBody) {
        let size = |random: &mut Random| random.uniform(0.1, 2.0) * [1.0, 1e-6, 1e3][random.index(3)];
        match kind {
            0 => (AnyCore::Point, OracleBody::hull(vec![[0.0; 3]])),
            1 => {
                let half = size(random);
                (AnyCore::Rod(half), OracleBody::hull(vec![[0.0, 0.0, -half], [0.0, 0.0, half]]))
            }
            _ => {
                let half = [size(random), size(random), size(random)];
                (AnyCore::Box(DVec3::from_array(half)), OracleBody::cuboid(half))
            }
        }
    }

    /// Where a closed form answers, its bracket contains the exact gap and its witness agrees with the members.
    #[test]
    fn formulas_against_exact_truth() {
        let mut random = Random::new(21);
        let mut answered = 0;
        for case in 0..600 {
            let (kind_a, kind_b) = [(0, 0), (0, 1), (1, 1), (0, 2)][case % 4];
            let ((a, body_a), (b, body_b)) = (core(kind_a, &mut random), core(kind_b, &mut random));
            let rotation = match case % 3 {
                0 => generate::random_rotation(&mut random),
                1 => generate::axis_rotations()[random.index(24)],
                // Nearly parallel.
                _ => {
                    let pose = Pose::from_axis_angle(DVec3::Y, 10f64.powi(-(case as i32 % 19)), DVec3::ZERO).unwrap();
                    let r = pose.rotation().transpose();
                    [r.x_axis, r.y_axis, r.z_axis].map(|v| v.to_array())
                }
            };
            let far = [1.0, 1e-3, 1e3, 1e7][random.index(4)];
            let translation = random.in_cube(far);
            let rows = rotation.map(DVec3::from_array);
            let matrix = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
            let pose_b = Pose::new(matrix, DVec3::from_array(translation)).unwrap();
            let map = Placement::new(&Pose::IDENTITY, DVec3::ZERO, &pose_b, DVec3::ZERO);
            let extent = |core: &AnyCore<'_>| core.vertex(core.vertex_count() as u32 - 1).length();
            let reach = (2.0 * (extent(&a) + extent(&b)) + map.separation) * (1.0 + 1e-14);
            let mut simplex = Simplex::default();
            let stop = Stop { farther_than: f64::INFINITY, tolerance: 0.0 };
            let proposal = nearest_points(&a, &b, &map).unwrap();
            let Some(apart) = gap((&a, &b), &map, reach, stop, &proposal, &mut simplex) else {
                assert_eq!(simplex.count, 0);
                continue;
            };
            answered += 1;
            let placement = map.bound(extent(&b)) * (1.0 + 1e-6);
            let truth = signed_distance(&body_a, &body_b.rotated(rotation).translated(translation));
            assert!(truth.is_within(apart.lower - placement, apart.upper + placement), "{apart:?}");
            let sum = |core: &AnyCore<'_>, ids: &[u32; 4]| {
                (0..simplex.count).map(|k| core.vertex(ids[k]) * simplex.weight[k]).sum::<DVec3>()
            };
            let near = |p: DVec3, q: DVec3| (p - q).length() <= 8.0 * UNIT_ROUNDOFF * reach;
            assert!(near(sum(&a, &simplex.a), apart.point_a) && near(sum(&b, &simplex.b), apart.point_b));
        }
        assert!(answered > 400, "{answered}");
    }
}
