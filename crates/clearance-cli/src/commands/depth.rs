//! `clearance depth`: how deep the parts of two files overlap, and the way out, with proofs.
//!
//! Every part of A is measured against every part of B. The answer is the deepest pair, whose lower bound holds for all
//! of B. Whether its way out also separates the other pairs is tested; if not, B is moved on until all are separated,
//! which need not be the shortest way, and is reported separately.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clearance::answer::{Contacts, DepthLabel, SolidDepth};
use clearance::glam::DVec3;
use clearance::query::solid_depth_with;
use clearance::query::{ContactsOptions, DepthSearch, SolidDepthOptions, contacts_with, depth_along};
use clearance::verify::Refusal;
use clearance::{PairCache, Pose, Workspace, distance};
use clearance_check::output::escape::terminal;
use clearance_check::output::{Lines, json, short};
use clearance_check::{Clash, Error, Model, Scratch, Solid, overlaps};
use clearance_view::sentence::with_unit;
use clearance_view::{Proved, SceneFinding, SceneKind};
use indicatif::ProgressBar;
use serde::Serialize;

use super::distance::nearest;
use super::moved::{Written, write_moved};
use super::two::{PosedPart, Two, along, pairs, shown, vector};
use super::{Outcome, does_not_hold, path};
use crate::destination::{self, Kind};
use crate::print;

/// Measure how deep the parts of one file are in those of another, and find the shortest way out.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub two: Two,

    /// Stop when the bracket is no wider than this fraction of the depth.
    #[arg(long, value_name = "PART", default_value_t = 0.05, value_parser = part)]
    tolerance: f64,

    /// Stop after this much work, about one mesh query per unit; the bracket is then wider but still valid.
    #[arg(long, value_name = "WORK", default_value_t = SolidDepthOptions::default().work)]
    budget: u64,

    /// Move B along this direction only.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true,
          conflicts_with_all = ["near", "search", "estimate", "tolerance", "budget"])]
    direction: Option<DVec3>,

    /// Search only near this translation, such as the last answer: fast, but not always the shortest.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    near: Option<DVec3>,

    /// How the first way out is found: along directions, or by levels of convex hulls, each of which is listed.
    #[arg(long, value_enum, default_value_t = FirstSearch::Directions)]
    search: FirstSearch,

    /// Also answer for parts that are not solids: how far to move B until the surfaces do not meet.
    #[arg(long)]
    estimate: bool,

    /// The signed gap at each pose of B in a file, one per line, as for --pose; `-` is stdin.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pose", "direction", "near", "estimate", "write"])]
    pub path: Option<PathBuf>,

    /// Write the parts of B, moved clear of A: STL, OBJ, PLY, GLB or 3MF.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// No progress and no notes on stderr.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How the first way out is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum FirstSearch {
    #[default]
    Directions,
    Levels,
}

const EXAMPLES: &str = "\
Every part of A is measured against every part of B; the answer is the deepest pair. If other pairs still overlap after
its way out, they are listed with a translation that separates all. Parts must be solids: `clearance info` says why one
is not.

Examples:
  clearance depth pin.stl plate.stl                       how deep, and the shortest way out
  clearance depth pin.stl plate.stl --tolerance 0.001 --json
  clearance depth pin.stl plate.stl --direction 0,0,1     how far to lift the plate
  clearance depth pin.stl plate.stl --write free.obj      the plate moved out
  clearance depth hook.stl eye.stl --path poses.txt       the signed gap along a path

Exit codes: 0 answered, whether they overlap or not; 2 error.";

/// What to do about parts that are not solids.
const ADVICE: &str = "--estimate answers for surfaces as well";

fn part(text: &str) -> Result<f64, String> {
    let part: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.0..=1.0).contains(&part) { Ok(part) } else { Err(format!("expected a fraction between 0 and 1, got {part}")) }
}

/// The depth and the way out. Lengths are in `unit`, points and vectors in world coordinates.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    a: String,
    b: String,
    /// How far B has to be moved. Zero for parts that are apart.
    depth: f64,
    lower: f64,
    upper: f64,
    /// Moving B by this separates the two parts.
    translation: [f64; 3],
    normal: [f64; 3],
    /// Searched in all directions (`global`), near a translation (`local`), along a direction (`along`), or of surfaces
    /// (`estimate`).
    label: &'static str,
    method: String,
    /// The budget ended the search before the tolerance was reached.
    interrupted: bool,
    work: u64,
    /// What each level of the search by levels did.
    levels: Vec<Level>,
    /// The distance, if they are apart.
    distance: Option<f64>,
    /// Where the two parts touch after the translation, the nearest first.
    places: Vec<Place>,
    /// The number of pairs of parts that overlap.
    overlapping: usize,
    /// The pairs of parts that overlap after the translation.
    left: Vec<[String; 2]>,
    /// A translation after which none does, if some are left; null if none was found.
    frees_all: Option<[f64; 3]>,
    /// Verified by independent code: the bracket; along a direction only its upper end.
    verified: bool,
    /// The file that was written.
    written: Option<Written>,
}

#[derive(Debug, Serialize)]
struct Level {
    level: u32,
    pairs: u64,
    kept: u64,
    depth: f64,
}

/// Where two parts touch.
#[derive(Debug, Serialize)]
struct Place {
    /// On A.
    point: [f64; 3],
    /// From A to B.
    normal: [f64; 3],
    gap: f64,
    triangle_a: u32,
    triangle_b: u32,
    feature_a: String,
    feature_b: String,
}

impl Arguments {
    pub fn options(&self) -> SolidDepthOptions {
        SolidDepthOptions {
            relative_tolerance: self.tolerance,
            work: self.budget,
            near: self.near,
            search: match self.search {
                FirstSearch::Directions => DepthSearch::Directions,
                FirstSearch::Levels => DepthSearch::Levels,
            },
            estimate: self.estimate,
            ..SolidDepthOptions::default()
        }
    }
}

/// The answer for two parts.
struct Found<'m> {
    a: PosedPart<'m>,
    b: PosedPart<'m>,
    /// The depth and its bracket.
    bounds: [f64; 3],
    normal: DVec3,
    /// The full answer; `None` along a direction.
    solid: Option<SolidDepth>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let also_read = arguments.path.as_deref();
    let written = arguments.write.as_deref().map(|path| (path, Kind::Parts));
    let files = arguments.two.files()?;
    destination::check(
        files.iter().map(|&(path, format)| (path, format.kind())).chain(written),
        arguments.two.inputs().into_iter().chain(also_read),
    )?;
    let model = arguments.two.load(Solid::Auto)?;
    let [of_a, of_b] = arguments.two.sides(&model)?;
    if let Some(file) = &arguments.path {
        return path::run(arguments, file, &model, &of_a, &of_b);
    }
    let (found, overlapping) = deepest(arguments, &model, &of_a, &of_b)?;
    let Found { a, b, bounds: [depth, lower, upper], normal, ref solid } = found;
    let translation = normal * upper;
    let mut answer = Answer {
        schema: "clearance-depth/1",
        unit: model.unit().map(|unit| unit.to_string()),
        a: a.part.id.clone(),
        b: b.part.id.clone(),
        depth,
        lower,
        upper,
        translation: along(normal, upper),
        normal: along(normal, 1.0),
        label: match solid.as_ref().map(|solid| solid.label) {
            None => "along",
            Some(DepthLabel::Local) => "local",
            Some(DepthLabel::Estimate) => "estimate",
            Some(_) => "global",
        },
        method: solid.as_ref().map_or_else(|| "Along".into(), |solid| format!("{:?}", solid.penetration.method)),
        interrupted: solid.as_ref().is_some_and(|solid| solid.interrupted),
        work: solid.as_ref().map_or(0, |solid| solid.work),
        levels: solid.iter().flat_map(|solid| &solid.levels).map(Level::from).collect(),
        distance: None,
        places: places(&a, &b, translation)?,
        overlapping,
        left: left(&of_a, &of_b, translation)?,
        frees_all: None,
        verified: false,
        written: None,
    };
    if upper == 0.0 {
        answer.distance = Some(distance(&a.body.shape, &a.pose, &b.body.shape, &b.pose).gap.value);
    }
    let mut free = Some(translation);
    if !answer.left.is_empty() {
        free = free_all(&of_a, &of_b, translation)?;
        answer.frees_all = free.map(|by| along(by, 1.0));
    }
    let refused = verify_found(&found)?;
    answer.verified = refused.is_none();
    if let (Some(path), true) = (&arguments.write, answer.verified) {
        let Some(by) = free else {
            return Err(Error::Usage(
                "found no translation that separates all parts: select some with --part-b".into(),
            ));
        };
        answer.written = Some(write_moved(&arguments.two, &model, [&of_a, &of_b], by, path)?);
    }
    if !arguments.quiet {
        notes(&answer);
    }
    arguments.two.write_page(&model, |scene| {
        scene.findings.push(shown_as(&answer, &found, &model));
        scene.verdict.clone_from(&scene.findings[0].sentence);
        Ok(())
    })?;
    arguments.two.write_files("depth", &answer, None)?;
    print::result(&if arguments.two.json { json(&answer)? } else { text(&answer) })?;
    refused.map_or(Ok(Outcome::Clean), Err)
}

/// The answer on a page.
fn shown_as(answer: &Answer, found: &Found<'_>, model: &Model) -> SceneFinding {
    let (a, b, unit) = (&found.a, &found.b, answer.unit.as_deref());
    let finding = SceneFinding::new("depth", SceneKind::Measured, a.number(model), b.number(model));
    let finding = match answer.distance {
        Some(distance) => {
            let sentence = format!("apart by {}: there is no depth", with_unit(distance, unit));
            SceneFinding { sentence, ..finding }
        }
        None => {
            let details = vec![("search".into(), answer.label.into()), ("method".into(), answer.method.clone())];
            let depth = Proved::new(answer.depth, answer.lower, answer.upper);
            SceneFinding { details, ..finding.with_depth(depth, answer.translation, unit) }
        }
    };
    finding.with_places((&a.body.shape, &a.pose), (&b.body.shape, &b.pose))
}

/// The two parts that are deepest in each other, and how many overlap.
fn deepest<'m>(
    arguments: &Arguments,
    model: &'m Model,
    of_a: &[PosedPart<'m>],
    of_b: &[PosedPart<'m>],
) -> Result<(Found<'m>, usize), Error> {
    let bar = if arguments.quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    let options = arguments.options();
    let ask = |a: PosedPart<'m>, b: PosedPart<'m>| -> Result<Found<'m>, Error> {
        let shapes = (&a.body.shape, &a.pose, &b.body.shape, &b.pose);
        if let Some(direction) = arguments.direction {
            let found = depth_along(shapes.0, shapes.1, shapes.2, shapes.3, direction).map_err(Error::from)?;
            let bounds = [found.depth.value, found.depth.lower, found.depth.upper];
            return Ok(Found { a, b, bounds, normal: found.direction, solid: None });
        }
        let mut calls = 0_u32;
        let tell = |lower: f64, upper: f64| {
            if calls.is_multiple_of(64) {
                let bounds = format!("between {} and {} deep", short(lower), short(upper));
                let pair = format!("{} x {}: {bounds}", a.part.id, b.part.id);
                bar.set_message(terminal(&pair).into_owned());
                bar.tick();
            }
            calls = calls.wrapping_add(1);
            true
        };
        let found = solid_depth_with(shapes.0, shapes.1, shapes.2, shapes.3, &options, &mut Workspace::default(), tell)
            .map_err(Error::from)?;
        let answer = found.penetration;
        let bounds = [answer.depth.value, answer.depth.lower, answer.depth.upper];
        Ok(Found { a, b, bounds, normal: answer.normal, solid: Some(found) })
    };
    let mut best: Option<Found<'m>> = None;
    let mut overlapping = 0;
    for (a, b) in pairs(of_a, of_b).filter(|(a, b)| a.bounds().overlaps(&b.bounds())) {
        if !arguments.estimate {
            a.must_be_solid(model, ADVICE)?;
            b.must_be_solid(model, ADVICE)?;
        }
        let found = ask(*a, *b)?;
        overlapping += usize::from(found.bounds[2] > 0.0);
        if best.as_ref().is_none_or(|best| found.bounds[2] > best.bounds[2]) {
            best = Some(found);
        }
    }
    bar.finish_and_clear();
    match best {
        Some(best) if best.bounds[2] > 0.0 => Ok((best, overlapping)),
        // Parts apart: the nearest.
        _ => {
            let (_, a, b) = nearest(of_a, of_b)?;
            Ok((ask(a, b)?, 0))
        }
    }
}

/// Two parts relative to each other, the second moved: near the origin no digits of a translation are lost.
fn relative(a: &PosedPart<'_>, b: &PosedPart<'_>, by: DVec3) -> Result<[Pose; 2], Error> {
    let at = |pose: &Pose, translation: DVec3| {
        Pose::new(pose.rotation(), translation).map_err(|error| Error::Usage(format!("the way out: {error}")))
    };
    Ok([at(&a.pose, DVec3::ZERO)?, at(&b.pose, b.pose.translation() - a.pose.translation() + by)?])
}

/// The largest number of places listed.
const PLACES: usize = 32;

/// What counts as touching after a translation, relative to the size.
const TOUCHING: f64 = 1e-9;

/// Where two parts touch after B is moved.
fn places(a: &PosedPart<'_>, b: &PosedPart<'_>, by: DVec3) -> Result<Vec<Place>, Error> {
    let [pose_a, pose_b] = relative(a, b, by)?;
    let size = (a.body.shape.bounds().size() + b.body.shape.bounds().size()).max_element();
    let options = ContactsOptions { margin: TOUCHING * size, ..ContactsOptions::default() };
    let mut found = Contacts::default();
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
    contacts_with(shape_a, &pose_a, shape_b, &pose_b, &options, &mut cache, &mut workspace, &mut found);
    let mut points = std::mem::take(&mut found.points);
    points.sort_by(|p, q| p.gap.value.total_cmp(&q.gap.value));
    // A corner or an edge belongs to several triangles; any of them suffices.
    let mut seen = BTreeSet::new();
    points.retain(|point| seen.insert(point.witness.a.point.to_array().map(f64::to_bits)));
    points.truncate(PLACES);
    let place = |point: &clearance::answer::Contact| Place {
        point: a.pose.transform_point(point.witness.a.point).to_array(),
        normal: along(point.normal, 1.0),
        gap: point.gap.value,
        triangle_a: point.witness.a.part,
        triangle_b: point.witness.b.part,
        feature_a: format!("{:?}", point.witness.a.feature),
        feature_b: format!("{:?}", point.witness.b.feature),
    };
    Ok(points.iter().map(place).collect())
}

/// The pairs of parts that overlap after B is moved.
fn left(of_a: &[PosedPart<'_>], of_b: &[PosedPart<'_>], by: DVec3) -> Result<Vec<[String; 2]>, Error> {
    let mut scratch = Scratch::default();
    let mut left = Vec::new();
    for (a, b) in pairs(of_a, of_b) {
        let [pose_a, pose_b] = relative(a, b, by)?;
        if overlaps((a.body, &pose_a), (b.body, &pose_b), &mut scratch) {
            left.push([a.part.id.clone(), b.part.id.clone()]);
        }
    }
    Ok(left)
}

/// The largest number of moves of B to separate all parts.
const MOVES: usize = 32;

/// A translation of B that separates all parts, from one that separates some: out of the deepest overlap, repeatedly.
fn free_all(of_a: &[PosedPart<'_>], of_b: &[PosedPart<'_>], from: DVec3) -> Result<Option<DVec3>, Error> {
    let (mut by, mut scratch) = (from, Scratch::default());
    for _ in 0..MOVES {
        let mut clash = Clash::None;
        for (a, b) in pairs(of_a, of_b) {
            let [pose_a, pose_b] = relative(a, b, by)?;
            clash = clash.and((a.body, &pose_a), (b.body, &pose_b), &mut scratch);
            if matches!(clash, Clash::Unknown) {
                break;
            }
        }
        by += match clash {
            Clash::None => return Ok(Some(by)),
            Clash::Deep(way_out) => way_out,
            Clash::Unknown => return Ok(None),
        };
    }
    Ok(None)
}

/// Verifies the answer; the error if that fails.
fn verify_found(found: &Found<'_>) -> Result<Option<Error>, Error> {
    let (a, b) = (&found.a, &found.b);
    let refused = match &found.solid {
        Some(solid) => solid.verify(&a.body.shape, &a.pose, &b.body.shape, &b.pose),
        // Parts moved along the direction are apart.
        None => {
            let [pose_a, pose_b] = relative(a, b, found.normal * found.bounds[2])?;
            let gap = distance(&a.body.shape, &pose_a, &b.body.shape, &pose_b);
            let claimed = found.bounds[2];
            if claimed > 0.0 && gap.gap.lower <= 0.0 {
                Err(Refusal::Upper { claimed, proved: f64::INFINITY })
            } else {
                gap.verify(&a.body.shape, &pose_a, &b.body.shape, &pose_b)
            }
        }
    };
    Ok(refused.err().map(|refusal| does_not_hold(&refusal)))
}

impl From<&clearance::answer::DepthLevel> for Level {
    fn from(level: &clearance::answer::DepthLevel) -> Level {
        Level { level: level.level, pairs: level.pairs, kept: level.kept, depth: level.depth }
    }
}

/// Notes on the answer.
fn notes(answer: &Answer) {
    if answer.overlapping > 1 {
        print::note(format_args!("{} pairs of parts overlap; this is the deepest", answer.overlapping));
    }
    for [a, b] in &answer.left {
        print::note(format_args!("still overlapping after the translation: {a} x {b}"));
    }
    for note in answer.written.iter().flat_map(|written| &written.notes) {
        print::note(note);
    }
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = Lines::default();
    out.line(format!("{} x {}", answer.a, answer.b));
    if let Some(distance) = answer.distance {
        out.line(format!("depth     0, apart by {distance}{unit}"));
        return out.text();
    }
    let how = match (answer.label, answer.interrupted) {
        ("global", false) => String::new(),
        ("global", true) => "   (the budget ended before the tolerance was reached)".into(),
        (label, _) => format!("   ({label})"),
    };
    out.line(format!("depth     {}{unit}{how}", answer.depth));
    out.line(format!("proved    {} <= truth <= {}", answer.lower, answer.upper));
    out.line(format!("way out   move B by {}", shown(answer.translation)));
    if let Some(by) = answer.frees_all {
        out.line(format!("all parts move B by {}", shown(by)));
    }
    for place in answer.places.iter().take(3) {
        out.line(format!("touching  at {}, {} on {}", shown(place.point), place.feature_a, place.feature_b));
    }
    for level in &answer.levels {
        let Level { level, pairs, kept, depth } = level;
        out.line(format!("level {level:<3} {kept} of {pairs} pairs of hulls, {depth}{unit}"));
    }
    if let Some(written) = &answer.written {
        out.line(format!("written   {}, moved by {}", written.path, shown(written.translation)));
    }
    out.text()
}
