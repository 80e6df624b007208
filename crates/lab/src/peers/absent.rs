//! Stands in for the peers when they are not built: a type without values, so no row can have a peer by mistake.

use crate::models::{Model, PairPlacement};
use clearance::Shape;
use clearance::glam::DVec3;

/// No pair of bodies: parry is not built.
pub enum ParryPair {}

impl ParryPair {
    /// Name and version of the peer.
    pub const NAME: &'static str = "parry3d-f64";

    /// Always `Ok(None)`.
    pub fn new(_: [&Model; 2], _: [&Shape; 2], _: &[PairPlacement]) -> Result<Option<ParryPair>, String> {
        Ok(None)
    }

    /// Never called.
    pub fn distance(&self, _: usize) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn intersects(&self, _: usize) -> bool {
        match *self {}
    }

    /// Never called.
    pub fn contact(&self, _: usize, _: f64) -> Option<f64> {
        match *self {}
    }

    /// Never called.
    pub fn survives(&self, _: f64) -> Result<(), String> {
        match *self {}
    }

    /// Never called.
    pub fn depth_tolerance(&self, _: f64) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn tolerance(&self, _: f64, _: f64) -> f64 {
        match *self {}
    }
}

/// No points: parry is not built.
pub enum ParryPoints {}

impl ParryPoints {
    /// Name and version of the peer.
    pub const NAME: &'static str = ParryPair::NAME;

    /// Always `None`.
    pub fn new(_: &[DVec3]) -> Option<ParryPoints> {
        None
    }

    /// Never called.
    pub fn hull(&self) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), String> {
        match *self {}
    }

    /// Never called.
    pub fn body(&self) -> Result<Vec<DVec3>, String> {
        match *self {}
    }
}

/// Always `None`.
pub fn convex_parts(_: &[[f64; 3]], _: &[[u32; 3]]) -> Option<Vec<Vec<DVec3>>> {
    None
}
