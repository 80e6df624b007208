//! The rules that select the query for each pair.

use std::collections::BTreeMap;

/// The query run on a pair of bodies.
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
    /// Whether they are within the margin; see [`intersects_with`](crate::query::intersects_with).
    #[default]
    Intersects,
    /// Their distance; see [`distance_with`](crate::query::distance_with). Pairs farther apart than the margin are not
    /// measured.
    Distance,
    /// Whether they are separated, touching or overlapping, with the margin as the touch band; see
    /// [`relation_with`](crate::query::relation_with).
    Relation,
    /// Their contacts within the margin; see [`contacts_with`](crate::query::contacts_with).
    Contacts,
}

/// A rule for a pair of bodies: a query, and the margin for an event.
///
/// ```
/// use clearance::world::{Interest, Question};
/// // The default: do they have a point in common?
/// assert_eq!(Interest::default(), Interest { question: Question::Intersects, margin: 0.0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Interest {
    /// The query.
    pub question: Question,
    /// Bodies are near each other unless proved farther apart than this. Negative numbers and NaN count as zero.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub margin: f64,
}

impl Interest {
    pub(super) fn checked(self) -> Interest {
        // Beyond the largest coordinates a margin is as good as infinite.
        Interest { margin: if self.margin > 0.0 { self.margin.min(1e62) } else { 0.0 }, ..self }
    }
}

/// The rules of a world: one per pair of groups, and a default.
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
