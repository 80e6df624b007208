//! First contact of two moving bodies: dispatch by kinds.

use crate::answer::impact::{Impact, ImpactAlgorithm, ImpactOptions};
use crate::compound::parts::Parts;
use crate::convex::pair::cache::PairCache;
use crate::impact::moving::{Moving, Starts, enlarged, sanitized_margin};
use crate::impact::parts::Course;
use crate::impact::{convex, height_field, meshes};
use crate::math::placement::{Placement, difference};
use crate::motion::Motion;
use crate::pair::workspace::Workspace;
use crate::shape::{PairKind, Shape};

/// The first contact, or `None`: see [`time_of_impact`](crate::time_of_impact).
pub(crate) fn first_contact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let margin = sanitized_margin(options.margin);
    // `max` also turns NaN into zero.
    let options = ImpactOptions { tolerance: options.tolerance.max(0.0), margin, ..*options };
    if let Some(ground) = height_field::swept((a, motion_a), (b, motion_b), options.margin) {
        let (a, b) = (ground.a()?, ground.b()?);
        let impact = first_contact(a, motion_a, b, motion_b, &options, cache, workspace);
        return impact.map(|impact| ground.impact(impact));
    }
    let starts = Starts(motion_a.start(), motion_b.start());
    let moving = Moving::new(a, motion_a, b, motion_b, &starts);
    if moving.is_tiny()
        && let Some(large) = enlarged(a, motion_a, b, motion_b)
    {
        let options = ImpactOptions {
            tolerance: options.tolerance * large.factor,
            margin: options.margin * large.factor,
            ..options
        };
        let impact = first_contact(&large.a, &large.motion_a, &large.b, &large.motion_b, &options, cache, workspace);
        return impact.map(|impact| Impact { margin, ..impact.scaled(1.0 / large.factor) });
    }
    if let PairKind::Meshes(..) | PairKind::Parts = PairKind::of(a, b) {
        let parts = Parts::new(a, &starts.0, b, &starts.1);
        return of_parts(&parts, motion_a, motion_b, &options, workspace);
    }
    convex::first_contact(&moving, &options, cache, workspace)
}

/// The first contact of bodies, at least one of them made of parts, in the caller's order.
fn of_parts(
    parts: &Parts<'_>,
    motion_a: &Motion,
    motion_b: &Motion,
    options: &ImpactOptions,
    workspace: &mut Workspace,
) -> Option<Impact> {
    let (of_a, of_b) = (motion_a.displacement(), motion_b.displacement());
    let (high, low) = if parts.swapped { difference(of_a, of_b) } else { difference(of_b, of_a) };
    let (way, error) = Placement::displacement(parts.pose_a, high, low);
    let course = Course { parts, options, way, error };
    let by_features = match options.algorithm {
        ImpactAlgorithm::Elementary => meshes::first(&course, workspace),
        _ => None,
    };
    let known = by_features.unwrap_or_else(|| {
        let mut scratch = std::mem::take(&mut workspace.parts);
        let known = course.first(&mut scratch.heap, workspace);
        workspace.parts = scratch;
        known
    });
    known.answer(parts).map(|impact| if parts.swapped { impact.swapped() } else { impact })
}
