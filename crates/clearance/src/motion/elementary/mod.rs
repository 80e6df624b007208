//! First contact of a vertex and a face, or of two edges, whose corners move on straight lines.
//!
//! The elementary tests of Eberle, "Continuous Collision Detection for Deforming Triangle Meshes" (SIGGRAPH course
//! notes). Four solvers share one signature ([`ElementarySolver`]), the pair with its answer (`answer/elementary.rs`)
//! and the [`options`]; [`impact`] calls the selected one. The default uses the [`filter`], then [`certified`] floats,
//! then [`exact`] integers; the polynomials of the first two are in [`forms`]. The others are [`inclusion`], [`cubic`]
//! and [`bisection`]. [`triangles`] asks all pairs of features of two triangles.

pub(crate) mod bisection;
pub(crate) mod certified;
pub(crate) mod cubic;
pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod forms;
pub(crate) mod impact;
pub(crate) mod inclusion;
pub(crate) mod options;
mod triangles;

pub(crate) use filter::FourPairs;
pub(crate) use impact::unfiltered;
pub use impact::{elementary_impact, elementary_impact_batch, elementary_impact_with};
pub use options::{ElementaryOptions, ElementarySolver};
pub use triangles::triangle_impacts;
