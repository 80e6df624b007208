//! Rays and points against every kind of body.

pub(crate) mod advance;
pub(crate) mod cast;
pub(crate) mod height_field;
pub(crate) mod hits;
pub(crate) mod mesh;
pub(crate) mod moving;
pub(crate) mod point;
pub(crate) mod point_mesh;
