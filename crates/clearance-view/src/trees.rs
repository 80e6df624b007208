//! Trees over parts, and the pairs of nodes that a query visited: what a page draws of them.

use clearance_check::Error;
use serde::Serialize;

use crate::surface::{Bytes, PackedPoints, Section};

/// Trees over one or two parts, node by node, and the pairs of nodes that a query of two visited, in order.
///
/// ```
/// use clearance_view::{NodeState, SceneNode, SceneTree, SceneTrees, SceneVisit, VisitOutcome};
/// let node = SceneNode { level: 0, is_leaf: true, state: NodeState::Opened, outline: vec![[[0.0; 3], [1.0; 3]]] };
/// let tree = |part| SceneTree { part, name: "one triangle".into(), nodes: vec![node.clone()] };
/// let visit = SceneVisit { nodes: [0, 0], outcome: VisitOutcome::Tested(1), bound: 0.0, limit: f64::INFINITY };
/// let trees = SceneTrees { trees: vec![tree(0), tree(1)], visits: vec![visit] };
/// assert_eq!(trees.visits[0].nodes, [0, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneTrees {
    /// One or two.
    pub trees: Vec<SceneTree>,
    /// Pairs of a node of the first tree and one of the second.
    pub visits: Vec<SceneVisit>,
}

/// A tree over a part.
#[derive(Clone, Debug)]
pub struct SceneTree {
    /// The number of the part.
    pub part: usize,
    /// What it is, in a few words.
    pub name: String,
    /// The nodes that are drawn.
    pub nodes: Vec<SceneNode>,
}

/// A node of a tree.
#[derive(Clone, Debug)]
pub struct SceneNode {
    /// 0 for the root.
    pub level: u32,
    /// Whether it has triangles rather than children. A leaf is also drawn at all levels below its own.
    pub is_leaf: bool,
    /// What the query did with it.
    pub state: NodeState,
    /// The segments that outline its volume, in the frame of the part's mesh.
    pub outline: Vec<[[f64; 3]; 2]>,
}

/// What a query did with a node, over all pairs that it was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// Some pair with it was opened, or its triangles were tested.
    Opened,
    /// All pairs with it were pruned.
    Pruned,
    /// No pair with it was visited.
    Unreached,
}

/// A pair of nodes that a query visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneVisit {
    /// The number of the node in each tree's list.
    pub nodes: [usize; 2],
    /// What came of it.
    pub outcome: VisitOutcome,
    /// Proved: what the nodes contain is no nearer than this, in world units.
    pub bound: f64,
    /// Only what was nearer than this mattered at the time.
    pub limit: f64,
}

/// What came of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitOutcome {
    /// Its children were visited.
    Opened,
    /// Its bound exceeded the limit.
    Pruned,
    /// Two leaves, of which so many pairs of triangles were tested.
    Tested(u32),
    /// It passed, and was dropped when its turn came: something nearer had been found.
    Dropped,
    /// Its turn did not come before the search ended.
    Waiting,
}

impl NodeState {
    /// As the page numbers them.
    fn number(self) -> u8 {
        match self {
            NodeState::Opened => 0,
            NodeState::Pruned => 1,
            NodeState::Unreached => 2,
        }
    }
}

/// As the page reads it.
#[derive(Serialize)]
pub(crate) struct PackedTrees<'s> {
    trees: Vec<PackedTree<'s>>,
    /// Six numbers for each visit: both nodes; 0 opened, 1 pruned, 2 tested, 3 dropped, 4 waiting; pairs of triangles;
    /// bound; limit.
    visits: Section,
}

#[derive(Serialize)]
struct PackedTree<'s> {
    part: usize,
    name: &'s str,
    levels: Vec<u32>,
    leaves: Vec<u8>,
    states: Vec<u8>,
    /// The number of segments of each node.
    segments: Vec<usize>,
    /// Their ends, two for each.
    ends: PackedPoints,
}

impl SceneTrees {
    pub(crate) fn packed(&self, bytes: &mut Bytes) -> PackedTrees<'_> {
        let tree = |tree: &'_ SceneTree, bytes: &mut Bytes| {
            let ends: Vec<[f64; 3]> =
                tree.nodes.iter().flat_map(|node| node.outline.iter().flatten().copied()).collect();
            bytes.about_their_centre(&ends)
        };
        let ends: Vec<PackedPoints> = self.trees.iter().map(|it| tree(it, bytes)).collect();
        let visits = self.visits.iter().flat_map(|visit| {
            let (outcome, tested) = match visit.outcome {
                VisitOutcome::Opened => (0, 0),
                VisitOutcome::Pruned => (1, 0),
                VisitOutcome::Tested(tested) => (2, tested),
                VisitOutcome::Dropped => (3, 0),
                VisitOutcome::Waiting => (4, 0),
            };
            let [a, b] = visit.nodes.map(|node| node as f64);
            [a, b, f64::from(outcome), f64::from(tested), visit.bound, visit.limit]
        });
        let visits = bytes.doubles(visits);
        let trees = (self.trees.iter().zip(ends)).map(|(tree, ends)| PackedTree {
            part: tree.part,
            name: &tree.name,
            levels: tree.nodes.iter().map(|node| node.level).collect(),
            leaves: tree.nodes.iter().map(|node| u8::from(node.is_leaf)).collect(),
            states: tree.nodes.iter().map(|node| node.state.number()).collect(),
            segments: tree.nodes.iter().map(|node| node.outline.len()).collect(),
            ends,
        });
        PackedTrees { trees: trees.collect(), visits }
    }

    /// Checks that all references are valid and all numbers finite; a bound or a limit may be infinite.
    pub(crate) fn check(&self, parts: usize) -> Result<(), Error> {
        let wrong = |problem: String| Err(Error::Usage(format!("the page: {problem}")));
        if !(1..=2).contains(&self.trees.len()) {
            return wrong(format!("expected one or two trees, got {}", self.trees.len()));
        }
        for tree in &self.trees {
            if tree.part >= parts {
                return wrong(format!("the tree `{}` is over part {}, but there are {parts}", tree.name, tree.part));
            }
            let outlines = tree.nodes.iter().map(|node| node.outline.as_flattened().as_flattened());
            if let Some(node) = outlines.into_iter().position(|outline| outline.iter().any(|x| !x.is_finite())) {
                return wrong(format!("node {node} of the tree `{}` has a number that is not finite", tree.name));
            }
        }
        for (number, visit) in self.visits.iter().enumerate() {
            let known = |k: usize| self.trees.get(k).is_some_and(|tree| visit.nodes[k] < tree.nodes.len());
            if !(known(0) && known(1)) {
                let [a, b] = visit.nodes;
                return wrong(format!("visit {number} is of nodes {a} and {b}, which are not both there"));
            }
            if visit.bound.is_nan() || visit.limit.is_nan() {
                return wrong(format!("visit {number} has a bound or a limit that is not a number"));
            }
        }
        Ok(())
    }
}
