//! Rays and points against one body: see `clearance_fuzz::rays`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::rays::check(data));
