//! Stands in for parry's casts when it is not built: types without values, so no row can have a peer by mistake.

use super::Turn;
use crate::models::Placement;
use clearance::Shape;
use clearance::glam::DVec3;

/// Never asked for: there is no answer to compare.
pub fn time_tolerance(_: f64, _: f64, _: f64) -> f64 {
    0.0
}

/// Never asked for: there is no answer to compare.
pub fn length_tolerance(_: f64, _: f64) -> f64 {
    0.0
}

/// No moving bodies: parry is not built.
pub enum ParryCasts {}

impl ParryCasts {
    /// Always `None`.
    pub fn new(_: [&Shape; 2], _: &[[Placement; 2]], _: &[[DVec3; 2]]) -> Option<ParryCasts> {
        None
    }

    /// Never called.
    pub fn time(&self, _: usize) -> Option<f64> {
        match *self {}
    }
}

/// No rotating bodies: parry is not built.
pub enum ParryTurns {}

impl ParryTurns {
    /// Always `None`.
    pub fn new(_: [&Shape; 2], _: &[[Turn; 2]]) -> Option<ParryTurns> {
        None
    }

    /// Never called.
    pub fn time(&self, _: usize) -> Option<f64> {
        match *self {}
    }
}

/// No body: parry is not built.
pub enum ParryBody {}

impl ParryBody {
    /// Always `None`.
    pub fn new(_: &Shape, _: &[Placement], _: &[[DVec3; 2]], _: &[DVec3]) -> Option<ParryBody> {
        None
    }

    /// Never called.
    pub fn cast(&self, _: usize) -> Option<(f64, DVec3)> {
        match *self {}
    }

    /// Never called.
    pub fn distance(&self, _: usize) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn signed_distance(&self, _: usize) -> f64 {
        match *self {}
    }

    /// Never called.
    pub fn contains(&self, _: usize) -> bool {
        match *self {}
    }
}

/// No terrain: parry is not built.
pub enum ParryTerrain {}

impl ParryTerrain {
    /// Always `None`.
    pub fn new(_: usize, _: &[f32]) -> Option<ParryTerrain> {
        None
    }

    /// Never called.
    pub fn set_rays(&mut self, _: &[[DVec3; 2]]) {
        match *self {}
    }

    /// Never called.
    pub fn cast(&self, _: usize) -> Option<f64> {
        match *self {}
    }
}
