//! Spheres swept over a segment: capsules.

use glam::{DMat3, DVec3};

use super::axes::principal_axes;
use super::core_distance::Core;
use super::extent::rounded_up_length;
use super::sealed::Sealed;
use super::swept::{Local, Swept, between, both, drawn_in, or_origin, reach, support};
use super::{Bound, Fit, RelativePose};
use crate::math::tolerances::{BOUND_SWEPT, ROUND_UP};

/// The points within a radius of a segment, which may be a point: a capsule, or *line swept sphere*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lss {
    center: DVec3,
    /// Orthogonal unit vectors, the first along the segment.
    axes: DMat3,
    /// Half the length of the segment.
    half: f64,
    radius: f64,
}

impl Lss {
    /// The segment on the line through the middle along the longest extent; from it the points within the radius.
    pub(super) fn along(points: &[DVec3], axes: DMat3) -> Lss {
        let (local, axes) = Local::new(points, axes);
        let middle = local.middle();
        let squared = |p: &DVec3| (p.y - middle.y).powi(2) + (p.z - middle.z).powi(2);
        let radius_squared = local.points.iter().map(squared).fold(0.0, f64::max);
        let [low, high] = drawn_in(local.points.iter().map(|p| (p.x, (radius_squared - squared(p)).max(0.0).sqrt())));
        let (center, half) = (0.5 * low + 0.5 * high, 0.5 * (high - low));
        let center = DVec3::new(center, middle.y, middle.z);
        let off = |p: &DVec3| {
            let away = *p - center;
            DVec3::new((away.x.abs() - half).max(0.0), away.y, away.z)
        };
        let radius = local.points.iter().map(|p| rounded_up_length(off(p))).fold(0.0, f64::max);
        Lss { center: axes * center, axes, half, radius: radius + BOUND_SWEPT * local.size }
    }

    /// The ends of the segment.
    #[must_use]
    pub fn ends(&self) -> [DVec3; 2] {
        let reach = self.axes.x_axis * self.half;
        [self.center - reach, self.center + reach]
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The volume with its radius enlarged, rounded up.
    pub(super) fn thickened(&self, by: f64) -> Lss {
        Lss { radius: (self.radius + by) * ROUND_UP, ..*self }
    }

    fn core(&self) -> Core {
        let [p, q] = self.ends();
        Core::segment(p, q)
    }
}

impl Swept for Lss {
    fn swept(&self) -> (Core, f64) {
        (self.core(), self.radius)
    }
}

impl Sealed for Lss {}

impl Bound for Lss {
    type Relation = RelativePose;

    fn fit(corners: &[DVec3], how: Fit) -> Lss {
        Lss::along(or_origin(corners), principal_axes(corners, how))
    }

    fn merge(a: &Lss, b: &Lss) -> Lss {
        let (corners, radius) = both(a, b);
        Lss::along(&corners, principal_axes(&corners, Fit::Vertices)).thickened(radius)
    }

    fn relation(pose: &RelativePose) -> RelativePose {
        *pose
    }

    fn overlaps(&self, b: &Lss, pose: &RelativePose) -> bool {
        between(self, b, pose) == 0.0
    }

    fn distance_below(&self, b: &Lss, pose: &RelativePose) -> f64 {
        between(self, b, pose)
    }

    fn axes(&self) -> Option<[DVec3; 3]> {
        let m = &self.axes;
        Some([m.x_axis, m.y_axis, m.z_axis])
    }

    fn volume(&self) -> f64 {
        std::f64::consts::PI * self.radius.powi(2) * (2.0 * self.half + 4.0 / 3.0 * self.radius)
    }

    fn surface(&self) -> f64 {
        std::f64::consts::PI * self.radius * (4.0 * self.half + 4.0 * self.radius)
    }

    fn longest(&self) -> f64 {
        2.0 * (self.half + self.radius)
    }

    fn support(&self, direction: DVec3) -> f64 {
        support(self, direction)
    }

    fn reach(&self) -> f64 {
        reach(self)
    }
}
