//! All pairs of a model: boxes cull, rules decide, pairs are measured on all cores, findings are sorted and grouped.
//!
//! What becomes of a pair depends on nothing but the pair and its rule. How much is found out about the depth of those that clash depends on
//! what else is in their slot: they share the work there is for it. Several runs may share the slots.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use clearance::World;
use clearance_files::Unit;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::depths::{ClashingPair, deepen};
use crate::error::Error;
use crate::limits::POINTS_OF_FINDING;
use crate::measure::{Asked, Measured, Placed, Scratch, gap, measure};
use crate::model::{Model, Part, hexadecimal};
use crate::output::{cubic, short, thousands};
use crate::report::{
    Allowed, Counts, Depth, Finding, Group, Kind, Report, SCHEMA, Shard, Skipped, Tolerances, Unmeasured, Verdict,
};
use crate::reuse::{Placement, Questions};
use crate::rules::{DEFAULT_RULE, Fate, Limits, Matched, Rules, cubed};
use crate::scale::Scale;
use crate::shard::{AskedPair, SLOTS, ShardNumber, Slots, hash_of_asked};

/// Holds every pair of parts against the rules. Lengths of rules and report are in `unit`, or, without one, as the files have them.
/// `progress` is told how many pairs of how many are done, from any thread.
///
/// See [`Report`] for an example.
///
/// # Errors
/// [`Error::Usage`] where more pairs are near each other, or more findings, than [`Rules::max_pairs`] and
/// [`Rules::max_findings`] allow.
pub fn check(
    model: &Model,
    rules: &Rules,
    unit: Option<Unit>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Report, Error> {
    check_shard(model, rules, unit, None, progress)
}

/// The part of [`check`] that is a shard's, or all of it. [`merge`](crate::merge) makes of the reports of all shards the one of the whole.
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
/// Those of [`check`]. Near pairs are counted of all shards together, findings of this one.
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
    let shard = shard.map(|shard| {
        let (all, asked_of_all) = (asked.len() as u64, hash_of_asked(model, &asked));
        asked.retain(|&(a, b, ..)| shard.has(slots.of(a, b)));
        let elsewhere = all - asked.len() as u64;
        Shard { number: shard.number(), of: shard.of(), elsewhere, asked: asked_of_all }
    });
    counts.tested = asked.len() as u64;

    let done = AtomicU64::new(0);
    let depth_work = rules.depth_budget / SLOTS as u64;
    let mut measured = measure_all(model, &asked, depth_work, rules.max_findings, &|pairs| {
        progress(done.fetch_add(pairs, Ordering::Relaxed) + pairs, counts.tested);
    })?;
    let mut clashes: BTreeMap<usize, Vec<ClashingPair<'_, '_>>> = BTreeMap::new();
    for (&(a, b, _, limits), found) in asked.iter().zip(&mut measured).filter(|_| rules.depth_budget > 0) {
        let Outcome::Found(found) = found else { continue };
        if found.kind == Kind::Hard && !found.is_allowed_overlap(limits) {
            clashes.entry(slots.of(a, b)).or_default().push((placed(model, a), placed(model, b), found));
        }
    }
    let all = counts.tested + clashes.values().map(|clashes| clashes.len() as u64).sum::<u64>();
    clashes.into_par_iter().for_each(|(_, clashes)| {
        deepen(clashes, depth_work, &|| progress(done.fetch_add(1, Ordering::Relaxed) + 1, all));
    });

    let (mut findings, mut allowed) = (Vec::new(), Vec::new());
    for (&(a, b, rule, limits), found) in asked.iter().zip(measured) {
        let found = match found {
            Outcome::Found(found) => found,
            Outcome::Allowed => {
                counts.allowed += 1;
                continue;
            }
            Outcome::Clear => continue,
        };
        let is_allowed = found.is_allowed_overlap(limits);
        let found = finding(&model.parts[a], &model.parts[b], rule, limits.clearance, *found, &scale);
        match &found.depth {
            Some(depth) if is_allowed => {
                counts.allowed += 1;
                allowed.push(allowed_overlap(&found, depth, limits, &scale));
            }
            _ => findings.push(found),
        }
    }
    let unmeasured = model.unusable.iter().map(|(part, why)| Unmeasured { part: part.clone(), why: why.clone() });
    let report = Report {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        verdict: Verdict::Clean,
        unit: unit.map(|unit| unit.to_string()),
        inputs: model.inputs.clone(),
        rules: None,
        tolerances: Tolerances {
            clearance: rules.all.clearance,
            touch: rules.all.touch.unwrap_or_else(|| model.touch_band() * scale.factor),
            allowed_depth: rules.all.allowed_depth,
            allowed_way_out: rules.all.allowed_way_out,
            allowed_volume: rules.all.allowed_volume,
            depth_budget: rules.depth_budget,
            solid: model.solid,
            weld: model.weld,
        },
        shard,
        warnings,
        counts,
        groups: Vec::new(),
        findings,
        allowed,
        unmeasured: unmeasured.collect(),
    };
    Ok(concluded(report))
}

/// What makes a clean report worth less than it seems: patterns that match nothing, and a clearance that nothing could keep.
fn warnings(model: &Model, rules: &Rules, matched: &Matched<'_>, scale: &Scale) -> Vec<String> {
    let (pairs, of_rules) = matched.unmatched();
    let pairs = pairs.into_iter().map(|pair| format!("--pairs {pair} matches no pair of parts"));
    let of_rules =
        of_rules.into_iter().map(|rule| format!("rule `{}`: {} matches no pair of parts", rule.name, rule.parts));
    let size = model.size();
    let unit = scale.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    let named = rules.rules.iter().filter_map(|rule| Some((rule.name.as_str(), rule.limits.as_ref()?)));
    let too_large = named.chain([(DEFAULT_RULE, &rules.all)]).filter(|(_, limits)| limits.clearance > size);
    let too_large = too_large.map(|(name, limits)| {
        let [clearance, size] = [limits.clearance, size].map(|length| short(length * scale.factor));
        format!("rule `{name}`: a clearance of {clearance}{unit} is more than the size of the assembly, {size}{unit}")
    });
    pairs.chain(of_rules).chain(too_large).collect()
}

/// What is to be measured: the pairs of parts that are near each other and that the rules ask about, in ascending
/// order; how many are near at all; and how many of them are skipped, and why.
///
/// # Errors
/// [`Error::Usage`] where there are more to be measured than the rules allow. No more than that are ever held.
fn asked_pairs<'r>(
    model: &Model,
    rules: &Rules,
    matched: &Matched<'r>,
) -> Result<(Vec<AskedPair<'r>>, u64, Vec<Skipped>), Error> {
    let (mut asked, mut near) = (Vec::new(), 0);
    // By the rule that ignores them; those that were not asked for have none.
    let mut skipped: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    visit_near_pairs(model, rules.reach(), |a, b| {
        near += 1;
        let ignored_by = match matched.fate(a, b) {
            Fate::Checked(..) if asked.len() as u64 >= rules.max_pairs => {
                return ControlFlow::Break(too_many_pairs(model, rules.max_pairs));
            }
            Fate::Checked(rule, limits) => {
                asked.push((a, b, rule, limits));
                return ControlFlow::Continue(());
            }
            Fate::Ignored(rule) => Some(rule),
            Fate::NotAsked => None,
        };
        *skipped.entry(ignored_by).or_default() += 1;
        ControlFlow::Continue(())
    })?;
    let why = |rule: Option<&str>| rule.map_or_else(|| "not among --pairs".into(), |rule| format!("ignored: {rule}"));
    let mut skipped: Vec<Skipped> =
        skipped.into_iter().map(|(rule, pairs)| Skipped { why: why(rule), pairs }).collect();
    skipped.sort_by(|p, q| p.why.cmp(&q.why));
    Ok((asked, near, skipped))
}

fn too_many_pairs(model: &Model, most: u64) -> Error {
    let parts = model.parts.len() as u64;
    let [parts, all, most] = [parts, parts * parts.saturating_sub(1) / 2, most].map(thousands);
    Error::Usage(format!(
        "more than {most} pairs of parts are near each other ({parts} parts, {all} pairs in all): check some of them \
         with --pairs or --ignore, split the file, lower the clearance, or allow more with --max-pairs (up to 200 \
         bytes each)"
    ))
}

/// What became of a pair that was measured.
#[derive(Clone, Debug)]
enum Outcome {
    /// Nothing is wrong with it.
    Clear,
    /// What was found is of a kind that is allowed.
    Allowed,
    /// Anything else.
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

    /// How many findings it counts as: more where its loops are long.
    fn size(&self) -> u64 {
        let Outcome::Found(found) = self else { return 0 };
        let loops = found.clusters.iter().flat_map(|cluster| &cluster.loops);
        1 + (loops.map(|curve| curve.points.len()).sum::<usize>() / POINTS_OF_FINDING) as u64
    }
}

/// What is found about each pair. Pairs that are one question are measured once. `done` is told of pairs that are.
///
/// # Errors
/// [`Error::Usage`] where so many pairs are not as they should be that the report would not fit into memory.
fn measure_all(
    model: &Model,
    asked: &[AskedPair<'_>],
    depth_work: u64,
    most: u64,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Outcome>, Error> {
    let Questions { first, of_pairs } = Questions::new(model, asked);
    let mut pairs_of = vec![0_u64; first.len()];
    of_pairs.iter().for_each(|&question| pairs_of[question] += 1);
    let size = AtomicU64::new(0);
    let found: Vec<Outcome> = first
        .par_iter()
        .zip(&pairs_of)
        .map_init(Scratch::default, |scratch, (&pair, &pairs)| {
            if size.load(Ordering::Relaxed) > most {
                return Outcome::Clear;
            }
            let (a, b, _, limits) = asked[pair];
            let Placement { poses: [pose_a, pose_b], .. } = placement(model, a, b);
            let (a, b) = (placed(model, a).0, placed(model, b).0);
            let found = measure((a, &pose_a), (b, &pose_b), &Asked { limits, depth_work }, scratch);
            let found = Outcome::new(found, limits);
            size.fetch_add(pairs.saturating_mul(found.size()), Ordering::Relaxed);
            done(pairs);
            found
        })
        .collect();
    if size.into_inner() > most {
        return Err(Error::Usage(format!(
            "more than {} findings, or fewer with long contact loops: check some parts with --pairs or --ignore, \
             --allow kinds that do not matter, split the file or the check (--shard), or allow more with \
             --max-findings (about 1 kB each)",
            thousands(most)
        )));
    }
    // The last pair of a question has what was found, the others a copy each.
    let mut found: Vec<(Outcome, u64)> = found.into_iter().zip(pairs_of).collect();
    let each = of_pairs.into_iter().zip(asked).map(|(question, &(a, b, ..))| {
        let (found, left) = &mut found[question];
        *left -= 1;
        let mut found = if *left == 0 { std::mem::replace(found, Outcome::Clear) } else { found.clone() };
        if let Outcome::Found(found) = &mut found {
            found.translate(placement(model, a, b).origin);
        }
        found
    });
    Ok(each.collect())
}

/// A report with its findings in order and in groups, and the verdict that follows.
pub(crate) fn concluded(mut report: Report) -> Report {
    let worse = |p: &Finding, q: &Finding| (p.kind, severity(p)).partial_cmp(&(q.kind, severity(q)));
    report.findings.sort_by(|p, q| worse(p, q).unwrap_or(std::cmp::Ordering::Equal));
    report.allowed.sort_by(|p, q| q.depth.upper.total_cmp(&p.depth.upper).then((&p.a, &p.b).cmp(&(&q.a, &q.b))));
    report.groups = groups(&report.findings);
    if report.shard.is_none() && report.counts.tested == 0 {
        report.warnings.push("no pair of parts was tested: a clean verdict means nothing".into());
    }
    report.verdict = match (report.unmeasured.is_empty(), report.findings.is_empty()) {
        (false, _) => Verdict::Failed,
        (true, false) => Verdict::Findings,
        (true, true) => Verdict::Clean,
    };
    report
}

/// A pair of parts that is closer than its limits, and the gap: zero where they meet.
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
    /// The part that is A.
    pub a: &'m str,
    /// The part that is B.
    pub b: &'m str,
    /// How far apart they are.
    pub gap: f64,
}

/// Which parts meet or are closer than the limits, and the gap, and no more: what they do where they meet is not looked at. Lengths are as the
/// files have them.
///
/// # Errors
/// [`Error::Usage`] where more pairs are near each other than [`Rules::max_pairs`].
pub fn near_misses<'m>(model: &'m Model, rules: &Rules) -> Result<Vec<NearMiss<'m>>, Error> {
    let rules = &rules.clone().with_touch(model.touch_band());
    let matched = Matched::new(rules, model.names());
    let (asked, ..) = asked_pairs(model, rules, &matched)?;
    let found: Vec<Option<NearMiss<'m>>> = asked
        .par_iter()
        .map_init(Scratch::default, |scratch, &(a, b, _, limits)| {
            let Placement { poses: [pose_a, pose_b], .. } = placement(model, a, b);
            let gap = gap((placed(model, a).0, &pose_a), (placed(model, b).0, &pose_b), limits, scratch)?;
            Some(NearMiss { a: &model.parts[a].id, b: &model.parts[b].id, gap: gap.gap.value })
        })
        .collect();
    Ok(found.into_iter().flatten().collect())
}

fn placed(model: &Model, part: usize) -> Placed<'_> {
    let part = &model.parts[part];
    (model.body(part), &part.pose)
}

/// Where two parts are measured.
fn placement(model: &Model, a: usize, b: usize) -> Placement {
    Placement::new(&model.parts[a].pose, &model.parts[b].pose)
}

/// Visits the pairs of parts whose boxes are within a margin of each other, by number, in ascending order, until told
/// that there is an error.
fn visit_near_pairs(
    model: &Model,
    margin: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<Error>,
) -> Result<(), Error> {
    let mut world = World::new(None);
    // Handles of a world from which nothing is removed are in the order in which bodies came.
    let ids: Vec<_> = model.parts.iter().map(|part| world.insert(&model.body(part).shape, &part.pose, 0)).collect();
    let number = |id| ids.binary_search(&id).unwrap_or_default();
    match world.visit_pairs_within(margin, |a, b| visit(number(a), number(b))) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

fn finding(a: &Part, b: &Part, rule: &str, clearance: f64, found: Measured, scale: &Scale) -> Finding {
    let finding = Finding {
        id: id(&a.id, &b.id, rule),
        kind: found.kind,
        how: found.how,
        rule: rule.to_owned(),
        a: a.id.clone(),
        b: b.id.clone(),
        gap: found.gap,
        clearance,
        points: found.points.map(|point| point.to_array()),
        normal: found.normal.map(|normal| normal.to_array()),
        local_depth: found.local_depth,
        depth: found.depth,
        volume: found.volume,
        triangle_pairs: found.triangle_pairs,
        clusters: found.clusters,
    };
    scale.finding(finding)
}

/// An overlap that is no finding, and why.
fn allowed_overlap(found: &Finding, depth: &Depth, limits: &Limits, scale: &Scale) -> Allowed {
    let unit = scale.unit.map(|unit| unit.to_string());
    let of_length = unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let is = |upper: f64, allowed: f64, what: &str| {
        let [upper, allowed] = [upper, allowed * scale.factor].map(short);
        format!("at most {upper}{of_length} {what}, where {allowed}{of_length} is allowed")
    };
    let local = found.local_depth.as_ref();
    let deep = limits.allowed_depth.zip(local).map(|(allowed, local)| is(local.upper, allowed, "deep"));
    let out = limits.allowed_way_out.map(|allowed| is(depth.upper, allowed, "to the way out"));
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
        a: found.a.clone(),
        b: found.b.clone(),
        local_depth: found.local_depth.clone(),
        depth: depth.clone(),
        volume: found.volume,
        why: kept.join("; "),
    }
}

/// A name for a finding that does not change from run to run, nor with the order of the parts.
fn id(a: &str, b: &str, rule: &str) -> String {
    let mut hasher = Sha256::new();
    for name in [a.min(b), a.max(b), rule] {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
    }
    hexadecimal(&hasher.finalize()[..6])
}

/// Smaller is worse. Of hard findings the one that reaches deeper, then the names; of others, and of those of which that is not known, the
/// gap comes before the names.
fn severity(finding: &Finding) -> (f64, f64, f64, &str, &str) {
    let (a, b) = (finding.a.as_str(), finding.b.as_str());
    match &finding.local_depth {
        Some(depth) => (-depth.value, 0.0, 0.0, a, b),
        None => (0.0, finding.gap.upper, finding.gap.lower, a, b),
    }
}

/// A name without the number of the instance.
fn family(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((family, number)) if !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()) => family,
        _ => name,
    }
}

/// Findings of the same kind between instances of the same two parts, in the order of the worst of each.
fn groups(findings: &[Finding]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(Kind, &str, &str, &str), usize> = BTreeMap::new();
    for finding in findings {
        let (a, b) = (family(&finding.a), family(&finding.b));
        let number = *known.entry((finding.kind, &finding.rule, a.min(b), a.max(b))).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Group {
                kind: finding.kind,
                how: finding.how,
                rule: finding.rule.clone(),
                a: a.to_owned(),
                b: b.to_owned(),
                worst: finding.gap,
                findings: Vec::new(),
            });
        }
        groups[number].findings.push(finding.id.clone());
    }
    groups
}
