//! A record of what a query of two indices did: which pairs of nodes it visited, and what came of each.

use std::collections::BTreeMap;

use crate::mesh::index::Index;
use crate::tree::hierarchy::Kind;
use crate::tree::stats::{Count, Stats, VolumeTest};

/// Records what a query of two indices visits and prunes, as its [`Count`].
///
/// Counts are of the whole query. Single visits are kept up to a number that the caller chooses, the first ones, and
/// [`Explain::left_out`] says how many more there were. Memory: ten bytes a node and four a triangle of both indices,
/// and at most 68 bytes a visit kept, so 7 MB for 100,000 visits. A query that is not explained takes `()` instead,
/// which costs nothing.
///
/// ```
/// use clearance::index::{Aabb, Explain, Index, IndexOptions, VisitOutcome};
/// use clearance::query::DistanceOptions;
/// use clearance::{Mesh, Pose, Workspace, glam::DVec3};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]];
/// let index = Index::<Aabb>::new(&Mesh::new(&points, &[[0, 1, 2], [3, 4, 5]])?, &IndexOptions::default());
/// let mut explain = Explain::new(&index, &index, 1000);
/// let (at, away) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(20.0, 0.0, 0.0))?);
/// let (options, mut workspace) = (DistanceOptions::default(), Workspace::default());
/// let found = index.distance_with(&at, &index, &away, &options, &mut workspace, &mut explain);
/// assert_eq!(found.gap.value, 11.0);
/// assert_eq!(explain.stats().volume_tests, explain.levels().iter().map(|level| level.visits).sum::<u64>());
/// let visits = explain.visits();
/// assert_eq!((visits[0].nodes, visits[0].outcome), ([0, 0], VisitOutcome::Opened));
/// assert!(visits.iter().any(|visit| visit.outcome == VisitOutcome::Pruned && visit.lower > visit.limit));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explain {
    trees: [Nodes; 2],
    levels: Vec<ExplainedLevel>,
    stats: Stats,
    first_triangles: Option<[u32; 2]>,
    /// How many records of each kind are kept.
    most: usize,
    tests: Vec<VolumeTest>,
    dropped: Vec<[u32; 2]>,
    /// Two leaves, and how many of their pairs of triangles were compared.
    tested: Vec<([u32; 2], u32)>,
}

/// What is known of the nodes of a tree.
#[derive(Clone, Debug)]
struct Nodes {
    levels: Vec<u32>,
    /// That of the root is the root.
    parents: Vec<u32>,
    visits: Vec<NodeVisits>,
    /// The leaf of each triangle.
    leaves: Vec<u32>,
}

/// What a query did with a node, over all pairs with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeVisits {
    /// No pair with it was visited.
    None,
    /// All pairs with it were pruned by their volumes.
    Pruned,
    /// Of some pair with it the volumes did not decide.
    Passed,
}

/// What a query did at a level: with pairs whose deeper node is of that level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExplainedLevel {
    /// Pairs of volumes compared: their sum is Nv.
    pub visits: u64,
    /// Pairs that their volumes decided: apart, or no nearer than the best pair of triangles so far.
    pub pruned: u64,
    /// Pairs that passed, and were dropped when their turn came, because a nearer pair of triangles had been found.
    pub dropped: u64,
    /// Pairs of triangles compared: their sum is Np, less one if the query started from a pair of triangles.
    pub triangle_tests: u64,
}

/// A pair of nodes that a query visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// The node of A's tree and that of B's.
    pub nodes: [u32; 2],
    /// Their levels; 0 for the root.
    pub levels: [u32; 2],
    /// The proved lower bound of the distance of what they contain; zero where only overlap was tested. In world units
    /// up to the rigidity defect of the pose.
    pub lower: f64,
    /// Only what was nearer than this mattered when they were compared; zero where only overlap was tested.
    pub limit: f64,
    /// What came of it.
    pub outcome: VisitOutcome,
}

/// What came of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VisitOutcome {
    /// One of the nodes was opened, or both.
    Opened,
    /// The volumes are apart, or no nearer than the best pair of triangles so far.
    Pruned,
    /// Its turn came after a nearer pair of triangles had been found.
    Dropped,
    /// Two leaves, of which so many pairs of triangles were compared.
    Tested(u32),
    /// Its turn did not come: the search had ended, as when two triangles meet.
    Waiting,
}

impl Nodes {
    fn of<K: Kind>(index: &Index<K>) -> Nodes {
        let count = index.node_count();
        let (mut levels, mut parents) = (vec![0; count], vec![0; count]);
        let mut leaves = vec![0; index.mesh().triangle_count()];
        for (nodes, level) in index.levels().iter().zip(0..) {
            for &node in nodes {
                levels[node as usize] = level;
                index.children(node).into_iter().flatten().for_each(|child| parents[child as usize] = node);
                index.triangles(node).iter().for_each(|&triangle| leaves[triangle as usize] = node);
            }
        }
        Nodes { levels, parents, visits: vec![NodeVisits::None; count], leaves }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.levels[..])
            + size_of_val(&self.parents[..])
            + size_of_val(&self.visits[..])
            + size_of_val(&self.leaves[..])
    }
}

impl Explain {
    /// For one query of these two indices, `most` visits of which are kept.
    #[must_use]
    pub fn new<K: Kind>(a: &Index<K>, b: &Index<K>, most: usize) -> Explain {
        let trees = [Nodes::of(a), Nodes::of(b)];
        let deepest = trees.iter().flat_map(|tree| &tree.levels).max().copied().unwrap_or(0);
        Explain {
            trees,
            levels: vec![ExplainedLevel::default(); deepest as usize + 1],
            stats: Stats::default(),
            first_triangles: None,
            most,
            tests: Vec::new(),
            dropped: Vec::new(),
            tested: Vec::new(),
        }
    }

    /// What was counted, all of it.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// What was done at each level, all of it.
    #[must_use]
    pub fn levels(&self) -> &[ExplainedLevel] {
        &self.levels
    }

    /// The pair of triangles, by the caller's numbers, that a search for the nearest started from.
    #[must_use]
    pub fn first_triangles(&self) -> Option<[u32; 2]> {
        self.first_triangles
    }

    /// What was done with each node of A's tree (0) or B's (1), by number. All visits count, kept or not.
    #[must_use]
    pub fn nodes(&self, tree: usize) -> &[NodeVisits] {
        &self.trees[tree.min(1)].visits
    }

    /// The level of each node of A's tree (0) or B's (1), by number; 0 for the root.
    #[must_use]
    pub fn node_levels(&self, tree: usize) -> &[u32] {
        &self.trees[tree.min(1)].levels
    }

    /// How many visits were not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.stats.volume_tests - self.tests.len() as u64
    }

    /// Memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.trees.iter().map(Nodes::bytes).sum::<usize>()
            + size_of_val(&self.levels[..])
            + size_of_val(&self.tests[..])
            + size_of_val(&self.dropped[..])
            + size_of_val(&self.tested[..])
    }

    /// The visits that were kept, in their order, with what came of each.
    #[must_use]
    pub fn visits(&self) -> Vec<Visit> {
        let levels = |nodes: [u32; 2]| [0, 1].map(|tree| self.trees[tree].levels[nodes[tree] as usize]);
        let mut visits: Vec<Visit> = (self.tests.iter())
            .map(|test| {
                let nodes = [test.a, test.b];
                let outcome = if test.pruned { VisitOutcome::Pruned } else { VisitOutcome::Waiting };
                let (lower, limit) = (test.lower.unwrap_or(0.0), test.limit.unwrap_or(0.0));
                Visit { nodes, levels: levels(nodes), lower, limit, outcome }
            })
            .collect();
        let numbers: BTreeMap<[u32; 2], usize> = visits.iter().map(|visit| visit.nodes).zip(0..).collect();
        let mut came_to = |nodes: [u32; 2], outcome: VisitOutcome| {
            if let Some(visit) = numbers.get(&nodes).map(|&number| &mut visits[number])
                && visit.outcome != VisitOutcome::Pruned
            {
                visit.outcome = match (visit.outcome, outcome) {
                    (VisitOutcome::Tested(one), VisitOutcome::Tested(other)) => VisitOutcome::Tested(one + other),
                    _ => outcome,
                };
            }
        };
        for test in &self.tests {
            // A pair is reached from one pair only: that of its parents, or of one node and the other's parent.
            let parent = |tree: usize, node: u32| self.trees[tree].parents[node as usize];
            let (a, b) = (parent(0, test.a), parent(1, test.b));
            for from in [[a, test.b], [test.a, b], [a, b]] {
                if from != [test.a, test.b] {
                    came_to(from, VisitOutcome::Opened);
                }
            }
        }
        self.dropped.iter().for_each(|&nodes| came_to(nodes, VisitOutcome::Dropped));
        self.tested.iter().for_each(|&(nodes, count)| came_to(nodes, VisitOutcome::Tested(count)));
        visits
    }

    /// The row of the level of a pair.
    fn level(&mut self, [a, b]: [u32; 2]) -> &mut ExplainedLevel {
        let level = self.trees[0].levels[a as usize].max(self.trees[1].levels[b as usize]);
        &mut self.levels[level as usize]
    }
}

impl Count for Explain {
    fn volumes(&mut self, test: VolumeTest) {
        self.stats.volumes(test);
        for (tree, node) in self.trees.iter_mut().zip([test.a, test.b]) {
            let visits = &mut tree.visits[node as usize];
            *visits = match (*visits, test.pruned) {
                (NodeVisits::Passed, _) | (_, false) => NodeVisits::Passed,
                _ => NodeVisits::Pruned,
            };
        }
        let level = self.level([test.a, test.b]);
        level.visits += 1;
        level.pruned += u64::from(test.pruned);
        if self.tests.len() < self.most {
            self.tests.push(test);
        }
    }

    fn dropped(&mut self, a: u32, b: u32) {
        self.level([a, b]).dropped += 1;
        if self.dropped.len() < self.most {
            self.dropped.push([a, b]);
        }
    }

    fn triangles(&mut self, a: u32, b: u32) {
        self.stats.triangles(a, b);
        if self.stats.volume_tests == 0 {
            self.first_triangles = Some([a, b]);
            return;
        }
        let leaves = [self.trees[0].leaves[a as usize], self.trees[1].leaves[b as usize]];
        self.level(leaves).triangle_tests += 1;
        let is_full = self.tested.len() >= self.most;
        match self.tested.last_mut() {
            Some((last, count)) if *last == leaves => *count += 1,
            _ if is_full => {}
            _ => self.tested.push((leaves, 1)),
        }
    }

    fn updates(&mut self, count: usize) {
        self.stats.updates(count);
    }
}
