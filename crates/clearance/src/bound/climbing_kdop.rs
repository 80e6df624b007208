//! A discrete oriented polytope about a body that turns, updated by climbing on the body's convex hull.
//!
//! After Cohen, Lin, Manocha, Ponamgi, *I-COLLIDE: An Interactive and Exact Collision Detection System for Large-Scale
//! Environments* (1995), for boxes: the vertex farthest along each direction is kept; when the body has turned, one
//! climbs from it to neighbours that are farther, of which only the product with the direction is computed. On a convex
//! polytope a vertex with no better neighbour is the farthest. Departs from the paper in that neighbours are compared
//! exactly where rounding leaves open which is farther: a climb that stops too early would leave points outside.

use std::cmp::Ordering;

use glam::DVec3;

use super::directions::Directions;
use super::extent::rounded_up_length;
use super::kdop::Kdop;
use crate::error::Error;
use crate::geom::hull::{Csr, HullError, convex_hull};
use crate::math::dyadic::Dyadic;
use crate::math::pose::Pose;
use crate::math::predicates::TINY_PRODUCT;
use crate::math::ring::{self, Ring};
use crate::math::tolerances::{BOUND_PRODUCT, CLIMB_PLANE};

/// The hull of a body's points with the vertices that are farthest along the directions of a polytope.
///
/// ```
/// use clearance::{Pose, glam::DVec3};
/// use clearance::index::ClimbingKdop;
///
/// let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
/// let corners: Vec<DVec3> = (0..8).map(corner).collect();
/// let mut cube = ClimbingKdop::<14>::new(&corners)?;
/// for step in 0..100 {
///     let pose = Pose::from_axis_angle(DVec3::Z, 0.05 * f64::from(step), DVec3::X)?;
///     let bound = cube.update(&pose);
///     assert!(corners.iter().all(|&p| pose.transform_point(p).x <= bound.planes()[0]));
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClimbingKdop<const K: usize> {
    vertices: Vec<DVec3>,
    neighbours: Csr,
    /// For each plane the vertex that was the farthest.
    farthest: [u32; K],
    /// Largest distance of a vertex from the origin, rounded up.
    reach: f64,
}

impl<const K: usize> ClimbingKdop<K>
where
    Kdop<K>: Directions,
{
    /// Of the convex hull of points.
    ///
    /// # Errors
    /// [`Error::NoPoints`], [`Error::NotFinite`], [`Error::TooMany`].
    pub fn new(points: &[DVec3]) -> Result<ClimbingKdop<K>, Error> {
        let hull = convex_hull(points).map_err(|error| match error {
            HullError::Empty => Error::NoPoints,
            HullError::NotFinite { index } | HullError::TooLarge { index } => Error::NotFinite { what: "point", index },
            HullError::TooMany => Error::TooMany { what: "points", count: points.len() },
        })?;
        let vertices: Vec<DVec3> = hull.vertices.iter().map(|&v| points[v as usize]).collect();
        let mut lists = vec![Vec::new(); vertices.len()];
        for &[p, q] in &hull.edges {
            lists[p as usize].push(q);
            lists[q as usize].push(p);
        }
        let reach = vertices.iter().map(|&p| rounded_up_length(p)).fold(0.0, f64::max);
        Ok(ClimbingKdop { vertices, neighbours: Csr::from_lists(lists), farthest: [0; K], reach })
    }

    /// The polytope about the body at a pose, rounded outward: it encloses the points `R v + t`.
    pub fn update(&mut self, pose: &Pose) -> Kdop<K> {
        let mut planes = [0.0; K];
        for (k, plane) in planes.iter_mut().enumerate() {
            let direction = Kdop::<K>::direction(k);
            let turned = super::turned_back(&pose.rotation(), direction);
            let vertex = self.climb(self.farthest[k], turned);
            self.farthest[k] = vertex;
            let length = rounded_up_length(direction);
            let shift = direction.dot(pose.translation());
            let off = CLIMB_PLANE * length * self.reach
                + 2.0 * BOUND_PRODUCT * length * rounded_up_length(pose.translation());
            *plane = self.vertices[vertex as usize].dot(turned) + shift + off;
        }
        Kdop::from_planes(planes)
    }

    /// The vertex farthest along a direction, from one that may be near it.
    fn climb(&self, from: u32, direction: DVec3) -> u32 {
        let mut best = from;
        let place = |v: u32| self.vertices[v as usize];
        loop {
            let better = |&&v: &&u32| compare_along(direction, place(v), place(best)) == Ordering::Greater;
            match self.neighbours.get(best as usize).iter().find(better) {
                Some(&farther) => best = farther,
                None => return best,
            }
        }
    }
}

/// How the products of two points with a direction compare, exactly.
fn compare_along(direction: DVec3, p: DVec3, q: DVec3) -> Ordering {
    let difference = direction.dot(p - q);
    let error = BOUND_PRODUCT * direction.abs().dot(p.abs() + q.abs()) + TINY_PRODUCT;
    if difference.abs() > error {
        return difference.total_cmp(&0.0);
    }
    let direction = ring::vector::<Dyadic>(direction);
    let away = ring::subtract(&ring::vector(p), &ring::vector(q));
    ring::dot(&direction, &away).sign().unwrap_or(Ordering::Equal)
}
