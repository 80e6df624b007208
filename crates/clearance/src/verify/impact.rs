//! Verifies the first contact of two moving bodies, with independent code.
//!
//! As in `answer.rs`, bodies are decomposed into vertices and moved in double-double arithmetic, where `R v + p + t d`
//! is off by some 1e-31 of the coordinates.
//! - `lower`: across the answer's normal, all of A is below all of B, by radii and margin, at time 0 and at time
//!   `lower`. The gap between two such planes is linear in time, so it holds at every time in between.
//! - `upper`: the differences of the vertices that the answer names, swept from time 0 to `upper`, surround the origin;
//!   or, at time `upper`, a point of their convex hull is no farther from it than radii, margin and `gap`. For bodies
//!   without vertices: by the two points that the answer names, moved to that time, as in `truth.rs`.
//! - points, features, normal, placement: by their definitions.
//!
//! For compounds this is checked for the two parts that the answer names; that all other pairs stay apart until `lower`
//! is proved as in `parts.rs`. A height field of up to 20,000 triangles is examined in full, a larger one along the
//! path (`swept_height_field.rs`).

use glam::DVec3;

use crate::answer::impact::Impact;
use crate::geom::closest::{closest_on_segment, closest_on_tetrahedron, closest_on_triangle};
use crate::geom::hull::convex_hull;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::placement::{Placement, difference};
use crate::math::pose::Pose;
use crate::math::tolerances::{ACCURACY, DEPTH_ACCURACY, FEATURE, UNIT_ROUNDOFF};
use crate::motion::Motion;
use crate::shape::{Feature, Shape, Triangle};
use crate::verify::body::{HalfSpaceBound, Part};
use crate::verify::parts::{Measured, Whole};
use crate::verify::refusal::{Refusal, check_numbers};
use crate::verify::scale::{enlarged_motions, quantum};
use crate::verify::swept_height_field::SweptHeightFieldPair;
use crate::verify::truth::Truth as TruthOfTwo;
use crate::verify::witness::feature_of_triangle;

/// Verifies the first contact of two moving bodies, from the bodies and motions of the query.
pub(crate) fn verify_impact(
    impact: &Impact,
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
) -> Result<(), Refusal> {
    if matches!(a, Shape::Mesh(_)) || matches!(b, Shape::Mesh(_)) {
        // By its surface: every triangle as a part.
        let ((a, feature_a), (b, feature_b)) = (
            in_triangles(a, impact.witness.a.part, impact.witness.a.feature).ok_or(Refusal::Part)?,
            in_triangles(b, impact.witness.b.part, impact.witness.b.feature).ok_or(Refusal::Part)?,
        );
        return verify_impact(
            &Impact { witness: impact.witness.with_features(feature_a, feature_b), ..*impact },
            &a,
            motion_a,
            &b,
            motion_b,
        );
    }
    if let Some(ground) = SweptHeightFieldPair::of((a, motion_a), (b, motion_b), impact.margin.max(0.0)) {
        let ground = ground?;
        return verify_impact(&ground.in_prisms(impact), ground.a(), motion_a, ground.b(), motion_b);
    }
    match enlarged_motions((a, motion_a), (b, motion_b)) {
        Some(large) => {
            let movers = ((&large.a.0, &large.a.1), (&large.b.0, &large.b.1));
            check_scaled(&impact.scaled(large.factor), movers, quantum(large.factor))
        }
        None => check_scaled(impact, ((a, motion_a), (b, motion_b)), 0.0),
    }
}

/// A mesh as a compound of its triangles, and a feature of it as one of the triangle; other bodies unchanged.
fn in_triangles(shape: &Shape, part: u32, feature: Feature) -> Option<(Shape, Feature)> {
    let Shape::Mesh(mesh) = shape else { return Some((shape.clone(), feature)) };
    let points: Vec<DVec3> = mesh.points().collect();
    let triangles = mesh.triangles();
    let own = triangles.get(part as usize)?;
    let feature = feature_of_triangle(own, part, feature)?;
    let triangle = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|point| points[point as usize]);
        (Pose::IDENTITY, Shape::Triangle(Triangle::from_checked([a, b, c])))
    };
    let parts = triangles.iter().map(triangle).collect();
    Some((Shape::compound(parts).ok()?, feature))
}

fn check_scaled(
    impact: &Impact,
    ((a, motion_a), (b, motion_b)): ((&Shape, &Motion), (&Shape, &Motion)),
    quantum: f64,
) -> Result<(), Refusal> {
    // World coordinates are relative to the start of A.
    let from = motion_a.start().translation();
    let movers =
        (Mover::new(a, motion_a, impact.witness.a.part, from), Mover::new(b, motion_b, impact.witness.b.part, from));
    let (Some(mut mover_a), Some(mut mover_b)) = movers else { return Err(Refusal::Part) };
    if motion_a.start() == motion_b.start() && mover_a.inner.is_none() && mover_b.inner.is_none() {
        // In a common frame, world coordinates are relative to a point of A.
        let shift = mover_a.part.vertices[0];
        (mover_a.part.shift, mover_b.part.shift) = (shift, shift);
    }
    let in_parts = |shape: &Shape| matches!(shape, Shape::Compound(_));
    let whole = (in_parts(a) || in_parts(b)).then(|| {
        let mut whole = Whole::new(a, &motion_a.start(), b, &motion_b.start());
        whole.all().for_each(|part| part.measure_from(from));
        let measured = whole.measure();
        (whole, measured)
    });
    // From the frames of the bodies to those of the parts.
    let own = |mover: &Mover, point: DVec3| mover.inner.map_or(point, |inner| inner.inverse_transform_point(point));
    let (point_in_a, point_in_b) = (own(&mover_a, impact.witness.a.point), own(&mover_b, impact.witness.b.point));
    Truth::new(mover_a, mover_b, whole, quantum)
        .check(&Impact { witness: impact.witness.with_points(point_in_a, point_in_b), ..*impact })
}

/// A decomposed body, and its motion.
struct Mover {
    shape: Shape,
    part: Part,
    motion: Motion,
    /// For a part of a compound: its pose there.
    inner: Option<Pose>,
    /// The reference point of world coordinates.
    from: DVec3,
}

impl Mover {
    /// A part of a body; `None` if there is no such part.
    fn new(shape: &Shape, motion: &Motion, part: u32, from: DVec3) -> Option<Mover> {
        let (shape, inner) = match shape {
            Shape::Compound(compound) => {
                let (inner, shape) = compound.parts().get(part as usize)?;
                (shape, Some(*inner))
            }
            whole => (part == 0).then_some((whole, None))?,
        };
        let part = taken_apart(shape, inner, motion, from);
        Some(Mover { shape: shape.clone(), part, motion: *motion, inner, from })
    }

    /// A second decomposition of the body, at time 0.
    fn apart(&self) -> Part {
        let mut part = taken_apart(&self.shape, self.inner, &self.motion, self.from);
        part.shift = self.part.shift;
        part
    }

    /// The position of a point of the body at time 0.
    fn start(&self, point: DVec3) -> DoubleDoubleVec3 {
        self.part.world(point)
    }

    fn coordinates(&self) -> f64 {
        self.part.world_coordinates() + self.motion.displacement().length()
    }
}

fn taken_apart(shape: &Shape, inner: Option<Pose>, motion: &Motion, from: DVec3) -> Part {
    let mut part = match inner {
        Some(inner) => Part::of_compound(shape, &inner, &motion.start()),
        None => Part::new(shape, &motion.start()),
    };
    part.measure_from(from);
    part
}

/// How far a body may extend beyond its support points.
fn slack(shape: &Shape) -> f64 {
    match shape {
        Shape::Custom(custom) => custom.slack(),
        Shape::Rounded(rounded) => slack(rounded.core()),
        _ => 0.0,
    }
}

/// Both bodies, and the numbers that every check needs.
struct Truth {
    a: Mover,
    b: Mover,
    /// Both are rounded polytopes.
    vertices: bool,
    /// How far custom bodies may extend beyond their support points.
    slack: f64,
    /// Displacement of B relative to A.
    way: DoubleDoubleVec3,
    /// A bound on the rounding of double-double work in world coordinates.
    rounding: f64,
    quantum: f64,
    /// Both start in a common frame, where the difference of two points is exact.
    one_frame: bool,
    /// All parts of both, for compounds, and their sizes; `a` and `b` are then the two that the answer names.
    whole: Option<(Whole, Measured)>,
}

impl Truth {
    fn new(a: Mover, b: Mover, whole: Option<(Whole, Measured)>, quantum: f64) -> Truth {
        let vertices = a.part.has_vertices() && b.part.has_vertices();
        let slack = slack(&a.shape) + slack(&b.shape);
        let way = DoubleDoubleVec3::from_difference(b.motion.displacement(), a.motion.displacement());
        let others = whole.as_ref().map_or(0.0, |(_, measured)| measured.coordinates);
        let rounding = 1e-30 * (a.coordinates() + b.coordinates() + others) + quantum;
        let inner = |mover: &Mover| mover.inner.unwrap_or(Pose::IDENTITY);
        let one_frame = a.motion.start() == b.motion.start() && inner(&a) == inner(&b);
        Truth { a, b, vertices, slack, way, rounding, quantum, one_frame, whole }
    }

    /// From a point of A to one of B at a given time.
    fn difference(&self, a: DVec3, b: DVec3, time: f64) -> DoubleDoubleVec3 {
        let at_start = if self.one_frame {
            let own = DoubleDoubleVec3::from_difference(b, a);
            let in_whole = self.a.inner.map_or(own, |inner| own.transformed_by(&inner.rotation()));
            in_whole.transformed_by(&self.a.motion.start().rotation())
        } else {
            self.b.start(b) - self.a.start(a)
        };
        at_start + self.way.scale(DoubleDouble::from(time))
    }

    /// A bound on the rounding of the differences of some points at a given time.
    fn rounding_of(&self, pairs: &[(DVec3, DVec3)], time: f64) -> f64 {
        if !self.one_frame {
            return self.rounding;
        }
        let size = pairs.iter().map(|&(a, b)| a.distance(b)).fold(0.0, f64::max);
        1e-30 * (size + self.way.length().to_f64() * time) + self.quantum
    }

    /// Radii and margin.
    fn contact(&self, impact: &Impact) -> DoubleDouble {
        DoubleDouble::from_sum(self.a.part.radius, self.b.part.radius) + DoubleDouble::from(impact.margin)
    }

    /// Sizes of both bodies plus their distance at a given time: accuracy is relative to this.
    fn scale(&self, time: f64) -> f64 {
        let ((middle_a, size_a), (middle_b, size_b)) = (self.a.part.extent(), self.b.part.extent());
        let apart = self.difference(middle_a, middle_b, time).length().to_f64();
        size_a + size_b + apart + 2.0 * (self.a.part.radius + self.b.part.radius)
    }

    /// How far a stored point may be from its true position. A moving point is known only to the last digit of its
    /// path. Parts are placed relative to the centre of the whole body, so for them the sizes of the whole bodies
    /// count.
    fn point_tolerance(&self, time: f64) -> f64 {
        let way = self.way.length().to_f64() * time;
        let (scale, own) = match &self.whole {
            Some((_, measured)) => (measured.scale + way, 4.0 * measured.own_coordinates),
            None => (self.scale(time), self.a.part.own_coordinates() + self.b.part.own_coordinates()),
        };
        (ACCURACY + self.defect()) * scale + 4.0 * UNIT_ROUNDOFF * (own + way) + self.quantum
    }

    fn defect(&self) -> f64 {
        self.a.part.defect().max(self.b.part.defect())
    }

    fn check(&self, impact: &Impact) -> Result<(), Refusal> {
        check_numbers(&[
            ("t", impact.time.value),
            ("lower", impact.time.lower),
            ("upper", impact.time.upper),
            ("gap", impact.gap),
            ("margin", impact.margin),
            ("placement", impact.placement),
            ("point_in_a", impact.witness.a.point.element_sum()),
            ("point_in_b", impact.witness.b.point.element_sum()),
            ("normal", impact.normal.map_or(0.0, DVec3::element_sum)),
        ])?;
        for (field, number) in [("lower", impact.time.lower), ("gap", impact.gap), ("margin", impact.margin)] {
            if number < 0.0 {
                return Err(Refusal::NoNumber { field });
            }
        }
        if !(impact.time.lower <= impact.time.value
            && impact.time.value <= impact.time.upper
            && impact.time.upper <= 1.0)
        {
            return Err(Refusal::Disordered);
        }
        // A zero gap proves contact, except for custom bodies, whose contents are known only up to their slack.
        let unproved = !impact.touches && impact.gap == 0.0 && self.slack == 0.0;
        if unproved || impact.touches && impact.gap != 0.0 || impact.started_overlapping && impact.time.upper > 0.0 {
            return Err(Refusal::Verdict);
        }
        match impact.normal {
            Some(normal) if !impact.started_overlapping => self.check_lower(impact, normal)?,
            None if impact.started_overlapping => {}
            _ => return Err(Refusal::Normal),
        }
        self.check_upper(impact)?;
        self.check_width(impact)?;
        self.check_placement(impact)?;
        self.check_points(impact)
    }

    /// The planes across the normal separate the bodies at time 0 and at time `lower`.
    fn check_lower(&self, impact: &Impact, normal: DVec3) -> Result<(), Refusal> {
        let n = DoubleDoubleVec3::from(normal);
        let length = n.length();
        if (length.to_f64() - 1.0).abs() > ACCURACY {
            return Err(Refusal::Normal);
        }
        if impact.time.lower == 0.0 {
            return Ok(());
        }
        let (at_start, speed) = match self.plane() {
            Some((plane, sign)) => self.above_plane(&plane, normal * sign, sign)?,
            None => {
                let at_start = -(self.b.part.support_along(-n) + self.a.part.support_along(n));
                (at_start / length, n.dot(self.way) / length)
            }
        };
        let left_at = |time: f64| {
            let gap = at_start + speed.mul_f64(time);
            gap - self.contact(impact) - DoubleDouble::from(self.rounding)
        };
        let (first, last) = (left_at(0.0), left_at(impact.time.lower));
        if first < DoubleDouble::ZERO || last < DoubleDouble::ZERO {
            // The remaining gap decreases linearly with time.
            let share = if first > DoubleDouble::ZERO { (first / (first - last)).to_f64() } else { 0.0 };
            return Err(Refusal::Before { claimed: impact.time.lower, proved: share * impact.time.lower });
        }
        // The planes are those of the two named parts; all others stay apart until then as well.
        let Some((whole, _)) = &self.whole else { return Ok(()) };
        let way = self.way.scale(DoubleDouble::from(impact.time.lower));
        whole
            .check_clear(impact.margin, normal, way, self.rounding)
            .map_err(|_| Refusal::Before { claimed: impact.time.lower, proved: 0.0 })
    }

    /// The plane of a half-space among the two, and 1 if it is A, else -1.
    fn plane(&self) -> Option<(HalfSpaceBound, f64)> {
        let of_a = self.a.part.world_plane().map(|plane| (plane, 1.0));
        of_a.or_else(|| self.b.part.world_plane().map(|plane| (plane, -1.0)))
    }

    /// How far the core of the other body is above a half-space at time 0, and the speed at which it recedes. Only the
    /// plane's own normal can show it.
    fn above_plane(
        &self,
        plane: &HalfSpaceBound,
        normal: DVec3,
        sign: f64,
    ) -> Result<(DoubleDouble, DoubleDouble), Refusal> {
        if (DoubleDoubleVec3::from(normal) - plane.normal).length().to_f64() > ACCURACY {
            return Err(Refusal::Normal);
        }
        let other = if sign > 0.0 { &self.b.part } else { &self.a.part };
        let speed = plane.normal.dot(self.way).mul_f64(sign);
        match other.world_plane() {
            None => Ok((-other.support_along(-plane.normal) - plane.level, speed)),
            // A second plane bounds the gap only if it faces the first, to the last digit available.
            Some(second) if (second.normal + plane.normal).length().to_f64() <= 1e-29 => {
                Ok((-(second.level + plane.level), speed))
            }
            Some(_) => Err(Refusal::Normal),
        }
    }

    /// Contact by time `upper`, for bodies without vertices: two points of the cores at that time.
    fn check_deep(&self, impact: &Impact) -> Result<(), Refusal> {
        let [point_a, point_b] = impact.deep.ok_or(Refusal::NoNumber { field: "deep" })?;
        check_numbers(&[("deep", point_a.element_sum() + point_b.element_sum())])?;
        let (a, mut b) = (self.a.apart(), self.b.apart());
        b.moved = b.moved + self.way.scale(DoubleDouble::from(impact.time.upper));
        let mut there = TruthOfTwo::between(a, b, self.quantum);
        (there.rounding, there.rounding_of_two) = (self.rounding, self.rounding);
        // The sum is rounded, and so were its terms.
        let claimed = if impact.gap > 0.0 { (impact.margin + impact.gap).next_up() } else { impact.margin };
        let by_points = there.check_upper(claimed, point_a, point_b);
        if by_points.is_ok() || !impact.touches {
            return by_points;
        }
        there.check_deep(-claimed, point_a, point_b).map_err(|refusal| match refusal {
            Refusal::Lower { claimed, proved } => Refusal::Upper { claimed: -claimed, proved: -proved },
            other => other,
        })
    }

    /// The named vertices, as pairs of points.
    fn evidence(&self, impact: &Impact) -> Result<Vec<(DVec3, DVec3)>, Refusal> {
        let vertex = |mover: &Mover, id: u32| mover.part.vertices.get(id as usize).copied();
        let pairs = impact.evidence.as_slice();
        let found: Option<Vec<_>> =
            pairs.iter().map(|&[a, b]| Some((vertex(&self.a, a)?, vertex(&self.b, b)?))).collect();
        found.filter(|f| !f.is_empty()).ok_or(Refusal::NoNumber { field: "evidence" })
    }

    fn check_upper(&self, impact: &Impact) -> Result<(), Refusal> {
        if !self.vertices {
            return self.check_deep(impact);
        }
        let pairs = self.evidence(impact)?;
        let claimed = impact.gap;
        let nearest = self.nearest_of(&pairs, impact.time.upper);
        let rounding = self.rounding_of(&pairs, impact.time.upper);
        let left = nearest - self.contact(impact) + DoubleDouble::from(rounding);
        if left <= DoubleDouble::from(claimed) {
            return Ok(());
        }
        // If no gap is claimed, a common point: the swept differences surround the origin.
        if impact.touches && self.surrounds(&pairs, impact.time.upper) {
            return Ok(());
        }
        Err(Refusal::Upper { claimed, proved: left.to_f64() })
    }

    /// A bound on the distance from the origin to the convex hull of the first few differences at a given time: a
    /// combination with any weights is a point of it, so the weights may be rounded.
    fn nearest_of(&self, pairs: &[(DVec3, DVec3)], time: f64) -> DoubleDouble {
        let points: Vec<DoubleDoubleVec3> = pairs.iter().take(4).map(|&(a, b)| self.difference(a, b, time)).collect();
        let rounded: Vec<DVec3> = points.iter().map(|p| p.to_vec3()).collect();
        let origin = DVec3::ZERO;
        let weights: Vec<f64> = match rounded[..] {
            [p, q] => closest_on_segment(origin, p, q).weights.to_vec(),
            [p, q, r] => closest_on_triangle(origin, p, q, r).weights.to_vec(),
            [p, q, r, s] => closest_on_tetrahedron(origin, p, q, r, s).weights.to_vec(),
            _ => vec![1.0],
        };
        let mut sum = DoubleDoubleVec3::from(DVec3::ZERO);
        let mut total = DoubleDouble::ZERO;
        for (point, weight) in points.iter().zip(&weights) {
            let weight = DoubleDouble::from(weight.max(0.0));
            sum = sum + point.scale(weight);
            total = total + weight;
        }
        if total > DoubleDouble::ZERO { sum.length() / total } else { points[0].length() }
    }

    /// True when the differences, swept from time 0 to `time`, contain a sphere about the origin larger than their
    /// rounding.
    fn surrounds(&self, pairs: &[(DVec3, DVec3)], time: f64) -> bool {
        let points: Vec<DVec3> = pairs
            .iter()
            .flat_map(|&(a, b)| [self.difference(a, b, 0.0).to_vec3(), self.difference(a, b, time).to_vec3()])
            .collect();
        let size = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        // The hull builder accepts coordinates up to `MAX_COORDINATE`; a power of two changes no topology.
        let reduced: Vec<DVec3> = points.iter().map(|p| *p * 0.0625).collect();
        let Ok(mesh) = convex_hull(&reduced) else { return false };
        if mesh.dimension < 3 {
            return false;
        }
        mesh.triangles.iter().all(|triangle| {
            let [p, q, r] = triangle.map(|i| DoubleDoubleVec3::from(points[mesh.vertices[i as usize] as usize]));
            let n = (q - p).cross(r - p);
            // Each point was rounded once, by at most u of its length in each coordinate.
            (n.dot(p) / n.length()).to_f64() > 2.0 * UNIT_ROUNDOFF * size + self.rounding
        })
    }

    /// The bracket is no wider than the accuracy of a gap, on the scale of the bodies, their initial distance and the
    /// distance travelled, divided by the closing speed. For compounds the ends need not come from the same two parts.
    fn check_width(&self, impact: &Impact) -> Result<(), Refusal> {
        let Some(normal) = impact.normal.filter(|_| self.whole.is_none()) else { return Ok(()) };
        let speed = -DoubleDoubleVec3::from(normal).dot(self.way).to_f64();
        let width = impact.time.upper - impact.time.lower;
        let scale = self.scale(0.0) + self.way.length().to_f64() * impact.time.upper;
        // Contact of curved bodies is proved by their depth.
        let accuracy = if self.vertices { ACCURACY } else { DEPTH_ACCURACY };
        let room = (accuracy + self.defect()) * scale + 8.0 * (self.rounding + self.slack);
        // Times are rounded to floats as well.
        let allowed = room / speed.max(f64::MIN_POSITIVE) + 4.0 * UNIT_ROUNDOFF;
        if width == 0.0 || width <= allowed { Ok(()) } else { Err(Refusal::TooWide { width, allowed }) }
    }

    /// Every vertex is placed within the bound, in one of the two frames, when contact is near; and the bound is one
    /// that rounding could explain.
    fn check_placement(&self, impact: &Impact) -> Result<(), Refusal> {
        let claimed = impact.placement;
        let time = impact.time.lower;
        let off = |frame: &Mover, moved: &Mover, way: DoubleDoubleVec3| {
            let (pose, origin) = (frame.motion.start(), frame.part.origin);
            let (high, low) = difference(moved.motion.displacement(), frame.motion.displacement());
            let (vector, error) = Placement::displacement(&pose, high, low);
            let map =
                Placement::new(&pose, origin, &moved.motion.start(), moved.part.origin).moved(time, vector, error);
            let displaced = moved.part.vertices.iter().map(|&vertex| {
                let placed = DoubleDoubleVec3::from(map.place(vertex - moved.part.origin));
                let landed = frame.start(origin) + placed.transformed_by(&pose.rotation());
                (landed - moved.start(vertex) - way.scale(DoubleDouble::from(time))).length().to_f64()
            });
            displaced.fold(0.0, f64::max)
        };
        let back = self.way.scale(DoubleDouble::from(-1.0));
        // How poses of parts are composed is internal to the engine: only the usefulness of the bound is checked here.
        let seen =
            if self.whole.is_some() { 0.0 } else { off(&self.a, &self.b, self.way).min(off(&self.b, &self.a, back)) };
        let way = self.way.length().to_f64() * impact.time.upper;
        // Parts are placed relative to the centres of the whole bodies: two placements, each less than 40u of `L`, and
        // the tilt of the normal, 11u of at most twice that.
        let useful = match &self.whole {
            Some((_, measured)) => 128.0 * UNIT_ROUNDOFF * (measured.scale + way),
            None => 64.0 * UNIT_ROUNDOFF * (self.scale(0.0) + way),
        };
        let useful = useful + self.point_tolerance(impact.time.value);
        let allowed = claimed * (1.0 + 2.0 * self.defect()) + self.rounding;
        if claimed >= 0.0 && seen <= allowed && claimed <= useful {
            Ok(())
        } else {
            Err(Refusal::Placement { claimed, seen })
        }
    }

    /// The points belong to their bodies and features, and are in contact at the given time.
    fn check_points(&self, impact: &Impact) -> Result<(), Refusal> {
        let tolerance = self.point_tolerance(impact.time.upper);
        let width = (impact.time.upper - impact.time.lower) * self.way.length().to_f64();
        let both = [
            (&self.a, "A", impact.witness.a.point, impact.witness.a.feature),
            (&self.b, "B", impact.witness.b.point, impact.witness.b.feature),
        ];
        for (mover, body, point, feature) in both {
            let world = mover.part.world(point);
            let off = match mover.part.world_plane() {
                Some(plane) if impact.started_overlapping => plane.above(world).to_f64(),
                Some(plane) => plane.above(world).to_f64().abs(),
                None => {
                    let core = (mover.part.nearest(point, 0.0).project(world) - world).length().to_f64();
                    core - mover.part.radius
                }
            };
            if off > tolerance {
                return Err(Refusal::Witness { body, off });
            }
            let holds = match feature {
                // A search stopped by rounding names no feature, for a body with an interior.
                Feature::Interior => impact.started_overlapping || mover.part.solid || mover.part.round.is_some(),
                // The witness of overlapping bodies is inside the radius about the feature.
                _ if impact.started_overlapping => {
                    let tolerance = tolerance + FEATURE * self.scale(impact.time.value);
                    mover.part.distance_to(feature, point).is_some_and(|off| off <= tolerance)
                }
                _ => {
                    // Where little is known of a body, only a chord of the other was found: within the bracket.
                    let tolerance = tolerance + FEATURE * self.scale(impact.time.value) + width + impact.gap;
                    mover.part.distance_to(feature, point).is_some_and(|off| off.abs() <= tolerance)
                }
            };
            if !holds {
                return Err(Refusal::Feature { body });
            }
        }
        let between =
            self.difference(impact.witness.a.point, impact.witness.b.point, impact.time.value).length().to_f64();
        // Overlapping bodies have a point in common, however wide the margin.
        let off = if impact.started_overlapping { between - impact.margin } else { (between - impact.margin).abs() };
        if off <= tolerance + impact.gap + width { Ok(()) } else { Err(Refusal::Witness { body: "A and B", off }) }
    }
}
