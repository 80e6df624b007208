//! Whether the contour of a moving piece of surface keeps clear of itself in projection for a whole step.
//!
//! Let all triangles face one direction throughout the step, and let the contour pass the test of
//! [`contour`](super::contour) at its start. If no two of its edges meet in projection at any time, except in a vertex
//! that both have, then the projected contour only deforms: the winding number beside an edge never changes, and the
//! test holds at every time. So no two features without a common vertex touch.
//!
//! Vertices move on straight lines, so on which side of a moving line a moving point lies is a quadratic polynomial of
//! time: in the form of Bernstein it has one sign if its three coefficients have. Two edges are disjoint while both
//! ends of the one are on one side of the other, or beyond an end of it; two that share a vertex meet nowhere else
//! while the turn between them keeps its sign, or while they lead away from each other. Where the coefficients do not
//! show it, the time is halved, a few times. All this is sufficient only, and in floats with bounds on their errors:
//! what is left open counts as touching, and the walk descends.
//!
//! Edges are paired by the boxes that they sweep, relative to the displacement of one vertex: what the whole contour
//! does together takes no room.

use glam::DVec3;

use super::contour::Plane;
use crate::math::tolerances::{SWEPT_CONTOUR_HALVINGS, SWEPT_CONTOUR_PAIRS, UNIT_ROUNDOFF};

/// An edge in motion: its vertices, their positions at both ends of the step, and the box of its relative sweep.
#[derive(Clone, Copy)]
struct Edge {
    vertices: [u32; 2],
    ends: [[DVec3; 2]; 2],
    low: [f64; 2],
    high: [f64; 2],
}

/// Scratch memory.
#[derive(Default)]
pub(super) struct SweptSweep {
    edges: Vec<Edge>,
    active: Vec<u32>,
}

impl SweptSweep {
    /// Whether the edges of a contour are proved to stay clear of each other.
    pub fn stays_clear(
        &mut self,
        plane: &Plane,
        contour: impl Iterator<Item = [u32; 2]>,
        at: impl Fn(u32) -> [DVec3; 2],
    ) -> bool {
        self.edges.clear();
        let mut common = None;
        for vertices in contour {
            let ends = vertices.map(&at);
            let along = *common.get_or_insert(ends[0][1] - ends[0][0]);
            let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for [start, end] in ends {
                for point in [start, end - along] {
                    let size = point.abs().max_element() + along.abs().max_element();
                    // Two roundings of sums, each at most twice the coordinates, and one of the displacement.
                    let off = 8.0 * UNIT_ROUNDOFF * size;
                    let place = plane.rounded(point);
                    for k in 0..2 {
                        low[k] = low[k].min(place[k] - off);
                        high[k] = high[k].max(place[k] + off);
                    }
                }
            }
            self.edges.push(Edge { vertices, ends, low, high });
        }
        self.edges.sort_unstable_by(|a, b| a.low[0].total_cmp(&b.low[0]).then(a.vertices.cmp(&b.vertices)));
        self.active.clear();
        let mut left = SWEPT_CONTOUR_PAIRS * self.edges.len();
        for (number, edge) in self.edges.iter().enumerate() {
            let edges = &self.edges;
            self.active.retain(|&other| edges[other as usize].high[0] >= edge.low[0]);
            if left < self.active.len() {
                return false;
            }
            left -= self.active.len();
            for &other in &self.active {
                let other = &edges[other as usize];
                let near = edge.low[1] <= other.high[1] && other.low[1] <= edge.high[1];
                if near && !are_disjoint(plane, edge, other) {
                    return false;
                }
            }
            self.active.push(number as u32);
        }
        true
    }
}

/// A quadratic polynomial over a span of time, by its coefficients in the form of Bernstein, and what they are off by.
#[derive(Clone, Copy)]
struct Quadratic {
    coefficients: [f64; 3],
    off: f64,
}

impl Quadratic {
    /// A bilinear product of two vectors that move linearly, with an error of each value of at most `off`.
    fn new(u: [DVec3; 2], v: [DVec3; 2], product: impl Fn(DVec3, DVec3) -> f64) -> Quadratic {
        let size = |w: [DVec3; 2]| w[0].abs().max(w[1].abs()).max_element();
        let coefficients =
            [product(u[0], v[0]), 0.5 * (product(u[0], v[1]) + product(u[1], v[0])), product(u[1], v[1])];
        // In units of `u size(u) size(v)`: a value is a sum of at most eight terms of one unit's size, each off by 5
        // for its factors and products, and its partial sums by 8 each: less than 100. Each halving of the time adds
        // three roundings of 8 at most: 96 for four. Underflow is covered by the smallest normal number.
        Quadratic { coefficients, off: 256.0 * UNIT_ROUNDOFF * size(u) * size(v) + f64::MIN_POSITIVE }
    }

    /// 1 if it is positive throughout, -1 if negative, else 0.
    fn sign(&self) -> i32 {
        let all = |test: fn(f64, f64) -> bool| self.coefficients.iter().all(|&c| test(c, self.off));
        i32::from(all(|c, off| c > off)) - i32::from(all(|c, off| c < -off))
    }

    /// Over the two halves of the time.
    fn halves(&self) -> [Quadratic; 2] {
        let [a, b, c] = self.coefficients;
        let (ab, bc) = (0.5 * (a + b), 0.5 * (b + c));
        let middle = 0.5 * (ab + bc);
        [[a, ab, middle], [middle, bc, c]].map(|coefficients| Quadratic { coefficients, off: self.off })
    }
}

/// Whether two edges are proved to share nothing but a common vertex at any time.
fn are_disjoint(plane: &Plane, one: &Edge, other: &Edge) -> bool {
    let from = |base: [DVec3; 2], point: [DVec3; 2]| [point[0] - base[0], point[1] - base[1]];
    let direction = DVec3::from_array(plane.direction.map(f64::from));
    // In the coordinates of the plane, which any scalar product serves.
    let product = |u: DVec3, v: DVec3| {
        let (u, v) = (plane.rounded(u), plane.rounded(v));
        u[0] * v[0] + u[1] * v[1]
    };
    let turn = |a, b, c| Quadratic::new(from(a, b), from(a, c), |u, v| direction.dot(u.cross(v)));
    let shared =
        (0..2).flat_map(|i| (0..2).map(move |j| (i, j))).filter(|&(i, j)| one.vertices[i] == other.vertices[j]);
    let mut shared = shared.fuse();
    match (shared.next(), shared.next()) {
        (None, _) => {
            let ([a, b], [c, d]) = (one.ends, other.ends);
            // Beyond an end of the one: what tells edges of a straight contour apart.
            let past = |tip, other, point| Quadratic::new(from(other, tip), from(tip, point), product);
            let sides = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
            let beyond = [past(b, a, c), past(b, a, d), past(a, b, c), past(a, b, d)];
            holds(&sides, SWEPT_CONTOUR_HALVINGS, |[c, d, a, b]| c * d > 0 || a * b > 0)
                || holds(&beyond, SWEPT_CONTOUR_HALVINGS, |[c, d, e, f]| c > 0 && d > 0 || e > 0 && f > 0)
        }
        (Some((i, j)), None) => {
            let (tip, one, other) = (one.ends[i], one.ends[1 - i], other.ends[1 - j]);
            let along = Quadratic::new(from(tip, one), from(tip, other), product);
            holds(&[turn(tip, one, other), along], SWEPT_CONTOUR_HALVINGS, |[turn, along]| turn != 0 || along < 0)
        }
        _ => false,
    }
}

/// Whether something shown by the signs of polynomials holds at every time.
fn holds<const N: usize>(polynomials: &[Quadratic; N], halvings: u32, shown: fn([i32; N]) -> bool) -> bool {
    if shown(polynomials.map(|p| p.sign())) {
        return true;
    }
    halvings > 0 && (0..2).all(|half| holds(&polynomials.map(|p| p.halves()[half]), halvings - 1, shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clear(direction: [i8; 3], points: &[[[f64; 3]; 2]], edges: &[[u32; 2]]) -> bool {
        let at = |vertex: u32| points[vertex as usize].map(DVec3::from_array);
        SweptSweep::default().stays_clear(&Plane::new(direction), edges.iter().copied(), at)
    }

    #[test]
    fn edges_that_pass_and_edges_that_meet() {
        let up = [0, 0, 1];
        let still = |x: f64, y: f64| [[x, y, 0.0]; 2];
        let moves = |from: [f64; 2], to: [f64; 2]| [[from[0], from[1], 1.0], [to[0], to[1], 2.0]];
        let two = [[0, 1], [2, 3]];
        let past = [still(0.0, 0.0), still(1.0, 0.0), moves([0.5, 3.0], [0.5, 0.1]), moves([0.6, 3.0], [2.0, 0.1])];
        assert!(clear(up, &past, &two));
        let onto = [past[0], past[1], moves([0.5, 3.0], [0.5, 0.0]), past[3]];
        assert!(!clear(up, &onto, &two));
        // Touches in the middle of the step only.
        let grazing =
            [still(0.0, 0.0), still(1.0, 0.0), moves([1.0, 1.0], [1.0, -1.0]), moves([5.0, 1.0], [5.0, -1.0])];
        assert!(!clear(up, &grazing, &two));
        let passing = grazing.map(|[a, b]| [a, b].map(|p| if p[2] > 0.0 { [p[0] + 0.1, p[1], p[2]] } else { p }));
        assert!(clear(up, &passing, &two));
        // A fold closes on its own vertex.
        let fold = |y: f64| [still(0.0, 0.0), still(1.0, 0.0), moves([-1.0, 1.0], [1.0, y])];
        assert!(clear(up, &fold(0.5), &[[1, 0], [0, 2]]));
        assert!(!clear(up, &fold(0.0), &[[1, 0], [0, 2]]));
        // A straight contour that moves far, and turns.
        let far = 1e6;
        let row: Vec<_> = (0..20).map(f64::from).map(|x| moves([x, 0.0], [far + 0.8 * x, 0.6 * x])).collect();
        let edges: Vec<_> = (0..19).map(|k| [k, k + 1]).collect();
        assert!(clear(up, &row, &edges) && clear([1, -1, 1], &row, &edges));
        assert!(!clear([0, 1, 0], &[still(0.0, 0.0), still(1.0, 0.0), still(2.0, 0.0)], &[[0, 1], [1, 0]]));
    }
}
