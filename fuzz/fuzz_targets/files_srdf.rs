//! Any bytes as an SRDF file: see `clearance_fuzz::robots`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::robots::check_srdf(data));
