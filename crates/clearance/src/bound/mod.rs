//! Bounding volumes, one file each, and the origin that a body's points are stored relative to.

mod aabb;
mod axes;
mod climbing_kdop;
mod core_distance;
mod directions;
pub(crate) mod extent;
mod kdop;
mod lss;
mod obb;
mod region;
mod relative_pose;
mod rss;
mod sphere;
mod swept;
mod swept_sphere;

use std::fmt;

use glam::{DMat3, DVec3};

pub use aabb::Aabb;
pub use climbing_kdop::ClimbingKdop;
pub use directions::Directions;
pub use kdop::{Kdop, Turned};
pub use lss::Lss;
pub use obb::Obb;
pub use region::{FatRay, Frustum, Slab};
pub use relative_pose::RelativePose;
pub use rss::Rss;
pub use sphere::Sphere;
pub use swept_sphere::{SweptSphere, SweptSpheres};

/// How an oriented volume finds its axes. Other volumes take what concerns them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Fit {
    /// By the mean and the covariance of the corners of triangles: fastest, and misled by many small triangles. A
    /// sphere is grown by Ritter's method.
    Vertices,
    /// By the mean and the covariance of the vertices of the convex hull. A sphere is the smallest one.
    HullVertices,
    /// By the mean and the covariance of the surface of the convex hull, which do not depend on how it is cut into
    /// triangles. A sphere is the smallest one.
    #[default]
    HullSurface,
}

mod sealed {
    /// Keeps [`Bound`](super::Bound) to the volumes of this room.
    pub trait Sealed {}
}

/// A bounding volume: a convex set that encloses the points it was fitted to, exactly.
///
/// Two volumes are compared by way of a [`RelativePose`], the frame of the second in that of the first. What is proved
/// concerns the *contents*: the points as stored in A, and the placed points of B.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::index::{Aabb, Bound, Fit, RelativePose};
/// use clearance::Pose;
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let bound = <Aabb as Bound>::fit(&corners, Fit::default());
/// let away = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
/// let relation = Aabb::relation(&RelativePose::new(&Pose::IDENTITY, &away, bound.reach(), bound.reach()));
/// assert!(!Bound::overlaps(&bound, &bound, &relation));
/// let below = bound.distance_below(&bound, &relation);
/// assert!(below <= 2.0 && below > 2.0 - 1e-12);
/// # Ok::<(), clearance::Error>(())
/// ```
pub trait Bound: sealed::Sealed + Clone + fmt::Debug + Send + Sync + 'static {
    /// What a pair of trees needs once per query, such as the absolute values of a rotation.
    type Relation: Clone + fmt::Debug + Send + Sync;

    /// Encloses the corners, rounded outward. They are three a triangle, in the order of the triangles; without any,
    /// the volume is the origin.
    fn fit(corners: &[DVec3], how: Fit) -> Self;

    /// Encloses two volumes.
    fn merge(a: &Self, b: &Self) -> Self;

    /// What [`Bound::overlaps`] and [`Bound::distance_below`] need to know of the pose. The pose's reaches are at least
    /// the [`Bound::reach`] of every volume compared by it.
    fn relation(pose: &RelativePose) -> Self::Relation;

    /// Whether the contents may have a point in common. `false` is proved.
    fn overlaps(&self, b: &Self, relation: &Self::Relation) -> bool;

    /// A proved lower bound of the distance of the contents, measured in the frame of A; never negative.
    fn distance_below(&self, b: &Self, relation: &Self::Relation) -> f64;

    /// Orthogonal unit vectors along which to split, the longest extent first, where the volume has axes of its own.
    fn axes(&self) -> Option<[DVec3; 3]>;

    /// The volume, for comparisons.
    fn volume(&self) -> f64;

    /// The area of the surface, for comparisons.
    fn surface(&self) -> f64;

    /// The longest extent, for comparisons.
    fn longest(&self) -> f64;

    /// The largest product of one of the volume's points with a vector, rounded up.
    fn support(&self, direction: DVec3) -> f64;

    /// The largest distance of one of the volume's points from the origin of its frame, rounded up.
    fn reach(&self) -> f64;
}

/// Axes in the order of their extents, the longest first; equal ones stay in order.
fn longest_first(extents: DVec3, axes: [DVec3; 3]) -> [DVec3; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| extents[j].total_cmp(&extents[i]));
    order.map(|k| axes[k])
}

/// `Mᵀ v`.
#[inline(always)]
fn turned_back(m: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(m.x_axis.dot(v), m.y_axis.dot(v), m.z_axis.dot(v))
}
