//! A point against a cylinder or a cone, by formula: the piece of surface that is nearest, inside or outside.
//!
//! Both are bodies of revolution, so all is decided in the half plane through the axis and the point: across the axis and along
//! it. There the body is a rectangle or a triangle, and the point faces a side or a corner of it. The direction is put together in
//! that plane too. So what is along the axis or around it keeps all its digits however small the gap is; and a corner is
//! told from a side by the very differences that the direction consists of, so the direction belongs to the corner's normals but
//! for `2u`, and the plane across it passes through the corner.
//!
//! Inside a cone is what is below the side, above the base, and in the box about it. Without the last a point beside the rim of a
//! flat one, or above the apex of a slender one, could be taken for one below the side: far out it is not far above the side.

use glam::{DVec2, DVec3};

use super::core::{AnyCore, Smooth};
use super::gjk::Pair;
use super::patch::SurfacePatch;
use super::smooth::Sampled;

/// The piece of a curved core nearest a point of its frame, the nearest point, and the outward direction there; rounded.
pub(super) struct Facing {
    pub piece: SurfacePatch,
    /// Of the surface, off it by `6u` of the core's extent.
    pub point: DVec3,
    /// Of unit length but for `6u`.
    pub outward: DVec3,
    /// The signed distance, negative inside, off by at most `8u` of the core's extent and the point's distance from the origin.
    /// The distance from the axis is off by `2u`, what is beyond a side or disc by `u` more; a corner adds a norm, `3u`. Beside
    /// the side of a cone: the two products are off by `3u` and `2u` before they are divided by the slant height, together by `3u` of the distance
    /// from the apex; sum, slant height and quotient by `4u`. Where rounding decides between two pieces, their distances
    /// differ by less.
    pub length: f64,
}

/// Points nearer to the axis than this have no direction from it: squares below the range of numbers.
const ON_AXIS: f64 = 1e-100;

impl Pair<'_, Sampled<'_>, Sampled<'_>> {
    /// The piece of B that the core of A, a point, faces. `None` if there is no formula.
    pub(super) fn facing(&self) -> Option<Facing> {
        let (AnyCore::Point, AnyCore::Smooth(smooth)) = (self.a.core, self.b.core) else { return None };
        facing(&smooth, self.placement.turn_back(-self.placement.translation))
    }
}

/// The piece of a curved core that a point of its frame faces. `None` if there is no formula.
#[inline(always)]
pub(super) fn facing(smooth: &Smooth<'_>, point: DVec3) -> Option<Facing> {
    match *smooth {
        Smooth::Cylinder { half_length, radius } => Some(of_cylinder(point, half_length, radius)),
        Smooth::Cone { half_length, radius } => Some(of_cone(point, half_length, radius)),
        _ => None,
    }
}

/// A point seen from the axis of a body of revolution.
struct Profile {
    /// Its distance from the axis.
    across: f64,
    /// The unit vector from the axis to it, any one on the axis.
    around: DVec2,
}

impl Profile {
    #[inline(always)]
    fn of(p: DVec3) -> Profile {
        let across = (p.x * p.x + p.y * p.y).sqrt();
        let around = if across > ON_AXIS { DVec2::new(p.x, p.y) * (1.0 / across) } else { DVec2::X };
        Profile { across, around }
    }

    /// The vector with this much across the axis and along it.
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
    // From the rim and from the apex, across and along the axis.
    let (out, up, over) = (across - radius, p.z + half_length, p.z - half_length);
    // Out of the side, and below the base.
    let (beside, below) = ((tall * across + radius * over) * inverse_slant, -up);
    if out <= 0.0 && below >= beside.min(0.0) {
        return Facing {
            piece: SurfacePatch::Disc { height: -half_length, radius },
            point: p.with_z(-half_length),
            outward: DVec3::NEG_Z,
            length: below,
        };
    }
    // How far up the side, from the rim and from the apex, times the slant height.
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
