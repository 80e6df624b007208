//! Simultaneous traversal of two binary trees.
//!
//! The pair test of RAPID and PQP: two volumes that are apart, or too far apart to matter, end a branch; otherwise one
//! of the nodes, or both, are opened, until two leaves meet. What a pair of nodes is may depend on the way there, as
//! for the box tree, whose boxes are implied by the path: a [`Pairing`] keeps its own state.
//!
//! A collector decides what is sought. With distances, near pairs are visited first, and a pair is tested again when
//! its turn comes.

use super::stats::{Count, VolumeTest};
use crate::math::cancel::Turns;

/// Which node of a pair is opened.
///
/// ```
/// use clearance::index::Descend;
/// assert_eq!(Descend::default(), Descend::Larger);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Descend {
    /// The node with the longer volume, unless it is a leaf.
    #[default]
    Larger,
    /// Both, unless one is a leaf: each child of one against each of the other.
    Both,
}

/// What is below a node.
#[derive(Clone, Copy, Debug)]
pub enum Below<'t> {
    /// Its two children.
    Nodes([u32; 2]),
    /// The triangles of a leaf.
    Triangles(Slots<'t>),
}

/// The triangles of a leaf, by slot.
#[derive(Clone, Copy, Debug)]
pub enum Slots<'t> {
    /// One triangle.
    One(u32),
    /// Some of a list.
    Some(&'t [u32]),
}

impl Slots<'_> {
    #[inline(always)]
    pub(crate) fn list(&self) -> &[u32] {
        match self {
            Slots::One(slot) => std::slice::from_ref(slot),
            Slots::Some(slots) => slots,
        }
    }
}

/// Two trees, and what is known of a pair of their nodes.
pub trait Pairing {
    /// A pair of nodes.
    type State: Copy;

    /// The two roots.
    fn roots(&self) -> Self::State;

    /// The numbers of the nodes.
    fn nodes(&self, state: &Self::State) -> [u32; 2];

    /// What is below each of them.
    fn below(&self, state: &Self::State) -> [Below<'_>; 2];

    /// Whether A's node is the one to open first.
    fn a_is_larger(&self, state: &Self::State) -> bool;

    /// The pairs of the children of A's node with B's node.
    fn open_a(&self, state: &Self::State, children: [u32; 2]) -> [Self::State; 2];

    /// The pairs of A's node with the children of B's node.
    fn open_b(&self, state: &Self::State, children: [u32; 2]) -> [Self::State; 2];

    /// Whether what is below may have a point in common; `false` is proved.
    fn overlaps(&self, state: &Self::State) -> bool;

    /// A proved lower bound of the distance of what is below, in the frame of A.
    fn distance_below(&self, state: &Self::State) -> f64;
}

/// What a traversal of two binary trees collects.
pub(crate) trait Collector {
    /// Whether distances are needed, or only whether volumes overlap.
    const BY_DISTANCE: bool;

    /// Nothing farther than this matters any more; zero where distances are not needed.
    fn limit(&self) -> f64;

    /// Visits the triangles of two leaves, by slot. False ends the traversal.
    fn leaves(&mut self, a: &[u32], b: &[u32]) -> bool;

    /// Who is told of the volumes.
    fn count(&mut self) -> &mut impl Count;

    /// Whether the caller's A is our B.
    fn is_swapped(&self) -> bool;
}

/// A pair of nodes still to be visited.
#[derive(Clone, Copy, Debug)]
pub struct Entry<S> {
    lower: f64,
    state: S,
}

/// Compares two nodes; `None` if that is the end of the branch.
#[inline(always)]
fn admitted<P: Pairing, C: Collector>(pairing: &P, state: P::State, collector: &mut C) -> Option<Entry<P::State>> {
    let limit = collector.limit();
    let (lower, pruned) = if C::BY_DISTANCE {
        let lower = pairing.distance_below(&state);
        (lower, lower > limit)
    } else {
        (0.0, !pairing.overlaps(&state))
    };
    let [a, b] = in_callers_order(pairing.nodes(&state), collector);
    let [told_lower, told_limit] = [lower, limit].map(|told| C::BY_DISTANCE.then_some(told));
    collector.count().volumes(VolumeTest { a, b, lower: told_lower, limit: told_limit, pruned });
    (!pruned).then_some(Entry { lower, state })
}

#[inline(always)]
fn in_callers_order<C: Collector>([a, b]: [u32; 2], collector: &C) -> [u32; 2] {
    if collector.is_swapped() { [b, a] } else { [a, b] }
}

/// Traverses both trees and hands the collector every pair of leaves that matters when its turn comes. `stack` is
/// scratch memory: with [`Descend::Both`] it grows to three entries a level, otherwise to one.
pub(crate) fn walk<P: Pairing, C: Collector>(
    pairing: &P,
    descend: Descend,
    stack: &mut Vec<Entry<P::State>>,
    collector: &mut C,
) {
    stack.clear();
    stack.extend(admitted(pairing, pairing.roots(), collector));
    let mut turns = Turns::default();
    while let Some(Entry { lower, state }) = stack.pop() {
        turns.turn();
        if C::BY_DISTANCE && lower > collector.limit() {
            let [a, b] = in_callers_order(pairing.nodes(&state), collector);
            collector.count().dropped(a, b);
            continue;
        }
        let start = stack.len();
        let mut push = |next: P::State| {
            if let Some(entry) = admitted(pairing, next, collector) {
                // The nearest on top; of equal ones the first.
                let mut place = stack.len();
                stack.push(entry);
                while place > start && stack[place - 1].lower <= entry.lower {
                    stack[place] = stack[place - 1];
                    place -= 1;
                }
                stack[place] = entry;
            }
        };
        match pairing.below(&state) {
            [Below::Triangles(a), Below::Triangles(b)] => {
                if !collector.leaves(a.list(), b.list()) {
                    return;
                }
            }
            [Below::Nodes(a), Below::Nodes(b)] => match descend {
                Descend::Both => {
                    for half in pairing.open_a(&state, a) {
                        pairing.open_b(&half, b).into_iter().for_each(&mut push);
                    }
                }
                Descend::Larger if pairing.a_is_larger(&state) => pairing.open_a(&state, a).into_iter().for_each(push),
                Descend::Larger => pairing.open_b(&state, b).into_iter().for_each(push),
            },
            [Below::Nodes(a), Below::Triangles(_)] => pairing.open_a(&state, a).into_iter().for_each(push),
            [Below::Triangles(_), Below::Nodes(b)] => pairing.open_b(&state, b).into_iter().for_each(push),
        }
    }
}
