//! Two bodies of any kind, every question about them: see `clearance_fuzz::bodies`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::bodies::check(data));
