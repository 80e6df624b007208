//! Rays against height fields: the cells below a line, in order, and where the line crosses the surface over them.
//!
//! Eberle 2004, section 6: follow the ray over the grid as Bresenham's algorithm draws a line, and test a cell only if
//! the ray's heights on entering and leaving it overlap the heights of its corners. Departures:
//!
//! - **Blocks.** The pyramid of heights is descended nearest child first; a block whose heights the ray misses is
//!   skipped. Within a block of level 0 the cells are visited one by one. These tests are in `f64`, widened by a bound
//!   on their rounding, and skip only what the ray certainly misses.
//! - **No cell is missed.** The step from cell to cell is decided by the exact sign of one grid point relative to the
//!   line seen from above (the error term of Bresenham's algorithm, but exact). Grid points on the line count as left
//!   of it (or as right, if the line would otherwise miss the footprint that it touches). This shifts the line by an
//!   infinitesimal amount: the shifted line meets no grid point, and since the closed triangles that it meets are
//!   finitely many, they cover the line itself.
//! - **No crossing is missed or counted twice.** Along the line, the height of the ray above the surface is continuous
//!   and linear over each triangle. Its exact signs where the line enters and leaves the triangle show whether there is
//!   a zero, and the sign on leaving one triangle is that on entering the next. An interval in which the ray lies in
//!   the surface, over however many triangles, is one hit: its first point.

use std::ops::ControlFlow;

use glam::{DVec2, DVec3};

use super::HeightField;
use super::crossing::{Crossing, Line};
use super::pyramid::{Cells, Node, Range};
use crate::error::{Error, check_components};
use crate::math::bracket::Bracket;
use crate::math::predicates::Sign;
use crate::math::tolerances::{MAX_COORDINATE, MIN_SIZE, UNIT_ROUNDOFF};

/// Where a ray hits the surface of a [`HeightField`], in the field's frame.
///
/// ```
/// use clearance::glam::{DVec2, DVec3};
/// use clearance::shape::HeightField;
/// let flat = HeightField::new(2, 2, DVec2::ONE, vec![3.0; 4])?;
/// let hit = flat.ray_cast(DVec3::new(0.5, 0.2, 5.0), -DVec3::Z, 0.0, f64::INFINITY)?.unwrap();
/// assert_eq!((hit.t.value, hit.triangle, hit.from_below), (2.0, 0, false));
/// assert_eq!((hit.point, hit.normal), (DVec3::new(0.5, 0.2, 3.0), DVec3::Z));
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SurfaceHit {
    /// The ray meets the surface at `origin + t * direction`. A length only if the direction is a unit vector.
    pub t: Bracket,
    /// The triangle hit; one of several at an edge or a grid point.
    pub triangle: u32,
    /// `origin + t.value * direction`, rounded.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub point: DVec3,
    /// Upward unit normal of the triangle, whichever side the ray comes from.
    #[cfg_attr(feature = "serde", serde(with = "crate::math::numbers"))]
    pub normal: DVec3,
    /// Whether the ray crosses the triangle's plane from below to above. Exact; false if the ray lies in the plane.
    pub from_below: bool,
}

/// Error of a slab's parameter `(x - o.x) (1 / d.x)`, relative to it: a difference, a quotient, a product, 3u; the rest
/// covers the rounding of the widening itself.
const SLAB: f64 = 6.0 * UNIT_ROUNDOFF;
/// Error of the height `o.z + t d.z` relative to `|o.z| + |t d.z|`, for exact `t`: a product and a sum, 2u; doubled to
/// cover the rounding of the widening itself.
const HEIGHT: f64 = 4.0 * UNIT_ROUNDOFF;
/// What underflow can add to either: 2⁻¹⁰⁷⁴ once or twice.
const UNDERFLOW: f64 = 1e-300;

/// Along an axis on which the line moves more slowly than this, slabs do not bound the parameter. With parameters of at
/// most 4e120 it moves by less than [`STRAY`], so it misses a slab that is farther away than that.
const STILL: f64 = 1e-290;
/// See [`STILL`]: above `4e120 * 1e-290`, and far below the spacing of any grid.
const STRAY: f64 = 1e-160;

/// Stack entries of a descent: three siblings are pending at each of at most 29 levels (2³² cells in blocks of 8), and
/// the last four.
const STACK: usize = 3 * 29 + 4;

impl HeightField {
    /// The first point, with `t_min <= t <= t_max`, where the ray `origin + t * direction` meets the surface from
    /// either side. The sides of the solid are ignored. Parameters may be negative and infinite.
    ///
    /// A ray through an edge or a grid point never slips through; whether there is a hit is decided exactly. A ray that
    /// runs along the surface hits it at the first common point.
    ///
    /// # Errors
    /// [`Error::NotFinite`] (also for a parameter that is NaN), [`Error::TooLarge`]; [`Error::TooSmall`] for a
    /// direction without a component of at least 1e-60 in magnitude.
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let flat = HeightField::new(9, 9, DVec2::ONE, vec![0.0; 81])?;
    /// let start = DVec3::new(2.0, 3.0, 1.0);
    /// let down = DVec3::new(1.0, 1.0, -1.0);
    /// assert_eq!(flat.ray_cast(start, down, 0.0, 10.0)?.unwrap().point, DVec3::new(3.0, 4.0, 0.0));
    /// assert_eq!(flat.ray_cast(start, -down, 0.0, 10.0)?, None);
    /// assert_eq!(flat.ray_cast(start, -down, -10.0, 10.0)?.unwrap().t.value, -1.0);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn ray_cast(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
    ) -> Result<Option<SurfaceHit>, Error> {
        let mut first = None;
        self.ray_cast_all(origin, direction, t_min, t_max, |hit| {
            first = Some(hit);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Whether the ray meets the surface with `t_min <= t <= t_max`: as [`HeightField::ray_cast`], without computing
    /// where.
    ///
    /// # Errors
    /// As [`HeightField::ray_cast`].
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// let hill = HeightField::new(3, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0])?;
    /// let (eye, other) = (DVec3::new(0.1, 0.5, 0.5), DVec3::new(1.9, 0.5, 0.5));
    /// assert!(hill.ray_hits(eye, other - eye, 0.0, 1.0)?); // they do not see each other
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn ray_hits(&self, origin: DVec3, direction: DVec3, t_min: f64, t_max: f64) -> Result<bool, Error> {
        let mut any = false;
        self.cast(origin, direction, t_min, t_max, &mut |_| {
            any = true;
            ControlFlow::Break(())
        })?;
        Ok(any)
    }

    /// Visits every point with `t_min <= t <= t_max` where the ray meets the surface, in order along the ray, until
    /// `visit` breaks. A crossing at an edge or a grid point is one hit, and so is an interval in which the ray runs in
    /// the surface (its first point).
    ///
    /// # Errors
    /// As [`HeightField::ray_cast`].
    ///
    /// ```
    /// use clearance::glam::{DVec2, DVec3};
    /// use clearance::shape::HeightField;
    /// use std::ops::ControlFlow;
    /// let hill = HeightField::new(3, 2, DVec2::ONE, vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0])?;
    /// let mut hits = Vec::new();
    /// hill.ray_cast_all(DVec3::new(0.0, 0.5, 0.5), DVec3::X, 0.0, 9.0, |hit| {
    ///     hits.push((hit.t.value, hit.from_below));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(hits, [(0.5, false), (1.5, true)]);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn ray_cast_all(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        mut visit: impl FnMut(SurfaceHit) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.cast(origin, direction, t_min, t_max, &mut |hit| visit(hit.finish(self, origin, direction)))
    }

    fn cast(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        check_components("origin", origin)?;
        check_components("direction", direction)?;
        let speed = direction.abs().max_element();
        if speed < MIN_SIZE {
            return Err(Error::TooSmall { what: "direction", value: speed, limit: MIN_SIZE });
        }
        if t_min.is_nan() || t_max.is_nan() {
            return Err(Error::NotFinite { what: "parameter", index: usize::from(t_max.is_nan()) });
        }
        if t_min > t_max {
            return Ok(());
        }
        let line = Line { origin, direction };
        if direction.x == 0.0 && direction.y == 0.0 {
            self.cast_vertical(line, t_min, t_max, visit);
            return Ok(());
        }
        // Surface and origin are within 1e60 on each axis, so along the axis of the greatest speed no hit is farther
        // than 2e60 away: blocks are searched within this finite range.
        let farthest = 4.0 * MAX_COORDINATE / speed;
        let Some(shift) = self.shift_into_footprint(&line) else {
            return Ok(());
        };
        let walk = Walk {
            field: self,
            line,
            t_min,
            t_max,
            from: t_min.max(-farthest),
            to: t_max.min(farthest),
            inverse: DVec2::new(1.0 / direction.x, 1.0 / direction.y),
            forward_x: direction.x >= 0.0,
            forward_y: direction.y >= 0.0,
            on_line_is_left: shift.is_positive(),
            entered: None,
            visit,
        };
        // Stopped early or not, nothing remains to be done.
        let _ = walk.blocks();
        Ok(())
    }

    fn cast_vertical(&self, line: Line, t_min: f64, t_max: f64, visit: &mut dyn FnMut(Found) -> ControlFlow<()>) {
        let Some((column, row, left)) = self.locate(line.origin.x, line.origin.y) else {
            return;
        };
        let crossing = Crossing::plane(self.corners(column, row, left), left);
        let bracket = crossing.bracket(&line);
        if crossing.compare(&line, &bracket, t_min).is_lt() || crossing.compare(&line, &bracket, t_max).is_gt() {
            return;
        }
        let _ = visit(Found { t: bracket, column, row, left, from_below: line.direction.z > 0.0 });
    }

    /// To which side of the line grid points on it are assigned, so that the line enters the footprint if it touches
    /// it: `Positive` for left. `None` if it misses.
    fn shift_into_footprint(&self, line: &Line) -> Option<Sign> {
        let (x, y) = (self.x(self.data.columns - 1), self.y(self.data.rows - 1));
        let sides = [(0.0, 0.0), (x, 0.0), (0.0, y), (x, y)].map(|(x, y)| line.side_of(x, y));
        let (left, right) = (sides.contains(&Sign::Positive), sides.contains(&Sign::Negative));
        if left && right || sides.contains(&Sign::Zero) {
            Some(if right { Sign::Positive } else { Sign::Negative })
        } else {
            None
        }
    }
}

/// A hit before its point and normal are computed.
struct Found {
    t: Bracket,
    column: u32,
    row: u32,
    left: bool,
    from_below: bool,
}

impl Found {
    fn finish(&self, field: &HeightField, origin: DVec3, direction: DVec3) -> SurfaceHit {
        SurfaceHit {
            t: Bracket { value: self.t.value, lower: self.t.lower, upper: self.t.upper },
            triangle: field.triangle_id(self.column, self.row, self.left),
            point: origin + self.t.value * direction,
            normal: field.normal(self.column, self.row, self.left),
            from_below: self.from_below,
        }
    }
}

/// What is known where the line enters a cell, from the previous cell.
#[derive(Clone, Copy)]
struct Entered {
    column: u32,
    row: u32,
    /// Sign of the ray's height above the surface there.
    sign: Sign,
    /// Whether the ray is on the surface there and this hit has been reported.
    reported: bool,
}

/// A triangle below the line: the signs of the ray's height above it where the line enters and leaves it.
struct TriangleSpan {
    column: u32,
    row: u32,
    left: bool,
    enter: (DVec3, DVec3),
    leave: (DVec3, DVec3),
    signs: (Sign, Sign),
}

/// The traversal of the field along a line that is not vertical.
struct Walk<'a> {
    field: &'a HeightField,
    line: Line,
    t_min: f64,
    t_max: f64,
    /// The finite range in which blocks and cells are searched.
    from: f64,
    to: f64,
    /// Reciprocal of the direction, used along axes on which the line is not [`STILL`].
    inverse: DVec2,
    forward_x: bool,
    forward_y: bool,
    /// The side to which grid points exactly on the line are assigned.
    on_line_is_left: bool,
    entered: Option<Entered>,
    visit: &'a mut dyn FnMut(Found) -> ControlFlow<()>,
}

impl Walk<'_> {
    /// Visits blocks in order along the line. Of the four children of a block the line meets the nearest, then at most
    /// one of the two beside it, then the farthest.
    fn blocks(mut self) -> ControlFlow<()> {
        let pyramid = &self.field.data.pyramid;
        let nearest = usize::from(!self.forward_x) + 2 * usize::from(!self.forward_y);
        let order = [nearest ^ 3, nearest ^ 2, nearest ^ 1, nearest];
        let mut stack = [Node::default(); STACK];
        // The line touches the footprint; otherwise there would be no traversal.
        (stack[0], _) = pyramid.root();
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let node = stack[height];
            let cells = pyramid.cells(node);
            if node.level == 0 {
                self.cells(cells)?;
                continue;
            }
            let children = pyramid.children(node);
            let [columns, rows] = pyramid.halves(node, cells);
            let (o, d) = (self.line.origin, self.line.direction);
            let across = slabs(columns.map(|column| self.field.x(column)), o.x, d.x, self.inverse.x);
            let along = slabs(rows.map(|row| self.field.y(row)), o.y, d.y, self.inverse.y);
            for k in order {
                let (child, range) = children[k];
                let ((near_x, far_x), (near_y, far_y)) = (across[k & 1], along[k >> 1]);
                let (from, to) = (self.from.max(near_x).max(near_y), self.to.min(far_x).min(far_y));
                if range.min <= range.max && from <= to && self.heights_meet(from, to, range) {
                    stack[height] = child;
                    height += 1;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether the ray between two parameters may be at a height in the range.
    #[inline]
    fn heights_meet(&self, from: f64, to: f64, range: Range) -> bool {
        let (o, d) = (self.line.origin.z, self.line.direction.z);
        let (a, b) = (from * d, to * d);
        let slack = HEIGHT * (o.abs() + a.abs().max(b.abs())) + UNDERFLOW;
        let (low, high) = if d >= 0.0 { (o + a, o + b) } else { (o + b, o + a) };
        low - slack <= f64::from(range.max) && high + slack >= f64::from(range.min)
    }

    /// Whether a grid point lies left of the line; those on it are assigned to the chosen side.
    #[inline]
    fn is_left(&self, column: u32, row: u32) -> bool {
        match self.line.side_of(self.field.x(column), self.field.y(row)) {
            Sign::Positive => true,
            Sign::Negative => false,
            Sign::Zero => self.on_line_is_left,
        }
    }

    /// Visits the cells of a block, if the line meets it.
    fn cells(&mut self, cells: Cells) -> ControlFlow<()> {
        let (near_x, far_x) =
            if self.forward_x { (cells.column, cells.column_end) } else { (cells.column_end, cells.column) };
        let (near_y, far_y) = if self.forward_y { (cells.row, cells.row_end) } else { (cells.row_end, cells.row) };
        // Of a block's corners, the two that are neither nearest nor farthest lie most to the left and most to the
        // right.
        let beside_x = self.is_left(far_x, near_y);
        if beside_x == self.is_left(near_x, far_y) {
            return ControlFlow::Continue(());
        }
        // The side through which the line enters, and the grid points of that side between which it does.
        let near = self.is_left(near_x, near_y);
        let mut through_x = near == beside_x;
        let (mut column, mut row);
        if through_x {
            let line = self.last_like(near, near_y, far_y, |y| self.is_left(near_x, y));
            column = if self.forward_x { near_x } else { near_x - 1 };
            row = if self.forward_y { line } else { line - 1 };
        } else {
            let line = self.last_like(near, near_x, far_x, |x| self.is_left(x, near_y));
            column = if self.forward_x { line } else { line - 1 };
            row = if self.forward_y { near_y } else { near_y - 1 };
        }
        let mut t_enter = self.t_at_side(column, row, through_x, true);
        // Each step leaves a column or a row behind.
        for _ in 0..(cells.column_end - cells.column) + (cells.row_end - cells.row) {
            if before(t_enter) > self.to {
                return ControlFlow::Continue(());
            }
            let (corner_x, corner_y) = (column + u32::from(self.forward_x), row + u32::from(self.forward_y));
            let out_x = self.is_left(corner_x, corner_y) == (self.forward_x == self.forward_y);
            let t_leave = self.t_at_side(column, row, out_x, false);
            self.cell(column, row, through_x, out_x, before(t_enter), after(t_leave))?;
            let (value, forward, first, end) = if out_x {
                (&mut column, self.forward_x, cells.column, cells.column_end)
            } else {
                (&mut row, self.forward_y, cells.row, cells.row_end)
            };
            if if forward { *value + 1 == end } else { *value == first } {
                return ControlFlow::Continue(());
            }
            *value = if forward { *value + 1 } else { *value - 1 };
            (through_x, t_enter) = (out_x, t_leave);
        }
        ControlFlow::Continue(())
    }

    /// The last grid line from `near` towards `far` for which `is_left` is `value`. It is at `near` and is not at
    /// `far`, and changes once along a line of grid points.
    fn last_like(&self, value: bool, near: u32, far: u32, is_left: impl Fn(u32) -> bool) -> u32 {
        let (mut like, mut unlike) = (near, far);
        while like.abs_diff(unlike) > 1 {
            let middle = like.min(unlike) + like.abs_diff(unlike) / 2;
            if is_left(middle) == value {
                like = middle;
            } else {
                unlike = middle;
            }
        }
        like
    }

    /// The parameter, rounded, at which the line enters or leaves a cell through its side of constant x or y;
    /// meaningful only if the line moves along that axis.
    #[inline]
    fn t_at_side(&self, column: u32, row: u32, through_x: bool, entering: bool) -> f64 {
        let (o, d) = (self.line.origin, self.line.direction);
        if through_x {
            (self.field.x(column + u32::from(self.forward_x != entering)) - o.x) / d.x
        } else {
            (self.field.y(row + u32::from(self.forward_y != entering)) - o.y) / d.y
        }
    }

    /// Tests one cell, which the line enters and leaves at the given parameters (widened) through sides of constant x
    /// or y.
    #[inline]
    fn cell(
        &mut self,
        column: u32,
        row: u32,
        through_x: bool,
        out_x: bool,
        t_enter: f64,
        t_leave: f64,
    ) -> ControlFlow<()> {
        let field = self.field;
        let [a, b] = [field.height(column, row), field.height(column + 1, row)];
        let [d, c] = [field.height(column, row + 1), field.height(column + 1, row + 1)];
        let range = Range { min: a.min(b).min(c.min(d)), max: a.max(b).max(c.max(d)) };
        let (from, to) = (t_enter.max(self.from), t_leave.min(self.to));
        if from > to || !self.heights_meet(from, to, range) {
            self.entered = None;
            return ControlFlow::Continue(());
        }
        self.triangles(column, row, through_x, out_x)
    }

    /// Tests the one or two triangles of a cell that the line meets, in order.
    fn triangles(&mut self, column: u32, row: u32, through_x: bool, out_x: bool) -> ControlFlow<()> {
        let field = self.field;
        let (near_x, far_x) = if self.forward_x { (column, column + 1) } else { (column + 1, column) };
        let (near_y, far_y) = if self.forward_y { (row, row + 1) } else { (row + 1, row) };
        let (near, far) = (field.vertex(near_x, near_y), field.vertex(far_x, far_y));
        let (beside_x, beside_y) = (field.vertex(far_x, near_y), field.vertex(near_x, far_y));
        let alike = self.forward_x == self.forward_y;
        // The corner ahead along x is to the right of the line if the line moves in the same direction along both axes,
        // otherwise to the left; the other one beside it is on the opposite side. Each edge starts at such a corner, so
        // its side is known.
        let enter = if through_x { (beside_y, near) } else { (beside_x, near) };
        let leave = if out_x { (beside_x, far) } else { (beside_y, far) };
        let enter_left = through_x == alike;
        let leave_left = out_x != alike;
        let (sign_in, reported) = match self.entered {
            Some(entered) if entered.column == column && entered.row == row => (entered.sign, entered.reported),
            _ => (self.sign_at(enter, enter_left), false),
        };
        let sign_out = self.sign_at(leave, leave_left);
        // The sides of smallest x and of greatest y belong to the triangle left of the diagonal.
        let first_left = if through_x { self.forward_x } else { !self.forward_y };
        let last_left = if out_x { !self.forward_x } else { self.forward_y };
        let piece = |left, enter, leave, signs| TriangleSpan { column, row, left, enter, leave, signs };
        let reported = if first_left == last_left {
            self.piece(piece(first_left, enter, leave, (sign_in, sign_out)), reported)?
        } else {
            // The diagonal is crossed too: the line goes from the nearest corner to the farthest, or straight across.
            let (diagonal, diagonal_left) =
                if alike { ((near, far), !enter_left) } else { ((beside_x, beside_y), true) };
            let sign = self.sign_at(diagonal, diagonal_left);
            let reported = self.piece(piece(first_left, enter, diagonal, (sign_in, sign)), reported)?;
            self.piece(piece(last_left, diagonal, leave, (sign, sign_out)), reported)?
        };
        let (next_column, next_row) =
            if out_x { (step(column, self.forward_x), row) } else { (column, step(row, self.forward_y)) };
        self.entered = Some(Entered { column: next_column, row: next_row, sign: sign_out, reported });
        ControlFlow::Continue(())
    }

    /// The exact sign of the ray's height above the edge `(p, q)` where the line crosses it, given on which side of the
    /// line `p` lies; `q` lies on the other.
    ///
    /// With `P = p - o`, `Q = q - o` and `s` the determinant of `Line::side_of`, the height is
    /// `-d · (P x Q) / (s(p) - s(q))`; the divisor has the sign of `p`'s side.
    #[inline]
    fn sign_at(&self, (p, q): (DVec3, DVec3), p_is_left: bool) -> Sign {
        let sign = self.line.passes(p, q);
        if p_is_left { -sign } else { sign }
    }

    /// Reports the zero in a span, unless it continues one already reported. Returns whether the ray leaves the span on
    /// the surface and this hit has been reported.
    fn piece(&mut self, piece: TriangleSpan, reported: bool) -> ControlFlow<(), bool> {
        let crossing = match piece.signs {
            (Sign::Zero, out) if reported => return ControlFlow::Continue(out.is_zero()),
            (Sign::Zero, _) => Crossing::Edge { p: piece.enter.0, q: piece.enter.1 },
            (enter, leave) if enter == leave => return ControlFlow::Continue(false),
            _ => Crossing::plane(self.field.corners(piece.column, piece.row, piece.left), piece.left),
        };
        let mut t = crossing.bracket(&self.line);
        if crossing.compare(&self.line, &t, self.t_max).is_gt() {
            // Everything after this is farther away.
            return ControlFlow::Break(());
        }
        if crossing.compare(&self.line, &t, self.t_min).is_lt() {
            let stays = piece.signs == (Sign::Zero, Sign::Zero) && {
                let end = Crossing::Edge { p: piece.leave.0, q: piece.leave.1 };
                end.compare(&self.line, &end.bracket(&self.line), self.t_min).is_ge()
            };
            if !stays {
                return ControlFlow::Continue(false);
            }
            // The ray starts in the surface.
            t = Bracket::exact(self.t_min);
        }
        let from_below = match piece.signs {
            // In the plane, or through a corner that only the shifted line cuts off.
            (Sign::Zero, Sign::Zero) => {
                Crossing::plane(self.field.corners(piece.column, piece.row, piece.left), piece.left).rises(&self.line)
            }
            (enter, leave) => enter < leave,
        };
        (self.visit)(Found { t, column: piece.column, row: piece.row, left: piece.left, from_below })?;
        ControlFlow::Continue(piece.signs.1.is_zero())
    }
}

/// The neighbouring cell's index; beyond the end of the field, an index that no cell has.
fn step(index: u32, forward: bool) -> u32 {
    if forward { index + 1 } else { index.wrapping_sub(1) }
}

/// The parameters between which the line may be in each of two adjacent slabs, given by three grid lines; an empty
/// range where it certainly never is.
#[inline]
fn slabs(lines: [f64; 3], o: f64, d: f64, inverse: f64) -> [(f64, f64); 2] {
    if d.abs() < STILL {
        return [0, 1].map(|k| {
            let near = lines[k] - o <= STRAY && o - lines[k + 1] <= STRAY;
            if near { (f64::NEG_INFINITY, f64::INFINITY) } else { (f64::INFINITY, f64::NEG_INFINITY) }
        });
    }
    let [a, b, c] = lines.map(|line| (line - o) * inverse);
    if d > 0.0 {
        [(before(a), after(b)), (before(b), after(c))]
    } else {
        [(before(b), after(a)), (before(c), after(b))]
    }
}

/// Parameters beyond this are far outside any searched range; infinite ones are clamped to it.
const BEYOND: f64 = 1e300;

/// A slab's parameter, rounded down by more than its error.
#[inline]
fn before(t: f64) -> f64 {
    let t = t.clamp(-BEYOND, BEYOND);
    t - (SLAB * t.abs() + UNDERFLOW)
}

/// A slab's parameter, rounded up by more than its error.
#[inline]
fn after(t: f64) -> f64 {
    let t = t.clamp(-BEYOND, BEYOND);
    t + (SLAB * t.abs() + UNDERFLOW)
}
