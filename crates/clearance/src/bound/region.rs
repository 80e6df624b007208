//! Unbounded or half-bounded regions against volumes: slabs, fat rays, view frustums.
//!
//! Gottschalk, Lin, Manocha, *OBBTree* (SIGGRAPH 1996) treats slabs and fat rays as boxes with infinite extents. Here
//! they are types of their own: an axis of a slab that does not bound it takes part in no test, so that no product of
//! an infinite extent with a rounded zero arises. Frustums are bounded by planes.

use glam::DVec3;

use super::extent::rounded_up_length;
use super::{Bound, Obb, turned_back};
use crate::error::{Error, check_components};
use crate::math::pose::Pose;
use crate::math::tolerances::{BOUND_SLACK, ROUND_UP, SECOND_ORDER};

/// The points between two parallel planes, closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slab {
    normal: DVec3,
    low: f64,
    high: f64,
}

impl Slab {
    /// The points `p` with `low <= normal · p <= high`. The normal need not be of unit length; either end may be
    /// infinite, which makes a half-space.
    ///
    /// # Errors
    /// [`Error::NotFinite`] or [`Error::TooLarge`] for the normal, [`Error::NotFinite`] for an end that is NaN.
    ///
    /// ```
    /// use clearance::glam::DVec3;
    /// use clearance::index::{Aabb, Slab};
    /// let slab = Slab::new(DVec3::X, 2.0, 3.0)?;
    /// assert!(slab.may_meet(&Aabb::new(DVec3::ZERO, DVec3::splat(2.0))));
    /// assert!(!slab.may_meet(&Aabb::new(DVec3::ZERO, DVec3::ONE)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn new(normal: DVec3, low: f64, high: f64) -> Result<Slab, Error> {
        check_components("normal", normal)?;
        match [low, high].iter().position(|end| end.is_nan()) {
            Some(index) => Err(Error::NotFinite { what: "end of a slab", index }),
            None => Ok(Slab { normal, low, high }),
        }
    }

    /// Whether the content of a volume may meet the slab. `false` is proved.
    #[must_use]
    pub fn may_meet(&self, bound: &impl Bound) -> bool {
        bound.support(self.normal) >= self.low && -bound.support(-self.normal) <= self.high
    }
}

/// The points within a radius of a half-line or of a segment, closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FatRay {
    origin: DVec3,
    /// Unit, within rounding.
    direction: DVec3,
    length: f64,
    radius: f64,
}

impl FatRay {
    /// The points within a radius of the half-line from an origin in a direction, which need not be of unit length.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], and [`Error::NotPositive`] for a direction of length zero or a
    /// negative radius.
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3, index::{FatRay, Obb}};
    /// let ray = FatRay::new(DVec3::new(-5.0, 1.2, 0.0), DVec3::X, 0.1)?;
    /// let cube = Obb::new(&Pose::IDENTITY, DVec3::ONE)?;
    /// assert!(!ray.may_meet(&cube) && ray.may_meet(&cube.widened(0.15)));
    /// assert!(!ray.up_to(3.0).may_meet(&cube.widened(0.15)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn new(origin: DVec3, direction: DVec3, radius: f64) -> Result<FatRay, Error> {
        check_components("origin", origin)?;
        check_components("direction", direction)?;
        check_components("radius", DVec3::splat(radius))?;
        let size = direction.abs().max_element();
        if size == 0.0 {
            return Err(Error::NotPositive { what: "length of the direction", value: 0.0 });
        }
        if radius < 0.0 {
            return Err(Error::NotPositive { what: "radius", value: radius });
        }
        Ok(FatRay { origin, direction: (direction / size).normalize(), length: f64::INFINITY, radius })
    }

    /// The ray up to a distance from its origin; a negative or undefined one is 0.
    #[must_use]
    pub fn up_to(&self, length: f64) -> FatRay {
        FatRay { length: length.max(0.0), ..*self }
    }

    /// Whether the content of a box may meet the ray. `false` is proved: by the normals of the box and the cross
    /// products of its axes with the ray.
    #[must_use]
    pub fn may_meet(&self, bound: &Obb) -> bool {
        let apart = self.origin - bound.center();
        let size = (rounded_up_length(apart) + rounded_up_length(bound.half_extents()) + self.radius) * ROUND_UP;
        // Farther along the ray than this there is nothing of the box, so rounding of the direction counts no further.
        let length = self.length.min(size * SECOND_ORDER);
        let axes = bound.rotation();
        let (start, along) = (turned_back(&axes, apart), turned_back(&axes, self.direction));
        let end = start + along * length;
        let half = bound.half_extents() + DVec3::splat(self.radius);
        // The sizes in the derivation of the slack: of the box, of the ray's two ends.
        let slack = BOUND_SLACK * (2.0 * size + rounded_up_length(bound.center()) + rounded_up_length(self.origin));
        let gap = start.min(end).max(-start.max(end)) - half;
        if gap.max_element() > slack {
            return false;
        }
        let (h, a) = (bound.half_extents(), along.abs());
        (0..3).all(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let distance = (start[i] * along[j] - start[j] * along[i]).abs();
            distance - (h[i] * a[j] + h[j] * a[i] + self.radius * a[i].hypot(a[j])) <= slack
        })
    }
}

/// What a camera sees: the points before an eye, between two distances, inside a pyramid. Closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Outward normals with the largest products that points inside have with them.
    planes: [(DVec3, f64); 6],
}

impl Frustum {
    /// What an eye at a pose sees along its negative z axis, between two distances, of which the second may be
    /// infinite, as far to the side as `slopes` times the distance, along its x and y axes.
    ///
    /// # Errors
    /// [`Error::NotPositive`] unless `0 <= near <= far` and both slopes are positive; [`Error::NotFinite`],
    /// [`Error::TooLarge`].
    ///
    /// ```
    /// use clearance::{Pose, glam::DVec3, index::{Aabb, Frustum}};
    /// let view = Frustum::new(&Pose::IDENTITY, [1.0, 0.5], 0.1, 100.0)?;
    /// let cube = |at: DVec3| Aabb::new(at - 0.5, at + 0.5);
    /// assert!(view.may_meet(&cube(DVec3::new(5.2, 0.0, -5.0))));
    /// assert!(!view.may_meet(&cube(DVec3::new(7.0, 0.0, -5.0))) && !view.may_meet(&cube(DVec3::Z)));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn new(eye: &Pose, slopes: [f64; 2], near: f64, far: f64) -> Result<Frustum, Error> {
        let [right, up] = slopes;
        check_components("slope", DVec3::new(right, up, 0.0))?;
        check_components("near distance", DVec3::splat(near))?;
        if far.is_nan() {
            return Err(Error::NotFinite { what: "far distance", index: 0 });
        }
        for (what, value) in [("slope", right), ("slope", up), ("near distance", near), ("far distance", far - near)] {
            if value < 0.0 || what == "slope" && value == 0.0 {
                return Err(Error::NotPositive { what, value });
            }
        }
        let (r, place) = (eye.rotation(), eye.translation());
        let side = |normal: DVec3| {
            let normal = r * normal;
            (normal, normal.dot(place))
        };
        let back = r.z_axis.dot(place);
        let planes = [
            (r.z_axis, back - near),
            (-r.z_axis, far - back),
            side(DVec3::new(1.0, 0.0, right)),
            side(DVec3::new(-1.0, 0.0, right)),
            side(DVec3::new(0.0, 1.0, up)),
            side(DVec3::new(0.0, -1.0, up)),
        ];
        Ok(Frustum { planes })
    }

    /// Outward normals, not of unit length, with the largest products that points of the frustum have with them.
    #[must_use]
    pub fn planes(&self) -> &[(DVec3, f64); 6] {
        &self.planes
    }

    /// Whether the content of a volume may meet the frustum. `false` is proved: one of the planes separates them.
    #[must_use]
    pub fn may_meet(&self, bound: &impl Bound) -> bool {
        self.planes.iter().all(|&(normal, offset)| -bound.support(-normal) <= offset)
    }
}
