//! `clearance explain`: what a query of two parts visits, level by level, in trees of any kind; and the levels of a
//! tree.

use clap::Subcommand;
use clearance::answer::{Contacts, Distance};
use clearance::index::{Descend, Explain, Index, Kind, NodeVisits, Stats, VisitOutcome};
use clearance::query::{ContactsOptions, DistanceOptions, IntersectsOptions};
use clearance::{Mesh, Pose, Shape, Workspace};
use clearance_check::output::{Lines, count, json, thousands};
use clearance_check::{Error, Model};
use clearance_view::{Scene, SceneFinding, SceneKind, SceneTable, SceneTrees};
use serde::Serialize;

use super::formats::{EXPLAINED, Format, pages, write_answer};
use super::trees::{TreeArguments, TreeSize, WithKind, with_kind};
use super::two::{PosedPart, Two, shown};
use super::values::SolidValue;
use super::{Outcome, does_not_hold, explain_levels, write_page};
use crate::destination;
use crate::print;

/// Show how a query finds its answer: which pairs of bounding volumes it visits, which it prunes, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  clearance explain distance pin.stl plate.stl                    Nv, Np, and a table by level
  clearance explain distance pin.stl plate.stl --tree rss -o x.html
  clearance explain contact pin.stl plate.stl --pose '0 0 4' --tree sphere
  clearance explain levels torus.stl --tree obb -o levels.svg     the volumes of each level

The cost of a query is T = Nv Cv + Np Cp: Nv pairs of volumes compared, at a cost of Cv each, and Np pairs of triangles.
Tight volumes lower Nv and Np and raise Cv. The answers are the same with every tree, and are those of `clearance
distance`, which uses a tree of its own.";

#[derive(Debug, Subcommand)]
enum Command {
    Distance(DistanceArguments),
    Contact(ContactArguments),
    Levels(explain_levels::Arguments),
}

/// How the distance of two parts is found.
#[derive(Debug, clap::Args)]
#[command(after_help = DISTANCE)]
#[command(mut_arg("output", |argument| argument.help(OUTPUT).long_help(OUTPUT)))]
struct DistanceArguments {
    #[command(flatten)]
    query: QueryArguments,

    /// Stop as soon as the gap is proved to exceed this.
    #[arg(long, value_name = "LENGTH")]
    farther_than: Option<f64>,

    /// Accept a bracket this wide.
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    tolerance: f64,
}

/// How it is found whether two parts meet: the search for the first contact.
#[derive(Debug, clap::Args)]
#[command(after_help = CONTACT)]
#[command(mut_arg("output", |argument| argument.help(OUTPUT).long_help(OUTPUT)))]
struct ContactArguments {
    #[command(flatten)]
    query: QueryArguments,

    /// Find all pairs of triangles that meet, not only the first.
    #[arg(long)]
    all: bool,
}

const OUTPUT: &str = "Also write the result to FILE, in the format of its ending: .html (an interactive page with the \
                      volumes and the visited pairs), .svg (the volumes level by level), .json, .csv or .md. \
                      Repeatable";

const DISTANCE: &str = "\
Examples:
  clearance explain distance pin.stl plate.stl --tree rss
  clearance explain distance a.stl b.stl --tree aabb --build sah -o walk.html -o walk.svg
  clearance explain distance a.stl b.stl --tolerance 0.1          a wider bracket takes fewer visits

The table: of the pairs whose deeper volume is of a level, how many were compared (their sum is Nv), pruned by their
volumes, and dropped because something nearer had been found before their turn; pairs of triangles compared (their sum
and the first pair, from which the search starts, is Np); and how many volumes of either tree were in some pair.";

const CONTACT: &str = "\
Examples:
  clearance explain contact pin.stl plate.stl --pose '0 0 4'
  clearance explain contact pin.stl plate.stl --all --tree kdop18 -o contact.html

The table: of the pairs whose deeper volume is of a level, how many were compared (their sum is Nv) and pruned by their
volumes; pairs of triangles compared (their sum is Np); and how many volumes of either tree were in some pair.";

/// What both have in common.
#[derive(Debug, clap::Args)]
struct QueryArguments {
    #[command(flatten)]
    two: Two,

    #[command(flatten)]
    tree: TreeArguments,

    /// Which node of a pair is opened: the one with the longer volume, or both.
    #[arg(long, value_enum, default_value_t = DescendValue::Larger)]
    descend: DescendValue,

    /// Keep the first N visits for the page and the JSON; all are counted.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    visits: u32,

    /// Which parts are solids.
    #[arg(long, value_enum, default_value_t = SolidValue::Auto)]
    solid: SolidValue,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum DescendValue {
    Larger,
    Both,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    match &arguments.command {
        Command::Distance(arguments) => {
            let options = DistanceOptions {
                farther_than: arguments.farther_than,
                tolerance: arguments.tolerance,
                ..DistanceOptions::default()
            };
            arguments.query.run("distance", Question::Distance(options))
        }
        Command::Contact(arguments) => arguments.query.run("contact", Question::Contact { all: arguments.all }),
        Command::Levels(arguments) => explain_levels::run(arguments),
    }
}

#[derive(Clone, Copy, Debug)]
enum Question {
    Distance(DistanceOptions),
    Contact { all: bool },
}

/// The answer of the engine.
enum Found {
    Distance(Box<Distance>),
    Meet(bool),
    Contacts(Box<Contacts>),
}

/// A query explained.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    question: &'static str,
    unit: Option<String>,
    a: String,
    b: String,
    tree: String,
    build: String,
    fit: String,
    descend: String,
    trees: [TreeSize; 2],
    /// The answer in one sentence.
    found: String,
    /// Of a distance: the bracket, and the nearest points in the world.
    value: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    points: Option<[[f64; 3]; 2]>,
    /// Of a contact: whether the parts meet, and the pairs of triangles found.
    meet: Option<bool>,
    triangles: Option<Vec<[u32; 2]>>,
    /// Verified by independent code; nothing where that has nothing to say.
    verified: Option<bool>,
    /// Pairs of volumes compared.
    nv: u64,
    /// Pairs of triangles compared.
    np: u64,
    levels: Vec<LevelRow>,
    /// The first visits, in their order.
    visits: Vec<VisitRow>,
    /// How many visits are not listed.
    visits_left_out: u64,
}

/// What was done at a level: with pairs whose deeper volume is of that level.
#[derive(Debug, Serialize)]
struct LevelRow {
    level: usize,
    pairs: u64,
    pruned: u64,
    dropped: u64,
    triangle_pairs: u64,
    /// How many volumes of A's tree and of B's were in some pair, and how many there are.
    reached_a: usize,
    volumes_a: usize,
    reached_b: usize,
    volumes_b: usize,
}

#[derive(Debug, Serialize)]
struct VisitRow {
    a: u32,
    b: u32,
    level_a: u32,
    level_b: u32,
    /// Proved: what the volumes contain is at least this far apart.
    bound: f64,
    /// Only what was nearer mattered then.
    limit: Option<f64>,
    outcome: &'static str,
    triangle_pairs: Option<u32>,
}

impl QueryArguments {
    fn run(&self, question: &'static str, asked: Question) -> Result<Outcome, Error> {
        let model = self.two.load_for(self.solid.into(), &EXPLAINED)?;
        let [of_a, of_b] = self.two.sides(&model)?;
        let parts = [one("A", "--part-a", &of_a)?, one("B", "--part-b", &of_b)?];
        let query = Query { arguments: self, question, asked, model: &model, parts };
        with_kind(self.tree.tree, query)
    }
}

/// The only part of a side.
fn one<'m>(side: &str, option: &str, parts: &[PosedPart<'m>]) -> Result<PosedPart<'m>, Error> {
    match parts {
        [part] => Ok(*part),
        _ => {
            let names: Vec<&str> = parts.iter().take(5).map(|part| part.part.id.as_str()).collect();
            let more = if parts.len() > names.len() { " and so on" } else { "" };
            let (all, names) = (thousands(parts.len() as u64), names.join(", "));
            Err(Error::Usage(format!("{side} has {all} parts ({names}{more}): select one with {option}")))
        }
    }
}

/// The mesh of a part.
pub(super) fn mesh_of<'m>(part: &PosedPart<'m>) -> Result<&'m Mesh, Error> {
    match &part.body.shape {
        Shape::Mesh(mesh) => Ok(mesh),
        _ => Err(Error::Usage(format!("part `{}` is not a mesh: it has no tree", part.part.id))),
    }
}

struct Query<'q> {
    arguments: &'q QueryArguments,
    question: &'static str,
    asked: Question,
    model: &'q Model,
    parts: [PosedPart<'q>; 2],
}

impl WithKind for Query<'_> {
    type Answer = Result<Outcome, Error>;

    fn run<K: Kind>(self) -> Result<Outcome, Error> {
        let QueryArguments { two, tree, descend, visits, .. } = self.arguments;
        let (descend, named) = match descend {
            DescendValue::Larger => (Descend::Larger, "larger"),
            DescendValue::Both => (Descend::Both, "both"),
        };
        let [a, b] = &self.parts;
        let options = tree.options(descend);
        let indices = [Index::<K>::new(mesh_of(a)?, &options), Index::<K>::new(mesh_of(b)?, &options)];
        let [index_a, index_b] = &indices;
        let mut explain = Explain::new(index_a, index_b, *visits as usize);
        let found = ask(self.asked, [index_a, index_b], [&a.pose, &b.pose], &mut explain);
        let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
        let proof = match &found {
            Found::Distance(found) => Some(found.verify(shape_a, &a.pose, shape_b, &b.pose)),
            Found::Contacts(found) => Some(found.verify(shape_a, &a.pose, shape_b, &b.pose)),
            Found::Meet(_) => None,
        };
        let unit = self.model.unit().map(|unit| unit.to_string());
        let finding = self.finding(&found, unit.as_deref(), explain.stats());
        let [tree_name, build, fit] = tree.names();
        let answer = Answer {
            schema: "clearance-explain/1",
            question: self.question,
            a: a.part.id.clone(),
            b: b.part.id.clone(),
            tree: tree_name,
            build,
            fit,
            descend: named.to_owned(),
            trees: [TreeSize::of(index_a), TreeSize::of(index_b)],
            found: finding.sentence.clone(),
            value: found.distance().map(|it| it.gap.value),
            lower: found.distance().map(|it| it.gap.lower),
            upper: found.distance().map(|it| it.gap.upper),
            points: found.distance().map(|it| it.world_points(&a.pose, &b.pose).map(|point| point.to_array())),
            meet: found.meet(),
            triangles: found.triangles(),
            verified: proof.as_ref().map(Result::is_ok),
            nv: explain.stats().volume_tests,
            np: explain.stats().triangle_tests,
            levels: level_rows(&explain),
            visits: explain.visits().iter().map(VisitRow::of).collect(),
            visits_left_out: explain.left_out(),
            unit,
        };
        let files = two.files_for(&EXPLAINED)?;
        write_answer(&files, &format!("{} explained", self.question), &answer, Some("levels"))?;
        if files.iter().any(|(_, format)| format.shows_parts()) {
            let scene = self.scene([index_a, index_b], &explain, &answer, finding)?;
            pages(&files).into_iter().try_for_each(|path| write_page(path, &scene))?;
            for (path, _) in files.iter().filter(|(_, format)| *format == Format::Svg) {
                destination::write(path, scene.draw_levels(&panels(answer.levels.len()))?)?;
            }
        }
        print::result(&if two.json { json(&answer)? } else { text(&answer, tree) })?;
        match proof {
            Some(Err(refusal)) => Err(does_not_hold(&refusal)),
            _ => Ok(Outcome::Clean),
        }
    }
}

impl Query<'_> {
    /// The answer as a finding, with where the parts are nearest or meet.
    fn finding(
        &self,
        found: &Found,
        unit: Option<&str>,
        Stats { volume_tests, triangle_tests, .. }: Stats,
    ) -> SceneFinding {
        let [a, b] = &self.parts;
        let finding = SceneFinding::new(self.question, SceneKind::Measured, a.number(self.model), b.number(self.model));
        let finding = match found {
            Found::Distance(found) => finding.with_distance(found, unit),
            Found::Contacts(found) => finding.with_contacts(found, &a.pose, unit),
            Found::Meet(true) => SceneFinding { kind: SceneKind::Hard, sentence: "they meet".into(), ..finding },
            Found::Meet(false) => SceneFinding { sentence: "they do not meet".into(), ..finding },
        };
        let details = vec![
            ("pairs of volumes, Nv".to_owned(), thousands(volume_tests)),
            ("pairs of triangles, Np".to_owned(), thousands(triangle_tests)),
        ];
        SceneFinding { details, ..finding }
    }

    /// The page: both parts, their trees, and the answer.
    fn scene<K: Kind>(
        &self,
        indices: [&Index<K>; 2],
        explain: &Explain,
        answer: &Answer,
        finding: SceneFinding,
    ) -> Result<Scene, Error> {
        let [a, b] = &self.parts;
        let mut scene = self.arguments.two.scene(self.model)?;
        let finding = finding.with_places((&a.body.shape, &a.pose), (&b.body.shape, &b.pose));
        let names = [("A", 0), ("B", 1)]
            .map(|(letter, k)| format!("{letter}: {}; {}", self.arguments.tree.words(), answer.trees[k].words()));
        let parts = [a.number(self.model), b.number(self.model)];
        let (trees, notes) = SceneTrees::of_explain(indices, parts, names.clone(), explain);
        scene.verdict = verdict(answer);
        scene.summary.extend(names);
        scene.summary.push(format!("Nv: {} of volumes compared", count(answer.nv, "pair")));
        scene.summary.push(format!("Np: {} of triangles compared", count(answer.np, "pair")));
        scene.notes.extend(notes);
        scene.tables.push(table(answer));
        scene.findings.push(finding);
        scene.trees = Some(trees);
        Ok(scene)
    }
}

/// Answers the question by two indices.
fn ask<K: Kind>(asked: Question, [a, b]: [&Index<K>; 2], [at_a, at_b]: [&Pose; 2], explain: &mut Explain) -> Found {
    let mut workspace = Workspace::default();
    match asked {
        Question::Distance(options) => {
            Found::Distance(Box::new(a.distance_with(at_a, b, at_b, &options, &mut workspace, explain)))
        }
        Question::Contact { all: false } => {
            let options = IntersectsOptions::default();
            Found::Meet(a.intersects_with(at_a, b, at_b, &options, &mut workspace, explain))
        }
        Question::Contact { all: true } => {
            let mut found = Contacts::default();
            a.contacts_with(at_a, b, at_b, &ContactsOptions::default(), &mut workspace, explain, &mut found);
            Found::Contacts(Box::new(found))
        }
    }
}

impl Found {
    fn distance(&self) -> Option<&Distance> {
        if let Found::Distance(found) = self { Some(found) } else { None }
    }

    fn meet(&self) -> Option<bool> {
        match self {
            Found::Distance(_) => None,
            Found::Meet(meet) => Some(*meet),
            Found::Contacts(found) => Some(found.gap.lower <= 0.0),
        }
    }

    fn triangles(&self) -> Option<Vec<[u32; 2]>> {
        let Found::Contacts(found) = self else { return None };
        Some(found.crossings.iter().map(|crossing| [crossing.triangle_a, crossing.triangle_b]).collect())
    }
}

fn level_rows(explain: &Explain) -> Vec<LevelRow> {
    let row = |(level, counts): (usize, &clearance::index::ExplainedLevel)| LevelRow {
        level,
        pairs: counts.visits,
        pruned: counts.pruned,
        dropped: counts.dropped,
        triangle_pairs: counts.triangle_tests,
        reached_a: 0,
        volumes_a: 0,
        reached_b: 0,
        volumes_b: 0,
    };
    let mut rows: Vec<LevelRow> = explain.levels().iter().enumerate().map(row).collect();
    for tree in [0, 1] {
        for (&level, visits) in explain.node_levels(tree).iter().zip(explain.nodes(tree)) {
            let row = &mut rows[level as usize];
            let [reached, volumes] = match tree {
                0 => [&mut row.reached_a, &mut row.volumes_a],
                _ => [&mut row.reached_b, &mut row.volumes_b],
            };
            *reached += usize::from(*visits != NodeVisits::None);
            *volumes += 1;
        }
    }
    rows
}

impl VisitRow {
    fn of(visit: &clearance::index::Visit) -> VisitRow {
        let (outcome, triangle_pairs) = match visit.outcome {
            VisitOutcome::Opened => ("opened", None),
            VisitOutcome::Pruned => ("pruned", None),
            VisitOutcome::Dropped => ("dropped", None),
            VisitOutcome::Tested(count) => ("tested", Some(count)),
            VisitOutcome::Waiting => ("waiting", None),
        };
        VisitRow {
            a: visit.nodes[0],
            b: visit.nodes[1],
            level_a: visit.levels[0],
            level_b: visit.levels[1],
            bound: visit.lower,
            limit: Some(visit.limit).filter(|limit| limit.is_finite()),
            outcome,
            triangle_pairs,
        }
    }
}

fn verdict(answer: &Answer) -> String {
    format!("{}; Nv {}, Np {}", answer.found, thousands(answer.nv), thousands(answer.np))
}

/// The columns of the table by level.
const COLUMNS: [&str; 7] = ["level", "pairs", "pruned", "dropped", "triangle pairs", "reached of A", "reached of B"];

fn cells(row: &LevelRow) -> [String; 7] {
    let of = |reached: usize, all: usize| format!("{} of {}", thousands(reached as u64), thousands(all as u64));
    [
        row.level.to_string(),
        thousands(row.pairs),
        thousands(row.pruned),
        thousands(row.dropped),
        thousands(row.triangle_pairs),
        of(row.reached_a, row.volumes_a),
        of(row.reached_b, row.volumes_b),
    ]
}

/// The same for the page, where there is less room.
fn table(answer: &Answer) -> SceneTable {
    let row = |row: &LevelRow| {
        let [level, pairs, pruned, dropped, triangles, ..] = cells(row);
        let [of_a, of_b] = [row.reached_a, row.reached_b].map(|reached| thousands(reached as u64));
        vec![level, pairs, pruned, dropped, triangles, of_a, of_b]
    };
    let columns = ["level", "pairs", "pruned", "dropped", "triangles", "of A", "of B"].map(String::from).to_vec();
    SceneTable { title: "By level".into(), columns, rows: answer.levels.iter().map(row).collect() }
}

/// Columns set to the right.
pub(super) fn aligned<const N: usize>(columns: [&str; N], rows: &[[String; N]], out: &mut Lines) {
    let head = columns.map(String::from);
    let width = |k: usize| rows.iter().chain([&head]).map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    for row in [&head].into_iter().chain(rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
        out.line(cells.collect::<Vec<_>>().join("  "));
    }
}

fn text(answer: &Answer, tree: &TreeArguments) -> String {
    let mut out = Lines::default();
    out.line(format!("{} x {}", answer.a, answer.b));
    out.line(format!("{:<10}{}", answer.question, answer.found));
    if let Some([p, q]) = answer.points {
        out.line(format!("from      {}", shown(p)));
        out.line(format!("to        {}", shown(q)));
    }
    if let Some(triangles) = &answer.triangles {
        out.line(format!("triangles {} that meet", count(triangles.len() as u64, "pair")));
    }
    out.line(format!("tree      {}", tree.words()));
    out.line(format!("of A      {}", answer.trees[0].words()));
    out.line(format!("of B      {}", answer.trees[1].words()));
    out.line(format!("Nv        {} of volumes compared", count(answer.nv, "pair")));
    out.line(format!("Np        {} of triangles compared", count(answer.np, "pair")));
    out.blank();
    let last = answer.levels.iter().rposition(|row| row.pairs > 0).map_or(0, |last| last + 1);
    aligned(COLUMNS, &answer.levels[..last].iter().map(cells).collect::<Vec<_>>(), &mut out);
    out.text()
}

/// The levels of a picture: all, or eight from the root to the last.
pub(super) fn panels(levels: usize) -> Vec<u32> {
    const PANELS: usize = 8;
    match levels {
        0..=PANELS => (0..levels as u32).collect(),
        _ => (0..PANELS).map(|k| (k * (levels - 1) / (PANELS - 1)) as u32).collect(),
    }
}
