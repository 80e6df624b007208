//! Stationary pairs of two surface pieces, with as few unknowns as possible.
//!
//! The closest points of two cores (and the deepest ones) are aligned along a direction perpendicular to both pieces.
//! [`patch`](super::patch) solves for the points and the direction together. For most pieces the direction determines
//! the point, or the piece fixes the direction in part, so that few unknowns remain:
//! - a corner, a rim, an ellipsoid leave the direction free, and have one support point along it;
//! - an edge, the side of a cylinder or cone leave one angle: the direction makes a fixed angle with an axis, and the
//!   point may be anywhere on a line;
//! - a face or disc leaves none: the direction is its normal.
//!
//! Two free pieces: Newton's method for two angles. A free piece and one with an angle: for one. A free piece and a
//! face, or two pieces with an angle each: a closed form. Other combinations face each other only where they are
//! parallel; then one of the pieces is probably wrong, and its border is right. Cases that do not converge quickly (a
//! rim seen nearly along its axis, say), and parallel pieces, are left to [`patch`](super::patch).

use glam::DVec3;

use super::patch::SurfacePatch;
use crate::math::placement::Placement;
use crate::math::tolerances::{STATIONARY_DIVERGENCE_STEP, STATIONARY_SQUARED_STEP, STATIONARY_STEPS};

/// A direction and the points of the two pieces, each in the frame of its core; those of straight and flat pieces still
/// have to be projected onto the piece ([`Spot::near`](super::patch::Spot::near)).
pub(super) struct Stationary {
    /// Unit, from A to B, in the frame of A.
    pub normal: DVec3,
    pub point_a: DVec3,
    pub point_b: DVec3,
}

/// The result for two pieces.
pub(super) enum Outcome {
    Found(Stationary),
    /// Together they constrain the direction by more than its two angles: how far each is from having it as its normal.
    Parallel {
        off_a: f64,
        off_b: f64,
    },
    Lost,
}

/// The freedom that a piece leaves, in the frame of A.
enum Freedom {
    Any,
    OneAngle(Circle),
    None(DVec3),
}

/// All directions `n` with `n · axis = cos`; the piece's lines, perpendicular to them, pass through `base`, up to an
/// offset along `n`.
struct Circle {
    base: DVec3,
    axis: DVec3,
    cos: f64,
}

/// The support point of a free piece along a direction, and its derivative: `t · ds(u)` is
/// `t · (diagonal u) + factor (t · along) (u · along)`.
struct Tip {
    point: DVec3,
    diagonal: DVec3,
    along: DVec3,
    factor: f64,
}

impl Tip {
    /// The support point along `n`, unit, in the frame of the piece. `None` along the axis of a rim.
    fn of(piece: &SurfacePatch, n: DVec3) -> Option<Tip> {
        let zero = DVec3::ZERO;
        match *piece {
            SurfacePatch::Point(point) => Some(Tip { point, diagonal: zero, along: zero, factor: 0.0 }),
            SurfacePatch::Rim { height, radius } => {
                let across = (n.x * n.x + n.y * n.y).sqrt();
                let inverse = 1.0 / across;
                let (c, s) = (n.x * inverse, n.y * inverse);
                let point = DVec3::new(radius * c, radius * s, height);
                let tip = Tip { point, diagonal: zero, along: DVec3::new(-s, c, 0.0), factor: radius * inverse };
                (across > 1e-6).then_some(tip)
            }
            SurfacePatch::Ellipsoid(axes) => {
                let scaled = axes * n;
                let inverse = 1.0 / scaled.length();
                let point = axes * scaled * inverse;
                Some(Tip { point, diagonal: axes * axes * inverse, along: point, factor: -inverse })
            }
            _ => None,
        }
    }

    fn bend(&self, t: DVec3, u: DVec3) -> f64 {
        (self.diagonal * t).dot(u) + self.factor * (self.along.dot(t) * self.along.dot(u))
    }
}

/// One of the two cores: its placement in the frame of A, and its piece.
struct CoreView<'p> {
    piece: &'p SurfacePatch,
    /// A point of the piece, in its own frame.
    at: DVec3,
    /// `None` for A.
    map: Option<&'p Placement>,
}

impl CoreView<'_> {
    fn place(&self, p: DVec3) -> DVec3 {
        self.map.map_or(p, |map| map.place(p))
    }

    fn turn(&self, v: DVec3) -> DVec3 {
        self.map.map_or(v, |map| map.turn(v))
    }

    /// Maps a vector from the frame of A to the own frame.
    fn turn_back(&self, v: DVec3) -> DVec3 {
        self.map.map_or(v, |map| map.turn_back(v))
    }

    /// Maps a point from the frame of A to the own frame; exact up to the defect of the placement.
    fn own(&self, p: DVec3) -> DVec3 {
        self.map.map_or(p, |map| map.turn_back(p - map.translation))
    }

    /// The projection of a point onto a face's plane along the normal, all in the frame of A. The point may lie deep in
    /// the core, and nearer to another face.
    fn foot(&self, p: DVec3, normal: DVec3) -> DVec3 {
        p - normal * normal.dot(p - self.place(self.at))
    }

    /// The support point of a free piece towards the other core; `n` points from A to B.
    fn tip(&self, n: DVec3) -> Option<Tip> {
        match self.map {
            None => Tip::of(self.piece, n),
            Some(map) => Tip::of(self.piece, map.turn_back(-n)),
        }
    }

    fn freedom(&self) -> Option<Freedom> {
        // Towards B for A, against it for B.
        let outward = if self.map.is_some() { -1.0 } else { 1.0 };
        let circle = |base: DVec3, axis: DVec3, cos: f64| {
            let axis = self.turn(axis).try_normalize()?;
            Some(Freedom::OneAngle(Circle { base: self.place(base), axis, cos }))
        };
        let face = |normal: DVec3| self.turn(normal).try_normalize().map(Freedom::None);
        match *self.piece {
            SurfacePatch::Point(_) | SurfacePatch::Rim { .. } | SurfacePatch::Ellipsoid(_) => Some(Freedom::Any),
            SurfacePatch::Edge { from, along } => circle(from, along, 0.0),
            SurfacePatch::BoxPart { free, count: 1, .. } => circle(self.at, DVec3::AXES[free[0]], 0.0),
            SurfacePatch::Tube { .. } => circle(DVec3::ZERO, DVec3::Z, 0.0),
            SurfacePatch::Slope { half_length, radius } => {
                let slant = (4.0 * half_length * half_length + radius * radius).sqrt();
                circle(DVec3::Z * half_length, DVec3::Z, outward * (radius / slant))
            }
            SurfacePatch::BoxPart { free, .. } => face(DVec3::AXES[3 - free[0] - free[1]]),
            SurfacePatch::Disc { .. } => face(DVec3::Z),
            SurfacePatch::Triangle { first, second, .. } => face(first.cross(second)),
        }
    }
}

impl Freedom {
    /// The angle between a unit direction and the nearest allowed one: its sine, approximately.
    fn off(&self, direction: DVec3) -> f64 {
        match self {
            Freedom::Any => 0.0,
            Freedom::OneAngle(circle) => (direction.dot(circle.axis) - circle.cos).abs(),
            Freedom::None(normal) => direction.cross(*normal).length(),
        }
    }
}

/// The stationary pair of two pieces, from a nearby direction and a point of each piece. `apart` says that the cores
/// are known not to overlap.
pub(super) fn stationary(
    (piece_a, at_a): (&SurfacePatch, DVec3),
    (piece_b, at_b): (&SurfacePatch, DVec3),
    direction: DVec3,
    map: &Placement,
    apart: bool,
) -> Outcome {
    let a = CoreView { piece: piece_a, at: at_a, map: None };
    let b = CoreView { piece: piece_b, at: at_b, map: Some(map) };
    let (Some(freedom_a), Some(freedom_b)) = (a.freedom(), b.freedom()) else { return Outcome::Lost };
    let found = match (&freedom_a, &freedom_b) {
        (Freedom::Any, Freedom::Any) => two_angles(&a, &b, direction, apart),
        (Freedom::Any, Freedom::OneAngle(circle)) => one_angle(circle, &a, -1.0, direction, apart)
            .map(|(normal, tip, on_line)| Stationary { normal, point_a: tip, point_b: b.own(on_line) }),
        (Freedom::OneAngle(circle), Freedom::Any) => one_angle(circle, &b, 1.0, direction, apart)
            .map(|(normal, tip, on_line)| Stationary { normal, point_a: on_line, point_b: tip }),
        (Freedom::OneAngle(first), Freedom::OneAngle(second)) => no_angle(first, second, direction)
            .map(|(normal, on_first, on_second)| Stationary { normal, point_a: on_first, point_b: b.own(on_second) }),
        (Freedom::Any, Freedom::None(normal)) => {
            let normal = sided(*normal, direction);
            a.tip(normal).map(|tip| Stationary {
                normal,
                point_a: tip.point,
                point_b: b.own(b.foot(tip.point, normal)),
            })
        }
        (Freedom::None(normal), Freedom::Any) => {
            let normal = sided(*normal, direction);
            b.tip(normal).map(|tip| {
                let point_a = a.foot(b.place(tip.point), normal);
                Stationary { normal, point_a, point_b: tip.point }
            })
        }
        _ => {
            return Outcome::Parallel { off_a: freedom_a.off(direction), off_b: freedom_b.off(direction) };
        }
    };
    found.map_or(Outcome::Lost, Outcome::Found)
}

fn sided(normal: DVec3, direction: DVec3) -> DVec3 {
    if normal.dot(direction) < 0.0 { -normal } else { normal }
}

/// Two free pieces. With `w` between their support points along `n`, and `t`, `u` perpendicular to it, `w · t` and
/// `w · u` must vanish; their derivatives are the curvatures of both pieces and `w · n`.
fn two_angles(a: &CoreView<'_>, b: &CoreView<'_>, direction: DVec3, apart: bool) -> Option<Stationary> {
    let mut n = direction;
    let mut last = f64::INFINITY;
    for step in 0..STATIONARY_STEPS {
        let (tip_a, tip_b) = (a.tip(n)?, b.tip(n)?);
        let w = b.place(tip_b.point) - tip_a.point;
        if last <= STATIONARY_SQUARED_STEP {
            return Some(Stationary { normal: n, point_a: tip_a.point, point_b: tip_b.point });
        }
        let (t, u) = n.any_orthonormal_pair();
        let (t_b, u_b) = (b.turn_back(t), b.turn_back(u));
        let gap = w.dot(n);
        // For separated pieces an inaccurate direction may give the wrong sign.
        let gap = if apart && gap <= 0.0 { w.length() } else { gap };
        let tt = tip_a.bend(t, t) + tip_b.bend(t_b, t_b) + gap;
        let tu = tip_a.bend(t, u) + tip_b.bend(t_b, u_b);
        let uu = tip_a.bend(u, u) + tip_b.bend(u_b, u_b) + gap;
        let determinant = tt * uu - tu * tu;
        let (r, s) = (w.dot(t), w.dot(u));
        let (x, y) = ((uu * r - tu * s) / determinant, (tt * s - tu * r) / determinant);
        let moved = x * x + y * y;
        // Written so that NaN stops the iteration.
        let shrinks = tt > 0.0 && determinant > 0.0 && (moved < last || step < STATIONARY_DIVERGENCE_STEP);
        if !shrinks {
            return None;
        }
        last = moved;
        n = (n + t * x + u * y).try_normalize()?;
    }
    None
}

/// A free piece, on `other`, and one that leaves one angle. Returns the direction, the point of the free piece in its
/// own frame, and the point facing it on the line, in the frame of A. `sign` is that of the free piece's points in `w`.
fn one_angle(
    circle: &Circle,
    other: &CoreView<'_>,
    sign: f64,
    direction: DVec3,
    apart: bool,
) -> Option<(DVec3, DVec3, DVec3)> {
    let Circle { base, axis, cos } = *circle;
    let sin = (1.0 - cos * cos).sqrt();
    let mut spoke = (direction - axis * direction.dot(axis)).try_normalize()?;
    let mut last = f64::INFINITY;
    for count in 0..STATIONARY_STEPS {
        let n = axis * cos + spoke * sin;
        let around = axis.cross(spoke);
        let tip = other.tip(n)?;
        let placed = other.place(tip.point);
        let w = (placed - base) * sign;
        if last <= STATIONARY_SQUARED_STEP {
            let line = n.cross(around);
            return Some((n, tip.point, base + line * (placed - base).dot(line)));
        }
        let own = other.turn_back(around);
        let gap = w.dot(spoke);
        let gap = if apart && gap <= 0.0 { (w - axis * w.dot(axis)).length() } else { gap };
        let slope = sin * tip.bend(own, own) + gap;
        let step = w.dot(around) / slope;
        let moved = step * step;
        let shrinks = slope > 0.0 && (moved < last || count < STATIONARY_DIVERGENCE_STEP);
        if !shrinks {
            return None;
        }
        // A corner does not move: then the first step is exact.
        last = if matches!(other.piece, SurfacePatch::Point(_)) { 0.0 } else { moved };
        spoke = (spoke + around * step).try_normalize()?;
    }
    None
}

/// Two pieces that leave one angle each: the direction that both allow, and the facing points of the two lines along
/// it, in the frame of A. `None` where the lines are parallel.
fn no_angle(first: &Circle, second: &Circle, direction: DVec3) -> Option<(DVec3, DVec3, DVec3)> {
    let across = first.axis.cross(second.axis);
    let squared = across.dot(across);
    if squared <= 1e-12 {
        return None;
    }
    let level = first.axis.dot(second.axis);
    let (x, y) = ((first.cos - level * second.cos) / squared, (second.cos - level * first.cos) / squared);
    let within = first.axis * x + second.axis * y;
    let rest = (1.0 - within.dot(within)) / squared;
    if rest <= 0.0 {
        return None;
    }
    let n = (within + across * rest.sqrt().copysign((direction - within).dot(across))).try_normalize()?;
    let line = |circle: &Circle| {
        let around = circle.axis.cross(n).try_normalize()?;
        Some(n.cross(around))
    };
    let (one, other) = (line(first)?, line(second)?);
    let turned = one.cross(other).dot(n);
    let w = second.base - first.base;
    let on_first = first.base + one * (w.cross(other).dot(n) / turned);
    let on_second = second.base + other * (w.cross(one).dot(n) / turned);
    (turned.abs() > 1e-6).then_some((n, on_first, on_second))
}
