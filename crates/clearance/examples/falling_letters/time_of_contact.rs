//! When two bodies touched first, from how they stood to each other before and after.
//!
//! Kim, Otaduy, Lin and Manocha (*Fast Penetration Depth Computation Using Rasterization Hardware and Hierarchical
//! Refinement*, 2002, section 7.1.2): the signed gap over a step is taken for the cubic that has its values and rates
//! at both ends, separation before and depth after; the first root is where the bodies are looked at next, and becomes
//! an end.
//!
//! Departs in two places:
//! - the paper has `x(T) = d`; a depth is a negative gap, so here it is `x(T) = -d`. There always is a root then, and
//!   halving is needed only where two cubics in a row have not halved the interval;
//! - rates are taken along the normal of their own end, not both along that of the depth: of a gap, this is the
//!   derivative.

use clearance::math::cubic_roots;

/// How two bodies stand to each other at a time.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub time: f64,
    /// The distance, or minus the depth.
    pub gap: f64,
    /// How fast the gap changes.
    pub rate: f64,
}

/// Where to look next between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// The root of the cubic through values and rates.
    Cubic,
    /// The root of the line through the values.
    Line,
    /// The middle.
    Middle,
}

/// A first contact: when, and how often the bodies had to be looked at to know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    pub time: f64,
    pub looks: u32,
}

/// An interval of so many seconds is not halved any more.
const SHORTEST: f64 = 1e-9;

/// A time between that of bodies apart and that of bodies in each other at which they touch, up to a gap or depth of
/// `tolerance`.
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
        // Not at an end: nothing would be learnt there.
        let end = look(before.time + share.clamp(1e-3, 1.0 - 1e-3) * length);
        looks += 1;
        if end.gap.abs() <= tolerance {
            return Contact { time: end.time, looks };
        }
        *(if end.gap > 0.0 { &mut before } else { &mut after }) = end;
    }
}

/// Where between two ends the cubic through both vanishes first: 0 at the first end, 1 at the second.
fn cubic_root(before: End, after: End) -> Option<f64> {
    let length = after.time - before.time;
    let [rate, last] = [before.rate, after.rate].map(|rate| rate * length);
    let rise = after.gap - before.gap;
    let roots = cubic_roots(rate + last - 2.0 * rise, 3.0 * rise - 2.0 * rate - last, rate, before.gap);
    roots.finite()?.iter().copied().find(|root| (0.0..=1.0).contains(root))
}
