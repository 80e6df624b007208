//! Every test of the readers and writers from outside, as one program.

mod bombs;
mod common;
mod compressed;
mod data;
mod gltf;
mod hostile;
mod round_trip;
mod tets;
mod threemf;
