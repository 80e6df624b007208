//! Reusable memory for queries about compounds.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::{DVec2, DVec3};

use crate::answer::contacts::{Contact, Contacts};

/// Memory of the descent.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartsScratch {
    pub(crate) heap: BinaryHeap<Waiting>,
    pub deep: Vec<Deep>,
    pub(crate) contacts: ContactsScratch,
}

/// Two boxes at least `bound` apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiting {
    pub bound: f64,
    pub a: u32,
    pub b: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The nearest pair is the greatest; ties go to the lowest indices.
    fn cmp(&self, other: &Waiting) -> Ordering {
        other.bound.total_cmp(&self.bound).then_with(|| (other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Two overlapping parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deep {
    pub a: u32,
    pub b: u32,
    pub upper: f64,
    /// In the frame of A.
    pub normal: DVec3,
}

/// Reusable memory of the contact search.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactsScratch {
    pub pair: Contacts,
    pub along: Vec<Contact>,
    pub order: Vec<u32>,
    pub dropped: Vec<bool>,
    pub settled: Vec<bool>,
    pub group: Vec<(DVec2, u32)>,
    pub chain: Vec<(DVec2, u32)>,
}
