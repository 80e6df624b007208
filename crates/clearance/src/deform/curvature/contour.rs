//! Whether a piece of surface that faces a direction can be seen along it without one part hiding another.
//!
//! Let all triangles have a normal with a positive dot product with the direction. **Theorem.** If in the projection
//! along it
//! 1. no two half-edges of the contour meet, except in a vertex that both have, and
//! 2. the winding number of the contour is 0 or 1 about every point off it,
//!
//! then the projection is one-to-one, so no two triangles meet in anything but a vertex or an edge that both have.
//!
//! *Proof.* About a point off all projected edges the boundary of each triangle winds once if it covers the point, else
//! not at all, and the half-edges of an inner edge cancel: the winding number of the contour is the number of triangles
//! that cover the point. By 2 none covers what another covers. Let two points of the surface have one image. If the
//! triangles of the one go all the way around it, they cover a neighbourhood of the image, part of which the triangles
//! of the other cover as well. So they do not, for either, and both lie on the contour: excluded by 1.
//!
//! The surface need not be connected, and neither its winding nor its edges are presumed to agree: a half-edge without
//! a twin is part of the contour. So regions that join in a vertex only need nothing special either.
//!
//! Both are decided by one sweep (Shamos and Hoey 1976): edges are kept in the order in which the sweep line crosses
//! them, and neighbours are compared. As soon as two touch, the answer is no, so nothing has to be done about
//! crossings. Directed from the lower to the higher end in the order of the sweep, an edge has the winding number one
//! higher above it, else one lower. So 2 holds if the edges along the sweep line alternate, the lowest of them directed
//! along the sweep.
//!
//! Coordinates along which is swept are differences of two of a point's, exact as the sum of two floats, and compared
//! by both. Sides are exact too ([`orient_along`]). Points with one image that are different vertices touch.

use std::cmp::Ordering;

use glam::DVec3;

use crate::math::predicates::{Sign, orient_along};

/// The plane onto which a direction projects. Two coordinates in which turns are as seen from where it points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub direction: [i8; 3],
    /// Coordinate `k` is the coordinate along axis `take[k]`, minus `factor[k]` times that along `drop`.
    take: [usize; 2],
    factor: [f64; 2],
    drop: usize,
}

impl Plane {
    pub fn new(direction: [i8; 3]) -> Plane {
        let drop = (0..3).find(|&k| direction[k] != 0).unwrap_or(0);
        // Seen from the negative end of an axis the other two are exchanged.
        let (i, j) = ((drop + 1) % 3, (drop + 2) % 3);
        let take = if direction[drop] > 0 { [i, j] } else { [j, i] };
        Plane { direction, take, factor: take.map(|k| f64::from(direction[k] * direction[drop])), drop }
    }

    /// The coordinates, rounded.
    #[inline(always)]
    pub fn rounded(&self, point: DVec3) -> [f64; 2] {
        let dropped = point[self.drop];
        [0, 1].map(|k| point[self.take[k]] - self.factor[k] * dropped)
    }

    /// The coordinates, each as a float and what it is off by.
    fn exact(&self, point: DVec3) -> [f64; 4] {
        let dropped = point[self.drop];
        let [s, t] = [0, 1].map(|k| difference(point[self.take[k]], self.factor[k] * dropped));
        [s.0, s.1, t.0, t.1]
    }
}

/// A difference and its rounding error, exact unless it overflows.
fn difference(x: f64, y: f64) -> (f64, f64) {
    let rounded = x - y;
    let back = x - rounded;
    (rounded, (x - (rounded + back)) + (back - y))
}

/// An end of an edge.
#[derive(Clone, Copy)]
struct End {
    place: [f64; 4],
    vertex: u32,
    edge: u32,
    /// Whether the edge begins here in the order of the sweep.
    begins: bool,
}

/// The order of the sweep: by the first coordinate, then by the second. The rounded part decides unless it is equal,
/// since rounding is monotonic.
fn compare(a: &[f64; 4], b: &[f64; 4]) -> Ordering {
    let differing = a.iter().zip(b).find(|(x, y)| x != y);
    differing.and_then(|(x, y)| x.partial_cmp(y)).unwrap_or(Ordering::Equal)
}

/// An edge of the contour.
#[derive(Clone, Copy)]
struct Edge {
    low: DVec3,
    high: DVec3,
    high_place: [f64; 4],
    ends: [u32; 2],
    /// Whether it is directed from its lower to its higher end.
    along: bool,
}

/// Scratch memory.
#[derive(Default)]
pub(super) struct Sweep {
    ends: Vec<End>,
    edges: Vec<Edge>,
    /// The edges that the sweep line crosses, from the lowest.
    status: Vec<u32>,
    begun: Vec<u32>,
}

impl Sweep {
    /// Whether a contour passes the test, given by the ends of its half-edges.
    pub fn is_simple(
        &mut self,
        plane: &Plane,
        contour: impl Iterator<Item = [u32; 2]>,
        at: impl Fn(u32) -> DVec3,
    ) -> bool {
        self.ends.clear();
        self.edges.clear();
        self.status.clear();
        for ends in contour {
            let points = ends.map(&at);
            let places = points.map(|point| plane.exact(point));
            let (along, low, high) = match compare(&places[0], &places[1]) {
                Ordering::Less => (true, 0, 1),
                Ordering::Greater => (false, 1, 0),
                Ordering::Equal => return false,
            };
            let number = self.edges.len() as u32;
            for k in 0..2 {
                self.ends.push(End { place: places[k], vertex: ends[k], edge: number, begins: k == low });
            }
            let ends = [ends[low], ends[high]];
            self.edges.push(Edge { low: points[low], high: points[high], high_place: places[high], ends, along });
        }
        self.ends.sort_unstable_by(|a, b| compare(&a.place, &b.place).then(a.edge.cmp(&b.edge)));
        let (mut first, count) = (0, self.ends.len());
        while first < count {
            let mut last = first + 1;
            while last < count && compare(&self.ends[first].place, &self.ends[last].place).is_eq() {
                last += 1;
            }
            if !self.pass(plane.direction, first..last, &at) {
                return false;
            }
            first = last;
        }
        true
    }

    /// Moves the sweep line past a point, given by the ends of edges there; false if something touches, or if the
    /// winding number leaves 0 and 1.
    fn pass(&mut self, direction: [i8; 3], here: std::ops::Range<usize>, at: &impl Fn(u32) -> DVec3) -> bool {
        let ends = &self.ends[here];
        let vertex = ends[0].vertex;
        if ends.iter().any(|end| end.vertex != vertex) {
            return false;
        }
        let point = at(vertex);
        let mut touches = false;
        let edges = &self.edges;
        let side = |edge: &Edge, point: DVec3| orient_along(direction, edge.low, edge.high, point);
        let from = self.status.partition_point(|&number| {
            let edge = &edges[number as usize];
            if edge.ends[1] == vertex {
                return false;
            }
            let side = side(edge, point);
            touches |= side.is_zero();
            side.is_positive()
        });
        let ending = ends.iter().filter(|end| !end.begins).count();
        let to = from + ending;
        if touches || to > self.status.len() {
            return false;
        }
        if self.status[from..to].iter().any(|&number| edges[number as usize].ends[1] != vertex) {
            return false;
        }
        self.begun.clear();
        self.begun.extend(ends.iter().filter(|end| end.begins).map(|end| end.edge));
        self.begun.sort_unstable_by(|&a, &b| {
            let turn = orient_along(direction, point, edges[a as usize].high, edges[b as usize].high);
            touches |= turn.is_zero() && a != b;
            turn.to_ordering().reverse()
        });
        if touches || !(ends.len()).is_multiple_of(2) {
            return false;
        }
        // Where only one pair begins or ends, the winding number above stays the same: whatever alternated still does.
        if self.begun.iter().zip(from..).any(|(&number, place)| edges[number as usize].along != place.is_multiple_of(2))
        {
            return false;
        }
        self.status.splice(from..to, self.begun.iter().copied());
        let to = from + self.begun.len();
        let mut new_neighbours = [from.checked_sub(1).zip(Some(from)), Some((to.wrapping_sub(1), to))];
        if self.begun.is_empty() {
            new_neighbours[1] = None;
        }
        new_neighbours.into_iter().flatten().all(|(one, other)| {
            let (Some(&one), Some(&other)) = (self.status.get(one), self.status.get(other)) else { return true };
            let (one, other) = (&edges[one as usize], &edges[other as usize]);
            // The end that comes first is on the same side of the other edge as now.
            one.ends[1] == other.ends[1]
                || match compare(&one.high_place, &other.high_place) {
                    Ordering::Less => side(other, one.high) == Sign::Negative,
                    Ordering::Greater => side(one, other.high) == Sign::Positive,
                    Ordering::Equal => false,
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple(direction: [i8; 3], points: &[[f64; 3]], cycles: &[&[u32]]) -> bool {
        let edges = cycles.iter().flat_map(|cycle| (0..cycle.len()).map(|k| [cycle[k], cycle[(k + 1) % cycle.len()]]));
        let at = |vertex: u32| DVec3::from_array(points[vertex as usize]);
        Sweep::default().is_simple(&Plane::new(direction), edges, at)
    }

    /// A regular polygon in the plane across a direction, counter-clockwise about it.
    fn polygon(direction: [i8; 3], corners: usize, radius: f64, turn: f64, middle: DVec3) -> Vec<[f64; 3]> {
        let d = DVec3::from_array(direction.map(f64::from)).normalize();
        let u = d.any_orthonormal_vector();
        let v = d.cross(u);
        let corner = |k: usize| {
            let (sin, cos) = (turn + std::f64::consts::TAU * k as f64 / corners as f64).sin_cos();
            // Heights differ: only the projection counts.
            (middle + radius * (u * cos + v * sin) + d * (k % 3) as f64).to_array()
        };
        (0..corners).map(corner).collect()
    }

    #[test]
    fn polygons_rings_and_islands() {
        for bit in 0..26 {
            let d = super::super::directions::direction(bit);
            for turn in [0.0, 0.3, 1.0, 2.0] {
                let outer = polygon(d, 9, 2.0, turn, DVec3::ZERO);
                let inner = polygon(d, 7, 1.0, -turn, DVec3::ZERO);
                let points = [outer, inner, polygon(d, 5, 0.5, 0.1, DVec3::ZERO)].concat();
                let cycles: Vec<u32> = (0..21).collect();
                let (outer, inner, island) = (&cycles[..9], &cycles[9..16], &cycles[16..]);
                let back: Vec<u32> = inner.iter().rev().copied().collect();
                let outer_back: Vec<u32> = outer.iter().rev().copied().collect();
                assert!(simple(d, &points, &[outer]));
                assert!(!simple(d, &points, &[&outer_back]), "the wrong way round");
                assert!(simple(d, &points, &[outer, &back]), "a ring");
                assert!(!simple(d, &points, &[outer, inner]), "twice the same side");
                assert!(simple(d, &points, &[outer, &back, island]), "an island in a ring");
                assert!(!simple(d, &points, &[&back, outer, outer]), "an edge twice");
                let mut crossed = cycles[..9].to_vec();
                crossed.swap(3, 5);
                assert!(!simple(d, &points, &[&crossed]));
            }
        }
    }

    #[test]
    fn fans_that_share_a_vertex_and_edges_that_touch() {
        let up = [0, 0, 1];
        let points = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 5.0],
            [-1.0, 0.0, 0.0],
            [-1.0, -1.0, 0.0],
            [0.5, 0.25, 1.0],
            [0.9, 0.1, 1.0],
            [0.9, 0.5, 1.0],
            [0.5, 0.0, 3.0],
            [0.4, -1.0, 3.0],
            [0.6, -1.0, 3.0],
            [0.0, 0.0, 7.0],
        ];
        assert!(simple(up, &points, &[&[0, 1, 2], &[0, 3, 4]]), "a bow tie");
        assert!(simple(up, &points, &[&[0, 1, 2, 0, 3, 4]]), "the same as one cycle");
        assert!(!simple(up, &points, &[&[0, 1, 2], &[0, 6, 7]]), "one fan in the other");
        assert!(!simple(up, &points, &[&[0, 1, 2], &[8, 9, 10]]), "a vertex on an edge");
        assert!(!simple(up, &points, &[&[0, 1, 2], &[11, 3, 4]]), "two vertices with one image");
        assert!(!simple(up, &points, &[&[0, 1, 2], &[5, 6, 7]]), "inside");
        assert!(simple(up, &points, &[&[0, 1, 2], &[7, 6, 5]]), "a hole");
        assert!(!simple([1, 0, 0], &points, &[&[0, 1, 2]]), "an edge along the direction");
        assert!(simple(up, &points, &[]));
    }
}
