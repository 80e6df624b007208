//! What a check says: the types behind the JSON of `clearance check`, and its schema.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::groups::Likeness;
use crate::model::{Solid, hexadecimal};
use crate::repair::{LeftOpen, Repair, RepairCounts};

/// The name and version of the JSON; the version goes up when a field changes its meaning or goes away.
pub(crate) const SCHEMA: &str = "clearance-check/2";

/// The version before, which is read too: its ways out are called depths, and its ids are hashes of the rule as well.
const SCHEMA_1: &str = "clearance-check/1";

/// What kind of fault a pair of parts has. From the worst to the least.
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
    /// All kinds, from the worst to the least.
    pub const ALL: [Kind; 4] = [Kind::Hard, Kind::Duplicate, Kind::Clearance, Kind::Touching];

    /// The word for it, as reports and files of rules have it.
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

/// How two parts lie to each other.
///
/// ```
/// assert_eq!(serde_json::to_string(&clearance_check::How::AInsideB).unwrap(), "\"a inside b\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum How {
    /// The surfaces go through each other.
    #[serde(rename = "crossing")]
    Crossing,
    /// The interiors overlap, or a surface is inside a solid, and the surfaces lie on each other where they meet: they
    /// do not cross.
    #[serde(rename = "overlapping")]
    Overlapping,
    /// The surfaces do not meet: A lies inside the solid B.
    #[serde(rename = "a inside b")]
    AInsideB,
    /// The surfaces do not meet: B lies inside the solid A.
    #[serde(rename = "b inside a")]
    BInsideA,
    /// Every triangle of the one is a triangle of the other.
    #[serde(rename = "same")]
    Same,
    /// Apart.
    #[serde(rename = "apart")]
    Apart,
    /// Areas of the surfaces lie on each other.
    #[serde(rename = "coplanar")]
    Coplanar,
    /// In contact in points or along edges.
    #[serde(rename = "points")]
    Points,
    /// They overlap, and a translation within the touch band ends it.
    #[serde(rename = "grazing")]
    Grazing,
}

/// A number and the proof around it: the truth lies between `lower` and `upper`.
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
    /// The least distance of all triangles.
    Distance,
    /// Triangles that have a point in common, exactly, as the parts are placed. The gap is bounded from below by a translation that separates
    /// the parts; from above, of solids, by a ball in both, and else by how far placing may have moved a point.
    Overlap,
    /// The search for the shortest way out of two solids: from below by a translation that all triangles were tested for, from above by the proof
    /// that no shorter one separates the parts.
    Depth,
}

/// The way out: how far one part has to be moved to be free of the other. Where the parts overlap `gap` is this with its
/// sign turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WayOut {
    /// The length of the shortest translation known to separate the parts.
    pub value: f64,
    /// Proved: no shorter translation than this separates them. Zero where nothing is known.
    pub lower: f64,
    /// Proved: the shortest translation that separates them is no longer than this.
    pub upper: f64,
    /// Moving B by this, in the world, separates the parts; as long as `upper`.
    #[serde(alias = "way_out")]
    pub translation: [f64; 3],
    /// Whether the bracket comes of a search.
    pub search: SearchOutcome,
    /// Why there was no search, if one was wanted.
    pub why: Option<String>,
    /// Whether it is that of solids of which one at least was repaired (`repaired`). The triangles as given may need another.
    #[serde(default)]
    pub of_repaired: bool,
}

/// How far the surface of one part reaches inside the other: what people call the depth of a clash. It is zero for parts that touch, the
/// sliver of the facets for a pin in its hole, and never more than the shortest translation that separates them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocalDepth {
    /// How deep the deepest point known lies in the other part. Nothing for two surfaces, which have no inside.
    pub value: Option<f64>,
    /// Proved: the deepest point lies no less deep. Nothing for an estimate.
    pub lower: Option<f64>,
    /// Proved: no point lies deeper. Nothing for an estimate.
    pub upper: Option<f64>,
    /// The deepest point known, in the world; nothing where none is proved to be inside.
    pub point: Option<[f64; 3]>,
    /// Whether the bracket is as tight as was asked.
    pub search: SearchOutcome,
    /// Why it is not, or why there is none.
    pub why: Option<String>,
    /// By so much `lower` and `upper` allow for what was repaired: how far the repaired solids are from the triangles given, both
    /// parts together. Zero where nothing was.
    #[serde(default)]
    pub widened_by: f64,
}

impl LocalDepth {
    /// The value, the lower and the upper end, if there are any. See [`LocalDepth::none`] for an example.
    pub fn numbers(&self) -> Option<[f64; 3]> {
        Some([self.value?, self.lower?, self.upper?])
    }

    /// None, and why.
    ///
    /// ```
    /// use clearance_check::LocalDepth;
    /// let depth = LocalDepth::none("nothing is inside either".into());
    /// assert_eq!((depth.numbers(), depth.point), (None, None));
    /// ```
    pub fn none(why: String) -> LocalDepth {
        let (value, lower, upper, point) = (None, None, None, None);
        LocalDepth { value, lower, upper, point, search: SearchOutcome::None, why: Some(why), widened_by: 0.0 }
    }
}

/// What became of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchOutcome {
    /// The bracket is as tight as was asked: five hundredths of its upper end, or on one side of what is allowed.
    Complete,
    /// It ended before that, and the bracket is true, and wider: the work was done, or enough was known.
    Interrupted,
    /// None was made, see `why`: there is what is known without.
    None,
    /// A number without a proof, where a part is not closed: see `why`.
    Estimate,
}

/// How much two solids have in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    /// In the unit of the report, cubed.
    pub value: f64,
    /// Proved: not less than this.
    pub lower: f64,
    /// Proved: not more than this.
    pub upper: f64,
    /// The middle of what they have in common, in the world; nothing where that may be nothing.
    pub centroid: Option<[f64; 3]>,
    /// Whether it is that of solids of which one at least was repaired.
    #[serde(default)]
    pub of_repaired: bool,
}

/// A curve along which two surfaces meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Loop {
    /// Whether the last corner is joined to the first.
    pub closed: bool,
    /// The corners in order, in the world.
    pub points: Vec<[f64; 3]>,
}

/// A place where two parts meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cluster {
    /// How many pairs of triangles meet here.
    pub triangle_pairs: usize,
    /// The least coordinates of what they have in common.
    pub min: [f64; 3],
    /// The greatest.
    pub max: [f64; 3],
    /// The curves along which they meet.
    pub loops: Vec<Loop>,
    /// Of hard findings with several places, how far the surfaces reach in from this one: the triangles that meet here, and those
    /// inside the other part that hang together with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_depth: Option<LocalDepth>,
}

/// A pair of parts at fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The same whenever these two parts are at fault: a hash of both names.
    pub id: String,
    /// What kind of fault it is.
    pub kind: Kind,
    /// How they lie.
    pub how: How,
    /// The rule that found it.
    pub rule: String,
    /// The part that is A; the first of the two in the order of the files.
    pub a: String,
    /// The part that is B.
    pub b: String,
    /// The signed gap: positive apart, negative overlapping, by the length of the shortest translation that separates.
    pub gap: Bracket,
    /// The clearance that was asked for.
    pub clearance: f64,
    /// A point of A and a point of B, in the world: the nearest, or a common one.
    pub points: [[f64; 3]; 2],
    /// Of parts apart the unit direction from A to B. Of parts that meet, a unit direction along which moving B by `-gap.lower` separates
    /// them.
    pub normal: Option<[f64; 3]>,
    /// Of hard findings, how far the surface of one part reaches inside the other. They are in the order of this, those
    /// that have none at the end.
    #[serde(default)]
    pub local_depth: Option<LocalDepth>,
    /// Of hard findings, the way out: how far the parts must be moved to be separate.
    #[serde(default, alias = "depth")]
    pub way_out: Option<WayOut>,
    /// Of hard findings between solids, how much they have in common.
    #[serde(default)]
    pub volume: Option<Volume>,
    /// How many pairs of triangles meet.
    pub triangle_pairs: usize,
    /// The places where they meet.
    pub clusters: Vec<Cluster>,
    /// In the report of a shard, what says which group the finding is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<Box<Likeness>>,
}

/// A pair of parts that overlap, by no more than their rule allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allowed {
    /// What the finding would be called.
    pub id: String,
    /// How they lie.
    pub how: How,
    /// The rule that allows it.
    pub rule: String,
    /// The part that is A.
    pub a: String,
    /// The part that is B.
    pub b: String,
    /// How far the surface of one part reaches inside the other.
    #[serde(default)]
    pub local_depth: Option<LocalDepth>,
    /// The way out.
    #[serde(alias = "depth")]
    pub way_out: WayOut,
    /// How much they have in common, as far as that was asked.
    pub volume: Option<Volume>,
    /// What is allowed, and proved to be kept.
    pub why: String,
}

/// Findings of one kind, by one rule, between instances of the same two geometries in the same relative pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// What kind of fault it is.
    pub kind: Kind,
    /// How the parts of the worst one lie.
    pub how: How,
    /// The rule that found them.
    pub rule: String,
    /// What people call A: the name of its mesh, else of the nearest ancestor that has one, shortened. Not unique.
    pub a: String,
    /// What people call B.
    pub b: String,
    /// How many findings it has.
    #[serde(default)]
    pub count: u64,
    /// The signed gap of the worst one.
    pub worst: Bracket,
    /// The findings by their ids, the worst first.
    pub findings: Vec<String>,
}

/// A geometry that was not closed, and is a solid after a repair. Whether and where it meets others is decided by its triangles as
/// they were given; the repaired solid says what is inside, how deep and how much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepairedGeometry {
    /// What the file calls it; may be empty.
    pub geometry: String,
    /// The parts that are instances of it.
    pub parts: Vec<String>,
    /// Within what length it was repaired.
    pub tolerance: f64,
    /// Proved: no point of the triangles given is farther from those used, nor the other way round.
    pub distance: f64,
    /// What was done.
    #[serde(flatten)]
    pub counts: RepairCounts,
}

impl RepairedGeometry {
    /// What was done, in words.
    pub fn done(&self) -> String {
        let RepairCounts { joined, dropped, split, flipped, parted, filled } = self.counts;
        let done = [
            (joined, "points joined"),
            (dropped, "triangles dropped"),
            (split, "triangles split"),
            (flipped, "triangles flipped"),
            (parted, "edges parted"),
            (filled, "holes filled"),
        ];
        let done = done.into_iter().filter(|(count, _)| *count > 0);
        done.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }
}

/// A geometry that is not closed, and so a surface: nothing is inside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenGeometry {
    /// What the file calls it; may be empty.
    pub geometry: String,
    /// The parts that are instances of it.
    pub parts: Vec<String>,
    /// Why it is no solid.
    pub why: String,
    /// Within what length a repair was tried; nothing if none was wanted.
    pub tolerance: Option<f64>,
    /// What that left to do.
    pub left: Option<LeftOpen>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// As it was given.
    pub path: String,
    /// Of the file.
    pub sha256: String,
    /// What its lengths are in; nothing if neither the file nor the caller says.
    pub unit: Option<String>,
    /// How many different geometries it has.
    pub geometries: usize,
    /// How many of them are solids.
    pub solids: usize,
    /// How many parts, instances counted.
    pub parts: usize,
    /// How many triangles the parts have, instances counted.
    pub triangles: u64,
    /// What was dropped, joined, scaled, assumed.
    pub notes: Vec<String>,
}

/// A file of rules that was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RulesUsed {
    /// The file.
    pub path: String,
    /// Of the file.
    pub sha256: String,
}

/// What all pairs are held against unless a rule says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerances {
    /// Parts must be at least so far apart.
    pub clearance: f64,
    /// Gaps and overlaps up to this count as touching.
    pub touch: f64,
    /// Overlaps in which no surface is proved to reach deeper into the other part are allowed.
    #[serde(default)]
    pub allowed_depth: Option<f64>,
    /// Overlaps that a translation of this length is proved to end are allowed.
    #[serde(default)]
    pub allowed_way_out: Option<f64>,
    /// Overlaps proved to have no more than this in common are allowed.
    #[serde(default)]
    pub allowed_volume: Option<f64>,
    /// How much work there was for all searches and volumes.
    #[serde(default, alias = "depth_budget")]
    pub budget: u64,
    /// Which parts are solids.
    pub solid: Solid,
    /// Points of a part no farther apart than this were joined, in the unit of its file.
    #[serde(default)]
    pub weld: Option<f64>,
    /// Whether parts that are not closed were repaired: `off`, `auto`, or within what length.
    #[serde(default)]
    #[schemars(with = "String")]
    pub repair: Repair,
}

/// Which part of a check a report is of, where several runs share one: `clearance merge` makes one report of theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Counted from one.
    pub number: u32,
    /// How many shards there are.
    pub of: u32,
    /// How many pairs are left to the others.
    pub elsewhere: u64,
    /// SHA-256 of what is asked of the pairs of all shards: their names, rules and limits. The same in all.
    pub asked: String,
}

/// How much there was to do, and what became of it. `pairs = culled + skipped + tested + unmeasured`, and of a shard what is left to others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Parts, instances counted.
    pub parts: usize,
    /// Different geometries.
    pub geometries: usize,
    /// All pairs of parts.
    pub pairs: u64,
    /// Those whose boxes are farther apart than any clearance.
    pub culled: u64,
    /// Those near enough that were left out, and why.
    pub skipped: Vec<Skipped>,
    /// Those that were measured.
    pub tested: u64,
    /// Those that could not be measured: see `unmeasured`.
    pub unmeasured: u64,
    /// Those that were at fault, but of a kind that their rule allows, or by no more than it allows.
    pub allowed: u64,
}

/// Pairs that were left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The rule that ignores them.
    pub why: String,
    /// How many.
    pub pairs: u64,
}

/// A part that could not be measured, and so none of its pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmeasured {
    /// The part.
    pub part: String,
    /// Why not.
    pub why: String,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing is at fault.
    Clean,
    /// Something is.
    Findings,
    /// Something could not be measured.
    Failed,
}

/// All that a check says. The same, to the last byte, whenever the same files are checked by the same rules, on any number of threads.
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
    /// The name and version of this form: `clearance-check/2`.
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The unit of all lengths here; nothing if nobody said.
    pub unit: Option<String>,
    /// The files.
    pub inputs: Vec<Input>,
    /// The file of rules, if there was one.
    pub rules: Option<RulesUsed>,
    /// What pairs are held against.
    pub tolerances: Tolerances,
    /// Which part of a check this is, if it is not the whole.
    #[serde(default)]
    pub shard: Option<Shard>,
    /// What makes the verdict worth less than it seems: no pair tested, patterns that match nothing, and the like.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// How much there was to do.
    pub counts: Counts,
    /// The findings in groups, the worst first.
    pub groups: Vec<Group>,
    /// The pairs at fault, the worst first.
    pub findings: Vec<Finding>,
    /// Overlaps that are no findings because they are proved to be within what their rule allows, the deepest first.
    #[serde(default)]
    pub allowed: Vec<Allowed>,
    /// Parts that could not be measured.
    pub unmeasured: Vec<Unmeasured>,
    /// Geometries that are solids only after a repair.
    #[serde(default)]
    pub repaired: Vec<RepairedGeometry>,
    /// Geometries that are not closed.
    #[serde(default)]
    pub open: Vec<OpenGeometry>,
    /// What the work was not enough for, in a line, and how to search for it.
    #[serde(default)]
    pub unsearched: Option<String>,
}

impl Report {
    /// Reads what `clearance check --json` wrote, of a whole check or of a shard. `path` is what messages call it. What was
    /// written by version 1 of the schema is read as if it were of this one, with the ids of this one.
    ///
    /// # Errors
    /// [`Error::Format`], which says where the text is no report.
    ///
    /// ```
    /// use clearance_check::Report;
    /// let refused = Report::parse("old.json", "{\"schema\": \"other/1\"}").unwrap_err();
    /// assert!(refused.to_string().starts_with("old.json: schema `other/1`"));
    /// ```
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Report, Error> {
        let path = path.as_ref();
        let hint =
            |error: serde_json::Error| Error::format(path, format!("no report of `clearance check --json`: {error}"));
        let value: serde_json::Value = serde_json::from_str(text).map_err(hint)?;
        let schema = value.get("schema").and_then(|schema| schema.as_str()).unwrap_or("none");
        let is_before = schema == SCHEMA_1;
        if schema != SCHEMA && !is_before {
            let problem = format!("schema `{schema}`, expected `{SCHEMA}`: a report of `clearance check --json`");
            return Err(Error::format(path, problem));
        }
        let mut report: Report = serde_json::from_value(value).map_err(hint)?;
        report.check_groups().map_err(|problem| Error::format(path, problem))?;
        if is_before {
            report.bring_up_to_date();
        }
        Ok(report)
    }

    /// Makes of a report of version 1 one of this version.
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

    /// That groups list no finding more often than it is there: what is written of a report is then no longer than
    /// what it holds.
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
                Some(_) => return Err(format!("group {number} lists finding `{id}`, which is listed before")),
                None => return Err(format!("group {number} lists finding `{id}`, which is not in the report")),
            }
        }
        Ok(())
    }

    /// The JSON schema of a report, of the version that is written.
    ///
    /// ```
    /// assert!(clearance_check::Report::schema().contains("\"findings\""));
    /// ```
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Report);
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }

    /// How many findings there are of a kind. See [`output::verdict`](crate::output::verdict) for an example.
    pub fn count(&self, kind: Kind) -> usize {
        self.findings.iter().filter(|finding| finding.kind == kind).count()
    }
}

/// A name for a finding that does not change from run to run, nor with the order of the parts, nor with the rules.
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

    /// The report of a shard of two, in which one finding is listed by these groups.
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
        let twice = "r.json: group 0 lists finding `one`, which is listed before";
        assert_eq!(parse(&[&["one", "one"]]).unwrap_err(), twice);
        assert!(parse(&[&["one"], &["one"]]).unwrap_err().contains("group 1 lists finding `one`"));
        assert!(parse(&[&["two"]]).unwrap_err().contains("`two`, which is not in the report"));
    }

    /// What version 1 wrote is read: ways out were depths, two surfaces had no local depth, and ids were those of the rule too.
    #[test]
    fn reports_of_version_1() {
        let mut value: serde_json::Value = serde_json::from_str(&text(1, 1, &[&["one"]])).unwrap();
        value["schema"] = SCHEMA_1.into();
        value["tolerances"]["depth_budget"] = 7.into();
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
