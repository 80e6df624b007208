//! Curves along which two surfaces meet, linked from the segments of pairs of triangles.
//!
//! The ends of segments are matched by what they are, not by where rounding puts them. The exact kernel says on which feature
//! of either triangle an end lies: named by the points of the meshes (corner, edge by its two corners, face), the pair of
//! names is the same for all triangles that meet there. Where an edge of one mesh goes through a face of the other, the
//! segments of the two triangles at the edge end, so a curve goes on until it closes or reaches the rim of a surface.
//! Points are taken for one if their coordinates are equal, so triangles need not share numbers of points.
//!
//! What is not in general position:
//! - An edge that lies in the other surface is found with each triangle at it: segments with the same two ends count once.
//! - Triangles in one plane have a polygon in common. Of all polygons together the outline is kept: their sides modulo two.
//!   A segment that is a side of a polygon adds nothing.
//! - A triangle without area joins its long edge to its two short ones. All three are taken for one edge, and its middle corner
//!   for a point of it: on one line, whatever crosses it does so in one point.
//! - Where more than two segments end, curves are taken apart into loops that pass through no place twice.
//!   What is left at ends of an odd number is open.
//!
//! Segments run along `normal_a x normal_b`. Around two bodies that dent each other, the loop then runs counter-clockwise as
//! seen from B; around what pierces a sheet A it does so about A's normal, and the other way round about B's if the sheet
//! is B. So the vector of the enclosed area points from A towards B throughout.

use glam::DVec3;

use super::same_points::lowest_of_equal;
use crate::geom::topology::{find, join};
use crate::geom::triangle_triangle::{Crossing, CrossingKind, Feature3};
use crate::math::predicates::{collinear, normal_axis};
use crate::math::tolerances::UNIT_ROUNDOFF;

/// A curve along which two meshes meet: where the surfaces cross, the outline of an area where they lie on each other, or a
/// place where they only touch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactCurve {
    /// The corners in order, in the frame of A; rounded. A single one where the surfaces touch in a point. Where the winding of
    /// the triangles allows it, the curve runs along `normal_a x normal_b`.
    pub points: Vec<DVec3>,
    /// Whether the last corner is joined to the first.
    pub closed: bool,
    /// For each segment a pair of triangles, of A and of B, that meet there, in the caller's numbering: entry `i` is for the
    /// segment that starts at corner `i`. For a single corner one pair.
    pub pairs: Vec<[u32; 2]>,
    /// Unit, from A towards B, in the frame of A: the area-weighted normal of a closed curve. `None` if it is open, encloses no
    /// area, or the triangles along it are not wound consistently.
    pub normal: Option<DVec3>,
}

/// Two triangles that have something in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// The caller's numbers of the triangles, of A and of B.
    pub triangles: [u32; 2],
    /// The numbers of their points.
    pub corners: [[u32; 3]; 2],
    /// By [`triangles_cross`](crate::geom::triangle_triangle::triangles_cross), of the triangle of A and that of B.
    pub crossing: Crossing,
}

/// The curves that all meetings of two meshes make up, ordered by their lowest pair of triangles. `at_a` and `at_b` give the
/// points by number, as they were when crossings were found; `origin` is added to all points returned.
pub(crate) fn contact_curves(
    meetings: &[Meeting],
    at_a: impl Fn(u32) -> DVec3,
    at_b: impl Fn(u32) -> DVec3,
    origin: DVec3,
) -> Vec<ContactCurve> {
    let mut meetings: Vec<&Meeting> = meetings.iter().collect();
    meetings.sort_unstable_by_key(|meeting| meeting.triangles);
    let (a, b) = (Side::new(&meetings, 0, at_a), Side::new(&meetings, 1, at_b));
    let pieces: Vec<Piece> =
        meetings.iter().zip(0..).flat_map(|(meeting, number)| pieces_of(meeting, number, &a, &b)).collect();
    let mut graph = Graph::new(&pieces, &a, &b);
    graph.trace_all();
    let mut curves: Vec<ContactCurve> = graph
        .curves
        .iter()
        .map(|curve| {
            let mut points: Vec<DVec3> = curve.steps.iter().map(|step| graph.points[graph.start(step) as usize]).collect();
            if !curve.closed {
                points.extend(curve.steps.last().map(|step| graph.points[graph.end(step) as usize]));
            }
            let normal = if curve.closed && curve.directed { area_normal(&points) } else { None };
            let pair = |step: &Step| meetings[graph.segments[step.segment as usize].meeting as usize].triangles;
            ContactCurve {
                points: points.into_iter().map(|p| p + origin).collect(),
                closed: curve.closed,
                pairs: curve.steps.iter().map(pair).collect(),
                normal,
            }
        })
        .collect();
    curves.extend(graph.alone.iter().map(|&(node, meeting)| ContactCurve {
        points: vec![graph.points[node as usize] + origin],
        closed: false,
        pairs: vec![meetings[meeting as usize].triangles],
        normal: None,
    }));
    curves.sort_by_key(|curve| curve.pairs.iter().min().copied());
    curves
}

/// A feature of a mesh by the lowest numbers of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Vertex(u32),
    Edge([u32; 2]),
    Face(u32),
}

/// The names of one mesh's features.
struct Side {
    /// Points in use, ascending, and for each the lowest with its coordinates.
    numbers: Vec<u32>,
    lowest: Vec<u32>,
    /// Edges of triangles without area, sorted, and for each the one that stands for all on its line.
    in_line: Vec<([u32; 2], [u32; 2])>,
    /// Middle corners of triangles without area, and an edge they lie on; sorted.
    middles: Vec<(u32, [u32; 2])>,
    /// For each meeting, how its triangle is wound: `None` if it has no area, else the sign of the first component of its normal
    /// that is not zero, z before y before x.
    turns: Vec<Option<bool>>,
}

impl Side {
    fn new(meetings: &[&Meeting], side: usize, at: impl Fn(u32) -> DVec3) -> Side {
        let mut numbers: Vec<u32> = meetings.iter().flat_map(|meeting| meeting.corners[side]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lowest = lowest_of_equal(&numbers, &at);
        let mut names = Side { numbers, lowest, in_line: Vec::new(), middles: Vec::new(), turns: Vec::new() };
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

    /// The other names of what a place is: edges that a middle corner lies on.
    fn other_names(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let vertex = if let Place::Vertex(vertex) = place { Some(vertex) } else { None };
        let first = vertex.map_or(self.middles.len(), |vertex| self.middles.partition_point(|entry| entry.0 < vertex));
        self.middles[first..].iter().take_while(move |entry| Some(entry.0) == vertex).map(|entry| Place::Edge(entry.1))
    }
}

fn sorted([p, q]: [u32; 2]) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

/// By x, then y, then z: along a line, the order of its points.
fn compare(p: DVec3, q: DVec3) -> std::cmp::Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
}

/// A segment or a point that a meeting adds.
struct Piece {
    meeting: u32,
    places: [[Place; 2]; 2],
    points: [DVec3; 2],
    /// Whether it runs along `normal_a x normal_b`.
    directed: bool,
    /// A side of the common polygon of two coplanar triangles.
    of_area: bool,
}

fn pieces_of(meeting: &Meeting, number: u32, a: &Side, b: &Side) -> Vec<Piece> {
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
        // Where the sides that face each other are outer ones, A is below the area and B above it, as seen along A's normal.
        let directed = turns[0] != turns[1];
        let backward = directed && turns[0] == Some(false);
        return (0..corners.len())
            .map(|i| {
                let (mut p, mut q) = (&corners[i], &corners[(i + 1) % corners.len()]);
                if backward {
                    std::mem::swap(&mut p, &mut q);
                }
                Piece {
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
    vec![Piece {
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
    /// All segments that have a direction agree on it, and there are such.
    directed: bool,
}

/// The places where segments end, and the segments.
struct Graph {
    points: Vec<DVec3>,
    segments: Vec<Segment>,
    used: Vec<bool>,
    /// The segments at each node, one list after the other.
    first_at: Vec<u32>,
    at: Vec<u32>,
    /// Touching points that no segment reaches: the node and a meeting.
    alone: Vec<(u32, u32)>,
    curves: Vec<Traced>,
    /// How many steps lead to a node on the path that is being traced.
    steps_to: Vec<Option<u32>>,
}

impl Graph {
    fn new(pieces: &[Piece], a: &Side, b: &Side) -> Graph {
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
            let balance: i32 = counts()
                .filter(|&&i| pieces[i].directed)
                .map(|&i| if ends[i][0] == low { 1 } else { -1 })
                .sum();
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

    /// The segments at a node that are not used yet.
    fn open_at(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let range = self.first_at[node as usize] as usize..self.first_at[node as usize + 1] as usize;
        self.at[range].iter().copied().filter(|&segment| !self.used[segment as usize])
    }

    /// Open curves first, from the ends that segments leave; then loops, from those that have a direction.
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

    /// Follows segments from a node until none is left, and takes out each loop as soon as it closes.
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

    /// In the direction of a segment if there is one that leaves; against one only if there is nothing else.
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

/// Half the sum of `p x q` over the sides of a loop, normalised; `None` if that is no more than rounding.
///
/// About the first corner and in units of the largest coordinate `s`: a coordinate is off by `2u` of 1 and, as it was
/// rounded, by `2u |p| / s`; so a product of two vectors no longer than √3 by `4 (2u + 2u |p| / s)` and its own rounding of
/// `2u`, or `6u` for vectors of that length; the `n` sums by `n u` of all lengths together, at most `3n`.
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
