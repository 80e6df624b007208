//! Checks all pairs of a model: bounding boxes cull, rules select, pairs are measured on all cores, findings are sorted
//! and grouped.
//!
//! The outcome of a pair depends only on the pair and its rule. How tightly the depth of a clash is bracketed depends
//! on the other clashes in its slot, which share one work budget. Several runs may split the slots between them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use clearance::World;
use clearance_files::Unit;
use rayon::prelude::*;

use crate::error::Error;
use crate::groups::{Likeness, groups, length_of_likeness};
use crate::limits::POINTS_OF_FINDING;
use crate::measure::{Measured, Placed, Scratch, measure, near_gap};
use crate::model::{Model, Part};
use crate::output::{count, cubic, short, thousands};
use crate::report::{
    Allowed, Counts, Finding, Kind, Report, SCHEMA, SetUsed, Shard, Skipped, Tolerances, Unmeasured, Verdict, WayOut,
    id,
};
use crate::reuse::{Placement, Questions};
use crate::rules::{DEFAULT_RULE, Fate, Limits, Matched, Reason, Rules, cubed};
use crate::scale::Scale;
use crate::searches::{Clash, NO_WORK_LEFT, search_all};
use crate::shard::{AskedPair, SLOTS, ShardNumber, Slots, hash_of_asked};

/// Tests every pair of parts against the rules. Lengths in the rules and the report are in `unit`, or in the unit of
/// the files if there is none. `progress` is called with the steps done and the total, from any thread; each tested
/// pair counts as two steps.
///
/// See [`Report`] for an example.
///
/// # Errors
/// [`Error::Usage`] if there are more near pairs than [`Rules::max_pairs`] or more findings than
/// [`Rules::max_findings`].
pub fn check(
    model: &Model,
    rules: &Rules,
    unit: Option<Unit>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Report, Error> {
    check_shard(model, rules, unit, None, progress)
}

/// One shard of [`check`], or all of it. [`merge`](crate::merge) combines the reports of all shards into that of the
/// whole.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Rules, check, check_shard, merge};
/// let path = std::env::temp_dir().join(format!("clearance-shard-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// let (model, rules) = (Model::load(&[path.clone()], &LoadOptions::default()).unwrap(), Rules::default());
/// let shard = |number: &str| check_shard(&model, &rules, None, Some(number.parse().unwrap()), &|_, _| {}).unwrap();
/// let merged = merge(vec![("first".into(), shard("1/2")), ("second".into(), shard("2/2"))]).unwrap();
/// assert_eq!(merged, check(&model, &rules, None, &|_, _| {}).unwrap());
/// # std::fs::remove_file(&path).unwrap();
/// ```
///
/// # Errors
/// Those of [`check`]. `max_pairs` counts the near pairs of all shards together, `max_findings` the findings of this
/// one.
pub fn check_shard(
    model: &Model,
    rules: &Rules,
    unit: Option<Unit>,
    shard: Option<ShardNumber>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Report, Error> {
    let unit = unit.or(model.unit);
    let scale = Scale::new(model.unit, unit);
    let in_model = rules.clone().scaled(1.0 / scale.factor).with_touch(model.touch_band());
    let matched = Matched::new(&in_model, model.names());
    let warnings = warnings(model, &in_model, &matched, &scale);
    let (mut asked, near, skipped) = asked_pairs(model, &in_model, &matched)?;

    let mut counts = Counts { parts: model.parts.len(), geometries: model.bodies.len(), ..Counts::default() };
    let all = (model.parts.len() + model.unusable.len()) as u64;
    counts.pairs = all * all.saturating_sub(1) / 2;
    let usable = model.parts.len() as u64;
    let usable_pairs = usable * usable.saturating_sub(1) / 2;
    counts.unmeasured = counts.pairs - usable_pairs;
    counts.culled = usable_pairs - near;
    counts.skipped = skipped;
    let slots = Slots::new(model);
    let sets: Vec<&str> = in_model.sets.iter().map(|set| set.name.as_str()).collect();
    let shard = shard.map(|shard| {
        let (all, asked_of_all) = (asked.len() as u64, hash_of_asked(model, &asked));
        asked.retain(|&(a, b, ..)| shard.has(slots.of(a, b)));
        let elsewhere = all - asked.len() as u64;
        Shard { number: shard.number(), of: shard.of(), elsewhere, asked: asked_of_all }
    });
    counts.tested = asked.len() as u64;
    let tested = |name: &str| asked.iter().filter(|(_, _, reason, _)| reason.set == Some(name)).count() as u64;
    let sets = sets.into_iter().map(|name| SetUsed { name: name.to_owned(), tested: tested(name) }).collect();

    // Each pair is one step to measure and one to search; most pairs need no search.
    let (done, all) = (AtomicU64::new(0), 2 * counts.tested);
    let measured = measure_all(model, &asked, &slots, rules, &|steps| {
        progress(done.fetch_add(steps, Ordering::Relaxed) + steps, all);
    })?;

    let alike = length_of_likeness(model);
    let (mut findings, mut allowed) = (Vec::new(), Vec::new());
    for (&(a, b, reason, limits), found) in asked.iter().zip(measured) {
        let found = match found {
            Outcome::Found(found) => found,
            Outcome::Allowed => {
                counts.allowed += 1;
                continue;
            }
            Outcome::Clear => continue,
        };
        let is_allowed = found.is_allowed_overlap(limits);
        let mut found = finding(&model.parts[a], &model.parts[b], reason, limits.clearance, *found, &scale);
        match &found.way_out {
            Some(way_out) if is_allowed => {
                counts.allowed += 1;
                allowed.push(allowed_overlap(&found, way_out, limits, &scale));
            }
            _ => {
                found.likeness = Some(Box::new(Likeness::new(model, alike, a, b)));
                findings.push(found);
            }
        }
    }
    let unmeasured = model.unusable.iter().map(|(part, why)| Unmeasured { part: part.clone(), why: why.clone() });
    let (repaired, open) = model.repaired_and_open();
    let report = Report {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        verdict: Verdict::Clean,
        unit: unit.map(|unit| unit.to_string()),
        inputs: model.inputs.clone(),
        rules: None,
        baseline: None,
        approvals: None,
        sets,
        tolerances: Tolerances {
            clearance: rules.all.clearance,
            touch: rules.all.touch.unwrap_or_else(|| model.touch_band() * scale.factor),
            allowed_depth: rules.all.allowed_depth,
            allowed_way_out: rules.all.allowed_way_out,
            allowed_volume: rules.all.allowed_volume,
            budget: rules.budget,
            solid: model.solid,
            weld: model.weld,
            repair: model.repair,
        },
        shard,
        warnings,
        counts,
        groups: Vec::new(),
        findings,
        allowed,
        unmeasured: unmeasured.collect(),
        repaired: repaired.into_iter().map(|geometry| scale.repaired(geometry)).collect(),
        open: open.into_iter().map(|geometry| scale.open(geometry)).collect(),
        unsearched: None,
    };
    Ok(concluded(report))
}

/// Warnings that qualify a clean report: patterns that match nothing, and a clearance larger than the assembly.
fn warnings(model: &Model, rules: &Rules, matched: &Matched<'_>, scale: &Scale) -> Vec<String> {
    let unmatched = matched.unmatched();
    let pairs = unmatched.only.into_iter().map(|pair| format!("--pairs {pair} matches no pair of parts"));
    let of_rules = unmatched.rules.into_iter();
    let of_rules = of_rules.map(|rule| format!("rule `{}`: {} matches no pair of parts", rule.name, rule.parts));
    let of_sets = unmatched.sets.into_iter().map(|set| format!("set `{}` matches no pair of parts", set.name));
    let size = model.size();
    let unit = scale.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let named = rules.rules.iter().filter_map(|rule| Some((format!("rule `{}`", rule.name), rule.limits.as_ref()?)));
    let of_all = (format!("rule `{DEFAULT_RULE}`"), &rules.all);
    let named = named.chain(rules.sets.iter().map(|set| (format!("set `{}`", set.name), &set.limits)));
    let too_large = named.chain([of_all]).filter(|(_, limits)| limits.clearance > size);
    let too_large = too_large.map(|(name, limits)| {
        let [clearance, size] = [limits.clearance, size].map(|length| short(length * scale.factor));
        format!("{name}: the clearance of {clearance}{unit} exceeds the size of the assembly, {size}{unit}")
    });
    pairs.chain(of_rules).chain(of_sets).chain(too_large).collect()
}

/// The pairs to measure: those that are near each other and selected by the rules, in ascending order; how many are
/// near in total; and how many of these are skipped, and why.
///
/// # Errors
/// [`Error::Usage`] if there are more pairs to measure than the rules allow. No more than that are ever held in memory.
fn asked_pairs<'r>(
    model: &Model,
    rules: &Rules,
    matched: &Matched<'r>,
) -> Result<(Vec<AskedPair<'r>>, u64, Vec<Skipped>), Error> {
    let (mut asked, mut near) = (Vec::new(), 0);
    // Keyed by the rule that ignores them, or why they are not asked about.
    let mut skipped: BTreeMap<Result<&str, &str>, u64> = BTreeMap::new();
    visit_near_pairs(model, rules.reach(), |a, b| {
        near += 1;
        let ignored_by = match matched.fate(a, b) {
            Fate::Checked(..) if asked.len() as u64 >= rules.max_pairs => {
                return ControlFlow::Break(too_many_pairs(model, rules.max_pairs));
            }
            Fate::Checked(reason, limits) => {
                asked.push((a, b, reason, limits));
                return ControlFlow::Continue(());
            }
            Fate::Ignored(rule) => Ok(rule),
            Fate::NotAsked => Err("not among --pairs"),
            Fate::InNoSet => Err("in no set"),
        };
        *skipped.entry(ignored_by).or_default() += 1;
        ControlFlow::Continue(())
    })?;
    let why = |rule: Result<&str, &str>| rule.map_or_else(str::to_owned, |rule| format!("ignored: {rule}"));
    let mut skipped: Vec<Skipped> =
        skipped.into_iter().map(|(rule, pairs)| Skipped { why: why(rule), pairs }).collect();
    skipped.sort_by(|p, q| p.why.cmp(&q.why));
    Ok((asked, near, skipped))
}

fn too_many_pairs(model: &Model, most: u64) -> Error {
    let parts = model.parts.len() as u64;
    let [parts, all, most] = [parts, parts * parts.saturating_sub(1) / 2, most].map(thousands);
    Error::Usage(format!(
        "more than {most} pairs of parts are near each other ({parts} parts, {all} pairs in all): restrict the check \
         with --pairs or --ignore, split the file, lower the clearance, or raise --max-pairs (up to 200 \
         bytes each)"
    ))
}

/// The outcome of a measured pair.
#[derive(Clone, Debug)]
enum Outcome {
    /// Not a finding.
    Clear,
    /// A finding of a kind that the rule allows.
    Allowed,
    /// A finding.
    Found(Box<Measured>),
}

impl Outcome {
    fn new(found: Option<Measured>, limits: &Limits) -> Outcome {
        match found {
            None => Outcome::Clear,
            Some(found) if limits.allow.contains(&found.kind) => Outcome::Allowed,
            Some(found) => Outcome::Found(Box::new(found)),
        }
    }

    /// Whether it is an overlap that still needs a search.
    fn is_open(&self) -> bool {
        matches!(self, Outcome::Found(found) if found.kind == Kind::Hard)
    }

    /// The number of findings it counts as: more than one if its contact loops are long.
    fn size(&self) -> u64 {
        let Outcome::Found(found) = self else { return 0 };
        let loops = found.clusters.iter().flat_map(|cluster| &cluster.loops);
        1 + (loops.map(|curve| curve.points.len()).sum::<usize>() / POINTS_OF_FINDING) as u64
    }
}

/// The outcome of each pair. Pairs with the same geometries, placement and limits share one question: it is measured
/// once, and searched once per slot. `done` is called with the number of steps finished: two per pair.
///
/// # Errors
/// [`Error::Usage`] if there are more findings than [`Rules::max_findings`].
fn measure_all(
    model: &Model,
    asked: &[AskedPair<'_>],
    slots: &Slots,
    rules: &Rules,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Outcome>, Error> {
    let Questions { first, of_pairs } = Questions::new(model, asked);
    let mut pairs_of = vec![0_u64; first.len()];
    of_pairs.iter().for_each(|&question| pairs_of[question] += 1);
    let (size, most) = (AtomicU64::new(0), rules.max_findings);
    let placements: Vec<Placement> = first.iter().map(|&pair| placement(model, asked[pair].0, asked[pair].1)).collect();
    let question = |number: usize| {
        let (a, b, _, limits) = asked[first[number]];
        let [pose_a, pose_b] = &placements[number].poses;
        ((placed(model, a).0, pose_a), (placed(model, b).0, pose_b), limits)
    };
    let found: Vec<Outcome> = (0..first.len())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, number| {
            if size.load(Ordering::Relaxed) > most {
                return Outcome::Clear;
            }
            let (a, b, limits) = question(number);
            let found = Outcome::new(measure(a, b, limits, scratch), limits);
            size.fetch_add(pairs_of[number].saturating_mul(found.size()), Ordering::Relaxed);
            done(pairs_of[number] * if found.is_open() { 1 } else { 2 });
            found
        })
        .collect();
    let too_many = || {
        Error::Usage(format!(
            "more than {} findings, or fewer with long contact loops: restrict the check with --pairs or --ignore, \
             --allow kinds that do not matter, split the file or the check (--shard), or raise \
             --max-findings (about 1 kB each)",
            thousands(most)
        ))
    };
    if size.into_inner() > most {
        return Err(too_many());
    }

    // The overlaps of each slot, each question once, as its number and how many pairs of the slot share it.
    let mut of_slots: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
    let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (&(a, b, ..), &number) in asked.iter().zip(&of_pairs).filter(|(_, number)| found[**number].is_open()) {
        let slot = slots.of(a, b);
        let of_slot = of_slots.entry(slot).or_default();
        let at = *known.entry((slot, number)).or_insert(of_slot.len());
        if at == of_slot.len() {
            of_slot.push((number, 0));
        }
        of_slot[at].1 += 1;
    }
    let work = rules.budget / SLOTS as u64;
    let searched: BTreeMap<usize, Vec<Outcome>> = of_slots
        .into_par_iter()
        .map(|(slot, questions)| {
            let clash = |&(number, _): &(usize, u64)| {
                let (a, b, limits) = question(number);
                let Outcome::Found(found) = &found[number] else { return None };
                Some(Clash { a, b, limits, found: (**found).clone() })
            };
            let mut clashes: Vec<Clash<'_>> = questions.iter().filter_map(clash).collect();
            search_all(&mut clashes, work, rules.ways_out, &|at| done(questions[at].1));
            (slot, clashes.into_iter().map(|clash| Outcome::new(Some(clash.found), clash.limits)).collect())
        })
        .collect();
    let sizes = |at: &mut u64, pair: usize| {
        let outcome = outcome_of(&found, &searched, &known, slots, asked[pair], of_pairs[pair]);
        *at = at.saturating_add(outcome.size());
        (*at <= most).then_some(())
    };
    let mut size = 0;
    (0..asked.len()).try_for_each(|pair| sizes(&mut size, pair)).ok_or_else(too_many)?;
    let each = (0..asked.len()).map(|pair| {
        let (a, b, ..) = asked[pair];
        let mut found = outcome_of(&found, &searched, &known, slots, asked[pair], of_pairs[pair]).clone();
        if let Outcome::Found(found) = &mut found {
            found.translate(placement(model, a, b).origin);
        }
        found
    });
    Ok(each.collect())
}

/// The outcome of a pair: from the search in its slot, or from measuring alone.
fn outcome_of<'f>(
    found: &'f [Outcome],
    searched: &'f BTreeMap<usize, Vec<Outcome>>,
    known: &BTreeMap<(usize, usize), usize>,
    slots: &Slots,
    (a, b, ..): AskedPair<'_>,
    question: usize,
) -> &'f Outcome {
    let slot = slots.of(a, b);
    let at = known.get(&(slot, question)).filter(|_| found[question].is_open());
    at.and_then(|&at| searched.get(&slot)?.get(at)).unwrap_or(&found[question])
}

/// Sorts and groups the findings of a report and sets the verdict.
pub(crate) fn concluded(mut report: Report) -> Report {
    let worse = |p: &Finding, q: &Finding| (p.kind, severity(p)).partial_cmp(&(q.kind, severity(q)));
    report.findings.sort_by(|p, q| worse(p, q).unwrap_or(std::cmp::Ordering::Equal));
    report.allowed.sort_by(|p, q| q.way_out.upper.total_cmp(&p.way_out.upper).then((&p.a, &p.b).cmp(&(&q.a, &q.b))));
    report.groups = groups(&report.findings);
    if report.shard.is_none() {
        report.findings.iter_mut().for_each(|finding| finding.likeness = None);
    }
    if report.shard.is_none() && report.counts.tested == 0 {
        report.warnings.push("no pair of parts was tested: a clean verdict means nothing".into());
    }
    report.unsearched = unsearched(&report);
    report.verdict = verdict_of(&report);
    report
}

/// The verdict: by the findings that are neither known nor approved.
pub(crate) fn verdict_of(report: &Report) -> Verdict {
    match (report.unmeasured.is_empty(), report.findings.iter().any(Finding::is_new)) {
        (false, _) => Verdict::Failed,
        (true, true) => Verdict::Findings,
        (true, false) => Verdict::Clean,
    }
}

/// One line about the searches that the budget did not cover.
fn unsearched(report: &Report) -> Option<String> {
    let ended = |why: &Option<String>| why.as_deref() == Some(NO_WORK_LEFT);
    let depths = report.findings.iter().filter(|found| found.local_depth.as_ref().is_some_and(|it| ended(&it.why)));
    let ways_out = report.findings.iter().filter(|found| found.way_out.as_ref().is_some_and(|it| ended(&it.why)));
    let (depths, ways_out, all) = (depths.count(), ways_out.count(), report.count(Kind::Hard) as u64);
    let depths = (depths > 0).then(|| format!("the depth of {depths} is not known to within 5 %"));
    let ways_out = (ways_out > 0).then(|| format!("{ways_out} were not searched for a way out and volume"));
    let said: Vec<String> = ways_out.into_iter().chain(depths).collect();
    let more = report.tolerances.budget.saturating_mul(10);
    let advice = format!("--budget {more} allows ten times the work, --no-depth skips the ways out");
    (!said.is_empty()).then(|| format!("of {}, {}: {advice}", count(all, "overlap"), said.join(", and ")))
}

/// A pair of parts closer than its limits, and the gap: zero where they meet.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Rules, near_misses};
/// let path = std::env::temp_dir().join(format!("clearance-near-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// let model = Model::load(&[path.clone()], &LoadOptions::default()).unwrap();
/// let near = near_misses(&model, &Rules::default()).unwrap();
/// assert_eq!((near[0].a, near[0].b, near[0].gap), ("one", "two", 0.0));
/// # std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearMiss<'m> {
    /// Name of part A.
    pub a: &'m str,
    /// Name of part B.
    pub b: &'m str,
    /// The distance between them.
    pub gap: f64,
}

/// The pairs that meet or are closer than their limits, with the gap only: contacts are not examined. Lengths are in
/// the unit of the files.
///
/// # Errors
/// [`Error::Usage`] if there are more near pairs than [`Rules::max_pairs`].
pub fn near_misses<'m>(model: &'m Model, rules: &Rules) -> Result<Vec<NearMiss<'m>>, Error> {
    let rules = &rules.clone().with_touch(model.touch_band());
    let matched = Matched::new(rules, model.names());
    let (asked, ..) = asked_pairs(model, rules, &matched)?;
    let found: Vec<Option<NearMiss<'m>>> = asked
        .par_iter()
        .map_init(Scratch::default, |scratch, &(a, b, _, limits)| {
            let Placement { poses: [pose_a, pose_b], .. } = placement(model, a, b);
            let gap = near_gap((placed(model, a).0, &pose_a), (placed(model, b).0, &pose_b), limits, scratch)?;
            Some(NearMiss { a: &model.parts[a].id, b: &model.parts[b].id, gap })
        })
        .collect();
    Ok(found.into_iter().flatten().collect())
}

fn placed(model: &Model, part: usize) -> Placed<'_> {
    let part = &model.parts[part];
    (model.body(part), &part.pose)
}

/// The poses in which two parts are measured.
fn placement(model: &Model, a: usize, b: usize) -> Placement {
    Placement::new(&model.parts[a].pose, &model.parts[b].pose)
}

/// Visits the pairs of parts whose boxes are within `margin` of each other, by index, in ascending order, until `visit`
/// breaks with an error.
fn visit_near_pairs(
    model: &Model,
    margin: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<Error>,
) -> Result<(), Error> {
    let mut world = World::new(None);
    // In a world from which nothing is removed, handles are in insertion order.
    let ids: Vec<_> = model.parts.iter().map(|part| world.insert(&model.body(part).shape, &part.pose, 0)).collect();
    let number = |id| ids.binary_search(&id).unwrap_or_default();
    match world.visit_pairs_within(margin, |a, b| visit(number(a), number(b))) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

fn finding(a: &Part, b: &Part, reason: Reason<'_>, clearance: f64, found: Measured, scale: &Scale) -> Finding {
    let finding = Finding {
        id: id(&a.id, &b.id),
        kind: found.kind,
        how: found.how,
        rule: reason.rule.to_owned(),
        set: reason.set.map(str::to_owned),
        a: a.id.clone(),
        b: b.id.clone(),
        gap: found.gap,
        clearance,
        points: found.points.map(|point| point.to_array()),
        normal: found.normal.map(|normal| normal.to_array()),
        local_depth: found.local_depth,
        way_out: found.way_out,
        volume: found.volume,
        triangle_pairs: found.triangle_pairs,
        clusters: found.clusters,
        status: None,
        comment: None,
        likeness: None,
    };
    scale.finding(finding)
}

/// An overlap within its allowance, and why.
fn allowed_overlap(found: &Finding, way_out: &WayOut, limits: &Limits, scale: &Scale) -> Allowed {
    let unit = scale.unit.map(|unit| unit.to_string());
    let of_length = unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let is = |upper: f64, allowed: f64, what: &str| {
        let [upper, allowed] = [upper, allowed * scale.factor].map(short);
        format!("at most {upper}{of_length} {what}, where {allowed}{of_length} is allowed")
    };
    let local = found.local_depth.as_ref().and_then(|local| local.upper);
    let deep = limits.allowed_depth.zip(local).map(|(allowed, upper)| is(upper, allowed, "deep"));
    let out = limits.allowed_way_out.map(|allowed| is(way_out.upper, allowed, "along the way out"));
    let volume = limits.allowed_volume.zip(found.volume).map(|(allowed, volume)| {
        let unit = cubic(unit.as_deref());
        let allowed = allowed * cubed(scale.factor);
        format!("at most {}{unit} in common, where {}{unit} is allowed", short(volume.upper), short(allowed))
    });
    let kept: Vec<String> = deep.into_iter().chain(out).chain(volume).collect();
    Allowed {
        id: found.id.clone(),
        how: found.how,
        rule: found.rule.clone(),
        set: found.set.clone(),
        a: found.a.clone(),
        b: found.b.clone(),
        local_depth: found.local_depth.clone(),
        way_out: way_out.clone(),
        volume: found.volume,
        why: kept.join("; "),
    }
}

/// Sort key: smaller is worse. Findings with a local depth come first, deepest first, then by name; the others are
/// ordered by gap, then by name.
fn severity(finding: &Finding) -> (f64, f64, f64, &str, &str) {
    let (a, b) = (finding.a.as_str(), finding.b.as_str());
    match finding.local_depth.as_ref().and_then(|depth| depth.value) {
        Some(value) => (-value, 0.0, 0.0, a, b),
        None => (f64::INFINITY, finding.gap.upper, finding.gap.lower, a, b),
    }
}
