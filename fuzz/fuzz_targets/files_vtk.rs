//! Any bytes as a file of tetrahedra, from seeds in legacy VTK: see `clearance_fuzz::tets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clearance_fuzz::tets::check(data));
