//! Stands in for parry's and obvhs's meshes and trees when they are not built: types without values, so no row can have
//! a peer by mistake.

use super::HOW_TO_ENABLE;
use super::question::{MeshRay, Query, RayHit, TreeCost};
use crate::meshes::Model;
use clearance::glam::DVec3;

/// No pairs of meshes: parry is not built.
pub enum ParryMeshes {}

impl ParryMeshes {
    /// Name and version of the peer.
    pub const NAME: &'static str = "parry3d-f64 0.31";

    /// Always an error.
    pub fn new(_: &[&Model], _: &[Query]) -> Result<ParryMeshes, String> {
        Err(HOW_TO_ENABLE.into())
    }

    /// Never called.
    pub fn builds(&self) -> &[f64] {
        match *self {}
    }

    /// Never called.
    pub fn intersects(&self, _: usize) -> bool {
        match *self {}
    }

    /// Never called.
    pub fn distance(&self, _: usize) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn contact(&self, _: usize, _: f64) -> Option<f64> {
        match *self {}
    }

    /// Never called.
    pub fn first_pair(&self, _: usize) -> bool {
        match *self {}
    }

    /// Never called.
    pub fn count_pairs(&self, _: usize) -> u64 {
        match *self {}
    }

    /// Never called.
    pub fn meeting_pairs(&self, _: usize) -> std::iter::Empty<(u32, u32)> {
        match *self {}
    }
}

/// No mesh: parry is not built.
pub enum ParryMesh {}

impl ParryMesh {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryMeshes::NAME;

    /// Always an error.
    pub fn new(_: &Model, _: &[MeshRay], _: &[DVec3]) -> Result<ParryMesh, String> {
        Err(HOW_TO_ENABLE.into())
    }

    /// Never called.
    pub fn build(&self) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn cast(&self, _: usize) -> Option<RayHit> {
        match *self {}
    }

    /// Never called.
    pub fn nearest(&self, _: usize) -> DVec3 {
        match *self {}
    }
}

/// How parry builds a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParryBuild {
    /// Binned splits from the top, what `TriMesh` uses.
    Binned,
    /// Nearest neighbours joined from the bottom.
    Ploc,
}

/// No tree: parry is not built.
pub enum ParryTree {}

impl ParryTree {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryMeshes::NAME;

    /// Always `None`.
    pub fn new(_: &Model, _: ParryBuild, _: &[MeshRay]) -> Option<ParryTree> {
        None
    }

    /// Never called.
    pub fn cost(&self) -> TreeCost {
        match *self {}
    }

    /// Never called.
    pub fn cast(&self, _: usize) -> Option<RayHit> {
        match *self {}
    }
}

/// How much time obvhs takes to build, by its own presets without splitting triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObvhsBuild {
    /// `fastest_build`.
    Fastest,
    /// `fast_build`.
    Fast,
    /// `medium_build`, meant to take as long as embree.
    Medium,
}

/// No tree: obvhs is not built.
pub enum ObvhsTree {}

impl ObvhsTree {
    /// Name and version of the peer.
    pub const NAME: &'static str = "obvhs 0.4";

    /// Always `None`.
    pub fn new(_: &Model, _: ObvhsBuild, _: bool, _: &[MeshRay]) -> Option<ObvhsTree> {
        None
    }

    /// Never called.
    pub fn cost(&self) -> TreeCost {
        match *self {}
    }

    /// Never called.
    pub fn cast(&self, _: usize) -> Option<RayHit> {
        match *self {}
    }
}
