//! Contact manifold of two convex bodies: pairs of points facing each other along one normal.
//!
//! Each body presents a *patch* perpendicular to the normal: the face, edge or corner of its core that lies level with
//! the supporting plane, up to a small tilt; curved cores present a cap (a disc), a line of their side, or a single
//! point. Projected along the normal the two patches overlap in a convex region, and its extreme points are the
//! contacts: corners of one patch contained in the other, and crossings of their borders. Each is projected onto both
//! patches along the normal.
//!
//! The usual method (clipping the incident face against the side planes of a reference face, Sutherland and Hodgman
//! 1974) has to choose the reference face, and the choice flips between two that are equally good. Here both patches
//! are treated alike, so there is no such choice: extreme points of the common region are found directly, and a nearly
//! common border yields one point, not two, because points within rounding count as contained.

use glam::DVec3;

use super::core::{AnyCore, Body, Core, Smooth};
use crate::math::placement::Placement;
use crate::math::tolerances::{ACCURACY, MANIFOLD_LEVEL, MANIFOLD_NARROW_FACE};
use crate::shape::{Feature, Hull};

/// How many fixed points of a rim stand for an arc that lies inside the other patch.
const RIM_POINTS: usize = 8;

/// The feature that a contact's point lies on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    /// The smallest feature of a polytope with these vertices; repeated where there are fewer than four.
    Corners([u32; 4]),
    /// A feature of a curved body.
    Known(Feature),
}

/// A pair of facing points on the surfaces, each in its body's frame and relative to its local origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub point_a: DVec3,
    pub point_b: DVec3,
    pub name_a: Name,
    pub name_b: Name,
}

/// A corner of a patch.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// In the frame of A.
    at: DVec3,
    /// In the body's own frame.
    own: DVec3,
    name: Name,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    /// One point: the witness is the only contact.
    #[default]
    Point,
    Segment,
    Polygon,
    Disc,
    /// The whole plane.
    Plane,
}

/// The part of a body's surface perpendicular to the normal.
#[derive(Clone, Debug, Default)]
struct Patch {
    kind: Kind,
    /// Corners of a polygon, in order; the ends of a segment; points of a disc's rim.
    corners: Vec<Corner>,
    /// Normal of the patch's plane, in the frame of A; of any length.
    normal: DVec3,
    /// A point of the plane; the centre of a disc.
    base: DVec3,
    radius: f64,
    /// Feature of interior points, if it does not follow from the corners.
    inside: Option<Feature>,
    /// Feature of points on the border of a disc.
    rim: Option<Feature>,
    scratch: Vec<u32>,
}

/// Reused scratch memory of the contact search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifold {
    a: Patch,
    b: Patch,
    pub touches: Vec<Touch>,
    /// The position of each touch, in the frame of A.
    places: Vec<DVec3>,
    order: Vec<(f64, u32)>,
}

/// A map between a body's own frame and the frame of A.
#[derive(Clone, Copy)]
struct Frame<'p> {
    placement: Option<&'p Placement>,
}

impl Frame<'_> {
    fn place(&self, own: DVec3) -> DVec3 {
        self.placement.map_or(own, |map| map.place(own))
    }

    fn turn(&self, own: DVec3) -> DVec3 {
        self.placement.map_or(own, |map| map.turn(own))
    }

    fn own(&self, at: DVec3) -> DVec3 {
        self.placement.map_or(at, |map| map.turn_back(at - map.translation))
    }
}

impl Manifold {
    /// Fills `touches` with the extreme points of the overlap of both bodies' patches perpendicular to `direction`
    /// (unit, from A to B, in the frame of A), in order around it. Empty when a patch is a single point. `tilt` is the
    /// sine of the largest angle by which a face or line may be off.
    pub fn find(&mut self, a: &Body<'_>, b: &Body<'_>, map: &Placement, reach: f64, direction: DVec3, tilt: f64) {
        self.touches.clear();
        self.places.clear();
        let (frame_a, frame_b) = (Frame { placement: None }, Frame { placement: Some(map) });
        self.a.fill(a, direction, direction, tilt, frame_a);
        self.a.add_radius(a.radius, direction, frame_a);
        if self.a.kind == Kind::Point {
            return;
        }
        let back = -map.turn_back(direction);
        self.b.fill(b, back, direction, tilt, frame_b);
        self.b.add_radius(b.radius, back, frame_b);
        if self.b.kind == Kind::Point {
            return;
        }
        self.common(reach, direction, frame_b);
    }

    /// [`Manifold::find`] along a direction that need not be that of the gap: a body whose patch is a single point
    /// contributes that point.
    pub fn find_along(&mut self, a: &Body<'_>, b: &Body<'_>, map: &Placement, reach: f64, direction: DVec3, tilt: f64) {
        self.touches.clear();
        self.places.clear();
        let (frame_a, frame_b) = (Frame { placement: None }, Frame { placement: Some(map) });
        let back = -map.turn_back(direction);
        self.a.fill(a, direction, direction, tilt, frame_a);
        self.a.add_radius(a.radius, direction, frame_a);
        self.a.fill_point(a, direction, frame_a);
        self.b.fill(b, back, direction, tilt, frame_b);
        self.b.add_radius(b.radius, back, frame_b);
        self.b.fill_point(b, back, frame_b);
        self.common(reach, direction, frame_b);
    }

    /// The overlap of both patches.
    fn common(&mut self, reach: f64, direction: DVec3, frame_b: Frame<'_>) {
        let within = MANIFOLD_LEVEL * reach;
        let Manifold { a, b, touches, places, order } = self;
        let mut found = Found { a, b, frame_b, direction, within, touches, places };
        found.corners_of_a();
        found.corners_of_b();
        found.crossings();
        sort_around(direction, touches, places, order);
    }
}

/// Sorts the touches around their middle.
fn sort_around(direction: DVec3, touches: &mut [Touch], places: &[DVec3], order: &mut Vec<(f64, u32)>) {
    if touches.len() < 3 {
        return;
    }
    let middle = places.iter().sum::<DVec3>() / places.len() as f64;
    let (x, y) = direction.any_orthonormal_pair();
    order.clear();
    order.extend(places.iter().enumerate().map(|(k, &p)| {
        let (u, v) = (x.dot(p - middle), y.dot(p - middle));
        // Increases with the angle from 0 to 4, without a platform-dependent library function.
        let sum = u.abs() + v.abs();
        let slope = if sum > 0.0 { v / sum } else { 0.0 };
        (
            if u < 0.0 {
                2.0 - slope
            } else if v < 0.0 {
                4.0 + slope
            } else {
                slope
            },
            k as u32,
        )
    }));
    order.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    // Applies the permutation in place.
    for k in 0..touches.len() {
        let mut from = order[k].1 as usize;
        while from < k {
            from = order[from].1 as usize;
        }
        touches.swap(k, from);
    }
}

/// A search in progress.
struct Found<'m> {
    a: &'m Patch,
    b: &'m Patch,
    frame_b: Frame<'m>,
    direction: DVec3,
    within: f64,
    touches: &'m mut Vec<Touch>,
    places: &'m mut Vec<DVec3>,
}

impl Found<'_> {
    /// Adds a pair unless there already is one at that place, as seen along the direction.
    fn add(&mut self, at: DVec3, touch: Touch) {
        let n = self.direction;
        let beside = |p: &DVec3| (*p - at) - n * n.dot(*p - at);
        if !self.places.iter().any(|p| beside(p).length_squared() <= 4.0 * self.within * self.within) {
            self.places.push(at);
            self.touches.push(touch);
        }
    }

    fn corners_of_a(&mut self) {
        let (a, b) = (self.a, self.b);
        for corner in &a.corners {
            let at = b.lift(corner.at, self.direction);
            if b.holds(corner.at, at, self.direction, self.within) {
                let point_b = self.frame_b.own(at);
                self.add(corner.at, Touch { point_a: corner.own, point_b, name_a: corner.name, name_b: b.inside() });
            }
        }
    }

    fn corners_of_b(&mut self) {
        let (a, b) = (self.a, self.b);
        for corner in &b.corners {
            let at = a.lift(corner.at, self.direction);
            if a.holds(corner.at, at, self.direction, self.within) {
                self.add(at, Touch { point_a: at, point_b: corner.own, name_a: a.inside(), name_b: corner.name });
            }
        }
    }

    fn crossings(&mut self) {
        let (a, b) = (self.a, self.b);
        match (a.kind, b.kind) {
            (Kind::Plane, _) | (_, Kind::Plane) => {}
            (Kind::Disc, Kind::Disc) => self.rims(),
            (_, Kind::Disc) => {
                for k in 0..a.edge_count() {
                    let [p, q] = a.edge(k);
                    for t in b.rim_crossings(p.at, q.at, self.direction).into_iter().flatten() {
                        let at = p.at + (q.at - p.at) * t;
                        let point_b = self.frame_b.own(b.lift(at, self.direction));
                        let touch = Touch { point_a: at, point_b, name_a: a.edge_name(k), name_b: b.rim_name() };
                        self.add(at, touch);
                    }
                }
            }
            (Kind::Disc, _) => {
                for k in 0..b.edge_count() {
                    let [p, q] = b.edge(k);
                    for t in a.rim_crossings(p.at, q.at, self.direction).into_iter().flatten() {
                        let at = a.lift(p.at + (q.at - p.at) * t, self.direction);
                        let point_b = p.own + (q.own - p.own) * t;
                        let touch = Touch { point_a: at, point_b, name_a: a.rim_name(), name_b: b.edge_name(k) };
                        self.add(at, touch);
                    }
                }
            }
            _ => self.edges(),
        }
    }

    /// Crossings of straight borders.
    fn edges(&mut self) {
        let (a, b, n) = (self.a, self.b, self.direction);
        for i in 0..a.edge_count() {
            let [p, q] = a.edge(i);
            let e = q.at - p.at;
            for j in 0..b.edge_count() {
                let [r, s] = b.edge(j);
                let f = s.at - r.at;
                let turned = n.dot(e.cross(f));
                // For borders that are parallel up to rounding, the corners are already found.
                if turned * turned <= MANIFOLD_LEVEL * MANIFOLD_LEVEL * (e.dot(e) * f.dot(f)) {
                    continue;
                }
                let between = r.at - p.at;
                let (x, y) = (n.dot(between.cross(f)) / turned, n.dot(between.cross(e)) / turned);
                if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
                    let at = p.at + e * x;
                    // Where nearly parallel borders cross is poorly determined along both, and differs between them:
                    // the facing point of the other border is taken. Where there is none, they do not cross.
                    let aside = |t: f64| {
                        let between = r.at + f * t - at;
                        (between - n * n.dot(between)).length()
                    };
                    let flat = f - n * n.dot(f);
                    let behind = ((at - r.at).dot(flat) / flat.dot(flat)).clamp(0.0, 1.0);
                    let y = if aside(y) <= self.within { y } else { behind };
                    if aside(y) > self.within {
                        continue;
                    }
                    let point_b = r.own + (s.own - r.own) * y;
                    self.add(at, Touch { point_a: at, point_b, name_a: a.edge_name(i), name_b: b.edge_name(j) });
                }
            }
        }
    }

    /// Crossings of two rims, one of which may be seen at a slight angle: an initial guess from circles, then Newton's
    /// method on the angle.
    fn rims(&mut self) {
        let (a, b, n) = (self.a, self.b, self.direction);
        let to = a.lift(b.base, n) - a.base;
        let (d, r, s) = (to.length(), a.radius, b.radius);
        if !(d > 0.0 && d < r + s && d > (r - s).abs()) {
            return;
        }
        let along = to / d;
        let axis = a.normal.normalize_or_zero();
        let aside = axis.cross(along);
        let x = (d * d + (r - s) * (r + s)) / (2.0 * d);
        let y = (r - x) * (r + x);
        if y <= 0.0 {
            return;
        }
        for sign in [1.0, -1.0] {
            let mut unit = (along * x + aside * (sign * y.sqrt())) / r;
            for _ in 0..4 {
                let from = b.lift(a.base + unit * r, n) - b.base;
                let tangent = axis.cross(unit);
                let step = b.lift(a.base + unit * r + tangent, n) - b.base - from;
                let slope = 2.0 * r * from.dot(step);
                if slope == 0.0 {
                    break;
                }
                let turn = ((s * s - from.dot(from)) / slope).clamp(-0.1, 0.1);
                unit = (unit + tangent * turn).normalize_or(unit);
            }
            let at = a.base + unit * r;
            let lifted = b.lift(at, n);
            if ((lifted - b.base).length() - s).abs() <= self.within {
                let (name_a, name_b) = (a.rim_name(), b.rim_name());
                self.add(at, Touch { point_a: at, point_b: self.frame_b.own(lifted), name_a, name_b });
            }
        }
    }
}

impl Patch {
    fn inside(&self) -> Name {
        match self.inside {
            Some(feature) => Name::Known(feature),
            None => {
                let id = |k: usize| match self.corners.get(k).or(self.corners.last()).map(|c| c.name) {
                    Some(Name::Corners(ids)) => ids[0],
                    _ => 0,
                };
                // Corners far apart on a large face, so that they share no smaller feature.
                let n = self.corners.len();
                Name::Corners([id(0), id(n / 4), id(n / 2), id(3 * n / 4)])
            }
        }
    }

    fn rim_name(&self) -> Name {
        self.rim.map_or_else(|| self.inside(), Name::Known)
    }

    fn edge_count(&self) -> usize {
        match self.kind {
            Kind::Segment => 1,
            Kind::Polygon => self.corners.len(),
            _ => 0,
        }
    }

    fn edge(&self, k: usize) -> [Corner; 2] {
        [self.corners[k], self.corners[(k + 1) % self.corners.len()]]
    }

    fn edge_name(&self, k: usize) -> Name {
        match (self.inside, self.edge(k).map(|corner| corner.name)) {
            (None, [Name::Corners(p), Name::Corners(q)]) => Name::Corners([p[0], q[0], p[0], q[0]]),
            _ => self.inside(),
        }
    }

    /// A point in the frame of A, moved along the direction onto the patch.
    fn lift(&self, at: DVec3, direction: DVec3) -> DVec3 {
        if self.kind == Kind::Point {
            return self.corners.first().map_or(at, |corner| corner.at);
        }
        if self.kind == Kind::Segment {
            let [p, q] = self.edge(0);
            let e = q.at - p.at;
            let flat = e - direction * direction.dot(e);
            let squared = flat.dot(flat);
            let t = if squared > 0.0 { ((at - p.at).dot(flat) / squared).clamp(0.0, 1.0) } else { 0.0 };
            return p.at + e * t;
        }
        at - direction * (self.normal.dot(at - self.base) / self.normal.dot(direction))
    }

    /// Whether a point, lifted to `at`, lies on the patch as seen along the direction.
    fn holds(&self, from: DVec3, at: DVec3, direction: DVec3, within: f64) -> bool {
        match self.kind {
            Kind::Plane => true,
            Kind::Disc => (at - self.base).length() <= self.radius + within,
            Kind::Point | Kind::Segment => {
                let moved = at - from;
                (moved - direction * direction.dot(moved)).length() <= within
            }
            Kind::Polygon => (0..self.corners.len()).all(|k| {
                let [p, q] = self.edge(k);
                let e = q.at - p.at;
                direction.dot(e.cross(at - p.at)) >= -within * e.length()
            }),
        }
    }

    /// Where, between 0 and 1, the segment from `p` to `q` crosses a disc's rim, as seen along the direction.
    fn rim_crossings(&self, p: DVec3, q: DVec3, direction: DVec3) -> [Option<f64>; 2] {
        let (p, q) = (self.lift(p, direction) - self.base, self.lift(q, direction) - self.base);
        let e = q - p;
        let squared = e.dot(e);
        if squared <= 0.0 {
            return [None; 2];
        }
        // The projection of the centre, and half the chord.
        let foot = -p.dot(e) / squared;
        let off = p + e * foot;
        let chord = (self.radius * self.radius - off.dot(off)) / squared;
        if chord <= 0.0 {
            return [None; 2];
        }
        [foot - chord.sqrt(), foot + chord.sqrt()].map(|t| (0.0..=1.0).contains(&t).then_some(t))
    }

    /// The patch of a body: `outward` in its own frame, `direction` in the frame of A.
    fn fill(&mut self, body: &Body<'_>, outward: DVec3, direction: DVec3, tilt: f64, frame: Frame<'_>) {
        self.corners.clear();
        self.scratch.clear();
        (self.kind, self.inside, self.rim) = (Kind::Point, None, None);
        match body.core {
            AnyCore::Point => {}
            AnyCore::Rod(half) => {
                if outward.z.abs() <= tilt && half > 0.0 {
                    self.scratch.extend([0, 1]);
                }
            }
            AnyCore::Box(half) => box_patch(half, outward, tilt, &mut self.scratch),
            AnyCore::Points(points) => points_patch(points, outward, tilt, &mut self.scratch),
            AnyCore::Hull(hull) => hull_patch(hull, outward, tilt, &mut self.scratch),
            AnyCore::Smooth(smooth) => return self.fill_smooth(smooth, outward, tilt, frame),
        }
        if let AnyCore::Points(_) | AnyCore::Hull(_) = body.core {
            add_level(&body.core, outward, MANIFOLD_LEVEL * body.extent, &mut self.scratch);
        }
        let ids = std::mem::take(&mut self.scratch);
        self.corners.extend(ids.iter().map(|&id| {
            let own = body.core.vertex(id);
            Corner { at: frame.place(own), own, name: Name::Corners([id; 4]) }
        }));
        self.scratch = ids;
        self.collapse_to_line(MANIFOLD_NARROW_FACE * body.extent);
        self.close(direction, body.extent);
    }

    /// For a patch that is a single point: the support point.
    fn fill_point(&mut self, body: &Body<'_>, outward: DVec3, frame: Frame<'_>) {
        if self.kind != Kind::Point {
            return;
        }
        self.corners.clear();
        let (core, name) = match body.core {
            AnyCore::Smooth(smooth) => {
                let point = smooth.farthest(outward);
                let feature = smooth.feature_at(point, outward);
                self.inside = Some(feature);
                (point, Name::Known(feature))
            }
            polytope => {
                let id = polytope.support(crate::math::simd::plain(), outward);
                (polytope.vertex(id), Name::Corners([id; 4]))
            }
        };
        let own = core + outward * body.radius;
        self.corners.push(Corner { at: frame.place(own), own, name });
    }

    /// Moves the patch from the core to the body's surface: along its own normal, so that a tilted one stays on the
    /// surface.
    fn add_radius(&mut self, radius: f64, outward: DVec3, frame: Frame<'_>) {
        let corner = |k: usize| self.corners.get(k).map_or(DVec3::ZERO, |corner| corner.own);
        let normal = match self.kind {
            Kind::Point | Kind::Plane => return,
            Kind::Segment => {
                let e = corner(1) - corner(0);
                outward - e * (outward.dot(e) / e.dot(e).max(f64::MIN_POSITIVE))
            }
            Kind::Disc => DVec3::Z * outward.z,
            Kind::Polygon => {
                let first = corner(0);
                let normal = self
                    .corners
                    .windows(2)
                    .fold(DVec3::ZERO, |sum, pair| sum + (pair[0].own - first).cross(pair[1].own - first));
                normal * normal.dot(outward).signum()
            }
        };
        let step = normal.normalize_or(outward) * radius;
        if radius > 0.0 {
            for corner in &mut self.corners {
                corner.own += step;
                corner.at = frame.place(corner.own);
            }
            self.base += frame.turn(step);
        }
    }

    /// Reduces corners that are collinear within `width` to the two ends.
    fn collapse_to_line(&mut self, width: f64) {
        let [first, _, _, ..] = self.corners.as_slice() else { return };
        let farthest = |from: &Corner| {
            let far = |corner: &&Corner| corner.own.distance_squared(from.own);
            self.corners.iter().max_by(|p, q| far(p).total_cmp(&far(q))).copied()
        };
        let Some(start) = farthest(first) else { return };
        let Some(end) = farthest(&start) else { return };
        let along = (end.own - start.own).normalize_or_zero();
        if self.corners.iter().all(|corner| along.cross(corner.own - start.own).length() <= width) {
            self.corners.clear();
            self.corners.extend([start, end]);
        }
    }

    /// Makes the normal of a narrow polygon perpendicular to its length: along it a small error weighs most, and
    /// lifting would lead off the face. A polygon whose corners are then not coplanar, such as one from several faces
    /// that the tilt cannot separate, counts as a point.
    fn repair_sliver_normal(&mut self, extent: f64) {
        let far = |corner: &&Corner| (corner.at - self.base).length_squared();
        let Some(farthest) = self.corners.iter().max_by(|p, q| far(p).total_cmp(&far(q))) else { return };
        let along = farthest.at - self.base;
        let squared = along.dot(along);
        // Wider than about a thousandth of its length.
        if self.normal.dot(self.normal) >= 1e-6 * squared * squared {
            return;
        }
        for _ in 0..2 {
            self.normal -= along * (self.normal.dot(along) / squared);
        }
        let off = self.corners.iter().map(|corner| self.normal.dot(corner.at - self.base).abs()).fold(0.0, f64::max);
        if off > 0.25 * ACCURACY * extent * self.normal.length() {
            self.kind = Kind::Point;
        }
    }

    /// Sets the kind by the number of corners, and orients a polygon counter-clockwise as seen against the direction.
    fn close(&mut self, direction: DVec3, extent: f64) {
        self.kind = match self.corners.len() {
            0 | 1 => return,
            2 => Kind::Segment,
            _ => Kind::Polygon,
        };
        let Some(first) = self.corners.first().map(|corner| corner.at) else { return };
        self.base = first;
        self.normal =
            self.corners.windows(2).fold(DVec3::ZERO, |sum, pair| sum + (pair[0].at - first).cross(pair[1].at - first));
        if self.kind == Kind::Polygon {
            self.repair_sliver_normal(extent);
        }
        if self.normal.dot(direction) < 0.0 {
            self.corners.reverse();
        }
        if self.kind == Kind::Polygon && self.normal.dot(direction) == 0.0 {
            self.kind = Kind::Point;
        }
    }

    fn fill_smooth(&mut self, smooth: Smooth<'_>, outward: DVec3, tilt: f64, frame: Frame<'_>) {
        let across = DVec3::new(outward.x, outward.y, 0.0);
        let around = across.try_normalize();
        match smooth {
            Smooth::Cylinder { half_length, radius } => {
                let top = outward.z > 0.0;
                if across.length() <= tilt {
                    let height = if top { half_length } else { -half_length };
                    self.fill_disc(height, radius, Feature::Face(u32::from(top)), Feature::Edge(u32::from(top)), frame);
                } else if let Some(unit) = around.filter(|_| outward.z.abs() <= tilt) {
                    let end = |height: f64| DVec3::new(radius * unit.x, radius * unit.y, height);
                    let ends = [(end(-half_length), Feature::Edge(0)), (end(half_length), Feature::Edge(1))];
                    self.fill_line(ends, Feature::Face(2), frame);
                }
            }
            Smooth::Cone { half_length, radius } => {
                if across.length() <= tilt && outward.z < 0.0 {
                    self.fill_disc(-half_length, radius, Feature::Face(0), Feature::Edge(0), frame);
                } else if let Some(unit) = around {
                    let (rim, apex) =
                        (DVec3::new(radius * unit.x, radius * unit.y, -half_length), DVec3::new(0.0, 0.0, half_length));
                    let slant = apex - rim;
                    if outward.dot(slant).abs() <= tilt * slant.length() {
                        self.fill_line([(rim, Feature::Edge(0)), (apex, Feature::Vertex(0))], Feature::Face(1), frame);
                    }
                }
            }
            Smooth::HalfSpace { normal, offset } => {
                self.kind = Kind::Plane;
                self.normal = frame.turn(normal);
                self.base = frame.place(normal * (offset / normal.dot(normal)));
                self.inside = Some(Feature::Face(0));
            }
            Smooth::Ellipsoid(_) | Smooth::Custom(_) => {}
        }
    }

    fn fill_disc(&mut self, height: f64, radius: f64, inside: Feature, rim: Feature, frame: Frame<'_>) {
        self.kind = Kind::Disc;
        self.normal = frame.turn(DVec3::Z);
        self.base = frame.place(DVec3::new(0.0, 0.0, height));
        self.radius = radius;
        (self.inside, self.rim) = (Some(inside), Some(rim));
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turns: [(f64, f64); RIM_POINTS] = [
            (1.0, 0.0),
            (half, half),
            (0.0, 1.0),
            (-half, half),
            (-1.0, 0.0),
            (-half, -half),
            (0.0, -1.0),
            (half, -half),
        ];
        self.corners.extend(turns.iter().map(|&(x, y)| {
            let own = DVec3::new(radius * x, radius * y, height);
            Corner { at: frame.place(own), own, name: Name::Known(rim) }
        }));
    }

    fn fill_line(&mut self, ends: [(DVec3, Feature); 2], inside: Feature, frame: Frame<'_>) {
        self.kind = Kind::Segment;
        self.inside = Some(inside);
        self.corners.extend(ends.map(|(own, feature)| Corner {
            at: frame.place(own),
            own,
            name: Name::Known(feature),
        }));
    }
}

/// The face or edge of a box perpendicular to a direction: axes level with it are free.
fn box_patch(half: DVec3, outward: DVec3, tilt: f64, ids: &mut Vec<u32>) {
    let start = (0..3).fold(0u32, |bits, k| bits | u32::from(outward[k] >= 0.0) << k);
    let free = |k: usize| outward[k].abs() <= tilt && half[k] > 0.0;
    match [free(0), free(1), free(2)] {
        [true, true, false] => ids.extend([start, start ^ 1, start ^ 3, start ^ 2]),
        [true, false, true] => ids.extend([start, start ^ 1, start ^ 5, start ^ 4]),
        [false, true, true] => ids.extend([start, start ^ 2, start ^ 6, start ^ 4]),
        [true, false, false] => ids.extend([start, start ^ 1]),
        [false, true, false] => ids.extend([start, start ^ 2]),
        [false, false, true] => ids.extend([start, start ^ 4]),
        _ => {}
    }
    // The lowest index first, so that the order does not depend on the signs of values near zero.
    let lowest = ids.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(k, _)| k);
    ids.rotate_left(lowest);
}

/// The sine of the angle between a face's normal and the direction, if the face is turned that way.
fn face_tilt(normal: DVec3, outward: DVec3) -> Option<f64> {
    let length = normal.length();
    (length > 0.0 && normal.dot(outward) > 0.0).then(|| normal.cross(outward).length() / length)
}

/// The best face of up to four points, or the best edge.
fn points_patch(points: &[DVec3], outward: DVec3, tilt: f64, ids: &mut Vec<u32>) {
    let mut best = tilt;
    let triples: &[[u32; 3]] = match points.len() {
        3 => &[[0, 1, 2]],
        4 => &[[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]],
        _ => &[],
    };
    let at = |id: u32| points[id as usize];
    for (opposite, triple) in triples.iter().enumerate() {
        let [p, q, r] = triple.map(at);
        let mut normal = (q - p).cross(r - p);
        let behind = if points.len() == 4 { normal.dot(points[opposite] - p) } else { -normal.dot(outward) };
        if behind > 0.0 || (points.len() == 3 && normal.dot(outward) < 0.0) {
            normal = -normal;
        }
        if let Some(sine) = face_tilt(normal, outward).filter(|sine| *sine <= best) {
            best = sine;
            ids.clear();
            ids.extend(triple);
        }
    }
    if !ids.is_empty() {
        return;
    }
    let heights = points.iter().map(|p| outward.dot(*p));
    let Some((top, _)) = heights.enumerate().max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0))) else { return };
    for other in (0..points.len()).filter(|k| *k != top) {
        level_edge(points, top as u32, other as u32, outward, &mut best, ids);
    }
}

/// Takes the edge if it is more level than the best so far.
fn level_edge(points: &[DVec3], p: u32, q: u32, outward: DVec3, best: &mut f64, ids: &mut Vec<u32>) {
    let e = points[q as usize] - points[p as usize];
    let length = e.length();
    if length > 0.0 && outward.dot(e).abs() <= *best * length {
        *best = outward.dot(e).abs() / length;
        ids.clear();
        ids.extend([p.min(q), p.max(q)]);
    }
}

/// The best face around the support vertex, or the best edge there.
fn hull_patch(hull: &Hull, outward: DVec3, tilt: f64, ids: &mut Vec<u32>) {
    let points = &hull.vertices;
    let top = hull.farthest(crate::math::simd::plain(), outward);
    let mut best = tilt;
    for &face in hull.faces_about(top) {
        let corners = hull.mesh.faces.get(face as usize);
        let Some(&first) = corners.first() else { continue };
        let from = |id: u32| points[id as usize] - points[first as usize];
        let mut normal = corners.windows(2).fold(DVec3::ZERO, |sum, pair| sum + from(pair[0]).cross(from(pair[1])));
        if hull.mesh.dimension < 3 && normal.dot(outward) < 0.0 {
            normal = -normal;
        }
        if let Some(sine) = face_tilt(normal, outward).filter(|sine| *sine < best) {
            best = sine;
            ids.clear();
            ids.extend(corners);
        }
    }
    if ids.is_empty() {
        for &[p, q] in hull.mesh.edges.iter().filter(|edge| edge.contains(&top)) {
            level_edge(points, p, q, outward, &mut best, ids);
        }
    }
}

/// Adds the vertices that are level with the top up to rounding (a flat face given in rounded coordinates is many
/// triangles), and sorts all around their middle. Nothing changes if there are none.
fn add_level(core: &AnyCore<'_>, outward: DVec3, within: f64, ids: &mut Vec<u32>) {
    let before = ids.len();
    let count = core.vertex_count() as u32;
    let top = (0..count).map(|id| outward.dot(core.vertex(id))).fold(f64::NEG_INFINITY, f64::max);
    for id in 0..count {
        if outward.dot(core.vertex(id)) >= top - within && !ids[..before].contains(&id) {
            ids.push(id);
        }
    }
    if ids.len() == before || ids.len() < 3 {
        if before == 0 && ids.len() < 2 {
            ids.clear();
        }
        return;
    }
    // Monotone chain (Andrew 1979), in place after the sorted vertices.
    let (x, y) = outward.any_orthonormal_pair();
    let flat = |id: u32| {
        let v = core.vertex(id);
        (x.dot(v), y.dot(v))
    };
    ids.sort_by(|p, q| {
        let ((a, b), (c, d)) = (flat(*p), flat(*q));
        a.total_cmp(&c).then(b.total_cmp(&d)).then(p.cmp(q))
    });
    let sorted = ids.len();
    let left = |p: u32, q: u32, r: u32| {
        let (p, q, r) = (flat(p), flat(q), flat(r));
        (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0)
    };
    for backwards in [false, true] {
        let start = ids.len();
        for k in 0..sorted {
            let next = ids[if backwards { sorted - 1 - k } else { k }];
            while ids.len() >= start + 2 && left(ids[ids.len() - 2], ids[ids.len() - 1], next) <= 0.0 {
                ids.pop();
            }
            ids.push(next);
        }
        // The last vertex of each chain starts the other.
        ids.pop();
    }
    ids.drain(..sorted);
}
