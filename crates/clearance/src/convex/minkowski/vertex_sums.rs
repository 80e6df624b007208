//! The difference of two polytopes as the convex hull of all differences of their vertices.

use super::original::Marks;
use super::sum::{Polytope, Sum};
use crate::geom::hull::{MAX_COORDINATE, convex_hull};

/// The hull of all differences of vertices: exactly that of the rounded differences.
pub(crate) fn by_vertex_sums(a: &Polytope, b: &Polytope) -> Sum {
    let mut differences = Vec::with_capacity(a.points.len() * b.points.len());
    for &p in a.points {
        differences.extend(b.points.iter().map(|&q| p - q));
    }
    // Differences may be twice as large as the coordinates that a hull may have. Halving changes no sign.
    let hull = if differences.iter().all(|p| p.abs().max_element() <= MAX_COORDINATE) {
        convex_hull(&differences)
    } else {
        convex_hull(&differences.iter().map(|&p| 0.5 * p).collect::<Vec<_>>())
    };
    // No hull for empty or non-finite input.
    let Ok(hull) = hull else { return Sum::default() };
    let columns = b.points.len() as u32;
    let mut sum = Sum {
        points: hull.vertices.iter().map(|&v| differences[v as usize]).collect(),
        from: hull.vertices.iter().map(|&v| [v / columns, v % columns]).collect(),
        ..Sum::default()
    };
    let mut marks = Marks::new(a, b);
    for loop_ in hull.faces.iter() {
        let original = marks.original(&sum.points, loop_);
        sum.push(loop_, original);
        if hull.dimension == 2 {
            sum.push_back(loop_, original);
        }
    }
    sum
}
