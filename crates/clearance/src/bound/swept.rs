//! Swept spheres: a ball moved over a core, that is, the points within a radius of a point, a segment or a rectangle.
//! What they have in common.
//!
//! Larsen, Gottschalk, Lin, Manocha, *Fast Proximity Queries with Swept Sphere Volumes* (TR99-018, 1999): the core
//! along the principal axes of what it encloses, drawn in at its ends as far as the round border allows. Departs from
//! the paper in that the radius is computed last, from the distance of every point from the core: whatever the core,
//! the volume encloses the points.

use glam::{DMat3, DVec3};

use super::core_distance::{Core, distance_below};
use super::extent::rounded_up_length;
use super::{RelativePose, Sphere, turned_back};
use crate::math::tolerances::{BOUND_PRODUCT, ROUND_UP};

/// Points in the coordinates of a frame, with their extents.
pub(super) struct Local {
    pub points: Vec<DVec3>,
    pub low: DVec3,
    pub high: DVec3,
    /// The largest distance of a point from the origin, rounded up.
    pub size: f64,
}

impl Local {
    /// Never without a point. The axes are ordered by the extents along them.
    pub fn new(points: &[DVec3], axes: DMat3) -> (Local, DMat3) {
        let turned: Vec<DVec3> = points.iter().map(|&p| turned_back(&axes, p)).collect();
        let (mut low, mut high, mut size) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
        for (&q, &p) in turned.iter().zip(points) {
            low = low.min(q);
            high = high.max(q);
            size = size.max(p.abs());
        }
        let mut order = [0, 1, 2];
        let extent = high - low;
        order.sort_by(|&i, &j| extent[j].total_cmp(&extent[i]));
        let ordered = |v: DVec3| DVec3::from_array(order.map(|k| v[k]));
        let axes = DMat3::from_cols(axes.col(order[0]), axes.col(order[1]), axes.col(order[2]));
        let points = turned.into_iter().map(ordered).collect();
        (Local { points, low: ordered(low), high: ordered(high), size: rounded_up_length(size) }, axes)
    }

    pub fn middle(&self) -> DVec3 {
        0.5 * self.low + 0.5 * self.high
    }
}

/// An interval that reaches up to `s` short of each point `x`, and a point where there is room for more than that.
pub(super) fn drawn_in(points: impl Iterator<Item = (f64, f64)>) -> [f64; 2] {
    let [low, high] =
        points.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (x, s)| [low.min(x + s), high.max(x - s)]);
    if low <= high { [low, high] } else { [0.5 * low + 0.5 * high; 2] }
}

/// A volume in terms of its core and its radius.
pub(super) trait Swept {
    fn swept(&self) -> (Core, f64);
}

impl Swept for Sphere {
    fn swept(&self) -> (Core, f64) {
        (Core::point(self.center), self.radius)
    }
}

/// The lower bound of the distance of any two of them.
pub(super) fn between(a: &impl Swept, b: &impl Swept, pose: &RelativePose) -> f64 {
    let ((core_a, radius_a), (core_b, radius_b)) = (a.swept(), b.swept());
    let placed = core_b.map(|p| pose.rotation * p + pose.translation);
    (distance_below(&core_a, &placed) - (radius_a + radius_b) - pose.slack).max(0.0)
}

/// The corners of two cores, and the larger radius: a volume about the corners, thickened by it, encloses both.
pub(super) fn both(a: &impl Swept, b: &impl Swept) -> (Vec<DVec3>, f64) {
    let ((core_a, radius_a), (core_b, radius_b)) = (a.swept(), b.swept());
    (core_a.corners().iter().chain(core_b.corners()).copied().collect(), radius_a.max(radius_b))
}

pub(super) fn support(volume: &impl Swept, direction: DVec3) -> f64 {
    let (core, radius) = volume.swept();
    let length = rounded_up_length(direction);
    let along = core.corners().iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
    along + radius * length + BOUND_PRODUCT * reach(volume) * length
}

pub(super) fn reach(volume: &impl Swept) -> f64 {
    let (core, radius) = volume.swept();
    (core.corners().iter().map(|&p| rounded_up_length(p)).fold(0.0, f64::max) + radius) * ROUND_UP
}

/// The origin, where there are no points.
pub(super) fn or_origin(corners: &[DVec3]) -> &[DVec3] {
    if corners.is_empty() { &[DVec3::ZERO] } else { corners }
}
