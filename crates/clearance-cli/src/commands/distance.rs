//! `clearance distance`: the gap between two files, with its proof.

use clearance::answer::Distance;
use clearance::distance;
use clearance_check::Error;
use clearance_check::output::{Lines, json};
use clearance_view::{SceneFinding, SceneKind};
use serde::Serialize;

use super::two::{PosedPart, Two, pairs, shown};
use super::values::SolidValue;
use super::{Outcome, does_not_hold};
use crate::print;

/// Measure the gap between the parts of one file and those of another.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    two: Two,

    /// Which parts are solids.
    #[arg(long, value_enum, default_value_t = SolidValue::Auto)]
    solid: SolidValue,
}

const EXAMPLES: &str = "\
Examples:
  clearance distance pin.stl plate.stl
  clearance distance pin.stl plate.stl --pose '0 0 12.5'
  clearance distance robot.glb cell.glb --part-a '*/gripper*' --json";

/// The gap and the parts it is between.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    unit: Option<String>,
    a: String,
    b: String,
    value: f64,
    lower: f64,
    upper: f64,
    method: String,
    /// In world coordinates.
    points: [[f64; 3]; 2],
    normal: Option<[f64; 3]>,
    feature_a: String,
    feature_b: String,
    /// Verified by independent code.
    verified: bool,
}

/// The nearest two parts, and their distance.
pub(super) fn nearest<'m>(
    a: &[PosedPart<'m>],
    b: &[PosedPart<'m>],
) -> Result<(Distance, PosedPart<'m>, PosedPart<'m>), Error> {
    let measured = pairs(a, b).map(|(a, b)| (distance(&a.body.shape, &a.pose, &b.body.shape, &b.pose), *a, *b));
    let nearest = measured.reduce(|best, next| if next.0.gap.value < best.0.gap.value { next } else { best });
    nearest.ok_or_else(|| Error::Usage("no parts".into()))
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let model = arguments.two.load(arguments.solid.into())?;
    let [of_a, of_b] = arguments.two.sides(&model)?;
    let (found, a, b) = nearest(&of_a, &of_b)?;
    let refused = found.verify(&a.body.shape, &a.pose, &b.body.shape, &b.pose).err();
    let answer = Answer {
        schema: "clearance-distance/1",
        unit: model.unit().map(|unit| unit.to_string()),
        a: a.part.id.clone(),
        b: b.part.id.clone(),
        value: found.gap.value,
        lower: found.gap.lower,
        upper: found.gap.upper,
        method: format!("{:?}", found.method),
        points: found.world_points(&a.pose, &b.pose).map(|point| point.to_array()),
        normal: found.normal.map(|normal| normal.to_array()),
        feature_a: format!("{:?}", found.witness.a.feature),
        feature_b: format!("{:?}", found.witness.b.feature),
        verified: refused.is_none(),
    };
    arguments.two.write_page(&model, |scene| {
        let finding = SceneFinding::new("distance", SceneKind::Measured, a.number(&model), b.number(&model))
            .with_distance(&found, scene.unit.as_deref())
            .with_places((&a.body.shape, &a.pose), (&b.body.shape, &b.pose));
        scene.verdict.clone_from(&finding.sentence);
        scene.findings.push(finding);
        Ok(())
    })?;
    arguments.two.write_files("distance", &answer, None)?;
    print::result(&if arguments.two.json { json(&answer)? } else { text(&answer) })?;
    refused.map_or(Ok(Outcome::Clean), |refusal| Err(does_not_hold(&refusal)))
}

fn text(answer: &Answer) -> String {
    let unit = answer.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mut out = Lines::default();
    out.line(format!("{} x {}", answer.a, answer.b));
    out.line(format!("distance  {}{unit}", answer.value));
    out.line(format!("proved    {} <= truth <= {}", answer.lower, answer.upper));
    if answer.normal.is_some() {
        out.line(format!("from      {} on {}", shown(answer.points[0]), answer.feature_a));
        out.line(format!("to        {} on {}", shown(answer.points[1]), answer.feature_b));
    } else {
        out.line(format!("meet at   {}", shown(answer.points[0])));
    }
    out.text()
}
