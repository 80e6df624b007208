//! Regular height fields: terrain given as heights over a grid.
//!
//! After Eberle, *Primitive Tests for Collision Detection* (SIGGRAPH 2004 course notes), section 6, and Musgrave, *Grid
//! tracing* (1988): a ray is traced from cell to cell as a line is rasterised, and a cell is tested only where the
//! ray's heights overlap the heights of its corners. Departures:
//! - a pyramid of minimum and maximum heights (`pyramid.rs`) lets every traversal skip whole blocks;
//! - the traversal is decided by exact signs, and crossings by the sign of the ray's height above the surface where it
//!   enters and leaves a triangle, so no ray slips through an edge or a corner (`ray.rs`);
//! - every number comes with a proved bracket (`crossing.rs`, `closest.rs`).
//!
//! Grid lines are the `f64` numbers `i as f64 * spacing`, rounded once, and heights are the given `f32` numbers: these
//! *are* the surface, without tolerance.

mod closest;
mod crossing;
mod farthest;
mod pyramid;
mod ray;
mod side;
mod wheel;
mod window;

pub use closest::{SurfaceDistance, SurfacePoint};
pub use ray::SurfaceHit;
pub(crate) use side::GroundSide;
pub use wheel::{Wheel, WheelContact};

use std::fmt;
use std::sync::Arc;

use crossing::{Crossing, Line};
use glam::{DVec2, DVec3};
use pyramid::Pyramid;

use crate::bound::Aabb;
use crate::error::{Error, check_size};
use crate::math::bracket::Bracket;
#[cfg(feature = "serde")]
use crate::math::numbers::data_form;
use crate::math::predicates::{Axis, Sign, orient2d, orient3d};
use crate::math::tolerances::MAX_COORDINATE;

/// Terrain: heights over a regular grid, and the solid below them. Cheap to clone: the heights are shared.
///
/// Grid point `(i, j)` is at `(i * spacing.x, j * spacing.y, heights[j * columns + i])`, z up. The cell `(i, j)`
/// between four grid points consists of two triangles, split along the diagonal from `(i, j)` to `(i + 1, j + 1)`. With
/// `cell = j * (columns - 1) + i`, triangle `2 * cell` lies to the right of the diagonal (towards larger x) with
/// corners `(i, j)`, `(i + 1, j)`, `(i + 1, j + 1)`; triangle `2 * cell + 1` lies to its left with corners `(i, j)`,
/// `(i + 1, j + 1)`, `(i, j + 1)`. Both are counter-clockwise seen from above.
///
/// **The body is the solid below the surface**: all points `(x, y, z)` with `(x, y)` in the closed footprint of the
/// grid and `z <= h(x, y)`, unbounded below. So a wheel that has sunk below the surface is inside the body, as
/// containment and depth require; if the body were only the surface, the wheel would be clear of it. The vertical sides
/// below the edge of the footprint belong to the solid's boundary.
///
/// Heights are `f32`, since fields are large (10,000 x 10,000 points take 400 MB) and measured terrain is accurate to
/// far fewer than seven digits; they are used exactly as given, and all arithmetic with them is in `f64` or better. A
/// pyramid of minimum and maximum heights adds 4.2 % to their memory.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::HeightField;
///
/// // A ridge along y, one high, over a footprint of 2 x 1.
/// let ridge = HeightField::new(3, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0])?;
/// assert_eq!(ridge.height_at(0.5, 0.3).unwrap().height.value, 0.5);
/// let hit = ridge.ray_cast(DVec3::new(-1.0, 0.5, 0.5), DVec3::X, 0.0, f64::INFINITY)?.unwrap();
/// assert!(hit.t.contains(1.5));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone)]
pub struct HeightField {
    data: Arc<Data>,
}

struct Data {
    columns: u32,
    rows: u32,
    spacing: DVec2,
    heights: Vec<f32>,
    pyramid: Pyramid,
}

/// The height of a height field's surface at one point.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::HeightField;
/// let flat = HeightField::new(2, 2, DVec2::ONE, vec![3.0; 4])?;
/// let sample = flat.height_at(0.75, 0.25).unwrap();
/// assert!(sample.height.contains(3.0));
/// assert_eq!((sample.triangle, sample.normal), (0, DVec3::Z));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct HeightSample {
    /// The height of the surface there, in the field's frame.
    pub height: Bracket,
    /// The triangle above the point; one of several above an edge or a grid point.
    pub triangle: u32,
    /// Upward unit normal of that triangle.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
}

impl HeightField {
    /// A height field of `columns` x `rows` heights, row by row, at least two of each: the height of grid point
    /// `(i, j)` is `heights[j * columns + i]`.
    ///
    /// # Errors
    /// [`Error::TooFew`] for columns or rows, [`Error::TooMany`] for triangles, [`Error::WrongCount`] for heights,
    /// [`Error::NotFinite`], [`Error::NotPositive`] or [`Error::TooSmall`] for the spacing (below 1e-60),
    /// [`Error::TooLarge`] for the footprint.
    ///
    /// ```
    /// use clearance::{Error, glam::DVec2};
    /// use clearance::shape::HeightField;
    /// assert!(HeightField::new(2, 2, DVec2::ONE, vec![0.0; 4]).is_ok());
    /// assert_eq!(
    ///     HeightField::new(2, 2, DVec2::ONE, vec![0.0, 0.0, f32::NAN, 0.0]),
    ///     Err(Error::NotFinite { what: "height", index: 2 })
    /// );
    /// ```
    pub fn new(columns: usize, rows: usize, spacing: DVec2, heights: Vec<f32>) -> Result<HeightField, Error> {
        for (what, count) in [("columns", columns), ("rows", rows)] {
            if count < 2 {
                return Err(Error::TooFew { what, least: 2, count });
            }
        }
        let points = columns.saturating_mul(rows);
        if heights.len() != points {
            return Err(Error::WrongCount { what: "heights", expected: points, count: heights.len() });
        }
        let triangles = (columns - 1).saturating_mul(rows - 1).saturating_mul(2);
        let too_many = Error::TooMany { what: "triangles", count: triangles };
        if u32::try_from(triangles).is_err() || u32::try_from(points).is_err() {
            return Err(too_many);
        }
        let (Ok(columns), Ok(rows)) = (u32::try_from(columns), u32::try_from(rows)) else {
            return Err(too_many);
        };
        for (index, (value, count)) in [(spacing.x, columns), (spacing.y, rows)].into_iter().enumerate() {
            if !value.is_finite() {
                return Err(Error::NotFinite { what: "spacing", index });
            }
            if value <= 0.0 {
                return Err(Error::NotPositive { what: "spacing", value });
            }
            // Then slopes and ray parameters, which are quotients of lengths, stay below 1e121.
            check_size("spacing", value)?;
            let extent = f64::from(count - 1) * value;
            if extent > MAX_COORDINATE {
                return Err(Error::TooLarge { what: "size of the footprint", index, value: extent });
            }
        }
        if let Some(index) = heights.iter().position(|height| !height.is_finite()) {
            return Err(Error::NotFinite { what: "height", index });
        }
        let pyramid = Pyramid::new(columns, rows, &heights);
        Ok(HeightField { data: Arc::new(Data { columns, rows, spacing, heights, pyramid }) })
    }

    /// Number of grid points along x.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// assert_eq!(HeightField::new(3, 2, DVec2::ONE, vec![0.0; 6])?.columns(), 3);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn columns(&self) -> usize {
        self.data.columns as usize
    }

    /// Number of grid points along y.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// assert_eq!(HeightField::new(3, 2, DVec2::ONE, vec![0.0; 6])?.rows(), 2);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.data.rows as usize
    }

    /// Distances between neighbouring grid points along x and y.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// let spacing = DVec2::new(0.5, 2.0);
    /// assert_eq!(HeightField::new(2, 2, spacing, vec![0.0; 4])?.spacing(), spacing);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn spacing(&self) -> DVec2 {
        self.data.spacing
    }

    /// All heights, row by row, as given.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// assert_eq!(HeightField::new(2, 2, DVec2::ONE, vec![1.0, 2.0, 3.0, 4.0])?.heights()[2], 3.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn heights(&self) -> &[f32] {
        &self.data.heights
    }

    /// Number of triangles of the surface, which are numbered from 0.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// assert_eq!(HeightField::new(3, 2, DVec2::ONE, vec![0.0; 6])?.triangle_count(), 4);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        2 * (self.columns() - 1) * (self.rows() - 1)
    }

    /// The corners of a triangle, counter-clockwise seen from above; `None` if there is no such triangle.
    ///
    /// ```
    /// # use clearance::glam::{DVec2, DVec3};
    /// # use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 0.0, 0.0, 5.0])?;
    /// assert_eq!(field.triangle(0), Some([DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 5.0)]));
    /// assert_eq!(field.triangle(2), None);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn triangle(&self, triangle: u32) -> Option<[DVec3; 3]> {
        if triangle as usize >= self.triangle_count() {
            return None;
        }
        let cell = triangle / 2;
        let cells_in_row = self.data.columns - 1;
        Some(self.corners(cell % cells_in_row, cell / cells_in_row, triangle % 2 == 1))
    }

    /// The smallest axis-aligned bounding box of the *surface*, exact. The solid is unbounded below.
    ///
    /// ```
    /// # use clearance::glam::{DVec2, DVec3};
    /// # use clearance::shape::HeightField;
    /// let field = HeightField::new(3, 2, DVec2::new(1.0, 4.0), vec![0.0, 0.0, 0.0, 0.0, -2.0, 5.0])?;
    /// assert_eq!(field.surface_bounds().min, DVec3::new(0.0, 0.0, -2.0));
    /// assert_eq!(field.surface_bounds().max, DVec3::new(2.0, 4.0, 5.0));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn surface_bounds(&self) -> Aabb {
        let (_, range) = self.data.pyramid.root();
        Aabb::new(
            DVec3::new(0.0, 0.0, f64::from(range.min)),
            DVec3::new(self.x(self.data.columns - 1), self.y(self.data.rows - 1), f64::from(range.max)),
        )
    }

    /// The height of the surface at `(x, y)`; `None` outside the closed footprint or if a number is not finite.
    ///
    /// ```
    /// # use clearance::glam::DVec2;
    /// # use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 1.0])?;
    /// let sample = field.height_at(0.25, 1.0).unwrap();
    /// assert_eq!((sample.height.value, sample.triangle), (0.25, 1));
    /// assert!(field.height_at(0.25, 1.1).is_none());
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn height_at(&self, x: f64, y: f64) -> Option<HeightSample> {
        let (column, row, left) = self.locate(x, y)?;
        // The height is the parameter at which a vertical line of unit speed, starting at height 0, crosses the
        // surface.
        let line = Line { origin: DVec3::new(x, y, 0.0), direction: DVec3::Z };
        let bracket = Crossing::plane(self.corners(column, row, left), left).bracket(&line);
        Some(HeightSample {
            height: Bracket { value: bracket.value, lower: bracket.lower, upper: bracket.upper },
            triangle: self.triangle_id(column, row, left),
            normal: self.normal(column, row, left),
        })
    }

    /// Whether a point lies in the solid, boundary included. Exact. False if a coordinate is not finite.
    ///
    /// ```
    /// # use clearance::glam::{DVec2, DVec3};
    /// # use clearance::shape::HeightField;
    /// let field = HeightField::new(2, 2, DVec2::ONE, vec![1.0; 4])?;
    /// assert!(field.contains(DVec3::new(0.0, 0.5, 1.0)));
    /// assert!(field.contains(DVec3::new(0.0, 0.5, -1e9)));
    /// assert!(!field.contains(DVec3::new(-1e-300, 0.5, 0.0)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    #[must_use]
    pub fn contains(&self, point: DVec3) -> bool {
        point.is_finite() && self.side(point).is_some_and(|side| !side.is_positive())
    }

    /// The exact sign of a point's height above the surface; `None` outside the footprint.
    fn side(&self, point: DVec3) -> Option<Sign> {
        let (column, row, left) = self.locate(point.x, point.y)?;
        let [a, b, c] = self.corners(column, row, left);
        Some(orient3d(a, b, c, point))
    }

    /// The cell that contains a point, and whether the point lies strictly left of the cell's diagonal. Exact.
    fn locate(&self, x: f64, y: f64) -> Option<(u32, u32, bool)> {
        let (column, row) = (self.column_of(x)?, self.row_of(y)?);
        let [a, _, c] = self.corners(column, row, false);
        let left = orient2d(Axis::Z, a, c, DVec3::new(x, y, 0.0)).is_positive();
        Some((column, row, left))
    }

    fn column_of(&self, x: f64) -> Option<u32> {
        interval_of(x, self.data.spacing.x, self.data.columns - 1)
    }

    fn row_of(&self, y: f64) -> Option<u32> {
        interval_of(y, self.data.spacing.y, self.data.rows - 1)
    }

    /// The x of a grid line, exactly as rounded.
    #[inline]
    fn x(&self, column: u32) -> f64 {
        f64::from(column) * self.data.spacing.x
    }

    /// The y of a grid line, exactly as rounded.
    #[inline]
    fn y(&self, row: u32) -> f64 {
        f64::from(row) * self.data.spacing.y
    }

    #[inline]
    fn height(&self, column: u32, row: u32) -> f32 {
        self.data.heights[row as usize * self.data.columns as usize + column as usize]
    }

    #[inline]
    fn vertex(&self, column: u32, row: u32) -> DVec3 {
        DVec3::new(self.x(column), self.y(row), f64::from(self.height(column, row)))
    }

    #[inline]
    fn triangle_id(&self, column: u32, row: u32, left: bool) -> u32 {
        2 * (row * (self.data.columns - 1) + column) + u32::from(left)
    }

    /// The corners of the triangle left or right of a cell's diagonal, in the order of [`HeightField::triangle`].
    #[inline]
    fn corners(&self, column: u32, row: u32, left: bool) -> [DVec3; 3] {
        let (a, c) = (self.vertex(column, row), self.vertex(column + 1, row + 1));
        if left { [a, c, self.vertex(column, row + 1)] } else { [a, self.vertex(column + 1, row), c] }
    }

    /// Upward unit normal of a triangle; the z axis if there is no such triangle.
    pub(crate) fn triangle_normal(&self, triangle: u32) -> DVec3 {
        self.triangle(triangle).map_or(DVec3::Z, |corners| upwards(corners, triangle % 2 == 1).normalize())
    }

    /// Upward unit normal.
    fn normal(&self, column: u32, row: u32, left: bool) -> DVec3 {
        upwards(self.corners(column, row, left), left).normalize()
    }
}

/// The upward normal of a triangle given as by [`HeightField::corners`], with largest component 1; each component is
/// off by a few roundings, however steep or thin the triangle. Slopes are below 1e99, so nothing overflows.
fn upwards([a, b, c]: [DVec3; 3], left: bool) -> DVec3 {
    let far = if left { b } else { c };
    let (rise_x, rise_y) = if left { (b.z - c.z, c.z - a.z) } else { (b.z - a.z, c.z - b.z) };
    let normal = DVec3::new(-rise_x / (far.x - a.x), -rise_y / (far.y - a.y), 1.0);
    normal / normal.abs().max_element()
}

/// The index `i < count` with `i * spacing <= value <= (i + 1) * spacing` on the rounded grid lines; at a grid line the
/// interval above it, at the last one the interval below.
fn interval_of(value: f64, spacing: f64, count: u32) -> Option<u32> {
    let line = |index: u32| f64::from(index) * spacing;
    if !(value >= 0.0 && value <= line(count)) {
        return None;
    }
    // The quotient and the grid lines are each rounded, by less than 2^-20 of an interval since there are at most 2^32
    // of them: the estimate is off by at most one.
    let mut index = ((value / spacing) as u32).min(count - 1);
    if line(index) > value {
        index -= 1;
    } else if index + 1 < count && line(index + 1) <= value {
        index += 1;
    }
    Some(index)
}

#[cfg(feature = "serde")]
data_form!(
    HeightField { columns: usize, rows: usize, spacing: DVec2, heights: Vec<f32> },
    |field| (field.columns(), field.rows(), field.spacing(), field.heights().to_vec()),
    HeightField::new,
);

impl PartialEq for HeightField {
    /// Equal grids with equal heights.
    fn eq(&self, other: &HeightField) -> bool {
        let (a, b) = (&self.data, &other.data);
        Arc::ptr_eq(a, b)
            || (a.columns == b.columns && a.rows == b.rows && a.spacing == b.spacing && a.heights == b.heights)
    }
}

impl fmt::Debug for HeightField {
    /// Prints the size, not the heights.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeightField")
            .field("columns", &self.data.columns)
            .field("rows", &self.data.rows)
            .field("spacing", &self.data.spacing)
            .field("bounds", &self.surface_bounds())
            .finish_non_exhaustive()
    }
}
