//! Two parts that were asked about, as a finding: where they meet, and what they have in common.

use clearance::{contact_curves, distance};

use super::common::common;
use super::of_check::TRIANGLES;
use super::{Proved, SceneFinding};
use crate::measure::Placed;
use crate::overlap::volume;
use crate::report::Loop;

/// All that is drawn of two parts besides themselves: the nearest points or a common one, contact loops, and of solids what they have in
/// common and how much that is. Added to what a finding says.
pub(crate) fn of_pair(a: Placed<'_>, b: Placed<'_>, finding: SceneFinding) -> SceneFinding {
    let nearest = distance(&a.0.shape, a.1, &b.0.shape, b.1);
    let points = nearest.world_points(a.1, b.1).map(|point| point.to_array());
    if nearest.value > 0.0 {
        return SceneFinding { points: Some(points), ..finding };
    }
    let curves = contact_curves(&a.0.mesh, a.1, &b.0.mesh, b.1);
    let loops = curves.iter().map(|curve| Loop {
        closed: curve.closed,
        points: curve.points.iter().map(|point| a.1.transform_point(*point).to_array()).collect(),
    });
    let volume = volume(a, b).map(|volume| Proved::new(volume.value, volume.lower, volume.upper));
    let overlap = volume.and_then(|volume| common((&a.0.mesh, a.1), (&b.0.mesh, b.1), 1.0, volume, TRIANGLES));
    SceneFinding { points: Some(points), loops: loops.collect(), volume, overlap, ..finding }
}
