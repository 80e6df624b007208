//! Two bodies at many poses, and what is kept between questions about them: shared by the races of convex bodies.

use crate::contract::Pair;
use crate::models::{Model, PairPlacement};
use clearance::{PairCache, Pose, Shape, Workspace};

/// A pair of bodies at many poses, in the engine's terms.
pub struct Scene {
    /// The bodies.
    pub shapes: [Shape; 2],
    /// Their poses, query by query.
    pub poses: Vec<[Pose; 2]>,
    /// Whether the poses follow a path, so that a cache helps.
    pub coherent: bool,
}

impl Scene {
    /// The bodies at these placements.
    pub fn new(models: &[Model; 2], placements: &[PairPlacement], coherent: bool) -> Result<Scene, clearance::Error> {
        let poses = placements.iter().map(|place| Ok([place.a.pose()?, place.b.pose()?])).collect::<Result<_, _>>()?;
        Ok(Scene { shapes: [models[0].shape()?, models[1].shape()?], poses, coherent })
    }

    /// The pair at one pose.
    pub fn pair(&self, number: usize) -> Pair<'_> {
        let ([a, b], [pose_a, pose_b]) = (&self.shapes, &self.poses[number]);
        Pair { a, pose_a, b, pose_b }
    }
}

/// What is kept between the queries of a coherent row.
#[derive(Default)]
pub struct Memory {
    /// Of the pair.
    pub cache: PairCache,
    /// Of the thread.
    pub workspace: Workspace,
}
