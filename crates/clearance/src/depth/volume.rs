//! Volume, first moments and surface area of the intersection of two solids.
//!
//! The winding number of a closed surface at a point is the number of triangles above it that face up less those that
//! face down. So the volume of the intersection is, over all pairs of triangles `a` of A and `b` of B, the sum of
//! `± ∫ (min(z_a, z_b) - z_0)` over the intersection of their vertical projections: no intersection surface is
//! constructed, and there is no topology and no special case. Every term is continuous in the corners, so coplanar
//! faces, shared edges and identical bodies are not special, and rounding is the only error; it is bounded pair by
//! pair. (The sums over vertices of the intersection of W. R. Franklin, "Polygon properties calculated from the vertex
//! neighborhoods" (1987), need fewer terms, but each depends on exact predicates with consistent tie-breaking.)
//!
//! Most pairs are skipped. A triangle whose box meets no box of the other body's triangles is *far*: the other surface
//! has a constant winding number `w` on it, and its contribution is `± w ∫ (z - z_0)` over itself. Connected far
//! triangles share one `w`, counted once along a vertical line, by exact predicates. Only *near* triangles are paired,
//! with the near ones of the other body (`min` as above) and with the far ones above them, which are entirely above as
//! the boxes do not meet.
//!
//! The surface of the intersection is the part of each surface inside the other: for a near triangle, the sum of its
//! parts below triangles of the other, projected along its dominant normal axis. That is not continuous where faces
//! coincide, so there exact predicates decide: faces of the same orientation count once, opposite ones do not.
//!
//! Self-intersecting meshes: a point counts with the product of both winding numbers.

use glam::DVec3;

use super::volume_columns::Columns;
use super::volume_pair::{Moments, Seen};
use crate::math::cancel::checkpoint;
use crate::math::double_double::DoubleDouble;
use crate::math::predicates::{Axis, Sign, orient2d, orient3d};
use crate::math::tolerances::{
    ROUND_UP, UNIT_ROUNDOFF, UNIT_ROUNDOFF_SQUARED, VOLUME_AREA, VOLUME_COORDINATE, VOLUME_FACET, VOLUME_SUM,
};

/// One of the two solids, in the common frame, with coordinates at most [`VOLUME_COORDINATE`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SolidSurface {
    pub points: Vec<DVec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The boxes of the triangles.
    boxes: Vec<(DVec3, DVec3)>,
    /// The box of all.
    bounds: (DVec3, DVec3),
    /// Whether the box of the triangle meets one of the other body.
    near: Vec<bool>,
    /// A union-find forest over the points: those joined by far triangles have one root.
    parents: Vec<u32>,
    /// The winding number of the other surface for each root; [`UNKNOWN`] until computed.
    windings: Vec<i32>,
    columns: Columns,
}

const UNKNOWN: i32 = i32::MIN;

/// The intersection of both solids. All of the placed bodies, unless a field says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub volume: DoubleDouble,
    pub volume_off: f64,
    /// The first moments about `about`, and a bound on the error of each.
    pub first: DVec3,
    pub first_off: f64,
    pub about: DVec3,
    pub area: f64,
    /// Bound on the error of `area`, and on its change by the placement error.
    pub area_off: f64,
    /// Bound on the area of the second surface that the placement error may move in or out of the first solid's box: a
    /// shift of its corners by `p` changes the volume by at most `p` times this.
    pub moved: f64,
    /// The intersection of both bodies' boxes, if any.
    pub shared: Option<(DVec3, DVec3)>,
}

/// Permutes the coordinates so that the axis becomes z: cyclic, so handedness is preserved.
fn turned(p: DVec3, axis: usize) -> DVec3 {
    match axis {
        0 => DVec3::new(p.y, p.z, p.x),
        1 => DVec3::new(p.z, p.x, p.y),
        _ => p,
    }
}

/// The inverse of [`turned`].
fn turned_back(p: DVec3, axis: usize) -> DVec3 {
    match axis {
        0 => DVec3::new(p.z, p.x, p.y),
        1 => DVec3::new(p.y, p.z, p.x),
        _ => p,
    }
}

fn meet(p: &(DVec3, DVec3), q: &(DVec3, DVec3)) -> bool {
    p.0.cmple(q.1).all() && q.0.cmple(p.1).all()
}

impl SolidSurface {
    /// Empties everything, for new points and triangles.
    pub fn clear(&mut self) {
        self.points.clear();
        self.triangles.clear();
    }

    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|p| self.points[p as usize])
    }

    fn seen(&self, triangle: usize, axis: usize) -> Option<Seen> {
        Seen::new(self.corners(triangle).map(|p| turned(p, axis)))
    }

    fn turned_box(&self, triangle: usize, axis: usize) -> (DVec3, DVec3) {
        let (low, high) = self.boxes[triangle];
        (turned(low, axis), turned(high, axis))
    }

    fn find_boxes(&mut self) {
        self.boxes.clear();
        for triangle in &self.triangles {
            let [p, q, r] = triangle.map(|p| self.points[p as usize]);
            self.boxes.push((p.min(q).min(r), p.max(q).max(r)));
        }
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.bounds = self.boxes.iter().fold(none, |(low, high), b| (low.min(b.0), high.max(b.1)));
        self.near.clear();
        self.near.resize(self.triangles.len(), false);
    }

    fn fill_columns(&mut self, (low, high): (DVec3, DVec3), axis: usize) {
        let mut columns = std::mem::take(&mut self.columns);
        let count = self.triangles.len();
        columns.fill(turned(low, axis), turned(high, axis), count, |t| self.turned_box(t, axis));
        self.columns = columns;
    }

    fn root(&mut self, point: u32) -> u32 {
        let mut at = point;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Joins the points of far triangles.
    fn join_far(&mut self) {
        self.parents.clear();
        self.parents.extend(0..self.points.len() as u32);
        for triangle in 0..self.triangles.len() {
            if !self.near[triangle] {
                let [p, q, r] = self.triangles[triangle].map(|p| self.root(p));
                let least = p.min(q).min(r);
                for root in [p, q, r] {
                    self.parents[root as usize] = least;
                }
            }
        }
        self.windings.clear();
        self.windings.resize(self.points.len(), UNKNOWN);
    }

    /// The winding number of this surface at a corner of a far triangle of the other body. The columns are along
    /// `axis`.
    fn winding(&self, point: DVec3, axis: usize) -> i32 {
        if !meet(&self.bounds, &(point, point)) {
            return 0;
        }
        let at = turned(point, axis);
        let mut winding = 0;
        for &item in self.columns.at(at) {
            // The point is in no box, so a box in its column is above or below it.
            if self.turned_box(item as usize, axis).0.z > at.z {
                winding += facing_over(self.corners(item as usize).map(|p| turned(p, axis)), at);
            }
        }
        winding
    }
}

/// 1 if the vertical projection of a triangle is counter-clockwise around a point shifted by an infinitesimal
/// `(ε, ε²)`, -1 if clockwise, 0 if it does not contain the point. Exact: triangles that share an edge never count
/// twice or not at all.
fn facing_over(corners: [DVec3; 3], point: DVec3) -> i32 {
    let side = |p: DVec3, q: DVec3| match orient2d(Axis::Z, p, q, point) {
        Sign::Positive => 1,
        Sign::Negative => -1,
        // The side of the shifted point: that of `-(q.y - p.y) ε + (q.x - p.x) ε²`.
        Sign::Zero if p.y != q.y => {
            if p.y > q.y {
                1
            } else {
                -1
            }
        }
        Sign::Zero => i32::from(q.x > p.x) - i32::from(q.x < p.x),
    };
    let [p, q, r] = corners;
    let first = side(p, q);
    if first != 0 && first == side(q, r) && first == side(r, p) { first } else { 0 }
}

/// The plane of a triangle in floating point.
struct Facet {
    corners: [DVec3; 3],
    normal: DVec3,
    /// Twice the area, and the largest distance between corners.
    twice: f64,
    size: f64,
    /// Bound on the error of a distance from the plane.
    off: f64,
}

impl Facet {
    fn new(corners: [DVec3; 3]) -> Facet {
        let [p, q, r] = corners;
        let across = (q - p).cross(r - p);
        let twice = across.length();
        let size = (q - p).length().max((r - q).length()).max((p - r).length()) * ROUND_UP;
        let off = VOLUME_FACET * (1.0 + size * size / twice);
        Facet { corners, normal: across / twice, twice, size, off: if off.is_finite() { off } else { f64::INFINITY } }
    }

    /// The least and the greatest distance of points from the plane, along its normal.
    fn range(&self, points: &[DVec3; 3]) -> [f64; 2] {
        let distances = points.map(|p| (p - self.corners[0]).dot(self.normal));
        [
            distances.iter().copied().fold(f64::INFINITY, f64::min),
            distances.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ]
    }

    fn area_bound(&self) -> f64 {
        (0.5 * self.twice + 4.0 * UNIT_ROUNDOFF * self.size * self.size) * ROUND_UP
    }
}

/// Whether two triangles are coplanar, exactly; a zero-area one is coplanar with anything on its line.
fn coplanar(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let holds = |[p, q, r]: &[DVec3; 3], points: &[DVec3; 3]| points.iter().all(|&x| orient3d(*p, *q, *r, x).is_zero());
    holds(a, b) && holds(b, a)
}

/// Whether two triangles have the same orientation and no corner of either is farther than twice `slack` from the plane
/// of the other.
fn nearly_coplanar(a: &Facet, b: &Facet, slack: f64) -> bool {
    let within = |f: &Facet, points: &[DVec3; 3]| {
        let [least, most] = f.range(points);
        // Written so that a NaN is not within.
        least.abs().max(most.abs()) <= 2.0 * slack && f.off <= 8.0 * VOLUME_FACET
    };
    a.normal.dot(b.normal) > 0.0 && within(a, &b.corners) && within(b, &a.corners)
}

/// Bound on the area of the points of a triangle within `slack` of another: they lie in a strip around its plane, no
/// longer than the other triangle and its surroundings.
fn strip(own: &Facet, other: &Facet, slack: f64) -> f64 {
    let reach = other.size + 2.0 * slack;
    let most = own.area_bound().min(reach * reach * 4.0);
    let [least, greatest] = other.range(&own.corners);
    let slack = slack + other.off;
    if least > slack || greatest < -slack {
        return 0.0;
    }
    // The distance changes by at least `range / size` along the triangle, less its error.
    let range = greatest - least - 2.0 * other.off;
    if range > 0.0 { most.min(2.0 * slack * own.size / range * own.size.min(reach) * ROUND_UP) } else { most }
}

/// A sum in double-double with its error.
#[derive(Default)]
struct Tally {
    moments: Moments,
    /// Bound on the errors of the terms.
    off: f64,
    magnitude: f64,
    terms: f64,
}

impl Tally {
    /// `most` bounds the volume with all parts counted positive: no moment exceeds it times its coordinate.
    fn add(&mut self, moments: Moments, off: f64, most: f64) {
        self.moments = self.moments.plus(moments);
        self.off += off;
        self.magnitude += most;
        self.terms += 1.0;
    }

    /// The total error of the volume.
    fn volume_off(&self) -> f64 {
        (self.off + VOLUME_SUM * self.terms * self.magnitude) * (1.0 + 4.0 * self.terms * UNIT_ROUNDOFF)
    }
}

/// Measures the intersection of two solids. `placement` bounds the placement error of the second's corners.
pub(crate) fn measure(sides: &mut [SolidSurface; 2], placement: f64) -> Measured {
    sides.iter_mut().for_each(SolidSurface::find_boxes);
    let (low, high) = (sides[0].bounds.0.max(sides[1].bounds.0), sides[0].bounds.1.min(sides[1].bounds.1));
    let mut measured = Measured { moved: moved(sides, placement), ..Measured::default() };
    let [first, second] = sides;
    if low.cmpgt(high).any() {
        measured.area_off = moved_area(first, second, placement);
        return measured;
    }
    let shared = (low, high);
    measured.shared = Some(shared);
    measured.about = 0.5 * (low + high);
    let axis = cheapest_axis([first, second], &shared);
    first.fill_columns(shared, axis);
    second.fill_columns(shared, axis);
    mark_near(first, second, &shared, axis);
    first.join_far();
    second.join_far();
    find_windings(first, second, axis);
    find_windings(second, first, axis);

    let tally = volume(first, second, measured.about, axis);
    measured.volume = tally.moments.volume;
    measured.volume_off = tally.volume_off();
    let moments = tally.moments.first.to_vec3();
    measured.first = turned_back(moments, axis);
    // Each moment is the volume's integrand times a coordinate of at most `2 VOLUME_COORDINATE`: its errors are at most
    // larger by that factor, and twice that for the products in it. It is rounded once.
    measured.first_off =
        4.0 * VOLUME_COORDINATE * measured.volume_off + UNIT_ROUNDOFF * moments.abs().max_element() * 2.0;

    let (area, off) = surface(first, second, &shared, axis);
    measured.area = area;
    measured.area_off = off + moved_area(first, second, placement);
    measured
}

/// The axis along which the projected boxes of triangles are smallest, which gives the fewest pairs.
fn cheapest_axis(sides: [&SolidSurface; 2], shared: &(DVec3, DVec3)) -> usize {
    let mut costs = DVec3::ZERO;
    for side in sides {
        for own in side.boxes.iter().filter(|own| meet(own, shared)) {
            let size = own.1 - own.0;
            costs += DVec3::new(size.y * size.z, size.z * size.x, size.x * size.y);
        }
    }
    if costs.z <= costs.x && costs.z <= costs.y {
        2
    } else if costs.y <= costs.x {
        1
    } else {
        0
    }
}

fn mark_near(a: &mut SolidSurface, b: &mut SolidSurface, shared: &(DVec3, DVec3), axis: usize) {
    let (near_a, near_b) = (&mut a.near, &mut b.near);
    let (boxes_a, boxes_b) = (&a.boxes, &b.boxes);
    let turn = |b: &(DVec3, DVec3)| (turned(b.0, axis), turned(b.1, axis));
    for (own, near) in boxes_a.iter().zip(near_a) {
        checkpoint();
        if meet(own, shared) {
            b.columns.meeting(
                turn(own),
                |t| turn(&boxes_b[t]),
                |t| {
                    if meet(own, &boxes_b[t]) {
                        *near = true;
                        near_b[t] = true;
                    }
                },
            );
        }
    }
}

/// Computes the winding number of `other` for each group of far triangles.
fn find_windings(own: &mut SolidSurface, other: &SolidSurface, axis: usize) {
    for triangle in 0..own.triangles.len() {
        if own.near[triangle] {
            continue;
        }
        let corner = own.triangles[triangle][0];
        let root = own.root(corner) as usize;
        if own.windings[root] == UNKNOWN {
            checkpoint();
            own.windings[root] = other.winding(own.points[corner as usize], axis);
        }
    }
}

/// The winding number of the other surface at a far triangle.
fn winding_of(own: &mut SolidSurface, triangle: usize) -> i32 {
    let root = own.root(own.triangles[triangle][0]);
    own.windings[root as usize]
}

fn volume(a: &mut SolidSurface, b: &mut SolidSurface, about: DVec3, axis: usize) -> Tally {
    let mut tally = Tally::default();
    let at = turned(about, axis);
    // A bound on the heights above the level, in either direction.
    let height = a.bounds.1.max(b.bounds.1) - a.bounds.0.min(b.bounds.0);
    let height = turned(height, axis).z * ROUND_UP;
    for side in [&mut *a, &mut *b] {
        for triangle in 0..side.triangles.len() {
            if side.near[triangle] {
                continue;
            }
            let winding = f64::from(winding_of(side, triangle));
            if winding != 0.0
                && let Some(seen) = side.seen(triangle, axis)
            {
                let (moments, off) = seen.moments(at);
                let most = seen.size * seen.size * height * winding.abs();
                tally.add(moments.times(winding * seen.facing), off * winding.abs(), most);
            }
        }
    }
    for (own, other, first) in [(&*a, &*b, true), (&*b, &*a, false)] {
        for triangle in (0..own.triangles.len()).filter(|&t| own.near[t]) {
            checkpoint();
            let Some(seen) = own.seen(triangle, axis) else { continue };
            let plane = seen.plane(height);
            let boxes = own.turned_box(triangle, axis);
            other.columns.meeting(
                boxes,
                |t| other.turned_box(t, axis),
                |t| {
                    let near = other.near[t];
                    let above = other.turned_box(t, axis).0.z > seen.high;
                    // Two near ones count once; a far one counts only for the near one below it.
                    let counts = if near { first } else { above };
                    if !counts {
                        return;
                    }
                    let Some(over) = other.seen(t, axis) else { return };
                    if seen.is_aside(&over) {
                        return;
                    }
                    let facing = seen.facing * over.facing;
                    let other_plane = if near && !above { over.plane(height) } else { None };
                    let (Some(plane), true) = (plane, above || other_plane.is_some()) else {
                        // Too steep to compute heights: the omitted part is at most the projected area times the
                        // height.
                        tally.off += seen.area_bound().min(over.area_bound()) * height;
                        return;
                    };
                    let (polygon, off) = seen.common(&over);
                    let area = polygon.area().hi().abs() + off;
                    match other_plane {
                        // The lower of the two counts.
                        Some(other_plane) => {
                            let ([lower, upper], _) = plane.cut(&other_plane, &polygon);
                            let moments = plane.moments(&lower, at).plus(other_plane.moments(&upper, at));
                            // Either plane counts at the cut, where they are equal within their errors.
                            let wrong = 2.0 * (plane.off + other_plane.off) + 100.0 * UNIT_ROUNDOFF_SQUARED * height;
                            tally.add(moments.times(facing), off * height + area * wrong, area * height);
                        }
                        None => {
                            let moments = plane.moments(&polygon, at);
                            let wrong = plane.off + 100.0 * UNIT_ROUNDOFF_SQUARED * height;
                            tally.add(moments.times(facing), off * height + area * wrong, area * height);
                        }
                    }
                },
            );
        }
    }
    tally
}

/// The area of the surface of the intersection of the placed solids, and a bound on its error.
fn surface(a: &mut SolidSurface, b: &mut SolidSurface, shared: &(DVec3, DVec3), last: usize) -> (f64, f64) {
    let (mut sum, mut off) = (DoubleDouble::ZERO, 0.0);
    let (mut terms, mut magnitude) = (0.0, 0.0);
    for side in [&mut *a, &mut *b] {
        for triangle in 0..side.triangles.len() {
            if side.near[triangle] {
                continue;
            }
            let winding = f64::from(winding_of(side, triangle));
            if winding != 0.0 {
                let facet = Facet::new(side.corners(triangle));
                sum = sum.add_f64(0.5 * facet.twice * winding);
                // The cross product is off by `4u` of the product of two sides.
                off += (VOLUME_AREA * facet.twice + 4.0 * UNIT_ROUNDOFF * facet.size * facet.size) * winding.abs();
                magnitude += facet.twice * winding.abs();
                terms += 1.0;
            }
        }
    }
    // The columns already run along `last`: that axis comes first.
    for axis in [last, (last + 1) % 3, (last + 2) % 3] {
        if axis != last {
            a.fill_columns(*shared, axis);
            b.fill_columns(*shared, axis);
        }
        for (own, other, first) in [(&*a, &*b, true), (&*b, &*a, false)] {
            for triangle in (0..own.triangles.len()).filter(|&t| own.near[t]) {
                checkpoint();
                if main_axis(own, triangle) == Some(axis) {
                    let (area, error) = part_inside(own, triangle, other, axis, first);
                    sum = sum.add_f64(area);
                    off += error;
                    magnitude += area.abs();
                    terms += 1.0;
                }
            }
        }
    }
    let area = sum.to_f64();
    let off = off + VOLUME_SUM * terms * magnitude + UNIT_ROUNDOFF * area.abs();
    (area.max(0.0), off * (1.0 + 4.0 * terms * UNIT_ROUNDOFF))
}

/// The dominant axis of a triangle's normal; `None` if its area is exactly zero.
fn main_axis(side: &SolidSurface, triangle: usize) -> Option<usize> {
    let [p, q, r] = side.corners(triangle);
    let normal = (q - p).cross(r - p).abs();
    let mut axes = [2, 1, 0];
    axes.sort_by(|&i, &j| normal[j].total_cmp(&normal[i]));
    axes.into_iter().find(|&axis| side.seen(triangle, axis).is_some())
}

/// The area of the part of a near triangle that is inside the other solid, and a bound on its error.
fn part_inside(own: &SolidSurface, triangle: usize, other: &SolidSurface, axis: usize, first: bool) -> (f64, f64) {
    let Some(seen) = own.seen(triangle, axis) else { return (0.0, 0.0) };
    let facet = Facet::new(own.corners(triangle));
    let height = VOLUME_COORDINATE + VOLUME_COORDINATE;
    let Some(plane) = seen.plane(height) else { return (0.0, facet.area_bound()) };
    let (mut sum, mut off, mut terms) = (DoubleDouble::ZERO, 0.0, 0.0);
    other.columns.meeting(
        own.turned_box(triangle, axis),
        |t| other.turned_box(t, axis),
        |t| {
            let (low, high) = other.turned_box(t, axis);
            // Entirely below: does not count. Level boxes may touch.
            if high.z < seen.low {
                return;
            }
            let Some(over) = other.seen(t, axis) else { return };
            if seen.is_aside(&over) {
                return;
            }
            let (polygon, error) = seen.common(&over);
            let area = polygon.area();
            terms += 1.0;
            off += error;
            if low.z > seen.high {
                sum = sum + area.mul_f64(over.facing);
                return;
            }
            if meet(&own.boxes[triangle], &other.boxes[t]) && coplanar(&facet.corners, &other.corners(t)) {
                // The side just inside the own face counts. Of faces with the same orientation only the first body's
                // count, so for the second body the side just outside is tested.
                let up = seen.facing > 0.0;
                let counted = if seen.facing == over.facing && !first { !up } else { up };
                if counted {
                    sum = sum + area.mul_f64(over.facing);
                }
                return;
            }
            let Some(other_plane) = over.plane(height) else {
                off += over.area_bound();
                return;
            };
            let ([below, _], [least, most]) = plane.cut(&other_plane, &polygon);
            sum = sum + below.area().mul_f64(over.facing);
            let unsure = plane.off + other_plane.off + 100.0 * UNIT_ROUNDOFF_SQUARED * height;
            if least <= unsure && most >= -unsure {
                // The strip where the gap is smaller than its error. Its range is off by twice that: if the range is no
                // larger, the strip covers the whole.
                let whole = area.hi().abs() + error;
                let strip = 4.0 * unsure * seen.size * seen.size / (most - least);
                off += if strip < whole { strip } else { whole };
            }
        },
    );
    let stretch = plane.stretch();
    let area = sum.to_f64() * stretch;
    // The stretch of a plane with this error across the triangle.
    let tilt = plane.off / seen.size * (1.0 + plane.slope);
    let error = (off + VOLUME_SUM * terms * terms * facet.area_bound()) * stretch * ROUND_UP
        + area.abs() * (VOLUME_AREA + tilt.min(1.0));
    (area, error)
}

/// Bound on the area of the second surface near the first solid's box, see [`Measured::moved`].
fn moved(sides: &[SolidSurface; 2], placement: f64) -> f64 {
    let [a, b] = sides;
    let reach = DVec3::splat(placement * ROUND_UP);
    let bounds = (a.bounds.0 - reach - reach, a.bounds.1 + reach + reach);
    let mut area = 0.0;
    for triangle in (0..b.triangles.len()).filter(|&t| meet(&b.boxes[t], &bounds)) {
        let facet = Facet::new(b.corners(triangle));
        // Sides change by up to `2p` each: `p (|e| + |f|) + 2p²` more.
        area += facet.area_bound() + placement * (2.0 * facet.size + 2.0 * placement);
    }
    area * (1.0 + 4.0 * b.triangles.len() as f64 * UNIT_ROUNDOFF)
}

/// Bound on the change of the intersection's surface area when the corners of the second body move by `placement`: the
/// parts of either surface within that distance of the other. Coplanar faces of the same orientation count once
/// whichever is the inner one, so only their rims matter.
fn moved_area(a: &SolidSurface, b: &mut SolidSurface, placement: f64) -> f64 {
    if placement == 0.0 {
        return 0.0;
    }
    let reach = DVec3::splat(placement * 2.0);
    let shared = (a.bounds.0.max(b.bounds.0) - reach, a.bounds.1.min(b.bounds.1) + reach);
    if shared.0.cmpgt(shared.1).any() {
        return 0.0;
    }
    let mut columns = std::mem::take(&mut b.columns);
    let grown = |t: usize| (b.boxes[t].0 - reach, b.boxes[t].1 + reach);
    columns.fill(shared.0, shared.1, b.triangles.len(), grown);
    // The triangles of the second body themselves change: see `moved`.
    let (mut area, mut terms) = (0.0, 0.0);
    for triangle in (0..b.triangles.len()).filter(|&t| meet(&b.boxes[t], &shared)) {
        area += placement * (2.0 * Facet::new(b.corners(triangle)).size + 2.0 * placement);
        terms += 1.0;
    }
    for triangle in (0..a.triangles.len()).filter(|&t| meet(&a.boxes[t], &shared)) {
        let own = a.boxes[triangle];
        let facet = Facet::new(a.corners(triangle));
        columns.meeting(own, grown, |t| {
            if !meet(&own, &grown(t)) {
                return;
            }
            terms += 1.0;
            let other = Facet::new(b.corners(t));
            if nearly_coplanar(&facet, &other, placement + VOLUME_FACET) {
                let rim = 8.0 * (facet.size.min(other.size) + 2.0 * placement);
                area += rim * (placement + VOLUME_FACET);
            } else {
                area += strip(&facet, &other, placement) + strip(&other, &facet, placement);
            }
        });
    }
    b.columns = columns;
    area * (1.0 + 4.0 * terms * UNIT_ROUNDOFF)
}
