//! The closest point of a height field's surface, and the signed distance to its solid.
//!
//! Branch and bound over the pyramid, nearest block first, starting from the cell below the query. Depth-first with the
//! nearest child next, rather than best-first: it needs no heap, so no allocation, and from a good start visits hardly
//! more.
//!
//! The bracket: every triangle tested gives a lower bound, its least extent along a separating direction; every pruned
//! block gives the distance to its box. The minimum of these is `lower`. The distance to a convex combination of a
//! triangle's corners is `upper`. The rounding of each is bounded below.

use glam::DVec3;

use super::pyramid::{Cells, Node, Range};
use super::{HeightField, upwards};
use crate::error::{Error, check_components};
use crate::geom::closest::{Region, closest_on_triangle};
use crate::math::bracket::Bracket;
use crate::math::interval::{Interval, IntervalVec3};
use crate::math::predicates::Sign;
use crate::math::tolerances::UNIT_ROUNDOFF;

/// The distance to a box: differences (1u each), a sum of three squares and a root; 4u in all. Twice that also covers
/// the multiplication that rounds it down.
const BOX: f64 = 1.0 - 8.0 * UNIT_ROUNDOFF;

/// A block whose box is nearer than the best point by at most this fraction is pruned, and its bound kept. This widens
/// the bracket by 48u of the distance, and saves visiting every block of a field so far away that rounding hides which
/// is nearest: there the bound of a box is 8u below its distance ([`BOX`]), and the upper bound of a point at most 29u
/// above (8u and 8u by [`LENGTH_UP`], 5u by [`OFFSET`], 4u by the sum of the weights, and the roundings between).
const NEAR_ENOUGH: f64 = 1.0 - 48.0 * UNIT_ROUNDOFF;

/// Error of an inner product `n · (v - q)` relative to the sum of the magnitudes of its terms: a difference, a product
/// and two sums, 4u, and 1u for second-order terms.
const INNER: f64 = 5.0 * UNIT_ROUNDOFF;

/// A length computed from three exact components: 3u; also covers rounding of a quotient by it. Rounded up.
const LENGTH_UP: f64 = 1.0 + 8.0 * UNIT_ROUNDOFF;

/// Error of the offset `sum of w (v - q)` per component, relative to the same sum of magnitudes: a difference, a
/// product and two sums, 4u, and 1u for second-order terms.
const OFFSET: f64 = 5.0 * UNIT_ROUNDOFF;

/// Squares of anything smaller could underflow, so vectors are scaled up before their length is computed.
const SMALL: f64 = 1e-140;

/// Three siblings are pending at each of at most 29 levels, and the last four.
const STACK: usize = 3 * 29 + 4;

/// The point of a height field's surface closest to a query point, in the field's frame.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::HeightField;
/// let flat = HeightField::new(2, 2, DVec2::ONE, vec![0.0; 4])?;
/// let found = flat.closest_point(DVec3::new(0.75, 0.25, -2.0))?;
/// assert!(found.distance.contains(2.0));
/// assert_eq!((found.point, found.triangle), (DVec3::new(0.75, 0.25, 0.0), 0));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SurfacePoint {
    /// From the query to the nearest point of the surface; never negative.
    pub distance: Bracket,
    /// The closest point, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// The triangle that contains it; one of several at an edge or a grid point.
    pub triangle: u32,
}

/// The signed distance from a point to the solid of a height field, in the field's frame.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::HeightField;
/// let flat = HeightField::new(2, 2, DVec2::ONE, vec![0.0; 4])?;
/// let beside = flat.signed_distance(DVec3::new(4.0, 0.5, -7.0))?;
/// assert_eq!((beside.distance.value, beside.triangle), (3.0, None)); // from the side of the solid
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SurfaceDistance {
    /// From the point to the nearest boundary point of the solid: positive outside, negative inside.
    pub distance: Bracket,
    /// The nearest boundary point, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// The triangle that contains it; `None` for a side of the solid, below the edge of the footprint.
    pub triangle: Option<u32>,
}

impl HeightField {
    /// The point of the surface closest to `query`. The sides of the solid are ignored; see
    /// [`HeightField::signed_distance`].
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let flat = HeightField::new(9, 9, DVec2::ONE, vec![1.0; 81])?;
    /// let found = flat.closest_point(DVec3::new(2.5, 9.0, 1.0))?;
    /// assert_eq!(found.point, DVec3::new(2.5, 8.0, 1.0));
    /// assert!(found.distance.contains(1.0) && found.distance.width() < 1e-14);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn closest_point(&self, query: DVec3) -> Result<SurfacePoint, Error> {
        check_components("query", query)?;
        Ok(self.closest(query))
    }

    /// The signed distance to the solid below the surface. Its sides, below the edge of the footprint, are part of its
    /// boundary. The sign is exact.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let flat = HeightField::new(9, 9, DVec2::ONE, vec![0.0; 81])?;
    /// assert_eq!(flat.signed_distance(DVec3::new(4.0, 4.0, 2.0))?.distance.value, 2.0);
    /// assert_eq!(flat.signed_distance(DVec3::new(4.0, 4.0, -2.0))?.distance.value, -2.0);
    /// let side = flat.signed_distance(DVec3::new(1.0, 4.0, -2.0))?;
    /// assert_eq!((side.distance.value, side.point, side.triangle), (-1.0, DVec3::new(0.0, 4.0, -2.0), None));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn signed_distance(&self, query: DVec3) -> Result<SurfaceDistance, Error> {
        check_components("query", query)?;
        let surface = self.closest(query);
        let mut best = SurfaceDistance {
            distance: Bracket {
                value: surface.distance.value,
                lower: surface.distance.lower,
                upper: surface.distance.upper,
            },
            point: surface.point,
            triangle: Some(surface.triangle),
        };
        // A side of the solid is the part of a vertical rectangle, unbounded below, that lies below the surface's edge.
        // The nearest point of the rectangle is at the query's height; if it is above that edge, the nearest point of
        // the side is on the edge and already covered by the surface.
        let end = DVec3::new(self.x(self.data.columns - 1), self.y(self.data.rows - 1), 0.0);
        let (x, y) = (query.x.clamp(0.0, end.x), query.y.clamp(0.0, end.y));
        for (x, y) in [(0.0, y), (end.x, y), (x, 0.0), (x, end.y)] {
            let point = DVec3::new(x, y, query.z);
            if self.side(point).is_none_or(Sign::is_positive) {
                continue;
            }
            let apart = IntervalVec3::new(
                Interval::point(query.x) - Interval::point(x),
                Interval::point(query.y) - Interval::point(y),
                Interval::ZERO,
            );
            let bounds = apart.norm();
            let distance = bounds.midpoint();
            if distance < best.distance.value {
                best =
                    SurfaceDistance { distance: Bracket { value: distance, ..best.distance }, point, triangle: None };
            }
            best.distance.lower = best.distance.lower.min(bounds.lo());
            best.distance.upper = best.distance.upper.min(bounds.hi());
        }
        best.distance.value = best.distance.value.clamp(best.distance.lower, best.distance.upper);
        if self.contains(query) {
            (best.distance.lower, best.distance.upper) = (-best.distance.upper, -best.distance.lower);
            best.distance.value = -best.distance.value;
        }
        Ok(best)
    }

    fn closest(&self, query: DVec3) -> SurfacePoint {
        let pyramid = &self.data.pyramid;
        let mut search = ClosestSearch { field: self, query, best: None, lower: f64::INFINITY };
        let bounds = self.surface_bounds();
        let below = query.clamp(bounds.min, bounds.max);
        // The clamped point is in the footprint, so it has a cell.
        if let (Some(column), Some(row)) = (self.column_of(below.x), self.row_of(below.y)) {
            search.cell(column, row);
        }
        let (root, range) = pyramid.root();
        let mut stack = [(0.0, Node::default()); STACK];
        stack[0] = (search.box_distance(pyramid.cells(root), range), root);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (bound, node) = stack[height];
            if search.passes_by(bound) {
                continue;
            }
            if node.level == 0 {
                search.block(pyramid.cells(node));
                continue;
            }
            let mut children = pyramid.children(node).map(|(child, range)| {
                let there = range.min <= range.max;
                (if there { search.box_distance(pyramid.cells(child), range) } else { f64::INFINITY }, child)
            });
            // The farthest is pushed first. The sort is stable, so ties keep their order.
            children.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (bound, child) in children {
                if bound.is_finite() && !search.passes_by(bound) {
                    stack[height] = (bound, child);
                    height += 1;
                }
            }
        }
        search.finish()
    }
}

/// A search for the closest point: the best so far, and a lower bound over all triangles tested and blocks pruned.
struct ClosestSearch<'a> {
    field: &'a HeightField,
    query: DVec3,
    best: Option<SurfacePoint>,
    lower: f64,
}

impl ClosestSearch<'_> {
    /// Whether anything at this distance can be pruned; if so, its bound is kept.
    fn passes_by(&mut self, bound: f64) -> bool {
        let pass = self.best.is_some_and(|best| bound >= best.distance.upper * NEAR_ENOUGH);
        if pass {
            self.lower = self.lower.min(bound);
        }
        pass
    }

    /// A lower bound on the distance to a box of cells and heights.
    fn box_distance(&self, cells: Cells, range: Range) -> f64 {
        let field = self.field;
        let min = DVec3::new(field.x(cells.column), field.y(cells.row), f64::from(range.min));
        let max = DVec3::new(field.x(cells.column_end), field.y(cells.row_end), f64::from(range.max));
        let apart = (min - self.query).max(self.query - max).max(DVec3::ZERO);
        let largest = apart.max_element();
        if largest < SMALL { largest * BOX } else { apart.length() * BOX }
    }

    fn block(&mut self, cells: Cells) {
        for row in cells.row..cells.row_end {
            for column in cells.column..cells.column_end {
                let field = self.field;
                let [a, b] = [field.height(column, row), field.height(column + 1, row)];
                let [d, c] = [field.height(column, row + 1), field.height(column + 1, row + 1)];
                let range = Range { min: a.min(b).min(c.min(d)), max: a.max(b).max(c.max(d)) };
                let cell = Cells { column, column_end: column + 1, row, row_end: row + 1 };
                let bound = self.box_distance(cell, range);
                if !self.passes_by(bound) {
                    self.cell(column, row);
                }
            }
        }
    }

    fn cell(&mut self, column: u32, row: u32) {
        self.triangle(column, row, false);
        self.triangle(column, row, true);
    }

    fn triangle(&mut self, column: u32, row: u32, left: bool) {
        let corners @ [a, b, c] = self.field.corners(column, row, left);
        let found = closest_on_triangle(self.query, a, b, c);
        let from_query = corners.map(|corner| corner - self.query);
        let upper = upper_bound(from_query, found.weights);
        let direction = match found.region {
            Region::Vertex(k) => from_query[usize::from(k)],
            Region::Edge(k) => {
                let (from, to) = (usize::from(k), (usize::from(k) + 1) % 3);
                let nearer = if found.weights[from] >= found.weights[to] { from } else { to };
                across(from_query[nearer], corners[to] - corners[from])
            }
            _ => {
                let normal = upwards(corners, left);
                if normal.dot(from_query[0]) < 0.0 { -normal } else { normal }
            }
        };
        let lower = lower_bound(from_query, direction);
        self.lower = self.lower.min(lower);
        let candidate = SurfacePoint {
            distance: Bracket { value: found.distance, lower, upper },
            point: found.point,
            triangle: self.field.triangle_id(column, row, left),
        };
        let better =
            |best: SurfacePoint| (candidate.distance.upper, candidate.triangle) < (best.distance.upper, best.triangle);
        if self.best.is_none_or(better) {
            self.best = Some(candidate);
        }
    }

    fn finish(self) -> SurfacePoint {
        // The cell below the query has been tested, so there is a best.
        let best = self.best.unwrap_or(SurfacePoint {
            distance: Bracket { value: 0.0, lower: 0.0, upper: f64::INFINITY },
            point: self.query,
            triangle: 0,
        });
        let lower = self.lower.min(best.distance.upper);
        SurfacePoint {
            distance: Bracket { lower, value: best.distance.value.clamp(lower, best.distance.upper), ..best.distance },
            ..best
        }
    }
}

/// The distance from the origin to the convex combination of the corners with these weights, rounded up. The weights
/// are not negative; divided by their sum they give a point of the triangle.
fn upper_bound(corners: [DVec3; 3], weights: [f64; 3]) -> f64 {
    let mut offset = DVec3::ZERO;
    let mut size = DVec3::ZERO;
    for (corner, weight) in corners.into_iter().zip(weights) {
        offset += weight * corner;
        size += weight * corner.abs();
    }
    // The sum of three weights is off by at most 2u.
    let total = (weights[0] + weights[1] + weights[2]) * (1.0 - 4.0 * UNIT_ROUNDOFF);
    (length_up(offset) + OFFSET * length_up(size) + f64::MIN_POSITIVE) / total * LENGTH_UP
}

/// A lower bound on the distance from the origin to a triangle: its least extent along a direction. Any direction is
/// valid; the best is that of the closest point.
fn lower_bound(corners: [DVec3; 3], direction: DVec3) -> f64 {
    let largest = direction.abs().max_element();
    if largest < f64::MIN_POSITIVE {
        return 0.0;
    }
    // The rounded direction is a different one, but just as valid.
    let direction = direction / largest;
    let least = corners.map(|corner| {
        let size = direction.abs().dot(corner.abs());
        direction.dot(corner) - INNER * size - f64::MIN_POSITIVE
    });
    let gap = least[0].min(least[1]).min(least[2]);
    if gap > 0.0 { gap / (direction.length() * LENGTH_UP) } else { 0.0 }
}

/// The component of `offset` orthogonal to `side`, orthogonalised twice so that the remainder along `side` is small
/// relative to the component itself.
fn across(offset: DVec3, side: DVec3) -> DVec3 {
    let side = side / side.abs().max_element();
    let squared = side.length_squared();
    let rough = offset - side * (offset.dot(side) / squared);
    rough - side * (rough.dot(side) / squared)
}

/// The length of a vector, rounded up.
fn length_up(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest < SMALL { largest * 1.7321 } else { v.length() * LENGTH_UP }
}
