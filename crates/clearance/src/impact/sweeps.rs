//! Whether two moving bodies meet at any time of a step.

use crate::answer::impact::ImpactOptions;
use crate::answer::sweeps::SweepOptions;
use crate::convex::pair::cache::PairCache;
use crate::convex::simplex::Simplex;
use crate::impact::moving::{Moving, Starts, enlarged, has_vertices, sanitized_margin};
use crate::impact::time_of_impact::first_contact;
use crate::motion::Motion;
use crate::pair::workspace::Workspace;
use crate::shape::Shape;

/// See [`sweeps_meet`](crate::query::sweeps_meet).
pub(crate) fn meet(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &SweepOptions,
    cache: &mut PairCache,
    workspace: &mut Workspace,
) -> bool {
    let margin = sanitized_margin(options.margin);
    if !has_vertices(a) || !has_vertices(b) {
        let options = ImpactOptions { margin, ..ImpactOptions::default() };
        return first_contact(a, motion_a, b, motion_b, &options, cache, workspace).is_some();
    }
    let starts = Starts(motion_a.start(), motion_b.start());
    let moving = Moving::new(a, motion_a, b, motion_b, &starts);
    if moving.is_tiny()
        && let Some(large) = enlarged(a, motion_a, b, motion_b)
    {
        let options = SweepOptions { margin: margin * large.factor, ..*options };
        return meet(&large.a, &large.motion_a, &large.b, &large.motion_b, &options, cache, workspace);
    }
    moving.meet(options.algorithm, 1.0, margin, cache, &mut Simplex::default(), workspace)
}
