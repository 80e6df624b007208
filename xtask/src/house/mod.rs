//! `cargo xtask house`: the rooms of the engine, who imports whom, and what is too long.
//!
//! A room is a folder of `crates/clearance/src`, or a file beside them such as `error.rs`. Three rules are checked:
//!
//! - **No import to the right.** Rooms stand in the order of [`ROOMS`]; a file imports from its own room and from those
//!   to the left of it, tests included. What still breaks the rule is listed in [`STILL_TO_THE_RIGHT`].
//! - **No circle of more than three files.** What is larger is listed in [`CIRCLES`]. Tests do not count here: the test
//!   of a kernel may well compare it with its neighbours.
//! - **`verify` imports no search**: only the rooms of [`VERIFY_ROOMS`] and the files of [`VERIFY_MAY_IMPORT`], its
//!   tests apart.
//!
//! The lists and numbers are ratchets: they only ever shrink. A number that is exceeded, or an entry that is missing,
//! is a violation and the command fails; one that is no longer needed is reported and does not fail.
//!
//! What counts as an import, and how re-exports are followed: [`imports`]. The picture of the rooms is drawn by
//! [`picture`]; it has no line counts, so that it changes only when the house does.

mod circles;
mod imports;
mod lengths;
mod modules;
mod picture;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::python::root;
use circles::Edge;
use imports::{Import, Imports};
use modules::Crate;

/// The sources of the engine.
const SOURCES: &str = "crates/clearance/src";

/// Where the picture is.
const PICTURE: &str = "docs/rooms.svg";

/// A room of the engine.
struct Room {
    /// The name of its folder or file.
    name: &'static str,
    /// What it is for.
    purpose: &'static str,
}

const fn room(name: &'static str, purpose: &'static str) -> Room {
    Room { name, purpose }
}

/// The rooms from left to right. Those that do not exist yet have their place reserved.
const ROOMS: [Room; 23] = [
    room("error", "what constructors reject"),
    room("math", "poses, exact signs, intervals, solvers"),
    room("parallel", "splits work over threads"),
    room("geom", "kernels on bare points"),
    room("bound", "bounding volumes"),
    room("tree", "trees of bounds: build, refit, walk"),
    room("shape", "one file per kind of body"),
    room("answer", "what a query returns"),
    room("convex", "convex against convex"),
    room("mesh", "meshes against everything"),
    room("compound", "unions of convex parts, height fields"),
    room("ray", "rays and points against everything"),
    room("motion", "how bodies move, elementary tests"),
    room("deform", "meshes whose points move"),
    room("field", "distance fields"),
    room("depth", "how deep, which way out, how much"),
    room("pair", "any two bodies: dispatch"),
    room("impact", "when moving bodies meet"),
    room("verify", "proves answers again"),
    room("query", "the public queries"),
    room("world", "many bodies, events, schedules"),
    room("plane", "the same queries in 2D"),
    room("lib", "the public interface"),
];

/// Imports to the right that still exist: the importing file, the imported one, and why.
const STILL_TO_THE_RIGHT: [(&str, &str, &str); 0] = [];

/// How many files may import each other in a circle.
const CIRCLE_LIMIT: usize = 3;

/// Circles that are still larger than [`CIRCLE_LIMIT`]: a file in each, and how many files it has. The numbers may only
/// be lowered; the table is empty, and stays so.
const CIRCLES: [(&str, usize); 0] = [];

/// The rooms that `verify` may import from: descriptions and arithmetic, no search.
const VERIFY_ROOMS: [&str; 7] = ["error", "math", "geom", "bound", "shape", "answer", "verify"];

/// Files outside of [`VERIFY_ROOMS`] that `verify` may import, and why.
const VERIFY_MAY_IMPORT: [(&str, &str); 4] = [
    ("motion/path.rs", "`Motion`: how a body that does not turn moves"),
    ("motion/rigid_motion.rs", "`RigidMotion`: how a body that turns moves"),
    ("deform/mesh.rs", "`DeformingMesh`: where its points are at either end of a step"),
    ("deform/tet_mesh.rs", "`TetMesh`: its points, its tetrahedra and the faces of its surface"),
];

/// What the command line asks for.
#[derive(Default)]
struct Wanted {
    /// `--draw`: write the picture.
    draw: bool,
    /// `--long`: list the lines over the limit.
    long: bool,
}

/// Prints the whole report; an error if a rule is broken.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let mut wanted = Wanted::default();
    for argument in arguments {
        match argument.as_str() {
            "--draw" => wanted.draw = true,
            "--long" => wanted.long = true,
            other => return Err(format!("unknown option `{other}`: expected --draw or --long")),
        }
    }
    let house = House::read()?;
    print!("{}", report::report(&house, &read_sources(&root(), "")?, wanted.long));
    if wanted.draw {
        let path = root().join(PICTURE);
        std::fs::write(&path, house.picture()).map_err(|error| format!("{PICTURE} cannot be written: {error}"))?;
        println!("\ndrawn: {PICTURE}");
    }
    house.conclude()
}

/// Checks the rules and prints only what has to be fixed.
pub fn test() -> Result<(), String> {
    House::read()?.conclude()
}

/// The engine's sources, read.
struct House {
    engine: Crate,
    imports: Imports,
}

/// The outcome of the rules.
#[derive(Default)]
struct Findings {
    /// Broken rules.
    faults: Vec<String>,
    /// What can be lowered or should be redrawn.
    notes: Vec<String>,
}

impl House {
    fn read() -> Result<House, String> {
        House::of(&read_sources(&root().join(SOURCES), "")?)
    }

    fn of(sources: &BTreeMap<String, String>) -> Result<House, String> {
        let engine = Crate::read(sources)?;
        let imports = imports::of(&engine);
        Ok(House { engine, imports })
    }

    fn conclude(&self) -> Result<(), String> {
        let mut findings = Findings::default();
        self.check_files(&mut findings);
        self.check_order(&STILL_TO_THE_RIGHT, &mut findings);
        self.check_circles(&CIRCLES, &mut findings);
        self.check_verify(&mut findings);
        if !std::fs::read_to_string(root().join(PICTURE)).is_ok_and(|drawn| drawn == self.picture()) {
            findings.notes.push(format!("{PICTURE} is out of date: run `cargo xtask house --draw`"));
        }
        for note in &findings.notes {
            println!("note: {note}");
        }
        if findings.faults.is_empty() { Ok(()) } else { Err(findings.faults.join("\n")) }
    }

    fn path(&self, file: usize) -> &str {
        &self.engine.files[file].path
    }

    /// The room of a file by its place in [`ROOMS`]. An unlisted one counts as the rightmost, and is a violation.
    fn room(&self, file: usize) -> usize {
        let name = room_name(self.path(file));
        ROOMS.iter().position(|room| room.name == name).unwrap_or(ROOMS.len())
    }

    /// An import in words: `query/a.rs:12 -> query/b.rs`.
    fn arrow(&self, (from, to): Edge) -> String {
        let line = self.imports.get(&(from, to)).map_or(1, Import::line);
        format!("{}:{line} -> {}", self.path(from), self.path(to))
    }

    /// The imports that can make a circle.
    fn edges(&self) -> Vec<Edge> {
        self.imports.iter().filter(|(_, import)| import.code.is_some()).map(|(&edge, _)| edge).collect()
    }

    /// How many pairs of files import each other between each two rooms, tests left out.
    fn between_rooms(&self) -> BTreeMap<(usize, usize), usize> {
        let mut counts = BTreeMap::new();
        for &(from, to) in self.imports.iter().filter(|(_, import)| import.is_outside_tests()).map(|(edge, _)| edge) {
            *counts.entry((self.room(from), self.room(to))).or_default() += 1;
        }
        counts
    }

    fn picture(&self) -> String {
        let is_drawn = |k: usize| ROOMS.get(k).is_some_and(|room| room.name != "lib");
        let mut files = BTreeMap::<usize, usize>::new();
        for k in (0..self.engine.files.len()).map(|file| self.room(file)).filter(|&k| is_drawn(k)) {
            *files.entry(k).or_default() += 1;
        }
        let places: Vec<usize> = files.keys().copied().collect();
        let boxes =
            files.iter().map(|(&k, &files)| picture::Box { name: ROOMS[k].name, purpose: ROOMS[k].purpose, files });
        let place = |room: usize| places.iter().position(|&k| k == room);
        let arrows = self.between_rooms().into_iter().filter_map(|((from, to), count)| {
            let (from, to) = (place(from)?, place(to)?);
            (from != to).then_some(picture::Arrow { from, to, count })
        });
        picture::draw(&boxes.collect::<Vec<_>>(), &arrows.collect::<Vec<_>>())
    }

    fn check_files(&self, findings: &mut Findings) {
        for path in &self.engine.undeclared {
            findings.faults.push(format!("{path} is not part of the engine: no `mod` declares it"));
        }
        let unknown = self.engine.files.iter().map(|file| room_name(&file.path));
        let unknown: BTreeSet<&str> = unknown.filter(|name| ROOMS.iter().all(|room| room.name != *name)).collect();
        for name in unknown {
            findings.faults.push(format!("the room `{name}` has no place in ROOMS of xtask/src/house/mod.rs"));
        }
    }

    /// The imports to the right, in the order of the files.
    fn to_the_right(&self) -> Vec<Edge> {
        self.imports.keys().copied().filter(|&(from, to)| self.room(from) < self.room(to)).collect()
    }

    fn check_order(&self, known: &[(&str, &str, &str)], findings: &mut Findings) {
        let found = self.to_the_right();
        let is = |edge: &Edge, entry: &(&str, &str, &str)| (self.path(edge.0), self.path(edge.1)) == (entry.0, entry.1);
        for &edge in found.iter().filter(|edge| !known.iter().any(|entry| is(edge, entry))) {
            findings.faults.push(format!("an import to the right: {}", self.arrow(edge)));
        }
        for entry in known.iter().filter(|entry| !found.iter().any(|edge| is(edge, entry))) {
            let (from, to, _) = entry;
            findings.notes.push(format!("{from} -> {to} can be removed from STILL_TO_THE_RIGHT"));
        }
    }

    fn check_circles(&self, known: &[(&str, usize)], findings: &mut Findings) {
        let edges = self.edges();
        let circles = circles::circles(&edges);
        let has = |circle: &[usize], path: &str| circle.iter().any(|&file| self.path(file) == path);
        for circle in &circles {
            let limits = known.iter().filter(|(path, _)| has(circle, path)).map(|&(_, size)| size);
            let limit = limits.max().unwrap_or(CIRCLE_LIMIT);
            if circle.len() > limit {
                findings.faults.push(self.fault_of_circle(circle, limit, &edges));
            }
        }
        for &(path, size) in known {
            let now = circles.iter().find(|circle| has(circle, path)).map_or(1, Vec::len);
            if now <= CIRCLE_LIMIT {
                findings.notes.push(format!("{path} is not in a large circle any more: remove it from CIRCLES"));
            } else if now < size {
                findings.notes.push(format!("the circle of {path} can be lowered from {size} to {now} in CIRCLES"));
            }
        }
    }

    fn fault_of_circle(&self, circle: &[usize], limit: usize, edges: &[Edge]) -> String {
        let paths: Vec<&str> = circle.iter().map(|&file| self.path(file)).collect();
        let mut lines = vec![format!("a circle of {} files, allowed {limit}:", circle.len())];
        lines.extend(report::wrapped(&paths, "    "));
        lines.push("  a shortest cycle:".to_owned());
        lines.extend(circles::shortest(circle, edges).iter().map(|&edge| format!("    {}", self.arrow(edge))));
        let cuts = circles::best_cuts(circle, edges, 5);
        if !cuts.is_empty() {
            lines.push("  without one of these imports it would be smaller:".to_owned());
            lines.extend(cuts.iter().map(|&(edge, left)| format!("    {} ({left} left)", self.arrow(edge))));
        }
        lines.join("\n")
    }

    /// The imports of `verify` that it should not have, its tests apart.
    fn verify_imports(&self) -> Vec<Edge> {
        let is_forbidden = |path: &str| {
            !VERIFY_ROOMS.contains(&room_name(path)) && VERIFY_MAY_IMPORT.iter().all(|(allowed, _)| *allowed != path)
        };
        let outside_tests = self.imports.iter().filter(|(_, import)| import.is_outside_tests()).map(|(&edge, _)| edge);
        outside_tests
            .filter(|&(from, to)| room_name(self.path(from)) == "verify" && is_forbidden(self.path(to)))
            .collect()
    }

    fn check_verify(&self, findings: &mut Findings) {
        for edge in self.verify_imports() {
            findings.faults.push(format!("verify imports what it must not: {}", self.arrow(edge)));
        }
        let is_verify = |file: usize| room_name(self.path(file)) == "verify";
        let imported = |path: &str| self.imports.keys().any(|&(from, to)| is_verify(from) && self.path(to) == path);
        for (path, _) in VERIFY_MAY_IMPORT.iter().filter(|(path, _)| !imported(path)) {
            findings.notes.push(format!("{path} can be removed from VERIFY_MAY_IMPORT"));
        }
    }
}

/// The name of a file's room: its first folder, or its own name.
fn room_name(path: &str) -> &str {
    path.split_once('/').map_or(path.trim_end_matches(".rs"), |(folder, _)| folder)
}

/// The Rust files below a folder by their paths, with `/`. Build output and downloads are skipped.
fn read_sources(folder: &Path, prefix: &str) -> Result<BTreeMap<String, String>, String> {
    let mut sources = BTreeMap::new();
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        if is_folder && !name.starts_with('.') && name != "target" && name != "node_modules" {
            sources.extend(read_sources(&entry.path(), &format!("{path}/"))?);
        } else if !is_folder && name.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path());
            sources.insert(path, text.map_err(|error| format!("{} cannot be read: {error}", entry.path().display()))?);
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(sources: &[(&str, &str)]) -> House {
        House::of(&sources.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()).unwrap()
    }

    #[test]
    fn imports_to_the_right_are_faults_tests_and_re_exports_included() {
        let found = house(&[
            ("lib.rs", "mod geom; mod math; mod shape;\npub use shape::Shape;"),
            ("math.rs", "pub fn sine() {}\n#[cfg(test)]\nmod tests { use crate::Shape; }"),
            ("geom/mod.rs", "use crate::math::sine;\npub use crate::shape::Shape;"),
            ("shape.rs", "pub struct Shape; use crate::math::sine;"),
        ]);
        let mut findings = Findings::default();
        found.check_files(&mut findings);
        found.check_order(&[("math.rs", "shape.rs", ""), ("geom/mod.rs", "lib.rs", "")], &mut findings);
        assert_eq!(findings.faults, ["an import to the right: geom/mod.rs:2 -> shape.rs"]);
        assert_eq!(findings.notes, ["geom/mod.rs -> lib.rs can be removed from STILL_TO_THE_RIGHT"]);
    }

    #[test]
    fn a_room_without_a_place_and_a_file_without_a_mod_are_faults() {
        let found = house(&[("lib.rs", "mod attic;"), ("attic/mod.rs", ""), ("attic/lost.rs", "")]);
        let mut findings = Findings::default();
        found.check_files(&mut findings);
        assert_eq!(findings.faults.len(), 2);
        assert!(findings.faults[0].contains("attic/lost.rs") && findings.faults[1].contains("`attic`"));
    }

    /// Four files in a circle, and two in another.
    fn with_circles() -> House {
        house(&[
            ("lib.rs", "mod math;"),
            ("math/mod.rs", "mod a; mod b; mod c; mod d; mod e; mod f;"),
            ("math/a.rs", "use super::b::B; pub struct A;"),
            ("math/b.rs", "\nuse super::c::C; pub struct B;"),
            ("math/c.rs", "use super::d::D; pub struct C;"),
            ("math/d.rs", "pub struct D(super::a::A);"),
            ("math/e.rs", "use super::f::F; pub struct E;"),
            ("math/f.rs", "use super::e::E; pub struct F; #[cfg(test)] mod tests { use crate::math::a::A; }"),
        ])
    }

    #[test]
    fn a_circle_of_more_than_three_files_is_a_fault_with_its_imports() {
        let mut findings = Findings::default();
        with_circles().check_circles(&[], &mut findings);
        assert_eq!(findings.faults.len(), 1);
        assert!(findings.faults[0].starts_with("a circle of 4 files, allowed 3:"));
        assert!(findings.faults[0].contains("\n    math/b.rs:2 -> math/c.rs\n"));
    }

    #[test]
    fn known_circles_may_shrink_and_not_grow() {
        let checked = |known: &[(&str, usize)]| {
            let mut findings = Findings::default();
            with_circles().check_circles(known, &mut findings);
            (findings.faults.len(), findings.notes)
        };
        assert_eq!(checked(&[("math/c.rs", 4)]), (0, vec![]));
        let lower = "the circle of math/c.rs can be lowered from 9 to 4 in CIRCLES".to_owned();
        assert_eq!(checked(&[("math/c.rs", 9)]), (0, vec![lower]));
        let gone = "math/e.rs is not in a large circle any more: remove it from CIRCLES".to_owned();
        assert_eq!(checked(&[("math/e.rs", 5)]), (1, vec![gone]));
    }

    #[test]
    fn verify_imports_no_search() {
        let found = house(&[
            ("lib.rs", "mod convex; mod motion; mod query; mod shape; mod verify;"),
            ("convex.rs", "pub fn search() {}"),
            ("motion/mod.rs", "pub mod path; pub mod advance;"),
            ("motion/path.rs", "pub struct Motion;"),
            ("motion/advance.rs", "pub fn advance() {}"),
            ("shape.rs", "pub struct Shape;"),
            ("query/mod.rs", "use crate::convex::search;"),
            ("verify/mod.rs", "mod rays; mod impact; mod step;"),
            ("verify/rays.rs", "use crate::shape::Shape; #[cfg(test)] mod tests { use crate::convex::search; }"),
            ("verify/impact.rs", "use crate::motion::path::Motion; fn f() { crate::convex::search() }"),
            ("verify/step.rs", "use crate::motion::advance::advance;"),
        ]);
        let arrows: Vec<String> = found.verify_imports().into_iter().map(|edge| found.arrow(edge)).collect();
        assert_eq!(arrows, ["verify/impact.rs:1 -> convex.rs", "verify/step.rs:1 -> motion/advance.rs"]);
        let mut findings = Findings::default();
        found.check_verify(&mut findings);
        assert_eq!(findings.faults.len(), 2);
    }
}
