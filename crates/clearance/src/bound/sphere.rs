//! Spheres: by Ritter's method, and the smallest.
//!
//! The smallest enclosing ball after Welzl, *Smallest enclosing disks (balls and ellipsoids)* (1991), with his
//! heuristic of moving points to the front, and after Gärtner, *Fast and Robust Smallest Enclosing Balls* (1999): only
//! the points that were once the farthest outside are given to Welzl's recursion, which therefore stays short. Departs
//! from both in that the radius is computed last, from all points, rounded up: rounding costs size, never a point.

use glam::DVec3;

use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::{Bound, Fit, RelativePose};
use crate::math::tolerances::{BOUND_PRODUCT, ROUND_UP, SPHERE_FLAT, SPHERE_OUTSIDE, SPHERE_PIVOTS, UNIT_ROUNDOFF};

/// A sphere with its inside. As a core it is a point: a *point swept sphere*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The centre.
    pub center: DVec3,
    /// The radius.
    pub radius: f64,
}

impl Sphere {
    /// The sphere about a centre that just encloses the points, its radius rounded up.
    pub(crate) fn about(center: DVec3, points: &[DVec3]) -> Sphere {
        let radius = points.iter().map(|&p| rounded_up_length(p - center)).fold(0.0, f64::max);
        Sphere { center, radius }
    }
}

/// Ritter (1990): the sphere on the two points farthest apart along the coordinate axes, grown by every point outside.
fn ritter(points: &[DVec3]) -> DVec3 {
    let Some(&first) = points.first() else { return DVec3::ZERO };
    let mut ends = [[first; 2]; 3];
    for &p in points {
        for (k, [low, high]) in ends.iter_mut().enumerate() {
            if p[k] < low[k] {
                *low = p;
            }
            if p[k] > high[k] {
                *high = p;
            }
        }
    }
    let [mut low, mut high] = ends[0];
    for [p, q] in ends {
        if (q - p).length_squared() > (high - low).length_squared() {
            (low, high) = (p, q);
        }
    }
    let mut center = 0.5 * low + 0.5 * high;
    let mut radius = 0.5 * (high - low).length();
    for &p in points {
        let away = p - center;
        let distance = away.length();
        if distance > radius {
            let grown = 0.5 * (radius + distance);
            center += away * ((distance - grown) / distance);
            radius = grown;
        }
    }
    center
}

/// The centre of the smallest sphere about the points, up to rounding.
fn smallest(points: &[DVec3]) -> DVec3 {
    let Some(&first) = points.first() else { return DVec3::ZERO };
    // Relative to a point of the set, in which unit no square overflows or loses its digits.
    let size = points.iter().map(|&p| (p - first).abs().max_element()).fold(0.0, f64::max);
    if size == 0.0 {
        return first;
    }
    let mut ball = Ball { center: DVec3::ZERO, squared: 0.0 };
    let mut pivots = vec![DVec3::ZERO];
    for _ in 0..SPHERE_PIVOTS {
        let (mut farthest, mut squared) = (DVec3::ZERO, ball.squared * SPHERE_OUTSIDE);
        for &p in points {
            let p = (p - first) / size;
            let away = (p - ball.center).length_squared();
            if away > squared {
                (farthest, squared) = (p, away);
            }
        }
        if squared == ball.squared * SPHERE_OUTSIDE {
            break;
        }
        pivots.insert(0, farthest);
        let count = pivots.len();
        ball = welzl(&mut pivots, count, [DVec3::ZERO; 4], 0);
    }
    first + ball.center * size
}

#[derive(Clone, Copy)]
struct Ball {
    center: DVec3,
    squared: f64,
}

/// The smallest ball of the first points that has the given ones on its boundary. Points of the boundary that do not
/// determine a ball with the others are left out.
fn welzl(points: &mut [DVec3], count: usize, boundary: [DVec3; 4], on: usize) -> Ball {
    let mut ball = circumscribed(&boundary[..on]);
    if on == 4 {
        return ball;
    }
    for i in 0..count {
        let p = points[i];
        if (p - ball.center).length_squared() > ball.squared * SPHERE_OUTSIDE {
            let mut larger = boundary;
            larger[on] = p;
            ball = welzl(points, i, larger, on + 1);
            points[..=i].rotate_right(1);
        }
    }
    ball
}

/// The smallest ball with all the points on its boundary; of none, a ball that contains nothing.
fn circumscribed(points: &[DVec3]) -> Ball {
    let Some((&origin, others)) = points.split_first() else { return Ball { center: DVec3::ZERO, squared: -1.0 } };
    // Orthogonal directions of the points' span, and the centre's coordinate along each.
    let mut directions = [DVec3::ZERO; 3];
    let mut center = DVec3::ZERO;
    for (k, &p) in others.iter().enumerate() {
        let away = p - origin;
        let across = directions[..k].iter().fold(away, |v, d| v - *d * d.dot(v));
        let Some(direction) = across.try_normalize() else { continue };
        let height = direction.dot(away);
        if height <= SPHERE_FLAT * away.length() {
            continue;
        }
        directions[k] = direction;
        // Equally far from the origin and from p, which the centre so far, across from the new direction, need not be.
        center += direction * ((0.5 * away.length_squared() - center.dot(away)) / height);
    }
    Ball { center: origin + center, squared: center.length_squared() }
}

impl Sealed for Sphere {}

impl Bound for Sphere {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> Sphere {
        let center = if how == Fit::Vertices { ritter(corners) } else { smallest(corners) };
        Sphere::about(center, corners)
    }

    fn merge(a: &Sphere, b: &Sphere) -> Sphere {
        let apart = b.center - a.center;
        let distance = rounded_up_length(apart);
        if (distance + b.radius) * ROUND_UP <= a.radius {
            return *a;
        }
        if (distance + a.radius) * ROUND_UP <= b.radius {
            return *b;
        }
        let radius = 0.5 * (distance + a.radius + b.radius);
        let center = if distance > 0.0 { a.center + apart * ((radius - a.radius) / distance) } else { a.center };
        let farthest = |s: &Sphere| rounded_up_length(s.center - center) + s.radius;
        Sphere { center, radius: farthest(a).max(farthest(b)) * ROUND_UP }
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    fn overlaps(&self, b: &Sphere, pose: &RelativePose) -> bool {
        self.distance_below(b, pose) == 0.0
    }

    fn distance_below(&self, b: &Sphere, pose: &RelativePose) -> f64 {
        let apart = pose.rotation * b.center + pose.translation - self.center;
        (apart.length() - (self.radius + b.radius) - pose.slack).max(0.0)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        None
    }

    fn volume(&self) -> f64 {
        std::f64::consts::PI * 4.0 / 3.0 * self.radius.powi(3)
    }

    fn surface(&self) -> f64 {
        std::f64::consts::PI * 4.0 * self.radius.powi(2)
    }

    fn longest(&self) -> f64 {
        2.0 * self.radius
    }

    fn support(&self, direction: DVec3) -> f64 {
        let size = (self.center.abs().dot(direction.abs()) + self.radius * direction.length()) * ROUND_UP;
        self.center.dot(direction) + self.radius * rounded_up_length(direction) + BOUND_PRODUCT * size
    }

    fn reach(&self) -> f64 {
        (rounded_up_length(self.center) + self.radius) * (1.0 + 2.0 * UNIT_ROUNDOFF)
    }
}
