//! `clearance volume`: the common volume of the parts of two files, with its proof.

use clearance::answer::Volume;
use clearance::overlap_volume;
use clearance_check::output::{Lines, cubic, json};
use clearance_check::{Error, Solid};
use clearance_view::sentence::in_common;
use clearance_view::{Proved, SceneFinding, SceneKind};
use serde::Serialize;

use super::two::{Two, pairs, shown};
use super::{Outcome, does_not_hold};
use crate::print;

/// Measure what the parts of one file have in common with those of another: volume, centroid, surface area.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    two: Two,

    /// Verify the answer however long it takes: every triangle of A against every one of B. Up to a hundred million
    /// pairs of triangles this is always done.
    #[arg(long)]
    verify: bool,
}

const EXAMPLES: &str = "\
Every part of A is intersected with every part of B, and the volumes are summed: regions shared by parts of one file
count twice. Parts must be solids: `clearance info` says why one is not.

Examples:
  clearance volume pin.stl plate.stl --unit mm
  clearance volume pin.stl plate.stl --pose '0 0 -1.5' --json

Exit codes: 0 answered, whether they overlap or not; 2 error.";

/// The common volume. Volumes are in `unit` cubed, areas in `unit` squared.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    /// The sum over all pairs of parts.
    volume: f64,
    lower: f64,
    upper: f64,
    /// Pairs of parts that may overlap.
    pairs: Vec<Common>,
    /// Verified by independent code; null if that would take too long and was not requested.
    verified: Option<bool>,
}

/// The common volume of two parts.
#[derive(Debug, Serialize)]
struct Common {
    a: String,
    b: String,
    volume: f64,
    lower: f64,
    upper: f64,
    /// The centroid, in world coordinates; null if the parts may not overlap.
    centroid: Option<[f64; 3]>,
    /// A bound on its distance from the true centroid.
    centroid_off: f64,
    area: f64,
    area_lower: f64,
    area_upper: f64,
    method: String,
}

/// Verified without being requested, up to this many pairs of triangles.
const VERIFIED: u64 = 100_000_000;

/// What parts that are not solids mean for the answer.
const ADVICE: &str = "without an interior it has no volume";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let model = arguments.two.load(Solid::Auto)?;
    let [of_a, of_b] = arguments.two.sides(&model)?;
    let mut answer = Answer {
        schema: "clearance-volume/1",
        unit: model.unit().map(|unit| unit.to_string()),
        volume: 0.0,
        lower: 0.0,
        upper: 0.0,
        pairs: Vec::new(),
        verified: Some(true),
    };
    let (mut refused, mut shown) = (None, Vec::new());
    for (a, b) in pairs(&of_a, &of_b).filter(|(a, b)| a.bounds().overlaps(&b.bounds())) {
        a.must_be_solid(&model, ADVICE)?;
        b.must_be_solid(&model, ADVICE)?;
        let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
        let found = overlap_volume(shape_a, &a.pose, shape_b, &b.pose).map_err(Error::from)?;
        let triangles = a.body.mesh.triangle_count() as u64 * b.body.mesh.triangle_count() as u64;
        if arguments.verify || triangles <= VERIFIED {
            refused = refused.or(found.verify(shape_a, &a.pose, shape_b, &b.pose).err());
        } else {
            answer.verified = None;
        }
        if found.volume.upper > 0.0 {
            shown.push((*a, *b, Proved::new(found.volume.value, found.volume.lower, found.volume.upper)));
            answer.add(common(&a.part.id, &b.part.id, &found));
        }
    }
    if refused.is_some() {
        answer.verified = Some(false);
    }
    arguments.two.write_page(&model, |scene| {
        let unit = scene.unit.as_deref();
        shown.sort_by(|(.., p), (.., q)| q.value.total_cmp(&p.value));
        scene.verdict = in_common(Proved::new(answer.volume, answer.lower, answer.upper), unit);
        scene.findings = shown
            .iter()
            .map(|(a, b, volume)| {
                let id = format!("{} x {}", a.part.id, b.part.id);
                SceneFinding::new(id, SceneKind::Hard, a.number(&model), b.number(&model))
                    .with_volume(*volume, unit)
                    .with_places((&a.body.shape, &a.pose), (&b.body.shape, &b.pose))
            })
            .collect();
        Ok(())
    })?;
    arguments.two.write_files("common volume", &answer, Some("pairs"))?;
    print::result(&if arguments.two.json { json(&answer)? } else { text(&answer) })?;
    refused.map_or(Ok(Outcome::Clean), |refusal| Err(does_not_hold(&refusal)))
}

impl Answer {
    /// Sums, rounded outward where there are several.
    fn add(&mut self, common: Common) {
        let first = self.pairs.is_empty();
        let sum = |sum: f64, more: f64, outward: f64| {
            if first { more } else { (sum + more) * (1.0 + outward * 2.0 * f64::EPSILON) }
        };
        self.volume = sum(self.volume, common.volume, 0.0);
        (self.lower, self.upper) = (sum(self.lower, common.lower, -1.0), sum(self.upper, common.upper, 1.0));
        self.pairs.push(common);
    }
}

fn common(a: &str, b: &str, found: &Volume) -> Common {
    Common {
        a: a.to_owned(),
        b: b.to_owned(),
        volume: found.volume.value,
        lower: found.volume.lower,
        upper: found.volume.upper,
        centroid: found.centroid.map(|point| point.to_array()),
        centroid_off: found.centroid_off,
        area: found.area.value,
        area_lower: found.area.lower,
        area_upper: found.area.upper,
        method: format!("{:?}", found.method),
    }
}

fn text(answer: &Answer) -> String {
    let (cubed, unit) = (cubic(answer.unit.as_deref()), answer.unit.as_deref());
    let squared = unit.map_or_else(String::new, |unit| format!(" {unit}^2"));
    let mut out = Lines::default();
    let bracket = |lower: f64, upper: f64| format!("proved    {lower} <= truth <= {upper}");
    for common in &answer.pairs {
        out.line(format!("{} x {}", common.a, common.b));
        out.line(format!("volume    {}{cubed}", common.volume));
        out.line(bracket(common.lower, common.upper));
        if let Some(centroid) = common.centroid {
            out.line(format!("centroid  {}, off by {:e} at most", shown(centroid), common.centroid_off));
        }
        out.line(format!("surface   {}{squared}", common.area));
        out.line(bracket(common.area_lower, common.area_upper));
    }
    match answer.pairs.len() {
        0 => out.line("volume    0: nothing in common"),
        1 => {}
        pairs => {
            out.blank();
            out.line(format!("in all    {}{cubed} in {pairs} pairs of parts", answer.volume));
            out.line(bracket(answer.lower, answer.upper));
        }
    }
    if answer.verified.is_none() {
        out.line("not verified: too many triangles; --verify does it however long it takes");
    }
    out.text()
}
