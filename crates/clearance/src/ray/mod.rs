//! Rays and points against every kind of body.

pub(crate) mod advance;
pub(crate) mod cast;
pub(crate) mod containment;
pub(crate) mod crossing;
pub(crate) mod formula;
pub(crate) mod height_field;
pub(crate) mod hits;
pub(crate) mod mesh;
pub(crate) mod moving;
pub(crate) mod planes;
pub(crate) mod point;
pub(crate) mod point_compound;
pub(crate) mod point_convex;
pub(crate) mod point_custom;
pub(crate) mod point_mesh;
pub(crate) mod point_polytope;
pub(crate) mod scratch;
