//! The time of first contact of two bodies, from their gap or depth before and after.
//!
//! Kim, Otaduy, Lin and Manocha (*Fast Penetration Depth Computation Using Rasterization Hardware and Hierarchical
//! Refinement*, 2002, section 7.1.2): the signed gap over a step is approximated by the cubic with its values and rates
//! at both ends, separation before and depth after; the bodies are evaluated next at the first root, which becomes an
//! end.
//!
//! Departures:
//! - the paper has `x(T) = d`; a depth is a negative gap, so here it is `x(T) = -d`. There always is a root then, and
//!   halving is needed only where two cubics in a row have not halved the interval;
//! - rates are taken along the normal of their own end, not both along that of the depth: for a gap, this is the
//!   derivative.

use clearance::math::cubic_roots;

/// The gap of two bodies at a time.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub time: f64,
    /// The distance, or minus the depth.
    pub gap: f64,
    /// The rate of change of the gap.
    pub rate: f64,
}

/// Where to evaluate next between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// The root of the cubic through values and rates.
    Cubic,
    /// The root of the line through the values.
    Line,
    /// The middle.
    Middle,
}

/// A first contact: its time, and the number of evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pub time: f64,
    pub looks: u32,
}

/// Shorter intervals are not halved, in seconds.
const SHORTEST: f64 = 1e-9;

/// A time between a separated and an overlapping state at which the bodies touch, up to a gap or depth of `tolerance`.
pub fn time_of_contact(
    guess: Guess,
    [mut before, mut after]: [End; 2],
    tolerance: f64,
    mut look: impl FnMut(f64) -> End,
) -> Contact {
    let mut looks = 0;
    let mut lengths = [f64::INFINITY; 2];
    loop {
        let length = after.time - before.time;
        if before.gap <= tolerance || length <= SHORTEST {
            return Contact { time: before.time, looks };
        }
        let is_slow = length > lengths[1] / 2.0;
        lengths = [length, lengths[0]];
        let share = match guess {
            Guess::Cubic if !is_slow => cubic_root(before, after).unwrap_or(0.5),
            Guess::Line if !is_slow => before.gap / (before.gap - after.gap),
            _ => 0.5,
        };
        // Not at an end, which is already known.
        let end = look(before.time + share.clamp(1e-3, 1.0 - 1e-3) * length);
        looks += 1;
        if end.gap.abs() <= tolerance {
            return Contact { time: end.time, looks };
        }
        *(if end.gap > 0.0 { &mut before } else { &mut after }) = end;
    }
}

/// The first root of the cubic through both ends: 0 at the first end, 1 at the second.
fn cubic_root(before: End, after: End) -> Option<f64> {
    let length = after.time - before.time;
    let [rate, last] = [before.rate, after.rate].map(|rate| rate * length);
    let rise = after.gap - before.gap;
    let roots = cubic_roots(rate + last - 2.0 * rise, 3.0 * rise - 2.0 * rate - last, rate, before.gap);
    roots.finite()?.iter().copied().find(|root| (0.0..=1.0).contains(root))
}
