//! Every function generic over an instruction set states how it is inlined: otherwise the compiler may place it outside
//! the caller with the instruction set, where it is several times slower with the same answers.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn functions_over_an_instruction_set_state_how_they_are_inlined() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let (mut seen, mut unsaid) = (0, Vec::new());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            let is_over = line.contains("fn ") && line.contains(": Simd") && !line.starts_with("//");
            // A declaration in a trait has no body.
            if !is_over || line.ends_with(';') {
                continue;
            }
            seen += 1;
            let said = lines[..number].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
            if !said.into_iter().any(|line| line.starts_with("#[inline(")) {
                unsaid.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert!(seen > 100, "only {seen} functions were examined");
    assert!(unsaid.is_empty(), "give these `#[inline(always)]`:\n{}", unsaid.join("\n"));
}
