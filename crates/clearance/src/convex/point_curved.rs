//! A point against a cylinder or a cone, in closed form: the nearest piece of surface, from inside or outside.
//!
//! Both are bodies of revolution, so everything is decided in the half plane through the axis and the point: radial and
//! axial coordinates. There the body is a rectangle or a triangle, and the point faces a side or a corner of it. The
//! direction is composed in that plane too. So axial and tangential components keep all their digits however small the
//! gap is; and a corner is distinguished from a side by the very differences that make up the direction, so the
//! direction belongs to the corner's normal cone within `2u`, and the plane perpendicular to it passes through the
//! corner.
//!
//! A point is inside a cone if it is below the side, above the base, and in the bounding box. Without the last
//! condition a point beside the rim of a flat cone, or above the apex of a slender one, could be classified as below
//! the side: far out it is not far above the side.

use glam::{DVec2, DVec3};

use super::core::{AnyCore, Smooth};
use super::gjk::Pair;
use super::patch::SurfacePatch;
use super::smooth::Sampled;
use crate::math::tolerances::REVOLUTION_ON_AXIS;

/// The piece of a curved core nearest a point of its frame, the nearest point, and the outward direction there;
/// rounded.
pub(super) struct Facing {
    pub piece: SurfacePatch,
    /// On the surface within `6u` of the core's extent.
    pub point: DVec3,
    /// Of unit length within `6u`.
    pub outward: DVec3,
    /// The signed distance, negative inside, off by at most `8u` of the core's extent and the point's distance from the
    /// origin. The distance from the axis is off by `2u`, the excess over a side or disc by `u` more; a corner adds a
    /// norm, `3u`. Beside the side of a cone: the two products are off by `3u` and `2u` before they are divided by the
    /// slant height, together by `3u` of the distance from the apex; sum, slant height and quotient by `4u`. Where
    /// rounding decides between two pieces, their distances differ by less.
    pub length: f64,
}

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// The piece of B faced by the core of A, a point. `None` if there is no closed form.
    pub(super) fn facing(&self) -> Option<Facing> {
        let (AnyCore::Point, AnyCore::Smooth(smooth)) = (self.a.core, self.b.core) else { return None };
        facing(&smooth, self.placement.turn_back(-self.placement.translation))
    }
}

/// The piece of a curved core that a point of its frame faces. `None` if there is no closed form.
#[inline(always)]
pub(super) fn facing(smooth: &Smooth<'_>, point: DVec3) -> Option<Facing> {
    match *smooth {
        Smooth::Cylinder { half_length, radius } => Some(of_cylinder(point, half_length, radius)),
        Smooth::Cone { half_length, radius } => Some(of_cone(point, half_length, radius)),
        _ => None,
    }
}

/// A point in the half plane of a body of revolution.
struct Profile {
    /// Its distance from the axis.
    across: f64,
    /// The radial unit vector towards it; arbitrary on the axis.
    around: DVec2,
}

impl Profile {
    #[inline(always)]
    fn of(p: DVec3) -> Profile {
        let across = (p.x * p.x + p.y * p.y).sqrt();
        let around = if across > REVOLUTION_ON_AXIS { DVec2::new(p.x, p.y) * (1.0 / across) } else { DVec2::X };
        Profile { across, around }
    }

    /// The vector with these radial and axial components.
    #[inline(always)]
    fn vector(&self, across: f64, along: f64) -> DVec3 {
        DVec3::new(self.around.x * across, self.around.y * across, along)
    }
}

#[inline(always)]
fn of_cylinder(p: DVec3, half_length: f64, radius: f64) -> Facing {
    let profile = Profile::of(p);
    let (beside, beyond) = (profile.across - radius, p.z.abs() - half_length);
    let (height, up) = (half_length.copysign(p.z), 1f64.copysign(p.z));
    if beside > 0.0 && beyond > 0.0 {
        let length = (beside * beside + beyond * beyond).sqrt();
        let inverse = 1.0 / length;
        return Facing {
            piece: SurfacePatch::Rim { height, radius },
            point: profile.vector(radius, height),
            outward: profile.vector(beside * inverse, beyond * (up * inverse)),
            length,
        };
    }
    if beside > beyond {
        return Facing {
            piece: SurfacePatch::Tube { half_length, radius },
            point: profile.vector(radius, p.z),
            outward: profile.vector(1.0, 0.0),
            length: beside,
        };
    }
    let outward = DVec3::new(0.0, 0.0, up);
    Facing { piece: SurfacePatch::Disc { height, radius }, point: p.with_z(height), outward, length: beyond }
}

#[inline(always)]
fn of_cone(p: DVec3, half_length: f64, radius: f64) -> Facing {
    let profile = Profile::of(p);
    let (across, tall) = (profile.across, 2.0 * half_length);
    let squared = tall * tall + radius * radius;
    let inverse_slant = 1.0 / squared.sqrt();
    // Relative to the rim and to the apex, radially and axially.
    let (out, up, over) = (across - radius, p.z + half_length, p.z - half_length);
    // Signed distances from the side and below the base.
    let (beside, below) = ((tall * across + radius * over) * inverse_slant, -up);
    if out <= 0.0 && below >= beside.min(0.0) {
        return Facing {
            piece: SurfacePatch::Disc { height: -half_length, radius },
            point: p.with_z(-half_length),
            outward: DVec3::NEG_Z,
            length: below,
        };
    }
    // Position along the side, from the rim and from the apex, times the slant height.
    let (from_rim, from_apex) = (up * tall - out * radius, over * tall - across * radius);
    if out > 0.0 && from_rim <= 0.0 {
        let length = (out * out + up * up).sqrt();
        let inverse = 1.0 / length;
        return Facing {
            piece: SurfacePatch::Rim { height: -half_length, radius },
            point: profile.vector(radius, -half_length),
            outward: profile.vector(out * inverse, up * inverse),
            length,
        };
    }
    if over > 0.0 && from_apex >= 0.0 {
        let apex = DVec3::new(0.0, 0.0, half_length);
        let length = (across * across + over * over).sqrt();
        let inverse = 1.0 / length;
        return Facing {
            piece: SurfacePatch::Point(apex),
            point: apex,
            outward: profile.vector(across * inverse, over * inverse),
            length,
        };
    }
    let fraction = (from_rim / squared).clamp(0.0, 1.0);
    Facing {
        piece: SurfacePatch::Slope { half_length, radius },
        point: profile.vector(radius * (1.0 - fraction), half_length * (2.0 * fraction - 1.0)),
        outward: profile.vector(tall * inverse_slant, radius * inverse_slant),
        length: beside,
    }
}
