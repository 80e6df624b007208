//! Files cut at every byte and with bytes changed: an error or an assembly that holds together, never a panic.

use crate::common;

use clearance_files::{Assembly, Error, Format, Limits, read_bytes};
use common::one_of_each;

/// Small limits, so that changed counts are refused soon.
fn limits() -> Limits {
    Limits { parts: 10_000, names: 1 << 20, geometry: 1 << 22, ratio: 200, ..Limits::default() }
}

/// Whether all indices are in range, all points finite and all names different.
fn holds_together(assembly: &Assembly) -> bool {
    let mut names: Vec<&str> = assembly.parts.iter().map(|part| part.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.len() == assembly.parts.len()
        && !assembly.parts.is_empty()
        && assembly.parts.iter().all(|part| part.geometry < assembly.geometries.len())
        && assembly.geometries.iter().all(|geometry| {
            let count = geometry.points.len();
            geometry.points.iter().flatten().all(|part| part.is_finite())
                && !geometry.triangles.is_empty()
                && geometry.triangles.iter().flatten().all(|&corner| (corner as usize) < count)
        })
}

fn names_the_file(error: &Error) -> bool {
    error.to_string().starts_with("file: ")
}

#[test]
fn cut_at_every_byte() {
    for (name, format, bytes) in one_of_each() {
        let whole = read_bytes(&bytes, "file", format, &limits()).unwrap();
        assert!(holds_together(&whole), "{name}");
        let mut read = 0;
        for length in 0..bytes.len() {
            match read_bytes(&bytes[..length], "file", format, &limits()) {
                Err(error) => assert!(names_the_file(&error), "{name} {length}: {error}"),
                Ok(short) => {
                    read += 1;
                    assert!(holds_together(&short), "{name} {length}");
                    match name {
                        // Nothing in an OBJ file says where it ends: what was there is what is read.
                        "obj" => assert!(short.triangles() <= whole.triangles(), "{length}"),
                        // After the end of a solid the file may end: the solids so far are read.
                        "ascii stl" => assert!(whole.geometries.starts_with(&short.geometries), "{length}"),
                        // A last number cut in the middle is still one; no counts remain to tell.
                        "off" | "ascii ply" => assert!(length + 8 >= bytes.len(), "{name} {length}"),
                        _ => assert_eq!(
                            (&short.geometries, short.parts.len()),
                            (&whole.geometries, whole.parts.len()),
                            "{name} {length}"
                        ),
                    }
                }
            }
        }
        if ["binary ply", "binary stl", "glb", "gltf", "3mf"].contains(&name) {
            assert_eq!(read, 0, "{name}");
        }
    }
}

#[test]
fn changed_bytes_never_panic() {
    // The linear congruential generator of Knuth's MMIX.
    let mut state = 20_240_229_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below.max(1)
    };
    let lively = *b"0123456789-+.eE#/\\ \n\"{}[]<>,:\x00\xff\x7f\x80";
    for (name, format, bytes) in one_of_each() {
        let (mut read, mut refused) = (0, 0);
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = random(changed.len());
                match random(4) {
                    0 => changed[at] = random(256) as u8,
                    1 => changed[at] = lively[random(lively.len())],
                    2 => changed[at] ^= 1 << random(8),
                    _ => {
                        changed.remove(at);
                    }
                }
            }
            match read_bytes(&changed, "file", format, &limits()) {
                Ok(assembly) => {
                    read += 1;
                    assert!(holds_together(&assembly), "{name}: {:?}", String::from_utf8_lossy(&changed));
                }
                Err(error) => {
                    refused += 1;
                    assert!(names_the_file(&error), "{name}: {error}");
                }
            }
        }
        assert!(refused > 100, "{name}: {read} read, {refused} refused");
    }
}

#[test]
fn every_format_reads_every_other_without_panic() {
    let all = one_of_each();
    for (_, _, bytes) in &all {
        for (name, format, _) in &all {
            if let Err(error) = read_bytes(bytes, "file", *format, &limits()) {
                assert!(names_the_file(&error), "{name}: {error}");
            }
        }
    }
}

#[test]
fn counts_that_promise_more_than_the_file_has() {
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty double x\nproperty double y\n\
        property double z\nelement face 4294967295\nproperty list uint uint vertex_indices\nend_header\n";
    assert!(read_bytes(ply.as_bytes(), "file", Format::Ply, &limits()).is_err());
    let mut stl = vec![0; 84];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read_bytes(&stl, "file", Format::Stl, &limits()).is_err());
    assert!(read_bytes(b"OFF 4294967295 4294967295 0\n", "file", Format::Off, &limits()).is_err());
    // Polygons of very many corners that are not convex: work is limited.
    let mut zigzag = String::new();
    for step in 0..60_000_u64 {
        zigzag += &format!("v {step} {} 0\n", (step * step) % 9973);
    }
    zigzag += "f";
    (1..=60_000).for_each(|corner| zigzag += &format!(" {corner}"));
    match read_bytes(zigzag.as_bytes(), "file", Format::Obj, &limits()) {
        Ok(assembly) => assert_eq!(assembly.triangles(), 59_998),
        Err(error) => assert!(matches!(error, Error::Limit { .. }), "{error}"),
    }
}
