//! Which claim of an answer does not hold, and the plainest checks: numbers are numbers, a width has its reason.

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
    /// Only a smaller lower bound is proved: by the planes across the normal, or, of a depth, by a polytope.
    Lower {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// Only a larger upper bound is proved: by the points or the polytope of the answer, or, of a depth, by the planes
    /// across the normal.
    Upper {
        /// What the answer claims.
        claimed: f64,
        /// What is proved.
        proved: f64,
    },
    /// The planes across the normal keep moving bodies apart only until an earlier time.
    Before {
        /// Until when the answer claims them to be apart.
        claimed: f64,
        /// Until when it is proved.
        proved: f64,
    },
    /// The bracket is wider than the contract allows.
    TooWide {
        /// Its width.
        width: f64,
        /// The width allowed.
        allowed: f64,
    },
    /// The bound on the placement is too small to be true or too large to be useful.
    Placement {
        /// What the answer claims.
        claimed: f64,
        /// The largest displacement of a vertex.
        seen: f64,
    },
    /// The normal is not of unit length, or is there when it should not be, or is missing.
    Normal,
    /// A witness point is not where it should be.
    Witness {
        /// "A" or "B".
        body: &'static str,
        /// How far it is off, in world units.
        off: f64,
    },
    /// A feature does not exist or does not hold the witness point.
    Feature {
        /// "A" or "B".
        body: &'static str,
    },
    /// The method named does not fit the width of the bracket or the kinds of body.
    Method,
    /// The reason given for a wide bracket does not hold: it is wider than the tolerance named, the bodies are not
    /// proved to be that far apart, or the work is not capped for such bodies.
    Stopped,
    /// What is counted or listed is not what there is.
    Count {
        /// The field.
        field: &'static str,
    },
    /// A part is named that does not exist.
    Part,
    /// The verdict does not follow from the bracket.
    Verdict,
    /// What the report of a repair says is not what was done.
    Repair {
        /// The field that says so.
        field: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoNumber { field } => write!(f, "`{field}` is not a number of the right kind"),
            Refusal::Disordered => write!(f, "`lower <= value <= upper` does not hold"),
            Refusal::Lower { claimed, proved } => {
                write!(f, "claims at least {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Upper { claimed, proved } => {
                write!(f, "claims at most {claimed:e}, but only {proved:e} is proved")
            }
            Refusal::Before { claimed, proved } => {
                write!(f, "claims no contact before time {claimed:e}, but only until {proved:e} is it proved")
            }
            Refusal::TooWide { width, allowed } => {
                write!(f, "the bracket is {width:e} wide, the contract allows {allowed:e}")
            }
            Refusal::Placement { claimed, seen } => {
                write!(f, "claims a placement within {claimed:e}, vertices are off by {seen:e}")
            }
            Refusal::Normal => write!(f, "the normal is not a unit vector where there should be one"),
            Refusal::Witness { body, off } => write!(f, "the witness point of {body} is off by {off:e}"),
            Refusal::Feature { body } => write!(f, "the feature of {body} does not hold its witness point"),
            Refusal::Method => write!(f, "the method named does not fit the width of the bracket"),
            Refusal::Stopped => write!(f, "the reason given for the width of the bracket does not hold"),
            Refusal::Count { field } => write!(f, "`{field}` is not what there is"),
            Refusal::Part => write!(f, "there is no part of that number"),
            Refusal::Verdict => write!(f, "the verdict does not follow from the bracket"),
            Refusal::Repair { field } => write!(f, "`{field}` does not say what was done to the mesh"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Stopped {
    /// Whether a bracket is as wide as this says and for the reason it gives. `allowed` is the width that needs no
    /// reason; `capped` says whether the work may be capped for the bodies at hand.
    pub(crate) fn check(self, lower: f64, width: f64, allowed: f64, capped: bool) -> Result<(), Refusal> {
        // The engine's own measure of the size of a pair is within a factor of sixteen of this one.
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

/// That a witness whose features are not told tells none.
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
