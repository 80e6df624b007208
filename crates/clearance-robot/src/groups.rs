//! Groups of bodies: pairs are culled together where whole parts of the robot, or of the world, stay apart in a motion.
//!
//! This is the intermediate culling of Redon's notes (and of Redon, Kim, Lin and Manocha, "Fast continuous collision
//! detection for articulated models"): volumes around several links are tested before the links. Moving bodies are in a
//! tree in the order of the chain, where each node is a sub-chain; static bodies and objects are in a tree by position.
//! Each node has one bounding sphere, and one bound on how far any of its bodies can move within an interval of time:
//! the recurrence of [`motion_bound`](crate::motion_bound), for that sphere, over all joints that carry any body of the
//! node and not every body of the other node. A pair of bodies of two nodes has a smaller sphere and fewer joints, so
//! if the nodes stay apart in an interval, their pairs do.
//!
//! If the spheres of two nodes are apart but the nodes move too far, the interval is halved; otherwise the larger node
//! is split. Pairs proved apart for the whole motion are done; nothing is kept of the others, and the search starts
//! with them as if there were no groups. So answers are bit-identical with and without groups: a pair is culled only
//! with a wide margin and in intervals that are long compared with the resolution, where the search would prove it as
//! well.

use clearance::glam::DVec3;

use crate::check::Pair;
use crate::frame::Frame;
use crate::limits::MOST_CARRIERS;
use crate::motion_bound::{UPWARD, moved};
use crate::robot::{Ball, Body, Robot};

/// How many times intervals of a motion are halved for groups.
const DEPTH: u32 = 6;

/// Groups must be apart by this multiple of how far they can move: the intervals of single pairs begin elsewhere.
const SPARE: f64 = 1.05;

/// The shortest interval of groups as a multiple of the resolution, unless it is the whole motion.
const LONG: f64 = 64.0;

#[derive(Debug, Default)]
pub(crate) struct Groups {
    nodes: Vec<Node>,
    /// Pairs of nodes in the order they are first tested; together they cover all pairs of bounded bodies.
    crosses: Vec<[u32; 2]>,
    /// The bodies of pairs that move, sorted, and the indices of the pairs.
    numbers: Vec<([u32; 2], u32)>,
    /// Pairs with an unbounded body; all pairs if there are no groups.
    unbounded: Vec<u32>,
    /// The largest padding of a pair.
    padding: f64,
}

#[derive(Debug)]
struct Node {
    /// Set for a leaf.
    body: Option<u32>,
    /// The second child; the first is the next node.
    second: u32,
    /// Segments that carry any of its bodies, except the root, in decreasing order.
    any: Vec<usize>,
    /// Those that carry all of its bodies.
    all: Vec<usize>,
}

/// The bounding sphere of a placed node, and its distance from the root, which scales the rounding of kinematics.
#[derive(Clone, Copy)]
struct Placed {
    ball: Ball,
    reach: f64,
}

/// An interval of time and the pairs of nodes to test in it.
struct Slice {
    begin: f64,
    end: f64,
    depth: u32,
    crosses: Vec<[u32; 2]>,
}

/// Receives the frames of all segments, the configuration, and how far each variable moves.
pub(crate) type Tell<'t> = dyn FnMut(&[Frame], &[f64], &[f64]) + 't;

/// A motion, for [`Groups::needed`].
pub(crate) struct Ask<'a, P> {
    pub robot: &'a Robot,
    pub bodies: &'a [Body],
    /// The shortest interval of pairs.
    pub resolution: f64,
    /// The most tests of nodes.
    pub most: u64,
    /// Places the robot at a time, and passes on its frames, its configuration, and how far each variable moves within
    /// a given time.
    pub place: P,
}

impl Groups {
    pub fn new(robot: &Robot, bodies: &[Body], pairs: &[Pair], bodies_of: impl Fn(&Pair) -> [u32; 2]) -> Groups {
        let mut groups = Groups::default();
        let is_bounded =
            |body: u32| bodies[body as usize].ball.centre.is_finite() && bodies[body as usize].ball.radius.is_finite();
        let mut used = vec![false; bodies.len()];
        // Unbounded bodies are tested pair by pair, and so are all if the lists of segments would be too long.
        let are_grouped = carriers(robot, bodies) <= MOST_CARRIERS;
        for (number, pair) in pairs.iter().enumerate().filter(|(_, pair)| pair.moves) {
            groups.padding = groups.padding.max(pair.padding);
            let both = bodies_of(pair);
            if are_grouped && both.iter().all(|&body| is_bounded(body)) {
                groups.numbers.push((both, number as u32));
                both.iter().for_each(|&body| used[body as usize] = true);
            } else {
                groups.unbounded.push(number as u32);
            }
        }
        groups.numbers.sort_unstable();
        let rank = ranks(robot);
        let used = || (0..bodies.len() as u32).filter(|&body| used[body as usize]);
        let (mut moving, mut still): (Vec<u32>, Vec<u32>) =
            used().partition(|&body| bodies[body as usize].segment != 0);
        moving.sort_by_key(|&body| (rank[bodies[body as usize].segment], body));
        if moving.is_empty() {
            return groups;
        }
        let root = groups.nodes.len() as u32;
        groups.grow(robot, bodies, &mut moving, false);
        if !still.is_empty() {
            groups.crosses.push([root, groups.nodes.len() as u32]);
            groups.grow(robot, bodies, &mut still, true);
        }
        // In the tree of moving bodies, the children of every node against each other.
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            if groups.nodes[node as usize].body.is_none() {
                let halves = [node + 1, groups.nodes[node as usize].second];
                groups.crosses.push(halves);
                waiting.extend(halves);
            }
        }
        groups
    }

    /// Adds the node of some bodies and its subtree, split by position or in the given order.
    fn grow(&mut self, robot: &Robot, bodies: &[Body], some: &mut [u32], by_place: bool) {
        let number = self.nodes.len();
        if let [body] = *some {
            let mut any = Vec::new();
            let mut segment = bodies[body as usize].segment;
            while segment != 0 {
                any.push(segment);
                segment = robot.segments[segment].parent;
            }
            // Parents have lower numbers.
            self.nodes.push(Node { body: Some(body), second: 0, all: any.clone(), any });
            return;
        }
        self.nodes.push(Node { body: None, second: 0, any: Vec::new(), all: Vec::new() });
        if by_place {
            let centre = |body: u32| bodies[body as usize].ball.centre;
            let low = some.iter().fold(DVec3::INFINITY, |low, &body| low.min(centre(body)));
            let high = some.iter().fold(DVec3::NEG_INFINITY, |high, &body| high.max(centre(body)));
            let size = high - low;
            let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
            some.sort_unstable_by(|&x, &y| centre(x)[axis].total_cmp(&centre(y)[axis]).then(x.cmp(&y)));
        }
        let (first, last) = some.split_at_mut(some.len() / 2);
        self.grow(robot, bodies, first, by_place);
        let second = self.nodes.len();
        self.grow(robot, bodies, last, by_place);
        let (one, other) = (&self.nodes[number + 1], &self.nodes[second]);
        let mut any: Vec<usize> = one.any.iter().chain(&other.any).copied().collect();
        any.sort_unstable_by(|x, y| y.cmp(x));
        any.dedup();
        let all = one.all.iter().copied().filter(|segment| has(&other.all, *segment)).collect();
        self.nodes[number] = Node { body: None, second: second as u32, any, all };
    }

    /// The moving pairs that groups do not prove apart throughout a motion, in order, and the number of tests it took.
    pub fn needed<E>(
        &self,
        ask: &mut Ask<'_, impl FnMut(f64, f64, &mut Tell<'_>) -> Result<(), E>>,
    ) -> Result<(Vec<usize>, u64), E> {
        let mut needed: Vec<u32> = self.unbounded.clone();
        let mut is_needed = vec![false; self.numbers.len()];
        let mut looks = 0;
        let mut slices = vec![Slice { begin: 0.0, end: 1.0, depth: 0, crosses: self.crosses.clone() }];
        let mut placed: Vec<Placed> = Vec::new();
        while let Some(Slice { begin, end, depth, mut crosses }) = slices.pop() {
            if crosses.is_empty() {
                continue;
            }
            let mut later = Vec::new();
            let (middle, half) = (0.5 * (begin + end), (0.5 * (end - begin)).next_up());
            let goes_on = depth < DEPTH && 0.5 * (end - begin) >= LONG * ask.resolution;
            let halvings = if goes_on { f64::from(1_u32 << (DEPTH - depth)) } else { 0.0 };
            let (robot, bodies, most) = (ask.robot, ask.bodies, ask.most);
            (ask.place)(middle, half, &mut |frames, q, delta| {
                self.place(bodies, frames, &mut placed);
                let motion = Motion { robot, frames, q, delta, placed: &placed };
                while let Some(both) = crosses.pop() {
                    let [one, other] = both.map(|node| &self.nodes[node as usize]);
                    let pair = match (one.body, other.body) {
                        (Some(one), Some(other)) => {
                            let found = self.number(one, other);
                            // Allowed to meet, or already left to the search.
                            if found.is_none_or(|place| is_needed[place]) {
                                continue;
                            }
                            found
                        }
                        _ => None,
                    };
                    let mut halve = false;
                    if looks < most {
                        looks += 1;
                        let gap = motion.gap(both, self.padding);
                        let moves = SPARE * motion.moves([one, other], both);
                        if gap > moves {
                            continue;
                        }
                        halve = if pair.is_some() { gap * halvings > moves } else { goes_on && gap * 4.0 > moves };
                    }
                    if halve {
                        later.push(both);
                    } else if let Some(place) = pair {
                        is_needed[place] = true;
                    } else {
                        crosses.extend(self.opened(both, &placed));
                    }
                }
            })?;
            slices.push(Slice { begin: middle, end, depth: depth + 1, crosses: later.clone() });
            slices.push(Slice { begin, end: middle, depth: depth + 1, crosses: later });
        }
        needed.extend(self.numbers.iter().zip(&is_needed).filter(|(_, is)| **is).map(|((_, number), _)| *number));
        needed.sort_unstable();
        Ok((needed.into_iter().map(|number| number as usize).collect(), looks))
    }

    /// A pair of nodes with the larger one split; at least one of them is not a leaf.
    fn opened(&self, [one, other]: [u32; 2], placed: &[Placed]) -> [[u32; 2]; 2] {
        let halves = |node: u32| [node + 1, self.nodes[node as usize].second];
        let is_single = |node: u32| self.nodes[node as usize].body.is_some();
        let radius = |node: u32| placed[node as usize].ball.radius;
        if is_single(other) || (!is_single(one) && radius(one) >= radius(other)) {
            halves(one).map(|half| [half, other])
        } else {
            halves(other).map(|half| [one, half])
        }
    }

    /// The index of a pair of bodies in `numbers`.
    fn number(&self, one: u32, other: u32) -> Option<usize> {
        self.numbers.binary_search_by_key(&[one.min(other), one.max(other)], |(both, _)| *both).ok()
    }

    /// The bounding spheres of all nodes.
    fn place(&self, bodies: &[Body], frames: &[Frame], placed: &mut Vec<Placed>) {
        placed.clear();
        let nothing = Placed { ball: Ball { centre: DVec3::ZERO, radius: 0.0 }, reach: 0.0 };
        placed.resize(self.nodes.len(), nothing);
        // Children come after their parents.
        for (number, node) in self.nodes.iter().enumerate().rev() {
            placed[number] = match node.body {
                Some(body) => {
                    let Body { segment, ball, .. } = &bodies[body as usize];
                    let frame = &frames[*segment];
                    let reach = match segment {
                        0 => 0.0,
                        _ => frame.translation.length() + ball.centre.length() + ball.radius,
                    };
                    Placed { ball: Ball { centre: frame.point(ball.centre), ..*ball }, reach }
                }
                None => {
                    let [one, other] = [placed[number + 1], placed[node.second as usize]];
                    Placed { ball: about(one.ball, other.ball), reach: one.reach.max(other.reach) }
                }
            };
        }
    }
}

/// The placed nodes, and how far variables move.
struct Motion<'m> {
    robot: &'m Robot,
    frames: &'m [Frame],
    q: &'m [f64],
    delta: &'m [f64],
    placed: &'m [Placed],
}

impl Motion<'_> {
    /// A lower bound on the gap of all pairs of two nodes, less the padding.
    fn gap(&self, both: [u32; 2], padding: f64) -> f64 {
        let [a, b] = both.map(|node| self.placed[node as usize].ball);
        // Rounding of centres and distances, as for pairs, with a wider margin.
        let reach = (a.radius + b.radius + padding) * (1.0 + 1e-8);
        a.centre.distance(b.centre) - reach - 1e-11 * (a.centre.abs() + b.centre.abs()).element_sum()
    }

    /// An upper bound on how far bodies of two nodes can move relative to each other.
    fn moves(&self, nodes: [&Node; 2], both: [u32; 2]) -> f64 {
        let side = |which: usize| {
            let ball = self.placed[both[which] as usize].ball;
            // A segment that carries all bodies of the other node carries both bodies of each pair.
            let all = &nodes[1 - which].all;
            let chain = nodes[which].any.iter().copied().filter(|segment| !has(all, *segment));
            moved(self.robot, self.frames, chain, &ball, self.q, self.delta, &mut |_, _| ())
        };
        let largest = self.q.iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
        let reach = self.placed[both[0] as usize].reach + self.placed[both[1] as usize].reach;
        // As `Chains::slack`.
        let slack = 32.0 * f64::EPSILON * self.robot.segments.len() as f64 * largest * reach;
        (side(0) + side(1)) * UPWARD + slack
    }
}

/// Whether a list in decreasing order contains a segment.
fn has(list: &[usize], segment: usize) -> bool {
    list.binary_search_by(|other| segment.cmp(other)).is_ok()
}

/// The bounding sphere of two.
fn about(one: Ball, other: Ball) -> Ball {
    let apart = one.centre.distance(other.centre);
    if apart + other.radius <= one.radius {
        return one;
    }
    if apart + one.radius <= other.radius {
        return other;
    }
    let radius = 0.5 * (apart + one.radius + other.radius);
    let part = if apart > 0.0 { (radius - one.radius) / apart } else { 0.0 };
    // Rounding of the centre.
    let off = 1e-14 * (one.centre.abs() + other.centre.abs()).max_element();
    Ball { centre: one.centre.lerp(other.centre, part), radius: radius * (1.0 + 1e-12) + off }
}

/// The number of segments that carry a body, summed over all bodies.
fn carriers(robot: &Robot, bodies: &[Body]) -> usize {
    let mut depths = vec![0_usize; robot.segments.len()];
    // Parents have lower numbers.
    for (number, segment) in robot.segments.iter().enumerate().skip(1) {
        depths[number] = depths[segment.parent] + 1;
    }
    bodies.iter().map(|body| depths[body.segment]).fold(0, usize::saturating_add)
}

/// The rank of each segment in depth-first order.
fn ranks(robot: &Robot) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); robot.segments.len()];
    for (number, segment) in robot.segments.iter().enumerate().skip(1) {
        below[segment.parent].push(number);
    }
    let mut ranks = vec![0; robot.segments.len()];
    let (mut waiting, mut next) = (vec![0], 0);
    while let Some(segment) = waiting.pop() {
        ranks[segment] = next;
        next += 1;
        waiting.extend(below[segment].iter().rev());
    }
    ranks
}
