//! Any bytes as a URDF file: see `clearance_fuzz::robots`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::robots::check_urdf(data));
