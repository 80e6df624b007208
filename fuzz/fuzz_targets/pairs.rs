//! Two convex bodies, every question about them: see `clearance_fuzz::pairs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::pairs::check(data));
