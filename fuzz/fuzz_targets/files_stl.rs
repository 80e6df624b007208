//! Any bytes as a STL file: see `clearance_fuzz::files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::files::check(data, clearance_files::Format::Stl));
