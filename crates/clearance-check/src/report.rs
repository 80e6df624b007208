//! The report of a check: the types behind the JSON of `clearance check`, and its schema.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::groups::Likeness;
use crate::known::{ApprovalsUsed, BaselineUsed, Status};
use crate::model::{Solid, hexadecimal};
use crate::repair::{LeftOpen, Repair, RepairCounts};

/// Name and version of the JSON; the version is raised when a field changes its meaning or is removed.
pub(crate) const SCHEMA: &str = "clearance-check/2";

/// The previous version, which is still read: it calls ways out depths, and its ids also hash the rule.
const SCHEMA_1: &str = "clearance-check/1";

/// The kind of a finding, from worst to mildest.
///
/// ```
/// use clearance_check::Kind;
/// assert!(Kind::Hard < Kind::Touching);
/// assert_eq!(serde_json::to_string(&Kind::Hard).unwrap(), "\"hard\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Interiors overlap, or surfaces cross, by more than the touch band.
    Hard,
    /// The same geometry in the same place, to within the touch band.
    Duplicate,
    /// Apart, and closer than the clearance.
    Clearance,
    /// In contact, or no farther apart than the touch band.
    Touching,
}

impl Kind {
    /// All kinds, from worst to mildest.
    pub const ALL: [Kind; 4] = [Kind::Hard, Kind::Duplicate, Kind::Clearance, Kind::Touching];

    /// Its name in reports and rules files.
    ///
    /// ```
    /// use clearance_check::Kind;
    /// assert_eq!(Kind::ALL.map(Kind::name), ["hard", "duplicate", "clearance", "touching"]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hard => "hard",
            Kind::Duplicate => "duplicate",
            Kind::Clearance => "clearance",
            Kind::Touching => "touching",
        }
    }
}

/// The relative position of two parts.
///
/// ```
/// assert_eq!(serde_json::to_string(&clearance_check::How::AInsideB).unwrap(), "\"a inside b\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum How {
    /// The surfaces pass through each other.
    #[serde(rename = "crossing")]
    Crossing,
    /// The interiors overlap, or a surface is inside a solid, but the surfaces do not cross: where they meet they lie
    /// on each other.
    #[serde(rename = "overlapping")]
    Overlapping,
    /// A lies inside the solid B; the surfaces do not meet.
    #[serde(rename = "a inside b")]
    AInsideB,
    /// B lies inside the solid A; the surfaces do not meet.
    #[serde(rename = "b inside a")]
    BInsideA,
    /// Every triangle of one part coincides with a triangle of the other.
    #[serde(rename = "same")]
    Same,
    /// Apart.
    #[serde(rename = "apart")]
    Apart,
    /// The surfaces share areas.
    #[serde(rename = "coplanar")]
    Coplanar,
    /// In contact at points or along edges.
    #[serde(rename = "points")]
    Points,
    /// They overlap, and a translation within the touch band separates them.
    #[serde(rename = "grazing")]
    Grazing,
}

/// A number with its proved bounds: the true value lies between `lower` and `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bracket {
    /// The number.
    pub value: f64,
    /// Proved: not less than this.
    pub lower: f64,
    /// Proved: not more than this.
    pub upper: f64,
    /// How it was found.
    pub method: Method,
}

/// How a gap was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The minimum distance over all pairs of triangles.
    Distance,
    /// Triangles of the placed parts have a point in common, decided exactly. The gap is bounded from below by a
    /// separating translation; from above, for solids, by a sphere inside both, otherwise by the largest displacement
    /// that placing may have caused.
    Overlap,
    /// The search for the shortest translation separating two solids: bounded from below by a translation that all
    /// triangles were tested for, from above by the proof that no shorter one separates the parts.
    Depth,
}

/// The way out: how far one part has to be moved to be clear of the other. For overlapping parts `gap` is this with the
/// sign flipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WayOut {
    /// The length of the shortest translation known to separate the parts.
    pub value: f64,
    /// Proved: no translation shorter than this separates them. Zero if nothing is known.
    pub lower: f64,
    /// Proved: the shortest translation that separates them is no longer than this.
    pub upper: f64,
    /// Moving B by this separates the parts; in world coordinates, of length `upper`.
    #[serde(alias = "way_out")]
    pub translation: [f64; 3],
    /// Whether the bracket comes from a search.
    pub search: SearchOutcome,
    /// Why a requested search was not made.
    pub why: Option<String>,
    /// Whether it holds for solids of which at least one was repaired (see `repaired`). The triangles as given may need
    /// a different one.
    #[serde(default)]
    pub of_repaired: bool,
}

/// How far the surface of one part reaches into the other: what is commonly called the depth of a clash. Zero for parts
/// that touch, the sliver between facets for a pin in its hole, and never more than the shortest separating
/// translation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocalDepth {
    /// The depth of the deepest point known. Null for two surfaces, which have no interior.
    pub value: Option<f64>,
    /// Proved: the deepest point is at least this deep. Null for an estimate.
    pub lower: Option<f64>,
    /// Proved: no point is deeper than this. Null for an estimate.
    pub upper: Option<f64>,
    /// The deepest point known, in world coordinates; null if none is proved to be inside.
    pub point: Option<[f64; 3]>,
    /// Whether the bracket is as tight as requested.
    pub search: SearchOutcome,
    /// Why it is not, or why there is none.
    pub why: Option<String>,
    /// How much `lower` and `upper` are widened to allow for repairs: the distance between the repaired solids and the
    /// triangles as given, summed over both parts. Zero if nothing was repaired.
    #[serde(default)]
    pub widened_by: f64,
}

impl LocalDepth {
    /// The value, lower and upper end, if known. See [`LocalDepth::none`] for an example.
    pub fn numbers(&self) -> Option<[f64; 3]> {
        Some([self.value?, self.lower?, self.upper?])
    }

    /// No depth, and why.
    ///
    /// ```
    /// use clearance_check::LocalDepth;
    /// let depth = LocalDepth::none("both are surfaces".into());
    /// assert_eq!((depth.numbers(), depth.point), (None, None));
    /// ```
    pub fn none(why: String) -> LocalDepth {
        let (value, lower, upper, point) = (None, None, None, None);
        LocalDepth { value, lower, upper, point, search: SearchOutcome::None, why: Some(why), widened_by: 0.0 }
    }
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchOutcome {
    /// The bracket is as tight as requested: 5 % of its upper end, or entirely on one side of an allowance.
    Complete,
    /// Stopped early, because the budget was spent or enough was known; the bracket is valid but wider.
    Interrupted,
    /// No search was made, see `why`; the numbers are those known without one.
    None,
    /// An unproved number, because a part is not closed: see `why`.
    Estimate,
}

/// The common volume of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    /// In cubic units of the report.
    pub value: f64,
    /// Proved: not less than this.
    pub lower: f64,
    /// Proved: not more than this.
    pub upper: f64,
    /// The centroid of the common region, in world coordinates; null if the region may be empty.
    pub centroid: Option<[f64; 3]>,
    /// Whether it holds for solids of which at least one was repaired.
    #[serde(default)]
    pub of_repaired: bool,
}

/// A curve along which two surfaces meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Loop {
    /// Whether the last point connects to the first.
    pub closed: bool,
    /// The points in order, in world coordinates.
    pub points: Vec<[f64; 3]>,
}

/// A place where two parts meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cluster {
    /// The number of triangle pairs that meet here.
    pub triangle_pairs: usize,
    /// Lower corner of the bounding box of what they have in common.
    pub min: [f64; 3],
    /// Upper corner.
    pub max: [f64; 3],
    /// The curves along which they meet.
    pub loops: Vec<Loop>,
    /// For hard findings with several places: how far the surfaces reach in from this one, over the triangles that meet
    /// here and those connected to them inside the other part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_depth: Option<LocalDepth>,
}

/// A pair of parts that violates its rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A hash of both part names: stable as long as the names are.
    pub id: String,
    /// The kind of finding.
    pub kind: Kind,
    /// The relative position of the parts.
    pub how: How,
    /// The rule it violates.
    pub rule: String,
    /// The test set of the pair, if the rules have sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Part A: the first of the two in file order.
    pub a: String,
    /// Part B.
    pub b: String,
    /// The signed gap: positive apart; negative overlapping, by the length of the shortest separating translation.
    pub gap: Bracket,
    /// The required clearance.
    pub clearance: f64,
    /// A point of A and a point of B, in world coordinates: the closest ones, or a common one.
    pub points: [[f64; 3]; 2],
    /// For parts apart, the unit direction from A to B. For parts that meet, a unit direction along which moving B by
    /// `-gap.lower` separates them.
    pub normal: Option<[f64; 3]>,
    /// For hard findings, how far the surface of one part reaches into the other. Hard findings are sorted by this,
    /// those without one last.
    #[serde(default)]
    pub local_depth: Option<LocalDepth>,
    /// For hard findings, the way out: how far one part must be moved to separate them.
    #[serde(default, alias = "depth")]
    pub way_out: Option<WayOut>,
    /// For hard findings between solids, the common volume.
    #[serde(default)]
    pub volume: Option<Volume>,
    /// The number of triangle pairs that meet.
    pub triangle_pairs: usize,
    /// The places where they meet.
    pub clusters: Vec<Cluster>,
    /// With a baseline or approvals, whether it is new; null without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The comment of its approval, or what it was in the baseline if it is worse now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// In the report of a shard, the key that determines the group of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<Box<Likeness>>,
}

/// A pair of parts that overlaps by no more than its rule allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allowed {
    /// The id the finding would have.
    pub id: String,
    /// The relative position of the parts.
    pub how: How,
    /// The rule that allows it.
    pub rule: String,
    /// The test set of the pair, if the rules have sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Part A.
    pub a: String,
    /// Part B.
    pub b: String,
    /// How far the surface of one part reaches into the other.
    #[serde(default)]
    pub local_depth: Option<LocalDepth>,
    /// The way out.
    #[serde(alias = "depth")]
    pub way_out: WayOut,
    /// The common volume, if it was computed.
    pub volume: Option<Volume>,
    /// The allowances, and the proved bounds within them.
    pub why: String,
}

/// Findings of one kind, under one rule, between instances of the same two geometries in the same relative pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The kind of finding.
    pub kind: Kind,
    /// The relative position of the parts of the worst finding.
    pub how: How,
    /// The rule they violate.
    pub rule: String,
    /// The test set of the pairs, if the rules have sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Display name of A: the name of its mesh, or of the nearest named ancestor, shortened. Not unique.
    pub a: String,
    /// Display name of B.
    pub b: String,
    /// The number of findings.
    #[serde(default)]
    pub count: u64,
    /// The signed gap of the worst finding.
    pub worst: Bracket,
    /// The ids of the findings, worst first.
    pub findings: Vec<String>,
}

/// A geometry that was not closed and is a solid after repair. Whether and where it meets others is decided by its
/// triangles as given; the repaired solid determines what is inside, how deep, and the common volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepairedGeometry {
    /// Its name in the file; may be empty.
    pub geometry: String,
    /// The parts that are instances of it.
    pub parts: Vec<String>,
    /// The tolerance of the repair.
    pub tolerance: f64,
    /// Proved: no point of the triangles as given is farther than this from the repaired surface, nor vice versa.
    pub distance: f64,
    /// What was repaired.
    #[serde(flatten)]
    pub counts: RepairCounts,
}

impl RepairedGeometry {
    /// What was repaired, in words.
    pub fn done(&self) -> String {
        let RepairCounts { joined, dropped, split, flipped, parted, filled } = self.counts;
        let done = [
            (joined, "points joined"),
            (dropped, "triangles dropped"),
            (split, "triangles split"),
            (flipped, "triangles flipped"),
            (parted, "edges separated"),
            (filled, "holes filled"),
        ];
        let done = done.into_iter().filter(|(count, _)| *count > 0);
        done.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }
}

/// A geometry that is not closed, and so is treated as a surface, without an interior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenGeometry {
    /// Its name in the file; may be empty.
    pub geometry: String,
    /// The parts that are instances of it.
    pub parts: Vec<String>,
    /// Why it is not a solid.
    pub why: String,
    /// The tolerance of the attempted repair; null if repair was off.
    pub tolerance: Option<f64>,
    /// The defects that remained.
    pub left: Option<LeftOpen>,
}

/// An input file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// The path as given.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The unit of its lengths; null if neither the file nor the caller names one.
    pub unit: Option<String>,
    /// The number of distinct geometries.
    pub geometries: usize,
    /// The number of these that are solids.
    pub solids: usize,
    /// The number of parts, counting instances.
    pub parts: usize,
    /// The number of triangles of all parts, counting instances.
    pub triangles: u64,
    /// What was dropped, joined, scaled or assumed.
    pub notes: Vec<String>,
}

/// The rules file used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RulesUsed {
    /// The path of the file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// A test set of the rules that was checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetUsed {
    /// Its name.
    pub name: String,
    /// The number of its pairs that were measured.
    pub tested: u64,
}

/// The limits for all pairs that no rule overrides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerances {
    /// Minimum distance between parts.
    pub clearance: f64,
    /// Gaps and overlaps up to this count as touching.
    pub touch: f64,
    /// Overlaps in which each surface is proved to reach no deeper than this into the other part are allowed.
    #[serde(default)]
    pub allowed_depth: Option<f64>,
    /// Overlaps that a translation of this length is proved to end are allowed.
    #[serde(default)]
    pub allowed_way_out: Option<f64>,
    /// Overlaps whose common volume is proved to be at most this are allowed.
    #[serde(default)]
    pub allowed_volume: Option<f64>,
    /// The work budget of all searches and volumes.
    #[serde(default, alias = "depth_budget")]
    pub budget: u64,
    /// Which parts are treated as solids.
    pub solid: Solid,
    /// Points of a part up to this far apart were merged; in the unit of its file.
    #[serde(default)]
    pub weld: Option<f64>,
    /// Whether parts that are not closed were repaired: `off`, `auto`, or a tolerance.
    #[serde(default)]
    #[schemars(with = "String")]
    pub repair: Repair,
}

/// Which shard of a check a report covers; `clearance merge` combines the reports of all shards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Starting at one.
    pub number: u32,
    /// The number of shards.
    pub of: u32,
    /// The number of pairs left to the other shards.
    pub elsewhere: u64,
    /// SHA-256 of the names, rules and limits of the selected pairs of all shards. The same in every shard.
    pub asked: String,
}

/// Statistics of the check. `pairs = culled + skipped + tested + unmeasured`, plus, for a shard, `elsewhere`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Parts, counting instances.
    pub parts: usize,
    /// Distinct geometries.
    pub geometries: usize,
    /// All pairs of parts.
    pub pairs: u64,
    /// Pairs whose boxes are farther apart than any clearance.
    pub culled: u64,
    /// Near pairs that were left out, and why.
    pub skipped: Vec<Skipped>,
    /// Pairs that were measured.
    pub tested: u64,
    /// Pairs that could not be measured: see `unmeasured`.
    pub unmeasured: u64,
    /// Pairs with a finding that their rule allows, by kind or by size.
    pub allowed: u64,
}

/// Pairs that were left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The rule that ignores them.
    pub why: String,
    /// The number of pairs.
    pub pairs: u64,
}

/// A part that could not be measured; none of its pairs were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmeasured {
    /// The part.
    pub part: String,
    /// The reason.
    pub why: String,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No findings, or only known and approved ones.
    Clean,
    /// At least one finding that is neither known nor approved.
    Findings,
    /// A part could not be measured.
    Failed,
}

/// The result of a check. Byte-identical for the same files and rules, on any number of threads.
///
/// ```
/// use clearance_check::{LoadOptions, Model, Rules, Verdict, check};
/// let path = std::env::temp_dir().join(format!("clearance-report-{}.obj", std::process::id()));
/// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
/// let model = Model::load(&[path.clone()], &LoadOptions::default()).unwrap();
/// let report = check(&model, &Rules::default(), None, &|_, _| {}).unwrap();
/// assert_eq!((report.verdict, report.findings.len()), (Verdict::Findings, 1));
/// # std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Name and version of the format: `clearance-check/2`.
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The unit of all lengths in the report; null if unknown.
    pub unit: Option<String>,
    /// The input files.
    pub inputs: Vec<Input>,
    /// The rules file, if any.
    pub rules: Option<RulesUsed>,
    /// The test sets of the rules; only pairs in one of them were checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<SetUsed>,
    /// The baseline the findings were compared with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUsed>,
    /// The file of approved findings, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<ApprovalsUsed>,
    /// The limits for all pairs, unless a rule overrides them.
    pub tolerances: Tolerances,
    /// The shard, if the report covers only part of a check.
    #[serde(default)]
    pub shard: Option<Shard>,
    /// Warnings that qualify the verdict: no pair tested, patterns that match nothing, and the like.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Statistics of the check.
    pub counts: Counts,
    /// The findings in groups, worst first.
    pub groups: Vec<Group>,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Overlaps proved to be within what their rule allows, and so not findings, deepest first.
    #[serde(default)]
    pub allowed: Vec<Allowed>,
    /// Parts that could not be measured.
    pub unmeasured: Vec<Unmeasured>,
    /// Geometries that are solids only after repair.
    #[serde(default)]
    pub repaired: Vec<RepairedGeometry>,
    /// Geometries that are not closed.
    #[serde(default)]
    pub open: Vec<OpenGeometry>,
    /// One line about the searches that the budget did not cover, and what to do.
    #[serde(default)]
    pub unsearched: Option<String>,
}

impl Report {
    /// Parses the output of `clearance check --json`, of a whole check or a shard. `path` is used in messages. Reports
    /// of schema version 1 are upgraded to this version, with its ids.
    ///
    /// # Errors
    /// [`Error::Format`], saying where the text is not a valid report.
    ///
    /// ```
    /// use clearance_check::Report;
    /// let refused = Report::parse("old.json", "{\"schema\": \"other/1\"}").unwrap_err();
    /// assert!(refused.to_string().starts_with("old.json: schema `other/1`"));
    /// ```
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Report, Error> {
        let path = path.as_ref();
        let hint =
            |error: serde_json::Error| Error::format(path, format!("not a `clearance check --json` report: {error}"));
        let value: serde_json::Value = serde_json::from_str(text).map_err(hint)?;
        let schema = value.get("schema").and_then(|schema| schema.as_str()).unwrap_or("none");
        let is_before = schema == SCHEMA_1;
        if schema != SCHEMA && !is_before {
            let problem = format!("schema `{schema}`, expected `{SCHEMA}`: a report of `clearance check --json`");
            return Err(Error::format(path, problem));
        }
        // The first reports of version 1 have one allowance for depths, which means ways out.
        let names_ways_out = value.get("tolerances").is_some_and(|all| all.get("allowed_way_out").is_some());
        let mut report: Report = serde_json::from_value(value).map_err(hint)?;
        if is_before && !names_ways_out {
            report.tolerances.allowed_way_out = report.tolerances.allowed_depth.take();
        }
        report.check_groups().map_err(|problem| Error::format(path, problem))?;
        if is_before {
            report.bring_up_to_date();
        }
        Ok(report)
    }

    /// Upgrades a report of version 1 to this version.
    fn bring_up_to_date(&mut self) {
        self.schema = SCHEMA.into();
        self.groups.iter_mut().for_each(|group| group.count = group.findings.len() as u64);
        let ids: BTreeMap<String, String> =
            self.findings.iter().map(|finding| (finding.id.clone(), id(&finding.a, &finding.b))).collect();
        let named = |id: &mut String| ids.get(id).into_iter().for_each(|now| id.clone_from(now));
        self.groups.iter_mut().flat_map(|group| &mut group.findings).for_each(named);
        self.findings.iter_mut().for_each(|finding| finding.id = id(&finding.a, &finding.b));
        self.allowed.iter_mut().for_each(|allowed| allowed.id = id(&allowed.a, &allowed.b));
    }

    /// Checks that groups list each finding at most once, so that the size of any output is bounded by that of the
    /// report.
    fn check_groups(&self) -> Result<(), String> {
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &self.findings {
            *left.entry(&finding.id).or_default() += 1;
        }
        for (number, id) in
            self.groups.iter().enumerate().flat_map(|(k, group)| group.findings.iter().map(move |id| (k, id)))
        {
            match left.get_mut(id.as_str()) {
                Some(left) if *left > 0 => *left -= 1,
                Some(_) => return Err(format!("group {number} lists finding `{id}` a second time")),
                None => return Err(format!("group {number} lists finding `{id}`, which is not in the report")),
            }
        }
        Ok(())
    }

    /// The JSON schema of a report, in the version written.
    ///
    /// ```
    /// assert!(clearance_check::Report::schema().contains("\"findings\""));
    /// ```
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Report);
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }

    /// The number of findings of a kind. See [`output::verdict`](crate::output::verdict) for an example.
    pub fn count(&self, kind: Kind) -> usize {
        self.findings.iter().filter(|finding| finding.kind == kind).count()
    }
}

/// The id of a finding: independent of the run, of the order of the two parts, and of the rules.
pub(crate) fn id(a: &str, b: &str) -> String {
    let mut hasher = Sha256::new();
    for name in [a.min(b), a.max(b)] {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
    }
    hexadecimal(&hasher.finalize()[..6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge;

    /// The report of one shard of two, with one finding, listed by these groups.
    fn text(number: u32, tested: u64, groups: &[&[&str]]) -> String {
        let gap = serde_json::json!({"value": -0.5, "lower": -1.0, "upper": -0.25, "method": "overlap"});
        let groups = groups.iter().map(|ids| {
            serde_json::json!({
                "kind": "hard", "how": "crossing", "rule": "default", "a": "a", "b": "b", "worst": gap, "findings": ids
            })
        });
        serde_json::json!({
            "schema": SCHEMA, "version": "0.1.0", "verdict": "findings", "unit": null, "inputs": [], "rules": null,
            "tolerances": {"clearance": 0.0, "touch": 1e-6, "solid": "auto"},
            "shard": {"number": number, "of": 2, "elsewhere": 0, "asked": ""},
            "counts": {
                "parts": 2, "geometries": 2, "pairs": 1, "culled": 0, "skipped": [], "tested": tested, "unmeasured": 0,
                "allowed": 0
            },
            "groups": groups.collect::<Vec<_>>(),
            "findings": [{
                "id": "one", "kind": "hard", "how": "crossing", "rule": "default", "a": "a", "b": "b", "gap": gap,
                "clearance": 0.0, "points": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "normal": null, "triangle_pairs": 1,
                "clusters": []
            }],
            "unmeasured": []
        })
        .to_string()
    }

    #[test]
    fn groups_list_each_finding_once() {
        let parse =
            |groups: &[&[&str]]| Report::parse("r.json", &text(1, 1, groups)).map_err(|error| error.to_string());
        assert!(parse(&[&["one"]]).is_ok() && parse(&[]).is_ok());
        let twice = "r.json: group 0 lists finding `one` a second time";
        assert_eq!(parse(&[&["one", "one"]]).unwrap_err(), twice);
        assert!(parse(&[&["one"], &["one"]]).unwrap_err().contains("group 1 lists finding `one`"));
        assert!(parse(&[&["two"]]).unwrap_err().contains("`two`, which is not in the report"));
    }

    /// In version 1 ways out are called depths, two surfaces have no local depth, and ids also hash the rule.
    #[test]
    fn reports_of_version_1() {
        let mut value: serde_json::Value = serde_json::from_str(&text(1, 1, &[&["one"]])).unwrap();
        value["schema"] = SCHEMA_1.into();
        value["tolerances"]["depth_budget"] = 7.into();
        value["tolerances"]["allowed_depth"] = 0.5.into();
        let depth = serde_json::json!({
            "value": 1.0, "lower": 0.25, "upper": 1.0, "way_out": [1.0, 0.0, 0.0], "search": "complete", "why": null
        });
        value["findings"][0]["depth"] = depth;
        value["findings"][0]["local_depth"] = serde_json::Value::Null;
        let report = Report::parse("r.json", &value.to_string()).unwrap();
        let (finding, now) = (&report.findings[0], id("a", "b"));
        assert_eq!((report.schema.as_str(), report.tolerances.budget), (SCHEMA, 7));
        assert_eq!((&finding.id, &report.groups[0].findings[0]), (&now, &now));
        assert_eq!(finding.way_out.as_ref().unwrap().translation, [1.0, 0.0, 0.0]);
        assert_eq!(now, id("b", "a"));
        // An allowed depth was a way out, until both were named.
        assert_eq!((report.tolerances.allowed_depth, report.tolerances.allowed_way_out), (None, Some(0.5)));
        value["tolerances"]["allowed_way_out"] = serde_json::Value::Null;
        let report = Report::parse("r.json", &value.to_string()).unwrap();
        assert_eq!((report.tolerances.allowed_depth, report.tolerances.allowed_way_out), (Some(0.5), None));
        value["schema"] = "clearance-check/3".into();
        let refused = Report::parse("r.json", &value.to_string()).unwrap_err().to_string();
        assert_eq!(
            refused,
            "r.json: schema `clearance-check/3`, expected `clearance-check/2`: a report of `clearance check --json`"
        );
    }

    #[test]
    fn counts_that_cannot_be_added_are_refused() {
        let shard = |number: u32, tested: u64| {
            let report = Report::parse("r.json", &text(number, tested, &[&["one"]])).unwrap();
            (format!("{number}.json").into(), report)
        };
        assert_eq!(merge(vec![shard(1, 3), shard(2, 4)]).unwrap().counts.tested, 7);
        let refused = merge(vec![shard(1, 3), shard(2, u64::MAX)]).unwrap_err();
        assert!(refused.to_string().starts_with("2.json: counts"), "{refused}");
    }
}
