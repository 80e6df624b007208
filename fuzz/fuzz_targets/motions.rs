//! Two bodies of any kind that move: see `clearance_fuzz::motions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::motions::check(data));
