//! Spheres swept over a rectangle.

use glam::{DMat3, DVec3};

use super::axes::principal_axes;
use super::core_distance::Core;
use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::swept::{Local, Swept, between, both, drawn_in, or_origin, reach, support};
use super::{Bound, Fit, RelativePose, longest_first};
use crate::math::tolerances::{BOUND_SWEPT, ROUND_UP};

/// The points within a radius of a rectangle, which may be a segment or a point: a *rectangle swept sphere*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rss {
    center: DVec3,
    /// Orthogonal unit vectors, the first two along the edges of the rectangle.
    axes: DMat3,
    /// Half the lengths of the edges.
    half: [f64; 2],
    radius: f64,
}

impl Rss {
    /// The rectangle in the plane through the middle of the thinnest extent, drawn in at its sides and then pushed out
    /// at its corners.
    pub(super) fn along(points: &[DVec3], axes: DMat3) -> Rss {
        let (local, axes) = Local::new(points, axes);
        let height = local.middle().z;
        let radius = 0.5 * (local.high.z - local.low.z);
        // How far along the plane the round border reaches at the point's height.
        let room = |p: &DVec3| (radius * radius - (p.z - height).powi(2)).max(0.0).sqrt();
        let [mut left, mut right] = drawn_in(local.points.iter().map(|p| (p.x, room(p))));
        let [mut front, mut back] = drawn_in(local.points.iter().map(|p| (p.y, room(p))));
        for p in &local.points {
            // Beyond a side in both directions: the corner moves along the diagonal until the point is within the room.
            let dx = if p.x > right { p.x - right } else { (p.x - left).min(0.0) };
            let dy = if p.y > back { p.y - back } else { (p.y - front).min(0.0) };
            if dx == 0.0 || dy == 0.0 {
                continue;
            }
            let (mean, difference) = (0.5 * (dx.abs() + dy.abs()), 0.5 * (dx.abs() - dy.abs()));
            let moved = mean - (0.5 * room(p).powi(2) - difference * difference).max(0.0).sqrt();
            if moved > 0.0 {
                if dx > 0.0 {
                    right += moved
                } else {
                    left -= moved
                }
                if dy > 0.0 { back += moved } else { front -= moved }
            }
        }
        let center = DVec3::new(0.5 * left + 0.5 * right, 0.5 * front + 0.5 * back, height);
        let half = [0.5 * (right - left), 0.5 * (back - front)];
        let off = |p: &DVec3| {
            let away = *p - center;
            DVec3::new((away.x.abs() - half[0]).max(0.0), (away.y.abs() - half[1]).max(0.0), away.z)
        };
        let radius = local.points.iter().map(|p| rounded_up_length(off(p))).fold(0.0, f64::max);
        Rss { center: axes * center, axes, half, radius: radius + BOUND_SWEPT * local.size }
    }

    /// The corners of the rectangle, in order around it.
    #[must_use]
    pub fn corners(&self) -> [DVec3; 4] {
        let (x, y) = (self.axes.x_axis * self.half[0], self.axes.y_axis * self.half[1]);
        [self.center - x - y, self.center + x - y, self.center + x + y, self.center - x + y]
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The volume with its radius enlarged, rounded up.
    pub(super) fn thickened(&self, by: f64) -> Rss {
        Rss { radius: (self.radius + by) * ROUND_UP, ..*self }
    }

    fn core(&self) -> Core {
        Core::rectangle(self.center, [self.axes.x_axis * self.half[0], self.axes.y_axis * self.half[1]])
    }
}

impl Swept for Rss {
    fn swept(&self) -> (Core, f64) {
        (self.core(), self.radius)
    }
}

impl Sealed for Rss {}

impl Bound for Rss {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> Rss {
        Rss::along(or_origin(corners), principal_axes(corners, how))
    }

    fn merge(a: &Rss, b: &Rss) -> Rss {
        let (corners, radius) = both(a, b);
        Rss::along(&corners, principal_axes(&corners, Fit::Vertices)).thickened(radius)
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    fn overlaps(&self, b: &Rss, pose: &RelativePose) -> bool {
        between(self, b, pose) == 0.0
    }

    fn distance_below(&self, b: &Rss, pose: &RelativePose) -> f64 {
        between(self, b, pose)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        let m = &self.axes;
        Some(longest_first(DVec3::new(self.half[0], self.half[1], 0.0), [m.x_axis, m.y_axis, m.z_axis]))
    }

    fn volume(&self) -> f64 {
        let ([x, y], r) = (self.half, self.radius);
        8.0 * x * y * r + std::f64::consts::PI * r * r * (2.0 * (x + y) + 4.0 / 3.0 * r)
    }

    fn surface(&self) -> f64 {
        let ([x, y], r) = (self.half, self.radius);
        8.0 * x * y + std::f64::consts::PI * r * (4.0 * (x + y) + 4.0 * r)
    }

    fn longest(&self) -> f64 {
        2.0 * (self.half[0].max(self.half[1]) + self.radius)
    }

    fn support(&self, direction: DVec3) -> f64 {
        support(self, direction)
    }

    fn reach(&self) -> f64 {
        reach(self)
    }
}
