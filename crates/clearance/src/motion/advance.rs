//! First contact of two bodies in relative translation, by conservative advancement along separating planes.
//!
//! Conservative advancement (Mirtich 1996), which for translations is the ray cast of van den Bergen (2004) and
//! Newton's method on the gap: a *reading* at time `t` gives a plane across `n` with the bodies at least `g` apart on
//! either side of it. The bodies approach across that plane at the constant speed `c = -n · d`, so it separates them up
//! to `t + g / c`, where the next reading is made. Under translation the gap is a convex function of time and `g - c s`
//! its tangent: the times increase and never overshoot.
//!
//! Departures from the papers:
//! - `g` is a proved lower bound of the real-number bodies' gap, less radii, margin and all rounding errors, and speed
//!   and time are rounded conservatively, so the time reached is proved for any readings.
//! - The proof of that time needs only the last plane: one that is approached and still separates at `t` separated at
//!   every earlier time. So it does not matter how the search came near the contact, and other searches end here too.
//! - It stops when a step gains less than the width of the reading's own bracket; no tolerance is involved.

use glam::DVec3;

use crate::math::tolerances::{ADVANCE_SPEED, ADVANCE_STEPS, UNIT_ROUNDOFF};

/// Bounds on the gap of two bodies at one time, in world lengths, less their radii and the margin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The real-number gap is at most this.
    pub upper: f64,
    /// If a separating plane is found: `lower`, the least gap across it, and its unit normal from A to B.
    pub plane: Option<(f64, DVec3)>,
}

/// A time up to which two bodies are proved separated, with the plane that proves it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// The bodies are separated at all times in `[0, lower)`.
    pub lower: f64,
    /// Unit, in the world, from A to B; `None` if `lower` is zero and no plane was needed.
    pub normal: Option<DVec3>,
    /// The last reading.
    pub reading: Reading,
    /// The number of readings.
    pub steps: u32,
}

/// The outcome of a motion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Course {
    /// Proved: the bodies stay separated through the whole step.
    Clear,
    /// They come so close that the readings cannot separate them, or within the tolerance.
    Near(Reached),
}

/// Lower and upper bounds on the closing speed of a displacement across a plane.
pub(crate) fn closing(normal: DVec3, displacement: DVec3) -> (f64, f64) {
    let speed = -normal.dot(displacement);
    let doubt = ADVANCE_SPEED * displacement.length() + f64::MIN_POSITIVE;
    (speed - doubt, speed + doubt)
}

/// Advances from the time `from` to the first contact. `displacement` is that of B relative to A, rounded to nearest;
/// `read` gives the gap at a time; a gap below `tolerance` ends the search.
pub(crate) fn advance(displacement: DVec3, from: f64, tolerance: f64, mut read: impl FnMut(f64) -> Reading) -> Course {
    let mut time = from;
    // All times before this are covered by the planes so far, though not by a single one.
    let mut covered = 0.0;
    let mut lower = 0.0;
    let mut proof = None;
    let mut steps = 0;
    loop {
        let reading = read(time);
        steps += 1;
        let reached = |lower, normal| Course::Near(Reached { lower, normal, reading, steps });
        let Some((gap, normal)) = reading.plane.filter(|(gap, _)| *gap > 0.0) else {
            return if proof.is_none() && from > 0.0 {
                // Not separated where the search should begin: nothing is proved, so start at time 0.
                advance(displacement, 0.0, tolerance, read)
            } else {
                reached(lower, proof)
            };
        };
        let (slow, fast) = closing(normal, displacement);
        // The remaining gap across this plane at another time, rounded down: three roundings.
        let left_at = |other: f64| {
            let change = if other > time { (time - other) * fast } else { (time - other) * slow };
            (gap + change) - (gap + change.abs()) * (4.0 * UNIT_ROUNDOFF)
        };
        if left_at(1.0) > 0.0 && left_at(covered) > 0.0 {
            return Course::Clear;
        }
        if fast <= 0.0 {
            // Past the closest approach, which only happens if the search began later.
            return if from > 0.0 { advance(displacement, 0.0, tolerance, read) } else { reached(lower, proof) };
        }
        // Sum, quotient and difference, each rounded down.
        let next = (time + gap / fast * (1.0 - 4.0 * UNIT_ROUNDOFF)).next_down().min(1.0);
        if next > lower && left_at(0.0) > 0.0 {
            lower = next;
            proof = Some(normal);
        }
        if left_at(covered) > 0.0 && next > covered {
            covered = next;
        }
        let width = reading.upper - gap;
        if next <= time || gap <= width || reading.upper <= tolerance || steps == ADVANCE_STEPS {
            return reached(lower, proof);
        }
        time = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point that starts at `from` and moves by `way`, against a unit sphere at the origin.
    fn against_ball(from: DVec3, way: DVec3) -> Course {
        advance(way, 0.0, 0.0, |t| {
            let at = from + way * t;
            let gap = at.length() - 1.0;
            let doubt = 8.0 * UNIT_ROUNDOFF * (from.length() + way.length());
            Reading { upper: gap + doubt, plane: Some((gap - doubt, at.normalize())) }
        })
    }

    #[test]
    fn approaches_the_contact_from_below() {
        let Course::Near(reached) = against_ball(DVec3::new(4.0, 0.5, 0.0), DVec3::new(-6.0, 0.0, 0.0)) else {
            panic!()
        };
        let truth = (4.0 - 0.75f64.sqrt()) / 6.0;
        assert!(reached.lower <= truth && truth - reached.lower < 1e-14, "{reached:?}");
        assert!(reached.steps < 8, "{reached:?}");
    }

    #[test]
    fn misses_and_motions_that_end_early_are_clear() {
        assert!(matches!(against_ball(DVec3::new(4.0, 1.01, 0.0), DVec3::new(-9.0, 0.0, 0.0)), Course::Clear));
        assert!(matches!(against_ball(DVec3::new(4.0, 0.0, 0.0), DVec3::new(-2.9, 0.0, 0.0)), Course::Clear));
        assert!(matches!(against_ball(DVec3::new(4.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0)), Course::Clear));
        assert!(matches!(against_ball(DVec3::new(4.0, 0.0, 0.0), DVec3::ZERO), Course::Clear));
    }

    #[test]
    fn grazing_ends_with_a_true_time() {
        let Course::Near(reached) = against_ball(DVec3::new(4.0, 1.0, 0.0), DVec3::new(-8.0, 0.0, 0.0)) else {
            panic!()
        };
        assert!(reached.lower <= 0.5 && reached.lower > 0.5 - 1e-6, "{reached:?}");
    }
}
