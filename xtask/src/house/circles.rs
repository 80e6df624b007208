//! Circles of imports: the strongly connected components of who imports whom.
//!
//! Tarjan's algorithm (1972), with an explicit stack instead of recursion. For a circle that is too large it also finds
//! a shortest cycle, and the single imports whose removal would shrink it most.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An import of one file by another.
pub type Edge = (usize, usize);

/// The circles of two or more files, the largest first; the files of each in ascending order.
pub fn circles(edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut followers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(from, to) in edges {
        followers.entry(from).or_default().push(to);
        followers.entry(to).or_default();
    }
    let mut search = Search { followers: &followers, seen: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
    for &start in followers.keys() {
        if !search.seen.contains_key(&start) {
            search.run(start);
        }
    }
    let mut found = search.found;
    found.sort_by_key(|circle| (std::cmp::Reverse(circle.len()), circle[0]));
    found
}

struct Search<'a> {
    followers: &'a BTreeMap<usize, Vec<usize>>,
    /// By file: when it was reached, the earliest on the stack that it leads to, and whether it is on the stack.
    seen: BTreeMap<usize, Visit>,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

#[derive(Clone, Copy)]
struct Visit {
    order: usize,
    lowest: usize,
    is_open: bool,
}

impl Search<'_> {
    fn run(&mut self, start: usize) {
        // The way to where the search is, and how many followers of each have been gone to.
        let mut way = vec![(start, 0)];
        self.reach(start);
        while let Some((file, next)) = way.last_mut() {
            let file = *file;
            let Some(&follower) = self.followers[&file].get(*next) else {
                way.pop();
                if let Some(&(before, _)) = way.last() {
                    self.lower(before, self.seen[&file].lowest);
                }
                self.close(file);
                continue;
            };
            *next += 1;
            match self.seen.get(&follower) {
                None => {
                    self.reach(follower);
                    way.push((follower, 0));
                }
                Some(visit) if visit.is_open => self.lower(file, visit.order),
                Some(_) => {}
            }
        }
    }

    fn reach(&mut self, file: usize) {
        let order = self.seen.len();
        self.seen.insert(file, Visit { order, lowest: order, is_open: true });
        self.stack.push(file);
    }

    fn lower(&mut self, file: usize, to: usize) {
        if let Some(visit) = self.seen.get_mut(&file) {
            visit.lowest = visit.lowest.min(to);
        }
    }

    /// Takes a component off the stack when its first file is done with.
    fn close(&mut self, file: usize) {
        if self.seen[&file].lowest < self.seen[&file].order {
            return;
        }
        let mut component = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.seen.entry(member).and_modify(|visit| visit.is_open = false);
            component.push(member);
            if member == file {
                break;
            }
        }
        if component.len() > 1 {
            component.sort_unstable();
            self.found.push(component);
        }
    }
}

/// A shortest way round within a circle, import by import: of those of equal length the one with the earliest files.
pub fn shortest(circle: &[usize], edges: &[Edge]) -> Vec<Edge> {
    let inner = within(circle, edges);
    let ways = circle.iter().filter_map(|&start| way_back(start, &inner));
    ways.min_by_key(Vec::len).unwrap_or_default()
}

/// The shortest way from a file back to itself.
fn way_back(start: usize, edges: &[Edge]) -> Option<Vec<Edge>> {
    let mut came_by: BTreeMap<usize, Edge> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for &edge in edges.iter().filter(|edge| edge.0 == file) {
            if edge.1 == start {
                let mut way = vec![edge];
                while way[way.len() - 1].0 != start {
                    way.push(came_by[&way[way.len() - 1].0]);
                }
                way.reverse();
                return Some(way);
            }
            if let Entry::Vacant(place) = came_by.entry(edge.1) {
                place.insert(edge);
                queue.push_back(edge.1);
            }
        }
    }
    None
}

/// The imports without which a circle would be smallest, with the size of what would be left; none that would leave it
/// as large as it is.
pub fn best_cuts(circle: &[usize], edges: &[Edge], count: usize) -> Vec<(Edge, usize)> {
    let inner = within(circle, edges);
    let left = |cut: Edge| {
        let rest: Vec<Edge> = inner.iter().copied().filter(|&edge| edge != cut).collect();
        circles(&rest).first().map_or(1, Vec::len)
    };
    let mut cuts: Vec<(Edge, usize)> = inner.iter().map(|&edge| (edge, left(edge))).collect();
    cuts.retain(|&(_, left)| left < circle.len());
    cuts.sort_by_key(|&(edge, left)| (left, edge));
    cuts.truncate(count);
    cuts
}

fn within(circle: &[usize], edges: &[Edge]) -> Vec<Edge> {
    let circle: BTreeSet<usize> = circle.iter().copied().collect();
    edges.iter().copied().filter(|(from, to)| circle.contains(from) && circle.contains(to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_a_known_graph() {
        // The example of Tarjan's article in many textbooks: {0, 1, 2}, {3, 4}, {5, 6}, and 7, which imports itself.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 0),
            (3, 1),
            (3, 2),
            (3, 4),
            (4, 3),
            (4, 5),
            (5, 2),
            (5, 6),
            (6, 5),
            (7, 4),
            (7, 6),
            (7, 7),
        ];
        assert_eq!(circles(&edges), [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
        assert_eq!(circles(&[(0, 1), (0, 2), (1, 3), (2, 3)]), [] as [Vec<usize>; 0]);
        assert_eq!(circles(&[]), [] as [Vec<usize>; 0]);
    }

    #[test]
    fn two_ways_round_that_share_a_file_are_one_circle() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 2)];
        assert_eq!(circles(&edges), [vec![0, 1, 2, 3, 4]]);
        assert_eq!(shortest(&[0, 1, 2, 3, 4], &edges), [(2, 4), (4, 2)]);
        assert_eq!(shortest(&[0, 1, 2, 3], &edges), [(0, 1), (1, 2), (2, 3), (3, 0)]);
    }

    #[test]
    fn the_best_cut_leaves_the_least() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 2)];
        assert_eq!(best_cuts(&[0, 1, 2, 3, 4], &edges, 1), [((0, 1), 2)]);
        // One cut does not break what is connected twice.
        let twice = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)];
        assert_eq!(best_cuts(&[0, 1, 2], &twice, 5), []);
    }
}
