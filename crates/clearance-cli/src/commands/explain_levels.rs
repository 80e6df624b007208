//! `clearance explain levels`: the volumes of a tree of a mesh, level by level.

use std::path::PathBuf;

use clearance::index::{Bound, Descend, Index, Kind};
use clearance_check::output::{Lines, json, short, thousands};
use clearance_check::{Error, LoadOptions, Model, Pattern};
use clearance_files::Unit;
use clearance_view::{Scene, SceneTable, SceneTrees};
use serde::Serialize;

use super::explain::{aligned, mesh_of, panels};
use super::formats::{EXPLAINED, Format, by_ending, can_write, pages, write_answer};
use super::trees::{TreeArguments, TreeSize, WithKind, with_kind};
use super::two::PosedPart;
use super::{Outcome, write_page};
use crate::destination;
use crate::print;

/// The volumes of a tree of one part, level by level: as a table, a picture or a page.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The file of the part.
    #[arg(value_name = "MESH")]
    file: PathBuf,

    /// The part, if the file has several: a pattern that matches one name.
    #[arg(long, value_name = "PATTERN", default_value = "*")]
    part: String,

    #[command(flatten)]
    tree: TreeArguments,

    /// The levels of the picture, separated by commas; 0 is the root. By default all, or eight of them.
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    levels: Vec<u32>,

    /// The unit of a file that names none: um, mm, cm, in, ft, m.
    #[arg(long)]
    unit: Option<Unit>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Also write the result to FILE, in the format of its ending: .svg (the volumes of each level), .html (an
    /// interactive page with them), .json, .csv or .md. Repeatable.
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  clearance explain levels torus.stl --tree obb -o obb.svg
  clearance explain levels torus.stl --tree aabb --levels 2,4,6,8 -o aabb.svg
  clearance explain levels gearbox.glb --part '*/housing' --tree kdop18 --build sah -o housing.html

The table: how many volumes a level has and how many of them are leaves, the longest extent of one, and the sum of their
volumes, leaves of the levels above included: the less of it, the tighter the level.";

/// A tree level by level.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    part: String,
    tree: String,
    build: String,
    fit: String,
    size: TreeSize,
    levels: Vec<LevelRow>,
}

#[derive(Debug, Serialize)]
struct LevelRow {
    level: usize,
    volumes: usize,
    leaves: usize,
    /// The longest extent of a volume of this level.
    longest: f64,
    /// The sum of the volumes of this level and of the leaves above.
    volume: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let files = by_ending(&arguments.output, &EXPLAINED)?;
    can_write(&files, [arguments.file.as_path()])?;
    let options = LoadOptions { unit: arguments.unit, ..LoadOptions::default() };
    let model = Model::load(std::slice::from_ref(&arguments.file), &options)?;
    let pattern: Pattern = arguments.part.as_str().into();
    let matching: Vec<_> = model.parts().iter().filter(|part| pattern.matches(&part.id)).collect();
    let [part] = matching[..] else {
        let of = if matching.is_empty() { model.parts().iter().collect() } else { matching.clone() };
        let names = of.iter().take(5).map(|part| part.id.as_str()).collect::<Vec<_>>().join(", ");
        let problem = match matching.len() {
            0 => format!("no part matches; its parts are {names} and so on"),
            some => format!("{} parts match ({names} and so on): select one with --part", thousands(some as u64)),
        };
        return Err(Error::format(&arguments.file, problem));
    };
    let part = PosedPart { part, body: model.body(part), pose: part.pose };
    with_kind(arguments.tree.tree, Levels { arguments, model: &model, part })
}

struct Levels<'l> {
    arguments: &'l Arguments,
    model: &'l Model,
    part: PosedPart<'l>,
}

impl WithKind for Levels<'_> {
    type Answer = Result<Outcome, Error>;

    fn run<K: Kind>(self) -> Result<Outcome, Error> {
        let Arguments { tree, output, .. } = self.arguments;
        let index = Index::<K>::new(mesh_of(&self.part)?, &tree.options(Descend::default()));
        let [tree_name, build, fit] = tree.names();
        let answer = Answer {
            schema: "clearance-explain-levels/1",
            unit: self.model.unit().map(|unit| unit.to_string()),
            part: self.part.part.id.clone(),
            tree: tree_name,
            build,
            fit,
            size: TreeSize::of(&index),
            levels: rows(&index),
        };
        let panels = self.panels(answer.levels.len())?;
        let files = by_ending(output, &EXPLAINED)?;
        write_answer(&files, "levels of a tree", &answer, Some("levels"))?;
        if files.iter().any(|(_, format)| format.shows_parts()) {
            let scene = self.scene(&index, &answer);
            pages(&files).into_iter().try_for_each(|path| write_page(path, &scene))?;
            for (path, _) in files.iter().filter(|(_, format)| *format == Format::Svg) {
                destination::write(path, scene.draw_levels(&panels)?)?;
            }
        }
        print::result(&if self.arguments.json { json(&answer)? } else { text(&answer, tree) })?;
        Ok(Outcome::Clean)
    }
}

impl Levels<'_> {
    /// The levels of the picture.
    fn panels(&self, levels: usize) -> Result<Vec<u32>, Error> {
        let asked = &self.arguments.levels;
        match asked.iter().find(|&&level| level as usize >= levels) {
            Some(level) => {
                Err(Error::Usage(format!("--levels: there is no level {level}: the last is {}", levels - 1)))
            }
            None if asked.is_empty() => Ok(panels(levels)),
            None => Ok(asked.clone()),
        }
    }

    /// The part alone, where its file has it, with its tree.
    fn scene<K: Kind>(&self, index: &Index<K>, answer: &Answer) -> Scene {
        let mut scene = Scene::of_model(self.model);
        let number = self.part.number(self.model);
        let part = scene.parts.swap_remove(number);
        scene.meshes = vec![scene.meshes.swap_remove(part.mesh)];
        scene.parts = vec![clearance_view::ScenePart { mesh: 0, ..part }];
        let (trees, notes) = SceneTrees::of_index(index, 0, &self.arguments.tree.words());
        scene.verdict = format!("{}: {}", self.arguments.tree.words(), answer.size.words());
        scene.notes.extend(notes);
        scene.tables.push(SceneTable {
            title: "By level".into(),
            columns: COLUMNS.map(String::from).to_vec(),
            rows: answer.levels.iter().map(|row| cells(row).to_vec()).collect(),
        });
        scene.trees = Some(trees);
        scene
    }
}

fn rows<K: Kind>(index: &Index<K>) -> Vec<LevelRow> {
    let volumes = index.volumes();
    let mut above = 0.0;
    let row = |(level, nodes): (usize, &Vec<u32>)| {
        let of = |node: &u32| &volumes[*node as usize];
        let is_leaf = |node: &&u32| index.children(**node).is_none();
        let volume = above + nodes.iter().map(|node| of(node).volume()).sum::<f64>();
        above += nodes.iter().filter(is_leaf).map(|node| of(node).volume()).sum::<f64>();
        LevelRow {
            level,
            volumes: nodes.len(),
            leaves: nodes.iter().filter(is_leaf).count(),
            longest: nodes.iter().map(|node| of(node).longest()).fold(0.0, f64::max),
            volume,
        }
    };
    index.levels().iter().enumerate().map(row).collect()
}

const COLUMNS: [&str; 5] = ["level", "volumes", "leaves", "longest", "volume in all"];

fn cells(row: &LevelRow) -> [String; 5] {
    [
        row.level.to_string(),
        thousands(row.volumes as u64),
        thousands(row.leaves as u64),
        short(row.longest),
        short(row.volume),
    ]
}

fn text(answer: &Answer, tree: &TreeArguments) -> String {
    let mut out = Lines::default();
    out.line(&answer.part);
    out.line(format!("tree  {}", tree.words()));
    out.line(format!("size  {}", answer.size.words()));
    out.blank();
    aligned(COLUMNS, &answer.levels.iter().map(cells).collect::<Vec<_>>(), &mut out);
    out.text()
}
