//! Letters that fall into a bowl and come to rest in each other's hollows: rigid bodies separated by the global depth
//! of `solid_depth`, after section 7.1 of Kim, Otaduy, Lin and Manocha (*Fast Penetration Depth Computation Using
//! Rasterization Hardware and Hierarchical Refinement*, 2002). For comparison, the same with depths of single points,
//! as is common.
//!
//! ```sh
//! cargo run --release -p clearance --example falling_letters [-- [--quick] [--picture FILE]]
//! ```
//!
//! `bodies` builds the letters and the bowl, `meeting` computes the gap or depth of two bodies, `time_of_contact` the
//! time they touched, `step` moves them; `record` measures; `visible`, `chart` and `picture` draw. `docs/depth.md` has
//! the picture and the figures.

mod bodies;
mod chart;
mod meeting;
mod picture;
mod record;
#[allow(dead_code, reason = "the gearbox needs more of the kit than letters do")]
#[path = "../../../clearance-files/examples/gearbox/solid.rs"]
mod solid;
mod step;
#[cfg(test)]
mod tests;
mod time_of_contact;
#[path = "../../../clearance-files/examples/gearbox/triangulate.rs"]
mod triangulate;
mod visible;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use bodies::scene;
use meeting::Depth;
use picture::{millimetres, picture};
use record::Run;

const USAGE: &str = "\
Usage: falling_letters [--quick] [--picture FILE]

Lets letters fall into a bowl, once with the global depth of solids and twice with depths of single points, and
says what became of them.

  --quick          three letters, and less time
  --picture FILE   draws it, as SVG
";

/// How many letters fall, and for how long.
struct Scale {
    letters: usize,
    /// Thousandths of a second.
    steps: usize,
    /// Steps after which there is a snapshot, the start first.
    shown: [usize; 5],
}

const FULL: Scale = Scale { letters: 9, steps: 800, shown: [0, 180, 240, 400, 800] };
const QUICK: Scale = Scale { letters: 3, steps: 550, shown: [0, 120, 160, 240, 550] };

impl Scale {
    fn run(&self, depth: Depth) -> Run {
        Run::new(scene(self.letters), depth, self.steps, &self.shown)
    }
}

/// Parses the arguments: the scale and the path of the picture.
fn asked(mut arguments: impl Iterator<Item = OsString>) -> Result<(Scale, Option<PathBuf>), String> {
    let (mut scale, mut file) = (FULL, None);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--quick") => scale = QUICK,
            Some("--picture") => file = Some(arguments.next().ok_or("--picture needs the name of a file")?.into()),
            _ => return Err(format!("unknown argument `{}`", argument.display())),
        }
    }
    Ok((scale, file))
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let (scale, file) = match asked(std::env::args_os().skip(1)) {
        Ok(asked) => asked,
        Err(message) => {
            eprint!("{message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("{HEAD}");
    let runs = [Depth::Global, Depth::Corners, Depth::Edges].map(|depth| {
        let begun = Instant::now();
        let run = scale.run(depth);
        println!("{}", line(&run, begun.elapsed().as_secs_f64()));
        run
    });
    if let Some(file) = file
        && let Err(error) = std::fs::write(&file, picture(&runs))
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// Lengths in millimetres, energies in millijoules; evaluations per collision by cubics, by lines, by halving.
const HEAD: &str = "\
| depth | deepest | at the end | it says | moving | gained | through | out | hooked | collisions | looks | seconds |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

/// A run as a line of the table.
fn line(run: &Run, seconds: f64) -> String {
    let end = &run.end;
    let [lower, upper] = end.deepest.map(|depth| 1e3 * depth);
    let [moving, gained] = [end.kinetic_energy, run.energy_gained].map(|energy| 1e3 * energy);
    let looks = run.counts.looks.map(|looks| format!("{:.1}", looks as f64 / run.counts.collisions.max(1) as f64));
    let cells = [
        run.depth.name().into(),
        millimetres(run.deepest()),
        format!("{lower:.2} to {upper:.2}"),
        format!("{:.2}", 1e3 * end.said),
        format!("{moving:.3}"),
        format!("{gained:.3}"),
        end.through.to_string(),
        end.out.to_string(),
        end.hooked.to_string(),
        run.counts.collisions.to_string(),
        looks.join(", "),
        format!("{seconds:.0}"),
    ];
    format!("| {} |", cells.join(" | "))
}
