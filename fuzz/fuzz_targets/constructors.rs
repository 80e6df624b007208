//! Any numbers into every constructor: see `clearance_fuzz::constructors`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::constructors::check(data));
