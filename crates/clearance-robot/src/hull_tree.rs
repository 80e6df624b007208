//! Mesh queries through convex hulls: whether meshes are apart, and how far.
//!
//! A hull contains its mesh, so hulls that are apart prove that the meshes are, and the distance of the hulls is a
//! lower bound. It is the distance itself if both closest points of the hulls lie on the meshes, and they mostly do:
//! what comes nearest to another body sticks out. This is decided by the distance of each point from the surface of its
//! own mesh, which also bounds the answer from above: `hull <= meshes <= hull + off_a + off_b`. A pair of hulls costs a
//! few steps of GJK, where two finely tessellated round parts have thousands of nearly closest triangle pairs.
//!
//! A closest point off its mesh lies over a concavity. Then the mesh is split in two, each half with its own hull, and
//! the closest remaining pair of hulls is examined next: a best-first traversal of two trees of hulls. This is the
//! hierarchy of convex pieces of Ehmann and Lin, *Accurate and Fast Proximity Queries between Polyhedra Using Convex
//! Surface Decomposition* (2001), except for how pieces are formed: here they need not be convex, since the test above
//! detects where they are not, and are split by planes until they are small; for the smallest, the triangles are
//! tested. Meshes that meet go to the engine's own traversal.
//!
//! Bodies other than meshes are convex already and serve as their own hulls.

use std::cmp::Ordering;

use clearance::answer::{ClosestPoint, Distance, Method, Stopped, WitnessPoint};
use clearance::glam::DVec3;
use clearance::query::{DistanceOptions, IntersectsOptions, distance_with, intersects_with};
use clearance::shape::Feature;
use clearance::{Bracket, Mesh, PairCache, Pose, Shape, Workspace, closest_point, contains};

use crate::inner_balls::InnerBalls;

/// The bracket width that the engine promises, relative to the sizes of the bodies and the distance.
const ACCURACY: f64 = 1e-12;

/// Depth of a tree: up to 1024 pieces, whose triangles are then tested. Traversals over the triangles of pieces cost
/// most, so pieces are small; deeper trees gain little and take longer to build (docs/robot.md has the figures).
const DEPTH: usize = 10;

/// A piece of fewer than twice this many triangles is not split.
const PIECE: usize = 8;

/// The most pairs of hulls split for one answer before the triangles are tested.
const SPLITS: usize = 100;

/// The most pairs of hulls tested to show that two meshes are apart whose own hulls meet, before the triangles are
/// tested.
const TESTS: usize = 32;

/// A mesh in pieces, each with its hull.
#[derive(Clone, Debug)]
pub(crate) struct HullTree {
    /// The root first.
    nodes: Vec<Node>,
    /// The mesh as a surface, without interior.
    surface: Shape,
    points: Vec<DVec3>,
    /// For each vertex, a triangle that contains it.
    triangle_at: Vec<u32>,
    /// The edges of all triangles by their ends, with their feature numbers; sorted.
    edges: Vec<([u32; 2], u32)>,
    /// Whether the mesh is a solid, and a vertex of each connected component: the farthest from the centre.
    is_solid: bool,
    of_parts: Vec<DVec3>,
    /// The bounding box of all vertices.
    bounds: (DVec3, DVec3),
    /// `None` until the tree is built.
    inner: Option<InnerBalls>,
}

#[derive(Clone, Debug)]
struct Node {
    hull: Shape,
    /// Its size: half the diagonal of its box.
    size: f64,
    children: Option<[usize; 2]>,
    /// The vertices that the hull was built from, as numbered in the mesh.
    points: Vec<u32>,
    /// The triangles of a leaf.
    piece: Option<Shape>,
}

impl HullTree {
    /// `None` for meshes without a hull: a single point.
    pub fn new(mesh: &Mesh) -> Option<HullTree> {
        let points: Vec<DVec3> = mesh.points().collect();
        let triangles = mesh.triangles();
        let plain: Vec<[f64; 3]> = points.iter().map(|point| point.to_array()).collect();
        let surface = Shape::mesh(&plain, &triangles).ok()?;
        let mut triangle_at = vec![0; points.len()];
        for (number, triangle) in triangles.iter().enumerate().rev() {
            triangle.iter().for_each(|&point| triangle_at[point as usize] = number as u32);
        }
        let named = |(number, triangle): (usize, &[u32; 3])| {
            let [a, b, c] = *triangle;
            let number = 3 * number as u32;
            [([a, b], number), ([b, c], number + 1), ([c, a], number + 2)]
                .map(|([p, q], name)| ([p.min(q), p.max(q)], name))
        };
        let mut edges: Vec<([u32; 2], u32)> = triangles.iter().enumerate().flat_map(named).collect();
        edges.sort_unstable();
        edges.dedup_by_key(|(ends, _)| *ends);
        let bounds = boxed(points.iter().copied());
        let of_parts = of_parts(&points, &triangles, 0.5 * (bounds.0 + bounds.1));
        let is_solid = mesh.is_solid();
        let mut tree = HullTree {
            nodes: Vec::new(),
            surface,
            points: points.clone(),
            triangle_at,
            edges,
            is_solid,
            of_parts,
            bounds,
            inner: None,
        };
        let all: Vec<u32> = (0..triangles.len() as u32).collect();
        tree.grow(&points, &triangles, all, DEPTH)?;
        tree.inner = Some(InnerBalls::new(mesh, bounds, &tree.outermost()));
        Some(tree)
    }

    /// The vertices of the hull of the whole mesh, in order.
    fn outermost(&self) -> Vec<DVec3> {
        let Node { hull: Shape::Hull(hull), points, .. } = &self.nodes[0] else { return Vec::new() };
        let mut corners: Vec<u32> =
            hull.edges().iter().flatten().map(|&vertex| hull.input_index(vertex as usize)).collect();
        corners.sort_unstable();
        corners.dedup();
        let point = |&corner: &u32| points.get(corner as usize).map(|&point| self.points[point as usize]);
        corners.iter().filter_map(point).collect()
    }

    /// Adds the node of some triangles and its subtree; returns its index. `None` if there is no hull.
    fn grow(&mut self, points: &[DVec3], triangles: &[[u32; 3]], which: Vec<u32>, depth: usize) -> Option<usize> {
        let number = self.nodes.len();
        let (used, points_of, triangles_of) = alone(points, triangles, &which);
        let hull = Shape::hull(&points_of).or_else(|_| Shape::flat_hull(&points_of)).ok()?;
        let (low, high) = boxed(points_of.iter().map(|&point| DVec3::from_array(point)));
        let size = 0.5 * (high - low).length();
        self.nodes.push(Node { hull, size, children: None, points: used, piece: None });
        let is_small = depth == 0 || which.len() < 2 * PIECE;
        match if is_small { None } else { cut(points, triangles, which) } {
            Some([low, high]) => {
                let low = self.grow(points, triangles, low, depth - 1)?;
                let high = self.grow(points, triangles, high, depth - 1)?;
                self.nodes[number].children = Some([low, high]);
            }
            None => self.nodes[number].piece = Some(Shape::mesh(&points_of, &triangles_of).ok()?),
        }
        Some(number)
    }
}

/// Some triangles with only their own vertices, and which vertices those are.
fn alone(points: &[DVec3], triangles: &[[u32; 3]], which: &[u32]) -> (Vec<u32>, Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut used: Vec<u32> = which.iter().flat_map(|&triangle| triangles[triangle as usize]).collect();
    used.sort_unstable();
    used.dedup();
    let place = |point: u32| used.partition_point(|&other| other < point) as u32;
    let renamed = which.iter().map(|&triangle| triangles[triangle as usize].map(place)).collect();
    let places = used.iter().map(|&point| points[point as usize].to_array()).collect();
    (used, places, renamed)
}

/// The bounding box of points, as its lowest and highest corner.
fn boxed(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)))
}

/// For each connected component of the triangles, its vertex farthest from a point.
fn of_parts(points: &[DVec3], triangles: &[[u32; 3]], from: DVec3) -> Vec<DVec3> {
    let mut above: Vec<u32> = (0..points.len() as u32).collect();
    fn root(above: &mut [u32], mut point: u32) -> u32 {
        while above[point as usize] != point {
            above[point as usize] = above[above[point as usize] as usize];
            point = above[point as usize];
        }
        point
    }
    for &[a, b, c] in triangles {
        for other in [b, c] {
            let (one, other) = (root(&mut above, a), root(&mut above, other));
            above[one.max(other) as usize] = one.min(other);
        }
    }
    let mut farthest: Vec<Option<DVec3>> = vec![None; points.len()];
    for &point in triangles.iter().flatten() {
        let place = points[point as usize];
        let known = &mut farthest[root(&mut above, point) as usize];
        if known.is_none_or(|known| known.distance_squared(from) < place.distance_squared(from)) {
            *known = Some(place);
        }
    }
    farthest.into_iter().flatten().collect()
}

/// Splits triangles in two, by the side of a plane that their centroids are on: of three planes across each axis, the
/// one that leaves the smallest boxes.
fn cut(points: &[DVec3], triangles: &[[u32; 3]], which: Vec<u32>) -> Option<[Vec<u32>; 2]> {
    let corners = |triangle: u32| triangles[triangle as usize].map(|point| points[point as usize]);
    let centroid = |triangle: u32| {
        let [a, b, c] = corners(triangle);
        (a + b + c) / 3.0
    };
    let (low, high) = boxed(which.iter().map(|&triangle| centroid(triangle)));
    let mut best: Option<(f64, usize, f64)> = None;
    for axis in 0..3 {
        for part in [0.25, 0.5, 0.75] {
            let at = low[axis] + part * (high[axis] - low[axis]);
            let volume = [true, false].map(|below| {
                let side = which.iter().filter(|&&triangle| (centroid(triangle)[axis] < at) == below);
                let (low, high) = boxed(side.flat_map(|&triangle| corners(triangle)));
                // Part of the surface area too, for flat boxes.
                let size = high - low;
                let extent = size.max_element();
                size.x * size.y * size.z + 1e-3 * extent * extent * extent
            });
            let whole = volume[0] + volume[1];
            if whole.is_finite() && best.is_none_or(|(least, ..)| whole < least) {
                best = Some((whole, axis, at));
            }
        }
    }
    let (_, axis, at) = best?;
    let (low, high): (Vec<u32>, Vec<u32>) = which.into_iter().partition(|&triangle| centroid(triangle)[axis] < at);
    (!low.is_empty() && !high.is_empty()).then_some([low, high])
}

/// A body at its pose.
#[derive(Clone, Copy)]
pub(crate) struct PosedHulls<'b> {
    pub shape: &'b Shape,
    pub tree: Option<&'b HullTree>,
    pub pose: &'b Pose,
    /// Of its bounding sphere.
    pub radius: f64,
}

impl<'b> PosedHulls<'b> {
    fn hull(&self, node: usize) -> &'b Shape {
        self.tree.map_or(self.shape, |tree| &tree.nodes[node].hull)
    }

    fn inner(&self) -> Option<&'b InnerBalls> {
        self.tree.and_then(|tree| tree.inner.as_ref())
    }

    fn children(&self, node: usize) -> Option<[usize; 2]> {
        self.tree.and_then(|tree| tree.nodes[node].children)
    }

    fn piece(&self, node: usize) -> &'b Shape {
        let piece = self.tree.and_then(|tree| tree.nodes[node].piece.as_ref());
        piece.unwrap_or(self.shape)
    }

    /// The surface point closest to a point of a node's hull; `None` for bodies that are their own hulls.
    fn on_surface(&self, node: usize, point: DVec3, feature: Feature, exact: bool) -> Option<ClosestPoint> {
        let tree = self.tree?;
        if let Some(known) = tree.known(node, point, feature).filter(|_| !exact) {
            return Some(known);
        }
        let mut nearest = closest_point(&tree.surface, &Pose::IDENTITY, point);
        // Answers for two meshes also name a triangle.
        nearest.witness.part = match nearest.witness.feature {
            Feature::Vertex(point) => tree.triangle_at[point as usize],
            Feature::Edge(edge) => edge / 3,
            Feature::Face(triangle) => triangle,
            Feature::Interior => 0,
        };
        Some(nearest)
    }
}

impl HullTree {
    /// Vertices of a hull are vertices of the mesh, and most of its edges are mesh edges: these need no search.
    fn known(&self, node: usize, point: DVec3, feature: Feature) -> Option<ClosestPoint> {
        let Node { hull, points, .. } = &self.nodes[node];
        let (place, feature, part) = match (feature, hull) {
            (Feature::Vertex(vertex), _) => {
                let vertex = *points.get(vertex as usize)?;
                (self.points[vertex as usize], Feature::Vertex(vertex), self.triangle_at[vertex as usize])
            }
            (Feature::Edge(edge), Shape::Hull(hull)) => {
                let [p, q] = hull.edges().get(edge as usize)?.map(|vertex| hull.input_index(vertex as usize) as usize);
                let (p, q) = (*points.get(p)?, *points.get(q)?);
                let ends = [p.min(q), p.max(q)];
                let found = self.edges.binary_search_by_key(&ends, |(ends, _)| *ends).ok()?;
                let name = self.edges[found].1;
                let [p, q] = ends.map(|end| self.points[end as usize]);
                let along = (point - p).dot(q - p) / (q - p).length_squared();
                (p.lerp(q, along.clamp(0.0, 1.0)), Feature::Edge(name), name / 3)
            }
            _ => return None,
        };
        let distance = place.distance(point);
        // Rounding of the point on an edge and of the difference.
        let upper = distance + 8.0 * f64::EPSILON * place.abs().max_element();
        let is_near = upper.is_finite();
        is_near.then_some(ClosestPoint {
            distance: Bracket { value: distance, lower: 0.0, upper },
            witness: WitnessPoint { point: place, feature, part },
        })
    }
}

/// True if the hulls of two bodies are farther apart than a margin. False is inconclusive.
pub(crate) fn hulls_are_apart(
    a: &PosedHulls,
    b: &PosedHulls,
    margin: f64,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
    !intersects_with(a.hull(0), a.pose, b.hull(0), b.pose, &options, cache, workspace)
}

/// True if inner spheres show that two meshes meet. False is inconclusive.
pub(crate) fn inner_balls_meet(a: &PosedHulls, b: &PosedHulls) -> bool {
    match (a.inner(), b.inner()) {
        (Some(of_a), Some(of_b)) => of_a.meet(a.pose, of_b, b.pose),
        _ => false,
    }
}

/// True if the hulls of their pieces show that two meshes, whose own hulls meet, are farther apart than a margin, and
/// neither is inside the other. False is inconclusive. The margin is larger than any rounding.
///
/// The larger of two hulls that meet is split, depth first, until no pair is left or the limit is reached.
pub(crate) fn pieces_are_apart(
    a: &PosedHulls,
    b: &PosedHulls,
    margin: f64,
    stack: &mut Vec<[usize; 2]>,
    workspace: &mut Workspace,
) -> bool {
    let (Some(tree_a), Some(tree_b)) = (a.tree, b.tree) else { return false };
    let options = IntersectsOptions { margin, ..IntersectsOptions::default() };
    stack.clear();
    stack.push([0, 0]);
    let mut tests = 0;
    while let Some([node_a, node_b]) = stack.pop() {
        // They meet: the larger that has children is opened.
        let (of_a, of_b) = (&tree_a.nodes[node_a], &tree_b.nodes[node_b]);
        let (children_a, children_b) = (of_a.children, of_b.children);
        let pairs = match (children_a, children_b) {
            (Some([p, q]), None) => [[p, node_b], [q, node_b]],
            (Some([p, q]), Some(_)) if of_a.size >= of_b.size => [[p, node_b], [q, node_b]],
            (_, Some([p, q])) => [[node_a, p], [node_a, q]],
            (None, None) => return false,
        };
        for [node_a, node_b] in pairs {
            if tests == TESTS {
                return false;
            }
            tests += 1;
            let cache = &mut PairCache::default();
            if intersects_with(a.hull(node_a), a.pose, b.hull(node_b), b.pose, &options, cache, workspace) {
                stack.push([node_a, node_b]);
            }
        }
    }
    !holds(a, tree_a, b, tree_b) && !holds(b, tree_b, a, tree_a)
}

/// Whether some component of the second of two meshes, whose surfaces are apart, lies inside the first.
fn holds(a: &PosedHulls, tree_a: &HullTree, b: &PosedHulls, tree_b: &HullTree) -> bool {
    if !tree_a.is_solid {
        return false;
    }
    // The surfaces are apart, so any point decides for its whole component.
    let (low, high) = tree_a.bounds;
    let slack = DVec3::splat(1e-9 * (a.radius + b.radius));
    let transpose = a.pose.rotation().transpose();
    tree_b.of_parts.iter().any(|&point| {
        let point = b.pose.transform_point(point);
        // Rigidity defects, at most a millionth, are far below the slack of the box.
        let inside = transpose * (point - a.pose.translation());
        let loose = slack + DVec3::splat(1e-5 * inside.abs().max_element());
        let outside = (low - loose).cmpgt(inside).any() || inside.cmpgt(high + loose).any();
        !outside && contains(a.shape, a.pose, point)
    })
}

/// Two pieces and a lower bound on their distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Of their hulls or, if `exact`, of the pieces themselves.
    distance: Distance,
    nodes: [usize; 2],
    exact: bool,
}

impl Waiting {
    /// The closest first, then the one with the lowest indices.
    fn order(&self, other: &Waiting) -> Ordering {
        self.distance.gap.lower.total_cmp(&other.distance.gap.lower).then(self.nodes.cmp(&other.nodes))
    }
}

/// The distance of two bodies from that of their hulls. `None` if it remains undecided, as for bodies that meet; and
/// for two convex bodies, where there is nothing to gain.
pub(crate) fn distance_by_hulls(
    a: &PosedHulls,
    b: &PosedHulls,
    options: &DistanceOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
    waiting: &mut Vec<Waiting>,
) -> Option<Distance> {
    if a.tree.is_none() && b.tree.is_none() {
        return None;
    }
    waiting.clear();
    let distance = distance_with(a.hull(0), a.pose, b.hull(0), b.pose, options, cache, workspace);
    // For hulls that meet, testing whether the bodies do is cheaper than splitting them in vain.
    if distance.gap.lower <= 0.0 && meet(a, b, workspace) {
        return None;
    }
    let mut next = Waiting { distance, nodes: [0, 0], exact: false };
    // An upper bound from known surface points: pieces farther apart are pruned.
    let mut known = f64::INFINITY;
    for _ in 0..SPLITS {
        let Waiting { distance, nodes, exact } = next;
        let mut off = [true, true];
        if distance.gap.lower > 0.0 {
            let scale = a.radius + b.radius + distance.gap.lower;
            let on_a = a.on_surface(nodes[0], distance.witness.a.point, distance.witness.a.feature, exact);
            let on_b = b.on_surface(nodes[1], distance.witness.b.point, distance.witness.b.feature, exact);
            off = [&on_a, &on_b].map(|on| on.is_some_and(|on| on.distance.upper > 0.25 * ACCURACY * scale));
            let enough = options.farther_than.is_some_and(|enough| distance.gap.lower > enough);
            if enough || exact || off == [false, false] {
                let answer = answer(a, b, distance, [on_a, on_b], scale, options.farther_than);
                return (enough || is_complete(&answer)).then_some(answer);
            }
            let place = |side: &PosedHulls, on: Option<ClosestPoint>, hull| {
                side.pose.transform_point(on.map_or(hull, |on| on.witness.point))
            };
            let points = [place(a, on_a, distance.witness.a.point), place(b, on_b, distance.witness.b.point)];
            known = known.min(points[0].distance(points[1]) * (1.0 + 1e-9));
        } else if exact {
            return None;
        }
        let mut ask = |[node_a, node_b]: [usize; 2], exact: bool| {
            let below = DistanceOptions { farther_than: known.is_finite().then_some(known), ..*options };
            let (of_a, of_b) =
                if exact { (a.piece(node_a), b.piece(node_b)) } else { (a.hull(node_a), b.hull(node_b)) };
            let distance = distance_with(of_a, a.pose, of_b, b.pose, &below, &mut PairCache::default(), workspace);
            if exact {
                known = known.min(distance.gap.upper * (1.0 + 1e-9));
            }
            if distance.gap.lower <= known {
                waiting.push(Waiting { distance, nodes: [node_a, node_b], exact });
            }
        };
        // A concavity is resolved by splitting that piece; if it is a leaf, by splitting the other.
        let (below_a, below_b) = (a.children(nodes[0]), b.children(nodes[1]));
        let wanted = [off[0] && below_a.is_some(), off[1] && below_b.is_some()];
        let [split_a, split_b] = if wanted == [false, false] { [true, true] } else { wanted };
        match (below_a.filter(|_| split_a), below_b.filter(|_| split_b)) {
            (Some(of_a), Some(of_b)) => {
                of_a.into_iter().for_each(|node_a| of_b.into_iter().for_each(|node_b| ask([node_a, node_b], false)));
            }
            (Some(of_a), None) => of_a.into_iter().for_each(|node_a| ask([node_a, nodes[1]], false)),
            (None, Some(of_b)) => of_b.into_iter().for_each(|node_b| ask([nodes[0], node_b], false)),
            (None, None) => ask(nodes, true),
        }
        let nearest = waiting.iter().enumerate().min_by(|(_, x), (_, y)| x.order(y)).map(|(place, _)| place)?;
        next = waiting.swap_remove(nearest);
    }
    None
}

/// Whether the bodies meet: at their surfaces, or with one inside the other, far from its surface.
fn meet(a: &PosedHulls, b: &PosedHulls, workspace: &mut Workspace) -> bool {
    let options = IntersectsOptions::default();
    intersects_with(a.shape, a.pose, b.shape, b.pose, &options, &mut PairCache::default(), workspace)
}

/// The answer for the bodies, from the closest pair of hulls and the surface points closest to its witnesses.
fn answer(
    a: &PosedHulls,
    b: &PosedHulls,
    hulls: Distance,
    [on_a, on_b]: [Option<ClosestPoint>; 2],
    scale: f64,
    farther_than: Option<f64>,
) -> Distance {
    let mut answer = hulls;
    for nearest in [&on_a, &on_b].into_iter().flatten() {
        // Sums of positive numbers, each rounded once.
        answer.gap.upper = (answer.gap.upper + nearest.distance.upper).next_up();
    }
    if let Some(on_a) = on_a {
        (answer.witness.a.point, answer.witness.a.feature, answer.witness.a.part) =
            (on_a.witness.point, on_a.witness.feature, on_a.witness.part);
    }
    if let Some(on_b) = on_b {
        (answer.witness.b.point, answer.witness.b.feature, answer.witness.b.part) =
            (on_b.witness.point, on_b.witness.feature, on_b.witness.part);
    }
    let complete = answer.gap.upper - answer.gap.lower <= ACCURACY * scale;
    // An incomplete answer is only returned to a caller that asked whether they are farther apart.
    let stopped = farther_than.map_or(Stopped::Budget, |d| Stopped::FartherThan(d.max(0.0)));
    answer.method = match (a.tree.is_some() && b.tree.is_some(), complete) {
        (true, true) => Method::Mesh,
        (true, false) => Method::MeshStopped(stopped),
        (false, true) => Method::Parts,
        (false, false) => Method::PartsStopped(stopped),
    };
    answer
}

fn is_complete(answer: &Distance) -> bool {
    matches!(answer.method, Method::Mesh | Method::Parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Boxes, each by its lowest and highest corner, as one solid of several components.
    fn solid(boxes: &[[[f64; 3]; 2]]) -> Shape {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for corners in boxes {
            let first = points.len() as u32;
            points.extend((0..8).map(|k| [corners[k & 1][0], corners[(k >> 1) & 1][1], corners[k >> 2][2]]));
            let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            let both = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]].map(|t| t.map(|point| point + first));
            triangles.extend(quads.into_iter().flat_map(both));
        }
        Shape::Mesh(Mesh::new(&points, &triangles).unwrap().solid().unwrap())
    }

    fn tree_of(shape: &Shape) -> HullTree {
        let Shape::Mesh(mesh) = shape else { unreachable!() };
        HullTree::new(mesh).unwrap()
    }

    fn side<'b>((shape, tree, pose): (&'b Shape, &'b HullTree, &'b Pose)) -> PosedHulls<'b> {
        PosedHulls { shape, tree: Some(tree), pose, radius: 4.0 }
    }

    fn apart(a: (&Shape, &HullTree, &Pose), b: (&Shape, &HullTree, &Pose)) -> bool {
        pieces_are_apart(&side(a), &side(b), 1e-9, &mut Vec::new(), &mut Workspace::default())
    }

    #[test]
    fn pieces_apart_are_apart() {
        // A corner of two boxes that do not touch, and a bar that fits into it.
        let corner = solid(&[[[0.0, 0.0, 0.0], [3.0, 1.0, 1.0]], [[0.0, 1.5, 0.0], [1.0, 3.0, 1.0]]]);
        let bar = solid(&[[[0.0, 0.0, 0.0], [2.0, 0.3, 0.3]]]);
        let trees = [tree_of(&corner), tree_of(&bar)];
        let mut random = Random::new(11);
        let (mut met, mut seen) = (0, 0);
        for _ in 0..3000 {
            let mut number = || 2.0 * random.unit() - 1.0;
            let axis = DVec3::new(number(), number(), number()) + DVec3::splat(1e-3);
            let place = DVec3::new(1.5, 1.5, 0.5) + DVec3::new(number(), number(), number());
            let pose = Pose::from_axis_angle(axis, 3.0 * number(), place).unwrap();
            let meets = clearance::intersects(&corner, &Pose::IDENTITY, &bar, &pose);
            let apart = apart((&corner, &trees[0], &Pose::IDENTITY), (&bar, &trees[1], &pose));
            assert!(!(apart && meets), "{pose:?}");
            met += u32::from(meets);
            seen += u32::from(apart);
        }
        assert!(met > 500 && seen > 300, "{met} {seen}");
    }

    #[test]
    fn what_is_inside_is_not_apart() {
        // The second component of the small one is far outside: only the first decides.
        let large = solid(&[[[-2.0; 3], [2.0; 3]]]);
        let small = solid(&[[[-0.5; 3], [0.5; 3]], [[4.0, -0.5, -0.5], [5.0, 0.5, 0.5]]]);
        let trees = [tree_of(&large), tree_of(&small)];
        let (a, b) = ((&large, &trees[0], &Pose::IDENTITY), (&small, &trees[1], &Pose::IDENTITY));
        assert!(!apart(a, b) && !apart(b, a));
        assert!(holds(&side(a), &trees[0], &side(b), &trees[1]) && !holds(&side(b), &trees[1], &side(a), &trees[0]));
        let away = Pose::from_translation(DVec3::new(0.0, 4.0, 0.0)).unwrap();
        let away = (&small, &trees[1], &away);
        assert!(apart(a, away) && !holds(&side(a), &trees[0], &side(away), &trees[1]));
    }
}
