//! Which pairs are checked, and against which limits: rules from the command line and from a file.
//!
//! The first rule that matches a pair applies. `--ignore` precedes the rules of the file; pairs that match no rule are
//! held to the general limits.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use clearance_files::Unit;
use serde::Deserialize;

use crate::error::Error;
use crate::input::read_text_and_hash;
use crate::limits::{BUDGET, MAX_FINDINGS, MAX_PAIRS};
use crate::model::Model;
use crate::quantity::{CubicLength, Length};
use crate::report::Kind;

/// The limits two parts are held to.
///
/// ```
/// use clearance_check::Limits;
/// let limits = Limits { clearance: 0.5, ..Limits::default() };
/// assert_eq!(limits.touch, None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Minimum distance between parts.
    pub clearance: f64,
    /// Gaps up to this, and overlaps that a translation of this length ends, count as touching. Defaults to
    /// [`Model::touch_band`](crate::Model::touch_band).
    pub touch: Option<f64>,
    /// Kinds of finding that are accepted.
    pub allow: Vec<Kind>,
    /// Tessellation tolerance. Overlaps in which each surface is proved to reach no deeper than this into the other
    /// part are *fits*, and accepted; for two solids the common region must be as thin as well, with a volume of at
    /// most this times half its surface area. If more than one of these limits is given, all must hold.
    pub allowed_depth: Option<f64>,
    /// Overlaps that a translation of this length is proved to end are accepted.
    pub allowed_way_out: Option<f64>,
    /// Overlaps of solids whose common volume is proved to be at most this, in cubic units, are accepted.
    pub allowed_volume: Option<f64>,
}

impl Default for Limits {
    /// No clearance, a touch band derived from the size of the model, no allowed overlap.
    fn default() -> Limits {
        Limits {
            clearance: 0.0,
            touch: None,
            allow: Vec::new(),
            allowed_depth: None,
            allowed_way_out: None,
            allowed_volume: None,
        }
    }
}

/// A name pattern: `*` matches any characters, including none; `?` matches one.
///
/// ```
/// use clearance_check::Pattern;
/// let bolts: Pattern = "bolt*".into();
/// assert!(bolts.matches("bolt#2") && !bolts.matches("nut"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

impl From<&str> for Pattern {
    fn from(text: &str) -> Pattern {
        Pattern(text.to_owned())
    }
}

impl Pattern {
    pub(crate) fn all() -> Pattern {
        Pattern("*".into())
    }

    /// Whether a name matches. Takes at most as many steps as the product of the two lengths.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) = (self.0.chars().collect(), name.chars().collect());
        let (mut p, mut n) = (0, 0);
        // The last star, and the end of the text it currently matches.
        let mut star: Option<(usize, usize)> = None;
        while n < name.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
                _ => match star {
                    Some((at, end)) => {
                        star = Some((at, end + 1));
                        (p, n) = (at + 1, end + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|&c| c == '*')
    }
}

/// A pattern for each of two parts, in either order. Written `a:b`, or `a` alone to match against all others; a colon
/// in a name is written `\:`.
///
/// ```
/// use clearance_check::PairPattern;
/// let pair: PairPattern = "bolt*:plate".parse().unwrap();
/// assert!(pair.1.matches("plate"));
/// assert!("a:b:c".parse::<PairPattern>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PairPattern(
    /// One part.
    pub Pattern,
    /// The other part.
    pub Pattern,
);

impl fmt::Display for PairPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = |pattern: &Pattern| pattern.0.replace('\\', r"\\").replace(':', r"\:");
        write!(f, "{}:{}", written(&self.0), written(&self.1))
    }
}

impl std::str::FromStr for PairPattern {
    type Err = String;

    /// `a:b`, or `a` alone to match against all others. A colon in a name is written `\:`.
    fn from_str(text: &str) -> Result<PairPattern, String> {
        let mut sides = vec![String::new()];
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => sides.last_mut().into_iter().for_each(|side| side.extend(characters.next())),
                ':' => sides.push(String::new()),
                c => sides.last_mut().into_iter().for_each(|side| side.push(c)),
            }
        }
        match &sides[..] {
            [a] if !a.is_empty() => Ok(PairPattern(Pattern(a.clone()), Pattern::all())),
            [a, b] if !a.is_empty() && !b.is_empty() => Ok(PairPattern(Pattern(a.clone()), Pattern(b.clone()))),
            _ => Err(format!("invalid pair pattern `{text}`: expected `a:b` or `a`; write a colon in a name as `\\:`")),
        }
    }
}

/// Limits for the pairs that match.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The name findings refer to it by.
    pub name: String,
    pub parts: PairPattern,
    /// `None`: matching pairs are not checked.
    pub limits: Option<Limits>,
    /// The limits of matching pairs in each of [`Rules::sets`]: what the rule does not say itself, the set does.
    pub in_sets: Vec<Option<Limits>>,
}

/// A named test set: parts that match a pattern of `a` against parts that match one of `b`.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub name: String,
    pub a: Vec<Pattern>,
    pub b: Vec<Pattern>,
    /// For pairs that match no rule.
    pub limits: Limits,
}

/// All rules: the limits of each pair of parts.
///
/// ```
/// use clearance_check::{Limits, Rules};
/// let rules = Rules::new(Limits { clearance: 0.5, ..Limits::default() });
/// assert_eq!(rules.all.clearance, 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct Rules {
    /// For pairs that match no rule.
    pub all: Limits,
    /// Total work for all searches of overlapping pairs, volumes included, as counted by
    /// [`LocalDepthOptions::work`](clearance::query::LocalDepthOptions); a single pair gets a fortieth at most.
    /// Defaults to [`BUDGET`](crate::BUDGET).
    pub budget: u64,
    /// Whether to spend the work the verdict does not need on ways out and volumes. Off by default: ways out are then
    /// only bounded, and volumes computed only where a rule allows some.
    pub ways_out: bool,
    /// A check with more pairs to measure than this is refused before any is measured. Ten million by default; up to
    /// 200 bytes each.
    pub max_pairs: u64,
    /// A check with more findings than this fails. A million by default; about 1 kB each. A finding counts once more
    /// for every 40 points of its contact loops.
    pub max_findings: u64,
    pub(crate) rules: Vec<Rule>,
    /// If not empty, only pairs of these are checked, each by the first that has it.
    pub(crate) sets: Vec<Set>,
    /// If not empty, only pairs that match one of these are checked.
    pub only: Vec<PairPattern>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::new(Limits::default())
    }
}

impl Rules {
    /// Parses a rules file, as described in `docs/check.md`. `path` is used in messages. Lengths are converted to
    /// `unit`; if it or the unit of the file is missing they are kept as they are.
    ///
    /// # Errors
    /// [`Error::Format`], naming the line or the rule.
    ///
    /// ```
    /// use clearance_check::Rules;
    /// let rules = Rules::parse("clearance.toml", "version = 1\nunit = \"mm\"\nclearance = 0.5\n", "m".parse().ok())?;
    /// assert_eq!(rules.all.clearance, 0.0005);
    /// assert!(Rules::parse("clearance.toml", "version = 1\nclearance = -1\n", None).is_err());
    /// # Ok::<(), clearance_check::Error>(())
    /// ```
    pub fn parse(path: impl AsRef<Path>, text: &str, unit: Option<Unit>) -> Result<Rules, Error> {
        let read = || RulesFile::parse(text)?.rules(unit, &Bounds::default());
        read().map_err(|problem| Error::format(path.as_ref(), problem))
    }

    /// The same limits for all pairs.
    pub fn new(all: Limits) -> Rules {
        let (max_pairs, max_findings) = (MAX_PAIRS, MAX_FINDINGS);
        Rules {
            all,
            budget: BUDGET,
            ways_out: false,
            max_pairs,
            max_findings,
            rules: Vec::new(),
            sets: Vec::new(),
            only: Vec::new(),
        }
    }

    /// Leaves out pairs that match one of these, before any other rule is consulted. `name` is the rule's name in the
    /// report.
    ///
    /// ```
    /// use clearance_check::Rules;
    /// let mut rules = Rules::default();
    /// rules.ignore("known", &["bolt*:nut*".parse()?]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn ignore(&mut self, name: &str, pairs: &[PairPattern]) {
        let ignored = pairs.iter().map(|parts| Rule {
            name: name.into(),
            parts: parts.clone(),
            limits: None,
            in_sets: vec![None; self.sets.len()],
        });
        self.rules.splice(0..0, ignored);
    }

    /// Restricts the check to some of the test sets, by name.
    ///
    /// # Errors
    /// A name that no set has; the message lists those there are.
    ///
    /// ```
    /// use clearance_check::Rules;
    /// let text = "version = 2\n[[set]]\nname = \"pipes\"\na = [\"pipe*\"]\nb = [\"beam*\"]\n";
    /// let mut rules = Rules::parse("clearance.toml", text, None)?;
    /// assert!(rules.select_sets(&["beams".into()]).unwrap_err().contains("`pipes`"));
    /// rules.select_sets(&["pipes".into()]).unwrap();
    /// # Ok::<(), clearance_check::Error>(())
    /// ```
    pub fn select_sets(&mut self, names: &[String]) -> Result<(), String> {
        if let Some(unknown) = names.iter().find(|name| !self.sets.iter().any(|set| set.name == **name)) {
            let known: Vec<String> = self.sets.iter().map(|set| format!("`{}`", set.name)).collect();
            let known = if known.is_empty() { "the rules have none".into() } else { known.join(", ") };
            return Err(format!("no set `{unknown}`; sets: {known}"));
        }
        if names.is_empty() {
            return Ok(());
        }
        let kept: Vec<bool> = self.sets.iter().map(|set| names.contains(&set.name)).collect();
        let mut of_sets = kept.iter();
        self.sets.retain(|_| of_sets.next().copied().unwrap_or_default());
        for rule in &mut self.rules {
            let mut of_sets = kept.iter();
            rule.in_sets.retain(|_| of_sets.next().copied().unwrap_or_default());
        }
        Ok(())
    }

    /// Whether [`only`](Rules::only) is set and matches no two parts of a model, or there are test sets and none of
    /// them does.
    ///
    /// ```
    /// use clearance_check::{LoadOptions, Model, Rules};
    /// let path = std::env::temp_dir().join(format!("clearance-none-{}.obj", std::process::id()));
    /// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
    /// let (model, mut rules) = (Model::load(&[path.clone()], &LoadOptions::default()).unwrap(), Rules::default());
    /// assert!(!rules.asks_of_none(&model));
    /// rules.only = vec!["three:*".parse().unwrap()];
    /// assert!(rules.asks_of_none(&model));
    /// # std::fs::remove_file(&path).unwrap();
    /// ```
    pub fn asks_of_none(&self, model: &Model) -> bool {
        let unmatched = Matched::new(self, model.names()).unmatched();
        let is_none = |all: usize, unmatched: usize| all > 0 && all == unmatched;
        is_none(self.only.len(), unmatched.only.len()) || is_none(self.sets.len(), unmatched.sets.len())
    }

    /// Multiplies all lengths by a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Rules {
        self.all_limits().for_each(|limits| {
            *limits = Limits {
                clearance: limits.clearance * factor,
                touch: limits.touch.map(|length| length * factor),
                allow: std::mem::take(&mut limits.allow),
                allowed_depth: limits.allowed_depth.map(|length| length * factor),
                allowed_way_out: limits.allowed_way_out.map(|length| length * factor),
                allowed_volume: limits.allowed_volume.map(|volume| volume * cubed(factor)),
            };
        });
        self
    }

    /// Sets the touch band where none is given.
    pub(crate) fn with_touch(mut self, touch: f64) -> Rules {
        self.all_limits().for_each(|limits| limits.touch = limits.touch.or(Some(touch)));
        self
    }

    fn all_limits(&mut self) -> impl Iterator<Item = &mut Limits> {
        let of_rules =
            self.rules.iter_mut().flat_map(|rule| rule.in_sets.iter_mut().chain([&mut rule.limits]).flatten());
        of_rules.chain(self.sets.iter_mut().map(|set| &mut set.limits)).chain([&mut self.all])
    }

    /// The largest distance at which parts can still be a finding.
    pub(crate) fn reach(&self) -> f64 {
        let of_rules = self.rules.iter().flat_map(|rule| rule.in_sets.iter().chain([&rule.limits]).flatten());
        let limits = of_rules.chain(self.sets.iter().map(|set| &set.limits)).chain([&self.all]);
        limits.map(|limits| limits.clearance.max(limits.touch_band())).fold(0.0, f64::max)
    }
}

/// The factor for volumes when lengths are multiplied by `factor`.
pub(crate) fn cubed(factor: f64) -> f64 {
    factor * factor * factor
}

/// A rules file as written: see `docs/check.md`. [`Rules::parse`] suffices for most uses; this is for callers whose own
/// limits override those of the file, or who need its unit first.
///
/// ```
/// use clearance_check::{Bounds, RulesFile};
/// let path = std::env::temp_dir().join(format!("clearance-rules-{}.toml", std::process::id()));
/// std::fs::write(&path, "version = 1\nunit = \"mm\"\nclearance = 0.5\ntouch = 0.01\n").unwrap();
/// let (file, sha256) = RulesFile::read(&path)?;
/// assert_eq!((file.unit().unwrap().unwrap().to_string(), sha256.len()), ("mm".into(), 64));
/// let given = Bounds { clearance: Some(2.0), ..Bounds::default() };
/// let rules = file.rules("mm".parse().ok(), &given).unwrap();
/// assert_eq!((rules.all.clearance, rules.all.touch), (2.0, Some(0.01)));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), clearance_check::Error>(())
/// ```
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesFile {
    version: u32,
    unit: Option<String>,
    clearance: Option<Length>,
    touch: Option<Length>,
    allow: Option<Vec<Kind>>,
    allowed_depth: Option<Length>,
    allowed_way_out: Option<Length>,
    allowed_volume: Option<CubicLength>,
    #[serde(default, rename = "rule")]
    rules: Vec<Entry>,
    #[serde(default, rename = "set")]
    sets: Vec<SetEntry>,
}

/// The error and its position on one line: the library would append the offending source line.
fn in_a_line(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().trim().replace('\n', "; ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return message };
    let (line, column) =
        (before.matches('\n').count() + 1, before.chars().rev().take_while(|&c| c != '\n').count() + 1);
    format!("line {line}, column {column}: {message}")
}

/// [`Limits`], each optional. See [`RulesFile`] for an example.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// See [`Limits::clearance`].
    pub clearance: Option<f64>,
    /// See [`Limits::touch`].
    pub touch: Option<f64>,
    /// See [`Limits::allow`].
    pub allow: Option<Vec<Kind>>,
    /// See [`Limits::allowed_depth`].
    pub allowed_depth: Option<f64>,
    /// See [`Limits::allowed_way_out`].
    pub allowed_way_out: Option<f64>,
    /// See [`Limits::allowed_volume`].
    pub allowed_volume: Option<f64>,
}

/// Limits from a file: lengths are in the file's unit (`own`) unless they carry one, and are converted to `unit`.
fn bounds(
    [own, unit]: [Option<Unit>; 2],
    lengths: [Option<Length>; 4],
    volume: Option<CubicLength>,
    allow: Option<Vec<Kind>>,
) -> Result<Bounds, String> {
    let length = |k: usize| lengths[k].map(|length| length.converted(own, unit)).transpose();
    let (clearance, touch, allowed_depth, allowed_way_out) = (length(0)?, length(1)?, length(2)?, length(3)?);
    let allowed_volume = volume.map(|volume| volume.converted(own, unit)).transpose()?;
    Ok(Bounds { clearance, touch, allow, allowed_depth, allowed_way_out, allowed_volume })
}

impl Bounds {
    /// These limits, with missing ones taken from `others`.
    fn or(&self, others: &Limits) -> Limits {
        Limits {
            clearance: self.clearance.unwrap_or(others.clearance),
            touch: self.touch.or(others.touch),
            allow: self.allow.as_ref().unwrap_or(&others.allow).clone(),
            allowed_depth: self.allowed_depth.or(others.allowed_depth),
            allowed_way_out: self.allowed_way_out.or(others.allowed_way_out),
            allowed_volume: self.allowed_volume.or(others.allowed_volume),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    parts: Vec<String>,
    #[serde(default)]
    ignore: bool,
    /// For human readers of the file only.
    #[serde(rename = "reason")]
    _reason: Option<String>,
    clearance: Option<Length>,
    touch: Option<Length>,
    allow: Option<Vec<Kind>>,
    allowed_depth: Option<Length>,
    allowed_way_out: Option<Length>,
    allowed_volume: Option<CubicLength>,
}

/// A test set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetEntry {
    name: String,
    a: Vec<String>,
    /// All parts, if missing.
    b: Option<Vec<String>>,
    clearance: Option<Length>,
    touch: Option<Length>,
    allow: Option<Vec<Kind>>,
    allowed_depth: Option<Length>,
    allowed_way_out: Option<Length>,
    allowed_volume: Option<CubicLength>,
}

impl SetEntry {
    fn bounds(&self, units: [Option<Unit>; 2]) -> Result<Bounds, String> {
        let &Self { clearance, touch, ref allow, allowed_depth, allowed_way_out, allowed_volume, .. } = self;
        bounds(units, [clearance, touch, allowed_depth, allowed_way_out], allowed_volume, allow.clone())
    }

    /// Checks everything but lengths in another unit.
    fn check(&self, others: &[SetEntry], units: [Option<Unit>; 2]) -> Result<(), String> {
        let name = &self.name;
        if name.trim().is_empty() {
            return Err("a set needs a name".into());
        }
        if others.iter().any(|other| other.name == *name) {
            return Err(format!("set `{name}` is defined twice"));
        }
        for (side, patterns) in [("a", Some(&self.a)), ("b", self.b.as_ref())] {
            if patterns.is_some_and(Vec::is_empty) {
                return Err(format!("set `{name}`: expected at least 1 pattern in `{side}`, got 0"));
            }
        }
        let bounds = self.bounds(units).and_then(|bounds| bounds.or(&Limits::default()).check());
        bounds.map_err(|problem| format!("set `{name}`: {problem}"))
    }
}

impl RulesFile {
    /// Reads a rules file; returns it and the SHA-256 of its bytes, in hexadecimal.
    ///
    /// # Errors
    /// [`Error::Files`] if it cannot be read; [`Error::Format`], naming the line or the rule.
    pub fn read(path: &Path) -> Result<(RulesFile, String), Error> {
        let (text, hash) = read_text_and_hash(path)?;
        let rules = RulesFile::parse(&text).map_err(|problem| Error::format(path, problem))?;
        Ok((rules, hash))
    }

    fn parse(text: &str) -> Result<RulesFile, String> {
        let mut file: RulesFile = toml::from_str(text).map_err(|error| in_a_line(&error, text))?;
        match file.version {
            1 => file.read_as_version_1()?,
            2 => {}
            other => return Err(format!("unsupported rules version {other}; expected 1 or 2")),
        }
        let own = file.unit()?;
        let (defaults, units) = (Limits::default(), [own, own.or(Some(Unit::Metre))]);
        file.bounds(units)?.or(&defaults).check()?;
        for (number, entry) in file.rules.iter().enumerate() {
            let name = entry.name(number);
            if !(1..=2).contains(&entry.parts.len()) {
                return Err(format!("rule `{name}`: expected 1 or 2 patterns in `parts`, got {}", entry.parts.len()));
            }
            let bounds = entry.bounds(units).and_then(|bounds| bounds.or(&defaults).check());
            bounds.map_err(|problem| format!("rule `{name}`: {problem}"))?;
        }
        for (number, set) in file.sets.iter().enumerate() {
            set.check(&file.sets[..number], units)?;
        }
        Ok(file)
    }

    /// In version 1 `allowed_depth` is the length of the way out.
    fn read_as_version_1(&mut self) -> Result<(), String> {
        if !self.sets.is_empty() {
            return Err("`[[set]]` requires `version = 2`".into());
        }
        let limits = self.rules.iter_mut().map(|rule| (&mut rule.allowed_depth, &mut rule.allowed_way_out));
        for (depth, way_out) in limits.chain([(&mut self.allowed_depth, &mut self.allowed_way_out)]) {
            if way_out.is_some() {
                return Err("`allowed_way_out` requires `version = 2`".into());
            }
            (*depth, *way_out) = (None, *depth);
        }
        Ok(())
    }

    /// Whether it is version 1 and has an `allowed_depth`, which means the way out there.
    pub fn allows_way_out_by_depth(&self) -> bool {
        let mut all = self.rules.iter().map(|rule| rule.allowed_way_out).chain([self.allowed_way_out]);
        self.version == 1 && all.any(|length| length.is_some())
    }

    fn bounds(&self, units: [Option<Unit>; 2]) -> Result<Bounds, String> {
        let &Self { clearance, touch, ref allow, allowed_depth, allowed_way_out, allowed_volume, .. } = self;
        bounds(units, [clearance, touch, allowed_depth, allowed_way_out], allowed_volume, allow.clone())
    }

    /// The unit of its lengths.
    ///
    /// # Errors
    /// An unknown unit. A file that was read has none.
    pub fn unit(&self) -> Result<Option<Unit>, String> {
        self.unit.as_ref().map(|unit| unit.parse()).transpose()
    }

    /// The rules, with the file's lengths converted to `unit`; if it or the unit of the file is missing they are kept
    /// as they are. `given`, in that unit, overrides the file's limits for all pairs.
    ///
    /// # Errors
    /// A length out of range in `unit`, or one with a unit when there is no unit to convert to.
    pub fn rules(&self, unit: Option<Unit>, given: &Bounds) -> Result<Rules, String> {
        let units = [self.unit()?, unit];
        let all = given.or(&self.bounds(units)?.or(&Limits::default()));
        all.check()?;
        let patterns = |texts: &[String]| texts.iter().map(|text| Pattern(text.clone())).collect();
        let sets = self.sets.iter().map(|set| {
            let limits = set.bounds(units)?.or(&all);
            limits.check().map_err(|problem| format!("set `{}`: {problem}", set.name))?;
            let b = set.b.as_ref().map_or_else(|| vec![Pattern::all()], |texts| patterns(texts));
            Ok(Set { name: set.name.clone(), a: patterns(&set.a), b, limits })
        });
        let sets: Vec<Set> = sets.collect::<Result<_, String>>()?;
        let rules = self.rules.iter().enumerate().map(|(number, entry)| {
            let pattern = |k: usize| entry.parts.get(k).map_or_else(Pattern::all, |text| Pattern(text.clone()));
            let name = entry.name(number);
            let limits = |others: &Limits| {
                if entry.ignore {
                    return Ok(None);
                }
                let limits = entry.bounds(units)?.or(others);
                limits.check().map(|()| Some(limits))
            };
            let of_rule = |problem: String| format!("rule `{name}`: {problem}");
            let in_sets: Result<_, String> = sets.iter().map(|set| limits(&set.limits)).collect();
            let (limits, in_sets) = (limits(&all).map_err(of_rule)?, in_sets.map_err(of_rule)?);
            Ok(Rule { name, parts: PairPattern(pattern(0), pattern(1)), limits, in_sets })
        });
        let rules = rules.collect::<Result<_, String>>()?;
        Ok(Rules { rules, sets, ..Rules::new(all) })
    }
}

impl Entry {
    fn bounds(&self, units: [Option<Unit>; 2]) -> Result<Bounds, String> {
        let &Self { clearance, touch, ref allow, allowed_depth, allowed_way_out, allowed_volume, .. } = self;
        bounds(units, [clearance, touch, allowed_depth, allowed_way_out], allowed_volume, allow.clone())
    }

    fn name(&self, number: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("rule {}", number + 1))
    }
}

impl Limits {
    /// The touch band; zero if none is given.
    pub(crate) fn touch_band(&self) -> f64 {
        self.touch.unwrap_or(0.0)
    }

    /// Whether overlaps may be allowed by their size.
    pub(crate) fn allows_some_overlap(&self) -> bool {
        [self.allowed_depth, self.allowed_way_out, self.allowed_volume].iter().any(Option::is_some)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let given = [
            (Some(self.clearance), "clearance", "length"),
            (self.touch, "touch band", "length"),
            (self.allowed_depth, "allowed depth", "length"),
            (self.allowed_way_out, "allowed way out", "length"),
            (self.allowed_volume, "allowed volume", "volume"),
        ];
        for (number, what, kind) in given {
            if let Some(number) = number.filter(|number| !(*number >= 0.0 && number.is_finite())) {
                return Err(format!("invalid {what} {number}: expected zero or a positive {kind}"));
            }
        }
        Ok(())
    }
}

/// What happens to a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate<'r> {
    /// Held to limits.
    Checked(Reason<'r>, &'r Limits),
    /// Left out by the rule of this name.
    Ignored(&'r str),
    /// Not among the pairs selected by `--pairs`.
    NotAsked,
    /// In none of the test sets.
    InNoSet,
}

/// The rule and the test set that a pair is checked by, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reason<'r> {
    pub rule: &'r str,
    pub set: Option<&'r str>,
}

/// What matches no two parts.
#[derive(Debug)]
pub(crate) struct Unmatched<'r> {
    /// Of [`Rules::only`].
    pub only: Vec<&'r PairPattern>,
    pub rules: Vec<&'r Rule>,
    pub sets: Vec<&'r Set>,
}

/// The name of the rule for pairs that match no other.
pub(crate) const DEFAULT_RULE: &str = "default";

/// Rules, with all patterns matched against all parts up front.
#[derive(Debug)]
pub(crate) struct Matched<'r> {
    rules: &'r Rules,
    /// For each part and each distinct pattern, whether it matches.
    matches: Vec<Vec<bool>>,
    /// The pattern indices of each rule.
    of_rules: Vec<[usize; 2]>,
    /// The pattern indices of [`Rules::only`].
    of_only: Vec<[usize; 2]>,
    /// The pattern indices of both sides of each set.
    of_sets: Vec<[Vec<usize>; 2]>,
}

impl<'r> Matched<'r> {
    pub fn new<'p>(rules: &'r Rules, parts: impl Iterator<Item = &'p str>) -> Matched<'r> {
        let pairs = rules.rules.iter().map(|rule| &rule.parts).chain(&rules.only);
        let of_sets = rules.sets.iter().flat_map(|set| set.a.iter().chain(&set.b));
        let patterns = pairs.flat_map(|pair| [&pair.0, &pair.1]).chain(of_sets);
        let mut numbers: BTreeMap<&Pattern, usize> = patterns.map(|pattern| (pattern, 0)).collect();
        numbers.values_mut().enumerate().for_each(|(number, value)| *value = number);
        let matches = parts.map(|name| numbers.keys().map(|pattern| pattern.matches(name)).collect()).collect();
        let of = |pair: &PairPattern| [numbers[&pair.0], numbers[&pair.1]];
        let of_rules = rules.rules.iter().map(|rule| of(&rule.parts)).collect();
        let side = |patterns: &[Pattern]| patterns.iter().map(|pattern| numbers[pattern]).collect();
        let of_sets = rules.sets.iter().map(|set| [side(&set.a), side(&set.b)]).collect();
        Matched { rules, matches, of_rules, of_only: rules.only.iter().map(of).collect(), of_sets }
    }

    /// Pair patterns, rules and sets that no two parts match.
    pub fn unmatched(&self) -> Unmatched<'r> {
        let parts_of = |patterns: &[usize]| -> Vec<usize> {
            let any = |matches: &Vec<bool>| patterns.iter().any(|&pattern| matches[pattern]);
            let parts = self.matches.iter().enumerate().filter(|(_, matches)| any(matches));
            // Two are enough to decide.
            parts.map(|(part, _)| part).take(2).collect()
        };
        let sides_hold = |p: &[usize], q: &[usize]| match (&parts_of(p)[..], &parts_of(q)[..]) {
            ([], _) | (_, []) => false,
            ([one], [other]) => one != other,
            _ => true,
        };
        let holds = |&[p, q]: &[usize; 2]| sides_hold(&[p], &[q]);
        let only = self.of_only.iter().zip(&self.rules.only).filter(|(pair, _)| !holds(pair)).map(|(_, pair)| pair);
        let rules = self.of_rules.iter().zip(&self.rules.rules).filter(|(pair, _)| !holds(pair)).map(|(_, rule)| rule);
        let sets = self.of_sets.iter().zip(&self.rules.sets).filter(|([p, q], _)| !sides_hold(p, q));
        Unmatched { only: only.collect(), rules: rules.collect(), sets: sets.map(|(_, set)| set).collect() }
    }

    /// What happens to the pair of parts `a` and `b`.
    pub fn fate(&self, a: usize, b: usize) -> Fate<'r> {
        let (a, b) = (&self.matches[a], &self.matches[b]);
        let holds = |&[p, q]: &[usize; 2]| (a[p] && b[q]) || (a[q] && b[p]);
        if !self.of_only.is_empty() && !self.of_only.iter().any(holds) {
            return Fate::NotAsked;
        }
        let any = |matches: &[bool], patterns: &[usize]| patterns.iter().any(|&pattern| matches[pattern]);
        let in_set = |[p, q]: &[Vec<usize>; 2]| (any(a, p) && any(b, q)) || (any(a, q) && any(b, p));
        let set = self.of_sets.iter().position(in_set);
        if set.is_none() && !self.of_sets.is_empty() {
            return Fate::InNoSet;
        }
        let name_of_set = set.map(|set| self.rules.sets[set].name.as_str());
        match self.of_rules.iter().position(holds).map(|number| &self.rules.rules[number]) {
            Some(rule) => match set.map_or(&rule.limits, |set| &rule.in_sets[set]) {
                Some(limits) => Fate::Checked(Reason { rule: &rule.name, set: name_of_set }, limits),
                None => Fate::Ignored(&rule.name),
            },
            None => {
                let limits = set.map_or(&self.rules.all, |set| &self.rules.sets[set].limits);
                Fate::Checked(Reason { rule: DEFAULT_RULE, set: name_of_set }, limits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clearance_files::Unit;

    use super::{Bounds, Fate, Limits, Matched, PairPattern, Pattern, Rule, Rules, RulesFile};
    use crate::report::Kind;

    #[test]
    fn patterns() {
        let matches = |pattern: &str, name: &str| Pattern(pattern.into()).matches(name);
        assert!(matches("bolt*", "bolt") && matches("bolt*", "bolts/m6#2") && !matches("bolt*", "a bolt"));
        assert!(matches("*/bolt?", "a/b/bolt6") && !matches("*/bolt?", "a/bolt") && matches("**a*b*", "xaxxbx"));
        assert!(matches("", "") && !matches("", "a") && matches("*", "") && !matches("?", ""));
        assert!(matches("*aab", "aaaaaab") && !matches("*aab", "aaaaaba") && matches("größe?", "größeß"));
    }

    #[test]
    fn pairs_of_the_command_line() {
        assert_eq!("a*:b".parse(), Ok(PairPattern(Pattern("a*".into()), Pattern("b".into()))));
        assert_eq!("a".parse(), Ok(PairPattern(Pattern("a".into()), Pattern::all())));
        assert_eq!(r"a\:1:b\\".parse(), Ok(PairPattern(Pattern("a:1".into()), Pattern(r"b\".into()))));
        for wrong in ["", ":", "a:", ":b", "a:b:c"] {
            assert!(wrong.parse::<PairPattern>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_of_rules() {
        let text = r#"
            version = 1
            unit = "mm"
            clearance = 0.5
            allowed_depth = 0.125
            [[rule]]
            parts = ["a*"]
            clearance = 0.25
            allow = ["touching"]
            allowed_volume = 3
            [[rule]]
            name = "off"
            parts = ["b", "c"]
            ignore = true
            reason = "because"
            [[rule]]
            parts = ["d"]
        "#;
        let file = RulesFile::parse(text).unwrap();
        assert_eq!(file.unit(), Ok(Some(Unit::Millimetre)));
        let given = Bounds { clearance: Some(4.0), ..Bounds::default() };
        let rules = file.rules(Some(Unit::Millimetre), &given).unwrap();
        assert_eq!(rules.all, Limits { clearance: 4.0, allowed_way_out: Some(0.125), ..Limits::default() });
        assert!(file.allows_way_out_by_depth());
        let file = RulesFile::parse(&text.replace("version = 1", "version = 2")).unwrap();
        assert!(!file.allows_way_out_by_depth());
        let second = file.rules(Some(Unit::Millimetre), &given).unwrap().all;
        assert_eq!(second, Limits { clearance: 4.0, allowed_depth: Some(0.125), ..Limits::default() });
        let expected = Limits { allowed_volume: Some(3.0), ..rules.all.clone() };
        let limits = |k: usize| rules.rules[k].limits.clone();
        assert_eq!(limits(0), Some(Limits { clearance: 0.25, allow: vec![Kind::Touching], ..expected.clone() }));
        assert_eq!((limits(1), limits(2).unwrap().clearance), (None, 4.0));
        assert_eq!((rules.rules[0].name.as_str(), rules.rules[1].name.as_str()), ("rule 1", "off"));

        for (wrong, named) in [
            ("clearance = 1", "version"),
            ("version = 3", "version 3"),
            ("version = 1\nallowed_way_out = 1", "allowed_way_out"),
            ("version = 1\nclearence = 1", "clearence"),
            ("version = 1\nclearance = -1", "-1"),
            ("version = 2\nallowed_depth = -2", "allowed depth"),
            ("version = 1\n[[rule]]\nname = \"x\"\nparts = [\"a\"]\nallowed_volume = inf", "`x`"),
            ("version = 1\n[[set]]\nname = \"x\"\na = [\"a\"]", "version = 2"),
            ("version = 2\n[[set]]\na = [\"a\"]", "name"),
            ("version = 2\n[[set]]\nname = \" \"\na = [\"a\"]", "needs a name"),
            ("version = 2\n[[set]]\nname = \"x\"\na = []", "set `x`: expected at least 1 pattern in `a`"),
            ("version = 2\n[[set]]\nname = \"x\"\na = [\"a\"]\nb = []", "pattern in `b`"),
            ("version = 2\n[[set]]\nname = \"x\"\na = [\"a\"]\nclearance = -1", "set `x`"),
            ("version = 2\n[[set]]\nname = \"x\"\na = [\"a\"]\nignore = true", "ignore"),
            ("version = 2\n[[set]]\nname = \"x\"\na = [\"a\"]\n[[set]]\nname = \"x\"\na = [\"b\"]", "twice"),
            ("version = 1\nunit = \"ell\"", "ell"),
            ("version = 1\n[[rule]]\nparts = []", "rule 1"),
            ("version = 1\ntouch = \"1 ell\"", "ell"),
            ("version = 1\ntouch = true", "with a unit"),
            ("version = 1\n[[rule]]\nname = \"x\"\nparts = [\"a\"]\ntouch = nan", "`x`"),
            ("version = 1\n[[rule]]\nparts = [\"a\"]\nallow = [\"soft\"]", "soft"),
        ] {
            let error = RulesFile::parse(wrong).unwrap_err();
            assert!(error.contains(named), "{wrong}: {error}");
        }
    }

    #[test]
    fn lengths_out_of_range_in_the_unit_of_the_parts_are_refused() {
        let parse =
            |text: &str| Rules::parse("r.toml", text, Some(Unit::Micrometre)).map_err(|error| error.to_string());
        let whole = "version = 1\nunit = \"m\"\nclearance = 1e304\n";
        assert_eq!(parse(whole).unwrap_err(), "r.toml: invalid clearance inf: expected zero or a positive length");
        assert_eq!(Rules::parse("r.toml", whole, None).unwrap().all.clearance, 1e304);
        // The factor is cubed.
        let one = "version = 1\nunit = \"m\"\n[[rule]]\nname = \"x\"\nparts = [\"a\"]\nallowed_volume = 1e295\n";
        assert!(parse(one).unwrap_err().contains("rule `x`: invalid allowed volume inf"));
        assert_eq!(parse("version = 1\nunit = \"m\"\nclearance = 2\n").unwrap().all.clearance, 2e6);
        // Ignored pairs have no limits to be out of range.
        assert!(parse("version = 1\nunit = \"m\"\n[[rule]]\nparts = [\"a\"]\nignore = true\ntouch = 1e304\n").is_ok());
    }

    #[test]
    fn lengths_with_units_of_their_own() {
        let text = "version = 1\nunit = \"cm\"\nclearance = \"0.5mm\"\ntouch = 0.1\nallowed_volume = \"2 mm^3\"\n";
        let in_mm = Rules::parse("r.toml", text, Some(Unit::Millimetre)).unwrap().all;
        assert_eq!((in_mm.clearance, in_mm.touch, in_mm.allowed_volume), (0.5, Some(1.0), Some(2.0)));
        let error = Rules::parse("r.toml", text, None).unwrap_err().to_string();
        assert!(error.contains("0.5 mm") && error.contains("--unit"), "{error}");
    }

    #[test]
    fn patterns_that_match_nothing_are_reported() {
        let mut rules = Rules::new(Limits::default());
        let patterns = ["bolt*:nut", "bolt", "nut:nut", "screw:*", r"a\:b:plate"];
        rules.only = patterns.iter().map(|text| text.parse().unwrap()).collect();
        rules.ignore("off", &["bolt:plate".parse().unwrap(), "gear:plate".parse().unwrap()]);
        let matched = Matched::new(&rules, ["bolt", "nut", "plate"].into_iter());
        let unmatched = matched.unmatched();
        let only: Vec<String> = unmatched.only.iter().map(ToString::to_string).collect();
        assert_eq!(only, ["nut:nut", "screw:*", r"a\:b:plate"]);
        assert_eq!(unmatched.rules.iter().map(|rule| rule.parts.to_string()).collect::<Vec<_>>(), ["gear:plate"]);
    }

    #[test]
    fn test_sets() {
        let text = r#"
            version = 2
            clearance = 1
            [[set]]
            name = "pipes"
            a = ["pipe*", "hose"]
            b = ["beam*"]
            clearance = 5
            [[set]]
            name = "all pipes"
            a = ["pipe*"]
            allowed_depth = 0.5
            [[rule]]
            name = "clamped"
            parts = ["*1", "beam*"]
            allow = ["touching"]
            [[rule]]
            name = "off"
            parts = ["hose", "beam2"]
            ignore = true
        "#;
        let parts = ["pipe1", "pipe2", "hose", "beam1", "beam2"];
        let rules = Rules::parse("r.toml", text, None).unwrap();
        let fate = |rules: &Rules, a, b| match Matched::new(rules, parts.into_iter()).fate(a, b) {
            Fate::Checked(reason, limits) => {
                let allowed = (limits.allow.len(), limits.allowed_depth.is_some());
                format!("{} {} {} {allowed:?}", reason.set.unwrap(), reason.rule, limits.clearance)
            }
            Fate::Ignored(name) => format!("ignored by {name}"),
            Fate::NotAsked => "not asked".into(),
            Fate::InNoSet => "in no set".into(),
        };
        // The first set decides; what a rule leaves open the set says, and what that leaves open, the file.
        assert_eq!(fate(&rules, 1, 4), "pipes default 5 (0, false)");
        assert_eq!((fate(&rules, 4, 1), fate(&rules, 2, 4)), (fate(&rules, 1, 4), "ignored by off".into()));
        assert_eq!(fate(&rules, 0, 4), "pipes clamped 5 (1, false)");
        assert_eq!(fate(&rules, 0, 1), "all pipes default 1 (0, true)");
        assert_eq!((fate(&rules, 3, 4), fate(&rules, 2, 2)), ("in no set".into(), "in no set".into()));
        assert_eq!(rules.reach(), 5.0);
        assert_eq!(rules.clone().scaled(2.0).with_touch(1.0).reach(), 10.0);
        let mut second = rules.clone();
        second.select_sets(&["all pipes".into()]).unwrap();
        assert_eq!(fate(&second, 0, 4), "all pipes clamped 1 (1, true)");
        assert_eq!((fate(&second, 2, 4), second.sets.len()), ("in no set".into(), 1));
        let unknown = second.select_sets(&["pipes".into()]).unwrap_err();
        assert_eq!(unknown, "no set `pipes`; sets: `all pipes`");
        assert!(Rules::default().select_sets(&["x".into()]).unwrap_err().contains("the rules have none"));
        // Ignored pairs stay so, whatever is added in front.
        second.ignore("--ignore", &["pipe1".parse().unwrap()]);
        assert_eq!(fate(&second, 0, 4), "ignored by --ignore");
        let unmatched = |parts: &[&'static str]| {
            let matched = Matched::new(&rules, parts.iter().copied());
            matched.unmatched().sets.iter().map(|set| set.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((unmatched(&parts).as_str(), unmatched(&["pipe1", "x"]).as_str()), ("", "pipes"));
        assert_eq!(unmatched(&["hose", "x"]), "pipes all pipes");
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let rule = |name: &str, parts: &str, clearance: Option<f64>| Rule {
            name: name.into(),
            parts: parts.parse().unwrap(),
            limits: clearance.map(|clearance| Limits { clearance, ..Limits::default() }),
            in_sets: Vec::new(),
        };
        let mut rules = Rules::new(Limits::default());
        rules.rules =
            vec![rule("off", "bolt*:nut*", None), rule("bolts", "bolt*", Some(2.0)), rule("all", "*", Some(3.0))];
        let parts = ["bolt#2", "nut", "plate", "cover"];
        let fate = |rules: &Rules, a, b| match Matched::new(rules, parts.into_iter()).fate(a, b) {
            Fate::Checked(reason, limits) => format!("{} {}", reason.rule, limits.clearance),
            Fate::Ignored(name) => format!("ignored by {name}"),
            Fate::NotAsked => "not asked".into(),
            Fate::InNoSet => "in no set".into(),
        };
        assert_eq!(fate(&rules, 0, 1), "ignored by off");
        assert_eq!(fate(&rules, 1, 0), "ignored by off");
        assert_eq!((fate(&rules, 2, 0), fate(&rules, 1, 2)), ("bolts 2".into(), "all 3".into()));
        assert_eq!(rules.reach(), 3.0);
        rules.rules.pop();
        assert_eq!(fate(&rules, 1, 2), "default 0");
        rules.only = vec!["plate:cover".parse().unwrap()];
        assert_eq!((fate(&rules, 2, 3), fate(&rules, 0, 1)), ("default 0".into(), "not asked".into()));
    }
}
