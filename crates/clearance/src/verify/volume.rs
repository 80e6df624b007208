//! Verifies a volume: the columns under all pairs of triangles, along another direction, in another arithmetic.
//!
//! Both bodies are moved into the world in double-double, so there is no placement; only for bit-equal poses is their
//! common frame used, where coincident faces coincide exactly. There is no tree, no grid and no winding number: every
//! pair of triangles whose boxes overlap along an axis is examined. Numbers carry their errors (`math/enclosed.rs`),
//! and the error of a clipped polygon is measured at its corners: the height of those that should lie on a line is
//! evaluated again.

use glam::{DMat3, DVec3};

use crate::answer::method::Method;
use crate::answer::volume::Volume;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::math::enclosed::Enclosed;
use crate::math::placement::Placement;
use crate::math::pose::Pose;
use crate::math::predicates::orient3d;
use crate::math::tolerances::{ACCURACY, ROUND_UP, UNIT_ROUNDOFF};
use crate::shape::Shape;
use crate::verify::body::Part;
use crate::verify::refusal::Refusal;

/// Verifies a volume from the bodies and poses of the query.
pub(crate) fn verify_volume(
    answer: &Volume,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Result<(), Refusal> {
    check_numbers(answer)?;
    if let (Shape::Sphere(p), Shape::Sphere(q)) = (a, b) {
        let balls = [(p.radius(), pose_a.translation()), (q.radius(), pose_b.translation())];
        return check_balls(answer, balls);
    }
    let (own_a, own_b) = (Body::of(a, pose_a), Body::of(b, pose_b));
    let (Some(own_a), Some(own_b)) = (own_a, own_b) else {
        // One of them has no volume; there is no answer for other kinds of body.
        let flat = is_flat(a) || is_flat(b);
        let nothing = answer.volume.upper == 0.0 && answer.area.upper == 0.0 && answer.placement == 0.0;
        return if !flat || answer.method != Method::ClosedForm {
            Err(Refusal::Method)
        } else if nothing {
            Ok(())
        } else {
            Err(Refusal::TooWide { width: answer.volume.upper.max(answer.area.upper), allowed: 0.0 })
        };
    };
    if answer.method != Method::Columns {
        return Err(Refusal::Method);
    }
    let truth = Truth::new(own_a, own_b);
    truth.check_placement(answer.placement)?;
    truth.check(answer)
}

fn check_numbers(answer: &Volume) -> Result<(), Refusal> {
    let fields = [
        ("value", answer.volume.value),
        ("lower", answer.volume.lower),
        ("upper", answer.volume.upper),
        ("placement", answer.placement),
        ("centroid_off", answer.centroid_off),
        ("area.value", answer.area.value),
        ("area.lower", answer.area.lower),
        ("area.upper", answer.area.upper),
    ];
    for (field, value) in fields {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Refusal::NoNumber { field });
        }
    }
    let ordered = |lower: f64, value: f64, upper: f64| lower <= value && value <= upper;
    if !ordered(answer.volume.lower, answer.volume.value, answer.volume.upper)
        || !ordered(answer.area.lower, answer.area.value, answer.area.upper)
    {
        return Err(Refusal::Disordered);
    }
    match answer.centroid {
        Some(at) if !at.is_finite() => Err(Refusal::NoNumber { field: "centroid" }),
        Some(_) if answer.volume.lower > 0.0 => Ok(()),
        None if answer.volume.lower == 0.0 && answer.centroid_off == 0.0 => Ok(()),
        _ => Err(Refusal::NoNumber { field: "centroid" }),
    }
}

/// Two spheres: the volume of revolution of two arcs, whose integrands are polynomials.
fn check_balls(answer: &Volume, [(r, p), (s, q)]: [(f64, DVec3); 2]) -> Result<(), Refusal> {
    if answer.method != Method::ClosedForm || answer.placement != 0.0 {
        return Err(Refusal::Method);
    }
    // π to double-double.
    let pi = Enclosed::difference(std::f64::consts::PI, -1.224_646_799_147_353_2e-16).widened(3e-32);
    let way = [0, 1, 2].map(|k| Enclosed::difference(q[k], p[k]));
    let distance = (way[0].squared() + way[1].squared() + way[2].squared()).sqrt();
    let (radius, other) = (number(r), number(s));
    // Along the line of centres, from the first: the spheres extend from -r to r and from d - s to d + s.
    let start = (-radius).max(distance - other);
    let end = radius.min(distance + other);
    let end = start + (end - start).max(Enclosed::ZERO);
    // Their surfaces cross at d / 2 + (r - s) (r + s) / 2d, if they do. Left of that the second's is the inner one.
    let crossing = || {
        let apart = Enclosed::difference(r, s);
        let half = distance / number(2.0);
        if r == s { half } else { half + apart * (radius + other) / (distance * number(2.0)) }
    };
    let surely_within = |inner: Enclosed, outer: Enclosed| (outer - inner - distance).lower() >= 0.0;
    let middle = if surely_within(radius, other) {
        start
    } else if surely_within(other, radius) {
        end
    } else {
        crossing().max(start).min(end)
    };
    // Left of the crossing plane is a cap of the second sphere, right of it one of the first, with heights measured
    // from that plane; a sphere inside the other counts in full. By their heights: for thin caps of large spheres the
    // differences of cubed radii would cancel completely.
    let two = number(2.0);
    let cap = |r: Enclosed, high: Enclosed| high * high * (number(3.0) * r - high) / number(3.0) * pi;
    // The integral, over a cap, of the distance from its base plane.
    let moment = |r: Enclosed, high: Enclosed| high * high * high * (number(4.0) * r - high) / number(12.0) * pi;
    let band = |r: Enclosed, high: Enclosed| r * high * pi * two;
    let (of_other, of_first) = (middle - start, end - middle);
    let (left, right) = (cap(other, of_other), cap(radius, of_first));
    let volume = left + right;
    let scale = 2.0 * (r + s) + distance.to_f64();
    let (width, allowed) = (answer.volume.upper - answer.volume.lower, ACCURACY * scale * scale * scale);
    if width > allowed {
        return Err(Refusal::TooWide { width, allowed });
    }
    check_bracket((answer.volume.lower, answer.volume.upper), volume)?;
    check_bracket((answer.area.lower, answer.area.upper), band(other, of_other) + band(radius, of_first))?;
    let Some(centroid) = answer.centroid else { return Ok(()) };
    let along = middle + (moment(radius, of_first) - moment(other, of_other)) / volume;
    let off = [0, 1, 2].map(|k| {
        // Concentric spheres have no line of centres.
        let along = if p == q { Enclosed::ZERO } else { way[k] * along / distance };
        number(p[k]) + along - number(centroid[k])
    });
    check_centroid(off, answer.centroid_off)
}

fn check_centroid(off: [Enclosed; 3], claimed: f64) -> Result<(), Refusal> {
    let unseen = off.iter().map(|x| x.error()).fold(0.0, f64::max) * 4.0;
    let off = (off[0].squared() + off[1].squared() + off[2].squared()).sqrt().to_f64();
    // Written so that NaN is refused.
    if off <= claimed * ROUND_UP + unseen { Ok(()) } else { Err(Refusal::Witness { body: "the intersection", off }) }
}

fn number(x: f64) -> Enclosed {
    Enclosed::about(x, 0.0)
}

/// A double-double without error.
fn exact(x: DoubleDouble) -> Enclosed {
    Enclosed::difference(x.hi(), -x.lo())
}

/// A value computed here lies within the claimed bracket, up to the resolution.
fn check_bracket((lower, upper): (f64, f64), own: Enclosed) -> Result<(), Refusal> {
    let (least, most) = own.bounds();
    let unseen = own.error() * 2.0;
    // Written so that NaN is refused.
    if least.is_nan() || lower > least.max(0.0) + unseen {
        return Err(Refusal::Lower { claimed: lower, proved: least });
    }
    if most.is_nan() || most > upper + unseen {
        return Err(Refusal::Upper { claimed: upper, proved: most });
    }
    Ok(())
}

/// Whether a body is a subset of a plane.
fn is_flat(shape: &Shape) -> bool {
    match shape {
        Shape::Segment(_) | Shape::Triangle(_) => true,
        Shape::Hull(_) | Shape::Tetrahedron(_) => !Part::new(shape, &Pose::IDENTITY).solid,
        _ => false,
    }
}

/// The surface of a solid.
struct Body {
    pose: Pose,
    /// What its stored points are relative to.
    origin: DVec3,
    /// In its own frame.
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Body {
    fn of(shape: &Shape, pose: &Pose) -> Option<Body> {
        match shape {
            Shape::Mesh(mesh) if mesh.is_solid() => Some(Body {
                pose: *pose,
                origin: mesh.surface().origin,
                points: mesh.points().collect(),
                triangles: mesh.triangles(),
            }),
            Shape::Cuboid(_) | Shape::Hull(_) | Shape::Tetrahedron(_) => {
                let Part { origin, vertices, triangles, solid, .. } = Part::new(shape, pose);
                solid.then_some(Body { pose: *pose, origin, points: vertices, triangles })
            }
            _ => None,
        }
    }

    fn world(&self, point: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3::from(point).transformed_by(&self.pose.rotation())
            + DoubleDoubleVec3::from(self.pose.translation())
    }

    /// The largest coordinate that enters the world.
    fn largest(&self) -> f64 {
        let own = self.points.iter().map(|p| p.length()).fold(0.0, f64::max);
        own + self.pose.translation().length()
    }
}

/// The corners of a body in the frame of the proof.
struct Corners {
    points: Vec<[Enclosed; 3]>,
    triangles: Vec<[u32; 3]>,
    /// Rounded, for boxes; see the bound on that.
    near: Vec<DVec3>,
    /// The rounded points are exact.
    exact: bool,
}

impl Corners {
    fn of(&self, triangle: usize, axis: usize) -> [[Enclosed; 3]; 3] {
        self.triangles[triangle].map(|p| {
            let point = self.points[p as usize];
            [point[(axis + 1) % 3], point[(axis + 2) % 3], point[axis]]
        })
    }

    fn rounded(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|p| self.near[p as usize])
    }
}

struct Truth {
    bodies: [Body; 2],
    corners: [Corners; 2],
    /// The pose of the frame in the world: the common pose, if both are equal.
    frame: Option<Pose>,
    /// The point of the frame that corners are relative to.
    shift: DVec3,
    /// Bound on the coordinates of corners.
    size: f64,
    /// `L` of the contract, or less.
    scale: f64,
}

/// A triangle seen along an axis.
struct View {
    corners: [[Enclosed; 3]; 3],
    normal: [Enclosed; 3],
    /// 1 for one that faces up, -1 for one that faces down.
    facing: f64,
    low: [f64; 3],
    high: [f64; 3],
}

/// A polygon, and how far its area may be off.
struct Common {
    polygon: Vec<[DoubleDouble; 2]>,
    off: f64,
    /// Bound on the distance of two corners.
    size: f64,
}

impl View {
    /// `Err` with a bound on its area seen from above, if its orientation is undecided.
    fn new(corners: [[Enclosed; 3]; 3]) -> Result<View, f64> {
        let side = |k: usize| [0, 1, 2].map(|i| corners[k][i] - corners[0][i]);
        let (e, f) = (side(1), side(2));
        let normal = [0, 1, 2].map(|i| e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3]);
        let facing = if normal[2].is_positive() {
            1.0
        } else if normal[2].is_negative() {
            -1.0
        } else {
            return Err(normal[2].magnitude());
        };
        let low = [0, 1, 2].map(|i| corners.iter().map(|c| c[i].lower()).fold(f64::INFINITY, f64::min));
        let high = [0, 1, 2].map(|i| corners.iter().map(|c| c[i].upper()).fold(f64::NEG_INFINITY, f64::max));
        Ok(View { corners, normal, facing, low, high })
    }

    fn area_bound(&self) -> f64 {
        self.normal[2].magnitude()
    }

    fn overlaps(&self, other: &View) -> bool {
        (0..2).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }

    fn height(&self, [x, y]: &[DoubleDouble; 2]) -> Enclosed {
        let [at_x, at_y, at_z] = self.corners[0];
        at_z - (self.normal[0] * (exact(*x) - at_x) + self.normal[1] * (exact(*y) - at_y)) / self.normal[2]
    }

    /// The intersection of two triangles seen from above: the corners of this one, clipped by the edges of the other.
    fn common(&self, other: &View) -> Common {
        let mut polygon: Vec<[DoubleDouble; 2]> = self.corners.iter().map(|c| [c[0].middle(), c[1].middle()]).collect();
        if self.facing < 0.0 {
            polygon.reverse();
        }
        let size = ((self.high[0] - self.low[0]).hypot(self.high[1] - self.low[1]) * ROUND_UP).max(1e-150);
        let moved = self.corners.iter().flatten().map(|c| c.error()).fold(0.0, f64::max);
        // The corners themselves are off.
        let mut off = 8.0 * size * moved;
        for k in 0..3 {
            // Counter-clockwise whichever way it faces.
            let next = if other.facing > 0.0 { (k + 1) % 3 } else { (k + 2) % 3 };
            off += clip(&mut polygon, &other.corners[k], &other.corners[next], size);
        }
        Common { polygon, off, size }
    }
}

/// Keeps the part left of the line from `p` to `q`; returns a bound on the error of the area.
fn clip(polygon: &mut Vec<[DoubleDouble; 2]>, p: &[Enclosed; 3], q: &[Enclosed; 3], size: f64) -> f64 {
    let edge = [q[0] - p[0], q[1] - p[1]];
    let height = |c: &[DoubleDouble; 2]| edge[0] * (exact(c[1]) - p[1]) - edge[1] * (exact(c[0]) - p[0]);
    let heights: Vec<Enclosed> = polygon.iter().map(height).collect();
    // The strip about the line that contains the corners and crossings that should be on it, and how far crossings are
    // from the sides that they should be on.
    let mut strip = heights.iter().map(|h| h.error()).fold(0.0, f64::max);
    let ([kept, _], aside) = cut(polygon, &heights, &mut |c| strip = strip.max(height(c).magnitude()));
    let length = (edge[0].squared() + edge[1].squared()).sqrt().lower();
    *polygon = kept;
    // Written so that a length of zero or NaN gives infinity.
    let width = if length > 0.0 { 2.0 * strip / length } else { f64::INFINITY };
    (width * size + 8.0 * size * aside) * ROUND_UP
}

/// The parts of a polygon where heights are not negative and where they are, and a bound on the distance of a new
/// corner from the side it should be on. New corners are passed to a callback.
fn cut(
    polygon: &[[DoubleDouble; 2]],
    heights: &[Enclosed],
    show: &mut dyn FnMut(&[DoubleDouble; 2]),
) -> ([Vec<[DoubleDouble; 2]>; 2], f64) {
    let (mut parts, mut aside) = ([Vec::new(), Vec::new()], 0.0f64);
    for (index, corner) in polygon.iter().enumerate() {
        let next = (index + 1) % polygon.len();
        let (own, other) = (heights[index].middle(), heights[next].middle());
        let below = usize::from(own.hi() < 0.0);
        parts[below].push(*corner);
        if below != usize::from(other.hi() < 0.0) {
            let along = own / (own - other);
            let end = polygon[next];
            let crossing = [0, 1].map(|i| corner[i] + (end[i] - corner[i]) * along);
            show(&crossing);
            let way = [0, 1].map(|i| exact(end[i]) - exact(corner[i]));
            let made = [0, 1].map(|i| exact(crossing[i]) - exact(corner[i]));
            let length = (way[0].squared() + way[1].squared()).sqrt().to_f64();
            let off = (way[0] * made[1] - way[1] * made[0]).magnitude() / length;
            aside = aside.max(if off.is_finite() { off } else { length + f64::MIN_POSITIVE });
            parts.iter_mut().for_each(|part| part.push(crossing));
        }
    }
    (parts, aside)
}

/// Twice the areas of a fan of triangles.
fn fan(polygon: &[[DoubleDouble; 2]]) -> impl Iterator<Item = (Enclosed, [usize; 3])> + '_ {
    (2..polygon.len()).map(|last| {
        let at = |k: usize, i: usize| exact(polygon[k][i]) - exact(polygon[0][i]);
        (at(last - 1, 0) * at(last, 1) - at(last - 1, 1) * at(last, 0), [0, last - 1, last])
    })
}

fn area(polygon: &[[DoubleDouble; 2]]) -> Enclosed {
    fan(polygon).fold(Enclosed::ZERO, |sum, (twice, _)| sum + twice) * number(0.5)
}

/// Volume and first moments under a function over a polygon.
fn moments(polygon: &[[DoubleDouble; 2]], under: &dyn Fn(&[DoubleDouble; 2]) -> Enclosed) -> [Enclosed; 4] {
    let f: Vec<Enclosed> = polygon.iter().map(under).collect();
    let mut sums = [Enclosed::ZERO; 4];
    for (twice, places) in fan(polygon) {
        let of = |values: &dyn Fn(usize) -> Enclosed| places.map(values);
        let f = of(&|k| f[k]);
        let total = |v: &[Enclosed; 3]| v[0] + v[1] + v[2];
        let inner = |v: [Enclosed; 3]| v[0] * f[0] + v[1] * f[1] + v[2] * f[2] + total(&v) * total(&f);
        let part = twice / number(24.0);
        sums[0] = sums[0] + twice / number(6.0) * total(&f);
        for i in 0..2 {
            sums[1 + i] = sums[1 + i] + part * inner(of(&|k| exact(polygon[k][i])));
        }
        sums[3] = sums[3] + part * inner(f) * number(0.5);
    }
    sums
}

impl Truth {
    fn new(a: Body, b: Body) -> Truth {
        let bodies = [a, b];
        let same = bodies[0].pose == bodies[1].pose;
        let first = bodies[0].points.first().copied().unwrap_or(DVec3::ZERO);
        let shift = if same { first } else { bodies[0].world(first).to_vec3() };
        let corners = [0, 1].map(|k| {
            let body: &Body = &bodies[k];
            // Products off by `1.5u²`, sums by `3u²`, of up to √3 of each length, and the shift.
            let off = if same { 0.0 } else { 32.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * (body.largest() + shift.length()) };
            let placed = |&p: &DVec3| {
                let at = if same {
                    DoubleDoubleVec3::from_difference(p, shift)
                } else {
                    body.world(p) - DoubleDoubleVec3::from(shift)
                };
                // A point that is only translated, by exact sums, is exact.
                let unturned = body.pose.rotation() == DMat3::IDENTITY;
                let exact_sum = [at.x, at.y, at.z].iter().all(|x| x.lo() == 0.0) && unturned;
                (at, if same || exact_sum && is_exact_sum(p, &body.pose, shift, at.to_vec3()) { 0.0 } else { off })
            };
            let points: Vec<(DoubleDoubleVec3, f64)> = body.points.iter().map(placed).collect();
            let all = points.iter().all(|(at, off)| *off == 0.0 && [at.x, at.y, at.z].iter().all(|x| x.lo() == 0.0));
            Corners {
                near: points.iter().map(|(at, _)| at.to_vec3()).collect(),
                points: points.iter().map(|(at, off)| [at.x, at.y, at.z].map(|x| exact(x).widened(*off))).collect(),
                triangles: body.triangles.clone(),
                exact: all,
            }
        });
        let size = corners.iter().flat_map(|c| &c.near).map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let extent = |c: &Corners| {
            let low = c.near.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
            let high = c.near.iter().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
            (high - low, 0.5 * (low + high))
        };
        let ((size_a, at_a), (size_b, at_b)) = (extent(&corners[0]), extent(&corners[1]));
        let scale = size_a.length() + size_b.length() + at_a.distance(at_b);
        let frame = same.then_some(bodies[0].pose);
        Truth { bodies, corners, frame, shift, size: size * ROUND_UP * ROUND_UP + f64::MIN_POSITIVE, scale }
    }

    /// Every corner is placed within `claimed`, in one of the two frames, and `claimed` is not needlessly wide.
    fn check_placement(&self, claimed: f64) -> Result<(), Refusal> {
        let displaced = |frame: &Body, moved: &Body| {
            let map = Placement::new(&frame.pose, frame.origin, &moved.pose, moved.origin);
            let origin = frame.world(frame.origin);
            let off = moved.points.iter().map(|&p| {
                let placed = DoubleDoubleVec3::from(map.place(p - moved.origin));
                let landed = origin + placed.transformed_by(&frame.pose.rotation());
                (landed - moved.world(p)).length().to_f64()
            });
            off.fold(0.0, f64::max)
        };
        let [a, b] = &self.bodies;
        let seen = displaced(a, b).min(displaced(b, a));
        let largest = a.largest() + b.largest();
        let unseen = 1e-30 * largest;
        let defect = a.pose.defect() + b.pose.defect();
        // The derivations in `tolerances` add up to less than 40u; local coordinates enter with their offsets.
        let useful = 64.0 * UNIT_ROUNDOFF * self.scale + 512.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * largest;
        if seen <= claimed * (1.0 + 2.0 * defect) + unseen && claimed <= useful {
            Ok(())
        } else {
            Err(Refusal::Placement { claimed, seen })
        }
    }

    fn check(&self, answer: &Volume) -> Result<(), Refusal> {
        let width = answer.volume.upper - answer.volume.lower;
        let allowed = ACCURACY * self.scale * self.scale * self.scale;
        if width > allowed {
            return Err(Refusal::TooWide { width, allowed });
        }
        let own = self.volume();
        let factor = self.frame.map_or(Enclosed::ONE, |pose| determinant(&pose.rotation()));
        check_bracket((answer.volume.lower, answer.volume.upper), own[0] * factor)?;
        if let Some(centroid) = answer.centroid {
            let middle = [0, 1, 2].map(|i| own[1 + i] / own[0] + number(self.shift[i]));
            let world = match self.frame {
                None => middle,
                Some(pose) => [0, 1, 2].map(|i| {
                    let row = pose.rotation().row(i);
                    let turned = middle[0] * number(row.x) + middle[1] * number(row.y) + middle[2] * number(row.z);
                    turned + number(pose.translation()[i])
                }),
            };
            check_centroid([0, 1, 2].map(|i| world[i] - number(centroid[i])), answer.centroid_off)?;
        }
        let area = self.area();
        let stretch = self.frame.map_or(0.0, |pose| pose.defect() * 1.01);
        let area = area.widened(area.magnitude() * stretch);
        check_bracket((answer.area.lower, answer.area.upper), area)
    }

    /// All triangles of a body seen along an axis, in order of where they begin; and the area of the undecided ones.
    fn views(&self, body: usize, axis: usize) -> (Vec<(View, usize)>, f64) {
        let (mut views, mut lost) = (Vec::new(), 0.0);
        for triangle in 0..self.corners[body].triangles.len() {
            match View::new(self.corners[body].of(triangle, axis)) {
                Ok(view) => views.push((view, triangle)),
                Err(area) => lost += area,
            }
        }
        views.sort_by(|(p, i), (q, j)| p.low[0].total_cmp(&q.low[0]).then(i.cmp(j)));
        (views, lost)
    }

    /// The volume and its first moments about the shift, along the first axis.
    fn volume(&self) -> [Enclosed; 4] {
        const AXIS: usize = 0;
        let ((a, lost_a), (b, lost_b)) = (self.views(0, AXIS), self.views(1, AXIS));
        let height = self.size;
        let widest = b.iter().map(|(view, _)| view.high[0] - view.low[0]).fold(0.0, f64::max) * ROUND_UP;
        let mut sums = [Enclosed::ZERO; 4];
        // An undecided triangle is so over every triangle of the other body: at most its area and theirs.
        let mut off = (lost_a * b.len() as f64 + lost_b * a.len() as f64) * height;
        for (own, _) in &a {
            let from = b.partition_point(|(view, _)| view.low[0] < own.low[0] - widest);
            for (other, _) in b[from..].iter().take_while(|(view, _)| view.low[0] <= own.high[0]) {
                if !own.overlaps(other) {
                    continue;
                }
                let common = own.common(other);
                let most = own.area_bound().min(other.area_bound());
                let gap = |c: &[DoubleDouble; 2]| other.height(c) - own.height(c);
                let gaps: Vec<Enclosed> = common.polygon.iter().map(gap).collect();
                let mut wrong = gaps.iter().map(|g| g.error()).fold(0.0, f64::max);
                let ([lower, upper], aside) =
                    cut(&common.polygon, &gaps, &mut |c| wrong = wrong.max(gap(c).magnitude()));
                let below = moments(&lower, &|c| own.height(c));
                let above = moments(&upper, &|c| other.height(c));
                let error = (common.off + 8.0 * common.size * aside) * height + most * wrong;
                let facing = number(own.facing * other.facing);
                let terms = [0, 1, 2, 3].map(|i| (below[i] + above[i]) * facing);
                // If the error exceeds the smaller triangle, that triangle is the bound.
                let known = terms[0].error() + error < most * height;
                if known && terms.iter().all(|t| t.error().is_finite()) {
                    for i in 0..4 {
                        sums[i] = sums[i] + terms[i];
                    }
                    off += error;
                } else {
                    off += most * height;
                }
            }
        }
        let off = off * ROUND_UP * (1.0 + 1e-9);
        let [volume, x, y, z] = sums;
        // Seen along the first axis: the second and the third lie across.
        let first = [z, x, y].map(|m| m.widened(2.0 * off * self.size));
        [volume.widened(off), first[0], first[1], first[2]]
    }

    /// The surface area of the intersection: of each triangle, the part below triangles of the other body.
    fn area(&self) -> Enclosed {
        let (mut sum, mut off) = (Enclosed::ZERO, 0.0);
        for axis in 0..3 {
            let views = [self.views(0, axis), self.views(1, axis)];
            for body in 0..2 {
                let (others, lost) = &views[1 - body];
                let widest = others.iter().map(|(view, _)| view.high[0] - view.low[0]).fold(0.0, f64::max) * ROUND_UP;
                for triangle in 0..self.corners[body].triangles.len() {
                    let [p, q, r] = self.corners[body].rounded(triangle);
                    let normal = (q - p).cross(r - p).abs();
                    let main = (0..3).fold(0, |best, k| if normal[k] > normal[best] { k } else { best });
                    if main != axis {
                        continue;
                    }
                    let Ok(own) = View::new(self.corners[body].of(triangle, axis)) else {
                        let size = (q - p).length().max((r - p).length());
                        off += normal.length() + size * (self.size * 1e-15);
                        continue;
                    };
                    let (mut inside, mut unsure) = (Enclosed::ZERO, lost.min(own.area_bound()));
                    let from = others.partition_point(|(view, _)| view.low[0] < own.low[0] - widest);
                    for (other, number) in others[from..].iter().take_while(|(view, _)| view.low[0] <= own.high[0]) {
                        if own.overlaps(other) && other.high[2] >= own.low[2] {
                            let (part, open) = self.below(&own, (body, triangle), other, *number);
                            inside = inside + part;
                            unsure += open;
                        }
                    }
                    let [x, y, z] = own.normal;
                    let stretch = (x.squared() + y.squared() + z.squared()).sqrt() / z.abs();
                    sum = sum + inside * stretch;
                    off += unsure * stretch.magnitude();
                }
            }
        }
        sum.widened(off * (1.0 + 1e-9))
    }

    /// The area, seen from above and signed by its orientation, of a triangle of the other body over one of this body;
    /// and how much of it is undecided.
    fn below(
        &self,
        own: &View,
        (body, triangle): (usize, usize),
        other: &View,
        number_of_other: usize,
    ) -> (Enclosed, f64) {
        let common = own.common(other);
        let whole = area(&common.polygon);
        let most = own.area_bound().min(other.area_bound());
        let facing = number(other.facing);
        if common.off > most || !whole.error().is_finite() {
            return (Enclosed::ZERO, most);
        }
        if other.low[2] > own.high[2] {
            return (whole * facing, common.off);
        }
        let exact = self.corners[0].exact && self.corners[1].exact;
        if self.is_level((body, triangle), number_of_other, exact) {
            let alike = own.facing == other.facing;
            let up = own.facing > 0.0;
            let counted = if alike && body == 1 { !up } else { up };
            let part = if counted { whole * facing } else { Enclosed::ZERO };
            // Of two with the same orientation either may be the inner one; with opposite orientations it matters.
            return (part, common.off + if alike || exact { 0.0 } else { whole.magnitude() });
        }
        let gaps: Vec<Enclosed> = common.polygon.iter().map(|c| other.height(c) - own.height(c)).collect();
        let ([part, _], aside) = cut(&common.polygon, &gaps, &mut |_| {});
        let error = gaps.iter().map(|g| g.error()).fold(0.0, f64::max);
        let least = gaps.iter().map(|g| g.to_f64()).fold(f64::INFINITY, f64::min);
        let greatest = gaps.iter().map(|g| g.to_f64()).fold(f64::NEG_INFINITY, f64::max);
        let strip = 4.0 * error * common.size * common.size / (greatest - least);
        let open = if least > error || greatest < -error {
            0.0
        } else if strip < whole.magnitude() {
            strip
        } else {
            whole.magnitude()
        };
        (area(&part) * facing, common.off + open + 8.0 * common.size * aside)
    }

    /// Whether a triangle of one body and one of the other are coplanar: exactly, or as far as decidable.
    fn is_level(&self, (body, triangle): (usize, usize), other: usize, exact: bool) -> bool {
        // Evaluated in the same order for both callers.
        let (first, second) = if body == 0 { (triangle, other) } else { (other, triangle) };
        let (p, q) = (&self.corners[0], &self.corners[1]);
        if exact {
            let holds =
                |[a, b, c]: [DVec3; 3], points: [DVec3; 3]| points.iter().all(|&x| orient3d(a, b, c, x).is_zero());
            let (p, q) = (p.rounded(first), q.rounded(second));
            return holds(p, q) && holds(q, p);
        }
        let holds = |plane: [[Enclosed; 3]; 3], points: [[Enclosed; 3]; 3]| {
            let side = |k: usize| [0, 1, 2].map(|i| plane[k][i] - plane[0][i]);
            let (e, f) = (side(1), side(2));
            let normal = [0, 1, 2].map(|i| e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3]);
            points.iter().all(|x| {
                let d = [0, 1, 2].map(|i| (x[i] - plane[0][i]) * normal[i]);
                let height = d[0] + d[1] + d[2];
                !height.is_positive() && !height.is_negative()
            })
        };
        let (p, q) = (p.of(first, 2), q.of(second, 2));
        holds(p, q) && holds(q, p)
    }
}

/// Whether a point moved by a pure translation lands exactly at a place relative to a shift.
fn is_exact_sum(p: DVec3, pose: &Pose, shift: DVec3, at: DVec3) -> bool {
    (0..3).all(|k| {
        let sum = DoubleDouble::from_sum(p[k], pose.translation()[k]);
        let whole = DoubleDouble::from_sum(at[k], shift[k]);
        sum == whole
    })
}

fn determinant(matrix: &DMat3) -> Enclosed {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|v| v.to_array().map(number));
    let minor = |i: usize| y[(i + 1) % 3] * z[(i + 2) % 3] - y[(i + 2) % 3] * z[(i + 1) % 3];
    x[0] * minor(0) + x[1] * minor(1) + x[2] * minor(2)
}
