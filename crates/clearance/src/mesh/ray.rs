//! Ray casts against a mesh: watertight and decided exactly.
//!
//! The wide tree is traversed along the line ([`walk_along`]); the triangles of a leaf are filtered eight at a time
//! from their packets. The rest are decided in double precision, by the volumes that the line spans with each edge
//! (Plücker sides) and a bound on their errors: nearly all triangles are then either missed or hit strictly inside. A
//! triangle with an undecided sign, or two hits whose order is undecided, send the query to exact integers
//! ([`Decider`]). So two triangles that share an edge agree about it, and no ray slips between them.
//!
//! **What counts as one hit.** The intersection of a line and a mesh consists of points and intervals (along an edge,
//! or in the plane of triangles). Each point or interval is one *event*, however many triangles share it.
//! - On a surface an event is a hit (`entering`); an interval has a second hit at its end.
//! - On a solid an event is a change of the winding number. Shift the line sideways by an infinitesimal step, constant
//!   along it and in general position to every edge (simulation of simplicity, Edelsbrunner and Mücke 1990; here the
//!   sign at an edge that the line meets is the sign of its derivative, or that of a second step where the derivative
//!   vanishes too): the shifted line meets triangles only strictly inside, so entries and exits are consistent. An
//!   event yields as many entries or exits as it changes the winding number by. One that changes nothing is a touch: an
//!   entry and an exit, or, from inside, an exit and an entry.
//!
//! Entries are at the start of an interval and exits at its end. Where triangles share a place, the lowest index is
//! reported.

use std::cell::OnceCell;
use std::cmp::Ordering;

use fearless_simd::{Level, Simd};
use glam::DVec3;

use crate::geom::ray::{End, Place, Span, Spot};
use crate::geom::ray_frame::{Chain, Line, LineIn, Step, unit_scale};
use crate::geom::ray_polytope::{self, Decider, Flat, Question, compare_time, exact_order, rounded_normal};
use crate::math::double_double::{two_prod, two_sum};
use crate::math::dyadic::Dyadic;
use crate::math::enclosed::Enclosed;
use crate::math::pose::Pose;
use crate::math::ring::Ring;
use crate::math::simd::at_level;
use crate::math::tolerances::{MATRIX_VECTOR, SECOND_ORDER, UNIT_ROUNDOFF};
use crate::shape::{Feature, Mesh, Surface};
use crate::tree::traverse::{Along, Sight, walk_along};
use crate::tree::wide::{Bounds, Leaf};

/// A place where a line crosses a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshHit {
    /// The caller's parameter.
    pub t: Enclosed,
    /// In the mesh's frame.
    pub point: DVec3,
    /// In the mesh's frame, of any length.
    pub normal: DVec3,
    pub feature: Feature,
    pub entering: bool,
}

/// The range of parameters, ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub from: f64,
    pub to: f64,
}

impl Range {
    /// NaN counts as empty.
    fn is_empty(&self) -> bool {
        self.from.is_nan() || self.to.is_nan() || self.from > self.to
    }
}

/// A line in the frame of a mesh.
pub(crate) struct MeshLine<'a> {
    surface: &'a Surface,
    solid: bool,
    pose: &'a Pose,
    origin: DVec3,
    step: Step,
    /// A point of the line, roughly nearest the mesh's centre, relative to the origin of the stored points, and its
    /// error.
    o: DVec3,
    off: f64,
    /// The direction, of length about one, its error, and its length.
    d: DVec3,
    turn: f64,
    length: f64,
    /// The caller's parameter is `(base + tau) * unit`.
    base: f64,
    unit: f64,
    line: OnceCell<Option<Line>>,
}

/// A triangle hit strictly inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clean {
    slot: u32,
    /// The parameter and its error.
    tau: f64,
    off: f64,
    /// The line exits here: it runs along the normal.
    up: bool,
}

impl Clean {
    fn lower(&self) -> f64 {
        self.tau - self.off
    }

    fn upper(&self) -> f64 {
        self.tau + self.off
    }
}

/// The position of a line relative to a triangle, as far as doubles decide.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Missed,
    Met(Clean),
    /// Undecided.
    Open,
}

/// The sum of the components' magnitudes: a bound on the length.
fn size(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

impl<'a> MeshLine<'a> {
    /// The line `origin + t step` and a mesh at a pose.
    pub fn new(mesh: &'a Mesh, pose: &'a Pose, origin: DVec3, step: Step) -> MeshLine<'a> {
        let surface = mesh.surface();
        let unit = unit_scale(step.high.abs().max_element());
        let (along, low) = (step.high * unit, size(step.low) * unit);
        let from_pose = origin - pose.translation();
        let middle = surface.origin + surface.tree.frame.origin;
        let unrotated = pose.is_unrotated();
        let middle = if unrotated { middle } else { pose.rotation() * middle };
        let base = -(from_pose - middle).dot(along) / along.length_squared();
        let base = if base.is_finite() { base } else { 0.0 };
        let way = base * along;
        let near = from_pose + way;
        // `from_pose`, `way` and their sum are rounded; `base` is exact by definition.
        let mut off = UNIT_ROUNDOFF * (size(from_pose) + size(way) + size(near)) + base.abs() * low;
        let mut turn = low;
        let (own, d) = if unrotated {
            (near, along)
        } else {
            let relative = MATRIX_VECTOR + pose.inverse_error();
            off += relative * size(near);
            turn += relative * along.length();
            (pose.inverse_rotation() * near, pose.inverse_rotation() * along)
        };
        let o = own - surface.origin;
        off = (off + UNIT_ROUNDOFF * size(o)) * SECOND_ORDER;
        let line = OnceCell::new();
        MeshLine {
            surface,
            solid: mesh.is_solid(),
            pose,
            origin,
            step,
            o,
            off,
            d,
            turn: turn * SECOND_ORDER,
            length: d.length(),
            base,
            unit,
            line,
        }
    }

    fn chain(&self) -> Chain<'a> {
        Chain { outer: None, inner: self.pose }
    }

    /// The line in double-double; `None` for a certain miss.
    fn line(&self) -> Option<&Line> {
        let make = || Line::new(&self.chain(), self.origin, self.step, self.surface.origin, self.surface.radius, true);
        self.line.get_or_init(make).as_ref()
    }

    fn exact_line(&self) -> LineIn<Dyadic> {
        self.chain().exact_line(self.origin, self.step, self.surface.origin)
    }

    /// The line in the frame of the tree; `None` for a certain miss.
    fn sight(&self) -> Option<Sight> {
        let frame = &self.surface.tree.frame;
        let nearest = frame.of(self.o);
        // The difference from the centre, the length and the quotient are rounded.
        let off = self.off * frame.scale + 2.0 * UNIT_ROUNDOFF * size(nearest);
        let inverse = 1.0 / self.length;
        Sight::new(nearest, self.d * inverse, off, self.turn * inverse + 6.0 * UNIT_ROUNDOFF)
    }

    /// A parameter in the unit of the tree's frame.
    fn in_tree(&self, tau: f64) -> f64 {
        tau * self.length * self.surface.tree.frame.scale
    }

    /// True if the line is so inaccurate that boxes have no order along it.
    fn is_vague(&self) -> bool {
        !(self.off * self.surface.tree.frame.scale < 1e-3 && self.turn < 1e-3)
    }

    /// The start of a range, in the frame of the tree.
    fn start_in_tree(&self, range: &Range) -> f32 {
        if self.is_vague() {
            return f32::NEG_INFINITY;
        }
        // The quotient, the difference and the product are rounded; the rest is covered by the slack of `Sight::from`.
        let tau = range.from / self.unit - self.base;
        let rounding = 4.0 * UNIT_ROUNDOFF * (self.base.abs() + tau.abs());
        Sight::from(self.in_tree(tau - rounding - self.off))
    }

    /// The end for a parameter, in the frame of the tree.
    fn limit_in_tree(&self, tau: f64) -> f32 {
        if self.is_vague() { f32::INFINITY } else { Sight::limit(self.in_tree(tau + self.off)) }
    }

    fn limit_of_range(&self, range: &Range) -> f32 {
        let tau = range.to / self.unit - self.base;
        let rounding = 4.0 * UNIT_ROUNDOFF * (self.base.abs() + tau.abs());
        self.limit_in_tree(if tau.is_finite() { tau + rounding } else { f64::INFINITY })
    }

    /// Bounds on the caller's parameter.
    fn caller(&self, lower: f64, upper: f64) -> (f64, f64) {
        // The sum is rounded.
        let rounding = |tau: f64| 2.0 * UNIT_ROUNDOFF * (self.base.abs() + tau.abs());
        ((self.base + lower - rounding(lower)) * self.unit, (self.base + upper + rounding(upper)) * self.unit)
    }

    /// Decides the position of the line relative to a triangle.
    ///
    /// In sums of magnitudes, a corner relative to the line's point is off by `off` and `u` of itself, the direction by
    /// `turn`, the cross product by `3u` and the dot product by `3u`: with all corners within `m` a side is off by
    /// `|d| m (2 off + 8u m) + turn m²`. The parameter is a quotient of heights above the plane of two sides, `e` and
    /// `f`: the normal is off by `2u + 3u` of `|e| |f|`, the dot products by `3u` more.
    #[inline(always)]
    fn decide(&self, slot: u32) -> Verdict {
        let [a, b, c] = self.surface.corners(slot);
        let (p, q, r) = (a - self.o, b - self.o, c - self.o);
        let d = self.d;
        let sides = [d.dot(p.cross(q)), d.dot(q.cross(r)), d.dot(r.cross(p))];
        let m = size(p).max(size(q)).max(size(r));
        let speed = size(d);
        let bound = m * (speed * (2.1 * self.off + 10.0 * UNIT_ROUNDOFF * m) + 1.1 * self.turn * m) + 1e-290;
        let least = sides[0].min(sides[1]).min(sides[2]);
        let most = sides[0].max(sides[1]).max(sides[2]);
        let up = least > bound;
        if !(up || most < -bound) {
            return if least < -bound && most > bound { Verdict::Missed } else { Verdict::Open };
        }
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let area = size(e) * size(f);
        let (height, speed_up) = (normal.dot(p), normal.dot(d));
        let height_off = area * (1.1 * self.off + 12.0 * UNIT_ROUNDOFF * size(p));
        let speed_off = area * (1.1 * self.turn + 12.0 * UNIT_ROUNDOFF * speed);
        let left = speed_up.abs() - speed_off;
        let tau = height / speed_up;
        let off = if left > 1e-290 {
            ((height_off + tau.abs() * speed_off) / left + 2.0 * UNIT_ROUNDOFF * tau.abs()) * 1.0001
        } else {
            f64::INFINITY
        };
        if off.is_finite() && tau.is_finite() { Verdict::Met(Clean { slot, tau, off, up }) } else { Verdict::Open }
    }

    /// Bounds on the parameters at which the line may meet a triangle: those of its corners, projected onto the line.
    fn span_of(&self, slot: u32) -> (f64, f64) {
        let squared = self.d.length_squared();
        let (mut lower, mut upper, mut m) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for corner in self.surface.corners(slot) {
            let p = corner - self.o;
            let tau = p.dot(self.d) / squared;
            (lower, upper, m) = (lower.min(tau), upper.max(tau), m.max(size(p)));
        }
        // Off by `off`, `turn` and about `8u` of the size; doubled.
        let slack = 2.0 * (self.off + (self.turn + 8.0 * UNIT_ROUNDOFF) * m);
        (lower - slack, upper + slack)
    }

    /// Whether a place is within a range, exactly.
    fn is_within(&self, line: &Line, end: &End, range: &Range) -> bool {
        let (lower, upper) = line.time(end.tau).bounds();
        if upper < range.from || lower > range.to {
            return false;
        }
        if lower >= range.from && upper <= range.to {
            return true;
        }
        let exact = self.exact_line();
        let compare = |t: f64| compare_time(&end.place, &exact, t);
        compare(range.from).is_none_or(Ordering::is_ge) && compare(range.to).is_none_or(Ordering::is_le)
    }

    /// Whether a hit is within a range.
    fn clean_is_within(&self, hit: &Clean, range: &Range) -> bool {
        let (lower, upper) = self.caller(hit.lower(), hit.upper());
        if upper < range.from || lower > range.to {
            return false;
        }
        if lower >= range.from && upper <= range.to {
            return true;
        }
        self.line().is_some_and(|line| self.is_within(line, &self.end_of(line, hit), range))
    }

    fn end_of(&self, line: &Line, hit: &Clean) -> End {
        let corners = self.surface.corners(hit.slot);
        let [a, b, c] = corners;
        let (e, f) = (b - a, c - a);
        let plain = e.cross(f);
        // Thin triangles need more digits: the cross product is off by `4u` of `|e| |f|`.
        let normal = if plain.length() > 1e-3 * e.length() * f.length() { plain } else { rounded_normal(corners) };
        // On a surface the normal faces the origin of the line.
        let normal = if hit.up && !self.solid { -normal } else { normal };
        let spot = Spot::Face(self.surface.ids[hit.slot as usize]);
        ray_polytope::end(&line.near, Place::Plane(corners), normal, spot)
    }

    fn finish(&self, line: &Line, end: &End, entering: bool) -> MeshHit {
        let feature = match end.spot {
            Spot::Vertex(number) => Feature::Vertex(number),
            Spot::Edge(number) => Feature::Edge(number),
            Spot::Face(number) => Feature::Face(number),
        };
        let point = line.point(end.tau) + self.surface.origin;
        MeshHit { t: line.time(end.tau), point, normal: end.normal, feature, entering }
    }

    fn finish_clean(&self, hit: &Clean) -> Option<MeshHit> {
        if let Some(found) = self.corrected(hit) {
            return Some(found);
        }
        let line = self.line()?;
        Some(self.finish(line, &self.end_of(line, hit), !(hit.up && self.solid)))
    }

    /// A hit with its parameter refined by one correction; `None` if that is not accurate enough.
    ///
    /// Near the parameter `t` the vector `w` from the point of the ray to a corner of the triangle is small, of the
    /// size of the triangle, but formed from large numbers: by a compensated dot product (Ogita, Rump and Oishi 2005),
    /// so it is off by `u` of itself and `64u²` of its inputs. The rest is relative to `w`: with the sides `e`, `f` and
    /// the normal `n = e x f`, which is off by `5u |e| |f|`, the correction is `n · w / n · d`. It is turned into the
    /// mesh's frame, off by `MATRIX_VECTOR`, the error of the stored inverse and `u`; the dot product adds `3u`.
    fn corrected(&self, hit: &Clean) -> Option<MeshHit> {
        let [a, b, c] = self.surface.corners(hit.slot);
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let (e_squared, f_squared) = (e.length_squared(), f.length_squared());
        let area = (e_squared * f_squared).sqrt();
        // The corner as given: stored points are exactly relative to the origin.
        let corner = a + self.surface.origin;
        let t = (self.base + hit.tau) * self.unit;
        let (mut way, mut size) = (DVec3::ZERO, 0.0);
        let (columns, translation) = (self.pose.rotation(), self.pose.translation());
        for k in 0..3 {
            let mut sum = Compensated::new(translation[k]);
            sum.add(-self.origin[k]);
            sum.subtract_product(t, self.step.high[k]);
            if self.step.low[k] != 0.0 {
                sum.subtract_product(t, self.step.low[k]);
            }
            if self.pose.is_unrotated() {
                sum.add(corner[k]);
            } else {
                sum.subtract_product(-columns.x_axis[k], corner.x);
                sum.subtract_product(-columns.y_axis[k], corner.y);
                sum.subtract_product(-columns.z_axis[k], corner.z);
            }
            way[k] = sum.high + sum.low;
            size += sum.size;
        }
        let (own, turning) = if self.pose.is_unrotated() {
            (way, 0.0)
        } else {
            (self.pose.inverse_rotation() * way, MATRIX_VECTOR + self.pose.inverse_error())
        };
        let length = own.length();
        let (height, speed) = (normal.dot(own), normal.dot(self.d));
        let speed_off = area * (1.1 * self.turn + 9.0 * UNIT_ROUNDOFF * self.length);
        let height_off =
            area * (length * (turning + 11.0 * UNIT_ROUNDOFF) + 64.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * size);
        let left = speed.abs() - speed_off;
        let step = height / speed;
        let off = ((height_off + step.abs() * speed_off) / left + 2.0 * UNIT_ROUNDOFF * step.abs()) * 1.0001;
        // Accept an error of a few units in the last place. Nothing may be near underflow: errors of such small
        // products would be lost.
        let ordinary = e_squared.min(f_squared) > 1e-120 && left > 1e-250 && size > 1e-250 && t.abs() > 1e-250;
        if !(ordinary && off * self.unit <= 4.0 * UNIT_ROUNDOFF * t.abs()) {
            return None;
        }
        let point = corner - (own - step * self.d);
        let normal = if area > 1e3 * normal.length() { rounded_normal([a, b, c]) } else { normal };
        let normal = if hit.up && !self.solid { -normal } else { normal };
        let t = Enclosed::of(t) + Enclosed::about(step * self.unit, off * self.unit);
        let feature = Feature::Face(self.surface.ids[hit.slot as usize]);
        Some(MeshHit { t, point, normal, feature, entering: !(hit.up && self.solid) })
    }

    /// Visits the slots of the triangles that the line may meet in a range, nearest first. See [`Candidates`].
    #[inline(always)]
    fn walk(&self, level: Level, sight: &Sight, range: &Range, each: impl FnMut(u32, &mut f32) -> bool) {
        let mut candidates = Candidates { line: self, sight, limit: self.limit_of_range(range), each };
        let from = self.start_in_tree(range);
        at_level!(level, simd => walk_along(simd, &self.surface.tree, sight, from, &mut candidates));
    }

    /// The first hit in a range, or any.
    pub fn first(&self, level: Level, range: &Range, any: bool) -> Option<MeshHit> {
        if range.is_empty() {
            return None;
        }
        let sight = self.sight()?;
        let mut search = First { line: self, range: *range, any, best: None, open_from: f64::INFINITY };
        self.walk(level, &sight, range, |slot, limit| search.consider(slot, limit));
        match search.best {
            Some(best) if any || best.upper() < search.open_from => self.finish_clean(&best),
            _ if search.open_from == f64::INFINITY => None,
            _ => {
                let mut first = None;
                self.all_exactly(level, &sight, range, |hit| {
                    first = Some(hit);
                    false
                });
                first
            }
        }
    }

    /// All hits in a range, in order. `met` is scratch.
    pub fn all(&self, level: Level, met: &mut Vec<Clean>, range: &Range, mut found: impl FnMut(MeshHit)) {
        if range.is_empty() {
            return;
        }
        let Some(sight) = self.sight() else { return };
        met.clear();
        let mut open = false;
        // Hits strictly inside triangles; an undecided one ends the traversal.
        self.walk(level, &sight, range, |slot, _| {
            match self.decide(slot) {
                Verdict::Missed => {}
                Verdict::Met(hit) => {
                    if self.clean_is_within(&hit, range) {
                        met.push(hit);
                    }
                }
                Verdict::Open => {
                    let (lower, upper) = self.span_of(slot);
                    let (lower, upper) = self.caller(lower, upper);
                    open |= !(upper < range.from || lower > range.to);
                }
            }
            !open
        });
        met.sort_unstable_by(|a, b| a.tau.total_cmp(&b.tau));
        open |= met.windows(2).any(|pair| pair[0].upper() >= pair[1].lower());
        if open {
            self.all_exactly(level, &sight, range, |hit| {
                found(hit);
                true
            });
        } else {
            met.iter().filter_map(|hit| self.finish_clean(hit)).for_each(found);
        }
    }

    /// All hits in a range, in order, decided exactly from all triangles that the whole line meets.
    fn all_exactly(&self, level: Level, sight: &Sight, range: &Range, mut found: impl FnMut(MeshHit) -> bool) {
        let mut slots = Vec::new();
        let everything = Range { from: f64::NEG_INFINITY, to: f64::INFINITY };
        self.walk(level, sight, &everything, |slot, _| {
            if !matches!(self.decide(slot), Verdict::Missed) {
                slots.push(slot);
            }
            true
        });
        let Some(line) = self.line() else { return };
        let exact = || self.exact_line();
        let decider = Decider::new(&line.near, &exact);
        let judge = Judge::new(self, &decider);
        let mut met: Vec<Met> = slots.iter().filter_map(|&slot| judge.meet(slot)).collect();
        let order = |x: &End, y: &End| match x.tau.compare(y.tau) {
            Some(order) => order,
            None => exact_order(&decider, &x.place, &y.place).unwrap_or(Ordering::Equal),
        };
        met.sort_by(|x, y| order(&x.start, &y.start).then(x.id.cmp(&y.id)));
        let mut winding = 0;
        let mut rest = &met[..];
        while let Some(first) = rest.first() {
            // The triangles of one event: the next one starts after its end.
            let mut last = first;
            let mut count = 1;
            while let Some(next) = rest.get(count) {
                if order(&next.start, &last.end) == Ordering::Greater {
                    break;
                }
                if order(&next.end, &last.end) == Ordering::Greater {
                    last = next;
                }
                count += 1;
            }
            let (event, after) = rest.split_at(count);
            rest = after;
            let is_stretch = order(&first.start, &last.end) == Ordering::Less;
            let mut emit = |met: &Met, end: &End, entering: bool| {
                let hit = || match met.clean.and_then(|clean| self.corrected(&clean)) {
                    Some(hit) => MeshHit { entering, ..hit },
                    None => self.finish(line, end, entering),
                };
                !self.is_within(line, end, range) || found(hit())
            };
            if !self.solid {
                if !emit(first, &first.start, true) || (is_stretch && !emit(last, &last.end, false)) {
                    return;
                }
                continue;
            }
            let change: i32 = event.iter().map(|met| met.change).sum();
            // Of the triangles at the start, or the end, with the right orientation, the lowest index.
            let looking = |entering: bool| if entering { Ordering::Less } else { Ordering::Greater };
            let mut at_start = |entering: bool| {
                let here = |met: &&Met| order(&met.start, &first.start) == Ordering::Equal;
                let met = event.iter().filter(here).find(|met| met.facing == looking(entering)).unwrap_or(first);
                emit(met, &met.start, entering)
            };
            let go_on = match change {
                0 => at_start(winding < 1),
                change => (0..change).all(|_| at_start(true)),
            };
            let mut at_end = |entering: bool| {
                let here = |met: &&Met| order(&met.end, &last.end) == Ordering::Equal;
                let met = event.iter().filter(here).find(|met| met.facing == looking(entering)).unwrap_or(last);
                emit(met, &met.end, entering)
            };
            let go_on = go_on
                && match change {
                    0 => at_end(winding >= 1),
                    change => (change..0).all(|_| at_end(false)),
                };
            if !go_on {
                return;
            }
            winding += change;
        }
    }

    /// The winding number about the line's origin of a solid, at parameter 0; `None` on its surface. Exact.
    pub fn winding_at_origin(&self, level: Level) -> Option<i32> {
        let Some(sight) = self.sight() else { return Some(0) };
        let from_here = Range { from: 0.0, to: f64::INFINITY };
        let (mut winding, mut open) = (0, Vec::new());
        self.walk(level, &sight, &from_here, |slot, _| {
            match self.decide(slot) {
                Verdict::Missed => {}
                Verdict::Met(hit) => {
                    let (lower, upper) = self.caller(hit.lower(), hit.upper());
                    if lower > 0.0 {
                        winding += if hit.up { 1 } else { -1 };
                    } else if upper >= 0.0 {
                        open.push(slot);
                    }
                }
                Verdict::Open => {
                    let (lower, upper) = self.span_of(slot);
                    if self.caller(lower, upper).1 >= 0.0 {
                        open.push(slot);
                    }
                }
            }
            true
        });
        if open.is_empty() {
            return Some(winding);
        }
        let Some(line) = self.line() else { return Some(winding) };
        let exact = || self.exact_line();
        let decider = Decider::new(&line.near, &exact);
        let judge = Judge::new(self, &decider);
        let compare = |end: &End| {
            let (lower, upper) = line.time(end.tau).bounds();
            if lower > 0.0 {
                Ordering::Greater
            } else if upper < 0.0 {
                Ordering::Less
            } else {
                compare_time(&end.place, decider.exact(), 0.0).unwrap_or(Ordering::Equal)
            }
        };
        for met in open.into_iter().filter_map(|slot| judge.meet(slot)) {
            match (compare(&met.start), compare(&met.end)) {
                (Ordering::Greater, _) => winding -= met.change,
                (_, Ordering::Less) => {}
                _ => return None,
            }
        }
        Some(winding)
    }
}

/// A sum with its rounding error.
struct Compensated {
    high: f64,
    low: f64,
    /// The sum of magnitudes.
    size: f64,
}

impl Compensated {
    fn new(x: f64) -> Compensated {
        Compensated { high: x, low: 0.0, size: x.abs() }
    }

    fn add(&mut self, x: f64) {
        let (sum, rest) = two_sum(self.high, x);
        self.high = sum;
        self.low += rest;
        self.size += x.abs();
    }

    fn subtract_product(&mut self, x: f64, y: f64) {
        let (product, rest) = two_prod(x, y);
        self.add(-product);
        self.low -= rest;
    }
}

/// A triangle that the line meets, decided exactly.
struct Met {
    id: u32,
    start: End,
    end: End,
    /// The sign of the line's direction along the triangle's normal.
    facing: Ordering,
    /// The change of the winding number along the shifted line: 1 where it enters.
    change: i32,
    /// Set if doubles prove a hit strictly inside.
    clean: Option<Clean>,
}

/// Decides triangles exactly.
struct Judge<'a, 'b> {
    line: &'a MeshLine<'a>,
    decider: &'a Decider<'b>,
    /// The two axes along which the line is shifted: not its dominant axis.
    aside: [usize; 2],
}

/// The derivative of the side of an edge when the line is shifted along an axis: `d · (e x (a - b))`.
struct Aside {
    a: DVec3,
    b: DVec3,
    axis: usize,
}

impl Question for Aside {
    type Answer = Ordering;
    fn ask<N: Ring>(&self, line: &LineIn<N>) -> Option<Ordering> {
        let (j, k) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let along = |i: usize| N::scaled(self.a[i], line.scale).minus(&N::scaled(self.b[i], line.scale));
        line.d[k].times(&along(j)).minus(&line.d[j].times(&along(k))).sign()
    }
}

impl<'a, 'b> Judge<'a, 'b> {
    fn new(line: &'a MeshLine<'a>, decider: &'a Decider<'b>) -> Judge<'a, 'b> {
        let d = line.d.abs();
        let aside = if d.x >= d.y && d.x >= d.z {
            [1, 2]
        } else if d.y >= d.z {
            [2, 0]
        } else {
            [0, 1]
        };
        Judge { line, decider, aside }
    }

    /// The side of an edge for the shifted line: never zero, unless the edge is along the line.
    fn side_aside(&self, a: DVec3, b: DVec3) -> Ordering {
        let mut side = self.decider.side(a, b);
        for axis in self.aside {
            if side != Ordering::Equal {
                break;
            }
            side = self.decider.ask(&Aside { a, b, axis }).unwrap_or(Ordering::Equal);
        }
        side
    }

    fn meet(&self, slot: u32) -> Option<Met> {
        let surface = self.line.surface;
        let triangle = surface.triangles[slot as usize];
        let corners = surface.corners(slot);
        let id = surface.ids[slot as usize];
        let flat = Flat {
            count: 3,
            corner: &|k| corners[k % 3],
            vertex_number: &|k| triangle[k % 3],
            side_number: &|k| 3 * id + k as u32,
            face: id,
        };
        let (start, end) = match ray_polytope::flat(self.decider, &flat) {
            Span::Crossing(end) => (end, end),
            Span::Through(start, end) => (start, end),
            _ => return None,
        };
        let (mut facing, mut change) = (Ordering::Equal, 0);
        let (mut start, mut end) = (start, end);
        if self.line.solid {
            facing = self.decider.facing(corners);
            let crossed = facing != Ordering::Equal
                && (0..3).all(|k| self.side_aside(corners[k], corners[(k + 1) % 3]) == facing);
            if crossed {
                change = if facing == Ordering::Less { 1 } else { -1 };
            }
            // A solid's normal points outside.
            let normal = rounded_normal(corners);
            if normal != DVec3::ZERO {
                (start.normal, end.normal) = (normal, normal);
            }
        }
        let clean = match self.line.decide(slot) {
            Verdict::Met(clean) => Some(clean),
            _ => None,
        };
        Some(Met { id, start, end, facing, change, clean })
    }
}

/// A traversal that visits the slots of the triangles that the line may meet. The visitor may lower the limit; false
/// ends the traversal.
struct Candidates<'a, F> {
    line: &'a MeshLine<'a>,
    sight: &'a Sight,
    limit: f32,
    each: F,
}

impl<S: Simd, F: FnMut(u32, &mut f32) -> bool> Along<S> for Candidates<'_, F> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn leaf(&mut self, simd: S, leaf: &Leaf, bounds: &Bounds, near: f32) -> bool {
        let packet = &self.line.surface.tree.packets[leaf.packet as usize];
        let mut lanes = self.sight.candidates(simd, packet, bounds, leaf.count, near);
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            if !(self.each)(leaf.first + lane, &mut self.limit) {
                return false;
            }
        }
        true
    }
}

/// The first hit.
struct First<'a> {
    line: &'a MeshLine<'a>,
    range: Range,
    any: bool,
    best: Option<Clean>,
    /// From this parameter on something is undecided: a triangle, or the order of hits.
    open_from: f64,
}

impl First<'_> {
    #[inline(always)]
    fn consider(&mut self, slot: u32, limit: &mut f32) -> bool {
        match self.line.decide(slot) {
            Verdict::Missed => {}
            Verdict::Open => {
                let (lower, upper) = self.line.span_of(slot);
                let (_, upper) = self.line.caller(lower, upper);
                if upper >= self.range.from {
                    self.open_from = self.open_from.min(lower);
                }
            }
            Verdict::Met(hit) => {
                if self.best.is_some_and(|best| hit.lower() > best.upper())
                    || !self.line.clean_is_within(&hit, &self.range)
                {
                    return true;
                }
                if let Some(best) = self.best
                    && hit.upper() >= best.lower()
                {
                    self.open_from = self.open_from.min(hit.lower()).min(best.lower());
                }
                if self.best.is_none_or(|best| hit.tau < best.tau) {
                    self.best = Some(hit);
                    *limit = limit.min(self.line.limit_in_tree(hit.upper()));
                }
                return !self.any;
            }
        }
        true
    }
}
