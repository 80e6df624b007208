//! Any bytes as reports of checks: see `clearance_fuzz::reports`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::reports::check(data));
