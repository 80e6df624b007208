//! Trees of indices, and what a query did with them, for a page or a picture.

use clearance::glam::DVec3;
use clearance::index::{Bound, Explain, Index, Kind, NodeVisits, VisitOutcome};
use clearance_check::output::thousands;
use rayon::prelude::*;

use crate::outline::outline;
use crate::{NodeState, SceneNode, SceneTree, SceneTrees, SceneVisit};

/// The largest number of nodes of a tree that are drawn, and of the segments of their outlines: a megabyte of a page.
const NODES: usize = 4000;
const SEGMENTS: usize = 60_000;
/// The largest number of visits on a page.
const VISITS: usize = 20_000;

impl SceneTrees {
    /// The tree of one index, whose mesh is that of a part. `name` says what it is. Of a large tree the lower levels are
    /// left out, and the notes say so.
    ///
    /// ```
    /// use clearance::Mesh;
    /// use clearance::index::{Aabb, Index, IndexOptions};
    /// use clearance_view::SceneTrees;
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = Mesh::new(&points, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let index = Index::<Aabb>::new(&mesh, &IndexOptions::default());
    /// let (trees, notes) = SceneTrees::of_index(&index, 0, "boxes");
    /// assert_eq!((trees.trees[0].nodes.len(), notes.len()), (7, 0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn of_index<K: Kind>(index: &Index<K>, part: usize, name: &str) -> (SceneTrees, Vec<String>) {
        let mut levels = vec![0; index.node_count()];
        for (nodes, level) in index.levels().iter().zip(0..) {
            nodes.iter().for_each(|&node| levels[node as usize] = level);
        }
        let visits = vec![NodeVisits::None; levels.len()];
        let (tree, _, note) = tree(index, part, name, &levels, &visits);
        (SceneTrees { trees: vec![tree], visits: Vec::new() }, note.into_iter().collect())
    }

    /// The trees of two indices, whose meshes are those of two parts, and what a query of them did. `names` say what the
    /// trees are. Of large trees and many visits some are left out, and the notes say so.
    ///
    /// ```
    /// use clearance::index::{Aabb, Explain, Index, IndexOptions};
    /// use clearance::query::DistanceOptions;
    /// use clearance::{Mesh, Pose, Workspace, glam::DVec3};
    /// use clearance_view::{SceneTrees, VisitOutcome};
    /// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let index = Index::<Aabb>::new(&Mesh::new(&points, &[[0, 1, 2]])?, &IndexOptions::default());
    /// let (at, away) = (Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
    /// let mut explain = Explain::new(&index, &index, 1000);
    /// let (options, mut workspace) = (DistanceOptions::default(), Workspace::default());
    /// index.distance_with(&at, &index, &away, &options, &mut workspace, &mut explain);
    /// let (trees, _) = SceneTrees::of_explain([&index, &index], [0, 1], ["A", "B"].map(String::from), &explain);
    /// assert_eq!((trees.trees.len(), trees.visits.len()), (2, 1));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn of_explain<K: Kind>(
        indices: [&Index<K>; 2],
        parts: [usize; 2],
        names: [String; 2],
        explain: &Explain,
    ) -> (SceneTrees, Vec<String>) {
        let of = |k: usize| tree(indices[k], parts[k], &names[k], explain.node_levels(k), explain.nodes(k));
        let ((tree_a, numbers_a, note_a), (tree_b, numbers_b, note_b)) = (of(0), of(1));
        let mut notes: Vec<String> = [note_a, note_b].into_iter().flatten().collect();
        let shown = explain.visits().into_iter().filter_map(|visit| {
            let [a, b] = visit.nodes.map(|node| node as usize);
            let outcome = match visit.outcome {
                VisitOutcome::Opened => crate::VisitOutcome::Opened,
                VisitOutcome::Pruned => crate::VisitOutcome::Pruned,
                VisitOutcome::Dropped => crate::VisitOutcome::Dropped,
                VisitOutcome::Tested(triangles) => crate::VisitOutcome::Tested(triangles),
                VisitOutcome::Waiting => crate::VisitOutcome::Waiting,
            };
            let nodes = [numbers_a[a]?, numbers_b[b]?];
            Some(SceneVisit { nodes, outcome, bound: visit.lower, limit: visit.limit })
        });
        let visits: Vec<SceneVisit> = shown.take(VISITS).collect();
        let all = explain.stats().volume_tests;
        if (visits.len() as u64) < all {
            let shown = thousands(visits.len() as u64);
            notes.push(format!("{shown} of {} visited pairs can be stepped through.", thousands(all)));
        }
        (SceneTrees { trees: vec![tree_a, tree_b], visits }, notes)
    }
}

/// The nodes of a tree that are drawn: those that were reached, level by level, then whole levels. With the number of
/// each node in the list, and a note if some are left out.
fn tree<K: Kind>(
    index: &Index<K>,
    part: usize,
    name: &str,
    levels: &[u32],
    visits: &[NodeVisits],
) -> (SceneTree, Vec<Option<usize>>, Option<String>) {
    let is_reached = |node: usize| visits[node] != NodeVisits::None;
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|&node| (!is_reached(node), levels[node]));
    let mut rest = order.split_off(order.len().min(NODES));
    let (volumes, origin) = (index.volumes(), index.origin());
    let outline_of = |&node: &usize| outline(|direction| volumes[node].support(direction), volumes[node].axes());
    let mut outlines: Vec<Vec<[DVec3; 2]>> = order.par_iter().map(outline_of).collect();
    let mut segments = 0;
    let room = outlines.iter().take_while(|outline| {
        segments += outline.len();
        segments <= SEGMENTS
    });
    let room = room.count();
    rest.splice(..0, order.split_off(room));
    // Of a level that was not reached all is drawn, or nothing.
    if let Some(cut) = rest.first().filter(|&&node| !is_reached(node)).map(|&node| levels[node]) {
        order.retain(|&node| is_reached(node) || levels[node] < cut);
    }
    outlines.truncate(order.len());
    let note = (!rest.is_empty()).then(|| {
        let (shown, all) = (thousands(order.len() as u64), thousands(levels.len() as u64));
        let which =
            if visits.iter().any(|it| *it != NodeVisits::None) { "those reached first" } else { "the upper ones" };
        format!("{shown} of the {all} volumes of {name} are drawn, {which}.")
    });
    let mut numbers = vec![None; levels.len()];
    order.iter().zip(0..).for_each(|(&node, number)| numbers[node] = Some(number));
    let nodes = order.iter().zip(outlines).map(|(&node, outline)| SceneNode {
        level: levels[node],
        is_leaf: index.children(node as u32).is_none(),
        state: match visits[node] {
            NodeVisits::None => NodeState::Unreached,
            NodeVisits::Pruned => NodeState::Pruned,
            NodeVisits::Passed => NodeState::Opened,
        },
        outline: outline.into_iter().map(|ends| ends.map(|end| (end + origin).to_array())).collect(),
    });
    let nodes = nodes.collect();
    (SceneTree { part, name: name.to_owned(), nodes }, numbers, note)
}

#[cfg(test)]
mod tests {
    use clearance::index::{Aabb, IndexOptions, Sphere};
    use clearance::query::DistanceOptions;
    use clearance::{Mesh, Pose, Workspace};

    use super::*;

    /// A sheet of waves over a square, of `2 count²` triangles.
    fn sheet(count: u32) -> Mesh {
        let place = |i: u32, j: u32| [f64::from(i), f64::from(j), f64::from(i * j).sin()];
        let points: Vec<[f64; 3]> = (0..=count).flat_map(|i| (0..=count).map(move |j| place(i, j))).collect();
        let corner = |i: u32, j: u32| i * (count + 1) + j;
        let triangles = (0..count).flat_map(|i| (0..count).map(move |j| (i, j))).flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
            [[a, b, c], [c, b, d]]
        });
        Mesh::new(&points, &triangles.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn of_large_trees_whole_levels_are_drawn() {
        let mesh = sheet(48);
        let (boxes, notes) = SceneTrees::of_index(&Index::<Aabb>::new(&mesh, &IndexOptions::default()), 0, "boxes");
        let (spheres, more) =
            SceneTrees::of_index(&Index::<Sphere>::new(&mesh, &IndexOptions::default()), 0, "spheres");
        for (trees, notes, name) in [(&boxes, &notes, "boxes"), (&spheres, &more, "spheres")] {
            let nodes = &trees.trees[0].nodes;
            assert!(nodes.len() > 200 && nodes.len() <= NODES, "{name}: {}", nodes.len());
            assert!(nodes.iter().map(|node| node.outline.len()).sum::<usize>() <= SEGMENTS, "{name}");
            let words =
                format!("{} of the 9,215 volumes of {name} are drawn, the upper ones.", thousands(nodes.len() as u64));
            assert_eq!(notes, &[words]);
            let deepest = nodes.iter().map(|node| node.level).max().unwrap();
            let of = |level: u32| nodes.iter().filter(|node| node.level == level).count();
            let whole = |level: u32| 2 * nodes.iter().filter(|node| node.level + 1 == level && !node.is_leaf).count();
            (1..=deepest).for_each(|level| assert_eq!(of(level), whole(level), "{name} {level}"));
        }
        assert!(spheres.trees[0].nodes.len() < boxes.trees[0].nodes.len());
    }

    #[test]
    fn what_was_reached_is_drawn_first() {
        let index = Index::<Aabb>::new(&sheet(48), &IndexOptions::default());
        let (at, away) = (Pose::IDENTITY, Pose::from_translation(DVec3::new(0.0, 0.0, 9.0)).unwrap());
        let mut explain = Explain::new(&index, &index, 40);
        let (options, mut workspace) = (DistanceOptions::default(), Workspace::default());
        let found = index.distance_with(&at, &index, &away, &options, &mut workspace, &mut explain);
        assert!(found.gap.value > 6.0);
        let (trees, notes) = SceneTrees::of_explain([&index, &index], [0, 1], ["A", "B"].map(String::from), &explain);
        let reached = explain.nodes(0).iter().filter(|visits| **visits != NodeVisits::None).count();
        let nodes = &trees.trees[0].nodes;
        let drawn = nodes.iter().filter(|node| node.state != NodeState::Unreached).count();
        assert!(drawn == reached || drawn == nodes.len(), "{drawn} of {reached} reached, {} in all", nodes.len());
        assert_eq!(trees.visits.len(), 40);
        let all = thousands(explain.stats().volume_tests);
        assert!(notes.contains(&format!("40 of {all} visited pairs can be stepped through.")), "{notes:?}");
        let known =
            |visit: &SceneVisit| visit.nodes.iter().zip(&trees.trees).all(|(&node, tree)| node < tree.nodes.len());
        assert!(trees.visits.iter().all(known));
    }
}
