//! Intersection curves of two surfaces, linked from the segments of pairs of triangles.
//!
//! Ends of segments are matched by feature, not by rounded position. The exact kernel reports on which feature of
//! either triangle an end lies: identified by mesh points (corner, edge by its two corners, face), the pair of features
//! is the same for all triangles that meet there. Where an edge of one mesh pierces a face of the other, the segments
//! of both triangles at the edge end, so a curve continues until it closes or reaches the boundary of a surface. Points
//! are identified by equal coordinates, so triangles need not share point indices.
//!
//! Degenerate positions:
//! - An edge that lies in the other surface is found once per incident triangle: segments with the same two ends count
//!   once.
//! - Coplanar triangles intersect in a polygon. The outline of all these polygons together is kept: their sides modulo
//!   two. A segment that is a side of a polygon adds nothing.
//! - A zero-area triangle joins its long edge to its two short ones. All three are treated as one edge, with the middle
//!   corner as a point of it: they lie on one line, so anything that crosses it does so in one point.
//! - Where more than two segments end, curves are split into loops that pass through no point twice. What remains at
//!   points of odd degree is open.
//!
//! Segments run along `normal_a x normal_b`. Around two overlapping bodies the loop then runs counter-clockwise as seen
//! from B; around a body that pierces a sheet A it runs counter-clockwise about A's normal, and clockwise about B's if
//! the sheet is B. The area vector of a loop thus always points from A towards B.

use glam::DVec3;

use super::same_points::lowest_of_equal;
use crate::answer::contact_curve::ContactCurve;
use crate::geom::topology::{find, join};
use crate::geom::triangle_triangle::{Crossing, CrossingKind, Feature3};
use crate::math::predicates::{collinear, normal_axis};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// Two triangles that intersect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    /// The caller's indices of the triangles, of A and of B.
    pub triangles: [u32; 2],
    /// The indices of their points.
    pub corners: [[u32; 3]; 2],
    /// By [`triangles_cross`](crate::geom::triangle_triangle::triangles_cross), of the triangle of A and that of B.
    pub crossing: Crossing,
}

impl ContactCurve {
    /// Swaps A and B. Points stay in their frame.
    pub(crate) fn mirror(&mut self) {
        // The first corner of a loop stays.
        let kept = usize::from(self.closed);
        self.points[kept..].reverse();
        self.pairs.reverse();
        self.pairs.iter_mut().for_each(|pair| pair.reverse());
        self.normal = self.normal.map(|normal| -normal);
        if self.closed {
            let lowest = (0..self.pairs.len()).min_by_key(|&i| self.pairs[i]).unwrap_or(0);
            self.points.rotate_left(lowest);
            self.pairs.rotate_left(lowest);
        }
    }
}

/// Orders curves by their lowest pair of triangles.
pub(crate) fn in_order(curves: &mut [ContactCurve]) {
    curves.sort_by_key(|curve| curve.pairs.iter().min().copied());
}

/// The curves formed by all intersecting triangle pairs of two meshes, in order. `at_a` and `at_b` give the points by
/// index, as used when the intersections were found; the corners of the curves are in the same frame.
pub(crate) fn link(meetings: &[Met], at_a: impl Fn(u32) -> DVec3, at_b: impl Fn(u32) -> DVec3) -> Vec<ContactCurve> {
    let mut meetings: Vec<&Met> = meetings.iter().collect();
    meetings.sort_unstable_by_key(|meeting| meeting.triangles);
    let (a, b) = (FeatureNames::new(&meetings, 0, at_a), FeatureNames::new(&meetings, 1, at_b));
    let pieces: Vec<CurveSegment> =
        meetings.iter().zip(0..).flat_map(|(meeting, number)| pieces_of(meeting, number, &a, &b)).collect();
    let mut graph = Graph::new(&pieces, &a, &b);
    graph.trace_all();
    let mut curves: Vec<ContactCurve> = graph
        .curves
        .iter()
        .map(|curve| {
            let mut points: Vec<DVec3> =
                curve.steps.iter().map(|step| graph.points[graph.start(step) as usize]).collect();
            if !curve.closed {
                points.extend(curve.steps.last().map(|step| graph.points[graph.end(step) as usize]));
            }
            let normal = if curve.closed && curve.directed { area_normal(&points) } else { None };
            let pair = |step: &Step| meetings[graph.segments[step.segment as usize].meeting as usize].triangles;
            ContactCurve { points, closed: curve.closed, pairs: curve.steps.iter().map(pair).collect(), normal }
        })
        .collect();
    curves.extend(graph.alone.iter().map(|&(node, meeting)| ContactCurve {
        points: vec![graph.points[node as usize]],
        closed: false,
        pairs: vec![meetings[meeting as usize].triangles],
        normal: None,
    }));
    in_order(&mut curves);
    curves
}

/// A feature of a mesh, identified by the lowest indices of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Vertex(u32),
    Edge([u32; 2]),
    Face(u32),
}

/// Identifies the features of one mesh.
struct FeatureNames {
    /// Points in use, ascending, and for each the lowest index with its coordinates.
    numbers: Vec<u32>,
    lowest: Vec<u32>,
    /// Edges of zero-area triangles, sorted, and for each the representative of its line.
    in_line: Vec<([u32; 2], [u32; 2])>,
    /// Middle corners of zero-area triangles, and an edge they lie on; sorted.
    middles: Vec<(u32, [u32; 2])>,
    /// The winding of each triangle: `None` if it has no area, otherwise the sign of the first nonzero component of its
    /// normal, in the order z, y, x.
    turns: Vec<Option<bool>>,
}

impl FeatureNames {
    fn new(meetings: &[&Met], side: usize, at: impl Fn(u32) -> DVec3) -> FeatureNames {
        let mut numbers: Vec<u32> = meetings.iter().flat_map(|meeting| meeting.corners[side]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lowest = lowest_of_equal(&numbers, &at);
        let mut names = FeatureNames { numbers, lowest, in_line: Vec::new(), middles: Vec::new(), turns: Vec::new() };
        let mut joined = Vec::new();
        for meeting in meetings {
            let corners = meeting.corners[side];
            let [p, q, r] = corners.map(&at);
            let turn = match meeting.crossing.kind {
                CrossingKind::Coplanar(_) => normal_axis(p, q, r).map(|(_, sign)| sign.is_positive()),
                CrossingKind::Segment => (!collinear(p, q, r)).then_some(true),
            };
            names.turns.push(turn);
            if turn.is_none() {
                let mut in_order = corners.map(|p| names.point(p));
                in_order.sort_by(|&p, &q| compare(at(p), at(q)));
                let [first, middle, last] = in_order;
                if first != middle && middle != last {
                    joined.extend([[sorted([first, middle]), sorted([first, last])]]);
                    joined.extend([[sorted([middle, last]), sorted([first, last])]]);
                    names.middles.push((middle, sorted([first, last])));
                }
            }
        }
        if !joined.is_empty() {
            let mut edges: Vec<[u32; 2]> = joined.iter().copied().flatten().collect();
            edges.sort_unstable();
            edges.dedup();
            let mut parent: Vec<u32> = (0..edges.len() as u32).collect();
            for pair in joined {
                if let [Ok(one), Ok(other)] = pair.map(|edge| edges.binary_search(&edge)) {
                    join(&mut parent, one as u32, other as u32);
                }
            }
            names.in_line = (0..edges.len()).map(|i| (edges[i], edges[find(&mut parent, i as u32) as usize])).collect();
            names.middles = names.middles.iter().map(|&(middle, edge)| (middle, names.edge(edge))).collect();
            names.middles.sort_unstable();
            names.middles.dedup();
        }
        names
    }

    fn point(&self, number: u32) -> u32 {
        self.numbers.binary_search(&number).map_or(number, |i| self.lowest[i])
    }

    fn edge(&self, edge: [u32; 2]) -> [u32; 2] {
        self.in_line.binary_search_by_key(&edge, |entry| entry.0).map_or(edge, |i| self.in_line[i].1)
    }

    fn place(&self, triangle: u32, corners: [u32; 3], feature: Feature3) -> Place {
        let corner = |k: u8| self.point(corners[usize::from(k) % 3]);
        match feature {
            Feature3::Vertex(k) => Place::Vertex(corner(k)),
            Feature3::Edge(k) => Place::Edge(self.edge(sorted([corner(k), corner(k + 1)]))),
            Feature3::Face => Place::Face(triangle),
        }
    }

    /// Other identities of a place: edges that a middle corner lies on.
    fn other_names(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let vertex = if let Place::Vertex(vertex) = place { Some(vertex) } else { None };
        let first = vertex.map_or(self.middles.len(), |vertex| self.middles.partition_point(|entry| entry.0 < vertex));
        self.middles[first..].iter().take_while(move |entry| Some(entry.0) == vertex).map(|entry| Place::Edge(entry.1))
    }
}

fn sorted([p, q]: [u32; 2]) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

/// By x, then y, then z: the order of points along a line.
fn compare(p: DVec3, q: DVec3) -> std::cmp::Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
}

/// A segment or point contributed by a triangle pair.
struct CurveSegment {
    meeting: u32,
    places: [[Place; 2]; 2],
    points: [DVec3; 2],
    /// Whether it runs along `normal_a x normal_b`.
    directed: bool,
    /// A side of the common polygon of two coplanar triangles.
    of_area: bool,
}

fn pieces_of(meeting: &Met, number: u32, a: &FeatureNames, b: &FeatureNames) -> Vec<CurveSegment> {
    let crossing = &meeting.crossing;
    let places = |on_a: Feature3, on_b: Feature3| {
        let [t, f] = meeting.triangles;
        [a.place(t, meeting.corners[0], on_a), b.place(f, meeting.corners[1], on_b)]
    };
    let turns = [a.turns[number as usize], b.turns[number as usize]];
    if let CrossingKind::Coplanar(polygon) = &crossing.kind
        && let corners = polygon.corners()
        && corners.len() > 2
    {
        // Where outer sides face each other, A is below the area and B above it along A's normal.
        let directed = turns[0] != turns[1];
        let backward = directed && turns[0] == Some(false);
        return (0..corners.len())
            .map(|i| {
                let (mut p, mut q) = (&corners[i], &corners[(i + 1) % corners.len()]);
                if backward {
                    std::mem::swap(&mut p, &mut q);
                }
                CurveSegment {
                    meeting: number,
                    places: [p, q].map(|corner| places(corner.on_a, corner.on_b)),
                    points: [p.point, q.point],
                    directed,
                    of_area: true,
                }
            })
            .collect();
    }
    let coplanar = matches!(crossing.kind, CrossingKind::Coplanar(_));
    vec![CurveSegment {
        meeting: number,
        places: [0, 1].map(|end| places(crossing.on_a[end], crossing.on_b[end])),
        points: crossing.ends,
        directed: !coplanar && turns.iter().all(Option::is_some),
        of_area: false,
    }]
}

/// A segment between two nodes.
#[derive(Clone, Copy)]
struct Segment {
    from: u32,
    to: u32,
    meeting: u32,
    directed: bool,
}

/// A segment passed in its own direction or against it.
#[derive(Clone, Copy)]
struct Step {
    segment: u32,
    forward: bool,
}

struct Traced {
    steps: Vec<Step>,
    closed: bool,
    /// At least one segment is directed, and all directed ones agree.
    directed: bool,
}

/// Segments and the places where they end.
struct Graph {
    points: Vec<DVec3>,
    segments: Vec<Segment>,
    used: Vec<bool>,
    /// The segments at each node, one list after the other.
    first_at: Vec<u32>,
    at: Vec<u32>,
    /// Touching points that no segment reaches: the node and a triangle pair.
    alone: Vec<(u32, u32)>,
    curves: Vec<Traced>,
    /// The number of steps to each node of the path being traced.
    steps_to: Vec<Option<u32>>,
}

impl Graph {
    fn new(pieces: &[CurveSegment], a: &FeatureNames, b: &FeatureNames) -> Graph {
        let mut nodes: Vec<[Place; 2]> = pieces.iter().flat_map(|piece| piece.places).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut parent: Vec<u32> = (0..nodes.len() as u32).collect();
        if !a.middles.is_empty() || !b.middles.is_empty() {
            for (number, node) in nodes.iter().enumerate() {
                for on_a in a.other_names(node[0]).chain([node[0]]) {
                    for on_b in b.other_names(node[1]).chain([node[1]]) {
                        if let Ok(other) = nodes.binary_search(&[on_a, on_b]) {
                            join(&mut parent, number as u32, other as u32);
                        }
                    }
                }
            }
        }
        let mut points = vec![None; nodes.len()];
        let mut ends = Vec::with_capacity(pieces.len());
        for piece in pieces {
            ends.push([0, 1].map(|end| {
                let node = nodes.binary_search(&piece.places[end]).map_or(0, |node| find(&mut parent, node as u32));
                points[node as usize].get_or_insert(piece.points[end]);
                node
            }));
        }
        let mut order: Vec<usize> = (0..pieces.len()).filter(|&i| ends[i][0] != ends[i][1]).collect();
        order.sort_by_key(|&i| (sorted(ends[i]), pieces[i].meeting));
        let mut reached = vec![false; nodes.len()];
        let mut segments = Vec::new();
        for same in order.chunk_by(|&i, &j| sorted(ends[i]) == sorted(ends[j])) {
            let [low, high] = sorted(ends[same[0]]);
            reached[low as usize] = true;
            reached[high as usize] = true;
            let sides = same.iter().filter(|&&i| pieces[i].of_area).count();
            if sides > 0 && sides % 2 == 0 {
                continue;
            }
            let counts = || same.iter().filter(|&&i| sides == 0 || pieces[i].of_area);
            let balance: i32 =
                counts().filter(|&&i| pieces[i].directed).map(|&i| if ends[i][0] == low { 1 } else { -1 }).sum();
            let (from, to) = if balance < 0 { (high, low) } else { (low, high) };
            let meeting = counts().next().map_or(0, |&i| pieces[i].meeting);
            segments.push(Segment { from, to, meeting, directed: balance != 0 });
        }
        segments.sort_by_key(|segment| segment.meeting);
        let mut alone: Vec<(u32, u32)> = (0..pieces.len())
            .filter(|&i| ends[i][0] == ends[i][1] && !reached[ends[i][0] as usize])
            .map(|i| (ends[i][0], pieces[i].meeting))
            .collect();
        alone.sort_unstable();
        alone.dedup_by_key(|entry| entry.0);

        let mut first_at = vec![0u32; nodes.len() + 1];
        for node in segments.iter().flat_map(|segment| [segment.from, segment.to]) {
            first_at[node as usize + 1] += 1;
        }
        for node in 0..nodes.len() {
            first_at[node + 1] += first_at[node];
        }
        let mut cursor = first_at.clone();
        let mut at = vec![0; 2 * segments.len()];
        for (number, segment) in segments.iter().enumerate() {
            for node in [segment.from, segment.to] {
                at[cursor[node as usize] as usize] = number as u32;
                cursor[node as usize] += 1;
            }
        }
        Graph {
            points: points.into_iter().map(Option::unwrap_or_default).collect(),
            used: vec![false; segments.len()],
            segments,
            first_at,
            at,
            alone,
            curves: Vec::new(),
            steps_to: vec![None; nodes.len()],
        }
    }

    fn start(&self, step: &Step) -> u32 {
        let segment = &self.segments[step.segment as usize];
        if step.forward { segment.from } else { segment.to }
    }

    fn end(&self, step: &Step) -> u32 {
        let segment = &self.segments[step.segment as usize];
        if step.forward { segment.to } else { segment.from }
    }

    /// The unused segments at a node.
    fn open_at(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let range = self.first_at[node as usize] as usize..self.first_at[node as usize + 1] as usize;
        self.at[range].iter().copied().filter(|&segment| !self.used[segment as usize])
    }

    /// Open curves first, from ends that segments leave; then loops, starting with directed segments.
    fn trace_all(&mut self) {
        let nodes = 0..self.points.len() as u32;
        let odd: Vec<u32> = nodes.filter(|&node| self.open_at(node).count() % 2 == 1).collect();
        let leaves = |graph: &Graph, node: u32| {
            let sense = |s: u32| {
                let segment = &graph.segments[s as usize];
                i32::from(segment.directed) * if segment.from == node { 1 } else { -1 }
            };
            graph.open_at(node).map(sense).sum::<i32>() > 0
        };
        for only_leaving in [true, false] {
            for &node in &odd {
                if self.open_at(node).count() % 2 == 1 && (!only_leaving || leaves(self, node)) {
                    self.trace(node);
                }
            }
        }
        for directed in [true, false] {
            for segment in 0..self.segments.len() {
                if !self.used[segment] && self.segments[segment].directed == directed {
                    self.trace(self.segments[segment].from);
                }
            }
        }
    }

    /// Follows segments from a node until none is left, extracting each loop as soon as it closes.
    fn trace(&mut self, start: u32) {
        let mut path: Vec<Step> = Vec::new();
        let mut node = start;
        self.steps_to[start as usize] = Some(0);
        while let Some(step) = self.next_step(node) {
            self.used[step.segment as usize] = true;
            path.push(step);
            node = self.end(&step);
            if let Some(before) = self.steps_to[node as usize] {
                let closed = path.split_off(before as usize);
                for passed in &closed {
                    let passed = self.end(passed);
                    self.steps_to[passed as usize] = None;
                }
                self.steps_to[node as usize] = Some(before);
                self.add(closed, true);
            } else {
                self.steps_to[node as usize] = Some(path.len() as u32);
            }
        }
        self.steps_to[start as usize] = None;
        for step in &path {
            let passed = self.end(step);
            self.steps_to[passed as usize] = None;
        }
        if !path.is_empty() {
            self.add(path, false);
        }
    }

    /// Along a segment that leaves the node if possible; against one only as a last resort.
    fn next_step(&self, node: u32) -> Option<Step> {
        let rank = |&s: &u32| {
            let segment = &self.segments[s as usize];
            if !segment.directed { 1 } else { 2 * u8::from(segment.from != node) }
        };
        let segment = self.open_at(node).min_by_key(rank)?;
        Some(Step { segment, forward: self.segments[segment as usize].from == node })
    }

    fn add(&mut self, mut steps: Vec<Step>, closed: bool) {
        let with = |forward: bool| {
            let counts = |step: &&Step| step.forward == forward && self.segments[step.segment as usize].directed;
            steps.iter().filter(counts).count()
        };
        let (along, against) = (with(true), with(false));
        if against > along {
            steps.reverse();
            steps.iter_mut().for_each(|step| step.forward = !step.forward);
        }
        if closed {
            let meeting = |step: &Step| self.segments[step.segment as usize].meeting;
            let lowest = (0..steps.len()).min_by_key(|&i| meeting(&steps[i])).unwrap_or(0);
            steps.rotate_left(lowest);
        }
        self.curves.push(Traced { steps, closed, directed: along.min(against) == 0 && along.max(against) > 0 });
    }
}

/// Half the sum of `p x q` over the sides of a loop, normalised; `None` if it is within rounding error of zero.
///
/// Relative to the first corner and in units of the largest coordinate `s`: a coordinate is off by `2u` of 1 and, as it
/// was rounded, by `2u |p| / s`; hence a product of two vectors no longer than √3 by `4 (2u + 2u |p| / s)` plus its own
/// rounding of `2u`, or `6u` for vectors of that length; the `n` sums by `n u` of all lengths together, at most `3n`.
fn area_normal(points: &[DVec3]) -> Option<DVec3> {
    let first = *points.first()?;
    let size = points.iter().fold(0.0, |most: f64, &p| most.max((p - first).abs().max_element()));
    let far = points.iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
    if size <= f64::MIN_POSITIVE {
        return None;
    }
    let relative = |i: usize| (points[i % points.len()] - first) / size;
    let area: DVec3 = (0..points.len()).map(|i| relative(i).cross(relative(i + 1))).sum();
    let count = points.len() as f64;
    let error = count * UNIT_ROUNDOFF * (14.0 + 8.0 * far / size + 3.0 * count);
    let length = area.length();
    (length > error).then(|| area / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::triangle_triangle::triangles_cross;
    use crate::math::predicates::orient3d;
    use clearance_oracle::random::Random;
    use std::collections::{BTreeMap, BTreeSet};

    type Model = (Vec<DVec3>, Vec<[u32; 3]>);

    fn cuboid(low: [f64; 3], high: [f64; 3]) -> Model {
        let corner = |i: usize| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] }));
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        ((0..8).map(corner).collect(), faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    /// The parallelogram of two triangles with the corner `p`.
    fn sheet(p: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Model {
        let [p, u, v] = [p, u, v].map(DVec3::from_array);
        (vec![p, p + u, p + u + v, p + v], vec![[0, 1, 2], [0, 2, 3]])
    }

    fn torus(large: f64, small: f64, around: u32, across: u32) -> Model {
        let angle = |i: u32, of: u32| f64::from(i) / f64::from(of) * std::f64::consts::TAU;
        let at = |i: u32, j: u32| (i % around) * across + j % across;
        let mut model = (Vec::new(), Vec::new());
        for i in 0..around {
            for j in 0..across {
                let (u, v) = (angle(i, around), angle(j, across));
                let radius = large + small * v.cos();
                let snapped = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x };
                model.0.push(DVec3::new(radius * u.cos(), radius * u.sin(), small * v.sin()).map(snapped));
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                model.1.extend([[a, b, c], [a, c, d]]);
            }
        }
        model
    }

    fn soup(model: &Model) -> Model {
        let points = model.1.iter().flatten().map(|&p| model.0[p as usize]).collect();
        (points, (0..model.1.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    fn meetings(a: &Model, b: &Model) -> Vec<Met> {
        let mut found = Vec::new();
        for (t, &corners_a) in a.1.iter().enumerate() {
            for (f, &corners_b) in b.1.iter().enumerate() {
                let p = corners_a.map(|i| a.0[i as usize]);
                let q = corners_b.map(|i| b.0[i as usize]);
                if let Some(crossing) = triangles_cross(&p, &q) {
                    found.push(Met { triangles: [t as u32, f as u32], corners: [corners_a, corners_b], crossing });
                }
            }
        }
        found
    }

    type Key = [[u64; 3]; 2];

    fn key(p: DVec3, q: DVec3) -> Key {
        let mut key = [p, q].map(|p| (p + DVec3::ZERO).to_array().map(f64::to_bits));
        key.sort_unstable();
        key
    }

    /// The expected segments by their rounded ends: sides of an odd number of common polygons, and all other segments.
    /// The latter are also returned separately.
    fn expected_segments(meetings: &[Met]) -> (BTreeSet<Key>, BTreeSet<Key>) {
        let (mut sides, mut segments) = (BTreeMap::<Key, usize>::new(), BTreeSet::new());
        for meeting in meetings {
            match &meeting.crossing.kind {
                CrossingKind::Coplanar(polygon) if polygon.corners().len() > 2 => {
                    let corners = polygon.corners();
                    for i in 0..corners.len() {
                        *sides.entry(key(corners[i].point, corners[(i + 1) % corners.len()].point)).or_default() += 1;
                    }
                }
                _ => {
                    let [p, q] = meeting.crossing.ends;
                    if p != q {
                        segments.insert(key(p, q));
                    }
                }
            }
        }
        segments.retain(|segment| !sides.contains_key(segment));
        let mut all = segments.clone();
        all.extend(sides.iter().filter(|(_, count)| *count % 2 == 1).map(|(side, _)| *side));
        (all, segments)
    }

    fn segments_of(curve: &ContactCurve) -> Vec<[DVec3; 2]> {
        let count = curve.points.len();
        (0..if curve.closed { count } else { count - 1 })
            .map(|i| [curve.points[i], curve.points[(i + 1) % count]])
            .collect()
    }

    /// The curves of two models, after the checks that apply to any two.
    fn curves(a: &Model, b: &Model) -> Vec<ContactCurve> {
        let met = meetings(a, b);
        let linked = |met: &[Met]| link(met, |p| a.0[p as usize], |p| b.0[p as usize]);
        let curves = linked(&met);
        let mut reversed = met.clone();
        reversed.reverse();
        assert_eq!(curves, linked(&reversed), "the order of the triangle pairs does not matter");
        for curve in &curves {
            let count = curve.points.len();
            assert_eq!(curve.pairs.len(), if curve.closed { count } else { (count - 1).max(1) }, "{curve:?}");
            assert!(!curve.closed || count > 2, "{curve:?}");
            assert!(curve.normal.is_none_or(|n| curve.closed && (n.length() - 1.0).abs() < 1e-15), "{curve:?}");
            let once: BTreeSet<_> = curve.points.iter().map(|p| p.to_array().map(f64::to_bits)).collect();
            assert_eq!(once.len(), count, "no point is passed twice: {curve:?}");
            for (pair, segment) in curve.pairs.iter().zip(segments_of(curve)) {
                let meeting = met.iter().find(|meeting| meeting.triangles == *pair).unwrap();
                let ends: Vec<DVec3> = match &meeting.crossing.kind {
                    CrossingKind::Coplanar(polygon) => polygon.corners().iter().map(|corner| corner.point).collect(),
                    CrossingKind::Segment => meeting.crossing.ends.to_vec(),
                };
                assert!(segment.iter().all(|end| ends.contains(end)), "{pair:?} {segment:?} {ends:?}");
            }
        }
        let linked: Vec<Key> = curves.iter().flat_map(segments_of).map(|[p, q]| key(p, q)).collect();
        let set: BTreeSet<Key> = linked.iter().copied().collect();
        assert_eq!(linked.len(), set.len(), "each segment appears once");
        assert_eq!(set, expected_segments(&met).0, "no segment missing, none spurious");
        curves
    }

    /// All closed, with a normal.
    fn loops(a: &Model, b: &Model) -> Vec<DVec3> {
        let found = curves(a, b);
        assert!(found.iter().all(|curve| curve.closed), "{found:#?}");
        let normals: Vec<DVec3> = found.iter().filter_map(|curve| curve.normal).collect();
        assert_eq!(normals.len(), found.len(), "{found:#?}");
        // Swapped, each loop runs the other way round.
        let mut swapped: Vec<DVec3> = curves(b, a).iter().filter_map(|curve| curve.normal).collect();
        for normal in &normals {
            let place = swapped.iter().position(|other| (*normal + *other).length() < 1e-12).unwrap();
            swapped.swap_remove(place);
        }
        normals
    }

    fn near(found: &[DVec3], expected: &[DVec3]) -> bool {
        found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| (*f - *e).length() < 1e-12)
    }

    #[test]
    fn boxes_overlapping_at_a_corner_give_one_loop() {
        let normals = loops(&cuboid([0.0; 3], [2.0; 3]), &cuboid([1.1, 1.2, 1.3], [3.0; 3]));
        assert_eq!(normals.len(), 1);
        assert!(normals[0].min_element() > 0.3, "{normals:?}");
    }

    #[test]
    fn a_bar_through_a_box_gives_two_loops() {
        let block = cuboid([-2.0; 3], [2.0; 3]);
        for bar in [
            cuboid([-0.5, -0.25, -4.0], [0.75, 1.0, 4.0]),
            // Bar edges through diagonals of the block's faces, and bar sides along face edges.
            cuboid([-1.0, -1.0, -4.0], [1.0, 1.0, 4.0]),
            // Corners and edges of the bar's triangles in the planes of the block.
            cuboid([-1.0, -1.0, -6.0], [1.0, 1.0, 2.5]),
        ] {
            assert!(near(&loops(&block, &bar), &[-DVec3::Z, DVec3::Z]), "{:?}", loops(&block, &bar));
            assert!(
                near(&loops(&bar, &block), &[DVec3::Z, -DVec3::Z])
                    || near(&loops(&bar, &block), &[-DVec3::Z, DVec3::Z])
            );
        }
    }

    #[test]
    fn a_ring_through_a_sheet_gives_two_loops() {
        let (ring, wall) = (torus(3.0, 1.0, 32, 16), sheet([-9.0, 0.013, -9.0], [0.0, 0.0, 18.0], [18.0, 0.0, 0.0]));
        // The wall's normal is +y, and A's edges pierce B.
        assert!(near(&loops(&ring, &wall), &[-DVec3::Y, -DVec3::Y]));
        // Through points and edges of the ring.
        let wall = sheet([-9.0, 0.0, -9.0], [0.0, 0.0, 18.0], [18.0, 0.0, 0.0]);
        assert!(near(&loops(&ring, &wall), &[-DVec3::Y, -DVec3::Y]));
        // Two rings linked like a chain without touching, and pushed into each other.
        let link: Model = (
            ring.0.iter().map(|p| DVec3::new(p.x + 3.0, p.z, p.y)).collect(),
            ring.1.iter().map(|&[a, b, c]| [a, c, b]).collect(),
        );
        assert!(curves(&ring, &link).is_empty());
        let pushed: Model = (link.0.iter().map(|p| *p + DVec3::new(1.7, 0.01, 0.02)).collect(), link.1.clone());
        assert_eq!(loops(&ring, &pushed).len(), 1);
    }

    #[test]
    fn curves_end_open_at_surface_boundaries() {
        let block = cuboid([0.0; 3], [2.0; 3]);
        let tongue = sheet([1.1, 0.3, 1.2], [5.0, 0.0, 0.1], [0.0, 1.0, 0.2]);
        let found = curves(&block, &tongue);
        assert_eq!(found.len(), 1);
        assert!(!found[0].closed && found[0].normal.is_none());
        assert!(found[0].points.iter().all(|p| p.x == 2.0));
        let ends = [found[0].points[0].y, found[0].points.last().unwrap().y];
        assert!(ends.contains(&0.3) && ends.contains(&1.3), "{found:?}");
    }

    #[test]
    fn touching_faces_edges_and_corners() {
        let below = cuboid([0.0; 3], [2.0; 3]);
        // Face on face: partly overlapping, equal, and one inside the other.
        for (low, high) in
            [([1.0, 1.0], [3.0, 3.0]), ([0.0, 0.0], [2.0, 2.0]), ([0.5, 0.5], [1.0, 1.5]), ([0.0, 0.0], [2.0, 1.0])]
        {
            let above = cuboid([low[0], low[1], 2.0], [high[0], high[1], 4.0]);
            assert!(near(&loops(&below, &above), &[DVec3::Z]), "{low:?}");
        }
        // Side by side at an edge only: a segment.
        let found = curves(&below, &cuboid([2.0, 0.5, 2.0], [3.0, 1.5, 3.0]));
        assert_eq!((found.len(), found[0].closed), (1, false));
        assert!(found[0].points.iter().all(|p| p.x == 2.0 && p.z == 2.0), "{found:?}");
        // A roof with its ridge on a face, over the face's diagonal.
        let ridge: Model = (
            vec![
                DVec3::new(0.25, 1.0, 2.0),
                DVec3::new(1.5, 1.0, 2.0),
                DVec3::new(1.0, 2.0, 3.0),
                DVec3::new(1.0, 0.0, 3.0),
            ],
            vec![[0, 1, 2], [1, 0, 3]],
        );
        let found = curves(&below, &ridge);
        assert_eq!((found.len(), found[0].closed, found[0].points.len()), (1, false, 3), "{found:?}");
        // A corner on a corner, an edge, a face, and the diagonal of a face.
        for tip in [[2.0, 2.0, 2.0], [2.0, 2.0, 1.0], [0.5, 1.5, 2.0], [1.0, 1.0, 2.0]] {
            let tip = DVec3::from_array(tip);
            let spike: Model = (
                vec![
                    tip,
                    tip + DVec3::new(0.5, 0.5, 3.0),
                    tip + DVec3::new(1.0, 0.5, 3.0),
                    tip + DVec3::new(0.5, 1.0, 3.0),
                ],
                vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
            );
            let found = curves(&below, &spike);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((&found[0].points[..], found[0].closed), (&[tip][..], false));
        }
    }

    #[test]
    fn triangle_soup_gives_the_same_curves() {
        let (a, b) = (torus(3.0, 1.0, 12, 8), cuboid([0.1, 0.2, -3.0], [7.0, 1.3, 3.0]));
        let known = curves(&a, &b);
        assert!(known.len() == 2 && known.iter().all(|curve| curve.closed));
        for (a, b) in [(soup(&a), b.clone()), (a.clone(), soup(&b)), (soup(&a), soup(&b))] {
            assert_eq!(curves(&a, &b), known);
        }
    }

    #[test]
    fn zero_area_triangles_join_edges() {
        // A T-junction at the origin, closed by a zero-area triangle.
        let p = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0]]
            .map(DVec3::from_array);
        let patched: Model = (p.to_vec(), vec![[0, 1, 3], [0, 4, 2], [2, 4, 1], [0, 2, 1]]);
        for x in [0.5, -0.75, 0.0] {
            // The wall whole, and with another zero-area triangle along its diagonal.
            for middle in [0.25, 0.0, -0.5] {
                let q = [[x, -1.0, -1.0], [x, 1.0, -1.0], [x, 1.0, 1.0], [x, -1.0, 1.0], [x, middle, middle]];
                for triangles in [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 1, 2], [0, 2, 4], [0, 4, 3], [4, 2, 3]]] {
                    let wall: Model = (q.map(DVec3::from_array).to_vec(), triangles);
                    for (a, b) in [(&patched, &wall), (&wall, &patched)] {
                        let found = curves(a, b);
                        assert_eq!((found.len(), found[0].closed), (1, false), "x = {x}: {found:#?}");
                        let ends = [found[0].points[0].y, found[0].points.last().unwrap().y];
                        assert!(ends.contains(&-1.0) && ends.contains(&1.0), "{found:?}");
                    }
                }
            }
        }
    }

    /// Two boxes flush on top: the outline of the common area and the curves below it meet at ends of three segments.
    #[test]
    fn flush_faces_of_overlapping_boxes() {
        let found = curves(&cuboid([0.0; 3], [2.0; 3]), &cuboid([1.0, 1.0, 0.5], [3.0, 3.0, 2.0]));
        let rises: f64 = found.iter().flat_map(segments_of).map(|[p, q]| (q - p).z.abs()).sum();
        assert_eq!(rises, 3.0, "two sides of A cross two of B from z = 0.5 to 2, {found:#?}");
        let open = found.iter().filter(|curve| !curve.closed).count();
        assert!(open >= 1 && found.iter().any(|curve| curve.closed), "{found:#?}");
    }

    /// In general position every curve of closed surfaces is closed and has a normal.
    #[test]
    fn random_tetrahedra() {
        let mut random = Random::new(5);
        let mut found = 0;
        for round in 0..400 {
            let mut tetrahedron = |size: f64| -> Model {
                let mut p: Vec<DVec3> = (0..4).map(|_| DVec3::from_array(random.in_cube(size))).collect();
                if (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) < 0.0 {
                    p.swap(2, 3);
                }
                (p, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
            };
            let (mut a, mut b) = (tetrahedron(1.0), tetrahedron([1.0, 0.3][round % 2]));
            let scale = [1.0, 2f64.powi(-60), 2f64.powi(60)][round % 3];
            let far = DVec3::new(1e6, 0.0, -1e5) * f64::from(u8::from(round % 5 == 0));
            for p in a.0.iter_mut().chain(&mut b.0) {
                *p = (*p + far) * scale;
            }
            found += loops(&a, &b).len();
        }
        assert!(found > 200, "{found}");
    }

    /// On a grid every kind of coincidence occurs. [`curves`] checks that nothing is lost.
    #[test]
    fn random_surfaces_on_a_grid() {
        let mut random = Random::new(6);
        let (mut closed, mut open) = (0, 0);
        for round in 0..400 {
            let reach = 1 + (round % 3) as i64;
            let mut tetrahedron = || -> Model {
                let p =
                    (0..4).map(|_| DVec3::from_array([(); 3].map(|()| random.integer(-reach, reach) as f64))).collect();
                (p, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
            };
            let (a, b) = (tetrahedron(), tetrahedron());
            let corners = |m: &Model, t: &[u32; 3]| t.map(|p| m.0[p as usize]);
            let has_line = |m: &Model| m.1.iter().map(|t| corners(m, t)).any(|[p, q, r]| collinear(p, q, r));
            let is_flat = |m: &Model| orient3d(m.0[0], m.0[1], m.0[2], m.0[3]).is_zero();
            if is_flat(&a) || is_flat(&b) {
                // Coincident faces: a segment is found on each of them.
                let met = meetings(&a, &b);
                let found = link(&met, |p| a.0[p as usize], |p| b.0[p as usize]);
                let linked: BTreeSet<Key> = found.iter().flat_map(segments_of).map(|[p, q]| key(p, q)).collect();
                // Where collinear edges are treated as one, rounded points may differ.
                assert!(has_line(&a) || has_line(&b) || expected_segments(&met).1.is_subset(&linked));
                continue;
            }
            for curve in curves(&a, &b) {
                if curve.closed { closed += 1 } else { open += 1 }
            }
        }
        assert!(closed > 50 && open > 20, "{closed} {open}");
    }
}
