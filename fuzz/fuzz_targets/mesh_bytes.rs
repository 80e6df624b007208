//! Any bytes as a stored mesh: see `clearance_fuzz::mesh_bytes`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::mesh_bytes::check(data));
