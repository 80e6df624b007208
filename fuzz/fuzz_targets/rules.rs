//! Any bytes as a file of rules: see `clearance_fuzz::rules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::rules::check(data));
