//! First contact of a moving ball with a ball, capsule, box or half-space, by formula.
//!
//! Eberle, "Primitive tests", section 4: the centre of one moves against the other expanded by both radii, and the
//! first root of a quadratic is the time; against a plane it is the root of a linear equation. An expanded segment is a
//! cylinder and two balls, an expanded box three boxes and twelve expanded edges; the first contact with a union is the
//! earliest with one of its pieces. The limitation named in the text (bodies that overlap at the start have no root)
//! does not matter here: the time is only where [`advance`](super::advance) begins, which proves its own result. So
//! everything here may be approximate.

use glam::DVec3;

/// The target of a moving point, centred at the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// The origin.
    Point,
    /// A segment along z, by half its length.
    Rod(f64),
    /// A box, by its half extents.
    Box(DVec3),
    /// The points `x` with `normal · x <= offset`; the normal need not be of unit length.
    HalfSpace { normal: DVec3, offset: f64 },
}

/// The time at which a point that starts at `from` and moves by `way` comes within `radius` of the target; `None` if it
/// does not or starts there.
pub(crate) fn first_touch(target: Target, radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    match target {
        Target::Point => ball(radius, from, way),
        Target::Rod(half) => grown_segment(half, radius, from, way),
        Target::Box(half) => grown_box(half, radius, from, way),
        Target::HalfSpace { normal, offset } => plane(normal, offset, radius, from, way),
    }
}

/// The height above the plane, less the radius, over the speed of descent. Motion along the plane never comes nearer.
fn plane(normal: DVec3, offset: f64, radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    let above = normal.dot(from) - offset - radius * normal.length();
    let descent = -normal.dot(way);
    (above > 0.0 && descent > 0.0).then(|| above / descent)
}

/// `|from + t way| = radius`, the earlier root if it lies ahead.
fn ball(radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    let speed = way.dot(way);
    let closing = -from.dot(way);
    let outside = (from.length() - radius) * (from.length() + radius);
    // The discriminant from the distance of the path to the centre, without cancellation of large squares.
    let miss = from.cross(way);
    let room = speed * radius * radius - miss.dot(miss);
    (outside > 0.0 && closing > 0.0 && room >= 0.0).then(|| outside / (closing + room.sqrt()))
}

/// A segment along z.
fn grown_segment(half: f64, radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    let end = DVec3::new(0.0, 0.0, half);
    let across = |v: DVec3| DVec3::new(v.x, v.y, 0.0);
    let side = ball(radius, across(from), across(way)).filter(|t| (from.z + t * way.z).abs() <= half);
    earliest([side, ball(radius, from - end, way), ball(radius, from + end, way)])
}

/// A box expanded by a radius.
fn grown_box(half: DVec3, radius: f64, from: DVec3, way: DVec3) -> Option<f64> {
    let mut first = None;
    for axis in 0..3 {
        let mut long = half;
        long[axis] += radius;
        first = earliest([first, slabs(long, from, way), None]);
        // The four edges along this axis, each rotated to lie along z.
        let turn = |v: DVec3| DVec3::new(v[(axis + 1) % 3], v[(axis + 2) % 3], v[axis]);
        let (from, way, half) = (turn(from), turn(way), turn(half));
        for corner in 0..4 {
            let middle = DVec3::new(
                if corner & 1 == 0 { -half.x } else { half.x },
                if corner & 2 == 0 { -half.y } else { half.y },
                0.0,
            );
            first = earliest([first, grown_segment(half.z, radius, from - middle, way), None]);
        }
    }
    first
}

/// The time at which a point enters a box from outside.
fn slabs(half: DVec3, from: DVec3, way: DVec3) -> Option<f64> {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        if way[axis] == 0.0 {
            if from[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let [p, q] = [-half[axis], half[axis]].map(|side| (side - from[axis]) / way[axis]);
        enter = enter.max(p.min(q));
        leave = leave.min(p.max(q));
    }
    (enter <= leave && enter >= 0.0).then_some(enter)
}

fn earliest(times: [Option<f64>; 3]) -> Option<f64> {
    times.into_iter().flatten().min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distance(target: Target, point: DVec3) -> f64 {
        match target {
            Target::Point => point.length(),
            Target::Rod(half) => (point - DVec3::new(0.0, 0.0, point.z.clamp(-half, half))).length(),
            Target::Box(half) => (point - point.clamp(-half, half)).length(),
            Target::HalfSpace { normal, offset } => (normal.dot(point) - offset) / normal.length(),
        }
    }

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn at_the_time_found_and_not_before_the_distance_is_the_radius(
            from in vector(6.0), way in vector(9.0), radius in 0.01..2.0f64, half in vector(2.0), kind in 0..4
        ) {
            prop_assume!(half.length() > 0.1);
            let plane = Target::HalfSpace { normal: half, offset: half.x };
            let half = half.abs();
            let target = [Target::Point, Target::Rod(half.z), Target::Box(half), plane][kind as usize];
            prop_assume!(distance(target, from) > radius + 1e-9);
            let found = first_touch(target, radius, from, way);
            if let Some(time) = found {
                prop_assert!((distance(target, from + way * time) - radius).abs() < 1e-9 * (1.0 + time * way.length()));
            }
            let until = found.unwrap_or(4.0);
            for k in 0..64 {
                let time = until * f64::from(k) / 64.0;
                prop_assert!(distance(target, from + way * time) > radius - 1e-9 * (1.0 + time * way.length()));
            }
        }
    }

    #[test]
    fn motion_along_or_away_from_a_plane_never_touches_it() {
        let floor = Target::HalfSpace { normal: DVec3::new(0.0, 0.0, 2.0), offset: 2.0 };
        let ask = |z: f64, way: DVec3| first_touch(floor, 0.5, DVec3::new(3.0, 4.0, z), way);
        assert_eq!(ask(3.5, DVec3::new(7.0, 0.0, -4.0)), Some(0.5));
        assert_eq!(ask(3.5, DVec3::new(7.0, 0.0, 0.0)), None);
        assert_eq!(ask(3.5, DVec3::new(7.0, 0.0, 1.0)), None);
        // Touching, or inside, at the start.
        assert_eq!(ask(1.5, DVec3::new(0.0, 0.0, -1.0)), None);
        assert_eq!(ask(-1.5, DVec3::new(0.0, 0.0, -1.0)), None);
    }
}
