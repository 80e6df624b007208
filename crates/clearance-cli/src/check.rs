//! All pairs of a model: boxes cull, rules decide, pairs are measured on all cores, findings are sorted and grouped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use clearance::World;
use clearance_files::Unit;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::measure::{Measured, Placed, Scratch, gap, measure};
use crate::model::{Model, Part, hexadecimal};
use crate::report::{Bracket, Counts, Finding, Group, Kind, Report, SCHEMA, Skipped, Tolerances, Unmeasured, Verdict};
use crate::rules::{Fate, Matched, Rules};

/// Holds every pair of parts against the rules. Lengths of rules and report are in `unit`, or, without one, as the files have them.
/// `progress` is told how many pairs of how many are done, from any thread.
///
/// See [`Report`] for an example.
pub fn check(model: &Model, rules: &Rules, unit: Option<Unit>, progress: &(dyn Fn(u64, u64) + Sync)) -> Report {
    let unit = unit.or(model.unit);
    let scale = Scale::new(model.unit, unit);
    let in_model = rules.clone().scaled(1.0 / scale.factor);
    let matched = Matched::new(&in_model, model.parts());
    let near = near_pairs(model, in_model.reach());

    let mut counts = Counts { parts: model.parts.len(), geometries: model.bodies.len(), ..Counts::default() };
    let all = (model.parts.len() + model.unusable.len()) as u64;
    counts.pairs = all * all.saturating_sub(1) / 2;
    let usable = model.parts.len() as u64;
    let usable_pairs = usable * usable.saturating_sub(1) / 2;
    counts.unmeasured = counts.pairs - usable_pairs;
    counts.culled = usable_pairs - near.len() as u64;
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    let mut asked = Vec::new();
    for &(a, b) in &near {
        let why = match matched.fate(a, b) {
            Fate::Checked(rule, limits) => {
                asked.push((a, b, rule, limits));
                continue;
            }
            Fate::Ignored(rule) => format!("ignored: {rule}"),
            Fate::NotAsked => "not among --pairs".into(),
        };
        *skipped.entry(why).or_default() += 1;
    }
    counts.skipped = skipped.into_iter().map(|(why, pairs)| Skipped { why, pairs }).collect();
    counts.tested = asked.len() as u64;

    let done = AtomicU64::new(0);
    let measured: Vec<Option<Measured>> = asked
        .par_iter()
        .map_init(Scratch::default, |scratch, &(a, b, _, limits)| {
            let found = measure(placed(model, a), placed(model, b), limits, scratch);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, counts.tested);
            found
        })
        .collect();

    let mut findings = Vec::new();
    for (&(a, b, rule, limits), found) in asked.iter().zip(measured) {
        match found {
            Some(found) if limits.allow.contains(&found.kind) => counts.allowed += 1,
            Some(found) => {
                let (a, b) = (&model.parts[a], &model.parts[b]);
                findings.push(finding(a, b, rule, limits.clearance, found, &scale));
            }
            None => {}
        }
    }
    findings
        .sort_by(|p, q| (p.kind, severity(p)).partial_cmp(&(q.kind, severity(q))).unwrap_or(std::cmp::Ordering::Equal));
    let unmeasured: Vec<Unmeasured> =
        model.unusable.iter().map(|(part, why)| Unmeasured { part: part.clone(), why: why.clone() }).collect();
    let verdict = match (unmeasured.is_empty(), findings.is_empty()) {
        (false, _) => Verdict::Failed,
        (true, false) => Verdict::Findings,
        (true, true) => Verdict::Clean,
    };
    Report {
        schema: SCHEMA.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        verdict,
        unit: unit.map(|unit| unit.to_string()),
        inputs: model.inputs.clone(),
        rules: None,
        tolerances: Tolerances { clearance: rules.all.clearance, touch: rules.all.touch, solid: model.solid },
        counts,
        groups: groups(&findings),
        findings,
        unmeasured,
    }
}

/// A pair of parts that is closer than its limits, and the gap: zero where they meet.
///
/// ```
/// use clearance_cli::{LoadOptions, Model, Rules, near_misses};
/// let path = std::env::temp_dir().join(format!("clearance-near-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// let model = Model::load(&[path.clone()], &LoadOptions::default()).unwrap();
/// let near = near_misses(&model, &Rules::default());
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
pub fn near_misses<'m>(model: &'m Model, rules: &Rules) -> Vec<NearMiss<'m>> {
    let matched = Matched::new(rules, model.parts());
    let near = near_pairs(model, rules.reach());
    let found: Vec<Option<NearMiss<'m>>> = near
        .par_iter()
        .map_init(Scratch::default, |scratch, &(a, b)| {
            let Fate::Checked(_, limits) = matched.fate(a, b) else { return None };
            let gap = gap(placed(model, a), placed(model, b), limits, scratch)?;
            Some(NearMiss { a: &model.parts[a].id, b: &model.parts[b].id, gap: gap.value })
        })
        .collect();
    found.into_iter().flatten().collect()
}

fn placed(model: &Model, part: usize) -> Placed<'_> {
    let part = &model.parts[part];
    (model.body(part), &part.pose)
}

/// The pairs of parts whose boxes are within a margin of each other, by number, in ascending order.
fn near_pairs(model: &Model, margin: f64) -> Vec<(usize, usize)> {
    let mut world = World::new(None);
    // Handles of a world from which nothing is removed are in the order in which bodies came.
    let ids: Vec<_> = model.parts.iter().map(|part| world.insert(&model.body(part).shape, &part.pose, 0)).collect();
    let number = |id| ids.binary_search(&id).unwrap_or_default();
    world.pairs_within(margin).into_iter().map(|(a, b)| (number(a), number(b))).collect()
}

/// From the unit of the model to that of the report.
#[derive(Clone, Copy, Debug)]
struct Scale {
    factor: f64,
}

impl Scale {
    fn new(from: Option<Unit>, to: Option<Unit>) -> Scale {
        match (from, to) {
            (Some(from), Some(to)) if from != to => Scale { factor: from.metres() / to.metres() },
            _ => Scale { factor: 1.0 },
        }
    }

    fn point(&self, point: [f64; 3]) -> [f64; 3] {
        point.map(|x| x * self.factor)
    }

    /// Rounded outward: the factor and the product are rounded once each.
    fn bracket(&self, gap: Bracket) -> Bracket {
        if self.factor == 1.0 {
            return gap;
        }
        let [value, lower, upper] = [gap.value, gap.lower, gap.upper].map(|x| x * self.factor);
        let room = |x: f64| 4.0 * f64::EPSILON * x.abs();
        Bracket { value, lower: lower - room(lower), upper: upper + room(upper), ..gap }
    }
}

fn finding(a: &Part, b: &Part, rule: &str, clearance: f64, found: Measured, scale: &Scale) -> Finding {
    let mut clusters = found.clusters;
    for cluster in &mut clusters {
        (cluster.min, cluster.max) = (scale.point(cluster.min), scale.point(cluster.max));
        cluster.loops.iter_mut().flat_map(|l| &mut l.points).for_each(|point| *point = scale.point(*point));
    }
    Finding {
        id: id(&a.id, &b.id, rule),
        kind: found.kind,
        how: found.how,
        rule: rule.to_owned(),
        a: a.id.clone(),
        b: b.id.clone(),
        gap: scale.bracket(found.gap),
        clearance: clearance * scale.factor,
        points: found.points.map(|point| scale.point(point.to_array())),
        normal: found.normal.map(|normal| normal.to_array()),
        triangle_pairs: found.triangle_pairs,
        clusters,
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

/// Smaller is worse. Of overlaps that are proved, the deeper; then the one that takes the longer way out; then the names.
fn severity(finding: &Finding) -> (f64, f64, &str, &str) {
    (finding.gap.upper, finding.gap.lower, &finding.a, &finding.b)
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
