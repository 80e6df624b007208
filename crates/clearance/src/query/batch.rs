//! Many rays, or many points, at once: on all cores with the feature `parallel`.
//!
//! Each answer is that of the single question, to the bit, whatever the number of threads, and answers come in the order of
//! what was asked. Points about a mesh are taken in their order along Morton's curve: neighbours go through the same boxes, which are
//! then still at hand.

use glam::DVec3;

use crate::answer::point::{ClosestPoint, SignedDistance};
use crate::answer::ray::{Ray, RayHit, RayOptions};
use crate::math::pose::Pose;
use crate::parallel::map_brief;
use crate::query::point::{closest_point, contains, signed_distance};
use crate::query::ray::ray_cast_with;
use crate::shape::{Mesh, Shape};

/// How many questions about a point or a ray a thread takes at a time: some tens of microseconds of work.
const TOGETHER: usize = 64;

/// The answers to many questions about points and a mesh, in order.
fn each_by_place<A: Copy + Send + Sync>(
    mesh: &Mesh,
    pose: &Pose,
    points: &[DVec3],
    answer: impl Fn(&DVec3) -> A + Sync + Send,
) -> Vec<A> {
    let bounds = mesh.bounds();
    // Cells of the box about the mesh, 1024 each way. What is beside it, or no number, is at its edge.
    let per_cell = 1024.0 / bounds.size().max(DVec3::splat(f64::MIN_POSITIVE));
    let key = |&point: &DVec3| {
        let cell = (pose.inverse_transform_point(point) - bounds.min) * per_cell;
        cell.to_array().iter().fold(0, |key, &x| key << 1 | spread((x as u64).min(1023)))
    };
    let mut order: Vec<(u64, usize)> = points.iter().map(key).zip(0..).collect();
    order.sort_unstable();
    let found = map_brief(&order, TOGETHER, |&(_, number)| answer(&points[number]));
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &(_, number))| places[number] = place);
    places.iter().map(|&place| found[place]).collect()
}

/// Ten bits, each followed by two zeros.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// [`ray_cast_with`] for many rays: the answers in the order of the rays.
///
/// ```
/// use clearance::{Pose, Ray, RayOptions, Shape, glam::DVec3, ray_cast_batch};
/// let ball = Shape::sphere(1.0)?;
/// let rays = [Ray::new(DVec3::new(0.0, 0.0, 3.0), -DVec3::Z)?, Ray::new(DVec3::new(0.0, 0.0, 3.0), DVec3::Z)?];
/// let hits = ray_cast_batch(&ball, &Pose::IDENTITY, &rays, &RayOptions::default());
/// assert_eq!(hits[0].unwrap().t.value, 2.0);
/// assert!(hits[1].is_none());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn ray_cast_batch(shape: &Shape, pose: &Pose, rays: &[Ray], options: &RayOptions) -> Vec<Option<RayHit>> {
    map_brief(rays, TOGETHER, |ray| ray_cast_with(shape, pose, ray, options))
}

/// [`closest_point`] for many points: the answers in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, closest_point_batch, glam::DVec3};
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let found = closest_point_batch(&cube, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]);
/// assert_eq!((found[0].distance.value, found[1].distance.value), (2.0, 0.0));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn closest_point_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<ClosestPoint> {
    let answer = |&point: &DVec3| closest_point(shape, pose, point);
    match shape {
        Shape::Mesh(mesh) => each_by_place(mesh, pose, points, answer),
        _ => map_brief(points, TOGETHER, answer),
    }
}

/// [`signed_distance`] for many points: the answers in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, glam::DVec3, signed_distance_batch};
/// let ball = Shape::sphere(1.0)?;
/// let found = signed_distance_batch(&ball, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]);
/// assert_eq!((found[0].distance.value, found[1].distance.value), (2.0, -1.0));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn signed_distance_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<SignedDistance> {
    let answer = |&point: &DVec3| signed_distance(shape, pose, point);
    match shape {
        Shape::Mesh(mesh) => each_by_place(mesh, pose, points, answer),
        _ => map_brief(points, TOGETHER, answer),
    }
}

/// [`contains`] for many points: the answers in the order of the points.
///
/// ```
/// use clearance::{Pose, Shape, contains_batch, glam::DVec3};
/// let ball = Shape::sphere(1.0)?;
/// assert_eq!(contains_batch(&ball, &Pose::IDENTITY, &[DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO]), [false, true]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn contains_batch(shape: &Shape, pose: &Pose, points: &[DVec3]) -> Vec<bool> {
    map_brief(points, TOGETHER, |&point| contains(shape, pose, point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for x in 0..1024u64 {
            let expected = (0..10).filter(|bit| x >> bit & 1 == 1).fold(0, |sum, bit| sum | 1 << (3 * bit));
            assert_eq!(spread(x), expected);
        }
    }
}
