//! Fuzz targets of the engine and the file readers: each decodes bytes into a query, or reads them as a file, and
//! checks the answer against the contract.
//!
//! A fault is a panic whose message gives the bodies, the poses and the answer in full.

pub mod bodies;
pub mod constructors;
pub mod decode;
pub mod files;
pub mod mesh_bytes;
pub mod motions;
pub mod pairs;
pub mod rays;
pub mod reports;
pub mod robots;
pub mod rules;
pub mod tets;

/// Whether a bracket contains its value; false if any of the three is NaN.
fn ordered(lower: f64, value: f64, upper: f64) -> bool {
    lower <= value && value <= upper
}
