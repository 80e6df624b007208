//! Which claim of an answer does not hold, and the basic checks: values are finite, a wide bracket has a reason.

use std::fmt;

use glam::DVec3;

use crate::answer::method::Stopped;
use crate::answer::witness::Witness;
use crate::math::double_double::DoubleDoubleVec3;
use crate::math::tolerances::ACCURACY;
use crate::shape::Feature;

/// Which claim of an answer does not hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// A number is NaN or infinite, or has the wrong sign.
    NoNumber {
        /// The field that holds it.
        field: &'static str,
    },
    /// `lower <= value <= upper` does not hold.
    Disordered,
    /// Only a smaller lower bound is proved: by the planes across the normal or, for a depth, by a polytope.
    Lower {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// Only a larger upper bound is proved: by the points or the polytope of the answer or, for a depth, by the planes
    /// across the normal.
    Upper {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// The planes across the normal keep moving bodies apart only until an earlier time.
    Before {
        /// The time until which the answer claims them to be apart.
        claimed: f64,
        /// The time until which this is proved.
        proved: f64,
    },
    /// The bracket is wider than the contract allows.
    TooWide {
        /// Its width.
        width: f64,
        /// The allowed width.
        allowed: f64,
    },
    /// The bound on the placement is too small to be true or too large to be useful.
    Placement {
        /// What the answer claims.
        claimed: f64,
        /// The largest displacement of a vertex.
        seen: f64,
    },
    /// The normal is not of unit length, is given where there should be none, or is missing.
    Normal,
    /// A witness point is not where it should be.
    Witness {
        /// "A" or "B".
        body: &'static str,
        /// How far it is off, in world units.
        off: f64,
    },
    /// A feature does not exist or does not contain the witness point.
    Feature {
        /// "A" or "B".
        body: &'static str,
    },
    /// The named method does not fit the width of the bracket or the kinds of body.
    Method,
    /// The reason given for a wide bracket does not hold: it is wider than the stated tolerance, the bodies are not
    /// proved to be that far apart, or the work is not capped for such bodies.
    Stopped,
    /// A count or list does not match the bodies.
    Count {
        /// The field.
        field: &'static str,
    },
    /// The answer names a part that does not exist.
    Part,
    /// The verdict does not follow from the bracket.
    Verdict,
    /// The report of a repair does not match what was done.
    Repair {
        /// The field in question.
        field: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoNumber { field } => write!(f, "`{field}` is NaN, infinite or of the wrong sign"),
            Refusal::Disordered => write!(f, "`lower <= value <= upper` does not hold"),
            Refusal::Lower { claimed, proved } => {
                write!(f, "claims at least {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Upper { claimed, proved } => {
                write!(f, "claims at most {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Before { claimed, proved } => {
                write!(f, "claims no contact before time {claimed:e}, but this is proved only until {proved:e}")
            }
            Refusal::TooWide { width, allowed } => {
                write!(f, "the bracket is {width:e} wide, but the contract allows {allowed:e}")
            }
            Refusal::Placement { claimed, seen } => {
                write!(f, "claims placement within {claimed:e}, but vertices are off by {seen:e}")
            }
            Refusal::Normal => write!(f, "the normal is not a unit vector where there should be one"),
            Refusal::Witness { body, off } => write!(f, "the witness point of {body} is off by {off:e}"),
            Refusal::Feature { body } => write!(f, "the feature of {body} does not contain its witness point"),
            Refusal::Method => write!(f, "the named method does not fit the width of the bracket"),
            Refusal::Stopped => write!(f, "the reason given for the width of the bracket is false"),
            Refusal::Count { field } => write!(f, "`{field}` does not match the bodies"),
            Refusal::Part => write!(f, "there is no part with that number"),
            Refusal::Verdict => write!(f, "the verdict does not follow from the bracket"),
            Refusal::Repair { field } => write!(f, "`{field}` does not match what was done to the mesh"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Stopped {
    /// Whether a bracket is as wide as stated, for the stated reason. `allowed` is the width that needs no reason;
    /// `capped` says whether the work may be capped for the bodies at hand.
    pub(crate) fn check(self, lower: f64, width: f64, allowed: f64, capped: bool) -> Result<(), Refusal> {
        // The engine's measure of the size of a pair is within a factor of sixteen of this one.
        if width < allowed / 16.0 {
            return Err(Refusal::Method);
        }
        let holds = match self {
            Stopped::Tolerance(tolerance) => tolerance > 0.0 && width <= tolerance + allowed,
            Stopped::FartherThan(distance) => distance >= 0.0 && lower >= distance,
            Stopped::Budget => capped,
        };
        if holds { Ok(()) } else { Err(Refusal::Stopped) }
    }
}

pub(crate) fn check_numbers(numbers: &[(&'static str, f64)]) -> Result<(), Refusal> {
    match numbers.iter().find(|(_, x)| !x.is_finite()) {
        Some((field, _)) => Err(Refusal::NoNumber { field }),
        None => Ok(()),
    }
}

/// A witness without features names none.
pub(crate) fn check_untold(witness: &Witness) -> Result<(), Refusal> {
    for (at, body) in [(&witness.a, "A"), (&witness.b, "B")] {
        if at.feature != Feature::Interior {
            return Err(Refusal::Feature { body });
        }
    }
    Ok(())
}

/// A direction is of unit length.
pub(crate) fn check_unit(normal: DVec3) -> Result<(), Refusal> {
    let length = DoubleDoubleVec3::from(normal).length().to_f64();
    if (length - 1.0).abs() <= ACCURACY { Ok(()) } else { Err(Refusal::Normal) }
}
