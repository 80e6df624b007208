//! Any bytes as a 3MF file or the model in one: see `clearance_fuzz::files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::files::check_threemf(data));
