//! Which pairs are asked which question.

use std::collections::BTreeMap;

/// What a pair of bodies is asked.
///
/// ```
/// use clearance::world::{Interest, Question};
/// let clearance = Interest { question: Question::Distance, margin: 0.5 };
/// assert_ne!(clearance, Interest::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Question {
    /// Whether they are no farther apart than the margin; see [`intersects_with`](crate::query::intersects_with).
    #[default]
    Intersects,
    /// How far apart they are; see [`distance_with`](crate::query::distance_with). Pairs farther apart than the margin are not measured.
    Distance,
    /// Whether they are separated, touch or overlap, with the margin as the band; see [`relation_with`](crate::query::relation_with).
    Relation,
    /// Where they touch or come within the margin; see [`contacts_with`](crate::query::contacts_with).
    Contacts,
}

/// What is to be known about a pair of bodies: a question, and how near they have to be for an event.
///
/// ```
/// use clearance::world::{Interest, Question};
/// // Unless something else is said: do they have a point in common?
/// assert_eq!(Interest::default(), Interest { question: Question::Intersects, margin: 0.0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Interest {
    /// What is asked.
    pub question: Question,
    /// Bodies are near each other unless they are proved to be farther apart than this. Less than zero, or no number: zero.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
}

impl Interest {
    pub(super) fn checked(self) -> Interest {
        // What is beyond the largest coordinates is no nearer than infinity.
        Interest { margin: if self.margin > 0.0 { self.margin.min(1e62) } else { 0.0 }, ..self }
    }
}

/// The rules of a world: a rule for two groups, or the one for all.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    all: Option<Interest>,
    groups: BTreeMap<(u32, u32), Option<Interest>>,
}

impl Rules {
    #[must_use]
    pub fn new(all: Option<Interest>) -> Rules {
        Rules { all: all.map(Interest::checked), groups: BTreeMap::new() }
    }

    pub fn set(&mut self, a: u32, b: u32, interest: Option<Interest>) {
        self.groups.insert((a.min(b), a.max(b)), interest.map(Interest::checked));
    }

    #[must_use]
    pub fn of(&self, a: u32, b: u32) -> Option<Interest> {
        self.groups.get(&(a.min(b), a.max(b))).copied().unwrap_or(self.all)
    }

    #[must_use]
    pub fn largest_margin(&self) -> f64 {
        self.groups.values().copied().chain([self.all]).flatten().map(|interest| interest.margin).fold(0.0, f64::max)
    }
}
