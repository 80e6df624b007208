//! Exact answers about two meshes of any size: a binary tree of boxes in double precision finds candidate pairs of
//! triangles, and exact arithmetic decides them.
//!
//! Nothing is shared with the engine. The tree splits the triangles at the median of their centres along the longest
//! side. Corners in the world are rounded; every box is widened by more than that, and a pair is pruned only if a box
//! or a direction proves it apart by more than rounding. The tests check it against brute force over all pairs.

use crate::body::OracleBody;
use crate::convex::{intersects, signed_distance};

type Point = [f64; 3];

/// A mesh in its pose, ready to be compared with another.
///
/// ```
/// use clearance_oracle::MeshJudge;
///
/// let (points, triangles) = ([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]);
/// let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let below = MeshJudge::new(&points, &triangles, identity, [0.0; 3]);
/// let above = MeshJudge::new(&points, &triangles, identity, [0.25, 0.25, 2.0]);
/// assert_eq!(below.distance(&above), (2.0, 2.0));
/// assert_eq!(below.meeting_pairs(&below), [(0, 0)]);
/// ```
pub struct MeshJudge {
    /// The corners of each triangle in the mesh's own frame, where they are exact.
    own: Vec<[Point; 3]>,
    rotation: [Point; 3],
    translation: Point,
    /// The same in the world, rounded.
    world: Vec<[Point; 3]>,
    /// Bound on the error of a corner in the world, and more.
    slack: f64,
    /// The root is the last.
    nodes: Vec<Node>,
    order: Vec<u32>,
}

struct Node {
    low: Point,
    high: Point,
    below: Below,
}

enum Below {
    Nodes(usize, usize),
    /// A range of `order`.
    Triangles(usize, usize),
}

/// The most triangles of a leaf.
const LEAF: usize = 4;

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn along(a: Point, direction: Point, t: f64) -> Point {
    [a[0] + t * direction[0], a[1] + t * direction[1], a[2] + t * direction[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

impl MeshJudge {
    /// A mesh whose points are placed by a matrix, given by its rows, and a translation.
    pub fn new(points: &[Point], triangles: &[[u32; 3]], rotation: [Point; 3], translation: Point) -> MeshJudge {
        let own: Vec<[Point; 3]> = triangles.iter().map(|t| t.map(|corner| points[corner as usize])).collect();
        let place = |p: Point| {
            let turned = rotation.map(|row| dot(row, p));
            [turned[0] + translation[0], turned[1] + translation[1], turned[2] + translation[2]]
        };
        let world: Vec<[Point; 3]> = own.iter().map(|t| t.map(place)).collect();
        let largest = own.iter().flatten().map(|&p| length(p)).fold(length(translation), f64::max);
        // Six roundings of at most twice the largest length would give 1.4e-15 of it.
        let slack = 1e-14 * largest;
        let mut judge = MeshJudge { own, rotation, translation, world, slack, nodes: Vec::new(), order: Vec::new() };
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        if !order.is_empty() {
            judge.build(&mut order, 0);
        }
        judge.order = order;
        judge
    }

    /// Builds the node of some triangles, which start at `first` in the order, and returns its index.
    fn build(&mut self, order: &mut [u32], first: usize) -> usize {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in order.iter().flat_map(|&t| self.world[t as usize]) {
            for axis in 0..3 {
                low[axis] = low[axis].min(corner[axis] - self.slack);
                high[axis] = high[axis].max(corner[axis] + self.slack);
            }
        }
        let below = if order.len() <= LEAF {
            Below::Triangles(first, first + order.len())
        } else {
            let sides = minus(high, low);
            let axis = (0..3).max_by(|&a, &b| sides[a].total_cmp(&sides[b])).unwrap_or(0);
            let middle = |t: u32| self.world[t as usize].iter().map(|corner| corner[axis]).sum::<f64>();
            let half = order.len() / 2;
            order.select_nth_unstable_by(half, |&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
            let (left, right) = order.split_at_mut(half);
            let left = self.build(left, first);
            Below::Nodes(left, self.build(right, first + half))
        };
        self.nodes.push(Node { low, high, below });
        self.nodes.len() - 1
    }

    /// Passes every pair of triangles whose boxes come within a limit of each other to `visit`, which may lower the
    /// limit.
    fn walk(&self, other: &MeshJudge, mut limit: f64, mut visit: impl FnMut(u32, u32) -> f64) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let mut stack = vec![(self.nodes.len() - 1, other.nodes.len() - 1)];
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i], &other.nodes[j]);
            if box_gap(a, b) > limit {
                continue;
            }
            match (&a.below, &b.below) {
                (&Below::Triangles(p, q), &Below::Triangles(r, s)) => {
                    for &t in &self.order[p..q] {
                        for &u in &other.order[r..s] {
                            limit = limit.min(visit(t, u));
                        }
                    }
                }
                (&Below::Nodes(p, q), _) if !matches!(b.below, Below::Nodes(..)) || extent(a) >= extent(b) => {
                    let mut next = [(p, j), (q, j)];
                    next.sort_by(|x, y| box_gap(&self.nodes[y.0], b).total_cmp(&box_gap(&self.nodes[x.0], b)));
                    stack.extend(next);
                }
                (_, &Below::Nodes(p, q)) => {
                    let mut next = [(i, p), (i, q)];
                    next.sort_by(|x, y| box_gap(a, &other.nodes[y.1]).total_cmp(&box_gap(a, &other.nodes[x.1])));
                    stack.extend(next);
                }
                (&Below::Nodes(..), &Below::Triangles(..)) => unreachable!("opened above"),
            }
        }
    }

    fn body(&self, triangle: u32) -> OracleBody {
        OracleBody::hull(self.own[triangle as usize].to_vec()).rotated(self.rotation).translated(self.translation)
    }

    /// Whether a direction proves two triangles apart by more than rounding.
    fn surely_apart(&self, other: &MeshJudge, t: u32, u: u32) -> bool {
        let (a, b) = (self.world[t as usize], other.world[u as usize]);
        let edges = |t: &[Point; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
        let (of_a, of_b) = (edges(&a), edges(&b));
        let crosses = of_a.iter().flat_map(|&e| of_b.iter().map(move |&f| cross(e, f)));
        let planes = [cross(of_a[0], of_a[1]), cross(of_b[0], of_b[1])];
        let across = of_a.iter().map(|&e| cross(planes[0], e)).chain(of_b.iter().map(|&e| cross(planes[1], e)));
        planes.into_iter().chain(crosses).chain(across).any(|direction| {
            let size = length(direction);
            if size == 0.0 || !size.is_finite() {
                return false;
            }
            let reach = |t: &[Point; 3]| t.map(|corner| dot(minus(corner, a[0]), direction) / size);
            let ([p, q, r], [s, v, w]) = (reach(&a), reach(&b));
            let gap = (s.min(v).min(w) - p.max(q).max(r)).max(p.min(q).min(r) - s.max(v).max(w));
            // The slack also exceeds the rounding of the products.
            gap > 4.0 * (self.slack + other.slack)
        })
    }

    fn meet(&self, other: &MeshJudge, t: u32, u: u32) -> bool {
        !self.surely_apart(other, t, u) && intersects(&self.body(t), &other.body(u))
    }

    /// The pairs of triangles that have a point in common, in ascending order.
    pub fn meeting_pairs(&self, other: &MeshJudge) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        self.walk(other, 0.0, |t, u| {
            if self.meet(other, t, u) {
                pairs.push((t, u));
            }
            0.0
        });
        pairs.sort_unstable();
        pairs
    }

    /// Enclosure of the distance between the surfaces: 0 if they intersect, infinite if one has no triangle.
    pub fn distance(&self, other: &MeshJudge) -> (f64, f64) {
        let mut meets = false;
        self.walk(other, 0.0, |t, u| {
            meets = meets || self.meet(other, t, u);
            if meets { -1.0 } else { 0.0 }
        });
        if meets {
            return (0.0, 0.0);
        }
        let near = |t: u32, u: u32| rounded_distance(&self.world[t as usize], &other.world[u as usize]);
        let mut least = f64::INFINITY;
        self.walk(other, least, |t, u| {
            least = least.min(near(t, u));
            least
        });
        // A rounded distance is off by rounding only, far less than this band.
        let band = least + 1e-9 * (least + self.slack + other.slack) + 1e6 * (self.slack + other.slack);
        let mut found = (f64::INFINITY, f64::INFINITY);
        self.walk(other, band, |t, u| {
            if near(t, u) <= band {
                let (low, high) = signed_distance(&self.body(t), &other.body(u)).enclosure();
                found = (found.0.min(low), found.1.min(high));
            }
            band
        });
        found
    }
}

fn extent(node: &Node) -> f64 {
    length(minus(node.high, node.low))
}

/// A lower bound on the distance between the contents of two boxes, up to rounding, which the boxes' margins cover.
fn box_gap(a: &Node, b: &Node) -> f64 {
    let gap: Point = std::array::from_fn(|axis| (a.low[axis] - b.high[axis]).max(b.low[axis] - a.high[axis]).max(0.0));
    length(gap) * (1.0 - 1e-15)
}

/// The least distance between two triangles that do not cross: of the corners of each from the other, and between
/// edges.
fn rounded_distance(a: &[Point; 3], b: &[Point; 3]) -> f64 {
    let corners = a.iter().map(|&p| from_triangle(p, b)).chain(b.iter().map(|&p| from_triangle(p, a)));
    let edges = (0..9).map(|k| {
        let (i, j) = (k / 3, k % 3);
        between_segments([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]])
    });
    corners.chain(edges).fold(f64::INFINITY, f64::min)
}

fn from_segment(p: Point, [a, b]: [Point; 2]) -> f64 {
    let edge = minus(b, a);
    let squared = dot(edge, edge);
    let t = if squared > 0.0 { (dot(minus(p, a), edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
    length(minus(p, along(a, edge, t)))
}

fn from_triangle(p: Point, t: &[Point; 3]) -> f64 {
    let edges = (0..3).map(|k| from_segment(p, [t[k], t[(k + 1) % 3]])).fold(f64::INFINITY, f64::min);
    let normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    let inside = (0..3).all(|k| dot(cross(normal, minus(t[(k + 1) % 3], t[k])), minus(p, t[k])) > 0.0);
    let size = length(normal);
    if inside && size > 0.0 { edges.min((dot(normal, minus(p, t[0])) / size).abs()) } else { edges }
}

fn between_segments([a, b]: [Point; 2], [c, d]: [Point; 2]) -> f64 {
    let (e, f, g) = (minus(b, a), minus(d, c), minus(a, c));
    let (ee, ff, ef) = (dot(e, e), dot(f, f), dot(e, f));
    let determinant = ee * ff - ef * ef;
    if determinant <= 0.0 {
        // Parallel: an end attains the least distance as well.
        return f64::INFINITY;
    }
    let s = (ef * dot(f, g) - ff * dot(e, g)) / determinant;
    let t = (ee * dot(f, g) - ef * dot(e, g)) / determinant;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        length(minus(along(a, e, s), along(c, f, t)))
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_rotation;
    use crate::random::Random;

    /// Triangles between points of a fine grid, of all sizes, some degenerate.
    fn soup(random: &mut Random, count: usize) -> (Vec<Point>, Vec<[u32; 3]>) {
        let mut points = Vec::new();
        for _ in 0..count {
            let (middle, size) = (random.in_cube(1.0), random.uniform(0.05, 0.9));
            let corner = random.in_cube(size);
            for _ in 0..3 {
                let p = if random.index(9) == 0 { corner } else { random.in_cube(size) };
                points.push(std::array::from_fn(|axis| ((middle[axis] + p[axis]) * 64.0).round() / 64.0));
            }
        }
        (points, (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
    }

    #[test]
    fn the_tree_agrees_with_brute_force() {
        let mut random = Random::new(8);
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let (mut meeting, mut apart) = (0, 0);
        for round in 0..12 {
            let count = [5, 30, 90][round % 3];
            let (points, triangles) = soup(&mut random, count);
            let (others, more) = soup(&mut random, count + 7);
            // On the grid of the first, or rotated; inside each other, touching in grid planes, apart.
            let rotation = if round % 2 == 0 { identity } else { random_rotation(&mut random) };
            let a = MeshJudge::new(&points, &triangles, identity, [0.0; 3]);
            let b = MeshJudge::new(&others, &more, rotation, [[0.5, 2.25, 7.0][round / 4], 0.125, 0.0]);
            let all = || (0..count as u32).flat_map(|t| (0..count as u32 + 7).map(move |u| (t, u)));
            let expected: Vec<_> = all().filter(|&(t, u)| intersects(&a.body(t), &b.body(u))).collect();
            assert_eq!(a.meeting_pairs(&b), expected);
            assert_eq!(b.meeting_pairs(&a).len(), expected.len());
            let (low, high) = all()
                .map(|(t, u)| signed_distance(&a.body(t), &b.body(u)).enclosure())
                .fold((f64::INFINITY, f64::INFINITY), |found, (low, high)| {
                    (found.0.min(low.max(0.0)), found.1.min(high.max(0.0)))
                });
            assert_eq!(a.distance(&b), (low, high));
            meeting += expected.len();
            apart += usize::from(low > 0.0);
        }
        assert!(meeting > 50 && apart >= 4, "{meeting} {apart}");
    }

    #[test]
    fn a_mesh_without_triangles_is_infinitely_far() {
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let none = MeshJudge::new(&[], &[], identity, [0.0; 3]);
        assert_eq!(none.distance(&none), (f64::INFINITY, f64::INFINITY));
        assert!(none.meeting_pairs(&none).is_empty());
    }
}
