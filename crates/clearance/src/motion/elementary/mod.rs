//! A vertex and a face, or two edges, whose corners move on straight lines: when do they first touch?
//!
//! The elementary tests of Eberle, "Continuous Collision Detection for Deforming Triangle Meshes" (SIGGRAPH course
//! notes). Four ways stand behind one signature ([`ElementarySolver`]). What they have in common is the pair with its
//! answer (`answer/elementary.rs`) and the [`options`]; [`impact`] asks the one that is wanted. The default goes by the [`filter`], then by
//! [`certified`] floats, then by [`exact`] integers; the polynomials of the first two are in [`forms`]. The others are
//! [`inclusion`], [`cubic`] and [`bisection`].

pub(crate) mod bisection;
pub(crate) mod certified;
pub(crate) mod cubic;
pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod forms;
pub(crate) mod impact;
pub(crate) mod inclusion;
pub(crate) mod options;

pub(crate) use filter::FourPairs;
pub(crate) use impact::unfiltered;
pub use impact::{elementary_impact, elementary_impact_batch, elementary_impact_with};
pub use options::{ElementaryOptions, ElementarySolver};
