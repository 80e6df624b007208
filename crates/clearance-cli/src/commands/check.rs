//! `clearance check`: which parts clash, touch or come too close.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clearance_check::output::short;
use clearance_check::{
    Approvals, BUDGET, Baseline, Bounds, CubicLength, Error, Kind, Length, LoadOptions, MAX_FINDINGS, MAX_PAIRS, Model,
    PairPattern, Quantity, Repair, Report, Rules, RulesFile, RulesUsed, ShardNumber, Solid, check_shard,
};
use clearance_files::Unit;
use indicatif::{ProgressBar, ProgressStyle};

use super::Outcome;
use super::output::OutputArguments;
use super::values::{KindValue, SolidValue};
use crate::input::read_text;
use crate::limits::THREADS_PER_CORE;
use crate::print;

/// Check all pairs of parts of one or more files: STL, OBJ, PLY, OFF, glTF, 3MF.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Part files. All parts of all files are checked against each other.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The required distance between parts; 0 only forbids contact. Lengths may have a unit: `0.5mm`.
    #[arg(long, value_name = "LENGTH")]
    clearance: Option<Length>,

    /// Gaps up to this count as touching, and so do overlaps that a translation of this length separates [default: 1e-7
    /// of the size of the assembly].
    #[arg(long, value_name = "LENGTH")]
    touch: Option<Length>,

    /// Check only pairs whose names match `a:b`, in either order; `*` matches any characters, `?` one. `a` alone
    /// matches against all others.
    #[arg(long, value_name = "A:B")]
    pairs: Vec<PairPattern>,

    /// Do not fail if no two parts match --pairs or --set.
    #[arg(long)]
    allow_empty: bool,

    /// Skip pairs whose names match.
    #[arg(long, value_name = "A:B")]
    ignore: Vec<PairPattern>,

    /// Kinds of finding to accept.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    allow: Vec<KindValue>,

    /// Tessellation tolerance: overlaps proved to be no deeper than this are fits, and accepted.
    #[arg(long, value_name = "LENGTH")]
    allowed_depth: Option<Length>,

    /// Accept overlaps that a translation of this length is proved to separate.
    #[arg(long, value_name = "LENGTH")]
    allowed_way_out: Option<Length>,

    /// Accept overlaps of solids whose common volume is proved to be at most this, in cubic units or as `3mm^3`.
    #[arg(long, value_name = "VOLUME")]
    allowed_volume: Option<CubicLength>,

    /// Skip the search for ways out, and volumes that no rule needs: faster, with only rough bounds on the way out.
    /// Depths are still computed.
    #[arg(long, visible_alias = "no-way-out")]
    no_depth: bool,

    /// The work budget of all searches and volumes, counted, not timed; the default is about ten seconds of one core.
    /// What the verdict depends on comes first, then ways out and volumes, deepest overlap first. A pair gets a
    /// fortieth at most. A note says if it was not enough.
    #[arg(long, alias = "depth-budget", value_name = "WORK", default_value_t = BUDGET)]
    budget: u64,

    /// A rules file [default: `clearance.toml` next to the first file, if it exists].
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Check only this test set of the rules (`[[set]]`): parts that match its `a` against parts that match its `b`.
    /// Repeatable.
    #[arg(long, value_name = "NAME", conflicts_with = "no_rules")]
    set: Vec<String>,

    /// Use no rules file.
    #[arg(long, conflicts_with = "rules")]
    no_rules: bool,

    /// Which parts are solids; a part inside a solid is found.
    #[arg(long, value_enum, default_value_t = SolidValue::Auto)]
    solid: SolidValue,

    /// The unit of lengths on the command line, of the results, and of files that name none: um, mm, cm, in, ft, m.
    #[arg(long)]
    unit: Option<Unit>,

    /// The unit of all files, overriding what they say: glTF is in metres by its standard, and often in millimetres.
    #[arg(long, value_name = "UNIT")]
    file_unit: Option<Unit>,

    /// Merge points of a part up to this far apart, in the unit of its file. Points with equal coordinates are always
    /// merged.
    #[arg(long, value_name = "LENGTH")]
    weld: Option<Length>,

    /// Repair parts that are not closed, so that they have an interior: `off`, `auto` (within a thousandth of the
    /// part's size), or within a length. Closes cracks and T-junctions, drops triangles without area, orients the rest
    /// consistently. Whether and where surfaces meet is still decided by the triangles as given.
    #[arg(long, value_name = "off|auto|LENGTH", default_value_t = Repair::Auto)]
    repair: Repair,

    #[command(flatten)]
    output: OutputArguments,

    /// An earlier report of the same assembly (-o FILE.json): exit 1 only for findings that it does not have, by their
    /// ids, or has as a milder kind. Known findings stay in the report, marked.
    #[arg(long, value_name = "REPORT", conflicts_with = "shard")]
    baseline: Option<PathBuf>,

    /// A text file of approved findings, one per line: an id or `part × part`, then `# comment`. They stay in the
    /// report, marked, and are no reason to exit 1. --write-approved makes such a file.
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    approved: Option<PathBuf>,

    /// Run one shard of the check, such as `2/4`, to share it between machines: each writes -o FILE.json, and
    /// `clearance merge` combines them into the report of a single run. At most 40 shards have work.
    #[arg(long, value_name = "I/N")]
    shard: Option<ShardNumber>,

    /// Fail before measuring if more pairs of parts than this are near each other and not skipped by --pairs, --ignore
    /// or rules.
    #[arg(long, value_name = "N", default_value_t = MAX_PAIRS)]
    max_pairs: u64,

    /// Fail at more findings than this.
    #[arg(long, value_name = "N", default_value_t = MAX_FINDINGS)]
    max_findings: u64,

    /// The number of threads [default: one per core], up to four per core. The results do not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// No progress and no notes on stderr, except the name of a `clearance.toml` used by default.
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Kinds of finding, worst first:
  hard        interiors overlap, surfaces cross, or one part is inside another
  duplicate   the same geometry in the same place
  clearance   apart, but closer than --clearance
  touching    in contact, or within --touch of it

Examples:
  clearance check gearbox.glb
  clearance check gearbox.glb --clearance 0.5 --unit mm --allow touching
  clearance check housing.stl cover.stl --unit mm --ignore 'bolt*'
  clearance check site.obj --pairs 'pipe*:beam*' -o clashes.csv
  clearance check gearbox.glb --rules rules.toml -o clashes.xml
  clearance check gearbox.glb -o report.json -o page.html -o clashes.csv
  clearance check gearbox.glb --baseline report.json        exit 1 only for what is new
  clearance check gearbox.glb --write-approved approved.txt     then edit it
  clearance check gearbox.glb --approved approved.txt       exit 1 only for what is not approved
  clearance check plant.glb --set 'pipes against beams'     one [[set]] of clearance.toml
  clearance check plant.glb --shard 1/4 -o 1.json --exit-zero     and 2/4, 3/4, 4/4 elsewhere
  clearance merge 1.json 2.json 3.json 4.json                     the same as one run

Exit codes: 0 clean, or only known and approved findings; 1 findings; 2 error or a part that could not be measured.";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let start = Instant::now();
    let rules_file = rules_file(arguments);
    let inputs = arguments.files.iter().chain(&rules_file).chain(&arguments.baseline).chain(&arguments.approved);
    arguments.output.files.can_write(inputs.map(PathBuf::as_path))?;
    let baseline = arguments.baseline.as_ref().map(|path| Baseline::parse(path, &read_text(path)?)).transpose()?;
    let approvals = arguments.approved.as_ref().map(|path| Ok::<_, Error>(Approvals::parse(path, &read_text(path)?)));
    let approvals = approvals.transpose()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(arguments)).build();
    let pool = pool.map_err(|error| Error::Usage(format!("--threads: {error}")))?;
    pool.install(|| {
        let (unit, file_unit) = (arguments.unit, arguments.file_unit);
        let weld = in_unit(arguments.weld, file_unit.or(unit))?;
        let repair = repair(arguments, rules_file.as_deref())?;
        let options = LoadOptions { solid: arguments.solid.into(), unit, file_unit, weld, repair };
        let model = Model::load(&arguments.files, &options)?;
        baseline.as_ref().map_or(Ok(()), |baseline| baseline.check_parts(&model))?;
        let (rules, used, unit) = rules(arguments, rules_file.as_deref(), &model)?;
        let loaded = start.elapsed();
        let mut report = {
            let bar = if arguments.quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} %, {eta} left") {
                bar.set_style(style);
            }
            let report = check_shard(&model, &rules, unit, arguments.shard, &|done, all| {
                bar.set_length(all);
                bar.set_position(done);
            });
            bar.finish_and_clear();
            report?
        };
        if let Some(rules) = used.as_ref().filter(|_| !arguments.quiet || arguments.rules.is_none()) {
            print::note(format_args!("rules from {}", rules.path));
        }
        report.rules = used;
        report.mark(baseline.as_ref(), approvals.as_ref());
        if !arguments.quiet {
            notes(&model);
            if let Some(line) = report.unsearched.as_ref().filter(|_| !arguments.output.is_text()) {
                print::note(format_args!("{line}"));
            }
            if let Some(hint) = fits(&report, model.size() / model.scale_from(report.unit.as_deref())) {
                print::note(format_args!("{hint}"));
            }
            let checked = start.elapsed() - loaded;
            print::note(format_args!(
                "loaded in {:.2} s, checked in {:.2} s",
                loaded.as_secs_f64(),
                checked.as_secs_f64()
            ));
        }
        arguments.output.write(&report, Some(&model))
    })
}

/// The number of threads; zero stands for one per core.
fn threads(arguments: &Arguments) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (asked, most) = (arguments.threads.unwrap_or(0), THREADS_PER_CORE.saturating_mul(cores));
    if asked > most && !arguments.quiet {
        print::note(format_args!(
            "--threads {asked}: using {most}, {THREADS_PER_CORE} per core; more would be no faster"
        ));
    }
    asked.min(most)
}

/// The rules file: as given, or the one next to the first part file.
fn rules_file(arguments: &Arguments) -> Option<PathBuf> {
    let beside = || Some(arguments.files.first()?.parent()?.join("clearance.toml")).filter(|path| path.is_file());
    if arguments.no_rules { None } else { arguments.rules.clone().or_else(beside) }
}

/// A length or volume from the command line, in a unit.
fn in_unit<const POWER: u8>(given: Option<Quantity<POWER>>, unit: Option<Unit>) -> Result<Option<f64>, Error> {
    given.map(|given| given.in_unit(unit)).transpose().map_err(Error::Usage)
}

/// How parts are repaired. A length without a unit is in that of the command line.
fn repair(arguments: &Arguments, rules: Option<&Path>) -> Result<Repair, Error> {
    let Repair::Within(length) = arguments.repair else { return Ok(arguments.repair) };
    let of_rules = match (arguments.unit, rules) {
        (None, Some(path)) => RulesFile::read(path)?.0.unit().map_err(Error::Usage)?,
        _ => None,
    };
    Ok(Repair::Within(length.or_unit(arguments.unit.or(of_rules))))
}

/// The rules from the command line and the file, and their unit.
fn rules(
    arguments: &Arguments,
    path: Option<&Path>,
    model: &Model,
) -> Result<(Rules, Option<RulesUsed>, Option<Unit>), Error> {
    let (file, used) = match path {
        Some(path) => {
            let (file, sha256) = RulesFile::read(path)?;
            (file, Some(RulesUsed { path: path.display().to_string(), sha256 }))
        }
        None => (RulesFile::default(), None),
    };
    if let Some(path) = path.filter(|_| file.allows_way_out_by_depth() && !arguments.quiet) {
        print::note(format_args!(
            "{}: in version 1 of the rules `allowed_depth` is the length of the way out; in version 2 it is the depth, \
             and the way out has `allowed_way_out`",
            path.display()
        ));
    }
    let of_file = file.unit().map_err(Error::Usage)?;
    let unit = arguments.unit.or(of_file).or(model.unit());
    if let (Some(unit), None) = (unit, model.unit()) {
        let path = path.unwrap_or_else(|| Path::new("the rules"));
        return Err(Error::Usage(format!(
            "{} is in {unit}, but {} names no unit: give it with --unit",
            path.display(),
            arguments.files[0].display()
        )));
    }
    let allow = (!arguments.allow.is_empty()).then(|| arguments.allow.iter().map(|&kind| kind.into()).collect());
    let given = Bounds {
        clearance: in_unit(arguments.clearance, unit)?,
        touch: in_unit(arguments.touch, unit)?,
        allow,
        allowed_depth: in_unit(arguments.allowed_depth, unit)?,
        allowed_way_out: in_unit(arguments.allowed_way_out, unit)?,
        allowed_volume: in_unit(arguments.allowed_volume, unit)?,
    };
    let in_file = |problem| Error::format(path.unwrap_or_else(|| Path::new("the rules")), problem);
    let mut rules = file.rules(unit, &given).map_err(in_file)?;
    let source = path.map_or_else(|| "no rules file".into(), |path| path.display().to_string());
    rules.select_sets(&arguments.set).map_err(|problem| Error::Usage(format!("--set: {source}: {problem}")))?;
    (rules.budget, rules.ways_out) = (arguments.budget, !arguments.no_depth);
    (rules.max_pairs, rules.max_findings) = (arguments.max_pairs, arguments.max_findings);
    rules.ignore("--ignore", &arguments.ignore);
    rules.only.clone_from(&arguments.pairs);
    if rules.asks_of_none(model) && !arguments.allow_empty {
        let asked: Vec<String> = arguments.pairs.iter().map(|pair| format!("`{pair}`")).collect();
        let asked = if asked.is_empty() {
            format!("{source}: no pair of parts matches a test set")
        } else {
            format!("--pairs: no pair of parts matches {}", asked.join(" or "))
        };
        return Err(Error::Usage(format!(
            "{asked}; `clearance info` lists the names of parts (--allow-empty checks nothing and goes on)"
        )));
    }
    Ok((rules, used, unit))
}

/// The largest depth of a fit of tessellated surfaces, relative to the size of the assembly: a circle whose radius is a
/// tenth of that size, with 16 facets.
const FIT_OF_SIZE: f64 = 2e-3;

/// A hint for a run without an allowed depth in which many overlaps are shallow: the smallest length of the form 1, 2 or
/// 5 times a power of ten that covers half of them, or the largest that a fit may have.
fn fits(report: &Report, size: f64) -> Option<String> {
    let hard = report.findings.iter().filter(|finding| finding.kind == Kind::Hard);
    let mut depths: Vec<f64> = hard.filter_map(|finding| finding.local_depth.as_ref()?.upper).collect();
    depths.sort_by(f64::total_cmp);
    let median = depths.get(depths.len() / 2).copied().filter(|depth| *depth > 0.0)?;
    let lengths = |near: f64| {
        let power = 10_f64.powf(near.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power)
    };
    let covers_half = lengths(median).into_iter().find(|length| median <= *length)?;
    let most = FIT_OF_SIZE * size;
    let length = lengths(most).into_iter().rfind(|length| *length <= most)?.min(covers_half);
    if report.tolerances.allowed_depth.is_some() {
        return None;
    }
    let (within, all) = (depths.iter().filter(|depth| **depth <= length).count(), report.count(Kind::Hard));
    // A few of many do not justify an allowance.
    if 4 * within < all {
        return None;
    }
    let (length, unit) = (short(length), report.unit.as_deref().unwrap_or_default());
    Some(format!(
        "{within} of {all} overlaps are no deeper than {length} {unit}: fits of tessellated surfaces? \
         --allowed-depth {length}{unit}"
    ))
}

/// What loading did to the files, and geometries that are not closed.
fn notes(model: &Model) {
    for (input, inside_out) in model.inputs().iter().zip(model.inside_out()) {
        input.notes.iter().for_each(|note| {
            // Some notes already name the file.
            let note = note.strip_prefix(&format!("{}: ", input.path)).unwrap_or(note);
            print::note(format_args!("{}: {note}", input.path));
        });
        // Geometries that are inside out have their own note.
        let open = input.geometries - input.solids - inside_out;
        if open > 0 && model.solid() == Solid::Auto {
            print::note(format_args!(
                "{}: {open} of {} geometries are not closed and have no interior: `clearance info` says why",
                input.path, input.geometries
            ));
        }
    }
}
