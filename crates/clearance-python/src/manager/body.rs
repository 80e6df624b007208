//! A body of a collision manager, and the signed distance of two.

use clearance::answer::Witness;
use clearance::glam::DVec3;
use clearance::query::DistanceOptions;
use clearance::shape::Aabb;
use clearance::{PairCache, Pose, QueryError, Shape};
use pyo3::prelude::*;

use crate::error::refused_pair;
use crate::pair::with_workspace;

/// By how much a box is wider than what it bounds, relative to its coordinates: more than the difference of two of them
/// and the root of a sum of squares round.
const ROOM: f64 = 1e-12;

/// A body with its pose.
pub struct Body {
    pub shape: Shape,
    /// A solid, which has a depth.
    pub is_convex: bool,
    pub pose: Pose,
    /// Bodies that were added earlier have lower numbers.
    pub order: u64,
    /// The bodies that it is known to meet.
    pub meets: Vec<u32>,
}

impl Body {
    pub fn bounds(&self) -> Aabb {
        let bounds = self.shape.bounds().posed(&self.pose);
        let room = DVec3::splat(ROOM * bounds.min.abs().max(bounds.max.abs()).max_element());
        Aabb::new(bounds.min - room, bounds.max + room)
    }

    pub fn meets(&self, other: &Body) -> bool {
        clearance::intersects(&self.shape, &self.pose, &other.shape, &other.pose)
    }

    /// The distance; less than zero by the depth if both are solids. Only a bound of it if that is above `best`.
    fn signed_distance(&self, other: &Body, best: f64) -> Result<Known, QueryError> {
        let ask = |options: &DistanceOptions| {
            with_workspace(|workspace| {
                let cache = &mut PairCache::default();
                clearance::query::distance_with(
                    &self.shape,
                    &self.pose,
                    &other.shape,
                    &other.pose,
                    options,
                    cache,
                    workspace,
                )
            })
        };
        let in_world = |witness: &Witness| {
            [self.pose.transform_point(witness.a.point), other.pose.transform_point(witness.b.point)]
        };
        if self.is_convex && other.is_convex {
            if !self.meets(other) {
                let found = ask(&DistanceOptions::default());
                return Ok(Known::Is(Measured { value: found.gap.value, points: Some(in_world(&found.witness)) }));
            }
            let deep = clearance::penetration(&self.shape, &self.pose, &other.shape, &other.pose)?;
            return Ok(Known::Is(Measured { value: -deep.depth.value, points: Some(in_world(&deep.witness)) }));
        }
        if best.is_finite() {
            let options = DistanceOptions { farther_than: Some(best), ..DistanceOptions::default() };
            let gap = ask(&options).gap;
            if gap.lower > best {
                return Ok(Known::AtLeast(gap.lower));
            }
            // Other distances are measured in full: their last bits must not depend on what is best so far.
            if gap.value == 0.0 {
                return Ok(Known::Is(Measured { value: 0.0, points: None }));
            }
        }
        Ok(Known::Is(Measured { value: ask(&DistanceOptions::default()).gap.value, points: None }))
    }
}

/// A signed distance, and of two solids a point of each that attains it, in the world.
#[derive(Clone, Copy)]
pub struct Measured {
    pub value: f64,
    pub points: Option<[DVec3; 2]>,
}

/// What is known about a signed distance.
#[derive(Clone, Copy)]
pub enum Known {
    Is(Measured),
    AtLeast(f64),
}

/// Two bodies whose depth the engine refused.
pub struct Failure(Box<(QueryError, [Shape; 2])>);

impl Failure {
    fn of(error: QueryError, a: &Body, b: &Body) -> Failure {
        Failure(Box::new((error, [a.shape.clone(), b.shape.clone()])))
    }

    pub fn raised(&self, py: Python<'_>) -> PyErr {
        let (error, [a, b]) = &*self.0;
        refused_pair(py, error, a, b)
    }
}

/// The signed distance of two bodies, or a bound of it if that is above `best`.
pub fn measured(a: &Body, b: &Body, best: f64) -> Result<Known, Failure> {
    a.signed_distance(b, best).map_err(|error| Failure::of(error, a, b))
}
