//! A point against a cylinder or a cone, by formula: the piece of surface that is nearest, inside or outside.
//!
//! The formula only proposes the piece; what it proves is judged like any other guess, see [`smooth`](super::smooth).

use glam::DVec3;

use super::core::{AnyCore, Smooth};
use super::gjk::Pair;
use super::patch::Piece;
use super::smooth::Sampled;

/// The piece of a curved core nearest a point of its frame, the nearest point, and the outward direction there; rounded.
pub(super) struct Facing {
    pub piece: Piece,
    pub point: DVec3,
    pub outward: DVec3,
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// The piece of B that the core of A, a point, faces. `None` if there is no formula.
    pub(super) fn facing(&self) -> Option<Facing> {
        let (AnyCore::Point, AnyCore::Smooth(smooth)) = (self.a.core, self.b.core) else { return None };
        let p = self.placement.turn_back(-self.placement.translation);
        match smooth {
            Smooth::Cylinder { half_length, radius } => Some(of_cylinder(p, half_length, radius)),
            Smooth::Cone { half_length, radius } => Some(of_cone(p, half_length, radius)),
            _ => None,
        }
    }
}

/// A point given by its distance from the axis and its height, on the side of `p`.
fn at(p: DVec3, across: f64, height: f64) -> DVec3 {
    let around = DVec3::new(p.x, p.y, 0.0).try_normalize().unwrap_or(DVec3::X);
    around * across + DVec3::Z * height
}

fn of_cylinder(p: DVec3, half_length: f64, radius: f64) -> Facing {
    let across = p.truncate().length();
    let (beside, beyond) = (across - radius, p.z.abs() - half_length);
    let height = half_length.copysign(p.z);
    let (piece, point) = if beside > 0.0 && beyond > 0.0 {
        (Piece::Rim { height, radius }, at(p, radius, height))
    } else if beside > beyond {
        (Piece::Tube { half_length, radius }, at(p, radius, p.z))
    } else {
        (Piece::Disc { height, radius }, p.with_z(height))
    };
    let outward = match piece {
        Piece::Rim { .. } => p - point,
        Piece::Tube { .. } => at(p, 1.0, 0.0),
        _ => DVec3::Z * height,
    };
    Facing { piece, point, outward }
}

fn of_cone(p: DVec3, half_length: f64, radius: f64) -> Facing {
    let across = p.truncate().length();
    let slant = (4.0 * half_length * half_length + radius * radius).sqrt();
    // Out of the side, and below the base.
    let beside = (2.0 * half_length * across - (half_length - p.z) * radius) / slant;
    let below = -half_length - p.z;
    let base = Facing {
        piece: Piece::Disc { height: -half_length, radius },
        point: p.with_z(-half_length),
        outward: DVec3::NEG_Z,
    };
    if beside <= 0.0 && below <= 0.0 {
        if below >= beside {
            return base;
        }
    } else if below > 0.0 && across <= radius {
        return base;
    }
    // Along the side, from the rim to the apex.
    let along = ((radius - across) * radius + (p.z + half_length) * (2.0 * half_length)) / (slant * slant);
    let height = half_length * (2.0 * along.clamp(0.0, 1.0) - 1.0);
    let point = at(p, radius * (1.0 - along.clamp(0.0, 1.0)), height);
    let piece = if along <= 0.0 {
        Piece::Rim { height: -half_length, radius }
    } else if along >= 1.0 {
        Piece::Point(DVec3::Z * half_length)
    } else {
        Piece::Slope { half_length, radius }
    };
    let outward = match piece {
        Piece::Slope { .. } => at(p, 2.0 * half_length, radius),
        _ => p - point,
    };
    Facing { piece, point, outward }
}
