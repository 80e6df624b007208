//! Parametrised pieces of a core's surface, and Newton's method for the stationary pair of two pieces.
//!
//! Near the closest points (or the deepest ones) each core is locally one of a few pieces: a point, a straight edge, a
//! flat face, a rim, the side of a cylinder or cone, an ellipsoid. The two points are aligned along a direction
//! perpendicular to both pieces: as many equations as unknowns, six at most, solved by Newton's method with exact
//! second derivatives. The equations are the same on both sides of contact. A wrong guess of the pieces is harmless:
//! any result is judged by the bracket it proves.

use glam::DVec3;

use crate::math::tolerances::{PATCH_DIVERGENCE_STEP, PATCH_NEWTON_STEPS};

/// The kind of a piece, in the frame of its core.
#[derive(Clone, Copy, Debug)]
pub(super) enum SurfacePatch {
    /// A corner.
    Point(DVec3),
    /// `from + x along`, `x` from 0 to 1.
    Edge { from: DVec3, along: DVec3 },
    /// `corner + x first + y second`, with `x, y >= 0` and `x + y <= 1`.
    Triangle { corner: DVec3, first: DVec3, second: DVec3 },
    /// The part of a box's surface that varies along one or two axes.
    BoxPart { half: DVec3, free: [usize; 2], count: usize },
    /// A circle about the z axis.
    Rim { height: f64, radius: f64 },
    /// A disc about the z axis.
    Disc { height: f64, radius: f64 },
    /// The side of a cylinder.
    Tube { half_length: f64, radius: f64 },
    /// The side of a cone; `x` is 0 at the rim and 1 at the apex.
    Slope { half_length: f64, radius: f64 },
    /// All of an ellipsoid.
    Ellipsoid(DVec3),
}

/// A point on a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub piece: SurfacePatch,
    /// Coordinates along straight pieces.
    x: f64,
    y: f64,
    /// Round pieces: a unit vector (in the plane z = 0, or in space for an ellipsoid). Flat round and box pieces: the
    /// point.
    q: DVec3,
}

/// A point with its derivatives with respect to the piece's coordinates.
struct Local {
    point: DVec3,
    count: usize,
    first: [DVec3; 2],
    /// By `xx`, `xy`, `yy`.
    second: [DVec3; 3],
}

impl Spot {
    /// The point of the piece near `point`; `outward` is the viewing direction.
    pub fn near(piece: SurfacePatch, point: DVec3, outward: DVec3) -> Spot {
        let mut spot = Spot { piece, x: 0.0, y: 0.0, q: DVec3::X };
        let around = |v: DVec3| DVec3::new(v.x, v.y, 0.0).try_normalize();
        match piece {
            SurfacePatch::Point(_) => {}
            SurfacePatch::Edge { from, along } => spot.x = Spot::coordinate(point, from, along).clamp(0.0, 1.0),
            SurfacePatch::Triangle { corner, first, second } => {
                (spot.x, spot.y) = Spot::coordinates(point, corner, first, second).unwrap_or((0.0, 0.0));
                spot.clamp();
            }
            SurfacePatch::BoxPart { half, free, count } => {
                spot.q = point.clamp(-half, half);
                for axis in (0..3).filter(|axis| !free[..count].contains(axis)) {
                    spot.q[axis] = half[axis].copysign(point[axis]);
                }
            }
            SurfacePatch::Disc { height, .. } => {
                spot.q = DVec3::new(point.x, point.y, height);
                spot.clamp();
            }
            SurfacePatch::Rim { .. } => spot.q = around(outward).or_else(|| around(point)).unwrap_or(DVec3::X),
            SurfacePatch::Tube { .. } => {
                spot.q = around(outward).or_else(|| around(point)).unwrap_or(DVec3::X);
                spot.x = point.z;
                spot.clamp();
            }
            SurfacePatch::Slope { half_length, .. } => {
                spot.q = around(outward).or_else(|| around(point)).unwrap_or(DVec3::X);
                spot.x = 0.5 * (point.z / half_length + 1.0);
                spot.clamp();
            }
            SurfacePatch::Ellipsoid(axes) => spot.q = (axes * outward).try_normalize().unwrap_or(DVec3::X),
        }
        spot
    }

    /// The coordinate of a point along an edge, as a fraction of the edge's length.
    pub fn coordinate(point: DVec3, from: DVec3, along: DVec3) -> f64 {
        let squared = along.dot(along);
        if squared > 0.0 { (point - from).dot(along) / squared } else { 0.0 }
    }

    /// The coordinates of a point in a triangle; `None` if it has no area.
    pub fn coordinates(point: DVec3, corner: DVec3, first: DVec3, second: DVec3) -> Option<(f64, f64)> {
        let n = first.cross(second);
        let squared = n.dot(n);
        let d = point - corner;
        (squared > 0.0).then(|| (d.cross(second).dot(n) / squared, first.cross(d).dot(n) / squared))
    }

    /// The point in the core's frame; in the core up to rounding, see `tolerances::SMOOTH_POINT`.
    pub fn point(&self) -> DVec3 {
        match self.piece {
            SurfacePatch::Point(p) => p,
            SurfacePatch::Edge { from, along } => from + along * self.x,
            SurfacePatch::Triangle { corner, first, second } => (corner + first * self.x) + second * self.y,
            SurfacePatch::BoxPart { .. } | SurfacePatch::Disc { .. } => self.q,
            SurfacePatch::Rim { height, radius } => DVec3::new(radius * self.q.x, radius * self.q.y, height),
            SurfacePatch::Tube { radius, .. } => DVec3::new(radius * self.q.x, radius * self.q.y, self.x),
            SurfacePatch::Slope { half_length, radius } => {
                let r = radius * (1.0 - self.x);
                DVec3::new(r * self.q.x, r * self.q.y, half_length * (2.0 * self.x - 1.0))
            }
            SurfacePatch::Ellipsoid(axes) => axes * self.q,
        }
    }

    /// How far along the piece a point is beyond the spot, for points at its ends.
    pub fn off(&self, point: DVec3) -> f64 {
        match self.piece {
            SurfacePatch::Point(_) | SurfacePatch::Rim { .. } | SurfacePatch::Ellipsoid(_) => 0.0,
            SurfacePatch::Tube { .. } => (point.z - self.x).abs(),
            SurfacePatch::Slope { .. } => (point - self.point()).length(),
            SurfacePatch::Disc { .. } => (point - self.q).truncate().length(),
            SurfacePatch::BoxPart { free, count, .. } => {
                let along = |axis: usize| (point[axis] - self.q[axis]).abs();
                if count == 2 { along(free[0]).hypot(along(free[1])) } else { along(free[0]) }
            }
            SurfacePatch::Edge { along, .. } => (point - self.point()).dot(along).abs() / along.length(),
            SurfacePatch::Triangle { first, second, .. } => {
                let (d, n) = (point - self.point(), first.cross(second));
                (d.cross(n) / n.length()).length()
            }
        }
    }

    /// The number of coordinates of the piece.
    pub fn count(&self) -> usize {
        match self.piece {
            SurfacePatch::Point(_) => 0,
            SurfacePatch::Edge { .. } | SurfacePatch::Rim { .. } => 1,
            SurfacePatch::BoxPart { count, .. } => count,
            _ => 2,
        }
    }

    fn local(&self) -> Local {
        let zero = DVec3::ZERO;
        let (c, s) = (self.q.x, self.q.y);
        let (radial, around) = (DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0));
        let unit = |axis: usize| DVec3::AXES[axis];
        let (first, second) = match self.piece {
            SurfacePatch::Point(_) => ([zero; 2], [zero; 3]),
            SurfacePatch::Edge { along, .. } => ([along, zero], [zero; 3]),
            SurfacePatch::Triangle { first, second, .. } => ([first, second], [zero; 3]),
            SurfacePatch::BoxPart { free, .. } => ([unit(free[0]), unit(free[1])], [zero; 3]),
            SurfacePatch::Disc { .. } => ([DVec3::X, DVec3::Y], [zero; 3]),
            SurfacePatch::Rim { radius, .. } => ([around * radius, zero], [radial * -radius, zero, zero]),
            SurfacePatch::Tube { radius, .. } => ([around * radius, DVec3::Z], [radial * -radius, zero, zero]),
            SurfacePatch::Slope { half_length, radius } => {
                let r = radius * (1.0 - self.x);
                let down = DVec3::new(-radius * c, -radius * s, 2.0 * half_length);
                ([around * r, down], [radial * -r, around * -radius, zero])
            }
            SurfacePatch::Ellipsoid(axes) => {
                let (t1, t2) = self.q.any_orthonormal_pair();
                let point = axes * self.q;
                ([axes * t1, axes * t2], [-point, zero, -point])
            }
        };
        Local { point: self.point(), count: self.count(), first, second }
    }

    /// Moves along the coordinates and projects back onto the piece.
    fn step(&mut self, delta: [f64; 2]) {
        let turned = |q: DVec3| {
            let around = DVec3::new(-q.y, q.x, 0.0);
            (q + around * delta[0]).try_normalize().unwrap_or(q)
        };
        match self.piece {
            SurfacePatch::Point(_) => {}
            SurfacePatch::Edge { .. } => self.x += delta[0],
            SurfacePatch::Triangle { .. } => {
                self.x += delta[0];
                self.y += delta[1];
            }
            SurfacePatch::BoxPart { free, count, .. } => {
                for k in 0..count {
                    self.q[free[k]] += delta[k];
                }
            }
            SurfacePatch::Disc { .. } => {
                self.q.x += delta[0];
                self.q.y += delta[1];
            }
            SurfacePatch::Rim { .. } => self.q = turned(self.q),
            SurfacePatch::Tube { .. } | SurfacePatch::Slope { .. } => {
                self.q = turned(self.q);
                self.x += delta[1];
            }
            SurfacePatch::Ellipsoid(_) => {
                let (t1, t2) = self.q.any_orthonormal_pair();
                self.q = (self.q + t1 * delta[0] + t2 * delta[1]).try_normalize().unwrap_or(self.q);
            }
        }
        self.clamp();
    }

    fn clamp(&mut self) {
        match self.piece {
            SurfacePatch::Edge { .. } | SurfacePatch::Slope { .. } => self.x = self.x.clamp(0.0, 1.0),
            SurfacePatch::Triangle { .. } => {
                let weights = DVec3::new(1.0 - self.x - self.y, self.x, self.y).max(DVec3::ZERO);
                let total = weights.x + weights.y + weights.z;
                self.x = weights.y / total;
                self.y = weights.z / total;
            }
            SurfacePatch::BoxPart { half, .. } => self.q = self.q.clamp(-half, half),
            SurfacePatch::Disc { radius, .. } => {
                let length = self.q.truncate().length();
                if length > radius {
                    self.q.x *= radius / length;
                    self.q.y *= radius / length;
                }
            }
            SurfacePatch::Tube { half_length, .. } => self.x = self.x.clamp(-half_length, half_length),
            SurfacePatch::Point(_) | SurfacePatch::Rim { .. } | SurfacePatch::Ellipsoid(_) => {}
        }
    }

    /// A normal of a piece with two coordinates, on the side of `outward`.
    pub fn normal(&self, outward: DVec3) -> Option<DVec3> {
        let normal = match self.piece {
            SurfacePatch::Triangle { first, second, .. } => first.cross(second),
            SurfacePatch::BoxPart { free, count: 2, .. } => DVec3::AXES[3 - free[0] - free[1]],
            SurfacePatch::Disc { .. } => DVec3::Z,
            SurfacePatch::Tube { .. } => DVec3::new(self.q.x, self.q.y, 0.0),
            SurfacePatch::Slope { half_length, radius } => {
                DVec3::new(2.0 * half_length * self.q.x, 2.0 * half_length * self.q.y, radius)
            }
            SurfacePatch::Ellipsoid(axes) => self.q / axes,
            _ => return None,
        };
        let normal = normal.try_normalize()?;
        Some(if normal.dot(outward) < 0.0 { -normal } else { normal })
    }

    /// The corner numbers of a box part; `None` for other pieces.
    pub fn corner_members(&self) -> Option<[u32; 4]> {
        let SurfacePatch::BoxPart { free, count, .. } = self.piece else { return None };
        let sign = |axis: usize| u32::from(self.q[axis] > 0.0) << axis;
        let corner = sign(0) | sign(1) | sign(2);
        let other = if count == 2 { corner ^ 1 << free[1] } else { corner };
        Some([corner, corner ^ 1 << free[0], other, corner])
    }

    /// The direction of a piece with one coordinate.
    pub fn tangent(&self) -> Option<DVec3> {
        (self.count() == 1).then(|| self.local().first[0])
    }
}

/// Moves two spots and a unit direction until the direction is perpendicular to both pieces and the spots are aligned
/// along it. `place` and `turn` map points and vectors from B's frame to A's, `size` is the size of the pair.
///
/// The unknowns are the coordinates of both spots and two angles of the direction, six at most. Unlike the condition
/// that the vector between the spots be perpendicular to both pieces, this one is not met by every common point of
/// intersecting surfaces, and it stays regular at contact.
pub(super) fn settle(
    a: &mut Spot,
    b: &mut Spot,
    direction: DVec3,
    size: f64,
    place: impl Fn(DVec3) -> DVec3,
    turn: impl Fn(DVec3) -> DVec3,
) -> DVec3 {
    let mut n = direction;
    let mut last = f64::INFINITY;
    for step_number in 0..PATCH_NEWTON_STEPS {
        let (la, lb) = (a.local(), b.local());
        let w = place(lb.point) - la.point;
        let (t1, t2) = n.any_orthonormal_pair();
        let across = [t1, t2];
        let (count_a, count) = (la.count, la.count + lb.count);
        // Both pieces' coordinates in one list: derivatives in units of the size, those of B with their sign in w.
        let mut first = [DVec3::ZERO; 4];
        let mut unit = [0.0; 4];
        for k in 0..count {
            let derivative = if k < count_a { -la.first[k] } else { turn(lb.first[k - count_a]) };
            let length = derivative.length();
            unit[k] = if length > 0.0 { size / length } else { 0.0 };
            first[k] = derivative * (unit[k] / size);
        }
        let mut matrix = [[0.0; 6]; 6];
        let mut right = [0.0; 6];
        for i in 0..count {
            right[i] = -n.dot(first[i]);
            for j in 0..count {
                // Mixed derivatives across the two pieces are zero.
                let second = match (i < count_a, j < count_a) {
                    (true, true) => -la.second[i + j],
                    (false, false) => turn(lb.second[i + j - 2 * count_a]),
                    _ => DVec3::ZERO,
                };
                matrix[i][j] = n.dot(second) * (unit[i] * unit[j] / size);
            }
            for k in 0..2 {
                let slope = across[k].dot(first[i]);
                matrix[i][count + k] = slope;
                matrix[count + k][i] = slope;
            }
        }
        for k in 0..2 {
            right[count + k] = -w.dot(across[k]) / size;
            matrix[count + k][count + k] = -w.dot(n) / size;
        }
        let delta = match count {
            0 => solve::<2>(&mut matrix, &mut right),
            1 => solve::<3>(&mut matrix, &mut right),
            2 => solve::<4>(&mut matrix, &mut right),
            3 => solve::<5>(&mut matrix, &mut right),
            _ => solve::<6>(&mut matrix, &mut right),
        };
        let moved = delta.iter().fold(0.0f64, |top, x| top.max(x.abs()));
        let step = |k: usize| if k < count { delta[k] * unit[k] } else { 0.0 };
        a.step([step(0), if count_a == 2 { step(1) } else { 0.0 }]);
        b.step([step(count_a), if lb.count == 2 { step(count_a + 1) } else { 0.0 }]);
        n = (n + t1 * delta[count] + t2 * delta[count + 1]).try_normalize().unwrap_or(n);
        // Quadratic convergence: the step is as large as the previous error; steps that no longer shrink are rounding.
        // If steps are still large, these are the wrong pieces.
        let rounding = moved <= 1e-15 || (moved >= 0.5 * last && moved < 1e-10);
        if rounding || (step_number >= PATCH_DIVERGENCE_STEP && moved > 1e-3) {
            break;
        }
        last = moved;
    }
    n
}

/// Gaussian elimination with full pivoting of the first `N` equations; undetermined unknowns are zero. Lengths known at
/// compile time make it twice as fast.
#[inline(never)]
fn solve<const N: usize>(m: &mut [[f64; 6]; 6], right: &mut [f64; 6]) -> [f64; 6] {
    let mut order = [0, 1, 2, 3, 4, 5];
    let mut rank = N;
    for k in 0..N {
        let mut best = (k, k);
        let mut largest = -1.0;
        for (i, row) in m.iter().enumerate().take(N).skip(k) {
            for (j, entry) in row.iter().enumerate().take(N).skip(k) {
                if entry.abs() > largest {
                    (best, largest) = ((i, j), entry.abs());
                }
            }
        }
        // Entries are of order one, so the remainder of dependent equations is rounding.
        if largest <= 1e-12 {
            rank = k;
            break;
        }
        m.swap(k, best.0);
        right.swap(k, best.0);
        for row in m.iter_mut().take(N) {
            row.swap(k, best.1);
        }
        order.swap(k, best.1);
        let pivot = m[k];
        let inverse = 1.0 / pivot[k];
        let level = right[k];
        for (row, value) in m.iter_mut().zip(right.iter_mut()).take(N).skip(k + 1) {
            let factor = row[k] * inverse;
            for (entry, above) in row.iter_mut().zip(pivot).take(N).skip(k + 1) {
                *entry -= factor * above;
            }
            *value -= factor * level;
        }
    }
    let mut solution = [0.0; 6];
    for k in (0..rank).rev() {
        let mut value = right[k];
        for j in k + 1..rank {
            value -= m[k][j] * solution[order[j]];
        }
        solution[order[k]] = value / m[k][k];
    }
    solution
}
