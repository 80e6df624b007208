//! Lists the parts of files, and what was left out of each.
//!
//! ```sh
//! cargo run -p clearance-files --example parts -- FILE...
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args_os().skip(1) {
        let assembly = match clearance_files::read(&path) {
            Ok(assembly) => assembly,
            Err(error) => {
                eprintln!("{error}");
                failed = true;
                continue;
            }
        };
        let unit = assembly.unit.map_or("unknown".into(), |unit| unit.to_string());
        println!(
            "{}: {} parts, {} geometries, {} triangles, unit {unit}, box {:?}",
            path.to_string_lossy(),
            assembly.parts.len(),
            assembly.geometries.len(),
            assembly.triangles(),
            assembly.bounds().unwrap_or_default()
        );
        for part in &assembly.parts {
            let geometry = &assembly.geometries[part.geometry];
            println!("  {}: {} triangles of `{}`", part.name, geometry.triangles.len(), geometry.name);
        }
        for note in &assembly.notes {
            println!("  {note}");
        }
    }
    if failed { ExitCode::from(2) } else { ExitCode::SUCCESS }
}
