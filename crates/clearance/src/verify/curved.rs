//! Curved cores: their support functions and membership, in double-double arithmetic.

use glam::DVec3;

use crate::geom::closest_convex::closest_by_support;
use crate::math::double_double::{DoubleDouble, DoubleDoubleVec3};
use crate::shape::Feature;
use crate::shape::{Custom, Shape};

/// A curved core about the origin of its body's frame.
pub(crate) enum Round {
    Cylinder { half_length: f64, radius: f64 },
    Cone { half_length: f64, radius: f64 },
    Ellipsoid(DVec3),
    Custom(Custom),
}

/// The larger of two numbers.
fn larger(p: DoubleDouble, q: DoubleDouble) -> DoubleDouble {
    if p > q { p } else { q }
}

fn scaled(v: DoubleDoubleVec3, axes: DVec3) -> DoubleDoubleVec3 {
    DoubleDoubleVec3::new(v.x.mul_f64(axes.x), v.y.mul_f64(axes.y), v.z.mul_f64(axes.z))
}

fn across(v: DoubleDoubleVec3) -> DoubleDouble {
    (v.x * v.x + v.y * v.y).sqrt()
}

impl Round {
    /// The curved core of a shape, if it has one.
    pub fn of(shape: &Shape) -> Option<Round> {
        match shape {
            Shape::Cylinder(c) => Some(Round::Cylinder { half_length: c.half_length(), radius: c.radius() }),
            Shape::Cone(c) => Some(Round::Cone { half_length: c.half_length(), radius: c.radius() }),
            Shape::Ellipsoid(ellipsoid) => Some(Round::Ellipsoid(ellipsoid.semi_axes())),
            Shape::Custom(custom) => Some(Round::Custom(custom.clone())),
            _ => None,
        }
    }

    /// Surface points that are extreme along some axis.
    pub fn outposts(&self) -> Vec<DVec3> {
        let ring = |radius: f64, height: f64| {
            [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(x, y)| DVec3::new(x * radius, y * radius, height))
        };
        match self {
            Round::Cylinder { half_length, radius } => {
                [ring(*radius, -half_length), ring(*radius, *half_length)].concat()
            }
            Round::Cone { half_length, radius } => {
                let mut points = ring(*radius, -half_length).to_vec();
                points.push(DVec3::new(0.0, 0.0, *half_length));
                points
            }
            Round::Ellipsoid(axes) => DVec3::AXES.iter().flat_map(|unit| [*unit * *axes, -*unit * *axes]).collect(),
            Round::Custom(custom) => {
                DVec3::AXES.iter().flat_map(|unit| [custom.support(*unit), custom.support(-*unit)]).collect()
            }
        }
    }

    /// The maximum of `direction · x` over the core.
    pub fn support(&self, direction: DoubleDoubleVec3) -> DoubleDouble {
        match self {
            Round::Cylinder { half_length, radius } => {
                direction.z.abs().mul_f64(*half_length) + across(direction).mul_f64(*radius)
            }
            Round::Cone { half_length, radius } => {
                let along = direction.z.mul_f64(*half_length);
                larger(along, across(direction).mul_f64(*radius) - along)
            }
            Round::Ellipsoid(axes) => scaled(direction, *axes).length(),
            Round::Custom(custom) => {
                let rounded = direction.to_vec3();
                let point = DoubleDoubleVec3::from(custom.support(rounded));
                // The body was evaluated along a rounded direction, whose length also scales the slack.
                let bounds = custom.bounds();
                let size = bounds.min.abs().max(bounds.max.abs()).length();
                let rest = (custom.slack() + 4.0 * f64::EPSILON * size) * rounded.length();
                direction.dot(point) + DoubleDouble::from(rest * (1.0 + 1e-14))
            }
        }
    }

    /// A core point close to the support point along `direction`, rounded.
    pub fn support_point(&self, direction: DVec3) -> DVec3 {
        let ring = |radius: f64, height: f64| {
            let out = DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero() * radius;
            DVec3::new(out.x, out.y, height)
        };
        match self {
            Round::Cylinder { half_length, radius } => ring(*radius, half_length.copysign(direction.z)),
            Round::Cone { half_length, radius } => {
                let (apex, rim) = (DVec3::new(0.0, 0.0, *half_length), ring(*radius, -half_length));
                if apex.dot(direction) > rim.dot(direction) { apex } else { rim }
            }
            Round::Ellipsoid(axes) => *axes * (*axes * direction).normalize_or_zero(),
            Round::Custom(custom) => custom.support(direction),
        }
    }

    /// The point of the core nearest to `point`, rounded.
    fn nearest(&self, point: DVec3) -> DVec3 {
        let out = point.truncate().length();
        match self {
            Round::Cone { half_length, radius } if point.z > -half_length => {
                // In the half-plane through the axis: the slope, from the rim to the apex, or the interior.
                let slant = DVec3::new(-radius, 0.0, 2.0 * half_length);
                let from = DVec3::new(out - radius, 0.0, point.z + half_length);
                if slant.z * from.x - slant.x * from.z <= 0.0 {
                    return point;
                }
                let t = (from.dot(slant) / slant.dot(slant)).clamp(0.0, 1.0);
                let on_slope = radius * (1.0 - t);
                let factor = if out > 0.0 { on_slope / out } else { 0.0 };
                DVec3::new(point.x * factor, point.y * factor, half_length * (2.0 * t - 1.0))
            }
            Round::Ellipsoid(axes) => {
                let squares = *axes * *axes;
                let excess = |t: f64| (*axes * point / (squares + t)).length_squared() - 1.0;
                if excess(0.0) <= 0.0 {
                    return point;
                }
                // The multiplier of the nearest point: the excess decreases with it, and is negative at the upper end.
                let (mut low, mut high) = (0.0, (*axes * point).length());
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    if excess(middle) > 0.0 { low = middle } else { high = middle }
                }
                squares * point / (squares + high)
            }
            // A combination of its support points; the point itself, if it is inside up to slack and rounding.
            Round::Custom(custom) => {
                let bounds = custom.bounds();
                let towards = point - bounds.center();
                let start = custom.support(if towards == DVec3::ZERO { DVec3::X } else { towards });
                let near =
                    closest_by_support(point, start, custom.slack(), |direction| custom.support(direction)).point;
                let size = bounds.min.abs().max(bounds.max.abs()).length();
                if near.distance(point) <= 4.0 * custom.slack() + 16.0 * f64::EPSILON * size { point } else { near }
            }
            _ => point,
        }
    }

    /// A point of the core near `point`: `point` itself if it belongs to the core.
    pub fn inside(&self, point: DVec3) -> DoubleDoubleVec3 {
        let point = self.nearest(point);
        let given = DoubleDoubleVec3::from(point);
        let zero = DoubleDouble::from(0.0);
        let ring = |radius: DoubleDouble, height: DoubleDouble| {
            let out = across(given);
            let factor = if out > radius { radius / out } else { DoubleDouble::from(1.0) };
            DoubleDoubleVec3::new(given.x * factor, given.y * factor, height)
        };
        match self {
            Round::Cylinder { half_length, radius } => {
                let height = point.z.clamp(-half_length, *half_length);
                ring(DoubleDouble::from(*radius), DoubleDouble::from(height))
            }
            Round::Cone { half_length, radius } => {
                let height = DoubleDouble::from(point.z.clamp(-half_length, *half_length));
                let left = DoubleDouble::from(*half_length) - height;
                let room = left.mul_f64(*radius) / DoubleDouble::from(2.0 * half_length);
                ring(larger(room, zero), height)
            }
            Round::Ellipsoid(axes) => {
                let unit = DoubleDoubleVec3::new(
                    given.x / DoubleDouble::from(axes.x),
                    given.y / DoubleDouble::from(axes.y),
                    given.z / DoubleDouble::from(axes.z),
                );
                let length = unit.length();
                let one = DoubleDouble::from(1.0);
                if length > one { given.scale(one / length) } else { given }
            }
            Round::Custom(_) => given,
        }
    }

    /// A lower bound on the depth of a point in the core, in the body's frame; `own` is a surface point near it.
    pub fn depth_of(&self, point: DVec3, own: DVec3) -> f64 {
        let given = DoubleDoubleVec3::from(point);
        match self {
            Round::Cylinder { half_length, radius } => {
                let side = DoubleDouble::from(*radius) - across(given);
                let end = half_length - point.z.abs();
                side.to_f64().min(end)
            }
            Round::Cone { half_length, radius } => {
                let (h, r) = (DoubleDouble::from(*half_length), DoubleDouble::from(*radius));
                let slant = (h.mul_f64(2.0) * h.mul_f64(2.0) + r * r).sqrt();
                let side = ((h - given.z) * r - across(given) * h.mul_f64(2.0)) / slant;
                side.to_f64().min((given.z + h).to_f64())
            }
            Round::Ellipsoid(axes) => {
                // A sphere of the smallest radius of curvature, tangent at a surface point (Blaschke 1916).
                let (least, most) = (axes.min_element(), axes.max_element());
                let room = least * (least / most) * (1.0 - 4.0 * f64::EPSILON);
                let unit = DoubleDoubleVec3::new(
                    DoubleDouble::from(own.x) / DoubleDouble::from(axes.x),
                    DoubleDouble::from(own.y) / DoubleDouble::from(axes.y),
                    DoubleDouble::from(own.z) / DoubleDouble::from(axes.z),
                );
                let unit = unit.scale(DoubleDouble::from(1.0) / unit.length());
                let surface = scaled(unit, *axes);
                let normal = DoubleDoubleVec3::new(
                    unit.x / DoubleDouble::from(axes.x),
                    unit.y / DoubleDouble::from(axes.y),
                    unit.z / DoubleDouble::from(axes.z),
                );
                let normal = normal.scale(DoubleDouble::from(1.0) / normal.length());
                let center = surface - normal.scale(DoubleDouble::from(room));
                (DoubleDouble::from(room) - (given - center).length()).to_f64()
            }
            // No deeper than the surface is all that can be shown here.
            Round::Custom(custom) => -self.nearest(point).distance(point) - custom.slack(),
        }
    }

    /// Distance from a point to a feature; `None` if there is no such feature.
    pub fn distance_to(&self, feature: Feature, point: DVec3) -> Option<f64> {
        let out = point.truncate().length();
        let disc = |radius: f64, height: f64| ((out - radius).max(0.0)).hypot(point.z - height);
        let rim = |radius: f64, height: f64| (out - radius).hypot(point.z - height);
        match (self, feature) {
            (Round::Cylinder { half_length, radius }, Feature::Face(0)) => Some(disc(*radius, -half_length)),
            (Round::Cylinder { half_length, radius }, Feature::Face(1)) => Some(disc(*radius, *half_length)),
            (Round::Cylinder { half_length, radius }, Feature::Face(2)) => {
                Some((out - radius).hypot((point.z.abs() - half_length).max(0.0)))
            }
            (Round::Cylinder { half_length, radius }, Feature::Edge(0)) => Some(rim(*radius, -half_length)),
            (Round::Cylinder { half_length, radius }, Feature::Edge(1)) => Some(rim(*radius, *half_length)),
            (Round::Cone { half_length, radius }, Feature::Face(0)) => Some(disc(*radius, -half_length)),
            (Round::Cone { half_length, radius }, Feature::Face(1)) => {
                let slant = DVec3::new(-radius, 0.0, 2.0 * half_length);
                let from = DVec3::new(out - radius, 0.0, point.z + half_length);
                let t = (from.dot(slant) / slant.dot(slant)).clamp(0.0, 1.0);
                Some((from - slant * t).length())
            }
            (Round::Cone { half_length, radius }, Feature::Edge(0)) => Some(rim(*radius, -half_length)),
            (Round::Cone { half_length, .. }, Feature::Vertex(0)) => {
                Some(point.distance(DVec3::new(0.0, 0.0, *half_length)))
            }
            (Round::Ellipsoid(axes), Feature::Face(0)) if (point / *axes).length_squared() > 1.0 => {
                Some(point.distance(self.nearest(point)))
            }
            (Round::Ellipsoid(axes), Feature::Face(0)) => {
                let unit = (point / *axes).length();
                let radial = (point - point / unit.max(f64::MIN_POSITIVE)).length();
                // The square of `unit` is convex: uphill along its gradient the surface is no farther than this. For a
                // flat ellipsoid that is much less than the radial distance.
                let uphill = (1.0 - unit * unit) / (2.0 * (point / *axes / *axes).length());
                Some(radial.min(uphill))
            }
            (Round::Custom(_), Feature::Face(0)) => Some(self.nearest(point).distance(point)),
            _ => None,
        }
    }
}
