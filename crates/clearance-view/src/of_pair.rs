//! Two parts that were asked about, as a finding: where they meet, and what they have in common.

use clearance::query::contact_curves;
use clearance::{Pose, Shape, distance};
use clearance_check::{Body, Loop, common_volume};

use crate::common::common;
use crate::of_check::TRIANGLES;
use crate::{Proved, SceneFinding};

/// A body where it is.
type Placed<'m> = (&'m Shape, &'m Pose);

/// What is drawn of two parts besides the parts: the nearest points or a common one; of meshes the contact loops, and
/// of solids what they have in common and how much that is. Added to what a finding says.
pub(crate) fn of_pair(a: Placed<'_>, b: Placed<'_>, finding: SceneFinding) -> SceneFinding {
    let nearest = distance(a.0, a.1, b.0, b.1);
    let points = Some(nearest.world_points(a.1, b.1).map(|point| point.to_array()));
    let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (a.0, b.0) else { return SceneFinding { points, ..finding } };
    if nearest.gap.value > 0.0 {
        return SceneFinding { points, ..finding };
    }
    let curves = contact_curves(mesh_a, a.1, mesh_b, b.1);
    let loops = curves.iter().map(|curve| Loop {
        closed: curve.closed,
        points: curve.points.iter().map(|point| a.1.transform_point(*point).to_array()).collect(),
    });
    let (body_a, body_b) = (Body::from(mesh_a.clone()), Body::from(mesh_b.clone()));
    let found = || common_volume((&body_a, a.1), (&body_b, b.1)).map(|it| Proved::new(it.value, it.lower, it.upper));
    let volume = finding.volume.or_else(found);
    let overlap = volume.and_then(|volume| common((mesh_a, a.1), (mesh_b, b.1), 1.0, volume, TRIANGLES));
    SceneFinding { points, loops: loops.collect(), volume, overlap, ..finding }
}
