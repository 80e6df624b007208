//! A sample point of every region that other triangles cut a triangle into, found exactly.
//!
//! The other triangles intersect the plane of the first in points, in segments and, if they lie in it, in triangles.
//! The rest of the first triangle falls into regions. They are sampled by the trapezoidal decomposition (Seidel 1991;
//! de Berg, Cheong, van Kreveld and Overmars, *Computational Geometry*, chapter 6) in its simplest form:
//! 1. Projected along an axis that is not parallel to the plane, lines along the second coordinate through all
//!    endpoints and crossings of the segments cut the plane into slabs. Within a slab no two segments cross.
//! 2. A line in each slab meets the segments in some order. Between two consecutive ones lies one region; a point there
//!    represents it, unless a coplanar triangle covers it.
//!
//! Departures:
//! - coordinates are ratios of integers, so no region is missed, however thin, and no sample lies on a cutter;
//! - a number between two others is chosen with as few digits as possible, which keeps the integers short;
//! - a degenerate triangle is a segment, cut into intervals.
//!
//! At worst the work grows with the cube of the number of segments; the caller limits it.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::math::integer::{IntegerVec3, common_exponent, ratio};

/// Visits a point of every region of a triangle that lies on none of the cutters, until `visit` breaks. A region may be
/// visited more than once. Coordinates are rounded by a few units in the last place each.
pub(crate) fn sample_regions(
    triangle: &[DVec3; 3],
    cutters: &[[DVec3; 3]],
    mut visit: impl FnMut(DVec3) -> ControlFlow<()>,
) {
    let all = || std::iter::once(triangle).chain(cutters).flatten();
    let exponent = common_exponent(all().flat_map(|p| p.to_array())).unwrap_or(0);
    let integers = |t: &[DVec3; 3]| t.map(|p| IntegerVec3::new(p, exponent));
    let cutters: Vec<_> = cutters.iter().map(integers).collect();
    let triangle = integers(triangle);
    let normal = across(&triangle);
    // The last axis that is not parallel to the plane.
    let Some(up) = (0..3).rev().find(|&k| !normal.0[k].is_zero()) else {
        let [from, to] = ends(&triangle);
        Segment3 { from, to, exponent }.sample(&cutters, visit);
        return;
    };
    let plane =
        ProjectionPlane { origin: triangle[0].clone(), normal, axes: [(up + 1) % 3, (up + 2) % 3, up], exponent };
    plane.sample(&triangle, &cutters, &mut visit);
}

/// The area vector of a triangle, doubled.
fn across([a, b, c]: &[IntegerVec3; 3]) -> IntegerVec3 {
    b.sub(a).cross(&c.sub(a))
}

/// The two ends of a triangle with collinear corners: the first and the last by coordinates.
fn ends(corners: &[IntegerVec3; 3]) -> [IntegerVec3; 2] {
    let mut order = [&corners[0], &corners[1], &corners[2]];
    order.sort_by(|p, q| p.0.cmp(&q.0));
    [order[0].clone(), order[2].clone()]
}

/// A ratio of integers, the denominator positive.
#[derive(Clone, Debug)]
struct Ratio {
    numerator: BigInt,
    denominator: BigInt,
}

impl Ratio {
    fn new(numerator: BigInt, denominator: BigInt) -> Ratio {
        if denominator.is_negative() {
            Ratio { numerator: -numerator, denominator: -denominator }
        } else {
            Ratio { numerator, denominator }
        }
    }

    fn compare(&self, other: &Ratio) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    /// A number strictly between this one and a larger one, near the midpoint, with a power of two as denominator.
    fn between(&self, larger: &Ratio) -> Ratio {
        let over = &self.denominator * &larger.denominator;
        let (low, high) = (&self.numerator * &larger.denominator, &larger.numerator * &self.denominator);
        // The width times this power of two is at least 8, so the midpoint rounded down stays above the lower end.
        let power = (over.bits() + 4).saturating_sub((&high - &low).bits());
        let twice_middle = (low + high) << power;
        // Rounded down, also where negative.
        let over = over << 1u32;
        let remainder = ((&twice_middle % &over) + &over) % &over;
        Ratio { numerator: (twice_middle - remainder) / over, denominator: BigInt::one() << power }
    }

    /// The number times a power of two as a float.
    fn float(&self, exponent: i32) -> f64 {
        let shift = exponent.unsigned_abs();
        if exponent < 0 {
            ratio(&self.numerator, &(&self.denominator << shift))
        } else {
            ratio(&(&self.numerator << shift), &self.denominator)
        }
    }
}

/// Sorts and removes duplicates.
fn in_order(mut numbers: Vec<Ratio>) -> Vec<Ratio> {
    numbers.sort_by(Ratio::compare);
    numbers.dedup_by(|p, q| p.compare(q).is_eq());
    numbers
}

/// A point in plane coordinates: `(x, y) / w`, with `w` positive.
#[derive(Clone, Debug)]
struct Place {
    x: BigInt,
    y: BigInt,
    w: BigInt,
}

/// A segment in plane coordinates, over an interval of the first one.
#[derive(Debug)]
struct Segment {
    /// `line[0] x + line[1] y + line[2] = 0`.
    line: [BigInt; 3],
    low: Ratio,
    high: Ratio,
}

impl Segment {
    fn new(p: &Place, q: &Place) -> Segment {
        let line = [&p.y * &q.w - &p.w * &q.y, &p.w * &q.x - &p.x * &q.w, &p.x * &q.y - &p.y * &q.x];
        let at = |place: &Place| Ratio { numerator: place.x.clone(), denominator: place.w.clone() };
        let (first, second) = (at(p), at(q));
        let (low, high) = if first.compare(&second).is_le() { (first, second) } else { (second, first) };
        Segment { line, low, high }
    }

    /// Whether it is parallel to the second coordinate, or a point.
    fn is_upright(&self) -> bool {
        self.line[1].is_zero()
    }

    /// The second coordinate where the first is `x`; the segment must not be upright.
    fn at(&self, x: &Ratio) -> Ratio {
        let [a, b, c] = &self.line;
        Ratio::new(-(a * &x.numerator + c * &x.denominator), b * &x.denominator)
    }

    fn spans(&self, low: &Ratio, high: &Ratio) -> bool {
        self.low.compare(low).is_le() && self.high.compare(high).is_ge()
    }

    /// The first coordinate of the point in which two segments cross, if neither is upright and they are not parallel.
    fn crossing(&self, other: &Segment) -> Option<Ratio> {
        let ([a, b, c], [d, e, f]) = (&self.line, &other.line);
        let across = a * e - d * b;
        if across.is_zero() {
            return None;
        }
        let at = Ratio::new(b * f - e * c, across);
        (self.spans(&at, &at) && other.spans(&at, &at)).then_some(at)
    }
}

/// The plane of a triangle, projected along one of the axes.
struct ProjectionPlane {
    origin: IntegerVec3,
    normal: IntegerVec3,
    /// First coordinate, second coordinate, and the projection axis.
    axes: [usize; 3],
    /// Exponent of the power of two that coordinates were divided by.
    exponent: i32,
}

impl ProjectionPlane {
    /// The height of a point above the plane, times the length of the normal.
    fn height(&self, point: &IntegerVec3) -> BigInt {
        self.normal.dot(&point.sub(&self.origin))
    }

    fn place(&self, point: &IntegerVec3) -> Place {
        let [u, v, _] = self.axes;
        Place { x: point.0[u].clone(), y: point.0[v].clone(), w: BigInt::one() }
    }

    /// The intersection of a triangle with the plane: its corners, one to three.
    fn section(&self, cutter: &[IntegerVec3; 3]) -> Vec<Place> {
        let heights = cutter.each_ref().map(|p| self.height(p));
        let mut found = Vec::new();
        for i in 0..3 {
            let j = (i + 1) % 3;
            if heights[i].is_zero() {
                found.push(self.place(&cutter[i]));
            } else if heights[i].is_positive() != heights[j].is_positive() && !heights[j].is_zero() {
                let (p, q, w) = (heights[j].abs(), heights[i].abs(), heights[i].abs() + heights[j].abs());
                let along = |axis: usize| &cutter[i].0[axis] * &p + &cutter[j].0[axis] * &q;
                found.push(Place { x: along(self.axes[0]), y: along(self.axes[1]), w });
            }
        }
        found
    }

    fn sample(
        &self,
        triangle: &[IntegerVec3; 3],
        cutters: &[[IntegerVec3; 3]],
        visit: &mut dyn FnMut(DVec3) -> ControlFlow<()>,
    ) {
        let corners = triangle.each_ref().map(|p| self.place(p));
        let sides = [(0, 1), (1, 2), (2, 0)].map(|(i, j): (usize, usize)| Segment::new(&corners[i], &corners[j]));
        // The side lines are positive on their left: inside, if the projected triangle is counter-clockwise.
        let inside = self.normal.0[self.axes[2]].is_positive();
        let is_within = |side: &Segment, place: &Place| {
            let value = &side.line[0] * &place.x + &side.line[1] * &place.y + &side.line[2] * &place.w;
            !value.is_zero() && value.is_positive() == inside
        };
        let (mut segments, mut covers) = (Vec::new(), Vec::new());
        for cutter in cutters {
            let section = self.section(cutter);
            for (i, p) in section.iter().enumerate() {
                for q in &section[i + 1..] {
                    // A segment along a side, or beyond it, cuts nothing off.
                    if !sides.iter().any(|side| !is_within(side, p) && !is_within(side, q)) {
                        segments.push(Segment::new(p, q));
                    }
                }
            }
            let lies_in_plane = cutter.iter().all(|p| self.height(p).is_zero());
            if lies_in_plane && !across(cutter).is_zero() {
                covers.push(cutter.each_ref().map(|p| self.place(p)));
            }
        }
        let mut cuts = vec![sides[0].low.clone(), sides[1].low.clone(), sides[2].low.clone()];
        cuts.extend(sides.iter().map(|side| side.high.clone()));
        for (i, segment) in segments.iter().enumerate() {
            cuts.extend([segment.low.clone(), segment.high.clone()]);
            if !segment.is_upright() {
                let others = segments[i + 1..].iter().chain(&sides).filter(|other| !other.is_upright());
                cuts.extend(others.filter_map(|other| segment.crossing(other)));
            }
        }
        for slab in in_order(cuts).windows(2) {
            let x = slab[0].between(&slab[1]);
            let met = |segment: &&Segment| !segment.is_upright() && segment.spans(&slab[0], &slab[1]);
            let rims = in_order(sides.iter().filter(met).map(|side| side.at(&x)).collect());
            let [low, high] = &rims[..] else { continue };
            let mut heights: Vec<Ratio> = segments.iter().filter(met).map(|segment| segment.at(&x)).collect();
            heights.retain(|y| y.compare(low).is_gt() && y.compare(high).is_lt());
            heights.extend([low.clone(), high.clone()]);
            for gap in in_order(heights).windows(2) {
                let y = gap[0].between(&gap[1]);
                if !covers.iter().any(|cover| is_covered(cover, &x, &y)) && visit(self.point(&x, &y)).is_break() {
                    return;
                }
            }
        }
    }

    /// A point of the plane from its plane coordinates, rounded.
    fn point(&self, x: &Ratio, y: &Ratio) -> DVec3 {
        let [u, v, up] = self.axes;
        let w = &x.denominator * &y.denominator;
        let from_origin = |of: &Ratio, other: &Ratio, axis: usize| {
            (&of.numerator * &other.denominator - &self.origin.0[axis] * &w) * &self.normal.0[axis]
        };
        let down = from_origin(x, y, u) + from_origin(y, x, v);
        let over = &self.normal.0[up] * &w;
        let z = Ratio::new(&self.origin.0[up] * &over - down, over);
        let mut point = DVec3::ZERO;
        for (axis, number) in [(u, x), (v, y), (up, &z)] {
            point[axis] = number.float(self.exponent);
        }
        point
    }
}

/// Whether a point is in a triangle, boundary included.
fn is_covered(corners: &[Place; 3], x: &Ratio, y: &Ratio) -> bool {
    let w = &x.denominator * &y.denominator;
    let (x, y) = (&x.numerator * &y.denominator, &y.numerator * &x.denominator);
    let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j): (usize, usize)| {
        let (p, q) = (&corners[i], &corners[j]);
        ((&q.x - &p.x) * (&y - &p.y * &w) - (&q.y - &p.y) * (&x - &p.x * &w)).cmp(&BigInt::zero())
    });
    !(turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater))
}

/// A degenerate triangle.
struct Segment3 {
    from: IntegerVec3,
    to: IntegerVec3,
    exponent: i32,
}

impl Segment3 {
    fn sample(&self, cutters: &[[IntegerVec3; 3]], mut visit: impl FnMut(DVec3) -> ControlFlow<()>) {
        let along = self.to.sub(&self.from);
        let Some(axis) = (0..3).find(|&k| !along.0[k].is_zero()) else {
            // A single point is either on a cutter or not.
            let on_cutter = |cutter: &[IntegerVec3; 3]| self.part_on(cutter, &along, 0).is_some();
            if !cutters.iter().any(on_cutter) {
                let _ = visit(self.at(&Ratio::new(BigInt::zero(), BigInt::one())));
            }
            return;
        };
        let covered: Vec<[Ratio; 2]> = cutters.iter().filter_map(|cutter| self.part_on(cutter, &along, axis)).collect();
        let mut cuts: Vec<Ratio> = covered.iter().flatten().cloned().collect();
        cuts.extend([0, 1].map(|end| Ratio::new(BigInt::from(end), BigInt::one())));
        for gap in in_order(cuts).windows(2) {
            let t = gap[0].between(&gap[1]);
            let on_cutter = |[low, high]: &[Ratio; 2]| low.compare(&t).is_le() && high.compare(&t).is_ge();
            if !covered.iter().any(on_cutter) && visit(self.at(&t)).is_break() {
                return;
            }
        }
    }

    /// The part of the segment, as a parameter interval, that lies on a triangle. `axis` is one that the segment is not
    /// perpendicular to.
    fn part_on(&self, cutter: &[IntegerVec3; 3], along: &IntegerVec3, axis: usize) -> Option<[Ratio; 2]> {
        let whole = [0, 1].map(|end| Ratio::new(BigInt::from(end), BigInt::one()));
        let normal = across(cutter);
        if normal.is_zero() {
            return self.part_on_line(ends(cutter), along, axis);
        }
        // Clipped by the planes through each side perpendicular to the triangle, and by the triangle's own plane.
        let mut part = whole;
        for k in 0..3 {
            let (p, q) = (&cutter[k], &cutter[(k + 1) % 3]);
            let inward = normal.cross(&q.sub(p));
            self.clip(&mut part, p, &inward, along)?;
        }
        self.clip(&mut part, &cutter[0], &normal, along)?;
        let downward = IntegerVec3(normal.0.each_ref().map(|c| -c));
        self.clip(&mut part, &cutter[0], &downward, along)?;
        Some(part)
    }

    /// Clips a part of the segment to the front of a plane. `None` if nothing remains.
    fn clip(&self, part: &mut [Ratio; 2], at: &IntegerVec3, normal: &IntegerVec3, along: &IntegerVec3) -> Option<()> {
        let (start, rate) = (normal.dot(&self.from.sub(at)), normal.dot(along));
        if rate.is_zero() {
            return (!start.is_negative()).then_some(());
        }
        let rising = rate.is_positive();
        let bound = Ratio::new(-start, rate);
        let end = usize::from(!rising);
        let tighter = if rising { Ordering::Less } else { Ordering::Greater };
        if part[end].compare(&bound) == tighter {
            part[end] = bound;
        }
        part[0].compare(&part[1]).is_le().then_some(())
    }

    /// The same for a degenerate triangle, by its ends.
    fn part_on_line(&self, [p, q]: [IntegerVec3; 2], along: &IntegerVec3, axis: usize) -> Option<[Ratio; 2]> {
        let between = q.sub(&p);
        // The parameter of a point on the segment's line; zero if the segment is a point.
        let share = |point: &IntegerVec3| {
            let way = if along.is_zero() { BigInt::one() } else { along.0[axis].clone() };
            Ratio::new(&point.0[axis] - &self.from.0[axis], way)
        };
        let in_line = |point: &IntegerVec3| along.cross(&point.sub(&self.from)).is_zero();
        let whole = [0, 1].map(|end| Ratio::new(BigInt::from(end), BigInt::one()));
        if along.is_zero() {
            let off = self.from.sub(&p);
            let inside = !off.dot(&between).is_negative() && !self.from.sub(&q).dot(&between).is_positive();
            return (off.cross(&between).is_zero() && inside).then_some(whole);
        }
        let part = if in_line(&p) && in_line(&q) {
            let (s, t) = (share(&p), share(&q));
            if s.compare(&t).is_le() { [s, t] } else { [t, s] }
        } else {
            // Two coplanar lines cross in a point.
            let normal = along.cross(&between);
            let apart = p.sub(&self.from);
            if normal.is_zero() || !normal.dot(&apart).is_zero() {
                return None;
            }
            let length = normal.dot(&normal);
            let other = Ratio::new(normal.dot(&apart.cross(along)), length.clone());
            if other.numerator.is_negative() || other.compare(&whole[1]).is_gt() {
                return None;
            }
            let own = Ratio::new(normal.dot(&apart.cross(&between)), length);
            [own.clone(), own]
        };
        // Clipped to the segment.
        let ([low, high], [start, end]) = (part, whole);
        let low = if low.compare(&start).is_lt() { start } else { low };
        let high = if high.compare(&end).is_gt() { end } else { high };
        low.compare(&high).is_le().then_some([low, high])
    }

    fn at(&self, t: &Ratio) -> DVec3 {
        let along = |k: usize| {
            let (from, to) = (&self.from.0[k], &self.to.0[k]);
            let number = Ratio::new(from * &t.denominator + (to - from) * &t.numerator, t.denominator.clone());
            number.float(self.exponent)
        };
        DVec3::new(along(0), along(1), along(2))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::math::predicates::{Sign, orient3d};

    fn samples(triangle: &[DVec3; 3], cutters: &[[DVec3; 3]]) -> Vec<DVec3> {
        let mut found = Vec::new();
        sample_regions(triangle, cutters, |point| {
            found.push(point);
            ControlFlow::Continue(())
        });
        found
    }

    fn point(x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(x, y, z)
    }

    const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::new(8.0, 0.0, 0.0), DVec3::new(0.0, 8.0, 0.0)];

    /// A wall perpendicular to the plane z = 0, between two points of it.
    fn wall(from: [f64; 2], to: [f64; 2]) -> [[DVec3; 3]; 2] {
        let [a, b] = [from, to].map(|[x, y]| point(x, y, -1.0));
        let up = DVec3::Z * 2.0;
        [[a, b, b + up], [a, b + up, a + up]]
    }

    #[test]
    fn every_piece_has_a_sample() {
        assert_eq!(samples(&TRIANGLE, &[]).len(), 1);
        // Walls along both axes, through the middle of the triangle: four regions, one point each.
        let cross = [wall([-1.0, 2.0], [9.0, 2.0]), wall([2.0, -1.0], [2.0, 9.0])].concat();
        let sides: BTreeSet<_> = samples(&TRIANGLE, &cross).iter().map(|p| (p.x > 2.0, p.y > 2.0)).collect();
        assert_eq!(sides.len(), 4);
        // A closed fence has an inside, a wall with a free end has none.
        let corners = [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
        let fence: Vec<_> = (0..4).flat_map(|k| wall(corners[k], corners[(k + 1) % 4])).collect();
        let inside = |p: &DVec3| p.x > 1.0 && p.x < 3.0 && p.y > 1.0 && p.y < 3.0;
        assert!(samples(&TRIANGLE, &fence).iter().any(inside) && !samples(&TRIANGLE, &fence).iter().all(inside));
        // Walls that differ in the last digit leave a region between them; its sample lies exactly there.
        let near = 1f64.next_up();
        let thin = [wall([1.0, -1.0], [1.0, 9.0]), wall([near, -1.0], [near, 9.0])].concat();
        assert_eq!(samples(&TRIANGLE, &thin).len(), 3);
    }

    #[test]
    fn covered_parts_have_no_sample() {
        let larger = [point(-1.0, -1.0, 0.0), point(20.0, -1.0, 0.0), point(-1.0, 20.0, 0.0)];
        assert!(samples(&TRIANGLE, &[larger]).is_empty());
        assert!(samples(&TRIANGLE, &[TRIANGLE]).is_empty());
        let half = [DVec3::ZERO, point(8.0, 0.0, 0.0), point(4.0, 4.0, 0.0)];
        assert!(samples(&TRIANGLE, &[half]).iter().all(|p| p.y > p.x));
        let halves = [half, [DVec3::ZERO, point(4.0, 4.0, 0.0), point(0.0, 8.0, 0.0)]];
        assert!(samples(&TRIANGLE, &halves).is_empty());
        // Triangles that only touch the boundary, or lie beside it, cover nothing.
        let beside = [point(8.0, 0.0, 0.0), point(9.0, 0.0, 3.0), point(9.0, 5.0, -2.0)];
        assert_eq!(samples(&TRIANGLE, &[beside, wall([8.0, 0.0], [0.0, 8.0])[0]]).len(), 1);
    }

    #[test]
    fn triangles_without_area_are_cut_into_intervals() {
        let segment = [DVec3::ZERO, point(4.0, 0.0, 4.0), point(8.0, 0.0, 8.0)];
        assert_eq!(samples(&segment, &[]).len(), 1);
        let across = |x: f64| [point(x, -1.0, x - 1.0), point(x, 1.0, x - 1.0), point(x, 0.0, x + 3.0)];
        let along = |from: f64, to: f64| [point(from, 0.0, from), point(to, 0.0, to), point(to, 1.0, from)];
        assert_eq!(samples(&segment, &[across(1.0), across(5.0)]).len(), 3);
        let found = samples(&segment, &[along(1.0, 3.0), along(2.0, 5.0)]);
        assert!(found.len() == 2 && found[0].x < 1.0 && found[1].x > 5.0, "{found:?}");
        // Degenerate cutters: along it, across it, beside it, and a point of it.
        let line = |p: DVec3, q: DVec3| [p, q, p];
        let found = samples(&segment, &[line(point(-1.0, 0.0, -1.0), point(3.0, 0.0, 3.0))]);
        assert!(found.len() == 1 && found[0].x > 3.0, "{found:?}");
        assert_eq!(samples(&segment, &[line(point(2.0, -1.0, 2.0), point(2.0, 1.0, 2.0))]).len(), 2);
        assert_eq!(samples(&segment, &[line(point(2.0, 1.0, 2.0), point(2.0, 3.0, 2.0))]).len(), 1);
        assert_eq!(samples(&segment, &[[point(2.0, 0.0, 2.0); 3]]).len(), 2);
        // A point is either on a cutter or not.
        let dot = [point(2.0, 0.0, 2.0); 3];
        assert_eq!(samples(&dot, &[across(1.0)]), [dot[0]]);
        for cutter in [across(2.0), along(0.0, 3.0), dot, line(point(2.0, -1.0, 2.0), point(2.0, 1.0, 2.0))] {
            assert!(samples(&dot, &[cutter]).is_empty());
        }
    }

    #[test]
    fn every_cell_between_planes_has_a_sample() {
        let mut state = 7u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % end) as f64
        };
        for _ in 0..60 {
            let corners = [(); 3].map(|()| 16.0 * point(below(9), below(9), below(9)));
            // Far larger than the triangle: equivalent to their planes.
            let cutters: Vec<[DVec3; 3]> = (0..4)
                .map(|_| {
                    let at = 16.0 * point(below(9), below(9), below(9));
                    let [u, v] = [(); 2].map(|()| point(below(9), below(9), below(9)) - 4.0);
                    [at - 4096.0 * (u + v), at + 8192.0 * u - 4096.0 * v, at + 8192.0 * v - 4096.0 * u]
                })
                .filter(|[a, b, c]| (*b - *a).cross(*c - *a).length() > 2e8)
                .collect();
            let sides = |p: DVec3| -> Vec<Sign> { cutters.iter().map(|[a, b, c]| orient3d(*a, *b, *c, p)).collect() };
            let found: BTreeSet<Vec<Sign>> = samples(&corners, &cutters).into_iter().map(sides).collect();
            for i in 1..16 {
                for j in 1..16 - i {
                    let (s, t) = (f64::from(i) / 16.0, f64::from(j) / 16.0);
                    let inner = corners[0] + s * (corners[1] - corners[0]) + t * (corners[2] - corners[0]);
                    let cell = sides(inner);
                    assert!(cell.contains(&Sign::Zero) || found.contains(&cell), "{corners:?} {cutters:?} {inner}");
                }
            }
        }
    }
}
